// tokenizer.c - a vocabulary, as a GGUF file gives it, as a tokenizer.json.
//
// Byte-level BPE: the same merges, and the published split patterns behind the vocabulary's name.
// SentencePiece BPE: tokenizer.json has merges where GGUF has scores.  Every way to put a token
// together from two others becomes a merge, ranked by the token's score, then by the ids of its
// parts; that gives SentencePiece's result but where two merges of one token overlap ("aaa" from
// "a aa" or "aa a"), where SentencePiece takes the left one and this the first by rank.
// WordPiece: the uncased normaliser, the only one that a GGUF file's vocabulary has.
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "export/plan.h"
#include "text/split_pattern.h"
#include "text/wordpiece.h"

static const Str SPACE_MARK = {"\xE2\x96\x81", 3}; // U+2581

typedef struct TokenizerExport {
    const Vocab *vocab;
    Arena *arena;
    StrBuilder text;
    JsonWriter json;
    bool is_scored, is_wordpiece;
    Error *err;
} TokenizerExport;

static TokenKind kind_of(const Vocab *v, int64_t id) {
    return v->kind ? (TokenKind)v->kind[id] : TOKEN_NORMAL;
}

// ---------------------------------------------------------------- members of objects
static void put_text(JsonWriter *w, const char *key, Str value) {
    json_key(w, key);
    json_put_string(w, value);
}

static void put_flag(JsonWriter *w, const char *key, bool value) {
    json_key(w, key);
    json_put_bool(w, value);
}

static void put_null(JsonWriter *w, const char *key) {
    json_key(w, key);
    json_put_null(w);
}

static void begin_step(JsonWriter *w, const char *type) {
    json_begin_object(w);
    put_text(w, "type", str_from(type));
}

static void begin_sequence(JsonWriter *w, const char *members) {
    begin_step(w, "Sequence");
    json_key(w, members);
    json_begin_array(w);
}

static void end_sequence(JsonWriter *w) {
    json_end_array(w);
    json_end_object(w);
}

// {"String": text} or {"Regex": text}
static void put_pattern(JsonWriter *w, const char *kind, Str text) {
    json_key(w, "pattern");
    json_begin_object(w);
    put_text(w, kind, text);
    json_end_object(w);
}

static void put_replace(JsonWriter *w, Str from, Str to) {
    begin_step(w, "Replace");
    put_pattern(w, "String", from);
    put_text(w, "content", to);
    json_end_object(w);
}

static void put_byte_level(JsonWriter *w, bool splits) {
    begin_step(w, "ByteLevel");
    put_flag(w, "add_prefix_space", false);
    put_flag(w, "trim_offsets", false);
    put_flag(w, "use_regex", splits);
    json_end_object(w);
}

// ---------------------------------------------------------------- the steps
static void put_uncased(JsonWriter *w) {
    begin_step(w, "BertNormalizer");
    put_flag(w, "clean_text", true);
    put_flag(w, "handle_chinese_chars", true);
    put_null(w, "strip_accents"); // as `lowercase`
    put_flag(w, "lowercase", true);
    json_end_object(w);
}

static void put_normalizer(TokenizerExport *t) {
    JsonWriter *w = &t->json;
    Str form = t->vocab->normal_form;
    json_key(w, "normalizer");
    if (t->is_wordpiece) {
        put_uncased(w);
        return;
    }
    if (!t->is_scored && form.n == 0) {
        json_put_null(w);
        return;
    }
    if (t->is_scored) begin_sequence(w, "normalizers");
    if (form.n) {
        begin_step(w, str_c(t->arena, form));
        json_end_object(w);
    }
    if (!t->is_scored) return;
    if (t->vocab->add_space_prefix) {
        begin_step(w, "Prepend");
        put_text(w, "prepend", SPACE_MARK);
        json_end_object(w);
    }
    put_replace(w, STR(" "), SPACE_MARK);
    end_sequence(w);
}

static bool put_pre_tokenizer(TokenizerExport *t) {
    JsonWriter *w = &t->json;
    const SplitPattern *step[SPLIT_STEPS_MAX];
    json_key(w, "pre_tokenizer");
    if (t->is_scored) {
        json_put_null(w);
        return true;
    }
    if (t->is_wordpiece) {
        begin_step(w, "BertPreTokenizer");
        json_end_object(w);
        return true;
    }
    int n = split_name_patterns(t->vocab->pre, step);
    if (n == 0)
        return error_set(t->err, ERROR_UNSUPPORTED,
                         "no tokenizer.json can be written: tokenizer.ggml.pre \"%.*s\" has no"
                         " pattern",
                         STR_ARG(str_slice(t->vocab->pre, 0, 64)));
    begin_sequence(w, "pretokenizers");
    for (int i = 0; i < n; i++) {
        begin_step(w, "Split");
        put_pattern(w, "Regex", str_from(step[i]->regex));
        put_text(w, "behavior", STR("Isolated"));
        put_flag(w, "invert", false);
        json_end_object(w);
    }
    put_byte_level(w, false);
    end_sequence(w);
    return true;
}

