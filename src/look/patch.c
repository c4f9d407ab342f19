// patch.c - many runs of one fact, as many at once as a batch holds: each a sequence of its own,
// with another value put back.
#include "look/patch.h"

#include <math.h>

#include "base/rng.h"
#include "look/attention.h"
#include "look/capture.h"
#include "look/override.h"

enum {
    ROWS_AT_ONCE = 512,         // tokens of a batch, more or less
    LOGITS_AT_ONCE = 1 << 24,   // of a batch
    EMBEDDINGS_MEASURED = 4096, // rows of the table, evenly apart
};

static const Site sites[PATCH_PLACES] = {
#define X(name, site, word, words) site,
    PATCH_PLACES_LIST(X)
#undef X
};

const char *patch_place_name(PatchPlace place) {
    static const char *const names[] = {
#define X(name, site, word, words) word,
        PATCH_PLACES_LIST(X)
#undef X
    };
    return names[place];
}

const char *patch_place_words(PatchPlace place) {
    static const char *const names[] = {
#define X(name, site, word, words) words,
        PATCH_PLACES_LIST(X)
#undef X
    };
    return names[place];
}

PatchSpec patch_default(void) {
    return (PatchSpec){.noise = 3, .draws = 5, .seed = 1, .window = 1};
}

// ---------------------------------------------------------------- one tracing
// A value that is put back: which, and where its effect goes.  The first of a list puts back none.
typedef struct Cell {
    PatchPlace place;
    int64_t token;
    int layer;
} Cell;

typedef struct Trace {
    Run *run;
    const Model *model;
    Arena *arena;
    const Fact *fact;
    Patch *patch;
    Capture clean;
    Override override;
    float *noise; // (tokens, C), of the subject's
    Cell *cell;   // (n_cells)
    int64_t n_cells, at_once;
    int64_t done, total; // sequences
} Trace;

// Of the values of the embedding table, as the model gets them.
static bool measure_deviation(Trace *t, Error *err) {
    const Model *m = t->model;
    int64_t vocab = m->config.vocab;
    int64_t n = vocab < EMBEDDINGS_MEASURED ? vocab : EMBEDDINGS_MEASURED;
    int32_t *ids = arena_new(t->arena, int32_t, n);
    for (int64_t i = 0; i < n; i++) ids[i] = (int32_t)(i * vocab / n);
    run_plan_begin(t->run);
    op_embed(t->run, &m->embed, ids, n);
    if (!run_allocate(t->run, err)) return false;
    const Tensor *table = op_embed(t->run, &m->embed, ids, n);
    double sum = 0, squares = 0, count = (double)tensor_count(table);
    for (int64_t i = 0; i < tensor_count(table); i++) {
        double x = (double)tensor_f32(table)[i];
        sum += x;
        squares += x * x;
    }
    double variance = squares / count - sum / count * (sum / count);
    t->patch->deviation = sqrt(fmax(variance, 0)) * fabs((double)m->config.embed_scale);
    return true;
}

// The clean run; all values that may be put back stay in the capture.
static bool run_clean(Trace *t, Error *err) {
    FactSaid said;
    capture_init(&t->clean, t->arena,
                 (CaptureWant[]){{SITE_RESID_POST, -1}, {SITE_MLP_OUT, -1}, {SITE_ATTN_OUT, -1}},
                 PATCH_PLACES);
    t->run->probe = &t->clean.probe;
    bool ok = fact_ask(t->run, t->model, t->fact, &said, err);
    t->run->probe = NULL;
    t->patch->clean = said.answer;
    return ok;
}

static const float *clean_row(const Trace *t, PatchPlace place, int64_t token, int layer) {
    const Tensor *value = capture_find(&t->clean, sites[place], layer);
    return value ? tensor_f32(value) + token * tensor_cols(value) : NULL;
}

// Everything that is to be put back, from the subject's first token on.
static void list_cells(Trace *t) {
    Patch *p = t->patch;
    int64_t most = PATCH_PLACES * p->n * p->layers + 1, first = 0;
    while (!p->is_subject[first]) first++;
    t->cell = arena_new(t->arena, Cell, most);
    t->n_cells = 1;
    for (PatchPlace place = 0; place < PATCH_PLACES; place++) {
        bool is_there = false;
        if (p->spec.is_brief && place != PATCH_FEED_FORWARD) continue;
        for (int64_t i = p->spec.is_brief ? p->subject : first; i < p->n; i++) {
            if (p->spec.is_brief && i > p->subject) break;
            for (int l = 0; l < p->layers; l++) {
                if (!clean_row(t, place, i, l)) continue;
                t->cell[t->n_cells++] = (Cell){place, i, l};
                is_there = true;
            }
        }
        if (is_there) p->effect[place] = arena_new(t->arena, float, p->n * p->layers);
    }
}

