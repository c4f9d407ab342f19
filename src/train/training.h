// training.h - a whole training run: from texts to a model that is saved.
//
//   texts -> vocabulary -> tokens -> sizes -> model -> trainer      or a checkpoint, or a model
//
// The run's folder holds its checkpoints and best.gguf, the weights of the best validation.
#ifndef HEED_TRAIN_TRAINING_H
#define HEED_TRAIN_TRAINING_H

#include "train/checkpoint.h"
#include "train/trainer.h"

typedef struct TrainingSpec {
    Settings settings; // 0 where the run may choose
    const Str *text;   // (n_texts) what is learned from; not copied, outlives the training
    int64_t n_texts;
    const Str *validation; // (n_validation)
    int64_t n_validation;
    bool pairs;         // texts are lines of instruction TAB answer
    const char *from;   // go on from this model, with its vocabulary; NULL: from nothing.  Resumed
                        // with adapters: where their model is now
    const char *folder; // of the run
    bool resume;        // from the folder's newest checkpoint
    const char *name;   // of the model
    double flops;       // operations a second that training is expected to reach
    Pool *pool;
    const Kernels *kernels;
    bool (*go_on)(void *user, const char *what, int64_t done, int64_t total); // while it is opened
    void *user;
} TrainingSpec;

typedef struct Training {
    TrainingSpec spec;
    Settings settings; // complete
    Vocab vocab;       // made here, if the model has none of its own
    Tokenizer *tokenizer;
    Corpus corpus;
    Model *model;
    GgufFile checkpoint; // that it is resumed from
    Lora lora;           // of rank 0: none, all weights learn
    Trainer trainer;
    int64_t vocab_asked; // tokens that were asked for where the text gives fewer, else 0
    bool for_encoder;    // the model sees both sides: it learns from blanks
    int64_t resumed_at;  // the step of the checkpoint; -1: from the start
    Arena arena;
} Training;

// May a person change it when the run is resumed?  How long it goes on, and how often is looked.
bool training_may_change(const Setting *setting);

// Everything is checked and allocated here.  The training may be closed in any case.
MUST_USE bool training_open(Training *training, const TrainingSpec *spec, Error *err);
void training_close(Training *training);

// Validates, and keeps the weights if they are the best so far (in best.gguf).
MUST_USE bool training_validate(Training *training, Validation *result, bool *is_best, Error *err);
// How the result is written.
typedef struct TrainingResult {
    const char *model;
    bool has_type; // else each weight keeps the type that it has; f32 where all have learned
    DType type;
    const char *adapters; // a file for them alone; NULL where there are none
} TrainingResult;
// Could it be written so?  Asked before the first step.
MUST_USE bool training_check(const Training *training, const TrainingResult *result, Error *err);
// Writes the best weights of the run, or the last ones if none were validated, as a model; adapters
// become a part of it.
MUST_USE bool training_write(const Training *training, const TrainingResult *result, Error *err);

#endif
