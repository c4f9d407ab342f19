// op_linear.c - products of activations with weights, one or several weights on one input.
//
// The outputs of all parts form one range of work, cut into chunks of weight rows that the pool
// hands out: panels, made on the way where a weight is stored by rows.  Activations are prepared
// once and shared: as they are, rounded to bf16 where the run asks for it, or rounded to int8 where
// a quantised weight meets a run that is not exact.  An exact run decodes each panel of a quantised
// weight to f32 first.  Either way an output depends on its two rows alone, so the cut is free.
#include <string.h>

#include "tensor/ops.h"
#include "tensor/product.h"
#include "tensor/weight_rows.h"

enum {
    ROWS_PER_CHUNK = PANEL_ROWS, // weight rows packed, decoded or multiplied at once
    X_ROWS_PER_JOB = 126,        // activation rows a kernel call works through: they stay in L2
    BACK_CHUNK = 256             // weight rows decoded at once on the way back
};

typedef struct LinearNode {
    Node node;
    Tensor *x, *y;
    Tensor w, bias; // copies: views such as q of a fused q,k,v may be temporary
} LinearNode;

// How a part's weight meets the activations.
typedef enum Route { ROUTE_FLOAT, ROUTE_BF16, ROUTE_DECODE, ROUTE_Q8, ROUTE_COUNT } Route;

static Route route_of(const Run *run, const Tensor *w) {
    if (w->dtype == DTYPE_F32 && run->bf16 && !w->in_panels) return ROUTE_BF16;
    if (!dtype_is_quantized(w->dtype)) return ROUTE_FLOAT;
    return run->exact || tensor_cols(w) % 32 != 0 ? ROUTE_DECODE : ROUTE_Q8;
}

// ---------------------------------------------------------------- forward
// Activation rows as a route wants them.
typedef struct LinearX {
    const char *rows;
    size_t row_bytes;
} LinearX;

typedef struct LinearWork {
    const Run *run;
    const Tensor *x;
    const LinearPart *part;
    int n_parts;
    Tensor **y;
    LinearX x_rows[ROUTE_COUNT];               // of the routes that are taken
    char *panels, *stored;                     // (threads) panels that multiply, and as stored
    size_t panels_bytes, stored_bytes;         // of one; 0: none is made
    int64_t first_chunk[LINEAR_PARTS_MAX + 1]; // chunks of part p: first_chunk[p] .. [p+1]-1
} LinearWork;

static void add_bias(const Kernels *kernels, Tensor *y, const Tensor *bias, int64_t from,
                     int64_t n) {
    for (int64_t row = 0; row < tensor_rows(y); row++) {
        float *out = tensor_f32(y) + row * tensor_cols(y) + from;
        kernels->add(out, out, tensor_f32(bias) + from, n);
    }
}

// A panel, and what multiplies it with the activations of its route.
typedef struct Multiplier {
    const void *panel;
    PanelKernel *kernel;
} Multiplier;

// The panel of weight rows from .. from+n-1 (at most PANEL_ROWS) in the type it is stored in.
static const void *stored_panel(const LinearWork *work, const Tensor *w, int64_t from, int64_t n,
                                void *made) {
    int64_t k = tensor_cols(w);
    if (w->in_panels) return tensor_panel(w, from / PANEL_ROWS);
    if (dtype_is_quantized(w->dtype))
        panel_pack(w->dtype, tensor_row(w, from), n, k, made);
    else
        work->run->kernels->pack[w->dtype](&(PackJob){
            .from = tensor_row(w, from), .row = k, .column = 1, .n = n, .k = k, .panel = made});
    return made;
}

