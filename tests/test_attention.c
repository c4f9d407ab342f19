// test_attention.c - attention maps, what is said about them, and their drawing.
#include "look/attention_svg.h"

#include "look/capture.h"
#include "look/wall.h"
#include "tests/test.h"

// Three tokens: the second looks back, the third at the second.
static const float weights[] = {1, 0, 0, 0.75f, 0.25f, 0, 0.125f, 0.625f, 0.25f};

static AttentionMap small_map(const Str *label) {
    return (AttentionMap){.model = STR("tiny & <small>"),
                          .layer = 2,
                          .head = 5,
                          .n = 3,
                          .label = label,
                          .weight = weights};
}

static bool has(Str text, const char *words) {
    return str_find(text, str_from(words), 0) != SIZE_MAX;
}

TEST(attention, map_is_the_captured_pattern) {
    Error err = {0};
    Run run;
    Arena arena;
    AttentionMap one, mean;
    int32_t ids[] = {5, 9, 11, 7, 3, 20, 31};
    Model *model = model_open(test_fixture("fixtures/models/qwen2"), (ModelOptions){0}, &err);
    if (!CHECK(model && arena_init(&arena, ARENA_DEFAULT, &err) && run_open(&run, NULL, &err)))
        return;
    run.exact = true;
    AttentionQuery query = {.ids = ids, .n = 7, .layer = 0, .head = 1};
    CHECK(attention_map(&run, model, &arena, query, &one, &err));
    CHECK(run.probe == NULL && run.switches.n_layers == 0);
    query.head = ATTENTION_ALL_HEADS;
    CHECK(attention_map(&run, model, &arena, query, &mean, &err));

    // The same by hand, through the whole model.
    Capture capture;
    SingleBatch single;
    Batch *batch = batch_single(&single, ids, 7);
    capture_init(&capture, &arena, &(CaptureWant){SITE_PATTERN, 0}, 1);
    run.probe = &capture.probe;
    run_plan_begin(&run);
    model_forward(&run, model, batch);
    CHECK(run_allocate(&run, &err));
    model_forward(&run, model, batch);
    const Tensor *pattern = capture_find(&capture, SITE_PATTERN, 0);
    if (!CHECK(pattern && one.n == 7 && mean.n == 7)) return;
    CHECK(memcmp(one.weight, tensor_f32(pattern) + 49, 49 * sizeof(float)) == 0);
    for (int i = 0; i < 49; i++) {
        double sum = 0;
        for (int h = 0; h < model->config.heads; h++)
            sum += (double)tensor_f32(pattern)[h * 49 + i];
        CHECK_CLOSE(mean.weight[i], sum / model->config.heads, 1e-6);
    }
    run_close(&run);
    model_close(model);
    arena_drop(&arena);
}

TEST(attention, what_is_not_there_is_refused) {
    Error err = {0};
    Run run;
    Arena arena;
    AttentionMap map;
    static int32_t ids[ATTENTION_TOKENS_MAX + 1];
    Model *model = model_open(test_fixture("fixtures/models/gpt2"), (ModelOptions){0}, &err);
    if (!CHECK(model && arena_init(&arena, ARENA_DEFAULT, &err) && run_open(&run, NULL, &err)))
        return;
    CHECK_FAILS(attention_map(&run, model, &arena, (AttentionQuery){ids, 2, 2, 0}, &map, &err), err,
                ERROR_USAGE, "layers 0 to 1");
    CHECK_FAILS(attention_map(&run, model, &arena, (AttentionQuery){ids, 2, 0, 4}, &map, &err), err,
                ERROR_USAGE, "heads 0 to 3");
    CHECK_FAILS(attention_map(&run, model, &arena, (AttentionQuery){ids, 0, 0, 0}, &map, &err), err,
                ERROR_USAGE, "empty");
    CHECK_FAILS(attention_map(&run, model, &arena,
                              (AttentionQuery){ids, ATTENTION_TOKENS_MAX + 1, 0, 0}, &map, &err),
                err, ERROR_LIMIT, "2049 tokens");
    CHECK_FAILS(attention_map(&run, model, &arena,
                              (AttentionQuery){ids, model->config.context + 1, 0, 0}, &map, &err),
                err, ERROR_LIMIT, "this model reads");
    ids[1] = -1;
    CHECK_FAILS(attention_map(&run, model, &arena, (AttentionQuery){ids, 2, 0, 0}, &map, &err), err,
                ERROR_FORMAT, "token -1");
    run_close(&run);
    model_close(model);
    arena_drop(&arena);
}

