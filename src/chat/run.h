// run.h - one rendering of a template: its budget, variables and output.
//
// The first failure sets the error and `is_failed`; whatever runs on then does nothing and gives
// undefined values, so that only loops have to look.  All memory and work is paid for in steps.
#ifndef HEED_CHAT_RUN_H
#define HEED_CHAT_RUN_H

#include "chat/chat.h"
#include "chat/tree.h"
#include "chat/value.h"

enum {
    CHAT_RUN_DEPTH_MAX = 4 * CHAT_DEPTH_MAX, // nested evaluations, through macros too
    CHAT_ARGUMENTS_MAX = 24,
    CHAT_BYTES_PER_STEP = 128
};

typedef struct ChatVariable ChatVariable;
struct ChatVariable {
    Str name;
    Value value;
    ChatVariable *next;
};
typedef struct ChatScope ChatScope;
struct ChatScope {
    ChatScope *parent; // NULL: the outermost, which holds what the caller passed
    ChatVariable *first;
};

typedef enum ChatFlow { CHAT_GO_ON, CHAT_BREAK, CHAT_CONTINUE } ChatFlow;

struct ChatRun {
    Arena *arena;
    Error *err;
    bool is_failed;
    int line; // of the node that is evaluated
    int depth;
    int64_t steps; // left
    bool is_short; // fewer than CHAT_STEPS_MAX, as the memory allows
    ChatScope *scope;
    StrBuilder *out;
    ChatFlow flow;
};

struct ChatLoop {
    Value items; // a list
    int64_t index0;
    Value last_changed; // what loop.changed was called with
};

struct ChatMacro {
    Str name;
    const ChatNode *parameters, *body;
    ChatScope *scope; // where it was defined
};

struct ChatMethod {
    const ChatBuiltin *function;
    Value self;
};

// Arguments of a call; after binding, value[i] belongs to parameter i or is absent.
typedef struct ChatArguments {
    int n;
    Value value[CHAT_ARGUMENTS_MAX];
    Str name[CHAT_ARGUMENTS_MAX]; // of a keyword argument, else empty
} ChatArguments;

// A filter, test, method or global function.
struct ChatBuiltin {
    const char *name;
    const char *parameters; // separated by spaces; "*": the function takes them as they come
    int n_required;
    Value (*call)(ChatRun *run, Value self, const ChatArguments *arguments);
};

// Fails the run with "chat template line N: ..."; returns an undefined value.
Value chat_run_fail(ChatRun *run, const char *format, ...) PRINTF_LIKE(2, 3);
// Pays for work on `bytes` bytes (and one step); false if the run is over.
bool chat_run_spend(ChatRun *run, int64_t bytes);
// Fails the run if the value is undefined.
bool chat_run_needs(ChatRun *run, Value v);

const Value *chat_scope_find(ChatRun *run, Str name); // NULL: there is none
void chat_scope_set(ChatRun *run, Str name, Value value);

Value chat_eval(ChatRun *run, const ChatNode *node); // an expression
bool chat_eval_arguments(ChatRun *run, const ChatNode *nodes, ChatArguments *arguments);
Value chat_eval_filters(ChatRun *run, const ChatNode *filters, Value input);
void chat_execute(ChatRun *run, const ChatNode *body); // statements linked by `next`
Value chat_call_macro(ChatRun *run, const ChatMacro *macro, const ChatArguments *arguments,
                      const ChatMacro *caller);
Value chat_call_builtin(ChatRun *run, const ChatBuiltin *function, Value self,
                        const ChatArguments *arguments);
// object.name and object[key]; undefined if there is none.
Value chat_attribute(ChatRun *run, Value object, Str name);
Value chat_item(ChatRun *run, Value object, Value key);

// Tables; NULL if there is nothing of that name.
const ChatBuiltin *chat_find_filter(Str name);
const ChatBuiltin *chat_find_test(Str name);
const ChatBuiltin *chat_find_function(Str name);           // of the global functions
const ChatBuiltin *chat_find_method(Value self, Str name); // of a string, list or dict
const ChatBuiltin *chat_find_in(const ChatBuiltin *table, int n, Str name);

// Reads arguments, with a default for absent ones; another kind fails the run.
Str chat_string_argument(ChatRun *run, Value v, Str otherwise);
int64_t chat_integer_argument(ChatRun *run, Value v, int64_t otherwise);

// Parts of filters and methods alike.
Value chat_item_or_attribute(ChatRun *run, Value object,
                             Str name);                     // object[name], else object.name
Value chat_dict_items(ChatRun *run, const ValueDict *dict); // a list of (key, value)
Value chat_replace(ChatRun *run, Str s, Str old, Str with, int64_t count);
Value chat_lines(ChatRun *run, Str s, bool keeps_ends); // as str.splitlines

// The operator % of strings: %s %r %d %f %x with flags, width and precision.
Value chat_format(ChatRun *run, Str format, Value values);

// A filter or test by its name, e.g. for map and select.
Value chat_apply_test(ChatRun *run, Str name, Value input, const ChatArguments *arguments);
Value chat_apply_filter(ChatRun *run, Str name, Value input, const ChatArguments *arguments);

#endif
