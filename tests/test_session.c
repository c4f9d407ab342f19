// test_session.c - a session computes what is new and nothing else, and survives its failures.
#include <stdlib.h>

#include "generate/beam_session.h"
#include "generate/generate.h"
#include "generate/softmax.h"
#include "tests/test.h"

enum { N = 40 };

typedef struct Desk {
    Model *model;
    Session *session;
    Arena arena;
    int32_t ids[N];
    int countdown; // chunks until keep_going says no
} Desk;

static bool keep_going(void *user) {
    return ((Desk *)user)->countdown-- != 0;
}

static bool desk_open(Desk *d, const char *name, SessionOptions options) {
    Error err = {0};
    char path[64];
    *d = (Desk){.countdown = -1};
    snprintf(path, sizeof path, "fixtures/models/%s", name);
    d->model = model_open(test_fixture(path), (ModelOptions){0}, &err);
    options.keep_going = keep_going;
    options.user = d;
    d->session = d->model ? session_open(d->model, options, &err) : NULL;
    for (int i = 0; i < N; i++) d->ids[i] = (i * 7 + 3) % 60;
    return test_check(d->session && arena_init(&d->arena, ARENA_DEFAULT, &err), __FILE__, __LINE__,
                      "%s: %s", name, err.text);
}

static void desk_close(Desk *d) {
    session_close(d->session);
    model_close(d->model);
    arena_drop(&d->arena);
}

static const SessionOptions EXACT = {.context = 64, .cache = DTYPE_F32, .exact = true, .chunk = 8};

TEST(session, computes_only_what_is_new) {
    Desk d;
    Error err = {0};
    if (!desk_open(&d, "llama", EXACT)) return;
    CHECK(session_sync(d.session, d.ids, 20, &err));
    CHECK_EQUAL(d.session->n_computed, 20);
    float first = d.session->logits[5];
    CHECK(session_sync(d.session, d.ids, 20, &err)); // the same text: nothing
    CHECK_EQUAL(d.session->n_computed, 20);
    CHECK(session_sync(d.session, d.ids, 30, &err)); // longer: the rest
    CHECK_EQUAL(d.session->n_computed, 30);
    CHECK(session_sync(d.session, d.ids, 20, &err)); // shorter: its last token, for the logits
    CHECK_EQUAL(d.session->n_computed, 31);
    CHECK(first == d.session->logits[5]);
    d.ids[10] = 1;
    CHECK(session_sync(d.session, d.ids, 20, &err)); // another from the 11th on
    CHECK_EQUAL(d.session->n_computed, 41);
    CHECK(first != d.session->logits[5]);
    CHECK(session_add(d.session, 2, &err));
    CHECK_EQUAL(d.session->n, 21);
    CHECK_EQUAL(d.session->state->n, 21);
    desk_close(&d);
}

TEST(session, equals_itself_without_a_cache) {
    Desk d, bare;
    Error err = {0};
    SessionOptions without = EXACT;
    without.switches.no_cache = true;
    if (!desk_open(&d, "qwen3", EXACT) || !desk_open(&bare, "qwen3", without)) return;
    for (int64_t n = 5; n < 12; n++) {
        CHECK(session_sync(d.session, d.ids, n, &err) &&
              session_sync(bare.session, d.ids, n, &err));
        CHECK(memcmp(d.session->logits, bare.session->logits, 60 * sizeof(float)) == 0);
    }
    CHECK_EQUAL(d.session->n_computed, 11);
    CHECK_EQUAL(bare.session->n_computed, 5 + 6 + 7 + 8 + 9 + 10 + 11);
    desk_close(&d);
    desk_close(&bare);
}

TEST(session, refuses_and_goes_on) {
    Desk d;
    Error err = {0};
    int32_t many[65] = {0}, wrong[] = {1, 9999};
    if (!desk_open(&d, "llama", EXACT)) return;
    CHECK_FAILS(session_sync(d.session, d.ids, 0, &err), err, ERROR_USAGE, "empty");
    CHECK_FAILS(session_sync(d.session, many, 65, &err), err, ERROR_LIMIT, "context of 64");
    CHECK_FAILS(session_sync(d.session, wrong, 2, &err), err, ERROR_FORMAT, "token 9999");
    CHECK(session_sync(d.session, many, 63, &err) &&
          session_add(d.session, 1, &err)); // to the border
    CHECK_FAILS(session_add(d.session, 1, &err), err, ERROR_LIMIT, "full");
    d.countdown = 2; // two chunks of 8, then no more
    CHECK_FAILS(session_sync(d.session, d.ids, 30, &err), err, ERROR_CANCELLED, "16 of 30");
    CHECK_EQUAL(d.session->n, 16);
    d.countdown = -1;
    CHECK(session_sync(d.session, d.ids, 30, &err));
    float after = d.session->logits[3];
    desk_close(&d);
    if (!desk_open(&d, "llama", EXACT)) return;
    CHECK(session_sync(d.session, d.ids, 30, &err) && d.session->logits[3] == after);
    desk_close(&d);
    SessionOptions odd = EXACT;
    odd.cache = DTYPE_Q8_0; // heads of width 8 have no groups of 32
    Model *m = model_open(test_fixture("fixtures/models/llama"), (ModelOptions){0}, &err);
    CHECK_FAILS(session_open(m, odd, &err), err, ERROR_UNSUPPORTED, "width 8");
    model_close(m);
    odd = EXACT;
    odd.context = 65;
    m = model_open(test_fixture("fixtures/models/gpt2"), (ModelOptions){0}, &err);
    CHECK_FAILS(session_open(m, odd, &err), err, ERROR_LIMIT, "learned 64");
    model_close(m);
}

