// methods.c - the methods of strings, lists and dicts, with Python's meaning.
//
// Methods that change a value are known only to be refused, as in Jinja's immutable sandbox.
#include <string.h>

#include "base/utf8.h"
#include "chat/run.h"
#include "chat/text.h"
#include "unicode/unicode.h"

#define METHOD(name) static Value method_##name(ChatRun *run, Value self, const ChatArguments *a)

// ---- strings

Value chat_replace(ChatRun *run, Str s, Str old, Str with, int64_t count) {
    // The result has at most one `with` for each place where `old` can be.
    int64_t places = old.n ? (int64_t)(s.n / old.n) : (int64_t)s.n + 1;
    int64_t bound = (int64_t)s.n;
    if (count >= 0 && count < places) places = count;
    if (with.n > old.n) {
        int64_t found = 0;
        for (size_t at = 0; old.n && found < places; found++) {
            at = str_find(s, old, at);
            if (at == SIZE_MAX) break;
            at += old.n;
        }
        bound += (old.n ? found : places) * (int64_t)with.n;
    }
    if (bound > 2 * CHAT_OUTPUT_MAX) return chat_run_fail(run, "a text is too long");
    if (!chat_run_spend(run, 2 * bound)) return value_string(s);
    return value_string(text_replace(run->arena, s, old, with, count));
}

METHOD(strip) {
    return value_string(
        text_strip(self.string, chat_string_argument(run, a->value[0], STR("")), true, true));
}
METHOD(lstrip) {
    return value_string(
        text_strip(self.string, chat_string_argument(run, a->value[0], STR("")), true, false));
}
METHOD(rstrip) {
    return value_string(
        text_strip(self.string, chat_string_argument(run, a->value[0], STR("")), false, true));
}

static Value cased(ChatRun *run, Str s, TextCase how) {
    if (!chat_run_spend(run, 2 * (int64_t)s.n)) return value_string(s);
    return value_string(text_case(run->arena, s, how));
}
METHOD(lower) {
    (void)a;
    return cased(run, self.string, TEXT_LOWER);
}
METHOD(upper) {
    (void)a;
    return cased(run, self.string, TEXT_UPPER);
}
METHOD(title) {
    (void)a;
    return cased(run, self.string, TEXT_TITLE);
}
METHOD(capitalize) {
    (void)a;
    return cased(run, self.string, TEXT_CAPITALIZE);
}
METHOD(swapcase) {
    (void)a;
    return cased(run, self.string, TEXT_SWAP);
}

// A string or a tuple of strings, one of which the text begins or ends with.
static Value has_affix(ChatRun *run, Str s, Value affix, bool (*test)(Str, Str)) {
    if (affix.kind != VALUE_TUPLE) return value_bool(test(s, chat_string_argument(run, affix, s)));
    for (int64_t i = 0; i < affix.list->n; i++) {
        if (test(s, chat_string_argument(run, affix.list->item[i], s))) return value_bool(true);
    }
    return value_bool(false);
}
METHOD(startswith) {
    return has_affix(run, self.string, a->value[0], str_starts);
}
METHOD(endswith) {
    return has_affix(run, self.string, a->value[0], str_ends);
}

METHOD(removeprefix) {
    Str prefix = chat_string_argument(run, a->value[0], STR(""));
    Str s = self.string;
    return value_string(str_starts(s, prefix) ? str_slice(s, prefix.n, s.n) : s);
}
METHOD(removesuffix) {
    Str suffix = chat_string_argument(run, a->value[0], STR(""));
    Str s = self.string;
    return value_string(str_ends(s, suffix) ? str_slice(s, 0, s.n - suffix.n) : s);
}

METHOD(replace) {
    return chat_replace(run, self.string, chat_string_argument(run, a->value[0], STR("")),
                        chat_string_argument(run, a->value[1], STR("")),
                        chat_integer_argument(run, a->value[2], -1));
}

static size_t space_length(Str s, size_t at, bool *is_space) {
    int length;
    *is_space = text_is_space(utf8_decode(str_slice(s, at, s.n), &length));
    return (size_t)length;
}

