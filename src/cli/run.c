// run.c - heed run: goes on with a text, sampled token by token or searched with beams.
#include <string.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "generate/beam_session.h"
#include "generate/generate.h"

typedef struct RunCommand {
    Setup setup;
    SamplingSetup sampling;
    const char *text, *file, *early_stopping;
    int64_t n_max, beams, n_best;
    double length_penalty;
    TextList stop;
    bool as_json, ignore_end, special;
    // made from them
    Session *session;
    const int32_t *ids; // of the prompt
    int64_t n_ids;
    StrBuilder out;
    JsonWriter json;
} RunCommand;

// ---------------------------------------------------------------- output
static void put_ids(JsonWriter *w, const int32_t *id, int64_t n) {
    json_key(w, "tokens");
    json_begin_array(w);
    for (int64_t i = 0; i < n; i++) json_put_integer(w, id[i]);
    json_end_array(w);
}

static void begin_json(RunCommand *r) {
    r->out = str_builder(&r->setup.arena);
    r->json = json_writer(&r->out, 0);
    json_begin_object(&r->json);
}

static void end_json(RunCommand *r) {
    json_end_object(&r->json);
    fwrite(r->out.data, 1, r->out.n, stdout);
    printf("\n");
}

static double rate(int64_t n, double seconds) {
    return seconds > 0 ? (double)n / seconds : 0;
}

// ---------------------------------------------------------------- sampling
static bool print_text(void *user, Str text) {
    (void)user;
    return screen_print(text) && cli_keep_going(NULL);
}

static void print_sampled(RunCommand *r, const Generated *g) {
    JsonWriter *w = &r->json;
    begin_json(r);
    json_key(w, "text");
    json_put_string(w, g->text);
    put_ids(w, g->token, g->n);
    json_key(w, "finish_reason");
    json_put_string(w, str_from(finish_reason_name(g->reason)));
    json_key(w, "prompt_tokens");
    json_put_integer(w, r->n_ids);
    json_key(w, "sampling");
    json_put_string(w, sampling_words(&r->sampling, &r->setup.arena));
    json_key(w, "timings");
    json_begin_object(w);
    json_key(w, "prompt_seconds");
    json_put_number(w, g->prompt_seconds);
    json_key(w, "generate_seconds");
    json_put_number(w, g->generate_seconds);
    json_key(w, "tokens_per_second");
    json_put_number(w, rate(g->n, g->generate_seconds));
    json_end_object(w);
    end_json(r);
}

static const char *end_words(const RunCommand *r, const Generated *g) {
    if (g->reason == FINISH_STOP)
        return r->stop.n ? "ended by the model or by --stop" : "ended by the model";
    if (g->reason == FINISH_CANCELLED) return "stopped";
    return g->n == r->n_max ? "cut at the limit" : "the context is full";
}

static void print_end(RunCommand *r, const Generated *g) {
    Str words = sampling_words(&r->sampling, &r->setup.arena);
    printf("\n");
    fflush(stdout);
    fprintf(stderr, "\n%lld token%s read at %.0f/s, %lld written at %.1f/s: %s\n%.*s\n",
            (long long)g->n_prompt_computed, g->n_prompt_computed == 1 ? "" : "s",
            rate(g->n_prompt_computed, g->prompt_seconds), (long long)g->n,
            rate(g->n, g->generate_seconds), end_words(r, g), STR_ARG(words));
}

static bool sample_text(RunCommand *r, Error *err) {
    Str stop[TEXTS_MAX];
    for (int i = 0; i < r->stop.n; i++) stop[i] = str_from(r->stop.text[i]);
    GenerateSpec spec = {.prompt = r->ids,
                         .n_prompt = r->n_ids,
                         .tokens_max = r->n_max,
                         .sampling = r->sampling.options,
                         .stop = stop,
                         .n_stop = r->stop.n,
                         .ignore_end = r->ignore_end,
                         .show_special = r->special,
                         .on_text = r->as_json ? NULL : print_text};
    Generated g;
    if (!generate(r->session, &r->setup.arena, &spec, &g, err)) return false;
    if (r->as_json)
        print_sampled(r, &g);
    else
        print_end(r, &g);
    return true;
}

// ---------------------------------------------------------------- beams
// The text of a beam, without the token that ended it.
static Str beam_words(RunCommand *r, const BeamText *beam) {
    const Model *m = r->setup.model;
    int64_t n = beam->has_ended ? beam->n - 1 : beam->n;
    return m->tokenizer
               ? tokenizer_decode(m->tokenizer, &r->setup.arena, beam->token, n, r->special)
               : STR("");
}

