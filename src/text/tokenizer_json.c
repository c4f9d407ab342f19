// tokenizer_json.c - from the texts of tokenizer.json and tokenizer_config.json to a tokenizer.
//
// The model's "vocab" and the added tokens become a Vocab, as a GGUF file would hold it, so that
// both sources share all checks and indexing, and a tokenizer from JSON can be written to GGUF.
#include "base/json.h"
#include "text/tokenizer.h"
#include "text/tokenizer_parts.h"
#include "text/tokenizer_steps.h"
#include "unicode/normalize.h"

enum {
    JSON_BYTES_MAX = 512 << 20,
    ID_GAPS_MAX = 1 << 20 // ids that no token has: more is damage, not padding
};

typedef struct JsonLoad {
    Tokenizer *t;
    Arena *arena;
    const Json *model, *added, *config;
    StepsFound found;
    Str *token;    // (n_tokens) by id
    int32_t *kind; // (n_tokens)
    Error *err;
} JsonLoad;

static bool refuse(JsonLoad *l, ErrorKind kind, const char *what, Str detail) {
    return error_set(l->err, kind, "tokenizer.json: %s \"%.*s\"", what,
                     STR_ARG(str_slice(detail, 0, 64)));
}

// ---- tokens

// The number of ids: one more than the largest.
static bool count_ids(JsonLoad *l, int64_t *n_tokens) {
    int64_t largest = -1;
    int64_t count = 0;
    const Json *vocab = json_get(l->model, "vocab");
    for (const Json *item = vocab ? vocab->child : NULL; item; item = item->next, count++) {
        int64_t id = json_integer(item, -1);
        if (id < 0 || id > INT32_MAX / 4)
            return refuse(l, ERROR_FORMAT, "model.vocab: the id is out of range of token",
                          item->key);
        if (id > largest) largest = id;
    }
    for (const Json *item = l->added ? l->added->child : NULL; item; item = item->next, count++) {
        int64_t id = json_integer(json_get(item, "id"), -1);
        if (id < 0 || id > INT32_MAX / 4)
            return refuse(l, ERROR_FORMAT, "added_tokens: the id is out of range of token",
                          json_string(json_get(item, "content"), STR("")));
        if (id > largest) largest = id;
    }
    *n_tokens = largest + 1;
    if (count > 0 && *n_tokens <= count + ID_GAPS_MAX) return true;
    return error_set(l->err, ERROR_FORMAT, "tokenizer.json: %lld tokens with ids up to %lld",
                     (long long)count, (long long)largest);
}

static bool set_token(JsonLoad *l, int64_t id, Str text) {
    if (l->token[id].data && !str_equal(l->token[id], text))
        return refuse(l, ERROR_FORMAT, "two tokens have the same id: the second is", text);
    l->token[id] = text;
    return true;
}

static int64_t n_merges(const JsonLoad *l) {
    const Json *merges = json_get(l->model, "merges");
    return merges ? merges->count : 0;
}

// Of the merges that are given as pairs, whose texts are put together.
static int64_t merge_bytes(const JsonLoad *l) {
    const Json *merges = json_get(l->model, "merges");
    int64_t bytes = 0;
    for (const Json *item = merges ? merges->child : NULL; item; item = item->next)
        bytes += (int64_t)(json_string(json_at(item, 0), STR("")).n +
                           json_string(json_at(item, 1), STR("")).n);
    return bytes;
}

