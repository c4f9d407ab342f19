// trainer.c - the step: what is drawn, computed, judged and taken.
#include "train/trainer.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "model/weights.h"
#include "train/fault.h"

enum { ROWS_MAX = 1 << 26 }; // of a batch

// ---------------------------------------------------------------- opening
static Tensor *learn(Trainer *t, double share) {
    Tensor *loss = packed_loss(&t->learn, t->spec.model, t->packed);
    Tensor *part = share == 1 ? loss : op_scale(&t->learn, loss, (float)share);
    run_backward(&t->learn, part);
    return loss;
}

static bool plan(Trainer *t, Error *err) {
    const Settings *s = t->spec.settings;
    packed_fill(t->packed, s->batch, s->context);
    run_plan_begin(&t->learn);
    learn(t, 0.5);
    if (!run_allocate(&t->learn, err)) return false;
    run_plan_begin(&t->check);
    packed_loss(&t->check, t->spec.model, t->packed);
    return run_allocate(&t->check, err);
}

static bool open_runs(Trainer *t, Error *err) {
    const Settings *s = t->spec.settings;
    if (!run_open(&t->learn, t->spec.pool, err) || !run_open(&t->check, t->spec.pool, err))
        return false;
    Run *both[] = {&t->learn, &t->check};
    for (int i = 0; i < 2; i++) {
        both[i]->exact = true;
        if (t->spec.kernels) both[i]->kernels = t->spec.kernels;
    }
    t->learn.tape = &t->tape;
    t->learn.recompute = s->recompute;
    t->learn.bf16 = s->bf16;
    t->learn.dropout = (float)s->dropout;
    return plan(t, err);
}

static OptimizerSpec optimizer_spec(const Settings *s, const Pool *pool) {
    OptimizerSpec spec = optimizer_default();
    spec.bf16 = s->bf16;
    spec.threads = pool_threads(pool);
    spec.beta1 = s->beta1;
    spec.beta2 = s->beta2;
    spec.epsilon = s->epsilon;
    spec.decay = s->weight_decay;
    if (s->muon_rate > 0) spec.muon_rate = s->muon_rate / s->rate;
    return spec;
}

static Schedule schedule_of(const Settings *s) {
    int64_t warmup = s->warmup >= 0 ? s->warmup : s->steps / 50;
    if (warmup > s->steps) warmup = s->steps;
    int64_t decay = (int64_t)(s->decay_share * (double)(s->steps - warmup));
    return (Schedule){.kind = (ScheduleKind)s->schedule,
                      .peak = s->rate,
                      .floor = s->rate * s->final_rate,
                      .warmup = warmup,
                      .steps = s->steps,
                      .decay = decay};
}

static bool check_fit(const TrainerSpec *spec, Error *err) {
    const Settings *s = spec->settings;
    const Config *c = &spec->model->config;
    if (s->batch < 1 || s->steps < 1 || s->rate <= 0 || s->context < 1)
        return error_set(err, ERROR_USAGE, "batch, steps, rate and context must be above 0");
    if (s->context > c->context)
        return error_set(err, ERROR_USAGE, "context: %lld tokens; the model was made for %lld",
                         (long long)s->context, (long long)c->context);
    if (s->batch * s->context <= ROWS_MAX && s->batch * s->accumulate <= ROWS_MAX) return true;
    return error_set(err, ERROR_USAGE,
                     "batch: %lld samples of %lld tokens, %lld times, are too many",
                     (long long)s->batch, (long long)s->context, (long long)s->accumulate);
}

// The system hands out more than there is, and ends who uses it.
static bool check_memory(const Trainer *t, Error *err) {
    size_t needed = trainer_bytes(t), all = memory_of_machine();
    if (all == 0 || needed <= all) return true;
    return error_set(err, ERROR_MEMORY,
                     "this takes %.1f GB of memory, and the machine has %.1f: try a smaller batch, "
                     "context or model, or recompute",
                     (double)needed / 1e9, (double)all / 1e9);
}

// What learns: all weights, or the adapters beside them.
static void choose_parameters(Trainer *t) {
    Lora *lora = t->spec.lora;
    Rule rule = t->spec.settings->optimizer == OPTIMIZER_MUON ? RULE_MUON : RULE_ADAMW;
    if (lora) {
        t->parameters = lora->parameters;
        t->gradients = lora->gradients;
        t->n_gradients = lora->parameters.n_values;
        return;
    }
    t->gradients = weights_give_gradients(t->spec.model, &t->n_gradients);
    t->parameters = parameters_of_model(&t->arena, t->spec.model, rule);
}

