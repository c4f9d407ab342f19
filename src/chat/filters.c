// filters.c - the filters of Jinja that chat templates use, and tojson as Hugging Face has it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chat/run.h"
#include "chat/text.h"

#define FILTER(name) static Value filter_##name(ChatRun *run, Value v, const ChatArguments *a)

Str chat_string_argument(ChatRun *run, Value v, Str otherwise) {
    if (v.kind == VALUE_ABSENT || v.kind == VALUE_NONE) return otherwise;
    if (v.kind == VALUE_STRING) return v.string;
    chat_run_fail(run, "a string is needed, not %s", value_kind_name(v));
    return otherwise;
}

int64_t chat_integer_argument(ChatRun *run, Value v, int64_t otherwise) {
    if (v.kind == VALUE_ABSENT || v.kind == VALUE_NONE) return otherwise;
    if (v.kind == VALUE_INTEGER) return v.integer;
    if (v.kind == VALUE_BOOL) return v.boolean;
    chat_run_fail(run, "an integer is needed, not %s", value_kind_name(v));
    return otherwise;
}

const ChatBuiltin *chat_find_in(const ChatBuiltin *table, int n, Str name) {
    for (int i = 0; i < n; i++) {
        if (str_equal(name, str_from(table[i].name))) return &table[i];
    }
    return NULL;
}

// The text of a value, paid for: what comes of it is about as long.
static Str paid_text(ChatRun *run, Value v) {
    Str s = value_text(run, v);
    return chat_run_spend(run, (int64_t)s.n * 2) ? s : STR("");
}

// ---- text

FILTER(lower) {
    (void)a;
    return value_string(text_case(run->arena, paid_text(run, v), TEXT_LOWER));
}
FILTER(upper) {
    (void)a;
    return value_string(text_case(run->arena, paid_text(run, v), TEXT_UPPER));
}
FILTER(capitalize) {
    (void)a;
    return value_string(text_case(run->arena, paid_text(run, v), TEXT_CAPITALIZE));
}
FILTER(title) {
    (void)a;
    return value_string(text_title_words(run->arena, paid_text(run, v)));
}
FILTER(string) {
    (void)a;
    return value_string(value_text(run, v));
}
FILTER(safe) {
    (void)a;
    return value_string(value_text(run, v));
}
FILTER(trim) {
    Str set = chat_string_argument(run, a->value[0], STR(""));
    return value_string(text_strip(value_text(run, v), set, true, true));
}
FILTER(replace) {
    Str old = value_text(run, a->value[0]), with = value_text(run, a->value[1]);
    return chat_replace(run, value_text(run, v), old, with,
                        chat_integer_argument(run, a->value[2], -1));
}
FILTER(format) { // "%s"|format(x)
    Value values = value_list(run, VALUE_TUPLE, a->n);
    for (int i = 0; i < a->n; i++) value_append(run, values, a->value[i]);
    return chat_format(run, chat_string_argument(run, v, STR("")), values);
}
FILTER(escape) {
    (void)a;
    Str s = paid_text(run, v);
    StrBuilder b = str_builder(run->arena);
    for (size_t i = 0; i < s.n; i++) {
        char c = s.data[i];
        if (c == '&')
            str_add_c(&b, "&amp;");
        else if (c == '<')
            str_add_c(&b, "&lt;");
        else if (c == '>')
            str_add_c(&b, "&gt;");
        else if (c == '\'')
            str_add_c(&b, "&#39;");
        else if (c == '"')
            str_add_c(&b, "&#34;");
        else
            str_add_byte(&b, c);
    }
    return value_string(str_built(&b));
}

// The lines of a text; unlike for str.splitlines, one that ends in a newline has an empty last
// line.
static Value indented_lines(ChatRun *run, Str s) {
    Value lines = chat_lines(run, s, false);
    if (s.n == 0 || s.data[s.n - 1] == '\n') value_append(run, lines, value_string(STR("")));
    return lines;
}

