// patch.c - heed patch: where in a model a fact is brought to light, as heat tables, SVG or JSON.
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/term.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "look/patch.h"

enum { LABEL_COLUMNS = 14, CELL_COLUMNS = 2 };

typedef struct PatchCommand {
    Setup setup;
    const char *prompt, *subject, *answer, *svg;
    double noise;
    int64_t seed, draws, window;
    bool as_json;
    // made from them
    FactText text;
    Fact fact;
    Patch patch;
    Progress progress;
} PatchCommand;

// ---------------------------------------------------------------- for programs
static void print_json(PatchCommand *c) {
    StrBuilder out = str_builder(&c->setup.arena);
    JsonWriter w = json_writer(&out, 0);
    json_begin_object(&w);
    json_key(&w, "tokens");
    json_begin_array(&w);
    for (int64_t i = 0; i < c->patch.n; i++) {
        json_begin_object(&w);
        json_key(&w, "id");
        json_put_integer(&w, c->fact.ids[i]);
        cli_json_piece(&w, tokenizer_piece(c->setup.model->tokenizer, c->fact.ids[i], true));
        json_key(&w, "is_subject");
        json_put_bool(&w, c->patch.is_subject[i]);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_key(&w, "answer");
    json_put_string(&w, c->text.answer);
    patch_json(&w, &c->patch);
    json_end_object(&w);
    fwrite(out.data, 1, out.n, stdout);
    printf("\n");
}

static bool write_svg(PatchCommand *c, Error *err) {
    StrBuilder out = str_builder(&c->setup.arena);
    patch_svg(&out, &c->patch);
    FileWriter *file = file_create(c->svg, err);
    if (!file) return false;
    file_write(file, out.data, out.n);
    return file_commit(file, err);
}

// ---------------------------------------------------------------- for a person
static void print_words(PatchCommand *c, Str words) {
    StrBuilder out = str_builder(&c->setup.arena);
    screen_wrap(&out, words, 0, 0, term_columns(STDOUT_FILENO, 100));
    printf("%.*s", STR_ARG(out));
}

static void print_label(const Patch *p, int64_t i) {
    Str cut = term_cut(p->label[i], LABEL_COLUMNS - 2);
    printf("%s %.*s%*s", p->is_subject[i] ? "*" : " ", STR_ARG(cut),
           LABEL_COLUMNS - 2 - term_width(cut), "");
}

// Layers from .. to-1 of one place: all of them, if they fit.
static void print_heat(const Patch *p, PatchPlace place, int from, int to) {
    printf("%-*s", LABEL_COLUMNS, "");
    for (int l = from; l < to; l++) printf("%2d", l % 100);
    printf("\n");
    for (int64_t i = 0; i < p->n; i++) {
        print_label(p, i);
        for (int l = from; l < to; l++) {
            double share = patch_share(p, place, i, l);
            printf("%s", share <= -0.03 ? " -" : screen_shade(share));
        }
        printf("\n");
    }
}

static void print_person(PatchCommand *c) {
    const Patch *p = &c->patch;
    int across = (term_columns(STDOUT_FILENO, 100) - LABEL_COLUMNS) / CELL_COLUMNS;
    if (across < 1) across = 1;
    for (PatchPlace place = 0; place < PATCH_PLACES; place++) {
        if (!p->effect[place]) continue;
        printf("%s\n", patch_place_words(place));
        for (int l = 0; l < p->layers; l += across)
            print_heat(p, place, l, l + across < p->layers ? l + across : p->layers);
        printf("\n");
    }
    print_words(
        c, STR("Share of what the noise took away that comes back: - takes more away, \xc2\xb7 "
               "under 3%, \xe2\x96\x91 3, \xe2\x96\x92 15, \xe2\x96\x93 40, \xe2\x96\x88 75% "
               "and more. * the subject."));
    print_words(c, screen_visible(&c->setup.arena, patch_words(p, &c->setup.arena)));
}

// ---------------------------------------------------------------- command
static bool check_options(const PatchCommand *c, const Positionals *rest, Error *err) {
    if (rest->n != 1) return error_set(err, ERROR_USAGE, "give one MODEL");
    if (!c->prompt || !c->subject || !c->answer || !*c->subject)
        return error_set(err, ERROR_USAGE, "give --prompt, --subject and --answer");
    if (c->svg && c->as_json && strcmp(c->svg, "-") == 0)
        return error_set(err, ERROR_USAGE, "give --json or --svg -, not both");
    return true;
}

static bool on_run(void *user, int64_t done, int64_t total) {
    PatchCommand *c = user;
    c->progress.total = total;
    progress_at(&c->progress, done, "");
    return cli_keep_going(NULL);
}

static bool trace(PatchCommand *c, Error *err) {
    Setup *s = &c->setup;
    Run run;
    PatchSpec spec = {.noise = c->noise,
                      .draws = c->draws,
                      .seed = (uint64_t)c->seed,
                      .window = (int)c->window,
                      .go_on = on_run,
                      .user = c};
    c->text.answer = fact_answer(&s->arena, c->text.prompt, str_from(c->answer));
    if (!fact_read(s->model, &s->arena, c->text, &c->fact, err) || !setup_pack(s, err) ||
        !run_open(&run, s->pool, err))
        return false;
    if (s->kernels) run.kernels = s->kernels;
    run.exact = true;
    cli_catch_interrupt();
    c->progress = progress_begin("tracing", "runs", 1); // how many it is told
    bool ok = patch_trace(&run, s->model, &s->arena, &c->fact, spec, &c->patch, err);
    progress_end(&c->progress);
    run_close(&run);
    return ok;
}

static bool patch(PatchCommand *c, const Positionals *rest, Error *err) {
    if (!check_options(c, rest, err)) return false;
    c->text = (FactText){.prompt = str_from(c->prompt), .subject = str_from(c->subject)};
    if (!setup_open(&c->setup, rest->text[0], err) || !trace(c, err)) return false;
    if (c->svg && !write_svg(c, err)) return false;
    if (c->as_json)
        print_json(c);
    else if (!c->svg || strcmp(c->svg, "-") != 0)
        print_person(c);
    return true;
}

static int run(int argc, char **argv) {
    PatchSpec spec = patch_default();
    PatchCommand c = {.noise = spec.noise,
                      .draws = spec.draws,
                      .seed = (int64_t)spec.seed,
                      .window = spec.window};
    Option setup[SETUP_OPTIONS];
    const Option own[] = {
        {"--prompt", 'p', OPTION_TEXT, &c.prompt, "TEXT", "a text that breaks off before a fact"},
        {"--subject", 0, OPTION_TEXT, &c.subject, "TEXT", "whom it is about: a part of the prompt"},
        {"--answer", 0, OPTION_TEXT, &c.answer, "TEXT", "what goes on with it"},
        {"--noise", 0, OPTION_NUMBER, &c.noise, "X",
         "noise on the subject, in standard deviations of the embeddings (default 3)", 1e-6, 1e6},
        {"--draws", 0, OPTION_INT, &c.draws, "N", "draws of noise that are averaged (default 5)", 1,
         1000},
        {"--seed", 0, OPTION_INT, &c.seed, "N", "of the noise (default 1)", 0, 1e18},
        {"--window", 0, OPTION_INT, &c.window, "N",
         "layers of feed-forward or attention put back at once (default 1)", 1, 1 << 10},
        {"--svg", 'o', OPTION_TEXT, &c.svg, "FILE", "write a drawing; - is standard output"},
        {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "print JSON (docs/json.md)"},
        {0}};
    const Option *const tables[] = {own, setup_model_options(&c.setup, setup), NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_patch, tables, argc, argv, &rest, &code)) return code;
    bool ok = patch(&c, &rest, &err);
    setup_close(&c.setup);
    return ok ? 0 : cli_fail(&command_patch, &err);
}

const Command command_patch = {"patch", "MODEL -p TEXT --subject TEXT --answer TEXT",
                               "where in a model a fact is brought to light (causal tracing)", run};
