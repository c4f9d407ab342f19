// heads.c - heed heads: what each attention head is for, and what is lost without it.
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/questions.h"
#include "look/roles.h"
#include "world/world.h"

typedef struct HeadsCommand {
    Setup setup;
    const char *svg;
    int64_t n_texts, seed;
    bool as_json, switch_off;
    // made from them
    RoleText *text; // (n_texts)
    Roles roles;
    Run run;
    Progress progress;
} HeadsCommand;

// What the model loses without one head.
typedef struct Loss {
    double loss, accuracy; // nats a token; of its phenomenon, NaN: none asks for its role
} Loss;

// Which questions need a role; NULL: none.
static const char *const phenomenon_of[ROLES] = {NULL,          NULL,    "induction", "induction",
                                                 "coreference", "order", "order"};
enum { QUESTIONS_ASKED = 40 }; // of a phenomenon

// ---------------------------------------------------------------- the texts
static RoleText text_of(Arena *arena, const Record *r) {
    RoleLabel *label = arena_new(arena, RoleLabel, r->n_spans + 1);
    for (int i = 0; i < r->n_spans; i++)
        label[i] = (RoleLabel){r->span[i].from, r->span[i].to,
                               str_copy(arena, str_from(record_label(r, i)))};
    return (RoleText){str_copy(arena, record_text(r)), label, r->n_spans};
}

// Documents in which the roles come: pronouns, doers and undergoers, names said again.
static bool make_texts(HeadsCommand *c, Error *err) {
    Arena *arena = &c->setup.arena;
    WorldSpec spec = world_default();
    spec.seed = (uint64_t)c->seed;
    spec.split = SPLIT_VALID;
    if (!world_set_genres(&spec, STR("gender=2,coreference=1,order=3,induction=2,story=1"), err))
        return false;
    World *world = world_make(arena, spec);
    c->text = arena_new(arena, RoleText, c->n_texts);
    for (int64_t i = 0; i < c->n_texts; i++) c->text[i] = text_of(arena, world_document(world, i));
    return true;
}

// ---------------------------------------------------------------- a head off
static bool measure_loss(HeadsCommand *c, const float *gate, Role role, Loss *result, Error *err) {
    static QuizReport report;
    Setup *s = &c->setup;
    const char *phenomenon = role < ROLES ? phenomenon_of[role] : NULL;
    c->run.switches.head_gate = gate;
    *result = (Loss){.accuracy = (double)NAN};
    if (!roles_loss(&c->run, s->model, &s->arena, c->text, c->n_texts, &result->loss, err))
        return false;
    if (!phenomenon) return true;
    Questions questions;
    QuizOptions options = {s->pool, s->kernels, {.head_gate = gate}};
    if (!questions_of_world(&s->arena, (uint64_t)c->seed, QUESTIONS_ASKED, phenomenon, &questions,
                            err) ||
        !questions_ask(&questions, s->model, options, NULL, NULL, &report, err))
        return false;
    const QuizScore *score = quiz_score(&report, str_from(phenomenon));
    if (score) result->accuracy = quiz_accuracy(score->all);
    return true;
}

// For each head that has a role: what changes when it is off, into loss (layers * heads).
static bool switch_off(HeadsCommand *c, Loss *loss, Error *err) {
    int n = c->roles.layers * c->roles.heads;
    float *gate = arena_new(&c->setup.arena, float, n);
    Loss whole[ROLES + 1];
    bool has_whole[ROLES + 1] = {false};
    for (int i = 0; i < n; i++) gate[i] = 1;
    c->progress = progress_begin("switching off", "heads", n);
    for (int i = 0; i < n; i++) {
        ArenaMark mark = arena_mark(&c->setup.arena);
        Role role = role_named(c->roles.score[i]);
        loss[i] = (Loss){(double)NAN, (double)NAN};
        progress_at(&c->progress, i, "");
        if (role == ROLE_UNCLEAR) continue;
        if (!has_whole[role] && !measure_loss(c, NULL, role, &whole[role], err)) return false;
        has_whole[role] = true;
        gate[i] = 0;
        if (!measure_loss(c, gate, role, &loss[i], err)) return false;
        gate[i] = 1;
        loss[i].loss -= whole[role].loss;
        loss[i].accuracy -= whole[role].accuracy;
        arena_back(&c->setup.arena, mark);
    }
    progress_end(&c->progress);
    return true;
}

// ---------------------------------------------------------------- telling
static void add_row(StrBuilder *out, const RoleScore *score, int layer, int head, const Loss *l) {
    Role role = role_named(score);
    str_add_format(out, "%5d %4d  %-11s", layer, head, role_names[role]);
    for (int r = 0; r < ROLES; r++) {
        if (score[r].n)
            str_add_format(out, "%*.2f", (int)strlen(role_names[r]) + 2, role_margin(&score[r]));
        else
            str_add_format(out, "%*s", (int)strlen(role_names[r]) + 2, "-");
    }
    if (l && isfinite(l->loss)) str_add_format(out, "%+9.3f", l->loss);
    if (l && isfinite(l->accuracy))
        str_add_format(out, "  %s %+.1f%%", phenomenon_of[role], 100 * l->accuracy);
    str_add_byte(out, '\n');
}

