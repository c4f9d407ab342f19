// compare.c - heed compare: training runs, or models, side by side.
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/term.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "look/speed.h"
#include "model/state.h"
#include "model/weights.h"
#include "train/checkpoint.h"
#include "train/compare.h"

// Speed is measured at lengths that double, from the first one on.
enum { FIRST_LENGTH = 32, DECODE = 16, REPEAT = 5 };

typedef struct CompareCommand {
    Setup setup; // options only: each model is opened with a copy
    int64_t longest;
    const char *cache, *svg;
    bool no_speed, as_json;
    // made from them
    Arena arena;
    DType cache_type;
    bool has_cache;
    Comparison comparison;
    Progress progress;
} CompareCommand;

static bool on_step(void *user, int64_t done, int64_t total) {
    CompareCommand *c = user;
    c->progress.total = total;
    progress_at(&c->progress, done, "");
    return cli_keep_going(NULL);
}

// ---------------------------------------------------------------- a model
// The type that was asked for, else F16, or F32 where heads do not fit it.
static bool choose_cache(const CompareCommand *c, const Model *model, DType *cache, Error *err) {
    *cache = c->has_cache ? c->cache_type : DTYPE_F16;
    if (state_type_fits(model, *cache)) return true;
    if (c->has_cache)
        return error_set(err, ERROR_USAGE, "--cache %s does not fit heads of width %d", c->cache,
                         model->config.head_width);
    *cache = DTYPE_F32;
    return true;
}

static bool measure_length(CompareCommand *c, const Setup *s, DType cache, CompareRun *run,
                           int64_t length, Error *err) {
    int64_t i = run->n_lengths++;
    run->length[i] = (double)length;
    run->state_bytes[i] = (double)state_bytes_carried(s->model) +
                          (double)state_bytes_per_position(s->model, cache) * (double)length;
    if (c->no_speed) return true;
    SpeedSpec spec = {.n_prefill = DECODE,
                      .n_decode = DECODE,
                      .depth = length - DECODE,
                      .repeat = REPEAT,
                      .cache = cache,
                      .on_step = on_step,
                      .user = c};
    Run forward;
    Speed speed;
    if (!run_open(&forward, s->pool, err)) return false;
    if (s->kernels) forward.kernels = s->kernels;
    bool ok = speed_measure(&forward, s->model, &spec, &speed, err);
    run_close(&forward);
    if (ok) run->decode[i] = speed.decode.median;
    return ok;
}

static bool measure_model(CompareCommand *c, const Setup *s, CompareRun *run, Error *err) {
    DType cache;
    int64_t most = s->model->config.context < c->longest ? s->model->config.context : c->longest;
    run->parameters = weights_count(s->model).total;
    run->architecture = str_copy(&c->arena, str_from(s->model->arch->name));
    if (!choose_cache(c, s->model, &cache, err)) return false;
    if (!run->label.n) run->label = str_copy(&c->arena, s->model->name);
    c->progress = progress_begin("measuring", "tokens", 0);
    bool ok = true;
    for (int64_t n = FIRST_LENGTH; ok && n <= most && run->n_lengths < COMPARE_LENGTHS_MAX; n *= 2)
        ok = measure_length(c, s, cache, run, n, err);
    progress_end(&c->progress);
    return ok;
}

// ---------------------------------------------------------------- a run
// The best weights of a run's folder, else those of its newest checkpoint; empty: none.
static Str model_of_run(CompareCommand *c, const char *folder) {
    Str best = str_printf(&c->arena, "%s/best.gguf", folder);
    return file_exists(best.data) ? best : checkpoint_newest(&c->arena, folder);
}

// Adapters are opened with the model that they belong to.
static bool open_model(CompareCommand *c, Setup *setup, Str path, Error *err) {
    GgufFile file = {0};
    Str base = {0};
    bool is_gguf = !file_is_folder(path.data);
    if (is_gguf && !gguf_open(&file, path.data, true, err)) return false;
    bool ok = !is_gguf || checkpoint_base(&file, &base, err);
    if (base.n) setup->lora = path.data;
    if (base.n) path = str_copy(&c->arena, base);
    gguf_close(&file);
    return ok && setup_open(setup, str_c(&c->arena, path), err);
}

