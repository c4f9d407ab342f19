// test_models.c - every architecture against transformers, on tiny random models.
//
// tests/fixtures/models/NAME holds a model as a Hugging Face folder and as a GGUF file made by
// another program, and golden.safetensors with what the reference computes on it: logits, the
// residual stream after each layer, attention patterns, the loss and the gradient of every
// parameter.  Recipes: tools/golden_models.py, tools/golden_mixers.py for heed's own architecture.
#include <stdlib.h>

#include "format/safetensors.h"
#include "model/model.h"
#include "model/state.h"
#include "model/weights.h"
#include "tests/test.h"

static const char *const names[] = {"gpt2",       "llama",        "llama-plain", "llama-linear",
                                    "mistral",    "qwen2",        "qwen3",       "gemma3",
                                    "mamba",      "heed-rnn",     "heed-lstm",   "heed-mamba",
                                    "heed-alibi", "heed-learned", "heed-sine",   "heed-rotary",
                                    "mixtral",    "qwen2-moe",    "qwen3-moe",   "bert"};
enum { N_NAMES = sizeof names / sizeof *names, IDS_MAX = 64 };

// A model, the run it is given, and what the reference says.
typedef struct Bench {
    const char *name;
    Model *model;
    SafetensorsFile golden;
    Run run;
    Tape tape;
    Probe probe;
    int32_t ids[IDS_MAX], types[IDS_MAX];
    int64_t n;
    SingleBatch single;
    Batch *batch;
} Bench;

static const float *golden_values(Bench *b, const char *key, int64_t *n) {
    const TensorEntry *entry = tensor_file_find(&b->golden.tensors, str_from(key));
    test_check(entry != NULL, __FILE__, __LINE__, "%s: golden %s is missing", b->name, key);
    *n = entry ? entry->bytes / 4 : 0;
    return entry ? entry->data : NULL;
}

static bool bench_open(Bench *b, const char *name, const char *file) {
    Error err = {0};
    char path[128];
    *b = (Bench){.name = name};
    snprintf(path, sizeof path, "fixtures/models/%s/golden.safetensors", name);
    bool ok = safetensors_open(&b->golden, test_fixture(path), true, &err);
    snprintf(path, sizeof path, "fixtures/models/%s%s", name, file);
    b->model = ok ? model_open(test_fixture(path), (ModelOptions){0}, &err) : NULL;
    if (!test_check(b->model != NULL, __FILE__, __LINE__, "%s%s: %s", name, file, err.text))
        return false;
    const int32_t *ids = (const int32_t *)(const void *)golden_values(b, "ids", &b->n);
    if (!CHECK(ids && b->n <= IDS_MAX)) return false;
    memcpy(b->ids, ids, sizeof *ids * (size_t)b->n);
    b->batch = batch_single(&b->single, b->ids, b->n);
    const TensorEntry *types = tensor_file_find(&b->golden.tensors, STR("types"));
    if (types && CHECK_EQUAL(types->bytes, b->n * 4))
        b->batch->types = memcpy(b->types, types->data, (size_t)types->bytes);
    if (!CHECK(run_open(&b->run, NULL, &err))) return false;
    b->run.exact = true;
    return true;
}

static void bench_close(Bench *b) {
    run_close(&b->run);
    model_close(b->model);
    safetensors_close(&b->golden);
}

// Largest difference, relative to the largest value of the reference.
static double difference(const float *a, const float *reference, int64_t n) {
    double largest = 0, scale = 0;
    for (int64_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs((double)a[i] - (double)reference[i]));
        scale = fmax(scale, fabs((double)reference[i]));
    }
    return scale > 1 ? largest / scale : largest;
}

static void check_golden(Bench *b, const char *key, const float *values, int64_t count,
                         double tolerance) {
    int64_t n;
    const float *reference = golden_values(b, key, &n);
    if (!test_check(n == count, __FILE__, __LINE__, "%s %s: %lld values, want %lld", b->name, key,
                    (long long)count, (long long)n))
        return;
    double d = difference(values, reference, n);
    test_check(d <= tolerance, __FILE__, __LINE__, "%s: %s differs by %.2e", b->name, key, d);
}

// ---------------------------------------------------------------- values on the way
static bool wants(void *user, Site site, int layer) {
    (void)user, (void)layer;
    return site == SITE_EMBED || site == SITE_RESID_POST || site == SITE_PATTERN;
}

