// pool.h - the threads of one engine, and the one way in which work is shared among them.
//
// pool_run cuts `n` units into chunks and hands them out from one atomic counter; the caller works
// too and returns when all are done.  Which thread does which chunk is undefined, so a chunk's
// result may depend only on the chunk.  Workers spin for about 30 us, then sleep on a futex or a
// condition: a forward of 150 regions never pays a wake-up, an idle program uses no CPU.
// One region at a time: pool_run is called by one thread only (a lock outside guards an engine).
#ifndef HEED_BASE_POOL_H
#define HEED_BASE_POOL_H

#include <stdint.h>

#include "base/error.h"

typedef struct Pool Pool;

// Work on units begin .. end-1.  `worker` is 0 .. pool_threads()-1 and unique among running chunks:
// the index of a scratch buffer.
typedef void PoolTask(void *arg, int64_t begin, int64_t end, int worker);

// `threads` counts the caller; 1 makes a pool without threads.  0 = the cores of this machine.
MUST_USE Pool *pool_open(int threads, Error *err);
void pool_close(Pool *pool);
int pool_threads(const Pool *pool); // a NULL pool has one thread: the caller

// Runs task over 0 .. n-1 in chunks of `grain` units at least.  A NULL pool runs it at once.
void pool_run(Pool *pool, PoolTask *task, void *arg, int64_t n, int64_t grain);

// Brackets one decoding step, the unit in which the pool judges whether all its threads are worth
// having: when other programs take cores, it tries fewer threads and keeps what is faster.  Steps
// should be of like size; work outside of brackets uses the number chosen last.  Accept NULL.
void pool_token_begin(Pool *pool);
void pool_token_end(Pool *pool);

#endif
