// channel.c - the feed-forward layer: every position is digested alone.
//
//   dense:  down(act(up(x)))          gated:  down(act(gate(x)) * up(x))
#include "model/block.h"

Tensor *channel(const Stream *s, int l, Tensor *x) {
    Run *run = s->run;
    const Channel *w = &s->model->layer[l].channel;
    Activation act = s->model->config.activation;
    Tensor *h[2];
    if (w->gate.data) {
        op_linears(run, x, (LinearPart[]){{&w->gate, NULL}, {&w->up, &w->up_bias}}, 2, h);
        h[0] = op_gated(run, probe_at(run, SITE_MLP_PRE, l, h[0]), h[1], act);
    } else {
        op_linears(run, x, &(LinearPart){&w->up, &w->up_bias}, 1, h);
        h[0] = op_activate(run, probe_at(run, SITE_MLP_PRE, l, h[0]), act);
    }
    h[0] = probe_at(run, SITE_MLP_ACT, l, h[0]);
    return op_linear(run, h[0], &w->down, &w->down_bias);
}
