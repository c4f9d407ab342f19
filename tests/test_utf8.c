// test_utf8.c - the decoder against an independent automaton.
//
// The witness is the grammar of RFC 3629, section 4, as a table: byte classes in columns, what is
// still expected in rows.  It knows nothing of code points; those are checked by encoding.
#include "base/utf8.h"

#include "base/rng.h"
#include "tests/test.h"

typedef enum State {
    START,
    TAIL1,
    TAIL2,
    TAIL3,
    AFTER_E0,
    AFTER_ED,
    AFTER_F0,
    AFTER_F4,
    BAD
} State;

enum { N_CLASSES = 12 };

static unsigned char class_of_byte[256];

static void set_class(int first, int last, unsigned char class) {
    for (int i = first; i <= last; i++) class_of_byte[i] = class;
}

static void make_classes(void) {
    set_class(0x00, 0x7F, 0);
    set_class(0x80, 0x8F, 1);
    set_class(0x90, 0x9F, 2);
    set_class(0xA0, 0xBF, 3);
    set_class(0xC0, 0xC1, 4);
    set_class(0xC2, 0xDF, 5);
    set_class(0xE0, 0xE0, 6);
    set_class(0xE1, 0xEF, 7);
    set_class(0xED, 0xED, 8);
    set_class(0xF0, 0xF0, 9);
    set_class(0xF1, 0xF3, 10);
    set_class(0xF4, 0xF4, 11);
    set_class(0xF5, 0xFF, 4);
}

// clang-format off
static const unsigned char next_state[BAD][N_CLASSES] = {
    // ASCII 80-8F  90-9F  A0-BF  never C2-DF  E0        E1-EF  ED        F0        F1-F3  F4
    [START] =
    {START, BAD,   BAD,   BAD,   BAD, TAIL1, AFTER_E0, TAIL2, AFTER_ED, AFTER_F0, TAIL3, AFTER_F4},
    [TAIL1] =
    {BAD,   START, START, START, BAD, BAD,   BAD,      BAD,   BAD,      BAD,      BAD,   BAD},
    [TAIL2] =
    {BAD,   TAIL1, TAIL1, TAIL1, BAD, BAD,   BAD,      BAD,   BAD,      BAD,      BAD,   BAD},
    [TAIL3] =
    {BAD,   TAIL2, TAIL2, TAIL2, BAD, BAD,   BAD,      BAD,   BAD,      BAD,      BAD,   BAD},
    [AFTER_E0] =
    {BAD,   BAD,   BAD,   TAIL1, BAD, BAD,   BAD,      BAD,   BAD,      BAD,      BAD,   BAD},
    [AFTER_ED] =
    {BAD,   TAIL1, TAIL1, BAD,   BAD, BAD,   BAD,      BAD,   BAD,      BAD,      BAD,   BAD},
    [AFTER_F0] =
    {BAD,   BAD,   TAIL2, TAIL2, BAD, BAD,   BAD,      BAD,   BAD,      BAD,      BAD,   BAD},
    [AFTER_F4] =
    {BAD,   TAIL2, BAD,   BAD,   BAD, BAD,   BAD,      BAD,   BAD,      BAD,      BAD,   BAD},
};
// clang-format on

typedef enum Verdict { WHOLE, ILL_FORMED, UNFINISHED } Verdict;

// What starts at bytes[0], and how long it or its maximal subpart is.
static Verdict witness(const unsigned char *bytes, int n, int *length) {
    State state = START;
    for (int i = 0; i < n; i++) {
        state = (State)next_state[state][class_of_byte[bytes[i]]];
        *length = i + 1;
        if (state == START) return WHOLE;
        if (state == BAD) {
            if (i > 0) *length = i;
            return ILL_FORMED;
        }
    }
    return UNFINISHED;
}

// Compares all that utf8.h says of one string; false if anything differs.
static bool agrees(const unsigned char *bytes, int n) {
    Str s = {(const char *)bytes, (size_t)n};
    bool is_valid = true;
    Verdict verdict = WHOLE;
    int at = 0, length = 0, ours = 0;
    for (; at < n; at += length) {
        verdict = witness(bytes + at, n - at, &length);
        int32_t code_point = utf8_decode(str_slice(s, (size_t)at, s.n), &ours);
        if (ours != length || (code_point >= 0) != (verdict == WHOLE)) return false;
        is_valid = is_valid && verdict == WHOLE;
        if (verdict == WHOLE && code_point >= 0x80) {
            char again[4];
            if (utf8_encode(code_point, again) != length) return false;
            if (memcmp(again, bytes + at, (size_t)length) != 0) return false;
        }
    }
    int complete = verdict == UNFINISHED ? n - length : n;
    return utf8_valid(s) == is_valid && utf8_complete_prefix(s) == (size_t)complete;
}

