// scalar_panel_floats.c - products with weights in panels of floats, and their packing, in plain C.
#include <math.h>
#include <string.h>

#include "kernels/scalar.h"
#include "quant/half.h"

// Where column j of row i of a panel lies, in items.
static inline int64_t panel_at(DType dtype, int64_t i, int64_t j) {
    return dtype == DTYPE_BF16 ? (j / 2 * PANEL_ROWS + i) * 2 + j % 2 : j * PANEL_ROWS + i;
}

static inline float panel_value(DType dtype, const void *panel, int64_t i, int64_t j) {
    int64_t at = panel_at(dtype, i, j);
    if (dtype == DTYPE_F32) return ((const float *)panel)[at];
    uint16_t h = ((const uint16_t *)panel)[at];
    return dtype == DTYPE_F16 ? f16_to_f32(h) : bf16_to_f32(h);
}

// ---------------------------------------------------------------- products
static void panel_products(DType dtype, const PanelJob *job) {
    for (int64_t i = 0; i < job->n_out; i++) {
        const void *panel = (const char *)job->panel + job->panel_bytes * (size_t)(i / PANEL_ROWS);
        for (int64_t j = 0; j < job->n_x; j++) {
            const float *x = (const void *)((const char *)job->x + (size_t)j * job->x_row_bytes);
            float *y = &job->y[j * job->y_stride + i], sum = job->adds ? *y : 0;
            for (int64_t l = 0; l < job->k; l++)
                sum = fmaf(x[l], panel_value(dtype, panel, i % PANEL_ROWS, l), sum);
            *y = sum;
        }
    }
}

static void panel_f32(const PanelJob *job) {
    panel_products(DTYPE_F32, job);
}
static void panel_f16(const PanelJob *job) {
    panel_products(DTYPE_F16, job);
}
static void panel_bf16(const PanelJob *job) {
    panel_products(DTYPE_BF16, job);
}

// ---------------------------------------------------------------- packing
void scalar_pack_f32(const PackJob *job) {
    const float *from = job->from;
    float *panel = job->panel;
    memset(panel, 0, panel_bytes(DTYPE_F32, job->k));
    for (int64_t i = 0; i < job->n; i++)
        for (int64_t j = 0; j < job->k; j++)
            panel[panel_at(DTYPE_F32, i, j)] = from[i * job->row + j * job->column];
}

static void pack_halves(DType dtype, const PackJob *job) {
    const uint16_t *from = job->from;
    uint16_t *panel = job->panel;
    memset(panel, 0, panel_bytes(dtype, job->k));
    for (int64_t i = 0; i < job->n; i++)
        for (int64_t j = 0; j < job->k; j++)
            panel[panel_at(dtype, i, j)] = from[i * job->row + j * job->column];
}

void scalar_pack_f16(const PackJob *job) {
    pack_halves(DTYPE_F16, job);
}
void scalar_pack_bf16(const PackJob *job) {
    pack_halves(DTYPE_BF16, job);
}

static void pack_to_bf16(const PackJob *job) {
    const float *from = job->from;
    uint16_t *panel = job->panel;
    memset(panel, 0, panel_bytes(DTYPE_BF16, job->k));
    for (int64_t i = 0; i < job->n; i++)
        for (int64_t j = 0; j < job->k; j++)
            panel[panel_at(DTYPE_BF16, i, j)] = f32_to_bf16(from[i * job->row + j * job->column]);
}

static void unpack_f32(const void *panel, int64_t i, float *values, int64_t k) {
    for (int64_t j = 0; j < k; j++) values[j] = panel_value(DTYPE_F32, panel, i, j);
}
static void unpack_f16(const void *panel, int64_t i, float *values, int64_t k) {
    for (int64_t j = 0; j < k; j++) values[j] = panel_value(DTYPE_F16, panel, i, j);
}
static void unpack_bf16(const void *panel, int64_t i, float *values, int64_t k) {
    for (int64_t j = 0; j < k; j++) values[j] = panel_value(DTYPE_BF16, panel, i, j);
}

static void transpose(const float *from, int64_t from_row, float *to, int64_t to_row, int64_t rows,
                      int64_t columns) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) to[j * to_row + i] = from[i * from_row + j];
}

void scalar_panel_float_entries(Kernels *table) {
    table->panel[DTYPE_F32] = panel_f32;
    table->panel[DTYPE_F16] = panel_f16;
    table->panel[DTYPE_BF16] = panel_bf16;
    table->pack[DTYPE_F32] = scalar_pack_f32;
    table->pack[DTYPE_F16] = scalar_pack_f16;
    table->pack[DTYPE_BF16] = scalar_pack_bf16;
    table->pack_to_bf16 = pack_to_bf16;
    table->unpack[DTYPE_F32] = unpack_f32;
    table->unpack[DTYPE_F16] = unpack_f16;
    table->unpack[DTYPE_BF16] = unpack_bf16;
    table->transpose = transpose;
}
