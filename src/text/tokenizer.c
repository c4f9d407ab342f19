// tokenizer.c - encoding and decoding, for every tokenizer whatever it was made from.
//
// The parts of a text go down the stages of tokenizer_parts.h depth first: each stage hands its
// parts on at once, so memory is needed for one part of each stage and recursion is as deep as
// there are stages.  Words repeat: a small table of the words of this call (not shared, hence no
// lock) answers most of them without merging.
#include "text/tokenizer.h"

#include <string.h>

#include "base/utf8.h"
#include "text/tokenizer_parts.h"
#include "text/word_hash.h"
#include "unicode/unicode.h"

enum {
    CACHE_TEXT_MIN = 512, // bytes of text from which a cache pays
    CACHE_SLOTS_MAX = 1 << 15,
    CACHE_SHARE = 32,     // bytes of text for each slot
    CACHE_PIECES_MAX = 3, // tokens of a word that is kept
    WORD_ON_STACK = 64,   // bytes of a word whose pieces need no arena
    TOKENS_PER_BYTE = 4   // at most; U+2581 for a space makes three bytes of one
};

// A word of at most WORD_KEY_MAX bytes whose pieces follow one another without a gap: 32 bytes.
typedef struct CachedWord {
    WordKey key;
    int32_t id[CACHE_PIECES_MAX];
    uint8_t n_bytes;  // 0: free
    uint8_t n_pieces; // the last one ends where the word ends, the others
    uint8_t end[CACHE_PIECES_MAX - 1];
} CachedWord;

// One call of tokenizer_encode.
typedef struct Encoding {
    const Tokenizer *t;
    Arena *arena; // holds the tokens, then scratch that comes and goes
    EncodeOptions options;
    Token *token;
    int64_t n, room;
    CachedWord *cache; // (cache_mask + 1) or NULL
    uint64_t cache_mask;
    int64_t looks;
    Error *err;
} Encoding;

static bool put(Encoding *e, int32_t id, int64_t start, int64_t end) {
    if (e->n == e->room)
        return error_set(e->err, ERROR_LIMIT, "text too long to encode at once: over %lld tokens",
                         (long long)e->room);
    e->token[e->n++] = (Token){id, (int32_t)start, (int32_t)end};
    return true;
}

// ---- words

static bool put_pieces(Encoding *e, const Part *word, const BpePiece *piece, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (!put(e, piece[i].id, part_from(word, piece[i].start), part_to(word, piece[i].end)))
            return false;
    return true;
}

static void cache_keep(CachedWord *slot, WordKey key, size_t n_bytes, const BpePiece *piece,
                       int64_t n) {
    if (n < 1 || n > CACHE_PIECES_MAX || piece[0].start != 0) return;
    if ((size_t)piece[n - 1].end != n_bytes) return;
    for (int64_t i = 1; i < n; i++)
        if (piece[i].start != piece[i - 1].end) return;
    *slot = (CachedWord){.key = key, .n_bytes = (uint8_t)n_bytes, .n_pieces = (uint8_t)n};
    for (int64_t i = 0; i < n; i++) slot->id[i] = piece[i].id;
    for (int64_t i = 0; i + 1 < n; i++) slot->end[i] = (uint8_t)piece[i].end;
}

// The slot of a word of at most WORD_KEY_MAX bytes.
static CachedWord *cache_slot(const Encoding *e, WordKey key, size_t n_bytes) {
    return &e->cache[word_key_hash(key, n_bytes, 0) & e->cache_mask];
}

static bool slot_holds(const CachedWord *slot, WordKey key, size_t n_bytes) {
    return slot->n_bytes == n_bytes && slot->key.low == key.low && slot->key.high == key.high;
}

// A word of a part without maps, if it is in the cache: the way of nearly all words.
static bool put_cached(Encoding *e, Str word, int32_t base) {
    if (!e->cache || word.n > WORD_KEY_MAX || e->room - e->n < CACHE_PIECES_MAX) return false;
    WordKey key = word_key(word);
    const CachedWord *slot = cache_slot(e, key, word.n);
    if (!slot_holds(slot, key, word.n)) return false;
    Token *token = &e->token[e->n];
    int n = slot->n_pieces;
    int32_t start = base;
    for (int i = 0; i + 1 < n; i++) {
        token[i] = (Token){slot->id[i], start, base + slot->end[i]};
        start = token[i].end;
    }
    token[n - 1] = (Token){slot->id[n - 1], start, base + (int32_t)word.n};
    e->n += n;
    return true;
}

// The pieces of a word, by the kind of the vocabulary.
static int64_t encode_word(Encoding *e, Str word, BpePiece *piece) {
    const Tokenizer *t = e->t;
    if (t->wordpiece.id_of) return wordpiece_encode(&t->wordpiece, word, piece);
    return bpe_encode(&t->bpe, e->arena, word, piece, &e->looks);
}

