// riddle.c - an animal by its traits.  Held out: one order of traits in ten.
#include <stdio.h>
#include <string.h>

#include "world/genre.h"

static const Words questions[] = {{"它是谁？", "What is it?"},
                                  {"这是什么动物？", "Which animal is it?"},
                                  {"猜猜是谁？", "Who is it?"}};

void write_riddle(Draft *d) {
    Telling *t = &d->tell;
    int animal[3], trait[3];
    draw_distinct(d->rng, lexicon.n_animals, 3, animal);
    const Animal *a = &lexicon.animals[animal[0]];
    int n = 2 + draw(d->rng, 2);
    draw_distinct(d->rng, 3, 3, trait);
    for (int i = 0; i < n; i++) telling_set_words(t, "xyz"[i], a -> trait[trait[i]]);
    draft_hold(d, "riddle %s %s %s", a->trait[trait[0]].en, a->trait[trait[1]].en,
               n > 2 ? a->trait[trait[2]].en : "");
    telling_set_words(t, 'a', a->name);
    static const Words openings[] = {{"谜语：", "A riddle: it "}, {"猜一猜：", "Guess: it "}};
    const Words *opening = &openings[draw(d->rng, COUNT_OF(openings))];
    char zh[256], en[256];
    snprintf(zh, sizeof zh, "%s{x}，{y}%s。", opening->zh, n > 2 ? "，{z}" : "");
    snprintf(en, sizeof en, "%s{x}, it {y}%s.", opening->en, n > 2 ? ", it {z}" : "");
    tell(t, (Words){zh, en});
    tell_one(t, questions, COUNT_OF(questions));
    tell(t, (Words){"[{a}|ans]。", "[A {a}|ans]."});
    draft_answer(d, "ans");
    for (int i = 1; i < 3; i++) {
        telling_set_words(t, 'a', lexicon.animals[animal[i]].name);
        draft_wrong(d, (Words){"{a}", "a {a}"});
    }
    record_note(d->record, "animal", a->name.en);
}
