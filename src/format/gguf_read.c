// gguf_read.c - opening GGUF files: the header is walked once, and every number in it is held
// against the bytes that are left before anything is done with it.
//
// A size is computed in one place (tensor_entry_measure), and compared in one form only:
// "offset <= available and bytes <= available - offset", which cannot wrap.
#include "format/gguf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "format/bytes.h"

// The smallest bytes that an entry or a tensor can take in the header: they bound the counts.
enum { ENTRY_BYTES_MIN = 8 + 1 + 4 + 1, TENSOR_BYTES_MIN = 8 + 1 + 4 + 8 + 4 + 8 };

// A position in a file, and what it is in, for messages.
typedef struct Reader {
    const char *path;
    const char *data;
    size_t n;
    size_t at;        // <= n
    const char *what; // "header", "key" or "tensor"
    int64_t index;    // of the key or tensor
    Str name;         // of the key or tensor, once it is known
    Error *err;
} Reader;

// The header of one part, up to the list of tensors.
typedef struct Head {
    Reader reader;
    int version;
    int64_t alignment;
    int64_t n_tensors;
    GgufEntry *entry;
    int64_t n_entries;
    Map by_key;
} Head;

static bool refuse(const Reader *r, ErrorKind kind, const char *format, ...) PRINTF_LIKE(3, 4);
static bool refuse(const Reader *r, ErrorKind kind, const char *format, ...) {
    char reason[256];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    if (r->name.n)
        error_set(r->err, kind, "%s: %s '%s': %s", r->path, r->what,
                  tensor_file_quote(r->name).text, reason);
    else if (r->index >= 0)
        error_set(r->err, kind, "%s: %s %lld: %s", r->path, r->what, (long long)r->index, reason);
    else
        error_set(r->err, kind, "%s: %s: %s", r->path, r->what, reason);
    return false;
}

// ---------------------------------------------------------------- numbers and strings

// The next n bytes, or NULL.
static const char *take_bytes(Reader *r, uint64_t n, const char *field) {
    if (n > r->n - r->at) {
        refuse(r, ERROR_FORMAT, "%s: %llu bytes at offset %zu, but the file ends at %zu", field,
               (unsigned long long)n, r->at, r->n);
        return NULL;
    }
    const char *bytes = r->data + r->at;
    r->at += (size_t)n;
    return bytes;
}

static bool take_u32(Reader *r, const char *field, uint32_t *value) {
    const char *bytes = take_bytes(r, 4, field);
    if (!bytes) return false;
    *value = (uint32_t)bytes_load(bytes, 4);
    return true;
}

static bool take_u64(Reader *r, const char *field, uint64_t *value) {
    const char *bytes = take_bytes(r, 8, field);
    if (!bytes) return false;
    *value = bytes_load(bytes, 8);
    return true;
}

static bool take_string(Reader *r, const char *field, size_t n_max, Str *s) {
    uint64_t n;
    if (!take_u64(r, field, &n)) return false;
    s->data = take_bytes(r, n, field);
    if (!s->data) return false;
    if (n > n_max)
        return refuse(r, ERROR_LIMIT, "%s: %llu bytes, at most %zu", field, (unsigned long long)n,
                      n_max);
    s->n = (size_t)n;
    return true;
}

// A key or the name of a tensor.
static bool take_name(Reader *r, const char *field, size_t n_max) {
    Str name;
    if (!take_string(r, field, n_max, &name)) return false;
    if (!name.n) return refuse(r, ERROR_FORMAT, "%s: empty", field);
    if (memchr(name.data, 0, name.n) || !utf8_valid(name))
        return refuse(r, ERROR_FORMAT, "%s: not UTF-8 text", field);
    r->name = name;
    return true;
}

