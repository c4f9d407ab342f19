// test_edit.c - keys and their directions, the value of an edit and its gradient, undoing, files.
#include "train/edit.h"

#include "base/file.h"
#include "base/rng.h"
#include "export/export.h"
#include "look/capture.h"
#include "look/keys.h"
#include "tests/test.h"

enum { FACTS = 3, LAYER = 1, TEXTS = 40, TEXT_IDS = 24 };

// A model, the keys of a layer over random texts, a fact behind several fronts, and its edit.
typedef struct Bench {
    Model *model;
    Run run;
    Arena arena;
    Keys keys;
    double *covariance; // before it is factored
    Fact fact[FACTS];
    EditText text[FACTS];
    float *key, *direction;
    Edit edit;
} Bench;

static bool random_keys(Bench *b, Error *err) {
    Rng rng = rng_seed(5);
    int32_t ids[TEXT_IDS];
    for (int i = 0; i < TEXTS; i++) {
        for (int k = 0; k < TEXT_IDS; k++)
            ids[k] = (int32_t)rng_below(&rng, (uint64_t)b->model->config.vocab);
        if (!keys_add(&b->keys, &b->run, ids, TEXT_IDS, err)) return false;
    }
    int64_t values = b->keys.width * b->keys.width;
    b->covariance = arena_new(&b->arena, double, values);
    for (int64_t i = 0; i < values; i++)
        b->covariance[i] = b->keys.covariance[i] / (double)b->keys.n;
    return keys_factor(&b->keys, err);
}

static bool read_facts(Bench *b, Error *err) {
    static const char *const fronts[FACTS] = {"", "so it is. ", "the a at the. "};
    for (int i = 0; i < FACTS; i++) {
        FactText t = {str_from(fronts[i]), STR("a the at is"), STR("the at"), STR(" so")};
        if (!fact_read(b->model, &b->arena, t, &b->fact[i], err)) return false;
        b->text[i] = (EditText){b->fact[i].ids, b->fact[i].n, b->fact[i].n_prompt};
    }
    return true;
}

static bool bench_open(Bench *b, const char *path) {
    Error err = {0};
    *b = (Bench){.model = model_open(path, (ModelOptions){0}, &err)};
    bool ok = b->model && run_open(&b->run, NULL, &err) &&
              arena_init(&b->arena, ARENA_DEFAULT, &err) &&
              keys_init(&b->keys, b->model, LAYER, &b->arena, &err) && random_keys(b, &err) &&
              read_facts(b, &err);
    b->run.exact = true;
    if (!test_check(ok, __FILE__, __LINE__, "%s: %s", path, err.text)) return false;
    b->key = arena_new(&b->arena, float, b->keys.width);
    b->direction = arena_new(&b->arena, float, b->keys.width);
    if (!CHECK(keys_of_facts(&b->run, b->model, LAYER, &b->arena, b->fact, FACTS, b->key, &err)))
        return false;
    keys_direction(&b->keys, b->key, &b->arena, b->direction);
    return true;
}

static bool bench_fixture(Bench *b, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "fixtures/models/%s", name);
    return bench_open(b, test_fixture(path));
}

static void bench_close(Bench *b) {
    model_close(b->model);
    run_close(&b->run);
    arena_drop(&b->arena);
}

static bool begin(Bench *b) {
    Error err = {0};
    EditSpec spec = edit_default();
    spec.layer = LAYER;
    spec.key = b->key;
    spec.direction = b->direction;
    spec.text = b->text;
    spec.n_texts = FACTS;
    spec.name = b->fact[0].ids;
    spec.n_name = b->fact[0].subject + 1;
    bool ok = edit_begin(&b->edit, &b->run, b->model, &b->arena, spec, &err);
    return test_check(ok, __FILE__, __LINE__, "%s", err.text);
}

static double dot(const float *x, const float *y, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)x[i] * (double)y[i];
    return sum;
}

