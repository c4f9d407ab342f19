// limits.c - regions of work that do nothing but read, or nothing but multiply.
//
// Both are cut into more pieces than there are threads, so that a thread that loses its core for a
// while leaves its share to the others.
#include "look/limits.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

enum {
    BLOCK_BYTES = 1 << 20, // unit of the buffer
    PEAK_REGIONS = 25,     // tries at a peak, for each repetition: about a millisecond each
    SLICES = 4             // pieces of such a region, for each thread
};
static const double SLICE_SECONDS = 0.25e-3;

typedef struct Bench {
    const LimitsSpec *spec;
    int64_t done, total;
    // the region: a peak, or a pattern of reading
    double (*peak)(int64_t n, float *sink);
    int64_t rounds;
    char *buffer;
    int pattern;
} Bench;

static bool step(Bench *b, Error *err) {
    const LimitsSpec *spec = b->spec;
    b->done++;
    if (!spec->on_step || spec->on_step(spec->user, b->done, b->total)) return true;
    return error_set(err, ERROR_CANCELLED, "stopped while measuring the machine");
}

// ---------------------------------------------------------------- arithmetic
static void peak_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const Bench *b = arg;
    float sink;
    for (int64_t i = begin; i < end; i++) b->peak(b->rounds, &sink);
}

// Operations a second of all threads.  The number of rounds grows until a slice takes long enough
// to measure.
static double peak_rate(Bench *b, double (*peak)(int64_t n, float *sink)) {
    if (!peak) return 0;
    double ops = 0, best = 0;
    float sink;
    b->peak = peak;
    for (b->rounds = 64;; b->rounds *= 2) {
        double begun = clock_seconds();
        ops = peak(b->rounds, &sink);
        if (clock_seconds() - begun >= SLICE_SECONDS) break;
    }
    int64_t slices = (int64_t)pool_threads(b->spec->pool) * SLICES;
    for (int i = 0; i < PEAK_REGIONS * b->spec->repeat; i++) {
        double begun = clock_seconds();
        pool_run(b->spec->pool, peak_task, b, slices, 1);
        double rate = ops * (double)slices / (clock_seconds() - begun);
        if (rate > best) best = rate;
    }
    return best;
}

// ---------------------------------------------------------------- memory
// Pages that were never written are all one page of zeros.
static void fill_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const Bench *b = arg;
    memset(b->buffer + begin * BLOCK_BYTES, (int)(begin % 251) + 1,
           (size_t)(end - begin) * BLOCK_BYTES);
}

static void read_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const Bench *b = arg;
    b->spec->kernels->limit_read(b->buffer + begin * BLOCK_BYTES,
                                 (size_t)(end - begin) * BLOCK_BYTES, b->pattern);
}

static bool measure_reading(Bench *b, Limits *limits, Error *err) {
    int64_t blocks = (int64_t)(limits->read_bytes / BLOCK_BYTES);
    pool_run(b->spec->pool, fill_task, b, blocks, 1);
    for (int i = 0; i < b->spec->repeat; i++) {
        for (b->pattern = 0; b->pattern < READ_PATTERNS; b->pattern++) {
            double begun = clock_seconds();
            pool_run(b->spec->pool, read_task, b, blocks, 1);
            double rate = (double)limits->read_bytes / (clock_seconds() - begun);
            if (rate > limits->read) {
                limits->read = rate;
                limits->read_pattern = b->pattern;
            }
            if (!step(b, err)) return false;
        }
    }
    return true;
}

bool limits_measure(const LimitsSpec *spec, Limits *limits, Error *err) {
    require(spec->repeat >= 1 && spec->read_bytes >= BLOCK_BYTES);
    Bench b = {.spec = spec, .total = 3 + (int64_t)spec->repeat * READ_PATTERNS};
    const Kernels *kernels = spec->kernels;
    *limits = (Limits){.read_bytes = spec->read_bytes / BLOCK_BYTES * BLOCK_BYTES};
    limits->f32 = peak_rate(&b, kernels->limit_f32);
    if (!step(&b, err)) return false;
    limits->bf16 = peak_rate(&b, kernels->limit_bf16);
    if (!step(&b, err)) return false;
    limits->int8 = peak_rate(&b, kernels->limit_int8);
    if (!step(&b, err)) return false;
    b.buffer = memory_reserve(limits->read_bytes);
    if (!b.buffer)
        return error_set(err, ERROR_MEMORY, "no memory for a buffer of %zu bytes to read",
                         limits->read_bytes);
    bool ok = measure_reading(&b, limits, err);
    memory_release(b.buffer, limits->read_bytes);
    return ok;
}

double limits_peak_f32(const Kernels *kernels, Pool *pool) {
    LimitsSpec spec = {.kernels = kernels, .pool = pool, .repeat = 1};
    Bench b = {.spec = &spec};
    return peak_rate(&b, kernels->limit_f32);
}
