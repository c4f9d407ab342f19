// settings.h - everything that decides what a training run does, as one table.
//
// The table is the options of `heed train`, the lines "key = value" of a configuration file, and
// what a checkpoint remembers.  0 (or an empty word) leaves a setting to size.c, which fits it to
// the text, the time and the machine.
#ifndef HEED_TRAIN_SETTINGS_H
#define HEED_TRAIN_SETTINGS_H

#include "base/str.h"

// X(field, KIND, least, most, otherwise, "argument", "help")
//   INT     int64_t in [least, most]       NUMBER  double in [least, most]
//   FLAG    bool                           WORD    int, which of the words of "argument"
//   TEXT    SettingText
// clang-format off
#define SETTINGS(X)                                                                                \
    X(arch, WORD, 0, 0, 3, "gpt2|llama|qwen2|qwen3|gemma3|heed|mamba|bert", "architecture") \
    X(layers, INT, 0, 1024, 0, "N", "blocks") \
    X(width, INT, 0, 131072, 0, "N", "values of the residual stream") \
    X(heads, INT, 0, 1024, 0, "N", "attention heads") \
    X(kv_heads, INT, 0, 1024, 0, "N", "key and value heads (0: as many)") \
    X(ffn_width, INT, 0, 131072, 0, "N", "width of the feed-forward layer") \
    X(experts, INT, 0, 1024, 0, "N", "feed-forward layers to choose from (0: one)") \
    X(experts_used, INT, 1, 1024, 2, "N", "of them that digest a token") \
    X(balance, NUMBER, 0, 10, 0.01, "X", "weight of what makes their load even") \
    X(mixers, TEXT, 0, 0, 0, "KINDS", "heed: attention, window, rnn, lstm, mamba, by turns")        \
    X(positions, WORD, 0, 0, 3, "none|learned|sine|rotary|alibi", "heed: how places are known")     \
    X(window, INT, 0, 1 << 24, 0, "N", "positions that a window sees (0: a quarter)")               \
    X(kept, INT, 0, 1 << 24, 0, "N", "first positions that a window keeps in sight")                \
    X(dense, FLAG, 0, 1, 0, NULL, "heed: a feed-forward layer without a gate")                      \
    X(layer_norm, FLAG, 0, 1, 0, NULL, "heed: layer norms, not RMS norms")                          \
    X(context, INT, 0, 1 << 24, 0, "N", "tokens of a sample, and of the model's context") \
    X(untied, FLAG, 0, 1, 0, NULL, "a head of its own, not the embedding") \
    X(tokenizer, WORD, 0, 0, 0, "bpe|char|byte", "made from the text") \
    X(vocab, INT, 0, 1 << 20, 0, "N", "tokens of the vocabulary (bpe)") \
    X(documents, WORD, 0, 0, 0, "files|paragraphs", "what ends with an end-of-text token") \
    X(mask_share, NUMBER, 0.01, 0.9, 0.15, "X", "bert: share of the tokens that are hidden, to be named") \
    X(validation_share, NUMBER, 0, 0.5, 0.05, "X", "share of the text that is kept for checking") \
    X(batch, INT, 0, 1 << 20, 0, "N", "samples that are computed together") \
    X(accumulate, INT, 1, 1 << 20, 1, "N", "such batches for each step") \
    X(steps, INT, 0, 1e12, 0, "N", "steps in all") \
    X(minutes, NUMBER, 0, 1e7, 0, "X", "time that model and steps are fitted to") \
    X(params, INT, 0, 1e12, 0, "N", "parameters that the model is fitted to") \
    X(seed, INT, 0, 9.2e18, 1, "N", "of weights, order and dropout") \
    X(optimizer, WORD, 0, 0, 0, "adamw|muon", "muon: for the matrices of the blocks") \
    X(lora, INT, 0, 4096, 0, "RANK", "with --from: adapters of this rank learn, not the weights") \
    X(lora_alpha, NUMBER, 0, 1e6, 0, "X", "their strength (0: twice the rank)") \
    X(rate, NUMBER, 0, 10, 0, "X", "highest learning rate") \
    X(muon_rate, NUMBER, 0, 10, 0, "X", "the same for muon's matrices (0: 20 times)") \
    X(schedule, WORD, 0, 0, 1, "constant|cosine|linear|stable", "of the rate; stable decays at the end") \
    X(warmup, INT, -1, 1e12, -1, "N", "steps in which the rate rises (-1: 2 %)") \
    X(final_rate, NUMBER, 0, 1, 0.1, "X", "last rate as a share of the highest") \
    X(decay_share, NUMBER, 0, 1, 0.2, "X", "share of the steps in which stable decays") \
    X(weight_decay, NUMBER, 0, 10, 0.1, "X", "decoupled decay of matrices") \
    X(beta1, NUMBER, 0, 0.99999, 0.9, "X", "memory of the gradient") \
    X(beta2, NUMBER, 0, 0.999999, 0.95, "X", "memory of its square") \
    X(epsilon, NUMBER, 0, 1, 1e-8, "X", "added to the root of the square") \
    X(clip, NUMBER, 0, 1e9, 1, "X", "largest norm of the gradient, 0: any") \
    X(spike, NUMBER, 0, 1e9, 10, "X", "skip a step whose norm is this many times the usual") \
    X(dropout, NUMBER, 0, 0.9, 0, "X", "share of the sub-layers' outputs set to zero") \
    X(bf16, FLAG, 0, 1, 0, NULL, "products in bf16, weights and sums in f32") \
    X(recompute, FLAG, 0, 1, 0, NULL, "compute blocks again on the way back: less memory") \
    X(validate_every, INT, 0, 1e12, 0, "N", "steps between validations") \
    X(validation_tokens, INT, 0, 1e12, 65536, "N", "tokens of a validation (0: all)") \
    X(sample_every, INT, 0, 1e12, 0, "N", "steps between samples of text (0: as validations)") \
    X(save_every, INT, 0, 1e12, 0, "N", "steps between checkpoints") \
    X(keep, INT, 1, 1000, 2, "N", "checkpoints that stay, besides the best")
