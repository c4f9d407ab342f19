// edits.c - sets of prompts round one fact.
#include "world/edits.h"

#include "world/people.h"
#include "world/tables.h"

enum { OTHERS_MAX = PERSON_RELATIONS };

typedef struct Asked {
    Str prompt, right;
} Asked;

// The same asked with the old object and with the new one.
typedef struct Changed {
    Str prompt, old, new;
} Changed;

typedef struct Edit {
    Str subject;
    Changed fact, paraphrase[PARAPHRASES];
    Asked neighbour[NEIGHBOURS], other[OTHERS_MAX];
    int n_paraphrases, n_others;
} Edit;

// Cut from the world's record into `arena`; false if there is no such wording.
static bool ask(Arena *arena, World *world, Language language, FactChoice choice, Asked *asked) {
    const Record *r = world_fact(world, language, choice);
    if (!r) return false;
    ProbeItem item = probe_cut(arena, r);
    asked->prompt = str_copy(arena, (Str){r->text, (size_t)item.prompt_bytes});
    asked->right = item.right;
    return true;
}

static const Words *object_of(FactChoice c) {
    const Country *country = &lexicon.countries[c.who];
    if (!c.of_country) return person_make(c.who).object[c.relation];
    return c.relation == RELATION_CAPITAL ? &country->capital
                                          : lexicon_continent(country->continent);
}

// The best known countries, and people who are often spoken of.
static FactChoice choose(int i) {
    bool of_country = i % 2 == 0;
    return (FactChoice){.of_country = of_country,
                        .who = i / 2,
                        .relation = of_country ? RELATION_CAPITAL : i / 2 % PERSON_RELATIONS};
}

// The object of the next one who has another.
static const Words *new_object(FactChoice c) {
    const Words *old = object_of(c);
    FactChoice other = c;
    do other.who = (other.who + 7) % 50;
    while (object_of(other) == old);
    return object_of(other);
}

static bool ask_both(Arena *arena, World *world, Language language, FactChoice fact,
                     const Words *object, Changed *changed) {
    Asked old, new;
    if (!ask(arena, world, language, fact, &old)) return false;
    fact.object = object;
    ask(arena, world, language, fact, &new);
    *changed = (Changed){old.prompt, old.right, new.right};
    return true;
}

static void make_edit(Arena *arena, World *world, int i, Language language, Edit *e) {
    FactChoice fact = choose(i), changed = fact;
    const Words *object = new_object(fact);
    ask_both(arena, world, language, fact, object, &e->fact);
    int subject = record_find(&world->record, "subj", 0);
    e->subject = str_copy(arena, record_piece(&world->record, subject));
    for (changed.wording = 1; e->n_paraphrases < PARAPHRASES; changed.wording++) {
        Changed *next = &e->paraphrase[e->n_paraphrases];
        if (!ask_both(arena, world, language, changed, object, next)) break;
        e->n_paraphrases++;
    }
    for (int k = 0; k < NEIGHBOURS; k++) {
        changed = fact;
        changed.who = (fact.who + 1 + k) % 50;
        ask(arena, world, language, changed, &e->neighbour[k]);
    }
    int first = fact.of_country ? RELATION_CONTINENT : 0;
    int last = fact.of_country ? RELATION_CONTINENT : PERSON_RELATIONS - 1;
    for (int relation = first; relation <= last; relation++) {
        if (relation == fact.relation) continue;
        changed = fact;
        changed.relation = relation;
        if (ask(arena, world, language, changed, &e->other[e->n_others])) e->n_others++;
    }
}

// ---------------------------------------------------------------- JSON
static void put_string(JsonWriter *w, const char *key, Str value) {
    json_key(w, key);
    json_put_string(w, value);
}

static void put_asked(JsonWriter *w, const char *key, const Asked *asked, int n) {
    json_key(w, key);
    json_begin_array(w);
    for (int i = 0; i < n; i++) {
        json_begin_object(w);
        put_string(w, "prompt", asked[i].prompt);
        put_string(w, "right", asked[i].right);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_changed(JsonWriter *w, const Changed *changed) {
    put_string(w, "prompt", changed->prompt);
    put_string(w, "old", changed->old);
    put_string(w, "new", changed->new);
}

Str edit_json(Arena *arena, World *world, int i, Language language) {
    Edit *e = arena_new(arena, Edit, 1);
    make_edit(arena, world, i, language, e);
    StrBuilder out = str_builder(arena);
    JsonWriter writer = json_writer(&out, 0), *w = &writer;
    json_begin_object(w);
    put_string(w, "phenomenon", STR("edit"));
    put_string(w, "lang", language == ZH ? STR("zh") : STR("en"));
    put_string(w, "subject", e->subject);
    put_string(w, "relation", str_from(relations[choose(i).relation].name));
    put_changed(w, &e->fact);
    json_key(w, "paraphrases");
    json_begin_array(w);
    for (int k = 0; k < e->n_paraphrases; k++) {
        json_begin_object(w);
        put_changed(w, &e->paraphrase[k]);
        json_end_object(w);
    }
    json_end_array(w);
    put_asked(w, "neighbours", e->neighbour, NEIGHBOURS);
    put_asked(w, "same_subject", e->other, e->n_others);
    json_end_object(w);
    return str_built(&out);
}
