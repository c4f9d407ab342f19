// gguf_value.c - reading the metadata of an open GGUF file: values by key, with type and range.
//
// The header has been walked when the file was opened, so every value here lies inside its file
// and every string inside its value.
#include "format/gguf.h"

#include <string.h>

#include "base/utf8.h"
#include "format/bytes.h"

const char *gguf_type_name(GgufType type) {
    static const char *const names[] = {
#define X(name, number, bytes, words) [number] = (words),
        GGUF_TYPES(X)
#undef X
    };
    return names[type];
}

int gguf_type_bytes(GgufType type) {
    static const int sizes[] = {
#define X(name, number, bytes, words) [number] = (bytes),
        GGUF_TYPES(X)
#undef X
    };
    return sizes[type];
}

// ---------------------------------------------------------------- items

bool gguf_value_integer(const GgufValue *value, int64_t i, int64_t *integer) {
    require(i >= 0 && i < value->n);
    int size = gguf_type_bytes(value->type);
    uint64_t bits = size ? bytes_load(value->data + i * size, size) : 0;
    switch (value->type) {
    case GGUF_U8:
    case GGUF_U16:
    case GGUF_U32: *integer = (int64_t)bits; return true;
    case GGUF_U64: *integer = (int64_t)bits; return bits <= INT64_MAX;
    case GGUF_I8: *integer = (int8_t)bits; return true;
    case GGUF_I16: *integer = (int16_t)bits; return true;
    case GGUF_I32: *integer = (int32_t)bits; return true;
    case GGUF_I64: *integer = (int64_t)bits; return true;
    case GGUF_F32:
    case GGUF_F64:
    case GGUF_BOOL:
    case GGUF_STRING:
    case GGUF_ARRAY: return false;
    }
    return false;
}

bool gguf_value_number(const GgufValue *value, int64_t i, double *number) {
    require(i >= 0 && i < value->n);
    if (value->type == GGUF_F32) {
        uint32_t bits = (uint32_t)bytes_load(value->data + i * 4, 4);
        float f;
        memcpy(&f, &bits, sizeof f);
        *number = (double)f;
        return true;
    }
    if (value->type == GGUF_F64) {
        uint64_t bits = bytes_load(value->data + i * 8, 8);
        memcpy(number, &bits, sizeof bits);
        return true;
    }
    if (value->type == GGUF_U64) { // all of its range, unlike an int64_t
        *number = (double)bytes_load(value->data + i * 8, 8);
        return true;
    }
    int64_t integer;
    if (!gguf_value_integer(value, i, &integer)) return false;
    *number = (double)integer;
    return true;
}

bool gguf_value_bool(const GgufValue *value, int64_t i, bool *boolean) {
    require(i >= 0 && i < value->n);
    if (value->type != GGUF_BOOL) return false;
    *boolean = value->data[i] != 0;
    return true;
}

// The lengths were good when the file was opened, but a mapped file may have been written to since:
// they are not trusted a second time.
Str gguf_value_string(const GgufValue *value, int64_t *at) {
    require(value->type == GGUF_STRING && *at >= 0);
    if (*at > value->bytes - 8) return (Str){value->data, 0};
    uint64_t left = (uint64_t)(value->bytes - *at - 8);
    uint64_t n = bytes_load(value->data + *at, 8);
    Str s = {value->data + *at + 8, (size_t)(n < left ? n : left)};
    *at += 8 + (int64_t)s.n;
    return s;
}

Str gguf_value_text(Arena *arena, const GgufValue *value, int64_t items_max) {
    StrBuilder b = str_builder(arena);
    int64_t at = 0, integer, n = value->n < items_max ? value->n : items_max;
    bool boolean;
    double number;
    if (value->is_array) str_add_c(&b, "[");
    if (value->type == GGUF_ARRAY) n = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i) str_add_c(&b, ", ");
        if (value->type == GGUF_STRING) {
            str_add_c(&b, "\"");
            str_add(&b, utf8_repair(arena, gguf_value_string(value, &at)));
            str_add_c(&b, "\"");
        } else if (gguf_value_bool(value, i, &boolean)) {
            str_add_c(&b, boolean ? "true" : "false");
        } else if (gguf_value_integer(value, i, &integer)) {
            str_add_format(&b, "%lld", (long long)integer);
        } else if (gguf_value_number(value, i, &number)) {
            str_add_format(&b, "%.*g", value->type == GGUF_F32 ? 7 : 17, number);
        }
    }
    if (value->is_array && n < value->n)
        str_add_format(&b, "%s... %lld of %s", n ? ", " : "", (long long)value->n,
                       gguf_type_name(value->type));
    if (value->is_array) str_add_c(&b, "]");
    return str_built(&b);
}

// ---------------------------------------------------------------- values by key

