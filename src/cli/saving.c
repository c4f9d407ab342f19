// saving.c - from options to a model that is written, and a table of what it consists of.
#include "cli/saving.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/term.h"
#include "cli/screen.h"
#include "model/weights.h"

const Option *saving_options(Saving *s, Option table[SAVING_OPTIONS]) {
    *s = (Saving){0};
    const Option options[SAVING_OPTIONS] = {
        {"--output", 'o', OPTION_TEXT, &s->target, "TARGET", "where to write it"},
        {"--type", 0, OPTION_TEXT, &s->type, "TYPE",
         "f32, f16, bf16, q8_0, q6_k, q5_k, q4_k, q4_0 (default: as they are)"},
        {"--lora", 0, OPTION_TEXT, &s->setup.lora, "FILE",
         "an adapter of the model, which becomes a part of its weights"},
        {"--force", 0, OPTION_FLAG, &s->force, NULL, "replace a target that is there"},
        {"--no-tokenizer", 0, OPTION_FLAG, &s->no_tokenizer, NULL, "leave the tokenizer out"},
        {"--threads", 't', OPTION_INT, &s->setup.threads, "N", "threads (default: the cores)", 1,
         256},
        {"--json", 0, OPTION_FLAG, &s->as_json, NULL, "print JSON (docs/json.md)"},
        {0}};
    memcpy(table, options, sizeof options);
    return table;
}

// ---------------------------------------------------------------- the target
static bool is_same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// "model.gguf/" and "model.gguf" name one file.
static const char *without_slash(Arena *arena, const char *path) {
    Str s = str_from(path);
    while (s.n > 1 && s.data[s.n - 1] == '/') s.n--;
    return str_c(arena, s);
}

// A file always does, a folder if anything of a model is in it.
static bool holds_model(Arena *arena, const char *path) {
    static const char *const files[] = {"config.json", "model.safetensors",
                                        "model.safetensors.index.json"};
    if (!file_is_folder(path)) return file_exists(path);
    for (int i = 0; i < 3; i++)
        if (file_exists(str_printf(arena, "%s/%s", path, files[i]).data)) return true;
    return false;
}

bool saving_check_target(Setup *setup, const char *path, bool force, Error *err) {
    const char *target = without_slash(&setup->arena, path);
    const TensorFile *file = setup->model->tensors;
    bool is_source = is_same_file(target, file->path.data);
    for (int i = 0; i < file->n_parts; i++)
        is_source = is_source || is_same_file(target, file->part[i].path.data);
    if (is_source) return error_set(err, ERROR_USAGE, "%.300s is the model itself", path);
    if (strcmp(target, "-") == 0)
        return error_set(err, ERROR_USAGE, "-o wants a file or a folder, not standard output");
    if (force || !holds_model(&setup->arena, target)) return true;
    return error_set(err, ERROR_USAGE, "%.300s is there already; --force replaces it", path);
}

static bool keep_going(void *user, int64_t done, int64_t total) {
    Saving *s = user;
    (void)total;
    progress_at(&s->progress, done, "");
    return cli_keep_going(NULL);
}

bool saving_open(Saving *s, const Positionals *rest, ExportOptions *options, Error *err) {
    if (rest->n != 1) return error_set(err, ERROR_USAGE, "give one MODEL");
    if (!s->target) return error_set(err, ERROR_USAGE, "say where to write it with -o TARGET");
    if (s->type && !dtype_from_name(s->type, &options->type))
        return error_set(err, ERROR_USAGE, "--type: no such type: '%s'", s->type);
    if (!setup_open(&s->setup, rest->text[0], err) ||
        !saving_check_target(&s->setup, s->target, s->force, err))
        return false;
    s->report.arena = &s->setup.arena;
    options->has_type = s->type != NULL;
    options->pool = s->setup.pool;
    options->without_tokenizer = s->no_tokenizer;
    options->go_on = keep_going;
    options->user = s;
    options->report = &s->report;
    return true;
}

// ---------------------------------------------------------------- what was written
typedef struct Group {
    const char *name;
    int64_t n, values, bytes;
    double error; // sum over the weights
} Group;

typedef struct Summary {
    Group type[DTYPE_LIMIT], all;
    Group *role; // (n_roles)
    int n_roles;
    int64_t n_requantised;
} Summary;

static void count(Group *group, const char *name, const ExportedWeight *w) {
    group->name = name;
    group->n++;
    group->values += w->count;
    group->bytes += w->bytes;
    group->error += w->error;
}

static Summary summarise(Saving *s) {
    const ExportReport *r = &s->report;
    Summary sum = {.role = arena_new(&s->setup.arena, Group, r->n)};
    for (int64_t i = 0; i < r->n; i++) {
        const ExportedWeight *w = &r->weight[i];
        int at = 0;
        while (at < sum.n_roles && strcmp(sum.role[at].name, w->role) != 0) at++;
        if (at == sum.n_roles) sum.n_roles++;
        count(&sum.role[at], w->role, w);
        count(&sum.type[w->to], dtype_name(w->to), w);
        count(&sum.all, "all", w);
        sum.n_requantised += dtype_is_quantized(w->from) && w->to != w->from;
    }
    return sum;
}

static double bits(const Group *g) {
    return g->values ? 8.0 * (double)g->bytes / (double)g->values : 0;
}

static double mean_error(const Group *g) {
    return g->n ? g->error / (double)g->n : 0;
}

// The numbers of tensors and values are left out where a terminal is too narrow.
enum { WIDE_COLUMNS = 72, NAME_COLUMNS = 18 };

