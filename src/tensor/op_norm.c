// op_norm.c - keeping the residual stream in a steady range: RMS norm and layer norm.
//
// Both work on groups of values: a whole row, or (head norms) each head's part of it.  What the
// way back needs of the statistics is two numbers a group, which are saved.
#include <math.h>
#include <string.h>

#include "tensor/ops.h"

typedef struct NormNode {
    Node node;
    Tensor *x, *y;
    Tensor w, bias;
    int64_t width;  // values in a group
    float *mean;    // (groups), NULL for RMS norm
    float *inverse; // (groups) 1 / sqrt(mean square or variance + eps)
} NormNode;

typedef struct NormWork {
    const Kernels *kernels;
    const float *x, *w, *bias; // w, bias may be NULL
    float *y;
    int64_t width;
    float eps;
    bool is_layer_norm;
    float *mean, *inverse; // NULL without a tape
} NormWork;

// Mean and variance in double: the sums are long and the result is a small difference.
static void group_statistics(const NormWork *work, const float *x, double *mean, double *square) {
    double sum = 0, sum_of_squares = 0;
    if (work->is_layer_norm)
        for (int64_t i = 0; i < work->width; i++) sum += (double)x[i];
    *mean = sum / (double)work->width;
    for (int64_t i = 0; i < work->width; i++) {
        double d = (double)x[i] - *mean;
        sum_of_squares += d * d;
    }
    *square = sum_of_squares / (double)work->width;
}

static void norm_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const NormWork *work = arg;
    for (int64_t g = begin; g < end; g++) {
        const float *x = work->x + g * work->width;
        float *y = work->y + g * work->width;
        double mean, square;
        group_statistics(work, x, &mean, &square);
        float m = (float)mean, inverse = (float)(1 / sqrt(square + (double)work->eps));
        for (int64_t i = 0; i < work->width; i++) y[i] = (x[i] - m) * inverse;
        if (work->w) work->kernels->multiply(y, y, work->w, work->width);
        if (work->bias) work->kernels->add(y, y, work->bias, work->width);
        if (work->mean) work->mean[g] = m;
        if (work->inverse) work->inverse[g] = inverse;
    }
}

// ---------------------------------------------------------------- backward
// Groups are worked on in blocks of a fixed size, whose sums for weight and bias are added up in
// their order: the same bits for any number of threads.
enum { BACK_GROUPS = 128 };

typedef struct BackWork {
    const Kernels *kernels;
    const NormNode *node;
    int64_t groups;
    float *normed, *dn; // (threads, width)
    float *dw, *dbias;  // (blocks, width); NULL: not wanted
} BackWork;

// With n = (x - mean) * inverse the normed value and dn = dy * w:
//   dx += inverse * (dn - mean(dn) - n * mean(dn * n)),  the middle term only for layer norm.
static void back_group(const BackWork *work, int64_t g, float *n, float *dn) {
    const Kernels *k = work->kernels;
    const NormNode *node = work->node;
    int64_t width = node->width;
    float mean = node->mean ? node->mean[g] : 0, inverse = node->inverse[g], *dx = node->x->grad;
    const float *x = tensor_f32(node->x) + g * width, *dy = node->y->grad + g * width;
    for (int64_t i = 0; i < width; i++) n[i] = (x[i] - mean) * inverse;
    int64_t block = g / BACK_GROUPS * width;
    if (work->dw) k->multiply_add(work->dw + block, dy, n, width);
    if (work->dbias) k->add(work->dbias + block, work->dbias + block, dy, width);
    if (!dx) return;
    dx += g * width;
    if (node->w.data) {
        k->multiply(dn, dy, node->w.data, width);
        dy = dn;
    }
    k->axpy(dx, inverse, dy, width);
    k->axpy(dx, -inverse * k->dot(dy, n, width) / (float)width, n, width);
    if (!node->mean) return;
    double sum = 0;
    for (int64_t i = 0; i < width; i++) sum += (double)dy[i];
    float shift = inverse * (float)(sum / (double)width);
    for (int64_t i = 0; i < width; i++) dx[i] -= shift;
}

