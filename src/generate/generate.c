// generate.c - the loop that writes: logits, one token, its text, again.
#include "generate/generate.h"

#include "base/clock.h"

SamplerOptions model_sampling(const Model *model) {
    SamplerOptions o = sampler_defaults();
    const SamplingAdvice *advice = &model->advice;
    if (advice->temperature >= 0) o.temperature = (double)advice->temperature;
    if (advice->top_k >= 0) o.top_k = advice->top_k;
    if (advice->top_p >= 0) o.top_p = (double)advice->top_p;
    if (advice->min_p >= 0) o.min_p = (double)advice->min_p;
    if (advice->repetition > 0) o.repetition = (double)advice->repetition;
    return o;
}

const char *finish_reason_name(FinishReason reason) {
    static const char *const names[] = {
        [FINISH_STOP] = "stop", [FINISH_LENGTH] = "length", [FINISH_CANCELLED] = "cancelled"};
    return names[reason];
}

// The state of one generation.
typedef struct Writing {
    const GenerateSpec *spec;
    Session *session;
    Sampler *sampler;
    Characters characters;
    Stream stream;
    StrBuilder text;
    size_t n_shown; // bytes of text handed to on_text
    int32_t *token;
    int64_t n;
    bool is_cancelled;
} Writing;

static void show(Writing *w) {
    const GenerateSpec *spec = w->spec;
    Str fresh = {w->text.data + w->n_shown, w->text.n - w->n_shown};
    if (fresh.n == 0 || !spec->on_text) return;
    w->n_shown = w->text.n;
    if (!spec->on_text(spec->user, fresh)) w->is_cancelled = true;
}

static void show_piece(Writing *w, int32_t id) {
    if (!w->session->model->tokenizer) return;
    stream_add(&w->stream, tokenizer_piece(w->session->model->tokenizer, id, w->spec->show_special),
               &w->text);
    show(w);
}

// One token after another until something ends it.
static bool write_tokens(Writing *w, int64_t tokens_max, FinishReason *reason, Error *err) {
    Session *s = w->session;
    *reason = FINISH_LENGTH;
    while (w->n < tokens_max) {
        SamplerInput in = {s->logits, s->ids, s->n, w->spec->n_prompt,
                           s->model->tokenizer ? &w->characters : NULL};
        Choice choice;
        if (!sampler_choose(w->sampler, &in, &choice, err)) return false;
        int32_t id = choice.id;
        bool is_end = !w->spec->ignore_end && model_ends(s->model, id);
        if (!is_end) {
            w->token[w->n++] = id;
            show_piece(w, id);
        }
        if (is_end || w->stream.is_stopped) *reason = FINISH_STOP;
        if (w->is_cancelled) *reason = FINISH_CANCELLED;
        if (*reason != FINISH_LENGTH || w->n == tokens_max || s->n == s->context) return true;
        if (session_add(s, id, err)) continue;
        if (err->kind != ERROR_CANCELLED) return false;
        *reason = FINISH_CANCELLED;
        return true;
    }
    return true;
}

bool generate(Session *session, Arena *arena, const GenerateSpec *spec, Generated *result,
              Error *err) {
    const Model *model = session->model;
    Writing w = {.spec = spec, .session = session, .text = str_builder(arena)};
    if (!sampler_check(&spec->sampling, model->config.vocab, err) ||
        !stream_init(&w.stream, spec->stop, spec->n_stop, err))
        return false;
    double start = clock_seconds();
    int64_t computed = session->n_computed;
    if (!session_sync(session, spec->prompt, spec->n_prompt, err)) return false;
    double begun = clock_seconds();
    int64_t room = session->context - session->n + 1; // the last token need not be remembered
    int64_t tokens_max = spec->tokens_max < 0 || spec->tokens_max > room ? room : spec->tokens_max;
    *result = (Generated){.prompt_seconds = begun - start,
                          .n_prompt_computed = session->n_computed - computed};
    w.token = arena_new(arena, int32_t, tokens_max);
    w.sampler = sampler_make(arena, &spec->sampling, model->config.vocab);
    if (model->tokenizer)
        characters_init(&w.characters, arena, model->tokenizer, model->config.vocab);
    if (!write_tokens(&w, tokens_max, &result->reason, err)) return false;
    if (result->reason == FINISH_LENGTH)
        stream_cut(&w.stream, &w.text);
    else
        stream_finish(&w.stream, &w.text);
    show(&w);
    result->generate_seconds = clock_seconds() - begun;
    result->token = w.token;
    result->n = w.n;
    result->text = str_built(&w.text);
    return true;
}
