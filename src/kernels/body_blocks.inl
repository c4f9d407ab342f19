// body_blocks.inl - what each quantised type looks like, and its rows as f32.
//
// For every type, in a group of 32 or 16 values,
//
//     value = scale * (byte - offset) + shift.
//
// Everything about a type is here, as functions of a constant DType that vanish into their callers:
// the bytes of 32 values (type_block), the scales of a block (type_scales).  The layouts are those
// of quant/blocks.h; body_quant.inl makes products of them.
#include "quant/blocks.h"

// ---------------------------------------------------------------- the types

WORD int type_values(DType t) {
    switch (t) {
    case DTYPE_Q2_K:
    case DTYPE_Q3_K:
    case DTYPE_Q4_K:
    case DTYPE_Q5_K:
    case DTYPE_Q6_K:
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
#define X(name, number, values, bytes) \
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
        return v32_table(block_iq4_values, v32_nibbles(((const BlockIQ4_XS *)block)->qs + 16 * i));
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

WORD float load_f16(const void *p) {
    uint16_t h;
    memcpy(&h, p, sizeof h);
    return half_to_float(h);
}

// Where d of a block is; dmin, or m, follows it.
WORD const void *type_d(DType t, const void *block) {
    switch (t) {
    case DTYPE_Q2_K: return &((const BlockQ2_K *)block)->d;
    case DTYPE_Q3_K: return &((const BlockQ3_K *)block)->d;
    case DTYPE_Q6_K: return &((const BlockQ6_K *)block)->d;
    default: return block;
    }
}

WORD const void *type_dmin(DType t, const void *block) {
    return (const uint8_t *)type_d(t, block) + 2;
}

// What the integer scales of the types with 256 values are above their value.
WORD int type_scale_offset(DType t) {
    return t == DTYPE_Q3_K || t == DTYPE_IQ4_XS ? 32 : 0;
}

// The integer scales and minimums of the groups of a block of 256, byte g % 8 of word g / 8, by
// arithmetic on eight bytes at a time.
typedef struct ScaleBytes {
    uint64_t scale[2], minimum[2];
} ScaleBytes;

static const uint64_t each_byte = 0x0101010101010101;

// Eight scales and eight minimums of six bits: see block_scale_min.
WORD ScaleBytes scale_bytes_q4_k(const uint8_t packed[12]) {
    uint32_t a = load_u32(packed), b = load_u32(packed + 4), c = load_u32(packed + 8);
    uint32_t scale_high = (c & 0x0f0f0f0f) | (a >> 2 & 0x30303030);
    uint32_t minimum_high = (c >> 4 & 0x0f0f0f0f) | (b >> 2 & 0x30303030);
    return (ScaleBytes){{(a & 0x3f3f3f3f) | (uint64_t)scale_high << 32, 0},
                        {(b & 0x3f3f3f3f) | (uint64_t)minimum_high << 32, 0}};
}

WORD ScaleBytes scale_bytes_q2_k(const uint8_t scales[16]) {
    uint64_t a = load_u64(scales), b = load_u64(scales + 8), low = 15 * each_byte;
    return (ScaleBytes){{a & low, b & low}, {a >> 4 & low, b >> 4 & low}};
}

WORD ScaleBytes scale_bytes_q3_k(const uint8_t scales[12]) {
    uint64_t a = load_u64(scales), low = 15 * each_byte, pairs = 0x30303030;
    uint32_t high = load_u32(scales + 8);
    uint64_t high0 = (high << 4 & pairs) | (uint64_t)(high << 2 & pairs) << 32;
    uint64_t high1 = (high & pairs) | (uint64_t)(high >> 2 & pairs) << 32;
    return (ScaleBytes){{(a & low) | high0, (a >> 4 & low) | high1}, {0}};
}

// Eight nibbles, and eight pairs of bits, are spread over the bytes by halving the distance.
WORD ScaleBytes scale_bytes_iq4_xs(const BlockIQ4_XS *b) {
    uint64_t low = load_u32(b->scales_l), high = b->scales_h;
    low = (low | low << 16) & 0x0000ffff0000ffff;
    low = (low | low << 8) & 0x00ff00ff00ff00ff;
    low = (low | low << 4) & 0x0f0f0f0f0f0f0f0f;
    high = (high | high << 24) & 0x000000ff000000ff;
    high = (high | high << 12) & 0x000f000f000f000f;
    high = (high | high << 6) & 0x0303030303030303;
    return (ScaleBytes){{low | high << 4, 0}, {0}};
}

WORD ScaleBytes type_scale_bytes(DType t, const void *block) {
    switch (t) {
    case DTYPE_Q2_K: return scale_bytes_q2_k(((const BlockQ2_K *)block)->scales);
    case DTYPE_Q3_K: return scale_bytes_q3_k(((const BlockQ3_K *)block)->scales);
    case DTYPE_Q4_K: return scale_bytes_q4_k(((const BlockQ4_K *)block)->scales);
    case DTYPE_Q5_K: return scale_bytes_q4_k(((const BlockQ5_K *)block)->scales);
    case DTYPE_Q6_K: {
        const int8_t *scales = ((const BlockQ6_K *)block)->scales;
        return (ScaleBytes){{load_u64(scales), load_u64(scales + 8)}, {0}};
    }
    default: return scale_bytes_iq4_xs(block);
    }
}

// The scales of all groups of a block, and what is added to their values in a type with minimums.
WORD void type_scales(DType t, const void *block, float *scale, float *shift) {
    if (type_values(t) == BLOCK_VALUES) {
        scale[0] = t == DTYPE_MXFP4 ? mxfp4_scale(*(const uint8_t *)block) : load_f16(block);
        if (type_has_minimum(t)) shift[0] = load_f16(type_dmin(t, block)); // value = d q + m
        return;
    }
    ScaleBytes b = type_scale_bytes(t, block);
    float d = load_f16(type_d(t, block));
    for (int i = 0; i < SUPER_VALUES / type_group(t); i += 8) {
        scale8(b.scale[i / 8], type_scale_offset(t), d, scale + i);
        if (type_has_minimum(t))
            scale8(b.minimum[i / 8], 0, -load_f16(type_dmin(t, block)), shift + i);
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

static float round_q8_group(const float *x, int8_t *q, int16_t sum[2]) {
    float scale = encode_q8_group(x, q);
    v32_sums(v32_load(q), sum);
    return scale;
}

// An int8 row but for what is kept of it.
static void round_q8(const float *values, void *q8_row, int64_t n) {
    int8_t *q = q8_row;
    float *scale = (void *)(q + n);
    int16_t *sum = (void *)(scale + n / 32);
    for (int64_t g = 0; g < n / 32; g++)
        scale[g] = round_q8_group(values + 32 * g, q + 32 * g, sum + 2 * g);
}

static void encode_q8(const float *values, void *q8_row, int64_t n) {
    round_q8(values, q8_row, n);
    keep_largest(values, q8_row, n, round_q8_group);
}

WORD void decode(DType t, const void *row, float *values, int64_t n) {
    const uint8_t *block = row;
    int group = type_group(t);
    for (int64_t i = 0; i < n; i += type_values(t), block += type_bytes(t)) {
        float scale[16], shift[16];
        type_scales(t, block, scale, shift);
        UNROLL_8
        for (int g = 0; g < type_values(t) / 32; g++) {
            int8_t q[32];
            v32 v = type_block(t, block, g);
            v32_store(q, type_offset(t) ? v32_sub(v, v32_set((uint8_t)type_offset(t))) : v);
            for (int j = 0; j < 32; j += VF) {
                int s = (32 * g + j) / group;
                vf value = vf_mul(vf_load_s8(q + j), vf_set(scale[s]));
                if (type_has_minimum(t)) value = vf_add(value, vf_set(shift[s]));
                vf_store(values + i + 32 * g + j, value);
            }
        }
    }
}

#define QUANTIZED(X) \
    X(Q4_0)          \
    X(Q4_1)          \
    X(Q5_0) X(Q5_1) X(Q8_0) X(Q2_K) X(Q3_K) X(Q4_K) X(Q5_K) X(Q6_K) X(IQ4_NL) X(IQ4_XS) X(MXFP4)

#define X(name)                                                            \
    static void decode_##name(const void *row, float *values, int64_t n) { \
        decode(DTYPE_##name, row, values, n);                              \
    }
QUANTIZED(X)
#undef X

static void block_entries(Kernels *table) {
#define X(name) table->decode[DTYPE_##name] = decode_##name;
    QUANTIZED(X)
#undef X
    table->encode_q8 = encode_q8;
}
