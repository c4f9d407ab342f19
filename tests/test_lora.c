// test_lora.c - adapters beside frozen weights: what they add, how they are kept, what they become.
#include "base/rng.h"
#include "tests/test.h"
#include "train/lora.h"

static Model *open_fixture(const char *name, Error *err) {
    char path[128];
    snprintf(path, sizeof path, "fixtures/models/%s/model.gguf.bin", name);
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
    if (ok) memcpy(out, y->data, sizeof(float) * (size_t)m->config.vocab);
    run_close(&run);
    return ok;
}

static double difference(const float *a, const float *b, int64_t n) {
    double largest = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs((double)a[i] - (double)b[i]));
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

TEST(lora, is_part_of_what_is_written) {
    static const char *const names[] = {"llama", "gpt2", "qwen3"};
    static float before[LOGITS_MAX], beside[LOGITS_MAX], merged[LOGITS_MAX];
    for (int i = 0; i < 3; i++) {
        Error err = {0};
        Arena arena;
        Lora lora;
        Model *m = open_fixture(names[i], &err);
        if (!m || !CHECK(arena_init(&arena, 64 << 20, &err))) return;
        int64_t n = m->config.vocab;
        CHECK(n <= LOGITS_MAX && logits(m, before, &err));
        CHECK(lora_attach(&lora, m, &arena, 2, 4, 1, &err));
        CHECK(logits(m, beside, &err) && difference(before, beside, n) == 0); // b is zero
        shake(&lora);
        CHECK(logits(m, beside, &err) && difference(before, beside, n) > 0.01);
        const char *path = test_path("merged.gguf");
        ExportOptions options = {.has_type = true, .type = DTYPE_F32};
        test_check(model_save_gguf(m, path, options, &err), __FILE__, __LINE__, "%s", err.text);
        Model *again = model_open(path, (ModelOptions){0}, &err);
        CHECK(again && logits(again, merged, &err));
        test_check(difference(beside, merged, n) < 1e-3, __FILE__, __LINE__, "%s: off by %g",
                   names[i], difference(beside, merged, n));
        model_close(again);
        model_close(m);
        arena_drop(&arena);
    }
}

TEST(lora, is_read_as_it_was_saved) {
    static float wanted[LOGITS_MAX], had[LOGITS_MAX];
    Error err = {0};
    Arena arena;
    Lora lora, other;
    Model *m = open_fixture("llama", &err), *n = open_fixture("llama", &err);
    if (!m || !n || !CHECK(arena_init(&arena, 64 << 20, &err))) return;
    CHECK(lora_attach(&lora, m, &arena, 2, 4, 1, &err) &&
          lora_attach(&other, n, &arena, 2, 4, 9, &err));
    shake(&lora);
    const char *path = test_path("adapter.gguf");
    CHECK(lora_save(&lora, m, path, NULL, &err));
    GgufFile file = {0};
    CHECK(gguf_open(&file, path, true, &err) && lora_load(&other, &file, &err));
    CHECK(logits(m, wanted, &err) && logits(n, had, &err));
    CHECK(difference(wanted, had, m->config.vocab) == 0);
    Lora wide;
    CHECK_FAILS(lora_attach(&wide, n, &arena, 4096, 4, 1, &err), err, ERROR_USAGE, "narrower");
    gguf_close(&file);
    model_close(m);
    model_close(n);
    arena_drop(&arena);
}
