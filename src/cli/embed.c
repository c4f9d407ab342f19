// embed.c - heed embed: the vector that an encoder makes of a text.
#include "cli/cli.h"
#include "look/encoder.h"

typedef struct EmbedCommand {
    Setup setup;
    bool as_json;
} EmbedCommand;

static void print_json(EmbedCommand *c, const float *vector, int64_t n_tokens) {
    const Model *m = c->setup.model;
    StrBuilder out = str_builder(&c->setup.arena);
    JsonWriter w = json_writer(&out, 0);
    json_begin_object(&w);
    json_key(&w, "tokens");
    json_put_integer(&w, n_tokens);
    json_key(&w, "pooling");
    json_put_string(&w, str_from(encoder_pooling(m)));
    json_key(&w, "normalized");
    json_put_bool(&w, m->normalizes);
    json_key(&w, "vector");
    json_begin_array(&w);
    for (int i = 0; i < m->config.width; i++) json_put_number(&w, (double)vector[i]);
    json_end_array(&w);
    json_end_object(&w);
    printf("%s\n", str_built(&out).data);
}

static bool embed(EmbedCommand *c, const Positionals *rest, Error *err) {
    EncoderText text = {0};
    Run run;
    Setup *s = &c->setup;
    if (rest->n != 2) return error_set(err, ERROR_USAGE, "give MODEL and TEXT");
    if (!setup_open(s, rest->text[0], err) ||
        !setup_tokens(s, str_from(rest->text[1]), false, &text.ids, &text.n, err) ||
        !setup_pack(s, err) || !run_open(&run, s->pool, err))
        return false;
    if (s->kernels) run.kernels = s->kernels;
    run.exact = s->exact;
    float *vector = arena_new(&s->arena, float, s->model->config.width);
    bool ok = encoder_embed(&run, s->model, text, vector, err);
    run_close(&run);
    if (ok && c->as_json) print_json(c, vector, text.n);
    for (int i = 0; ok && !c->as_json && i < s->model->config.width; i++)
        printf("%.7g%s", (double)vector[i], i + 1 < s->model->config.width ? " " : "\n");
    return ok;
}

static int run(int argc, char **argv) {
    EmbedCommand c = {0};
    Option setup[SETUP_OPTIONS];
    const Option *model_options = setup_model_options(&c.setup, setup);
    const Option own[] = {{"--exact", 0, OPTION_FLAG, &c.setup.exact, NULL,
                           "f32 activations throughout, as reference implementations compute"},
                          {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "print JSON (docs/json.md)"},
                          {0}};
    const Option *const tables[] = {own, model_options, NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_embed, tables, argc, argv, &rest, &code)) return code;
    bool ok = embed(&c, &rest, &err);
    setup_close(&c.setup);
    return ok ? 0 : cli_fail(&command_embed, &err);
}

const Command command_embed = {"embed", "MODEL TEXT",
                               "print the vector that an encoder (BERT) makes of a text", run};
