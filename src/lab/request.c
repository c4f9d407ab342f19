// request.c - reading a request strictly: a key that is not known, a number that is none or out of
// its range, is refused by name.
#include "lab/request.h"

#include <string.h>

#include "generate/generate.h"

// ---------------------------------------------------------------- fields
static bool check_keys(const Json *object, const char *where, const char *const *keys, Error *err) {
    if (object->kind != JSON_OBJECT)
        return error_set(err, ERROR_USAGE, "%s: must be an object", where);
    for (const Json *member = object->child; member; member = member->next) {
        int i = 0;
        while (keys[i] && !str_equal(member->key, str_from(keys[i]))) i++;
        if (keys[i]) continue;
        int n = member->key.n < 40 ? (int)member->key.n : 40;
        return error_set(err, ERROR_USAGE, "%s: no such key: '%.*s'", where, n, member->key.data);
    }
    return true;
}

static bool take_bool(const Json *object, const char *key, bool *value, Error *err) {
    const Json *found = json_get(object, key);
    if (!found) return true;
    if (found->kind != JSON_BOOL)
        return error_set(err, ERROR_USAGE, "%s: must be true or false", key);
    *value = found->boolean;
    return true;
}

static bool is_whole(const Json *value, int64_t least, int64_t most) {
    return value && value->kind == JSON_NUMBER && value->is_integer && value->integer >= least &&
           value->integer <= most;
}

static bool take_int(const Json *object, const char *key, int64_t least, int64_t most,
                     int64_t *value, Error *err) {
    const Json *found = json_get(object, key);
    if (!found) return true;
    if (!is_whole(found, least, most))
        return error_set(err, ERROR_USAGE, "%s: must be a whole number from %lld to %lld", key,
                         (long long)least, (long long)most);
    *value = found->integer;
    return true;
}

static bool take_number(const Json *object, const char *key, double *value, Error *err) {
    const Json *found = json_get(object, key);
    if (!found) return true;
    if (found->kind != JSON_NUMBER) return error_set(err, ERROR_USAGE, "%s: must be a number", key);
    *value = found->number;
    return true;
}

// A list of token ids; *n is how many.
static bool take_ids(const Json *object, const char *key, int64_t n_max, int64_t n_vocab,
                     int32_t *ids, int64_t *n, Error *err) {
    const Json *list = json_get(object, key);
    *n = 0;
    if (!list) return true;
    if (list->kind != JSON_ARRAY || list->count > n_max)
        return error_set(err, ERROR_USAGE, "%s: must be a list of at most %lld tokens", key,
                         (long long)n_max);
    for (const Json *item = list->child; item; item = item->next) {
        if (!is_whole(item, 0, n_vocab - 1))
            return error_set(err, ERROR_USAGE, "%s: must be whole numbers from 0 to %lld", key,
                             (long long)n_vocab - 1);
        ids[(*n)++] = (int32_t)item->integer;
    }
    return true;
}

// ---------------------------------------------------------------- taps
static bool parse_tap(LabRequest *r, const Model *model, Arena *arena, const Json *item,
                      Error *err) {
    static const char *const keys[] = {"site", "layer", NULL};
    CaptureWant want = {.layer = -1};
    int64_t layer = -1;
    if (!check_keys(item, "taps", keys, err)) return false;
    Str name = json_string(json_get(item, "site"), STR(""));
    if (!site_from_name(str_c(arena, name), &want.site))
        return error_set(err, ERROR_USAGE, "site: no such site: '%.*s'",
                         name.n < 40 ? (int)name.n : 40, name.data);
    if (!take_int(item, "layer", 0, model->config.layers - 1, &layer, err)) return false;
    want.layer = (int)layer;
    r->tap[r->n_taps++] = want;
    return true;
}

static bool parse_taps(LabRequest *r, const Model *model, Arena *arena, const Json *list,
                       Error *err) {
    if (!list) return true;
    if (list->kind != JSON_ARRAY || list->count > LAB_TAPS_MAX)
        return error_set(err, ERROR_USAGE, "taps: must be a list of at most %d", LAB_TAPS_MAX);
    for (const Json *item = list->child; item; item = item->next)
        if (!parse_tap(r, model, arena, item, err)) return false;
    return true;
}

