// op_route.c - a mixture of experts: which experts digest a token, and what becomes of their words.
//
// Only the chosen experts compute, each on the rows that came to it, by the ops that everything
// else uses.  A token's outputs are added in the order of its experts' numbers: how many tokens a
// batch has, and who else came to an expert, changes no bit.
#include <math.h>

#include "tensor/ops.h"

typedef struct RouteNode {
    Node node;
    Tensor *logits;
    const Routing *routing;
    float *p; // (T, E) all probabilities
    bool sums_to_one;
    float balance;
} RouteNode;

// ---------------------------------------------------------------- choosing
static void softmax_row(const float *logits, float *p, int64_t n) {
    float most = logits[0];
    double sum = 0;
    for (int64_t e = 1; e < n; e++) most = fmaxf(most, logits[e]);
    for (int64_t e = 0; e < n; e++) sum += (double)(p[e] = expf(logits[e] - most));
    for (int64_t e = 0; e < n; e++) p[e] = (float)((double)p[e] / sum);
}

static bool is_chosen(const int32_t *expert, int64_t n, int64_t e) {
    for (int64_t k = 0; k < n; k++)
        if (expert[k] == e) return true;
    return false;
}

// The k likeliest, the first of equals; in ascending order at the end.
static void choose(const float *p, int64_t n, int64_t n_used, int32_t *expert) {
    for (int64_t k = 0; k < n_used; k++) {
        int64_t best = -1;
        for (int64_t e = 0; e < n; e++)
            if (!is_chosen(expert, k, e) && (best < 0 || p[e] > p[best])) best = e;
        expert[k] = (int32_t)best;
    }
    for (int64_t k = 1; k < n_used; k++)
        for (int64_t i = k; i > 0 && expert[i] < expert[i - 1]; i--) {
            int32_t swapped = expert[i];
            expert[i] = expert[i - 1];
            expert[i - 1] = swapped;
        }
}

typedef struct ChooseWork {
    const float *logits;
    float *p;
    Routing *r;
    bool sums_to_one;
} ChooseWork;

static void choose_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const ChooseWork *work = arg;
    const Routing *r = work->r;
    for (int64_t t = begin; t < end; t++) {
        float *p = work->p + t * r->n_experts, *weight = tensor_f32(r->weight) + t * r->n_used;
        int32_t *expert = r->expert + t * r->n_used;
        double sum = 0;
        softmax_row(work->logits + t * r->n_experts, p, r->n_experts);
        choose(p, r->n_experts, r->n_used, expert);
        for (int64_t k = 0; k < r->n_used; k++) sum += (double)(weight[k] = p[expert[k]]);
        for (int64_t k = 0; k < r->n_used && work->sums_to_one; k++)
            weight[k] = (float)((double)weight[k] / sum);
    }
}

// While dry nobody knows who goes where: each token to the first experts, the most rows that one
// can get.
static void choose_first(Routing *r) {
    for (int64_t i = 0; i < r->n_rows * r->n_used; i++) r->expert[i] = (int32_t)(i % r->n_used);
}

// The rows in the order of their experts.
static void group(Routing *r) {
    int64_t n = r->n_rows * r->n_used;
    for (int64_t e = 0; e <= r->n_experts; e++) r->first[e] = 0;
    for (int64_t i = 0; i < n; i++) r->first[r->expert[i] + 1]++;
    for (int64_t e = 0; e < r->n_experts; e++) r->first[e + 1] += r->first[e];
    for (int64_t i = 0; i < n; i++) {
        int64_t at = r->first[r->expert[i]]++;
        r->row[at] = (int32_t)(i / r->n_used);
        r->place[i] = (int32_t)at;
    }
    for (int64_t e = r->n_experts; e > 0; e--) r->first[e] = r->first[e - 1];
    r->first[0] = 0;
    for (int64_t i = 0; i < n; i++) r->place[i] -= (int32_t)r->first[r->expert[i]];
}

