// attention.h - who looks at whom: the attention of one head over one text, as numbers and words.
//
// A head gives each token weights over the tokens that it sees, which sum to 1.  The map holds them
// for one head, or their mean over all heads of a layer.
#ifndef HEED_LOOK_ATTENTION_H
#define HEED_LOOK_ATTENTION_H

#include "look/capture.h"
#include "model/model.h"

enum { ATTENTION_TOKENS_MAX = 2048, ATTENTION_ALL_HEADS = -1 };

typedef struct AttentionMap {
    Str model;           // its name
    int layer, head;     // from 0; ATTENTION_ALL_HEADS: the mean
    int64_t n;           // tokens
    const Str *label;    // (n) each token as a person sees it: attention_label
    const float *weight; // (n, n) row i: the weights that token i gives; each row sums to 1
} AttentionMap;

typedef struct AttentionQuery {
    const int32_t *ids; // (n) at most ATTENTION_TOKENS_MAX
    int64_t n;
    int layer, head;
} AttentionQuery;

// Runs the model over the ids, as far as the layer, and keeps the head's pattern in `arena`.  The
// run must be open, with its pool, kernels and switches as wanted; its plan is made here and its
// probe is put back.  ERROR_USAGE for a layer or head that the model does not have, ERROR_LIMIT for
// a text that is too long.
MUST_USE bool attention_map(Run *run, const Model *model, Arena *arena, AttentionQuery query,
                            AttentionMap *map, Error *err);

// What it is made of: is the text one that the model reads, of 1 to n_max tokens?  And a forward as
// far as `layers` layers, without the head of the model, with the capture as its probe.
MUST_USE bool attention_check_text(const Model *model, const int32_t *ids, int64_t n, int n_max,
                                   Error *err);
MUST_USE bool attention_capture(Run *run, const Model *model, const int32_t *ids, int64_t n,
                                int layers, Capture *capture, Error *err);

// A token's piece for showing: without the space before a word, white space and control characters
// as signs, bytes that are no text in hexadecimal.  Valid UTF-8 and never empty.
Str attention_label(Arena *arena, Str piece);

// The columns of the k largest weights of row i, largest first (of equal ones the leftmost), into
// column[k]; returns how many there are (weights of 0 are none).
int attention_strongest(const AttentionMap *map, int64_t i, int k, int64_t *column);

// Mean share that the later tokens give to the first one: heads with nothing to do look there.
double attention_on_first(const AttentionMap *map);

// "Layer 3, head 5" / "Layer 3, mean of all heads", and what is to be seen, in sentences: the
// strongest looks (those at the first token apart) and the share of the first token.
Str attention_title(const AttentionMap *map, Arena *arena);
Str attention_words(const AttentionMap *map, Arena *arena);

#endif
