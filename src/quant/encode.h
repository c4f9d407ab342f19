// encode.h - the encoders behind quant_encode (inside quant/ only).
#ifndef HEED_QUANT_ENCODE_H
#define HEED_QUANT_ENCODE_H

#include <stdint.h>

// Encodes n values, a multiple of the block; `importance` may be NULL.
typedef void EncodeRow(const float *values, const float *importance, void *row, int64_t n);

EncodeRow encode_f32, encode_f16, encode_bf16, encode_q8_0, encode_q4_0; // these ignore importance
EncodeRow encode_q4_k, encode_q5_k, encode_q6_k;

#endif
