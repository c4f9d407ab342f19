// str.h - text as a pointer and a length, and a builder that grows in an arena.
//
// A Str does not own its bytes and need not end in NUL; it may hold any bytes, UTF-8 or not.
#ifndef HEED_BASE_STR_H
#define HEED_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct Str {
    const char *data;
    size_t n;
} Str;

#define STR(literal) ((Str){("" literal), sizeof(literal) - 1})
// For printf: printf("%.*s", STR_ARG(s)).
#define STR_ARG(s) (int)(s).n, (s).data

Str str_from(const char *c_string);     // the bytes of a C string, not copied
Str str_copy(Arena *arena, Str s);      // copied, and followed by a NUL
const char *str_c(Arena *arena, Str s); // the same, as a C string
Str str_printf(Arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
bool str_equal(Str a, Str b);
int str_compare(Str a, Str b); // byte order, shorter first
bool str_starts(Str s, Str prefix);
bool str_ends(Str s, Str suffix);
Str str_slice(Str s, size_t from, size_t to); // clamped to the string
Str str_trim(Str s);                          // ASCII white space off both ends
// Position of the first `needle` at or after `from`; SIZE_MAX if there is none.
size_t str_find(Str s, Str needle, size_t from);
// Strict decimal integer / number over the whole string; false if it is anything else or too big.
bool str_int(Str s, int64_t *value);
bool str_number(Str s, double *value);

// Grows at the end of its arena by doubling.  Cannot fail; its size is bounded by its writer.
typedef struct StrBuilder {
    Arena *arena;
    char *data;
    size_t n;
    size_t capacity;
} StrBuilder;

StrBuilder str_builder(Arena *arena);
void str_add(StrBuilder *b, Str s);
void str_add_c(StrBuilder *b, const char *c_string);
void str_add_byte(StrBuilder *b, char byte);
void str_add_format(StrBuilder *b, const char *format, ...) PRINTF_LIKE(2, 3);
// What has been built, followed by a NUL that is not counted.
Str str_built(StrBuilder *b);

#endif
