// vocab.c - the tokenizer.ggml.* keys of a GGUF file, read and written; tokenizers without a model.
#include <limits.h>
#include <string.h>

#include "base/file.h"
#include "builtin/builtin.h"
#include "model/model.h"
#include "text/wordpiece.h"

enum { TOKENIZER_JSON_MAX = 64 << 20 }; // bytes

// A key of heed's own, which other engines leave out: docs/vocabulary.md.
#define NORMAL_FORM "tokenizer.heed.normal_form"

static const GgufRange ANY_ID = {-1, INT32_MAX};

// X(field, key) - special ids.
#define SPECIAL_IDS(X)                            \
    X(bos, "tokenizer.ggml.bos_token_id")         \
    X(eos, "tokenizer.ggml.eos_token_id")         \
    X(eot, "tokenizer.ggml.eot_token_id")         \
    X(eom, "tokenizer.ggml.eom_token_id")         \
    X(unknown, "tokenizer.ggml.unknown_token_id") \
    X(padding, "tokenizer.ggml.padding_token_id")
// BERT's words for what begins and ends a text.
#define CLS "tokenizer.ggml.cls_token_id"
#define SEP "tokenizer.ggml.seperator_token_id"

static bool read_id(const GgufFile *file, const char *key, int32_t *id, Error *err) {
    int64_t value = *id;
    if (!gguf_try_integer(file, key, ANY_ID, &value, err)) return false;
    *id = (int32_t)value;
    return true;
}

// An optional list must be as long as the vocabulary.
static bool same_length(const GgufFile *file, const char *key, int64_t n, int64_t want,
                        Error *err) {
    if (n == want) return true;
    return error_set(err, ERROR_FORMAT, "%s: %s has %lld entries, the vocabulary %lld",
                     file->tensors.path.data, key, (long long)n, (long long)want);
}

static bool read_lists(Arena *arena, const GgufFile *file, Vocab *vocab, Error *err) {
    const char *scores = "tokenizer.ggml.scores", *kinds = "tokenizer.ggml.token_type";
    const char *merges = "tokenizer.ggml.merges";
    int64_t n;
    if (!gguf_get_strings(file, arena, "tokenizer.ggml.tokens", &vocab->token, &vocab->n_tokens,
                          err))
        return false;
    if (gguf_find(file, scores))
        if (!gguf_get_floats(file, arena, scores, &vocab->score, &n, err) ||
            !same_length(file, scores, n, vocab->n_tokens, err))
            return false;
    if (gguf_find(file, kinds))
        if (!gguf_get_int32s(file, arena, kinds, &vocab->kind, &n, err) ||
            !same_length(file, kinds, n, vocab->n_tokens, err))
            return false;
    if (!gguf_find(file, merges)) return true;
    return gguf_get_strings(file, arena, merges, &vocab->merge, &vocab->n_merges, err);
}

// What holds where a file is silent: formats.md 2.5.
static void set_defaults(Vocab *vocab) {
    vocab->eot = vocab->eom = vocab->padding = -1;
    if (str_equal(vocab->model, STR("bert"))) {
        vocab->bos = 101; // [CLS], [SEP]
        vocab->eos = 102;
        vocab->unknown = 100;
        vocab->padding = 0;
        vocab->add_bos = vocab->add_eos = true;
        return;
    }
    bool is_sentencepiece = str_equal(vocab->model, STR("llama"));
    vocab->bos = is_sentencepiece ? 1 : 11;
    vocab->eos = is_sentencepiece ? 2 : 11;
    vocab->unknown = is_sentencepiece ? 0 : -1;
    vocab->add_bos = vocab->add_space_prefix = is_sentencepiece;
    if (str_equal(vocab->pre, STR("llama-bpe")) || str_equal(vocab->pre, STR("tekken")))
        vocab->add_bos = true;
}

static bool is_control(const Vocab *v, int64_t id) {
    return v->kind && (v->kind[id] == TOKEN_CONTROL || v->kind[id] == TOKEN_UNKNOWN);
}

// WordPiece is written otherwise in a GGUF file than in a tokenizer.json.
static const Str *in_form(Arena *arena, const Vocab *v, Str (*form)(Arena *, Str, bool)) {
    Str *token = arena_new(arena, Str, v->n_tokens);
    for (int64_t i = 0; i < v->n_tokens; i++) token[i] = form(arena, v->token[i], is_control(v, i));
    return token;
}

