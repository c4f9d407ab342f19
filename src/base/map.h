// map.h - from byte strings to integers: a hash table in an arena, with a seeded hash, so that no
// file can choose keys that collide.
#ifndef HEED_BASE_MAP_H
#define HEED_BASE_MAP_H

#include "base/str.h"

typedef struct MapSlot {
    Str key; // data NULL: free
    int64_t value;
} MapSlot;

typedef struct Map {
    Arena *arena;
    MapSlot *slot; // (capacity), a power of two, at most half full
    int64_t capacity;
    int64_t count;
    uint64_t seed; // of the hash
} Map;

// A map for about `expected` keys; it grows when there are more.  Keys are not copied.
Map map_make(Arena *arena, int64_t expected);
// What it takes of the arena for that.
size_t map_bytes(int64_t expected);
// False if the key was there already (its value stays).
bool map_add(Map *map, Str key, int64_t value);
// The value, or -1.  A zero-initialised map is empty and may be asked.
int64_t map_get(const Map *map, Str key);

// SipHash-1-3 of the bytes under the key (seed, ~seed).
uint64_t hash_bytes(const void *data, size_t n, uint64_t seed);

#endif
