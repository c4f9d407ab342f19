// senses.c - a word with two meanings, and which one is meant.
//
// The cue stands before the word or after it; what follows depends on the meaning, not on the cue;
// sometimes the meaning is asked for by name.  Held out: one cue in ten as a whole, and of the
// others one in ten of their combinations with what follows.
#include <stdio.h>
#include <string.h>

#include "world/genre.h"
#include "world/tables.h"

enum { GRADE_SEQUEL = 1 }; // of probes: what follows is asked for, not the meaning's name

// Frames.  D is the cue, W the word with its label.
static const Words act_frames[] = {
    {"{a.n}[{D}|cue]{W}", "{a.n} [{D}|cue] the {W}"},
    {"{m}，{a.n}[{D}|cue]{W}", "{m} {a.n} [{D}|cue] the {W}"},
    {"听说{a.n}[{D}|cue]{W}", "they say that {a.n} [{D}|cue] the {W}"},
    {"{a.n}昨天[{D}|cue]{W}", "yesterday {a.n} [{D}|cue] the {W}"},
};
static const Words seen_frames[] = {
    {"{a.n}在{p}看见[{D}|cue]的{W}", "{p} {a.n} saw a [{D}|cue] {W}"},
    {"照片上是[{D}|cue]的{W}", "in the picture was a [{D}|cue] {W}"},
    {"{m}，大家都来看[{D}|cue]的{W}", "{m} everybody came to see the [{D}|cue] {W}"},
    {"{a.n}指着[{D}|cue]的{W}", "{a.n} pointed to the [{D}|cue] {W}"},
};
static const Words told_frames[] = {
    {"{a.n}说起[{D}|cue]的{W}", "{a.n} talked about the [{D}|cue] {W}"},
    {"{m}，大家都在谈[{D}|cue]的{W}", "{m} everybody talked about the [{D}|cue] {W}"},
    {"{a.n}写信说起[{D}|cue]的{W}", "{a.n} wrote a letter about the [{D}|cue] {W}"},
    {"{a.n}给大家讲[{D}|cue]的{W}", "{a.n} told everybody about the [{D}|cue] {W}"},
};
static const Words openings[] = {
    {"", ""},
    {"", ""},
    {"", ""},
    {"{a.n}说，", "{a.n} said that "},
    {"听说", "they say that "},
    {"{a.n}写道，", "{a.n} wrote that "},
};

static int list_length(const char *const *list) {
    int n = 0;
    while (list[n]) n++;
    return n;
}

// "*从[树枝]上掉了下来" -> "{W}从[树枝|cue]上掉了下来"
static void frame_of_clause(const char *clause, char *out, size_t room) {
    size_t n = 0;
    for (const char *p = clause; *p; p++) {
        const char *piece = *p == '*' ? "{W}" : *p == ']' ? "|cue]" : (const char[]){*p, 0};
        n += (size_t)snprintf(out + n, room - n, "%s", piece);
        require(n < room);
    }
}

typedef struct Choice {
    const char *cue;
    char line[256];
    bool before; // the word
} Choice;

static void choose_frame(Draft *d, const Sense *s, Choice *c) {
    int n_acts = list_length(s->acts), n_mods = list_length(s->mods);
    int where = draw(d->rng, 3), i = (int)(rng_next(d->rng) >> 33), form = draw(d->rng, 4);
    const Words *opening = &openings[draw(d->rng, COUNT_OF(openings))];
    c->before = where < 2;
    if (!c->before) {
        c->cue = s->after[i % list_length(s->after)];
        int n = snprintf(c->line, sizeof c->line, "%s", words_in(opening, d->language));
        frame_of_clause(c->cue, c->line + n, sizeof c->line - (size_t)n);
        return;
    }
    bool is_act = i % (n_acts + n_mods) < n_acts;
    c->cue = is_act ? s->acts[i % (n_acts + n_mods)] : s->mods[i % (n_acts + n_mods) - n_acts];
    const Words *frames = is_act ? act_frames : s->is_abstract ? told_frames : seen_frames;
    const char *line = words_in(&frames[form], d->language);
    const char *the = strstr(line, "the {W}");
    bool is_name = the && telling_slot(&d->tell, 'W')->words.en[0] < 'a'; // Apple, not the Apple
    if (is_name)
        snprintf(c->line, sizeof c->line, "%.*s{W}", (int)(the - line), line);
    else
        snprintf(c->line, sizeof c->line, "%s", line);
}

