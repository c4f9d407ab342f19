// term.h - what a terminal can show.  Only measures and formats: the program does the printing.
#ifndef HEED_BASE_TERM_H
#define HEED_BASE_TERM_H

#include <stdbool.h>

#include "base/str.h"

bool term_is_terminal(int descriptor);
// Columns of the terminal on `descriptor`, else $COLUMNS as given by the caller's `otherwise`.
int term_columns(int descriptor, int otherwise);
// Columns that a text takes: 2 for East Asian wide characters and emoji, 0 for combining marks.
int term_width(Str text);
// The longest prefix of at most `columns` columns.
Str term_cut(Str text, int columns);
// Takes the next line of at most `columns` off a text of words; a longer word stands alone.
Str term_line(Str *words, int columns);

#endif
