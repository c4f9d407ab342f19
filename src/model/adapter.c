// adapter.c - an adapter file laid beside the weights of its model.
#include "model/adapter.h"

#include <string.h>

#include "quant/quant.h"

// Matrices of layers that are no factors of a product of rows; experts would need one each.
static const char *const others[] = {"ssm_conv1d.weight", "ssm_a", "rnn_hidden.weight"};

bool weight_takes_adapter(const Weight *w, int layer) {
    if (layer < 0 || w->tensor->rank != 2 || w->form == FORM_EXPERTS) return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(w->gguf, others[i]) == 0) return false;
    return true;
}

Str adapter_part_name(Arena *arena, const Arch *arch, const Weight *w, int layer, char part) {
    char name[WEIGHT_NAME_MAX];
    return str_printf(arena, "%s.lora_%c", weight_name(arch, w, layer, false, name), part);
}

int64_t adapter_file_row(const Model *m, const Weight *w, int64_t row) {
    if (w->form != FORM_ROTARY || m->config.rotary.pairing == PAIR_NEIGHBOURS) return row;
    return rotary_row(row, m->config.head_width, true);
}

// ---------------------------------------------------------------- reading
typedef struct Reader {
    Model *model;
    const GgufFile *file;
    double alpha; // 0: what is added is not scaled
    Arena names;
    Map used; // tensors of the file that a weight asked for
    int64_t n;
    bool failed;
    Error *err;
} Reader;

static bool refuse(Reader *r, ErrorKind kind, Str name, const char *reason) {
    r->failed = true;
    return error_set(r->err, kind, "%s: tensor %s %s", r->file->tensors.path.data,
                     tensor_file_quote(name).text, reason);
}

// A part as f32 in the model's memory; its rank has to fit the other part's.
static bool read_part(Reader *r, const TensorEntry *entry, int64_t rows, int64_t cols, Tensor *t) {
    DType dtype;
    Arena *arena = &r->model->arena;
    if (!tensor_file_dtype(&r->file->tensors, entry, &dtype, r->err)) {
        r->failed = true;
        return false;
    }
    if (entry->rank != 2 || entry->dim[0] != rows || entry->dim[1] != cols || entry->in_panels)
        return refuse(r, ERROR_FORMAT, entry->name, "does not fit the model's weight");
    size_t bytes = sizeof(float) * (size_t)(rows * cols);
    if (!arena_fits(arena, bytes)) return refuse(r, ERROR_LIMIT, entry->name, "is too large");
    *t = (Tensor){.dtype = DTYPE_F32, .rank = 2, .dim = {rows, cols}};
    t->data = arena_push_aligned(arena, bytes, 64);
    quant_decode(dtype, entry->data, t->data, rows * cols);
    return true;
}

// The rows of b from the file's places to the model's.
static void place_rows(Reader *r, const Weight *w, Tensor *b) {
    int64_t rows = tensor_rows(b), cols = tensor_cols(b);
    ArenaMark mark = arena_mark(&r->names);
    if (adapter_file_row(r->model, w, 1) == 1) return; // the second row is the first that moves
    size_t bytes = sizeof(float) * (size_t)(rows * cols);
    float *file = arena_push(&r->names, bytes);
    memcpy(file, b->data, bytes);
    for (int64_t i = 0; i < rows; i++)
        memcpy(tensor_f32(b) + i * cols, file + adapter_file_row(r->model, w, i) * cols,
               sizeof(float) * (size_t)cols);
    arena_back(&r->names, mark);
}

static void read_adapter(void *user, const Weight *w, int layer) {
    Reader *r = user;
    if (r->failed || !weight_takes_adapter(w, layer)) return;
    Str name[2];
    const TensorEntry *part[2];
    for (int i = 0; i < 2; i++) {
        name[i] = adapter_part_name(&r->names, r->model->arch, w, layer, "ab"[i]);
        part[i] = tensor_file_find(&r->file->tensors, name[i]);
        if (part[i]) map_add(&r->used, part[i]->name, 1);
    }
    if (!part[0] && !part[1]) return;
    if (!part[0] || !part[1]) {
        refuse(r, ERROR_FORMAT, name[part[0] != NULL], "is missing");
        return;
    }
    int64_t rank = part[0]->dim[0];
    Adapter *adapter = arena_new(&r->model->arena, Adapter, 1);
    if (!read_part(r, part[0], rank, tensor_cols(w->tensor), &adapter->a) ||
        !read_part(r, part[1], tensor_rows(w->tensor), rank, &adapter->b))
        return;
    place_rows(r, w, &adapter->b);
    adapter->scale = r->alpha > 0 ? (float)(r->alpha / (double)rank) : 1;
    w->tensor->adapter = adapter;
    r->n++;
}

static bool check_head(Reader *r) {
    const GgufFile *f = r->file;
    const char *path = f->tensors.path.data;
    Str kind = {0}, type = {0}, arch = {0};
    if (!gguf_try_string(f, "general.type", &kind, r->err) ||
        !gguf_try_string(f, "adapter.type", &type, r->err) ||
        !gguf_get_string(f, "general.architecture", &arch, r->err) ||
        !gguf_try_number(f, "adapter.lora.alpha", 0, 1e9, &r->alpha, r->err))
        return false;
    if (!str_equal(kind, STR("adapter")))
        return error_set(r->err, ERROR_FORMAT, "%s: general.type: is no adapter", path);
    if (!str_equal(type, STR("lora")))
        return error_set(r->err, ERROR_UNSUPPORTED, "%s: adapter.type: only lora is supported",
                         path);
    if (!str_equal(arch, str_from(r->model->arch->name)))
        return error_set(r->err, ERROR_FORMAT, "%s: an adapter of a %s model, but this one is %s",
                         path, tensor_file_quote(arch).text, r->model->arch->name);
    return true;
}

static bool refuse_strangers(Reader *r) {
    const TensorFile *file = &r->file->tensors;
    for (int64_t i = 0; i < file->n; i++) {
        Str name = file->entry[i].name;
        if (map_get(&r->used, name) >= 0 || str_starts(name, STR("train."))) continue;
        return refuse(r, ERROR_UNSUPPORTED, name, "belongs to no weight that can have an adapter");
    }
    if (r->n) return true;
    return error_set(r->err, ERROR_FORMAT, "%s has no tensors", file->path.data);
}

static void take_away(void *user, const Weight *w, int layer) {
    (void)user, (void)layer;
    w->tensor->adapter = NULL;
}

bool model_adapt_from(Model *model, const GgufFile *file, Error *err) {
    Reader r = {.model = model, .file = file, .err = err};
    if (!arena_init(&r.names, ARENA_DEFAULT, err)) return false;
    r.used = map_make(&r.names, file->tensors.n);
    bool ok = check_head(&r);
    if (ok) weights_each(model, read_adapter, &r);
    ok = ok && !r.failed && refuse_strangers(&r) && tensor_file_intact(&file->tensors, err);
    if (!ok) weights_each(model, take_away, NULL); // all of a file, or nothing
    weights_bind_views(model);
    arena_drop(&r.names);
    return ok;
}

bool model_adapt(Model *model, const char *path, Error *err) {
    GgufFile file = {0};
    if (!gguf_open(&file, path, true, err)) return false;
    bool ok = model_adapt_from(model, &file, err);
    gguf_close(&file);
    return ok;
}
