// test_patch.c - values put back into a forward, and what causal tracing makes of them.
#include "look/patch.h"

#include "base/rng.h"
#include "look/capture.h"
#include "look/override.h"
#include "tests/test.h"

static const char *const names[] = {"gpt2",      "llama",     "qwen3", "gemma3",
                                    "qwen2-moe", "mistral",   "mamba", "heed-rnn",
                                    "heed-lstm", "heed-sine", "bert"};
enum { N_NAMES = sizeof names / sizeof *names, N = 9 };

typedef struct View {
    Model *model;
    Run run;
    Arena arena;
    int32_t ids[N];
} View;

static bool view_open(View *v, const char *name) {
    Error err = {0};
    char path[64];
    *v = (View){0};
    snprintf(path, sizeof path, "fixtures/models/%s", name);
    v->model = model_open(test_fixture(path), (ModelOptions){0}, &err);
    if (!test_check(v->model && run_open(&v->run, NULL, &err) &&
                        arena_init(&v->arena, ARENA_DEFAULT, &err),
                    __FILE__, __LINE__, "%s: %s", name, err.text))
        return false;
    Rng rng = rng_seed(test_seed() + 3);
    for (int i = 0; i < N; i++)
        v->ids[i] = (int32_t)rng_below(&rng, (uint64_t)v->model->config.vocab);
    v->run.exact = true;
    return true;
}

static void view_close(View *v) {
    run_close(&v->run);
    model_close(v->model);
    arena_drop(&v->arena);
}

// Logits of all ids, in the arena.
static const float *logits_of(View *v, const Probe *probe) {
    Error err = {0};
    SingleBatch single;
    Batch *batch = batch_single(&single, v->ids, N);
    v->run.probe = probe;
    run_plan_begin(&v->run);
    model_forward(&v->run, v->model, batch);
    if (!CHECK(run_allocate(&v->run, &err))) return NULL;
    const Tensor *logits = model_forward(&v->run, v->model, batch);
    v->run.probe = NULL;
    float *copy = arena_push(&v->arena, tensor_bytes(logits));
    memcpy(copy, logits->data, tensor_bytes(logits));
    return copy;
}

static size_t logits_bytes(const View *v) {
    return sizeof(float) * (size_t)(N * v->model->config.vocab);
}

// ---------------------------------------------------------------- overrides
// Every row of a site in every layer set to what it is: the same bits.  With one number of the last
// row moved, other ones.
static void check_site(View *v, const char *name, Site site) {
    Capture capture;
    Override override;
    capture_init(&capture, &v->arena, &(CaptureWant){site, -1}, 1);
    const float *plain = logits_of(v, &capture.probe);
    if (site == SITE_ROUTER && !v->model->config.experts) return;
    if (!plain || capture.n == 0) return; // not every model has every site
    override_init(&override, &v->arena);
    for (const Captured *item = capture.first; item; item = item->next)
        for (int64_t row = 0; row < tensor_rows(&item->value); row++)
            override_set(&override,
                         (OverrideRow){site, item->layer, row,
                                       tensor_f32(&item->value) + row * tensor_cols(&item->value),
                                       false});
    const float *same = logits_of(v, &override.probe);
    test_check(same && memcmp(plain, same, logits_bytes(v)) == 0, __FILE__, __LINE__,
               "%s: %s set to itself moves the result", name, site_name(site));
    // What a token leaves in the last block cannot but be seen in its logits.
    const Tensor *last = &capture.last->value;
    float *moved = arena_new(&v->arena, float, tensor_cols(last));
    for (int64_t i = 0; i < tensor_cols(last); i++) moved[i] = 0.5f * (float)(i % 3);
    override_forget(&override);
    override_set(&override,
                 (OverrideRow){site, capture.last->layer, tensor_rows(last) - 1, moved, true});
    const float *other = logits_of(v, &override.probe);
    test_check(other && memcmp(plain, other, logits_bytes(v)) != 0, __FILE__, __LINE__,
               "%s: %s moved, the result does not", name, site_name(site));
}

TEST(patch, a_value_set_to_itself_changes_no_bit) {
    for (int i = 0; i < N_NAMES; i++)
        for (int site = 0; site < SITE_COUNT; site++) {
            View v;
            if (!view_open(&v, names[i])) return;
            bool has_head = !v.model->config.is_encoder || v.model->token_head.dense.data;
            if (has_head) check_site(&v, names[i], (Site)site);
            view_close(&v);
        }
}

