// gemma3.c - Gemma 3, text (arXiv 2503.19786).
//
// Norms before and after each sub-layer, norms on q and k of each head, GeGLU (tanh form),
// embeddings scaled by the square root of the width, head tied.  Five layers of six see a window
// and turn with a base of their own.  Hugging Face files hold the norms' factors minus 1.
#include <math.h>

#include "model/block.h"
#include "model/weights.h"

// The width that scores are divided by the root of.  A GGUF does not say: it is the head width, but
// for the 27B model (62 layers), whose queries were scaled by width / heads.
static double score_width(const Config *c) {
    return c->layers == 62 ? (double)c->width / c->heads : (double)c->head_width;
}

static void gemma3_config(ConfigIo *io, Config *c) {
    config_expect_bool(io, "attention_bias", false, false);
    config_expect_word(io, "hidden_activation", "gelu_pytorch_tanh");
    config_decoder(io, c);
    config_need_int(io, "attention.sliding_window", "sliding_window", &c->window, 1,
                    CONFIG_CONTEXT_MAX);
    config_window_pattern(io, c, 6);
    config_take_float(io, "final_logit_softcapping", "final_logit_softcapping", &c->final_softcap,
                      0);
    config_take_float(io, NULL, "attn_logit_softcapping", &c->attention_softcap, 0);
    config_rotary(io, c, PAIR_HALVES);
    config_rotary_local(io, c, 10000);
    if (io->failed) return;
    float divided_by = 1 / (c->attention_scale * c->attention_scale);
    if (config_is_reading(io))
        divided_by = (float)score_width(c);
    else if (fabsf(divided_by - rintf(divided_by)) < 1e-2f)
        divided_by = rintf(divided_by);
    config_take_float(io, NULL, "query_pre_attn_scalar", &divided_by, 256);
    if (!(divided_by > 0))
        config_fail(io, ERROR_FORMAT, "query_pre_attn_scalar", "must be above 0");
    c->attention_scale = 1 / sqrtf(divided_by);
    config_take_float(io, "attention.scale", NULL, &c->attention_scale, c->attention_scale);
    c->activation = ACT_GELU_TANH;
    c->embed_scale = sqrtf((float)c->width);
    if (io->mode == CONFIG_WRITE_GGUF && fabs((double)divided_by - score_width(c)) > 1e-3)
        config_fail(io, ERROR_UNSUPPORTED, "query_pre_attn_scalar", "has no place in a GGUF");
}

static void gemma3_weights(WeightVisitor *v, Model *m) {
    int64_t w = m->config.width, d = m->config.head_width;
    weights_ends(v, m, FORM_ONE_PLUS);
    for (int l = 0; l < m->config.layers; l++) {
        Layer *y = &m->layer[l];
        Attention *a = &y->attention;
        weights_attention(v, m, l, FORM_SAME);
        // clang-format off
        weights_visit(v, l, (Weight[]){
            {&y->attention_norm.weight, "attn_norm.weight", "input_layernorm.weight", {w}, PLACE_NORM_POSITION, FORM_ONE_PLUS},
            {&a->q_norm, "attn_q_norm.weight", "self_attn.q_norm.weight", {d}, PLACE_NORM_POSITION, FORM_ONE_PLUS},
            {&a->k_norm, "attn_k_norm.weight", "self_attn.k_norm.weight", {d}, PLACE_NORM_POSITION, FORM_ONE_PLUS},
            {&y->attention_post_norm.weight, "post_attention_norm.weight", "post_attention_layernorm.weight", {w}, PLACE_NORM_POSITION, FORM_ONE_PLUS},
            {&y->channel_norm.weight, "ffn_norm.weight", "pre_feedforward_layernorm.weight", {w}, PLACE_NORM_POSITION, FORM_ONE_PLUS},
            {&y->channel_post_norm.weight, "post_ffw_norm.weight", "post_feedforward_layernorm.weight", {w}, PLACE_NORM_POSITION, FORM_ONE_PLUS},
            {0}});
        // clang-format on
        weights_gated_channel(v, m, l);
    }
}

const Arch arch_gemma3 = {.name = "gemma3",
                          .hf_types = (const char *const[]){"gemma3_text", NULL},
                          .hf_class = "Gemma3ForCausalLM",
                          .hf_layer = "model.layers.%d.",
                          .config = gemma3_config,
                          .weights = gemma3_weights,
                          .hidden = decoder_hidden};
