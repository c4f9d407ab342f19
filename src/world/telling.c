// telling.c - lines with slots become sentences.
#include "world/telling.h"

#include <stdio.h>
#include <string.h>

int draw(Rng *rng, int n) {
    return (int)rng_below(rng, (uint64_t)n);
}

bool chance(Rng *rng, int percent) {
    return draw(rng, 100) < percent;
}

void draw_distinct(Rng *rng, int among, int n, int *out) {
    require(n <= among);
    for (int i = 0; i < n;) {
        int x = draw(rng, among), j = 0;
        while (j < i && out[j] != x) j++;
        if (j == i) out[i++] = x;
    }
}

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

void telling_set_words(Telling *t, char letter, Words words) {
    *telling_slot(t, letter) = (Slot){.kind = SLOT_WORDS, .words = words};
}

void telling_set_actor(Telling *t, char letter, Actor actor) {
    *telling_slot(t, letter) = (Slot){.kind = SLOT_ACTOR, .actor = actor};
}

void telling_forget(Telling *t) {
    t->before = t->now = (Scene){.focus = -1};
}

// ---------------------------------------------------------------- forms of one slot
static const char *pronoun(char gender, Language language, char form) {
    static const char *const english[3][4] = {{"he", "him", "his", "himself"},
                                              {"she", "her", "her", "herself"},
                                              {"it", "it", "its", "itself"}};
    static const char *const chinese[3][2] = {{"他", "他的"}, {"她", "她的"}, {"它", "它的"}};
    int g = gender == 'm' ? 0 : gender == 'f' ? 1 : 2;
    if (language == ZH) return form == 'r' ? "自己" : chinese[g][form == 'g'];
    return english[g][form == 'p' ? 0 : form == 'o' ? 1 : form == 'g' ? 2 : 3];
}

static void form_actor(const Actor *a, Language language, char form, char *out, size_t room) {
    const char *zh = a->name.zh, *en = a->name.en;
    bool is_kind = !a->is_named; // "the fox", where a name needs no article
    switch (form) {
    case 'p':
    case 'o':
    case 'g':
    case 'r': snprintf(out, room, "%s", pronoun(a->gender, language, form)); return;
    case 'm': snprintf(out, room, "%s", a->animal ? a->animal->measure : "个"); return;
    case 'k':
    case 'K':
        if (a->animal)
            zh = a->animal->name.zh, en = a->animal->name.en;
        else
            zh = a->gender == 'f' ? "女孩" : "男孩", en = a->gender == 'f' ? "girl" : "boy";
        is_kind = false;
        break;
    case 'v':
        snprintf(out, room, "%s%s", language == EN && is_kind ? "dear " : "",
                 language == ZH ? zh : en);
        return;
    default: break;
    }
    if (language == ZH)
        snprintf(out, room, "%s", zh);
    else
        snprintf(out, room, "%s%s", is_kind ? "the " : "", en);
}

static bool vowel_first(const char *word) {
    return word[0] && strchr("aeiouAEIOU", word[0]);
}

static void form_thing(const Slot *s, Language language, char form, char *out, size_t room) {
    const Thing *t = s->thing;
    bool is_zh = language == ZH, many = s->count > 1;
    const char *colour = s->colour ? words_in(s->colour, language) : "";
    const char *gap = s->colour && !is_zh ? " " : "";
    const char *noun = is_zh ? t->name.zh : t->name.en;
    const char *number = words_in(lexicon_number(many ? s->count : 1), language);
    const char *article = vowel_first(s->colour ? colour : noun) ? "an" : "a";
    switch (form) {
    case 'i':
        if (is_zh)
            snprintf(out, room, "一%s%s%s", t->measure, colour, noun);
        else
            snprintf(out, room, "%s %s%s%s", article, colour, gap, noun);
        break;
    case 'b': snprintf(out, room, "%s", noun); break;
    case 'd': snprintf(out, room, "%s%s", is_zh ? "" : "the ", noun); break;
    case 's': snprintf(out, room, "%s", is_zh ? noun : t->plural); break;
    case 'c': snprintf(out, room, "%s", colour); break;
    case 'C': // as an answer: 红色, 银色
        if (is_zh)
            snprintf(out, room, "%.*s色", (int)strcspn(colour, "色的"), colour);
        else
            snprintf(out, room, "%s", colour);
        break;
    case 'm': snprintf(out, room, "%s", t->measure); break;
    case 'w': snprintf(out, room, "%s", !is_zh && many ? t->plural : noun); break;
    case 'q':
        if (is_zh)
            snprintf(out, room, "%s%s", number, t->measure);
        else
            snprintf(out, room, "%s", many ? number : article);
        break;
    default: snprintf(out, room, "%s%s%s%s", is_zh ? "" : "the ", colour, gap, noun);
    }
}

static void form_food(const Food *f, Language language, char form, char *out, size_t room) {
    const char *name = words_in(&f->name, language);
    if (form == 'i')
        snprintf(out, room, "%s", words_in(&f->portion, language));
    else if (form == 'w')
        snprintf(out, room, "%s", f->is_plural ? "were" : "was");
    else
        snprintf(out, room, "%s%s", form == 'b' || language == ZH ? "" : "the ", name);
}

static const char *number_form(int n, Language language, char form) {
    if (form == 'o' && language == ZH) return lexicon_ordinal_zh(n);
    return words_in(lexicon_number(n), language);
}

