// text.h - what templates do with strings, with Python's meaning: positions count code points,
// white space is Unicode's.  Results are slices of their argument where they can be.
#ifndef HEED_CHAT_TEXT_H
#define HEED_CHAT_TEXT_H

#include "base/str.h"

bool text_is_space(int32_t code_point); // str.isspace of Python
// Without the characters of `set` (white space if it is empty) at its left and right end.
Str text_strip(Str s, Str set, bool left, bool right);
int64_t text_length(Str s);                      // in code points
Str text_slice(Str s, int64_t from, int64_t to); // in code points, 0 <= from <= to <= length
// The first occurrence at or after a byte, the last one, or SIZE_MAX.
size_t text_find_last(Str s, Str needle);
Str text_replace(Arena *arena, Str s, Str old, Str with, int64_t count); // count < 0: all

typedef enum TextCase { TEXT_LOWER, TEXT_UPPER, TEXT_CAPITALIZE, TEXT_TITLE, TEXT_SWAP } TextCase;
Str text_case(Arena *arena, Str s, TextCase how);
// The title filter of Jinja: a word begins after white space or one of -({[<.
Str text_title_words(Arena *arena, Str s);
// Python's str.isdigit and the like: true if not empty and all characters are of those classes.
bool text_is(Str s, uint32_t classes);

#endif
