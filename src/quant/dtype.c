// dtype.c - the table of number types, unfolded from DTYPES into one array indexed by DType.
//
// The numbers have gaps (removed and unsupported ggml types): a gap is an entry without a name.
#include "quant/dtype.h"

#include "base/error.h"

typedef struct DTypeInfo {
    const char *name;
    int block_values, block_bytes;
} DTypeInfo;

static const DTypeInfo dtype_table[DTYPE_LIMIT] = {
#define X(name, number, values, bytes) [number] = {#name, (values), (bytes)},
    DTYPES(X)
#undef X
};

bool dtype_known(int64_t number) {
    return number >= 0 && number < DTYPE_LIMIT && dtype_table[number].name;
}

static const DTypeInfo *dtype_info(DType dtype) {
    require(dtype_known((int64_t)dtype));
    return &dtype_table[dtype];
}

const char *dtype_name(DType dtype) {
    return dtype_info(dtype)->name;
}

// ASCII only, whatever the locale is.
static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool equal_ignoring_case(const char *a, const char *b) {
    for (; *a && *b; a++, b++) {
        if (lower(*a) != lower(*b)) return false;
    }
    return *a == *b;
}

bool dtype_from_name(const char *name, DType *dtype) {
    for (int i = 0; i < DTYPE_LIMIT; i++) {
        if (dtype_table[i].name && equal_ignoring_case(name, dtype_table[i].name)) {
            *dtype = (DType)i;
            return true;
        }
    }
    return false;
}

int dtype_block_values(DType dtype) {
    return dtype_info(dtype)->block_values;
}

int dtype_block_bytes(DType dtype) {
    return dtype_info(dtype)->block_bytes;
}

bool dtype_is_quantized(DType dtype) {
    return dtype_info(dtype)->block_values > 1;
}

size_t dtype_row_bytes(DType dtype, int64_t n) {
    const DTypeInfo *info = dtype_info(dtype);
    require(n >= 0 && n % info->block_values == 0);
    uint64_t n_blocks = (uint64_t)(n / info->block_values);
    require(n_blocks <= SIZE_MAX / (size_t)info->block_bytes);
    return (size_t)n_blocks * (size_t)info->block_bytes;
}
