// checkpoint.h - training that can be taken up again.
//
// A checkpoint is a GGUF file of the model as it is, in f32, which any engine can run; what an
// engine does not know lies beside it: the tensor train.moments, and under heed.train.* the
// settings, the progress and the fingerprint of the corpus.  It is written to a temporary file,
// synced and renamed (base/file.h): whatever happens, the newest complete one is there.
#ifndef HEED_TRAIN_CHECKPOINT_H
#define HEED_TRAIN_CHECKPOINT_H

#include "train/trainer.h"

// A run is a folder: step-00000500.gguf, best.gguf (weights alone), train.jsonl ...
Str checkpoint_path(Arena *arena, const char *folder, int64_t step);
// The newest checkpoint of the folder; empty: none.
Str checkpoint_newest(Arena *arena, const char *folder);

// Writes a checkpoint of the trainer and then takes away the oldest ones beyond settings->keep.
MUST_USE bool checkpoint_save(const Trainer *trainer, const char *folder, Error *err);

// Settings and progress of an opened checkpoint; ERROR_FORMAT if the model is none.
MUST_USE bool checkpoint_read(const Model *model, Settings *settings, TrainProgress *progress,
                              Error *err);
// Gives a trainer, opened on that (thawed) model and the same corpus, what the checkpoint has.
// ERROR_USAGE if the corpus is another.
MUST_USE bool checkpoint_restore(Trainer *trainer, const TrainProgress *progress, Error *err);

#endif
