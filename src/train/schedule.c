// schedule.c - the shapes, one function each, and the table of them.
#include "train/schedule.h"

#include <math.h>

typedef double Shape(const Schedule *s, int64_t step);

// The share of n steps that end with the last one: 0 before they begin.
static double share_of_last(const Schedule *s, int64_t n, int64_t step) {
    int64_t done = step - (s->steps - n);
    return n > 0 && done > 0 ? (double)done / (double)n : 0;
}

static double shape_constant(const Schedule *s, int64_t step) {
    (void)s, (void)step;
    return 1;
}

static double shape_linear(const Schedule *s, int64_t step) {
    return 1 - share_of_last(s, s->steps - s->warmup, step);
}

static double shape_cosine(const Schedule *s, int64_t step) {
    const double pi = 3.14159265358979323846;
    return (1 + cos(pi * share_of_last(s, s->steps - s->warmup, step))) / 2;
}

static double shape_stable(const Schedule *s, int64_t step) {
    return 1 - sqrt(share_of_last(s, s->decay, step));
}

static const struct {
    const char *name;
    Shape *shape;
} kinds[SCHEDULE_COUNT] = {
#define X(name, word) [SCHEDULE_##name] = {#word, shape_##word},
    SCHEDULES(X)
#undef X
};

const char *schedule_name(ScheduleKind kind) {
    return kinds[kind].name;
}

bool schedule_from_name(Str name, ScheduleKind *kind) {
    for (int i = 0; i < SCHEDULE_COUNT; i++) {
        if (!str_equal(name, str_from(kinds[i].name))) continue;
        *kind = (ScheduleKind)i;
        return true;
    }
    return false;
}

bool schedule_check(const Schedule *s, Error *err) {
    if (!(s->peak > 0) || !isfinite(s->peak))
        return error_set(err, ERROR_USAGE, "schedule: the learning rate is %g, must be above 0",
                         s->peak);
    if (!(s->floor >= 0 && s->floor <= s->peak))
        return error_set(err, ERROR_USAGE,
                         "schedule: the last learning rate is %g, must be from 0 to the peak %g",
                         s->floor, s->peak);
    if (s->steps < 1)
        return error_set(err, ERROR_USAGE, "schedule: %lld steps, must be at least 1",
                         (long long)s->steps);
    if (s->warmup < 0 || s->warmup > s->steps)
        return error_set(err, ERROR_USAGE,
                         "schedule: %lld steps of warm-up, must be from 0 to %lld",
                         (long long)s->warmup, (long long)s->steps);
    if (s->decay < 0 || s->decay > s->steps - s->warmup)
        return error_set(err, ERROR_USAGE, "schedule: %lld steps of decay, must be from 0 to %lld",
                         (long long)s->decay, (long long)(s->steps - s->warmup));
    return true;
}

double schedule_rate(const Schedule *s, int64_t step) {
    if (step < s->warmup) return s->peak * (double)step / (double)s->warmup;
    if (step > s->steps) step = s->steps;
    return s->floor + (s->peak - s->floor) * kinds[s->kind].shape(s, step);
}
