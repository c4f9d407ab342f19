// body_quant.inl - products of quantised weights with int8 activations, and rows of them as f32.
//
// Every type is, for a group of 32 or 16 values,  value = scale * (byte - offset) - minimum.  What a
// type looks like is said once, in "the types" below; the rest is common.  An output is one chain in
// f32 over the groups in ascending order,
//
//     y = fma(-minimum, sum of the activations, y);  y = fma(products, scale * scale of x, y)
//
// where `products` is exact, so that two ways of computing it give the same bits:
//   * one activation row (decoding a token): four weight rows side by side, straight from the file's
//     layout.  The rows are far apart, one of each quarter: four streams that the hardware
//     prefetchers can follow.  Their sums are gathered into an f4, a lane for each row.
//   * several: PANEL_ROWS weight rows are unpacked and transposed, a piece of PANEL_K columns at a
//     time, and meet four activation rows at once; a lane is a weight row and nothing is gathered.
//
// Unsigned times signed bytes is what x86 multiplies.  A byte stays unsigned where the set allows
// (PRODUCT_MAX), and offset * (sum of the activations) is taken off before the sum starts.
#include "quant/blocks.h"

// ---------------------------------------------------------------- the types

WORD int type_values(DType t) {
    switch (t) {
    case DTYPE_Q2_K: case DTYPE_Q3_K: case DTYPE_Q4_K: case DTYPE_Q5_K: case DTYPE_Q6_K:
    case DTYPE_IQ4_XS: return SUPER_VALUES;
    default: return BLOCK_VALUES;
    }
}

// Values that share a scale.
WORD int type_group(DType t) {
    return t == DTYPE_Q2_K || t == DTYPE_Q3_K || t == DTYPE_Q6_K ? 16 : 32;
}

// What was added to make the bytes unsigned.
WORD int type_offset(DType t) {
    switch (t) {
    case DTYPE_Q4_0: return 8;
    case DTYPE_Q5_0: return 16;
    case DTYPE_Q3_K: return 4;
    case DTYPE_Q6_K: return 32;
    default: return 0;
    }
}

// The bytes are signed by nature: eight bits, or a table.
WORD bool type_is_signed(DType t) {
    return t == DTYPE_Q8_0 || t == DTYPE_IQ4_NL || t == DTYPE_IQ4_XS || t == DTYPE_MXFP4;
}

WORD bool type_has_minimum(DType t) {
    return t == DTYPE_Q4_1 || t == DTYPE_Q5_1 || t == DTYPE_Q2_K || t == DTYPE_Q4_K ||
           t == DTYPE_Q5_K;
}

WORD size_t type_bytes(DType t) {
    switch (t) {
#define X(name, number, values, bytes)                                                             \
    case DTYPE_##name: return bytes;
        DTYPES(X)
#undef X
    }
    return 0;
}

WORD v32 nibbles_of(const uint8_t *qs, int high) {
    v32 v = v32_load(qs);
    return v32_and(high ? v32_shr(v, 4) : v, v32_set(15));
}

// Bits 2j, 2j + 1 of 32 bytes.
WORD v32 pairs_of(const uint8_t *qs, int j) {
    return v32_and(v32_shr(v32_load(qs), 2 * j), v32_set(3));
}

// Bit i of 32 bytes, moved to bit `to`.
WORD v32 bit_of(const uint8_t *bytes, int i, int to) {
    v32 one = v32_and(v32_shr(v32_load(bytes), i), v32_set(1));
    return v32_shl(one, to);
}

WORD v32 fifth_bits(const uint8_t *qh) {
    return v32_and(v32_bits(load_u32(qh)), v32_set(16));
}

WORD v32 q6_k_bytes(const BlockQ6_K *b, int i) {
    int j = i % 4; // 128 values have 64 bytes of ql and 32 of qh
    v32 low = nibbles_of(b->ql + i / 4 * 64 + j % 2 * 32, j / 2);
    return v32_or(low, v32_shl(pairs_of(b->qh + i / 4 * 32, j), 4));
}

