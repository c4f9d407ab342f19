// wordpiece.c - cutting words into the longest tokens; facts from Hugging Face tokenizers 0.23.
#include "text/wordpiece.h"

#include <string.h>

#include "base/utf8.h"
#include "text/tokenizer.h"
#include "unicode/unicode.h"

static const Str CONTINUES = {"##", 2};
static const Str SPACE_MARK = {"\xE2\x96\x81", 3}; // U+2581

// ---- one word

static int64_t count_characters(Str word, int64_t enough) {
    int64_t n = 0;
    int length = 0;
    for (size_t at = 0; at < word.n && n <= enough; at += (size_t)length, n++)
        utf8_decode(str_slice(word, at, word.n), &length);
    return n;
}

// The end of the character before `end`.
static size_t step_back(Str word, size_t end) {
    end--;
    while (end > 0 && ((unsigned char)word.data[end] & 0xC0) == 0x80) end--;
    return end;
}

// The id of word[start, end) as a token, -1 if it is none.
static int32_t find_piece(const WordPiece *w, Str word, size_t start, size_t end) {
    char text[WORDPIECE_PREFIX_MAX + 4 * WORDPIECE_CHARACTERS_MAX];
    size_t n_prefix = start > 0 ? w->prefix.n : 0, n = end - start;
    int64_t id = -1;
    if (n_prefix == 0) {
        id = map_get(w->id_of, str_slice(word, start, end));
    } else {
        require(n_prefix + n <= sizeof text); // words have few characters
        memcpy(text, w->prefix.data, n_prefix);
        memcpy(text + n_prefix, word.data + start, n);
        id = map_get(w->id_of, (Str){text, n_prefix + n});
    }
    if (id < 0 || !w->kind) return (int32_t)id;
    TokenKind kind = (TokenKind)w->kind[id];
    return kind == TOKEN_CONTROL || kind == TOKEN_UNKNOWN ? -1 : (int32_t)id;
}

static int64_t unknown_word(const WordPiece *w, Str word, BpePiece *piece) {
    piece[0] = (BpePiece){w->unknown, 0, (int32_t)word.n};
    return 1;
}

int64_t wordpiece_encode(const WordPiece *w, Str word, BpePiece *piece) {
    int64_t n = 0;
    if (count_characters(word, w->characters) > w->characters) return unknown_word(w, word, piece);
    for (size_t start = 0; start < word.n;) {
        size_t end = word.n;
        while (end - start > w->longest && end > start) end = step_back(word, end);
        int32_t id = -1;
        while (end > start && (id = find_piece(w, word, start, end)) < 0)
            end = step_back(word, end);
        if (id < 0) return unknown_word(w, word, piece);
        piece[n++] = (BpePiece){id, (int32_t)start, (int32_t)end};
        start = end;
    }
    return n;
}

// ---- a text into words

static bool is_punctuation(int32_t c) {
    bool is_ascii = (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
                    (c >= 123 && c <= 126);
    return is_ascii || (unicode_class(c) & UNICODE_P) != 0;
}

int64_t wordpiece_cut(Str text, int64_t *ends, bool *dropped) {
    enum { OF_WORD, WHITE, ALONE } before = ALONE;
    int64_t n = 0;
    int length = 0;
    for (size_t at = 0; at < text.n; at += (size_t)length) {
        int32_t c = utf8_decode(str_slice(text, at, text.n), &length);
        bool is_white = (unicode_class(c) & UNICODE_WHITE_SPACE) != 0;
        int now = is_white ? WHITE : is_punctuation(c) ? ALONE : OF_WORD;
        if (n == 0 || now != (int)before || now == ALONE) n++;
        ends[n - 1] = (int64_t)at + length;
        dropped[n - 1] = is_white;
        before = now;
    }
    return n;
}

bool wordpiece_is_ideograph(int32_t c) {
    // 2B820..2B91F are left out by an old slip of the library, whose ids we give.
    static const int32_t block[][2] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                       {0x20000, 0x2A6DF}, {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF},
                                       {0x2F800, 0x2FA1F}};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        if (c >= block[i][0] && c <= block[i][1]) return true;
    return false;
}

// ---- as GGUF files write tokens

static bool is_bracketed(Str token) {
    return str_starts(token, STR("[")) && str_ends(token, STR("]"));
}

static Str joined(Arena *arena, Str left, Str right) {
    StrBuilder b = str_builder(arena);
    str_add(&b, left);
    str_add(&b, right);
    return str_built(&b);
}

Str wordpiece_from_gguf(Arena *arena, Str token, bool is_control) {
    if (token.n == 0 || is_control || is_bracketed(token)) return token;
    if (str_starts(token, SPACE_MARK)) return str_slice(token, SPACE_MARK.n, token.n);
    return joined(arena, CONTINUES, token);
}

Str wordpiece_to_gguf(Arena *arena, Str token, bool is_control) {
    if (token.n == 0 || is_control) return token;
    if (str_starts(token, CONTINUES)) return str_slice(token, CONTINUES.n, token.n);
    return joined(arena, SPACE_MARK, token);
}
