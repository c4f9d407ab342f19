// pronouns.c - who is meant: two genres.
//
// Coreference: two actors share the pronoun, and only the reason that follows decides (after
// Winograd's schemas; Levesque, Davis and Morgenstern 2012).  Every schema has a reason for either.
// Gender: a girl and a boy, and the pronoun alone decides.
//
// Held out: a schema with a pair of actors, in either order; the last schema as a whole.
#include <stdio.h>
#include <string.h>

#include "world/genre.h"
#include "world/tables.h"

// The names of a pair in an order that does not depend on who comes first.
static void hold_pair(Draft *d, const char *what, int number, const Actor pair[2]) {
    const char *a = pair[0].name.en, *b = pair[1].name.en;
    if (strcmp(a, b) > 0) a = pair[1].name.en, b = pair[0].name.en;
    draft_hold(d, "%s %d %s %s", what, number, a, b);
}

void write_coreference(Draft *d) {
    Telling *t = &d->tell;
    int i = draw(d->rng, n_schemas);
    const Schema *s = &schemas[i];
    Actor pair[2];
    draw_alike(d->rng, pair);
    for (int k = 0; k < 2; k++) telling_set_actor(t, "ab"[k], pair[k]);
    int which = draft_coin(d);
    telling_set_actor(t, 'm', pair[which]); // who is meant
    telling_set_actor(t, 'o', pair[!which]);
    telling_set_words(t, 'c', s->cue[which]);
    telling_set_words(t, 'd', s->then[which]);
    hold_pair(d, "schema", i, pair);
    if (i == n_schemas - 1) draft_hold_whole(d);

    // The pronoun is the schema's, whoever else it might be; names stay names.
    char zh[256], en[256];
    const char *at_zh = strstr(s->statement.zh, "{p}"), *at_en = strstr(s->statement.en, "{p}");
    snprintf(zh, sizeof zh, "%.*s{m.p}[{c}|cue]。", (int)(at_zh - s->statement.zh),
             s->statement.zh);
    snprintf(en, sizeof en, "%.*s{m.p} [{c}|cue].", (int)(at_en - s->statement.en),
             s->statement.en);
    t->is_free = true;
    tell(t, (Words){zh, en});
    if (chance(d->rng, 50))
        tell(t, (Words){"谁{c}？[{m.n}|ans]。", "Who {c}? [{m.n}|ans]."});
    else
        tell(t, (Words){"于是[{m.n}|ans]{d}。", "So [{m.n}|ans] {d}."});
    draft_answer(d, "ans");
    draft_wrong(d, (Words){"{o.n}", "{o.n}"});
    record_note_number(d->record, "schema", i);
    record_note(d->record, "ant", which ? "second" : "first");
    record_note(d->record, "held", i == n_schemas - 1 ? "schema" : "combination");
}

void write_gender(Draft *d) {
    Telling *t = &d->tell;
    Actor pair[2];
    draw_girl_and_boy(d->rng, pair);
    for (int k = 0; k < 2; k++) telling_set_actor(t, "ab"[k], pair[k]);
    int which = draft_coin(d); // who the first pronoun means
    telling_set_actor(t, 'm', pair[which]);
    telling_set_actor(t, 'o', pair[!which]);
    draw_acts(t, "xy");
    draw_places(t, "p");
    hold_pair(d, "gender", 0, pair);
    t->is_free = true;
    static const Words scenes[] = {
        {"{a.n}和{b.n}来到{p.b}。{m.p}在{x}，{o.p}在{y}。",
         "{a.n} and {b.n} came to {p.b}. {m.p} was {x.g}, and {o.p} was {y.g}."},
        {"{p}只有{a.n}和{b.n}。{m.p}在{x}，{o.p}却在{y}。",
         "There was nobody {p} but {a.n} and {b.n}. {m.p} was {x.g}, but {o.p} was {y.g}."},
        {"{a.n}去找{b.n}的时候，{m.p}正在{x}，{o.p}正在{y}。",
         "When {a.n} and {b.n} met, {m.p} was {x.g} and {o.p} was {y.g}."},
    };
    tell_one(t, scenes, 2 + (d->language == EN));
    bool first = chance(d->rng, 50);
    if (!first) {
        Slot keep = *telling_slot(t, 'm');
        *telling_slot(t, 'm') = *telling_slot(t, 'o');
        *telling_slot(t, 'o') = keep;
        *telling_slot(t, 'x') = *telling_slot(t, 'y');
    }
    tell(t, (Words){"谁在{x}？[{m.n}|ans]。", "Who was {x.g}? [{m.n}|ans]."});
    draft_answer(d, "ans");
    draft_wrong(d, (Words){"{o.n}", "{o.n}"});
    record_note(d->record, "ant", which == first ? "second" : "first");
}
