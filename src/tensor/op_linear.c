// op_linear.c - products of activations with weights, one or several weights on one input.
//
// The outputs of all parts form one range of work, cut into chunks of 32 weight rows that the pool
// hands out.  Activations are prepared once and shared: as they are, or rounded to int8 where a
// quantised weight meets a run that is not exact: there a chunk is a panel, packed first if the
// weight is stored by rows.  An exact run decodes each chunk of a quantised weight to f32 rows.
// Either way an output depends on its two rows alone, so the cut is free.
#include <string.h>

#include "tensor/ops.h"

enum {
    ROWS_PER_CHUNK = PANEL_ROWS, // weight rows decoded or multiplied at once
    X_ROWS_PER_JOB = 128, // activation rows a kernel call works through: they stay in the L2 cache
    BACK_CHUNK = 128      // weight rows decoded at once on the way back
};

typedef struct LinearNode {
    Node node;
    Tensor *x, *y;
    Tensor w, bias; // copies: views such as q of a fused q,k,v may be temporary
} LinearNode;

// How a part's weight meets the activations.
typedef enum Route { ROUTE_F32, ROUTE_DECODE, ROUTE_Q8 } Route;

static Route route_of(const Run *run, const Tensor *w) {
    if (!dtype_is_quantized(w->dtype)) return ROUTE_F32;
    return run->exact || tensor_cols(w) % 32 != 0 ? ROUTE_DECODE : ROUTE_Q8;
}

// ---------------------------------------------------------------- forward
typedef struct LinearWork {
    const Kernels *kernels;
    const Tensor *x;
    const char *x_q8; // (T) int8 rows, NULL if no part needs them
    float *decoded;   // (threads, ROWS_PER_CHUNK, I), NULL if no part needs it
    char *packed;     // (threads, packed_bytes): rows in the other layout, NULL if no part needs it
    size_t packed_bytes;
    const LinearPart *part;
    int n_parts;
    Tensor **y;
    const Run *run;
    int64_t first_chunk[LINEAR_PARTS_MAX + 1]; // chunks of part p: first_chunk[p] .. [p+1]-1
} LinearWork;

static void add_bias(const Kernels *kernels, Tensor *y, const Tensor *bias, int64_t from,
                     int64_t n) {
    for (int64_t row = 0; row < tensor_rows(y); row++) {
        float *out = tensor_f32(y) + row * tensor_cols(y) + from;
        kernels->add(out, out, tensor_f32(bias) + from, n);
    }
}

// Rows from .. from+n-1 as they are stored by rows; `packed` is used where they are in panels.
static const void *rows_of(const Tensor *w, int64_t from, int64_t n, char *packed) {
    if (!w->in_panels) return tensor_row(w, from);
    panel_unpack(w->dtype, tensor_panel(w, from / PANEL_ROWS), n, tensor_cols(w), packed);
    return packed;
}

static const void *panel_of(const Tensor *w, int64_t from, int64_t n, char *packed) {
    if (w->in_panels) return tensor_panel(w, from / PANEL_ROWS);
    panel_pack(w->dtype, tensor_row(w, from), n, tensor_cols(w), packed);
    return packed;
}

// Weight rows from .. from+n-1 with all activation rows: from f32 rows, or panels and int8 rows.
static void chunk_f32(const LinearWork *work, const Tensor *w, int64_t from, int64_t n, Tensor *y,
                      int worker) {
    const Kernels *kernels = work->kernels;
    int64_t k = tensor_cols(w), n_x = tensor_rows(work->x);
    LinearJob job = {.w = w->data,
                     .w_row_bytes = tensor_row_bytes(w),
                     .n_out = n,
                     .x_row_bytes = (size_t)k * sizeof(float),
                     .y_stride = tensor_cols(y),
                     .k = k};
    LinearKernel *kernel = kernels->linear[w->dtype];
    if (route_of(work->run, w) == ROUTE_DECODE) {
        float *rows = work->decoded + (int64_t)worker * ROWS_PER_CHUNK * k;
        const char *source =
            rows_of(w, from, n, work->packed + work->packed_bytes * (size_t)worker);
        for (int64_t i = 0; i < n; i++)
            kernels->decode[w->dtype](source + job.w_row_bytes * (size_t)i, rows + i * k, k);
        job.w = rows;
        job.w_row_bytes = job.x_row_bytes;
        kernel = kernels->linear[DTYPE_F32];
    } else {
        job.w = tensor_row(w, from);
    }
    for (int64_t j = 0; j < n_x; j += X_ROWS_PER_JOB) {
        job.x = tensor_f32(work->x) + k * j;
        job.n_x = n_x - j < X_ROWS_PER_JOB ? n_x - j : X_ROWS_PER_JOB;
        job.y = tensor_f32(y) + j * job.y_stride + from;
        kernel(&job);
    }
}

