// kernel_sets.h - how the table of each instruction set is made (inside kernels/ only).
//
// kernels_scalar fills every entry; the function of a set then overrides those it writes itself.
// A file kernels_<set>.c is compiled with the flags of its set and exports this one function; it
// may run only on a processor for which the set's flag below holds.
#ifndef HEED_KERNELS_KERNEL_SETS_H
#define HEED_KERNELS_KERNEL_SETS_H

#include <stdbool.h>

#include "kernels/kernels.h"

// What the processor has and the operating system keeps across a switch of threads.
typedef struct CpuFeatures {
    // the sets: true when everything that the set's file is compiled for is there
    bool avx2;   // AVX2, FMA, F16C
    bool avx512; // avx2, and AVX-512 F, BW, VL, DQ, VNNI, VBMI
    bool neon;   // Armv8.2 with dot products (sdot) and half-precision arithmetic
    bool wasm;   // 128-bit SIMD
    // extras that a set's file may ask for, never compile in for the whole file
    bool avx_vnni; // vpdpbusd on 256 bits without AVX-512
    bool bf16;     // vdpbf16ps (x86), bfdot (Arm)
    bool amx;      // tiles with products of bf16, which the system lets this process use
    bool fp16;     // AVX512-FP16, or half-precision arithmetic on Arm
    bool i8mm;     // smmla (Arm)
} CpuFeatures;

void kernels_scalar(Kernels *table);
void kernels_avx2(Kernels *table, const CpuFeatures *features);
void kernels_avx512(Kernels *table, const CpuFeatures *features);
void kernels_neon(Kernels *table, const CpuFeatures *features);
void kernels_wasm(Kernels *table, const CpuFeatures *features);

#endif
