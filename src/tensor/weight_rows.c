// weight_rows.c - rows of a weight decoded to f32, out of rows or out of panels.
#include "tensor/weight_rows.h"

typedef struct RowsWork {
    const Kernels *kernels;
    const Tensor *w;
    int64_t from, n;
    float *rows;
    float *panels; // (threads, I, 32) as f32, NULL by rows
} RowsWork;

static void row_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const RowsWork *work = arg;
    const Tensor *w = work->w;
    int64_t k = tensor_cols(w);
    for (int64_t i = begin; i < end; i++)
        work->kernels->decode[w->dtype](tensor_row(w, work->from + i), work->rows + i * k, k);
}

static void panel_task(void *arg, int64_t begin, int64_t end, int worker) {
    const RowsWork *work = arg;
    const Tensor *w = work->w;
    int64_t k = tensor_cols(w);
    float *f32 = work->panels + worker * k * PANEL_ROWS;
    for (int64_t i = begin; i < end; i++) {
        int64_t row = i * PANEL_ROWS, left = work->n - row;
        const void *panel = tensor_panel(w, work->from / PANEL_ROWS + i);
        left = left < PANEL_ROWS ? left : PANEL_ROWS;
        if (dtype_is_quantized(w->dtype)) {
            work->kernels->panel_decode[w->dtype](panel, f32, k);
            work->kernels->transpose(f32, PANEL_ROWS, work->rows + row * k, k, k, left);
            continue;
        }
        for (int64_t r = 0; r < left; r++)
            work->kernels->unpack[w->dtype](panel, r, work->rows + (row + r) * k, k);
    }
}

const float *weight_rows(Run *run, const Tensor *w, int64_t from, int64_t n, float *rows) {
    RowsWork work = {run->kernels, w, from, n, rows, NULL};
    if (weight_lies_as_f32(w)) return tensor_row(w, from);
    size_t mark = run_mark(run);
    if (w->in_panels) {
        require(from % PANEL_ROWS == 0);
        int64_t floats = pool_threads(run->pool) * tensor_cols(w) * PANEL_ROWS;
        work.panels = run_bytes(run, sizeof(float) * (size_t)floats);
        if (!run->dry) pool_run(run->pool, panel_task, &work, panel_count(n), 1);
    } else if (!run->dry) {
        pool_run(run->pool, row_task, &work, n, 8);
    }
    run_back(run, mark);
    return rows;
}

void weight_row(Run *run, const Tensor *w, int64_t row, float *values) {
    int64_t k = tensor_cols(w), in_panel = row % PANEL_ROWS;
    if (!w->in_panels) {
        run->kernels->decode[w->dtype](tensor_row(w, row), values, k);
        return;
    }
    const void *panel = tensor_panel(w, row / PANEL_ROWS);
    if (!dtype_is_quantized(w->dtype)) {
        run->kernels->unpack[w->dtype](panel, in_panel, values, k);
        return;
    }
    // Some blocks at a time: their bytes need no memory of the run.
    enum { PIECE = 1024 };
    char bytes[PIECE * 2];
    int64_t block = dtype_block_values(w->dtype), step = PIECE / block * block;
    for (int64_t i = 0; i < k; i += step) {
        int64_t n = k - i < step ? k - i : step;
        const char *piece = (const char *)panel + panel_bytes(w->dtype, i);
        panel_unpack_row(w->dtype, piece, in_panel, n, bytes);
        run->kernels->decode[w->dtype](bytes, values + i, n);
    }
}