static void print_beams(RunCommand *r, const BeamResult *result) {
    JsonWriter *w = &r->json;
    if (r->as_json) {
        begin_json(r);
        json_key(w, "beams");
        json_begin_array(w);
    }
    for (int i = 0; i < result->n; i++) {
        const BeamText *beam = &result->text[i];
        Str text = beam_words(r, beam);
        if (!r->as_json) {
            printf("%s%d. score %.4f, log-probability %.4f, %lld tokens%s\n", i > 0 ? "\n" : "",
                   i + 1, beam->score, beam->log_prob, (long long)beam->n,
                   beam->has_ended ? "" : ", cut at the limit");
            if (!screen_print(text)) return;
            printf("\n");
            continue;
        }
        json_begin_object(w);
        json_key(w, "text");
        json_put_string(w, text);
        put_ids(w, beam->token, beam->n);
        json_key(w, "score");
        json_put_number(w, beam->score);
        json_key(w, "log_probability");
        json_put_number(w, beam->log_prob);
        json_key(w, "finish_reason");
        json_put_string(w, beam->has_ended ? STR("stop") : STR("length"));
        json_end_object(w);
    }
    if (!r->as_json) return;
    json_end_array(w);
    end_json(r);
}

static bool search_text(RunCommand *r, Error *err) {
    BeamOptions options = {.n_beams = (int)r->beams,
                           .n_best = (int)r->n_best,
                           .tokens_max = r->n_max < 0 ? r->session->context : r->n_max,
                           .length_penalty = r->length_penalty};
    BeamResult result;
    if (strcmp(r->early_stopping, "true") == 0)
        options.stop = BEAM_STOP_FULL;
    else if (strcmp(r->early_stopping, "never") == 0)
        options.stop = BEAM_STOP_NEVER;
    else if (strcmp(r->early_stopping, "false") == 0)
        options.stop = BEAM_STOP_LIKELY;
    else
        return error_set(err, ERROR_USAGE, "--early-stopping is true, false or never, not '%s'",
                         r->early_stopping);
    if (!session_beams(r->session, &r->setup.arena, r->ids, r->n_ids, options, &result, err))
        return false;
    print_beams(r, &result);
    return true;
}

// ---------------------------------------------------------------- command
static bool run_open_all(RunCommand *r, const Positionals *rest, Error *err) {
    Str text;
    if (rest->n != 1) return error_set(err, ERROR_USAGE, "give one MODEL");
    if (r->n_best > (r->beams ? r->beams : 1))
        return error_set(err, ERROR_USAGE, "--n-best %lld needs as many --beams",
                         (long long)r->n_best);
    return setup_open(&r->setup, rest->text[0], err) &&
           setup_prompt(&r->setup, r->text, r->file, &text, err) &&
           setup_tokens(&r->setup, text, r->special, &r->ids, &r->n_ids, err) &&
           sampling_finish(&r->sampling, &r->setup, err) &&
           (r->session = setup_session(&r->setup, NULL, err)) != NULL;
}

static int run(int argc, char **argv) {
    RunCommand r = {.n_max = -1, .n_best = 1, .length_penalty = 1, .early_stopping = "false"};
    Option setup[SETUP_OPTIONS], sampling[SAMPLING_OPTIONS];
    const Option own[] = {
        {"--prompt", 'p', OPTION_TEXT, &r.text, "TEXT",
         "the text to go on with (default: standard input)"},
        {"--file", 'f', OPTION_TEXT, &r.file, "FILE",
         "the same from a file, without its last newline; - is standard input"},
        {"--tokens", 'n', OPTION_INT, &r.n_max, "N",
         "tokens to write (default: up to the end of the context)", 0, 1 << 24},
        {"--stop", 0, OPTION_TEXTS, &r.stop, "TEXT", "end before this text; may be given again"},
        {"--ignore-eos", 0, OPTION_FLAG, &r.ignore_end, NULL, "go on past end-of-text tokens"},
        {"--special", 0, OPTION_FLAG, &r.special, NULL, "read and show control tokens as text"},
        {"--beams", 0, OPTION_INT, &r.beams, "N", "beam search with N beams, no sampling", 1,
         BEAMS_MAX},
        {"--n-best", 0, OPTION_INT, &r.n_best, "N", "show the N best beams (default 1)", 1,
         BEAMS_MAX},
        {"--length-penalty", 0, OPTION_NUMBER, &r.length_penalty, "A",
         "of beams: above 0 favours long texts (default 1)", -10, 10},
        {"--early-stopping", 0, OPTION_TEXT, &r.early_stopping, "WHEN",
         "of beams: true, false or never, as Hugging Face means them (default false)"},
        {"--json", 0, OPTION_FLAG, &r.as_json, NULL, "print JSON (docs/json.md)"},
        {0}};
    const Option *const tables[] = {own, sampling_options(&r.sampling, sampling),
                                    setup_options(&r.setup, setup), NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_run, tables, argc, argv, &rest, &code)) return code;
    bool ok =
        run_open_all(&r, &rest, &err) && (r.beams ? search_text(&r, &err) : sample_text(&r, &err));
    session_close(r.session);
    setup_close(&r.setup);
    return ok ? 0 : cli_fail(&command_run, &err);
}

const Command command_run = {"run", "MODEL -p TEXT", "go on with a text", run};
