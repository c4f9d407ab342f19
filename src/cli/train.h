// train.h - what heed train shows and writes down while a model learns.
#ifndef HEED_CLI_TRAIN_H
#define HEED_CLI_TRAIN_H

#include "cli/progress.h"
#include "train/journal.h"
#include "train/training.h"

typedef struct TrainShow {
    Training *training;
    const char *folder;      // of the run: train.jsonl, train.svg
    const char *tensorboard; // folder for event files, NULL: none
    const char *prompt;      // of samples, NULL: the start of a text
    double peak;             // operations a second of this machine
    Str data;                // names of the files
    Arena arena;             // of the journal
    // inside
    Journal journal;
    Progress progress;
    const char *event_file;
    double smooth; // loss
    double shown;  // when the last line was printed
} TrainShow;

// Prints what will be trained on what, and begins or goes on with the journal.
MUST_USE bool train_show_begin(TrainShow *show, Error *err);
MUST_USE bool train_show_step(TrainShow *show, const StepReport *report, Error *err);
MUST_USE bool train_show_validation(TrainShow *show, const Validation *v, bool is_best, Error *err);
// A sample of what the model can do (train_sample.c), in `arena`, and it shown.  Can there be one?
MUST_USE bool train_sample_check(const TrainShow *show, Arena *arena, Error *err);
MUST_USE bool train_sample(TrainShow *show, Arena *arena, Str *text, Error *err);
MUST_USE bool train_show_sample(TrainShow *show, Error *err);
// The verdict, and the curves as train.svg.
MUST_USE bool train_show_end(TrainShow *show, bool is_done, Error *err);

#endif
