// test_safetensors.c - safetensors files right and wrong, and folders of them.
//
// Files are built here from the text of their header, so that each rule of the format can be
// broken alone; what is written by src/format is read back; and one file was made by another
// implementation (tests/fixtures/safetensors, by tools/golden_safetensors.py).
#include <stdlib.h>

#include "format/safetensors.h"
#include "tests/test.h"

// A file of header and n_data bytes 0, 1, 2 ..., in a block of exactly its size.
typedef struct Sample {
    unsigned char *data;
    size_t n;
} Sample;

static Sample sample(const char *header, size_t n_data) {
    size_t n_header = strlen(header);
    Sample s = {malloc(8 + n_header + n_data), 8 + n_header + n_data};
    for (int i = 0; i < 8; i++) s.data[i] = (unsigned char)((uint64_t)n_header >> (8 * i));
    memcpy(s.data + 8, header, n_header);
    for (size_t i = 0; i < n_data; i++) s.data[8 + n_header + i] = (unsigned char)i;
    return s;
}

static bool open_sample(SafetensorsFile *file, Sample s, Error *err) {
    return safetensors_open_bytes(file, (Str){(char *)s.data, s.n}, "test", err);
}

static Arena test_arena(void) {
    Arena arena;
    Error err = {0};
    CHECK(arena_init(&arena, (size_t)1 << 26, &err));
    return arena;
}

static void save(const char *path, const void *data, size_t n) {
    Error err = {0};
    FileWriter *w = file_create(path, &err);
    if (!CHECK(w != NULL)) return;
    file_write(w, data, n);
    CHECK(file_commit(w, &err));
}

// ---------------------------------------------------------------- good files

static const char good_header[] =
    "{\"__metadata__\":{\"format\":\"pt\"},"
    "\"b\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[4,16]},"
    "\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
    "\"mask\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[16,18]},"
    "\"none\":{\"dtype\":\"F16\",\"shape\":[0,7],\"data_offsets\":[16,16]},"
    "\"conv\":{\"shape\":[1,1,1,1,2],\"dtype\":\"F16\",\"data_offsets\":[18,22]},"
    "\"f4\":{\"dtype\":\"F4\",\"shape\":[4],\"data_offsets\":[22,24]}}   ";

TEST(safetensors, reads_a_file_built_by_hand) {
    Sample s = sample(good_header, 24);
    SafetensorsFile file;
    Error err = {0};
    DType dtype;
    if (!CHECK(open_sample(&file, s, &err))) return;
    CHECK_EQUAL(file.tensors.n, 6);
    CHECK(str_equal(json_string(json_get(file.metadata, "format"), STR("")), STR("pt")));
    const TensorEntry *e = tensor_file_find(&file.tensors, STR("b"));
    CHECK(e && e->has_dtype && e->dtype == DTYPE_BF16 && e->rank == 2 && e->dim[0] == 2 &&
          e->dim[1] == 3 && e->bytes == 12 && *(const unsigned char *)e->data == 4);
    e = tensor_file_find(&file.tensors, STR("a"));
    CHECK(e && e->rank == 0 && e->bytes == 4);
    e = tensor_file_find(&file.tensors, STR("none"));
    CHECK(e && e->rank == 2 && e->bytes == 0);
    e = tensor_file_find(&file.tensors, STR("mask"));
    CHECK(e && strcmp(e->type_name, "BOOL") == 0);
    CHECK_FAILS(tensor_file_dtype(&file.tensors, e, &dtype, &err), err, ERROR_UNSUPPORTED,
                "test: tensor 'mask': type BOOL");
    e = tensor_file_find(&file.tensors, STR("conv"));
    CHECK(e && e->rank == 5 && e->dim[4] == 2);
    CHECK_FAILS(tensor_file_dtype(&file.tensors, e, &dtype, &err), err, ERROR_UNSUPPORTED,
                "tensor 'conv': 5 dimensions");
    CHECK(tensor_file_find(&file.tensors, STR("f4"))->bytes == 2);
    safetensors_close(&file);
    free(s.data);
}

TEST(safetensors, opens_a_file_without_tensors) {
    Sample s = sample("{}", 0);
    SafetensorsFile file;
    Error err = {0};
    CHECK(open_sample(&file, s, &err) && file.tensors.n == 0 && !file.metadata);
    CHECK(!tensor_file_find(&file.tensors, STR("a")));
    safetensors_close(&file);
    free(s.data);
}