// The bytes of values 32 i .. 32 i + 31 of a block.
WORD v32 type_block(DType t, const void *block, int i) {
    switch (t) {
    case DTYPE_Q4_0: return v32_nibbles(((const BlockQ4_0 *)block)->qs);
    case DTYPE_Q4_1: return v32_nibbles(((const BlockQ4_1 *)block)->qs);
    case DTYPE_Q5_0: {
        const BlockQ5_0 *b = block;
        return v32_or(v32_nibbles(b->qs), fifth_bits(b->qh));
    }
    case DTYPE_Q5_1: {
        const BlockQ5_1 *b = block;
        return v32_or(v32_nibbles(b->qs), fifth_bits(b->qh));
    }
    case DTYPE_Q8_0: return v32_load(((const BlockQ8_0 *)block)->qs);
    case DTYPE_IQ4_NL:
        return v32_table(block_iq4_values, v32_nibbles(((const BlockIQ4_NL *)block)->qs));
    case DTYPE_IQ4_XS:
        return v32_table(block_iq4_values,
                         v32_nibbles(((const BlockIQ4_XS *)block)->qs + 16 * i));
    case DTYPE_MXFP4:
        return v32_table(block_mxfp4_values, v32_nibbles(((const BlockMXFP4 *)block)->qs));
    case DTYPE_Q2_K: return pairs_of(((const BlockQ2_K *)block)->qs + i / 4 * 32, i % 4);
    case DTYPE_Q3_K: {
        const BlockQ3_K *b = block;
        return v32_or(pairs_of(b->qs + i / 4 * 32, i % 4), bit_of(b->hmask, i, 2));
    }
    case DTYPE_Q4_K: return nibbles_of(((const BlockQ4_K *)block)->qs + i / 2 * 32, i % 2);
    case DTYPE_Q5_K: {
        const BlockQ5_K *b = block;
        return v32_or(nibbles_of(b->qs + i / 2 * 32, i % 2), bit_of(b->qh, i, 4));
    }
    case DTYPE_Q6_K: return q6_k_bytes(block, i);
    default: return v32_set(0);
    }
}

// 2^(e - 128); below 2^-126 the exponent field ends and the number is subnormal.
WORD float mxfp4_scale(uint8_t e) {
    return bits_to_f32(e >= 2 ? (uint32_t)(e - 1) << 23 : 0x00200000u << e);
}

WORD float load_f16(const void *p) {
    uint16_t h;
    memcpy(&h, p, sizeof h);
    return half_to_float(h);
}

// 8 scales and 8 minimums of six bits (see block_scale_min), four at a time.
WORD void scales_q4_k(const uint8_t packed[12], float d, float dmin, float *scale, float *minimum) {
    uint32_t a = load_u32(packed), b = load_u32(packed + 4), c = load_u32(packed + 8);
    uint32_t s[2] = {a & 0x3f3f3f3f, (c & 0x0f0f0f0f) | (a >> 2 & 0x30303030)};
    uint32_t m[2] = {b & 0x3f3f3f3f, (c >> 4 & 0x0f0f0f0f) | (b >> 2 & 0x30303030)};
    scale8_u8((const uint8_t *)s, d, scale);
    scale8_u8((const uint8_t *)m, dmin, minimum);
}

WORD void scales_q2_k(const BlockQ2_K *b, float *scale, float *minimum) {
    float d = load_f16(&b->d), dmin = load_f16(&b->dmin);
    uint8_t s[16], m[16];
    for (int i = 0; i < 16; i++) {
        s[i] = b->scales[i] & 15;
        m[i] = b->scales[i] >> 4;
    }
    for (int i = 0; i < 16; i += 8) {
        scale8_u8(s + i, d, scale + i);
        scale8_u8(m + i, dmin, minimum + i);
    }
}

WORD void scales_q3_k(const BlockQ3_K *b, float *scale) {
    int8_t s[16];
    for (int i = 0; i < 16; i++) {
        int low = b->scales[i % 8] >> i / 8 * 4 & 15;
        s[i] = (int8_t)((low | (b->scales[8 + i % 4] >> i / 4 * 2 & 3) << 4) - 32);
    }
    scale8_s8(s, load_f16(&b->d), scale);
    scale8_s8(s + 8, load_f16(&b->d), scale + 8);
}

WORD void scales_iq4_xs(const BlockIQ4_XS *b, float *scale) {
    int8_t s[8];
    for (int i = 0; i < 8; i++) {
        int low = b->scales_l[i / 2] >> i % 2 * 4 & 15;
        s[i] = (int8_t)((low | (b->scales_h >> 2 * i & 3) << 4) - 32);
    }
    scale8_s8(s, load_f16(&b->d), scale);
}

