// body_attention.inl - scores of queries with key tiles, and weighted sums of value tiles.
//
// The layouts are those of kernels.h: 16 keys lie side by side, so that scores come out as vectors.
// Queries go four at a time and share what is loaded; of fewer, the last one is repeated and its
// result is written more than once.  A score or an output is one chain, whatever stands beside it.

// Two vectors for each of four rows.
typedef struct Rows4 {
    vf a0, a1, b0, b1, c0, c1, d0, d1;
} Rows4;

WORD Rows4 rows4_fma(Rows4 s, float a, float b, float c, float d, vf v0, vf v1) {
    vf p = vf_set(a), q = vf_set(b), r = vf_set(c), t = vf_set(d);
    return (Rows4){vf_fma(p, v0, s.a0), vf_fma(p, v1, s.a1), vf_fma(q, v0, s.b0),
                   vf_fma(q, v1, s.b1), vf_fma(r, v0, s.c0), vf_fma(r, v1, s.c1),
                   vf_fma(t, v0, s.d0), vf_fma(t, v1, s.d1)};
}

// The four rows from row `m` on.
typedef struct RowOffsets {
    int64_t a, b, c, d;
} RowOffsets;

WORD RowOffsets rows_from(const AttendJob *job, int64_t m, int64_t stride) {
    int64_t last = job->m - 1;
    return (RowOffsets){m * stride, min_i64(m + 1, last) * stride, min_i64(m + 2, last) * stride,
                        min_i64(m + 3, last) * stride};
}

WORD vf cache_load(DType type, const char *p, int64_t i) {
    return type == DTYPE_F16 ? vf_load_f16((const void *)(p + 2 * i))
                             : vf_load((const void *)(p + 4 * i));
}

WORD vf cache_load_part(DType type, const char *p, int64_t i, int64_t n) {
    return type == DTYPE_F16 ? vf_load_f16_part((const void *)(p + 2 * i), n)
                             : vf_load_part((const void *)(p + 4 * i), n);
}

// The first pass over a tile fetches what comes this many bytes behind it: a tile is too short for
// the hardware prefetchers.
enum { ATTEND_PREFETCH = 4096 };

// ---------------------------------------------------------------- scores, F32 and F16

// VF keys and VF others, and the columns of p where their scores go.
typedef struct KeyPair {
    const char *keys0, *keys1;
    int64_t column0, column1;
} KeyPair;

// Scores of the four queries from row m on.
WORD void scores_pair(DType type, const AttendJob *job, int64_t m, KeyPair pair) {
    RowOffsets at = rows_from(job, m, job->q_stride), to = rows_from(job, m, job->p_stride);
    const float *qa = job->q + at.a, *qb = job->q + at.b, *qc = job->q + at.c, *qd = job->q + at.d;
    vf zero = vf_zero();
    Rows4 s = {zero, zero, zero, zero, zero, zero, zero, zero};
    for (int64_t d = 0; d < job->d; d++) {
        vf k0 = cache_load(type, pair.keys0, d * KV_TILE);
        vf k1 = cache_load(type, pair.keys1, d * KV_TILE);
        if (m == 0) {
            int64_t ahead = d * KV_TILE * (type == DTYPE_F16 ? 2 : 4) + ATTEND_PREFETCH;
            PREFETCH(pair.keys0 + ahead);
            if ((int)VF == KV_TILE) PREFETCH(pair.keys1 + ahead);
        }
        s = rows4_fma(s, qa[d], qb[d], qc[d], qd[d], k0, k1);
    }
    float *p0 = job->p + pair.column0, *p1 = job->p + pair.column1;
    vf_store(p0 + to.a, s.a0), vf_store(p1 + to.a, s.a1);
    vf_store(p0 + to.b, s.b0), vf_store(p1 + to.b, s.b1);
    vf_store(p0 + to.c, s.c0), vf_store(p1 + to.c, s.c1);
    vf_store(p0 + to.d, s.d0), vf_store(p1 + to.d, s.d1);
}

WORD void scores(DType type, const AttendJob *job) {
    int64_t size = type == DTYPE_F16 ? 2 : 4, n = job->n_tiles * KV_TILE;
    for (int64_t i = 0; i < n; i += 2 * VF) {
        // Two vectors of a tile, or two tiles, of which the last may be alone.
        int64_t j = min_i64(i + VF, n - VF);
        int64_t tile0 = i / KV_TILE * job->d, tile1 = j / KV_TILE * job->d;
        const char *tiles = job->tiles;
        KeyPair pair = {tiles + (tile0 * KV_TILE + i % KV_TILE) * size,
                        tiles + (tile1 * KV_TILE + j % KV_TILE) * size, i, j};
        for (int64_t m = 0; m < job->m; m += 4) scores_pair(type, job, m, pair);
    }
}

