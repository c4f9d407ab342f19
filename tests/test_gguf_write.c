// test_gguf_write.c - GGUF files that are right: written here and read back, split into parts, and
// made by another implementation (tests/fixtures/gguf, by tools/golden_gguf.py).
#include <stdlib.h>

#include "format/gguf.h"
#include "tests/test.h"

static Arena test_arena(void) {
    Arena arena;
    Error err = {0};
    CHECK(arena_init(&arena, (size_t)1 << 26, &err));
    return arena;
}

static int64_t integer_of(const GgufFile *file, const char *key) {
    Error err = {0};
    int64_t value = 0;
    CHECK(gguf_get_integer(file, key, (GgufRange){INT64_MIN, INT64_MAX}, &value, &err));
    return value;
}

// ---------------------------------------------------------------- written here

static void set_every_type(GgufWriter *w) {
    gguf_set_integer(w, "u8", GGUF_U8, 255);
    gguf_set_integer(w, "i8", GGUF_I8, -128);
    gguf_set_integer(w, "u16", GGUF_U16, 65535);
    gguf_set_integer(w, "i16", GGUF_I16, -32768);
    gguf_set_integer(w, "u32", GGUF_U32, UINT32_MAX);
    gguf_set_integer(w, "i32", GGUF_I32, INT32_MIN);
    gguf_set_integer(w, "u64", GGUF_U64, -1);
    gguf_set_integer(w, "i64", GGUF_I64, INT64_MIN);
    gguf_set_number(w, "f32", GGUF_F32, 0.1);
    gguf_set_number(w, "f64", GGUF_F64, 0.1);
    gguf_set_bool(w, "bool", true);
    gguf_set_string(w, "string", STR("Gr\xc3\xbc\xc3\x9f"));
    gguf_set_array(w, "u8s", GGUF_U8, (const uint8_t[]){1, 2, 255}, 3);
    gguf_set_array(w, "i16s", GGUF_I16, (const int16_t[]){-1, 2}, 2);
    gguf_set_array(w, "i32s", GGUF_I32, (const int32_t[]){-7, 8, 9}, 3);
    gguf_set_array(w, "u64s", GGUF_U64, (const uint64_t[]){1, UINT64_MAX}, 2);
    gguf_set_array(w, "f32s", GGUF_F32, (const float[]){0.5F, -2.0F}, 2);
    gguf_set_array(w, "f64s", GGUF_F64, (const double[]){0.25}, 1);
    gguf_set_array(w, "bools", GGUF_BOOL, (const bool[]){false, true}, 2);
    gguf_set_array(w, "strings", GGUF_STRING, (const Str[]){STR("a"), STR(""), STR("ccc")}, 3);
    gguf_set_array(w, "empty", GGUF_F32, NULL, 0);
}

static bool write_sample(Arena *arena, const char *path, Error *err) {
    float numbers[6] = {0, 1, 2, 3, 4, 5};
    char blocks[2 * 34];
    memset(blocks, 7, sizeof blocks);
    GgufWriter *w = gguf_writer(arena);
    gguf_set_string(w, "general.architecture", STR("gpt2"));
    set_every_type(w);
    gguf_set_string(w, "general.architecture", STR("llama"));
    bool declared = gguf_add_tensor(w, STR("odd"), DTYPE_F32, 1, (const int64_t[]){3}, err) &&
                    gguf_add_tensor(w, STR("q"), DTYPE_Q8_0, 2, (const int64_t[]){2, 32}, err) &&
                    gguf_add_tensor(w, STR("m"), DTYPE_F32, 2, (const int64_t[]){2, 3}, err);
    if (!declared || !gguf_begin(w, path, err)) return false;
    gguf_write(w, numbers + 1, 12);
    gguf_write(w, blocks, 34);
    gguf_write(w, blocks + 34, 34);
    gguf_write(w, numbers, sizeof numbers);
    return gguf_commit(w, err);
}