// The scales of all groups of a block, and the minimums of a type that has them.
WORD void type_scales(DType t, const void *block, float *scale, float *minimum) {
    switch (t) {
    case DTYPE_Q4_1: case DTYPE_Q5_1: // value = d q + m
        scale[0] = load_f16(block);
        minimum[0] = -load_f16((const uint8_t *)block + 2);
        break;
    case DTYPE_MXFP4: scale[0] = mxfp4_scale(*(const uint8_t *)block); break;
    case DTYPE_Q2_K: scales_q2_k(block, scale, minimum); break;
    case DTYPE_Q3_K: scales_q3_k(block, scale); break;
    case DTYPE_Q4_K: case DTYPE_Q5_K: { // the same start
        const BlockQ4_K *b = block;
        scales_q4_k(b->scales, load_f16(&b->d), load_f16(&b->dmin), scale, minimum);
        break;
    }
    case DTYPE_Q6_K: {
        const BlockQ6_K *b = block;
        scale8_s8(b->scales, load_f16(&b->d), scale);
        scale8_s8(b->scales + 8, load_f16(&b->d), scale + 8);
        break;
    }
    case DTYPE_IQ4_XS: scales_iq4_xs(block, scale); break;
    default: scale[0] = load_f16(block);
    }
}

// ---------------------------------------------------------------- the bytes in a product

WORD bool product_is_signed(DType t) {
    return PRODUCT_MAX < (type_is_signed(t) ? 255 : 127);
}

// What the bytes of a product are above their values.
WORD int product_offset(DType t) {
    if (product_is_signed(t)) return 0;
    return type_is_signed(t) ? 128 : type_offset(t);
}

WORD v32 product_bytes(DType t, const void *block, int i) {
    v32 v = type_block(t, block, i);
    if (type_is_signed(t)) return product_is_signed(t) ? v : v32_xor(v, v32_set(128));
    if (product_is_signed(t) && type_offset(t)) return v32_sub(v, v32_set((uint8_t)type_offset(t)));
    return v;
}

// The bytes of two groups: of one block (values from 32 i on), or of two blocks.
WORD v64 product_pair(DType t, const void *block, const void *next, int i) {
    v64 v;
    switch (t) {
    case DTYPE_Q4_0: {
        const BlockQ4_0 *a = block, *b = next;
        v = v64_nibbles(a->qs, b->qs);
        break;
    }
    case DTYPE_Q4_1: {
        const BlockQ4_1 *a = block, *b = next;
        v = v64_nibbles(a->qs, b->qs);
        break;
    }
    case DTYPE_Q4_K: v = v64_halves(((const BlockQ4_K *)block)->qs + i / 2 * 32); break;
    default: {
        bool one = type_values(t) > 32;
        v = v64_join(type_block(t, block, i), type_block(t, one ? block : next, one ? i + 1 : 0));
    }
    }
    if (type_is_signed(t)) return product_is_signed(t) ? v : v64_xor(v, v64_set(128));
    if (product_is_signed(t) && type_offset(t)) return v64_sub(v, v64_set((uint8_t)type_offset(t)));
    return v;
}

WORD vd pair_product(DType t, vd start, v64 w, v64 x) {
    return product_is_signed(t) ? vd_dot_signed(start, w, x) : vd_dot(start, w, x);
}

// An int8 row, taken apart.
typedef struct Q8Row {
    const int8_t *q;
    const float *scale, *sum;
} Q8Row;

WORD Q8Row q8_row(const LinearJob *job, int64_t j) {
    const char *row = (const char *)job->x + (size_t)j * job->x_row_bytes;
    const float *scale = (const void *)(row + job->k);
    return (Q8Row){(const int8_t *)row, scale, scale + job->k / 32};
}

// ---------------------------------------------------------------- one activation row

enum { QUANT_PREFETCH = 1024 }; // bytes ahead in each stream

typedef struct FourRows {
    const uint8_t *w[4];
    int64_t out[4]; // the results are y[out[i]]
} FourRows;

// The scales of the blocks that start in four rows, one a lane.
WORD void four_scales(DType t, const uint8_t *const w[4], float (*scale)[4], float (*minimum)[4]) {
    int n = type_values(t) / type_group(t);
    if (n == 1 && t != DTYPE_MXFP4) {
        f4_store(scale[0], f4_of_f16(w[0], w[1], w[2], w[3]));
        if (type_has_minimum(t)) // value = d q + m
            f4_store(minimum[0], f4_mul(f4_set(-1), f4_of_f16(w[0] + 2, w[1] + 2, w[2] + 2,
                                                              w[3] + 2)));
        return;
    }
    float s[4][16], m[4][16];
    for (int i = 0; i < 4; i++) type_scales(t, w[i], s[i], m[i]);
    if (n == 1)
        for (int i = 0; i < 4; i++) scale[0][i] = s[i][0];
    for (int g = 0; n > 1 && g < n; g += 4) {
        f4_transpose(s[0] + g, 16, scale + g);
        if (type_has_minimum(t)) f4_transpose(m[0] + g, 16, minimum + g);
    }
}

