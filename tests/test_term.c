// test_term.c - columns of text.
#include "base/term.h"

#include "tests/test.h"

TEST(term, widths) {
    static const struct {
        const char *text;
        int width;
    } cases[] = {
        {"", 0},
        {"heed", 4},
        {"\xC3\xA9", 1},                             // e acute, one code point
        {"e\xCC\x81", 1},                            // e and a combining acute
        {"\xE6\xBC\xA2\xE5\xAD\x97", 4},             // two ideographs
        {"\xED\x95\x9C", 2},                         // a Hangul syllable
        {"\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", 2}, // the same in three jamo
        {"\xEF\xBC\xA1", 2},                         // full-width A
        {"\xEF\xBD\xB1", 1},                         // half-width katakana
        {"\xF0\x9F\x98\x80", 2},                     // an emoji
        {"\xE2\x9D\xA4\xEF\xB8\x8F", 1},             // a heart and a variation selector
        {"a\xE2\x80\x8D"
         "b",
         2},                     // a joiner between
        {"\xF0\xA0\x80\x80", 2}, // an ideograph of plane 2
        {"\xC2\xAD", 1},         // soft hyphen
        {"\xD8\x80", 1},         // an Arabic sign that is drawn
        {"\xE2\x82\xAC", 1},     // euro
        {"\x1b\t\n", 0},         // controls
        {"\xFF\xE2\x82", 2},     // two ill-formed parts
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int width = term_width(str_from(cases[i].text));
        test_check(width == cases[i].width, __FILE__, __LINE__, "case %d: %d columns, want %d",
                   (int)i, width, cases[i].width);
    }
}

TEST(term, cut_keeps_characters_whole) {
    Str text = STR("a\xE6\xBC\xA2"
                   "e\xCC\x81"
                   "b"); // 1, 2, 1 and 1 columns
    static const size_t bytes[] = {0, 1, 1, 4, 7, 8, 8};
    for (int columns = 0; columns < 7; columns++) {
        Str cut = term_cut(text, columns);
        CHECK_EQUAL(cut.n, bytes[columns]);
        CHECK(term_width(cut) <= columns);
    }
    CHECK_EQUAL(term_cut((Str){0}, 10).n, 0);
    CHECK_EQUAL(term_cut(text, -1).n, 0);
}

TEST(term, no_terminal_has_the_given_columns) {
    CHECK(!term_is_terminal(-1));
    CHECK_EQUAL(term_columns(-1, 77), 77);
}

TEST(term, words_are_cut_into_lines) {
    static const char *const want[] = {"ab cd", "efghijk", "\xe7\x8c\xab", "\xe7\x8c\xab l m"};
    Str words = STR("ab cd efghijk \xe7\x8c\xab \xe7\x8c\xab l m");
    for (int i = 0; i < 2; i++) CHECK(str_equal(term_line(&words, 5), str_from(want[i])));
    CHECK(str_equal(term_line(&words, 4), str_from(want[2])));
    CHECK(str_equal(term_line(&words, 9), str_from(want[3])));
    CHECK_EQUAL(words.n, 0);
    Str odd = STR(" x  y"); // blanks at odd places end nothing but lines
    int n = 0;
    for (; odd.n; n++) term_line(&odd, 1);
    CHECK(n >= 2 && n <= 5);
}