const GgufValue *gguf_find(const GgufFile *file, const char *key) {
    if (!file->entry) return NULL;
    int64_t i = map_get(&file->by_key, str_from(key));
    return i < 0 ? NULL : &file->entry[i].value;
}

// The value of a key that has to be there.
static const GgufValue *find_needed(const GgufFile *file, const char *key, Error *err) {
    const GgufValue *value = gguf_find(file, key);
    if (!value)
        error_set(err, ERROR_FORMAT, "%s: key '%s' is missing", file->tensors.path.data, key);
    return value;
}

static bool refuse_type(const GgufFile *file, const char *key, const GgufValue *value,
                        const char *wanted, Error *err) {
    return error_set(err, ERROR_FORMAT, "%s: key '%s' is %s%s, want %s", file->tensors.path.data,
                     key, value->is_array ? "an array of " : "of type ",
                     gguf_type_name(value->type), wanted);
}

static bool is_integer(GgufType type) {
    return type != GGUF_F32 && type != GGUF_F64 && type != GGUF_BOOL && type != GGUF_STRING &&
           type != GGUF_ARRAY;
}

// Item i of a value of integers, if it is in range.
static bool ranged_integer(const GgufFile *file, const char *key, const GgufValue *value, int64_t i,
                           GgufRange range, int64_t *integer, Error *err) {
    int64_t n;
    bool fits = gguf_value_integer(value, i, &n);
    if (!fits)
        return error_set(err, ERROR_FORMAT, "%s: key '%s' is past 2^63", file->tensors.path.data,
                         key);
    if (n < range.min || n > range.max)
        return error_set(err, ERROR_FORMAT, "%s: key '%s' is %lld, want %lld .. %lld",
                         file->tensors.path.data, key, (long long)n, (long long)range.min,
                         (long long)range.max);
    *integer = n;
    return true;
}

bool gguf_get_integer(const GgufFile *file, const char *key, GgufRange range, int64_t *value,
                      Error *err) {
    const GgufValue *v = find_needed(file, key, err);
    if (!v) return false;
    if (v->is_array || !is_integer(v->type)) return refuse_type(file, key, v, "an integer", err);
    return ranged_integer(file, key, v, 0, range, value, err);
}

bool gguf_get_number(const GgufFile *file, const char *key, double min, double max, double *value,
                     Error *err) {
    double number;
    const GgufValue *v = find_needed(file, key, err);
    if (!v) return false;
    if (v->is_array || !gguf_value_number(v, 0, &number))
        return refuse_type(file, key, v, "a number", err);
    if (!(number >= min && number <= max)) // a NaN is in no range
        return error_set(err, ERROR_FORMAT, "%s: key '%s' is %g, want %g .. %g",
                         file->tensors.path.data, key, number, min, max);
    *value = number;
    return true;
}

bool gguf_get_bool(const GgufFile *file, const char *key, bool *value, Error *err) {
    const GgufValue *v = find_needed(file, key, err);
    if (!v) return false;
    if (v->is_array || v->type != GGUF_BOOL) return refuse_type(file, key, v, "a bool", err);
    return gguf_value_bool(v, 0, value);
}

bool gguf_get_string(const GgufFile *file, const char *key, Str *value, Error *err) {
    int64_t at = 0;
    const GgufValue *v = find_needed(file, key, err);
    if (!v) return false;
    if (v->is_array || v->type != GGUF_STRING) return refuse_type(file, key, v, "a string", err);
    *value = gguf_value_string(v, &at);
    return true;
}

bool gguf_try_integer(const GgufFile *file, const char *key, GgufRange range, int64_t *value,
                      Error *err) {
    return !gguf_find(file, key) || gguf_get_integer(file, key, range, value, err);
}

bool gguf_try_number(const GgufFile *file, const char *key, double min, double max, double *value,
                     Error *err) {
    return !gguf_find(file, key) || gguf_get_number(file, key, min, max, value, err);
}

bool gguf_try_bool(const GgufFile *file, const char *key, bool *value, Error *err) {
    return !gguf_find(file, key) || gguf_get_bool(file, key, value, err);
}

bool gguf_try_string(const GgufFile *file, const char *key, Str *value, Error *err) {
    return !gguf_find(file, key) || gguf_get_string(file, key, value, err);
}

