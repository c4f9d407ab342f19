// passages.c - cutting texts into documents, and sentences out of these.
#include "cli/passages.h"

#include "base/file.h"
#include "base/rng.h"
#include "world/world.h"

enum {
    FILE_BYTES_MAX = 64 << 20,
    PASSAGE_BYTES = 1500, // a longer paragraph is cut
    SENTENCE_LEAST = 8,   // bytes
    SENTENCE_MOST = 90,
    TRIES = 200
};

Passages passages_of_world(Arena *arena, uint64_t seed, int64_t n) {
    WorldSpec spec = world_default();
    spec.seed = seed;
    spec.split = SPLIT_VALID;
    World *world = world_make(arena, spec);
    Passages p = {arena_new(arena, Str, n), n};
    for (int64_t i = 0; i < n; i++)
        p.text[i] = str_copy(arena, record_text(world_document(world, i)));
    return p;
}

// The next piece of at most PASSAGE_BYTES, which ends at the last blank in it, or else before a
// whole character.
static Str next_piece(Str *paragraph) {
    size_t n = paragraph->n;
    if (n > PASSAGE_BYTES) {
        size_t blank = PASSAGE_BYTES;
        while (blank > 0 && paragraph->data[blank] != ' ') blank--;
        n = blank ? blank : PASSAGE_BYTES;
        while (n > 1 && ((unsigned char)paragraph->data[n] & 0xC0) == 0x80) n--;
    }
    Str piece = str_slice(*paragraph, 0, n);
    *paragraph = str_slice(*paragraph, n, paragraph->n);
    return piece;
}

bool passages_of_file(Arena *arena, const char *path, Passages *p, Error *err) {
    Str text;
    if (!file_read(arena, path, FILE_BYTES_MAX, &text, err)) return false;
    size_t most = text.n / 2 + 1; // a paragraph of one byte and the empty line behind it
    if (!arena_fits(arena, most * sizeof(Str)))
        return error_set(err, ERROR_LIMIT, "%s: too long for the memory here", path);
    *p = (Passages){arena_new(arena, Str, most), 0};
    while (text.n) {
        size_t end = str_find(text, STR("\n\n"), 0);
        Str paragraph = str_trim(str_slice(text, 0, end));
        text = str_slice(text, end == SIZE_MAX ? text.n : end + 2, text.n);
        while (paragraph.n) p->text[p->n++] = next_piece(&paragraph);
    }
    return p->n > 0 || error_set(err, ERROR_USAGE, "%s: no text in it", path);
}

// Bytes up to the end of the first sentence; 0: it does not end.
static size_t sentence_end(Str s) {
    static const char *const marks[] = {". ",           "! ",           "? ",
                                        "\xe3\x80\x82", "\xef\xbc\x81", "\xef\xbc\x9f"};
    size_t first = 0;
    for (int i = 0; i < 6; i++) {
        Str mark = str_from(marks[i]);
        size_t at = str_find(s, mark, 0);
        if (at == SIZE_MAX) continue;
        at += mark.n == 2 ? 1 : mark.n;
        if (first == 0 || at < first) first = at;
    }
    return first;
}

Str passages_sentence(const Passages *p, Arena *arena, uint64_t seed, Str text) {
    Rng rng = rng_seed(seed);
    bool begins_word = text.n && ((text.data[0] | 32) >= 'a' && (text.data[0] | 32) <= 'z');
    for (int i = 0; i < TRIES; i++) {
        Str s = p->text[rng_below(&rng, (uint64_t)p->n)];
        size_t end = sentence_end(s);
        if (end < SENTENCE_LEAST || end > SENTENCE_MOST) continue;
        return str_printf(arena, "%.*s%s", STR_ARG(str_slice(s, 0, end)), begins_word ? " " : "");
    }
    return STR("");
}
