// channel.c - the feed-forward layer: every position is digested alone.
//
//   dense:  down(act(up(x)))          gated:  down(act(gate(x)) * up(x))
//
// A mixture has many gated ones, of which a router picks a few for each position; beside them may
// stand one that digests all positions, through a gate of its own (Qwen2-MoE).
#include "model/block.h"

static Tensor *one_layer(const Stream *s, int l, Tensor *x) {
    Run *run = s->run;
    const Channel *w = &s->model->layer[l].channel;
    Activation act = s->model->config.activation;
    Tensor *h[2];
    if (w->gate.data) {
        op_linears(run, x, (LinearPart[]){{&w->gate, NULL}, {&w->up, &w->up_bias}}, 2, h);
        h[0] = op_gated(run, probe_at(run, SITE_MLP_PRE, l, h[0]), h[1], act);
    } else {
        op_linears(run, x, &(LinearPart){&w->up, &w->up_bias}, 1, h);
        h[0] = op_activate(run, probe_at(run, SITE_MLP_PRE, l, h[0]), act);
    }
    h[0] = probe_at(run, SITE_MLP_ACT, l, h[0]);
    return op_linear(run, h[0], &w->down, &w->down_bias);
}

// Expert e on its n rows of x.
static Tensor *one_expert(const Stream *s, int l, int64_t e, Tensor *x, const int32_t *row,
                          int64_t n) {
    Run *run = s->run;
    const Experts *w = &s->model->layer[l].experts;
    const Config *c = &s->model->config;
    int64_t f = c->expert_width, width = c->width;
    Tensor gate = tensor_slice(&w->gate, e * f, f), up = tensor_slice(&w->up, e * f, f);
    Tensor down = tensor_slice(&w->down, e * width, width), *h[2];
    x = op_rows(run, x, row, n);
    op_linears(run, x, (LinearPart[]){{&gate, NULL}, {&up, NULL}}, 2, h);
    return op_linear(run, op_gated(run, h[0], h[1], c->activation), &down, NULL);
}

static Tensor *mixture(const Stream *s, int l, Tensor *x) {
    // Of results that one expert more or less makes; what aligning them may cost.
    enum { EXPERT_RESULTS = 16, RESULT_ALIGNMENT = 64 };
    Run *run = s->run;
    const Experts *w = &s->model->layer[l].experts;
    const Config *c = &s->model->config;
    Tensor *logits = probe_at(run, SITE_ROUTER, l, op_linear(run, x, &w->router, NULL));
    const Routing *r = op_route(run, logits, c->experts_used, c->norm_experts);
    Tensor **out = run_describe(run, sizeof *out * (size_t)c->experts);
    // The plan has all rows in few experts; there may be more of them, with as many rows in all.
    if (run->dry) run_bytes(run, (size_t)c->experts * EXPERT_RESULTS * RESULT_ALIGNMENT);
    for (int64_t e = 0; e < c->experts; e++) {
        int64_t n = r->first[e + 1] - r->first[e];
        out[e] = n ? one_expert(s, l, e, x, r->row + r->first[e], n) : NULL;
    }
    return op_combine(run, r, out);
}

Tensor *channel(const Stream *s, int l, Tensor *x) {
    const Experts *w = &s->model->layer[l].experts;
    if (!w->router.data) return one_layer(s, l, x);
    Tensor *y = mixture(s, l, x);
    if (!w->shared_router.data) return y;
    Tensor *gate = op_linear(s->run, x, &w->shared_gate, NULL);
    return op_add(s->run, y, op_gate_rows(s->run, one_layer(s, l, x), gate));
}
