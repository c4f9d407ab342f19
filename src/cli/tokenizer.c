// tokenizer.c - heed tokenizer train: a vocabulary made from texts.
#include <string.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "export/export.h"
#include "text/vocab_train.h"

typedef struct Training {
    // options
    const char *target, *kind, *pattern;
    TextList special;
    int64_t n_tokens, least, threads;
    bool by_line, force, as_json;
    // made from them
    VocabRecipe recipe;
    Str specials[TEXTS_MAX + 1];
    VocabTrainer *trainer;
    Pool *pool;
    Arena arena;
    Progress progress;
    VocabPhase phase;
    int64_t bytes; // of all files, as far as they say it
    Vocab vocab;
    VocabReport report;
} Training;

static bool go_on(void *user, VocabPhase phase, int64_t done, int64_t total) {
    Training *t = user;
    if (phase != t->phase) {
        progress_end(&t->progress);
        t->progress = progress_begin("merging", "tokens", total);
        t->phase = phase;
    }
    progress_at(&t->progress, done, "");
    return cli_keep_going(NULL);
}

// ---------------------------------------------------------------- from options to a recipe
static bool read_kind(const char *name, VocabKind *kind, Error *err) {
    static const char *const names[] = {"bpe", "char", "byte"};
    for (int i = 0; i < 3; i++) {
        *kind = (VocabKind)i;
        if (strcmp(name, names[i]) == 0) return true;
    }
    return error_set(err, ERROR_USAGE, "--kind is bpe, char or byte, not '%s'", name);
}

static bool make_recipe(Training *t, Error *err) {
    VocabRecipe *r = &t->recipe;
    int n = 0;
    if (!read_kind(t->kind, &r->kind, err)) return false;
    if (r->kind == VOCAB_BPE && t->n_tokens == 0)
        return error_set(err, ERROR_USAGE, "say how many tokens there shall be with --vocab N");
    if (r->kind == VOCAB_BYTES && t->n_tokens != 0)
        return error_set(err, ERROR_USAGE, "--kind byte takes no --vocab: it has the 256 bytes");
    t->specials[n++] = STR("<|endoftext|>");
    for (int i = 0; i < t->special.n; i++) {
        Str text = str_from(t->special.text[i]);
        if (!str_equal(text, t->specials[0])) t->specials[n++] = text;
    }
    r->pre = str_from(strcmp(t->pattern, "gpt2") == 0 ? "gpt-2" : t->pattern);
    r->n_tokens = t->n_tokens;
    r->least = t->least;
    r->special = t->specials;
    r->n_special = n;
    r->by_line = t->by_line;
    r->go_on = go_on;
    r->user = t;
    return true;
}

static bool check_target(const Training *t, Error *err) {
    if (!t->target) return error_set(err, ERROR_USAGE, "say where to write it with -o TARGET");
    if (file_is_folder(t->target))
        return error_set(err, ERROR_USAGE, "%.300s is a folder: -o wants a file", t->target);
    if (t->force || strcmp(t->target, "-") == 0 || !file_exists(t->target)) return true;
    return error_set(err, ERROR_USAGE, "%.300s is there already; --force replaces it", t->target);
}

// ---------------------------------------------------------------- training
// The sum of the files' sizes, for the share in the progress line; also says early what is missing.
static bool measure_files(Training *t, const Positionals *rest, Error *err) {
    for (int i = 1; i < rest->n; i++) {
        FileView view;
        if (strcmp(rest->text[i], "-") == 0) continue;
        if (!file_view(&view, rest->text[i], true, err)) return false;
        t->bytes += (int64_t)view.n;
        file_release(&view);
    }
    return true;
}

static bool train(Training *t, const Positionals *rest, Error *err) {
    if (rest->n < 1 || strcmp(rest->text[0], "train") != 0)
        return error_set(err, ERROR_USAGE,
                         "what shall be done is train: heed tokenizer train FILE");
    if (!make_recipe(t, err) || !check_target(t, err)) return false;
    if (rest->n < 2 && t->recipe.kind != VOCAB_BYTES)
        return error_set(err, ERROR_USAGE, "give the FILEs to learn from");
    if (!arena_init(&t->arena, ARENA_DEFAULT, err) || !measure_files(t, rest, err)) return false;
    t->recipe.pool = t->pool = pool_open((int)t->threads, err);
    if (!t->pool) return false;
    t->trainer = vocab_trainer_open(t->recipe, err);
    if (!t->trainer) return false;
    cli_catch_interrupt();
    t->progress = progress_begin("counting words", "B", t->bytes);
    bool ok = true;
    for (int i = 1; i < rest->n && ok; i++) ok = vocab_trainer_file(t->trainer, rest->text[i], err);
    ok = ok && vocab_trainer_finish(t->trainer, &t->arena, &t->vocab, &t->report, err);
    progress_end(&t->progress);
    return ok && vocab_save(&t->vocab, t->target, err);
}

