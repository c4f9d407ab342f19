// setup.c - from options to an open model, a session, and a way of sampling.
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/term.h"
#include "generate/generate.h"
#include "model/adapter.h"
#include "model/weights.h"

enum { PROMPT_BYTES_MAX = 256 << 20 };

// ---------------------------------------------------------------- model
const Option *setup_model_options(Setup *s, Option table[SETUP_OPTIONS]) {
    *s = (Setup){.cache = ""};
    const Option options[SETUP_OPTIONS] = {
        {"", 0, OPTION_HEADING, NULL, NULL, "The model:"},
        {"--lora", 0, OPTION_TEXT, &s->lora, "FILE", "an adapter of the model, to lay beside it"},
        {"--threads", 't', OPTION_INT, &s->threads, "N", "threads (default: the cores)", 1, 256},
        {"--no-mmap", 0, OPTION_FLAG, &s->no_mmap, NULL, "read the file instead of mapping it"},
        {"--no-repack", 0, OPTION_FLAG, &s->no_repack, NULL,
         "leave the weights as the file has them: slower, but nothing to prepare"},
        {0}};
    memcpy(table, options, sizeof options);
    return table;
}

const Option *setup_options(Setup *s, Option table[SETUP_OPTIONS]) {
    const Option options[] = {
        {"--ctx", 'c', OPTION_INT, &s->context, "N",
         "tokens to make room for (default: what the model was made for)", 1, 1 << 24},
        {"--cache", 0, OPTION_TEXT, &s->cache, "TYPE",
         "type of remembered keys and values: f16, f32, q8_0 (default f16; f32 with --exact)"},
        {"--exact", 0, OPTION_FLAG, &s->exact, NULL,
         "f32 activations throughout, as reference implementations compute"},
        {"--no-cache", 0, OPTION_FLAG, &s->no_cache, NULL,
         "remember nothing: compute the whole text again for each token"},
        {0}};
    setup_model_options(s, table);
    memcpy(table + 5, options, sizeof options);
    return table;
}

static bool open_kernels(Setup *s, Error *err) {
    const char *name = getenv("HEED_KERNELS");
    if (!name || !*name) return true;
    s->kernels = kernels_named(name);
    if (s->kernels) return true;
    const Kernels *all[4];
    StrBuilder names = str_builder(&s->arena);
    int n = kernels_all(all);
    for (int i = 0; i < n; i++) str_add_format(&names, "%s%s", i > 0 ? ", " : "", all[i]->name);
    return error_set(err, ERROR_USAGE, "HEED_KERNELS=%s: this processor runs %.*s", name,
                     STR_ARG(str_built(&names)));
}

bool setup_open(Setup *s, const char *path, Error *err) {
    if (!arena_init(&s->arena, ARENA_DEFAULT, err) || !open_kernels(s, err)) return false;
    s->model = model_open(path, (ModelOptions){.no_mmap = s->no_mmap}, err);
    if (!s->model || (s->lora && !model_adapt(s->model, s->lora, err))) return false;
    s->pool = pool_open((int)s->threads, err);
    return s->pool != NULL;
}

void setup_close(Setup *s) {
    model_close(s->model);
    if (s->pool) pool_close(s->pool);
    arena_drop(&s->arena);
}

bool setup_cache_type(const char *name, DType *type, Error *err) {
    bool is_known = dtype_from_name(name, type) &&
                    (*type == DTYPE_F16 || *type == DTYPE_F32 || *type == DTYPE_Q8_0);
    return is_known || error_set(err, ERROR_USAGE, "--cache is f16, f32 or q8_0, not '%s'", name);
}

bool setup_pack(Setup *s, Error *err) {
    return s->no_repack || weights_pack(s->model, s->pool, err);
}

