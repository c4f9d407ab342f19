// state.c - the memory of a sequence: one cache a layer in one reserved block.
#include "model/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

static int64_t whole_tiles(int64_t positions) {
    return (positions + KV_TILE - 1) / KV_TILE * KV_TILE;
}

State *state_open(const Model *model, DType dtype, int64_t capacity, Error *err) {
    const Config *c = &model->config;
    if (!kv_type_fits(dtype, c->head_width)) {
        error_set(err, ERROR_UNSUPPORTED, "cache type %s does not fit heads of width %d",
                  dtype_name(dtype), c->head_width);
        return NULL;
    }
    int64_t positions = whole_tiles(capacity > 0 ? capacity : 1);
    size_t layer_bytes = 2 * kv_bytes(dtype, c->kv_heads, c->head_width, positions);
    State *state = calloc(1, sizeof *state);
    KvCache *layer = calloc((size_t)c->layers, sizeof *layer);
    char *memory = memory_reserve_zeros(layer_bytes * (size_t)c->layers);
    if (!state || !layer || !memory) {
        error_set(err, ERROR_MEMORY, "no memory for a cache of %lld positions (%zu bytes)",
                  (long long)positions, layer_bytes * (size_t)c->layers);
        if (memory) memory_release(memory, layer_bytes * (size_t)c->layers);
        free(layer);
        free(state);
        return NULL;
    }
    *state = (State){.model = model,
                     .dtype = dtype,
                     .capacity = positions,
                     .layer = layer,
                     .memory = memory,
                     .bytes = layer_bytes * (size_t)c->layers};
    for (int l = 0; l < c->layers; l++)
        layer[l] =
            kv_make(dtype, c->kv_heads, c->head_width, positions, memory + layer_bytes * (size_t)l);
    return state;
}

void state_close(State *state) {
    if (!state) return;
    memory_release(state->memory, state->bytes);
    free(state->layer);
    free(state);
}

bool state_cut(State *state, int64_t n, Error *err) {
    if (n < 0 || n > state->n)
        return error_set(err, ERROR_USAGE, "cannot cut a memory of %lld positions at %lld",
                         (long long)state->n, (long long)n);
    for (int l = 0; l < state->model->config.layers; l++)
        if (state->layer[l].n > n)
            kv_cut(&state->layer[l], n); // a broken-off forward may be uneven
    state->n = n;
    return true;
}

void state_fork(State *to, const State *from) {
    require(to->model == from->model && to->dtype == from->dtype && to->capacity >= from->n);
    for (int l = 0; l < from->model->config.layers; l++)
        kv_copy(&to->layer[l], &from->layer[l], from->n);
    to->n = from->n;
}

size_t state_bytes_per_position(const Model *model, DType dtype) {
    const Config *c = &model->config;
    return kv_bytes_per_position(dtype, c->kv_heads, c->head_width) * (size_t)c->layers;
}

size_t state_bytes(const State *state) {
    return state_bytes_per_position(state->model, state->dtype) * (size_t)whole_tiles(state->n);
}

// ---------------------------------------------------------------- as bytes
// "heedstat" | n | dtype, layers, kv heads, head width (i64 each) | hash | tiles of all layers
enum { HEADER_NUMBERS = 6 };
static const char MAGIC[8] = {'h', 'e', 'e', 'd', 's', 't', 'a', 't'};

// Bytes of the tiles in use of one head in one layer, keys alone.
static size_t head_bytes(const State *state, int64_t n) {
    return kv_bytes(state->dtype, 1, state->model->config.head_width, whole_tiles(n));
}

static size_t body_bytes(const State *state, int64_t n) {
    const Config *c = &state->model->config;
    return 2 * head_bytes(state, n) * (size_t)c->kv_heads * (size_t)c->layers;
}

// Calls memcpy for the keys and values of each head: out of the state, or into it.
static void copy_tiles(const State *state, int64_t n, char *bytes, bool is_saving) {
    size_t size = head_bytes(state, n);
    for (int l = 0; l < state->model->config.layers; l++)
        for (int i = 0; i < 2 * state->model->config.kv_heads; i++, bytes += size) {
            const KvCache *cache = &state->layer[l];
            const void *tile =
                i % 2 ? kv_value_tile(cache, i / 2, 0) : kv_key_tile(cache, i / 2, 0);
            char *mine = (char *)(uintptr_t)tile;
            if (is_saving)
                memcpy(bytes, mine, size);
            else
                memcpy(mine, bytes, size);
        }
}

static void shape_numbers(const State *state, int64_t n, int64_t number[HEADER_NUMBERS]) {
    const Config *c = &state->model->config;
    memcpy(number, (int64_t[]){n, state->dtype, c->layers, c->kv_heads, c->head_width, 0},
           sizeof(int64_t) * HEADER_NUMBERS);
}

Str state_save(const State *state, Arena *arena) {
    int64_t number[HEADER_NUMBERS];
    size_t body = body_bytes(state, state->n), header = sizeof MAGIC + sizeof number;
    char *bytes = arena_push(arena, header + body);
    copy_tiles(state, state->n, bytes + header, true);
    shape_numbers(state, state->n, number);
    number[HEADER_NUMBERS - 1] = (int64_t)hash_bytes(bytes + header, body, 0);
    memcpy(bytes, MAGIC, sizeof MAGIC);
    memcpy(bytes + sizeof MAGIC, number, sizeof number);
    return (Str){bytes, header + body};
}

bool state_restore(State *state, Str saved, Error *err) {
    int64_t number[HEADER_NUMBERS], want[HEADER_NUMBERS];
    size_t header = sizeof MAGIC + sizeof number;
    if (saved.n < header || memcmp(saved.data, MAGIC, sizeof MAGIC) != 0)
        return error_set(err, ERROR_FORMAT, "saved state: not a saved state");
    memcpy(number, saved.data + sizeof MAGIC, sizeof number);
    int64_t n = number[0];
    if (n < 0 || n > state->capacity)
        return error_set(err, ERROR_LIMIT, "saved state: %lld positions do not fit %lld",
                         (long long)n, (long long)state->capacity);
    shape_numbers(state, n, want);
    if (memcmp(number, want, sizeof number - sizeof *number) != 0)
        return error_set(err, ERROR_FORMAT, "saved state: of another model or cache type");
    size_t body = body_bytes(state, n);
    if (saved.n - header != body)
        return error_set(err, ERROR_FORMAT, "saved state: %zu bytes, want %zu", saved.n,
                         header + body);
    if ((int64_t)hash_bytes(saved.data + header, body, 0) != number[HEADER_NUMBERS - 1])
        return error_set(err, ERROR_FORMAT, "saved state: damaged (checksum)");
    copy_tiles(state, n, (char *)(uintptr_t)(saved.data + header), false);
    for (int l = 0; l < state->model->config.layers; l++) state->layer[l].n = n;
    state->n = n;
    return true;
}
