// beam.c - beam search as Hugging Face transformers defines it (its vectorised form, since 4.50).
//
// A step: collect the best candidates of all beams, so many that n_beams of them go on even if all
// end tokens come first; file those that end; make the others the beams of the next step.
#include "generate/beam.h"

#include <math.h>
#include <string.h>

#include "generate/softmax.h"

// A beam that runs or is finished.  Tokens lie in a block of the search, tokens_max for each.
typedef struct Beam {
    int32_t *token;
    int64_t n;
    bool has_ended;
    double log_prob;
    double score; // of finished ones
} Beam;

typedef struct Continuation {
    double log_prob;
    int32_t beam, token;
} Continuation;

typedef struct Search {
    BeamOptions options;
    const BeamModel *model;
    Beam *running, *next; // (n_beams) each; they change places after every step
    int n_running;
    Beam *finished; // (n_beams) best first
    int n_finished;
    Continuation *best; // (best_max) of this step, best first
    int n_best, best_max;
    float *logits; // (n_beams, V)
} Search;

static bool check_options(const BeamOptions *o, int64_t n_vocab, Error *err) {
    if (o->n_beams < 1 || o->n_beams > BEAMS_MAX)
        return error_set(err, ERROR_USAGE, "beams %d: must be from 1 to %d", o->n_beams, BEAMS_MAX);
    if (o->n_best < 1 || o->n_best > o->n_beams)
        return error_set(err, ERROR_USAGE, "n_best %d: must be from 1 to the %d beams", o->n_best,
                         o->n_beams);
    if (o->tokens_max < 1 || o->tokens_max > BEAM_TOKENS_MAX)
        return error_set(err, ERROR_USAGE, "tokens_max %lld: must be from 1 to %d",
                         (long long)o->tokens_max, BEAM_TOKENS_MAX);
    if (!(fabs(o->length_penalty) <= 10)) // a NaN fails
        return error_set(err, ERROR_USAGE, "length_penalty %g: must be from -10 to 10",
                         o->length_penalty);
    if (o->n_end < 0 || o->n_end > BEAM_ENDS_MAX)
        return error_set(err, ERROR_USAGE, "%d end tokens: at most %d are possible", o->n_end,
                         BEAM_ENDS_MAX);
    for (int i = 0; i < o->n_end; i++) {
        if (o->end[i] < 0 || o->end[i] >= n_vocab)
            return error_set(err, ERROR_USAGE, "end token %d is not in the vocabulary of %lld",
                             o->end[i], (long long)n_vocab);
    }
    return true;
}

static Beam *make_beams(Arena *arena, const BeamOptions *o) {
    Beam *beams = arena_new(arena, Beam, o->n_beams);
    int32_t *tokens =
        arena_push(arena, sizeof *tokens * (size_t)o->n_beams * (size_t)o->tokens_max);
    for (int i = 0; i < o->n_beams; i++) beams[i].token = tokens + i * o->tokens_max;
    return beams;
}

// Makes `beam` a copy of `from` followed by a token; its memory stays its own.
static void extend(Beam *beam, const Beam *from, Continuation c) {
    memcpy(beam->token, from->token, sizeof *beam->token * (size_t)from->n);
    beam->token[from->n] = c.token;
    beam->n = from->n + 1;
    beam->log_prob = c.log_prob;
}

// ---- a step

// Puts a continuation where it belongs among the best; equal ones stay in the order of arrival.
static void offer(Search *s, Continuation c) {
    if (s->n_best == s->best_max) {
        if (c.log_prob <= s->best[s->n_best - 1].log_prob) return;
        s->n_best--;
    }
    int at = s->n_best++;
    for (; at > 0 && s->best[at - 1].log_prob < c.log_prob; at--) s->best[at] = s->best[at - 1];
    s->best[at] = c;
}

static bool collect(Search *s, Error *err) {
    s->n_best = 0;
    int64_t n_vocab = s->model->n_vocab;
    for (int32_t beam = 0; beam < s->n_running; beam++) {
        const float *logits = s->logits + beam * n_vocab;
        if (!logits_check(logits, n_vocab, err)) return false;
        double origin = s->running[beam].log_prob - softmax_log_total(logits, n_vocab);
        for (int64_t token = 0; token < n_vocab; token++) {
            double log_prob = (double)logits[token] + origin;
            if (log_prob > -HUGE_VAL) offer(s, (Continuation){log_prob, beam, (int32_t)token});
        }
    }
    return true;
}