TEST(attention, labels_can_be_seen) {
    static const char *const pairs[][2] = {{" cat", "cat"},
                                           {"cat", "cat"},
                                           {" ", "\xe2\x90\xa3"},
                                           {"\n", "\xe2\x86\xb5"},
                                           {"\xe7\x8c", "\\xE7\\x8C"},
                                           {"\x1b[2J", "\\u001B[2J"},
                                           {"", "\xe2\x88\x85"},
                                           {"  x", "\xe2\x90\xa3\xe2\x90\xa3x"},
                                           {"\xe7\x8c\xab", "\xe7\x8c\xab"},
                                           {"\xef\xbf\xbf", "\\uFFFF"}};
    Error err = {0};
    Arena arena;
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        Str label = attention_label(&arena, str_from(pairs[i][0]));
        test_check(str_equal(label, str_from(pairs[i][1])), __FILE__, __LINE__, "%s, want %s",
                   label.data, pairs[i][1]);
    }
    arena_drop(&arena);
}

TEST(attention, strongest_and_words) {
    const Str label[] = {STR("A"), STR("b"), STR("c")};
    AttentionMap map = small_map(label);
    Error err = {0};
    Arena arena;
    int64_t column[3];
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    CHECK_EQUAL(attention_strongest(&map, 0, 3, column), 1);
    CHECK_EQUAL(attention_strongest(&map, 2, 2, column), 2);
    CHECK(column[0] == 1 && column[1] == 2);
    CHECK_EQUAL(attention_strongest(&map, 2, 3, column), 3);
    CHECK(column[0] == 1 && column[1] == 2 && column[2] == 0);
    CHECK_CLOSE(attention_on_first(&map), 0.4375, 1e-9);
    Str words = attention_words(&map, &arena);
    CHECK(
        str_equal(words, STR("Strongest: \"c\" looks at \"b\" (62%), \"b\" at itself (25%), \"c\" "
                             "at itself (25%). The first token gets 44% of what the later ones "
                             "give.")));
    map.head = ATTENTION_ALL_HEADS;
    CHECK(has(attention_title(&map, &arena), "Layer 2, mean of all heads"));
    arena_drop(&arena);
}

TEST(attention, drawing_has_live_text_and_safe_markup) {
    const Str label[] = {STR("<A&\">"), STR("\xe7\x8c\xab"),
                         STR("a very long token, longer than any")};
    AttentionMap map = small_map(label);
    Error err = {0};
    Arena arena;
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    StrBuilder out = str_builder(&arena);
    if (!CHECK(attention_svg(&out, &map, &err))) return;
    Str svg = str_built(&out);
    CHECK(str_starts(svg, STR("<svg ")) && str_ends(svg, STR("</svg>\n")));
    CHECK(has(svg, "tiny &amp; &lt;small&gt;") && !has(svg, "<small>"));
    CHECK(has(svg, ">&lt;A&amp;\"&gt;</text>") && has(svg, ">\xe7\x8c\xab</text>"));
    CHECK(has(svg, "a very long t\xe2\x80\xa6</text>"));
    CHECK(has(svg, "<title id=\"title\">Attention of") && has(svg, "<desc id=\"words\">"));
    CHECK(has(svg, "prefers-color-scheme:dark"));
    CHECK(has(svg, "&lt;A&amp;\"&gt;  75.0%</title>"));
    map.n = ATTENTION_SVG_TOKENS_MAX + 1;
    CHECK_FAILS(attention_svg(&out, &map, &err), err, ERROR_LIMIT, "257 tokens");
    arena_drop(&arena);
}

