// svg.h - what drawings share: their type, and text that XML allows.
#ifndef HEED_BASE_SVG_H
#define HEED_BASE_SVG_H

#include "base/str.h"

// Each system's own text face, then those for Chinese, as a CSS value.
#define SVG_FONT                                                                  \
    "-apple-system,BlinkMacSystemFont,'Segoe UI','Helvetica Neue','Noto Sans',"   \
    "'Liberation Sans',Arial,'PingFang SC','Microsoft YaHei','Noto Sans CJK SC'," \
    "'Source Han Sans SC',system-ui,sans-serif"

// Markup escaped; what XML does not allow becomes U+FFFD.
void svg_add_text(StrBuilder *out, Str text);

// The start of a document; "</svg>" ends it.
typedef struct SvgHead {
    double width, height;
    Str title, words;  // what it is called, and shows for those who cannot see it
    const char *style; // CSS; the ground has the class "sheet"
} SvgHead;
void svg_begin(StrBuilder *out, SvgHead head);

#endif
