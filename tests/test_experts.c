// test_experts.c - mixtures of experts: who is chosen, that the load becomes even, that one learns.
// (Against transformers: test_models.c; differences: test_gradients.c; batches: test_invariance.c.)
#include "base/file.h"
#include "base/rng.h"
#include "model/create.h"
#include "model/weights.h"
#include "tensor/ops.h"
#include "tests/test.h"
#include "train/training.h"

enum { ROWS = 7, EXPERTS = 4 };

static Tensor matrix(float *data, float *grad, int64_t rows, int64_t cols) {
    return (Tensor){DTYPE_F32, 2, {rows, cols}, data, grad};
}

TEST(experts, the_likeliest_are_chosen_and_rows_are_grouped) {
    float logits[ROWS * EXPERTS] = {0, 1, 2, 3, 3, 2, 1, 0, 1, 1, 1, 1, 5, -5, 5, 0};
    static const int32_t want[] = {2, 3, 0, 1, 0, 1, 0, 2}; // of equals the first
    Error err = {0};
    Run run;
    if (!CHECK(run_open(&run, NULL, &err))) return;
    Tensor x = matrix(logits, NULL, 4, EXPERTS);
    run_plan_begin(&run);
    op_route(&run, &x, 2, true);
    if (!CHECK(run_allocate(&run, &err))) return;
    const Routing *r = op_route(&run, &x, 2, true);
    for (int i = 0; i < 8; i++) CHECK_EQUAL(r->expert[i], want[i]);
    for (int e = 0; e < EXPERTS; e++)
        for (int64_t i = r->first[e]; i < r->first[e + 1]; i++) {
            int64_t t = r->row[i];
            bool is_his = r->expert[2 * t] == e || r->expert[2 * t + 1] == e;
            CHECK(is_his && (i == r->first[e] || t > r->row[i - 1]));
        }
    CHECK_EQUAL(r->first[EXPERTS], 8);
    const float *weight = tensor_f32(r->weight);
    CHECK_CLOSE(weight[0], 1 / (1 + exp(1)), 1e-6); // expert 2 of 2 and 3
    CHECK_CLOSE(weight[4] + weight[5], 1, 1e-6);
    run_close(&run);
}

// balance * E * sum of (share of the tokens) * (mean probability), from its definition.
static double unevenness(const float *logits, const Routing *r, double balance) {
    double sum = 0;
    for (int e = 0; e < EXPERTS; e++) {
        double share = (double)(r->first[e + 1] - r->first[e]) / ROWS, mean = 0;
        for (int t = 0; t < ROWS; t++) {
            double all = 0;
            for (int i = 0; i < EXPERTS; i++) all += exp((double)logits[t * EXPERTS + i]);
            mean += exp((double)logits[t * EXPERTS + e]) / all / ROWS;
        }
        sum += share * mean;
    }
    return balance * EXPERTS * sum;
}

TEST(experts, balance_has_the_gradient_of_its_definition) {
    float logits[ROWS * EXPERTS], grad[ROWS * EXPERTS] = {0};
    Rng rng = rng_seed(test_seed());
    for (int i = 0; i < ROWS * EXPERTS; i++) logits[i] = (float)rng_normal(&rng);
    Error err = {0};
    Run run;
    Tape tape;
    if (!CHECK(run_open(&run, NULL, &err))) return;
    Tensor x = matrix(logits, grad, ROWS, EXPERTS);
    run.tape = &tape;
    run.balance = 0.7f;
    run_plan_begin(&run);
    op_route(&run, &x, 2, true);
    run_walk_back(&run);
    if (!CHECK(run_allocate(&run, &err))) return;
    const Routing *r = op_route(&run, &x, 2, true);
    run_walk_back(&run); // nothing comes from the weights
    for (int i = 0; i < ROWS * EXPERTS; i++) {
        float at = logits[i];
        logits[i] = at + 1e-3f;
        double high = unevenness(logits, r, 0.7);
        logits[i] = at - 1e-3f;
        double low = unevenness(logits, r, 0.7);
        logits[i] = at;
        CHECK_CLOSE(grad[i], (high - low) / 2e-3, 1e-4);
    }
    run_close(&run);
}

// ---------------------------------------------------------------- learning
// Tokens of which an expert of the first layer is the likeliest.
typedef struct Load {
    int64_t tokens[EXPERTS];
} Load;

static bool wants_router(void *user, Site site, int layer) {
    (void)user;
    return site == SITE_ROUTER && layer == 0;
}

