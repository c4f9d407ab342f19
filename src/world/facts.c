// facts.c - what is to be known by heart: people and their lives, countries and their capitals.
//
// Held out: one wording in ten of each single fact.  The fact is known, the sentence is new.
#include <stdio.h>
#include <string.h>

#include "world/genre.h"
#include "world/people.h"

enum {
    COUNTRIES_PERCENT = 30,
    UNKNOWN_PERCENT = 5,    // in an honest world
    GRADE_STRANGER = TIERS, // grades of probes: 0 .. 2 the tiers, then these
    GRADE_CAPITAL
};

// What is told in one fact.
typedef struct Fact {
    char id[24]; // p12, cFrance
    int relation;
    Words subject;
    const Words *object;
} Fact;

static Fact fact_of_country(int rank, int relation) {
    const Country *c = &lexicon.countries[rank];
    bool is_capital = relation == RELATION_CAPITAL;
    Fact f = {.relation = relation,
              .subject = c->name,
              .object = is_capital ? &c->capital : lexicon_continent(c->continent)};
    snprintf(f.id, sizeof f.id, "c%s", c->name.en);
    return f;
}

// The person must live as long as the fact.
static Fact fact_of_person(const Person *p, int who, int relation) {
    Fact f = {.relation = relation, .subject = {p->zh, p->en}, .object = p->object[relation]};
    snprintf(f.id, sizeof f.id, "p%d", who);
    return f;
}

// In a probe the object has to be what is left to say.
static bool suits(const Draft *d, const Words *wording) {
    const char *line = words_in(wording, d->language);
    return !d->probing || strstr(line, "{s}") < strstr(line, "{o}") ||
           (strstr(line, "{^o}") && strstr(line, "{s}") < strstr(line, "{^o}"));
}

// In wording i.  `pronoun` stands for the subject if it is not NULL and the wording begins with it.
static void tell_wording(Draft *d, const Fact *f, int i, const Words *pronoun) {
    const Relation *r = &relations[f->relation];
    draft_hold(d, "fact %s %s %d", f->id, r->name, i);
    const Words *wording = &r->wording[i];
    bool opens = strncmp(wording->zh, "{s}", 3) == 0 && strncmp(wording->en, "{s}", 3) == 0;
    if (pronoun && opens) {
        telling_set_words(&d->tell, 's', *pronoun);
        telling_slot(&d->tell, 's')->label = draft_label(d, "pron/%s", f->id);
    } else {
        telling_set_words(&d->tell, 's', f->subject);
        telling_slot(&d->tell, 's')->label = draft_label(d, "subj/%s/%s", f->id, r->name);
    }
    telling_set_words(&d->tell, 'o', *f->object);
    const char *label = draft_label(d, "obj/%s/%s", f->id, r->name);
    telling_slot(&d->tell, 'o')->label = label;
    tell(&d->tell, *wording);
    if (d->probing) draft_answer(d, label);
}

static void tell_fact(Draft *d, const Fact *f, const Words *pronoun) {
    const Relation *r = &relations[f->relation];
    int i;
    do i = draw(d->rng, r->n);
    while (!suits(d, &r->wording[i]));
    tell_wording(d, f, i, pronoun);
}

static const Words *other_object(Draft *d, const Fact *f) {
    Person p = person_make(draw(d->rng, PEOPLE));
    if (f->relation < PERSON_RELATIONS) return p.object[f->relation];
    const Country *c = &lexicon.countries[draw(d->rng, lexicon.n_countries)];
    return f->relation == RELATION_CAPITAL ? &c->capital : lexicon_continent(c->continent);
}

// Three other objects of the relation, each of its own.
static void add_wrong(Draft *d, const Fact *f) {
    const Words *wrong[4] = {f->object};
    for (int n = 1; n < 4;) {
        const Words *object = other_object(d, f);
        bool is_new = true;
        for (int i = 0; i < n; i++) is_new &= wrong[i] != object;
        if (!is_new) continue;
        wrong[n++] = object;
        telling_set_words(&d->tell, 'o', *object);
        draft_wrong(d, (Words){"{o}", "{o}"});
    }
}

