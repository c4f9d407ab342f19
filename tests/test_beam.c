// test_beam.c - beam search on models that are tables.
//
// The logits after a text are table[sum of the text mod V] + step[its last position]: they depend
// on every token, so a beam that is given the wrong parent is found out, and no two texts have
// equal probabilities by mere exchange of tokens.
//
// Witnesses: Hugging Face's generate() on the same tables (fixtures/beam.json, made by
// tools/golden_beam.py), exhaustive search where the beams are wide enough to miss nothing, and
// small cases by hand.
#include "generate/beam.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "tests/test.h"

enum { ROWS_MAX = 16, TOKENS_MAX = 16, TABLE_BEAMS_MAX = BEAMS_MAX };

typedef struct Table {
    int n_vocab;
    float table[ROWS_MAX][ROWS_MAX], step[TOKENS_MAX][ROWS_MAX];
    int32_t text[TABLE_BEAMS_MAX][TOKENS_MAX];
    int n_text;
    int n_beams;
    int n_calls, fails_at; // the call that fails; 0: none
} Table;

static void table_logits(const Table *t, const int32_t *text, int n, float *logits) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += text[i];
    for (int i = 0; i < t->n_vocab; i++)
        logits[i] = t->table[sum % t->n_vocab][i] + t->step[n - 1][i];
}

static bool table_advance(void *user, const int32_t *parent, const int32_t *token, int n_beams,
                          float *logits, Error *err) {
    Table *t = user;
    int32_t before[TABLE_BEAMS_MAX][TOKENS_MAX];
    memcpy(before, t->text, sizeof before);
    if (++t->n_calls == t->fails_at) return error_set(err, ERROR_CANCELLED, "cancelled");
    for (int i = 0; i < n_beams; i++) {
        CHECK(parent[i] >= 0 && parent[i] < t->n_beams);
        memcpy(t->text[i], before[parent[i]], sizeof t->text[i]);
        t->text[i][t->n_text] = token[i];
        table_logits(t, t->text[i], t->n_text + 1, logits + i * t->n_vocab);
    }
    t->n_beams = n_beams;
    t->n_text++;
    return true;
}

static bool table_search(Arena *arena, Table *t, const int32_t *prompt, int n_prompt,
                         const BeamOptions *o, BeamResult *result, Error *err) {
    memcpy(t->text[0], prompt, sizeof *prompt * (size_t)n_prompt);
    t->n_text = n_prompt;
    t->n_beams = 1;
    t->n_calls = 0;
    float logits[ROWS_MAX];
    table_logits(t, prompt, n_prompt, logits);
    BeamModel model = {t, t->n_vocab, table_advance};
    return beam_search(arena, &model, logits, o, result, err);
}

// From the prompt that is token 1.
static bool search_from_1(Arena *arena, Table *t, const BeamOptions *o, BeamResult *r, Error *err) {
    return table_search(arena, t, &(int32_t){1}, 1, o, r, err);
}

static Arena test_arena(void) {
    Arena arena;
    Error err = {0};
    require(arena_init(&arena, ARENA_DEFAULT, &err));
    return arena;
}

// ---- Hugging Face

static BeamStop stop_from(const Json *early) {
    if (early->kind == JSON_STRING) return BEAM_STOP_NEVER;
    return early->boolean ? BEAM_STOP_FULL : BEAM_STOP_LIKELY;
}

static void read_rows(const Json *json, float rows[][ROWS_MAX]) {
    int row = 0;
    for (const Json *r = json->child; r; r = r->next, row++) {
        int column = 0;
        for (const Json *x = r->child; x; x = x->next) rows[row][column++] = (float)x->number;
    }
}

static void check_found(const Json *found, const BeamResult *result, int i_case) {
    test_check(result->n == found->count, __FILE__, __LINE__, "case %d: %d found, want %d", i_case,
               result->n, (int)found->count);
    int i = 0;
    for (const Json *want = found->child; want && i < result->n; want = want->next, i++) {
        const BeamText *text = &result->text[i];
        const Json *tokens = json_get(want, "token");
        bool is_same = tokens->count == text->n;
        const Json *token = tokens->child;
        for (int64_t j = 0; is_same && j < text->n; j++, token = token->next)
            is_same = token->integer == text->token[j];
        double score = json_number(json_get(want, "score"), (double)NAN);
        test_check(is_same && fabs(text->score - score) <= 1e-5 * (1 + fabs(score)), __FILE__,
                   __LINE__, "case %d, place %d: score %.8g, want %.8g, tokens %s", i_case, i,
                   text->score, score, is_same ? "equal" : "differ");
    }
}