static void check_scalars(const GgufFile *file) {
    Error err = {0};
    double number = 0;
    bool boolean = false;
    Str s = {0};
    CHECK_EQUAL(integer_of(file, "u8"), 255);
    CHECK_EQUAL(integer_of(file, "i8"), -128);
    CHECK_EQUAL(integer_of(file, "u16"), 65535);
    CHECK_EQUAL(integer_of(file, "i16"), -32768);
    CHECK_EQUAL(integer_of(file, "u32"), UINT32_MAX);
    CHECK_EQUAL(integer_of(file, "i32"), INT32_MIN);
    CHECK_EQUAL(integer_of(file, "i64"), INT64_MIN);
    CHECK(gguf_get_number(file, "f32", 0, 1, &number, &err) && (float)number == 0.1F);
    CHECK(gguf_get_number(file, "f64", 0, 1, &number, &err) && number == 0.1);
    CHECK(gguf_get_number(file, "u64", 0, 1e30, &number, &err) && number == 0x1p64);
    CHECK(gguf_get_bool(file, "bool", &boolean, &err) && boolean);
    CHECK(gguf_get_string(file, "string", &s, &err) && str_equal(s, STR("Gr\xc3\xbc\xc3\x9f")));
    CHECK(gguf_get_string(file, "general.architecture", &s, &err) && str_equal(s, STR("llama")));
}

static void check_lists(const GgufFile *file, Arena *arena) {
    Error err = {0};
    int64_t n = 0, layers[3] = {0};
    const Str *strings = NULL;
    const float *floats = NULL;
    const int32_t *integers = NULL;
    Str bytes = {0};
    bool boolean = false;
    CHECK(gguf_get_strings(file, arena, "strings", &strings, &n, &err) && n == 3 &&
          str_equal(strings[0], STR("a")) && strings[1].n == 0 &&
          str_equal(strings[2], STR("ccc")));
    CHECK(gguf_get_floats(file, arena, "f32s", &floats, &n, &err) && n == 2 && floats[0] == 0.5F &&
          floats[1] == -2.0F);
    CHECK(gguf_get_floats(file, arena, "f64s", &floats, &n, &err) && n == 1 && floats[0] == 0.25F);
    CHECK(gguf_get_floats(file, arena, "i16s", &floats, &n, &err) && n == 2 && floats[0] == -1.0F);
    CHECK(gguf_get_floats(file, arena, "empty", &floats, &n, &err) && n == 0);
    CHECK(gguf_get_int32s(file, arena, "i32s", &integers, &n, &err) && n == 3 &&
          integers[0] == -7 && integers[2] == 9);
    CHECK(gguf_get_bytes(file, "u8s", &bytes, &err) && str_equal(bytes, STR("\1\2\xff")));
    CHECK(gguf_value_bool(gguf_find(file, "bools"), 1, &boolean) && boolean);
    GgufRange any = {-100, 100};
    CHECK(gguf_get_per_layer(file, "i32s", any, 3, layers, &err) && layers[0] == -7 &&
          layers[2] == 9);
    CHECK(gguf_get_per_layer(file, "i8", (GgufRange){-128, 0}, 3, layers, &err) &&
          layers[0] == -128 && layers[2] == -128);
    CHECK_FAILS(gguf_get_per_layer(file, "i32s", any, 4, layers, &err), err, ERROR_FORMAT,
                "key 'i32s' has 3 values, want 4");
    CHECK_FAILS(gguf_get_int32s(file, arena, "u64s", &integers, &n, &err), err, ERROR_FORMAT,
                "key 'u64s'");
    CHECK_FAILS(gguf_get_strings(file, arena, "i32s", &strings, &n, &err), err, ERROR_FORMAT,
                "key 'i32s' is an array of i32, want an array of strings");
    CHECK_FAILS(gguf_get_floats(file, arena, "bools", &floats, &n, &err), err, ERROR_FORMAT,
                "'bools'");
    CHECK_FAILS(gguf_get_bytes(file, "string", &bytes, &err), err, ERROR_FORMAT, "'string'");
}

static void check_tensors(const GgufFile *file) {
    const TensorEntry *e = tensor_file_find(&file->tensors, STR("m"));
    if (CHECK(e != NULL)) {
        float last;
        memcpy(&last, (const char *)e->data + 20, 4);
        CHECK(e->rank == 2 && e->dim[0] == 2 && e->dim[1] == 3 && last == 5.0F);
        CHECK_EQUAL(e->file_offset % 32, 0);
    }
    e = tensor_file_find(&file->tensors, STR("q"));
    CHECK(e && e->dtype == DTYPE_Q8_0 && e->bytes == 68 && ((const char *)e->data)[67] == 7);
    e = tensor_file_find(&file->tensors, STR("odd"));
    CHECK(e && e->rank == 1 && e->bytes == 12);
}

