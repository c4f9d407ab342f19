// test_lab.c - answers of the lab: every array equals what the library computes by other ways, and
// a request that is wrong is refused by name.
#include "lab/lab.h"

#include "generate/beam_session.h"
#include "generate/softmax.h"
#include "lab/trace.h"
#include "model/state.h"
#include "tests/test.h"

// A model with all bytes in its vocabulary, its lab, and an answer taken apart.
typedef struct Bench {
    Model *model;
    Lab *lab;
    Arena arena;
    Str trace;
    const Json *header;
    const char *arrays; // where they begin
} Bench;

static bool bench_open(Bench *b, const char *fixture) {
    Error err = {0};
    *b = (Bench){0};
    b->model = model_open(test_fixture(fixture), (ModelOptions){0}, &err);
    if (!test_check(b->model != NULL, __FILE__, __LINE__, "%s", err.text)) return false;
    b->lab = lab_open(b->model, (LabOptions){0}, &err);
    return CHECK(b->lab && arena_init(&b->arena, ARENA_DEFAULT, &err));
}

static void bench_close(Bench *b) {
    lab_close(b->lab);
    model_close(b->model);
    arena_drop(&b->arena);
}

static bool ask(Bench *b, const char *request) {
    Error err = {0};
    bool ok = lab_answer(b->lab, str_from(request), &b->trace, &err);
    if (!test_check(ok, __FILE__, __LINE__, "%s: %s", request, err.text)) return false;
    if (!CHECK(str_starts(b->trace, STR("heedtrc1")))) return false;
    uint64_t n = 0;
    for (int i = 7; i >= 0; i--) n = n << 8 | (unsigned char)b->trace.data[8 + i];
    if (!CHECK(n % 16 == 0 && 16 + n <= b->trace.n)) return false;
    b->arrays = b->trace.data + 16 + n;
    b->header = json_parse(&b->arena, str_slice(b->trace, 16, 16 + n), n, &err);
    return test_check(b->header != NULL, __FILE__, __LINE__, "%s", err.text);
}

// The values of an array, and its entry in the header; layer -1: of no layer.
static const void *array(const Bench *b, const char *name, int layer, const Json **entry) {
    const Json *a = json_get(b->header, "arrays")->child;
    for (; a; a = a->next) {
        if (!str_equal(json_string(json_get(a, "name"), STR("")), str_from(name))) continue;
        if (json_integer(json_get(a, "layer"), -1) != layer) continue;
        if (entry) *entry = a;
        size_t offset = (size_t)json_integer(json_get(a, "offset"), 0);
        CHECK((size_t)(b->arrays - b->trace.data) + offset <= b->trace.n);
        return b->arrays + offset;
    }
    return NULL;
}

static int64_t dim(const Json *entry, int i) {
    return json_integer(json_at(json_get(entry, "shape"), i), -1);
}

static int token_ids(const Bench *b, int32_t ids[64]) {
    int n = 0;
    for (const Json *t = json_get(b->header, "tokens")->child; t; t = t->next)
        ids[n++] = (int32_t)json_integer(json_get(t, "id"), -1);
    return n;
}

// The same by hand: a whole forward with a capture of everything.
typedef struct Witness {
    Run run;
    Arena arena;
    Capture capture;
    float *logits; // (V) of the last token
} Witness;

static bool witness(Witness *w, const Model *model, const int32_t *ids, int n, Switches switches) {
    static const CaptureWant want[] = {
        {SITE_PATTERN, -1}, {SITE_Q_ROT, -1}, {SITE_RESID_POST, -1}, {SITE_MLP_ACT, -1}};
    Error err = {0};
    SingleBatch single;
    Batch *batch = batch_single(&single, ids, n);
    if (!CHECK(arena_init(&w->arena, ARENA_DEFAULT, &err) && run_open(&w->run, NULL, &err)))
        return false;
    capture_init(&w->capture, &w->arena, want, 4);
    w->run.exact = true;
    w->run.switches = switches;
    w->run.probe = &w->capture.probe;
    run_plan_begin(&w->run);
    model_forward(&w->run, model, batch);
    if (!CHECK(run_allocate(&w->run, &err))) return false;
    const Tensor *all = model_forward(&w->run, model, batch);
    w->logits = tensor_f32(all) + (n - 1) * model->config.vocab;
    return true;
}

