// test_compare.c - runs side by side: whether they can be compared, the table, the drawing, JSON.
#include "train/compare.h"

#include "tests/test.h"

static Arena arena_make(void) {
    Arena arena;
    Error err = {0};
    require(arena_init(&arena, ARENA_DEFAULT, &err));
    return arena;
}

static bool has(Str text, const char *words) {
    return str_find(text, str_from(words), 0) < text.n;
}

static int count_of(Str text, const char *words) {
    int n = 0;
    for (size_t at = 0; (at = str_find(text, str_from(words), at)) < text.n; at++) n++;
    return n;
}

// A run of 100 steps of 1000 tokens and a second, with a validation after every twentieth; its
// model remembers 100 bytes a token or, as a recurrent one, 5000 in all.
static CompareRun make_run(Arena *arena, const char *label, double end, bool is_recurrent) {
    CompareRun run = {.label = str_from(label),
                      .has_history = true,
                      .architecture = STR("llama"),
                      .parameters = 1250000,
                      .n_lengths = 3};
    History *h = &run.history;
    h->start = (JournalStart){
        .vocabulary = 512, .fingerprint = 7, .data_tokens = 40000, .expected_loss = 6.24};
    for (int64_t s = 1; s <= 100; s++) {
        double loss = end + 4.0 / (double)s;
        history_add_step(h, arena, (StepRecord){s, 1000 * s, (double)s, .loss = loss});
        if (s % 20 == 0)
            history_add_validation(
                h, arena, (ValidationRecord){s, 1000 * s, (double)s, loss + 0.1, (loss + 0.1) / 2});
    }
    for (int k = 0; k < 3; k++) {
        run.length[k] = 64 << k;
        run.state_bytes[k] = is_recurrent ? 5000 : 100 * run.length[k];
        run.decode[k] = 2000 - 10 * k;
    }
    return run;
}

static Comparison make_two(Arena *arena) {
    return (Comparison){
        {make_run(arena, "attention", 3.0, false), make_run(arena, "recurrent", 3.25, true)}, 2};
}

TEST(compare, words) {
    Arena arena = arena_make();
    Comparison c = make_two(&arena);
    CHECK(str_equal(compare_words(&c, &arena),
                    STR("All learned from the same text, cut into the same tokens. Best on "
                        "validation: attention with 3.1400 nats a token, 0.2500 ahead of "
                        "recurrent.")));
    c.run[1].history.start.fingerprint = 8;
    CHECK(compare_data(&c) == SAME_DATA_NO);
    // Another vocabulary: the second has the lower loss, but not by bits a byte.
    c.run[1].history.start.vocabulary = 300;
    for (int i = 0; i < 5; i++) c.run[1].history.validation[i].loss -= 2;
    Str words = compare_words(&c, &arena);
    CHECK(has(words, "not learn from the same text. Their vocabularies differ"));
    CHECK(has(words, "attention with 1.5700 bits a byte, 0.1250 ahead of recurrent."));
    c.run[1].has_history = false;
    c.run[1].history = (History){0};
    CHECK(compare_data(&c) == SAME_DATA_UNKNOWN);
    CHECK(str_equal(compare_words(&c, &arena),
                    STR("Whether all learned from the same text is not known.")));
    arena_drop(&arena);
}

TEST(compare, table) {
    Arena arena = arena_make();
    Comparison c = make_two(&arena);
    StrBuilder out = str_builder(&arena);
    compare_table(&out, &c, 80);
    Str table = str_built(&out);
    static const char *const rows[] = {
        "                           attention     recurrent\n",
        "parameters                    1.25 M        1.25 M\n",
        "tokens learned from            100 k         100 k\n",
        "best validation               3.1400        3.3900\n",
        "  at step                        100           100\n",
        "  bits a byte                 1.5700        1.6950\n",
        "time                           100 s         100 s\n",
        "tokens a second                  1 k           1 k\n",
        "state bytes at 256            25.6 k           5 k\n",
        "decoding at 64                 2 k/s         2 k/s\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_check(has(table, rows[i]), __FILE__, __LINE__, "no '%s' in\n%.*s", rows[i],
                   STR_ARG(table));
    CHECK(!has(table, "at 128"));
    // A narrow screen has the runs below one another.
    out = str_builder(&arena);
    compare_table(&out, &c, 40);
    table = str_built(&out);
    CHECK_EQUAL(count_of(table, "best validation"), 2);
    for (size_t from = 0, end; (end = str_find(table, STR("\n"), from)) < table.n; from = end + 1)
        CHECK(end - from <= 40);
    arena_drop(&arena);
}

TEST(compare, drawing) {
    Arena arena = arena_make();
    Comparison c = make_two(&arena);
    StrBuilder out = str_builder(&arena);
    compare_svg(&out, &c);
    Str svg = str_built(&out);
    CHECK(has(svg, "Validation loss against tokens") && has(svg, "Decoding against length"));
    CHECK_EQUAL(count_of(svg, "<clipPath"), 4);
    CHECK_EQUAL(count_of(svg, "<circle"), 2 * 2 * 3);
    CHECK(has(svg, ">attention</text>") && has(svg, ">3.1400</text>"));
    // Without validations and models: training loss, two panels.
    for (int i = 0; i < 2; i++) c.run[i].n_lengths = c.run[i].history.n_validations = 0;
    out = str_builder(&arena);
    compare_svg(&out, &c);
    svg = str_built(&out);
    CHECK_EQUAL(count_of(svg, "<clipPath"), 2);
    CHECK(has(svg, "Training loss against time"));
    // Models alone.
    c = make_two(&arena);
    for (int i = 0; i < 2; i++) {
        c.run[i].has_history = false;
        c.run[i].history = (History){0};
    }
    out = str_builder(&arena);
    compare_svg(&out, &c);
    svg = str_built(&out);
    CHECK_EQUAL(count_of(svg, "<clipPath"), 2);
    CHECK(has(svg, ">1.25 M</text>") && !has(svg, "Training"));
    arena_drop(&arena);
}

TEST(compare, json) {
    Arena arena = arena_make();
    Comparison c = make_two(&arena);
    Error err = {0};
    c.run[1].decode[2] = 0; // not measured
    StrBuilder out = str_builder(&arena);
    JsonWriter w = json_writer(&out, 0);
    compare_json(&w, &c);
    const Json *json = json_parse(&arena, str_built(&out), SIZE_MAX, &err);
    if (!CHECK(json)) return;
    CHECK(json_bool(json_get(json, "same_data"), false));
    const Json *run = json_at(json_get(json, "runs"), 1);
    CHECK_CLOSE(json_number(json_get(run, "best_validation_loss"), 0), 3.39, 1e-9);
    CHECK_EQUAL(json_integer(json_get(run, "best_validation_step"), 0), 100);
    CHECK_EQUAL(json_integer(json_get(run, "parameters"), 0), 1250000);
    CHECK(str_equal(json_string(json_get(run, "verdict"), STR("")), STR("learning")));
    const Json *length = json_at(json_get(run, "lengths"), 2);
    CHECK_EQUAL(json_integer(json_get(length, "state_bytes"), 0), 5000);
    CHECK(json_get(length, "tokens_per_second")->kind == JSON_NULL);
    arena_drop(&arena);
}
