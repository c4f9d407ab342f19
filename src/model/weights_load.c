// weights_load.c - binding a model's weights to the tensors of a file.
//
// Matrices are used where they lie, in the type they have.  Vectors are computed with in f32, and
// a few matrices of Hugging Face files are kept in another form there: these are copied.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/weights.h"
#include "quant/quant.h"

typedef struct Loader {
    Model *model;
    Map used; // names of the file that the list asked for
    bool failed;
    Error *err;
} Loader;

// The form in which this file keeps a weight.  Rotary pairs are run as they are.
static Form form_in_file(const Loader *load, const Weight *w) {
    bool is_hf = load->model->is_hf;
    if (w->form == FORM_LOG) return is_hf ? FORM_SAME : FORM_LOG;
    return is_hf && w->form != FORM_ROTARY ? w->form : FORM_SAME;
}

// The shape that the config wants a weight to have in the file; returns its rank.
static int wanted_shape(const Loader *load, const Weight *w, int64_t dim[3]) {
    Form form = form_in_file(load, w);
    dim[0] = w->dim[form == FORM_TRANSPOSED];
    dim[1] = w->dim[form != FORM_TRANSPOSED];
    if (form == FORM_ROW) {
        dim[1] = dim[0];
        dim[0] = 1;
        return 2;
    }
    bool is_mixture = w->form == FORM_EXPERTS && !load->model->is_hf;
    if (form != FORM_FILTERS && !is_mixture) return w->dim[1] ? 2 : 1;
    dim[2] = dim[1];
    dim[1] = is_mixture ? w->dim[0] / w->parts : 1;
    dim[0] /= dim[1];
    return 3;
}

static const char *shape_text(char text[128], const int64_t *dim, int rank) {
    int n = 0;
    for (int i = 0; i < rank && n < 128; i++)
        n += snprintf(text + n, 128 - (size_t)n, "%s%lld", i ? ", " : "", (long long)dim[i]);
    return rank ? text : "";
}

static bool check_shape(Loader *load, const TensorEntry *entry, const Weight *w) {
    int64_t dim[3];
    char have[128], want[128];
    int rank = wanted_shape(load, w, dim);
    bool is_same = entry->rank == rank;
    for (int i = 0; is_same && i < rank; i++) is_same = entry->dim[i] == dim[i];
    if (is_same) return true;
    return error_set(load->err, ERROR_FORMAT, "%s: tensor %s has shape (%s), the config wants (%s)",
                     load->model->tensors->path.data, tensor_file_quote(entry->name).text,
                     shape_text(have, entry->dim, entry->rank), shape_text(want, dim, rank));
}

// Copies live in the model's arena, whose end is not to be met: a file may be larger.
static bool check_room(Loader *load, const TensorEntry *entry, size_t bytes) {
    const Arena *arena = &load->model->arena;
    if (bytes < (arena->reserved - arena->used) / 2) return true; // turning it takes two copies
    return error_set(load->err, ERROR_LIMIT, "%s: tensor %s: too large to be kept in another form",
                     load->model->tensors->path.data, tensor_file_quote(entry->name).text);
}

static void transpose(const float *from, float *to, int64_t rows, int64_t cols) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) to[r * cols + c] = from[c * rows + r];
}

// A copy in f32, in heed's form.
static float *decoded(Loader *load, const TensorEntry *entry, const Weight *w) {
    Arena *arena = &load->model->arena;
    int64_t n = w->dim[0] * (w->dim[1] ? w->dim[1] : 1);
    size_t bytes = sizeof(float) * (size_t)n;
    float *out = arena_push_aligned(arena, bytes, 64);
    Form form = form_in_file(load, w);
    if (form == FORM_TRANSPOSED) {
        ArenaMark mark = arena_mark(arena);
        float *raw = arena_push_aligned(arena, bytes, 64);
        quant_decode(entry->dtype, entry->data, raw, n);
        transpose(raw, out, w->dim[0], w->dim[1]);
        arena_back(arena, mark);
        return out;
    }
    quant_decode(entry->dtype, entry->data, out, n);
    for (int64_t i = 0; i < n && form == FORM_ONE_PLUS; i++) out[i] += 1;
    for (int64_t i = 0; i < n && form == FORM_LOG; i++) out[i] = logf(-out[i]);
    return out;
}

