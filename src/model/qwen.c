// qwen.c - Qwen2, Qwen2.5 (arXiv 2407.10671) and Qwen3 (arXiv 2505.09388), dense or with experts.
//
// Llama's block, pairs of a head as halves everywhere.  Qwen2 has biases on q, k and v; Qwen3 has
// none, but norms q and k of each head before the turn.  Qwen2-MoE weighs its experts by their
// probabilities and has one more that digests every token; Qwen3-MoE lets the weights sum to 1.
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

// Layers with experts only: a file that mixes in others is refused.
static void expect_experts_everywhere(ConfigIo *io) {
    int64_t step = 1;
    config_take_int(io, NULL, "decoder_sparse_step", &step, 1);
    const Json *dense = io->mode == CONFIG_READ_HF ? json_get(io->json, "mlp_only_layers") : NULL;
    if (step != 1)
        config_fail(io, ERROR_UNSUPPORTED, "decoder_sparse_step", "only 1 is supported");
    else if (dense && dense->child)
        config_fail(io, ERROR_UNSUPPORTED, "mlp_only_layers", "layers without experts");
}

static void experts_config(ConfigIo *io, Config *c) {
    int64_t width = c->expert_width;
    expect_experts_everywhere(io);
    config_experts(io, c, "num_experts");
    // Newer folders of Qwen3-MoE have Mixtral's word for it.
    if (io->mode == CONFIG_READ_HF && !io->failed && c->experts == 0)
        config_experts(io, c, "num_local_experts");
    if (!io->failed && c->experts == 0)
        config_fail(io, ERROR_FORMAT, config_is_hf(io) ? "num_experts" : "expert_count",
                    "is missing");
    config_take_int(io, "expert_feed_forward_length", "moe_intermediate_size", &width, 0);
    if (io->failed || !config_is_reading(io)) return;
    if (width < 1 || width > CONFIG_WIDTH_MAX)
        config_fail(io, ERROR_FORMAT, "width of the experts", "is missing or out of range");
    c->expert_width = (int)width;
}

static void qwen2moe_config(ConfigIo *io, Config *c) {
    int64_t shared = c->shared_width;
    qwen_config(io, c);
    config_expect_bool(io, "norm_topk_prob", false, false);
    experts_config(io, c);
    config_need_int(io, "expert_shared_feed_forward_length", "shared_expert_intermediate_size",
                    &shared, 1, CONFIG_WIDTH_MAX);
    c->shared_width = (int)shared;
    c->norm_experts = false;
}

static void qwen3moe_config(ConfigIo *io, Config *c) {
    qwen_config(io, c);
    config_expect_bool(io, "norm_topk_prob", false, true);
    experts_config(io, c);
}

static void qwen_channel(WeightVisitor *v, Model *m, int l) {
    if (m->config.experts)
        weights_experts(v, m, l, false);
    else
        weights_gated_channel(v, m, l);
    if (m->config.shared_width) weights_shared_expert(v, m, l);
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
        qwen_channel(v, m, l);
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
        qwen_channel(v, m, l);
    }
}

const Arch arch_qwen2 = {.name = "qwen2",
                         .hf_types = (const char *const[]){"qwen2", NULL},
                         .hf_class = "Qwen2ForCausalLM",
                         .hf_layer = "model.layers.%d.",
                         .config = qwen_config,
                         .weights = qwen2_weights,
                         .hidden = decoder_hidden};

const Arch arch_qwen2moe = {.name = "qwen2moe",
                            .hf_types = (const char *const[]){"qwen2_moe", NULL},
                            .hf_class = "Qwen2MoeForCausalLM",
                            .hf_layer = "model.layers.%d.",
                            .config = qwen2moe_config,
                            .weights = qwen2_weights,
                            .hidden = decoder_hidden};

const Arch arch_qwen3 = {.name = "qwen3",
                         .hf_types = (const char *const[]){"qwen3", NULL},
                         .hf_class = "Qwen3ForCausalLM",
                         .hf_layer = "model.layers.%d.",
                         .config = qwen_config,
                         .weights = qwen3_weights,
                         .hidden = decoder_hidden};

const Arch arch_qwen3moe = {.name = "qwen3moe",
                            .hf_types = (const char *const[]){"qwen3_moe", NULL},
                            .hf_class = "Qwen3MoeForCausalLM",
                            .hf_layer = "model.layers.%d.",
                            .config = qwen3moe_config,
                            .weights = qwen3_weights,
                            .hidden = decoder_hidden};
