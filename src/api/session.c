// session.c - the public face of a session and of generation.
#include <stdlib.h>

#include "api/api.h"
#include "generate/generate.h"

HeedSession *heed_session_open(HeedEngine *engine, const HeedSessionOptions *options,
                               HeedError *error) {
    static const HeedSessionOptions defaults;
    static const DType types[] = {
        [HEED_CACHE_F16] = DTYPE_F16, [HEED_CACHE_F32] = DTYPE_F32, [HEED_CACHE_Q8_0] = DTYPE_Q8_0};
    if (!options) options = &defaults;
    Error err = {0};
    HeedSession *s = calloc(1, sizeof *s);
    bool ok = s || error_set(&err, ERROR_MEMORY, "no memory for a session");
    ok = ok && arena_init(&s->answer, ARENA_DEFAULT, &err);
    if (ok) {
        s->engine = engine;
        s->session = session_open(engine->model,
                                  (SessionOptions){.pool = engine->pool,
                                                   .kernels = engine->kernels,
                                                   .context = options->context,
                                                   .cache = types[options->cache],
                                                   .exact = options->exact},
                                  &err);
        if (s->session) return s;
    }
    heed_session_close(s);
    api_fail(error, &err);
    return NULL;
}

void heed_session_close(HeedSession *session) {
    if (!session) return;
    session_close(session->session);
    arena_drop(&session->answer);
    free(session);
}

bool heed_session_sync(HeedSession *session, const int32_t *ids, int64_t n, HeedError *error) {
    Error err = {0};
    return session_sync(session->session, ids, n, &err) || api_fail(error, &err);
}

const float *heed_session_logits(const HeedSession *session) {
    return session->session->logits;
}
int64_t heed_session_length(const HeedSession *session) {
    return session->session->n;
}
size_t heed_session_bytes(const HeedSession *session) {
    return state_bytes(session->session->state);
}

HeedSampling heed_sampling_defaults(const HeedEngine *engine) {
    SamplerOptions o = model_sampling(engine->model);
    return (HeedSampling){.temperature = o.temperature,
                          .top_k = o.top_k,
                          .top_p = o.top_p,
                          .min_p = o.min_p,
                          .typical = o.typical,
                          .repetition_penalty = o.repetition,
                          .repetition_window = o.repetition_window};
}

static SamplerOptions inner_sampling(const HeedSampling *s) {
    SamplerOptions o = sampler_neutral();
    o.order = s->llama_cpp_order ? ORDER_LLAMA_CPP : ORDER_HUGGING_FACE;
    o.temperature = s->temperature;
    o.top_k = s->top_k;
    o.top_p = s->top_p;
    o.min_p = s->min_p;
    o.typical = s->typical;
    o.repetition = s->repetition_penalty;
    o.repetition_window = s->repetition_window;
    o.frequency = s->frequency_penalty;
    o.presence = s->presence_penalty;
    o.seed = s->seed;
    return o;
}

// The caller's callback in the inner one's place.
static bool pass_text(void *user, Str text) {
    const HeedGenerate *request = user;
    return request->on_text(request->user, text.data, text.n);
}

bool heed_generate(HeedSession *session, const HeedGenerate *request, HeedFinish *finish,
                   const char **text, size_t *bytes, HeedError *error) {
    static const HeedFinish reasons[] = {[FINISH_STOP] = HEED_FINISH_STOP,
                                         [FINISH_LENGTH] = HEED_FINISH_LENGTH,
                                         [FINISH_CANCELLED] = HEED_FINISH_CANCELLED};
    Error err = {0};
    Generated result;
    Str stop[STREAM_STOPS_MAX + 1]; // one too many is refused by the stream
    int n_stop = request->n_stop < STREAM_STOPS_MAX + 1 ? request->n_stop : STREAM_STOPS_MAX + 1;
    for (int i = 0; i < n_stop; i++) stop[i] = str_from(request->stop[i]);
    arena_back(&session->answer, (ArenaMark){0});
    GenerateSpec spec = {.prompt = request->prompt,
                         .n_prompt = request->n_prompt,
                         .tokens_max = request->tokens_max,
                         .sampling = inner_sampling(&request->sampling),
                         .stop = stop,
                         .n_stop = n_stop,
                         .on_text = request->on_text ? pass_text : NULL,
                         .user = (void *)(uintptr_t)request}; // only read
    if (!generate(session->session, &session->answer, &spec, &result, &err))
        return api_fail(error, &err);
    if (finish) *finish = reasons[result.reason];
    if (text) *text = result.text.data;
    if (bytes) *bytes = result.text.n;
    return true;
}
