// compare.c - what is compared, once as a list of facts for table and JSON, once as lines.
#include "train/compare.h"

#include <math.h>

#include "base/term.h"
#include "model/model.h"
#include "train/chart.h"
#include "train/curves.h"
#include "train/verdict.h"

// ---------------------------------------------------------------- what the runs have in common
SameData compare_data(const Comparison *c) {
    uint64_t first = c->run[0].history.start.fingerprint;
    SameData same = SAME_DATA_YES;
    for (int i = 0; i < c->n; i++) {
        uint64_t fingerprint = c->run[i].history.start.fingerprint;
        if (!c->run[i].has_history || fingerprint == 0) return SAME_DATA_UNKNOWN;
        if (fingerprint != first) same = SAME_DATA_NO;
    }
    return same;
}

static bool same_vocabulary(const Comparison *c) {
    const CompareRun *first = NULL;
    for (int i = 0; i < c->n; i++) {
        if (!c->run[i].has_history) continue;
        if (!first) first = &c->run[i];
        if (c->run[i].history.start.vocabulary != first->history.start.vocabulary) return false;
    }
    return true;
}

static const StepRecord *last_step(const CompareRun *run) {
    return run->history.n_steps ? &run->history.step[run->history.n_steps - 1] : NULL;
}

// The smoothed training loss at the end; NaN: there is none.
static double training_loss(const CompareRun *run, Arena *arena) {
    Curves curves = curves_make(arena, &run->history);
    for (int64_t i = curves.n - 1; i >= 0; i--)
        if (isfinite(curves.smooth[i])) return curves.smooth[i];
    return (double)NAN;
}

// ---------------------------------------------------------------- facts
// Numbers that are not known are NaN.
typedef struct Facts {
    double parameters, vocabulary, data_tokens, tokens, steps, best, best_step, bits, training,
        seconds, rate;
} Facts;

typedef enum FactForm { FORM_COUNT, FORM_WHOLE, FORM_LOSS, FORM_TIME } FactForm;

typedef struct Fact {
    const char *words, *key; // for people, for programs
    FactForm form;
    size_t at; // in Facts
} Fact;

static const Fact fact_table[] = {
    {"parameters", "parameters", FORM_COUNT, offsetof(Facts, parameters)},
    {"vocabulary", "vocabulary", FORM_WHOLE, offsetof(Facts, vocabulary)},
    {"tokens of the text", "data_tokens", FORM_COUNT, offsetof(Facts, data_tokens)},
    {"steps", "steps", FORM_WHOLE, offsetof(Facts, steps)},
    {"tokens learned from", "tokens", FORM_COUNT, offsetof(Facts, tokens)},
    {"training loss", "training_loss", FORM_LOSS, offsetof(Facts, training)},
    {"best validation", "best_validation_loss", FORM_LOSS, offsetof(Facts, best)},
    {"  at step", "best_validation_step", FORM_WHOLE, offsetof(Facts, best_step)},
    {"  bits a byte", "bits_per_byte", FORM_LOSS, offsetof(Facts, bits)},
    {"time", "seconds", FORM_TIME, offsetof(Facts, seconds)},
    {"tokens a second", "tokens_per_second", FORM_COUNT, offsetof(Facts, rate)},
};
enum { N_FACTS = sizeof fact_table / sizeof *fact_table };

static double *fact_place(const Fact *fact, Facts *facts) {
    return (double *)(void *)((char *)facts + fact->at);
}

static Facts facts_of(const CompareRun *run, Arena *arena) {
    const History *h = &run->history;
    const ValidationRecord *best = history_best(h);
    const StepRecord *last = last_step(run);
    Facts f;
    for (int k = 0; k < N_FACTS; k++) *fact_place(&fact_table[k], &f) = (double)NAN;
    if (run->parameters) f.parameters = (double)run->parameters;
    if (run->has_history) {
        f.vocabulary = (double)h->start.vocabulary;
        f.data_tokens = (double)h->start.data_tokens;
    }
    if (best) {
        f.best = best->loss;
        f.best_step = (double)best->step;
        f.bits = best->bits_per_byte;
    }
    if (last) {
        f.tokens = (double)last->tokens;
        f.steps = (double)last->step;
        f.seconds = last->seconds;
        f.rate = f.tokens / f.seconds;
        f.training = training_loss(run, arena);
    }
    return f;
}