static Tensor *count_load(void *user, Run *run, Site site, int layer, Tensor *value) {
    Load *load = user;
    (void)site, (void)layer;
    for (int64_t t = 0; t < tensor_rows(value) && !run->dry; t++) {
        const float *logits = tensor_f32(value) + t * EXPERTS;
        int first = 0;
        for (int e = 1; e < EXPERTS; e++)
            if (logits[e] > logits[first]) first = e;
        load->tokens[first]++;
    }
    return value;
}

// Trains a little mixture on the page.
static bool learn(Training *t, const char *arch, double balance, int n, bool recompute,
                  double *loss) {
    Error err = {0};
    Str page;
    static Arena arena;
    if (!arena.base && !arena_init(&arena, 16 << 20, &err)) return false;
    TrainingSpec spec = {.settings = settings_default(),
                         .text = &page,
                         .n_texts = 1,
                         .folder = test_path("experts"),
                         .name = "experts",
                         .flops = 1e9};
    bool ok = file_read(&arena, test_fixture("fixtures/page.txt"), 1 << 20, &page, &err) &&
              settings_set(&spec.settings, settings_find(STR("arch")), str_from(arch), &err);
    Settings *s = &spec.settings;
    s->tokenizer = TOKENIZER_BYTES;
    s->layers = 1;
    s->width = 16;
    s->heads = 1;
    s->ffn_width = 16;
    s->experts = EXPERTS;
    s->experts_used = 2;
    s->balance = balance;
    s->recompute = recompute;
    s->context = 32;
    s->batch = 4;
    s->steps = n;
    s->rate = 0.003;
    ok = ok && training_open(t, &spec, &err);
    StepReport r = {0};
    for (int i = 0; i < n && ok; i++) ok = trainer_step(&t->trainer, &r, &err);
    *loss = r.loss;
    return test_check(ok, __FILE__, __LINE__, "%s: %s", arch, err.text);
}

// Of the tokens of a validation.
static double largest_share(Training *t) {
    Load load = {0};
    Probe probe = {wants_router, count_load, &load};
    Validation v;
    Error err = {0};
    t->trainer.check.probe = &probe;
    CHECK(trainer_validate(&t->trainer, &v, &err));
    int64_t all = 0, most = 0;
    for (int e = 0; e < EXPERTS; e++) {
        all += load.tokens[e];
        if (load.tokens[e] > most) most = load.tokens[e];
    }
    return (double)most / (double)(all ? all : 1);
}

TEST(experts, learn_and_share_the_load) {
    double share[2], loss;
    for (int i = 0; i < 2; i++) {
        Training t = {0};
        if (!learn(&t, "llama", i ? 3 : 0, 100, false, &loss)) return;
        CHECK(loss < 3.8);
        share[i] = largest_share(&t);
        training_close(&t);
    }
    test_check(share[1] < share[0] - 0.1 && share[1] < 0.6, __FILE__, __LINE__,
               "largest shares: %g without balance, %g with", share[0], share[1]);
}

TEST(experts, are_chosen_again_when_blocks_are_recomputed) {
    double loss[2];
    for (int i = 0; i < 2; i++) {
        Training t = {0};
        if (!learn(&t, "qwen2", 0.1, 4, i, &loss[i])) return;
        training_close(&t);
    }
    CHECK(loss[0] == loss[1]);
}

TEST(experts, of_every_kind_are_written_and_opened) {
    static const struct {
        const char *asked, *named;
    } kinds[] = {
        {"llama", "llama"}, {"qwen2", "qwen2moe"}, {"qwen3", "qwen3moe"}, {"heed", "llama"}};
    for (int i = 0; i < 4; i++) {
        Training t = {0};
        double loss;
        Error err = {0};
        if (!learn(&t, kinds[i].asked, 0.01, 2, false, &loss)) return;
        TrainingResult result = {.model = test_path("mixture.gguf")};
        CHECK(training_write(&t, &result, &err));
        Model *m = model_open(result.model, (ModelOptions){0}, &err);
        if (test_check(m != NULL, __FILE__, __LINE__, "%s: %s", kinds[i].asked, err.text)) {
            CHECK(str_equal(str_from(m->arch->name), str_from(kinds[i].named)));
            CHECK_EQUAL(m->config.experts, EXPERTS);
            CHECK_EQUAL(weights_count(m).total, weights_count(t.model).total);
        }
        model_close(m);
        training_close(&t);
    }
}