static bool put_word(Encoding *e, Part word) {
    size_t n_bytes = word.text.n;
    if (!word.from && put_cached(e, word.text, word.base)) return true;
    BpePiece few[WORD_ON_STACK];
    if (n_bytes <= WORD_ON_STACK) {
        int64_t n = encode_word(e, word.text, few);
        if (e->cache && n_bytes <= WORD_KEY_MAX) {
            WordKey key = word_key(word.text);
            cache_keep(cache_slot(e, key, n_bytes), key, n_bytes, few, n);
        }
        return put_pieces(e, &word, few, n);
    }
    ArenaMark mark = arena_mark(e->arena);
    // What bpe_encode takes lies above the pieces: asked for once here, given back, then pushed.
    BpePiece *many = part_push(e->arena, n_bytes, sizeof *many + BPE_SCRATCH, e->err);
    if (!many) return false;
    arena_back(e->arena, mark);
    many = arena_push(e->arena, n_bytes * sizeof *many);
    bool done = put_pieces(e, &word, many, encode_word(e, word.text, many));
    arena_back(e->arena, mark);
    return done;
}

static const char SPACE_MARK[] = "\xE2\x96\x81"; // U+2581

// SentencePiece text: cut before a run of U+2581 where no token can span the cut.
static bool put_spaced_words(Encoding *e, Part part) {
    const char *data = part.text.data;
    int64_t n = (int64_t)part.text.n;
    int64_t start = 0;
    for (int64_t i = 1; e->t->cuts_at_spaces && i + 2 < n; i++) {
        if (data[i] != SPACE_MARK[0] || data[i + 1] != SPACE_MARK[1] ||
            data[i + 2] != SPACE_MARK[2])
            continue;
        bool follows_mark = i - start >= 3 && memcmp(data + i - 3, SPACE_MARK, 3) == 0;
        if (follows_mark || e->t->joins_space[(unsigned char)data[i - 1]]) continue;
        if (!put_word(e, part_slice(part, start, i))) return false;
        start = i;
    }
    return put_word(e, part_slice(part, start, n));
}

// ---- splits

// Cuts at a literal as tokenizer.json's Split does: ends[] and dropped[] are as those of
// splitter_cut.
static int64_t cut_literal(const SplitStep *step, Str text, int64_t *ends, bool *dropped) {
    int64_t n = 0;
    bool was_match = false;
    for (size_t at = 0; at < text.n;) {
        size_t hit = str_find(text, step->literal, at);
        if (hit == SIZE_MAX) hit = text.n;
        size_t end = hit == at ? at + step->literal.n : hit;
        bool is_match = (hit == at) != step->invert;
        bool joins =
            n > 0 && ((step->behaviour == SPLIT_CONTIGUOUS && is_match == was_match) ||
                      (step->behaviour == SPLIT_MERGED_WITH_PREVIOUS && is_match && !was_match) ||
                      (step->behaviour == SPLIT_MERGED_WITH_NEXT && !is_match && was_match));
        if (joins) n--;
        dropped[n] = is_match && step->behaviour == SPLIT_REMOVED;
        ends[n++] = (int64_t)end;
        was_match = is_match;
        at = end;
    }
    return n;
}

static int64_t cut(const SplitStep *step, Str text, int64_t *ends, bool *dropped) {
    if (step->kind == SPLIT_BY_LITERAL) return cut_literal(step, text, ends, dropped);
    if (step->kind == SPLIT_BY_BERT) return wordpiece_cut(text, ends, dropped);
    return splitter_cut(step->splitter, text, ends, dropped);
}

static bool put_split(Encoding *e, Part part, int step);

static bool put_cut(Encoding *e, Part part, int index) {
    const SplitStep *step = &e->t->split[index];
    ArenaMark mark = arena_mark(e->arena);
    int64_t *ends = part_push(e->arena, part.text.n, sizeof *ends, e->err);
    if (!ends) return false;
    bool *dropped = NULL;
    if (step->drops || step->kind != SPLIT_BY_PATTERN) {
        dropped = part_push(e->arena, part.text.n, 1, e->err);
        if (!dropped) return false;
    }
    int64_t n = cut(step, part.text, ends, dropped);
    if (n < 0)
        return error_set(e->err, ERROR_LIMIT, "the split pattern takes too long on this text");
    bool is_last = index + 1 == e->t->n_splits && !e->t->cuts_at_spaces;
    int64_t start = 0;
    for (int64_t i = 0; i < n; start = ends[i++]) {
        if (dropped && dropped[i]) continue;
        Str word = {part.text.data + start, (size_t)(ends[i] - start)};
        if (is_last && !part.from && put_cached(e, word, part.base + (int32_t)start)) continue;
        Part piece = part_slice(part, start, ends[i]);
        if (!(is_last ? put_word(e, piece) : put_split(e, piece, index + 1))) return false;
    }
    arena_back(e->arena, mark);
    return true;
}

