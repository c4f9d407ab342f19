// op_rotary.c - rotary position embedding (Su et al. 2021, arXiv 2104.09864).
//
// Pairs of values in a head are turned by an angle proportional to the token's position, so that
// q.k depends on the distance only.  The way back turns the gradient by the opposite angle.
#include <math.h>

#include "tensor/ops.h"

Tensor *op_rotary_angles(Run *run, const Rotary *rotary, const int64_t *positions, int64_t n) {
    Tensor *y = run_new_kept(run, n, 2 * rotary->n_pairs);
    for (int64_t row = 0; row < n && !run->dry; row++) {
        float *out = tensor_f32(y) + row * 2 * rotary->n_pairs;
        for (int i = 0; i < rotary->n_pairs; i++) {
            // The product is rounded to f32 as in the reference implementation (formats.md 2.6).
            float angle = (float)positions[row] * rotary->frequency[i];
            out[2 * i] = cosf(angle) * rotary->magnitude;
            out[2 * i + 1] = sinf(angle) * rotary->magnitude;
        }
    }
    return y;
}

typedef struct RotaryNode {
    Node node;
    Tensor *x, *y;
    const Rotary *rotary;
    const Tensor *angles;
    int head_width;
} RotaryNode;

// One head: out (+)= x turned forward (sign 1) or back (sign -1).
static void turn_head(const Rotary *rotary, const float *angle, const float *x, float *out,
                      float sign) {
    int n = rotary->n_pairs;
    bool halves = rotary->pairing == PAIR_HALVES;
    for (int i = 0; i < n; i++) {
        int a = halves ? i : 2 * i, b = halves ? i + n : 2 * i + 1;
        float c = angle[2 * i], s = sign * angle[2 * i + 1];
        float x0 = x[a], x1 = x[b];
        out[a] = x0 * c - x1 * s;
        out[b] = x0 * s + x1 * c;
    }
}

static void rotary_backward(Run *run, Node *base) {
    RotaryNode *node = (RotaryNode *)base;
    if (run->dry || !node->x->grad) return;
    int64_t d = node->head_width, heads = tensor_cols(node->x) / d;
    int turned = 2 * node->rotary->n_pairs;
    for (int64_t i = 0; i < tensor_rows(node->x) * heads; i++) {
        const float *angle = tensor_f32(node->angles) + i / heads * turned;
        float *dy = node->y->grad + i * d, *dx = node->x->grad + i * d;
        turn_head(node->rotary, angle, dy, dy, -1); // dy is not needed again
        run->kernels->axpy(dx, 1, dy, d);
    }
}

typedef struct RotaryWork {
    const Rotary *rotary;
    const float *angles, *x;
    float *y;
    int64_t width, heads;
} RotaryWork;

static void rotary_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const RotaryWork *work = arg;
    int turned = 2 * work->rotary->n_pairs;
    for (int64_t i = begin * work->heads; i < end * work->heads; i++) {
        const float *x = work->x + i * work->width;
        float *y = work->y + i * work->width;
        turn_head(work->rotary, work->angles + i / work->heads * turned, x, y, 1);
        for (int64_t c = turned; c < work->width; c++) y[c] = x[c];
    }
}

Tensor *op_rotary(Run *run, Tensor *x, const Rotary *rotary, const Tensor *angles, int head_width) {
    int64_t rows = tensor_rows(x);
    require(tensor_cols(x) % head_width == 0 && 2 * rotary->n_pairs <= head_width);
    require(tensor_rows(angles) == rows && tensor_cols(angles) == 2 * rotary->n_pairs);
    Tensor *y = run_new(run, x->rank, x->dim);
    if (!run->dry) {
        RotaryWork work = {rotary,        tensor_f32(angles), tensor_f32(x),
                           tensor_f32(y), head_width,         tensor_cols(x) / head_width};
        pool_run(run->pool, rotary_task, &work, rows, 1 + 16384 / tensor_cols(x));
    }
    RotaryNode *node = run_record(run, rotary_backward, sizeof *node);
    if (node) {
        node->x = x;
        node->y = y;
        node->rotary = rotary;
        node->angles = angles;
        node->head_width = head_width;
    }
    return y;
}
