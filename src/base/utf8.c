// utf8.c - decoding by the table of well-formed sequences (Unicode 15.1, table 3-7).
//
// Overlong forms, surrogates and values past U+10FFFF all show in the second byte: after E0, ED, F0
// and F4 its range is narrower than 80..BF.  So a sequence is cut at the first byte that cannot
// continue it, which is the maximal subpart that U+FFFD replaces (section 3.9).
#include "base/utf8.h"

#include <string.h>

// What a lead byte says: the length of its sequence (0: no lead) and the range of the second byte.
typedef struct Lead {
    int length;
    unsigned char low, high;
} Lead;

static Lead lead_of(unsigned char byte) {
    if (byte < 0x80) return (Lead){1, 0, 0};
    if (byte < 0xC2) return (Lead){0, 0, 0};
    if (byte < 0xE0) return (Lead){2, 0x80, 0xBF};
    if (byte == 0xE0) return (Lead){3, 0xA0, 0xBF};
    if (byte == 0xED) return (Lead){3, 0x80, 0x9F};
    if (byte < 0xF0) return (Lead){3, 0x80, 0xBF};
    if (byte == 0xF0) return (Lead){4, 0x90, 0xBF};
    if (byte < 0xF4) return (Lead){4, 0x80, 0xBF};
    if (byte == 0xF4) return (Lead){4, 0x80, 0x8F};
    return (Lead){0, 0, 0};
}

int32_t utf8_decode(Str s, int *length) {
    const unsigned char *bytes = (const unsigned char *)s.data;
    *length = 1;
    if (bytes[0] < 0x80) return bytes[0];
    Lead lead = lead_of(bytes[0]);
    if (lead.length == 0) return -1;
    // The lead carries 7 - length bits, each further byte six.
    int32_t code_point = bytes[0] & (0x7F >> lead.length);
    for (int i = 1; i < lead.length; i++) {
        *length = i;
        if ((size_t)i == s.n || bytes[i] < lead.low || bytes[i] > lead.high) return -1;
        code_point = code_point << 6 | (bytes[i] & 0x3F);
        lead.low = 0x80;
        lead.high = 0xBF;
    }
    *length = lead.length;
    return code_point;
}

int utf8_encode(int32_t code_point, char out[4]) {
    uint32_t c = (uint32_t)code_point;
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = UTF8_REPLACEMENT;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    int length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3F));
        c >>= 6;
    }
    static const unsigned char mark[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(mark[length] | c);
    return length;
}

// Length of the ASCII at the start of s, eight bytes at a time.
static size_t ascii_prefix(Str s) {
    size_t i = 0;
    for (; s.n - i >= 8; i += 8) {
        uint64_t word;
        memcpy(&word, s.data + i, 8);
        if (word & 0x8080808080808080) break;
    }
    while (i < s.n && (unsigned char)s.data[i] < 0x80) i++;
    return i;
}

// Length of the well-formed text at the start of s.
static size_t valid_prefix(Str s) {
    size_t i = ascii_prefix(s);
    while (i < s.n) {
        int length;
        if (utf8_decode(str_slice(s, i, s.n), &length) < 0) break;
        i += (size_t)length;
        i += ascii_prefix(str_slice(s, i, s.n));
    }
    return i;
}

bool utf8_valid(Str s) {
    return valid_prefix(s) == s.n;
}

size_t utf8_complete_prefix(Str s) {
    // A character can only be open if its lead is among the last three bytes.
    for (size_t back = 1; back <= 3 && back <= s.n; back++) {
        unsigned char byte = (unsigned char)s.data[s.n - back];
        if (byte >= 0x80 && byte < 0xC0) continue;
        int length;
        int32_t code_point = utf8_decode(str_slice(s, s.n - back, s.n), &length);
        bool is_open = code_point < 0 && (size_t)length == back && lead_of(byte).length > length;
        return is_open ? s.n - back : s.n;
    }
    return s.n;
}

Str utf8_repair(Arena *arena, Str s) {
    StrBuilder b = str_builder(arena);
    for (;;) {
        size_t n = valid_prefix(s);
        str_add(&b, str_slice(s, 0, n));
        s = str_slice(s, n, s.n);
        if (s.n == 0) return str_built(&b);
        int length;
        utf8_decode(s, &length);
        str_add(&b, STR("\xEF\xBF\xBD"));
        s = str_slice(s, (size_t)length, s.n);
    }
}
