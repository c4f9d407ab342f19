// test_sampler.c - every stage by hand, against a slow oracle, and against Hugging Face.
//
// The oracle sorts everything, takes libm's exp and log, and follows the words of sampler.h.  The
// golden sets (fixtures/sampler.json) come from transformers: tools/golden_sampler.py.
#include "generate/sampler.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "tests/test.h"

enum { V_MAX = 40000 };

static Arena test_arena(void) {
    Arena arena;
    Error err = {0};
    require(arena_init(&arena, ARENA_DEFAULT, &err));
    return arena;
}

// What is left after all stages, sorted by logit.
static Distribution chain_result(Arena *arena, const SamplerOptions *options, int64_t n_vocab,
                                 const SamplerInput *in) {
    Error err = {0};
    bool is_valid = sampler_check(options, n_vocab, &err);
    test_check(is_valid, __FILE__, __LINE__, "%s", err.text);
    SamplerReport report;
    Sampler *s = sampler_make(arena, options, n_vocab);
    bool ok = sampler_explain(s, in, n_vocab, arena, &report, &err);
    test_check(ok, __FILE__, __LINE__, "%s", err.text);
    return report.n_stages > 0 ? report.stage[report.n_stages - 1].after : report.model;
}

// Checks that exactly these ids are left, in this order.
static void check_ids(Distribution d, const int *id, int n, int line) {
    test_check(d.kept == n && d.n == n, __FILE__, line, "%lld kept, %lld listed, want %d",
               (long long)d.kept, (long long)d.n, n);
    for (int i = 0; i < n && i < d.n; i++)
        test_check(d.candidate[i].id == id[i], __FILE__, line, "place %d: id %d, want %d", i,
                   d.candidate[i].id, id[i]);
}
#define CHECK_IDS(d, ...) \
    check_ids((d), (const int[]){__VA_ARGS__}, sizeof(int[]){__VA_ARGS__} / sizeof(int), __LINE__)

// ---- by hand

// Probabilities 1/8, 1/2, 1/16, 1/4, 1/16 up to roundings of the logits.
static const float LN2 = 0x1.62e43p-1f;
static const float EIGHTHS[] = {2 * LN2, 4 * LN2, LN2, 3 * LN2, LN2};

TEST(sampler, keeps_by_hand) {
    Arena arena = test_arena();
    SamplerInput in = {.logits = EIGHTHS};
    SamplerOptions o = sampler_neutral();
    Distribution d = chain_result(&arena, &o, 5, &in);
    CHECK_IDS(d, 1, 3, 0, 2, 4);
    CHECK_CLOSE(d.candidate[0].probability, 0.5, 1e-6);
    CHECK_CLOSE(d.candidate[4].probability, 0.0625, 1e-6);
    CHECK(d.rest_probability == 0);

    o.top_k = 4; // ids 2 and 4 are tied: the lower one stays
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 1, 3, 0, 2);
    o.top_k = 1;
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 1);
    o.top_k = 1000;
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 1, 3, 0, 2, 4);

    o = sampler_neutral();
    o.top_p = 0.74; // 1/2 + 1/4 reach it
    d = chain_result(&arena, &o, 5, &in);
    CHECK_IDS(d, 1, 3);
    CHECK_CLOSE(d.candidate[0].probability, 2.0 / 3, 1e-6);
    o.top_p = 0.76;
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 1, 3, 0);
    o.top_p = 0;
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 1);

    o = sampler_neutral();
    o.min_p = 0.2; // of 1/2: 0.1
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 1, 3, 0);
    o.min_p = 0.12; // ties stay or go together
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 1, 3, 0, 2, 4);
    o.min_p = 1;
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 1);
    SamplerInput flat = {.logits = (const float[]){3, 3, 1, 3}};
    CHECK_IDS(chain_result(&arena, &o, 4, &flat), 0, 1, 3);
    arena_drop(&arena);
}

// The entropy is 15/8 bits, the surprises are 3, 1, 4, 2, 4 bits: id 3 is nearest (1/8), then id 1
// (7/8), then id 0 (9/8), then 2 and 4 (17/8).
TEST(sampler, typical_by_hand) {
    Arena arena = test_arena();
    SamplerInput in = {.logits = EIGHTHS};
    SamplerOptions o = sampler_neutral();
    o.typical = 0.2;
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 3);
    o.typical = 0.3;
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 1, 3);
    o.typical = 0.8;
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 1, 3, 0);
    o.typical = 0.9;
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 1, 3, 0, 2);
    o.typical = 0;
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 3);
    // A token of no probability has 0 log 0 = 0 and never stays.
    SamplerInput forbidden = {.logits = (const float[]){0, -INFINITY, -2000, 0}};
    o.typical = 0.999;
    CHECK_IDS(chain_result(&arena, &o, 4, &forbidden), 0, 3);
    arena_drop(&arena);
}