// ---------------------------------------------------------------- one batch
// Noise on the subject's tokens of the sequence whose rows begin at `first`.
static void corrupt(Trace *t, int64_t first) {
    int64_t width = t->model->config.width;
    for (int64_t i = 0; i < t->patch->n; i++)
        if (t->patch->is_subject[i])
            override_set(&t->override,
                         (OverrideRow){SITE_EMBED, 0, first + i, t->noise + i * width, true});
}

// Row `row` of the sequence whose rows begin at `first`.
static void put_row_back(Trace *t, const Cell *cell, int64_t row, int64_t first) {
    int window = cell->place == PATCH_RESIDUAL ? 1 : t->patch->spec.window;
    int from = cell->layer - (window - 1) / 2;
    for (int l = from; l < from + window; l++) {
        bool is_there = l >= 0 && l < t->patch->layers;
        const float *value = is_there ? clean_row(t, cell->place, row, l) : NULL;
        if (value)
            override_set(&t->override,
                         (OverrideRow){sites[cell->place], l, first + row, value, false});
    }
}

// The prompt's last token with those of the answer from which further ones are predicted.
static void put_back(Trace *t, const Cell *cell, int64_t first) {
    int64_t last = cell->token == t->patch->n - 1 ? t->fact->n - 2 : cell->token;
    for (int64_t row = cell->token; row <= last; row++) put_row_back(t, cell, row, first);
}

// Cells from .. from+n-1, each a sequence; their answers' probabilities go to p (n).
static bool run_cells(Trace *t, int64_t from, int64_t n, double *p, Error *err) {
    const Fact *f = t->fact;
    int64_t rows = f->n - 1, answers = f->n - f->n_prompt, vocab = t->model->config.vocab;
    ArenaMark mark = arena_mark(t->arena);
    int32_t *ids = arena_new(t->arena, int32_t, n * rows);
    int32_t *row = arena_new(t->arena, int32_t, n * answers);
    Span *span = arena_new(t->arena, Span, n);
    override_forget(&t->override);
    for (int64_t k = 0; k < n; k++) {
        span[k] = (Span){.first = k * rows, .n = rows};
        for (int64_t i = 0; i < rows; i++) ids[k * rows + i] = f->ids[i];
        fact_rows(f, k * rows, row + k * answers);
        corrupt(t, k * rows);
        if (from + k > 0) put_back(t, &t->cell[from + k], k * rows);
    }
    Batch batch = {.ids = ids,
                   .n = n * rows,
                   .span = span,
                   .n_spans = (int)n,
                   .logit_row = row,
                   .n_logits = n * answers};
    run_plan_begin(t->run);
    model_forward(t->run, t->model, &batch);
    if (!run_allocate(t->run, err)) return false;
    const Tensor *logits = model_forward(t->run, t->model, &batch);
    for (int64_t k = 0; k < n; k++)
        p[k] = exp(fact_log_probability(f, tensor_f32(logits) + k * answers * vocab, vocab));
    arena_back(t->arena, mark);
    return model_intact(t->model, err);
}

// Draw `draw` of the noise: effects are added up.
static bool run_draw(Trace *t, int64_t draw, Error *err) {
    Patch *patch = t->patch;
    Rng rng = rng_seed(patch->spec.seed + (uint64_t)draw);
    double corrupted = 0, p[ROWS_AT_ONCE];
    for (int64_t i = 0; i < patch->n * t->model->config.width; i++)
        t->noise[i] = (float)(patch->spec.noise * patch->deviation * rng_normal(&rng));
    for (int64_t from = 0, n; from < t->n_cells; from += n) {
        n = t->n_cells - from < t->at_once ? t->n_cells - from : t->at_once;
        if (!run_cells(t, from, n, p, err)) return false;
        if (from == 0) corrupted = p[0];
        for (int64_t k = from == 0; k < n; k++) {
            const Cell *c = &t->cell[from + k];
            patch->effect[c->place][c->token * patch->layers + c->layer] +=
                (float)((p[k] - corrupted) / (double)patch->spec.draws);
        }
        t->done += n;
        if (patch->spec.go_on && !patch->spec.go_on(patch->spec.user, t->done, t->total))
            return error_set(err, ERROR_CANCELLED, "stopped after %lld of %lld runs",
                             (long long)t->done, (long long)t->total);
    }
    patch->corrupted += corrupted / (double)patch->spec.draws;
    return true;
}

// As many sequences as rows, logits and the list of rows put back allow.
static int64_t cells_at_once(const Trace *t) {
    int64_t answers = t->fact->n - t->fact->n_prompt;
    int64_t by_rows = ROWS_AT_ONCE / (t->fact->n - 1);
    int64_t by_logits = LOGITS_AT_ONCE / (answers * t->model->config.vocab);
    int64_t by_list = OVERRIDE_ROWS_MAX / (t->patch->n + answers * t->patch->layers);
    int64_t n = by_rows < by_logits ? by_rows : by_logits;
    n = n < by_list ? n : by_list;
    return n > 1 ? n : 1;
}

