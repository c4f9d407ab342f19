// models.h - the models that a server has: named by whoever starts it, never by a request.
#ifndef HEED_SERVE_MODELS_H
#define HEED_SERVE_MODELS_H

#include "lab/lab.h"

enum { SERVED_MAX = 64 };

typedef struct ServedModel {
    const char *name;
    const Model *model;
} ServedModel;

typedef struct ServedModels {
    ServedModel item[SERVED_MAX]; // the first answers where a request names none
    int n;
    // Called before the first answer of item i; NULL: nothing is to be done.
    bool (*prepare)(void *user, int i, Error *err);
    void *user;
} ServedModels;

// Their labs; used under one lock.
typedef struct Models {
    const ServedModels *served; // outlives this
    LabOptions options;
    Lab *lab[SERVED_MAX]; // NULL: nobody has asked yet
} Models;

// The lab of the model that a request names.  ERROR_USAGE: there is none of that name.  A request
// that is no JSON gets the first, whose refusal says what is wrong with it.
MUST_USE Lab *models_lab(Models *m, Str request, Error *err);
// {"models": [{"name", "model"}]}
void models_put(const ServedModels *served, JsonWriter *json);
void models_close(Models *m);

#endif
