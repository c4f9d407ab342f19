// panels.c - rows to panels and back, by one table of moves for each type.
//
// A move takes bits of a byte of a row's block to a byte of the panel's block.  Its mirror image
// takes them back, so that the two directions cannot differ.
#include "quant/panels.h"

#include <string.h>

#include "base/error.h"
#include "quant/blocks.h"
#include "quant/half.h"
#include "quant/unpack.h"

// In a row's block: byte `file`, bits file_mask.  In the panel's block: byte `panel` for row 0,
// `step` further on for each row; the bits are moved up by `left` or down by `right`.
typedef struct Move {
    uint16_t file, panel;
    uint8_t file_mask, step, left, right;
} Move;

enum { MOVES_MAX = 640 }; // Q6_K: 2 + 16 + 2 * 256

typedef struct Moves {
    Move move[MOVES_MAX];
    int n;
    int latest[256]; // the last move of each byte of the file's block, counted from 1
} Moves;

// A place in a row's block.
typedef struct Place {
    int byte, shift;
} Place;

// ---------------------------------------------------------------- where a row has its bits
// Of the layouts in blocks.h: part 0 has the low bits, part 1 the high ones.
static Place value_place(DType t, int i, int part) {
    int half = i / 128, j = i / 32 % 4, group = i / 32, l = i % 32;
    Place nibble = {i % 16, i / 16 * 4}; // of a block of 32, from its first byte of nibbles
    switch (t) {
    case DTYPE_Q8_0: return (Place){2 + i, 0};
    case DTYPE_MXFP4: return (Place){1 + nibble.byte, nibble.shift};
    case DTYPE_Q4_1: return (Place){4 + nibble.byte, nibble.shift};
    case DTYPE_Q5_0:
        return part ? (Place){2 + i / 8, i % 8} : (Place){6 + nibble.byte, nibble.shift};
    case DTYPE_Q5_1:
        return part ? (Place){4 + i / 8, i % 8} : (Place){8 + nibble.byte, nibble.shift};
    case DTYPE_Q2_K: return (Place){16 + 32 * half + l, 2 * j};
    case DTYPE_Q3_K: return part ? (Place){l, 4 * half + j} : (Place){32 + 32 * half + l, 2 * j};
    case DTYPE_Q4_K: return (Place){16 + 32 * (group / 2) + l, 4 * (group % 2)};
    case DTYPE_Q5_K:
        return part ? (Place){16 + l, group} : (Place){48 + 32 * (group / 2) + l, 4 * (group % 2)};
    case DTYPE_Q6_K:
        return part ? (Place){128 + 32 * half + l, 2 * j}
                    : (Place){64 * half + 32 * (j % 2) + l, 4 * (j / 2)};
    case DTYPE_IQ4_XS: return (Place){8 + 16 * group + l % 16, l / 16 * 4};
    default: return (Place){2 + nibble.byte, nibble.shift}; // Q4_0, IQ4_NL
    }
}

// Integer scale i; in types with minimums the second half are these.
static Place code_place(DType t, int i, int part) {
    bool is_minimum = i >= 8; // Q4_K, Q5_K: see block_scale_min
    int g = i % 8, first = 4 + 4 * is_minimum;
    switch (t) {
    case DTYPE_Q2_K: return (Place){i % 16, i / 16 * 4};
    case DTYPE_Q3_K:
        return part ? (Place){104 + i % 4, 2 * (i / 4)} : (Place){96 + i % 8, i / 8 * 4};
    case DTYPE_Q4_K:
    case DTYPE_Q5_K:
        if (g < 4) return (Place){first + g, part ? 4 : 0};
        return part ? (Place){first + g - 4, 6} : (Place){8 + g, is_minimum ? 4 : 0};
    case DTYPE_Q6_K: return (Place){192 + i, 0};
    case DTYPE_IQ4_XS:
        return part ? (Place){2 + i / 4, 2 * (i % 4)} : (Place){4 + i / 2, i % 2 * 4};
    default: return (Place){0, 0}; // MXFP4
    }
}

static int float_place(DType t, int i) {
    switch (t) {
    case DTYPE_Q2_K: return 80 + 2 * i;
    case DTYPE_Q3_K: return 108;
    case DTYPE_Q6_K: return 208;
    default: return 2 * i;
    }
}

// ---------------------------------------------------------------- the table of moves
// Bits of one byte that move alike are one move.
static void add_move(Moves *m, Move new, int shift) {
    new.left = (uint8_t)(shift > 0 ? shift : 0);
    new.right = (uint8_t)(shift < 0 ? -shift : 0);
    Move *old = m->latest[new.file] ? &m->move[m->latest[new.file] - 1] : NULL;
    if (old && old->panel == new.panel && old->left == new.left && old->right == new.right) {
        old->file_mask |= new.file_mask;
        return;
    }
    require(m->n < MOVES_MAX);
    m->move[m->n++] = new;
    m->latest[new.file] = m->n;
}

