// bytes.h - little-endian integers at any address, on every machine.
#ifndef HEED_FORMAT_BYTES_H
#define HEED_FORMAT_BYTES_H

#include <stdint.h>

// The n <= 8 bytes at `from` as an unsigned number.
static inline uint64_t bytes_load(const char *from, int n) {
    uint64_t value = 0;
    for (int i = 0; i < n; i++) value |= (uint64_t)(unsigned char)from[i] << (8 * i);
    return value;
}

// The lower n <= 8 bytes of `value`, to `to`.
static inline void bytes_store(char *to, uint64_t value, int n) {
    for (int i = 0; i < n; i++) to[i] = (char)(unsigned char)(value >> (8 * i));
}

#endif
