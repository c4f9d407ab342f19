// test_stream.c - streamed text against the definition: cut the whole at the stop, then repair it.
//
// The oracle looks for stops by trying every end, then every beginning, and repairs in one go.
#include "generate/stream.h"

#include "base/rng.h"
#include "base/utf8.h"
#include "tests/test.h"

#define FFFD "\xEF\xBF\xBD"

typedef struct Case {
    Str text;
    const Str *stop;
    int n_stop;
} Case;

static Arena test_arena(void) {
    Arena arena;
    Error err = {0};
    require(arena_init(&arena, ARENA_DEFAULT, &err));
    return arena;
}

// The first end of a stop counts, then its first beginning.  Returns the stop's index, or -1.
static int oracle(Arena *arena, const Case *c, Str *shown) {
    for (size_t end = 1; end <= c->text.n; end++) {
        for (size_t begin = 0; begin < end; begin++) {
            for (int i = 0; i < c->n_stop; i++) {
                if (!str_equal(str_slice(c->text, begin, end), c->stop[i])) continue;
                *shown = utf8_repair(arena, str_slice(c->text, 0, begin));
                return i;
            }
        }
    }
    *shown = utf8_repair(arena, c->text);
    return -1;
}

// Streams the text cut after every byte whose bit is set; checks what is shown on the way.
static int stream_in_pieces(const Case *c, const bool *cut, StrBuilder *out) {
    Error err = {0};
    Stream s;
    bool ok = stream_init(&s, c->stop, c->n_stop, &err);
    test_check(ok, __FILE__, __LINE__, "%s", err.text);
    size_t begin = 0;
    for (size_t i = 0; i < c->text.n; i++) {
        if (!cut[i] && i + 1 < c->text.n) continue;
        stream_add(&s, str_slice(c->text, begin, i + 1), out);
        begin = i + 1;
        if (!utf8_valid((Str){out->data, out->n})) CHECK(!"half a character was shown");
    }
    stream_finish(&s, out);
    return s.is_stopped ? s.i_stop : -1;
}

static void show_bytes(const char *name, Str s) {
    printf("%s:", name);
    for (size_t i = 0; i < s.n; i++) printf(" %02X", (unsigned char)s.data[i]);
    printf("\n");
}

static bool check_case(Arena *arena, const Case *c, const bool *cut) {
    Str want;
    int i_want = oracle(arena, c, &want);
    StrBuilder out = str_builder(arena);
    int i_stop = stream_in_pieces(c, cut, &out);
    // Of equal stops the first is named; the oracle tries them in the same order.
    if (CHECK(i_stop == i_want && str_equal(str_built(&out), want))) return true;
    show_bytes("text", c->text);
    for (int i = 0; i < c->n_stop; i++) show_bytes("stop", c->stop[i]);
    show_bytes("shown", str_built(&out));
    show_bytes("want", want);
    return false;
}

// ---- by hand

// Adds each piece in turn and joins what is shown after each with '|'.
static const char *shown_by_piece(Arena *arena, const Str *stop, int n_stop, const char *pieces) {
    Error err = {0};
    Stream s;
    StrBuilder out = str_builder(arena);
    if (!CHECK(stream_init(&s, stop, n_stop, &err))) return "";
    for (const char *end; *pieces; pieces = *end ? end + 1 : end) {
        end = pieces + strcspn(pieces, "|");
        stream_add(&s, (Str){pieces, (size_t)(end - pieces)}, &out);
        str_add_byte(&out, '|');
    }
    stream_finish(&s, &out);
    return str_built(&out).data;
}

static void check_shown(Str stop, const char *pieces, const char *want, int line) {
    Arena arena = test_arena();
    const char *shown = shown_by_piece(&arena, &stop, stop.n > 0, pieces);
    test_check(strcmp(shown, want) == 0, __FILE__, line, "shown \"%s\", want \"%s\"", shown, want);
    arena_drop(&arena);
}
#define CHECK_SHOWN(stop, pieces, want) check_shown(STR(stop), (pieces), (want), __LINE__)

