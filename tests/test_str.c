// test_str.c - slices, strict numbers and the builder.
#include "base/str.h"

#include <inttypes.h>

#include "base/rng.h"
#include "tests/test.h"

static Arena arena;

static bool begin(void) {
    Error err = {0};
    bool ok = arena_init(&arena, 16 << 20, &err);
    return test_check(ok, __FILE__, __LINE__, "arena_init: %s", err.text);
}

TEST(str, compares) {
    CHECK(str_equal(STR(""), (Str){0}));
    CHECK(str_equal(STR("ab"), str_from("ab")));
    CHECK(!str_equal(STR("ab"), STR("abc")));
    CHECK_EQUAL(str_compare(STR("ab"), STR("abc")), -1);
    CHECK_EQUAL(str_compare(STR("b"), STR("abc")), 1);
    CHECK_EQUAL(str_compare(STR("\x80"), STR("\x7f")), 1);
    CHECK_EQUAL(str_compare((Str){0}, STR("")), 0);
    CHECK(str_starts(STR("tensor"), STR("ten")) && !str_starts(STR("te"), STR("ten")));
    CHECK(str_ends(STR("m.gguf"), STR(".gguf")) && !str_ends(STR("gguf"), STR(".gguf")));
    CHECK(str_starts(STR("x"), STR("")) && str_ends((Str){0}, (Str){0}));
}

TEST(str, slices_are_clamped) {
    Str s = STR("0123456789");
    CHECK(str_equal(str_slice(s, 2, 5), STR("234")));
    CHECK(str_equal(str_slice(s, 8, 50), STR("89")));
    CHECK(str_equal(str_slice(s, 50, 60), STR("")));
    CHECK(str_equal(str_slice(s, 5, 2), STR("")));
    CHECK(str_equal(str_slice((Str){0}, 0, 5), STR("")));
    CHECK(str_equal(str_trim(STR(" \t\r\n a b \v\f")), STR("a b")));
    CHECK(str_equal(str_trim(STR(" \n ")), STR("")));
}

TEST(str, finds) {
    Str s = STR("abcabcabd");
    CHECK_EQUAL(str_find(s, STR("abd"), 0), 6);
    CHECK_EQUAL(str_find(s, STR("abc"), 1), 3);
    CHECK_EQUAL(str_find(s, STR("d"), 8), 8);
    CHECK(str_find(s, STR("abe"), 0) == SIZE_MAX);
    CHECK(str_find(s, STR("d"), 9) == SIZE_MAX);
    CHECK(str_find(s, STR("a"), 100) == SIZE_MAX);
    CHECK_EQUAL(str_find(s, STR(""), 9), 9);
    CHECK(str_find((Str){0}, STR("a"), 0) == SIZE_MAX);
}

TEST(str, integers) {
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"007", true, 7},
        {"-12", true, -12},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"92233720368547758070", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1.0", false, 0},
        {"0x10", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t value = 0;
        bool ok = str_int(str_from(cases[i].text), &value);
        test_check(ok == cases[i].ok && value == cases[i].value, __FILE__, __LINE__,
                   "\"%s\": %d, %" PRId64, cases[i].text, ok, value);
    }
}

