// json.h - JSON (RFC 8259), read into an arena under limits and written with escaping.
//
// Reading: strict UTF-8, no comments, no trailing commas; a duplicate key is refused; a lone
// surrogate escape is refused; depth and size are limited, so no input can exhaust the process.
#ifndef HEED_BASE_JSON_H
#define HEED_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { JSON_DEPTH_MAX = 64 };

typedef enum JsonKind {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} JsonKind;

// Children of an array or object are a linked list in the order of the text.
typedef struct Json Json;
struct Json {
    JsonKind kind;
    bool boolean;
    bool is_integer; // the text had no '.', 'e' and fits int64: `integer` is exact
    int64_t integer;
    double number;
    Str string;    // JSON_STRING: unescaped
    Str key;       // of this member, when the parent is an object
    int64_t count; // of children
    Json *child;
    Json *next;
};

// NULL and an ERROR_FORMAT with the byte offset, or ERROR_LIMIT past depth or `limit` bytes.
MUST_USE Json *json_parse(Arena *arena, Str text, size_t limit, Error *err);

// Looks; every function accepts NULL and a value of another kind, and then returns NULL or
// `otherwise`.
const Json *json_get(const Json *object, const char *key);
const Json *json_at(const Json *array, int64_t index); // O(index): loop over child/next instead
Str json_string(const Json *value, Str otherwise);
int64_t json_integer(const Json *value, int64_t otherwise);
double json_number(const Json *value, double otherwise);
bool json_bool(const Json *value, bool otherwise);

// Writing into a builder; the writer puts commas and quotes.  With `indent` > 0 the text is laid
// out.
typedef struct JsonWriter {
    StrBuilder *out;
    int indent;
    int depth;
    bool needs_comma[JSON_DEPTH_MAX];
    bool after_key;
} JsonWriter;

JsonWriter json_writer(StrBuilder *out, int indent);
void json_begin_object(JsonWriter *w);
void json_end_object(JsonWriter *w);
void json_begin_array(JsonWriter *w);
void json_end_array(JsonWriter *w);
void json_key(JsonWriter *w, const char *key);
void json_put_string(JsonWriter *w, Str s); // ill-formed bytes become U+FFFD
void json_put_integer(JsonWriter *w, int64_t value);
void json_put_number(JsonWriter *w, double value); // shortest form that reads back; NaN, inf: null
void json_put_bool(JsonWriter *w, bool value);
void json_put_null(JsonWriter *w);
void json_put_text(JsonWriter *w, Str json); // a value that is JSON already

#endif
