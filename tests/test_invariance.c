// test_invariance.c - what must not change a result: caching, chunks, batches, threads, watching,
// forking, saving.  All comparisons are bit for bit.
//
// Each holds for every architecture, every cache type that fits, exact and fast (with weights
// quantised in the test), and every kernel table of this processor.
#include <stdlib.h>

#include "base/rng.h"
#include "model/model.h"
#include "model/state.h"
#include "model/weights.h"
#include "quant/quant.h"
#include "tests/test.h"

static const char *const names[] = {"gpt2",      "llama",       "mistral", "qwen2",
                                    "qwen3",     "gemma3",      "mamba",   "heed-lstm",
                                    "heed-sine", "heed-rotary", "mixtral", "qwen2-moe"};
enum { N_NAMES = sizeof names / sizeof *names, N_ATTENTION = 6, LONG = 540, N_MAX = 1024 };

// One way of running a model: what is varied.
typedef struct Way {
    Model *model;
    Run run;
    DType cache;
    int64_t n; // tokens
    int32_t ids[N_MAX];
    char label[96];
} Way;

static void quantise(void *user, const Weight *w, int layer) {
    (void)layer;
    Model *m = user;
    Tensor *t = w->tensor;
    if (t->rank != 2 || t->dtype != DTYPE_F32 || t->dim[1] % 32 != 0 ||
        w->place == PLACE_NORM_POSITION)
        return;
    Tensor q = *t;
    q.dtype = w->place == PLACE_ATTENTION ? DTYPE_Q8_0 : DTYPE_Q4_0;
    char *rows = arena_push_aligned(&m->arena, tensor_bytes(&q), 64);
    q.data = rows;
    for (int64_t r = 0; r < t->dim[0]; r++)
        quant_encode(q.dtype, tensor_f32(t) + r * t->dim[1], NULL,
                     rows + tensor_row_bytes(&q) * (size_t)r, t->dim[1]);
    *t = q;
}

static bool way_open(Way *way, const char *name, bool is_fast, DType cache) {
    Error err = {0};
    char path[64];
    snprintf(path, sizeof path, "fixtures/models/%s", name);
    *way = (Way){.cache = cache};
    way->model = model_open(test_fixture(path), (ModelOptions){0}, &err);
    if (!test_check(way->model != NULL, __FILE__, __LINE__, "%s", err.text)) return false;
    if (is_fast) {
        weights_each(way->model, quantise, way->model);
        if (way->model->is_tied) way->model->head = way->model->embed;
        WeightVisitor nothing = {quantise, way->model}; // renews the views of fused weights
        way->model->arch->weights(&nothing, way->model);
        if (!CHECK(weights_pack(way->model, NULL, &err))) return false;
    }
    if (!CHECK(run_open(&way->run, NULL, &err))) return false;
    way->run.exact = !is_fast;
    Rng rng = rng_seed(test_seed() + 3);
    way->n = way->model->config.context < LONG ? way->model->config.context : LONG;
    for (int64_t i = 0; i < way->n; i++)
        way->ids[i] = (int32_t)rng_below(&rng, (uint64_t)way->model->config.vocab);
    snprintf(way->label, sizeof way->label, "%s, %s, cache %s", name, is_fast ? "fast" : "exact",
             dtype_name(cache));
    return true;
}

static void way_close(Way *way) {
    run_close(&way->run);
    model_close(way->model);
}

static State *new_state(const Way *way) {
    Error err = {0};
    State *state = state_open(way->model, way->cache, way->n, &err);
    test_check(state != NULL, __FILE__, __LINE__, "%s: %s", way->label, err.text);
    return state;
}

// Logits of the last row of tokens from .. to-1 behind `state`, into out (V).
static void forward(Way *way, State *state, int64_t from, int64_t to, float *out) {
    Span span = {.n = to - from, .position = from};
    int32_t last = (int32_t)(to - from - 1);
    Batch batch = {.ids = way->ids + from,
                   .n = to - from,
                   .span = &span,
                   .n_spans = 1,
                   .state = &state,
                   .logit_row = &last,
                   .n_logits = 1};
    run_begin(&way->run);
    Tensor *logits = model_forward(&way->run, way->model, &batch);
    memcpy(out, logits->data, sizeof(float) * (size_t)way->model->config.vocab);
}

