// verdict.h - what a training run's numbers say, in plain words with the numbers.
//
// The rules compare means over tenths of the run, so that the noise of single batches does not
// decide; they are written beside their thresholds in verdict.c.
#ifndef HEED_TRAIN_VERDICT_H
#define HEED_TRAIN_VERDICT_H

#include "train/journal.h"

// X(NAME, "name") - from the gravest on; the first that holds is the verdict.
#define VERDICTS(X)                                                                         \
    X(TOO_SHORT, "too short")         /* fewer than 20 steps: nothing to judge */           \
    X(NOT_FINITE, "not finite")       /* the loss is no number any more */                  \
    X(RATE_TOO_HIGH, "rate too high") /* it rose, or never fell, while the rate was high */ \
    X(DIVERGING, "diverging")         /* it rose, and the rate is not the likely reason */  \
    X(FLAT, "flat")                   /* it never fell below what guessing costs */         \
    X(OVERFITTING, "overfitting")     /* validation rises while training falls */           \
    X(SPIKES, "spikes")               /* it falls, with jumps or skipped steps between */   \
    X(LEVEL, "levelled off")          /* it fell, and falls no longer */                    \
    X(LEARNING, "learning")           /* it falls */

typedef enum VerdictKind {
#define X(name, words) VERDICT_##name,
    VERDICTS(X)
#undef X
        VERDICT_COUNT
} VerdictKind;
const char *verdict_name(VerdictKind kind);

typedef struct Verdict {
    VerdictKind kind;
    Str words; // sentences
} Verdict;

Verdict verdict_make(Arena *arena, const History *history);

#endif
