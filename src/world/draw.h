// draw.h - small choices at random.
#ifndef HEED_WORLD_DRAW_H
#define HEED_WORLD_DRAW_H

#include <stdbool.h>

#include "base/rng.h"

// One of 0 .. n-1, and a chance of `percent` in 100.
int draw(Rng *rng, int n);
bool chance(Rng *rng, int percent);
// n different ones of 0 .. among-1 in random order.
void draw_distinct(Rng *rng, int among, int n, int *out);

#define COUNT_OF(array) (int)(sizeof(array) / sizeof *(array))

#endif
