// run.c - runs the statements of a template, under its budget.
#include "chat/run.h"

#include <stdio.h>
#include <string.h>

// ---- failing and paying

Value chat_run_fail(ChatRun *run, const char *format, ...) {
    if (!run->is_failed) {
        char words[384];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(words, sizeof words, format, arguments);
        va_end(arguments);
        error_set(run->err, ERROR_FORMAT, "chat template line %d: %s", run->line, words);
        run->is_failed = true;
    }
    return value_undefined(STR(""));
}

bool chat_run_spend(ChatRun *run, int64_t bytes) {
    run->steps -= 1 + bytes / CHAT_BYTES_PER_STEP;
    if (run->steps < 0 && !run->is_failed) {
        if (run->is_short)
            error_set(run->err, ERROR_LIMIT, "chat template line %d: too much for the memory here",
                      run->line);
        else
            error_set(run->err, ERROR_LIMIT, "chat template line %d: stopped after %d steps",
                      run->line, (int)CHAT_STEPS_MAX);
        run->is_failed = true;
    }
    return !run->is_failed;
}

bool chat_run_needs(ChatRun *run, Value v) {
    if (v.kind != VALUE_UNDEFINED) return true;
    chat_run_fail(run, "'%.*s' is undefined", v.string.n < 64 ? (int)v.string.n : 64,
                  v.string.data ? v.string.data : "");
    return false;
}

static void emit(ChatRun *run, Str text) {
    if (run->is_failed) return;
    if (run->out->n + text.n > CHAT_OUTPUT_MAX) {
        error_set(run->err, ERROR_LIMIT, "chat template line %d: its text is longer than %d bytes",
                  run->line, (int)CHAT_OUTPUT_MAX);
        run->is_failed = true;
        return;
    }
    if (chat_run_spend(run, (int64_t)text.n)) str_add(run->out, text);
}

// ---- variables

static ChatVariable *find_in(ChatRun *run, const ChatScope *scope, Str name) {
    int64_t n = 0;
    ChatVariable *v = scope->first;
    for (; v && !str_equal(v->name, name); v = v->next) n++;
    run->steps -= n / 16;
    return v;
}

const Value *chat_scope_find(ChatRun *run, Str name) {
    for (const ChatScope *scope = run->scope; scope; scope = scope->parent) {
        const ChatVariable *v = find_in(run, scope, name);
        if (v) return &v->value;
    }
    return NULL;
}

void chat_scope_set(ChatRun *run, Str name, Value value) {
    ChatVariable *v = find_in(run, run->scope, name);
    if (!v) {
        if (!chat_run_spend(run, (int64_t)sizeof *v)) return;
        v = arena_new(run->arena, ChatVariable, 1);
        *v = (ChatVariable){.name = name, .next = run->scope->first};
        run->scope->first = v;
    }
    v->value = value;
}

// Opens a scope inside of another; returns the one to go back to.
static ChatScope *scope_begin(ChatRun *run, ChatScope *parent) {
    ChatScope *before = run->scope;
    chat_run_spend(run, (int64_t)sizeof(ChatScope));
    run->scope = arena_new(run->arena, ChatScope, 1);
    run->scope->parent = parent;
    return before;
}

// Assigns to a name, an attribute of a namespace, or several names at once.
static void assign(ChatRun *run, const ChatNode *target, Value value) {
    if (run->is_failed) return;
    if (target->kind == NODE_NAME) {
        chat_scope_set(run, target->name, value);
        return;
    }
    if (target->kind == NODE_ATTRIBUTE) {
        Value object = chat_eval(run, target->left);
        if (object.kind == VALUE_NAMESPACE) {
            value_put(run, object, value_string(target->name), value);
        } else if (chat_run_needs(run, object)) {
            chat_run_fail(run, "cannot assign to an attribute of %s: it is no namespace",
                          value_kind_name(object));
        }
        return;
    }
    if (!chat_run_needs(run, value)) return;
    Value items = value_items(run, value);
    int64_t i = 0;
    for (const ChatNode *name = target->children; name; name = name->next, i++) {
        if (i < items.list->n) assign(run, name, items.list->item[i]);
    }
    if (i != items.list->n) {
        chat_run_fail(run, "cannot assign %lld values to %lld names", (long long)items.list->n,
                      (long long)i);
    }
}

