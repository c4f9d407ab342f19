// kv.h - the keys and values that attention remembers of one sequence in one layer.
//
// Stored in tiles of 16 positions per key/value head (kernels.h), in F32, F16 or Q8_0.  The cache
// does not own its memory; its size is known from its shape.
#ifndef HEED_TENSOR_KV_H
#define HEED_TENSOR_KV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quant/dtype.h"

enum { KV_WIDTH_MAX = 512 }; // the widest head

typedef struct KvCache {
    DType dtype;
    int kv_heads, head_width;
    int64_t capacity; // positions, a multiple of KV_TILE
    int64_t n;        // positions stored
    char *keys, *values;
} KvCache;

// Can a cache have this type for this head width?  (F32, F16: 4 divides the width; Q8_0: 32
// does; at most KV_WIDTH_MAX)
bool kv_type_fits(DType dtype, int head_width);
// Bytes of the keys, which are also those of the values.
size_t kv_bytes(DType dtype, int kv_heads, int head_width, int64_t capacity);
// Bytes of one position, keys and values together: what `heed info` reports.
size_t kv_bytes_per_position(DType dtype, int kv_heads, int head_width);
// An empty cache over 2 * kv_bytes of zeroed memory.
KvCache kv_make(DType dtype, int kv_heads, int head_width, int64_t capacity, char *memory);
// Appends n rows of k and v, each (G*D) f32.
void kv_append(KvCache *cache, const float *k, const float *v, int64_t n);
// Forgets the positions from n on.  Their values are wiped where they share a tile with others,
// because a kernel multiplies every value of a tile, if only by 0.
void kv_cut(KvCache *cache, int64_t n);
// The tiles of a head from tile `i_tile` on.
const void *kv_key_tile(const KvCache *cache, int head, int64_t i_tile);
const void *kv_value_tile(const KvCache *cache, int head, int64_t i_tile);
// Copies the first n positions of one cache to another of the same type and width.
void kv_copy(KvCache *to, const KvCache *from, int64_t n);

#endif
