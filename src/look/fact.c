// fact.c - where subject and answer lie among the tokens, and how probable the answer is.
#include "look/fact.h"

#include <math.h>

// ---------------------------------------------------------------- tokens
static bool check_text(const Model *model, const FactText *t, Error *err) {
    if (model->config.is_encoder)
        return error_set(err, ERROR_UNSUPPORTED,
                         "an encoder does not go on with a text: it has no answers");
    if (t->prompt.n == 0) return error_set(err, ERROR_USAGE, "the prompt is empty");
    if (t->answer.n == 0) return error_set(err, ERROR_USAGE, "the answer is empty");
    if (str_find(t->prompt, t->subject, 0) == SIZE_MAX)
        return error_set(err, ERROR_USAGE, "the prompt does not hold the subject '%.*s'",
                         t->subject.n < 200 ? (int)t->subject.n : 200, t->subject.data);
    return true;
}

// Marks what touches a mention; mentions begin behind `from` bytes.
static void mark_subject(Fact *f, const FactText *t, size_t from) {
    f->subject = -1;
    for (size_t at = 0; t->subject.n; at++) {
        at = str_find(t->prompt, t->subject, at);
        if (at == SIZE_MAX) return;
        int64_t begin = (int64_t)(from + at), end = begin + (int64_t)t->subject.n;
        for (int64_t i = 0; i < f->n_prompt; i++) {
            if (f->token[i].start >= end || f->token[i].end <= begin) continue;
            f->is_subject[i] = true;
            if (i > f->subject) f->subject = i;
        }
    }
}

bool fact_read(const Model *model, Arena *arena, FactText t, Fact *f, Error *err) {
    Reading r;
    int64_t most =
        model->config.context < FACT_TOKENS_MAX ? model->config.context : FACT_TOKENS_MAX;
    if (!check_text(model, &t, err)) return false;
    Str text =
        str_printf(arena, "%.*s%.*s%.*s", STR_ARG(t.front), STR_ARG(t.prompt), STR_ARG(t.answer));
    if (!reading_make(model, arena, text, &r, err)) return false;
    *f = (Fact){.ids = r.ids, .token = r.token, .n = r.n};
    if (f->n > most)
        return error_set(err, ERROR_LIMIT, "the text has %lld tokens, of which at most %lld fit",
                         (long long)f->n, (long long)most);
    int64_t from = (int64_t)(t.front.n + t.prompt.n); // of the answer, in bytes
    while (f->n_prompt < f->n && f->token[f->n_prompt].end <= from) f->n_prompt++;
    if (f->n_prompt == f->n)
        return error_set(err, ERROR_USAGE, "the vocabulary has no token for the answer");
    if (f->n_prompt == 0)
        return error_set(err, ERROR_USAGE, "the answer begins within the first token");
    f->is_subject = arena_new(arena, bool, f->n);
    mark_subject(f, &t, t.front.n);
    if (t.subject.n && f->subject < 0)
        return error_set(err, ERROR_USAGE, "no token of the prompt stands for the subject");
    return true;
}

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

Str fact_answer(Arena *arena, Str prompt, Str answer) {
    bool meet =
        prompt.n && answer.n && is_word(prompt.data[prompt.n - 1]) && is_word(answer.data[0]);
    return str_printf(arena, "%s%.*s", meet ? " " : "", STR_ARG(answer));
}

// ---------------------------------------------------------------- probabilities
static double log_sum(const float *logit, int64_t n, int32_t *likeliest) {
    double sum = 0;
    *likeliest = 0;
    for (int64_t i = 1; i < n; i++)
        if (logit[i] > logit[*likeliest]) *likeliest = (int32_t)i;
    double largest = (double)logit[*likeliest];
    for (int64_t i = 0; i < n; i++) sum += exp((double)logit[i] - largest);
    return largest + log(sum);
}

double fact_log_probability(const Fact *f, const float *logits, int64_t vocab) {
    double sum = 0;
    int32_t unused;
    for (int64_t i = f->n_prompt; i < f->n; i++, logits += vocab)
        sum += (double)logits[f->ids[i]] - log_sum(logits, vocab, &unused);
    return sum;
}

void fact_rows(const Fact *f, int64_t first, int32_t *row) {
    for (int64_t i = f->n_prompt; i < f->n; i++) row[i - f->n_prompt] = (int32_t)(first + i - 1);
}

bool fact_ask(Run *run, const Model *model, const Fact *f, FactSaid *said, Error *err) {
    SingleBatch single;
    int32_t row[FACT_TOKENS_MAX];
    Batch *batch = batch_single(&single, f->ids, f->n - 1);
    fact_rows(f, 0, row);
    batch->logit_row = row;
    batch->n_logits = f->n - f->n_prompt;
    run_plan_begin(run);
    model_forward(run, model, batch);
    if (!run_allocate(run, err)) return false;
    const Tensor *logits = model_forward(run, model, batch);
    if (!model_intact(model, err)) return false;
    const float *first = tensor_f32(logits);
    said->answer = exp(fact_log_probability(f, first, model->config.vocab));
    double all = log_sum(first, model->config.vocab, &said->likeliest);
    said->likeliest_p = exp((double)first[said->likeliest] - all);
    return isfinite(said->answer) ||
           error_set(err, ERROR_FORMAT, "the model's logits are not numbers");
}
