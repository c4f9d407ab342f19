// test_map.c - the hash against values of an independent SipHash, the map against plain arithmetic.
#include "base/map.h"

#include "tests/test.h"

// Computed by a SipHash in Python that reproduces the test vector of the paper (appendix A) when
// it is set to two rounds and four.
TEST(map, hash_known_values) {
    static const struct {
        const char *text;
        uint64_t of_zero, of_digits;
    } cases[] = {
        {"", 0x6b3c89e238a4996e, 0xf4b3fee397802911},
        {"a", 0x429be242cfb091af, 0x91ab65b48ab727c},
        {"heed", 0x6b7ef52d98d1b44e, 0x2783afadd66438f7},
        {"eight by", 0x45db8bb76c0955d5, 0x85b80da2e09c41b0},
        {"nine byte", 0x139d24154e17f7a9, 0xac0c5ba9fafcf510},
        {"The quick brown fox jumps over the lazy dog", 0xc4fc1e6de436eda7, 0x89927de6e6fb2469},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].text);
        CHECK(hash_bytes(cases[i].text, n, 0) == cases[i].of_zero);
        CHECK(hash_bytes(cases[i].text, n, 0x0123456789abcdef) == cases[i].of_digits);
    }
}

TEST(map, holds_what_was_added) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, 16 << 20, &err))) return;
    enum { N_KEYS = 20000 };
    Map map = map_make(&arena, 10); // grows many times
    for (int i = 0; i < N_KEYS; i++) {
        Str key = str_printf(&arena, "key %d", i);
        if (!CHECK(map_add(&map, key, i * 3))) break;
    }
    CHECK_EQUAL(map.count, N_KEYS);
    CHECK(map.capacity >= 2 * map.count);
    int n_wrong = 0;
    char text[32];
    for (int i = 0; i < N_KEYS; i++) {
        snprintf(text, sizeof text, "key %d", i);
        n_wrong += map_get(&map, str_from(text)) != i * 3;
        snprintf(text, sizeof text, "kez %d", i);
        n_wrong += map_get(&map, str_from(text)) != -1;
    }
    CHECK_EQUAL(n_wrong, 0);
    arena_drop(&arena);
}

TEST(map, first_value_stays) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, 1 << 20, &err))) return;
    Map map = map_make(&arena, 0);
    CHECK(map_add(&map, STR("a"), 1));
    CHECK(!map_add(&map, STR("a"), 2));
    CHECK_EQUAL(map_get(&map, STR("a")), 1);
    CHECK_EQUAL(map.count, 1);
    arena_drop(&arena);
}

TEST(map, keys_are_any_bytes) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, 1 << 20, &err))) return;
    Map map = map_make(&arena, 4);
    CHECK(map_add(&map, (Str){0}, 10));
    CHECK(!map_add(&map, STR(""), 11));
    CHECK(map_add(&map, STR("\0"), 12));
    CHECK(map_add(&map, STR("\0\0"), 13));
    CHECK(map_add(&map, STR("\xff\xfe"), 14));
    CHECK_EQUAL(map_get(&map, STR("")), 10);
    CHECK_EQUAL(map_get(&map, STR("\0")), 12);
    CHECK_EQUAL(map_get(&map, STR("\0\0")), 13);
    CHECK_EQUAL(map_get(&map, STR("\xff\xfe")), 14);
    arena_drop(&arena);
}

TEST(map, empty_maps_hold_nothing) {
    Map none = {0};
    CHECK_EQUAL(map_get(&none, STR("a")), -1);
}
