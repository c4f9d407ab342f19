// test_encoder.c - sentence vectors and blanks of the tiny BERT, and what an encoder refuses.
//
// fixtures/models/bert: tools/golden_models.py.
#include <math.h>

#include "format/safetensors.h"
#include "look/encoder.h"
#include "look/evaluate.h"
#include "model/state.h"
#include "tests/test.h"

enum { WIDTH = 32, VOCAB = 64, IDS_MAX = 64 };

static Model *opened(const char *file) {
    Error err = {0};
    Model *m = model_open(test_fixture(file), (ModelOptions){0}, &err);
    test_check(m != NULL, __FILE__, __LINE__, "%s: %s", file, err.text);
    return m;
}

typedef struct Golden {
    SafetensorsFile file;
    EncoderText text;
} Golden;

static const void *golden_at(Golden *g, const char *key, int64_t *n) {
    const TensorEntry *entry = tensor_file_find(&g->file.tensors, str_from(key));
    test_check(entry != NULL, __FILE__, __LINE__, "golden %s is missing", key);
    *n = entry ? entry->bytes / 4 : 0;
    return entry ? entry->data : NULL;
}

static bool golden_open(Golden *g) {
    Error err = {0};
    int64_t n;
    *g = (Golden){0};
    if (!CHECK(safetensors_open(&g->file, test_fixture("fixtures/models/bert/golden.safetensors"),
                                true, &err)))
        return false;
    g->text.ids = golden_at(g, "ids", &g->text.n);
    g->text.types = golden_at(g, "types", &n);
    return CHECK(g->text.ids && g->text.types && n == g->text.n);
}

static void check_near(const float *have, const float *want, int64_t n, double most,
                       const char *what) {
    double worst = 0;
    for (int64_t i = 0; i < n; i++) {
        double off = fabs((double)have[i] - (double)want[i]);
        if (isnan(off) || off > worst) worst = off;
    }
    test_check(worst <= most, __FILE__, __LINE__, "%s differs by %.2e", what, worst);
}

static void check_embeddings(const char *file) {
    Golden g;
    Run run;
    Error err = {0};
    int64_t n;
    float vector[WIDTH];
    Model *m = golden_open(&g) ? opened(file) : NULL;
    if (!m || !CHECK(run_open(&run, NULL, &err))) return;
    run.exact = true;
    CHECK(strcmp(encoder_pooling(m), "mean") == 0 && m->normalizes);
    CHECK(encoder_embed(&run, m, g.text, vector, &err));
    check_near(vector, golden_at(&g, "mean", &n), WIDTH, 1e-5, "mean");
    m->config.pooling = POOLING_CLS;
    CHECK(encoder_embed(&run, m, g.text, vector, &err));
    check_near(vector, golden_at(&g, "cls", &n), WIDTH, 1e-5, "cls");
    const float *last = golden_at(&g, "resid.1", &n);
    m->normalizes = false;
    CHECK(encoder_embed(&run, m, g.text, vector, &err));
    check_near(vector, last, WIDTH, 1e-4, "the first token's state");
    run_close(&run);
    model_close(m);
    safetensors_close(&g.file);
}

TEST(encoder, sentence_vectors_of_a_folder_equal_the_reference) {
    check_embeddings("fixtures/models/bert");
}
TEST(encoder, sentence_vectors_of_a_gguf_equal_the_reference) {
    check_embeddings("fixtures/models/bert/model.gguf.bin");
}

TEST(encoder, blanks_have_the_logits_of_their_rows) {
    Golden g;
    Run run;
    Error err = {0};
    int64_t n;
    Model *m = golden_open(&g) ? opened("fixtures/models/bert") : NULL;
    if (!m || !CHECK(run_open(&run, NULL, &err))) return;
    run.exact = true;
    const int32_t place[] = {7, 2, 19};
    float logits[3 * VOCAB];
    CHECK(encoder_fill(&run, m, g.text, place, 3, logits, &err));
    const float *all = golden_at(&g, "logits", &n);
    for (int i = 0; i < 3 && CHECK_EQUAL(n, g.text.n * VOCAB); i++)
        check_near(logits + i * VOCAB, all + place[i] * VOCAB, VOCAB, 1e-3, "logits");
    run_close(&run);
    model_close(m);
    safetensors_close(&g.file);
}

