// measure.c - how long a forward takes on this machine: attention, and everything else.
//
// Attention is what grows with the square: keys and values put away, scores, softmax, the sum of
// values.  A probe stands at both ends of it, at the turned keys and at the heads' results, and
// reads the clock; so it is the forward of everybody else that is measured, and no op knows of it.
// The same probe can want the pattern: then attention makes it whole, (H, T, S), instead of going
// through it in tiles.
#include "base/clock.h"
#include "generate/session.h"
#include "lab/answer.h"

typedef struct Stopwatch {
    Probe probe;
    Answer *answer;
    Session *session;
    double begun;     // the forward
    double entered;   // attention of a layer
    double attention; // seconds in it so far
    int32_t *n_read;  // (steps) tokens that were through after each chunk
    float *at;        // (steps) seconds from the beginning to that
    int64_t n_steps;
} Stopwatch;

static bool watch_wants(void *user, Site site, int layer) {
    (void)layer;
    const Stopwatch *w = user;
    bool is_plain = w->answer->request.measure.is_plain;
    return site == SITE_K_ROT || site == SITE_Z || (site == SITE_PATTERN && is_plain);
}

static Tensor *watch_at(void *user, Run *run, Site site, int layer, Tensor *value) {
    (void)run, (void)layer;
    Stopwatch *w = user;
    if (site == SITE_K_ROT) w->entered = clock_seconds();
    if (site == SITE_Z) w->attention += clock_seconds() - w->entered;
    return value;
}

static void watch_step(Stopwatch *w) {
    w->n_read[w->n_steps] = (int32_t)w->session->state->n;
    w->at[w->n_steps++] = (float)(clock_seconds() - w->begun);
}

// Asked before each chunk: what is through by then is the end of the chunk before it.
static bool watch_goes_on(void *user) {
    Stopwatch *w = user;
    const LabOptions *o = &w->answer->lab->options;
    if (w->session->state->n > 0) watch_step(w);
    return !o->keep_going || o->keep_going(o->user);
}

// ---------------------------------------------------------------- the answer
typedef struct Reading {
    double seconds, attention;
    int32_t *n_read; // (n_steps)
    float *at;       // (n_steps)
    int64_t n_steps;
} Reading;

static void put_reading(Answer *a, const Session *s, const Reading *r) {
    JsonWriter *json = &a->trace.json;
    const MeasureWish *wish = &a->request.measure;
    json_key(json, "measured");
    json_begin_object(json);
    answer_put_count(json, "tokens", wish->tokens);
    answer_put_count(json, "chunk", wish->chunk);
    json_key(json, "plain");
    json_put_bool(json, wish->is_plain);
    answer_put_number(json, "seconds", r->seconds);
    answer_put_number(json, "attention_seconds", r->attention);
    answer_put_count(json, "step_bytes", (int64_t)run_planned_bytes(&s->run));
    answer_put_count(json, "kept_bytes", (int64_t)state_bytes(s->state));
    json_end_object(json);
    TraceArray array = {.name = "measured_tokens",
                        .axes = "(N)",
                        .layer = -1,
                        .type = TRACE_I32,
                        .rank = 1,
                        .dim = {r->n_steps},
                        .data = r->n_read};
    trace_add(&a->trace, array);
    array.name = "measured_seconds", array.type = TRACE_F32, array.data = r->at;
    trace_add(&a->trace, array);
}

// One forward over n tokens from nothing; the fastest so far is kept.
static bool read_once(Stopwatch *w, const int32_t *ids, int64_t n, Reading *best, Error *err) {
    Session *s = w->session;
    Arena *arena = &w->answer->lab->arena;
    w->n_read = arena_new(arena, int32_t, n + 1);
    w->at = arena_new(arena, float, n + 1);
    w->n_steps = 0;
    s->n = 0; // forgets the text: the next one has nothing in common with it
    if (!state_cut(s->state, 0, err)) return false;
    w->attention = 0;
    w->begun = clock_seconds();
    if (!session_sync(s, ids, n, err)) return false;
    watch_step(w);
    double seconds = clock_seconds() - w->begun;
    if (best->n_steps && best->seconds <= seconds) return true;
    *best = (Reading){seconds, w->attention, w->n_read, w->at, w->n_steps};
    return true;
}

bool answer_measure(Answer *a, Error *err) {
    const MeasureWish *wish = &a->request.measure;
    int32_t *ids = arena_new(&a->lab->arena, int32_t, wish->tokens);
    for (int64_t i = 0; i < wish->tokens; i++) ids[i] = a->ids[i % a->n];
    Stopwatch watch = {.answer = a};
    watch.probe = (Probe){watch_wants, watch_at, &watch};
    SessionOptions options = {.pool = a->lab->options.pool,
                              .kernels = a->lab->options.kernels,
                              .context = wish->tokens,
                              .chunk = wish->chunk,
                              .cache = DTYPE_F32,
                              .exact = true,
                              .probe = &watch.probe,
                              .keep_going = watch_goes_on,
                              .user = &watch,
                              .switches = a->request.switches};
    options.switches.no_cache = false; // chunks go on from what the ones before them left
    Session *s = watch.session = session_open(a->lab->model, options, err);
    Reading best = {0};
    bool ok = s != NULL;
    for (int64_t i = 0; ok && i < wish->repeat; i++)
        ok = read_once(&watch, ids, wish->tokens, &best, err);
    if (ok) put_reading(a, s, &best);
    session_close(s);
    return ok;
}
