// normalize.c - decompose, order the marks, compose: Unicode 16.0, section 3.11.
//
// A text is cut before each character that the form certainly leaves alone (a starter that neither
// changes nor composes with what stands before it).  The segments between such places are
// normalised one by one; most consist of one character and are copied.
#include "unicode/normalize.h"

#include <string.h>

#include "base/utf8.h"

Str normal_form_name(NormalForm form) {
    static const char *const names[] = {"NFC", "NFD", "NFKC", "NFKD"};
    return str_from(names[form]);
}

bool normal_form_named(Str name, NormalForm *form) {
    for (NormalForm f = NORMAL_NFC; f <= NORMAL_NFKD; f++) {
        *form = f;
        if (str_equal(name, normal_form_name(f))) return true;
    }
    return false;
}

// A character of a segment after decomposition.
typedef struct Item {
    int32_t code_point; // negative: the ill-formed byte -1 - code_point
    int32_t combining;
    int64_t from, to; // in the source
} Item;

typedef struct Normalizer {
    NormalForm form;
    bool is_compatible, composes;
    Str source;
    Item *item, *spare; // (n_items_max) those of one segment; room for sorting them
    int64_t n_items;
    Normalized result;
    char *out;
    size_t n_out;
} Normalizer;

// The character at a place; ill-formed parts give their bytes one by one.
static int32_t read_character(Str text, int64_t at, int *length) {
    if ((unsigned char)text.data[at] < 128) {
        *length = 1;
        return text.data[at];
    }
    int32_t c = utf8_decode(str_slice(text, (size_t)at, text.n), length);
    if (c >= 0) return c;
    *length = 1;
    return -1 - (unsigned char)text.data[at];
}

static bool is_boundary(int32_t c, NormalForm form) {
    return c < 128 || (unicode_combining(c) == 0 && !unicode_may_change(c, form));
}

bool normalize_is_done(Str text, NormalForm form) {
    int last_combining = 0, length;
    for (int64_t at = 0; at < (int64_t)text.n; at += length) {
        int32_t c = read_character(text, at, &length);
        if (c < 128) {
            last_combining = 0;
            continue;
        }
        int combining = unicode_combining(c);
        if (unicode_may_change(c, form) || (combining && combining < last_combining)) return false;
        last_combining = combining;
    }
    return true;
}

static int64_t segment_end(Str text, int64_t at, NormalForm form) {
    int length;
    read_character(text, at, &length);
    for (at += length; at < (int64_t)text.n; at += length) {
        if (is_boundary(read_character(text, at, &length), form)) break;
    }
    return at;
}

// ---- one segment

static void segment_decompose(Normalizer *z, int64_t from, int64_t to) {
    z->n_items = 0;
    int length;
    for (int64_t at = from; at < to; at += length) {
        int32_t c = read_character(z->source, at, &length), part[UNICODE_DECOMPOSITION_MAX];
        int n = unicode_decompose(c, z->is_compatible, part);
        for (int i = 0; i < n; i++) {
            z->item[z->n_items++] = (Item){part[i], unicode_combining(part[i]), at, at + length};
        }
    }
}

// Sorts a run of marks by combining class, keeping the order of equals: merge sort from below.
static void sort_marks(Item *item, Item *spare, int64_t n) {
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            int64_t middle = low + width < n ? low + width : n;
            int64_t high = low + 2 * width < n ? low + 2 * width : n;
            for (int64_t i = low, j = middle, k = low; k < high; k++) {
                bool left = j == high || (i < middle && item[i].combining <= item[j].combining);
                spare[k] = left ? item[i++] : item[j++];
            }
        }
        memcpy(item, spare, (size_t)n * sizeof *item);
    }
}

static void segment_order(Normalizer *z) {
    for (int64_t i = 0; i < z->n_items; i++) {
        int64_t begin = i;
        bool is_ordered = true;
        while (i < z->n_items && z->item[i].combining) {
            if (i > begin && z->item[i].combining < z->item[i - 1].combining) is_ordered = false;
            i++;
        }
        if (!is_ordered) sort_marks(z->item + begin, z->spare, i - begin);
    }
}

static void widen(Item *item, const Item *by) {
    if (by->from < item->from) item->from = by->from;
    if (by->to > item->to) item->to = by->to;
}

