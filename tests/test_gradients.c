// test_gradients.c - every op against central differences.
//
// The table at the end lists every op of tensor/ops.h: checked, or why there is nothing to check.
// A lint step fails on an op that is missing from it.
//
// Each case builds a little graph out of parameters with random values; the loss is a random linear
// form of the result, so that every output counts.  Differences are taken in double from losses
// that are summed in double; relative error is measured over a whole parameter.
#include <stdlib.h>

#include "base/rng.h"
#include "tensor/ops.h"
#include "tests/test.h"

enum { PARAMETERS_MAX = 6, CHECKED_MAX = 150 };

typedef struct Case Case;
struct Case {
    Run *run;
    Tape tape;
    Rng rng;
    Arena arena;
    Tensor parameter[PARAMETERS_MAX];
    int n_parameters;
    Tensor *(*build)(Case *c);
    const float *form; // of the result
    int variant;
};

static Tensor *parameter(Case *c, int i, int64_t rows, int64_t cols) {
    Tensor *t = &c->parameter[i];
    if (t->data) return t;
    int64_t n = (rows ? rows : 1) * cols;
    *t = (Tensor){
        .dtype = DTYPE_F32, .rank = rows ? 2 : 1, .dim = {rows ? rows : cols, rows ? cols : 0}};
    float *data = arena_push_aligned(&c->arena, sizeof(float) * (size_t)n, 64);
    for (int64_t k = 0; k < n; k++) data[k] = (float)rng_normal(&c->rng);
    t->data = data;
    t->grad = arena_new(&c->arena, float, n);
    if (i >= c->n_parameters) c->n_parameters = i + 1;
    return t;
}

// The loss and, with a tape, the gradients.
static double loss_of(Case *c, bool with_gradients) {
    c->run->tape = with_gradients ? &c->tape : NULL;
    run_begin(c->run);
    Tensor *y = c->build(c);
    int64_t n = tensor_count(y);
    double loss = 0;
    for (int64_t i = 0; i < n; i++) loss += (double)(c->form[i % 257] * tensor_f32(y)[i]);
    if (!with_gradients) return loss;
    for (int64_t i = 0; i < n; i++) y->grad[i] = c->form[i % 257];
    run_walk_back(c->run);
    return loss;
}

// ||numeric - analytic|| / ||numeric|| over at most about CHECKED_MAX values of one parameter.
static double relative_error(Case *c, Tensor *t) {
    double difference = 0, size = 0;
    float *data = tensor_f32(t);
    int64_t stride = 1 + tensor_count(t) * ((test_thinning() + 3) / 4) / CHECKED_MAX;
    const float step = 0.01f;
    for (int64_t i = 0; i < tensor_count(t); i += stride) {
        float at = data[i], up, down;
        data[i] = up = at + step;
        double high = loss_of(c, false);
        data[i] = down = at - step;
        double low = loss_of(c, false);
        data[i] = at;
        double numeric = (high - low) / ((double)up - (double)down);
        difference += (numeric - (double)t->grad[i]) * (numeric - (double)t->grad[i]);
        size += numeric * numeric;
    }
    return size > 0 ? sqrt(difference / size) : sqrt(difference);
}

static void check_case(Tensor *(*build)(Case *c), int variants, const char *name) {
    for (int variant = 0; variant < variants; variant++) {
        Error err = {0};
        Run run;
        float form[257];
        Case c = {.run = &run,
                  .build = build,
                  .rng = rng_seed(test_seed() + 7),
                  .form = form,
                  .variant = variant};
        if (!CHECK(run_open(&run, NULL, &err) && arena_init(&c.arena, ARENA_DEFAULT, &err))) return;
        for (int i = 0; i < 257; i++) form[i] = (float)rng_normal(&c.rng);
        run.exact = true;
        run.tape = &c.tape;
        run_plan_begin(&run);
        Tensor *y = build(&c); // makes the parameters, and counts
        // A result that is one f32 leaves few digits to the difference.
        double tolerance = tensor_count(y) == 1 ? 5e-3 : 2e-3;
        for (Node *node = c.tape.last; node; node = node->previous) node->backward(&run, node);
        if (!CHECK(run_allocate(&run, &err))) return;
        loss_of(&c, true);
        for (int i = 0; i < c.n_parameters; i++) {
            double error = relative_error(&c, &c.parameter[i]);
            test_check(error < tolerance, __FILE__, __LINE__,
                       "%s variant %d, parameter %d: error %.2e", name, variant, i, error);
        }
        run_close(&run);
        arena_drop(&c.arena);
    }
}

