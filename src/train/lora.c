// lora.c - adapters for every matrix of the layers, as parameters and as a file.
#include "train/lora.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "model/weights.h"

// Matrices that are no factors of a product of rows.
static const char *const others[] = {"ssm_conv1d.weight", "ssm_a", "rnn_hidden.weight"};

static bool is_adapted(const Weight *w, int layer) {
    if (layer < 0 || w->tensor->rank != 2) return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(w->gguf, others[i]) == 0) return false;
    return true;
}

typedef struct Attacher {
    Lora *lora;
    Model *model;
    Arena *arena;
    Rng rng;
    float *next, *next_grad;
    Parameter *parameter; // (2 n)
    int64_t n_values;     // while counting
    bool is_narrow;       // a matrix has fewer rows or columns than the rank
} Attacher;

static void count(void *user, const Weight *w, int layer) {
    Attacher *a = user;
    if (!is_adapted(w, layer)) return;
    int64_t rows = tensor_rows(w->tensor), cols = tensor_cols(w->tensor);
    a->is_narrow |= rows < a->lora->rank || cols < a->lora->rank;
    a->n_values += (rows + cols) * a->lora->rank;
    a->lora->n++;
}

static Tensor matrix(Attacher *a, const char *name, const char *suffix, int64_t rows, int64_t cols,
                     double deviation) {
    Tensor t = {DTYPE_F32, 2, {rows, cols}, a->next, a->next_grad};
    int64_t n = rows * cols;
    for (int64_t i = 0; i < n && deviation > 0; i++)
        a->next[i] = (float)(deviation * rng_normal(&a->rng));
    *a->parameter++ = (Parameter){.name = str_printf(a->arena, "%s.%s", name, suffix).data,
                                  .value = a->next,
                                  .grad = a->next_grad,
                                  .rows = rows,
                                  .cols = cols,
                                  .rule = RULE_ADAMW,
                                  .is_decayed = true};
    a->next += n;
    a->next_grad += n;
    return t;
}

static void attach(void *user, const Weight *w, int layer) {
    Attacher *a = user;
    Lora *lora = a->lora;
    if (!is_adapted(w, layer)) return;
    char buffer[WEIGHT_NAME_MAX];
    weight_name(a->model->arch, w, layer, false, buffer);
    const char *name = str_c(a->arena, str_from(buffer));
    int64_t rows = tensor_rows(w->tensor), cols = tensor_cols(w->tensor);
    Adapter *adapter = &lora->adapter[lora->n];
    adapter->scale = (float)(lora->alpha / lora->rank);
    adapter->a = matrix(a, name, "lora_a", lora->rank, cols, 1 / sqrt((double)cols));
    adapter->b = matrix(a, name, "lora_b", rows, lora->rank, 0);
    lora->name[lora->n++] = name;
    w->tensor->adapter = adapter;
}

bool lora_attach(Lora *lora, Model *model, Arena *arena, int rank, double alpha, uint64_t seed,
                 Error *err) {
    *lora = (Lora){.rank = rank, .alpha = alpha};
    Attacher a = {.lora = lora, .model = model, .arena = arena, .rng = rng_seed(seed)};
    weights_each(model, count, &a);
    if (lora->n == 0)
        return error_set(err, ERROR_USAGE, "lora: the model has no matrices in layers");
    if (a.is_narrow)
        return error_set(err, ERROR_USAGE, "lora: a matrix of the model is narrower than %d", rank);
    int64_t n = lora->n;
    lora->adapter = arena_new(arena, Adapter, n);
    lora->name = arena_new(arena, const char *, n);
    lora->gradients = arena_new(arena, float, a.n_values);
    a.next = arena_new(arena, float, a.n_values);
    a.next_grad = lora->gradients;
    Parameter *list = a.parameter = arena_new(arena, Parameter, 2 * n);
    lora->n = 0;
    weights_each(model, attach, &a);
    weights_bind_views(model);
    lora->parameters = parameters_make(arena, list, 2 * n);
    return true;
}

// ---------------------------------------------------------------- files
static bool declare(const Lora *lora, GgufWriter *w, Error *err) {
    const Parameters *p = &lora->parameters;
    for (int64_t i = 0; i < p->n; i++) {
        int64_t dim[] = {p->list[i].rows, p->list[i].cols};
        if (!gguf_add_tensor(w, str_from(p->list[i].name), DTYPE_F32, 2, dim, err)) return false;
    }
    return true;
}

static bool save(const Lora *lora, const Model *model, GgufWriter *w, const char *path,
                 const ExportExtra *extra, Error *err) {
    const Parameters *p = &lora->parameters;
    gguf_set_string(w, "general.type", STR("adapter"));
    gguf_set_string(w, "general.architecture", str_from(model->arch->name));
    gguf_set_string(w, "general.name", model->name);
    gguf_set_string(w, "adapter.type", STR("lora"));
    gguf_set_number(w, "adapter.lora.alpha", GGUF_F32, lora->alpha);
    if (extra) extra->put_keys(extra->user, w);
    if (!declare(lora, w, err)) return false;
    for (int i = 0; extra && i < extra->n; i++)
        if (!gguf_add_tensor(w, str_from(extra->tensor[i].name), DTYPE_F32, 1, &extra->tensor[i].n,
                             err))
            return false;
    if (!gguf_begin(w, path, err)) return false;
    for (int64_t i = 0; i < p->n; i++)
        gguf_write(w, p->list[i].value, sizeof(float) * (size_t)parameter_count(&p->list[i]));
    for (int i = 0; extra && i < extra->n; i++)
        gguf_write(w, extra->tensor[i].values, sizeof(float) * (size_t)extra->tensor[i].n);
    return gguf_commit(w, err);
}

bool lora_save(const Lora *lora, const Model *model, const char *path, const ExportExtra *extra,
               Error *err) {
    Arena arena;
    if (!arena_init(&arena, 64 << 20, err)) return false;
    bool ok = save(lora, model, gguf_writer(&arena), path, extra, err);
    arena_drop(&arena);
    return ok;
}

bool lora_load(Lora *lora, const GgufFile *file, Error *err) {
    const Parameters *p = &lora->parameters;
    for (int64_t i = 0; i < p->n; i++) {
        const Parameter *one = &p->list[i];
        const TensorEntry *entry = tensor_file_find(&file->tensors, str_from(one->name));
        int64_t bytes = parameter_count(one) * (int64_t)sizeof *one->value;
        if (!entry || entry->bytes != bytes)
            return error_set(err, ERROR_FORMAT, "%s: tensor %s is missing or of another shape",
                             file->tensors.path.data, one->name);
        memcpy(one->value, entry->data, (size_t)bytes);
    }
    return true;
}
