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
    uint64_t seed; // differs between runs, so that no file can choose pairs that collide
    int64_t left;  // pairs that still fit
} Pairs;

// Room for `most` pairs; adding more is our bug.
Pairs pairs_make(Arena *arena, int64_t most);
// Keys and value are >= 0.  False if the pair was there already (its value stays).
bool pairs_add(Pairs *pairs, int32_t first, int32_t second, int32_t value);

static inline uint64_t pairs_hash(const Pairs *pairs, int32_t first, int32_t second) {
    uint64_t x = ((uint64_t)(uint32_t)first << 32 | (uint32_t)second) ^ pairs->seed;
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

// The value, or -1.
static inline int32_t pairs_get(const Pairs *pairs, int32_t first, int32_t second) {
    uint64_t i = pairs_hash(pairs, first, second) & pairs->mask;
    for (;; i = (i + 1) & pairs->mask) {
        const PairSlot *slot = &pairs->slot[i];
        if (slot->first_plus_one == 0) return -1;
        if (slot->first_plus_one == first + 1 && slot->second == second) return slot->value;
    }
}

#endif
