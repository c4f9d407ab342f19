// config.c - one list of fields, four things to do with it.
#include "model/config.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

// ---------------------------------------------------------------- mixers and positions
#define X(name, words) [MIXER_##name] = (words),
const char *const mixer_words[] = {MIXERS(X) NULL};
#undef X

#define X(name, words) [POSITION_##name] = (words),
const char *const position_words[] = {POSITIONS(X) NULL};
#undef X

int config_attention_layers(const Config *c) {
    int n = 0;
    for (int l = 0; l < c->layers; l++) n += config_has_attention(c, l);
    return n;
}

bool config_uses(const Config *c, MixerKind kind) {
    for (int l = 0; l < c->layers; l++)
        if (config_mixer(c, l) == kind) return true;
    return false;
}

int64_t config_carry(const Config *c, int l) {
    switch (config_mixer(c, l)) {
    case MIXER_RNN: return c->recurrent_width;
    case MIXER_LSTM: return 2 * (int64_t)c->recurrent_width;
    case MIXER_MAMBA: return (int64_t)c->inner_width * (c->conv_width - 1 + c->state_width);
    default: return 0;
    }
}

// ---------------------------------------------------------------- reading
bool config_is_reading(const ConfigIo *io) {
    return io->mode == CONFIG_READ_GGUF || io->mode == CONFIG_READ_HF;
}

bool config_is_hf(const ConfigIo *io) {
    return io->mode == CONFIG_READ_HF || io->mode == CONFIG_WRITE_HF;
}

void config_fail(ConfigIo *io, ErrorKind kind, const char *key, const char *reason) {
    if (!io->failed) error_set(io->err, kind, "%s: %s: %s", io->file, key, reason);
    io->failed = true;
}

// "attention.head_count" -> "llama.attention.head_count"
static const char *full_key(ConfigIo *io, const char *gguf) {
    return str_printf(io->arena, "%s.%s", io->arch, gguf).data;
}

// The name of the field in the world that is read or written, NULL if it has none there.
static const char *key_of(ConfigIo *io, const char *gguf, const char *hf) {
    if (config_is_hf(io)) return hf;
    return gguf ? full_key(io, gguf) : NULL;
}

typedef enum Found { FOUND, ABSENT, WRONG } Found;

static Found read_number(ConfigIo *io, const char *key, double *value) {
    if (io->mode == CONFIG_READ_HF) {
        const Json *json = json_get(io->json, key);
        if (!json || json->kind == JSON_NULL) return ABSENT;
        if (json->kind != JSON_NUMBER) {
            config_fail(io, ERROR_FORMAT, key, "must be a number");
            return WRONG;
        }
        *value = json->number;
        return FOUND;
    }
    const GgufValue *v = gguf_find(io->gguf, key);
    if (!v) return ABSENT;
    double first, next;
    if (!gguf_value_number(v, 0, &first)) {
        config_fail(io, ERROR_FORMAT, key, "must be a number");
        return WRONG;
    }
    for (int64_t i = 1; i < v->n; i++) { // a list with one value for each layer
        if (gguf_value_number(v, i, &next) && next == first) continue;
        config_fail(io, ERROR_UNSUPPORTED, key, "differs between layers");
        return WRONG;
    }
    *value = first;
    return FOUND;
}

static bool read_int(ConfigIo *io, const char *key, int64_t *value, int64_t least, int64_t most) {
    double number;
    Found found = read_number(io, key, &number);
    if (found != FOUND) return false;
    if (!(number >= (double)least && number <= (double)most) || number != floor(number)) {
        char reason[96];
        snprintf(reason, sizeof reason, "is %g, must be a whole number from %lld to %lld", number,
                 (long long)least, (long long)most);
        config_fail(io, ERROR_FORMAT, key, reason);
        return false;
    }
    *value = (int64_t)number;
    return true;
}

