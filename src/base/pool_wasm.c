// pool_wasm.c - one thread: the caller does the work at once.
#include "base/pool.h"

#include <stddef.h>

struct Pool {
    char nothing;
};

static Pool only_pool;

Pool *pool_open(int threads, Error *err) {
    (void)threads, (void)err;
    return &only_pool;
}

void pool_close(Pool *pool) {
    (void)pool;
}

int pool_threads(const Pool *pool) {
    (void)pool;
    return 1;
}

void pool_run(Pool *pool, PoolTask *task, void *arg, int64_t n, int64_t grain) {
    (void)pool, (void)grain;
    if (n > 0) task(arg, 0, n, 0);
}

void pool_token_begin(Pool *pool) {
    (void)pool;
}

void pool_token_end(Pool *pool) {
    (void)pool;
}
