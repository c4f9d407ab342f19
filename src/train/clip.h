// clip.h - how large the gradients are together, and what is done when they are too large.
//
// The norm is that of all gradients as one vector.  Squares are summed in double precision in an
// order that depends on the shapes alone: the same bits for any number of threads, on any
// processor, and no overflow however large the values are.
#ifndef HEED_TRAIN_CLIP_H
#define HEED_TRAIN_CLIP_H

#include "base/pool.h"
#include "train/parameters.h"

// Sum of x^2 over n values.
double squares_sum(const float *x, int64_t n, Pool *pool);

typedef struct GradientNorm {
    double norm;        // not finite if a gradient is not
    int64_t not_finite; // the first parameter with a gradient that is not finite; -1: all are
    int64_t at;         // the place of the first such value in it, counted through its rows
} GradientNorm;
GradientNorm gradient_norm(const Parameters *parameters, Pool *pool);

// The factor that brings the norm down to `most`, or 1 when it is there already or `most` is 0:
// min(1, most / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_ has it.
double clip_factor(double norm, double most);

// ---------------------------------------------------------------- steps to skip
//
// A batch of damaged text can throw a model back by thousands of steps.  The guard knows the norms
// of the last steps and refuses one that is `factor` times their median.  Norms of refused steps
// count too, so that a lasting change is accepted after half a window.  Plain data: a checkpoint
// keeps it as it is.
enum { GUARD_WINDOW = 64, GUARD_LEAST = 16 };

typedef struct SpikeGuard {
    double norm[GUARD_WINDOW]; // the last ones, in a ring
    int64_t n_seen;            // finite norms so far; below GUARD_LEAST nothing is refused
} SpikeGuard;

typedef enum StepJudgement { STEP_GOOD, STEP_SPIKE, STEP_NOT_FINITE } StepJudgement;

// Judges a step by its norm and takes note of it.  `factor` 0 refuses only what is not finite.
// `words` (may be NULL) gets the reason of a refusal in words: which parameter, or how far from
// the median; "" for a good step.
StepJudgement spike_judge(SpikeGuard *guard, const Parameters *parameters, GradientNorm norm,
                          double factor, char words[256]);

#endif
