// world.c - heed world: writes the mini-world, its labels and its probes, and proves them.
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/world.h"
#include "world/edits.h"

typedef struct WorldCommand {
    // options
    const char *target, *labels, *probes, *split, *language, *genre, *bytes, *tokens;
    int64_t seed, items;
    bool check, as_json, honest;
    // made from them
    WorldSpec spec;
    int64_t bytes_max, tokens_max; // 0: no limit
    World *world;
    Progress progress;
    Arena arena;
} WorldCommand;

static const char *const split_names[] = {"train", "valid", "probe"};

// ---------------------------------------------------------------- what is asked for
// "5000", "5k", "2.5M", "1G": at least 1.
static bool read_size(const char *option, const char *text, int64_t *size, Error *err) {
    Str s = str_from(text);
    double unit = 1, number;
    if (s.n > 1 && strchr("kKmMgG", s.data[s.n - 1])) {
        char letter = s.data[--s.n] | 32;
        unit = letter == 'k' ? 1e3 : letter == 'm' ? 1e6 : 1e9;
    }
    if (!str_number(s, &number) || !(number * unit >= 1) || !(number * unit <= 1e15))
        return error_set(err, ERROR_USAGE,
                         "%s: '%s' is no size: give a number from 1 on, perhaps with k, M or G",
                         option, text);
    *size = (int64_t)(number * unit);
    return true;
}

static bool read_spec(WorldCommand *c, Error *err) {
    c->spec = world_default();
    c->spec.seed = (uint64_t)c->seed;
    c->spec.is_honest = c->honest;
    int split = 0;
    while (split < 3 && strcmp(c->split, split_names[split]) != 0) split++;
    if (split == 3)
        return error_set(err, ERROR_USAGE, "--split: train, valid or probe, not '%s'", c->split);
    c->spec.split = (Split)split;
    c->spec.language[ZH] = strcmp(c->language, "en") != 0;
    c->spec.language[EN] = strcmp(c->language, "zh") != 0;
    if (c->spec.language[ZH] && c->spec.language[EN] && strcmp(c->language, "both") != 0)
        return error_set(err, ERROR_USAGE, "--language: zh, en or both, not '%s'", c->language);
    return (!c->genre || world_set_genres(&c->spec, str_from(c->genre), err)) &&
           world_check_spec(&c->spec, err);
}

static bool read_options(WorldCommand *c, const Positionals *rest, Error *err) {
    if (rest->n > 0)
        return error_set(err, ERROR_USAGE, "what is '%.200s'? The target is named with -o FILE",
                         rest->text[0]);
    if (c->check && (c->probes || c->labels))
        return error_set(err, ERROR_USAGE, "--check writes no files: leave --probes and --labels");
    if (c->probes && c->labels)
        return error_set(err, ERROR_USAGE, "--labels tells of the corpus: not with --probes");
    bool is_part = c->genre || strcmp(c->split, "train") != 0 || strcmp(c->language, "both") != 0;
    if (is_part && (c->check || c->probes))
        return error_set(err, ERROR_USAGE,
                         "--probes and --check take the whole world: leave --split, --language "
                         "and --genre");
    if (c->as_json && !c->check)
        return error_set(err, ERROR_USAGE, "--json is for --check: labels are JSON already");
    if (c->check && c->tokens)
        return error_set(err, ERROR_USAGE, "--check takes its size in --bytes");
    if (c->bytes && c->tokens)
        return error_set(err, ERROR_USAGE, "give --bytes or --tokens, not both");
    if (c->tokens && !read_size("--tokens", c->tokens, &c->tokens_max, err)) return false;
    return (c->tokens || read_size("--bytes", c->bytes ? c->bytes : "5M", &c->bytes_max, err)) &&
           read_spec(c, err) && arena_init(&c->arena, ARENA_DEFAULT, err);
}

