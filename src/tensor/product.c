// product.c - panels for the one side, straight rows for the other, and their shares for threads.
//
// Shares are blocks of rows times groups of panels.  A block of A (BLOCK_ROWS x BLOCK_K) is small
// enough for the L2 cache, where all panels of its group meet it.  It is laid straight and rounded
// once for each group, so there are more blocks first, and groups only where rows are too few.
#include "tensor/product.h"

#include <string.h>

enum {
    BLOCK_ROWS = 252,            // a multiple of the kernels' tiles
    BLOCK_ROWS_LEAST = 56,       // for few rows: enough of them for a pass over the panels to pay
    BLOCK_K = 256,               // even: BF16 panels hold pairs of columns
    STRAIGHT_ROW = BLOCK_K + 16, // from row to row: no power of two, which caches take badly
    SHARES_PER_THREAD = 4,       // so that no thread waits long for the last share
    SHARE_PRODUCTS = 1 << 15,    // multiply-adds that are worth a share of their own
    ALIGNMENT = 64
};

typedef struct Work {
    const Kernels *kernels;
    const Product *p;
    char *panels;
    size_t panel_bytes;
    char *scratch; // of the first thread
    size_t scratch_bytes;
    int64_t n_blocks, n_panels, n_groups;
} Work;

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static size_t aligned(size_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// ---------------------------------------------------------------- memory
static size_t b_panel_bytes(const Product *p) {
    return panel_bytes(p->bf16 ? DTYPE_BF16 : DTYPE_F32, p->k);
}

static bool rows_lie_straight(const Product *p) {
    return p->a_column == 1 && !p->bf16;
}

// Straight rows of a block, and in front of them the same rounded to bf16.
static size_t rounded_bytes(const Product *p) {
    return p->bf16 ? sizeof(uint16_t) * BLOCK_ROWS * BLOCK_K : 0;
}
static size_t scratch_bytes(const Product *p) {
    return rows_lie_straight(p) ? 0 : rounded_bytes(p) + sizeof(float) * BLOCK_ROWS * STRAIGHT_ROW;
}

size_t product_bytes(const Product *p, int threads) {
    size_t panels = b_panel_bytes(p) * (size_t)divide_up(p->n, PANEL_ROWS);
    return ALIGNMENT + aligned(panels) + scratch_bytes(p) * (size_t)threads;
}

// ---------------------------------------------------------------- packing
static void pack_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const Work *w = arg;
    const Product *p = w->p;
    PackKernel *pack = p->bf16 ? w->kernels->pack_to_bf16 : w->kernels->pack[DTYPE_F32];
    for (int64_t i = begin; i < end; i++) {
        int64_t row = i * PANEL_ROWS, left = p->n - row;
        pack(&(PackJob){.from = p->b + row * p->b_row,
                        .row = p->b_row,
                        .column = p->b_column,
                        .n = left < PANEL_ROWS ? left : PANEL_ROWS,
                        .k = p->k,
                        .panel = w->panels + w->panel_bytes * (size_t)i});
    }
}

// A piece of A: `rows` rows of k numbers.
typedef struct Piece {
    const float *from;
    int64_t rows, k;
} Piece;

// Lays the rows of a piece straight: f32, STRAIGHT_ROW apart.
static void straighten(const Work *w, Piece piece, float *to) {
    int64_t row = w->p->a_row, column = w->p->a_column;
    if (row == 1) {
        w->kernels->transpose(piece.from, column, to, STRAIGHT_ROW, piece.k, piece.rows);
        return;
    }
    for (int64_t i = 0; i < piece.rows; i++)
        for (int64_t l = 0; l < piece.k; l++)
            to[i * STRAIGHT_ROW + l] = piece.from[i * row + l * column];
}

// Rows rounded to bf16: as such, an even number of them, or (without products of bf16) as f32.
static size_t round_rows(const Work *w, Piece piece, int64_t row, uint16_t *rounded,
                         float *straight) {
    int64_t width = piece.k + piece.k % 2;
    for (int64_t i = 0; i < piece.rows; i++) {
        uint16_t *to = rounded + i * width;
        w->kernels->encode_bf16(piece.from + i * row, to, piece.k);
        if (piece.k % 2) to[piece.k] = 0;
        if (!w->kernels->panel_bf16)
            w->kernels->decode[DTYPE_BF16](to, straight + i * STRAIGHT_ROW, piece.k);
    }
    return (size_t)width * sizeof *rounded;
}