// The planes of n items, `width` bytes of a row in each line, from byte `at` of the panel's block
// on.  Byte b of item i has its bits where place(t, first + i * width + b, part) says.
static int add_planes(Moves *m, DType t, const int bits[2], int n, int first, int width, int at,
                      Place (*place)(DType t, int i, int part)) {
    for (int part = 0; part < 2 && bits[part]; part++) {
        int lines = n * bits[part] / 8;
        for (int i = 0; i < n * width; i++) {
            int item = i / width, line = item % lines, to_shift = item / lines * bits[part];
            Place from = place(t, first + i, part);
            int mask = ((1 << bits[part]) - 1) << from.shift;
            Move move = {.file = (uint16_t)from.byte,
                         .panel = (uint16_t)(at + line * PANEL_ROWS * width + i % width),
                         .file_mask = (uint8_t)mask,
                         .step = (uint8_t)width};
            add_move(m, move, to_shift - from.shift);
        }
        at += lines * PANEL_ROWS * width;
    }
    return at;
}

static void moves_of(DType t, Moves *m) {
    PanelForm form = panel_form(t);
    m->n = 0;
    memset(m->latest, 0, sizeof m->latest);
    for (int i = 0; i < 2 * form.floats; i++)
        add_move(m,
                 (Move){.file = (uint16_t)(float_place(t, i / 2) + i % 2),
                        .panel = (uint16_t)(i / 2 * 2 * PANEL_ROWS + i % 2),
                        .file_mask = 255,
                        .step = 2},
                 0);
    int at = add_planes(m, t, form.code_bits, form.codes, 0, 1, panel_codes_at(form), code_place);
    for (int g = 0; g < form.values / 32; g++)
        at = add_planes(m, t, form.value_bits, 8, 32 * g, 4, at, value_place);
    require(at == PANEL_ROWS * dtype_block_bytes(t));
}

static void row_to_panel(const Moves *m, const uint8_t *file, int64_t row, uint8_t *panel) {
    for (const Move *v = m->move; v < m->move + m->n; v++) {
        unsigned bits = file[v->file] & v->file_mask;
        panel[v->panel + row * v->step] |= (uint8_t)(bits << v->left >> v->right);
    }
}

static void panel_to_row(const Moves *m, const uint8_t *panel, int64_t row, uint8_t *file) {
    for (const Move *v = m->move; v < m->move + m->n; v++) {
        unsigned bits = panel[v->panel + row * v->step];
        file[v->file] |= (uint8_t)((bits << v->right >> v->left) & v->file_mask);
    }
}

// ---------------------------------------------------------------- types without blocks
// The number in row r, column i of a panel.
static void *number_at(DType t, void *panel, int64_t i, int64_t r) {
    int64_t at = i * PANEL_ROWS + r;
    if (t == DTYPE_F32) return (uint32_t *)panel + at;
    if (t == DTYPE_BF16) at = (i / 2 * PANEL_ROWS + r) * 2 + i % 2;
    return (uint16_t *)panel + at;
}

static void pack_numbers(DType t, const void *rows, int64_t n_rows, int64_t k, void *panel) {
    for (int64_t i = 0; i < k; i++)
        for (int64_t r = 0; r < n_rows; r++) {
            if (t == DTYPE_F32)
                memcpy(number_at(t, panel, i, r), (const uint32_t *)rows + r * k + i, 4);
            else
                memcpy(number_at(t, panel, i, r), (const uint16_t *)rows + r * k + i, 2);
        }
}

static void unpack_numbers(DType t, const void *panel, int64_t from, int64_t n, int64_t k,
                           void *rows) {
    void *source = (void *)(uintptr_t)panel; // only read
    for (int64_t r = 0; r < n; r++)
        for (int64_t i = 0; i < k; i++) {
            if (t == DTYPE_F32)
                memcpy((uint32_t *)rows + r * k + i, number_at(t, source, i, from + r), 4);
            else
                memcpy((uint16_t *)rows + r * k + i, number_at(t, source, i, from + r), 2);
        }
}

// ---------------------------------------------------------------- panels
size_t panel_bytes(DType dtype, int64_t k) {
    return PANEL_ROWS * dtype_row_bytes(dtype, dtype == DTYPE_BF16 ? k + k % 2 : k);
}

void panel_pack(DType dtype, const void *rows, int64_t n_rows, int64_t k, void *panel) {
    require(n_rows >= 1 && n_rows <= PANEL_ROWS);
    const uint8_t *file = rows;
    uint8_t *to = panel;
    size_t bytes = (size_t)dtype_block_bytes(dtype), row_bytes = dtype_row_bytes(dtype, k);
    memset(panel, 0, panel_bytes(dtype, k));
    if (!dtype_is_quantized(dtype)) {
        pack_numbers(dtype, rows, n_rows, k, panel);
        return;
    }
    Moves moves;
    moves_of(dtype, &moves);
    for (size_t at = 0; at < row_bytes; at += bytes)
        for (int64_t r = 0; r < n_rows; r++)
            row_to_panel(&moves, file + (size_t)r * row_bytes + at, r, to + at * PANEL_ROWS);
}

