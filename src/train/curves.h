// curves.h - train.svg: how the loss came down, by tokens and by seconds, and the learning rate.
#ifndef HEED_TRAIN_CURVES_H
#define HEED_TRAIN_CURVES_H

#include "train/journal.h"

// A history as columns, for drawing.
typedef struct Curves {
    double *tokens, *seconds, *loss, *smooth, *rate; // (n) loss NaN where a step was skipped
    int64_t n;
    double *v_tokens, *v_seconds, *v_loss; // (n_v) of the validations
    int64_t n_v;
} Curves;

// `smooth` is a running mean with exponential weights, over a fortieth of the steps, 200 at most.
Curves curves_make(Arena *arena, const History *history);

// Adds the drawing.  `words` are the sentences on top (verdict.h).
void curves_svg(StrBuilder *out, const History *history, Str words);

#endif
