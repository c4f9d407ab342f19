// wordpiece.h - WordPiece, the tokens of BERT (Schuster and Nakajima 2012; Devlin et al. 2018,
// arXiv 1810.04805): a word is cut greedily, from the left, into the longest tokens there are.
//
//   "unaffable" -> un ##aff ##able       a token that continues a word begins with "##"
//   a word with a part that no token begins, or with too many characters -> [UNK] as a whole
#ifndef HEED_TEXT_WORDPIECE_H
#define HEED_TEXT_WORDPIECE_H

#include "text/bpe.h"

enum {
    WORDPIECE_CHARACTERS = 100,      // of a word, where nothing says otherwise
    WORDPIECE_CHARACTERS_MAX = 1024, // keeps the time for a word bounded
    WORDPIECE_PREFIX_MAX = 16
};

typedef struct WordPiece {
    const Map *id_of;    // tokens as stored, with their prefix
    int32_t unknown;     // >= 0
    int64_t characters;  // longer words are unknown
    size_t longest;      // bytes of the longest token
    Str prefix;          // "##", at most WORDPIECE_PREFIX_MAX bytes
    const int32_t *kind; // (n_tokens) TokenKind, or NULL: control tokens are never found in words
} WordPiece;

// Encodes a word of at least 1 byte into piece[0 .. word.n) and returns how many there are.
int64_t wordpiece_encode(const WordPiece *w, Str word, BpePiece *piece);

// BERT's words: white space is dropped, a character of punctuation stands alone.  ends[] and
// dropped[] as those of splitter_cut (pretokenize.h).
int64_t wordpiece_cut(Str text, int64_t *ends, bool *dropped);

// Has BERT's normaliser spaces put round this character?  The blocks of ideographs that it knows.
bool wordpiece_is_ideograph(int32_t code_point);

// GGUF files write "##ing" as "ing" and "the" as "\u2581the"; tokens in brackets stay.  From there,
// and back; the results live in `arena` or are the token itself.
Str wordpiece_from_gguf(Arena *arena, Str token, bool is_control);
Str wordpiece_to_gguf(Arena *arena, Str token, bool is_control);

#endif
