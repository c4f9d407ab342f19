// bpe.c - the merging of bpe.h.
//
// Short words, nearly all of them, are merged in place by looking for the best pair in a row of at
// most SHORT_MAX orders.  Longer ones use a linked list of symbols and a heap of candidate pairs; a
// candidate whose symbols have been joined otherwise meanwhile is recognised by its end and
// dropped.
#include "text/bpe.h"

#include <string.h>

#include "base/utf8.h"

enum { SHORT_MAX = 24 };

// ---- symbols

int32_t bpe_byte_character(unsigned char byte) {
    if (byte >= 33 && byte <= 126) return byte;
    if (byte >= 161 && byte != 173) return byte;
    if (byte < 33) return 0x100 + byte;
    if (byte == 173) return 0x100 + 67;
    return 0x100 + 33 + (byte - 127);
}

Str bpe_alphabet_bytes(Arena *arena, Str text) {
    char *bytes = arena_push(arena, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n;) {
        int length = 0;
        int32_t c = utf8_decode(str_slice(text, i, text.n), &length);
        int32_t byte = c;
        if (c >= 0x100 + 33 && c < 0x100 + 67)
            byte = c - 0x100 - 33 + 127;
        else if (c >= 0x100 && c < 0x100 + 33)
            byte = c - 0x100;
        else if (c == 0x100 + 67)
            byte = 173;
        if (byte < 0 || byte > 255 || bpe_byte_character((unsigned char)byte) != c) return text;
        bytes[n++] = (char)(unsigned char)byte;
        i += (size_t)length;
    }
    return (Str){bytes, n};
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

int bpe_byte_token(Str text) {
    if (text.n != 6 || memcmp(text.data, "<0x", 3) != 0 || text.data[5] != '>') return -1;
    int high = hex_digit(text.data[3]);
    int low = hex_digit(text.data[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// The length of the character at the start of `s`; an ill-formed byte is one of its own.
static int character_length(Str s) {
    if ((unsigned char)s.data[0] < 0x80) return 1;
    int length = 0;
    return utf8_decode(s, &length) < 0 ? 1 : length;
}

static int32_t character_id(const Bpe *bpe, Str character) {
    int64_t id = map_get(bpe->id_of, character);
    if (id >= 0 && bpe->order[id] == BPE_NEVER) return -1;
    return (int32_t)id;
}

static bool has_all_bytes(const Bpe *bpe, Str s) {
    for (size_t i = 0; i < s.n; i++)
        if (bpe->byte_id[(unsigned char)s.data[i]] < 0) return false;
    return true;
}

// Appends what a character that is no token becomes: byte tokens, the unknown token, or nothing.
static int64_t put_unknown(const Bpe *bpe, Str word, BpePiece at, BpePiece *piece, int64_t n) {
    Str s = str_slice(word, (size_t)at.start, (size_t)at.end);
    if (bpe->has_byte_fallback && has_all_bytes(bpe, s)) {
        for (int32_t i = at.start; i < at.end; i++)
            piece[n++] = (BpePiece){bpe->byte_id[(unsigned char)word.data[i]], i, i + 1};
        return n;
    }
    if (bpe->unknown < 0) return n;
    bool joins = bpe->fuses_unknown && n > 0 && piece[n - 1].id == bpe->unknown &&
                 piece[n - 1].end == at.start;
    if (joins)
        piece[n - 1].end = at.end;
    else
        piece[n++] = (BpePiece){bpe->unknown, at.start, at.end};
    return n;
}

// The code point of the three bytes at `p`, 0 if they are no character of three bytes.
static int32_t three_bytes(const unsigned char *p) {
    if ((p[0] & 0xF0) != 0xE0 || (p[1] & 0xC0) != 0x80 || (p[2] & 0xC0) != 0x80) return 0;
    int32_t c = (p[0] & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F);
    return c < 0x800 || (c >= 0xD800 && c <= 0xDFFF) ? 0 : c;
}

static bool is_continuation(unsigned char byte) {
    return (byte & 0xC0) == 0x80;
}

// The token of the character of three bytes at byte i, -1 if it has none or may not be joined
// before its neighbours.
static int32_t whole_character(const Bpe *bpe, Str word, size_t i) {
    const unsigned char *p = (const unsigned char *)word.data + i;
    if (p[0] < 0xE0 || i + 3 > word.n) return -1;
    int32_t c = three_bytes(p);
    int32_t id = c ? bpe->character[c] : -1;
    if (id < 0) return -1;
    if (i > 0 && bpe->crosses[p[-1] << 8 | p[0]]) return -1;
    if (i + 3 == word.n) return id;
    return is_continuation(p[3]) || bpe->crosses[p[2] << 8 | p[3]] ? -1 : id;
}

static int64_t first_bytes(const Bpe *bpe, Str word, BpePiece *piece) {
    int64_t n = 0;
    for (size_t i = 0; i < word.n;) {
        int32_t id = bpe->character ? whole_character(bpe, word, i) : -1;
        int length = id < 0 ? 1 : 3;
        if (id < 0) id = bpe->byte_id[(unsigned char)word.data[i]];
        BpePiece at = {id, (int32_t)i, (int32_t)i + length};
        if (id >= 0)
            piece[n++] = at;
        else
            n = put_unknown(bpe, word, at, piece, n);
        i += (size_t)length;
    }
    return n;
}

// The symbols before any merge.  With scores an unknown character stays, as id -1, because it may
// be part of a longer token; with ranks only tokens take part in merges, so it is settled here.
static int64_t first_symbols(const Bpe *bpe, Str word, BpePiece *piece) {
    int64_t n = 0;
    if (bpe->is_byte_level) return first_bytes(bpe, word, piece);
    for (size_t i = 0; i < word.n;) {
        Str rest = {word.data + i, word.n - i};
        int length = character_length(rest);
        BpePiece at = {.start = (int32_t)i, .end = (int32_t)i + length};
        at.id = character_id(bpe, (Str){rest.data, (size_t)length});
        if (at.id >= 0 || bpe->is_scored)
            piece[n++] = at;
        else
            n = put_unknown(bpe, word, at, piece, n);
        i += (size_t)length;
    }
    return n;
}

// Settles the unknown characters that scores left: from the back, because pieces multiply.
static int64_t settle_unknown(const Bpe *bpe, Str word, BpePiece *piece, int64_t n) {
    int64_t room = (int64_t)word.n;
    int64_t first = room;
    for (int64_t i = n; i-- > 0;) piece[--first] = piece[i];
    n = 0;
    for (int64_t i = first; i < room; i++) {
        BpePiece at = piece[i];
        if (at.id >= 0)
            piece[n++] = at;
        else
            n = put_unknown(bpe, word, at, piece, n);
    }
    return n;
}

// ---- pairs

static uint32_t score_order(const Bpe *bpe, Str word, BpePiece left, BpePiece right,
                            int32_t *made) {
    size_t n = (size_t)(right.end - left.start);
    if (n > bpe->longest) return BPE_NEVER;
    int64_t id = map_get(bpe->id_of, (Str){word.data + left.start, n});
    if (id < 0) return BPE_NEVER;
    *made = (int32_t)id;
    return bpe->order[id];
}

// What joining two neighbours is worth.  With scores *made is the token that it makes; with ranks
// that is looked up when it comes to it.
static inline uint32_t pair_order(const Bpe *bpe, Str word, const BpePiece *left, int32_t *made) {
    const BpePiece *right = left + 1;
    if (bpe->is_scored) return score_order(bpe, word, *left, *right, made);
    if (bpe->byte_order && right->end - left->start == 2) {
        const unsigned char *p = (const unsigned char *)word.data + left->start;
        return bpe->byte_order[p[0] << 8 | p[1]];
    }
    return (uint32_t)pairs_get(&bpe->merges, left->id, right->id); // -1 is BPE_NEVER
}

static int32_t token_made(const Bpe *bpe, uint32_t order, int32_t made) {
    return bpe->is_scored ? made : bpe->made[order];
}

static int64_t merge_short(const Bpe *bpe, Str word, BpePiece *piece, int64_t n, int64_t *looks) {
    uint32_t order[SHORT_MAX]; // of the pair i, i+1
    int32_t made[SHORT_MAX] = {0};
    if (n < 2) return n;
    for (int64_t i = 0; i + 1 < n; i++) order[i] = pair_order(bpe, word, &piece[i], &made[i]);
    *looks += n - 1;
    while (n > 1) {
        int64_t best = 0;
        for (int64_t i = 1; i + 1 < n; i++)
            if (order[i] < order[best]) best = i;
        if (order[best] == BPE_NEVER) break;
        piece[best].id = token_made(bpe, order[best], made[best]);
        piece[best].end = piece[best + 1].end;
        n--;
        for (int64_t i = best + 1; i < n; i++) piece[i] = piece[i + 1];
        for (int64_t i = best + 1; i + 1 < n; i++) {
            order[i] = order[i + 1];
            made[i] = made[i + 1];
        }
        *looks += (best > 0) + (best + 1 < n);
        if (best > 0) order[best - 1] = pair_order(bpe, word, &piece[best - 1], &made[best - 1]);
        if (best + 1 < n) order[best] = pair_order(bpe, word, &piece[best], &made[best]);
    }
    return n;
}

// ---- long words

typedef struct Candidate {
    uint64_t key; // order, then index of the left symbol: the smallest is merged next
    int32_t end;  // end of the right symbol when it was found
    int32_t made;
} Candidate;

typedef struct Link {
    int32_t previous, next; // indices of symbols, -1 at the ends
} Link;

typedef struct Merging {
    const Bpe *bpe;
    Str word;
    BpePiece *piece; // by index of symbol; end 0: joined to its left neighbour
    Link *link;
    Candidate *heap;
    int64_t n_heap;
    int64_t looks;
} Merging;

static void heap_add(Merging *m, Candidate c) {
    Candidate *heap = m->heap;
    int64_t i = m->n_heap++;
    for (; i > 0 && c.key < heap[(i - 1) / 4].key; i = (i - 1) / 4) heap[i] = heap[(i - 1) / 4];
    heap[i] = c;
}

// Four children a node: half the depth of a binary heap, and siblings share a cache line.
static Candidate heap_take(Merging *m) {
    Candidate *heap = m->heap;
    Candidate top = heap[0];
    int64_t n = --m->n_heap;
    Candidate last = heap[n];
    int64_t i = 0;
    for (int64_t first; (first = 4 * i + 1) < n;) {
        int64_t end = first + 4 < n ? first + 4 : n;
        int64_t least = first;
        for (int64_t child = first + 1; child < end; child++)
            if (heap[child].key < heap[least].key) least = child;
        if (heap[least].key >= last.key) break;
        heap[i] = heap[least];
        i = least;
    }
    heap[i] = last;
    return top;
}

static void consider(Merging *m, int32_t left) {
    int32_t right = m->link[left].next;
    if (right < 0) return;
    int32_t made = 0;
    BpePiece pair[2] = {m->piece[left], m->piece[right]};
    uint32_t order = pair_order(m->bpe, m->word, pair, &made);
    m->looks++;
    if (order == BPE_NEVER) return;
    uint64_t key = (uint64_t)order << 32 | (uint32_t)left;
    heap_add(m, (Candidate){.key = key,
                            .end = m->piece[right].end,
                            .made = token_made(m->bpe, order, made)});
}

// A candidate still holds if its left symbol lives and the next one ends where it ended: a symbol
// only grows to the right, so equal ends mean the same two symbols.
static bool still_holds(const Merging *m, int32_t left, Candidate c) {
    if (m->piece[left].end == 0) return false;
    int32_t right = m->link[left].next;
    return right >= 0 && m->piece[right].end == c.end;
}

static int64_t merge_long(const Bpe *bpe, Arena *arena, Str word, BpePiece *piece, int64_t n,
                          int64_t *looks) {
    ArenaMark mark = arena_mark(arena);
    // Each merge takes one candidate out and puts two in at most, so 2n bounds the heap.
    Merging m = {.bpe = bpe,
                 .word = word,
                 .piece = piece,
                 .link = arena_push(arena, sizeof(Link) * (size_t)n),
                 .heap = arena_push(arena, sizeof(Candidate) * 2 * (size_t)n)};
    for (int64_t i = 0; i < n; i++)
        m.link[i] = (Link){(int32_t)i - 1, i + 1 < n ? (int32_t)i + 1 : -1};
    for (int64_t i = 0; i + 1 < n; i++) consider(&m, (int32_t)i);
    while (m.n_heap > 0) {
        Candidate c = heap_take(&m);
        int32_t left = (int32_t)(c.key & INT32_MAX);
        if (!still_holds(&m, left, c)) continue;
        int32_t right = m.link[left].next;
        int32_t next = m.link[right].next;
        piece[left].id = c.made;
        piece[left].end = c.end;
        piece[right].end = 0;
        m.link[left].next = next;
        if (next >= 0) m.link[next].previous = left;
        if (m.link[left].previous >= 0) consider(&m, m.link[left].previous);
        consider(&m, left);
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (piece[i].end > 0) piece[kept++] = piece[i];
    *looks += m.looks;
    arena_back(arena, mark);
    return kept;
}

int64_t bpe_encode(const Bpe *bpe, Arena *arena, Str word, BpePiece *piece, int64_t *looks) {
    require(word.n > 0 && word.n <= (size_t)1 << 30);
    if (bpe->whole_word && word.n <= bpe->longest) {
        int64_t id = map_get(bpe->whole_word, word);
        if (id >= 0) {
            piece[0] = (BpePiece){(int32_t)id, 0, (int32_t)word.n};
            return 1;
        }
    }
    int64_t n = first_symbols(bpe, word, piece);
    n = n <= SHORT_MAX ? merge_short(bpe, word, piece, n, looks)
                       : merge_long(bpe, arena, word, piece, n, looks);
    return bpe->is_scored ? settle_unknown(bpe, word, piece, n) : n;
}

// ---- what is looked up beforehand

// Whether the last character of a text has all its bytes.
static bool ends_whole(Str text) {
    const unsigned char *p = (const unsigned char *)text.data;
    size_t tail = 1;
    while (tail < text.n && tail < 4 && is_continuation(p[text.n - tail])) tail++;
    int length = 0;
    return utf8_decode(str_slice(text, text.n - tail, text.n), &length) >= 0 &&
           (size_t)length == tail;
}

static bool begins_whole(Str text) {
    int length;
    return utf8_decode(text, &length) >= 0;
}

// Marks the ends of characters that merges can cross before both characters are whole.  The first
// merge to cross such a place has it between its two tokens.
static void mark_crossing(const Bpe *bpe, const Str *piece, uint8_t *crosses) {
    for (uint64_t i = 0; i <= bpe->merges.mask; i++) {
        const PairSlot *slot = &bpe->merges.slot[i];
        if (slot->first_plus_one == 0) continue;
        Str left = piece[slot->first_plus_one - 1], right = piece[slot->second];
        if (left.n == 0 || right.n == 0) continue;
        unsigned char last = (unsigned char)left.data[left.n - 1];
        unsigned char first = (unsigned char)right.data[0];
        if (is_continuation(first) || (ends_whole(left) && begins_whole(right))) continue;
        crosses[last << 8 | first] = 1;
    }
}

// Whether every merge comes behind those that make its two tokens, as in all learnt lists.  Else
// what is joined beforehand could be taken by a merge that should have come too early for it.
static bool is_in_order(const Bpe *bpe, Arena *arena, int64_t n_tokens) {
    ArenaMark mark = arena_mark(arena);
    int32_t *made_at = arena_push(arena, sizeof *made_at * (size_t)n_tokens);
    memset(made_at, -1, sizeof *made_at * (size_t)n_tokens);
    bool is_fine = true;
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i <= bpe->merges.mask; i++) {
            const PairSlot *slot = &bpe->merges.slot[i];
            if (slot->first_plus_one == 0) continue;
            int32_t *at = &made_at[bpe->made[slot->value]];
            if (pass == 0 && *at < slot->value) *at = slot->value;
            if (pass == 1 && (made_at[slot->first_plus_one - 1] >= slot->value ||
                              made_at[slot->second] >= slot->value))
                is_fine = false;
        }
    arena_back(arena, mark);
    return is_fine;
}

static void find_characters(const Bpe *bpe, const Str *piece, int64_t n_tokens,
                            int32_t *character) {
    memset(character, -1, sizeof *character << 16);
    for (int64_t i = 0; i < n_tokens; i++) {
        if (piece[i].n != 3) continue;
        int32_t c = three_bytes((const unsigned char *)piece[i].data);
        if (!c) continue;
        BpePiece made[3];
        int64_t looks = 0, n = first_symbols(bpe, piece[i], made);
        if (n == 3 && merge_short(bpe, piece[i], made, n, &looks) == 1) character[c] = made[0].id;
    }
}

enum { PAIRS = 1 << 16 }; // of bytes; and code points of three bytes at most

size_t bpe_prepare_bytes(int64_t n_tokens) {
    return PAIRS * (sizeof(uint32_t) + sizeof(int32_t) + sizeof(uint8_t)) +
           sizeof(int32_t) * (size_t)n_tokens + 64;
}

void bpe_prepare(Bpe *bpe, Arena *arena, const Str *piece, int64_t n_tokens) {
    uint32_t *byte_order = arena_push(arena, sizeof *byte_order * PAIRS);
    uint8_t *crosses = arena_zero(arena, PAIRS);
    int32_t *character = arena_push(arena, sizeof *character * PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        int32_t left = bpe->byte_id[i >> 8], right = bpe->byte_id[i & 0xFF];
        if (left < 0) left = bpe->unknown;
        if (right < 0) right = bpe->unknown;
        byte_order[i] =
            left < 0 || right < 0 ? BPE_NEVER : (uint32_t)pairs_get(&bpe->merges, left, right);
    }
    bpe->byte_order = byte_order;
    if (!is_in_order(bpe, arena, n_tokens)) return;
    mark_crossing(bpe, piece, crosses);
    find_characters(bpe, piece, n_tokens, character);
    bpe->crosses = crosses;
    bpe->character = character;
}