static void witness_close(Witness *w) {
    run_close(&w->run);
    arena_drop(&w->arena);
}

static void check_floats(const float *a, const float *b, int64_t n, double tolerance, int line) {
    double worst = 0;
    for (int64_t i = 0; i < n; i++) worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    test_check(worst <= tolerance, __FILE__, line, "%g apart", worst);
}

static const char *const models[] = {"fixtures/models/llama", "fixtures/models/gpt2"};

// ---------------------------------------------------------------- what is looked at
TEST(lab, taps_are_what_a_capture_sees) {
    for (int m = 0; m < 2; m++) {
        Bench b;
        Witness w;
        const Json *entry;
        int32_t ids[64];
        if (!bench_open(&b, models[m]) ||
            !ask(
                &b,
                "{\"text\": \"the cat sat\", \"logits\": true, \"taps\": [{\"site\": \"pattern\"}, "
                "{\"site\": \"resid_post\", \"layer\": 1}, {\"site\": \"mlp_act\", \"layer\": "
                "0}]}"))
            return;
        int n = token_ids(&b, ids);
        if (!CHECK(n > 3) || !witness(&w, b.model, ids, n, (Switches){0})) return;
        for (int l = 0; l < b.model->config.layers; l++) {
            const float *pattern = array(&b, "pattern", l, &entry);
            if (!CHECK(pattern && dim(entry, 0) == b.model->config.heads)) continue;
            CHECK(dim(entry, 1) == n && dim(entry, 2) == n);
            const Tensor *seen = capture_find(&w.capture, SITE_PATTERN, l);
            check_floats(pattern, tensor_f32(seen), tensor_count(seen), 1e-6, __LINE__);
        }
        const Tensor *stream = capture_find(&w.capture, SITE_RESID_POST, 1);
        const float *given = array(&b, "resid_post", 1, &entry);
        if (CHECK(given && dim(entry, 0) == n && dim(entry, 1) == b.model->config.width))
            check_floats(given, tensor_f32(stream), tensor_count(stream), 1e-5, __LINE__);
        CHECK(!array(&b, "resid_post", 0, NULL) && array(&b, "mlp_act", 0, NULL));
        const float *logits = array(&b, "next_logits", -1, &entry);
        if (CHECK(logits && dim(entry, 0) == b.model->config.vocab))
            check_floats(logits, w.logits, b.model->config.vocab, 1e-5, __LINE__);
        witness_close(&w);
        bench_close(&b);
    }
}

// Row l of the lens is what a model says that is cut off after l layers: another way to the same.
TEST(lab, lens_is_the_model_cut_short) {
    for (int m = 0; m < 2; m++) {
        Bench b;
        const Json *entry;
        int32_t ids[64];
        if (!bench_open(&b, models[m]) ||
            !ask(&b, "{\"text\": \"the cat sat\", \"lens\": {\"top\": 4, \"watch\": [5, 40]}}"))
            return;
        int n = token_ids(&b, ids), layers = b.model->config.layers;
        int64_t n_vocab = b.model->config.vocab;
        double *share = arena_new(&b.arena, double, n_vocab);
        const int32_t *id = array(&b, "lens_id", -1, &entry);
        const float *p = array(&b, "lens_probability", -1, NULL);
        const float *watched = array(&b, "lens_watched", -1, NULL);
        const float *final = array(&b, "lens_final", -1, NULL);
        const float *entropy = array(&b, "lens_entropy", -1, NULL);
        if (!CHECK(id && p && watched && final && entropy)) return;
        CHECK(dim(entry, 0) == layers + 1 && dim(entry, 1) == n && dim(entry, 2) == 4);
        for (int l = 1; l <= layers; l++) {
            Witness w;
            if (!witness(&w, b.model, ids, n, (Switches){.n_layers = l})) return;
            softmax_f64(w.logits, n_vocab, share);
            int64_t at = (int64_t)l * n + n - 1;
            double bits = 0;
            for (int64_t i = 0; i < n_vocab; i++) {
                bits -= share[i] * log2(share[i]);
                CHECK(share[i] <= share[id[at * 4]] + 1e-9);
            }
            for (int k = 0; k < 4; k++) CHECK_CLOSE(p[at * 4 + k], share[id[at * 4 + k]], 1e-6);
            for (int k = 1; k < 4; k++) CHECK(p[at * 4 + k] <= p[at * 4 + k - 1]);
            CHECK_CLOSE(watched[at * 2], share[5], 1e-6);
            CHECK_CLOSE(watched[at * 2 + 1], share[40], 1e-6);
            CHECK_CLOSE(final[at], share[id[((int64_t)layers * n + n - 1) * 4]], 1e-6);
            CHECK_CLOSE(entropy[at], bits, 1e-4);
            witness_close(&w);
        }
        bench_close(&b);
    }
}

