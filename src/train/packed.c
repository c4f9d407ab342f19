// packed.c - samples into the rows of a batch.
#include "train/packed.h"

#include <string.h>

Packed *packed_make(Arena *arena, const Masking *masking, int64_t samples, int64_t context) {
    Packed *p = arena_new(arena, Packed, 1);
    p->masking = masking;
    p->ids = arena_new(arena, int32_t, samples * context);
    p->row = arena_new(arena, int32_t, samples * context);
    p->target = arena_new(arena, int32_t, samples * context);
    p->weight = arena_new(arena, float, samples *context);
    p->per_row = arena_new(arena, float, samples *context);
    p->span = arena_new(arena, Span, samples);
    return p;
}

void packed_clear(Packed *p) {
    p->batch = (Batch){.ids = p->ids, .span = p->span};
    if (p->masking) p->batch.logit_row = p->row;
    p->n_scored = 0;
}

int64_t packed_scored(const Masking *masking, Sample s) {
    return masking ? masking_count(masking, s.n) : s.n - s.given;
}

static void add_span(Packed *p, int64_t n) {
    Batch *b = &p->batch;
    p->span[b->n_spans++] = (Span){.first = b->n, .n = n};
    b->n += n;
}

// ---------------------------------------------------------------- next tokens
static void add_next(Packed *p, const int32_t *id, Sample s) {
    int64_t first = p->batch.n;
    add_span(p, s.n - 1);
    for (int64_t i = 0; i + 1 < s.n; i++) {
        p->ids[first + i] = id[i];
        p->target[first + i] = id[i + 1];
        p->weight[first + i] = i + 1 >= s.given ? 1 : 0;
    }
}

// ---------------------------------------------------------------- blanks
// [CLS] text [SEP]; `row` first receives places in the text, then is moved to where that stands.
static void add_blanks(Packed *p, const int32_t *id, Sample s, uint64_t key) {
    Batch *b = &p->batch;
    const Masking *m = p->masking;
    int64_t text = b->n + 1, count = masking_count(m, s.n);
    int32_t *row = p->row + b->n_logits;
    add_span(p, s.n + 2);
    p->ids[text - 1] = m->begin;
    p->ids[text + s.n] = m->end;
    memcpy(p->ids + text, id, sizeof *id * (size_t)s.n);
    masking_hide(m, key, p->ids + text, s.n, row);
    for (int64_t i = 0; i < count; i++) {
        p->target[b->n_logits + i] = id[row[i]];
        p->weight[b->n_logits + i] = 1;
        row[i] += (int32_t)text;
    }
    b->n_logits += count;
}

// ---------------------------------------------------------------- both
void packed_add(Packed *p, const Corpus *corpus, Sample s, uint64_t key) {
    p->n_scored += packed_scored(p->masking, s);
    if (p->masking)
        add_blanks(p, corpus->id + s.first, s, key);
    else
        add_next(p, corpus->id + s.first, s);
}

void packed_fill(Packed *p, int64_t samples, int64_t context) {
    packed_clear(p);
    for (int64_t i = 0; i < samples; i++) add_span(p, context);
    if (p->masking) p->batch.n_logits = samples * masking_count(p->masking, context);
    p->n_scored = batch_rows(&p->batch);
    for (int64_t i = 0; i < p->n_scored; i++) p->weight[i] = 1;
}

Tensor *packed_loss(Run *run, const Model *model, const Packed *p) {
    LossSpec spec = {.target = p->target, .weight = p->weight, .per_row = p->per_row};
    return model_loss(run, model, &p->batch, spec);
}
