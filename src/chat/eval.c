// eval.c - computes the expressions of a template.
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "chat/run.h"
#include "chat/text.h"

// ---- arithmetic

static Value number_pair(ChatRun *run, Str operator, double a, double b) {
    double quotient = floor(a / b);
    switch (operator.data[0]) {
    case '+': return value_float(a + b);
    case '-': return value_float(a - b);
    case '/': return value_float(operator.n == 1 ? a / b : quotient);
    case '%': return value_float(a - quotient * b);
    default: break;
    }
    if (operator.n == 1) return value_float(a * b);
    double power = pow(a, b);
    return isfinite(power) ? value_float(power) : chat_run_fail(run, "a number is too big");
}

static bool multiply(int64_t a, int64_t b, int64_t *product) {
    double estimate = (double)a * (double)b;
    if (fabs(estimate) > 9.2e18) return false;
    *product = a * b;
    return true;
}

// Python's integers have no end; here 64 bits are the limit, and passing it is an error.
static Value integer_pair(ChatRun *run, Str operator, int64_t a, int64_t b) {
    bool ok = true;
    int64_t result = 0;
    if (operator.data[0] == '+') {
        ok = b >= 0 ? a <= INT64_MAX - b : a >= INT64_MIN - b;
        if (ok) result = a + b;
    } else if (operator.data[0] == '-') {
        ok = b >= 0 ? a >= INT64_MIN + b : a <= INT64_MAX + b;
        if (ok) result = a - b;
    } else if (operator.data[0] == '*' && operator.n == 1) {
        ok = multiply(a, b, &result);
    } else if (operator.data[0] == '*') {
        if (b < 0) return number_pair(run, operator,(double) a, (double)b);
        result = 1;
        // Beyond 63 factors only -1, 0 and 1 stay small.
        if (b > 64) b = a >= -1 && a <= 1 ? 2 + b % 2 : 64;
        for (int64_t i = 0; i < b && ok; i++) ok = multiply(result, a, &result);
    } else if (a == INT64_MIN && b == -1) {
        ok = operator.data[0] == '%';
    } else {
        int64_t quotient = a / b, rest = a % b;
        if (rest && (rest < 0) != (b < 0)) {
            rest += b;
            quotient--;
        }
        result = operator.data[0] == '%' ? rest : quotient;
    }
    return ok ? value_integer(result) : chat_run_fail(run, "an integer is too big");
}

static int64_t integer_of(Value v) {
    return v.kind == VALUE_BOOL ? v.boolean : v.integer;
}

static Value numbers(ChatRun *run, Str operator, Value a, Value b) {
    bool is_division = operator.data[0] == '/' || operator.data[0] == '%';
    if (is_division && value_number(b) == 0) return chat_run_fail(run, "division by zero");
    bool is_float = a.kind == VALUE_FLOAT || b.kind == VALUE_FLOAT ||
                    (operator.data[0] == '/' && operator.n == 1);
    if (is_float) return number_pair(run, operator, value_number(a), value_number(b));
    return integer_pair(run, operator, integer_of(a), integer_of(b));
}

// A string or list times n.
static Value repeat(ChatRun *run, Value v, int64_t n) {
    bool is_string = v.kind == VALUE_STRING;
    int64_t size = is_string ? (int64_t)v.string.n : v.list->n * (int64_t)sizeof(Value);
    if (n < 0 || size == 0) n = 0;
    if (n && size > CHAT_OUTPUT_MAX * 8 / n) return chat_run_fail(run, "a value is too long");
    if (!chat_run_spend(run, size * n)) return v;
    if (!is_string) {
        Value list = value_list(run, v.kind, v.list->n * n);
        for (int64_t i = 0; i < v.list->n * n; i++) {
            value_append(run, list, v.list->item[i % v.list->n]);
        }
        return list;
    }
    char *data = arena_push(run->arena, (size_t)(size * n) + 1);
    for (int64_t i = 0; i < n; i++) memcpy(data + i * size, v.string.data, (size_t)size);
    return value_string((Str){data, (size_t)(size * n)});
}

static Value join_lists(ChatRun *run, Value a, Value b) {
    Value list = value_list(run, a.kind, a.list->n + b.list->n);
    for (int64_t i = 0; i < a.list->n; i++) value_append(run, list, a.list->item[i]);
    for (int64_t i = 0; i < b.list->n; i++) value_append(run, list, b.list->item[i]);
    return list;
}

