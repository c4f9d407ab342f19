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

static void add_element(StrBuilder *out, const char *name, const char *id, Str text) {
    str_add_format(out, "<%s id=\"%s\">", name, id);
    svg_add_text(out, text);
    str_add_format(out, "</%s>\n", name);
}

void svg_begin(StrBuilder *out, SvgHead h) {
    str_add_format(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                   "viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"title words\">\n",
                   h.width, h.height, h.width, h.height);
    add_element(out, "title", "title", h.title);
    add_element(out, "desc", "words", h.words);
    str_add_format(out,
                   "<style>%s</style>\n<rect class=\"sheet\" width=\"100%%\" height=\"100%%\"/>\n",
                   h.style);
}