// ---------------------------------------------------------------- the corpus
static void write_document(WorldCommand *c, const Record *r, FileWriter *text, FileWriter *labels) {
    file_write(text, r->text, (size_t)r->n);
    file_write(text, "\n\n", 2);
    if (!labels) return;
    ArenaMark mark = arena_mark(&c->arena);
    StrBuilder out = str_builder(&c->arena);
    JsonWriter w = json_writer(&out, 0);
    record_json(r, &w);
    str_add_byte(&out, '\n');
    file_write(labels, out.data, out.n);
    arena_back(&c->arena, mark);
}

// An empty line ends a document.  The last one is whole: a size is passed by less than one.
static bool write_corpus(WorldCommand *c, Error *err) {
    FileWriter *text = file_create(c->target, err), *labels = NULL;
    if (!text) return false;
    if (c->labels && !(labels = file_create(c->labels, err))) {
        file_discard(text);
        return false;
    }
    int64_t bytes = 0, tokens = 0, total = c->tokens_max ? c->tokens_max : c->bytes_max;
    c->progress = progress_begin("writing", c->tokens_max ? "tokens" : "B", total);
    cli_catch_interrupt();
    for (int64_t i = 0; cli_keep_going(NULL); i++) {
        if (c->tokens_max ? tokens >= total : bytes >= total) break;
        const Record *r = world_document(c->world, i);
        write_document(c, r, text, labels);
        bytes += r->n + 2;
        if (c->tokens_max) tokens += text_units(r, 0);
        progress_at(&c->progress, c->tokens_max ? tokens : bytes, "");
    }
    progress_end(&c->progress);
    if (!cli_keep_going(NULL)) {
        file_discard(text);
        file_discard(labels);
        return error_set(err, ERROR_CANCELLED, "interrupted");
    }
    bool ok = file_commit(text, err);
    if (!ok) file_discard(labels);
    return ok && (!labels || file_commit(labels, err));
}

// ---------------------------------------------------------------- probes
static void write_probe(WorldCommand *c, const ProbeItem *probe, FileWriter *file) {
    StrBuilder out = str_builder(&c->arena);
    JsonWriter w = json_writer(&out, 0);
    probe_json(probe, &w);
    str_add_byte(&out, '\n');
    file_write(file, out.data, out.n);
}

// `items` for each grade; of a mirrored phenomenon half of them are mirrors.
static void write_phenomenon(WorldCommand *c, const Phenomenon *p, FileWriter *file) {
    int sides = p->is_mirrored ? 2 : 1;
    for (int i = 0; i < phenomenon_grades(p); i++)
        for (int64_t k = 0; k < c->items; k++) {
            ArenaMark mark = arena_mark(&c->arena);
            ProbeItem probe = probe_make(&c->arena, c->world, p, i, k / sides, k % sides);
            write_probe(c, &probe, file);
            arena_back(&c->arena, mark);
        }
}

// Facts to be changed, behind the last phenomenon.
static void write_edits(WorldCommand *c, FileWriter *file) {
    for (int i = 0; i < EDITS; i++)
        for (int language = 0; language < LANGUAGES; language++) {
            ArenaMark mark = arena_mark(&c->arena);
            Str line = edit_json(&c->arena, c->world, i, (Language)language);
            file_write(file, line.data, line.n);
            file_write(file, "\n", 1);
            arena_back(&c->arena, mark);
        }
}

static bool write_probes(WorldCommand *c, Error *err) {
    Str path = str_from(c->probes);
    bool is_file = str_equal(path, STR("-")) || str_ends(path, STR(".jsonl"));
    if (!is_file && !file_make_folder(c->probes, err)) return false;
    FileWriter *file = NULL;
    for (int i = 0; i <= PHENOMENA; i++) {
        const char *set = i < PHENOMENA ? phenomena[i].name : "edit";
        Str name = is_file ? path : str_printf(&c->arena, "%s/%s.jsonl", c->probes, set);
        if (!file && !(file = file_create(name.data, err))) return false;
        if (i < PHENOMENA)
            write_phenomenon(c, &phenomena[i], file);
        else
            write_edits(c, file);
        if (is_file && i < PHENOMENA) continue;
        if (!file_commit(file, err)) return false;
        file = NULL;
    }
    return true;
}