// Makes the rows of a piece what the kernel wants; returns them and their distance in *row_bytes.
static const void *piece_rows(const Work *w, Piece piece, int worker, size_t *row_bytes) {
    const Product *p = w->p;
    char *scratch = w->scratch + w->scratch_bytes * (size_t)worker;
    uint16_t *rounded = (uint16_t *)(void *)scratch;
    float *straight = (float *)(void *)(scratch + rounded_bytes(p));
    int64_t row = p->a_row;
    if (p->a_column != 1) {
        straighten(w, piece, straight);
        piece.from = straight;
        row = STRAIGHT_ROW;
    }
    *row_bytes = sizeof(float) * (size_t)row;
    if (!p->bf16) return piece.from;
    size_t rounded_row = round_rows(w, piece, row, rounded, straight);
    *row_bytes = w->kernels->panel_bf16 ? rounded_row : sizeof(float) * STRAIGHT_ROW;
    return w->kernels->panel_bf16 ? (const void *)rounded : straight;
}

// ---------------------------------------------------------------- shares
static void share_task(void *arg, int64_t begin, int64_t end, int worker) {
    const Work *w = arg;
    const Product *p = w->p;
    PanelKernel *kernel = w->kernels->panel[p->bf16 ? DTYPE_BF16 : DTYPE_F32];
    if (p->bf16 && w->kernels->panel_bf16) kernel = w->kernels->panel_bf16;
    for (int64_t share = begin; share < end; share++) {
        int64_t block = share / w->n_groups, group = share % w->n_groups;
        int64_t row = p->m * block / w->n_blocks, rows = p->m * (block + 1) / w->n_blocks - row;
        int64_t panel = w->n_panels * group / w->n_groups;
        int64_t column = panel * PANEL_ROWS;
        int64_t end_column = w->n_panels * (group + 1) / w->n_groups * PANEL_ROWS;
        if (end_column > p->n) end_column = p->n;
        for (int64_t k0 = 0; k0 == 0 || k0 < p->k; k0 += BLOCK_K) {
            int64_t k = p->k - k0 < BLOCK_K ? p->k - k0 : BLOCK_K;
            Piece piece = {p->a + row * p->a_row + k0 * p->a_column, rows, k};
            PanelJob job = {.panel = w->panels + w->panel_bytes * (size_t)panel +
                                     panel_bytes(p->bf16 ? DTYPE_BF16 : DTYPE_F32, k0),
                            .panel_bytes = w->panel_bytes,
                            .n_out = end_column - column,
                            .n_x = rows,
                            .y = p->c + row * p->c_row + column,
                            .y_stride = p->c_row,
                            .k = k,
                            .adds = p->adds || k0 > 0};
            job.x = piece_rows(w, piece, worker, &job.x_row_bytes);
            kernel(&job);
        }
    }
}

// At least about `wanted` shares.
static void cut_shares(Work *w, int64_t wanted) {
    int64_t blocks_most = divide_up(w->p->m, BLOCK_ROWS_LEAST);
    int64_t blocks = wanted < blocks_most ? wanted : blocks_most;
    if (w->n_blocks < blocks) w->n_blocks = blocks;
    int64_t groups = divide_up(wanted, w->n_blocks);
    w->n_groups = groups < w->n_panels ? groups : w->n_panels;
}

void product_compute(const Kernels *kernels, Pool *pool, const Product *p, void *memory) {
    if (p->m == 0 || p->n == 0 || (p->k == 0 && p->adds)) return;
    Work w = {.kernels = kernels,
              .p = p,
              .panels = (char *)memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT,
              .panel_bytes = b_panel_bytes(p),
              .scratch_bytes = scratch_bytes(p),
              .n_blocks = divide_up(p->m, BLOCK_ROWS),
              .n_groups = 1,
              .n_panels = divide_up(p->n, PANEL_ROWS)};
    w.scratch = w.panels + aligned(w.panel_bytes * (size_t)w.n_panels);
    if (pool_threads(pool) > 1) cut_shares(&w, (int64_t)pool_threads(pool) * SHARES_PER_THREAD);
    pool_run(pool, pack_task, &w, w.n_panels, 1 + SHARE_PRODUCTS / (PANEL_ROWS * (p->k + 1) * 8));
    int64_t shares = w.n_blocks * w.n_groups;
    int64_t cost = 1 + p->m * p->n * p->k / shares;
    pool_run(pool, share_task, &w, shares, 1 + SHARE_PRODUCTS / cost);
}

void product(Run *run, const Product *p) {
    size_t mark = run_mark(run);
    void *memory = run_bytes(run, product_bytes(p, pool_threads(run->pool)));
    if (!run->dry) product_compute(run->kernels, run->pool, p, memory);
    run_back(run, mark);
}
