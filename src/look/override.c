// override.c - a copy of what the forward made, with other rows.
#include "look/override.h"

#include <string.h>

static bool wants(void *user, Site site, int layer) {
    const Override *o = user;
    for (int64_t i = 0; i < o->n; i++)
        if (o->row[i].site == site && o->row[i].layer == layer) return true;
    return false;
}

static Tensor *put(void *user, Run *run, Site site, int layer, Tensor *value) {
    const Override *o = user;
    int64_t width = tensor_cols(value);
    require(value->dtype == DTYPE_F32 && !run->tape);
    Tensor *other = run_new(run, value->rank, value->dim);
    if (run->dry) return other;
    memcpy(other->data, value->data, tensor_bytes(value));
    for (int64_t i = 0; i < o->n; i++) {
        const OverrideRow *r = &o->row[i];
        if (r->site != site || r->layer != layer) continue;
        require(r->row >= 0 && r->row < tensor_rows(value));
        float *row = tensor_f32(other) + r->row * width;
        if (r->adds)
            run->kernels->add(row, row, r->values, width);
        else
            memcpy(row, r->values, sizeof(float) * (size_t)width);
    }
    return other;
}

void override_init(Override *o, Arena *arena) {
    *o = (Override){.probe = {wants, put, o}, .arena = arena};
    o->row = arena_new(arena, OverrideRow, OVERRIDE_ROWS_MAX);
}

void override_set(Override *o, OverrideRow row) {
    require(o->n < OVERRIDE_ROWS_MAX);
    o->row[o->n++] = row;
}

void override_forget(Override *o) {
    o->n = 0;
}
