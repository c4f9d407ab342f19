// attention_svg.h - a drawing of an attention map: who looks at whom, as a page can show it.
//
// One list of tokens stands in the middle.  On its left arcs run from each token to those that it
// looks at, as thick as the weight; on its right lies the matrix, the looking token in its row, the
// token looked at in its column, a square's area showing the weight.  Below, the same in words.
//
// The text is live (it can be searched, read aloud and copied), colours follow the reader's light
// or dark preference, and squares tell their numbers when pointed at.
#ifndef HEED_LOOK_ATTENTION_SVG_H
#define HEED_LOOK_ATTENTION_SVG_H

#include "look/attention.h"

enum { ATTENTION_SVG_TOKENS_MAX = 256 };

// The colours of all drawings of attention.
extern const char attention_style[];

// Adds a whole SVG document.  ERROR_LIMIT for more tokens than a drawing can show.
MUST_USE bool attention_svg(StrBuilder *out, const AttentionMap *map, Error *err);

#endif