TEST(sampler, penalties_by_hand) {
    Arena arena = test_arena();
    const float logits[] = {4, -4, 2, 0, 1};
    const int32_t history[] = {0, 0, 1, 2, 2, 2, 3}; // prompt: 0 0 1
    SamplerInput in = {logits, history, 7, 3};
    SamplerOptions o = sampler_neutral();
    o.repetition = 2; // once per token: 2, -8, 1, 0, 1
    Distribution d = chain_result(&arena, &o, 5, &in);
    CHECK_IDS(d, 0, 2, 4, 3, 1);
    CHECK(d.candidate[0].logit == 2 && d.candidate[1].logit == 1 && d.candidate[3].logit == 0 &&
          d.candidate[4].logit == -8);
    o.repetition_window = 4; // without the prompt: 4, -4, 1, 0, 1
    d = chain_result(&arena, &o, 5, &in);
    CHECK(d.candidate[0].logit == 4 && d.candidate[1].id == 2 && d.candidate[1].logit == 1 &&
          d.candidate[4].logit == -4);

    o = sampler_neutral();
    o.frequency = 0.5; // generated: 2 2 2 3
    d = chain_result(&arena, &o, 5, &in);
    CHECK_IDS(d, 0, 4, 2, 3, 1);
    CHECK(d.candidate[0].logit == 4 && d.candidate[2].logit == 0.5 && d.candidate[3].logit == -0.5);
    o.presence = 0.25;
    d = chain_result(&arena, &o, 5, &in);
    CHECK(d.candidate[2].logit == 0.25 && d.candidate[3].logit == -0.75);

    o = sampler_neutral();
    const LogitBias bias[] = {{0, -INFINITY}, {1, 7}, {1, 0.5f}};
    o.bias = bias;
    o.n_bias = 3;
    d = chain_result(&arena, &o, 5, &in);
    CHECK_IDS(d, 1, 2, 4, 3);
    CHECK(d.candidate[0].logit == 3.5);
    arena_drop(&arena);
}

// With temperature 4 first, top-p 0.74 needs 4 tokens; last, it needs 2.
TEST(sampler, orders_differ) {
    Arena arena = test_arena();
    SamplerInput in = {.logits = EIGHTHS};
    SamplerOptions o = sampler_neutral();
    o.temperature = 4;
    o.top_p = 0.74;
    CHECK_IDS(chain_result(&arena, &o, 5, &in), 1, 3, 0, 2);
    o.order = ORDER_LLAMA_CPP;
    Distribution d = chain_result(&arena, &o, 5, &in);
    CHECK_IDS(d, 1, 3);
    CHECK_CLOSE(d.candidate[0].probability, 1 / (1 + exp2(-0.25)), 1e-6);
    arena_drop(&arena);
}

// ---- edges

static Choice choose(Arena *arena, const SamplerOptions *o, int64_t n_vocab, const float *logits) {
    Error err = {0};
    Choice choice = {.id = -1};
    SamplerInput in = {.logits = logits};
    bool is_valid = sampler_check(o, n_vocab, &err);
    bool ok = is_valid && sampler_choose(sampler_make(arena, o, n_vocab), &in, &choice, &err);
    test_check(ok, __FILE__, __LINE__, "%s", err.text);
    return choice;
}