static void unpack_rows(DType dtype, const uint8_t *panel, int64_t from, int64_t n, int64_t k,
                        uint8_t *file) {
    size_t bytes = (size_t)dtype_block_bytes(dtype), row_bytes = dtype_row_bytes(dtype, k);
    if (!dtype_is_quantized(dtype)) {
        unpack_numbers(dtype, panel, from, n, k, file);
        return;
    }
    Moves moves;
    moves_of(dtype, &moves);
    memset(file, 0, (size_t)n * row_bytes);
    for (size_t at = 0; at < row_bytes; at += bytes)
        for (int64_t r = 0; r < n; r++)
            panel_to_row(&moves, panel + at * PANEL_ROWS, from + r,
                         file + (size_t)r * row_bytes + at);
}

void panel_unpack(DType dtype, const void *panel, int64_t n_rows, int64_t k, void *rows) {
    require(n_rows >= 1 && n_rows <= PANEL_ROWS);
    unpack_rows(dtype, panel, 0, n_rows, k, rows);
}

void panel_unpack_row(DType dtype, const void *panel, int64_t row, int64_t k, void *to) {
    require(row >= 0 && row < PANEL_ROWS);
    unpack_rows(dtype, panel, row, 1, k, to);
}

// ---------------------------------------------------------------- what a block says
// Items of a plane: n of them, each `width` bytes that hold one number each.  Adds bits `to` on.
static void plane_take(const uint8_t *plane, int bits, int n, int width, int to, uint8_t *items) {
    int lines = n * bits / 8, mask = (1 << bits) - 1;
    for (int i = 0; i < n; i++, items += width) {
        const uint8_t *line = plane + i % lines * width;
        int shift = i / lines * bits;
        for (int b = 0; b < width; b++) items[b] |= (uint8_t)((line[b] >> shift & mask) << to);
    }
}

static void planes_take(const uint8_t *planes, const int bits[2], int n, int width,
                        uint8_t *items) {
    memset(items, 0, (size_t)(n * width));
    plane_take(planes, bits[0], n, width, 0, items);
    if (bits[1]) plane_take(planes + n * bits[0] / 8 * width, bits[1], n, width, bits[0], items);
}

static float float_at(const uint8_t *block, int i, int r) {
    uint16_t h;
    memcpy(&h, block + 2 * (i * PANEL_ROWS + r), sizeof h);
    return f16_to_f32(h);
}

static float block_scale(DType t, float d, uint8_t code) {
    switch (t) {
    case DTYPE_MXFP4: return mxfp4_scale(code);
    case DTYPE_Q3_K:
    case DTYPE_IQ4_XS: return d * (float)(code - 32);
    case DTYPE_Q6_K: return d * (float)(int8_t)code;
    default: return d * (float)code;
    }
}

static void block_scales(DType t, const uint8_t *block, PanelBlock *to) {
    PanelForm form = panel_form(t);
    uint8_t codes[32][PANEL_ROWS];
    int groups = form.values / unpack_group(t);
    if (form.codes)
        planes_take(block + panel_codes_at(form), form.code_bits, form.codes, PANEL_ROWS, codes[0]);
    for (int r = 0; r < PANEL_ROWS; r++) {
        float d = form.floats > 0 ? float_at(block, 0, r) : 0;
        float dmin = form.floats > 1 ? float_at(block, 1, r) : 0;
        for (int g = 0; g < groups; g++) {
            to->scale[g][r] = form.codes ? block_scale(t, d, codes[g][r]) : d;
            to->minimum[g][r] = -dmin; // of blocks of 32: value = d q + m
            if (form.codes)
                to->minimum[g][r] =
                    form.floats > 1 ? dmin * (float)codes[form.codes / 2 + g][r] : 0;
        }
    }
}

// What stored numbers are above their values, and the table of the types that have one.
static int value_offset(DType t) {
    switch (t) {
    case DTYPE_Q4_0: return 8;
    case DTYPE_Q5_0: return 16;
    case DTYPE_Q6_K: return 32;
    case DTYPE_Q3_K: return 4;
    default: return 0;
    }
}

static const int8_t *value_table(DType t) {
    if (t == DTYPE_MXFP4) return block_mxfp4_values;
    return t == DTYPE_IQ4_NL || t == DTYPE_IQ4_XS ? block_iq4_values : NULL;
}

void panel_block(DType dtype, const void *block, PanelBlock *to) {
    PanelForm form = panel_form(dtype);
    const uint8_t *planes = (const uint8_t *)block + panel_values_at(form);
    const int8_t *table = value_table(dtype);
    int offset = value_offset(dtype);
    block_scales(dtype, block, to);
    for (int g = 0; g < form.values / 32; g++, planes += panel_group_bytes(form)) {
        uint8_t stored[32 * PANEL_ROWS];
        planes_take(planes, form.value_bits, 8, 4 * PANEL_ROWS, stored);
        int8_t *q = to->q[8 * g][0];
        for (int i = 0; table && i < 32 * PANEL_ROWS; i++) q[i] = table[stored[i]];
        for (int i = 0; !table && i < 32 * PANEL_ROWS; i++) q[i] = (int8_t)(stored[i] - offset);
    }
}
