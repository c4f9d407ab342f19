// tally.h - how often each of many hashes was seen.
#ifndef HEED_WORLD_TALLY_H
#define HEED_WORLD_TALLY_H

#include "base/str.h"

typedef struct TallySlot {
    uint64_t hash;
    int64_t count; // 0: free
} TallySlot;

typedef struct Tally {
    Arena *arena;
    TallySlot *slot;                         // (capacity), a power of two, at most half full
    int64_t capacity, distinct, total, most; // most: the largest count
} Tally;

Tally tally_make(Arena *arena);
uint64_t tally_hash(Str text);
void tally_add(Tally *t, uint64_t hash);
bool tally_has(const Tally *t, uint64_t hash);
// How many were seen exactly once.
int64_t tally_once(const Tally *t);

#endif
