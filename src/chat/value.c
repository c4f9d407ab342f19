// value.c - making, comparing and writing values, as Python does.
#include "chat/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "chat/run.h"
#include "chat/text.h"
#include "unicode/unicode.h"

Value value_undefined(Str what) {
    return (Value){.kind = VALUE_UNDEFINED, .string = what};
}
Value value_none(void) {
    return (Value){.kind = VALUE_NONE, .integer = 0};
}
Value value_bool(bool b) {
    return (Value){.kind = VALUE_BOOL, .boolean = b};
}
Value value_integer(int64_t i) {
    return (Value){.kind = VALUE_INTEGER, .integer = i};
}
Value value_float(double d) {
    return (Value){.kind = VALUE_FLOAT, .number = d};
}
Value value_string(Str s) {
    return (Value){.kind = VALUE_STRING, .string = s};
}

bool value_is_number(Value v) {
    return v.kind == VALUE_BOOL || v.kind == VALUE_INTEGER || v.kind == VALUE_FLOAT;
}

bool value_is_sequence(Value v) {
    return v.kind == VALUE_LIST || v.kind == VALUE_TUPLE || v.kind == VALUE_ITERATOR;
}

double value_number(Value v) {
    if (v.kind == VALUE_BOOL) return v.boolean ? 1 : 0;
    return v.kind == VALUE_INTEGER ? (double)v.integer : v.number;
}

const char *value_kind_name(Value v) {
    static const char *const name[] = {"absent",      "Undefined", "NoneType", "bool",
                                       "int",         "float",     "str",      "list",
                                       "tuple",       "generator", "dict",     "Namespace",
                                       "LoopContext", "Macro",     "function", "method"};
    return name[v.kind];
}

// ---- containers

static int depth_of(Value v) {
    if (value_is_sequence(v)) return v.list->depth;
    return v.kind == VALUE_DICT ? v.dict->depth : 0;
}

// The depth of a container with one more item; fails the run if that is too deep.
static int deepened(ChatRun *run, int depth, Value item) {
    int inner = 1 + depth_of(item);
    if (inner > CHAT_DEPTH_MAX) chat_run_fail(run, "a value is nested too deeply");
    return inner > depth ? inner : depth;
}

Value value_list(ChatRun *run, ValueKind kind, int64_t capacity) {
    if (capacity < 4) capacity = 4;
    if (!chat_run_spend(run, capacity * (int64_t)sizeof(Value))) capacity = 0;
    ValueList *list = arena_new(run->arena, ValueList, 1);
    *list = (ValueList){
        .item = arena_new(run->arena, Value, capacity), .capacity = capacity, .depth = 1};
    return (Value){.kind = kind, .list = list};
}

void value_append(ChatRun *run, Value list, Value item) {
    ValueList *l = list.list;
    if (run->is_failed) return;
    if (l->n == l->capacity) {
        if (!chat_run_spend(run, 2 * l->capacity * (int64_t)sizeof(Value))) return;
        l->capacity *= 2;
        Value *grown = arena_new(run->arena, Value, l->capacity);
        memcpy(grown, l->item, (size_t)l->n * sizeof *grown);
        l->item = grown;
    }
    l->depth = deepened(run, l->depth, item);
    l->item[l->n++] = item;
}

Value value_dict(ChatRun *run, ValueKind kind, int64_t capacity) {
    if (capacity < 4) capacity = 4;
    if (!chat_run_spend(run, capacity * (int64_t)sizeof(ValueEntry))) capacity = 0;
    ValueDict *dict = arena_new(run->arena, ValueDict, 1);
    *dict = (ValueDict){
        .entry = arena_new(run->arena, ValueEntry, capacity), .capacity = capacity, .depth = 1};
    return (Value){.kind = kind, .dict = dict};
}

static ValueEntry *find_entry(ChatRun *run, ValueDict *dict, Value key) {
    chat_run_spend(run, dict->n * 8);
    for (int64_t i = 0; i < dict->n; i++) {
        if (value_equal(run, dict->entry[i].key, key)) return &dict->entry[i];
    }
    return NULL;
}

