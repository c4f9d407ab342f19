// state.c - the memory of a sequence: caches and carried numbers in one reserved block.
#include "model/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

static int64_t whole_tiles(int64_t positions) {
    return (positions + KV_TILE - 1) / KV_TILE * KV_TILE;
}

static int64_t carried_numbers(const Model *model) {
    int64_t n = 0;
    for (int l = 0; l < model->config.layers; l++) n += config_carry(&model->config, l);
    return n;
}

size_t state_bytes_carried(const Model *model) {
    return sizeof(float) * (size_t)carried_numbers(model);
}

// ---------------------------------------------------------------- life
// Keys and values of all layers, then what is carried, then the snapshots of that.
static void share_out(State *state, size_t cache_bytes) {
    const Config *c = &state->model->config;
    char *memory = state->memory;
    for (int l = 0; l < c->layers; l++) {
        if (!config_has_attention(c, l)) continue;
        state->layer[l].cache =
            kv_make(state->dtype, c->kv_heads, c->head_width, state->capacity, memory);
        memory += cache_bytes;
    }
    float *carry = state->carry = (float *)(void *)memory;
    for (int l = 0; l < c->layers; l++) {
        if (!config_has_attention(c, l)) state->layer[l].carry = carry;
        carry += config_carry(c, l);
    }
    for (int i = 0; i < STATE_SNAPSHOTS; i++, carry += state->n_carry)
        state->snapshot[i].carry = carry;
}

bool state_type_fits(const Model *model, DType dtype) {
    const Config *c = &model->config;
    return config_attention_layers(c) == 0 || kv_type_fits(dtype, c->head_width);
}

State *state_open(const Model *model, DType dtype, int64_t capacity, Error *err) {
    const Config *c = &model->config;
    if (c->is_encoder) {
        error_set(err, ERROR_UNSUPPORTED, "a %s model is an encoder: it continues no text",
                  model->arch->name);
        return NULL;
    }
    if (!state_type_fits(model, dtype)) {
        error_set(err, ERROR_UNSUPPORTED, "cache type %s does not fit heads of width %d",
                  dtype_name(dtype), c->head_width);
        return NULL;
    }
    int layers = config_attention_layers(c);
    int64_t positions = whole_tiles(capacity > 0 ? capacity : 1);
    size_t cache_bytes = layers ? 2 * kv_bytes(dtype, c->kv_heads, c->head_width, positions) : 0;
    size_t bytes =
        cache_bytes * (size_t)layers + state_bytes_carried(model) * (1 + STATE_SNAPSHOTS);
    State *state = calloc(1, sizeof *state);
    LayerState *layer = calloc((size_t)c->layers, sizeof *layer);
    char *memory = memory_reserve_zeros(bytes);
    if (!state || !layer || !memory) {
        error_set(err, ERROR_MEMORY, "no memory for a cache of %lld positions (%zu bytes)",
                  (long long)positions, bytes);
        if (memory) memory_release(memory, bytes);
        free(layer);
        free(state);
        return NULL;
    }
    *state = (State){.model = model,
                     .dtype = dtype,
                     .capacity = positions,
                     .layer = layer,
                     .n_carry = carried_numbers(model),
                     .memory = memory,
                     .bytes = bytes};
    share_out(state, cache_bytes);
    return state;
}

void state_close(State *state) {
    if (!state) return;
    memory_release(state->memory, state->bytes);
    free(state->layer);
    free(state);
}

// ---------------------------------------------------------------- snapshots
static void copy_carry(const State *state, float *to, const float *from) {
    memcpy(to, from, sizeof(float) * (size_t)state->n_carry);
}

// Makes room by giving up the snapshot whose neighbours stand closest together; never the last.
static void drop_snapshot(State *state) {
    int best = 0;
    int64_t least = INT64_MAX;
    for (int i = 0; i + 1 < state->n_snapshots; i++) {
        int64_t gap = state->snapshot[i + 1].n - (i ? state->snapshot[i - 1].n : 0);
        if (gap >= least) continue;
        least = gap;
        best = i;
    }
    Snapshot dropped = state->snapshot[best];
    state->n_snapshots--;
    for (int i = best; i < state->n_snapshots; i++) state->snapshot[i] = state->snapshot[i + 1];
    state->snapshot[state->n_snapshots] = dropped; // its memory serves the next one
}

void state_mark(State *state) {
    int64_t last = state->n_snapshots ? state->snapshot[state->n_snapshots - 1].n : 0;
    if (!state->n_carry || state->n == last) return;
    if (state->n_snapshots == STATE_SNAPSHOTS) drop_snapshot(state);
    Snapshot *snapshot = &state->snapshot[state->n_snapshots++];
    snapshot->n = state->n;
    copy_carry(state, snapshot->carry, state->carry);
}

void state_reach(State *state, int64_t n) {
    int64_t last = state->n_snapshots ? state->snapshot[state->n_snapshots - 1].n : 0;
    bool is_due = n - state->n > 1 || n - last >= STATE_SNAPSHOT_EVERY;
    state->n = n;
    if (is_due) state_mark(state);
}

int64_t state_nearest(const State *state, int64_t n) {
    if (!state->n_carry || n >= state->n) return n < state->n ? n : state->n;
    int64_t nearest = 0;
    for (int i = 0; i < state->n_snapshots; i++)
        if (state->snapshot[i].n <= n) nearest = state->snapshot[i].n;
    return nearest;
}

