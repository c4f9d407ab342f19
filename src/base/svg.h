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

#endif
