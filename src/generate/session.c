// session.c - keeping a text and what the model remembers of it in step.
#include "generate/session.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_CHUNK = 512 };

// ---------------------------------------------------------------- life
static bool session_init(Session *s, Error *err) {
    if (!arena_init(&s->arena, ARENA_DEFAULT, err) || !run_open(&s->run, s->options.pool, err))
        return false;
    if (s->options.kernels) s->run.kernels = s->options.kernels;
    s->run.exact = s->options.exact;
    s->run.switches = s->options.switches;
    s->run.probe = s->options.probe;
    s->state = state_open(s->model, s->options.cache, s->context, err);
    if (!s->state) return false;
    s->ids = arena_new(&s->arena, int32_t, s->context);
    s->logits = arena_new(&s->arena, float, s->model->config.vocab);
    return model_plan(&s->run, s->model, s->state, s->options.chunk, 1, err);
}

Session *session_open(const Model *model, SessionOptions options, Error *err) {
    Session *s = calloc(1, sizeof *s);
    if (!s) {
        error_set(err, ERROR_MEMORY, "no memory for a session");
        return NULL;
    }
    s->model = model;
    s->context = options.context > 0 ? options.context : model->config.context;
    if (options.chunk <= 0) options.chunk = DEFAULT_CHUNK;
    // Without a cache the whole text is one chunk each time.
    if (options.chunk > s->context || options.switches.no_cache) options.chunk = s->context;
    s->options = options;
    bool has_learned_positions = model->embed_positions.data != NULL;
    if (has_learned_positions && s->context > model->config.context)
        error_set(err, ERROR_LIMIT, "a context of %lld: the model has learned %lld positions",
                  (long long)s->context, (long long)model->config.context);
    else if (session_init(s, err))
        return s;
    session_close(s);
    return NULL;
}

void session_close(Session *session) {
    if (!session) return;
    state_close(session->state);
    run_close(&session->run);
    arena_drop(&session->arena);
    free(session);
}

// ---------------------------------------------------------------- computing
// The next n tokens of s->ids behind what the state remembers; logits of the last one.
static void compute_chunk(Session *s, int64_t n) {
    int64_t from = s->state->n;
    Span span = {.n = n, .position = from};
    int32_t last = (int32_t)(n - 1);
    Batch batch = {.ids = s->ids + from,
                   .n = n,
                   .span = &span,
                   .n_spans = 1,
                   .state = &s->state,
                   .logit_row = &last,
                   .n_logits = 1};
    if (n == 1) pool_token_begin(s->run.pool);
    run_begin(&s->run);
    Tensor *logits = model_forward(&s->run, s->model, &batch);
    if (n == 1) pool_token_end(s->run.pool);
    memcpy(s->logits, logits->data, sizeof(float) * (size_t)s->model->config.vocab);
    s->n_computed += n;
}

// Computes from what the state remembers up to `end`.  On failure the text is what was computed.
static bool advance(Session *s, int64_t end, Error *err) {
    bool ok = true;
    while (ok && s->state->n < end) {
        int64_t left = end - s->state->n;
        // The last token of a text goes alone, so that a recurrent memory has a snapshot before it:
        // its logits can be asked for again.
        if (s->state->n_carry && left > 1 && left <= s->options.chunk) left--;
        if (s->options.keep_going && !s->options.keep_going(s->options.user))
            ok = error_set(err, ERROR_CANCELLED, "stopped after %lld of %lld tokens",
                           (long long)s->state->n, (long long)end);
        else
            compute_chunk(s, left < s->options.chunk ? left : s->options.chunk);
        if (s->state->n == end - 1) state_mark(s->state);
    }
    s->n = s->state->n;
    return ok && model_intact(s->model, err);
}

static bool check_ids(const Session *s, const int32_t *ids, int64_t n, Error *err) {
    if (n < 1) return error_set(err, ERROR_USAGE, "an empty text has no next token");
    if (n > s->context)
        return error_set(err, ERROR_LIMIT, "%lld tokens do not fit a context of %lld", (long long)n,
                         (long long)s->context);
    for (int64_t i = 0; i < n; i++)
        if (ids[i] < 0 || ids[i] >= s->model->config.vocab)
            return error_set(err, ERROR_FORMAT, "token %d is not in a vocabulary of %lld", ids[i],
                             (long long)s->model->config.vocab);
    return true;
}

bool session_sync(Session *s, const int32_t *ids, int64_t n, Error *err) {
    if (!check_ids(s, ids, n, err)) return false;
    int64_t common = 0;
    while (common < n && common < s->n && ids[common] == s->ids[common]) common++;
    // The last token goes through again if nothing is new: its logits are asked for.
    bool is_same = common == n && s->n == n;
    if (is_same && !s->options.switches.no_cache) return true;
    int64_t kept = s->options.switches.no_cache ? 0 : common == n ? n - 1 : common;
    kept = state_nearest(s->state, kept); // recurrent layers cannot go back to any position
    if (!state_cut(s->state, kept, err)) return false;
    memcpy(s->ids + kept, ids + kept, sizeof *ids * (size_t)(n - kept));
    return advance(s, n, err);
}

bool session_add(Session *s, int32_t id, Error *err) {
    if (!check_ids(s, &id, 1, err)) return false;
    if (s->n >= s->context)
        return error_set(err, ERROR_LIMIT, "the context of %lld tokens is full",
                         (long long)s->context);
    if (s->options.switches.no_cache && !state_cut(s->state, 0, err)) return false;
    s->ids[s->n] = id;
    return advance(s, s->n + 1, err);
}

void session_fork(Session *to, const Session *from) {
    require(to->context == from->context);
    state_fork(to->state, from->state);
    memcpy(to->ids, from->ids, sizeof *from->ids * (size_t)from->n);
    memcpy(to->logits, from->logits, sizeof(float) * (size_t)from->model->config.vocab);
    to->n = from->n;
}
