// training.c - what a run is made of, in the order in which it can be made.
#include "train/training.h"

#include <math.h>

#include "base/file.h"
#include "export/export.h"
#include "model/adapter.h"
#include "model/create.h"
#include "model/weights.h"
#include "text/vocab_train.h"
#include "train/shape.h"
#include "train/size.h"

static bool tell(Training *t, const char *what, int64_t done, int64_t total) {
    return !t->spec.go_on || t->spec.go_on(t->spec.user, what, done, total);
}

static int64_t text_bytes(const TrainingSpec *spec) {
    int64_t bytes = 0;
    for (int64_t i = 0; i < spec->n_texts; i++) bytes += (int64_t)spec->text[i].n;
    return bytes;
}

// ---------------------------------------------------------------- vocabulary
static bool vocab_goes_on(void *user, VocabPhase phase, int64_t done, int64_t total) {
    return phase == VOCAB_COUNTING
               ? tell(user, "counting words", done, text_bytes(&((Training *)user)->spec))
               : tell(user, "merging", done, total);
}

// transformers opens every qwen2 folder with that family's split and normal form, whatever the
// tokenizer.json in it says: a model that is to be read there has them from the start.
static bool is_qwen2(const Settings *s) {
    return s->arch == ARCH_QWEN2;
}

// What an encoder finds around and between texts, under BERT's names; one token begins and ends the
// texts of the others.
static const Str encoder_tokens[] = {{"[PAD]", 5}, {"[CLS]", 5}, {"[SEP]", 5}, {"[MASK]", 6}};
enum { TOKEN_PAD, TOKEN_CLS, TOKEN_SEP, N_ENCODER_TOKENS = 4 };

static void name_encoder_tokens(Vocab *v) {
    v->padding = TOKEN_PAD;
    v->bos = TOKEN_CLS;
    v->eos = TOKEN_SEP;
    v->add_bos = v->add_eos = true;
}

static bool make_vocab(Training *t, Error *err) {
    static const VocabKind kinds[] = {[TOKENIZER_BPE] = VOCAB_BPE,
                                      [TOKENIZER_CHAR] = VOCAB_CHARACTERS,
                                      [TOKENIZER_BYTES] = VOCAB_BYTES};
    Settings *s = &t->settings;
    int64_t asked = s->vocab;
    if (s->tokenizer == TOKENIZER_BPE && s->vocab == 0) s->vocab = size_vocab(text_bytes(&t->spec));
    VocabRecipe recipe = {.kind = kinds[s->tokenizer],
                          .pre = is_qwen2(s) ? STR("qwen2") : STR(""),
                          .n_tokens = s->tokenizer == TOKENIZER_BYTES ? 0 : s->vocab,
                          .least = s->tokenizer == TOKENIZER_BPE ? 2 : 1,
                          .special = t->for_encoder ? encoder_tokens : NULL,
                          .n_special = t->for_encoder ? N_ENCODER_TOKENS : 0,
                          .pool = t->spec.pool,
                          .go_on = vocab_goes_on,
                          .user = t};
    VocabTrainer *trainer = vocab_trainer_open(recipe, err);
    if (!trainer) return false;
    bool ok = true;
    for (int64_t i = 0; i < t->spec.n_texts && ok; i++)
        ok = vocab_trainer_text(trainer, t->spec.text[i], err);
    ok = ok && vocab_trainer_finish(trainer, &t->arena, &t->vocab, NULL, err);
    vocab_trainer_close(trainer);
    if (!ok) return false;
    if (t->vocab.n_tokens < asked) t->vocab_asked = asked;
    s->vocab = t->vocab.n_tokens;
    if (is_qwen2(s)) t->vocab.normal_form = STR("NFC");
    if (t->for_encoder) name_encoder_tokens(&t->vocab);
    t->tokenizer = tokenizer_from_vocab(&t->arena, &t->vocab, err);
    return t->tokenizer != NULL;
}

// ---------------------------------------------------------------- tokens
static bool corpus_goes_on(void *user, int64_t done, int64_t total) {
    return tell(user, "reading", done, total);
}

