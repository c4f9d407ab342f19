// half.h - the two 16-bit floats, one value at a time, in integer arithmetic: the same bits on
// every machine.  (Vector conversions are in kernels/.)
#ifndef HEED_QUANT_HALF_H
#define HEED_QUANT_HALF_H

#include <stdint.h>
#include <string.h>

static inline float bits_to_f32(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t f32_to_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

// bfloat16 is the upper half of an f32.
static inline float bf16_to_f32(uint16_t h) {
    return bits_to_f32((uint32_t)h << 16);
}

// Rounds to nearest, ties to even; a NaN stays a (quiet) NaN.
static inline uint16_t f32_to_bf16(float f) {
    uint32_t b = f32_to_bits(f);
    if ((b & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((b >> 16) | 0x40);
    return (uint16_t)((b + 0x7fff + ((b >> 16) & 1)) >> 16);
}

// IEEE 754 binary16, subnormals kept.
static inline float f16_to_f32(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = (h >> 10) & 31, fraction = h & 0x3ff;
    if (exponent == 31) return bits_to_f32(sign | 0x7f800000u | fraction << 13);
    if (exponent) return bits_to_f32(sign | (exponent + 112) << 23 | fraction << 13);
    return bits_to_f32(sign | f32_to_bits((float)fraction * 0x1p-24f)); // zero, subnormal: exact
}

// Rounds to nearest, ties to even; beyond 65504 + half a step becomes infinity.
static inline uint16_t f32_to_f16(float f) {
    uint32_t b = f32_to_bits(f), sign = (b >> 16) & 0x8000, m = b & 0x7fffffffu;
    if (m > 0x7f800000u) return (uint16_t)(sign | 0x7e00); // NaN
    if (m >= 0x477ff000u) return (uint16_t)(sign | 0x7c00);
    if (m < 0x38800000u) { // subnormal half: let the f32 adder round at 2^-24
        float r = bits_to_f32(m) + 0.5f;
        return (uint16_t)(sign | (f32_to_bits(r) - 0x3f000000u));
    }
    m += 0xc8000fffu + ((m >> 13) & 1);
    return (uint16_t)(sign | m >> 13);
}

#endif
