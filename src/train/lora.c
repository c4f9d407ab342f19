// lora.c - adapters for every matrix of the layers, as parameters.
#include "train/lora.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "model/adapter.h"

typedef struct Attacher {
    Lora *lora;
    Model *model;
    Arena *arena;
    Rng rng;
    float *next, *next_grad;
    Parameter *parameter; // (2 n)
    int64_t n_values;     // while counting
    bool is_narrow;       // a matrix has fewer rows or columns than the rank
    bool is_other;        // an adapter of a file has another rank
} Attacher;

static void count(void *user, const Weight *w, int layer) {
    Attacher *a = user;
    if (!weight_takes_adapter(w, layer)) return;
    const Adapter *from = w->tensor->adapter;
    int64_t rows = tensor_rows(w->tensor), cols = tensor_cols(w->tensor), rank = a->lora->rank;
    a->is_narrow |= rows < rank || cols < rank;
    a->is_other |= from && tensor_cols(&from->b) != rank;
    a->n_values += (rows + cols) * rank;
    a->lora->n++;
}

// One of an adapter's two matrices: as `from` has it, or normal with that deviation.
static Tensor matrix(Attacher *a, Str name, int64_t rows, int64_t cols, const Tensor *from,
                     double deviation) {
    Tensor t = {DTYPE_F32, 2, {rows, cols}, a->next, a->next_grad};
    int64_t n = rows * cols;
    if (from)
        memcpy(a->next, from->data, sizeof(float) * (size_t)n);
    else
        for (int64_t i = 0; i < n && deviation > 0; i++)
            a->next[i] = (float)(deviation * rng_normal(&a->rng));
    *a->parameter++ = (Parameter){.name = name.data,
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
    if (!weight_takes_adapter(w, layer)) return;
    const Adapter *from = w->tensor->adapter;
    const Arch *arch = a->model->arch;
    int64_t rows = tensor_rows(w->tensor), cols = tensor_cols(w->tensor);
    Adapter *adapter = &lora->adapter[lora->n++];
    adapter->scale = (float)(lora->alpha / lora->rank);
    adapter->a = matrix(a, adapter_part_name(a->arena, arch, w, layer, 'a'), lora->rank, cols,
                        from ? &from->a : NULL, 1 / sqrt((double)cols));
    adapter->b = matrix(a, adapter_part_name(a->arena, arch, w, layer, 'b'), rows, lora->rank,
                        from ? &from->b : NULL, 0);
    w->tensor->adapter = adapter;
}

// Of the weights as the file has them.
static uint64_t sum_of(const TensorFile *file) {
    uint64_t sum = 0;
    for (int64_t i = 0; file && i < file->n; i++)
        sum = hash_bytes(file->entry[i].data, (size_t)file->entry[i].bytes, sum);
    return sum;
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
    if (a.is_other)
        return error_set(err, ERROR_USAGE, "lora: the adapters of the file are not of rank %d",
                         rank);
    if (!arena_fits(arena, 2 * sizeof(float) * (size_t)a.n_values))
        return error_set(err, ERROR_LIMIT, "lora: %lld values of adapters do not fit into memory",
                         (long long)a.n_values);
    int64_t n = lora->n;
    lora->adapter = arena_new(arena, Adapter, n);
    lora->gradients = arena_new(arena, float, a.n_values);
    a.next = arena_new(arena, float, a.n_values);
    a.next_grad = lora->gradients;
    Parameter *list = a.parameter = arena_new(arena, Parameter, 2 * n);
    lora->n = 0;
    weights_each(model, attach, &a);
    weights_bind_views(model);
    lora->parameters = parameters_make(arena, list, 2 * n);
    if (model->tensors) {
        lora->base = model->tensors->path.data;
        lora->base_sum = sum_of(model->tensors);
    }
    return true;
}
