// test_speed.c - the speed of a model: what is counted, what is refused, what comes out.  The
// counts are worked out by hand from the shapes of the fixtures; no test looks at the clock.
#include "look/speed.h"
#include "model/weights.h"
#include "tests/test.h"

typedef struct Rig {
    Model *model;
    Run run;
    int64_t steps_left, last_done, last_total;
} Rig;

static bool rig_open(Rig *rig, const char *name) {
    Error err = {0};
    char path[64];
    *rig = (Rig){.steps_left = -1};
    snprintf(path, sizeof path, "fixtures/models/%s", name);
    rig->model = model_open(test_fixture(path), (ModelOptions){0}, &err);
    bool ok = rig->model && run_open(&rig->run, NULL, &err);
    return test_check(ok, __FILE__, __LINE__, "%s: %s", name, err.text);
}

static void rig_close(Rig *rig) {
    run_close(&rig->run);
    model_close(rig->model);
}

static bool on_step(void *user, int64_t done, int64_t total) {
    Rig *rig = user;
    rig->last_done = done;
    rig->last_total = total;
    return --rig->steps_left != 0;
}

static SpeedSpec small_spec(Rig *rig) {
    return (SpeedSpec){.n_prefill = 10,
                       .n_decode = 4,
                       .depth = 6,
                       .repeat = 3,
                       .cache = DTYPE_F16,
                       .on_step = on_step,
                       .user = rig};
}

// ---------------------------------------------------------------- what the work takes
// Two blocks: q, o 32 x 32, k, v 16 x 32, three of 64 x 32: 9216 each.  288 tokens, tied.
TEST(speed, cost_by_hand) {
    Rig rig;
    if (!rig_open(&rig, "llama")) return;
    SpeedSpec spec = small_spec(&rig);
    SpeedCost cost = speed_cost(&rig.run, rig.model, &spec);
    double pairs = 2 * 55, keys = 2 * (7 + 8 + 9 + 10) / 4.0; // in both layers
    CHECK(cost.prefill_ops == 2.0 * 2 * 9216 * 10 + 4 * 8 * 4 * pairs);
    CHECK(cost.decode_bytes == 4 * (2 * 9216 + 5 * 32 + 288 * 32) + keys * 2 * 2 * 8 * 2);
    CHECK_EQUAL(cost.arithmetic, ARITHMETIC_F32);
    rig_close(&rig);
}

// Of an embedding that is not the head, and of learned positions, one row is read.
TEST(speed, tables_count_one_row) {
    static const char *const names[] = {"llama-plain", "gpt2"};
    for (int i = 0; i < 2; i++) {
        Rig rig;
        if (!rig_open(&rig, names[i])) return;
        SpeedSpec spec = small_spec(&rig);
        const Config *c = &rig.model->config;
        CHECK(rig.model->is_tied == (i == 1));
        double rows = (double)(i == 0 ? c->vocab : c->context) - 1;
        double cache = c->layers * 8.5 * 2 * c->kv_heads * c->head_width * 2;
        double want = (double)weights_count(rig.model).bytes - rows * c->width * 4 + cache;
        CHECK(speed_cost(&rig.run, rig.model, &spec).decode_bytes == want);
        rig_close(&rig);
    }
}

// Behind a window of 8, a token at depth 20 sees 8 keys, and a prompt of 10 sees 36 + 2 * 8.
TEST(speed, windows_limit_what_is_seen) {
    Rig rig;
    if (!rig_open(&rig, "mistral")) return;
    SpeedSpec near = small_spec(&rig), far = small_spec(&rig);
    const Config *c = &rig.model->config;
    near.depth = 7; // the first token already sees 8
    far.depth = 20;
    SpeedCost cost = speed_cost(&rig.run, rig.model, &far);
    CHECK(cost.decode_bytes == speed_cost(&rig.run, rig.model, &near).decode_bytes);
    SpeedSpec one = far;
    one.n_prefill = 1;
    double matrices = speed_cost(&rig.run, rig.model, &one).prefill_ops -
                      4.0 * c->head_width * c->heads * c->layers;
    double pairs = c->layers * (36 + 2 * 8);
    CHECK(cost.prefill_ops == 10 * matrices + 4.0 * c->head_width * c->heads * pairs);
    rig_close(&rig);
}

static void retype(void *user, const Weight *weight, int layer) {
    if (layer >= 0 && weight->tensor->rank == 2) weight->tensor->dtype = *(const DType *)user;
}