TEST(lab, switches_reach_the_forward) {
    static const struct {
        const char *json;
        Switches switches;
    } cases[] = {{"{\"scale\": false}", {.no_scale = true}},
                 {"{\"causal_mask\": false}", {.no_causal_mask = true}},
                 {"{\"residual\": false}", {.no_residual = true}},
                 {"{\"norm\": false}", {.no_norm = true}},
                 {"{\"positions\": \"none\"}", {.positions = POSITIONS_NONE}},
                 {"{\"window\": 3, \"kept\": 1}", {.window = 3, .kept = 1}},
                 {"{\"layers\": 1}", {.n_layers = 1}}};
    Bench b;
    int32_t ids[64];
    if (!bench_open(&b, models[0]) || !ask(&b, "{\"text\": \"the cat sat\", \"logits\": true}"))
        return;
    int64_t n_vocab = b.model->config.vocab;
    int n = token_ids(&b, ids);
    float *plain = arena_new(&b.arena, float, n_vocab);
    memcpy(plain, array(&b, "next_logits", -1, NULL), sizeof *plain * (size_t)n_vocab);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Witness w;
        char request[128];
        snprintf(request, sizeof request,
                 "{\"text\": \"the cat sat\", \"logits\": true, \"switches\": %s}", cases[i].json);
        if (!ask(&b, request) || !witness(&w, b.model, ids, n, cases[i].switches)) return;
        const float *logits = array(&b, "next_logits", -1, NULL);
        check_floats(logits, w.logits, n_vocab, 1e-5, __LINE__);
        CHECK(memcmp(logits, plain, sizeof *plain * (size_t)n_vocab) != 0);
        witness_close(&w);
    }
    bench_close(&b);
}

TEST(lab, a_head_that_is_off_gives_nothing) {
    Bench b;
    const Json *entry;
    if (!bench_open(&b, models[0]) ||
        !ask(&b,
             "{\"text\": \"the cat\", \"taps\": [{\"site\": \"z\", \"layer\": 1}], \"switches\": "
             "{\"heads_off\": [[1, 2]]}}"))
        return;
    const float *z = array(&b, "z", 1, &entry);
    if (!CHECK(z != NULL)) return;
    int64_t width = b.model->config.head_width, row = dim(entry, 1);
    for (int64_t t = 0; t < dim(entry, 0); t++)
        for (int64_t i = 0; i < row; i++)
            if (i / width == 2) CHECK(z[t * row + i] == 0);
    double sum = 0;
    for (int64_t i = 0; i < row; i++) sum += fabs((double)z[i]);
    CHECK(sum > 0);
    bench_close(&b);
}

// ---------------------------------------------------------------- tokens
TEST(lab, tokens_keep_their_bytes_and_make_units) {
    Bench b;
    const Json *entry;
    if (!bench_open(&b, models[0]) ||
        !ask(&b, "{\"text\": \"a\xe7\x8c\xab\", \"then\": [7, 9], \"vocabulary\": true}"))
        return;
    const int32_t *end = array(&b, "piece_end", -1, &entry);
    const char *bytes = array(&b, "piece_bytes", -1, NULL);
    if (!CHECK(end && bytes && dim(entry, 0) == b.model->config.vocab)) return;
    StrBuilder text = str_builder(&b.arena);
    int64_t n = json_get(b.header, "tokens")->count, unit = 0;
    for (const Json *t = json_get(b.header, "tokens")->child; t; t = t->next) {
        int64_t id = json_integer(json_get(t, "id"), -1), from = id ? end[id - 1] : 0;
        Str piece = {bytes + from, (size_t)(end[id] - from)};
        CHECK(str_equal(piece, tokenizer_piece(b.model->tokenizer, (int32_t)id, true)));
        int64_t u = json_integer(json_get(t, "unit"), -1);
        CHECK(u == unit || u == unit + 1);
        unit = u;
        if (!json_bool(json_get(t, "special"), false)) str_add(&text, piece);
    }
    CHECK(str_find(str_built(&text), STR("a\xe7\x8c\xab"), 0) != SIZE_MAX);
    CHECK(unit < n - 1); // the character's three bytes are one unit
    const Json *last = json_at(json_get(b.header, "tokens"), n - 1);
    CHECK_EQUAL(json_integer(json_get(last, "id"), -1), 9);
    bench_close(&b);
}

