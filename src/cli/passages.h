// passages.h - texts to measure on: documents of the mini-world, or paragraphs of a file.
#ifndef HEED_CLI_PASSAGES_H
#define HEED_CLI_PASSAGES_H

#include "base/error.h"
#include "base/str.h"

typedef struct Passages {
    Str *text; // (n)
    int64_t n;
} Passages;

// `n` documents of the world, none of which training ever sees.
Passages passages_of_world(Arena *arena, uint64_t seed, int64_t n);
// What empty lines separate, cut where it is long.  ERROR_USAGE for a file without text.
MUST_USE bool passages_of_file(Arena *arena, const char *path, Passages *passages, Error *err);
// A short sentence out of one of them, drawn by `seed`, ready to stand before `text`: a blank ends
// it where the text begins with a letter of ASCII.  Empty if there is none.
Str passages_sentence(const Passages *passages, Arena *arena, uint64_t seed, Str text);

#endif