TEST(speed, arithmetic_follows_the_type) {
    Rig rig;
    if (!rig_open(&rig, "llama")) return;
    SpeedSpec spec = small_spec(&rig);
    const Kernels *best = kernels_best();
    static const DType types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16, DTYPE_Q8_0, DTYPE_Q4_0};
    for (int i = 0; i < 5; i++) {
        DType type = types[i];
        weights_each(rig.model, retype, &type);
        Arithmetic want = i < 2                      ? ARITHMETIC_F32
                          : i > 2                    ? ARITHMETIC_INT8
                          : best->limit_bf16 != NULL ? ARITHMETIC_BF16
                                                     : ARITHMETIC_F32;
        rig.run.kernels = best;
        rig.run.exact = false;
        CHECK_EQUAL(speed_cost(&rig.run, rig.model, &spec).arithmetic, want);
        rig.run.exact = true;
        CHECK_EQUAL(speed_cost(&rig.run, rig.model, &spec).arithmetic, ARITHMETIC_F32);
    }
    CHECK(strcmp(arithmetic_name(ARITHMETIC_INT8), "int8") == 0);
    rig_close(&rig);
}

TEST(speed, shares_by_hand) {
    Speed speed = {.prefill = {90, 100, 110}, .decode = {9, 10, 11}};
    SpeedSpec spec = {.n_prefill = 50};
    Limits limits = {.read = 4000, .f32 = 1e6, .bf16 = 2e6, .int8 = 4e6};
    SpeedCost cost = {.prefill_ops = 50 * 5000, .decode_bytes = 300};
    CHECK_CLOSE(speed_prefill_share(&speed, &spec, &cost, &limits), 0.5, 1e-12);
    cost.arithmetic = ARITHMETIC_BF16;
    CHECK_CLOSE(speed_prefill_share(&speed, &spec, &cost, &limits), 0.25, 1e-12);
    cost.arithmetic = ARITHMETIC_INT8;
    CHECK_CLOSE(speed_prefill_share(&speed, &spec, &cost, &limits), 0.125, 1e-12);
    CHECK_CLOSE(speed_decode_share(&speed, &cost, &limits), 0.75, 1e-12);
}

// ---------------------------------------------------------------- measuring
static bool spread_is_sound(const SpeedSpread *s) {
    return s->least > 0 && s->least <= s->median && s->median <= s->most && isfinite(s->most);
}

TEST(speed, measured) {
    static const char *const names[] = {"llama", "gpt2", "gemma3"};
    for (int i = 0; i < 3; i++) {
        Rig rig;
        Speed speed;
        Error err = {0};
        if (!rig_open(&rig, names[i])) return;
        SpeedSpec spec = small_spec(&rig);
        spec.repeat = 1 + i; // the middle of one, of two, of three
        if (CHECK(speed_measure(&rig.run, rig.model, &spec, &speed, &err))) {
            CHECK(spread_is_sound(&speed.prefill) && spread_is_sound(&speed.decode));
            CHECK_EQUAL(rig.last_total, (10 + 4) * (2 + i) + 6);
            CHECK_EQUAL(rig.last_done, rig.last_total);
        }
        rig_close(&rig);
    }
}

TEST(speed, can_be_stopped) {
    Rig rig;
    Speed speed;
    Error err;
    for (int after = 1; after <= 7; after += 3) { // in the prompt, while decoding
        if (!rig_open(&rig, "llama")) return;
        SpeedSpec spec = small_spec(&rig);
        rig.steps_left = after;
        CHECK_FAILS(speed_measure(&rig.run, rig.model, &spec, &speed, &err), err, ERROR_CANCELLED,
                    "stopped after");
        rig_close(&rig);
    }
}

TEST(speed, refuses_what_does_not_fit) {
    Rig rig;
    Speed speed;
    Error err;
    if (!rig_open(&rig, "llama")) return;
    int64_t context = rig.model->config.context;
    SpeedSpec spec = small_spec(&rig);
    spec.n_prefill = context + 1;
    CHECK_FAILS(speed_measure(&rig.run, rig.model, &spec, &speed, &err), err, ERROR_LIMIT, "1025");
    spec = small_spec(&rig);
    spec.depth = context - 3;
    CHECK_FAILS(speed_measure(&rig.run, rig.model, &spec, &speed, &err), err, ERROR_LIMIT, "1021");
    spec.depth = INT64_MAX;
    CHECK_FAILS(speed_measure(&rig.run, rig.model, &spec, &speed, &err), err, ERROR_LIMIT, "fit");
    spec = small_spec(&rig);
    spec.repeat = 0;
    CHECK_FAILS(speed_measure(&rig.run, rig.model, &spec, &speed, &err), err, ERROR_USAGE, "1");
    spec = small_spec(&rig);
    spec.cache = DTYPE_Q8_0; // heads of width 8
    CHECK_FAILS(speed_measure(&rig.run, rig.model, &spec, &speed, &err), err, ERROR_UNSUPPORTED,
                "width 8");
    rig_close(&rig);
}
