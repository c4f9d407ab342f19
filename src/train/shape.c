// shape.c - each architecture's numbers, under the keys that its files have.
#include "train/shape.h"

#include <string.h>

enum { ENTRIES_MAX = 24, MAMBA_STATES = 16, MAMBA_ROWS = 4, MAMBA_EXPAND = 2 };

static const Arch *const archs[] = {
    [ARCH_GPT2] = &arch_gpt2,   [ARCH_LLAMA] = &arch_llama, [ARCH_QWEN2] = &arch_qwen2,
    [ARCH_QWEN3] = &arch_qwen3, [ARCH_HEED] = &arch_heed,   [ARCH_GEMMA3] = &arch_gemma3,
    [ARCH_MAMBA] = &arch_mamba, [ARCH_BERT] = &arch_bert};

typedef struct Keys {
    ConfigEntry *entry;
    int64_t n;
} Keys;

static void number(Keys *k, const char *key, double value) {
    require(k->n < ENTRIES_MAX);
    k->entry[k->n++] = (ConfigEntry){key, value, NULL};
}

static void word(Keys *k, const char *key, const char *value) {
    require(k->n < ENTRIES_MAX);
    k->entry[k->n++] = (ConfigEntry){key, 0, value};
}

static void expert_keys(Keys *k, const Settings *s) {
    if (!s->experts) return;
    number(k, "expert_count", (double)s->experts);
    number(k, "expert_used_count", (double)s->experts_used);
    if (s->arch != ARCH_QWEN2 && s->arch != ARCH_QWEN3) return;
    number(k, "expert_feed_forward_length", (double)s->ffn_width);
    number(k, "expert_shared_feed_forward_length", (double)s->ffn_width);
}

static void attention_keys(Keys *k, const Settings *s) {
    number(k, "attention.head_count", (double)s->heads);
    number(k, "attention.head_count_kv", (double)s->kv_heads);
}

static void mamba_keys(Keys *k, const Settings *s) {
    number(k, "ssm.inner_size", (double)(MAMBA_EXPAND * s->width));
    number(k, "ssm.state_size", MAMBA_STATES);
    number(k, "ssm.conv_kernel", MAMBA_ROWS);
    number(k, "ssm.time_step_rank", (double)((s->width + 15) / 16));
}

static int64_t window_of(const Settings *s) {
    return s->window > 0 ? s->window : (s->context + 3) / 4;
}

static const char *mixers_of(const Settings *s) {
    return s->mixers.c[0] ? s->mixers.c : "attention";
}

static bool has_mixer(const Settings *s, const char *kind) {
    return strstr(mixers_of(s), kind) != NULL;
}

static void heed_keys(Keys *k, const Settings *s) {
    bool has_attention = has_mixer(s, "attention") || has_mixer(s, "window");
    int positions = s->positions;
    bool needs_attention = positions == POSITION_ROTARY || positions == POSITION_ALIBI;
    word(k, "mixers", mixers_of(s));
    word(k, "positions", position_words[needs_attention && !has_attention ? 0 : positions]);
    word(k, "norm", s->layer_norm ? "layer" : "rms");
    word(k, "feed_forward", s->dense ? "dense" : "gated");
    word(k, "activation", s->dense ? "gelu_pytorch_tanh" : "silu");
    number(k, "norm_epsilon", 1e-5);
    if (has_attention) attention_keys(k, s);
    if (has_mixer(s, "window")) {
        number(k, "attention.sliding_window", (double)window_of(s));
        number(k, "attention.kept_positions", (double)s->kept);
    }
    if (has_mixer(s, "mamba")) mamba_keys(k, s);
}

static void keys_of(Keys *k, const Settings *s) {
    number(k, "context_length", (double)s->context);
    expert_keys(k, s);
    number(k, "embedding_length", (double)s->width);
    number(k, "block_count", (double)s->layers);
    switch (s->arch) {
    case ARCH_HEED:
        number(k, "feed_forward_length", (double)s->ffn_width);
        heed_keys(k, s);
        return;
    case ARCH_MAMBA:
        number(k, "attention.layer_norm_rms_epsilon", 1e-5);
        number(k, "attention.head_count", 0);
        number(k, "feed_forward_length", 0);
        mamba_keys(k, s);
        return;
    case ARCH_BERT:
        number(k, "attention.layer_norm_epsilon", 1e-12);
        number(k, "attention.head_count", (double)s->heads);
        number(k, "feed_forward_length", (double)s->ffn_width);
        number(k, "pooling_type", POOLING_MEAN);
        return;
    case ARCH_GPT2: number(k, "attention.layer_norm_epsilon", 1e-5); break;
    default: number(k, "attention.layer_norm_rms_epsilon", 1e-6);
    }
    if (s->arch == ARCH_GEMMA3) number(k, "attention.sliding_window", (double)window_of(s));
    number(k, "feed_forward_length", (double)s->ffn_width);
    attention_keys(k, s);
}