// The part through the splits from `index` on.
static bool put_split(Encoding *e, Part part, int index) {
    const Tokenizer *t = e->t;
    if (part.text.n == 0) return true;
    if (index == t->n_splits)
        return t->cuts_at_spaces ? put_spaced_words(e, part) : put_word(e, part);
    const SplitStep *step = &t->split[index];
    if (step->kind != SPLIT_BY_REWRITE) return put_cut(e, part, index);
    ArenaMark mark = arena_mark(e->arena);
    if (!part_rewrite(&step->rewrite, e->arena, &part, e->err)) return false;
    if (!put_split(e, part, index + 1)) return false;
    arena_back(e->arena, mark);
    return true;
}

// ---- added tokens

static bool put_plain(Encoding *e, Part part, const AddedTokens *added);

static int64_t white_before(Str text, int64_t at, int64_t least) {
    Part part = {.text = str_slice(text, (size_t)least, (size_t)at)};
    Rewrite strip = {.kind = REWRITE_STRIP_RIGHT};
    Error err = {0};
    require(part_rewrite(&strip, NULL, &part, &err));
    return least + (int64_t)part.text.n;
}

static int64_t white_after(Str text, int64_t at) {
    Part part = {.text = str_slice(text, (size_t)at, text.n)};
    Rewrite strip = {.kind = REWRITE_STRIP_LEFT};
    Error err = {0};
    require(part_rewrite(&strip, NULL, &part, &err));
    return (int64_t)(text.n - part.text.n);
}