// The first line, if it is not asked for, and empty lines are not indented.
FILTER(indent) {
    Str by = a->value[0].kind == VALUE_STRING ? a->value[0].string : STR("");
    int64_t width = by.n ? 0 : chat_integer_argument(run, a->value[0], 4);
    bool with_first = value_truth(a->value[1]), with_blank = value_truth(a->value[2]);
    if (width < 0 || width > 1000) return chat_run_fail(run, "indent by %lld", (long long)width);
    if (!by.n) by = str_printf(run->arena, "%*s", (int)width, "");
    Value lines = indented_lines(run, paid_text(run, v));
    StrBuilder b = str_builder(run->arena);
    for (int64_t i = 0; i < lines.list->n && !run->is_failed; i++) {
        Str line = lines.list->item[i].string;
        if (i) str_add_byte(&b, '\n');
        if (i ? line.n || with_blank : with_first) str_add(&b, by);
        chat_run_spend(run, (int64_t)by.n);
        str_add(&b, line);
    }
    return value_string(str_built(&b));
}

FILTER(tojson) {
    bool is_plain =
        !value_truth(a->value[0]) && !value_truth(a->value[2]) && !value_truth(a->value[3]);
    if (!is_plain) return chat_run_fail(run, "tojson: of its options only indent is supported");
    int64_t indent = chat_integer_argument(run, a->value[1], -1);
    if (indent > 100) return chat_run_fail(run, "tojson: an indent of more than 100");
    return value_string(value_json(run, v, indent));
}

// ---- numbers

FILTER(abs) {
    (void)a;
    if (v.kind == VALUE_FLOAT) return value_float(fabs(v.number));
    int64_t i = chat_integer_argument(run, v, 0);
    if (i == INT64_MIN) return chat_run_fail(run, "an integer is too big");
    return value_integer(i < 0 ? -i : i);
}

FILTER(int) {
    Value otherwise = a->value[0].kind == VALUE_ABSENT ? value_integer(0) : a->value[0];
    double number;
    int64_t integer;
    if (chat_integer_argument(run, a->value[1], 10) != 10) {
        return chat_run_fail(run, "int: only base 10 is supported");
    }
    if (v.kind == VALUE_INTEGER) return v;
    if (v.kind == VALUE_BOOL) return value_integer(v.boolean);
    if (v.kind == VALUE_FLOAT)
        number = v.number;
    else if (v.kind != VALUE_STRING)
        return otherwise;
    else if (str_int(text_strip(v.string, STR(""), true, true), &integer)) {
        return value_integer(integer);
    } else if (!str_number(text_strip(v.string, STR(""), true, true), &number))
        return otherwise;
    return fabs(number) < 9.2e18 ? value_integer((int64_t)number) : otherwise;
}

FILTER(float) {
    double number;
    (void)run;
    if (value_is_number(v)) return value_float(value_number(v));
    if (v.kind == VALUE_STRING && str_number(text_strip(v.string, STR(""), true, true), &number)) {
        return value_float(number);
    }
    return a->value[0].kind == VALUE_ABSENT ? value_float(0) : a->value[0];
}

FILTER(round) {
    int64_t precision = chat_integer_argument(run, a->value[0], 0);
    Str method = chat_string_argument(run, a->value[1], STR("common"));
    if (!value_is_number(v)) return chat_run_fail(run, "%s is not rounded", value_kind_name(v));
    if (precision < 0 || precision > 15) return chat_run_fail(run, "round: digits must be 0..15");
    double x = value_number(v), scale = pow(10, (double)precision);
    if (str_equal(method, STR("ceil"))) return value_float(ceil(x * scale) / scale);
    if (str_equal(method, STR("floor"))) return value_float(floor(x * scale) / scale);
    if (v.kind != VALUE_FLOAT) return v;
    // printf rounds the exact value, halves to even, as Python does.
    Str text = str_printf(run->arena, "%.*f", (int)precision, x);
    return value_float(strtod(text.data, NULL));
}

// ---- sequences

FILTER(length) {
    (void)a;
    if (v.kind == VALUE_STRING) return value_integer(text_length(v.string));
    if (v.kind == VALUE_LIST || v.kind == VALUE_TUPLE) return value_integer(v.list->n);
    if (v.kind == VALUE_DICT) return value_integer(v.dict->n);
    if (v.kind == VALUE_UNDEFINED) return value_integer(0);
    return chat_run_fail(run, "%s has no length", value_kind_name(v));
}

FILTER(first) {
    (void)a;
    Value items = value_items(run, v);
    return items.list->n ? items.list->item[0] : value_undefined(STR("the first item"));
}