bool trainer_open(Trainer *t, const TrainerSpec *spec, Error *err) {
    const Settings *s = spec->settings;
    *t = (Trainer){.spec = *spec};
    t->progress.best_loss = (double)INFINITY;
    if (!check_fit(spec, err) || !arena_init(&t->arena, ARENA_DEFAULT, err)) return false;
    t->schedule = schedule_of(s);
    if (!schedule_check(&t->schedule, err)) return false;
    choose_parameters(t);
    if (!optimizer_init(&t->optimizer, &t->parameters, optimizer_spec(s, t->spec.pool), err))
        return false;
    t->draw = draw_make(&t->arena, spec->corpus, s->context, (uint64_t)s->seed);
    if (spec->model->config.is_encoder) {
        t->masking = arena_new(&t->arena, Masking, 1);
        if (!masking_make(t->masking, &t->arena, spec->corpus->tokenizer, s->mask_share, err))
            return false;
    }
    t->packed = packed_make(&t->arena, t->masking, s->batch, s->context);
    return open_runs(t, err) && check_memory(t, err);
}

void trainer_close(Trainer *t) {
    run_close(&t->learn);
    run_close(&t->check);
    optimizer_drop(&t->optimizer);
    arena_drop(&t->arena);
    *t = (Trainer){0};
}

// ---------------------------------------------------------------- a step
// Draws the samples of the step; *n_scored: of all of them.
static Sample *draw_step(Trainer *t, int64_t n, int64_t *n_scored) {
    Sample *sample = arena_new(&t->arena, Sample, n);
    *n_scored = 0;
    t->draw.counter = t->progress.samples;
    for (int64_t i = 0; i < n; i++) {
        sample[i] = draw_next(&t->draw);
        *n_scored += packed_scored(t->masking, sample[i]);
    }
    return sample;
}

// Every batch of every step leaves out other values.
static uint64_t dropout_key(const Trainer *t, int64_t i_batch) {
    const Settings *s = t->spec.settings;
    uint64_t at = (uint64_t)(t->progress.step * s->accumulate + i_batch + 1);
    return (uint64_t)s->seed + at * 0xd1342543de82ef95u;
}

// Every sample of the run has other blanks, however it is cut into batches.
static uint64_t masking_key(const Trainer *t, int64_t i_sample) {
    uint64_t at = (uint64_t)(t->progress.samples + i_sample + 1);
    return (uint64_t)t->spec.settings->seed + at * 0xa0761d6478bd642fu;
}

// Gradients of all batches; *loss: their mean over the scored tokens.
static bool gradients_of_step(Trainer *t, const Sample *sample, int64_t n_scored, double *loss,
                              Error *err) {
    const Settings *s = t->spec.settings;
    memset(t->gradients, 0, sizeof(float) * (size_t)t->n_gradients);
    *loss = 0;
    for (int64_t i = 0; i < s->accumulate; i++) {
        packed_clear(t->packed);
        for (int64_t k = i * s->batch; k < (i + 1) * s->batch; k++)
            packed_add(t->packed, t->spec.corpus, sample[k], masking_key(t, k));
        double share = (double)t->packed->n_scored / (double)n_scored;
        run_begin(&t->learn);
        t->learn.dropout_key = dropout_key(t, i);
        t->learn.balance = (float)(share * s->balance / t->spec.model->config.layers);
        double part = (double)tensor_f32(learn(t, share))[0];
        if (!isfinite(part))
            return fault_in_forward(&t->check, t->spec.model, &t->packed->batch,
                                    t->progress.step + 1, err);
        *loss += share * part;
    }
    return true;
}

// The way a step ends: judged, and taken if it is good.
static void take_step(Trainer *t, GradientNorm norm, StepReport *r) {
    const Settings *s = t->spec.settings;
    TrainProgress *p = &t->progress;
    r->norm = norm.norm;
    r->rate = schedule_rate(&t->schedule, p->step + 1);
    r->judgement = spike_judge(&p->guard, &t->parameters, norm, s->spike, r->words);
    if (r->judgement != STEP_GOOD) return;
    StepSpec step = {r->rate, clip_factor(norm.norm, s->clip)};
    optimizer_step(&t->optimizer, t->learn.kernels, t->spec.pool, step);
}

