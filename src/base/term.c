// term.c - the width of text, code point by code point.
//
// Terminals differ in sequences (an emoji of several code points may be drawn as one); the sum of
// the parts is what the simple ones show and is never less than what the others do.
#include "base/term.h"

#include "base/utf8.h"
#include "base/width_table.h"

static int width_of(int32_t code_point) {
    if (code_point >= 0x20 && code_point < 0x7F) return 1;
    int from = 0, to = width_table_n;
    while (from < to) {
        int middle = (from + to) / 2;
        if (width_table[middle].last < code_point)
            from = middle + 1;
        else
            to = middle;
    }
    bool is_listed = from < width_table_n && width_table[from].first <= code_point;
    return is_listed ? width_table[from].width : 1;
}

// Walks over the text up to `columns`; returns the columns walked and sets *n to the bytes.
static int walk(Str text, int columns, size_t *n) {
    int walked = 0;
    for (*n = 0; *n < text.n;) {
        int length;
        int32_t code_point = utf8_decode(str_slice(text, *n, text.n), &length);
        // Ill-formed bytes show as one replacement character.
        int width = code_point < 0 ? 1 : width_of(code_point);
        if (width > columns - walked) break;
        walked += width;
        *n += (size_t)length;
    }
    return walked;
}

int term_width(Str text) {
    size_t n;
    return walk(text, INT32_MAX, &n);
}

Str term_cut(Str text, int columns) {
    size_t n;
    walk(text, columns, &n);
    return str_slice(text, 0, n);
}

Str term_line(Str *words, int columns) {
    Str text = *words;
    size_t end = 0;
    for (size_t at = 1; at <= text.n; at++) {
        if (at < text.n && text.data[at] != ' ') continue;
        if (end > 0 && term_width(str_slice(text, 0, at)) > columns) break;
        end = at;
    }
    *words = str_slice(text, end + 1, text.n);
    return str_slice(text, 0, end);
}
