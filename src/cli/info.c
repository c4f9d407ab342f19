// info.c - heed info: what a model is, where its parameters are, what a token of context costs.
#include <unistd.h>

#include "base/term.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "model/weights.h"
#include "train/edit.h"

typedef struct Info {
    const Model *model;
    WeightCount all;
    DType cache;
    const EditRecord *edit; // (n_edits) of facts, that the file tells of
    int64_t n_edits;
} Info;

// "134.5 M", "1.24 B": three digits and a unit.
static const char *short_count(char out[32], double n) {
    static const char *const unit[] = {"", " K", " M", " B", " T"};
    int i = 0;
    for (; n >= 1000 && i < 4; i++) n /= 1000;
    snprintf(out, 32, "%.*f%s", i == 0 || n >= 100 ? 0 : n >= 10 ? 1 : 2, n, unit[i]);
    return out;
}

// ---------------------------------------------------------------- for a person
enum { LABEL_COLUMNS = 15 };

static void print_fact(const char *label, Str words, Arena *arena) {
    StrBuilder out = str_builder(arena);
    str_add_format(&out, "%-*s", LABEL_COLUMNS, label);
    screen_wrap(&out, words, LABEL_COLUMNS, LABEL_COLUMNS, term_columns(STDOUT_FILENO, 100));
    printf("%.*s", STR_ARG(out));
}

static void print_place(const char *name, int64_t n, int64_t total, int64_t of_layer) {
    char all[32], layer[32];
    printf("%-*s%8s %6.1f%% %8s\n", LABEL_COLUMNS, name, short_count(all, (double)n),
           total ? 100.0 * (double)n / (double)total : 0,
           of_layer ? short_count(layer, (double)of_layer) : "-");
}

static void print_parameters(const Info *info) {
    static const char *const words[PLACE_COUNT] = {"embedding", "attention", "recurrent",
                                                   "feed-forward", "norm, position"};
    WeightCount layer = weights_count_layer(info->model, 0);
    char total[32];
    printf("\n%-*s%8s %7s %8s\n", LABEL_COLUMNS, "parameters", "all", "share", "a layer");
    for (int i = 0; i < PLACE_COUNT; i++)
        if (info->all.place[i])
            print_place(words[i], info->all.place[i], info->all.total, layer.place[i]);
    printf("%-*s%8s  %lld\n", LABEL_COLUMNS, "total", short_count(total, (double)info->all.total),
           (long long)info->all.total);
}

static void print_cache(const Info *info, Arena *arena) {
    const Config *c = &info->model->config;
    static const DType types[] = {DTYPE_F32, DTYPE_F16, DTYPE_Q8_0};
    char context[32];
    snprintf(context, sizeof context, "all %lld", (long long)c->context);
    printf("\n%-*s%8s %11s\n", LABEL_COLUMNS, "context in", "a token", context);
    for (int i = 0; i < 3; i++) {
        if (!kv_type_fits(types[i], c->head_width)) continue;
        double bytes = (double)state_bytes_per_position(info->model, types[i]);
        char name[LABEL_COLUMNS];
        snprintf(name, sizeof name, "%s%s", dtype_name(types[i]),
                 types[i] == info->cache ? " (used)" : "");
        printf("%-*s%6.0f B %8.1f MB\n", LABEL_COLUMNS, name, bytes,
               bytes * (double)c->context / 1e6);
    }
    int layers = config_attention_layers(c);
    print_fact("a token is",
               str_printf(arena,
                          "key and value, %d layer%s, %d head%s, %d wide: 2 x %d x %d x %d numbers",
                          layers, layers == 1 ? "" : "s", c->kv_heads, c->kv_heads == 1 ? "" : "s",
                          c->head_width, layers, c->kv_heads, c->head_width),
               arena);
}

static void print_carried(const Info *info, Arena *arena) {
    const Config *c = &info->model->config;
    double bytes = (double)state_bytes_carried(info->model);
    if (config_attention_layers(c) == 0) putchar('\n');
    print_fact(
        "carried on",
        str_printf(arena, "%.0f numbers, %.1f KB for a text of any length", bytes / 4, bytes / 1e3),
        arena);
}

