// op_attention.c - attention, tiled: keys and values are read block by block, the softmax is kept
// up online, and no matrix of all pairs ever exists.
//
// Work is cut into tiles of a few query rows times the query heads that share one key/value head,
// so that a block of keys is read once for all of them.  For each query row the sums run over
//
//     blocks of 64 positions within segments of 512 positions, segments merged in ascending order,
//
// all fixed by absolute position.  What else is in the tile, how long the batch is and who computes
// which segment changes no bit: a word-by-word run equals the parallel one exactly.
#include <math.h>
#include <string.h>

#include "tensor/ops.h"
#include "tensor/product.h"

enum {
    BLOCK = 64,     // key positions scored at once
    SEGMENT = 512,  // key positions of one partial result
    TILE_ROWS = 32, // query rows (times heads of a group) that share a pass over the keys
    BACK_ROWS = 64  // query rows of a square of the way back
};

bool attention_sees(const AttentionSpec *spec, int64_t i, int64_t j) {
    if (spec->is_causal && j > i) return false;
    if (spec->window <= 0 || j < spec->kept) return true;
    return i - j < spec->window && j - i < spec->window;
}

float attention_bias(const AttentionSpec *spec, int64_t h, int64_t i, int64_t j) {
    return spec->slope ? -spec->slope[h] * (float)(i > j ? i - j : j - i) : 0;
}

// ---------------------------------------------------------------- keys and values
void op_kv_store(Run *run, const Tensor *k, const Tensor *v, AttentionSpec *spec) {
    int64_t width = (int64_t)spec->kv_heads * spec->head_width;
    require(tensor_cols(k) == width && tensor_cols(v) == width);
    for (int s = 0; s < spec->n_spans; s++) {
        const Span *span = &spec->span[s];
        KvCache *cache = spec->cache[s];
        if (!cache) { // this forward's own, as long as the span
            int64_t capacity = (span->n + KV_TILE - 1) / KV_TILE * KV_TILE;
            size_t bytes = 2 * kv_bytes(DTYPE_F32, spec->kv_heads, spec->head_width, capacity);
            char *memory = run_bytes(run, bytes);
            cache = spec->cache[s] = run_describe(run, sizeof *cache);
            *cache = kv_make(DTYPE_F32, spec->kv_heads, spec->head_width, capacity, memory);
            if (!run->dry) memset(memory, 0, bytes);
            require(span->position == 0);
        }
        if (run->dry) continue;
        require(cache->n == span->position);
        kv_append(cache, tensor_f32(k) + span->first * width, tensor_f32(v) + span->first * width,
                  span->n);
    }
}

// ---------------------------------------------------------------- the work, cut
typedef struct Attend {
    const Kernels *kernels;
    const AttentionSpec *spec;
    const float *q; // (T, H*D)
    float *out;     // (T, H*D)
    float *lse;     // (T, H) log of the softmax denominator, NULL without a tape
    int group;      // query heads per key/value head
    int tile_rows;  // rows of the batch in a tile
    float *scratch; // (threads, scratch_floats)
    int64_t scratch_floats;
    float *partial; // (units, segments, partial_floats), NULL when units go through all segments
    int64_t segments;
} Attend;

// A unit: some rows of a span, and the query heads of one key/value head.
typedef struct Tile {
    const Span *span;
    const KvCache *cache;
    int g;
    int64_t row; // of the batch
    int64_t rows;
    int64_t m;               // rows * group: query vectors
    int64_t i_first, i_last; // positions of its first and last row
    int64_t n_keys;          // positions stored
} Tile;

static int64_t tiles_of(const Attend *a, const Span *span) {
    return (span->n + a->tile_rows - 1) / a->tile_rows;
}

