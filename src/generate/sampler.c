// sampler.c - the stages, the two orders, the draw and the report.
//
// Biases and penalties come first in both orders: they find a token by its id, and only a set that
// no stage has narrowed yet holds token i at index i.  Nothing here needs a logarithm: in
// |-log p - entropy| the logarithm of the total cancels, and min-p compares weights.
#include "generate/sampler.h"

#include <math.h>
#include <string.h>

#include "generate/candidates.h"

struct Sampler {
    SamplerOptions options;
    CandidateSet set;
    int32_t *count; // (V) all zero between stages
    Rng rng;
};

// Below this temperature the largest logit is subtracted before dividing: no quotient overflows.
static const double TEMPERATURE_SMALL = 1e-3;

static const SamplerStage chain[][STAGE_COUNT] = {
    [ORDER_HUGGING_FACE] = {STAGE_LOGIT_BIAS, STAGE_REPETITION, STAGE_FREQUENCY, STAGE_PRESENCE,
                            STAGE_TEMPERATURE, STAGE_TOP_K, STAGE_TOP_P, STAGE_MIN_P,
                            STAGE_TYPICAL},
    [ORDER_LLAMA_CPP] = {STAGE_LOGIT_BIAS, STAGE_REPETITION, STAGE_FREQUENCY, STAGE_PRESENCE,
                         STAGE_TOP_K, STAGE_TYPICAL, STAGE_TOP_P, STAGE_MIN_P, STAGE_TEMPERATURE},
};

static const char *const stage_names[STAGE_COUNT] = {
#define X(name, words, neutral) [STAGE_##name] = words,
    SAMPLER_STAGES(X)
#undef X
};

static const double stage_neutral[STAGE_COUNT] = {
#define X(name, words, neutral) [STAGE_##name] = neutral,
    SAMPLER_STAGES(X)
#undef X
};

const char *sampler_stage_name(SamplerStage stage) {
    return stage_names[stage];
}

// ---- options

SamplerOptions sampler_neutral(void) {
    return (SamplerOptions){.temperature = 1, .top_p = 1, .typical = 1, .repetition = 1};
}

SamplerOptions sampler_defaults(void) {
    SamplerOptions options = sampler_neutral();
    options.temperature = 0.7;
    options.top_p = 0.9;
    return options;
}

static double stage_parameter(const SamplerOptions *o, SamplerStage stage) {
    switch (stage) {
    case STAGE_LOGIT_BIAS: return o->n_bias;
    case STAGE_REPETITION: return o->repetition;
    case STAGE_FREQUENCY: return o->frequency;
    case STAGE_PRESENCE: return o->presence;
    case STAGE_TEMPERATURE: return o->temperature;
    case STAGE_TOP_K: return (double)o->top_k;
    case STAGE_TOP_P: return o->top_p;
    case STAGE_MIN_P: return o->min_p;
    case STAGE_TYPICAL: return o->typical;
    case STAGE_COUNT: break;
    }
    require(!"a stage");
    return 0;
}

static bool check_bias(const LogitBias *bias, int64_t n_vocab, Error *err) {
    if (bias->id < 0 || bias->id >= n_vocab)
        return error_set(err, ERROR_USAGE, "logit_bias: token %d is not in the vocabulary of %lld",
                         bias->id, (long long)n_vocab);
    if (isnan(bias->bias) || bias->bias == INFINITY)
        return error_set(err, ERROR_USAGE, "logit_bias of token %d: not a finite number", bias->id);
    return true;
}

bool sampler_check(const SamplerOptions *options, int64_t n_vocab, Error *err) {
    static const struct {
        double low, high;
    } range[STAGE_COUNT] = {
        [STAGE_LOGIT_BIAS] = {0, INT32_MAX},
        [STAGE_REPETITION] = {0.001, 1000},
        [STAGE_FREQUENCY] = {-1000, 1000},
        [STAGE_PRESENCE] = {-1000, 1000},
        [STAGE_TEMPERATURE] = {0, 1000},
        [STAGE_TOP_K] = {0, INT32_MAX},
        [STAGE_TOP_P] = {0, 1},
        [STAGE_MIN_P] = {0, 1},
        [STAGE_TYPICAL] = {0, 1},
    };
    for (SamplerStage stage = 0; stage < STAGE_COUNT; stage++) {
        double value = stage_parameter(options, stage);
        if (!(value >= range[stage].low && value <= range[stage].high)) // a NaN fails both
            return error_set(err, ERROR_USAGE, "%s %g: must be from %g to %g", stage_names[stage],
                             value, range[stage].low, range[stage].high);
    }
    if (options->repetition_window < 0)
        return error_set(err, ERROR_USAGE, "repetition_window %lld: must not be negative",
                         (long long)options->repetition_window);
    if (options->order != ORDER_HUGGING_FACE && options->order != ORDER_LLAMA_CPP)
        return error_set(err, ERROR_USAGE, "order %d: there is no such order", (int)options->order);
    for (int i = 0; i < options->n_bias; i++) {
        if (!check_bias(&options->bias[i], n_vocab, err)) return false;
    }
    return true;
}

