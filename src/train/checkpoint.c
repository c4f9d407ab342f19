// checkpoint.c - the state of a training run as a file, and back.
#include "train/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "export/export.h"
#include "model/weights.h"

#define MOMENTS "train.moments"
#define KEY     "heed.train."

Str checkpoint_path(Arena *arena, const char *folder, int64_t step) {
    return str_printf(arena, "%s/step-%08lld.gguf", folder, (long long)step);
}

static bool is_checkpoint(Str name) {
    return str_starts(name, STR("step-")) && str_ends(name, STR(".gguf"));
}

Str checkpoint_newest(Arena *arena, const char *folder) {
    const Str *names;
    int64_t n;
    Error none = {0};
    if (!file_is_folder(folder) || !file_list(arena, folder, &names, &n, &none)) return STR("");
    while (n > 0 && !is_checkpoint(names[n - 1])) n--;
    if (n == 0) return STR("");
    return str_printf(arena, "%s/%.*s", folder, STR_ARG(names[n - 1]));
}

// ---------------------------------------------------------------- writing
static void put_integer(GgufWriter *w, const char *key, int64_t value) {
    gguf_set_integer(w, key, GGUF_I64, value);
}

// Whose adapters they are.
static void put_base(const void *user, GgufWriter *w) {
    const Lora *lora = ((const Trainer *)user)->spec.lora;
    if (!lora || !lora->base) return;
    gguf_set_string(w, KEY "base", str_from(lora->base));
    gguf_set_integer(w, KEY "base_sum", GGUF_U64, (int64_t)lora->base_sum);
}

static void put_keys(const void *user, GgufWriter *w) {
    const Trainer *t = user;
    const TrainProgress *p = &t->progress;
    Arena arena;
    Error none = {0};
    if (!arena_init(&arena, 1 << 20, &none))
        return; // a checkpoint without keys is none: read finds it
    StrBuilder lines = str_builder(&arena);
    settings_write(t->spec.settings, &lines, true);
    gguf_set_string(w, KEY "settings", str_built(&lines));
    put_integer(w, KEY "step", p->step);
    put_integer(w, KEY "tokens", p->tokens);
    put_integer(w, KEY "samples", p->samples);
    gguf_set_number(w, KEY "seconds", GGUF_F64, p->seconds);
    gguf_set_number(w, KEY "best_loss", GGUF_F64, isfinite(p->best_loss) ? p->best_loss : -1);
    put_integer(w, KEY "best_step", p->best_step);
    gguf_set_array(w, KEY "norms", GGUF_F64, p->guard.norm, GUARD_WINDOW);
    put_integer(w, KEY "norms_seen", p->guard.n_seen);
    put_integer(w, KEY "optimizer_step", t->optimizer.step);
    gguf_set_integer(w, KEY "corpus", GGUF_U64, (int64_t)t->spec.corpus->fingerprint);
    put_base(user, w);
    arena_drop(&arena);
}

// The oldest go; the list is sorted by step.
static bool tidy(Arena *arena, const char *folder, int64_t keep, Error *err) {
    const Str *names;
    int64_t n, n_checkpoints = 0;
    if (!file_list(arena, folder, &names, &n, err)) return false;
    for (int64_t i = n - 1; i >= 0; i--) {
        if (!is_checkpoint(names[i]) || ++n_checkpoints <= keep) continue;
        Str path = str_printf(arena, "%s/%.*s", folder, STR_ARG(names[i]));
        if (!file_remove(path.data, err)) return false;
    }
    return true;
}

static bool clear(Arena *arena, const char *folder, Error *err) {
    const Str *names;
    int64_t n;
    if (!file_list(arena, folder, &names, &n, err)) return false;
    for (int64_t i = 0; i < n; i++) {
        if (!is_checkpoint(names[i]) && !str_equal(names[i], STR("best.gguf"))) continue;
        Str path = str_printf(arena, "%s/%.*s", folder, STR_ARG(names[i]));
        if (!file_remove(path.data, err)) return false;
    }
    return true;
}

bool checkpoint_clear(const char *folder, Error *err) {
    Arena arena;
    if (!file_is_folder(folder)) return true;
    if (!arena_init(&arena, 16 << 20, err)) return false;
    bool ok = clear(&arena, folder, err);
    arena_drop(&arena);
    return ok;
}

// ---------------------------------------------------------------- weights that a file rounds
// Where a GGUF file holds a weight in another form (Mamba's rates), the way there and back may
// change its last bit: the values themselves lie beside it.
typedef struct Exact {
    const Model *model;
    Arena *arena;
    ExportTensor *tensor; // (n) NULL while counting
    int n;
} Exact;

static void add_exact(void *user, const Weight *w, int layer) {
    Exact *e = user;
    char name[WEIGHT_NAME_MAX];
    if (w->form != FORM_LOG || !w->tensor->grad) return;
    if (e->tensor) {
        weight_name(e->model->arch, w, layer, false, name);
        e->tensor[e->n] = (ExportTensor){str_printf(e->arena, "train.%s", name).data,
                                         tensor_f32(w->tensor), tensor_count(w->tensor)};
    }
    e->n++;
}

// After room for `before` others.
static Exact exact_weights(Arena *arena, Model *model, int before) {
    Exact e = {.model = model, .arena = arena};
    weights_each(model, add_exact, &e);
    e.tensor = arena_new(arena, ExportTensor, before + e.n);
    e.n = before;
    weights_each(model, add_exact, &e);
    return e;
}