// Token texts and kinds.  An id that nothing has stays an empty unused token.
static bool read_tokens(JsonLoad *l) {
    Vocab *v = &l->t->vocab;
    if (!count_ids(l, &v->n_tokens)) return false;
    if (!arena_fits(l->arena, (size_t)v->n_tokens * (sizeof(Str) + sizeof(int32_t))))
        return error_set(l->err, ERROR_LIMIT,
                         "tokenizer.json: %lld tokens are too many for the memory here",
                         (long long)v->n_tokens);
    l->token = arena_new(l->arena, Str, v->n_tokens);
    l->kind = arena_new(l->arena, int32_t, v->n_tokens);
    const Json *vocab = json_get(l->model, "vocab");
    for (const Json *item = vocab ? vocab->child : NULL; item; item = item->next) {
        if (!set_token(l, item->integer, item->key)) return false;
        l->kind[item->integer] = TOKEN_NORMAL;
    }
    for (const Json *item = l->added ? l->added->child : NULL; item; item = item->next) {
        int64_t id = json_integer(json_get(item, "id"), -1);
        Str content = json_string(json_get(item, "content"), STR(""));
        if (content.n == 0) continue;
        if (!set_token(l, id, content)) return false;
        bool is_special = json_bool(json_get(item, "special"), false);
        l->kind[id] = is_special ? TOKEN_CONTROL : TOKEN_USER_DEFINED;
    }
    for (int64_t i = 0; i < v->n_tokens; i++) {
        if (!l->token[i].data) l->token[i] = STR("");
        if (l->kind[i] == 0) l->kind[i] = TOKEN_UNUSED;
        bool is_byte = l->kind[i] == TOKEN_NORMAL && bpe_byte_token(l->token[i]) >= 0;
        if (is_byte && l->t->bpe.has_byte_fallback) l->kind[i] = TOKEN_BYTE;
    }
    v->token = l->token;
    v->kind = l->kind;
    return tokenizer_fits(l->t, l->arena, n_merges(l), merge_bytes(l), l->err);
}

// ---- special tokens

// A token named in tokenizer_config.json: a string, or an object with "content".
static int32_t config_token(JsonLoad *l, const char *key) {
    const Json *value = json_get(l->config, key);
    if (value && value->kind == JSON_OBJECT) value = json_get(value, "content");
    Str text = json_string(value, STR(""));
    return text.n > 0 ? (int32_t)map_get(&l->t->id_of, text) : -1;
}

static bool read_unknown(JsonLoad *l) {
    Tokenizer *t = l->t;
    Str name = json_string(json_get(l->model, "unk_token"), STR(""));
    t->bpe.unknown = -1;
    if (name.n == 0) return true;
    int64_t id = map_get(&t->id_of, name);
    if (id < 0) return refuse(l, ERROR_FORMAT, "model.unk_token is not in the vocabulary:", name);
    t->bpe.unknown = (int32_t)id;
    if (!l->found.has_byte_level) l->kind[id] = TOKEN_UNKNOWN;
    return true;
}

// Fills the special ids of the exported vocabulary; -1 where nothing names one.
static void name_specials(JsonLoad *l) {
    Tokenizer *t = l->t;
    Vocab *v = &t->vocab;
    v->bos = config_token(l, "bos_token");
    v->eos = config_token(l, "eos_token");
    v->padding = config_token(l, "pad_token");
    v->unknown = t->bpe.unknown >= 0 ? t->bpe.unknown : config_token(l, "unk_token");
    v->eot = v->eom = -1;
    static const char *const turn_ends[] = {"<|eot_id|>", "<|im_end|>", "<end_of_turn>", "<|end|>"};
    for (int i = 0; i < 4 && v->eot < 0; i++) {
        int32_t id = (int32_t)map_get(&t->id_of, str_from(turn_ends[i]));
        if (id >= 0 && l->kind[id] == TOKEN_CONTROL) v->eot = id;
    }
    if (v->bos < 0 && t->n_prefix == 1) v->bos = t->prefix[0];
    if (v->eos < 0 && t->n_suffix == 1) v->eos = t->suffix[0];
    v->add_bos = t->n_prefix > 0 && t->prefix[0] == v->bos;
    v->add_eos = t->n_suffix > 0 && t->suffix[t->n_suffix - 1] == v->eos;
    v->add_space_prefix = l->found.has_prefix_space;
}

// ---- model

