// config_rotary.c - rotary positions as files describe them.
//
// GGUF has flat keys (rope.freq_base, rope.scaling.type ...); older config.json files have
// rope_theta and a rope_scaling object, newer ones rope_parameters, perhaps one per kind of layer.
#include <float.h>
#include <string.h>

#include "model/config.h"

static const char *const scaling_words[] = {"none", "linear", "llama3", "yarn", NULL};

// The object that holds the scaling of the layers in question, NULL if there is none.
static const Json *scaling_object(const ConfigIo *io, const char *layer_kind) {
    const Json *parameters = json_get(io->json, "rope_parameters");
    const Json *of_kind = json_get(parameters, layer_kind);
    if (of_kind) return of_kind;
    if (parameters && parameters->kind == JSON_OBJECT) return parameters;
    const Json *scaling = json_get(io->json, "rope_scaling");
    return scaling && scaling->kind == JSON_OBJECT ? scaling : NULL;
}

static RotaryScaling scaling_of(ConfigIo *io, const Json *object) {
    Str type = json_string(json_get(object, "rope_type"), STR(""));
    if (type.n == 0) type = json_string(json_get(object, "type"), STR("default"));
    if (str_equal(type, STR("default"))) return SCALING_NONE;
    for (int i = 0; scaling_words[i]; i++)
        if (str_equal(type, str_from(scaling_words[i]))) return (RotaryScaling)i;
    config_fail(io, ERROR_UNSUPPORTED, "rope_type", str_c(io->arena, type));
    return SCALING_NONE;
}

static float number_of(const Json *object, const char *key, double otherwise) {
    return (float)json_number(json_get(object, key), otherwise);
}

static double attention_factor_of(const Json *object, double factor) {
    double given = json_number(json_get(object, "attention_factor"), 0);
    double scale = json_number(json_get(object, "mscale"), 0);
    double scale_all = json_number(json_get(object, "mscale_all_dim"), 0);
    if (given > 0 || scale <= 0 || scale_all <= 0) return given;
    return rotary_yarn_magnitude((double)factor, scale) /
           rotary_yarn_magnitude((double)factor, scale_all);
}

static void read_hf(ConfigIo *io, const Config *c, RotarySpec *spec, const char *layer_kind) {
    const Json *object = scaling_object(io, layer_kind);
    double base = json_number(json_get(io->json, "rope_theta"), 10000);
    spec->base = number_of(object, "rope_theta", base);
    spec->scaling = object ? scaling_of(io, object) : SCALING_NONE;
    spec->factor = number_of(object, "factor", 1);
    spec->low = number_of(object, "low_freq_factor", 1);
    spec->high = number_of(object, "high_freq_factor", 4);
    spec->original_context =
        json_integer(json_get(object, "original_max_position_embeddings"), c->context);
    spec->beta_fast = number_of(object, "beta_fast", 32);
    spec->beta_slow = number_of(object, "beta_slow", 1);
    spec->attention_factor = (float)attention_factor_of(object, (double)spec->factor);
    spec->truncate = json_bool(json_get(object, "truncate"), true);
    if (json_get(io->json, "partial_rotary_factor") || json_get(object, "partial_rotary_factor"))
        config_fail(io, ERROR_UNSUPPORTED, "partial_rotary_factor", "only whole heads are turned");
}

static void write_hf(ConfigIo *io, const RotarySpec *spec) {
    JsonWriter *w = io->json_out;
    json_key(w, "rope_theta");
    json_put_number(w, (double)spec->base);
    if (spec->scaling == SCALING_NONE) return;
    json_key(w, "rope_scaling");
    json_begin_object(w);
    json_key(w, "rope_type");
    json_put_string(w, str_from(scaling_words[spec->scaling]));
    json_key(w, "factor");
    json_put_number(w, (double)spec->factor);
    if (spec->scaling == SCALING_LLAMA3) {
        json_key(w, "low_freq_factor");
        json_put_number(w, (double)spec->low);
        json_key(w, "high_freq_factor");
        json_put_number(w, (double)spec->high);
    }
    if (spec->scaling != SCALING_LINEAR) {
        json_key(w, "original_max_position_embeddings");
        json_put_integer(w, spec->original_context);
    }
    if (spec->scaling == SCALING_YARN) {
        json_key(w, "beta_fast");
        json_put_number(w, (double)spec->beta_fast);
        json_key(w, "beta_slow");
        json_put_number(w, (double)spec->beta_slow);
        if (spec->attention_factor > 0) {
            json_key(w, "attention_factor");
            json_put_number(w, (double)spec->attention_factor);
        }
    }
    json_end_object(w);
}

