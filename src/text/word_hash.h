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

// The word has a byte at least.  Reads nothing beside it: ends overlap instead.
static inline uint64_t word_hash(Str word, uint64_t seed) {
    const char *p = word.data;
    size_t n = word.n;
    if (n > 16) return hash_bytes(p, n, seed);
    uint64_t low, high = 0;
    if (n >= 8) {
        low = word_load_8(p);
        high = word_load_8(p + n - 8);
    } else if (n >= 4) {
        low = word_load_4(p) | word_load_4(p + n - 4) << 32;
    } else {
        low = (uint64_t)(unsigned char)p[0] | (uint64_t)(unsigned char)p[n / 2] << 8 |
              (uint64_t)(unsigned char)p[n - 1] << 16;
    }
    uint64_t x = (low ^ seed) * UINT64_C(0x9e3779b97f4a7c15);
    x = ((x ^ x >> 32) + (high ^ n)) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

#endif