static void add_table(StrBuilder *out, const HeadsCommand *c, const Loss *loss) {
    const Roles *roles = &c->roles;
    int n_named = 0, n_heads = 0;
    str_add_format(out, "layer head  %-11s", "role");
    for (int r = 0; r < ROLES; r++) str_add_format(out, "  %s", role_names[r]);
    str_add_c(out, loss ? "   off: loss, accuracy\n" : "\n");
    for (int l = 0; l < roles->layers; l++)
        for (int h = 0; h < roles->heads; h++) {
            const RoleScore *score = roles_of(roles, l, h);
            if (!config_has_attention(&c->setup.model->config, l)) continue;
            add_row(out, score, l, h, loss ? &loss[l * roles->heads + h] : NULL);
            n_named += role_named(score) != ROLE_UNCLEAR;
            n_heads++;
        }
    str_add_format(out,
                   "\nMargins over the baseline, from %lld tokens of %lld texts. %d of %d heads "
                   "have a role (margin %.1f or more); the others are unclear.\n",
                   (long long)roles->n_tokens, (long long)roles->n_texts, n_named, n_heads,
                   ROLE_MARGIN);
}

static void put_head(JsonWriter *w, const RoleScore *score, int layer, int head, const Loss *l) {
    json_begin_object(w);
    json_key(w, "layer");
    json_put_integer(w, layer);
    json_key(w, "head");
    json_put_integer(w, head);
    json_key(w, "role");
    json_put_string(w, str_from(role_names[role_named(score)]));
    json_key(w, "margins");
    json_begin_object(w);
    for (int r = 0; r < ROLES; r++) {
        json_key(w, role_names[r]);
        json_begin_object(w);
        json_key(w, "margin");
        json_put_number(w, role_margin(&score[r]));
        json_key(w, "error");
        json_put_number(w, role_error(&score[r]));
        json_key(w, "n");
        json_put_integer(w, score[r].n);
        json_end_object(w);
    }
    json_end_object(w);
    if (l) {
        json_key(w, "loss_change");
        json_put_number(w, l->loss);
        json_key(w, "accuracy_change");
        json_put_number(w, l->accuracy);
    }
    json_end_object(w);
}

static void add_json(StrBuilder *out, const HeadsCommand *c, const Loss *loss) {
    const Roles *roles = &c->roles;
    JsonWriter w = json_writer(out, 0);
    json_begin_object(&w);
    json_key(&w, "texts");
    json_put_integer(&w, roles->n_texts);
    json_key(&w, "tokens");
    json_put_integer(&w, roles->n_tokens);
    json_key(&w, "heads");
    json_begin_array(&w);
    for (int l = 0; l < roles->layers; l++)
        for (int h = 0; h < roles->heads; h++)
            if (config_has_attention(&c->setup.model->config, l))
                put_head(&w, roles_of(roles, l, h), l, h,
                         loss ? &loss[l * roles->heads + h] : NULL);
    json_end_array(&w);
    json_end_object(&w);
    str_add_byte(out, '\n');
}

static bool write_svg(HeadsCommand *c, Error *err) {
    StrBuilder out = str_builder(&c->setup.arena);
    roles_svg(&out, &c->roles);
    FileWriter *file = file_create(c->svg, err);
    if (!file) return false;
    file_write(file, out.data, out.n);
    return file_commit(file, err);
}

// ---------------------------------------------------------------- the command
static bool measure(HeadsCommand *c, Error *err) {
    Setup *s = &c->setup;
    Loss *loss = NULL;
    if (!roles_measure(&c->run, s->model, &s->arena, c->text, c->n_texts, &c->roles, err))
        return false;
    if (c->svg && !write_svg(c, err)) return false;
    if (c->switch_off) loss = arena_new(&s->arena, Loss, c->roles.layers * c->roles.heads);
    if (loss && !switch_off(c, loss, err)) return false;
    if (c->svg && strcmp(c->svg, "-") == 0) return true;
    StrBuilder out = str_builder(&s->arena);
    if (c->as_json)
        add_json(&out, c, loss);
    else
        add_table(&out, c, loss);
    fputs(str_built(&out).data, stdout);
    return true;
}

static bool heads(HeadsCommand *c, const Positionals *rest, Error *err) {
    if (rest->n != 1) return error_set(err, ERROR_USAGE, "give MODEL");
    if (c->svg && strcmp(c->svg, "-") == 0 && c->as_json)
        return error_set(err, ERROR_USAGE, "give --json or --svg -, not both");
    if (!setup_open(&c->setup, rest->text[0], err) || !make_texts(c, err) ||
        !setup_pack(&c->setup, err) || !run_open(&c->run, c->setup.pool, err))
        return false;
    if (c->setup.kernels) c->run.kernels = c->setup.kernels;
    c->run.exact = true;
    bool ok = measure(c, err);
    run_close(&c->run);
    return ok;
}

static int run(int argc, char **argv) {
    HeadsCommand c = {.n_texts = 200, .seed = 1};
    Option setup[SETUP_OPTIONS];
    const Option own[] = {
        {"--texts", 0, OPTION_INT, &c.n_texts, "N",
         "labelled texts of the world to measure on (default 200)", 1, 1e5},
        {"--seed", 0, OPTION_INT, &c.seed, "N", "of the world (default 1)", 0, 1e18},
        {"--off", 0, OPTION_FLAG, &c.switch_off, NULL,
         "switch each head with a role off: change of the loss and of its phenomenon's accuracy"},
        {"--svg", 0, OPTION_TEXT, &c.svg, "FILE", "write a drawing; - is standard output"},
        {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "print JSON (docs/json.md)"},
        {0}};
    const Option *const tables[] = {own, setup_model_options(&c.setup, setup), NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_heads, tables, argc, argv, &rest, &code)) return code;
    bool ok = heads(&c, &rest, &err);
    setup_close(&c.setup);
    return ok ? 0 : cli_fail(&command_heads, &err);
}

const Command command_heads = {"heads", "MODEL",
                               "what each attention head is for, measured on labelled text", run};
