// safetensors_read.c - opening safetensors files and folders.
//
// The header may have 100 MB, and a tree of all of it would take many times that.  So it is cut
// into its members first, which needs no memory; each member is parsed alone and forgotten.
#include "format/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "format/bytes.h"

// X(NAME, bits of a number) - types of the format that heed does not compute with.
#define OTHER_TYPES(X) \
    X(BOOL, 8)         \
    X(U8, 8)           \
    X(I8, 8)           \
    X(U16, 16)         \
    X(I16, 16)         \
    X(U32, 32)         \
    X(I32, 32)         \
    X(U64, 64)         \
    X(I64, 64)         \
    X(F64, 64)         \
    X(C64, 64)         \
    X(F8_E4M3, 8)      \
    X(F8_E5M2, 8)      \
    X(F8_E8M0, 8)      \
    X(F8_E4M3FNUZ, 8)  \
    X(F8_E5M2FNUZ, 8)  \
    X(F6_E2M3, 6)      \
    X(F6_E3M2, 6)      \
    X(F4, 4)

typedef struct NumberType {
    const char *name;
    int bits;
    bool has_dtype;
    DType dtype;
} NumberType;

static const NumberType number_types[] = {{"F32", 32, true, DTYPE_F32},
                                          {"F16", 16, true, DTYPE_F16},
                                          {"BF16", 16, true, DTYPE_BF16},
#define X(name, bits) {#name, bits, false, DTYPE_F32},
                                          OTHER_TYPES(X)
#undef X
};

// A file being read, and what it gives.
typedef struct Shard {
    TensorFile *file;
    int i_file;
    const char *path;
    Arena *scratch;
    int64_t data_start, data_bytes;
    TensorEntry *entry; // in scratch, their names in the file's arena
    int64_t n, room;
    const Json *metadata; // in the file's arena
    Error *err;
} Shard;

// ---------------------------------------------------------------- the members of the header

typedef struct Members {
    Str text;
    size_t at;
    bool is_broken;
} Members;

static void skip_space(Members *m) {
    while (m->at < m->text.n && memchr(" \t\r\n", m->text.data[m->at], 4)) m->at++;
}

// Is the next byte this one?  Then it is taken, with the space around it.
static bool take_byte(Members *m, char byte) {
    skip_space(m);
    if (m->at >= m->text.n || m->text.data[m->at] != byte) return false;
    m->at++;
    skip_space(m);
    return true;
}

// From the quote at m->at to behind the closing one.
static bool skip_string(Members *m) {
    if (m->at >= m->text.n || m->text.data[m->at] != '"') return false;
    for (m->at++; m->at < m->text.n; m->at++) {
        char c = m->text.data[m->at];
        if (c == '\\') {
            m->at++;
        } else if (c == '"') {
            m->at++;
            return true;
        }
    }
    return false;
}

// To the comma or brace that ends a value.  What lies between is for the JSON parser to judge.
static bool skip_value(Members *m) {
    int64_t depth = 0;
    while (m->at < m->text.n) {
        char c = m->text.data[m->at];
        if (c == '"') {
            if (!skip_string(m)) return false;
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}')) return true;
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        m->at++;
    }
    return false;
}

static Members members_of(Str text) {
    Members m = {text, 0, false};
    m.is_broken = !text.n || text.data[0] != '{';
    if (!m.is_broken) take_byte(&m, '{');
    return m;
}

// The next member: the text of its key, quotes included, and of its value.  False at the end, and
// when the text is broken.
static bool members_next(Members *m, bool is_first, Str *key, Str *value) {
    if (m->is_broken) return false;
    m->is_broken = true;
    if (take_byte(m, '}')) {
        // An empty object, or the last brace: nothing but space may follow.
        m->is_broken = m->at != m->text.n;
        return false;
    }
    if (!is_first && !take_byte(m, ',')) return false;
    size_t start = m->at;
    if (!skip_string(m)) return false;
    *key = str_slice(m->text, start, m->at);
    if (!take_byte(m, ':')) return false;
    start = m->at;
    if (!skip_value(m)) return false;
    *value = str_slice(m->text, start, m->at);
    m->is_broken = false;
    return true;
}

// ---------------------------------------------------------------- one tensor

