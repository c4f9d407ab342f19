// memory.h - address space from the system.  One file per system: memory_posix.c, memory_wasm.c.
#ifndef HEED_BASE_MEMORY_H
#define HEED_BASE_MEMORY_H

#include <stddef.h>

// `bytes` of zeroed address space aligned to a page (64 bytes at least), committed when touched.
// NULL when the system refuses.
void *memory_reserve(size_t bytes);
void memory_release(void *base, size_t bytes);

#endif
