// vocab.c - from a vocabulary, as GGUF metadata gives it, to a tokenizer.
//
// Everything that a file can get wrong is refused here by one line, so that encoding needs no
// checks.  The parts that a tokenizer.json shares with it (indexing, merges, pieces) live here too.
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "text/tokenizer.h"
#include "text/tokenizer_parts.h"
#include "unicode/normalize.h"

// ---- defaults

// Names of tokenizer.ggml.pre whose words are looked up whole before merging, and whose texts begin
// with the bos token unless the file says otherwise (llama.cpp).
static const char *const WHOLE_WORD_PRE[] = {"llama-bpe", "llama3",  "llama-v3",
                                             "tekken",    "pixtral", "falcon3"};

static bool takes_whole_words(Str pre) {
    for (size_t i = 0; i < sizeof WHOLE_WORD_PRE / sizeof *WHOLE_WORD_PRE; i++)
        if (str_equal(pre, str_from(WHOLE_WORD_PRE[i]))) return true;
    return false;
}

static bool is_known_model(Str model, Error *err) {
    if (str_equal(model, STR("gpt2")) || str_equal(model, STR("llama")) ||
        str_equal(model, STR("bert")))
        return true;
    return error_set(
        err, ERROR_UNSUPPORTED,
        "tokenizer.ggml.model \"%.*s\": only \"gpt2\", \"llama\" and \"bert\" are supported",
        STR_ARG(str_slice(model, 0, 64)));
}

bool vocab_defaults(Vocab *vocab, Str model, Str pre, Error *err) {
    *vocab = (Vocab){.model = model, .pre = pre, .eot = -1, .eom = -1, .padding = -1};
    if (!is_known_model(model, err)) return false;
    if (str_equal(model, STR("llama"))) {
        vocab->bos = 1;
        vocab->eos = 2;
        vocab->unknown = 0;
        vocab->add_bos = vocab->add_space_prefix = true;
    } else if (str_equal(model, STR("bert"))) {
        vocab->bos = 101; // [CLS], [SEP]
        vocab->eos = 102;
        vocab->unknown = 100;
        vocab->padding = 0;
        vocab->add_bos = vocab->add_eos = true;
    } else {
        vocab->bos = vocab->eos = 11;
        vocab->unknown = -1;
        vocab->add_bos = takes_whole_words(pre);
    }
    return true;
}

bool vocab_is_mask(const Vocab *v, int64_t id) {
    bool is_named =
        str_equal(v->token[id], STR("[MASK]")) || str_equal(v->token[id], STR("<mask>"));
    return is_named && v->kind && v->kind[id] == TOKEN_CONTROL;
}

// ---- checks and the index of tokens

static bool check_special(const Vocab *v, int32_t id, const char *name, Error *err) {
    if (id >= -1 && id < v->n_tokens) return true;
    return error_set(err, ERROR_FORMAT, "tokenizer: %s token id %d: the vocabulary has %lld tokens",
                     name, (int)id, (long long)v->n_tokens);
}

static bool check_specials(const Vocab *v, Error *err) {
    return check_special(v, v->bos, "bos", err) && check_special(v, v->eos, "eos", err) &&
           check_special(v, v->eot, "eot", err) && check_special(v, v->eom, "eom", err) &&
           check_special(v, v->unknown, "unknown", err) &&
           check_special(v, v->padding, "padding", err);
}

static TokenKind kind_of(const Vocab *v, int64_t id) {
    return v->kind ? (TokenKind)v->kind[id] : TOKEN_NORMAL;
}