static void put_special(JsonWriter *w, Str token, int type) {
    json_begin_object(w);
    json_key(w, "SpecialToken");
    json_begin_object(w);
    put_text(w, "id", token);
    json_key(w, "type_id");
    json_put_integer(w, type);
    json_end_object(w);
    json_end_object(w);
}

static void put_sequence(JsonWriter *w, const char *name) {
    json_begin_object(w);
    json_key(w, "Sequence");
    json_begin_object(w);
    put_text(w, "id", str_from(name));
    json_key(w, "type_id");
    json_put_integer(w, strcmp(name, "B") == 0);
    json_end_object(w);
    json_end_object(w);
}

// One text or two.  BERT has one [CLS] before both, and [SEP] behind each is of its text's type.
static void put_template(TokenizerExport *t, const char *key, bool is_pair) {
    JsonWriter *w = &t->json;
    const Vocab *v = t->vocab;
    json_key(w, key);
    json_begin_array(w);
    for (int i = 0; i < 1 + is_pair; i++) {
        if (v->add_bos && !(t->is_wordpiece && i)) put_special(w, v->token[v->bos], 0);
        put_sequence(w, i ? "B" : "A");
        if (v->add_eos) put_special(w, v->token[v->eos], t->is_wordpiece && i);
    }
    json_end_array(w);
}

static void put_template_token(JsonWriter *w, const char *key, int32_t id, Str token) {
    json_key(w, key);
    json_begin_object(w);
    put_text(w, "id", token);
    json_key(w, "ids");
    json_begin_array(w);
    json_put_integer(w, id);
    json_end_array(w);
    json_key(w, "tokens");
    json_begin_array(w);
    json_put_string(w, token);
    json_end_array(w);
    json_end_object(w);
}

static void put_post_processor(TokenizerExport *t) {
    JsonWriter *w = &t->json;
    const Vocab *v = t->vocab;
    json_key(w, "post_processor");
    if (!v->add_bos && !v->add_eos) {
        json_put_null(w);
        return;
    }
    begin_step(w, "TemplateProcessing");
    put_template(t, "single", false);
    put_template(t, "pair", true);
    json_key(w, "special_tokens");
    json_begin_object(w);
    if (v->add_bos)
        put_template_token(w, str_c(t->arena, v->token[v->bos]), v->bos, v->token[v->bos]);
    if (v->add_eos && !(v->add_bos && v->bos == v->eos))
        put_template_token(w, str_c(t->arena, v->token[v->eos]), v->eos, v->token[v->eos]);
    json_end_object(w);
    json_end_object(w);
}

static void put_decoder(TokenizerExport *t) {
    JsonWriter *w = &t->json;
    json_key(w, "decoder");
    if (t->is_wordpiece) {
        begin_step(w, "WordPiece");
        put_text(w, "prefix", STR("##"));
        put_flag(w, "cleanup", true);
        json_end_object(w);
        return;
    }
    if (!t->is_scored) {
        put_byte_level(w, true);
        return;
    }
    begin_sequence(w, "decoders");
    put_replace(w, SPACE_MARK, STR(" "));
    begin_step(w, "ByteFallback");
    json_end_object(w);
    begin_step(w, "Fuse");
    json_end_object(w);
    if (t->vocab->add_space_prefix) {
        begin_step(w, "Strip");
        put_text(w, "content", STR(" "));
        json_key(w, "start");
        json_put_integer(w, 1);
        json_key(w, "stop");
        json_put_integer(w, 0);
        json_end_object(w);
    }
    end_sequence(w);
}

