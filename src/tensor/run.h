// run.h - the surroundings of one forward: where results live, what is recorded, who looks.
//
// A model's forward is one C function; what it is for is decided by the Run it is given:
//
//   inference   no tape: results live in two step blocks that take turns (run_next_block)
//   training    a tape: every result is kept and every op recorded; run_backward walks back
//   planning    dry: shapes only, no number is touched; afterwards run_allocate reserves exactly
//               what was counted, so a forward of the same size cannot run out of memory
//   looking     a probe: asked at each named site, may copy the value or put another in its place
//   asking      switches: the forward with a part of it changed (no mask, a head off, ...)
//
// A Run belongs to one thread at a time; its pool does the work.
#ifndef HEED_TENSOR_RUN_H
#define HEED_TENSOR_RUN_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/pool.h"
#include "kernels/kernels.h"
#include "tensor/tensor.h"

typedef struct Run Run;

// ---------------------------------------------------------------- tape
// One recorded op.  An op's own node struct begins with this one.  Creation order is already
// topological, so the tape is a list and needs no sorting.
typedef struct Node Node;
struct Node {
    void (*backward)(Run *run, Node *node); // adds into the grads of its inputs
    Node *previous;
};

typedef struct Tape {
    Node *last;
    int64_t n_nodes;
} Tape;

// ---------------------------------------------------------------- probe
// X(NAME, "name", "shape") - every value that can be looked at, in the order of a forward.
// Names follow TransformerLens; see docs/vocabulary.md for the letters.
#define SITES(X)                          \
    X(EMBED, "embed", "(T, C)")           \
    X(RESID_PRE, "resid_pre", "(T, C)")   \
    X(ATTN_NORM, "attn_norm", "(T, C)")   \
    X(Q, "q", "(T, H*D)")                 \
    X(K, "k", "(T, G*D)")                 \
    X(V, "v", "(T, G*D)")                 \
    X(Q_ROT, "q_rot", "(T, H*D)")         \
    X(K_ROT, "k_rot", "(T, G*D)")         \
    X(PATTERN, "pattern", "(H, T, S)")    \
    X(Z, "z", "(T, H*D)")                 \
    X(ATTN_OUT, "attn_out", "(T, C)")     \
    X(RESID_MID, "resid_mid", "(T, C)")   \
    X(MLP_NORM, "mlp_norm", "(T, C)")     \
    X(ROUTER, "router", "(T, E)")         \
    X(MLP_PRE, "mlp_pre", "(T, F)")       \
    X(MLP_ACT, "mlp_act", "(T, F)")       \
    X(MLP_OUT, "mlp_out", "(T, C)")       \
    X(RESID_POST, "resid_post", "(T, C)") \
    X(FINAL_NORM, "final_norm", "(R, C)") \
    X(LOGITS, "logits", "(R, V)")

typedef enum Site {
#define X(name, words, shape) SITE_##name,
    SITES(X)
#undef X
        SITE_COUNT
} Site;

const char *site_name(Site site);
bool site_from_name(const char *name, Site *site);

// `wants` says which sites are asked for (a pattern is only made if it is); `at` sees the value and
// returns it, or another tensor of the same shape that takes its place (made with ops, so that
// gradients flow; or with run_new).  The value is valid during the call: copy what is to stay.
// While the run is dry the value has no data: `at` then only makes the tensors that it would make.
typedef struct Probe {
    bool (*wants)(void *user, Site site, int layer);
    Tensor *(*at)(void *user, Run *run, Site site, int layer, Tensor *value);
    void *user;
} Probe;

// ---------------------------------------------------------------- switches
typedef enum PositionSwitch {
    POSITIONS_ON,
    POSITIONS_ZERO, // every token is told that it stands at position 0
    POSITIONS_NONE  // no position enters at all
} PositionSwitch;

