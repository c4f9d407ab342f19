// candidates.h - the tokens that a sampler still has to choose from.
//
// The set is kept in the order of token ids and never sorted as a whole.  "The smallest prefix,
// in descending order, with this many members or this much mass" is what top-k, top-p, typical and
// the draw itself ask for; candidates_cut finds where that prefix ends in time linear in the set.
#ifndef HEED_GENERATE_CANDIDATES_H
#define HEED_GENERATE_CANDIDATES_H

#include <stdint.h>

#include "base/arena.h"

// Until the first candidates_keep the set is dense: index i holds token i.  A forbidden token has a
// logit of -INFINITY and no weight; it is not removed before a cut leaves it behind.
typedef struct CandidateSet {
    int64_t n_vocab;
    int64_t n;
    int32_t *id;    // (n) ascending
    double *logit;  // (n)
    double *weight; // (n) exp(logit - a constant): probability = weight / total
    double total;
    bool has_weight;
    // Scratch.
    double *rank;          // (n_vocab) for a caller that orders by something else than the logit
    int32_t *order;        // (n_vocab) indices into the set
    int64_t *bucket_count; // of candidates_cut
    double *bucket_mass;
} CandidateSet;

// The last candidate of a prefix: those with a higher rank, and those of equal rank with no higher
// id, are in it.
typedef struct Cut {
    double rank;
    int64_t index;
} Cut;

void candidates_init(CandidateSet *set, Arena *arena, int64_t n_vocab);
// The whole vocabulary.  Fails as logits_check does.
MUST_USE bool candidates_load(CandidateSet *set, const float *logits, Error *err);
// Makes weights and their total valid; needs a finite logit.  Who changes a logit clears
// has_weight.
void candidates_weigh(CandidateSet *set);
// Those with a logit above -INFINITY.
int64_t candidates_left(const CandidateSet *set);

// Where the smallest prefix ends, in descending order of `rank` (n values, the logit or set->rank),
// ties by id, that has `count` members or whose weights reach `mass`.  It has one member at least;
// the whole set if it reaches neither.  With a finite mass the set must have been weighed, and a
// candidate without weight never ends the prefix.
Cut candidates_cut(CandidateSet *set, const double *rank, int64_t count, double mass);
// Keeps the prefix.
void candidates_keep(CandidateSet *set, const double *rank, Cut cut);
// Keeps one.
void candidates_keep_only(CandidateSet *set, int64_t index);
// The index of the largest logit, the lowest id among equals.
int64_t candidates_best(const CandidateSet *set);
// Puts the indices of the `top` largest logits, sorted, into set->order; returns how many there
// are.
int64_t candidates_sort(CandidateSet *set, int64_t top);

#endif
