// stream.c - the bytes of the weights: decoded, brought into the form of the other world,
// encoded; a chunk of rows at a time, shared out over the pool.
//
// Where neither type nor values change, the bytes of a row are copied as they are, so that a
// quantised weight loses nothing, even when the rows of a head change places.
#include <math.h>
#include <string.h>

#include "export/plan.h"
#include "quant/quant.h"

enum { CHUNK_VALUES = 1 << 21 }; // of one chunk, or one row if it is longer
static const float F16_MOST = 65504;

typedef enum Fault { FAULT_NONE, FAULT_NOT_FINITE, FAULT_TOO_LARGE } Fault;

// A row's part in the error of its weight.
typedef struct RowResult {
    double change, size; // sums of squares: of the change, of the values
    Fault fault;
} RowResult;

// One weight on its way.
typedef struct Conversion {
    const PlannedWeight *weight;
    const float *turned; // the whole source in f32, where it is transposed; else NULL
    int64_t cols;        // of the new rows
    int head_width;
    bool to_halves;
    int64_t first, n;  // rows of the chunk
    char *out;         // the chunk's rows
    char *panels;      // the same in panels, if that is wanted
    size_t row_bytes;  // of a new row
    float *scratch;    // (workers, 2, cols)
    RowResult *result; // (rows of the chunk)
} Conversion;

// The source's row for a new row.
static int64_t source_row(const Conversion *c, int64_t row) {
    if (c->weight->change != FORM_ROTARY) return row;
    return rotary_row(row, c->head_width, c->to_halves);
}

// Its bytes; a row out of a panel is put together in `unpacked`.
static const void *source_bytes(const Conversion *c, int64_t row, void *unpacked) {
    const Tensor *source = &c->weight->source;
    int64_t from = source_row(c, row);
    size_t bytes = dtype_row_bytes(source->dtype, c->cols);
    if (!source->in_panels) return (const char *)source->data + bytes * (size_t)from;
    panel_unpack_row(source->dtype, tensor_panel(source, from / PANEL_ROWS), from % PANEL_ROWS,
                     c->cols, unpacked);
    return unpacked;
}

// A weight is written with what its adapter adds to it.
static void add_adapter(const Tensor *w, int64_t row, float *values) {
    const Adapter *adapter = w->adapter;
    int64_t rank = tensor_cols(&adapter->b), cols = tensor_cols(w);
    const float *b = tensor_row(&adapter->b, w->adapter_row + row);
    for (int64_t k = 0; k < rank; k++) {
        const float *a = tensor_row(&adapter->a, k);
        for (int64_t i = 0; i < cols; i++) values[i] += adapter->scale * b[k] * a[i];
    }
}

static void read_row(const Conversion *c, int64_t row, float *values, void *unpacked) {
    const PlannedWeight *w = c->weight;
    if (c->turned) {
        int64_t stride = w->source.dim[1];
        for (int64_t i = 0; i < c->cols; i++) values[i] = c->turned[i * stride + row];
        return;
    }
    quant_decode(w->source.dtype, source_bytes(c, row, unpacked), values, c->cols);
    if (w->source.adapter) add_adapter(&w->source, source_row(c, row), values);
    for (int64_t i = 0; i < c->cols && w->change == FORM_ONE_PLUS; i++) values[i] -= 1;
    for (int64_t i = 0; i < c->cols && w->change == FORM_LOG; i++) values[i] = -expf(values[i]);
}

static Fault fault_of(const float *values, int64_t n, DType to) {
    // The scale of a quantised block is an F16 too.
    float most = to == DTYPE_F32 || to == DTYPE_BF16 ? INFINITY : F16_MOST;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) return FAULT_NOT_FINITE;
        if (fabsf(values[i]) > most) return FAULT_TOO_LARGE;
    }
    return FAULT_NONE;
}

static void convert_row(const Conversion *c, int64_t row, float *values, float *again) {
    DType to = c->weight->as.to;
    char *out = c->out + c->row_bytes * (size_t)(row - c->first);
    RowResult *r = &c->result[row - c->first];
    *r = (RowResult){0};
    Form form = c->weight->change;
    bool is_moved = form != FORM_ONE_PLUS && form != FORM_LOG && form != FORM_TRANSPOSED;
    if (to == c->weight->source.dtype && is_moved && !c->weight->source.adapter) {
        memcpy(out, source_bytes(c, row, again), c->row_bytes);
        return;
    }
    read_row(c, row, values, again);
    r->fault = fault_of(values, c->cols, to);
    if (r->fault) return;
    quant_encode(to, values, NULL, out, c->cols);
    quant_decode(to, out, again, c->cols);
    for (int64_t i = 0; i < c->cols; i++) {
        double value = (double)values[i], change = (double)again[i] - value;
        r->change += change * change;
        r->size += value * value;
    }
}

static void convert_rows(void *arg, int64_t begin, int64_t end, int worker) {
    const Conversion *c = arg;
    float *values = c->scratch + 2 * c->cols * worker;
    for (int64_t i = begin; i < end; i++) convert_row(c, c->first + i, values, values + c->cols);
}

