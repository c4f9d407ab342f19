// body_panel_floats.inl - weights in panels of F32, F16 and BF16 times activation rows, and how
// such panels are packed.
//
// A tile is some activation rows with one panel: the PANEL_ROWS outputs of each row stay in
// registers while k runs over the panel's lines.  An output is one chain of multiply-adds over
// ascending k, whatever stands beside it in the tile; a chain may be set down in y and taken up
// again.  For many rows the panel is cut along k, so that a piece stays in the L1 cache while all
// rows pass it (Goto and van de Geijn 2008); 16-bit weights are widened once for a piece.
#include "kernels/scalar.h"

enum {
    PANEL_VECTORS = PANEL_ROWS / VF, // of a line
    PANEL_FEW = 3,                   // rows that meet 16-bit weights as they are
    FLOAT_AHEAD = 2048               // bytes fetched ahead where a panel is read only once
};

// ---------------------------------------------------------------- tiles

// The rows of a tile are named, and so are a row's vectors (the first PANEL_VECTORS are used): gcc
// keeps arrays of vectors on the stack.  X(row, its base, rows from the base).
#define BASE_ROWS(X) X(0, 0, 0) X(1, 0, 1) X(2, 0, 2)
#define MORE_ROWS(X) \
    X(3, 3, 0)       \
    X(4, 3, 1)       \
    X(5, 3, 2)       \
    X(6, 6, 0) X(7, 6, 1) X(8, 6, 2) X(9, 9, 0) X(10, 9, 1) X(11, 9, 2) X(12, 12, 0) X(13, 12, 1)
#define LINE_VECTORS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

typedef struct PanelLine {
    vf v0, v1, v2, v3, v4, v5, v6, v7;
} PanelLine;

WORD PanelLine line_zero(void) {
    vf zero = vf_zero();
    return (PanelLine){zero, zero, zero, zero, zero, zero, zero, zero};
}

WORD PanelLine line_load(const float *p) {
    PanelLine line = line_zero();
#define X(n) \
    if (n < PANEL_VECTORS) line.v##n = vf_load(p + n * VF);
    LINE_VECTORS(X)
#undef X
    return line;
}

