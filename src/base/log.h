// log.h - messages of the library to whoever runs it: a callback and a level, silent by default.
#ifndef HEED_BASE_LOG_H
#define HEED_BASE_LOG_H

#include "base/attr.h"

typedef enum LogLevel { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_FATAL } LogLevel;

// Called with one finished line, without a newline.  May be called from any thread.
typedef void LogSink(void *user, LogLevel level, const char *line);

// Sends messages of `least` and above to `sink`; NULL makes the library silent again.  Set once,
// before other threads run: the sink is the only process-wide variable besides the kernel table.
void log_to(LogSink *sink, void *user, LogLevel least);

void log_write(LogLevel level, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
