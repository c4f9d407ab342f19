// positions.c - slopes of ALiBi: attention with linear biases instead of positions.
//
// A score sinks by slope * distance.  Of n = 2^k heads, head h has the slope 2^(-8 (h+1) / n): they
// span the same range for every n.  Another number of heads takes the slopes of the largest power
// of two below it, and for the rest every second one of twice that power.
#include <math.h>

#include "model/config.h"

float *alibi_slopes(Arena *arena, int heads) {
    float *slope = arena_new(arena, float, heads);
    int power = 1;
    while (2 * power <= heads) power *= 2;
    for (int h = 0; h < heads; h++) {
        bool is_extra = h >= power;
        int step = is_extra ? 2 * (h - power) + 1 : h + 1;
        slope[h] = (float)pow(2, -8.0 * step / (is_extra ? 2 * power : power));
    }
    return slope;
}