static bool index_token(Tokenizer *t, int64_t i, Error *err) {
    const Vocab *v = &t->vocab;
    Str text = v->token[i];
    TokenKind kind = kind_of(v, i);
    if (kind < TOKEN_NORMAL || kind > TOKEN_BYTE)
        return error_set(err, ERROR_FORMAT, "tokenizer: token %lld: type %d is none of 1..6",
                         (long long)i, (int)kind);
    if (text.n > TOKEN_BYTES_MAX)
        return error_set(err, ERROR_LIMIT, "tokenizer: token %lld: %zu bytes, at most %d",
                         (long long)i, text.n, TOKEN_BYTES_MAX);
    // Files pad their vocabulary with unused tokens, and those alone may be empty or repeated.
    if (text.n == 0 && kind != TOKEN_UNUSED)
        return error_set(err, ERROR_FORMAT, "tokenizer: token %lld is empty", (long long)i);
    if (kind == TOKEN_BYTE && bpe_byte_token(text) < 0)
        return error_set(err, ERROR_FORMAT,
                         "tokenizer: byte token %lld is not <0x00>..<0xFF>: %.*s", (long long)i,
                         STR_ARG(str_slice(text, 0, 64)));
    if (v->score && !isfinite(v->score[i]))
        return error_set(err, ERROR_FORMAT, "tokenizer: token %lld: score is not a number",
                         (long long)i);
    if (text.n > t->bpe.longest) t->bpe.longest = text.n;
    if (text.n == 0 || map_add(&t->id_of, text, i) || kind == TOKEN_UNUSED) return true;
    return error_set(err, ERROR_FORMAT, "tokenizer: token %lld repeats token %lld", (long long)i,
                     (long long)map_get(&t->id_of, text));
}

// Tokens that end a turn or a text in well-known models; a file often names only one of them.
static const char *const ENDINGS[] = {
    "<|eot_id|>",
    "<|eom_id|>",
    "<|im_end|>",
    "<|end|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eot|>",
    "<|return|>",
    "<|call|>",
    "<|end_of_turn|>",
    "<|END_OF_TURN_TOKEN|>",
    "<EOT>",
    "_<EOT>",
    "<\xEF\xBD\x9C\x65nd\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>", // DeepSeek
};

void tokenizer_mark_endings(Tokenizer *t, Arena *arena) {
    const Vocab *v = &t->vocab;
    bool *ends = arena_new(arena, bool, v->n_tokens);
    int32_t named[] = {v->eos, v->eot, v->eom};
    for (int i = 0; i < 3; i++)
        if (named[i] >= 0) ends[named[i]] = true;
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        int64_t id = map_get(&t->id_of, str_from(ENDINGS[i]));
        if (id < 0) continue;
        TokenKind kind = kind_of(v, id);
        if (kind == TOKEN_CONTROL || kind == TOKEN_USER_DEFINED) ends[id] = true;
    }
    t->ends = ends;
}

enum { FIXED_BYTES = 640 << 10 }; // of a tokenizer's parts that do not grow with its vocabulary

static bool is_literal(TokenKind kind) {
    return kind == TOKEN_CONTROL || kind == TOKEN_USER_DEFINED || kind == TOKEN_UNKNOWN;
}

Tokenizer *tokenizer_new(Arena *arena, Error *err) {
    if (arena_fits(arena, sizeof(Tokenizer) + FIXED_BYTES)) return arena_new(arena, Tokenizer, 1);
    error_set(err, ERROR_LIMIT, "tokenizer: there is no memory for one here");
    return NULL;
}

// Tables of all tokens: two maps, and of each its piece and the numbers beside it.  Of merges: the
// pairs, and copies of the texts.  Of literals: matchers, lists and maps, for raw and normal text.
bool tokenizer_fits(const Tokenizer *t, const Arena *arena, int64_t n_merges, int64_t merge_bytes,
                    Error *err) {
    const size_t for_token = 104, for_merge = 192, for_literal = 96; // with what alignment costs
    const Vocab *v = &t->vocab;
    int64_t n_bytes = 0, n_literals = 0, literal_bytes = 0;
    for (int64_t i = 0; i < v->n_tokens; i++) {
        n_bytes += (int64_t)v->token[i].n;
        if (!is_literal(kind_of(v, i))) continue;
        n_literals++;
        literal_bytes += (int64_t)v->token[i].n;
    }
    size_t bytes = 2 * map_bytes(v->n_tokens) + for_token * (size_t)v->n_tokens + (size_t)n_bytes;
    if (n_merges > 0) bytes += bpe_prepare_bytes(v->n_tokens);
    bytes += pairs_bytes(n_merges) + for_merge * (size_t)n_merges + 2 * (size_t)merge_bytes;
    bytes += 2 * (map_bytes(n_literals) + for_literal * (size_t)n_literals);
    bytes += 2 * matcher_bytes(literal_bytes);
    if (arena_fits(arena, bytes + TOKEN_BYTES_MAX + FIXED_BYTES)) return true;
    return error_set(err, ERROR_LIMIT,
                     "tokenizer: %lld tokens and %lld merges are too many for the memory here",
                     (long long)v->n_tokens, (long long)n_merges);
}

