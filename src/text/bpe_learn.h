// bpe_learn.h - which merges a byte-level BPE vocabulary has: learnt from counted words (Sennrich
// et al. 2016, arXiv 1508.07909, algorithm 1).
//
// The pair of neighbouring tokens that stands most often in the words becomes a token, again and
// again.  Of pairs that stand equally often the one with the smaller left id comes first, then the
// one with the smaller right id.  Pair counts are kept up to date by what each merge changes, with
// a list of places for each pair and a heap over the pairs, so a merge costs what it changes.
//
// The result is that of Hugging Face's BpeTrainer.  A token can be made in one way only: between
// two boundaries that last, merging goes the same way wherever the bytes stand.  So each pair
// appears in one step only, the one that makes its younger token.
#ifndef HEED_TEXT_BPE_LEARN_H
#define HEED_TEXT_BPE_LEARN_H

#include "text/word_counts.h"

typedef struct BpeLesson {
    const CountedWord *word; // (n_words) in any order
    int64_t n_words;
    const Str *token; // (n_given) the tokens that are there before, in the byte-level alphabet
    int64_t n_given;
    const int32_t *byte_id; // (256) those of single bytes
    int64_t n_tokens;       // how many there shall be in all
    int64_t least;          // pairs that stand less often are not merged; at least 1
    // Called now and then with the tokens made and those wanted; false ends it with
    // ERROR_CANCELLED.  NULL: not wanted.
    bool (*go_on)(void *user, int64_t done, int64_t total);
    void *user;
} BpeLesson;

typedef struct BpeMerge {
    int32_t left, right, made; // ids
} BpeMerge;

typedef struct BpeLearnt {
    const Str *token;      // (n_tokens) the given ones, then those that were made, in order
    int64_t n_tokens;      // fewer than wanted if no pair was left
    const BpeMerge *merge; // (n_merges) by rank
    int64_t n_merges;
} BpeLearnt;

enum { BPE_LEARN_BYTES_MAX = 1 << 28 }; // of distinct words, with one byte more for each

// The result lives in `arena`.  ERROR_LIMIT for too many distinct words, ERROR_MEMORY.
MUST_USE bool bpe_learn(const BpeLesson *lesson, Arena *arena, BpeLearnt *learnt, Error *err);

#endif