TEST(gguf_write, reads_back_every_type) {
    Arena arena = test_arena();
    Error err = {0};
    const char *path = test_path("sample.gguf");
    CHECK(write_sample(&arena, path, &err));
    for (int use_map = 0; use_map < 2; use_map++) {
        GgufFile file;
        if (!CHECK(gguf_open(&file, path, use_map, &err))) break;
        CHECK_EQUAL(file.n_entries, 22);
        check_scalars(&file);
        check_lists(&file, &arena);
        check_tensors(&file);
        // The last tensor is padded as well: 32 is where the data of "m" ends.
        CHECK_EQUAL(file.tensors.part[0].view.n % 32, 0);
        gguf_close(&file);
    }
    arena_drop(&arena);
}

TEST(gguf_write, getters_name_key_and_type) {
    Arena arena = test_arena();
    Error err = {0};
    const char *path = test_path("sample.gguf");
    GgufFile file;
    CHECK(write_sample(&arena, path, &err));
    if (!CHECK(gguf_open(&file, path, true, &err))) return;
    int64_t n = 5;
    double number = 2;
    bool boolean;
    Str s;
    GgufRange small = {0, 10};
    CHECK_FAILS(gguf_get_integer(&file, "absent", small, &n, &err), err, ERROR_FORMAT,
                "sample.gguf: key 'absent' is missing");
    CHECK(gguf_try_integer(&file, "absent", small, &n, &err) && n == 5);
    CHECK(gguf_try_number(&file, "absent", 0, 1, &number, &err) && number == 2);
    CHECK_FAILS(gguf_get_integer(&file, "u8", small, &n, &err), err, ERROR_FORMAT,
                "key 'u8' is 255, want 0 .. 10");
    CHECK_FAILS(gguf_try_integer(&file, "u64", small, &n, &err), err, ERROR_FORMAT, "past 2^63");
    CHECK_FAILS(gguf_get_integer(&file, "f32", small, &n, &err), err, ERROR_FORMAT,
                "key 'f32' is of type f32, want an integer");
    CHECK_FAILS(gguf_get_integer(&file, "bool", small, &n, &err), err, ERROR_FORMAT, "'bool'");
    CHECK_FAILS(gguf_get_integer(&file, "u8s", small, &n, &err), err, ERROR_FORMAT,
                "key 'u8s' is an array of u8, want an integer");
    CHECK_FAILS(gguf_get_number(&file, "f32", 1, 2, &number, &err), err, ERROR_FORMAT, "'f32'");
    CHECK_FAILS(gguf_get_number(&file, "string", 0, 1, &number, &err), err, ERROR_FORMAT,
                "key 'string' is of type string, want a number");
    CHECK_FAILS(gguf_get_bool(&file, "u8", &boolean, &err), err, ERROR_FORMAT, "'u8'");
    CHECK_FAILS(gguf_get_string(&file, "u8", &s, &err), err, ERROR_FORMAT, "'u8'");
    CHECK_EQUAL(n, 5); // a refused value is not stored
    gguf_close(&file);
    arena_drop(&arena);
}

TEST(gguf_write, optional_keys_keep_their_default) {
    Arena arena = test_arena();
    Error err = {0};
    const char *path = test_path("sample.gguf");
    GgufFile file;
    bool boolean = false;
    Str s = STR("default");
    CHECK(write_sample(&arena, path, &err));
    if (!CHECK(gguf_open(&file, path, true, &err))) return;
    CHECK(gguf_try_string(&file, "absent", &s, &err) && str_equal(s, STR("default")));
    CHECK(gguf_try_bool(&file, "absent", &boolean, &err) && !boolean);
    CHECK(gguf_try_bool(&file, "bool", &boolean, &err) && boolean);
    CHECK_FAILS(gguf_try_string(&file, "u8", &s, &err), err, ERROR_FORMAT, "'u8'");
    CHECK(str_equal(gguf_value_text(&arena, gguf_find(&file, "f32"), 1), STR("0.1")));
    CHECK(str_equal(gguf_value_text(&arena, gguf_find(&file, "bools"), 9), STR("[false, true]")));
    gguf_close(&file);
    arena_drop(&arena);
}