static Tile tile_at(const Attend *a, int64_t unit) {
    const AttentionSpec *spec = a->spec;
    int s = 0;
    for (int64_t n; unit >= (n = tiles_of(a, &spec->span[s]) * spec->kv_heads); s++) unit -= n;
    const Span *span = &spec->span[s];
    int64_t first = unit / spec->kv_heads * a->tile_rows;
    Tile t = {.span = span, .cache = spec->cache[s], .g = (int)(unit % spec->kv_heads)};
    t.row = span->first + first;
    t.rows = span->n - first < a->tile_rows ? span->n - first : a->tile_rows;
    t.m = t.rows * a->group;
    t.i_first = span->position + first;
    t.i_last = t.i_first + t.rows - 1;
    t.n_keys = span->position + span->n;
    return t;
}

// Running softmax of m query vectors: the result so far is acc / sum, relative to exp(max).
typedef struct Partial {
    float *max, *sum; // (m)
    float *acc;       // (m, D)
} Partial;

static int64_t partial_floats(int64_t m, int64_t d) {
    return m * (d + 2);
}

static Partial partial_in(float *memory, int64_t m) {
    return (Partial){.max = memory, .sum = memory + m, .acc = memory + 2 * m};
}

// Can any row of the tile see any position of [from, to)?
static bool block_is_seen(const AttentionSpec *spec, const Tile *t, int64_t from, int64_t to) {
    if (spec->is_causal && from > t->i_last) return false;
    if (spec->window <= 0 || from < spec->kept) return true;
    return to - 1 > t->i_first - spec->window && from < t->i_last + spec->window;
}

// Do all rows of the tile see all positions of [from, to)?
static bool block_is_open(const AttentionSpec *spec, const Tile *t, int64_t from, int64_t to) {
    if (to > t->n_keys || (spec->is_causal && to - 1 > t->i_first)) return false;
    if (spec->window <= 0 || to <= spec->kept) return true;
    return from > t->i_last - spec->window && to - 1 < t->i_first + spec->window;
}

// ---------------------------------------------------------------- forward
// Scores of the tile's queries (m, D; already scaled) with `width` positions from `from`, masked.
static void score_block(const Attend *a, const Tile *t, const float *q, int64_t from, int64_t width,
                        float *p) {
    const AttentionSpec *spec = a->spec;
    const Kernels *kernels = a->kernels;
    kernels->scores[t->cache->dtype](
        &(AttendJob){.m = t->m,
                     .d = spec->head_width,
                     .q = q,
                     .q_stride = spec->head_width,
                     .tiles = kv_key_tile(t->cache, t->g, from / KV_TILE),
                     .n_tiles = width / KV_TILE,
                     .p = p,
                     .p_stride = BLOCK});
    for (int64_t r = 0; r < t->m && spec->softcap > 0; r++) {
        float *row = p + r * BLOCK;
        kernels->scale(row, row, 1 / spec->softcap, width);
        kernels->tanh(row, row, width);
        kernels->scale(row, row, spec->softcap, width);
    }
    for (int64_t r = 0; r < t->m && spec->slope; r++)
        for (int64_t j = from; j < from + width; j++)
            p[r * BLOCK + j - from] +=
                attention_bias(spec, t->g * a->group + r % a->group, t->i_first + r / a->group, j);
    if (block_is_open(spec, t, from, from + width)) return;
    for (int64_t r = 0; r < t->m; r++) {
        int64_t i = t->i_first + r / a->group;
        for (int64_t j = from; j < from + width; j++)
            if (j >= t->n_keys || !attention_sees(spec, i, j)) p[r * BLOCK + j - from] = -INFINITY;
    }
}

