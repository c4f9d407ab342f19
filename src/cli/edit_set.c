// edit_set.c - how well a model can be edited: the measures of Meng et al. 2022 (arXiv 2202.05262)
// over a set whose facts, paraphrases and neighbours are known.
//
// Each item is asked about before any edit, edited, asked about again, and undone.
#include "cli/edit_set.h"

#include <string.h>

#include "base/file.h"
#include "cli/screen.h"
#include "look/quiz.h"
#include "world/edits.h"

enum { FILE_BYTES_MAX = 256 << 20, LINE_BYTES_MAX = 1 << 20, QUESTIONS_MAX = 64 };

// X(NAME, "name", "words") - what is asked about an edit.
#define MEASURES_LIST(X)                                             \
    X(SUCCESS, "success", "new object over the old")                 \
    X(PARAPHRASE, "paraphrases", "the same in other words")          \
    X(NEIGHBOUR, "neighbours", "other subjects: right over the new") \
    X(SAME_SUBJECT, "same_subject", "same subject, other facts: right over it")

typedef enum Measure {
#define X(name, word, words) MEASURE_##name,
    MEASURES_LIST(X)
#undef X
        MEASURES
} Measure;

static const char *const names[] = {
#define X(name, word, words) word,
    MEASURES_LIST(X)
#undef X
};
static const char *const words_of[] = {
#define X(name, word, words) words,
    MEASURES_LIST(X)
#undef X
};

typedef struct EditItem {
    FactText fact; // with the new object as its answer
    Str old;
    QuizItem question[QUESTIONS_MAX];
    Measure measure[QUESTIONS_MAX];
    int n_questions;
} EditItem;

// Of a measure: questions asked, held to before and after the edit; said word for word before, and
// of these still said after.
typedef struct Score {
    int64_t n, before, after, said, said_still, said_after;
} Score;

typedef struct Layered {
    int layer;
    Score score[MEASURES];
    int64_t n_edits, steps;
    double size; // sum of relative sizes
} Layered;

typedef struct EditSet {
    Editing *editing;
    EditSetSpec spec;
    EditItem *item; // (n)
    int64_t n;
    QuizAnswer *before; // (n, QUESTIONS_MAX)
    Quiz quiz;
    Progress progress;
    int64_t done;
} EditSet;

// ---------------------------------------------------------------- the set
static void add_question(EditItem *item, Measure measure, Str prompt, Str one, Str other) {
    if (item->n_questions == QUESTIONS_MAX || !prompt.n || !one.n || !other.n) return;
    item->measure[item->n_questions] = measure;
    item->question[item->n_questions++] = (QuizItem){.phenomenon = STR("edit"),
                                                     .group = STR("all"),
                                                     .pair = -1,
                                                     .prompt = prompt,
                                                     .answer = {one, other},
                                                     .n_answers = 2};
}

static Str member(const Json *object, const char *key) {
    return json_string(json_get(object, key), STR(""));
}

// What is right is asked against the new object, as the question has it.
static void add_kept(EditItem *item, Measure measure, const Json *list) {
    const Json *first = list && list->kind == JSON_ARRAY ? list->child : NULL;
    for (const Json *j = first; j; j = j->next)
        add_question(item, measure, member(j, "prompt"), member(j, "right"), item->fact.answer);
}

static bool read_item(const Json *json, EditItem *item) {
    *item = (EditItem){.fact = {.prompt = member(json, "prompt"),
                                .subject = member(json, "subject"),
                                .answer = member(json, "new")},
                       .old = member(json, "old")};
    add_question(item, MEASURE_SUCCESS, item->fact.prompt, item->fact.answer, item->old);
    const Json *list = json_get(json, "paraphrases");
    for (const Json *j = list && list->kind == JSON_ARRAY ? list->child : NULL; j; j = j->next)
        add_question(item, MEASURE_PARAPHRASE, member(j, "prompt"), member(j, "new"),
                     member(j, "old"));
    add_kept(item, MEASURE_NEIGHBOUR, json_get(json, "neighbours"));
    add_kept(item, MEASURE_SAME_SUBJECT, json_get(json, "same_subject"));
    return item->fact.subject.n > 0 && item->n_questions > 0 && item->measure[0] == MEASURE_SUCCESS;
}

// The world's own, one object a line.
static Str lines_of_world(Arena *arena, uint64_t seed) {
    WorldSpec spec = world_default();
    spec.seed = seed;
    World *world = world_make(arena, spec);
    StrBuilder out = str_builder(arena);
    for (int i = 0; i < EDITS; i++)
        for (int language = 0; language < LANGUAGES; language++) {
            str_add(&out, edit_json(arena, world, i, (Language)language));
            str_add_byte(&out, '\n');
        }
    return str_built(&out);
}

