// test_products.c - every table's products with quantised weights against plain loops in double
// precision, and rule 1 of kernels.h: an output has the same bits however the call was cut.
#include "tests/kernel_check.h"

// ---------------------------------------------------------------- the call under test

// One product of random rows.  Rows are padded to odd strides, so nothing relies on their distance.
typedef struct Product {
    LinearKernel *kernel;
    DType dtype;
    LinearJob job;
} Product;

static float *single_output(const Product *p, int64_t i, int64_t j, float *y) {
    LinearJob one = p->job;
    one.w = (const char *)p->job.w + (size_t)i * p->job.w_row_bytes;
    one.x = (const char *)p->job.x + (size_t)j * p->job.x_row_bytes;
    one.n_out = one.n_x = 1;
    one.y = y;
    one.y_stride = 1;
    p->kernel(&one);
    return y;
}

// Every output of the call equals the output of a call for it alone; nothing else was written.
static bool outputs_alone(const Kernels *k, const Product *p) {
    const LinearJob *job = &p->job;
    bool intact = output_intact(job->y, job->n_x, job->n_out, job->y_stride);
    if (!KERNEL_CHECK(intact, k, "linear %s k %d, %d x %d: canary", dtype_name(p->dtype),
                      (int)job->k, (int)job->n_out, (int)job->n_x)) {
        return false;
    }
    for (int64_t j = 0; j < job->n_x; j++) {
        for (int64_t i = 0; i < job->n_out; i++) {
            float alone, *y = &job->y[j * job->y_stride + i];
            single_output(p, i, j, &alone);
            if (!KERNEL_CHECK(same_bits(&alone, y, 1), k,
                              "linear %s k %d: output (%d, %d) of %d x %d is %.9g, alone %.9g",
                              dtype_name(p->dtype), (int)job->k, (int)i, (int)j, (int)job->n_out,
                              (int)job->n_x, (double)*y, (double)alone)) {
                return false;
            }
        }
    }
    return true;
}

static bool output_close(const Kernels *k, const Product *p, int64_t i, int64_t j, double want,
                         double tolerance) {
    float y = p->job.y[j * p->job.y_stride + i];
    return KERNEL_CHECK(within(y, want, tolerance), k,
                        "linear %s k %d: output (%d, %d) of %d x %d is %.9g, want %.9g (%.2g)",
                        dtype_name(p->dtype), (int)p->job.k, (int)i, (int)j, (int)p->job.n_out,
                        (int)p->job.n_x, (double)y, want, tolerance);
}

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
        }
    }
    return sum;
}

static bool linear_q8_of(const Kernels *k, const LinearJob *shape, DType dtype, Fill fill) {
    Product p = {k->linear_q8[dtype], dtype, *shape};
    int64_t blocks = shape->k / dtype_block_values(dtype);
    p.job.w_row_bytes = dtype_row_bytes(dtype, shape->k);
    p.job.w = random_blocks(dtype, blocks * shape->n_out, fill);
    p.job.x_row_bytes = q8_row_bytes(shape->k) + 12;
    p.job.x = random_q8_rows(shape->n_x, shape->k, p.job.x_row_bytes, fill != FILL_RANDOM);
    p.job.y_stride = shape->n_out + 3;
    p.job.y = output_floats(shape->n_x * p.job.y_stride);
    p.kernel(&p.job);
    bool ok = outputs_alone(k, &p);
    for (int64_t j = 0; ok && j < shape->n_x; j++) {
        for (int64_t i = 0; ok && i < shape->n_out; i++) {
            double magnitude;
            double want = q8_product(dtype, (const char *)p.job.w + (size_t)i * p.job.w_row_bytes,
                                     (const char *)p.job.x + (size_t)j * p.job.x_row_bytes,
                                     shape->k, &magnitude);
            ok = output_close(k, &p, i, j, want, 2e-6 * magnitude);
        }
    }
    buffers_free();
    return ok;
}

static bool linear_q8_type(const Kernels *k, DType dtype) {
    int64_t block = dtype_block_values(dtype), longest = block == 32 ? 18 : 4;
    for (int64_t n = 1; n <= longest; n++) {
        LinearJob shape = {.k = n * block, .n_out = 1 + n * 3 % 9, .n_x = 1 + n * 5 % 8};
        if (!linear_q8_of(k, &shape, dtype, FILL_RANDOM)) return false;
    }
    for (int64_t i = 0; i < 81; i++) {
        LinearJob shape = {.k = block == 32 ? 96 : 256, .n_out = 1 + i % 9, .n_x = 1 + i / 9};
        if (!linear_q8_of(k, &shape, dtype, FILL_RANDOM)) return false;
    }
    for (int fill = FILL_ZEROS; fill < FILL_KINDS; fill++) {
        LinearJob shape = {.k = 512, .n_out = 3, .n_x = 4};
        if (!linear_q8_of(k, &shape, dtype, (Fill)fill)) return false;
    }
    LinearJob wide = {.k = 256, .n_out = 67, .n_x = 17}, deep = {.k = 2048, .n_out = 5, .n_x = 2};
    return linear_q8_of(k, &wide, dtype, FILL_RANDOM) && linear_q8_of(k, &deep, dtype, FILL_RANDOM);
}

static bool linear_q8_right(const Kernels *k) {
    bool all = true;
    for (int d = 0; d < DTYPE_LIMIT; d++) {
        if (dtype_known(d) && dtype_is_quantized((DType)d)) {
            bool ok = linear_q8_type(k, (DType)d);
            all = all && ok;
        }
    }
    return all;
}
TEST(kernels, linear_q8) {
    check_tables(linear_q8_right);
}