// The last token changes what the first position says: it is seen, unless the mask is put back.
TEST(encoder, reads_from_both_sides) {
    Run run;
    Error err = {0};
    Model *m = opened("fixtures/models/bert");
    if (!m || !CHECK(run_open(&run, NULL, &err))) return;
    int32_t ids[2][4] = {{2, 11, 12, 13}, {2, 11, 12, 20}}, place = 1;
    float logits[2][VOCAB];
    for (int i = 0; i < 2; i++)
        CHECK(encoder_fill(&run, m, (EncoderText){ids[i], NULL, 4}, &place, 1, logits[i], &err));
    CHECK(memcmp(logits[0], logits[1], sizeof logits[0]) != 0);
    run_close(&run);
    model_close(m);
}

// Two texts in one batch are as each alone, bit for bit: none sees the other.
TEST(encoder, texts_of_a_batch_do_not_see_one_another) {
    enum { FIRST = 5, ALL = 12 };
    Run run;
    Error err = {0};
    int32_t ids[ALL];
    float alone[ALL * WIDTH];
    Model *m = opened("fixtures/models/bert");
    if (!m || !CHECK(run_open(&run, NULL, &err))) return;
    for (int i = 0; i < ALL; i++) ids[i] = 2 + 5 * i % 60;
    const Span span[] = {{.first = 0, .n = FIRST}, {.first = FIRST, .n = ALL - FIRST}};
    const Batch both = {.ids = ids, .n = ALL, .span = span, .n_spans = 2};
    run_plan_begin(&run);
    model_hidden(&run, m, &both);
    CHECK(run_allocate(&run, &err));
    for (int i = 0; i < 2; i++) {
        SingleBatch single;
        run_begin(&run);
        Tensor *hidden =
            model_hidden(&run, m, batch_single(&single, ids + span[i].first, span[i].n));
        memcpy(alone + span[i].first * WIDTH, tensor_f32(hidden),
               sizeof(float) * (size_t)tensor_count(hidden));
    }
    run_begin(&run);
    CHECK(memcmp(tensor_f32(model_hidden(&run, m, &both)), alone, sizeof alone) == 0);
    run_close(&run);
    model_close(m);
}

static void check_refusal(bool done, const Error *err, ErrorKind kind, const char *words) {
    CHECK(!done);
    CHECK_EQUAL(err->kind, kind);
    test_check(strstr(err->text, words) != NULL, __FILE__, __LINE__, "'%s' is not in: %s", words,
               err->text);
}

TEST(encoder, refuses_what_it_cannot) {
    Run run;
    Error err = {0};
    float out[VOCAB];
    int32_t ids[IDS_MAX + 1] = {2, 3}, place = 0;
    Model *m = opened("fixtures/models/bert"), *decoder = opened("fixtures/models/gpt2");
    if (!m || !decoder || !CHECK(run_open(&run, NULL, &err))) return;
    check_refusal(encoder_embed(&run, m, (EncoderText){ids, NULL, IDS_MAX + 1}, out, &err), &err,
                  ERROR_LIMIT, "65 tokens: this model reads 64");
    check_refusal(encoder_embed(&run, decoder, (EncoderText){ids, NULL, 2}, out, &err), &err,
                  ERROR_UNSUPPORTED, "is no encoder");
    ids[1] = VOCAB;
    check_refusal(encoder_embed(&run, m, (EncoderText){ids, NULL, 2}, out, &err), &err,
                  ERROR_FORMAT, "token 64");
    ids[1] = 3;
    check_refusal(encoder_embed(&run, m, (EncoderText){ids, (int32_t[]){0, 2}, 2}, out, &err), &err,
                  ERROR_FORMAT, "token type 2");
    check_refusal(state_open(m, DTYPE_F32, 8, &err) != NULL, &err, ERROR_UNSUPPORTED,
                  "continues no text");
    Token token[2] = {{2, 0, 0}, {3, 0, 1}};
    Evaluation result;
    check_refusal(evaluate(&run, m, &(EvaluateSpec){.token = token, .n = 2}, &result, &err), &err,
                  ERROR_UNSUPPORTED, "no next token");
    m->token_head = (TokenHead){0};
    check_refusal(encoder_fill(&run, m, (EncoderText){ids, NULL, 2}, &place, 1, out, &err), &err,
                  ERROR_UNSUPPORTED, "no head that names tokens");
    run_close(&run);
    model_close(m);
    model_close(decoder);
}
