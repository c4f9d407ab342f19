// test_roles.c - roles of heads: patterns built for them, and a model's from end to end.
#include "look/roles.h"

#include "tests/test.h"

enum { N = 12 };

static void spread(float *pattern) { // every token looks evenly at what it sees
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) pattern[i * N + j] = j <= i ? 1 / (float)(i + 1) : 0;
}

static void look_at(float *pattern, int row, int column, float weight) {
    for (int j = 0; j <= row; j++) pattern[row * N + j] *= 1 - weight;
    pattern[row * N + column] += weight;
}

static const RoleTarget targets[] = {{ROLE_PREVIOUS, 4, 3, 4},   {ROLE_PREVIOUS, 7, 6, 7},
                                     {ROLE_PREVIOUS, 9, 8, 9},   {ROLE_FIRST, 5, 0, 1},
                                     {ROLE_FIRST, 8, 0, 1},      {ROLE_ANTECEDENT, 8, 4, 6},
                                     {ROLE_ANTECEDENT, 11, 6, 8}};
enum { N_TARGETS = sizeof targets / sizeof *targets };

static Role measure(const float *pattern, RoleScore score[ROLES]) {
    Error err = {0};
    Arena arena;
    memset(score, 0, ROLES * sizeof *score);
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return ROLES;
    role_measure(pattern, N, targets, N_TARGETS, &arena, score);
    arena_drop(&arena);
    return role_named(score);
}

TEST(roles, even_attention_has_none) {
    float pattern[N * N];
    RoleScore score[ROLES];
    spread(pattern);
    CHECK(measure(pattern, score) == ROLE_UNCLEAR);
    CHECK_CLOSE(role_margin(&score[ROLE_PREVIOUS]), 0, 1e-6);
    CHECK_CLOSE(role_margin(&score[ROLE_FIRST]), 0, 1e-6);
    CHECK(isnan(role_margin(&score[ROLE_SUBJECT])));
}

TEST(roles, place_and_meaning_are_told_apart) {
    float pattern[N * N];
    RoleScore score[ROLES];
    spread(pattern);
    for (int i = 1; i < N; i++) look_at(pattern, i, i - 1, 0.9f);
    CHECK(measure(pattern, score) == ROLE_PREVIOUS);
    // By hand: 0.9 and a tenth of even attention, less even attention, in the rows 4, 7 and 9.
    CHECK_CLOSE(role_margin(&score[ROLE_PREVIOUS]), 0.9 - 0.9 * (1.0 / 5 + 1.0 / 8 + 1.0 / 10) / 3,
                1e-5);

    spread(pattern);
    for (int i = 1; i < N; i++) look_at(pattern, i, 0, 0.8f);
    CHECK(measure(pattern, score) == ROLE_FIRST);

    spread(pattern);
    look_at(pattern, 8, 5, 0.7f);
    look_at(pattern, 11, 6, 0.7f);
    CHECK(measure(pattern, score) == ROLE_ANTECEDENT);
    CHECK(score[ROLE_ANTECEDENT].n == 2);

    // A head that always looks as far back as the antecedents stand knows nothing of them.
    spread(pattern);
    for (int i = 5; i < N; i++) look_at(pattern, i, i - 4, 0.7f);
    CHECK(measure(pattern, score) == ROLE_UNCLEAR);
    CHECK(fabs(role_margin(&score[ROLE_ANTECEDENT])) < 0.1);
}

TEST(roles, a_model_from_end_to_end) {
    static const RoleLabel labels[] = {
        {0, 3, {"ent/e0", 6}}, {4, 7, {"V", 1}}, {8, 11, {"O", 1}}, {16, 19, {"pron/e0", 7}}};
    RoleText text = {STR("Tom saw Eva and he hid. Tom saw Eva."), labels, 4};
    Error err = {0};
    Arena arena;
    Run run;
    Roles roles;
    double loss, less;
    float gate[64] = {0};
    Model *model = model_open(test_fixture("fixtures/models/llama"), (ModelOptions){0}, &err);
    if (!CHECK(model && arena_init(&arena, ARENA_DEFAULT, &err) && run_open(&run, NULL, &err)))
        return;
    run.exact = true;
    if (!CHECK(roles_measure(&run, model, &arena, &text, 1, &roles, &err))) return;
    CHECK(roles.n_texts == 1 && roles.layers == model->config.layers);
    const RoleScore *score = roles_of(&roles, roles.layers - 1, roles.heads - 1);
    CHECK_EQUAL(score[ROLE_PREVIOUS].n, roles.n_tokens - 2);
    CHECK(score[ROLE_OBJECT].n == 1 && score[ROLE_SUBJECT].n == 0);
    for (int r = 0; r < ROLES; r++)
        CHECK(score[r].weight >= 0 && score[r].weight <= (double)score[r].n + 1e-6);
    CHECK(roles_loss(&run, model, &arena, &text, 1, &loss, &err));
    run.switches.head_gate = gate; // all off
    CHECK(roles_loss(&run, model, &arena, &text, 1, &less, &err));
    CHECK(isfinite(loss) && isfinite(less) && fabs(loss - less) > 1e-4);
    StrBuilder out = str_builder(&arena);
    roles_svg(&out, &roles);
    Str svg = str_built(&out);
    CHECK(str_starts(svg, STR("<svg")) && str_ends(svg, STR("</svg>\n")));
    CHECK(str_find(svg, STR("Layer 1, head 0; previous"), 0) != SIZE_MAX);
    run_close(&run);
    model_close(model);
    arena_drop(&arena);
}

TEST(roles, models_without_heads_are_refused) {
    RoleText text = {STR("a"), NULL, 0};
    Error err = {0};
    Arena arena;
    Run run;
    Roles roles;
    Model *model = model_open(test_fixture("fixtures/models/mamba"), (ModelOptions){0}, &err);
    if (!CHECK(model && arena_init(&arena, ARENA_DEFAULT, &err) && run_open(&run, NULL, &err)))
        return;
    CHECK_FAILS(roles_measure(&run, model, &arena, &text, 1, &roles, &err), err, ERROR_USAGE,
                "no heads");
    run_close(&run);
    model_close(model);
    arena_drop(&arena);
}
