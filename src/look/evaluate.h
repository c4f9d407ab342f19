// evaluate.h - how well a model predicts a text: loss, perplexity, bits per byte.
//
// The tokens of the text, a beginning-of-text token first where the vocabulary has it so, are cut
// into windows of min(context, 512) without overlap.  In each window every token but the first is
// predicted from those before it; bits per byte divides by the bytes of the predicted tokens.
#ifndef HEED_LOOK_EVALUATE_H
#define HEED_LOOK_EVALUATE_H

#include "model/model.h"

enum { EVALUATE_WINDOW = 512 };

typedef struct Evaluation {
    int64_t n_tokens; // predicted
    int64_t n_bytes;  // of their text
    double nats;      // sum of -ln p
} Evaluation;

double evaluation_nats_per_token(const Evaluation *e);
double evaluation_perplexity(const Evaluation *e);
double evaluation_bits_per_byte(const Evaluation *e);

typedef struct EvaluateSpec {
    const Token *token; // (n) of the text
    int64_t n;
    // Told after each window; false cancels.  NULL: nobody listens.
    bool (*on_window)(void *user, const Evaluation *so_far, int64_t n_done);
    void *user;
} EvaluateSpec;

// Evaluates with a run that has no plan yet (its pool, kernels, exact and switches count).
// ERROR_USAGE for fewer than two tokens, ERROR_FORMAT for ids past the vocabulary or a loss that is
// not a number.
MUST_USE bool evaluate(Run *run, const Model *model, const EvaluateSpec *spec, Evaluation *result,
                       Error *err);

#endif
