// evaluate.c - window after window through the model's own loss.
#include "look/evaluate.h"

#include <math.h>

double evaluation_nats_per_token(const Evaluation *e) {
    return e->n_tokens ? e->nats / (double)e->n_tokens : 0;
}

double evaluation_perplexity(const Evaluation *e) {
    return exp(evaluation_nats_per_token(e));
}

double evaluation_bits_per_byte(const Evaluation *e) {
    return e->n_bytes ? e->nats / 0.69314718055994531 / (double)e->n_bytes : 0;
}

// A window of n tokens as a batch: rows 0 .. n-2 predict the tokens after them.
typedef struct Window {
    int32_t ids[EVALUATE_WINDOW], target[EVALUATE_WINDOW];
    float loss[EVALUATE_WINDOW];
    SingleBatch single;
} Window;

static Tensor *window_loss(Run *run, const Model *model, Window *w, int64_t n) {
    Batch *batch = batch_single(&w->single, w->ids, n - 1);
    return model_loss(run, model, batch, (LossSpec){.target = w->target, .per_row = w->loss});
}

static bool check(const Model *model, const EvaluateSpec *spec, Error *err) {
    if (model->config.is_encoder)
        return error_set(err, ERROR_UNSUPPORTED,
                         "a %s model is an encoder: it predicts no next token", model->arch->name);
    if (spec->n < 2)
        return error_set(err, ERROR_USAGE, "the text is too short: nothing is predicted");
    for (int64_t i = 0; i < spec->n; i++)
        if (spec->token[i].id < 0 || spec->token[i].id >= model->config.vocab)
            return error_set(err, ERROR_FORMAT, "token %d is not in a vocabulary of %lld",
                             spec->token[i].id, (long long)model->config.vocab);
    return true;
}

static bool plan(Run *run, const Model *model, Window *w, int64_t window, int64_t tail,
                 Error *err) {
    run_plan_begin(run);
    window_loss(run, model, w, window);
    run_begin(run);
    if (tail > 1) window_loss(run, model, w, tail);
    return run_allocate(run, err);
}

bool evaluate(Run *run, const Model *model, const EvaluateSpec *spec, Evaluation *result,
              Error *err) {
    Window w = {0};
    int64_t window =
        model->config.context < EVALUATE_WINDOW ? model->config.context : EVALUATE_WINDOW;
    if (!check(model, spec, err)) return false;
    if (window > spec->n) window = spec->n;
    if (!plan(run, model, &w, window, spec->n % window, err)) return false;
    *result = (Evaluation){0};
    for (int64_t from = 0; from + 1 < spec->n; from += window) {
        int64_t n = spec->n - from < window ? spec->n - from : window;
        if (n < 2) break; // a last token alone has nothing before it
        for (int64_t i = 0; i < n; i++) w.ids[i] = spec->token[from + i].id;
        for (int64_t i = 0; i + 1 < n; i++) w.target[i] = w.ids[i + 1];
        run_begin(run);
        window_loss(run, model, &w, n);
        for (int64_t i = 0; i + 1 < n; i++) {
            const Token *t = &spec->token[from + i + 1];
            result->nats += (double)w.loss[i];
            result->n_bytes += t->end - t->start;
        }
        result->n_tokens += n - 1;
        if (!isfinite(result->nats))
            return error_set(err, ERROR_FORMAT,
                             "the loss is not a number in the window at token %lld",
                             (long long)from);
        if (spec->on_window && !spec->on_window(spec->user, result, from + n))
            return error_set(err, ERROR_CANCELLED, "stopped after %lld of %lld tokens",
                             (long long)(from + n), (long long)spec->n);
    }
    return model_intact(model, err);
}