static bool refuse(const Shard *s, Str name, ErrorKind kind, const char *reason) {
    return error_set(s->err, kind, "%s: tensor '%s': %s", s->path, tensor_file_quote(name).text,
                     reason);
}

static const NumberType *type_named(Str name) {
    for (size_t i = 0; i < sizeof number_types / sizeof number_types[0]; i++)
        if (str_equal(name, str_from(number_types[i].name))) return &number_types[i];
    return NULL;
}

// Is it an array of `n` integers >= 0?
static bool is_counts(const Json *array, int64_t n) {
    if (!array || array->kind != JSON_ARRAY || array->count != n) return false;
    for (const Json *i = array->child; i; i = i->next)
        if (i->kind != JSON_NUMBER || !i->is_integer || i->integer < 0) return false;
    return true;
}

static bool take_shape(const Shard *s, const Json *shape, TensorEntry *e) {
    if (!shape || !is_counts(shape, shape->count))
        return refuse(s, e->name, ERROR_FORMAT, "shape: want an array of integers >= 0");
    if (shape->count > TENSOR_ENTRY_RANK_MAX)
        return refuse(s, e->name, ERROR_UNSUPPORTED, "shape: more than 8 dimensions");
    for (int i = 0; i < TENSOR_ENTRY_RANK_MAX; i++) e->dim[i] = 1;
    for (const Json *i = shape->child; i; i = i->next) e->dim[e->rank++] = i->integer;
    return true;
}

static bool take_span(const Shard *s, const Json *offsets, TensorEntry *e) {
    if (!is_counts(offsets, 2))
        return refuse(s, e->name, ERROR_FORMAT, "data_offsets: want two integers >= 0");
    int64_t begin = offsets->child->integer, end = offsets->child->next->integer;
    if (begin > end) return refuse(s, e->name, ERROR_FORMAT, "data_offsets: end before begin");
    if (end > s->data_bytes)
        return refuse(s, e->name, ERROR_FORMAT, "data_offsets: past the end of the file");
    if (end - begin != e->bytes)
        return error_set(s->err, ERROR_FORMAT,
                         "%s: tensor '%s': data_offsets: %lld bytes, but its shape has %lld",
                         s->path, tensor_file_quote(e->name).text, (long long)(end - begin),
                         (long long)e->bytes);
    e->file_offset = s->data_start + begin;
    return true;
}

static bool take_tensor(const Shard *s, const Json *info, TensorEntry *e) {
    if (info->kind != JSON_OBJECT || info->count != 3)
        return refuse(s, e->name, ERROR_FORMAT, "want an object of dtype, shape and data_offsets");
    const Json *dtype = json_get(info, "dtype");
    if (!dtype || dtype->kind != JSON_STRING)
        return refuse(s, e->name, ERROR_FORMAT, "dtype: want a string");
    const NumberType *type = type_named(dtype->string);
    if (!type)
        return error_set(s->err, ERROR_UNSUPPORTED, "%s: tensor '%s': dtype '%s' is unknown",
                         s->path, tensor_file_quote(e->name).text,
                         tensor_file_quote(dtype->string).text);
    e->type_name = type->name;
    e->has_dtype = type->has_dtype;
    e->dtype = type->dtype;
    if (!take_shape(s, json_get(info, "shape"), e)) return false;
    const char *reason;
    if (!tensor_entry_measure(e, (TensorLayout){1, type->bits, false}, &reason))
        return refuse(s, e->name, ERROR_FORMAT, reason);
    return take_span(s, json_get(info, "data_offsets"), e);
}

// ---------------------------------------------------------------- one file

static bool take_metadata(Shard *s, Str text) {
    if (s->metadata)
        return error_set(s->err, ERROR_FORMAT, "%s: __metadata__ is there twice", s->path);
    const Json *metadata = json_parse(&s->file->arena, text, SAFETENSORS_METADATA_MAX, s->err);
    if (!metadata) return error_wrap(s->err, "%s: __metadata__", s->path);
    bool good = metadata->kind == JSON_OBJECT;
    for (const Json *i = metadata->child; good && i; i = i->next) good = i->kind == JSON_STRING;
    if (!good)
        return error_set(s->err, ERROR_FORMAT, "%s: __metadata__: want an object of strings",
                         s->path);
    s->metadata = metadata;
    return true;
}

