// test_products.c - every table's products with quantised weights against plain loops in double
// precision, and rule 1 of kernels.h: an output has the same bits however the call was cut.
#include "tests/kernel_check.h"

// ---------------------------------------------------------------- quantised weights

// Where the 16-bit scales of a type lie in its block.
static int scale_offsets(DType dtype, int offset[2]) {
    switch (dtype) {
    case DTYPE_Q4_1:
    case DTYPE_Q5_1:
    case DTYPE_Q4_K:
    case DTYPE_Q5_K: offset[0] = 0, offset[1] = 2; return 2;
    case DTYPE_Q2_K: offset[0] = 80, offset[1] = 82; return 2;
    case DTYPE_Q3_K: offset[0] = 108; return 1;
    case DTYPE_Q6_K: offset[0] = 208; return 1;
    case DTYPE_MXFP4: return 0;
    default: offset[0] = 0; return 1;
    }
}

// What the integers of a block are made of.
typedef enum Fill { FILL_RANDOM, FILL_ZEROS, FILL_ONES, FILL_80, FILL_KINDS } Fill;

// Blocks of any bytes, but with scales of ordinary size: random halves would mostly be extreme.
static void *random_blocks(DType dtype, int64_t n_blocks, Fill fill) {
    int bytes = dtype_block_bytes(dtype), offset[2];
    int n_scales = scale_offsets(dtype, offset);
    char *row = input_bytes((size_t)n_blocks * (size_t)bytes, dtype == DTYPE_MXFP4 ? 1 : 2);
    static const char constant[FILL_KINDS] = {0, 0, (char)0xff, (char)0x80};
    for (int64_t b = 0; b < n_blocks; b++) {
        char *block = row + b * bytes;
        if (fill != FILL_RANDOM) memset(block, constant[fill], (size_t)bytes);
        for (int s = 0; s < n_scales; s++) {
            uint16_t h = f32_to_f16(random_float() * 0.1f);
            memcpy(block + offset[s], &h, 2);
        }
        if (dtype == DTYPE_MXFP4) block[0] = (char)(120 + random_below(8));
    }
    return row;
}

// int8 rows of random numbers, or (`loud`) of one sign, so that every q is 127 or -127.
static void *random_q8_rows(int64_t n_rows, int64_t k, size_t row_bytes, bool loud) {
    char *rows = input_bytes((size_t)(n_rows - 1) * row_bytes + q8_row_bytes(k), 4);
    const Kernels *scalar = kernels_named("scalar");
    for (int64_t j = 0; j < n_rows; j++) {
        float *x = input_floats(k);
        for (int64_t i = 0; loud && i < k; i++) x[i] = j % 2 ? -0.7f : 0.7f;
        scalar->encode_q8(x, rows + (size_t)j * row_bytes, k);
        free(check_buffer[--check_buffers]);
    }
    return rows;
}

// What an int8 row of k values keeps of column `at`.
static double q8_kept_value(const char *x, int64_t k, int64_t at) {
    Q8Kept kept;
    double value = 0;
    memcpy(&kept, x + k + k / 32 * 8, sizeof kept);
    for (int i = 0; i < Q8_KEPT; i++)
        if (kept.column[i] == at) value += (double)kept.value[i];
    return value;
}

// The product of two rows in double precision, from their definitions.  The magnitude counts the
// integer part and the minimum apart: they are added apart.
static double q8_product(DType dtype, const char *w, const char *x, int64_t k, double *magnitude) {
    int block = dtype_block_values(dtype), group = unpack_group(dtype);
    double sum = 0;
    *magnitude = 0;
    for (int64_t b = 0; b < k / block; b++) {
        Unpacked u;
        unpack_function(dtype)(w + b * dtype_block_bytes(dtype), &u);
        for (int i = 0; i < block; i++) {
            int64_t at = b * block + i;
            float x_scale;
            memcpy(&x_scale, x + k + at / 32 * 4, 4);
            double value = (double)x_scale * (signed char)x[at];
            double part = (double)u.scale[i / group] * u.q[i], least = (double)u.minimum[i / group];
            sum += (part - least) * value;
            *magnitude += (fabs(part) + fabs(least)) * fabs(value);
            value = q8_kept_value(x, k, at);
            sum += (part - least) * value;
            *magnitude += (fabs(part) + fabs(least)) * fabs(value);
        }
    }
    return sum;
}

