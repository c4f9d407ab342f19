// engine.c - the public face of an open model.
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "model/weights.h"

const char *heed_version(void) {
    return HEED_VERSION;
}

bool api_fail(HeedError *error, const Error *err) {
    static const HeedErrorKind kinds[] = {[ERROR_NONE] = HEED_OK,
                                          [ERROR_USAGE] = HEED_ERROR_USAGE,
                                          [ERROR_IO] = HEED_ERROR_IO,
                                          [ERROR_MEMORY] = HEED_ERROR_MEMORY,
                                          [ERROR_FORMAT] = HEED_ERROR_FORMAT,
                                          [ERROR_UNSUPPORTED] = HEED_ERROR_UNSUPPORTED,
                                          [ERROR_LIMIT] = HEED_ERROR_LIMIT,
                                          [ERROR_CANCELLED] = HEED_ERROR_CANCELLED};
    error->kind = kinds[err->kind];
    memcpy(error->text, err->text, sizeof error->text);
    return false;
}

static bool open_parts(HeedEngine *engine, const char *path, const HeedEngineOptions *options,
                       Error *err) {
    if (options->kernels) {
        engine->kernels = kernels_named(options->kernels);
        if (!engine->kernels)
            return error_set(err, ERROR_USAGE, "no kernels '%s' on this processor (it has: %s)",
                             options->kernels, kernels_features());
    }
    engine->pool = pool_open(options->threads, err);
    if (!engine->pool) return false;
    engine->model = model_open(path, (ModelOptions){.no_mmap = options->no_mmap}, err);
    return engine->model && weights_pack(engine->model, engine->pool, err);
}

HeedEngine *heed_engine_open(const char *path, const HeedEngineOptions *options, HeedError *error) {
    static const HeedEngineOptions defaults;
    Error err = {0};
    HeedEngine *engine = calloc(1, sizeof *engine);
    bool ok = engine || error_set(&err, ERROR_MEMORY, "no memory for an engine");
    if (ok && open_parts(engine, path, options ? options : &defaults, &err)) return engine;
    heed_engine_close(engine);
    api_fail(error, &err);
    return NULL;
}

void heed_engine_close(HeedEngine *engine) {
    if (!engine) return;
    model_close(engine->model);
    if (engine->pool) pool_close(engine->pool);
    free(engine);
}

HeedInfo heed_engine_info(const HeedEngine *engine) {
    const Model *m = engine->model;
    const Config *c = &m->config;
    WeightCount count = weights_count(m);
    return (HeedInfo){.architecture = m->arch->name,
                      .parameters = count.total,
                      .parameters_embedding = count.place[PLACE_EMBEDDING],
                      .parameters_attention = count.place[PLACE_ATTENTION],
                      .parameters_recurrent = count.place[PLACE_RECURRENT],
                      .parameters_feed_forward = count.place[PLACE_FEED_FORWARD],
                      .parameters_norm_position = count.place[PLACE_NORM_POSITION],
                      .weight_bytes = count.bytes,
                      .layers = c->layers,
                      .width = c->width,
                      .heads = c->heads,
                      .kv_heads = c->kv_heads,
                      .head_width = c->head_width,
                      .vocabulary = c->vocab,
                      .context_length = c->context,
                      .kv_bytes_per_token = (int64_t)state_bytes_per_position(m, DTYPE_F16),
                      .carried_bytes = (int64_t)state_bytes_carried(m)};
}

int64_t heed_tokenize(const HeedEngine *engine, const char *text, size_t bytes, bool add_special,
                      bool parse_special, int32_t *ids, int64_t capacity, HeedError *error) {
    Error err = {0};
    Arena arena = {0};
    Tokens tokens = {0};
    const Tokenizer *t = engine->model->tokenizer;
    EncodeOptions options = {add_special, parse_special};
    bool ok = t || error_set(&err, ERROR_UNSUPPORTED, "the model has no tokenizer");
    ok = ok && arena_init(&arena, ARENA_DEFAULT, &err) &&
         tokenizer_encode(t, &arena, (Str){text, bytes}, options, &tokens, &err);
    for (int64_t i = 0; ok && i < tokens.n && i < capacity; i++) ids[i] = tokens.token[i].id;
    arena_drop(&arena);
    if (ok) return tokens.n;
    api_fail(error, &err);
    return -1;
}

const char *heed_token_bytes(const HeedEngine *engine, int32_t id, bool with_special,
                             size_t *bytes) {
    const Tokenizer *t = engine->model->tokenizer;
    Str piece =
        t && id >= 0 && id < tokenizer_size(t) ? tokenizer_piece(t, id, with_special) : STR("");
    *bytes = piece.n;
    return piece.data;
}

bool heed_token_ends(const HeedEngine *engine, int32_t id) {
    return model_ends(engine->model, id);
}