// clang-format on

enum { SETTING_TEXT_BYTES = 64 };
typedef struct SettingText {
    char c[SETTING_TEXT_BYTES]; // ends in NUL
} SettingText;

typedef struct Settings {
#define INT                                                    int64_t
#define NUMBER                                                 double
#define FLAG                                                   bool
#define WORD                                                   int
#define TEXT                                                   SettingText
#define X(field, kind, least, most, otherwise, argument, help) kind field;
    SETTINGS(X)
#undef X
#undef INT
#undef NUMBER
#undef FLAG
#undef WORD
#undef TEXT
} Settings;

enum {
    ARCH_GPT2,
    ARCH_LLAMA,
    ARCH_QWEN2,
    ARCH_QWEN3,
    ARCH_GEMMA3,
    ARCH_HEED,
    ARCH_MAMBA,
    ARCH_BERT
};
enum { TOKENIZER_BPE, TOKENIZER_CHAR, TOKENIZER_BYTES };
enum { OPTIMIZER_ADAMW, OPTIMIZER_MUON };

typedef enum SettingKind {
    SETTING_INT,
    SETTING_NUMBER,
    SETTING_FLAG,
    SETTING_WORD,
    SETTING_TEXT
} SettingKind;

typedef struct Setting {
    const char *name; // "weight_decay"; "--weight-decay" as an option
    SettingKind kind;
    size_t at; // in Settings
    double least, most, otherwise;
    const char *argument; // "N", "adamw|muon"; NULL: a flag
    const char *help;
} Setting;

// All of them, in order; the one of that name, with '-' for '_' too, or NULL.
const Setting *settings_all(int *n);
const Setting *settings_find(Str name);

Settings settings_default(void);
// ERROR_USAGE names the setting and what it may be.
MUST_USE bool settings_set(Settings *s, const Setting *setting, Str value, Error *err);
// Lines "key = value"; '#' begins a comment.  Messages name the line of `file`.
MUST_USE bool settings_read(Settings *s, Str text, const char *file, Error *err);
// The lines that say `s`; what has its default is left out unless `all`.
void settings_write(const Settings *s, StrBuilder *out, bool all);
// The value in words: "0.1", "cosine", "true".
Str setting_text(const Settings *s, const Setting *setting, Arena *arena);

// Named configurations, as lines: settings_preset("gpt2-124m"); empty: no such name.
Str settings_preset(Str name);
const char *settings_preset_name(int i); // the i-th; NULL: there are fewer

#endif
