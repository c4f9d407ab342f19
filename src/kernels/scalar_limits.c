// scalar_limits.c - what plain C can do at most, in the way the scalar products are written; see
// body_limits.inl.
#include <string.h>

#include "kernels/scalar.h"

enum { LANES = 2 * SCALAR_LANES };

// The start depends on n: a compiler that knew it would work out the loop itself.
static double limit_f32(int64_t n, float *sink) {
    float lane[LANES];
    for (int i = 0; i < LANES; i++) lane[i] = (float)(n % 8 + 1 + i);
    for (int64_t round = 0; round < n; round++) {
        for (int i = 0; i < LANES; i++) lane[i] += lane[i] * 1e-9f;
    }
    for (int i = 0; i < SCALAR_LANES; i++) lane[i] += lane[i + SCALAR_LANES];
    *sink = scalar_lanes_sum(lane);
    return 2.0 * LANES * (double)n;
}

// Which bytes meet changes from round to round, so no product can be computed once for all.
static double limit_int8(int64_t n, float *sink) {
    int8_t w[64], x[64];
    uint32_t sum = 0;
    for (int i = 0; i < 64; i++) {
        w[i] = (int8_t)(i - 32);
        x[i] = (int8_t)(7 * i + n % 8);
    }
    for (int64_t round = 0; round < n; round++) {
        const int8_t *rolled = x + round % 32;
        int dot = 0;
        for (int i = 0; i < 32; i++) dot += w[i] * rolled[i];
        sum += (uint32_t)dot;
    }
    *sink = (float)(int32_t)sum;
    return 2.0 * 32 * (double)n;
}

static uint64_t read_line(const char *line) {
    uint64_t word[READ_LINE / 8], all = 0;
    memcpy(word, line, sizeof word);
    for (int i = 0; i < READ_LINE / 8; i++) all ^= word[i];
    return all;
}

static uint64_t limit_read(const void *p, size_t bytes, int pattern) {
    size_t n_streams = (size_t)1 << (pattern / 2), share = bytes / n_streams / READ_LINE;
    const char *at = p;
    uint64_t all = 0;
    for (size_t i = 0; i < share; i++) {
        for (size_t s = 0; s < n_streams; s++) all ^= read_line(at + (s * share + i) * READ_LINE);
    }
    for (size_t i = share * n_streams; i < bytes / READ_LINE; i++)
        all ^= read_line(at + i * READ_LINE);
    return all;
}

void scalar_limit_entries(Kernels *table) {
    table->limit_f32 = limit_f32;
    table->limit_int8 = limit_int8;
    table->limit_read = limit_read;
}