// ---------------------------------------------------------------- tokens
static void put_added(TokenizerExport *t) {
    JsonWriter *w = &t->json;
    const Vocab *v = t->vocab;
    json_key(w, "added_tokens");
    json_begin_array(w);
    for (int64_t i = 0; i < v->n_tokens; i++) {
        TokenKind kind = kind_of(v, i);
        bool is_special = kind == TOKEN_CONTROL || kind == TOKEN_UNKNOWN;
        if (!is_special && kind != TOKEN_USER_DEFINED) continue;
        json_begin_object(w);
        json_key(w, "id");
        json_put_integer(w, i);
        put_text(w, "content", v->token[i]);
        put_flag(w, "single_word", false);
        put_flag(w, "lstrip", !t->is_scored && !t->is_wordpiece && vocab_is_mask(v, i));
        put_flag(w, "rstrip", false);
        put_flag(w, "normalized", false);
        put_flag(w, "special", is_special);
        json_end_object(w);
    }
    json_end_array(w);
}

// The tokens by name; unused ones may be empty or repeated, and have no place then.
static bool put_vocab(TokenizerExport *t, Map *id_of) {
    JsonWriter *w = &t->json;
    const Vocab *v = t->vocab;
    json_key(w, "vocab");
    json_begin_object(w);
    for (int64_t i = 0; i < v->n_tokens; i++) {
        Str token = v->token[i];
        if (token.n == 0 || !map_add(id_of, token, i)) continue;
        if (!utf8_valid(token) || memchr(token.data, 0, token.n))
            return error_set(t->err, ERROR_UNSUPPORTED,
                             "no tokenizer.json can be written: token %lld is no text",
                             (long long)i);
        json_key(w, str_c(t->arena, token));
        json_put_integer(w, i);
    }
    json_end_object(w);
    return true;
}

// ---------------------------------------------------------------- merges
static void put_merge(JsonWriter *w, Str left, Str right) {
    json_begin_array(w);
    json_put_string(w, left);
    json_put_string(w, right);
    json_end_array(w);
}

static void put_ranked_merges(TokenizerExport *t) {
    const Vocab *v = t->vocab;
    for (int64_t i = 0; i < v->n_merges; i++) {
        Str merge = v->merge[i];
        size_t space = str_find(merge, STR(" "), 1);
        put_merge(&t->json, str_slice(merge, 0, space), str_slice(merge, space + 1, merge.n));
    }
}

typedef struct ScoredMerge {
    float score;
    int32_t left, right;
} ScoredMerge;

static int by_score(const void *a, const void *b) {
    const ScoredMerge *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    if (x->left != y->left) return x->left < y->left ? -1 : 1;
    return (x->right > y->right) - (x->right < y->right);
}

// The ways to make token i of two others; returns how many.  `out` may be NULL.
static int64_t ways_to_make(const TokenizerExport *t, const Map *id_of, int64_t i,
                            ScoredMerge *out) {
    const Vocab *v = t->vocab;
    Str token = v->token[i];
    TokenKind kind = kind_of(v, i);
    int64_t n = 0;
    if (kind == TOKEN_CONTROL || kind == TOKEN_UNKNOWN || kind == TOKEN_BYTE) return 0;
    if (map_get(id_of, token) != i) return 0;
    // Added tokens may hold spaces; merging never sees one, for U+2581 stands in its place.
    if (str_find(token, STR(" "), 0) != SIZE_MAX) return 0;
    for (size_t at = 1; at < token.n; at++) {
        int64_t left = map_get(id_of, str_slice(token, 0, at));
        int64_t right = left < 0 ? -1 : map_get(id_of, str_slice(token, at, token.n));
        if (right < 0) continue;
        if (out) out[n] = (ScoredMerge){v->score[i], (int32_t)left, (int32_t)right};
        n++;
    }
    return n;
}

static void put_scored_merges(TokenizerExport *t, const Map *id_of) {
    const Vocab *v = t->vocab;
    int64_t n = 0;
    for (int64_t i = 0; i < v->n_tokens; i++) n += ways_to_make(t, id_of, i, NULL);
    ScoredMerge *merge = arena_new(t->arena, ScoredMerge, n + 1);
    n = 0;
    for (int64_t i = 0; i < v->n_tokens; i++) n += ways_to_make(t, id_of, i, merge + n);
    qsort(merge, (size_t)n, sizeof *merge, by_score);
    for (int64_t i = 0; i < n; i++)
        put_merge(&t->json, v->token[merge[i].left], v->token[merge[i].right]);
}

// Vocabularies whose words are looked up whole before any merging are those that begin every text
// with a token of their own; vocab_defaults knows both by the same names.
static bool takes_whole_words(const Vocab *v) {
    Vocab defaults;
    Error ignored = {0};
    return str_equal(v->model, STR("gpt2")) &&
           vocab_defaults(&defaults, v->model, v->pre, &ignored) && defaults.add_bos;
}