static void chunk_q8(const LinearWork *work, const Tensor *w, int64_t from, int64_t n, Tensor *y,
                     int worker) {
    int64_t k = tensor_cols(w), n_x = tensor_rows(work->x);
    char *packed = work->packed + work->packed_bytes * (size_t)worker;
    PanelJob job = {.panel = panel_of(w, from, n, packed),
                    .panel_bytes = panel_bytes(w->dtype, k),
                    .n_out = n,
                    .x_row_bytes = q8_row_bytes(k),
                    .y_stride = tensor_cols(y),
                    .k = k};
    for (int64_t j = 0; j < n_x; j += X_ROWS_PER_JOB) {
        job.x = work->x_q8 + job.x_row_bytes * (size_t)j;
        job.n_x = n_x - j < X_ROWS_PER_JOB ? n_x - j : X_ROWS_PER_JOB;
        job.y = tensor_f32(y) + j * job.y_stride + from;
        work->kernels->panel_q8[w->dtype](&job);
    }
}

static void linear_chunk(const LinearWork *work, int p, int64_t from, int64_t n, int worker) {
    const Tensor *w = work->part[p].w, *bias = work->part[p].bias;
    Tensor *y = work->y[p];
    if (route_of(work->run, w) == ROUTE_Q8)
        chunk_q8(work, w, from, n, y, worker);
    else
        chunk_f32(work, w, from, n, y, worker);
    if (bias && bias->data) add_bias(work->kernels, y, bias, from, n);
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

typedef struct RoundWork {
    const Kernels *kernels;
    const float *x;
    char *q8;
    int64_t k;
} RoundWork;

static void round_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const RoundWork *work = arg;
    for (int64_t row = begin; row < end; row++)
        work->kernels->encode_q8(work->x + row * work->k,
                                 work->q8 + q8_row_bytes(work->k) * (size_t)row, work->k);
}

// Does a part's layout have to be changed on the way?
static bool needs_packing(const Run *run, const Tensor *w) {
    Route route = route_of(run, w);
    return (route == ROUTE_Q8 && !w->in_panels) || (route == ROUTE_DECODE && w->in_panels);
}

static void linear_compute(Run *run, LinearWork *work, bool needs_q8, bool needs_decode) {
    int64_t k = tensor_cols(work->x), n_x = tensor_rows(work->x);
    int threads = pool_threads(run->pool);
    for (int p = 0; p < work->n_parts; p++) {
        const Tensor *w = work->part[p].w;
        size_t bytes = needs_packing(run, w) ? (panel_bytes(w->dtype, k) + 63) / 64 * 64 : 0;
        if (bytes > work->packed_bytes) work->packed_bytes = bytes;
    }
    char *x_q8 = needs_q8 ? run_bytes(run, q8_row_bytes(k) * (size_t)n_x) : NULL;
    float *decoded = NULL;
    if (needs_decode)
        decoded = run_bytes(run, sizeof(float) * (size_t)(threads * ROWS_PER_CHUNK * k));
    work->packed = run_bytes(run, work->packed_bytes * (size_t)threads);
    if (run->dry) return;
    if (needs_q8) {
        RoundWork rounding = {run->kernels, tensor_f32(work->x), x_q8, k};
        pool_run(run->pool, round_task, &rounding, n_x, 16);
    }
    work->x_q8 = x_q8;
    work->decoded = decoded;
    int64_t chunks = work->first_chunk[work->n_parts];
    int64_t cost = ROWS_PER_CHUNK * k * n_x; // multiply-adds of a chunk
    pool_run(run->pool, linear_task, work, chunks, 1 + 20000 / cost);
}

// ---------------------------------------------------------------- backward
typedef struct BackWork {
    const Kernels *kernels;
    const LinearNode *node;
    const float *w;  // decoded rows (n, I)
    int64_t from, n; // of the weight
} BackWork;

// dx (rows, I) += dy (rows, n) w (n, I)
static void back_x_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const BackWork *b = arg;
    const Tensor *x = b->node->x, *y = b->node->y;
    int64_t k = tensor_cols(x), n_out = tensor_cols(y);
    b->kernels->gemm(&(GemmJob){.m = end - begin,
                                .n = k,
                                .k = b->n,
                                .a = y->grad + begin * n_out + b->from,
                                .a_row = n_out,
                                .a_column = 1,
                                .b = b->w,
                                .b_row = k,
                                .b_column = 1,
                                .c = x->grad + begin * k,
                                .c_row = k});
}

