// test_quiz.c - questions put to models: probabilities by hand, outcomes, counts, files.
#include "look/quiz.h"

#include "look/encoder.h"
#include "look/quiz_score.h"
#include "model/create.h"
#include "tests/test.h"

static QuizItem question(const char *prompt, const char *right, const char *wrong) {
    return (QuizItem){.phenomenon = STR("order"),
                      .group = STR("all"),
                      .language = STR("en"),
                      .pair = -1,
                      .prompt = str_from(prompt),
                      .answer = {str_from(right), str_from(wrong)},
                      .n_answers = 2};
}

static Model *open_model(const char *name) {
    Error err = {0};
    char path[64];
    snprintf(path, sizeof path, "fixtures/models/%s", name);
    Model *model = model_open(test_fixture(path), (ModelOptions){0}, &err);
    test_check(model != NULL, __FILE__, __LINE__, "%s: %s", name, err.text);
    return model;
}

// Sum of ln p of the tokens of a whole text but the first, without any memory.
static double whole_text(const Model *model, Arena *arena, Str text) {
    Error err = {0};
    Run run;
    Tokens tokens;
    SingleBatch single;
    const Vocab *vocab = tokenizer_vocab(model->tokenizer);
    int32_t ids[128];
    float loss[128];
    int64_t n = 0;
    if (!CHECK(run_open(&run, NULL, &err)) ||
        !CHECK(tokenizer_encode(model->tokenizer, arena, text, (EncodeOptions){0}, &tokens, &err)))
        return 0;
    if (vocab->bos >= 0) ids[n++] = vocab->bos;
    for (int64_t i = 0; i < tokens.n; i++) ids[n++] = tokens.token[i].id;
    run.exact = true;
    Batch *batch = batch_single(&single, ids, n - 1);
    LossSpec spec = {.target = ids + 1, .per_row = loss};
    run_plan_begin(&run);
    model_loss(&run, model, batch, spec);
    if (!CHECK(run_allocate(&run, &err))) return 0;
    model_loss(&run, model, batch, spec);
    double sum = 0;
    for (int64_t i = 0; i + 1 < n; i++) sum -= (double)loss[i];
    run_close(&run);
    return sum;
}

static double whole_item(const Model *model, Arena *arena, const QuizItem *item, int k) {
    return whole_text(
        model, arena,
        str_printf(arena, "%.*s%.*s", STR_ARG(item->prompt), STR_ARG(item->answer[k])));
}