// ---------------------------------------------------------------- keys
// The captured rows of one text: what keys_add has to see.
TEST(edit, covariance_is_the_mean_of_the_products) {
    Bench b;
    Error err = {0};
    if (!bench_fixture(&b, "llama")) return;
    Keys keys;
    Capture capture;
    SingleBatch single;
    static const int32_t ids[] = {1, 5, 9, 2, 7};
    if (!CHECK(keys_init(&keys, b.model, LAYER, &b.arena, &err)) ||
        !CHECK(keys_add(&keys, &b.run, ids, 5, &err)))
        return;
    capture_init(&capture, &b.arena, &(CaptureWant){SITE_MLP_ACT, LAYER}, 1);
    b.run.probe = &capture.probe;
    run_plan_begin(&b.run);
    model_forward(&b.run, b.model, batch_single(&single, ids, 5));
    if (!CHECK(run_allocate(&b.run, &err))) return;
    model_forward(&b.run, b.model, &single.batch);
    const float *x = tensor_f32(capture_find(&capture, SITE_MLP_ACT, LAYER));
    int64_t w = keys.width;
    CHECK_EQUAL(keys.n, 4); // without the first
    for (int64_t i = 0; i < w; i++)
        for (int64_t j = 0; j < w; j++) {
            double sum = 0;
            for (int t = 1; t < 5; t++) sum += (double)x[t * w + i] * (double)x[t * w + j];
            if (!CHECK_CLOSE(keys.covariance[i * w + j], sum, 1e-5 * (1 + fabs(sum)))) return;
        }
    CHECK_FAILS(keys_factor(&keys, &err), err, ERROR_USAGE, "too few");
    bench_close(&b);
}

// C a is the key times a number, and a k is 1.
TEST(edit, direction_solves_the_system) {
    Bench b;
    if (!bench_fixture(&b, "gpt2")) return;
    int64_t w = b.keys.width;
    double ridge = 0, scale = 0;
    for (int64_t i = 0; i < w; i++) ridge += 1e-4 * b.covariance[i * w + i] / (double)w;
    float *image = arena_new(&b.arena, float, w);
    for (int64_t i = 0; i < w; i++) {
        double sum = ridge * (double)b.direction[i];
        for (int64_t j = 0; j < w; j++) sum += b.covariance[i * w + j] * (double)b.direction[j];
        image[i] = (float)sum;
    }
    scale = dot(image, b.key, w) / dot(b.key, b.key, w);
    for (int64_t i = 0; i < w; i++)
        CHECK_CLOSE(image[i], scale * (double)b.key[i], 1e-4 * scale * sqrt(dot(b.key, b.key, w)));
    CHECK_CLOSE(dot(b.direction, b.key, w), 1, 1e-5);
    bench_close(&b);
}

// ---------------------------------------------------------------- the matrix
// W' k is W k + b; a key without a part in the direction is answered as before.
TEST(edit, matrix_answers_the_key_with_the_new_value_and_others_as_before) {
    static const char *const models[] = {"llama", "gpt2", "gemma3"};
    for (int m = 0; m < 3; m++) {
        Bench b;
        Error err = {0};
        if (!bench_fixture(&b, models[m]) || !begin(&b) || !CHECK(edit_learn(&b.edit, &err)))
            return;
        edit_end(&b.edit);
        Tensor *down = &b.model->layer[LAYER].channel.down;
        int64_t w = b.keys.width, c = tensor_rows(down);
        Tensor keys = {.dtype = DTYPE_F32, .rank = 2, .dim = {2, w}};
        float *x = keys.data = arena_new(&b.arena, float, 2 * w);
        Rng rng = rng_seed(3);
        memcpy(x, b.key, sizeof(float) * (size_t)w);
        for (int64_t i = 0; i < w; i++) x[w + i] = (float)rng_normal(&rng);
        double part = dot(x + w, b.direction, w);
        for (int64_t i = 0; i < w; i++) x[w + i] -= (float)part * b.key[i];
        run_plan_begin(&b.run);
        op_linear(&b.run, &keys, down, NULL);
        op_linear(&b.run, &keys, down, NULL);
        if (!CHECK(run_allocate(&b.run, &err))) return;
        const float *edited = tensor_f32(op_linear(&b.run, &keys, down, NULL));
        edit_undo(&b.edit);
        const float *before = tensor_f32(op_linear(&b.run, &keys, down, NULL));
        const float *value = tensor_f32(&b.edit.adapter.b);
        CHECK(b.edit.step > 0 && dot(value, value, c) > 0);
        for (int64_t i = 0; i < c; i++) {
            CHECK_CLOSE(edited[i], before[i] + value[i], 1e-4);
            CHECK_CLOSE(edited[c + i], before[c + i], 1e-4);
        }
        bench_close(&b);
    }
}

