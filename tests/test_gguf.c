// test_gguf.c - GGUF files that are wrong: one field of a good file is damaged at a time.
//
// The good file is built here byte by byte, by code that shares nothing with src/format.
#include <stdlib.h>

#include "format/gguf.h"
#include "tests/test.h"

// ---------------------------------------------------------------- a good file

typedef struct Bytes {
    unsigned char data[2048];
    size_t n;
} Bytes;

static void put(Bytes *b, uint64_t value, int n) {
    for (int i = 0; i < n; i++) b->data[b->n++] = (unsigned char)(value >> (8 * i));
}

static void put_text(Bytes *b, const char *text) {
    put(b, strlen(text), 8);
    memcpy(b->data + b->n, text, strlen(text));
    b->n += strlen(text);
}

// Where the fields lie that are damaged below.
typedef enum Field {
    MAGIC,
    VERSION,
    N_TENSORS,
    N_KV,
    KEY_SIZE,
    KEY_TEXT,
    VALUE_TYPE,
    STRING_SIZE,
    ALIGNMENT_TYPE,
    ALIGNMENT,
    SECOND_KEY_TEXT,
    BOOL,
    ITEM_TYPE,
    ARRAY_SIZE,
    TOKEN_ARRAY_SIZE,
    TOKEN_SIZE,
    NESTED_TYPE,
    NAME_SIZE,
    NAME_TEXT,
    N_DIMS,
    DIM_0,
    DIM_1,
    TYPE,
    OFFSET,
    SECOND_NAME_TEXT,
    SECOND_DIM,
    SECOND_TYPE,
    SECOND_OFFSET,
    N_FIELDS
} Field;

typedef struct Sample {
    Bytes file;
    size_t at[N_FIELDS];
    size_t header; // bytes before the padding
} Sample;

static void mark(Sample *s, Field field) {
    s->at[field] = s->file.n;
}

static void put_metadata(Sample *s) {
    Bytes *b = &s->file;
    mark(s, KEY_SIZE);
    s->at[KEY_TEXT] = b->n + 8;
    put_text(b, "general.architecture");
    mark(s, VALUE_TYPE);
    put(b, 8, 4);
    mark(s, STRING_SIZE);
    put_text(b, "llama");
    put_text(b, "general.alignment");
    mark(s, ALIGNMENT_TYPE);
    put(b, 4, 4);
    mark(s, ALIGNMENT);
    put(b, 32, 4);
    s->at[SECOND_KEY_TEXT] = b->n + 8;
    put_text(b, "general.hasabooleans");
    put(b, 7, 4);
    mark(s, BOOL);
    put(b, 1, 1);
    put_text(b, "list");
    put(b, 9, 4);
    mark(s, ITEM_TYPE);
    put(b, 4, 4);
    mark(s, ARRAY_SIZE);
    put(b, 3, 8);
    for (uint64_t i = 7; i < 10; i++) put(b, i, 4);
    put_text(b, "tokens");
    put(b, 9, 4);
    put(b, 8, 4);
    mark(s, TOKEN_ARRAY_SIZE);
    put(b, 2, 8);
    mark(s, TOKEN_SIZE);
    put_text(b, "<s>");
    put_text(b, "");
    put_text(b, "nested"); // [[5], []] of i8
    put(b, 9, 4);
    put(b, 9, 4);
    put(b, 2, 8);
    mark(s, NESTED_TYPE);
    put(b, 1, 4);
    put(b, 1, 8);
    put(b, 5, 1);
    put(b, 1, 4);
    put(b, 0, 8);
}

