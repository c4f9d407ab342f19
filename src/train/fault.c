// fault.c - the first value that is not a number, found by a probe that looks at all of them.
#include "train/fault.h"

#include <math.h>
#include <stdio.h>

#include "model/weights.h"

typedef struct Finder {
    const Model *model;
    bool found;
    char words[WEIGHT_NAME_MAX + 64];
} Finder;

static bool is_finite(const float *values, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

// Of f32 values; what a frozen weight holds otherwise was checked when it was written.
static bool is_good(const Tensor *t) {
    return t->dtype != DTYPE_F32 || is_finite(tensor_f32(t), tensor_count(t));
}

static void look_at_weight(void *user, const Weight *w, int layer) {
    Finder *f = user;
    char name[WEIGHT_NAME_MAX];
    const Adapter *adapter = w->tensor->adapter;
    bool is_adapter_good = !adapter || (is_good(&adapter->a) && is_good(&adapter->b));
    if (f->found || (is_good(w->tensor) && is_adapter_good)) return;
    f->found = true;
    snprintf(f->words, sizeof f->words, "a value of the %s %s",
             is_adapter_good ? "weight" : "adapter of",
             weight_name(f->model->arch, w, layer, false, name));
}

// A pattern is not looked at: it is infinite nowhere that its scores are not.
static bool wants(void *user, Site site, int layer) {
    (void)layer;
    return !((Finder *)user)->found && site != SITE_PATTERN;
}

static Tensor *look_at_value(void *user, Run *run, Site site, int layer, Tensor *value) {
    Finder *f = user;
    if (f->found || run->dry || is_finite(tensor_f32(value), tensor_count(value))) return value;
    f->found = true;
    snprintf(f->words, sizeof f->words, "a value of %s in layer %d", site_name(site), layer);
    return value;
}

bool fault_in_forward(Run *run, Model *model, const Batch *batch, int64_t step, Error *err) {
    Finder f = {.model = model};
    Probe probe = {wants, look_at_value, &f};
    weights_each(model, look_at_weight, &f);
    run->probe = &probe;
    run_begin(run);
    if (!f.found) model_hidden(run, model, batch);
    run->probe = NULL;
    return error_set(err, ERROR_FORMAT, "step %lld: the loss is not a number; first is %s",
                     (long long)step, f.found ? f.words : "a logit");
}
