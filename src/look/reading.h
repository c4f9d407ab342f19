// reading.h - a text as a model reads it: its tokens, each with its place in the text, behind what
// begins a document.
#ifndef HEED_LOOK_READING_H
#define HEED_LOOK_READING_H

#include "model/model.h"

typedef struct Reading {
    int32_t *ids; // (n)
    Token *token; // (n) the bytes of each; none for the vocabulary's beginning-of-text token
    int64_t n;
} Reading;

// In front stands the beginning-of-text token, if the vocabulary has one, whether or not it asks
// for that; what would end the text is left off.  ERROR_UNSUPPORTED for a model without a
// tokenizer, ERROR_FORMAT for a tokenizer whose ids the model lacks.
MUST_USE bool reading_make(const Model *model, Arena *arena, Str text, Reading *reading,
                           Error *err);

#endif