bool tokenizer_index(Tokenizer *t, Arena *arena, Error *err) {
    const Vocab *v = &t->vocab;
    if (v->n_tokens < 1 || v->n_tokens > INT32_MAX / 4 || !v->token)
        return error_set(err, ERROR_FORMAT, "tokenizer: no tokens, or too many: %lld",
                         (long long)v->n_tokens);
    if (!check_specials(v, err)) return false;
    t->id_of = map_make(arena, v->n_tokens);
    for (int64_t i = 0; i < v->n_tokens; i++)
        if (!index_token(t, i, err)) return false;
    t->bpe.token = v->token;
    t->bpe.id_of = &t->id_of;
    for (int b = 0; b < 256; b++) t->bpe.byte_id[b] = -1;
    return true;
}

// ---- merges

// The tokens that "left right" names; the space that parts them is the first one behind byte 0.
static bool merge_tokens(const Tokenizer *t, Str merge, char *joined, int32_t id[3]) {
    const char *space = merge.n > 1 ? memchr(merge.data + 1, ' ', merge.n - 1) : NULL;
    if (!space || merge.n > TOKEN_BYTES_MAX) return false;
    size_t n_left = (size_t)(space - merge.data);
    size_t n_right = merge.n - n_left - 1;
    memcpy(joined, merge.data, n_left);
    memcpy(joined + n_left, space + 1, n_right);
    id[0] = (int32_t)map_get(&t->id_of, (Str){merge.data, n_left});
    id[1] = (int32_t)map_get(&t->id_of, (Str){space + 1, n_right});
    id[2] = (int32_t)map_get(&t->id_of, (Str){joined, merge.n - 1});
    return n_right > 0 && id[0] >= 0 && id[1] >= 0 && id[2] >= 0;
}

bool tokenizer_index_merges(Tokenizer *t, Arena *arena, Error *err) {
    const Vocab *v = &t->vocab;
    if (v->n_merges < 0 || v->n_merges > INT32_MAX / 4 || (v->n_merges > 0 && !v->merge))
        return error_set(err, ERROR_FORMAT, "tokenizer: %lld merges", (long long)v->n_merges);
    t->bpe.merges = pairs_make(arena, v->n_merges);
    int32_t *made = arena_new(arena, int32_t, v->n_merges + 1);
    char *joined = arena_push(arena, TOKEN_BYTES_MAX);
    for (int64_t i = 0; i < v->n_merges; i++) {
        int32_t id[3];
        if (!merge_tokens(t, v->merge[i], joined, id))
            return error_set(
                err, ERROR_FORMAT,
                "tokenizer: merge %lld \"%.*s\" does not name two tokens that make one",
                (long long)i, STR_ARG(str_slice(v->merge[i], 0, 64)));
        made[i] = id[2];
        TokenKind kind = kind_of(v, id[2]);
        // A merge that makes a control token would let any text forge it: it never applies.
        if (kind == TOKEN_CONTROL || kind == TOKEN_UNKNOWN) continue;
        if (!pairs_add(&t->bpe.merges, id[0], id[1], (int32_t)i))
            return error_set(err, ERROR_FORMAT, "tokenizer: merge %lld repeats merge %d",
                             (long long)i, (int)pairs_get(&t->bpe.merges, id[0], id[1]));
    }
    t->bpe.made = made;
    return true;
}

// ---- byte-level

bool tokenizer_index_bytes(Tokenizer *t, Arena *arena, Error *err) {
    const Vocab *v = &t->vocab;
    t->bpe.is_byte_level = true;
    for (int b = 0; b < 256; b++) {
        char text[4];
        int n = utf8_encode(bpe_byte_character((unsigned char)b), text);
        int64_t id = map_get(&t->id_of, (Str){text, (size_t)n});
        if (id >= 0 && kind_of(v, id) != TOKEN_CONTROL) t->bpe.byte_id[b] = (int32_t)id;
    }
    Str *piece = arena_new(arena, Str, v->n_tokens);
    for (int64_t i = 0; i < v->n_tokens; i++)
        piece[i] = is_literal(kind_of(v, i)) ? v->token[i] : bpe_alphabet_bytes(arena, v->token[i]);
    t->piece = piece;
    if (!tokenizer_index_merges(t, arena, err)) return false;
    if (v->n_merges > 0) bpe_prepare(&t->bpe, arena, piece, v->n_tokens);
    return true;
}

