// adapter.c - a model's adapters as a GGUF file of their own (model/adapter.h).
#include "model/adapter.h"
#include "export/export.h"

typedef struct AdapterExport {
    Model *model;
    GgufWriter *writer;
    Arena *arena;
    double alpha;
    int64_t n;
    bool failed;
    Error *err;
} AdapterExport;

static void declare(void *user, const Weight *w, int layer) {
    AdapterExport *e = user;
    const Adapter *adapter = w->tensor->adapter;
    if (!adapter || e->failed) return;
    const Tensor *part[] = {&adapter->a, &adapter->b};
    for (int i = 0; i < 2 && !e->failed; i++) {
        Str name = adapter_part_name(e->arena, e->model->arch, w, layer, "ab"[i]);
        e->failed = !gguf_add_tensor(e->writer, name, DTYPE_F32, 2, part[i]->dim, e->err);
    }
    // All have one alpha, whatever their ranks.
    e->alpha = (double)adapter->scale * (double)tensor_cols(&adapter->b);
    e->n++;
}

static void write_values(void *user, const Weight *w, int layer) {
    AdapterExport *e = user;
    const Adapter *adapter = w->tensor->adapter;
    (void)layer;
    if (!adapter) return;
    gguf_write(e->writer, adapter->a.data, tensor_bytes(&adapter->a));
    int64_t rows = tensor_rows(&adapter->b);
    ArenaMark mark = arena_mark(e->arena);
    int64_t *at = arena_new(e->arena, int64_t, rows); // of the file's rows in the model's
    for (int64_t i = 0; i < rows; i++) at[adapter_file_row(e->model, w, i)] = i;
    for (int64_t i = 0; i < rows; i++)
        gguf_write(e->writer, tensor_row(&adapter->b, at[i]), tensor_row_bytes(&adapter->b));
    arena_back(e->arena, mark);
}

static bool save(AdapterExport *e, const char *path, const ExportExtra *extra) {
    GgufWriter *w = e->writer;
    weights_each(e->model, declare, e);
    if (e->failed) return false;
    if (e->n == 0) return error_set(e->err, ERROR_USAGE, "%.300s: the model has no adapters", path);
    gguf_set_string(w, "general.type", STR("adapter"));
    gguf_set_string(w, "general.architecture", str_from(e->model->arch->name));
    gguf_set_string(w, "general.name", e->model->name);
    gguf_set_string(w, "adapter.type", STR("lora"));
    gguf_set_number(w, "adapter.lora.alpha", GGUF_F32, e->alpha);
    if (extra) extra->put_keys(extra->user, w);
    for (int i = 0; extra && i < extra->n; i++)
        if (!gguf_add_tensor(w, str_from(extra->tensor[i].name), DTYPE_F32, 1, &extra->tensor[i].n,
                             e->err))
            return false;
    if (!gguf_begin(w, path, e->err)) return false;
    weights_each(e->model, write_values, e);
    for (int i = 0; extra && i < extra->n; i++)
        gguf_write(w, extra->tensor[i].values, sizeof(float) * (size_t)extra->tensor[i].n);
    return gguf_commit(w, e->err);
}

bool model_save_adapter(const Model *model, const char *path, const ExportExtra *extra,
                        Error *err) {
    Arena arena;
    if (!arena_init(&arena, ARENA_DEFAULT, err)) return false;
    // The list takes a model that could be changed; an export changes nothing.
    AdapterExport e = {.model = (Model *)(uintptr_t)model,
                       .writer = gguf_writer(&arena),
                       .arena = &arena,
                       .err = err};
    bool ok = save(&e, path, extra);
    arena_drop(&arena);
    return ok;
}
