// open.h - the first and the last step of making a model, shared by those who open and create them.
// Private to model/.
#ifndef HEED_MODEL_OPEN_H
#define HEED_MODEL_OPEN_H

#include "model/model.h"

// An empty model with its arena; NULL: no memory.
MUST_USE Model *model_new(const char *name, Error *err);
// What follows from config and weights: a tied head, rotary speeds; and whether they fit.
MUST_USE bool model_finish(Model *model, Error *err);

#endif