void value_put(ChatRun *run, Value dict, Value key, Value value) {
    ValueDict *d = dict.dict;
    ValueEntry *known = find_entry(run, d, key);
    if (run->is_failed) return;
    if (dict.kind == VALUE_DICT) d->depth = deepened(run, d->depth, value);
    if (known) {
        known->value = value;
        return;
    }
    if (d->n == d->capacity) {
        if (!chat_run_spend(run, 2 * d->capacity * (int64_t)sizeof(ValueEntry))) return;
        d->capacity *= 2;
        ValueEntry *grown = arena_new(run->arena, ValueEntry, d->capacity);
        memcpy(grown, d->entry, (size_t)d->n * sizeof *grown);
        d->entry = grown;
    }
    d->entry[d->n++] = (ValueEntry){key, value};
}

Value value_get(ChatRun *run, Value dict, Value key) {
    const ValueEntry *entry = find_entry(run, dict.dict, key);
    return entry ? entry->value : (Value){.kind = VALUE_ABSENT, .integer = 0};
}

// What the caller passes is his, and not charged: it is in memory already.
Value value_from_json(ChatRun *run, const Json *json) {
    int64_t i = 0;
    switch (json->kind) {
    case JSON_NULL: return value_none();
    case JSON_BOOL: return value_bool(json->boolean);
    case JSON_NUMBER:
        return json->is_integer ? value_integer(json->integer) : value_float(json->number);
    case JSON_STRING: return value_string(json->string);
    case JSON_ARRAY: {
        ValueList *list = arena_new(run->arena, ValueList, 1);
        *list = (ValueList){.item = arena_new(run->arena, Value, json->count + 1),
                            .n = json->count,
                            .capacity = json->count + 1,
                            .depth = 1};
        for (const Json *child = json->child; child; child = child->next, i++) {
            list->item[i] = value_from_json(run, child);
            list->depth = deepened(run, list->depth, list->item[i]);
        }
        return (Value){.kind = VALUE_LIST, .list = list};
    }
    case JSON_OBJECT: break;
    }
    ValueDict *dict = arena_new(run->arena, ValueDict, 1);
    *dict = (ValueDict){.entry = arena_new(run->arena, ValueEntry, json->count + 1),
                        .n = json->count,
                        .capacity = json->count + 1,
                        .depth = 1};
    for (const Json *child = json->child; child; child = child->next, i++) {
        dict->entry[i] = (ValueEntry){value_string(child->key), value_from_json(run, child)};
        dict->depth = deepened(run, dict->depth, dict->entry[i].value);
    }
    return (Value){.kind = VALUE_DICT, .dict = dict};
}

// ---- comparing

bool value_truth(Value v) {
    switch (v.kind) {
    case VALUE_ABSENT:
    case VALUE_UNDEFINED:
    case VALUE_NONE: return false;
    case VALUE_BOOL: return v.boolean;
    case VALUE_INTEGER: return v.integer != 0;
    case VALUE_FLOAT: return v.number != 0;
    case VALUE_STRING: return v.string.n > 0;
    case VALUE_LIST:
    case VALUE_TUPLE: return v.list->n > 0;
    case VALUE_DICT: return v.dict->n > 0;
    default: return true;
    }
}

static bool numbers_equal(Value a, Value b) {
    if (a.kind == VALUE_INTEGER && b.kind == VALUE_INTEGER) return a.integer == b.integer;
    return value_number(a) >= value_number(b) && value_number(a) <= value_number(b);
}

static bool lists_equal(ChatRun *run, const ValueList *a, const ValueList *b) {
    if (a->n != b->n) return false;
    for (int64_t i = 0; i < a->n && !run->is_failed; i++) {
        if (!value_equal(run, a->item[i], b->item[i])) return false;
    }
    return true;
}

static bool dicts_equal(ChatRun *run, const ValueDict *a, ValueDict *b) {
    if (a->n != b->n) return false;
    for (int64_t i = 0; i < a->n && !run->is_failed; i++) {
        const ValueEntry *other = find_entry(run, b, a->entry[i].key);
        if (!other || !value_equal(run, a->entry[i].value, other->value)) return false;
    }
    return true;
}

bool value_equal(ChatRun *run, Value a, Value b) {
    if (a.kind == VALUE_STRING && b.kind == VALUE_STRING) return str_equal(a.string, b.string);
    if (!chat_run_spend(run, 0)) return false;
    if (value_is_number(a) && value_is_number(b)) return numbers_equal(a, b);
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case VALUE_LIST:
    case VALUE_TUPLE: return lists_equal(run, a.list, b.list);
    case VALUE_DICT: return dicts_equal(run, a.dict, b.dict);
    case VALUE_ITERATOR: return a.list == b.list;
    case VALUE_NAMESPACE: return a.dict == b.dict;
    case VALUE_LOOP: return a.loop == b.loop;
    case VALUE_MACRO: return a.macro == b.macro;
    case VALUE_FUNCTION: return a.function == b.function;
    case VALUE_METHOD: return a.method == b.method;
    default: return true; // both none, or both undefined
    }
}