// Folders of runs are called by what stands last in their path.
static Str label_of(CompareCommand *c, const char *path) {
    Str label = str_from(path);
    while (label.n > 1 && label.data[label.n - 1] == '/') label.n--;
    for (size_t i = label.n; i > 0; i--)
        if (label.data[i - 1] == '/' && i < label.n) {
            label = str_slice(label, i, label.n);
            break;
        }
    return screen_visible(&c->arena, label);
}

static bool add_run(CompareCommand *c, const char *path, Error *err) {
    CompareRun *run = &c->comparison.run[c->comparison.n++];
    Str journal = str_printf(&c->arena, "%s/train.jsonl", path), model = str_from(path);
    run->label = label_of(c, path);
    if (file_is_folder(path) && file_exists(journal.data)) {
        if (!journal_read(&run->history, &c->arena, journal.data, err)) return false;
        run->has_history = true;
        run->parameters = run->history.start.parameters;
        run->architecture = run->history.start.architecture;
        model = model_of_run(c, path);
    }
    if (!model.n) return true;
    Setup setup = c->setup;
    bool ok = open_model(c, &setup, model, err) && measure_model(c, &setup, run, err);
    setup_close(&setup);
    return ok;
}

// ---------------------------------------------------------------- the command
static bool write_svg(CompareCommand *c, Error *err) {
    StrBuilder out = str_builder(&c->arena);
    compare_svg(&out, &c->comparison);
    FileWriter *file = file_create(c->svg, err);
    if (!file) return false;
    file_write(file, out.data, out.n);
    return file_commit(file, err);
}

static void print(CompareCommand *c) {
    StrBuilder out = str_builder(&c->arena);
    if (c->as_json) {
        JsonWriter w = json_writer(&out, 2);
        compare_json(&w, &c->comparison);
        str_add_byte(&out, '\n');
    } else {
        int columns = term_columns(STDOUT_FILENO, 100);
        compare_table(&out, &c->comparison, columns);
        str_add_byte(&out, '\n');
        screen_wrap(&out, compare_words(&c->comparison, &c->arena), 0, 0, columns);
    }
    fputs(str_built(&out).data, stdout);
}

static bool compare(CompareCommand *c, const Positionals *rest, Error *err) {
    if (rest->n < 1 || rest->n > COMPARE_RUNS_MAX)
        return error_set(err, ERROR_USAGE, "give 1 to %d runs or models", COMPARE_RUNS_MAX);
    if (c->svg && strcmp(c->svg, "-") == 0 && c->as_json)
        return error_set(err, ERROR_USAGE, "give --json or --svg -, not both");
    c->has_cache = *c->cache != 0;
    if (c->has_cache && !setup_cache_type(c->cache, &c->cache_type, err)) return false;
    if (!arena_init(&c->arena, ARENA_DEFAULT, err)) return false;
    cli_catch_interrupt();
    for (int i = 0; i < rest->n; i++)
        if (!add_run(c, rest->text[i], err)) return false;
    if (c->svg && !write_svg(c, err)) return false;
    if (!c->svg || strcmp(c->svg, "-") != 0) print(c);
    return true;
}

static int run(int argc, char **argv) {
    CompareCommand c = {.longest = 4096, .cache = ""};
    Option setup[SETUP_OPTIONS];
    const Option own[] = {
        {"--svg", 0, OPTION_TEXT, &c.svg, "FILE", "write a drawing; - is standard output"},
        {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "print JSON (docs/json.md)"},
        {"--longest", 0, OPTION_INT, &c.longest, "N",
         "longest text at which a model is measured (default 4096)", FIRST_LENGTH, 1 << 20},
        {"--cache", 0, OPTION_TEXT, &c.cache, "TYPE",
         "type of remembered keys and values: f16 (default), f32, q8_0"},
        {"--no-speed", 0, OPTION_FLAG, &c.no_speed, NULL, "do not measure how fast models decode"},
        {0}};
    const Option *const tables[] = {own, setup_model_options(&c.setup, setup), NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_compare, tables, argc, argv, &rest, &code)) return code;
    bool ok = compare(&c, &rest, &err);
    arena_drop(&c.arena);
    return ok ? 0 : cli_fail(&command_compare, &err);
}

const Command command_compare = {
    "compare", "RUN|MODEL...",
    "runs (folders of heed train) or models side by side: loss, time, state, speed", run};