static Tensor *look(void *user, Run *run, Site site, int layer, Tensor *value) {
    Bench *b = user;
    char key[32];
    if (run->dry) return value;
    if (site == SITE_EMBED)
        snprintf(key, sizeof key, "embed");
    else
        snprintf(key, sizeof key, "%s.%d", site == SITE_PATTERN ? "pattern" : "resid", layer);
    check_golden(b, key, tensor_f32(value), tensor_count(value), 1e-4);
    return value;
}

static void check_forward(const char *name, const char *file) {
    Bench b;
    Error err = {0};
    if (!bench_open(&b, name, file)) return;
    b.probe = (Probe){wants, look, &b};
    for (int with_probe = 0; with_probe < 2; with_probe++) { // the pattern is another code path
        b.run.probe = with_probe ? &b.probe : NULL;
        run_plan_begin(&b.run);
        model_forward(&b.run, b.model, b.batch);
        if (!CHECK(run_allocate(&b.run, &err))) return;
        Tensor *logits = model_forward(&b.run, b.model, b.batch);
        check_golden(&b, "logits", tensor_f32(logits), tensor_count(logits), 1e-4);
    }
    bench_close(&b);
}

TEST(models, forward_of_a_folder_equals_transformers) {
    for (int i = 0; i < N_NAMES; i++) check_forward(names[i], "");
}

TEST(models, forward_of_a_gguf_equals_transformers) {
    for (int i = 0; i < N_NAMES; i++) check_forward(names[i], "/model.gguf.bin");
}

// ---------------------------------------------------------------- gradients
// Rows of a weight's gradient, which the folder has under that name.
static void check_rows(Bench *b, const Weight *w, const char *name, const float *grad,
                       int64_t rows) {
    char key[WEIGHT_NAME_MAX + 8];
    snprintf(key, sizeof key, "grad.%s", name);
    int64_t n, cols = w->dim[1] ? w->dim[1] : 1;
    const float *reference = golden_values(b, key, &n);
    if (!reference || !CHECK(n == rows * cols && grad)) return;
    double difference = 0, size = 0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++) {
            double want =
                (double)reference[w->form == FORM_TRANSPOSED ? c * rows + r : r * cols + c];
            double have = (double)grad[r * cols + c];
            difference += (have - want) * (have - want);
            size += want * want;
        }
    // Some are zero but for rounding: a bias of all keys alike changes no softmax.
    const double nothing = 1e-8;
    double relative = sqrt(difference / (size > nothing ? size : nothing));
    test_check(relative <= 1e-3, __FILE__, __LINE__, "%s %s differs by %.2e", b->name, key,
               relative);
}

static void check_gradient(void *user, const Weight *w, int layer) {
    Bench *b = user;
    char name[WEIGHT_NAME_MAX];
    const Arch *arch = b->model->arch;
    float *grad = w->tensor->grad;
    int64_t rows = w->form == FORM_EXPERTS ? w->dim[0] / w->parts : w->dim[0];
    for (int i = 0; i < w->parts && w->form == FORM_EXPERTS; i++)
        check_rows(b, w, weight_expert_name(arch, w, layer, i, name), grad + i * rows * w->dim[1],
                   rows);
    if (w->form != FORM_EXPERTS && weight_name(arch, w, layer, true, name))
        check_rows(b, w, name, grad, rows);
}

TEST(models, gradients_equal_transformers) {
    for (int i = 0; i < N_NAMES; i++) {
        Bench b;
        Error err = {0};
        int64_t n_parameters;
        if (!bench_open(&b, names[i], "")) return;
        // Every row but the last predicts the next token.
        float weight[IDS_MAX];
        for (int64_t r = 0; r < b.n; r++) weight[r] = r + 1 < b.n ? 1.0f : 0.0f;
        int32_t target[IDS_MAX];
        for (int64_t r = 0; r < b.n; r++) target[r] = b.ids[(r + 1) % b.n];
        LossSpec spec = {.target = target, .weight = weight};
        weights_give_gradients(b.model, &n_parameters);
        b.run.tape = &b.tape;
        run_plan_begin(&b.run);
        run_backward(&b.run, model_loss(&b.run, b.model, b.batch, spec));
        if (!CHECK(run_allocate(&b.run, &err))) return;
        Tensor *loss = model_loss(&b.run, b.model, b.batch, spec);
        check_golden(&b, "loss", tensor_f32(loss), 1, 1e-5);
        run_backward(&b.run, loss);
        weights_each(b.model, check_gradient, &b);
        bench_close(&b);
    }
}