static int lists_order(ChatRun *run, const ValueList *a, const ValueList *b) {
    for (int64_t i = 0; i < a->n && i < b->n && !run->is_failed; i++) {
        if (value_equal(run, a->item[i], b->item[i])) continue;
        return value_order(run, a->item[i], b->item[i]);
    }
    return (a->n > b->n) - (a->n < b->n);
}

int value_order(ChatRun *run, Value a, Value b) {
    if (!chat_run_spend(run, 0)) return 0;
    if (a.kind == VALUE_INTEGER && b.kind == VALUE_INTEGER) {
        return (a.integer > b.integer) - (a.integer < b.integer);
    }
    if (value_is_number(a) && value_is_number(b)) {
        double x = value_number(a), y = value_number(b);
        return (x > y) - (x < y);
    }
    if (a.kind == VALUE_STRING && b.kind == VALUE_STRING) return str_compare(a.string, b.string);
    if (a.kind == b.kind && (a.kind == VALUE_LIST || a.kind == VALUE_TUPLE)) {
        return lists_order(run, a.list, b.list);
    }
    if (chat_run_needs(run, a) && chat_run_needs(run, b)) {
        chat_run_fail(run, "%s and %s have no order", value_kind_name(a), value_kind_name(b));
    }
    return 0;
}

bool value_contains(ChatRun *run, Value container, Value item) {
    if (container.kind == VALUE_STRING) {
        if (item.kind != VALUE_STRING) {
            chat_run_fail(run, "only a string can be in a string, not %s", value_kind_name(item));
            return false;
        }
        chat_run_spend(run, (int64_t)container.string.n);
        return str_find(container.string, item.string, 0) != SIZE_MAX;
    }
    if (container.kind == VALUE_DICT) {
        return value_get(run, container, item).kind != VALUE_ABSENT;
    }
    Value items = value_items(run, container);
    for (int64_t i = 0; i < items.list->n && !run->is_failed; i++) {
        if (value_equal(run, items.list->item[i], item)) return true;
    }
    return false;
}

static Value characters(ChatRun *run, Str s) {
    Value list = value_list(run, VALUE_LIST, text_length(s));
    int length;
    for (size_t at = 0; at < s.n && !run->is_failed; at += (size_t)length) {
        utf8_decode(str_slice(s, at, s.n), &length);
        value_append(run, list, value_string(str_slice(s, at, at + (size_t)length)));
    }
    return list;
}

Value value_items(ChatRun *run, Value v) {
    if (value_is_sequence(v)) return v;
    if (v.kind == VALUE_STRING) return characters(run, v.string);
    if (v.kind == VALUE_DICT) {
        Value list = value_list(run, VALUE_LIST, v.dict->n);
        for (int64_t i = 0; i < v.dict->n; i++) value_append(run, list, v.dict->entry[i].key);
        return list;
    }
    if (v.kind != VALUE_UNDEFINED) {
        chat_run_fail(run, "%s has no items to go through", value_kind_name(v));
    }
    return value_list(run, VALUE_LIST, 0);
}

// ---- writing

// A decimal number: 0.digits * 10^power, without zeros at either end (but "0" for zero).
typedef struct Decimal {
    char digit[32];
    int n, power;
} Decimal;

// The JSON writer knows the shortest digits that read back: its text is taken apart.
static Decimal decimal_of(ChatRun *run, double number) {
    Decimal d = {.n = 0};
    StrBuilder plain = str_builder(run->arena);
    JsonWriter w = json_writer(&plain, 0);
    json_put_number(&w, fabs(number));
    Str text = str_built(&plain);
    size_t e = str_find(text, STR("e"), 0);
    int64_t exponent = 0;
    if (e != SIZE_MAX) {
        size_t sign = text.data[e + 1] == '+';
        if (!str_int(str_slice(text, e + 1 + sign, text.n), &exponent)) exponent = 0;
        text = str_slice(text, 0, e);
    }
    int before_point = 0;
    bool has_point = false;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.data[i];
        if (c == '.')
            has_point = true;
        else if (d.n == 0 && c == '0')
            before_point -= has_point;
        else if (d.n < 31)
            d.digit[d.n++] = c;
        if (c != '.' && d.n && !has_point) before_point++;
    }
    while (d.n > 1 && d.digit[d.n - 1] == '0') d.n--;
    d.power = before_point + (int)exponent;
    if (d.n == 0) {
        d.digit[d.n++] = '0';
        d.power = 1;
    }
    return d;
}