TEST(patch, rows_are_set_and_added_to_alone) {
    View v;
    if (!view_open(&v, "llama")) return;
    int64_t width = v.model->config.width;
    Override override;
    Capture capture;
    float *ones = arena_new(&v.arena, float, width);
    for (int64_t i = 0; i < width; i++) ones[i] = 1;
    capture_init(&capture, &v.arena, &(CaptureWant){SITE_EMBED, 0}, 1);
    logits_of(&v, &capture.probe);
    const float *before = tensor_f32(capture_find(&capture, SITE_EMBED, 0));
    override_init(&override, &v.arena);
    override_set(&override, (OverrideRow){SITE_EMBED, 0, 2, ones, false});
    override_set(&override, (OverrideRow){SITE_EMBED, 0, 4, ones, true});
    Tensor value = *capture_find(&capture, SITE_EMBED, 0);
    Error err = {0};
    run_plan_begin(&v.run);
    override.probe.at(&override, &v.run, SITE_EMBED, 0, &value);
    if (!CHECK(run_allocate(&v.run, &err))) return;
    const float *after = tensor_f32(override.probe.at(&override, &v.run, SITE_EMBED, 0, &value));
    for (int64_t i = 0; i < N * width; i++) {
        float want = i / width == 2 ? 1 : i / width == 4 ? before[i] + 1 : before[i];
        if (!CHECK_CLOSE(after[i], want, 0)) return;
    }
    CHECK(override.probe.wants(&override, SITE_EMBED, 0));
    CHECK(!override.probe.wants(&override, SITE_EMBED, 1));
    CHECK(!override.probe.wants(&override, SITE_LOGITS, 0));
    view_close(&v);
}

// ---------------------------------------------------------------- facts
static FactText text_of(const char *prompt, const char *subject, const char *answer) {
    return (FactText){
        .prompt = str_from(prompt), .subject = str_from(subject), .answer = str_from(answer)};
}

TEST(patch, a_fact_is_found_among_the_tokens) {
    View v, encoder;
    Fact f;
    Error err = {0};
    if (!view_open(&v, "llama") || !view_open(&encoder, "bert")) return;
    FactText t = text_of("so the at a cat and the at", "the at", " the a");
    if (!CHECK(fact_read(v.model, &v.arena, t, &f, &err))) return;
    Str whole = str_printf(&v.arena, "%.*s%.*s", STR_ARG(t.prompt), STR_ARG(t.answer));
    for (int64_t i = 0; i < f.n; i++) {
        bool is_in = (f.token[i].end > 3 && f.token[i].start < 9) ||
                     (f.token[i].end > 20 && f.token[i].start < 26);
        is_in = is_in && i < f.n_prompt;
        test_check(f.is_subject[i] == is_in, __FILE__, __LINE__, "token %lld of '%.*s'",
                   (long long)i, STR_ARG(whole));
    }
    CHECK(f.token[f.n_prompt].start <= 26 && f.token[f.n_prompt].end > 26);
    CHECK(f.subject == f.n_prompt - 1 && f.is_subject[f.subject]);
    // In front of it stands more: the same tokens mean the subject.
    Fact later;
    t.front = STR("the at. ");
    if (!CHECK(fact_read(v.model, &v.arena, t, &later, &err))) return;
    CHECK_EQUAL(later.subject - later.n, f.subject - f.n);
    CHECK(!later.is_subject[1]);

    CHECK_FAILS(fact_read(v.model, &v.arena, text_of("the cat", "dog", "x"), &f, &err), err,
                ERROR_USAGE, "does not hold the subject 'dog'");
    CHECK_FAILS(fact_read(v.model, &v.arena, text_of("", "", "x"), &f, &err), err, ERROR_USAGE,
                "prompt is empty");
    CHECK_FAILS(fact_read(v.model, &v.arena, text_of("the cat", "cat", ""), &f, &err), err,
                ERROR_USAGE, "answer is empty");
    CHECK_FAILS(fact_read(encoder.model, &v.arena, text_of("the cat", "cat", "x"), &f, &err), err,
                ERROR_UNSUPPORTED, "an encoder");
    view_close(&encoder);
    view_close(&v);
}

TEST(patch, an_answer_gets_a_blank_where_words_meet) {
    Error err = {0};
    Arena arena;
    if (!CHECK(arena_init(&arena, 1 << 20, &err))) return;
    CHECK(str_equal(fact_answer(&arena, STR("France is"), STR("Paris")), STR(" Paris")));
    CHECK(str_equal(fact_answer(&arena, STR("France is"), STR(" Paris")), STR(" Paris")));
    CHECK(str_equal(fact_answer(&arena, STR("France is "), STR("Paris")), STR("Paris")));
    CHECK(str_equal(fact_answer(&arena, STR("\xe6\x98\xaf"), STR("\xe5\xb7\xb4")),
                    STR("\xe5\xb7\xb4")));
    arena_drop(&arena);
}

// ---------------------------------------------------------------- tracing
static bool trace(View *v, FactText text, PatchSpec spec, Fact *f, Patch *p) {
    Error err = {0};
    bool ok = fact_read(v->model, &v->arena, text, f, &err) &&
              patch_trace(&v->run, v->model, &v->arena, f, spec, p, &err);
    return test_check(ok, __FILE__, __LINE__, "%s", err.text);
}

