// draw.c - each choice takes one number of the generator, so that mirrors stay in step.
#include "world/draw.h"

#include "base/error.h"

int draw(Rng *rng, int n) {
    return (int)rng_below(rng, (uint64_t)n);
}

bool chance(Rng *rng, int percent) {
    return draw(rng, 100) < percent;
}

void draw_distinct(Rng *rng, int among, int n, int *out) {
    require(n <= among);
    for (int i = 0; i < n;) {
        int x = draw(rng, among), j = 0;
        while (j < i && out[j] != x) j++;
        if (j == i) out[i++] = x;
    }
}
