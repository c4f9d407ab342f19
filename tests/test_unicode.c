// test_unicode.c - the tables and the normal forms against Python's unicodedata for Unicode 16:
// checksums over every code point and over random texts, made by tools/golden_unicode.py.
#include "base/rng.h"
#include "base/utf8.h"
#include "tests/test.h"
#include "unicode/normalize.h"

static const int32_t alphabet[] = {
    0x41,   0x61,   0x6F,    0x20,    0x300,   0x301,   0x304,   0x308,  0x30A,  0x315,  0x316,
    0x323,  0x327,  0x328,   0x338,   0x344,   0x345,   0x5B0,   0x5BF,  0x5D1,  0xFB4B, 0x1100,
    0x1161, 0x11A8, 0x11A7,  0xAC00,  0xAC01,  0x3042,  0x304B,  0x3099, 0x212B, 0x1E9B, 0x1E69,
    0xFDFA, 0xFB01, 0x2F800, 0x1D15E, 0x1D165, 0x110B9, 0x110BA, 0xFEFF, 0x4E00, 0xF900, 0x1FBE,
    0x3B1,  0x342,  0x1F82,  0x9C7,   0x9D7,   0x9BE,   0x16121, 0x1611E};
enum { N_ALPHABET = sizeof alphabet / sizeof alphabet[0], CODE_POINTS = 0x110000 };

static const char *const form_name[] = {"NFC", "NFD", "NFKC", "NFKD"};

static Arena arena_for_test(void) {
    Arena arena;
    Error err = {0};
    CHECK(arena_init(&arena, (size_t)256 << 20, &err));
    return arena;
}

static uint64_t checksum(uint64_t sum, const char *data, size_t n) {
    for (size_t i = 0; i < n; i++) sum = (sum ^ (unsigned char)data[i]) * 0x100000001B3u;
    return sum;
}
static const uint64_t checksum_of_nothing = 0xCBF29CE484222325u;

static bool is_surrogate(int32_t c) {
    return c >= 0xD800 && c < 0xE000;
}

TEST(unicode, properties_of_every_code_point) {
    uint64_t classes = checksum_of_nothing, lower = classes, upper = classes, combining = classes;
    for (int32_t c = 0; c < CODE_POINTS; c++) {
        bool is_space = unicode_class(c) & UNICODE_WHITE_SPACE;
        char byte = (char)((int)unicode_category(c) | (is_space ? 32 : 0));
        CHECK((unicode_class(c) & ~(uint32_t)UNICODE_WHITE_SPACE) == (uint32_t)1
                                                                         << unicode_category(c));
        if (c < 128) CHECK(unicode_ascii_class[c] == unicode_class(c));
        classes = checksum(classes, &byte, 1);
        byte = (char)unicode_combining(c);
        combining = checksum(combining, &byte, 1);
        char encoded[4];
        if (is_surrogate(c)) continue;
        lower = checksum(lower, encoded, (size_t)utf8_encode(unicode_lower(c), encoded));
        upper = checksum(upper, encoded, (size_t)utf8_encode(unicode_upper(c), encoded));
    }
    CHECK(classes == 0xf226d1f413fc9311u);
    CHECK(lower == 0x5eb7a1a1ead80ce5u);
    CHECK(upper == 0x64751bd251911b46u);
    CHECK(combining == 0xbe5d7a66a4f1585eu);
}

TEST(unicode, is_total) {
    static const int32_t beyond[] = {-1, INT32_MIN, CODE_POINTS, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        int32_t out[UNICODE_DECOMPOSITION_MAX];
        CHECK_EQUAL(unicode_category(beyond[i]), UNICODE_CATEGORY_CN);
        CHECK_EQUAL(unicode_lower(beyond[i]), beyond[i]);
        CHECK_EQUAL(unicode_combining(beyond[i]), 0);
        CHECK_EQUAL(unicode_decompose(beyond[i], true, out), 1);
        CHECK_EQUAL(unicode_compose(beyond[i], 0x301), -1);
        CHECK_EQUAL(unicode_compose('a', beyond[i]), -1);
    }
    CHECK(unicode_class('\n') & UNICODE_WHITE_SPACE);
    CHECK(unicode_class(0x180E) == UNICODE_CF); // no white space since Unicode 6.3
    CHECK(unicode_class(0x4E00) & UNICODE_L);
}

// ---- normal forms

static uint64_t add_normal(uint64_t sum, Arena *arena, Str text, NormalForm form) {
    ArenaMark mark = arena_mark(arena);
    Normalized z = normalize(arena, text, form);
    CHECK(z.text.n <= text.n * NORMALIZE_GROWTH_MAX);
    sum = checksum(checksum(sum, z.text.data, z.text.n), "\n", 1);
    Normalized again = normalize(arena, z.text, form);
    test_check(str_equal(again.text, z.text), __FILE__, __LINE__, "%s of %s of \"%.*s\" differs",
               form_name[form], form_name[form], STR_ARG(text));
    if (z.from) CHECK(z.from[0] == 0 && z.to[z.text.n - 1] == (int64_t)text.n);
    arena_back(arena, mark);
    return sum;
}