// Two tensors: Q8_0 (2, 32) of 68 bytes, padded to 96, and F32 (3).
static void put_tensors(Sample *s) {
    Bytes *b = &s->file;
    mark(s, NAME_SIZE);
    s->at[NAME_TEXT] = b->n + 8;
    put_text(b, "a.weight");
    mark(s, N_DIMS);
    put(b, 2, 4);
    mark(s, DIM_0);
    put(b, 32, 8);
    mark(s, DIM_1);
    put(b, 2, 8);
    mark(s, TYPE);
    put(b, 8, 4);
    mark(s, OFFSET);
    put(b, 0, 8);
    s->at[SECOND_NAME_TEXT] = b->n + 8;
    put_text(b, "b.weight");
    put(b, 1, 4);
    mark(s, SECOND_DIM);
    put(b, 3, 8);
    mark(s, SECOND_TYPE);
    put(b, 0, 4);
    mark(s, SECOND_OFFSET);
    put(b, 96, 8);
}

static Sample good_file(void) {
    Sample s = {0};
    Bytes *b = &s.file;
    mark(&s, MAGIC);
    memcpy(b->data, "GGUF", 4);
    b->n = 4;
    mark(&s, VERSION);
    put(b, 3, 4);
    mark(&s, N_TENSORS);
    put(b, 2, 8);
    mark(&s, N_KV);
    put(b, 6, 8);
    put_metadata(&s);
    put_tensors(&s);
    s.header = b->n;
    while (b->n % 32) put(b, 0, 1);
    for (uint64_t i = 0; i < 96 + 12; i++) put(b, i, 1);
    return s;
}

// Opens a copy of exactly n bytes, so that AddressSanitizer sees the first byte past its end.
static bool open_copy(GgufFile *file, char **copy, const unsigned char *data, size_t n,
                      Error *err) {
    *copy = malloc(n ? n : 1);
    memcpy(*copy, data, n);
    return gguf_open_bytes(file, (Str){*copy, n}, "test.gguf", err);
}

// Reads everything that an open file offers; it has to lie within the n bytes.
static void check_bounds(const GgufFile *file, const char *copy, size_t n, Arena *arena) {
    volatile unsigned sum = 0;
    for (int64_t i = 0; i < file->tensors.n; i++) {
        const TensorEntry *e = &file->tensors.entry[i];
        const char *data = e->data;
        bool inside = data >= copy && e->bytes >= 0 && (size_t)(data - copy) <= n &&
                      (size_t)e->bytes <= n - (size_t)(data - copy);
        if (!CHECK(inside)) return;
        for (int64_t k = 0; k < e->bytes; k++) sum = sum + (unsigned char)data[k];
        CHECK(tensor_file_find(&file->tensors, e->name) == e);
    }
    CHECK(tensor_file_bytes(&file->tensors) <= (int64_t)n);
    ArenaMark here = arena_mark(arena);
    for (int64_t i = 0; i < file->n_entries; i++)
        sum = sum + (unsigned)gguf_value_text(arena, &file->entry[i].value, 1 << 20).n;
    arena_back(arena, here);
}

// Opens damaged bytes: any outcome is right that stays in bounds, and an error has a text of one
// line.
static bool try_open(const unsigned char *data, size_t n, Arena *arena) {
    GgufFile file;
    Error err = {0};
    char *copy;
    bool opened = open_copy(&file, &copy, data, n, &err);
    if (opened)
        check_bounds(&file, copy, n, arena);
    else
        CHECK(err.kind && strstr(err.text, "test.gguf") == err.text && !strchr(err.text, '\n'));
    gguf_close(&file);
    free(copy);
    return opened;
}

static Arena test_arena(void) {
    Arena arena;
    Error err = {0};
    CHECK(arena_init(&arena, (size_t)1 << 28, &err));
    return arena;
}

