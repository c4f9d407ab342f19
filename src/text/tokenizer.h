// tokenizer.h - text to token ids and back, for byte-level BPE, SentencePiece BPE and WordPiece
// vocabularies.
//
// A tokenizer is read-only after it is made; any thread may use it.  It is made from the metadata
// of a GGUF file or from a tokenizer.json, and gives the ids of the original implementation: of
// Hugging Face's tokenizers for a tokenizer.json, of llama.cpp for a GGUF file.  Where those two
// differ for one model:
//   - GGUF vocabularies with a prefix space (Llama 2) put it before every stretch of text between
//     special tokens; a tokenizer.json says itself where.
//   - Added tokens are found leftmost first, then longest; llama.cpp takes the longest first.
//   - A byte that a byte-level vocabulary lacks (SmolLM2 lacks 21) becomes the unknown token if
//     tokenizer.json names one, else it vanishes before merging; llama.cpp drops it after merging.
//   - Control, unknown and byte tokens are never the result of merging, so text cannot forge them;
//     in a GGUF vocabulary the well-known end-of-turn tokens are control tokens whatever it says.
//   - WordPiece in a GGUF file is brought to lower case without accents, as the uncased tokenizers
//     of Hugging Face do it; a character newer than Unicode 8 may be of another class there.
//   - Normal forms follow Unicode 16; the library's own tables are older and leave some newer
//     characters as they are.
#ifndef HEED_TEXT_TOKENIZER_H
#define HEED_TEXT_TOKENIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

// The numbers are those of GGUF's tokenizer.ggml.token_type.
typedef enum TokenKind {
    TOKEN_NORMAL = 1,
    TOKEN_UNKNOWN = 2,
    TOKEN_CONTROL = 3, // special: matched only where the caller says that text may contain them
    TOKEN_USER_DEFINED = 4, // added: matched everywhere, before the merges
    TOKEN_UNUSED = 5,
    TOKEN_BYTE = 6 // "<0x0A>"
} TokenKind;

// A vocabulary as a GGUF file gives it; also what a tokenizer exports (tokenizer_vocab).
typedef struct Vocab {
    Str model; // "gpt2" (byte-level BPE), "llama" (SentencePiece BPE) or "bert" (WordPiece, whose
               // tokens are here as tokenizer.json has them: "the", "##ing")
    Str pre;   // name of the split pattern for "gpt2": "gpt-2", "llama-bpe", "qwen2", "smollm"...
    int64_t n_tokens;
    const Str *token;    // (n_tokens) as stored: byte-level alphabet, or pieces with U+2581
    const float *score;  // (n_tokens) or NULL
    const int32_t *kind; // (n_tokens) TokenKind, or NULL: all normal
    int64_t n_merges;
    const Str *merge; // (n_merges) "left right", by rank; NULL for "llama"
    int32_t bos, eos, eot, eom, unknown, padding; // -1: none
    bool add_bos, add_eos;
    bool add_space_prefix;
    Str normal_form; // "NFC", "NFD", "NFKC" or "NFKD", which texts are brought to first; or empty
    bool rewrites_texts; // in ways that no vocabulary can say: only its tokenizer.json does
    bool remove_extra_whitespaces; // kept for export; the two models here do not use it
} Vocab;

// What a GGUF file means by the keys of tokenizer.ggml that it leaves out; arrays are empty.
// Refuses a model that is not supported.
MUST_USE bool vocab_defaults(Vocab *vocab, Str model, Str pre, Error *err);

// Is it the control token that stands for a hidden one, [MASK] or <mask>?  In a byte-level
// vocabulary it takes the white space before it.
bool vocab_is_mask(const Vocab *vocab, int64_t id);

enum { TOKENIZER_TEXT_MAX = 256 << 20 }; // bytes of a text that is encoded at once

typedef struct Token {
    int32_t id;
    int32_t start, end; // bytes of the text that was given; equal for tokens that are not in it
} Token;

typedef struct Tokens {
    Token *token;
    int64_t n;
} Tokens;

typedef struct Tokenizer Tokenizer;

// From GGUF metadata / the texts of tokenizer.json and tokenizer_config.json (the latter may be
// empty).  NULL and one line naming the field for anything missing, contradictory or not supported.
// Special ids are checked against n_tokens; token texts are at most 64 KiB.  The arrays and strings
// of `vocab` and the two texts are not copied and must live as long as the tokenizer.
MUST_USE Tokenizer *tokenizer_from_vocab(Arena *arena, const Vocab *vocab, Error *err);
MUST_USE Tokenizer *tokenizer_from_json(Arena *arena, Str tokenizer_json, Str config_json,
                                        Error *err);

typedef struct EncodeOptions {
    bool add_special;   // add beginning- and end-of-text as the vocabulary says
    bool parse_special; // control tokens written in the text become their ids; else they are text
} EncodeOptions;

// Encodes any bytes; the result lives in `arena`, which needs room for some 200 bytes for each byte
// of the text meanwhile.  ERROR_LIMIT if it has not.  Time is O(n log n) for every text.  Bytes
// that are not UTF-8 count as one character each.
MUST_USE bool tokenizer_encode(const Tokenizer *t, Arena *arena, Str text, EncodeOptions options,
                               Tokens *tokens, Error *err);

// The bytes that a token stands for ("" for control tokens unless `with_special`); perhaps not
// UTF-8.
Str tokenizer_piece(const Tokenizer *t, int32_t id, bool with_special);
// The bytes of a sequence; differs from the pieces in a row by the SentencePiece prefix space.
// No "clean-up" of spaces before punctuation, and bytes that are not UTF-8 stay as they are.
Str tokenizer_decode(const Tokenizer *t, Arena *arena, const int32_t *ids, int64_t n,
                     bool with_special);

int64_t tokenizer_size(const Tokenizer *t);       // number of ids
const Vocab *tokenizer_vocab(const Tokenizer *t); // for writing a GGUF
TokenKind tokenizer_kind(const Tokenizer *t, int32_t id);
int32_t tokenizer_find(const Tokenizer *t, Str text); // id of a token as stored, -1 if none
int32_t tokenizer_mask(const Tokenizer *t); // the control token [MASK] or <mask>, -1 if none
// Ends generation: eos, eot, eom and the well-known names of such tokens (formats.md 2.5).
bool tokenizer_ends(const Tokenizer *t, int32_t id);

#endif