Sampler *sampler_make(Arena *arena, const SamplerOptions *options, int64_t n_vocab) {
    require(n_vocab >= 1 && n_vocab <= INT32_MAX);
    Sampler *s = arena_new(arena, Sampler, 1);
    s->options = *options;
    if (options->n_bias > 0) {
        LogitBias *bias = arena_new(arena, LogitBias, options->n_bias);
        memcpy(bias, options->bias, sizeof *bias * (size_t)options->n_bias);
        s->options.bias = bias;
    }
    s->count = arena_new(arena, int32_t, n_vocab);
    s->rng = rng_seed(options->seed);
    candidates_init(&s->set, arena, n_vocab);
    return s;
}

Rng *sampler_rng(Sampler *s) {
    return &s->rng;
}

// ---- the stages

static void apply_logit_bias(Sampler *s) {
    for (int i = 0; i < s->options.n_bias; i++)
        s->set.logit[s->options.bias[i].id] += (double)s->options.bias[i].bias;
    s->set.has_weight = false;
}

static void apply_repetition(Sampler *s, const SamplerInput *in) {
    int64_t window = s->options.repetition_window;
    int64_t begin = window > 0 && window < in->n_history ? in->n_history - window : 0;
    double penalty = s->options.repetition;
    for (int64_t i = begin; i < in->n_history; i++) {
        int32_t id = in->history[i];
        if (s->count[id]++ > 0) continue;
        double *logit = &s->set.logit[id];
        *logit = *logit > 0 ? *logit / penalty : *logit * penalty;
    }
    for (int64_t i = begin; i < in->n_history; i++) s->count[in->history[i]] = 0;
    s->set.has_weight = false;
}

// Frequency takes `each` for every time a token was generated, presence takes `once` for all.
static void apply_generated(Sampler *s, const SamplerInput *in, double each, double once) {
    for (int64_t i = in->n_prompt; i < in->n_history; i++) s->count[in->history[i]]++;
    for (int64_t i = in->n_prompt; i < in->n_history; i++) {
        int32_t id = in->history[i];
        if (s->count[id] == 0) continue;
        s->set.logit[id] -= each * s->count[id] + once;
        s->count[id] = 0;
    }
    s->set.has_weight = false;
}

static void apply_temperature(CandidateSet *set, double temperature) {
    if (temperature == 0) {
        candidates_keep_only(set, candidates_best(set));
        return;
    }
    double origin = temperature < TEMPERATURE_SMALL ? max_f64(set->logit, set->n) : 0;
    for (int64_t i = 0; i < set->n; i++) set->logit[i] = (set->logit[i] - origin) / temperature;
    set->has_weight = false;
}

static void apply_top_k(CandidateSet *set, int64_t k) {
    candidates_keep(set, set->logit, candidates_cut(set, set->logit, k, HUGE_VAL));
}

static void apply_top_p(CandidateSet *set, double p) {
    candidates_weigh(set);
    candidates_keep(set, set->logit, candidates_cut(set, set->logit, set->n, p * set->total));
}

static void apply_min_p(CandidateSet *set, double p) {
    candidates_weigh(set);
    double least = p * max_f64(set->weight, set->n);
    candidates_keep(set, set->weight, (Cut){.rank = least, .index = set->n});
}

// -log p_i - entropy = sum of p_j logit_j - logit_i.  A candidate whose weight is 0 comes last.
static void apply_typical(CandidateSet *set, double p) {
    candidates_weigh(set);
    double origin = max_f64(set->logit, set->n);
    for (int64_t i = 0; i < set->n; i++)
        set->rank[i] = set->weight[i] > 0 ? set->weight[i] * (set->logit[i] - origin) : 0;
    double mean = sum_f64(set->rank, set->n) / set->total;
    for (int64_t i = 0; i < set->n; i++) {
        double distance = fabs(mean - (set->logit[i] - origin));
        set->rank[i] = set->weight[i] > 0 ? -distance : -HUGE_VAL;
    }
    candidates_keep(set, set->rank, candidates_cut(set, set->rank, set->n, p * set->total));
}

