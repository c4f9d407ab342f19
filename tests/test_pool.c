// test_pool.c - every unit is done once, by any number of threads, and no region is lost.
#include "base/pool.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/rng.h"
#include "tests/test.h"

enum { UNITS_MAX = 4096, WORKERS_MAX = 8 };

// What a region has seen.  `done` is plain memory on purpose: the thread checker sees whether the
// end of a region orders it before the caller's reads.
typedef struct Seen {
    int done[UNITS_MAX];
    int64_t n, grain;
    atomic_int running[WORKERS_MAX];
    atomic_int n_wrong;
    int n_threads;
} Seen;

static void mark(void *arg, int64_t begin, int64_t end, int worker) {
    Seen *seen = arg;
    if (worker < 0 || worker >= seen->n_threads || begin < 0 || end > seen->n || begin >= end) {
        atomic_fetch_add(&seen->n_wrong, 1);
        return;
    }
    if (atomic_fetch_add(&seen->running[worker], 1) != 0) atomic_fetch_add(&seen->n_wrong, 1);
    if (end - begin < seen->grain && seen->n >= seen->grain) atomic_fetch_add(&seen->n_wrong, 1);
    if (begin % seen->grain != 0) atomic_fetch_add(&seen->n_wrong, 1);
    for (int64_t i = begin; i < end; i++) seen->done[i]++;
    atomic_fetch_sub(&seen->running[worker], 1);
}

// One region; false unless every unit was done once and every chunk was as promised.
static bool region_is_right(Pool *pool, Seen *seen, int64_t n, int64_t grain) {
    memset(seen->done, 0, sizeof seen->done);
    seen->n = n;
    seen->grain = grain;
    seen->n_threads = pool_threads(pool);
    atomic_store(&seen->n_wrong, 0);
    pool_run(pool, mark, seen, n, grain);
    if (atomic_load(&seen->n_wrong) != 0) return false;
    for (int64_t i = 0; i < UNITS_MAX; i++) {
        if (seen->done[i] != (i < n)) return false;
    }
    return true;
}

static Pool *open_or_report(int threads) {
    Error err = {0};
    Pool *pool = pool_open(threads, &err);
    test_check(pool != NULL, __FILE__, __LINE__, "pool_open(%d): %s", threads, err.text);
    return pool;
}

TEST(pool, every_unit_once) {
    static const int64_t sizes[] = {0, 1, 2, 3, 7, 16, 17, 31, 32, 33, 100, 1000, UNITS_MAX};
    static const int64_t grains[] = {1, 2, 3, 16, 1000, 100000};
    static Seen seen;
    for (int threads = 1; threads <= 4; threads++) {
        Pool *pool = open_or_report(threads);
        if (!pool) return;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            for (size_t j = 0; j < sizeof grains / sizeof *grains; j++) {
                bool ok = region_is_right(pool, &seen, sizes[i], grains[j]);
                test_check(ok, __FILE__, __LINE__, "%d threads, %d units, grain %d", threads,
                           (int)sizes[i], (int)grains[j]);
            }
        }
        pool_close(pool);
    }
}

TEST(pool, no_pool_runs_at_once) {
    static Seen seen;
    CHECK(region_is_right(NULL, &seen, 100, 7));
    CHECK_EQUAL(pool_threads(NULL), 1);
    pool_close(NULL);
}

static void count(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    atomic_fetch_add_explicit((atomic_llong *)arg, end - begin, memory_order_relaxed);
}

// Regions in quick succession: late workers meet the next region's word.
TEST(pool, many_tiny_regions) {
    for (int threads = 2; threads <= 4; threads++) {
        Pool *pool = open_or_report(threads);
        if (!pool) return;
        atomic_llong total = 0;
        long long wanted = 0;
        Rng rng = rng_seed(test_seed());
        for (int i = 0; i < 3000; i++) {
            int64_t n = (int64_t)rng_below(&rng, 12);
            pool_run(pool, count, &total, n, 1);
            wanted += n;
        }
        CHECK_EQUAL(atomic_load(&total), wanted);
        pool_close(pool);
    }
}

static void pause_seconds(double seconds) {
    double end = clock_seconds() + seconds;
    while (clock_seconds() < end) continue;
}

// Waits longer than the workers spin, so that each region wakes sleepers.
TEST(pool, regions_after_sleep) {
    Pool *pool = open_or_report(3);
    if (!pool) return;
    atomic_llong total = 0;
    for (int i = 0; i < 100; i++) {
        pause_seconds(200e-6);
        pool_run(pool, count, &total, 64, 1);
    }
    CHECK_EQUAL(atomic_load(&total), 6400);
    pool_close(pool);
}

typedef struct Slow {
    atomic_int n_started, n_done;
} Slow;

// The caller waits (a second at most) until a worker has begun; workers take their time.
static void dawdle(void *arg, int64_t begin, int64_t end, int worker) {
    Slow *slow = arg;
    double start = clock_seconds();
    if (worker > 0) {
        atomic_fetch_add(&slow->n_started, 1);
        pause_seconds(3e-3);
    } else {
        while (atomic_load(&slow->n_started) == 0 && clock_seconds() < start + 1) continue;
    }
    atomic_fetch_add(&slow->n_done, (int)(end - begin));
}

TEST(pool, sleepers_wake_and_are_waited_for) {
    Pool *pool = open_or_report(2);
    if (!pool || pool_threads(pool) == 1) return;
    for (int i = 0; i < 10; i++) {
        Slow slow = {0};
        pause_seconds(1e-3);
        pool_run(pool, dawdle, &slow, 4, 1);
        CHECK_EQUAL(atomic_load(&slow.n_done), 4);
        CHECK(atomic_load(&slow.n_started) > 0);
    }
    pool_close(pool);
}

TEST(pool, open_and_close_often) {
    for (int i = 0; i < 100; i++) {
        Pool *pool = open_or_report(1 + i % 4);
        if (!pool) return;
        atomic_llong total = 0;
        if (i % 2) pool_run(pool, count, &total, 10, 1);
        CHECK_EQUAL(atomic_load(&total), i % 2 ? 10 : 0);
        pool_close(pool);
    }
}

// The number of threads may change between tokens; the work may not.
TEST(pool, tokens_keep_every_unit) {
    static Seen seen;
    Pool *pool = open_or_report(4);
    if (!pool) return;
    double end = clock_seconds() + 0.3;
    while (clock_seconds() < end) {
        pool_token_begin(pool);
        for (int i = 0; i < 8; i++) {
            if (!CHECK(region_is_right(pool, &seen, UNITS_MAX, 8))) return;
        }
        pool_token_end(pool);
    }
    pool_close(pool);
    pool_token_begin(NULL);
    pool_token_end(NULL);
}

TEST(pool, refuses_impossible_numbers) {
#ifdef __wasm__
    test_skip("one thread only: any number is accepted");
#else
    Error err;
    CHECK_FAILS(pool_open(-1, &err), err, ERROR_USAGE, "-1 threads");
    CHECK_FAILS(pool_open(1000000, &err), err, ERROR_USAGE, "1000000 threads");
    Pool *pool = open_or_report(0);
    CHECK(pool_threads(pool) >= 1);
    pool_close(pool);
#endif
}
