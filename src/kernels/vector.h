// vector.h - the words in which the vector kernels are written (inside kernels/ only).
//
// "One body, many instruction sets": the algorithms stand in body_*.inl and are compiled once for
// each set.  A file kernels_<set>.c defines the words below with the set's instructions, includes
// the bodies, and hands out their functions as a table.
//
//   vf             VF floats                          vi        VF 32-bit integers
//   vf_zero vf_set vf_load vf_store                   also _part: the first n lanes, the rest are 0
//   vf_load_f16 vf_load_bf16 vf_store_f16             also _part
//   vf_add vf_sub vf_mul vf_div vf_max vf_min         max/min(bound, x) keep a NaN in x
//   vf_fma(a, b, c)                                   a * b + c, rounded once where the set can
//   vf_round                                          to the nearest integer, ties to even
//   vf_exp2i(n)                                       2^n of integers -126 .. 127
//   vf_sqrt                                           rounded correctly
//   vf_abs vf_copy_sign(a, b) vf_where_less(a, b, x, y)   per lane: a < b ? x : y
//   vf_sum vf_highest                                 over the lanes, in a fixed order
//   vf_sum4(a, b, c, d)                               an f4: the sum of each, all in one order
//   vi_zero vi_set vi_load vi_store vi_and vi_or vi_xor vi_to_f
//   vi_of_bytes(p)                                    VF unsigned bytes
//   vi_shr(a, n) vi_shl(a, n)                         of the 32 bits of each lane
//   vi_table(t, v)                                    bytes: t[v] of 16 bytes
//   vi_dot(a, w, x) vi_dot_signed(a, w, x)            a + w . x by bytes, four to a lane; those of
//                                                     w are unsigned to PRODUCT_MAX, or signed
//   vf_of_bf16_low(vi) vf_of_bf16_high(vi)            the lower, the upper bf16 of each lane
//   vi_bf16_pairs(low, high)                          floats rounded to nearest even, as such pairs
//   vf_dot_bf16(x, w, s)                              s + x . w of such pairs, if HAS_DOT_BF16
//   vi_dot_keys(a, w, x)                              the second, plus KEYS_OFFSET * sum of x
//   vi_sums(p, a, b)                                  a * p[0] + b * p[1] of 16-bit numbers, in all
//   vp             a sum of such dots in the making: PRODUCT_SUM is the largest it can hold
//   vp_begin(a) vp_dot(p, w, x) vp_dot_signed(p, w, x) vp_end(p, a)
//                                                     from and to a vi: both get the same a
//   transpose(from, stride, to, stride)               VF x VF 32-bit items; strides in items
//
//   f4             4 floats: one of each of four rows
//   f4_store
//   f4_of_f16(a, b, c, d)                             from four addresses
//
//   v32            32 bytes: of one group, or one of each row of a panel
//   v32_load v32_store v32_set v32_and v32_or v32_xor v32_sub v32_shr v32_shl
//                                                     (shifts are of 16 bits: mask what crosses)
//   v32_nibbles(p)                                    16 bytes: low halves, then high halves
//   v32_bits(b)                                       byte i is 0xff where bit i of b is set
//   v32_table(t, v)                                   t[v] of 16 bytes
//   v32_sums(v, sum)                                  sums of 16 signed bytes each, to two int16
//   scale8(bytes, offset, f, to)                      to[i] = f * (byte i - offset), i < 8
//
// A body is correct for any VF; VF, PRODUCT_MAX and the tile sizes are the set's constants.
#ifndef HEED_KERNELS_VECTOR_H
#define HEED_KERNELS_VECTOR_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/kept.h"
#include "kernels/kernel_sets.h"
#include "quant/half.h"

// Words and the inner parts of bodies must vanish into their callers: constants (the type, the
// number of a group) decide what is left of them.
#define WORD static inline __attribute__((always_inline))
// Hot tiles are kept apart, so that each gets the registers for itself.
#define APART static __attribute__((noinline))

#define PREFETCH(p)    __builtin_prefetch(p)
#define PREFETCH_L2(p) __builtin_prefetch((p), 0, 2)
#if defined(__clang__)
#define UNROLL_2   _Pragma("clang loop unroll_count(2)")
#define UNROLL_8   _Pragma("clang loop unroll_count(8)")
#define UNROLL_16  _Pragma("clang loop unroll_count(16)")
#define UNROLL_NOT _Pragma("clang loop unroll(disable)")
#else
#define UNROLL_2   _Pragma("GCC unroll 2")
#define UNROLL_8   _Pragma("GCC unroll 8")
#define UNROLL_16  _Pragma("GCC unroll 16")
#define UNROLL_NOT _Pragma("GCC unroll 1")
#endif

WORD int64_t min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

WORD uint32_t load_u32(const void *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

WORD uint64_t load_u64(const void *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

#endif