// acc + what the four products of a group give.
WORD f4 four_add(DType t, f4 acc, i4 products, const float *scale, const float *minimum,
                 float x_scale, f4 x_sum) {
    if (type_has_minimum(t)) acc = f4_fma(f4_mul(f4_load(minimum), f4_set(-1)), x_sum, acc);
    return f4_fma(i4_to_f(products), f4_mul(f4_load(scale), f4_set(x_scale)), acc);
}

typedef struct FourScales {
    float scale[SUPER_VALUES / 16][4], minimum[SUPER_VALUES / 16][4];
} FourScales;

// acc + two groups of four rows (or only the first of them), whose bytes start at w[.] and next[.]
// (see product_pair); group g of x, group i of the block, scales from `s` on.
WORD f4 four_pair(DType t, f4 acc, const uint8_t *const w[4], size_t next, int i, const Q8Row *x,
                  int64_t g, const FourScales *scales, bool both) {
    v64 q = both ? v64_load(x->q + 32 * g) : v64_join(v32_load(x->q + 32 * g), v32_set(0));
    vd s = vd_zero();
    if (product_offset(t)) s = vd_neg(vd_dot(s, v64_set((uint8_t)product_offset(t)), q));
    vd p0 = pair_product(t, s, product_pair(t, w[0], w[0] + next, i), q);
    vd p1 = pair_product(t, s, product_pair(t, w[1], w[1] + next, i), q);
    vd p2 = pair_product(t, s, product_pair(t, w[2], w[2] + next, i), q);
    vd p3 = pair_product(t, s, product_pair(t, w[3], w[3] + next, i), q);
    int n = both ? 2 : 1;
    if (type_group(t) == 32) {
        i4 sum[2];
        vd_rows_whole(p0, p1, p2, p3, sum);
        for (int h = 0; h < n; h++)
            acc = four_add(t, acc, sum[h], scales->scale[i + h], scales->minimum[i + h],
                           x->scale[g + h], f4_set(x->sum[g + h]));
        return acc;
    }
    i4 sum[4], x_sum[4] = {i4_zero(), i4_zero(), i4_zero(), i4_zero()};
    vd_rows(p0, p1, p2, p3, sum);
    if (type_has_minimum(t)) {
        vd ones = vd_dot(vd_zero(), v64_set(1), q);
        vd_rows(ones, ones, ones, ones, x_sum);
    }
    for (int h = 0; h < 2 * n; h++) {
        float scale = x->scale[g + h / 2];
        acc = four_add(t, acc, sum[h], scales->scale[2 * i + h], scales->minimum[2 * i + h], scale,
                       f4_mul(i4_to_f(x_sum[h]), f4_set(scale)));
    }
    return acc;
}

WORD void four_rows(DType t, const FourRows *rows, Q8Row x, int64_t k, float *y) {
    FourScales scales;
    const uint8_t *w[4] = {rows->w[0], rows->w[1], rows->w[2], rows->w[3]};
    bool is_super = type_values(t) == SUPER_VALUES;
    size_t bytes = type_bytes(t), step = is_super ? bytes : 2 * bytes; // of a block, or two
    int64_t n = k / 32, groups = is_super ? 8 : 2;
    f4 acc = f4_zero();
    int64_t g = 0;
    for (; g + groups <= n; g += groups) {
        for (size_t ahead = QUANT_PREFETCH; ahead < QUANT_PREFETCH + step; ahead += 64)
            for (int r = 0; r < 4; r++) PREFETCH(w[r] + ahead);
        four_scales(t, w, scales.scale, scales.minimum);
        if (!is_super) four_scales(t, (const uint8_t *[4]){w[0] + bytes, w[1] + bytes, w[2] + bytes, w[3] + bytes}, scales.scale + 1, scales.minimum + 1);
        UNROLL_8
        for (int i = 0; i < groups; i += 2)
            acc = four_pair(t, acc, w, bytes, i, &x, g + i, &scales, true);
        for (int r = 0; r < 4; r++) w[r] += step;
    }
    if (g < n) { // an odd number of blocks of 32
        four_scales(t, w, scales.scale, scales.minimum);
        acc = four_pair(t, acc, w, 0, 0, &x, g, &scales, false);
    }
    float sum[4];
    f4_store(sum, acc);
    for (int i = 0; i < 4; i++) y[rows->out[i]] = sum[i];
}