static bool take_member(Shard *s, Str key_text, Str value_text) {
    ArenaMark mark = arena_mark(s->scratch);
    const Json *key = json_parse(s->scratch, key_text, SAFETENSORS_MEMBER_MAX, s->err);
    if (!key) return error_wrap(s->err, "%s: header: a name", s->path);
    if (str_equal(key->string, STR("__metadata__"))) {
        arena_back(s->scratch, mark);
        return take_metadata(s, value_text);
    }
    if (s->n == s->room)
        return error_set(s->err, ERROR_LIMIT, "%s: header: more than %d tensors", s->path,
                         TENSOR_FILE_ENTRIES_MAX);
    if (!arena_fits(&s->file->arena, key->string.n + 1))
        return error_set(s->err, ERROR_LIMIT, "%s: header: too many names for the memory here",
                         s->path);
    TensorEntry *e = &s->entry[s->n++];
    *e = (TensorEntry){.name = str_copy(&s->file->arena, key->string), .i_file = s->i_file};
    const Json *info = json_parse(s->scratch, value_text, SAFETENSORS_MEMBER_MAX, s->err);
    if (!info)
        return error_wrap(s->err, "%s: tensor '%s'", s->path, tensor_file_quote(e->name).text);
    if (!take_tensor(s, info, e)) return false;
    arena_back(s->scratch, mark);
    return true;
}

static int compare_spans(const void *left, const void *right) {
    const TensorEntry *a = left, *b = right;
    if (a->file_offset != b->file_offset) return a->file_offset < b->file_offset ? -1 : 1;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    return str_compare(a->name, b->name);
}

// In the order of their offsets, the spans have to cover the data from its first byte to its last.
static bool check_spans(Shard *s) {
    qsort(s->entry, (size_t)s->n, sizeof *s->entry, compare_spans);
    int64_t covered = s->data_start;
    for (int64_t i = 0; i < s->n; i++) {
        TensorEntry *e = &s->entry[i];
        if (e->file_offset < covered)
            return refuse(s, e->name, ERROR_FORMAT, "data_offsets: it overlaps another tensor");
        if (e->file_offset > covered)
            return refuse(s, e->name, ERROR_FORMAT, "data_offsets: a hole before it");
        covered += e->bytes;
        e->data = s->file->part[s->i_file].view.data + e->file_offset;
    }
    int64_t left = s->data_start + s->data_bytes - covered;
    if (left)
        return error_set(s->err, ERROR_FORMAT, "%s: %lld bytes after the last tensor", s->path,
                         (long long)left);
    return true;
}

static bool take_header(Shard *s, Str header) {
    Members m = members_of(header);
    Str key, value;
    int64_t n = 0;
    while (members_next(&m, n == 0, &key, &value)) n++;
    if (m.is_broken)
        return error_set(s->err, ERROR_FORMAT, "%s: header: no JSON object at byte %zu", s->path,
                         8 + m.at);
    s->room = n < TENSOR_FILE_ENTRIES_MAX ? n : TENSOR_FILE_ENTRIES_MAX;
    if (!arena_fits(s->scratch, sizeof(TensorEntry) * (size_t)(s->room + 1)))
        return error_set(s->err, ERROR_LIMIT,
                         "%s: header: %lld tensors are too many for the memory"
                         " here",
                         s->path, (long long)n);
    s->entry = arena_new(s->scratch, TensorEntry, s->room + 1);
    m = members_of(header);
    for (int64_t i = 0; members_next(&m, i == 0, &key, &value); i++)
        if (!take_member(s, key, value)) return false;
    return true;
}

