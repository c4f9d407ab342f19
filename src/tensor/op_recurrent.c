// op_recurrent.c - networks that read word by word: Elman's and the LSTM.
//
// Both are the same walk: at step t the states h of all sequences that are that long are gathered
// and multiplied with U as one product, then a cell makes each row's new state of its sum.  On the
// way back the cell turns the gradient of h into that of its sum, which a product with U hands to
// the step before; what all steps add to U's gradient is one product at the end.
#include <math.h>
#include <string.h>

#include "tensor/ops.h"
#include "tensor/product.h"
#include "tensor/weight_rows.h"

typedef struct Steps Steps;

// What distinguishes the two.
typedef struct Cell {
    int sums;    // sums that a state is made of: 1, or the 4 gates
    int carried; // vectors of H that are carried over: h, or h and c
    // Row `row` of span s: from its inputs plus uh (sums * H).
    void (*forward)(const Steps *st, int64_t row, int s, const float *uh);
    // The gradient of the row's sums, into dz, from dh (H); dc (H) goes from step to step.
    void (*backward)(const Steps *st, int64_t row, int s, const float *dh, float *dc, float *dz);
} Cell;

struct Steps {
    const Kernels *kernels;
    const Cell *cell;
    const Span *span;
    int n_spans;
    int64_t width;  // H
    const float *a; // (T, sums * H)
    float *h;       // (T, H)
    float *gates;   // (T, 4H) after their functions, LSTM
    float *c;       // (T, H) LSTM
    float *start;   // (n_spans, carried * H) what was carried in, or zeros

    // the step at hand
    int64_t t;
    int *active; // (n_active) the spans that are longer than t
    int64_t n_active;
    const float *uh; // (n_active, sums * H) forward
    const float *dy; // (T, H) backward: the gradient of h from above
    float *dh, *dc;  // (n_spans, H) from the step behind
    float *dz;       // (T, sums * H)
};

typedef struct RecurrentNode {
    Node node;
    Tensor *a, *y;
    Tensor u;
    Steps st;
} RecurrentNode;

// ---------------------------------------------------------------- cells
// Vector i of what the row before left.
static const float *before(const Steps *st, const float *rows, int64_t row, int s, int i) {
    if (row > st->span[s].first) return rows + (row - 1) * st->width;
    return st->start + ((int64_t)s * st->cell->carried + i) * st->width;
}

static void elman_forward(const Steps *st, int64_t row, int s, const float *uh) {
    (void)s;
    int64_t w = st->width;
    st->kernels->add(st->h + row * w, st->a + row * w, uh, w);
    st->kernels->tanh(st->h + row * w, st->h + row * w, w);
}

static void elman_backward(const Steps *st, int64_t row, int s, const float *dh, float *dc,
                           float *dz) {
    (void)s, (void)dc;
    const float *h = st->h + row * st->width;
    for (int64_t i = 0; i < st->width; i++) dz[i] = dh[i] * (1 - h[i] * h[i]);
}

// 1 / (1 + exp(-x)) = (1 + tanh(x / 2)) / 2
static void sigmoid(const Kernels *kernels, float *x, int64_t n) {
    kernels->scale(x, x, 0.5f, n);
    kernels->tanh(x, x, n);
    for (int64_t i = 0; i < n; i++) x[i] = 0.5f + 0.5f * x[i];
}

static void lstm_forward(const Steps *st, int64_t row, int s, const float *uh) {
    const Kernels *kernels = st->kernels;
    int64_t w = st->width;
    float *in = st->gates + row * 4 * w, *forget = in + w, *new = in + 2 * w, *out = in + 3 * w;
    float *c = st->c + row * w, *h = st->h + row * w;
    kernels->add(in, st->a + row * 4 * w, uh, 4 * w);
    sigmoid(kernels, in, 2 * w);
    kernels->tanh(new, new, w);
    sigmoid(kernels, out, w);
    const float *c_before = before(st, st->c, row, s, 1);
    for (int64_t i = 0; i < w; i++) c[i] = forget[i] * c_before[i] + in[i] * new[i];
    kernels->tanh(h, c, w);
    kernels->multiply(h, h, out, w);
}

