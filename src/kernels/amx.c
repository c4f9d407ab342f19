// amx.c - products of bf16 in the tile registers of AMX (Intel's Software Developer's Manual,
// vol. 1, ch. 18).
//
// A tile register holds 16 rows of 64 bytes.  32 activation rows meet the 32 weight rows of a
// panel: four tiles of sums, two of activations (16 rows of 32 columns each) and two of the panel
// (16 pairs of columns, 16 weight rows each), which lies as the instruction wants it
// (quant/panels.h).
#include "kernels/amx.h"

#include <immintrin.h>
#include <string.h>

enum {
    TILE_ROWS = 16,
    TILE_PAIRS = 16,             // of columns
    TILE_BYTES = 64,             // of a row
    LINE_BYTES = 4 * PANEL_ROWS, // a pair of columns of a panel
    BLOCK_ROWS = 2 * TILE_ROWS,
    BLOCK_PAIRS = 256 // of columns: a piece of a panel of 32 KB, which stays in the L1 cache
};
// The tiles: sums (rows 0-15 and 16-31 by weights 0-15 and 16-31), activations, weights.  They are
// named by macros, since gcc pastes the numbers into the instructions.
#define S00 0
#define S01 1
#define S10 2
#define S11 3
#define X0  4
#define X1  5
#define W0  6
#define W1  7
enum { N_TILES = 8 };

// What LDTILECFG reads.
typedef struct TileShapes {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} TileShapes;

// For `rows` (1 .. 32) activation rows and steps of `pairs` (1 .. 16) pairs of columns.
static void load_shapes(int64_t rows, int64_t pairs) {
    uint8_t low = (uint8_t)(rows < TILE_ROWS ? rows : TILE_ROWS);
    uint8_t high = (uint8_t)(rows > TILE_ROWS ? rows - TILE_ROWS : 1); // 1: not used, but valid
    TileShapes s = {.palette = 1};
    for (int i = 0; i < N_TILES; i++) s.row_bytes[i] = TILE_BYTES;
    s.row_bytes[X0] = s.row_bytes[X1] = (uint16_t)(4 * pairs);
    s.rows[S00] = s.rows[S01] = s.rows[X0] = low;
    s.rows[S10] = s.rows[S11] = s.rows[X1] = high;
    s.rows[W0] = s.rows[W1] = (uint8_t)pairs;
    __asm__ volatile("" : : "r"(&s) : "memory"); // gcc 12 does not see that all of it is read
    _tile_loadconfig(&s);
}

// Some activation rows with a piece of one panel.
typedef struct Block {
    const char *x, *panel;
    size_t x_row_bytes;
    float *y;
    size_t y_row_bytes;
    int64_t rows, pairs;
} Block;

static void load_sums(const Block *b) {
    char *y = (char *)b->y;
    _tile_loadd(S00, y, b->y_row_bytes);
    _tile_loadd(S01, y + TILE_BYTES, b->y_row_bytes);
    if (b->rows <= TILE_ROWS) return;
    y += TILE_ROWS * b->y_row_bytes;
    _tile_loadd(S10, y, b->y_row_bytes);
    _tile_loadd(S11, y + TILE_BYTES, b->y_row_bytes);
}

static void store_sums(const Block *b) {
    char *y = (char *)b->y;
    _tile_stored(S00, y, b->y_row_bytes);
    _tile_stored(S01, y + TILE_BYTES, b->y_row_bytes);
    if (b->rows <= TILE_ROWS) return;
    y += TILE_ROWS * b->y_row_bytes;
    _tile_stored(S10, y, b->y_row_bytes);
    _tile_stored(S11, y + TILE_BYTES, b->y_row_bytes);
}

// `pairs` pairs of columns, a whole number of steps of the shape that is loaded.
static void add_steps(const Block *b, int64_t from, int64_t end, int64_t step) {
    const char *x = b->x, *x1 = b->x + TILE_ROWS * b->x_row_bytes;
    for (int64_t at = from; at < end; at += step) {
        const char *w = b->panel + at * LINE_BYTES;
        _tile_loadd(X0, x + 4 * at, b->x_row_bytes);
        _tile_loadd(W0, w, LINE_BYTES);
        _tile_dpbf16ps(S00, X0, W0);
        _tile_loadd(W1, w + TILE_BYTES, LINE_BYTES);
        _tile_dpbf16ps(S01, X0, W1);
        if (b->rows <= TILE_ROWS) continue;
        _tile_loadd(X1, x1 + 4 * at, b->x_row_bytes);
        _tile_dpbf16ps(S10, X1, W0);
        _tile_dpbf16ps(S11, X1, W1);
    }
}

