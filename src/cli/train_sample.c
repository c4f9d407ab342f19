// train_sample.c - what the model can do now: it goes on with a text, or fills a blank.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "cli/cli.h"
#include "cli/train.h"
#include "generate/generate.h"
#include "generate/softmax.h"
#include "look/encoder.h"

enum { SAMPLE_TOKENS = 80, GUESSES = 3 };

// ---------------------------------------------------------------- going on
static bool continue_text(TrainShow *s, Arena *arena, Str *text, Error *err) {
    const Training *t = s->training;
    const Tokenizer *tokenizer = t->tokenizer;
    int32_t end = tokenizer_vocab(tokenizer)->eos;
    Tokens tokens = {0};
    if (s->prompt &&
        !tokenizer_encode(tokenizer, arena, str_from(s->prompt), (EncodeOptions){0}, &tokens, err))
        return false;
    int32_t *ids = arena_new(arena, int32_t, tokens.n + 1);
    int64_t n = 0;
    if (end >= 0) ids[n++] = end; // a text begins behind the end of another
    for (int64_t i = 0; i < tokens.n; i++) ids[n++] = tokens.token[i].id;
    if (n == 0) n = 1;
    SessionOptions options = {.pool = t->spec.pool,
                              .kernels = t->spec.kernels,
                              .cache = DTYPE_F32,
                              .exact = true,
                              .context = t->settings.context,
                              .keep_going = cli_keep_going};
    Session *session = session_open(t->model, options, err);
    if (!session) return false;
    GenerateSpec spec = {.prompt = ids, .n_prompt = n, .tokens_max = SAMPLE_TOKENS};
    spec.sampling = sampler_defaults();
    spec.sampling.temperature = 0.8;
    spec.sampling.seed = (uint64_t)t->trainer.progress.step;
    Generated g;
    bool ok = generate(session, arena, &spec, &g, err);
    if (ok) *text = g.text;
    session_close(session);
    return ok;
}

// ---------------------------------------------------------------- filling a blank
// A document that is not learned from, if there is one, with one token hidden; another each time.
static int32_t hide_one(const Training *t, Arena *arena, Blanks *blanks) {
    const Corpus *c = &t->corpus;
    const Masking *m = t->trainer.masking;
    int64_t context = t->settings.context, n = corpus_validation_samples(c, context);
    Rng rng = rng_seed((uint64_t)t->trainer.progress.step);
    uint64_t i = rng_below(&rng, (uint64_t)(n > 0 ? n : c->n_train_stretches));
    Sample s = n > 0 ? corpus_validation(c, context, (int64_t)i) : c->stretch[i];
    int32_t *ids = arena_new(arena, int32_t, s.n + 2), *place = arena_new(arena, int32_t, 1);
    ids[0] = m->begin;
    memcpy(ids + 1, c->id + s.first, sizeof *ids * (size_t)s.n);
    ids[s.n + 1] = m->end;
    *place = 1 + (int32_t)rng_below(&rng, (uint64_t)s.n);
    int32_t was = ids[*place];
    ids[*place] = m->mask;
    *blanks = (Blanks){{.ids = ids, .n = s.n + 2}, place, 1};
    return was;
}

static void add_piece(StrBuilder *out, const Tokenizer *t, int32_t id) {
    str_add(out, str_trim(tokenizer_piece(t, id, true)));
}

// " [apple 63 %, pear 20 %, fruit 5 %"
static void add_guesses(StrBuilder *out, const Training *t, const float *logits) {
    int64_t vocab = t->model->config.vocab;
    double *p = arena_new(out->arena, double, vocab);
    softmax_f64(logits, vocab, p);
    for (int k = 0; k < GUESSES; k++) {
        int32_t best = 0;
        for (int32_t id = 1; id < vocab; id++)
            if (p[id] > p[best]) best = id;
        str_add_c(out, k ? ", " : " [");
        add_piece(out, t->tokenizer, best);
        str_add_format(out, " %.0f %%", 100 * p[best]);
        p[best] = -1;
    }
}

// A document with ___ for what is hidden in it; `was` tells whether a space stood before that.
static Str with_blank(const Training *t, Arena *arena, const Blanks *b, int32_t was) {
    bool has_space = str_starts(tokenizer_piece(t->tokenizer, was, false), STR(" "));
    StrBuilder out = str_builder(arena);
    for (int64_t i = 0; i < b->text.n; i++)
        if (i == b->place[0])
            str_add_c(&out, has_space ? " ___" : "___");
        else
            str_add(&out, tokenizer_piece(t->tokenizer, b->text.ids[i], false));
    return str_trim(str_built(&out));
}

static bool read_prompt(const TrainShow *s, Arena *arena, Blanks *blanks, Error *err) {
    int64_t context = s->training->settings.context;
    if (!encoder_blanks(arena, s->training->model, str_from(s->prompt), blanks, err))
        return error_wrap(err, "--prompt");
    return blanks->text.n <= context ||
           error_set(err, ERROR_USAGE, "--prompt: %lld tokens; a sample has %lld",
                     (long long)blanks->text.n, (long long)context);
}

static bool fill_blank(TrainShow *s, Arena *arena, Str *text, Error *err) {
    const Training *t = s->training;
    Blanks blanks;
    Run run;
    int32_t was = -1;
    if (s->prompt && !read_prompt(s, arena, &blanks, err)) return false;
    if (!s->prompt) was = hide_one(t, arena, &blanks);
    float *logits = arena_new(arena, float, blanks.n * t->model->config.vocab);
    if (!run_open(&run, t->spec.pool, err)) return false;
    run.kernels = t->spec.kernels;
    run.exact = true;
    bool ok = encoder_fill(&run, t->model, blanks.text, blanks.place, blanks.n, logits, err);
    run_close(&run);
    if (!ok) return false;
    StrBuilder out = str_builder(arena);
    str_add(&out, s->prompt ? str_from(s->prompt) : with_blank(t, arena, &blanks, was));
    for (int64_t i = 0; i < blanks.n; i++) {
        add_guesses(&out, t, logits + i * t->model->config.vocab);
        if (was >= 0) str_add_c(&out, "; it was ");
        if (was >= 0) add_piece(&out, t->tokenizer, was);
        str_add_c(&out, "]");
    }
    *text = str_built(&out);
    return true;
}

// ---------------------------------------------------------------- both
bool train_sample(TrainShow *s, Arena *arena, Str *text, Error *err) {
    return s->training->for_encoder ? fill_blank(s, arena, text, err)
                                    : continue_text(s, arena, text, err);
}

bool train_sample_check(const TrainShow *s, Arena *arena, Error *err) {
    Blanks blanks;
    return !s->prompt || !s->training->for_encoder || read_prompt(s, arena, &blanks, err);
}
