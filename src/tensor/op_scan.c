// op_scan.c - the two moving parts of Mamba: a short causal convolution, and the selective scan.
//
// Channels do not meet in either, so the work is cut into blocks of channels, each of which walks
// its rows in order.  A scan saves nothing for the way back but its inputs: the states of a block
// are computed again, row by row, where they are needed.
#include <math.h>
#include <string.h>

#include "tensor/ops.h"

enum { CONV_CHANNELS = 64, SCAN_CHANNELS = 16 }; // of a block

static int64_t blocks_of(int64_t channels, int64_t block) {
    return (channels + block - 1) / block;
}

// Memory for what each span begins with, `n` floats a span.
static float *start_of(Run *run, const Recurrence *r, int64_t n) {
    size_t bytes = sizeof(float) * (size_t)n;
    float *start = run_bytes(run, bytes * (size_t)r->n_spans);
    for (int s = 0; s < r->n_spans && !run->dry; s++)
        if (r->carry && r->carry[s])
            memcpy(start + s * n, r->carry[s], bytes);
        else
            memset(start + s * n, 0, bytes);
    return start;
}

static int64_t total_rows(const Recurrence *r) {
    int64_t n = 0;
    for (int s = 0; s < r->n_spans; s++) n += r->span[s].n;
    return n;
}

// ---------------------------------------------------------------- convolution
typedef struct Conv {
    Recurrence r;
    int64_t channels, width; // C, W
    const float *x;          // (T, C)
    const float *start;      // (n_spans, W-1, C) the rows before each span
    const float *w, *bias;   // (C, W) (C) or NULL
    float *y;                // (T, C)
    const float *dy;         // (T, C) on the way back, and what it adds to, or NULL:
    float *dx, *dw, *dbias;
} Conv;

typedef struct ConvNode {
    Node node;
    Tensor *x, *y;
    Tensor w, bias;
    Conv conv;
} ConvNode;

// Row t of span s, which may lie before it.
static const float *conv_row(const Conv *conv, int s, int64_t t) {
    if (t >= 0) return conv->x + (conv->r.span[s].first + t) * conv->channels;
    return conv->start + (s * (conv->width - 1) + conv->width - 1 + t) * conv->channels;
}

static void conv_forward_row(const Conv *conv, int s, int64_t t, int64_t from, int64_t to) {
    float *y = conv->y + (conv->r.span[s].first + t) * conv->channels;
    for (int64_t c = from; c < to; c++) y[c] = conv->bias ? conv->bias[c] : 0;
    for (int64_t j = 0; j < conv->width; j++) {
        const float *x = conv_row(conv, s, t - conv->width + 1 + j);
        for (int64_t c = from; c < to; c++) y[c] += conv->w[c * conv->width + j] * x[c];
    }
}

static void conv_backward_row(const Conv *conv, int s, int64_t t, int64_t from, int64_t to) {
    int64_t first = conv->r.span[s].first;
    const float *dy = conv->dy + (first + t) * conv->channels;
    for (int64_t c = from; c < to && conv->dbias; c++) conv->dbias[c] += dy[c];
    for (int64_t j = 0; j < conv->width; j++) {
        int64_t at = t - conv->width + 1 + j;
        const float *x = conv_row(conv, s, at);
        for (int64_t c = from; c < to && conv->dw; c++)
            conv->dw[c * conv->width + j] += dy[c] * x[c];
        for (int64_t c = from; c < to && conv->dx && at >= 0; c++)
            conv->dx[(first + at) * conv->channels + c] += dy[c] * conv->w[c * conv->width + j];
    }
}

static void conv_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const Conv *conv = arg;
    int64_t from = begin * CONV_CHANNELS, to = end * CONV_CHANNELS;
    if (to > conv->channels) to = conv->channels;
    for (int s = 0; s < conv->r.n_spans; s++)
        for (int64_t t = 0; t < conv->r.span[s].n; t++)
            if (conv->dy)
                conv_backward_row(conv, s, t, from, to);
            else
                conv_forward_row(conv, s, t, from, to);
}

static void conv_backward(Run *run, Node *base) {
    ConvNode *node = (ConvNode *)base;
    Conv conv = node->conv;
    if (run->dry) return;
    conv.dy = node->y->grad;
    conv.dx = node->x->grad;
    conv.dw = node->w.grad;
    conv.dbias = node->bias.grad;
    pool_run(run->pool, conv_task, &conv, blocks_of(conv.channels, CONV_CHANNELS), 1);
}