// repr(float) of Python: with ".0" or an exponent.
static void write_float(ChatRun *run, StrBuilder *b, double number) {
    if (signbit(number) && !isnan(number)) str_add_byte(b, '-');
    if (!isfinite(number)) {
        str_add_c(b, isnan(number) ? "nan" : "inf");
        return;
    }
    Decimal d = decimal_of(run, number);
    int exponent = d.power - 1;
    if (exponent < -4 || exponent >= 16) {
        str_add(b, (Str){d.digit, 1});
        if (d.n > 1) str_add_byte(b, '.');
        str_add(b, (Str){d.digit + 1, (size_t)d.n - 1});
        str_add_format(b, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
        return;
    }
    if (d.power <= 0) str_add_c(b, "0.");
    for (int i = d.power; i < 0; i++) str_add_byte(b, '0');
    for (int i = 0; i < d.power || i < d.n; i++) {
        if (i == d.power && i > 0) str_add_byte(b, '.');
        str_add_byte(b, i < d.n ? d.digit[i] : '0');
    }
    if (d.power >= d.n) str_add_c(b, ".0");
}

// repr(str) of Python: double quotes only around a text with single ones and no double ones.
static void write_quoted(StrBuilder *b, Str s) {
    bool has_single = str_find(s, STR("'"), 0) != SIZE_MAX;
    char quote = has_single && str_find(s, STR("\""), 0) == SIZE_MAX ? '"' : '\'';
    int length;
    str_add_byte(b, quote);
    for (size_t at = 0; at < s.n; at += (size_t)length) {
        int32_t c = utf8_decode(str_slice(s, at, s.n), &length);
        uint32_t hidden = UNICODE_Z | UNICODE_CC | UNICODE_CF | UNICODE_CO | UNICODE_CN;
        if (c == quote || c == '\\')
            str_add_format(b, "\\%c", (char)c);
        else if (c == '\n')
            str_add_c(b, "\\n");
        else if (c == '\r')
            str_add_c(b, "\\r");
        else if (c == '\t')
            str_add_c(b, "\\t");
        else if (c == ' ' || c < 0 || !(unicode_class(c) & hidden)) {
            str_add(b, str_slice(s, at, at + (size_t)length));
        } else if (c < 0x100)
            str_add_format(b, "\\x%02x", (unsigned)c);
        else if (c < 0x10000)
            str_add_format(b, "\\u%04x", (unsigned)c);
        else
            str_add_format(b, "\\U%08x", (unsigned)c);
    }
    str_add_byte(b, quote);
}

static void write_value(ChatRun *run, StrBuilder *b, Value v, bool is_quoted);

static void write_list(ChatRun *run, StrBuilder *b, Value v) {
    bool is_tuple = v.kind == VALUE_TUPLE;
    str_add_byte(b, is_tuple ? '(' : '[');
    for (int64_t i = 0; i < v.list->n && !run->is_failed; i++) {
        if (i) str_add_c(b, ", ");
        write_value(run, b, v.list->item[i], true);
    }
    if (is_tuple && v.list->n == 1) str_add_byte(b, ',');
    str_add_byte(b, is_tuple ? ')' : ']');
}

static void write_dict(ChatRun *run, StrBuilder *b, const ValueDict *dict) {
    str_add_byte(b, '{');
    for (int64_t i = 0; i < dict->n && !run->is_failed; i++) {
        if (i) str_add_c(b, ", ");
        write_value(run, b, dict->entry[i].key, true);
        str_add_c(b, ": ");
        write_value(run, b, dict->entry[i].value, true);
    }
    str_add_byte(b, '}');
}

static void write_value(ChatRun *run, StrBuilder *b, Value v, bool is_quoted) {
    size_t before = b->n;
    if (!chat_run_spend(run, 0)) return;
    switch (v.kind) {
    case VALUE_ABSENT:
    case VALUE_UNDEFINED: str_add_c(b, is_quoted ? "Undefined" : ""); break;
    case VALUE_NONE: str_add_c(b, "None"); break;
    case VALUE_BOOL: str_add_c(b, v.boolean ? "True" : "False"); break;
    case VALUE_INTEGER: str_add_format(b, "%lld", (long long)v.integer); break;
    case VALUE_FLOAT: write_float(run, b, v.number); break;
    case VALUE_STRING:
        if (is_quoted)
            write_quoted(b, v.string);
        else
            str_add(b, v.string);
        break;
    case VALUE_LIST:
    case VALUE_TUPLE: write_list(run, b, v); break;
    case VALUE_DICT: write_dict(run, b, v.dict); break;
    case VALUE_MACRO: str_add_format(b, "<Macro '%.*s'>", STR_ARG(v.macro->name)); break;
    default: str_add_format(b, "<%s>", value_kind_name(v)); break;
    }
    if (v.kind == VALUE_STRING) chat_run_spend(run, (int64_t)(b->n - before));
    if (b->n > CHAT_OUTPUT_MAX) chat_run_fail(run, "a text is too long");
}

Str value_text(ChatRun *run, Value v) {
    if (v.kind == VALUE_STRING) return v.string;
    StrBuilder b = str_builder(run->arena);
    write_value(run, &b, v, false);
    return str_built(&b);
}

// ---- JSON

static void json_escape(StrBuilder *b, Str s) {
    str_add_byte(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        static const char special[] = "\"\\\n\r\t\b\f", letter[] = "\"\\nrtbf";
        char c = s.data[i];
        const char *known = memchr(special, c, sizeof special - 1);
        if (known)
            str_add_format(b, "\\%c", letter[known - special]);
        else if ((unsigned char)c < 0x20)
            str_add_format(b, "\\u%04x", (unsigned)c);
        else
            str_add_byte(b, c);
    }
    str_add_byte(b, '"');
}

static void json_break(StrBuilder *b, int64_t indent, int depth) {
    if (indent < 0) return;
    str_add_byte(b, '\n');
    for (int64_t i = 0; i < indent * depth; i++) str_add_byte(b, ' ');
}

static void json_write(ChatRun *run, StrBuilder *b, Value v, int64_t indent, int depth);

static void json_key_text(ChatRun *run, StrBuilder *b, Value key) {
    Str text = key.kind == VALUE_NONE ? STR("null") : value_text(run, key);
    if (key.kind == VALUE_BOOL) text = key.boolean ? STR("true") : STR("false");
    json_escape(b, text);
    str_add_c(b, ": ");
}

static void json_container(ChatRun *run, StrBuilder *b, Value v, int64_t indent, int depth) {
    bool is_dict = v.kind == VALUE_DICT;
    int64_t n = is_dict ? v.dict->n : v.list->n;
    str_add_byte(b, is_dict ? '{' : '[');
    for (int64_t i = 0; i < n && !run->is_failed; i++) {
        if (i) str_add_c(b, indent < 0 ? ", " : ",");
        json_break(b, indent, depth + 1);
        if (is_dict) json_key_text(run, b, v.dict->entry[i].key);
        json_write(run, b, is_dict ? v.dict->entry[i].value : v.list->item[i], indent, depth + 1);
    }
    if (n) json_break(b, indent, depth);
    str_add_byte(b, is_dict ? '}' : ']');
}

static void json_write(ChatRun *run, StrBuilder *b, Value v, int64_t indent, int depth) {
    size_t before = b->n;
    if (!chat_run_spend(run, indent > 0 ? indent * depth : 0)) return;
    switch (v.kind) {
    case VALUE_NONE: str_add_c(b, "null"); break;
    case VALUE_BOOL: str_add_c(b, v.boolean ? "true" : "false"); break;
    case VALUE_INTEGER: write_value(run, b, v, false); break;
    case VALUE_FLOAT:
        if (isfinite(v.number))
            write_float(run, b, v.number);
        else
            str_add_c(b, isnan(v.number) ? "NaN" : v.number < 0 ? "-Infinity" : "Infinity");
        break;
    case VALUE_STRING:
        json_escape(b, v.string);
        chat_run_spend(run, (int64_t)(b->n - before));
        break;
    case VALUE_LIST:
    case VALUE_TUPLE:
    case VALUE_DICT: json_container(run, b, v, indent, depth); break;
    default:
        if (chat_run_needs(run, v)) chat_run_fail(run, "%s has no JSON form", value_kind_name(v));
        break;
    }
    if (b->n > CHAT_OUTPUT_MAX) chat_run_fail(run, "a text is too long");
}

Str value_json(ChatRun *run, Value v, int64_t indent) {
    StrBuilder b = str_builder(run->arena);
    json_write(run, &b, v, indent, 0);
    return str_built(&b);
}