// ---------------------------------------------------------------- generation
TEST(lab, steps_are_the_samplers) {
    Bench b;
    Error err = {0};
    int32_t ids[64];
    if (!bench_open(&b, models[0]) ||
        !ask(&b, "{\"text\": \"the\", \"generate\": {\"tokens\": 6, \"top\": 5, \"seed\": 3, "
                 "\"temperature\": 1.5, \"top_k\": 20, \"top_p\": 0.9}}"))
        return;
    int n = token_ids(&b, ids), n_prompt = n;
    SamplerOptions o = sampler_neutral();
    o.temperature = 1.5, o.top_k = 20, o.top_p = 0.9, o.seed = 3;
    Session *s = session_open(
        b.model, (SessionOptions){.exact = true, .cache = DTYPE_F32, .context = 64}, &err);
    Sampler *sampler = sampler_make(&b.arena, &o, b.model->config.vocab);
    Characters characters;
    characters_init(&characters, &b.arena, b.model->tokenizer, b.model->config.vocab);
    double *share = arena_new(&b.arena, double, b.model->config.vocab);
    const Json *step = json_get(b.header, "generation")->child;
    CHECK_EQUAL(json_get(b.header, "generation")->count, 6);
    for (; step; step = step->next) {
        Choice choice;
        if (!CHECK(s && session_sync(s, ids, n, &err))) break;
        SamplerInput in = {s->logits, ids, n, n_prompt, &characters};
        if (!CHECK(sampler_choose(sampler, &in, &choice, &err))) break;
        CHECK_EQUAL(json_integer(json_get(step, "id"), -1), choice.id);
        CHECK_CLOSE(json_number(json_get(step, "draw"), -1), choice.draw, 0);
        CHECK_CLOSE(json_number(json_get(step, "probability"), -1), choice.probability, 1e-6);
        CHECK_EQUAL(json_integer(json_get(step, "kept"), -1), choice.kept);
        softmax_f64(s->logits, b.model->config.vocab, share);
        CHECK_CLOSE(json_number(json_get(step, "model"), -1), share[choice.id], 1e-9);
        double sum = json_number(json_get(step, "rest"), -1);
        const Json *c = json_get(step, "candidates")->child;
        for (; c; c = c->next) {
            double p = json_number(json_get(c, "model"), -1);
            CHECK_CLOSE(p, share[json_integer(json_get(c, "id"), 0)], 1e-6);
            sum += p;
        }
        CHECK_CLOSE(sum, 1, 1e-9);
        ids[n++] = choice.id;
    }
    session_close(s);
    bench_close(&b);
}

// ---------------------------------------------------------------- parameters
// The tensors of the list have, place by place, as many values as the model says it has.
TEST(lab, weights_add_up_to_the_parameters) {
    static const char *const places[] = {"embedding", "attention", "feed_forward", "norm_position"};
    static const char *const kinds[] = {"fixtures/models/llama", "fixtures/models/gpt2",
                                        "fixtures/models/mixtral"};
    for (size_t m = 0; m < sizeof kinds / sizeof *kinds; m++) {
        Bench b;
        if (!bench_open(&b, kinds[m]) || !ask(&b, "{\"text\": \"a\", \"weights\": true}")) return;
        int64_t sum[4] = {0};
        const Json *weight = json_get(b.header, "weights")->child;
        for (; weight; weight = weight->next) {
            int64_t n = 1;
            for (const Json *d = json_get(weight, "shape")->child; d; d = d->next) n *= d->integer;
            for (int i = 0; i < 4; i++)
                if (str_equal(json_string(json_get(weight, "place"), STR("")), str_from(places[i])))
                    sum[i] += n;
        }
        const Json *model = json_get(b.header, "model"), *counts = json_get(model, "parameters");
        for (int i = 0; i < 4; i++)
            CHECK_EQUAL(sum[i], json_integer(json_get(counts, places[i]), -1));
        CHECK_EQUAL(sum[0] + sum[1] + sum[2] + sum[3], json_integer(json_get(counts, "total"), -1));
        CHECK_EQUAL(json_integer(json_get(model, "experts"), -1), b.model->config.experts);
        bench_close(&b);
    }
}

