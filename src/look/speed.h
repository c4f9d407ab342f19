// speed.h - how fast a model runs here, in tokens a second and as a share of what is possible.
//
// Prefill is a prompt of n tokens through the model, in chunks of 512, with logits for the last of
// each.  Decode is one token after the other behind `depth` remembered positions.  The ids are
// random and always the same.  One repetition warms up, then `repeat` are timed; the middle one is
// the result, the least and the most are its spread.
//
// Shares of the limits (limits.h):
//
//   decode    bytes a token reads / bandwidth / seconds a token takes.  Bytes: every weight once;
//             of an embedding that is not also the head, and of learned positions, one row; the
//             keys and values of the positions that are seen, on average over the tokens decoded.
//   prefill   operations / peak / seconds.  Operations: 2 for each weight of the matrices of the
//             blocks and each token, and 4 D for each pair of a query and a key it may see, in each
//             head and layer.  Embedding, head, norms and activations are not counted.  The peak is
//             that of the arithmetic in which most of these weights are multiplied: int8 for
//             quantised ones, bf16 for BF16 where the processor has it, else f32; f32 throughout
//             when the run is exact.
//
// A model that fits in the caches reads less from memory than is counted here: its share of the
// bandwidth may pass 1.
#ifndef HEED_LOOK_SPEED_H
#define HEED_LOOK_SPEED_H

#include "look/limits.h"
#include "model/model.h"

typedef struct SpeedSpec {
    int64_t n_prefill; // tokens of the prompt, >= 1
    int64_t n_decode;  // tokens decoded in a repetition, >= 1
    int64_t depth;     // positions remembered before them, >= 0
    int repeat;        // >= 1
    DType cache;       // of keys and values: F32, F16, Q8_0
    // Told how many tokens went through, after each chunk; false cancels.  NULL: nobody listens.
    bool (*on_step)(void *user, int64_t done, int64_t total);
    void *user;
} SpeedSpec;

// Tokens a second.
typedef struct SpeedSpread {
    double least, median, most;
} SpeedSpread;

typedef struct Speed {
    SpeedSpread prefill, decode;
} Speed;

// ERROR_LIMIT when the tokens do not fit the model's context, ERROR_UNSUPPORTED when the type of
// the cache does not fit its heads, ERROR_USAGE for counts below those above.
MUST_USE bool speed_check(const Model *model, const SpeedSpec *spec, Error *err);
// Measures with a run that has no plan yet (its pool, kernels, exact and switches count).  Checks
// first; ERROR_CANCELLED when on_step says so.
MUST_USE bool speed_measure(Run *run, const Model *model, const SpeedSpec *spec, Speed *speed,
                            Error *err);

typedef enum Arithmetic { ARITHMETIC_F32, ARITHMETIC_BF16, ARITHMETIC_INT8 } Arithmetic;
const char *arithmetic_name(Arithmetic arithmetic);

// What the work takes at least, by the rules above.
typedef struct SpeedCost {
    double prefill_ops;    // of the whole prompt
    Arithmetic arithmetic; // of most of them
    double decode_bytes;   // of a token
} SpeedCost;
SpeedCost speed_cost(const Run *run, const Model *model, const SpeedSpec *spec);

// Shares of the limits, 0 .. 1, of the middle repetition.
double speed_prefill_share(const Speed *speed, const SpeedSpec *spec, const SpeedCost *cost,
                           const Limits *limits);
double speed_decode_share(const Speed *speed, const SpeedCost *cost, const Limits *limits);

#endif
