// stream.h - text as it leaves a generator: never half a character, never a stop string.
//
// Pieces go in as bytes; what may be shown now comes out.  An incomplete UTF-8 tail and any suffix
// that is a proper prefix of a stop string are held back; a full match cuts the text before it and
// ends the stream.  Bytes that can never become a character come out as U+FFFD, one for each
// maximal ill-formed part.
//
// Where the pieces are cut makes no difference.  The stop that ends first in the text counts, and
// of those ending together the one that begins first; stops are compared as bytes, so they may
// begin and end inside a character.  All that comes out is utf8_repair() of the bytes before the
// stop.
#ifndef HEED_GENERATE_STREAM_H
#define HEED_GENERATE_STREAM_H

#include "base/str.h"

enum { STREAM_STOPS_MAX = 16, STREAM_STOP_BYTES_MAX = 256 };

typedef struct Stream {
    const Str *stop;
    int n_stop;
    bool is_stopped; // a stop string was met
    int i_stop;      // which
    char held[1024]; // bytes not shown yet
    size_t n_held;
    // For each stop (Knuth, Morris and Pratt 1977): how many of its first bytes the text ends with,
    // and, for each of its prefixes, the longest shorter prefix that the prefix ends with.
    size_t n_matched[STREAM_STOPS_MAX];
    unsigned char border[STREAM_STOPS_MAX][STREAM_STOP_BYTES_MAX];
} Stream;

// The stop strings are not copied.  ERROR_LIMIT naming the option if there are too many, one is
// empty or too long.
MUST_USE bool stream_init(Stream *s, const Str *stop, int n_stop, Error *err);
// Adds a piece; appends to `out` what may be shown.  Does nothing once stopped.
void stream_add(Stream *s, Str piece, StrBuilder *out);
// The end: what was held back and is no stop string, ill-formed bytes as U+FFFD.  The stream is
// then as after stream_init, unless it has stopped.
void stream_finish(Stream *s, StrBuilder *out);
// The same for a text that was cut: a character that is not whole is left out.
void stream_cut(Stream *s, StrBuilder *out);

#endif
