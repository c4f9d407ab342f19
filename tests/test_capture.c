// test_capture.c - what a capture copies: against transformers' values, and at no cost to the run.
//
// The witnesses are the golden files of tests/fixtures/models (tools/golden_models.py).
#include "look/capture.h"

#include "format/safetensors.h"
#include "model/model.h"
#include "tests/test.h"

static const char *const names[] = {"gpt2",  "llama",  "mistral",  "qwen2",
                                    "qwen3", "gemma3", "qwen2-moe"};
enum { N_NAMES = sizeof names / sizeof *names, IDS_MAX = 64 };

// A model, the text of its golden file, and a capture on the run.
typedef struct View {
    const char *name;
    Model *model;
    SafetensorsFile golden;
    Run run;
    Arena arena;
    Capture capture;
    SingleBatch single;
    Batch *batch;
} View;

static const float *golden_values(View *v, const char *key, int64_t *n) {
    const TensorEntry *entry = tensor_file_find(&v->golden.tensors, str_from(key));
    *n = entry ? entry->bytes / 4 : 0;
    return entry ? entry->data : NULL;
}

static bool view_open(View *v, const char *name, const CaptureWant *want, int n_wants) {
    Error err = {0};
    char path[128];
    int64_t n;
    *v = (View){.name = name};
    snprintf(path, sizeof path, "fixtures/models/%s/golden.safetensors", name);
    if (!CHECK(safetensors_open(&v->golden, test_fixture(path), true, &err))) return false;
    snprintf(path, sizeof path, "fixtures/models/%s", name);
    v->model = model_open(test_fixture(path), (ModelOptions){0}, &err);
    if (!test_check(v->model != NULL, __FILE__, __LINE__, "%s: %s", name, err.text)) return false;
    const int32_t *ids = (const int32_t *)(const void *)golden_values(v, "ids", &n);
    if (!CHECK(ids && n <= IDS_MAX)) return false;
    v->batch = batch_single(&v->single, ids, n);
    if (!CHECK(arena_init(&v->arena, ARENA_DEFAULT, &err))) return false;
    if (!CHECK(run_open(&v->run, NULL, &err))) return false;
    v->run.exact = true;
    capture_init(&v->capture, &v->arena, want, n_wants);
    v->run.probe = &v->capture.probe;
    return true;
}

static void view_close(View *v) {
    run_close(&v->run);
    model_close(v->model);
    safetensors_close(&v->golden);
    arena_drop(&v->arena);
}

static bool plan(View *v) {
    Error err = {0};
    run_plan_begin(&v->run);
    model_forward(&v->run, v->model, v->batch);
    return CHECK(run_allocate(&v->run, &err));
}

static Tensor *forward(View *v) {
    run_begin(&v->run);
    return model_forward(&v->run, v->model, v->batch);
}

static void check_golden(View *v, const char *key, const Tensor *t) {
    int64_t n;
    double largest = 0, scale = 1;
    const float *reference = golden_values(v, key, &n);
    if (!test_check(t && reference && tensor_count(t) == n, __FILE__, __LINE__, "%s %s: shape",
                    v->name, key))
        return;
    for (int64_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs((double)tensor_f32(t)[i] - (double)reference[i]));
        scale = fmax(scale, fabs((double)reference[i]));
    }
    test_check(largest <= 1e-4 * scale, __FILE__, __LINE__, "%s: %s differs by %.2e", v->name, key,
               largest);
}

TEST(capture, values_equal_transformers) {
    static const CaptureWant want[] = {
        {SITE_EMBED, -1}, {SITE_RESID_POST, -1}, {SITE_PATTERN, -1}, {SITE_LOGITS, 0}};
    for (int i = 0; i < N_NAMES; i++) {
        View v;
        if (!view_open(&v, names[i], want, 4) || !plan(&v)) return;
        forward(&v);
        int layers = v.model->config.layers;
        CHECK_EQUAL(v.capture.n, 2 + 2 * layers);
        check_golden(&v, "embed", capture_find(&v.capture, SITE_EMBED, 0));
        check_golden(&v, "logits", capture_find(&v.capture, SITE_LOGITS, 0));
        for (int l = 0; l < layers; l++) {
            char key[32];
            snprintf(key, sizeof key, "resid.%d", l);
            check_golden(&v, key, capture_find(&v.capture, SITE_RESID_POST, l));
            snprintf(key, sizeof key, "pattern.%d", l);
            check_golden(&v, key, capture_find(&v.capture, SITE_PATTERN, l));
        }
        view_close(&v);
    }
}

