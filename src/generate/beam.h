// beam.h - beam search: the most probable continuations of a prompt, several kept side by side.
//
// Each step extends every beam by every token and keeps the best n_beams sums of log-probabilities.
// The definition is Hugging Face's.  A continuation that ends (in an end token, or at the limit of
// tokens) is finished if it is among the first n_beams candidates of its step; of the finished the
// best n_beams are kept, by
//
//   score = sum of log-probabilities / length ^ length_penalty
//
// where the length counts generated tokens, an end token too.  A penalty above 0 favours long
// texts, below 0 short ones; 0 compares the plain sums.  Equal scores are ordered by beam, then by
// token.
//
// The search ends at the limit, or when n_beams are finished and
//   FULL    at once;
//   LIKELY  the best running beam, were it to end now, is no better than the worst of them;
//   NEVER   the same, with the limit as its length if length_penalty is above 0: no beam that could
//           come to be better is given up.  With a penalty of 0 this is the beam search of
//           textbooks.
// (early_stopping True, False and "never" in Hugging Face's words.)
#ifndef HEED_GENERATE_BEAM_H
#define HEED_GENERATE_BEAM_H

#include <stdint.h>

#include "base/arena.h"

enum { BEAMS_MAX = 64, BEAM_TOKENS_MAX = 1 << 20, BEAM_ENDS_MAX = 16 };

typedef enum BeamStop { BEAM_STOP_LIKELY, BEAM_STOP_FULL, BEAM_STOP_NEVER } BeamStop;

typedef struct BeamOptions {
    int n_beams;           // 1 .. BEAMS_MAX
    int n_best;            // how many results are wanted, 1 .. n_beams
    int64_t tokens_max;    // the limit: tokens generated, 1 .. BEAM_TOKENS_MAX
    double length_penalty; // -10 .. 10; Hugging Face's default is 1
    BeamStop stop;
    const int32_t *end; // (n_end) tokens that end a text
    int n_end;          // 0 .. BEAM_ENDS_MAX
} BeamOptions;

// The model as the search sees it.  `advance` makes n_beams new beams: the new beam i is what beam
// parent[i] was after the last call (before the first there is one beam, 0: the prompt) followed by
// token[i].  One parent may have several children, or none: states are forked, and those of beams
// without children are free.  It fills logits (n_beams, n_vocab), or returns false with an error.
typedef struct BeamModel {
    void *user;
    int64_t n_vocab;
    bool (*advance)(void *user, const int32_t *parent, const int32_t *token, int n_beams,
                    float *logits, Error *err);
} BeamModel;

typedef struct BeamText {
    const int32_t *token; // (n) generated tokens, the end token too
    int64_t n;
    bool has_ended;  // in an end token, not at the limit
    double log_prob; // the sum of log-probabilities
    double score;    // what it is ranked by
} BeamText;

typedef struct BeamResult {
    const BeamText *text; // (n) best first, in the arena
    int n;                // n_best; fewer only if no more continuations are possible
    int64_t n_steps;      // tokens that the search looked ahead
} BeamResult;

// `logits` (n_vocab) are those after the prompt.  Works in `arena`, where the result stays.  Fails
// with ERROR_USAGE naming an impossible option, with ERROR_FORMAT if logits hold a NaN, and as
// `advance` does.
MUST_USE bool beam_search(Arena *arena, const BeamModel *model, const float *logits,
                          const BeamOptions *options, BeamResult *result, Error *err);

#endif
