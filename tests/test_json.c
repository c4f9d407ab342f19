// test_json.c - what RFC 8259 accepts and refuses, what the tree holds, what the writer writes.
#include "base/json.h"

#include "base/rng.h"
#include "tests/test.h"

enum { ARENA_BYTES = 32 << 20 };

static Arena arena;

static bool begin(void) {
    Error err = {0};
    bool ok = arena_init(&arena, ARENA_BYTES, &err);
    return test_check(ok, __FILE__, __LINE__, "arena_init: %s", err.text);
}

static const Json *parse(const char *text) {
    Error err = {0};
    const Json *json = json_parse(&arena, str_from(text), SIZE_MAX, &err);
    test_check(json != NULL, __FILE__, __LINE__, "%s: %s", text, err.text);
    return json;
}

TEST(json, accepts) {
    if (!begin()) return;
    static const char *const texts[] = {
        "null",
        " true ",
        "false\n",
        "\t\"\"\r",
        "0",
        "-0",
        "-1",
        "1.5",
        "1e5",
        "1E+5",
        "1.0e-5",
        "[]",
        "[ ]",
        "{}",
        "{ }",
        "[1]",
        "[1,2 , 3]",
        "[[],[[]],{}]",
        "{\"\":0}",
        "{\"a\":{\"b\":[null]}}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\u0000\"",
        "\"\\uD83D\\uDE00\"",
        "\"\\ud83d\\ude00\"",
        "\"\\uFFFF\"",
        "\"\xF4\x8F\xBF\xBF\"",
        "\"\x7F\"",
        "1e-400",
        "123456789012345678901234567890",
        "{\"a\":1,\"A\":2,\"a \":3}",
        "[\"a\",\"a\"]",
        "{\"a\":{\"a\":1}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) parse(texts[i]);
    arena_drop(&arena);
}

// Texts outside the grammar, and words of the message that each must give.
static const struct {
    const char *text, *words;
} refused[] = {
    {"", "byte 0: the text ends"},
    {"   ", "byte 3: the text ends"},
    {"nul", "byte 0: unknown word"},
    {"True", "a value was expected"},
    {"NaN", "a value was expected"},
    {"Infinity", "a value was expected"},
    {"nulll", "byte 4: more text"},
    {"1 2", "byte 2: more text"},
    {"[1,]", "byte 3: a value was expected"},
    {"[,1]", "byte 1: a value was expected"},
    {"[1 2]", "byte 3: ',' or ']'"},
    {"[1", "byte 2: ',' or ']'"},
    {"[", "byte 1: the text ends"},
    {"]", "a value was expected"},
    {"{", "byte 1: a string was expected"},
    {"{\"a\"}", "byte 4: ':'"},
    {"{\"a\":}", "a value was expected"},
    {"{\"a\":1,}", "byte 7: a string was expected"},
    {"{a:1}", "a string was expected"},
    {"{1:1}", "a string was expected"},
    {"{\"a\":1 \"b\":2}", "',' or '}'"},
    {"{'a':1}", "a string was expected"},
    {"[1}", "',' or ']'"},
    {"/**/1", "a value was expected"},
    {"\xEF\xBB\xBF{}", "byte 0: a value was expected"},
    {"\xC2\xA0"
     "1",
     "a value was expected"},
    {"+1", "a value was expected"},
    {"-", "a value was expected"},
    {"01", "may not start with 0"},
    {"-01", "may not start with 0"},
    {".5", "a value was expected"},
    {"1.", "digits were expected after the point"},
    {"1.e5", "digits were expected after the point"},
    {"1e", "digits were expected in the exponent"},
    {"1e+", "digits were expected in the exponent"},
    {"0x10", "more text"},
    {"1_0", "more text"},
    {"1e400", "too large"},
    {"-1e400", "too large"},
    {"\"", "does not end"},
    {"\"a", "does not end"},
    {"\"\\\"", "does not end"},
    {"\"\\", "does not end"},
    {"\"\n\"", "control character"},
    {"\"\x1f\"", "control character"},
    {"\"\\a\"", "unknown escape"},
    {"\"\\x41\"", "unknown escape"},
    {"\"\\U0041\"", "unknown escape"},
    {"\"\\u12\"", "four hexadecimal digits"},
    {"\"\\u12g4\"", "four hexadecimal digits"},
    {"\"\\uD800\"", "lone surrogate"},
    {"\"\\uDC00\"", "lone surrogate"},
    {"\"\\uDC00\\uDC00\"", "lone surrogate"},
    {"\"\\uD800\\uD800\"", "lone surrogate"},
    {"\"\\uD800\\u0041\"", "lone surrogate"},
    {"\"\\uD800\\n\"", "lone surrogate"},
    {"\"\\uD83D\\\"", "does not end"},
    {"\"\x80\"", "ill-formed UTF-8"},
    {"\"\xC0\x80\"", "ill-formed UTF-8"},
    {"\"\xED\xA0\x80\"", "ill-formed UTF-8"},
    {"\"\xF4\x90\x80\x80\"", "ill-formed UTF-8"},
    {"\"\xE2\x82\"", "ill-formed UTF-8"},
    {"{\"\xFF\":1}", "ill-formed UTF-8"},
    {"{\"a\":1,\"a\":1}", "the key \"a\" twice"},
    {"{\"a\":1,\"\\u0061\":1}", "the key \"a\" twice"},
    {"[{\"b\":{\"\":1,\"\":1}}]", "the key \"\" twice"},
};

TEST(json, refuses) {
    if (!begin()) return;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        Error err = {0};
        const Json *json = json_parse(&arena, str_from(refused[i].text), SIZE_MAX, &err);
        test_check(!json && err.kind == ERROR_FORMAT && strstr(err.text, refused[i].words),
                   __FILE__, __LINE__, "%s: \"%s\", want \"%s\"", refused[i].text, err.text,
                   refused[i].words);
    }
    Error err = {0};
    CHECK(!json_parse(&arena, STR("\"a\0b\""), SIZE_MAX, &err));
    CHECK(!json_parse(&arena, STR("1\0"), SIZE_MAX, &err));
    arena_drop(&arena);
}

