// pairs.c - the filling side of pairs.h: open addressing with linear probes.
#include "text/pairs.h"

#include "base/clock.h"

static int64_t capacity_for(int64_t most) {
    int64_t capacity = 16;
    while (capacity < most + most / 2 + 1) capacity *= 2;
    return capacity;
}

static size_t filter_words(int64_t slots) {
    return (size_t)slots * PAIRS_FILTER_BITS / 64 + 1;
}

size_t pairs_bytes(int64_t most) {
    int64_t capacity = capacity_for(most);
    return sizeof(PairSlot) * (size_t)capacity + sizeof(uint64_t) * filter_words(capacity) + 32;
}

Pairs pairs_make(Arena *arena, int64_t most) {
    int64_t capacity = capacity_for(most);
    return (Pairs){.slot = arena_new(arena, PairSlot, capacity),
                   .mask = (uint64_t)capacity - 1,
                   .filter = arena_new(arena, uint64_t, filter_words(capacity)),
                   .seed = clock_entropy(),
                   .left = most};
}

bool pairs_add(Pairs *pairs, int32_t first, int32_t second, int32_t value) {
    uint64_t hash = pairs_hash(pairs, first, second), i = hash & pairs->mask;
    for (; pairs->slot[i].first_plus_one != 0; i = (i + 1) & pairs->mask)
        if (pairs->slot[i].first_plus_one == first + 1 && pairs->slot[i].second == second)
            return false;
    require(pairs->left > 0 && first >= 0 && first < INT32_MAX && value >= 0);
    pairs->left--;
    uint64_t bit = pairs_filter_bit(pairs, hash);
    pairs->filter[bit / 64] |= (uint64_t)1 << (bit % 64);
    pairs->slot[i] = (PairSlot){first + 1, second, value};
    return true;
}