// ---------------------------------------------------------------- cases
static Tensor *linear_case(Case *c) {
    return op_linear(c->run, parameter(c, 0, 5, 12), parameter(c, 1, 7, 12),
                     c->variant ? parameter(c, 2, 0, 7) : NULL);
}

static Tensor *linears_case(Case *c) {
    Tensor *y[3];
    op_linears(c->run, parameter(c, 0, 3, 8),
               (LinearPart[]){{parameter(c, 1, 4, 8), parameter(c, 2, 0, 4)},
                              {parameter(c, 3, 4, 8), NULL},
                              {parameter(c, 4, 4, 8), parameter(c, 5, 0, 4)}},
               3, y);
    return op_add(c->run, op_gated(c->run, y[0], y[1], ACT_SILU), y[2]);
}

static Tensor *embed_case(Case *c) {
    static const int32_t ids[] = {3, 0, 3, 4};
    return op_embed(c->run, parameter(c, 0, 5, 6), ids, 4);
}

static Tensor *rows_case(Case *c) {
    static const int32_t rows[] = {2, 2, 0};
    return op_rows(c->run, parameter(c, 0, 4, 6), rows, 3);
}

static Tensor *rms_norm_case(Case *c) {
    return op_rms_norm(c->run, parameter(c, 0, 4, 12), parameter(c, 1, 0, c->variant ? 4 : 12),
                       1e-5f);
}

static Tensor *layer_norm_case(Case *c) {
    return op_layer_norm(c->run, parameter(c, 0, 4, 12), parameter(c, 1, 0, 12),
                         parameter(c, 2, 0, 12), 1e-5f);
}

static Tensor *activate_case(Case *c) {
    return op_activate(c->run, parameter(c, 0, 6, 9), (Activation)c->variant);
}

static Tensor *gated_case(Case *c) {
    return op_gated(c->run, parameter(c, 0, 4, 9), parameter(c, 1, 4, 9), (Activation)c->variant);
}

static Tensor *add_case(Case *c) {
    return op_add(c->run, parameter(c, 0, 3, 5), parameter(c, 1, 3, 5));
}

static Tensor *scale_case(Case *c) {
    return op_scale(c->run, parameter(c, 0, 3, 5), -1.7f);
}

static Tensor *softcap_case(Case *c) {
    return op_softcap(c->run, parameter(c, 0, 4, 5), 1.5f);
}

static Tensor *gate_heads_case(Case *c) {
    static const float gate[] = {0, 1, -0.5f};
    return op_gate_heads(c->run, parameter(c, 0, 4, 12), gate, 3);
}

static Tensor *dropout_case(Case *c) {
    c->run->dropout = 0.4f;
    c->run->dropout_key = 7;
    return op_dropout(c->run, op_dropout(c->run, parameter(c, 0, 5, 7)));
}

// Leaves out and keeps in the same places on the way back.
static Tensor *recomputed_part(const void *arg, int i, Tensor *x) {
    Case *c = (Case *)(uintptr_t)arg;
    Tensor *y = op_linear(c->run, op_dropout(c->run, x), parameter(c, 1 + i, 6, 6), NULL);
    return op_add(c->run, x, op_dropout(c->run, op_activate(c->run, y, ACT_SILU)));
}

static Tensor *recompute_case(Case *c) {
    c->run->recompute = c->variant != 0;
    c->run->dropout = 0.3f;
    Tensor *x = parameter(c, 0, 4, 6);
    for (int i = 0; i < 2; i++) x = op_recompute(c->run, recomputed_part, c, i, x);
    return x;
}

static Tensor *rotary_case(Case *c) {
    static const float frequency[] = {1, 0.3f, 0.05f};
    static const int64_t positions[] = {0, 1, 5, 17};
    Rotary *rotary = run_describe(c->run, sizeof *rotary);
    *rotary = (Rotary){c->variant ? PAIR_HALVES : PAIR_NEIGHBOURS, 3, frequency, 1.1f};
    Tensor *angles = op_rotary_angles(c->run, rotary, positions, 4);
    return op_rotary(c->run, parameter(c, 0, 4, 16), rotary, angles, 8);
}

