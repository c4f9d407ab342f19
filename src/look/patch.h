// patch.h - causal tracing: where in a model a fact is brought to light (Meng et al. 2022, arXiv
// 2202.05262, section 2).
//
// The model reads a fact three times: as it is; with noise on the embeddings of the subject's
// tokens, so that it does not know whom the prompt is about; and so again, but with one value put
// back to what it was in the clean run.  What a place brings back of the answer's probability is
// its (indirect) effect:
//
//     effect(token, layer) = P(answer | noise, that value clean) - P(answer | noise)
//
// measured for the residual stream after a layer, what its feed-forward adds, and what its mixer
// adds.  The noise is normal with `noise` times the standard deviation of the embeddings; effects
// are means over several draws of it.  Tokens before the subject are the same in all runs: their
// effect is 0.  With the prompt's last token go those of the answer from which its further tokens
// are predicted, so that the stream after the last layer brings back all.
#ifndef HEED_LOOK_PATCH_H
#define HEED_LOOK_PATCH_H

#include "base/json.h"
#include "look/fact.h"

// X(NAME, site, "name", "words") - what is put back.
#define PATCH_PLACES_LIST(X)                                                \
    X(RESIDUAL, SITE_RESID_POST, "residual", "Residual stream after layer") \
    X(FEED_FORWARD, SITE_MLP_OUT, "feed_forward", "Feed-forward of layer")  \
    X(ATTENTION, SITE_ATTN_OUT, "attention", "Attention of layer")

typedef enum PatchPlace {
#define X(name, site, word, words) PATCH_##name,
    PATCH_PLACES_LIST(X)
#undef X
        PATCH_PLACES
} PatchPlace;
const char *patch_place_name(PatchPlace place);  // "feed_forward"
const char *patch_place_words(PatchPlace place); // "Feed-forward of layer"

typedef struct PatchSpec {
    double noise;  // in standard deviations of the embeddings, > 0
    int64_t draws; // of noise, >= 1
    uint64_t seed; // of the first
    int window;    // layers round the one named whose feed-forward (attention) is put back, >= 1
    bool is_brief; // the feed-forward at the subject's last token alone: enough for patch_layer
    // Told after each forward; false cancels.  NULL: nobody listens.
    bool (*go_on)(void *user, int64_t done, int64_t total);
    void *user;
} PatchSpec;
PatchSpec patch_default(void); // 3, 5 draws, window 1

typedef struct Patch {
    Str model; // its name
    int64_t n; // tokens of the prompt
    int layers;
    const Str *label;       // (n) of the tokens
    const bool *is_subject; // (n)
    int64_t subject;        // the last of its tokens
    double deviation;       // of the embeddings
    PatchSpec spec;
    double clean, corrupted;     // the answer's probability; with noise: the mean
    float *effect[PATCH_PLACES]; // (n, layers); NULL: the model has no such value, or not asked
} Patch;

// With an open run that has no plan.  The fact names a subject.  ERROR_LIMIT for what does not fit
// into memory; the errors of fact_ask.
MUST_USE bool patch_trace(Run *run, const Model *model, Arena *arena, const Fact *fact,
                          PatchSpec spec, Patch *patch, Error *err);

// The layer whose feed-forward has the largest effect at the subject's last token; -1: the model
// has none.
int patch_layer(const Patch *patch);
// An effect as a share of what the noise took away; 0 where it took nothing.
double patch_share(const Patch *patch, PatchPlace place, int64_t token, int layer);

// What was found, in sentences; {"clean", ...} as docs/json.md tells it, without the answer; a
// whole SVG document.
Str patch_words(const Patch *patch, Arena *arena);
void patch_json(JsonWriter *w, const Patch *patch);
void patch_svg(StrBuilder *out, const Patch *patch);

#endif