// The stream after the last layer is all that the logits are made of: put back at the last token,
// it gives the clean probability, of answers of any length.  What stands before the subject is
// clean in any case.
TEST(patch, putting_back_everything_gives_the_clean_probability) {
    static const char *const decoders[] = {"gpt2",      "llama", "gemma3",
                                           "qwen2-moe", "mamba", "heed-rnn"};
    for (int i = 0; i < 6; i++) {
        View v;
        Fact f;
        Patch p;
        FactSaid said;
        Error err = {0};
        PatchSpec spec = patch_default();
        spec.draws = 1;
        if (!view_open(&v, decoders[i])) return;
        FactText text = text_of("a the at tha so", "at", i % 2 ? "t" : " the a");
        if (!trace(&v, text, spec, &f, &p)) return;
        CHECK(fact_ask(&v.run, v.model, &f, &said, &err));
        CHECK_CLOSE(p.clean, said.answer, 0);
        int last = p.layers - 1;
        const float *residual = p.effect[PATCH_RESIDUAL];
        test_check((float)(p.clean - p.corrupted) == residual[(p.n - 1) * p.layers + last],
                   __FILE__, __LINE__, "%s: %g is not %g", decoders[i], p.clean - p.corrupted,
                   (double)residual[(p.n - 1) * p.layers + last]);
        CHECK(p.clean != p.corrupted);
        CHECK((p.effect[PATCH_FEED_FORWARD] == NULL) == (v.model->config.ffn_width == 0));
        for (int64_t t = 0; t < p.n && !p.is_subject[t]; t++)
            for (int l = 0; l < p.layers; l++) CHECK(residual[t * p.layers + l] == 0);
        int layer = patch_layer(&p);
        CHECK((layer < 0) == (v.model->config.ffn_width == 0));
        for (int l = 0; layer >= 0 && l < p.layers; l++)
            CHECK(p.effect[PATCH_FEED_FORWARD][p.subject * p.layers + l] <=
                  p.effect[PATCH_FEED_FORWARD][p.subject * p.layers + layer]);
        view_close(&v);
    }
}

// One effect computed the slow way: noise and value put back by hand, in a forward of its own.
TEST(patch, an_effect_is_that_of_a_forward_of_its_own) {
    View v;
    Fact f;
    Patch p;
    FactSaid clean, corrupted, restored;
    Error err = {0};
    PatchSpec spec = {.noise = 2, .draws = 1, .seed = 9, .window = 1};
    if (!view_open(&v, "llama")) return;
    int64_t width = v.model->config.width;
    if (!trace(&v, text_of("a the at tha so", "at tha", " the a"), spec, &f, &p)) return;
    Rng rng = rng_seed(9);
    float *noise = arena_new(&v.arena, float, p.n *width);
    for (int64_t i = 0; i < p.n * width; i++)
        noise[i] = (float)(2 * p.deviation * rng_normal(&rng));
    Capture capture;
    Override override;
    capture_init(&capture, &v.arena, &(CaptureWant){SITE_MLP_OUT, 1}, 1);
    v.run.probe = &capture.probe;
    CHECK(fact_ask(&v.run, v.model, &f, &clean, &err));
    override_init(&override, &v.arena);
    for (int64_t i = 0; i < p.n; i++)
        if (f.is_subject[i])
            override_set(&override, (OverrideRow){SITE_EMBED, 0, i, noise + i * width, true});
    v.run.probe = &override.probe;
    CHECK(fact_ask(&v.run, v.model, &f, &corrupted, &err));
    const float *value = tensor_f32(capture_find(&capture, SITE_MLP_OUT, 1)) + f.subject * width;
    override_set(&override, (OverrideRow){SITE_MLP_OUT, 1, f.subject, value, false});
    CHECK(fact_ask(&v.run, v.model, &f, &restored, &err));
    v.run.probe = NULL;
    CHECK_CLOSE(p.clean, clean.answer, 0);
    CHECK_CLOSE(p.corrupted, corrupted.answer, 0);
    CHECK_CLOSE(p.effect[PATCH_FEED_FORWARD][f.subject * p.layers + 1],
                restored.answer - corrupted.answer, 1e-12);
    // Asked for alone it is the same.
    Patch brief;
    spec.is_brief = true;
    if (!CHECK(patch_trace(&v.run, v.model, &v.arena, &f, spec, &brief, &err))) return;
    for (int l = 0; l < p.layers; l++)
        CHECK(brief.effect[PATCH_FEED_FORWARD][f.subject * p.layers + l] ==
              p.effect[PATCH_FEED_FORWARD][f.subject * p.layers + l]);
    CHECK(!brief.effect[PATCH_RESIDUAL] && !brief.effect[PATCH_ATTENTION]);
    view_close(&v);
}

TEST(patch, a_drawing_has_every_effect_in_words) {
    View v;
    Fact f;
    Patch p;
    if (!view_open(&v, "llama")) return;
    if (!trace(&v, text_of("a the at <so", "at", "x"), patch_default(), &f, &p)) return;
    StrBuilder out = str_builder(&v.arena);
    patch_svg(&out, &p);
    Str svg = str_built(&out);
    int n = 0;
    for (size_t at = 0; (at = str_find(svg, STR(" points</title>"), at)) != SIZE_MAX; at++) n++;
    CHECK_EQUAL(n, PATCH_PLACES * p.n * p.layers);
    CHECK(str_ends(svg, STR("</svg>\n")) && str_find(svg, STR("<so"), 0) == SIZE_MAX);
    view_close(&v);
}