static Str fact_words(Arena *arena, FactForm form, double value) {
    if (!isfinite(value)) return STR("-");
    switch (form) {
    case FORM_COUNT: return chart_count(arena, value);
    case FORM_TIME: return chart_seconds(arena, value);
    case FORM_LOSS: return str_printf(arena, "%.4f", value);
    case FORM_WHOLE: break;
    }
    return str_printf(arena, "%.0f", value);
}

// ---------------------------------------------------------------- words
// Loss, or bits a byte, of the best validation; NaN: none.
static double score_of(const CompareRun *run, bool in_bits) {
    const ValidationRecord *best = history_best(&run->history);
    if (!best) return (double)NAN;
    return in_bits ? best->bits_per_byte : best->loss;
}

// The place of the best score but that of `except`; -1: none.
static int best_run(const Comparison *c, bool in_bits, int except) {
    int best = -1;
    for (int i = 0; i < c->n; i++) {
        double score = score_of(&c->run[i], in_bits);
        if (i == except || !isfinite(score)) continue;
        if (best < 0 || score < score_of(&c->run[best], in_bits)) best = i;
    }
    return best;
}

// An encoder names what is hidden from both sides, the others what comes next.
static bool is_encoder(const CompareRun *run) {
    return str_equal(run->history.start.architecture, str_from(arch_bert.name));
}

static bool learn_alike(const Comparison *c) {
    for (int i = 1; i < c->n; i++)
        if (is_encoder(&c->run[i]) != is_encoder(&c->run[0])) return false;
    return true;
}

Str compare_words(const Comparison *c, Arena *arena) {
    StrBuilder out = str_builder(arena);
    static const char *const data[] = {
        [SAME_DATA_UNKNOWN] = "Whether all learned from the same text is not known.",
        [SAME_DATA_NO] = "They did not learn from the same text.",
        [SAME_DATA_YES] = "All learned from the same text, cut into the same tokens."};
    bool in_bits = !same_vocabulary(c);
    str_add_c(&out, data[compare_data(c)]);
    if (!learn_alike(c)) {
        str_add_c(&out, " Encoders name hidden tokens, the others the next one: their losses "
                        "cannot be compared.");
        return str_built(&out);
    }
    if (in_bits)
        str_add_c(&out, " Their vocabularies differ: bits a byte can be compared, losses a token "
                        "cannot.");
    int best = best_run(c, in_bits, -1), second = best_run(c, in_bits, best);
    if (best < 0 || second < 0) return str_built(&out);
    double score = score_of(&c->run[best], in_bits), other = score_of(&c->run[second], in_bits);
    str_add_format(&out, " Best on validation: %.*s with %.4f %s, %.4f ahead of %.*s.",
                   STR_ARG(c->run[best].label), score, in_bits ? "bits a byte" : "nats a token",
                   other - score, STR_ARG(c->run[second].label));
    return str_built(&out);
}

// ---------------------------------------------------------------- table
enum { NAME_COLUMNS = 22, RUN_COLUMNS = 14, GAP = 2 };

static void add_right(StrBuilder *out, Str text) {
    Str cut = term_cut(text, RUN_COLUMNS - GAP);
    str_add_format(out, "%*s%.*s", RUN_COLUMNS - term_width(cut), "", STR_ARG(cut));
}

typedef struct TablePart {
    const Comparison *c;
    Facts *facts; // of all runs
    int from, to; // runs in it
} TablePart;

// A row of the state or the speed at one length; runs that were not measured there have none.
static void add_length_row(StrBuilder *out, const TablePart *t, double length, bool is_state) {
    Str name = str_printf(out->arena, "%s at %.0f", is_state ? "state bytes" : "decoding", length);
    str_add_format(out, "%-*.*s", NAME_COLUMNS, STR_ARG(name));
    for (int i = t->from; i < t->to; i++) {
        const CompareRun *run = &t->c->run[i];
        double value = (double)NAN;
        for (int64_t k = 0; k < run->n_lengths; k++)
            if (run->length[k] == length) value = is_state ? run->state_bytes[k] : run->decode[k];
        if (!is_state && value == 0) value = (double)NAN;
        Str words = fact_words(out->arena, FORM_COUNT, value);
        add_right(out, is_state || !isfinite(value)
                           ? words
                           : str_printf(out->arena, "%.*s/s", STR_ARG(words)));
    }
    str_add_byte(out, '\n');
}