// One block into the running softmax.
static void attend_block(const Attend *a, const Tile *t, const float *q, int64_t from, float *p,
                         Partial part) {
    int64_t d = a->spec->head_width, left = t->n_keys - from;
    int64_t width = left < BLOCK ? (left + KV_TILE - 1) / KV_TILE * KV_TILE : BLOCK;
    score_block(a, t, q, from, width, p);
    for (int64_t r = 0; r < t->m; r++) {
        float *row = p + r * BLOCK;
        float highest = fmaxf(part.max[r], a->kernels->maximum(row, width));
        if (highest > part.max[r]) {
            float shrink = expf(part.max[r] - highest); // 0 the first time
            a->kernels->scale(part.acc + r * d, part.acc + r * d, shrink, d);
            part.sum[r] *= shrink;
            part.max[r] = highest;
        }
        part.sum[r] += a->kernels->exp_sum(row, isinf(highest) ? 0 : highest, width);
    }
    a->kernels->values[t->cache->dtype](
        &(AttendJob){.m = t->m,
                     .d = d,
                     .tiles = kv_value_tile(t->cache, t->g, from / KV_TILE),
                     .n_tiles = width / KV_TILE,
                     .p = p,
                     .p_stride = BLOCK,
                     .out = part.acc,
                     .out_stride = d});
}

// The positions of one segment, from nothing.
static void attend_segment(const Attend *a, const Tile *t, const float *q, int64_t segment,
                           float *p, Partial part) {
    for (int64_t r = 0; r < t->m; r++) part.max[r] = -INFINITY;
    memset(part.sum, 0, sizeof(float) * (size_t)t->m);
    memset(part.acc, 0, sizeof(float) * (size_t)(t->m * a->spec->head_width));
    int64_t from = segment * SEGMENT, end = from + SEGMENT < t->n_keys ? from + SEGMENT : t->n_keys;
    for (; from < end; from += BLOCK)
        if (block_is_seen(a->spec, t, from, from + BLOCK)) attend_block(a, t, q, from, p, part);
}

// total += part, for m query vectors.
static void merge(const Kernels *kernels, Partial total, Partial part, int64_t m, int64_t d) {
    for (int64_t r = 0; r < m; r++) {
        if (isinf(part.max[r])) continue; // saw nothing
        float highest = fmaxf(total.max[r], part.max[r]);
        float keep = expf(total.max[r] - highest), add = expf(part.max[r] - highest);
        kernels->scale(total.acc + r * d, total.acc + r * d, keep, d);
        kernels->axpy(total.acc + r * d, add, part.acc + r * d, d);
        total.sum[r] = total.sum[r] * keep + part.sum[r] * add;
        total.max[r] = highest;
    }
}

static void write_out(const Attend *a, const Tile *t, Partial total) {
    int64_t d = a->spec->head_width, heads = a->spec->heads;
    for (int64_t r = 0; r < t->m; r++) {
        int64_t row = t->row + r / a->group, head = t->g * a->group + r % a->group;
        float sum = total.sum[r];
        a->kernels->scale(a->out + (row * heads + head) * d, total.acc + r * d,
                          sum > 0 ? 1 / sum : 0, d);
        if (a->lse) a->lse[row * heads + head] = total.max[r] + logf(sum);
    }
}

// The tile's queries side by side, scaled.
static void gather_queries(const Attend *a, const Tile *t, float *q) {
    int64_t d = a->spec->head_width, heads = a->spec->heads;
    for (int64_t r = 0; r < t->m; r++) {
        int64_t row = t->row + r / a->group, head = t->g * a->group + r % a->group;
        a->kernels->scale(q + r * d, a->q + (row * heads + head) * d, a->spec->scale, d);
    }
}

// A worker's scratch: queries, block scores, two partial results.
typedef struct Scratch {
    float *q, *p;
    Partial part, total;
} Scratch;

static int64_t scratch_floats(int64_t m, int64_t d) {
    return m * (d + BLOCK) + 2 * partial_floats(m, d);
}

static Scratch scratch_of(const Attend *a, int worker, int64_t m) {
    int64_t d = a->spec->head_width;
    float *memory = a->scratch + worker * a->scratch_floats;
    float *parts = memory + m * (d + BLOCK);
    return (Scratch){.q = memory,
                     .p = memory + m * d,
                     .part = partial_in(parts, m),
                     .total = partial_in(parts + partial_floats(m, d), m)};
}

