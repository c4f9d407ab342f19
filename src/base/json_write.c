// json_write.c - writing JSON; commas, quotes, escapes and layout come by themselves.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"

JsonWriter json_writer(StrBuilder *out, int indent) {
    return (JsonWriter){.out = out, .indent = indent};
}

static void new_line(JsonWriter *w) {
    if (w->indent <= 0) return;
    str_add_byte(w->out, '\n');
    for (int i = 0; i < w->depth * w->indent; i++) str_add_byte(w->out, ' ');
}

// What comes before an element or a key: a comma after the one before, and a new line.  A value
// after its key has been announced by the key.
static void begin_item(JsonWriter *w) {
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->depth == 0) return;
    if (w->needs_comma[w->depth - 1]) str_add_byte(w->out, ',');
    w->needs_comma[w->depth - 1] = true;
    new_line(w);
}

static void begin_container(JsonWriter *w, char opening) {
    begin_item(w);
    str_add_byte(w->out, opening);
    require(w->depth < JSON_DEPTH_MAX);
    w->needs_comma[w->depth++] = false;
}

static void end_container(JsonWriter *w, char closing) {
    require(w->depth > 0 && !w->after_key);
    w->depth--;
    if (w->needs_comma[w->depth]) new_line(w);
    str_add_byte(w->out, closing);
}

void json_begin_object(JsonWriter *w) {
    begin_container(w, '{');
}
void json_end_object(JsonWriter *w) {
    end_container(w, '}');
}
void json_begin_array(JsonWriter *w) {
    begin_container(w, '[');
}
void json_end_array(JsonWriter *w) {
    end_container(w, ']');
}

static void add_escaped(StrBuilder *out, unsigned char c) {
    static const char letters[] = "\"\\bfnrt", meanings[] = "\"\\\b\f\n\r\t";
    const char *meaning = c ? strchr(meanings, c) : NULL;
    if (meaning) {
        str_add_byte(out, '\\');
        str_add_byte(out, letters[meaning - meanings]);
    } else {
        str_add_format(out, "\\u%04x", (unsigned)c);
    }
}

static void add_string(StrBuilder *out, Str s) {
    str_add_byte(out, '"');
    size_t start = 0, i = 0;
    while (i < s.n) {
        unsigned char c = (unsigned char)s.data[i];
        int length = 1;
        bool is_plain = c >= 0x20 && c != '"' && c != '\\';
        if (c >= 0x80) is_plain = utf8_decode(str_slice(s, i, s.n), &length) >= 0;
        if (!is_plain) {
            str_add(out, str_slice(s, start, i));
            if (c >= 0x80)
                str_add(out, STR("\xEF\xBF\xBD"));
            else
                add_escaped(out, c);
            start = i + (size_t)length;
        }
        i += (size_t)length;
    }
    str_add(out, str_slice(s, start, s.n));
    str_add_byte(out, '"');
}

void json_key(JsonWriter *w, const char *key) {
    require(w->depth > 0 && !w->after_key);
    begin_item(w);
    add_string(w->out, str_from(key));
    str_add_byte(w->out, ':');
    if (w->indent > 0) str_add_byte(w->out, ' ');
    w->after_key = true;
}

void json_put_string(JsonWriter *w, Str s) {
    begin_item(w);
    add_string(w->out, s);
}

void json_put_integer(JsonWriter *w, int64_t value) {
    begin_item(w);
    str_add_format(w->out, "%" PRId64, value);
}

// Puts a point where the host's locale has put something else, perhaps of several bytes.
static Str with_point(char *text) {
    size_t n = strlen(text), digits = strspn(text, "-0123456789"), to = digits;
    size_t from = digits + strcspn(text + digits, "e0123456789");
    if (from > digits) text[to++] = '.';
    memmove(text + to, text + from, n - from + 1);
    return str_from(text);
}

void json_put_number(JsonWriter *w, double value) {
    if (!isfinite(value)) {
        json_put_null(w);
        return;
    }
    begin_item(w);
    if (value == trunc(value) && fabs(value) < 1e18) {
        str_add_format(w->out, "%.0f", value);
        return;
    }
    // A decimal of up to 15 digits survives the way through a normal double, so nothing shorter is
    // to be tried; subnormal ones have fewer.  17 digits tell all doubles apart.
    char text[64];
    Str shortest = {0};
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        shortest = with_point(text);
        double back;
        if (str_number(shortest, &back) && back == value) break;
    }
    str_add(w->out, shortest);
}

void json_put_bool(JsonWriter *w, bool value) {
    begin_item(w);
    str_add_c(w->out, value ? "true" : "false");
}

void json_put_null(JsonWriter *w) {
    begin_item(w);
    str_add_c(w->out, "null");
}

void json_put_text(JsonWriter *w, Str json) {
    begin_item(w);
    str_add(w->out, json);
}