TEST(sampler, temperature_edges) {
    Arena arena = test_arena();
    const float logits[] = {1, 5, -3, 5, 4.9f};
    const float extreme[] = {-3e38f, 3e38f, -3e38f, 2.9e38f, -INFINITY};
    for (int order = 0; order < 2; order++) {
        SamplerOptions o = sampler_neutral();
        o.order = (SamplerOrder)order;
        o.temperature = 0;
        Choice c = choose(&arena, &o, 5, logits);
        CHECK(c.id == 1 && c.probability == 1 && c.kept == 1 && c.draw == -1);
        o.top_p = 0.9, o.top_k = 4, o.min_p = 0.1;
        CHECK_EQUAL(choose(&arena, &o, 5, logits).id, 1);
        static const double small[] = {1e-3, 9.99e-4, 1e-7, 1e-30, 1e-300, 5e-324};
        for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
            o = sampler_neutral();
            o.order = (SamplerOrder)order;
            o.temperature = small[i];
            c = choose(&arena, &o, 5, logits);
            CHECK(c.id == 1 || c.id == 3);
            CHECK_CLOSE(c.probability, 0.5, 1e-12);
            c = choose(&arena, &o, 5, extreme);
            CHECK(c.id == 1 && c.probability == 1);
            o.top_p = 0.5, o.typical = 0.5, o.min_p = 1;
            CHECK_EQUAL(choose(&arena, &o, 5, extreme).id, 1);
        }
        o = sampler_neutral();
        o.temperature = 1000;
        CHECK_CLOSE(choose(&arena, &o, 5, logits).probability, 0.2, 1e-2);
    }
    arena_drop(&arena);
}

// Here the mass asked for may lie above the sum of the sorted weights by a rounding; the prefix
// then ends with the last token that has a probability, not with the impossible ones behind it.
TEST(sampler, top_p_just_below_1) {
    Arena arena = test_arena();
    Rng rng = rng_seed(test_seed());
    SamplerOptions o = sampler_neutral();
    o.top_p = nextafter(1, 0);
    int n_whole = 0;
    for (int round = 0; round < 500; round++) {
        int n = round % 2 ? 7 : 40; // one bucket, or several with nothing in the last
        float logits[40] = {[2] = -2000, [5] = -INFINITY};
        for (int i = 0; i < n; i++) logits[i] += (float)rng_uniform(&rng);
        SamplerInput in = {.logits = logits};
        Distribution d = chain_result(&arena, &o, n, &in);
        CHECK(d.kept <= n - 2);
        n_whole += d.kept == n - 2;
    }
    CHECK(n_whole > 400);
    arena_drop(&arena);
}

TEST(sampler, one_token) {
    Arena arena = test_arena();
    SamplerOptions o = sampler_defaults();
    o.top_k = 3, o.min_p = 0.5, o.typical = 0.3;
    Choice c = choose(&arena, &o, 1, (const float[]){-7});
    CHECK(c.id == 0 && c.probability == 1 && c.kept == 1 && c.draw >= 0);
    // One finite logit is one token.
    c = choose(&arena, &o, 3, (const float[]){-INFINITY, -1e30f, -INFINITY});
    CHECK(c.id == 1 && c.probability == 1 && c.kept == 1);
    arena_drop(&arena);
}

TEST(sampler, refuses_impossible_logits) {
    Arena arena = test_arena();
    Error err;
    Choice c;
    SamplerOptions o = sampler_defaults();
    Sampler *s = sampler_make(&arena, &o, 3);
    uint64_t before = sampler_rng(s)->s[0];
    SamplerInput in = {.logits = (const float[]){1, NAN, 2}};
    CHECK_FAILS(sampler_choose(s, &in, &c, &err), err, ERROR_FORMAT, "NaN for token 1");
    in.logits = (const float[]){1, 2, INFINITY};
    CHECK_FAILS(sampler_choose(s, &in, &c, &err), err, ERROR_FORMAT, "infinity for token 2");
    in.logits = (const float[]){-INFINITY, -INFINITY, -INFINITY};
    CHECK_FAILS(sampler_choose(s, &in, &c, &err), err, ERROR_FORMAT, "every token");
    SamplerReport report;
    CHECK_FAILS(sampler_explain(s, &in, 3, &arena, &report, &err), err, ERROR_FORMAT,
                "every token");
    CHECK(sampler_rng(s)->s[0] == before);
    const LogitBias all[] = {{0, -INFINITY}, {2, -INFINITY}};
    o.bias = all;
    o.n_bias = 2;
    in.logits = (const float[]){1, -INFINITY, 2};
    CHECK_FAILS(sampler_choose(sampler_make(&arena, &o, 3), &in, &c, &err), err, ERROR_USAGE,
                "logit_bias forbids");
    // The same sampler goes on after a failure.
    in.logits = (const float[]){1, 2, 3};
    CHECK(sampler_choose(s, &in, &c, &err));
    arena_drop(&arena);
}

