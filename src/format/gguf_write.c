// gguf_write.c - writing GGUF files, version 3: what is declared first, then the bytes as they
// come.
//
// Other engines want the tensors in the order of the header, each at the padded end of the one
// before, and the last one padded too; this writer gives nothing else.
#include "format/gguf.h"

#include <string.h>

#include "base/utf8.h"
#include "format/bytes.h"

typedef struct WriterEntry {
    Str key;
    Str body; // type and value as the file has them
} WriterEntry;

typedef struct WriterTensor {
    Str name;
    int64_t type; // its number in the file
    int rank;
    int64_t dim[TENSOR_ENTRY_DTYPE_RANK_MAX];
    int64_t bytes;
} WriterTensor;

struct GgufWriter {
    Arena *arena;
    WriterEntry *entry;
    int64_t n_entries, entry_room;
    Map by_key;
    WriterTensor *tensor;
    int64_t n_tensors, tensor_room;
    Map by_name;
    FileWriter *out;  // NULL: not begun, or ended
    int64_t i_tensor; // the one whose bytes come next
    int64_t bytes_left;
};

GgufWriter *gguf_writer(Arena *arena) {
    GgufWriter *w = arena_new(arena, GgufWriter, 1);
    w->arena = arena;
    w->by_key = map_make(arena, 64);
    w->by_name = map_make(arena, 64);
    return w;
}

// An array with room for one item more: itself, or a copy twice as large.
static void *grown(Arena *arena, void *items, size_t item_bytes, int64_t n, int64_t *room) {
    if (n < *room) return items;
    *room = *room ? *room * 2 : 64;
    void *larger = arena_push(arena, (size_t)*room * item_bytes);
    if (n) memcpy(larger, items, (size_t)n * item_bytes);
    return larger;
}

// ---------------------------------------------------------------- metadata

static void add_number(StrBuilder *b, uint64_t value, int n) {
    char bytes[8];
    bytes_store(bytes, value, n);
    str_add(b, (Str){bytes, (size_t)n});
}

static void add_string(StrBuilder *b, Str s) {
    add_number(b, s.n, 8);
    str_add(b, s);
}

static void set_body(GgufWriter *w, Str key, Str body) {
    require(!w->out && key.n >= 1 && key.n <= GGUF_KEY_BYTES_MAX);
    require(!str_equal(key, STR("general.alignment")));
    int64_t i = map_get(&w->by_key, key);
    if (i >= 0) {
        w->entry[i].body = body;
        return;
    }
    require(w->n_entries < GGUF_ENTRIES_MAX);
    w->entry = grown(w->arena, w->entry, sizeof *w->entry, w->n_entries, &w->entry_room);
    key = str_copy(w->arena, key);
    w->entry[w->n_entries] = (WriterEntry){key, body};
    require(map_add(&w->by_key, key, w->n_entries));
    w->n_entries++;
}

// A value of a type with a fixed size, by its bits.
static void set_bits(GgufWriter *w, const char *key, GgufType type, uint64_t bits) {
    StrBuilder b = str_builder(w->arena);
    add_number(&b, type, 4);
    add_number(&b, bits, gguf_type_bytes(type));
    set_body(w, str_from(key), str_built(&b));
}

void gguf_set_integer(GgufWriter *w, const char *key, GgufType type, int64_t value) {
    int bits = 8 * gguf_type_bytes(type);
    bool is_unsigned = type == GGUF_U8 || type == GGUF_U16 || type == GGUF_U32;
    bool is_signed = type == GGUF_I8 || type == GGUF_I16 || type == GGUF_I32;
    require(is_unsigned || is_signed || type == GGUF_U64 || type == GGUF_I64);
    if (is_unsigned) require(value >= 0 && value >> bits == 0);
    if (is_signed) require(value >= -(INT64_C(1) << (bits - 1)) && value >> (bits - 1) <= 0);
    set_bits(w, key, type, (uint64_t)value);
}

void gguf_set_number(GgufWriter *w, const char *key, GgufType type, double value) {
    require(type == GGUF_F32 || type == GGUF_F64);
    float narrow = (float)value;
    uint32_t bits32;
    uint64_t bits64;
    memcpy(&bits32, &narrow, sizeof bits32);
    memcpy(&bits64, &value, sizeof bits64);
    set_bits(w, key, type, type == GGUF_F32 ? bits32 : bits64);
}

