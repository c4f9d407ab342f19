// beams.c - the most probable continuations, side by side: beam search as src/generate/beam.h
// defines it, with what the model itself gives every token on the way.
#include <string.h>

#include "generate/beam_session.h"
#include "generate/softmax.h"
#include "lab/answer.h"

// Probabilities of a beam's tokens, each from the logits after the text and the tokens before it.
static bool put_tokens(Answer *a, Session *s, const BeamText *text, double *share, Error *err) {
    JsonWriter *json = &a->trace.json;
    const Model *model = a->lab->model;
    int32_t *ids = arena_new(&a->lab->arena, int32_t, a->n + text->n);
    memcpy(ids, a->ids, sizeof *ids * (size_t)a->n);
    memcpy(ids + a->n, text->token, sizeof *ids * (size_t)text->n);
    for (int64_t i = 0; i < text->n; i++) {
        if (!answer_goes_on(a, err) || !session_sync(s, ids, a->n + i, err)) return false;
        softmax_f64(s->logits, model->config.vocab, share);
        json_begin_object(json);
        answer_put_piece(json, model, text->token[i]);
        answer_put_number(json, "model", share[text->token[i]]);
        json_end_object(json);
    }
    return true;
}

static bool put_beam(Answer *a, Session *s, const BeamText *text, double *share, Error *err) {
    JsonWriter *json = &a->trace.json;
    json_begin_object(json);
    answer_put_number(json, "log_probability", text->log_prob);
    answer_put_number(json, "score", text->score);
    if (text->has_ended) json_key(json, "ends");
    if (text->has_ended) json_put_bool(json, true);
    json_key(json, "tokens");
    json_begin_array(json);
    bool ok = put_tokens(a, s, text, share, err);
    json_end_array(json);
    json_end_object(json);
    return ok;
}

bool answer_beams(Answer *a, Session *s, Error *err) {
    Arena *arena = &a->lab->arena;
    const GenerateWish *wish = &a->request.generate;
    BeamOptions options = {.n_beams = (int)wish->beams,
                           .n_best = (int)wish->beams,
                           .tokens_max = wish->tokens,
                           .length_penalty = 1};
    BeamResult result;
    if (!session_beams(s, arena, a->ids, a->n, options, &result, err)) return false;
    double *share = arena_new(arena, double, a->lab->model->config.vocab);
    for (int i = 0; i < result.n; i++)
        if (!put_beam(a, s, &result.text[i], share, err)) return false;
    return true;
}