TEST(sampler, refuses_impossible_options) {
    Error err;
    SamplerOptions o = {0};
    CHECK_FAILS(sampler_check(&o, 10, &err), err, ERROR_USAGE, "repetition_penalty 0");
    static const double wrong[] = {-0.1, 1001, (double)NAN, HUGE_VAL, -HUGE_VAL, 1e308};
#define CHECK_RANGE(field, word)                                          \
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {           \
        o = sampler_defaults();                                           \
        o.field = wrong[i];                                               \
        CHECK_FAILS(sampler_check(&o, 10, &err), err, ERROR_USAGE, word); \
    }
    CHECK_RANGE(temperature, "temperature ");
    CHECK_RANGE(top_p, "top_p ");
    CHECK_RANGE(min_p, "min_p ");
    CHECK_RANGE(typical, "typical ");
    CHECK_RANGE(repetition, "repetition_penalty ");
    o = sampler_defaults();
    o.frequency = (double)NAN;
    CHECK_FAILS(sampler_check(&o, 10, &err), err, ERROR_USAGE, "frequency_penalty");
    o = sampler_defaults();
    o.presence = 1e9;
    CHECK_FAILS(sampler_check(&o, 10, &err), err, ERROR_USAGE, "presence_penalty 1e+09");
    o = sampler_defaults();
    o.top_k = -1;
    CHECK_FAILS(sampler_check(&o, 10, &err), err, ERROR_USAGE, "top_k -1");
    o = sampler_defaults();
    o.repetition_window = -1;
    CHECK_FAILS(sampler_check(&o, 10, &err), err, ERROR_USAGE, "repetition_window");
    o = sampler_defaults();
    o.order = (SamplerOrder)7;
    CHECK_FAILS(sampler_check(&o, 10, &err), err, ERROR_USAGE, "order 7");
    LogitBias bias = {10, 1};
    o = sampler_defaults();
    o.bias = &bias;
    o.n_bias = 1;
    CHECK_FAILS(sampler_check(&o, 10, &err), err, ERROR_USAGE, "token 10 is not");
    bias = (LogitBias){-1, 1};
    CHECK_FAILS(sampler_check(&o, 10, &err), err, ERROR_USAGE, "token -1 is not");
    bias = (LogitBias){3, NAN};
    CHECK_FAILS(sampler_check(&o, 10, &err), err, ERROR_USAGE, "token 3: not a finite");
    bias.bias = INFINITY;
    CHECK_FAILS(sampler_check(&o, 10, &err), err, ERROR_USAGE, "token 3: not a finite");
    bias.bias = -INFINITY;
    CHECK(sampler_check(&o, 10, &err));
    o = sampler_defaults();
    CHECK(sampler_check(&o, 10, &err));
    CHECK(o.temperature == 0.7 && o.top_p == 0.9);
}

TEST(sampler, explains_each_stage) {
    Arena arena = test_arena();
    Error err = {0};
    SamplerOptions o = sampler_neutral();
    o.temperature = 0.5;
    o.top_k = 4;
    o.min_p = 0.2;
    SamplerInput in = {.logits = EIGHTHS};
    SamplerReport r;
    Sampler *s = sampler_make(&arena, &o, 5);
    CHECK(sampler_explain(s, &in, 2, &arena, &r, &err));
    // Squared and normalised: 4, 64, 1, 16, 1 of 86; of 85 after top-k; of 80 after min-p.
    CHECK_EQUAL(r.n_stages, 3);
    CHECK(r.model.kept == 5 && r.model.n == 2);
    CHECK_CLOSE(r.model.rest_probability, 0.25, 1e-6);
    static const SamplerStage stage[] = {STAGE_TEMPERATURE, STAGE_TOP_K, STAGE_MIN_P};
    static const int kept[] = {5, 4, 2}, total[] = {86, 85, 80};
    for (int i = 0; i < 3; i++) {
        Distribution d = r.stage[i].after;
        CHECK_EQUAL(r.stage[i].stage, stage[i]);
        CHECK_EQUAL(d.kept, kept[i]);
        CHECK(d.n == 2 && d.candidate[0].id == 1 && d.candidate[1].id == 3);
        CHECK_CLOSE(d.candidate[0].probability, 64.0 / total[i], 1e-6);
        CHECK_CLOSE(d.candidate[1].probability, 16.0 / total[i], 1e-6);
        CHECK_CLOSE(d.rest_probability, (total[i] - 80.0) / total[i], 1e-6);
    }
    CHECK(r.stage[0].parameter == 0.5 && r.stage[1].parameter == 4 && r.stage[2].parameter == 0.2);
    CHECK(strcmp(sampler_stage_name(r.stage[1].stage), "top_k") == 0);
    CHECK(r.stage[2].after.rest_probability == 0);
    CHECK(sampler_explain(s, &in, 0, &arena, &r, &err));
    CHECK(r.model.n == 0);
    CHECK_CLOSE(r.model.rest_probability, 1, 1e-15);
    arena_drop(&arena);
}