// ---------------------------------------------------------------- cost
static double measured(const Bench *b, const char *key) {
    return json_number(json_get(json_get(b->header, "measured"), key), -1);
}

TEST(lab, a_forward_is_measured_in_two_parts) {
    for (int m = 0; m < 2; m++) {
        Bench b;
        const Json *entry;
        if (!bench_open(&b, models[m]) ||
            !ask(&b, "{\"text\": \"the cat\", \"measure\": {\"tokens\": 20, \"chunk\": 7}}"))
            return;
        double all = measured(&b, "seconds");
        double attention = measured(&b, "attention_seconds");
        CHECK_EQUAL((int64_t)measured(&b, "tokens"), 20);
        double rest = measured(&b, "rest_seconds");
        CHECK(attention > 0 && rest > 0 && all < 60);
        CHECK_CLOSE(attention + rest, all, 1e-9);
        const int32_t *read = array(&b, "measured_tokens", -1, &entry);
        const float *at = array(&b, "measured_seconds", -1, NULL);
        if (!CHECK(read && at) || !CHECK_EQUAL(dim(entry, 0), 3)) return;
        CHECK(read[0] == 7 && read[1] == 14 && read[2] == 20);
        CHECK(0 < at[0] && at[0] <= at[1] && at[1] <= at[2]);
        CHECK_CLOSE((double)at[2], all, 1e-6 * all);
        bench_close(&b);
    }
}

TEST(lab, a_model_without_attention_spends_no_time_in_it) {
    Bench b;
    if (!bench_open(&b, "fixtures/models/heed-lstm") ||
        !ask(&b, "{\"text\": \"the cat\", \"measure\": {\"tokens\": 20, \"chunk\": 7}}"))
        return;
    CHECK(measured(&b, "attention_seconds") == 0 && measured(&b, "rest_seconds") > 0);
    CHECK(measured(&b, "seconds") < 60);
    bench_close(&b);
}

// A pattern that is made whole has to lie somewhere: heads x rows x keys of it at the least.
TEST(lab, the_plain_form_of_attention_takes_more_memory) {
    Bench b;
    if (!bench_open(&b, models[0]) ||
        !ask(&b, "{\"text\": \"a\", \"measure\": {\"tokens\": 60, \"repeat\": 1}}"))
        return;
    double tiled = measured(&b, "step_bytes"), kept = measured(&b, "kept_bytes");
    CHECK_CLOSE(kept, 60 * (double)state_bytes_per_position(b.model, DTYPE_F32), 0.3 * kept);
    if (!ask(&b,
             "{\"text\": \"a\", \"measure\": {\"tokens\": 60, \"repeat\": 1, \"plain\": true}}"))
        return;
    CHECK(measured(&b, "step_bytes") >= tiled + 4.0 * b.model->config.heads * 60 * 60);
    bench_close(&b);
}

// Tiles and the whole pattern: the same sums in another order.
TEST(lab, tiles_give_what_the_whole_pattern_gives) {
    Bench b;
    const Json *entry;
    if (!bench_open(&b, models[0]) ||
        !ask(&b, "{\"text\": \"the cat sat on it\", \"taps\": [{\"site\": \"z\"}]}"))
        return;
    const float *z = array(&b, "z", 1, &entry);
    if (!CHECK(z != NULL)) return;
    int64_t n = dim(entry, 0) * dim(entry, 1);
    float *tiled = arena_new(&b.arena, float, n);
    memcpy(tiled, z, sizeof *tiled * (size_t)n);
    if (!ask(&b, "{\"text\": \"the cat sat on it\", \"taps\": [{\"site\": \"z\"}, {\"site\": "
                 "\"pattern\"}]}"))
        return;
    check_floats(array(&b, "z", 1, NULL), tiled, n, 1e-5, __LINE__);
    bench_close(&b);
}

