// hf.c - a model as a Hugging Face folder: the weights, and the small files beside them.
//
// All small files are made before the first weight is written, and appear after the last one,
// config.json at the end: a folder without it is no model yet.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "export/plan.h"

enum { SIDE_FILE_MAX = 64 << 20, ENDS_MAX = 64 };

// Files beside the weights, in the order in which they appear.  What is in the folder and not in
// the new model would be read with it.
static const char *const side_names[] = {"tokenizer.json",     "tokenizer_config.json",
                                         "tokenizer.model",    "special_tokens_map.json",
                                         "added_tokens.json",  "vocab.json",
                                         "merges.txt",         "chat_template.jinja",
                                         "chat_template.json", "generation_config.json",
                                         "config.json"};
enum { N_SIDES = sizeof side_names / sizeof *side_names };

typedef struct HfExport {
    Export e;
    const char *folder;
    Str side[N_SIDES]; // texts; data NULL: the file is not written
} HfExport;

static Str *side_of(HfExport *h, const char *name) {
    int i = 0;
    while (strcmp(side_names[i], name) != 0) i++;
    return &h->side[i];
}

static const char *path_of(HfExport *h, Str folder, const char *name) {
    return str_printf(&h->e.arena, "%.*s/%s", STR_ARG(folder), name).data;
}

// ---------------------------------------------------------------- llama3 scaling out of a tensor
// The original context that makes pair i of the divisors, if it lies on the ramp:
//   1/d = (1-s)/factor + s   and   s = (original/wave - low) / (high - low)
static double original_of(const RotarySpec *spec, const float *divisor, int i) {
    double factor = (double)spec->factor, low = (double)spec->low, high = (double)spec->high;
    double wave = 2 * acos(-1) * pow((double)spec->base, 2.0 * i / spec->width);
    double smooth = (1 / (double)divisor[i] - 1 / factor) / (1 - 1 / factor);
    return wave * (smooth * (high - low) + low);
}

static bool same_divisors(Arena *arena, const RotarySpec *spec, const float *divisor) {
    const float *made = rotary_llama3_divisors(arena, spec);
    for (int i = 0; i < spec->width / 2; i++)
        if (!(fabsf(made[i] - divisor[i]) <= 1e-4f * divisor[i])) return false;
    return true;
}

// A GGUF has the divisors that the scaling amounts to, config.json the numbers that they are made
// of.  They are found for the ramp that all Llama 3 models have (1 to 4), whatever the factor and
// the original context; other divisors have no place in config.json.
static bool solve_scaling(HfExport *h, Config *config, Error *err) {
    Arena *arena = &h->e.arena;
    const Tensor *stored = &h->e.model->rotary_divisors;
    const float *divisor = stored->data;
    RotarySpec spec = config->rotary;
    if (!divisor) return true;
    spec.scaling = SCALING_LLAMA3;
    spec.low = 1;
    spec.high = 4;
    spec.factor = 1;
    for (int i = 0; i < spec.width / 2; i++) spec.factor = fmaxf(spec.factor, divisor[i]);
    bool is_plain = spec.factor == 1, is_solved = false;
    for (int i = 0; i < spec.width / 2 && !is_solved && !is_plain; i++) {
        if (divisor[i] <= 1 || divisor[i] >= spec.factor) continue; // not on the ramp
        spec.original_context = llround(original_of(&spec, divisor, i));
        is_solved = spec.original_context > 0 && same_divisors(arena, &spec, divisor);
    }
    // No pair lies on the ramp: any power of two will do that parts them in the same place.
    for (int64_t n = 1 << 8; n <= 1 << 20 && !is_solved && !is_plain; n *= 2) {
        spec.original_context = n;
        is_solved = same_divisors(arena, &spec, divisor);
    }
    if (is_solved) config->rotary = spec;
    for (int i = 0; i < spec.width / 2 && is_plain; i++) is_plain = divisor[i] == 1;
    if (is_solved || is_plain) return true;
    return error_set(err, ERROR_UNSUPPORTED,
                     "%.300s: tensor rope_freqs.weight is no llama3"
                     " scaling, and config.json has no place for another",
                     h->e.model->name.data);
}

