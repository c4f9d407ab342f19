// questions.c - gathers questions and has them asked.
#include "cli/questions.h"

#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "world/probes.h"

enum { FILE_BYTES_MAX = 256 << 20 };

// ---------------------------------------------------------------- which phenomena
// Is the name one of the list "order,recall"?  A list that is NULL has all.
static bool is_listed(const char *list, Str name) {
    Str rest = str_from(list ? list : "");
    if (!list) return true;
    while (true) {
        size_t comma = str_find(rest, STR(","), 0);
        if (str_equal(str_trim(str_slice(rest, 0, comma)), name)) return true;
        if (comma == SIZE_MAX) return false;
        rest = str_slice(rest, comma + 1, rest.n);
    }
}

// Every name of the list has to be there: `names` maps those that there are.
static bool check_list(const char *list, const Map *names, Error *err) {
    Str rest = str_from(list ? list : "");
    for (bool more = list != NULL; more;) {
        size_t comma = str_find(rest, STR(","), 0);
        Str name = str_trim(str_slice(rest, 0, comma));
        if (map_get(names, name) < 0)
            return error_set(err, ERROR_USAGE, "--only: nothing asks about '%.*s'", STR_ARG(name));
        more = comma != SIZE_MAX;
        if (more) rest = str_slice(rest, comma + 1, rest.n);
    }
    return true;
}

// ---------------------------------------------------------------- of the world
static QuizItem item_of(Arena *arena, const ProbeItem *probe) {
    const Record *r = probe->record;
    QuizItem item = {.phenomenon = str_from(probe->phenomenon->name),
                     .group = str_copy(arena, str_from(probe->group)),
                     .language = str_from(r->language),
                     .pair = probe->phenomenon->is_mirrored ? probe->pair : -1,
                     .prompt = str_copy(arena, (Str){r->text, (size_t)probe->prompt_bytes}),
                     .answer[0] = str_copy(arena, probe->right),
                     .n_answers = 1};
    for (int i = 0; i < probe->n_wrong; i++)
        item.answer[item.n_answers++] = str_copy(arena, probe->wrong[i]);
    return item;
}

bool questions_of_world(Arena *arena, uint64_t seed, int64_t limit, const char *only,
                        Questions *questions, Error *err) {
    WorldSpec spec = world_default();
    Map names = map_make(arena, PHENOMENA);
    int64_t room = 0;
    spec.seed = seed;
    for (int i = 0; i < PHENOMENA; i++) {
        map_add(&names, str_from(phenomena[i].name), i);
        room += limit * phenomenon_grades(&phenomena[i]);
    }
    if (!check_list(only, &names, err)) return false;
    World *world = world_make(arena, spec);
    *questions = (Questions){arena_new(arena, QuizItem, room), 0};
    for (int i = 0; i < PHENOMENA; i++) {
        const Phenomenon *p = &phenomena[i];
        int sides = p->is_mirrored ? 2 : 1;
        if (!is_listed(only, str_from(p->name))) continue;
        for (int grade = 0; grade < phenomenon_grades(p); grade++)
            for (int64_t k = 0; k < limit; k++) {
                ProbeItem probe = probe_make(arena, world, p, grade, k / sides, k % sides);
                questions->item[questions->n++] = item_of(arena, &probe);
            }
    }
    return true;
}

// ---------------------------------------------------------------- of files
// Keeps the first `limit` of each group, of the phenomena that are listed.
static bool choose(Arena *arena, Questions *q, int64_t limit, const char *only, Error *err) {
    Map names = map_make(arena, 64), counts = map_make(arena, 256);
    int64_t *count = arena_new(arena, int64_t, q->n), n_groups = 0, n = 0;
    for (int64_t i = 0; i < q->n; i++) {
        const QuizItem *item = &q->item[i];
        map_add(&names, item->phenomenon, 0);
        if (!is_listed(only, item->phenomenon)) continue;
        Str key = str_printf(arena, "%.*s\n%.*s", STR_ARG(item->phenomenon), STR_ARG(item->group));
        if (map_add(&counts, key, n_groups)) n_groups++;
        int64_t *so_far = &count[map_get(&counts, key)];
        if (limit && *so_far == limit) continue;
        ++*so_far;
        q->item[n++] = *item;
    }
    q->n = n;
    return check_list(only, &names, err);
}

static bool read_file(Arena *arena, const char *path, Questions *q, Error *err) {
    Str text;
    return file_read(arena, path, FILE_BYTES_MAX, &text, err) &&
           quiz_read(arena, text, path, &q->item, &q->n, err);
}

// "edit.jsonl" asks nothing.
static bool read_folder(Arena *arena, const char *folder, Questions *q, Error *err) {
    const Str *names;
    int64_t n;
    StrBuilder all = str_builder(arena);
    if (!file_list(arena, folder, &names, &n, err)) return false;
    *q = (Questions){0};
    for (int64_t i = 0; i < n; i++) {
        Questions more;
        if (!str_ends(names[i], STR(".jsonl")) || str_equal(names[i], STR("edit.jsonl"))) continue;
        Str path = str_printf(arena, "%s/%.*s", folder, STR_ARG(names[i]));
        if (!read_file(arena, path.data, &more, err)) return false;
        str_add(&all, (Str){(const char *)more.item, sizeof(QuizItem) * (size_t)more.n});
        q->n += more.n;
    }
    if (q->n == 0) return error_set(err, ERROR_USAGE, "%s: no .jsonl file with probes", folder);
    q->item = arena_new(arena, QuizItem, q->n);
    memcpy(q->item, all.data, all.n);
    return true;
}

bool questions_of_path(Arena *arena, const char *path, int64_t limit, const char *only,
                       Questions *questions, Error *err) {
    return (file_is_folder(path) ? read_folder(arena, path, questions, err)
                                 : read_file(arena, path, questions, err)) &&
           choose(arena, questions, limit, only, err);
}

// ---------------------------------------------------------------- asking
bool questions_ask(const Questions *questions, const Model *model, QuizOptions options,
                   QuestionAsked on_asked, void *user, QuizReport *report, Error *err) {
    Quiz quiz;
    *report = (QuizReport){0};
    bool ok = quiz_open(&quiz, model, options, err);
    for (int64_t i = 0; ok && i < questions->n; i++) {
        QuizAnswer answer;
        ok = quiz_ask(&quiz, &questions->item[i], &answer, err) &&
             quiz_count(report, &questions->item[i], &answer, err);
        if (ok && on_asked && !on_asked(user, i + 1, report))
            ok = error_set(err, ERROR_CANCELLED, "stopped after %lld of %lld questions",
                           (long long)(i + 1), (long long)questions->n);
    }
    quiz_close(&quiz);
    return ok;
}