static Multiplier multiplier_of(const LinearWork *work, const Tensor *w, int64_t from, int64_t n,
                                int worker) {
    const Kernels *kernels = work->run->kernels;
    int64_t k = tensor_cols(w);
    char *panel = work->panels + work->panels_bytes * (size_t)worker;
    char *stored = work->stored + work->stored_bytes * (size_t)worker;
    switch (route_of(work->run, w)) {
    case ROUTE_BF16:
        kernels->pack_to_bf16(&(PackJob){
            .from = tensor_row(w, from), .row = k, .column = 1, .n = n, .k = k, .panel = panel});
        return (Multiplier){panel,
                            kernels->panel_bf16 ? kernels->panel_bf16 : kernels->panel[DTYPE_BF16]};
    case ROUTE_DECODE:
        kernels->panel_decode[w->dtype](stored_panel(work, w, from, n, stored), (float *)panel, k);
        return (Multiplier){panel, kernels->panel[DTYPE_F32]};
    case ROUTE_Q8:
        return (Multiplier){stored_panel(work, w, from, n, stored), kernels->panel_q8[w->dtype]};
    default: return (Multiplier){stored_panel(work, w, from, n, panel), kernels->panel[w->dtype]};
    }
}

// Weight rows from .. from+n-1 of a part with all activation rows.
static void linear_chunk(const LinearWork *work, int p, int64_t from, int64_t n, int worker) {
    const Kernels *kernels = work->run->kernels;
    const Tensor *w = work->part[p].w, *bias = work->part[p].bias;
    int64_t k = tensor_cols(w), n_x = tensor_rows(work->x), stride = tensor_cols(work->y[p]);
    LinearX x = work->x_rows[route_of(work->run, w)];
    Multiplier m = multiplier_of(work, w, from, n, worker);
    for (int64_t j = 0; j < n_x; j += X_ROWS_PER_JOB)
        m.kernel(&(PanelJob){.panel = m.panel,
                             .n_out = n,
                             .x = x.rows + x.row_bytes * (size_t)j,
                             .x_row_bytes = x.row_bytes,
                             .n_x = n_x - j < X_ROWS_PER_JOB ? n_x - j : X_ROWS_PER_JOB,
                             .y = tensor_f32(work->y[p]) + j * stride + from,
                             .y_stride = stride,
                             .k = k});
    if (bias && bias->data) add_bias(kernels, work->y[p], bias, from, n);
}

static void linear_task(void *arg, int64_t begin, int64_t end, int worker) {
    const LinearWork *work = arg;
    int p = 0;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        while (chunk >= work->first_chunk[p + 1]) p++;
        int64_t from = (chunk - work->first_chunk[p]) * ROWS_PER_CHUNK;
        int64_t left = tensor_rows(work->part[p].w) - from;
        linear_chunk(work, p, from, left < ROWS_PER_CHUNK ? left : ROWS_PER_CHUNK, worker);
    }
}

// Activations on their way to int8 or bf16.
typedef struct RoundWork {
    const Kernels *kernels;
    const float *x;
    int64_t k;
    char *to;
    size_t to_bytes; // of a row
    uint16_t *bf16;  // (threads, I) where rows of bf16 become f32 again, else NULL
} RoundWork;

static void round_q8_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const RoundWork *work = arg;
    for (int64_t row = begin; row < end; row++)
        work->kernels->encode_q8(work->x + row * work->k, work->to + work->to_bytes * (size_t)row,
                                 work->k);
}

static void round_bf16_task(void *arg, int64_t begin, int64_t end, int worker) {
    const RoundWork *work = arg;
    int64_t k = work->k;
    for (int64_t row = begin; row < end; row++) {
        void *to = work->to + work->to_bytes * (size_t)row;
        uint16_t *bf16 = work->bf16 ? work->bf16 + (int64_t)worker * k : to;
        work->kernels->encode_bf16(work->x + row * k, bf16, k);
        if (work->bf16)
            work->kernels->decode[DTYPE_BF16](bf16, to, k);
        else if (k % 2)
            bf16[k] = 0; // rows of pairs
    }
}

