// models.c - which lab answers a request.
#include "serve/models.h"

// The index of the model that is asked for.
static bool choose(const ServedModels *served, Str request, int *index, Error *err) {
    Arena arena;
    Error no_json = {0};
    *index = 0;
    if (!arena_init(&arena, ARENA_DEFAULT, err)) return false;
    const Json *json = json_parse(&arena, request, LAB_REQUEST_BYTES_MAX, &no_json);
    Str name = json_string(json_get(json, "model"), str_from(served->item[0].name));
    while (*index < served->n && !str_equal(name, str_from(served->item[*index].name))) ++*index;
    bool is_there = *index < served->n;
    if (!is_there)
        error_set(err, ERROR_USAGE, "model: there is no '%.*s' here",
                  name.n < 200 ? (int)name.n : 200, name.data);
    arena_drop(&arena);
    return is_there;
}

Lab *models_lab(Models *m, Str request, Error *err) {
    const ServedModels *served = m->served;
    int i;
    if (!choose(served, request, &i, err)) return NULL;
    if (m->lab[i]) return m->lab[i];
    if (served->prepare && !served->prepare(served->user, i, err)) return NULL;
    m->lab[i] = lab_open(served->item[i].model, m->options, err);
    return m->lab[i];
}

void models_put(const ServedModels *served, JsonWriter *json) {
    json_begin_object(json);
    json_key(json, "models");
    json_begin_array(json);
    for (int i = 0; i < served->n; i++) {
        json_begin_object(json);
        json_key(json, "name");
        json_put_string(json, str_from(served->item[i].name));
        json_key(json, "model");
        lab_put_model(json, served->item[i].model);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

void models_close(Models *m) {
    for (int i = 0; i < SERVED_MAX; i++) lab_close(m->lab[i]);
}