TEST(json, depth_is_limited) {
    if (!begin()) return;
    enum { DEEP = 100000 };
    static char text[2 * DEEP];
    Error err = {0};
    memset(text, '[', DEEP);
    CHECK_FAILS(json_parse(&arena, (Str){text, DEEP}, SIZE_MAX, &err), err, ERROR_LIMIT, "deeper");
    memset(text + DEEP, ']', DEEP);
    CHECK_FAILS(json_parse(&arena, (Str){text, 2 * DEEP}, SIZE_MAX, &err), err, ERROR_LIMIT,
                "byte 64: nested deeper than 64");
    const char *deepest = text + DEEP - JSON_DEPTH_MAX;
    err = (Error){0};
    CHECK(json_parse(&arena, (Str){deepest, 2 * JSON_DEPTH_MAX}, SIZE_MAX, &err));
    CHECK(!json_parse(&arena, (Str){deepest - 1, 2 * JSON_DEPTH_MAX + 2}, SIZE_MAX, &err));
    for (int i = 0; i < DEEP; i++) memcpy(text + 2 * i, "{\"", 2);
    CHECK(!json_parse(&arena, (Str){text, 2 * DEEP}, SIZE_MAX, &err));
    arena_drop(&arena);
}

TEST(json, size_is_limited) {
    if (!begin()) return;
    Error err;
    CHECK_FAILS(json_parse(&arena, STR("[1,2]"), 4, &err), err, ERROR_LIMIT, "5 bytes, limit 4");
    err = (Error){0};
    CHECK(json_parse(&arena, STR("[1,2]"), 5, &err));
    arena_drop(&arena);
    // A text whose tree does not fit the arena is refused too.
    err = (Error){0};
    if (!CHECK(arena_init(&arena, 1 << 20, &err))) return;
    static char text[100001];
    memset(text, '0', sizeof text);
    for (size_t i = 0; i < sizeof text; i += 2) text[i] = ',';
    text[0] = '[';
    text[sizeof text - 1] = ']';
    CHECK_FAILS(json_parse(&arena, (Str){text, sizeof text}, SIZE_MAX, &err), err, ERROR_LIMIT,
                "memory");
    arena_drop(&arena);
}

