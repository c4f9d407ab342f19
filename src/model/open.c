// open.c - from a path to a model that can be run: which architecture, which numbers, which
// weights, which tokenizer.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "builtin/builtin.h"
#include "model/open.h"
#include "model/weights.h"

enum { SMALL_FILE = 64 << 20 }; // of JSON beside the weights: tokenizer.json of large vocabularies

static const GgufRange ANY_SIZE = {0, INT32_MAX};

// ---------------------------------------------------------------- GGUF
static bool gguf_advice(Model *m, Error *err) {
    double temperature = -1, top_p = -1, min_p = -1, repetition = -1;
    int64_t top_k = -1;
    const GgufFile *f = &m->gguf;
    if (!gguf_try_number(f, "general.sampling.temp", 0, 100, &temperature, err) ||
        !gguf_try_number(f, "general.sampling.top_p", 0, 1, &top_p, err) ||
        !gguf_try_number(f, "general.sampling.min_p", 0, 1, &min_p, err) ||
        !gguf_try_number(f, "general.sampling.penalty_repeat", 0, 100, &repetition, err) ||
        !gguf_try_integer(f, "general.sampling.top_k", ANY_SIZE, &top_k, err))
        return false;
    m->advice = (SamplingAdvice){(float)temperature, (float)top_p, (float)min_p, (float)repetition,
                                 (int)top_k};
    return true;
}

static bool gguf_texts(Model *m, Error *err) {
    Vocab vocab;
    if (!gguf_try_string(&m->gguf, "general.name", &m->name, err) ||
        !gguf_try_string(&m->gguf, "tokenizer.chat_template", &m->chat_template, err))
        return false;
    Str kind = {0};
    if (!gguf_try_string(&m->gguf, "tokenizer.ggml.model", &kind, err)) return false;
    if (kind.n == 0 || str_equal(kind, STR("none")) || str_equal(kind, STR("no_vocab")))
        return true;
    if (!vocab_read(&m->arena, &m->gguf, &vocab, err)) return false;
    m->tokenizer = tokenizer_from_vocab(&m->arena, &vocab, err);
    return m->tokenizer || error_wrap(err, "%s", m->tensors->path.data);
}

// What an open GGUF file says; `path` stands for it in messages.
static bool read_gguf(Model *m, const char *path, Error *err) {
    Str name;
    Str type = {0};
    m->tensors = &m->gguf.tensors;
    if (!gguf_try_string(&m->gguf, "general.type", &type, err)) return false;
    if (str_equal(type, STR("adapter")))
        return error_set(err, ERROR_USAGE,
                         "%s is an adapter: give its model, and the adapter with --lora", path);
    if (!gguf_get_string(&m->gguf, "general.architecture", &name, err)) return false;
    m->arch = arch_named(name);
    if (!m->arch)
        return error_set(err, ERROR_UNSUPPORTED, "%s: general.architecture: '%s' is not supported",
                         path, tensor_file_quote(name).text);
    ConfigIo io = {.mode = CONFIG_READ_GGUF,
                   .arch = m->arch->name,
                   .file = path,
                   .gguf = &m->gguf,
                   .arena = &m->arena,
                   .err = err};
    m->arch->config(&io, &m->config);
    if (io.failed) return false;
    const TensorEntry *embed = tensor_file_find(m->tensors, STR("token_embd.weight"));
    if (!embed || embed->rank != 2)
        return error_set(err, ERROR_FORMAT, "%s: tensor token_embd.weight is missing", path);
    if (embed->dim[0] > CONFIG_VOCAB_MAX)
        return error_set(err, ERROR_LIMIT, "%s: a vocabulary of %lld tokens", path,
                         (long long)embed->dim[0]);
    m->config.vocab = embed->dim[0];
    m->normalizes = m->config.is_encoder; // as other engines do with these files
    return gguf_texts(m, err) && gguf_advice(m, err);
}

// ---------------------------------------------------------------- Hugging Face folder
static const char *in_folder(Model *m, const char *folder, const char *file) {
    return str_printf(&m->arena, "%s/%s", folder, file).data;
}

