// mamba.c - Mamba (Gu and Dao 2023, arXiv 2312.00752).
//
// Blocks of a norm and a selective state space, without attention, positions or a channel.  The
// context that a file names is what it was trained on: what a sequence carries has one size for
// every length.
#include "model/block.h"
#include "model/weights.h"

enum { CONTEXT_UNNAMED = 1 << 20 }; // Hugging Face's config has no word for it

// transformers computes the inner width from `expand`; llama.cpp asks for the numbers of what a
// Mamba does not have.
static void for_other_readers(ConfigIo *io, const Config *c) {
    int64_t none = 0, expand = c->inner_width / c->width;
    config_need_int(io, "feed_forward_length", NULL, &none, 0, 0);
    config_need_int(io, "attention.head_count", NULL, &none, 0, 0);
    config_need_int(io, NULL, "expand", &expand, 1, CONFIG_WIDTH_MAX);
    if (config_is_hf(io) && c->inner_width % c->width != 0)
        config_fail(io, ERROR_UNSUPPORTED, "expand", "the inner width is no multiple of the width");
}

static void mamba_config(ConfigIo *io, Config *c) {
    int64_t width = c->width, layers = c->layers;
    config_expect_bool(io, "use_bias", false, false);
    config_expect_bool(io, "use_conv_bias", true, true);
    config_expect_word(io, "hidden_act", "silu");
    if (config_is_hf(io) && config_is_reading(io))
        c->context = CONTEXT_UNNAMED;
    else
        config_need_int(io, "context_length", NULL, &c->context, 1, CONFIG_CONTEXT_MAX);
    config_need_int(io, "embedding_length", "hidden_size", &width, 1, CONFIG_WIDTH_MAX);
    config_need_int(io, "block_count", "num_hidden_layers", &layers, 1, CONFIG_LAYERS_MAX);
    config_need_float(io, "attention.layer_norm_rms_epsilon", "layer_norm_epsilon", &c->norm_eps);
    if (!(c->norm_eps >= 0))
        config_fail(io, ERROR_FORMAT, "layer_norm_epsilon", "must not be negative");
    config_mamba(io, c, "intermediate_size");
    if (!config_is_reading(io)) for_other_readers(io, c);
    if (io->failed || !config_is_reading(io)) return;
    c->width = (int)width;
    c->layers = (int)layers;
    c->mixer[0] = MIXER_MAMBA;
    c->n_mixers = 1;
    c->activation = ACT_SILU;
    c->embed_scale = 1;
}

static void mamba_weights(WeightVisitor *v, Model *m) {
    int64_t w = m->config.width, vocab = m->config.vocab;
    // clang-format off
    weights_visit(v, -1, (Weight[]){
        {&m->embed, "token_embd.weight", "backbone.embeddings.weight", {vocab, w}, PLACE_EMBEDDING},
        {&m->final_norm.weight, "output_norm.weight", "backbone.norm_f.weight", {w}, PLACE_NORM_POSITION},
        {&m->head, "output.weight", "lm_head.weight", {vocab, w}, PLACE_EMBEDDING, .is_optional = true},
        {0}});
    for (int l = 0; l < m->config.layers; l++) {
        weights_visit(v, l, (Weight[]){
            {&m->layer[l].attention_norm.weight, "attn_norm.weight", "norm.weight", {w}, PLACE_NORM_POSITION},
            {0}});
        weights_mamba(v, m, l);
    }
    // clang-format on
}

const Arch arch_mamba = {.name = "mamba",
                         .hf_types = (const char *const[]){"mamba", NULL},
                         .hf_class = "MambaForCausalLM",
                         .hf_layer = "backbone.layers.%d.",
                         .config = mamba_config,
                         .weights = mamba_weights,
                         .hidden = decoder_hidden};
