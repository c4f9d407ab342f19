// steps.c - a generation in which every step can be looked at: the distribution before and after
// the sampler's stages, the random number, the token.
#include <math.h>

#include "generate/sampler.h"
#include "generate/session.h"
#include "lab/answer.h"

static double probability_of(const Distribution *d, int32_t id) {
    for (int64_t i = 0; i < d->n; i++)
        if (d->candidate[i].id == id) return d->candidate[i].probability;
    return 0;
}

static void put_number(JsonWriter *json, const char *key, double value) {
    json_key(json, key);
    json_put_number(json, value);
}

// The candidates that lead in the model's own distribution, with what the stages made of them.
static void put_candidates(JsonWriter *json, const Model *model, const SamplerReport *report) {
    const Distribution *last =
        report->n_stages > 0 ? &report->stage[report->n_stages - 1].after : &report->model;
    json_key(json, "candidates");
    json_begin_array(json);
    for (int64_t i = 0; i < report->model.n; i++) {
        const Candidate *c = &report->model.candidate[i];
        json_begin_object(json);
        answer_put_piece(json, model, c->id);
        put_number(json, "logit", c->logit);
        put_number(json, "model", c->probability);
        put_number(json, "sampled", probability_of(last, c->id));
        json_end_object(json);
    }
    json_end_array(json);
    put_number(json, "rest", report->model.rest_probability);
}

// What the model itself gives a token, from what it gives its first candidate.
static double own_probability(const SamplerReport *report, const float *logits, int32_t id) {
    const Candidate *first = &report->model.candidate[0];
    return first->probability * exp((double)logits[id] - first->logit);
}

static void put_step(JsonWriter *json, const Model *model, const SamplerReport *report,
                     const float *logits, const Choice *choice) {
    json_begin_object(json);
    answer_put_piece(json, model, choice->id);
    put_number(json, "probability", choice->probability);
    put_number(json, "model", own_probability(report, logits, choice->id));
    json_key(json, "kept");
    json_put_integer(json, choice->kept);
    if (choice->draw >= 0) put_number(json, "draw", choice->draw);
    if (model_ends(model, choice->id)) json_key(json, "ends");
    if (model_ends(model, choice->id)) json_put_bool(json, true);
    put_candidates(json, model, report);
    json_end_object(json);
}

// One token after another, until the model ends the text or it has the length asked for.
static bool write_steps(Answer *a, Session *s, Error *err) {
    Arena *arena = &a->lab->arena;
    const Model *model = a->lab->model;
    const GenerateWish *wish = &a->request.generate;
    Sampler *sampler = sampler_make(arena, &wish->sampling, model->config.vocab);
    Characters characters;
    characters_init(&characters, arena, model->tokenizer, model->config.vocab);
    for (int64_t i = 0; i < wish->tokens; i++) {
        SamplerInput in = {s->logits, s->ids, s->n, a->n, &characters};
        SamplerReport report;
        Choice choice;
        if (!answer_goes_on(a, err) ||
            !sampler_explain(sampler, &in, wish->top, arena, &report, err) ||
            !sampler_choose(sampler, &in, &choice, err))
            return false;
        put_step(&a->trace.json, model, &report, s->logits, &choice);
        if (model_ends(model, choice.id) || s->n == s->context) return true;
        if (i + 1 < wish->tokens && !session_add(s, choice.id, err)) return false;
    }
    return true;
}

bool answer_generate(Answer *a, Error *err) {
    JsonWriter *json = &a->trace.json;
    const GenerateWish *wish = &a->request.generate;
    int64_t context = a->lab->model->config.context, wanted = a->n + wish->tokens;
    SessionOptions options = {.pool = a->lab->options.pool,
                              .kernels = a->lab->options.kernels,
                              .context = wanted < context ? wanted : context,
                              .cache = DTYPE_F32,
                              .exact = true,
                              .keep_going = a->lab->options.keep_going,
                              .user = a->lab->options.user,
                              .switches = a->request.switches};
    Session *s = session_open(a->lab->model, options, err);
    bool ok = s && session_sync(s, a->ids, a->n, err);
    json_key(json, wish->beams ? "beams" : "generation");
    json_begin_array(json);
    ok = ok && (wish->beams ? answer_beams(a, s, err) : write_steps(a, s, err));
    json_end_array(json);
    session_close(s);
    return ok;
}
