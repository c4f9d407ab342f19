// encode_k.c - Q4_K, Q5_K and Q6_K: for every group the scale (and minimum) that loses least.
//
// The loss of a group is the sum of w (decoded - x)^2 with w = importance (|x| + rms of the group):
// large weights matter more, and a group of small ones still counts.  A fit tries several steps
// around the obvious one; for each, values are rounded and the best scale and minimum for these
// integers follow from linear least squares.  The two-level scales are then rounded to their grid
// and their neighbours on the grid are tried too, against the loss after decoding.
//
// A block is first scaled by a power of two to magnitudes of about 1 (exact), so that no sum
// overflows or vanishes whatever the values are; a scale beyond binary16 saturates.
#include <math.h>
#include <string.h>

#include "quant/blocks.h"
#include "quant/encode.h"
#include "quant/half.h"

enum { Q6_OFFSET = 32, FIT_STEPS = 21 };

// A block on its way: normalised values and the weights of their errors.
typedef struct KSource {
    float x[SUPER_VALUES], w[SUPER_VALUES];
    int exponent; // value = x * 2^exponent
} KSource;

// ---------------------------------------------------------------- preparation

static float largest_magnitude(const float *x, int n) {
    float max = 0;
    for (int i = 0; i < n; i++) max = fabsf(x[i]) > max ? fabsf(x[i]) : max;
    return max;
}

static void put_weights(KSource *s, const float *importance, int group) {
    float top = importance ? largest_magnitude(importance, SUPER_VALUES) : 1;
    for (int from = 0; from < SUPER_VALUES; from += group) {
        const float *x = s->x + from;
        float *w = s->w + from, squares = 0, sum = 0;
        for (int i = 0; i < group; i++) squares += x[i] * x[i];
        float rms = sqrtf(squares / (float)group);
        for (int i = 0; i < group; i++) {
            w[i] = fabsf(x[i]) + rms;
            if (top > 0 && importance) w[i] *= importance[from + i] / top;
            sum += w[i];
        }
        // A group that is zero or unimportant throughout has no preferences.
        for (int i = 0; !(sum > 1e-20f) && i < group; i++) w[i] = 1;
    }
}

static void source_make(KSource *s, const float *values, const float *importance, int group) {
    float max = largest_magnitude(values, SUPER_VALUES);
    s->exponent = 0;
    if (max > 0 && isfinite(max)) frexpf(max, &s->exponent);
    double factor = ldexp(1, -s->exponent);
    for (int i = 0; i < SUPER_VALUES; i++) s->x[i] = (float)((double)values[i] * factor);
    put_weights(s, importance, group);
}

// The binary16 nearest to a normalised number's true size; finite, of either sign.
static uint16_t scale_to_half(const KSource *s, float normalised) {
    double size = ldexp((double)normalised, s->exponent);
    return f32_to_f16((float)fmax(-65504, fmin(65504, size)));
}

static float half_to_scale(const KSource *s, uint16_t h) {
    return (float)ldexp((double)f16_to_f32(h), -s->exponent);
}

// 1/v, so that dividing by a scale of 0 gives 0.  It may be infinite: nearest() takes anything.
static float reciprocal(float v) {
    return v != 0 ? 1 / v : 0;
}

// The integer 0 .. max nearest to v; infinities go to the ends, a NaN to 0.
static inline int nearest(float v, int max) {
    v = v > 0 ? v : 0;
    v = v < (float)max ? v : (float)max;
    return (int)(v + 0.5f);
}

// ---------------------------------------------------------------- scale and minimum

// x ~ scale q - minimum, q in 0 .. q_max, scale and minimum >= 0.
typedef struct Affine {
    float scale, minimum, loss;
} Affine;

typedef struct Group {
    const float *x, *w;
    int n, q_max;
} Group;

static float affine_loss(const Group *g, float scale, float minimum) {
    float loss = 0, inverse = reciprocal(scale);
    for (int i = 0; i < g->n; i++) {
        float q = (float)nearest((g->x[i] + minimum) * inverse, g->q_max);
        float off = scale * q - minimum - g->x[i];
        loss += g->w[i] * off * off;
    }
    return loss;
}

// The best scale and minimum for the integers that `step` rounds to; its loss after rounding anew.
static Affine affine_refit(const Group *g, Affine step) {
    float w = 0, wx = 0, wq = 0, wqq = 0, wqx = 0, inverse = reciprocal(step.scale);
    for (int i = 0; i < g->n; i++) {
        float q = (float)nearest((g->x[i] + step.minimum) * inverse, g->q_max);
        w += g->w[i];
        wx += g->w[i] * g->x[i];
        wq += g->w[i] * q;
        wqq += g->w[i] * q * q;
        wqx += g->w[i] * q * g->x[i];
    }
    Affine fit = step;
    float determinant = w * wqq - wq * wq;
    if (determinant > 0) {
        fit.scale = (w * wqx - wx * wq) / determinant;
        fit.minimum = (wq * wqx - wqq * wx) / determinant;
    }
    if (fit.minimum < 0 || determinant <= 0) {
        fit.minimum = fit.minimum < 0 ? 0 : fit.minimum;
        fit.scale = wqq > 0 ? (wqx + fit.minimum * wq) / wqq : 0;
    }
    if (!(fit.scale > 0)) fit = step;
    fit.loss = affine_loss(g, fit.scale, fit.minimum);
    return fit;
}