// Answers differ in the probabilities of the whole texts, whatever the model remembers with.
TEST(quiz, probabilities_are_those_of_the_whole_texts) {
    static const char *const names[] = {"llama", "mistral", "qwen2", "mamba", "heed-lstm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Error err = {0};
        Arena arena;
        Quiz quiz;
        QuizAnswer answer;
        QuizItem item = question("the a at", " the at", " a");
        Model *model = open_model(names[i]);
        if (!model || !CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
        item.answer[item.n_answers++] = STR(" tha the a");
        if (!CHECK(quiz_open(&quiz, model, (QuizOptions){0}, &err))) return;
        for (int twice = 0; twice < 2; twice++) { // nothing is left of the question before
            if (!CHECK(quiz_ask(&quiz, &item, &answer, &err))) return;
            test_check(answer.outcome <= QUIZ_WRONG, __FILE__, __LINE__, "%s: not asked", names[i]);
            double first = whole_item(model, &arena, &item, 0);
            for (int k = 1; k < 3; k++)
                CHECK_CLOSE(answer.log_p[k] - answer.log_p[0],
                            whole_item(model, &arena, &item, k) - first, 2e-4);
            QuizItem other = question("a the", " the", " at");
            if (!CHECK(quiz_ask(&quiz, &other, &(QuizAnswer){0}, &err))) return;
        }
        quiz_close(&quiz);
        model_close(model);
        arena_drop(&arena);
    }
}

// ---------------------------------------------------------------- an encoder
enum { ENCODER_VOCAB = 64, CLS = 2, SEP = 3, MASK = 4 };

static double log_softmax(const float *logit, int32_t id) {
    double sum = 0;
    for (int i = 0; i < ENCODER_VOCAB; i++) sum += exp((double)logit[i]);
    return (double)logit[id] - log(sum);
}

// Of `count` tokens from `from` on, one after the other, each with those behind it hidden.
static double chain(const Model *model, const int32_t *ids, int64_t n, int from, int count) {
    double sum = 0;
    for (int seen = 0; seen < count; seen++) {
        Error err = {0};
        Run run;
        int32_t text[32], place = from + seen;
        float logits[ENCODER_VOCAB];
        memcpy(text, ids, sizeof *ids * (size_t)n);
        for (int i = from + seen; i < from + count; i++) text[i] = MASK;
        if (!CHECK(run_open(&run, NULL, &err))) return 0;
        run.exact = true;
        CHECK(encoder_fill(&run, model, (EncoderText){text, NULL, n}, &place, 1, logits, &err));
        sum += log_softmax(logits, ids[place]);
        run_close(&run);
    }
    return sum;
}

// [CLS] the c ##a ##b , the (f ##ed | and) a . [SEP]: what both end with stays in sight.
TEST(quiz, an_encoder_fills_the_blanks_where_answers_differ) {
    enum { THE = 5, AND = 6, ED = 8, STOP = 9, COMMA = 10, A = 11, C = 13, F = 16, AA = 37 };
    static const int32_t fed[] = {CLS, THE, C, AA, AA + 1, COMMA, THE, F, ED, A, STOP, SEP};
    static const int32_t and[] = {CLS, THE, C, AA, AA + 1, COMMA, THE, AND, A, STOP, SEP};
    Error err = {0};
    Quiz quiz;
    QuizAnswer answer;
    Model *model = open_model("bert");
    if (!model || !CHECK(quiz_open(&quiz, model, (QuizOptions){0}, &err))) return;
    QuizItem item = question("The cab, the", " fed a.", " and a.");
    if (!CHECK(quiz_ask(&quiz, &item, &answer, &err))) return;
    CHECK_CLOSE(answer.log_p[0], chain(model, fed, 12, 7, 2), 1e-5);
    CHECK_CLOSE(answer.log_p[1], chain(model, and, 11, 7, 1), 1e-5);
    CHECK_EQUAL(answer.outcome, answer.log_p[0] > answer.log_p[1] ? QUIZ_RIGHT : QUIZ_WRONG);
    item = question("the", " abcdefghi", " and");
    CHECK(quiz_ask(&quiz, &item, &answer, &err) && answer.outcome == QUIZ_TOO_OPEN);
    item = question("the", " abcdefgh", " and");
    CHECK(quiz_ask(&quiz, &item, &answer, &err) && answer.outcome <= QUIZ_WRONG);
    item = question("the", " a and", " a");
    CHECK(quiz_ask(&quiz, &item, &answer, &err) && answer.outcome == QUIZ_ALIKE);
    quiz_close(&quiz);
    model->token_head = (TokenHead){0};
    CHECK_FAILS(quiz_open(&quiz, model, (QuizOptions){0}, &err), err, ERROR_UNSUPPORTED,
                "names tokens");
    quiz_close(&quiz);
    model_close(model);
}

// ---------------------------------------------------------------- counting
// Of twelve questions the model's likelier answer is called right in those of even number: it is
// right in six, and in both of a pair in none.  Asked as three pairs of even ones: in all.
TEST(quiz, accuracy_is_the_count_by_hand) {
    static const char *const prompts[] = {"one", "two",   "three", "four", "five",   "six",
                                          "red", "green", "blue",  "cat",  "a bird", "the dog"};
    static QuizReport mixed, even;
    Error err = {0};
    Arena arena;
    Quiz quiz;
    QuizAnswer answer;
    Model *model = open_model("llama");
    if (!model || !CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    if (!CHECK(quiz_open(&quiz, model, (QuizOptions){0}, &err))) return;
    for (int i = 0; i < 12; i++) {
        QuizItem item = question(prompts[i], " is here.", " was there.");
        bool is_first = whole_item(model, &arena, &item, 0) > whole_item(model, &arena, &item, 1);
        if (is_first != (i % 2 == 0)) {
            Str likely = item.answer[0];
            item.answer[0] = item.answer[1];
            item.answer[1] = likely;
        }
        item.pair = i / 2;
        item.group = i < 4 ? STR("first") : STR("second");
        CHECK(quiz_ask(&quiz, &item, &answer, &err) && quiz_count(&mixed, &item, &answer, &err));
        CHECK(answer.outcome == (i % 2 == 0 ? QUIZ_RIGHT : QUIZ_WRONG));
        item.pair = i / 4;
        if (i % 2 == 0) CHECK(quiz_count(&even, &item, &answer, &err));
    }
    const QuizScore *s = quiz_score(&mixed, STR("order")), *e = quiz_score(&even, STR("order"));
    if (!CHECK(s && e && mixed.n == 1 && !quiz_score(&mixed, STR("recall")))) return;
    CHECK(s->all.n == 12 && s->all.right == 6 && s->pairs.n == 6 && s->pairs.right == 0);
    CHECK(s->n_groups == 2 && s->group[0].count.n == 4 && s->group[1].count.right == 4);
    CHECK(e->all.n == 6 && e->all.right == 6 && e->pairs.n == 3 && e->pairs.right == 3);
    CHECK_CLOSE(quiz_accuracy(s->all), 0.5, 1e-12);
    CHECK_CLOSE(quiz_error(s->all), 0.14433756729740643, 1e-12);
    CHECK_CLOSE(quiz_chance(s), 0.5, 1e-12);
    quiz_close(&quiz);
    model_close(model);
    arena_drop(&arena);
}

// A model whose last norm is zero finds everything equally likely: a tie is not right.  One whose
// head is then bent towards a token says that one, and is right where it is.
TEST(quiz, models_built_to_be_undecided_and_sure) {
    Error err = {0};
    Arena arena;
    Quiz quiz;
    QuizAnswer answer;
    Model *model = open_model("mistral");
    if (!model || !CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    if (!CHECK(model_thaw(model, &err) && quiz_open(&quiz, model, (QuizOptions){0}, &err))) return;
    float *norm = (float *)model->final_norm.weight.data;
    int64_t width = model->config.width;
    memset(norm, 0, sizeof *norm * (size_t)width);
    QuizItem item = question("the", " e", " h");
    CHECK(quiz_ask(&quiz, &item, &answer, &err));
    CHECK(answer.outcome == QUIZ_WRONG && answer.log_p[0] == answer.log_p[1]);
    double n_tokens = round(answer.log_p[0] / -log((double)model->config.vocab));
    CHECK(n_tokens >= 1);
    CHECK_CLOSE(answer.log_p[0], -n_tokens * log((double)model->config.vocab), 1e-5);

    // The stream's first coordinate alone is left, and only "e" and "h" read it, against each other.
    Tokens e, h;
    CHECK(tokenizer_encode(model->tokenizer, &arena, STR("the e"), (EncodeOptions){0}, &e, &err));
    CHECK(tokenizer_encode(model->tokenizer, &arena, STR("the h"), (EncodeOptions){0}, &h, &err));
    int32_t id_e = e.token[e.n - 1].id, id_h = h.token[h.n - 1].id;
    float *head = (float *)model->head.data;
    if (!CHECK(model->head.dtype == DTYPE_F32 && id_e != id_h && !model->is_tied)) return;
    memset(head, 0, sizeof *head * (size_t)(width * model->config.vocab));
    norm[0] = 1;
    head[id_e * width] = 50;
    head[id_h * width] = -50;
    CHECK(quiz_ask(&quiz, &item, &answer, &err));
    bool e_is_right = answer.outcome == QUIZ_RIGHT;
    CHECK(fabs(answer.log_p[0] - answer.log_p[1]) > 0.1);
    CHECK(answer.is_said == e_is_right);
    QuizItem turned = question("the", " h", " e");
    CHECK(quiz_ask(&quiz, &turned, &answer, &err));
    CHECK((answer.outcome == QUIZ_RIGHT) == !e_is_right && answer.is_said == !e_is_right);
    quiz_close(&quiz);
    model_close(model);
    arena_drop(&arena);
}

static QuizOutcome outcome_of(const char *model_name, QuizItem item, QuizAnswer *answer) {
    Error err = {0};
    Quiz quiz;
    Model *model = open_model(model_name);
    if (!model) return QUIZ_RIGHT;
    CHECK(quiz_open(&quiz, model, (QuizOptions){0}, &err));
    test_check(quiz_ask(&quiz, &item, answer, &err), __FILE__, __LINE__, "%s", err.text);
    quiz_close(&quiz);
    model_close(model);
    return answer->outcome;
}

TEST(quiz, what_cannot_be_asked) {
    QuizAnswer answer;
    static char longer[3000];
    memset(longer, 'a', sizeof longer - 1);
    CHECK(outcome_of("llama", question("x", " y", " y"), &answer) == QUIZ_ALIKE);
    CHECK(outcome_of("llama", question("x", "", " y"), &answer) == QUIZ_ALIKE);
    CHECK(outcome_of("llama", question(longer, "b", "c"), &answer) == QUIZ_TOO_LONG);
    CHECK(outcome_of("gpt2", question("x", "\xe7\x8c\xab", "y"), &answer) == QUIZ_UNREADABLE);
    CHECK(outcome_of("llama", question("x", "\xe7\x8c\xab", "\xe7\x8b\x97"), &answer) <=
          QUIZ_WRONG);
    CHECK(answer.is_in_bytes);
    CHECK(outcome_of("llama", question("x", " cat", " dog"), &answer) <= QUIZ_WRONG);
    CHECK(!answer.is_in_bytes);
}

TEST(quiz, reads_files_and_names_what_is_wrong_with_them) {
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"", "asks nothing"},
        {"\n{\"lang\":\"en\"}", "p, line 2: \"phenomenon\""},
        {"{\"phenomenon\":\"order\",\"prompt\":\"x\"}", "\"lang\""},
        {"{\"phenomenon\":\"order\",\"lang\":\"en\",\"prompt\":\"x\",\"right\":\"\"}", "\"right\""},
        {"{\"phenomenon\":\"a\",\"lang\":\"en\",\"prompt\":\"\",\"right\":\"r\"}", "\"wrong\""},
        {"{\"phenomenon\":\"a\",\"lang\":\"en\",\"prompt\":\"\",\"right\":\"r\",\"wrong\":[]}",
         "\"wrong\""},
        {"{\"phenomenon\":\"a\",\"lang\":\"en\",\"prompt\":\"\",\"right\":\"r\",\"wrong\":[1]}",
         "\"wrong\""},
        {"{]", "p, line 1"}};
    Error err = {0};
    Arena arena;
    QuizItem *items;
    int64_t n;
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bool ok = quiz_read(&arena, str_from(bad[i].text), "p", &items, &n, &err);
        test_check(!ok && strstr(err.text, bad[i].words), __FILE__, __LINE__, "%zu: %s", i,
                   err.text);
    }
    Str good = STR("{\"phenomenon\":\"edit\",\"old\":1}\n\n{\"phenomenon\":\"recall\",\"group\":"
                   "\"10\",\"lang\":\"zh\",\"pair\":4,\"prompt\":\"p\",\"right\":\"r\",\"wrong\":"
                   "[\"a\",\"b\"],\"spans\":[]}\n");
    if (!CHECK(quiz_read(&arena, good, "p", &items, &n, &err))) return;
    CHECK(n == 1 && items[0].n_answers == 3 && items[0].pair == 4);
    CHECK(str_equal(items[0].group, STR("10")) && str_equal(items[0].answer[2], STR("b")));
    arena_drop(&arena);
}

