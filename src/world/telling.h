// telling.h - a sentence told in one of two languages, with labels as it goes.
//
// A line holds both languages; a telling has one and fills the line's slots:
//
//     {"{a}把{t}放进{k}里。", "{a} put {t} into {k}."}
//
// A slot is a letter, and perhaps a form after a dot:
//
//     actor      {a} name or pronoun, as the reader can follow   {a.n} name   {a.p} he
//                {a.o} him or the name   {a.g} his or the name's   {a.r} himself
//                {a.v} when called   {a.k} what it is: rabbit, girl   {a.K} the same, as a mention
//                {a.m} measure word
//     thing      {t} the red kite   {t.i} a red kite   {t.b} kite   {t.d} the kite   {t.s} kites
//                {t.c} red   {t.C} red, 红色   {t.q} two (with its measure)   {t.w} kite, by number
//                {t.m} measure word
//     food       {f} the noodles   {f.i} a bowl of noodles   {f.b} noodles   {f.w} was/were
//     place      {p} by the pond   {p.b} the pond
//     container  {k} the tin   {k.i} in the tin   {k.b} tin
//     act        {x} counted clouds   {x.g} counting clouds
//     number     {n} two, 两   {n.d} 2   {n.o} two, 二   {n.O} day two, 第二天
//     words      {w} as they are   {w.b} without an English "the"
//
// [text|label] labels the text; brackets may nest and hold slots.  {^a} begins with a capital where
// the engine cannot know it (inside a quotation); ~ says that a thing was named, for "it".
//
// In English the rest is done here: capitals at the beginning of sentences, a or an before a slot,
// a blank between sentences.  A full stop after a quotation that has its own is left out.
//
// Pronouns.  {a} becomes a pronoun only where it can mean one actor: who was named in the sentence
// before or in this one, with no other in either who shares the pronoun, and, for "it", no thing
// in either.  That is what makes the labels of pronouns true.
#ifndef HEED_WORLD_TELLING_H
#define HEED_WORLD_TELLING_H

#include "world/draw.h"
#include "world/lexicon.h"
#include "world/record.h"

typedef struct Actor {
    int id; // ent/eID, pron/eID
    Words name;
    char gender; // 'm', 'f', 'n'
    bool is_named;
    const Animal *animal; // NULL: a child
} Actor;

typedef enum SlotKind {
    SLOT_EMPTY,
    SLOT_WORDS,
    SLOT_ACTOR,
    SLOT_THING,
    SLOT_FOOD,
    SLOT_PLACE,
    SLOT_CONTAINER,
    SLOT_ACT,
    SLOT_NUMBER
} SlotKind;

typedef struct Slot {
    SlotKind kind;
    const char *label; // of a span over it; NULL: none, or the actor's own
    union {
        Words words;
        Actor actor;
        struct {
            const Thing *thing;
            const Words *colour; // NULL: not said
            int count;
        };
        const Food *food;
        const Place *place;
        const Words *container;
        const Act *act;
        int number;
    };
} Slot;

enum { SLOTS = 'z' - 'A' + 1, SEEN_MAX = 8 };

// Who was named lately, for pronouns.
typedef struct Scene {
    Actor seen[SEEN_MAX]; // in the last sentence that named somebody
    int n_seen;
    int focus; // id of who came first in it, -1: none
    bool has_thing;
} Scene;

typedef struct Telling {
    Record *record; // written at its end
    Rng *rng;
    Language language;
    Slot slot[SLOTS]; // by letter: telling_slot
    Scene before, now;
    bool capital;    // the next letter begins a sentence
    bool is_free;    // pronouns are not chosen: {a} is the name
    const char *cue; // what [..|cue] is labelled with, NULL: "cue"
    char stop;       // the last mark of this kind in what was written: . ! ? or 0
} Telling;

// A telling that begins at the end of `record`.
Telling telling_begin(Record *record, Rng *rng, Language language);
Slot *telling_slot(Telling *t, char letter);
void telling_set_words(Telling *t, char letter, Words words);
void telling_set_number(Telling *t, char letter, int number);
void telling_set_actor(Telling *t, char letter, Actor actor);

// Tells a line as one sentence (or several that belong together).
void tell(Telling *t, Words line);
// Tells one of `n` lines.
void tell_one(Telling *t, const Words *lines, int n);
// Nobody is known any more: a new line of thought begins.
void telling_forget(Telling *t);
// ---------------------------------------------------------------- forms.c
// The slot in a form, alone: "the red kite".  At most `room` bytes with the NUL.
void telling_form(const Slot *slot, Language language, char form, char *out, size_t room);
// Does the word want "an"?
bool form_has_vowel(const char *word);

#endif