// The rest of a k that is no multiple of 32 has a shape of its own; the sums lie in y meanwhile.
static void block_product(const Block *b, bool adds) {
    int64_t whole = b->pairs / TILE_PAIRS * TILE_PAIRS, rest = b->pairs - whole;
    if (whole > 0 || rest == 0) {
        if (adds) {
            load_sums(b);
        } else {
            _tile_zero(S00);
            _tile_zero(S01);
            _tile_zero(S10);
            _tile_zero(S11);
        }
        add_steps(b, 0, whole, TILE_PAIRS);
        store_sums(b);
        adds = true;
    }
    if (rest == 0) return;
    load_shapes(b->rows, rest); // also clears all tiles
    if (adds) load_sums(b);
    add_steps(b, whole, b->pairs, rest);
    store_sums(b);
    load_shapes(b->rows, TILE_PAIRS);
}

// A panel that is wider than y goes through a copy.
static void narrow_product(const Block *b, bool adds, int64_t n_lanes) {
    float copy[BLOCK_ROWS * PANEL_ROWS] = {0};
    size_t bytes = sizeof(float) * (size_t)n_lanes;
    Block wide = *b;
    wide.y = copy;
    wide.y_row_bytes = sizeof(float) * PANEL_ROWS;
    for (int64_t r = 0; adds && r < b->rows; r++)
        memcpy(copy + r * PANEL_ROWS, (char *)b->y + b->y_row_bytes * (size_t)r, bytes);
    block_product(&wide, adds);
    for (int64_t r = 0; r < b->rows; r++)
        memcpy((char *)b->y + b->y_row_bytes * (size_t)r, copy + r * PANEL_ROWS, bytes);
}

// A piece of a panel with all rows.
static void panel_rows(const PanelJob *job, Block b, bool adds, int64_t n_lanes) {
    for (int64_t row = 0; row < job->n_x; row += BLOCK_ROWS) {
        int64_t rows = job->n_x - row < BLOCK_ROWS ? job->n_x - row : BLOCK_ROWS;
        if (row == 0 || rows != b.rows) load_shapes(rows, TILE_PAIRS);
        b.rows = rows;
        if (n_lanes == PANEL_ROWS)
            block_product(&b, adds);
        else
            narrow_product(&b, adds, n_lanes);
        b.x += BLOCK_ROWS * job->x_row_bytes;
        b.y += BLOCK_ROWS * job->y_stride;
    }
}

void amx_panel_bf16(const PanelJob *job) {
    int64_t pairs = (job->k + 1) / 2;
    for (int64_t p0 = 0; p0 == 0 || p0 < pairs; p0 += BLOCK_PAIRS) {
        for (int64_t i = 0; i < job->n_out; i += PANEL_ROWS) {
            Block b = {.x = (const char *)job->x + 4 * p0,
                       .x_row_bytes = job->x_row_bytes,
                       .panel = (const char *)job->panel +
                                job->panel_bytes * (size_t)(i / PANEL_ROWS) + p0 * LINE_BYTES,
                       .y = job->y + i,
                       .y_row_bytes = sizeof(float) * (size_t)job->y_stride,
                       .pairs = pairs - p0 < BLOCK_PAIRS ? pairs - p0 : BLOCK_PAIRS};
            int64_t n_lanes = job->n_out - i < PANEL_ROWS ? job->n_out - i : PANEL_ROWS;
            panel_rows(job, b, job->adds || p0 > 0, n_lanes);
        }
    }
    _tile_release();
}

double amx_limit_bf16(int64_t n, float *sink) {
    enum { ITEMS = TILE_ROWS * 2 * TILE_PAIRS };
    uint16_t ones[ITEMS], small[ITEMS]; // 2^-60: nothing overflows in any number of rounds
    float sums[ITEMS / 2];
    for (int i = 0; i < ITEMS; i++) {
        ones[i] = 0x3f80;
        small[i] = 0x2180;
    }
    load_shapes(BLOCK_ROWS, TILE_PAIRS);
    _tile_loadd(X0, small, TILE_BYTES);
    _tile_loadd(X1, small, TILE_BYTES);
    _tile_loadd(W0, ones, TILE_BYTES);
    _tile_loadd(W1, ones, TILE_BYTES);
    for (int64_t round = 0; round < n; round++) {
        _tile_dpbf16ps(S00, X0, W0);
        _tile_dpbf16ps(S01, X0, W1);
        _tile_dpbf16ps(S10, X1, W0);
        _tile_dpbf16ps(S11, X1, W1);
    }
    _tile_stored(S00, sums, TILE_BYTES);
    _tile_release();
    *sink = sums[0];
    return 4.0 * 2 * ITEMS / 2 * 2 * TILE_PAIRS * (double)n;
}