// Rows of bf16, or of f32 that hold the rounded values where no products of bf16 are.
static LinearX round_rows(Run *run, const Tensor *x, Route route) {
    int64_t k = tensor_cols(x), n_x = tensor_rows(x);
    bool widens = route == ROUTE_BF16 && !run->kernels->panel_bf16;
    RoundWork work = {.kernels = run->kernels, .x = tensor_f32(x), .k = k};
    work.to_bytes = route == ROUTE_Q8 ? q8_row_bytes(k)
                    : widens          ? sizeof(float) * (size_t)k
                                      : sizeof(uint16_t) * (size_t)(k + k % 2);
    work.to = run_bytes(run, work.to_bytes * (size_t)n_x);
    if (widens)
        work.bf16 = run_bytes(run, sizeof(uint16_t) * (size_t)(pool_threads(run->pool) * k));
    if (!run->dry)
        pool_run(run->pool, route == ROUTE_Q8 ? round_q8_task : round_bf16_task, &work, n_x, 16);
    return (LinearX){work.to, work.to_bytes};
}

static void grow(size_t *bytes, size_t needed) {
    needed = (needed + 63) / 64 * 64;
    if (needed > *bytes) *bytes = needed;
}

// The largest panels that a thread makes for any part.
static void scratch_sizes(LinearWork *work) {
    int64_t k = tensor_cols(work->x);
    for (int p = 0; p < work->n_parts; p++) {
        const Tensor *w = work->part[p].w;
        Route route = route_of(work->run, w);
        bool multiplies_stored = route == ROUTE_FLOAT || route == ROUTE_Q8;
        if (!multiplies_stored) grow(&work->panels_bytes, panel_bytes(DTYPE_F32, k));
        if (route == ROUTE_FLOAT && !w->in_panels)
            grow(&work->panels_bytes, panel_bytes(w->dtype, k));
        if (dtype_is_quantized(w->dtype) && !w->in_panels)
            grow(&work->stored_bytes, panel_bytes(w->dtype, k));
    }
}

static void linear_compute(Run *run, LinearWork *work, const bool *takes) {
    const Tensor *x = work->x;
    int64_t k = tensor_cols(x), n_x = tensor_rows(x);
    int threads = pool_threads(run->pool);
    LinearX plain = {x->data, sizeof(float) * (size_t)k};
    for (Route r = 0; r < ROUTE_COUNT; r++) {
        bool rounds = r == ROUTE_Q8 || r == ROUTE_BF16;
        if (takes[r]) work->x_rows[r] = rounds ? round_rows(run, x, r) : plain;
    }
    scratch_sizes(work);
    work->panels = run_bytes(run, work->panels_bytes * (size_t)threads);
    work->stored = run_bytes(run, work->stored_bytes * (size_t)threads);
    if (run->dry) return;
    int64_t chunks = work->first_chunk[work->n_parts];
    int64_t cost = ROWS_PER_CHUNK * k * n_x; // multiply-adds of a chunk
    pool_run(run->pool, linear_task, work, chunks, 1 + 20000 / cost);
}

// ---------------------------------------------------------------- backward
// dx (T, I) += dy (T, O) w (O, I), where w are weight rows from .. from+n-1 as f32.
static void back_x(Run *run, const LinearNode *node, const float *w, int64_t from, int64_t n) {
    int64_t k = tensor_cols(node->x), n_out = tensor_cols(node->y);
    product(run, &(Product){.m = tensor_rows(node->x),
                            .n = k,
                            .k = n,
                            .a = node->y->grad + from,
                            .a_row = n_out,
                            .a_column = 1,
                            .b = w,
                            .b_row = 1,
                            .b_column = k,
                            .c = node->x->grad,
                            .c_row = k,
                            .adds = true,
                            .bf16 = run->bf16 && node->w.dtype == DTYPE_F32});
}

// dw (O, I) += dy^T x
static void back_w(Run *run, const LinearNode *node) {
    int64_t k = tensor_cols(node->x), n_out = tensor_cols(node->y);
    product(run, &(Product){.m = n_out,
                            .n = k,
                            .k = tensor_rows(node->x),
                            .a = node->y->grad,
                            .a_row = 1,
                            .a_column = n_out,
                            .b = tensor_f32(node->x),
                            .b_row = 1,
                            .b_column = k,
                            .c = node->w.grad,
                            .c_row = k,
                            .adds = true,
                            .bf16 = run->bf16});
}