// ---- the oracle

typedef struct Item {
    int32_t id;
    double logit, p, key;
} Item;

static int by_key(const void *a, const void *b) {
    const Item *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static void oracle_probabilities(Item *item, int64_t n) {
    double max = -HUGE_VAL, total = 0;
    for (int64_t i = 0; i < n; i++) max = fmax(max, item[i].logit);
    for (int64_t i = 0; i < n; i++) total += item[i].p = exp(item[i].logit - max);
    for (int64_t i = 0; i < n; i++) item[i].p /= total;
}

static void oracle_sort(Item *item, int64_t n) {
    for (int64_t i = 0; i < n; i++) item[i].key = -item[i].logit;
    qsort(item, (size_t)n, sizeof *item, by_key);
}

// The smallest prefix whose probability reaches p.
static int64_t oracle_prefix(const Item *item, int64_t n, double p) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += item[i].p;
        if (sum >= p) return i + 1;
    }
    return n;
}

static int64_t oracle_stage(Item *item, int64_t n, const SamplerOptions *o, char stage) {
    oracle_probabilities(item, n);
    oracle_sort(item, n);
    if (stage == 't') {
        if (o->temperature == 0) return 1;
        for (int64_t i = 0; i < n; i++) item[i].logit /= o->temperature;
    }
    if (stage == 'k' && o->top_k > 0 && o->top_k < n) return o->top_k;
    if (stage == 'p' && o->top_p < 1) return oracle_prefix(item, n, o->top_p);
    if (stage == 'm') {
        while (item[n - 1].p < o->min_p * item[0].p) n--;
    }
    if (stage == 'y' && o->typical < 1) {
        double entropy = 0;
        for (int64_t i = 0; i < n; i++) entropy -= item[i].p > 0 ? item[i].p * log(item[i].p) : 0;
        for (int64_t i = 0; i < n; i++) item[i].key = fabs(-log(item[i].p) - entropy);
        qsort(item, (size_t)n, sizeof *item, by_key);
        return oracle_prefix(item, n, o->typical);
    }
    return n;
}

static int64_t oracle(Item *item, int64_t n, const SamplerOptions *o, const SamplerInput *in) {
    int64_t n_items = 0;
    for (int32_t id = 0; id < n; id++) {
        double logit = (double)in->logits[id];
        for (int i = 0; i < o->n_bias; i++)
            logit += o->bias[i].id == id ? (double)o->bias[i].bias : 0;
        int64_t begin = o->repetition_window > 0 ? in->n_history - o->repetition_window : 0;
        bool has_occurred = false;
        int n_generated = 0;
        for (int64_t i = 0; i < in->n_history; i++) {
            has_occurred |= in->history[i] == id && i >= begin;
            n_generated += in->history[i] == id && i >= in->n_prompt;
        }
        if (has_occurred) logit = logit > 0 ? logit / o->repetition : logit * o->repetition;
        logit -= o->frequency * n_generated;
        logit -= n_generated > 0 ? o->presence : 0;
        if (logit > -HUGE_VAL) item[n_items++] = (Item){.id = id, .logit = logit};
    }
    const char *stages = o->order == ORDER_HUGGING_FACE ? "tkpmy" : "kypmt";
    for (; *stages; stages++) n_items = oracle_stage(item, n_items, o, *stages);
    oracle_probabilities(item, n_items);
    oracle_sort(item, n_items);
    return n_items;
}

static void check_oracle(Arena *arena, const SamplerOptions *o, int64_t n, const SamplerInput *in) {
    ArenaMark mark = arena_mark(arena);
    Item *item = arena_new(arena, Item, n);
    int64_t n_items = oracle(item, n, o, in);
    Distribution d = chain_result(arena, o, n, in);
    int64_t n_wrong = llabs(d.n - n_items);
    for (int64_t i = 0; i < n_items && i < d.n; i++) {
        n_wrong += d.candidate[i].id != item[i].id;
        n_wrong += !(fabs(d.candidate[i].probability - item[i].p) <= 1e-12);
    }
    test_check(
        n_wrong == 0, __FILE__, __LINE__,
        "%lld differences: V %lld order %d t %g k %lld p %g min %g typ %g: %lld kept, want %lld",
        (long long)n_wrong, (long long)n, o->order, o->temperature, (long long)o->top_k, o->top_p,
        o->min_p, o->typical, (long long)d.n, (long long)n_items);
    arena_back(arena, mark);
}