// ---------------------------------------------------------------- backward
// What the balance adds to the gradient of a row's probabilities: the share of the tokens that each
// expert has got, times the factor.
static void balance_slopes(const RouteNode *node, float *slope) {
    const Routing *r = node->routing;
    double rows = (double)r->n_rows, factor = (double)node->balance * (double)r->n_experts;
    for (int64_t e = 0; e < r->n_experts; e++) {
        double share = (double)(r->first[e + 1] - r->first[e]) / rows;
        slope[e] = (float)(factor * share / rows);
    }
}

// One row: dp (E) is the gradient of its probabilities, which softmax hands to the logits.
static void row_backward(const RouteNode *node, int64_t t, const float *slope, float *dp) {
    const Routing *r = node->routing;
    int64_t n = r->n_experts, used = r->n_used;
    const float *p = node->p + t * n, *weight = tensor_f32(r->weight) + t * used;
    const float *dweight = r->weight->grad + t * used;
    const int32_t *expert = r->expert + t * used;
    float *dlogits = node->logits->grad + t * n;
    double mean = 0;
    for (int64_t e = 0; e < n; e++) dp[e] = slope[e];
    if (node->sums_to_one) { // softmax of the chosen logits alone
        for (int64_t k = 0; k < used; k++) mean += (double)(weight[k] * dweight[k]);
        for (int64_t k = 0; k < used; k++)
            dlogits[expert[k]] += weight[k] * (dweight[k] - (float)mean);
    } else {
        for (int64_t k = 0; k < used; k++) dp[expert[k]] += dweight[k];
    }
    mean = 0;
    for (int64_t e = 0; e < n; e++) mean += (double)(p[e] * dp[e]);
    for (int64_t e = 0; e < n; e++) dlogits[e] += p[e] * (dp[e] - (float)mean);
}

static void route_backward(Run *run, Node *base) {
    RouteNode *node = (RouteNode *)base;
    const Routing *r = node->routing;
    float *slope = run_bytes(run, sizeof *slope * (size_t)r->n_experts);
    float *dp = run_bytes(run, sizeof *dp * (size_t)r->n_experts);
    if (run->dry || !node->logits->grad) return;
    balance_slopes(node, slope);
    for (int64_t t = 0; t < r->n_rows; t++) row_backward(node, t, slope, dp);
}

// ---------------------------------------------------------------- route
const Routing *op_route(Run *run, Tensor *logits, int64_t n_used, bool sums_to_one) {
    int64_t rows = tensor_rows(logits), n = tensor_cols(logits);
    require(n_used >= 1 && n_used <= n);
    Routing *r = run_describe(run, sizeof *r);
    size_t slots = (size_t)(rows * n_used);
    *r = (Routing){.n_rows = rows, .n_experts = n, .n_used = n_used};
    r->weight = run_new2(run, rows, n_used);
    r->expert = run_describe(run, sizeof *r->expert * slots);
    r->place = run_describe(run, sizeof *r->place * slots);
    r->row = run_describe(run, sizeof *r->row * slots);
    r->first = run_describe(run, sizeof *r->first * (size_t)(n + 1));
    float *p = run_save(run, sizeof *p * (size_t)(rows * n));
    size_t mark = run_mark(run);
    if (!run->tape) p = run_bytes(run, sizeof *p * (size_t)(rows * n));
    ChooseWork work = {tensor_f32(logits), p, r, sums_to_one};
    if (run->dry)
        choose_first(r);
    else
        pool_run(run->pool, choose_task, &work, rows, 64);
    group(r);
    run_back(run, mark);
    RouteNode *node = run_record(run, route_backward, sizeof *node);
    if (node) {
        node->logits = logits;
        node->routing = r;
        node->p = p;
        node->sums_to_one = sums_to_one;
        node->balance = run->balance;
    }
    return r;
}

// ---------------------------------------------------------------- combine
typedef struct CombineNode {
    Node node;
    const Routing *routing;
    Tensor *const *out;
    Tensor *y;
    const Kernels *kernels;
} CombineNode;

// What expert k of token t said, or its gradient.
static float *words_of(const CombineNode *node, int64_t slot, bool is_grad) {
    const Routing *r = node->routing;
    const Tensor *out = node->out[r->expert[slot]];
    return (is_grad ? out->grad : tensor_f32(out)) + r->place[slot] * tensor_cols(node->y);
}

