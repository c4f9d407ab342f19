// pretokenize.h - cutting text into the words inside which byte-level BPE merges.
//
// Known patterns have hand-made matchers that run in linear time on any text; others are compiled
// with PCRE2 where it is built in, and refused with a clear message where it is not.  Useful ones
// that are known: "\p{N}" and "\p{N}+" (Digits), "[\p{P}\$\+<=>\^~\|`]+" (Punctuation with
// behaviour contiguous), and the gpt-2 expression (ByteLevel with use_regex).
#ifndef HEED_TEXT_PRETOKENIZE_H
#define HEED_TEXT_PRETOKENIZE_H

#include "base/str.h"

typedef struct Splitter Splitter;

// By the name in tokenizer.ggml.pre ("gpt-2", "llama-bpe", "qwen2", "smollm", ...); NULL and
// ERROR_UNSUPPORTED naming it if unknown.
MUST_USE Splitter *splitter_named(Arena *arena, Str name, Error *err);

// What a tokenizer.json's Split does with the matches of its pattern.
typedef enum SplitBehaviour {
    SPLIT_ISOLATED,
    SPLIT_REMOVED,
    SPLIT_MERGED_WITH_PREVIOUS,
    SPLIT_MERGED_WITH_NEXT,
    SPLIT_CONTIGUOUS
} SplitBehaviour;
// One step of a tokenizer.json pre-tokenizer: a regular expression, recognised or given to PCRE2.
// ERROR_UNSUPPORTED if it is not known and PCRE2 is not built in; ERROR_FORMAT if it is no
// expression.
MUST_USE Splitter *splitter_pattern(Arena *arena, Str pattern, SplitBehaviour behaviour,
                                    bool invert, Error *err);
// The name under which GGUF files know a pattern (or a sequence of patterns), or an empty Str.
// E.g. "smollm" for {"\\p{N}", the gpt-2 pattern}, both isolated.
Str splitter_gguf_name(const Splitter *const *sequence, int n);

// Cuts text into pieces: their ends in ascending order, at most text.n of them, written to `ends`;
// returns how many.  No piece is empty.  Ill-formed bytes count as characters of no class.
// With SPLIT_REMOVED, dropped[i] says whether piece i is dropped; `dropped` (text.n) may be NULL
// for every other behaviour.  Any thread may cut with the same splitter. -1 if a pattern run by
// PCRE2 took more steps than the text allows (see split_pcre.c); hand-made ones always succeed.
int64_t splitter_cut(const Splitter *s, Str text, int64_t *ends, bool *dropped);

#endif