bool vocab_read(Arena *arena, const GgufFile *file, Vocab *vocab, Error *err) {
    *vocab = (Vocab){.pre = STR("")};
    if (!gguf_get_string(file, "tokenizer.ggml.model", &vocab->model, err) ||
        !gguf_try_string(file, "tokenizer.ggml.pre", &vocab->pre, err))
        return false;
    set_defaults(vocab);
    if (!read_lists(arena, file, vocab, err)) return false;
#define X(field, key) \
    if (!read_id(file, key, &vocab->field, err)) return false;
    SPECIAL_IDS(X)
#undef X
    if (str_equal(vocab->model, STR("bert"))) {
        if (!read_id(file, CLS, &vocab->bos, err) || !read_id(file, SEP, &vocab->eos, err))
            return false;
        vocab->token = in_form(arena, vocab, wordpiece_from_gguf);
    }
    // The defaults of silent files may lie outside a small vocabulary: then there is no such token.
    if (vocab->bos >= vocab->n_tokens && !gguf_find(file, "tokenizer.ggml.bos_token_id"))
        vocab->bos = -1;
    if (vocab->eos >= vocab->n_tokens && !gguf_find(file, "tokenizer.ggml.eos_token_id"))
        vocab->eos = -1;
    return gguf_try_bool(file, "tokenizer.ggml.add_bos_token", &vocab->add_bos, err) &&
           gguf_try_bool(file, "tokenizer.ggml.add_eos_token", &vocab->add_eos, err) &&
           gguf_try_bool(file, "tokenizer.ggml.add_space_prefix", &vocab->add_space_prefix, err) &&
           gguf_try_bool(file, "tokenizer.ggml.remove_extra_whitespaces",
                         &vocab->remove_extra_whitespaces, err) &&
           gguf_try_string(file, NORMAL_FORM, &vocab->normal_form, err);
}

void vocab_write(GgufWriter *w, Arena *arena, const Vocab *vocab) {
    gguf_set_string(w, "tokenizer.ggml.model", vocab->model);
    if (vocab->pre.n) gguf_set_string(w, "tokenizer.ggml.pre", vocab->pre);
    bool is_wordpiece = str_equal(vocab->model, STR("bert"));
    const Str *token = is_wordpiece ? in_form(arena, vocab, wordpiece_to_gguf) : vocab->token;
    gguf_set_array(w, "tokenizer.ggml.tokens", GGUF_STRING, token, vocab->n_tokens);
    if (vocab->score)
        gguf_set_array(w, "tokenizer.ggml.scores", GGUF_F32, vocab->score, vocab->n_tokens);
    if (vocab->kind)
        gguf_set_array(w, "tokenizer.ggml.token_type", GGUF_I32, vocab->kind, vocab->n_tokens);
    if (vocab->merge)
        gguf_set_array(w, "tokenizer.ggml.merges", GGUF_STRING, vocab->merge, vocab->n_merges);
#define X(field, key) \
    if (vocab->field >= 0) gguf_set_integer(w, key, GGUF_U32, vocab->field);
    SPECIAL_IDS(X)
#undef X
    if (is_wordpiece && vocab->bos >= 0) gguf_set_integer(w, CLS, GGUF_U32, vocab->bos);
    if (is_wordpiece && vocab->eos >= 0) gguf_set_integer(w, SEP, GGUF_U32, vocab->eos);
    if (vocab->normal_form.n) gguf_set_string(w, NORMAL_FORM, vocab->normal_form);
    gguf_set_bool(w, "tokenizer.ggml.add_bos_token", vocab->add_bos);
    gguf_set_bool(w, "tokenizer.ggml.add_eos_token", vocab->add_eos);
    gguf_set_bool(w, "tokenizer.ggml.add_space_prefix", vocab->add_space_prefix);
}

// ---- tokenizers alone

static Tokenizer *open_json(Arena *arena, const char *path, const char *config_path, Error *err) {
    Str text, config = STR("");
    if (file_exists(config_path) &&
        !file_read(arena, config_path, TOKENIZER_JSON_MAX, &config, err))
        return NULL;
    if (!file_read(arena, path, TOKENIZER_JSON_MAX, &text, err)) return NULL;
    Tokenizer *t = tokenizer_from_json(arena, text, config, err);
    if (!t) error_wrap(err, "%s", path);
    return t;
}

static Tokenizer *open_gguf(Arena *arena, GgufFile *file, const char *path, Error *err) {
    Vocab vocab;
    Str kind = STR("");
    const BuiltinModel *builtin = builtin_unless_file(path);
    if (builtin ? !gguf_open_bytes(file, builtin_file(builtin), path, err)
                : !gguf_open(file, path, true, err))
        return NULL;
    if (!gguf_try_string(file, "tokenizer.ggml.model", &kind, err)) return NULL;
    if (kind.n == 0 || str_equal(kind, STR("none")) || str_equal(kind, STR("no_vocab"))) {
        error_set(err, ERROR_UNSUPPORTED, "%s has no tokenizer", path);
        return NULL;
    }
    if (!vocab_read(arena, file, &vocab, err)) return NULL;
    Tokenizer *t = tokenizer_from_vocab(arena, &vocab, err);
    if (!t) error_wrap(err, "%s", path);
    return t;
}

Tokenizer *tokenizer_open(Arena *arena, GgufFile *file, const char *path, Error *err) {
    *file = (GgufFile){0};
    if (file_is_folder(path))
        return open_json(arena, str_printf(arena, "%s/tokenizer.json", path).data,
                         str_printf(arena, "%s/tokenizer_config.json", path).data, err);
    if (!str_ends(str_from(path), STR(".json"))) return open_gguf(arena, file, path, err);
    const char *slash = strrchr(path, '/');
    Str folder = str_slice(str_from(path), 0, slash ? (size_t)(slash - path) + 1 : 0);
    return open_json(arena, path,
                     str_printf(arena, "%.*stokenizer_config.json", STR_ARG(folder)).data, err);
}