static void apply_stage(Sampler *s, SamplerStage stage, const SamplerInput *in) {
    const SamplerOptions *o = &s->options;
    switch (stage) {
    case STAGE_LOGIT_BIAS: apply_logit_bias(s); return;
    case STAGE_REPETITION: apply_repetition(s, in); return;
    case STAGE_FREQUENCY: apply_generated(s, in, o->frequency, 0); return;
    case STAGE_PRESENCE: apply_generated(s, in, 0, o->presence); return;
    case STAGE_TEMPERATURE: apply_temperature(&s->set, o->temperature); return;
    case STAGE_TOP_K: apply_top_k(&s->set, o->top_k); return;
    case STAGE_TOP_P: apply_top_p(&s->set, o->top_p); return;
    case STAGE_MIN_P: apply_min_p(&s->set, o->min_p); return;
    case STAGE_TYPICAL: apply_typical(&s->set, o->typical); return;
    case STAGE_COUNT: break;
    }
    require(!"a stage");
}

// ---- the chain

// Where a chain that is watched reports to.
typedef struct Watch {
    Arena *arena;
    int64_t top;
    SamplerReport *report;
} Watch;

static Distribution distribution_of(CandidateSet *set, const Watch *watch) {
    candidates_weigh(set);
    int64_t n = candidates_sort(set, watch->top);
    Candidate *candidate = arena_new(watch->arena, Candidate, n);
    for (int64_t j = 0; j < n; j++) {
        int32_t i = set->order[j];
        candidate[j] = (Candidate){set->id[i], set->logit[i], set->weight[i] / set->total};
    }
    Distribution d = {.kept = candidates_left(set), .n = n, .candidate = candidate};
    // The rest is added up rather than subtracted from 1, so that a small one keeps its digits.
    memcpy(set->rank, set->weight, sizeof *set->rank * (size_t)set->n);
    for (int64_t j = 0; j < n; j++) set->rank[set->order[j]] = 0;
    d.rest_probability = sum_f64(set->rank, set->n) / set->total;
    return d;
}

// Runs the active stages on the set; `watch` may be NULL.
static bool run_chain(Sampler *s, const SamplerInput *in, const Watch *watch, Error *err) {
    for (int64_t i = 0; i < in->n_history; i++)
        require(in->history[i] >= 0 && in->history[i] < s->set.n_vocab);
    require(in->n_prompt >= 0 && in->n_prompt <= in->n_history);
    if (!candidates_load(&s->set, in->logits, err)) return false;
    if (watch) *watch->report = (SamplerReport){.model = distribution_of(&s->set, watch)};
    if (in->characters) {
        characters_forbid(in->characters, in->history, in->n_history, s->set.logit);
        s->set.has_weight = false;
    }
    for (int i = 0; i < STAGE_COUNT; i++) {
        SamplerStage stage = chain[s->options.order][i];
        double parameter = stage_parameter(&s->options, stage);
        if (parameter == stage_neutral[stage]) continue;
        apply_stage(s, stage, in);
        if (stage == STAGE_LOGIT_BIAS && candidates_left(&s->set) == 0)
            return error_set(err, ERROR_USAGE, "logit_bias forbids every token");
        if (!watch) continue;
        watch->report->stage[watch->report->n_stages++] =
            (StageReport){stage, parameter, distribution_of(&s->set, watch)};
    }
    return true;
}

bool sampler_choose(Sampler *s, const SamplerInput *in, Choice *choice, Error *err) {
    if (!run_chain(s, in, NULL, err)) return false;
    CandidateSet *set = &s->set;
    candidates_weigh(set);
    *choice = (Choice){.kept = candidates_left(set), .draw = -1};
    int64_t at = 0; // temperature 0 leaves one
    if (s->options.temperature > 0) {
        choice->draw = rng_uniform(&s->rng);
        at = candidates_cut(set, set->logit, set->n, choice->draw * set->total).index;
    }
    choice->id = set->id[at];
    choice->probability = set->weight[at] / set->total;
    return true;
}

bool sampler_explain(Sampler *s, const SamplerInput *in, int64_t top, Arena *arena,
                     SamplerReport *report, Error *err) {
    Watch watch = {arena, top, report};
    return run_chain(s, in, &watch, err);
}
