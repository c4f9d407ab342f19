// optimizer.h - how gradients move weights: AdamW, and Muon for the matrices inside.
//
//   AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101), as torch.optim.AdamW computes it:
//     m += (1 - beta1) (g - m)        v = beta2 v + (1 - beta2) g^2       w -= rate * decay * w
//     w -= rate * m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon)
//
//   Muon (Jordan et al. 2024, kellerjordan.github.io/posts/muon), as torch.optim.Muon does:
//     m += (1 - momentum) (g - m)     u = g + momentum (m - g)            (Nesterov)
//     w -= rate * decay * w           w -= rate * scale * orthogonal(u)
//   where orthogonal() pushes all singular values of u towards 1 by five rounds of Newton-Schulz.
//   They are computed in f32; torch rounds to bf16 there.
//
// Weights and moments are f32.  A step gives the same bits for any number of threads.
#ifndef HEED_TRAIN_OPTIMIZER_H
#define HEED_TRAIN_OPTIMIZER_H

#include "base/pool.h"
#include "kernels/kernels.h"
#include "train/parameters.h"

// X(NAME, name) - what Muon's learning rate is multiplied by for a matrix of (rows, cols).
//   original          sqrt(max(1, rows / cols)): Jordan
//   match_rms_adamw   0.2 sqrt(max(rows, cols)): steps as large as AdamW's, so that one learning
//                     rate suits both (Liu et al. 2025, arXiv 2502.16982)
#define MUON_SCALES(X)    \
    X(ORIGINAL, original) \
    X(MATCH_RMS_ADAMW, match_rms_adamw)

typedef enum MuonScale {
#define X(name, word) MUON_SCALE_##name,
    MUON_SCALES(X)
#undef X
        MUON_SCALE_COUNT
} MuonScale;
const char *muon_scale_name(MuonScale scale);
bool muon_scale_from_name(Str name, MuonScale *scale);

typedef struct OptimizerSpec {
    double beta1, beta2; // 0 <= beta < 1
    double epsilon;      // > 0
    double decay;        // >= 0, of the parameters that are decayed
    double momentum;     // of Muon, 0 <= momentum < 1
    double muon_rate;    // Muon's learning rate as a multiple of AdamW's, > 0
    MuonScale muon_scale;
    bool bf16;   // Muon's products are rounded to bf16, as torch.optim.Muon's are
    int threads; // of the pool that steps: such products need memory for each
} OptimizerSpec;

// 0.9, 0.95, 1e-8, 0.1; 0.95, 20, original; f32, one thread.
OptimizerSpec optimizer_default(void);

typedef struct Optimizer {
    OptimizerSpec spec;
    Parameters parameters;
    int64_t step; // steps taken
    // All moments in one block, in the order of the list: m then v of an AdamW parameter, m of a
    // Muon one.  Block and step are all that a checkpoint needs to keep.
    float *moments;
    int64_t n_moments;
    // inside
    int64_t *first_moment; // (n) where those of a parameter begin
    float *scratch;        // of Muon's products
    Arena arena;
} Optimizer;

// No step is taken yet, the moments are zero.  The list must outlive the optimizer.  ERROR_USAGE
// for numbers outside of their range, ERROR_MEMORY when the system refuses the moments; the
// optimizer may be dropped in any case.
MUST_USE bool optimizer_init(Optimizer *o, const Parameters *parameters, OptimizerSpec spec,
                             Error *err);
void optimizer_drop(Optimizer *o);

typedef struct StepSpec {
    double rate;           // learning rate
    double gradient_scale; // what clipping leaves of the gradients (clip.h), 1: all
} StepSpec;

// Takes a step; gradients are only read.
void optimizer_step(Optimizer *o, const Kernels *kernels, Pool *pool, StepSpec step);

// ---------------------------------------------------------------- muon.c
// Floats of scratch for a matrix of the shape.
int64_t muon_scratch(int64_t rows, int64_t cols, const OptimizerSpec *spec);
// Five rounds of Newton-Schulz on the matrix (rows, cols) at the start of the scratch; the result
// lies elsewhere in it.
const float *muon_orthogonalize(float *scratch, int64_t rows, int64_t cols,
                                const OptimizerSpec *spec, const Kernels *kernels, Pool *pool);
// One parameter's step.
void muon_step(Optimizer *o, int64_t i_parameter, const Kernels *kernels, Pool *pool,
               StepSpec step);

#endif
