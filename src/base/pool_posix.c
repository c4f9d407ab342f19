// pool_posix.c - workers that claim chunks from one atomic word, spin a little, then sleep.
//
// The word holds generation, number of chunks and next chunk together: a worker that comes late
// cannot pair the counter of one region with the size of another, and what it claims belongs to the
// region that runs now.  The caller does not return before every chunk is finished, so task and
// argument stand still while anybody holds a chunk.
//
// A token is the unit in which the number of threads is judged.  If a neighbour takes a core, the
// system runs two of our threads in turn on one, and each waits for the other; one thread fewer is
// then faster, and nothing but trying tells.  See adapt() below.
#define _GNU_SOURCE // syscall, sched_getaffinity; only used on Linux
#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#endif

#include "base/clock.h"
#include "base/memory.h"

enum {
    THREADS_MAX = 1024,
    CHUNKS_PER_THREAD = 4, // 2 to 8 are equally fast; more cost claims, fewer balance badly
    STACK_BYTES = 2 << 20,
    TRIAL_TOKENS = 4,
};

static const double SPIN_SECONDS = 30e-6;

// When less than this share of a token is lost, nothing is tried; a trial must be this much faster.
static const double LOST_LITTLE = 0.10, WIN_FACTOR = 0.95;
// The pause after a trial, as a multiple of what the trial took (counted as TRIAL_SECONDS at
// least); it doubles while trials fail.  So a model of slow tokens does not spend its time on
// trials.
static const double PAUSE_MIN = 2, PAUSE_MAX = 16, TRIAL_SECONDS = 0.02;

// The judgement of the number of threads; times in seconds.
typedef struct Adapt {
    double wall_start, cpu_start;
    double token;     // smoothed wall time of a token with the usual number of threads
    double lost;      // smoothed share of it in which the caller did not run
    double trial_sum; // wall time of the trial so far
    int trial_left;   // tokens of the running trial; 0: none
    int usual;        // the number of threads outside a trial
    int step;         // -1: the next trial is rather of one fewer; 1: of one more
    double pause;     // the pause after the next trial, see PAUSE_MIN
    double until;     // no trial starts before
} Adapt;

typedef struct Worker {
    Pool *pool;
    pthread_t thread;
    int index; // 1 .. threads-1; the caller is 0
} Worker;

struct Pool {
    _Alignas(64) atomic_uint_fast64_t word; // generation << 32 | chunks << 16 | next chunk
    _Alignas(64) atomic_uint doorbell;      // rises with every region; workers sleep on it
    atomic_uint n_sleeping;
    _Alignas(64) atomic_uint active; // threads that may work; workers from here on are parked on it
    _Alignas(64) atomic_uint n_done; // chunks finished; the caller sleeps on it
    atomic_bool caller_waits;
    _Alignas(64) PoolTask *task; // the region: written while no chunk is out
    void *arg;
    int64_t n, grain, n_blocks, n_chunks;
    atomic_bool quits;
    int threads;
    Adapt adapt;
    Worker worker[THREADS_MAX];
};

// ---- waiting for a word to change -----------------------------------------------------------

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#ifdef __linux__
// Sleeps while *word == old; may wake early.
static void word_sleep(atomic_uint *word, unsigned old) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
}

static void word_wake(atomic_uint *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static int machine_cores(void) {
    cpu_set_t set; // the cores that this process may use, which can be fewer than there are
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}
#else
static pthread_mutex_t word_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t word_changed = PTHREAD_COND_INITIALIZER;

static void word_sleep(atomic_uint *word, unsigned old) {
    pthread_mutex_lock(&word_mutex);
    if (atomic_load(word) == old) pthread_cond_wait(&word_changed, &word_mutex);
    pthread_mutex_unlock(&word_mutex);
}

static void word_wake(atomic_uint *word) {
    (void)word;
    pthread_mutex_lock(&word_mutex);
    pthread_cond_broadcast(&word_changed);
    pthread_mutex_unlock(&word_mutex);
}

static int machine_cores(void) {
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}
#endif

// Spins until *word differs from `old`; false if that took too long.
static bool word_spin(atomic_uint *word, unsigned old) {
    double end = 0;
    for (int i = 1;; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != old) return true;
        relax();
        if (i % 16 != 0) continue;
        double now = clock_seconds();
        if (end == 0) end = now + SPIN_SECONDS;
        if (now > end) return false;
    }
}

