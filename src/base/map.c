// map.c - open addressing with linear probing over SipHash-1-3 (Aumasson and Bernstein 2012,
// "SipHash: a fast short-input PRF"; one round per word and three at the end, as hash tables use
// it).  The seed differs between runs, so the keys of a file cannot be made to collide.
#include "base/map.h"

#include <string.h>

#include "base/clock.h"

static uint64_t rotate(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4]) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

// The next n <= 8 bytes as a little-endian number, whatever the machine's order.
static uint64_t load_word(const unsigned char *bytes, size_t n) {
    uint64_t word = 0;
    for (size_t i = 0; i < n; i++) word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

uint64_t hash_bytes(const void *data, size_t n, uint64_t seed) {
    const unsigned char *bytes = data;
    uint64_t key[2] = {seed, ~seed};
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
                     key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
    size_t whole = n & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8) {
        uint64_t word = load_word(bytes + i, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    uint64_t last = (uint64_t)n << 56;
    if (n > whole) last |= load_word(bytes + whole, n - whole);
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static int64_t capacity_for(int64_t expected) {
    require(expected >= 0 && expected < INT64_MAX / 4);
    int64_t capacity = 16;
    while (capacity < expected * 2) capacity *= 2;
    return capacity;
}

size_t map_bytes(int64_t expected) {
    return sizeof(MapSlot) * (size_t)capacity_for(expected);
}

Map map_make(Arena *arena, int64_t expected) {
    int64_t capacity = capacity_for(expected);
    return (Map){.arena = arena,
                 .slot = arena_new(arena, MapSlot, capacity),
                 .capacity = capacity,
                 .seed = clock_entropy()};
}

// The slot that holds the key, or the free one where it belongs.
static MapSlot *map_slot(const Map *map, Str key) {
    uint64_t mask = (uint64_t)map->capacity - 1;
    uint64_t i = hash_bytes(key.data, key.n, map->seed) & mask;
    while (map->slot[i].key.data && !str_equal(map->slot[i].key, key)) i = (i + 1) & mask;
    return &map->slot[i];
}

// Twice the slots; the old ones stay behind in the arena, together less than the new.
static void map_grow(Map *map) {
    const MapSlot *old = map->slot;
    int64_t old_capacity = map->capacity;
    map->capacity *= 2;
    map->slot = arena_new(map->arena, MapSlot, map->capacity);
    for (int64_t i = 0; i < old_capacity; i++) {
        if (old[i].key.data) *map_slot(map, old[i].key) = old[i];
    }
}

bool map_add(Map *map, Str key, int64_t value) {
    if (!key.data) key = STR("");
    MapSlot *slot = map_slot(map, key);
    if (slot->key.data) return false;
    if (map->count + 1 > map->capacity / 2) {
        map_grow(map);
        slot = map_slot(map, key);
    }
    *slot = (MapSlot){key, value};
    map->count++;
    return true;
}

int64_t map_get(const Map *map, Str key) {
    if (map->capacity == 0) return -1;
    const MapSlot *slot = map_slot(map, key);
    return slot->key.data ? slot->value : -1;
}
