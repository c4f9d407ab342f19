// part.c - the steps that change text, each in two passes: how long the result is, then the result.
//
// What replaces a range of bytes maps to the whole of that range; what is put in front maps to the
// empty range before the part.
#include "text/part.h"

#include <string.h>

#include "base/utf8.h"
#include "text/wordpiece.h"
#include "unicode/normalize.h"
#include "unicode/unicode.h"

void *part_push(Arena *arena, size_t count, size_t bytes, Error *err) {
    if (count > SIZE_MAX / bytes || !arena_fits(arena, count * bytes)) {
        error_set(err, ERROR_LIMIT,
                  "text too long to encode at once: %zu times %zu bytes of memory wanted, %zu left",
                  count, bytes, arena->reserved - arena->used);
        return NULL;
    }
    return arena_push(arena, count * bytes);
}

Part part_slice(Part part, int64_t from, int64_t to) {
    require(0 <= from && from <= to && to <= (int64_t)part.text.n);
    return (Part){.text = {part.text.data + from, (size_t)(to - from)},
                  .base = part.base + (int32_t)from,
                  .from = part.from ? part.from + from : NULL,
                  .to = part.to ? part.to + from : NULL};
}

// ---- the text being made

typedef struct Made {
    const Part *source;
    char *text;
    int32_t *from, *to;
    int64_t n, room;
} Made;

static bool made_open(Made *made, Arena *arena, const Part *source, int64_t room, Error *err) {
    if (room > INT32_MAX / 2)
        return error_set(err, ERROR_LIMIT, "normalised text too long: %lld bytes", (long long)room);
    *made = (Made){.source = source, .room = room};
    made->text = part_push(arena, (size_t)room + 1, 1, err);
    if (!made->text) return false;
    made->from = part_push(arena, (size_t)room + 1, sizeof(int32_t), err);
    if (!made->from) return false;
    made->to = part_push(arena, (size_t)room + 1, sizeof(int32_t), err);
    return made->to != NULL;
}

// Bytes of the source as they are.
static void made_copy(Made *made, int64_t from, int64_t to) {
    require(made->n + (to - from) <= made->room);
    memcpy(made->text + made->n, made->source->text.data + from, (size_t)(to - from));
    for (int64_t i = from; i < to; i++, made->n++) {
        made->from[made->n] = part_from(made->source, i);
        made->to[made->n] = part_to(made->source, i + 1);
    }
}

// `content` for the bytes from .. to-1 of the source.
static void made_put(Made *made, Str content, int64_t from, int64_t to) {
    require(made->n + (int64_t)content.n <= made->room);
    const Part *source = made->source;
    int64_t n = (int64_t)source->text.n;
    int32_t start = from < n ? part_from(source, from) : part_to(source, n);
    int32_t end = to > from ? part_to(source, to) : start;
    memcpy(made->text + made->n, content.data, content.n);
    for (size_t i = 0; i < content.n; i++, made->n++) {
        made->from[made->n] = start;
        made->to[made->n] = end;
    }
}

static Part made_part(const Made *made) {
    return (Part){.text = {made->text, (size_t)made->n}, .from = made->from, .to = made->to};
}

// ---- steps

static bool prepend(const Rewrite *step, Arena *arena, Part *part, Error *err) {
    if (part->text.n == 0) return true;
    if (step->kind != REWRITE_PREPEND && str_starts(part->text, step->content)) return true;
    if (step->kind == REWRITE_PREPEND_FIRST && part_from(part, 0) != 0) return true;
    Made made;
    int64_t n = (int64_t)part->text.n;
    if (!made_open(&made, arena, part, n + (int64_t)step->content.n, err)) return false;
    made_put(&made, step->content, 0, 0);
    made_copy(&made, 0, n);
    *part = made_part(&made);
    return true;
}

// The next place of a pattern, text.n if there is none.
static size_t find_from(Str text, Str pattern, size_t from) {
    if (pattern.n == 1) {
        const char *at =
            from < text.n ? memchr(text.data + from, pattern.data[0], text.n - from) : NULL;
        return at ? (size_t)(at - text.data) : text.n;
    }
    size_t at = str_find(text, pattern, from);
    return at == SIZE_MAX ? text.n : at;
}

