// op_pattern.c - attention in two visible steps: the pattern of weights, then the mixing of values.
//
// Used when a probe asks for the pattern (or puts another in its place); op_attention computes the
// same without ever holding it.  Both steps read the caches that op_kv_store filled, so the pattern
// of a word-by-word run shows the remembered positions too.
#include <math.h>
#include <string.h>

#include "tensor/ops.h"

typedef struct PatternNode {
    Node node;
    Tensor *q, *k, *v, *pattern, *y;
    AttentionSpec spec;
} PatternNode;

typedef struct PatternWork {
    const Kernels *kernels;
    const AttentionSpec *spec;
    const Tensor *q, *pattern;
    Tensor *y;
} PatternWork;

// A row of the batch: its span, its position, and how many positions are stored for it.
typedef struct Place {
    int span;
    int64_t i, n_keys;
} Place;

static Place place_of(const AttentionSpec *spec, int64_t row) {
    for (int s = 0; s < spec->n_spans; s++) {
        const Span *span = &spec->span[s];
        if (row < span->first || row >= span->first + span->n) continue;
        return (Place){s, span->position + row - span->first, span->position + span->n};
    }
    return (Place){0, 0, 0}; // a row of no span sees nothing
}

static float *pattern_row(const Tensor *pattern, int64_t head, int64_t row) {
    return tensor_f32(pattern) + (head * pattern->dim[1] + row) * pattern->dim[2];
}

// ---------------------------------------------------------------- pattern
// Softmax of one query's scores, in place; masked and missing positions become 0.
static void soften(const PatternWork *work, int64_t head, float *p, Place place, int64_t width) {
    const AttentionSpec *spec = work->spec;
    for (int64_t j = 0; j < width; j++) {
        if (j >= place.n_keys || !attention_sees(spec, place.i, j)) {
            p[j] = -INFINITY;
            continue;
        }
        if (spec->softcap > 0) p[j] = spec->softcap * tanhf(p[j] / spec->softcap);
        p[j] += attention_bias(spec, head, place.i, j);
    }
    float highest = work->kernels->maximum(p, width);
    if (isinf(highest)) highest = 0;
    float sum = work->kernels->exp_sum(p, highest, width);
    work->kernels->scale(p, p, sum > 0 ? 1 / sum : 0, width);
}

// The scores kernel writes whole tiles, a pattern row may end inside one: tile by tile.
static void pattern_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const PatternWork *work = arg;
    const AttentionSpec *spec = work->spec;
    int64_t d = spec->head_width, rows = tensor_rows(work->q), width = work->pattern->dim[2];
    float q[KV_WIDTH_MAX], tile[KV_TILE];
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t head = unit / rows, row = unit % rows;
        Place place = place_of(spec, row);
        const KvCache *cache = spec->cache[place.span];
        float *p = pattern_row(work->pattern, head, row);
        const float *q_row = tensor_f32(work->q) + (row * spec->heads + head) * d;
        work->kernels->scale(q, q_row, spec->scale, d);
        for (int64_t j = 0; j < place.n_keys; j += KV_TILE) {
            int g = (int)(head / (spec->heads / spec->kv_heads));
            work->kernels->scores[cache->dtype](
                &(AttendJob){.m = 1,
                             .d = d,
                             .q = q,
                             .q_stride = d,
                             .tiles = kv_key_tile(cache, g, j / KV_TILE),
                             .n_tiles = 1,
                             .p = tile,
                             .p_stride = KV_TILE});
            int64_t n = place.n_keys - j < KV_TILE ? place.n_keys - j : KV_TILE;
            memcpy(p + j, tile, sizeof(float) * (size_t)n);
        }
        soften(work, head, p, place, width);
    }
}

// dp -> ds = p (dp - sum p dp) scale, with the slope of the soft cap; then dq += ds k, dk += ds q.
static void pattern_backward_row(const Kernels *kernels, const PatternNode *node, int64_t head,
                                 int64_t row) {
    const AttentionSpec *spec = &node->spec;
    int64_t d = spec->head_width, g = head / (spec->heads / spec->kv_heads);
    Place place = place_of(spec, row);
    const Span *span = &spec->span[place.span];
    const float *p = pattern_row(node->pattern, head, row);
    const float *dp = node->pattern->grad + (p - tensor_f32(node->pattern));
    float mean = kernels->dot(p, dp, node->pattern->dim[2]);
    int64_t q_at = (row * spec->heads + head) * d;
    for (int64_t j = 0; j < place.n_keys; j++) {
        if (p[j] == 0) continue;
        int64_t k_at = ((span->first + j) * spec->kv_heads + g) * d;
        const float *q = tensor_f32(node->q) + q_at, *k = tensor_f32(node->k) + k_at;
        float ds = p[j] * (dp[j] - mean) * spec->scale;
        if (spec->softcap > 0) {
            float t = tanhf(spec->scale * kernels->dot(q, k, d) / spec->softcap);
            ds *= 1 - t * t;
        }
        if (node->q->grad) kernels->axpy(node->q->grad + q_at, ds, k, d);
        if (node->k->grad) kernels->axpy(node->k->grad + k_at, ds, q, d);
    }
}