// The lengths of the run that has most of them, the shortest and the longest.
static const CompareRun *longest_run(const Comparison *c) {
    const CompareRun *longest = &c->run[0];
    for (int i = 1; i < c->n; i++)
        if (c->run[i].n_lengths > longest->n_lengths) longest = &c->run[i];
    return longest;
}

static void add_part(StrBuilder *out, const TablePart *t) {
    str_add_format(out, "%-*s", NAME_COLUMNS, "");
    for (int i = t->from; i < t->to; i++) add_right(out, t->c->run[i].label);
    str_add_format(out, "\n%-*s", NAME_COLUMNS, "architecture");
    for (int i = t->from; i < t->to; i++) add_right(out, t->c->run[i].architecture);
    str_add_byte(out, '\n');
    for (int k = 0; k < N_FACTS; k++) {
        str_add_format(out, "%-*s", NAME_COLUMNS, fact_table[k].words);
        for (int i = t->from; i < t->to; i++)
            add_right(out, fact_words(out->arena, fact_table[k].form,
                                      *fact_place(&fact_table[k], &t->facts[i])));
        str_add_byte(out, '\n');
    }
    const CompareRun *longest = longest_run(t->c);
    for (int64_t k = 0; k < longest->n_lengths; k += 1) {
        bool is_end = k == 0 || k == longest->n_lengths - 1;
        if (is_end) add_length_row(out, t, longest->length[k], true);
        if (is_end && longest->decode[k] > 0) add_length_row(out, t, longest->length[k], false);
    }
}

static void all_facts(const Comparison *c, Arena *arena, Facts facts[COMPARE_RUNS_MAX]) {
    for (int i = 0; i < c->n; i++) facts[i] = facts_of(&c->run[i], arena);
}

void compare_table(StrBuilder *out, const Comparison *c, int columns) {
    Facts facts[COMPARE_RUNS_MAX];
    int each = (columns - NAME_COLUMNS) / RUN_COLUMNS;
    if (each < 1) each = 1;
    all_facts(c, out->arena, facts);
    for (int from = 0; from < c->n; from += each) {
        int to = from + each < c->n ? from + each : c->n;
        if (from > 0) str_add_byte(out, '\n');
        add_part(out, &(TablePart){c, facts, from, to});
    }
}

// ---------------------------------------------------------------- drawing
enum { PANELS = 4, PANEL_HEIGHT = 200 };

typedef struct Drawing {
    ChartLine line[PANELS][COMPARE_RUNS_MAX];
    ChartKey key[COMPARE_RUNS_MAX];
    bool is_validation, in_bits;
} Drawing;

// Validation losses where every run has some, else those of training.
static bool all_validated(const Comparison *c) {
    for (int i = 0; i < c->n; i++)
        if (c->run[i].has_history && c->run[i].history.n_validations < 2) return false;
    return true;
}

static void add_run(Drawing *d, const CompareRun *run, int i, Arena *arena) {
    Curves curves = curves_make(arena, &run->history);
    bool is_validation = d->is_validation;
    for (int64_t k = 0; d->in_bits && k < curves.n_v; k++)
        curves.v_loss[k] = run->history.validation[k].bits_per_byte;
    double *loss = is_validation ? curves.v_loss : curves.smooth;
    int64_t n = is_validation ? curves.n_v : curves.n;
    d->line[0][i] = (ChartLine){is_validation ? curves.v_tokens : curves.tokens, loss, n, i};
    d->line[1][i] = (ChartLine){is_validation ? curves.v_seconds : curves.seconds, loss, n, i};
    d->line[2][i] =
        (ChartLine){run->length, run->state_bytes, run->n_lengths, i, .has_points = true};
    d->line[3][i] = (ChartLine){run->length, run->decode, run->n_lengths, i, .has_points = true};
    double score = is_validation ? score_of(run, d->in_bits) : training_loss(run, arena);
    d->key[i] = (ChartKey){i, false, run->label, fact_words(arena, FORM_LOSS, score)};
    if (!run->has_history) d->key[i].value = fact_words(arena, FORM_COUNT, (double)run->parameters);
}

