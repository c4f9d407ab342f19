// normalize.h - the four normal forms of Unicode (Standard Annex 15, version 16.0.0) with a map
// back to the bytes that were given, so that tokens keep their place in the text.
#ifndef HEED_UNICODE_NORMALIZE_H
#define HEED_UNICODE_NORMALIZE_H

#include "base/str.h"
#include "unicode/unicode.h"

// "NFC", "NFD", "NFKC" or "NFKD", and back; false for another name.
Str normal_form_name(NormalForm form);
bool normal_form_named(Str name, NormalForm *form);

typedef struct Normalized {
    Str text;
    // Byte i of `text` comes from bytes from[i] .. to[i]-1 of the source; both never decrease.
    // NULL if the text is the source itself: then i .. i+1.
    int64_t *from, *to;
} Normalized;

// Takes any bytes: ill-formed ones stay as they are and compose with nothing.  If nothing changes
// the result is the source, not a copy, and the arena is not used.  The result is at most
// NORMALIZE_GROWTH_MAX times as long as the source.  Linear time but for sorting runs of marks
// (n log n).  Cannot fail.
enum { NORMALIZE_GROWTH_MAX = 11 };
Normalized normalize(Arena *arena, Str source, NormalForm form);

// True if the text is in that form for certain; false if only `normalize` can tell.  Linear.
bool normalize_is_done(Str text, NormalForm form);

#endif
