// gpt2.c - GPT-2 (Radford et al. 2019).
//
// Layer norms, biases everywhere, learned positions, GELU in its tanh form, head tied to the
// embedding.  q, k and v are stored as one matrix, of which ours are views; Hugging Face files hold
// the matrices transposed ("Conv1D").
#include <math.h>

#include "model/block.h"
#include "model/weights.h"

static void gpt2_config(ConfigIo *io, Config *c) {
    int64_t width = c->width, layers = c->layers, heads = c->heads, ffn = c->ffn_width;
    config_expect_word(io, "activation_function", "gelu_new");
    config_expect_bool(io, "scale_attn_by_inverse_layer_idx", false, false);
    config_expect_bool(io, "scale_attn_weights", true, true);
    config_need_int(io, "context_length", "n_positions", &c->context, 1, CONFIG_CONTEXT_MAX);
    config_need_int(io, "embedding_length", "n_embd", &width, 1, CONFIG_WIDTH_MAX);
    config_need_int(io, "block_count", "n_layer", &layers, 1, CONFIG_LAYERS_MAX);
    config_need_int(io, "attention.head_count", "n_head", &heads, 1, CONFIG_HEADS_MAX);
    if (io->mode == CONFIG_WRITE_GGUF) // other engines have no default
        config_need_int(io, "feed_forward_length", NULL, &ffn, 1, CONFIG_WIDTH_MAX);
    else
        config_take_int(io, "feed_forward_length", "n_inner", &ffn, 4 * width);
    config_need_float(io, "attention.layer_norm_epsilon", "layer_norm_epsilon", &c->norm_eps);
    if (io->failed) return;
    if (width % heads != 0)
        config_fail(io, ERROR_FORMAT, "n_head", "does not divide the width");
    else if (ffn < 1 || ffn > CONFIG_WIDTH_MAX)
        config_fail(io, ERROR_FORMAT, "n_inner", "is out of range");
    config_check(io, heads, heads, width / heads, c->norm_eps);
    if (io->failed) return;
    c->width = (int)width;
    c->layers = (int)layers;
    c->heads = c->kv_heads = (int)heads;
    c->head_width = (int)(width / heads);
    c->ffn_width = (int)ffn;
    c->positions = POSITION_LEARNED;
    c->activation = ACT_GELU_TANH;
    c->attention_scale = 1 / sqrtf((float)c->head_width);
    c->embed_scale = 1;
}

// q, k, v as rows of the fused matrix, and of its bias.
static void gpt2_split(Attention *a, int64_t width) {
    Tensor *part[] = {&a->q, &a->k, &a->v}, *bias[] = {&a->q_bias, &a->k_bias, &a->v_bias};
    for (int i = 0; i < 3; i++) {
        *part[i] = tensor_slice(&a->qkv, i * width, width);
        *bias[i] = tensor_slice(&a->qkv_bias, i * width, width);
    }
}

static void gpt2_weights(WeightVisitor *v, Model *m) {
    const Config *c = &m->config;
    int64_t w = c->width, f = c->ffn_width;
    // clang-format off
    weights_visit(v, -1, (Weight[]){
        {&m->embed, "token_embd.weight", "transformer.wte.weight", {c->vocab, w}, PLACE_EMBEDDING},
        {&m->embed_positions, "position_embd.weight", "transformer.wpe.weight", {c->context, w}, PLACE_NORM_POSITION},
        {&m->final_norm.weight, "output_norm.weight", "transformer.ln_f.weight", {w}, PLACE_NORM_POSITION},
        {&m->final_norm.bias, "output_norm.bias", "transformer.ln_f.bias", {w}, PLACE_NORM_POSITION},
        {&m->head, "output.weight", "lm_head.weight", {c->vocab, w}, PLACE_EMBEDDING, .is_optional = true},
        {0}});
    for (int l = 0; l < c->layers; l++) {
        Layer *y = &m->layer[l];
        Attention *a = &y->attention;
        weights_visit(v, l, (Weight[]){
            {&y->attention_norm.weight, "attn_norm.weight", "ln_1.weight", {w}, PLACE_NORM_POSITION},
            {&y->attention_norm.bias, "attn_norm.bias", "ln_1.bias", {w}, PLACE_NORM_POSITION},
            {&a->qkv, "attn_qkv.weight", "attn.c_attn.weight", {3 * w, w}, PLACE_ATTENTION, FORM_TRANSPOSED, .parts = 3},
            {&a->qkv_bias, "attn_qkv.bias", "attn.c_attn.bias", {3 * w}, PLACE_ATTENTION},
            {&a->o, "attn_output.weight", "attn.c_proj.weight", {w, w}, PLACE_ATTENTION, FORM_TRANSPOSED},
            {&a->o_bias, "attn_output.bias", "attn.c_proj.bias", {w}, PLACE_ATTENTION},
            {&y->channel_norm.weight, "ffn_norm.weight", "ln_2.weight", {w}, PLACE_NORM_POSITION},
            {&y->channel_norm.bias, "ffn_norm.bias", "ln_2.bias", {w}, PLACE_NORM_POSITION},
            {&y->channel.up, "ffn_up.weight", "mlp.c_fc.weight", {f, w}, PLACE_FEED_FORWARD, FORM_TRANSPOSED},
            {&y->channel.up_bias, "ffn_up.bias", "mlp.c_fc.bias", {f}, PLACE_FEED_FORWARD},
            {&y->channel.down, "ffn_down.weight", "mlp.c_proj.weight", {w, f}, PLACE_FEED_FORWARD, FORM_TRANSPOSED},
            {&y->channel.down_bias, "ffn_down.bias", "mlp.c_proj.bias", {w}, PLACE_FEED_FORWARD},
            {0}});
        if (a->qkv.rank && a->qkv_bias.rank) gpt2_split(a, w);
    }
    // clang-format on
}

const Arch arch_gpt2 = {.name = "gpt2",
                        .hf_types = (const char *const[]){"gpt2", NULL},
                        .hf_class = "GPT2LMHeadModel",
                        .hf_layer = "transformer.h.%d.",
                        .config = gpt2_config,
                        .weights = gpt2_weights,
                        .hidden = decoder_hidden};