// The mixers in the order of the layers, as long as they do not repeat.
static Str mixer_facts(const Config *c, Arena *arena) {
    StrBuilder b = str_builder(arena);
    for (int i = 0; i < c->n_mixers && i < c->layers; i++)
        str_add_format(&b, "%s%s", i ? ", " : "", mixer_words[c->mixer[i]]);
    if (c->n_mixers > 1 && c->n_mixers < c->layers) str_add_c(&b, ", and again");
    return str_built(&b);
}

static Str attention_facts(const Config *c, Arena *arena) {
    StrBuilder b = str_builder(arena);
    str_add_format(&b, "%d heads, %d wide", c->heads, c->head_width);
    if (c->kv_heads != c->heads)
        str_add_format(&b, "; each key and value serves %d", c->heads / c->kv_heads);
    if (c->window) str_add_format(&b, "; a window of %lld tokens", (long long)c->window);
    if (c->kept) str_add_format(&b, " and the first %lld", (long long)c->kept);
    if (c->window && c->window_pattern > 1)
        str_add_format(&b, " in %d of %d layers", c->window_pattern - 1, c->window_pattern);
    return str_built(&b);
}

static void print_edits(const Info *info, Arena *arena) {
    for (int64_t i = 0; i < info->n_edits; i++) {
        const EditRecord *e = &info->edit[i];
        print_fact(i ? "" : "edited",
                   str_printf(arena, "layer %d: \"%.*s\" goes on with \"%.*s\"", e->layer,
                              STR_ARG(screen_visible(arena, e->prompt)),
                              STR_ARG(screen_visible(arena, e->answer))),
                   arena);
    }
}

static void print_person(const Info *info, Arena *arena) {
    const Model *m = info->model;
    const Config *c = &m->config;
    char count[32];
    print_fact("name", screen_visible(arena, m->name), arena);
    print_fact("architecture",
               str_printf(arena, "%s, from a %s", m->arch->name,
                          m->is_hf ? "Hugging Face folder" : "GGUF file"),
               arena);
    print_fact("size",
               str_printf(arena, "%s parameters in %.1f MB",
                          short_count(count, (double)info->all.total),
                          (double)info->all.bytes / 1e6),
               arena);
    if (info->all.in_panels)
        print_fact("layout", STR("native: matrices in panels, for heed alone (docs/native.md)"),
                   arena);
    Str feed_forward = c->ffn_width ? str_printf(arena, "feed-forward %d wide", c->ffn_width)
                                    : STR("no feed-forward");
    if (c->experts)
        feed_forward = str_printf(arena, "%d experts %d wide, of which %d digest a token%s",
                                  c->experts, c->expert_width, c->experts_used,
                                  c->shared_width ? ", and one that always does" : "");
    print_fact(
        "shape",
        str_printf(arena, "%d layers, %d wide, %.*s", c->layers, c->width, STR_ARG(feed_forward)),
        arena);
    if (c->n_mixers) print_fact("mixers", mixer_facts(c, arena), arena);
    if (config_attention_layers(c)) print_fact("attention", attention_facts(c, arena), arena);
    print_fact("vocabulary", str_printf(arena, "%lld tokens", (long long)c->vocab), arena);
    print_fact("context", str_printf(arena, "%lld tokens", (long long)c->context), arena);
    print_edits(info, arena);
    print_parameters(info);
    bool only_embeds = c->is_encoder && !m->token_head.dense.data;
    if (only_embeds) print_fact("", STR("no head: it only embeds"), arena);
    if (c->is_encoder) print_fact("", STR("an encoder: it remembers nothing of a text"), arena);
    if (m->is_tied && !only_embeds)
        print_fact("", STR("the head is the embedding again, counted once"), arena);
    if (config_attention_layers(c) && !c->is_encoder) print_cache(info, arena);
    if (state_bytes_carried(m)) print_carried(info, arena);
}

