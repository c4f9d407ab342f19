// op_dropout.c - values that are left out at random while a model learns.
//
// No mask is kept: a value's fate is a hash of where it stands, made again on the way back.
#include "tensor/ops.h"

enum { DROPOUT_GRAIN = 1 << 14 };

typedef struct DropoutNode {
    Node node;
    Tensor *x, *y;
    float rate;
    uint64_t key; // of this op in this forward
} DropoutNode;

// The finaliser of splitmix64 (Steele et al. 2014).
static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

typedef struct DropoutWork {
    const float *from;
    float *to;
    uint64_t key;
    float rate;
    bool adds;
} DropoutWork;

// A hash serves four neighbours, 16 bits each.
static void dropout_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const DropoutWork *w = arg;
    uint32_t limit = (uint32_t)(w->rate * 65536.0f);
    float factor = 1 / (1 - w->rate);
    uint64_t bits = 0;
    for (int64_t i = begin; i < end; i++) {
        if (i % 4 == 0 || i == begin) bits = mix(w->key + (uint64_t)(i / 4)) >> (i % 4 * 16);
        float y = (bits & 0xffff) < limit ? 0 : w->from[i] * factor;
        w->to[i] = w->adds ? w->to[i] + y : y;
        bits >>= 16;
    }
}

static void dropout_backward(Run *run, Node *base) {
    DropoutNode *node = (DropoutNode *)base;
    if (run->dry || !node->x->grad) return;
    DropoutWork work = {node->y->grad, node->x->grad, node->key, node->rate, true};
    pool_run(run->pool, dropout_task, &work, tensor_count(node->y), DROPOUT_GRAIN);
}

Tensor *op_dropout(Run *run, Tensor *x) {
    if (run->dropout <= 0) return x;
    uint64_t key = mix(run->dropout_key + (uint64_t)++run->n_dropouts * 0x9e3779b97f4a7c15u);
    Tensor *y = run_new(run, x->rank, x->dim);
    DropoutWork work = {tensor_f32(x), tensor_f32(y), key, run->dropout, false};
    if (!run->dry) pool_run(run->pool, dropout_task, &work, tensor_count(x), DROPOUT_GRAIN);
    DropoutNode *node = run_record(run, dropout_backward, sizeof *node);
    if (node) {
        node->x = x;
        node->y = y;
        node->rate = run->dropout;
        node->key = key;
    }
    return y;
}