static bool make_corpus(Training *t, Error *err) {
    const TrainingSpec *s = &t->spec;
    CorpusSpec spec = {.tokenizer = t->tokenizer,
                       .text = s->text,
                       .n_texts = s->n_texts,
                       .validation = s->validation,
                       .n_validation = s->n_validation,
                       .validation_share = t->settings.validation_share,
                       .documents = (Documents)t->settings.documents,
                       .pairs = s->pairs,
                       .for_encoder = t->for_encoder,
                       .context = t->settings.context ? t->settings.context : INT32_MAX,
                       .go_on = corpus_goes_on,
                       .user = t};
    return corpus_make(&t->arena, &spec, &t->corpus, err);
}

// ---------------------------------------------------------------- the model
static bool open_model(Training *t, const char *path, Error *err) {
    t->model = model_open(path, (ModelOptions){0}, err);
    if (!t->model) return false;
    t->for_encoder = t->model->config.is_encoder;
    if (t->for_encoder && !t->model->token_head.dense.data)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%s only embeds: without a head that names tokens (cls.predictions)"
                         " nothing can be learned from blanks",
                         path);
    t->tokenizer = t->model->tokenizer;
    if (!t->tokenizer)
        return error_set(err, ERROR_UNSUPPORTED, "%s has no tokenizer: no text can be learned",
                         path);
    return true;
}

// The shape is the model's; what was asked for otherwise must not be ignored.
static bool adopt_shape(Training *t, Error *err) {
    Settings *s = &t->settings;
    const Config *c = &t->model->config;
    const struct {
        const char *name;
        int64_t *asked, has;
    } shape[] = {{"layers", &s->layers, c->layers},
                 {"width", &s->width, c->width},
                 {"heads", &s->heads, c->heads},
                 {"experts", &s->experts, c->experts},
                 {"vocab", &s->vocab, c->vocab}};
    for (int i = 0; i < 5; i++) {
        if (*shape[i].asked && *shape[i].asked != shape[i].has)
            return error_set(err, ERROR_USAGE, "%s: the model that is gone on from has %lld",
                             shape[i].name, (long long)shape[i].has);
        *shape[i].asked = shape[i].has;
    }
    s->kv_heads = c->kv_heads;
    s->ffn_width = c->experts ? c->expert_width : c->ffn_width;
    if (c->experts) s->experts_used = c->experts_used;
    if (s->heads == 0) s->heads = 1; // no attention: size.c divides by it
    if (s->context == 0) s->context = c->context < 256 ? c->context : 256;
    return true;
}

static bool new_model(Training *t, Error *err) {
    ModelPlan plan;
    if (!shape_plan(&t->arena, &t->settings, &t->vocab, t->spec.name, &plan, err)) return false;
    t->model = model_create(&plan, err);
    return t->model != NULL;
}

static bool fit(Training *t, Error *err) {
    enum { TOKENS_LEAST = 64 };
    SizeHints hints = {text_bytes(&t->spec), t->spec.flops, t->corpus.longest};
    if (t->corpus.stretch) hints.sample = corpus_mean_sample(&t->corpus, 0);
    if (!t->spec.pairs && t->corpus.n_train < TOKENS_LEAST)
        return error_set(err, ERROR_USAGE,
                         "the text is too small: %lld tokens to learn from, %d is the least",
                         (long long)t->corpus.n_train, TOKENS_LEAST);
    return size_fit(&t->settings, &hints, t->corpus.n_train, err);
}

// A number that is impossible was asked for by a setting.
static bool new_model_or_usage(Training *t, Error *err) {
    if (new_model(t, err)) return true;
    if (err->kind == ERROR_FORMAT || err->kind == ERROR_UNSUPPORTED) err->kind = ERROR_USAGE;
    return false;
}