// ---------------------------------------------------------------- the proof
static bool go_on(void *user, int64_t done, int64_t total) {
    WorldCommand *c = user;
    if (!c->progress.what) c->progress = progress_begin("checking", "B", total);
    progress_at(&c->progress, done, "");
    return cli_keep_going(NULL);
}

static bool check_world(WorldCommand *c, Error *err) {
    char why[256];
    WorldCheck *check = arena_new(&c->arena, WorldCheck, 1);
    WorldCheckSpec spec = {c->bytes_max, c->items, go_on, c};
    cli_catch_interrupt();
    bool ok = world_check(&c->arena, c->world, &spec, check, err);
    if (c->progress.what) progress_end(&c->progress);
    if (!ok) return false;
    if (c->as_json) {
        StrBuilder out = str_builder(&c->arena);
        JsonWriter w = json_writer(&out, 0);
        world_check_json(check, &w);
        printf("%s\n", str_built(&out).data);
    } else {
        world_check_print(check);
    }
    return world_check_passes(check, why) ||
           error_set(err, ERROR_FORMAT, "the world is not sound: %s", why);
}

// ---------------------------------------------------------------- the command
static bool act(WorldCommand *c, Error *err) {
    c->world = world_make(&c->arena, c->spec);
    if (c->check) return check_world(c, err);
    if (c->probes) return write_probes(c, err);
    return write_corpus(c, err);
}

static int run(int argc, char **argv) {
    WorldCommand c = {.target = "-", .seed = 1, .items = 200, .split = "train", .language = "both"};
    const Option own[] = {
        {"--output", 'o', OPTION_TEXT, &c.target, "FILE",
         "where to write the text; - is standard output (default)"},
        {"--bytes", 0, OPTION_TEXT, &c.bytes, "N", "how much text, 5M or 2G say (default 5M)"},
        {"--tokens", 0, OPTION_TEXT, &c.tokens, "N",
         "the same in words, Chinese characters and marks"},
        {"--seed", 0, OPTION_INT, &c.seed, "N", "the same seed gives the same bytes (default 1)", 0,
         1e18},
        {"--split", 0, OPTION_TEXT, &c.split, "NAME",
         "train, valid or probe: what is held out of training (default train)"},
        {"--language", 0, OPTION_TEXT, &c.language, "NAME", "zh, en or both (default both)"},
        {"--genre", 0, OPTION_TEXT, &c.genre, "LIST",
         "these kinds of text only, with shares if you like: story=3,recall=1"},
        {"--honest", 0, OPTION_FLAG, &c.honest, NULL,
         "a twin of this world that also asks about strangers, and says that nobody knows"},
        {"--labels", 0, OPTION_TEXT, &c.labels, "FILE",
         "the labelled documents as well, one JSON object a line (docs/world.md)"},
        {"--probes", 0, OPTION_TEXT, &c.probes, "PATH",
         "write the probe sets instead: one FILE.jsonl, or a folder with a file for each"},
        {"--items", 0, OPTION_INT, &c.items, "N", "probes of each kind and grade (default 200)", 1,
         1e6},
        {"--check", 0, OPTION_FLAG, &c.check, NULL,
         "write nothing and prove the world: labels, leaks, balance, variety"},
        {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "print the proof as JSON (docs/json.md)"},
        {0}};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_world, (const Option *const[]){own, NULL}, argc, argv, &rest, &code))
        return code;
    bool ok = read_options(&c, &rest, &err) && act(&c, &err);
    arena_drop(&c.arena);
    return ok ? 0 : cli_fail(&command_world, &err);
}

const Command command_world = {
    "world", "", "write the mini-world: a bilingual corpus whose truth is known", run};
