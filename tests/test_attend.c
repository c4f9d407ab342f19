// test_attend.c - every table's scores and values over cache tiles against plain loops in double
// precision, and the promise that neither the number of queries nor of tiles changes a bit.
#include "tests/kernel_check.h"

// ---------------------------------------------------------------- tiles

static int64_t tile_bytes(DType dtype, int64_t d) {
    return KV_TILE * (dtype == DTYPE_F32 ? 4 * d : dtype == DTYPE_F16 ? 2 * d : d + d / 32 * 2);
}

static void put_tile_float(DType dtype, char *tile, int64_t i, float value) {
    uint16_t h = f32_to_f16(value);
    if (dtype == DTYPE_F32) memcpy(tile + 4 * i, &value, 4);
    if (dtype == DTYPE_F16) memcpy(tile + 2 * i, &h, 2);
}

static float tile_float(DType dtype, const char *tile, int64_t i) {
    float value;
    uint16_t h;
    memcpy(&h, tile + 2 * i, 2);
    if (dtype == DTYPE_F16) return f16_to_f32(h);
    memcpy(&value, tile + 4 * i, 4);
    return value;
}

// Random tiles: any integers (also -128), scales of ordinary size.
static char *random_tiles(DType dtype, int64_t d, int64_t n_tiles) {
    int64_t bytes = tile_bytes(dtype, d);
    char *tiles = input_bytes((size_t)(bytes * n_tiles), dtype == DTYPE_F32 ? 4 : 2);
    for (int64_t t = 0; t < n_tiles; t++) {
        char *tile = tiles + t * bytes;
        for (int64_t i = 0; dtype != DTYPE_Q8_0 && i < KV_TILE * d; i++) {
            put_tile_float(dtype, tile, i, random_float());
        }
        for (int64_t i = 0; dtype == DTYPE_Q8_0 && i < d / 32 * KV_TILE; i++) {
            uint16_t h = f32_to_f16(random_float() * 0.01f);
            memcpy(tile + KV_TILE * d + 2 * i, &h, 2);
        }
    }
    return tiles;
}

static double q8_tile_value(const char *tile, int64_t d, int64_t at, int64_t i_scale) {
    uint16_t h;
    memcpy(&h, tile + KV_TILE * d + 2 * i_scale, 2);
    return (double)f16_to_f32(h) * (signed char)tile[at];
}

// Dimension i of the key at `position`, and of the value there.
static double key_at(const AttendJob *job, DType dtype, int64_t position, int64_t i) {
    const char *tile = (const char *)job->tiles + position / KV_TILE * tile_bytes(dtype, job->d);
    int64_t j = position % KV_TILE;
    if (dtype != DTYPE_Q8_0) return (double)tile_float(dtype, tile, i * KV_TILE + j);
    return q8_tile_value(tile, job->d, (i / 4 * KV_TILE + j) * 4 + i % 4, i / 32 * KV_TILE + j);
}

static double value_at(const AttendJob *job, DType dtype, int64_t position, int64_t i) {
    const char *tile = (const char *)job->tiles + position / KV_TILE * tile_bytes(dtype, job->d);
    int64_t j = position % KV_TILE, d = job->d;
    if (dtype != DTYPE_Q8_0) return (double)tile_float(dtype, tile, j * d + i);
    return q8_tile_value(tile, d, j * d + i, j * (d / 32) + i / 32);
}

// ---------------------------------------------------------------- scores

// The query as the kernel sees it: for Q8_0, through int8.
static void seen_query(const AttendJob *job, DType dtype, int64_t m, double *seen) {
    const float *q = job->q + m * job->q_stride;
    for (int64_t i = 0; i < job->d; i++) seen[i] = (double)q[i];
    for (int64_t g = 0; dtype == DTYPE_Q8_0 && g < job->d / 32; g++) {
        float max = 0;
        for (int i = 0; i < 32; i++) max = fmaxf(max, fabsf(q[g * 32 + i]));
        float factor = max > 0 ? 127 / max : 0, step = max / 127;
        for (int i = 0; i < 32; i++)
            seen[g * 32 + i] = (double)step * (double)nearbyintf(q[g * 32 + i] * factor);
    }
}

