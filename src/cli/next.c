// next.c - heed next: the whole distribution of the next token, before and after each sampling
// stage.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/term.h"
#include "cli/cli.h"
#include "generate/softmax.h"

typedef struct NextCommand {
    Setup setup;
    SamplingSetup sampling;
    const char *text, *file;
    int64_t top;
    bool as_json, special;
    // made from them
    Session *session;
    const int32_t *ids; // of the prompt
    int64_t n_ids;
    SamplerReport report;
    double entropy_bits; // of the model's own distribution
} NextCommand;

static double entropy(const float *logits, int64_t n, Arena *arena) {
    ArenaMark mark = arena_mark(arena);
    double *p = arena_push(arena, sizeof *p * (size_t)n), bits = 0;
    softmax_f64(logits, n, p);
    for (int64_t i = 0; i < n; i++)
        if (p[i] > 0) bits -= p[i] * log2(p[i]);
    arena_back(arena, mark);
    return bits;
}

// ---------------------------------------------------------------- for a program
static void put_distribution(NextCommand *c, JsonWriter *w, const Distribution *d, bool is_model) {
    json_key(w, "candidates");
    json_begin_array(w);
    for (int64_t i = 0; i < d->n; i++) {
        const Candidate *candidate = &d->candidate[i];
        json_begin_object(w);
        json_key(w, "id");
        json_put_integer(w, candidate->id);
        if (is_model) {
            if (c->setup.model->tokenizer)
                cli_json_piece(w, tokenizer_piece(c->setup.model->tokenizer, candidate->id, true));
            json_key(w, "logit");
            json_put_number(w, candidate->logit);
        }
        json_key(w, "probability");
        json_put_number(w, candidate->probability);
        json_end_object(w);
    }
    json_end_array(w);
    json_key(w, "rest_probability");
    json_put_number(w, d->rest_probability);
}