static Partial partial_of(const Attend *a, int64_t unit, int64_t segment) {
    int64_t m = (int64_t)a->tile_rows * a->group;
    int64_t floats = partial_floats(m, a->spec->head_width);
    return partial_in(a->partial + (unit * a->segments + segment) * floats, m);
}

// Segments 0 .. of a unit merged in order; `part` comes from the table or is computed here.
static void attend_unit(const Attend *a, int64_t unit, int worker) {
    Tile t = tile_at(a, unit);
    Scratch s = scratch_of(a, worker, t.m);
    for (int64_t r = 0; r < t.m; r++) s.total.max[r] = -INFINITY;
    memset(s.total.sum, 0, sizeof(float) * (size_t)t.m);
    memset(s.total.acc, 0, sizeof(float) * (size_t)(t.m * a->spec->head_width));
    if (!a->partial) gather_queries(a, &t, s.q);
    for (int64_t segment = 0; segment * SEGMENT < t.n_keys; segment++) {
        if (!block_is_seen(a->spec, &t, segment * SEGMENT, (segment + 1) * SEGMENT)) continue;
        Partial part = a->partial ? partial_of(a, unit, segment) : s.part;
        if (!a->partial) attend_segment(a, &t, s.q, segment, s.p, part);
        merge(a->kernels, s.total, part, t.m, a->spec->head_width);
    }
    write_out(a, &t, s.total);
}

static void attend_task(void *arg, int64_t begin, int64_t end, int worker) {
    for (int64_t unit = begin; unit < end; unit++) attend_unit(arg, unit, worker);
}

// Item = unit * segments + segment: partial results of long caches, when units alone are too few.
static void segment_task(void *arg, int64_t begin, int64_t end, int worker) {
    const Attend *a = arg;
    for (int64_t item = begin; item < end; item++) {
        int64_t unit = item / a->segments, segment = item % a->segments;
        Tile t = tile_at(a, unit);
        if (!block_is_seen(a->spec, &t, segment * SEGMENT, (segment + 1) * SEGMENT)) continue;
        Scratch s = scratch_of(a, worker, t.m);
        gather_queries(a, &t, s.q);
        attend_segment(a, &t, s.q, segment, s.p, partial_of(a, unit, segment));
    }
}

static void attention_compute(Run *run, Attend *a) {
    const AttentionSpec *spec = a->spec;
    int threads = pool_threads(run->pool);
    int64_t units = 0, longest = 0, d = spec->head_width, m = (int64_t)a->tile_rows * a->group;
    for (int s = 0; s < spec->n_spans; s++) {
        int64_t n = spec->span[s].position + spec->span[s].n;
        units += tiles_of(a, &spec->span[s]) * spec->kv_heads;
        longest = n > longest ? n : longest;
    }
    a->segments = (longest + SEGMENT - 1) / SEGMENT;
    a->scratch_floats = scratch_floats(m, d);
    a->scratch = run_bytes(run, sizeof(float) * (size_t)(threads * a->scratch_floats));
    bool by_segment = threads > 1 && units < 4 * threads && a->segments > 1;
    if (by_segment)
        a->partial =
            run_bytes(run, sizeof(float) * (size_t)(units * a->segments * partial_floats(m, d)));
    if (run->dry) return;
    if (by_segment) pool_run(run->pool, segment_task, a, units * a->segments, 1);
    pool_run(run->pool, attend_task, a, units, 1);
}

// ---------------------------------------------------------------- backward
typedef struct AttentionNode {
    Node node;
    Tensor *q, *k, *v, *y;
    AttentionSpec spec;
    float *lse; // (T, H)
} AttentionNode;

typedef struct BackWork {
    const Kernels *kernels;
    const AttentionNode *node;
    char *memory; // for products: (threads, memory_bytes)
    size_t memory_bytes;
} BackWork;