// ---- statements

// Runs statements and gives what they write, in a scope of their own.
static Str capture(ChatRun *run, const ChatNode *body, ChatScope *parent) {
    StrBuilder text = str_builder(run->arena), *out = run->out;
    ChatScope *before = scope_begin(run, parent);
    run->out = &text;
    chat_execute(run, body);
    run->out = out;
    run->scope = before;
    return str_built(&text);
}

static void execute_in_scope(ChatRun *run, const ChatNode *body) {
    ChatScope *before = scope_begin(run, run->scope);
    chat_execute(run, body);
    run->scope = before;
}

static void execute_if(ChatRun *run, const ChatNode *node) {
    for (const ChatNode *branch = node->children; branch; branch = branch->next) {
        if (branch->left && !value_truth(chat_eval(run, branch->left))) continue;
        if (!run->is_failed) chat_execute(run, branch->children);
        return;
    }
}

// The items that the loop's condition lets through.
static Value filtered(ChatRun *run, const ChatNode *node, Value items) {
    Value kept = value_list(run, VALUE_LIST, 0);
    for (int64_t i = 0; i < items.list->n && !run->is_failed; i++) {
        ChatScope *before = scope_begin(run, run->scope);
        assign(run, node->left, items.list->item[i]);
        if (value_truth(chat_eval(run, node->third))) {
            value_append(run, kept, items.list->item[i]);
        }
        run->scope = before;
    }
    return kept;
}

static void execute_for(ChatRun *run, const ChatNode *node) {
    Value items = value_items(run, chat_eval(run, node->right));
    if (node->third) items = filtered(run, node, items);
    if (run->is_failed) return;
    if (items.list->n == 0) {
        execute_in_scope(run, node->other);
        return;
    }
    ChatLoop *loop = arena_new(run->arena, ChatLoop, 1);
    *loop = (ChatLoop){.items = items};
    loop->last_changed.kind = VALUE_ABSENT;
    Value loop_value = {.kind = VALUE_LOOP, .loop = loop};
    for (; loop->index0 < items.list->n && !run->is_failed; loop->index0++) {
        ChatScope *before = scope_begin(run, run->scope);
        chat_scope_set(run, STR("loop"), loop_value);
        assign(run, node->left, items.list->item[loop->index0]);
        chat_execute(run, node->children);
        run->scope = before;
        ChatFlow flow = run->flow;
        run->flow = CHAT_GO_ON;
        if (flow == CHAT_BREAK) break;
    }
}

static void define_macro(ChatRun *run, const ChatNode *node) {
    if (!chat_run_spend(run, (int64_t)sizeof(ChatMacro))) return;
    ChatMacro *macro = arena_new(run->arena, ChatMacro, 1);
    *macro = (ChatMacro){
        .name = node->name, .parameters = node->other, .body = node->children, .scope = run->scope};
    chat_scope_set(run, node->name, (Value){.kind = VALUE_MACRO, .macro = macro});
}

static void execute_with(ChatRun *run, const ChatNode *node) {
    // The values see the scope outside: all are computed before the first name is set.
    ChatScope *outer = run->scope, *inner;
    scope_begin(run, outer);
    inner = run->scope;
    for (const ChatNode *set = node->other; set; set = set->next) {
        run->scope = outer;
        Value value = chat_eval(run, set->right);
        run->scope = inner;
        assign(run, set->left, value);
    }
    chat_execute(run, node->children);
    run->scope = outer;
}

