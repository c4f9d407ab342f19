// heed.c - heed's own architecture: one decoder in which the mixers are exchanged for one another.
//
// Made for comparing: full attention, a window, an RNN, an LSTM and Mamba in the same frame, alone
// or taking turns, with any kind of positions.  docs/formats-heed.md says what a file of it holds.
// A model that equals a standard architecture is made under that one's name (arch_fitting).
#include <math.h>

#include "model/block.h"
#include "model/weights.h"

static const char *const activation_words[] = {"gelu", "gelu_pytorch_tanh", "silu", NULL};
static const char *const norm_words[] = {"rms", "layer", NULL};
static const char *const channel_words[] = {"gated", "dense", NULL};

// ---------------------------------------------------------------- the pattern of mixers
const char *mixers_parse(Str text, MixerKind kind[CONFIG_MIXERS_MAX], int *n) {
    *n = 0;
    for (size_t from = 0, to; from <= text.n; from = to + 1) {
        to = from;
        while (to < text.n && text.data[to] != ',') to++;
        Str word = {text.data + from, to - from};
        int k = 0;
        while (k < MIXER_COUNT && !str_equal(word, str_from(mixer_words[k]))) k++;
        if (k == MIXER_COUNT)
            return "must be of attention, window, rnn, lstm, mamba, with commas between";
        if (*n == CONFIG_MIXERS_MAX) return "a pattern of more than 64";
        kind[(*n)++] = (MixerKind)k;
    }
    return NULL;
}

// One text: "attention,mamba".
static void mixers_field(ConfigIo *io, Config *c) {
    StrBuilder b = str_builder(io->arena);
    for (int i = 0; i < c->n_mixers; i++) {
        if (i) str_add_byte(&b, ',');
        str_add_c(&b, mixer_words[c->mixer[i]]);
    }
    Str text = str_built(&b);
    config_need_text(io, "mixers", "mixers", &text);
    if (!config_is_reading(io) || io->failed) return;
    const char *wrong = mixers_parse(text, c->mixer, &c->n_mixers);
    if (wrong) config_fail(io, ERROR_UNSUPPORTED, "mixers", wrong);
}

// ---------------------------------------------------------------- config
static void shape_fields(ConfigIo *io, Config *c) {
    int64_t width = c->width, layers = c->layers, ffn = c->ffn_width;
    config_need_int(io, "context_length", "max_position_embeddings", &c->context, 1,
                    CONFIG_CONTEXT_MAX);
    config_need_int(io, "embedding_length", "hidden_size", &width, 1, CONFIG_WIDTH_MAX);
    config_need_int(io, "block_count", "num_hidden_layers", &layers, 1, CONFIG_LAYERS_MAX);
    config_need_int(io, "feed_forward_length", "intermediate_size", &ffn, 0, CONFIG_WIDTH_MAX);
    config_need_float(io, "norm_epsilon", "norm_eps", &c->norm_eps);
    config_take_float(io, "embedding_scale", "embedding_scale", &c->embed_scale, 1);
    if (io->failed || !config_is_reading(io)) return;
    if (!(c->norm_eps >= 0)) config_fail(io, ERROR_FORMAT, "norm_eps", "must not be negative");
    c->width = (int)width;
    c->layers = (int)layers;
    c->ffn_width = (int)ffn;
}

static void word_fields(ConfigIo *io, Config *c) {
    int activation = (int)c->activation, norm = c->has_layer_norm, channel = c->is_dense,
        positions = (int)c->positions;
    config_take_word(io, "activation", "activation", activation_words, &activation, ACT_SILU);
    config_take_word(io, "norm", "norm", norm_words, &norm, 0);
    config_take_word(io, "feed_forward", "feed_forward", channel_words, &channel, 0);
    config_take_word(io, "positions", "positions", position_words, &positions, POSITION_NONE);
    if (io->failed || !config_is_reading(io)) return;
    c->activation = (Activation)activation;
    c->has_layer_norm = norm;
    c->is_dense = channel;
    c->positions = (PositionKind)positions;
}

static void attention_fields(ConfigIo *io, Config *c) {
    int64_t heads = c->heads, kv_heads = c->kv_heads, head_width = c->head_width;
    config_need_int(io, "attention.head_count", "num_attention_heads", &heads, 1, CONFIG_HEADS_MAX);
    config_take_int(io, "attention.head_count_kv", "num_key_value_heads", &kv_heads, heads);
    config_take_int(io, "attention.key_length", "head_dim", &head_width,
                    io->failed ? 0 : c->width / heads);
    if (config_uses(c, MIXER_WINDOW)) {
        config_need_int(io, "attention.sliding_window", "sliding_window", &c->window, 1,
                        CONFIG_CONTEXT_MAX);
        config_take_int(io, "attention.kept_positions", "kept_positions", &c->kept, 0);
    }
    if (io->failed || !config_is_reading(io)) return;
    config_check(io, heads, kv_heads, head_width, c->norm_eps);
    if (io->failed) return;
    c->heads = (int)heads;
    c->kv_heads = (int)kv_heads;
    c->head_width = (int)head_width;
    c->attention_scale = 1 / sqrtf((float)head_width);
}