// ---------------------------------------------------------------- config.json
// What transformers calls the activation of an architecture; other keys and words are a refusal
// there or pass unnoticed.
static void put_activation(JsonWriter *w, const Model *m) {
    if (m->arch == &arch_heed) return; // its list says it
    if (m->arch == &arch_bert) {
        json_key(w, "hidden_act");
        json_put_string(w, STR("gelu"));
        return;
    }
    bool is_gpt2 = m->arch == &arch_gpt2, is_silu = m->config.activation == ACT_SILU;
    json_key(w, is_gpt2 ? "activation_function" : is_silu ? "hidden_act" : "hidden_activation");
    json_put_string(w, is_gpt2   ? STR("gelu_new")
                       : is_silu ? STR("silu")
                                 : STR("gelu_pytorch_tanh"));
}

static void put_id(JsonWriter *w, const char *key, int32_t id) {
    json_key(w, key);
    if (id >= 0)
        json_put_integer(w, id);
    else
        json_put_null(w);
}

// The ids that end a generation, the vocabulary's own first: a number, or a list.
static void put_ends(JsonWriter *w, const Model *m) {
    int32_t eos = m->tokenizer ? tokenizer_vocab(m->tokenizer)->eos : -1, end[ENDS_MAX];
    int64_t n_pieces = m->tokenizer ? tokenizer_size(m->tokenizer) : 0;
    int n = 0;
    if (eos >= 0) end[n++] = eos;
    for (int64_t i = 0; i < m->n_end_ids && n < ENDS_MAX; i++)
        if (m->end_id[i] >= 0 && m->end_id[i] != eos) end[n++] = m->end_id[i];
    for (int32_t id = 0; id < n_pieces && n < ENDS_MAX; id++) {
        bool is_listed = !tokenizer_ends(m->tokenizer, id);
        for (int i = 0; i < n; i++) is_listed = is_listed || end[i] == id;
        if (!is_listed) end[n++] = id;
    }
    if (n <= 1) {
        put_id(w, "eos_token_id", n ? end[0] : -1);
        return;
    }
    json_key(w, "eos_token_id");
    json_begin_array(w);
    for (int i = 0; i < n; i++) json_put_integer(w, end[i]);
    json_end_array(w);
}

static void put_special_ids(JsonWriter *w, const Model *m) {
    const Vocab *v = m->tokenizer ? tokenizer_vocab(m->tokenizer) : NULL;
    put_id(w, "bos_token_id", v ? v->bos : -1);
    put_ends(w, m);
    put_id(w, "pad_token_id", v ? v->padding : -1);
}

// The config list leaves out what equals its own default; transformers has other defaults for each
// class, so that these are always said.
static void put_if_absent(JsonWriter *w, const char *key, int64_t value) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    Str so_far = {w->out->data, w->out->n};
    if (str_find(so_far, str_from(quoted), 0) != SIZE_MAX) return;
    json_key(w, key);
    json_put_integer(w, value);
}

static void put_shape(JsonWriter *w, const Model *m) {
    const Config *c = &m->config;
    if (c->positions != POSITION_ROTARY || m->arch == &arch_heed) return; // their list says all
    put_if_absent(w, "num_key_value_heads", c->kv_heads);
    put_if_absent(w, "head_dim", c->head_width);
    if (c->window == 0 || m->arch == &arch_llama) return;
    json_key(w, "layer_types");
    json_begin_array(w);
    for (int l = 0; l < c->layers; l++)
        json_put_string(w,
                        config_is_local(c, l) ? STR("sliding_attention") : STR("full_attention"));
    json_end_array(w);
}

