// keys.h - the keys of a feed-forward layer: what its down projection is multiplied by, how these
// vary over text, and the direction in which one fact's key stands apart.
//
// A feed-forward layer can be read as a memory (Geva et al. 2021, arXiv 2012.14913): the down
// projection W answers a key k, the values behind the non-linearity, with what is added to the
// stream, W k.  With C = E[k k^T] over text, the direction
//
//     a = C^-1 k / (k^T C^-1 k)
//
// has a k = 1, and is the one that the keys of other texts have least of: W + b a^T answers k with
// W k + b, and other keys as nearly as can be as before (Meng et al. 2022, arXiv 2202.05262, 3.1).
#ifndef HEED_LOOK_KEYS_H
#define HEED_LOOK_KEYS_H

#include "look/fact.h"

enum { KEYS_WIDTH_MAX = 16384, KEYS_TOKENS_MAX = 512 }; // of a layer; of a text

typedef struct Keys {
    Probe probe; // for Run.probe; points back here, so Keys must not move
    const Model *model;
    int layer;
    int64_t width;      // F
    int64_t n;          // keys seen
    double *covariance; // (F, F) sums of k k^T; after keys_factor its Cholesky factor, below
} Keys;

// Is there a plain or gated feed-forward layer, whose down projection has nothing beside it?
// ERROR_USAGE for a layer that the model does not have, or that has no feed-forward;
// ERROR_UNSUPPORTED for a mixture of experts and an encoder.
MUST_USE bool keys_check(const Model *model, int layer, Error *err);

// No keys yet; the matrix lives in `arena`.  ERROR_LIMIT if it has no room.
MUST_USE bool keys_init(Keys *keys, const Model *model, int layer, Arena *arena, Error *err);
// Adds the keys of a text's tokens but the first, at which many models rest: at most
// KEYS_TOKENS_MAX and the model's context, the rest is cut off.  With a run that has no plan.
MUST_USE bool keys_add(Keys *keys, Run *run, const int32_t *ids, int64_t n, Error *err);
// Makes the sums a mean, adds a ridge of 1e-4 of the mean square to its diagonal, and factors it.
// ERROR_USAGE if there are fewer keys than the layer is wide.  Called once, when all are added.
MUST_USE bool keys_factor(Keys *keys, Error *err);
// a (F) out of k (F).
void keys_direction(const Keys *keys, const float *key, Arena *arena, float *direction);

// The key at the subject's last token, mean over facts that differ in what stands before them.
MUST_USE bool keys_of_facts(Run *run, const Model *model, int layer, Arena *arena, const Fact *fact,
                            int64_t n, float *key, Error *err);

#endif
