// vocab_train.h - vocabularies made from texts: byte-level BPE, characters, or bytes.
//
//   VocabTrainer *t = vocab_trainer_open(recipe, err);
//   vocab_trainer_text(t, text, err)                       any number of texts and files
//   vocab_trainer_file(t, path, err)
//   vocab_trainer_finish(t, arena, &vocab, &report, err)   a Vocab: see tokenizer.h
//   vocab_trainer_close(t);
//
// All three kinds are byte-level BPE vocabularies in form, which every engine reads, and encode
// every text: what has no token of its own becomes its bytes.  Ids: the special tokens, the 256
// bytes in the order of the byte-level alphabet, then what was learnt.
#ifndef HEED_TEXT_VOCAB_TRAIN_H
#define HEED_TEXT_VOCAB_TRAIN_H

#include "base/pool.h"
#include "text/tokenizer.h"

typedef enum VocabKind {
    VOCAB_BPE,        // merges learnt from the words (bpe_learn.h), as Hugging Face's BpeTrainer
    VOCAB_CHARACTERS, // a token for each character, the most frequent first; merges make it of its
                      // bytes, so its beginnings ("the first two bytes of three") are tokens too
    VOCAB_BYTES       // the 256 bytes; texts are not looked at
} VocabKind;

typedef enum VocabPhase { VOCAB_COUNTING, VOCAB_MERGING } VocabPhase; // bytes, tokens

typedef struct VocabRecipe {
    VocabKind kind;
    Str pre;            // split pattern by its name in GGUF files; empty: "gpt-2"
    int64_t n_tokens;   // in all.  Characters: 0 for as many as there are; bytes: not looked at
    int64_t least;      // how often a pair, or a character, must stand to become a token; 0 is 1
    const Str *special; // (n_special) control tokens; none: "<|endoftext|>".  The first one is
    int n_special;      // beginning- and end-of-text
    bool by_line;       // each line of a text is a text of its own: what the library does to files
    Pool *pool;         // NULL: the caller's thread alone
    // Called now and then with what is done; the total of VOCAB_COUNTING is not known here and 0.
    // False ends it with ERROR_CANCELLED.  NULL: not wanted.
    bool (*go_on)(void *user, VocabPhase phase, int64_t done, int64_t total);
    void *user;
} VocabRecipe;

// What a person should know about a vocabulary.
typedef struct VocabReport {
    int64_t bytes;      // of all texts
    int64_t ill_formed; // parts of them that are not UTF-8: they were learnt as bytes
    int64_t words;      // distinct ones
    int64_t n_learnt;   // tokens besides the bytes and the special ones; if these are fewer than
                        // asked for, the texts have no more
    int64_t left_out;   // characters that stand often enough but found no place
} VocabReport;

enum { VOCAB_TOKENS_MAX = 1 << 24 };

typedef struct VocabTrainer VocabTrainer;

// Refuses a recipe that cannot be: an unknown pattern, special tokens that are empty, repeated or a
// byte, too few or too many tokens.  What the recipe points at is not copied.
MUST_USE VocabTrainer *vocab_trainer_open(VocabRecipe recipe, Error *err);
void vocab_trainer_close(VocabTrainer *trainer); // accepts NULL

// Takes any bytes; special tokens written in the text are text.  A file is mapped, not read whole;
// "-" is standard input, which is.
MUST_USE bool vocab_trainer_text(VocabTrainer *trainer, Str text, Error *err);
MUST_USE bool vocab_trainer_file(VocabTrainer *trainer, const char *path, Error *err);

// Makes the vocabulary, in `arena` with all it points at.  Texts without a byte are refused, but
// for VOCAB_BYTES.  `report` may be NULL.
MUST_USE bool vocab_trainer_finish(VocabTrainer *trainer, Arena *arena, Vocab *vocab,
                                   VocabReport *report, Error *err);

#endif
