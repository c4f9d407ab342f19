// arena.h - memory with a name and a lifetime.
//
// An arena reserves address space once and hands it out from the front; touching commits it.
// Nothing in it is freed singly: it is rewound to a mark, or dropped whole.  Only arena_init can
// fail, so code that has its arena cannot run out half-way: what a parser needs is bounded by its
// input, and where that bound may pass what is left it asks first (arena_fits).  Pointers never
// move.
#ifndef HEED_BASE_ARENA_H
#define HEED_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

// The reservation for arenas whose need depends on input: 16 GiB of address space; 128 MiB where
// the address space is 32 bits wide, since a model, its session and a chat open a dozen.  A build
// for an emulator that keeps books on every reserved page may define less.
#ifndef ARENA_DEFAULT
#if SIZE_MAX > 0xffffffffu
#define ARENA_DEFAULT ((size_t)16 << 30)
#else
#define ARENA_DEFAULT ((size_t)128 << 20)
#endif
#endif

typedef struct Arena {
    char *base;
    size_t used;
    size_t most; // of it that was ever used
    size_t reserved;
} Arena;

typedef struct ArenaMark {
    size_t used;
} ArenaMark;

// Reserves `reserve_bytes` of address space.  On failure the arena is empty and may be dropped.
MUST_USE bool arena_init(Arena *arena, size_t reserve_bytes, Error *err);
// Returns the memory to the system.  Accepts an empty arena.
void arena_drop(Arena *arena);

// Will pushes of `bytes` in all fit?  Alignment and a few small things are allowed for; what passes
// that is asked for as well.  Code that reads what comes from outside refuses it otherwise.
bool arena_fits(const Arena *arena, size_t bytes);

// `bytes` of uninitialised memory aligned to 16.  Cannot fail: passing the reservation is our bug.
void *arena_push(Arena *arena, size_t bytes);
// The same, aligned to `alignment` (a power of two).
void *arena_push_aligned(Arena *arena, size_t bytes, size_t alignment);
// `bytes` of zeros, aligned to 16.
void *arena_zero(Arena *arena, size_t bytes);
// `count` zeroed objects of a type.
#define arena_new(arena, Type, count) ((Type *)arena_zero((arena), sizeof(Type) * (size_t)(count)))

// A scope: everything pushed after arena_mark is gone after arena_back.
ArenaMark arena_mark(const Arena *arena);
void arena_back(Arena *arena, ArenaMark mark);

#endif