// Reads the header of a part that is open, into s->entry.
static bool read_shard(Shard *s, TensorFile *file, int i_file, Arena *scratch, Error *err) {
    const TensorFilePart *part = &file->part[i_file];
    *s = (Shard){
        .file = file, .i_file = i_file, .path = part->path.data, .scratch = scratch, .err = err};
    if (part->view.n < 8)
        return error_set(err, ERROR_FORMAT, "%s: header length: the file has %zu bytes", s->path,
                         part->view.n);
    uint64_t n = bytes_load(part->view.data, 8);
    if (n > SAFETENSORS_HEADER_MAX)
        return error_set(err, ERROR_LIMIT, "%s: header length: %llu bytes, at most %d", s->path,
                         (unsigned long long)n, SAFETENSORS_HEADER_MAX);
    if (n > part->view.n - 8)
        return error_set(err, ERROR_FORMAT, "%s: header length: %llu bytes, but the file has %zu",
                         s->path, (unsigned long long)n, part->view.n);
    s->data_start = 8 + (int64_t)n;
    s->data_bytes = (int64_t)part->view.n - s->data_start;
    return take_header(s, (Str){part->view.data + 8, (size_t)n}) && check_spans(s);
}

// Reads all parts, which are open, into the table.
static bool read_shards(SafetensorsFile *file, Arena *scratch, Error *err) {
    TensorFile *t = &file->tensors;
    Shard *shard = arena_new(scratch, Shard, t->n_parts);
    int64_t total = 0;
    for (int i = 0; i < t->n_parts; i++) {
        if (!read_shard(&shard[i], t, i, scratch, err)) return false;
        total += shard[i].n;
    }
    if (total > TENSOR_FILE_ENTRIES_MAX)
        return error_set(err, ERROR_LIMIT, "%s: %lld tensors, at most %d", t->path.data,
                         (long long)total, TENSOR_FILE_ENTRIES_MAX);
    if (!tensor_file_reserve(t, total, err)) return false;
    for (int i = 0; i < t->n_parts; i++)
        for (int64_t k = 0; k < shard[i].n; k++)
            if (!tensor_file_add(t, &shard[i].entry[k], err)) return false;
    file->metadata = shard[0].metadata;
    return true;
}

// ---------------------------------------------------------------- a folder with an index

// The names of files come from the index: they stay in the folder.
static bool is_plain_name(Str name) {
    return name.n && name.n <= 255 && utf8_valid(name) && !memchr(name.data, '/', name.n) &&
           !memchr(name.data, '\\', name.n) && !memchr(name.data, 0, name.n) &&
           str_find(name, STR(".."), 0) == SIZE_MAX;
}

static int compare_names(const void *left, const void *right) {
    return str_compare(*(const Str *)left, *(const Str *)right);
}

// The files that an index names, sorted, and a map from each to its place.
typedef struct ShardNames {
    Str name[TENSOR_FILE_PARTS_MAX];
    int n;
    Map index;
} ShardNames;

static bool collect_names(ShardNames *names, const Json *weights, Arena *arena, const char *path,
                          Error *err) {
    Map seen = map_make(arena, TENSOR_FILE_PARTS_MAX);
    for (const Json *w = weights->child; w; w = w->next) {
        if (w->kind != JSON_STRING || !is_plain_name(w->string))
            return error_set(err, ERROR_FORMAT,
                             "%s: weight_map: tensor '%s': '%s' is no name of a file in the folder",
                             path, tensor_file_quote(w->key).text,
                             tensor_file_quote(json_string(w, STR(""))).text);
        if (map_get(&seen, w->string) >= 0) continue;
        if (names->n == TENSOR_FILE_PARTS_MAX)
            return error_set(err, ERROR_LIMIT, "%s: weight_map: more than %d files", path,
                             TENSOR_FILE_PARTS_MAX);
        if (map_add(&seen, w->string, 0)) names->name[names->n++] = w->string;
    }
    qsort(names->name, (size_t)names->n, sizeof names->name[0], compare_names);
    names->index = map_make(arena, names->n);
    for (int i = 0; i < names->n; i++) require(map_add(&names->index, names->name[i], i));
    return true;
}