TEST(quiz, tells_programs_and_people) {
    static QuizReport report;
    Error err = {0};
    Arena arena;
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    QuizItem item = question("x", "y", "z"), lost = item;
    lost.phenomenon = STR("recall");
    CHECK(quiz_count(&report, &item, &(QuizAnswer){.outcome = QUIZ_RIGHT}, &err));
    CHECK(quiz_count(&report, &item, &(QuizAnswer){.outcome = QUIZ_WRONG}, &err));
    CHECK(quiz_count(&report, &lost, &(QuizAnswer){.outcome = QUIZ_UNREADABLE}, &err));
    StrBuilder out = str_builder(&arena);
    JsonWriter w = json_writer(&out, 0);
    quiz_json(&w, &report);
    const Json *json = json_parse(&arena, str_built(&out), 1 << 16, &err);
    const Json *first = json_at(json_get(json, "phenomena"), 0);
    const Json *second = json_at(json_get(json, "phenomena"), 1);
    CHECK(str_equal(json_string(json_get(first, "name"), STR("")), STR("order")));
    CHECK_CLOSE(json_number(json_get(first, "accuracy"), -1), 0.5, 1e-12);
    CHECK_CLOSE(json_number(json_get(first, "chance"), -1), 0.5, 1e-12);
    CHECK_EQUAL(json_integer(json_get(first, "n"), -1), 2);
    CHECK(json_get(second, "accuracy") && json_get(second, "accuracy")->kind == JSON_NULL);
    CHECK_EQUAL(json_integer(json_get(json_get(second, "not_asked"), "unreadable"), -1), 1);
    out = str_builder(&arena);
    quiz_table(&out, &report);
    CHECK(strstr(str_built(&out).data, "lacks characters of them: recall 1.") != NULL);
    arena_drop(&arena);
}
