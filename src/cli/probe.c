// probe.c - heed probe: what a model understands, asked phenomenon by phenomenon.
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/questions.h"

typedef struct ProbeCommand {
    Setup setup;
    const char *only;
    int64_t limit, seed;
    bool has_limit, has_seed, as_json;
    // made from them
    Questions questions;
    QuizReport report;
    Progress progress;
} ProbeCommand;

enum { WORLD_ITEMS = 100 }; // of each phenomenon and grade

static bool on_asked(void *user, int64_t done, const QuizReport *so_far) {
    ProbeCommand *c = user;
    Str now = so_far->score[so_far->n - 1].phenomenon;
    char note[64];
    snprintf(note, sizeof note, "%.*s", now.n < 40 ? (int)now.n : 40, now.data);
    progress_at(&c->progress, done, note);
    return cli_keep_going(NULL);
}

static void print(ProbeCommand *c) {
    StrBuilder out = str_builder(&c->setup.arena);
    if (c->as_json) {
        JsonWriter w = json_writer(&out, 0);
        quiz_json(&w, &c->report);
        str_add_byte(&out, '\n');
    } else {
        quiz_table(&out, &c->report);
    }
    fputs(str_built(&out).data, stdout);
}

static bool gather(ProbeCommand *c, const Positionals *rest, Error *err) {
    Arena *arena = &c->setup.arena;
    if (rest->n == 2 && c->has_seed)
        return error_set(err, ERROR_USAGE, "--seed is for the world's own probes: not with a file");
    if (rest->n == 2)
        return questions_of_path(arena, rest->text[1], c->limit, c->only, &c->questions, err);
    return questions_of_world(arena, (uint64_t)c->seed, c->has_limit ? c->limit : WORLD_ITEMS,
                              c->only, &c->questions, err);
}

static bool probe(ProbeCommand *c, const Positionals *rest, Error *err) {
    if (rest->n < 1 || rest->n > 2)
        return error_set(err, ERROR_USAGE, "give MODEL, and PROBES if not the world's own");
    if (!setup_open(&c->setup, rest->text[0], err) || !gather(c, rest, err) ||
        !setup_pack(&c->setup, err))
        return false;
    cli_catch_interrupt();
    c->progress = progress_begin("asking", "questions", c->questions.n);
    bool ok = questions_ask(&c->questions, c->setup.model,
                            (QuizOptions){.pool = c->setup.pool, .kernels = c->setup.kernels},
                            on_asked, c, &c->report, err);
    progress_end(&c->progress);
    if (ok) print(c);
    return ok;
}

static int run(int argc, char **argv) {
    static ProbeCommand c; // its report is large
    Option setup[SETUP_OPTIONS];
    c.seed = 1;
    const Option own[] = {
        {"--only", 0, OPTION_TEXT, &c.only, "LIST", "these phenomena: order,recall"},
        {"--limit", 0, OPTION_INT, &c.limit, "N",
         "questions of each kind and grade at most (default: 100 of the world's, all of a file's)",
         1, 1e5, &c.has_limit},
        {"--seed", 0, OPTION_INT, &c.seed, "N", "of the world that asks (default 1)", 0, 1e18,
         &c.has_seed},
        {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "print JSON (docs/json.md)"},
        {0}};
    const Option *const tables[] = {own, setup_model_options(&c.setup, setup), NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_probe, tables, argc, argv, &rest, &code)) return code;
    bool ok = probe(&c, &rest, &err);
    setup_close(&c.setup);
    return ok ? 0 : cli_fail(&command_probe, &err);
}

const Command command_probe = {
    "probe", "MODEL [FILE|FOLDER]",
    "ask what a model understands: accuracy for each phenomenon of the mini-world", run};