static bool take_count(Reader *r, const char *field, int bytes_min, int64_t n_max, int64_t *count) {
    uint64_t n;
    if (!take_u64(r, field, &n)) return false;
    if (n > (r->n - r->at) / (size_t)bytes_min)
        return refuse(r, ERROR_FORMAT, "%s: %llu, but %zu bytes are left", field,
                      (unsigned long long)n, r->n - r->at);
    if (n > (uint64_t)n_max)
        return refuse(r, ERROR_LIMIT, "%s: %llu, at most %lld", field, (unsigned long long)n,
                      (long long)n_max);
    *count = (int64_t)n;
    return true;
}

// ---------------------------------------------------------------- metadata

static bool take_type(Reader *r, const char *field, GgufType *type) {
    uint32_t number;
    if (!take_u32(r, field, &number)) return false;
    if (number > GGUF_F64)
        return refuse(r, ERROR_FORMAT, "%s: no value type %u", field, (unsigned)number);
    *type = (GgufType)number;
    return true;
}

static bool take_items(Reader *r, GgufType type, int64_t n, int depth);

static bool take_array(Reader *r, GgufType *type, int64_t *n, int depth) {
    if (depth > GGUF_NESTING_MAX)
        return refuse(r, ERROR_LIMIT, "arrays are nested deeper than %d", GGUF_NESTING_MAX);
    if (!take_type(r, "item type", type)) return false;
    int bytes_min = *type == GGUF_STRING ? 8 : *type == GGUF_ARRAY ? 12 : gguf_type_bytes(*type);
    return take_count(r, "array length", bytes_min, GGUF_ITEMS_MAX, n) &&
           take_items(r, *type, *n, depth);
}

// Walks over n items, whose array stands `depth` deep (0: a value that is in no array).
static bool take_items(Reader *r, GgufType type, int64_t n, int depth) {
    if (type == GGUF_STRING) {
        Str s;
        for (int64_t i = 0; i < n; i++)
            if (!take_string(r, "string", GGUF_STRING_BYTES_MAX, &s)) return false;
        return true;
    }
    if (type == GGUF_ARRAY) {
        GgufType inner;
        int64_t n_inner;
        for (int64_t i = 0; i < n; i++)
            if (!take_array(r, &inner, &n_inner, depth + 1)) return false;
        return true;
    }
    const char *bytes = take_bytes(r, (uint64_t)n * (uint64_t)gguf_type_bytes(type), "value");
    if (!bytes) return false;
    for (int64_t i = 0; type == GGUF_BOOL && i < n; i++)
        if ((unsigned char)bytes[i] > 1)
            return refuse(r, ERROR_FORMAT, "a bool is %d, not 0 or 1", (unsigned char)bytes[i]);
    return true;
}

static bool take_value(Reader *r, GgufValue *value) {
    GgufType type = GGUF_U8;
    if (!take_type(r, "value type", &type)) return false;
    *value = (GgufValue){.type = type, .n = 1};
    size_t start = r->at;
    if (type == GGUF_ARRAY) {
        value->is_array = true;
        if (!take_array(r, &value->type, &value->n, 1)) return false;
        start += 4 + 8; // the array's own type and length
    } else if (!take_items(r, type, 1, 0)) {
        return false;
    }
    value->data = r->data + start;
    value->bytes = (int64_t)(r->at - start);
    return true;
}

static bool take_entries(Head *head, Arena *arena) {
    Reader *r = &head->reader;
    size_t bytes = sizeof(GgufEntry) * (size_t)head->n_entries + map_bytes(head->n_entries);
    if (!arena_fits(arena, bytes))
        return refuse(r, ERROR_LIMIT, "n_kv: %lld keys are too many for the memory here",
                      (long long)head->n_entries);
    head->entry = arena_new(arena, GgufEntry, head->n_entries + 1);
    head->by_key = map_make(arena, head->n_entries);
    r->what = "key";
    for (int64_t i = 0; i < head->n_entries; i++) {
        GgufEntry *e = &head->entry[i];
        r->index = i;
        r->name = (Str){0};
        if (!take_name(r, "its text", GGUF_KEY_BYTES_MAX)) return false;
        e->key = r->name;
        if (!take_value(r, &e->value)) return false;
        if (!map_add(&head->by_key, e->key, i))
            return refuse(r, ERROR_FORMAT, "the key is there twice");
    }
    return true;
}

