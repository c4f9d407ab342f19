// value.h - the values of templates: those of JSON, and what Jinja adds to them.
//
// A Value is small and passed by copy; what it points to lives in the arena of the rendering and is
// not changed any more (namespaces excepted), so that nothing can contain itself.
#ifndef HEED_CHAT_VALUE_H
#define HEED_CHAT_VALUE_H

#include "base/json.h"
#include "base/str.h"

typedef struct ChatRun ChatRun; // one rendering: run.h

typedef enum ValueKind {
    VALUE_ABSENT,    // an argument that was not given; no expression has this value
    VALUE_UNDEFINED, // `string` says what is undefined
    VALUE_NONE,
    VALUE_BOOL,
    VALUE_INTEGER,
    VALUE_FLOAT,
    VALUE_STRING,
    VALUE_LIST,
    VALUE_TUPLE,    // a list that prints with parentheses
    VALUE_ITERATOR, // what map, select and the like give: a list that is true even when empty
    VALUE_DICT,
    VALUE_NAMESPACE, // a dict whose members `set` may assign
    VALUE_LOOP,      // the variable `loop`
    VALUE_MACRO,
    VALUE_FUNCTION, // range, dict, raise_exception...
    VALUE_METHOD    // "text".strip: a function and what it was taken from
} ValueKind;

typedef struct Value Value;
typedef struct ValueList {
    Value *item;
    int64_t n, capacity;
    int depth; // 1 + that of its deepest item
} ValueList;
typedef struct ValueDict ValueDict;
typedef struct ChatLoop ChatLoop;
typedef struct ChatMacro ChatMacro;
typedef struct ChatBuiltin ChatBuiltin;
typedef struct ChatMethod ChatMethod;

struct Value {
    ValueKind kind;
    union {
        bool boolean;
        int64_t integer;
        double number;
        Str string;
        ValueList *list;
        ValueDict *dict;
        ChatLoop *loop;
        const ChatMacro *macro;
        const ChatBuiltin *function;
        const ChatMethod *method;
    };
};

typedef struct ValueEntry {
    Value key, value;
} ValueEntry;
struct ValueDict {
    ValueEntry *entry; // in the order of insertion
    int64_t n, capacity;
    int depth;
};

Value value_undefined(Str what);
Value value_none(void);
Value value_bool(bool b);
Value value_integer(int64_t i);
Value value_float(double d);
Value value_string(Str s);

bool value_is_number(Value v);        // bool, integer or float
bool value_is_sequence(Value v);      // list, tuple or iterator
double value_number(Value v);         // of a number
const char *value_kind_name(Value v); // as Python calls it

// Containers.  Growing charges the run; values nested deeper than CHAT_DEPTH_MAX fail it.
Value value_list(ChatRun *run, ValueKind kind, int64_t capacity);
void value_append(ChatRun *run, Value list, Value item);
Value value_dict(ChatRun *run, ValueKind kind, int64_t capacity);
void value_put(ChatRun *run, Value dict, Value key, Value value); // replaces an equal key
// The value of a key, or an absent one.
Value value_get(ChatRun *run, Value dict, Value key);
Value value_from_json(ChatRun *run, const Json *json);

bool value_truth(Value v);
bool value_equal(ChatRun *run, Value a, Value b);
// -1, 0, 1; fails the run if the two have no order.
int value_order(ChatRun *run, Value a, Value b);
bool value_contains(ChatRun *run, Value container, Value item);
// The characters of a string, items of a list, keys of a dict, as a list; nothing if undefined.
Value value_items(ChatRun *run, Value v);

// As `str` and `repr` of Python write it.
Str value_text(ChatRun *run, Value v);
// As json.dumps writes it, without escaping beyond ASCII; indent < 0: on one line.
Str value_json(ChatRun *run, Value v, int64_t indent);

#endif
