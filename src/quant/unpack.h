// unpack.h - what all quantised types have in common: small integers, and a scale for each group.
//
//   value i = scale[i / group] * q[i] - minimum[i / group]
//
// holds for each of them, with the same rounding as in the published decoders.  So a type is
// defined by one function that fills an Unpacked; decoding a row and the scalar product are written
// once.
#ifndef HEED_QUANT_UNPACK_H
#define HEED_QUANT_UNPACK_H

#include <stdint.h>

#include "quant/dtype.h"

typedef struct Unpacked {
    int8_t q[256];     // as many as the block has values
    float scale[16];   // one for each group
    float minimum[16]; // 0 for the types without one
} Unpacked;

// Unpacks one block; every field that the block has is written.
typedef void UnpackBlock(const void *block, Unpacked *u);

UnpackBlock unpack_q4_0, unpack_q4_1, unpack_q5_0, unpack_q5_1, unpack_q8_0, unpack_iq4_nl,
    unpack_mxfp4, unpack_q2_k, unpack_q3_k, unpack_q4_k, unpack_q5_k, unpack_q6_k, unpack_iq4_xs;

// The function of a quantised type, and its values in a group: 16 (Q2_K, Q3_K, Q6_K) or 32.
UnpackBlock *unpack_function(DType dtype);
int unpack_group(DType dtype);

#endif
