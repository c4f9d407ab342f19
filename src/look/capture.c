// capture.c - copying what a forward makes, as it makes it.
//
// Step memory is reused while the forward goes on, so a value can only be had by copying it at the
// moment when the probe is asked.
#include "look/capture.h"

#include <string.h>

static bool wants(void *user, Site site, int layer) {
    const Capture *c = user;
    for (int i = 0; i < c->n_wants; i++)
        if (c->want[i].site == site && (c->want[i].layer < 0 || c->want[i].layer == layer))
            return true;
    return false;
}

static Tensor *copy(void *user, Run *run, Site site, int layer, Tensor *value) {
    Capture *c = user;
    if (run->dry) return value;
    require(value->dtype == DTYPE_F32);
    Captured *item = arena_new(c->arena, Captured, 1);
    *item = (Captured){.site = site, .layer = layer, .value = *value};
    item->value.grad = NULL;
    item->value.data = arena_push_aligned(c->arena, tensor_bytes(value), 64);
    memcpy(item->value.data, value->data, tensor_bytes(value));
    if (c->last)
        c->last->next = item;
    else
        c->first = item;
    c->last = item;
    c->n++;
    return value;
}

void capture_init(Capture *capture, Arena *arena, const CaptureWant *want, int n_wants) {
    require(n_wants >= 0 && n_wants <= CAPTURE_WANTS_MAX);
    *capture = (Capture){.probe = {wants, copy, capture}, .arena = arena, .n_wants = n_wants};
    memcpy(capture->want, want, sizeof *want * (size_t)n_wants);
}

void capture_forget(Capture *capture) {
    capture->first = capture->last = NULL;
    capture->n = 0;
}

const Tensor *capture_find(const Capture *capture, Site site, int layer) {
    const Tensor *newest = NULL;
    for (const Captured *item = capture->first; item; item = item->next)
        if (item->site == site && item->layer == layer) newest = &item->value;
    return newest;
}
