// kernels.h - the one seam below the ops: a table of functions per instruction set.
//
// Every table is complete: entries that a set does not write itself are taken from the scalar
// table, which is the oracle.  Two rules make results repeatable:
//   1. an output of a linear product depends on its weight row and its activation row only: not on
//      how many rows the call has, nor on how the work was cut (batch = single, bit for bit);
//   2. sums run in a fixed order of the absolute index (never in the order of arrival): a product
//      cut in any way, attention run tile by tile or query by query give the same bits; an
//      elementwise function depends on neither place nor n.
// Elementwise entries work in place.  Results of different tables differ within rounding.
//
// Nothing here allocates, checks or fails; pointers need no alignment beyond their type's.
#ifndef HEED_KERNELS_KERNELS_H
#define HEED_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quant/panels.h"

// ---------------------------------------------------------------- activations in int8
//
// A row of K values (K a multiple of 32), for products with quantised weights:
//   int8 q[K]  |  float scale[K/32]  |  int16 sum[K/16]  |  Q8Kept       value = q * scale
// scale = max|x|/127 of the 32 values, q rounded to nearest even, sum of the q of 16 values.  The
// largest values of the row are kept as they are, and have q = 0 (kernels/kept.h says why).
enum { Q8_KEPT = 4 };
typedef struct Q8Kept {
    int32_t column[Q8_KEPT]; // in ascending order; in rows of zeros some may be the same
    float value[Q8_KEPT];
} Q8Kept;

static inline size_t q8_row_bytes(int64_t k) {
    return (size_t)k + (size_t)(k / 32) * 8 + sizeof(Q8Kept);
}

// ---------------------------------------------------------------- products
//
// y[j * y_stride + i] = dot(weight row i, activation row j),  i < n_out, j < n_x, rows of k values.
// Weights lie in panels (quant/panels.h): each output is one chain of multiply-adds over k in
// ascending order, in every tile, for any number of activation rows.
typedef struct PanelJob {
    const void *panel; // of the rows 0 .. 31; the next lies panel_bytes further on
    size_t panel_bytes;
    int64_t n_out; // rows; the last panel may have fewer than PANEL_ROWS
    const void *x; // activation rows: f32, bf16 or int8, as the kernel says
    size_t x_row_bytes;
    int64_t n_x;
    float *y;
    int64_t y_stride; // in floats
    int64_t k;
    bool adds; // y += instead of y =: the chain goes on from what y holds
} PanelJob;
typedef void PanelKernel(const PanelJob *job);

// One panel from rows of numbers that lie in any way: item (i, j) of n rows (at most PANEL_ROWS) by
// k columns is from[i * row + j * column].
typedef struct PackJob {
    const void *from;
    int64_t row, column; // in items
    int64_t n, k;
    void *panel;
} PackJob;
typedef void PackKernel(const PackJob *job);

// ---------------------------------------------------------------- attention
//
// Keys and values lie in tiles of KV_TILE consecutive positions of one key/value head (D values):
//   F32, F16   keys [D][16]                               values [16][D]
//   Q8_0       keys int8 [D/4][16][4], f16 scale [D/32][16]
//              values int8 [16][D], f16 scale [16][D/32]
// so that 16 keys are scored side by side and no horizontal sum is needed; a score is one chain of
// multiply-adds over d = 0 .. D-1, an output one chain over the positions in ascending order
// (Q8_0 sums 32 products exactly in integers, then scales: the chain is over the D/32 groups).
enum { KV_TILE = 16 };

typedef struct AttendJob {
    int64_t m;      // query rows
    int64_t d;      // head width; a multiple of 4, for Q8_0 of 32
    const float *q; // (m, d) at q_stride                       [scores]
    int64_t q_stride;
    const void *tiles; // key tiles [scores] or value tiles [values], one after the other
    int64_t n_tiles;
    float *p; // (m, n_tiles * 16) at p_stride: written [scores] or read [values]
    int64_t p_stride;
    float *out; // (m, d) at out_stride, added to           [values]
    int64_t out_stride;
} AttendJob;
typedef void AttendKernel(const AttendJob *job);

// ---------------------------------------------------------------- training
//
// One step of AdamW (train/optimizer.h) on n parameters, each by itself:
//
//   g = scale * grad         m += mix1 (g - m)         v = beta2 v + mix2 g g
//   value = keep * value - rate * m / (sqrt(v) / root + epsilon)
typedef struct AdamwJob {
    float *value, *m, *v; // (n)
    const float *grad;    // (n)
    int64_t n;
    float scale;       // of the gradient: what clipping leaves of it
    float mix1;        // 1 - beta1
    float beta2, mix2; // mix2 = 1 - beta2
    float root;        // sqrt(1 - beta2^t): v began at zero
    float epsilon;
    float keep; // 1 - learning rate * decay
    float rate; // learning rate / (1 - beta1^t): m began at zero
} AdamwJob;