// ---------------------------------------------------------------- opening
// What would be lost in silence, and what cannot be, before any work is done.
static bool check_settings(const Training *t, Error *err) {
    const Settings *s = &t->settings;
    if (!t->spec.from && !shape_check(s, err)) return false;
    if (s->muon_rate > 0 && s->optimizer != OPTIMIZER_MUON)
        return error_set(err, ERROR_USAGE, "muon_rate: the optimizer is not muon");
    if (s->lora_alpha > 0 && !s->lora)
        return error_set(err, ERROR_USAGE, "lora_alpha: there are no adapters without lora");
    if (!t->spec.from && s->tokenizer == TOKENIZER_BYTES && s->vocab)
        return error_set(err, ERROR_USAGE, "vocab: a vocabulary of bytes has its own size");
    if (!s->lora) return true;
    if (!t->spec.from)
        return error_set(err, ERROR_USAGE,
                         "lora: adapters lie beside a model: give it with --from");
    if (s->optimizer == OPTIMIZER_MUON)
        return error_set(err, ERROR_USAGE, "lora: adapters learn with adamw");
    return true;
}

// The weights are made to learn, or get adapters that do.
static bool prepare_model(Training *t, Error *err) {
    Settings *s = &t->settings;
    if (!s->lora) return model_thaw(t->model, err);
    if (s->lora_alpha == 0) s->lora_alpha = 2 * (double)s->lora;
    return lora_attach(&t->lora, t->model, &t->arena, (int)s->lora, s->lora_alpha,
                       (uint64_t)s->seed, err);
}

static bool open_trainer(Training *t, Error *err) {
    TrainerSpec spec = {.model = t->model,
                        .lora = t->lora.rank ? &t->lora : NULL,
                        .corpus = &t->corpus,
                        .settings = &t->settings,
                        .pool = t->spec.pool,
                        .kernels = t->spec.kernels};
    return trainer_open(&t->trainer, &spec, err);
}

// What only encoders have, and what they lack.  Documents are cut before sizes are fitted.
static bool check_blanks(Training *t, Error *err) {
    enum { ENCODER_CONTEXT = 128 };
    Settings *s = &t->settings;
    if (!t->for_encoder) {
        bool is_usual = s->mask_share == settings_default().mask_share;
        return is_usual ||
               error_set(err, ERROR_USAGE,
                         "mask_share: only an encoder (arch = bert) learns from blanks");
    }
    if (t->spec.pairs) return error_set(err, ERROR_USAGE, "--pairs: an encoder continues no text");
    if (s->context == 0) s->context = ENCODER_CONTEXT;
    return true;
}

static bool open_fresh(Training *t, Error *err) {
    if (!check_settings(t, err)) return false;
    t->for_encoder = t->settings.arch == ARCH_BERT;
    if (t->spec.from && (!open_model(t, t->spec.from, err) || !adopt_shape(t, err))) return false;
    if (!check_blanks(t, err)) return false;
    if (!t->spec.from && !make_vocab(t, err)) return false;
    if (!make_corpus(t, err) || !fit(t, err)) return false;
    if (t->spec.from ? !prepare_model(t, err) : !new_model_or_usage(t, err)) return false;
    return open_trainer(t, err);
}

static const size_t changeable[] = {offsetof(Settings, steps), offsetof(Settings, validate_every),
                                    offsetof(Settings, sample_every),
                                    offsetof(Settings, save_every)};

bool training_may_change(const Setting *setting) {
    for (size_t i = 0; i < sizeof changeable / sizeof *changeable; i++)
        if (setting->at == changeable[i]) return true;
    return false;
}

static void take_changes(Settings *s, const Settings *asked) {
    if (asked->steps) s->steps = asked->steps;
    if (asked->validate_every) s->validate_every = asked->validate_every;
    if (asked->sample_every) s->sample_every = asked->sample_every;
    if (asked->save_every) s->save_every = asked->save_every;
}

// The model of a checkpoint: itself, or the one that its adapters belong to.
static bool open_resumed_model(Training *t, const char *checkpoint, Error *err) {
    Str base;
    if (!checkpoint_base(&t->checkpoint, &base, err)) return false;
    if (base.n == 0 && t->spec.from)
        return error_set(err, ERROR_USAGE, "%.300s is a model itself: --resume needs no --from",
                         checkpoint);
    if (base.n == 0) return open_model(t, checkpoint, err) && prepare_model(t, err);
    const char *path = t->spec.from ? t->spec.from : str_c(&t->arena, base);
    if (!open_model(t, path, err))
        return error_wrap(err, "%.300s holds adapters of a model (--from tells where it is now)",
                          checkpoint);
    return model_adapt_from(t->model, &t->checkpoint, err) && prepare_model(t, err);
}

