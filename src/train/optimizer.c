// optimizer.c - the moments, and AdamW's step over all pieces at once.
#include "train/optimizer.h"

#include <math.h>

static const char *const scale_names[] = {
#define X(name, word) #word,
    MUON_SCALES(X)
#undef X
};

const char *muon_scale_name(MuonScale scale) {
    return scale_names[scale];
}

bool muon_scale_from_name(Str name, MuonScale *scale) {
    for (int i = 0; i < MUON_SCALE_COUNT; i++) {
        if (!str_equal(name, str_from(scale_names[i]))) continue;
        *scale = (MuonScale)i;
        return true;
    }
    return false;
}

OptimizerSpec optimizer_default(void) {
    return (OptimizerSpec){.beta1 = 0.9,
                           .beta2 = 0.95,
                           .epsilon = 1e-8,
                           .decay = 0.1,
                           .momentum = 0.95,
                           .muon_rate = 20,
                           .muon_scale = MUON_SCALE_ORIGINAL,
                           .threads = 1};
}

static bool spec_check(const OptimizerSpec *s, Error *err) {
    const struct {
        const char *name;
        double value, least;
        bool is_above, is_share; // above `least`, not at it; below 1
    } fields[] = {
        {"beta1", s->beta1, 0, false, true},       {"beta2", s->beta2, 0, false, true},
        {"epsilon", s->epsilon, 0, true, false},   {"decay", s->decay, 0, false, false},
        {"momentum", s->momentum, 0, false, true}, {"muon_rate", s->muon_rate, 0, true, false},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        double x = fields[i].value;
        bool ok = isfinite(x) && x >= 0 && !(fields[i].is_above && x == 0) &&
                  !(fields[i].is_share && x >= 1);
        if (!ok)
            return error_set(err, ERROR_USAGE, "optimizer: %s is %g, must be %s%s", fields[i].name,
                             x, fields[i].is_above ? "above 0" : "at least 0",
                             fields[i].is_share ? " and below 1" : "");
    }
    return true;
}

bool optimizer_init(Optimizer *o, const Parameters *parameters, OptimizerSpec spec, Error *err) {
    *o = (Optimizer){.spec = spec, .parameters = *parameters};
    if (!spec_check(&spec, err)) return false;
    int64_t n_scratch = 0;
    for (int64_t i = 0; i < parameters->n; i++) {
        const Parameter *p = &parameters->list[i];
        bool is_muon = p->rule == RULE_MUON;
        int64_t scratch = is_muon ? muon_scratch(p->rows, p->cols, &spec) : 0;
        n_scratch = scratch > n_scratch ? scratch : n_scratch;
        o->n_moments += parameter_count(p) * (is_muon ? 1 : 2);
    }
    size_t bytes = sizeof(float) * (size_t)(o->n_moments + n_scratch);
    if (!arena_init(&o->arena, bytes + sizeof(int64_t) * (size_t)parameters->n + 256, err))
        return error_wrap(err, "the optimizer's moments");
    o->moments = arena_push_aligned(&o->arena, sizeof(float) * (size_t)o->n_moments, 64);
    o->scratch = arena_push_aligned(&o->arena, sizeof(float) * (size_t)n_scratch, 64);
    o->first_moment = arena_new(&o->arena, int64_t, parameters->n);
    for (int64_t i = 0; i < o->n_moments; i++) o->moments[i] = 0;
    int64_t next = 0;
    for (int64_t i = 0; i < parameters->n; i++) {
        const Parameter *p = &parameters->list[i];
        o->first_moment[i] = next;
        next += parameter_count(p) * (p->rule == RULE_MUON ? 1 : 2);
    }
    return true;
}

void optimizer_drop(Optimizer *o) {
    arena_drop(&o->arena);
    *o = (Optimizer){0};
}

// ---------------------------------------------------------------- AdamW
typedef struct AdamwWork {
    const Optimizer *o;
    const Kernels *kernels;
    StepSpec step;
    double root, rate; // without the corrections for moments that began at zero
} AdamwWork;

static void adamw_piece(const AdamwWork *work, const Piece *piece) {
    const Optimizer *o = work->o;
    const OptimizerSpec *spec = &o->spec;
    const Parameter *p = &o->parameters.list[piece->parameter];
    if (p->rule != RULE_ADAMW) return;
    float *m = o->moments + o->first_moment[piece->parameter];
    double keep = p->is_decayed ? 1 - work->step.rate * spec->decay : 1;
    work->kernels->adamw(&(AdamwJob){.value = p->value + piece->from,
                                     .m = m + piece->from,
                                     .v = m + parameter_count(p) + piece->from,
                                     .grad = p->grad + piece->from,
                                     .n = piece->n,
                                     .scale = (float)work->step.gradient_scale,
                                     .mix1 = (float)(1 - spec->beta1),
                                     .beta2 = (float)spec->beta2,
                                     .mix2 = (float)(1 - spec->beta2),
                                     .root = (float)work->root,
                                     .epsilon = (float)spec->epsilon,
                                     .keep = (float)keep,
                                     .rate = (float)work->rate});
}

static void adamw_task(void *arg, int64_t begin, int64_t end, int worker) {
    const AdamwWork *work = arg;
    (void)worker;
    for (int64_t i = begin; i < end; i++) adamw_piece(work, &work->o->parameters.piece[i]);
}

void optimizer_step(Optimizer *o, const Kernels *kernels, Pool *pool, StepSpec step) {
    double t = (double)++o->step;
    AdamwWork work = {.o = o,
                      .kernels = kernels,
                      .step = step,
                      .root = sqrt(1 - pow(o->spec.beta2, t)),
                      .rate = step.rate / (1 - pow(o->spec.beta1, t))};
    pool_run(pool, adamw_task, &work, o->parameters.n_pieces, 1);
    for (int64_t i = 0; i < o->parameters.n; i++)
        if (o->parameters.list[i].rule == RULE_MUON) muon_step(o, i, kernels, pool, step);
}