// Without the cache every step computes the whole text, and says the same.
TEST(lab, the_cache_saves_work_and_changes_no_token) {
    static const char *const cache[] = {"true", "false"};
    enum { STEPS = 6 };
    for (int m = 0; m < 2; m++) {
        Bench b;
        int32_t ids[64], said[2][STEPS] = {{0}};
        if (!bench_open(&b, models[m])) return;
        for (int k = 0; k < 2; k++) {
            char request[160];
            snprintf(request, sizeof request,
                     "{\"text\": \"the cat\", \"generate\": {\"tokens\": %d, \"temperature\": 0, "
                     "\"repeat\": %d}, \"switches\": {\"cache\": %s}}",
                     STEPS, k, cache[k]);
            if (!ask(&b, request)) return;
            int n = token_ids(&b, ids), i = 0;
            const Json *step = json_get(b.header, "generation")->child;
            for (; step; step = step->next, i++) {
                said[k][i] = (int32_t)json_integer(json_get(step, "id"), -1);
                bool is_new = k == 0 && i > 0;
                CHECK_EQUAL(json_integer(json_get(step, "computed"), -1), is_new ? 1 : n + i);
            }
            CHECK_EQUAL(i, STEPS);
            const Json *entry;
            const float *seconds = array(&b, "step_seconds", -1, &entry);
            if (!CHECK((seconds != NULL) == (k == 1)) || !seconds) continue;
            CHECK_EQUAL(dim(entry, 0), STEPS);
            for (i = 0; i < STEPS; i++) CHECK(seconds[i] > 0 && seconds[i] < 60);
        }
        CHECK(memcmp(said[0], said[1], sizeof said[0]) == 0);
        bench_close(&b);
    }
}

// One beam of an answer against that of the library: the tokens, the sums, and the product of what
// the model gives each token.
static void check_beam(const Json *beam, const BeamText *text) {
    double sum = 0;
    const Json *tokens = json_get(beam, "tokens");
    if (!CHECK(beam && tokens) || !CHECK_EQUAL(tokens->count, text->n)) return;
    int64_t i = 0;
    for (const Json *token = tokens->child; token; token = token->next) {
        CHECK_EQUAL(json_integer(json_get(token, "id"), -1), text->token[i++]);
        sum += log(json_number(json_get(token, "model"), -1));
    }
    CHECK_CLOSE(json_number(json_get(beam, "log_probability"), 0), text->log_prob, 1e-9);
    CHECK_CLOSE(json_number(json_get(beam, "score"), 0), text->score, 1e-9);
    CHECK_CLOSE(sum, text->log_prob, 1e-4);
    CHECK_EQUAL(json_get(beam, "ends") != NULL, text->has_ended);
}

TEST(lab, beams_are_those_of_the_library) {
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        Bench b;
        Error err = {0};
        int32_t ids[64];
        if (!bench_open(&b, models[m]) ||
            !ask(&b, "{\"text\": \"the\", \"generate\": {\"tokens\": 5, \"beams\": 4}}"))
            return;
        Session *s = session_open(
            b.model, (SessionOptions){.exact = true, .cache = DTYPE_F32, .context = 64}, &err);
        BeamOptions o = {.n_beams = 4, .n_best = 4, .tokens_max = 5, .length_penalty = 1};
        BeamResult result;
        if (CHECK(s && session_beams(s, &b.arena, ids, token_ids(&b, ids), o, &result, &err))) {
            CHECK_EQUAL(json_get(b.header, "beams")->count, result.n);
            for (int i = 0; i < result.n; i++)
                check_beam(json_at(json_get(b.header, "beams"), i), &result.text[i]);
        }
        CHECK(json_get(b.header, "generation") == NULL);
        session_close(s);
        bench_close(&b);
    }
}