void telling_form(const Slot *slot, Language language, char form, char *out, size_t room) {
    const char *word;
    bool is_zh = language == ZH;
    switch (slot->kind) {
    case SLOT_ACTOR: form_actor(&slot->actor, language, form, out, room); break;
    case SLOT_THING: form_thing(slot, language, form, out, room); break;
    case SLOT_FOOD: form_food(slot->food, language, form, out, room); break;
    case SLOT_PLACE:
        word = words_in(form == 'b' ? &slot->place->name : &slot->place->at, language);
        snprintf(out, room, "%s", word);
        break;
    case SLOT_CONTAINER:
        word = words_in(slot->container, language);
        if (form == 'i')
            snprintf(out, room, is_zh ? "%s里" : "in the %s", word);
        else
            snprintf(out, room, "%s%s", is_zh || form == 'b' ? "" : "the ", word);
        break;
    case SLOT_ACT:
        word = is_zh ? slot->act->zh : form == 'g' ? slot->act->ing : slot->act->past;
        snprintf(out, room, "%s", word);
        break;
    case SLOT_NUMBER:
        if (form == 'O')
            snprintf(out, room, is_zh ? "第%s天" : "day %s",
                     number_form(slot->number, language, 'o'));
        else if (form == 'd')
            snprintf(out, room, "%d", slot->number);
        else
            snprintf(out, room, "%s", number_form(slot->number, language, form));
        break;
    case SLOT_WORDS:
        word = words_in(&slot->words, language);
        if (form == 'b' && strncmp(word, "the ", 4) == 0) word += 4;
        snprintf(out, room, "%s", word);
        break;
    case SLOT_EMPTY: require(slot->kind != SLOT_EMPTY); // a line asks for what its genre never set
    }
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
    return chance(t->rng, t->before.focus == a->id ? 62 : 25) ? as_pronoun : 'n';
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
    if (t->language == ZH || r->n < 2 || !vowel_first(next)) return;
    const char *end = r->text + r->n;
    if (end[-1] != ' ' || (end[-2] | 32) != 'a') return;
    if (r->n == 2 || strchr(" \n", end[-3]) || (unsigned char)end[-3] >= 0x80)
        record_insert(t->record, r->n - 1, 'n');
}

static void write_actor(Telling *t, const Slot *s, char form) {
    char text[64], label[32];
    const Actor *a = &s->actor;
    bool is_about = form != 'k' && form != 'm' && form != 'r';
    if (form == 0 || form == 'o' || form == 'g') form = choose_form(t, a, form);
    bool is_pronoun = form == 'p' || form == 'o' || form == 'g';
    // A possessive that stayed a name: {a.g} asked, 'n' chosen; write_slot adds the ending.
    telling_form(s, t->language, form, text, sizeof text);
    fit_article(t, text);
    if (is_about) {
        snprintf(label, sizeof label, "%s/e%d", is_pronoun ? "pron" : "ent", a->id);
        record_open(t->record, label);
        meet(t, a);
    }
    write_text(t, text, strlen(text));
    if (is_about) record_close(t->record, NULL, 0);
}

static void write_slot(Telling *t, char letter, char form) {
    char text[128];
    const Slot *s = telling_slot(t, letter);
    if (s->label) record_open(t->record, s->label);
    if (s->kind == SLOT_ACTOR) {
        int before = t->record->n_spans;
        write_actor(t, s, form);
        bool is_name = form == 'g' && strncmp(record_label(t->record, before), "ent", 3) == 0;
        if (is_name) write_text(t, t->language == ZH ? "的" : "'s", t->language == ZH ? 3 : 2);
    } else {
        telling_form(s, t->language, form, text, sizeof text);
        fit_article(t, text);
        write_text(t, text, strlen(text));
        bool is_thing = s->kind == SLOT_THING || s->kind == SLOT_FOOD || s->kind == SLOT_CONTAINER;
        t->now.has_thing |= is_thing || (s->label && strncmp(s->label, "thing", 5) == 0);
    }
    if (s->label) record_close(t->record, NULL, 0);
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
    write_slot(t, letter, form);
    return p + 1;
}

void tell(Telling *t, Words line) {
    const Record *r = t->record;
    bool joins = t->language == EN && r->n > 0 && r->text[r->n - 1] != '\n' &&
                 r->text[r->n - 1] != ' ' && !str_ends(record_text(r), STR("：")); // a heading
    t->now = (Scene){.focus = -1};
    if (joins) write_text(t, " ", 1);
    bool after_cry = str_ends(record_text(r), STR("!” ")) || str_ends(record_text(r), STR("?” "));
    if (after_cry && t->language == EN) t->capital = true; // within a line it may go on: “Oh!” said
    const char *p = words_in(&line, t->language);
    while (*p) {
        size_t n = strcspn(p, "{[|~");
        write_text(t, p, n);
        p += n;
        if (*p == '{')
            p = read_slot(t, p + 1);
        else if (*p == '[') {
            record_open(t->record, NULL);
            p++;
        } else if (*p == '~') {
            t->now.has_thing = true;
            p++;
        } else if (*p == '|') {
            size_t length = strcspn(p + 1, "]");
            bool is_cue = t->cue && length == 3 && memcmp(p + 1, "cue", 3) == 0;
            record_close(t->record, is_cue ? t->cue : p + 1, is_cue ? strlen(t->cue) : length);
            p += length + 2;
        }
    }
    if (t->now.n_seen)
        t->before = t->now;
    else
        t->before.has_thing |= t->now.has_thing;
}

void tell_one(Telling *t, const Words *lines, int n) {
    tell(t, lines[draw(t->rng, n)]);
}
