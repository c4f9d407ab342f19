// curves.c - columns of a history, and the three panels.
#include "train/curves.h"

#include <math.h>

#include "train/chart.h"

enum { STYLE_TRAINING = 0, STYLE_VALIDATION = 1, STYLE_RATE = 3 };

// The window grows with the curve, an eighth of what has been seen, since the loss falls fast at
// first.  Means are over what there is: the weights are divided by their sum.
static void smooth(const double *y, double *out, int64_t n) {
    double widest = fmin((double)n / 40, 200), sum = 0, weight = 0;
    for (int64_t i = 0; i < n; i++) {
        double keep = 1 - 1 / fmax(fmin((double)i / 8, widest), 1);
        if (isfinite(y[i])) {
            sum = keep * sum + y[i];
            weight = keep * weight + 1;
        }
        out[i] = isfinite(y[i]) ? sum / weight : (double)NAN;
    }
}

Curves curves_make(Arena *arena, const History *h) {
    Curves c = {.n = h->n_steps, .n_v = h->n_validations};
    double **columns[] = {&c.tokens, &c.seconds, &c.loss, &c.smooth, &c.rate};
    double **v_columns[] = {&c.v_tokens, &c.v_seconds, &c.v_loss};
    for (int i = 0; i < 5; i++) *columns[i] = arena_new(arena, double, c.n);
    for (int i = 0; i < 3; i++) *v_columns[i] = arena_new(arena, double, c.n_v);
    for (int64_t i = 0; i < c.n; i++) {
        const StepRecord *s = &h->step[i];
        c.tokens[i] = (double)s->tokens;
        c.seconds[i] = s->seconds;
        c.loss[i] = s->is_skipped ? (double)NAN : s->loss;
        c.rate[i] = s->rate;
    }
    smooth(c.loss, c.smooth, c.n);
    for (int64_t i = 0; i < c.n_v; i++) {
        const ValidationRecord *v = &h->validation[i];
        c.v_tokens[i] = (double)v->tokens;
        c.v_seconds[i] = v->seconds;
        c.v_loss[i] = v->loss;
    }
    return c;
}

static Str last_value(Arena *arena, const double *y, int64_t n) {
    while (n > 0 && !isfinite(y[n - 1])) n--;
    return n > 0 ? str_printf(arena, "%.3f", y[n - 1]) : STR("none");
}

static Str validation_value(Arena *arena, const History *h, const Curves *c) {
    Str last = last_value(arena, c->v_loss, c->n_v);
    const ValidationRecord *best = history_best(h);
    if (!best || best == &h->validation[h->n_validations - 1]) return last;
    return str_printf(arena, "%.*s (best %.3f at step %lld)", STR_ARG(last), best->loss,
                      (long long)best->step);
}

void curves_svg(StrBuilder *out, const History *h, Str words) {
    Arena *arena = out->arena;
    Curves c = curves_make(arena, h);
    const ChartLine by_tokens[] = {
        {c.tokens, c.loss, c.n, STYLE_TRAINING, .is_faint = true},
        {c.tokens, c.smooth, c.n, STYLE_TRAINING},
        {c.v_tokens, c.v_loss, c.n_v, STYLE_VALIDATION, .has_points = true}};
    const ChartLine by_seconds[] = {
        {c.seconds, c.loss, c.n, STYLE_TRAINING, .is_faint = true},
        {c.seconds, c.smooth, c.n, STYLE_TRAINING},
        {c.v_seconds, c.v_loss, c.n_v, STYLE_VALIDATION, .has_points = true}};
    const ChartLine rate[] = {{c.tokens, c.rate, c.n, STYLE_RATE}};
    double level = h->start.expected_loss;
    Str level_name =
        str_printf(arena, "guessing: ln %lld = %.2f", (long long)h->start.vocabulary, level);
    const Axis tokens = {"", AXIS_COUNT, .from_zero = true};
    const Axis seconds = {"", AXIS_SECONDS, .from_zero = true};
    const Axis loss = {"nats a token", AXIS_PLAIN};
    const ChartPanel panel[] = {
        {"Loss against tokens", tokens, loss, 220, by_tokens, 3, level, level_name},
        {"Learning rate", tokens, {"", AXIS_PLAIN, .from_zero = true}, 56, rate, 1},
        {"Loss against time", seconds, loss, 220, by_seconds, 3, level, level_name}};
    const ChartKey key[] = {
        {STYLE_TRAINING, false, STR("training"), last_value(arena, c.smooth, c.n)},
        {STYLE_VALIDATION, true, STR("validation"), validation_value(arena, h, &c)}};
    Str name = h->start.name.n ? h->start.name : STR("training");
    chart_svg(out, &(Chart){.title = name,
                            .words = words,
                            .key = key,
                            .n_keys = c.n_v > 0 ? 2 : 1,
                            .panel = panel,
                            .n_panels = 3});
}