static bool is_end(const BeamOptions *o, int32_t token) {
    for (int i = 0; i < o->n_end; i++) {
        if (o->end[i] == token) return true;
    }
    return false;
}

// Files a finished continuation if it is among the best n_beams; earlier ones win ties.
static void finish(Search *s, Continuation c, bool has_ended) {
    const Beam *from = &s->running[c.beam];
    double score = c.log_prob / pow((double)(from->n + 1), s->options.length_penalty);
    if (s->n_finished == s->options.n_beams) {
        if (score <= s->finished[s->n_finished - 1].score) return;
        s->n_finished--;
    }
    int at = s->n_finished++;
    Beam beam = s->finished[at]; // its memory moves with it
    for (; at > 0 && s->finished[at - 1].score < score; at--) s->finished[at] = s->finished[at - 1];
    extend(&beam, from, c);
    beam.has_ended = has_ended;
    beam.score = score;
    s->finished[at] = beam;
}

// Shares the candidates out: those that end, and up to n_beams that go on.  Returns how many do.
static int share_out(Search *s, int32_t *parent, int32_t *token, bool is_last) {
    int n_next = 0;
    for (int i = 0; i < s->n_best && n_next < s->options.n_beams; i++) {
        Continuation c = s->best[i];
        bool has_ended = is_end(&s->options, c.token);
        if (has_ended || is_last) {
            if (i < s->options.n_beams) finish(s, c, has_ended);
            continue;
        }
        parent[n_next] = c.beam;
        token[n_next] = c.token;
        extend(&s->next[n_next++], &s->running[c.beam], c);
    }
    Beam *before = s->running;
    s->running = s->next;
    s->next = before;
    return n_next;
}

// Whether a running beam can still better the finished ones, as far as `stop` wants to know.
static bool goes_on(const Search *s) {
    const BeamOptions *o = &s->options;
    if (s->n_running == 0) return false;
    if (s->n_finished < o->n_beams) return true;
    if (o->stop == BEAM_STOP_FULL) return false;
    bool to_limit = o->stop == BEAM_STOP_NEVER && o->length_penalty > 0;
    double length = (double)(to_limit ? o->tokens_max : s->running[0].n);
    double hoped = s->running[0].log_prob / pow(length, o->length_penalty);
    return hoped > s->finished[s->n_finished - 1].score;
}

static void report(const Search *s, Arena *arena, BeamResult *result) {
    int n = s->n_finished < s->options.n_best ? s->n_finished : s->options.n_best;
    BeamText *text = arena_new(arena, BeamText, n);
    for (int i = 0; i < n; i++) {
        const Beam *beam = &s->finished[i];
        text[i] = (BeamText){beam->token, beam->n, beam->has_ended, beam->log_prob, beam->score};
    }
    result->text = text;
    result->n = n;
}

bool beam_search(Arena *arena, const BeamModel *model, const float *logits,
                 const BeamOptions *options, BeamResult *result, Error *err) {
    if (!check_options(options, model->n_vocab, err)) return false;
    int n_beams = options->n_beams;
    Search s = {.options = *options, .model = model, .n_running = 1};
    s.running = make_beams(arena, options);
    s.next = make_beams(arena, options);
    s.finished = make_beams(arena, options);
    s.best_max = n_beams * (options->n_end > 0 ? 1 + options->n_end : 2);
    s.best = arena_new(arena, Continuation, s.best_max);
    s.logits = arena_push(arena, sizeof(float) * (size_t)n_beams * (size_t)model->n_vocab);
    memcpy(s.logits, logits, sizeof(float) * (size_t)model->n_vocab);
    *result = (BeamResult){0};
    int32_t parent[BEAMS_MAX], token[BEAMS_MAX];
    for (;;) {
        if (!collect(&s, err)) return false;
        bool is_last = ++result->n_steps == options->tokens_max;
        s.n_running = share_out(&s, parent, token, is_last);
        if (!goes_on(&s)) break;
        if (!model->advance(model->user, parent, token, s.n_running, s.logits, err)) return false;
    }
    report(&s, arena, result);
    return true;
}
