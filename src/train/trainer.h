// trainer.h - a model that learns from a corpus, step by step.
//
//   samples -> forward -> loss -> backward -> norm, clip -> optimizer
//
// A step draws `accumulate` batches of `batch` samples each.  Its loss is the mean over all tokens
// that are scored in it (of an encoder: those that were hidden), so cutting a large batch into
// several changes nothing but rounding.  What a step does follows from the settings, the corpus and
// the state below: a trainer that is given the state of another goes on bit for bit as that one
// would have, with the same threads.
#ifndef HEED_TRAIN_TRAINER_H
#define HEED_TRAIN_TRAINER_H

#include "model/model.h"
#include "train/clip.h"
#include "train/corpus.h"
#include "train/lora.h"
#include "train/optimizer.h"
#include "train/packed.h"
#include "train/schedule.h"
#include "train/settings.h"

// What a checkpoint keeps besides weights and moments.
typedef struct TrainProgress {
    int64_t step;     // steps taken
    int64_t tokens;   // scored so far
    int64_t samples;  // drawn so far
    double seconds;   // spent on steps
    double best_loss; // of the validations, nats a token; infinite before the first
    int64_t best_step;
    SpikeGuard guard;
} TrainProgress;

typedef struct TrainerSpec {
    Model *model; // with f32 weights (create.h), which are changed
    Lora *lora;   // attached to the model, whose weights stay as they are then; NULL: none
    const Corpus *corpus;
    const Settings *settings; // complete: no 0 left that size.c fills
    Pool *pool;
    const Kernels *kernels; // NULL: the best
} TrainerSpec;

typedef struct Trainer {
    TrainerSpec spec;
    TrainProgress progress;
    Schedule schedule;
    Parameters parameters;
    Optimizer optimizer;
    Draw draw;
    float *gradients; // (n_gradients) of all parameters
    int64_t n_gradients;
    // inside
    Run learn, check; // with a tape, and for validation
    Tape tape;
    Masking *masking; // of an encoder, else NULL
    Packed *packed;   // a batch
    Arena arena;
} Trainer;

// What one step did.
typedef struct StepReport {
    int64_t step;
    double loss;    // nats a token, before the step
    double rate;    // learning rate
    double norm;    // of the gradient, before clipping
    int64_t tokens; // scored in it
    double seconds;
    StepJudgement judgement; // a spike was not taken
    char words[256];         // why not; "" for a good step
} StepReport;

// Plans memory, gives the model gradients.  ERROR_USAGE for settings that do not fit together,
// ERROR_MEMORY.  The trainer may be closed in any case.
MUST_USE bool trainer_open(Trainer *trainer, const TrainerSpec *spec, Error *err);
void trainer_close(Trainer *trainer);

// Takes a step.  False when loss or gradient is not a number: the message says in which step, and
// in which value of the forward or gradient of which weight it began; the weights are untouched.
MUST_USE bool trainer_step(Trainer *trainer, StepReport *report, Error *err);

typedef struct Validation {
    int64_t tokens; // scored
    double nats;    // a token
    double bits;    // a byte of the scored text; NaN for an encoder, which only fills blanks
} Validation;
// Over the first settings->validation_tokens of the validation part.  An encoder's blanks are the
// same each time, and in every run.
MUST_USE bool trainer_validate(Trainer *trainer, Validation *result, Error *err);

// Floating-point operations that one scored token takes, forward and backward: 6 for each weight of
// a matrix and 6 D for each pair of a query and a key it sees, in each head and layer.  An encoder
// reads several for each that was hidden from it: they count with it.
double trainer_flops_per_token(const Trainer *trainer);
// Bytes of weights, gradients, moments and activations.
size_t trainer_bytes(const Trainer *trainer);

#endif