// A list is copied up to a limit; longer ones are still there to be walked.
TEST(gguf_write, limits_lists) {
    Arena arena = test_arena();
    Error err = {0};
    const char *path = test_path("long.gguf");
    const int64_t n_items = GGUF_LIST_MAX + 1;
    GgufWriter *w = gguf_writer(&arena);
    GgufFile file;
    const int32_t *list;
    int64_t n = 0;
    Str bytes = {0};
    gguf_set_array(w, "long", GGUF_U8, arena_zero(&arena, (size_t)n_items), n_items);
    CHECK(gguf_begin(w, path, &err) && gguf_commit(w, &err));
    if (!CHECK(gguf_open(&file, path, true, &err))) return;
    CHECK_FAILS(gguf_get_int32s(&file, &arena, "long", &list, &n, &err), err, ERROR_LIMIT,
                "key 'long' has 4194305 values, at most 4194304");
    CHECK(gguf_get_bytes(&file, "long", &bytes, &err) && bytes.n == (size_t)n_items);
    gguf_close(&file);
    arena_drop(&arena);
}

TEST(gguf_write, discards_without_a_trace) {
    Arena arena = test_arena();
    Error err = {0};
    const char *path = test_path("gone.gguf");
    GgufWriter *w = gguf_writer(&arena);
    gguf_discard(w);
    CHECK(gguf_add_tensor(w, STR("x"), DTYPE_F32, 1, (const int64_t[]){4}, &err));
    CHECK(gguf_begin(w, path, &err));
    gguf_write(w, "abcd", 4);
    gguf_discard(w);
    gguf_discard(w);
    gguf_discard(NULL);
    CHECK(!file_exists(path));
    arena_drop(&arena);
}

TEST(gguf_write, refuses_nan_for_a_number) {
    Arena arena = test_arena();
    Error err = {0};
    const char *path = test_path("nan.gguf");
    GgufWriter *w = gguf_writer(&arena);
    GgufFile file;
    double number;
    gguf_set_number(w, "x", GGUF_F32, (double)NAN);
    CHECK(gguf_begin(w, path, &err) && gguf_commit(w, &err));
    if (!CHECK(gguf_open(&file, path, true, &err))) return;
    CHECK_FAILS(gguf_get_number(&file, "x", -1e308, 1e308, &number, &err), err, ERROR_FORMAT,
                "key 'x' is");
    gguf_close(&file);
    arena_drop(&arena);
}

TEST(gguf_write, refuses_what_the_format_cannot_hold) {
    Arena arena = test_arena();
    Error err;
    GgufWriter *w = gguf_writer(&arena);
    char name[65];
    memset(name, 'x', sizeof name);
    const int64_t dim[] = {2, 33};
    CHECK_FAILS(gguf_add_tensor(w, (Str){name, 64}, DTYPE_F32, 2, dim, &err), err,
                ERROR_UNSUPPORTED, "63 bytes");
    CHECK_FAILS(gguf_add_tensor(w, STR("q"), DTYPE_Q8_0, 2, dim, &err), err, ERROR_UNSUPPORTED,
                "tensor 'q' as Q8_0: a row is no whole number of blocks");
    CHECK_FAILS(gguf_add_tensor(w, STR("z"), DTYPE_F32, 1, (const int64_t[]){0}, &err), err,
                ERROR_UNSUPPORTED, "tensor 'z': a GGUF file holds none of size 0");
    CHECK(gguf_add_tensor(w, (Str){name, 63}, DTYPE_F32, 2, dim, &err));
    CHECK_FAILS(gguf_add_tensor(w, (Str){name, 63}, DTYPE_F32, 2, dim, &err), err,
                ERROR_UNSUPPORTED, "twice");
    arena_drop(&arena);
}

TEST(gguf_write, copies_metadata_byte_for_byte) {
    Arena arena = test_arena();
    Error err = {0};
    GgufFile file, copy;
    if (!CHECK(gguf_open(&file, test_fixture("fixtures/gguf/types.gguf.bin"), true, &err))) return;
    GgufWriter *w = gguf_writer(&arena);
    gguf_copy_metadata(w, &file);
    const char *path = test_path("copy.gguf");
    CHECK(gguf_begin(w, path, &err) && gguf_commit(w, &err));
    if (!CHECK(gguf_open(&copy, path, true, &err))) return;
    CHECK_EQUAL(copy.n_entries, file.n_entries);
    for (int64_t i = 0; i < copy.n_entries; i++) {
        const GgufValue *a = &file.entry[i].value, *b = &copy.entry[i].value;
        CHECK(str_equal(file.entry[i].key, copy.entry[i].key) && a->type == b->type &&
              a->is_array == b->is_array && a->n == b->n && a->bytes == b->bytes &&
              memcmp(a->data, b->data, (size_t)a->bytes) == 0);
    }
    gguf_close(&copy);
    gguf_close(&file);
    arena_drop(&arena);
}