TEST(gguf, reads_a_file_built_by_hand) {
    Sample s = good_file();
    GgufFile file;
    Error err = {0};
    char *copy;
    if (!CHECK(open_copy(&file, &copy, s.file.data, s.file.n, &err))) return;
    CHECK_EQUAL(file.version, 3);
    CHECK_EQUAL(file.n_entries, 6);
    CHECK_EQUAL(file.tensors.n, 2);
    const TensorEntry *a = tensor_file_find(&file.tensors, STR("a.weight"));
    if (CHECK(a != NULL)) {
        CHECK_EQUAL(a->dtype, DTYPE_Q8_0);
        CHECK_EQUAL(a->rank, 2);
        CHECK_EQUAL(a->dim[0], 2);
        CHECK_EQUAL(a->dim[1], 32);
        CHECK_EQUAL(a->bytes, 68);
        CHECK_EQUAL(((const unsigned char *)a->data)[67], 67);
        CHECK(strcmp(a->type_name, "Q8_0") == 0);
    }
    const TensorEntry *b = tensor_file_find(&file.tensors, STR("b.weight"));
    if (CHECK(b != NULL)) {
        CHECK_EQUAL(b->bytes, 12);
        CHECK_EQUAL(((const unsigned char *)b->data)[0], 96);
        CHECK_EQUAL(b->file_offset, (int64_t)(s.file.n - 12));
    }
    CHECK(!tensor_file_find(&file.tensors, STR("c.weight")));
    CHECK(tensor_file_intact(&file.tensors, &err));
    Arena arena = test_arena();
    check_bounds(&file, copy, s.file.n, &arena);
    CHECK(str_equal(gguf_value_text(&arena, gguf_find(&file, "list"), 2),
                    STR("[7, 8, ... 3 of u32]")));
    CHECK(
        str_equal(gguf_value_text(&arena, gguf_find(&file, "tokens"), 9), STR("[\"<s>\", \"\"]")));
    arena_drop(&arena);
    gguf_close(&file);
    free(copy);
}

// ---------------------------------------------------------------- one field at a time

typedef struct Damage {
    Field field;
    int width;
    uint64_t value;
    ErrorKind kind;
    const char *words;
} Damage;