// What a forward leaves out or does otherwise.  The zero value changes nothing.  What is about
// attention (scale, mask, window, heads) does nothing in layers with another mixer, which read in
// order and see nothing but the past; a position switch does nothing in models without positions.
typedef struct Switches {
    bool no_scale;       // attention scores are not divided by the square root of D
    bool no_causal_mask; // every token sees the whole batch of its sequence
    bool no_residual;    // a sub-layer's output replaces the stream instead of being added
    bool no_norm;        // normalisations pass their input through
    bool no_cache;       // sessions recompute the whole text for each token
    PositionSwitch positions;
    int64_t window;         // > 0: tokens see the last `window` positions only, in every layer
    int64_t kept;           // with a window: the first `kept` positions stay visible
    const float *head_gate; // (L, H) factor on each head's output, or NULL: 0 switches it off
    int n_layers;           // > 0: only the first n_layers blocks are run
} Switches;

// ---------------------------------------------------------------- run
// One of the step blocks: memory for results, planned by a dry run.
typedef struct StepBlock {
    char *base; // NULL while dry
    size_t used, peak, capacity;
} StepBlock;

enum { STEP_KEPT = 2, STEP_BLOCKS = 3 }; // two that take turns, one that lasts the whole forward

struct Run {
    const Kernels *kernels;
    Pool *pool;         // NULL: one thread
    const Probe *probe; // NULL: nobody looks
    Tape *tape;         // NULL: nothing is recorded
    Switches switches;
    bool exact; // f32 activations throughout; else products with quantised weights use int8 ones
    bool bf16;  // products of f32 weights round both sides to bf16 (sums stay f32): for training
    bool dry;   // shapes only

    // of training
    float dropout;        // share of the values that op_dropout sets to zero; 0: none
    uint64_t dropout_key; // decides which; another one for each forward
    int64_t n_dropouts;   // such ops so far in this forward
    float balance;        // factor on what makes the load of experts even (op_route)
    bool recompute;       // blocks keep their input and output only (op_recompute)
    bool is_inside;       // of a block whose values are not kept: step memory does not turn over

    Arena shapes; // descriptors and tape nodes of this forward
    StepBlock block[STEP_BLOCKS];
    int which; // the block that new results go to: 0 or 1
};

// Results and tape are empty; kernels are the best ones.
MUST_USE bool run_open(Run *run, Pool *pool, Error *err);
void run_close(Run *run);

// Planning: run_plan_begin, one forward (and backward) of the largest size with run->dry set by it,
// then run_allocate, which leaves the run ready.  On failure nothing is allocated.
void run_plan_begin(Run *run);
MUST_USE bool run_allocate(Run *run, Error *err);
// Bytes of the three blocks as planned.
size_t run_planned_bytes(const Run *run);

// The start of a forward: forgets the results and the tape of the last one.
void run_begin(Run *run);
// The start of a transformer block: "a value made in one block lives to the end of the next".
void run_next_block(Run *run);

// ---------------------------------------------------------------- for ops
// A new f32 tensor in the current block, uninitialised; with a tape also a zeroed grad.
Tensor *run_new(Run *run, int rank, const int64_t *dim);
Tensor *run_new2(Run *run, int64_t rows, int64_t cols);
// The same for values that must outlive the two blocks: until the next run_begin.
Tensor *run_new_kept(Run *run, int64_t rows, int64_t cols);
// Memory that an op saves for its backward (no tape: NULL), aligned to 64.
void *run_save(Run *run, size_t bytes);
// Plain memory in the current block, aligned to 64; NULL while dry.  What an op needs for itself
// only is taken after its results, between a mark and the way back to it.
void *run_bytes(Run *run, size_t bytes);
size_t run_mark(const Run *run);
void run_back(Run *run, size_t mark);
// A node of `bytes` for the op's own struct, linked to the tape; NULL if there is none.
void *run_record(Run *run, void (*backward)(Run *, Node *), size_t bytes);
// Descriptors that live as long as the forward.
void *run_describe(Run *run, size_t bytes);

// Walks the tape from `loss` (one value), whose grad becomes 1.  Parameters' grads are added to.
void run_backward(Run *run, Tensor *loss);
// The same from grads that are there already.
void run_walk_back(Run *run);

// ---------------------------------------------------------------- for models
Tensor *probe_at(Run *run, Site site, int layer, Tensor *value);
bool probe_wants(const Run *run, Site site, int layer);

#endif
