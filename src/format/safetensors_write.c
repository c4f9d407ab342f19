// safetensors_write.c - writing safetensors: one file, or shards of a limited size and their index.
//
// All files are created before the first byte of data, so that a folder that cannot be written is
// found out early, and none appears before all are complete.
#include "format/safetensors.h"

#include <string.h>

#include "base/utf8.h"
#include "format/bytes.h"

enum { DATA_ALIGNMENT = 64 }; // of the data in its file: the header is padded with spaces

typedef struct WriterTensor {
    Str name;
    DType dtype;
    int rank;
    int64_t dim[TENSOR_ENTRY_DTYPE_RANK_MAX];
    int64_t bytes;
    int i_shard;
} WriterTensor;

typedef struct MetadataPair MetadataPair;
struct MetadataPair {
    const char *key;
    Str value;
    MetadataPair *next;
};

struct SafetensorsWriter {
    Arena *arena;
    MetadataPair *metadata, **metadata_end;
    WriterTensor *tensor; // (n)
    int64_t n, room;
    Map by_name;
    FileWriter **out; // (n_shards) NULL before the beginning and after the end
    int n_shards;
    FileWriter *index; // NULL: one file
    int64_t i_tensor;  // the one whose bytes come next
    int64_t bytes_left;
};

SafetensorsWriter *safetensors_writer(Arena *arena) {
    SafetensorsWriter *w = arena_new(arena, SafetensorsWriter, 1);
    w->arena = arena;
    w->metadata_end = &w->metadata;
    w->by_name = map_make(arena, 64);
    return w;
}

void safetensors_set_metadata(SafetensorsWriter *w, Str key, Str value) {
    require(!w->out && !memchr(key.data, 0, key.n));
    MetadataPair *pair = arena_new(w->arena, MetadataPair, 1);
    *pair = (MetadataPair){.key = str_c(w->arena, key), .value = str_copy(w->arena, value)};
    *w->metadata_end = pair;
    w->metadata_end = &pair->next;
}

// ---------------------------------------------------------------- tensors

static bool is_writable_name(Str name) {
    return utf8_valid(name) && !(name.n && memchr(name.data, 0, name.n)) &&
           !str_equal(name, STR("__metadata__"));
}

bool safetensors_add(SafetensorsWriter *w, Str name, DType dtype, int rank, const int64_t *dim,
                     Error *err) {
    require(!w->out && rank >= 0 && rank <= TENSOR_ENTRY_DTYPE_RANK_MAX);
    QuotedName quoted = tensor_file_quote(name);
    const char *reason;
    if (dtype != DTYPE_F32 && dtype != DTYPE_F16 && dtype != DTYPE_BF16)
        return error_set(err, ERROR_UNSUPPORTED, "tensor '%s': safetensors has no type %s",
                         quoted.text, dtype_name(dtype));
    if (!is_writable_name(name))
        return error_set(err, ERROR_UNSUPPORTED, "tensor '%s': no name for safetensors",
                         quoted.text);
    TensorEntry e = {.rank = rank};
    for (int i = 0; i < rank; i++) {
        require(dim[i] >= 0);
        e.dim[i] = dim[i];
    }
    TensorLayout layout = {1, 8 * (int64_t)dtype_block_bytes(dtype)};
    if (!tensor_entry_measure(&e, layout, &reason))
        return error_set(err, ERROR_UNSUPPORTED, "tensor '%s': %s", quoted.text, reason);
    if (w->n == TENSOR_FILE_ENTRIES_MAX)
        return error_set(err, ERROR_LIMIT, "more than %d tensors", TENSOR_FILE_ENTRIES_MAX);
    name = str_copy(w->arena, name);
    if (!map_add(&w->by_name, name, w->n))
        return error_set(err, ERROR_UNSUPPORTED, "tensor '%s': the name is there twice",
                         quoted.text);
    if (w->n == w->room) {
        w->room = w->room ? w->room * 2 : 64;
        WriterTensor *larger = arena_new(w->arena, WriterTensor, w->room);
        if (w->n) memcpy(larger, w->tensor, (size_t)w->n * sizeof *larger);
        w->tensor = larger;
    }
    WriterTensor *t = &w->tensor[w->n++];
    *t = (WriterTensor){.name = name, .dtype = dtype, .rank = rank, .bytes = e.bytes};
    memcpy(t->dim, e.dim, sizeof t->dim);
    return true;
}