Session *setup_session(Setup *s, const Probe *probe, Error *err) {
    DType cache = s->exact ? DTYPE_F32 : DTYPE_F16;
    if (*s->cache && !setup_cache_type(s->cache, &cache, err)) return NULL;
    cli_catch_interrupt();
    if (!setup_pack(s, err)) return NULL;
    return session_open(s->model,
                        (SessionOptions){.pool = s->pool,
                                         .context = s->context,
                                         .cache = cache,
                                         .exact = s->exact,
                                         .switches = {.no_cache = s->no_cache},
                                         .kernels = s->kernels,
                                         .probe = probe,
                                         .keep_going = cli_keep_going},
                        err);
}

// ---------------------------------------------------------------- texts
bool setup_prompt(Setup *s, const char *text, const char *file, Str *prompt, Error *err) {
    if (text && file) return error_set(err, ERROR_USAGE, "give a text or --file, not both");
    if (!text && !file && term_is_terminal(STDIN_FILENO))
        return error_set(err, ERROR_USAGE, "give a text, --file FILE, or standard input");
    *prompt = str_from(text ? text : "");
    if (text) return true;
    if (!file_read(&s->arena, file ? file : "-", PROMPT_BYTES_MAX, prompt, err)) return false;
    // Editors and echo end a text with a newline that nobody means.
    if (str_ends(*prompt, STR("\r\n")))
        prompt->n -= 2;
    else if (str_ends(*prompt, STR("\n")))
        prompt->n--;
    return true;
}

bool setup_tokens(Setup *s, Str text, bool parse_special, const int32_t **ids, int64_t *n,
                  Error *err) {
    Tokens tokens;
    EncodeOptions options = {.add_special = true, .parse_special = parse_special};
    if (!s->model->tokenizer)
        return error_set(err, ERROR_UNSUPPORTED, "%.*s has no tokenizer", STR_ARG(s->model->name));
    if (!tokenizer_encode(s->model->tokenizer, &s->arena, text, options, &tokens, err))
        return false;
    int32_t *list = arena_new(&s->arena, int32_t, tokens.n + 1);
    for (int64_t i = 0; i < tokens.n; i++) list[i] = tokens.token[i].id;
    *ids = list;
    *n = tokens.n;
    if (*n == 0) return error_set(err, ERROR_USAGE, "an empty text has no next token");
    return true;
}

// ---------------------------------------------------------------- sampling
const Option *sampling_options(SamplingSetup *s, Option table[SAMPLING_OPTIONS]) {
    SamplerOptions *o = &s->options;
    *s = (SamplingSetup){.options = sampler_defaults(), .order = "hf"};
    const Option options[SAMPLING_OPTIONS] = {
        {"", 0, OPTION_HEADING, NULL, NULL,
         "Sampling (default: what the model's author advises, else --temp 0.7 --top-p 0.9):"},
        {"--temp", 0, OPTION_NUMBER, &o->temperature, "T", "temperature; 0 is greedy", 0, 100,
         &s->has_temperature},
        {"--top-k", 0, OPTION_INT, &o->top_k, "K", "draw from the K likeliest; 0: off", 0, 1 << 24,
         &s->has_top_k},
        {"--top-p", 0, OPTION_NUMBER, &o->top_p, "P",
         "draw from the likeliest that hold P of the probability; 1: off", 0, 1, &s->has_top_p},
        {"--min-p", 0, OPTION_NUMBER, &o->min_p, "P",
         "drop what is less likely than P times the likeliest; 0: off", 0, 1, &s->has_min_p},
        {"--typical", 0, OPTION_NUMBER, &o->typical, "P",
         "draw from the most typical that hold P of the probability; 1: off", 0, 1},
        {"--repeat-penalty", 0, OPTION_NUMBER, &o->repetition, "R",
         "divide the logits of tokens in the text so far by R; 1: off", 0, 100, &s->has_repetition},
        {"--repeat-last-n", 0, OPTION_INT, &o->repetition_window, "N",
         "look for them in the last N tokens; 0: in all (default)", 0, 1 << 24},
        {"--frequency-penalty", 0, OPTION_NUMBER, &o->frequency, "A",
         "subtract A for each use of a token in the answer; 0: off", -2, 2},
        {"--presence-penalty", 0, OPTION_NUMBER, &o->presence, "A",
         "subtract A from tokens used in the answer; 0: off", -2, 2},
        {"--logit-bias", 0, OPTION_TEXTS, &s->bias, "ID=B",
         "add B to a token's logit, -inf forbids it; may be given again"},
        {"--sampler-order", 0, OPTION_TEXT, &s->order, "ORDER",
         "hf (temperature first, the default) or llama.cpp (temperature last)"},
        {"--seed", 's', OPTION_INT, &s->seed, "N", "seed of the draws (default: another each time)",
         0, 9e15, &s->has_seed},
        {"--greedy", 0, OPTION_FLAG, &s->greedy, NULL, "always the likeliest token: --temp 0"},
        {0}};
    memcpy(table, options, sizeof options);
    return table;
}

