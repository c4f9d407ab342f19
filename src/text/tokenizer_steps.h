// tokenizer_steps.h - the pipeline of a tokenizer.json: its normalizer, pre_tokenizer,
// post_processor and decoder become the steps of a Tokenizer.  Private to tokenizer_json.c.
#ifndef HEED_TEXT_TOKENIZER_STEPS_H
#define HEED_TEXT_TOKENIZER_STEPS_H

#include "base/json.h"
#include "text/tokenizer_parts.h"

// What the steps say about the tokenizer as a whole.
typedef struct StepsFound {
    bool has_byte_level;   // words are bytes
    bool has_prefix_space; // a prefix is put before the text, or some parts of it
    bool decodes_spaces;   // U+2581 becomes a space
    const Splitter *splitter[TOKENIZER_STEPS_MAX]; // of the pre_tokenizer, in order
    int n_splitters;
    bool has_other_split; // a split that is no Splitter
} StepsFound;

// Each takes one member of the file (NULL or null: none) and refuses by name what it does not know.
MUST_USE bool steps_normalizer(Tokenizer *t, Arena *arena, const Json *node, StepsFound *found,
                               Error *err);
MUST_USE bool steps_pre_tokenizer(Tokenizer *t, Arena *arena, const Json *node, StepsFound *found,
                                  Error *err);
// After the vocabulary is indexed: the tokens before and after a text.
MUST_USE bool steps_post_processor(Tokenizer *t, const Json *node, Error *err);
MUST_USE bool steps_decoder(Tokenizer *t, const Json *node, StepsFound *found, Error *err);

#endif