static void print_json(NextCommand *c) {
    StrBuilder out = str_builder(&c->setup.arena);
    JsonWriter w = json_writer(&out, 0);
    json_begin_object(&w);
    json_key(&w, "prompt_tokens");
    json_begin_array(&w);
    for (int64_t i = 0; i < c->n_ids; i++) json_put_integer(&w, c->ids[i]);
    json_end_array(&w);
    put_distribution(c, &w, &c->report.model, true);
    json_key(&w, "entropy_bits");
    json_put_number(&w, c->entropy_bits);
    json_key(&w, "stages");
    json_begin_array(&w);
    for (int i = 0; i < c->report.n_stages; i++) {
        const StageReport *stage = &c->report.stage[i];
        json_begin_object(&w);
        json_key(&w, "name");
        json_put_string(&w, str_from(sampler_stage_name(stage->stage)));
        json_key(&w, "parameter");
        json_put_number(&w, stage->parameter);
        json_key(&w, "kept");
        json_put_integer(&w, stage->after.kept);
        put_distribution(c, &w, &stage->after, false);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    fwrite(out.data, 1, out.n, stdout);
    printf("\n");
}

// ---------------------------------------------------------------- for a person
enum { PIECE_COLUMNS = 16, NUMBER_COLUMNS = 10 };

// The probability of a token after a stage; negative: no longer a candidate, or not listed.
static double after_stage(const Distribution *d, int32_t id) {
    for (int64_t i = 0; i < d->n; i++)
        if (d->candidate[i].id == id) return d->candidate[i].probability;
    return -1;
}

// Text of a column, padded to its columns on the screen.
static void print_piece(NextCommand *c, int32_t id) {
    const Tokenizer *t = c->setup.model->tokenizer;
    Str piece = t ? cli_visible(&c->setup.arena, tokenizer_piece(t, id, true)) : STR("");
    Str cut = term_cut(piece, PIECE_COLUMNS - 2);
    printf("|%.*s|%*s", STR_ARG(cut), PIECE_COLUMNS - 2 - term_width(cut), "");
}

// As many stages as fit; the numbers of the last ones are what is drawn from.
static int stages_shown(const NextCommand *c, int columns) {
    int fits = (columns - 8 - PIECE_COLUMNS - NUMBER_COLUMNS) / (NUMBER_COLUMNS + 1);
    return fits < c->report.n_stages ? (fits > 0 ? fits : 0) : c->report.n_stages;
}

static void print_bar(double probability, int columns) {
    int eighths = (int)(probability * columns * 8 + 0.5);
    for (; eighths >= 8; eighths -= 8) printf("\xe2\x96\x88");
    if (eighths > 0) printf("\xe2\x96%c", 0x90 - eighths); // U+2590 - n: a block n/8 wide
}

static void print_tail(const NextCommand *c, int n_stages) {
    const Distribution *model = &c->report.model;
    char words[32];
    snprintf(words, sizeof words, "%lld others", (long long)(model->kept - model->n));
    printf("%8s%-*s%*.3f%%", "", PIECE_COLUMNS, words, NUMBER_COLUMNS - 1,
           100 * model->rest_probability);
    for (int i = 0; i < n_stages; i++)
        printf(" %*.3f%%", NUMBER_COLUMNS - 1, 100 * c->report.stage[i].after.rest_probability);
    printf("\n%8s%-*s%*lld", "", PIECE_COLUMNS, "candidates", NUMBER_COLUMNS,
           (long long)model->kept);
    for (int i = 0; i < n_stages; i++)
        printf(" %*lld", NUMBER_COLUMNS, (long long)c->report.stage[i].after.kept);
    printf("\n");
}

static void print_table(NextCommand *c, int columns) {
    int n_stages = stages_shown(c, columns);
    int bar = columns - 8 - PIECE_COLUMNS - NUMBER_COLUMNS - n_stages * (NUMBER_COLUMNS + 1) - 2;
    printf("%7s %-*s%*s", "id", PIECE_COLUMNS, "token", NUMBER_COLUMNS, "model");
    for (int i = 0; i < n_stages; i++)
        printf(" %*.*s", NUMBER_COLUMNS, NUMBER_COLUMNS,
               sampler_stage_name(c->report.stage[i].stage));
    printf("\n%8s%-*s%*s", "", PIECE_COLUMNS, "", NUMBER_COLUMNS, "");
    for (int i = 0; i < n_stages; i++) printf(" %*g", NUMBER_COLUMNS, c->report.stage[i].parameter);
    printf("\n");
    for (int64_t k = 0; k < c->report.model.n; k++) {
        const Candidate *candidate = &c->report.model.candidate[k];
        printf("%7d ", candidate->id);
        print_piece(c, candidate->id);
        printf("%*.3f%%", NUMBER_COLUMNS - 1, 100 * candidate->probability);
        for (int i = 0; i < n_stages; i++) {
            double p = after_stage(&c->report.stage[i].after, candidate->id);
            if (p < 0)
                printf(" %*s", NUMBER_COLUMNS, "-");
            else
                printf(" %*.3f%%", NUMBER_COLUMNS - 1, 100 * p);
        }
        printf("  ");
        if (bar >= 8) print_bar(candidate->probability, bar < 40 ? bar : 40);
        printf("\n");
    }
    print_tail(c, n_stages);
    printf("\nentropy %.3f bits; drawn with %.*s\n", c->entropy_bits,
           STR_ARG(sampling_words(&c->sampling, &c->setup.arena)));
}

// ---------------------------------------------------------------- command
static bool next(NextCommand *c, const Positionals *rest, Error *err) {
    Str text;
    if (rest->n != 1) return error_set(err, ERROR_USAGE, "give one MODEL");
    bool ok = setup_open(&c->setup, rest->text[0], err) &&
              setup_prompt(&c->setup, c->text, c->file, &text, err) &&
              setup_tokens(&c->setup, text, c->special, &c->ids, &c->n_ids, err) &&
              sampling_finish(&c->sampling, &c->setup, err);
    if (!ok) return false;
    c->session = setup_session(&c->setup, NULL, err);
    if (!c->session || !session_sync(c->session, c->ids, c->n_ids, err)) return false;
    int64_t n_vocab = c->setup.model->config.vocab;
    Sampler *sampler = sampler_make(&c->setup.arena, &c->sampling.options, n_vocab);
    SamplerInput in = {c->session->logits, c->ids, c->n_ids, c->n_ids};
    if (!sampler_explain(sampler, &in, c->top, &c->setup.arena, &c->report, err)) return false;
    c->entropy_bits = entropy(c->session->logits, n_vocab, &c->setup.arena);
    if (c->as_json)
        print_json(c);
    else
        print_table(c, term_columns(STDOUT_FILENO, 100));
    return true;
}

static int run(int argc, char **argv) {
    NextCommand c = {.top = 20};
    Option setup[SETUP_OPTIONS], sampling[SAMPLING_OPTIONS];
    const Option own[] = {
        {"--prompt", 'p', OPTION_TEXT, &c.text, "TEXT", "the text whose next token is asked for"},
        {"--file", 'f', OPTION_TEXT, &c.file, "FILE", "the same from a file; - is standard input"},
        {"--top", 0, OPTION_INT, &c.top, "N", "candidates listed one by one (default 20)", 1,
         1 << 24},
        {"--special", 0, OPTION_FLAG, &c.special, NULL, "read control tokens in the text as such"},
        {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "for programs"},
        {0}};
    const Option *const tables[] = {own, sampling_options(&c.sampling, sampling),
                                    setup_options(&c.setup, setup), NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_next, tables, argc, argv, &rest, &code)) return code;
    bool ok = next(&c, &rest, &err);
    session_close(c.session);
    setup_close(&c.setup);
    return ok ? 0 : cli_fail(&command_next, &err);
}

const Command command_next = {"next", "MODEL -p TEXT",
                              "the distribution of the next token, stage by stage", run};
