// ops.h - the vocabulary in which models are written.
//
// Every op does the same four steps in the same order: check shapes, allocate the result, compute,
// record for the way back.  Forward and backward of an op stand side by side in one file op_*.c.
//
// Results are new f32 tensors in the run's current block.  Shapes are checked with require(): they
// were compared with the file when the model was bound, so a mismatch is our bug and ops cannot
// fail.  Backward adds into the grads of the inputs that have one; a weight without a grad is
// frozen.  Optional tensors may be NULL or have data NULL (absent).
//
// Letters: T rows (tokens), C model width, H query heads, G key/value heads, D head width,
// F feed-forward width, V vocabulary, S key positions.  tests/test_gradients.c lists every op.
#ifndef HEED_TENSOR_OPS_H
#define HEED_TENSOR_OPS_H

#include "tensor/kv.h"
#include "tensor/run.h"

// Rows of a batch that are consecutive positions of one sequence.
typedef struct Span {
    int64_t first;    // row in the batch
    int64_t n;        // rows, >= 1
    int64_t position; // of the first row in its sequence
} Span;

// ---------------------------------------------------------------- op_linear.c
// y (T, O) = x (T, I) w^T + bias,  w (O, I) of any type, bias (O) or absent.
// With a quantised w and !run->exact, x is rounded to int8 per 32 values first.  Gradients flow to
// x through every type, to w and bias where they have a grad.
Tensor *op_linear(Run *run, Tensor *x, const Tensor *w, const Tensor *bias);

// Several products of one input in one parallel region (q, k, v; gate, up): y[i] = x w[i]^T +
// bias[i].
enum { LINEAR_PARTS_MAX = 4 };
typedef struct LinearPart {
    const Tensor *w, *bias;
} LinearPart;
void op_linears(Run *run, Tensor *x, const LinearPart *part, int n_parts, Tensor **y);

// ---------------------------------------------------------------- op_embed.c
// y (n, C): rows ids[0..n-1] of table (V, C), decoded.  ids must stay valid until backward.
Tensor *op_embed(Run *run, const Tensor *table, const int32_t *ids, int64_t n);
// y (n, C): rows of x itself.  `rows` must stay valid until backward.
Tensor *op_rows(Run *run, Tensor *x, const int32_t *rows, int64_t n);
// y (n, C): sine positions (Vaswani et al. 2017, arXiv 1706.03762, 3.5), one wave for each pair of
// values: y[2i] = sin(p / 10000^(2i/C)), y[2i+1] = cos of the same.  Not differentiable.
Tensor *op_sine_positions(Run *run, const int64_t *positions, int64_t n, int64_t width);

// ---------------------------------------------------------------- op_norm.c
// Root-mean-square norm (Zhang and Sennrich 2019, arXiv 1910.07467): x / sqrt(mean(x^2) + eps) * w.
// w (C); or w (D) with D dividing C: each group of D values is normed by itself (head norms).
Tensor *op_rms_norm(Run *run, Tensor *x, const Tensor *w, float eps);
// Layer norm (Ba et al. 2016, arXiv 1607.06450): (x - mean) / sqrt(variance + eps) * w + bias.
Tensor *op_layer_norm(Run *run, Tensor *x, const Tensor *w, const Tensor *bias, float eps);

// ---------------------------------------------------------------- op_act.c
typedef enum Activation { ACT_GELU, ACT_GELU_TANH, ACT_SILU } Activation;
Tensor *op_activate(Run *run, Tensor *x, Activation kind);
// y = act(gate) * up: the gated forms SwiGLU, GeGLU (Shazeer 2020, arXiv 2002.05202).
Tensor *op_gated(Run *run, Tensor *gate, Tensor *up, Activation kind);

// ---------------------------------------------------------------- op_shape.c
Tensor *op_add(Run *run, Tensor *a, Tensor *b);
Tensor *op_scale(Run *run, Tensor *x, float factor);
// cap * tanh(x / cap): keeps logits within (-cap, cap) (Gemma 2, arXiv 2408.00118).
Tensor *op_softcap(Run *run, Tensor *x, float cap);
// Each head's D columns of z (T, H*D) times gate[h]: 0 takes a head out.  gate is not trained.
Tensor *op_gate_heads(Run *run, Tensor *z, const float *gate, int heads);

// ---------------------------------------------------------------- op_dropout.c
// Each value of x is 0 with probability run->dropout, else divided by 1 - run->dropout (Srivastava
// et al. 2014).  Which ones follows from run->dropout_key, the number of the op in the forward and
// the value's place: the same for any number of threads.  Passes x through where the rate is 0.
Tensor *op_dropout(Run *run, Tensor *x);