// ---------------------------------------------------------------- for a program
static void put_edits(const Info *info, JsonWriter *w) {
    if (info->n_edits == 0) return;
    json_key(w, "edits");
    json_begin_array(w);
    for (int64_t i = 0; i < info->n_edits; i++) {
        const EditRecord *e = &info->edit[i];
        json_begin_object(w);
        json_key(w, "layer");
        json_put_integer(w, e->layer);
        json_key(w, "prompt");
        json_put_string(w, e->prompt);
        json_key(w, "subject");
        json_put_string(w, e->subject);
        json_key(w, "answer");
        json_put_string(w, e->answer);
        json_end_object(w);
    }
    json_end_array(w);
}

static void print_json(const Info *info, Arena *arena) {
    StrBuilder out = str_builder(arena);
    JsonWriter w = json_writer(&out, 2);
    const Config *c = &info->model->config;
    json_begin_object(&w);
    json_key(&w, "architecture");
    json_put_string(&w, str_from(info->model->arch->name));
    json_key(&w, "name");
    json_put_string(&w, info->model->name);
    json_key(&w, "parameters");
    json_begin_object(&w);
    json_key(&w, "total");
    json_put_integer(&w, info->all.total);
    for (int i = 0; i < PLACE_COUNT; i++) {
        json_key(&w, place_name((Place)i));
        json_put_integer(&w, info->all.place[i]);
    }
    json_end_object(&w);
    json_key(&w, "layers");
    json_put_integer(&w, c->layers);
    json_key(&w, "width");
    json_put_integer(&w, c->width);
    if (c->experts) {
        json_key(&w, "experts");
        json_put_integer(&w, c->experts);
        json_key(&w, "experts_used");
        json_put_integer(&w, c->experts_used);
    }
    json_key(&w, "heads");
    json_put_integer(&w, c->heads);
    json_key(&w, "vocabulary");
    json_put_integer(&w, c->vocab);
    json_key(&w, "kv_bytes_per_token");
    json_put_integer(&w, (int64_t)state_bytes_per_position(info->model, info->cache));
    json_key(&w, "carried_bytes");
    json_put_integer(&w, (int64_t)state_bytes_carried(info->model));
    json_key(&w, "context_length");
    json_put_integer(&w, c->context);
    put_edits(info, &w);
    json_end_object(&w);
    printf("%s\n", str_built(&out).data);
}

static int run(int argc, char **argv) {
    Setup setup;
    Positionals rest;
    Error err = {0};
    int code;
    bool as_json = false;
    const char *cache = "f16";
    setup_options(&setup, (Option[SETUP_OPTIONS]){{0}});
    const Option own[] = {{"--cache", 0, OPTION_TEXT, &cache, "TYPE",
                           "type of remembered keys and values: f16 (default), f32, q8_0"},
                          {"--json", 0, OPTION_FLAG, &as_json, NULL, "print JSON (docs/json.md)"},
                          {0}};
    if (!cli_parse(&command_info, (const Option *const[]){own, NULL}, argc, argv, &rest, &code))
        return code;
    Info info = {0};
    if (rest.n != 1)
        error_set(&err, ERROR_USAGE, "give one MODEL");
    else if (setup_cache_type(cache, &info.cache, &err) && setup_open(&setup, rest.text[0], &err)) {
        info.model = setup.model;
        info.all = weights_count(setup.model);
        if (!state_type_fits(setup.model, info.cache))
            error_set(&err, ERROR_USAGE, "--cache %s does not fit heads of width %d", cache,
                      setup.model->config.head_width);
        else if (edit_records_read(setup.model, &setup.arena, &info.edit, &info.n_edits, &err) &&
                 as_json)
            print_json(&info, &setup.arena);
        else if (!err.kind)
            print_person(&info, &setup.arena);
    }
    setup_close(&setup);
    return err.kind ? cli_fail(&command_info, &err) : 0;
}

const Command command_info = {"info", "MODEL", "show what a model is and where its parameters are",
                              run};
