// word_hash.h - a fast hash of a word for tables whose words come from a text.
//
// Up to 16 bytes are two numbers that meet in three multiplications; a seed that differs between
// runs keeps a text from choosing words that collide.  Longer words take SipHash (base/map.h),
// because differences in two of their parts could cancel out.
#ifndef HEED_TEXT_WORD_HASH_H
#define HEED_TEXT_WORD_HASH_H

#include <string.h>

#include "base/map.h"

static inline uint64_t word_load_8(const char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint64_t word_load_4(const char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

// A word of 1 .. 16 bytes as two numbers, which with its length are the word.  Nothing beside it is
// read: loads overlap instead.
enum { WORD_KEY_MAX = 16 };
typedef struct WordKey {
    uint64_t low, high;
} WordKey;

static inline WordKey word_key(Str word) {
    const char *p = word.data;
    size_t n = word.n;
    if (n >= 8) return (WordKey){word_load_8(p), word_load_8(p + n - 8)};
    if (n >= 4) return (WordKey){word_load_4(p) | word_load_4(p + n - 4) << 32, 0};
    return (WordKey){(uint64_t)(unsigned char)p[0] | (uint64_t)(unsigned char)p[n / 2] << 8 |
                         (uint64_t)(unsigned char)p[n - 1] << 16,
                     0};
}

static inline uint64_t word_key_hash(WordKey key, size_t n, uint64_t seed) {
    uint64_t x = (key.low ^ seed) * UINT64_C(0x9e3779b97f4a7c15);
    x = ((x ^ x >> 32) + (key.high ^ n)) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

// Of a word of a byte at least.
static inline uint64_t word_hash(Str word, uint64_t seed) {
    return word.n <= WORD_KEY_MAX ? word_key_hash(word_key(word), word.n, seed)
                                  : hash_bytes(word.data, word.n, seed);
}

#endif