TEST(stream, holds_back_half_characters) {
    CHECK_SHOWN("", "a|b", "a|b|");
    CHECK_SHOWN("", "a\xC3|\xA9z", "a|\xC3\xA9z|");
    CHECK_SHOWN("", "\xF0|\x9F|\x98|\x80", "|||\xF0\x9F\x98\x80|");
    CHECK_SHOWN("", "\xF0\x9F\x98", "|" FFFD);    // cut off at the end: one part
    CHECK_SHOWN("", "\xF0\x9F|x", "|" FFFD "x|"); // never to be completed
    CHECK_SHOWN("", "\xE4|\xE4|\xBD|\xA0", "|" FFFD "||\xE4\xBD\xA0|");
    CHECK_SHOWN("", "\xFF|\x80|\xC0\xAF", FFFD "|" FFFD "|" FFFD FFFD "|");
    CHECK_SHOWN("", "\xED\xA0|\x80", FFFD FFFD "|" FFFD "|"); // a surrogate
    CHECK_SHOWN("", "\xF4\x90", FFFD FFFD "|");               // past U+10FFFF
}

TEST(stream, holds_back_stops) {
    CHECK_SHOWN("STOP", "aS|T|OP|b", "a||||");
    CHECK_SHOWN("STOP", "aST|Ab", "a|STAb|");
    CHECK_SHOWN("STOP", "aSSTOPb", "aS|");
    CHECK_SHOWN("STOP", "aSTO", "a|STO"); // the end: it was no stop
    CHECK_SHOWN("aab", "aaa|b", "a||");
    CHECK_SHOWN("abab", "aba|cab|ab", "|abac||");
    CHECK_SHOWN("\n\n", "x\n|y\n|\nz", "x|\ny||");
    CHECK_SHOWN("x", "x", "|");
}

// A stop may be any bytes: here the second byte of U+00E9, and then the first.
TEST(stream, stops_inside_characters) {
    CHECK_SHOWN("\xA9", "a\xC3|\xA9z", "a|" FFFD "|");
    CHECK_SHOWN("\xA9!", "a\xC3\xA9|z", "a|\xC3\xA9z|");
    CHECK_SHOWN("\xA9!", "a\xC3\xA9|!", "a|" FFFD "|");
    CHECK_SHOWN("b\xC3", "ab|\xC3\xA9", "a||");
    CHECK_SHOWN("\xC3", "a\xC3\xA9", "a|");
}

TEST(stream, several_stops) {
    Arena arena = test_arena();
    // The first to end wins, and of those ending together the one that begins first.
    const Str stop[] = {STR("abcd"), STR("c"), STR("bc")};
    CHECK(strcmp(shown_by_piece(&arena, stop, 3, "xa|bcd"), "x|a|") == 0);
    CHECK(strcmp(shown_by_piece(&arena, stop, 1, "xa|bc|e"), "x||abce|") == 0);
    Error err = {0};
    Stream s;
    StrBuilder out = str_builder(&arena);
    CHECK(stream_init(&s, stop, 3, &err));
    stream_add(&s, STR("abc"), &out);
    CHECK(s.is_stopped && s.i_stop == 2);
    stream_add(&s, STR("more"), &out);
    stream_finish(&s, &out);
    CHECK(str_equal(str_built(&out), STR("a")));
    arena_drop(&arena);
}

TEST(stream, begins_anew_after_the_end) {
    Arena arena = test_arena();
    Error err = {0};
    const Str stop = STR("STOP");
    Stream s;
    StrBuilder out = str_builder(&arena);
    CHECK(stream_init(&s, &stop, 1, &err));
    stream_add(&s, STR("ST"), &out);
    stream_finish(&s, &out);
    stream_add(&s, STR("OP\xC3"), &out);
    stream_finish(&s, &out);
    CHECK(!s.is_stopped && str_equal(str_built(&out), STR("STOP" FFFD)));
    arena_drop(&arena);
}

