// test_chat.c - templates against Jinja itself (golden texts made by tools/golden_chat.py), and
// templates that mean harm.
#include "chat/chat.h"

#include <stdlib.h>

#include "base/rng.h"
#include "tests/test.h"

static Arena arena_for_test(void) {
    Arena arena;
    Error err = {0};
    CHECK(arena_init(&arena, ARENA_DEFAULT, &err));
    return arena;
}

static Str read_file(Arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!CHECK(file != NULL)) return STR("");
    enum { FILE_MAX = 1 << 20 };
    char *data = arena_push(arena, FILE_MAX);
    size_t n = fread(data, 1, FILE_MAX, file);
    fclose(file);
    return (Str){data, n};
}

static bool render(Arena *arena, Str source, const Json *variables, Str *text, Error *err) {
    ChatTemplate *t = chat_template(arena, source, err);
    return t && chat_render(t, arena, variables, text, err);
}

static void check_case(Arena *arena, const Json *one, const Json *common) {
    Error err = {0};
    Str source = json_string(json_get(one, "template"), STR("")), text = STR("");
    const Json *variables = json_get(one, "variables"), *output = json_get(one, "output");
    bool ok = render(arena, source, variables ? variables : common, &text, &err);
    if (!output) {
        test_check(!ok && err.kind != ERROR_NONE, __FILE__, __LINE__, "%.*s fails in Jinja: %.*s",
                   STR_ARG(source), STR_ARG(json_string(json_get(one, "fails"), STR(""))));
        return;
    }
    Str want = json_string(output, STR(""));
    test_check(ok && str_equal(text, want), __FILE__, __LINE__,
               "template: %.*s\n--- want:\n%.*s\n--- got (%s):\n%.*s", STR_ARG(source),
               STR_ARG(want), err.text, STR_ARG(text));
}

TEST(chat, renders_as_jinja_does) {
    Arena arena = arena_for_test();
    Error err = {0};
    Str text = read_file(&arena, test_fixture("fixtures/chat.json"));
    const Json *golden = json_parse(&arena, text, text.n, &err);
    if (!test_check(golden != NULL, __FILE__, __LINE__, "%s", err.text)) return;
    const Json *cases = json_get(golden, "cases");
    CHECK(cases && cases->count > 150);
    for (const Json *one = cases ? cases->child : NULL; one; one = one->next) {
        check_case(&arena, one, json_get(golden, "common"));
    }
    arena_drop(&arena);
}

// A unit many times, between two ends; the result is written into `arena`.
static Str repeated(Arena *arena, const char *begin, const char *unit, int n, const char *end) {
    StrBuilder b = str_builder(arena);
    str_add_c(&b, begin);
    for (int i = 0; i < n; i++) str_add_c(&b, unit);
    str_add_c(&b, end);
    return str_built(&b);
}

// Where an arena is small, it may be what ends first.
static bool says(const Arena *arena, const Error *err, const char *words) {
    bool is_small = arena->reserved < (size_t)1 << 30;
    return strstr(err->text, words) || (is_small && strstr(err->text, "for the memory here"));
}

static void check_refused(Arena *arena, Str source, ErrorKind kind, const char *words) {
    Error err = {0};
    Str text = STR("");
    ArenaMark mark = arena_mark(arena);
    Json nothing = {.kind = JSON_OBJECT};
    bool ok = render(arena, source, &nothing, &text, &err);
    test_check(!ok && err.kind == kind && says(arena, &err, words), __FILE__, __LINE__,
               "%.60s: kind %d, \"%s\", want kind %d, \"%s\"", source.data, (int)err.kind, err.text,
               (int)kind, words);
    test_check(arena->used - mark.used < (size_t)1 << 30, __FILE__, __LINE__, "%.60s takes %zu MiB",
               source.data, (arena->used - mark.used) >> 20);
    arena_back(arena, mark);
}

TEST(chat, refuses_to_be_nested_without_end) {
    Arena arena = arena_for_test();
    static const char *const opening[][3] = {{"{{ ", "(", ""},
                                             {"{{ ", "[", ""},
                                             {"{{ ", "{1:", ""},
                                             {"{{ ", "not ", "1 }}"},
                                             {"{{ ", "-", "1 }}"},
                                             {"", "{% if 1 %}", ""},
                                             {"", "{% for x in y %}", ""},
                                             {"{{ ", "1 if 1 else ", "1 }}"},
                                             {"{{ ", "f(", ""},
                                             {"", "{% set x %}", ""},
                                             {"{{ ", "x[", ""}};
    for (size_t i = 0; i < sizeof opening / sizeof opening[0]; i++) {
        Error err = {0};
        ArenaMark mark = arena_mark(&arena);
        Str text, source = repeated(&arena, opening[i][0], opening[i][1], 50000, opening[i][2]);
        test_check(!render(&arena, source, NULL, &text, &err) && says(&arena, &err, "nested"),
                   __FILE__, __LINE__, "%s...: %s", opening[i][1], err.text);
        arena_back(&arena, mark);
    }
    // Long chains do not nest, but are evaluated as if they did.
    static const char *const chain[] = {" + 1",   "|abs", ".x",          "[0]",  "()",
                                        " and 1", " ~ 1", " is defined", " == 1"};
    for (size_t i = 0; i < sizeof chain / sizeof chain[0]; i++) {
        Error err = {0};
        ArenaMark mark = arena_mark(&arena);
        Str text, source = repeated(&arena, "{{ 1", chain[i], 50000, " }}");
        (void)!render(&arena, source, NULL, &text, &err); // ends without a crash
        arena_back(&arena, mark);
    }
    arena_drop(&arena);
}

