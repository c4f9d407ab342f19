// characters.c - a character has at most four bytes, so the last three bytes of a text tell how it
// may go on.
#include "generate/characters.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

enum { OPEN_MOST = 3 }; // bytes of a character that is not whole yet

static bool is_continuation(char byte) {
    return ((unsigned char)byte & 0xC0) == 0x80;
}

// UTF-8, but for a character that may be cut at the end.
static bool is_prefix(Str text) {
    return utf8_valid(str_slice(text, 0, utf8_complete_prefix(text)));
}

void characters_init(Characters *c, Arena *arena, const Tokenizer *tokenizer, int64_t n_vocab) {
    *c = (Characters){.tokenizer = tokenizer,
                      .n_vocab = n_vocab,
                      .begins = arena_new(arena, bool, n_vocab),
                      .goes_on = arena_new(arena, bool, n_vocab)};
    for (int64_t i = 0; i < n_vocab; i++) {
        Str piece = STR("");
        if (i < tokenizer_size(tokenizer)) piece = tokenizer_piece(tokenizer, (int32_t)i, false);
        c->begins[i] = is_prefix(piece);
        c->goes_on[i] = piece.n > 0 && is_continuation(piece.data[0]);
    }
}

// The bytes of the character inside which a text ends.
typedef struct Open {
    char byte[OPEN_MOST + 1];
    size_t n;
} Open;

static Open open_character(const Characters *c, const int32_t *history, int64_t n_history) {
    char last[OPEN_MOST];
    size_t n = 0; // from the end
    for (int64_t i = n_history - 1; i >= 0 && n < OPEN_MOST; i--) {
        if (history[i] >= tokenizer_size(c->tokenizer)) break;
        Str piece = tokenizer_piece(c->tokenizer, history[i], false);
        if (piece.n == 0) break;
        for (size_t j = piece.n; j > 0 && n < OPEN_MOST; j--)
            last[OPEN_MOST - ++n] = piece.data[j - 1];
    }
    Open open = {.n = 0};
    for (size_t from = OPEN_MOST - n; from < OPEN_MOST; from++) {
        if (is_continuation(last[from])) continue;
        Str rest = {last + from, OPEN_MOST - from};
        if (utf8_complete_prefix(rest) > 0) continue;
        open.n = rest.n;
        memcpy(open.byte, rest.data, rest.n);
        break;
    }
    return open;
}

// May the piece follow the open character?
static bool follows(Open open, Str piece) {
    size_t k = 0;
    while (k < piece.n && open.n < sizeof open.byte && is_continuation(piece.data[k]))
        open.byte[open.n++] = piece.data[k++];
    Str head = {open.byte, open.n};
    int length;
    if (utf8_decode(head, &length) >= 0)
        return (size_t)length == head.n && is_prefix(str_slice(piece, k, piece.n));
    return k == piece.n && utf8_complete_prefix(head) == 0;
}

static bool may_follow(const Characters *c, Open open, int64_t id) {
    if (open.n == 0) return c->begins[id];
    return c->goes_on[id] && follows(open, tokenizer_piece(c->tokenizer, (int32_t)id, false));
}

int64_t characters_forbid(const Characters *c, const int32_t *history, int64_t n_history,
                          double *logit) {
    Open open = open_character(c, history, n_history);
    bool any = false;
    for (int64_t i = 0; i < c->n_vocab && !any; i++)
        any = logit[i] > -HUGE_VAL && may_follow(c, open, i);
    if (!any) return 0;
    int64_t n = 0;
    for (int64_t i = 0; i < c->n_vocab; i++) {
        if (may_follow(c, open, i)) continue;
        n += logit[i] > -HUGE_VAL;
        logit[i] = -HUGE_VAL;
    }
    return n;
}