// A product of quantised rows, in panels, with int8 rows.
typedef struct PanelProduct {
    DType dtype;
    const char *rows; // the weight as in a file
    size_t row_bytes;
    PanelJob job;
} PanelProduct;

static PanelProduct panel_product(DType dtype, Fill fill, int64_t n_k, int64_t n_out, int64_t n_x) {
    PanelProduct p = {.dtype = dtype, .row_bytes = dtype_row_bytes(dtype, n_k)};
    p.rows = random_blocks(dtype, n_k / dtype_block_values(dtype) * n_out, fill);
    p.job = (PanelJob){.panel_bytes = panel_bytes(dtype, n_k),
                       .n_out = n_out,
                       .x_row_bytes = q8_row_bytes(n_k) + 12,
                       .n_x = n_x,
                       .y = output_floats(n_x * (n_out + 3)),
                       .y_stride = n_out + 3,
                       .k = n_k};
    char *panels = input_bytes(p.job.panel_bytes * (size_t)panel_count(n_out), 2);
    for (int64_t i = 0; i < n_out; i += PANEL_ROWS)
        panel_pack(dtype, p.rows + p.row_bytes * (size_t)i,
                   n_out - i < PANEL_ROWS ? n_out - i : PANEL_ROWS, n_k,
                   panels + p.job.panel_bytes * (size_t)(i / PANEL_ROWS));
    p.job.panel = panels;
    p.job.x = random_q8_rows(n_x, n_k, p.job.x_row_bytes, fill != FILL_RANDOM);
    return p;
}

// Each panel with each row alone gives the same bits; so does adding to zeros.
static bool panels_alone(const Kernels *k, const PanelProduct *p) {
    const PanelJob *job = &p->job;
    if (!KERNEL_CHECK(output_intact(job->y, job->n_x, job->n_out, job->y_stride), k,
                      "panel %s k %d, %d x %d: canary", dtype_name(p->dtype), (int)job->k,
                      (int)job->n_out, (int)job->n_x))
        return false;
    for (int64_t j = 0; j < job->n_x; j++)
        for (int64_t i = 0; i < job->n_out; i += PANEL_ROWS) {
            int64_t n = job->n_out - i < PANEL_ROWS ? job->n_out - i : PANEL_ROWS;
            float alone[PANEL_ROWS] = {0};
            PanelJob one = *job;
            one.panel = (const char *)job->panel + job->panel_bytes * (size_t)(i / PANEL_ROWS);
            one.x = (const char *)job->x + job->x_row_bytes * (size_t)j;
            one.n_out = n;
            one.n_x = 1;
            one.y = alone;
            one.adds = (i + j) % 2;
            k->panel_q8[p->dtype](&one);
            if (!KERNEL_CHECK(same_bits(alone, job->y + j * job->y_stride + i, n), k,
                              "panel %s k %d, %d x %d: row %d, panel %d is another alone",
                              dtype_name(p->dtype), (int)job->k, (int)job->n_out, (int)job->n_x,
                              (int)j, (int)(i / PANEL_ROWS)))
                return false;
        }
    return true;
}

// Each output is what it was before (`before`, or zeros) plus the product of its rows.
static bool panels_close(const Kernels *k, const PanelProduct *p, const float *before) {
    const PanelJob *job = &p->job;
    for (int64_t j = 0; j < job->n_x; j++)
        for (int64_t i = 0; i < job->n_out; i++) {
            double magnitude;
            const char *x = (const char *)job->x + job->x_row_bytes * (size_t)j;
            double want =
                q8_product(p->dtype, p->rows + p->row_bytes * (size_t)i, x, job->k, &magnitude);
            float y = job->y[j * job->y_stride + i];
            if (before) want += (double)before[j * job->y_stride + i], magnitude += 1;
            if (!KERNEL_CHECK(within(y, want, 2e-6 * magnitude), k,
                              "panel %s k %d: output (%d, %d) of %d x %d is %.9g, want %.9g",
                              dtype_name(p->dtype), (int)job->k, (int)i, (int)j, (int)job->n_out,
                              (int)job->n_x, (double)y, want))
                return false;
        }
    return true;
}