// ---------------------------------------------------------------- op_recompute.c
// y = part(arg, i, x), of the shape of x.  With run->recompute and a tape, nothing that the part
// makes is kept: on the way back it is computed once more from x (Chen et al. 2016, arXiv
// 1604.06174).  `arg` must stay valid until backward; the part uses this run.
typedef Tensor *RecomputedPart(const void *arg, int i, Tensor *x);
Tensor *op_recompute(Run *run, RecomputedPart *part, const void *arg, int i, Tensor *x);

// ---------------------------------------------------------------- op_rotary.c
// Two conventions of pairing exist, and a wrong choice gives fluent nonsense, not an error:
// neighbours (x0, x1), (x2, x3)... as in GGUF's llama, or halves (x0, x[n/2]), (x1, x[n/2+1])...
typedef enum RotaryPairing { PAIR_NEIGHBOURS, PAIR_HALVES } RotaryPairing;

// Turning speeds of the pairs, made once per model (model/rotary.c).
typedef struct Rotary {
    RotaryPairing pairing;
    int n_pairs;            // the first 2 * n_pairs values of a head are rotated, the rest copied
    const float *frequency; // (n_pairs) radians per position, scaling included
    float magnitude;        // factor on cos and sin (YaRN), else 1
} Rotary;

// cos and sin of every row's angles, (T, 2 * n_pairs) as pairs cos, sin; kept for the whole
// forward. Not differentiable: positions are given.
Tensor *op_rotary_angles(Run *run, const Rotary *rotary, const int64_t *positions, int64_t n);
// Rotary position embedding (Su et al. 2021, arXiv 2104.09864) of x (T, heads * D).
Tensor *op_rotary(Run *run, Tensor *x, const Rotary *rotary, const Tensor *angles, int head_width);

// ---------------------------------------------------------------- op_attention.c
typedef struct AttentionSpec {
    int heads, kv_heads, head_width; // kv_heads divides heads
    float scale;                     // factor on q.k, usually 1 / sqrt(D)
    float softcap;                   // > 0: cap * tanh(score / cap) before the mask
    bool is_causal;                  // key position j <= query position i
    int64_t window;                  // > 0: i - window < j <= i; when not causal |i - j| < window
    int64_t kept;                    // with a window: j < kept stays visible
    const float *slope;              // (H) ALiBi: slope * |i - j| is taken off a score; or NULL
    const Span *span;
    int n_spans;
    KvCache **cache; // (n_spans) filled by op_kv_store: all keys and values up to the span's end
} AttentionSpec;

// May query position i see key position j?  The one definition, for ops, tests and drawings.
bool attention_sees(const AttentionSpec *spec, int64_t i, int64_t j);
// What is added to head h's score of the two: 0, or the linear bias by distance that stands for
// positions in ALiBi (Press et al. 2021, arXiv 2108.12409).
float attention_bias(const AttentionSpec *spec, int64_t h, int64_t i, int64_t j);

// Puts k, v (T, G*D) behind what each span's cache holds (cache[s] not NULL: its type, and its
// length must be the span's position), or makes caches for this forward where cache[s] is NULL.
// Not differentiable by itself: attention's gradients go to k and v directly.
void op_kv_store(Run *run, const Tensor *k, const Tensor *v, AttentionSpec *spec);

// Scaled dot-product attention over grouped heads (Vaswani et al. 2017, arXiv 1706.03762; Ainslie
// et al. 2023, arXiv 2305.13245), tiled with an online softmax (Dao et al. 2022, arXiv 2205.14135).
//   q (T, H*D)   k, v (T, G*D) as stored by op_kv_store   result (T, H*D)
// Sums run over blocks fixed by absolute position, so chunking, batching and threads change no bit.
// No (T, S) matrix exists.  Gradients need spans that start at position 0 of this batch.
Tensor *op_attention(Run *run, Tensor *q, Tensor *k, Tensor *v, const AttentionSpec *spec);

// The same in two steps, when somebody wants to see the pattern (H, T, S): rows are softmax weights
// over the positions 0 .. S-1 of the row's own sequence (S: the longest of the batch, 0 beyond).
Tensor *op_attention_pattern(Run *run, Tensor *q, Tensor *k, const AttentionSpec *spec);
Tensor *op_attention_mix(Run *run, Tensor *pattern, Tensor *v, const AttentionSpec *spec);

