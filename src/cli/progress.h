// progress.h - a line that moves while something takes longer than a second: share, rate, time
// left. Only on a terminal; on standard error.
#ifndef HEED_CLI_PROGRESS_H
#define HEED_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Progress {
    const char *what, *unit; // "evaluating", "tokens"
    int64_t total;
    double begun, shown;
    bool is_visible, has_line;
} Progress;

Progress progress_begin(const char *what, const char *unit, int64_t total);
// `note` is more to say at the end of the line, "" for nothing.
void progress_at(Progress *p, int64_t done, const char *note);
void progress_end(Progress *p); // wipes the line

#endif