void tokenizer_index_words(Tokenizer *t, Arena *arena) {
    const Vocab *v = &t->vocab;
    Map *whole = arena_new(arena, Map, 1);
    *whole = map_make(arena, v->n_tokens);
    for (int64_t i = 0; i < v->n_tokens; i++)
        if (!is_literal(kind_of(v, i)) && t->piece[i].n > 0) (void)map_add(whole, t->piece[i], i);
    t->bpe.whole_word = whole;
}

// ---- SentencePiece

static const Str SPACE_MARK = {"\xE2\x96\x81", 3}; // U+2581

static Str with_spaces(Arena *arena, Str text) {
    if (str_find(text, SPACE_MARK, 0) == SIZE_MAX) return text;
    StrBuilder b = str_builder(arena);
    size_t done = 0;
    for (size_t at; (at = str_find(text, SPACE_MARK, done)) != SIZE_MAX; done = at + SPACE_MARK.n) {
        str_add(&b, str_slice(text, done, at));
        str_add_byte(&b, ' ');
    }
    str_add(&b, str_slice(text, done, text.n));
    return str_built(&b);
}

// Notes the bytes before each run of U+2581 inside a token.
static void mark_joins(Tokenizer *t, Str text) {
    size_t run_end = str_starts(text, SPACE_MARK) ? SPACE_MARK.n : SIZE_MAX;
    for (size_t at = str_find(text, SPACE_MARK, 1); at != SIZE_MAX;
         at = str_find(text, SPACE_MARK, at + 1)) {
        if (at != run_end) t->joins_space[(unsigned char)text.data[at - 1]] = true;
        run_end = at + SPACE_MARK.n;
    }
}

void tokenizer_index_spaces(Tokenizer *t, Arena *arena, bool everywhere) {
    const Vocab *v = &t->vocab;
    Str *piece = arena_new(arena, Str, v->n_tokens);
    t->cuts_at_spaces = map_get(&t->id_of, SPACE_MARK) >= 0;
    for (int64_t i = 0; i < v->n_tokens; i++) {
        Str text = v->token[i];
        TokenKind kind = kind_of(v, i);
        int byte = bpe_byte_token(text);
        if (kind == TOKEN_BYTE && byte >= 0) {
            char *one = arena_push(arena, 1);
            one[0] = (char)(unsigned char)byte;
            piece[i] = (Str){one, 1};
            t->bpe.byte_id[byte] = (int32_t)i;
            continue;
        }
        piece[i] = is_literal(kind) && !everywhere ? text : with_spaces(arena, text);
        mark_joins(t, text);
    }
    t->piece = piece;
}

// Scores as orders: a higher score is a smaller number.
static uint32_t score_order(float score) {
    uint32_t bits;
    float plus_zero = score + 0.0f; // -0 and 0 are equal
    memcpy(&bits, &plus_zero, sizeof bits);
    uint32_t ascending = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return ~ascending;
}

static bool index_scores(Tokenizer *t, Arena *arena, Error *err) {
    const Vocab *v = &t->vocab;
    if (!v->score)
        return error_set(err, ERROR_FORMAT, "tokenizer: tokenizer.ggml.scores is missing");
    uint32_t *order = arena_push(arena, sizeof *order * (size_t)v->n_tokens);
    for (int64_t i = 0; i < v->n_tokens; i++) {
        TokenKind kind = kind_of(v, i);
        bool is_reserved = kind == TOKEN_CONTROL || kind == TOKEN_UNKNOWN || kind == TOKEN_BYTE;
        order[i] = is_reserved ? BPE_NEVER : score_order(v->score[i]);
    }
    t->bpe.is_scored = true;
    t->bpe.order = order;
    return true;
}

