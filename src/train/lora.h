// lora.h - low-rank adapters (Hu et al. 2021, arXiv 2106.09685) as parameters: a frozen model, of
// any types, learns by small matrices beside its own.
//
//   y = x w^T + scale (x a^T) b^T      a (rank, I) random, b (O, rank) zero at the start
//
// Each matrix that the layers multiply by has one.  As a file they are model/adapter.h's; they
// become part of the weights when the model is written (export/export.h).
#ifndef HEED_TRAIN_LORA_H
#define HEED_TRAIN_LORA_H

#include "train/parameters.h"

typedef struct Lora {
    int rank;
    double alpha; // scale = alpha / rank
    Parameters parameters;
    float *gradients;  // (n_values) of all of them
    Adapter *adapter;  // (n)
    int64_t n;         // weights that have one
    const char *base;  // path of the model, for the checkpoints
    uint64_t base_sum; // fingerprint of its weights
} Lora;

// Gives the model's weights adapters; they live in `arena`, which outlives the model's use.  What a
// file has laid beside a weight before (model_adapt) is where its adapter begins.  ERROR_USAGE if
// the model has no such matrix, or the rank is larger than one of them or not that of the file.
MUST_USE bool lora_attach(Lora *lora, Model *model, Arena *arena, int rank, double alpha,
                          uint64_t seed, Error *err);

#endif