// Only what is below 0 makes a state fade.
static bool check_logarithms(Loader *load, const TensorEntry *entry, const Weight *w) {
    int64_t n = form_in_file(load, w) == FORM_LOG ? tensor_count(w->tensor) : 0;
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(tensor_f32(w->tensor)[i]))
            return error_set(load->err, ERROR_FORMAT, "%s: tensor %s must be below 0",
                             load->model->tensors->path.data, tensor_file_quote(entry->name).text);
    return true;
}

static bool bind(Loader *load, const TensorEntry *entry, const Weight *w) {
    DType dtype;
    if (!tensor_file_dtype(load->model->tensors, entry, &dtype, load->err)) return false;
    if (!check_shape(load, entry, w)) return false;
    Tensor *t = w->tensor;
    *t = (Tensor){.dtype = dtype, .rank = w->dim[1] ? 2 : 1, .dim = {w->dim[0], w->dim[1]}};
    t->in_panels = entry->in_panels;
    if (entry->in_panels && !weight_fits_panels(w))
        return error_set(load->err, ERROR_FORMAT, "%s: tensor %s: a weight that has no panels",
                         load->model->tensors->path.data, tensor_file_quote(entry->name).text);
    size_t alignment = dtype == DTYPE_F32 ? sizeof(float) : sizeof(uint16_t);
    bool is_decoded =
        form_in_file(load, w) != FORM_SAME || (weight_is_f32(w) && dtype != DTYPE_F32);
    bool is_unaligned = (uintptr_t)entry->data % alignment != 0; // safetensors promise no alignment
    if ((is_decoded || is_unaligned) &&
        !check_room(load, entry, sizeof(float) * (size_t)tensor_count(t)))
        return false;
    if (is_decoded) {
        t->dtype = DTYPE_F32;
        t->data = decoded(load, entry, w);
    } else if (is_unaligned) {
        t->data = arena_push_aligned(&load->model->arena, (size_t)entry->bytes, 64);
        memcpy(t->data, entry->data, (size_t)entry->bytes);
    } else {
        t->data = (void *)(uintptr_t)entry->data; // in a file that is mapped read-only
    }
    return check_logarithms(load, entry, w);
}

static bool refuse_type(Loader *load, const char *name) {
    return error_set(load->err, ERROR_UNSUPPORTED,
                     "%s: tensor %s: its layer's experts are not of one type",
                     load->model->tensors->path.data, name);
}

// The experts of a folder, one after the other in memory of their own.
static bool bind_experts(Loader *load, const Weight *w, int layer) {
    Model *m = load->model;
    Tensor *t = w->tensor;
    Weight one = *w;
    char buffer[WEIGHT_NAME_MAX], *to = NULL;
    if (!m->experts.base &&
        !arena_init(&m->experts, (size_t)tensor_file_bytes(m->tensors) + (1 << 20), load->err))
        return false;
    one.dim[0] = w->dim[0] / w->parts;
    for (int e = 0; e < w->parts; e++) {
        const char *name = weight_expert_name(m->arch, w, layer, e, buffer);
        const TensorEntry *entry = tensor_file_find(m->tensors, str_from(name));
        DType dtype;
        if (!entry)
            return error_set(load->err, ERROR_FORMAT, "%s: tensor %s is missing",
                             m->tensors->path.data, name);
        map_add(&load->used, entry->name, 1);
        if (!tensor_file_dtype(m->tensors, entry, &dtype, load->err) ||
            !check_shape(load, entry, &one))
            return false;
        if (e == 0) {
            *t = (Tensor){.dtype = dtype, .rank = 2, .dim = {w->dim[0], w->dim[1]}};
            if (!arena_fits(&m->experts, tensor_bytes(t))) // others must be of smaller types
                return refuse_type(load, name);
            t->data = to = arena_push_aligned(&m->experts, tensor_bytes(t), 64);
        }
        if (dtype != t->dtype) return refuse_type(load, name);
        memcpy(to, entry->data, (size_t)entry->bytes);
        to += entry->bytes;
    }
    return true;
}

