// test_panels.c - rows to panels and back: no bit may be lost, and each must lie where
// quant/panels.h says.
#include <stdlib.h>

#include "quant/blocks.h"
#include "quant/panels.h"
#include "quant/unpack.h"
#include "tests/kernel_check.h"

static uint8_t *random_rows(size_t bytes) {
    uint8_t *rows = malloc(bytes);
    require(rows);
    for (size_t i = 0; i < bytes; i++) rows[i] = (uint8_t)random_bits();
    return rows;
}

static void round_trip(DType t, int64_t n_rows, int64_t k) {
    size_t row = dtype_row_bytes(t, k), bytes = panel_bytes(t, k);
    uint8_t *rows = random_rows((size_t)n_rows * row), *panel = random_rows(bytes);
    uint8_t *back = random_rows((size_t)n_rows * row), *again = random_rows(bytes);
    panel_pack(t, rows, n_rows, k, panel);
    panel_unpack(t, panel, n_rows, k, back);
    test_check(memcmp(rows, back, (size_t)n_rows * row) == 0, __FILE__, __LINE__,
               "%s: %d rows of %d come back changed", dtype_name(t), (int)n_rows, (int)k);
    for (int64_t r = 0; r < n_rows; r++) {
        panel_unpack_row(t, panel, r, k, back);
        test_check(memcmp(rows + (size_t)r * row, back, row) == 0, __FILE__, __LINE__,
                   "%s: row %d of %d comes back changed", dtype_name(t), (int)r, (int)k);
    }
    // As many bits as before, so a panel holds nothing else: packing what came back gives it again.
    panel_unpack(t, panel, n_rows, k, back);
    panel_pack(t, back, n_rows, k, again);
    CHECK(memcmp(panel, again, bytes) == 0);
    if (n_rows == PANEL_ROWS && !(t == DTYPE_BF16 && k % 2)) CHECK_EQUAL(bytes, PANEL_ROWS * row);
    free(rows), free(panel), free(back), free(again);
}

TEST(panels, keep_every_bit) {
    for (int t = 0; t < DTYPE_LIMIT; t++) {
        if (!dtype_known(t)) continue;
        int64_t block = dtype_block_values((DType)t);
        round_trip((DType)t, PANEL_ROWS, 3 * block);
        round_trip((DType)t, 1, block);
        round_trip((DType)t, 17, 2 * block);
    }
}

TEST(panels, other_rows_are_zeros) {
    static const DType types[] = {DTYPE_Q4_0, DTYPE_Q6_K, DTYPE_MXFP4};
    for (int i = 0; i < 3; i++) {
        int64_t k = 256;
        size_t row = dtype_row_bytes(types[i], k);
        uint8_t *rows = random_rows(row), *panel = random_rows(panel_bytes(types[i], k));
        float values[256];
        panel_pack(types[i], rows, 1, k, panel);
        panel_unpack_row(types[i], panel, 31, k, rows);
        quant_decode(types[i], rows, values, k);
        for (int j = 0; j < k; j++) CHECK(values[j] == 0);
        free(rows), free(panel);
    }
}

// The integer of row r, column i of the first block, read by the rule of the header.
static int value_in(DType t, const uint8_t *panel, int r, int i) {
    PanelForm form = panel_form(t);
    const uint8_t *plane =
        panel + panel_values_at(form) + (size_t)(i / 32 * panel_group_bytes(form));
    int value = 0, shift = 0, item = i % 32 / 4;
    for (int part = 0; part < 2 && form.value_bits[part]; part++) {
        int bits = form.value_bits[part];
        uint8_t byte = plane[(item % bits * PANEL_ROWS + r) * 4 + i % 4];
        value |= (byte >> (item / bits * bits) & ((1 << bits) - 1)) << shift;
        plane += bits * PANEL_ROWS * 4;
        shift += bits;
    }
    return value;
}

TEST(panels, lie_as_described) {
    static const struct {
        DType type;
        int offset; // of the stored integers
    } types[] = {{DTYPE_Q4_0, 8}, {DTYPE_Q4_1, 0},  {DTYPE_Q5_0, 16}, {DTYPE_Q5_1, 0},
                 {DTYPE_Q8_0, 0}, {DTYPE_Q2_K, 0},  {DTYPE_Q3_K, 4},  {DTYPE_Q4_K, 0},
                 {DTYPE_Q5_K, 0}, {DTYPE_Q6_K, 32}, {DTYPE_IQ4_NL, 0}};
    for (size_t n = 0; n < sizeof types / sizeof *types; n++) {
        DType t = types[n].type;
        int k = dtype_block_values(t);
        size_t row = dtype_row_bytes(t, k);
        uint8_t *rows = random_rows(PANEL_ROWS * row), *panel = random_rows(panel_bytes(t, k));
        panel_pack(t, rows, PANEL_ROWS, k, panel);
        bool all = true;
        for (int r = 0; r < PANEL_ROWS; r++) {
            Unpacked u;
            unpack_function(t)(rows + (size_t)r * row, &u);
            for (int i = 0; i < k; i++) {
                int value = value_in(t, panel, r, i);
                int want = t == DTYPE_IQ4_NL ? 0 : u.q[i] + types[n].offset;
                if (t == DTYPE_IQ4_NL) value = block_iq4_values[value] - u.q[i];
                if (t == DTYPE_Q8_0) value = (int8_t)value;
                all = all && value == want;
            }
            uint16_t d, d_panel;
            memcpy(&d, rows + (size_t)r * row, 2);
            memcpy(&d_panel, panel + 2 * r, 2);
            bool is_first = t != DTYPE_Q2_K && t != DTYPE_Q3_K && t != DTYPE_Q6_K;
            all = all && (!is_first || d == d_panel);
        }
        test_check(all, __FILE__, __LINE__, "%s: values lie elsewhere", dtype_name(t));
        free(rows), free(panel);
    }
}
