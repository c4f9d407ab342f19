// train.c - heed train: a text in, a model out.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/train.h"
#include "look/limits.h"

enum {
    TEXTS_BYTES_MAX = 1 << 30, // of one file
    SETTINGS_OPTIONS = 96
};
static const double REACHED = 0.4; // share of the peak that training reaches, for sizes

typedef struct TrainCommand {
    // options
    const char *target, *config, *preset, *from, *folder, *type, *prompt, *tensorboard;
    TextList validation;
    int64_t threads;
    bool pairs, resume, force;
    const char *value[SETTINGS_OPTIONS]; // of setting i, as typed
    bool flag[SETTINGS_OPTIONS];
    // made from them
    TrainingSpec spec;
    Training training;
    TrainShow show;
    TrainingResult result;
    Progress progress;
    const char *what; // the progress tells of
    Pool *pool;
    Arena arena;
} TrainCommand;

// ---------------------------------------------------------------- options
static const struct {
    const char *before, *words;
} headings[] = {{"arch", "The model (default: fitted to the text and the time):"},
                {"tokenizer", "The text:"},
                {"batch", "How much, and how long:"},
                {"optimizer", "How weights move:"},
                {"validate_every", "What is looked at and kept:"}};

static const char *heading_before(const char *name) {
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (strcmp(headings[i].before, name) == 0) return headings[i].words;
    return NULL;
}

// "weight_decay" -> "--weight-decay"
static const char *option_name(Arena *arena, const char *name) {
    char *text = arena_push(arena, strlen(name) + 3);
    strcpy(text, "--");
    strcpy(text + 2, name);
    for (char *c = text; *c; c++)
        if (*c == '_') *c = '-';
    return text;
}

static const Option *settings_options(TrainCommand *t) {
    int n, at = 0;
    const Setting *all = settings_all(&n);
    require(n <= SETTINGS_OPTIONS);
    Option *table = arena_new(&t->arena, Option, 2 * n + 1);
    for (int i = 0; i < n; i++) {
        const char *heading = heading_before(all[i].name);
        bool is_flag = all[i].kind == SETTING_FLAG;
        if (heading) table[at++] = (Option){"", 0, OPTION_HEADING, NULL, NULL, heading};
        table[at++] = (Option){.name = option_name(&t->arena, all[i].name),
                               .kind = is_flag ? OPTION_FLAG : OPTION_TEXT,
                               .value = is_flag ? (void *)&t->flag[i] : (void *)&t->value[i],
                               .argument = all[i].argument,
                               .help = all[i].help};
    }
    return table;
}

// Preset, then file, then options: the later ones hold.
static bool read_settings(TrainCommand *t, Error *err) {
    Settings *s = &t->spec.settings;
    Str lines;
    int n;
    const Setting *all = settings_all(&n);
    *s = t->resume ? (Settings){0} : settings_default();
    if (t->preset) {
        lines = settings_preset(str_from(t->preset));
        if (lines.n == 0)
            return error_set(err, ERROR_USAGE, "--preset: no such preset: '%s'", t->preset);
        if (!settings_read(s, lines, t->preset, err)) return false;
    }
    if (t->config && (!file_read(&t->arena, t->config, 1 << 20, &lines, err) ||
                      !settings_read(s, lines, t->config, err)))
        return false;
    for (int i = 0; i < n; i++) {
        Str value = t->flag[i] ? STR("true") : t->value[i] ? str_from(t->value[i]) : STR("");
        if (value.n && t->resume && !training_may_change(&all[i]))
            return error_set(err, ERROR_USAGE, "%s: a resumed run keeps what it has", all[i].name);
        if (value.n && !settings_set(s, &all[i], value, err)) return false;
    }
    return true;
}

// ---------------------------------------------------------------- what is asked for
// "book.gguf" -> "book.train", "book.lora.gguf"
static const char *beside_target(TrainCommand *t, const char *ending) {
    Str target = str_from(t->target);
    if (str_ends(target, STR(".gguf"))) target = str_slice(target, 0, target.n - 5);
    return str_printf(&t->arena, "%.*s%s", STR_ARG(target), ending).data;
}

// What a killed run left half written beside the target.
static bool sweep_target(TrainCommand *t, Error *err) {
    Str target = str_from(t->target), name = str_from(beside_target(t, ""));
    size_t slash = target.n;
    while (slash > 0 && target.data[slash - 1] != '/') slash--;
    const char *folder = slash ? str_c(&t->arena, str_slice(target, 0, slash)) : ".";
    return file_sweep(&t->arena, folder, str_slice(name, slash, name.n), err);
}