// ---------------------------------------------------------------- generation
static bool generate_with(Desk *d, SamplerOptions sampling, int64_t n, Generated *g) {
    Error err = {0};
    GenerateSpec spec = {.prompt = d->ids,
                         .n_prompt = 10,
                         .tokens_max = n,
                         .sampling = sampling,
                         .ignore_end = true};
    return test_check(generate(d->session, &d->arena, &spec, g, &err), __FILE__, __LINE__, "%s",
                      err.text);
}

TEST(generate, is_the_same_for_a_seed_on_any_number_of_threads) {
    SamplerOptions sampling = sampler_defaults();
    Generated g[3];
    sampling.temperature = 1.5;
    sampling.seed = 42;
    for (int threads = 1; threads <= 3; threads++) {
        Desk d;
        Error err = {0};
        SessionOptions options = EXACT;
        options.pool = pool_open(threads, &err);
        if (!desk_open(&d, "llama", options)) return;
        static int32_t kept[3][30];
        if (generate_with(&d, sampling, 30, &g[threads - 1]))
            memcpy(kept[threads - 1], g[threads - 1].token, sizeof kept[0]);
        CHECK_EQUAL(g[threads - 1].n, 30);
        CHECK(memcmp(kept[0], kept[threads - 1], sizeof kept[0]) == 0);
        desk_close(&d);
        pool_close(options.pool);
    }
}

TEST(generate, stops_where_it_should) {
    Desk d;
    Error err = {0};
    Generated g;
    SamplerOptions greedy = sampler_neutral();
    greedy.temperature = 0;
    if (!desk_open(&d, "llama", EXACT)) return;
    CHECK(generate_with(&d, greedy, 5, &g) && g.n == 5 && g.reason == FINISH_LENGTH);
    CHECK_EQUAL(g.n_prompt_computed, 10);
    CHECK(generate_with(&d, greedy, -1, &g) && g.reason == FINISH_LENGTH);
    CHECK_EQUAL(g.n, 64 - 10 + 1); // the last one need not be remembered
    CHECK(generate_with(&d, greedy, 0, &g) && g.n == 0 && g.text.n == 0);
    greedy.temperature = -1;
    GenerateSpec spec = {.prompt = d.ids, .n_prompt = 10, .tokens_max = 5, .sampling = greedy};
    CHECK_FAILS(generate(d.session, &d.arena, &spec, &g, &err), err, ERROR_USAGE, "temperature");
    desk_close(&d);
}

// ---------------------------------------------------------------- beams
// Sum of log-probabilities of a continuation, computed step by step in another session.
static double log_prob_of(Desk *d, const int32_t *token, int64_t n) {
    Error err = {0};
    double sum = 0;
    CHECK(session_sync(d->session, d->ids, 10, &err));
    for (int64_t i = 0; i < n; i++) {
        sum += (double)d->session->logits[token[i]] -
               softmax_log_total(d->session->logits, d->model->config.vocab);
        if (i + 1 < n) CHECK(session_add(d->session, token[i], &err));
    }
    return sum;
}

TEST(beam_session, scores_are_those_of_its_texts) {
    Desk d;
    Error err = {0};
    BeamResult result;
    Generated greedy;
    if (!desk_open(&d, "qwen2", EXACT)) return;
    BeamOptions options = {
        .n_beams = 4, .n_best = 4, .tokens_max = 8, .length_penalty = 0, .stop = BEAM_STOP_NEVER};
    options.end = d.ids; // none of them: nothing ends
    if (!CHECK(session_beams(d.session, &d.arena, d.ids, 10, options, &result, &err))) return;
    CHECK_EQUAL(result.n, 4);
    for (int i = 0; i < result.n; i++) {
        CHECK_CLOSE(result.text[i].log_prob, log_prob_of(&d, result.text[i].token, 8), 1e-6);
        if (i) CHECK(result.text[i - 1].score >= result.text[i].score);
    }
    SamplerOptions sampling = sampler_neutral();
    sampling.temperature = 0;
    CHECK(generate_with(&d, sampling, 8, &greedy));
    CHECK(result.text[0].log_prob >= log_prob_of(&d, greedy.token, 8) - 1e-9);
    options.n_beams = options.n_best = 1; // one beam is the greedy text
    CHECK(session_beams(d.session, &d.arena, d.ids, 10, options, &result, &err));
    CHECK(memcmp(result.text[0].token, greedy.token, 8 * sizeof *greedy.token) == 0);
    desk_close(&d);
}