static Affine affine_fit(const Group *g) {
    float low = 0, high = g->x[0];
    for (int i = 0; i < g->n; i++) {
        low = g->x[i] < low ? g->x[i] : low;
        high = g->x[i] > high ? g->x[i] : high;
    }
    if (!(high > low)) return (Affine){0, -low, 0}; // all equal and not above 0
    Affine best = {(high - low) / (float)g->q_max, -low, 0};
    best.loss = affine_loss(g, best.scale, best.minimum);
    for (int i = 0; i < FIT_STEPS; i++) {
        float levels = (float)g->q_max - 1 + 2 * (float)i / (FIT_STEPS - 1);
        Affine fit = affine_refit(g, (Affine){(high - low) / levels, -low, 0});
        if (fit.loss < best.loss) best = fit;
    }
    for (int i = 0; i < 2; i++) {
        Affine fit = affine_refit(g, best);
        if (fit.loss < best.loss) best = fit;
    }
    return best;
}

// A block of Q4_K or Q5_K before it is packed.
typedef struct AffineBlock {
    uint16_t d, dmin;
    int scale[8], minimum[8];
    uint8_t q[SUPER_VALUES];
} AffineBlock;

// Rounds a fit to the grid of the block: the best of the nearest point and its eight neighbours.
static void affine_to_grid(const Group *g, Affine fit, const float step[2], int grid[2]) {
    int scale_at = nearest(fit.scale * reciprocal(step[0]), 63);
    int minimum_at = nearest(fit.minimum * reciprocal(step[1]), 63);
    float least = INFINITY;
    grid[0] = scale_at;
    grid[1] = minimum_at;
    for (int i = 0; i < 9; i++) {
        int scale = scale_at + (i + 1) % 3 - 1, minimum = minimum_at + (i / 3 + 1) % 3 - 1;
        if (scale < 0 || scale > 63 || minimum < 0 || minimum > 63) continue;
        float loss = affine_loss(g, step[0] * (float)scale, step[1] * (float)minimum);
        if (loss < least) {
            least = loss;
            grid[0] = scale;
            grid[1] = minimum;
        }
    }
}

static void affine_block(const KSource *s, int q_max, AffineBlock *b) {
    Affine fit[8];
    float scale_max = 0, minimum_max = 0;
    for (int g = 0; g < 8; g++) {
        fit[g] = affine_fit(&(Group){s->x + 32 * g, s->w + 32 * g, 32, q_max});
        scale_max = fmaxf(scale_max, fit[g].scale);
        minimum_max = fmaxf(minimum_max, fit[g].minimum);
    }
    b->d = scale_to_half(s, scale_max / 63);
    b->dmin = scale_to_half(s, minimum_max / 63);
    const float step[2] = {half_to_scale(s, b->d), half_to_scale(s, b->dmin)};
    for (int g = 0; g < 8; g++) {
        int grid[2];
        affine_to_grid(&(Group){s->x + 32 * g, s->w + 32 * g, 32, q_max}, fit[g], step, grid);
        b->scale[g] = grid[0];
        b->minimum[g] = grid[1];
        float minimum = step[1] * (float)grid[1], inverse = reciprocal(step[0] * (float)grid[0]);
        for (int i = 32 * g; i < 32 * g + 32; i++) {
            b->q[i] = (uint8_t)nearest((s->x[i] + minimum) * inverse, q_max);
        }
    }
}

// The inverse of block_scale_min.
static void pack_scales(const AffineBlock *b, uint8_t scales[12]) {
    memset(scales, 0, 12);
    for (int g = 0; g < 4; g++) {
        scales[g] = (uint8_t)(b->scale[g] | b->scale[g + 4] >> 4 << 6);
        scales[g + 4] = (uint8_t)(b->minimum[g] | b->minimum[g + 4] >> 4 << 6);
        scales[g + 8] = (uint8_t)((b->scale[g + 4] & 15) | (b->minimum[g + 4] & 15) << 4);
    }
}

static void pack_nibbles(const AffineBlock *b, uint8_t *qs) {
    for (int i = 0; i < 128; i++) {
        const uint8_t *q = b->q + i / 32 * 64 + i % 32;
        qs[i] = (uint8_t)((q[0] & 15) | (q[32] & 15) << 4);
    }
}

void encode_q4_k(const float *values, const float *importance, void *row, int64_t n) {
    BlockQ4_K *out = row;
    for (int64_t at = 0; at < n; at += SUPER_VALUES, out++) {
        KSource s;
        AffineBlock b;
        source_make(&s, values + at, importance ? importance + at : NULL, 32);
        affine_block(&s, 15, &b);
        out->d = b.d;
        out->dmin = b.dmin;
        pack_scales(&b, out->scales);
        pack_nibbles(&b, out->qs);
    }
}

