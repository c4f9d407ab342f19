// lab.h - answers the requests of the page: one text through one model, looked at as asked.
//
//     Lab *lab = lab_open(model, options, &err);
//     if (lab_answer(lab, STR("{\"text\": \"hello\", \"taps\": [{\"site\": \"pattern\"}]}"),
//                    &trace, &err)) ...
//
// The same code answers behind a server and inside a page: no sockets, no files, no threads of its
// own.  Everything is computed in exact mode.  Belongs to one thread at a time.
#ifndef HEED_LAB_LAB_H
#define HEED_LAB_LAB_H

#include "lab/request.h"

typedef struct LabOptions {
    Pool *pool;                     // NULL: one thread
    const Kernels *kernels;         // NULL: the best
    bool (*keep_going)(void *user); // asked between the parts of an answer; NULL: always
    void *user;
} LabOptions;

typedef struct Lab {
    const Model *model; // outlives the lab
    LabOptions options;
    Run run;
    Arena arena; // of one answer
} Lab;

MUST_USE Lab *lab_open(const Model *model, LabOptions options, Error *err);
void lab_close(Lab *lab); // accepts NULL

// Answers a request (docs/trace.md).  The trace lives until the next answer.  ERROR_USAGE and
// ERROR_FORMAT for a request that is wrong, ERROR_LIMIT for a text or an answer that is too long,
// ERROR_UNSUPPORTED where the model lacks what is asked for, ERROR_CANCELLED.
MUST_USE bool lab_answer(Lab *lab, Str request, Str *trace, Error *err);

// What a model is, as JSON: the value of a trace's "model".
void lab_put_model(JsonWriter *json, const Model *model);

#endif