// The last W-1 rows, some of which may be older than the span.
static void conv_carry_out(const Conv *conv) {
    for (int s = 0; s < conv->r.n_spans && conv->r.carry; s++)
        for (int64_t j = 0; j < conv->width - 1 && conv->r.carry[s]; j++)
            memcpy(conv->r.carry[s] + j * conv->channels,
                   conv_row(conv, s, conv->r.span[s].n - conv->width + 1 + j),
                   sizeof(float) * (size_t)conv->channels);
}

Tensor *op_causal_conv(Run *run, Tensor *x, const Tensor *w, const Tensor *bias,
                       const Recurrence *r) {
    int64_t channels = tensor_cols(x), width = tensor_cols(w);
    bool has_bias = bias && bias->data;
    require(w->rank == 2 && w->dim[0] == channels && w->dtype == DTYPE_F32 && width >= 1);
    require(!has_bias || (bias->dtype == DTYPE_F32 && bias->dim[0] == channels));
    Tensor *y = run_new(run, x->rank, x->dim);
    size_t bare = run_mark(run);
    Conv conv = {.r = *r,
                 .channels = channels,
                 .width = width,
                 .x = tensor_f32(x),
                 .start = start_of(run, r, (width - 1) * channels),
                 .w = tensor_f32(w),
                 .bias = has_bias ? tensor_f32(bias) : NULL,
                 .y = tensor_f32(y)};
    if (!run->dry) {
        int64_t cost = total_rows(r) * CONV_CHANNELS * width;
        pool_run(run->pool, conv_task, &conv, blocks_of(channels, CONV_CHANNELS), 1 + 16384 / cost);
        conv_carry_out(&conv);
    }
    if (!run->tape) run_back(run, bare);
    ConvNode *node = run_record(run, conv_backward, sizeof *node);
    if (node) {
        node->x = x;
        node->y = y;
        node->w = *w;
        if (bias) node->bias = *bias;
        node->conv = conv;
    }
    return y;
}

// ---------------------------------------------------------------- scan
typedef struct ScanWork {
    const Kernels *kernels;
    Recurrence r;
    Scan in;
    int64_t channels, states; // C, N
    const float *start;       // (n_spans, C, N)
    float *y;                 // (T, C)
    float *scratch;           // (threads, scratch_floats)
    int64_t scratch_floats;
    const float *dy; // (T, C) on the way back
    float *partial;  // (blocks, T, 2N) each block's part in the gradients of b and c
} ScanWork;

typedef struct ScanNode {
    Node node;
    Tensor *y;
    Tensor a_log, d;
    ScanWork work;
} ScanNode;

// A block of channels, as (n, N) matrices.
typedef struct ScanBlock {
    int64_t from, n; // channels
    float *a;        // -exp(a_log)
    float *delta;    // (n) of the row at hand, and
    float *fade;     // exp(delta A)
    float *h;        // states: of the row at hand, or (1 + rows) of them on the way back
    float *dh, *da;  // way back
} ScanBlock;

static ScanBlock scan_block(const ScanWork *work, int64_t i, int worker) {
    int64_t size = SCAN_CHANNELS * work->states;
    float *scratch = work->scratch + worker * work->scratch_floats;
    ScanBlock block = {.from = i * SCAN_CHANNELS,
                       .n = SCAN_CHANNELS,
                       .a = scratch,
                       .fade = scratch + size,
                       .dh = scratch + 2 * size,
                       .da = scratch + 3 * size,
                       .delta = scratch + 4 * size,
                       .h = scratch + 4 * size + SCAN_CHANNELS};
    if (block.from + block.n > work->channels) block.n = work->channels - block.from;
    int64_t n = block.n * work->states;
    memcpy(block.a, tensor_f32(work->in.a_log) + block.from * work->states,
           sizeof(float) * (size_t)n);
    work->kernels->exp_sum(block.a, 0, n);
    work->kernels->scale(block.a, block.a, -1, n);
    return block;
}

static float softplus(float x) {
    return x > 20 ? x : log1pf(expf(x));
}

// delta = softplus(dt) and fade = exp(delta A) of all channels of the block at one row.
static void scan_fade(const ScanWork *work, const ScanBlock *block, int64_t row) {
    int64_t states = work->states;
    const float *dt = tensor_f32(work->in.dt) + row * work->channels + block->from;
    for (int64_t c = 0; c < block->n; c++) {
        block->delta[c] = softplus(dt[c]);
        work->kernels->scale(block->fade + c * states, block->a + c * states, block->delta[c],
                             states);
    }
    work->kernels->exp_sum(block->fade, 0, block->n * states);
}

