// bert.c - BERT (Devlin et al. 2018, arXiv 1810.04805): an encoder, in which every position sees
// every other, and whose norms stand behind the sums as in the first transformer.
//
//     tokens + positions + types -- norm --> x
//     L times:
//         x --+-- attention --(+)-- norm --> x      gathers from both sides
//             +----------------+
//         x --+--  channel  --(+)-- norm --> x      digests each position alone
//             +--------------+
//     x --> hidden                            what sentences are embedded by
//     hidden -- dense -- GELU -- norm -- head + bias --> logits of what stands in each place
//
// In a block, "resid_mid" is the sum before its norm, "mlp_norm" what the norm makes of it, and
// "resid_post" what leaves the block: the next one's "resid_pre", which is also "attn_norm".
#include <math.h>

#include "model/block.h"
#include "model/weights.h"

// ---------------------------------------------------------------- config
// The number of token types stands among a GGUF's keys of the tokenizer, and there whether
// attention looks back only; elsewhere both have their place or go without saying.
static void gguf_fields(ConfigIo *io, int64_t *types) {
    static const GgufRange any = {1, CONFIG_HEADS_MAX};
    const char *count = "tokenizer.ggml.token_type_count", *causal = "bert.attention.causal";
    bool is_causal = false;
    if (io->failed) return;
    if (io->mode == CONFIG_READ_GGUF) {
        *types = 2;
        io->failed = !gguf_try_integer(io->gguf, count, any, types, io->err) ||
                     !gguf_try_bool(io->gguf, causal, &is_causal, io->err);
        if (is_causal) config_fail(io, ERROR_UNSUPPORTED, causal, "true is not supported");
    } else if (io->mode == CONFIG_WRITE_GGUF) {
        gguf_set_integer(io->gguf_out, count, GGUF_U32, *types);
        gguf_set_bool(io->gguf_out, causal, false);
    }
}

static void bert_config(ConfigIo *io, Config *c) {
    int64_t width = c->width, layers = c->layers, heads = c->heads, ffn = c->ffn_width;
    int64_t types = c->token_types, pooling = (int64_t)c->pooling;
    config_expect_word(io, "hidden_act", "gelu");
    config_expect_word(io, "position_embedding_type", "absolute");
    config_expect_bool(io, "is_decoder", false, false);
    config_need_int(io, "context_length", "max_position_embeddings", &c->context, 1,
                    CONFIG_CONTEXT_MAX);
    config_need_int(io, "embedding_length", "hidden_size", &width, 1, CONFIG_WIDTH_MAX);
    config_need_int(io, "block_count", "num_hidden_layers", &layers, 1, CONFIG_LAYERS_MAX);
    config_need_int(io, "attention.head_count", "num_attention_heads", &heads, 1, CONFIG_HEADS_MAX);
    config_need_int(io, "feed_forward_length", "intermediate_size", &ffn, 1, CONFIG_WIDTH_MAX);
    config_need_float(io, "attention.layer_norm_epsilon", "layer_norm_eps", &c->norm_eps);
    config_need_int(io, NULL, "type_vocab_size", &types, 1, CONFIG_HEADS_MAX);
    config_take_int(io, "pooling_type", NULL, &pooling, POOLING_NONE);
    gguf_fields(io, &types);
    if (io->failed || !config_is_reading(io)) return;
    if (width % heads != 0)
        config_fail(io, ERROR_FORMAT, "num_attention_heads", "does not divide the width");
    config_check(io, heads, heads, width / heads, c->norm_eps);
    if (pooling > POOLING_CLS)
        config_fail(io, ERROR_UNSUPPORTED, "pooling_type", "must be 0 (none), 1 (mean) or 2 (cls)");
    if (io->failed) return;
    c->width = (int)width;
    c->layers = (int)layers;
    c->heads = c->kv_heads = (int)heads;
    c->head_width = (int)(width / heads);
    c->ffn_width = (int)ffn;
    c->token_types = (int)types;
    c->pooling = (Pooling)pooling;
    c->is_encoder = true;
    c->positions = POSITION_LEARNED;
    c->activation = ACT_GELU;
    c->attention_scale = 1 / sqrtf((float)c->head_width);
    c->embed_scale = 1;
}