typedef struct BackWork {
    const Kernels *kernels;
    const LinearNode *node;
} BackWork;

// dbias += the column sums of dy
static void back_bias_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const BackWork *b = arg;
    const Tensor *y = b->node->y;
    int64_t n_out = tensor_cols(y);
    for (int64_t row = 0; row < tensor_rows(y); row++)
        b->kernels->axpy(b->node->bias.grad + begin, 1, y->grad + row * n_out + begin, end - begin);
}

static void linear_backward(Run *run, Node *n) {
    LinearNode *node = (LinearNode *)n;
    const Tensor *w = &node->w;
    int64_t k = tensor_cols(w), n_out = tensor_rows(w);
    BackWork work = {.kernels = run->kernels, .node = node};
    if (w->grad) back_w(run, node);
    if (node->bias.grad && !run->dry) pool_run(run->pool, back_bias_task, &work, n_out, 64);
    if (!node->x->grad && !run->dry) return;
    int64_t step = weight_lies_as_f32(w) ? n_out : BACK_CHUNK;
    float *rows = NULL;
    if (!weight_lies_as_f32(w)) rows = run_bytes(run, sizeof(float) * (size_t)(BACK_CHUNK * k));
    for (int64_t from = 0; from < n_out; from += step) {
        int64_t count = n_out - from < step ? n_out - from : step;
        back_x(run, node, weight_rows(run, w, from, count, rows), from, count);
    }
}

// ---------------------------------------------------------------- ops
// y + scale (x a^T) b^T, with the rows of b that belong to this weight.
static Tensor *adapted(Run *run, Tensor *x, const Tensor *w, Tensor *y) {
    const Adapter *adapter = w->adapter;
    Tensor b = tensor_slice(&adapter->b, w->adapter_row, w->dim[0]);
    Tensor *z = op_linear(run, op_linear(run, x, &adapter->a, NULL), &b, NULL);
    return op_add(run, y, op_scale(run, z, adapter->scale));
}

void op_linears(Run *run, Tensor *x, const LinearPart *part, int n_parts, Tensor **y) {
    require(n_parts >= 1 && n_parts <= LINEAR_PARTS_MAX);
    LinearWork work = {.run = run, .x = x, .part = part, .n_parts = n_parts, .y = y};
    bool takes[ROUTE_COUNT] = {false};
    for (int p = 0; p < n_parts; p++) {
        const Tensor *w = part[p].w, *bias = part[p].bias;
        require(w->rank == 2 && tensor_cols(w) == tensor_cols(x));
        require(!bias || !bias->data || (bias->dtype == DTYPE_F32 && bias->dim[0] == w->dim[0]));
        require(!w->grad || w->dtype == DTYPE_F32);
        takes[route_of(run, w)] = true;
        y[p] = run_new2(run, tensor_rows(x), w->dim[0]);
        work.first_chunk[p + 1] =
            work.first_chunk[p] + (w->dim[0] + ROWS_PER_CHUNK - 1) / ROWS_PER_CHUNK;
    }
    size_t mark = run_mark(run);
    linear_compute(run, &work, takes);
    run_back(run, mark);
    for (int p = 0; p < n_parts; p++) {
        LinearNode *node = run_record(run, linear_backward, sizeof *node);
        if (!node) continue;
        node->x = x;
        node->y = y[p];
        node->w = *part[p].w;
        if (part[p].bias) node->bias = *part[p].bias;
    }
    for (int p = 0; p < n_parts; p++)
        if (part[p].w->adapter) y[p] = adapted(run, x, part[p].w, y[p]);
}

Tensor *op_linear(Run *run, Tensor *x, const Tensor *w, const Tensor *bias) {
    Tensor *y;
    op_linears(run, x, &(LinearPart){w, bias}, 1, &y);
    return y;
}
