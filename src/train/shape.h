// shape.h - from settings to a model that has no weights yet.
#ifndef HEED_TRAIN_SHAPE_H
#define HEED_TRAIN_SHAPE_H

#include "model/create.h"
#include "train/settings.h"

// The plan of a model with these (complete) settings.  Settings that only heed's own architecture
// has are refused for any other (ERROR_USAGE).
MUST_USE bool shape_plan(Arena *arena, const Settings *settings, const Vocab *vocab,
                         const char *name, ModelPlan *plan, Error *err);

#endif
