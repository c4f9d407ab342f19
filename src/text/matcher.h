// matcher.h - finds the added tokens in a text: leftmost first, the longest of those that start
// there.
//
// The automaton of Aho and Corasick (1975) over the reversed tokens reads the text from its end, so
// that at every byte it knows the longest token that starts there.  One look per byte whatever the
// tokens are: nothing is scanned twice, unlike a search that restarts behind each match.
#ifndef HEED_TEXT_MATCHER_H
#define HEED_TEXT_MATCHER_H

#include "base/str.h"
#include "text/pairs.h"

enum { MATCHER_FEW_STARTS = 4 };

typedef struct Matcher {
    Pairs edge;        // (state, byte) -> state; state 0 is the root
    int32_t *fallback; // (n_states) the state of the longest proper suffix
    int32_t *best[2];  // (n_states) entry whose text is the longest suffix, -1 if none;
                       // [0] among the entries that are always matched, [1] among all
    bool starts[256];  // bytes with an edge from the root: those with which entries end
    int n_starts;
    unsigned char start[MATCHER_FEW_STARTS]; // these bytes, if they are no more than that
    int64_t n_states;
} Matcher;

// An entry: a text that is not empty and differs from the others.
typedef struct MatcherEntry {
    Str text;
    bool is_always; // matched even where special tokens are not
} MatcherEntry;

typedef struct MatcherHit {
    int32_t at;    // byte of the text
    int32_t entry; // the longest entry that starts there
} MatcherHit;

// What it takes of the arena for entries of `total` bytes in all.
size_t matcher_bytes(int64_t total);
Matcher matcher_make(Arena *arena, const MatcherEntry *entry, int64_t n);

// Writes every position at which an entry starts, ascending, into the end of hit[0 .. text.n);
// returns the first index used (text.n if there is no hit).
int64_t matcher_find(const Matcher *m, Str text, bool with_special, MatcherHit *hit);

#endif
