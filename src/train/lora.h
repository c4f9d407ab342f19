// lora.h - low-rank adapters (Hu et al. 2021, arXiv 2106.09685): a frozen model, of any types,
// learns by small matrices beside its own.
//
//   y = x w^T + scale (x a^T) b^T      a (rank, I) random, b (O, rank) zero at the start
//
// Each matrix that the layers multiply by has one.  They are saved as an adapter file that
// llama.cpp reads too, or become part of the weights when the model is written (export/stream.c).
#ifndef HEED_TRAIN_LORA_H
#define HEED_TRAIN_LORA_H

#include "export/export.h"
#include "train/parameters.h"

typedef struct Lora {
    int rank;
    double alpha; // scale = alpha / rank
    Parameters parameters;
    float *gradients;  // (n_values) of all of them
    Adapter *adapter;  // (n)
    const char **name; // (n) of the weights
    int64_t n;
} Lora;

// Gives the model's weights adapters; they live in `arena`, which outlives the model's use.
// ERROR_USAGE if the model has no such matrix or the rank is larger than one of them.
MUST_USE bool lora_attach(Lora *lora, Model *model, Arena *arena, int rank, double alpha,
                          uint64_t seed, Error *err);

// A GGUF adapter file, with what `extra` adds (NULL: nothing).
MUST_USE bool lora_save(const Lora *lora, const Model *model, const char *path,
                        const ExportExtra *extra, Error *err);
// The values of a file that was saved for this model and rank.
MUST_USE bool lora_load(Lora *lora, const GgufFile *file, Error *err);

#endif