static void lstm_backward(const Steps *st, int64_t row, int s, const float *dh, float *dc,
                          float *dz) {
    int64_t w = st->width;
    const float *in = st->gates + row * 4 * w, *forget = in + w, *new = in + 2 * w,
                *out = in + 3 * w;
    const float *c = st->c + row * w, *c_before = before(st, st->c, row, s, 1);
    for (int64_t i = 0; i < w; i++) {
        float t = tanhf(c[i]), d = dc[i] + dh[i] * out[i] * (1 - t * t);
        dz[i] = d * new[i] * in[i] * (1 - in[i]);
        dz[w + i] = d * c_before[i] * forget[i] * (1 - forget[i]);
        dz[2 * w + i] = d * in[i] * (1 - new[i] * new[i]);
        dz[3 * w + i] = dh[i] * t * out[i] * (1 - out[i]);
        dc[i] = d * forget[i];
    }
}

static const Cell elman_cell = {1, 1, elman_forward, elman_backward};
static const Cell lstm_cell = {4, 2, lstm_forward, lstm_backward};

// ---------------------------------------------------------------- steps
static int64_t longest_span(const Steps *st) {
    int64_t longest = 0;
    for (int s = 0; s < st->n_spans; s++)
        if (st->span[s].n > longest) longest = st->span[s].n;
    return longest;
}

static void step_begin(Steps *st, int64_t t) {
    st->t = t;
    st->n_active = 0;
    for (int s = 0; s < st->n_spans; s++)
        if (st->span[s].n > t) st->active[st->n_active++] = s;
}

// The row of the i-th active span at this step.
static int64_t active_row(const Steps *st, int64_t i) {
    return st->span[st->active[i]].first + st->t;
}

static int64_t rows_per_job(const Steps *st) {
    return 1 + 2048 / (st->width * st->cell->sums);
}

// ---------------------------------------------------------------- forward
static void forward_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const Steps *st = arg;
    int64_t sums = st->width * st->cell->sums;
    for (int64_t i = begin; i < end; i++)
        st->cell->forward(st, active_row(st, i), st->active[i], st->uh + i * sums);
}

// h[t-1] of the active spans times U.  A part of this op: the tape does not see it.
static void multiply_states(Run *run, Steps *st, const Tensor *u, Tensor *x) {
    Tape *tape = run->tape;
    size_t bytes = sizeof(float) * (size_t)st->width;
    x->dim[0] = st->n_active;
    for (int64_t i = 0; i < st->n_active && !run->dry; i++)
        memcpy(tensor_f32(x) + i * st->width,
               before(st, st->h, active_row(st, i), st->active[i], 0), bytes);
    run->tape = NULL;
    st->uh = op_linear(run, x, u, NULL)->data;
    run->tape = tape;
}

// A dry run counts the first step, which has all spans.
static void steps_forward(Run *run, Steps *st, const Tensor *u) {
    int64_t n = run->dry ? 1 : longest_span(st);
    Tensor x = {.dtype = DTYPE_F32, .rank = 2, .dim = {st->n_spans, st->width}};
    x.data = run_bytes(run, tensor_bytes(&x));
    for (int64_t t = 0; t < n; t++) {
        size_t mark = run_mark(run);
        ArenaMark shapes = arena_mark(&run->shapes);
        step_begin(st, t);
        multiply_states(run, st, u, &x);
        if (!run->dry) pool_run(run->pool, forward_task, st, st->n_active, rows_per_job(st));
        arena_back(&run->shapes, shapes);
        run_back(run, mark);
    }
}

static void carry_in(Steps *st, const Recurrence *r) {
    int64_t n = st->width * st->cell->carried;
    for (int s = 0; s < st->n_spans; s++) {
        const float *carry = r->carry ? r->carry[s] : NULL;
        if (carry)
            memcpy(st->start + s * n, carry, sizeof(float) * (size_t)n);
        else
            memset(st->start + s * n, 0, sizeof(float) * (size_t)n);
    }
}