static bool scores_close(const Kernels *k, const AttendJob *job, DType dtype) {
    static double q[512];
    for (int64_t m = 0; m < job->m; m++) {
        seen_query(job, dtype, m, q);
        for (int64_t j = 0; j < job->n_tiles * KV_TILE; j++) {
            double sum = 0, magnitude = 0;
            for (int64_t i = 0; i < job->d; i++) {
                double product = q[i] * key_at(job, dtype, j, i);
                sum += product;
                magnitude += fabs(product);
            }
            float p = job->p[m * job->p_stride + j];
            if (!KERNEL_CHECK(within(p, sum, 2e-6 * magnitude), k,
                              "scores %s d %d m %d tiles %d at (%d, %d): %.9g, want %.9g",
                              dtype_name(dtype), (int)job->d, (int)job->m, (int)job->n_tiles,
                              (int)m, (int)j, (double)p, sum)) {
                return false;
            }
        }
    }
    return true;
}

// Query by query and tile by tile, into another place.
static bool scores_cut(const Kernels *k, const AttendJob *whole, DType dtype) {
    for (int64_t m = 0; m < whole->m; m++) {
        for (int64_t t = 0; t < whole->n_tiles; t++) {
            float p[KV_TILE];
            AttendJob job = *whole;
            job.m = job.n_tiles = 1;
            job.q += m * job.q_stride;
            job.tiles = (const char *)job.tiles + t * tile_bytes(dtype, job.d);
            job.p = p;
            k->scores[dtype](&job);
            if (!KERNEL_CHECK(same_bits(p, whole->p + m * whole->p_stride + t * KV_TILE, KV_TILE),
                              k, "scores %s d %d m %d tiles %d: (%d, tile %d) differs alone",
                              dtype_name(dtype), (int)job.d, (int)whole->m, (int)whole->n_tiles,
                              (int)m, (int)t)) {
                return false;
            }
        }
    }
    return true;
}

static bool scores_of(const Kernels *k, DType dtype, int64_t d, int64_t m, int64_t n_tiles) {
    AttendJob job = {.m = m, .d = d, .q_stride = d + 3, .n_tiles = n_tiles};
    int64_t width = n_tiles * KV_TILE;
    job.q = input_floats((m - 1) * job.q_stride + d);
    job.tiles = random_tiles(dtype, d, n_tiles);
    job.p_stride = width + 5;
    job.p = output_floats(m * job.p_stride);
    k->scores[dtype](&job);
    bool ok = KERNEL_CHECK(output_intact(job.p, m, width, job.p_stride), k,
                           "scores %s d %d m %d: canary", dtype_name(dtype), (int)d, (int)m) &&
              scores_close(k, &job, dtype) && scores_cut(k, &job, dtype);
    buffers_free();
    return ok;
}

// ---------------------------------------------------------------- values

static bool values_close(const Kernels *k, const AttendJob *job, DType dtype, const float *before) {
    for (int64_t m = 0; m < job->m; m++) {
        for (int64_t i = 0; i < job->d; i++) {
            double sum = (double)before[m * job->out_stride + i], magnitude = fabs(sum);
            for (int64_t j = 0; j < job->n_tiles * KV_TILE; j++) {
                double product = (double)job->p[m * job->p_stride + j] * value_at(job, dtype, j, i);
                sum += product;
                magnitude += fabs(product);
            }
            float out = job->out[m * job->out_stride + i];
            if (!KERNEL_CHECK(within(out, sum, 2e-6 * magnitude), k,
                              "values %s d %d m %d tiles %d at (%d, %d): %.9g, want %.9g",
                              dtype_name(dtype), (int)job->d, (int)job->m, (int)job->n_tiles,
                              (int)m, (int)i, (double)out, sum)) {
                return false;
            }
        }
    }
    return true;
}

