// gguf.c - a model as a GGUF file.
//
// A GGUF model keeps what its file says; from any other the metadata is made of its config list,
// its tokenizer, and its author's advice on sampling.
#include "export/plan.h"

enum { QUANTIZATION_VERSION = 2 }; // of the block layouts: every engine of today reads this one

// ---------------------------------------------------------------- types in words
// general.file_type: the type that holds most of the parameters, by the numbers that llama.cpp
// gives its presets.  -1: it has none.
static int file_type_of(const Export *e) {
    static const int number[DTYPE_LIMIT] = {
        [DTYPE_F16] = 1,   [DTYPE_Q4_0] = 2,    [DTYPE_Q4_1] = 3,  [DTYPE_Q8_0] = 7,
        [DTYPE_Q5_0] = 8,  [DTYPE_Q5_1] = 9,    [DTYPE_Q2_K] = 10, [DTYPE_Q3_K] = 12,
        [DTYPE_Q4_K] = 14, [DTYPE_Q5_K] = 16,   [DTYPE_Q6_K] = 18, [DTYPE_IQ4_NL] = 25,
        [DTYPE_BF16] = 32, [DTYPE_IQ4_XS] = 30, [DTYPE_MXFP4] = 38};
    int64_t values[DTYPE_LIMIT] = {0};
    int most = 0;
    for (int64_t i = 0; i < e->n; i++) values[e->weight[i].as.to] += e->weight[i].as.count;
    for (int i = 0; i < DTYPE_LIMIT; i++)
        if (values[i] > values[most]) most = i;
    return number[most];
}

static bool has_new_types(const Export *e) {
    for (int64_t i = 0; i < e->n; i++)
        if (e->weight[i].as.to != e->weight[i].as.from) return true;
    return false;
}

static void put_types(const Export *e, GgufWriter *w) {
    gguf_set_integer(w, "general.file_type", GGUF_U32, file_type_of(e));
    for (int64_t i = 0; i < e->n; i++)
        if (dtype_is_quantized(e->weight[i].as.to))
            gguf_set_integer(w, "general.quantization_version", GGUF_U32, QUANTIZATION_VERSION);
}

// ---------------------------------------------------------------- metadata of a GGUF
// What an importance matrix was does not hold for types made without one; how a model is trained
// is said anew, or no more.
static void keep_metadata(const Export *e, GgufWriter *w) {
    const GgufFile *file = &e->model->gguf;
    bool is_new = has_new_types(e);
    for (int64_t i = 0; i < file->n_entries; i++) {
        Str key = file->entry[i].key;
        bool is_of_file = str_equal(key, STR("general.alignment")) ||
                          str_starts(key, STR("split.")) || str_starts(key, STR("heed.train."));
        if (is_of_file || (is_new && str_starts(key, STR("quantize.")))) continue;
        gguf_set_value(w, key, &file->entry[i].value);
    }
    if (is_new) put_types(e, w);
}

// ---------------------------------------------------------------- metadata of others
// The last part of a path, as a name: "models/tiny/" -> "tiny".
static Str base_name(Str path) {
    while (path.n > 1 && path.data[path.n - 1] == '/') path.n--;
    size_t from = path.n;
    while (from > 0 && path.data[from - 1] != '/') from--;
    return str_slice(path, from, path.n);
}

static bool put_config(Export *e, GgufWriter *w, const char *path, Error *err) {
    const Model *m = e->model;
    Config config = m->config; // writing may pass values through its argument
    ConfigIo io = {.mode = CONFIG_WRITE_GGUF,
                   .arch = m->arch->name,
                   .file = path,
                   .gguf_out = w,
                   .arena = &e->arena,
                   .err = err};
    m->arch->config(&io, &config);
    gguf_set_integer(w, str_printf(&e->arena, "%s.vocab_size", m->arch->name).data, GGUF_U32,
                     m->config.vocab);
    return !io.failed;
}

static void put_advice(const Model *m, GgufWriter *w) {
    const SamplingAdvice *a = &m->advice;
    const struct {
        const char *key;
        float value;
    } numbers[] = {{"general.sampling.temp", a->temperature},
                   {"general.sampling.top_p", a->top_p},
                   {"general.sampling.min_p", a->min_p},
                   {"general.sampling.penalty_repeat", a->repetition}};
    for (int i = 0; i < 4; i++)
        if (numbers[i].value >= 0)
            gguf_set_number(w, numbers[i].key, GGUF_F32, (double)numbers[i].value);
    if (a->top_k >= 0) gguf_set_integer(w, "general.sampling.top_k", GGUF_I32, a->top_k);
}

// Other engines want as many tokens as the embedding has rows, and no empty ones.
static void pad(Export *e, Vocab *v) {
    int64_t n = e->model->config.vocab > v->n_tokens ? e->model->config.vocab : v->n_tokens;
    Str *token = arena_new(&e->arena, Str, n);
    int32_t *kind = arena_new(&e->arena, int32_t, n);
    float *score = v->score ? arena_new(&e->arena, float, n) : NULL;
    for (int64_t i = 0; i < n; i++) {
        bool is_there = i < v->n_tokens && v->token[i].n > 0;
        token[i] = is_there ? v->token[i] : str_printf(&e->arena, "[PAD%lld]", (long long)i);
        kind[i] = !is_there ? TOKEN_UNUSED : v->kind ? v->kind[i] : TOKEN_NORMAL;
        if (score) score[i] = is_there ? v->score[i] : -10000;
    }
    v->token = token;
    v->kind = kind;
    v->score = score;
    v->n_tokens = n;
}

