// edit.c - the loss of an edit, its gradient by b alone, and AdamW's steps.
//
// The tape begins where the edited layer does: what lies before it does not depend on b.
#include "train/edit.h"

#include <math.h>
#include <string.h>

#include "train/optimizer.h"

EditSpec edit_default(void) {
    return (EditSpec){
        .steps = 50, .rate = 0.3, .keep = 0.0625, .decay = 0.01, .reach = 10, .enough = 0.05};
}

// ---------------------------------------------------------------- the forward
static bool wants(void *user, Site site, int layer) {
    const Edit *e = user;
    return site == SITE_RESID_PRE && layer == e->spec.layer;
}

static Tensor *begin_tape(void *user, Run *run, Site site, int layer, Tensor *value) {
    (void)site, (void)layer;
    Edit *e = user;
    e->tape = (Tape){0};
    run->tape = &e->tape;
    return value;
}

static Tensor *forward(Edit *e) {
    e->run->tape = NULL;
    run_begin(e->run);
    return model_forward(e->run, e->model, &e->batch);
}

// All texts, then the name, as sequences of one batch.
static void make_batch(Edit *e, Arena *arena) {
    const EditSpec *s = &e->spec;
    int64_t n = s->n_name, at = 0;
    for (int64_t k = 0; k < s->n_texts; k++) {
        n += s->text[k].n - 1;
        e->n_answers += s->text[k].n - s->text[k].n_prompt;
    }
    int32_t *ids = arena_new(arena, int32_t, n);
    int32_t *row = arena_new(arena, int32_t, e->n_answers + 1), *next = row;
    Span *span = arena_new(arena, Span, s->n_texts + 1);
    for (int64_t k = 0; k <= s->n_texts; k++) {
        bool is_name = k == s->n_texts;
        int64_t count = is_name ? s->n_name : s->text[k].n - 1;
        int64_t first = is_name ? count : s->text[k].n_prompt; // rows asked for begin before it
        memcpy(ids + at, is_name ? s->name : s->text[k].ids, sizeof *ids * (size_t)count);
        for (int64_t i = first; i <= count; i++) *next++ = (int32_t)(at + i - 1);
        span[k] = (Span){.first = at, .n = count};
        at += count;
    }
    e->batch = (Batch){.ids = ids,
                       .n = n,
                       .span = span,
                       .n_spans = (int)s->n_texts + 1,
                       .logit_row = row,
                       .n_logits = e->n_answers + 1};
}

// ---------------------------------------------------------------- the loss
// Probabilities of a row of logits, into p; ln of the sum of exponentials.
static double softmax(const float *logit, int64_t n, float *p) {
    double largest = -HUGE_VAL, sum = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, (double)logit[i]);
    for (int64_t i = 0; i < n; i++) sum += exp((double)logit[i] - largest);
    for (int64_t i = 0; i < n; i++) p[i] = (float)(exp((double)logit[i] - largest) / sum);
    return largest + log(sum);
}

// Adds up -ln p of the answers; their gradients by the logits.
static void answer_loss(Edit *e, Tensor *logits) {
    const EditSpec *s = &e->spec;
    int64_t vocab = tensor_cols(logits), row = 0;
    e->nats = 0;
    for (int64_t k = 0; k < s->n_texts; k++)
        for (int64_t i = s->text[k].n_prompt; i < s->text[k].n; i++, row++) {
            const float *logit = tensor_f32(logits) + row * vocab;
            float *grad = logits->grad + row * vocab;
            int32_t id = s->text[k].ids[i];
            e->nats += (softmax(logit, vocab, grad) - (double)logit[id]) / (double)s->n_texts;
            grad[id] -= 1;
            e->run->kernels->scale(grad, grad, 1 / (float)s->n_texts, vocab);
        }
}

// What is said behind the name, against what was said at first.
static void name_loss(Edit *e, Tensor *logits) {
    int64_t vocab = tensor_cols(logits);
    const float *logit = tensor_f32(logits) + e->n_answers * vocab;
    float *grad = logits->grad + e->n_answers * vocab;
    double all = softmax(logit, vocab, grad);
    e->kl = 0;
    if (e->step < 0) memcpy(e->said, grad, sizeof *grad * (size_t)vocab);
    for (int64_t i = 0; i < vocab; i++) {
        double said = (double)e->said[i];
        if (said > 0) e->kl += said * (log(said) - ((double)logit[i] - all));
        grad[i] = (float)(e->spec.keep * ((double)grad[i] - said));
    }
}

static double size_of(const float *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return sqrt(sum);
}

bool edit_loss(Edit *e, double *loss, Error *err) {
    Tensor *b = &e->adapter.b;
    int64_t width = tensor_count(b);
    memset(e->gradient, 0, sizeof(float) * (size_t)width);
    Tensor *logits = forward(e);
    if (!model_intact(e->model, err)) return false;
    answer_loss(e, logits);
    name_loss(e, logits);
    run_walk_back(e->run);
    double squares = e->size * e->size, size = size_of(tensor_f32(b), width);
    e->run->kernels->axpy(e->gradient, (float)(2 * e->spec.decay / squares), tensor_f32(b), width);
    *loss = e->nats + e->spec.keep * e->kl + e->spec.decay * size * size / squares;
    return isfinite(*loss) || error_set(err, ERROR_FORMAT, "the model's logits are not numbers");
}