void gguf_set_bool(GgufWriter *w, const char *key, bool value) {
    set_bits(w, key, GGUF_BOOL, value);
}

void gguf_set_string(GgufWriter *w, const char *key, Str value) {
    StrBuilder b = str_builder(w->arena);
    add_number(&b, GGUF_STRING, 4);
    add_string(&b, value);
    set_body(w, str_from(key), str_built(&b));
}

// Item i of a C array of integers or floats of that size, as bits.
static uint64_t item_bits(const void *items, int64_t i, int size) {
    const char *at = (const char *)items + i * size;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (size) {
    case 1: memcpy(&u8, at, 1); return u8;
    case 2: memcpy(&u16, at, 2); return u16;
    case 4: memcpy(&u32, at, 4); return u32;
    default: memcpy(&u64, at, 8); return u64;
    }
}

void gguf_set_array(GgufWriter *w, const char *key, GgufType type, const void *items, int64_t n) {
    require(type != GGUF_ARRAY && n >= 0 && n <= GGUF_ITEMS_MAX);
    StrBuilder b = str_builder(w->arena);
    int size = gguf_type_bytes(type);
    add_number(&b, GGUF_ARRAY, 4);
    add_number(&b, type, 4);
    add_number(&b, (uint64_t)n, 8);
    for (int64_t i = 0; i < n; i++) {
        if (type == GGUF_STRING)
            add_string(&b, ((const Str *)items)[i]);
        else
            add_number(&b, item_bits(items, i, size), size);
    }
    set_body(w, str_from(key), str_built(&b));
}

void gguf_set_value(GgufWriter *w, Str key, const GgufValue *value) {
    StrBuilder b = str_builder(w->arena);
    if (value->is_array) {
        add_number(&b, GGUF_ARRAY, 4);
        add_number(&b, value->type, 4);
        add_number(&b, (uint64_t)value->n, 8);
    } else {
        add_number(&b, value->type, 4);
    }
    str_add(&b, (Str){value->data, (size_t)value->bytes});
    set_body(w, key, str_built(&b));
}

void gguf_copy_metadata(GgufWriter *w, const GgufFile *file) {
    for (int64_t i = 0; i < file->n_entries; i++) {
        Str key = file->entry[i].key;
        if (str_equal(key, STR("general.alignment")) || str_starts(key, STR("split."))) continue;
        gguf_set_value(w, key, &file->entry[i].value);
    }
}

// ---------------------------------------------------------------- tensors

static bool add_tensor(GgufWriter *w, Str name, DType dtype, bool in_panels, int rank,
                       const int64_t *dim, Error *err) {
    require(!w->out && rank >= 1 && rank <= TENSOR_ENTRY_DTYPE_RANK_MAX);
    const char *reason;
    if (!name.n || name.n > GGUF_NAME_BYTES_MAX || memchr(name.data, 0, name.n) ||
        !utf8_valid(name))
        return error_set(err, ERROR_UNSUPPORTED,
                         "tensor '%s': GGUF wants a name of 1 to %d bytes of UTF-8",
                         tensor_file_quote(name).text, GGUF_NAME_BYTES_MAX);
    TensorEntry e = {.rank = rank};
    for (int i = 0; i < rank; i++) {
        require(dim[i] >= 0);
        if (!dim[i])
            return error_set(err, ERROR_UNSUPPORTED,
                             "tensor '%s': a GGUF file holds none of size 0",
                             tensor_file_quote(name).text);
        e.dim[i] = dim[i];
    }
    TensorLayout layout = {dtype_block_values(dtype), 8 * (int64_t)dtype_block_bytes(dtype),
                           in_panels};
    if (!tensor_entry_measure(&e, layout, &reason))
        return error_set(err, ERROR_UNSUPPORTED, "tensor '%s' as %s: %s",
                         tensor_file_quote(name).text, dtype_name(dtype), reason);
    name = str_copy(w->arena, name);
    if (!map_add(&w->by_name, name, w->n_tensors))
        return error_set(err, ERROR_UNSUPPORTED, "tensor '%s': the name is there twice",
                         tensor_file_quote(name).text);
    if (w->n_tensors == TENSOR_FILE_ENTRIES_MAX)
        return error_set(err, ERROR_LIMIT, "more than %d tensors", TENSOR_FILE_ENTRIES_MAX);
    w->tensor = grown(w->arena, w->tensor, sizeof *w->tensor, w->n_tensors, &w->tensor_room);
    WriterTensor *t = &w->tensor[w->n_tensors++];
    int64_t type = (int64_t)dtype + (in_panels ? GGUF_IN_PANELS : 0);
    *t = (WriterTensor){.name = name, .type = type, .rank = rank, .bytes = e.bytes};
    memcpy(t->dim, dim, (size_t)rank * sizeof *dim);
    return true;
}