static bool replace(const Rewrite *step, Arena *arena, Part *part, Error *err) {
    Str text = part->text;
    int64_t count = 0;
    for (size_t at = find_from(text, step->pattern, 0); at < text.n;
         at = find_from(text, step->pattern, at + step->pattern.n))
        count++;
    if (count == 0) return true;
    Made made;
    int64_t growth = (int64_t)step->content.n - (int64_t)step->pattern.n;
    if (!made_open(&made, arena, part, (int64_t)text.n + count * growth, err)) return false;
    size_t done = 0;
    for (size_t at = find_from(text, step->pattern, 0); at < text.n;
         at = find_from(text, step->pattern, done)) {
        made_copy(&made, (int64_t)done, (int64_t)at);
        done = at + step->pattern.n;
        made_put(&made, step->content, (int64_t)at, (int64_t)done);
    }
    made_copy(&made, (int64_t)done, (int64_t)text.n);
    *part = made_part(&made);
    return true;
}

// The splitter drops the matches; what it drops is replaced.
static bool replace_matches(const Rewrite *step, Arena *arena, Part *part, Error *err) {
    size_t n = part->text.n;
    if (n == 0) return true;
    int64_t *ends = part_push(arena, n, sizeof(int64_t), err);
    bool *dropped = part_push(arena, n, 1, err);
    if (!ends || !dropped) return false;
    int64_t n_pieces = splitter_cut(step->splitter, part->text, ends, dropped);
    if (n_pieces < 0)
        return error_set(err, ERROR_LIMIT, "a pattern to replace takes too long on this text");
    int64_t room = 0;
    for (int64_t i = 0; i < n_pieces; i++)
        room += dropped[i] ? (int64_t)step->content.n : ends[i] - (i > 0 ? ends[i - 1] : 0);
    Made made;
    if (!made_open(&made, arena, part, room, err)) return false;
    for (int64_t i = 0, start = 0; i < n_pieces; start = ends[i++]) {
        if (dropped[i])
            made_put(&made, step->content, start, ends[i]);
        else
            made_copy(&made, start, ends[i]);
    }
    *part = made_part(&made);
    return true;
}

static bool is_space(int32_t c) {
    return (unicode_class(c) & UNICODE_WHITE_SPACE) != 0;
}

static void strip_left(Part *part) {
    int64_t at = 0;
    int length = 0;
    while (at < (int64_t)part->text.n &&
           is_space(utf8_decode(str_slice(part->text, (size_t)at, part->text.n), &length)))
        at += length;
    *part = part_slice(*part, at, (int64_t)part->text.n);
}

static void strip_right(Part *part) {
    int64_t n = (int64_t)part->text.n;
    int64_t end = n;
    // White space is at most three bytes long, so the start of the last character is near.
    for (int64_t at = n - 1; at >= 0 && at >= end - 3; at--) {
        if (((unsigned char)part->text.data[at] & 0xC0) == 0x80) continue;
        int length = 0;
        Str rest = str_slice(part->text, (size_t)at, (size_t)end);
        int32_t c = utf8_decode(rest, &length);
        if (c < 0 || (size_t)length != rest.n || !is_space(c)) break;
        end = at;
    }
    *part = part_slice(*part, 0, end);
}

// ---- steps that look at one character at a time

enum { CHARACTER_ROOM = 8 };

// Lowercase.  Only U+0130 becomes two.
static Str lower(int32_t c, Str self, char out[CHARACTER_ROOM]) {
    (void)self;
    size_t n = c == 0x130 ? 1 : (size_t)utf8_encode(unicode_lower(c), out);
    if (c == 0x130) {
        out[0] = 'i';
        n += (size_t)utf8_encode(0x307, out + 1);
    }
    return (Str){out, n};
}

// As BERT cleans: U+0000, U+FFFD, control, format and private characters go; what is left of the
// white space is a space.
static Str clean(int32_t c, Str self, char out[CHARACTER_ROOM]) {
    const uint32_t gone = UNICODE_CC | UNICODE_CF | UNICODE_CO;
    (void)out;
    uint32_t classes = unicode_class(c);
    if (c == '\t' || c == '\n' || c == '\r') return STR(" ");
    if (c == 0xFFFD || (classes & gone)) return STR("");
    return classes & UNICODE_WHITE_SPACE ? STR(" ") : self;
}

