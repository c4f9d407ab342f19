// test_limits.c - the kernels that measure the machine do what they count, and so do the limits
// made of them.  Nothing here depends on how fast the machine is.
#include "look/limits.h"
#include "tests/kernel_check.h"

// ---------------------------------------------------------------- the kernels
static bool counts_right(const Kernels *k, const char *name, double (*limit)(int64_t, float *)) {
    float none = -1, sink = -1;
    double one = limit(1, &sink), many = limit(1000, &sink);
    return KERNEL_CHECK(limit(0, &none) == 0 && one > 0, k, "%s: operations of a round: %g", name,
                        one) &&
           KERNEL_CHECK(many == 1000 * one, k, "%s: %g operations, then %g", name, one, many) &&
           KERNEL_CHECK(isfinite(sink) && sink != 0, k, "%s: sum %g", name, (double)sink);
}

static bool arithmetic_right(const Kernels *k) {
    return counts_right(k, "f32", k->limit_f32) && counts_right(k, "int8", k->limit_int8) &&
           (!k->limit_bf16 || counts_right(k, "bf16", k->limit_bf16));
}
TEST(limits, arithmetic_counts) {
    check_tables(arithmetic_right);
}

// Every pattern reads every line once, and nothing else: lengths around the shares of 8 streams.
static bool reads_all(const Kernels *k) {
    for (int lines = 0; lines <= 40; lines++) {
        for (int extra = 0; extra < READ_LINE; extra += 21) {
            size_t bytes = (size_t)lines * READ_LINE + (size_t)extra;
            const char *p = input_bytes(bytes, 0);
            uint64_t want = 0, word;
            for (int i = 0; i < lines * READ_LINE / 8; i++) {
                memcpy(&word, p + 8 * i, 8);
                want ^= word;
            }
            for (int pattern = 0; pattern < READ_PATTERNS; pattern++) {
                uint64_t got = k->limit_read(p, bytes, pattern);
                if (!KERNEL_CHECK(got == want, k, "%d lines, pattern %d", lines, pattern))
                    return false;
            }
            buffers_free();
        }
    }
    return true;
}
TEST(limits, reading_reads_all) {
    check_tables(reads_all);
}

// ---------------------------------------------------------------- the measurement
static int64_t steps_left, last_done, last_total;

static bool on_step(void *user, int64_t done, int64_t total) {
    (void)user;
    last_done = done;
    last_total = total;
    return --steps_left != 0;
}

TEST(limits, measured) {
    Error err = {0};
    Limits limits;
    const Kernels *kernels = kernels_best();
    Pool *pool = pool_open(2, &err);
    LimitsSpec spec = {.kernels = kernels, .read_bytes = (3 << 20) + 5, .repeat = 1};
    spec.on_step = on_step;
    for (int threads = 1; threads <= 2; threads++) {
        spec.pool = threads == 1 ? NULL : pool;
        steps_left = -1;
        if (!CHECK(limits_measure(&spec, &limits, &err))) break;
        CHECK(limits.read > 0 && limits.f32 > 0 && limits.int8 > 0);
        CHECK((limits.bf16 > 0) == (kernels->limit_bf16 != NULL));
        CHECK(limits.read_pattern >= 0 && limits.read_pattern < READ_PATTERNS);
        CHECK_EQUAL(limits.read_bytes, 3 << 20);
        CHECK_EQUAL(last_done, last_total);
        CHECK_EQUAL(last_total, 3 + READ_PATTERNS);
    }
    pool_close(pool);
}

TEST(limits, can_be_stopped) {
    Error err;
    Limits limits;
    LimitsSpec spec = {
        .kernels = kernels_named("scalar"), .read_bytes = 1 << 20, .repeat = 1, .on_step = on_step};
    for (int after = 1; after < 6; after += 4) { // in the arithmetic, in the reading
        steps_left = after;
        CHECK_FAILS(limits_measure(&spec, &limits, &err), err, ERROR_CANCELLED, "stopped");
        CHECK_EQUAL(last_done, after);
    }
}
