// block.c - the frame around mixers and channels: embedding, norms, residual stream, the end.
#include "model/block.h"
#include "model/state.h"

const Stream *stream_begin(Run *run, const Model *model, const Batch *batch) {
    Stream *s = run_describe(run, sizeof *s);
    *s = (Stream){.run = run, .model = model, .batch = batch};
    int64_t *positions = run_describe(run, sizeof *positions * (size_t)batch->n);
    for (int i = 0; i < batch->n_spans; i++) {
        const Span *span = &batch->span[i];
        for (int64_t row = 0; row < span->n; row++)
            positions[span->first + row] =
                run->switches.positions == POSITIONS_ON ? span->position + row : 0;
    }
    s->positions = positions;
    if (model->config.positions != POSITION_ROTARY || run->switches.positions == POSITIONS_NONE)
        return s;
    s->angles = op_rotary_angles(run, &model->rotary, positions, batch->n);
    s->angles_local = s->angles;
    if (model->rotary_local.frequency != model->rotary.frequency)
        s->angles_local = op_rotary_angles(run, &model->rotary_local, positions, batch->n);
    return s;
}

Tensor *block_lookup(const Stream *s) {
    Run *run = s->run;
    const Model *m = s->model;
    Tensor *x = op_embed(run, &m->embed, s->batch->ids, s->batch->n);
    if (m->config.embed_scale != 1) x = op_scale(run, x, m->config.embed_scale);
    if (m->embed_positions.data && run->switches.positions != POSITIONS_NONE) {
        int32_t *rows = run_describe(run, sizeof *rows * (size_t)s->batch->n);
        for (int64_t i = 0; i < s->batch->n; i++) rows[i] = (int32_t)s->positions[i];
        x = op_add(run, x, op_embed(run, &m->embed_positions, rows, s->batch->n));
    }
    if (m->config.positions == POSITION_SINE && run->switches.positions != POSITIONS_NONE)
        x = op_add(run, x, op_sine_positions(run, s->positions, s->batch->n, m->config.width));
    return x;
}

Tensor *block_embed(const Stream *s) {
    return probe_at(s->run, SITE_EMBED, 0, op_dropout(s->run, block_lookup(s)));
}

int block_count(const Stream *s) {
    int only = s->run->switches.n_layers, all = s->model->config.layers;
    return only > 0 && only < all ? only : all;
}

Tensor *block_begin(const Stream *s, int l, Tensor *x) {
    run_next_block(s->run);
    return probe_at(s->run, SITE_RESID_PRE, l, x);
}

Tensor *norm_apply(Run *run, const Model *model, const Norm *norm, Tensor *x) {
    float eps = model->config.norm_eps;
    if (run->switches.no_norm) return x;
    return norm->bias.rank ? op_layer_norm(run, x, &norm->weight, &norm->bias, eps)
                           : op_rms_norm(run, x, &norm->weight, eps);
}

Tensor *block_norm(const Stream *s, Site site, int l, Tensor *x, const Norm *norm) {
    return probe_at(s->run, site, l, norm_apply(s->run, s->model, norm, x));
}

Tensor *block_post_norm(const Stream *s, Site site, int l, Tensor *y, const Norm *norm) {
    if (norm->weight.rank) y = norm_apply(s->run, s->model, norm, y);
    return probe_at(s->run, site, l, y);
}

Tensor *block_residual(const Stream *s, Site site, int l, Tensor *x, Tensor *y) {
    y = op_dropout(s->run, y);
    Tensor *sum = s->run->switches.no_residual ? y : op_add(s->run, x, y);
    return probe_at(s->run, site, l, sum);
}

const Recurrence *block_recurrence(const Stream *s, int l, int64_t from) {
    const Batch *batch = s->batch;
    Recurrence *r = run_describe(s->run, sizeof *r);
    float **carry = run_describe(s->run, sizeof *carry * (size_t)batch->n_spans);
    for (int i = 0; i < batch->n_spans; i++) {
        State *state = batch->state ? batch->state[i] : NULL;
        require(state || batch->span[i].position == 0);
        carry[i] = state ? state->layer[l].carry + from : NULL;
    }
    *r = (Recurrence){batch->span, batch->n_spans, carry};
    return r;
}

Tensor *block_end(const Stream *s, Tensor *x) {
    const Batch *batch = s->batch;
    run_next_block(s->run);
    if (batch->logit_row) x = op_rows(s->run, x, batch->logit_row, batch->n_logits);
    return block_norm(s, SITE_FINAL_NORM, 0, x, &s->model->final_norm);
}