TEST(capture, pattern_rows_sum_to_one_and_see_no_future) {
    for (int i = 0; i < N_NAMES; i++) {
        View v;
        if (!view_open(&v, names[i], (CaptureWant[]){{SITE_PATTERN, 1}}, 1) || !plan(&v)) return;
        forward(&v);
        const Tensor *p = capture_find(&v.capture, SITE_PATTERN, 1);
        CHECK(capture_find(&v.capture, SITE_PATTERN, 0) == NULL);
        if (!CHECK(p && p->rank == 3 && p->dim[0] == v.model->config.heads)) return;
        for (int64_t row = 0; row < tensor_rows(p); row++) {
            const float *weight = tensor_f32(p) + row * tensor_cols(p);
            double sum = 0;
            for (int64_t j = 0; j < tensor_cols(p); j++) {
                sum += (double)weight[j];
                if (j > row % p->dim[1]) CHECK_EQUAL(weight[j] != 0, false);
            }
            CHECK_CLOSE(sum, 1, 1e-5);
        }
        view_close(&v);
    }
}

// The shapes of run.h's SITES, in its letters.
static int64_t dimension(const View *v, char letter, bool is_times_width) {
    const Config *c = &v->model->config;
    int64_t width = is_times_width ? c->head_width : 1;
    switch (letter) {
    case 'T':
    case 'S':
    case 'R': return v->batch->n;
    case 'C': return c->width;
    case 'H': return c->heads * width;
    case 'G': return c->kv_heads * width;
    case 'F': return c->shared_width ? c->shared_width : c->ffn_width;
    case 'E': return c->experts;
    default: return c->vocab;
    }
}

TEST(capture, every_site_has_the_shape_that_is_written_down) {
    static const char *const shapes[] = {
#define X(name, words, shape) shape,
        SITES(X)
#undef X
    };
    for (int i = 0; i < N_NAMES; i++)
        for (int site = 0; site < SITE_COUNT; site++) {
            View v;
            if (!view_open(&v, names[i], (CaptureWant[]){{(Site)site, -1}}, 1) || !plan(&v)) return;
            forward(&v);
            if (site == SITE_ROUTER && !v.model->config.experts) {
                CHECK_EQUAL(v.capture.n, 0);
                view_close(&v);
                continue;
            }
            bool is_outside = site == SITE_EMBED || site >= SITE_FINAL_NORM;
            CHECK_EQUAL(v.capture.n, is_outside ? 1 : v.model->config.layers);
            int rank = 0;
            for (const char *s = shapes[site]; v.capture.first && *s; s++) {
                bool is_dimension = *s >= 'A' && *s <= 'Z' && s[-1] != '*';
                if (!is_dimension) continue;
                int64_t want = dimension(&v, *s, s[1] == '*');
                test_check(v.capture.first->value.dim[rank] == want, __FILE__, __LINE__,
                           "%s %s: dim %d is %lld, want %lld", names[i], site_name((Site)site),
                           rank, (long long)v.capture.first->value.dim[rank], (long long)want);
                rank++;
            }
            CHECK(v.capture.first && v.capture.first->value.rank == rank);
            view_close(&v);
        }
}

TEST(capture, changes_neither_the_plan_nor_the_result) {
    View v;
    if (!view_open(&v, "llama", (CaptureWant[]){{SITE_RESID_MID, -1}, {SITE_Q_ROT, 1}}, 2)) return;
    v.run.probe = NULL;
    if (!plan(&v)) return;
    size_t bytes = run_planned_bytes(&v.run);
    Tensor *alone = forward(&v);
    size_t used = v.arena.used, logits_bytes = tensor_bytes(alone);
    float *logits = arena_push(&v.arena, logits_bytes);
    memcpy(logits, alone->data, logits_bytes);

    v.run.probe = &v.capture.probe;
    CHECK_EQUAL(used, 0);
    used = v.arena.used;
    if (!plan(&v)) return;
    CHECK_EQUAL(run_planned_bytes(&v.run), bytes);
    CHECK_EQUAL(v.arena.used, used); // the dry run copies nothing
    CHECK_EQUAL(v.capture.n, 0);
    CHECK(memcmp(forward(&v)->data, logits, logits_bytes) == 0);
    CHECK_EQUAL(v.capture.n, v.model->config.layers + 1);
    view_close(&v);
}

TEST(capture, newest_value_is_found_and_all_can_be_forgotten) {
    View v;
    if (!view_open(&v, "qwen2", (CaptureWant[]){{SITE_LOGITS, -1}}, 1) || !plan(&v)) return;
    forward(&v);
    const Tensor *first = capture_find(&v.capture, SITE_LOGITS, 0);
    forward(&v);
    const Tensor *second = capture_find(&v.capture, SITE_LOGITS, 0);
    CHECK(first && second && first != second && first->data != second->data);
    CHECK_EQUAL(v.capture.n, 2);
    CHECK(&v.capture.first->value == first && &v.capture.first->next->value == second);
    capture_forget(&v.capture);
    CHECK(capture_find(&v.capture, SITE_LOGITS, 0) == NULL);
    forward(&v);
    CHECK_EQUAL(v.capture.n, 1);
    view_close(&v);
}
