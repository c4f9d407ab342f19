// test_arena.c - what an arena hands out is aligned, apart from the rest, and comes back.
#include "base/arena.h"

#include "base/rng.h"
#include "tests/test.h"

enum { ARENA_BYTES = 1 << 20 };

static bool open_arena(Arena *arena) {
    Error err = {0};
    bool ok = arena_init(arena, ARENA_BYTES, &err);
    return test_check(ok, __FILE__, __LINE__, "arena_init: %s", err.text);
}

TEST(arena, pieces_are_aligned_and_apart) {
    Arena arena;
    if (!open_arena(&arena)) return;
    Rng rng = rng_seed(test_seed());
    char *end = arena.base;
    for (int i = 0; i < 1000; i++) {
        size_t bytes = rng_below(&rng, 200), alignment = (size_t)1 << rng_below(&rng, 7);
        char *p = arena_push_aligned(&arena, bytes, alignment);
        if (!CHECK(p >= end && (uintptr_t)p % alignment == 0)) break;
        memset(p, 0xAA, bytes);
        end = p + bytes;
    }
    CHECK((uintptr_t)arena_push(&arena, 1) % 16 == 0);
    arena_drop(&arena);
}

TEST(arena, zero_is_zero_after_use) {
    Arena arena;
    if (!open_arena(&arena)) return;
    ArenaMark mark = arena_mark(&arena);
    memset(arena_push(&arena, 5000), 0xFF, 5000);
    arena_back(&arena, mark);
    const unsigned char *p = arena_zero(&arena, 5000);
    int n_bits = 0;
    for (int i = 0; i < 5000; i++) n_bits |= p[i];
    CHECK_EQUAL(n_bits, 0);
    arena_drop(&arena);
}

TEST(arena, marks_rewind) {
    Arena arena;
    if (!open_arena(&arena)) return;
    arena_push(&arena, 100);
    ArenaMark mark = arena_mark(&arena);
    char *first = arena_push(&arena, 100);
    arena_push(&arena, 1000);
    arena_back(&arena, mark);
    CHECK(arena_push(&arena, 100) == first);
    arena_drop(&arena);
}

TEST(arena, whole_reservation_can_be_used) {
    Arena arena;
    if (!open_arena(&arena)) return;
    int64_t *p = arena_new(&arena, int64_t, ARENA_BYTES / sizeof(int64_t));
    p[ARENA_BYTES / sizeof(int64_t) - 1] = 1;
    CHECK_EQUAL(arena.used, ARENA_BYTES);
    arena_drop(&arena);
    CHECK(arena.base == NULL);
    arena_drop(&arena);
}

TEST(arena, refuses_what_the_system_has_not) {
    Arena arena;
    Error err;
    CHECK_FAILS(arena_init(&arena, SIZE_MAX - 4096, &err), err, ERROR_MEMORY, "cannot reserve");
    arena_drop(&arena);
}