static bool parse_bias(SamplingSetup *s, Arena *arena, Error *err) {
    LogitBias *bias = arena_new(arena, LogitBias, s->bias.n + 1);
    for (int i = 0; i < s->bias.n; i++) {
        Str text = str_from(s->bias.text[i]);
        size_t equals = str_find(text, STR("="), 0);
        Str value = equals == SIZE_MAX ? STR("") : str_slice(text, equals + 1, text.n);
        int64_t id;
        double number = -HUGE_VAL; // minus infinity
        bool ok = equals != SIZE_MAX && str_int(str_slice(text, 0, equals), &id) && id >= 0 &&
                  id <= INT32_MAX && (str_equal(value, STR("-inf")) || str_number(value, &number));
        if (!ok)
            return error_set(err, ERROR_USAGE, "--logit-bias wants ID=NUMBER, not '%s'",
                             s->bias.text[i]);
        bias[i] = (LogitBias){(int32_t)id, (float)number};
    }
    s->options.bias = bias;
    s->options.n_bias = s->bias.n;
    return true;
}

bool sampling_finish(SamplingSetup *s, Setup *setup, Error *err) {
    SamplerOptions *o = &s->options;
    SamplerOptions advised = model_sampling(setup->model);
    if (!s->has_temperature) o->temperature = advised.temperature;
    if (!s->has_top_p) o->top_p = advised.top_p;
    if (!s->has_top_k) o->top_k = advised.top_k;
    if (!s->has_min_p) o->min_p = advised.min_p;
    if (!s->has_repetition) o->repetition = advised.repetition;
    if (s->greedy) o->temperature = 0;
    o->seed = s->has_seed ? (uint64_t)s->seed : clock_entropy() % 1000000000;
    if (strcmp(s->order, "llama.cpp") == 0)
        o->order = ORDER_LLAMA_CPP;
    else if (strcmp(s->order, "hf") != 0)
        return error_set(err, ERROR_USAGE, "--sampler-order is hf or llama.cpp, not '%s'",
                         s->order);
    if (!parse_bias(s, &setup->arena, err)) return false;
    return sampler_check(o, setup->model->config.vocab, err);
}

Str sampling_words(const SamplingSetup *s, Arena *arena) {
    const SamplerOptions *o = &s->options;
    StrBuilder b = str_builder(arena);
    if (o->temperature == 0) return STR("greedy");
    str_add_format(&b, "temperature %g", o->temperature);
    if (o->top_k > 0) str_add_format(&b, ", top-k %lld", (long long)o->top_k);
    if (o->top_p > 0 && o->top_p < 1) str_add_format(&b, ", top-p %g", o->top_p);
    if (o->min_p > 0) str_add_format(&b, ", min-p %g", o->min_p);
    if (o->typical > 0 && o->typical < 1) str_add_format(&b, ", typical %g", o->typical);
    if (o->repetition > 0 && o->repetition != 1)
        str_add_format(&b, ", repetition penalty %g", o->repetition);
    if (o->frequency != 0) str_add_format(&b, ", frequency penalty %g", o->frequency);
    if (o->presence != 0) str_add_format(&b, ", presence penalty %g", o->presence);
    str_add_format(&b, ", seed %llu", (unsigned long long)o->seed);
    return str_built(&b);
}