// ---------------------------------------------------------------- weights
// clang-format off
static void layer_weights(WeightVisitor *v, Model *m, int l) {
    int64_t w = m->config.width, f = m->config.ffn_width;
    Layer *y = &m->layer[l];
    Attention *a = &y->attention;
    weights_visit(v, l, (Weight[]){
        {&a->q, "attn_q.weight", "attention.self.query.weight", {w, w}, PLACE_ATTENTION},
        {&a->q_bias, "attn_q.bias", "attention.self.query.bias", {w}, PLACE_ATTENTION},
        {&a->k, "attn_k.weight", "attention.self.key.weight", {w, w}, PLACE_ATTENTION},
        {&a->k_bias, "attn_k.bias", "attention.self.key.bias", {w}, PLACE_ATTENTION},
        {&a->v, "attn_v.weight", "attention.self.value.weight", {w, w}, PLACE_ATTENTION},
        {&a->v_bias, "attn_v.bias", "attention.self.value.bias", {w}, PLACE_ATTENTION},
        {&a->o, "attn_output.weight", "attention.output.dense.weight", {w, w}, PLACE_ATTENTION},
        {&a->o_bias, "attn_output.bias", "attention.output.dense.bias", {w}, PLACE_ATTENTION},
        {&y->attention_post_norm.weight, "attn_output_norm.weight", "attention.output.LayerNorm.weight", {w}, PLACE_NORM_POSITION},
        {&y->attention_post_norm.bias, "attn_output_norm.bias", "attention.output.LayerNorm.bias", {w}, PLACE_NORM_POSITION},
        {&y->channel.up, "ffn_up.weight", "intermediate.dense.weight", {f, w}, PLACE_FEED_FORWARD},
        {&y->channel.up_bias, "ffn_up.bias", "intermediate.dense.bias", {f}, PLACE_FEED_FORWARD},
        {&y->channel.down, "ffn_down.weight", "output.dense.weight", {w, f}, PLACE_FEED_FORWARD},
        {&y->channel.down_bias, "ffn_down.bias", "output.dense.bias", {w}, PLACE_FEED_FORWARD},
        {&y->channel_post_norm.weight, "layer_output_norm.weight", "output.LayerNorm.weight", {w}, PLACE_NORM_POSITION},
        {&y->channel_post_norm.bias, "layer_output_norm.bias", "output.LayerNorm.bias", {w}, PLACE_NORM_POSITION},
        {0}});
}

// The head that names tokens is absent from models which only embed; llama.cpp has no names for
// it, so cls.* stands for its dense layer there and output.bias is ours.
static void bert_weights(WeightVisitor *v, Model *m) {
    const Config *c = &m->config;
    int64_t w = c->width;
    TokenHead *h = &m->token_head;
    weights_visit(v, -1, (Weight[]){
        {&m->embed, "token_embd.weight", "bert.embeddings.word_embeddings.weight", {c->vocab, w}, PLACE_EMBEDDING},
        {&m->embed_positions, "position_embd.weight", "bert.embeddings.position_embeddings.weight", {c->context, w}, PLACE_NORM_POSITION},
        {&m->embed_types, "token_types.weight", "bert.embeddings.token_type_embeddings.weight", {c->token_types, w}, PLACE_NORM_POSITION},
        {&m->embed_norm.weight, "token_embd_norm.weight", "bert.embeddings.LayerNorm.weight", {w}, PLACE_NORM_POSITION},
        {&m->embed_norm.bias, "token_embd_norm.bias", "bert.embeddings.LayerNorm.bias", {w}, PLACE_NORM_POSITION},
        {0}});
    for (int l = 0; l < c->layers; l++) layer_weights(v, m, l);
    weights_visit(v, -1, (Weight[]){
        {&h->dense, "cls.weight", "cls.predictions.transform.dense.weight", {w, w}, PLACE_EMBEDDING, .is_optional = true},
        {&h->dense_bias, "cls.bias", "cls.predictions.transform.dense.bias", {w}, PLACE_EMBEDDING, .is_optional = true},
        {&h->norm.weight, "cls.norm.weight", "cls.predictions.transform.LayerNorm.weight", {w}, PLACE_NORM_POSITION, .is_optional = true},
        {&h->norm.bias, "cls.norm.bias", "cls.predictions.transform.LayerNorm.bias", {w}, PLACE_NORM_POSITION, .is_optional = true},
        {&m->head, "output.weight", "cls.predictions.decoder.weight", {c->vocab, w}, PLACE_EMBEDDING, .is_optional = true},
        {&h->bias, "output.bias", "cls.predictions.bias", {c->vocab}, PLACE_EMBEDDING, .is_optional = true},
        {0}});
}
// clang-format on