static bool save(const Trainer *t, const char *path, const ExportExtra *extra, Error *err) {
    ExportOptions options = {
        .has_type = true, .type = DTYPE_F32, .pool = t->spec.pool, .extra = extra};
    return t->spec.lora ? model_save_adapter(t->spec.model, path, extra, err)
                        : model_save_gguf(t->spec.model, path, options, err);
}

bool checkpoint_save_weights(const Trainer *t, const char *path, Error *err) {
    return save(t, path, &(ExportExtra){.put_keys = put_base, .user = t}, err);
}

bool checkpoint_save(const Trainer *t, const char *folder, Error *err) {
    Arena arena;
    if (!arena_init(&arena, 16 << 20, err)) return false;
    Exact more = exact_weights(&arena, t->spec.model, 1);
    more.tensor[0] = (ExportTensor){MOMENTS, t->optimizer.moments, t->optimizer.n_moments};
    ExportExtra extra = {more.tensor, more.n, put_keys, t};
    Str path = checkpoint_path(&arena, folder, t->progress.step);
    bool ok = file_make_folder(folder, err) && save(t, path.data, &extra, err) &&
              tidy(&arena, folder, t->spec.settings->keep, err);
    arena_drop(&arena);
    return ok;
}

// ---------------------------------------------------------------- reading
static bool get(const GgufFile *f, const char *key, int64_t *value, Error *err) {
    return gguf_get_integer(f, key, (GgufRange){0, INT64_MAX}, value, err);
}

static bool read_guard(const GgufFile *f, SpikeGuard *guard, Error *err) {
    const GgufValue *norms = gguf_find(f, KEY "norms");
    bool ok = norms && norms->is_array && norms->n == GUARD_WINDOW;
    for (int i = 0; ok && i < GUARD_WINDOW; i++) ok = gguf_value_number(norms, i, &guard->norm[i]);
    if (!ok)
        return error_set(err, ERROR_FORMAT, "%s: " KEY "norms is damaged", f->tensors.path.data);
    return get(f, KEY "norms_seen", &guard->n_seen, err);
}

bool checkpoint_base(const GgufFile *f, Str *path, Error *err) {
    *path = STR("");
    return gguf_try_string(f, KEY "base", path, err);
}

bool checkpoint_read(const GgufFile *f, Settings *settings, TrainProgress *p, Error *err) {
    Str lines;
    if (!gguf_find(f, KEY "settings"))
        return error_set(err, ERROR_FORMAT, "%s is a model, not a checkpoint of its training",
                         f->tensors.path.data);
    *settings = settings_default();
    *p = (TrainProgress){0};
    if (!gguf_get_string(f, KEY "settings", &lines, err) ||
        !settings_read(settings, lines, f->tensors.path.data, err) ||
        !get(f, KEY "step", &p->step, err) || !get(f, KEY "tokens", &p->tokens, err) ||
        !get(f, KEY "samples", &p->samples, err) || !get(f, KEY "best_step", &p->best_step, err) ||
        !gguf_get_number(f, KEY "seconds", 0, 1e12, &p->seconds, err) ||
        !gguf_get_number(f, KEY "best_loss", -1, 1e12, &p->best_loss, err))
        return false;
    if (p->best_loss < 0) p->best_loss = (double)INFINITY;
    return read_guard(f, &p->guard, err);
}

static bool is_fingerprint(const GgufFile *f, const char *key, uint64_t wanted) {
    const GgufValue *value = gguf_find(f, key);
    uint64_t fingerprint = 0;
    if (!value || value->bytes != sizeof fingerprint) return false;
    memcpy(&fingerprint, value->data, sizeof fingerprint);
    return fingerprint == wanted;
}

// `to` lies in the model, which is changed.
static bool restore_exact(const GgufFile *f, const ExportTensor *to, Error *err) {
    const TensorEntry *entry = tensor_file_find(&f->tensors, str_from(to->name));
    if (!entry || entry->bytes != to->n * (int64_t)sizeof *to->values)
        return error_set(err, ERROR_FORMAT, "%s: tensor %s is missing or of another size",
                         f->tensors.path.data, to->name);
    memcpy((void *)(uintptr_t)to->values, entry->data, (size_t)entry->bytes);
    return true;
}

bool checkpoint_restore(Trainer *t, const GgufFile *f, const TrainProgress *progress, Error *err) {
    const char *path = f->tensors.path.data;
    const Lora *lora = t->spec.lora;
    Optimizer *o = &t->optimizer;
    const TensorEntry *moments = tensor_file_find(&f->tensors, STR(MOMENTS));
    if (!is_fingerprint(f, KEY "corpus", t->spec.corpus->fingerprint))
        return error_set(err, ERROR_USAGE, "%s was trained on other texts", path);
    if (lora && lora->base && !is_fingerprint(f, KEY "base_sum", lora->base_sum))
        return error_set(err, ERROR_USAGE, "%s: its adapters belong to another model than %s", path,
                         lora->base);
    if (!moments || moments->bytes != o->n_moments * (int64_t)sizeof *o->moments)
        return error_set(err, ERROR_FORMAT, "%s: tensor " MOMENTS " does not fit the weights",
                         path);
    memcpy(o->moments, moments->data, (size_t)moments->bytes);
    ArenaMark mark = arena_mark(&t->arena);
    Exact more = exact_weights(&t->arena, t->spec.model, 0);
    for (int i = 0; i < more.n; i++)
        if (!restore_exact(f, &more.tensor[i], err)) return false;
    arena_back(&t->arena, mark);
    if (!get(f, KEY "optimizer_step", &o->step, err)) return false;
    t->progress = *progress;
    return tensor_file_intact(&f->tensors, err);
}
