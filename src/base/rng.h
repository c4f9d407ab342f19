// rng.h - random numbers that are the same everywhere: xoshiro256** seeded by splitmix64
// (Blackman and Vigna 2018, arXiv 1805.01407).
#ifndef HEED_BASE_RNG_H
#define HEED_BASE_RNG_H

#include <stdint.h>

typedef struct Rng {
    uint64_t s[4];
} Rng;

Rng rng_seed(uint64_t seed);
uint64_t rng_next(Rng *rng);
// Uniform in [0, 1) with 53 bits.
double rng_uniform(Rng *rng);
// Uniform in 0 .. n-1 without bias; n >= 1.
uint64_t rng_below(Rng *rng, uint64_t n);
// Standard normal (Box-Muller, one value a call).
double rng_normal(Rng *rng);

#endif