// At white space: runs of it separate, and none stand at the ends.
static Value split_at_space(ChatRun *run, Str s, int64_t limit) {
    Value list = value_list(run, VALUE_LIST, 0);
    s = text_strip(s, STR(""), true, false);
    while (s.n && !run->is_failed) {
        size_t end = 0;
        bool is_space = false;
        if (limit-- == 0) {
            value_append(run, list, value_string(text_strip(s, STR(""), false, true)));
            break;
        }
        while (end < s.n) {
            size_t length = space_length(s, end, &is_space);
            if (is_space) break;
            end += length;
        }
        value_append(run, list, value_string(str_slice(s, 0, end)));
        s = text_strip(str_slice(s, end, s.n), STR(""), true, false);
    }
    return list;
}

METHOD(split) {
    int64_t limit = chat_integer_argument(run, a->value[1], -1);
    Str s = self.string, by = chat_string_argument(run, a->value[0], STR(""));
    if (!chat_run_spend(run, (int64_t)s.n)) return self;
    if (a->value[0].kind != VALUE_STRING) return split_at_space(run, s, limit);
    if (!by.n) return chat_run_fail(run, "split: an empty separator");
    Value list = value_list(run, VALUE_LIST, 0);
    size_t at = 0, next = str_find(s, by, 0);
    for (; next != SIZE_MAX && limit != 0 && !run->is_failed; limit--) {
        value_append(run, list, value_string(str_slice(s, at, next)));
        at = next + by.n;
        next = str_find(s, by, at);
    }
    value_append(run, list, value_string(str_slice(s, at, s.n)));
    return list;
}

METHOD(rsplit) {
    int64_t limit = chat_integer_argument(run, a->value[1], -1);
    Str s = self.string, by = chat_string_argument(run, a->value[0], STR(""));
    if (limit < 0) return method_split(run, self, a);
    if (!by.n) return chat_run_fail(run, "rsplit: with a limit it needs a separator");
    Value parts = value_list(run, VALUE_LIST, 0);
    for (; limit != 0 && !run->is_failed; limit--) {
        size_t at = text_find_last(s, by);
        if (!chat_run_spend(run, (int64_t)s.n) || at == SIZE_MAX) break;
        value_append(run, parts, value_string(str_slice(s, at + by.n, s.n)));
        s = str_slice(s, 0, at);
    }
    value_append(run, parts, value_string(s));
    Value list = value_list(run, VALUE_LIST, parts.list->n);
    for (int64_t i = parts.list->n; i > 0; i--) value_append(run, list, parts.list->item[i - 1]);
    return list;
}

static Value parted(ChatRun *run, Str s, Str by, size_t at, bool is_last) {
    Value list = value_list(run, VALUE_TUPLE, 3);
    bool found = at != SIZE_MAX;
    Str whole = s, none = STR("");
    value_append(run, list, value_string(found ? str_slice(s, 0, at) : is_last ? none : whole));
    value_append(run, list, value_string(found ? by : none));
    value_append(run, list,
                 value_string(found     ? str_slice(s, at + by.n, s.n)
                              : is_last ? whole
                                        : none));
    return list;
}
METHOD(partition) {
    Str by = chat_string_argument(run, a->value[0], STR(""));
    return parted(run, self.string, by, str_find(self.string, by, 0), false);
}
METHOD(rpartition) {
    Str by = chat_string_argument(run, a->value[0], STR(""));
    return parted(run, self.string, by, text_find_last(self.string, by), true);
}