// The file's JSON; *json stays NULL where the file is absent and may be.
static bool folder_json(Model *m, const char *folder, const char *file, const Json **json,
                        Error *err) {
    Str text;
    const char *path = in_folder(m, folder, file);
    *json = NULL;
    if (!file_exists(path)) return true;
    if (!file_read(&m->arena, path, SMALL_FILE, &text, err)) return false;
    *json = json_parse(&m->arena, text, SMALL_FILE, err);
    if (*json && (*json)->kind == JSON_OBJECT) return true;
    if (!*json) return error_wrap(err, "%s", path);
    return error_set(err, ERROR_FORMAT, "%s: must be an object", path);
}

static bool folder_config(Model *m, const char *folder, const Json **config, Error *err) {
    const char *path = in_folder(m, folder, "config.json");
    if (!folder_json(m, folder, "config.json", config, err)) return false;
    if (!*config) return error_set(err, ERROR_IO, "%s: no such file", path);
    Str type = json_string(json_get(*config, "model_type"), STR(""));
    m->arch = arch_of_hf_type(type);
    if (!m->arch)
        return error_set(err, ERROR_UNSUPPORTED, "%s: model_type: '%s' is not supported", path,
                         tensor_file_quote(type).text);
    ConfigIo io = {.mode = CONFIG_READ_HF,
                   .arch = m->arch->name,
                   .file = path,
                   .json = *config,
                   .arena = &m->arena,
                   .err = err};
    config_need_int(&io, NULL, "vocab_size", &m->config.vocab, 1, CONFIG_VOCAB_MAX);
    m->arch->config(&io, &m->config);
    return !io.failed;
}

static bool folder_tokenizer(Model *m, const char *folder, Error *err) {
    Str text, config = STR("");
    const char *path = in_folder(m, folder, "tokenizer.json");
    const char *config_path = in_folder(m, folder, "tokenizer_config.json");
    const Json *json = NULL;
    if (file_exists(config_path) && !file_read(&m->arena, config_path, SMALL_FILE, &config, err))
        return false;
    if (!folder_json(m, folder, "tokenizer_config.json", &json, err)) return false;
    m->chat_template = json_string(json_get(json, "chat_template"), m->chat_template);
    const char *template_path = in_folder(m, folder, "chat_template.jinja");
    if (file_exists(template_path) &&
        !file_read(&m->arena, template_path, SMALL_FILE, &m->chat_template, err))
        return false;
    if (!file_exists(path)) return true;
    if (!file_read(&m->arena, path, SMALL_FILE, &text, err)) return false;
    m->tokenizer = tokenizer_from_json(&m->arena, text, config, err);
    return m->tokenizer || error_wrap(err, "%s", path);
}

// generation_config.json: how to sample, and which ids end (a number or a list; it overrides
// config.json).
static bool folder_generation(Model *m, const char *folder, const Json *config, Error *err) {
    const Json *json;
    if (!folder_json(m, folder, "generation_config.json", &json, err)) return false;
    bool samples = json_bool(json_get(json, "do_sample"), false);
    m->advice = (SamplingAdvice){-1, -1, -1, -1, -1};
    if (samples) {
        m->advice.temperature = (float)json_number(json_get(json, "temperature"), -1);
        m->advice.top_p = (float)json_number(json_get(json, "top_p"), -1);
        m->advice.min_p = (float)json_number(json_get(json, "min_p"), -1);
        m->advice.repetition = (float)json_number(json_get(json, "repetition_penalty"), -1);
        m->advice.top_k = (int)json_integer(json_get(json, "top_k"), -1);
    }
    const Json *ends = json_get(json, "eos_token_id");
    if (!ends) ends = json_get(config, "eos_token_id");
    if (!ends || ends->kind == JSON_NULL) return true;
    bool is_list = ends->kind == JSON_ARRAY;
    m->n_end_ids = is_list ? ends->count : 1;
    int32_t *ids = arena_new(&m->arena, int32_t, m->n_end_ids);
    const Json *item = is_list ? ends->child : ends;
    for (int64_t i = 0; i < m->n_end_ids; i++, item = item->next)
        ids[i] = (int32_t)json_integer(item, -1);
    m->end_id = ids;
    return true;
}