static bool has_all_bytes(const Bpe *bpe) {
    for (int b = 0; b < 256; b++)
        if (bpe->byte_id[b] < 0) return false;
    return true;
}

static bool make_scored(Tokenizer *t, Arena *arena, Error *err) {
    const Vocab *v = &t->vocab;
    if (!index_scores(t, arena, err)) return false;
    tokenizer_index_spaces(t, arena, false);
    t->bpe.has_byte_fallback = true;
    t->bpe.fuses_unknown = true;
    t->bpe.unknown = v->unknown;
    if (v->unknown < 0 && !has_all_bytes(&t->bpe))
        return error_set(err, ERROR_FORMAT,
                         "tokenizer: neither an unknown token nor tokens for all 256 bytes");
    if (v->add_space_prefix)
        t->rewrite[t->n_rewrites++] = (Rewrite){.kind = REWRITE_PREPEND, .content = SPACE_MARK};
    t->rewrite[t->n_rewrites++] =
        (Rewrite){.kind = REWRITE_REPLACE, .pattern = STR(" "), .content = SPACE_MARK};
    t->strips_first_space = v->add_space_prefix;
    return true;
}

// ---- WordPiece

bool tokenizer_index_pieces(Tokenizer *t, Arena *arena, Str prefix, int64_t characters,
                            Error *err) {
    const Vocab *v = &t->vocab;
    if (t->bpe.unknown < 0)
        return error_set(err, ERROR_FORMAT, "tokenizer: WordPiece without an unknown token");
    Str *piece = arena_new(arena, Str, v->n_tokens);
    for (int64_t i = 0; i < v->n_tokens; i++) {
        Str text = v->token[i];
        if (prefix.n && str_starts(text, prefix) && text.n > prefix.n && !is_literal(kind_of(v, i)))
            piece[i] = str_slice(text, prefix.n, text.n);
        else
            piece[i] = str_printf(arena, " %.*s", STR_ARG(text));
    }
    t->piece = piece;
    t->strips_first_space = true;
    t->wordpiece = (WordPiece){.id_of = &t->id_of,
                               .unknown = t->bpe.unknown,
                               .characters = characters,
                               .longest = t->bpe.longest,
                               .prefix = prefix,
                               .kind = v->kind};
    return true;
}

// A GGUF file says nothing of how texts are rewritten and cut: as the uncased models have it.
static bool make_wordpiece(Tokenizer *t, Arena *arena, Error *err) {
    static const Rewrite uncased[] = {{.kind = REWRITE_CLEAN},
                                      {.kind = REWRITE_SPACE_IDEOGRAPHS},
                                      {.kind = REWRITE_NORMAL_FORM, .form = NORMAL_NFD},
                                      {.kind = REWRITE_DROP_MARKS},
                                      {.kind = REWRITE_LOWERCASE}};
    for (size_t i = 0; i < sizeof uncased / sizeof *uncased; i++)
        t->rewrite[t->n_rewrites++] = uncased[i];
    t->split[t->n_splits++] = (SplitStep){.kind = SPLIT_BY_BERT};
    t->bpe.unknown = t->vocab.unknown;
    return tokenizer_index_pieces(t, arena, STR("##"), WORDPIECE_CHARACTERS, err);
}

static bool add_normal_form(Tokenizer *t, Error *err) {
    Str name = t->vocab.normal_form;
    Rewrite step = {.kind = REWRITE_NORMAL_FORM};
    if (name.n == 0) return true;
    if (!normal_form_named(name, &step.form))
        return error_set(err, ERROR_UNSUPPORTED, "tokenizer: there is no normal form \"%.*s\"",
                         STR_ARG(str_slice(name, 0, 64)));
    t->rewrite[t->n_rewrites++] = step;
    return true;
}

// ---- the tokenizer

AddedTokens tokenizer_added(const Tokenizer *t, Arena *arena, const AddedToken *token,
                            const Str *text, int64_t n) {
    if (n == 0) return (AddedTokens){0};
    MatcherEntry *entry = arena_new(arena, MatcherEntry, n);
    for (int64_t i = 0; i < n; i++) {
        TokenKind kind = kind_of(&t->vocab, token[i].id);
        entry[i] = (MatcherEntry){text[i], kind != TOKEN_CONTROL && kind != TOKEN_UNKNOWN};
    }
    return (AddedTokens){matcher_make(arena, entry, n), token, n};
}