// ---------------------------------------------------------------- made by another

TEST(gguf_write, reads_a_file_of_another_implementation) {
    Arena arena = test_arena();
    Error err = {0};
    GgufFile file;
    if (!CHECK(gguf_open(&file, test_fixture("fixtures/gguf/types.gguf.bin"), true, &err))) return;
    double number = 0;
    Str s = {0};
    const int32_t *integers = NULL;
    const float *floats = NULL;
    const Str *strings = NULL;
    int64_t n = 0;
    CHECK_EQUAL(integer_of(&file, "t.u8"), 200);
    CHECK_EQUAL(integer_of(&file, "t.i8"), -100);
    CHECK_EQUAL(integer_of(&file, "t.u16"), 60000);
    CHECK_EQUAL(integer_of(&file, "t.i16"), -30000);
    CHECK_EQUAL(integer_of(&file, "t.u32"), 4000000000);
    CHECK_EQUAL(integer_of(&file, "t.i32"), -2000000000);
    CHECK_EQUAL(integer_of(&file, "t.i64"), -9000000000000000000);
    CHECK_EQUAL(integer_of(&file, "llama.block_count"), 2);
    CHECK(gguf_get_number(&file, "t.u64", 0, 1e20, &number, &err) && number == 18e18);
    CHECK(gguf_get_number(&file, "t.f32", 0, 1, &number, &err) && (float)number == 0.1F);
    CHECK(gguf_get_number(&file, "t.f64", 0, 1, &number, &err) && number == 0.1);
    CHECK(gguf_get_string(&file, "t.string", &s, &err) &&
          str_equal(s, STR("Gr\xc3\xbc\xc3\x9f"
                           "e, \xe4\xb8\x96\xe7\x95\x8c")));
    CHECK(gguf_get_int32s(&file, &arena, "t.ints", &integers, &n, &err) && n == 3 &&
          integers[1] == -2);
    CHECK(gguf_get_floats(&file, &arena, "t.floats", &floats, &n, &err) && n == 2 &&
          floats[1] == -1.25F);
    CHECK(gguf_get_strings(&file, &arena, "t.strings", &strings, &n, &err) && n == 3 &&
          str_equal(strings[2], STR("ccc")));
    const TensorEntry *e = tensor_file_find(&file.tensors, STR("f16"));
    uint16_t last = 0;
    if (CHECK(e != NULL)) memcpy(&last, (const char *)e->data + 10, 2);
    CHECK(e && e->dtype == DTYPE_F16 && e->dim[0] == 3 && e->dim[1] == 2 && last == 0x4500);
    e = tensor_file_find(&file.tensors, STR("q8_0")); // rows 0 .. 63, 64 .. 127: the last block
    CHECK(e && e->dtype == DTYPE_Q8_0 && e->dim[0] == 2 && e->dim[1] == 64 && e->bytes == 136);
    if (e) CHECK_EQUAL(((const signed char *)e->data)[135], 127);
    e = tensor_file_find(&file.tensors, STR("i32"));
    CHECK(e && !e->has_dtype && e->bytes == 12 && ((const char *)e->data)[8] == 9);
    gguf_close(&file);
    arena_drop(&arena);
}

// ---------------------------------------------------------------- in parts

typedef struct PartSpec {
    int no, count;       // as the metadata has them
    int n_tensors_total; // split.tensors.count
    const char *file;    // name
    const char *tensor;  // its only tensor
} PartSpec;

static bool write_part(Arena *arena, const PartSpec *p, Error *err) {
    const float number = (float)p->no;
    GgufWriter *w = gguf_writer(arena);
    gguf_set_integer(w, "split.no", GGUF_U16, p->no);
    gguf_set_integer(w, "split.count", GGUF_U16, p->count);
    gguf_set_integer(w, "split.tensors.count", GGUF_I32, p->n_tensors_total);
    if (p->no == 0) gguf_set_string(w, "general.architecture", STR("llama"));
    if (!gguf_add_tensor(w, str_from(p->tensor), DTYPE_F32, 1, (const int64_t[]){1}, err) ||
        !gguf_begin(w, test_path(p->file), err))
        return false;
    gguf_write(w, &number, sizeof number);
    return gguf_commit(w, err);
}

