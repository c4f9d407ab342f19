// op_loss.c - cross-entropy over a large vocabulary, in chunks of it.
//
// Forward: the logits of a chunk of the vocabulary are made, folded into each row's running maximum
// and sum of exponentials, and forgotten; what stays is one number a row, log(sum exp).  Backward
// makes them again chunk by chunk: d logit = weight * (softmax - [target]) and passes it on to the
// activations and the head.  Rows go through in blocks, so memory is (block, chunk) for any T and
// V.
#include <math.h>
#include <string.h>

#include "tensor/ops.h"
#include "tensor/product.h"
#include "tensor/weight_rows.h"

enum { LOSS_CHUNK = 512, LOSS_ROWS = 1024 }; // many rows: the head is packed for each block of them

typedef struct LossNode {
    Node node;
    Tensor *x, *y;
    Tensor head;
    LossSpec spec;
    float *lse; // (T)
    double weight_sum;
} LossNode;

static float weight_of(const LossSpec *spec, int64_t row) {
    return spec->weight ? spec->weight[row] : 1.0f;
}

// One chunk: `rows` rows of x with the vocabulary rows from .. from+n-1.  Its logits are no results
// of the run: the next chunk overwrites them.
typedef struct ChunkWork {
    Run *run;
    const Tensor *x, *head;
    int64_t row, rows, from, n; // of the chunk
    float *logits;              // (LOSS_ROWS, LOSS_CHUNK) used as (rows, n)
    float *decoded;             // (LOSS_CHUNK, C), NULL for an f32 head
    const float *head_rows;     // of the chunk
    const float *bias;          // (V) or NULL
    float cap;
} ChunkWork;

static void bias_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const ChunkWork *w = arg;
    for (int64_t r = begin; r < end; r++) {
        float *row = w->logits + r * w->n;
        w->run->kernels->add(row, row, w->bias + w->from, w->n);
    }
}

static void cap_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const ChunkWork *w = arg;
    for (int64_t r = begin; r < end; r++) {
        float *row = w->logits + r * w->n;
        w->run->kernels->scale(row, row, 1 / w->cap, w->n);
        w->run->kernels->tanh(row, row, w->n);
        w->run->kernels->scale(row, row, w->cap, w->n);
    }
}

// The three products of a chunk; f32 heads may be rounded.
static void chunk_product(const ChunkWork *w, Product p) {
    p.bf16 = w->run->bf16 && !w->decoded;
    product(w->run, &p);
}

static void chunk_logits(ChunkWork *w) {
    int64_t c = tensor_cols(w->x);
    w->head_rows = weight_rows(w->run, w->head, w->from, w->n, w->decoded);
    chunk_product(w, (Product){.m = w->rows,
                               .n = w->n,
                               .k = c,
                               .a = tensor_f32(w->x) + w->row * c,
                               .a_row = c,
                               .a_column = 1,
                               .b = w->head_rows,
                               .b_row = c,
                               .b_column = 1,
                               .c = w->logits,
                               .c_row = w->n});
    if (w->bias && !w->run->dry) pool_run(w->run->pool, bias_task, w, w->rows, 16);
    if (w->cap > 0 && !w->run->dry) pool_run(w->run->pool, cap_task, w, w->rows, 16);
}

static ChunkWork chunk_work(Run *run, const Tensor *x, const Tensor *head, const LossSpec *spec) {
    ChunkWork w = {.run = run, .x = x, .head = head, .cap = spec->cap};
    if (spec->bias && spec->bias->data) w.bias = tensor_f32(spec->bias);
    int64_t rows = tensor_rows(x) < LOSS_ROWS ? tensor_rows(x) : LOSS_ROWS;
    w.logits = run_bytes(run, sizeof(float) * (size_t)(rows * LOSS_CHUNK));
    if (!weight_lies_as_f32(head))
        w.decoded = run_bytes(run, sizeof(float) * (size_t)(LOSS_CHUNK * tensor_cols(head)));
    return w;
}

// Steps through blocks of rows, and for each through the chunks of the vocabulary.
static bool next_chunk(ChunkWork *w) {
    int64_t n_rows = tensor_rows(w->x), n_vocab = w->head->dim[0];
    w->from += w->n;
    if (w->n == 0 || w->from >= n_vocab) { // the first chunk, or the end of a block of rows
        w->from = 0;
        w->row += w->rows;
        if (w->row >= n_rows) return false;
        w->rows = n_rows - w->row < LOSS_ROWS ? n_rows - w->row : LOSS_ROWS;
    }
    w->n = n_vocab - w->from < LOSS_CHUNK ? n_vocab - w->from : LOSS_CHUNK;
    return true;
}

// ---------------------------------------------------------------- forward
// Running maximum and sum of exponentials of a row, and the logit of its target.
typedef struct RowState {
    float max;
    double sum, target;
} RowState;

typedef struct FoldWork {
    const ChunkWork *chunk;
    const int32_t *target;
    RowState *state;
} FoldWork;

static void fold_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const FoldWork *f = arg;
    const ChunkWork *w = f->chunk;
    for (int64_t r = begin; r < end; r++) {
        RowState *s = &f->state[w->row + r];
        float *logits = w->logits + r * w->n;
        int64_t target = f->target[w->row + r] - w->from;
        if (target >= 0 && target < w->n) s->target = (double)logits[target];
        float highest = fmaxf(s->max, w->run->kernels->maximum(logits, w->n));
        s->sum *= exp((double)s->max - (double)highest);
        s->sum += (double)w->run->kernels->exp_sum(logits, highest, w->n);
        s->max = highest;
    }
}