// Two sequences of 5 and 70 tokens, 4 query heads on 2 key/value heads; the second is longer than a
// block.  Variants: causal, full, window, window with kept positions, soft cap, linear bias.
static AttentionSpec *attention_spec(Case *c) {
    static const Span span[] = {{0, 5, 0}, {5, 70, 0}};
    AttentionSpec *spec = run_describe(c->run, sizeof *spec);
    *spec = (AttentionSpec){
        .heads = 4, .kv_heads = 2, .head_width = 4, .scale = 0.5f, .is_causal = true};
    spec->span = span;
    spec->n_spans = 2;
    spec->cache = run_describe(c->run, 2 * sizeof *spec->cache);
    spec->cache[0] = spec->cache[1] = NULL;
    if (c->variant == 1) spec->is_causal = false;
    if (c->variant >= 2 && c->variant <= 4) spec->window = 3;
    if (c->variant == 3) spec->kept = 2;
    if (c->variant == 4) spec->softcap = 1.3f;
    static const float slope[] = {0.5f, 0.25f, 0.125f, 1};
    if (c->variant == 5) spec->slope = slope;
    return spec;
}

static Tensor *attention_case(Case *c) {
    AttentionSpec *spec = attention_spec(c);
    Tensor *q = parameter(c, 0, 75, 16), *k = parameter(c, 1, 75, 8), *v = parameter(c, 2, 75, 8);
    op_kv_store(c->run, k, v, spec);
    return op_attention(c->run, q, k, v, spec);
}

static Tensor *attention_pattern_case(Case *c) {
    AttentionSpec *spec = attention_spec(c);
    Tensor *q = parameter(c, 0, 75, 16), *k = parameter(c, 1, 75, 8), *v = parameter(c, 2, 75, 8);
    op_kv_store(c->run, k, v, spec);
    return op_attention_mix(c->run, op_attention_pattern(c->run, q, k, spec), v, spec);
}

// Sequences of 7, 1 and 4 rows, for ops that walk from row to row.  In the odd variants the first
// and the last begin with something carried in, of `n` numbers.
static const Recurrence *recurrence(Case *c, int64_t n) {
    static const Span span[] = {{0, 7, 0}, {7, 1, 0}, {8, 4, 0}};
    Recurrence *r = run_describe(c->run, sizeof *r);
    float **carry = run_describe(c->run, 3 * sizeof *carry);
    *r = (Recurrence){span, 3, c->variant % 2 ? carry : NULL};
    Rng rng = rng_seed(5);
    for (int s = 0; s < 3; s++) {
        carry[s] = s == 1 ? NULL : run_describe(c->run, sizeof(float) * (size_t)n);
        for (int64_t i = 0; i < n && s != 1; i++) carry[s][i] = (float)rng_normal(&rng);
    }
    return r;
}

static Tensor *elman_case(Case *c) {
    return op_elman(c->run, parameter(c, 0, 12, 5), parameter(c, 1, 5, 5), recurrence(c, 5));
}

static Tensor *lstm_case(Case *c) {
    return op_lstm(c->run, parameter(c, 0, 12, 20), parameter(c, 1, 20, 5), recurrence(c, 10));
}

static Tensor *causal_conv_case(Case *c) {
    return op_causal_conv(c->run, parameter(c, 0, 12, 6), parameter(c, 1, 6, 4),
                          c->variant < 2 ? parameter(c, 2, 0, 6) : NULL, recurrence(c, 18));
}

// 20 channels are more than a block.
static Tensor *selective_scan_case(Case *c) {
    Scan *scan = run_describe(c->run, sizeof *scan);
    *scan = (Scan){parameter(c, 0, 12, 20), parameter(c, 1, 12, 20), parameter(c, 2, 12, 3),
                   parameter(c, 3, 12, 3),  parameter(c, 4, 20, 3),  parameter(c, 5, 0, 20)};
    return op_selective_scan(c->run, scan, recurrence(c, 60));
}

