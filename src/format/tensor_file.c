// tensor_file.c - the table of tensors that both containers fill, and the one function that
// computes the size of a tensor from numbers in a file.
#include "format/tensor_file.h"

#include <string.h>

#include "quant/panels.h"

bool tensor_file_init(TensorFile *file, const char *path, Error *err) {
    *file = (TensorFile){0};
    if (!arena_init(&file->arena, ARENA_DEFAULT, err)) return error_wrap(err, "%s", path);
    file->path = str_copy(&file->arena, str_from(path));
    return true;
}

void tensor_file_make_parts(TensorFile *file, int n) {
    require(n >= 1 && n <= TENSOR_FILE_PARTS_MAX);
    file->part = arena_new(&file->arena, TensorFilePart, n);
    file->n_parts = n;
    for (int i = 0; i < n; i++) {
        file->part[i].path = file->path;
        file->part[i].is_borrowed = true;
    }
}

bool tensor_file_open_part(TensorFile *file, int i, Str path, bool use_map, Error *err) {
    TensorFilePart *part = &file->part[i];
    part->path = str_copy(&file->arena, path);
    if (!file_view(&part->view, part->path.data, use_map, err)) return false;
    part->is_borrowed = false;
    return true;
}

void tensor_file_borrow_part(TensorFile *file, int i, Str bytes) {
    file->part[i].view = (FileView){.data = bytes.data, .n = bytes.n, .guard = -1};
}

bool tensor_file_reserve(TensorFile *file, int64_t n, Error *err) {
    require(n >= 0 && n <= TENSOR_FILE_ENTRIES_MAX && !file->entry);
    if (!arena_fits(&file->arena, sizeof(TensorEntry) * (size_t)n + map_bytes(n)))
        return error_set(err, ERROR_LIMIT, "%s: %lld tensors are too many for the memory here",
                         file->path.data, (long long)n);
    file->entry = arena_new(&file->arena, TensorEntry, n ? n : 1);
    file->by_name = map_make(&file->arena, n);
    return true;
}

bool tensor_file_add(TensorFile *file, const TensorEntry *entry, Error *err) {
    TensorEntry *e = &file->entry[file->n];
    *e = *entry;
    if (!map_add(&file->by_name, e->name, file->n))
        return error_set(err, ERROR_FORMAT, "%s: tensor '%s': the name is there twice",
                         file->part[e->i_file].path.data, tensor_file_quote(e->name).text);
    file->n++;
    return true;
}

const TensorEntry *tensor_file_find(const TensorFile *file, Str name) {
    if (!file->entry) return NULL;
    int64_t i = map_get(&file->by_name, name);
    return i < 0 ? NULL : &file->entry[i];
}

bool tensor_file_dtype(const TensorFile *file, const TensorEntry *entry, DType *dtype, Error *err) {
    const char *path = file->part[entry->i_file].path.data;
    if (!entry->has_dtype)
        return error_set(err, ERROR_UNSUPPORTED, "%s: tensor '%s': type %s is not supported", path,
                         tensor_file_quote(entry->name).text, entry->type_name);
    if (entry->rank > TENSOR_ENTRY_DTYPE_RANK_MAX)
        return error_set(err, ERROR_UNSUPPORTED, "%s: tensor '%s': %d dimensions, at most %d", path,
                         tensor_file_quote(entry->name).text, entry->rank,
                         TENSOR_ENTRY_DTYPE_RANK_MAX);
    *dtype = entry->dtype;
    return true;
}

bool tensor_file_intact(const TensorFile *file, Error *err) {
    for (int i = 0; i < file->n_parts; i++) {
        const TensorFilePart *part = &file->part[i];
        if (!part->is_borrowed && !file_intact(&part->view, part->path.data, err)) return false;
    }
    return true;
}

void tensor_file_forget(const TensorFile *file, const void *bytes, size_t n) {
    uintptr_t at = (uintptr_t)bytes;
    for (int i = 0; i < file->n_parts; i++) {
        const FileView *view = &file->part[i].view;
        uintptr_t begin = (uintptr_t)view->data;
        if (at >= begin && at - begin < view->n) file_forget(view, at - begin, n);
    }
}

// The sum cannot overflow: the readers make sure that tensors do not share bytes.
int64_t tensor_file_bytes(const TensorFile *file) {
    int64_t sum = 0;
    for (int64_t i = 0; i < file->n; i++) sum += file->entry[i].bytes;
    return sum;
}

void tensor_file_close(TensorFile *file) {
    for (int i = 0; i < file->n_parts; i++)
        if (!file->part[i].is_borrowed) file_release(&file->part[i].view);
    arena_drop(&file->arena);
    *file = (TensorFile){0};
}

// The product of two numbers >= 0, if it fits.
static bool multiply(int64_t *a, int64_t b) {
    if (b && *a > INT64_MAX / b) return false;
    *a *= b;
    return true;
}

bool tensor_entry_measure(TensorEntry *entry, TensorLayout layout, const char **reason) {
    int64_t n = 1;
    if (layout.in_panels && entry->rank != 2) {
        *reason = "only a matrix has panels";
        return false;
    }
    for (int i = 0; i < entry->rank; i++) {
        bool is_padded = layout.in_panels && i == 0 && entry->dim[0] <= INT64_MAX - PANEL_ROWS;
        if (!multiply(&n, is_padded ? panel_count(entry->dim[0]) * PANEL_ROWS : entry->dim[i])) {
            *reason = "the product of the dimensions is past 2^63";
            return false;
        }
    }
    int64_t last = entry->rank ? entry->dim[entry->rank - 1] : 1;
    if (last % layout.block_values) {
        *reason = "a row is no whole number of blocks";
        return false;
    }
    int64_t size = n / layout.block_values;
    // Blocks of whole bytes are measured in bytes, so that the range does not shrink by eight.
    bool whole = layout.block_bits % 8 == 0;
    if (!multiply(&size, whole ? layout.block_bits / 8 : layout.block_bits)) {
        *reason = "the size in bytes is past 2^63";
        return false;
    }
    if (!whole && size % 8) {
        *reason = "the values fill no whole number of bytes";
        return false;
    }
    entry->bytes = whole ? size : size / 8;
    return true;
}

QuotedName tensor_file_quote(Str name) {
    QuotedName quoted;
    const size_t room = sizeof quoted.text - 4;
    size_t n = name.n < room ? name.n : room;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)name.data[i];
        quoted.text[i] = c >= 0x20 && c < 0x7f ? (char)c : '?';
    }
    memcpy(quoted.text + n, name.n > room ? "..." : "", name.n > room ? 4 : 1);
    return quoted;
}
