// verdict.c - facts first, then the rules in their order, each with its sentence.
#include "train/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS_LEAST = 20,
    PARTS = 10,        // of a run, whose means are compared
    SPIKE_WINDOW = 32, // steps before one that say what is usual there
    SPIKES_LEAST = 3   // fewer are not worth a word
};

// ---------------------------------------------------------------- facts
// Steps that moved the weights and whose loss is a number.
typedef struct Facts {
    const History *history;
    const StepRecord **step; // (n)
    int64_t n;
    int64_t n_skipped, n_not_finite;
    double first, last; // mean losses of the first and the last part
    double noise;       // standard error of `last`
    double best;        // the lowest mean of a part
    int64_t best_step;  // the last step of that part
    double rate_at_best, highest_rate;
    double fall; // from the seventh part to the last
    int64_t n_spikes, worst_step;
    double worst, usual; // the highest spike, and what was usual before it
} Facts;

static double mean_between(const Facts *f, int64_t from, int64_t to) {
    double sum = 0;
    for (int64_t i = from; i < to; i++) sum += f->step[i]->loss;
    return sum / (double)(to - from);
}

static int64_t part_end(const Facts *f, int part) {
    return (part + 1) * f->n / PARTS;
}

static double part_mean(const Facts *f, int part) {
    return mean_between(f, part * f->n / PARTS, part_end(f, part));
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Median of the window before step i, and how far its values are from it (median again).
static double usual_before(const Facts *f, int64_t i, double *spread) {
    double value[SPIKE_WINDOW];
    for (int k = 0; k < SPIKE_WINDOW; k++) value[k] = f->step[i - SPIKE_WINDOW + k]->loss;
    qsort(value, SPIKE_WINDOW, sizeof *value, by_size);
    double median = value[SPIKE_WINDOW / 2];
    for (int k = 0; k < SPIKE_WINDOW; k++) value[k] = fabs(value[k] - median);
    qsort(value, SPIKE_WINDOW, sizeof *value, by_size);
    *spread = value[SPIKE_WINDOW / 2];
    return median;
}

// A spike is a loss 8 spreads above the usual, and a fifth of a nat at least.
static void find_spikes(Facts *f) {
    double worst_rise = 0;
    for (int64_t i = SPIKE_WINDOW; i < f->n; i++) {
        double spread, usual = usual_before(f, i, &spread), rise = f->step[i]->loss - usual;
        if (rise < fmax(8 * spread, 0.2)) continue;
        f->n_spikes++;
        if (rise <= worst_rise) continue;
        worst_rise = rise;
        f->worst = f->step[i]->loss;
        f->usual = usual;
        f->worst_step = f->step[i]->step;
    }
}

static void gather(Facts *f, Arena *arena) {
    const History *h = f->history;
    f->step = arena_new(arena, const StepRecord *, h->n_steps);
    for (int64_t i = 0; i < h->n_steps; i++) {
        const StepRecord *s = &h->step[i];
        f->n_skipped += s->is_skipped;
        f->n_not_finite += !isfinite(s->loss);
        if (!s->is_skipped && isfinite(s->loss)) f->step[f->n++] = s;
    }
}

static void measure(Facts *f) {
    f->first = part_mean(f, 0);
    f->last = part_mean(f, PARTS - 1);
    f->best = HUGE_VAL;
    for (int part = 0; part < PARTS; part++) {
        if (part_mean(f, part) >= f->best) continue;
        f->best = part_mean(f, part);
        f->best_step = f->step[part_end(f, part) - 1]->step;
        f->rate_at_best = f->step[part_end(f, part) - 1]->rate;
    }
    for (int64_t i = 0; i < f->n; i++)
        if (f->step[i]->rate > f->highest_rate) f->highest_rate = f->step[i]->rate;
    double squares = 0;
    int64_t from = (PARTS - 1) * f->n / PARTS, n = f->n - from;
    for (int64_t i = from; i < f->n; i++)
        squares += (f->step[i]->loss - f->last) * (f->step[i]->loss - f->last);
    f->noise = sqrt(squares) / (double)n;
    f->fall = part_mean(f, PARTS - 4) - f->last;
    find_spikes(f);
}

// Mean loss of a tenth of the steps, up to the given one.
static double training_at(const Facts *f, int64_t step) {
    int64_t to = 0, width = f->n / PARTS;
    while (to < f->n && f->step[to]->step <= step) to++;
    if (to == 0) to = 1;
    return mean_between(f, to > width ? to - width : 0, to);
}

// ---------------------------------------------------------------- rules
// Each returns whether it holds, and then adds its sentences.
typedef bool Finding(const Facts *f, StrBuilder *out);

static bool is_too_short(const Facts *f, StrBuilder *out) {
    if (f->n + f->n_not_finite >= STEPS_LEAST) return false;
    str_add_format(out, "Too early to say: %lld steps.", (long long)f->n);
    return true;
}

// No number at the end, or too few of them to judge by.
static bool is_not_finite(const Facts *f, StrBuilder *out) {
    const History *h = f->history;
    const StepRecord *first = h->step;
    if (f->n >= STEPS_LEAST && isfinite(h->step[h->n_steps - 1].loss)) return false;
    while (isfinite(first->loss)) first++;
    str_add_format(out, "The loss is not a number since step %lld, at a learning rate of %.3g.",
                   (long long)first->step, first->rate);
    str_add_format(out, " Go back to the last checkpoint and try %.2g.", first->rate / 3);
    return true;
}

// Above the best part by a tenth of what had been learned, and more than noise.
static bool has_risen(const Facts *f) {
    double learned = f->history->start.expected_loss - f->best;
    return f->last - f->best > fmax(fmax(0.1 * learned, 0.1), 4 * f->noise);
}

static bool is_worse_than_guessing(const Facts *f) {
    return f->last > f->history->start.expected_loss + fmax(0.2, 4 * f->noise);
}

static bool is_rate_too_high(const Facts *f, StrBuilder *out) {
    double expected = f->history->start.expected_loss;
    if (is_worse_than_guessing(f)) {
        str_add_format(out, "The loss is %.3f, worse than guessing (%.3f).", f->last, expected);
    } else if (has_risen(f) && f->rate_at_best >= 0.5 * f->highest_rate) {
        str_add_format(out, "The loss rises: %.3f at the end, after %.3f around step %lld.",
                       f->last, f->best, (long long)f->best_step);
    } else {
        return false;
    }
    str_add_format(out, " The learning rate of %.3g is probably too high: try %.2g.",
                   f->highest_rate, f->highest_rate / 3);
    return true;
}

static bool is_diverging(const Facts *f, StrBuilder *out) {
    if (!has_risen(f)) return false;
    str_add_format(out,
                   "The loss rises: %.3f at the end, after %.3f around step %lld, although the "
                   "learning rate had come down to %.3g there. Look at the text that comes after "
                   "this step.",
                   f->last, f->best, (long long)f->best_step, f->rate_at_best);
    return true;
}

// Less than two percent below guessing.
static bool is_flat(const Facts *f, StrBuilder *out) {
    double expected = f->history->start.expected_loss;
    if (f->last < 0.98 * expected) return false;
    str_add_format(out,
                   "Nothing is learned: the loss is %.3f, and guessing costs %.3f. The learning "
                   "rate of %.3g may be too low, or the text has no order to learn.",
                   f->last, expected, f->highest_rate);
    return true;
}

// Validation is a hundredth (and 0.02) above its best, which lies two validations back at least,
// while training has come down since.
static bool is_overfitting(const Facts *f, StrBuilder *out) {
    const History *h = f->history;
    const ValidationRecord *best = history_best(h);
    if (!best) return false;
    const ValidationRecord *last = &h->validation[h->n_validations - 1];
    if (last - best < 2) return false;
    double rise = last->loss - best->loss, then = training_at(f, best->step);
    if (!(rise > fmax(0.01 * best->loss, 0.02)) || then - f->last < 2 * f->noise) return false;
    str_add_format(out,
                   "Overfitting: the validation loss is %.3f, after %.3f at step %lld, while the "
                   "training loss fell from %.3f to %.3f. The weights of step %lld are the better "
                   "ones. More text, a smaller model or dropout would help.",
                   last->loss, best->loss, (long long)best->step, then, f->last,
                   (long long)best->step);
    return true;
}

static void say_fall(const Facts *f, StrBuilder *out) {
    const History *h = f->history;
    const ValidationRecord *best = history_best(h);
    str_add_format(out,
                   "The training loss fell from %.3f to %.3f (guessing costs %.3f), by %.3f over "
                   "the last third.",
                   f->first, f->last, h->start.expected_loss, f->fall);
    if (!best) return;
    const ValidationRecord *last = &h->validation[h->n_validations - 1];
    str_add_format(out, " Validation: %.3f", last->loss);
    if (best != last)
        str_add_format(out, ", best %.3f at step %lld", best->loss, (long long)best->step);
    str_add_byte(out, '.');
}

// A hundredth of the steps, and some.
static bool has_spikes(const Facts *f, StrBuilder *out) {
    int64_t n = f->n_spikes + f->n_skipped;
    if (n < SPIKES_LEAST || n * 100 < f->n) return false;
    if (f->n_spikes)
        str_add_format(out, "%lld spikes, the highest at step %lld: %.3f, where %.3f is usual. ",
                       (long long)f->n_spikes, (long long)f->worst_step, f->worst, f->usual);
    if (f->n_skipped) str_add_format(out, "%lld steps were skipped. ", (long long)f->n_skipped);
    say_fall(f, out);
    str_add_c(out,
              " A lower learning rate or a smaller limit of the gradient's norm would calm it.");
    return true;
}

// By less than noise, or a two-hundredth, over the last third.
static bool is_level(const Facts *f, StrBuilder *out) {
    if (f->fall > fmax(2 * f->noise, 0.005 * f->last)) return false;
    str_add_c(out, "Levelled off. ");
    say_fall(f, out);
    return true;
}

static bool is_learning(const Facts *f, StrBuilder *out) {
    str_add_c(out, "Learning. ");
    say_fall(f, out);
    return true;
}

// ---------------------------------------------------------------- the verdict
static const char *const names[] = {
#define X(name, words) words,
    VERDICTS(X)
#undef X
};

static Finding *const rules[VERDICT_COUNT] = {
    [VERDICT_TOO_SHORT] = is_too_short,
    [VERDICT_NOT_FINITE] = is_not_finite,
    [VERDICT_RATE_TOO_HIGH] = is_rate_too_high,
    [VERDICT_DIVERGING] = is_diverging,
    [VERDICT_FLAT] = is_flat,
    [VERDICT_OVERFITTING] = is_overfitting,
    [VERDICT_SPIKES] = has_spikes,
    [VERDICT_LEVEL] = is_level,
    [VERDICT_LEARNING] = is_learning,
};

const char *verdict_name(VerdictKind kind) {
    return names[kind];
}

Verdict verdict_make(Arena *arena, const History *history) {
    Facts facts = {.history = history};
    StrBuilder out = str_builder(arena);
    int kind = 0;
    gather(&facts, arena);
    if (facts.n >= STEPS_LEAST) measure(&facts);
    while (!rules[kind](&facts, &out)) kind++;
    return (Verdict){(VerdictKind)kind, str_built(&out)};
}