TEST(beam, equals_hugging_face) {
    Arena arena = test_arena();
    Error err = {0};
    Str text;
    if (!CHECK(file_read(&arena, test_fixture("fixtures/beam.json"), 1 << 20, &text, &err))) return;
    const Json *golden = json_parse(&arena, text, SIZE_MAX, &err);
    if (!CHECK(golden)) return;
    int n_cases = 0;
    for (const Json *c = json_get(golden, "cases")->child; c; c = c->next, n_cases++) {
        const Json *model =
            json_at(json_get(golden, "models"), json_integer(json_get(c, "model"), 0));
        Table t = {.n_vocab = (int)json_get(model, "table")->count};
        read_rows(json_get(model, "table"), t.table);
        read_rows(json_get(model, "step"), t.step);
        int32_t end[4];
        BeamOptions o = {.n_beams = (int)json_integer(json_get(c, "n_beams"), 0),
                         .n_best = (int)json_integer(json_get(c, "n_best"), 0),
                         .tokens_max = json_integer(json_get(c, "tokens_max"), 0),
                         .length_penalty = json_number(json_get(c, "length_penalty"), 0),
                         .stop = stop_from(json_get(c, "early_stopping")),
                         .end = end};
        for (const Json *e = json_get(c, "end")->child; e; e = e->next)
            end[o.n_end++] = (int32_t)e->integer;
        int32_t prompt[TOKENS_MAX];
        int n_prompt = 0;
        for (const Json *id = json_get(c, "prompt")->child; id; id = id->next)
            prompt[n_prompt++] = (int32_t)id->integer;
        BeamResult result;
        if (!CHECK(table_search(&arena, &t, prompt, n_prompt, &o, &result, &err))) continue;
        check_found(json_get(c, "found"), &result, n_cases);
        CHECK_EQUAL(result.n_steps, json_integer(json_get(c, "n_steps"), -1));
    }
    CHECK(n_cases == 108);
    arena_drop(&arena);
}

// ---- exhaustive search

typedef struct Found {
    int32_t token[TOKENS_MAX];
    int n;
    double log_prob, score;
} Found;

typedef struct Everything {
    const Table *table;
    const BeamOptions *options;
    Found *found;
    int n_found;
} Everything;

// Tries every continuation of a text of n tokens, the first of them the prompt.
static void try_all(Everything *all, int32_t *text, int n, double log_prob) {
    const Table *t = all->table;
    float row[ROWS_MAX];
    table_logits(t, text, n, row);
    double total = 0;
    for (int i = 0; i < t->n_vocab; i++) total += exp((double)row[i]);
    for (int32_t token = 0; token < t->n_vocab; token++) {
        double next = log_prob + log(exp((double)row[token]) / total);
        text[n] = token;
        if (token != 0 && n < all->options->tokens_max) {
            try_all(all, text, n + 1, next);
            continue;
        }
        Found *f = &all->found[all->n_found++];
        memcpy(f->token, text + 1, sizeof *text * (size_t)n);
        f->n = n;
        f->log_prob = next;
        f->score = next / pow(n, all->options->length_penalty);
    }
}

static int by_score(const void *a, const void *b) {
    const Found *x = a, *y = b;
    return (x->score < y->score) - (x->score > y->score);
}

// Three tokens of which one ends, at most 4 steps: 1 + 2 + 4 + 8 ended and 16 unended texts.  No
// step has more than 24 candidates, and 31 beams drop none of them.
TEST(beam, equals_exhaustive_search) {
    Arena arena = test_arena();
    Rng rng = rng_seed(test_seed());
    const int32_t end[] = {0};
    static const double penalties[] = {1, 0, -1, 0.5, 3};
    for (int round = 0; round < 300; round++) {
        Table t = {.n_vocab = 3};
        for (int i = 0; i < 9; i++) t.table[i / 3][i % 3] = (float)(1.5 * rng_normal(&rng));
        for (int i = 0; i < 15; i++) t.step[i / 3][i % 3] = (float)rng_normal(&rng);
        BeamOptions o = {.n_beams = 31,
                         .n_best = 31,
                         .tokens_max = 4,
                         .end = end,
                         .n_end = 1,
                         .length_penalty = penalties[round % 5],
                         .stop = (BeamStop)(round % 3)};
        Found found[64];
        int32_t text[TOKENS_MAX] = {1 + round % 2};
        Everything all = {&t, &o, found, 0};
        try_all(&all, text, 1, 0);
        qsort(found, (size_t)all.n_found, sizeof *found, by_score);
        BeamResult result;
        Error err = {0};
        if (!CHECK(table_search(&arena, &t, text, 1, &o, &result, &err))) return;
        CHECK(all.n_found == 31 && result.n == 31 && result.n_steps == 4);
        for (int i = 0; i < result.n; i++) {
            const BeamText *b = &result.text[i];
            CHECK(b->n == found[i].n &&
                  memcmp(b->token, found[i].token, sizeof(int32_t) * b->n) == 0);
            CHECK_CLOSE(b->score, found[i].score, 1e-9);
            CHECK_CLOSE(b->log_prob, found[i].log_prob, 1e-9);
            CHECK(b->has_ended == (b->token[b->n - 1] == 0));
        }
    }
    arena_drop(&arena);
}

