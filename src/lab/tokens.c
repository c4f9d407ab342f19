// tokens.c - from a text to token ids, and the pieces of tokens for the page.
#include <string.h>

#include "base/utf8.h"
#include "lab/answer.h"

// ---------------------------------------------------------------- reading
static bool too_long(int64_t n, int64_t most, Error *err) {
    return error_set(err, ERROR_LIMIT, "the text has %lld tokens: the lab reads %lld", (long long)n,
                     (long long)most);
}

bool answer_read(Answer *a, Error *err) {
    const Model *model = a->lab->model;
    const LabRequest *r = &a->request;
    int64_t context = model->config.context, most = LAB_TOKENS_MAX;
    Tokens tokens = {0};
    EncodeOptions options = {.add_special = true, .parse_special = r->parse_special};
    if (context < most) most = context;
    if (!model->tokenizer)
        return error_set(err, ERROR_UNSUPPORTED, "%.*s has no tokenizer", STR_ARG(model->name));
    if (!tokenizer_encode(model->tokenizer, &a->lab->arena, r->text, options, &tokens, err))
        return false;
    a->n = tokens.n + r->n_then;
    if (a->n < 1) return error_set(err, ERROR_USAGE, "an empty text: there is nothing to look at");
    if (a->n > most) return too_long(a->n, most, err);
    a->ids = arena_new(&a->lab->arena, int32_t, a->n);
    for (int64_t i = 0; i < tokens.n; i++) a->ids[i] = tokens.token[i].id;
    memcpy(a->ids + tokens.n, r->then, sizeof *a->ids * (size_t)r->n_then);
    for (int64_t i = 0; i < a->n; i++)
        if (a->ids[i] >= model->config.vocab)
            return error_set(err, ERROR_FORMAT, "token %d is not in a vocabulary of %lld",
                             a->ids[i], (long long)model->config.vocab);
    return true;
}

// ---------------------------------------------------------------- pieces
static Str piece_of(const Model *model, int32_t id) {
    if (!model->tokenizer || id >= tokenizer_size(model->tokenizer)) return STR("");
    return tokenizer_piece(model->tokenizer, id, true);
}

void answer_put_piece(JsonWriter *json, const Model *model, int32_t id) {
    Str piece = piece_of(model, id);
    json_key(json, "id");
    json_put_integer(json, id);
    json_key(json, "text");
    json_put_string(json, piece);
    if (utf8_valid(piece)) return;
    json_key(json, "bytes");
    json_begin_array(json);
    for (size_t i = 0; i < piece.n; i++) json_put_integer(json, (unsigned char)piece.data[i]);
    json_end_array(json);
}

// A unit is the shortest run of tokens that does not end inside a character: a piece of text that
// can be shown.  Numbers the units.
static int32_t *units(Answer *a) {
    int32_t *unit = arena_new(&a->lab->arena, int32_t, a->n), count = 0;
    StrBuilder text = str_builder(&a->lab->arena);
    for (int64_t i = 0; i < a->n; i++) {
        unit[i] = count;
        str_add(&text, piece_of(a->lab->model, a->ids[i]));
        if (utf8_complete_prefix((Str){text.data, text.n}) < text.n) continue;
        text.n = 0;
        count++;
    }
    return unit;
}

void answer_put_tokens(Answer *a) {
    JsonWriter *json = &a->trace.json;
    const Tokenizer *t = a->lab->model->tokenizer;
    const int32_t *unit = units(a);
    json_key(json, "text");
    json_put_string(json, a->request.text);
    json_key(json, "tokens");
    json_begin_array(json);
    for (int64_t i = 0; i < a->n; i++) {
        json_begin_object(json);
        answer_put_piece(json, a->lab->model, a->ids[i]);
        json_key(json, "unit");
        json_put_integer(json, unit[i]);
        bool is_special = a->ids[i] < tokenizer_size(t) && //
                          tokenizer_kind(t, a->ids[i]) == TOKEN_CONTROL;
        if (is_special) json_key(json, "special");
        if (is_special) json_put_bool(json, true);
        json_end_object(json);
    }
    json_end_array(json);
}

// ---------------------------------------------------------------- vocabulary
void answer_put_vocabulary(Answer *a) {
    Arena *arena = &a->lab->arena;
    int64_t n = a->lab->model->config.vocab;
    int32_t *end = arena_new(arena, int32_t, n);
    StrBuilder bytes = str_builder(arena);
    for (int64_t id = 0; id < n; id++) {
        str_add(&bytes, piece_of(a->lab->model, (int32_t)id));
        end[id] = (int32_t)bytes.n;
    }
    trace_add(&a->trace, (TraceArray){.name = "piece_end",
                                      .axes = "(V)",
                                      .layer = -1,
                                      .type = TRACE_I32,
                                      .rank = 1,
                                      .dim = {n},
                                      .data = end});
    trace_add(&a->trace, (TraceArray){.name = "piece_bytes",
                                      .axes = "(bytes)",
                                      .layer = -1,
                                      .type = TRACE_U8,
                                      .rank = 1,
                                      .dim = {(int64_t)bytes.n},
                                      .data = bytes.data});
}
