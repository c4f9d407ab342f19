// screen.c - text where people read it: escaped, wrapped, without what could rewrite the screen.
#include "cli/screen.h"

#include <stdio.h>
#include <unistd.h>

#include "base/term.h"
#include "base/utf8.h"

// C0 and C1 controls: a terminal obeys some of them.
static bool is_control(int32_t letter) {
    return (letter >= 0 && letter < 0x20) || (letter >= 0x7f && letter < 0xa0);
}

Str screen_visible(Arena *arena, Str text) {
    StrBuilder out = str_builder(arena);
    while (text.n) {
        int length;
        int32_t c = utf8_decode(text, &length);
        if (c == '\n')
            str_add_c(&out, "\\n");
        else if (c == '\t')
            str_add_c(&out, "\\t");
        else if (c == '\r')
            str_add_c(&out, "\\r");
        else if (is_control(c))
            str_add_format(&out, "\\u%04x", (unsigned)c);
        else if (c < 0)
            for (int i = 0; i < length; i++)
                str_add_format(&out, "\\x%02x", (unsigned char)text.data[i]);
        else
            str_add(&out, str_slice(text, 0, (size_t)length));
        text = str_slice(text, (size_t)length, text.n);
    }
    return str_built(&out);
}

const char *screen_shade(double share) {
    if (share >= 0.75) return "\xe2\x96\x88\xe2\x96\x88"; // full
    if (share >= 0.40) return "\xe2\x96\x93\xe2\x96\x93"; // dark
    if (share >= 0.15) return "\xe2\x96\x92\xe2\x96\x92"; // medium
    if (share >= 0.03) return "\xe2\x96\x91\xe2\x96\x91"; // light
    return " \xc2\xb7";
}

bool screen_print(Str text) {
    if (!term_is_terminal(STDOUT_FILENO)) {
        fwrite(text.data, 1, text.n, stdout);
    } else {
        for (size_t i = 0; i < text.n;) {
            int length;
            int32_t letter = utf8_decode(str_slice(text, i, text.n), &length);
            if (!is_control(letter) || letter == '\n' || letter == '\t')
                fwrite(text.data + i, 1, (size_t)length, stdout);
            i += (size_t)length;
        }
    }
    return fflush(stdout) == 0 && !ferror(stdout);
}

void screen_wrap(StrBuilder *out, Str text, int at, int indent, int columns) {
    bool is_first = true;
    while (text.n) {
        size_t space = str_find(text, STR(" "), 0);
        Str word = str_slice(text, 0, space);
        int width = term_width(word);
        if (!is_first && at + 1 + width > columns) {
            str_add_format(out, "\n%*s", indent, "");
            at = indent;
        } else if (!is_first) {
            str_add_byte(out, ' ');
            at++;
        }
        is_first = false;
        str_add(out, word);
        at += width;
        text = space == SIZE_MAX ? STR("") : str_slice(text, space + 1, text.n);
    }
    str_add_byte(out, '\n');
}
