// scalar_linear.c - products of rows, in plain C.
//
// Each output is computed by one chain of operations that sees its weight row and its activation
// row only (rule 1 of kernels.h).
#include <string.h>

#include "kernels/scalar.h"
#include "quant/half.h"
#include "quant/unpack.h"

// ---------------------------------------------------------------- quantised weights

// An int8 row, taken apart.
typedef struct Q8Row {
    const int8_t *q;
    const char *scales, *sums; // k / 32 floats each, at any address
} Q8Row;

static Q8Row q8_row(const LinearJob *job, int64_t j) {
    const char *row = (const char *)job->x + (size_t)j * job->x_row_bytes;
    return (Q8Row){(const int8_t *)row, row + job->k, row + job->k + job->k / 32 * 4};
}

static float float_at(const char *floats, int64_t i) {
    float f;
    memcpy(&f, floats + i * 4, sizeof f);
    return f;
}

// 32 weights times 32 activations, where the weights have one scale.
static float dot_whole(const Unpacked *u, int g, const Q8Row *x, int64_t i_group) {
    const int8_t *w = u->q + g * 32, *q = x->q + i_group * 32;
    int dot = 0;
    for (int i = 0; i < 32; i++) dot += w[i] * q[i];
    return (float)dot * (u->scale[g] * float_at(x->scales, i_group)) -
           u->minimum[g] * float_at(x->sums, i_group);
}

// The same where each half of the 32 weights has its scale.
static float dot_halved(const Unpacked *u, int g, const Q8Row *x, int64_t i_group) {
    float sum = 0;
    for (int half = 0; half < 2; half++) {
        const int8_t *w = u->q + g * 32 + half * 16, *q = x->q + i_group * 32 + half * 16;
        int dot = 0, q_sum = 0;
        for (int i = 0; i < 16; i++) {
            dot += w[i] * q[i];
            q_sum += q[i];
        }
        sum += (float)dot * u->scale[2 * g + half] - (float)q_sum * u->minimum[2 * g + half];
    }
    return sum * float_at(x->scales, i_group);
}

// Up to 8 activation rows share the unpacking of a block; each has its own chain of sums.
enum { ROWS_AT_ONCE = 8 };

static void linear_q8_row(const LinearJob *job, DType dtype, int64_t i_out, int64_t j_from) {
    UnpackBlock *unpack = unpack_function(dtype);
    int block = dtype_block_values(dtype), groups = block / 32, group = unpack_group(dtype);
    const char *w = (const char *)job->w + (size_t)i_out * job->w_row_bytes;
    int n = (int)(job->n_x - j_from < ROWS_AT_ONCE ? job->n_x - j_from : ROWS_AT_ONCE);
    Q8Row x[ROWS_AT_ONCE];
    float sum[ROWS_AT_ONCE] = {0};
    for (int j = 0; j < n; j++) x[j] = q8_row(job, j_from + j);
    for (int64_t i = 0; i < job->k / block; i++) {
        Unpacked u;
        unpack(w + i * dtype_block_bytes(dtype), &u);
        for (int j = 0; j < n; j++) {
            for (int g = 0; g < groups; g++) {
                int64_t i_group = i * groups + g;
                sum[j] += group == 32 ? dot_whole(&u, g, &x[j], i_group)
                                      : dot_halved(&u, g, &x[j], i_group);
            }
        }
    }
    for (int j = 0; j < n; j++) job->y[(j_from + j) * job->y_stride + i_out] = sum[j];
}

static void linear_q8(const LinearJob *job, DType dtype) {
    for (int64_t i = 0; i < job->n_out; i++) {
        for (int64_t j = 0; j < job->n_x; j += ROWS_AT_ONCE) linear_q8_row(job, dtype, i, j);
    }
}

#define QUANTIZED_TYPES(X) \
    X(Q4_0)                \
    X(Q4_1)                \
    X(Q5_0) X(Q5_1) X(Q8_0) X(IQ4_NL) X(MXFP4) X(Q2_K) X(Q3_K) X(Q4_K) X(Q5_K) X(Q6_K) X(IQ4_XS)

#define X(name)                                          \
    static void linear_q8_##name(const LinearJob *job) { \
        linear_q8(job, DTYPE_##name);                    \
    }
QUANTIZED_TYPES(X)
#undef X

void scalar_linear_entries(Kernels *table) {
#define X(name) table->linear_q8[DTYPE_##name] = linear_q8_##name;
    QUANTIZED_TYPES(X)
#undef X
}
