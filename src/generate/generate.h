// generate.h - text from a session, one token at a time: sample, stop, stream.
//
// A token that would break a character is never drawn (characters.h), so the text is UTF-8 as long
// as the prompt is; a character that the limit of tokens cuts is left out of it.
#ifndef HEED_GENERATE_GENERATE_H
#define HEED_GENERATE_GENERATE_H

#include "generate/sampler.h"
#include "generate/session.h"
#include "generate/stream.h"

// How a model is sampled when nobody says otherwise: its author's advice, else sampler_defaults().
SamplerOptions model_sampling(const Model *model);

typedef enum FinishReason {
    FINISH_STOP,     // the model ended the text, or a stop string came
    FINISH_LENGTH,   // the limit of tokens, or the end of the context
    FINISH_CANCELLED // keep_going or on_text said so
} FinishReason;
const char *finish_reason_name(FinishReason reason); // "stop", "length", "cancelled"

typedef struct GenerateSpec {
    const int32_t *prompt; // (n_prompt) at least one token
    int64_t n_prompt;
    int64_t tokens_max; // negative: to the end of the context
    SamplerOptions sampling;
    const Str *stop; // (n_stop) strings that end the text before them
    int n_stop;
    bool ignore_end;   // go on past end-of-text tokens
    bool show_special; // control tokens are part of the text
    // Called with text as it may be shown: whole characters, never part of a stop string.  False
    // cancels.  NULL: nobody listens.
    bool (*on_text)(void *user, Str text);
    void *user;
} GenerateSpec;

typedef struct Generated {
    const int32_t *token; // (n) in the arena, without the end-of-text token
    int64_t n;
    Str text;
    FinishReason reason;
    int64_t n_prompt_computed; // prompt tokens that were not remembered from before
    double prompt_seconds, generate_seconds;
} Generated;

// Makes the prompt the session's text and goes on from there.  Options are checked first; any error
// leaves the session usable.  The result lives in `arena`.
MUST_USE bool generate(Session *session, Arena *arena, const GenerateSpec *spec, Generated *result,
                       Error *err);

#endif