// An optional integer of the header in 0 .. max; *value stays as it is when the key is absent.
static bool head_integer(Head *head, const char *key, int64_t max, int64_t *value) {
    Reader *r = &head->reader;
    int64_t i = map_get(&head->by_key, str_from(key)), n = 0;
    if (i < 0) return true;
    const GgufValue *v = &head->entry[i].value;
    r->name = head->entry[i].key;
    if (v->is_array || !gguf_value_integer(v, 0, &n) || n < 0 || n > max)
        return refuse(r, ERROR_FORMAT, "want an integer in 0 .. %lld", (long long)max);
    *value = n;
    return true;
}

static bool take_alignment(Head *head) {
    Reader *r = &head->reader;
    int64_t i = map_get(&head->by_key, STR("general.alignment")), n = 0;
    head->alignment = GGUF_ALIGNMENT;
    if (i < 0) return true;
    const GgufValue *v = &head->entry[i].value;
    r->name = head->entry[i].key;
    if (v->is_array || v->type != GGUF_U32)
        return refuse(r, ERROR_FORMAT, "it is %s%s, want u32", v->is_array ? "an array of " : "",
                      gguf_type_name(v->type));
    gguf_value_integer(v, 0, &n);
    if (n < GGUF_ALIGNMENT_MIN || n > GGUF_ALIGNMENT_MAX || (n & (n - 1)))
        return refuse(r, ERROR_FORMAT, "%lld is no power of two in %d .. %d", (long long)n,
                      GGUF_ALIGNMENT_MIN, GGUF_ALIGNMENT_MAX);
    head->alignment = n;
    return true;
}

static bool take_version(Reader *r, int *version) {
    uint32_t v;
    if (!take_u32(r, "version", &v)) return false;
    if (v && !(v & 0xffff)) return refuse(r, ERROR_UNSUPPORTED, "version: the file is big-endian");
    if (v != 2 && v != 3)
        return refuse(r, v == 1 || v > 3 ? ERROR_UNSUPPORTED : ERROR_FORMAT,
                      "version %u is not supported (2 and 3 are)", (unsigned)v);
    *version = (int)v;
    return true;
}

// Reads the header of a part up to its tensors.
static bool take_head(Head *head, const TensorFilePart *part, Arena *arena, Error *err) {
    *head = (Head){0};
    Reader *r = &head->reader;
    *r = (Reader){.path = part->path.data,
                  .data = part->view.data,
                  .n = part->view.n,
                  .what = "header",
                  .index = -1,
                  .err = err};
    const char *magic = take_bytes(r, 4, "magic");
    if (!magic) return false;
    if (memcmp(magic, "GGUF", 4) != 0)
        return refuse(r, ERROR_FORMAT, "magic: this is no GGUF file");
    if (!take_version(r, &head->version)) return false;
    return take_count(r, "n_tensors", TENSOR_BYTES_MIN, TENSOR_FILE_ENTRIES_MAX,
                      &head->n_tensors) &&
           take_count(r, "n_kv", ENTRY_BYTES_MIN, GGUF_ENTRIES_MAX, &head->n_entries) &&
           take_entries(head, arena) && take_alignment(head);
}

// ---------------------------------------------------------------- tensors

// X(NAME, number, bytes) - the types of the format that heed does not compute with.  The plain ones
// are listed by their size; blocks (0 bytes) are refused.
#define OTHER_TYPES(X) \
    X(Q8_1, 9, 0)      \
    X(Q8_K, 15, 0)     \
    X(IQ2_XXS, 16, 0)  \
    X(IQ2_XS, 17, 0)   \
    X(IQ3_XXS, 18, 0)  \
    X(IQ1_S, 19, 0)    \
    X(IQ3_S, 21, 0)    \
    X(IQ2_S, 22, 0)    \
    X(I8, 24, 1)       \
    X(I16, 25, 2)      \
    X(I32, 26, 4)      \
    X(I64, 27, 8)      \
    X(F64, 28, 8)      \
    X(IQ1_M, 29, 0)    \
    X(TQ1_0, 34, 0)    \
    X(TQ2_0, 35, 0)    \
    X(NVFP4, 40, 0)    \
    X(Q1_0, 41, 0)     \
    X(Q2_0, 42, 0)