static void heed_config(ConfigIo *io, Config *c) {
    int64_t recurrent = c->recurrent_width;
    shape_fields(io, c);
    mixers_field(io, c);
    word_fields(io, c);
    if (io->failed) return;
    bool has_attention = config_attention_layers(c) > 0;
    config_experts(io, c, "num_local_experts");
    if (c->experts && c->is_dense)
        config_fail(io, ERROR_UNSUPPORTED, "feed_forward", "experts are gated, not dense");
    if (has_attention) attention_fields(io, c);
    if (config_uses(c, MIXER_RNN) || config_uses(c, MIXER_LSTM)) {
        config_take_int(io, "recurrent_length", "recurrent_size", &recurrent, c->width);
        if (recurrent < 1 || recurrent > CONFIG_WIDTH_MAX)
            config_fail(io, ERROR_FORMAT, "recurrent width", "is out of range");
        c->recurrent_width = (int)recurrent;
    }
    if (config_uses(c, MIXER_MAMBA)) config_mamba(io, c, "ssm_inner_size");
    if (!has_attention && (c->positions == POSITION_ROTARY || c->positions == POSITION_ALIBI))
        config_fail(io, ERROR_FORMAT, "positions", "rotary and alibi need a layer with attention");
    if (c->positions == POSITION_ROTARY) config_rotary(io, c, PAIR_HALVES);
}

// ---------------------------------------------------------------- whose name it may bear
const Arch *arch_fitting(Config *c) {
    bool is_plain = !c->has_layer_norm && c->embed_scale == 1 && c->n_mixers <= 1;
    MixerKind kind = config_mixer(c, 0);
    bool is_swiglu = c->ffn_width > 0 && !c->is_dense && c->activation == ACT_SILU;
    if (is_plain && kind == MIXER_ATTENTION && is_swiglu && c->positions == POSITION_ROTARY) {
        c->rotary.pairing = c->rotary_local.pairing =
            PAIR_NEIGHBOURS; // as its GGUF files have them
        return &arch_llama;
    }
    if (is_plain && kind == MIXER_MAMBA && c->ffn_width == 0 && c->positions == POSITION_NONE)
        return &arch_mamba;
    return &arch_heed;
}

// ---------------------------------------------------------------- weights
static void norm_weights(WeightVisitor *v, const Model *m, int l, Norm *norm,
                         const char *const name[4]) {
    int64_t w = m->config.width;
    // clang-format off
    weights_visit(v, l, (Weight[]){
        {&norm->weight, name[0], name[1], {w}, PLACE_NORM_POSITION},
        {m->config.has_layer_norm ? &norm->bias : NULL, name[2], name[3], {w}, PLACE_NORM_POSITION},
        {0}});
    // clang-format on
}

static void channel_weights(WeightVisitor *v, Model *m, int l) {
    int64_t w = m->config.width, f = m->config.ffn_width;
    Channel *c = &m->layer[l].channel;
    if (m->config.experts) {
        weights_experts(v, m, l, true);
        return;
    }
    if (!m->config.is_dense) {
        weights_gated_channel(v, m, l);
        return;
    }
    // clang-format off
    weights_visit(v, l, (Weight[]){
        {&c->up, "ffn_up.weight", "mlp.up_proj.weight", {f, w}, PLACE_FEED_FORWARD},
        {&c->down, "ffn_down.weight", "mlp.down_proj.weight", {w, f}, PLACE_FEED_FORWARD},
        {0}});
    // clang-format on
}

static void mixer_weights(WeightVisitor *v, Model *m, int l) {
    MixerKind kind = config_mixer(&m->config, l);
    if (kind == MIXER_MAMBA)
        weights_mamba(v, m, l);
    else if (kind == MIXER_RNN || kind == MIXER_LSTM)
        weights_recurrent(v, m, l);
    else
        weights_attention(v, m, l, FORM_SAME);
}

static void heed_weights(WeightVisitor *v, Model *m) {
    static const char *const names[3][4] = {
        {"output_norm.weight", "model.norm.weight", "output_norm.bias", "model.norm.bias"},
        {"attn_norm.weight", "mixer_norm.weight", "attn_norm.bias", "mixer_norm.bias"},
        {"ffn_norm.weight", "mlp_norm.weight", "ffn_norm.bias", "mlp_norm.bias"}};
    const Config *c = &m->config;
    int64_t w = c->width;
    bool is_learned = c->positions == POSITION_LEARNED;
    // clang-format off
    weights_visit(v, -1, (Weight[]){
        {&m->embed, "token_embd.weight", "model.embed_tokens.weight", {c->vocab, w}, PLACE_EMBEDDING},
        {&m->head, "output.weight", "lm_head.weight", {c->vocab, w}, PLACE_EMBEDDING, .is_optional = true},
        {is_learned ? &m->embed_positions : NULL, "position_embd.weight", "model.embed_positions.weight", {c->context, w}, PLACE_NORM_POSITION},
        {0}});
    // clang-format on
    norm_weights(v, m, -1, &m->final_norm, names[0]);
    for (int l = 0; l < c->layers; l++) {
        norm_weights(v, m, l, &m->layer[l].attention_norm, names[1]);
        mixer_weights(v, m, l);
        if (c->ffn_width == 0) continue;
        norm_weights(v, m, l, &m->layer[l].channel_norm, names[2]);
        channel_weights(v, m, l);
    }
}

const Arch arch_heed = {.name = "heed",
                        .hf_types = (const char *const[]){"heed", NULL},
                        .hf_class = "HeedForCausalLM",
                        .hf_layer = "model.layers.%d.",
                        .config = heed_config,
                        .weights = heed_weights,
                        .hidden = decoder_hidden};