// ---------------------------------------------------------------- the value
// At a random b: every fourth number of it moved up and down.
TEST(edit, gradient_equals_central_differences) {
    static const char *const models[] = {"llama", "gpt2", "gemma3", "qwen3", "heed-rnn"};
    for (int m = 0; m < 5; m++) {
        Bench b;
        Error err = {0};
        double loss, difference = 0, size = 0;
        if (!bench_fixture(&b, models[m]) || !begin(&b)) return;
        Rng rng = rng_seed(17);
        int64_t c = tensor_count(&b.edit.adapter.b);
        float *value = tensor_f32(&b.edit.adapter.b);
        b.edit.spec.keep = 0.5; // so that each term counts
        b.edit.spec.decay = 0.5;
        for (int64_t i = 0; i < c; i++) value[i] = 0.3f * (float)rng_normal(&rng);
        if (!CHECK(edit_loss(&b.edit, &loss, &err))) return;
        float *gradient = arena_new(&b.arena, float, c);
        memcpy(gradient, b.edit.gradient, sizeof(float) * (size_t)c);
        for (int64_t i = 0; i < c; i += 4) {
            double up, down;
            float at = value[i], step = 0.02f;
            value[i] = at + step;
            bool ok = edit_loss(&b.edit, &up, &err);
            value[i] = at - step;
            ok = ok && edit_loss(&b.edit, &down, &err);
            value[i] = at;
            if (!CHECK(ok)) return;
            double numeric = (up - down) / (2 * (double)step), off = numeric - (double)gradient[i];
            difference += off * off;
            size += numeric * numeric;
        }
        test_check(size > 0 && sqrt(difference / size) < 5e-3, __FILE__, __LINE__,
                   "%s: gradients differ by %.2e", models[m], sqrt(difference / size));
        edit_end(&b.edit);
        bench_close(&b);
    }
}

static double answer_of(Bench *b, Error *err) {
    FactSaid said = {0};
    CHECK(fact_ask(&b->run, b->model, &b->fact[0], &said, err));
    return said.answer;
}

TEST(edit, new_answer_becomes_likely_and_undoing_leaves_no_bit) {
    Bench b;
    Error err = {0};
    if (!bench_fixture(&b, "llama")) return;
    double before = answer_of(&b, &err);
    if (!begin(&b)) return;
    b.edit.spec.reach = 1e6; // a random model needs much, and knows few answers
    b.edit.spec.steps = 200;
    b.edit.spec.rate = 2;
    b.edit.spec.decay = 0;
    CHECK_CLOSE(b.edit.kl, 0, 1e-6);
    CHECK(edit_learn(&b.edit, &err));
    edit_end(&b.edit);
    double after = answer_of(&b, &err);
    test_check(after > 1000 * before, __FILE__, __LINE__, "%g became %g in %lld steps", before,
               after, (long long)b.edit.step);
    CHECK(b.edit.nats <= b.edit.spec.enough || b.edit.step == 200);
    edit_undo(&b.edit);
    CHECK_CLOSE(answer_of(&b, &err), before, 0);
    bench_close(&b);
}

TEST(edit, value_stays_within_its_reach) {
    Bench b;
    Error err = {0};
    if (!bench_fixture(&b, "llama") || !begin(&b)) return;
    b.edit.spec.reach = 0.25;
    b.edit.spec.enough = 0;
    CHECK(edit_learn(&b.edit, &err));
    CHECK(edit_relative_size(&b.edit) <= 0.2501 && edit_relative_size(&b.edit) > 0.2);
    CHECK_EQUAL(b.edit.step, b.edit.spec.steps);
    edit_end(&b.edit);
    bench_close(&b);
}

// ---------------------------------------------------------------- files
typedef struct Put {
    const EditRecord *record;
    int64_t n;
    Arena *arena;
} Put;