// Query rows and key rows of one head that meet in a square of the score matrix.
typedef struct Square {
    const AttentionNode *node;
    const Span *span;
    int64_t head, g;
    int64_t i, rows, j, cols; // positions in the span (which starts at 0)
    void *memory;             // for products
} Square;

// A product over a square: sides and result are rows of one head, H*D or G*D floats apart.
static void square_product(const BackWork *work, const Square *sq, Product p) {
    product_compute(work->kernels, NULL, &p, sq->memory);
}

// p = softmax weights and ds = gradient at the raw scores, both (rows, BLOCK); delta (rows) is
// dot(dy, y).  With s = cap tanh(u / cap), u = scale q.k:  du = p (dp - delta) (1 - (s / cap)^2).
static void square_scores(const BackWork *work, const Square *sq, const float *delta, float *p,
                          float *ds) {
    const AttentionNode *node = sq->node;
    const AttentionSpec *spec = &node->spec;
    int64_t d = spec->head_width, q_row = spec->heads * d, k_row = spec->kv_heads * d;
    int64_t i0 = sq->span->first + sq->i, j0 = sq->span->first + sq->j;
    Product qk = {.m = sq->rows,
                  .n = sq->cols,
                  .k = d,
                  .a = tensor_f32(node->q) + i0 * q_row + sq->head * d,
                  .a_row = q_row,
                  .a_column = 1,
                  .b = tensor_f32(node->k) + j0 * k_row + sq->g * d,
                  .b_row = k_row,
                  .b_column = 1,
                  .c = p,
                  .c_row = BLOCK};
    Product yv = qk;
    yv.a = node->y->grad + i0 * q_row + sq->head * d;
    yv.b = tensor_f32(node->v) + j0 * k_row + sq->g * d;
    yv.c = ds;
    square_product(work, sq, qk);
    square_product(work, sq, yv);
    for (int64_t r = 0; r < sq->rows; r++) {
        float lse = node->lse[(i0 + r) * spec->heads + sq->head];
        for (int64_t c = 0; c < sq->cols; c++) {
            float *at = &p[r * BLOCK + c], *ds_at = &ds[r * BLOCK + c], slope = 1;
            float s = *at * spec->scale;
            if (spec->softcap > 0) {
                float t = tanhf(s / spec->softcap);
                s = spec->softcap * t;
                slope = 1 - t * t;
            }
            s += attention_bias(spec, sq->head, sq->i + r, sq->j + c);
            *at = attention_sees(spec, sq->i + r, sq->j + c) ? expf(s - lse) : 0;
            *ds_at = *at * (*ds_at - delta[r]) * slope * spec->scale;
        }
    }
}

// dq += ds k,  dk += ds^T q,  dv += p^T dy.
static void square_gradients(const BackWork *work, const Square *sq, const float *p,
                             const float *ds) {
    const AttentionNode *node = sq->node;
    int64_t d = node->spec.head_width, q_row = node->spec.heads * d,
            k_row = node->spec.kv_heads * d;
    int64_t q_at = (sq->span->first + sq->i) * q_row + sq->head * d;
    int64_t k_at = (sq->span->first + sq->j) * k_row + sq->g * d;
    if (node->q->grad)
        square_product(work, sq,
                       (Product){.m = sq->rows,
                                 .n = d,
                                 .k = sq->cols,
                                 .a = ds,
                                 .a_row = BLOCK,
                                 .a_column = 1,
                                 .b = tensor_f32(node->k) + k_at,
                                 .b_row = 1,
                                 .b_column = k_row,
                                 .c = node->q->grad + q_at,
                                 .c_row = q_row,
                                 .adds = true});
    for (int side = 0; side < 2; side++) {
        Tensor *to = side ? node->v : node->k;
        if (!to->grad) continue;
        square_product(work, sq,
                       (Product){.m = sq->cols,
                                 .n = d,
                                 .k = sq->rows,
                                 .a = side ? p : ds,
                                 .a_row = 1,
                                 .a_column = BLOCK,
                                 .b = (side ? node->y->grad : tensor_f32(node->q)) + q_at,
                                 .b_row = 1,
                                 .b_column = q_row,
                                 .c = to->grad + k_at,
                                 .c_row = k_row,
                                 .adds = true});
    }
}

