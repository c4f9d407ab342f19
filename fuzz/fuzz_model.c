// fuzz_model.c - any bytes as the GGUF file of a whole model: opened, and if it opens, three tokens
// run through it, fast and exact, and a text through its tokenizer.
//
// Flipped bytes seldom get past the reader, so the mutator knows the format: it lists the fields of
// the header and puts the numbers there that break readers, or a field's neighbours.  The seeds are
// models of a few kilobytes (tools/fuzz_seeds.py).
#include <string.h>

#include "generate/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

// ---------------------------------------------------------------- the fields of a header
enum { FIELDS_MAX = 4096, NESTING_MAX = 4 };

typedef struct Field {
    size_t at;
    int bytes;
} Field;

typedef struct Walk {
    const uint8_t *data;
    size_t size, at;
    Field field[FIELDS_MAX];
    int n;
    bool is_lost; // the bytes stopped making sense
} Walk;

static uint64_t read_number(const uint8_t *data, Field f) {
    uint64_t value = 0;
    memcpy(&value, data + f.at, (size_t)f.bytes); // little-endian, as the machines that fuzz
    return value;
}

// Lists the next field and returns its value.
static uint64_t walk_number(Walk *w, int bytes) {
    if (w->is_lost || w->size - w->at < (size_t)bytes || w->n == FIELDS_MAX) {
        w->is_lost = true;
        return 0;
    }
    Field f = {w->at, bytes};
    w->field[w->n++] = f;
    w->at += (size_t)bytes;
    return read_number(w->data, f);
}

static void walk_string(Walk *w) {
    uint64_t n = walk_number(w, 8);
    if (n > w->size - w->at)
        w->is_lost = true;
    else
        w->at += n;
}

static void walk_value(Walk *w, uint64_t type, int depth) {
    static const int bytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    enum { STRING = 8, ARRAY = 9, TYPES = 13 };
    if (type >= TYPES || depth > NESTING_MAX) {
        w->is_lost = true;
    } else if (type == STRING) {
        walk_string(w);
    } else if (type == ARRAY) {
        uint64_t item = walk_number(w, 4), n = walk_number(w, 8);
        for (uint64_t i = 0; i < n && !w->is_lost; i++) walk_value(w, item, depth + 1);
    } else {
        walk_number(w, bytes[type]);
    }
}

static void walk_header(Walk *w) {
    walk_number(w, 4); // magic
    walk_number(w, 4); // version
    uint64_t n_tensors = walk_number(w, 8), n_entries = walk_number(w, 8);
    for (uint64_t i = 0; i < n_entries && !w->is_lost; i++) {
        walk_string(w);
        walk_value(w, walk_number(w, 4), 0);
    }
    for (uint64_t i = 0; i < n_tensors && !w->is_lost; i++) {
        walk_string(w);
        uint64_t rank = walk_number(w, 4);
        for (uint64_t d = 0; d < rank && !w->is_lost; d++) walk_number(w, 8);
        walk_number(w, 4); // type
        walk_number(w, 8); // offset
    }
}

// ---------------------------------------------------------------- mutation
static uint64_t next_random(uint64_t *state) { // splitmix64
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t changed(uint64_t old, uint64_t *random) {
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       3,
                                       4,
                                       6,
                                       8,
                                       12,
                                       16,
                                       30,
                                       32,
                                       64,
                                       255,
                                       256,
                                       512,
                                       1023,
                                       65535,
                                       65536,
                                       1u << 20,
                                       1u << 22,
                                       1u << 24,
                                       0x7fffffff,
                                       1u << 31,
                                       0xffffffff,
                                       1ull << 32,
                                       1ull << 61,
                                       1ull << 62,
                                       1ull << 63,
                                       ~1ull,
                                       ~0ull,
                                       0x7f800000 /* infinity */,
                                       0xffc00000 /* NaN */,
                                       0xbf800000 /* -1 */};
    uint64_t choice = next_random(random);
    switch (choice % 8) {
    case 0: return old + 1;
    case 1: return old - 1;
    case 2: return old * 2;
    case 3: return old / 2;
    case 4: return next_random(random) % 40;
    default: return numbers[(choice >> 8) % (sizeof numbers / sizeof *numbers)];
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    static Walk walk;
    uint64_t random = seed;
    walk = (Walk){.data = data, .size = size};
    walk_header(&walk);
    if (walk.n == 0 || next_random(&random) % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
    int n_changes = 1 + (int)(next_random(&random) % 3);
    for (int i = 0; i < n_changes; i++) {
        Field f = walk.field[next_random(&random) % (uint64_t)walk.n];
        uint64_t value = changed(read_number(data, f), &random);
        memcpy(data + f.at, &value, (size_t)f.bytes);
    }
    return size;
}

// ---------------------------------------------------------------- the run
static void run_model(const Model *model) {
    for (int exact = 0; exact < 2; exact++) {
        Error err = {0};
        SessionOptions options = {
            .context = 16, .cache = exact ? DTYPE_F32 : DTYPE_F16, .exact = exact, .chunk = 2};
        if (model->embed_positions.data && model->config.context < options.context)
            options.context = model->config.context;
        Session *session = session_open(model, options, &err);
        int64_t n = options.context < 3 ? options.context : 3;
        if (!session || !session_sync(session, (int32_t[]){0, 0, 0}, n, &err))
            require(err.kind != ERROR_NONE && err.text[0]);
        session_close(session);
    }
}

static void run_tokenizer(const Tokenizer *t) {
    Arena arena;
    Tokens tokens;
    Error err = {0};
    if (!arena_init(&arena, ARENA_DEFAULT, &err)) return;
    EncodeOptions options = {.add_special = true, .parse_special = true};
    if (tokenizer_encode(t, &arena, STR("a b<s>\n\xC3\xA9\xFF"), options, &tokens, &err))
        for (int64_t i = 0; i < tokens.n; i++)
            require(tokens.token[i].id >= 0 && tokens.token[i].id < tokenizer_size(t));
    arena_drop(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Error err = {0};
    Model *model = model_open_gguf_bytes((Str){(const char *)data, size}, "fuzz", &err);
    if (!model) {
        require(err.kind != ERROR_NONE && err.text[0]);
        return 0;
    }
    run_model(model);
    if (model->tokenizer) run_tokenizer(model->tokenizer);
    model_close(model);
    return 0;
}
