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

// A chunk of the forward, and the least that each part of it took in any of the repetitions: what
// other programs take of the machine meanwhile is no cost of the model.
typedef struct Lap {
    int32_t n_read; // tokens that are through when it ends
    double attention, rest;
} Lap;

typedef struct Stopwatch {
    Probe probe;
    Answer *answer;
    Session *session;
    double begun;     // the chunk
    double entered;   // attention of a layer; 0: outside
    double attention; // seconds in it since the chunk began
    Lap *lap;         // (n_laps)
    int64_t n_laps;
    int64_t at; // the one that runs
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
    // The results of other mixers have the same name, and no keys before them.
    if (site == SITE_Z && w->entered > 0) w->attention += clock_seconds() - w->entered;
    if (site == SITE_Z) w->entered = 0;
    return value;
}

static void lap_begin(Stopwatch *w) {
    w->attention = 0;
    w->begun = clock_seconds();
}

static void lap_end(Stopwatch *w) {
    double attention = w->attention, rest = clock_seconds() - w->begun - attention;
    Lap *lap = &w->lap[w->at++];
    bool is_first = w->at > w->n_laps;
    if (is_first) w->n_laps = w->at;
    lap->n_read = (int32_t)w->session->state->n;
    if (is_first || attention < lap->attention) lap->attention = attention;
    if (is_first || rest < lap->rest) lap->rest = rest;
}

// Asked before each chunk: what is through by then is the end of the chunk before it.
static bool watch_goes_on(void *user) {
    Stopwatch *w = user;
    const LabOptions *o = &w->answer->lab->options;
    if (w->session->state->n > 0) lap_end(w);
    if (o->keep_going && !o->keep_going(o->user)) return false;
    lap_begin(w);
    return true;
}

// ---------------------------------------------------------------- the answer
static void put_laps(Answer *a, const Stopwatch *w) {
    Arena *arena = &a->lab->arena;
    int32_t *n_read = arena_new(arena, int32_t, w->n_laps);
    float *at = arena_new(arena, float, w->n_laps);
    double seconds = 0;
    for (int64_t i = 0; i < w->n_laps; i++) {
        seconds += w->lap[i].attention + w->lap[i].rest;
        n_read[i] = w->lap[i].n_read;
        at[i] = (float)seconds;
    }
    TraceArray array = {.name = "measured_tokens",
                        .axes = "(N)",
                        .layer = -1,
                        .type = TRACE_I32,
                        .rank = 1,
                        .dim = {w->n_laps},
                        .data = n_read};
    trace_add(&a->trace, array);
    array.name = "measured_seconds", array.type = TRACE_F32, array.data = at;
    trace_add(&a->trace, array);
}

static void put_measured(Answer *a, const Stopwatch *w) {
    JsonWriter *json = &a->trace.json;
    const MeasureWish *wish = &a->request.measure;
    double attention = 0, rest = 0;
    for (int64_t i = 0; i < w->n_laps; i++) {
        attention += w->lap[i].attention;
        rest += w->lap[i].rest;
    }
    json_key(json, "measured");
    json_begin_object(json);
    answer_put_count(json, "tokens", wish->tokens);
    answer_put_count(json, "chunk", wish->chunk);
    json_key(json, "plain");
    json_put_bool(json, wish->is_plain);
    answer_put_number(json, "seconds", attention + rest);
    answer_put_number(json, "attention_seconds", attention);
    answer_put_number(json, "rest_seconds", rest);
    answer_put_count(json, "step_bytes", (int64_t)run_planned_bytes(&w->session->run));
    answer_put_count(json, "kept_bytes", (int64_t)state_bytes(w->session->state));
    json_end_object(json);
    put_laps(a, w);
}

// One forward over n tokens from nothing.
static bool run_once(Stopwatch *w, const int32_t *ids, int64_t n, Error *err) {
    Session *s = w->session;
    s->n = 0; // forgets the text: the next one has nothing in common with it
    w->at = 0;
    if (!session_sync(s, ids, n, err)) return false;
    lap_end(w);
    return true;
}

bool answer_measure(Answer *a, Error *err) {
    const MeasureWish *wish = &a->request.measure;
    int32_t *ids = arena_new(&a->lab->arena, int32_t, wish->tokens);
    for (int64_t i = 0; i < wish->tokens; i++) ids[i] = a->ids[i % a->n];
    Stopwatch watch = {.answer = a, .lap = arena_new(&a->lab->arena, Lap, wish->tokens)};
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
    bool ok = s != NULL;
    for (int64_t i = 0; ok && i < wish->repeat; i++) ok = run_once(&watch, ids, wish->tokens, err);
    if (ok) put_measured(a, &watch);
    session_close(s);
    return ok;
}
