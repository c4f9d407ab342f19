// panels.h - weights in panels: 32 rows of a matrix, interleaved.
//
// A vector register then has one column of many rows, so that a product needs no sum over lanes,
// and a token's pass over the weights is one stream.  A panel has exactly the bits of its rows, in
// another order: packing is undone without loss.  Rows beyond the last of the matrix are zero bits,
// which every type takes for zeros.
//
// F32, F16: [k][32].  BF16: [k/2][32][2], pairs of columns side by side; an odd last column is
// paired with zeros.
//
// The blocks of the quantised types stand one after the other, each with the same block of all 32
// rows (r); panel_form says how many parts it has:
//
//   16-bit floats   [floats][r]             d, then dmin or m
//   integer scales  planes of [..][r]       of the types with blocks of 256, minimums behind scales
//   values          for each 32 columns: planes of [..][r][4]
//
// A plane holds some of the bits of n items, `bits` of each (1, 2, 4 or 8), in n * bits / 8 lines:
// item i is in line i % lines, from bit (i / lines) * bits on.  Items are the integer scales of a
// row, or the 8 groups of 4 columns: a line then has 4 bytes for each row, one a column.  The low
// bits of all items come in the first plane, the high ones in the second.  So Q4_0 is
//
//   f16 d[32], nibbles [4][32][4]: line i has columns 4i .. 4i+3 low, 4i+16 .. 4i+19 high.
//
//   type                  floats  scales                  values
//   Q4_0 IQ4_NL           1       -                       4 bits
//   Q4_1                  2       -                       4
//   Q5_0 / Q5_1           1 / 2   -                       4 + 1
//   Q8_0                  1       -                       8
//   MXFP4                 0       1 of 8 (the exponent)   4
//   Q2_K                  2       32 of 4 (16 minimums)   2
//   Q3_K                  1       16 of 4 + 2             2 + 1
//   Q4_K / Q5_K           2       16 of 4 + 2 (8 min.)    4 / 4 + 1
//   Q6_K                  1       16 of 8                 4 + 2
//   IQ4_XS                1       8 of 4 + 2              4
#ifndef HEED_QUANT_PANELS_H
#define HEED_QUANT_PANELS_H

#include "quant/dtype.h"

enum { PANEL_ROWS = 32 };

typedef struct PanelForm {
    int values;       // columns of a block
    int floats;       // 16-bit floats of a row
    int codes;        // integer scales of a row ..
    int code_bits[2]; // .. and bits of each in their planes
    int value_bits[2];
} PanelForm;

// Of a quantised type.  (A constant type leaves nothing of the switch.)
static inline PanelForm panel_form(DType t) {
    switch (t) {
    case DTYPE_Q4_1: return (PanelForm){32, 2, 0, {0, 0}, {4, 0}};
    case DTYPE_Q5_0: return (PanelForm){32, 1, 0, {0, 0}, {4, 1}};
    case DTYPE_Q5_1: return (PanelForm){32, 2, 0, {0, 0}, {4, 1}};
    case DTYPE_Q8_0: return (PanelForm){32, 1, 0, {0, 0}, {8, 0}};
    case DTYPE_MXFP4: return (PanelForm){32, 0, 1, {8, 0}, {4, 0}};
    case DTYPE_Q2_K: return (PanelForm){256, 2, 32, {4, 0}, {2, 0}};
    case DTYPE_Q3_K: return (PanelForm){256, 1, 16, {4, 2}, {2, 1}};
    case DTYPE_Q4_K: return (PanelForm){256, 2, 16, {4, 2}, {4, 0}};
    case DTYPE_Q5_K: return (PanelForm){256, 2, 16, {4, 2}, {4, 1}};
    case DTYPE_Q6_K: return (PanelForm){256, 1, 16, {8, 0}, {4, 2}};
    case DTYPE_IQ4_XS: return (PanelForm){256, 1, 8, {4, 2}, {4, 0}};
    default: return (PanelForm){32, 1, 0, {0, 0}, {4, 0}}; // Q4_0, IQ4_NL
    }
}

// Where the scales and the values of a block begin, and the bytes of 32 columns.
static inline int panel_codes_at(PanelForm f) {
    return 2 * PANEL_ROWS * f.floats;
}
static inline int panel_values_at(PanelForm f) {
    return panel_codes_at(f) + PANEL_ROWS * f.codes * (f.code_bits[0] + f.code_bits[1]) / 8;
}
static inline int panel_group_bytes(PanelForm f) {
    return 4 * PANEL_ROWS * (f.value_bits[0] + f.value_bits[1]);
}

// Bytes of a panel of rows of k values (a multiple of the block).
size_t panel_bytes(DType dtype, int64_t k);
// Panels of a matrix of n rows.
static inline int64_t panel_count(int64_t n) {
    return (n + PANEL_ROWS - 1) / PANEL_ROWS;
}

// n_rows (1 .. 32) rows, one after the other as in a file, to a panel; and back.
void panel_pack(DType dtype, const void *rows, int64_t n_rows, int64_t k, void *panel);
void panel_unpack(DType dtype, const void *panel, int64_t n_rows, int64_t k, void *rows);
// One row of a panel, as in a file.
void panel_unpack_row(DType dtype, const void *panel, int64_t row, int64_t k, void *to);

// What a block of a quantised type says, of all its rows: in a group of 32 or 16 columns
//   value = scale * q - minimum     (as in quant/unpack.h)
typedef struct PanelBlock {
    int8_t q[64][PANEL_ROWS][4]; // column 4i + c of row r: q[i][r][c]
    float scale[16][PANEL_ROWS], minimum[16][PANEL_ROWS];
} PanelBlock;
void panel_block(DType dtype, const void *block, PanelBlock *to);

#endif