static void combine_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const CombineNode *node = arg;
    const Routing *r = node->routing;
    int64_t c = tensor_cols(node->y);
    for (int64_t t = begin; t < end; t++) {
        float *y = tensor_f32(node->y) + t * c;
        for (int64_t k = 0, slot = t * r->n_used; k < r->n_used; k++, slot++) {
            float weight = tensor_f32(r->weight)[slot];
            if (k == 0)
                node->kernels->scale(y, words_of(node, slot, false), weight, c);
            else
                node->kernels->axpy(y, weight, words_of(node, slot, false), c);
        }
    }
}

static void combine_back_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const CombineNode *node = arg;
    const Routing *r = node->routing;
    int64_t c = tensor_cols(node->y);
    for (int64_t t = begin; t < end; t++) {
        const float *dy = node->y->grad + t * c;
        for (int64_t k = 0, slot = t * r->n_used; k < r->n_used; k++, slot++) {
            const float *words = words_of(node, slot, false);
            double dot = 0;
            for (int64_t i = 0; i < c; i++) dot += (double)(dy[i] * words[i]);
            r->weight->grad[slot] += (float)dot;
            node->kernels->axpy(words_of(node, slot, true), tensor_f32(r->weight)[slot], dy, c);
        }
    }
}

static void combine_backward(Run *run, Node *base) {
    CombineNode *node = (CombineNode *)base;
    if (run->dry) return;
    pool_run(run->pool, combine_back_task, node, node->routing->n_rows, 16);
}

Tensor *op_combine(Run *run, const Routing *r, Tensor *const *out) {
    Tensor *any = NULL;
    for (int64_t e = 0; e < r->n_experts; e++) {
        int64_t n = r->first[e + 1] - r->first[e];
        require(n == 0 || (out[e] && tensor_rows(out[e]) == n));
        if (n) any = out[e];
    }
    CombineNode combine = {.routing = r, .out = out, .kernels = run->kernels};
    combine.y = run_new2(run, r->n_rows, tensor_cols(any));
    if (!run->dry) pool_run(run->pool, combine_task, &combine, r->n_rows, 16);
    CombineNode *node = run_record(run, combine_backward, sizeof *node);
    if (node) {
        combine.node = node->node;
        *node = combine;
    }
    return combine.y;
}

// ---------------------------------------------------------------- a gate for a row
typedef struct GateNode {
    Node node;
    Tensor *x, *gate, *y;
} GateNode;

static float gate_of(const Tensor *gate, int64_t row) {
    return 1 / (1 + expf(-tensor_f32(gate)[row]));
}

static void gate_rows_backward(Run *run, Node *base) {
    GateNode *node = (GateNode *)base;
    int64_t c = tensor_cols(node->y);
    for (int64_t t = 0; t < tensor_rows(node->y) && !run->dry; t++) {
        const float *x = tensor_f32(node->x) + t * c, *dy = node->y->grad + t * c;
        float g = gate_of(node->gate, t);
        double dot = 0;
        for (int64_t i = 0; i < c; i++) dot += (double)(dy[i] * x[i]);
        if (node->gate->grad) node->gate->grad[t] += (float)dot * g * (1 - g);
        if (node->x->grad) run->kernels->axpy(node->x->grad + t * c, g, dy, c);
    }
}

Tensor *op_gate_rows(Run *run, Tensor *x, Tensor *gate) {
    require(tensor_count(gate) == tensor_rows(x));
    int64_t c = tensor_cols(x);
    Tensor *y = run_new2(run, tensor_rows(x), c);
    for (int64_t t = 0; t < tensor_rows(x) && !run->dry; t++)
        run->kernels->scale(tensor_f32(y) + t * c, tensor_f32(x) + t * c, gate_of(gate, t), c);
    GateNode *node = run_record(run, gate_rows_backward, sizeof *node);
    if (node) {
        node->x = x;
        node->gate = gate;
        node->y = y;
    }
    return y;
}
