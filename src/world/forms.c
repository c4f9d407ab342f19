// forms.c - what one slot says in each of its forms: names, articles, plurals, measure words.
#include <stdio.h>
#include <string.h>

#include "world/telling.h"

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

bool form_has_vowel(const char *word) {
    return word[0] && strchr("aeiouAEIOU", word[0]);
}

// 红, 银色的, 粉红的 -> 红色, 银色, 粉红色
static void form_colour(const char *colour, Language language, char *out, size_t room) {
    Str stem = str_from(colour);
    if (str_ends(stem, STR("的"))) stem.n -= 3;
    if (str_ends(stem, STR("色"))) stem.n -= 3;
    snprintf(out, room, language == ZH ? "%.*s色" : "%.*s", STR_ARG(stem));
}

static void form_thing(const Slot *s, Language language, char form, char *out, size_t room) {
    const Thing *t = s->thing;
    bool is_zh = language == ZH, many = s->count > 1;
    const char *colour = s->colour ? words_in(s->colour, language) : "";
    const char *gap = s->colour && !is_zh ? " " : "";
    const char *noun = is_zh ? t->name.zh : t->name.en;
    const char *number = words_in(lexicon_number(many ? s->count : 1), language);
    const char *article = form_has_vowel(s->colour ? colour : noun) ? "an" : "a";
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
    case 'C': // as an answer
        form_colour(colour, language, out, room);
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
