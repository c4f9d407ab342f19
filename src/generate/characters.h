// characters.h - text that never breaks a character: which tokens may come next.
//
// Tokens are bytes, and a byte-level vocabulary has tokens that are a part of a character, or begin
// with the rest of one.  What a text may go on with depends on whether it ends inside a character.
#ifndef HEED_GENERATE_CHARACTERS_H
#define HEED_GENERATE_CHARACTERS_H

#include "text/tokenizer.h"

typedef struct Characters {
    const Tokenizer *tokenizer;
    int64_t n_vocab;
    bool *begins;  // (V) may follow a whole character
    bool *goes_on; // (V) begins with a byte that goes on with one
} Characters;

// The tokenizer is kept, not copied.  Tokens beyond its own have no text.
void characters_init(Characters *c, Arena *arena, const Tokenizer *tokenizer, int64_t n_vocab);

// Sets the logit of every token to -INFINITY after which the text of `history` would no longer be
// UTF-8: all but those that go on where it ends inside a character (no end of the text either).
// Leaves them alone if none is left then.  Returns how many it forbids.
int64_t characters_forbid(const Characters *c, const int32_t *history, int64_t n_history,
                          double *logit);

#endif