// How sentence-transformers makes a vector of a text: the modules behind the model, the first of
// which pools.  A folder without them: the mean, of length 1.
static bool folder_pooling(Model *m, const char *folder, Error *err) {
    const Json *modules, *pooling;
    const char *path = in_folder(m, folder, "modules.json");
    m->config.pooling = POOLING_MEAN;
    m->normalizes = true;
    if (!file_exists(path)) return true;
    Str text;
    if (!file_read(&m->arena, path, SMALL_FILE, &text, err)) return false;
    modules = json_parse(&m->arena, text, SMALL_FILE, err);
    if (!modules) return error_wrap(err, "%s", path);
    m->normalizes = false;
    for (const Json *module = modules->child; module; module = module->next) {
        Str type = json_string(json_get(module, "type"), STR(""));
        Str place = json_string(json_get(module, "path"), STR(""));
        bool is_pooling = str_ends(type, STR(".Pooling"));
        if (str_ends(type, STR(".Normalize"))) m->normalizes = true;
        if (!is_pooling && !str_ends(type, STR(".Normalize")) &&
            !str_ends(type, STR(".Transformer")))
            return error_set(err, ERROR_UNSUPPORTED, "%s: type: '%s' is not supported", path,
                             tensor_file_quote(type).text);
        if (!is_pooling) continue;
        Str file = str_printf(&m->arena, "%.*s/config.json", STR_ARG(place));
        if (!folder_json(m, folder, file.data, &pooling, err)) return false;
        bool mean = json_bool(json_get(pooling, "pooling_mode_mean_tokens"), false);
        bool cls = json_bool(json_get(pooling, "pooling_mode_cls_token"), false);
        if (mean == cls)
            return error_set(err, ERROR_UNSUPPORTED,
                             "%s/%s: pooling_mode: only mean_tokens or cls_token is supported",
                             folder, file.data);
        m->config.pooling = cls ? POOLING_CLS : POOLING_MEAN;
    }
    return true;
}

static bool open_folder(Model *m, const char *folder, bool use_map, Error *err) {
    const Json *config;
    m->is_hf = true;
    if (!folder_config(m, folder, &config, err)) return false;
    if (!safetensors_open(&m->safetensors, folder, use_map, err)) return false;
    m->tensors = &m->safetensors.tensors;
    const Json *tie = json_get(config, "tie_word_embeddings");
    m->is_tied = json_bool(tie, false);
    bool is_encoder = m->config.is_encoder; // may have no head at all
    const char *head = is_encoder ? "cls.predictions.decoder.weight" : "lm_head.weight";
    bool wants_head = !is_encoder || tensor_file_find(m->tensors, STR("cls.predictions.bias"));
    if (tie && !m->is_tied && wants_head && !tensor_file_find(m->tensors, str_from(head)))
        return error_set(err, ERROR_FORMAT,
                         "%s: tensor %s is missing, and config.json says that it is not tied",
                         folder, head);
    return folder_tokenizer(m, folder, err) && folder_generation(m, folder, config, err) &&
           (!is_encoder || folder_pooling(m, folder, err));
}

// ---------------------------------------------------------------- both
// What stands for the model in messages.
static const char *origin(const Model *m) {
    return m->tensors ? m->tensors->path.data : m->name.data;
}

// Numbers that are fine one by one, or divisors of 0, may still give no speed.
static bool check_rotary(const Model *m, const Rotary *rotary, Error *err) {
    bool is_finite = isfinite(rotary->magnitude);
    for (int i = 0; i < rotary->n_pairs; i++) is_finite &= isfinite(rotary->frequency[i]);
    if (is_finite) return true;
    return error_set(err, ERROR_FORMAT, "%s: the rotary scaling gives no finite speeds", origin(m));
}