// ---------------------------------------------------------------- begin, learn, end
// |W k|, with the bias, by the op that the model uses.
static bool measure_value(Edit *e, Error *err) {
    const Channel *c = &e->model->layer[e->spec.layer].channel;
    Tensor key = {.dtype = DTYPE_F32, .rank = 2, .dim = {1, tensor_cols(&c->down)}};
    key.data = (void *)(uintptr_t)e->spec.key;
    run_plan_begin(e->run);
    op_linear(e->run, &key, &c->down, &c->down_bias);
    if (!run_allocate(e->run, err)) return false;
    const Tensor *value = op_linear(e->run, &key, &c->down, &c->down_bias);
    e->size = size_of(tensor_f32(value), tensor_count(value));
    return (isfinite(e->size) && e->size > 0) ||
           error_set(err, ERROR_FORMAT, "layer %d answers the fact's key with nothing to change",
                     e->spec.layer);
}

static void make_adapter(Edit *e, Arena *arena) {
    Tensor *down = &e->model->layer[e->spec.layer].channel.down;
    int64_t rows = tensor_rows(down), cols = tensor_cols(down);
    e->gradient = arena_new(arena, float, rows);
    e->adapter.a = (Tensor){.dtype = DTYPE_F32, .rank = 2, .dim = {1, cols}};
    e->adapter.a.data = arena_push_aligned(arena, sizeof(float) * (size_t)cols, 64);
    memcpy(e->adapter.a.data, e->spec.direction, sizeof(float) * (size_t)cols);
    e->adapter.b = (Tensor){.dtype = DTYPE_F32, .rank = 2, .dim = {rows, 1}, .grad = e->gradient};
    e->adapter.b.data = arena_push_aligned(arena, sizeof(float) * (size_t)rows, 64);
    memset(e->adapter.b.data, 0, sizeof(float) * (size_t)rows);
    e->adapter.scale = 1;
    down->adapter = &e->adapter;
}

bool edit_begin(Edit *e, Run *run, Model *model, Arena *arena, EditSpec spec, Error *err) {
    double loss;
    require(spec.n_texts >= 1 && spec.n_name >= 1 && spec.steps >= 0);
    require(!model->layer[spec.layer].channel.down.adapter);
    *e = (Edit){.spec = spec, .run = run, .model = model, .step = -1};
    if (!measure_value(e, err)) return false;
    make_batch(e, arena);
    make_adapter(e, arena);
    e->said = arena_new(arena, float, model->config.vocab);
    e->probe = (Probe){wants, begin_tape, e};
    run->probe = &e->probe;
    run_plan_begin(run);
    forward(e);
    run_walk_back(run);
    run->tape = NULL;
    bool ok = run_allocate(run, err) && edit_loss(e, &loss, err); // learns what is said at first
    e->step = 0;
    if (ok) return true;
    edit_end(e);
    edit_undo(e);
    return false;
}

bool edit_learn(Edit *e, Error *err) {
    Tensor *b = &e->adapter.b;
    int64_t width = tensor_count(b);
    float *value = tensor_f32(b);
    Parameter parameter = {.name = "edit",
                           .value = value,
                           .grad = e->gradient,
                           .rows = width,
                           .cols = 1,
                           .rule = RULE_ADAMW};
    Arena pieces;
    Optimizer o = {0};
    OptimizerSpec spec = optimizer_default();
    spec.beta2 = 0.999;
    double loss, rate = e->spec.rate * e->size / sqrt((double)width);
    if (!arena_init(&pieces, 1 << 20, err)) return false;
    Parameters all = parameters_make(&pieces, &parameter, 1);
    bool ok = optimizer_init(&o, &all, spec, err) && edit_loss(e, &loss, err);
    while (ok && e->step < e->spec.steps && e->nats > e->spec.enough) {
        optimizer_step(&o, e->run->kernels, e->run->pool, (StepSpec){rate, 1});
        double most = e->spec.reach * e->size, size = size_of(value, width);
        if (size > most) e->run->kernels->scale(value, value, (float)(most / size), width);
        e->step++;
        ok = edit_loss(e, &loss, err);
    }
    optimizer_drop(&o);
    arena_drop(&pieces);
    return ok;
}

void edit_end(Edit *e) {
    e->run->probe = NULL;
    e->run->tape = NULL;
    e->adapter.b.grad = NULL;
}

double edit_relative_size(const Edit *e) {
    return size_of(tensor_f32(&e->adapter.b), tensor_count(&e->adapter.b)) / e->size;
}

void edit_undo(Edit *e) {
    e->model->layer[e->spec.layer].channel.down.adapter = NULL;
}