FILTER(last) {
    (void)a;
    Value items = value_items(run, v);
    int64_t n = items.list->n;
    return n ? items.list->item[n - 1] : value_undefined(STR("the last item"));
}

static Value list_of(ChatRun *run, Value v, ValueKind kind, bool is_reversed) {
    Value items = value_items(run, v);
    int64_t n = items.list->n;
    Value list = value_list(run, kind, n);
    for (int64_t i = 0; i < n; i++) {
        value_append(run, list, items.list->item[is_reversed ? n - 1 - i : i]);
    }
    return list;
}

FILTER(list) {
    (void)a;
    return list_of(run, v, VALUE_LIST, false);
}

FILTER(reverse) {
    (void)a;
    Value list = list_of(run, v, VALUE_ITERATOR, true);
    if (v.kind != VALUE_STRING) return list;
    StrBuilder b = str_builder(run->arena);
    for (int64_t i = 0; i < list.list->n; i++) str_add(&b, list.list->item[i].string);
    return value_string(str_built(&b));
}

// Follows "a.b.0" into a value, or a single integer.
static Value attribute_of(ChatRun *run, Value v, Value path) {
    if (path.kind == VALUE_INTEGER) return chat_item(run, v, path);
    Str rest = chat_string_argument(run, path, STR(""));
    while (rest.n && !run->is_failed) {
        size_t end = str_find(rest, STR("."), 0);
        Str part = str_slice(rest, 0, end);
        int64_t index;
        v = str_int(part, &index) ? chat_item(run, v, value_integer(index))
                                  : chat_item_or_attribute(run, v, part);
        rest = end == SIZE_MAX ? STR("") : str_slice(rest, end + 1, rest.n);
    }
    return v;
}

FILTER(join) {
    Value items = value_items(run, v);
    Str between = value_text(run, a->value[0]);
    StrBuilder b = str_builder(run->arena);
    for (int64_t i = 0; i < items.list->n && !run->is_failed; i++) {
        Value item = items.list->item[i];
        if (a->value[1].kind != VALUE_ABSENT) item = attribute_of(run, item, a->value[1]);
        Str text = value_text(run, item);
        if (!chat_run_spend(run, (int64_t)(text.n + between.n))) break;
        if (i) str_add(&b, between);
        str_add(&b, text);
        if (b.n > CHAT_OUTPUT_MAX) chat_run_fail(run, "a text is too long");
    }
    return value_string(str_built(&b));
}

FILTER(items) {
    (void)a;
    if (v.kind == VALUE_DICT) return chat_dict_items(run, v.dict);
    if (v.kind == VALUE_UNDEFINED) return value_list(run, VALUE_LIST, 0);
    return chat_run_fail(run, "%s has no items", value_kind_name(v));
}

// The arguments behind the first `skip` ones.
static ChatArguments rest_of(const ChatArguments *a, int skip) {
    ChatArguments rest = {.n = 0};
    for (int i = skip; i < a->n; i++) {
        rest.value[rest.n] = a->value[i];
        rest.name[rest.n++] = a->name[i];
    }
    return rest;
}

static Value argument_named(const ChatArguments *a, Str name) {
    for (int i = 0; i < a->n; i++) {
        if (str_equal(a->name[i], name)) return a->value[i];
    }
    return (Value){.kind = VALUE_ABSENT, .integer = 0};
}

// map('filter', ...) or map(attribute='name', default=...).
FILTER(map) {
    Value items = value_items(run, v), list = value_list(run, VALUE_ITERATOR, items.list->n);
    Value attribute = argument_named(a, STR("attribute"));
    Value otherwise = argument_named(a, STR("default"));
    if (a->n == 0) return chat_run_fail(run, "map needs a filter or an attribute");
    ChatArguments rest = rest_of(a, 1);
    for (int64_t i = 0; i < items.list->n && !run->is_failed; i++) {
        Value item = items.list->item[i];
        if (attribute.kind != VALUE_ABSENT) {
            item = attribute_of(run, item, attribute);
            bool is_missing = item.kind == VALUE_UNDEFINED && otherwise.kind != VALUE_ABSENT;
            value_append(run, list, is_missing ? otherwise : item);
        } else {
            Str name = chat_string_argument(run, a->value[0], STR(""));
            value_append(run, list, chat_apply_filter(run, name, item, &rest));
        }
    }
    return list;
}

