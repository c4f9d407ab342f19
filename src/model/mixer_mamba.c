// mixer_mamba.c - the selective state space of Mamba (Gu and Dao 2023, arXiv 2312.00752) as a part
// of a block.
//
//   x -> in_x -> convolution over the last W rows -> SiLU --> u --+-- scan --(*)--> out
//     \                                                            \-> dt, B, C   |
//      `-> in_z ------------------------------------------------------- SiLU -----+
//
// How fast the states fade (dt), what is written to them (B) and what is read (C) depends on the
// word.  A sequence carries over the last W-1 rows before the convolution, then the scan's states.
#include "model/block.h"

// u and the three things that the scan is told by it.
static Tensor *scan(const Stream *s, int l, Tensor *u) {
    Run *run = s->run;
    const Config *c = &s->model->config;
    const Mamba *w = &s->model->layer[l].mamba;
    int64_t tail = (int64_t)(c->conv_width - 1) * c->inner_width;
    Tensor *y[3];
    op_linears(run, u, (LinearPart[]){{&w->x_dt, NULL}, {&w->x_b, NULL}, {&w->x_c, NULL}}, 3, y);
    Scan in = {.u = u, .b = y[1], .c = y[2], .a_log = &w->a_log, .d = &w->d};
    in.dt = op_linear(run, y[0], &w->dt, &w->dt_bias);
    return op_selective_scan(run, &in, block_recurrence(s, l, tail));
}

Tensor *mixer_mamba(const Stream *s, int l, Tensor *x) {
    Run *run = s->run;
    const Mamba *w = &s->model->layer[l].mamba;
    Tensor *half[2];
    op_linears(run, x, (LinearPart[]){{&w->in_x, NULL}, {&w->in_z, NULL}}, 2, half);
    Tensor *u = op_causal_conv(run, half[0], &w->conv, &w->conv_bias, block_recurrence(s, l, 0));
    Tensor *y = scan(s, l, op_activate(run, u, ACT_SILU));
    y = probe_at(run, SITE_Z, l, op_gated(run, half[1], y, ACT_SILU));
    return op_linear(run, y, &w->out, NULL);
}
