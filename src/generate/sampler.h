// sampler.h - from logits to one token: a chain of stages that can be watched.
//
// A stage narrows or reweighs the candidates.  The order is Hugging Face's by default (bias,
// penalties, temperature, top-k, top-p, min-p, typical) or llama.cpp's (bias, penalties, top-k,
// typical, top-p, min-p, temperature): with the same numbers the two keep different tokens.
//
//   logit_bias          adds to the logits of the tokens named
//   repetition_penalty  once for each token that occurred: l > 0 ? l / r : l * r
//   frequency_penalty   logit - penalty * times generated
//   presence_penalty    logit - penalty if generated at all
//   temperature         logit / temperature; 0 keeps the largest logit, the lowest id among equals
//   top_k               keeps the k largest, of equals the lower ids
//   top_p               keeps the smallest number of largest whose probability reaches p; 0: one
//   min_p               keeps those with a probability of at least min_p times the largest
//   typical             in the order of | -log probability - entropy |: keeps the fewest first ones
//                       whose probability reaches it (Meister et al. 2022, arXiv 2202.00666)
//
// Probabilities are taken anew among the candidates that are left.  Where others differ: Hugging
// Face's top-k and typical keep all ties of the last one; llama.cpp counts the frequency and
// presence of prompt tokens too; its typical stops when the probability exceeds p, not when it
// reaches it.
//
// The same logits, options and seed draw the same tokens on every machine.
#ifndef HEED_GENERATE_SAMPLER_H
#define HEED_GENERATE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/rng.h"
#include "generate/characters.h"
#include "generate/softmax.h"

typedef enum SamplerOrder { ORDER_HUGGING_FACE, ORDER_LLAMA_CPP } SamplerOrder;

// X(NAME, "json name", neutral value) - stages, in no order.
#define SAMPLER_STAGES(X)                  \
    X(LOGIT_BIAS, "logit_bias", 0)         \
    X(REPETITION, "repetition_penalty", 1) \
    X(FREQUENCY, "frequency_penalty", 0)   \
    X(PRESENCE, "presence_penalty", 0)     \
    X(TEMPERATURE, "temperature", 1)       \
    X(TOP_K, "top_k", 0)                   \
    X(TOP_P, "top_p", 1)                   \
    X(MIN_P, "min_p", 0)                   \
    X(TYPICAL, "typical", 1)

typedef enum SamplerStage {
#define X(name, words, neutral) STAGE_##name,
    SAMPLER_STAGES(X)
#undef X
        STAGE_COUNT
} SamplerStage;

typedef struct LogitBias {
    int32_t id;
    float bias; // -INFINITY forbids the token
} LogitBias;

// Every number means what the definitions above say, and a stage at its neutral value is off. Begin
// with sampler_neutral() or sampler_defaults(); a zeroed struct is no set of options, and
// sampler_check refuses it (no repetition penalty is 0).
typedef struct SamplerOptions {
    SamplerOrder order;
    double temperature;         // 0 .. 1000
    int64_t top_k;              // 0: off
    double top_p;               // 0 .. 1
    double min_p;               // 0 .. 1
    double typical;             // 0 .. 1
    double repetition;          // 0.001 .. 1000
    int64_t repetition_window;  // over so many last tokens, prompt included; 0: over all
    double frequency, presence; // -1000 .. 1000; over generated tokens only
    const LogitBias *bias;
    int n_bias;
    uint64_t seed;
} SamplerOptions;

SamplerOptions sampler_neutral(void);  // draws from the model's own distribution
SamplerOptions sampler_defaults(void); // neutral but for temperature 0.7 and top-p 0.9
// Every number finite and in its range, every bias id < n_vocab; the error (ERROR_USAGE) names the
// option.
MUST_USE bool sampler_check(const SamplerOptions *options, int64_t n_vocab, Error *err);

// What a token is chosen from.
typedef struct SamplerInput {
    const float *logits;    // (V)
    const int32_t *history; // (n_history) every token so far, each of them in 0 .. V-1
    int64_t n_history;
    int64_t n_prompt; // the first so many of them are the prompt
    // Before the first stage, tokens that would break a character are forbidden; NULL: none are.
    const Characters *characters;
} SamplerInput;

typedef struct Choice {
    int32_t id;
    double probability; // among those left after the last stage
    int64_t kept;       // how many were left
    double draw;        // the uniform random number used; -1 at temperature 0, which uses none
} Choice;

typedef struct Candidate {
    int32_t id;
    double logit;       // after the stages so far
    double probability; // among those that are left
} Candidate;

// Candidates sorted by logit, ties by id.
typedef struct Distribution {
    int64_t kept;               // candidates left
    int64_t n;                  // entries of `candidate`
    const Candidate *candidate; // the largest of them
    double rest_probability;    // of those not listed
} Distribution;

typedef struct StageReport {
    SamplerStage stage;
    double parameter;   // of logit_bias: how many tokens it names
    Distribution after; // what the stage left
} StageReport;

typedef struct SamplerReport {
    Distribution model; // before the first stage
    int n_stages;       // the active ones, in their order
    StageReport stage[STAGE_COUNT];
} SamplerReport;

typedef struct Sampler Sampler;

// Everything is allocated here (36 bytes per token of the vocabulary); choosing never allocates.
// Options must have passed sampler_check; they are copied, the bias list too.
Sampler *sampler_make(Arena *arena, const SamplerOptions *options, int64_t n_vocab);

// Draws one token: the candidates side by side from the most probable on, each as wide as its
// probability, and the one in which the draw falls.  Above temperature 0 each call takes exactly
// one number from the generator.  Fails, and takes none, if a logit is NaN or +infinity or if no
// token is left to choose from: ERROR_FORMAT if the model is to blame, ERROR_USAGE if logit_bias
// is.
MUST_USE bool sampler_choose(Sampler *s, const SamplerInput *in, Choice *choice, Error *err);
// The same chain without drawing, with the `top` largest candidates after each active stage, into
// `arena`.  Fails as sampler_choose does.
MUST_USE bool sampler_explain(Sampler *s, const SamplerInput *in, int64_t top, Arena *arena,
                              SamplerReport *report, Error *err);
const char *sampler_stage_name(SamplerStage stage);

// The random state, so that a session can be saved and continued with the same draws.
Rng *sampler_rng(Sampler *s);

#endif