// clang-format off
static const Damage damages[] = {
    {MAGIC, 4, 0x46554746, ERROR_FORMAT, "magic"},
    {VERSION, 4, 0, ERROR_FORMAT, "version 0"},
    {VERSION, 4, 1, ERROR_UNSUPPORTED, "version 1"},
    {VERSION, 4, 4, ERROR_UNSUPPORTED, "version 4"},
    {VERSION, 4, 0x03000000, ERROR_UNSUPPORTED, "big-endian"},
    {N_TENSORS, 8, UINT64_MAX, ERROR_FORMAT, "n_tensors"},
    {N_TENSORS, 8, UINT64_C(1) << 61, ERROR_FORMAT, "n_tensors"},
    {N_TENSORS, 8, 3, ERROR_FORMAT, "tensor 2"},
    {N_KV, 8, UINT64_MAX / 14, ERROR_FORMAT, "n_kv"},
    {N_KV, 8, UINT64_C(1) << 63, ERROR_FORMAT, "n_kv"},
    {N_KV, 8, 7, ERROR_FORMAT, "tensor 0: name"},
    {KEY_SIZE, 8, 0, ERROR_FORMAT, "key 0: its text: empty"},
    {KEY_SIZE, 8, UINT64_MAX, ERROR_FORMAT, "key 0: its text"},
    {KEY_SIZE, 8, 65536, ERROR_FORMAT, "key 0: its text"},
    {KEY_TEXT, 1, 0, ERROR_FORMAT, "key 0: its text: not UTF-8"},
    {KEY_TEXT, 1, 0xff, ERROR_FORMAT, "key 0: its text: not UTF-8"},
    {VALUE_TYPE, 4, 13, ERROR_FORMAT, "'general.architecture': value type: no value type 13"},
    {VALUE_TYPE, 4, UINT32_MAX, ERROR_FORMAT, "'general.architecture': value type"},
    {STRING_SIZE, 8, UINT64_MAX - 7, ERROR_FORMAT, "'general.architecture': string"},
    {STRING_SIZE, 8, 4096, ERROR_FORMAT, "'general.architecture': string"},
    {ALIGNMENT_TYPE, 4, 5, ERROR_FORMAT, "'general.alignment': it is i32"},
    {ALIGNMENT_TYPE, 4, 6, ERROR_FORMAT, "'general.alignment': it is f32"},
    {ALIGNMENT, 4, 0, ERROR_FORMAT, "'general.alignment': 0"},
    {ALIGNMENT, 4, 4, ERROR_FORMAT, "'general.alignment': 4"},
    {ALIGNMENT, 4, 33, ERROR_FORMAT, "'general.alignment': 33"},
    {ALIGNMENT, 4, 96, ERROR_FORMAT, "'general.alignment': 96"},
    {ALIGNMENT, 4, 131072, ERROR_FORMAT, "'general.alignment': 131072"},
    {ALIGNMENT, 4, UINT32_C(1) << 31, ERROR_FORMAT, "'general.alignment': 2147483648"},
    {ALIGNMENT, 4, 64, ERROR_FORMAT, "'b.weight': offset 96 is no multiple"},
    {BOOL, 1, 2, ERROR_FORMAT, "a bool is 2"},
    {BOOL, 1, 255, ERROR_FORMAT, "a bool is 255"},
    {ITEM_TYPE, 4, 13, ERROR_FORMAT, "'list': item type"},
    {ARRAY_SIZE, 8, UINT64_MAX, ERROR_FORMAT, "'list': array length"},
    {ARRAY_SIZE, 8, UINT64_C(1) << 62, ERROR_FORMAT, "'list': array length"},
    {TOKEN_ARRAY_SIZE, 8, UINT64_C(1) << 61, ERROR_FORMAT, "'tokens': array length"},
    {TOKEN_SIZE, 8, UINT64_C(1) << 31, ERROR_FORMAT, "'tokens': string"},
    {NESTED_TYPE, 4, 99, ERROR_FORMAT, "'nested': item type"},
    {NAME_SIZE, 8, 0, ERROR_FORMAT, "tensor 0: name: empty"},
    {NAME_SIZE, 8, 64, ERROR_LIMIT, "tensor 0: name: 64 bytes, at most 63"},
    {NAME_SIZE, 8, UINT64_MAX, ERROR_FORMAT, "tensor 0: name"},
    {N_DIMS, 4, 0, ERROR_FORMAT, "'a.weight': n_dims: 0"},
    {N_DIMS, 4, 5, ERROR_FORMAT, "'a.weight': n_dims: 5"},
    {DIM_0, 8, 0, ERROR_FORMAT, "'a.weight': dimension 0 is 0"},
    {DIM_0, 8, 33, ERROR_FORMAT, "'a.weight': shape: a row is no whole number of blocks"},
    {DIM_0, 8, UINT64_C(1) << 63, ERROR_FORMAT, "'a.weight': dimension 0"},
    {DIM_0, 8, UINT64_C(1) << 62, ERROR_FORMAT, "'a.weight': shape: the product"},
    {DIM_0, 8, UINT64_C(1) << 61, ERROR_FORMAT, "'a.weight': data"}, // 2^62 values are 2^57 * 34 bytes
    {DIM_1, 8, UINT64_MAX, ERROR_FORMAT, "'a.weight': dimension 1"},
    {DIM_1, 8, 4, ERROR_FORMAT, "'a.weight': data"},
    {TYPE, 4, 4, ERROR_FORMAT, "'a.weight': no type 4 (removed"},
    {TYPE, 4, 31, ERROR_FORMAT, "'a.weight': no type 31 (removed"},
    {TYPE, 4, 38, ERROR_FORMAT, "'a.weight': no type 38 (removed"},
    {TYPE, 4, 43, ERROR_FORMAT, "'a.weight': no type 43 (unknown"},
    {TYPE, 4, UINT32_MAX, ERROR_FORMAT, "'a.weight': no type 4294967295"},
    {TYPE, 4, 16, ERROR_UNSUPPORTED, "'a.weight': type 16 (IQ2_XXS) is not supported"},
    {TYPE, 4, 42, ERROR_UNSUPPORTED, "'a.weight': type 42 (Q2_0) is not supported"},
    {OFFSET, 8, 8, ERROR_FORMAT, "'a.weight': offset 8 is no multiple of the alignment 32"},
    {OFFSET, 8, UINT64_C(1) << 40, ERROR_FORMAT, "'a.weight': offset"},
    {OFFSET, 8, UINT64_MAX - 31, ERROR_FORMAT, "'a.weight': offset"},
    {OFFSET, 8, 64, ERROR_FORMAT, "'a.weight': data: 68 bytes at 64, but the file has 108"},
    {SECOND_DIM, 8, 4, ERROR_FORMAT, "'b.weight': data: 16 bytes at 96, but the file has 108"},
    {SECOND_DIM, 8, UINT64_C(1) << 61, ERROR_FORMAT, "'b.weight': shape: the size in bytes"},
    {SECOND_OFFSET, 8, 128, ERROR_FORMAT, "'b.weight': data"},
};
// clang-format on

