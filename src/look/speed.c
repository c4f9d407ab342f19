// speed.c - timed forwards over random tokens, and what they would take at the machine's limits.
#include "look/speed.h"

#include "base/clock.h"
#include "base/rng.h"
#include "model/state.h"
#include "model/weights.h"

enum { CHUNK = 512 };

// ---------------------------------------------------------------- measuring
typedef struct Track {
    Run *run;
    const Model *model;
    const SpeedSpec *spec;
    State *state;
    int32_t *ids; // (capacity of the state)
    double *rate; // (repeat)
    int64_t done, total;
    Error *err;
} Track;

// Tokens through the model behind what the state remembers, at most `chunk` at once.
static bool compute(Track *t, int64_t n, int64_t chunk) {
    for (int64_t left = n; left > 0;) {
        int64_t now = left < chunk ? left : chunk;
        int32_t last = (int32_t)(now - 1);
        Span span = {.n = now, .position = t->state->n};
        Batch batch = {.ids = t->ids + t->state->n,
                       .n = now,
                       .span = &span,
                       .n_spans = 1,
                       .state = &t->state,
                       .logit_row = &last,
                       .n_logits = 1};
        if (now == 1) pool_token_begin(t->run->pool);
        run_begin(t->run);
        model_forward(t->run, t->model, &batch);
        if (now == 1) pool_token_end(t->run->pool);
        left -= now;
        t->done += now;
        if (t->spec->on_step && !t->spec->on_step(t->spec->user, t->done, t->total))
            return error_set(t->err, ERROR_CANCELLED, "stopped after %lld of %lld tokens",
                             (long long)t->done, (long long)t->total);
    }
    return true;
}

static SpeedSpread spread_of(double *rate, int n) {
    for (int i = 1; i < n; i++) // sorted by insertion
        for (int j = i; j > 0 && rate[j] < rate[j - 1]; j--) {
            double swapped = rate[j];
            rate[j] = rate[j - 1];
            rate[j - 1] = swapped;
        }
    return (SpeedSpread){rate[0], (rate[(n - 1) / 2] + rate[n / 2]) / 2, rate[n - 1]};
}

// n tokens again and again behind the first `depth`; the first time is the warm-up.
static bool time_tokens(Track *t, int64_t depth, int64_t n, int64_t chunk, SpeedSpread *spread) {
    if (!state_cut(t->state, 0, t->err) || !compute(t, depth, CHUNK)) return false;
    state_mark(t->state);
    for (int i = -1; i < t->spec->repeat; i++) {
        if (!state_cut(t->state, depth, t->err)) return false;
        double begun = clock_seconds();
        if (!compute(t, n, chunk)) return false;
        if (i >= 0) t->rate[i] = (double)n / (clock_seconds() - begun);
    }
    *spread = spread_of(t->rate, t->spec->repeat);
    return true;
}

bool speed_check(const Model *model, const SpeedSpec *spec, Error *err) {
    int64_t context = model->config.context;
    if (spec->n_prefill < 1 || spec->n_decode < 1 || spec->depth < 0 || spec->repeat < 1)
        return error_set(err, ERROR_USAGE, "tokens and repetitions: 1 at least");
    if (spec->n_prefill > context)
        return error_set(err, ERROR_LIMIT, "a prompt of %lld tokens does not fit a context of %lld",
                         (long long)spec->n_prefill, (long long)context);
    if (spec->depth > context || spec->n_decode > context - spec->depth)
        return error_set(err, ERROR_LIMIT,
                         "%lld tokens behind %lld others do not fit a context of %lld",
                         (long long)spec->n_decode, (long long)spec->depth, (long long)context);
    return state_type_fits(model, spec->cache) ||
           error_set(err, ERROR_UNSUPPORTED, "cache type %s does not fit heads of width %d",
                     dtype_name(spec->cache), model->config.head_width);
}

bool speed_measure(Run *run, const Model *model, const SpeedSpec *spec, Speed *speed, Error *err) {
    Arena arena = {0};
    if (!speed_check(model, spec, err)) return false;
    int64_t capacity = spec->depth + spec->n_decode;
    if (capacity < spec->n_prefill) capacity = spec->n_prefill;
    int64_t chunk = capacity < CHUNK ? capacity : CHUNK;
    State *state = state_open(model, spec->cache, capacity, err);
    bool ok = state && arena_init(&arena, ARENA_DEFAULT, err) &&
              model_plan(run, model, state, chunk, 1, err);
    if (ok) {
        Rng rng = rng_seed(1);
        Track t = {run, model, spec, state, .err = err};
        t.ids = arena_new(&arena, int32_t, capacity);
        t.rate = arena_new(&arena, double, spec->repeat);
        t.total = (spec->n_prefill + spec->n_decode) * (spec->repeat + 1) + spec->depth;
        for (int64_t i = 0; i < capacity; i++)
            t.ids[i] = (int32_t)rng_below(&rng, (uint64_t)model->config.vocab);
        ok = time_tokens(&t, 0, spec->n_prefill, CHUNK, &speed->prefill) &&
             time_tokens(&t, spec->depth, spec->n_decode, 1, &speed->decode) &&
             model_intact(model, err);
    }
    arena_drop(&arena);
    state_close(state);
    return ok;
}

