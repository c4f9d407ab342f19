// create.h - models that learn: made from nothing, or thawed from a file.
//
// A weight that learns is f32 in memory of the model's own; weights of files are read-only.
#ifndef HEED_MODEL_CREATE_H
#define HEED_MODEL_CREATE_H

#include "model/model.h"

// One number (or word) of a config under its GGUF key without the architecture:
// {"embedding_length", 384}.
typedef struct ConfigEntry {
    const char *key;
    double number;
    const char *word; // NULL: a number
} ConfigEntry;

typedef struct ModelPlan {
    const Arch *arch;
    const ConfigEntry *entry; // (n_entries) what a GGUF file of this model would say
    int64_t n_entries;
    const Vocab *vocab; // its arrays and strings are not copied and outlive the model
    bool is_tied;       // the head is the embedding
    uint64_t seed;
    const char *name; // of the model, copied
} ModelPlan;

// A model with random weights: matrices are normal with deviation 0.02 (Radford et al. 2019), those
// that end a sub-layer divided by sqrt(2 L), norms 1, biases 0; what recurrences start with is told
// in create.c.  The same plan gives the same weights everywhere.  ERROR_FORMAT names a number that
// is impossible, ERROR_LIMIT a weight that does not fit.
MUST_USE Model *model_create(const ModelPlan *plan, Error *err);

// Turns every weight of an opened model into f32 values of its own, which may be changed.
MUST_USE bool model_thaw(Model *model, Error *err);

#endif