TEST(gguf, names_the_damaged_field) {
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        const Damage *d = &damages[i];
        Sample s = good_file();
        for (int k = 0; k < d->width; k++)
            s.file.data[s.at[d->field] + (size_t)k] = (unsigned char)(d->value >> (8 * k));
        GgufFile file;
        Error err;
        char *copy;
        CHECK_FAILS(open_copy(&file, &copy, s.file.data, s.file.n, &err), err, d->kind, d->words);
        gguf_close(&file);
        free(copy);
    }
}

TEST(gguf, refuses_names_given_twice) {
    Sample s = good_file();
    GgufFile file;
    Error err;
    char *copy;
    memcpy(s.file.data + s.at[SECOND_KEY_TEXT], s.file.data + s.at[KEY_TEXT], 20);
    CHECK_FAILS(open_copy(&file, &copy, s.file.data, s.file.n, &err), err, ERROR_FORMAT,
                "'general.architecture': the key is there twice");
    free(copy);
    s = good_file();
    s.file.data[s.at[SECOND_NAME_TEXT]] = 'a';
    CHECK_FAILS(open_copy(&file, &copy, s.file.data, s.file.n, &err), err, ERROR_FORMAT,
                "'a.weight': the name is there twice");
    free(copy);
}

// Both tensors inside the file, but together larger than it.
TEST(gguf, refuses_overlap) {
    Sample s = good_file();
    GgufFile file;
    Error err;
    char *copy;
    s.file.data[s.at[SECOND_DIM]] = 27; // 108 bytes
    s.file.data[s.at[SECOND_OFFSET]] = 0;
    CHECK_FAILS(open_copy(&file, &copy, s.file.data, s.file.n, &err), err, ERROR_FORMAT,
                "'b.weight': data: tensors overlap");
    free(copy);
}

TEST(gguf, lists_types_it_cannot_compute_with) {
    Sample s = good_file();
    GgufFile file;
    Error err = {0};
    DType dtype;
    char *copy;
    s.file.data[s.at[SECOND_TYPE]] = 26;
    if (!CHECK(open_copy(&file, &copy, s.file.data, s.file.n, &err))) return;
    const TensorEntry *e = tensor_file_find(&file.tensors, STR("b.weight"));
    CHECK(e && strcmp(e->type_name, "I32") == 0 && e->bytes == 12);
    CHECK_FAILS(tensor_file_dtype(&file.tensors, e, &dtype, &err), err, ERROR_UNSUPPORTED,
                "test.gguf: tensor 'b.weight': type I32");
    e = tensor_file_find(&file.tensors, STR("a.weight"));
    CHECK(tensor_file_dtype(&file.tensors, e, &dtype, &err) && dtype == DTYPE_Q8_0);
    gguf_close(&file);
    free(copy);
}