// Two families have other names where they have experts.
static const Arch *arch_of(const Settings *s) {
    if (s->experts && s->arch == ARCH_QWEN2) return &arch_qwen2moe;
    if (s->experts && s->arch == ARCH_QWEN3) return &arch_qwen3moe;
    return archs[s->arch];
}

static bool check_experts(const Settings *s, Error *err) {
    bool can = s->arch == ARCH_LLAMA || s->arch == ARCH_QWEN2 || s->arch == ARCH_QWEN3 ||
               s->arch == ARCH_HEED;
    if (!s->experts) return true;
    if (!can)
        return error_set(err, ERROR_USAGE, "experts: only llama, qwen2, qwen3 and heed have them");
    if (s->dense) return error_set(err, ERROR_USAGE, "dense: experts are gated");
    if (s->experts_used <= s->experts) return true;
    return error_set(err, ERROR_USAGE, "experts_used: %lld of %lld", (long long)s->experts_used,
                     (long long)s->experts);
}

// What only arch heed has would be lost in silence elsewhere.
static bool check_arch(const Settings *s, Error *err) {
    const char *lost = s->mixers.c[0]                    ? "mixers"
                       : s->positions != POSITION_ROTARY ? "positions"
                       : s->kept                         ? "kept"
                       : s->dense                        ? "dense"
                       : s->layer_norm                   ? "layer_norm"
                                                         : NULL;
    if (s->arch == ARCH_HEED || !lost) return true;
    return error_set(err, ERROR_USAGE, "%s: only the architecture heed has that (arch = heed)",
                     lost);
}

// An encoder is told by its architecture.
static bool check_encoder(const Settings *s, Error *err) {
    if (s->arch != ARCH_BERT || !s->kv_heads || s->kv_heads == s->heads) return true;
    return error_set(err, ERROR_USAGE, "kv_heads: bert has as many as heads");
}

// A window that no mixer has would be lost as well.
static bool check_mixers(const Settings *s, Error *err) {
    MixerKind kind[CONFIG_MIXERS_MAX];
    int n;
    if (s->window && s->arch != ARCH_HEED && s->arch != ARCH_GEMMA3)
        return error_set(err, ERROR_USAGE, "window: only heed and gemma3 have one");
    if (s->arch != ARCH_HEED) return true;
    const char *wrong = mixers_parse(str_from(mixers_of(s)), kind, &n);
    if (wrong) return error_set(err, ERROR_USAGE, "mixers: %s", wrong);
    if (has_mixer(s, "window") || (!s->window && !s->kept)) return true;
    return error_set(err, ERROR_USAGE, "%s: none of the mixers is a window",
                     s->window ? "window" : "kept");
}

static bool check_heads(const Settings *s, Error *err) {
    int64_t width = s->heads ? s->width / s->heads : 0;
    if (s->width && s->heads && s->width % s->heads)
        return error_set(err, ERROR_USAGE, "heads: %lld do not divide a width of %lld",
                         (long long)s->heads, (long long)s->width);
    if (s->width && s->heads && (width < 4 || width > KV_WIDTH_MAX || width % 4))
        return error_set(err, ERROR_USAGE,
                         "heads: %lld of a width of %lld are %lld wide each; that must be a "
                         "multiple of 4 from 4 to %d",
                         (long long)s->heads, (long long)s->width, (long long)width, KV_WIDTH_MAX);
    if (s->heads && s->kv_heads && s->heads % s->kv_heads)
        return error_set(err, ERROR_USAGE, "kv_heads: %lld do not divide %lld heads",
                         (long long)s->kv_heads, (long long)s->heads);
    return true;
}

bool shape_check(const Settings *s, Error *err) {
    bool has_heads = s->arch != ARCH_MAMBA;
    return check_arch(s, err) && check_encoder(s, err) && check_mixers(s, err) &&
           check_experts(s, err) && (!has_heads || check_heads(s, err));
}

bool shape_plan(Arena *arena, const Settings *s, const Vocab *vocab, const char *name,
                ModelPlan *plan, Error *err) {
    Keys keys = {arena_new(arena, ConfigEntry, ENTRIES_MAX), 0};
    if (!shape_check(s, err)) return false;
    keys_of(&keys, s);
    *plan = (ModelPlan){.arch = arch_of(s),
                        .entry = keys.entry,
                        .n_entries = keys.n,
                        .vocab = vocab,
                        // other engines want a head of its own in qwen2moe
                        .is_tied = !s->untied && arch_of(s) != &arch_qwen2moe,
                        .seed = (uint64_t)s->seed,
                        .name = name};
    return true;
}