// The bits are those of the exactly rounded value; the hard ones are next to halfway points.
TEST(str, numbers) {
    static const struct {
        const char *text;
        bool ok;
        double value;
    } cases[] = {
        {"0", true, 0.0},
        {"1.5", true, 1.5},
        {".5", true, 0.5},
        {"5.", true, 5.0},
        {"-1e3", true, -1000.0},
        {"1E+2", true, 100.0},
        {"0.1", true, 0x1.999999999999ap-4},
        {"1e-400", true, 0.0},
        {"0e999999999999999999999", true, 0.0},
        {"4.9406564584124654e-324", true, 0x1p-1074},
        {"2.2250738585072011e-308", true, 0x0.fffffffffffffp-1022},
        {"1.7976931348623157e308", true, 0x1.fffffffffffffp1023},
        {"9007199254740993", true, 9007199254740992.0},
        {"9007199254740993.00000000000000000000000000000001", true, 9007199254740994.0},
        {"1e309", false, 0},
        {"-1e309", false, 0},
        {"", false, 0},
        {".", false, 0},
        {"-", false, 0},
        {"e5", false, 0},
        {"1e", false, 0},
        {"1e+", false, 0},
        {"+1", false, 0},
        {"1,5", false, 0},
        {"1_000", false, 0},
        {"nan", false, 0},
        {"inf", false, 0},
        {"0x1p3", false, 0},
        {" 1", false, 0},
        {"1.2.3", false, 0},
        {"1e5.0", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        bool ok = str_number(str_from(cases[i].text), &value);
        test_check(ok == cases[i].ok && value == cases[i].value, __FILE__, __LINE__,
                   "\"%s\": %d, %a", cases[i].text, ok, value);
    }
    double zero = 1;
    CHECK(str_number(STR("-0"), &zero) && zero == 0 && signbit(zero));
}

// More digits than are kept: a last nonzero digit far away still decides a halfway case.
TEST(str, numbers_of_many_digits) {
    if (!begin()) return;
    static const int n_zeros = 5000;
    StrBuilder b = str_builder(&arena);
    str_add(&b, STR("9007199254740993."));
    for (int i = 0; i < n_zeros; i++) str_add_byte(&b, '0');
    double value;
    CHECK(str_number(str_built(&b), &value) && value == 9007199254740992.0);
    str_add_byte(&b, '1');
    CHECK(str_number(str_built(&b), &value) && value == 9007199254740994.0);
    StrBuilder long_one = str_builder(&arena);
    str_add_byte(&long_one, '1');
    for (int i = 0; i < n_zeros; i++) str_add_byte(&long_one, '0');
    CHECK(!str_number(str_built(&long_one), &value));
    str_add_format(&long_one, "e-%d", n_zeros - 2);
    CHECK(str_number(str_built(&long_one), &value) && value == 100.0);
    arena_drop(&arena);
}

TEST(str, numbers_read_back) {
    Rng rng = rng_seed(test_seed());
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = rng_next(&rng);
        double value, back = 0;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        char text[64];
        snprintf(text, sizeof text, "%.17g", value);
        bool ok = str_number(str_from(text), &back) && back == value;
        if (!test_check(ok, __FILE__, __LINE__, "%s read as %.17g", text, back)) return;
    }
}

TEST(str, builder_grows) {
    if (!begin()) return;
    StrBuilder b = str_builder(&arena), other = str_builder(&arena);
    size_t wanted = 0;
    for (int i = 0; i < 3000; i++) {
        str_add_format(&b, "%d,", i);
        wanted += (size_t)(i < 10 ? 2 : i < 100 ? 3 : i < 1000 ? 4 : 5);
        if (i % 100 == 0) str_add_byte(&other, 'x'); // makes the first one move
    }
    Str built = str_built(&b);
    CHECK_EQUAL(built.n, wanted);
    CHECK_EQUAL(strlen(built.data), wanted);
    CHECK(str_starts(built, STR("0,1,2,")) && str_ends(built, STR("2998,2999,")));
    CHECK(str_equal(str_built(&other), STR("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")));
    arena_drop(&arena);
}

TEST(str, printf_and_copies) {
    if (!begin()) return;
    Str s = str_printf(&arena, "%s-%0200d", "a", 7);
    CHECK_EQUAL(s.n, 202);
    CHECK(s.data[s.n] == '\0' && str_ends(s, STR("07")));
    Str copy = str_copy(&arena, STR("heed"));
    CHECK(str_equal(copy, STR("heed")) && copy.data[4] == '\0');
    CHECK(strcmp(str_c(&arena, str_slice(STR("heedful"), 0, 4)), "heed") == 0);
    CHECK(strcmp(str_c(&arena, (Str){0}), "") == 0);
    StrBuilder empty = str_builder(&arena);
    CHECK(str_built(&empty).n == 0 && str_built(&empty).data[0] == '\0');
    arena_drop(&arena);
}