static void pattern_backward(Run *run, Node *base) {
    PatternNode *node = (PatternNode *)base;
    if (run->dry) return;
    for (int64_t head = 0; head < node->spec.heads; head++)
        for (int64_t row = 0; row < tensor_rows(node->q); row++)
            pattern_backward_row(run->kernels, node, head, row);
}

// A tape can only go back to keys of this batch.
static void require_whole(const AttentionSpec *spec) {
    for (int s = 0; s < spec->n_spans; s++) require(spec->span[s].position == 0);
}

Tensor *op_attention_pattern(Run *run, Tensor *q, Tensor *k, const AttentionSpec *spec) {
    require(tensor_cols(q) == (int64_t)spec->heads * spec->head_width);
    int64_t rows = tensor_rows(q), width = 0;
    for (int s = 0; s < spec->n_spans; s++) {
        int64_t n = spec->span[s].position + spec->span[s].n;
        width = n > width ? n : width;
    }
    Tensor *pattern = run_new(run, 3, (int64_t[]){spec->heads, rows, width});
    if (!run->dry) {
        PatternWork work = {.kernels = run->kernels, .spec = spec, .q = q, .pattern = pattern};
        pool_run(run->pool, pattern_task, &work, spec->heads * rows, 1 + 4096 / width);
    }
    PatternNode *node = run_record(run, pattern_backward, sizeof *node);
    if (node) {
        require_whole(spec);
        node->q = q;
        node->k = k;
        node->pattern = pattern;
        node->spec = *spec;
    }
    return pattern;
}

// ---------------------------------------------------------------- mix
static void mix_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const PatternWork *work = arg;
    const AttentionSpec *spec = work->spec;
    int64_t d = spec->head_width, rows = work->pattern->dim[1];
    float tile[KV_TILE];
    for (int64_t unit = begin; unit < end; unit++) {
        int64_t head = unit / rows, row = unit % rows;
        Place place = place_of(spec, row);
        const KvCache *cache = spec->cache[place.span];
        const float *p = pattern_row(work->pattern, head, row);
        float *out = tensor_f32(work->y) + (row * spec->heads + head) * d;
        memset(out, 0, sizeof(float) * (size_t)d);
        for (int64_t j = 0; j < place.n_keys; j += KV_TILE) {
            int64_t n = place.n_keys - j < KV_TILE ? place.n_keys - j : KV_TILE;
            int g = (int)(head / (spec->heads / spec->kv_heads));
            memset(tile, 0, sizeof tile);
            memcpy(tile, p + j, sizeof(float) * (size_t)n);
            work->kernels->values[cache->dtype](
                &(AttendJob){.m = 1,
                             .d = d,
                             .tiles = kv_value_tile(cache, g, j / KV_TILE),
                             .n_tiles = 1,
                             .p = tile,
                             .p_stride = KV_TILE,
                             .out = out,
                             .out_stride = d});
        }
    }
}

static void mix_backward(Run *run, Node *base) {
    PatternNode *node = (PatternNode *)base;
    const AttentionSpec *spec = &node->spec;
    int64_t d = spec->head_width, group = spec->heads / spec->kv_heads;
    if (run->dry) return;
    for (int64_t unit = 0; unit < spec->heads * node->pattern->dim[1]; unit++) {
        int64_t head = unit / node->pattern->dim[1], row = unit % node->pattern->dim[1];
        Place place = place_of(spec, row);
        const float *p = pattern_row(node->pattern, head, row);
        float *dp = node->pattern->grad + (p - tensor_f32(node->pattern));
        const float *dy = node->y->grad + (row * spec->heads + head) * d;
        for (int64_t j = 0; j < place.n_keys; j++) {
            int64_t at = ((spec->span[place.span].first + j) * spec->kv_heads + head / group) * d;
            dp[j] += run->kernels->dot(dy, tensor_f32(node->v) + at, d);
            if (node->v->grad && p[j] != 0) run->kernels->axpy(node->v->grad + at, p[j], dy, d);
        }
    }
}

Tensor *op_attention_mix(Run *run, Tensor *pattern, Tensor *v, const AttentionSpec *spec) {
    int64_t rows = pattern->dim[1];
    require(pattern->rank == 3 && pattern->dim[0] == spec->heads);
    Tensor *y = run_new2(run, rows, (int64_t)spec->heads * spec->head_width);
    if (!run->dry) {
        PatternWork work = {.kernels = run->kernels, .spec = spec, .pattern = pattern, .y = y};
        pool_run(run->pool, mix_task, &work, spec->heads * rows, 1 + 4096 / pattern->dim[2]);
    }
    PatternNode *node = run_record(run, mix_backward, sizeof *node);
    if (node) {
        require_whole(spec);
        node->v = v;
        node->pattern = pattern;
        node->y = y;
        node->spec = *spec;
    }
    return y;
}