// h (n, N) of one row from h of the row before, in place or not.
static void scan_step(const ScanWork *work, const ScanBlock *block, int64_t row,
                      const float *h_before, float *h) {
    int64_t states = work->states;
    const float *u = tensor_f32(work->in.u) + row * work->channels + block->from;
    const float *b = tensor_f32(work->in.b) + row * states;
    scan_fade(work, block, row);
    work->kernels->multiply(h, h_before, block->fade, block->n * states);
    for (int64_t c = 0; c < block->n; c++)
        work->kernels->axpy(h + c * states, block->delta[c] * u[c], b, states);
}

// Unit = span * blocks + block.
static void scan_task(void *arg, int64_t begin, int64_t end, int worker) {
    const ScanWork *work = arg;
    int64_t blocks = blocks_of(work->channels, SCAN_CHANNELS), states = work->states;
    const float *d = tensor_f32(work->in.d);
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t s = unit / blocks;
        const Span *span = &work->r.span[s];
        ScanBlock block = scan_block(work, unit % blocks, worker);
        int64_t at = (s * work->channels + block.from) * states;
        size_t bytes = sizeof(float) * (size_t)(block.n * states);
        memcpy(block.h, work->start + at, bytes);
        for (int64_t row = span->first; row < span->first + span->n; row++) {
            const float *c_row = tensor_f32(work->in.c) + row * states;
            scan_step(work, &block, row, block.h, block.h);
            for (int64_t c = 0; c < block.n; c++) {
                int64_t i = row * work->channels + block.from + c;
                work->y[i] = work->kernels->dot(block.h + c * states, c_row, states) +
                             d[block.from + c] * tensor_f32(work->in.u)[i];
            }
        }
        if (work->r.carry && work->r.carry[s])
            memcpy(work->r.carry[s] + block.from * states, block.h, bytes);
    }
}

// One channel at one row: with dh the gradient of its states h, which came from `before`.
static void scan_backward_channel(const ScanWork *work, const ScanNode *node,
                                  const ScanBlock *block, int64_t row, int64_t c,
                                  const float *h_before, const float *h) {
    const Kernels *kernels = work->kernels;
    int64_t states = work->states, i = row * work->channels + block->from + c;
    const float *b = tensor_f32(work->in.b) + row * states;
    const float *c_row = tensor_f32(work->in.c) + row * states;
    const float *fade = block->fade + c * states, *a = block->a + c * states;
    float *dh = block->dh + c * states, *da = block->da + c * states;
    int64_t i_block = block->from / SCAN_CHANNELS, rows = tensor_rows(work->in.u);
    float *db = work->partial + (i_block * rows + row) * 2 * states, *dc = db + states;
    float dt = tensor_f32(work->in.dt)[i], delta = block->delta[c], u = tensor_f32(work->in.u)[i];
    float dy = work->dy[i], ddelta = 0;
    kernels->axpy(dh, dy, c_row, states);
    kernels->axpy(dc, dy, h, states);
    kernels->axpy(db, delta * u, dh, states);
    float written = kernels->dot(dh, b, states);
    for (int64_t n = 0; n < states; n++) {
        float faded = dh[n] * fade[n];
        ddelta += faded * h_before[n] * a[n];
        da[n] += faded * h_before[n] * delta;
        dh[n] = faded;
    }
    if (work->in.dt->grad) work->in.dt->grad[i] += (ddelta + u * written) / (1 + expf(-dt));
    if (work->in.u->grad)
        work->in.u->grad[i] += delta * written + dy * tensor_f32(&node->d)[block->from + c];
    if (node->d.grad) node->d.grad[block->from + c] += dy * u;
}

// The states of all rows again, then back through them.
static void scan_backward_span(const ScanNode *node, const ScanWork *work, const ScanBlock *block,
                               int64_t s) {
    const Span *span = &work->r.span[s];
    int64_t states = work->states, n = block->n * states;
    memcpy(block->h, work->start + (s * work->channels + block->from) * states,
           sizeof(float) * (size_t)n);
    for (int64_t t = 0; t < span->n; t++)
        scan_step(work, block, span->first + t, block->h + t * n, block->h + (t + 1) * n);
    memset(block->dh, 0, sizeof(float) * (size_t)n);
    for (int64_t t = span->n - 1; t >= 0; t--) {
        const float *before = block->h + t * n, *h = before + n;
        scan_fade(work, block, span->first + t);
        for (int64_t c = 0; c < block->n; c++)
            scan_backward_channel(work, node, block, span->first + t, c, before + c * states,
                                  h + c * states);
    }
}

