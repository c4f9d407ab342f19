// encoder.c - one forward of an encoder, and what is read off it.
#include "look/encoder.h"

#include <math.h>
#include <string.h>

static bool check(const Model *model, EncoderText text, Error *err) {
    const Config *c = &model->config;
    if (!c->is_encoder)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%.*s: a %s model is no encoder: it reads from one side only",
                         STR_ARG(model->name), model->arch->name);
    if (text.n < 1) return error_set(err, ERROR_USAGE, "the text is empty");
    if (text.n > c->context)
        return error_set(err, ERROR_LIMIT, "the text has %lld tokens: this model reads %lld",
                         (long long)text.n, (long long)c->context);
    for (int64_t i = 0; i < text.n; i++) {
        if (text.ids[i] < 0 || text.ids[i] >= c->vocab)
            return error_set(err, ERROR_FORMAT, "token %d is not in a vocabulary of %lld",
                             text.ids[i], (long long)c->vocab);
        if (text.types && (text.types[i] < 0 || text.types[i] >= c->token_types))
            return error_set(err, ERROR_FORMAT, "token type %d: this model has %d", text.types[i],
                             c->token_types);
    }
    return true;
}

static Batch *batch_of(SingleBatch *single, EncoderText text) {
    Batch *batch = batch_single(single, text.ids, text.n);
    batch->types = text.types;
    return batch;
}

// ---------------------------------------------------------------- blanks
enum { BLANK_LENGTH = 3 }; // underscores that make one

// The text with the mask's name for each run of that many underscores or more.
static Str with_masks(Arena *arena, Str text, Str mask) {
    StrBuilder b = str_builder(arena);
    for (size_t i = 0, end; i < text.n; i = end) {
        for (end = i; end < text.n && text.data[end] == '_'; end++) {}
        if (end - i >= BLANK_LENGTH) {
            str_add(&b, mask);
            continue;
        }
        if (end == i) end++;
        str_add(&b, str_slice(text, i, end));
    }
    return str_built(&b);
}

bool encoder_blanks(Arena *arena, const Model *model, Str text, Blanks *blanks, Error *err) {
    const Tokenizer *t = model->tokenizer;
    const EncodeOptions options = {.add_special = true, .parse_special = true};
    Tokens tokens;
    *blanks = (Blanks){0};
    if (!t) return error_set(err, ERROR_UNSUPPORTED, "%.*s has no tokenizer", STR_ARG(model->name));
    int32_t mask = tokenizer_mask(t);
    if (mask < 0)
        return error_set(err, ERROR_UNSUPPORTED, "%.*s: its vocabulary has no [MASK]",
                         STR_ARG(model->name));
    Str masked = with_masks(arena, text, tokenizer_vocab(t)->token[mask]);
    if (!tokenizer_encode(t, arena, masked, options, &tokens, err)) return false;
    int32_t *ids = arena_new(arena, int32_t, tokens.n),
            *place = arena_new(arena, int32_t, tokens.n);
    for (int64_t i = 0; i < tokens.n; i++) {
        ids[i] = tokens.token[i].id;
        if (ids[i] == mask) place[blanks->n++] = (int32_t)i;
    }
    blanks->text = (EncoderText){.ids = ids, .n = tokens.n};
    blanks->place = place;
    return blanks->n > 0 ||
           error_set(err, ERROR_USAGE, "the text has no blank: write ___ or [MASK]");
}

// ---------------------------------------------------------------- vectors
const char *encoder_pooling(const Model *model) {
    return model->config.pooling == POOLING_CLS ? "cls" : "mean";
}

static void normalize_length(float *vector, int64_t n) {
    double squares = 0;
    for (int64_t i = 0; i < n; i++) squares += (double)vector[i] * (double)vector[i];
    double length = fmax(sqrt(squares), 1e-12);
    for (int64_t i = 0; i < n; i++) vector[i] = (float)((double)vector[i] / length);
}

bool encoder_embed(Run *run, const Model *model, EncoderText text, float *vector, Error *err) {
    SingleBatch single;
    int64_t width = model->config.width;
    if (!check(model, text, err)) return false;
    const Batch *batch = batch_of(&single, text);
    run_plan_begin(run);
    model_hidden(run, model, batch);
    if (!run_allocate(run, err)) return false;
    const float *hidden = tensor_f32(model_hidden(run, model, batch));
    int64_t rows = model->config.pooling == POOLING_CLS ? 1 : text.n;
    for (int64_t i = 0; i < width; i++) {
        double sum = 0;
        for (int64_t r = 0; r < rows; r++) sum += (double)hidden[r * width + i];
        vector[i] = (float)(sum / (double)rows);
    }
    if (model->normalizes) normalize_length(vector, width);
    return model_intact(model, err);
}

// ---------------------------------------------------------------- what stands in a place
bool encoder_fill(Run *run, const Model *model, EncoderText text, const int32_t *place,
                  int64_t n_places, float *logits, Error *err) {
    SingleBatch single;
    if (!check(model, text, err)) return false;
    if (!model->token_head.dense.data)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%.*s has no head that names tokens (cls.predictions): it only embeds",
                         STR_ARG(model->name));
    Batch *batch = batch_of(&single, text);
    batch->logit_row = place;
    batch->n_logits = n_places;
    run_plan_begin(run);
    model_forward(run, model, batch);
    if (!run_allocate(run, err)) return false;
    const Tensor *found = model_forward(run, model, batch);
    memcpy(logits, tensor_f32(found), sizeof(float) * (size_t)tensor_count(found));
    return model_intact(model, err);
}
