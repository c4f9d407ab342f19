// encoder.h - what an encoder makes of a text: one vector for the whole, or what stands in a blank.
//
// An encoder reads a text from both sides at once and remembers nothing: each call is one forward.
#ifndef HEED_LOOK_ENCODER_H
#define HEED_LOOK_ENCODER_H

#include "model/model.h"

// A text with the tokens that the model wants around it ([CLS] ... [SEP]).
typedef struct EncoderText {
    const int32_t *ids;   // (n)
    const int32_t *types; // (n) or NULL: all 0
    int64_t n;            // 1 .. the model's context
} EncoderText;

// A text in which something is left out: three or more underscores, or the mask by its name.
typedef struct Blanks {
    EncoderText text;
    const int32_t *place; // (n) of the masks among its tokens
    int64_t n;            // 1 or more
} Blanks;
// In `arena`.  ERROR_UNSUPPORTED for a model whose vocabulary has no mask, ERROR_USAGE for a text
// without a blank.
MUST_USE bool encoder_blanks(Arena *arena, const Model *model, Str text, Blanks *blanks,
                             Error *err);

// "mean", "cls": how the model's texts are pooled.
const char *encoder_pooling(const Model *model);

// The text's vector (C): the mean of its tokens' last hidden states, or that of its first, of
// length 1 where the model says so.  `run` is planned by the call.  ERROR_UNSUPPORTED for a model
// that is no encoder, ERROR_LIMIT for a text longer than it reads.
MUST_USE bool encoder_embed(Run *run, const Model *model, EncoderText text, float *vector,
                            Error *err);

// Logits (n_places, V) of the tokens that may stand in these places of the text.  As above, and
// ERROR_UNSUPPORTED for an encoder without the head that names tokens.
MUST_USE bool encoder_fill(Run *run, const Model *model, EncoderText text, const int32_t *place,
                           int64_t n_places, float *logits, Error *err);

#endif