static void scan_backward_task(void *arg, int64_t begin, int64_t end, int worker) {
    const ScanNode *node = arg;
    const ScanWork *work = &node->work;
    int64_t states = work->states;
    for (int64_t i = begin; i < end; i++) {
        ScanBlock block = scan_block(work, i, worker);
        memset(block.da, 0, sizeof(float) * (size_t)(block.n * states));
        for (int s = 0; s < work->r.n_spans; s++) scan_backward_span(node, work, &block, s);
        if (!node->a_log.grad) continue;
        float *grad = node->a_log.grad + block.from * states;
        work->kernels->multiply(block.da, block.da, block.a, block.n * states); // dA/da_log = A
        work->kernels->axpy(grad, 1, block.da, block.n * states);
    }
}

// The blocks' parts in the gradients of b and c, added in their order.
static void sum_partials(const ScanWork *work) {
    int64_t states = work->states, rows = tensor_rows(work->in.u);
    int64_t blocks = blocks_of(work->channels, SCAN_CHANNELS);
    float *db = work->in.b->grad, *dc = work->in.c->grad;
    const float *part = work->partial;
    for (int64_t i = 0; i < blocks * rows; i++, part += 2 * states) {
        int64_t at = i % rows * states;
        if (db) work->kernels->axpy(db + at, 1, part, states);
        if (dc) work->kernels->axpy(dc + at, 1, part + states, states);
    }
}

static void scan_scratch(Run *run, ScanWork *work, int64_t rows) {
    work->scratch_floats = SCAN_CHANNELS * (1 + (4 + rows) * work->states);
    work->scratch =
        run_bytes(run, sizeof(float) * (size_t)(pool_threads(run->pool) * work->scratch_floats));
}

static void scan_backward(Run *run, Node *base) {
    ScanNode *node = (ScanNode *)base;
    ScanWork *work = &node->work;
    int64_t longest = 0, blocks = blocks_of(work->channels, SCAN_CHANNELS);
    for (int s = 0; s < work->r.n_spans; s++)
        if (work->r.span[s].n > longest) longest = work->r.span[s].n;
    size_t bytes = sizeof(float) * (size_t)(blocks * tensor_rows(node->y) * 2 * work->states);
    work->partial = run_bytes(run, bytes);
    scan_scratch(run, work, 1 + longest);
    if (run->dry) return;
    memset(work->partial, 0, bytes);
    work->dy = node->y->grad;
    pool_run(run->pool, scan_backward_task, node, blocks, 1);
    sum_partials(work);
}

Tensor *op_selective_scan(Run *run, const Scan *scan, const Recurrence *r) {
    int64_t channels = tensor_cols(scan->u), states = tensor_cols(scan->b);
    require(tensor_cols(scan->dt) == channels && tensor_cols(scan->c) == states);
    require(scan->a_log->dtype == DTYPE_F32 && scan->a_log->dim[0] == channels &&
            tensor_cols(scan->a_log) == states);
    require(scan->d->dtype == DTYPE_F32 && scan->d->dim[0] == channels);
    Tensor *y = run_new(run, scan->u->rank, scan->u->dim);
    size_t bare = run_mark(run);
    ScanWork work = {.kernels = run->kernels,
                     .r = *r,
                     .in = *scan,
                     .channels = channels,
                     .states = states,
                     .start = start_of(run, r, channels * states),
                     .y = tensor_f32(y)};
    size_t saved = run_mark(run);
    scan_scratch(run, &work, 1);
    if (!run->dry) {
        int64_t blocks = blocks_of(channels, SCAN_CHANNELS);
        pool_run(run->pool, scan_task, &work, r->n_spans * blocks, 1 + 32 / total_rows(r));
    }
    run_back(run, run->tape ? saved : bare);
    ScanNode *node = run_record(run, scan_backward, sizeof *node);
    if (node) {
        node->y = y;
        node->a_log = *scan->a_log;
        node->d = *scan->d;
        node->work = work;
        node->work.in.a_log = &node->a_log;
        node->work.in.d = &node->d;
    }
    return y;
}