static bool read_set(EditSet *s, Arena *arena, Error *err) {
    const char *path = s->spec.path;
    Str text;
    int64_t n_lines = 1, number = 0;
    if (strcmp(path, "world") == 0)
        text = lines_of_world(arena, (uint64_t)s->editing->seed);
    else if (!file_read(arena, path, FILE_BYTES_MAX, &text, err))
        return false;
    for (size_t i = 0; i < text.n; i++) n_lines += text.data[i] == '\n';
    if (!arena_fits(arena, (size_t)n_lines * sizeof(EditItem) + 64 * text.n))
        return error_set(err, ERROR_LIMIT, "%s: too many edits for the memory here", path);
    s->item = arena_new(arena, EditItem, n_lines);
    while (text.n && (s->spec.limit == 0 || s->n < s->spec.limit)) {
        size_t end = str_find(text, STR("\n"), 0);
        Str line = str_trim(str_slice(text, 0, end));
        text = str_slice(text, end == SIZE_MAX ? text.n : end + 1, text.n);
        number++;
        if (line.n == 0) continue;
        const Json *json = json_parse(arena, line, LINE_BYTES_MAX, err);
        if (!json) return error_wrap(err, "%s, line %lld", path, (long long)number);
        if (!str_equal(member(json, "phenomenon"), STR("edit"))) continue;
        if (!read_item(json, &s->item[s->n++]))
            return error_set(
                err, ERROR_FORMAT,
                "%s, line %lld: \"prompt\", \"subject\", \"old\" or \"new\" is missing", path,
                (long long)number);
    }
    return s->n > 0 || error_set(err, ERROR_USAGE, "%s has no edits", path);
}

// ---------------------------------------------------------------- asking
static bool ask(EditSet *s, const EditItem *item, QuizAnswer *answer, Error *err) {
    for (int i = 0; i < item->n_questions; i++)
        if (!quiz_ask(&s->quiz, &item->question[i], &answer[i], err)) return false;
    return true;
}

static void count(Layered *l, const EditItem *item, const QuizAnswer *before,
                  const QuizAnswer *after) {
    for (int i = 0; i < item->n_questions; i++) {
        Score *score = &l->score[item->measure[i]];
        if (before[i].outcome > QUIZ_WRONG || after[i].outcome > QUIZ_WRONG) continue;
        score->n++;
        score->before += before[i].outcome == QUIZ_RIGHT;
        score->after += after[i].outcome == QUIZ_RIGHT;
        score->said += before[i].is_said;
        score->said_after += after[i].is_said;
        score->said_still += before[i].is_said && after[i].is_said;
    }
}

static bool on_item(EditSet *s, const char *note, Error *err) {
    progress_at(&s->progress, ++s->done, note);
    return cli_keep_going(NULL) || error_set(err, ERROR_CANCELLED, "stopped");
}

static bool ask_before(EditSet *s, Arena *arena, Error *err) {
    s->before = arena_new(arena, QuizAnswer, s->n * QUESTIONS_MAX);
    s->progress = progress_begin("asking", "edits", s->n);
    bool ok = true;
    for (int64_t i = 0; ok && i < s->n; i++)
        ok = ask(s, &s->item[i], s->before + i * QUESTIONS_MAX, err) && on_item(s, "", err);
    progress_end(&s->progress);
    return ok;
}

static bool edit_layer(EditSet *s, int layer, Layered *l, Error *err) {
    Arena *arena = &s->editing->setup->arena;
    char note[32];
    *l = (Layered){.layer = layer};
    if (!editing_layer(s->editing, layer, err)) return false;
    snprintf(note, sizeof note, "layer %d", layer);
    s->progress = progress_begin("editing", "edits", s->n);
    s->done = 0;
    bool ok = true;
    for (int64_t i = 0; ok && i < s->n; i++) {
        ArenaMark mark = arena_mark(arena);
        QuizAnswer after[QUESTIONS_MAX];
        Edit edit;
        ok = editing_apply(s->editing, &s->item[i].fact, &edit, err);
        if (!ok) break;
        ok = ask(s, &s->item[i], after, err);
        edit_undo(&edit);
        if (ok) count(l, &s->item[i], s->before + i * QUESTIONS_MAX, after);
        l->n_edits++;
        l->steps += edit.step;
        l->size += edit_relative_size(&edit);
        arena_back(arena, mark);
        ok = ok && on_item(s, note, err);
    }
    progress_end(&s->progress);
    return ok;
}

// The layer whose feed-forward brings the old objects back most, over all items.
static bool trace_layer(EditSet *s, int *layer, Error *err) {
    Setup *setup = s->editing->setup;
    float *effect = arena_new(&setup->arena, float, setup->model->config.layers);
    s->progress = progress_begin("tracing", "edits", s->n);
    s->done = 0;
    bool ok = keys_check(setup->model, 0, err);
    for (int64_t i = 0; ok && i < s->n; i++) {
        FactText old = s->item[i].fact;
        old.answer = s->item[i].old;
        ok = editing_trace(s->editing, &old, effect, err) && on_item(s, "", err);
    }
    progress_end(&s->progress);
    *layer = editing_largest(s->editing, effect);
    return ok;
}

