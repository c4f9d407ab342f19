// fault.h - where in a forward numbers end.
#ifndef HEED_TRAIN_FAULT_H
#define HEED_TRAIN_FAULT_H

#include "model/model.h"

// Runs the batch once more and looks at every value on the way.  Always false: the message names
// the step, and the first weight or the first value of the forward that is not a number.
bool fault_in_forward(Run *run, Model *model, const Batch *batch, int64_t step, Error *err);

#endif
