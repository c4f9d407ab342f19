// info.c - heed info: what a model is, where its parameters are, what a token of context costs.
#include "cli/cli.h"
#include "model/weights.h"

typedef struct Info {
    const Model *model;
    WeightCount all;
    DType cache;
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
static void print_place(const char *name, int64_t n, int64_t total, int64_t of_layer) {
    char all[32], layer[32];
    printf("  %-18s %10s   %5.1f %%   %12s\n", name, short_count(all, (double)n),
           total ? 100.0 * (double)n / (double)total : 0,
           of_layer ? short_count(layer, (double)of_layer) : "-");
}

static void print_parameters(const Info *info) {
    static const char *const words[PLACE_COUNT] = {"embedding", "attention", "feed-forward",
                                                   "norm, position"};
    WeightCount layer = weights_count_layer(info->model, 0);
    char total[32];
    printf("\n  %-18s %10s   %7s   %12s\n", "parameters", "all", "share", "of one layer");
    for (int i = 0; i < PLACE_COUNT; i++)
        print_place(words[i], info->all.place[i], info->all.total, layer.place[i]);
    printf("  %-18s %10s   (%lld)\n", "total", short_count(total, (double)info->all.total),
           (long long)info->all.total);
    if (info->model->is_tied) printf("  The head is the embedding used again; it counts once.\n");
}

static void print_cache(const Info *info) {
    const Config *c = &info->model->config;
    static const DType types[] = {DTYPE_F32, DTYPE_F16, DTYPE_Q8_0};
    printf("\n  memory of a token  2 (key, value) x %d layers x %d heads x %d wide x bytes of a "
           "number\n",
           c->layers, c->kv_heads, c->head_width);
    for (int i = 0; i < 3; i++) {
        if (!kv_type_fits(types[i], c->head_width)) continue;
        double bytes = (double)state_bytes_per_position(info->model, types[i]);
        printf("  %-18s %8.0f bytes,  %.1f MB for the whole context of %lld%s\n",
               dtype_name(types[i]), bytes, bytes * (double)c->context / 1e6, (long long)c->context,
               types[i] == info->cache ? "  (used)" : "");
    }
}

static void print_person(const Info *info, Arena *arena) {
    const Model *m = info->model;
    const Config *c = &m->config;
    char count[32];
    printf("%.*s\n\n", STR_ARG(cli_visible(arena, m->name)));
    printf("  architecture       %s, from a %s\n", m->arch->name,
           m->is_hf ? "Hugging Face folder" : "GGUF file");
    printf("  size               %s parameters in %.1f MB\n",
           short_count(count, (double)info->all.total), (double)info->all.bytes / 1e6);
    printf("  shape              %d layers, %d wide, feed-forward %d\n", c->layers, c->width,
           c->ffn_width);
    printf("  attention          %d heads of width %d", c->heads, c->head_width);
    if (c->kv_heads != c->heads) printf(", keys and values shared by %d", c->heads / c->kv_heads);
    if (c->window) printf(", window of %lld", (long long)c->window);
    if (c->window && c->window_pattern) printf(" but in every %dth layer", c->window_pattern);
    printf("\n  vocabulary         %lld tokens\n", (long long)c->vocab);
    printf("  context            %lld tokens\n", (long long)c->context);
    print_parameters(info);
    print_cache(info);
}

// ---------------------------------------------------------------- for a program
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
    json_key(&w, "heads");
    json_put_integer(&w, c->heads);
    json_key(&w, "vocabulary");
    json_put_integer(&w, c->vocab);
    json_key(&w, "kv_bytes_per_token");
    json_put_integer(&w, (int64_t)state_bytes_per_position(info->model, info->cache));
    json_key(&w, "context_length");
    json_put_integer(&w, c->context);
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
                          {"--json", 0, OPTION_FLAG, &as_json, NULL, "for programs"},
                          {0}};
    if (!cli_parse(&command_info, (const Option *const[]){own, NULL}, argc, argv, &rest, &code))
        return code;
    Info info = {0};
    if (rest.n != 1)
        error_set(&err, ERROR_USAGE, "give one MODEL");
    else if (!dtype_from_name(cache, &info.cache))
        error_set(&err, ERROR_USAGE, "--cache: no such type: %s", cache);
    else if (setup_open(&setup, rest.text[0], &err)) {
        info.model = setup.model;
        info.all = weights_count(setup.model);
        if (!kv_type_fits(info.cache, setup.model->config.head_width))
            error_set(&err, ERROR_USAGE, "--cache %s does not fit heads of width %d", cache,
                      setup.model->config.head_width);
        else if (as_json)
            print_json(&info, &setup.arena);
        else
            print_person(&info, &setup.arena);
    }
    setup_close(&setup);
    return err.kind ? cli_fail(&command_info, &err) : 0;
}

const Command command_info = {"info", "MODEL",
                              "what it is, where the parameters are, what a token costs", run};
