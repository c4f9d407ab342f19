// kv.c - writing keys and values into tiles.  A key is scattered, one value to each group of 16,
// so that the kernels can score 16 positions side by side; a value row stays whole.
#include "tensor/kv.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "kernels/kernels.h"
#include "quant/half.h"

enum { Q8_GROUP = 32 };

bool kv_type_fits(DType dtype, int head_width) {
    if (head_width < 1 || head_width > KV_WIDTH_MAX || head_width % 4 != 0) return false;
    if (dtype == DTYPE_Q8_0) return head_width % Q8_GROUP == 0;
    return dtype == DTYPE_F32 || dtype == DTYPE_F16;
}

static size_t tile_bytes(DType dtype, int head_width) {
    size_t values = (size_t)KV_TILE * (size_t)head_width;
    if (dtype == DTYPE_Q8_0) return values + values / Q8_GROUP * sizeof(uint16_t);
    return values * (dtype == DTYPE_F32 ? sizeof(float) : sizeof(uint16_t));
}

size_t kv_bytes(DType dtype, int kv_heads, int head_width, int64_t capacity) {
    return tile_bytes(dtype, head_width) * (size_t)(capacity / KV_TILE) * (size_t)kv_heads;
}

size_t kv_bytes_per_position(DType dtype, int kv_heads, int head_width) {
    return 2 * tile_bytes(dtype, head_width) * (size_t)kv_heads / KV_TILE;
}

KvCache kv_make(DType dtype, int kv_heads, int head_width, int64_t capacity, char *memory) {
    require(kv_type_fits(dtype, head_width) && capacity % KV_TILE == 0);
    return (KvCache){.dtype = dtype,
                     .kv_heads = kv_heads,
                     .head_width = head_width,
                     .capacity = capacity,
                     .keys = memory,
                     .values = memory + kv_bytes(dtype, kv_heads, head_width, capacity)};
}

static size_t tile_offset(const KvCache *cache, int head, int64_t i_tile) {
    int64_t tiles = cache->capacity / KV_TILE;
    return tile_bytes(cache->dtype, cache->head_width) * (size_t)(head * tiles + i_tile);
}

const void *kv_key_tile(const KvCache *cache, int head, int64_t i_tile) {
    return cache->keys + tile_offset(cache, head, i_tile);
}

const void *kv_value_tile(const KvCache *cache, int head, int64_t i_tile) {
    return cache->values + tile_offset(cache, head, i_tile);
}

// ---------------------------------------------------------------- one position of one head
static void put_f32(char *key_tile, char *value_tile, int slot, const float *k, const float *v,
                    int d) {
    float *keys = (float *)(void *)key_tile, *values = (float *)(void *)value_tile;
    for (int i = 0; i < d; i++) keys[i * KV_TILE + slot] = k[i];
    memcpy(values + slot * d, v, sizeof *v * (size_t)d);
}

static void put_f16(char *key_tile, char *value_tile, int slot, const float *k, const float *v,
                    int d) {
    uint16_t *keys = (uint16_t *)(void *)key_tile, *values = (uint16_t *)(void *)value_tile;
    for (int i = 0; i < d; i++) {
        keys[i * KV_TILE + slot] = f32_to_f16(k[i]);
        values[slot * d + i] = f32_to_f16(v[i]);
    }
}

// Rounds 32 values to int8 with one f16 scale, which is returned; q = round(x / scale).
static uint16_t round_group(const float *x, int8_t q[Q8_GROUP]) {
    float largest = 0;
    for (int i = 0; i < Q8_GROUP; i++) largest = fmaxf(largest, fabsf(x[i]));
    uint16_t scale = f32_to_f16(largest / 127);
    float s = f16_to_f32(scale), inverse = s > 0 ? 1 / s : 0;
    for (int i = 0; i < Q8_GROUP; i++) {
        float r = rintf(x[i] * inverse);
        q[i] = (int8_t)fmaxf(-127, fminf(127, r)); // the f16 scale may have been rounded down
    }
    return scale;
}

static void put_q8(char *key_tile, char *value_tile, int slot, const float *k, const float *v,
                   int d) {
    int groups = d / Q8_GROUP;
    int8_t *keys = (int8_t *)key_tile, *values = (int8_t *)value_tile;
    uint16_t *key_scale = (uint16_t *)(void *)(key_tile + KV_TILE * d);
    uint16_t *value_scale = (uint16_t *)(void *)(value_tile + KV_TILE * d);
    for (int g = 0; g < groups; g++) {
        int8_t q[Q8_GROUP];
        key_scale[g * KV_TILE + slot] = round_group(k + g * Q8_GROUP, q);
        for (int i = 0; i < Q8_GROUP; i++) {
            int at = g * Q8_GROUP + i;
            keys[(at / 4 * KV_TILE + slot) * 4 + at % 4] = q[i];
        }
        value_scale[slot * groups + g] =
            round_group(v + g * Q8_GROUP, values + slot * d + g * Q8_GROUP);
    }
}

// Row `position` of every head; k and v have stride d from head to head, or 0 for one row for all.
static void put_row(KvCache *cache, int64_t position, const float *k, const float *v,
                    int64_t stride) {
    int d = cache->head_width, slot = (int)(position % KV_TILE);
    for (int g = 0; g < cache->kv_heads; g++, k += stride, v += stride) {
        size_t at = tile_offset(cache, g, position / KV_TILE);
        char *keys = cache->keys + at, *values = cache->values + at;
        if (cache->dtype == DTYPE_F32)
            put_f32(keys, values, slot, k, v, d);
        else if (cache->dtype == DTYPE_F16)
            put_f16(keys, values, slot, k, v, d);
        else
            put_q8(keys, values, slot, k, v, d);
    }
}

void kv_append(KvCache *cache, const float *k, const float *v, int64_t n) {
    require(n <= cache->capacity - cache->n);
    int64_t width = (int64_t)cache->kv_heads * cache->head_width;
    for (int64_t row = 0; row < n; row++)
        put_row(cache, cache->n + row, k + row * width, v + row * width, cache->head_width);
    cache->n += n;
}

void kv_cut(KvCache *cache, int64_t n) {
    require(n >= 0 && n <= cache->n);
    static const float zero[KV_WIDTH_MAX];
    int64_t end = (n + KV_TILE - 1) / KV_TILE * KV_TILE;
    for (int64_t p = n; p < end && p < cache->n; p++) put_row(cache, p, zero, zero, 0);
    cache->n = n;
}

void kv_copy(KvCache *to, const KvCache *from, int64_t n) {
    require(to->dtype == from->dtype && to->kv_heads == from->kv_heads &&
            to->head_width == from->head_width && n <= from->n && n <= to->capacity);
    int64_t tiles = (n + KV_TILE - 1) / KV_TILE;
    size_t bytes = tile_bytes(to->dtype, to->head_width) * (size_t)tiles;
    for (int g = 0; g < to->kv_heads; g++) {
        memcpy(to->keys + tile_offset(to, g, 0), kv_key_tile(from, g, 0), bytes);
        memcpy(to->values + tile_offset(to, g, 0), kv_value_tile(from, g, 0), bytes);
    }
    to->n = n;
}
