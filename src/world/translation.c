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

// One sentence; everything else about it is in slots: a who, m when, p where, t f b x what.
typedef struct Sentence {
    char kind; // what is done to: t a thing, f food, e somebody, v somebody by a verb of the table,
               // x nothing: an act
    char verb_zh[64], verb_en[64]; // with their label
    const char *tail_zh;           // behind the object
    const char *key;               // names the verb
    bool has_moment, has_place, moment_last, is_not, has_colour;
} Sentence;

static void object_lines(const Sentence *s, const char **zh, const char **en) {
    *zh = *en = s->is_not ? "[{f.b}|al/6]" : "[{f.i}|al/6]";
    if (s->kind == 'x') *zh = *en = "";
    if (s->kind == 'e' || s->kind == 'v') *zh = *en = "[{b.n}|al/8]";
    if (s->kind != 't') return;
    if (s->is_not) { // 没有看见水壶: no number
        *zh = s->has_colour ? "[{t.c}|al/5][{t.w}|al/6]" : "[{t.w}|al/6]";
        *en = s->has_colour ? "{t.q} [{t.c}|al/5] [{t.w}|al/6]" : "{t.q} [{t.w}|al/6]";
        return;
    }
    *zh = s->has_colour ? "[{t.q}|al/4][{t.c}|al/5][{t.w}|al/6]" : "[{t.q}|al/4][{t.w}|al/6]";
    *en = s->has_colour ? "[{t.q}|al/4] [{t.c}|al/5] [{t.w}|al/6]" : "[{t.q}|al/4] [{t.w}|al/6]";
}

static void write_sentence(const Sentence *s, char line[LANGUAGES][512]) {
    const char *object_zh, *object_en;
    object_lines(s, &object_zh, &object_en);
    bool first = s->has_moment && !s->moment_last, last = s->has_moment && s->moment_last;
    snprintf(line[ZH], 512, "%s[{a.n}|al/2]%s%s%s%s。", s->has_moment ? "[{m}|al/1]，" : "",
             s->has_place ? "[在{p}|al/7]" : "", s->verb_zh, object_zh, s->tail_zh);
    snprintf(line[EN], 512, "%s[{a.n}|al/2] %s%s%s%s%s.", first ? "[{m}|al/1] " : "", s->verb_en,
             object_en[0] ? " " : "", object_en, s->has_place ? " [{p}|al/7]" : "",
             last ? " [{m}|al/1]" : "");
}

// The verb: one sentence in five is an act, one in six an event of verbs_table.c.
static void draw_verb(Draft *d, Sentence *s) {
    int x = draw(d->rng, 30);
    s->tail_zh = "";
    if (x < 6) {
        s->kind = 'x';
        s->key = "act";
        snprintf(s->verb_zh, sizeof s->verb_zh, s->has_place ? "[{x}|al/3]" : "[在{x}|al/3]");
        snprintf(s->verb_en, sizeof s->verb_en, "[was {x.g}|al/3]");
    } else if (x < 11) {
        const Verb *v = &verbs[draw(d->rng, n_verbs - 1)]; // the last one is held out
        s->kind = 'v';
        s->key = v->past;
        s->tail_zh = v->tail;
        snprintf(s->verb_zh, sizeof s->verb_zh, "[%s|al/3]%s", v->zh, v->middle);
        snprintf(s->verb_en, sizeof s->verb_en, "[%s|al/3]", v->past);
    } else {
        const Doing *doing = &doings[draw(d->rng, COUNT_OF(doings))];
        s->kind = doing->to[draw(d->rng, (int)strlen(doing->to))];
        s->key = doing->en;
        const char *zh = s->is_not ? doing->zh_not : doing->zh;
        snprintf(s->verb_zh, sizeof s->verb_zh, "[%s|al/3]", zh);
        snprintf(s->verb_en, sizeof s->verb_en, "[%s|al/3]", s->is_not ? doing->en_not : doing->en);
    }
}

// The slot of what it is done to.
static char object_slot(const Sentence *s) {
    return s->kind == 'e' || s->kind == 'v' ? 'b' : s->kind;
}

static Sentence draw_sentence(Draft *d) {
    Telling *t = &d->tell;
    Sentence s = {0};
    Actor actor[3];
    draw_actors(d->rng, 3, actor);
    for (int i = 0; i < 3; i++) telling_set_actor(t, "abc"[i], actor[i]);
    draw_moment(t);
    draw_places(t, "p");
    draw_things(t, "tu", "");
    draw_foods(t, "fg");
    draw_acts(t, "xyz");
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
    draw_verb(d, &s);
    char what[128], form = object_slot(&s) == 'b' ? 'n' : object_slot(&s) == 'x' ? 'g' : 'b';
    telling_form(telling_slot(t, object_slot(&s)), EN, form, what, sizeof what);
    draft_hold(d, "translation %s %s %s", actor[0].name.en, s.key, what);
    return s;
}

// Tells the sentence as a wrong answer with one slot filled from another.
static void add_swapped(Draft *d, const Sentence *s, char slot, char from) {
    char line[LANGUAGES][512];
    Slot keep = *telling_slot(&d->tell, slot);
    *telling_slot(&d->tell, slot) = *telling_slot(&d->tell, from);
    write_sentence(s, line);
    draft_wrong(d, (Words){line[ZH], line[EN]});
    *telling_slot(&d->tell, slot) = keep;
}

// The same sentence with another verb, another object, another doer.
static void add_wrong(Draft *d, const Sentence *s) {
    char line[LANGUAGES][512];
    Sentence other = *s;
    if (s->kind == 'x') {
        add_swapped(d, s, 'x', 'y');
        add_swapped(d, s, 'x', 'z');
        add_swapped(d, s, 'a', 'b');
        return;
    }
    do draw_verb(d, &other);
    while (strcmp(other.key, s->key) == 0 || other.kind != s->kind);
    write_sentence(&other, line);
    draft_wrong(d, (Words){line[ZH], line[EN]});
    char own = object_slot(s);
    add_swapped(d, s, own, own == 'b' ? 'c' : (char)(own + 1));
    add_swapped(d, s, 'a', own == 'b' ? 'c' : 'b');
}

void write_translation(Draft *d) {
    static const Words headings[LANGUAGES] = {{"中文：", "Chinese:"}, {"英文：", "English:"}};
    Telling *t = &d->tell;
    char line[LANGUAGES][512], whole[600];
    Sentence s = draw_sentence(d);
    t->is_free = true;
    write_sentence(&s, line);
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
    record_note(d->record, "verb", s.key);
}