static const struct OtherType {
    const char *name;
    uint32_t number;
    int bytes;
} other_types[] = {
#define X(name, number, bytes) {#name, number, bytes},
    OTHER_TYPES(X)
#undef X
};

static bool take_tensor_type(Reader *r, TensorEntry *e, TensorLayout *layout) {
    uint32_t number;
    if (!take_u32(r, "type", &number)) return false;
    int64_t in_panels = (int64_t)number - GGUF_IN_PANELS;
    e->in_panels = dtype_known(in_panels) && dtype_is_quantized((DType)in_panels);
    if (dtype_known(number) || e->in_panels) {
        e->has_dtype = true;
        e->dtype = e->in_panels ? (DType)in_panels : (DType)number;
        e->type_name = dtype_name(e->dtype);
        *layout = (TensorLayout){dtype_block_values(e->dtype),
                                 8 * (int64_t)dtype_block_bytes(e->dtype), e->in_panels};
        return true;
    }
    for (size_t i = 0; i < sizeof other_types / sizeof other_types[0]; i++) {
        const struct OtherType *t = &other_types[i];
        if (t->number != number) continue;
        if (!t->bytes)
            return refuse(r, ERROR_UNSUPPORTED, "type %u (%s) is not supported", (unsigned)number,
                          t->name);
        e->type_name = t->name;
        *layout = (TensorLayout){1, 8 * t->bytes, false};
        return true;
    }
    return refuse(r, ERROR_FORMAT, "no type %u (%s)", (unsigned)number,
                  number < 39 ? "removed from the format" : "unknown");
}

static bool take_shape(Reader *r, TensorEntry *e) {
    uint32_t rank;
    if (!take_u32(r, "n_dims", &rank)) return false;
    if (rank < 1 || rank > TENSOR_ENTRY_DTYPE_RANK_MAX)
        return refuse(r, ERROR_FORMAT, "n_dims: %u is not in 1 .. %d", (unsigned)rank,
                      TENSOR_ENTRY_DTYPE_RANK_MAX);
    e->rank = (int)rank;
    for (int i = 0; i < TENSOR_ENTRY_RANK_MAX; i++) e->dim[i] = 1;
    // The file counts dimensions from the fastest; we count from the slowest.  This is the only
    // place where the order is turned round.
    for (int i = e->rank - 1; i >= 0; i--) {
        uint64_t dim;
        if (!take_u64(r, "dimension", &dim)) return false;
        if (dim < 1 || dim > INT64_MAX)
            return refuse(r, ERROR_FORMAT, "dimension %d is %llu", e->rank - 1 - i,
                          (unsigned long long)dim);
        e->dim[i] = (int64_t)dim;
    }
    return true;
}

// One tensor's entry in the header.  Its file_offset counts from the start of the data here:
// that start is known when all entries are read.
static bool take_tensor(Head *head, TensorEntry *e) {
    Reader *r = &head->reader;
    TensorLayout layout;
    uint64_t offset;
    r->name = (Str){0};
    if (!take_name(r, "name", GGUF_NAME_BYTES_MAX)) return false;
    e->name = r->name;
    if (!take_shape(r, e) || !take_tensor_type(r, e, &layout) || !take_u64(r, "offset", &offset))
        return false;
    const char *reason;
    if (!tensor_entry_measure(e, layout, &reason))
        return refuse(r, ERROR_FORMAT, "shape: %s", reason);
    if (offset % (uint64_t)head->alignment)
        return refuse(r, ERROR_FORMAT, "offset %llu is no multiple of the alignment %lld",
                      (unsigned long long)offset, (long long)head->alignment);
    if (offset > r->n)
        return refuse(r, ERROR_FORMAT, "offset %llu is past the end of the file",
                      (unsigned long long)offset);
    e->file_offset = (int64_t)offset;
    return true;
}

