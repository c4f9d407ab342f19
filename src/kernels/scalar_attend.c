// scalar_attend.c - scores and weighted values over tiles of 16 positions, in plain C.  The layouts
// and the order of the sums are those of kernels.h.
#include <string.h>

#include "kernels/scalar.h"
#include "quant/half.h"

// ---------------------------------------------------------------- F32 and F16 tiles

typedef float LoadFloat(const void *tiles, int64_t i);

static float load_f32(const void *tiles, int64_t i) {
    return ((const float *)tiles)[i];
}
static float load_f16(const void *tiles, int64_t i) {
    return f16_to_f32(((const uint16_t *)tiles)[i]);
}

static inline void scores_floats(const AttendJob *job, LoadFloat *load) {
    for (int64_t m = 0; m < job->m; m++) {
        const float *q = job->q + m * job->q_stride;
        for (int64_t t = 0; t < job->n_tiles; t++) {
            float *p = job->p + m * job->p_stride + t * KV_TILE;
            int64_t tile = t * KV_TILE * job->d;
            for (int j = 0; j < KV_TILE; j++) p[j] = 0;
            for (int64_t d = 0; d < job->d; d++) {
                for (int j = 0; j < KV_TILE; j++) {
                    p[j] += q[d] * load(job->tiles, tile + d * KV_TILE + j);
                }
            }
        }
    }
}

static inline void values_floats(const AttendJob *job, LoadFloat *load) {
    for (int64_t m = 0; m < job->m; m++) {
        float *out = job->out + m * job->out_stride;
        for (int64_t i = 0; i < job->n_tiles * KV_TILE; i++) {
            float p = job->p[m * job->p_stride + i];
            for (int64_t d = 0; d < job->d; d++) out[d] += p * load(job->tiles, i * job->d + d);
        }
    }
}

static void scores_f32(const AttendJob *job) {
    scores_floats(job, load_f32);
}
static void scores_f16(const AttendJob *job) {
    scores_floats(job, load_f16);
}
static void values_f32(const AttendJob *job) {
    values_floats(job, load_f32);
}
static void values_f16(const AttendJob *job) {
    values_floats(job, load_f16);
}

// ---------------------------------------------------------------- Q8_0 tiles

static int64_t q8_tile_bytes(int64_t d) {
    return KV_TILE * d + KV_TILE * (d / 32) * 2;
}

static float scale_at(const int8_t *scales, int64_t i) {
    uint16_t h;
    memcpy(&h, scales + 2 * i, sizeof h);
    return f16_to_f32(h);
}

// 32 values of a query, quantised as an int8 row is: q, scale, sum.
typedef struct QueryGroup {
    int8_t q[32];
    float scale, sum;
} QueryGroup;
_Static_assert(sizeof(QueryGroup) == 40, "the int8 row of 32 values");

// Adds what 32 dimensions give to the scores of a tile.  keys: [8][16][4] of the group.
static void score_group_q8(const QueryGroup *query, const int8_t *keys, const int8_t *scales,
                           float *p) {
    for (int j = 0; j < KV_TILE; j++) {
        int dot = 0;
        for (int i = 0; i < 32; i++) dot += query->q[i] * keys[(i / 4 * KV_TILE + j) * 4 + i % 4];
        p[j] += (float)dot * (query->scale * scale_at(scales, j));
    }
}

static void scores_q8(const AttendJob *job) {
    const int8_t *tiles = job->tiles;
    for (int64_t m = 0; m < job->m; m++) {
        float *p = job->p + m * job->p_stride;
        for (int64_t i = 0; i < job->n_tiles * KV_TILE; i++) p[i] = 0;
        for (int64_t g = 0; g < job->d / 32; g++) {
            QueryGroup query;
            scalar_round_q8(job->q + m * job->q_stride + g * 32, &query, 32);
            for (int64_t t = 0; t < job->n_tiles; t++) {
                const int8_t *keys = tiles + t * q8_tile_bytes(job->d);
                const int8_t *scales = keys + KV_TILE * job->d + g * KV_TILE * 2;
                score_group_q8(&query, keys + g * 32 * KV_TILE, scales, p + t * KV_TILE);
            }
        }
    }
}

static void values_q8(const AttendJob *job) {
    int64_t d = job->d, groups = d / 32;
    for (int64_t m = 0; m < job->m; m++) {
        float *out = job->out + m * job->out_stride;
        for (int64_t i = 0; i < job->n_tiles * KV_TILE; i++) {
            const int8_t *tile = (const int8_t *)job->tiles + i / KV_TILE * q8_tile_bytes(d);
            const int8_t *v = tile + i % KV_TILE * d;
            const int8_t *scales = tile + KV_TILE * d + i % KV_TILE * groups * 2;
            for (int64_t g = 0; g < groups; g++) {
                float p = job->p[m * job->p_stride + i] * scale_at(scales, g);
                for (int l = 0; l < 32; l++) out[g * 32 + l] += p * (float)v[g * 32 + l];
            }
        }
    }
}

void scalar_attend_entries(Kernels *table) {
    table->scores[DTYPE_F32] = scores_f32;
    table->scores[DTYPE_F16] = scores_f16;
    table->scores[DTYPE_Q8_0] = scores_q8;
    table->values[DTYPE_F32] = values_f32;
    table->values[DTYPE_F16] = values_f16;
    table->values[DTYPE_Q8_0] = values_q8;
}
