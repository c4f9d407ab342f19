// scalar_linear.c - products of rows, in plain C.
//
// Each output is computed by one chain of operations that sees its weight row and its activation
// row only (rule 1 of kernels.h).
#include <string.h>

#include "kernels/scalar.h"
#include "quant/half.h"

// ---------------------------------------------------------------- float weights

typedef float DotRows(const void *w, const float *x, int64_t k);

static float dot_f32(const void *w, const float *x, int64_t k) {
    return scalar_dot(w, x, k);
}

static inline float dot_halves(const uint16_t *w, const float *x, int64_t k,
                               float (*widen)(uint16_t)) {
    float lane[SCALAR_LANES] = {0};
    int64_t i = 0;
    for (; i + SCALAR_LANES <= k; i += SCALAR_LANES) {
        for (int j = 0; j < SCALAR_LANES; j++) lane[j] += widen(w[i + j]) * x[i + j];
    }
    for (int j = 0; i < k; i++, j++) lane[j] += widen(w[i]) * x[i];
    return scalar_lanes_sum(lane);
}

static float dot_f16(const void *w, const float *x, int64_t k) {
    return dot_halves(w, x, k, f16_to_f32);
}

static float dot_bf16(const void *w, const float *x, int64_t k) {
    return dot_halves(w, x, k, bf16_to_f32);
}

static void linear_floats(const LinearJob *job, DotRows *dot) {
    for (int64_t i = 0; i < job->n_out; i++) {
        const char *w = (const char *)job->w + (size_t)i * job->w_row_bytes;
        for (int64_t j = 0; j < job->n_x; j++) {
            const void *x = (const char *)job->x + (size_t)j * job->x_row_bytes;
            job->y[j * job->y_stride + i] = dot(w, x, job->k);
        }
    }
}

static void linear_f32(const LinearJob *job) {
    linear_floats(job, dot_f32);
}
static void linear_f16(const LinearJob *job) {
    linear_floats(job, dot_f16);
}
static void linear_bf16(const LinearJob *job) {
    linear_floats(job, dot_bf16);
}

// ---------------------------------------------------------------- gradients

static void gemm(const GemmJob *job) {
    for (int64_t m = 0; m < job->m; m++) {
        float *c = job->c + m * job->c_row;
        for (int64_t k = 0; k < job->k; k++) {
            float a = job->a[m * job->a_row + k * job->a_column];
            const float *b = job->b + k * job->b_row;
            for (int64_t n = 0; n < job->n; n++) c[n] += a * b[n * job->b_column];
        }
    }
}

void scalar_linear_entries(Kernels *table) {
    table->linear[DTYPE_F32] = linear_f32;
    table->linear[DTYPE_F16] = linear_f16;
    table->linear[DTYPE_BF16] = linear_bf16;
    table->gemm = gemm;
}
