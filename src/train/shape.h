// shape.h - from settings to a model that has no weights yet.
#ifndef HEED_TRAIN_SHAPE_H
#define HEED_TRAIN_SHAPE_H

#include "model/create.h"
#include "train/settings.h"

// Do the settings that are given fit together?  Those that only some architectures have are refused
// for any other.  Asked before any work: what is 0 will be fitted.  ERROR_USAGE.
MUST_USE bool shape_check(const Settings *settings, Error *err);

// The plan of a model with these (complete) settings.
MUST_USE bool shape_plan(Arena *arena, const Settings *settings, const Vocab *vocab,
                         const char *name, ModelPlan *plan, Error *err);

#endif