WORD void line_store(PanelLine line, float *p) {
#define X(n) \
    if (n < PANEL_VECTORS) vf_store(p + n * VF, line.v##n);
    LINE_VECTORS(X)
#undef X
}

// What a tile multiplies: panels of a type with f32 rows, or pairs of bf16 with pairs of bf16,
// which lie like F32 and f32.
typedef enum PanelKind { PANEL_F32, PANEL_F16, PANEL_BF16, PANEL_PAIRS } PanelKind;

WORD int64_t line_bytes(PanelKind kind) {
    return kind == PANEL_F32 || kind == PANEL_PAIRS ? PANEL_ROWS * 4 : PANEL_ROWS * 2;
}

// Vector v of the first or the second (`odd`) of two lines.
WORD vf line_vector(PanelKind kind, const char *lines, int odd, int v) {
    if (kind == PANEL_BF16) {
        vi pairs = vi_load(lines + v * VF * 4);
        return odd ? vf_of_bf16_high(pairs) : vf_of_bf16_low(pairs);
    }
    lines += odd * line_bytes(kind);
    if (kind == PANEL_F16) return vf_load_f16((const void *)(lines + v * VF * 2));
    return vf_load((const void *)(lines + v * VF * 4));
}

#ifdef HAS_DOT_BF16
#define PANEL_FMA(kind, x, w, s) ((kind) == PANEL_PAIRS ? vf_dot_bf16(x, w, s) : vf_fma(x, w, s))
#else
#define PANEL_FMA(kind, x, w, s) vf_fma(x, w, s)
#endif

typedef struct FloatTile {
    const char *panel;
    const char *x;
    size_t x_row_bytes;
    float *y;
    int64_t y_stride;
    int64_t k; // columns; of PANEL_PAIRS pairs
    bool adds;
    bool fetches; // the panel comes from memory
} FloatTile;

// The sums of a tile's rows.
typedef struct PanelSums {
    PanelLine s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13;
} PanelSums;

// Every third row of x; the two behind it are reached by the distance of rows.
typedef struct FloatRows {
    const char *p0, *p3, *p6, *p9, *p12;
} FloatRows;

// One line with all rows.  Where a line is two vectors, they stay while the rows pass by; where it
// is many, the rows do (at most three).
WORD void tile_step(PanelKind kind, int rows, PanelSums *s, const char *lines, int odd, FloatRows x,
                    size_t stride) {
#define ROW(i, base, n) vf_set(*(const float *)(const void *)(x.p##base + n * stride + odd * 4))
    if (PANEL_VECTORS == 2) {
        vf w0 = line_vector(kind, lines, odd, 0), w1 = line_vector(kind, lines, odd, 1);
#define X(i, base, n)                                      \
    if (rows > i) {                                        \
        vf x_i = ROW(i, base, n);                          \
        s->s##i.v0 = PANEL_FMA(kind, x_i, w0, s->s##i.v0); \
        s->s##i.v1 = PANEL_FMA(kind, x_i, w1, s->s##i.v1); \
    }
        BASE_ROWS(X) MORE_ROWS(X)
#undef X
    } else {
        vf x0 = ROW(0, 0, 0), x1 = x0, x2 = x0;
        if (rows > 1) x1 = ROW(1, 0, 1);
        if (rows > 2) x2 = ROW(2, 0, 2);
#define X(n)                                                           \
    if (n < PANEL_VECTORS) {                                           \
        vf w = line_vector(kind, lines, odd, n);                       \
        s->s0.v##n = PANEL_FMA(kind, x0, w, s->s0.v##n);               \
        if (rows > 1) s->s1.v##n = PANEL_FMA(kind, x1, w, s->s1.v##n); \
        if (rows > 2) s->s2.v##n = PANEL_FMA(kind, x2, w, s->s2.v##n); \
    }
        LINE_VECTORS(X)
#undef X
    }
#undef ROW
}

WORD void tile_fetch(PanelKind kind, const char *lines) {
    for (int64_t at = 0; at < 2 * line_bytes(kind); at += 64) PREFETCH(lines + FLOAT_AHEAD + at);
}

WORD void float_tile(PanelKind kind, int rows, const FloatTile *t) {
    PanelLine zero = line_zero();
    PanelSums s = {zero, zero, zero, zero, zero, zero, zero,
                   zero, zero, zero, zero, zero, zero, zero};
    size_t stride = t->x_row_bytes;
    const char *lines = t->panel;
    FloatRows x = {t->x, t->x, t->x, t->x, t->x};
    if (rows > 3) x.p3 += 3 * stride;
    if (rows > 6) x.p6 += 6 * stride;
    if (rows > 9) x.p9 += 9 * stride;
    if (rows > 12) x.p12 += 12 * stride;
#define X(i, base, n) \
    if (rows > i && t->adds) s.s##i = line_load(t->y + i * t->y_stride);
    BASE_ROWS(X)
    MORE_ROWS(X)
#undef X
    int64_t k = t->k;
    for (; k >= 2; k -= 2) {
        if (t->fetches) tile_fetch(kind, lines);
        tile_step(kind, rows, &s, lines, 0, x, stride);
        tile_step(kind, rows, &s, lines, 1, x, stride);
        lines += 2 * line_bytes(kind);
        x = (FloatRows){x.p0 + 8, x.p3 + 8, x.p6 + 8, x.p9 + 8, x.p12 + 8};
    }
    if (k) tile_step(kind, rows, &s, lines, 0, x, stride);
#define X(i, base, n) \
    if (rows > i) line_store(s.s##i, t->y + i * t->y_stride);
    BASE_ROWS(X) MORE_ROWS(X)
#undef X
}

typedef void TileFunction(const FloatTile *tile);

// A function for each number of rows; those of more rows than this set's tiles have stay empty.
#define TILE(kind, rows)                                       \
    APART void tile_##kind##_##rows(const FloatTile *tile) {   \
        if ((int)rows <= FLOAT_TILE || (int)rows <= PANEL_FEW) \
            float_tile(PANEL_##kind, rows, tile);              \
    }
#define TILE_NAME(kind, rows) tile_##kind##_##rows,
#define FEW(X, kind)          X(kind, 1) X(kind, 2) X(kind, 3)
#define MANY(X, kind) \
    FEW(X, kind)      \
    X(kind, 4)        \
    X(kind, 5)        \
    X(kind, 6)        \
    X(kind, 7) X(kind, 8) X(kind, 9) X(kind, 10) X(kind, 11) X(kind, 12) X(kind, 13) X(kind, 14)

FEW(TILE, F16)
FEW(TILE, BF16)
MANY(TILE, F32)
static TileFunction *const tiles_f16[] = {FEW(TILE_NAME, F16)};
static TileFunction *const tiles_bf16[] = {FEW(TILE_NAME, BF16)};
static TileFunction *const tiles_f32[] = {MANY(TILE_NAME, F32)};
#ifdef HAS_DOT_BF16
MANY(TILE, PAIRS)
static TileFunction *const tiles_pairs[] = {MANY(TILE_NAME, PAIRS)};
#endif
#undef TILE
#undef TILE_NAME
#undef FEW
#undef MANY

// ---------------------------------------------------------------- products

// Rows of y that the panel is too wide for go through a copy.
static void narrow_tile(TileFunction *function, const FloatTile *tile, int64_t rows,
                        int64_t n_lanes) {
    float copy[FLOAT_TILE * PANEL_ROWS] = {0};
    size_t bytes = sizeof(float) * (size_t)n_lanes;
    FloatTile wide = *tile;
    wide.y = copy;
    wide.y_stride = PANEL_ROWS;
    for (int64_t r = 0; tile->adds && r < rows; r++)
        memcpy(copy + r * PANEL_ROWS, tile->y + r * tile->y_stride, bytes);
    function(&wide);
    for (int64_t r = 0; r < rows; r++)
        memcpy(tile->y + r * tile->y_stride, copy + r * PANEL_ROWS, bytes);
}

// A piece of a panel with all rows, in tiles of like height.  Meanwhile the `next` piece of as many
// bytes comes nearer, a share with each tile.
static void panel_rows(TileFunction *const *tiles, const PanelJob *job, FloatTile tile,
                       int64_t n_lanes, const char *next, int64_t next_bytes) {
    int64_t n_tiles = (job->n_x + FLOAT_TILE - 1) / FLOAT_TILE;
    const char *x = tile.x;
    float *y = tile.y;
    for (int64_t i = 0; i < n_tiles; i++) {
        int64_t row = job->n_x * i / n_tiles, rows = job->n_x * (i + 1) / n_tiles - row;
        int64_t at = next_bytes * i / n_tiles / 64 * 64, end = next_bytes * (i + 1) / n_tiles;
        for (; at < end; at += 64) PREFETCH_L2(next + at);
        tile.x = x + job->x_row_bytes * (size_t)row;
        tile.y = y + row * job->y_stride;
        if (n_lanes == PANEL_ROWS)
            tiles[rows - 1](&tile);
        else
            narrow_tile(tiles[rows - 1], &tile, rows, n_lanes);
    }
}

// k lines of 16-bit weights as f32.
WORD void widen(PanelKind kind, const char *lines, int64_t k, float *to) {
    for (int64_t j = 0; j < k; j++) {
        const char *pair = lines + j / 2 * 2 * line_bytes(kind);
        for (int v = 0; v < PANEL_VECTORS; v++) {
            vf w = j % 2 ? line_vector(kind, pair, 1, v) : line_vector(kind, pair, 0, v);
            vf_store(to + j * PANEL_ROWS + v * VF, w);
        }
    }
}

// All panels with all rows: a piece of k at a time, each piece with every panel.
WORD void panel_products(PanelKind kind, TileFunction *const *tiles, const PanelJob *job) {
    float wide[FLOAT_DEPTH * PANEL_ROWS];
    bool once = job->n_x <= FLOAT_TILE && job->n_x <= PANEL_FEW;
    bool widens = (kind == PANEL_F16 || kind == PANEL_BF16) && job->n_x > PANEL_FEW;
    int64_t k = kind == PANEL_PAIRS ? (job->k + 1) / 2 : job->k;
    int64_t depth = once && k > 0 ? k : FLOAT_DEPTH;
    for (int64_t k0 = 0; k0 == 0 || k0 < k; k0 += depth) {
        FloatTile tile = {.x = (const char *)job->x + k0 * 4,
                          .x_row_bytes = job->x_row_bytes,
                          .y_stride = job->y_stride,
                          .k = min_i64(depth, k - k0),
                          .adds = job->adds || k0 > 0,
                          .fetches = once};
        for (int64_t i = 0; i < job->n_out; i += PANEL_ROWS) {
            const char *piece = (const char *)job->panel + k0 * line_bytes(kind) +
                                job->panel_bytes * (size_t)(i / PANEL_ROWS);
            bool is_last = i + PANEL_ROWS >= job->n_out;
            tile.panel = piece;
            tile.y = job->y + i;
            if (widens) {
                widen(kind, piece, tile.k, wide);
                tile.panel = (const char *)wide;
            }
            panel_rows(widens ? tiles_f32 : tiles, job, tile, min_i64(PANEL_ROWS, job->n_out - i),
                       piece + job->panel_bytes, once || is_last ? 0 : tile.k * line_bytes(kind));
        }
    }
}

static void panel_f32(const PanelJob *job) {
    panel_products(PANEL_F32, tiles_f32, job);
}
static void panel_f16(const PanelJob *job) {
    panel_products(PANEL_F16, tiles_f16, job);
}
static void panel_bf16(const PanelJob *job) {
    panel_products(PANEL_BF16, tiles_bf16, job);
}
#ifdef HAS_DOT_BF16
static void panel_pairs(const PanelJob *job) {
    panel_products(PANEL_PAIRS, tiles_pairs, job);
}
#endif

// ---------------------------------------------------------------- packing

// to[j][i] = from[i][j] of 32-bit items, n rows by k; distances in items.
static void turn(const char *from, int64_t row, char *to, int64_t to_row, int64_t n, int64_t k) {
    enum { COLUMNS = 64 }; // at a time: their lines stay in the L1 cache until they are whole
    for (int64_t j0 = 0; j0 < k; j0 += COLUMNS) {
        int64_t end = min_i64(j0 + COLUMNS, k), i = 0;
        for (; i + VF <= n; i += VF) {
            int64_t j = j0;
            for (; j + VF <= end; j += VF)
                transpose(from + (i * row + j) * 4, row, to + (j * to_row + i) * 4, to_row);
            for (; j < end; j++)
                for (int64_t l = i; l < i + VF; l++)
                    memcpy(to + (j * to_row + l) * 4, from + (l * row + j) * 4, 4);
        }
        for (; i < n; i++)
            for (int64_t j = j0; j < end; j++)
                memcpy(to + (j * to_row + i) * 4, from + (i * row + j) * 4, 4);
    }
}

static void transpose_rows(const float *from, int64_t from_row, float *to, int64_t to_row,
                           int64_t rows, int64_t columns) {
    turn((const char *)from, from_row, (char *)to, to_row, rows, columns);
}

// Columns that lie side by side are copied, rows that do are transposed.
static void pack_f32(const PackJob *job) {
    const float *from = job->from;
    float *panel = job->panel;
    if (job->column != 1 && job->row != 1) {
        scalar_pack_f32(job);
        return;
    }
    if (job->n < PANEL_ROWS) memset(panel, 0, panel_bytes(DTYPE_F32, job->k));
    if (job->column == 1) {
        turn(job->from, job->row, job->panel, PANEL_ROWS, job->n, job->k);
        return;
    }
    for (int64_t j = 0; j < job->k; j++) {
        const float *line = from + j * job->column;
        float *to = panel + j * PANEL_ROWS;
        int64_t i = 0;
        for (; i + VF <= job->n; i += VF) vf_store(to + i, vf_load(line + i));
        if (i < job->n) vf_store_part(to + i, vf_load_part(line + i, job->n - i), job->n - i);
    }
}

// By way of an F32 panel of a few columns.
static void pack_to_bf16(const PackJob *job) {
    enum { COLUMNS = 64 };
    float lines[COLUMNS * PANEL_ROWS];
    char *to = job->panel;
    for (int64_t j = 0; j < job->k; j += COLUMNS) {
        PackJob part = *job;
        part.from = (const float *)job->from + j * job->column;
        part.k = min_i64(COLUMNS, job->k - j);
        part.panel = lines;
        pack_f32(&part);
        if (part.k % 2) memset(lines + part.k * PANEL_ROWS, 0, sizeof(float) * PANEL_ROWS);
        for (int64_t l = 0; l < part.k; l += 2) {
            for (int v = 0; v < PANEL_VECTORS; v++, to += VF * 4) {
                const float *first = lines + l * PANEL_ROWS + v * VF;
                vi_store(to, vi_bf16_pairs(vf_load(first), vf_load(first + PANEL_ROWS)));
            }
        }
    }
}

// Rows of an even number of 16-bit items are rows of pairs.
static bool rows_of_pairs(const PackJob *job) {
    return job->column == 1 && job->row % 2 == 0 && job->k % 2 == 0;
}

static void pack_bf16(const PackJob *job) {
    if (!rows_of_pairs(job)) {
        scalar_pack_bf16(job);
        return;
    }
    if (job->n < PANEL_ROWS) memset(job->panel, 0, panel_bytes(DTYPE_BF16, job->k));
    turn(job->from, job->row / 2, job->panel, PANEL_ROWS, job->n, job->k / 2);
}

static void pack_f16(const PackJob *job) {
    enum { PAIRS = 64 };
    uint32_t pairs[PAIRS * PANEL_ROWS] = {0};
    uint16_t *to = job->panel;
    if (!rows_of_pairs(job)) {
        scalar_pack_f16(job);
        return;
    }
    for (int64_t j = 0; j < job->k / 2; j += PAIRS) {
        int64_t n = min_i64(PAIRS, job->k / 2 - j);
        const char *from = (const char *)job->from + j * 4;
        turn(from, job->row / 2, (char *)pairs, PANEL_ROWS, job->n, n);
        for (int64_t l = 0; l < n; l++, to += 2 * PANEL_ROWS) {
            for (int64_t i = 0; i < PANEL_ROWS; i++) {
                to[i] = (uint16_t)pairs[l * PANEL_ROWS + i];
                to[PANEL_ROWS + i] = (uint16_t)(pairs[l * PANEL_ROWS + i] >> 16);
            }
        }
    }
}

static void panel_float_entries(Kernels *table) {
    table->panel[DTYPE_F32] = panel_f32;
    table->panel[DTYPE_F16] = panel_f16;
    table->panel[DTYPE_BF16] = panel_bf16;
    table->pack[DTYPE_F32] = pack_f32;
    table->pack[DTYPE_F16] = pack_f16;
    table->pack[DTYPE_BF16] = pack_bf16;
    table->pack_to_bf16 = pack_to_bf16;
    table->transpose = transpose_rows;
}
