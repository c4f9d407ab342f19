// gguf.h - GGUF files: typed metadata and tensors in one file, or in several parts.
//
// Versions 2 and 3, little-endian.  Every count, length, type and offset is checked against the
// bytes that are there before it is used; each failure is one line naming file and field.  Values
// stay in the file and are read on demand, without regard to alignment.
//
//   GgufFile g;
//   int64_t n_layers;
//   if (!gguf_open(&g, path, true, err)) return false;
//   if (!gguf_get_integer(&g, "llama.block_count", (GgufRange){1, 1024}, &n_layers, err)) ...
//
// A GgufFile is read-only once open; any thread may read it.
// Layout: formats.md 2.1; the limits: hardening.md 1.2.
#ifndef HEED_FORMAT_GGUF_H
#define HEED_FORMAT_GGUF_H

#include "format/tensor_file.h"

enum {
    GGUF_ALIGNMENT = 32, // of tensor data, where the file does not say else
    GGUF_ALIGNMENT_MIN = 8,
    GGUF_ALIGNMENT_MAX = 65536,
    GGUF_ENTRIES_MAX = 65536,
    GGUF_KEY_BYTES_MAX = 65535,
    GGUF_NAME_BYTES_MAX = 63,
    GGUF_STRING_BYTES_MAX = 1 << 30,
    GGUF_ITEMS_MAX = 1 << 30,
    GGUF_NESTING_MAX = 4,   // arrays in arrays
    GGUF_IN_PANELS = 1000,  // added to the type of a tensor in panels: other engines refuse it
    GGUF_LIST_MAX = 1 << 22 // items that a getter copies into an arena
};

// X(NAME, number in the file, bytes of a value or 0, "words")
#define GGUF_TYPES(X)         \
    X(U8, 0, 1, "u8")         \
    X(I8, 1, 1, "i8")         \
    X(U16, 2, 2, "u16")       \
    X(I16, 3, 2, "i16")       \
    X(U32, 4, 4, "u32")       \
    X(I32, 5, 4, "i32")       \
    X(F32, 6, 4, "f32")       \
    X(BOOL, 7, 1, "bool")     \
    X(STRING, 8, 0, "string") \
    X(ARRAY, 9, 0, "array")   \
    X(U64, 10, 8, "u64")      \
    X(I64, 11, 8, "i64")      \
    X(F64, 12, 8, "f64")

typedef enum GgufType {
#define X(name, number, bytes, words) GGUF_##name = (number),
    GGUF_TYPES(X)
#undef X
} GgufType;

// A value, or an array of values, where it lies in the file.
typedef struct GgufValue {
    bool is_array;
    GgufType type;    // of the value, or of the array's items (GGUF_ARRAY: nested)
    int64_t n;        // items; 1 for a value
    const char *data; // the first item, unaligned: read it with the functions below
    int64_t bytes;    // of all items
} GgufValue;

typedef struct GgufEntry {
    Str key;
    GgufValue value;
} GgufEntry;

typedef struct GgufFile {
    TensorFile tensors;
    int version;
    int64_t alignment; // of the first part
    GgufEntry *entry;  // (n_entries) in the order of the file; of the first part only
    int64_t n_entries;
    Map by_key;
} GgufFile;

// ---------------------------------------------------------------- opening

// Opens a file.  Any part of a split model (NAME-00002-of-00003.gguf) opens the whole of it.
// On failure the GgufFile is closed already.
MUST_USE bool gguf_open(GgufFile *file, const char *path, bool use_map, Error *err);

// The same for a file in memory, which is not copied and outlives the GgufFile.  `name` stands for
// the path in messages.  A split file is refused.
MUST_USE bool gguf_open_bytes(GgufFile *file, Str bytes, const char *name, Error *err);

// Accepts a zero-initialised GgufFile.
void gguf_close(GgufFile *file);

// ---------------------------------------------------------------- metadata by key
//
// `get` wants the key to be there; `try` leaves *value as it is when it is absent.  Both give
// ERROR_FORMAT naming file and key when the value has another type or is out of range.

typedef struct GgufRange {
    int64_t min, max; // both allowed
} GgufRange;

const GgufValue *gguf_find(const GgufFile *file, const char *key); // NULL: absent

// Any integer type is accepted for an integer, any number for a number; never a bool or a string.
MUST_USE bool gguf_get_integer(const GgufFile *file, const char *key, GgufRange range,
                               int64_t *value, Error *err);
MUST_USE bool gguf_get_number(const GgufFile *file, const char *key, double min, double max,
                              double *value, Error *err);
MUST_USE bool gguf_get_bool(const GgufFile *file, const char *key, bool *value, Error *err);
// A view of the file's bytes; not followed by a NUL.
MUST_USE bool gguf_get_string(const GgufFile *file, const char *key, Str *value, Error *err);

MUST_USE bool gguf_try_integer(const GgufFile *file, const char *key, GgufRange range,
                               int64_t *value, Error *err);
MUST_USE bool gguf_try_number(const GgufFile *file, const char *key, double min, double max,
                              double *value, Error *err);
MUST_USE bool gguf_try_bool(const GgufFile *file, const char *key, bool *value, Error *err);
MUST_USE bool gguf_try_string(const GgufFile *file, const char *key, Str *value, Error *err);