// select, reject, selectattr and rejectattr: without a test, whether the value is true.
static Value select_items(ChatRun *run, Value v, const ChatArguments *a, bool has_attribute,
                          bool wanted) {
    Value items = value_items(run, v), list = value_list(run, VALUE_ITERATOR, 0);
    int at = has_attribute ? 1 : 0;
    if (a->n < at) return chat_run_fail(run, "selectattr needs an attribute");
    ChatArguments rest = rest_of(a, at + 1);
    for (int64_t i = 0; i < items.list->n && !run->is_failed; i++) {
        Value subject = items.list->item[i];
        if (has_attribute) subject = attribute_of(run, subject, a->value[0]);
        if (a->n > at) {
            Str test = chat_string_argument(run, a->value[at], STR(""));
            subject = chat_apply_test(run, test, subject, &rest);
        }
        if (value_truth(subject) == wanted) value_append(run, list, items.list->item[i]);
    }
    return list;
}

FILTER(select) {
    return select_items(run, v, a, false, true);
}
FILTER(reject) {
    return select_items(run, v, a, false, false);
}
FILTER(selectattr) {
    return select_items(run, v, a, true, true);
}
FILTER(rejectattr) {
    return select_items(run, v, a, true, false);
}

// ---- order

// What an item is ordered by: perhaps one of its attributes, strings perhaps in lower case.
static Value order_key(ChatRun *run, Value item, Value attribute, bool is_case_sensitive) {
    if (attribute.kind != VALUE_ABSENT && attribute.kind != VALUE_NONE) {
        item = attribute_of(run, item, attribute);
    }
    if (item.kind != VALUE_STRING || is_case_sensitive) return item;
    return value_string(text_case(run->arena, paid_text(run, item), TEXT_LOWER));
}

// Stable: merges ever longer runs.  `entry` has the key and the item; the result may be either
// array.
static ValueEntry *sort_entries(ChatRun *run, ValueEntry *entry, int64_t n, bool is_reversed) {
    ValueEntry *spare = arena_new(run->arena, ValueEntry, n);
    for (int64_t width = 1; width < n && !run->is_failed; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            int64_t middle = low + width < n ? low + width : n;
            int64_t high = low + 2 * width < n ? low + 2 * width : n;
            for (int64_t i = low, j = middle, k = low; k < high; k++) {
                bool left = i < middle;
                if (left && j < high) {
                    int order = value_order(run, entry[i].key, entry[j].key);
                    left = is_reversed ? order >= 0 : order <= 0;
                }
                spare[k] = left ? entry[i++] : entry[j++];
            }
        }
        ValueEntry *swap = entry;
        entry = spare;
        spare = swap;
    }
    return entry;
}

static Value sorted(ChatRun *run, Value items, bool is_reversed, bool is_case_sensitive,
                    Value attribute) {
    int64_t n = items.list->n;
    Value list = value_list(run, VALUE_LIST, n);
    if (!chat_run_spend(run, 2 * n * (int64_t)sizeof(ValueEntry))) return list;
    ValueEntry *entry = arena_new(run->arena, ValueEntry, n);
    for (int64_t i = 0; i < n && !run->is_failed; i++) {
        Value item = items.list->item[i];
        entry[i] = (ValueEntry){order_key(run, item, attribute, is_case_sensitive), item};
    }
    entry = sort_entries(run, entry, n, is_reversed);
    for (int64_t i = 0; i < n; i++) value_append(run, list, entry[i].value);
    return list;
}

FILTER(sort) {
    return sorted(run, value_items(run, v), value_truth(a->value[0]), value_truth(a->value[1]),
                  a->value[2]);
}

FILTER(dictsort) {
    bool by_value = str_equal(chat_string_argument(run, a->value[1], STR("key")), STR("value"));
    if (v.kind != VALUE_DICT) return chat_run_fail(run, "dictsort needs a dict");
    return sorted(run, chat_dict_items(run, v.dict), value_truth(a->value[2]),
                  value_truth(a->value[0]), value_integer(by_value));
}

