// error.h - the two kinds of wrong.
//
// The world is wrong (a damaged file, a full disk, a bad request): a function returns false or
// NULL and fills the caller's Error.  We are wrong (a shape that cannot be): require() stops the
// process with the expression, in every build.  No function of the library prints or exits else.
#ifndef HEED_BASE_ERROR_H
#define HEED_BASE_ERROR_H

#include <stdbool.h>

#include "base/attr.h"

// X(NAME, "words") - the one list of error kinds.
#define ERROR_KINDS(X)                                                                   \
    X(NONE, "no error")                                                                  \
    X(USAGE, "wrong usage")     /* an impossible option or argument */                   \
    X(IO, "input/output error") /* the system refused: open, read, write, map */         \
    X(MEMORY, "out of memory")                                                           \
    X(FORMAT, "damaged or wrong file") /* the bytes contradict the format */             \
    X(UNSUPPORTED, "not supported")    /* well-formed, but not something heed does */    \
    X(LIMIT, "limit exceeded")         /* a documented limit, e.g. the context length */ \
    X(CANCELLED, "cancelled")

typedef enum ErrorKind {
#define X(name, words) ERROR_##name,
    ERROR_KINDS(X)
#undef X
} ErrorKind;

// Owned by the caller, zero-initialised ("Error err = {0};").  `text` is one line for a person.
typedef struct Error {
    ErrorKind kind;
    char text[512];
} Error;

// Fills `err` and returns false, so that refusing is one line.  `err` may not be NULL.
bool error_set(Error *err, ErrorKind kind, const char *format, ...) PRINTF_LIKE(3, 4);

// Puts context in front of an error already set: "loading m.gguf: tensor blk.0: ...".  Returns
// false.
bool error_wrap(Error *err, const char *format, ...) PRINTF_LIKE(2, 3);

// The words of a kind, e.g. "damaged or wrong file".
const char *error_kind_words(ErrorKind kind);

// Checks what only our own mistake can break; active in every build.
#define require(condition) ((condition) ? (void)0 : require_failed(#condition, __FILE__, __LINE__))
NO_RETURN void require_failed(const char *expression, const char *file, int line);

#endif
