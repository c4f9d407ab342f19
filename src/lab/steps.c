// steps.c - a generation in which every step can be looked at: the distribution before and after
// the sampler's stages, the random number, the token.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "generate/sampler.h"
#include "generate/session.h"
#include "lab/answer.h"

static double probability_of(const Distribution *d, int32_t id) {
    for (int64_t i = 0; i < d->n; i++)
        if (d->candidate[i].id == id) return d->candidate[i].probability;
    return 0;
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
        answer_put_number(json, "logit", c->logit);
        answer_put_number(json, "model", c->probability);
        answer_put_number(json, "sampled", probability_of(last, c->id));
        json_end_object(json);
    }
    json_end_array(json);
    answer_put_number(json, "rest", report->model.rest_probability);
}

// What the model itself gives a token, from what it gives its first candidate.
static double own_probability(const SamplerReport *report, const float *logits, int32_t id) {
    const Candidate *first = &report->model.candidate[0];
    return first->probability * exp((double)logits[id] - first->logit);
}

static void put_step(JsonWriter *json, const Model *model, const SamplerReport *report,
                     const float *logits, const Choice *choice, int64_t computed) {
    json_begin_object(json);
    answer_put_piece(json, model, choice->id);
    answer_put_number(json, "probability", choice->probability);
    answer_put_number(json, "model", own_probability(report, logits, choice->id));
    answer_put_count(json, "kept", choice->kept);
    if (choice->draw >= 0) answer_put_number(json, "draw", choice->draw);
    answer_put_count(json, "computed", computed);
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
    int64_t computed = 0; // tokens that had gone through the model at the last step
    characters_init(&characters, arena, model->tokenizer, model->config.vocab);
    for (int64_t i = 0; i < wish->tokens; i++) {
        SamplerInput in = {s->logits, s->ids, s->n, a->n, &characters};
        SamplerReport report;
        Choice choice;
        if (!answer_goes_on(a, err) ||
            !sampler_explain(sampler, &in, wish->top, arena, &report, err) ||
            !sampler_choose(sampler, &in, &choice, err))
            return false;
        put_step(&a->trace.json, model, &report, s->logits, &choice, s->n_computed - computed);
        computed = s->n_computed;
        if (model_ends(model, choice.id) || s->n == s->context) return true;
        if (i + 1 < wish->tokens && !session_add(s, choice.id, err)) return false;
    }
    return true;
}

// The same steps again, for their time alone: of each the least, from the token that is new to the
// logits.  The session's text is that of all steps but the last.
static bool time_steps(Answer *a, Session *s, Error *err) {
    Arena *arena = &a->lab->arena;
    int64_t n_steps = s->n - a->n + 1;
    float *least = arena_new(arena, float, n_steps);
    int32_t *ids = arena_new(arena, int32_t, s->n);
    memcpy(ids, s->ids, sizeof *ids * (size_t)s->n);
    for (int64_t r = 0; r < a->request.generate.repeat; r++) {
        s->n = 0; // forgets the text: the next one has nothing in common with it
        for (int64_t i = 0; i < n_steps; i++) {
            if (!answer_goes_on(a, err)) return false;
            double begun = clock_seconds();
            bool ok =
                i == 0 ? session_sync(s, ids, a->n, err) : session_add(s, ids[a->n + i - 1], err);
            if (!ok) return false;
            float seconds = (float)(clock_seconds() - begun);
            if (r == 0 || seconds < least[i]) least[i] = seconds;
        }
    }
    trace_add(&a->trace, (TraceArray){.name = "step_seconds",
                                      .axes = "(N)",
                                      .layer = -1,
                                      .type = TRACE_F32,
                                      .rank = 1,
                                      .dim = {n_steps},
                                      .data = least});
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
    json_key(json, wish->beams ? "beams" : "generation");
    json_begin_array(json);
    bool ok = s && session_sync(s, a->ids, a->n, err) &&
              (wish->beams ? answer_beams(a, s, err) : write_steps(a, s, err));
    json_end_array(json);
    ok = ok && (wish->repeat == 0 || time_steps(a, s, err));
    session_close(s);
    return ok;
}
