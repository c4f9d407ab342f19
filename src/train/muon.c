// muon.c - momentum made orthogonal: a matrix moves equally far in all its directions.
//
// A round of Newton-Schulz takes x to a x + (b g + c g^2) x with the Gram matrix g = x x': each
// singular value s becomes a s + b s^3 + c s^5.  Jordan's coefficients lift small values as steeply
// as possible and let all end anywhere between about 0.7 and 1.2, which is near enough to 1.  A
// tall matrix is turned first, so that g is always of the shorter side.
#include <math.h>

#include "tensor/product.h"
#include "train/clip.h"
#include "train/optimizer.h"

enum { ROUNDS = 5, VALUES_PER_CHUNK = 16384 };
static const double A = 3.4445, B = -4.7750, C = 2.0315;
static const double NORM_LEAST = 1e-7; // a matrix of zeros stays one

typedef struct Muon {
    const Kernels *kernels;
    Pool *pool;
    int64_t rows, cols;   // of the matrix
    int64_t side, length; // the shorter and the longer of them
    float *x, *next;      // (side, length); at the beginning and the end (rows, cols)
    float *gram, *square; // (side, side)
    void *memory;         // for products
    bool bf16;            // they are rounded
} Muon;

static Muon muon_shape(int64_t rows, int64_t cols) {
    bool is_wide = rows < cols;
    return (Muon){
        .rows = rows, .cols = cols, .side = is_wide ? rows : cols, .length = is_wide ? cols : rows};
}

static Muon muon_make(float *scratch, int64_t rows, int64_t cols, const OptimizerSpec *spec,
                      const Kernels *kernels, Pool *pool) {
    Muon m = muon_shape(rows, cols);
    m.bf16 = spec->bf16;
    m.kernels = kernels;
    m.pool = pool;
    m.x = scratch;
    m.next = m.x + rows * cols;
    m.gram = m.next + rows * cols;
    m.square = m.gram + m.side * m.side;
    m.memory = m.square + m.side * m.side;
    return m;
}

// ---------------------------------------------------------------- products
// The Gram matrix x x'.
static Product gram_product(const Muon *m) {
    return (Product){.m = m->side,
                     .n = m->side,
                     .k = m->length,
                     .a = m->x,
                     .a_row = m->length,
                     .a_column = 1,
                     .b = m->x,
                     .b_row = m->length,
                     .b_column = 1,
                     .c = m->gram,
                     .c_row = m->side};
}

// g g; g is its own transpose, so that its columns are read as rows.
static Product square_product(const Muon *m) {
    return (Product){.m = m->side,
                     .n = m->side,
                     .k = m->side,
                     .a = m->gram,
                     .a_row = m->side,
                     .a_column = 1,
                     .b = m->gram,
                     .b_row = m->side,
                     .b_column = 1,
                     .c = m->square,
                     .c_row = m->side};
}

// next += g x
static Product next_product(const Muon *m) {
    return (Product){.m = m->side,
                     .n = m->length,
                     .k = m->side,
                     .a = m->gram,
                     .a_row = m->side,
                     .a_column = 1,
                     .b = m->x,
                     .b_row = 1,
                     .b_column = m->length,
                     .c = m->next,
                     .c_row = m->length,
                     .adds = true};
}

static void multiply(const Muon *m, Product p) {
    p.bf16 = m->bf16;
    product_compute(m->kernels, m->pool, &p, m->memory);
}

int64_t muon_scratch(int64_t rows, int64_t cols, const OptimizerSpec *spec) {
    Muon m = muon_shape(rows, cols);
    Product gram = gram_product(&m), next = next_product(&m);
    gram.bf16 = next.bf16 = spec->bf16;
    size_t bytes = product_bytes(&gram, spec->threads), more = product_bytes(&next, spec->threads);
    if (more > bytes) bytes = more;
    return 2 * rows * cols + 2 * m.side * m.side + (int64_t)(bytes / sizeof(float)) + 1;
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
static void swap(Muon *m) {
    float *last = m->x;
    m->x = m->next;
    m->next = last;
}

static void newton_schulz_round(Muon *m) {
    int64_t n = m->side * m->length, n_gram = m->side * m->side;
    multiply(m, gram_product(m));
    multiply(m, square_product(m));
    blend(m, n_gram, (Blend){m->gram, m->gram, B, m->square, C});
    blend(m, n, (Blend){m->next, m->x, A});
    multiply(m, next_product(m));
    swap(m);
}

// x becomes its transpose.
static void turn(Muon *m, int64_t rows, int64_t cols) {
    m->kernels->transpose(m->x, cols, m->next, rows, rows, cols);
    swap(m);
}

// The norm of all values bounds the largest singular value: divided by it, none is above 1.
static void orthogonalize(Muon *m) {
    int64_t n = m->rows * m->cols;
    double norm = sqrt(squares_sum(m->x, n, m->pool));
    blend(m, n, (Blend){m->x, m->x, 1 / (norm > NORM_LEAST ? norm : NORM_LEAST)});
    bool is_tall = m->rows > m->cols;
    if (is_tall) turn(m, m->rows, m->cols);
    for (int i = 0; i < ROUNDS; i++) newton_schulz_round(m);
    if (is_tall) turn(m, m->cols, m->rows);
}

const float *muon_orthogonalize(float *scratch, int64_t rows, int64_t cols,
                                const OptimizerSpec *spec, const Kernels *kernels, Pool *pool) {
    Muon m = muon_make(scratch, rows, cols, spec, kernels, pool);
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
    Muon m = muon_make(o->scratch, p->rows, p->cols, spec, kernels, pool);
    blend(&m, n, (Blend){momentum, momentum, spec->momentum, p->grad, fresh});
    blend(&m, n, (Blend){m.x, momentum, spec->momentum, p->grad, fresh}); // Nesterov: looks ahead
    orthogonalize(&m);
    double keep = p->is_decayed ? 1 - rate * spec->decay : 1;
    blend(&m, n, (Blend){p->value, p->value, keep, m.x, -rate * scale_of(spec->muon_scale, p)});
}
