// dtype.h - the table of number types: how many values a block holds and how many bytes it takes.
//
// The numbers of the enum are those of the GGUF format (ggml types), so a file's type field is a
// DType once dtype_known() has accepted it.  A row of a tensor is a whole number of blocks.
#ifndef HEED_QUANT_DTYPE_H
#define HEED_QUANT_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// X(NAME, ggml number, values in a block, bytes of a block)
#define DTYPES(X)           \
    X(F32, 0, 1, 4)         \
    X(F16, 1, 1, 2)         \
    X(Q4_0, 2, 32, 18)      \
    X(Q4_1, 3, 32, 20)      \
    X(Q5_0, 6, 32, 22)      \
    X(Q5_1, 7, 32, 24)      \
    X(Q8_0, 8, 32, 34)      \
    X(Q2_K, 10, 256, 84)    \
    X(Q3_K, 11, 256, 110)   \
    X(Q4_K, 12, 256, 144)   \
    X(Q5_K, 13, 256, 176)   \
    X(Q6_K, 14, 256, 210)   \
    X(IQ4_NL, 20, 32, 18)   \
    X(IQ4_XS, 23, 256, 136) \
    X(BF16, 30, 1, 2)       \
    X(MXFP4, 39, 32, 17)

typedef enum DType {
#define X(name, number, values, bytes) DTYPE_##name = (number),
    DTYPES(X)
#undef X
} DType;

enum { DTYPE_LIMIT = 40 }; // one past the largest number: the size of tables indexed by DType

bool dtype_known(int64_t number);                     // is it one of DTYPES?
const char *dtype_name(DType dtype);                  // "Q4_K"
bool dtype_from_name(const char *name, DType *dtype); // upper or lower case
int dtype_block_values(DType dtype);                  // 32
int dtype_block_bytes(DType dtype);                   // 18
bool dtype_is_quantized(DType dtype);                 // more than one value in a block

// Bytes of a row of `n` values.  The one function that computes a size: n must be a multiple of the
// block and the bytes must fit a size_t, so callers with numbers from a file check both first.
size_t dtype_row_bytes(DType dtype, int64_t n);

#endif
