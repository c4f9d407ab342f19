// kept.h - which values of an int8 row are kept out of it (inside kernels/ only).
//
// One value far above its neighbours makes the steps of its whole group of 32 coarse, and the
// activations of language models have such values (Dettmers et al. 2022, arXiv 2208.07339).
// Without the four largest of each row, rounding changes what a model predicts a quarter as much
// (divergence of SmolLM2's predictions, docs/accuracy.md).
#ifndef HEED_KERNELS_KEPT_H
#define HEED_KERNELS_KEPT_H

#include <string.h>

#include "kernels/kernels.h"

// Rounds 32 values to q, with the sums of their halves.  Returns the scale.
typedef float RoundGroup(const float *x, int8_t *q, int16_t sum[2]);

// The first of the values that are furthest from 0.  Magnitudes are in the order of their bits.
static inline int64_t kept_furthest(const float *x, int64_t n) {
    int32_t most = 0, bits;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        memcpy(&bits, x + i, sizeof bits);
        bits &= INT32_MAX;
        most = bits > most ? bits : most;
    }
    do memcpy(&bits, x + at++, sizeof bits);
    while ((bits & INT32_MAX) != most);
    return at - 1;
}

// Takes the largest values out of a row whose groups are rounded, and rounds what they leave.
static inline void keep_largest(const float *values, void *q8_row, int64_t n, RoundGroup *round) {
    int8_t *q = q8_row;
    float *scale = (void *)(q + n);
    int16_t *sum = (void *)(scale + n / 32);
    Q8Kept *kept = (void *)(sum + n / 16);
    for (int taken = 0; n > 0 && taken < Q8_KEPT; taken++) {
        int64_t g = kept_furthest(scale, n / 32);
        float x[32];
        memcpy(x, values + 32 * g, sizeof x);
        for (int i = 0; i < taken; i++)
            if (kept->column[i] / 32 == g) x[kept->column[i] % 32] = 0;
        int64_t column = 32 * g + kept_furthest(x, 32);
        int i = taken;
        for (; i > 0 && kept->column[i - 1] > column; i--) {
            kept->column[i] = kept->column[i - 1];
            kept->value[i] = kept->value[i - 1];
        }
        kept->column[i] = (int32_t)column;
        kept->value[i] = x[column % 32];
        x[column % 32] = 0;
        scale[g] = round(x, q + 32 * g, sum + 2 * g);
    }
}

#endif
