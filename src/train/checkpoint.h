// checkpoint.h - training that can be taken up again.
//
// A checkpoint is a GGUF file of the model as it is, in f32, which any engine can run; where only
// adapters learn it is their file (model/adapter.h).  What an engine does not know lies beside it:
// the tensor train.moments, and under heed.train.* the settings, the progress, the fingerprint of
// the corpus, and for adapters path and fingerprint of the model that they belong to.  It is
// written to a temporary file, synced and renamed (base/file.h): whatever happens, the newest
// complete one is there.
#ifndef HEED_TRAIN_CHECKPOINT_H
#define HEED_TRAIN_CHECKPOINT_H

#include "train/trainer.h"

// A run is a folder: step-00000500.gguf, best.gguf (weights alone), train.jsonl ...
Str checkpoint_path(Arena *arena, const char *folder, int64_t step);
// The newest checkpoint of the folder; empty: none.
Str checkpoint_newest(Arena *arena, const char *folder);

// Writes a checkpoint of the trainer and then takes away the oldest ones beyond settings->keep.
MUST_USE bool checkpoint_save(const Trainer *trainer, const char *folder, Error *err);

// Takes away the checkpoints and best weights of an earlier run in the folder.
MUST_USE bool checkpoint_clear(const char *folder, Error *err);

// The weights alone, or the adapters with the path of their model.
MUST_USE bool checkpoint_save_weights(const Trainer *trainer, const char *path, Error *err);

// Settings and progress of an opened checkpoint; ERROR_FORMAT if the file is none.
MUST_USE bool checkpoint_read(const GgufFile *file, Settings *settings, TrainProgress *progress,
                              Error *err);
// The path of the model that a checkpoint of adapters belongs to; empty: it is a model itself.
MUST_USE bool checkpoint_base(const GgufFile *file, Str *path, Error *err);
// Gives a trainer, opened on the checkpoint's (thawed) model or with its adapters, and on the same
// corpus, what else the checkpoint has.  ERROR_USAGE if corpus or base are others.
MUST_USE bool checkpoint_restore(Trainer *trainer, const GgufFile *file,
                                 const TrainProgress *progress, Error *err);

#endif