// ---------------------------------------------------------------- op_recurrent.c
// For ops in which a row depends on the row before: the sequences of the batch, and the numbers
// that each carries over from its last forward to the next.
typedef struct Recurrence {
    const Span *span;
    int n_spans;
    float *const *carry; // (n_spans) read, then overwritten with what the span's last row leaves.
                         // NULL, or an entry NULL: begins at zero and leaves nothing
} Recurrence;

// Elman's recurrent network (Elman 1990, Cognitive Science 14): h[t] = tanh(a[t] + U h[t-1]).
//   a (T, H) the inputs, already projected   u (H, H)   carry (H) h   result h (T, H)
// Step t of all sequences is one product; gradients go back through the whole span, and stop at
// what was carried in.
Tensor *op_elman(Run *run, Tensor *a, const Tensor *u, const Recurrence *r);
// Long short-term memory (Hochreiter and Schmidhuber 1997; with the forget gate of Gers et al.
// 2000), gates in PyTorch's order:
//   i, f, g, o = a[t] + U h[t-1];  c[t] = s(f) c[t-1] + s(i) tanh(g);  h[t] = s(o) tanh(c[t])
//   a (T, 4H)   u (4H, H)   carry (2H) h, then c   result h (T, H)
Tensor *op_lstm(Run *run, Tensor *a, const Tensor *u, const Recurrence *r);

// ---------------------------------------------------------------- op_scan.c
// Each channel filtered by itself over its last W rows: y[t] = bias + sum over j of
// w[j] x[t - W + 1 + j].   x (T, C)   w (C, W)   bias (C) or absent   carry (W-1, C) the last rows
Tensor *op_causal_conv(Run *run, Tensor *x, const Tensor *w, const Tensor *bias,
                       const Recurrence *r);

// The selective state space of Mamba (Gu and Dao 2023, arXiv 2312.00752).  With A = -exp(a_log) and
// delta = softplus(dt), every channel has N states that fade and are written to:
//   h[t] = exp(delta[t] A) h[t-1] + delta[t] u[t] B[t];   y[t] = h[t] . C[t] + D u[t]
typedef struct Scan {
    Tensor *u, *dt;          // (T, C)
    Tensor *b, *c;           // (T, N)
    const Tensor *a_log, *d; // (C, N) (C), f32
} Scan;
// Result (T, C); carry (C, N) h.
Tensor *op_selective_scan(Run *run, const Scan *scan, const Recurrence *r);

// ---------------------------------------------------------------- op_route.c
// Which of E experts digest a token: the K likeliest by a softmax of the router's logits (Shazeer
// et al. 2017, arXiv 1701.06538; Jiang et al. 2024, arXiv 2401.04088).
typedef struct Routing {
    int64_t n_rows, n_experts, n_used; // T, E, K
    Tensor *weight;                    // (T, K) of each token's experts
    int32_t *expert;                   // (T, K) ascending in a row
    int64_t *first; // (E + 1) rows of expert e: row[first[e]] .. row[first[e + 1] - 1], ascending
    int32_t *row;   // (T * K)
    int32_t *place; // (T, K) which of its expert's rows a token is
} Routing;
// From logits (T, E).  The weights are the experts' probabilities, or these divided by their sum.
// Lives as long as the forward.  With run->balance the way back also makes the load even: it adds
// the gradient of  balance * E * sum over e of (tokens of e / T) (mean probability of e)
// (Fedus et al. 2021, arXiv 2101.03961, 2.2).
const Routing *op_route(Run *run, Tensor *logits, int64_t n_used, bool sums_to_one);
// y (T, C): the weighted sum of what each token's experts said.  out[e] (rows of e, C), NULL where
// e has none; `out` must stay valid until backward.
Tensor *op_combine(Run *run, const Routing *routing, Tensor *const *out);
// y = x (T, C) times sigmoid(gate (T, 1)), row by row.
Tensor *op_gate_rows(Run *run, Tensor *x, Tensor *gate);

// ---------------------------------------------------------------- op_loss.c
// Mean cross-entropy in nats of logits = softcap(x head^T + bias) against target (T), weighted by
// weight (T) or equally where weight is NULL; rows with weight 0 are skipped.  Works through the
// vocabulary in chunks: the (T, V) matrix of logits never exists.  cap 0: no softcap.  Result: one
// value. per_row (T), if not NULL, receives each row's loss in nats.
typedef struct LossSpec {
    const int32_t *target;
    const float *weight;
    const Tensor *bias; // (V) f32, or NULL or absent
    float cap;
    float *per_row;
} LossSpec;
Tensor *op_cross_entropy(Run *run, Tensor *x, const Tensor *head, LossSpec spec);

#endif