static bool read_float(ConfigIo *io, const char *key, float *value) {
    double number;
    if (read_number(io, key, &number) != FOUND) return false;
    if (!(fabs(number) <= (double)FLT_MAX)) {
        config_fail(io, ERROR_FORMAT, key, "must be finite");
        return false;
    }
    *value = (float)number;
    return true;
}

// ---------------------------------------------------------------- writing
static void write_int(ConfigIo *io, const char *key, int64_t value) {
    if (io->mode == CONFIG_WRITE_GGUF) {
        gguf_set_integer(io->gguf_out, key, GGUF_U32, value);
        return;
    }
    json_key(io->json_out, key);
    json_put_integer(io->json_out, value);
}

static void write_float(ConfigIo *io, const char *key, float value) {
    if (io->mode == CONFIG_WRITE_GGUF) {
        gguf_set_number(io->gguf_out, key, GGUF_F32, (double)value);
        return;
    }
    json_key(io->json_out, key);
    char text[32]; // the shortest number that is this float: 1e-05, not 9.999999747e-06
    snprintf(text, sizeof text, "%.7g", (double)value);
    double shortest;
    json_put_number(io->json_out, str_number(str_from(text), &shortest) && (float)shortest == value
                                      ? shortest
                                      : (double)value);
}

static void write_string(ConfigIo *io, const char *key, Str value) {
    if (io->mode == CONFIG_WRITE_GGUF) {
        gguf_set_string(io->gguf_out, key, value);
        return;
    }
    json_key(io->json_out, key);
    json_put_string(io->json_out, value);
}

// ---------------------------------------------------------------- fields
void config_need_int(ConfigIo *io, const char *gguf, const char *hf, int64_t *value, int64_t least,
                     int64_t most) {
    const char *key = io->failed ? NULL : key_of(io, gguf, hf);
    if (!key) return;
    if (!config_is_reading(io))
        write_int(io, key, *value);
    else if (!read_int(io, key, value, least, most))
        config_fail(io, ERROR_FORMAT, key, "is missing");
}

void config_take_int(ConfigIo *io, const char *gguf, const char *hf, int64_t *value,
                     int64_t otherwise) {
    if (io->failed) return;
    const char *key = key_of(io, gguf, hf);
    if (!key) return;
    if (config_is_reading(io)) *value = otherwise;
    if (config_is_reading(io))
        read_int(io, key, value, 0, CONFIG_CONTEXT_MAX);
    else if (*value != otherwise)
        write_int(io, key, *value);
}

void config_need_float(ConfigIo *io, const char *gguf, const char *hf, float *value) {
    const char *key = io->failed ? NULL : key_of(io, gguf, hf);
    if (!key) return;
    if (!config_is_reading(io))
        write_float(io, key, *value);
    else if (!read_float(io, key, value))
        config_fail(io, ERROR_FORMAT, key, "is missing");
}

void config_take_float(ConfigIo *io, const char *gguf, const char *hf, float *value,
                       float otherwise) {
    if (io->failed) return;
    const char *key = key_of(io, gguf, hf);
    if (!key) return;
    if (config_is_reading(io)) *value = otherwise;
    if (config_is_reading(io))
        read_float(io, key, value);
    else if (*value != otherwise)
        write_float(io, key, *value);
}

void config_take_word(ConfigIo *io, const char *gguf, const char *hf, const char *const *words,
                      int *value, int otherwise) {
    const char *key = io->failed ? NULL : key_of(io, gguf, hf);
    Str word = {0};
    if (!key) return;
    if (!config_is_reading(io) && *value != otherwise)
        write_string(io, key, str_from(words[*value]));
    if (!config_is_reading(io)) return;
    *value = otherwise;
    if (io->mode == CONFIG_READ_HF)
        word = json_string(json_get(io->json, key), word);
    else if (!gguf_try_string(io->gguf, key, &word, io->err))
        io->failed = true;
    if (io->failed || word.n == 0) return;
    for (int i = 0; words[i]; i++) {
        if (!str_equal(word, str_from(words[i]))) continue;
        *value = i;
        return;
    }
    config_fail(io, ERROR_UNSUPPORTED, key, str_c(io->arena, word));
}