// Joins each character with the last starter, unless a mark of the same or a higher class, or a
// starter, stands between them (then it is blocked).
static void segment_compose(Normalizer *z) {
    int64_t n = 0, starter = -1;
    int last_combining = 0; // of the last character kept behind the starter
    for (int64_t i = 0; i < z->n_items; i++) {
        Item c = z->item[i];
        bool is_adjacent = starter >= 0 && n == starter + 1;
        if (starter >= 0 && (is_adjacent || last_combining < c.combining)) {
            int32_t composite = unicode_compose(z->item[starter].code_point, c.code_point);
            if (composite >= 0) {
                z->item[starter].code_point = composite;
                widen(&z->item[starter], &c);
                continue;
            }
        }
        if (c.combining == 0) starter = n;
        last_combining = c.combining;
        z->item[n++] = c;
    }
    z->n_items = n;
}

// Ordering and composing mix the places of characters: make them grow along the segment again.
static void segment_straighten(Normalizer *z) {
    for (int64_t i = 1; i < z->n_items; i++) {
        if (z->item[i].to < z->item[i - 1].to) z->item[i].to = z->item[i - 1].to;
    }
    for (int64_t i = z->n_items - 1; i > 0; i--) {
        if (z->item[i - 1].from > z->item[i].from) z->item[i - 1].from = z->item[i].from;
    }
}

static void segment_write(Normalizer *z) {
    for (int64_t i = 0; i < z->n_items; i++) {
        const Item *item = &z->item[i];
        int n = 1;
        if (item->code_point < 0)
            z->out[z->n_out] = (char)(-1 - item->code_point);
        else
            n = utf8_encode(item->code_point, z->out + z->n_out);
        for (int j = 0; j < n; j++, z->n_out++) {
            z->result.from[z->n_out] = item->from;
            z->result.to[z->n_out] = item->to;
        }
    }
}

// ---- the whole text

// Counts what the decomposed text takes: its bytes, and the items of its longest segment.
static size_t measure(const Normalizer *z, int64_t *n_items_max) {
    size_t bytes = 0;
    int length;
    int64_t n_items = 0;
    *n_items_max = 0;
    for (int64_t at = 0; at < (int64_t)z->source.n; at += length) {
        int32_t c = read_character(z->source, at, &length), part[UNICODE_DECOMPOSITION_MAX];
        if (is_boundary(c, z->form)) n_items = 0;
        int n = unicode_decompose(c, z->is_compatible, part);
        char encoded[4];
        for (int i = 0; i < n; i++) bytes += c < 0 ? 1 : (size_t)utf8_encode(part[i], encoded);
        n_items += n;
        if (n_items > *n_items_max) *n_items_max = n_items;
    }
    return bytes;
}

Normalized normalize(Arena *arena, Str source, NormalForm form) {
    if (normalize_is_done(source, form)) return (Normalized){.text = source};
    Normalizer z = {.form = form, .source = source};
    z.is_compatible = form == NORMAL_NFKC || form == NORMAL_NFKD;
    z.composes = form == NORMAL_NFC || form == NORMAL_NFKC;
    int64_t n_items_max;
    // Composing never makes a text longer, so the decomposed length bounds the result.
    size_t bytes = measure(&z, &n_items_max);
    z.out = arena_push(arena, bytes + 1);
    z.result.from = arena_push(arena, bytes * sizeof(int64_t));
    z.result.to = arena_push(arena, bytes * sizeof(int64_t));
    ArenaMark mark = arena_mark(arena);
    z.item = arena_push(arena, (size_t)n_items_max * sizeof *z.item);
    z.spare = arena_push(arena, (size_t)n_items_max * sizeof *z.spare);
    for (int64_t at = 0; at < (int64_t)source.n;) {
        int64_t end = segment_end(source, at, form);
        segment_decompose(&z, at, end);
        segment_order(&z);
        if (z.composes) segment_compose(&z);
        segment_straighten(&z);
        segment_write(&z);
        at = end;
    }
    arena_back(arena, mark);
    z.out[z.n_out] = '\0';
    z.result.text = (Str){z.out, z.n_out};
    return z.result;
}