// The rows of step i of n_out / 4; the last step may name a row several times.
WORD FourRows far_rows(const LinearJob *job, int64_t i) {
    int64_t quarter = job->n_out / 4;
    FourRows rows;
    for (int s = 0; s < 4; s++) {
        rows.out[s] = i < quarter ? s * quarter + i : min_i64(4 * quarter + s, job->n_out - 1);
        rows.w[s] = (const uint8_t *)job->w + (size_t)rows.out[s] * job->w_row_bytes;
    }
    return rows;
}

// ---------------------------------------------------------------- several activation rows

enum {
    PANEL_FROM = 4, // activation rows for which unpacking a panel pays
    PANEL_ROWS = 2 * VF,
    PANEL_GROUPS = PANEL_K / 16,
    TILE_ROWS = 4 // activation rows of a tile
};

// PANEL_ROWS rows of at most PANEL_K columns.
typedef struct Panel {
    uint8_t bytes[PANEL_K / 4][PANEL_ROWS][4];
    float scale[PANEL_GROUPS][PANEL_ROWS], minimum[PANEL_GROUPS][PANEL_ROWS];
} Panel;

// Four activation rows: the columns of the panel.  What is kept for a group of 16 values is kept for
// its 32, in two arrays.
typedef struct PanelX {
    Q8Row row[TILE_ROWS];
    int32_t start[2][TILE_ROWS][PANEL_K / 32]; // -offset * sum of the group
    float sum[2][TILE_ROWS][PANEL_K / 32];     // scaled sums of groups of 16
    float y[TILE_ROWS][PANEL_ROWS];            // the results so far
} PanelX;

// Rows i .. i + PANEL_ROWS - 1 (beyond the last: the last again), columns k0 .. k0 + k - 1.
WORD void panel_unpack(DType t, const LinearJob *job, int64_t i, int64_t k0, int64_t k,
                       Panel *panel) {
    uint8_t raw[PANEL_ROWS][PANEL_K];
    int values = type_values(t), n_scales = values / type_group(t);
    size_t piece = (size_t)(k / values) * type_bytes(t), begin = (size_t)(k0 / values) * type_bytes(t);
    // What comes next: the same rows further on, or the next panel.
    size_t ahead = k0 + k < job->k ? piece : PANEL_ROWS * job->w_row_bytes - begin;
    for (int r = 0; r < PANEL_ROWS; r++) {
        int64_t row = min_i64(i + r, job->n_out - 1);
        const uint8_t *block = (const uint8_t *)job->w + (size_t)row * job->w_row_bytes + begin;
        for (size_t b = 0; b < piece; b += 64) PREFETCH(block + ahead + b);
        for (int64_t b = 0; b < k / values; b++, block += type_bytes(t)) {
            float scale[16], minimum[16];
            type_scales(t, block, scale, minimum);
            for (int g = 0; g < n_scales; g++) {
                panel->scale[b * n_scales + g][r] = scale[g];
                if (type_has_minimum(t)) panel->minimum[b * n_scales + g][r] = -minimum[g];
            }
            UNROLL_8
            for (int g = 0; g < values / 32; g++)
                v32_store(raw[r] + b * values + 32 * g, product_bytes(t, block, g));
        }
    }
    for (int r = 0; r < PANEL_ROWS; r += VF)
        for (int64_t c = 0; c < k; c += 4 * VF)
            transpose(raw[r] + c, PANEL_K / 4, panel->bytes[c / 4][r], PANEL_ROWS);
}

// -offset times the sums of the activations of groups of 32.  The row has the sums, scaled: the
// quotient is so near to a whole number of at most 12 bits that rounding gives it back.
WORD void starts_whole(int offset, const Q8Row *row, int64_t n, int32_t *start) {
    vf zero = vf_zero();
    for (int64_t g = 0; g < n; g += VF) {
        int64_t left = min_i64(VF, n - g);
        vf scale = vf_load_part(row->scale + g, left), sum = vf_load_part(row->sum + g, left);
        vf whole = vf_round(vf_where_less(zero, scale, vf_div(sum, scale), zero));
        vi_store(start + g, vi_of_f(vf_mul(whole, vf_set((float)-offset))));
    }
}

// The same for groups of 16, from the bytes; four groups of 32 at a time.
WORD void sums_halves(v32 ones, const Q8Row *row, int64_t g, i4 *low, i4 *high) {
    vs s[4];
    for (int i = 0; i < 4; i++) s[i] = vs_dot(vs_zero(), ones, v32_load(row->q + 32 * (g + i)));
    *low = vs_rows(s[0], s[1], s[2], s[3], high);
}