// The class that computes what the model computes: Llama with experts is called Mixtral, with a
// window Mistral.
static void put_class(JsonWriter *w, const Model *m) {
    const Config *c = &m->config;
    bool is_llama = m->arch == &arch_llama, is_mixtral = is_llama && c->experts;
    bool is_bare = m->arch == &arch_bert && !m->token_head.dense.data;
    bool is_mistral = is_llama && c->window > 0 && !is_mixtral;
    const char *class = is_mixtral   ? "MixtralForCausalLM"
                        : is_mistral ? "MistralForCausalLM"
                        : is_bare    ? "BertModel"
                                     : m->arch->hf_class;
    json_key(w, "architectures");
    json_begin_array(w);
    json_put_string(w, str_from(class));
    json_end_array(w);
    json_key(w, "model_type");
    json_put_string(w, is_mixtral   ? STR("mixtral")
                       : is_mistral ? STR("mistral")
                                    : str_from(m->arch->hf_types[0]));
    if (m->arch != &arch_qwen2moe && m->arch != &arch_qwen3moe) return;
    json_key(w, "norm_topk_prob");
    json_put_bool(w, c->norm_experts);
}

static const char *torch_name(DType type) {
    return type == DTYPE_F16 ? "float16" : type == DTYPE_BF16 ? "bfloat16" : "float32";
}

static bool make_config(HfExport *h, Error *err) {
    Export *e = &h->e;
    const Model *m = e->model;
    Config config = m->config; // writing may pass values through its argument
    if (!solve_scaling(h, &config, err)) return false;
    StrBuilder text = str_builder(&e->arena);
    JsonWriter w = json_writer(&text, 2);
    ConfigIo io = {.mode = CONFIG_WRITE_HF,
                   .arch = m->arch->name,
                   .file = h->folder,
                   .json_out = &w,
                   .arena = &e->arena,
                   .err = err};
    json_begin_object(&w);
    put_class(&w, m);
    json_key(&w, "torch_dtype");
    json_put_string(&w, str_from(torch_name(e->options.type)));
    json_key(&w, "vocab_size");
    json_put_integer(&w, config.vocab);
    m->arch->config(&io, &config);
    if (io.failed) return false;
    put_shape(&w, m);
    put_activation(&w, m);
    json_key(&w, "tie_word_embeddings");
    json_put_bool(&w, m->is_tied);
    put_special_ids(&w, m);
    json_end_object(&w);
    str_add_byte(&text, '\n');
    *side_of(h, "config.json") = str_built(&text);
    return true;
}

// ---------------------------------------------------------------- the other small files
// The shortest number that is this float: 0.6, not 0.60000002.
static void put_float(JsonWriter *w, float value) {
    char text[32];
    double shortest;
    snprintf(text, sizeof text, "%.7g", (double)value);
    bool is_same = str_number(str_from(text), &shortest) && (float)shortest == value;
    json_put_number(w, is_same ? shortest : (double)value);
}

static void make_generation(HfExport *h) {
    const Model *m = h->e.model;
    const SamplingAdvice *a = &m->advice;
    const struct {
        const char *key;
        float value;
    } numbers[] = {{"temperature", a->temperature},
                   {"top_p", a->top_p},
                   {"min_p", a->min_p},
                   {"repetition_penalty", a->repetition}};
    StrBuilder text = str_builder(&h->e.arena);
    JsonWriter w = json_writer(&text, 2);
    json_begin_object(&w);
    put_special_ids(&w, m);
    bool samples = a->top_k > 0;
    for (int i = 0; i < 4; i++) samples = samples || numbers[i].value > 0;
    if (samples) {
        json_key(&w, "do_sample");
        json_put_bool(&w, true);
    }
    for (int i = 0; i < 4 && samples; i++) {
        if (numbers[i].value < 0) continue;
        json_key(&w, numbers[i].key);
        put_float(&w, numbers[i].value);
    }
    if (samples && a->top_k >= 0) {
        json_key(&w, "top_k");
        json_put_integer(&w, a->top_k);
    }
    json_end_object(&w);
    str_add_byte(&text, '\n');
    *side_of(h, "generation_config.json") = str_built(&text);
}

