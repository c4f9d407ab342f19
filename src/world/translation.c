// translation.c - one sentence in both languages; al/N on both sides marks what belongs together.
//
// N: 1 time, 2 who, 3 verb, 4 number, 5 colour, 6 thing, 7 place, 8 whom.  Place and time stand
// elsewhere in the other language.  Held out: one in ten of who, verb and thing.
#include <stdio.h>
#include <string.h>

#include "world/genre.h"
#include "world/tables.h"

// What can be done to things (t), food (f) and others (e), and not done.
typedef struct Doing {
    const char *zh, *zh_not, *en, *en_not, *to;
} Doing;

static const Doing doings[] = {
    {"买了", "没有买", "bought", "did not buy", "tf"},
    {"看见了", "没有看见", "saw", "did not see", "te"},
    {"画了", "没有画", "drew", "did not draw", "te"},
    {"丢了", "没有丢", "lost", "did not lose", "t"},
    {"找到了", "没有找到", "found", "did not find", "te"},
    {"藏起了", "没有藏", "hid", "did not hide", "t"},
    {"做了", "没有做", "made", "did not make", "f"},
    {"吃了", "没有吃", "ate", "did not eat", "f"},
    {"带来了", "没有带来", "brought", "did not bring", "tf"},
    {"借了", "没有借", "borrowed", "did not borrow", "t"},
    {"卖了", "没有卖", "sold", "did not sell", "tf"},
    {"捡到了", "没有捡到", "picked up", "did not pick up", "t"},
    {"梦见了", "没有梦见", "dreamed of", "did not dream of", "te"},
    {"洗了", "没有洗", "washed", "did not wash", "t"},
    {"闻到了", "没有闻到", "smelled", "did not smell", "f"},
    {"忘了带", "没有忘带", "forgot to bring", "did not forget to bring", "tf"},
    {"遇见了", "没有遇见", "met", "did not meet", "e"},
    {"修好了", "没有修好", "mended", "did not mend", "t"},
    {"想要", "不想要", "wanted", "did not want", "tf"},
    {"跟着", "没有跟着", "followed", "did not follow", "e"},
};

// One sentence; everything else about it is in slots: a who, m when, p where, t f b what.
typedef struct Sentence {
    const Doing *doing;
    char kind; // of what it is done to: t f e
    bool has_moment, has_place, moment_last, is_not, has_colour;
} Sentence;

static void write_sentence(const Sentence *s, char *zh, char *en, size_t room) {
    const char *object_zh = "[{f.i}|al/6]", *object_en = object_zh;
    if (s->kind == 'e') object_zh = object_en = "[{b.n}|al/8]";
    if (s->kind == 't' && s->has_colour) {
        object_zh = "[{t.q}|al/4][{t.c}|al/5][{t.w}|al/6]";
        object_en = "[{t.q}|al/4] [{t.c}|al/5] [{t.w}|al/6]";
    } else if (s->kind == 't') {
        object_zh = "[{t.q}|al/4][{t.w}|al/6]";
        object_en = "[{t.q}|al/4] [{t.w}|al/6]";
    }
    if (s->is_not && s->kind == 't') { // 没有看见水壶: no number
        object_zh = s->has_colour ? "[{t.c}|al/5][{t.w}|al/6]" : "[{t.w}|al/6]";
        object_en = s->has_colour ? "{t.q} [{t.c}|al/5] [{t.w}|al/6]" : "{t.q} [{t.w}|al/6]";
    }
    if (s->is_not && s->kind == 'f') object_zh = object_en = "[{f.b}|al/6]";
    snprintf(zh, room, "%s[{a.n}|al/2]%s[%s|al/3]%s。", s->has_moment ? "[{m}|al/1]，" : "",
             s->has_place ? "[在{p}|al/7]" : "", s->is_not ? s->doing->zh_not : s->doing->zh,
             object_zh);
    snprintf(en, room, "%s[{a.n}|al/2] [%s|al/3] %s%s%s.",
             s->has_moment && !s->moment_last ? "[{m}|al/1] " : "",
             s->is_not ? s->doing->en_not : s->doing->en, object_en,
             s->has_place ? " [{p}|al/7]" : "",
             s->has_moment && s->moment_last ? " [{m}|al/1]" : "");
}