// ---- a region -------------------------------------------------------------------------------

// Chunks are whole blocks of `grain` units; the last block also has the rest.
static int64_t chunk_start(const Pool *pool, int64_t chunk) {
    if (chunk == pool->n_chunks) return pool->n;
    int64_t each = pool->n_blocks / pool->n_chunks, longer = pool->n_blocks % pool->n_chunks;
    return (chunk * each + (chunk < longer ? chunk : longer)) * pool->grain;
}

// Claims one chunk and does it; false if none is left.
static bool work_once(Pool *pool, int worker) {
    uint64_t word = atomic_load_explicit(&pool->word, memory_order_relaxed);
    if ((word & 0xffff) >= (word >> 16 & 0xffff)) return false;
    word = atomic_fetch_add_explicit(&pool->word, 1, memory_order_acq_rel);
    unsigned chunk = word & 0xffff, n_chunks = word >> 16 & 0xffff;
    if (chunk >= n_chunks) return false;
    pool->task(pool->arg, chunk_start(pool, chunk), chunk_start(pool, chunk + 1), worker);
    // Both sides first write, then look at what the other wrote: one of them sees the other.
    if (atomic_fetch_add(&pool->n_done, 1) + 1 == n_chunks && atomic_load(&pool->caller_waits))
        word_wake(&pool->n_done);
    return true;
}

static void wait_for_workers(Pool *pool) {
    unsigned n_done;
    while ((n_done = atomic_load(&pool->n_done)) != (unsigned)pool->n_chunks) {
        if (word_spin(&pool->n_done, n_done)) continue;
        atomic_store(&pool->caller_waits, true);
        if (atomic_load(&pool->n_done) == n_done) word_sleep(&pool->n_done, n_done);
        atomic_store(&pool->caller_waits, false);
    }
}

void pool_run(Pool *pool, PoolTask *task, void *arg, int64_t n, int64_t grain) {
    if (n <= 0) return;
    require(grain >= 1);
    int64_t active = pool ? atomic_load_explicit(&pool->active, memory_order_relaxed) : 1;
    int64_t n_blocks = n / grain;
    int64_t n_chunks =
        n_blocks < active * CHUNKS_PER_THREAD ? n_blocks : active * CHUNKS_PER_THREAD;
    if (active == 1 || n_chunks <= 1) {
        task(arg, 0, n, 0);
        return;
    }
    pool->task = task;
    pool->arg = arg;
    pool->n = n;
    pool->grain = grain;
    pool->n_blocks = n_blocks;
    pool->n_chunks = n_chunks;
    atomic_store_explicit(&pool->n_done, 0, memory_order_relaxed);
    uint64_t generation = (atomic_load_explicit(&pool->word, memory_order_relaxed) >> 32) + 1;
    uint64_t word = generation << 32 | (uint64_t)n_chunks << 16;
    atomic_store_explicit(&pool->word, word, memory_order_release);
    atomic_fetch_add(&pool->doorbell, 1);
    if (atomic_load(&pool->n_sleeping) > 0) word_wake(&pool->doorbell);
    while (work_once(pool, 0)) continue;
    wait_for_workers(pool);
}

// ---- threads --------------------------------------------------------------------------------

// Sleeps while the pool has no use for this worker.
static void stay_parked(Pool *pool, int index) {
    unsigned active;
    while ((active = atomic_load(&pool->active)) <= (unsigned)index)
        word_sleep(&pool->active, active);
}

static void *worker_main(void *arg) {
    const Worker *worker = arg;
    Pool *pool = worker->pool;
    unsigned seen = 0;
    while (!atomic_load(&pool->quits)) {
        stay_parked(pool, worker->index);
        if (!word_spin(&pool->doorbell, seen)) {
            atomic_fetch_add(&pool->n_sleeping, 1);
            while (atomic_load(&pool->doorbell) == seen) word_sleep(&pool->doorbell, seen);
            atomic_fetch_sub(&pool->n_sleeping, 1);
        }
        seen = atomic_load(&pool->doorbell);
        while (work_once(pool, worker->index)) continue;
    }
    return NULL;
}

static void set_active(Pool *pool, int threads) {
    unsigned before = atomic_exchange(&pool->active, (unsigned)threads);
    if ((unsigned)threads > before) word_wake(&pool->active);
}