TEST(safetensors, reads_a_file_of_another_implementation) {
    SafetensorsFile file;
    Error err = {0};
    const char *path = test_fixture("fixtures/safetensors/types.safetensors");
    if (!CHECK(safetensors_open(&file, path, true, &err))) return;
    const TensorFile *t = &file.tensors;
    float number = 0;
    CHECK_EQUAL(t->n, 6);
    CHECK(str_equal(json_string(json_get(file.metadata, "format"), STR("")), STR("pt")));
    const TensorEntry *e = tensor_file_find(t, STR("gr\xc3\xbc\xc3\x9f"
                                                   "e"));
    if (e) memcpy(&number, (const char *)e->data + 20, 4);
    CHECK(e && e->dtype == DTYPE_F32 && e->dim[0] == 2 && e->dim[1] == 3 && number == 5.0F);
    e = tensor_file_find(t, STR("f16"));
    CHECK(e && e->dtype == DTYPE_F16 && e->bytes == 4 && ((const char *)e->data)[3] == 0x40);
    e = tensor_file_find(t, STR("i64"));
    CHECK(e && !e->has_dtype && strcmp(e->type_name, "I64") == 0 &&
          ((const char *)e->data)[8] == 2);
    e = tensor_file_find(t, STR("bool"));
    CHECK(e && strcmp(e->type_name, "BOOL") == 0 && e->bytes == 3);
    e = tensor_file_find(t, STR("scalar"));
    CHECK(e && e->rank == 0 && strcmp(e->type_name, "F64") == 0 && e->bytes == 8);
    e = tensor_file_find(t, STR("empty"));
    CHECK(e && e->rank == 2 && e->dim[0] == 0 && e->dim[1] == 4 && e->bytes == 0);
    safetensors_close(&file);
}

// ---------------------------------------------------------------- rules broken one at a time

typedef struct Broken {
    const char *header;
    size_t n_data;
    ErrorKind kind;
    const char *words;
} Broken;

#define ONE(dtype, shape, offsets) \
    "{\"x\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

