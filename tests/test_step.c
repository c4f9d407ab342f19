// test_step.c - whole training steps against PyTorch: loss, norm of the gradient, updated weights.
//
// tests/fixtures/step.safetensors holds what two steps of AdamW, and of Muon, make of the tiny
// models; of BERT, which learns from blanks, with AdamW.  Recipe: tools/golden_step.py.
#include "format/safetensors.h"
#include "model/create.h"
#include "model/weights.h"
#include "tests/test.h"
#include "train/trainer.h"

enum { SAMPLES = 4, CONTEXT = 6, STEPS = 2 };

typedef struct Case {
    const char *model;
    int optimizer;
    const char *name; // prefix of its tensors
    bool is_encoder;
} Case;

// Of the encoder: its documents, without what stands around them.
enum { TEXT = 20, HIDDEN = 7 };
static const Sample documents[SAMPLES] = {{0, 6, 0}, {6, 5, 0}, {11, 3, 0}, {14, 6, 0}};

typedef struct Bench {
    const Case *c;
    Model *model;
    const SafetensorsFile *golden;
} Bench;

static const float *golden_values(const Bench *b, const char *key, int64_t n) {
    char name[WEIGHT_NAME_MAX + 32];
    snprintf(name, sizeof name, "%s.%s", b->c->name, key);
    const TensorEntry *entry = tensor_file_find(&b->golden->tensors, str_from(name));
    bool ok = entry && entry->bytes == n * (int64_t)sizeof(float);
    return test_check(ok, __FILE__, __LINE__, "golden %s", name) ? entry->data : NULL;
}

static Settings settings_of(const Case *c) {
    Settings s = settings_default();
    s.context = CONTEXT;
    s.batch = 2;
    s.accumulate = SAMPLES / 2;
    s.steps = STEPS;
    s.schedule = SCHEDULE_CONSTANT;
    s.warmup = 0;
    s.rate = 0.002;
    s.muon_rate = 0.03;
    s.epsilon = 1e-4;
    s.optimizer = c->optimizer;
    if (!c->is_encoder) return s;
    s.context = CONTEXT + 2;
    s.mask_share = 0.4;
    return s;
}

// How far the weight has gone another way, relative to how far it went: it began in the file.  The
// gradient of BERT's biases of keys is 0 but for rounding.
static void check_weight(void *user, const Weight *w, int layer) {
    const Bench *b = user;
    char name[WEIGHT_NAME_MAX];
    weight_name(b->model->arch, w, layer, true, name);
    int64_t rows = w->dim[0], cols = w->dim[1] ? w->dim[1] : 1;
    const TensorEntry *began = tensor_file_find(b->model->tensors, str_from(name));
    const float *want = golden_values(b, name, rows * cols);
    if (!want || !CHECK(began)) return;
    double wrong = 0, way = 0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < cols; i++) {
            int64_t at = w->form == FORM_TRANSPOSED ? i * rows + r : r * cols + i;
            double have = (double)tensor_f32(w->tensor)[r * cols + i];
            double from = (double)((const float *)began->data)[at];
            wrong += pow(have - (double)want[at], 2);
            way += pow((double)want[at] - from, 2);
        }
    bool may_stay = b->c->is_encoder && str_ends(str_from(name), STR("key.bias"));
    double relative = sqrt(wrong / (may_stay ? 1e-8 * (double)rows : way));
    test_check((way > 0 || may_stay) && relative < 1e-3, __FILE__, __LINE__,
               "%s %s went another way: %.2e", b->c->name, name, relative);
}

static void check_case(const Case *c, const SafetensorsFile *golden) {
    Bench b = {c, .golden = golden};
    char path[128];
    Error err = {0};
    snprintf(path, sizeof path, "fixtures/models/%s", c->model);
    b.model = model_open(test_fixture(path), (ModelOptions){0}, &err);
    const TensorEntry *ids =
        tensor_file_find(&golden->tensors, c->is_encoder ? STR("documents") : STR("ids"));
    if (!CHECK(b.model && ids && model_thaw(b.model, &err))) return;
    // All of its windows, or documents, are in every step, whatever the order.
    int64_t n_tokens = c->is_encoder ? TEXT : SAMPLES * CONTEXT + 1;
    Corpus corpus = {.tokenizer = b.model->tokenizer,
                     .id = (int32_t *)(uintptr_t)ids->data,
                     .n = n_tokens,
                     .n_train = n_tokens,
                     .stretch = c->is_encoder ? documents : NULL,
                     .n_stretches = SAMPLES,
                     .n_train_stretches = SAMPLES};
    Settings settings = settings_of(c);
    TrainerSpec spec = {.model = b.model, .corpus = &corpus, .settings = &settings};
    Trainer trainer;
    if (!CHECK(trainer_open(&trainer, &spec, &err))) return;
    const float *loss = golden_values(&b, "loss", STEPS), *norm = golden_values(&b, "norm", STEPS);
    for (int i = 0; i < STEPS && loss && norm; i++) {
        StepReport r;
        if (!CHECK(trainer_step(&trainer, &r, &err))) break;
        CHECK_EQUAL(r.tokens, c->is_encoder ? HIDDEN : SAMPLES * CONTEXT);
        CHECK_CLOSE(r.loss, loss[i], 1e-5 * (double)loss[i]);
        CHECK_CLOSE(r.norm, norm[i], 1e-4 * (double)norm[i]);
    }
    weights_each(b.model, check_weight, &b);
    trainer_close(&trainer);
    model_close(b.model);
}

TEST(step, equals_that_of_pytorch) {
    static const Case cases[] = {{"qwen2", OPTIMIZER_ADAMW, "qwen2.adamw"},
                                 {"qwen2", OPTIMIZER_MUON, "qwen2.muon"},
                                 {"gpt2", OPTIMIZER_ADAMW, "gpt2.adamw"},
                                 {"bert", OPTIMIZER_ADAMW, "bert.adamw", true}};
    enum { CASES = sizeof cases / sizeof *cases };
    SafetensorsFile golden = {0};
    Error err = {0};
    bool ok = safetensors_open(&golden, test_fixture("fixtures/step.safetensors"), true, &err);
    for (int i = 0; ok && i < CASES; i++) check_case(&cases[i], &golden);
    test_check(ok, __FILE__, __LINE__, "%s", err.text);
    safetensors_close(&golden);
}