// One integer per layer: an array of exactly n integers, or one integer that counts for each.
MUST_USE bool gguf_get_per_layer(const GgufFile *file, const char *key, GgufRange range, int64_t n,
                                 int64_t *values, Error *err);

// Lists of any length up to GGUF_LIST_MAX; the array lives in `arena`, the bytes of strings in the
// file.  int32s takes any integer type that fits, floats any number type.
MUST_USE bool gguf_get_strings(const GgufFile *file, Arena *arena, const char *key,
                               const Str **list, int64_t *n, Error *err);
MUST_USE bool gguf_get_floats(const GgufFile *file, Arena *arena, const char *key,
                              const float **list, int64_t *n, Error *err);
MUST_USE bool gguf_get_int32s(const GgufFile *file, Arena *arena, const char *key,
                              const int32_t **list, int64_t *n, Error *err);
// An array of u8 or i8 as it lies in the file.
MUST_USE bool gguf_get_bytes(const GgufFile *file, const char *key, Str *bytes, Error *err);

// ---------------------------------------------------------------- metadata that no file holds
//
// The getters above then read what was put, as they would from a file of that name.

GgufFile gguf_make(Arena *arena, const char *name, int64_t n_entries); // room for so many
void gguf_put_number(GgufFile *file, Arena *arena, Str key, double value);
void gguf_put_string(GgufFile *file, Arena *arena, Str key, Str value);

// ---------------------------------------------------------------- values

const char *gguf_type_name(GgufType type); // "u32"
int gguf_type_bytes(GgufType type);        // 4; 0 for string and array
// Item i, 0 <= i < n.  False if it has another type (or an integer is past int64_t).
bool gguf_value_integer(const GgufValue *value, int64_t i, int64_t *integer);
bool gguf_value_number(const GgufValue *value, int64_t i, double *number);
bool gguf_value_bool(const GgufValue *value, int64_t i, bool *boolean);
// The first string at `at` bytes into value->data, and where the next one is.  Start with at = 0;
// for exactly n strings.
Str gguf_value_string(const GgufValue *value, int64_t *at);
// A value in words for a person: numbers, strings in quotes, the first `items_max` of an array.
Str gguf_value_text(Arena *arena, const GgufValue *value, int64_t items_max);

// ---------------------------------------------------------------- writing
//
//   GgufWriter *w = gguf_writer(arena);
//   gguf_set_string(w, "general.architecture", STR("llama"));          metadata, in any order
//   gguf_add_tensor(w, name, DTYPE_F32, 2, dim, err)                   what will come
//   gguf_begin(w, path, err)                                           the header is written
//   gguf_write(w, data, n)                                             the bytes of each tensor
//   gguf_commit(w, err)                                                the file appears
//
// Version 3, alignment 32, tensors one after the other without a gap but the padding.

typedef struct GgufWriter GgufWriter;

GgufWriter *gguf_writer(Arena *arena);

// A key that is set again gets the new value in the old place.  Strings are copied.  A key is 1 to
// GGUF_KEY_BYTES_MAX bytes; general.alignment cannot be set.
// The integer must fit the type; U64 is given by its bits.
void gguf_set_integer(GgufWriter *w, const char *key, GgufType type, int64_t value);
void gguf_set_number(GgufWriter *w, const char *key, GgufType type, double value); // F32 or F64
void gguf_set_bool(GgufWriter *w, const char *key, bool value);
void gguf_set_string(GgufWriter *w, const char *key, Str value);
// `items` points at n values of the C type: uint8_t .. int64_t, float, double, bool or Str.
void gguf_set_array(GgufWriter *w, const char *key, GgufType type, const void *items, int64_t n);
// As it stands in another file, nested arrays included.
void gguf_set_value(GgufWriter *w, Str key, const GgufValue *value);
// Everything that another file says, except general.alignment and split.*: what is written is one
// file.
void gguf_copy_metadata(GgufWriter *w, const GgufFile *file);

// Declares the next tensor: rank 1 .. 4, dim row-major.  ERROR_UNSUPPORTED for a name longer than
// GGUF_NAME_BYTES_MAX or given twice, and for rows that are no whole number of blocks.
MUST_USE bool gguf_add_tensor(GgufWriter *w, Str name, DType dtype, int rank, const int64_t *dim,
                              Error *err);

// The same for a matrix of a quantised type whose rows lie in panels (quant/panels.h); its bytes
// are those of whole panels.
MUST_USE bool gguf_add_panels(GgufWriter *w, Str name, DType dtype, const int64_t dim[2],
                              Error *err);

// Creates the file and writes the header.  After a failure the writer is of no more use.
MUST_USE bool gguf_begin(GgufWriter *w, const char *path, Error *err);
// The next bytes of the tensors in their order; a call does not go past the end of a tensor.
// Failures are kept for the commit.
void gguf_write(GgufWriter *w, const void *data, size_t n);
// All tensors are complete by now.  Closes the file in any case.
MUST_USE bool gguf_commit(GgufWriter *w, Error *err);
// Leaves no trace of the file.  Accepts a writer that has not begun, or has ended, or NULL.
void gguf_discard(GgufWriter *w);

#endif
