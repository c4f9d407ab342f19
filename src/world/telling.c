// telling.c - lines with slots become sentences: who is named how, capitals, labels.
#include "world/telling.h"

#include <stdio.h>
#include <string.h>

Telling telling_begin(Record *record, Rng *rng, Language language) {
    Telling t = {.record = record, .rng = rng, .language = language};
    t.before.focus = t.now.focus = -1;
    t.capital = language == EN;
    return t;
}

Slot *telling_slot(Telling *t, char letter) {
    require(letter >= 'A' && letter <= 'z');
    return &t->slot[letter - 'A'];
}

void telling_set_number(Telling *t, char letter, int number) {
    *telling_slot(t, letter) = (Slot){.kind = SLOT_NUMBER, .number = number};
}

void telling_set_words(Telling *t, char letter, Words words) {
    *telling_slot(t, letter) = (Slot){.kind = SLOT_WORDS, .words = words};
}

void telling_set_actor(Telling *t, char letter, Actor actor) {
    *telling_slot(t, letter) = (Slot){.kind = SLOT_ACTOR, .actor = actor};
}

void telling_forget(Telling *t) {
    t->before = t->now = (Scene){.focus = -1};
}

// ---------------------------------------------------------------- names or pronouns
static bool knows(const Scene *s, int id) {
    for (int i = 0; i < s->n_seen; i++)
        if (s->seen[i].id == id) return true;
    return false;
}

static bool has_rival(const Scene *s, const Actor *a) {
    if (a->gender == 'n' && s->has_thing) return true;
    for (int i = 0; i < s->n_seen; i++)
        if (s->seen[i].id != a->id && s->seen[i].gender == a->gender) return true;
    return false;
}

// The form that {a}, {a.o} and {a.g} take here: a pronoun's, or 'n'.  A subject that was the
// subject before is mostly a pronoun; Chinese repeats a name within a sentence.
static char choose_form(const Telling *t, const Actor *a, char form) {
    char as_pronoun = form == 0 ? 'p' : form;
    bool here = knows(&t->now, a->id);
    if (t->is_free || has_rival(&t->now, a)) return 'n';
    if (here) return t->language == EN || form == 'g' ? as_pronoun : 'n';
    if (!knows(&t->before, a->id) || has_rival(&t->before, a)) return 'n';
    if (form == 'g') return 'g';
    return chance(t->rng, t->before.focus == a->id ? 80 : 45) ? as_pronoun : 'n';
}

static void meet(Telling *t, const Actor *a) {
    if (knows(&t->now, a->id)) return;
    require(t->now.n_seen < SEEN_MAX);
    if (t->now.n_seen == 0) t->now.focus = a->id;
    t->now.seen[t->now.n_seen++] = *a;
}

// ---------------------------------------------------------------- writing
// Bytes of a full stop at the beginning of s that follows a quotation which has its own.
static size_t doubled_stop(const Telling *t, const char *s, size_t n) {
    static const char *const ends[] = {".”", "!”", "?”", "。”", "！”", "？”"};
    size_t length = n >= 1 && s[0] == '.' ? 1 : n >= 3 && memcmp(s, "。", 3) == 0 ? 3 : 0;
    if (length == 0) return 0;
    for (int i = 0; i < COUNT_OF(ends); i++)
        if (str_ends(record_text(t->record), str_from(ends[i]))) return length;
    return 0;
}

// English: a capital where a sentence begins.  A sentence ends with . ! ? before a blank, and with
// a full stop inside a closing quotation mark; after “Oh!” the sentence may go on.
static void write_text(Telling *t, const char *s, size_t n) {
    size_t doubled = doubled_stop(t, s, n);
    s += doubled;
    n -= doubled;
    if (t->language == ZH) {
        record_add(t->record, s, n);
        return;
    }
    for (size_t i = 0; i < n;) {
        bool is_close = n - i >= 3 && memcmp(s + i, "”", 3) == 0;
        size_t length = is_close ? 3 : 1;
        char c = s[i];
        if (is_close)
            t->stop = t->stop == '.' ? '.' : 0;
        else if (c == '.' || c == '!' || c == '?')
            t->stop = c;
        else {
            if (c == '\n' || (c == ' ' && t->stop)) t->capital = true;
            t->stop = 0;
        }
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (t->capital && c >= 'a' && c <= 'z') c = (char)(c - 'a' + 'A');
        if (is_letter) t->capital = false;
        record_add(t->record, is_close ? s + i : &c, length);
        i += length;
    }
}

