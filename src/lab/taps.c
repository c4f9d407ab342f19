// taps.c - the one forward of an answer: what was asked for is copied out of it.
#include <string.h>

#include "lab/answer.h"

// ---------------------------------------------------------------- how much
// A probe that copies nothing and counts what the capture would copy.  A dry run has the shapes.
typedef struct Tally {
    Probe probe;
    const Capture *capture;
    size_t bytes;
} Tally;

static bool tally_wants(void *user, Site site, int layer) {
    const Tally *t = user;
    return t->capture->probe.wants(t->capture->probe.user, site, layer);
}

static Tensor *tally_at(void *user, Run *run, Site site, int layer, Tensor *value) {
    (void)run;
    if (tally_wants(user, site, layer)) ((Tally *)user)->bytes += tensor_bytes(value);
    return value;
}

// ---------------------------------------------------------------- the forward
static void want(Capture *c, Site site, int layer) {
    for (int i = 0; i < c->n_wants; i++)
        if (c->want[i].site == site && (c->want[i].layer < 0 || c->want[i].layer == layer)) return;
    c->want[c->n_wants++] = (CaptureWant){site, layer};
}

// Copied once out of the forward, once more into the trace.
static bool check_size(const Answer *a, size_t bytes, Error *err) {
    size_t vocabulary = 256 * (size_t)a->lab->model->config.vocab;
    return (bytes <= LAB_TRACE_MAX && arena_fits(&a->lab->arena, 2 * bytes + vocabulary)) ||
           error_set(err, ERROR_LIMIT,
                     "the answer would have %zu MB: ask for less, or a shorter text", bytes >> 20);
}

// Plans and runs the model over the text; the last token's logits are the result.
static bool forward(Answer *a, Tensor **logits, Error *err) {
    Run *run = &a->lab->run;
    SingleBatch single;
    Batch *batch = batch_single(&single, a->ids, a->n);
    int32_t last = (int32_t)(a->n - 1);
    batch->logit_row = &last;
    batch->n_logits = 1;
    Tally tally = {.capture = &a->capture};
    tally.probe = (Probe){tally_wants, tally_at, &tally};
    run->probe = &tally.probe;
    run_plan_begin(run);
    model_forward(run, a->lab->model, batch);
    run->probe = &a->capture.probe;
    if (!run_allocate(run, err) || !check_size(a, tally.bytes, err)) return false;
    *logits = model_forward(run, a->lab->model, batch);
    return model_intact(a->lab->model, err);
}

static const char *axes_of(Site site) {
    static const char *const axes[] = {
#define X(name, words, shape) [SITE_##name] = shape,
        SITES(X)
#undef X
    };
    return axes[site];
}

static bool is_asked_for(const LabRequest *r, const Captured *item) {
    for (int i = 0; i < r->n_taps; i++)
        if (r->tap[i].site == item->site && (r->tap[i].layer < 0 || r->tap[i].layer == item->layer))
            return true;
    return false;
}

bool answer_look(Answer *a, Error *err) {
    const LabRequest *r = &a->request;
    Tensor *logits;
    capture_init(&a->capture, &a->lab->arena, r->tap, r->n_taps);
    if (r->lens.is_wanted) {
        want(&a->capture, SITE_RESID_PRE, 0);
        want(&a->capture, SITE_RESID_POST, -1);
    }
    if (!answer_goes_on(a, err) || !forward(a, &logits, err)) return false;
    for (const Captured *item = a->capture.first; item; item = item->next) {
        if (!is_asked_for(r, item)) continue;
        TraceArray array = {.name = site_name(item->site),
                            .axes = axes_of(item->site),
                            .layer = item->layer,
                            .type = TRACE_F32,
                            .rank = item->value.rank,
                            .data = item->value.data};
        memcpy(array.dim, item->value.dim, sizeof array.dim);
        trace_add(&a->trace, array);
    }
    if (!r->wants_logits) return true;
    float *copy = arena_push(&a->lab->arena, tensor_bytes(logits));
    memcpy(copy, logits->data, tensor_bytes(logits));
    trace_add(&a->trace, (TraceArray){.name = "next_logits",
                                      .axes = "(V)",
                                      .layer = -1,
                                      .type = TRACE_F32,
                                      .rank = 1,
                                      .dim = {a->lab->model->config.vocab},
                                      .data = copy});
    return true;
}