static void pack_rows(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const Conversion *c = arg;
    DType to = c->weight->as.to;
    for (int64_t i = begin; i < end; i++) {
        int64_t left = c->n - i * PANEL_ROWS;
        panel_pack(to, c->out + c->row_bytes * (size_t)(i * PANEL_ROWS),
                   left < PANEL_ROWS ? left : PANEL_ROWS, c->cols,
                   c->panels + panel_bytes(to, c->cols) * (size_t)i);
    }
}

static bool refuse(const PlannedWeight *w, Fault fault, Error *err) {
    if (fault == FAULT_NOT_FINITE)
        return error_set(err, ERROR_FORMAT, "tensor %.*s holds values that are no finite numbers",
                         STR_ARG(w->as.name));
    return error_set(err, ERROR_UNSUPPORTED,
                     "tensor %.*s holds values beyond %.0f, too large for %s", STR_ARG(w->as.name),
                     (double)F16_MOST, dtype_name(w->as.to));
}

// A vector is one row, but for rotary pairs: there each of its values is one.
static int64_t rows_of(const PlannedWeight *w) {
    if (w->rank > 1) return w->as.count / w->dim[w->rank - 1];
    return w->change == FORM_ROTARY ? w->dim[0] : 1;
}

static Conversion conversion_make(Export *e, PlannedWeight *w, int64_t chunk_rows) {
    int64_t cols = w->as.count / rows_of(w);
    Conversion c = {.weight = w,
                    .cols = cols,
                    .head_width = e->model->config.head_width,
                    .to_halves = e->is_hf,
                    .row_bytes = dtype_row_bytes(w->as.to, cols)};
    size_t row = sizeof(float) * (size_t)cols;
    c.out = arena_push_aligned(&e->arena, c.row_bytes * (size_t)chunk_rows, 64);
    if (w->as.in_panels)
        c.panels = arena_push_aligned(
            &e->arena, panel_bytes(w->as.to, cols) * (size_t)panel_count(chunk_rows), 64);
    c.scratch = arena_push_aligned(&e->arena, 2 * row * (size_t)pool_threads(e->options.pool), 64);
    c.result = arena_new(&e->arena, RowResult, chunk_rows);
    if (w->change == FORM_TRANSPOSED && w->source.dtype == DTYPE_F32 && !w->source.adapter) {
        c.turned = tensor_f32(&w->source);
    } else if (w->change == FORM_TRANSPOSED) {
        float *turned = arena_push_aligned(&e->arena, sizeof(float) * (size_t)w->as.count, 64);
        void *unpacked = arena_push_aligned(&e->arena, tensor_row_bytes(&w->source), 64);
        weight_decode(&w->source, unpacked, turned);
        int64_t wide = w->source.dim[1];
        for (int64_t i = 0; w->source.adapter && i < w->source.dim[0]; i++)
            add_adapter(&w->source, i, turned + i * wide);
        c.turned = turned;
    }
    return c;
}

// Writes one weight; `done` counts the values of all weights before it.
static bool stream_weight(Export *e, PlannedWeight *w, int64_t done, ExportSink *sink, void *writer,
                          Error *err) {
    const ExportOptions *o = &e->options;
    int64_t rows = rows_of(w), cols = w->as.count / rows;
    int64_t chunk = CHUNK_VALUES / cols > 0 ? CHUNK_VALUES / cols : 1;
    chunk = (chunk + PANEL_ROWS - 1) / PANEL_ROWS * PANEL_ROWS;
    if (chunk > rows) chunk = rows;
    Conversion c = conversion_make(e, w, chunk);
    double change = 0, size = 0;
    for (; c.first < rows; c.first += chunk) {
        int64_t n = rows - c.first < chunk ? rows - c.first : chunk;
        if (o->go_on && !o->go_on(o->user, done + c.first * cols, e->total))
            return error_set(err, ERROR_CANCELLED, "cancelled");
        c.n = n;
        pool_run(o->pool, convert_rows, &c, n, 1 + (1 << 14) / cols);
        for (int64_t i = 0; i < n; i++) {
            if (c.result[i].fault) return refuse(w, c.result[i].fault, err);
            change += c.result[i].change;
            size += c.result[i].size;
        }
        if (w->as.in_panels) {
            pool_run(o->pool, pack_rows, &c, panel_count(n), 1);
            sink(writer, c.panels, panel_bytes(w->as.to, cols) * (size_t)panel_count(n));
        } else {
            sink(writer, c.out, c.row_bytes * (size_t)n);
        }
    }
    w->as.error = size > 0 ? sqrt(change / size) : 0;
    return true;
}

bool export_stream(Export *e, ExportSink *sink, void *writer, Error *err) {
    int64_t done = 0;
    for (int64_t i = 0; i < e->n; i++) {
        ArenaMark mark = arena_mark(&e->arena);
        if (!stream_weight(e, &e->weight[i], done, sink, writer, err)) return false;
        arena_back(&e->arena, mark);
        done += e->weight[i].as.count;
    }
    return !e->model->tensors || model_intact(e->model, err);
}