// {% call(x) f() %}: the body becomes a macro that f may call by the name "caller".
static void execute_call_block(ChatRun *run, const ChatNode *node) {
    ChatMacro caller = {.name = STR("caller"),
                        .parameters = node->other,
                        .body = node->children,
                        .scope = run->scope};
    Value function = chat_eval(run, node->right->left);
    if (function.kind != VALUE_MACRO) {
        if (chat_run_needs(run, function)) chat_run_fail(run, "a call block needs a macro");
        return;
    }
    ChatMacro *kept = arena_new(run->arena, ChatMacro, 1);
    *kept = caller;
    ChatArguments arguments;
    if (!chat_eval_arguments(run, node->right->children, &arguments)) return;
    emit(run, value_text(run, chat_call_macro(run, function.macro, &arguments, kept)));
}

static void execute_node(ChatRun *run, const ChatNode *node) {
    switch (node->kind) {
    case NODE_TEXT: emit(run, node->name); break;
    case NODE_OUTPUT: emit(run, value_text(run, chat_eval(run, node->left))); break;
    case NODE_IF: execute_if(run, node); break;
    case NODE_FOR: execute_for(run, node); break;
    case NODE_SET: assign(run, node->left, chat_eval(run, node->right)); break;
    case NODE_SET_BLOCK: {
        Value text = value_string(capture(run, node->children, run->scope));
        if (node->right) text = chat_eval_filters(run, node->right, text);
        assign(run, node->left, text);
        break;
    }
    case NODE_MACRO: define_macro(run, node); break;
    case NODE_CALL_BLOCK: execute_call_block(run, node); break;
    case NODE_FILTER_BLOCK: {
        Value text = value_string(capture(run, node->children, run->scope));
        emit(run, value_text(run, chat_eval_filters(run, node->right, text)));
        break;
    }
    case NODE_WITH: execute_with(run, node); break;
    case NODE_SCOPE: execute_in_scope(run, node->children); break;
    case NODE_BREAK: run->flow = CHAT_BREAK; break;
    case NODE_CONTINUE: run->flow = CHAT_CONTINUE; break;
    default: require(false);
    }
}

void chat_execute(ChatRun *run, const ChatNode *body) {
    if (run->depth >= CHAT_RUN_DEPTH_MAX) {
        chat_run_fail(run, "macros or blocks are nested too deeply");
        return;
    }
    run->depth++;
    for (const ChatNode *node = body; node && run->flow == CHAT_GO_ON; node = node->next) {
        run->line = node->line;
        if (!chat_run_spend(run, 0)) break;
        execute_node(run, node);
    }
    run->depth--;
}

// ---- macros

// Sets the parameters in the macro's scope: by position, by name, or by default.
static void bind_parameters(ChatRun *run, const ChatMacro *macro, const ChatArguments *arguments) {
    bool used[CHAT_ARGUMENTS_MAX] = {false};
    int position = 0;
    for (const ChatNode *p = macro->parameters; p; p = p->next, position++) {
        Value value = {.kind = VALUE_ABSENT, .integer = 0};
        for (int i = 0; i < arguments->n; i++) {
            bool is_it =
                arguments->name[i].n ? str_equal(arguments->name[i], p->name) : i == position;
            if (!is_it) continue;
            value = arguments->value[i];
            used[i] = true;
        }
        if (value.kind == VALUE_ABSENT && p->left) value = chat_eval(run, p->left);
        if (value.kind == VALUE_ABSENT) value = value_undefined(p->name);
        chat_scope_set(run, p->name, value);
    }
    for (int i = 0; i < arguments->n; i++) {
        if (used[i]) continue;
        chat_run_fail(run, "macro %.*s does not take argument %d", STR_ARG(macro->name), i + 1);
    }
}

Value chat_call_macro(ChatRun *run, const ChatMacro *macro, const ChatArguments *arguments,
                      const ChatMacro *caller) {
    StrBuilder text = str_builder(run->arena), *out = run->out;
    int line = run->line;
    ChatScope *before = scope_begin(run, macro->scope);
    bind_parameters(run, macro, arguments);
    if (caller) {
        chat_scope_set(run, STR("caller"), (Value){.kind = VALUE_MACRO, .macro = caller});
    }
    run->out = &text;
    chat_execute(run, macro->body);
    run->out = out;
    run->scope = before;
    if (!run->is_failed) run->line = line;
    return value_string(str_built(&text));
}
