// weights.c - the weight list: names, the parts that many lists share, and its simple visitors.
#include "model/weights.h"

#include <stdio.h>
#include <string.h>

const char *place_name(Place place) {
    static const char *const names[] = {
#define X(name, words) [PLACE_##name] = (words),
        PLACES(X)
#undef X
    };
    return names[place];
}

void weights_visit(WeightVisitor *v, int layer, const Weight *list) {
    for (const Weight *w = list; w->tensor; w++) v->visit(v->user, w, layer);
}

bool weight_fits_panels(const Weight *w) {
    int64_t rows = w->parts > 1 ? w->dim[0] / w->parts : PANEL_ROWS;
    return w->dim[1] && !w->by_rows && w->place != PLACE_NORM_POSITION && rows % PANEL_ROWS == 0;
}

int64_t rotary_row(int64_t row, int head_width, bool to_halves) {
    int64_t in_head = row % head_width, half = head_width / 2;
    int64_t from =
        to_halves ? 2 * (in_head % half) + in_head / half : in_head % 2 * half + in_head / 2;
    return row - in_head + from;
}

// The layer's number stands where the prefix has "%d".
const char *weight_name(const Arch *arch, const Weight *weight, int layer, bool is_hf,
                        char out[WEIGHT_NAME_MAX]) {
    const char *name = is_hf ? weight->hf : weight->gguf;
    const char *prefix = is_hf ? arch->hf_layer : "blk.%d.";
    const char *number = layer >= 0 ? strstr(prefix, "%d") : NULL;
    if (!name) return NULL;
    if (number)
        snprintf(out, WEIGHT_NAME_MAX, "%.*s%d%s%s", (int)(number - prefix), prefix, layer,
                 number + 2, name);
    else
        snprintf(out, WEIGHT_NAME_MAX, "%s", name);
    return out;
}

// The name of the whole has "%d" where the expert's number stands.
const char *weight_expert_name(const Arch *arch, const Weight *weight, int layer, int expert,
                               char out[WEIGHT_NAME_MAX]) {
    char whole[WEIGHT_NAME_MAX];
    const char *number = weight_name(arch, weight, layer, true, whole) ? strstr(whole, "%d") : NULL;
    require(number);
    snprintf(out, WEIGHT_NAME_MAX, "%.*s%d%s", (int)(number - whole), whole, expert, number + 2);
    return out;
}

// ---------------------------------------------------------------- Llama's names
// clang-format off
void weights_ends(WeightVisitor *v, Model *m, Form norm_form) {
    int64_t w = m->config.width, vocab = m->config.vocab, pairs = m->config.rotary.width / 2;
    weights_visit(v, -1, (Weight[]){
        {&m->embed, "token_embd.weight", "model.embed_tokens.weight", {vocab, w}, PLACE_EMBEDDING},
        {&m->rotary_divisors, "rope_freqs.weight", NULL, {pairs}, PLACE_NORM_POSITION, .is_optional = true},
        {&m->final_norm.weight, "output_norm.weight", "model.norm.weight", {w}, PLACE_NORM_POSITION, norm_form},
        {&m->head, "output.weight", "lm_head.weight", {vocab, w}, PLACE_EMBEDDING, .is_optional = true},
        {0}});
}

void weights_attention(WeightVisitor *v, Model *m, int l, Form query_key_form) {
    const Config *c = &m->config;
    int64_t w = c->width, q = (int64_t)c->heads * c->head_width, kv = (int64_t)c->kv_heads * c->head_width;
    Attention *a = &m->layer[l].attention;
    weights_visit(v, l, (Weight[]){
        {&a->q, "attn_q.weight", "self_attn.q_proj.weight", {q, w}, PLACE_ATTENTION, query_key_form},
        {&a->k, "attn_k.weight", "self_attn.k_proj.weight", {kv, w}, PLACE_ATTENTION, query_key_form},
        {&a->v, "attn_v.weight", "self_attn.v_proj.weight", {kv, w}, PLACE_ATTENTION},
        {&a->o, "attn_output.weight", "self_attn.o_proj.weight", {w, q}, PLACE_ATTENTION},
        {0}});
}

void weights_gated_channel(WeightVisitor *v, Model *m, int l) {
    int64_t w = m->config.width, f = m->config.ffn_width;
    Channel *c = &m->layer[l].channel;
    weights_visit(v, l, (Weight[]){
        {&c->gate, "ffn_gate.weight", "mlp.gate_proj.weight", {f, w}, PLACE_FEED_FORWARD},
        {&c->up, "ffn_up.weight", "mlp.up_proj.weight", {f, w}, PLACE_FEED_FORWARD},
        {&c->down, "ffn_down.weight", "mlp.down_proj.weight", {w, f}, PLACE_FEED_FORWARD},
        {0}});
}