bool trainer_step(Trainer *t, StepReport *r, Error *err) {
    const Settings *s = t->spec.settings;
    TrainProgress *p = &t->progress;
    double begun = clock_seconds();
    ArenaMark mark = arena_mark(&t->arena);
    int64_t n_samples = s->batch * s->accumulate, n_scored;
    Sample *sample = draw_step(t, n_samples, &n_scored);
    *r = (StepReport){.step = p->step + 1, .tokens = n_scored};
    bool ok = gradients_of_step(t, sample, n_scored, &r->loss, err);
    arena_back(&t->arena, mark);
    if (!ok) return false;
    take_step(t, gradient_norm(&t->parameters, t->spec.pool), r);
    if (r->judgement == STEP_NOT_FINITE)
        return error_set(err, ERROR_FORMAT, "step %lld: %s", (long long)r->step, r->words);
    p->step++;
    p->samples += n_samples;
    p->tokens += n_scored;
    r->seconds = clock_seconds() - begun;
    p->seconds += r->seconds;
    return true;
}

// ---------------------------------------------------------------- validation
// The bytes that the scored tokens stand for.
static int64_t scored_bytes(const Trainer *t) {
    const Packed *p = t->packed;
    int64_t bytes = 0;
    for (int64_t i = 0; i < batch_rows(&p->batch); i++)
        if (p->weight[i] > 0)
            bytes += (int64_t)tokenizer_piece(t->spec.corpus->tokenizer, p->target[i], false).n;
    return bytes;
}

bool trainer_validate(Trainer *t, Validation *v, Error *err) {
    const Settings *s = t->spec.settings;
    const Corpus *c = t->spec.corpus;
    int64_t n = corpus_validation_samples(c, s->context), bytes = 0;
    double nats = 0;
    *v = (Validation){0};
    for (int64_t i = 0; i < n && (s->validation_tokens == 0 || v->tokens < s->validation_tokens);) {
        packed_clear(t->packed);
        for (int64_t k = 0; k < s->batch && i < n; k++, i++)
            packed_add(t->packed, c, corpus_validation(c, s->context, i), (uint64_t)i);
        run_begin(&t->check);
        packed_loss(&t->check, t->spec.model, t->packed);
        for (int64_t row = 0; row < batch_rows(&t->packed->batch); row++)
            if (t->packed->weight[row] > 0) nats += (double)t->packed->per_row[row];
        v->tokens += t->packed->n_scored;
        bytes += scored_bytes(t);
    }
    if (v->tokens) v->nats = nats / (double)v->tokens;
    v->bits = bytes && !t->masking ? nats / log(2) / (double)bytes : (double)NAN;
    if (isfinite(v->nats)) return true;
    return error_set(err, ERROR_FORMAT, "step %lld: the validation loss is not a number",
                     (long long)t->progress.step);
}

// ---------------------------------------------------------------- accounts
// A product forward, and one on the way back for the input and each that learns.
static double products_of(const Tensor *w) {
    const Adapter *adapter = w->adapter;
    double flops = (w->grad ? 6 : 4) * (double)tensor_count(w);
    if (adapter) flops += 6 * (double)(tensor_count(&adapter->a) + tensor_count(&adapter->b));
    return flops;
}

typedef struct FlopCount {
    const Config *config;
    double flops;
} FlopCount;

// Of a mixture, as many experts as digest a token.
static void count_matrix(void *user, const Weight *w, int layer) {
    FlopCount *f = user;
    double share =
        w->form == FORM_EXPERTS ? (double)f->config->experts_used / (double)f->config->experts : 1;
    (void)layer;
    if (w->tensor->rank == 2) f->flops += share * products_of(w->tensor);
}

// Pairs of a query and the keys that it sees: half of the others, or all.
static double pairs_per_token(const Trainer *t) {
    double sample = corpus_mean_sample(t->spec.corpus, t->spec.settings->context);
    return t->masking ? sample : (double)t->spec.settings->context / 2;
}

double trainer_flops_per_token(const Trainer *t) {
    Model *m = t->spec.model;
    const Config *c = &m->config;
    FlopCount count = {.config = c};
    weights_each(m, count_matrix, &count);
    if (!m->is_tied) count.flops -= products_of(&m->embed); // rows are looked up
    if (m->embed_positions.data) count.flops -= products_of(&m->embed_positions);
    if (m->embed_types.data) count.flops -= products_of(&m->embed_types);
    double pairs = 12 * pairs_per_token(t) * c->layers * c->heads * c->head_width;
    if (!t->masking) return count.flops + pairs;
    double head = products_of(&m->head) + products_of(&m->token_head.dense);
    return head + (count.flops - head + pairs) / t->masking->share;
}

size_t trainer_bytes(const Trainer *t) {
    int64_t floats = 2 * t->n_gradients + t->optimizer.n_moments; // weights and gradients
    return (size_t)floats * sizeof(float) + run_planned_bytes(&t->learn) +
           run_planned_bytes(&t->check);
}
