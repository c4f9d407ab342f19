// limits.h - what this machine can do at most, measured: the yardstick for the speed of a model.
//
//   read       the best of READ_PATTERNS ways to read one large buffer (1 to 8 streams, with and
//              without prefetch); all threads share the buffer
//   f32, int8  multiply-adds in registers, in the way the kernels do them; a multiply-add is two
//   bf16       operations.  bf16 is 0 where the processor has no products of bf16.
//
// Every figure is the best of several repetitions: a limit is what is possible, and what other
// programs take away in the meantime does not make it smaller.
#ifndef HEED_LOOK_LIMITS_H
#define HEED_LOOK_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "kernels/kernels.h"

// The usual size of the buffer: far above any cache.
#define LIMITS_READ_BYTES ((size_t)1536 << 20)

typedef struct LimitsSpec {
    const Kernels *kernels;
    Pool *pool;        // NULL: one thread
    size_t read_bytes; // of the buffer, 1 MiB at least; it is taken and given back
    int repeat;        // >= 1: passes over the buffer for each pattern, 25 tries at each peak
    // Told after each measurement; false cancels.  NULL: nobody listens.
    bool (*on_step)(void *user, int64_t done, int64_t total);
    void *user;
} LimitsSpec;

typedef struct Limits {
    double read;            // bytes a second
    double f32, bf16, int8; // operations a second
    int read_pattern;       // the one that was the fastest
    size_t read_bytes;
} Limits;

// ERROR_MEMORY when the buffer is refused, ERROR_CANCELLED when on_step says so.
MUST_USE bool limits_measure(const LimitsSpec *spec, Limits *limits, Error *err);

// The peak of f32 arithmetic alone, in operations a second: some milliseconds.
double limits_peak_f32(const Kernels *kernels, Pool *pool);

#endif