static bool has_values(const ChartLine *line, int n) {
    for (int i = 0; i < n; i++)
        for (int64_t k = 0; k < line[i].n; k++)
            if (isfinite(line[i].y[k]) && line[i].y[k] > 0) return true;
    return false;
}

void compare_svg(StrBuilder *out, const Comparison *c) {
    Drawing d = {.is_validation = all_validated(c)};
    d.in_bits = d.is_validation && !same_vocabulary(c);
    for (int i = 0; i < c->n; i++) add_run(&d, &c->run[i], i, out->arena);
    const char *by_tokens =
        d.is_validation ? "Validation loss against tokens" : "Training loss against tokens";
    const char *by_time =
        d.is_validation ? "Validation loss against time" : "Training loss against time";
    const Axis loss = {d.in_bits ? "bits a byte" : "nats a token", AXIS_PLAIN};
    const Axis length = {"", AXIS_COUNT, .is_log = true};
    const ChartPanel all[PANELS] = {
        {by_tokens, {"", AXIS_COUNT, .from_zero = true}, loss, PANEL_HEIGHT, d.line[0], c->n},
        {by_time, {"", AXIS_SECONDS, .from_zero = true}, loss, PANEL_HEIGHT, d.line[1], c->n},
        {"State against length of the text",
         length,
         {"bytes", AXIS_COUNT, .is_log = true},
         PANEL_HEIGHT,
         d.line[2],
         c->n},
        {"Decoding against length of the text",
         length,
         {"tokens a second", AXIS_COUNT, .from_zero = true},
         PANEL_HEIGHT,
         d.line[3],
         c->n}};
    ChartPanel panel[PANELS];
    int n_panels = 0;
    for (int i = 0; i < PANELS; i++)
        if (has_values(d.line[i], c->n)) panel[n_panels++] = all[i];
    chart_svg(out, &(Chart){.title = STR("Comparison"),
                            .words = compare_words(c, out->arena),
                            .key = d.key,
                            .n_keys = c->n,
                            .panel = panel,
                            .n_panels = n_panels});
}

// ---------------------------------------------------------------- JSON
static void put_text(JsonWriter *w, const char *key, Str text) {
    json_key(w, key);
    json_put_string(w, text);
}

static void put_lengths(JsonWriter *w, const CompareRun *run) {
    json_key(w, "lengths");
    json_begin_array(w);
    for (int64_t k = 0; k < run->n_lengths; k++) {
        json_begin_object(w);
        json_key(w, "tokens");
        json_put_number(w, run->length[k]);
        json_key(w, "state_bytes");
        json_put_number(w, run->state_bytes[k]);
        json_key(w, "tokens_per_second");
        json_put_number(w, run->decode[k] > 0 ? run->decode[k] : (double)NAN);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_run(JsonWriter *w, const CompareRun *run) {
    Arena *arena = w->out->arena;
    Facts facts = facts_of(run, arena);
    json_begin_object(w);
    put_text(w, "name", run->label);
    put_text(w, "architecture", run->architecture);
    for (int k = 0; k < N_FACTS; k++) {
        json_key(w, fact_table[k].key);
        json_put_number(w, *fact_place(&fact_table[k], &facts));
    }
    if (run->has_history) {
        Verdict verdict = verdict_make(arena, &run->history);
        put_text(w, "verdict", str_from(verdict_name(verdict.kind)));
    }
    put_lengths(w, run);
    json_end_object(w);
}

void compare_json(JsonWriter *w, const Comparison *c) {
    SameData same = compare_data(c);
    json_begin_object(w);
    json_key(w, "same_data");
    if (same == SAME_DATA_UNKNOWN)
        json_put_null(w);
    else
        json_put_bool(w, same == SAME_DATA_YES);
    put_text(w, "words", compare_words(c, w->out->arena));
    json_key(w, "runs");
    json_begin_array(w);
    for (int i = 0; i < c->n; i++) put_run(w, &c->run[i]);
    json_end_array(w);
    json_end_object(w);
}
