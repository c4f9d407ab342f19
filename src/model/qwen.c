// qwen.c - Qwen2, Qwen2.5 (arXiv 2407.10671) and Qwen3 (arXiv 2505.09388).
//
// Llama's block, pairs of a head as halves everywhere.  Qwen2 has biases on q, k and v; Qwen3 has
// none, but norms q and k of each head before the turn.
#include "model/block.h"
#include "model/weights.h"

static void qwen_config(ConfigIo *io, Config *c) {
    config_expect_bool(io, "use_sliding_window", false, false);
    config_expect_bool(io, "attention_bias", false, false);
    config_expect_word(io, "hidden_act", "silu");
    config_decoder(io, c);
    config_rotary(io, c, PAIR_HALVES);
    c->activation = ACT_SILU;
}

static void qwen_norms(WeightVisitor *v, Model *m, int l) {
    int64_t w = m->config.width;
    Layer *y = &m->layer[l];
    // clang-format off
    weights_visit(v, l, (Weight[]){
        {&y->attention_norm.weight, "attn_norm.weight", "input_layernorm.weight", {w}, PLACE_NORM_POSITION},
        {&y->channel_norm.weight, "ffn_norm.weight", "post_attention_layernorm.weight", {w}, PLACE_NORM_POSITION},
        {0}});
    // clang-format on
}

static void qwen2_weights(WeightVisitor *v, Model *m) {
    const Config *c = &m->config;
    int64_t q = (int64_t)c->heads * c->head_width, kv = (int64_t)c->kv_heads * c->head_width;
    weights_ends(v, m, FORM_SAME);
    for (int l = 0; l < c->layers; l++) {
        Attention *a = &m->layer[l].attention;
        qwen_norms(v, m, l);
        weights_attention(v, m, l, FORM_SAME);
        // clang-format off
        weights_visit(v, l, (Weight[]){
            {&a->q_bias, "attn_q.bias", "self_attn.q_proj.bias", {q}, PLACE_ATTENTION},
            {&a->k_bias, "attn_k.bias", "self_attn.k_proj.bias", {kv}, PLACE_ATTENTION},
            {&a->v_bias, "attn_v.bias", "self_attn.v_proj.bias", {kv}, PLACE_ATTENTION},
            {0}});
        // clang-format on
        weights_gated_channel(v, m, l);
    }
}

static void qwen3_weights(WeightVisitor *v, Model *m) {
    int64_t d = m->config.head_width;
    weights_ends(v, m, FORM_SAME);
    for (int l = 0; l < m->config.layers; l++) {
        Attention *a = &m->layer[l].attention;
        qwen_norms(v, m, l);
        weights_attention(v, m, l, FORM_SAME);
        // clang-format off
        weights_visit(v, l, (Weight[]){
            {&a->q_norm, "attn_q_norm.weight", "self_attn.q_norm.weight", {d}, PLACE_NORM_POSITION},
            {&a->k_norm, "attn_k_norm.weight", "self_attn.k_norm.weight", {d}, PLACE_NORM_POSITION},
            {0}});
        // clang-format on
        weights_gated_channel(v, m, l);
    }
}

const Arch arch_qwen2 = {.name = "qwen2",
                         .hf_types = (const char *const[]){"qwen2", NULL},
                         .hf_class = "Qwen2ForCausalLM",
                         .hf_layer = "model.layers.%d.",
                         .config = qwen_config,
                         .weights = qwen2_weights,
                         .hidden = decoder_hidden};

const Arch arch_qwen3 = {.name = "qwen3",
                         .hf_types = (const char *const[]){"qwen3", NULL},
                         .hf_class = "Qwen3ForCausalLM",
                         .hf_layer = "model.layers.%d.",
                         .config = qwen_config,
                         .weights = qwen3_weights,
                         .hidden = decoder_hidden};
