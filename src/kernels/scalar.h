// scalar.h - the parts of the scalar table (inside kernels/ only).
//
// The scalar kernels are plain C without intrinsics: the oracle for the other tables, and what runs
// on a processor that has none of them.  Sums use 16 explicit lanes, so that compilers can use
// vector registers without being allowed to change the order of an addition.
#ifndef HEED_KERNELS_SCALAR_H
#define HEED_KERNELS_SCALAR_H

#include "kernels/kernels.h"

enum { SCALAR_LANES = 16 };

// The sum of the lanes: halves are added to halves, in this order on every machine.
static inline float scalar_lanes_sum(float lane[SCALAR_LANES]) {
    for (int half = SCALAR_LANES / 2; half; half /= 2) {
        for (int i = 0; i < half; i++) lane[i] += lane[i + half];
    }
    return lane[0];
}

float scalar_dot(const float *a, const float *b, int64_t n);
void scalar_pack_f32(const PackJob *job);
void scalar_pack_f16(const PackJob *job);
void scalar_pack_bf16(const PackJob *job);
// An int8 row but for what is kept of it.
void scalar_round_q8(const float *values, void *q8_row, int64_t n);

// Each fills its entries of the table.
void scalar_panel_float_entries(Kernels *table);
void scalar_panel_entries(Kernels *table);
void scalar_attend_entries(Kernels *table);
void scalar_limit_entries(Kernels *table);

#endif