// dw (rows, I) += dy^T x, and dbias += the column sums of dy
static void back_w_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const BackWork *b = arg;
    const LinearNode *node = b->node;
    int64_t k = tensor_cols(node->x), n_out = tensor_cols(node->y), n_x = tensor_rows(node->x);
    if (node->w.grad)
        b->kernels->gemm(&(GemmJob){.m = end - begin,
                                    .n = k,
                                    .k = n_x,
                                    .a = node->y->grad + begin,
                                    .a_row = 1,
                                    .a_column = n_out,
                                    .b = tensor_f32(node->x),
                                    .b_row = k,
                                    .b_column = 1,
                                    .c = node->w.grad + begin * k,
                                    .c_row = k});
    if (!node->bias.grad) return;
    for (int64_t row = 0; row < n_x; row++)
        b->kernels->axpy(node->bias.grad + begin, 1, node->y->grad + row * n_out + begin,
                         end - begin);
}

static void decode_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const BackWork *b = arg;
    const Tensor *w = &b->node->w;
    int64_t k = tensor_cols(w);
    float *rows = (float *)(uintptr_t)b->w; // this task is the one that fills them
    for (int64_t i = begin; i < end; i++)
        b->kernels->decode[w->dtype](tensor_row(w, b->from + i), rows + i * k, k);
}

static void linear_backward(Run *run, Node *n) {
    LinearNode *node = (LinearNode *)n;
    const Tensor *w = &node->w;
    int64_t k = tensor_cols(w), n_out = tensor_rows(w), n_x = tensor_rows(node->x);
    bool is_f32 = w->dtype == DTYPE_F32;
    float *rows = is_f32 ? NULL : run_bytes(run, sizeof(float) * (size_t)(BACK_CHUNK * k));
    if (run->dry) return;
    if (w->grad || node->bias.grad) {
        BackWork work = {.kernels = run->kernels, .node = node};
        pool_run(run->pool, back_w_task, &work, n_out, 16);
    }
    if (!node->x->grad) return;
    int64_t step = is_f32 ? n_out : BACK_CHUNK;
    for (int64_t from = 0; from < n_out; from += step) {
        int64_t count = n_out - from < step ? n_out - from : step;
        BackWork work = {run->kernels, node, is_f32 ? w->data : rows, from, count};
        if (!is_f32) pool_run(run->pool, decode_task, &work, count, 8);
        pool_run(run->pool, back_x_task, &work, n_x, 14);
    }
}

// ---------------------------------------------------------------- ops
void op_linears(Run *run, Tensor *x, const LinearPart *part, int n_parts, Tensor **y) {
    require(n_parts >= 1 && n_parts <= LINEAR_PARTS_MAX);
    LinearWork work = {
        .kernels = run->kernels, .x = x, .part = part, .n_parts = n_parts, .y = y, .run = run};
    bool needs_q8 = false, needs_decode = false;
    for (int p = 0; p < n_parts; p++) {
        const Tensor *w = part[p].w, *bias = part[p].bias;
        require(w->rank == 2 && tensor_cols(w) == tensor_cols(x));
        require(!bias || !bias->data || (bias->dtype == DTYPE_F32 && bias->dim[0] == w->dim[0]));
        require(!w->grad || w->dtype == DTYPE_F32);
        needs_q8 |= route_of(run, w) == ROUTE_Q8;
        needs_decode |= route_of(run, w) == ROUTE_DECODE;
        y[p] = run_new2(run, tensor_rows(x), w->dim[0]);
        work.first_chunk[p + 1] =
            work.first_chunk[p] + (w->dim[0] + ROWS_PER_CHUNK - 1) / ROWS_PER_CHUNK;
    }
    size_t mark = run_mark(run);
    linear_compute(run, &work, needs_q8, needs_decode);
    run_back(run, mark);
    for (int p = 0; p < n_parts; p++) {
        LinearNode *node = run_record(run, linear_backward, sizeof *node);
        if (!node) continue;
        node->x = x;
        node->y = y[p];
        node->w = *part[p].w;
        if (part[p].bias) node->bias = *part[p].bias;
    }
}

Tensor *op_linear(Run *run, Tensor *x, const Tensor *w, const Tensor *bias) {
    Tensor *y;
    op_linears(run, x, &(LinearPart){w, bias}, 1, &y);
    return y;
}