static void put_keys(const void *user, GgufWriter *writer) {
    const Put *p = user;
    edit_records_put(writer, p->arena, p->record, p->n);
}

// Written with the matrix in f32: the file's model says what the edited one in memory does, knows
// of its edits, and has every other tensor as it was.
TEST(edit, file_has_the_edit_in_it_and_says_so) {
    Bench b, again;
    Error err = {0};
    char base[512], path[512];
    const EditRecord *read;
    int64_t n;
    snprintf(base, sizeof base, "%s", test_path("base.gguf"));
    snprintf(path, sizeof path, "%s", test_path("edited.gguf"));
    if (!bench_fixture(&b, "llama")) return;
    CHECK(model_save_gguf(b.model, base, (ExportOptions){.has_type = true, .type = DTYPE_Q8_0},
                          &err));
    bench_close(&b);
    if (!bench_open(&b, base) || !begin(&b) || !CHECK(edit_learn(&b.edit, &err))) return;
    edit_end(&b.edit);
    EditRecord record[] = {{LAYER, STR("a the at is"), STR("the at"), STR(" so")},
                           {0, STR("\xe6\x98\xaf"), STR(""), STR("x")}};
    Put put = {record, 2, &b.arena};
    ExportExtra extra = {.put_keys = put_keys, .user = &put};
    ExportOptions options = {.has_adapted_type = true, .adapted_type = DTYPE_F32, .extra = &extra};
    CHECK(edit_records_read(b.model, &b.arena, &read, &n, &err) && n == 0);
    if (!CHECK(model_save_gguf(b.model, path, options, &err)) || !bench_open(&again, path)) return;
    CHECK(edit_records_read(again.model, &again.arena, &read, &n, &err));
    if (CHECK(n == 2))
        for (int i = 0; i < 2; i++)
            CHECK(read[i].layer == record[i].layer && str_equal(read[i].prompt, record[i].prompt) &&
                  str_equal(read[i].subject, record[i].subject) &&
                  str_equal(read[i].answer, record[i].answer));
    CHECK_CLOSE(answer_of(&again, &err), answer_of(&b, &err), 1e-5);
    const TensorFile *old = b.model->tensors, *new = again.model->tensors;
    if (!CHECK(old->n == new->n)) return;
    int n_changed = 0;
    for (int64_t i = 0; i < old->n; i++) {
        const TensorEntry *x = &old->entry[i], *y = tensor_file_find(new, old->entry[i].name);
        bool is_same = y && x->bytes == y->bytes && memcmp(x->data, y->data, (size_t)x->bytes) == 0;
        n_changed += !is_same;
        CHECK(is_same || str_equal(x->name, STR("blk.1.ffn_down.weight")));
    }
    CHECK_EQUAL(n_changed, 1);
    CHECK(again.model->layer[LAYER].channel.down.dtype == DTYPE_F32);
    CHECK(again.model->layer[0].channel.down.dtype == DTYPE_Q8_0);
    bench_close(&again);
    bench_close(&b);
}

TEST(edit, refuses_layers_that_hold_no_single_matrix) {
    static const struct {
        const char *model;
        int layer;
        ErrorKind kind;
        const char *words;
    } cases[] = {{"mixtral", 0, ERROR_UNSUPPORTED, "mixtures of experts"},
                 {"qwen2-moe", 0, ERROR_UNSUPPORTED, "mixtures of experts"},
                 {"mamba", 0, ERROR_UNSUPPORTED, "no feed-forward"},
                 {"bert", 0, ERROR_UNSUPPORTED, "an encoder"},
                 {"llama", 2, ERROR_USAGE, "layers 0 to 1"},
                 {"llama", -1, ERROR_USAGE, "layers 0 to 1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Error err = {0};
        char path[64];
        snprintf(path, sizeof path, "fixtures/models/%s", cases[i].model);
        Model *m = model_open(test_fixture(path), (ModelOptions){0}, &err);
        if (!CHECK(m)) return;
        CHECK_FAILS(keys_check(m, cases[i].layer, &err), err, cases[i].kind, cases[i].words);
        model_close(m);
    }
}