// ---------------------------------------------------------------- values, F32 and F16

// Columns d .. d + n - 1 (n up to 2 VF) of four outputs.
WORD void values_columns(DType type, const AttendJob *job, int64_t m, int64_t d, int64_t n) {
    RowOffsets at = rows_from(job, m, job->p_stride), to = rows_from(job, m, job->out_stride);
    const float *pa = job->p + at.a, *pb = job->p + at.b, *pc = job->p + at.c, *pd = job->p + at.d;
    float *oa = job->out + to.a + d, *ob = job->out + to.b + d;
    float *oc = job->out + to.c + d, *od = job->out + to.d + d;
    bool whole = n == 2 * VF;
    int64_t n0 = min_i64(n, VF), n1 = n - n0;
    Rows4 s;
    if (whole) {
        s = (Rows4){vf_load(oa), vf_load(oa + VF), vf_load(ob), vf_load(ob + VF),
                    vf_load(oc), vf_load(oc + VF), vf_load(od), vf_load(od + VF)};
    } else {
        s = (Rows4){vf_load_part(oa, n0),      vf_load_part(oa + n0, n1), vf_load_part(ob, n0),
                    vf_load_part(ob + n0, n1), vf_load_part(oc, n0),      vf_load_part(oc + n0, n1),
                    vf_load_part(od, n0),      vf_load_part(od + n0, n1)};
    }
    const char *values = job->tiles;
    for (int64_t i = 0; i < job->n_tiles * KV_TILE; i++) {
        int64_t row = i * job->d + d;
        vf v0, v1;
        if (m == 0) PREFETCH(values + row * (type == DTYPE_F16 ? 2 : 4) + ATTEND_PREFETCH);
        if (whole) {
            v0 = cache_load(type, values, row), v1 = cache_load(type, values, row + VF);
        } else {
            v0 = cache_load_part(type, values, row, n0);
            v1 = cache_load_part(type, values, row + n0, n1);
        }
        s = rows4_fma(s, pa[i], pb[i], pc[i], pd[i], v0, v1);
    }
    if (whole) {
        vf_store(oa, s.a0), vf_store(oa + VF, s.a1), vf_store(ob, s.b0), vf_store(ob + VF, s.b1);
        vf_store(oc, s.c0), vf_store(oc + VF, s.c1), vf_store(od, s.d0), vf_store(od + VF, s.d1);
    } else {
        vf_store_part(oa, s.a0, n0), vf_store_part(oa + n0, s.a1, n1);
        vf_store_part(ob, s.b0, n0), vf_store_part(ob + n0, s.b1, n1);
        vf_store_part(oc, s.c0, n0), vf_store_part(oc + n0, s.c1, n1);
        vf_store_part(od, s.d0, n0), vf_store_part(od + n0, s.d1, n1);
    }
}

WORD void values(DType type, const AttendJob *job) {
    for (int64_t d = 0; d < job->d; d += 2 * VF) {
        int64_t left = job->d - d;
        for (int64_t m = 0; m < job->m; m += 4) {
            if (left >= 2 * VF)
                values_columns(type, job, m, d, 2 * VF);
            else
                values_columns(type, job, m, d, left);
        }
    }
}

// ---------------------------------------------------------------- Q8_0

enum { ATTEND_WIDTH_MAX = 512, ATTEND_GROUPS_MAX = ATTEND_WIDTH_MAX / 32 };

WORD int64_t q8_tile_bytes(int64_t d) {
    return KV_TILE * d + KV_TILE * (d / 32) * 2;
}

// Scores of one rounded query with a tile: exact integers within a group of 32 dimensions.
WORD void scores_q8_tile(const int8_t *q, const float *scale, const int32_t *start,
                         const char *tile, int64_t d, float *p) {
    for (int64_t i = 0; i < KV_TILE; i += VF) {
        vf sum = vf_zero();
        for (int64_t g = 0; g < d / 32; g++) {
            vi dot = vi_set(start[g]);
            const char *keys = tile + (g * 8 * KV_TILE + i) * 4;
            UNROLL_8
            for (int k = 0; k < 8; k++)
                dot = vi_dot_keys(dot, vi_load(keys + k * KV_TILE * 4),
                                  vi_set((int32_t)load_u32(q + 32 * g + 4 * k)));
            const char *scales = tile + KV_TILE * d + (g * KV_TILE + i) * 2;
            vf s = vf_mul(vf_set(scale[g]), vf_load_f16((const void *)scales));
            sum = vf_fma(vi_to_f(dot), s, sum);
        }
        vf_store(p + i, sum);
    }
}