// ---------------------------------------------------------------- backward
typedef struct BackWork {
    const ChunkWork *chunk;
    const LossNode *node;
} BackWork;

// The gradients before the cap: the slope of cap tanh(x / cap) is 1 - tanh^2.
static void capped_slopes(const BackWork *b, int64_t row, int64_t target, float factor,
                          float *logits) {
    float cap = b->chunk->cap;
    for (int64_t i = 0; i < b->chunk->n; i++) {
        float t = logits[i] / cap, p = expf(logits[i] - b->node->lse[row]);
        logits[i] = factor * (i == target ? p - 1 : p) * (1 - t * t);
    }
}

// Logits become their gradients.
static void slope_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const BackWork *b = arg;
    const ChunkWork *w = b->chunk;
    const Kernels *k = w->run->kernels;
    for (int64_t r = begin; r < end; r++) {
        int64_t row = w->row + r, target = b->node->spec.target[row] - w->from;
        float factor = b->node->y->grad[0] *
                       (float)((double)weight_of(&b->node->spec, row) / b->node->weight_sum);
        float *logits = w->logits + r * w->n;
        if (w->cap > 0) {
            capped_slopes(b, row, target, factor, logits);
            continue;
        }
        k->exp_sum(logits, b->node->lse[row], w->n);
        if (target >= 0 && target < w->n) logits[target] -= 1;
        k->scale(logits, logits, factor, w->n);
    }
}

// dx += dlogits head
static void back_x(const BackWork *b) {
    const ChunkWork *w = b->chunk;
    int64_t c = tensor_cols(w->x);
    chunk_product(w, (Product){.m = w->rows,
                               .n = c,
                               .k = w->n,
                               .a = w->logits,
                               .a_row = w->n,
                               .a_column = 1,
                               .b = w->head_rows,
                               .b_row = 1,
                               .b_column = c,
                               .c = b->node->x->grad + w->row * c,
                               .c_row = c,
                               .adds = true});
}

// dhead += dlogits^T x
static void back_head(const BackWork *b) {
    const ChunkWork *w = b->chunk;
    int64_t c = tensor_cols(w->x);
    chunk_product(w, (Product){.m = w->n,
                               .n = c,
                               .k = w->rows,
                               .a = w->logits,
                               .a_row = 1,
                               .a_column = w->n,
                               .b = tensor_f32(w->x) + w->row * c,
                               .b_row = 1,
                               .b_column = c,
                               .c = b->node->head.grad + w->from * c,
                               .c_row = c,
                               .adds = true});
}

// dbias += the sum of dlogits over the rows
static void back_bias(const BackWork *b, float *grad) {
    const ChunkWork *w = b->chunk;
    for (int64_t r = 0; r < w->rows && !w->run->dry; r++)
        w->run->kernels->axpy(grad + w->from, 1, w->logits + r * w->n, w->n);
}

static void loss_backward(Run *run, Node *base) {
    LossNode *node = (LossNode *)base;
    float *bias_grad = node->spec.bias ? node->spec.bias->grad : NULL;
    ChunkWork w = chunk_work(run, node->x, &node->head, &node->spec);
    BackWork work = {&w, node};
    while (next_chunk(&w)) {
        chunk_logits(&w);
        if (!run->dry) pool_run(run->pool, slope_task, &work, w.rows, 4);
        if (node->x->grad || run->dry) back_x(&work);
        if (node->head.grad) back_head(&work);
        if (bias_grad) back_bias(&work, bias_grad);
        if (run->dry) return; // the first chunk is the largest
    }
}

// ---------------------------------------------------------------- op
static double loss_of(const LossSpec *spec, const RowState *state, int64_t rows, float *lse,
                      double weight_sum) {
    double total = 0;
    for (int64_t r = 0; r < rows; r++) {
        double l = (double)state[r].max + log(state[r].sum), loss = l - state[r].target;
        if (lse) lse[r] = (float)l;
        if (spec->per_row) spec->per_row[r] = (float)loss;
        if (weight_of(spec, r) != 0) total += loss * (double)weight_of(spec, r);
    }
    return weight_sum > 0 ? total / weight_sum : 0;
}

Tensor *op_cross_entropy(Run *run, Tensor *x, const Tensor *head, LossSpec spec) {
    require(head->rank == 2 && tensor_cols(x) == tensor_cols(head));
    int64_t rows = tensor_rows(x);
    Tensor *y = run_new(run, 1, (int64_t[]){1});
    float *lse = run_save(run, sizeof(float) * (size_t)rows);
    size_t mark = run_mark(run);
    ChunkWork w = chunk_work(run, x, head, &spec);
    RowState *state = run_bytes(run, sizeof *state * (size_t)rows);
    double weight_sum = 0;
    if (!run->dry) {
        for (int64_t r = 0; r < rows; r++) {
            require(spec.target[r] >= 0 && spec.target[r] < head->dim[0]);
            state[r] = (RowState){.max = -INFINITY};
            weight_sum += (double)weight_of(&spec, r);
        }
    }
    while (next_chunk(&w)) {
        chunk_logits(&w);
        if (run->dry) break; // the first chunk is the largest
        pool_run(run->pool, fold_task, &(FoldWork){&w, spec.target, state}, w.rows, 4);
    }
    if (!run->dry) {
        tensor_f32(y)[0] = (float)loss_of(&spec, state, rows, lse, weight_sum);
    }
    run_back(run, mark);
    LossNode *node = run_record(run, loss_backward, sizeof *node);
    if (node) {
        node->x = x;
        node->y = y;
        node->head = *head;
        node->spec = spec;
        node->lse = lse;
        node->weight_sum = weight_sum > 0 ? weight_sum : 1;
    }
    return y;
}