// ---------------------------------------------------------------- mixtures of experts
void weights_experts(WeightVisitor *v, Model *m, int l, bool as_mixtral) {
    static const char *const mixtral[] = {"block_sparse_moe.gate.weight", "block_sparse_moe.experts.%d.w1.weight",
                                          "block_sparse_moe.experts.%d.w3.weight", "block_sparse_moe.experts.%d.w2.weight"};
    static const char *const qwen[] = {"mlp.gate.weight", "mlp.experts.%d.gate_proj.weight",
                                       "mlp.experts.%d.up_proj.weight", "mlp.experts.%d.down_proj.weight"};
    const char *const *hf = as_mixtral ? mixtral : qwen;
    const Config *c = &m->config;
    int64_t w = c->width, e = c->experts, f = e * c->expert_width;
    Experts *x = &m->layer[l].experts;
    weights_visit(v, l, (Weight[]){
        {&x->router, "ffn_gate_inp.weight", hf[0], {e, w}, PLACE_FEED_FORWARD, .is_fine = true},
        {&x->gate, "ffn_gate_exps.weight", hf[1], {f, w}, PLACE_FEED_FORWARD, FORM_EXPERTS, .parts = c->experts},
        {&x->up, "ffn_up_exps.weight", hf[2], {f, w}, PLACE_FEED_FORWARD, FORM_EXPERTS, .parts = c->experts},
        {&x->down, "ffn_down_exps.weight", hf[3], {e * w, c->expert_width}, PLACE_FEED_FORWARD, FORM_EXPERTS, .parts = c->experts},
        {0}});
}

void weights_shared_expert(WeightVisitor *v, Model *m, int l) {
    int64_t w = m->config.width, f = m->config.shared_width;
    Channel *c = &m->layer[l].channel;
    Experts *x = &m->layer[l].experts;
    weights_visit(v, l, (Weight[]){
        {&x->shared_router, "ffn_gate_inp_shexp.weight", "mlp.shared_expert_gate.weight", {w}, PLACE_FEED_FORWARD, FORM_ROW},
        {&c->gate, "ffn_gate_shexp.weight", "mlp.shared_expert.gate_proj.weight", {f, w}, PLACE_FEED_FORWARD},
        {&c->up, "ffn_up_shexp.weight", "mlp.shared_expert.up_proj.weight", {f, w}, PLACE_FEED_FORWARD},
        {&c->down, "ffn_down_shexp.weight", "mlp.shared_expert.down_proj.weight", {w, f}, PLACE_FEED_FORWARD},
        {0}});
    if (!x->shared_router.rank) return;
    x->shared_gate = x->shared_router;
    x->shared_gate.rank = 2;
    x->shared_gate.dim[0] = 1;
    x->shared_gate.dim[1] = w;
}

// ---------------------------------------------------------------- mixers without attention
void weights_recurrent(WeightVisitor *v, Model *m, int l) {
    const Config *c = &m->config;
    int64_t w = c->width, h = c->recurrent_width, sums = config_mixer(c, l) == MIXER_LSTM ? 4 * h : h;
    Recurrent *r = &m->layer[l].recurrent;
    weights_visit(v, l, (Weight[]){
        {&r->in, "rnn_in.weight", "mixer.weight_ih", {sums, w}, PLACE_RECURRENT},
        {&r->in_bias, "rnn_in.bias", "mixer.bias_ih", {sums}, PLACE_RECURRENT},
        {&r->hidden, "rnn_hidden.weight", "mixer.weight_hh", {sums, h}, PLACE_RECURRENT, .by_rows = true},
        {&r->out, "rnn_output.weight", "mixer.out_proj.weight", {w, h}, PLACE_RECURRENT},
        {0}});
}

// The parts of Mamba's fused matrices, as rows of the whole.
static void mamba_split(Mamba *b, const Config *c) {
    int64_t i = c->inner_width, n = c->state_width, rank = c->time_rank;
    b->in_x = tensor_slice(&b->in, 0, i);
    b->in_z = tensor_slice(&b->in, i, i);
    b->x_dt = tensor_slice(&b->x, 0, rank);
    b->x_b = tensor_slice(&b->x, rank, n);
    b->x_c = tensor_slice(&b->x, rank + n, n);
}