// ---------------------------------------------------------------- what the work takes
const char *arithmetic_name(Arithmetic arithmetic) {
    static const char *const names[] = {"f32", "bf16", "int8"};
    return names[arithmetic];
}

typedef struct Costing {
    const Run *run;
    const Model *model;
    double bytes;
    double matrix[ARITHMETIC_INT8 + 1]; // weights of the blocks' matrices
} Costing;

static Arithmetic arithmetic_of(const Run *run, DType dtype) {
    if (run->exact) return ARITHMETIC_F32;
    if (dtype_is_quantized(dtype)) return ARITHMETIC_INT8;
    bool has_bf16 = run->kernels->limit_bf16 != NULL;
    return dtype == DTYPE_BF16 && has_bf16 ? ARITHMETIC_BF16 : ARITHMETIC_F32;
}

static void add_weight(void *user, const Weight *weight, int layer) {
    Costing *c = user;
    const Tensor *t = weight->tensor;
    bool is_table =
        t == &c->model->embed_positions || (t == &c->model->embed && !c->model->is_tied);
    const Config *config = &c->model->config;
    // Of a mixture, as many experts as digest a token.
    double share =
        weight->form == FORM_EXPERTS ? (double)config->experts_used / (double)config->experts : 1;
    c->bytes += share * (double)(is_table ? tensor_row_bytes(t) : tensor_bytes(t));
    if (layer >= 0 && t->rank == 2)
        c->matrix[arithmetic_of(c->run, t->dtype)] += share * (double)tensor_count(t);
}

// Keys that queries at positions from .. from+n-1 see, in all layers together.
static double pairs_seen(const Model *model, int64_t from, int64_t n) {
    const Config *c = &model->config;
    double pairs = 0;
    for (int l = 0; l < c->layers; l++) {
        int64_t most = config_is_local(c, l) ? c->window + c->kept : INT64_MAX;
        if (!config_has_attention(c, l)) continue;
        for (int64_t i = from; i < from + n; i++) pairs += (double)(i + 1 < most ? i + 1 : most);
    }
    return pairs;
}

SpeedCost speed_cost(const Run *run, const Model *model, const SpeedSpec *spec) {
    const Config *c = &model->config;
    Costing costing = {.run = run, .model = model};
    // The list takes a model that could be changed; counting changes nothing.
    weights_each((Model *)(uintptr_t)model, add_weight, &costing);
    SpeedCost cost = {0};
    double matrix = 0;
    for (int a = 0; a <= ARITHMETIC_INT8; a++) {
        matrix += costing.matrix[a];
        if (costing.matrix[a] > costing.matrix[cost.arithmetic]) cost.arithmetic = (Arithmetic)a;
    }
    cost.prefill_ops = 2 * matrix * (double)spec->n_prefill +
                       4.0 * c->head_width * c->heads * pairs_seen(model, 0, spec->n_prefill);
    cost.decode_bytes = costing.bytes + (double)state_bytes_carried(model) +
                        (double)kv_bytes_per_position(spec->cache, c->kv_heads, c->head_width) *
                            pairs_seen(model, spec->depth, spec->n_decode) / (double)spec->n_decode;
    return cost;
}

static double peak_of(const Limits *limits, Arithmetic arithmetic) {
    if (arithmetic == ARITHMETIC_INT8) return limits->int8;
    return arithmetic == ARITHMETIC_BF16 ? limits->bf16 : limits->f32;
}

double speed_prefill_share(const Speed *speed, const SpeedSpec *spec, const SpeedCost *cost,
                           const Limits *limits) {
    double ops_per_token = cost->prefill_ops / (double)spec->n_prefill;
    return speed->prefill.median * ops_per_token / peak_of(limits, cost->arithmetic);
}

double speed_decode_share(const Speed *speed, const SpeedCost *cost, const Limits *limits) {
    return speed->decode.median * cost->decode_bytes / limits->read;
}
