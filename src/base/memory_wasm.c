// memory_wasm.c - WebAssembly has no address space to spare: its memory only grows.
//
// Blocks come from malloc.  Pages fresh from the host are committed when touched, as elsewhere, but
// a block may have been used before, so zeros have to be written.
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *memory_reserve(size_t bytes) {
    if (bytes > SIZE_MAX - 63) return NULL;
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}

void *memory_reserve_zeros(size_t bytes) {
    void *p = memory_reserve(bytes);
    if (p) memset(p, 0, bytes);
    return p;
}

void memory_release(void *base, size_t bytes) {
    (void)bytes;
    free(base);
}

size_t memory_of_machine(void) {
    return 0;
}