// A tensor of a folder under the name that transformers gives it now, or gave it once: without the
// base of a bare model, with the norms' words of the first BERT.
static const TensorEntry *find_in_folder(const Model *m, const char *name) {
    char old[WEIGHT_NAME_MAX];
    const TensorEntry *entry = tensor_file_find(m->tensors, str_from(name));
    size_t n_base = m->arch->hf_base ? strlen(m->arch->hf_base) : 0;
    bool has_base = n_base > 0 && strncmp(name, m->arch->hf_base, n_base) == 0;
    if (!entry && has_base) entry = tensor_file_find(m->tensors, str_from(name + n_base));
    const char *norm = n_base ? strstr(name, "LayerNorm.") : NULL;
    if (entry || !norm) return entry;
    int n = (int)(norm - name) + (int)strlen("LayerNorm.");
    snprintf(old, sizeof old, "%.*s%s", n, name, name[n] == 'w' ? "gamma" : "beta");
    entry = tensor_file_find(m->tensors, str_from(old));
    return entry || !has_base ? entry : tensor_file_find(m->tensors, str_from(old + n_base));
}

static void load_weight(void *user, const Weight *w, int layer) {
    Loader *load = user;
    Model *m = load->model;
    char buffer[WEIGHT_NAME_MAX];
    const char *name = load->failed ? NULL : weight_name(m->arch, w, layer, m->is_hf, buffer);
    if (!name) return;
    if (w->form == FORM_EXPERTS && m->is_hf) {
        load->failed = !bind_experts(load, w, layer);
        return;
    }
    const TensorEntry *entry =
        m->is_hf ? find_in_folder(m, name) : tensor_file_find(m->tensors, str_from(name));
    if (entry) {
        map_add(&load->used, entry->name, 1);
        load->failed = !bind(load, entry, w);
    } else if (!w->is_optional) {
        load->failed = true;
        error_set(load->err, ERROR_FORMAT, "%s: tensor %s is missing", m->tensors->path.data, name);
    }
}

// Buffers that old files carry although they follow from the config, what a checkpoint keeps
// besides the weights, and BERT's judge of whether one sentence follows another, which nothing
// here asks.
static bool is_needless(Str name) {
    if (str_starts(name, STR("train."))) return true;
    static const char *const ends[] = {".attn.bias",
                                       ".attn.masked_bias",
                                       ".rotary_emb.inv_freq",
                                       "pooler.dense.weight",
                                       "pooler.dense.bias",
                                       "embeddings.position_ids",
                                       "cls.seq_relationship.weight",
                                       "cls.seq_relationship.bias",
                                       "cls.predictions.decoder.bias"}; // a copy
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (str_ends(name, str_from(ends[i]))) return true;
    return false;
}

// A tensor that no list names would be ignored in silence: the model is another than we think.
static bool refuse_strangers(Loader *load) {
    const TensorFile *file = load->model->tensors;
    for (int64_t i = 0; i < file->n; i++) {
        Str name = file->entry[i].name;
        if (map_get(&load->used, name) >= 0 || is_needless(name)) continue;
        return error_set(load->err, ERROR_UNSUPPORTED, "%s: tensor %s is not part of a %s model",
                         file->path.data, tensor_file_quote(name).text, load->model->arch->name);
    }
    return true;
}

bool weights_load(Model *model, Error *err) {
    Arena names;
    if (!arena_init(&names, ARENA_DEFAULT, err)) return false;
    Loader load = {.model = model, .used = map_make(&names, model->tensors->n), .err = err};
    WeightVisitor v = {load_weight, &load};
    model->arch->weights(&v, model);
    bool ok = !load.failed && refuse_strangers(&load);
    arena_drop(&names);
    return ok;
}