static size_t line_break_length(Str s, size_t at) {
    int length;
    int32_t c = utf8_decode(str_slice(s, at, s.n), &length);
    if (c == '\r' && at + 1 < s.n && s.data[at + 1] == '\n') return 2;
    bool is_break = (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 ||
                    c == 0x2028 || c == 0x2029;
    return is_break ? (size_t)length : 0;
}

Value chat_lines(ChatRun *run, Str s, bool keeps_ends) {
    Value list = value_list(run, VALUE_LIST, 0);
    size_t begin = 0, at = 0;
    while (at < s.n && !run->is_failed) {
        size_t length = line_break_length(s, at);
        at += length ? length : 1;
        if (!length) continue;
        value_append(run, list, value_string(str_slice(s, begin, keeps_ends ? at : at - length)));
        begin = at;
    }
    if (begin < s.n) value_append(run, list, value_string(str_slice(s, begin, s.n)));
    return list;
}
METHOD(splitlines) {
    return chat_lines(run, self.string, value_truth(a->value[0]));
}

METHOD(join) {
    const ChatArguments by = {.n = 2, .value = {self, {.kind = VALUE_ABSENT, .integer = 0}}};
    Value items = value_items(run, a->value[0]);
    for (int64_t i = 0; i < items.list->n; i++) {
        if (items.list->item[i].kind == VALUE_STRING) continue;
        return chat_run_fail(run, "join: item %lld is no string", (long long)i);
    }
    return chat_find_filter(STR("join"))->call(run, items, &by);
}

static Value position(ChatRun *run, Str s, size_t at) {
    chat_run_spend(run, (int64_t)s.n);
    return value_integer(at == SIZE_MAX ? -1 : text_length(str_slice(s, 0, at)));
}
METHOD(find) {
    return position(run, self.string,
                    str_find(self.string, chat_string_argument(run, a->value[0], STR("")), 0));
}
METHOD(rfind) {
    return position(run, self.string,
                    text_find_last(self.string, chat_string_argument(run, a->value[0], STR(""))));
}
METHOD(index) {
    Value at = method_find(run, self, a);
    return at.integer >= 0 ? at : chat_run_fail(run, "index: the text is not there");
}
METHOD(count) {
    Str s = self.string, needle = chat_string_argument(run, a->value[0], STR(""));
    int64_t n = 0;
    if (!needle.n) return value_integer(text_length(s) + 1);
    for (size_t at = str_find(s, needle, 0); at != SIZE_MAX;
         at = str_find(s, needle, at + needle.n)) {
        n++;
    }
    chat_run_spend(run, (int64_t)s.n);
    return value_integer(n);
}

METHOD(isalpha) {
    (void)run, (void)a;
    return value_bool(text_is(self.string, UNICODE_L));
}
METHOD(isdigit) {
    (void)run, (void)a;
    return value_bool(text_is(self.string, UNICODE_ND));
}
METHOD(isalnum) {
    (void)run, (void)a;
    return value_bool(text_is(self.string, UNICODE_L | UNICODE_N));
}
METHOD(isspace) {
    (void)run, (void)a;
    return value_bool(self.string.n && !text_strip(self.string, STR(""), true, false).n);
}
METHOD(islower) {
    (void)a;
    Value lower = cased(run, self.string, TEXT_LOWER), upper = cased(run, self.string, TEXT_UPPER);
    return value_bool(str_equal(self.string, lower.string) &&
                      !str_equal(self.string, upper.string));
}
METHOD(isupper) {
    (void)a;
    Value lower = cased(run, self.string, TEXT_LOWER), upper = cased(run, self.string, TEXT_UPPER);
    return value_bool(str_equal(self.string, upper.string) &&
                      !str_equal(self.string, lower.string));
}

// ---- formatting with %

typedef struct Directive {
    bool is_left, has_zeros, has_plus;
    int64_t width, precision; // precision -1: not given
    char letter;
} Directive;

static int64_t read_width(Str format, size_t *at) {
    int64_t n = 0;
    while (*at < format.n && format.data[*at] >= '0' && format.data[*at] <= '9' && n < 10000) {
        n = n * 10 + format.data[(*at)++] - '0';
    }
    return n;
}

// Behind "%".
static Directive read_directive(Str format, size_t *at) {
    Directive d = {.precision = -1};
    for (; *at < format.n; (*at)++) {
        char c = format.data[*at];
        if (c == '-')
            d.is_left = true;
        else if (c == '0')
            d.has_zeros = true;
        else if (c == '+')
            d.has_plus = true;
        else
            break;
    }
    d.width = read_width(format, at);
    if (*at < format.n && format.data[*at] == '.') {
        (*at)++;
        d.precision = read_width(format, at);
    }
    d.letter = *at < format.n ? format.data[(*at)++] : '\0';
    return d;
}

static Str formatted(ChatRun *run, Directive d, Value v) {
    if (d.letter == 's' || d.letter == 'r') {
        Value one = value_list(run, VALUE_LIST, 1);
        value_append(run, one, v);
        Str s = d.letter == 's' ? value_text(run, v) : value_text(run, one);
        if (d.letter == 'r') s = str_slice(s, 1, s.n - 1); // out of the brackets
        return d.precision >= 0 && d.precision < text_length(s) ? text_slice(s, 0, d.precision) : s;
    }
    if (!value_is_number(v)) {
        chat_run_fail(run, "%%%c needs a number, not %s", d.letter, value_kind_name(v));
        return STR("");
    }
    double number = value_number(v);
    const char *plus = d.has_plus && number >= 0 ? "+" : "";
    if (d.letter == 'f') {
        int digits = d.precision < 0 ? 6 : d.precision > 50 ? 50 : (int)d.precision;
        return str_printf(run->arena, "%s%.*f", plus, digits, number);
    }
    bool is_small = number > -9.2e18 && number < 9.2e18;
    long long integer = v.kind == VALUE_INTEGER ? v.integer : is_small ? (long long)number : 0;
    if (d.letter == 'd' || d.letter == 'i') return str_printf(run->arena, "%s%lld", plus, integer);
    if (d.letter == 'x' && integer >= 0) return str_printf(run->arena, "%s%llx", plus, integer);
    chat_run_fail(run, "%%%c is not supported", d.letter);
    return STR("");
}

static void add_padded(StrBuilder *b, Directive d, Str s) {
    int64_t missing = d.width - text_length(s);
    bool zeros = d.has_zeros && !d.is_left && d.letter != 's' && d.letter != 'r';
    bool has_sign = zeros && s.n && (s.data[0] == '-' || s.data[0] == '+');
    if (has_sign) str_add_byte(b, s.data[0]);
    for (int64_t i = 0; i < missing && !d.is_left; i++) str_add_byte(b, zeros ? '0' : ' ');
    str_add(b, str_slice(s, has_sign, s.n));
    for (int64_t i = 0; i < missing && d.is_left; i++) str_add_byte(b, ' ');
}

Value chat_format(ChatRun *run, Str format, Value values) {
    StrBuilder b = str_builder(run->arena);
    int64_t next = 0, n = values.kind == VALUE_TUPLE ? values.list->n : 1;
    if (!chat_run_spend(run, (int64_t)format.n)) return values;
    for (size_t at = 0; at < format.n && !run->is_failed;) {
        char c = format.data[at++];
        if (c != '%') {
            str_add_byte(&b, c);
            continue;
        }
        Directive d = read_directive(format, &at);
        if (d.letter == '%') {
            str_add_byte(&b, '%');
            continue;
        }
        if (next == n) return chat_run_fail(run, "too few values for the format");
        Str s = formatted(run, d, values.kind == VALUE_TUPLE ? values.list->item[next] : values);
        next++;
        if (!chat_run_spend(run, d.width + (int64_t)s.n)) break;
        add_padded(&b, d, s);
        if (b.n > CHAT_OUTPUT_MAX) chat_run_fail(run, "a text is too long");
    }
    if (next < n) return chat_run_fail(run, "too many values for the format");
    return value_string(str_built(&b));
}

// ---- dicts and lists

Value chat_dict_items(ChatRun *run, const ValueDict *dict) {
    Value list = value_list(run, VALUE_LIST, dict->n);
    for (int64_t i = 0; i < dict->n && !run->is_failed; i++) {
        Value pair = value_list(run, VALUE_TUPLE, 2);
        value_append(run, pair, dict->entry[i].key);
        value_append(run, pair, dict->entry[i].value);
        value_append(run, list, pair);
    }
    return list;
}

METHOD(items) {
    (void)a;
    return chat_dict_items(run, self.dict);
}
METHOD(keys) {
    (void)a;
    return value_items(run, self);
}
METHOD(values) {
    (void)a;
    Value list = value_list(run, VALUE_LIST, self.dict->n);
    for (int64_t i = 0; i < self.dict->n; i++) value_append(run, list, self.dict->entry[i].value);
    return list;
}
METHOD(get) {
    Value found = value_get(run, self, a->value[0]);
    if (found.kind != VALUE_ABSENT) return found;
    return a->value[1].kind == VALUE_ABSENT ? value_none() : a->value[1];
}
METHOD(copy) { // nothing can change a value, so the copy may be the same
    (void)run, (void)a;
    return self;
}

METHOD(list_index) {
    for (int64_t i = 0; i < self.list->n && !run->is_failed; i++) {
        if (value_equal(run, self.list->item[i], a->value[0])) return value_integer(i);
    }
    return chat_run_fail(run, "index: the item is not there");
}
METHOD(list_count) {
    int64_t n = 0;
    for (int64_t i = 0; i < self.list->n && !run->is_failed; i++) {
        n += value_equal(run, self.list->item[i], a->value[0]);
    }
    return value_integer(n);
}

METHOD(refused) {
    (void)a;
    return chat_run_fail(run, "a template may not change a %s", value_kind_name(self));
}

METHOD(loop_cycle) {
    if (!a->n) return chat_run_fail(run, "cycle needs items");
    return a->value[self.loop->index0 % a->n];
}

METHOD(loop_changed) {
    Value now = value_list(run, VALUE_TUPLE, a->n);
    for (int i = 0; i < a->n; i++) value_append(run, now, a->value[i]);
    Value *last = &self.loop->last_changed;
    bool is_same = last->kind == VALUE_TUPLE && value_equal(run, *last, now);
    *last = now;
    return value_bool(!is_same);
}

// ---- tables

static const ChatBuiltin string_methods[] = {
    {"capitalize", "", 0, method_capitalize},
    {"count", "sub", 1, method_count},
    {"endswith", "suffix", 1, method_endswith},
    {"find", "sub", 1, method_find},
    {"index", "sub", 1, method_index},
    {"isalnum", "", 0, method_isalnum},
    {"isalpha", "", 0, method_isalpha},
    {"isdigit", "", 0, method_isdigit},
    {"islower", "", 0, method_islower},
    {"isspace", "", 0, method_isspace},
    {"isupper", "", 0, method_isupper},
    {"join", "iterable", 1, method_join},
    {"lower", "", 0, method_lower},
    {"lstrip", "chars", 0, method_lstrip},
    {"partition", "sep", 1, method_partition},
    {"removeprefix", "prefix", 1, method_removeprefix},
    {"removesuffix", "suffix", 1, method_removesuffix},
    {"replace", "old new count", 2, method_replace},
    {"rfind", "sub", 1, method_rfind},
    {"rpartition", "sep", 1, method_rpartition},
    {"rsplit", "sep maxsplit", 0, method_rsplit},
    {"rstrip", "chars", 0, method_rstrip},
    {"split", "sep maxsplit", 0, method_split},
    {"splitlines", "keepends", 0, method_splitlines},
    {"startswith", "prefix", 1, method_startswith},
    {"strip", "chars", 0, method_strip},
    {"swapcase", "", 0, method_swapcase},
    {"title", "", 0, method_title},
    {"upper", "", 0, method_upper},
};
static const ChatBuiltin dict_methods[] = {
    {"clear", "*", 0, method_refused},     {"copy", "", 0, method_copy},
    {"get", "key default", 1, method_get}, {"items", "", 0, method_items},
    {"keys", "", 0, method_keys},          {"pop", "*", 0, method_refused},
    {"popitem", "*", 0, method_refused},   {"setdefault", "*", 0, method_refused},
    {"update", "*", 0, method_refused},    {"values", "", 0, method_values},
};
static const ChatBuiltin list_methods[] = {
    {"append", "*", 0, method_refused}, {"clear", "*", 0, method_refused},
    {"copy", "", 0, method_copy},       {"count", "value", 1, method_list_count},
    {"extend", "*", 0, method_refused}, {"index", "value", 1, method_list_index},
    {"insert", "*", 0, method_refused}, {"pop", "*", 0, method_refused},
    {"remove", "*", 0, method_refused}, {"reverse", "*", 0, method_refused},
    {"sort", "*", 0, method_refused},
};
static const ChatBuiltin loop_methods[] = {
    {"changed", "*", 0, method_loop_changed},
    {"cycle", "*", 0, method_loop_cycle},
};

#define FIND_IN(table, name) chat_find_in((table), sizeof(table) / sizeof(table)[0], (name))

const ChatBuiltin *chat_find_method(Value self, Str name) {
    switch (self.kind) {
    case VALUE_STRING: return FIND_IN(string_methods, name);
    case VALUE_DICT: return FIND_IN(dict_methods, name);
    case VALUE_LIST:
    case VALUE_TUPLE: return FIND_IN(list_methods, name);
    case VALUE_LOOP: return FIND_IN(loop_methods, name);
    default: return NULL;
    }
}