static const PartSpec parts[] = {
    {0, 3, 3, "m-00001-of-00003.gguf", "a"},
    {1, 3, 3, "m-00002-of-00003.gguf", "b"},
    {2, 3, 3, "m-00003-of-00003.gguf", "c"},
};

static void write_parts(Arena *arena) {
    Error err = {0};
    for (int i = 0; i < 3; i++) CHECK(write_part(arena, &parts[i], &err));
}

TEST(gguf_split, opens_from_any_part) {
    Arena arena = test_arena();
    write_parts(&arena);
    for (int i = 0; i < 3; i++) {
        GgufFile file;
        Error err = {0};
        if (!CHECK(gguf_open(&file, test_path(parts[i].file), i != 1, &err))) continue;
        CHECK_EQUAL(file.tensors.n, 3);
        CHECK_EQUAL(file.tensors.n_parts, 3);
        CHECK(gguf_find(&file, "general.architecture") != NULL); // of the first part
        for (int k = 0; k < 3; k++) {
            const TensorEntry *e = tensor_file_find(&file.tensors, str_from(parts[k].tensor));
            float number = -1;
            if (e) memcpy(&number, e->data, 4);
            CHECK(e && e->i_file == k && number == (float)k);
        }
        CHECK(tensor_file_intact(&file.tensors, &err));
        gguf_close(&file);
    }
    arena_drop(&arena);
}

// Writes the three parts, then one of them otherwise; opening them fails with the words.
static void check_bad_part(PartSpec bad, const char *words) {
    Arena arena = test_arena();
    GgufFile file;
    Error err = {0};
    write_parts(&arena);
    CHECK(write_part(&arena, &bad, &err));
    CHECK_FAILS(gguf_open(&file, test_path("m-00001-of-00003.gguf"), true, &err), err, ERROR_FORMAT,
                words);
    arena_drop(&arena);
}

TEST(gguf_split, refuses_parts_that_disagree) {
    check_bad_part((PartSpec){2, 3, 3, "m-00002-of-00003.gguf", "b"},
                   "m-00002-of-00003.gguf: split.no 2 and split.count 3, want 1 and 3");
    check_bad_part((PartSpec){1, 4, 3, "m-00002-of-00003.gguf", "b"},
                   "split.count 4, want 1 and 3");
    check_bad_part((PartSpec){1, 3, 4, "m-00002-of-00003.gguf", "b"},
                   "m-00002-of-00003.gguf: split.tensors.count is 4, but the parts have 3");
    check_bad_part((PartSpec){1, 3, 3, "m-00002-of-00003.gguf", "a"},
                   "m-00002-of-00003.gguf: tensor 'a': the name is there twice");
    check_bad_part((PartSpec){0, 2000, 3, "m-00001-of-00003.gguf", "a"},
                   "key 'split.count': want an integer in 0 .. 1024");
    check_bad_part((PartSpec){3, 3, 3, "m-00001-of-00003.gguf", "a"},
                   "split.no 3, but split.count 3");
}

TEST(gguf_split, names_the_missing_part) {
    Arena arena = test_arena();
    GgufFile file;
    Error err = {0};
    CHECK(write_part(&arena, &parts[0], &err));
    CHECK(write_part(&arena, &parts[2], &err));
    CHECK_FAILS(gguf_open(&file, test_path("m-00001-of-00003.gguf"), true, &err), err, ERROR_IO,
                "part 2 of 3");
    CHECK(strstr(err.text, "m-00002-of-00003.gguf") != NULL);
    arena_drop(&arena);
}

TEST(gguf_split, wants_the_name_of_a_part) {
    Arena arena = test_arena();
    GgufFile file;
    Error err = {0};
    PartSpec p = parts[1];
    p.file = "renamed.gguf";
    CHECK(write_part(&arena, &p, &err));
    CHECK_FAILS(gguf_open(&file, test_path("renamed.gguf"), true, &err), err, ERROR_FORMAT,
                "its name has to end in '-00002-of-00003.gguf'");
    arena_drop(&arena);
}