// Turns the offsets of entries from .. n-1 into pointers, now that the reader is at the end of the
// header.  Tensors do not share bytes, so together they are no larger than the data.
static bool place_tensors(Head *head, TensorFile *file, int64_t from) {
    Reader *r = &head->reader;
    size_t padding = (0 - r->at) & (size_t)(head->alignment - 1);
    r->name = (Str){0};
    r->index = -1;
    if (from < file->n && !take_bytes(r, padding, "padding")) return false;
    const int64_t start = (int64_t)r->at;
    const int64_t available = (int64_t)(r->n - r->at);
    int64_t unclaimed = available;
    for (int64_t i = from; i < file->n; i++) {
        TensorEntry *e = &file->entry[i];
        r->name = e->name;
        int64_t offset = e->file_offset;
        if (offset > available || e->bytes > available - offset)
            return refuse(r, ERROR_FORMAT, "data: %lld bytes at %lld, but the file has %lld",
                          (long long)e->bytes, (long long)offset, (long long)available);
        if (e->bytes > unclaimed)
            return refuse(r, ERROR_FORMAT, "data: tensors overlap: together they exceed the file");
        unclaimed -= e->bytes;
        e->file_offset = start + offset;
        e->data = r->data + e->file_offset;
    }
    return true;
}

static bool take_tensors(Head *head, TensorFile *file, int i_file) {
    int64_t from = file->n;
    head->reader.what = "tensor";
    for (int64_t i = 0; i < head->n_tensors; i++) {
        TensorEntry e = {.i_file = i_file};
        head->reader.index = i;
        if (!take_tensor(head, &e)) return false;
        if (!arena_fits(&file->arena, e.name.n + 1))
            return refuse(&head->reader, ERROR_LIMIT, "too many names for the memory here");
        e.name = str_copy(&file->arena, e.name);
        if (!tensor_file_add(file, &e, head->reader.err)) return false;
    }
    return place_tensors(head, file, from);
}

// ---------------------------------------------------------------- the parts of a model

// Writes what the name of part i of n ends in.
static Str part_suffix(Arena *arena, int i, int n) {
    return str_printf(arena, "-%05d-of-%05d.gguf", i + 1, n);
}

static bool take_split(Head *head, int64_t *no, int64_t *count, int64_t *n_tensors) {
    *no = *count = 0;
    *n_tensors = -1;
    return head_integer(head, "split.count", TENSOR_FILE_PARTS_MAX, count) &&
           head_integer(head, "split.no", TENSOR_FILE_PARTS_MAX, no) &&
           head_integer(head, "split.tensors.count", TENSOR_FILE_ENTRIES_MAX, n_tensors);
}

// Opens the other parts of a model of which part `no` is there as the only one, and reads their
// headers.  Sets *total to the number of tensors that the parts agree on.
static bool open_other_parts(TensorFile *file, bool use_map, Head *head, int no, int count) {
    Error *err = head[no].reader.err;
    Arena *arena = &file->arena;
    Str suffix = part_suffix(arena, no, count);
    if (!str_ends(file->path, suffix)) {
        return error_set(err, ERROR_FORMAT,
                         "%s: this is part %d of %d (split.no, split.count): its name has to end "
                         "in '%s'",
                         file->path.data, no + 1, count, suffix.data);
    }
    Str stem = str_slice(file->path, 0, file->path.n - suffix.n);
    for (int i = 0; i < count; i++) {
        if (i == no) continue;
        Str end = part_suffix(arena, i, count);
        Str path = str_printf(arena, "%s%s", str_c(arena, stem), end.data);
        if (!tensor_file_open_part(file, i, path, use_map, err))
            return error_wrap(err, "%s: part %d of %d", file->path.data, i + 1, count);
        if (!take_head(&head[i], &file->part[i], arena, err)) return false;
    }
    return true;
}

