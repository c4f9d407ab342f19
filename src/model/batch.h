// batch.h - what a forward is given: tokens, where they stand, and whose logits are wanted.
//
// Single chat, prefill in chunks, many sequences of a server, beams and training differ in nothing
// but the batch.
#ifndef HEED_MODEL_BATCH_H
#define HEED_MODEL_BATCH_H

#include "tensor/ops.h"

struct State;

typedef struct Batch {
    const int32_t *ids; // (n)
    int64_t n;
    const Span *span; // rows of the batch, in order, covering 0 .. n-1
    int n_spans;
    struct State *const *state; // (n_spans) what each sequence remembers; NULL (or an entry NULL):
                                // the sequence begins and ends in this batch
    const int32_t *types;       // (n) of each token, for models that have types; NULL: all 0
    const int32_t *logit_row;   // (n_logits) rows that are asked for; NULL: all n
    int64_t n_logits;
} Batch;

// One sequence without a memory: n tokens from position 0, all rows wanted.
typedef struct SingleBatch {
    Batch batch;
    Span span;
} SingleBatch;
static inline Batch *batch_single(SingleBatch *b, const int32_t *ids, int64_t n) {
    b->span = (Span){.n = n};
    b->batch = (Batch){.ids = ids, .n = n, .span = &b->span, .n_spans = 1};
    return &b->batch;
}

static inline int64_t batch_rows(const Batch *b) {
    return b->logit_row ? b->n_logits : b->n;
}

#endif