// ---- by hand

// After 1 come 2 with 0.6 and 3 with 0.4; then, after 2 (row 3), everything is even, and after 3
// (row 0) token 3 is certain: the greedy text 2 0 has 0.15, the best one 3 3 has 0.4.
TEST(beam, finds_what_greed_misses) {
    Arena arena = test_arena();
    Error err = {0};
    Table t = {
        .n_vocab = 4,
        .table = {{-INFINITY, -INFINITY, -INFINITY, 5}, {-INFINITY, -INFINITY, 0.405465108f, 0}}};
    BeamOptions o = {.n_beams = 1, .n_best = 1, .tokens_max = 2, .length_penalty = 0};
    BeamResult r;
    CHECK(search_from_1(&arena, &t, &o, &r, &err));
    CHECK(r.n == 1 && r.text[0].n == 2 && r.text[0].token[0] == 2 && r.text[0].token[1] == 0);
    CHECK_CLOSE(r.text[0].log_prob, log(0.15), 1e-7);
    CHECK(!r.text[0].has_ended);
    o.n_beams = o.n_best = 2;
    CHECK(search_from_1(&arena, &t, &o, &r, &err));
    CHECK(r.n == 2 && r.text[0].token[0] == 3 && r.text[0].token[1] == 3);
    CHECK_CLOSE(r.text[0].score, log(0.4), 1e-7);
    CHECK(r.text[1].token[0] == 2 && r.text[1].token[1] == 0); // of equals the lowest token
    arena_drop(&arena);
}

// When every text ends there is nothing to go on with, and fewer are found than were wanted.
TEST(beam, runs_out_of_continuations) {
    Arena arena = test_arena();
    Error err = {0};
    Table t = {.n_vocab = 3, .table = {{0, -INFINITY, -INFINITY}, {0, -INFINITY, 0}}};
    const int32_t end[] = {0};
    BeamOptions o = {
        .n_beams = 4, .n_best = 4, .tokens_max = 9, .length_penalty = 1, .end = end, .n_end = 1};
    BeamResult r;
    CHECK(search_from_1(&arena, &t, &o, &r, &err));
    CHECK_EQUAL(r.n, 2);
    CHECK(r.n_steps == 2 && r.text[0].n == 2 && r.text[0].token[0] == 2 && r.text[1].n == 1);
    CHECK_CLOSE(r.text[0].score, log(0.5) / 2, 1e-12);
    CHECK_CLOSE(r.text[1].score, log(0.5), 1e-12);
    arena_drop(&arena);
}

TEST(beam, refuses_and_passes_errors_on) {
    Arena arena = test_arena();
    Error err = {0};
    Table t = {.n_vocab = 3};
    BeamResult r;
    const int32_t end[] = {3};
    const BeamOptions good = {.n_beams = 2, .n_best = 1, .tokens_max = 5, .length_penalty = 1};
    BeamOptions o = good;
    CHECK(search_from_1(&arena, &t, &o, &r, &err));
#define CHECK_REFUSED(field, value, words) \
    o = good;                              \
    o.field = (value);                     \
    CHECK_FAILS(search_from_1(&arena, &t, &o, &r, &err), err, ERROR_USAGE, words)
    CHECK_REFUSED(n_beams, 0, "beams 0");
    CHECK_REFUSED(n_beams, BEAMS_MAX + 1, "beams 65");
    CHECK_REFUSED(n_best, 3, "n_best 3");
    CHECK_REFUSED(n_best, 0, "n_best 0");
    CHECK_REFUSED(tokens_max, 0, "tokens_max 0");
    CHECK_REFUSED(tokens_max, INT64_MAX, "tokens_max 9223372036854775807");
    CHECK_REFUSED(length_penalty, (double)NAN, "length_penalty");
    CHECK_REFUSED(length_penalty, 11, "length_penalty 11");
    CHECK_REFUSED(n_end, 17, "17 end tokens");
    o = good;
    o.end = end;
    o.n_end = 1;
    CHECK_FAILS(search_from_1(&arena, &t, &o, &r, &err), err, ERROR_USAGE, "end token 3");
    t.fails_at = 2;
    CHECK_FAILS(search_from_1(&arena, &t, &good, &r, &err), err, ERROR_CANCELLED, "cancelled");
    t.fails_at = 0;
    t.table[2][1] = NAN;
    CHECK_FAILS(search_from_1(&arena, &t, &good, &r, &err), err, ERROR_FORMAT, "NaN for token 1");
    arena_drop(&arena);
}