static void carry_out(const Steps *st, const Recurrence *r) {
    size_t bytes = sizeof(float) * (size_t)st->width;
    for (int s = 0; s < st->n_spans && r->carry; s++) {
        int64_t last = st->span[s].first + st->span[s].n - 1;
        if (!r->carry[s]) continue;
        memcpy(r->carry[s], st->h + last * st->width, bytes);
        if (st->c) memcpy(r->carry[s] + st->width, st->c + last * st->width, bytes);
    }
}

// ---------------------------------------------------------------- backward
static void backward_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const Steps *st = arg;
    int64_t w = st->width, sums = w * st->cell->sums;
    for (int64_t i = begin; i < end; i++) {
        int64_t row = active_row(st, i);
        int s = st->active[i];
        float *dh = st->dh + s * w, *dc = st->dc + s * w;
        st->kernels->axpy(dh, 1, st->dy + row * w, w);
        st->cell->backward(st, row, s, dh, dc, st->dz + row * sums);
    }
}

// What hands gradients back: U in panels of its columns, and the rows of a step side by side.
typedef struct HandBack {
    const Kernels *kernels;
    const float *u;     // (sums * H, H)
    char *panels;       // of U^T
    float *z, *x;       // (spans, sums * H), (spans, H)
    int64_t sums, w, n; // sums * H, H, rows
} HandBack;

static void pack_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const HandBack *h = arg;
    for (int64_t i = begin; i < end; i++) {
        int64_t at = i * PANEL_ROWS, left = h->w - at;
        h->kernels->pack[DTYPE_F32](
            &(PackJob){.from = h->u + at,
                       .row = 1,
                       .column = h->w,
                       .n = left < PANEL_ROWS ? left : PANEL_ROWS,
                       .k = h->sums,
                       .panel = h->panels + panel_bytes(DTYPE_F32, h->sums) * (size_t)i});
    }
}

static void hand_back_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const HandBack *h = arg;
    size_t bytes = panel_bytes(DTYPE_F32, h->sums);
    int64_t from = begin * PANEL_ROWS, to = end * PANEL_ROWS < h->w ? end * PANEL_ROWS : h->w;
    h->kernels->panel[DTYPE_F32](&(PanelJob){.panel = h->panels + bytes * (size_t)begin,
                                             .panel_bytes = bytes,
                                             .n_out = to - from,
                                             .x = h->z,
                                             .x_row_bytes = sizeof(float) * (size_t)h->sums,
                                             .n_x = h->n,
                                             .y = h->x + from,
                                             .y_stride = h->w,
                                             .k = h->sums});
}

static int64_t panels_of(const HandBack *h) {
    return (h->w + PANEL_ROWS - 1) / PANEL_ROWS;
}

// dh[t-1] = dz[t] U for the active spans.
static void hand_back(Run *run, Steps *st, HandBack *h) {
    h->n = st->n_active;
    for (int64_t i = 0; i < h->n; i++)
        memcpy(h->z + i * h->sums, st->dz + active_row(st, i) * h->sums,
               sizeof(float) * (size_t)h->sums);
    pool_run(run->pool, hand_back_task, h, panels_of(h), 2);
    for (int64_t i = 0; i < h->n; i++)
        memcpy(st->dh + st->active[i] * h->w, h->x + i * h->w, sizeof(float) * (size_t)h->w);
}

// dU += the sum over all rows of dz^T h[t-1]; `x` (T, H) takes the h[t-1].
static void weight_gradient(Run *run, const RecurrentNode *node, const Steps *st, float *x) {
    int64_t w = st->width, sums = w * st->cell->sums, rows = tensor_rows(node->y);
    for (int s = 0; s < st->n_spans && !run->dry; s++)
        for (int64_t row = st->span[s].first; row < st->span[s].first + st->span[s].n; row++)
            memcpy(x + row * w, before(st, st->h, row, s, 0), sizeof(float) * (size_t)w);
    product(run, &(Product){.m = sums,
                            .n = w,
                            .k = rows,
                            .a = st->dz,
                            .a_row = 1,
                            .a_column = sums,
                            .b = x,
                            .b_row = 1,
                            .b_column = w,
                            .c = node->u.grad,
                            .c_row = w,
                            .adds = true});
}

