// eval.c - heed eval: loss, perplexity and bits per byte of a text.
#include "base/file.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "look/evaluate.h"

enum { TEXT_BYTES_MAX = 1 << 30 };

typedef struct EvalCommand {
    Setup setup;
    bool as_json;
    Progress progress;
} EvalCommand;

static bool on_window(void *user, const Evaluation *so_far, int64_t n_done) {
    EvalCommand *c = user;
    char note[48];
    snprintf(note, sizeof note, "perplexity %.3f", evaluation_perplexity(so_far));
    progress_at(&c->progress, n_done, note);
    return cli_keep_going(NULL);
}

static void print_result(EvalCommand *c, const Evaluation *e) {
    if (!c->as_json) {
        printf("%lld tokens, %.4f nats a token, perplexity %.4f, %.4f bits per byte\n",
               (long long)e->n_tokens, evaluation_nats_per_token(e), evaluation_perplexity(e),
               evaluation_bits_per_byte(e));
        return;
    }
    StrBuilder out = str_builder(&c->setup.arena);
    JsonWriter w = json_writer(&out, 0);
    json_begin_object(&w);
    json_key(&w, "tokens");
    json_put_integer(&w, e->n_tokens);
    json_key(&w, "nats_per_token");
    json_put_number(&w, evaluation_nats_per_token(e));
    json_key(&w, "perplexity");
    json_put_number(&w, evaluation_perplexity(e));
    json_key(&w, "bits_per_byte");
    json_put_number(&w, evaluation_bits_per_byte(e));
    json_end_object(&w);
    printf("%s\n", str_built(&out).data);
}

static bool eval(EvalCommand *c, const Positionals *rest, Error *err) {
    Str text;
    Tokens tokens;
    Run run;
    if (rest->n != 2)
        return error_set(err, ERROR_USAGE, "give MODEL and FILE (- is standard input)");
    if (!setup_open(&c->setup, rest->text[0], err) ||
        !file_read(&c->setup.arena, rest->text[1], TEXT_BYTES_MAX, &text, err))
        return false;
    if (!c->setup.model->tokenizer)
        return error_set(err, ERROR_UNSUPPORTED, "%s has no tokenizer", rest->text[0]);
    if (!tokenizer_encode(c->setup.model->tokenizer, &c->setup.arena, text,
                          (EncodeOptions){.add_special = true}, &tokens, err))
        return error_wrap(err, "%s", rest->text[1]);
    if (!setup_pack(&c->setup, err) || !run_open(&run, c->setup.pool, err)) return false;
    if (c->setup.kernels) run.kernels = c->setup.kernels;
    run.exact = c->setup.exact;
    cli_catch_interrupt();
    c->progress = progress_begin("evaluating", "tokens", tokens.n);
    Evaluation result;
    EvaluateSpec spec = {tokens.token, tokens.n, on_window, c};
    bool ok = evaluate(&run, c->setup.model, &spec, &result, err);
    progress_end(&c->progress);
    run_close(&run);
    if (ok) print_result(c, &result);
    return ok;
}

static int run(int argc, char **argv) {
    EvalCommand c = {0};
    Option setup[SETUP_OPTIONS];
    const Option own[] = {{"--exact", 0, OPTION_FLAG, &c.setup.exact, NULL,
                           "f32 activations throughout, as reference implementations compute"},
                          {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "print JSON (docs/json.md)"},
                          {0}};
    const Option *const tables[] = {own, setup_model_options(&c.setup, setup), NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_eval, tables, argc, argv, &rest, &code)) return code;
    bool ok = eval(&c, &rest, &err);
    setup_close(&c.setup);
    return ok ? 0 : cli_fail(&command_eval, &err);
}

const Command command_eval = {"eval", "MODEL FILE",
                              "measure loss, perplexity and bits per byte of a text", run};