static Str space_ideograph(int32_t c, Str self, char out[CHARACTER_ROOM]) {
    if (!wordpiece_is_ideograph(c)) return self;
    out[0] = out[self.n + 1] = ' ';
    memcpy(out + 1, self.data, self.n);
    return (Str){out, self.n + 2};
}

static Str drop_mark(int32_t c, Str self, char out[CHARACTER_ROOM]) {
    (void)out;
    return unicode_class(c) & UNICODE_MN ? STR("") : self;
}

// What becomes of the character c, which is written as `self`: itself, or a text in `out`.
typedef Str Mapping(int32_t c, Str self, char out[CHARACTER_ROOM]);

static bool map_characters(Mapping *mapping, Arena *arena, Part *part, Error *err) {
    Str text = part->text;
    Made made = {0};
    // The first pass adds up how long the result is, the second writes it.
    for (int pass = 0; pass < 2; pass++) {
        int64_t room = 0;
        bool changes = false;
        for (int64_t i = 0, end; i < (int64_t)text.n; i = end) {
            int length = 0;
            char out[CHARACTER_ROOM];
            int32_t c = utf8_decode(str_slice(text, (size_t)i, text.n), &length);
            end = i + length;
            Str self = str_slice(text, (size_t)i, (size_t)end);
            Str now = c < 0 ? self : mapping(c, self, out);
            room += (int64_t)now.n;
            bool is_same = str_equal(now, self);
            changes |= !is_same;
            if (pass == 1 && is_same)
                made_copy(&made, i, end);
            else if (pass == 1)
                made_put(&made, now, i, end);
        }
        if (pass == 0 && !changes) return true;
        if (pass == 0 && !made_open(&made, arena, part, room, err)) return false;
    }
    *part = made_part(&made);
    return true;
}

// What normalize() takes of the arena at most for each byte of text.  Text and maps are 17 bytes a
// byte, a character under work is 48; NFC and NFD make at most 3 bytes of one and 2 characters of 1
// byte, the compatible forms 11 and 6.
enum { CANONICAL_SCRATCH = 3 * 17 + 2 * 48, COMPATIBLE_SCRATCH = 11 * 17 + 6 * 48 };

static bool normal_form(NormalForm form, Arena *arena, Part *part, Error *err) {
    if (normalize_is_done(part->text, form)) return true;
    bool is_canonical = form == NORMAL_NFC || form == NORMAL_NFD;
    ArenaMark mark = arena_mark(arena);
    size_t scratch = is_canonical ? CANONICAL_SCRATCH : COMPATIBLE_SCRATCH;
    if (!part_push(arena, part->text.n + 8, scratch, err)) return false;
    arena_back(arena, mark);
    Normalized now = normalize(arena, part->text, form);
    if (!now.from) return true;
    // The maps lead to bytes of the part; what is wanted are bytes of the original.
    int32_t *from = part_push(arena, now.text.n, sizeof *from, err);
    int32_t *to = part_push(arena, now.text.n, sizeof *to, err);
    if (!from || !to) return false;
    for (size_t i = 0; i < now.text.n; i++) {
        from[i] = part_from(part, now.from[i]);
        to[i] = part_to(part, now.to[i]);
    }
    *part = (Part){.text = now.text, .from = from, .to = to};
    return true;
}

bool part_rewrite(const Rewrite *step, Arena *arena, Part *part, Error *err) {
    switch (step->kind) {
    case REWRITE_PREPEND:
    case REWRITE_PREPEND_ONCE:
    case REWRITE_PREPEND_FIRST: return prepend(step, arena, part, err);
    case REWRITE_REPLACE: return replace(step, arena, part, err);
    case REWRITE_REPLACE_MATCH: return replace_matches(step, arena, part, err);
    case REWRITE_STRIP_LEFT: strip_left(part); return true;
    case REWRITE_STRIP_RIGHT: strip_right(part); return true;
    case REWRITE_LOWERCASE: return map_characters(lower, arena, part, err);
    case REWRITE_CLEAN: return map_characters(clean, arena, part, err);
    case REWRITE_SPACE_IDEOGRAPHS: return map_characters(space_ideograph, arena, part, err);
    case REWRITE_DROP_MARKS: return map_characters(drop_mark, arena, part, err);
    case REWRITE_NORMAL_FORM: return normal_form(step->form, arena, part, err);
    }
    return true;
}