TEST(stream, refuses_impossible_stops) {
    Error err;
    Stream s;
    static char long_text[STREAM_STOP_BYTES_MAX + 1];
    Str stop[STREAM_STOPS_MAX + 1];
    for (int i = 0; i <= STREAM_STOPS_MAX; i++) stop[i] = (Str){long_text, STREAM_STOP_BYTES_MAX};
    CHECK(stream_init(&s, stop, STREAM_STOPS_MAX, &err));
    CHECK(stream_init(&s, NULL, 0, &err));
    CHECK_FAILS(stream_init(&s, stop, STREAM_STOPS_MAX + 1, &err), err, ERROR_LIMIT, "17 strings");
    CHECK_FAILS(stream_init(&s, stop, -1, &err), err, ERROR_LIMIT, "stop");
    stop[1].n = 0;
    CHECK_FAILS(stream_init(&s, stop, 2, &err), err, ERROR_LIMIT, "string 2 is empty");
    stop[1].n = STREAM_STOP_BYTES_MAX + 1;
    CHECK_FAILS(stream_init(&s, stop, 2, &err), err, ERROR_LIMIT, "string 2 has 257 bytes");
}

// The longest stops and a text that almost matches them all the time, in one piece and in many.
TEST(stream, longest_stops) {
    Arena arena = test_arena();
    Rng rng = rng_seed(test_seed());
    static char text[5000], stops[STREAM_STOPS_MAX][STREAM_STOP_BYTES_MAX];
    static bool cut[sizeof text];
    Str stop[STREAM_STOPS_MAX];
    for (int i = 0; i < STREAM_STOPS_MAX; i++) {
        memset(stops[i], 'a', sizeof stops[i]);
        stops[i][255] = (char)('b' + i);
        stop[i] = (Str){stops[i], 256};
    }
    memset(text, 'a', sizeof text);
    for (int round = 0; round < 4; round++) {
        for (size_t i = 0; i < sizeof text; i++) cut[i] = round > 0 && rng_below(&rng, 50) == 0;
        text[4500] = round % 2 ? 'q' : 'a';
        StrBuilder out = str_builder(&arena);
        Case c = {{text, sizeof text}, stop, STREAM_STOPS_MAX};
        int i_stop = stream_in_pieces(&c, cut, &out);
        CHECK_EQUAL(i_stop, round % 2 ? 15 : -1);
        CHECK_EQUAL(out.n, round % 2 ? 4500 - 255 : 5000);
    }
    arena_drop(&arena);
}

// ---- at random

// Few different bytes, so that stops are met and characters made: text, and parts of characters.
static size_t random_bytes(Rng *rng, char *bytes, size_t n_max) {
    static const char *const parts[] = {"a",    "b",    "ab",   "\xC3\xA9",     "\xC3",
                                        "\xA9", "\xE4", "\xBD", "\xE4\xBD\xA0", "\xF0",
                                        "\x9F", "\x98", "\x80", "\xFF",         "\xF0\x9F\x98\x80"};
    size_t n = 0, wanted = rng_below(rng, n_max + 1);
    size_t n_parts = rng_below(rng, 3) == 0 ? 3 : sizeof parts / sizeof *parts;
    while (n < wanted) {
        const char *part = parts[rng_below(rng, n_parts)];
        size_t length = strlen(part);
        if (n + length > n_max) break;
        memcpy(bytes + n, part, length);
        n += length;
    }
    return n;
}

TEST(stream, equals_oracle) {
    Arena arena = test_arena();
    ArenaMark mark = arena_mark(&arena);
    Rng rng = rng_seed(test_seed());
    int n_stopped = 0, n_rounds = 100000;
    for (int round = 0; round < n_rounds; round++) {
        char text[32], stops[3][6];
        bool cut[32];
        Str stop[3];
        Case c = {{text, random_bytes(&rng, text, sizeof text)}, stop, (int)rng_below(&rng, 4)};
        for (int i = 0; i < c.n_stop; i++) {
            stop[i] = (Str){stops[i], random_bytes(&rng, stops[i], sizeof stops[i])};
            if (stop[i].n == 0) stop[i] = STR("b");
        }
        uint64_t rarity = 1 + rng_below(&rng, 6);
        for (size_t i = 0; i < sizeof cut; i++) cut[i] = rng_below(&rng, rarity) == 0;
        if (!check_case(&arena, &c, cut)) break;
        Str ignored;
        n_stopped += oracle(&arena, &c, &ignored) >= 0;
        arena_back(&arena, mark);
    }
    // Both outcomes are common, or the test would be idle.
    CHECK(n_stopped > n_rounds / 5 && n_stopped < n_rounds * 4 / 5);
    arena_drop(&arena);
}