TEST(json, values) {
    if (!begin()) return;
    const Json *j = parse("{\"s\": \"a\\u00e9\\uD83D\\uDE00\\n\\u0000b\", \"i\": -42, \"d\": 0.1,"
                          "\"t\": true, \"n\": null, \"a\": [10, [20], 30], \"e\": {}}");
    if (!j) return;
    CHECK_EQUAL(j->count, 7);
    Str s = json_string(json_get(j, "s"), STR(""));
    CHECK(str_equal(s, STR("a\xC3\xA9\xF0\x9F\x98\x80\n\0b")));
    CHECK_EQUAL(json_integer(json_get(j, "i"), 0), -42);
    CHECK(json_number(json_get(j, "i"), 0) == -42.0);
    CHECK(json_number(json_get(j, "d"), 0) == 0x1.999999999999ap-4);
    CHECK_EQUAL(json_integer(json_get(j, "d"), 7), 7);
    CHECK(json_bool(json_get(j, "t"), false));
    CHECK(json_get(j, "n") && json_get(j, "n")->kind == JSON_NULL);
    const Json *a = json_get(j, "a");
    CHECK_EQUAL(a->count, 3);
    CHECK_EQUAL(json_integer(json_at(a, 2), 0), 30);
    CHECK_EQUAL(json_integer(json_at(json_at(a, 1), 0), 0), 20);
    CHECK(!json_at(a, 3) && !json_at(a, -1) && !json_at(j, 0));
    // Looking for what is not there, in what is not there.
    CHECK(!json_get(j, "x") && !json_get(a, "x") && !json_get(NULL, "x") && !json_at(NULL, 0));
    CHECK_EQUAL(json_integer(NULL, 5), 5);
    CHECK(str_equal(json_string(a, STR("other")), STR("other")));
    CHECK(json_number(json_get(j, "s"), 2.5) == 2.5);
    CHECK(json_bool(json_get(j, "i"), true));
    arena_drop(&arena);
}

TEST(json, integers_are_exact) {
    if (!begin()) return;
    static const struct {
        const char *text;
        bool is_integer;
        int64_t integer;
        double number;
    } cases[] = {
        {"9223372036854775807", true, INT64_MAX, 0x1p63},
        {"-9223372036854775808", true, INT64_MIN, -0x1p63},
        {"9223372036854775808", false, 0, 0x1p63},
        {"9007199254740993", true, 9007199254740993, 9007199254740992.0},
        {"1.0", false, 0, 1.0},
        {"1e2", false, 0, 100.0},
        {"0", true, 0, 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Json *j = parse(cases[i].text);
        if (!j) return;
        CHECK(j->is_integer == cases[i].is_integer && j->number == cases[i].number);
        if (j->is_integer) CHECK_EQUAL(j->integer, cases[i].integer);
    }
    const Json *zero = parse("-0");
    CHECK(zero && zero->number == 0 && signbit(zero->number));
    arena_drop(&arena);
}

// Objects past the limit of the pairwise search, with a duplicate far apart and without.
TEST(json, duplicates_in_large_objects) {
    if (!begin()) return;
    static const int sizes[] = {2, 15, 16, 17, 18, 1000, 20000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int twice = 0; twice < 2; twice++) {
            ArenaMark mark = arena_mark(&arena);
            StrBuilder b = str_builder(&arena);
            str_add_byte(&b, '{');
            for (int k = 0; k < sizes[i]; k++)
                str_add_format(&b, "%s\"k%d\":%d", k ? "," : "", k, k);
            if (twice) str_add(&b, STR(",\"k1\":0"));
            str_add_byte(&b, '}');
            Error err = {0};
            const Json *j = json_parse(&arena, str_built(&b), SIZE_MAX, &err);
            CHECK((j == NULL) == twice);
            if (j) CHECK_EQUAL(j->count, sizes[i]);
            if (!j) CHECK(strstr(err.text, "\"k1\" twice") != NULL);
            arena_back(&arena, mark);
        }
    }
    arena_drop(&arena);
}

