// engine.c - the one engine of a page.
#include "lab/engine.h"

#include <stdlib.h>

#include "lab/lab.h"
#include "model/weights.h"

static struct {
    char *file; // the model's bytes
    Model *model;
    Lab *lab;
    Str trace;
    Error err;
} engine;

char *engine_room(size_t n) {
    char *room = n < SIZE_MAX - 64 ? aligned_alloc(64, (n + 64) & ~(size_t)63) : NULL;
    engine.err = (Error){0};
    if (!room) error_set(&engine.err, ERROR_MEMORY, "no memory for %zu MB", n >> 20);
    return room;
}

static void close_model(void) {
    lab_close(engine.lab);
    model_close(engine.model);
    free(engine.file);
    engine.lab = NULL;
    engine.model = NULL;
    engine.file = NULL;
    engine.trace = (Str){0};
}

bool engine_open(char *file, size_t n, char *name) {
    close_model();
    engine.err = (Error){0};
    engine.file = file;
    engine.model = model_open_gguf_bytes((Str){file, n}, name, &engine.err);
    free(name);
    // Weights in panels are twice the memory.  Where that is too much, each answer makes its own.
    Error no_room = {0};
    if (engine.model && !weights_pack(engine.model, NULL, &no_room)) no_room.kind = ERROR_NONE;
    if (engine.model) engine.lab = lab_open(engine.model, (LabOptions){0}, &engine.err);
    if (engine.lab) return true;
    close_model();
    return false;
}

bool engine_answer(char *request, size_t n) {
    engine.err = (Error){0};
    engine.trace = (Str){0};
    bool ok = engine.lab ? lab_answer(engine.lab, (Str){request, n}, &engine.trace, &engine.err)
                         : error_set(&engine.err, ERROR_USAGE, "no model is open");
    free(request);
    return ok;
}

const char *engine_trace(void) {
    return engine.trace.data;
}

size_t engine_trace_bytes(void) {
    return engine.trace.n;
}

const char *engine_error(void) {
    return engine.err.text;
}

const char *engine_error_kind(void) {
    return error_kind_words(engine.err.kind);
}
