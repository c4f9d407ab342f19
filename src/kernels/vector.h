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
//   vi_zero vi_set vi_load vi_store vi_to_f
//   vi_of_f                                           rounds to nearest, ties to even
//   vi_dot(a, w, x) vi_dot_signed(a, w, x)            a + w . x by bytes, four to a lane; those of
//                                                     w are unsigned to PRODUCT_MAX, or signed
//   vf_of_bf16_low(vi) vf_of_bf16_high(vi)            the lower, the upper bf16 of each lane
//   vi_bf16_pairs(low, high)                          floats rounded to nearest even, as such pairs
//   vf_dot_bf16(x, w, s)                              s + x . w of such pairs, if HAS_DOT_BF16
//   vi_dot_keys(a, w, x)                              the second, plus KEYS_OFFSET * sum of x
//   transpose(from, stride, to, stride)               VF x VF 32-bit items; strides in items
//
//   f4, i4         4 floats, 4 integers: one of each of four rows
//   f4_zero f4_set f4_load f4_store f4_mul f4_fma i4_to_f i4_neg i4_add i4_store
//   f4_of_f16(a, b, c, d)                             from four addresses
//
//   v32            32 bytes: the weights or the activations of one group
//   v32_load v32_set v32_and v32_or v32_xor v32_sub v32_shr v32_shl
//                                                     (shifts are of 16 bits: mask what crosses)
//   v32_nibbles(p)                                    16 bytes: low halves, then high halves
//   v32_bits(b)                                       byte i is 0xff where bit i of b is set
//   v32_table(t, v)                                   t[v] of 16 bytes
//   vs             partial sums of a product of 32 x 32 bytes, the two halves apart
//   vs_zero vs_neg vs_dot(s, w, x) vs_dot_signed(s, w, x)
//   vs_rows(a, b, c, d, &high)                        an i4: the sums of four over bytes 0..15;
//                                                     over bytes 16..31 in high
//   v64, vd        two v32, two vs: a pair of groups  (words_pairs.inl, or one long vector)
//   v64_load v64_join v64_set v64_xor v64_sub v64_nibbles(p, q)
//   v64_halves(p)                                     the low and the high halves of 32 bytes
//   vd_zero vd_neg vd_dot vd_dot_signed
//   vd_rows(a, b, c, d, part)                         four i4: the parts of vs_rows of each group
//   vd_rows_whole(a, b, c, d, sum)                    two i4: the sums over each group
//   scale8(bytes, offset, f, to)                      to[i] = f * (byte i - offset), i < 8
//   f4_scale8(rows, offset, f, to)                    the same of four rows, one a lane
//
// A body is correct for any VF; VF, PRODUCT_MAX and the tile sizes are the set's constants.
#ifndef HEED_KERNELS_VECTOR_H
#define HEED_KERNELS_VECTOR_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
#define UNROLL_8   _Pragma("clang loop unroll_count(8)")
#define UNROLL_NOT _Pragma("clang loop unroll(disable)")
#else
#define UNROLL_8   _Pragma("GCC unroll 8")
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

// Four weight rows, and where their results go: y[out[i]].
typedef struct WeightRows {
    const uint8_t *w[4];
    int64_t out[4];
} WeightRows;

// The rows of step i of (n_out + 3) / 4: one of each quarter, so that the four streams are far
// apart and the hardware prefetchers follow each; neighbouring rows of a few kilobytes confuse
// them.  The last step takes what is left over, and may name a row several times.
WORD WeightRows weight_rows(const LinearJob *job, int64_t i) {
    int64_t quarter = job->n_out / 4;
    WeightRows rows;
    for (int s = 0; s < 4; s++) {
        rows.out[s] = i < quarter ? s * quarter + i : min_i64(4 * quarter + s, job->n_out - 1);
        rows.w[s] = (const uint8_t *)job->w + (size_t)rows.out[s] * job->w_row_bytes;
    }
    return rows;
}

#endif