// Gives each tensor its shard; returns how many there are, at least one.
static int assign_shards(SafetensorsWriter *w, int64_t shard_bytes) {
    int64_t filled = 0;
    int shard = 0;
    for (int64_t i = 0; i < w->n; i++) {
        WriterTensor *t = &w->tensor[i];
        if (filled && t->bytes > shard_bytes - filled) {
            filled = 0;
            shard++;
        }
        filled += t->bytes;
        t->i_shard = shard;
    }
    return shard + 1;
}

// ---------------------------------------------------------------- headers

static void put_tensor(JsonWriter *json, Arena *arena, const WriterTensor *t, int64_t begin) {
    json_key(json, str_c(arena, t->name));
    json_begin_object(json);
    json_key(json, "dtype");
    json_put_string(json, str_from(dtype_name(t->dtype)));
    json_key(json, "shape");
    json_begin_array(json);
    for (int d = 0; d < t->rank; d++) json_put_integer(json, t->dim[d]);
    json_end_array(json);
    json_key(json, "data_offsets");
    json_begin_array(json);
    json_put_integer(json, begin);
    json_put_integer(json, begin + t->bytes);
    json_end_array(json);
    json_end_object(json);
}

// Writes the length and the JSON of shard `i_shard`, up to where its data begins.
static bool write_header(SafetensorsWriter *w, int i_shard, const char *path, Error *err) {
    ArenaMark mark = arena_mark(w->arena);
    StrBuilder text = str_builder(w->arena);
    JsonWriter json = json_writer(&text, 0);
    json_begin_object(&json);
    if (w->metadata) {
        json_key(&json, "__metadata__");
        json_begin_object(&json);
        for (const MetadataPair *p = w->metadata; p; p = p->next) {
            json_key(&json, p->key);
            json_put_string(&json, p->value);
        }
        json_end_object(&json);
    }
    int64_t begin = 0;
    for (int64_t i = 0; i < w->n; i++) {
        if (w->tensor[i].i_shard != i_shard) continue;
        put_tensor(&json, w->arena, &w->tensor[i], begin);
        begin += w->tensor[i].bytes;
    }
    json_end_object(&json);
    while ((8 + text.n) % DATA_ALIGNMENT) str_add_byte(&text, ' ');
    char length[8];
    bytes_store(length, text.n, 8);
    file_write(w->out[i_shard], length, sizeof length);
    file_write(w->out[i_shard], text.data, text.n);
    bool fits = text.n <= SAFETENSORS_HEADER_MAX;
    arena_back(w->arena, mark);
    if (!fits)
        return error_set(err, ERROR_LIMIT, "%s: the header is longer than %d bytes", path,
                         SAFETENSORS_HEADER_MAX);
    return true;
}

static Str shard_name(const SafetensorsWriter *w, int i) {
    return str_printf(w->arena, "model-%05d-of-%05d.safetensors", i + 1, w->n_shards);
}

static void write_index(SafetensorsWriter *w) {
    int64_t total = 0;
    for (int64_t i = 0; i < w->n; i++) total += w->tensor[i].bytes;
    ArenaMark mark = arena_mark(w->arena);
    StrBuilder text = str_builder(w->arena);
    JsonWriter json = json_writer(&text, 2);
    json_begin_object(&json);
    json_key(&json, "metadata");
    json_begin_object(&json);
    json_key(&json, "total_size");
    json_put_integer(&json, total);
    json_end_object(&json);
    json_key(&json, "weight_map");
    json_begin_object(&json);
    for (int64_t i = 0; i < w->n; i++) {
        json_key(&json, str_c(w->arena, w->tensor[i].name));
        json_put_string(&json, shard_name(w, w->tensor[i].i_shard));
    }
    json_end_object(&json);
    json_end_object(&json);
    str_add_byte(&text, '\n');
    file_write(w->index, text.data, text.n);
    arena_back(w->arena, mark);
}

