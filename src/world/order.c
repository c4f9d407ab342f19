// order.c - who does what to whom, which only the order of the words tells: active, passive, 把.
//
// Held out: a verb with a pair of actors, in either order; the last verb as a whole.
#include <stdio.h>
#include <string.h>

#include "world/genre.h"
#include "world/tables.h"

typedef enum Voice { ACTIVE, PASSIVE, BA } Voice;

static void event_line(const Verb *v, Voice voice, char *zh, char *en, size_t room) {
    if (voice == PASSIVE) {
        snprintf(zh, room, "[{b.n}|O]被[{a.n}|S][%s|V]%s", v->zh, v->tail_passive);
        snprintf(en, room, "[{b.n}|O] was [%s|V] by [{a.n}|S]", v->participle);
        return;
    }
    if (voice == BA)
        snprintf(zh, room, "[{a.n}|S]把[{b.n}|O][%s|V]%s", v->zh, v->tail_ba);
    else
        snprintf(zh, room, "[{a.n}|S][%s|V]%s[{b.n}|O]%s", v->zh, v->middle, v->tail);
    snprintf(en, room, "[{a.n}|S] [%s|V] [{b.n}|O]", v->past);
}

// What happens to one of them then, joined to the event.
static const Words joints[] = {
    {"。结果[{r.n}|ans]{h}。", ". Then [{r.n}|ans] {h}."},
    {"，于是[{r.n}|ans]{h}。", ", and [{r.n}|ans] {h}."},
    {"。[{r.n}|ans]{h}。", ". [{r.n}|ans] {h}."},
    {"。后来，[{r.n}|ans]{h}。", ". Afterwards [{r.n}|ans] {h}."},
};

void write_order(Draft *d) {
    Telling *t = &d->tell;
    int i = draw(d->rng, n_verbs);
    const Verb *v = &verbs[i];
    Actor pair[2];
    draw_actors(d->rng, 2, pair);
    bool turned = draft_coin(d); // who does it
    telling_set_actor(t, 'a', pair[turned]);
    telling_set_actor(t, 'b', pair[!turned]);
    const char *first = pair[0].name.en, *second = pair[1].name.en;
    bool sorted = strcmp(first, second) < 0;
    draft_hold(d, "order %s %s %s", v->zh, sorted ? first : second, sorted ? second : first);
    bool is_last = i == n_verbs - 1;
    if (is_last) draft_hold_whole(d);

    int x = draw(d->rng, 10);
    Voice voice = x < 3 ? PASSIVE : x < 5 && v->tail_ba ? BA : ACTIVE;
    bool of_doer = chance(d->rng, 50);
    telling_set_words(t, 'h', (of_doer ? v->doer : v->undergoer)[draw(d->rng, 3)]);
    *telling_slot(t, 'r') = *telling_slot(t, of_doer ? 'a' : 'b');
    *telling_slot(t, 'o') = *telling_slot(t, of_doer ? 'b' : 'a');
    draw_moment(t);
    draw_places(t, "p");
    char zh[256], en[256], zh_all[512], en_all[512];
    event_line(v, voice, zh, en, sizeof zh);
    const Words *joint = &joints[draw(d->rng, COUNT_OF(joints))];
    int opening = draw(d->rng, 3);
    const char *opening_zh = opening == 0 ? "{m}，" : opening == 1 ? "{p}，" : "";
    snprintf(zh_all, sizeof zh_all, "%s%s%s", opening_zh, zh, joint->zh);
    snprintf(en_all, sizeof en_all, "%s%s%s", opening == 0 ? "{m} " : "", en, joint->en);
    t->is_free = true;
    tell(t, (Words){zh_all, en_all});
    draft_answer(d, "ans");
    draft_wrong(d, (Words){"{o.n}", "{o.n}"});
    if (!d->probing && chance(d->rng, 40)) {
        snprintf(zh, sizeof zh, "谁%s%s谁%s？{a.n}%s%s{b.n}%s。", v->zh, v->middle, v->tail, v->zh,
                 v->middle, v->tail);
        snprintf(en, sizeof en, "Who %s whom? {a.n} %s {b.n}.", v->past, v->past);
        tell(t, (Words){zh, en});
    }
    record_note(d->record, "verb", v->zh);
    record_note(d->record, "voice", voice == ACTIVE ? "active" : voice == BA ? "ba" : "passive");
    record_note(d->record, "ant", of_doer ? "doer" : "undergoer");
    record_note(d->record, "held", is_last ? "verb" : "combination");
}