static void check_same(const Way *way, const char *what, const float *a, const float *b) {
    size_t bytes = sizeof(float) * (size_t)way->model->config.vocab;
    test_check(memcmp(a, b, bytes) == 0, __FILE__, __LINE__, "%s: %s changes the result",
               way->label, what);
}

static bool plan(Way *way, State *state) {
    Error err = {0};
    return CHECK(model_plan(&way->run, way->model, state, way->n, 1, &err));
}

// ---------------------------------------------------------------- the checks
static void check_chunks(Way *way, const float *whole, float *out) {
    static const int64_t sizes[] = {1, 61};
    for (int i = 0; i < 2; i++) {
        State *state = new_state(way);
        for (int64_t from = 0; from < way->n; from += sizes[i])
            forward(way, state, from, from + sizes[i] < way->n ? from + sizes[i] : way->n, out);
        check_same(way, i == 0 ? "token by token" : "chunking", whole, out);
        state_close(state);
    }
}

static void check_memory(Way *way, const float *whole, float *out) {
    Error err = {0};
    Arena arena;
    State *state = new_state(way), *fork = new_state(way), *restored = new_state(way);
    int64_t half = way->n / 2;
    if (state->n_carry) forward(way, state, 0, half, out); // a snapshot where it will be cut
    forward(way, state, state->n, way->n, out);
    CHECK(state_cut(state, half, &err)); // what came after is forgotten
    state_fork(fork, state);
    CHECK(arena_init(&arena, ARENA_DEFAULT, &err));
    CHECK(state_restore(restored, state_save(state, &arena), &err));
    State *copies[] = {state, fork, restored};
    for (int i = 0; i < 3; i++) {
        forward(way, copies[i], half, way->n, out);
        check_same(way, i == 0 ? "cutting back" : i == 1 ? "forking" : "saving", whole, out);
        CHECK_EQUAL(copies[i]->n, way->n);
        state_close(copies[i]);
    }
    arena_drop(&arena);
}

// Three sequences of different lengths at once, one of them ours; another order of them too.
static void check_batch(Way *way, const float *whole, float *out) {
    for (int place = 0; place < 3; place += 2) {
        State *state[3];
        Span span[3];
        int32_t *ids = calloc((size_t)way->n * 3, sizeof *ids), last = 0;
        int64_t n = 0;
        for (int s = 0; s < 3; s++) {
            int64_t length = s == place ? way->n : way->n / (2 + s);
            state[s] = new_state(way);
            span[s] = (Span){.first = n, .n = length};
            for (int64_t i = 0; i < length; i++)
                ids[n + i] = s == place ? way->ids[i] : way->ids[(i * 5 + s) % way->n];
            n += length;
            if (s == place) last = (int32_t)(n - 1);
        }
        Batch batch = {.ids = ids,
                       .n = n,
                       .span = span,
                       .n_spans = 3,
                       .state = state,
                       .logit_row = &last,
                       .n_logits = 1};
        Error err = {0};
        run_plan_begin(&way->run);
        model_forward(&way->run, way->model, &batch);
        CHECK(run_allocate(&way->run, &err));
        memcpy(out, model_forward(&way->run, way->model, &batch)->data,
               sizeof(float) * (size_t)way->model->config.vocab);
        check_same(way, "batching", whole, out);
        for (int s = 0; s < 3; s++) state_close(state[s]);
        free(ids);
    }
}

static bool wants_nearly_all(void *user, Site site, int layer) {
    (void)user, (void)layer;
    return site != SITE_PATTERN; // a pattern is computed in another way, equal within rounding
}

static Tensor *same(void *user, Run *run, Site site, int layer, Tensor *value) {
    (void)run, (void)site, (void)layer;
    ++*(int *)user;
    return value;
}

// How many values a forward shows.
static int sites_of(const Config *c) {
    int n = 3; // embed, final_norm, logits
    int channel = c->ffn_width ? 5 : 0;
    if (c->experts) channel += c->shared_width ? 1 : -1; // the router; mlp_pre, mlp_act
    for (int l = 0; l < c->layers; l++) n += 4 + (config_has_attention(c, l) ? 6 : 1) + channel;
    return n;
}

