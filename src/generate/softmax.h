// softmax.h - probabilities in double, the same bits on every machine.
//
// The exponential is our own (additions and multiplications only, libm's differ in the last bit)
// and sums run in a fixed order, so a seed draws the same tokens wherever the logits are the same.
// A logit of -INFINITY is a token that is forbidden: its probability is 0.
#ifndef HEED_GENERATE_SOFTMAX_H
#define HEED_GENERATE_SOFTMAX_H

#include <stdint.h>

#include "base/error.h"

// A row that can be used has no NaN, no +INFINITY and at least one finite logit.  The error names
// the first bad id: a model that produces one is damaged or has diverged.
MUST_USE bool logits_check(const float *logits, int64_t n, Error *err);

// The probabilities of n >= 1 logits of which one is finite.  Used wherever they are shown.
void softmax_f64(const float *logits, int64_t n, double *probability);
// log(sum of exp(logit)): a logit minus this is its log-probability.  (The log is libm's.)
double softmax_log_total(const float *logits, int64_t n);

// weight[i] = exp(x[i] - the largest x), not normalised; returns their sum.  May work in place.
double softmax_weigh(const double *x, int64_t n, double *weight);
// The sum of n numbers in an order that depends on n only.
double sum_f64(const double *x, int64_t n);
// The largest of n numbers that are not NaN; -infinity if n is 0.
double max_f64(const double *x, int64_t n);

#endif
