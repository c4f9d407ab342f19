// rng.c - xoshiro256** (Blackman and Vigna 2018, arXiv 1805.01407), seeded by splitmix64 as its
// authors advise: any seed, 0 too, gives a state that is not all zero.
#include "base/rng.h"

#include <math.h>

#include "base/error.h"

static uint64_t rotate(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

static uint64_t splitmix64(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

Rng rng_seed(uint64_t seed) {
    Rng rng;
    for (int i = 0; i < 4; i++) rng.s[i] = splitmix64(&seed);
    return rng;
}

uint64_t rng_next(Rng *rng) {
    uint64_t *s = rng->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double rng_uniform(Rng *rng) {
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

uint64_t rng_below(Rng *rng, uint64_t n) {
    require(n >= 1);
    // Values under 2^64 mod n would make the small remainders more likely; they are drawn again.
    uint64_t unfair = (0 - n) % n;
    uint64_t x;
    do x = rng_next(rng);
    while (x < unfair);
    return x % n;
}

double rng_normal(Rng *rng) {
    const double two_pi = 6.283185307179586;
    double radius = sqrt(-2 * log(1 - rng_uniform(rng))); // 1 - u is never 0
    return radius * cos(two_pi * rng_uniform(rng));
}
