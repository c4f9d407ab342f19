// pairs.h - from two small integers to a third: a hash table that is filled once and then only
// read.
//
// It holds the merges (left id, right id -> rank) and the edges of the matcher (state, byte ->
// state).
#ifndef HEED_TEXT_PAIRS_H
#define HEED_TEXT_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct PairSlot {
    int32_t first_plus_one; // 0: free
    int32_t second;
    int32_t value;
} PairSlot;

typedef struct Pairs {
    PairSlot *slot; // (mask + 1), a power of two, at most two thirds full
    uint64_t mask;
    // PAIRS_FILTER_BITS for each slot, one of them set for each pair: small enough to stay in the
    // processor's cache, and most of what is asked for is not there.
    uint64_t *filter;
    uint64_t seed; // differs between runs, so that no file can choose pairs that collide
    int64_t left;  // pairs that still fit
} Pairs;

enum { PAIRS_FILTER_BITS = 4 };

// Room for `most` pairs; adding more is our bug.
Pairs pairs_make(Arena *arena, int64_t most);
// What that takes of the arena.
size_t pairs_bytes(int64_t most);
// Keys and value are >= 0.  False if the pair was there already (its value stays).
bool pairs_add(Pairs *pairs, int32_t first, int32_t second, int32_t value);

static inline uint64_t pairs_hash(const Pairs *pairs, int32_t first, int32_t second) {
    uint64_t x = ((uint64_t)(uint32_t)first << 32 | (uint32_t)second) ^ pairs->seed;
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

// The bit of a hash in the filter: from its upper half, for the lower half says the slot.
static inline uint64_t pairs_filter_bit(const Pairs *pairs, uint64_t hash) {
    return hash >> 32 & (PAIRS_FILTER_BITS * (pairs->mask + 1) - 1);
}

// The value, or -1.
static inline int32_t pairs_get(const Pairs *pairs, int32_t first, int32_t second) {
    uint64_t hash = pairs_hash(pairs, first, second), bit = pairs_filter_bit(pairs, hash);
    if (!(pairs->filter[bit / 64] >> (bit % 64) & 1)) return -1;
    uint64_t i = hash & pairs->mask;
    for (;; i = (i + 1) & pairs->mask) {
        const PairSlot *slot = &pairs->slot[i];
        if (slot->first_plus_one == 0) return -1;
        if (slot->first_plus_one == first + 1 && slot->second == second) return slot->value;
    }
}

#endif
