// test_switches.c - every switch of a run does what it says, in every architecture.
#include <stdlib.h>

#include "base/rng.h"
#include "model/model.h"
#include "tests/test.h"

static const char *const names[] = {
    "gpt2",     "llama",      "mistral",      "qwen2",     "qwen3",       "gemma3", "mamba",
    "heed-rnn", "heed-alibi", "heed-learned", "heed-sine", "heed-rotary", "bert"};
enum { N_NAMES = sizeof names / sizeof *names, N = 20, VOCAB_MAX = 512 };

typedef struct Board {
    const char *name;
    Model *model;
    Run run;
    int32_t ids[N];
    float plain[VOCAB_MAX]; // logits of the last token, nothing switched
} Board;

// Logits of the last of the ids.
static void logits_of(Board *b, Switches switches, const int32_t *ids, float *out) {
    Error err = {0};
    SingleBatch single;
    Batch *batch = batch_single(&single, ids, N);
    static const int32_t last = N - 1;
    batch->logit_row = &last;
    batch->n_logits = 1;
    b->run.switches = switches;
    run_plan_begin(&b->run);
    model_forward(&b->run, b->model, batch);
    if (!CHECK(run_allocate(&b->run, &err))) return;
    Tensor *logits = model_forward(&b->run, b->model, batch);
    memcpy(out, logits->data, sizeof(float) * (size_t)b->model->config.vocab);
}

static double distance(const Board *b, const float *x, const float *y) {
    double largest = 0;
    for (int64_t i = 0; i < b->model->config.vocab; i++)
        largest = fmax(largest, fabs((double)(x[i] - y[i])));
    return largest;
}

// The result with these switches differs from the plain one by at most/at least so much.
static void check_effect(Board *b, const char *what, Switches switches, double least, double most) {
    float out[VOCAB_MAX];
    logits_of(b, switches, b->ids, out);
    double d = distance(b, b->plain, out);
    test_check(d >= least && d <= most, __FILE__, __LINE__, "%s: %s: logits move by %.3g", b->name,
               what, d);
}

static void each_model(void (*check)(Board *b)) {
    for (int i = 0; i < N_NAMES; i++) {
        Error err = {0};
        char path[64];
        Board b = {.name = names[i]};
        snprintf(path, sizeof path, "fixtures/models/%s", names[i]);
        b.model = model_open(test_fixture(path), (ModelOptions){0}, &err);
        if (!test_check(b.model && b.model->config.vocab <= VOCAB_MAX &&
                            run_open(&b.run, NULL, &err),
                        __FILE__, __LINE__, "%s: %s", names[i], err.text))
            return;
        Rng rng = rng_seed(test_seed() + 11);
        b.run.exact = true;
        for (int k = 0; k < N; k++)
            b.ids[k] = (int32_t)rng_below(&rng, (uint64_t)b.model->config.vocab);
        logits_of(&b, (Switches){0}, b.ids, b.plain);
        check(&b);
        run_close(&b.run);
        model_close(b.model);
    }
}

// ---------------------------------------------------------------- each switch moves something
// It moves the result at least a little; by nothing if `most` is 0.
static void check_applies(Board *b, const char *what, Switches switches, double most) {
    check_effect(b, what, switches, most > 0 ? 1e-5 : 0, most);
}

static void check_moves(Board *b) {
    float gate[64];
    const Config *c = &b->model->config;
    // What a switch is about may not be there: then it does nothing.
    double of_attention = config_attention_layers(c) ? 1e30 : 0,
           of_positions = c->positions ? 1e30 : 0, of_mask = c->is_encoder ? 0 : of_attention;
    int n_heads = b->model->config.layers * b->model->config.heads;
    for (int i = 0; i < n_heads; i++) gate[i] = i ? 1.0f : 0.0f;
    check_applies(b, "no scale", (Switches){.no_scale = true}, of_attention);
    check_applies(b, "no mask", (Switches){.no_causal_mask = true}, of_mask);
    check_applies(b, "window of 2", (Switches){.window = 2}, of_attention);
    check_applies(b, "one head off", (Switches){.head_gate = gate}, of_attention);
    check_applies(b, "positions zero", (Switches){.positions = POSITIONS_ZERO}, of_positions);
    check_applies(b, "positions none", (Switches){.positions = POSITIONS_NONE}, of_positions);
    check_applies(b, "no residual", (Switches){.no_residual = true}, 1e30);
    check_applies(b, "no norm", (Switches){.no_norm = true}, 1e30);
    check_applies(b, "one layer", (Switches){.n_layers = 1}, 1e30);
}
TEST(switches, move_the_result) {
    each_model(check_moves);
}