// Arrays four deep are walked, five deep are refused, and 100 000 openings do not use the stack up.
TEST(gguf, limits_nesting) {
    const int depths[] = {4, 5, 100000};
    for (int i = 0; i < 3; i++) {
        size_t n = 4 + 4 + 16 + 9 + 4 + 12 * (size_t)depths[i];
        unsigned char *data = calloc(n, 1);
        memcpy(data, "GGUF\3\0\0\0", 8);
        data[16] = 1; // n_kv
        data[24] = 1; // length of the key
        data[32] = 'k';
        data[33] = 9;
        for (int d = 0; d < depths[i]; d++) {
            bool is_last = d == depths[i] - 1;
            data[37 + 12 * d] = is_last ? 0 : 9;
            data[41 + 12 * d] = is_last ? 0 : 1;
        }
        GgufFile file;
        Error err = {0};
        bool opened = gguf_open_bytes(&file, (Str){(char *)data, n}, "deep", &err);
        CHECK_EQUAL(opened, depths[i] == 4);
        if (!opened) CHECK(err.kind == ERROR_LIMIT && strstr(err.text, "nested deeper than 4"));
        gguf_close(&file);
        free(data);
    }
}

// ---------------------------------------------------------------- every field, every byte

TEST(gguf, survives_every_number) {
    static const uint64_t values[] = {
        0, 1, UINT64_C(1) << 31, UINT32_MAX, UINT64_C(1) << 61, UINT64_C(1) << 63, UINT64_MAX};
    Arena arena = test_arena();
    const Sample s = good_file();
    for (size_t at = 4; at + 8 <= s.header; at++) {
        for (int v = 0; v < 7; v++) {
            Sample bad = s;
            for (int k = 0; k < 8; k++)
                bad.file.data[at + (size_t)k] = (unsigned char)(values[v] >> (8 * k));
            try_open(bad.file.data, bad.file.n, &arena);
        }
    }
    arena_drop(&arena);
}

TEST(gguf, refuses_every_truncation) {
    Arena arena = test_arena();
    const Sample s = good_file();
    for (size_t n = 0; n < s.file.n; n++) CHECK(!try_open(s.file.data, n, &arena));
    CHECK(try_open(s.file.data, s.file.n, &arena));
    arena_drop(&arena);
}

TEST(gguf, survives_every_flipped_byte) {
    static const unsigned char masks[] = {0x01, 0x80, 0xff};
    Arena arena = test_arena();
    const Sample s = good_file();
    for (size_t at = 0; at < s.header; at++) {
        for (int m = 0; m < 3; m++) {
            Sample bad = s;
            bad.file.data[at] ^= masks[m];
            try_open(bad.file.data, bad.file.n, &arena);
        }
    }
    arena_drop(&arena);
}

// 65 536 keys and as many tensors open in linear time: the looks for duplicates are hash based.
TEST(gguf, opens_many_keys_quickly) {
    const uint64_t n_keys = 65536;
    unsigned char *data = malloc(24 + n_keys * 21);
    Bytes b = {0};
    put(&b, 0x46554747, 4);
    put(&b, 3, 4);
    put(&b, 0, 8);
    put(&b, n_keys, 8);
    memcpy(data, b.data, b.n);
    size_t n = b.n;
    for (uint64_t i = 0; i < n_keys; i++) {
        char key[16];
        snprintf(key, sizeof key, "key%05d", (int)i);
        b.n = 0;
        put_text(&b, key);
        put(&b, 0, 4);
        put(&b, i & 255, 1);
        memcpy(data + n, b.data, b.n);
        n += b.n;
    }
    GgufFile file;
    Error err = {0};
    int64_t value = 0;
    CHECK(gguf_open_bytes(&file, (Str){(char *)data, n}, "many", &err));
    CHECK(gguf_get_integer(&file, "key65535", (GgufRange){0, 255}, &value, &err) && value == 255);
    gguf_close(&file);
    data[16] = 1; // 65537
    CHECK_FAILS(gguf_open_bytes(&file, (Str){(char *)data, n}, "many", &err), err, ERROR_LIMIT,
                "n_kv: 65537, at most 65536");
    free(data);
}
