// block.h - the parts from which architectures put their blocks together.
//
// A mixer moves information between positions, a channel digests each position alone.  These parts
// are where the run's switches act and where its probe is asked, so that every architecture has
// both without writing a line for it.
#ifndef HEED_MODEL_BLOCK_H
#define HEED_MODEL_BLOCK_H

#include "model/model.h"

// What all blocks of one forward share.
typedef struct Stream {
    Run *run;
    const Model *model;
    const Batch *batch;
    const int64_t *positions;   // (n) of the batch's rows, as the position switch has them
    const Tensor *angles;       // rotary, for layers that see everything; NULL: none
    const Tensor *angles_local; // rotary, for layers with a window
} Stream;

// Positions and rotary angles, once for the whole forward; lives as long as that.
const Stream *stream_begin(Run *run, const Model *model, const Batch *batch);

// Embedding of the tokens (scaled as the config says), plus learned or sine positions if the model
// has them.
Tensor *block_embed(const Stream *s);
// The same without SITE_EMBED, for models that do more to it.
Tensor *block_lookup(const Stream *s);
// How many blocks are run: all, or as many as the switch says.
int block_count(const Stream *s);
// The start of block l: step memory turns over, SITE_RESID_PRE.
Tensor *block_begin(const Stream *s, int l, Tensor *x);
// RMS norm, or layer norm where the model's norms have a bias; passes x through when norms are off.
Tensor *norm_apply(Run *run, const Model *model, const Norm *norm, Tensor *x);
// The same in a block, where `site` sees the result.
Tensor *block_norm(const Stream *s, Site site, int l, Tensor *x, const Norm *norm);
// The same on a sub-layer's output, for models that have such a norm; `site` sees the result.
Tensor *block_post_norm(const Stream *s, Site site, int l, Tensor *y, const Norm *norm);
// The stream after a sub-layer: x + y, or y alone when the residual is off.  A share of y may be
// left out while the model learns (op_dropout).
Tensor *block_residual(const Stream *s, Site site, int l, Tensor *x, Tensor *y);
// What the sequences of the batch carry in layer l, from the from-th number of its carry on.
const Recurrence *block_recurrence(const Stream *s, int l, int64_t from);
// The last norm, on the rows whose logits are wanted.
Tensor *block_end(const Stream *s, Tensor *x);

// decoder.c: the whole forward of a decoder, from ids to the hidden state after the last norm.
Tensor *decoder_hidden(Run *run, const Model *model, const Batch *batch);

// mixer_attention.c: attention of layer l over the normed stream (T, C) -> (T, C); query and key
// norms, rotary positions, window, biases and soft cap where the model has them.
Tensor *mixer_attention(const Stream *s, int l, Tensor *x);
// mixer_recurrent.c: the RNN or LSTM of layer l.  Reads in order: the switches that change who sees
// whom, and positions, do not apply to it, nor to mixer_mamba.c: Mamba's.
Tensor *mixer_recurrent(const Stream *s, int l, Tensor *x);
Tensor *mixer_mamba(const Stream *s, int l, Tensor *x);
// channel.c: the feed-forward layer, gated if the model has a gate; or a mixture of experts.
Tensor *channel(const Stream *s, int l, Tensor *x);

#endif