static bool panel_decode_close(const Kernels *k, const PanelProduct *p) {
    const PanelJob *job = &p->job;
    float *f32 = output_floats(PANEL_ROWS * job->k), *row = input_floats(job->k);
    k->panel_decode[p->dtype](job->panel, f32, job->k);
    bool ok = KERNEL_CHECK(output_intact(f32, 1, PANEL_ROWS * job->k, PANEL_ROWS * job->k + 1), k,
                           "panel decode %s: canary", dtype_name(p->dtype));
    for (int64_t i = 0; ok && i < job->n_out && i < PANEL_ROWS; i++) {
        quant_decode(p->dtype, p->rows + p->row_bytes * (size_t)i, row, job->k);
        for (int64_t c = 0; ok && c < job->k; c++)
            ok = KERNEL_CHECK(within(f32[c * PANEL_ROWS + i], (double)row[c], 1e-5), k,
                              "panel decode %s: row %d, column %d is %.9g, want %.9g",
                              dtype_name(p->dtype), (int)i, (int)c, (double)f32[c * PANEL_ROWS + i],
                              (double)row[c]);
    }
    return ok;
}

static bool panel_q8_of(const Kernels *k, const PanelJob *shape, DType dtype, Fill fill) {
    PanelProduct p = panel_product(dtype, fill, shape->k, shape->n_out, shape->n_x);
    int64_t n = (p.job.n_x - 1) * p.job.y_stride + p.job.n_out;
    k->panel_q8[dtype](&p.job);
    bool ok = panels_alone(k, &p) && panels_close(k, &p, NULL) && panel_decode_close(k, &p);
    float *before = input_floats(n);
    memcpy(p.job.y, before, (size_t)n * sizeof *before);
    p.job.adds = true;
    k->panel_q8[dtype](&p.job);
    ok = ok && panels_close(k, &p, before);
    buffers_free();
    return ok;
}

static bool panel_q8_type(const Kernels *k, DType dtype) {
    int64_t block = dtype_block_values(dtype), longest = block == 32 ? 18 : 4;
    for (int64_t n = 1; n <= longest; n++) {
        PanelJob shape = {.k = n * block, .n_out = 1 + n * 23 % 70, .n_x = 1 + n * 5 % 8};
        if (!panel_q8_of(k, &shape, dtype, FILL_RANDOM)) return false;
    }
    for (int64_t i = 0; i < 40; i++) {
        PanelJob shape = {.k = block == 32 ? 96 : 256, .n_out = 1 + i * 7 % 41, .n_x = 1 + i / 2};
        if (!panel_q8_of(k, &shape, dtype, FILL_RANDOM)) return false;
    }
    for (int fill = FILL_ZEROS; fill < FILL_KINDS; fill++) {
        PanelJob shape = {.k = 512, .n_out = 3, .n_x = 4};
        if (!panel_q8_of(k, &shape, dtype, (Fill)fill)) return false;
    }
    PanelJob wide = {.k = 256, .n_out = 67, .n_x = 17}, deep = {.k = 2048, .n_out = 5, .n_x = 2};
    return panel_q8_of(k, &wide, dtype, FILL_RANDOM) && panel_q8_of(k, &deep, dtype, FILL_RANDOM);
}

static bool panel_q8_right(const Kernels *k) {
    bool all = true;
    for (int d = 0; d < DTYPE_LIMIT; d++) {
        if (dtype_known(d) && dtype_is_quantized((DType)d)) {
            bool ok = panel_q8_type(k, (DType)d);
            all = all && ok;
        }
    }
    return all;
}
TEST(kernels, panels_q8) {
    check_tables(panel_q8_right);
}