static bool is_of_tokenizer(const char *name) {
    return strcmp(name, "generation_config.json") != 0 && strcmp(name, "config.json") != 0;
}

// From a folder: the bytes that are there.
static bool copy_sides(HfExport *h, Error *err) {
    Str from = h->e.model->tensors->path;
    for (int i = 0; i < N_SIDES; i++) {
        const char *path = path_of(h, from, side_names[i]);
        bool is_skipped = h->e.options.without_tokenizer && is_of_tokenizer(side_names[i]);
        if (h->side[i].data || is_skipped || !file_exists(path)) continue;
        if (!file_read(&h->e.arena, path, SIDE_FILE_MAX, &h->side[i], err)) return false;
    }
    return true;
}

static bool make_sides(HfExport *h, Error *err) {
    const Model *m = h->e.model;
    if (!make_config(h, err)) return false;
    if (m->config.is_encoder && (m->config.pooling == POOLING_CLS || !m->normalizes))
        export_note(&h->e,
                    "how texts are pooled (modules.json, 1_Pooling) is not written: copy it");
    if (m->is_hf) return copy_sides(h, err);
    if (!m->config.is_encoder) make_generation(h); // which continues no text
    if (!m->tokenizer || h->e.options.without_tokenizer) {
        export_note(&h->e, "the folder has no tokenizer");
        return true;
    }
    *side_of(h, "tokenizer_config.json") = export_tokenizer_config(&h->e.arena, m);
    return export_tokenizer_json(&h->e.arena, tokenizer_vocab(m->tokenizer),
                                 side_of(h, "tokenizer.json"), err);
}

// A file of the model that was there would be taken for one of this model.
static bool check_folder(HfExport *h, Error *err) {
    for (int i = 0; i < N_SIDES; i++) {
        const char *path = path_of(h, str_from(h->folder), side_names[i]);
        if (!h->side[i].data && file_exists(path))
            return error_set(err, ERROR_USAGE, "%.300s is there, and is no part of the new model",
                             path);
    }
    return true;
}

static bool write_sides(HfExport *h, Error *err) {
    for (int i = 0; i < N_SIDES; i++) {
        if (!h->side[i].data) continue;
        FileWriter *out = file_create(path_of(h, str_from(h->folder), side_names[i]), err);
        if (!out) return false;
        file_write(out, h->side[i].data, h->side[i].n);
        if (!file_commit(out, err)) return false;
    }
    return true;
}

// ---------------------------------------------------------------- the folder
static void sink(void *writer, const void *data, size_t n) {
    safetensors_write(writer, data, n);
}

static bool save(HfExport *h, Error *err) {
    Export *e = &h->e;
    int64_t shard = e->options.shard_bytes ? e->options.shard_bytes : EXPORT_SHARD_BYTES;
    if (!make_sides(h, err) || !check_folder(h, err)) return false;
    SafetensorsWriter *w = safetensors_writer(&e->arena);
    safetensors_set_metadata(w, STR("format"), STR("pt"));
    for (int64_t i = 0; i < e->n; i++) {
        const PlannedWeight *p = &e->weight[i];
        if (!safetensors_add(w, p->as.name, p->as.to, p->rank, p->dim, err)) return false;
    }
    if (!safetensors_begin_folder(w, h->folder, shard, err)) return false;
    if (!export_stream(e, sink, w, err)) {
        safetensors_discard(w);
        return false;
    }
    return safetensors_commit(w, err) && write_sides(h, err);
}

bool model_save_hf(const Model *model, const char *folder, ExportOptions options, Error *err) {
    HfExport h = {.e = {.model = model, .options = options, .is_hf = true}, .folder = folder};
    bool ok = export_begin(&h.e, err) && save(&h, err);
    if (ok) export_report(&h.e);
    export_drop(&h.e);
    return ok;
}
