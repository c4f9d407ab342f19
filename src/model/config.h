// config.h - the numbers that shape a model, and the one list in which a file names them.
//
// An architecture lists its fields once, with their GGUF key and their Hugging Face key; the same
// list reads GGUF metadata, reads config.json, writes GGUF metadata and writes config.json.  What
// the list does is decided by the ConfigIo it is given.
#ifndef HEED_MODEL_CONFIG_H
#define HEED_MODEL_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "format/gguf.h"
#include "tensor/ops.h"

// Limits on what a file may claim; beyond them it is refused, so that no size can overflow.
enum {
    CONFIG_CONTEXT_MAX = 1 << 24,
    CONFIG_WIDTH_MAX = 1 << 17,
    CONFIG_LAYERS_MAX = 1024,
    CONFIG_HEADS_MAX = 1024,
    CONFIG_EXPERTS_MAX = 1024,
    CONFIG_VOCAB_MAX = 1 << 22,
    CONFIG_MIXERS_MAX = 64,     // layers after which a pattern of mixers repeats
    CONFIG_STATE_MAX = 1 << 10, // of a state space: states of a channel, rows of its convolution
    CONFIG_CARRY_MAX = 1 << 26  // numbers that one layer carries over
};

// X(NAME, "name") - who moves information between positions in a layer, by the names in files.
#define MIXERS(X)                                                  \
    X(ATTENTION, "attention") /* everything before */              \
    X(WINDOW, "window")       /* attention to the last `window` */ \
    X(RNN, "rnn")             /* Elman */                          \
    X(LSTM, "lstm")                                                \
    X(MAMBA, "mamba") /* selective state space */

typedef enum MixerKind {
#define X(name, words) MIXER_##name,
    MIXERS(X)
#undef X
        MIXER_COUNT
} MixerKind;

// X(NAME, "name") - how a model knows where a word stands.
#define POSITIONS(X)                                                   \
    X(NONE, "none")       /* not at all, or by reading in order */     \
    X(LEARNED, "learned") /* a learned vector is added (GPT-2) */      \
    X(SINE, "sine")       /* fixed waves are added (Vaswani et al.) */ \
    X(ROTARY, "rotary")   /* queries and keys are turned */            \
    X(ALIBI, "alibi")     /* scores sink with the distance */

typedef enum PositionKind {
#define X(name, words) POSITION_##name,
    POSITIONS(X)
#undef X
        POSITION_COUNT
} PositionKind;

extern const char *const mixer_words[], *const position_words[]; // by kind, NULL-terminated
// "attention,mamba": the kinds of a pattern, and how many; NULL, or what is wrong with it.
const char *mixers_parse(Str text, MixerKind kind[CONFIG_MIXERS_MAX], int *n);

// How a sentence's vector is made of its tokens'; the numbers are GGUF's pooling_type.
typedef enum Pooling { POOLING_NONE, POOLING_MEAN, POOLING_CLS } Pooling;

typedef enum RotaryScaling {
    SCALING_NONE,
    SCALING_LINEAR,
    SCALING_LLAMA3,
    SCALING_YARN
} RotaryScaling;

// Rotary positions as a file describes them (formats.md 2.6); model/rotary.c makes the speeds.
typedef struct RotarySpec {
    RotaryPairing pairing;
    int width; // values of a head that are turned
    float base;
    RotaryScaling scaling;
    float factor;               // linear, llama3, yarn
    float low, high;            // llama3: low_freq_factor, high_freq_factor
    int64_t original_context;   // llama3, yarn
    float beta_fast, beta_slow; // yarn
    float attention_factor;     // yarn: factor on cos and sin, 0: from the formula
    bool truncate;              // yarn: whole dimensions as borders of the ramp
} RotarySpec;

typedef struct Config {
    int64_t context;     // the longest text the model was made for
    int width;           // C
    int layers;          // L
    int heads, kv_heads; // H, G
    int head_width;      // D
    int ffn_width;       // F
    int64_t vocab;       // V: rows of the embedding
    float norm_eps;
    Activation activation;
    PositionKind positions;
    RotarySpec rotary;                      // of layers that see everything
    RotarySpec rotary_local;                // of layers with a window (gemma3), else the same
    MixerKind mixer[CONFIG_MIXERS_MAX];     // layer l has mixer[l % n_mixers]
    int n_mixers;                           // 0: attention everywhere
    int64_t window;                         // 0: none
    int64_t kept;                           // with a window: the first positions, always visible
    int window_pattern;                     // every n-th layer has no window; 0: all layers have it
    float attention_scale;                  // factor on q.k
    float attention_softcap, final_softcap; // 0: none
    float embed_scale;                      // factor on embeddings, 1 as a rule
    int recurrent_width;                    // RNN, LSTM: H
    int inner_width;                        // Mamba: channels of its convolution and scan
    int state_width;                        // Mamba: N, states of a channel
    int conv_width;                         // Mamba: W, rows of its convolution
    int time_rank;                          // Mamba: R, width in front of the time steps
    int experts, experts_used;              // E, K of a mixture; 0: one feed-forward layer
    int expert_width;                       // F of each
    int shared_width;                       // of the expert that digests every token; 0: none
    bool norm_experts;                      // the weights of a token's experts sum to 1
    bool is_encoder;                        // every position sees every other; nothing is continued
    int token_types;                        // bert: kinds of sentences in a text; 0: none
    Pooling pooling;                        // of an encoder
    bool has_layer_norm;                    // heed: layer norms, else RMS norms
    bool is_dense;                          // heed: a feed-forward layer without a gate
} Config;