static Value join_strings(ChatRun *run, const Str *part, int n) {
    size_t total = 0;
    for (int i = 0; i < n; i++) total += part[i].n;
    if (total > CHAT_OUTPUT_MAX) return chat_run_fail(run, "a text is too long");
    if (!chat_run_spend(run, (int64_t)total)) return value_undefined(STR(""));
    char *data = arena_push_aligned(run->arena, total + 1, 1);
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        if (part[i].n) memcpy(data + at, part[i].data, part[i].n);
        at += part[i].n;
    }
    return value_string((Str){data, total});
}

static Value eval_binary(ChatRun *run, const ChatNode *node) {
    Value a = chat_eval(run, node->left), b = chat_eval(run, node->right);
    char sign = node->name.data[0];
    bool is_single = node->name.n == 1;
    if (run->is_failed || !chat_run_needs(run, a) || !chat_run_needs(run, b)) return a;
    if (sign == '%' && a.kind == VALUE_STRING) return chat_format(run, a.string, b);
    if (value_is_number(a) && value_is_number(b)) return numbers(run, node->name, a, b);
    if (sign == '+' && a.kind == VALUE_STRING && b.kind == VALUE_STRING) {
        return join_strings(run, (Str[]){a.string, b.string}, 2);
    }
    bool has_list = a.kind == VALUE_LIST || a.kind == VALUE_TUPLE;
    if (sign == '+' && has_list && a.kind == b.kind) return join_lists(run, a, b);
    bool a_counts = a.kind == VALUE_INTEGER || a.kind == VALUE_BOOL;
    bool b_counts = b.kind == VALUE_INTEGER || b.kind == VALUE_BOOL;
    if (sign == '*' && is_single && b_counts && (has_list || a.kind == VALUE_STRING)) {
        return repeat(run, a, integer_of(b));
    }
    bool b_repeats = b.kind == VALUE_STRING || b.kind == VALUE_LIST || b.kind == VALUE_TUPLE;
    if (sign == '*' && is_single && a_counts && b_repeats) return repeat(run, b, integer_of(a));
    return chat_run_fail(run, "%s %.*s %s is not possible", value_kind_name(a), STR_ARG(node->name),
                         value_kind_name(b));
}

static Value eval_sign(ChatRun *run, const ChatNode *node) {
    Value v = chat_eval(run, node->left);
    if (run->is_failed || !chat_run_needs(run, v)) return v;
    if (!value_is_number(v)) return chat_run_fail(run, "%s has no sign", value_kind_name(v));
    Value zero = v.kind == VALUE_FLOAT ? value_float(-0.0) : value_integer(0);
    return numbers(run, node->kind == NODE_NEGATE ? STR("-") : STR("+"), zero, v);
}

static Value eval_concat(ChatRun *run, const ChatNode *node) {
    enum { PARTS = 16 };
    Str part[PARTS];
    int n = 0;
    for (const ChatNode *operand = node->children; operand; operand = operand->next) {
        if (n == PARTS) {
            Value so_far = join_strings(run, part, n);
            if (run->is_failed) return so_far;
            part[0] = so_far.string;
            n = 1;
        }
        part[n++] = value_text(run, chat_eval(run, operand));
        if (run->is_failed) return value_undefined(STR(""));
    }
    return join_strings(run, part, n);
}

// ---- comparisons

static bool compares(ChatRun *run, Str operator, Value a, Value b) {
    if (str_equal(operator, STR("=="))) return value_equal(run, a, b);
    if (str_equal(operator, STR("!="))) return !value_equal(run, a, b);
    if (str_equal(operator, STR("in"))) return value_contains(run, b, a);
    if (str_equal(operator, STR("not in"))) return !value_contains(run, b, a);
    bool has_nan =
        (a.kind == VALUE_FLOAT && isnan(a.number)) || (b.kind == VALUE_FLOAT && isnan(b.number));
    int order = value_order(run, a, b);
    if (has_nan) return false;
    bool with_equal = operator.n == 2;
    return operator.data[0] == '<' ? order < with_equal : order> -(int) with_equal;
}

// a < b < c is a < b and b < c.
static Value eval_compare(ChatRun *run, const ChatNode *node) {
    Value left = chat_eval(run, node->left);
    for (const ChatNode *c = node->children; c && !run->is_failed; c = c->next) {
        Value right = chat_eval(run, c->left);
        if (run->is_failed || !compares(run, c->name, left, right)) return value_bool(false);
        left = right;
    }
    return value_bool(true);
}

// ---- attributes, items, slices