// Old files name no type.
static Str model_type(const Json *model) {
    Str otherwise = STR("");
    if (json_get(model, "max_input_chars_per_word")) otherwise = STR("WordPiece");
    if (json_get(model, "merges")) otherwise = STR("BPE");
    return json_string(json_get(model, "type"), otherwise);
}

static bool is_wordpiece(const JsonLoad *l) {
    return str_equal(model_type(l->model), STR("WordPiece"));
}

static bool check_wordpiece(JsonLoad *l) {
    int64_t characters =
        json_integer(json_get(l->model, "max_input_chars_per_word"), WORDPIECE_CHARACTERS);
    Str prefix = json_string(json_get(l->model, "continuing_subword_prefix"), STR("##"));
    if (characters < 1 || characters > WORDPIECE_CHARACTERS_MAX)
        return refuse(l, ERROR_UNSUPPORTED, "must be 1 to 1024: model",
                      STR("max_input_chars_per_word"));
    if (!str_equal(prefix, STR("##")))
        return refuse(l, ERROR_UNSUPPORTED, "continuing_subword_prefix: only ## is supported, not",
                      prefix);
    if (json_string(json_get(l->model, "unk_token"), STR("")).n == 0)
        return refuse(l, ERROR_FORMAT, "missing: model", STR("unk_token"));
    return true;
}

static bool check_model(JsonLoad *l) {
    const Json *m = l->model;
    Str type = model_type(m);
    if (is_wordpiece(l)) return check_wordpiece(l);
    if (!str_equal(type, STR("BPE")))
        return refuse(l, ERROR_UNSUPPORTED, "only models BPE and WordPiece are supported, not",
                      type);
    if (json_number(json_get(m, "dropout"), 0) > 0)
        return refuse(l, ERROR_UNSUPPORTED, "not supported: model", STR("dropout"));
    static const char *const affixes[] = {"continuing_subword_prefix", "end_of_word_suffix"};
    for (int i = 0; i < 2; i++)
        if (json_string(json_get(m, affixes[i]), STR("")).n > 0)
            return refuse(l, ERROR_UNSUPPORTED, "not supported: model", str_from(affixes[i]));
    Bpe *bpe = &l->t->bpe;
    bpe->has_byte_fallback = json_bool(json_get(m, "byte_fallback"), false);
    bpe->fuses_unknown = json_bool(json_get(m, "fuse_unk"), false);
    return true;
}

static Str spaced_pair(Arena *arena, Str left, Str right) {
    StrBuilder b = str_builder(arena);
    str_add(&b, left);
    str_add_byte(&b, ' ');
    str_add(&b, right);
    return str_built(&b);
}

// Merges are strings "left right" or, in newer files, pairs.
static bool read_merges(JsonLoad *l) {
    Vocab *v = &l->t->vocab;
    const Json *merges = json_get(l->model, "merges");
    v->n_merges = n_merges(l);
    Str *merge = arena_new(l->arena, Str, v->n_merges + 1);
    int64_t i = 0;
    for (const Json *item = merges ? merges->child : NULL; item; item = item->next) {
        Str left = json_string(json_at(item, 0), STR(""));
        Str right = json_string(json_at(item, 1), STR(""));
        if (left.n > 0 && str_find(left, STR(" "), 1) != SIZE_MAX)
            return refuse(l, ERROR_UNSUPPORTED, "a merge of a token with a space:", left);
        merge[i++] = item->kind == JSON_STRING ? item->string : spaced_pair(l->arena, left, right);
    }
    v->merge = merge;
    return true;
}

// What GGUF's "llama" model needs instead of merges: a score for each token, such that a token that
// an earlier merge makes has a higher one.
static void make_scores(JsonLoad *l) {
    Vocab *v = &l->t->vocab;
    float *score = arena_new(l->arena, float, v->n_tokens);
    for (int64_t i = v->n_merges; i-- > 0;) score[l->t->bpe.made[i]] = (float)-i;
    v->score = score;
}

