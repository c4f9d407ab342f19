#define _DEFAULT_SOURCE // MAP_ANONYMOUS and MAP_NORESERVE are not in POSIX
#include "base/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

void *memory_reserve(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void *memory_reserve_zeros(size_t bytes) {
    return memory_reserve(bytes); // fresh pages are zero
}

void memory_release(void *base, size_t bytes) {
    munmap(base, bytes);
}

size_t memory_of_machine(void) {
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (size_t)pages * (size_t)bytes : 0;
}