static bool check(TrainCommand *t, const Positionals *rest, Error *err) {
    if (rest->n < 1)
        return error_set(err, ERROR_USAGE, "give the FILEs to learn from (- is standard input)");
    if (!t->target) return error_set(err, ERROR_USAGE, "say where to write the model with -o FILE");
    if (file_is_folder(t->target))
        return error_set(err, ERROR_USAGE, "%.300s is a folder: -o wants a file", t->target);
    if (t->resume && (t->config || t->preset))
        return error_set(err, ERROR_USAGE, "--resume goes on with the settings of the checkpoint");
    t->result = (TrainingResult){.model = t->target, .has_type = t->type != NULL};
    if (t->type && !dtype_from_name(t->type, &t->result.type))
        return error_set(err, ERROR_USAGE, "--type: no such type: '%s'", t->type);
    if (!t->folder) t->folder = beside_target(t, ".train");
    if (!t->resume && !t->force) {
        if (file_exists(t->target))
            return error_set(err, ERROR_USAGE, "%.300s is there already; --force replaces it",
                             t->target);
        if (checkpoint_newest(&t->arena, t->folder).n)
            return error_set(err, ERROR_USAGE,
                             "%.300s holds a run already: --resume goes on with it, "
                             "--force begins anew",
                             t->folder);
    }
    return true;
}

static bool read_texts(TrainCommand *t, const char *const *paths, int n, const Str **texts,
                       Error *err) {
    Str *list = arena_new(&t->arena, Str, n + 1);
    for (int i = 0; i < n; i++) {
        if (!file_read(&t->arena, paths[i], TEXTS_BYTES_MAX, &list[i], err)) return false;
        if (list[i].n == 0) return error_set(err, ERROR_USAGE, "%.300s is empty", paths[i]);
    }
    *texts = list;
    return true;
}

static bool go_on(void *user, const char *what, int64_t done, int64_t total) {
    TrainCommand *t = user;
    if (t->what != what) {
        progress_end(&t->progress);
        t->progress = progress_begin(what, strcmp(what, "merging") == 0 ? "tokens" : "B", total);
        t->what = what;
    }
    progress_at(&t->progress, done, "");
    return cli_keep_going(NULL);
}

static bool prepare(TrainCommand *t, const Positionals *rest, Error *err) {
    TrainingSpec *s = &t->spec;
    const char *kernels = getenv("HEED_KERNELS");
    if (!read_settings(t, err) || !check(t, rest, err)) return false;
    if (!read_texts(t, rest->text, rest->n, &s->text, err) ||
        !read_texts(t, t->validation.text, t->validation.n, &s->validation, err))
        return false;
    t->pool = pool_open((int)t->threads, err);
    if (!t->pool) return false;
    s->n_texts = rest->n;
    s->n_validation = t->validation.n;
    s->pairs = t->pairs;
    s->from = t->from;
    s->folder = t->folder;
    s->resume = t->resume;
    s->name = t->target;
    s->pool = t->pool;
    s->kernels = kernels && *kernels ? kernels_named(kernels) : kernels_best();
    s->go_on = go_on;
    s->user = t;
    if (!s->kernels)
        return error_set(err, ERROR_USAGE, "HEED_KERNELS=%s: not on this processor", kernels);
    double peak = limits_peak_f32(s->kernels, t->pool);
    s->flops = REACHED * peak;
    t->show = (TrainShow){.training = &t->training,
                          .folder = t->folder,
                          .tensorboard = t->tensorboard,
                          .prompt = t->prompt,
                          .peak = peak};
    StrBuilder names = str_builder(&t->arena);
    for (int i = 0; i < rest->n; i++) str_add_format(&names, "%s%s", i ? ", " : "", rest->text[i]);
    t->show.data = str_built(&names);
    return true;
}

// ---------------------------------------------------------------- the run
static bool validate(TrainCommand *t, Error *err) {
    Validation v;
    bool is_best;
    return training_validate(&t->training, &v, &is_best, err) &&
           train_show_validation(&t->show, &v, is_best, err);
}

static bool is_time(int64_t step, int64_t every, int64_t last) {
    return every > 0 && (step % every == 0 || step == last);
}

