// term_wasm.c - no terminal here.
#include "base/term.h"

bool term_is_terminal(int descriptor) {
    (void)descriptor;
    return false;
}

int term_columns(int descriptor, int otherwise) {
    (void)descriptor;
    return otherwise;
}
