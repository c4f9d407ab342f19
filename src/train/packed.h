// packed.h - a batch of training: samples side by side, each a sequence of its own.
//
// A model that reads on is to name, at each token, the next one; an encoder is to name the tokens
// that were hidden from it (masking.h), and only their rows get as far as its head.
#ifndef HEED_TRAIN_PACKED_H
#define HEED_TRAIN_PACKED_H

#include "model/model.h"
#include "train/corpus.h"
#include "train/masking.h"

typedef struct Packed {
    Batch batch;
    int32_t *target;  // (batch_rows) what each row is to name
    float *weight;    // (batch_rows) 1 where that counts, else 0
    float *per_row;   // (batch_rows) losses, after a forward
    int64_t n_scored; // rows that count
    // inside
    const Masking *masking; // NULL: next tokens
    int32_t *ids, *row;     // (samples * context) tokens; rows that are asked for
    Span *span;             // (samples)
} Packed;

// Room for so many samples of `context` tokens.
Packed *packed_make(Arena *arena, const Masking *masking, int64_t samples, int64_t context);
void packed_clear(Packed *packed);
// `key` decides what is hidden.
void packed_add(Packed *packed, const Corpus *corpus, Sample sample, uint64_t key);
// The largest batch there can be, for planning.
void packed_fill(Packed *packed, int64_t samples, int64_t context);

// Rows of a sample that count.
int64_t packed_scored(const Masking *masking, Sample sample);
Tensor *packed_loss(Run *run, const Model *model, const Packed *packed);

#endif