// ---------------------------------------------------------------- switches
static bool parse_heads_off(LabRequest *r, const Model *model, Arena *arena, const Json *list,
                            Error *err) {
    const Config *c = &model->config;
    if (!list || list->count == 0) return true;
    int64_t n = (int64_t)c->layers * c->heads;
    float *gate = arena_new(arena, float, n);
    for (int64_t i = 0; i < n; i++) gate[i] = 1;
    for (const Json *item = list->child; item; item = item->next) {
        const Json *layer = json_at(item, 0), *head = json_at(item, 1);
        if (!is_whole(layer, 0, c->layers - 1) || !is_whole(head, 0, c->heads - 1))
            return error_set(
                err, ERROR_USAGE,
                "heads_off: must be pairs [layer, head], layers 0 to %d, heads 0 to %d",
                c->layers - 1, c->heads - 1);
        gate[layer->integer * c->heads + head->integer] = 0;
        r->n_heads_off++;
    }
    r->switches.head_gate = gate;
    return true;
}

static bool parse_positions(Switches *s, const Json *value, Error *err) {
    static const char *const words[] = {
        [POSITIONS_ON] = "on", [POSITIONS_ZERO] = "zero", [POSITIONS_NONE] = "none"};
    Str word = json_string(value, STR(""));
    if (!value) return true;
    for (int i = 0; i <= POSITIONS_NONE; i++) {
        s->positions = (PositionSwitch)i;
        if (str_equal(word, str_from(words[i]))) return true;
    }
    return error_set(err, ERROR_USAGE, "positions: must be on, zero or none");
}

static bool parse_switches(LabRequest *r, const Model *model, Arena *arena, const Json *json,
                           Error *err) {
    static const char *const keys[] = {"scale",     "causal_mask", "residual", "norm",
                                       "cache",     "window",      "kept",     "layers",
                                       "positions", "heads_off",   NULL};
    Switches *s = &r->switches;
    bool scale = true, mask = true, residual = true, norm = true, cache = true;
    int64_t layers = 0;
    if (!json) return true;
    bool ok = check_keys(json, "switches", keys, err) && take_bool(json, "scale", &scale, err) &&
              take_bool(json, "causal_mask", &mask, err) &&
              take_bool(json, "residual", &residual, err) && take_bool(json, "norm", &norm, err) &&
              take_bool(json, "cache", &cache, err) &&
              take_int(json, "window", 0, LAB_TOKENS_MAX, &s->window, err) &&
              take_int(json, "kept", 0, LAB_TOKENS_MAX, &s->kept, err) &&
              take_int(json, "layers", 0, model->config.layers, &layers, err) &&
              parse_positions(s, json_get(json, "positions"), err) &&
              parse_heads_off(r, model, arena, json_get(json, "heads_off"), err);
    s->no_scale = !scale;
    s->no_causal_mask = !mask;
    s->no_residual = !residual;
    s->no_norm = !norm;
    s->no_cache = !cache;
    s->n_layers = (int)layers;
    return ok;
}

// ---------------------------------------------------------------- lens, generation, measuring
static bool parse_lens(LensWish *lens, const Model *model, const Json *json, Error *err) {
    static const char *const keys[] = {"top", "watch", NULL};
    int64_t n = 0;
    if (!json) return true;
    *lens = (LensWish){.is_wanted = true, .top = 3};
    bool ok = check_keys(json, "lens", keys, err) &&
              take_int(json, "top", 1, LAB_TOP_MAX, &lens->top, err) &&
              take_ids(json, "watch", LAB_WATCHED_MAX, model->config.vocab, lens->watched, &n, err);
    lens->n_watched = (int)n;
    if (lens->top > model->config.vocab) lens->top = model->config.vocab;
    return ok;
}