// The wall holds what the maps of single heads hold: but for rounding, since layers whose patterns
// are kept sum in another order than the others.
TEST(attention, wall_is_all_maps) {
    Error err = {0};
    Run run;
    Arena arena;
    Wall wall;
    int32_t ids[] = {5, 9, 11, 7, 3, 20, 31};
    Model *model = model_open(test_fixture("fixtures/models/qwen2"), (ModelOptions){0}, &err);
    if (!CHECK(model && arena_init(&arena, ARENA_DEFAULT, &err) && run_open(&run, NULL, &err)))
        return;
    run.exact = true;
    if (!CHECK(wall_make(&run, model, &arena, ids, 7, &wall, &err))) return;
    CHECK(wall.layers == model->config.layers && wall.heads == model->config.heads && wall.n == 7);
    for (int l = 0; l < wall.layers; l++)
        for (int h = 0; h < wall.heads; h++) {
            AttentionMap map;
            AttentionQuery query = {.ids = ids, .n = 7, .layer = l, .head = h};
            if (!CHECK(attention_map(&run, model, &arena, query, &map, &err))) continue;
            for (int i = 0; i < 49; i++)
                CHECK_CLOSE(map.weight[i], wall.pattern[l][h * 49 + i], 1e-5);
            CHECK_CLOSE(wall_shares(&wall, l, h).first, attention_on_first(&map), 1e-5);
        }
    StrBuilder out = str_builder(&arena);
    wall_svg(&out, &wall);
    Str svg = str_built(&out), rest = svg;
    int n_pictures = 0;
    for (size_t at; (at = str_find(rest, STR("<g transform"), 0)) != SIZE_MAX; n_pictures++)
        rest = str_slice(rest, at + 1, rest.n);
    CHECK_EQUAL(n_pictures, wall.layers * wall.heads);
    CHECK(str_ends(svg, STR("</svg>\n")));
    int32_t many[WALL_TOKENS_MAX + 1] = {0};
    CHECK_FAILS(wall_make(&run, model, &arena, many, WALL_TOKENS_MAX + 1, &wall, &err), err,
                ERROR_LIMIT, "257 tokens");
    run_close(&run);
    model_close(model);
    arena_drop(&arena);
}

// By hand: one head of four tokens that looks back, at itself, at the first.
TEST(attention, wall_pictures_and_words) {
    static const float pattern[16] = {1, 0, 0, 0, 0.9f,  0.1f, 0,    0,
                                      0, 0, 1, 0, 0.25f, 0,    0.5f, 0.25f};
    const float *layers[] = {NULL, pattern};
    Wall wall = {STR("m"), 2, 1, 4, layers};
    float pixel[4];
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    wall_picture(&wall, 1, 0, 2, pixel);
    CHECK(pixel[0] == 1 && pixel[1] == 0 && pixel[2] == 0.25f && pixel[3] == 1);
    WallShares s = wall_shares(&wall, 1, 0);
    CHECK_CLOSE(s.first, (0.9 + 0 + 0.25) / 3, 1e-6);
    CHECK_CLOSE(s.before, (0.9 + 0 + 0.5) / 3, 1e-6);
    CHECK_CLOSE(s.itself, (0.1 + 1 + 0.25) / 3, 1e-6);
    CHECK(has(wall_words(&wall, &arena), "at the token before: layer 1, head 0 (47%)"));
    CHECK(has(wall_words(&wall, &arena), "0 of 1 heads give the first token more than half"));
    arena_drop(&arena);
}
