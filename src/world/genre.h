// genre.h - one kind of text of the world, and what is at hand while one is written.
//
// A genre draws what it tells, tells it through telling.h, and says which combinations are in it;
// whoever asked for the text (world.h) draws again until they suit the split.  One combination in
// ten is held out of training.  Every genre that can be asked marks its answer with the label
// "ans" and names answers that would be wrong.
//
// A mirror is the same text but for the one thing that decides (the other cue, the other order,
// the other meaning): drawn from the same random numbers with `mirror` set.
#ifndef HEED_WORLD_GENRE_H
#define HEED_WORLD_GENRE_H

#include "world/telling.h"

enum { LABEL_MAX = 96, LABELS_MADE = 40 };

typedef struct Draft {
    Telling tell;
    Record *record, *scratch; // the text; room for other answers
    Rng *rng;
    Language language;
    bool probing; // an answer is wanted, and only what is held out
    bool mirror;
    bool is_honest; // strangers are sometimes asked about: nobody knows
    int grade;      // how hard: distance in units, pairs of a list; -1: as it comes
    bool any_held, all_held, is_whole;
    char label[LABELS_MADE][LABEL_MAX]; // labels made for this text: draft_label
    int n_labels;
} Draft;

typedef struct Genre {
    const char *name;
    int share;     // of 100 documents
    Words heading; // half of the documents begin with it; NULL: none
    void (*write)(Draft *);
} Genre;

enum { GENRES = 14 };
extern const Genre genres[GENRES];
// NULL if there is none of that name.
const Genre *genre_find(Str name);

// Says that the text holds a combination; one in ten is held out, always the same ones.
void draft_hold(Draft *d, const char *format, ...) PRINTF_LIKE(2, 3);
// Says that the text holds something that is held out as a whole, whatever it is combined with.
void draft_hold_whole(Draft *d);
// May the text be kept for training (false) or probing (true)?
bool draft_is_held(const Draft *d);
// A label that lives as long as the draft.
const char *draft_label(Draft *d, const char *format, ...) PRINTF_LIKE(2, 3);
// Tells `line` into the scratch record with the slots as they are and adds it as a wrong answer to
// what draft_answer named.
void draft_wrong(Draft *d, Words line);
void draft_wrong_text(Draft *d, const char *text);
// Says that the last span of this label is what a probe asks for.
void draft_answer(Draft *d, const char *label);
// A fair coin that a mirror turns round.
bool draft_coin(Draft *d);
// Is the combination held out?
bool is_held(const char *text);

// ---------------------------------------------------------------- cast.c
// `n` actors who differ in name and kind.
void draw_actors(Rng *rng, int n, Actor *out);
// Two who share a pronoun, or of whom one is "he" and the other "she".
void draw_alike(Rng *rng, Actor out[2]);
void draw_girl_and_boy(Rng *rng, Actor out[2]);
// An animal without a name.
Actor animal_actor(int id, int animal);
bool actor_can(const Actor *a, const char *any_of);
// Things of different nouns and colours into slots, one for each letter.  The first is of one of
// the sizes ("l" or "l0"; "": any; 0 is what is neither light nor big).
void draw_things(Telling *t, const char *letters, const char *sizes);
void draw_foods(Telling *t, const char *letters);
void draw_places(Telling *t, const char *letters);
void draw_containers(Telling *t, const char *letters);
void draw_acts(Telling *t, const char *letters);
// A moment into {m}, weather into {w}.
void draw_moment(Telling *t);
// Something that happens beside the story; `cast` holds who may not be in it.
void tell_aside(Telling *t, const Actor *cast, int n);
// Words that have nothing to do with anything, until `units` of text are told: characters of
// Chinese, words of English.
void tell_filler(Telling *t, int units);
// Units from byte `from` of the record on.
int text_units(const Record *r, int from);

// ---------------------------------------------------------------- facts.c
// One fact in one wording.
typedef struct FactChoice {
    bool of_country;
    int who;             // number of the country or person
    int relation;        // RELATION_CAPITAL ... (tables.h)
    int wording;         // of those in which the object comes after its subject
    const Words *object; // said instead of the true one; NULL: the truth
} FactChoice;
// False if there are fewer wordings.
bool write_fact(Draft *d, FactChoice choice);

// ---------------------------------------------------------------- the genres, one file each
void write_story(Draft *d);
void write_facts(Draft *d);
void write_senses(Draft *d);
void write_coreference(Draft *d);
void write_gender(Draft *d);
void write_order(Draft *d);
void write_agreement(Draft *d);
void write_induction(Draft *d);
void write_recall(Draft *d);
void write_review(Draft *d);
void write_translation(Draft *d);
void write_riddle(Draft *d);
void write_dialog(Draft *d);
void write_notice(Draft *d);

#endif
