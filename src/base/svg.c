// svg.c - text for XML.
#include "base/svg.h"

#include "base/utf8.h"

void svg_add_text(StrBuilder *out, Str text) {
    while (text.n) {
        int length;
        int32_t c = utf8_decode(text, &length);
        if (c == '&')
            str_add_c(out, "&amp;");
        else if (c == '<')
            str_add_c(out, "&lt;");
        else if (c == '>')
            str_add_c(out, "&gt;");
        else if (c < 0x20 || c == 0xfffe || c == 0xffff)
            str_add_c(out, "\xef\xbf\xbd");
        else
            str_add(out, str_slice(text, 0, (size_t)length));
        text = str_slice(text, (size_t)length, text.n);
    }
}
