// decoder.c - the transformer decoder (Vaswani et al. 2017, arXiv 1706.03762; in the form of GPT-2:
// the norms stand before the sub-layers), read from top to bottom.
//
//     tokens -- embedding --> x
//     L times:
//         x --+-- norm --   mixer   -- (post-norm) --(+)--> x      gathers from other positions
//             +--------------------------------------+
//         x --+-- norm --  channel  -- (post-norm) --(+)--> x      digests each position alone
//             +--------------------------------------+
//     x -- norm --> hidden -- head --> logits
//
// GPT-2, Llama, Qwen and Gemma are this function with other weights and another config; so are
// Mamba, which has no channel, and models in which mixers of several kinds take turns.
#include "model/block.h"

// The mixer of layer l, whatever it is: (T, C) -> (T, C).
static Tensor *mixer(const Stream *s, int l, Tensor *x) {
    static Tensor *(*const mixers[MIXER_COUNT])(const Stream *, int,
                                                Tensor *) = {[MIXER_ATTENTION] = mixer_attention,
                                                             [MIXER_WINDOW] = mixer_attention,
                                                             [MIXER_RNN] = mixer_recurrent,
                                                             [MIXER_LSTM] = mixer_recurrent,
                                                             [MIXER_MAMBA] = mixer_mamba};
    return mixers[config_mixer(&s->model->config, l)](s, l, x);
}

static Tensor *decoder_block(const void *stream, int l, Tensor *x) {
    const Stream *s = stream;
    const Layer *w = &s->model->layer[l];
    x = block_begin(s, l, x);

    Tensor *y = block_norm(s, SITE_ATTN_NORM, l, x, &w->attention_norm);
    y = mixer(s, l, y);
    y = block_post_norm(s, SITE_ATTN_OUT, l, y, &w->attention_post_norm);
    if (s->model->config.ffn_width == 0) return block_residual(s, SITE_RESID_POST, l, x, y);
    x = block_residual(s, SITE_RESID_MID, l, x, y);

    y = block_norm(s, SITE_MLP_NORM, l, x, &w->channel_norm);
    y = channel(s, l, y);
    y = block_post_norm(s, SITE_MLP_OUT, l, y, &w->channel_post_norm);
    return block_residual(s, SITE_RESID_POST, l, x, y);
}

Tensor *decoder_hidden(Run *run, const Model *model, const Batch *batch) {
    const Stream *s = stream_begin(run, model, batch);
    Tensor *x = block_embed(s);
    for (int l = 0; l < block_count(s); l++) x = op_recompute(run, decoder_block, s, l, x);
    return block_end(s, x);
}
