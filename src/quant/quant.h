// quant.h - rows of numbers between f32 and every stored type, in plain C.
//
// These are the definitions: the block layouts are byte-equal to the published ones (see blocks.h),
// and the vector kernels are tested against them.
#ifndef HEED_QUANT_QUANT_H
#define HEED_QUANT_QUANT_H

#include "quant/dtype.h"

// Decodes `n` values of a row; n is a multiple of the block.  Every DType can be decoded.
void quant_decode(DType dtype, const void *row, float *values, int64_t n);

// Can quant_encode write this type?  (F32 F16 BF16 Q8_0 Q4_0 Q4_K Q5_K Q6_K)
bool quant_can_encode(DType dtype);

// Encodes `n` finite values; n is a multiple of the block and quant_can_encode(dtype) holds.
// `importance` (n values >= 0, or NULL) weighs the error of each column in the K types.
void quant_encode(DType dtype, const float *values, const float *importance, void *row, int64_t n);

#endif
