// beam_session.c - the memories behind a beam search.
//
// Each running beam holds a state.  When a beam has several children the first takes its state over
// and the others fork it; the states of beams without children become free.
#include "generate/beam_session.h"

#include <string.h>

typedef struct Beams {
    Session *session;
    Run run;
    State *state[BEAMS_MAX]; // of the running beams, in their order
    State *free[BEAMS_MAX];
    int n_running, n_free;
    int n_beams;
    Span span[BEAMS_MAX];
} Beams;

// ---------------------------------------------------------------- states
static void fork_states(Beams *b, const int32_t *parent, int n) {
    State *next[BEAMS_MAX] = {0};
    bool is_taken[BEAMS_MAX] = {0};
    for (int i = 0; i < n; i++) {
        if (is_taken[parent[i]]) continue;
        next[i] = b->state[parent[i]];
        is_taken[parent[i]] = true;
    }
    for (int p = 0; p < b->n_running; p++)
        if (!is_taken[p]) b->free[b->n_free++] = b->state[p];
    for (int i = 0; i < n; i++) {
        if (next[i]) continue;
        next[i] = b->free[--b->n_free];
        state_fork(next[i], b->state[parent[i]]);
    }
    memcpy(b->state, next, sizeof next);
    b->n_running = n;
}

static bool open_states(Beams *b, int64_t capacity, Error *err) {
    const Session *s = b->session;
    for (int i = 0; i < b->n_beams; i++) {
        State *state = state_open(s->model, s->state->dtype, capacity, err);
        if (!state) return false;
        b->free[b->n_free++] = state;
    }
    b->state[0] = b->free[--b->n_free];
    b->n_running = 1;
    state_fork(b->state[0], s->state);
    return true;
}

static void close_states(Beams *b) {
    for (int i = 0; i < b->n_running; i++) state_close(b->state[i]);
    for (int i = 0; i < b->n_free; i++) state_close(b->free[i]);
}

// ---------------------------------------------------------------- forward
static Batch batch_of(Beams *b, const int32_t *token) {
    for (int i = 0; i < b->n_running; i++)
        b->span[i] = (Span){.first = i, .n = 1, .position = b->state[i]->n};
    return (Batch){.ids = token,
                   .n = b->n_running,
                   .span = b->span,
                   .n_spans = b->n_running,
                   .state = b->state};
}

static bool advance(void *user, const int32_t *parent, const int32_t *token, int n_beams,
                    float *logits, Error *err) {
    Beams *b = user;
    const SessionOptions *options = &b->session->options;
    if (options->keep_going && !options->keep_going(options->user))
        return error_set(err, ERROR_CANCELLED, "stopped");
    fork_states(b, parent, n_beams);
    Batch batch = batch_of(b, token);
    run_begin(&b->run);
    Tensor *y = model_forward(&b->run, b->session->model, &batch);
    memcpy(logits, y->data, sizeof(float) * (size_t)tensor_count(y));
    return model_intact(b->session->model, err);
}

// Room for a forward of n_beams rows, each behind a full memory.
static bool plan(Beams *b, int64_t capacity, Error *err) {
    const Session *s = b->session;
    static const int32_t zeros[BEAMS_MAX];
    if (!run_open(&b->run, s->options.pool, err)) return false;
    b->run.kernels = s->run.kernels;
    b->run.exact = s->run.exact;
    b->run.switches = s->run.switches;
    run_plan_begin(&b->run);
    for (int n = 1; n <= b->n_beams; n++) {
        Span span[BEAMS_MAX];
        State *state[BEAMS_MAX];
        for (int i = 0; i < n; i++) {
            span[i] = (Span){.first = i, .n = 1, .position = capacity - 1};
            state[i] = b->state[0];
        }
        run_begin(&b->run);
        model_forward(&b->run, s->model,
                      &(Batch){.ids = zeros, .n = n, .span = span, .n_spans = n, .state = state});
    }
    return run_allocate(&b->run, err);
}

// ---------------------------------------------------------------- ends
// The ids that end a text, at most BEAM_ENDS_MAX of them.
static int collect_ends(const Model *model, int32_t end[BEAM_ENDS_MAX]) {
    int n = 0;
    for (int64_t id = 0; id < model->config.vocab && n < BEAM_ENDS_MAX; id++)
        if (model_ends(model, (int32_t)id)) end[n++] = (int32_t)id;
    return n;
}

bool session_beams(Session *session, Arena *arena, const int32_t *ids, int64_t n,
                   BeamOptions options, BeamResult *result, Error *err) {
    int32_t end[BEAM_ENDS_MAX];
    if (options.n_beams < 1 || options.n_beams > BEAMS_MAX)
        return error_set(err, ERROR_USAGE, "beams: %d, must be from 1 to %d", options.n_beams,
                         BEAMS_MAX);
    if (!session_sync(session, ids, n, err)) return false;
    int64_t room = session->context - n + 1;
    if (options.tokens_max > room) options.tokens_max = room;
    if (!options.end) {
        options.n_end = collect_ends(session->model, end);
        options.end = end;
    }
    Beams *b = arena_new(arena, Beams, 1);
    *b = (Beams){.session = session, .n_beams = options.n_beams};
    BeamModel model = {.user = b, .n_vocab = session->model->config.vocab, .advance = advance};
    bool ok = open_states(b, session->context, err) && plan(b, session->context, err) &&
              beam_search(arena, &model, session->logits, &options, result, err);
    close_states(b);
    run_close(&b->run);
    return ok;
}