// A GGUF holds llama3 scaling as a tensor of divisors (rope_freqs) and says "none".
static void gguf_fields(ConfigIo *io, const Config *c, RotarySpec *spec) {
    int64_t width = spec->width;
    int scaling = spec->scaling == SCALING_LLAMA3 ? SCALING_NONE : (int)spec->scaling;
    config_take_int(io, "rope.dimension_count", NULL, &width, c->head_width);
    config_take_float(io, "rope.freq_base", NULL, &spec->base, 10000);
    config_take_word(io, "rope.scaling.type", NULL, scaling_words, &scaling, SCALING_NONE);
    if (config_is_reading(io)) spec->scaling = (RotaryScaling)scaling;
    if (scaling == SCALING_NONE)
        spec->factor = 1;
    else
        config_take_float(io, "rope.scaling.factor", NULL, &spec->factor, 1);
    config_take_int(io, "rope.scaling.original_context_length", NULL, &spec->original_context,
                    c->context);
    config_take_float(io, "rope.scaling.yarn_beta_fast", NULL, &spec->beta_fast, 32);
    config_take_float(io, "rope.scaling.yarn_beta_slow", NULL, &spec->beta_slow, 1);
    config_take_float(io, "rope.scaling.attn_factor", NULL, &spec->attention_factor, 0);
    if (width != c->head_width)
        config_fail(io, ERROR_UNSUPPORTED, "rope.dimension_count", "only whole heads are turned");
    if (config_is_reading(io)) spec->truncate = true;
}

static void check(ConfigIo *io, const RotarySpec *spec) {
    if (io->failed) return;
    if (!(spec->base > 1 && spec->base <= FLT_MAX))
        config_fail(io, ERROR_FORMAT, "rope base", "must be above 1 and finite");
    else if (!(spec->factor > 0 && spec->factor <= FLT_MAX))
        config_fail(io, ERROR_FORMAT, "rope scaling factor", "must be above 0 and finite");
    else if (spec->width % 2 != 0)
        config_fail(io, ERROR_FORMAT, "head width", "must be even");
    else if (spec->scaling >= SCALING_LLAMA3 && spec->original_context < 1)
        config_fail(io, ERROR_FORMAT, "original context", "must be above 0");
    else if (spec->scaling == SCALING_LLAMA3 && !(spec->high > spec->low && spec->low > 0))
        config_fail(io, ERROR_FORMAT, "high_freq_factor", "must be above low_freq_factor");
}

void config_rotary(ConfigIo *io, Config *c, RotaryPairing pairing) {
    if (io->failed) return;
    RotarySpec *spec = &c->rotary;
    if (config_is_reading(io)) {
        *spec = (RotarySpec){.pairing = pairing, .width = c->head_width, .factor = 1};
        c->positions = POSITION_ROTARY;
    }
    if (io->mode == CONFIG_READ_HF)
        read_hf(io, c, spec, "full_attention");
    else if (io->mode == CONFIG_WRITE_HF)
        write_hf(io, spec);
    else
        gguf_fields(io, c, spec);
    check(io, spec);
    if (config_is_reading(io)) c->rotary_local = *spec;
}

void config_rotary_local(ConfigIo *io, Config *c, float otherwise) {
    if (io->failed) return;
    RotarySpec *spec = &c->rotary_local;
    if (io->mode == CONFIG_READ_HF) {
        const Json *object = json_get(json_get(io->json, "rope_parameters"), "sliding_attention");
        double base = json_number(json_get(io->json, "rope_local_base_freq"), (double)otherwise);
        *spec = (RotarySpec){.pairing = c->rotary.pairing, .width = c->head_width, .factor = 1};
        spec->base = number_of(object, "rope_theta", base);
        if (object && scaling_of(io, object) != SCALING_NONE)
            config_fail(io, ERROR_UNSUPPORTED, "rope_type", "scaling of layers with a window");
    } else if (io->mode == CONFIG_READ_GGUF) {
        *spec = (RotarySpec){.pairing = c->rotary.pairing, .width = c->head_width, .factor = 1};
    }
    config_take_float(io, "rope.freq_base_swa",
                      io->mode == CONFIG_WRITE_HF ? "rope_local_base_freq" : NULL, &spec->base,
                      otherwise);
    check(io, spec);
}
