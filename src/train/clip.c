// clip.c - norms over a fixed cut, and the median of a ring.
#include "train/clip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- norm
enum { PARTS_MAX = 64, PART_LEAST = 4096, LANES = 8 };

typedef struct SquaresWork {
    const float *x;
    int64_t n, n_parts;
    double sum[PARTS_MAX];
} SquaresWork;

// Lanes are independent, so that the compiler can use vectors without changing the order.
static double part_sum(const float *x, int64_t n) {
    double lane[LANES] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int j = 0; j < LANES; j++) lane[j] += (double)x[i + j] * (double)x[i + j];
    for (int j = 0; i < n; i++, j++) lane[j] += (double)x[i] * (double)x[i];
    for (int j = 0; j < LANES; j++) sum += lane[j];
    return sum;
}

static void squares_task(void *arg, int64_t begin, int64_t end, int worker) {
    SquaresWork *w = arg;
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        int64_t from = i * w->n / w->n_parts, to = (i + 1) * w->n / w->n_parts;
        w->sum[i] = part_sum(w->x + from, to - from);
    }
}

double squares_sum(const float *x, int64_t n, Pool *pool) {
    SquaresWork w = {.x = x, .n = n, .n_parts = n / PART_LEAST};
    double sum = 0;
    if (w.n_parts < 1) w.n_parts = 1;
    if (w.n_parts > PARTS_MAX) w.n_parts = PARTS_MAX;
    pool_run(pool, squares_task, &w, w.n_parts, 1);
    for (int64_t i = 0; i < w.n_parts; i++) sum += w.sum[i];
    return sum;
}

// Squares of finite floats are far below the largest double: a sum that is not finite has a term
// that is not.
GradientNorm gradient_norm(const Parameters *parameters, Pool *pool) {
    GradientNorm result = {.not_finite = -1};
    double sum = 0;
    for (int64_t i = 0; i < parameters->n; i++) {
        const Parameter *p = &parameters->list[i];
        double part = squares_sum(p->grad, parameter_count(p), pool);
        sum += part;
        if (isfinite(part) || result.not_finite >= 0) continue;
        result.not_finite = i;
        while (isfinite(p->grad[result.at])) result.at++;
    }
    result.norm = sqrt(sum);
    return result;
}

double clip_factor(double norm, double most) {
    double factor = most / (norm + 1e-6);
    return most > 0 && factor < 1 ? factor : 1;
}

// ---------------------------------------------------------------- spikes
static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const SpikeGuard *guard, int64_t n) {
    double sorted[GUARD_WINDOW];
    memcpy(sorted, guard->norm, sizeof(double) * (size_t)n);
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

StepJudgement spike_judge(SpikeGuard *guard, const Parameters *parameters, GradientNorm norm,
                          double factor, char words[256]) {
    char unused[256];
    if (!words) words = unused;
    words[0] = 0;
    if (norm.not_finite >= 0) {
        const Parameter *p = &parameters->list[norm.not_finite];
        snprintf(words, 256, "the gradient of %.160s is %s in row %lld, column %lld", p->name,
                 isnan(p->grad[norm.at]) ? "not a number" : "infinite",
                 (long long)(norm.at / p->cols), (long long)(norm.at % p->cols));
        return STEP_NOT_FINITE;
    }
    int64_t n = guard->n_seen < GUARD_WINDOW ? guard->n_seen : GUARD_WINDOW;
    double median = n > 0 ? median_of(guard, n) : 0;
    guard->norm[guard->n_seen++ % GUARD_WINDOW] = norm.norm;
    if (factor <= 0 || n < GUARD_LEAST || median <= 0 || norm.norm <= factor * median)
        return STEP_GOOD;
    snprintf(words, 256,
             "the gradient norm %.4g is %.1f times the median %.4g of the last %lld steps",
             norm.norm, norm.norm / median, median, (long long)n);
    return STEP_SPIKE;
}