static bool coin(Rng *rng) {
    return rng_below(rng, 2) == 0;
}

static SamplerOptions random_options(Rng *rng, int64_t n, LogitBias *bias) {
    SamplerOptions o = sampler_neutral();
    o.order = coin(rng) ? ORDER_HUGGING_FACE : ORDER_LLAMA_CPP;
    if (coin(rng)) o.temperature = 0.2 + 2 * rng_uniform(rng);
    if (rng_below(rng, 16) == 0) o.temperature = 0;
    if (coin(rng)) o.top_k = 1 + (int64_t)rng_below(rng, (uint64_t)n + 3);
    if (coin(rng)) o.top_p = rng_uniform(rng);
    if (coin(rng)) o.min_p = 0.5 * rng_uniform(rng) * rng_uniform(rng);
    if (coin(rng)) o.typical = rng_uniform(rng);
    if (coin(rng)) o.repetition = 0.5 + rng_uniform(rng);
    if (coin(rng)) o.repetition_window = (int64_t)rng_below(rng, 12);
    if (coin(rng)) o.frequency = rng_normal(rng);
    if (coin(rng)) o.presence = rng_normal(rng);
    o.bias = bias;
    o.n_bias = n > 1 ? (int)rng_below(rng, 4) : 0;
    for (int i = 0; i < o.n_bias; i++) {
        bias[i].id = 1 + (int32_t)rng_below(rng, (uint64_t)n - 1); // token 0 is never forbidden
        bias[i].bias = rng_below(rng, 4) == 0 ? -INFINITY : (float)rng_normal(rng);
    }
    return o;
}

TEST(sampler, equals_oracle) {
    Arena arena = test_arena();
    Rng rng = rng_seed(test_seed());
    for (int round = 0; round < 3000; round++) {
        float logits[300];
        int32_t history[16];
        LogitBias bias[4];
        int64_t n = 1 + (int64_t)rng_below(&rng, round % 10 ? 40 : 300);
        SamplerOptions o = random_options(&rng, n, bias);
        double spread = exp(3 * rng_uniform(&rng) - 1);
        bool has_ties = rng_below(&rng, 3) == 0;
        for (int64_t i = 0; i < n; i++) {
            double x = spread * rng_normal(&rng);
            logits[i] = (float)(has_ties ? rint(2 * x) / 2 : x);
            if (i > 0 && rng_below(&rng, 20) == 0) logits[i] = -INFINITY;
        }
        SamplerInput in = {logits, history, (int64_t)rng_below(&rng, 17), 0};
        for (int64_t i = 0; i < in.n_history; i++)
            history[i] = (int32_t)rng_below(&rng, (uint64_t)n);
        in.n_prompt = (int64_t)rng_below(&rng, (uint64_t)in.n_history + 1);
        check_oracle(&arena, &o, n, &in);
    }
    arena_drop(&arena);
}

// The bucket that is sorted may hold a few tokens, all of them, or all equal ones.
TEST(sampler, equals_oracle_on_large_vocabularies) {
    Arena arena = test_arena();
    Rng rng = rng_seed(test_seed());
    float *logits = arena_new(&arena, float, V_MAX);
    SamplerInput in = {.logits = logits};
    for (int shape = 0; shape < 4; shape++) {
        for (int64_t i = 0; i < V_MAX; i++) {
            double x = rng_normal(&rng);
            double shapes[] = {3 * x, 1e-3 * x, 2.5, 1e4 * x * fabs(x)};
            logits[i] = (float)shapes[shape];
        }
        SamplerOptions o = sampler_neutral();
        o.temperature = 0.7;
        o.top_p = 0.90112345;
        check_oracle(&arena, &o, V_MAX, &in);
        o = sampler_neutral();
        o.order = ORDER_LLAMA_CPP;
        o.top_k = shape % 2 ? 40 : 30000;
        o.typical = 0.61234567;
        check_oracle(&arena, &o, V_MAX, &in);
    }
    arena_drop(&arena);
}

// ---- Hugging Face