void config_need_text(ConfigIo *io, const char *gguf, const char *hf, Str *text) {
    const char *key = io->failed ? NULL : key_of(io, gguf, hf);
    if (!key) return;
    if (!config_is_reading(io)) {
        write_string(io, key, *text);
        return;
    }
    *text = STR("");
    if (io->mode == CONFIG_READ_HF)
        *text = json_string(json_get(io->json, key), *text);
    else if (!gguf_try_string(io->gguf, key, text, io->err))
        io->failed = true;
    if (text->n == 0) config_fail(io, ERROR_FORMAT, key, "is missing");
}

void config_expect_bool(ConfigIo *io, const char *hf, bool otherwise, bool wanted) {
    if (io->failed || io->mode != CONFIG_READ_HF) return;
    if (json_bool(json_get(io->json, hf), otherwise) != wanted)
        config_fail(io, ERROR_UNSUPPORTED, hf,
                    wanted ? "false is not supported" : "true is not supported");
}

void config_expect_word(ConfigIo *io, const char *hf, const char *wanted) {
    if (io->failed || io->mode != CONFIG_READ_HF) return;
    Str word = json_string(json_get(io->json, hf), str_from(wanted));
    if (str_equal(word, str_from(wanted))) return;
    config_fail(
        io, ERROR_UNSUPPORTED, hf,
        str_printf(io->arena, "'%.*s' is not supported, only '%s'", STR_ARG(word), wanted).data);
}

// ---------------------------------------------------------------- groups of fields
void config_check(ConfigIo *io, int64_t heads, int64_t kv_heads, int64_t head_width,
                  float norm_eps) {
    if (kv_heads < 1 || heads % kv_heads != 0)
        config_fail(io, ERROR_FORMAT, "key/value heads", "must divide the query heads");
    else if (head_width < 4 || head_width > KV_WIDTH_MAX || head_width % 4 != 0)
        config_fail(io, ERROR_UNSUPPORTED, "head width", "must be a multiple of 4 from 4 to 512");
    else if (!(norm_eps >= 0))
        config_fail(io, ERROR_FORMAT, "epsilon of the norms", "must not be negative");
}

void config_decoder(ConfigIo *io, Config *c) {
    int64_t width = c->width, layers = c->layers, ffn = c->ffn_width;
    int64_t heads = c->heads, kv_heads = c->kv_heads, head_width = c->head_width;
    config_need_int(io, "context_length", "max_position_embeddings", &c->context, 1,
                    CONFIG_CONTEXT_MAX);
    config_need_int(io, "embedding_length", "hidden_size", &width, 1, CONFIG_WIDTH_MAX);
    config_need_int(io, "block_count", "num_hidden_layers", &layers, 1, CONFIG_LAYERS_MAX);
    config_need_int(io, "feed_forward_length", "intermediate_size", &ffn, 1, CONFIG_WIDTH_MAX);
    config_need_int(io, "attention.head_count", "num_attention_heads", &heads, 1, CONFIG_HEADS_MAX);
    config_take_int(io, "attention.head_count_kv", "num_key_value_heads", &kv_heads, heads);
    config_take_int(io, "attention.key_length", "head_dim", &head_width,
                    io->failed ? 0 : width / heads);
    // Other readers take width / heads where a file is silent, whatever it says of the keys: this
    // is written if it differs, and read with more trust.
    int64_t value_width = head_width;
    config_take_int(io, "attention.value_length", NULL, &value_width,
                    config_is_reading(io) || io->failed ? head_width : width / heads);
    config_need_float(io, "attention.layer_norm_rms_epsilon", "rms_norm_eps", &c->norm_eps);
    if (io->failed || !config_is_reading(io)) return;
    config_check(io, heads, kv_heads, head_width, c->norm_eps);
    if (value_width != head_width)
        config_fail(io, ERROR_UNSUPPORTED, "attention.value_length", "must equal the key length");
    if (io->failed) return;
    c->width = (int)width;
    c->layers = (int)layers;
    c->ffn_width = (int)ffn;
    c->heads = (int)heads;
    c->kv_heads = (int)kv_heads;
    c->head_width = (int)head_width;
    c->attention_scale = 1 / sqrtf((float)head_width);
    c->embed_scale = 1;
}

