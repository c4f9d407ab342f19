// encode_legacy.c - F32, F16, BF16, Q8_0 and Q4_0: one pass, no search.
//
// The rounding rules are those of the reference implementation, so the bytes are equal to its own:
// both types scale by the reciprocal of d before d itself is rounded to binary16.
// Beyond the range of binary16 (where the reference would store an infinite scale, and 0 would
// decode to NaN) the scale is the largest finite one and the integers saturate.
#include <math.h>
#include <string.h>

#include "quant/blocks.h"
#include "quant/encode.h"
#include "quant/half.h"

void encode_f32(const float *values, const float *importance, void *row, int64_t n) {
    (void)importance;
    memcpy(row, values, (size_t)n * sizeof *values);
}

void encode_f16(const float *values, const float *importance, void *row, int64_t n) {
    (void)importance;
    uint16_t *half = row;
    for (int64_t i = 0; i < n; i++) half[i] = f32_to_f16(values[i]);
}

void encode_bf16(const float *values, const float *importance, void *row, int64_t n) {
    (void)importance;
    uint16_t *half = row;
    for (int64_t i = 0; i < n; i++) half[i] = f32_to_bf16(values[i]);
}

// The value of largest magnitude with its sign, the first of equals.
static float largest(const float *x) {
    float max = 0;
    for (int i = 0; i < BLOCK_VALUES; i++) {
        if (fabsf(x[i]) > fabsf(max)) max = x[i];
    }
    return max;
}

// Brings d into the range of binary16; returns 1/d, or 0 where d is too small to have one.
static float reciprocal_in_range(float *d) {
    if (fabsf(*d) >= 65520) *d = copysignf(65504, *d);
    float reciprocal = *d != 0 ? 1 / *d : 0;
    return isfinite(reciprocal) ? reciprocal : 0;
}

// v cut to low .. high before it becomes an integer: no value is undefined (NaN gives low).
static int clamped(float v, float low, float high) {
    v = v > low ? v : low;
    return (int)(v < high ? v : high);
}

void encode_q8_0(const float *values, const float *importance, void *row, int64_t n) {
    (void)importance;
    BlockQ8_0 *b = row;
    for (int64_t done = 0; done < n; done += BLOCK_VALUES, b++) {
        const float *x = values + done;
        float d = fabsf(largest(x)) / 127, reciprocal = reciprocal_in_range(&d);
        b->d = f32_to_f16(d);
        for (int i = 0; i < BLOCK_VALUES; i++) {
            b->qs[i] = (int8_t)clamped(roundf(x[i] * reciprocal), -127, 127);
        }
    }
}

void encode_q4_0(const float *values, const float *importance, void *row, int64_t n) {
    (void)importance;
    BlockQ4_0 *b = row;
    for (int64_t done = 0; done < n; done += BLOCK_VALUES, b++) {
        const float *x = values + done;
        float d = largest(x) / -8, reciprocal = reciprocal_in_range(&d);
        b->d = f32_to_f16(d);
        for (int i = 0; i < 16; i++) {
            int low = clamped(x[i] * reciprocal + 8.5f, 0, 15);
            int high = clamped(x[i + 16] * reciprocal + 8.5f, 0, 15);
            b->qs[i] = (uint8_t)(low | high << 4);
        }
    }
}
