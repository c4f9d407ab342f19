// edit.h - one fact in a model changed: a rank-one addition to the down projection of one
// feed-forward layer, learnt so that another answer becomes likely (ROME: Meng et al. 2022, arXiv
// 2202.05262, section 3).
//
//     W' = W + b a^T,    a k = 1:    W' k = v*,  b = v* - W k
//
// Where it writes, a (F), is given (look/keys.h); what it writes, b (C), is learnt by gradient.
// The loss is, in nats, mean over texts of -ln p of the new answer
//     + keep * KL(what the model said behind the bare name | what it says now)
//     + decay * |b|^2 / |W k|^2
// and |b| never passes reach * |W k|.
//
// Meng et al. learn v* as an output of the layer at the subject's last token alone, and write the
// matrix afterwards.  Here the matrix stands edited while b is learnt, so that what else the edit
// touches is a part of the loss, and the end of the learning is the model that is written.
//
// The addition lies beside the weight as an adapter of rank 1 (tensor.h): the weight itself, which
// may be of any type, is untouched; undoing is to take it away, and what is exported has it in it.
#ifndef HEED_TRAIN_EDIT_H
#define HEED_TRAIN_EDIT_H

#include "model/model.h"

// A text that ends in the new answer.
typedef struct EditText {
    const int32_t *ids; // (n)
    int64_t n;
    int64_t n_prompt; // tokens before the answer's first, >= 1
} EditText;

typedef struct EditSpec {
    int layer;
    const float *key, *direction; // k, a (F)
    const EditText *text;         // (n_texts) >= 1
    int64_t n_texts;
    const int32_t *name; // (n_name) >= 1: the bare subject behind what begins a document
    int64_t n_name;
    int64_t steps;      // at most
    double rate;        // of a step, relative to the root mean square of W k
    double keep, decay; // factors of the loss
    double reach;       // largest |b| relative to |W k|
    double enough;      // stop when the mean of -ln p is below
} EditSpec;
// Layer, texts and name are to be filled.
EditSpec edit_default(void);

typedef struct Edit {
    EditSpec spec;
    Run *run;
    Model *model;
    Adapter adapter; // that lies beside the weight
    float *gradient; // (C) of the loss, by b
    double size;     // |W k|
    double nats;     // mean of -ln p of the new answer, at the last loss
    double kl;       // the second term without its factor
    int64_t step;    // steps taken
    // inside
    Tape tape;
    Probe probe;
    Batch batch;
    int64_t n_answers; // rows of logits before that of the name
    float *said;       // (V) what was said behind the name
} Edit;

// Lays the addition, which is 0 yet, beside the weight.  The run is open and has no plan; it is the
// edit's own until edit_end.  All lives in `arena`; texts and vectors must stay.
MUST_USE bool edit_begin(Edit *edit, Run *run, Model *model, Arena *arena, EditSpec spec,
                         Error *err);
// The loss at b and its gradient.
MUST_USE bool edit_loss(Edit *edit, double *loss, Error *err);
// Learns b (adapter.b), and leaves it beside the weight.
MUST_USE bool edit_learn(Edit *edit, Error *err);
// The run is free again; the addition stays.
void edit_end(Edit *edit);
// |b| / |W k|.
double edit_relative_size(const Edit *edit);
// Takes the addition away.
void edit_undo(Edit *edit);

// ---------------------------------------------------------------- what a file says of its edits
// In a GGUF: heed.edit.layer (i32), heed.edit.prompt, heed.edit.subject, heed.edit.answer
// (strings), lists of equal length, the first edit first.
typedef struct EditRecord {
    int layer;
    Str prompt, subject, answer;
} EditRecord;
// Of a model's file; none: n is 0.  ERROR_FORMAT if the lists do not fit each other.
MUST_USE bool edit_records_read(const Model *model, Arena *arena, const EditRecord **record,
                                int64_t *n, Error *err);
void edit_records_put(GgufWriter *writer, Arena *arena, const EditRecord *record, int64_t n);

#endif
