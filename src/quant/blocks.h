// blocks.h - the byte layouts of the quantised types, as published with the GGUF format.
//
// A block is one run of values of a row with its scales.  d, m and dmin are binary16; integers are
// little-endian; y is the value, q the stored integer.  "Nibbles split in halves" means: of 32
// values the low nibbles of 16 bytes hold the first 16, the high nibbles the other 16.
// Only alignment to 2 is assumed.
#ifndef HEED_QUANT_BLOCKS_H
#define HEED_QUANT_BLOCKS_H

#include <stdint.h>

#include "quant/half.h"

enum { BLOCK_VALUES = 32, SUPER_VALUES = 256 };

// ---------------------------------------------------------------- 32 values

// y = d (q - 8); nibbles split in halves.
typedef struct BlockQ4_0 {
    uint16_t d;
    uint8_t qs[16];
} BlockQ4_0;
_Static_assert(sizeof(BlockQ4_0) == 18, "layout");

// y = d q + m; nibbles split in halves.
typedef struct BlockQ4_1 {
    uint16_t d, m;
    uint8_t qs[16];
} BlockQ4_1;
_Static_assert(sizeof(BlockQ4_1) == 20, "layout");

// y = d (q - 16); the fifth bit of value i is bit i of qh read as one 32-bit number.
typedef struct BlockQ5_0 {
    uint16_t d;
    uint8_t qh[4];
    uint8_t qs[16];
} BlockQ5_0;
_Static_assert(sizeof(BlockQ5_0) == 22, "layout");

// y = d q + m; bits as in Q5_0.
typedef struct BlockQ5_1 {
    uint16_t d, m;
    uint8_t qh[4];
    uint8_t qs[16];
} BlockQ5_1;
_Static_assert(sizeof(BlockQ5_1) == 24, "layout");

// y = d q.
typedef struct BlockQ8_0 {
    uint16_t d;
    int8_t qs[32];
} BlockQ8_0;
_Static_assert(sizeof(BlockQ8_0) == 34, "layout");

// y = d table[q] with the 16 uneven steps of block_iq4_values; nibbles split in halves.
typedef struct BlockIQ4_NL {
    uint16_t d;
    uint8_t qs[16];
} BlockIQ4_NL;
_Static_assert(sizeof(BlockIQ4_NL) == 18, "layout");

// y = 2^(e - 128) table[q] with block_mxfp4_values (twice the values of E2M1, hence 128 and not
// 127); nibbles split in halves.  OCP microscaling formats 1.0; e = 255, there a NaN, is a number.
typedef struct BlockMXFP4 {
    uint8_t e;
    uint8_t qs[16];
} BlockMXFP4;
_Static_assert(sizeof(BlockMXFP4) == 17, "layout");

// ---------------------------------------------------------------- 256 values

// 16 groups of 16.  y = d (scale & 15) q - dmin (scale >> 4).
// Values 128 h .. 128 h + 127 are in the 32 bytes from qs[32 h]: value 32 j + l of this half is
// bits 2j, 2j + 1 of byte l.
typedef struct BlockQ2_K {
    uint8_t scales[16];
    uint8_t qs[64];
    uint16_t d, dmin;
} BlockQ2_K;
_Static_assert(sizeof(BlockQ2_K) == 84, "layout");

// 16 groups of 16.  y = d (scale - 32) (q - 4).
// The low two bits of q as in Q2_K; the third is bit 4 h + j of hmask[l].  The 6-bit scale of group
// g is the nibble g (low nibbles of scales[0..7], then their high ones) and above it two bits of
// scales[8 + g % 4] at 2 (g / 4).
typedef struct BlockQ3_K {
    uint8_t hmask[32];
    uint8_t qs[64];
    uint8_t scales[12];
    uint16_t d;
} BlockQ3_K;
_Static_assert(sizeof(BlockQ3_K) == 110, "layout");

// 8 groups of 32.  y = d scale q - dmin minimum; scales by block_scale_min below.
// Groups 2i and 2i + 1 are the low and the high nibbles of the 32 bytes from qs[32 i].
typedef struct BlockQ4_K {
    uint16_t d, dmin;
    uint8_t scales[12];
    uint8_t qs[128];
} BlockQ4_K;
_Static_assert(sizeof(BlockQ4_K) == 144, "layout");

// As Q4_K, and bit g of qh[l] is the fifth bit of value l of group g.
typedef struct BlockQ5_K {
    uint16_t d, dmin;
    uint8_t scales[12];
    uint8_t qh[32];
    uint8_t qs[128];
} BlockQ5_K;
_Static_assert(sizeof(BlockQ5_K) == 176, "layout");

// 16 groups of 16.  y = d scale (q - 32).
// Each half of 128 values has 64 bytes of ql and 32 of qh: value 32 j + l has its low nibble in
// ql[32 (j % 2) + l] (low nibble for j < 2) and its upper two bits in qh[l] at 2 j.
typedef struct BlockQ6_K {
    uint8_t ql[128];
    uint8_t qh[64];
    int8_t scales[16];
    uint16_t d;
} BlockQ6_K;
_Static_assert(sizeof(BlockQ6_K) == 210, "layout");

// 8 groups of 32.  y = d (scale - 32) table[q], table as in IQ4_NL, 16 bytes a group, nibbles split
// in halves.  The 6-bit scale of group g is nibble g of scales_l and above it two bits of scales_h
// at 2 g.
typedef struct BlockIQ4_XS {
    uint16_t d;
    uint16_t scales_h;
    uint8_t scales_l[4];
    uint8_t qs[128];
} BlockIQ4_XS;
_Static_assert(sizeof(BlockIQ4_XS) == 136, "layout");

// ---------------------------------------------------------------- shared parts

extern const int8_t block_iq4_values[16];
extern const int8_t block_mxfp4_values[16];

// 2^(e - 128) as an f32, whose exponent field means 2^(field - 127): e = 0 and 1 are subnormal.
static inline float mxfp4_scale(uint8_t e) {
    return bits_to_f32(e >= 2 ? (uint32_t)(e - 1) << 23 : (uint32_t)0x200000 << e);
}

// Eight 6-bit scales and eight 6-bit minimums in 12 bytes (Q4_K, Q5_K).  The first four of each are
// the low six bits of bytes 0..3 and 4..7; the other four have their low nibbles in bytes 8..11
// (scale low, minimum high) and their upper two bits on top of bytes 0..3 and 4..7.
static inline void block_scale_min(const uint8_t scales[12], int g, int *scale, int *minimum) {
    if (g < 4) {
        *scale = scales[g] & 63;
        *minimum = scales[g + 4] & 63;
    } else {
        *scale = (scales[g + 4] & 15) | (scales[g - 4] >> 6) << 4;
        *minimum = (scales[g + 4] >> 4) | (scales[g] >> 6) << 4;
    }
}

#endif