static void scores_q8(const AttendJob *job) {
    int64_t groups = job->d / 32;
    int32_t start[ATTEND_GROUPS_MAX];
    float row[ATTEND_WIDTH_MAX / 4 + 2 * ATTEND_GROUPS_MAX]; // an int8 row, aligned
    for (int64_t m = 0; m < job->m; m++) {
        round_q8(job->q + m * job->q_stride, row, job->d);
        const int8_t *q = (const int8_t *)row;
        const float *scale = row + job->d / 4;
        const int16_t *sum = (const void *)(scale + groups);
        for (int64_t g = 0; g < groups; g++)
            start[g] = -KEYS_OFFSET * (sum[2 * g] + sum[2 * g + 1]);
        for (int64_t t = 0; t < job->n_tiles; t++)
            scores_q8_tile(q, scale, start, (const char *)job->tiles + t * q8_tile_bytes(job->d),
                           job->d, job->p + m * job->p_stride + t * KV_TILE);
    }
}

// The f16 scales of a group in the 16 rows of a value tile, a row `stride` numbers from the next.
WORD void scales_of_group(const uint16_t *scales, int64_t stride, float *to) {
    for (int i = 0; i < KV_TILE; i += 4) {
        const uint16_t *s = scales + i * stride;
        f4_store(to + i, f4_of_f16(s, s + stride, s + 2 * stride, s + 3 * stride));
    }
}

// A group of 32 columns of four outputs over a tile, 2 VF columns from column d on.
WORD void values_q8_columns(const AttendJob *job, RowOffsets to, float p[4][KV_TILE],
                            const int8_t *values, int64_t d) {
    float *oa = job->out + to.a + d, *ob = job->out + to.b + d;
    float *oc = job->out + to.c + d, *od = job->out + to.d + d;
    Rows4 s = {vf_load(oa), vf_load(oa + VF), vf_load(ob), vf_load(ob + VF),
               vf_load(oc), vf_load(oc + VF), vf_load(od), vf_load(od + VF)};
    for (int i = 0; i < KV_TILE; i++) {
        const int8_t *row = values + i * job->d + d;
        s = rows4_fma(s, p[0][i], p[1][i], p[2][i], p[3][i], vf_load_s8(row), vf_load_s8(row + VF));
    }
    vf_store(oa, s.a0), vf_store(oa + VF, s.a1), vf_store(ob, s.b0), vf_store(ob + VF, s.b1);
    vf_store(oc, s.c0), vf_store(oc + VF, s.c1), vf_store(od, s.d0), vf_store(od + VF, s.d1);
}

static void values_q8(const AttendJob *job) {
    int64_t groups = job->d / 32;
    for (int64_t t = 0; t < job->n_tiles; t++) {
        const char *tile = (const char *)job->tiles + t * q8_tile_bytes(job->d);
        const uint16_t *scales = (const void *)(tile + KV_TILE * job->d);
        for (int64_t g = 0; g < groups; g++) {
            float scale[KV_TILE], p[4][KV_TILE];
            scales_of_group(scales + g, groups, scale);
            for (int64_t m = 0; m < job->m; m += 4) {
                RowOffsets at = rows_from(job, m, job->p_stride);
                const float *from = job->p + t * KV_TILE;
                vector_multiply(p[0], from + at.a, scale, KV_TILE);
                vector_multiply(p[1], from + at.b, scale, KV_TILE);
                vector_multiply(p[2], from + at.c, scale, KV_TILE);
                vector_multiply(p[3], from + at.d, scale, KV_TILE);
                RowOffsets to = rows_from(job, m, job->out_stride);
                for (int64_t d = 0; d < 32; d += 2 * VF)
                    values_q8_columns(job, to, p, (const int8_t *)tile, 32 * g + d);
            }
        }
    }
}

// ---------------------------------------------------------------- the table
static void scores_f32(const AttendJob *job) {
    scores(DTYPE_F32, job);
}
static void scores_f16(const AttendJob *job) {
    scores(DTYPE_F16, job);
}
static void values_f32(const AttendJob *job) {
    values(DTYPE_F32, job);
}
static void values_f16(const AttendJob *job) {
    values(DTYPE_F16, job);
}

static void attention_entries(Kernels *table) {
    table->scores[DTYPE_F32] = scores_f32;
    table->scores[DTYPE_F16] = scores_f16;
    table->scores[DTYPE_Q8_0] = scores_q8;
    table->values[DTYPE_F32] = values_f32;
    table->values[DTYPE_F16] = values_f16;
    table->values[DTYPE_Q8_0] = values_q8;
}