bool gguf_get_per_layer(const GgufFile *file, const char *key, GgufRange range, int64_t n,
                        int64_t *values, Error *err) {
    const GgufValue *v = find_needed(file, key, err);
    if (!v) return false;
    if (!is_integer(v->type)) return refuse_type(file, key, v, "integers", err);
    if (v->is_array && v->n != n)
        return error_set(err, ERROR_FORMAT, "%s: key '%s' has %lld values, want %lld",
                         file->tensors.path.data, key, (long long)v->n, (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (!ranged_integer(file, key, v, v->is_array ? i : 0, range, &values[i], err))
            return false;
    return true;
}

// ---------------------------------------------------------------- lists

// An array that has to be there and is not too long to be copied into the arena, item by item.
static const GgufValue *find_list(const GgufFile *file, const Arena *arena, const char *key,
                                  const char *wanted, size_t item_bytes, Error *err) {
    const GgufValue *v = find_needed(file, key, err);
    if (!v) return NULL;
    if (!v->is_array) {
        refuse_type(file, key, v, wanted, err);
        return NULL;
    }
    if (v->n > GGUF_LIST_MAX) {
        error_set(err, ERROR_LIMIT, "%s: key '%s' has %lld values, at most %d",
                  file->tensors.path.data, key, (long long)v->n, GGUF_LIST_MAX);
        return NULL;
    }
    if (!arena_fits(arena, (size_t)v->n * item_bytes)) {
        error_set(err, ERROR_LIMIT, "%s: key '%s' has %lld values: too many for the memory here",
                  file->tensors.path.data, key, (long long)v->n);
        return NULL;
    }
    return v;
}

bool gguf_get_strings(const GgufFile *file, Arena *arena, const char *key, const Str **list,
                      int64_t *n, Error *err) {
    const GgufValue *v = find_list(file, arena, key, "an array of strings", sizeof(Str), err);
    if (!v) return false;
    if (v->type != GGUF_STRING) return refuse_type(file, key, v, "an array of strings", err);
    Str *strings = arena_push(arena, (size_t)v->n * sizeof *strings);
    int64_t at = 0;
    for (int64_t i = 0; i < v->n; i++) strings[i] = gguf_value_string(v, &at);
    *list = strings;
    *n = v->n;
    return true;
}

bool gguf_get_floats(const GgufFile *file, Arena *arena, const char *key, const float **list,
                     int64_t *n, Error *err) {
    const GgufValue *v = find_list(file, arena, key, "an array of numbers", sizeof(float), err);
    if (!v) return false;
    if (v->type != GGUF_F32 && v->type != GGUF_F64 && !is_integer(v->type))
        return refuse_type(file, key, v, "an array of numbers", err);
    float *numbers = arena_push(arena, (size_t)v->n * sizeof *numbers);
    for (int64_t i = 0; i < v->n; i++) {
        double number = 0;
        gguf_value_number(v, i, &number);
        numbers[i] = (float)number;
    }
    *list = numbers;
    *n = v->n;
    return true;
}

bool gguf_get_int32s(const GgufFile *file, Arena *arena, const char *key, const int32_t **list,
                     int64_t *n, Error *err) {
    const GgufValue *v = find_list(file, arena, key, "an array of integers", sizeof(int32_t), err);
    if (!v) return false;
    if (!is_integer(v->type)) return refuse_type(file, key, v, "an array of integers", err);
    int32_t *integers = arena_push(arena, (size_t)v->n * sizeof *integers);
    for (int64_t i = 0; i < v->n; i++) {
        int64_t integer = 0;
        if (!ranged_integer(file, key, v, i, (GgufRange){INT32_MIN, INT32_MAX}, &integer, err))
            return false;
        integers[i] = (int32_t)integer;
    }
    *list = integers;
    *n = v->n;
    return true;
}

bool gguf_get_bytes(const GgufFile *file, const char *key, Str *bytes, Error *err) {
    const GgufValue *v = find_needed(file, key, err);
    if (!v) return false;
    if (!v->is_array || (v->type != GGUF_U8 && v->type != GGUF_I8))
        return refuse_type(file, key, v, "an array of bytes", err);
    *bytes = (Str){v->data, (size_t)v->bytes};
    return true;
}

// ---------------------------------------------------------------- metadata that no file holds
GgufFile gguf_make(Arena *arena, const char *name, int64_t n_entries) {
    GgufFile file = {.entry = arena_new(arena, GgufEntry, n_entries),
                     .by_key = map_make(arena, n_entries)};
    file.tensors.path = str_from(name);
    return file;
}

static void put(GgufFile *file, Str key, GgufValue value) {
    require(map_add(&file->by_key, key, file->n_entries));
    file->entry[file->n_entries++] = (GgufEntry){key, value};
}

void gguf_put_number(GgufFile *file, Arena *arena, Str key, double value) {
    double *at = arena_new(arena, double, 1);
    *at = value;
    put(file, key,
        (GgufValue){.type = GGUF_F64, .n = 1, .data = (const char *)at, .bytes = sizeof *at});
}

// A string lies in a file behind its length in 64 bits.
void gguf_put_string(GgufFile *file, Arena *arena, Str key, Str value) {
    uint64_t n = value.n;
    char *at = arena_push(arena, sizeof n + value.n);
    memcpy(at, &n, sizeof n);
    memcpy(at + sizeof n, value.data, value.n);
    put(file, key,
        (GgufValue){
            .type = GGUF_STRING, .n = 1, .data = at, .bytes = (int64_t)(sizeof n + value.n)});
}