static SamplerOptions options_from(const Json *json, LogitBias *bias) {
    SamplerOptions o = sampler_neutral();
    o.temperature = json_number(json_get(json, "temperature"), o.temperature);
    o.top_k = json_integer(json_get(json, "top_k"), o.top_k);
    o.top_p = json_number(json_get(json, "top_p"), o.top_p);
    o.min_p = json_number(json_get(json, "min_p"), o.min_p);
    o.typical = json_number(json_get(json, "typical"), o.typical);
    o.repetition = json_number(json_get(json, "repetition_penalty"), o.repetition);
    const Json *pairs = json_get(json, "logit_bias");
    for (const Json *pair = pairs ? pairs->child : NULL; pair; pair = pair->next)
        bias[o.n_bias++] = (LogitBias){(int32_t)json_integer(json_at(pair, 0), -1),
                                       (float)json_number(json_at(pair, 1), 0)};
    o.bias = bias;
    return o;
}

// The position of an id among the candidates, which are sorted by logit; -1 if it is not there.
static int64_t place_of(Distribution d, int64_t id) {
    for (int64_t i = 0; i < d.n; i++) {
        if (d.candidate[i].id == id) return i;
    }
    return -1;
}

TEST(sampler, equals_hugging_face) {
    Arena arena = test_arena();
    Error err = {0};
    Str text;
    if (!CHECK(file_read(&arena, test_fixture("fixtures/sampler.json"), 1 << 20, &text, &err)))
        return;
    const Json *golden = json_parse(&arena, text, SIZE_MAX, &err);
    if (!CHECK(golden)) return;
    int32_t history[16];
    int64_t n_history = 0, n_cases = 0;
    for (const Json *id = json_get(golden, "history")->child; id; id = id->next)
        history[n_history++] = (int32_t)id->integer;
    for (const Json *c = json_get(golden, "cases")->child; c; c = c->next) {
        float logits[64];
        int64_t n_vocab = 0;
        int64_t i_row = json_integer(json_get(c, "row"), -1);
        for (const Json *x = json_at(json_get(golden, "rows"), i_row)->child; x; x = x->next)
            logits[n_vocab++] = (float)x->number;
        LogitBias bias[8];
        SamplerOptions o = options_from(json_get(c, "options"), bias);
        SamplerInput in = {logits, history, n_history, n_history};
        Distribution d = chain_result(&arena, &o, n_vocab, &in);
        const Json *kept = json_get(c, "kept");
        test_check(d.n == kept->count, __FILE__, __LINE__, "case %lld: %lld kept, want %lld",
                   (long long)n_cases, (long long)d.n, (long long)kept->count);
        const Json *p = json_get(c, "probability")->child;
        for (const Json *id = kept->child; id; id = id->next, p = p->next) {
            int64_t at = place_of(d, id->integer);
            if (CHECK(at >= 0)) CHECK_CLOSE(d.candidate[at].probability, p->number, 1e-9);
        }
        n_cases++;
    }
    CHECK(n_cases == 78);
    arena_drop(&arena);
}

// ---- draws

// The draw picks from the candidates side by side, the most probable first.
TEST(sampler, draws_side_by_side) {
    Arena arena = test_arena();
    Error err = {0};
    Rng logit_rng = rng_seed(test_seed());
    float logits[100];
    for (int i = 0; i < 100; i++) logits[i] = (float)(2 * rng_normal(&logit_rng));
    SamplerOptions o = sampler_defaults();
    o.seed = 7;
    SamplerInput in = {.logits = logits};
    Distribution d = chain_result(&arena, &o, 100, &in);
    Sampler *s = sampler_make(&arena, &o, 100), *again = sampler_make(&arena, &o, 100);
    Rng rng = rng_seed(7);
    int n_wrong = 0;
    for (int round = 0; round < 2000; round++) {
        Choice c, twin;
        if (!CHECK(sampler_choose(s, &in, &c, &err))) return;
        if (!CHECK(sampler_choose(again, &in, &twin, &err))) return;
        double u = rng_uniform(&rng), sum = 0;
        int64_t at = 0;
        while (at < d.n - 1 && sum + d.candidate[at].probability < u)
            sum += d.candidate[at++].probability;
        n_wrong += c.draw != u || c.id != d.candidate[at].id || twin.id != c.id || c.kept != d.kept;
        n_wrong += fabs(c.probability - d.candidate[at].probability) > 1e-15;
    }
    CHECK_EQUAL(n_wrong, 0);
    // The random state is all that a sampler remembers.
    Rng saved = *sampler_rng(s);
    Choice first, second;
    CHECK(sampler_choose(s, &in, &first, &err));
    *sampler_rng(again) = saved;
    CHECK(sampler_choose(again, &in, &second, &err));
    CHECK(first.draw == second.draw && first.id == second.id);
    arena_drop(&arena);
}