static void print_group(const Group *g, bool is_wide) {
    printf("%-*s", is_wide ? NAME_COLUMNS + 6 : NAME_COLUMNS, g->name);
    if (is_wide) printf(" %8lld %14lld", (long long)g->n, (long long)g->values);
    printf("%7.1f MB %5.2f %4.2f%%\n", (double)g->bytes / 1e6, bits(g), 100 * mean_error(g));
}

static void print_heading(const char *what, bool is_wide) {
    printf("%-*s", is_wide ? NAME_COLUMNS + 6 : NAME_COLUMNS, what);
    if (is_wide) printf(" %8s %14s", "tensors", "values");
    printf("%10s %5s %5s\n", "size", "bits", "error");
}

static void print_person(Saving *s, const Summary *sum) {
    int columns = term_columns(STDOUT_FILENO, 100);
    bool is_wide = columns >= WIDE_COLUMNS;
    print_heading("type", is_wide);
    for (int i = 0; i < DTYPE_LIMIT; i++)
        if (sum->type[i].n) print_group(&sum->type[i], is_wide);
    print_group(&sum->all, is_wide);
    printf("\n");
    print_heading("weight", is_wide);
    for (int i = 0; i < sum->n_roles; i++) print_group(&sum->role[i], is_wide);
    StrBuilder words = str_builder(&s->setup.arena);
    screen_wrap(&words,
                STR("Bits: of a value.  Error: root mean square of the change against that of the "
                    "values, mean of the tensors."),
                0, 0, columns);
    printf("\n%.*s", STR_ARG(words));
    fflush(stdout);
    for (int64_t i = 0; i < s->report.n; i++) {
        const ExportedWeight *w = &s->report.weight[i];
        bool is_told = false; // once for each kind of weight and of change
        for (int64_t j = 0; j < i && !is_told; j++)
            is_told = s->report.weight[j].role == w->role && s->report.weight[j].to == w->to;
        if (w->to != w->wanted && !is_told)
            fprintf(stderr, "%s is written as %s: its rows do not fill blocks of %s\n", w->role,
                    dtype_name(w->to), dtype_name(w->wanted));
    }
    if (sum->n_requantised)
        fprintf(stderr, "%lld tensors were quantised before: their first error stays in them\n",
                (long long)sum->n_requantised);
    fwrite(s->report.notes.data, 1, s->report.notes.n, stderr);
}

static void put_group(JsonWriter *w, const Group *g) {
    json_begin_object(w);
    json_key(w, "name");
    json_put_string(w, str_from(g->name));
    json_key(w, "tensors");
    json_put_integer(w, g->n);
    json_key(w, "values");
    json_put_integer(w, g->values);
    json_key(w, "bytes");
    json_put_integer(w, g->bytes);
    json_key(w, "bits_per_weight");
    json_put_number(w, bits(g));
    json_key(w, "mean_relative_error");
    json_put_number(w, mean_error(g));
    json_end_object(w);
}

static void put_tensors(JsonWriter *w, const ExportReport *r) {
    json_key(w, "tensors");
    json_begin_array(w);
    for (int64_t i = 0; i < r->n; i++) {
        const ExportedWeight *t = &r->weight[i];
        json_begin_object(w);
        json_key(w, "name");
        json_put_string(w, t->name);
        json_key(w, "from");
        json_put_string(w, str_from(dtype_name(t->from)));
        json_key(w, "wanted");
        json_put_string(w, str_from(dtype_name(t->wanted)));
        json_key(w, "type");
        json_put_string(w, str_from(dtype_name(t->to)));
        json_key(w, "bytes");
        json_put_integer(w, t->bytes);
        json_key(w, "relative_error");
        json_put_number(w, t->error);
        json_end_object(w);
    }
    json_end_array(w);
}

static void print_json(Saving *s, const Summary *sum) {
    StrBuilder out = str_builder(&s->setup.arena);
    JsonWriter w = json_writer(&out, 2);
    json_begin_object(&w);
    json_key(&w, "target");
    json_put_string(&w, str_from(s->target));
    json_key(&w, "all");
    put_group(&w, &sum->all);
    json_key(&w, "types");
    json_begin_array(&w);
    for (int i = 0; i < DTYPE_LIMIT; i++)
        if (sum->type[i].n) put_group(&w, &sum->type[i]);
    json_end_array(&w);
    json_key(&w, "weights");
    json_begin_array(&w);
    for (int i = 0; i < sum->n_roles; i++) put_group(&w, &sum->role[i]);
    json_end_array(&w);
    put_tensors(&w, &s->report);
    json_end_object(&w);
    printf("%s\n", str_built(&out).data);
}

bool saving_write(Saving *s, bool is_folder, ExportOptions options, Error *err) {
    cli_catch_interrupt(); // what is half written is taken away
    const Model *m = s->setup.model;
    const char *target = without_slash(&s->setup.arena, s->target);
    bool was_there = file_exists(target);
    s->progress = progress_begin("writing", "values", weights_count(m).total);
    bool ok = is_folder ? model_save_hf(m, target, options, err)
                        : model_save_gguf(m, target, options, err);
    progress_end(&s->progress);
    if (!ok && is_folder && !was_there) rmdir(target); // it is empty, or stays
    if (!ok) return false;
    Summary sum = summarise(s);
    if (s->as_json)
        print_json(s, &sum);
    else
        print_person(s, &sum);
    return true;
}

void saving_close(Saving *s) {
    setup_close(&s->setup);
}