static Sentence draw_sentence(Draft *d) {
    Telling *t = &d->tell;
    Sentence s = {.doing = &doings[draw(d->rng, COUNT_OF(doings))]};
    Actor actor[3];
    s.kind = s.doing->to[draw(d->rng, (int)strlen(s.doing->to))];
    draw_actors(d->rng, 3, actor);
    for (int i = 0; i < 3; i++) telling_set_actor(t, "abc"[i], actor[i]);
    draw_moment(t);
    draw_places(t, "pq");
    draw_things(t, "tu", "");
    draw_foods(t, "fg");
    Slot *thing = telling_slot(t, 't');
    thing->count = chance(d->rng, 60) ? 1 : 2 + draw(d->rng, 4);
    s.has_colour = chance(d->rng, 60);
    if (!s.has_colour) thing->colour = telling_slot(t, 'u')->colour = NULL;
    telling_slot(t, 'u')->count = thing->count;
    thing->label = telling_slot(t, 'u')->label = NULL;
    s.has_moment = chance(d->rng, 60);
    s.has_place = chance(d->rng, 60);
    s.moment_last = chance(d->rng, 40);
    s.is_not = thing->count == 1 && chance(d->rng, 12);
    const Slot *object = telling_slot(t, s.kind == 't' ? 't' : s.kind == 'f' ? 'f' : 'b');
    char what[64];
    telling_form(object, EN, s.kind == 'e' ? 'n' : 'b', what, sizeof what);
    draft_hold(d, "translation %s %s %s", actor[0].name.en, s.doing->en, what);
    return s;
}

// The same sentence with another verb, another object, another doer.
static void add_wrong(Draft *d, const Sentence *s) {
    Telling *t = &d->tell;
    char line[2][512];
    Sentence other = *s;
    do other.doing = &doings[draw(d->rng, COUNT_OF(doings))];
    while (other.doing == s->doing || !strchr(other.doing->to, s->kind));
    write_sentence(&other, line[ZH], line[EN], sizeof line[0]);
    draft_wrong(d, (Words){line[ZH], line[EN]});
    write_sentence(s, line[ZH], line[EN], sizeof line[0]);
    const char own = s->kind == 'e' ? 'b' : s->kind,
               second = s->kind == 'e' ? 'c' : (char)(own + 1);
    Slot keep = *telling_slot(t, own), who = *telling_slot(t, 'a');
    *telling_slot(t, own) = *telling_slot(t, second);
    draft_wrong(d, (Words){line[ZH], line[EN]});
    *telling_slot(t, own) = keep;
    *telling_slot(t, 'a') = *telling_slot(t, s->kind == 'e' ? 'c' : 'b');
    draft_wrong(d, (Words){line[ZH], line[EN]});
    *telling_slot(t, 'a') = who;
}

void write_translation(Draft *d) {
    static const Words headings[LANGUAGES] = {{"中文：", "Chinese:"}, {"英文：", "English:"}};
    Telling *t = &d->tell;
    char line[2][512], whole[600];
    Sentence s = draw_sentence(d);
    t->is_free = true;
    write_sentence(&s, line[ZH], line[EN], sizeof line[0]);
    Language source = d->language, target = source == ZH ? EN : ZH;
    tell(t, (Words){"中文：", "English:"});
    t->capital = source == EN;
    tell(t, (Words){line[ZH], line[EN]});
    record_add(t->record, "\n", 1);
    const char *heading = words_in(&headings[target], source);
    record_add(t->record, heading, strlen(heading));
    t->language = d->language = target;
    t->capital = target == EN;
    if (source == EN) record_add(t->record, " ", 1);
    snprintf(whole, sizeof whole, "[%s|ans]", line[target]);
    tell(t, (Words){whole, whole});
    draft_answer(d, "ans");
    if (d->probing) add_wrong(d, &s);
    d->language = source;
    record_note(d->record, "verb", s.doing->en);
}