static void check_threads_and_probe(Way *way, const float *whole, float *out) {
    Error err = {0};
    for (int threads = 2; threads <= 3; threads++) {
        way->run.pool = pool_open(threads, &err);
        State *state = new_state(way);
        plan(way, state);
        forward(way, state, 0, way->n - 1, out);
        forward(way, state, way->n - 1, way->n, out); // one row: work is cut by segments
        check_same(way, "more threads", whole, out);
        state_close(state);
        pool_close(way->run.pool);
    }
    way->run.pool = NULL;
    int n_seen = 0;
    Probe probe = {wants_nearly_all, same, &n_seen};
    State *state = new_state(way);
    way->run.probe = &probe;
    plan(way, state);
    n_seen = 0;
    forward(way, state, 0, way->n, out);
    check_same(way, "a probe", whole, out);
    CHECK_EQUAL(n_seen, sites_of(&way->model->config));
    way->run.probe = NULL;
    plan(way, state);
    state_close(state);
}

static void check_way(const char *name, bool is_fast, DType cache, const Kernels *kernels) {
    Way way;
    if (!way_open(&way, name, is_fast, cache)) return;
    way.run.kernels = kernels;
    size_t v = (size_t)way.model->config.vocab;
    float *whole = calloc(v, sizeof *whole), *out = calloc(v, sizeof *out);
    if (state_type_fits(way.model, cache)) {
        State *state = new_state(&way);
        if (plan(&way, state)) {
            forward(&way, state, 0, way.n, whole);
            check_chunks(&way, whole, out);
            check_memory(&way, whole, out);
            check_threads_and_probe(&way, whole, out);
            check_batch(&way, whole, out);
        }
        state_close(state);
    }
    free(whole);
    free(out);
    way_close(&way);
}

// Names from .. to-1 with one table of kernels.
static void check_table(const char *table, int from, int to) {
    const Kernels *kernels = kernels_named(table);
    if (!kernels) {
        test_skip("this processor or build has no such kernels");
        return;
    }
    // Where tests are thinned, the plain kernels are too slow to show more than one model.
    bool is_slow = test_thinning() > 1 && strcmp(table, "scalar") == 0;
    int step = is_slow ? to - from : (test_thinning() + 3) / 4;
    for (int i = from; i < to; i += step) {
        check_way(names[i], false, DTYPE_F32, kernels);
        check_way(names[i], true, DTYPE_F16, kernels);
    }
}

#define HOLDS_WITH(table)                                \
    TEST(invariance, holds_with_##table##_kernels) {     \
        check_table(#table, 0, N_ATTENTION);             \
    }                                                    \
    TEST(invariance, of_mixers_with_##table##_kernels) { \
        check_table(#table, N_ATTENTION, N_NAMES);       \
    }
HOLDS_WITH(scalar)
HOLDS_WITH(avx2)
HOLDS_WITH(avx512)
HOLDS_WITH(neon)
HOLDS_WITH(wasm)

// No cache and an f32 cache are the same numbers.
TEST(invariance, a_memory_changes_nothing) {
    for (int i = 0; i < N_NAMES; i++) {
        Way way;
        Error err = {0};
        if (!way_open(&way, names[i], false, DTYPE_F32)) return;
        SingleBatch single;
        Batch *batch = batch_single(&single, way.ids, way.n);
        int32_t last = (int32_t)(way.n - 1);
        batch->logit_row = &last;
        batch->n_logits = 1;
        size_t v = (size_t)way.model->config.vocab;
        float *without = calloc(v, sizeof *without), *with = calloc(v, sizeof *with);
        run_plan_begin(&way.run);
        model_forward(&way.run, way.model, batch);
        CHECK(run_allocate(&way.run, &err));
        memcpy(without, model_forward(&way.run, way.model, batch)->data, v * sizeof *without);
        State *state = new_state(&way);
        if (plan(&way, state)) forward(&way, state, 0, way.n, with);
        check_same(&way, "a memory", without, with);
        state_close(state);
        free(without);
        free(with);
        way_close(&way);
    }
}

// The plan is the program: a forward of the planned size uses exactly what was counted.
TEST(invariance, plan_equals_use) {
    Way way;
    if (!way_open(&way, "llama", true, DTYPE_F16)) return;
    State *state = new_state(&way);
    float *out = calloc((size_t)way.model->config.vocab, sizeof *out);
    if (plan(&way, state)) {
        size_t planned = run_planned_bytes(&way.run);
        for (int i = 0; i < STEP_BLOCKS; i++) way.run.block[i].peak = 0;
        forward(&way, state, 0, way.n, out);
        CHECK_EQUAL(run_planned_bytes(&way.run), planned);
    }
    free(out);
    state_close(state);
    way_close(&way);
}