// ---------------------------------------------------------------- telling
static double share(int64_t part, int64_t n) {
    return n ? 100 * (double)part / (double)n : 0;
}

static void print_layer(const Layered *l, bool is_traced) {
    printf("Layer %d%s: %lld edits, %.1f steps and %.1f times the layer's answer on the mean\n\n",
           l->layer, is_traced ? " (by tracing)" : "", (long long)l->n_edits,
           (double)l->steps / (double)l->n_edits, l->size / (double)l->n_edits);
    printf("%-42s %7s %7s %7s %12s\n", "", "before", "after", "asked", "said, still");
    for (int m = 0; m < MEASURES; m++) {
        const Score *x = &l->score[m];
        printf("%-42s %6.1f%% %6.1f%% %7lld", words_of[m], share(x->before, x->n),
               share(x->after, x->n), (long long)x->n);
        if (m >= MEASURE_NEIGHBOUR)
            printf(" %5lld, %4.0f%%\n", (long long)x->said, share(x->said_still, x->said));
        else
            printf(" %5lld\n", (long long)x->said_after);
    }
}

static void print_table(const Layered *l, int n) {
    printf("layer  success  paraphrases  neighbours  (still said)  same subject  (still said)\n");
    for (int i = 0; i < n; i++) {
        const Score *x = l[i].score;
        printf("%5d %7.1f%% %11.1f%% %10.1f%% %12.0f%% %12.1f%% %12.0f%%\n", l[i].layer,
               share(x[0].after, x[0].n), share(x[1].after, x[1].n), share(x[2].after, x[2].n),
               share(x[2].said_still, x[2].said), share(x[3].after, x[3].n),
               share(x[3].said_still, x[3].said));
    }
    printf("\nOf %lld edits: %lld paraphrases, %lld neighbours, %lld other facts of the subject.\n",
           (long long)l->n_edits, (long long)l->score[1].n, (long long)l->score[2].n,
           (long long)l->score[3].n);
}

static void put_layer(JsonWriter *w, const Layered *l) {
    json_begin_object(w);
    json_key(w, "layer");
    json_put_integer(w, l->layer);
    json_key(w, "edits");
    json_put_integer(w, l->n_edits);
    json_key(w, "mean_steps");
    json_put_number(w, (double)l->steps / (double)l->n_edits);
    json_key(w, "mean_relative_size");
    json_put_number(w, l->size / (double)l->n_edits);
    for (int m = 0; m < MEASURES; m++) {
        const Score *x = &l->score[m];
        const struct {
            const char *key;
            int64_t value;
        } counts[] = {{"n", x->n},
                      {"before", x->before},
                      {"after", x->after},
                      {"said_before", x->said},
                      {"said_after", x->said_after},
                      {"said_still", x->said_still}};
        json_key(w, names[m]);
        json_begin_object(w);
        for (int i = 0; i < 6; i++) {
            json_key(w, counts[i].key);
            json_put_integer(w, counts[i].value);
        }
        json_end_object(w);
    }
    json_end_object(w);
}

static void print_json(const EditSet *s, const Layered *l, int n) {
    StrBuilder out = str_builder(&s->editing->setup->arena);
    JsonWriter w = json_writer(&out, 0);
    json_begin_object(&w);
    json_key(&w, "layers");
    json_begin_array(&w);
    for (int i = 0; i < n; i++) put_layer(&w, &l[i]);
    json_end_array(&w);
    json_end_object(&w);
    printf("%s\n", str_built(&out).data);
}

// ---------------------------------------------------------------- all of it
static bool score(EditSet *s, Error *err) {
    Setup *setup = s->editing->setup;
    int layers = setup->model->config.layers, first = s->spec.layer, n = 1;
    Layered *l = arena_new(&setup->arena, Layered, layers);
    if (s->spec.every_layer)
        first = 0, n = layers;
    else if (first < 0 && !trace_layer(s, &first, err))
        return false;
    if (!keys_check(setup->model, first, err) || !ask_before(s, &setup->arena, err)) return false;
    for (int i = 0; i < n; i++)
        if (!edit_layer(s, first + i, &l[i], err)) return false;
    if (s->spec.as_json)
        print_json(s, l, n);
    else if (n > 1)
        print_table(l, n);
    else
        print_layer(l, s->spec.layer < 0);
    return true;
}

bool edit_set(Editing *editing, EditSetSpec spec, Error *err) {
    EditSet s = {.editing = editing, .spec = spec};
    Setup *setup = editing->setup;
    if (!editing_open(editing, err) || !read_set(&s, &setup->arena, err)) return false;
    bool ok = quiz_open(&s.quiz, setup->model,
                        (QuizOptions){.pool = setup->pool, .kernels = setup->kernels}, err) &&
              score(&s, err);
    quiz_close(&s.quiz);
    return ok;
}
