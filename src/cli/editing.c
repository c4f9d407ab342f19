// editing.c - from texts to the keys of a layer; from a fact to an addition that changes it.
#include "cli/editing.h"

#include <string.h>

enum { FRONTS_MAX = 64, WORLD_DOCUMENTS = 4000, WINDOW_SHARE = 6 };

const Option *editing_options(Editing *e, Setup *setup, Option table[EDITING_OPTIONS]) {
    *e = (Editing){.setup = setup, .seed = 1, .tokens = 12000, .fronts = 9, .spec = edit_default()};
    const Option options[EDITING_OPTIONS] = {
        {"", 0, OPTION_HEADING, NULL, NULL, "The edit:"},
        {"--text", 0, OPTION_TEXT, &e->text, "FILE",
         "what other keys are measured on (default: the mini-world)"},
        {"--tokens", 0, OPTION_INT, &e->tokens, "N", "of that text (default 12000)", 2, 1e9},
        {"--fronts", 0, OPTION_INT, &e->fronts, "N",
         "sentences of it, each put before the prompt in turn (default 9)", 0, FRONTS_MAX},
        {"--steps", 0, OPTION_INT, &e->spec.steps, "N", "of learning at most (default 50)", 1,
         10000},
        {"--rate", 0, OPTION_NUMBER, &e->spec.rate, "X",
         "of a step, relative to what the layer says (default 0.3)", 1e-6, 1e3},
        {"--reach", 0, OPTION_NUMBER, &e->spec.reach, "X",
         "most that is added, relative to the same (default 10)", 1e-6, 1e6},
        {"--seed", 0, OPTION_INT, &e->seed, "N", "of noise, sentences and world (default 1)", 0,
         1e18},
        {0}};
    memcpy(table, options, sizeof options);
    return table;
}

bool editing_open(Editing *e, Error *err) {
    Setup *s = e->setup;
    if (!run_open(&e->run, s->pool, err) || !arena_init(&e->arena, ARENA_DEFAULT, err))
        return false;
    if (s->kernels) e->run.kernels = s->kernels;
    e->run.exact = true;
    if (e->text) return passages_of_file(&s->arena, e->text, &e->passages, err);
    e->passages = passages_of_world(&s->arena, (uint64_t)e->seed, WORLD_DOCUMENTS);
    return true;
}

void editing_close(Editing *e) {
    run_close(&e->run);
    arena_drop(&e->arena);
}

bool editing_layer(Editing *e, int layer, Error *err) {
    const Model *m = e->setup->model;
    arena_back(&e->arena, (ArenaMark){0});
    if (!keys_init(&e->keys, m, layer, &e->arena, err)) return false;
    Progress progress = progress_begin("reading", "tokens", e->tokens);
    bool ok = true;
    for (int64_t i = 0; ok && i < e->passages.n && e->keys.n < e->tokens; i++) {
        ArenaMark mark = arena_mark(&e->arena);
        Reading r;
        ok = reading_make(m, &e->arena, e->passages.text[i], &r, err) &&
             keys_add(&e->keys, &e->run, r.ids, r.n, err);
        arena_back(&e->arena, mark);
        progress_at(&progress, e->keys.n, "");
        if (ok && !cli_keep_going(NULL)) ok = error_set(err, ERROR_CANCELLED, "stopped");
    }
    progress_end(&progress);
    return ok && keys_factor(&e->keys, err);
}

bool editing_trace(Editing *e, const FactText *text, float *effect, Error *err) {
    const Model *m = e->setup->model;
    ArenaMark mark = arena_mark(&e->arena);
    Fact fact;
    Patch patch;
    PatchSpec spec = patch_default();
    spec.seed = (uint64_t)e->seed;
    spec.is_brief = true;
    spec.window = 1 + m->config.layers / WINDOW_SHARE;
    if (!fact_read(m, &e->arena, *text, &fact, err) ||
        !patch_trace(&e->run, m, &e->arena, &fact, spec, &patch, err))
        return false;
    const float *row = patch.effect[PATCH_FEED_FORWARD];
    for (int l = 0; row && l < patch.layers; l++)
        effect[l] += row[patch.subject * patch.layers + l];
    arena_back(&e->arena, mark);
    return true;
}

int editing_largest(const Editing *e, const float *effect) {
    int largest = 0;
    for (int l = 1; l < e->setup->model->config.layers; l++)
        if (effect[l] > effect[largest]) largest = l;
    return largest;
}

bool editing_apply(Editing *e, const FactText *text, Edit *edit, Error *err) {
    Setup *s = e->setup;
    Arena *arena = &s->arena;
    Reading name;
    int64_t n = e->fronts + 1;
    Fact *fact = arena_new(arena, Fact, n);
    EditText *learnt = arena_new(arena, EditText, n);
    float *key = arena_new(arena, float, e->keys.width);
    float *direction = arena_new(arena, float, e->keys.width);
    for (int64_t i = 0; i < n; i++) { // the first stands alone
        FactText with = *text;
        if (i > 0)
            with.front = passages_sentence(&e->passages, arena, (uint64_t)(e->seed * 1000 + i),
                                           text->prompt);
        if (!fact_read(s->model, arena, with, &fact[i], err)) return false;
        learnt[i] = (EditText){fact[i].ids, fact[i].n, fact[i].n_prompt};
    }
    if (!reading_make(s->model, arena, text->subject, &name, err) ||
        !keys_of_facts(&e->run, s->model, e->keys.layer, arena, fact, n, key, err))
        return false;
    keys_direction(&e->keys, key, arena, direction);
    EditSpec spec = e->spec;
    spec.layer = e->keys.layer;
    spec.key = key;
    spec.direction = direction;
    spec.text = learnt;
    spec.n_texts = n;
    spec.name = name.ids;
    spec.n_name = name.n;
    if (!edit_begin(edit, &e->run, s->model, arena, spec, err)) return false;
    bool ok = edit_learn(edit, err);
    edit_end(edit);
    if (!ok) edit_undo(edit);
    return ok;
}