// "a " before a vowel becomes "an ".
static void fit_article(Telling *t, const char *next) {
    const Record *r = t->record;
    if (t->language == ZH || r->n < 2 || !form_has_vowel(next)) return;
    const char *end = r->text + r->n;
    if (end[-1] != ' ' || (end[-2] | 32) != 'a') return;
    if (r->n == 2 || strchr(" \n", end[-3]) || (unsigned char)end[-3] >= 0x80)
        record_insert(t->record, r->n - 1, 'n');
}

static void write_actor(Telling *t, const Slot *s, char asked) {
    char text[64], label[32];
    const Actor *a = &s->actor;
    bool is_choice = asked == 0 || asked == 'o' || asked == 'g';
    char form = is_choice ? choose_form(t, a, asked) : asked;
    bool is_pronoun = form == 'p' || form == 'o' || form == 'g';
    bool is_mention = form != 'k' && form != 'm' && form != 'r';
    telling_form(s, t->language, form, text, sizeof text);
    fit_article(t, text);
    if (is_mention) {
        snprintf(label, sizeof label, "%s/e%d", is_pronoun ? "pron" : "ent", a->id);
        record_open(t->record, label);
        meet(t, a);
    }
    write_text(t, text, strlen(text));
    if (is_mention) record_close(t->record, NULL, 0);
    if (asked == 'g' && !is_pronoun) // the name's
        write_text(t, t->language == ZH ? "的" : "'s", t->language == ZH ? 3 : 2);
}

static void write_other(Telling *t, const Slot *s, char form) {
    char text[128];
    bool is_thing = s->kind == SLOT_THING || s->kind == SLOT_FOOD || s->kind == SLOT_CONTAINER;
    telling_form(s, t->language, form, text, sizeof text);
    fit_article(t, text);
    write_text(t, text, strlen(text));
    t->now.has_thing |= is_thing || (s->label && strncmp(s->label, "thing", 5) == 0);
}

// {a}, {a.n}, {^a}; returns what follows the brace.
static const char *read_slot(Telling *t, const char *p) {
    if (*p == '^') {
        t->capital = t->language == EN;
        p++;
    }
    char letter = *p++, form = 0;
    if (*p == '.') form = p[1], p += 2;
    require(*p == '}');
    const Slot *s = telling_slot(t, letter);
    if (s->label) record_open(t->record, s->label);
    if (s->kind == SLOT_ACTOR)
        write_actor(t, s, form);
    else
        write_other(t, s, form);
    if (s->label) record_close(t->record, NULL, 0);
    return p + 1;
}

// [, |label], ~: returns what follows.
static const char *read_mark(Telling *t, const char *p) {
    if (*p == '[') record_open(t->record, NULL);
    if (*p == '~') t->now.has_thing = true;
    if (*p != '|') return p + 1;
    size_t n = strcspn(p + 1, "]");
    bool is_cue = t->cue && n == 3 && memcmp(p + 1, "cue", 3) == 0;
    record_close(t->record, is_cue ? t->cue : p + 1, is_cue ? strlen(t->cue) : n);
    return p + n + 2;
}

// English: a blank after what is there already, and a capital after a cry that ended it (within a
// line a sentence may go on behind one: “Oh!” said Mia).
static void join(Telling *t) {
    Str text = record_text(t->record);
    bool begins = text.n == 0 || text.data[text.n - 1] == '\n' || text.data[text.n - 1] == ' ';
    if (t->language == ZH || begins || str_ends(text, STR("："))) return;
    if (str_ends(text, STR("!”")) || str_ends(text, STR("?”"))) t->capital = true;
    write_text(t, " ", 1);
}

void tell(Telling *t, Words line) {
    t->now = (Scene){.focus = -1};
    join(t);
    for (const char *p = words_in(&line, t->language); *p;) {
        size_t n = strcspn(p, "{[|~");
        write_text(t, p, n);
        p += n;
        if (*p == '{')
            p = read_slot(t, p + 1);
        else if (*p)
            p = read_mark(t, p);
    }
    if (t->now.n_seen)
        t->before = t->now;
    else
        t->before.has_thing |= t->now.has_thing;
}

void tell_one(Telling *t, const Words *lines, int n) {
    tell(t, lines[draw(t->rng, n)]);
}
