// decoder.c - the transformer decoder (Vaswani et al. 2017, arXiv 1706.03762; in the form of GPT-2:
// the norms stand before the sub-layers), read from top to bottom.
//
//     tokens -- embedding --> x
//     L times:
//         x --+-- norm -- attention -- (post-norm) --(+)--> x      gathers from other positions
//             +--------------------------------------+
//         x --+-- norm --  channel  -- (post-norm) --(+)--> x      digests each position alone
//             +--------------------------------------+
//     x -- norm --> hidden -- head --> logits
//
// GPT-2, Llama, Qwen and Gemma are this function with other weights and another config.
#include "model/block.h"

static Tensor *decoder_block(const void *stream, int l, Tensor *x) {
    const Stream *s = stream;
    const Layer *w = &s->model->layer[l];
    x = block_begin(s, l, x);

    Tensor *y = block_norm(s, SITE_ATTN_NORM, l, x, &w->attention_norm);
    y = mixer_attention(s, l, y);
    y = block_post_norm(s, SITE_ATTN_OUT, l, y, &w->attention_post_norm);
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
