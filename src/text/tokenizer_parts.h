// tokenizer_parts.h - what a Tokenizer is made of; shared by its makers and by tokenizer.c only.
//
// A text passes through these stages, each of which sees the parts that the one before has left:
//   raw tokens -> rewrites (normalisers) -> normal tokens -> splits -> merging -> prefix and suffix
// Tokens found in the first and third stage leave the stream; the others go on.
#ifndef HEED_TEXT_TOKENIZER_PARTS_H
#define HEED_TEXT_TOKENIZER_PARTS_H

#include "base/map.h"
#include "text/bpe.h"
#include "text/matcher.h"
#include "text/part.h"
#include "text/tokenizer.h"
#include "text/wordpiece.h"

enum {
    TOKEN_BYTES_MAX = 64 << 10, // of the text of one token
    TOKENIZER_STEPS_MAX = 16,   // rewrites, and splits
    TOKENIZER_PATTERN_MAX = 64, // bytes of a literal pattern: keeps searching linear
    TOKENIZER_AFFIX_MAX = 8     // ids before and after the text
};

// A token that is found in the text as it stands, before any merging.
typedef struct AddedToken {
    int32_t id;
    int32_t n_bytes;            // of the text that is looked for
    bool eats_left, eats_right; // white space beside it belongs to it
    bool is_single_word;        // only between characters that are not of words
} AddedToken;

typedef struct AddedTokens {
    Matcher matcher;
    const AddedToken *token; // by entry of the matcher
    int64_t n;
} AddedTokens;

// One step between normalised text and words.
typedef enum SplitKind {
    SPLIT_BY_REWRITE, // changes the part (a prefix space, U+2581), does not cut it
    SPLIT_BY_PATTERN, // `splitter`
    SPLIT_BY_LITERAL, // `literal`, `behaviour`, `invert`
    SPLIT_BY_BERT     // white space dropped, punctuation alone
} SplitKind;

typedef struct SplitStep {
    SplitKind kind;
    Rewrite rewrite;
    const Splitter *splitter;
    bool drops; // the splitter may drop parts
    Str literal;
    SplitBehaviour behaviour;
    bool invert;
} SplitStep;

struct Tokenizer {
    Vocab vocab;
    Map id_of; // every token as stored
    Bpe bpe;
    WordPiece wordpiece; // id_of NULL: words are merged by `bpe`

    AddedTokens raw, normal;
    Rewrite rewrite[TOKENIZER_STEPS_MAX];
    int n_rewrites;
    SplitStep split[TOKENIZER_STEPS_MAX];
    int n_splits;
    // SentencePiece merges the whole text as one word.  Where no token has U+2581 behind a byte
    // with joins_space, none can span that place, and cutting there changes nothing but the time.
    bool cuts_at_spaces;
    bool joins_space[256];

    int32_t prefix[TOKENIZER_AFFIX_MAX], suffix[TOKENIZER_AFFIX_MAX];
    int n_prefix, n_suffix;

    const Str *piece;        // (n_tokens) the bytes that each token means
    const bool *ends;        // (n_tokens) tokenizer_ends
    bool strips_first_space; // decoding drops one space at the start
};

// ---- made by vocab.c, used by both makers

// A tokenizer to be filled, zeroed; NULL and ERROR_LIMIT if the arena has no room for it and what
// else does not depend on the vocabulary (splitters, steps).
MUST_USE Tokenizer *tokenizer_new(Arena *arena, Error *err);

// Is there room for all that the makers push?  t->vocab has its tokens and kinds; a maker may keep
// n_merges merges of merge_bytes.  Else ERROR_LIMIT.
MUST_USE bool tokenizer_fits(const Tokenizer *t, const Arena *arena, int64_t n_merges,
                             int64_t merge_bytes, Error *err);

// Checks t->vocab, whose strings stay where they are, and fills id_of and what `bpe` has of the
// vocabulary itself.
MUST_USE bool tokenizer_index(Tokenizer *t, Arena *arena, Error *err);
// Byte-level: the tokens of the 256 bytes, the merges, the pieces.
MUST_USE bool tokenizer_index_bytes(Tokenizer *t, Arena *arena, Error *err);
// SentencePiece: byte tokens, pieces (with spaces for U+2581 in added tokens too, if
// `everywhere`), where cutting is safe.
void tokenizer_index_spaces(Tokenizer *t, Arena *arena, bool everywhere);
// The ranks of t->vocab.merge.
MUST_USE bool tokenizer_index_merges(Tokenizer *t, Arena *arena, Error *err);
// WordPiece: the pieces, with a space where a word begins; needs bpe.unknown.
MUST_USE bool tokenizer_index_pieces(Tokenizer *t, Arena *arena, Str prefix, int64_t characters,
                                     Error *err);
// Words that are tokens as a whole will not be merged; needs the pieces.
void tokenizer_index_words(Tokenizer *t, Arena *arena);
// The matcher over these tokens; control tokens are matched only where the caller asks for it.
AddedTokens tokenizer_added(const Tokenizer *t, Arena *arena, const AddedToken *token,
                            const Str *text, int64_t n);
// Fills `ends`; needs the special ids.
void tokenizer_mark_endings(Tokenizer *t, Arena *arena);

#endif