static void back_task(void *arg, int64_t begin, int64_t end, int worker) {
    const BackWork *work = arg;
    int64_t width = work->node->width;
    float *n = work->normed + worker * width, *dn = work->dn + worker * width;
    for (int64_t block = begin; block < end; block++) {
        size_t bytes = sizeof(float) * (size_t)width;
        if (work->dw) memset(work->dw + block * width, 0, bytes);
        if (work->dbias) memset(work->dbias + block * width, 0, bytes);
        int64_t last = (block + 1) * BACK_GROUPS;
        if (last > work->groups) last = work->groups;
        for (int64_t g = block * BACK_GROUPS; g < last; g++) back_group(work, g, n, dn);
    }
}

static void add_blocks(const BackWork *work, float *grad, const float *blocks, int64_t n_blocks) {
    int64_t width = work->node->width;
    for (int64_t i = 0; blocks && i < n_blocks; i++)
        work->kernels->add(grad, grad, blocks + i * width, width);
}

static void norm_backward(Run *run, Node *base) {
    NormNode *node = (NormNode *)base;
    int64_t width = node->width, groups = tensor_count(node->x) / width;
    int64_t n_blocks = (groups + BACK_GROUPS - 1) / BACK_GROUPS;
    size_t mark = run_mark(run), row = sizeof(float) * (size_t)width;
    size_t threads = (size_t)pool_threads(run->pool);
    BackWork work = {.kernels = run->kernels, .node = node, .groups = groups};
    work.normed = run_bytes(run, row * threads);
    work.dn = run_bytes(run, row * threads);
    if (node->w.grad) work.dw = run_bytes(run, row * (size_t)n_blocks);
    if (node->bias.grad) work.dbias = run_bytes(run, row * (size_t)n_blocks);
    if (!run->dry) {
        pool_run(run->pool, back_task, &work, n_blocks, 1);
        add_blocks(&work, node->w.grad, work.dw, n_blocks);
        add_blocks(&work, node->bias.grad, work.dbias, n_blocks);
    }
    run_back(run, mark);
}

static bool is_vector(const Tensor *t, int64_t n) {
    return !t || !t->data || (t->rank == 1 && t->dtype == DTYPE_F32 && t->dim[0] == n);
}

static Tensor *norm(Run *run, Tensor *x, const Tensor *w, const Tensor *bias, float eps,
                    bool is_layer_norm) {
    bool has_w = w && w->rank == 1 && w->dim[0] > 0;
    int64_t width = has_w ? w->dim[0] : tensor_cols(x);
    require(tensor_cols(x) % width == 0 && is_vector(w, width) && is_vector(bias, width));
    int64_t groups = tensor_count(x) / width;
    Tensor *y = run_new(run, x->rank, x->dim);
    size_t bytes = sizeof(float) * (size_t)groups;
    float *mean = is_layer_norm ? run_save(run, bytes) : NULL;
    float *inverse = run_save(run, bytes);
    if (!run->dry) {
        NormWork work = {.kernels = run->kernels,
                         .x = tensor_f32(x),
                         .w = w ? w->data : NULL,
                         .bias = bias ? bias->data : NULL,
                         .y = tensor_f32(y),
                         .width = width,
                         .eps = eps,
                         .is_layer_norm = is_layer_norm,
                         .mean = mean,
                         .inverse = inverse};
        pool_run(run->pool, norm_task, &work, groups, 1 + 16384 / width);
    }
    NormNode *node = run_record(run, norm_backward, sizeof *node);
    if (node) {
        node->x = x;
        node->y = y;
        if (w) node->w = *w;
        if (bias) node->bias = *bias;
        node->width = width;
        node->mean = mean;
        node->inverse = inverse;
    }
    return y;
}

Tensor *op_rms_norm(Run *run, Tensor *x, const Tensor *w, float eps) {
    return norm(run, x, w, NULL, eps, false);
}

Tensor *op_layer_norm(Run *run, Tensor *x, const Tensor *w, const Tensor *bias, float eps) {
    return norm(run, x, w, bias, eps, true);
}