// In SentencePiece vocabularies no text may turn into a control or byte token.
static void mark_reserved(JsonLoad *l) {
    const Vocab *v = &l->t->vocab;
    uint32_t *order = arena_new(l->arena, uint32_t, v->n_tokens);
    for (int64_t i = 0; i < v->n_tokens; i++)
        if (v->kind[i] == TOKEN_CONTROL || v->kind[i] == TOKEN_UNKNOWN || v->kind[i] == TOKEN_BYTE)
            order[i] = BPE_NEVER;
    l->t->bpe.order = order;
}

// Does a vocabulary of SentencePiece imply this step, by itself or by its space prefix?
static bool is_space_mark(const Rewrite *step) {
    return str_equal(step->content, STR("\xE2\x96\x81")) &&
           (step->kind == REWRITE_PREPEND ||
            (step->kind == REWRITE_REPLACE && str_equal(step->pattern, STR(" "))));
}

// Does the tokenizer do what a GGUF's "bert" stands for?
static bool is_uncased(const Tokenizer *t) {
    static const RewriteKind kind[] = {REWRITE_CLEAN, REWRITE_SPACE_IDEOGRAPHS, REWRITE_NORMAL_FORM,
                                       REWRITE_DROP_MARKS, REWRITE_LOWERCASE};
    const int n = sizeof kind / sizeof *kind;
    bool is_same = t->n_rewrites == n && t->n_splits == 1 && t->split[0].kind == SPLIT_BY_BERT &&
                   t->wordpiece.characters == WORDPIECE_CHARACTERS;
    for (int i = 0; is_same && i < n; i++) is_same = t->rewrite[i].kind == kind[i];
    return is_same;
}

// The normal form that comes first; what else the tokenizer does to a text has no name in a
// vocabulary.
static void name_rewrites(Tokenizer *t) {
    Vocab *v = &t->vocab;
    for (int i = 0; i < t->n_rewrites; i++) {
        const Rewrite *step = &t->rewrite[i];
        if (str_equal(v->model, STR("bert")) && is_uncased(t)) continue;
        if (i == 0 && step->kind == REWRITE_NORMAL_FORM)
            v->normal_form = normal_form_name(step->form);
        else if (!str_equal(v->model, STR("llama")) || !is_space_mark(step))
            v->rewrites_texts = true;
    }
}

static bool index_model(JsonLoad *l) {
    Tokenizer *t = l->t;
    if (!tokenizer_index(t, l->arena, l->err) || !read_unknown(l) || !read_merges(l)) return false;
    bool takes_whole = json_bool(json_get(l->model, "ignore_merges"), false);
    if (is_wordpiece(l)) {
        t->vocab.model = STR("bert");
        int64_t characters =
            json_integer(json_get(l->model, "max_input_chars_per_word"), WORDPIECE_CHARACTERS);
        if (!tokenizer_index_pieces(t, l->arena, STR("##"), characters, l->err)) return false;
        t->vocab.rewrites_texts = !is_uncased(t);
    } else if (l->found.has_byte_level) {
        t->vocab.model = STR("gpt2");
        if (!tokenizer_index_bytes(t, l->arena, l->err)) return false;
    } else {
        t->vocab.model = STR("llama");
        tokenizer_index_spaces(t, l->arena, l->found.decodes_spaces);
        if (!tokenizer_index_merges(t, l->arena, l->err)) return false;
        make_scores(l);
        mark_reserved(l);
    }
    if (takes_whole) tokenizer_index_words(t, l->arena);
    name_rewrites(t);
    if (!l->found.has_other_split)
        t->vocab.pre = splitter_gguf_name(l->found.splitter, l->found.n_splitters);
    return true;
}

// ---- added tokens