// Each tensor of the index has to be in the file it names, and each tensor of a file in the index.
static bool check_index(const TensorFile *file, const Json *weights, const ShardNames *names,
                        Arena *scratch, const char *path, Error *err) {
    if (!arena_fits(scratch, (size_t)file->n + 1))
        return error_set(err, ERROR_LIMIT, "%s: too many tensors for the memory here", path);
    bool *seen = arena_new(scratch, bool, file->n + 1);
    for (const Json *w = weights->child; w; w = w->next) {
        const TensorEntry *e = tensor_file_find(file, w->key);
        if (!e)
            return error_set(err, ERROR_FORMAT,
                             "%s: weight_map: tensor '%s' is in none of the files", path,
                             tensor_file_quote(w->key).text);
        if (e->i_file != map_get(&names->index, w->string))
            return error_set(err, ERROR_FORMAT, "%s: weight_map: tensor '%s' is in %s, not in %s",
                             path, tensor_file_quote(w->key).text, file->part[e->i_file].path.data,
                             tensor_file_quote(w->string).text);
        seen[e - file->entry] = true;
    }
    for (int64_t i = 0; i < file->n; i++)
        if (!seen[i])
            return error_set(err, ERROR_FORMAT, "%s: tensor '%s' of %s is not in the weight_map",
                             path, tensor_file_quote(file->entry[i].name).text,
                             file->part[file->entry[i].i_file].path.data);
    return true;
}

static bool open_index(SafetensorsFile *file, const char *path, bool use_map, Arena *scratch,
                       Error *err) {
    TensorFile *t = &file->tensors;
    Str text;
    if (!file_read(scratch, path, SAFETENSORS_INDEX_MAX, &text, err)) return false;
    const Json *index = json_parse(scratch, text, SAFETENSORS_INDEX_MAX, err);
    if (!index) return error_wrap(err, "%s", path);
    const Json *weights = json_get(index, "weight_map");
    if (!weights || weights->kind != JSON_OBJECT || !weights->count)
        return error_set(err, ERROR_FORMAT, "%s: weight_map: want an object of file names", path);
    if (!arena_fits(scratch, sizeof(ShardNames) + map_bytes(2 * TENSOR_FILE_PARTS_MAX)))
        return error_set(err, ERROR_LIMIT, "%s: too long for the memory here", path);
    ShardNames *names = arena_new(scratch, ShardNames, 1);
    if (!collect_names(names, weights, scratch, path, err)) return false;
    tensor_file_make_parts(t, names->n);
    for (int i = 0; i < names->n; i++) {
        Str shard = str_printf(scratch, "%s/%s", t->path.data, str_c(scratch, names->name[i]));
        if (!tensor_file_open_part(t, i, shard, use_map, err))
            return error_wrap(err, "%s: weight_map", path);
    }
    return read_shards(file, scratch, err) && check_index(t, weights, names, scratch, path, err);
}

// ---------------------------------------------------------------- opening

static bool open_path(SafetensorsFile *file, bool use_map, Arena *scratch, Error *err) {
    TensorFile *t = &file->tensors;
    Str path = t->path;
    if (file_is_folder(path.data)) {
        path = str_printf(scratch, "%s/model.safetensors", t->path.data);
        Str index = str_printf(scratch, "%s/model.safetensors.index.json", t->path.data);
        if (!file_exists(path.data) && file_exists(index.data))
            return open_index(file, index.data, use_map, scratch, err);
    }
    tensor_file_make_parts(t, 1);
    return tensor_file_open_part(t, 0, path, use_map, err) && read_shards(file, scratch, err);
}

bool safetensors_open(SafetensorsFile *file, const char *path, bool use_map, Error *err) {
    *file = (SafetensorsFile){0};
    Arena scratch = {0};
    bool done = tensor_file_init(&file->tensors, path, err) &&
                arena_init(&scratch, ARENA_DEFAULT, err) && open_path(file, use_map, &scratch, err);
    arena_drop(&scratch);
    if (!done) safetensors_close(file);
    return done;
}

bool safetensors_open_bytes(SafetensorsFile *file, Str bytes, const char *name, Error *err) {
    *file = (SafetensorsFile){0};
    Arena scratch = {0};
    bool done =
        tensor_file_init(&file->tensors, name, err) && arena_init(&scratch, ARENA_DEFAULT, err);
    if (done) {
        tensor_file_make_parts(&file->tensors, 1);
        tensor_file_borrow_part(&file->tensors, 0, bytes);
        done = read_shards(file, &scratch, err);
    }
    arena_drop(&scratch);
    if (!done) safetensors_close(file);
    return done;
}

void safetensors_close(SafetensorsFile *file) {
    tensor_file_close(&file->tensors);
    *file = (SafetensorsFile){0};
}
