#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static LogSink *log_sink;
static void *log_user;
static LogLevel log_least;

void log_to(LogSink *sink, void *user, LogLevel least) {
    log_sink = sink;
    log_user = user;
    log_least = least;
}

void log_write(LogLevel level, const char *format, ...) {
    if (!log_sink || level < log_least) return;
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    log_sink(log_user, level, line);
}
