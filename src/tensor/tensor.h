// tensor.h - a block of numbers with a shape.
//
// Row-major, the last dimension contiguous, as in NumPy and in papers (never GGUF's reversed
// order).  A tensor does not own its numbers: weights point into a mapped file or a parameter
// block, results into a run's step arena.  Results are always f32; weights have any DType.
#ifndef HEED_TENSOR_TENSOR_H
#define HEED_TENSOR_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "quant/panels.h"

enum { TENSOR_RANK_MAX = 4 };

typedef struct Adapter Adapter;

typedef struct Tensor {
    DType dtype;
    int rank;
    int64_t dim[TENSOR_RANK_MAX]; // dim[rank-1] is contiguous
    void *data;                   // NULL: absent (an optional weight) or only planned (dry run)
    float *grad;                  // same shape, f32; NULL unless it is being trained or taped
    bool in_panels;               // a weight (rank 2) whose rows lie in panels (quant/panels.h)
    const Adapter *adapter;       // what products with this weight add, or NULL
    int64_t adapter_row;          // of its first row in the adapter: views have another
} Tensor;

// A low-rank addition to a frozen weight w (O, I): w + scale b a (Hu et al. 2021, arXiv
// 2106.09685).
struct Adapter {
    Tensor a, b; // (r, I) (O, r), f32
    float scale;
};

static inline int64_t tensor_count(const Tensor *t) {
    int64_t n = 1;
    for (int i = 0; i < t->rank; i++) n *= t->dim[i];
    return n;
}
// The last dimension, and the product of the others.
static inline int64_t tensor_cols(const Tensor *t) {
    return t->dim[t->rank - 1];
}
static inline int64_t tensor_rows(const Tensor *t) {
    int64_t n = 1;
    for (int i = 0; i < t->rank - 1; i++) n *= t->dim[i];
    return n;
}
static inline float *tensor_f32(const Tensor *t) {
    return (float *)t->data;
}
static inline size_t tensor_row_bytes(const Tensor *t) {
    return dtype_row_bytes(t->dtype, tensor_cols(t));
}
// Of the data; a last panel counts as a whole one.
static inline size_t tensor_bytes(const Tensor *t) {
    if (t->in_panels)
        return panel_bytes(t->dtype, tensor_cols(t)) * (size_t)panel_count(tensor_rows(t));
    return tensor_row_bytes(t) * (size_t)tensor_rows(t);
}
static inline const void *tensor_row(const Tensor *t, int64_t row) {
    require(!t->in_panels);
    return (const char *)t->data + tensor_row_bytes(t) * (size_t)row;
}
// The panel of rows 32 i .. 32 i + 31.
static inline const void *tensor_panel(const Tensor *t, int64_t i) {
    require(t->in_panels);
    return (const char *)t->data + panel_bytes(t->dtype, tensor_cols(t)) * (size_t)i;
}
// Rows from .. from+n-1 of a 2-D tensor, or values of a 1-D one: a view, sharing data and grad.
// In panels, `from` is the first row of one.
Tensor tensor_slice(const Tensor *t, int64_t from, int64_t n);

#endif
