// trace.c - laying out a trace.
#include "lab/trace.h"

#include <string.h>

static const char magic[8] = {'h', 'e', 'e', 'd', 't', 'r', 'c', '1'};

static const char *const type_names[] = {
#define X(name, words, bytes) words,
    TRACE_TYPES(X)
#undef X
};
static const size_t type_bytes[] = {
#define X(name, words, bytes) bytes,
    TRACE_TYPES(X)
#undef X
};

static size_t aligned(size_t n) {
    return (n + TRACE_ALIGNMENT - 1) / TRACE_ALIGNMENT * TRACE_ALIGNMENT;
}

static size_t array_bytes(const TraceArray *a) {
    size_t n = type_bytes[a->type];
    for (int i = 0; i < a->rank; i++) n *= (size_t)a->dim[i];
    return n;
}

void trace_begin(TraceWriter *w, Arena *arena) {
    *w = (TraceWriter){.arena = arena, .header = str_builder(arena)};
    w->json = json_writer(&w->header, 0);
    json_begin_object(&w->json);
    json_key(&w->json, "trace");
    json_put_integer(&w->json, TRACE_VERSION);
}

void trace_add(TraceWriter *w, TraceArray array) {
    TraceArray *a = arena_new(w->arena, TraceArray, 1);
    *a = array;
    a->offset = w->bytes;
    a->next = NULL;
    w->bytes += aligned(array_bytes(a));
    if (w->last)
        w->last->next = a;
    else
        w->first = a;
    w->last = a;
}

static void put_array(JsonWriter *json, const TraceArray *a) {
    json_begin_object(json);
    json_key(json, "name");
    json_put_string(json, str_from(a->name));
    if (a->layer >= 0) {
        json_key(json, "layer");
        json_put_integer(json, a->layer);
    }
    json_key(json, "type");
    json_put_string(json, str_from(type_names[a->type]));
    json_key(json, "axes");
    json_put_string(json, str_from(a->axes));
    json_key(json, "shape");
    json_begin_array(json);
    for (int i = 0; i < a->rank; i++) json_put_integer(json, a->dim[i]);
    json_end_array(json);
    json_key(json, "offset");
    json_put_integer(json, (int64_t)a->offset);
    json_end_object(json);
}

Str trace_finish(TraceWriter *w) {
    json_key(&w->json, "arrays");
    json_begin_array(&w->json);
    for (const TraceArray *a = w->first; a; a = a->next) put_array(&w->json, a);
    json_end_array(&w->json);
    json_end_object(&w->json);
    while ((sizeof magic + 8 + w->header.n) % TRACE_ALIGNMENT) str_add_byte(&w->header, ' ');

    size_t start = sizeof magic + 8 + w->header.n;
    char *out = arena_push_aligned(w->arena, start + w->bytes, TRACE_ALIGNMENT);
    memcpy(out, magic, sizeof magic);
    for (int i = 0; i < 8; i++) out[sizeof magic + i] = (char)((uint64_t)w->header.n >> 8 * i);
    memcpy(out + sizeof magic + 8, w->header.data, w->header.n);
    memset(out + start, 0, w->bytes);
    for (const TraceArray *a = w->first; a; a = a->next)
        if (array_bytes(a)) memcpy(out + start + a->offset, a->data, array_bytes(a));
    return (Str){out, start + w->bytes};
}
