#include "base/arena.h"

#include <string.h>

#include "base/memory.h"

// Rewound memory is poisoned under AddressSanitizer, so that a stale pointer is a report.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1 // clang's way of saying what gcc says with this name
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(address, bytes)   __asan_poison_memory_region((address), (bytes))
#define UNPOISON(address, bytes) __asan_unpoison_memory_region((address), (bytes))
#else
#define POISON(address, bytes)   ((void)(address), (void)(bytes))
#define UNPOISON(address, bytes) ((void)(address), (void)(bytes))
#endif

enum { ARENA_SLACK = 4096 }; // for what is pushed without asking

bool arena_init(Arena *arena, size_t reserve_bytes, Error *err) {
    *arena = (Arena){0};
    char *base = memory_reserve(reserve_bytes);
    if (!base) return error_set(err, ERROR_MEMORY, "cannot reserve %zu bytes", reserve_bytes);
    *arena = (Arena){.base = base, .reserved = reserve_bytes};
    return true;
}

void arena_drop(Arena *arena) {
    if (arena->base) {
        UNPOISON(arena->base, arena->most); // whoever gets these addresses next
        memory_release(arena->base, arena->reserved);
    }
    *arena = (Arena){0};
}

bool arena_fits(const Arena *arena, size_t bytes) {
    size_t left = arena->reserved - arena->used;
    return left >= ARENA_SLACK && bytes <= left - ARENA_SLACK;
}

void *arena_push_aligned(Arena *arena, size_t bytes, size_t alignment) {
    size_t at = (arena->used + alignment - 1) & ~(alignment - 1);
    require(bytes <= arena->reserved && at <= arena->reserved - bytes);
    arena->used = at + bytes;
    if (arena->most < arena->used) arena->most = arena->used;
    UNPOISON(arena->base + at, bytes);
    return arena->base + at;
}

void *arena_push(Arena *arena, size_t bytes) {
    return arena_push_aligned(arena, bytes, 16);
}

void *arena_zero(Arena *arena, size_t bytes) {
    void *p = arena_push(arena, bytes);
    memset(p, 0, bytes);
    return p;
}

ArenaMark arena_mark(const Arena *arena) {
    return (ArenaMark){arena->used};
}

void arena_back(Arena *arena, ArenaMark mark) {
    require(mark.used <= arena->used);
    POISON(arena->base + mark.used, arena->used - mark.used);
    arena->used = mark.used;
}