static Value loop_attribute(const ChatLoop *loop, Str name) {
    int64_t n = loop->items.list->n, i = loop->index0;
    const Value *item = loop->items.list->item;
    const struct {
        const char *name;
        Value value;
    } attribute[] = {{"index", value_integer(i + 1)},
                     {"index0", value_integer(i)},
                     {"first", value_bool(i == 0)},
                     {"last", value_bool(i == n - 1)},
                     {"length", value_integer(n)},
                     {"revindex", value_integer(n - i)},
                     {"revindex0", value_integer(n - i - 1)},
                     {"depth", value_integer(1)}, // of recursive loops, which there are none
                     {"depth0", value_integer(0)},
                     {"previtem", i > 0 ? item[i - 1] : value_undefined(STR("loop.previtem"))},
                     {"nextitem", i < n - 1 ? item[i + 1] : value_undefined(STR("loop.nextitem"))}};
    for (size_t k = 0; k < sizeof attribute / sizeof attribute[0]; k++) {
        if (str_equal(name, str_from(attribute[k].name))) return attribute[k].value;
    }
    return value_undefined(name);
}

Value chat_attribute(ChatRun *run, Value object, Str name) {
    if (run->is_failed || !chat_run_needs(run, object)) return object;
    if (str_starts(name, STR("__"))) {
        return chat_run_fail(run, "access to attribute '%.*s' is not allowed",
                             name.n < 64 ? (int)name.n : 64, name.data);
    }
    const ChatBuiltin *function = chat_find_method(object, name);
    if (function) {
        if (!chat_run_spend(run, (int64_t)sizeof(ChatMethod))) return object;
        ChatMethod *method = arena_new(run->arena, ChatMethod, 1);
        *method = (ChatMethod){function, object};
        return (Value){.kind = VALUE_METHOD, .method = method};
    }
    if (object.kind == VALUE_LOOP) return loop_attribute(object.loop, name);
    if (object.kind == VALUE_DICT || object.kind == VALUE_NAMESPACE) {
        Value found = value_get(run, object, value_string(name));
        if (found.kind != VALUE_ABSENT) return found;
    }
    return value_undefined(name);
}

Value chat_item(ChatRun *run, Value object, Value key) {
    if (run->is_failed || !chat_run_needs(run, object)) return object;
    if (object.kind == VALUE_DICT) {
        Value found = value_get(run, object, key);
        if (found.kind != VALUE_ABSENT) return found;
    } else if (object.kind == VALUE_LOOP || object.kind == VALUE_NAMESPACE) {
        if (key.kind == VALUE_STRING) return chat_attribute(run, object, key.string);
    } else if (key.kind == VALUE_INTEGER || key.kind == VALUE_BOOL) {
        int64_t i = integer_of(key);
        bool is_string = object.kind == VALUE_STRING;
        if (!is_string && !value_is_sequence(object)) return value_undefined(STR("an item"));
        int64_t n = is_string ? text_length(object.string) : object.list->n;
        if (is_string) chat_run_spend(run, (int64_t)object.string.n);
        if (i < 0) i += n;
        if (i < 0 || i >= n) return value_undefined(STR("an item out of range"));
        return is_string ? value_string(text_slice(object.string, i, i + 1)) : object.list->item[i];
    }
    return value_undefined(key.kind == VALUE_STRING ? key.string : STR("an item"));
}

Value chat_item_or_attribute(ChatRun *run, Value object, Str name) {
    Value found = chat_item(run, object, value_string(name));
    return found.kind == VALUE_UNDEFINED ? chat_attribute(run, object, name) : found;
}

// A bound of a slice, made to lie in low .. high.
static int64_t slice_bound(ChatRun *run, const ChatNode *node, int64_t n, int64_t low, int64_t high,
                           int64_t otherwise) {
    if (!node) return otherwise;
    Value v = chat_eval(run, node);
    if (v.kind == VALUE_NONE) return otherwise;
    int64_t i = chat_integer_argument(run, v, 0);
    if (i < 0) i = i < -n ? -1 - n : i + n;
    return i < low ? low : i > high ? high : i;
}