// Every part says which it is, of how many, and how many tensors all have together.
static bool check_parts(Head *head, int count, int64_t *total) {
    *total = 0;
    for (int i = 0; i < count; i++) *total += head[i].n_tensors;
    for (int i = 0; i < count; i++) {
        int64_t no, n, n_tensors;
        if (!take_split(&head[i], &no, &n, &n_tensors)) return false;
        const char *path = head[i].reader.path;
        if (n != count || no != i)
            return error_set(head[i].reader.err, ERROR_FORMAT,
                             "%s: split.no %lld and split.count %lld, want %d and %d", path,
                             (long long)no, (long long)n, i, count);
        if (n_tensors != *total)
            return error_set(head[i].reader.err, ERROR_FORMAT,
                             "%s: split.tensors.count is %lld, but the parts have %lld", path,
                             (long long)n_tensors, (long long)*total);
    }
    if (*total > TENSOR_FILE_ENTRIES_MAX)
        return error_set(head[0].reader.err, ERROR_LIMIT, "%s: %lld tensors, at most %d",
                         head[0].reader.path, (long long)*total, TENSOR_FILE_ENTRIES_MAX);
    return true;
}

// Reads the file that is open as the only part, and the others that it names.
static bool read_all(GgufFile *file, bool use_map, bool in_memory, Error *err) {
    TensorFile *t = &file->tensors;
    Head *head = arena_new(&t->arena, Head, 1);
    int64_t no, count, total;
    if (!take_head(&head[0], &t->part[0], &t->arena, err) ||
        !take_split(&head[0], &no, &count, &total))
        return false;
    if (count > 1) {
        if (in_memory)
            return error_set(err, ERROR_UNSUPPORTED,
                             "%s: split.count is %lld: a file in memory has one part", t->path.data,
                             (long long)count);
        if (no >= count)
            return error_set(err, ERROR_FORMAT, "%s: split.no %lld, but split.count %lld",
                             t->path.data, (long long)no, (long long)count);
        Head given = head[0];
        TensorFilePart part = t->part[0];
        if (!arena_fits(&t->arena, (sizeof(Head) + sizeof part) * (size_t)count))
            return error_set(err, ERROR_LIMIT,
                             "%s: split.count is %lld: too many for the memory here", t->path.data,
                             (long long)count);
        head = arena_new(&t->arena, Head, count);
        head[no] = given;
        tensor_file_make_parts(t, (int)count);
        t->part[no] = part;
        if (!open_other_parts(t, use_map, head, (int)no, (int)count) ||
            !check_parts(head, (int)count, &total))
            return false;
    } else {
        total = head[0].n_tensors;
    }
    if (!tensor_file_reserve(t, total, err)) return false;
    for (int i = 0; i < t->n_parts; i++)
        if (!take_tensors(&head[i], t, i)) return false;
    file->version = head[0].version;
    file->alignment = head[0].alignment;
    file->entry = head[0].entry;
    file->n_entries = head[0].n_entries;
    file->by_key = head[0].by_key;
    return true;
}

bool gguf_open(GgufFile *file, const char *path, bool use_map, Error *err) {
    *file = (GgufFile){0};
    TensorFile *t = &file->tensors;
    if (!tensor_file_init(t, path, err)) return false;
    tensor_file_make_parts(t, 1);
    if (tensor_file_open_part(t, 0, t->path, use_map, err) && read_all(file, use_map, false, err))
        return true;
    gguf_close(file);
    return false;
}

bool gguf_open_bytes(GgufFile *file, Str bytes, const char *name, Error *err) {
    *file = (GgufFile){0};
    TensorFile *t = &file->tensors;
    if (!tensor_file_init(t, name, err)) return false;
    tensor_file_make_parts(t, 1);
    tensor_file_borrow_part(t, 0, bytes);
    if (read_all(file, false, true, err)) return true;
    gguf_close(file);
    return false;
}

void gguf_close(GgufFile *file) {
    tensor_file_close(&file->tensors);
    *file = (GgufFile){0};
}
