// softmax.c - exp, sums and softmax in double.
//
// exp(x) for x <= 0: x = k ln 2 + r with |r| <= ln 2 / 2, then 2^k times the Taylor series of
// exp(r) to the 13th power, whose remainder (r^14 / 14! < 5e-18) is below half a unit in the last
// place. The loops have no branches and no calls, so the compiler turns them into vector code.
#include "generate/softmax.h"

#include <math.h>
#include <string.h>

enum { N_LANES = 8 };

// Below this exp is smaller than the least normal double; it is taken as 0.
static const double EXP_LOWEST = -708;

static inline double exp_down(double given) {
    const double log2_e = 0x1.71547652b82fep+0;
    // ln 2 in two parts: k times the first is exact for |k| < 2^21.
    const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
    // Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits of the sum.
    const double rounder = 0x1.8p52;
    double x = given < EXP_LOWEST ? EXP_LOWEST : given;
    double rounded = x * log2_e + rounder;
    double k = rounded - rounder;
    double r = (x - k * ln2_high) - k * ln2_low;
    double series = 1.0 / 6227020800;
    series = series * r + 1.0 / 479001600;
    series = series * r + 1.0 / 39916800;
    series = series * r + 1.0 / 3628800;
    series = series * r + 1.0 / 362880;
    series = series * r + 1.0 / 40320;
    series = series * r + 1.0 / 5040;
    series = series * r + 1.0 / 720;
    series = series * r + 1.0 / 120;
    series = series * r + 1.0 / 24;
    series = series * r + 1.0 / 6;
    series = series * r + 0.5;
    series = series * r + 1;
    series = series * r + 1;
    uint64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    bits = given < EXP_LOWEST ? 0 : (bits + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return series * power;
}

double sum_f64(const double *x, int64_t n) {
    double lane[N_LANES] = {0};
    int64_t i = 0;
    for (; i + N_LANES <= n; i += N_LANES) {
        for (int j = 0; j < N_LANES; j++) lane[j] += x[i + j];
    }
    for (int j = 0; i < n; i++, j++) lane[j] += x[i];
    for (int step = N_LANES / 2; step > 0; step /= 2) {
        for (int j = 0; j < step; j++) lane[j] += lane[j + step];
    }
    return lane[0];
}

double max_f64(const double *x, int64_t n) {
    double lane[N_LANES];
    for (int j = 0; j < N_LANES; j++) lane[j] = -HUGE_VAL;
    int64_t i = 0;
    for (; i + N_LANES <= n; i += N_LANES) {
        for (int j = 0; j < N_LANES; j++) lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
    }
    double max = -HUGE_VAL;
    for (; i < n; i++) max = x[i] > max ? x[i] : max;
    for (int j = 0; j < N_LANES; j++) max = lane[j] > max ? lane[j] : max;
    return max;
}

double softmax_weigh(const double *x, int64_t n, double *weight) {
    double max = max_f64(x, n);
    for (int64_t i = 0; i < n; i++) weight[i] = exp_down(x[i] - max);
    return sum_f64(weight, n);
}

void softmax_f64(const float *logits, int64_t n, double *probability) {
    for (int64_t i = 0; i < n; i++) probability[i] = (double)logits[i];
    double total = softmax_weigh(probability, n, probability);
    for (int64_t i = 0; i < n; i++) probability[i] /= total;
}

double softmax_log_total(const float *logits, int64_t n) {
    float max = -INFINITY;
    for (int64_t i = 0; i < n; i++) max = logits[i] > max ? logits[i] : max;
    double lane[N_LANES] = {0};
    for (int64_t i = 0; i < n; i++) lane[i % N_LANES] += exp_down((double)logits[i] - (double)max);
    return (double)max + log(sum_f64(lane, N_LANES));
}

bool logits_check(const float *logits, int64_t n, Error *err) {
    bool is_wrong = false, has_finite = false;
    for (int64_t i = 0; i < n; i++) {
        is_wrong |= !(logits[i] < INFINITY); // a NaN compares false
        has_finite |= logits[i] > -INFINITY;
    }
    if (!is_wrong && has_finite) return true;
    if (!is_wrong) return error_set(err, ERROR_FORMAT, "the model produced -inf for every token");
    int64_t id = 0;
    while (logits[id] < INFINITY) id++;
    return error_set(err, ERROR_FORMAT, "the model produced %s for token %lld",
                     isnan(logits[id]) ? "NaN" : "infinity", (long long)id);
}
