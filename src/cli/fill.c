// fill.c - heed fill: what may stand in the blanks of a text, by an encoder that reads both sides.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "generate/softmax.h"
#include "look/encoder.h"

typedef struct FillCommand {
    Setup setup;
    int64_t top;
    bool as_json;
    // made from them
    Blanks blanks;
} FillCommand;

typedef struct Guess {
    int32_t id;
    double logit, probability;
} Guess;

// ---------------------------------------------------------------- what may stand there
static int by_probability(const void *a, const void *b) {
    const Guess *x = a, *y = b;
    if (x->probability != y->probability) return x->probability < y->probability ? 1 : -1;
    return x->id < y->id ? -1 : 1;
}

// All V guesses of one blank, the likeliest first; their entropy in bits.
static double guesses(FillCommand *c, const float *logits, Guess *guess) {
    int64_t n = c->setup.model->config.vocab;
    double *p = arena_push(&c->setup.arena, sizeof *p * (size_t)n), bits = 0;
    softmax_f64(logits, n, p);
    for (int64_t i = 0; i < n; i++) {
        guess[i] = (Guess){(int32_t)i, (double)logits[i], p[i]};
        if (p[i] > 0) bits -= p[i] * log2(p[i]);
    }
    qsort(guess, (size_t)n, sizeof *guess, by_probability);
    return bits;
}

static Str piece_of(const FillCommand *c, int32_t id) {
    const Tokenizer *t = c->setup.model->tokenizer;
    return id < tokenizer_size(t) ? tokenizer_piece(t, id, true) : STR("");
}

static void put_blank(FillCommand *c, JsonWriter *w, int64_t blank, const Guess *guess,
                      int64_t n_shown, double bits) {
    double rest = 1;
    json_begin_object(w);
    json_key(w, "position");
    json_put_integer(w, c->blanks.place[blank]);
    json_key(w, "entropy_bits");
    json_put_number(w, bits);
    json_key(w, "candidates");
    json_begin_array(w);
    for (int64_t i = 0; i < n_shown; i++) {
        json_begin_object(w);
        json_key(w, "id");
        json_put_integer(w, guess[i].id);
        cli_json_piece(w, piece_of(c, guess[i].id));
        json_key(w, "logit");
        json_put_number(w, guess[i].logit);
        json_key(w, "probability");
        json_put_number(w, guess[i].probability);
        json_end_object(w);
        rest -= guess[i].probability;
    }
    json_end_array(w);
    json_key(w, "rest_probability");
    json_put_number(w, fmax(rest, 0));
    json_end_object(w);
}

static void print_blank(FillCommand *c, int64_t blank, const Guess *guess, int64_t n_shown,
                        double bits) {
    if (blank > 0) printf("\n");
    printf("blank %lld of %lld, token %d of the text, %.3f bits\n", (long long)blank + 1,
           (long long)c->blanks.n, c->blanks.place[blank], bits);
    for (int64_t i = 0; i < n_shown; i++) {
        Str piece = screen_visible(&c->setup.arena, piece_of(c, guess[i].id));
        printf("%8d %8.3f%%  |%.*s|\n", guess[i].id, 100 * guess[i].probability, STR_ARG(piece));
    }
}

// ---------------------------------------------------------------- command
static void print_all(FillCommand *c, const float *logits) {
    int64_t n = c->setup.model->config.vocab, n_shown = c->top < n ? c->top : n;
    Guess *guess = arena_new(&c->setup.arena, Guess, n);
    Guess *shown = arena_new(&c->setup.arena, Guess, n_shown * c->blanks.n);
    double *bits = arena_new(&c->setup.arena, double, c->blanks.n);
    for (int64_t b = 0; b < c->blanks.n; b++) {
        bits[b] = guesses(c, logits + b * n, guess);
        memcpy(shown + b * n_shown, guess, sizeof *guess * (size_t)n_shown);
    }
    StrBuilder out = str_builder(&c->setup.arena);
    JsonWriter w = json_writer(&out, 0);
    json_begin_object(&w);
    json_key(&w, "blanks");
    json_begin_array(&w);
    for (int64_t b = 0; b < c->blanks.n; b++) {
        const Guess *of_blank = shown + b * n_shown;
        if (c->as_json)
            put_blank(c, &w, b, of_blank, n_shown, bits[b]);
        else
            print_blank(c, b, of_blank, n_shown, bits[b]);
    }
    json_end_array(&w);
    json_end_object(&w);
    if (c->as_json) printf("%s\n", str_built(&out).data);
}

static bool fill(FillCommand *c, const Positionals *rest, Error *err) {
    Setup *s = &c->setup;
    Run run;
    if (rest->n != 2) return error_set(err, ERROR_USAGE, "give MODEL and TEXT");
    if (!setup_open(s, rest->text[0], err) ||
        !encoder_blanks(&s->arena, s->model, str_from(rest->text[1]), &c->blanks, err) ||
        !setup_pack(s, err) || !run_open(&run, s->pool, err))
        return false;
    if (s->kernels) run.kernels = s->kernels;
    run.exact = s->exact;
    float *logits = arena_new(&s->arena, float, c->blanks.n * s->model->config.vocab);
    bool ok =
        encoder_fill(&run, s->model, c->blanks.text, c->blanks.place, c->blanks.n, logits, err);
    run_close(&run);
    if (ok) print_all(c, logits);
    return ok;
}

static int run(int argc, char **argv) {
    FillCommand c = {.top = 10};
    Option setup[SETUP_OPTIONS];
    const Option *model_options = setup_model_options(&c.setup, setup);
    const Option own[] = {{"--top", 0, OPTION_INT, &c.top, "N",
                           "candidates listed for each blank (default 10)", 1, 1 << 24},
                          {"--exact", 0, OPTION_FLAG, &c.setup.exact, NULL,
                           "f32 activations throughout, as reference implementations compute"},
                          {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "print JSON (docs/json.md)"},
                          {0}};
    const Option *const tables[] = {own, model_options, NULL};
    Positionals rest;
    Error err = {0};
    int code;
    if (!cli_parse(&command_fill, tables, argc, argv, &rest, &code)) return code;
    bool ok = fill(&c, &rest, &err);
    setup_close(&c.setup);
    return ok ? 0 : cli_fail(&command_fill, &err);
}

const Command command_fill = {"fill", "MODEL TEXT",
                              "show what may stand in the blanks (___) of a text", run};