// The question, with both answers in a random order that is the same for a mirror: there the other
// of the two is right.
static void ask(Draft *d, const Ambiguous *w, int right) {
    int first = draw(d->rng, 2);
    const char *name[2] = {w->sense[first].name, w->sense[!first].name};
    telling_set_words(&d->tell, 'x', (Words){name[0], name[0]});
    telling_set_words(&d->tell, 'y', (Words){name[1], name[1]});
    tell(&d->tell, (Words){"这里的{V}是{x}还是{y}？", "Is this {V} {x} or {y}?"});
    bool is_first = first == right;
    tell(&d->tell,
         is_first ? (Words){"[{x}|ans]。", "[{x}|ans]."} : (Words){"[{y}|ans]。", "[{y}|ans]."});
    draft_answer(d, "ans");
    draft_wrong(d, is_first ? (Words){"{y}", "{y}"} : (Words){"{x}", "{x}"});
    record_note(d->record, "options", is_first ? "first" : "second");
}

void write_senses(Draft *d) {
    Telling *t = &d->tell;
    bool is_zh = d->language == ZH;
    int i = draw(d->rng, is_zh ? n_ambiguous_zh : n_ambiguous_en);
    const Ambiguous *w = is_zh ? &ambiguous_zh[i] : &ambiguous_en[i];
    int which = draft_coin(d);
    const Sense *s = &w->sense[which];
    const char *word = w->word[which];
    Actor actor;
    Choice c;
    draw_actors(d->rng, 1, &actor);
    telling_set_actor(t, 'a', actor);
    draw_moment(t);
    draw_places(t, "p");
    telling_set_words(t, 'V', (Words){word, word});
    telling_set_words(t, 'W', (Words){word, word});
    choose_frame(d, s, &c);
    telling_slot(t, 'W')->label =
        draft_label(d, "amb/%s/%s/%s", w->word[0], s->key, c.before ? "before" : "after");
    telling_set_words(t, 'D', (Words){c.cue, c.cue});
    t->cue = draft_label(d, "cue/%s", s->key);

    int n_then = list_length(s->then), then = (int)(rng_next(d->rng) >> 33) % n_then;
    int x = draw(d->rng, 100);
    bool is_sequel = d->grade == GRADE_SEQUEL;
    bool asks = d->probing ? !is_sequel : x < 35,
         goes_on = d->probing ? x < 50 || is_sequel : x >= 18;
    bool is_new_cue = is_held(draft_label(d, "cue %s %s %s", w->word[0], s->key, c.cue));
    if (is_new_cue) draft_hold_whole(d);
    draft_hold(d, "sense %s %s %s %d", w->word[0], s->key, c.cue, goes_on ? then : -1);
    char line[512];
    const char *follow = draft_label(d, "cont/%s", s->key);
    if (!goes_on)
        snprintf(line, sizeof line, is_zh ? "%s。" : "%s.", c.line);
    else
        snprintf(line, sizeof line, is_zh ? "%s，[%s|%s]。" : "%s. [%s|%s]", c.line, s->then[then],
                 follow);
    tell(t, (Words){line, line});
    if (asks) ask(d, w, which);
    if (is_sequel) {
        const Sense *other = &w->sense[!which];
        draft_answer(d, follow);
        draft_wrong_text(d, other->then[then % list_length(other->then)]);
    }
    record_note(d->record, "word", w->word[0]);
    record_note(d->record, "sense", s->key);
    record_note(d->record, "pos", c.before ? "before" : "after");
    record_note(d->record, "held", is_new_cue ? "cue" : "combination");
}
