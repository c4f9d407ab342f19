// muon.c - momentum made orthogonal: a matrix moves equally far in all its directions.
//
// A round of Newton-Schulz takes x to a x + (b g + c g^2) x with the Gram matrix g = x x': each
// singular value s becomes a s + b s^3 + c s^5.  Jordan's coefficients lift small values as steeply
// as possible and let all end anywhere between about 0.7 and 1.2, which is near enough to 1.  Of a
// tall matrix g = x' x stands on the right, so that g is always of the shorter side.
#include <math.h>
#include <string.h>

#include "train/clip.h"
#include "train/optimizer.h"

enum { ROUNDS = 5, ROWS_PER_CHUNK = 48, VALUES_PER_CHUNK = 16384 };
static const double A = 3.4445, B = -4.7750, C = 2.0315;
static const double NORM_LEAST = 1e-7; // a matrix of zeros stays one

typedef struct Muon {
    const Kernels *kernels;
    Pool *pool;
    int64_t rows, cols, side; // side: the shorter one
    float *x, *next;          // (rows, cols)
    float *gram, *square;     // (side, side)
} Muon;

int64_t muon_scratch(int64_t rows, int64_t cols) {
    int64_t side = rows < cols ? rows : cols;
    return 2 * rows * cols + 2 * side * side;
}

static Muon muon_make(float *scratch, int64_t rows, int64_t cols, const Kernels *kernels,
                      Pool *pool) {
    Muon m = {.kernels = kernels, .pool = pool, .rows = rows, .cols = cols};
    m.side = rows < cols ? rows : cols;
    m.x = scratch;
    m.next = m.x + rows * cols;
    m.gram = m.next + rows * cols;
    m.square = m.gram + m.side * m.side;
    return m;
}

// ---------------------------------------------------------------- products
// A matrix at rest or turned: element (i, j) is at i * row + j * column.
typedef struct View {
    const float *data;
    int64_t rows, cols, row, column;
} View;

static View view(const float *data, int64_t rows, int64_t cols) {
    return (View){data, rows, cols, cols, 1};
}

static View turned(View v) {
    return (View){v.data, v.cols, v.rows, v.column, v.row};
}

typedef struct Product {
    const Kernels *kernels;
    GemmJob job;
} Product;

static void product_task(void *arg, int64_t begin, int64_t end, int worker) {
    const Product *product = arg;
    GemmJob job = product->job;
    (void)worker;
    job.m = end - begin;
    job.a += begin * job.a_row;
    job.c += begin * job.c_row;
    product->kernels->gemm(&job);
}

// c += a b.  Threads share the rows of c.
static void multiply(const Muon *m, View a, View b, float *c) {
    GemmJob job = {a.rows, b.cols, a.cols,   a.data, a.row, a.column,
                   b.data, b.row,  b.column, c,      b.cols};
    pool_run(m->pool, product_task, &(Product){m->kernels, job}, a.rows, ROWS_PER_CHUNK);
}

// ---------------------------------------------------------------- sums
// out = p x + q y over n values; y may be NULL, out may be x.
typedef struct Blend {
    float *out;
    const float *x;
    double p;
    const float *y;
    double q;
    const Kernels *kernels;
} Blend;

static void blend_task(void *arg, int64_t begin, int64_t end, int worker) {
    const Blend *b = arg;
    int64_t n = end - begin;
    (void)worker;
    b->kernels->scale(b->out + begin, b->x + begin, (float)b->p, n);
    if (b->y) b->kernels->axpy(b->out + begin, (float)b->q, b->y + begin, n);
}

static void blend(const Muon *m, int64_t n, Blend b) {
    b.kernels = m->kernels;
    pool_run(m->pool, blend_task, &b, n, VALUES_PER_CHUNK);
}

// ---------------------------------------------------------------- Newton-Schulz
static void newton_schulz_round(Muon *m) {
    bool is_wide = m->rows <= m->cols;
    int64_t n = m->rows * m->cols, n_gram = m->side * m->side;
    View x = view(m->x, m->rows, m->cols), gram = view(m->gram, m->side, m->side);
    memset(m->gram, 0, sizeof(float) * (size_t)n_gram);
    memset(m->square, 0, sizeof(float) * (size_t)n_gram);
    multiply(m, is_wide ? x : turned(x), is_wide ? turned(x) : x, m->gram);
    multiply(m, gram, gram, m->square);
    blend(m, n_gram, (Blend){m->gram, m->gram, B, m->square, C});
    blend(m, n, (Blend){m->next, m->x, A});
    multiply(m, is_wide ? gram : x, is_wide ? x : gram, m->next);
    float *last = m->x;
    m->x = m->next;
    m->next = last;
}

// The norm of all values bounds the largest singular value: divided by it, none is above 1.
static void orthogonalize(Muon *m) {
    int64_t n = m->rows * m->cols;
    double norm = sqrt(squares_sum(m->x, n, m->pool));
    blend(m, n, (Blend){m->x, m->x, 1 / (norm > NORM_LEAST ? norm : NORM_LEAST)});
    for (int i = 0; i < ROUNDS; i++) newton_schulz_round(m);
}

const float *muon_orthogonalize(float *scratch, int64_t rows, int64_t cols, const Kernels *kernels,
                                Pool *pool) {
    Muon m = muon_make(scratch, rows, cols, kernels, pool);
    orthogonalize(&m);
    return m.x;
}

// ---------------------------------------------------------------- a step
static double scale_of(MuonScale scale, const Parameter *p) {
    double rows = (double)p->rows, cols = (double)p->cols;
    if (scale == MUON_SCALE_MATCH_RMS_ADAMW) return 0.2 * sqrt(rows > cols ? rows : cols);
    return rows > cols ? sqrt(rows / cols) : 1;
}

void muon_step(Optimizer *o, int64_t i_parameter, const Kernels *kernels, Pool *pool,
               StepSpec step) {
    const OptimizerSpec *spec = &o->spec;
    const Parameter *p = &o->parameters.list[i_parameter];
    int64_t n = parameter_count(p);
    float *momentum = o->moments + o->first_moment[i_parameter];
    double rate = step.rate * spec->muon_rate;
    double fresh = (1 - spec->momentum) * step.gradient_scale;
    Muon m = muon_make(o->scratch, p->rows, p->cols, kernels, pool);
    blend(&m, n, (Blend){momentum, momentum, spec->momentum, p->grad, fresh});
    blend(&m, n, (Blend){m.x, momentum, spec->momentum, p->grad, fresh}); // Nesterov: looks ahead
    orthogonalize(&m);
    double keep = p->is_decayed ? 1 - rate * spec->decay : 1;
    blend(&m, n, (Blend){p->value, p->value, keep, m.x, -rate * scale_of(spec->muon_scale, p)});
}