// ---------------------------------------------------------------- forward
static Tensor *embed(const Stream *s) {
    Run *run = s->run;
    const Model *m = s->model;
    const Batch *batch = s->batch;
    const int32_t *types = batch->types;
    if (!types) {
        int32_t *zero = run_describe(run, sizeof *zero * (size_t)batch->n);
        for (int64_t i = 0; i < batch->n; i++) zero[i] = 0;
        types = zero;
    }
    Tensor *x = op_add(run, block_lookup(s), op_embed(run, &m->embed_types, types, batch->n));
    x = op_dropout(run, norm_apply(run, m, &m->embed_norm, x));
    return probe_at(run, SITE_EMBED, 0, x);
}

static Tensor *sum(const Stream *s, Tensor *x, Tensor *y) {
    y = op_dropout(s->run, y);
    return s->run->switches.no_residual ? y : op_add(s->run, x, y);
}

static Tensor *block(const void *stream, int l, Tensor *x) {
    const Stream *s = stream;
    Run *run = s->run;
    const Layer *w = &s->model->layer[l];
    x = probe_at(run, SITE_ATTN_NORM, l, block_begin(s, l, x));

    Tensor *y = probe_at(run, SITE_ATTN_OUT, l, mixer_attention(s, l, x));
    x = probe_at(run, SITE_RESID_MID, l, sum(s, x, y));
    x = block_norm(s, SITE_MLP_NORM, l, x, &w->attention_post_norm);

    y = probe_at(run, SITE_MLP_OUT, l, channel(s, l, x));
    return block_norm(s, SITE_RESID_POST, l, sum(s, x, y), &w->channel_post_norm);
}

static Tensor *bert_hidden(Run *run, const Model *model, const Batch *batch) {
    const Stream *s = stream_begin(run, model, batch);
    Tensor *x = embed(s);
    for (int l = 0; l < block_count(s); l++) x = op_recompute(run, block, s, l, x);
    run_next_block(run);
    if (batch->logit_row) x = op_rows(run, x, batch->logit_row, batch->n_logits);
    return probe_at(run, SITE_FINAL_NORM, 0, x);
}

// What the head reads: (R, C) -> (R, C).
static Tensor *bert_to_head(Run *run, const Model *model, Tensor *hidden) {
    const TokenHead *h = &model->token_head;
    if (!h->dense.data) return hidden;
    Tensor *x = op_activate(run, op_linear(run, hidden, &h->dense, &h->dense_bias), ACT_GELU);
    if (run->switches.no_norm) return x;
    return op_layer_norm(run, x, &h->norm.weight, &h->norm.bias, model->config.norm_eps);
}

const Arch arch_bert = {.name = "bert",
                        .hf_types = (const char *const[]){"bert", NULL},
                        .hf_class = "BertForMaskedLM",
                        .hf_layer = "bert.encoder.layer.%d.",
                        .hf_base = "bert.",
                        .config = bert_config,
                        .weights = bert_weights,
                        .hidden = bert_hidden,
                        .to_head = bert_to_head};