TEST(normalize, every_code_point) {
    static const uint64_t golden[] = {0x3ce40516aab8cae9u, 0xdfbc1d2c71ae7u, 0xea440b95a38ebd0u,
                                      0xe1be84a551259295u};
    Arena arena = arena_for_test();
    for (int form = NORMAL_NFC; form <= NORMAL_NFKD; form++) {
        uint64_t sum = checksum_of_nothing;
        for (int32_t c = 0; c < CODE_POINTS; c++) {
            char encoded[4];
            if (is_surrogate(c)) continue;
            Str text = {encoded, (size_t)utf8_encode(c, encoded)};
            sum = add_normal(sum, &arena, text, (NormalForm)form);
        }
        test_check(sum == golden[form], __FILE__, __LINE__, "%s", form_name[form]);
    }
    arena_drop(&arena);
}

// The generator of golden_unicode.py, so that both normalise the same texts.
TEST(normalize, texts_that_compose_and_reorder) {
    static const uint64_t golden[] = {0x9c10ccc81d9c3efu, 0x8800256379f91628u, 0xf771e8cc7ddb24b7u,
                                      0xd113e9061b1fac18u};
    Arena arena = arena_for_test();
    for (int form = NORMAL_NFC; form <= NORMAL_NFKD; form++) {
        uint64_t sum = checksum_of_nothing, state = 1;
        for (int k = 0; k < 20000; k++) {
            char text[64];
            size_t n = 0;
            state = state * 6364136223846793005u + 1442695040888963407u;
            for (uint64_t left = 1 + (state >> 60); left > 0; left--) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                n += (size_t)utf8_encode(alphabet[(state >> 33) % N_ALPHABET], text + n);
            }
            sum = add_normal(sum, &arena, (Str){text, n}, (NormalForm)form);
        }
        test_check(sum == golden[form], __FILE__, __LINE__, "%s", form_name[form]);
    }
    arena_drop(&arena);
}

TEST(normalize, leaves_a_normal_text_alone) {
    Arena arena = arena_for_test();
    Str text = STR("plain \xC3\xA9 \xE4\xB8\x80");
    size_t used = arena.used;
    Normalized z = normalize(&arena, text, NORMAL_NFC);
    CHECK(z.text.data == text.data && !z.from && arena.used == used);
    CHECK(normalize_is_done(text, NORMAL_NFC) && !normalize_is_done(text, NORMAL_NFD));
    CHECK(normalize(&arena, STR(""), NORMAL_NFKD).text.n == 0);
    arena_drop(&arena);
}

TEST(normalize, maps_bytes_back) {
    Arena arena = arena_for_test();
    // e + acute; a, dot above (230) and dot below (220) in the wrong order; the ligature fi.
    Str text = STR("e\u0301 a\u0307\u0323 \uFB01");
    Normalized z = normalize(&arena, text, NORMAL_NFKC);
    CHECK(str_equal(z.text, STR("\u00E9 \u1EA1\u0307 fi")));
    static const int64_t from[] = {0, 0, 3, 4, 4, 4, 5, 5, 9, 10, 10};
    static const int64_t to[] = {3, 3, 4, 9, 9, 9, 9, 9, 10, 13, 13};
    for (size_t i = 0; i < z.text.n && i < 11; i++) {
        test_check(z.from[i] == from[i] && z.to[i] == to[i], __FILE__, __LINE__,
                   "byte %zu: %lld..%lld", i, (long long)z.from[i], (long long)z.to[i]);
    }
    arena_drop(&arena);
}

TEST(normalize, passes_ill_formed_bytes) {
    Arena arena = arena_for_test();
    Str text = STR("e\xFF\xCC\x81"
                   "e\xCC\x81\xE4\xB8");
    Normalized z = normalize(&arena, text, NORMAL_NFC);
    CHECK(str_equal(z.text, STR("e\xFF\xCC\x81\xC3\xA9\xE4\xB8")));
    Rng rng = rng_seed(test_seed());
    for (int k = 0; k < 20000; k++) {
        char bytes[40];
        size_t n = rng_below(&rng, sizeof bytes + 1);
        for (size_t i = 0; i < n; i++) {
            bytes[i] =
                (char)(rng_below(&rng, 2) ? 0xC8 + rng_below(&rng, 8) : rng_below(&rng, 256));
        }
        ArenaMark mark = arena_mark(&arena);
        z = normalize(&arena, (Str){bytes, n}, (NormalForm)rng_below(&rng, 4));
        for (size_t i = 0; z.from && i < z.text.n; i++) {
            CHECK(z.from[i] >= 0 && z.from[i] < z.to[i] && z.to[i] <= (int64_t)n);
            CHECK(i == 0 || (z.from[i - 1] <= z.from[i] && z.to[i - 1] <= z.to[i]));
        }
        arena_back(&arena, mark);
    }
    arena_drop(&arena);
}

TEST(normalize, sorts_long_runs_of_marks) {
    Arena arena = arena_for_test();
    enum { N = 1 << 18 };
    char *text = arena_push(&arena, 2 * N);
    for (int i = 0; i < N; i++) memcpy(text + 2 * i, i % 2 ? "\u0323" : "\u0301", 2);
    Normalized z = normalize(&arena, (Str){text, 2 * N}, NORMAL_NFC);
    CHECK(z.text.n == 2 * N && str_starts(z.text, STR("\u0323\u0323")));
    arena_drop(&arena);
}
