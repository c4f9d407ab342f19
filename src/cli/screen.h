// screen.h - text where people read it: escaped, wrapped, without what could rewrite the screen.
#ifndef HEED_CLI_SCREEN_H
#define HEED_CLI_SCREEN_H

#include "base/str.h"

// Words of `text`, in lines that end before `columns`, and a newline.  The first line begins at
// column `at`, where the cursor is; the others at `indent`.
void screen_wrap(StrBuilder *out, Str text, int at, int indent, int columns);
// A piece of text for one line of a terminal: control characters escaped, no broken UTF-8.
Str screen_visible(Arena *arena, Str text);
// Two columns that are the darker the more: under 3 %, from 3, 15, 40, 75 % on.
const char *screen_shade(double share);
// Writes what a model says to standard output, at once; to a terminal without control characters
// but newline and tab.  False if it cannot be written.
bool screen_print(Str text);

#endif
