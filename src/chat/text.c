// text.c - Python's string methods over UTF-8.  Bytes that are not UTF-8 count as one
// character each ill-formed part.
#include "chat/text.h"

#include <string.h>

#include "base/utf8.h"
#include "unicode/unicode.h"

static int32_t read_character(Str s, size_t at, int *length) {
    return utf8_decode(str_slice(s, at, s.n), length);
}

// The length of the last character of s (s.n >= 1).
static int last_length(Str s) {
    for (size_t n = 1; n <= 4 && n <= s.n; n++) {
        int length;
        if (((unsigned char)s.data[s.n - n] & 0xC0) == 0x80) continue;
        read_character(s, s.n - n, &length);
        return (size_t)length == n ? length : 1;
    }
    return 1;
}

bool text_is_space(int32_t c) {
    return (c >= 0x1C && c <= 0x1F) || (unicode_class(c) & UNICODE_WHITE_SPACE);
}

static bool is_stripped(Str s, size_t at, int length, Str set) {
    Str character = str_slice(s, at, at + (size_t)length);
    if (set.n == 0) return text_is_space(read_character(s, at, &length));
    size_t found = str_find(set, character, 0);
    return found != SIZE_MAX;
}

Str text_strip(Str s, Str set, bool left, bool right) {
    while (left && s.n > 0) {
        int length;
        read_character(s, 0, &length);
        if (!is_stripped(s, 0, length, set)) break;
        s = str_slice(s, (size_t)length, s.n);
    }
    while (right && s.n > 0) {
        int length = last_length(s);
        if (!is_stripped(s, s.n - (size_t)length, length, set)) break;
        s = str_slice(s, 0, s.n - (size_t)length);
    }
    return s;
}

static bool is_ascii(Str s) {
    for (size_t i = 0; i < s.n; i++) {
        if ((unsigned char)s.data[i] >= 128) return false;
    }
    return true;
}

int64_t text_length(Str s) {
    int64_t n = 0;
    int length;
    for (size_t at = 0; at < s.n; at += (size_t)length, n++) read_character(s, at, &length);
    return n;
}

// The byte where the character of that number begins.
static size_t byte_of(Str s, int64_t position) {
    if (is_ascii(s)) return (size_t)position;
    size_t at = 0;
    int length;
    for (int64_t i = 0; i < position && at < s.n; i++, at += (size_t)length) {
        read_character(s, at, &length);
    }
    return at;
}

Str text_slice(Str s, int64_t from, int64_t to) {
    size_t begin = byte_of(s, from);
    Str rest = str_slice(s, begin, s.n);
    return str_slice(rest, 0, byte_of(rest, to - from));
}

size_t text_find_last(Str s, Str needle) {
    if (needle.n > s.n) return SIZE_MAX;
    for (size_t i = s.n - needle.n + 1; i > 0; i--) {
        if (str_equal(str_slice(s, i - 1, i - 1 + needle.n), needle)) return i - 1;
    }
    return SIZE_MAX;
}

// Replacing the empty string puts `with` before every character and at the end.
static Str replace_empty(Arena *arena, Str s, Str with, int64_t count) {
    StrBuilder b = str_builder(arena);
    int length;
    for (size_t at = 0; at < s.n; at += (size_t)length) {
        if (count-- != 0)
            str_add(&b, with);
        else
            count = 0;
        read_character(s, at, &length);
        str_add(&b, str_slice(s, at, at + (size_t)length));
    }
    if (count != 0) str_add(&b, with);
    return str_built(&b);
}

Str text_replace(Arena *arena, Str s, Str old, Str with, int64_t count) {
    if (old.n == 0) return replace_empty(arena, s, with, count);
    size_t at = 0, next = str_find(s, old, 0);
    if (next == SIZE_MAX || count == 0) return s;
    StrBuilder b = str_builder(arena);
    for (; next != SIZE_MAX && count != 0; next = str_find(s, old, at), count--) {
        str_add(&b, str_slice(s, at, next));
        str_add(&b, with);
        at = next + old.n;
    }
    str_add(&b, str_slice(s, at, s.n));
    return str_built(&b);
}

// What one character becomes; `is_in_word` says that a letter stands before it.
static int32_t mapped_to(int32_t c, TextCase how, bool is_first, bool is_in_word) {
    switch (how) {
    case TEXT_LOWER: return unicode_lower(c);
    case TEXT_UPPER: return unicode_upper(c);
    case TEXT_CAPITALIZE: return is_first ? unicode_upper(c) : unicode_lower(c);
    case TEXT_TITLE: return is_in_word ? unicode_lower(c) : unicode_upper(c);
    case TEXT_SWAP: return unicode_upper(c) != c ? unicode_upper(c) : unicode_lower(c);
    }
    return c;
}

// Adds the character at a byte; ill-formed parts (c < 0) stay as they are.
static void add_mapped(StrBuilder *b, Str character, int32_t c, int32_t mapped) {
    char encoded[4];
    if (c < 0 || c == mapped)
        str_add(b, character);
    else
        str_add(b, (Str){encoded, (size_t)utf8_encode(mapped, encoded)});
}

// The full mapping of U+00DF is two letters; it is the only such letter that is common.
Str text_case(Arena *arena, Str s, TextCase how) {
    StrBuilder b = str_builder(arena);
    bool is_in_word = false;
    int length;
    for (size_t at = 0; at < s.n; at += (size_t)length) {
        int32_t c = read_character(s, at, &length);
        Str character = str_slice(s, at, at + (size_t)length);
        if (c == 0xDF && (how == TEXT_UPPER || how == TEXT_SWAP))
            str_add_c(&b, "SS");
        else
            add_mapped(&b, character, c, mapped_to(c, how, at == 0, is_in_word));
        is_in_word = unicode_class(c) & (UNICODE_LU | UNICODE_LL | UNICODE_LT);
    }
    return str_built(&b);
}

Str text_title_words(Arena *arena, Str s) {
    StrBuilder b = str_builder(arena);
    bool is_in_word = false;
    int length;
    for (size_t at = 0; at < s.n; at += (size_t)length) {
        int32_t c = read_character(s, at, &length);
        Str character = str_slice(s, at, at + (size_t)length);
        add_mapped(&b, character, c, mapped_to(c, TEXT_TITLE, at == 0, is_in_word));
        bool is_mark = c > 0 && c < 128 && strchr("-({[<", c);
        is_in_word = !is_mark && !text_is_space(c);
    }
    return str_built(&b);
}

bool text_is(Str s, uint32_t classes) {
    int length;
    for (size_t at = 0; at < s.n; at += (size_t)length) {
        if (!(unicode_class(read_character(s, at, &length)) & classes)) return false;
    }
    return s.n > 0;
}