TEST(utf8, all_strings_of_up_to_three_bytes) {
    make_classes();
    unsigned char b[3];
    int64_t n_wrong = 0;
    for (int i = 0; i < 1 << 24; i++) {
        b[0] = (unsigned char)(i >> 16);
        b[1] = (unsigned char)(i >> 8);
        b[2] = (unsigned char)i;
        n_wrong += !agrees(b, 3);
        if ((i & 0xFF) == 0) n_wrong += !agrees(b, 2);
        if ((i & 0xFFFF) == 0) n_wrong += !agrees(b, 1);
    }
    CHECK_EQUAL(n_wrong, 0);
}

// Four and more bytes, each drawn from the edges of the classes.
TEST(utf8, random_longer_strings) {
    make_classes();
    static const unsigned char edges[] = {
        0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1,
        0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF, 0x80, 0xBF, 0x8F, 0x90, 0xF0};
    Rng rng = rng_seed(test_seed());
    for (int i = 0; i < 300000; i++) {
        unsigned char b[24];
        int n = 4 + (int)rng_below(&rng, sizeof b - 3);
        for (int j = 0; j < n; j++) b[j] = edges[rng_below(&rng, sizeof edges)];
        if (!CHECK(agrees(b, n))) return;
    }
}

TEST(utf8, code_points_survive) {
    int n_wrong = 0;
    for (int32_t c = 0; c <= 0x10FFFF; c++) {
        char out[4];
        int n = utf8_encode(c, out), length = 0;
        int32_t back = utf8_decode((Str){out, (size_t)n}, &length);
        int32_t wanted = c >= 0xD800 && c <= 0xDFFF ? UTF8_REPLACEMENT : c;
        int bytes = wanted < 0x80 ? 1 : wanted < 0x800 ? 2 : wanted < 0x10000 ? 3 : 4;
        n_wrong += back != wanted || length != n || n != bytes;
    }
    CHECK_EQUAL(n_wrong, 0);
    char out[4];
    CHECK(utf8_encode(0x110000, out) == 3 && memcmp(out, "\xEF\xBF\xBD", 3) == 0);
    CHECK(utf8_encode(-1, out) == 3 && memcmp(out, "\xEF\xBF\xBD", 3) == 0);
}

// The examples of the Unicode standard 15.1, section 3.9, tables 3-8 to 3-11, and edges.
TEST(utf8, repair_replaces_maximal_subparts) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, 1 << 20, &err))) return;
#define R "\xEF\xBF\xBD"
    static const struct {
        Str from, to;
    } cases[] = {
        {{"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", 9}, {R R R R R R R R "A", 25}},
        {{"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", 9}, {R R R R R R R R "A", 25}},
        {{"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", 9}, {R R R R R "A" R R "B", 23}},
        {{"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", 9}, {R R R R "A", 13}},
        {{"a\xE2\x82", 3}, {"a" R, 4}},
        {{"\xE2\x82\xAC\xE2\x82\xAC", 6}, {"\xE2\x82\xAC\xE2\x82\xAC", 6}},
        {{"", 0}, {"", 0}},
    };
#undef R
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Str repaired = utf8_repair(&arena, cases[i].from);
        test_check(str_equal(repaired, cases[i].to), __FILE__, __LINE__, "case %d", (int)i);
        CHECK(utf8_valid(repaired));
    }
    arena_drop(&arena);
}

// The fast path looks at eight bytes at once: an odd byte at every place of a long text.
TEST(utf8, valid_sees_every_place) {
    char text[40];
    for (size_t i = 0; i < sizeof text; i++) {
        memset(text, 'x', sizeof text);
        CHECK(utf8_valid((Str){text, sizeof text}));
        text[i] = '\x80';
        CHECK(!utf8_valid((Str){text, sizeof text}));
    }
}
