// kernel_check.h - what the kernel checks share: random data, buffers that notice a stray access,
// and a loop over all tables that this processor can run.
//
// Inputs end where their allocation ends, so that a sanitizer sees a read past them, and start off
// any alignment that their type does not promise.  Outputs lie between canaries.
#ifndef HEED_TESTS_KERNEL_CHECK_H
#define HEED_TESTS_KERNEL_CHECK_H

#include <stdlib.h>

#include "kernels/kernels.h"
#include "quant/half.h"
#include "quant/quant.h"
#include "quant/unpack.h"
#include "tests/test.h"

// Reports (and returns) a failed condition with the table's name in front.
#define KERNEL_CHECK(ok, kernels, format, ...) \
    test_check((ok), __FILE__, __LINE__, "%s: " format, (kernels)->name, __VA_ARGS__)

// ---------------------------------------------------------------- random data

static uint64_t check_state = 0x9e3779b97f4a7c15u;

static inline uint32_t random_bits(void) { // xorshift64*
    check_state ^= check_state >> 12;
    check_state ^= check_state << 25;
    check_state ^= check_state >> 27;
    return (uint32_t)(check_state * 0x2545f4914f6cdd1du >> 32);
}

static inline float random_float(void) { // uniform in -1 .. 1
    return (float)(int32_t)random_bits() * 0x1p-31f;
}

static inline int random_below(int n) {
    return (int)(random_bits() % (uint32_t)n);
}

// ---------------------------------------------------------------- buffers

enum { BUFFERS_MAX = 32, CANARIES = 32 };
static void *check_buffer[BUFFERS_MAX];
static int check_buffers;

// `bytes` bytes at an address that is `offset` off a multiple of 16.
static inline void *input_bytes(size_t bytes, size_t offset) {
    require(check_buffers < BUFFERS_MAX);
    char *p = malloc(bytes + offset + 1);
    require(p);
    check_buffer[check_buffers++] = p;
    for (size_t i = 0; i < bytes + offset; i++) p[i] = (char)random_bits();
    return p + offset;
}

static inline float *input_floats(int64_t n) {
    float *x = input_bytes((size_t)n * sizeof *x, 4);
    for (int64_t i = 0; i < n; i++) x[i] = random_float();
    return x;
}

static const uint32_t canary_bits = 0x7fa5c3e1; // a NaN that no arithmetic produces

// n floats, all canaries, with more of them before and behind.
static inline float *output_floats(int64_t n) {
    uint32_t *p = input_bytes((size_t)(n + 2 * CANARIES) * sizeof *p, 4);
    for (int64_t i = 0; i < n + 2 * CANARIES; i++) p[i] = canary_bits;
    return (float *)p + CANARIES;
}

// Is every float outside the first `width` of each of `rows` rows of `stride` still a canary?
static inline bool output_intact(const float *out, int64_t rows, int64_t width, int64_t stride) {
    int64_t n = rows > 0 ? (rows - 1) * stride + width : 0;
    for (int64_t i = -CANARIES; i < n + CANARIES; i++) {
        bool inside = i >= 0 && i < n && i % stride < width;
        if (!inside && memcmp(out + i, &canary_bits, sizeof canary_bits)) return false;
    }
    return true;
}

static inline void buffers_free(void) {
    while (check_buffers) free(check_buffer[--check_buffers]);
}

// ---------------------------------------------------------------- comparisons

static inline bool same_bits(const float *a, const float *b, int64_t n) {
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static inline bool within(float value, double want, double tolerance) {
    return fabs((double)value - want) <= tolerance; // false for a NaN
}

// Runs a check on every table; `check` stops at its first failure.
static inline void check_tables(bool (*check)(const Kernels *kernels)) {
    const Kernels *tables[4];
    int n = kernels_all(tables);
    for (int i = 0; i < n; i++) {
        check(tables[i]);
        buffers_free();
    }
}

#endif
