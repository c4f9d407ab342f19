// weights_pack.c - the matrices of a model brought into panels, before it is run.
//
// The panels of a tensor are as large as its rows (quant/panels.h).  They are made a slice at a
// time over the pool, and the pages of the mapped file behind a slice are given back, so that the
// two forms are never in memory together.
#include "model/weights.h"
#include "quant/quant.h"

enum { SLICE_BYTES = 8 << 20 };

typedef struct Packing {
    Model *model;
    Pool *pool;
    size_t bytes; // of all panels
} Packing;

// Weights that are trained stay as they are.
static bool is_packed(const Weight *w) {
    const Tensor *t = w->tensor;
    return !t->in_panels && !t->grad && weight_fits_panels(w);
}

static size_t bytes_in_panels(const Tensor *t) {
    size_t bytes = panel_bytes(t->dtype, t->dim[1]) * (size_t)panel_count(t->dim[0]);
    return (bytes + 63) / 64 * 64;
}

static void count(void *user, const Weight *w, int layer) {
    (void)layer;
    Packing *p = user;
    if (is_packed(w)) p->bytes += bytes_in_panels(w->tensor);
}

typedef struct PackWork {
    const Tensor *rows;
    char *panels;
    int64_t first; // panel of the slice
} PackWork;

static void pack_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const PackWork *work = arg;
    const Tensor *t = work->rows;
    size_t bytes = panel_bytes(t->dtype, t->dim[1]);
    for (int64_t i = work->first + begin; i < work->first + end; i++) {
        int64_t left = t->dim[0] - i * PANEL_ROWS;
        panel_pack(t->dtype, tensor_row(t, i * PANEL_ROWS), left < PANEL_ROWS ? left : PANEL_ROWS,
                   t->dim[1], work->panels + bytes * (size_t)i);
    }
}

static void pack(void *user, const Weight *w, int layer) {
    (void)layer;
    Packing *p = user;
    Tensor *t = w->tensor;
    if (!is_packed(w)) return;
    PackWork work = {.rows = t};
    work.panels = arena_push_aligned(&p->model->panels, bytes_in_panels(t), 64);
    int64_t n = panel_count(t->dim[0]);
    int64_t slice = 1 + SLICE_BYTES / (int64_t)panel_bytes(t->dtype, t->dim[1]);
    for (; work.first < n; work.first += slice) {
        int64_t here = n - work.first < slice ? n - work.first : slice;
        pool_run(p->pool, pack_task, &work, here, 1);
        int64_t from = work.first * PANEL_ROWS, to = (work.first + here) * PANEL_ROWS;
        if (to > t->dim[0]) to = t->dim[0];
        tensor_file_forget(p->model->tensors, tensor_row(t, from),
                           tensor_row_bytes(t) * (size_t)(to - from));
    }
    t->data = work.panels;
    t->in_panels = true;
}

// Views of a weight follow it when the list is walked again.
static void renew(void *user, const Weight *w, int layer) {
    (void)user, (void)w, (void)layer;
}

bool weights_pack(Model *model, Pool *pool, Error *err) {
    Packing p = {.model = model, .pool = pool};
    if (model->panels.base) return true; // once
    weights_each(model, count, &p);
    if (!p.bytes) return true;
    if (!arena_init(&model->panels, p.bytes + 64, err)) return false;
    weights_each(model, pack, &p);
    if (model->is_tied) model->head = model->embed;
    WeightVisitor v = {renew, NULL};
    model->arch->weights(&v, model);
    return true;
}

void weight_decode(const Tensor *weight, void *unpacked, float *values) {
    int64_t cols = tensor_cols(weight);
    for (int64_t r = 0; r < tensor_rows(weight); r++, values += cols) {
        const void *row = weight->in_panels ? unpacked : tensor_row(weight, r);
        if (weight->in_panels)
            panel_unpack_row(weight->dtype, tensor_panel(weight, r / PANEL_ROWS), r % PANEL_ROWS,
                             cols, unpacked);
        quant_decode(weight->dtype, row, values, cols);
    }
}
