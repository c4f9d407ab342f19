// mixer_attention.c - attention as a part of a block: who looks at whom, and what is carried over.
//
//   x -> q, k, v -> (head norms) -> (rotary) -> remember k, v -> attend -> o
//
// Grouped heads (H query heads share G key/value heads), windows, head norms (Qwen3, Gemma 3) and
// biases (GPT-2, Qwen2) are differences of the weights and the config, not of the code.
#include "model/block.h"
#include "model/state.h"

// The caches of layer l for each span of the batch; NULL entries are made by op_kv_store.
static KvCache **caches(const Stream *s, int l) {
    const Batch *batch = s->batch;
    KvCache **cache = run_describe(s->run, sizeof *cache * (size_t)batch->n_spans);
    for (int i = 0; i < batch->n_spans; i++) {
        State *state = batch->state ? batch->state[i] : NULL;
        cache[i] = state ? &state->layer[l].cache : NULL;
    }
    return cache;
}

static AttentionSpec attention_spec(const Stream *s, int l) {
    const Config *c = &s->model->config;
    const Switches *switches = &s->run->switches;
    AttentionSpec spec = {.heads = c->heads,
                          .kv_heads = c->kv_heads,
                          .head_width = c->head_width,
                          .scale = switches->no_scale ? 1 : c->attention_scale,
                          .softcap = c->attention_softcap,
                          .is_causal = !c->is_encoder && !switches->no_causal_mask,
                          .window = config_is_local(c, l) ? c->window : 0,
                          .kept = config_is_local(c, l) ? c->kept : 0,
                          .slope = switches->positions == POSITIONS_ON ? s->model->alibi : NULL,
                          .span = s->batch->span,
                          .n_spans = s->batch->n_spans,
                          .cache = caches(s, l)};
    if (switches->window > 0) {
        spec.window = switches->window;
        spec.kept = switches->kept;
    }
    return spec;
}

// Head norm, then the turn by position.
static Tensor *place(const Stream *s, int l, Tensor *x, const Tensor *norm, Site site) {
    Run *run = s->run;
    const Config *c = &s->model->config;
    if (norm->data && !run->switches.no_norm) x = op_rms_norm(run, x, norm, c->norm_eps);
    if (s->angles) {
        bool is_local = config_is_local(c, l);
        const Rotary *rotary = is_local ? &s->model->rotary_local : &s->model->rotary;
        x = op_rotary(run, x, rotary, is_local ? s->angles_local : s->angles, c->head_width);
    }
    return probe_at(run, site, l, x);
}

static Tensor *attend(const Stream *s, int l, Tensor *q, Tensor *k, Tensor *v) {
    Run *run = s->run;
    AttentionSpec *spec = run_describe(run, sizeof *spec);
    *spec = attention_spec(s, l);
    op_kv_store(run, k, v, spec);
    if (!probe_wants(run, SITE_PATTERN, l)) return op_attention(run, q, k, v, spec);
    Tensor *pattern = op_attention_pattern(run, q, k, spec);
    return op_attention_mix(run, probe_at(run, SITE_PATTERN, l, pattern), v, spec);
}

Tensor *mixer_attention(const Stream *s, int l, Tensor *x) {
    Run *run = s->run;
    const Attention *a = &s->model->layer[l].attention;
    const float *gate = run->switches.head_gate;
    int heads = s->model->config.heads;
    Tensor *qkv[3];
    op_linears(run, x,
               (LinearPart[]){{&a->q, &a->q_bias}, {&a->k, &a->k_bias}, {&a->v, &a->v_bias}}, 3,
               qkv);
    Tensor *q = probe_at(run, SITE_Q, l, qkv[0]);
    Tensor *k = probe_at(run, SITE_K, l, qkv[1]);
    Tensor *v = probe_at(run, SITE_V, l, qkv[2]);
    q = place(s, l, q, &a->q_norm, SITE_Q_ROT);
    k = place(s, l, k, &a->k_norm, SITE_K_ROT);
    Tensor *z = attend(s, l, q, k, v);
    if (gate) z = op_gate_heads(run, z, gate + (int64_t)l * heads, heads);
    z = probe_at(run, SITE_Z, l, z);
    return op_linear(run, z, &a->o, &a->o_bias);
}
