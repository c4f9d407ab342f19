// trace.h - a trace: what was looked at in a model, as one block of bytes (docs/trace.md).
//
//     magic, header length, a JSON header, then the arrays that its key "arrays" lists.
//
// The writer's `json` stands inside the header's object: put keys there, add arrays, finish.
#ifndef HEED_LAB_TRACE_H
#define HEED_LAB_TRACE_H

#include "base/json.h"

enum { TRACE_RANK_MAX = 4, TRACE_ALIGNMENT = 16, TRACE_VERSION = 1 };

// X(NAME, "type", bytes of a value)
#define TRACE_TYPES(X) \
    X(F32, "f32", 4)   \
    X(I32, "i32", 4)   \
    X(U8, "u8", 1)

typedef enum TraceType {
#define X(name, words, bytes) TRACE_##name,
    TRACE_TYPES(X)
#undef X
} TraceType;

typedef struct TraceArray TraceArray;
struct TraceArray {
    const char *name, *axes; // "pattern", "(H, T, S)"
    int layer;               // -1: of no layer
    TraceType type;
    int rank;
    int64_t dim[TRACE_RANK_MAX]; // row-major
    const void *data;            // not copied before trace_finish
    size_t offset;               // of the first byte, from where the arrays begin
    TraceArray *next;
};

typedef struct TraceWriter {
    Arena *arena;
    StrBuilder header;
    JsonWriter json;
    TraceArray *first, *last;
    size_t bytes; // of the arrays so far
} TraceWriter;

// The writer must not move.
void trace_begin(TraceWriter *w, Arena *arena);
void trace_add(TraceWriter *w, TraceArray array);
// The whole trace, in the arena.
Str trace_finish(TraceWriter *w);

#endif