// generation_config.json may name any number of tokens that end a generation, a GGUF three.
static void name_ends(Export *e, Vocab *v) {
    const Model *m = e->model;
    for (int64_t i = 0; i < m->n_end_ids; i++) {
        int32_t id = m->end_id[i], *slot[] = {&v->eos, &v->eot, &v->eom};
        int at = 0;
        if (id < 0 || id >= v->n_tokens) continue;
        if (id < tokenizer_size(m->tokenizer) && tokenizer_ends(m->tokenizer, id)) continue;
        while (at < 3 && *slot[at] >= 0) at++;
        if (at < 3)
            *slot[at] = id;
        else
            export_note(e,
                        "token %d ends a generation of this model; a GGUF has no place to say so",
                        (int)id);
    }
}

static bool put_tokenizer(Export *e, GgufWriter *w, Error *err) {
    const Model *m = e->model;
    if (!m->tokenizer || e->options.without_tokenizer) {
        gguf_set_string(w, "tokenizer.ggml.model", STR("none"));
        export_note(e, "the file has no tokenizer");
        return true;
    }
    Vocab v = *tokenizer_vocab(m->tokenizer);
    bool is_scored = str_equal(v.model, STR("llama"));
    bool is_wordpiece = str_equal(v.model, STR("bert")); // implies how it splits
    if (!is_scored && !is_wordpiece && v.pre.n == 0)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%.300s: its tokenizer splits text in a way that"
                         " no GGUF file can name",
                         m->name.data);
    if (v.rewrites_texts)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%.300s: its tokenizer rewrites texts in a way that"
                         " no GGUF file can name",
                         m->name.data);
    if (v.normal_form.n)
        export_note(e,
                    "texts are brought to the form %.*s first; other engines than heed skip that",
                    STR_ARG(v.normal_form));
    if (is_scored) v.merge = NULL; // the scores say it
    pad(e, &v);
    name_ends(e, &v);
    vocab_write(w, &e->arena, &v);
    if (m->chat_template.n) gguf_set_string(w, "tokenizer.chat_template", m->chat_template);
    return true;
}

static bool make_metadata(Export *e, GgufWriter *w, const char *path, Error *err) {
    const Model *m = e->model;
    gguf_set_string(w, "general.architecture", str_from(m->arch->name));
    gguf_set_string(w, "general.type", STR("model"));
    gguf_set_string(w, "general.name", base_name(m->name));
    if (m->config.is_encoder && !m->normalizes)
        export_note(e, "a GGUF cannot say that vectors keep their length: they will have length 1");
    put_types(e, w);
    put_advice(m, w);
    return put_config(e, w, path, err) && put_tokenizer(e, w, err);
}

// ---------------------------------------------------------------- the file
static void sink(void *writer, const void *data, size_t n) {
    gguf_write(writer, data, n);
}

static bool save(Export *e, const char *path, Error *err) {
    GgufWriter *w = gguf_writer(&e->arena);
    if (e->model->gguf.n_entries)
        keep_metadata(e, w);
    else if (!make_metadata(e, w, path, err))
        return false;
    for (int64_t i = 0; i < e->n; i++) {
        const PlannedWeight *p = &e->weight[i];
        bool is_added = p->as.in_panels
                            ? gguf_add_panels(w, p->as.name, p->as.to, p->dim, err)
                            : gguf_add_tensor(w, p->as.name, p->as.to, p->rank, p->dim, err);
        if (!is_added) return false;
    }
    const ExportExtra *extra = e->options.extra;
    if (extra) extra->put_keys(extra->user, w);
    for (int i = 0; extra && i < extra->n; i++) {
        const ExportTensor *t = &extra->tensor[i];
        if (!gguf_add_tensor(w, str_from(t->name), DTYPE_F32, 1, &t->n, err)) return false;
    }
    if (!gguf_begin(w, path, err)) return false;
    if (!export_stream(e, sink, w, err)) {
        gguf_discard(w);
        return false;
    }
    for (int i = 0; extra && i < extra->n; i++)
        gguf_write(w, extra->tensor[i].values, sizeof(float) * (size_t)extra->tensor[i].n);
    return gguf_commit(w, err);
}

bool model_check_gguf(const Model *model, ExportOptions options, Error *err) {
    Export e = {.model = model, .options = options};
    bool ok = export_begin(&e, err);
    export_drop(&e);
    return ok;
}

bool model_save_gguf(const Model *model, const char *path, ExportOptions options, Error *err) {
    Export e = {.model = model, .options = options};
    bool ok = export_begin(&e, err) && save(&e, path, err);
    if (ok) export_report(&e);
    export_drop(&e);
    return ok;
}