WORD void panel_sums(DType t, PanelX *x, int64_t k) {
    int offset = product_offset(t);
    for (int j = 0; j < TILE_ROWS; j++) {
        const Q8Row *row = &x->row[j];
        i4 low, high;
        if (offset && type_group(t) == 32) starts_whole(offset, row, k / 32, x->start[0][j]);
        for (int64_t g = 0; offset && type_group(t) == 16 && g < k / 32; g += 4) {
            sums_halves(v32_set((uint8_t)offset), row, g, &low, &high);
            i4_store(x->start[0][j] + g, i4_neg(low));
            i4_store(x->start[1][j] + g, i4_neg(high));
        }
        for (int64_t g = 0; type_has_minimum(t) && type_group(t) == 16 && g < k / 32; g += 4) {
            f4 scale = f4_load(row->scale + g);
            sums_halves(v32_set(1), row, g, &low, &high);
            f4_store(x->sum[0][j] + g, f4_mul(i4_to_f(low), scale));
            f4_store(x->sum[1][j] + g, f4_mul(i4_to_f(high), scale));
        }
    }
}

// One activation row with the panel's rows: products of a group, and results so far.
typedef struct PairI {
    vi lo, hi;
} PairI;
typedef struct PairF {
    vf lo, hi;
} PairF;

WORD PairI pair_dot(bool is_signed, PairI s, vi w0, vi w1, const int8_t *x) {
    vi v = vi_set((int32_t)load_u32(x));
    if (is_signed) return (PairI){vi_dot_signed(s.lo, w0, v), vi_dot_signed(s.hi, w1, v)};
    return (PairI){vi_dot(s.lo, w0, v), vi_dot(s.hi, w1, v)};
}

// What the tile needs to know of a type.
typedef struct TileForm {
    int group;
    bool is_signed, has_start, has_minimum;
} TileForm;

// A group: of the panel, and of the activations, whose groups have 32 values (half 0 or 1 of it).
typedef struct Place {
    const Panel *panel;
    const PanelX *x;
    int64_t group, x_group;
    int half;
} Place;

WORD Place place_at(TileForm form, const Panel *panel, const PanelX *x, int64_t group) {
    if (form.group == 32) return (Place){panel, x, group, group, 0};
    return (Place){panel, x, group, group / 2, (int)(group % 2)};
}

WORD PairI pair_start(TileForm form, Place at, int r) {
    vi v = form.has_start ? vi_set(at.x->start[at.half][r][at.x_group]) : vi_zero();
    return (PairI){v, v};
}

// f + what the products of a group give, in activation row r.
WORD PairF pair_add(TileForm form, PairF f, PairI products, Place at, int r) {
    if (form.has_minimum) {
        const float *minimum = at.panel->minimum[at.group];
        const float *x_sum = form.group == 32 ? at.x->row[r].sum : at.x->sum[at.half][r];
        vf sum = vf_set(x_sum[at.x_group]);
        f = (PairF){vf_fma(vf_load(minimum), sum, f.lo), vf_fma(vf_load(minimum + VF), sum, f.hi)};
    }
    const float *scale = at.panel->scale[at.group];
    vf x = vf_set(at.x->row[r].scale[at.x_group]);
    return (PairF){vf_fma(vi_to_f(products.lo), vf_mul(vf_load(scale), x), f.lo),
                   vf_fma(vi_to_f(products.hi), vf_mul(vf_load(scale + VF), x), f.hi)};
}

WORD PairF pair_load(const float *y) {
    return (PairF){vf_load(y), vf_load(y + VF)};
}

WORD void pair_store(PairF f, float *y) {
    vf_store(y, f.lo), vf_store(y + VF, f.hi);
}