static void label(Trace *t) {
    Patch *p = t->patch;
    Str *words = arena_new(t->arena, Str, p->n);
    for (int64_t i = 0; i < p->n; i++)
        words[i] =
            attention_label(t->arena, tokenizer_piece(t->model->tokenizer, t->fact->ids[i], true));
    p->label = words;
}

bool patch_trace(Run *run, const Model *model, Arena *arena, const Fact *fact, PatchSpec spec,
                 Patch *patch, Error *err) {
    const Config *c = &model->config;
    Trace t = {.run = run, .model = model, .arena = arena, .fact = fact, .patch = patch};
    require(fact->subject >= 0 && spec.draws >= 1 && spec.window >= 1);
    int64_t values = PATCH_PLACES * (fact->n * c->width + 16) * c->layers;
    if (!arena_fits(arena, sizeof(float) * (size_t)values + (1 << 22)))
        return error_set(err, ERROR_LIMIT, "the text is too long for the memory here");
    *patch = (Patch){.model = model->name,
                     .n = fact->n_prompt,
                     .layers = c->layers,
                     .is_subject = fact->is_subject,
                     .subject = fact->subject,
                     .spec = spec};
    label(&t);
    if (!measure_deviation(&t, err) || !run_clean(&t, err)) return false;
    list_cells(&t);
    t.at_once = cells_at_once(&t);
    t.total = t.n_cells * spec.draws;
    t.noise = arena_new(arena, float, patch->n * c->width);
    override_init(&t.override, arena);
    run->probe = &t.override.probe;
    bool ok = true;
    for (int64_t draw = 0; ok && draw < spec.draws; draw++) ok = run_draw(&t, draw, err);
    run->probe = NULL;
    return ok;
}

// ---------------------------------------------------------------- numbers and words
static float effect_at(const Patch *p, PatchPlace place, int64_t token, int layer) {
    return p->effect[place] ? p->effect[place][token * p->layers + layer] : 0;
}

double patch_share(const Patch *p, PatchPlace place, int64_t token, int layer) {
    double lost = p->clean - p->corrupted;
    return lost > 0 ? (double)effect_at(p, place, token, layer) / lost : 0;
}

// The layer with the largest effect of a place at a token.
static int largest_at(const Patch *p, PatchPlace place, int64_t token) {
    int largest = 0;
    for (int l = 1; l < p->layers; l++)
        if (effect_at(p, place, token, l) > effect_at(p, place, token, largest)) largest = l;
    return largest;
}

int patch_layer(const Patch *p) {
    return p->effect[PATCH_FEED_FORWARD] ? largest_at(p, PATCH_FEED_FORWARD, p->subject) : -1;
}

Str patch_words(const Patch *p, Arena *arena) {
    StrBuilder b = str_builder(arena);
    int l = patch_layer(p);
    str_add_format(&b,
                   "The answer has a probability of %.2f%%, and of %.2f%% with noise on the "
                   "subject. ",
                   100 * p->clean, 100 * p->corrupted);
    if (p->clean <= p->corrupted)
        str_add_c(&b, "The noise takes nothing away: there is nothing to bring back. ");
    if (l < 0) {
        str_add_c(&b, "This model has no feed-forward layers.");
        return str_built(&b);
    }
    str_add_format(
        &b,
        "At the subject's last token (\"%.*s\") the feed-forward of layer %d brings back "
        "most: %+.2f points (%.0f%% of what was lost).",
        STR_ARG(p->label[p->subject]), l,
        100 * (double)effect_at(p, PATCH_FEED_FORWARD, p->subject, l),
        100 * patch_share(p, PATCH_FEED_FORWARD, p->subject, l));
    return str_built(&b);
}

static void put_effects(JsonWriter *w, const Patch *p) {
    json_key(w, "effects");
    json_begin_object(w);
    for (PatchPlace place = 0; place < PATCH_PLACES; place++) {
        json_key(w, patch_place_name(place));
        if (!p->effect[place]) {
            json_put_null(w);
            continue;
        }
        json_begin_array(w);
        for (int64_t i = 0; i < p->n; i++) {
            json_begin_array(w);
            for (int l = 0; l < p->layers; l++)
                json_put_number(w, (double)effect_at(p, place, i, l));
            json_end_array(w);
        }
        json_end_array(w);
    }
    json_end_object(w);
}

void patch_json(JsonWriter *w, const Patch *p) {
    json_key(w, "noise");
    json_put_number(w, p->spec.noise);
    json_key(w, "deviation");
    json_put_number(w, p->deviation);
    json_key(w, "draws");
    json_put_integer(w, p->spec.draws);
    json_key(w, "window");
    json_put_integer(w, p->spec.window);
    json_key(w, "clean");
    json_put_number(w, p->clean);
    json_key(w, "corrupted");
    json_put_number(w, p->corrupted);
    json_key(w, "subject_last");
    json_put_integer(w, p->subject);
    json_key(w, "layer");
    if (patch_layer(p) < 0)
        json_put_null(w);
    else
        json_put_integer(w, patch_layer(p));
    put_effects(w, p);
}
