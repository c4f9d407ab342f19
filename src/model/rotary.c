// rotary.c - how fast each pair of a head turns, under every scaling.
//
//   none    theta_i = base^(-2i/width)
//   linear  all slowed by the factor
//   llama3  long waves slowed, short ones kept, a ramp between (Llama 3.1 reference)
//   yarn    the same idea with borders counted in turns over the original context, and a larger
//           magnitude (Peng et al. 2023, arXiv 2309.00071)
#include <math.h>

#include "model/config.h"

static const double PI = 3.14159265358979323846;

double rotary_yarn_magnitude(double factor, double scale) {
    return factor <= 1 ? 1 : 0.1 * scale * log(factor) + 1;
}

// By how much llama3 scaling divides a speed.
static double llama3_divisor(const RotarySpec *spec, double speed) {
    double wave = 2 * PI / speed, original = (double)spec->original_context;
    double low = (double)spec->low, high = (double)spec->high, factor = (double)spec->factor;
    if (wave < original / high) return 1;
    if (wave > original / low) return factor;
    double smooth = (original / wave - low) / (high - low);
    return 1 / ((1 - smooth) / factor + smooth);
}

// The dimension that makes `turns` turns over the original context.
static double yarn_dimension(const RotarySpec *spec, double turns) {
    double original = (double)spec->original_context;
    return spec->width * log(original / (2 * PI * turns)) / (2 * log((double)spec->base));
}

static double yarn_speed(const RotarySpec *spec, double speed, int i) {
    double low = yarn_dimension(spec, (double)spec->beta_fast);
    double high = yarn_dimension(spec, (double)spec->beta_slow);
    if (spec->truncate) {
        low = floor(low);
        high = ceil(high);
    }
    low = fmax(low, 0);
    high = fmin(high, spec->width - 1);
    if (low == high) high += 0.001; // no division by zero
    double ramp = fmin(1, fmax(0, (i - low) / (high - low)));
    return speed / (double)spec->factor * ramp + speed * (1 - ramp);
}

Rotary rotary_make(Arena *arena, const RotarySpec *spec, const float *divisor) {
    int n = spec->width / 2;
    float *frequency = arena_new(arena, float, n);
    for (int i = 0; i < n; i++) {
        double speed = pow((double)spec->base, -2.0 * i / spec->width);
        if (spec->scaling == SCALING_LINEAR) speed /= (double)spec->factor;
        if (spec->scaling == SCALING_LLAMA3) speed /= llama3_divisor(spec, speed);
        if (spec->scaling == SCALING_YARN) speed = yarn_speed(spec, speed, i);
        if (divisor) speed /= (double)divisor[i];
        frequency[i] = (float)speed;
    }
    double magnitude = 1;
    if (spec->scaling == SCALING_YARN)
        magnitude = spec->attention_factor > 0 ? (double)spec->attention_factor
                                               : rotary_yarn_magnitude((double)spec->factor, 1);
    return (Rotary){.pairing = spec->pairing,
                    .n_pairs = n,
                    .frequency = frequency,
                    .magnitude = (float)magnitude};
}

float *rotary_llama3_divisors(Arena *arena, const RotarySpec *spec) {
    int n = spec->width / 2;
    float *divisor = arena_new(arena, float, n);
    for (int i = 0; i < n; i++)
        divisor[i] = (float)llama3_divisor(spec, pow((double)spec->base, -2.0 * i / spec->width));
    return divisor;
}
