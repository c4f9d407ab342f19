// agreement.c - in English a verb agrees with its noun past another one; in Chinese a noun has its
// measure word.
//
// Held out: a noun with a verb, in both numbers; a noun with a number of things.
#include <stdio.h>
#include <string.h>

#include "world/genre.h"
#include "world/tables.h"

// Something between noun and verb; h is another animal, of a number of its own.
static const char *const between[] = {
    "", " {p}", " near {h}", " behind {h}", " beside {h}", " with {t.i}", " that {h} {k}",
};

static void tell_english(Draft *d) {
    Telling *t = &d->tell;
    int animal[2], verb = draw(d->rng, n_presents);
    const Animal *noun, *other;
    do {
        draw_distinct(d->rng, lexicon.n_animals, 2, animal);
        noun = &lexicon.animals[animal[0]];
        other = &lexicon.animals[animal[1]];
    } while (strcmp(noun->name.en, noun->plural) == 0 ||
             strcmp(other->name.en, other->plural) == 0);
    bool many = draft_coin(d), others = chance(d->rng, 50);
    int i = d->probing ? 2 + draw(d->rng, 3) : draw(d->rng, COUNT_OF(between));
    if (d->probing) others = !many; // the nearer noun has the other number
    draft_hold(d, "agree %s %s", noun->name.en, presents[verb].one);
    char subject[64], attractor[64], line[256];
    snprintf(subject, sizeof subject, "the %s", many ? noun->plural : noun->name.en);
    snprintf(attractor, sizeof attractor, "the %s", others ? other->plural : other->name.en);
    telling_set_words(t, 's', (Words){"", subject});
    telling_set_words(t, 'h', (Words){"", attractor});
    telling_set_words(t, 'v', (Words){"", many ? presents[verb].many : presents[verb].one});
    telling_set_words(t, 'u', (Words){"", many ? presents[verb].one : presents[verb].many});
    draw_places(t, "p");
    draw_things(t, "t", "");
    telling_set_words(t, 'k', (Words){"", others ? "know" : "knows"});
    snprintf(line, sizeof line, "[{s}|S]%s [{v}|V].", between[i]);
    tell(t, (Words){"", line});
    if (!d->probing) return;
    draft_answer(d, "V");
    char text[64];
    telling_form(telling_slot(t, 'u'), EN, 0, text, sizeof text);
    draft_wrong_text(d, text);
}

static void tell_chinese(Draft *d) {
    Telling *t = &d->tell;
    int n = d->probing ? 1 : 2 + draw(d->rng, 3), thing[8];
    draw_distinct(d->rng, lexicon.n_things, 5, thing);
    draw_places(t, "p");
    tell(t, (Words){"{p}有", ""});
    for (int i = 0; i < n; i++) {
        int k = d->probing ? draft_coin(d) : i; // of two with different measures
        while (d->probing && lexicon.things[thing[0]].measure[0] &&
               str_equal(str_from(lexicon.things[thing[0]].measure),
                         str_from(lexicon.things[thing[1]].measure)))
            thing[1] = draw(d->rng, lexicon.n_things);
        const Thing *noun = &lexicon.things[thing[k]];
        int count = 1 + draw(d->rng, 5);
        if (count == 1) count = 6;
        draft_hold(d, "measure %s %d", noun->name.zh, count);
        telling_set_number(t, 'n', count);
        telling_set_words(t, 'c', (Words){noun->measure, ""});
        telling_set_words(t, 's', (Words){noun->name.zh, ""});
        telling_set_words(t, 'k', lexicon.colours[draw(d->rng, lexicon.n_colours)]);
        if (i > 0) tell(t, (Words){i == n - 1 ? "和" : "、", ""});
        bool coloured = chance(d->rng, 50);
        tell(t, (Words){coloured ? "{n}[{c}|V]{k}[{s}|S]" : "{n}[{c}|V][{s}|S]", ""});
        if (!d->probing) continue;
        draft_answer(d, "V");
        draft_wrong_text(d, lexicon.things[thing[!k]].measure);
    }
    if (!d->probing && chance(d->rng, 50)) {
        const Animal *animal = &lexicon.animals[draw(d->rng, lexicon.n_animals)];
        telling_set_number(t, 'n', 2 + draw(d->rng, 5));
        telling_set_words(t, 'c', (Words){animal->measure, ""});
        telling_set_words(t, 's', animal->name);
        tell(t, (Words){"，还有{n}[{c}|V][{s}|S]", ""});
    }
    tell(t, (Words){"。", ""});
}

void write_agreement(Draft *d) {
    int n = d->probing ? 1 : 1 + draw(d->rng, 3);
    if (d->language == ZH)
        tell_chinese(d);
    else
        for (int i = 0; i < n; i++) tell_english(d);
}
