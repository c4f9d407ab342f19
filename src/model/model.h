// model.h - a language model: its numbers, its weights, and the function that runs it.
//
//   token ids -> embedding -> L blocks -> norm -> head -> logits over the vocabulary
//
//   block:  x -> x + mixer(norm(x))      moves information between positions
//           x -> x + channel(norm(x))    digests each position alone
//
// An architecture is one file (llama.c, gpt2.c, ...) with always the same parts: a drawing, its
// config, its weight list, its block, its forward.  A model is read-only while it is run.
#ifndef HEED_MODEL_MODEL_H
#define HEED_MODEL_MODEL_H

#include "chat/chat.h"
#include "format/safetensors.h"
#include "model/batch.h"
#include "model/config.h"
#include "tensor/run.h"
#include "text/tokenizer.h"

// ---------------------------------------------------------------- weights
// An absent weight has data NULL.
typedef struct Norm {
    Tensor weight, bias; // (C)
} Norm;

typedef struct Attention {
    Tensor q, k, v, o;             // (H*D, C) (G*D, C) (G*D, C) (C, H*D)
    Tensor q_bias, k_bias, v_bias; // (H*D) (G*D) (G*D)
    Tensor o_bias;                 // (C)
    Tensor q_norm, k_norm;         // (D)
    Tensor qkv, qkv_bias;          // GPT-2 stores q, k, v as one: they are views of its rows
} Attention;

// An RNN or an LSTM: S is 1 sum a state, or the 4 gates i, f, g, o.
typedef struct Recurrent {
    Tensor in, in_bias, hidden, out; // (S*H, C) (S*H) (S*H, H) (C, H)
} Recurrent;

// Mamba: I inner width, N states, W rows of the convolution, R time rank.
typedef struct Mamba {
    Tensor in, conv, conv_bias; // (2*I, C) (I, W) (I)
    Tensor x, dt, dt_bias;      // (R + 2*N, I) (I, R) (I)
    Tensor a_log, d, out;       // (I, N) (I) (C, I)
    Tensor in_x, in_z;          // views: the two halves of `in`
    Tensor x_dt, x_b, x_c;      // views: the three parts of `x`
} Mamba;

typedef struct Channel {
    Tensor gate, up, down;     // (F, C) (F, C) (C, F); gate absent: not gated
    Tensor up_bias, down_bias; // (F) (C)
} Channel;

// A mixture: E experts, each a gated feed-forward layer F wide, one after the other in a matrix.
typedef struct Experts {
    Tensor router;         // (E, C); absent: the channel is one layer
    Tensor gate, up, down; // (E*F, C) (E*F, C) (E*C, F)
    Tensor shared_router;  // (C) of the expert that digests every token: the layer's channel
    Tensor shared_gate;    // (1, C): a view of it
} Experts;

typedef struct Layer {
    Norm attention_norm;
    Attention attention; // one of the three is there
    Recurrent recurrent;
    Mamba mamba;
    Norm attention_post_norm; // gemma: on the mixer's output
    Norm channel_norm;
    Channel channel;
    Experts experts;
    Norm channel_post_norm;
} Layer;

// BERT's: what stands between the last hidden state and the names of tokens.  Absent: the model
// only embeds.
typedef struct TokenHead {
    Tensor dense, dense_bias; // (C, C) (C)
    Norm norm;
    Tensor bias; // (V)
} TokenHead;

// How the model's author wants it sampled; negative: nothing said.
typedef struct SamplingAdvice {
    float temperature, top_p, min_p, repetition;
    int top_k;
} SamplingAdvice;

typedef struct Arch Arch;

typedef struct Model {
    const Arch *arch;
    Config config;
    Tensor embed;           // (V, C)
    Tensor embed_positions; // (context, C), learned positions
    Tensor embed_types;     // (token types, C)
    Norm embed_norm;        // on the sum of the three
    Layer *layer;           // (L)
    Norm final_norm;
    TokenHead token_head;
    Tensor head; // (V, C); a copy of `embed` when they are tied
    bool is_tied;
    Tensor rotary_divisors; // (D/2) as stored in a GGUF, else absent
    Rotary rotary, rotary_local;
    const float *alibi; // (H) slopes, or NULL

    Tokenizer *tokenizer;  // NULL: none in the file
    Str chat_template;     // empty: none
    bool normalizes;       // an encoder's sentence vectors have length 1
    Str name;              // as the file calls it, or its path
    SamplingAdvice advice; // of the model's author
    const int32_t *end_id; // (n_end_ids) more ids that end a generation (generation_config.json)
    int64_t n_end_ids;
    Arena arena;
    Arena experts; // those of a folder, which has each as a tensor of its own; empty: none
    Arena panels;  // weights in panels that the file has by rows; empty: none

    bool is_hf; // opened from a Hugging Face folder, else from a GGUF file
    GgufFile gguf;
    SafetensorsFile safetensors;
    const TensorFile *tensors; // of the one that is open: what the weights lie in
} Model;

