// test_lora.c - adapters beside frozen weights: what they add, how they are kept, what they become.
#include <stdlib.h>

#include "base/file.h"
#include "base/rng.h"
#include "export/export.h"
#include "model/adapter.h"
#include "tests/test.h"
#include "train/lora.h"
#include "train/training.h"

static Model *open_fixture(const char *name, bool is_hf, Error *err) {
    char path[128];
    snprintf(path, sizeof path, "fixtures/models/%s%s", name, is_hf ? "" : "/model.gguf.bin");
    Model *m = model_open(test_fixture(path), (ModelOptions){0}, err);
    test_check(m != NULL, __FILE__, __LINE__, "%s: %s", name, err->text);
    return m;
}

enum { IDS = 6, LOGITS_MAX = 1 << 12 };

static bool logits(const Model *m, float *out, Error *err) {
    static const int32_t ids[IDS] = {1, 7, 3, 12, 5, 9};
    SingleBatch single;
    Run run;
    if (!run_open(&run, NULL, err)) return false;
    run.exact = true;
    Batch *batch = batch_single(&single, ids, IDS);
    run_plan_begin(&run);
    model_forward(&run, m, batch);
    bool ok = run_allocate(&run, err);
    Tensor *y = ok ? model_forward(&run, m, batch) : NULL;
    if (ok) memcpy(out, y->data, sizeof(float) * (size_t)(IDS * m->config.vocab));
    run_close(&run);
    return ok;
}

static double difference(const float *a, const float *b, const Model *m) {
    double largest = 0;
    for (int64_t i = 0; i < IDS * m->config.vocab; i++)
        largest = fmax(largest, fabs((double)a[i] - (double)b[i]));
    return largest;
}

// The parameters that start at zero get values too, so that the adapters say something.
static void shake(Lora *lora) {
    Rng rng = rng_seed(11);
    for (int64_t i = 0; i < lora->parameters.n; i++) {
        const Parameter *p = &lora->parameters.list[i];
        for (int64_t k = 0; k < parameter_count(p); k++)
            p->value[k] += 0.1f * (float)rng_normal(&rng);
    }
}

// Adapters of a model, attached and shaken; what the model computes with them goes to `beside`.
static Model *adapted(const char *name, bool is_hf, Arena *arena, float *beside) {
    static float before[LOGITS_MAX];
    Error err = {0};
    Lora lora;
    Model *m = open_fixture(name, is_hf, &err);
    if (!m || !CHECK(IDS * m->config.vocab <= LOGITS_MAX && logits(m, before, &err))) return NULL;
    CHECK(lora_attach(&lora, m, arena, 2, 4, 1, &err));
    CHECK(logits(m, beside, &err) && difference(before, beside, m) == 0); // b is zero
    shake(&lora);
    CHECK(logits(m, beside, &err) && difference(before, beside, m) > 0.01);
    return m;
}

static void check_logits(const Model *m, const float *wanted, const char *name, const char *what,
                         double tolerance) {
    static float had[LOGITS_MAX];
    Error err = {0};
    if (!CHECK(m && logits(m, had, &err))) return;
    double d = difference(wanted, had, m);
    test_check(d <= tolerance, __FILE__, __LINE__, "%s, %s: off by %g", name, what, d);
}

TEST(lora, is_part_of_what_is_written) {
    static const char *const names[] = {"llama", "gpt2", "qwen3", "mamba"};
    static float beside[LOGITS_MAX];
    for (int i = 0; i < 8; i++) {
        Error err = {0};
        Arena arena;
        if (!CHECK(arena_init(&arena, 64 << 20, &err))) return;
        Model *m = adapted(names[i / 2], i % 2, &arena, beside);
        if (!m) return;
        const char *path = test_path("merged.gguf");
        ExportOptions options = {.has_type = true, .type = DTYPE_F32};
        test_check(model_save_gguf(m, path, options, &err), __FILE__, __LINE__, "%s", err.text);
        Model *again = model_open(path, (ModelOptions){0}, &err);
        check_logits(again, beside, names[i / 2], "merged", 1e-3);
        model_close(again);
        model_close(m);
        arena_drop(&arena);
    }
}

