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
// How a weight starts, by its GGUF name within the layer.  What is not listed: matrices are normal
// with deviation 0.02, vectors 1, biases 0.
typedef enum Start {
    START_USUAL,
    START_END,        // ends a sub-layer: divided by sqrt(2 L), so that the stream does not swell
    START_FAN_IN,     // normal with deviation 1 / sqrt(columns): recurrences keep their size
    START_GATES,      // the biases of an LSTM: 1 for its forget gate (Jozefowicz et al. 2015)
    START_RATES,      // Mamba: the states of a channel decay at rates 1 .. N, as logarithms
    START_STEPS,      // Mamba: time steps between 0.001 and 0.1, through the inverse of softplus
    START_STEP_WEIGHT // Mamba: uniform within 1 / sqrt(rank)
} Start;

static const struct {
    const char *gguf;
    Start start;
} starts[] = {{"attn_output.weight", START_END},
              {"ffn_down.weight", START_END},
              {"ffn_down_exps.weight", START_END},
              {"ffn_down_shexp.weight", START_END},
              {"ffn_gate_inp_shexp.weight", START_FAN_IN},
              {"rnn_output.weight", START_END},
              {"ssm_out.weight", START_END},
              {"rnn_in.weight", START_FAN_IN},
              {"rnn_hidden.weight", START_FAN_IN},
              {"ssm_x.weight", START_FAN_IN},
              {"ssm_conv1d.weight", START_FAN_IN},
              {"rnn_in.bias", START_GATES},
              {"ssm_a", START_RATES},
              {"ssm_dt.bias", START_STEPS},
              {"ssm_dt.weight", START_STEP_WEIGHT}};

static Start start_of(const Weight *w) {
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strcmp(w->gguf, starts[i].gguf) == 0) return starts[i].start;
    return START_USUAL;
}

typedef struct Creator {
    Model *model;
    Rng rng;
    bool failed;
    Error *err;
} Creator;

static void fill_normal(Creator *c, float *values, int64_t n, double deviation) {
    for (int64_t i = 0; i < n; i++) values[i] = (float)(deviation * rng_normal(&c->rng));
}

static void fill_constant(float *values, int64_t n, float value) {
    for (int64_t i = 0; i < n; i++) values[i] = value;
}

// dt with softplus(result) = dt, log-uniform (Gu and Dao 2023, section 3.6).
static float step_start(Rng *rng) {
    double dt = exp(log(0.001) + rng_uniform(rng) * (log(0.1) - log(0.001)));
    return (float)log(expm1(dt));
}

static void fill(Creator *c, const Weight *w) {
    float *values = tensor_f32(w->tensor);
    int64_t n = tensor_count(w->tensor), columns = tensor_cols(w->tensor);
    bool is_vector = w->tensor->rank == 1;
    switch (start_of(w)) {
    case START_USUAL:
        if (is_vector)
            fill_constant(values, n, str_ends(str_from(w->gguf), STR(".bias")) ? 0 : 1);
        else
            fill_normal(c, values, n, 0.02);
        break;
    case START_END: fill_normal(c, values, n, 0.02 / sqrt(2.0 * c->model->config.layers)); break;
    case START_FAN_IN: fill_normal(c, values, n, 1 / sqrt((double)columns)); break;
    case START_GATES: // i, f, g, o; an Elman layer has one sum and no gate
        fill_constant(values, n, 0);
        if (n == 4 * c->model->config.recurrent_width) fill_constant(values + n / 4, n / 4, 1);
        break;
    case START_RATES:
        for (int64_t i = 0; i < n; i++) values[i] = (float)log((double)(i % columns + 1));
        break;
    case START_STEPS:
        for (int64_t i = 0; i < n; i++) values[i] = step_start(&c->rng);
        break;
    case START_STEP_WEIGHT:
        for (int64_t i = 0; i < n; i++)
            values[i] = (float)((2 * rng_uniform(&c->rng) - 1) / sqrt((double)columns));
        break;
    }
}

// Files may lack the head that names tokens; a model that is made here has it.
static bool is_of_token_head(const Model *m, const Tensor *t) {
    const TokenHead *h = &m->token_head;
    return t == &h->dense || t == &h->dense_bias || t == &h->norm.weight || t == &h->norm.bias ||
           t == &h->bias;
}

static void create_weight(void *user, const Weight *w, int layer) {
    Creator *c = user;
    (void)layer;
    Model *m = c->model;
    bool is_wanted =
        !w->is_optional || (w->tensor == &m->head && !m->is_tied) || is_of_token_head(m, w->tensor);
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
    if (m->arch == &arch_heed) m->arch = arch_fitting(&m->config);
    m->normalizes = m->config.is_encoder; // as its GGUF file will be read
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
    float *row = values ? take(c->model, tensor_cols(t), c->err) : NULL; // no type takes more
    c->failed = !row;
    if (c->failed) return;
    weight_decode(t, row, values);
    t->dtype = DTYPE_F32;
    t->in_panels = false;
    t->data = values;
}

bool model_thaw(Model *model, Error *err) {
    Creator c = {.model = model, .err = err};
    weights_each(model, thaw_weight, &c);
    if (model->is_tied) model->head = model->embed;
    weights_bind_views(model);
    return !c.failed;
}
