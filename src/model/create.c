// create.c - weights from a seed, or from a file into memory that may be changed.
#include "model/create.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "model/open.h"
#include "model/weights.h"
#include "quant/quant.h"

// ---------------------------------------------------------------- memory for weights
// Weights of a model are as many as its owner asked for: they are refused, not met with an abort.
static float *take(Model *m, int64_t n, Error *err) {
    size_t bytes = sizeof(float) * (size_t)n;
    if (bytes < m->arena.reserved - m->arena.used - 64)
        return arena_push_aligned(&m->arena, bytes, 64);
    error_set(err, ERROR_LIMIT, "%s: a weight of %lld values does not fit into memory",
              m->name.data, (long long)n);
    return NULL;
}

// ---------------------------------------------------------------- the first values
// Normal with a deviation for matrices, one value for vectors.
typedef struct Start {
    const char *gguf; // the weight's name within its layer
    bool ends_block;  // its output is added to the stream: divided by sqrt(2 L)
} Start;

static const Start starts[] = {{"attn_output.weight", true}, {"ffn_down.weight", true}};

static double deviation_of(const Model *m, const Weight *w) {
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (starts[i].ends_block && strcmp(w->gguf, starts[i].gguf) == 0)
            return 0.02 / sqrt(2.0 * m->config.layers);
    return 0.02;
}

typedef struct Creator {
    Model *model;
    Rng rng;
    bool failed;
    Error *err;
} Creator;

static void fill(Creator *c, const Weight *w) {
    float *values = tensor_f32(w->tensor);
    int64_t n = tensor_count(w->tensor);
    bool is_bias = str_ends(str_from(w->gguf), STR(".bias"));
    double deviation = deviation_of(c->model, w);
    for (int64_t i = 0; i < n; i++) {
        if (w->tensor->rank == 1)
            values[i] = is_bias ? 0 : 1;
        else
            values[i] = (float)(deviation * rng_normal(&c->rng));
    }
}

static void create_weight(void *user, const Weight *w, int layer) {
    Creator *c = user;
    (void)layer;
    Model *m = c->model;
    bool is_wanted = !w->is_optional || (w->tensor == &m->head && !m->is_tied);
    if (c->failed || !is_wanted) return;
    *w->tensor =
        (Tensor){.dtype = DTYPE_F32, .rank = w->dim[1] ? 2 : 1, .dim = {w->dim[0], w->dim[1]}};
    w->tensor->data = take(m, tensor_count(w->tensor), c->err);
    c->failed = !w->tensor->data;
    if (!c->failed) fill(c, w);
}

// ---------------------------------------------------------------- made from nothing
// The plan's numbers as the metadata of a file.
static bool read_config(Model *m, const ModelPlan *plan, Error *err) {
    Arena *arena = &m->arena;
    GgufFile numbers = gguf_make(arena, plan->name, plan->n_entries);
    for (int64_t i = 0; i < plan->n_entries; i++) {
        const ConfigEntry *e = &plan->entry[i];
        Str key = str_printf(arena, "%s.%s", m->arch->name, e->key);
        if (e->word)
            gguf_put_string(&numbers, arena, key, str_from(e->word));
        else
            gguf_put_number(&numbers, arena, key, e->number);
    }
    ConfigIo io = {.mode = CONFIG_READ_GGUF,
                   .arch = m->arch->name,
                   .file = plan->name,
                   .gguf = &numbers,
                   .arena = &m->arena,
                   .err = err};
    m->config.vocab = plan->vocab->n_tokens;
    m->arch->config(&io, &m->config);
    return !io.failed;
}

static bool create(Model *m, const ModelPlan *plan, Error *err) {
    m->arch = plan->arch;
    m->is_tied = plan->is_tied;
    m->advice = (SamplingAdvice){-1, -1, -1, -1, -1};
    if (!read_config(m, plan, err)) return false;
    m->tokenizer = tokenizer_from_vocab(&m->arena, plan->vocab, err);
    if (!m->tokenizer) return error_wrap(err, "%s", plan->name);
    m->layer = arena_new(&m->arena, Layer, m->config.layers);
    Creator creator = {.model = m, .rng = rng_seed(plan->seed), .err = err};
    WeightVisitor v = {create_weight, &creator};
    m->arch->weights(&v, m);
    weights_bind_views(m);
    return !creator.failed && model_finish(m, err);
}

Model *model_create(const ModelPlan *plan, Error *err) {
    Model *m = model_new(plan->name, err);
    if (!m || create(m, plan, err)) return m;
    model_close(m);
    return NULL;
}

// ---------------------------------------------------------------- thawed from a file
static void thaw_weight(void *user, const Weight *w, int layer) {
    Creator *c = user;
    (void)layer;
    Tensor *t = w->tensor;
    if (c->failed) return;
    float *values = take(c->model, tensor_count(t), c->err);
    c->failed = !values;
    if (c->failed) return;
    quant_decode(t->dtype, t->data, values, tensor_count(t));
    t->dtype = DTYPE_F32;
    t->data = values;
}

bool model_thaw(Model *model, Error *err) {
    Creator c = {.model = model, .err = err};
    weights_each(model, thaw_weight, &c);
    if (model->is_tied) model->head = model->embed;
    weights_bind_views(model);
    return !c.failed;
}