// The file says the same beside the model as a GGUF and as a folder, whose rows stand otherwise.
TEST(lora, file_belongs_to_the_model_in_either_form) {
    static const char *const names[] = {"llama", "gpt2", "qwen3", "mamba"};
    static float beside[LOGITS_MAX];
    for (int i = 0; i < 16; i++) {
        const char *name = names[i / 4];
        Error err = {0};
        Arena arena;
        if (!CHECK(arena_init(&arena, 64 << 20, &err))) return;
        Model *from = adapted(name, i % 2, &arena, beside);
        Model *to = open_fixture(name, i / 2 % 2, &err);
        if (!from || !to) return;
        const char *path = test_path("adapter.gguf");
        CHECK(model_save_adapter(from, path, NULL, &err));
        test_check(model_adapt(to, path, &err), __FILE__, __LINE__, "%s: %s", name, err.text);
        check_logits(to, beside, name, "from a file", i % 2 == i / 2 % 2 ? 0 : 2e-5);
        model_close(from);
        model_close(to);
        arena_drop(&arena);
    }
}

TEST(lora, panels_do_not_hinder) {
    static float wanted[LOGITS_MAX];
    Error err = {0};
    Arena arena;
    if (!CHECK(arena_init(&arena, 64 << 20, &err))) return;
    Model *m = adapted("gpt2", false, &arena, wanted);
    if (!m || !CHECK(weights_pack(m, NULL, &err))) return;
    check_logits(m, wanted, "gpt2", "in panels", 0);
    model_close(m);
    arena_drop(&arena);
}

TEST(lora, refuses_what_does_not_fit) {
    static float beside[LOGITS_MAX];
    Error err = {0};
    Arena arena;
    Lora lora;
    if (!CHECK(arena_init(&arena, 64 << 20, &err))) return;
    Model *m = adapted("llama", false, &arena, beside), *other = open_fixture("gpt2", false, &err);
    Model *plain = open_fixture("llama-plain", false, &err);
    if (!m || !other || !plain) return;
    const char *path = test_path("adapter.gguf");
    CHECK(model_save_adapter(m, path, NULL, &err));
    CHECK_FAILS(model_adapt(other, path, &err), err, ERROR_FORMAT, "of a llama model");
    CHECK_FAILS(model_adapt(plain, path, &err), err, ERROR_FORMAT, "does not fit");
    CHECK_FAILS(model_adapt(plain, test_fixture("fixtures/models/llama/model.gguf.bin"), &err), err,
                ERROR_FORMAT, "is no adapter");
    CHECK_FAILS(model_open(path, (ModelOptions){0}, &err), err, ERROR_USAGE, "--lora");
    CHECK_FAILS(model_save_adapter(plain, test_path("none.gguf"), NULL, &err), err, ERROR_USAGE,
                "no adapters");
    CHECK_FAILS(lora_attach(&lora, plain, &arena, 4096, 4, 1, &err), err, ERROR_USAGE, "narrower");
    CHECK_FAILS(lora_attach(&lora, m, &arena, 3, 4, 1, &err), err, ERROR_USAGE, "of rank 3");
    model_close(m);
    model_close(other);
    model_close(plain);
    arena_drop(&arena);
}

// Every third byte of an adapter file's header becomes another: an error in one line, or an adapter
// that runs.
TEST(lora, damaged_files_are_refused) {
    static float out[LOGITS_MAX];
    Error err = {0};
    Arena arena;
    Str whole;
    if (!CHECK(arena_init(&arena, 64 << 20, &err))) return;
    Model *from = adapted("llama", false, &arena, out), *to = open_fixture("llama", false, &err);
    const char *path = test_path("whole.gguf");
    bool ok = from && to && model_save_adapter(from, path, NULL, &err) &&
              file_read(&arena, path, 1 << 20, &whole, &err);
    if (!test_check(ok, __FILE__, __LINE__, "%s", err.text)) return;
    char *bytes = arena_push_aligned(&arena, whole.n, 64);
    int n_refused = 0;
    memcpy(bytes, whole.data, whole.n);
    for (size_t i = 0; i < 2500; i += 3 * (size_t)test_thinning()) {
        GgufFile file = {0};
        err = (Error){0};
        bytes[i] ^= (char)(1 << i % 8);
        bool is_open = gguf_open_bytes(&file, (Str){bytes, whole.n}, "damaged", &err);
        if (is_open && model_adapt_from(to, &file, &err))
            CHECK(logits(to, out, &err));
        else
            n_refused += CHECK(err.kind && !strchr(err.text, '\n'));
        gguf_close(&file);
        bytes[i] = whole.data[i];
    }
    CHECK(n_refused > 0);
    model_close(from);
    model_close(to);
    arena_drop(&arena);
}