bool gguf_add_tensor(GgufWriter *w, Str name, DType dtype, int rank, const int64_t *dim,
                     Error *err) {
    return add_tensor(w, name, dtype, false, rank, dim, err);
}

bool gguf_add_panels(GgufWriter *w, Str name, DType dtype, const int64_t dim[2], Error *err) {
    require(dtype_is_quantized(dtype));
    return add_tensor(w, name, dtype, true, 2, dim, err);
}

// ---------------------------------------------------------------- the file

static void write_number(GgufWriter *w, uint64_t value, int n) {
    char bytes[8];
    bytes_store(bytes, value, n);
    file_write(w->out, bytes, (size_t)n);
}

static void write_string(GgufWriter *w, Str s) {
    write_number(w, s.n, 8);
    file_write(w->out, s.data, s.n);
}

static int64_t padded(int64_t bytes) {
    return (bytes + GGUF_ALIGNMENT - 1) / GGUF_ALIGNMENT * GGUF_ALIGNMENT;
}

static void write_padding(GgufWriter *w) {
    static const char zeros[GGUF_ALIGNMENT];
    int64_t at = file_position(w->out);
    file_write(w->out, zeros, (size_t)(padded(at) - at));
}

bool gguf_begin(GgufWriter *w, const char *path, Error *err) {
    require(!w->out);
    w->out = file_create(path, err);
    if (!w->out) return false;
    file_write(w->out, "GGUF", 4);
    write_number(w, 3, 4);
    write_number(w, (uint64_t)w->n_tensors, 8);
    write_number(w, (uint64_t)w->n_entries, 8);
    for (int64_t i = 0; i < w->n_entries; i++) {
        write_string(w, w->entry[i].key);
        file_write(w->out, w->entry[i].body.data, w->entry[i].body.n);
    }
    int64_t offset = 0;
    for (int64_t i = 0; i < w->n_tensors; i++) {
        const WriterTensor *t = &w->tensor[i];
        write_string(w, t->name);
        write_number(w, (uint64_t)t->rank, 4);
        for (int d = t->rank - 1; d >= 0; d--) write_number(w, (uint64_t)t->dim[d], 8);
        write_number(w, (uint64_t)t->type, 4);
        write_number(w, (uint64_t)offset, 8);
        offset += padded(t->bytes);
    }
    write_padding(w);
    w->i_tensor = 0;
    w->bytes_left = w->n_tensors ? w->tensor[0].bytes : 0;
    return true;
}

void gguf_write(GgufWriter *w, const void *data, size_t n) {
    if (!n) return;
    require(w->out && w->i_tensor < w->n_tensors && n <= (size_t)w->bytes_left);
    file_write(w->out, data, n);
    w->bytes_left -= (int64_t)n;
    if (w->bytes_left) return;
    write_padding(w);
    if (++w->i_tensor < w->n_tensors) w->bytes_left = w->tensor[w->i_tensor].bytes;
}

bool gguf_commit(GgufWriter *w, Error *err) {
    require(w->out && w->i_tensor == w->n_tensors);
    FileWriter *out = w->out;
    w->out = NULL;
    return file_commit(out, err);
}

void gguf_discard(GgufWriter *w) {
    if (!w) return;
    file_discard(w->out);
    w->out = NULL;
}
