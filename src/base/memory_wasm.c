// WebAssembly has no address space to spare: its memory grows, and what was never touched in a
// fresh page is zero but counted.  Blocks come from malloc.
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void *memory_reserve(size_t bytes) {
    void *p = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (p) memset(p, 0, bytes);
    return p;
}

void memory_release(void *base, size_t bytes) {
    (void)bytes;
    free(base);
}