static bool parse_generate(GenerateWish *g, const Model *model, const Json *json, Error *err) {
    static const char *const keys[] = {
        "tokens", "top",   "temperature", "top_k", "top_p", "min_p", "repetition_penalty",
        "seed",   "beams", "repeat",      NULL};
    static const char *const keys_of_beams[] = {"tokens", "beams", NULL}; // they sample nothing
    if (!json) return true;
    *g = (GenerateWish){.is_wanted = true, .tokens = 1, .top = 8};
    SamplerOptions *o = &g->sampling;
    *o = model_sampling(model);
    int64_t seed = 0;
    bool ok = check_keys(json, "generate", keys, err) &&
              take_int(json, "beams", 1, LAB_BEAMS_MAX, &g->beams, err) &&
              (g->beams == 0 || check_keys(json, "generate with beams", keys_of_beams, err)) &&
              take_int(json, "tokens", 1, LAB_STEPS_MAX, &g->tokens, err) &&
              take_int(json, "top", 1, LAB_TOP_MAX, &g->top, err) &&
              take_int(json, "repeat", 0, LAB_REPEAT_MAX, &g->repeat, err) &&
              take_number(json, "temperature", &o->temperature, err) &&
              take_int(json, "top_k", 0, INT32_MAX, &o->top_k, err) &&
              take_number(json, "top_p", &o->top_p, err) &&
              take_number(json, "min_p", &o->min_p, err) &&
              take_number(json, "repetition_penalty", &o->repetition, err) &&
              take_int(json, "seed", 0, (int64_t)1 << 53, &seed, err);
    o->seed = (uint64_t)seed;
    return ok && sampler_check(o, model->config.vocab, err);
}

static bool parse_measure(MeasureWish *m, const Model *model, const Json *json, Error *err) {
    static const char *const keys[] = {"tokens", "chunk", "repeat", "plain", NULL};
    if (!json) return true;
    *m = (MeasureWish){.is_wanted = true, .tokens = 1, .chunk = 512, .repeat = 3};
    if (!check_keys(json, "measure", keys, err) ||
        !take_int(json, "tokens", 1, LAB_MEASURED_MAX, &m->tokens, err) ||
        !take_int(json, "chunk", 1, LAB_MEASURED_MAX, &m->chunk, err) ||
        !take_int(json, "repeat", 1, LAB_REPEAT_MAX, &m->repeat, err) ||
        !take_bool(json, "plain", &m->is_plain, err))
        return false;
    if (model->config.is_encoder)
        return error_set(err, ERROR_UNSUPPORTED, "measure: an encoder does not read word by word");
    if (m->chunk > m->tokens) m->chunk = m->tokens;
    int64_t bytes = (int64_t)sizeof(float) * model->config.heads * m->chunk * m->tokens;
    return !m->is_plain || bytes <= LAB_PLAIN_MAX ||
           error_set(err, ERROR_LIMIT, "plain: the pattern would have %lld MB: ask for less",
                     (long long)(bytes >> 20));
}

// ---------------------------------------------------------------- request
bool lab_request_parse(LabRequest *r, const Model *model, Arena *arena, Str text, Error *err) {
    static const char *const keys[] = {"text",    "special", "then",       "taps", "switches",
                                       "logits",  "weights", "vocabulary", "lens", "generate",
                                       "measure", "model",   NULL};
    *r = (LabRequest){0};
    const Json *json = json_parse(arena, text, LAB_REQUEST_BYTES_MAX, err);
    if (!json) return error_wrap(err, "the request");
    if (!check_keys(json, "the request", keys, err)) return false;
    const Json *sentence = json_get(json, "text");
    if (!sentence || sentence->kind != JSON_STRING)
        return error_set(err, ERROR_USAGE, "text: must be a string");
    r->text = sentence->string;
    // A server has chosen by it already.
    const Json *name = json_get(json, "model");
    if (name && name->kind != JSON_STRING)
        return error_set(err, ERROR_USAGE, "model: must be a string");
    int32_t *then = arena_new(arena, int32_t, LAB_TOKENS_MAX);
    r->then = then;
    return take_bool(json, "special", &r->parse_special, err) &&
           take_ids(json, "then", LAB_TOKENS_MAX, model->config.vocab, then, &r->n_then, err) &&
           take_bool(json, "logits", &r->wants_logits, err) &&
           take_bool(json, "vocabulary", &r->wants_vocabulary, err) &&
           take_bool(json, "weights", &r->wants_weights, err) &&
           parse_taps(r, model, arena, json_get(json, "taps"), err) &&
           parse_switches(r, model, arena, json_get(json, "switches"), err) &&
           parse_lens(&r->lens, model, json_get(json, "lens"), err) &&
           parse_generate(&r->generate, model, json_get(json, "generate"), err) &&
           parse_measure(&r->measure, model, json_get(json, "measure"), err);
}