// Every text cut short or with one byte changed must be judged without a crash.
TEST(json, damaged_texts) {
    if (!begin()) return;
    static const char text[] = "{\"a\":[1,-2.5e3,\"\\uD83D\\uDE00x\\n\"],\"b\":{\"c\":null,\"d\":"
                               "true},\"\xC3\xA9\":false}";
    Rng rng = rng_seed(test_seed());
    for (size_t i = 0; i < sizeof text - 1; i++) {
        Error err = {0};
        char damaged[sizeof text];
        ArenaMark mark = arena_mark(&arena);
        CHECK(!json_parse(&arena, (Str){text, i}, SIZE_MAX, &err));
        for (int j = 0; j < 50; j++) {
            memcpy(damaged, text, sizeof text);
            damaged[i] = (char)rng_below(&rng, 256);
            err = (Error){0};
            const Json *json = json_parse(&arena, (Str){damaged, sizeof text - 1}, SIZE_MAX, &err);
            CHECK((json == NULL) == (err.kind != ERROR_NONE));
        }
        arena_back(&arena, mark);
    }
    arena_drop(&arena);
}

static void write_sample(JsonWriter *w) {
    json_begin_object(w);
    json_key(w, "list");
    json_begin_array(w);
    json_put_integer(w, -7);
    json_put_bool(w, true);
    json_put_null(w);
    json_begin_array(w);
    json_end_array(w);
    json_end_array(w);
    json_key(w, "q\"");
    json_put_string(w, STR("a\\\"\n\x01\x7F\xC3\xA9\xFF"));
    json_key(w, "done");
    json_put_text(w, STR("[1,{}]"));
    json_key(w, "none");
    json_begin_object(w);
    json_end_object(w);
    json_end_object(w);
}

TEST(json, writes) {
    if (!begin()) return;
    StrBuilder b = str_builder(&arena);
    JsonWriter w = json_writer(&b, 0);
    write_sample(&w);
    CHECK(str_equal(str_built(&b),
                    STR("{\"list\":[-7,true,null,[]],\"q\\\"\":\"a\\\\\\\"\\n\\u0001\x7F\xC3\xA9"
                        "\xEF\xBF\xBD\",\"done\":[1,{}],\"none\":{}}")));
    StrBuilder laid_out = str_builder(&arena);
    w = json_writer(&laid_out, 2);
    write_sample(&w);
    CHECK(str_equal(str_built(&laid_out),
                    STR("{\n  \"list\": [\n    -7,\n    true,\n    null,\n    []\n  ],\n"
                        "  \"q\\\"\": \"a\\\\\\\"\\n\\u0001\x7F\xC3\xA9\xEF\xBF\xBD\",\n"
                        "  \"done\": [1,{}],\n  \"none\": {}\n}")));
    arena_drop(&arena);
}

TEST(json, writes_shortest_numbers) {
    if (!begin()) return;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {1.0, "1"},
        {-3.0, "-3"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e15, "1000000000000000"},
        {1e17, "100000000000000000"},
        {9007199254740992.0, "9007199254740992"},
        {1e21, "1e+21"},
        {1e-7, "1e-07"},
        {1.5, "1.5"},
        {3.141592653589793, "3.141592653589793"},
        {0x1p-1074, "5e-324"},
        {0x1.fffffffffffffp1023, "1.7976931348623157e+308"},
        {HUGE_VAL, "null"},
        {-HUGE_VAL, "null"},
        {(double)NAN, "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        StrBuilder b = str_builder(&arena);
        JsonWriter w = json_writer(&b, 0);
        json_put_number(&w, cases[i].value);
        Str text = str_built(&b);
        test_check(str_equal(text, str_from(cases[i].text)), __FILE__, __LINE__, "%s, want %s",
                   text.data, cases[i].text);
    }
    arena_drop(&arena);
}

TEST(json, numbers_read_back) {
    if (!begin()) return;
    Rng rng = rng_seed(test_seed());
    for (int i = 0; i < 5000; i++) {
        uint64_t bits = rng_next(&rng);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 2) value = (double)(float)rng_normal(&rng);
        if (!isfinite(value)) continue;
        ArenaMark mark = arena_mark(&arena);
        StrBuilder b = str_builder(&arena);
        JsonWriter w = json_writer(&b, 0);
        json_put_number(&w, value);
        Error err = {0};
        const Json *j = json_parse(&arena, str_built(&b), SIZE_MAX, &err);
        if (!CHECK(j && j->number == value)) return;
        arena_back(&arena, mark);
    }
    arena_drop(&arena);
}