// ---------------------------------------------------------------- learning
// A quantised model goes on learning from the page.
static bool open_training(Training *t, Str *text, const char *base, const char *folder,
                          bool resume) {
    Error err = {0};
    TrainingSpec spec = {.settings = settings_default(),
                         .text = text,
                         .n_texts = 1,
                         .validation = text,
                         .n_validation = 1,
                         .from = resume ? NULL : base,
                         .folder = folder,
                         .resume = resume,
                         .name = "learned",
                         .flops = 1e9};
    if (resume) spec.settings = (Settings){0};
    Settings *s = &spec.settings;
    if (!resume) {
        s->context = 32;
        s->batch = 4;
        s->steps = 12;
        s->rate = 0.03;
        s->lora = 4;
        s->dropout = 0.1;
    }
    bool ok = training_open(t, &spec, &err);
    return test_check(ok, __FILE__, __LINE__, "%s", err.text);
}

static void steps(Training *t, int n) {
    Error err = {0};
    StepReport r;
    for (int i = 0; i < n; i++)
        test_check(trainer_step(&t->trainer, &r, &err), __FILE__, __LINE__, "%s", err.text);
}

static uint64_t values_sum(const Training *t) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < t->lora.parameters.n; i++) {
        const Parameter *p = &t->lora.parameters.list[i];
        sum = hash_bytes(p->value, sizeof(float) * (size_t)parameter_count(p), sum);
    }
    return sum;
}

TEST(lora, learns_beside_a_quantised_model_and_resumes_bit_for_bit) {
    Error err = {0};
    Arena arena;
    Str page;
    Training one = {0}, two = {0};
    Model *m = open_fixture("llama", false, &err);
    char base[512], folder[512];
    snprintf(base, sizeof base, "%s", test_path("base.gguf"));
    snprintf(folder, sizeof folder, "%s", test_path("adapters"));
    bool ok = m && arena_init(&arena, 64 << 20, &err) &&
              model_save_gguf(m, base, (ExportOptions){.has_type = true, .type = DTYPE_Q8_0}, &err);
    ok = ok && file_read(&arena, test_fixture("fixtures/page.txt"), 1 << 20, &page, &err);
    if (!CHECK(ok) || !open_training(&one, &page, base, folder, false)) return;
    CHECK_EQUAL(one.trainer.n_gradients, one.lora.parameters.n_values);
    Validation before, after;
    CHECK(trainer_validate(&one.trainer, &before, &err));
    steps(&one, 5);
    CHECK(checkpoint_save(&one.trainer, folder, &err));
    steps(&one, 7);
    CHECK(trainer_validate(&one.trainer, &after, &err));
    test_check(after.nats < before.nats - 0.1, __FILE__, __LINE__, "loss %g after %g", after.nats,
               before.nats);
    CHECK(values_sum(&one) != one.lora.base_sum && one.lora.base_sum != 0);

    if (open_training(&two, &page, base, folder, true)) {
        CHECK_EQUAL(two.trainer.progress.step, 5);
        CHECK(two.lora.base_sum == one.lora.base_sum); // the weights themselves have not moved
        steps(&two, 7);
        CHECK(values_sum(&one) == values_sum(&two));
    }
    training_close(&two); // its arenas are much of a 32-bit address space
    // What is written: the model in the types it had, and the adapters.
    TrainingResult result = {.model = test_path("result.gguf")};
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("result.lora.gguf"));
    result.adapters = path;
    char merged[512];
    snprintf(merged, sizeof merged, "%s", test_path("result.gguf"));
    result.model = merged;
    CHECK(training_check(&one, &result, &err) && training_write(&one, &result, &err));
    Model *written = model_open(merged, (ModelOptions){0}, &err);
    CHECK(written && written->layer[0].attention.q.dtype == DTYPE_Q8_0);
    CHECK(model_adapt(m, path, &err));
    model_close(written);
    training_close(&one);
    model_close(m);
    arena_drop(&arena);
}
