// test_demonstrations.c - what the lab's page says in words holds on a model that comes with heed.
#include "builtin/builtin.h"
#include "look/capture.h"
#include "model/model.h"
#include "tests/test.h"

enum { N_MAX = 16 };
static const char sentence[] = "The cat saw the dog.";

// The model `tales` and a sentence.
typedef struct Demo {
    Model *model;
    Arena arena;
    int32_t ids[N_MAX];
    int n, first, second; // tokens; the places of the two words that change them
} Demo;

static int place_of(const Demo *d, Str piece) {
    for (int i = 0; i < d->n; i++)
        if (str_equal(tokenizer_piece(d->model->tokenizer, d->ids[i], true), piece)) return i;
    return -1;
}

static bool demo_open(Demo *d) {
    Error err = {0};
    Tokens tokens = {0};
    *d = (Demo){0};
    if (!builtin_named(STR("tales"))) {
        test_skip("no built-in models here");
        return false;
    }
    d->model = model_open("tales", (ModelOptions){0}, &err);
    if (!test_check(d->model != NULL, __FILE__, __LINE__, "%s", err.text)) return false;
    if (!CHECK(arena_init(&d->arena, ARENA_DEFAULT, &err))) return false;
    EncodeOptions options = {.add_special = true};
    if (!CHECK(tokenizer_encode(d->model->tokenizer, &d->arena, str_from(sentence), options,
                                &tokens, &err)) ||
        !CHECK(tokens.n <= N_MAX))
        return false;
    d->n = (int)tokens.n;
    for (int i = 0; i < d->n; i++) d->ids[i] = tokens.token[i].id;
    d->first = place_of(d, STR(" cat"));
    d->second = place_of(d, STR(" dog"));
    return CHECK(d->first > 0 && d->second > d->first);
}

static void demo_close(Demo *d) {
    model_close(d->model);
    arena_drop(&d->arena);
}

// A site of all layers, with these switches; lives in the demo's arena.
static const Capture *seen(Demo *d, const int32_t *ids, Switches switches, Site site) {
    Error err = {0};
    Run run;
    SingleBatch single;
    Capture *capture = arena_new(&d->arena, Capture, 1);
    Batch *batch = batch_single(&single, ids, d->n);
    if (!CHECK(run_open(&run, NULL, &err))) return NULL;
    capture_init(capture, &d->arena, &(CaptureWant){site, -1}, 1);
    run.exact = true;
    run.switches = switches;
    run.probe = &capture->probe;
    run_plan_begin(&run);
    model_forward(&run, d->model, batch);
    bool ok = CHECK(run_allocate(&run, &err));
    if (ok) model_forward(&run, d->model, batch);
    run_close(&run);
    return ok ? capture : NULL;
}

// How far apart two vectors are, as a share of their length.
static double apart(const float *a, const float *b, int64_t n) {
    double difference = 0, left = 0, right = 0;
    for (int64_t i = 0; i < n; i++) {
        difference += pow((double)a[i] - (double)b[i], 2);
        left += pow((double)a[i], 2);
        right += pow((double)b[i], 2);
    }
    return 2 * sqrt(difference) / (sqrt(left) + sqrt(right));
}

// ---------------------------------------------------------------- word order
// Cat and dog change places.  Each word's vector after the last layer is the same in both
// sentences, within rounding, where neither mask nor positions are there; with either of them the
// exchanged words, and all that come after the first of them, have moved.
TEST(demonstrations, only_without_mask_and_positions_is_order_lost) {
    Demo d;
    if (!demo_open(&d)) return;
    int last = d.model->config.layers - 1;
    int64_t width = d.model->config.width;
    int32_t swapped[N_MAX];
    memcpy(swapped, d.ids, sizeof swapped);
    swapped[d.first] = d.ids[d.second];
    swapped[d.second] = d.ids[d.first];
    for (int corner = 0; corner < 4; corner++) {
        Switches s = {.no_causal_mask = corner & 1,
                      .positions = corner & 2 ? POSITIONS_NONE : POSITIONS_ON};
        const Capture *one = seen(&d, d.ids, s, SITE_RESID_POST);
        const Capture *two = seen(&d, swapped, s, SITE_RESID_POST);
        if (!CHECK(one && two)) break;
        const Tensor *a = capture_find(one, SITE_RESID_POST, last);
        const Tensor *b = capture_find(two, SITE_RESID_POST, last);
        if (!CHECK(a && b)) break;
        for (int i = d.first; i < d.n; i++) {
            int j = i == d.first ? d.second : i == d.second ? d.first : i;
            double v = apart(tensor_f32(a) + i * width, tensor_f32(b) + j * width, width);
            test_check(corner == 3 ? v < 1e-5 : v > 0.02, __FILE__, __LINE__,
                       "corner %d, token %d: %.3g apart", corner, i, v);
        }
        // What comes before them sees neither, if there is a mask.
        double v = apart(tensor_f32(a), tensor_f32(b), width);
        test_check(corner & 1 ? corner == 3 || v > 0.02 : v == 0, __FILE__, __LINE__,
                   "corner %d, the first token: %.3g apart", corner, v);
    }
    demo_close(&d);
}

// ---------------------------------------------------------------- the square root of D
// Mean entropy, in bits, of the rows of a pattern that have at least two words to choose from.
static double mean_entropy(const Tensor *pattern) {
    int64_t rows = tensor_rows(pattern), n = tensor_cols(pattern);
    const float *p = tensor_f32(pattern);
    double bits = 0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < n; j++)
            if (p[r * n + j] > 0) bits -= (double)p[r * n + j] * log2((double)p[r * n + j]);
    return bits / (double)(rows / n * (n - 1));
}

TEST(demonstrations, without_the_square_root_of_d_attention_collapses) {
    Demo d;
    if (!demo_open(&d)) return;
    const Capture *with = seen(&d, d.ids, (Switches){0}, SITE_PATTERN);
    const Capture *without = seen(&d, d.ids, (Switches){.no_scale = true}, SITE_PATTERN);
    for (int l = 0; with && without && l < d.model->config.layers; l++) {
        const Tensor *scaled = capture_find(with, SITE_PATTERN, l);
        const Tensor *raw = capture_find(without, SITE_PATTERN, l);
        if (!CHECK(scaled && raw)) break;
        double before = mean_entropy(scaled), after = mean_entropy(raw);
        test_check(before > 0.2 && after < 0.7 * before, __FILE__, __LINE__,
                   "layer %d: from %.3f to %.3f bits", l, before, after);
    }
    demo_close(&d);
}