static bool put_word_pieces(TokenizerExport *t) {
    JsonWriter *w = &t->json;
    Map id_of = map_make(t->arena, t->vocab->n_tokens);
    begin_step(w, "WordPiece");
    put_text(w, "unk_token", t->vocab->token[t->vocab->unknown]);
    put_text(w, "continuing_subword_prefix", STR("##"));
    json_key(w, "max_input_chars_per_word");
    json_put_integer(w, WORDPIECE_CHARACTERS);
    if (!put_vocab(t, &id_of)) return false;
    json_end_object(w);
    return true;
}

static bool put_model(TokenizerExport *t) {
    JsonWriter *w = &t->json;
    const Vocab *v = t->vocab;
    json_key(w, "model");
    if (t->is_wordpiece) return put_word_pieces(t);
    Map id_of = map_make(t->arena, v->n_tokens);
    begin_step(w, "BPE");
    put_null(w, "dropout");
    if (t->is_scored && v->unknown >= 0)
        put_text(w, "unk_token", v->token[v->unknown]);
    else
        put_null(w, "unk_token");
    put_null(w, "continuing_subword_prefix");
    put_null(w, "end_of_word_suffix");
    put_flag(w, "fuse_unk", t->is_scored);
    put_flag(w, "byte_fallback", t->is_scored);
    put_flag(w, "ignore_merges", takes_whole_words(v));
    if (!put_vocab(t, &id_of)) return false;
    json_key(w, "merges");
    json_begin_array(w);
    if (t->is_scored)
        put_scored_merges(t, &id_of);
    else
        put_ranked_merges(t);
    json_end_array(w);
    json_end_object(w);
    return true;
}

// ---------------------------------------------------------------- the files
bool export_tokenizer_json(Arena *arena, const Vocab *vocab, Str *text, Error *err) {
    TokenizerExport t = {.vocab = vocab,
                         .arena = arena,
                         .is_scored = str_equal(vocab->model, STR("llama")),
                         .is_wordpiece = str_equal(vocab->model, STR("bert")),
                         .err = err};
    t.text = str_builder(arena);
    t.json = json_writer(&t.text, 1);
    JsonWriter *w = &t.json;
    json_begin_object(w);
    put_text(w, "version", STR("1.0"));
    put_null(w, "truncation");
    put_null(w, "padding");
    put_added(&t);
    put_normalizer(&t);
    if (!put_pre_tokenizer(&t)) return false;
    put_post_processor(&t);
    put_decoder(&t);
    if (!put_model(&t)) return false;
    json_end_object(w);
    str_add_byte(&t.text, '\n');
    *text = str_built(&t.text);
    return true;
}

// Without this list transformers gives an encoder no token types, which tell two texts apart.
static void put_encoder_inputs(JsonWriter *w) {
    static const char *const names[] = {"input_ids", "token_type_ids", "attention_mask"};
    json_key(w, "model_input_names");
    json_begin_array(w);
    for (int i = 0; i < 3; i++) json_put_string(w, str_from(names[i]));
    json_end_array(w);
}

Str export_tokenizer_config(Arena *arena, const Model *model) {
    const Vocab *v = tokenizer_vocab(model->tokenizer);
    bool is_encoder = model->config.is_encoder;
    const struct {
        const char *key;
        int32_t id;
    } special[] = {{is_encoder ? "cls_token" : "bos_token", v->bos},
                   {is_encoder ? "sep_token" : "eos_token", v->eos},
                   {"unk_token", v->unknown},
                   {"pad_token", v->padding},
                   {"mask_token", tokenizer_mask(model->tokenizer)}};
    enum { N_SPECIAL = sizeof special / sizeof *special };
    StrBuilder text = str_builder(arena);
    JsonWriter w = json_writer(&text, 2);
    json_begin_object(&w);
    put_text(&w, "tokenizer_class", STR("PreTrainedTokenizerFast"));
    for (int i = 0; i < N_SPECIAL; i++)
        if (special[i].id >= 0) put_text(&w, special[i].key, v->token[special[i].id]);
    put_flag(&w, "clean_up_tokenization_spaces", false);
    json_key(&w, "model_max_length");
    json_put_integer(&w, model->config.context);
    if (is_encoder) put_encoder_inputs(&w);
    if (model->chat_template.n) put_text(&w, "chat_template", model->chat_template);
    json_end_object(&w);
    str_add_byte(&text, '\n');
    return str_built(&text);
}