// A row without weight, with and without a soft cap.  (Large vocabularies: test_loss.c.)
static Tensor *cross_entropy_case(Case *c) {
    static const int32_t target[] = {1, 19, 3, 10};
    static const float weight[] = {1, 0.5f, 0, 2};
    LossSpec spec = {
        .target = target, .weight = c->variant ? weight : NULL, .cap = c->variant ? 2 : 0};
    if (c->variant == 2) spec.bias = parameter(c, 2, 0, 20);
    return op_cross_entropy(c->run, parameter(c, 0, 4, 3), parameter(c, 1, 20, 3), spec);
}

// Logits so far apart that no difference changes a choice: each row a permutation of 0 .. 4, times
// 0.3.
static const Routing *routing(Case *c) {
    bool is_new = !c->parameter[0].data;
    Tensor *logits = parameter(c, 0, 6, 5);
    for (int i = 0; i < 30 && is_new; i++)
        tensor_f32(logits)[i] = 0.3f * (float)((i + i / 5 * 2) * 7 % 5) + 0.05f * (float)(i % 3);
    return op_route(c->run, logits, c->variant < 2 ? 2 : 5, c->variant % 2);
}

static Tensor *route_case(Case *c) {
    return routing(c)->weight;
}

static Tensor *combine_case(Case *c) {
    const Routing *r = routing(c);
    Tensor **out = run_describe(c->run, 5 * sizeof *out), *x = parameter(c, 1, 6, 4);
    if (c->run->dry) run_bytes(c->run, 4096); // more experts may have rows than the plan has
    for (int e = 0; e < 5; e++) {
        int64_t n = r->first[e + 1] - r->first[e];
        out[e] = n ? op_rows(c->run, x, r->row + r->first[e], n) : NULL;
        if (n) out[e] = op_activate(c->run, op_scale(c->run, out[e], (float)(e + 1)), ACT_SILU);
    }
    return op_combine(c->run, r, out);
}

static Tensor *gate_rows_case(Case *c) {
    return op_gate_rows(c->run, parameter(c, 0, 5, 4), parameter(c, 1, 5, 1));
}

// ---------------------------------------------------------------- the table
#define OP_CHECKED(op, build, variants)   \
    TEST(gradients, op) {                 \
        check_case(build, variants, #op); \
    }
#define OP_NOT_DIFFERENTIABLE(op, reason)

OP_CHECKED(op_linear, linear_case, 2)
OP_CHECKED(op_linears, linears_case, 1)
OP_CHECKED(op_embed, embed_case, 1)
OP_CHECKED(op_rows, rows_case, 1)
OP_CHECKED(op_rms_norm, rms_norm_case, 2)
OP_CHECKED(op_layer_norm, layer_norm_case, 1)
OP_CHECKED(op_activate, activate_case, 3)
OP_CHECKED(op_gated, gated_case, 3)
OP_CHECKED(op_add, add_case, 1)
OP_CHECKED(op_scale, scale_case, 1)
OP_CHECKED(op_softcap, softcap_case, 1)
OP_CHECKED(op_gate_heads, gate_heads_case, 1)
OP_CHECKED(op_dropout, dropout_case, 1)
OP_CHECKED(op_recompute, recompute_case, 2)
OP_CHECKED(op_rotary, rotary_case, 2)
OP_CHECKED(op_attention, attention_case, 6)
OP_CHECKED(op_attention_pattern, attention_pattern_case, 6)
OP_CHECKED(op_attention_mix, attention_pattern_case, 1)
OP_CHECKED(op_elman, elman_case, 2)
OP_CHECKED(op_lstm, lstm_case, 2)
OP_CHECKED(op_causal_conv, causal_conv_case, 3)
OP_CHECKED(op_selective_scan, selective_scan_case, 2)
OP_CHECKED(op_cross_entropy, cross_entropy_case, 3)
OP_CHECKED(op_route, route_case, 4)
OP_CHECKED(op_combine, combine_case, 4)
OP_CHECKED(op_gate_rows, gate_rows_case, 1)
OP_NOT_DIFFERENTIABLE(op_rotary_angles, "its input is the positions, which are given")
OP_NOT_DIFFERENTIABLE(op_sine_positions, "its input is the positions, which are given")
OP_NOT_DIFFERENTIABLE(op_kv_store, "it copies; attention's gradients go to k and v directly")
