// stream.c - holding back what may still become a stop string or a character.
//
// Every stop string is followed by an automaton: the bytes to hold back are simply the longest
// match that is open, and each byte costs the same however the stops are made.  Before those bytes
// an open character is held too.  What is let go thus ends where a decoder is between two
// characters, so repairing it part by part gives the same text as repairing the whole.
#include "generate/stream.h"

#include <string.h>

#include "base/utf8.h"

// The length of the longest prefix of `stop` that a text ends with, given that it ended with the
// first n_matched bytes (fewer than all) and then comes `byte`.
static size_t match_byte(Str stop, const unsigned char *border, size_t n_matched, char byte) {
    while (n_matched > 0 && stop.data[n_matched] != byte) n_matched = border[n_matched - 1];
    return n_matched + (stop.data[n_matched] == byte);
}

bool stream_init(Stream *s, const Str *stop, int n_stop, Error *err) {
    _Static_assert(sizeof s->held >= 2 * (STREAM_STOP_BYTES_MAX + 4), "held text fits twice");
    if (n_stop < 0 || n_stop > STREAM_STOPS_MAX)
        return error_set(err, ERROR_LIMIT, "stop: %d strings, at most %d are possible", n_stop,
                         STREAM_STOPS_MAX);
    memset(s, 0, sizeof *s);
    s->stop = stop;
    s->n_stop = n_stop;
    for (int i = 0; i < n_stop; i++) {
        if (stop[i].n == 0) return error_set(err, ERROR_LIMIT, "stop: string %d is empty", i + 1);
        if (stop[i].n > STREAM_STOP_BYTES_MAX)
            return error_set(err, ERROR_LIMIT,
                             "stop: string %d has %zu bytes, at most %d are possible", i + 1,
                             stop[i].n, STREAM_STOP_BYTES_MAX);
        // A stop is matched against itself from its second byte on.
        size_t n_matched = 0;
        for (size_t j = 1; j < stop[i].n; j++) {
            n_matched = match_byte(stop[i], s->border[i], n_matched, stop[i].data[j]);
            s->border[i][j] = (unsigned char)n_matched;
        }
    }
    return true;
}

static void add_repaired(StrBuilder *out, Str text) {
    size_t shown = 0, at = 0;
    while (at < text.n) {
        int length;
        bool is_character = utf8_decode(str_slice(text, at, text.n), &length) >= 0;
        if (!is_character) {
            str_add(out, str_slice(text, shown, at));
            str_add(out, STR("\xEF\xBF\xBD"));
            shown = at + (size_t)length;
        }
        at += (size_t)length;
    }
    str_add(out, str_slice(text, shown, text.n));
}

// Lets the first n held bytes go.
static void release(Stream *s, size_t n, StrBuilder *out) {
    add_repaired(out, (Str){s->held, n});
    s->n_held -= n;
    memmove(s->held, s->held + n, s->n_held);
}

// Lets go what no future byte can change.
static void release_settled(Stream *s, StrBuilder *out) {
    size_t n_open = 0;
    for (int i = 0; i < s->n_stop; i++) {
        if (s->n_matched[i] > n_open) n_open = s->n_matched[i];
    }
    release(s, utf8_complete_prefix((Str){s->held, s->n_held - n_open}), out);
}

// Follows every stop by one byte; returns the length of the longest that is now complete, or 0.
static size_t follow_stops(Stream *s, char byte) {
    size_t longest = 0;
    for (int i = 0; i < s->n_stop; i++) {
        s->n_matched[i] = match_byte(s->stop[i], s->border[i], s->n_matched[i], byte);
        if (s->n_matched[i] < s->stop[i].n || s->n_matched[i] <= longest) continue;
        longest = s->n_matched[i];
        s->i_stop = i;
    }
    return longest;
}

void stream_add(Stream *s, Str piece, StrBuilder *out) {
    for (size_t i = 0; i < piece.n && !s->is_stopped; i++) {
        if (s->n_held == sizeof s->held) release_settled(s, out);
        s->held[s->n_held++] = piece.data[i];
        size_t n_stop = follow_stops(s, piece.data[i]);
        if (n_stop == 0) continue;
        s->is_stopped = true;
        release(s, s->n_held - n_stop, out);
        s->n_held = 0;
    }
    if (!s->is_stopped) release_settled(s, out);
}

void stream_finish(Stream *s, StrBuilder *out) {
    release(s, s->n_held, out);
    memset(s->n_matched, 0, sizeof s->n_matched);
}

void stream_cut(Stream *s, StrBuilder *out) {
    if (!s->is_stopped) s->n_held = utf8_complete_prefix((Str){s->held, s->n_held});
    stream_finish(s, out);
}
