// file_posix.c - mapped files that may shrink.
//
// Touching a mapped page that its file no longer has raises SIGBUS, which would end the program in
// the middle of somebody else's mistake.  The handler looks the address up in a table of mappings;
// inside one it puts a page of zeros there and notes the loss, and the instruction goes on.  Faults
// elsewhere go to whoever handled SIGBUS before us.
//
// The handler touches lock-free atomics and calls mmap only, which is a plain system call and thus
// safe in a handler although POSIX does not list it.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS, madvise, realpath
#include "base/file_system.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GUARDS_MAX = 64 };

// A guarded mapping covers begin .. end-1; end is 0 while the entry is free or being changed.
typedef struct Guard {
    atomic_uintptr_t begin, end;
    atomic_bool is_taken, has_lost;
    int descriptor;
} Guard;

_Static_assert(ATOMIC_POINTER_LOCK_FREE == 2, "the handler needs lock-free pointers");

static Guard guards[GUARDS_MAX];
static pthread_once_t handler_once = PTHREAD_ONCE_INIT;
static struct sigaction previous;
static size_t page_bytes;

// Replaces the page at `address` by zeros if it belongs to a guarded mapping.
static bool guard_replace(uintptr_t address) {
    for (int i = 0; i < GUARDS_MAX; i++) {
        Guard *guard = &guards[i];
        uintptr_t begin = atomic_load(&guard->begin), end = atomic_load(&guard->end);
        if (address < begin || address >= end) continue;
        atomic_store(&guard->has_lost, true);
        void *page = (void *)(address & ~(uintptr_t)(page_bytes - 1));
        return mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
               page;
    }
    return false;
}

static void on_bus_error(int number, siginfo_t *info, void *context) {
    int saved_errno = errno;
    bool is_ours = info->si_code > 0 && guard_replace((uintptr_t)info->si_addr);
    errno = saved_errno;
    if (is_ours) return;
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN) {
        // The signal comes again when this handler returns, and meets what was there before.
        sigaction(number, &previous, NULL);
        raise(number);
    } else {
        previous.sa_handler(number);
    }
}

static void install_handler(void) {
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = on_bus_error;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous);
}

bool map_guarded(FileView *view, int descriptor, size_t n) {
    pthread_once(&handler_once, install_handler);
    int i = 0;
    while (i < GUARDS_MAX && atomic_exchange(&guards[i].is_taken, true)) i++;
    if (i == GUARDS_MAX) return false;
    void *data = mmap(NULL, n, PROT_READ, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED) {
        atomic_store(&guards[i].is_taken, false);
        return false;
    }
    guards[i].descriptor = descriptor;
    atomic_store(&guards[i].has_lost, false);
    atomic_store(&guards[i].begin, (uintptr_t)data);
    atomic_store(&guards[i].end, (uintptr_t)data + n);
    *view = (FileView){.data = data, .n = n, .is_mapped = true, .guard = i};
    return true;
}

void unmap_guarded(FileView *view) {
    Guard *guard = &guards[view->guard];
    uintptr_t data = atomic_load(&guard->begin);
    atomic_store(&guard->end, 0);
    munmap((void *)data, view->n);
    close(guard->descriptor);
    atomic_store(&guard->is_taken, false);
}

void map_forget(const FileView *view, size_t from, size_t n) {
    size_t begin = (from + page_bytes - 1) / page_bytes * page_bytes;
    size_t end = (from + n) / page_bytes * page_bytes;
    if (begin < end)
        (void)madvise((void *)(uintptr_t)(view->data + begin), end - begin, MADV_DONTNEED);
}

bool map_is_intact(const FileView *view) {
    // A file that shrank inside its last page raises no signal, hence the second look.
    const Guard *guard = &guards[view->guard];
    struct stat status;
    return !atomic_load(&guard->has_lost) && fstat(guard->descriptor, &status) == 0 &&
           (uint64_t)status.st_size >= view->n;
}

void file_resolve(const char *path, char real[PATH_BYTES]) {
    char *resolved = realpath(path, NULL);
    const char *source = resolved && strlen(resolved) < PATH_BYTES ? resolved : path;
    strncpy(real, source, PATH_BYTES - 1);
    real[PATH_BYTES - 1] = '\0';
    free(resolved);
}

void file_set_mode(int descriptor, unsigned mode) {
    (void)!fchmod(descriptor, (mode_t)mode);
}
