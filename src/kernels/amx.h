// amx.h - products of bf16 in the tile registers of AMX.
#ifndef HEED_KERNELS_AMX_H
#define HEED_KERNELS_AMX_H

#include "kernels/kernels.h"

// As PanelKernel for BF16 panels with bf16 rows.  Within 32 columns the products of even and of odd
// ones are summed apart, then added to what came before: a product may be cut along k at multiples
// of 32 without changing a bit.  Denormals count as zeros.
void amx_panel_bf16(const PanelJob *job);

// As Kernels.limit_bf16.
double amx_limit_bf16(int64_t n, float *sink);

#endif
