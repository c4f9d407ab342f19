// model.c - running a model, whatever its architecture.
#include "model/model.h"

#include "model/block.h"
#include "model/state.h"

static const Arch *const archs[] = {&arch_gpt2,  &arch_llama,    &arch_qwen2,  &arch_qwen2moe,
                                    &arch_qwen3, &arch_qwen3moe, &arch_gemma3, &arch_mamba,
                                    &arch_bert,  &arch_heed};
enum { N_ARCHS = sizeof archs / sizeof *archs };

const Arch *arch_named(Str name) {
    for (int i = 0; i < N_ARCHS; i++)
        if (str_equal(name, str_from(archs[i]->name))) return archs[i];
    return NULL;
}

const Arch *arch_of_hf_type(Str type) {
    for (int i = 0; i < N_ARCHS; i++)
        for (const char *const *t = archs[i]->hf_types; *t; t++)
            if (str_equal(type, str_from(*t))) return archs[i];
    return NULL;
}

// ---------------------------------------------------------------- forward
Tensor *model_hidden(Run *run, const Model *model, const Batch *batch) {
    Tensor *hidden = model->arch->hidden(run, model, batch);
    for (int i = 0; i < batch->n_spans && batch->state && !run->dry; i++) {
        const Span *span = &batch->span[i];
        if (batch->state[i]) state_reach(batch->state[i], span->position + span->n);
    }
    return hidden;
}

// What the head multiplies.
static Tensor *to_head(Run *run, const Model *model, Tensor *hidden) {
    return model->arch->to_head ? model->arch->to_head(run, model, hidden) : hidden;
}

static Tensor *head_logits(Run *run, const Model *model, Tensor *hidden) {
    Tensor *logits =
        op_linear(run, to_head(run, model, hidden), &model->head, &model->token_head.bias);
    float cap = model->config.final_softcap;
    return cap > 0 ? op_softcap(run, logits, cap) : logits;
}

Tensor *model_logits(Run *run, const Model *model, Tensor *hidden) {
    return probe_at(run, SITE_LOGITS, 0, head_logits(run, model, hidden));
}

Tensor *model_lens(Run *run, const Model *model, Tensor *x) {
    if (model->final_norm.weight.rank) x = norm_apply(run, model, &model->final_norm, x);
    return head_logits(run, model, x);
}

Tensor *model_forward(Run *run, const Model *model, const Batch *batch) {
    return model_logits(run, model, model_hidden(run, model, batch));
}

Tensor *model_loss(Run *run, const Model *model, const Batch *batch, LossSpec spec) {
    Tensor *x = to_head(run, model, model_hidden(run, model, batch));
    spec.cap = model->config.final_softcap;
    spec.bias = &model->token_head.bias;
    return op_cross_entropy(run, x, &model->head, spec);
}

// ---------------------------------------------------------------- planning
// Both ends are counted: many rows at once, and one row behind a full memory.
bool model_plan(Run *run, const Model *model, State *state, int64_t n, int64_t n_logits,
                Error *err) {
    int64_t capacity = state ? state->capacity : n;
    int64_t rows[] = {n, n > 8 ? 8 : 1, 1};
    Arena *arena = &run->shapes;
    run_plan_begin(run);
    for (int i = 0; i < 3; i++) {
        run_begin(run);
        int64_t count = rows[i] < capacity ? rows[i] : capacity;
        int32_t *ids = arena_new(arena, int32_t, count),
                *logit_row = arena_new(arena, int32_t, n_logits);
        Span span = {.n = count, .position = state ? capacity - count : 0};
        Batch batch = {.ids = ids,
                       .n = count,
                       .span = &span,
                       .n_spans = 1,
                       .state = &state,
                       .logit_row = logit_row,
                       .n_logits = n_logits};
        model_forward(run, model, &batch);
    }
    return run_allocate(run, err);
}