// ---------------------------------------------------------------- what was made
static void print_notes(const Training *t) {
    const VocabReport *r = &t->report;
    if (r->ill_formed)
        fprintf(stderr, "%lld parts of the text are not UTF-8: they were learnt as bytes\n",
                (long long)r->ill_formed);
    if (t->recipe.kind == VOCAB_BPE && t->vocab.n_tokens < t->n_tokens)
        fprintf(stderr,
                "the text has only %lld merges of pairs that stand %lld times or more: the "
                "vocabulary has %lld tokens, not %lld\n",
                (long long)t->vocab.n_merges, (long long)t->least, (long long)t->vocab.n_tokens,
                (long long)t->n_tokens);
    if (r->left_out)
        fprintf(stderr, "%lld characters found no place among %lld tokens: they become bytes\n",
                (long long)r->left_out, (long long)t->n_tokens);
}

static void print_person(const Training *t) {
    const VocabReport *r = &t->report;
    if (r->words)
        printf("%lld bytes of text, %lld distinct words\n", (long long)r->bytes,
               (long long)r->words);
    printf("%lld tokens: %d special, 256 bytes, %lld learnt\n", (long long)t->vocab.n_tokens,
           t->recipe.n_special, (long long)r->n_learnt);
}

static void print_json(Training *t) {
    const struct {
        const char *key;
        int64_t value;
    } number[] = {{"tokens", t->vocab.n_tokens},        {"special", t->recipe.n_special},
                  {"learnt", t->report.n_learnt},       {"merges", t->vocab.n_merges},
                  {"text_bytes", t->report.bytes},      {"words", t->report.words},
                  {"ill_formed", t->report.ill_formed}, {"left_out", t->report.left_out}};
    StrBuilder out = str_builder(&t->arena);
    JsonWriter w = json_writer(&out, 0);
    json_begin_object(&w);
    json_key(&w, "target");
    json_put_string(&w, str_from(t->target));
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        json_key(&w, number[i].key);
        json_put_integer(&w, number[i].value);
    }
    json_end_object(&w);
    printf("%s\n", str_built(&out).data);
}

static int run(int argc, char **argv) {
    Training t = {.kind = "bpe", .pattern = "gpt2", .least = 2};
    const Option own[] = {
        {"--output", 'o', OPTION_TEXT, &t.target, "TARGET",
         "where to write it: a tokenizer.json if it ends in .json, else a GGUF vocabulary"},
        {"--vocab", 0, OPTION_INT, &t.n_tokens, "N",
         "tokens in all, with the 256 bytes and the special ones (char: default all)", 1,
         VOCAB_TOKENS_MAX},
        {"--kind", 0, OPTION_TEXT, &t.kind, "KIND",
         "bpe (byte-level merges), char or byte (default bpe)"},
        {"--pattern", 0, OPTION_TEXT, &t.pattern, "NAME",
         "how text is cut into words: gpt2, llama3, qwen2, gpt-4o or another name that "
         "tokenizer.ggml.pre may have (default gpt2)"},
        {"--special", 0, OPTION_TEXTS, &t.special, "TEXT",
         "one more special token, besides <|endoftext|>; may be given several times"},
        {"--min-frequency", 0, OPTION_INT, &t.least, "N",
         "how often a pair, or a character, stands at least (default 2)", 1, 1e15},
        {"--by-line", 0, OPTION_FLAG, &t.by_line, NULL,
         "each line is a text of its own: no token spans a line end"},
        {"--force", 0, OPTION_FLAG, &t.force, NULL, "replace a target that is there"},
        {"--threads", 't', OPTION_INT, &t.threads, "N", "threads (default: the cores)", 1, 256},
        {"--json", 0, OPTION_FLAG, &t.as_json, NULL, "print JSON (docs/json.md)"},
        {0}};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_tokenizer, (const Option *const[]){own, NULL}, argc, argv, &rest,
                   &code))
        return code;
    bool ok = train(&t, &rest, &err);
    if (ok) print_notes(&t);
    if (ok && t.as_json)
        print_json(&t);
    else if (ok && strcmp(t.target, "-") != 0)
        print_person(&t);
    vocab_trainer_close(t.trainer);
    if (t.pool) pool_close(t.pool);
    arena_drop(&t.arena);
    return ok ? 0 : cli_fail(&command_tokenizer, &err);
}

const Command command_tokenizer = {"tokenizer", "train FILE... -o TARGET",
                                   "train a tokenizer: byte-level BPE, characters or bytes", run};