// y += panel times four activation rows, over k columns.  Where there are too few registers for the
// products and the results, the results wait in memory (TILE_STAYS); gcc would choose worse.
WORD void panel_tile(TileForm form, const Panel *panel, PanelX *x, int64_t k) {
    const int8_t *x0 = x->row[0].q, *x1 = x->row[1].q, *x2 = x->row[2].q, *x3 = x->row[3].q;
    PairF f0 = pair_load(x->y[0]), f1 = pair_load(x->y[1]);
    PairF f2 = pair_load(x->y[2]), f3 = pair_load(x->y[3]);
    for (int64_t g = 0; g < k / form.group; g++) {
        Place at = place_at(form, panel, x, g);
        PairI s0 = pair_start(form, at, 0), s1 = pair_start(form, at, 1);
        PairI s2 = pair_start(form, at, 2), s3 = pair_start(form, at, 3);
        TILE_UNROLL
        for (int i = 0; i < form.group / 4; i++) {
            int64_t c = g * form.group + 4 * i;
            vi w0 = vi_load(panel->bytes[c / 4][0]), w1 = vi_load(panel->bytes[c / 4][VF]);
            s0 = pair_dot(form.is_signed, s0, w0, w1, x0 + c);
            s1 = pair_dot(form.is_signed, s1, w0, w1, x1 + c);
            s2 = pair_dot(form.is_signed, s2, w0, w1, x2 + c);
            s3 = pair_dot(form.is_signed, s3, w0, w1, x3 + c);
        }
        f0 = pair_add(form, TILE_STAYS ? f0 : pair_load(x->y[0]), s0, at, 0);
        if (!TILE_STAYS) pair_store(f0, x->y[0]);
        f1 = pair_add(form, TILE_STAYS ? f1 : pair_load(x->y[1]), s1, at, 1);
        if (!TILE_STAYS) pair_store(f1, x->y[1]);
        f2 = pair_add(form, TILE_STAYS ? f2 : pair_load(x->y[2]), s2, at, 2);
        if (!TILE_STAYS) pair_store(f2, x->y[2]);
        f3 = pair_add(form, TILE_STAYS ? f3 : pair_load(x->y[3]), s3, at, 3);
        if (!TILE_STAYS) pair_store(f3, x->y[3]);
    }
    if (!TILE_STAYS) return;
    pair_store(f0, x->y[0]), pair_store(f1, x->y[1]);
    pair_store(f2, x->y[2]), pair_store(f3, x->y[3]);
}

// X(name, group, is_signed, has_start, has_minimum): every form that a type can have in some set.
#define TILE_FORMS(X)                                                                              \
    X(signed, 32, true, false, false)                                                              \
    X(signed_16, 16, true, false, false)                                                           \
    X(signed_minimum, 32, true, false, true)                                                       \
    X(signed_minimum_16, 16, true, false, true)                                                    \
    X(start, 32, false, true, false)                                                               \
    X(start_16, 16, false, true, false)                                                            \
    X(minimum, 32, false, false, true)                                                             \
    X(minimum_16, 16, false, false, true)

#define X(name, group_, is_signed_, has_start_, has_minimum_)                                      \
    APART void panel_tile_##name(const Panel *panel, PanelX *x, int64_t k) {                       \
        panel_tile((TileForm){group_, is_signed_, has_start_, has_minimum_}, panel, x, k);         \
    }
TILE_FORMS(X)
#undef X

WORD void panel_tile_of(DType t, const Panel *panel, PanelX *x, int64_t k) {
    int group = type_group(t);
    bool is_signed = product_is_signed(t), has_start = product_offset(t) != 0;
    bool has_minimum = type_has_minimum(t);
#define X(name, group_, is_signed_, has_start_, has_minimum_)                                      \
    if (group == group_ && is_signed == is_signed_ && has_start == has_start_ &&                   \
        has_minimum == has_minimum_)                                                               \
        panel_tile_##name(panel, x, k);
    TILE_FORMS(X)
#undef X
}

// All activation rows with the panel of rows i .. and columns k0 .. k0 + k - 1.
WORD void panel_times_x(DType t, const LinearJob *job, int64_t i, int64_t k0, int64_t k,
                        const Panel *panel) {
    size_t n = (size_t)min_i64(PANEL_ROWS, job->n_out - i) * sizeof(float);
    PanelX x = {.row = {{0}}};
    for (int64_t j = 0; j < job->n_x; j += TILE_ROWS) {
        float *y[TILE_ROWS];
        for (int r = 0; r < TILE_ROWS; r++) { // of fewer, the last is repeated
            int64_t row = min_i64(j + r, job->n_x - 1);
            Q8Row whole = q8_row(job, row);
            x.row[r] = (Q8Row){whole.q + k0, whole.scale + k0 / 32, whole.sum + k0 / 32};
            y[r] = job->y + row * job->y_stride + i;
            if (k0 > 0)
                memcpy(x.y[r], y[r], n);
            else
                memset(x.y[r], 0, n);
        }
        panel_sums(t, &x, k);
        panel_tile_of(t, panel, &x, k);
        for (int r = 0; r < TILE_ROWS; r++) memcpy(y[r], x.y[r], n);
    }
}

