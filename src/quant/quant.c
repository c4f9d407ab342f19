// quant.c - one table: DType -> how it is unpacked and how it is encoded.
#include "quant/quant.h"

#include <string.h>

#include "base/error.h"
#include "quant/encode.h"
#include "quant/half.h"
#include "quant/unpack.h"

typedef struct QuantType {
    UnpackBlock *unpack; // NULL for F32, F16 and BF16
    int group;           // values with one scale
    EncodeRow *encode;   // NULL if the type is only read
} QuantType;

static const QuantType quant_table[DTYPE_LIMIT] = {
    [DTYPE_F32] = {NULL, 0, encode_f32},           [DTYPE_F16] = {NULL, 0, encode_f16},
    [DTYPE_BF16] = {NULL, 0, encode_bf16},         [DTYPE_Q4_0] = {unpack_q4_0, 32, encode_q4_0},
    [DTYPE_Q4_1] = {unpack_q4_1, 32, NULL},        [DTYPE_Q5_0] = {unpack_q5_0, 32, NULL},
    [DTYPE_Q5_1] = {unpack_q5_1, 32, NULL},        [DTYPE_Q8_0] = {unpack_q8_0, 32, encode_q8_0},
    [DTYPE_IQ4_NL] = {unpack_iq4_nl, 32, NULL},    [DTYPE_MXFP4] = {unpack_mxfp4, 32, NULL},
    [DTYPE_Q2_K] = {unpack_q2_k, 16, NULL},        [DTYPE_Q3_K] = {unpack_q3_k, 16, NULL},
    [DTYPE_Q4_K] = {unpack_q4_k, 32, encode_q4_k}, [DTYPE_Q5_K] = {unpack_q5_k, 32, encode_q5_k},
    [DTYPE_Q6_K] = {unpack_q6_k, 16, encode_q6_k}, [DTYPE_IQ4_XS] = {unpack_iq4_xs, 32, NULL},
};

UnpackBlock *unpack_function(DType dtype) {
    require(dtype_is_quantized(dtype));
    return quant_table[dtype].unpack;
}

int unpack_group(DType dtype) {
    require(dtype_is_quantized(dtype));
    return quant_table[dtype].group;
}

static void decode_f16(const uint16_t *row, float *values, int64_t n) {
    for (int64_t i = 0; i < n; i++) values[i] = f16_to_f32(row[i]);
}

static void decode_bf16(const uint16_t *row, float *values, int64_t n) {
    for (int64_t i = 0; i < n; i++) values[i] = bf16_to_f32(row[i]);
}

static void decode_blocks(DType dtype, const char *row, float *values, int64_t n) {
    int block = dtype_block_values(dtype), block_bytes = dtype_block_bytes(dtype);
    int group = unpack_group(dtype);
    UnpackBlock *unpack = unpack_function(dtype);
    Unpacked u;
    for (int64_t done = 0; done < n; done += block, row += block_bytes) {
        unpack(row, &u);
        for (int i = 0; i < block; i++) {
            values[done + i] = u.scale[i / group] * (float)u.q[i] - u.minimum[i / group];
        }
    }
}

void quant_decode(DType dtype, const void *row, float *values, int64_t n) {
    require(n % dtype_block_values(dtype) == 0);
    if (dtype == DTYPE_F32) {
        memcpy(values, row, (size_t)n * sizeof *values);
    } else if (dtype == DTYPE_F16) {
        decode_f16(row, values, n);
    } else if (dtype == DTYPE_BF16) {
        decode_bf16(row, values, n);
    } else {
        decode_blocks(dtype, row, values, n);
    }
}

bool quant_can_encode(DType dtype) {
    return dtype_known((int64_t)dtype) && quant_table[dtype].encode;
}

void quant_encode(DType dtype, const float *values, const float *importance, void *row, int64_t n) {
    require(quant_can_encode(dtype) && n % dtype_block_values(dtype) == 0);
    quant_table[dtype].encode(values, importance, row, n);
}
