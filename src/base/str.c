// str.c - slices of text, strict numbers, and the builder.
//
// Numbers are read without the locale: str_number() first rewrites its text as plain digits and an
// exponent ("1.50e3" becomes "150e1"), which strtod reads the same way in every locale.
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Halfway points between doubles have at most 767 significant digits, so 800 digits, the last of
// them made nonzero if anything nonzero follows, round like the whole text.
enum { DIGITS_MAX = 800, EXPONENT_MAX = 1000000 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

Str str_from(const char *c_string) {
    return (Str){c_string, strlen(c_string)};
}

Str str_copy(Arena *arena, Str s) {
    char *data = arena_push_aligned(arena, s.n + 1, 1);
    if (s.n > 0) memcpy(data, s.data, s.n);
    data[s.n] = '\0';
    return (Str){data, s.n};
}

const char *str_c(Arena *arena, Str s) {
    return str_copy(arena, s).data;
}

bool str_equal(Str a, Str b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.data, b.data, a.n) == 0);
}

int str_compare(Str a, Str b) {
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n > 0 ? memcmp(a.data, b.data, n) : 0;
    if (order != 0) return order < 0 ? -1 : 1;
    return (a.n > b.n) - (a.n < b.n);
}

bool str_starts(Str s, Str prefix) {
    return s.n >= prefix.n && str_equal(str_slice(s, 0, prefix.n), prefix);
}

bool str_ends(Str s, Str suffix) {
    return s.n >= suffix.n && str_equal(str_slice(s, s.n - suffix.n, s.n), suffix);
}

Str str_slice(Str s, size_t from, size_t to) {
    if (to > s.n) to = s.n;
    if (from > to) from = to;
    return s.data ? (Str){s.data + from, to - from} : (Str){0};
}

Str str_trim(Str s) {
    size_t from = 0, to = s.n;
    while (from < to && is_space(s.data[from])) from++;
    while (to > from && is_space(s.data[to - 1])) to--;
    return str_slice(s, from, to);
}

size_t str_find(Str s, Str needle, size_t from) {
    if (from > s.n || needle.n > s.n - from) return SIZE_MAX;
    if (needle.n == 0) return from;
    size_t last = s.n - needle.n;
    while (from <= last) {
        const char *hit = memchr(s.data + from, needle.data[0], last - from + 1);
        if (!hit) return SIZE_MAX;
        from = (size_t)(hit - s.data);
        if (memcmp(hit, needle.data, needle.n) == 0) return from;
        from++;
    }
    return SIZE_MAX;
}

bool str_int(Str s, int64_t *value) {
    bool is_negative = s.n > 0 && s.data[0] == '-';
    size_t i = is_negative;
    if (i == s.n) return false;
    uint64_t limit = (uint64_t)INT64_MAX + is_negative, magnitude = 0;
    for (; i < s.n; i++) {
        if (!is_digit(s.data[i])) return false;
        uint64_t digit = (uint64_t)(s.data[i] - '0');
        if (magnitude > (limit - digit) / 10) return false;
        magnitude = magnitude * 10 + digit;
    }
    // The magnitude of INT64_MIN has no positive int64_t.
    if (is_negative && magnitude > 0)
        *value = -(int64_t)(magnitude - 1) - 1;
    else
        *value = (int64_t)magnitude;
    return true;
}

// A decimal number taken apart: its value is digits x 10^exponent.
typedef struct Decimal {
    char digits[DIGITS_MAX + 1];
    int n_digits;
    int64_t exponent;
} Decimal;

// Appends a digit; leading zeros add nothing, and past DIGITS_MAX only "is not zero" is kept.
static void decimal_add(Decimal *d, char digit, bool is_fraction) {
    if (d->n_digits == 0 && digit == '0') {
        d->exponent -= is_fraction;
    } else if (d->n_digits < DIGITS_MAX) {
        d->digits[d->n_digits++] = digit;
        d->exponent -= is_fraction;
    } else {
        d->exponent += !is_fraction;
        if (digit != '0') d->digits[DIGITS_MAX - 1] |= 1;
    }
}

// Reads digits from s at *at; returns how many there were.
static int64_t decimal_read(Decimal *d, Str s, size_t *at, bool is_fraction) {
    size_t start = *at;
    for (; *at < s.n && is_digit(s.data[*at]); ++*at) decimal_add(d, s.data[*at], is_fraction);
    return (int64_t)(*at - start);
}

