// scalar_panel.c - quantised weights in panels, in plain C: products with int8 rows, and panels of
// f32.  Each block is taken apart for all its rows (panel_block); an output is one chain over the
// groups of its row, as body_panel.inl defines it.
#include <string.h>

#include "kernels/scalar.h"
#include "quant/unpack.h"

// An int8 row, taken apart.
typedef struct Q8Row {
    const int8_t *q;
    const char *scales, *sums; // k / 32 floats, k / 16 int16
    const Q8Kept *kept;
} Q8Row;

static Q8Row q8_row(const PanelJob *job, int64_t j) {
    const char *row = (const char *)job->x + (size_t)j * job->x_row_bytes;
    const char *scales = row + job->k, *sums = scales + job->k / 32 * 4;
    return (Q8Row){(const int8_t *)row, scales, sums, (const void *)(sums + job->k / 16 * 2)};
}

// The sum of `n` (16 or 32) activations from column i on, and their scale.
static int q8_sum(const Q8Row *x, int64_t i, int n) {
    int16_t sum[2] = {0, 0};
    memcpy(sum, x->sums + i / 16 * 2, (size_t)n / 8);
    return sum[0] + sum[1];
}

static float q8_scale(const Q8Row *x, int64_t i) {
    float scale;
    memcpy(&scale, x->scales + i / 32 * 4, sizeof scale);
    return scale;
}

// y += a group of `n` columns: of the block from column c, of the activations from column i.
static void add_group(const PanelBlock *b, int c, int n, const Q8Row *x, int64_t i,
                      float y[PANEL_ROWS]) {
    int dot[PANEL_ROWS] = {0};
    for (int l = 0; l < n; l += 4)
        for (int r = 0; r < PANEL_ROWS; r++) {
            const int8_t *w = b->q[(c + l) / 4][r], *q = x->q + i + l;
            dot[r] += w[0] * q[0] + w[1] * q[1] + w[2] * q[2] + w[3] * q[3];
        }
    float x_scale = q8_scale(x, i), sum = x_scale * (float)q8_sum(x, i, n);
    const float *scale = b->scale[c / n], *minimum = b->minimum[c / n];
    for (int r = 0; r < PANEL_ROWS; r++) {
        y[r] -= minimum[r] * sum;
        y[r] += (float)dot[r] * (scale[r] * x_scale);
    }
}

// y += what was kept of the activations of a block of `n` columns, the first of which is k.
static void add_kept(const PanelBlock *b, int n, int group, const Q8Kept *kept, int64_t k,
                     float y[PANEL_ROWS]) {
    for (int i = 0; i < Q8_KEPT; i++) {
        int64_t c = kept->column[i] - k;
        if (c < 0 || c >= n) continue;
        const float *scale = b->scale[c / group], *minimum = b->minimum[c / group];
        for (int r = 0; r < PANEL_ROWS; r++)
            y[r] += kept->value[i] * (scale[r] * (float)b->q[c / 4][r][c % 4] - minimum[r]);
    }
}

// Up to 8 activation rows share the taking apart of a block; each has its own chain of sums.
enum { ROWS_AT_ONCE = 8 };

static void panel_rows(const PanelJob *job, DType dtype, const char *block, int64_t i, int64_t j) {
    int values = dtype_block_values(dtype), group = unpack_group(dtype);
    int n = (int)(job->n_x - j < ROWS_AT_ONCE ? job->n_x - j : ROWS_AT_ONCE);
    size_t bytes =
        sizeof(float) * (size_t)(job->n_out - i < PANEL_ROWS ? job->n_out - i : PANEL_ROWS);
    float y[ROWS_AT_ONCE][PANEL_ROWS] = {{0}};
    Q8Row x[ROWS_AT_ONCE];
    for (int r = 0; r < n; r++) {
        x[r] = q8_row(job, j + r);
        if (job->adds) memcpy(y[r], job->y + (j + r) * job->y_stride + i, bytes);
    }
    for (int64_t k = 0; k < job->k; k += values, block += PANEL_ROWS * dtype_block_bytes(dtype)) {
        PanelBlock b;
        panel_block(dtype, block, &b);
        for (int r = 0; r < n; r++) {
            for (int c = 0; c < values; c += group) add_group(&b, c, group, &x[r], k + c, y[r]);
            add_kept(&b, values, group, x[r].kept, k, y[r]);
        }
    }
    for (int r = 0; r < n; r++) memcpy(job->y + (j + r) * job->y_stride + i, y[r], bytes);
}

static void panel_q8(const PanelJob *job, DType dtype) {
    const char *panel = job->panel;
    for (int64_t i = 0; i < job->n_out; i += PANEL_ROWS, panel += job->panel_bytes)
        for (int64_t j = 0; j < job->n_x; j += ROWS_AT_ONCE) panel_rows(job, dtype, panel, i, j);
}

static void panel_decode(DType dtype, const char *block, float *values, int64_t k) {
    int n = dtype_block_values(dtype), group = unpack_group(dtype);
    for (int64_t i = 0; i < k; i += n, block += PANEL_ROWS * dtype_block_bytes(dtype)) {
        PanelBlock b;
        panel_block(dtype, block, &b);
        for (int c = 0; c < n; c++)
            for (int r = 0; r < PANEL_ROWS; r++)
                *values++ =
                    b.scale[c / group][r] * (float)b.q[c / 4][r][c % 4] - b.minimum[c / group][r];
    }
}

#define QUANTIZED_TYPES(X) \
    X(Q4_0)                \
    X(Q4_1)                \
    X(Q5_0) X(Q5_1) X(Q8_0) X(IQ4_NL) X(MXFP4) X(Q2_K) X(Q3_K) X(Q4_K) X(Q5_K) X(Q6_K) X(IQ4_XS)

#define X(name)                                                                    \
    static void panel_q8_##name(const PanelJob *job) {                             \
        panel_q8(job, DTYPE_##name);                                               \
    }                                                                              \
    static void panel_decode_##name(const void *panel, float *values, int64_t k) { \
        panel_decode(DTYPE_##name, panel, values, k);                              \
    }
QUANTIZED_TYPES(X)
#undef X

void scalar_panel_entries(Kernels *table) {
#define X(name)                                      \
    table->panel_q8[DTYPE_##name] = panel_q8_##name; \
    table->panel_decode[DTYPE_##name] = panel_decode_##name;
    QUANTIZED_TYPES(X)
#undef X
}