TEST(chat, refuses_to_run_without_end) {
    Arena arena = arena_for_test();
    check_refused(&arena,
                  STR("{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}"
                      "{% endfor %}"),
                  ERROR_LIMIT, "steps");
    check_refused(&arena, STR("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"), ERROR_FORMAT,
                  "nested too deeply");
    check_refused(&arena, STR("{% macro f(n) %}{{ f(n + 1) }}{{ f(n) }}{% endmacro %}{{ f(1) }}"),
                  ERROR_FORMAT, "nested too deeply");
    check_refused(&arena, STR("{{ 'x' * 1000000000 }}"), ERROR_FORMAT, "too long");
    check_refused(&arena, STR("{{ [0] * 1000000000000 }}"), ERROR_FORMAT, "too long");
    check_refused(&arena, STR("{{ range(1000000000) }}"), ERROR_FORMAT, "range");
    check_refused(&arena,
                  STR("{% set ns = namespace(s='xxxxxxxxxxxxxxxx') %}{% for i in range(99) %}"
                      "{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s }}"),
                  ERROR_FORMAT, "too long");
    check_refused(&arena, STR("{% set s = 'x' * 1000000 %}{{ s.replace('', s) }}"), ERROR_FORMAT,
                  "too long");
    check_refused(&arena,
                  STR("{% set s = 'x' * 100000 %}{% for i in range(1000) %}{{ s }}{% endfor %}"),
                  ERROR_LIMIT, "longer than");
    check_refused(&arena,
                  STR("{% set s = 'x' * 100000 %}{% for i in range(10000) %}"
                      "{% set t = s|upper %}{% endfor %}"),
                  ERROR_LIMIT, "steps");
    check_refused(&arena,
                  STR("{% set ns = namespace(l=[]) %}{% for i in range(100000) %}"
                      "{% set ns.l = [ns.l, ns.l] %}{% endfor %}"),
                  ERROR_FORMAT, "nested");
    // 2^90 leaves in 90 lists.
    check_refused(&arena,
                  STR("{% set ns = namespace(l=[]) %}{% for i in range(90) %}"
                      "{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}"),
                  ERROR_LIMIT, "steps");
    check_refused(&arena,
                  STR("{% set ns = namespace(l=[]) %}{% for i in range(90) %}"
                      "{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l|tojson }}"),
                  ERROR_LIMIT, "steps");
    check_refused(&arena,
                  STR("{% set ns = namespace(a=[], b=[]) %}{% for i in range(90) %}"
                      "{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}"
                      "{{ ns.a == ns.b }}"),
                  ERROR_LIMIT, "steps");
    check_refused(&arena,
                  STR("{{ '%99999999999s' % 1 }}{{ '%9999s' % 1 }}{{ [1]|tojson(indent=1000) }}"),
                  ERROR_FORMAT, "");
    check_refused(&arena, STR("{{ 9223372036854775807 + 1 }}"), ERROR_FORMAT, "too big");
    check_refused(&arena, STR("{{ 9 ** 99 }}"), ERROR_FORMAT, "too big");
    check_refused(&arena, STR("{{ 99999999999999999999 }}"), ERROR_FORMAT, "too big");
    check_refused(&arena, STR("{{ (-9223372036854775807 - 1) // -1 }}"), ERROR_FORMAT, "too big");
    arena_drop(&arena);
}

TEST(chat, keeps_to_its_sandbox) {
    Arena arena = arena_for_test();
    check_refused(&arena, STR("{{ ''.__class__ }}"), ERROR_FORMAT, "not allowed");
    check_refused(&arena, STR("\n\n{{ x.y }}"), ERROR_FORMAT, "line 3: 'x' is undefined");
    check_refused(&arena, STR("{{ cycler.__init__.__globals__.os.popen('id').read() }}"),
                  ERROR_FORMAT, "'cycler' is undefined");
    check_refused(&arena, STR("{{ ([]|map|attr('x')) }}"), ERROR_FORMAT, "");
    check_refused(&arena, STR("{% include '/etc/passwd' %}"), ERROR_FORMAT, "\"include\"");
    check_refused(&arena, STR("{{ [].append(1) }}"), ERROR_FORMAT, "may not change");
    check_refused(&arena, STR("{{ raise_exception('only in my words') }}"), ERROR_USAGE,
                  "only in my words");
    arena_drop(&arena);
}

// Every prefix of a template, and templates with bytes changed, end with a text or an error.
TEST(chat, survives_damaged_templates) {
    Arena arena = arena_for_test();
    Error err = {0};
    Str text = read_file(&arena, test_fixture("fixtures/chat.json"));
    const Json *golden = json_parse(&arena, text, text.n, &err);
    const Json *cases = json_get(golden, "cases"), *common = json_get(golden, "common");
    Rng rng = rng_seed(test_seed());
    for (const Json *one = cases ? cases->child : NULL; one; one = one->next) {
        Str source = json_string(json_get(one, "template"), STR("")), out;
        for (int k = 0; k < 40 && source.n; k++) {
            ArenaMark mark = arena_mark(&arena);
            Str damaged = str_copy(&arena, source);
            char *bytes = arena_push(&arena, source.n);
            memcpy(bytes, damaged.data, source.n);
            damaged = (Str){bytes, k % 2 ? source.n : rng_below(&rng, source.n)};
            for (int j = 0; j < k % 4 * 2; j++) {
                bytes[rng_below(&rng, source.n)] =
                    "{}%#-|()[]'\"\\.,:=~ \n\xFF"[rng_below(&rng, 21)];
            }
            err = (Error){0};
            if (!render(&arena, damaged, common, &out, &err)) CHECK(err.kind != ERROR_NONE);
            arena_back(&arena, mark);
        }
    }
    arena_drop(&arena);
}