// A window as long as the text changes nothing, a shorter one does; kept positions change it again.
TEST(lab, a_window_changes_what_comes_next) {
    static const char *const windows[] = {"{}", "{\"window\": 64}", "{\"window\": 2}",
                                          "{\"window\": 2, \"kept\": 1}"};
    Bench b;
    if (!bench_open(&b, models[0])) return;
    int64_t n = b.model->config.vocab;
    float *logits = arena_new(&b.arena, float, 4 * n);
    for (int i = 0; i < 4; i++) {
        char request[128];
        snprintf(request, sizeof request,
                 "{\"text\": \"the cat sat\", \"logits\": true, \"switches\": %s}", windows[i]);
        if (!ask(&b, request)) return;
        memcpy(logits + i * n, array(&b, "next_logits", -1, NULL), sizeof *logits * (size_t)n);
    }
    check_floats(logits, logits + n, n, 0, __LINE__);
    for (int i = 1; i < 4; i++)
        CHECK(memcmp(logits + (i - 1) * n, logits + i * n, sizeof *logits * (size_t)n) != 0 ||
              i == 1);
    bench_close(&b);
}

// ---------------------------------------------------------------- refusals
TEST(lab, wrong_requests_are_refused_by_name) {
    static const struct {
        const char *json;
        ErrorKind kind;
        const char *words;
    } cases[] = {
        {"", ERROR_FORMAT, "the request"},
        {"[]", ERROR_USAGE, "must be an object"},
        {"{}", ERROR_USAGE, "text: must be a string"},
        {"{\"text\": 3}", ERROR_USAGE, "text: must be a string"},
        {"{\"text\": \"a\", \"tap\": []}", ERROR_USAGE, "no such key: 'tap'"},
        {"{\"text\": \"a\", \"taps\": {}}", ERROR_USAGE, "taps: must be a list"},
        {"{\"text\": \"a\", \"taps\": [{\"site\": \"heart\"}]}", ERROR_USAGE,
         "no such site: 'heart'"},
        {"{\"text\": \"a\", \"taps\": [{\"site\": \"q\", \"layer\": 99}]}", ERROR_USAGE,
         "layer: must"},
        {"{\"text\": \"a\", \"taps\": [{\"site\": \"q\", \"layer\": 0.5}]}", ERROR_USAGE,
         "layer: must"},
        {"{\"text\": \"a\", \"then\": [-1]}", ERROR_USAGE, "then: must be whole numbers"},
        {"{\"text\": \"a\", \"then\": [99999999999]}", ERROR_USAGE, "then: must be whole numbers"},
        {"{\"text\": \"a\", \"logits\": 1}", ERROR_USAGE, "logits: must be true or false"},
        {"{\"text\": \"a\", \"switches\": {\"positions\": \"up\"}}", ERROR_USAGE,
         "positions: must be"},
        {"{\"text\": \"a\", \"switches\": {\"heads_off\": [[0, 99]]}}", ERROR_USAGE,
         "heads_off: must"},
        {"{\"text\": \"a\", \"switches\": {\"heads_off\": [7]}}", ERROR_USAGE, "heads_off: must"},
        {"{\"text\": \"a\", \"switches\": {\"window\": -4}}", ERROR_USAGE, "window: must"},
        {"{\"text\": \"a\", \"lens\": {\"top\": 0}}", ERROR_USAGE, "top: must"},
        {"{\"text\": \"a\", \"generate\": {\"tokens\": 100000}}", ERROR_USAGE, "tokens: must"},
        {"{\"text\": \"a\", \"generate\": {\"top_p\": 2}}", ERROR_USAGE, "top_p 2: must"},
        {"{\"text\": \"a\", \"generate\": {\"temperature\": \"hot\"}}", ERROR_USAGE,
         "temperature: must"},
        {"{\"text\": \"a\", \"generate\": {\"repeat\": -1}}", ERROR_USAGE, "repeat: must"},
        {"{\"text\": \"a\", \"weights\": []}", ERROR_USAGE, "weights: must"},
        {"{\"text\": \"a\", \"measure\": 7}", ERROR_USAGE, "measure: must be an object"},
        {"{\"text\": \"a\", \"measure\": {\"token\": 7}}", ERROR_USAGE, "no such key: 'token'"},
        {"{\"text\": \"a\", \"measure\": {\"tokens\": 0}}", ERROR_USAGE, "tokens: must"},
        {"{\"text\": \"a\", \"measure\": {\"tokens\": 100000}}", ERROR_USAGE, "tokens: must"},
        {"{\"text\": \"a\", \"measure\": {\"chunk\": 0}}", ERROR_USAGE, "chunk: must"},
        {"{\"text\": \"a\", \"measure\": {\"repeat\": 99}}", ERROR_USAGE, "repeat: must"},
        {"{\"text\": \"a\", \"measure\": {\"plain\": 0}}", ERROR_USAGE, "plain: must"},
        {"{\"text\": \"a\", \"measure\": {\"plain\": true, \"tokens\": 8192, \"chunk\": 8192}}",
         ERROR_LIMIT, "plain: the pattern"},
        {"{\"text\": \"a\", \"generate\": {\"beams\": 0}}", ERROR_USAGE, "beams: must"},
        {"{\"text\": \"a\", \"generate\": {\"beams\": 99}}", ERROR_USAGE, "beams: must"},
        {"{\"text\": \"a\", \"generate\": {\"beams\": 2, \"temperature\": 1}}", ERROR_USAGE,
         "generate with beams: no such key: 'temperature'"},
    };
    Bench b;
    Error err;
    if (!bench_open(&b, models[0])) return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(lab_answer(b.lab, str_from(cases[i].json), &b.trace, &err), err, cases[i].kind,
                    cases[i].words);
    StrBuilder longer = str_builder(&b.arena);
    str_add_c(&longer, "{\"text\": \"");
    for (int i = 0; i < 2 * LAB_TOKENS_MAX; i++) str_add_c(&longer, "x ");
    str_add_c(&longer, "\"}");
    CHECK_FAILS(lab_answer(b.lab, str_built(&longer), &b.trace, &err), err, ERROR_LIMIT, "tokens");
    CHECK(ask(&b, "{\"text\": \"still here\"}"));
    bench_close(&b);
}

