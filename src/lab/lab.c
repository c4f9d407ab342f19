// lab.c - a lab, and the order in which an answer is put together.
#include "lab/lab.h"

#include <stdlib.h>
#include <string.h>

#include "lab/answer.h"
#include "model/state.h"
#include "model/weights.h"

Lab *lab_open(const Model *model, LabOptions options, Error *err) {
    Lab *lab = calloc(1, sizeof *lab);
    if (!lab) {
        error_set(err, ERROR_MEMORY, "no memory for a lab");
        return NULL;
    }
    lab->model = model;
    lab->options = options;
    if (!arena_init(&lab->arena, ARENA_DEFAULT, err) || !run_open(&lab->run, options.pool, err)) {
        lab_close(lab);
        return NULL;
    }
    if (options.kernels) lab->run.kernels = options.kernels;
    lab->run.exact = true;
    return lab;
}

void lab_close(Lab *lab) {
    if (!lab) return;
    run_close(&lab->run);
    arena_drop(&lab->arena);
    free(lab);
}

void answer_put_count(JsonWriter *json, const char *key, int64_t value) {
    json_key(json, key);
    json_put_integer(json, value);
}

void answer_put_number(JsonWriter *json, const char *key, double value) {
    json_key(json, key);
    json_put_number(json, value);
}

bool answer_goes_on(Answer *a, Error *err) {
    const LabOptions *o = &a->lab->options;
    return !o->keep_going || o->keep_going(o->user) ||
           error_set(err, ERROR_CANCELLED, "the answer was no longer wanted");
}

// ---------------------------------------------------------------- the model
static void put_parameters(JsonWriter *json, const Model *model) {
    WeightCount count = weights_count(model);
    json_key(json, "parameters");
    json_begin_object(json);
    answer_put_count(json, "total", count.total);
    for (int i = 0; i < PLACE_COUNT; i++)
        answer_put_count(json, place_name((Place)i), count.place[i]);
    json_end_object(json);
    answer_put_count(json, "weight_bytes", count.bytes);
}

void lab_put_model(JsonWriter *json, const Model *model) {
    const Config *c = &model->config;
    json_begin_object(json);
    json_key(json, "name");
    json_put_string(json, model->name);
    json_key(json, "architecture");
    json_put_string(json, str_from(model->arch->name));
    answer_put_count(json, "layers", c->layers);
    answer_put_count(json, "heads", c->heads);
    answer_put_count(json, "kv_heads", c->kv_heads);
    answer_put_count(json, "head_width", c->head_width);
    answer_put_number(json, "attention_scale", (double)c->attention_scale);
    answer_put_count(json, "width", c->width);
    answer_put_count(json, "ffn_width", c->ffn_width);
    answer_put_count(json, "experts", c->experts);
    answer_put_count(json, "experts_used", c->experts_used);
    answer_put_count(json, "expert_width", c->expert_width);
    answer_put_count(json, "vocabulary", c->vocab);
    answer_put_count(json, "context", c->context);
    json_key(json, "positions");
    json_put_string(json, str_from(position_words[c->positions]));
    json_key(json, "tied");
    json_put_bool(json, model->is_tied);
    json_key(json, "mixers");
    json_begin_array(json);
    for (int l = 0; l < c->layers; l++)
        json_put_string(json, str_from(mixer_words[config_mixer(c, l)]));
    json_end_array(json);
    put_parameters(json, model);
    answer_put_count(json, "kv_bytes_per_token",
                     (int64_t)state_bytes_per_position(model, DTYPE_F16));
    json_end_object(json);
}

// A tensor of the model: {"name", "layer"?, "place", "type", "shape", "experts"?}.
static void put_weight(void *user, const Weight *weight, int layer) {
    JsonWriter *json = user;
    const Tensor *t = weight->tensor;
    json_begin_object(json);
    json_key(json, "name");
    json_put_string(json, str_from(weight->gguf));
    if (layer >= 0) answer_put_count(json, "layer", layer);
    json_key(json, "place");
    json_put_string(json, str_from(place_name(weight->place)));
    json_key(json, "type");
    json_put_string(json, str_from(dtype_name(t->dtype)));
    json_key(json, "shape");
    json_begin_array(json);
    for (int i = 0; i < t->rank; i++) json_put_integer(json, t->dim[i]);
    json_end_array(json);
    if (weight->form == FORM_EXPERTS) answer_put_count(json, "experts", weight->parts);
    json_end_object(json);
}

// The list takes a model that could be changed; writing it down changes nothing.
static void put_weights(JsonWriter *json, const Model *model) {
    json_key(json, "weights");
    json_begin_array(json);
    weights_each((Model *)(uintptr_t)model, put_weight, json);
    json_end_array(json);
}

// ---------------------------------------------------------------- the answer
static bool answer(Answer *a, Str asked, Error *err) {
    Lab *lab = a->lab;
    if (!answer_read(a, err)) return false;
    trace_begin(&a->trace, &lab->arena);
    json_key(&a->trace.json, "made_by");
    json_put_string(&a->trace.json, STR("heed " HEED_VERSION));
    json_key(&a->trace.json, "model");
    lab_put_model(&a->trace.json, lab->model);
    json_key(&a->trace.json, "request");
    json_put_text(&a->trace.json, asked);
    answer_put_tokens(a);
    if (a->request.wants_weights) put_weights(&a->trace.json, lab->model);
    if (a->request.wants_vocabulary) answer_put_vocabulary(a);
    return answer_look(a, err) && (!a->request.lens.is_wanted || answer_lens(a, err)) &&
           (!a->request.generate.is_wanted || answer_generate(a, err)) &&
           (!a->request.measure.is_wanted || answer_measure(a, err));
}

bool lab_answer(Lab *lab, Str request, Str *trace, Error *err) {
    arena_back(&lab->arena, (ArenaMark){0});
    Answer *a = arena_new(&lab->arena, Answer, 1);
    a->lab = lab;
    if (!lab_request_parse(&a->request, lab->model, &lab->arena, request, err)) return false;
    lab->run.switches = a->request.switches;
    bool ok = answer(a, request, err);
    lab->run.switches = (Switches){0};
    lab->run.probe = NULL;
    if (!ok) return false;
    *trace = trace_finish(&a->trace);
    return true;
}
