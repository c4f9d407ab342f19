// fuzz_json.c - any text as JSON: refused with a reason, or a value that survives being written and
// read again.
#include <stdio.h>

#include "base/json.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_value(JsonWriter *w, const Json *json);

// Keys may hold any character, NUL too, and a writer's keys may not: they are numbered here.
static void write_children(JsonWriter *w, const Json *json) {
    int64_t n = 0;
    for (const Json *child = json->child; child; child = child->next, n++) {
        char key[24];
        snprintf(key, sizeof key, "%lld", (long long)n);
        require(utf8_valid(child->key));
        if (json->kind == JSON_OBJECT) json_key(w, key);
        write_value(w, child);
    }
    require(n == json->count);
}

static void write_value(JsonWriter *w, const Json *json) {
    switch (json->kind) {
    case JSON_NULL: json_put_null(w); return;
    case JSON_BOOL: json_put_bool(w, json->boolean); return;
    case JSON_NUMBER:
        if (json->is_integer && json->integer != 0) // -0 is a number with a sign
            json_put_integer(w, json->integer);
        else
            json_put_number(w, json->number);
        return;
    case JSON_STRING:
        require(utf8_valid(json->string));
        json_put_string(w, json->string);
        return;
    case JSON_ARRAY:
        json_begin_array(w);
        write_children(w, json);
        json_end_array(w);
        return;
    case JSON_OBJECT:
        json_begin_object(w);
        write_children(w, json);
        json_end_object(w);
        return;
    }
}

static Str written(Arena *arena, const Json *json, int indent) {
    StrBuilder out = str_builder(arena);
    JsonWriter w = json_writer(&out, indent);
    write_value(&w, json);
    return str_built(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena;
    Error err = {0};
    if (!arena_init(&arena, ARENA_DEFAULT, &err)) return 0;
    const Json *json = json_parse(&arena, (Str){(const char *)data, size}, size, &err);
    if (json) {
        Str once = written(&arena, json, 2);
        const Json *again = json_parse(&arena, once, once.n, &err);
        require(again != NULL);
        require(str_equal(once, written(&arena, again, 2)));
    } else {
        require(err.kind != ERROR_NONE && err.text[0]);
    }
    arena_drop(&arena);
    return 0;
}
