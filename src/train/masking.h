// masking.h - the blanks that an encoder learns from (Devlin et al. 2018, arXiv 1810.04805, 3.1).
//
//   the  fox  saw  the  kite  .
//   the  fox [MASK] the  kite  .     -> saw
//
// A share of the tokens of a text is chosen, at least one.  Of these 80 % become [MASK], 10 %
// become another token, drawn evenly from the vocabulary, and 10 % stay: so the model cannot rely
// on what stands in a place that it is to name.  Only chosen tokens are scored.
#ifndef HEED_TRAIN_MASKING_H
#define HEED_TRAIN_MASKING_H

#include "text/tokenizer.h"

typedef struct Masking {
    double share;       // of a text's tokens; 0: nothing is hidden
    int32_t mask;       // id of [MASK]
    int32_t begin, end; // what stands around a text: [CLS], [SEP]
    const int32_t
        *ordinary; // (n_ordinary) tokens that may take the place of another: no special one
    int64_t n_ordinary;
} Masking;

// ERROR_UNSUPPORTED for a vocabulary that lacks [MASK], or what stands around a text.
MUST_USE bool masking_make(Masking *masking, Arena *arena, const Tokenizer *tokenizer, double share,
                           Error *err);

// How many of n tokens are chosen.
int64_t masking_count(const Masking *masking, int64_t n);
// Hides them: place (masking_count) receives where they stand, in order.  The key decides all.
void masking_hide(const Masking *masking, uint64_t key, int32_t *ids, int64_t n, int32_t *place);

#endif