// Some files give end-of-turn tokens as plain or user-defined ones, and then any text could forge
// the end of a turn: what ends generation by its name is a control token.
static void protect_endings(Tokenizer *t, Arena *arena) {
    Vocab *v = &t->vocab;
    int32_t *kind = arena_push(arena, sizeof *kind * (size_t)v->n_tokens);
    for (int64_t i = 0; i < v->n_tokens; i++) kind[i] = (int32_t)kind_of(v, i);
    for (size_t i = 0; i < sizeof ENDINGS / sizeof *ENDINGS; i++) {
        int64_t id = map_get(&t->id_of, str_from(ENDINGS[i]));
        if (id >= 0) kind[id] = TOKEN_CONTROL;
    }
    v->kind = kind;
}

// A token of a byte-level vocabulary holds the space before its word, and [MASK] stands for one: it
// takes that space (as in RoBERTa, Liu et al. 2019).
static bool eats_left(const Vocab *v, int64_t id) {
    return str_equal(v->model, STR("gpt2")) && vocab_is_mask(v, id);
}

static bool index_added(Tokenizer *t, Arena *arena, Error *err) {
    const Vocab *v = &t->vocab;
    int64_t n = 0;
    int64_t n_bytes = 0;
    for (int64_t i = 0; i < v->n_tokens; i++) n += is_literal(kind_of(v, i));
    AddedToken *token = arena_new(arena, AddedToken, n);
    Str *text = arena_new(arena, Str, n);
    n = 0;
    for (int64_t i = 0; i < v->n_tokens; i++) {
        if (!is_literal(kind_of(v, i))) continue;
        n_bytes += (int64_t)v->token[i].n;
        text[n] = v->token[i];
        token[n++] = (AddedToken){
            .id = (int32_t)i, .n_bytes = (int32_t)v->token[i].n, .eats_left = eats_left(v, i)};
    }
    if (n_bytes > INT32_MAX / 4)
        return error_set(err, ERROR_LIMIT, "tokenizer: %lld bytes of special tokens",
                         (long long)n_bytes);
    t->raw = tokenizer_added(t, arena, token, text, n);
    return true;
}

Tokenizer *tokenizer_from_vocab(Arena *arena, const Vocab *vocab, Error *err) {
    if (!is_known_model(vocab->model, err)) return NULL;
    Tokenizer *t = tokenizer_new(arena, err);
    if (!t) return NULL;
    t->vocab = *vocab;
    if (vocab->n_tokens > 0 && vocab->token &&
        !tokenizer_fits(t, arena, vocab->merge ? vocab->n_merges : 0, 0, err))
        return NULL;
    if (!tokenizer_index(t, arena, err) || !add_normal_form(t, err)) return NULL;
    protect_endings(t, arena);
    if (str_equal(vocab->model, STR("llama"))) {
        if (!make_scored(t, arena, err)) return NULL;
    } else if (str_equal(vocab->model, STR("bert"))) {
        if (!make_wordpiece(t, arena, err)) return NULL;
    } else {
        t->bpe.unknown = -1;
        SplitStep *split = &t->split[t->n_splits++];
        *split = (SplitStep){.kind = SPLIT_BY_PATTERN};
        split->splitter = splitter_named(arena, vocab->pre, err);
        if (!split->splitter || !tokenizer_index_bytes(t, arena, err)) return NULL;
        if (takes_whole_words(vocab->pre)) tokenizer_index_words(t, arena);
    }
    if (!index_added(t, arena, err)) return NULL;
    if ((vocab->add_bos && vocab->bos < 0) || (vocab->add_eos && vocab->eos < 0)) {
        error_set(err, ERROR_FORMAT, "tokenizer: add_%s_token is set, but there is no such token",
                  vocab->add_bos && vocab->bos < 0 ? "bos" : "eos");
        return NULL;
    }
    if (vocab->add_bos) t->prefix[t->n_prefix++] = vocab->bos;
    if (vocab->add_eos) t->suffix[t->n_suffix++] = vocab->eos;
    tokenizer_mark_endings(t, arena);
    return t;
}