void weights_mamba(WeightVisitor *v, Model *m, int l) {
    const Config *c = &m->config;
    int64_t w = c->width, i = c->inner_width, n = c->state_width, rank = c->time_rank;
    Mamba *b = &m->layer[l].mamba;
    weights_visit(v, l, (Weight[]){
        {&b->in, "ssm_in.weight", "mixer.in_proj.weight", {2 * i, w}, PLACE_RECURRENT, .parts = 2},
        {&b->conv, "ssm_conv1d.weight", "mixer.conv1d.weight", {i, c->conv_width}, PLACE_RECURRENT, FORM_FILTERS, .by_rows = true},
        {&b->conv_bias, "ssm_conv1d.bias", "mixer.conv1d.bias", {i}, PLACE_RECURRENT},
        {&b->x, "ssm_x.weight", "mixer.x_proj.weight", {rank + 2 * n, i}, PLACE_RECURRENT, .by_rows = true},
        {&b->dt, "ssm_dt.weight", "mixer.dt_proj.weight", {i, rank}, PLACE_RECURRENT},
        {&b->dt_bias, "ssm_dt.bias", "mixer.dt_proj.bias", {i}, PLACE_RECURRENT},
        {&b->a_log, "ssm_a", "mixer.A_log", {i, n}, PLACE_RECURRENT, FORM_LOG, .by_rows = true},
        {&b->d, "ssm_d", "mixer.D", {i}, PLACE_RECURRENT},
        {&b->out, "ssm_out.weight", "mixer.out_proj.weight", {w, i}, PLACE_RECURRENT},
        {0}});
    if (b->in.rank && b->x.rank) mamba_split(b, c);
}
// clang-format on

// ---------------------------------------------------------------- every present weight
typedef struct Each {
    void (*fn)(void *user, const Weight *weight, int layer);
    void *user;
    const Model *model;
} Each;

// A tied head is the embedding under another name.
static void each_present(void *user, const Weight *weight, int layer) {
    const Each *each = user;
    bool is_twin = each->model->is_tied && weight->tensor == &each->model->head;
    if (weight->tensor->data && !is_twin) each->fn(each->user, weight, layer);
}

void weights_each(Model *model, void (*fn)(void *user, const Weight *weight, int layer),
                  void *user) {
    Each each = {fn, user, model};
    WeightVisitor v = {each_present, &each};
    model->arch->weights(&v, model);
}

// ---------------------------------------------------------------- counting
typedef struct Counter {
    WeightCount count;
    bool all;
    int layer;
} Counter;

static void count_weight(void *user, const Weight *weight, int layer) {
    Counter *counter = user;
    if (!counter->all && layer != counter->layer) return;
    int64_t n = tensor_count(weight->tensor);
    counter->count.place[weight->place] += n;
    counter->count.total += n;
    if (weight->tensor->in_panels) counter->count.in_panels += n;
    counter->count.bytes += (int64_t)tensor_bytes(weight->tensor);
}

// The list takes a model that could be changed; counting changes nothing.
static WeightCount count(const Model *model, Counter counter) {
    weights_each((Model *)(uintptr_t)model, count_weight, &counter);
    return counter.count;
}

WeightCount weights_count(const Model *model) {
    return count(model, (Counter){.all = true});
}

WeightCount weights_count_layer(const Model *model, int layer) {
    return count(model, (Counter){.layer = layer});
}

// ---------------------------------------------------------------- views
static void ignore(void *user, const Weight *weight, int layer) {
    (void)user, (void)weight, (void)layer;
}

// An architecture makes its views when its list is walked.
void weights_bind_views(Model *model) {
    model->arch->weights(&(WeightVisitor){ignore, NULL}, model);
}

// ---------------------------------------------------------------- gradients
typedef struct Giver {
    float *next;
    int64_t n;
    const Model *model;
} Giver;

static bool is_trained(const Giver *giver, const Weight *weight) {
    return weight->tensor->dtype == DTYPE_F32 && weight->tensor != &giver->model->rotary_divisors;
}

static void count_trained(void *user, const Weight *weight, int layer) {
    (void)layer;
    Giver *giver = user;
    if (is_trained(giver, weight)) giver->n += tensor_count(weight->tensor);
}

static void give(void *user, const Weight *weight, int layer) {
    (void)layer;
    Giver *giver = user;
    if (!is_trained(giver, weight)) return;
    weight->tensor->grad = giver->next;
    giver->next += tensor_count(weight->tensor);
}

float *weights_give_gradients(Model *model, int64_t *n) {
    Giver giver = {.model = model};
    weights_each(model, count_trained, &giver);
    float *block = arena_push_aligned(&model->arena, sizeof(float) * (size_t)giver.n, 64);
    memset(block, 0, sizeof(float) * (size_t)giver.n);
    giver.next = block;
    weights_each(model, give, &giver);
    if (model->is_tied) model->head = model->embed;
    weights_bind_views(model);
    *n = giver.n;
    return block;
}