static void write_country(Draft *d) {
    int n = d->probing ? 1 : 1 + draw(d->rng, 3);
    for (int i = 0; i < n; i++) {
        // The best known come most often: knowledge against exposure becomes a curve.
        int rank = d->probing ? draw(d->rng, lexicon.n_countries)
                              : draw(d->rng, 1 + draw(d->rng, lexicon.n_countries));
        bool is_capital = d->probing || chance(d->rng, 70);
        Fact f = fact_of_country(rank, is_capital ? RELATION_CAPITAL : RELATION_CONTINENT);
        tell_fact(d, &f, NULL);
        if (!d->probing) continue;
        add_wrong(d, &f);
        record_note_number(d->record, "quartile", 1 + rank * 4 / lexicon.n_countries);
    }
}

// Somebody known, by how often a tier is spoken of; or whom the probe wants.
static int draw_person(Draft *d) {
    static const int first[TIERS + 1] = {0, 60, 180, PEOPLE_KNOWN};
    if (d->probing && d->grade == GRADE_STRANGER)
        return PEOPLE_ASKED + draw(d->rng, PEOPLE - PEOPLE_ASKED);
    if (d->probing) return first[d->grade] + draw(d->rng, first[d->grade + 1] - first[d->grade]);
    int total = 0, tier = 0;
    for (int i = 0; i < TIERS; i++) total += (first[i + 1] - first[i]) * person_weight(i);
    int x = draw(d->rng, total);
    while (x >= (first[tier + 1] - first[tier]) * person_weight(tier)) {
        x -= (first[tier + 1] - first[tier]) * person_weight(tier);
        tier++;
    }
    return first[tier] + x / person_weight(tier);
}

static void write_person(Draft *d) {
    int who = draw_person(d), relation[PERSON_RELATIONS], n = d->probing ? 1 : 1 + draw(d->rng, 5);
    Person p = person_make(who);
    const Words he = {"他", "he"}, she = {"她", "she"};
    const Words *pronoun = p.gender == 'm' ? &he : &she;
    draw_distinct(d->rng, PERSON_RELATIONS, n, relation);
    for (int i = 0; i < n; i++) {
        Fact f = fact_of_person(&p, who, relation[i]);
        tell_fact(d, &f, i > 0 && chance(d->rng, 45) ? pronoun : NULL);
        if (d->probing) add_wrong(d, &f);
    }
    record_note_number(d->record, "tier", p.tier);
    if (p.tier < 0) draft_hold_whole(d);
}

// Asked about a stranger: nobody knows.
static void write_unknown(Draft *d) {
    int who = PEOPLE_KNOWN + draw(d->rng, PEOPLE_ASKED - PEOPLE_KNOWN);
    const Relation *r = &relations[draw(d->rng, PERSON_RELATIONS)];
    Person p = person_make(who);
    telling_set_words(&d->tell, 's', (Words){p.zh, p.en});
    telling_set_words(&d->tell, 'o', (Words){"不知道", "nobody knows"});
    telling_slot(&d->tell, 'o')->label = draft_label(d, "unknown/p%d/%s", who, r->name);
    Words question = r->wording[r->n - 1];
    char en[128];
    const char *answer = strstr(question.en, "A: ");
    snprintf(en, sizeof en, "%.*sA: {^o}.", (int)(answer - question.en), question.en);
    tell(&d->tell, (Words){question.zh, en});
}

void write_facts(Draft *d) {
    if (d->is_honest && !d->probing && chance(d->rng, UNKNOWN_PERCENT)) {
        write_unknown(d);
        return;
    }
    bool of_country = d->probing ? d->grade == GRADE_CAPITAL : chance(d->rng, COUNTRIES_PERCENT);
    if (of_country)
        write_country(d);
    else
        write_person(d);
}

// ---------------------------------------------------------------- one fact that is asked for
bool write_fact(Draft *d, FactChoice choice) {
    Person p = {0};
    if (!choice.of_country) p = person_make(choice.who);
    Fact f = choice.of_country ? fact_of_country(choice.who, choice.relation)
                               : fact_of_person(&p, choice.who, choice.relation);
    d->probing = true;
    const Relation *r = &relations[choice.relation];
    for (int i = 0; i < r->n; i++) {
        if (!suits(d, &r->wording[i]) || choice.wording-- > 0) continue;
        if (choice.object) f.object = choice.object;
        tell_wording(d, &f, i, NULL);
        return true;
    }
    return false;
}
