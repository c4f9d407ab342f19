// utf8.h - UTF-8 as the Unicode standard defines it (no overlong forms, surrogates or values past
// U+10FFFF), and what to do with bytes that are not.
#ifndef HEED_BASE_UTF8_H
#define HEED_BASE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { UTF8_REPLACEMENT = 0xFFFD };

// Reads the code point at the start of s (s.n >= 1) and sets *length to its bytes.  Bytes that are
// no character give -1 and the length of the maximal ill-formed prefix (Unicode 15.1, section 3.9).
int32_t utf8_decode(Str s, int *length);
// Writes 1 to 4 bytes, returns how many.  What is no character is written as U+FFFD.
int utf8_encode(int32_t code_point, char out[4]);
bool utf8_valid(Str s);
// Length of the longest prefix that does not end inside a character: what a stream may send now.
size_t utf8_complete_prefix(Str s);
// A copy in which every ill-formed part has become U+FFFD.
Str utf8_repair(Arena *arena, Str s);

#endif
