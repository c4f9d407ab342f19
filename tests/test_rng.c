// test_rng.c - known values of xoshiro256** seeded by splitmix64, computed in Python with unbounded
// integers from the two definitions; and the shapes of what is drawn.
#include "base/rng.h"

#include "tests/test.h"

TEST(rng, known_values) {
    static const struct {
        uint64_t seed, state0, state3, first, second, third, fourth, last; // last: the 1000th
    } cases[] = {
        {0, 0xe220a8397b1dcdaf, 0xf88bb8a8724c81ec, 0x99ec5f36cb75f2b4, 0xbf6e1f784956452a,
         0x1a5f849d4933e6e0, 0x6aa594f1262d2d2c, 0x7aac8c483a2edd2f},
        {1, 0x910a2dec89025cc1, 0x71c18690ee42c90b, 0xb3f2af6d0fc710c5, 0x853b559647364cea,
         0x92f89756082a4514, 0x642e1c7bc266a3a7, 0xb8517c33c344d153},
        {42, 0xbdd732262feb6e95, 0x581ce1ff0e4ae394, 0x15780b2e0c2ec716, 0x6104d9866d113a7e,
         0xae17533239e499a1, 0xecb8ad4703b360a1, 0x8de5848c61ab8968},
        {UINT64_MAX, 0xe4d971771b652c20, 0x6d1db36ccba982d2, 0x8f5520d52a7ead08, 0xc476a018caa1802d,
         0x81de31c0d260469e, 0xbf658d7e065f3c2f, 0xc3c93ea5cde434cc},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Rng rng = rng_seed(cases[i].seed);
        CHECK(rng.s[0] == cases[i].state0 && rng.s[3] == cases[i].state3);
        CHECK(rng_next(&rng) == cases[i].first);
        CHECK(rng_next(&rng) == cases[i].second);
        CHECK(rng_next(&rng) == cases[i].third);
        CHECK(rng_next(&rng) == cases[i].fourth);
        for (int j = 5; j < 1000; j++) rng_next(&rng);
        CHECK(rng_next(&rng) == cases[i].last);
    }
}

// The 53 high bits, divided by 2^53: 0xb3f2af6d0fc710c5 >> 11 is 6331357011769570.
TEST(rng, uniform_is_the_high_bits) {
    Rng rng = rng_seed(1);
    double u = rng_uniform(&rng);
    CHECK(u == (double)(0xb3f2af6d0fc710c5u >> 11) / 9007199254740992.0);
    double least = 1, most = 0;
    for (int i = 0; i < 10000; i++) {
        u = rng_uniform(&rng);
        least = fmin(least, u);
        most = fmax(most, u);
    }
    CHECK(least >= 0 && least < 0.01 && most < 1 && most > 0.99);
}

TEST(rng, below_is_even) {
    Rng rng = rng_seed(test_seed());
    enum { SIDES = 6, THROWS = 60000 };
    int count[SIDES] = {0};
    for (int i = 0; i < THROWS; i++) {
        uint64_t x = rng_below(&rng, SIDES);
        if (!CHECK(x < SIDES)) return;
        count[x]++;
    }
    // The standard deviation of a count is 91.
    for (int i = 0; i < SIDES; i++) CHECK_CLOSE(count[i], THROWS / SIDES, 6 * 91);
    for (int i = 0; i < 100; i++) CHECK_EQUAL(rng_below(&rng, 1), 0);
    uint64_t half = (UINT64_C(1) << 63) + 1; // half of all draws are refused
    for (int i = 0; i < 100; i++) CHECK(rng_below(&rng, half) < half);
    // Taking remainders alone would hit the lowest third half of the time; six deviations are 155.
    uint64_t third = UINT64_C(1) << 62;
    int n_low = 0;
    for (int i = 0; i < 3000; i++) n_low += rng_below(&rng, 3 * third) < third;
    CHECK_CLOSE(n_low, 1000, 155);
}

TEST(rng, normal_has_its_moments) {
    Rng rng = rng_seed(test_seed());
    enum { N = 100000 };
    double sum = 0, squares = 0, fourth = 0;
    for (int i = 0; i < N; i++) {
        double x = rng_normal(&rng);
        sum += x;
        squares += x * x;
        fourth += x * x * x * x;
    }
    // Six standard deviations of each mean: 1, sqrt 2 and sqrt 96 over sqrt N.
    CHECK_CLOSE(sum / N, 0, 0.019);
    CHECK_CLOSE(squares / N, 1, 0.027);
    CHECK_CLOSE(fourth / N, 3, 0.19);
}