static Value eval_slice(ChatRun *run, const ChatNode *node) {
    Value object = chat_eval(run, node->left);
    if (run->is_failed || !chat_run_needs(run, object)) return object;
    bool is_string = object.kind == VALUE_STRING;
    if (!is_string && !value_is_sequence(object)) {
        return chat_run_fail(run, "%s cannot be sliced", value_kind_name(object));
    }
    int64_t n = is_string ? text_length(object.string) : object.list->n, step = 1;
    if (node->fourth) step = chat_integer_argument(run, chat_eval(run, node->fourth), 1);
    if (step == 0) return chat_run_fail(run, "a slice has step 0");
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    int64_t from = slice_bound(run, node->right, n, low, high, step > 0 ? 0 : n - 1);
    int64_t to = slice_bound(run, node->third, n, low, high, step > 0 ? n : -1);
    if (!chat_run_spend(run, is_string ? (int64_t)object.string.n : 0)) return object;
    if (is_string && step == 1) {
        return value_string(from < to ? text_slice(object.string, from, to) : STR(""));
    }
    Value items = value_items(run, object);
    Value list = value_list(run, is_string ? VALUE_LIST : object.kind, 0);
    // The next index is compared before it is computed: a huge step may not overflow.
    for (int64_t i = from; !run->is_failed && (step > 0 ? i < to : i > to); i += step) {
        value_append(run, list, items.list->item[i]);
        if (step > 0 ? step >= to - i : step <= to - i) break;
    }
    if (!is_string) return list;
    StrBuilder b = str_builder(run->arena);
    for (int64_t i = 0; i < list.list->n; i++) str_add(&b, list.list->item[i].string);
    return value_string(str_built(&b));
}

// ---- calls

bool chat_eval_arguments(ChatRun *run, const ChatNode *nodes, ChatArguments *arguments) {
    arguments->n = 0;
    for (const ChatNode *node = nodes; node; node = node->next) {
        if (arguments->n == CHAT_ARGUMENTS_MAX) {
            chat_run_fail(run, "a call has more than %d arguments", (int)CHAT_ARGUMENTS_MAX);
            return false;
        }
        arguments->name[arguments->n] = node->name;
        arguments->value[arguments->n++] = chat_eval(run, node->left);
    }
    return !run->is_failed;
}

// The number of a parameter in "one two three", -1 if it is none of them; sets their count.
static int parameter_of(const char *parameters, Str name, int *n) {
    int found = -1;
    *n = 0;
    for (Str rest = str_from(parameters); rest.n; (*n)++) {
        size_t end = str_find(rest, STR(" "), 0);
        if (str_equal(str_slice(rest, 0, end), name)) found = *n;
        rest = end == SIZE_MAX ? STR("") : str_slice(rest, end + 1, rest.n);
    }
    return found;
}

Value chat_call_builtin(ChatRun *run, const ChatBuiltin *function, Value self,
                        const ChatArguments *arguments) {
    if (run->is_failed) return self;
    if (function->parameters[0] == '*') return function->call(run, self, arguments);
    ChatArguments bound = {.n = 0};
    parameter_of(function->parameters, STR(""), &bound.n);
    for (int i = 0; i < arguments->n; i++) {
        int n, position = i;
        if (arguments->name[i].n) {
            position = parameter_of(function->parameters, arguments->name[i], &n);
        }
        if (position < 0 || position >= bound.n || bound.value[position].kind != VALUE_ABSENT) {
            return chat_run_fail(run, "%s does not take argument %d %.*s", function->name, i + 1,
                                 STR_ARG(arguments->name[i]));
        }
        bound.value[position] = arguments->value[i];
    }
    for (int i = 0; i < function->n_required; i++) {
        if (bound.value[i].kind != VALUE_ABSENT) continue;
        return chat_run_fail(run, "%s misses argument %d", function->name, i + 1);
    }
    return function->call(run, self, &bound);
}

static Value eval_call(ChatRun *run, const ChatNode *node) {
    Value function = chat_eval(run, node->left);
    ChatArguments arguments;
    if (run->is_failed || !chat_run_needs(run, function)) return function;
    if (!chat_eval_arguments(run, node->children, &arguments)) return function;
    switch (function.kind) {
    case VALUE_MACRO: return chat_call_macro(run, function.macro, &arguments, NULL);
    case VALUE_FUNCTION: return chat_call_builtin(run, function.function, function, &arguments);
    case VALUE_METHOD:
        return chat_call_builtin(run, function.method->function, function.method->self, &arguments);
    default: return chat_run_fail(run, "%s cannot be called", value_kind_name(function));
    }
}

Value chat_apply_filter(ChatRun *run, Str name, Value input, const ChatArguments *arguments) {
    const ChatBuiltin *filter = chat_find_filter(name);
    if (filter) return chat_call_builtin(run, filter, input, arguments);
    return chat_run_fail(run, "there is no filter \"%.*s\"", name.n < 64 ? (int)name.n : 64,
                         name.data);
}