// Query by query, the tiles one after the other: the chain over the positions goes on.
static bool values_cut(const Kernels *k, const AttendJob *whole, DType dtype, const float *before) {
    for (int64_t m = 0; m < whole->m; m++) {
        float out[512];
        memcpy(out, before + m * whole->out_stride, (size_t)whole->d * sizeof *out);
        for (int64_t t = 0; t < whole->n_tiles; t++) {
            AttendJob job = *whole;
            job.m = job.n_tiles = 1;
            job.tiles = (const char *)job.tiles + t * tile_bytes(dtype, job.d);
            job.p += m * job.p_stride + t * KV_TILE;
            job.out = out;
            k->values[dtype](&job);
        }
        if (!KERNEL_CHECK(same_bits(out, whole->out + m * whole->out_stride, whole->d), k,
                          "values %s d %d m %d tiles %d: row %d differs tile by tile",
                          dtype_name(dtype), (int)whole->d, (int)whole->m, (int)whole->n_tiles,
                          (int)m)) {
            return false;
        }
    }
    return true;
}

static bool values_of(const Kernels *k, DType dtype, int64_t d, int64_t m, int64_t n_tiles) {
    AttendJob job = {.m = m, .d = d, .n_tiles = n_tiles, .out_stride = d + 3};
    int64_t width = n_tiles * KV_TILE;
    job.p_stride = width + 5;
    job.p = input_floats((m - 1) * job.p_stride + width);
    job.tiles = random_tiles(dtype, d, n_tiles);
    int64_t floats = (m - 1) * job.out_stride + d;
    float *before = output_floats(floats);
    job.out = output_floats(floats);
    for (int64_t i = 0; i < m * d; i++) before[i / d * job.out_stride + i % d] = random_float();
    memcpy(job.out, before, (size_t)floats * sizeof *before);
    k->values[dtype](&job);
    bool ok = KERNEL_CHECK(output_intact(job.out, m, d, job.out_stride), k,
                           "values %s d %d m %d: canary", dtype_name(dtype), (int)d, (int)m) &&
              values_close(k, &job, dtype, before) && values_cut(k, &job, dtype, before);
    buffers_free();
    return ok;
}

// ---------------------------------------------------------------- shapes

typedef bool AttendCheck(const Kernels *k, DType dtype, int64_t d, int64_t m, int64_t n_tiles);

static bool attend_shapes(const Kernels *k, AttendCheck *check, DType dtype) {
    int64_t step = dtype == DTYPE_Q8_0 ? 32 : 4;
    for (int64_t d = step; d <= 192; d += step) {
        if (!check(k, dtype, d, 1 + d / step % 4, 1 + d / step % 3)) return false;
    }
    for (int64_t m = 1; m <= 17; m++) {
        if (!check(k, dtype, 64, m, 3)) return false;
    }
    for (int64_t n_tiles = 0; n_tiles <= 9; n_tiles++) {
        if (!check(k, dtype, 32, 2, n_tiles)) return false;
    }
    return check(k, dtype, 512, 2, 2);
}

static bool attend_types(const Kernels *k, AttendCheck *check) {
    bool f32 = attend_shapes(k, check, DTYPE_F32), f16 = attend_shapes(k, check, DTYPE_F16);
    bool q8 = attend_shapes(k, check, DTYPE_Q8_0);
    return f32 && f16 && q8;
}

static bool scores_right(const Kernels *k) {
    return attend_types(k, scores_of);
}
static bool values_right(const Kernels *k) {
    return attend_types(k, values_of);
}
TEST(kernels, scores) {
    check_tables(scores_right);
}
TEST(kernels, values) {
    check_tables(values_right);
}
