#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/term.h"

Progress progress_begin(const char *what, const char *unit, int64_t total) {
    return (Progress){.what = what,
                      .unit = unit,
                      .total = total,
                      .begun = clock_seconds(),
                      .is_visible = term_is_terminal(STDERR_FILENO)};
}

// "1.2 M", "345": short enough for a line.
static void print_rate(double rate, const char *unit) {
    if (rate >= 1e9)
        fprintf(stderr, "%.1f G%s/s", rate / 1e9, unit);
    else if (rate >= 1e6)
        fprintf(stderr, "%.1f M%s/s", rate / 1e6, unit);
    else
        fprintf(stderr, "%.0f %s/s", rate, unit);
}

void progress_at(Progress *p, int64_t done, const char *note) {
    double now = clock_seconds(), elapsed = now - p->begun;
    if (!p->is_visible || elapsed < 1 || now - p->shown < 0.1 || done <= 0) return;
    int columns = term_columns(STDERR_FILENO, 80), bar = columns < 70 ? 10 : 24;
    double share = p->total > 0 ? (double)done / (double)p->total : 0,
           rate = (double)done / elapsed;
    int left = share > 0 ? (int)(elapsed / share - elapsed + 0.5) : 0;
    p->shown = now;
    p->has_line = true;
    fprintf(stderr, "\r\033[K%s ", p->what);
    for (int i = 0; i < bar; i++)
        fputs(i < (int)(share * bar + 0.5) ? "\xe2\x96\x88" : "\xe2\x96\x91", stderr);
    fprintf(stderr, " %3.0f%% ", 100 * share);
    print_rate(rate, p->unit);
    if (columns >= 60) fprintf(stderr, ", %d:%02d left", left / 60, left % 60);
    if (columns >= 90 && *note) fprintf(stderr, ", %s", note);
    fflush(stderr);
}

void progress_end(Progress *p) {
    if (p->has_line) fprintf(stderr, "\r\033[K");
    p->has_line = false;
}
