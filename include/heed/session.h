/* heed/session.h - one growing text on an engine: logits, sampling, streaming.
 *
 * The caller names the whole text each time; what it shares with the last one is not computed
 * again. After a failure a session holds a prefix of the text and may be used again. */
#ifndef HEED_SESSION_H
#define HEED_SESSION_H

#include "heed/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HeedSession HeedSession;

typedef enum HeedCacheType { HEED_CACHE_F16, HEED_CACHE_F32, HEED_CACHE_Q8_0 } HeedCacheType;

typedef struct HeedSessionOptions {
    int64_t context; /* positions at most; 0: what the model was made for */
    HeedCacheType cache;
    bool exact; /* f32 activations throughout, as reference implementations compute */
} HeedSessionOptions;

/* options NULL: all defaults. */
HEED_API HeedSession *heed_session_open(HeedEngine *engine, const HeedSessionOptions *options,
                                        HeedError *error);
HEED_API void heed_session_close(HeedSession *session); /* accepts NULL */

/* Makes ids (n >= 1) the text.  HEED_ERROR_LIMIT past the context. */
HEED_API bool heed_session_sync(HeedSession *session, const int32_t *ids, int64_t n,
                                HeedError *error);
/* Logits of the next token, one per token of the vocabulary; valid until the text changes. */
HEED_API const float *heed_session_logits(const HeedSession *session);
/* Tokens of the text, and bytes that the session remembers of it. */
HEED_API int64_t heed_session_length(const HeedSession *session);
HEED_API size_t heed_session_bytes(const HeedSession *session);

typedef struct HeedSampling {
    double temperature;                         /* 0: greedy */
    int64_t top_k;                              /* 0: off */
    double top_p;                               /* 1: off */
    double min_p;                               /* 0: off */
    double typical;                             /* 1: off */
    double repetition_penalty;                  /* 1: off */
    int64_t repetition_window;                  /* tokens the penalty looks at; 0: all */
    double frequency_penalty, presence_penalty; /* 0: off */
    uint64_t seed;
    bool llama_cpp_order; /* temperature last instead of first */
} HeedSampling;

/* The model author's advice where the file has it, else temperature 0.7 and top-p 0.9. */
HEED_API HeedSampling heed_sampling_defaults(const HeedEngine *engine);

typedef enum HeedFinish { HEED_FINISH_STOP, HEED_FINISH_LENGTH, HEED_FINISH_CANCELLED } HeedFinish;

typedef struct HeedGenerate {
    const int32_t *prompt; /* (n_prompt) */
    int64_t n_prompt;
    int64_t tokens_max; /* negative: to the end of the context */
    HeedSampling sampling;
    const char *const *stop; /* (n_stop) texts that end the answer before them; at most 16 */
    int n_stop;
    /* Called with whole characters as they come; false cancels.  May be NULL. */
    bool (*on_text)(void *user, const char *text, size_t bytes);
    void *user;
} HeedGenerate;

/* Goes on from the prompt.  `text`, if not NULL, receives the answer in memory that lives until the
 * next heed_generate of the session. */
HEED_API bool heed_generate(HeedSession *session, const HeedGenerate *request, HeedFinish *finish,
                            const char **text, size_t *bytes, HeedError *error);

#ifdef __cplusplus
}
#endif

#endif
