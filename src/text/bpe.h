// bpe.h - byte-pair encoding of one word (Sennrich et al. 2016, arXiv 1508.07909), for both
// families.
//
// The word becomes a row of symbols; the neighbours that the vocabulary wants joined most are
// joined, the leftmost first among equals, until none is left.  What a pair is worth comes from
//   ranks:  its place in the list of merges (byte-level BPE; tokenizer.json of every kind), or
//   scores: the score of the token that the joined text would be (SentencePiece in GGUF files).
// Both are an "order", smaller first.  A heap of pairs makes it O(n log n) for any word.
#ifndef HEED_TEXT_BPE_H
#define HEED_TEXT_BPE_H

#include "base/map.h"
#include "text/pairs.h"

#define BPE_NEVER UINT32_MAX // the order of what is not joined

typedef struct Bpe {
    const Str *token;       // (n_tokens) as stored
    const Map *id_of;       // the id of a token as stored
    bool is_byte_level;     // symbols are bytes; else characters of UTF-8
    bool is_scored;         // pairs are worth the score of what they make, else ranks
    bool has_byte_fallback; // a character that is no token becomes its byte tokens "<0x0A>"
    bool fuses_unknown;     // neighbouring unknown characters become one unknown token
    int32_t unknown;        // -1: unknown symbols vanish, as in the original libraries
    int32_t byte_id[256];   // tokens of single bytes, -1 if the vocabulary lacks one
    // Byte-level only, and made by bpe_prepare; NULL before.
    const uint32_t *byte_order; // (65536) left byte, right byte -> order of their merge
    const int32_t *character;   // (65536) code point of three bytes -> the token that these become
                                // among themselves, -1 if they become several
    const uint8_t *crosses;     // (65536) last byte of a character, first byte of the next: whether
                                // a merge may join parts of them before both are whole
    Pairs merges;               // ranks: (left id, right id) -> rank
    const int32_t *made;        // ranks: (n_merges) the token that a merge makes
    const uint32_t *order;      // (n_tokens) by score; BPE_NEVER for what text cannot become.  With
                                // ranks of characters only that matters; NULL for bytes
    size_t longest;             // bytes of the longest token
    const Map *whole_word;      // bytes -> id: such words are not merged at all (NULL: all are)
} Bpe;

// A token of the word: bytes start .. end-1.
typedef struct BpePiece {
    int32_t id, start, end;
} BpePiece;

// Looks up beforehand what most words begin with: pairs of bytes, and whole characters.  A
// character's bytes can be joined first wherever no merge could take some of them across its ends;
// so a word of Chinese starts with a symbol for each character, not with three.
void bpe_prepare(Bpe *bpe, Arena *arena, const Str *piece, int64_t n_tokens);

// What that takes of the arena.
size_t bpe_prepare_bytes(int64_t n_tokens);

// Encodes a word of 1 .. 2^30 bytes into piece[0 .. word.n) and returns how many there are. Scratch
// of up to BPE_SCRATCH bytes for each byte of the word is pushed on `arena` and taken back.
// `looks` counts the pairs that were looked up: less than three for each byte.
enum { BPE_SCRATCH = 48 };
int64_t bpe_encode(const Bpe *bpe, Arena *arena, Str word, BpePiece *piece, int64_t *looks);

// The byte-level alphabet: a printable character for each byte, of which such vocabularies are
// written.  Bytes 33-126, 161-172, 174-255 stand for themselves, the others for U+0100 and up.
int32_t bpe_byte_character(unsigned char byte);
// The bytes that a text in this alphabet means; a text with other characters is itself.
Str bpe_alphabet_bytes(Arena *arena, Str text);

// "<0x0A>" -> 10, -1 for anything else (two upper or lower case digits, nothing more).
int bpe_byte_token(Str text);

#endif
