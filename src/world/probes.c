// probes.c - items out of held-out documents, cut where the answer begins.
#include "world/probes.h"

#include <string.h>

// Grades: distances in units; 1000 and the number of pairs; tiers, 3 strangers, 4 capitals.
#define BOTH \
    { true, true }
#define UNGRADED      \
    {                 \
        { -1, "all" } \
    }
const Phenomenon phenomena[PHENOMENA] = {
    {"sense", "senses", BOTH, true, 1, UNGRADED, "held"},
    {"sequel", "senses", BOTH, true, 1, {{1, "sequel"}}, "held"},
    {"coreference", "coreference", BOTH, true, 1, UNGRADED, "held"},
    {"gender", "gender", BOTH, true, 1, UNGRADED, NULL},
    {"order", "order", BOTH, true, 1, UNGRADED, "voice"},
    {"agreement", "agreement", {false, true}, true, 1, UNGRADED, NULL},
    {"measure", "agreement", {true, false}, true, 1, UNGRADED, NULL},
    {"induction", "induction", BOTH, false, 2, UNGRADED, NULL},
    {"recall",
     "recall",
     BOTH,
     false,
     3,
     {{10, "10"}, {25, "25"}, {50, "50"}, {100, "100"}, {200, "200"}, {350, "350"}, {500, "500"}},
     NULL},
    {"list",
     "recall",
     BOTH,
     false,
     3,
     {{1002, "2"}, {1004, "4"}, {1008, "8"}, {1012, "12"}, {1016, "16"}},
     NULL},
    {"fact", "facts", BOTH, false, 3, {{0, "often"}, {1, "sometimes"}, {2, "seldom"}}, NULL},
    {"stranger", "facts", BOTH, false, 3, {{3, "all"}}, NULL},
    {"capital", "facts", BOTH, false, 3, {{4, "quartile"}}, NULL},
    {"verdict", "review", BOTH, true, 1, UNGRADED, "mixed"},
    {"translation", "translation", BOTH, false, 3, UNGRADED, NULL},
    {"state", "story", BOTH, false, 1, UNGRADED, "held"},
    {"riddle", "riddle", BOTH, false, 2, UNGRADED, NULL},
};

int phenomenon_grades(const Phenomenon *phenomenon) {
    int n = 0;
    while (n < GRADES_MAX && phenomenon->grades[n].group) n++;
    return n;
}

// ---------------------------------------------------------------- where a prompt ends
// The blank before the answer, and an article, which would give it away, belong to the answer.
static int prompt_end(const Record *r, int from) {
    if (from == 0 || r->text[from - 1] != ' ') return from;
    from--;
    if (from >= 2 && memcmp(r->text + from - 2, " a", 2) == 0) return from - 2;
    if (from >= 3 && memcmp(r->text + from - 3, " an", 3) == 0) return from - 3;
    return from;
}

// From the end of the answer to the end of its sentence.
static Str tail_of(const Record *r, int from) {
    static const char *const marks[] = {"。", "！", "？", ".", "!", "?"};
    int to = from;
    while (to < r->n && r->text[to] != '\n') {
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            size_t n = strlen(marks[i]);
            if (strncmp(r->text + to, marks[i], n) == 0)
                return str_slice(record_text(r), (size_t)from, (size_t)to + n);
        }
        to++;
    }
    return str_slice(record_text(r), (size_t)from, (size_t)to);
}

static Str continuation(Arena *arena, const ProbeItem *p, Str answer, Str tail) {
    const Record *r = p->record;
    int from = r->span[r->answer].from, gap = from - p->prompt_bytes;
    const char *lead = gap == 0                               ? ""
                       : gap == 1                             ? " "
                       : strchr("aeiouAEIOU", answer.data[0]) ? " an "
                                                              : " a ";
    return str_printf(arena, "%s%.*s%.*s", lead, STR_ARG(answer), STR_ARG(tail));
}

static const char *group_of(const ProbeItem *p, int i_grade) {
    static const char *const quartiles[] = {"quartile 1", "quartile 2", "quartile 3", "quartile 4"};
    const Record *r = p->record;
    if (p->phenomenon->group_note) return record_note_text(r, p->phenomenon->group_note);
    for (int i = 0; i < r->n_notes; i++)
        if (strcmp(r->note[i].key, "quartile") == 0) return quartiles[r->note[i].number - 1];
    return p->phenomenon->grades[i_grade].group;
}

ProbeItem probe_cut(Arena *arena, const Record *r) {
    ProbeItem p = {.record = r, .n_wrong = r->n_wrong};
    TextSpan answer = r->span[r->answer];
    p.prompt_bytes = prompt_end(r, answer.from);
    Str tail = tail_of(r, answer.to);
    p.right = continuation(arena, &p, record_piece(r, r->answer), tail);
    for (int i = 0; i < p.n_wrong; i++)
        p.wrong[i] = continuation(arena, &p, str_from(record_wrong(r, i)), tail);
    return p;
}

ProbeItem probe_make(Arena *arena, World *world, const Phenomenon *phenomenon, int i_grade,
                     int64_t number, bool mirror) {
    const Genre *genre = genre_find(str_from(phenomenon->genre));
    require(genre);
    bool both = phenomenon->language[ZH] && phenomenon->language[EN];
    Language language = both ? (number % 2 ? EN : ZH) : phenomenon->language[ZH] ? ZH : EN;
    int grade = phenomenon->grades[i_grade].grade;
    ProbeItem p = probe_cut(arena, world_item(world, genre, language, grade, number, mirror));
    p.phenomenon = phenomenon;
    p.pair = number;
    p.group = group_of(&p, i_grade);
    if (p.n_wrong > phenomenon->wrong) p.n_wrong = phenomenon->wrong;
    return p;
}

void probe_json(const ProbeItem *p, JsonWriter *w) {
    const Record *r = p->record;
    json_begin_object(w);
    json_key(w, "phenomenon");
    json_put_string(w, str_from(p->phenomenon->name));
    json_key(w, "group");
    json_put_string(w, str_from(p->group));
    json_key(w, "lang");
    json_put_string(w, str_from(r->language));
    json_key(w, "pair");
    json_put_integer(w, p->pair);
    json_key(w, "prompt");
    json_put_string(w, (Str){r->text, (size_t)p->prompt_bytes});
    json_key(w, "right");
    json_put_string(w, p->right);
    json_key(w, "wrong");
    json_begin_array(w);
    for (int i = 0; i < p->n_wrong; i++) json_put_string(w, p->wrong[i]);
    json_end_array(w);
    json_key(w, "spans");
    record_spans_json(r, p->prompt_bytes, w);
    json_end_object(w);
}
