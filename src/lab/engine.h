// engine.h - the lab as a page calls it when it runs in the browser: one model, and nothing but
// numbers and addresses across the border.
//
//     char *file = engine_room(n);             the page writes a GGUF file there
//     engine_open(file, n, name)               name: a string that ends with 0, in a room too
//     engine_answer(request, n)                likewise; then the trace is at engine_trace()
//
// A room that is handed over belongs to the engine from then on.  Where a call returns false,
// engine_error() says why in one line.  web/js/engine/worker.js is the other side.
#ifndef HEED_LAB_ENGINE_H
#define HEED_LAB_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

// n bytes of memory; NULL: there is not so much, and engine_error() says so.
char *engine_room(size_t n);
// Opens a GGUF file that lies in memory, in place of the model before it.
bool engine_open(char *file, size_t n, char *name);
// Answers a request (docs/trace.md).
bool engine_answer(char *request, size_t n);
// The trace of the newest answer, until the next call.
const char *engine_trace(void);
size_t engine_trace_bytes(void);
// Of the newest call that failed.
const char *engine_error(void);
const char *engine_error_kind(void);

#endif