static bool steps(TrainCommand *t, Error *err) {
    Trainer *trainer = &t->training.trainer;
    const Settings *s = &t->training.settings;
    int64_t *step = &trainer->progress.step, saved = *step;
    while (*step < s->steps && cli_keep_going(NULL)) {
        StepReport report;
        if (!trainer_step(trainer, &report, err) || !train_show_step(&t->show, &report, err))
            return false;
        if (is_time(*step, s->validate_every, s->steps) && !validate(t, err)) return false;
        if (is_time(*step, s->sample_every, s->steps) && !train_show_sample(&t->show, err))
            return false;
        if (!is_time(*step, s->save_every, s->steps)) continue;
        if (!checkpoint_save(trainer, t->folder, err)) return false;
        saved = *step;
    }
    return saved == *step || checkpoint_save(trainer, t->folder, err);
}

static bool train(TrainCommand *t, const Positionals *rest, Error *err) {
    if (!prepare(t, rest, err)) return false;
    cli_catch_interrupt();
    bool ok = training_open(&t->training, &t->spec, err);
    progress_end(&t->progress);
    if (ok && t->training.lora.rank) t->result.adapters = beside_target(t, ".lora.gguf");
    ok = ok && training_check(&t->training, &t->result, err) && sweep_target(t, err) &&
         (t->resume || checkpoint_clear(t->folder, err));
    if (!ok || !train_show_begin(&t->show, err) || !steps(t, err)) return false;
    const TrainProgress *p = &t->training.trainer.progress;
    bool is_done = p->step >= t->training.settings.steps;
    if (!train_show_end(&t->show, is_done, err)) return false;
    if (!is_done)
        return error_set(err, ERROR_CANCELLED, "stopped at step %lld; --resume goes on from there",
                         (long long)p->step);
    if (!training_write(&t->training, &t->result, err)) return false;
    if (t->result.adapters) printf("%-11s %s\n", "adapters", t->result.adapters);
    printf("%-11s %s; curves: %s/train.svg\n", "written", t->target, t->folder);
    return true;
}

static int run(int argc, char **argv) {
    TrainCommand *t = calloc(1, sizeof *t);
    Error err = {0};
    Positionals rest;
    int code;
    if (!t || !arena_init(&t->arena, ARENA_DEFAULT, &err)) return cli_fail(&command_train, &err);
    const Option own[] = {
        {"--output", 'o', OPTION_TEXT, &t->target, "FILE", "the model to write (GGUF)"},
        {"--config", 0, OPTION_TEXT, &t->config, "FILE", "settings as lines key = value"},
        {"--preset", 0, OPTION_TEXT, &t->preset, "NAME",
         "settings that are known: gpt2-124m, shakespeare-char, shakespeare-cpu"},
        {"--from", 0, OPTION_TEXT, &t->from, "MODEL", "go on from a model, with its vocabulary"},
        {"--pairs", 0, OPTION_FLAG, &t->pairs, NULL,
         "lines of instruction TAB answer: only answers are learned"},
        {"--validation", 0, OPTION_TEXTS, &t->validation, "FILE", "check on these texts"},
        {"--resume", 0, OPTION_FLAG, &t->resume, NULL, "go on from the run's newest checkpoint"},
        {"--run", 0, OPTION_TEXT, &t->folder, "FOLDER",
         "checkpoints, train.jsonl, train.svg (default: FILE with .train for .gguf)"},
        {"--force", 0, OPTION_FLAG, &t->force, NULL, "replace a model and a run that are there"},
        {"--type", 0, OPTION_TEXT, &t->type, "TYPE",
         "of the written weights: f32, f16, bf16, q8_0 ... (default f32; with --lora as they are)"},
        {"--prompt", 'p', OPTION_TEXT, &t->prompt, "TEXT",
         "how samples begin; for an encoder: a text with blanks (___)"},
        {"--tensorboard", 0, OPTION_TEXT, &t->tensorboard, "FOLDER", "write event files there"},
        {"--threads", 't', OPTION_INT, &t->threads, "N", "threads (default: the cores)", 1, 256},
        {0}};
    const Option *const tables[] = {own, settings_options(t), NULL};
    bool ok = false, is_parsed = cli_parse(&command_train, tables, argc, argv, &rest, &code);
    if (is_parsed) ok = train(t, &rest, &err);
    if (is_parsed) code = ok ? 0 : cli_fail(&command_train, &err);
    training_close(&t->training);
    arena_drop(&t->show.arena);
    if (t->pool) pool_close(t->pool);
    arena_drop(&t->arena);
    free(t);
    return code;
}

const Command command_train = {"train", "FILE... -o MODEL", "train a language model on texts", run};
