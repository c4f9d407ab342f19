// line.h - reading what a person types, or what a program pipes in, message by message.
//
// On a terminal lines can be edited and earlier ones called back, if heed was built with libedit.
// Lines that are pasted together are one message, unless it begins with a slash; a line that ends
// in a backslash goes on in the next one.  From a pipe or a file every line is a message, and
// nothing is printed.
#ifndef HEED_CLI_LINE_H
#define HEED_CLI_LINE_H

#include "base/str.h"

enum { LINE_BYTES_MAX = 16 << 20 };

typedef enum LineEnd {
    LINE_READ,
    LINE_INTERRUPTED, // Ctrl-C: what was typed is to be forgotten
    LINE_OVER,        // Ctrl-D on an empty line, or the end of the file
    LINE_TOO_LONG     // past LINE_BYTES_MAX
} LineEnd;

typedef struct LineReader LineReader;

// Lives in `arena`.
LineReader *line_open(Arena *arena, bool is_terminal);
void line_close(LineReader *reader); // accepts NULL
// A message into `text`, in `arena`, without the newline at its end.
LineEnd line_read(LineReader *reader, Arena *arena, Str *text);

#endif