// U as f32: itself, or decoded.
static const float *weight_f32(Run *run, const Tensor *u) {
    if (weight_lies_as_f32(u)) return u->data;
    float *rows = run_bytes(run, sizeof(float) * (size_t)tensor_count(u));
    return weight_rows(run, u, 0, tensor_rows(u), rows);
}

static void recurrent_backward(Run *run, Node *base) {
    RecurrentNode *node = (RecurrentNode *)base;
    Steps st = node->st;
    int64_t w = st.width, sums = w * st.cell->sums, rows = tensor_rows(node->y);
    size_t states = sizeof(float) * (size_t)(st.n_spans * w);
    st.dy = node->y->grad;
    st.dz = run_bytes(run, sizeof(float) * (size_t)(rows * sums));
    st.dh = run_bytes(run, states);
    st.dc = run_bytes(run, states);
    HandBack h = {.kernels = run->kernels, .sums = sums, .w = w};
    h.z = run_bytes(run, sizeof(float) * (size_t)(st.n_spans * sums));
    h.x = run_bytes(run, sizeof(float) * (size_t)(rows * w));
    h.u = weight_f32(run, &node->u);
    h.panels = run_bytes(run, panel_bytes(DTYPE_F32, sums) * (size_t)panels_of(&h));
    if (run->dry) {
        weight_gradient(run, node, &st, h.x);
        return;
    }
    pool_run(run->pool, pack_task, &h, panels_of(&h), 1);
    memset(st.dh, 0, states);
    memset(st.dc, 0, states);
    for (int64_t t = longest_span(&st) - 1; t >= 0; t--) {
        step_begin(&st, t);
        pool_run(run->pool, backward_task, &st, st.n_active, rows_per_job(&st));
        hand_back(run, &st, &h);
    }
    if (node->a->grad) run->kernels->axpy(node->a->grad, 1, st.dz, rows * sums);
    if (node->u.grad) weight_gradient(run, node, &st, h.x);
}

// ---------------------------------------------------------------- ops
// What the way back needs stays in the block; without a tape it is given up with the scratch.
static Tensor *recur(Run *run, const Cell *cell, Tensor *a, const Tensor *u, const Recurrence *r) {
    int64_t w = tensor_cols(u), rows = tensor_rows(a), sums = w * cell->sums;
    require(u->rank == 2 && u->dim[0] == sums && tensor_cols(a) == sums && r->n_spans > 0);
    Tensor *y = run_new2(run, rows, w);
    size_t bare = run_mark(run), state = sizeof(float) * (size_t)w;
    Steps st = {.kernels = run->kernels,
                .cell = cell,
                .span = r->span,
                .n_spans = r->n_spans,
                .width = w,
                .a = tensor_f32(a),
                .h = tensor_f32(y)};
    st.active = run_describe(run, sizeof *st.active * (size_t)r->n_spans);
    st.start = run_bytes(run, state * (size_t)(cell->carried * r->n_spans));
    if (cell == &lstm_cell) {
        st.gates = run_bytes(run, sizeof(float) * (size_t)(rows * sums));
        st.c = run_bytes(run, state * (size_t)rows);
    }
    size_t saved = run_mark(run);
    if (!run->dry) carry_in(&st, r);
    steps_forward(run, &st, u);
    if (!run->dry) carry_out(&st, r);
    run_back(run, run->tape ? saved : bare);
    RecurrentNode *node = run_record(run, recurrent_backward, sizeof *node);
    if (node) {
        node->a = a;
        node->y = y;
        node->u = *u;
        node->st = st;
    }
    return y;
}

Tensor *op_elman(Run *run, Tensor *a, const Tensor *u, const Recurrence *r) {
    return recur(run, &elman_cell, a, u, r);
}

Tensor *op_lstm(Run *run, Tensor *a, const Tensor *u, const Recurrence *r) {
    return recur(run, &lstm_cell, a, u, r);
}