// ---------------------------------------------------------------- opening
typedef struct ModelOptions {
    bool no_mmap; // read the weights into memory instead of mapping the file
} ModelOptions;

// Opens a GGUF file (any part of a split one), a Hugging Face folder, or, where there is no such
// file, the built-in model of that name.  NULL and one clear line for anything missing,
// contradictory or not supported.
MUST_USE Model *model_open(const char *path, ModelOptions options, Error *err);
// The same for a GGUF file in memory, which is not copied and outlives the model.  `name` stands
// for the path in messages.
MUST_USE Model *model_open_gguf_bytes(Str bytes, const char *name, Error *err);
void model_close(Model *model); // accepts NULL
// False if a mapped file has shrunk since: what was computed meanwhile is worthless.
MUST_USE bool model_intact(const Model *model, Error *err);

// Does this token end a generation?
bool model_ends(const Model *model, int32_t id);

// ---------------------------------------------------------------- running
// The hidden state after the last norm (R, C) of the rows that the batch asks for, in its order.
Tensor *model_hidden(Run *run, const Model *model, const Batch *batch);
// Logits (R, V) of these rows.
Tensor *model_logits(Run *run, const Model *model, Tensor *hidden);
// What the model would say if its blocks ended at x (R, C), a value of its residual stream: logits
// (R, V) through the last norm and the head, seen by no probe.  (The logit lens, nostalgebraist
// 2020: a reading of x, not something the model computes.)
Tensor *model_lens(Run *run, const Model *model, Tensor *x);
Tensor *model_forward(Run *run, const Model *model, const Batch *batch);
// Mean cross-entropy of the batch's rows against spec.target; gradients with a tape.
Tensor *model_loss(Run *run, const Model *model, const Batch *batch, LossSpec spec);

// Plans the run's memory for forwards of up to n tokens behind `state` (NULL: none) and n_logits
// rows of logits; afterwards such forwards cannot run out.
MUST_USE bool model_plan(Run *run, const Model *model, struct State *state, int64_t n,
                         int64_t n_logits, Error *err);

// ---------------------------------------------------------------- architectures
struct WeightVisitor;

struct Arch {
    const char *name;            // GGUF's general.architecture
    const char *const *hf_types; // config.json's model_type, NULL-terminated; the first is written
    const char *hf_class;        // config.json's architectures[0]
    const char *hf_layer;        // prefix of a layer's weights in Hugging Face files, with "%d"
    const char *hf_base;         // what folders of the model without its head leave off names; NULL
    void (*config)(ConfigIo *io, Config *config);
    void (*weights)(struct WeightVisitor *v, Model *model);
    Tensor *(*hidden)(Run *run, const Model *model, const Batch *batch);
    Tensor *(*to_head)(Run *run, const Model *model, Tensor *hidden); // NULL: as it is
};

// Reads a model's vocabulary from a GGUF file and writes one (vocab.c).
MUST_USE bool vocab_read(Arena *arena, const GgufFile *file, Vocab *vocab, Error *err);
void vocab_write(GgufWriter *writer, Arena *arena, const Vocab *vocab);
// A tokenizer without its model: of a GGUF file (with weights or without), of a tokenizer.json, or
// of a Hugging Face folder.  It lives in `arena` and, if it is a GGUF's, in `file`, which is then
// open and to be closed behind it (gguf_close accepts the empty one).
MUST_USE Tokenizer *tokenizer_open(Arena *arena, GgufFile *file, const char *path, Error *err);

extern const Arch arch_gpt2, arch_llama, arch_qwen2, arch_qwen2moe, arch_qwen3, arch_qwen3moe,
    arch_gemma3, arch_mamba, arch_bert, arch_heed;
// For a model that is to be made after heed's architecture: the standard one that it equals, whose
// conventions the config takes over, else arch_heed.
const Arch *arch_fitting(Config *config);
const Arch *arch_named(Str name);      // NULL if unknown
const Arch *arch_of_hf_type(Str type); // NULL if unknown

#endif
