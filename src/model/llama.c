// llama.c - Llama 1 to 3.2, Mistral, Mixtral, SmolLM2, TinyLlama (Touvron et al. 2023, arXiv
// 2302.13971; Jiang et al. 2023, arXiv 2310.06825; 2024, arXiv 2401.04088).
//
// RMS norms, no biases, rotary positions, grouped heads, SwiGLU or (Mixtral) a mixture of such.  A
// GGUF holds q and k with the pairs of a head as neighbours, a Hugging Face folder as halves; each
// is run as it is.
#include "model/block.h"
#include "model/weights.h"

static void llama_config(ConfigIo *io, Config *c) {
    config_expect_bool(io, "attention_bias", false, false);
    config_expect_bool(io, "mlp_bias", false, false);
    config_expect_word(io, "hidden_act", "silu");
    config_decoder(io, c);
    config_experts(io, c, "num_local_experts");
    config_take_int(io, "attention.sliding_window", "sliding_window", &c->window, 0);
    config_rotary(io, c, config_is_hf(io) ? PAIR_HALVES : PAIR_NEIGHBOURS);
    c->activation = ACT_SILU;
}

static void llama_weights(WeightVisitor *v, Model *m) {
    int64_t w = m->config.width;
    weights_ends(v, m, FORM_SAME);
    for (int l = 0; l < m->config.layers; l++) {
        Layer *y = &m->layer[l];
        // clang-format off
        weights_visit(v, l, (Weight[]){
            {&y->attention_norm.weight, "attn_norm.weight", "input_layernorm.weight", {w}, PLACE_NORM_POSITION},
            {&y->channel_norm.weight, "ffn_norm.weight", "post_attention_layernorm.weight", {w}, PLACE_NORM_POSITION},
            {0}});
        // clang-format on
        weights_attention(v, m, l, FORM_ROTARY);
        if (m->config.experts)
            weights_experts(v, m, l, true);
        else
            weights_gated_channel(v, m, l);
    }
}

const Arch arch_llama = {.name = "llama",
                         .hf_types = (const char *const[]){"llama", "mistral", "mixtral", NULL},
                         .hf_class = "LlamaForCausalLM",
                         .hf_layer = "model.layers.%d.",
                         .config = llama_config,
                         .weights = llama_weights,
                         .hidden = decoder_hidden};