// The head of an encoder is there with all its parts, or it is not.
static bool check_token_head(const Model *m, Error *err) {
    const TokenHead *h = &m->token_head;
    int n = (h->dense.data != NULL) + (h->dense_bias.data != NULL) + (h->norm.weight.data != NULL) +
            (h->norm.bias.data != NULL);
    if (n == 0 || n == 4) return true;
    return error_set(err, ERROR_FORMAT, "%s: the head that names tokens lacks a tensor: %d of 4",
                     origin(m), n);
}

bool model_finish(Model *m, Error *err) {
    if (!check_token_head(m, err)) return false;
    if (!m->head.data || m->is_tied) {
        m->head = m->embed;
        m->is_tied = true;
    }
    if (m->tokenizer && tokenizer_size(m->tokenizer) > m->config.vocab)
        return error_set(err, ERROR_FORMAT,
                         "%s: the tokenizer has %lld tokens, the embedding %lld rows", origin(m),
                         (long long)tokenizer_size(m->tokenizer), (long long)m->config.vocab);
    if (m->config.positions == POSITION_ALIBI) m->alibi = alibi_slopes(&m->arena, m->config.heads);
    if (m->config.positions != POSITION_ROTARY) return true;
    const RotarySpec *all = &m->config.rotary, *local = &m->config.rotary_local;
    m->rotary = rotary_make(&m->arena, all, m->rotary_divisors.data);
    m->rotary_local = m->rotary;
    if (local->base != all->base || local->scaling != all->scaling || local->factor != all->factor)
        m->rotary_local = rotary_make(&m->arena, local, NULL);
    return check_rotary(m, &m->rotary, err) && check_rotary(m, &m->rotary_local, err);
}

Model *model_new(const char *name, Error *err) {
    Model *m = calloc(1, sizeof *m);
    if (!m) {
        error_set(err, ERROR_MEMORY, "no memory for a model");
        return NULL;
    }
    if (arena_init(&m->arena, ARENA_DEFAULT, err)) {
        m->name = str_copy(&m->arena, str_from(name));
        return m;
    }
    model_close(m);
    return NULL;
}

static Model *finished(Model *m, bool is_read, Error *err) {
    if (is_read) m->layer = arena_new(&m->arena, Layer, m->config.layers);
    if (is_read && weights_load(m, err) && model_finish(m, err)) return m;
    model_close(m);
    return NULL;
}

// A word that is neither a file nor a built-in model.
static Model *refuse_name(Model *m, const char *name, Error *err) {
    error_set(err, ERROR_IO, "%s: no such file and no built-in model (%.*s)", name,
              STR_ARG(builtin_names(&m->arena)));
    model_close(m);
    return NULL;
}

Model *model_open(const char *path, ModelOptions options, Error *err) {
    const BuiltinModel *builtin = builtin_unless_file(path);
    if (builtin) return model_open_gguf_bytes(builtin_file(builtin), path, err);
    Model *m = model_new(path, err);
    if (!m) return NULL;
    if (!strchr(path, '/') && !strchr(path, '.') && builtin_model(0) && !file_exists(path))
        return refuse_name(m, path, err);
    if (file_is_folder(path)) return finished(m, open_folder(m, path, !options.no_mmap, err), err);
    bool is_open = gguf_open(&m->gguf, path, !options.no_mmap, err);
    return finished(m, is_open && read_gguf(m, path, err), err);
}

Model *model_open_gguf_bytes(Str bytes, const char *name, Error *err) {
    Model *m = model_new(name, err);
    if (!m) return NULL;
    bool is_open = gguf_open_bytes(&m->gguf, bytes, name, err);
    return finished(m, is_open && read_gguf(m, name, err), err);
}

void model_close(Model *model) {
    if (!model) return;
    gguf_close(&model->gguf);
    safetensors_close(&model->safetensors);
    arena_drop(&model->panels);
    arena_drop(&model->experts);
    arena_drop(&model->arena);
    free(model);
}

bool model_intact(const Model *model, Error *err) {
    return !model->tensors || tensor_file_intact(model->tensors, err);
}

bool model_ends(const Model *model, int32_t id) {
    for (int64_t i = 0; i < model->n_end_ids; i++)
        if (model->end_id[i] == id) return true;
    return model->tokenizer && tokenizer_ends(model->tokenizer, id);
}