// The text of an added token as it is looked for in normalised text.
static bool normal_text(JsonLoad *l, Str *text) {
    Part part = {.text = *text};
    for (int i = 0; i < l->t->n_rewrites; i++)
        if (!part_rewrite(&l->t->rewrite[i], l->arena, &part, l->err)) return false;
    *text = part.text;
    return true;
}

// Collects the added tokens that are looked for in raw (or else normalised) text.
static bool read_added(JsonLoad *l, bool is_normal, AddedTokens *added) {
    int64_t most = l->added ? l->added->count : 0;
    AddedToken *token = arena_new(l->arena, AddedToken, most);
    Str *text = arena_new(l->arena, Str, most);
    Map seen = map_make(l->arena, most);
    int64_t n = 0, n_bytes = 0;
    for (const Json *item = l->added ? l->added->child : NULL; item; item = item->next) {
        bool is_special = json_bool(json_get(item, "special"), false);
        Str content = json_string(json_get(item, "content"), STR(""));
        if (json_bool(json_get(item, "normalized"), !is_special) != is_normal) continue;
        if (is_normal && !normal_text(l, &content)) return false;
        if (content.n == 0 || !map_add(&seen, content, n)) continue;
        n_bytes += (int64_t)content.n;
        text[n] = content;
        token[n++] =
            (AddedToken){.id = (int32_t)json_integer(json_get(item, "id"), -1),
                         .n_bytes = (int32_t)content.n,
                         .eats_left = json_bool(json_get(item, "lstrip"), false),
                         .eats_right = json_bool(json_get(item, "rstrip"), false),
                         .is_single_word = json_bool(json_get(item, "single_word"), false)};
    }
    // Normal forms may have made the texts longer than tokenizer_fits has seen them.
    if (!arena_fits(l->arena, matcher_bytes(n_bytes) + (size_t)n * sizeof(MatcherEntry)))
        return error_set(l->err, ERROR_LIMIT,
                         "tokenizer.json: %lld bytes of added tokens are too many for the memory"
                         " here",
                         (long long)n_bytes);
    *added = tokenizer_added(l->t, l->arena, token, text, n);
    return true;
}

// ---- the file

static bool load(JsonLoad *l, const Json *file) {
    Tokenizer *t = l->t;
    l->model = json_get(file, "model");
    l->added = json_get(file, "added_tokens");
    if (!l->model) return refuse(l, ERROR_FORMAT, "missing:", STR("model"));
    return check_model(l) &&
           steps_normalizer(t, l->arena, json_get(file, "normalizer"), &l->found, l->err) &&
           steps_pre_tokenizer(t, l->arena, json_get(file, "pre_tokenizer"), &l->found, l->err) &&
           steps_decoder(t, json_get(file, "decoder"), &l->found, l->err) && read_tokens(l) &&
           index_model(l) && steps_post_processor(t, json_get(file, "post_processor"), l->err) &&
           read_added(l, false, &t->raw) && read_added(l, true, &t->normal);
}

Tokenizer *tokenizer_from_json(Arena *arena, Str tokenizer_json, Str config_json, Error *err) {
    Json *file = json_parse(arena, tokenizer_json, JSON_BYTES_MAX, err);
    if (!file) {
        (void)error_wrap(err, "tokenizer.json");
        return NULL;
    }
    JsonLoad l = {.t = tokenizer_new(arena, err), .arena = arena, .err = err};
    if (!l.t) return NULL;
    // -1 until the vocabulary is read: the ids come from the second file, by name.
    Vocab *v = &l.t->vocab;
    v->bos = v->eos = v->eot = v->eom = v->unknown = v->padding = -1;
    if (str_trim(config_json).n > 0) {
        l.config = json_parse(arena, config_json, JSON_BYTES_MAX, err);
        if (!l.config) {
            (void)error_wrap(err, "tokenizer_config.json");
            return NULL;
        }
    }
    if (!load(&l, file)) return NULL;
    name_specials(&l);
    tokenizer_mark_endings(l.t, arena);
    return l.t;
}
