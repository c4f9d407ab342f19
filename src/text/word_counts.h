// word_counts.h - how often each word stands in some texts: what a vocabulary is learnt from.
//
// Words are what a pre-tokenizer cuts (pretokenize.h).  A text is cut into blocks at places where
// no pattern looks across, so the words are those of the whole text; the threads of a pool take a
// block each and count into tables of their own, which are added up at the end.  Besides the text
// memory holds each distinct word once for each thread.
#ifndef HEED_TEXT_WORD_COUNTS_H
#define HEED_TEXT_WORD_COUNTS_H

#include "base/pool.h"
#include "text/pretokenize.h"

typedef struct CountedWord {
    Str text;
    int64_t count;
} CountedWord;

typedef struct WordCounts WordCounts;

typedef struct WordCountsSpec {
    const Splitter *splitter; // a named one
    bool by_line;             // each line is a text of its own, with its line end
    Pool *pool;               // NULL: the caller's thread alone
    // Called with the bytes counted so far, of all texts; false ends it with ERROR_CANCELLED.
    // NULL: not wanted.
    bool (*go_on)(void *user, int64_t bytes);
    void *user;
} WordCountsSpec;

MUST_USE WordCounts *word_counts_open(WordCountsSpec spec, Error *err);
void word_counts_close(WordCounts *counts); // accepts NULL

// Counts the words of a text, which is not needed afterwards.  Any bytes will do: ill-formed ones
// are characters of no class.  ERROR_LIMIT or ERROR_MEMORY if there are too many distinct words.
MUST_USE bool word_counts_add(WordCounts *counts, Str text, Error *err);

// All words so far, in no particular order; they live until the next call of any function.
MUST_USE bool word_counts_all(WordCounts *counts, const CountedWord **word, int64_t *n, Error *err);

int64_t word_counts_bytes(const WordCounts *counts);      // of all texts
int64_t word_counts_ill_formed(const WordCounts *counts); // ill-formed parts among them

// Whether a text can be cut before byte `at`, 0 < at < text.n, without changing any word: the words
// of the two parts are those of the whole, whatever the pattern.
bool word_counts_may_cut(Str text, int64_t at);

#endif