void encode_q5_k(const float *values, const float *importance, void *row, int64_t n) {
    BlockQ5_K *out = row;
    for (int64_t at = 0; at < n; at += SUPER_VALUES, out++) {
        KSource s;
        AffineBlock b;
        source_make(&s, values + at, importance ? importance + at : NULL, 32);
        affine_block(&s, 31, &b);
        out->d = b.d;
        out->dmin = b.dmin;
        pack_scales(&b, out->scales);
        pack_nibbles(&b, out->qs);
        memset(out->qh, 0, sizeof out->qh);
        for (int i = 0; i < SUPER_VALUES; i++) {
            out->qh[i % 32] |= (uint8_t)(b.q[i] >> 4 << (i / 32));
        }
    }
}

// ---------------------------------------------------------------- scale only (Q6_K)

static inline int nearest_signed(float v) {
    return nearest(v + Q6_OFFSET, 63) - Q6_OFFSET;
}

static float scaled_loss(const Group *g, float scale) {
    float loss = 0, inverse = reciprocal(scale);
    for (int i = 0; i < g->n; i++) {
        float off = scale * (float)nearest_signed(g->x[i] * inverse) - g->x[i];
        loss += g->w[i] * off * off;
    }
    return loss;
}

static float scaled_refit(const Group *g, float step) {
    float wqq = 0, wqx = 0, inverse = reciprocal(step);
    for (int i = 0; i < g->n; i++) {
        float q = (float)nearest_signed(g->x[i] * inverse);
        wqq += g->w[i] * q * q;
        wqx += g->w[i] * q * g->x[i];
    }
    return wqq > 0 ? wqx / wqq : step;
}

// The largest value goes to -32, the longer side, so the scale may be negative.
static float scaled_fit(const Group *g) {
    float top = 0, best = 0, least = INFINITY;
    for (int i = 0; i < g->n; i++) top = fabsf(g->x[i]) > fabsf(top) ? g->x[i] : top;
    if (top == 0) return 0;
    for (int i = 0; i < FIT_STEPS; i++) {
        float levels = Q6_OFFSET - 1 + 2 * (float)i / (FIT_STEPS - 1);
        float fit = scaled_refit(g, top / -levels), loss = scaled_loss(g, fit);
        if (loss < least) {
            least = loss;
            best = fit;
        }
    }
    return best;
}

// The best of the grid point nearest to the fit and its two neighbours.
static int scaled_to_grid(const Group *g, float fit, float step) {
    int at = nearest(fit * reciprocal(step) + 128, 255) - 128, best = at;
    float least = INFINITY;
    for (int scale = at - 1; scale <= at + 1; scale++) {
        if (scale < -128 || scale > 127) continue;
        float loss = scaled_loss(g, step * (float)scale);
        if (loss < least) {
            least = loss;
            best = scale;
        }
    }
    return best;
}

static void pack_q6(const uint8_t q[SUPER_VALUES], BlockQ6_K *out) {
    for (int half = 0; half < 2; half++) {
        for (int l = 0; l < 32; l++) {
            const uint8_t *v = q + 128 * half + l;
            uint8_t *ql = out->ql + 64 * half + l;
            ql[0] = (uint8_t)((v[0] & 15) | (v[64] & 15) << 4);
            ql[32] = (uint8_t)((v[32] & 15) | (v[96] & 15) << 4);
            out->qh[32 * half + l] =
                (uint8_t)(v[0] >> 4 | v[32] >> 4 << 2 | v[64] >> 4 << 4 | v[96] >> 4 << 6);
        }
    }
}

static void encode_q6_block(const KSource *s, BlockQ6_K *out) {
    float fit[16], top = 0;
    uint8_t q[SUPER_VALUES];
    for (int g = 0; g < 16; g++) {
        fit[g] = scaled_fit(&(Group){s->x + 16 * g, s->w + 16 * g, 16, 63});
        top = fabsf(fit[g]) > fabsf(top) ? fit[g] : top;
    }
    out->d = scale_to_half(s, top / -128);
    float step = half_to_scale(s, out->d);
    for (int g = 0; g < 16; g++) {
        int scale = scaled_to_grid(&(Group){s->x + 16 * g, s->w + 16 * g, 16, 63}, fit[g], step);
        float inverse = reciprocal(step * (float)scale);
        out->scales[g] = (int8_t)scale;
        for (int i = 16 * g; i < 16 * g + 16; i++) {
            q[i] = (uint8_t)(nearest_signed(s->x[i] * inverse) + Q6_OFFSET);
        }
    }
    pack_q6(q, out);
}

void encode_q6_k(const float *values, const float *importance, void *row, int64_t n) {
    BlockQ6_K *out = row;
    for (int64_t at = 0; at < n; at += SUPER_VALUES, out++) {
        KSource s;
        source_make(&s, values + at, importance ? importance + at : NULL, 16);
        encode_q6_block(&s, out);
    }
}
