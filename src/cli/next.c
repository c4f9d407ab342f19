// next.c - heed next: the whole distribution of the next token, before and after each sampling
// stage.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/term.h"
#include "cli/cli.h"
#include "cli/screen.h"
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
// The table's columns: id, token, the model's probability, one column a stage, a bar.
typedef struct Layout {
    int id, piece, number, gap; // columns on the screen
    bool is_narrow;             // short names, fewer digits
    int first;                  // stages before it are left out for lack of room
    int stage[STAGE_COUNT], bar;
} Layout;

static const char *stage_words(const StageReport *stage, bool is_narrow) {
    static const char *const words[STAGE_COUNT][2] = {[STAGE_LOGIT_BIAS] = {"logit bias", "bias"},
                                                      [STAGE_REPETITION] = {"repetition", "repeat"},
                                                      [STAGE_FREQUENCY] = {"frequency", "freq."},
                                                      [STAGE_PRESENCE] = {"presence", "pres."},
                                                      [STAGE_TEMPERATURE] = {"temperature", "temp"},
                                                      [STAGE_TOP_K] = {"top-k", "top-k"},
                                                      [STAGE_TOP_P] = {"top-p", "top-p"},
                                                      [STAGE_MIN_P] = {"min-p", "min-p"},
                                                      [STAGE_TYPICAL] = {"typical", "typ."}};
    return words[stage->stage][is_narrow];
}

static Layout lay_out(const NextCommand *c, int columns, bool is_narrow) {
    Layout l = {.piece = 16, .number = 8, .gap = 2};
    if (is_narrow) l = (Layout){.piece = 10, .number = 6, .gap = 1, .is_narrow = true};
    l.id = snprintf(NULL, 0, "%lld", (long long)c->setup.model->config.vocab - 1);
    l.bar = columns - l.id - 1 - l.piece - l.gap - l.number;
    for (l.first = c->report.n_stages; l.first > 0; l.first--) {
        int i = l.first - 1, width = (int)strlen(stage_words(&c->report.stage[i], is_narrow));
        l.stage[i] = width > l.number ? width : l.number;
        if (l.stage[i] + l.gap > l.bar) break;
        l.bar -= l.stage[i] + l.gap;
    }
    return l;
}

// The probability of a token after a stage; negative: no longer a candidate, or not listed.
static double after_stage(const Distribution *d, int32_t id) {
    for (int64_t i = 0; i < d->n; i++)
        if (d->candidate[i].id == id) return d->candidate[i].probability;
    return -1;
}

static void print_share(const Layout *l, int columns, double probability) {
    if (probability < 0)
        printf("%*s", l->gap + columns, "-");
    else
        printf("%*.*f%%", l->gap + columns - 1, l->is_narrow ? 1 : 3, 100 * probability);
}

static void print_piece(NextCommand *c, const Layout *l, int32_t id) {
    const Tokenizer *t = c->setup.model->tokenizer;
    Str piece = t ? screen_visible(&c->setup.arena, tokenizer_piece(t, id, true)) : STR("");
    Str cut = term_cut(piece, l->piece - 2);
    printf("|%.*s|%*s", STR_ARG(cut), l->piece - 2 - term_width(cut), "");
}

static void print_bar(double probability, int columns) {
    int eighths = (int)(probability * columns * 8 + 0.5);
    for (; eighths >= 8; eighths -= 8) printf("\xe2\x96\x88");
    if (eighths > 0) printf("\xe2\x96%c", 0x90 - eighths); // U+2590 - n: a block n/8 wide
}

static void print_heading(const NextCommand *c, const Layout *l) {
    const StageReport *stage = c->report.stage;
    printf("%*s %-*s%*s", l->id, "id", l->piece, "token", l->gap + l->number, "model");
    for (int i = l->first; i < c->report.n_stages; i++)
        printf("%*s", l->gap + l->stage[i], stage_words(&stage[i], l->is_narrow));
    printf("\n");
    if (l->first == c->report.n_stages) return;
    printf("%*s", l->id + 1 + l->piece + l->gap + l->number, "");
    for (int i = l->first; i < c->report.n_stages; i++)
        printf("%*.4g", l->gap + l->stage[i], stage[i].parameter);
    printf("\n");
}

// What is not listed, and how many candidates there are at all.
static void print_tail(const NextCommand *c, const Layout *l) {
    const Distribution *model = &c->report.model;
    const StageReport *stage = c->report.stage;
    char others[32];
    snprintf(others, sizeof others, "%lld others", (long long)(model->kept - model->n));
    int label = l->id + 1 + l->piece, indent = l->is_narrow ? 0 : l->id + 1;
    if (model->kept > model->n) {
        printf("%*s%-*s", indent, "", label - indent, others);
        print_share(l, l->number, model->rest_probability);
        for (int i = l->first; i < c->report.n_stages; i++)
            print_share(l, l->stage[i],
                        stage[i].after.kept > stage[i].after.n ? stage[i].after.rest_probability
                                                               : -1);
        printf("\n");
    }
    printf("%*s%-*s%*lld", indent, "", label - indent, "candidates", l->gap + l->number,
           (long long)model->kept);
    for (int i = l->first; i < c->report.n_stages; i++)
        printf("%*lld", l->gap + l->stage[i], (long long)stage[i].after.kept);
    printf("\n");
}

static void print_table(NextCommand *c, int columns) {
    Layout l = lay_out(c, columns, false);
    if (l.first > 0) l = lay_out(c, columns, true);
    print_heading(c, &l);
    for (int64_t k = 0; k < c->report.model.n; k++) {
        const Candidate *candidate = &c->report.model.candidate[k];
        printf("%*d ", l.id, candidate->id);
        print_piece(c, &l, candidate->id);
        print_share(&l, l.number, candidate->probability);
        for (int i = l.first; i < c->report.n_stages; i++)
            print_share(&l, l.stage[i], after_stage(&c->report.stage[i].after, candidate->id));
        if (l.bar >= 10) printf("  ");
        if (l.bar >= 10) print_bar(candidate->probability, l.bar < 42 ? l.bar - 2 : 40);
        printf("\n");
    }
    print_tail(c, &l);
    printf("\nThe model's entropy is %.3f bits.\n", c->entropy_bits);
    for (int i = 0; i < l.first; i++)
        printf("%s%s%s", i > 0 ? ", " : "No room for: ", stage_words(&c->report.stage[i], false),
               i + 1 == l.first ? ".\n" : "");
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
        {"--prompt", 'p', OPTION_TEXT, &c.text, "TEXT",
         "the text whose next token is asked for (default: standard input)"},
        {"--file", 'f', OPTION_TEXT, &c.file, "FILE",
         "the same from a file, without its last newline; - is standard input"},
        {"--top", 0, OPTION_INT, &c.top, "N", "candidates listed one by one (default 20)", 1,
         1 << 24},
        {"--special", 0, OPTION_FLAG, &c.special, NULL, "read control tokens in the text as such"},
        {"--json", 0, OPTION_FLAG, &c.as_json, NULL, "print JSON (docs/json.md)"},
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
                              "show the next token's distribution, stage by stage", run};
