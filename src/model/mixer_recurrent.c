// mixer_recurrent.c - the RNN and the LSTM as a part of a block: the sequence is read word by word,
// and all that is known of it is squeezed into one vector (the LSTM's: two) of fixed width.
//
//   x -> in + bias -> h[t] from h[t-1] -> out
//
// What a sequence carries over is that vector: its memory does not grow with the text.
#include "model/block.h"

Tensor *mixer_recurrent(const Stream *s, int l, Tensor *x) {
    Run *run = s->run;
    const Recurrent *w = &s->model->layer[l].recurrent;
    const Recurrence *r = block_recurrence(s, l, 0);
    bool is_lstm = config_mixer(&s->model->config, l) == MIXER_LSTM;
    Tensor *a = op_linear(run, x, &w->in, &w->in_bias);
    Tensor *h = is_lstm ? op_lstm(run, a, &w->hidden, r) : op_elman(run, a, &w->hidden, r);
    h = probe_at(run, SITE_Z, l, h);
    return op_linear(run, h, &w->out, NULL);
}