Value chat_apply_test(ChatRun *run, Str name, Value input, const ChatArguments *arguments) {
    const ChatBuiltin *test = chat_find_test(name);
    if (test) return chat_call_builtin(run, test, input, arguments);
    return chat_run_fail(run, "there is no test \"%.*s\"", name.n < 64 ? (int)name.n : 64,
                         name.data);
}

Value chat_eval_filters(ChatRun *run, const ChatNode *filters, Value input) {
    ChatArguments arguments;
    if (run->depth >= CHAT_RUN_DEPTH_MAX) return chat_run_fail(run, "too many filters in a row");
    run->depth++;
    if (filters->left) {
        input = filters->left->kind == NODE_FILTER ? chat_eval_filters(run, filters->left, input)
                                                   : chat_eval(run, filters->left);
    }
    if (chat_run_spend(run, 0) && chat_eval_arguments(run, filters->children, &arguments)) {
        input = chat_apply_filter(run, filters->name, input, &arguments);
    }
    run->depth--;
    return input;
}

static Value eval_test(ChatRun *run, const ChatNode *node) {
    Value input = chat_eval(run, node->left);
    ChatArguments arguments;
    if (run->is_failed || !chat_eval_arguments(run, node->children, &arguments)) return input;
    return chat_apply_test(run, node->name, input, &arguments);
}

// ---- everything

static Value eval_name(ChatRun *run, const ChatNode *node) {
    const Value *found = chat_scope_find(run, node->name);
    if (found) return *found;
    const ChatBuiltin *function = chat_find_function(node->name);
    if (function) return (Value){.kind = VALUE_FUNCTION, .function = function};
    return value_undefined(node->name);
}

static Value eval_container(ChatRun *run, const ChatNode *node) {
    if (node->kind == NODE_DICT) {
        Value dict = value_dict(run, VALUE_DICT, 0);
        for (const ChatNode *key = node->children; key; key = key->next->next) {
            Value k = chat_eval(run, key);
            value_put(run, dict, k, chat_eval(run, key->next));
        }
        return dict;
    }
    Value list = value_list(run, node->kind == NODE_LIST ? VALUE_LIST : VALUE_TUPLE, 0);
    for (const ChatNode *item = node->children; item; item = item->next) {
        value_append(run, list, chat_eval(run, item));
    }
    return list;
}

static Value eval_choice(ChatRun *run, const ChatNode *node) {
    bool is_true = value_truth(chat_eval(run, node->right));
    if (is_true) return chat_eval(run, node->left);
    return node->third ? chat_eval(run, node->third) : value_undefined(STR("the else value"));
}

static Value eval_node(ChatRun *run, const ChatNode *node) {
    Value v;
    switch (node->kind) {
    case NODE_CONSTANT: return node->constant;
    case NODE_NAME: return eval_name(run, node);
    case NODE_LIST:
    case NODE_TUPLE:
    case NODE_DICT: return eval_container(run, node);
    case NODE_ATTRIBUTE: return chat_attribute(run, chat_eval(run, node->left), node->name);
    case NODE_ITEM:
        v = chat_eval(run, node->left);
        return chat_item(run, v, chat_eval(run, node->right));
    case NODE_SLICE: return eval_slice(run, node);
    case NODE_CALL: return eval_call(run, node);
    case NODE_FILTER: return chat_eval_filters(run, node, value_undefined(STR("")));
    case NODE_TEST: return eval_test(run, node);
    case NODE_NOT: return value_bool(!value_truth(chat_eval(run, node->left)));
    case NODE_NEGATE:
    case NODE_PLUS: return eval_sign(run, node);
    case NODE_AND:
        v = chat_eval(run, node->left);
        return value_truth(v) ? chat_eval(run, node->right) : v;
    case NODE_OR:
        v = chat_eval(run, node->left);
        return value_truth(v) ? v : chat_eval(run, node->right);
    case NODE_BINARY: return eval_binary(run, node);
    case NODE_CONCAT: return eval_concat(run, node);
    case NODE_COMPARE: return eval_compare(run, node);
    case NODE_CHOICE: return eval_choice(run, node);
    default: require(false); return value_none();
    }
}

Value chat_eval(ChatRun *run, const ChatNode *node) {
    if (!chat_run_spend(run, 0)) return value_undefined(STR(""));
    if (run->depth >= CHAT_RUN_DEPTH_MAX) {
        return chat_run_fail(run, "macros or expressions are nested too deeply");
    }
    run->depth++;
    run->line = node->line;
    Value v = eval_node(run, node);
    run->depth--;
    return v;
}
