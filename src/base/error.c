#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

bool error_set(Error *err, ErrorKind kind, const char *format, ...) {
    va_list args;
    va_start(args, format);
    err->kind = kind;
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return false;
}

bool error_wrap(Error *err, const char *format, ...) {
    Error inner = *err;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    // Behind the context go the separator and as much of the old text as there is room for.
    size_t used = n < 0 ? 0 : (size_t)n;
    const char *const tail[] = {": ", inner.text};
    for (int i = 0; i < 2 && used < sizeof err->text - 1; i++) {
        size_t room = sizeof err->text - 1 - used, length = strlen(tail[i]);
        if (length > room) length = room;
        memcpy(err->text + used, tail[i], length);
        used += length;
        err->text[used] = '\0';
    }
    return false;
}

const char *error_kind_words(ErrorKind kind) {
    static const char *const words[] = {
#define X(name, text) [ERROR_##name] = (text),
        ERROR_KINDS(X)
#undef X
    };
    return words[kind];
}

void require_failed(const char *expression, const char *file, int line) {
    log_write(LOG_FATAL, "%s:%d: broken invariant: %s", file, line, expression);
    abort();
}
