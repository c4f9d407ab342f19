// op_act.c - the non-linearities of the feed-forward layer, alone and gated.
//
// The tanh form of GELU is what GPT-2 and Gemma were trained with, the exact form (erf) what BERT
// was; they differ by up to 5e-4 and are two activations, not one.
#include "tensor/ops.h"

typedef struct ActNode {
    Node node;
    Tensor *x, *up, *y; // up NULL: not gated
    Activation kind;
} ActNode;

typedef struct ActWork {
    const Kernels *kernels;
    const float *x, *up;
    float *y;
    Activation kind;
} ActWork;

typedef struct BackWork {
    const Kernels *kernels;
    const ActNode *node;
} BackWork;

static void apply(const Kernels *kernels, Activation kind, float *y, const float *x, int64_t n) {
    switch (kind) {
    case ACT_GELU: kernels->gelu_erf(y, x, n); break;
    case ACT_GELU_TANH: kernels->gelu_tanh(y, x, n); break;
    case ACT_SILU: kernels->silu(y, x, n); break;
    }
}

static void slope(const Kernels *kernels, Activation kind, float *y, const float *x, int64_t n) {
    switch (kind) {
    case ACT_GELU: kernels->gelu_erf_slope(y, x, n); break;
    case ACT_GELU_TANH: kernels->gelu_tanh_slope(y, x, n); break;
    case ACT_SILU: kernels->silu_slope(y, x, n); break;
    }
}

static void act_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const ActWork *work = arg;
    apply(work->kernels, work->kind, work->y + begin, work->x + begin, end - begin);
    if (work->up)
        work->kernels->multiply(work->y + begin, work->y + begin, work->up + begin, end - begin);
}

// dup += dy act(x)      dx += dy up act'(x)
static void act_backward_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    enum { VALUES = 512 }; // at a time, in the L1 cache
    const BackWork *work = arg;
    const Kernels *k = work->kernels;
    const ActNode *node = work->node;
    float buffer[VALUES];
    for (int64_t i = begin; i < end; i += VALUES) {
        int64_t n = end - i < VALUES ? end - i : VALUES;
        const float *x = tensor_f32(node->x) + i, *dy = node->y->grad + i;
        if (node->up && node->up->grad) {
            apply(k, node->kind, buffer, x, n);
            k->multiply_add(node->up->grad + i, dy, buffer, n);
        }
        if (!node->x->grad) continue;
        slope(k, node->kind, buffer, x, n);
        if (node->up) k->multiply(buffer, buffer, tensor_f32(node->up) + i, n);
        k->multiply_add(node->x->grad + i, dy, buffer, n);
    }
}

static void act_backward(Run *run, Node *base) {
    BackWork work = {run->kernels, (ActNode *)base};
    if (!run->dry) pool_run(run->pool, act_backward_task, &work, tensor_count(work.node->y), 1024);
}

static Tensor *activate(Run *run, Tensor *x, Tensor *up, Activation kind) {
    require(!up || tensor_count(up) == tensor_count(x));
    Tensor *y = run_new(run, x->rank, x->dim);
    if (!run->dry) {
        ActWork work = {run->kernels, tensor_f32(x), up ? tensor_f32(up) : NULL, tensor_f32(y),
                        kind};
        pool_run(run->pool, act_task, &work, tensor_count(x), 8192);
    }
    ActNode *node = run_record(run, act_backward, sizeof *node);
    if (node) {
        node->x = x;
        node->up = up;
        node->y = y;
        node->kind = kind;
    }
    return y;
}

Tensor *op_activate(Run *run, Tensor *x, Activation kind) {
    return activate(run, x, NULL, kind);
}

Tensor *op_gated(Run *run, Tensor *gate, Tensor *up, Activation kind) {
    return activate(run, gate, up, kind);
}