// ---------------------------------------------------------------- the files

// Goes to the next tensor that has bytes.
static void next_tensor(SafetensorsWriter *w) {
    while (w->i_tensor < w->n && !w->tensor[w->i_tensor].bytes) w->i_tensor++;
    w->bytes_left = w->i_tensor < w->n ? w->tensor[w->i_tensor].bytes : 0;
}

// Creates the files of a plan: `paths` has one for each shard.
static bool begin_files(SafetensorsWriter *w, int n_shards, const char *const *paths, Error *err) {
    w->n_shards = n_shards;
    w->out = arena_new(w->arena, FileWriter *, n_shards);
    for (int i = 0; i < n_shards; i++) {
        w->out[i] = file_create(paths[i], err);
        if (w->out[i] && write_header(w, i, paths[i], err)) continue;
        safetensors_discard(w);
        return false;
    }
    w->i_tensor = 0;
    next_tensor(w);
    return true;
}

bool safetensors_begin(SafetensorsWriter *w, const char *path, Error *err) {
    require(!w->out);
    assign_shards(w, INT64_MAX);
    return begin_files(w, 1, &path, err);
}

bool safetensors_begin_folder(SafetensorsWriter *w, const char *folder, int64_t shard_bytes,
                              Error *err) {
    require(!w->out && shard_bytes >= 1);
    if (!file_make_folder(folder, err)) return false;
    const char *single = str_printf(w->arena, "%s/model.safetensors", folder).data;
    const char *index = str_printf(w->arena, "%s/model.safetensors.index.json", folder).data;
    int n = assign_shards(w, shard_bytes);
    const char *other = n == 1 ? index : single;
    if (file_exists(other))
        return error_set(err, ERROR_USAGE, "%s is there: a folder holds one model", other);
    if (n == 1) return begin_files(w, 1, &single, err);
    if (n > TENSOR_FILE_PARTS_MAX)
        return error_set(err, ERROR_LIMIT, "%s: %d files of %lld bytes, at most %d", folder, n,
                         (long long)shard_bytes, TENSOR_FILE_PARTS_MAX);
    w->n_shards = n;
    const char **paths = arena_new(w->arena, const char *, n);
    for (int i = 0; i < n; i++)
        paths[i] = str_printf(w->arena, "%s/%s", folder, shard_name(w, i).data).data;
    if (!begin_files(w, n, paths, err)) return false;
    w->index = file_create(index, err);
    if (w->index) {
        write_index(w);
        return true;
    }
    safetensors_discard(w);
    return false;
}

void safetensors_write(SafetensorsWriter *w, const void *data, size_t n) {
    if (!n) return;
    require(w->out && w->i_tensor < w->n && n <= (size_t)w->bytes_left);
    file_write(w->out[w->tensor[w->i_tensor].i_shard], data, n);
    w->bytes_left -= (int64_t)n;
    if (w->bytes_left) return;
    w->i_tensor++;
    next_tensor(w);
}

bool safetensors_commit(SafetensorsWriter *w, Error *err) {
    require(w->out && w->i_tensor == w->n);
    bool done = true;
    for (int i = 0; done && i < w->n_shards; i++) {
        FileWriter *out = w->out[i];
        w->out[i] = NULL;
        done = file_commit(out, err);
    }
    if (done && w->index) {
        FileWriter *index = w->index;
        w->index = NULL;
        done = file_commit(index, err);
    }
    safetensors_discard(w); // what a failure has left over
    return done;
}

void safetensors_discard(SafetensorsWriter *w) {
    if (!w || !w->out) return;
    for (int i = 0; i < w->n_shards; i++) file_discard(w->out[i]);
    file_discard(w->index);
    w->out = NULL;
    w->index = NULL;
}