static bool open_resumed(Training *t, Error *err) {
    TrainProgress progress;
    Str path = checkpoint_newest(&t->arena, t->spec.folder);
    if (path.n == 0)
        return error_set(err, ERROR_USAGE, "%.300s has no checkpoint to go on from",
                         t->spec.folder);
    if (!gguf_open(&t->checkpoint, path.data, true, err) ||
        !checkpoint_read(&t->checkpoint, &t->settings, &progress, err) ||
        !open_resumed_model(t, path.data, err))
        return false;
    take_changes(&t->settings, &t->spec.settings);
    if (!make_corpus(t, err)) return false;
    t->resumed_at = progress.step;
    return open_trainer(t, err) && checkpoint_restore(&t->trainer, &t->checkpoint, &progress, err);
}

// What a killed run left half written.
static bool sweep(Training *t, Error *err) {
    return !file_is_folder(t->spec.folder) || file_sweep(&t->arena, t->spec.folder, STR(""), err);
}

bool training_open(Training *t, const TrainingSpec *spec, Error *err) {
    *t = (Training){.spec = *spec, .settings = spec->settings, .resumed_at = -1};
    if (!arena_init(&t->arena, ARENA_DEFAULT, err) || !sweep(t, err)) return false;
    return spec->resume ? open_resumed(t, err) : open_fresh(t, err);
}

void training_close(Training *t) {
    trainer_close(&t->trainer);
    model_close(t->model);
    gguf_close(&t->checkpoint);
    arena_drop(&t->arena);
}

// ---------------------------------------------------------------- the best
static const char *best_path(const Training *t, Arena *arena) {
    return str_printf(arena, "%s/best.gguf", t->spec.folder).data;
}

bool training_validate(Training *t, Validation *v, bool *is_best, Error *err) {
    TrainProgress *p = &t->trainer.progress;
    *is_best = false;
    if (!trainer_validate(&t->trainer, v, err)) return false;
    if (v->tokens == 0 || v->nats >= p->best_loss) return true;
    *is_best = true;
    p->best_loss = v->nats;
    p->best_step = p->step;
    ArenaMark mark = arena_mark(&t->arena);
    bool ok = file_make_folder(t->spec.folder, err) &&
              checkpoint_save_weights(&t->trainer, best_path(t, &t->arena), err);
    arena_back(&t->arena, mark);
    return ok;
}

static ExportOptions result_options(const Training *t, const TrainingResult *r) {
    bool is_f32 = !r->has_type && !t->lora.rank;
    return (ExportOptions){.has_type = r->has_type || is_f32,
                           .type = is_f32 ? DTYPE_F32 : r->type,
                           .pool = t->spec.pool};
}

bool training_check(const Training *t, const TrainingResult *r, Error *err) {
    return model_check_gguf(t->model, result_options(t, r), err);
}

// The model with its best weights, which were kept in a file.
static Model *open_best(const Training *t, const char *path, Error *err) {
    Model *m = model_open(t->lora.rank ? t->lora.base : path, (ModelOptions){0}, err);
    if (!m || !t->lora.rank || model_adapt(m, path, err)) return m;
    model_close(m);
    return NULL;
}

bool training_write(const Training *t, const TrainingResult *r, Error *err) {
    Arena arena;
    if (!arena_init(&arena, 1 << 20, err)) return false;
    const char *path = best_path(t, &arena);
    bool has_best = isfinite(t->trainer.progress.best_loss) && file_exists(path);
    Model *best = has_best ? open_best(t, path, err) : NULL;
    const Model *model = best ? best : t->model;
    bool ok = (!has_best || best) && model_save_gguf(model, r->model, result_options(t, r), err) &&
              (!r->adapters || model_save_adapter(model, r->adapters, NULL, err));
    model_close(best);
    arena_drop(&arena);
    return ok;
}