// ---------------------------------------------------------------- the table
enum { READ_PATTERNS = 8, READ_LINE = 64 };

typedef struct Kernels {
    const char *name; // "avx512"

    // panels of the type times int8 rows: every quantised type (NULL for F32, F16, BF16)
    PanelKernel *panel_q8[DTYPE_LIMIT];
    // panels of the type times f32 rows: F32, F16, BF16 (NULL for other types).  Every table with
    // fused multiply-adds gives the same bits; WebAssembly rounds products before it adds.
    PanelKernel *panel[DTYPE_LIMIT];
    // BF16 panels times bf16 rows, each padded to an even length with a zero; NULL: use
    // panel[DTYPE_BF16].  Sums of two products (AMX: of up to 16) are added at once: other bits
    // than those, and a product may be cut along k only at multiples of 32.
    PanelKernel *panel_bf16;
    PackKernel *pack[DTYPE_LIMIT]; // items of the type: F32, F16, BF16
    PackKernel *pack_to_bf16;      // f32 items, rounded to nearest even, as a BF16 panel
    // row i of a panel of the type as f32
    void (*unpack[DTYPE_LIMIT])(const void *panel, int64_t i, float *values, int64_t k);
    // to[j * to_row + i] = from[i * from_row + j] of rows x columns
    void (*transpose)(const float *from, int64_t from_row, float *to, int64_t to_row, int64_t rows,
                      int64_t columns);

    // rows between f32 and stored types
    void (*decode[DTYPE_LIMIT])(const void *row, float *values, int64_t n);
    // a panel of a quantised type as one of F32 (NULL for F32, F16, BF16)
    void (*panel_decode[DTYPE_LIMIT])(const void *panel, float *values, int64_t k);
    void (*encode_f16)(const float *values, uint16_t *row, int64_t n);
    void (*encode_bf16)(const float *values, uint16_t *row, int64_t n);
    void (*encode_q8)(const float *values, void *q8_row, int64_t n); // the int8 activations above

    // attention, by the type of the cache: F32, F16, Q8_0 (NULL for other types).
    // scores: p = q . keys.  values: out += p . values.
    AttendKernel *scores[DTYPE_LIMIT];
    AttendKernel *values[DTYPE_LIMIT];

    // vectors of n floats
    float (*dot)(const float *a, const float *b, int64_t n);
    void (*axpy)(float *y, float a, const float *x, int64_t n);                // y += a x
    void (*scale)(float *y, const float *x, float a, int64_t n);               // y = a x
    void (*add)(float *y, const float *a, const float *b, int64_t n);          // y = a + b
    void (*multiply)(float *y, const float *a, const float *b, int64_t n);     // y = a * b
    void (*multiply_add)(float *y, const float *a, const float *b, int64_t n); // y += a * b
    float (*maximum)(const float *x, int64_t n);                               // n >= 1
    // x = exp(x - shift), returns the sum; x = -inf gives 0.  At most 2 ulp from exp.
    float (*exp_sum)(float *x, float shift, int64_t n);
    void (*silu)(float *y, const float *x, int64_t n); // x / (1 + exp(-x))
    // 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
    void (*gelu_tanh)(float *y, const float *x, int64_t n);
    void (*gelu_erf)(float *y, const float *x, int64_t n); // 0.5 x (1 + erf(x / sqrt 2))
    void (*tanh)(float *y, const float *x, int64_t n);
    void (*silu_slope)(float *y, const float *x, int64_t n); // the derivatives at x
    void (*gelu_tanh_slope)(float *y, const float *x, int64_t n);
    void (*gelu_erf_slope)(float *y, const float *x, int64_t n);
    void (*adamw)(const AdamwJob *job);

    // The limits of this processor in the arithmetic of this table, for the benchmarks: n rounds of
    // independent chains that stay in registers.  Returns the number of operations (a multiply-add
    // is two); *sink receives a sum of the results, so that no compiler leaves them out.
    double (*limit_f32)(int64_t n, float *sink);
    double (*limit_bf16)(int64_t n, float *sink); // NULL: no products of bf16 here
    double (*limit_int8)(int64_t n, float *sink);
    // Reads whole lines of memory; returns the exclusive or of their 64-bit words.  Pattern
    // 0 .. READ_PATTERNS-1: 1, 2, 4, 8 streams, each without (even) and with prefetch (odd).
    uint64_t (*limit_read)(const void *p, size_t bytes, int pattern);
} Kernels;

// The best table for this processor, chosen once by CPUID.
const Kernels *kernels_best(void);
// A table by name ("scalar", "avx2", "avx512", "neon", "wasm"); NULL if it is not built in or this
// processor lacks what it needs.
const Kernels *kernels_named(const char *name);
// Every table that this processor can run, scalar first; returns how many (at most 4).
int kernels_all(const Kernels *tables[4]);
// What the processor offers, in words, for `heed info` and the benchmarks: "avx2 avx512 vnni vbmi".
const char *kernels_features(void);

#endif
