// part.h - a part of the text on its way through a tokenizer, and where each of its bytes came
// from.
//
// Normalisers and some splitters change text (a space becomes U+2581, letters compose); tokens are
// reported as bytes of the text that was given.  A changed part carries two maps for that; a part
// that is a plain piece of the text, the usual case, carries none.
#ifndef HEED_TEXT_PART_H
#define HEED_TEXT_PART_H

#include "base/str.h"
#include "text/pretokenize.h"
#include "unicode/unicode.h"

typedef struct Part {
    Str text;
    int32_t base;        // without maps: byte i of the part is byte base + i of the original
    const int32_t *from; // (text.n) byte i comes from the original bytes from[i] .. to[i]-1;
    const int32_t *to;   // equal for what was put in.  NULL: no maps
} Part;

Part part_slice(Part part, int64_t from, int64_t to);
// The original bytes of part[from, to), from < to.
static inline int32_t part_from(const Part *p, int64_t from) {
    return p->from ? p->from[from] : p->base + (int32_t)from;
}
static inline int32_t part_to(const Part *p, int64_t to) {
    return p->to ? p->to[to - 1] : p->base + (int32_t)to;
}

// ---- one step that changes text: a normaliser of tokenizer.json

typedef enum RewriteKind {
    REWRITE_PREPEND,       // content in front of every part that is not empty
    REWRITE_PREPEND_ONCE,  // the same unless the part starts with it
    REWRITE_PREPEND_FIRST, // the same, and only where the text begins
    REWRITE_REPLACE,       // each `pattern` by content
    REWRITE_REPLACE_MATCH, // each match of `splitter` by content
    REWRITE_STRIP_LEFT,    // white space at the start
    REWRITE_STRIP_RIGHT,
    REWRITE_LOWERCASE,
    REWRITE_NORMAL_FORM,      // `form`
    REWRITE_CLEAN,            // BERT: control characters dropped, white space is a space
    REWRITE_SPACE_IDEOGRAPHS, // BERT: a space on both sides of each
    REWRITE_DROP_MARKS        // nonspacing marks (Mn), which NFD has parted from their letters
} RewriteKind;

typedef struct Rewrite {
    RewriteKind kind;
    Str pattern, content;
    const Splitter *splitter;
    NormalForm form;
} Rewrite;

// Applies a step.  The result lives in `arena` or is the part itself.  ERROR_LIMIT if the arena has
// not the room: what a step makes of a text is bounded only by the tokenizer's own texts.
MUST_USE bool part_rewrite(const Rewrite *step, Arena *arena, Part *part, Error *err);

// `count` times `bytes` from the arena, or NULL and ERROR_LIMIT: for memory whose size depends on
// the text.
MUST_USE void *part_push(Arena *arena, size_t count, size_t bytes, Error *err);

#endif
