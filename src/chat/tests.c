// tests.c - what may stand behind "is".
#include "chat/run.h"
#include "chat/text.h"

#define TEST_OF(name, truth)                                                  \
    static Value test_##name(ChatRun *run, Value v, const ChatArguments *a) { \
        (void)run, (void)a, (void)v;                                          \
        return value_bool(truth);                                             \
    }

static bool is_integer(Value v) {
    return v.kind == VALUE_INTEGER;
}
static bool has_items(Value v) {
    return value_is_sequence(v) || v.kind == VALUE_STRING || v.kind == VALUE_DICT ||
           v.kind == VALUE_UNDEFINED;
}

static int64_t remainder_of(ChatRun *run, Value v, int64_t divisor) {
    int64_t n = chat_integer_argument(run, v, 0);
    if (divisor == 0) chat_run_fail(run, "division by zero");
    // Dividing by -1 leaves nothing, and in the case of the least integer must not be tried.
    return divisor == 0 || divisor == -1 ? 0 : n % divisor;
}

static bool is_cased(ChatRun *run, Value v, TextCase how) {
    Str s = value_text(run, v);
    TextCase other = how == TEXT_LOWER ? TEXT_UPPER : TEXT_LOWER;
    if (!chat_run_spend(run, 4 * (int64_t)s.n)) return false;
    return str_equal(s, text_case(run->arena, s, how)) &&
           !str_equal(s, text_case(run->arena, s, other));
}

static bool is_same(ChatRun *run, Value a, Value b) {
    if (a.kind != b.kind) return false;
    if (value_is_sequence(a)) return a.list == b.list;
    return a.kind == VALUE_DICT ? a.dict == b.dict : value_equal(run, a, b);
}

TEST_OF(boolean, v.kind == VALUE_BOOL)
TEST_OF(callable, v.kind == VALUE_MACRO || v.kind == VALUE_FUNCTION || v.kind == VALUE_METHOD)
TEST_OF(defined, v.kind != VALUE_UNDEFINED)
TEST_OF(divisibleby, remainder_of(run, v, chat_integer_argument(run, a->value[0], 1)) == 0)
TEST_OF(eq, value_equal(run, v, a->value[0]))
TEST_OF(even, remainder_of(run, v, 2) == 0)
TEST_OF(false, v.kind == VALUE_BOOL && !v.boolean)
TEST_OF(filter, chat_find_filter(value_text(run, v)) != NULL)
TEST_OF(float, v.kind == VALUE_FLOAT)
TEST_OF(ge, value_order(run, v, a->value[0]) >= 0)
TEST_OF(gt, value_order(run, v, a->value[0]) > 0)
TEST_OF(in, value_contains(run, a->value[0], v))
TEST_OF(integer, is_integer(v))
TEST_OF(iterable, has_items(v))
TEST_OF(le, value_order(run, v, a->value[0]) <= 0)
TEST_OF(lower, is_cased(run, v, TEXT_LOWER))
TEST_OF(lt, value_order(run, v, a->value[0]) < 0)
TEST_OF(mapping, v.kind == VALUE_DICT)
TEST_OF(ne, !value_equal(run, v, a->value[0]))
TEST_OF(none, v.kind == VALUE_NONE)
TEST_OF(number, value_is_number(v))
TEST_OF(odd, remainder_of(run, v, 2) != 0)
TEST_OF(sameas, is_same(run, v, a->value[0]))
TEST_OF(sequence, has_items(v) && v.kind != VALUE_ITERATOR)
TEST_OF(string, v.kind == VALUE_STRING)
TEST_OF(test, chat_find_test(value_text(run, v)) != NULL)
TEST_OF(true, v.kind == VALUE_BOOL && v.boolean)
TEST_OF(undefined, v.kind == VALUE_UNDEFINED)
TEST_OF(upper, is_cased(run, v, TEXT_UPPER))

static const ChatBuiltin tests[] = {
    {"!=", "other", 1, test_ne},
    {"<", "other", 1, test_lt},
    {"<=", "other", 1, test_le},
    {"==", "other", 1, test_eq},
    {">", "other", 1, test_gt},
    {">=", "other", 1, test_ge},
    {"boolean", "", 0, test_boolean},
    {"callable", "", 0, test_callable},
    {"defined", "", 0, test_defined},
    {"divisibleby", "num", 1, test_divisibleby},
    {"eq", "other", 1, test_eq},
    {"equalto", "other", 1, test_eq},
    {"even", "", 0, test_even},
    {"false", "", 0, test_false},
    {"filter", "", 0, test_filter},
    {"float", "", 0, test_float},
    {"ge", "other", 1, test_ge},
    {"greaterthan", "other", 1, test_gt},
    {"gt", "other", 1, test_gt},
    {"in", "seq", 1, test_in},
    {"integer", "", 0, test_integer},
    {"iterable", "", 0, test_iterable},
    {"le", "other", 1, test_le},
    {"lessthan", "other", 1, test_lt},
    {"lower", "", 0, test_lower},
    {"lt", "other", 1, test_lt},
    {"mapping", "", 0, test_mapping},
    {"ne", "other", 1, test_ne},
    {"none", "", 0, test_none},
    {"number", "", 0, test_number},
    {"odd", "", 0, test_odd},
    {"sameas", "other", 1, test_sameas},
    {"sequence", "", 0, test_sequence},
    {"string", "", 0, test_string},
    {"test", "", 0, test_test},
    {"true", "", 0, test_true},
    {"undefined", "", 0, test_undefined},
    {"upper", "", 0, test_upper},
};

const ChatBuiltin *chat_find_test(Str name) {
    return chat_find_in(tests, sizeof tests / sizeof tests[0], name);
}