// Every byte of a request replaced by others, or left out: an answer or an error, and the lab goes
// on. What cannot be a request must be refused.
TEST(lab, damaged_requests_do_no_harm) {
    static const char whole[] =
        "{\"text\": \"ab\", \"special\": true, \"then\": [7, 9], \"taps\": [{\"site\": \"q\", "
        "\"layer\": 1}], \"logits\": true, \"lens\": {\"top\": 2, \"watch\": [5]}, \"switches\": "
        "{\"scale\": false, \"window\": 3, \"layers\": 2, \"positions\": \"zero\", \"heads_off\": "
        "[[0, 1]]}, \"generate\": {\"tokens\": 2, \"top\": 3, \"temperature\": 0.5, \"top_k\": 4, "
        "\"seed\": 6}, \"weights\": true, \"measure\": {\"tokens\": 4, \"chunk\": 2, \"repeat\": "
        "1}}";
    static const char others[] = {0, '"', '[', '}', ',', '9', '-', 'e', (char)0xc3};
    enum { N = sizeof whole - 1 };
    Bench b;
    char text[N];
    int n_refused = 0, n_tried = 0;
    if (!bench_open(&b, models[0]) || !ask(&b, whole)) return;
    for (size_t at = 0; at < N; at += (size_t)test_thinning())
        for (size_t k = 0; k <= sizeof others; k++) {
            Error err = {0};
            size_t n = N;
            memcpy(text, whole, N);
            if (k < sizeof others)
                text[at] = others[k];
            else
                memmove(text + at, whole + at + 1, --n - at);
            n_tried++;
            if (lab_answer(b.lab, (Str){text, n}, &b.trace, &err)) continue;
            n_refused++;
            CHECK(err.kind != ERROR_NONE && err.text[0]);
        }
    CHECK(n_refused > n_tried / 2 && n_refused < n_tried);
    CHECK(ask(&b, whole));
    bench_close(&b);
}

static bool refuse(void *user) {
    (void)user;
    return false;
}

TEST(lab, an_answer_can_be_stopped) {
    Bench b;
    Error err;
    if (!bench_open(&b, models[0])) return;
    b.lab->options.keep_going = refuse;
    CHECK_FAILS(lab_answer(b.lab, STR("{\"text\": \"a\"}"), &b.trace, &err), err, ERROR_CANCELLED,
                "no longer wanted");
    bench_close(&b);
}