static void back_task(void *arg, int64_t begin, int64_t end, int worker) {
    const BackWork *work = arg;
    const AttentionNode *node = work->node;
    const AttentionSpec *spec = &node->spec;
    int64_t d = spec->head_width, group = spec->heads / spec->kv_heads;
    float p[BACK_ROWS * BLOCK], ds[BACK_ROWS * BLOCK], delta[BACK_ROWS];
    for (int64_t unit = begin; unit < end; unit++) {
        Square sq = {
            .node = node, .span = &spec->span[unit / spec->kv_heads], .g = unit % spec->kv_heads};
        sq.memory = work->memory + work->memory_bytes * (size_t)worker;
        for (sq.head = sq.g * group; sq.head < (sq.g + 1) * group; sq.head++)
            for (sq.i = 0; sq.i < sq.span->n; sq.i += BACK_ROWS) {
                sq.rows = sq.span->n - sq.i < BACK_ROWS ? sq.span->n - sq.i : BACK_ROWS;
                for (int64_t r = 0; r < sq.rows; r++) {
                    int64_t at = ((sq.span->first + sq.i + r) * spec->heads + sq.head) * d;
                    delta[r] = work->kernels->dot(node->y->grad + at, tensor_f32(node->y) + at, d);
                }
                int64_t last = spec->is_causal ? sq.i + sq.rows : sq.span->n;
                for (sq.j = 0; sq.j < last; sq.j += BLOCK) {
                    sq.cols = sq.span->n - sq.j < BLOCK ? sq.span->n - sq.j : BLOCK;
                    square_scores(work, &sq, delta, p, ds);
                    square_gradients(work, &sq, p, ds);
                }
            }
    }
}

static void attention_backward(Run *run, Node *base) {
    AttentionNode *node = (AttentionNode *)base;
    int threads = pool_threads(run->pool);
    BackWork work = {.kernels = run->kernels, .node = node};
    int64_t d = node->spec.head_width, widest = d > BLOCK ? d : BLOCK;
    Product largest = {.m = BLOCK, .n = widest, .k = widest, .a_column = BLOCK};
    work.memory_bytes = product_bytes(&largest, 1);
    work.memory = run_bytes(run, work.memory_bytes * (size_t)threads);
    if (run->dry) return;
    pool_run(run->pool, back_task, &work, (int64_t)node->spec.n_spans * node->spec.kv_heads, 1);
}

// ---------------------------------------------------------------- op
Tensor *op_attention(Run *run, Tensor *q, Tensor *k, Tensor *v, const AttentionSpec *spec) {
    require(spec->heads % spec->kv_heads == 0);
    require(tensor_cols(q) == (int64_t)spec->heads * spec->head_width);
    Tensor *y = run_new(run, q->rank, q->dim);
    int group = spec->heads / spec->kv_heads;
    Attend a = {.kernels = run->kernels,
                .spec = spec,
                .q = tensor_f32(q),
                .out = tensor_f32(y),
                .lse = run_save(run, sizeof(float) * (size_t)(tensor_rows(q) * spec->heads)),
                .group = group,
                .tile_rows = group < TILE_ROWS ? TILE_ROWS / group : 1};
    size_t mark = run_mark(run);
    attention_compute(run, &a);
    run_back(run, mark);
    AttentionNode *node = run_record(run, attention_backward, sizeof *node);
    if (node) {
        for (int s = 0; s < spec->n_spans; s++) require(spec->span[s].position == 0);
        node->q = q;
        node->k = k;
        node->v = v;
        node->y = y;
        node->spec = *spec;
        node->lse = a.lse;
    }
    return y;
}