FILTER(unique) {
    Value items = value_items(run, v), list = value_list(run, VALUE_ITERATOR, 0);
    Value seen = value_list(run, VALUE_LIST, 0);
    for (int64_t i = 0; i < items.list->n && !run->is_failed; i++) {
        Value key = order_key(run, items.list->item[i], a->value[1], value_truth(a->value[0]));
        if (value_contains(run, seen, key)) continue;
        value_append(run, seen, key);
        value_append(run, list, items.list->item[i]);
    }
    return list;
}

static Value extreme(ChatRun *run, Value v, const ChatArguments *a, int wanted) {
    Value items = value_items(run, v), best = value_undefined(STR("an item"));
    Value best_key = best;
    for (int64_t i = 0; i < items.list->n && !run->is_failed; i++) {
        Value item = items.list->item[i];
        Value key = order_key(run, item, a->value[1], value_truth(a->value[0]));
        if (i && value_order(run, key, best_key) != wanted) continue;
        best = item;
        best_key = key;
    }
    return best;
}
FILTER(max) {
    return extreme(run, v, a, 1);
}
FILTER(min) {
    return extreme(run, v, a, -1);
}

FILTER(sum) {
    Value items = value_items(run, v);
    double total = value_is_number(a->value[1]) ? value_number(a->value[1]) : 0;
    bool is_float = a->value[1].kind == VALUE_FLOAT;
    for (int64_t i = 0; i < items.list->n && !run->is_failed; i++) {
        Value item = items.list->item[i];
        if (a->value[0].kind != VALUE_ABSENT) item = attribute_of(run, item, a->value[0]);
        if (!value_is_number(item)) return chat_run_fail(run, "sum: an item is no number");
        is_float = is_float || item.kind == VALUE_FLOAT;
        total += value_number(item);
    }
    if (is_float) return value_float(total);
    return fabs(total) < 9e15 ? value_integer((int64_t)total)
                              : chat_run_fail(run, "an integer is too big");
}

FILTER(default) {
    bool is_missing = v.kind == VALUE_UNDEFINED || (value_truth(a->value[1]) && !value_truth(v));
    (void)run;
    if (!is_missing) return v;
    return a->value[0].kind == VALUE_ABSENT ? value_string(STR("")) : a->value[0];
}

static const ChatBuiltin filters[] = {
    {"abs", "", 0, filter_abs},
    {"capitalize", "", 0, filter_capitalize},
    {"count", "", 0, filter_length},
    {"d", "default_value boolean", 0, filter_default},
    {"default", "default_value boolean", 0, filter_default},
    {"dictsort", "case_sensitive by reverse", 0, filter_dictsort},
    {"e", "", 0, filter_escape},
    {"escape", "", 0, filter_escape},
    {"first", "", 0, filter_first},
    {"float", "default", 0, filter_float},
    {"format", "*", 0, filter_format},
    {"indent", "width first blank", 0, filter_indent},
    {"int", "default base", 0, filter_int},
    {"items", "", 0, filter_items},
    {"join", "d attribute", 0, filter_join},
    {"last", "", 0, filter_last},
    {"length", "", 0, filter_length},
    {"list", "", 0, filter_list},
    {"lower", "", 0, filter_lower},
    {"map", "*", 0, filter_map},
    {"max", "case_sensitive attribute", 0, filter_max},
    {"min", "case_sensitive attribute", 0, filter_min},
    {"reject", "*", 0, filter_reject},
    {"rejectattr", "*", 0, filter_rejectattr},
    {"replace", "old new count", 2, filter_replace},
    {"reverse", "", 0, filter_reverse},
    {"round", "precision method", 0, filter_round},
    {"safe", "", 0, filter_safe},
    {"select", "*", 0, filter_select},
    {"selectattr", "*", 0, filter_selectattr},
    {"sort", "reverse case_sensitive attribute", 0, filter_sort},
    {"string", "", 0, filter_string},
    {"sum", "attribute start", 0, filter_sum},
    {"title", "", 0, filter_title},
    {"tojson", "ensure_ascii indent separators sort_keys", 0, filter_tojson},
    {"trim", "chars", 0, filter_trim},
    {"unique", "case_sensitive attribute", 0, filter_unique},
    {"upper", "", 0, filter_upper},
};

const ChatBuiltin *chat_find_filter(Str name) {
    return chat_find_in(filters, sizeof filters / sizeof filters[0], name);
}
