// term_posix.c - asking the terminal.
#define _DEFAULT_SOURCE // the window size is not in POSIX.1-2008
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/term.h"

bool term_is_terminal(int descriptor) {
    return isatty(descriptor) == 1;
}

int term_columns(int descriptor, int otherwise) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return otherwise;
    return size.ws_col;
}