// ---------------------------------------------------------------- neutral settings do not
static void check_neutral(Board *b) {
    float gate[64];
    for (int i = 0; i < 64; i++) gate[i] = 1;
    check_effect(b, "all heads on", (Switches){.head_gate = gate}, 0, 0);
    check_effect(b, "all layers", (Switches){.n_layers = b->model->config.layers}, 0, 0);
    check_effect(b, "no cache", (Switches){.no_cache = true}, 0, 0);
    // Models with a window of their own see more or less with another one.
    if (b->model->config.window == 0)
        check_effect(b, "a window past the text", (Switches){.window = N}, 0, 0);
    if (b->model->config.window == 0)
        check_effect(b, "everything kept", (Switches){.window = 1, .kept = N}, 0, 0);
}
TEST(switches, are_neutral_where_they_should_be) {
    each_model(check_neutral);
}

// ---------------------------------------------------------------- word order
// "Every word's query, key and value are the same, and so is the result": without positions and
// without the mask, the order of the words before the last makes no difference; with either, it
// does.
static void check_order(Board *b) {
    if (config_carry(&b->model->config, 0) || config_carry(&b->model->config, 1))
        return; // who reads in order knows it
    int32_t swapped[N];
    float first[VOCAB_MAX], second[VOCAB_MAX];
    memcpy(swapped, b->ids, sizeof swapped);
    swapped[2] = b->ids[9];
    swapped[9] = b->ids[2];
    for (int corner = 0; corner < 4; corner++) {
        Switches s = {.no_causal_mask = corner & 1,
                      .positions = corner & 2 ? POSITIONS_NONE : POSITIONS_ON};
        s.window = N; // models with a window of their own would notice who leaves it
        logits_of(b, s, b->ids, first);
        logits_of(b, s, swapped, second);
        double d = distance(b, first, second);
        bool is_blind = corner == 3 || (corner == 2 && b->model->config.is_encoder);
        test_check(is_blind ? d < 1e-3 : d > 1e-3, __FILE__, __LINE__,
                   "%s: swapping words, corner %d: %.3g", b->name, corner, d);
    }
}
TEST(switches, order_is_lost_only_without_mask_and_positions) {
    each_model(check_order);
}

// ---------------------------------------------------------------- heads and windows, seen in the
// pattern
typedef struct Seen {
    float pattern[16 * N * N];
    float largest_z; // of head 0 in layer 0
    int heads, width;
} Seen;

static bool wants(void *user, Site site, int layer) {
    (void)user;
    return layer == 0 && (site == SITE_PATTERN || site == SITE_Z);
}

static Tensor *at(void *user, Run *run, Site site, int layer, Tensor *value) {
    Seen *seen = user;
    (void)layer;
    if (run->dry) return value;
    if (site == SITE_PATTERN)
        memcpy(seen->pattern, value->data, sizeof(float) * (size_t)tensor_count(value));
    else
        for (int64_t i = 0; i < tensor_count(value); i++)
            if (i % (seen->heads * seen->width) < seen->width)
                seen->largest_z = fmaxf(seen->largest_z, fabsf(tensor_f32(value)[i]));
    return value;
}

static void check_pattern(Board *b) {
    if (!config_has_attention(&b->model->config, 0)) return;
    Seen seen = {.heads = b->model->config.heads, .width = b->model->config.head_width};
    Probe probe = {wants, at, &seen};
    float out[VOCAB_MAX], gate[64] = {0};
    b->run.probe = &probe;
    logits_of(b, (Switches){.window = 3, .kept = 2}, b->ids, out);
    for (int h = 0; h < seen.heads; h++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                float p = seen.pattern[(h * N + i) * N + j];
                bool is_before = j <= i || b->model->config.is_encoder;
                bool is_seen = is_before && (j < 2 || abs(i - j) < 3);
                if ((p > 0) != is_seen)
                    test_check(false, __FILE__, __LINE__, "%s: weight %g at %d, %d", b->name,
                               (double)p, i, j);
            }
    CHECK(seen.largest_z > 0);
    seen.largest_z = 0;
    for (int i = 1; i < 64; i++) gate[i] = 1;
    logits_of(b, (Switches){.head_gate = gate}, b->ids, out);
    CHECK(seen.largest_z == 0);
    b->run.probe = NULL;
}
TEST(switches, windows_and_heads_show_in_the_pattern) {
    each_model(check_pattern);
}
