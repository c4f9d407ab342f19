// schedule.h - the learning rate at each step.
//
//   rate
//   peak    /--------\              warm-up: straight from 0, reaching the peak at step `warmup`
//          /          \             then the shape of the kind, with p the share of the steps
//   floor /            \____        from there to the last: 0 at step `warmup`, 1 at step `steps`
//         1  warmup     steps       beyond: the floor
//
// Steps are counted from 1.
#ifndef HEED_TRAIN_SCHEDULE_H
#define HEED_TRAIN_SCHEDULE_H

#include "base/error.h"
#include "base/str.h"

// X(NAME, name) - shapes; f goes from 1 to 0, the rate is floor + (peak - floor) f.
//   constant   f = 1; the floor does not count
//   cosine     f = (1 + cos(pi p)) / 2           (Loshchilov and Hutter 2017, arXiv 1608.03983)
//   linear     f = 1 - p
//   stable     f = 1, and 1 - sqrt(q) with the share q of the last `decay` steps: warm-up, stable,
//              decay                             (Haegele et al. 2024, arXiv 2405.18392)
#define SCHEDULES(X)      \
    X(CONSTANT, constant) \
    X(COSINE, cosine)     \
    X(LINEAR, linear)     \
    X(STABLE, stable)

typedef enum ScheduleKind {
#define X(name, word) SCHEDULE_##name,
    SCHEDULES(X)
#undef X
        SCHEDULE_COUNT
} ScheduleKind;
const char *schedule_name(ScheduleKind kind);
bool schedule_from_name(Str name, ScheduleKind *kind);

typedef struct Schedule {
    ScheduleKind kind;
    double peak, floor; // learning rates, 0 <= floor <= peak, peak > 0
    int64_t warmup;     // steps, 0 <= warmup <= steps
    int64_t steps;      // of the whole training, >= 1
    int64_t decay;      // STABLE: the last steps, 0 <= decay <= steps - warmup
} Schedule;

// ERROR_USAGE for numbers outside of these ranges.
MUST_USE bool schedule_check(const Schedule *schedule, Error *err);
double schedule_rate(const Schedule *schedule, int64_t step);

#endif