// What was carried at n positions, where the state may be cut.
static void cut_carry(State *state, int64_t n) {
    while (state->n_snapshots && state->snapshot[state->n_snapshots - 1].n > n)
        state->n_snapshots--;
    if (!state->n_carry || n == state->n) return;
    if (n == 0)
        memset(state->carry, 0, sizeof(float) * (size_t)state->n_carry);
    else
        copy_carry(state, state->carry, state->snapshot[state->n_snapshots - 1].carry);
}

bool state_cut(State *state, int64_t n, Error *err) {
    if (n < 0 || n > state->n)
        return error_set(err, ERROR_USAGE, "cannot cut a memory of %lld positions at %lld",
                         (long long)state->n, (long long)n);
    int64_t nearest = state_nearest(state, n);
    if (nearest != n)
        return error_set(err, ERROR_UNSUPPORTED,
                         "a recurrent memory cannot be cut back to %lld of %lld positions, only to "
                         "a snapshot: the nearest is at %lld",
                         (long long)n, (long long)state->n, (long long)nearest);
    cut_carry(state, n);
    for (int l = 0; l < state->model->config.layers; l++)
        if (state->layer[l].cache.n > n)
            kv_cut(&state->layer[l].cache, n); // a broken-off forward may be uneven
    state->n = n;
    return true;
}

void state_fork(State *to, const State *from) {
    require(to->model == from->model && to->dtype == from->dtype && to->capacity >= from->n);
    for (int l = 0; l < from->model->config.layers; l++)
        if (!from->layer[l].carry) kv_copy(&to->layer[l].cache, &from->layer[l].cache, from->n);
    copy_carry(to, to->carry, from->carry);
    to->n_snapshots = 0;
    to->n = from->n;
}

// ---------------------------------------------------------------- bytes
size_t state_bytes_per_position(const Model *model, DType dtype) {
    const Config *c = &model->config;
    int layers = c->is_encoder ? 0 : config_attention_layers(c); // an encoder keeps nothing
    return layers ? kv_bytes_per_position(dtype, c->kv_heads, c->head_width) * (size_t)layers : 0;
}

size_t state_bytes(const State *state) {
    return state_bytes_per_position(state->model, state->dtype) * (size_t)whole_tiles(state->n) +
           state_bytes_carried(state->model);
}

// ---------------------------------------------------------------- as bytes
// "heedstat" | n | dtype, layers, kv heads, head width, carried numbers (i64 each) | hash |
// what is carried | tiles of all layers with attention
enum { HEADER_NUMBERS = 7 };
static const char MAGIC[8] = {'h', 'e', 'e', 'd', 's', 't', 'a', 't'};

// Bytes of the tiles in use of one head in one layer, keys alone.
static size_t head_bytes(const State *state, int64_t n) {
    return kv_bytes(state->dtype, 1, state->model->config.head_width, whole_tiles(n));
}

static size_t body_bytes(const State *state, int64_t n) {
    const Config *c = &state->model->config;
    size_t heads = 2 * (size_t)c->kv_heads * (size_t)config_attention_layers(c);
    return state_bytes_carried(state->model) + (heads ? head_bytes(state, n) * heads : 0);
}

// One piece out of the state, or into it; returns where the next one lies.
static char *copy_piece(void *mine, char *bytes, size_t size, bool is_saving) {
    if (is_saving)
        memcpy(bytes, mine, size);
    else
        memcpy(mine, bytes, size);
    return bytes + size;
}

static void copy_body(const State *state, int64_t n, char *bytes, bool is_saving) {
    const Config *c = &state->model->config;
    bytes = copy_piece(state->carry, bytes, state_bytes_carried(state->model), is_saving);
    for (int l = 0; l < c->layers; l++)
        for (int i = 0; i < 2 * c->kv_heads && config_has_attention(c, l); i++) {
            const KvCache *cache = &state->layer[l].cache;
            const void *tile =
                i % 2 ? kv_value_tile(cache, i / 2, 0) : kv_key_tile(cache, i / 2, 0);
            bytes = copy_piece((char *)(uintptr_t)tile, bytes, head_bytes(state, n), is_saving);
        }
}

static void shape_numbers(const State *state, int64_t n, int64_t number[HEADER_NUMBERS]) {
    const Config *c = &state->model->config;
    memcpy(number,
           (int64_t[]){n, state->dtype, c->layers, c->kv_heads, c->head_width, state->n_carry, 0},
           sizeof(int64_t) * HEADER_NUMBERS);
}

Str state_save(const State *state, Arena *arena) {
    int64_t number[HEADER_NUMBERS];
    size_t body = body_bytes(state, state->n), header = sizeof MAGIC + sizeof number;
    char *bytes = arena_push(arena, header + body);
    copy_body(state, state->n, bytes + header, true);
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
    copy_body(state, n, (char *)(uintptr_t)(saved.data + header), false);
    for (int l = 0; l < state->model->config.layers; l++)
        if (!state->layer[l].carry) state->layer[l].cache.n = n;
    state->n_snapshots = 0;
    state->n = n;
    state_mark(state);
    return true;
}