// ---------------------------------------------------------------- rows

// Rounds 32 values; a group whose largest value has no finite reciprocal is taken as zero.
WORD float encode_q8_group(const float *x, int8_t *q) {
    vf highest = vf_zero();
    for (int i = 0; i < 32; i += VF) highest = vf_max(vf_abs(vf_load(x + i)), highest);
    float max = vf_highest(highest), factor = max > 0 ? 127 / max : 0;
    if (!(factor <= FLT_MAX)) factor = max = 0;
    for (int i = 0; i < 32; i += VF) {
        vf v = vf_round(vf_mul(vf_load(x + i), vf_set(factor)));
        vf_store_s8(q + i, vf_min(vf_max(v, vf_set(-127)), vf_set(127)));
    }
    return max / 127;
}

WORD int q8_group_sum(const int8_t *q) {
    vs ones = vs_dot(vs_zero(), v32_set(1), v32_load(q));
    i4 high, low = vs_rows(ones, ones, ones, ones, &high);
    int32_t sum[4];
    i4_store(sum, i4_add(low, high));
    return sum[0];
}

static void encode_q8(const float *values, void *q8_row, int64_t n) {
    int8_t *q = q8_row;
    float *scale = (void *)(q + n), *sum = scale + n / 32;
    for (int64_t g = 0; g < n / 32; g++) {
        scale[g] = encode_q8_group(values + 32 * g, q + 32 * g);
        sum[g] = scale[g] * (float)q8_group_sum(q + 32 * g);
    }
}

// value = scale * q - minimum, rounded twice as in the published decoders.
WORD void decode_group(DType t, const int8_t *q, float scale, float minimum, int n, float *to) {
    for (int i = 0; i < n; i++) {
        float v = scale * (float)q[i];
        to[i] = type_has_minimum(t) ? v - minimum : v;
    }
}

WORD void decode(DType t, const void *row, float *values, int64_t n) {
    const uint8_t *block = row;
    int group = type_group(t);
    for (int64_t i = 0; i < n; i += type_values(t), block += type_bytes(t)) {
        float scale[16], minimum[16] = {0};
        type_scales(t, block, scale, minimum);
        UNROLL_8
        for (int g = 0; g < type_values(t) / 32; g++) {
            int8_t q[32];
            v32 v = type_block(t, block, g);
            v32_store(q, type_offset(t) ? v32_sub(v, v32_set((uint8_t)type_offset(t))) : v);
            for (int h = 0; h < 32 / group; h++) {
                int s = g * (32 / group) + h;
                decode_group(t, q + h * group, scale[s], minimum[s], group,
                             values + i + 32 * g + h * group);
            }
        }
    }
}

// ---------------------------------------------------------------- the table
WORD void linear_q8(DType t, const LinearJob *job) {
    if (job->n_x < PANEL_FROM) {
        for (int64_t i = 0; i < (job->n_out + 3) / 4; i++) {
            FourRows rows = far_rows(job, i);
            for (int64_t j = 0; j < job->n_x; j++)
                four_rows(t, &rows, q8_row(job, j), job->k, job->y + j * job->y_stride);
        }
        return;
    }
    Panel panel;
    for (int64_t i = 0; i < job->n_out; i += PANEL_ROWS) {
        for (int64_t k0 = 0; k0 < job->k; k0 += PANEL_K) {
            int64_t k = min_i64(PANEL_K, job->k - k0);
            panel_unpack(t, job, i, k0, k, &panel);
            panel_times_x(t, job, i, k0, k, &panel);
        }
    }
}

#define QUANTIZED(X)                                                                               \
    X(Q4_0) X(Q4_1) X(Q5_0) X(Q5_1) X(Q8_0) X(Q2_K) X(Q3_K) X(Q4_K) X(Q5_K) X(Q6_K) X(IQ4_NL)      \
    X(IQ4_XS) X(MXFP4)

#define X(name)                                                                                    \
    static void linear_q8_##name(const LinearJob *job) {                                           \
        linear_q8(DTYPE_##name, job);                                                              \
    }                                                                                              \
    static void decode_##name(const void *row, float *values, int64_t n) {                         \
        decode(DTYPE_##name, row, values, n);                                                      \
    }
QUANTIZED(X)
#undef X

static void quant_entries(Kernels *table) {
#define X(name)                                                                                    \
    table->linear_q8[DTYPE_##name] = linear_q8_##name;                                             \
    table->decode[DTYPE_##name] = decode_##name;
    QUANTIZED(X)
#undef X
    table->encode_q8 = encode_q8;
}
