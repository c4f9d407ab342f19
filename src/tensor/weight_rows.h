// weight_rows.h - rows of a weight as f32, whatever its type and layout.
#ifndef HEED_TENSOR_WEIGHT_ROWS_H
#define HEED_TENSOR_WEIGHT_ROWS_H

#include "tensor/run.h"

// Rows that need no decoding: F32, one after the other.
static inline bool weight_lies_as_f32(const Tensor *w) {
    return w->dtype == DTYPE_F32 && !w->in_panels;
}

// Rows from .. from+n-1: where they lie, or decoded into `rows` (n, I) by the threads of the run.
// In panels, `from` is the first row of one.  While the run is dry its memory is counted only.
const float *weight_rows(Run *run, const Tensor *w, int64_t from, int64_t n, float *rows);

// Row `row` alone, by the calling thread.
void weight_row(Run *run, const Tensor *w, int64_t row, float *values);

#endif
