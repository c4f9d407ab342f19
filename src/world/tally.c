// tally.c - open addressing over hashes that are random already; grows by doubling in its arena.
#include "world/tally.h"

#include "base/map.h"

enum { FIRST_CAPACITY = 1 << 10 };

Tally tally_make(Arena *arena) {
    return (Tally){.arena = arena,
                   .slot = arena_new(arena, TallySlot, FIRST_CAPACITY),
                   .capacity = FIRST_CAPACITY};
}

uint64_t tally_hash(Str text) {
    return hash_bytes(text.data, text.n, 9);
}

static TallySlot *find(const Tally *t, uint64_t hash) {
    int64_t i = (int64_t)(hash & (uint64_t)(t->capacity - 1));
    while (t->slot[i].count && t->slot[i].hash != hash) i = (i + 1) & (t->capacity - 1);
    return &t->slot[i];
}

static void grow(Tally *t) {
    Tally larger = *t;
    larger.capacity *= 2;
    larger.slot = arena_new(t->arena, TallySlot, larger.capacity);
    for (int64_t i = 0; i < t->capacity; i++)
        if (t->slot[i].count) *find(&larger, t->slot[i].hash) = t->slot[i];
    *t = larger;
}

void tally_add(Tally *t, uint64_t hash) {
    if (t->distinct * 2 >= t->capacity) grow(t);
    TallySlot *s = find(t, hash);
    if (s->count == 0) t->distinct++;
    s->hash = hash;
    s->count++;
    t->total++;
    if (s->count > t->most) t->most = s->count;
}

bool tally_has(const Tally *t, uint64_t hash) {
    return find(t, hash)->count > 0;
}

int64_t tally_once(const Tally *t) {
    int64_t n = 0;
    for (int64_t i = 0; i < t->capacity; i++) n += t->slot[i].count == 1;
    return n;
}