// clang-format off
static const Broken broken[] = {
    {"", 0, ERROR_FORMAT, "header: no JSON object"},
    {" {}", 0, ERROR_FORMAT, "header: no JSON object"},
    {"[]", 0, ERROR_FORMAT, "header: no JSON object"},
    {"{", 0, ERROR_FORMAT, "header"},
    {"{}}", 0, ERROR_FORMAT, "header"},
    {"{} PK\3\4", 0, ERROR_FORMAT, "header"}, // something after the object
    {"{,}", 0, ERROR_FORMAT, "header"},
    {"{\"x\"}", 0, ERROR_FORMAT, "header"},
    {"{\"x\":}", 0, ERROR_FORMAT, "tensor 'x'"},
    {"{\"x\":1}", 0, ERROR_FORMAT, "tensor 'x': want an object"},
    {"{\"x\":{}}", 0, ERROR_FORMAT, "tensor 'x': want an object"},
    {"{\"x\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},}", 4, ERROR_FORMAT, "header"},
    {"{\"\\ud800\":1}", 0, ERROR_FORMAT, "header: a name"},
    {"{\"x\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, ERROR_FORMAT, "tensor 'x'"},
    {"{\"x\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4],\"more\":1}}", 4, ERROR_FORMAT, "tensor 'x': want an object"},
    {ONE("7", "[]", "[0,4]"), 4, ERROR_FORMAT, "tensor 'x': dtype"},
    {ONE("\"Q4_0\"", "[]", "[0,4]"), 4, ERROR_UNSUPPORTED, "tensor 'x': dtype 'Q4_0' is unknown"},
    {ONE("\"f32\"", "[]", "[0,4]"), 4, ERROR_UNSUPPORTED, "tensor 'x': dtype 'f32'"},
    {ONE("\"F32\"", "1", "[0,4]"), 4, ERROR_FORMAT, "tensor 'x': shape"},
    {ONE("\"F32\"", "[-1]", "[0,4]"), 4, ERROR_FORMAT, "tensor 'x': shape"},
    {ONE("\"F32\"", "[1.0]", "[0,4]"), 4, ERROR_FORMAT, "tensor 'x': shape"},
    {ONE("\"F32\"", "[18446744073709551616]", "[0,4]"), 4, ERROR_FORMAT, "tensor 'x': shape"},
    {ONE("\"F32\"", "[4294967296,4294967296]", "[0,0]"), 0, ERROR_FORMAT, "tensor 'x': the product"},
    {ONE("\"F32\"", "[2305843009213693952]", "[0,0]"), 0, ERROR_FORMAT, "tensor 'x': the size in bytes"},
    {ONE("\"F64\"", "[4294967296,536870912]", "[0,0]"), 0, ERROR_FORMAT, "tensor 'x': the size in bytes"},
    {ONE("\"F32\"", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), 4, ERROR_UNSUPPORTED, "tensor 'x': shape: more than 8"},
    {ONE("\"F4\"", "[3]", "[0,2]"), 2, ERROR_FORMAT, "tensor 'x': the values fill no whole"},
    {ONE("\"F32\"", "[1]", "[0]"), 4, ERROR_FORMAT, "tensor 'x': data_offsets"},
    {ONE("\"F32\"", "[1]", "[0,4,8]"), 4, ERROR_FORMAT, "tensor 'x': data_offsets"},
    {ONE("\"F32\"", "[1]", "[-4,0]"), 4, ERROR_FORMAT, "tensor 'x': data_offsets"},
    {ONE("\"F32\"", "[1]", "[4,0]"), 4, ERROR_FORMAT, "tensor 'x': data_offsets: end before begin"},
    {ONE("\"F32\"", "[1]", "[0,8]"), 8, ERROR_FORMAT, "data_offsets: 8 bytes, but its shape has 4"},
    {ONE("\"F32\"", "[2]", "[0,4]"), 4, ERROR_FORMAT, "data_offsets: 4 bytes, but its shape has 8"},
    {ONE("\"F32\"", "[1]", "[0,4]"), 3, ERROR_FORMAT, "tensor 'x': data_offsets: past the end"},
    {ONE("\"F32\"", "[1]", "[9223372036854775803,9223372036854775807]"), 4, ERROR_FORMAT, "past the end"},
    {ONE("\"F32\"", "[1]", "[0,4]"), 5, ERROR_FORMAT, "1 bytes after the last tensor"},
    {ONE("\"F32\"", "[1]", "[4,8]"), 8, ERROR_FORMAT, "tensor 'x': data_offsets: a hole"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
     "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[2,6]}}", 6, ERROR_FORMAT, "tensor 'b': data_offsets: it overlaps"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
     "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4, ERROR_FORMAT, "tensor 'b': data_offsets: it overlaps"},
    {"{\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[5,6]},"
     "\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 6, ERROR_FORMAT, "tensor 'b': data_offsets: a hole"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
     "\"\\u0061\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}", 2, ERROR_FORMAT, "tensor 'a': the name is there twice"},
    {"{\"__metadata__\":{\"x\":1}}", 0, ERROR_FORMAT, "__metadata__: want an object of strings"},
    {"{\"__metadata__\":\"x\"}", 0, ERROR_FORMAT, "__metadata__: want an object of strings"},
    {"{\"__metadata__\":{\"x\":\"1\",\"x\":\"2\"}}", 0, ERROR_FORMAT, "__metadata__"},
    {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, ERROR_FORMAT, "__metadata__ is there twice"},
};
// clang-format on

TEST(safetensors, names_the_broken_rule) {
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        Sample s = sample(broken[i].header, broken[i].n_data);
        SafetensorsFile file;
        Error err;
        CHECK_FAILS(open_sample(&file, s, &err), err, broken[i].kind, broken[i].words);
        safetensors_close(&file);
        free(s.data);
    }
}

TEST(safetensors, checks_the_length_of_the_header) {
    static const uint64_t lengths[] = {
        3, 100000001, UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX};
    for (int i = 0; i < 6; i++) {
        Sample s = sample("{}", 0);
        SafetensorsFile file;
        Error err;
        for (int k = 0; k < 8; k++) s.data[k] = (unsigned char)(lengths[i] >> (8 * k));
        CHECK_FAILS(open_sample(&file, s, &err), err, i ? ERROR_LIMIT : ERROR_FORMAT,
                    "test: header length");
        free(s.data);
    }
}

TEST(safetensors, refuses_an_entry_of_huge_text) {
    const size_t n = 70000;
    char *header = malloc(n + 16);
    memset(header, ' ', n);
    memcpy(header, "{\"x\":\"", 6);
    memcpy(header + n, "\"}", 3);
    Sample s = sample(header, 0);
    SafetensorsFile file;
    Error err;
    CHECK_FAILS(open_sample(&file, s, &err), err, ERROR_LIMIT, "tensor 'x'");
    free(s.data);
    free(header);
}

// A deep header is refused by depth, not by the stack.
TEST(safetensors, survives_deep_nesting) {
    const size_t n = 60000;
    char *header = malloc(n + 8);
    memcpy(header, "{\"x\":", 5);
    memset(header + 5, '[', n);
    header[5 + n] = 0;
    Sample s = sample(header, 0);
    SafetensorsFile file;
    Error err;
    CHECK_FAILS(open_sample(&file, s, &err), err, ERROR_FORMAT, "header");
    free(s.data);
    for (size_t i = n / 2; i < n; i++) header[5 + i] = ']';
    memcpy(header + 5 + n, "}", 2);
    s = sample(header, 0);
    CHECK_FAILS(open_sample(&file, s, &err), err, ERROR_LIMIT, "tensor 'x'");
    free(s.data);
    free(header);
}

// ---------------------------------------------------------------- every byte

static bool try_open(const unsigned char *data, size_t n) {
    Sample s = {malloc(n ? n : 1), n};
    SafetensorsFile file;
    Error err = {0};
    volatile unsigned sum = 0;
    memcpy(s.data, data, n);
    bool opened = open_sample(&file, s, &err);
    if (!opened) CHECK(err.kind && strstr(err.text, "test") && !strchr(err.text, '\n'));
    for (int64_t i = 0; i < file.tensors.n; i++) {
        const TensorEntry *e = &file.tensors.entry[i];
        for (int64_t k = 0; k < e->bytes; k++) sum = sum + ((const unsigned char *)e->data)[k];
    }
    safetensors_close(&file);
    free(s.data);
    return opened;
}

TEST(safetensors, refuses_every_truncation) {
    Sample s = sample(good_header, 24);
    for (size_t n = 0; n < s.n; n++) CHECK(!try_open(s.data, n));
    CHECK(try_open(s.data, s.n));
    free(s.data);
}

TEST(safetensors, survives_every_flipped_byte) {
    static const unsigned char masks[] = {0x01, 0x80, 0xff};
    Sample s = sample(good_header, 24);
    for (size_t at = 0; at < s.n - 24; at++) {
        for (int m = 0; m < 3; m++) {
            s.data[at] ^= masks[m];
            try_open(s.data, s.n);
            s.data[at] ^= masks[m];
        }
    }
    free(s.data);
}

// ---------------------------------------------------------------- written here

static bool declare(SafetensorsWriter *w, Error *err) {
    safetensors_set_metadata(w, STR("format"), STR("pt"));
    safetensors_set_metadata(w, STR("a \"quoted\" key"), STR("line\nbreak"));
    return safetensors_add(w, STR("one"), DTYPE_F32, 2, (const int64_t[]){2, 3}, err) &&
           safetensors_add(w, STR("none"), DTYPE_F32, 1, (const int64_t[]){0}, err) &&
           safetensors_add(w, STR("two"), DTYPE_BF16, 1, (const int64_t[]){8}, err) &&
           safetensors_add(w, STR("scalar"), DTYPE_F32, 0, NULL, err);
}

static void write_data(SafetensorsWriter *w) {
    const float numbers[6] = {0, 1, 2, 3, 4, 5};
    const uint16_t halves[8] = {1, 2, 3, 4, 5, 6, 7, 0x4040};
    safetensors_write(w, numbers, 8);
    safetensors_write(w, numbers + 2, 16);
    safetensors_write(w, halves, sizeof halves);
    safetensors_write(w, numbers + 5, 4);
}

static void check_written(const SafetensorsFile *file, int n_parts) {
    const TensorFile *t = &file->tensors;
    float number = 0;
    CHECK_EQUAL(t->n, 4);
    CHECK_EQUAL(t->n_parts, n_parts);
    const TensorEntry *e = tensor_file_find(t, STR("one"));
    if (e) memcpy(&number, (const char *)e->data + 20, 4);
    CHECK(e && e->rank == 2 && e->dim[0] == 2 && e->dim[1] == 3 && number == 5.0F);
    e = tensor_file_find(t, STR("two"));
    CHECK(e && e->dtype == DTYPE_BF16 && e->bytes == 16 && ((const char *)e->data)[15] == 0x40);
    e = tensor_file_find(t, STR("scalar"));
    if (e) memcpy(&number, e->data, 4);
    CHECK(e && e->rank == 0 && number == 5.0F);
    CHECK(tensor_file_find(t, STR("none")) != NULL);
    CHECK(str_equal(json_string(json_get(file->metadata, "a \"quoted\" key"), STR("")),
                    STR("line\nbreak")));
}

TEST(safetensors_write, reads_back_one_file) {
    Arena arena = test_arena();
    Error err = {0};
    const char *path = test_path("one.safetensors");
    SafetensorsWriter *w = safetensors_writer(&arena);
    if (!CHECK(declare(w, &err) && safetensors_begin(w, path, &err))) return;
    write_data(w);
    CHECK(!file_exists(path)); // nothing before the commit
    CHECK(safetensors_commit(w, &err));
    SafetensorsFile file;
    if (!CHECK(safetensors_open(&file, path, true, &err))) return;
    check_written(&file, 1);
    CHECK_EQUAL(tensor_file_find(&file.tensors, STR("one"))->file_offset % 64, 0);
    safetensors_close(&file);
    arena_drop(&arena);
}

TEST(safetensors_write, reads_back_folders) {
    static const struct {
        const char *folder;
        int64_t shard_bytes;
        int n_parts;
    } cases[] = {{"whole", 1000, 1}, {"tight", 44, 1}, {"two", 40, 2}, {"three", 1, 3}};
    for (int i = 0; i < 4; i++) {
        Arena arena = test_arena();
        Error err = {0};
        const char *folder = test_path(cases[i].folder);
        SafetensorsWriter *w = safetensors_writer(&arena);
        if (!CHECK(declare(w, &err) &&
                   safetensors_begin_folder(w, folder, cases[i].shard_bytes, &err)))
            return;
        write_data(w);
        CHECK(safetensors_commit(w, &err));
        SafetensorsFile file;
        if (!CHECK(safetensors_open(&file, folder, i % 2, &err))) return;
        check_written(&file, cases[i].n_parts);
        safetensors_close(&file);
        arena_drop(&arena);
    }
}

TEST(safetensors_write, discards_without_a_trace) {
    Arena arena = test_arena();
    Error err = {0};
    const char *folder = test_path("gone");
    SafetensorsWriter *w = safetensors_writer(&arena);
    if (!CHECK(declare(w, &err) && safetensors_begin_folder(w, folder, 1, &err))) return;
    safetensors_write(w, "abcd", 4);
    safetensors_discard(w);
    safetensors_discard(w);
    SafetensorsFile file;
    CHECK_FAILS(safetensors_open(&file, folder, true, &err), err, ERROR_IO, "model.safetensors");
    arena_drop(&arena);
}

TEST(safetensors_write, refuses_what_the_format_cannot_hold) {
    Arena arena = test_arena();
    Error err;
    SafetensorsWriter *w = safetensors_writer(&arena);
    const int64_t dim[] = {32};
    CHECK_FAILS(safetensors_add(w, STR("q"), DTYPE_Q8_0, 1, dim, &err), err, ERROR_UNSUPPORTED,
                "tensor 'q': safetensors has no type Q8_0");
    CHECK_FAILS(safetensors_add(w, STR("__metadata__"), DTYPE_F32, 1, dim, &err), err,
                ERROR_UNSUPPORTED, "__metadata__");
    CHECK_FAILS(safetensors_add(w, STR("\xff"), DTYPE_F32, 1, dim, &err), err, ERROR_UNSUPPORTED,
                "no name");
    CHECK(safetensors_add(w, STR("x"), DTYPE_F32, 1, dim, &err));
    CHECK_FAILS(safetensors_add(w, STR("x"), DTYPE_F32, 1, dim, &err), err, ERROR_UNSUPPORTED,
                "twice");
    arena_drop(&arena);
}

// A folder in which a reader would find two models is not written.
TEST(safetensors_write, keeps_to_the_layout_of_the_folder) {
    Arena arena = test_arena();
    Error err = {0};
    const char *folder = test_path("mixed");
    for (int i = 0; i < 2; i++) {
        SafetensorsWriter *w = safetensors_writer(&arena);
        CHECK(declare(w, &err));
        if (i == 0) {
            CHECK(safetensors_begin_folder(w, folder, 1000, &err));
            write_data(w);
            CHECK(safetensors_commit(w, &err));
        } else {
            CHECK_FAILS(safetensors_begin_folder(w, folder, 1, &err), err, ERROR_USAGE,
                        "model.safetensors is there");
        }
    }
    arena_drop(&arena);
}

// ---------------------------------------------------------------- an index that lies

// Writes a folder of two files, "a" (tensor x) and "b" (tensor y), with the given weight_map.
static const char *write_folder(const char *name, const char *weight_map) {
    char index[512];
    const char *folder = test_path(name);
    Error err = {0};
    CHECK(file_make_folder(folder, &err));
    Sample x = sample("{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1);
    Sample y = sample("{\"y\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2);
    char path[600];
    snprintf(path, sizeof path, "%s/a.safetensors", folder);
    save(path, x.data, x.n);
    snprintf(path, sizeof path, "%s/b.safetensors", folder);
    save(path, y.data, y.n);
    snprintf(path, sizeof path, "%s/model.safetensors.index.json", folder);
    int n = snprintf(index, sizeof index, "{\"metadata\":{},\"weight_map\":%s}", weight_map);
    save(path, index, (size_t)n);
    free(x.data);
    free(y.data);
    return folder;
}

TEST(safetensors_folder, opens_exactly_what_the_index_names) {
    SafetensorsFile file;
    Error err = {0};
    const char *folder = write_folder("good", "{\"y\":\"b.safetensors\",\"x\":\"a.safetensors\"}");
    if (CHECK(safetensors_open(&file, folder, true, &err))) {
        CHECK(file.tensors.n == 2 && file.tensors.n_parts == 2);
        CHECK(tensor_file_find(&file.tensors, STR("y"))->bytes == 2);
        safetensors_close(&file);
    }
    folder = write_folder("fewer", "{\"x\":\"a.safetensors\"}");
    if (CHECK(safetensors_open(&file, folder, false, &err))) {
        CHECK(file.tensors.n == 1 && !tensor_file_find(&file.tensors, STR("y")));
        safetensors_close(&file);
    }
}

TEST(safetensors_folder, refuses_an_index_that_disagrees) {
    static const struct {
        const char *weight_map, *words;
        ErrorKind kind;
    } cases[] = {
        {"{\"x\":\"a.safetensors\",\"y\":\"c.safetensors\"}", "c.safetensors", ERROR_IO},
        {"{\"x\":\"a.safetensors\",\"z\":\"b.safetensors\"}", "tensor 'z' is in none",
         ERROR_FORMAT},
        {"{\"x\":\"b.safetensors\",\"y\":\"a.safetensors\"}", "tensor 'x' is in ", ERROR_FORMAT},
        {"{\"x\":\"a.safetensors\",\"z\":\"a.safetensors\"}", "tensor 'z'", ERROR_FORMAT},
        {"{\"y\":\"a.safetensors\",\"x\":\"a.safetensors\"}", "tensor 'y' is in none",
         ERROR_FORMAT},
        {"{\"x\":\"../a.safetensors\"}", "'../a.safetensors' is no name", ERROR_FORMAT},
        {"{\"x\":\"/etc/passwd\"}", "is no name of a file", ERROR_FORMAT},
        {"{\"x\":\"a\\u0000b\"}", "is no name of a file", ERROR_FORMAT},
        {"{\"x\":\"\"}", "is no name of a file", ERROR_FORMAT},
        {"{\"x\":7}", "is no name of a file", ERROR_FORMAT},
        {"{\"x\":\"a.safetensors\",\"x\":\"a.safetensors\"}", "index.json", ERROR_FORMAT},
        {"{}", "weight_map", ERROR_FORMAT},
        {"[]", "weight_map", ERROR_FORMAT},
        {"{", "index.json", ERROR_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SafetensorsFile file;
        Error err;
        const char *folder = write_folder("bad", cases[i].weight_map);
        CHECK_FAILS(safetensors_open(&file, folder, true, &err), err, cases[i].kind,
                    cases[i].words);
    }
}

// A tensor that the index does not name.
TEST(safetensors_folder, refuses_a_tensor_outside_the_index) {
    const char *folder = write_folder("extra", "{\"x\":\"a.safetensors\"}");
    Sample s = sample("{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                      "\"w\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}",
                      2);
    char path[600];
    snprintf(path, sizeof path, "%s/a.safetensors", folder);
    save(path, s.data, s.n);
    free(s.data);
    SafetensorsFile file;
    Error err;
    CHECK_FAILS(safetensors_open(&file, folder, true, &err), err, ERROR_FORMAT, "tensor 'w' of");
}