static inline MixerKind config_mixer(const Config *c, int l) {
    return c->n_mixers ? c->mixer[l % c->n_mixers] : MIXER_ATTENTION;
}
// Has layer l queries, keys and values?
static inline bool config_has_attention(const Config *c, int l) {
    MixerKind kind = config_mixer(c, l);
    return kind == MIXER_ATTENTION || kind == MIXER_WINDOW;
}
// How many layers have.
int config_attention_layers(const Config *c);
// Has any layer this mixer?
bool config_uses(const Config *c, MixerKind kind);
// Does layer l see a window only?
static inline bool config_is_local(const Config *c, int l) {
    if (c->n_mixers) return config_mixer(c, l) == MIXER_WINDOW;
    return c->window > 0 && (c->window_pattern == 0 || (l + 1) % c->window_pattern != 0);
}
// Numbers that layer l carries from one position to the next, whatever lies behind: an RNN's h, an
// LSTM's h and c, Mamba's last W-1 rows and its states.  0: attention, which remembers all.
int64_t config_carry(const Config *c, int l);

// ---------------------------------------------------------------- reading and writing
typedef enum ConfigMode {
    CONFIG_READ_GGUF,
    CONFIG_READ_HF,
    CONFIG_WRITE_GGUF,
    CONFIG_WRITE_HF
} ConfigMode;

typedef struct ConfigIo {
    ConfigMode mode;
    const char *arch;     // prefix of GGUF keys
    const char *file;     // for messages
    const GgufFile *gguf; // CONFIG_READ_GGUF
    const Json *json;     // CONFIG_READ_HF: the object with the text model's keys
    GgufWriter *gguf_out; // CONFIG_WRITE_GGUF
    JsonWriter *json_out; // CONFIG_WRITE_HF
    Arena *arena;         // for built keys
    bool failed;          // the first error stays in err; later fields are skipped
    Error *err;
} ConfigIo;

bool config_is_reading(const ConfigIo *io);
bool config_is_hf(const ConfigIo *io);

// A number under its GGUF key (without the "arch." prefix) or its Hugging Face key; a key is NULL
// where one side has none, and the value is then left as it is.  Reading: the default is taken if
// the key is missing; without a default (config_need_*) that is an error naming file and key, as is
// a value outside [least, most]. Writing: the value is written, unless it equals the default of a
// config_take_*.
void config_need_int(ConfigIo *io, const char *gguf, const char *hf, int64_t *value, int64_t least,
                     int64_t most);
void config_take_int(ConfigIo *io, const char *gguf, const char *hf, int64_t *value,
                     int64_t otherwise);
void config_need_float(ConfigIo *io, const char *gguf, const char *hf, float *value);
void config_take_float(ConfigIo *io, const char *gguf, const char *hf, float *value,
                       float otherwise);
// One of several words, given as a NULL-terminated list; the value is its index.
void config_take_word(ConfigIo *io, const char *gguf, const char *hf, const char *const *words,
                      int *value, int otherwise);
// A text of the file's own; it cannot be missing.
void config_need_text(ConfigIo *io, const char *gguf, const char *hf, Str *text);
// Hugging Face only: a flag that heed supports in one value; another one is refused by name.
void config_expect_bool(ConfigIo *io, const char *hf, bool otherwise, bool wanted);
// Hugging Face only: a word that has to be this one where it is given (the activation's name).
void config_expect_word(ConfigIo *io, const char *hf, const char *wanted);
void config_fail(ConfigIo *io, ErrorKind kind, const char *key, const char *reason);

// What holds for every model: whole groups of heads, of a width that the kernels take, and an
// epsilon that leaves the roots real.
void config_check(ConfigIo *io, int64_t heads, int64_t kv_heads, int64_t head_width,
                  float norm_eps);
// The fields that all decoders of Llama's kind share, under the usual names.
void config_decoder(ConfigIo *io, Config *c);
// How many experts there are (under the Hugging Face key `count`) and how many digest a token; none
// if the file does not say.  They are as wide as the feed-forward layer, and weighed to sum to 1.
void config_experts(ConfigIo *io, Config *c, const char *count);
// Which layers see a window: "every n-th does not" (GGUF, older folders) or a list of layer types.
void config_window_pattern(ConfigIo *io, Config *c, int otherwise);
// The shape of Mamba's layers, under the keys that Mamba's own files have; the inner width has the
// Hugging Face key `inner`.
void config_mamba(ConfigIo *io, Config *c, const char *inner);
// Rotary positions, in the keys of both worlds and of both generations of config.json.
void config_rotary(ConfigIo *io, Config *c, RotaryPairing pairing);
// A base of its own for layers with a window (Gemma 3); without a call it is the other one.
void config_rotary_local(ConfigIo *io, Config *c, float otherwise);

// ---------------------------------------------------------------- positions.c
// ALiBi's slopes, one a head (Press et al. 2021, arXiv 2108.12409, section 3).
float *alibi_slopes(Arena *arena, int heads);

// ---------------------------------------------------------------- rotary.c
// The turning speeds of a spec.  `divisor` (width/2), or NULL, divides them (GGUF's rope_freqs).
Rotary rotary_make(Arena *arena, const RotarySpec *spec, const float *divisor);
// YaRN's factor on cos and sin for a scaling factor: 0.1 * scale * ln(factor) + 1.
double rotary_yarn_magnitude(double factor, double scale);
// The divisors that llama3 scaling amounts to, (width/2), for writing rope_freqs.
float *rotary_llama3_divisors(Arena *arena, const RotarySpec *spec);

#endif
