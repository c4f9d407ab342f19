// memory.h - address space from the system.  One file per system: memory_posix.c, memory_wasm.c.
#ifndef HEED_BASE_MEMORY_H
#define HEED_BASE_MEMORY_H

#include <stddef.h>

// `bytes` of address space of any content, aligned to a page (64 bytes at least), committed when
// touched.  NULL when the system refuses.
void *memory_reserve(size_t bytes);
// The same, holding zeros.  Where memory cannot be mapped (WebAssembly) all of it is touched.
void *memory_reserve_zeros(size_t bytes);
void memory_release(void *base, size_t bytes);
// What this machine has; 0 if it does not say.
size_t memory_of_machine(void);

#endif