// What \w matches in the original's regular expressions: letters, marks, digits, connectors, the
// two joiners, and the circled letters that are Alphabetic (Unicode Technical Standard 18, annex
// C).
static bool is_of_word(int32_t c) {
    const uint32_t classes = UNICODE_L | UNICODE_M | UNICODE_ND | UNICODE_NL | UNICODE_PC;
    return (unicode_class(c) & classes) != 0 || c == 0x200C || c == 0x200D ||
           (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
           (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
}

static bool touches_word(Str text, int64_t start, int64_t end) {
    int length = 0;
    if (end < (int64_t)text.n &&
        is_of_word(utf8_decode(str_slice(text, (size_t)end, text.n), &length)))
        return true;
    int64_t at = start;
    while (at > 0 && start - at < 4) {
        at--;
        if (((unsigned char)text.data[at] & 0xC0) != 0x80) break;
    }
    if (at == start) return false;
    int32_t c = utf8_decode(str_slice(text, (size_t)at, (size_t)start), &length);
    return at + length == start && is_of_word(c);
}

// Takes the added tokens out of a part; what is between them goes on.
static bool put_added(Encoding *e, Part part, const AddedTokens *added) {
    int64_t n = (int64_t)part.text.n;
    if (added->n == 0 || n == 0) return put_plain(e, part, added);
    ArenaMark mark = arena_mark(e->arena);
    MatcherHit *hit = part_push(e->arena, part.text.n, sizeof *hit, e->err);
    if (!hit) return false;
    int64_t done = 0; // everything before is out
    int64_t seen = 0; // hits before are inside an earlier one
    for (int64_t i = matcher_find(&added->matcher, part.text, e->options.parse_special, hit); i < n;
         i++) {
        const AddedToken *token = &added->token[hit[i].entry];
        int64_t start = hit[i].at;
        if (start < seen) continue;
        int64_t end = start + token->n_bytes;
        seen = end;
        if (token->is_single_word && touches_word(part.text, start, end)) continue;
        if (start < done) start = done;
        if (token->eats_left) start = white_before(part.text, start, done);
        if (token->eats_right) end = white_after(part.text, end);
        if (end < done) end = done; // white space that an earlier token has eaten
        if (start > done && !put_plain(e, part_slice(part, done, start), added)) return false;
        if (!put(e, token->id, part_from(&part, start), part_to(&part, end))) return false;
        done = end;
    }
    if (n > done && !put_plain(e, part_slice(part, done, n), added)) return false;
    arena_back(e->arena, mark);
    return true;
}

// A part without added tokens of the stage that it comes from: to the next stage.
static bool put_plain(Encoding *e, Part part, const AddedTokens *added) {
    const Tokenizer *t = e->t;
    if (added == &t->normal) return put_split(e, part, 0);
    ArenaMark mark = arena_mark(e->arena);
    for (int i = 0; i < t->n_rewrites; i++)
        if (!part_rewrite(&t->rewrite[i], e->arena, &part, e->err)) return false;
    if (!put_added(e, part, &t->normal)) return false;
    arena_back(e->arena, mark);
    return true;
}

// ---- the call

static bool put_affix(Encoding *e, const int32_t *id, int n, int64_t at) {
    for (int i = 0; e->options.add_special && i < n; i++)
        if (!put(e, id[i], at, at)) return false;
    return true;
}

static bool encode(Encoding *e, Str text) {
    // Room for the tokens comes first, and for as many as there may be: untouched memory costs
    // nothing, and afterwards the arena can be taken back to just behind the last of them.
    size_t left = e->arena->reserved - e->arena->used;
    size_t room = text.n * TOKENS_PER_BYTE + 4 * TOKENIZER_AFFIX_MAX;
    if (room > left / 2 / sizeof(Token)) room = left / 2 / sizeof(Token);
    e->token = part_push(e->arena, room, sizeof(Token), e->err);
    if (!e->token) return false;
    e->room = (int64_t)room;
    if (text.n >= CACHE_TEXT_MIN) {
        size_t slots = CACHE_TEXT_MIN / CACHE_SHARE;
        while (slots < text.n / CACHE_SHARE && slots < CACHE_SLOTS_MAX) slots *= 2;
        e->cache = part_push(e->arena, slots, sizeof(CachedWord), e->err);
        if (!e->cache) return false;
        memset(e->cache, 0, slots * sizeof(CachedWord));
        e->cache_mask = slots - 1;
    }
    const Tokenizer *t = e->t;
    return put_affix(e, t->prefix, t->n_prefix, 0) && put_added(e, (Part){.text = text}, &t->raw) &&
           put_affix(e, t->suffix, t->n_suffix, (int64_t)text.n);
}

bool tokenizer_encode(const Tokenizer *t, Arena *arena, Str text, EncodeOptions options,
                      Tokens *tokens, Error *err) {
    *tokens = (Tokens){0};
    if (text.n > TOKENIZER_TEXT_MAX)
        return error_set(err, ERROR_LIMIT, "text of %zu bytes: at most %d are encoded at once",
                         text.n, TOKENIZER_TEXT_MAX);
    Encoding e = {.t = t, .arena = arena, .options = options, .err = err};
    ArenaMark mark = arena_mark(arena);
    bool done = encode(&e, text);
    arena_back(arena, mark);
    if (!done) return false;
    // The same place and the same bytes as before: only the end of the block is given back.
    Token *kept = arena_push(arena, (size_t)e.n * sizeof(Token));
    require(kept == e.token);
    *tokens = (Tokens){kept, e.n};
    return true;
}

// ---- decoding

Str tokenizer_piece(const Tokenizer *t, int32_t id, bool with_special) {
    require(id >= 0 && id < t->vocab.n_tokens);
    TokenKind kind = tokenizer_kind(t, id);
    if (!with_special && (kind == TOKEN_CONTROL || kind == TOKEN_UNKNOWN)) return STR("");
    return t->piece[id];
}

Str tokenizer_decode(const Tokenizer *t, Arena *arena, const int32_t *ids, int64_t n,
                     bool with_special) {
    StrBuilder b = str_builder(arena);
    for (int64_t i = 0; i < n; i++) str_add(&b, tokenizer_piece(t, ids[i], with_special));
    Str text = str_built(&b);
    if (t->strips_first_space && text.n > 0 && text.data[0] == ' ')
        text = str_slice(text, 1, text.n);
    return text;
}

// ---- looking

int64_t tokenizer_size(const Tokenizer *t) {
    return t->vocab.n_tokens;
}

const Vocab *tokenizer_vocab(const Tokenizer *t) {
    return &t->vocab;
}

TokenKind tokenizer_kind(const Tokenizer *t, int32_t id) {
    require(id >= 0 && id < t->vocab.n_tokens);
    return t->vocab.kind ? (TokenKind)t->vocab.kind[id] : TOKEN_NORMAL;
}

int32_t tokenizer_mask(const Tokenizer *t) {
    static const char *const names[] = {"[MASK]", "<mask>"};
    for (int i = 0; i < 2; i++) {
        int32_t id = tokenizer_find(t, str_from(names[i]));
        if (id >= 0 && tokenizer_kind(t, id) == TOKEN_CONTROL) return id;
    }
    return -1;
}

int32_t tokenizer_find(const Tokenizer *t, Str text) {
    return (int32_t)map_get(&t->id_of, text);
}

bool tokenizer_ends(const Tokenizer *t, int32_t id) {
    require(id >= 0 && id < t->vocab.n_tokens);
    return t->ends[id];
}
