// fact.h - a fact as a model reads it: a prompt that breaks off, whom it is about, and the answer
// that goes on with it, in tokens.
//
// The subject's last token is where a model has read all of the name: there facts are looked up
// (Meng et al. 2022, arXiv 2202.05262).
#ifndef HEED_LOOK_FACT_H
#define HEED_LOOK_FACT_H

#include "look/reading.h"

enum { FACT_TOKENS_MAX = 1024 };

typedef struct FactText {
    Str front;   // a passage that stands before the prompt; may be empty
    Str prompt;  // "The capital of France is"
    Str subject; // "France"; stands in the prompt.  Empty: nobody is named
    Str answer;  // " Paris", with the blank that separates it
} FactText;

typedef struct Fact {
    int32_t *ids;     // (n) of front, prompt and answer
    Token *token;     // (n) their bytes
    int64_t n;        // tokens
    int64_t n_prompt; // tokens before the answer's first: its probability is read from this - 1 on
    bool *is_subject; // (n) tokens that touch a mention of the subject in the prompt
    int64_t subject;  // the last of them; -1: nobody is named
} Fact;

// ERROR_USAGE for a prompt that does not hold the subject, or an empty prompt or answer;
// ERROR_LIMIT for a text past the model's context or FACT_TOKENS_MAX; ERROR_UNSUPPORTED for an
// encoder.
MUST_USE bool fact_read(const Model *model, Arena *arena, FactText text, Fact *fact, Error *err);

// The answer as it goes on behind the prompt: with a blank before it, if both are letters or digits
// of ASCII where they meet.
Str fact_answer(Arena *arena, Str prompt, Str answer);

// ln p of the answer's tokens, given their logits (n - n_prompt, V).
double fact_log_probability(const Fact *fact, const float *logits, int64_t vocab);
// Rows of a batch, in which the fact's tokens but the last begin at row `first`, whose logits these
// are.
void fact_rows(const Fact *fact, int64_t first, int32_t *row);

// What a model says of a fact.
typedef struct FactSaid {
    double answer;     // probability of the whole answer
    int32_t likeliest; // token behind the prompt
    double likeliest_p;
} FactSaid;
// One forward with a run that has no plan; its probe may look and change.  ERROR_FORMAT for a model
// that yields what is not a number.
MUST_USE bool fact_ask(Run *run, const Model *model, const Fact *fact, FactSaid *said, Error *err);

#endif