void config_experts(ConfigIo *io, Config *c, const char *count) {
    int64_t experts = c->experts, used = c->experts_used;
    config_take_int(io, "expert_count", count, &experts, 0);
    if (io->failed || (config_is_reading(io) && experts == 0)) return;
    if (experts) config_take_int(io, "expert_used_count", "num_experts_per_tok", &used, 0);
    if (io->failed || !config_is_reading(io)) return;
    if (experts > CONFIG_EXPERTS_MAX || used < 1 || used > experts)
        config_fail(io, ERROR_FORMAT, "experts", "must be 1 to 1024, and as many used at most");
    if (c->ffn_width < 1) config_fail(io, ERROR_FORMAT, "experts", "have no width");
    if (io->failed) return;
    c->experts = (int)experts;
    c->experts_used = (int)used;
    c->expert_width = c->ffn_width;
    c->norm_experts = true;
}

void config_mamba(ConfigIo *io, Config *c, const char *inner) {
    int64_t width = c->inner_width, states = c->state_width, rows = c->conv_width,
            rank = c->time_rank;
    config_need_int(io, "ssm.inner_size", inner, &width, 1, CONFIG_WIDTH_MAX);
    config_need_int(io, "ssm.state_size", "state_size", &states, 1, CONFIG_STATE_MAX);
    config_need_int(io, "ssm.conv_kernel", "conv_kernel", &rows, 1, CONFIG_STATE_MAX);
    config_need_int(io, "ssm.time_step_rank", "time_step_rank", &rank, 1, CONFIG_WIDTH_MAX);
    if (io->failed || !config_is_reading(io)) return;
    if (width * (rows + states) > CONFIG_CARRY_MAX) {
        config_fail(io, ERROR_LIMIT, "ssm.state_size", "carries too many numbers");
        return;
    }
    c->inner_width = (int)width;
    c->state_width = (int)states;
    c->conv_width = (int)rows;
    c->time_rank = (int)rank;
}

// The n for which exactly every n-th layer of a list of layer types sees everything and the others
// a window, 0 if none sees everything, -1 if it is otherwise.
static int pattern_of(const Json *types) {
    int pattern = 0, l = 0;
    for (const Json *type = types->child; type; type = type->next, l++)
        if (str_equal(json_string(type, STR("")), STR("full_attention")) && !pattern)
            pattern = l + 1;
    l = 0;
    for (const Json *type = types->child; type; type = type->next, l++) {
        bool is_full = pattern > 0 && (l + 1) % pattern == 0;
        Str want = is_full ? STR("full_attention") : STR("sliding_attention");
        if (!str_equal(json_string(type, STR("")), want)) return -1;
    }
    return pattern;
}

void config_window_pattern(ConfigIo *io, Config *c, int otherwise) {
    int64_t pattern = c->window_pattern;
    const Json *types = io->mode == CONFIG_READ_HF ? json_get(io->json, "layer_types") : NULL;
    config_take_int(io, "attention.sliding_window_pattern", "sliding_window_pattern", &pattern,
                    otherwise);
    if (io->failed || !config_is_reading(io)) return;
    if (types && types->kind == JSON_ARRAY) {
        if (types->count != c->layers)
            config_fail(io, ERROR_FORMAT, "layer_types", "has not one entry a layer");
        else
            pattern = pattern_of(types);
    }
    if (pattern < 0 || pattern > CONFIG_LAYERS_MAX)
        config_fail(io, ERROR_UNSUPPORTED, "layer_types",
                    "full attention must come at every n-th layer");
    else
        c->window_pattern = (int)pattern;
}
