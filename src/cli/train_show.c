// train_show.c - the plan, a line now and then, samples, the journal and the curves.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/term.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "cli/train.h"
#include "model/weights.h"
#include "train/curves.h"
#include "train/tensorboard.h"
#include "train/verdict.h"

enum { SHOWN_SECONDS = 10 };

static const char *in_folder(TrainShow *s, const char *name) {
    return str_printf(&s->arena, "%s/%s", s->folder, name).data;
}

// ---------------------------------------------------------------- the plan
static void print_row(const char *name, Str words) {
    int columns = term_columns(STDOUT_FILENO, 100);
    printf("%-11s ", name);
    Arena arena;
    Error none = {0};
    if (!arena_init(&arena, 1 << 20, &none)) return;
    StrBuilder out = str_builder(&arena);
    screen_wrap(&out, words, 12, 12, columns);
    printf("%.*s", STR_ARG(out));
    arena_drop(&arena);
}

// Does it know something already?
static bool is_gone_on(const Training *t) {
    return t->spec.from || t->lora.rank;
}

static void print_plan(TrainShow *s) {
    const Training *t = s->training;
    const Settings *x = &t->settings;
    const Corpus *c = &t->corpus;
    const Config *m = &t->model->config;
    Arena *a = &s->arena;
    double sample = corpus_mean_sample(c, x->context);
    double step_tokens = (double)(x->batch * x->accumulate) * sample;
    double epochs = step_tokens * (double)x->steps / (double)c->n_train;
    print_row("text", str_printf(a, "%.*s: %.2f MB, %lld tokens to learn from, %lld to check",
                                 STR_ARG(s->data), (double)c->n_bytes / 1e6, (long long)c->n_train,
                                 (long long)(c->n - c->n_train)));
    if (c->n_invalid)
        print_row("", str_printf(a, "%lld bytes are not UTF-8 and are learned as bytes",
                                 (long long)c->n_invalid));
    if (t->vocab_asked)
        print_row("vocabulary", str_printf(a, "the text gives %lld tokens, not the %lld asked for",
                                           (long long)m->vocab, (long long)t->vocab_asked));
    print_row("model",
              str_printf(a,
                         "%s: %d layers, width %d, %d heads, context %lld, %lld tokens "
                         "in the vocabulary: %.2f M parameters",
                         t->model->arch->name, m->layers, m->width, m->heads, (long long)m->context,
                         (long long)m->vocab, (double)weights_count(t->model).total / 1e6));
    print_row("steps",
              str_printf(a,
                         "%lld of %lld x %.0f tokens (%.1f times the text), %s, "
                         "rate %.2g",
                         (long long)x->steps, (long long)(x->batch * x->accumulate), sample, epochs,
                         x->optimizer == OPTIMIZER_MUON ? "muon" : "adamw", x->rate));
    if (t->for_encoder)
        print_row("learns", str_printf(a,
                                       "what stands in blanks: %g %% of the tokens; losses are "
                                       "nats a hidden token",
                                       100 * x->mask_share));
    print_row("memory", str_printf(a, "%.0f MB", (double)trainer_bytes(&t->trainer) / 1e6));
    if (t->lora.rank)
        print_row("adapters", str_printf(a,
                                         "rank %d, alpha %g: %.2f M values learn beside the "
                                         "weights, which stay",
                                         t->lora.rank, t->lora.alpha,
                                         (double)t->lora.parameters.n_values / 1e6));
    if (!is_gone_on(t))
        print_row("start", str_printf(a, "a loss of %.3f nats a token is expected: ln of %lld",
                                      log((double)m->vocab), (long long)m->vocab));
    if (t->resumed_at >= 0)
        print_row("resumed", str_printf(a, "at step %lld", (long long)t->resumed_at));
    fflush(stdout);
}

static bool begin_journal(TrainShow *s, Error *err) {
    const Training *t = s->training;
    const char *path = in_folder(s, "train.jsonl");
    if (t->resumed_at >= 0 && file_exists(path))
        return journal_resume(&s->journal, &s->arena, path, t->resumed_at, err);
    JournalStart start = {.name = t->model->name,
                          .architecture = str_from(t->model->arch->name),
                          .parameters = weights_count(t->model).total,
                          .vocabulary = t->model->config.vocab,
                          .context = t->settings.context,
                          .data = s->data,
                          .fingerprint = t->corpus.fingerprint,
                          .data_tokens = t->corpus.n_train,
                          .expected_loss = log((double)t->model->config.vocab)};
    return journal_begin(&s->journal, &s->arena, path, &start, &t->settings, err);
}

bool train_show_begin(TrainShow *s, Error *err) {
    const Training *t = s->training;
    s->smooth = (double)NAN;
    s->shown = clock_seconds();
    if (!arena_init(&s->arena, ARENA_DEFAULT, err) || !file_make_folder(s->folder, err))
        return false;
    if (!train_sample_check(s, &s->arena, err) || !begin_journal(s, err)) return false;
    if (s->tensorboard) {
        double now = clock_unix_seconds();
        if (!file_make_folder(s->tensorboard, err)) return false;
        s->event_file = str_printf(&s->arena, "%s/events.out.tfevents.%.0f.heed.%lld",
                                   s->tensorboard, now, (long long)t->trainer.progress.step)
                            .data;
        if (!tensorboard_begin(s->event_file, now, err)) return false;
    }
    print_plan(s);
    s->progress = progress_begin("learning", "tokens", t->settings.steps);
    return true;
}