// Reads "e+12" at *at; an exponent beyond every double stays beyond.
static bool exponent_read(Str s, size_t *at, int64_t *exponent) {
    size_t i = *at + 1;
    bool is_negative = i < s.n && s.data[i] == '-';
    if (i < s.n && (s.data[i] == '-' || s.data[i] == '+')) i++;
    if (i == s.n) return false;
    int64_t value = 0;
    for (; i < s.n && is_digit(s.data[i]); i++) {
        value = value * 10 + (s.data[i] - '0');
        if (value > INT64_MAX / 100) value = INT64_MAX / 100;
    }
    *at = i;
    *exponent += is_negative ? -value : value;
    return is_digit(s.data[i - 1]);
}

bool str_number(Str s, double *value) {
    Decimal d = {.n_digits = 0};
    bool is_negative = s.n > 0 && s.data[0] == '-';
    size_t at = is_negative;
    int64_t n_read = decimal_read(&d, s, &at, false);
    if (at < s.n && s.data[at] == '.') {
        at++;
        n_read += decimal_read(&d, s, &at, true);
    }
    if (n_read == 0) return false;
    if (at < s.n && (s.data[at] == 'e' || s.data[at] == 'E')) {
        if (!exponent_read(s, &at, &d.exponent)) return false;
    }
    if (at != s.n) return false;
    double magnitude = 0;
    if (d.n_digits > 0) {
        if (d.exponent > EXPONENT_MAX) d.exponent = EXPONENT_MAX;
        if (d.exponent < -EXPONENT_MAX) d.exponent = -EXPONENT_MAX;
        char text[DIGITS_MAX + 16];
        snprintf(text, sizeof text, "%.*se%d", d.n_digits, d.digits, (int)d.exponent);
        magnitude = strtod(text, NULL);
        if (isinf(magnitude)) return false;
    }
    *value = is_negative ? -magnitude : magnitude;
    return true;
}

StrBuilder str_builder(Arena *arena) {
    return (StrBuilder){.arena = arena};
}

// Makes room for `n` more bytes and a NUL: in place while the builder is the last in its arena.
static void builder_reserve(StrBuilder *b, size_t n) {
    if (b->capacity > b->n && n < b->capacity - b->n) return;
    size_t wanted = b->capacity > 0 ? b->capacity * 2 : 64;
    require(n < SIZE_MAX / 4 && wanted < SIZE_MAX / 4);
    if (wanted < b->n + n + 1) wanted = b->n + n + 1;
    Arena *arena = b->arena;
    if (b->data && b->data + b->capacity == arena->base + arena->used) {
        arena_push_aligned(arena, wanted - b->capacity, 1);
    } else {
        char *data = arena_push(arena, wanted);
        if (b->n > 0) memcpy(data, b->data, b->n);
        b->data = data;
    }
    b->capacity = wanted;
}

void str_add(StrBuilder *b, Str s) {
    builder_reserve(b, s.n);
    if (s.n > 0) memcpy(b->data + b->n, s.data, s.n);
    b->n += s.n;
}

void str_add_c(StrBuilder *b, const char *c_string) {
    str_add(b, str_from(c_string));
}

void str_add_byte(StrBuilder *b, char byte) {
    builder_reserve(b, 1);
    b->data[b->n++] = byte;
}

// Formats at the end; `again` is a copy of `args` for a second try with enough room.
PRINTF_LIKE(2, 0)
static void add_formatted(StrBuilder *b, const char *format, va_list args, va_list again) {
    builder_reserve(b, 1);
    size_t room = b->capacity - b->n;
    int n = vsnprintf(b->data + b->n, room, format, args);
    require(n >= 0);
    if ((size_t)n >= room) {
        builder_reserve(b, (size_t)n);
        vsnprintf(b->data + b->n, (size_t)n + 1, format, again);
    }
    b->n += (size_t)n;
}

void str_add_format(StrBuilder *b, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    add_formatted(b, format, args, again);
    va_end(again);
    va_end(args);
}

Str str_printf(Arena *arena, const char *format, ...) {
    StrBuilder b = str_builder(arena);
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    add_formatted(&b, format, args, again);
    va_end(again);
    va_end(args);
    return str_built(&b);
}

Str str_built(StrBuilder *b) {
    builder_reserve(b, 1);
    b->data[b->n] = '\0';
    return (Str){b->data, b->n};
}