// Starts workers until there are `threads` threads with the caller; false if the system refuses.
static bool start_workers(Pool *pool, int threads, Error *err) {
    // Signals are for the program's own threads, except those that a fault sends to its thread.
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int status = 0;
    while (pool->threads < threads && status == 0) {
        Worker *worker = &pool->worker[pool->threads];
        *worker = (Worker){.pool = pool, .index = pool->threads};
        status = pthread_create(&worker->thread, &attributes, worker_main, worker);
        if (status == 0) pool->threads++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return status == 0 || error_set(err, ERROR_IO, "cannot start thread %d of %d: %s",
                                    pool->threads + 1, threads, strerror(status));
}

Pool *pool_open(int threads, Error *err) {
    if (threads == 0) threads = machine_cores();
    if (threads < 1 || threads > THREADS_MAX) {
        error_set(err, ERROR_USAGE, "%d threads: want 1 to %d", threads, (int)THREADS_MAX);
        return NULL;
    }
    Pool *pool = memory_reserve_zeros(sizeof *pool);
    if (!pool) {
        error_set(err, ERROR_MEMORY, "no memory for %d threads", threads);
        return NULL;
    }
    pool->threads = 1;
    pool->adapt = (Adapt){.usual = threads, .step = -1, .pause = PAUSE_MIN};
    atomic_store(&pool->active, (unsigned)threads);
    if (!start_workers(pool, threads, err)) {
        pool_close(pool);
        return NULL;
    }
    return pool;
}

void pool_close(Pool *pool) {
    if (!pool) return;
    atomic_store(&pool->quits, true);
    set_active(pool, THREADS_MAX);
    atomic_fetch_add(&pool->doorbell, 1);
    word_wake(&pool->doorbell);
    for (int i = 1; i < pool->threads; i++) pthread_join(pool->worker[i].thread, NULL);
    memory_release(pool, sizeof *pool);
}

int pool_threads(const Pool *pool) {
    return pool ? pool->threads : 1;
}

// ---- choosing the number of threads ---------------------------------------------------------

// The number of threads that a trial should have; the usual one if no trial is due.  Wall time
// beyond the caller's own CPU time shows both misfortunes: the caller was preempted, or it slept
// because a worker was.
static int adapt_choose(const Pool *pool, double now) {
    const Adapt *a = &pool->adapt;
    bool can_shrink = a->usual > 1 && a->lost > LOST_LITTLE, can_grow = a->usual < pool->threads;
    if (now < a->until) return a->usual;
    if (can_shrink && (a->step < 0 || !can_grow)) return a->usual - 1;
    return can_grow ? a->usual + 1 : a->usual;
}

// After the last token of a trial: keeps the tried number if it was faster.
static void adapt_judge(Pool *pool, double now) {
    Adapt *a = &pool->adapt;
    double token = a->trial_sum / TRIAL_TOKENS;
    if (token < WIN_FACTOR * a->token) {
        a->usual = (int)atomic_load(&pool->active);
        a->token = token;
        a->pause = PAUSE_MIN;
    } else {
        set_active(pool, a->usual);
        a->step = -a->step;
        a->pause = a->pause * 2 < PAUSE_MAX ? a->pause * 2 : PAUSE_MAX;
    }
    a->lost = 0;
    a->until = now + a->pause * (a->trial_sum > TRIAL_SECONDS ? a->trial_sum : TRIAL_SECONDS);
}

void pool_token_begin(Pool *pool) {
    if (pool_threads(pool) == 1) return;
    pool->adapt.wall_start = clock_seconds();
    pool->adapt.cpu_start = clock_thread_cpu_seconds();
}

void pool_token_end(Pool *pool) {
    if (pool_threads(pool) == 1) return;
    Adapt *a = &pool->adapt;
    double now = clock_seconds(), wall = now - a->wall_start;
    if (wall <= 0) return;
    if (a->trial_left > 0) {
        a->trial_sum += wall;
        if (--a->trial_left == 0) adapt_judge(pool, now);
        return;
    }
    double lost = 1 - (clock_thread_cpu_seconds() - a->cpu_start) / wall;
    a->token = a->token > 0 ? 0.875 * a->token + 0.125 * wall : wall;
    a->lost = 0.75 * a->lost + 0.25 * lost;
    int threads = adapt_choose(pool, now);
    if (threads == a->usual) return;
    set_active(pool, threads);
    a->trial_left = TRIAL_TOKENS;
    a->trial_sum = 0;
}