// ---------------------------------------------------------------- steps
static void print_time(double seconds) {
    if (seconds >= 3600)
        printf("%.1f h", seconds / 3600);
    else if (seconds >= 60)
        printf("%.0f min", seconds / 60);
    else
        printf("%.0f s", seconds);
}

// One line that stays.
static void print_step(const TrainShow *s, const StepRecord *r) {
    const Training *t = s->training;
    int64_t left = t->settings.steps - r->step;
    double per_step = r->seconds / (double)(r->step > 0 ? r->step : 1);
    printf("step %*lld  loss %.4f  %6.0f %stokens/s (%2.0f %% of the peak)  ",
           t->settings.steps >= 10000 ? 6 : 4, (long long)r->step, s->smooth, r->tokens_per_second,
           t->for_encoder ? "hidden " : "", 100 * r->share_of_peak);
    print_time(per_step * (double)left);
    printf(" left\n");
    fflush(stdout);
}

bool train_show_step(TrainShow *s, const StepReport *report, Error *err) {
    const Training *t = s->training;
    const TrainProgress *p = &t->trainer.progress;
    double rate = report->seconds > 0 ? (double)report->tokens / report->seconds : 0;
    StepRecord r = {.step = report->step,
                    .tokens = p->tokens,
                    .seconds = p->seconds,
                    .loss = report->loss,
                    .rate = report->rate,
                    .grad_norm = report->norm,
                    .tokens_per_second = rate,
                    .share_of_peak =
                        s->peak > 0 ? rate * trainer_flops_per_token(&t->trainer) / s->peak : 0,
                    .is_skipped = report->judgement != STEP_GOOD};
    s->smooth = isnan(s->smooth) ? r.loss : 0.95 * s->smooth + 0.05 * r.loss;
    if (!journal_step(&s->journal, r, err)) return false;
    if (r.is_skipped && !journal_note(&s->journal, r.step, str_from(report->words), err))
        return false;
    if (s->event_file) {
        const Scalar scalars[] = {{"loss/training", r.loss},
                                  {"learning_rate", r.rate},
                                  {"gradient_norm", r.grad_norm},
                                  {"tokens_per_second", rate}};
        if (!tensorboard_add(s->event_file, clock_unix_seconds(), r.step, scalars, 4, err))
            return false;
    }
    char note[64];
    snprintf(note, sizeof note, "loss %.3f", s->smooth);
    progress_at(&s->progress, r.step - (t->resumed_at > 0 ? t->resumed_at : 0), note);
    double now = clock_seconds();
    if (now - s->shown < SHOWN_SECONDS && r.step != t->settings.steps && !r.is_skipped) return true;
    s->shown = now;
    progress_end(&s->progress);
    if (r.is_skipped) printf("step %lld  skipped: %s\n", (long long)r.step, report->words);
    print_step(s, &r);
    return true;
}

bool train_show_validation(TrainShow *s, const Validation *v, bool is_best, Error *err) {
    const TrainProgress *p = &s->training->trainer.progress;
    ValidationRecord r = {p->step, p->tokens, p->seconds, v->nats, v->bits};
    bool has_bits = !isnan(v->bits);
    if (v->tokens == 0) return true;
    progress_end(&s->progress);
    printf("step %lld  validation loss %.4f", (long long)p->step, v->nats);
    printf(has_bits ? ", %.4f bits a byte" : " nats a hidden token", v->bits);
    printf("%s\n", is_best ? ", the best so far" : "");
    fflush(stdout);
    if (s->event_file) {
        const Scalar scalars[] = {{"loss/validation", v->nats}, {"bits_per_byte", v->bits}};
        if (!tensorboard_add(s->event_file, clock_unix_seconds(), p->step, scalars, 1 + has_bits,
                             err))
            return false;
    }
    return journal_validation(&s->journal, r, err);
}

// ---------------------------------------------------------------- samples
bool train_show_sample(TrainShow *s, Error *err) {
    Arena arena;
    Str text;
    if (!arena_init(&arena, ARENA_DEFAULT, err)) return false;
    bool ok = train_sample(s, &arena, &text, err);
    progress_end(&s->progress);
    if (ok) {
        printf("  | ");
        for (size_t from = 0, to; from < text.n; from = to + 1) {
            size_t at = str_find(text, STR("\n"), from);
            to = at < text.n ? at : text.n;
            if (!screen_print(str_slice(text, from, to))) break;
            printf(to < text.n ? "\n  | " : "");
        }
        printf("\n");
        fflush(stdout);
        ok = journal_sample(&s->journal, s->training->trainer.progress.step, text, err);
    } else if (err->kind == ERROR_CANCELLED) {
        ok = true; // Ctrl-C ends the training, in order
    }
    arena_drop(&arena);
    return ok;
}

// ---------------------------------------------------------------- the end
static bool write_curves(TrainShow *s, Str words, Error *err) {
    StrBuilder out = str_builder(&s->arena);
    curves_svg(&out, &s->journal.history, words);
    FileWriter *w = file_create(in_folder(s, "train.svg"), err);
    if (!w) return false;
    file_write(w, out.data, out.n);
    return file_commit(w, err);
}

bool train_show_end(TrainShow *s, bool is_done, Error *err) {
    const TrainProgress *p = &s->training->trainer.progress;
    progress_end(&s->progress);
    Verdict verdict = verdict_make(&s->arena, &s->journal.history);
    if (is_done && !journal_end(&s->journal, p->step, verdict.words, err)) return false;
    print_row("verdict", verdict.words);
    return write_curves(s, verdict.words, err);
}