// Pearson's statistic of n draws against the probabilities of the report; fails at p < 1e-4 by the
// approximation of Wilson and Hilferty.
static void check_frequencies(Arena *arena, const SamplerOptions *o, const float *logits,
                              int n_draws) {
    enum { V = 40 };
    Error err = {0};
    SamplerInput in = {.logits = logits};
    Distribution d = chain_result(arena, o, V, &in);
    Sampler *s = sampler_make(arena, o, V);
    int64_t count[V] = {0};
    for (int i = 0; i < n_draws; i++) {
        Choice c;
        if (!CHECK(sampler_choose(s, &in, &c, &err))) return;
        count[c.id]++;
    }
    double statistic = 0, rare_expected = 0, rare_count = 0;
    int n_cells = 0, n_drawn = 0;
    for (int64_t i = 0; i < d.n; i++) {
        double expected = n_draws * d.candidate[i].probability;
        double seen = (double)count[d.candidate[i].id];
        n_drawn += (int)seen;
        if (expected < 10) { // too rare for a cell of its own
            rare_expected += expected;
            rare_count += seen;
            continue;
        }
        statistic += (seen - expected) * (seen - expected) / expected;
        n_cells++;
    }
    if (rare_expected > 0) {
        statistic += (rare_count - rare_expected) * (rare_count - rare_expected) / rare_expected;
        n_cells++;
    }
    CHECK_EQUAL(n_drawn, n_draws); // nothing is drawn that was removed
    double f = n_cells - 1, t = 2 / (9 * f), z = 3.719;
    double limit = f * pow(1 - t + z * sqrt(t), 3);
    test_check(n_cells > 1 && statistic < limit, __FILE__, __LINE__,
               "chi-square %g, limit %g of %g", statistic, limit, f);
}

TEST(sampler, draws_by_probability) {
    Arena arena = test_arena();
    Rng rng = rng_seed(99);
    float logits[40];
    for (int i = 0; i < 40; i++) logits[i] = (float)(1.5 * rng_normal(&rng));
    for (int order = 0; order < 2; order++) {
        SamplerOptions o = sampler_neutral();
        o.order = (SamplerOrder)order;
        o.seed = 12345;
        check_frequencies(&arena, &o, logits, 100000);
        o.temperature = 0.7, o.top_p = 0.9;
        check_frequencies(&arena, &o, logits, 100000);
        o.top_k = 20, o.min_p = 0.02, o.typical = 0.9;
        check_frequencies(&arena, &o, logits, 100000);
    }
    arena_drop(&arena);
}

// ---- softmax

TEST(softmax, equals_libm) {
    double worst = 0;
    Rng rng = rng_seed(test_seed());
    for (int i = 0; i < 100000; i++) {
        float x = (float)(-700 * rng_uniform(&rng) * rng_uniform(&rng));
        double weight[2];
        softmax_weigh((const double[]){0, (double)x}, 2, weight);
        double want = exp((double)x);
        worst = fmax(worst, fabs(weight[1] - want) / want);
        CHECK(weight[0] == 1);
    }
    CHECK(worst < 3e-16);
    double p[4];
    softmax_f64((const float[]){1, -INFINITY, 1, -2000}, 4, p);
    CHECK(p[0] == 0.5 && p[1] == 0 && p[2] == 0.5 && p[3] == 0);
    const float logits[] = {1000, 1001, 999.5f, -INFINITY};
    CHECK_CLOSE(softmax_log_total(logits, 4), 1000 + log(1 + exp(1) + exp(-0.5)), 1e-12);
}

// The very bits, so that another compiler or processor is found out.
TEST(softmax, same_bits_everywhere) {
    float logits[64];
    double p[64];
    for (int i = 0; i < 64; i++) logits[i] = (float)((i * 37) % 64) / 7 - (float)i / 3;
    softmax_f64(logits, 64, p);
    uint64_t digest = 0;
    for (int i = 0; i < 64; i++) {
        uint64_t bits;
        memcpy(&bits, &p[i], sizeof bits);
        digest = digest * 6364136223846793005u + bits;
    }
    test_check(digest == 0xb7bba7950165aaaf, __FILE__, __LINE__, "digest %#llx",
               (unsigned long long)digest);
}
