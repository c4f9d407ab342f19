// tables.h - the shapes of what genres are made of.  The data lies in *_table.c and nowhere else;
// anybody can add a line.  Lists of words end with NULL.
#ifndef HEED_WORLD_TABLES_H
#define HEED_WORLD_TABLES_H

#include "world/lexicon.h"

// ---------------------------------------------------------------- senses_table.c
// One meaning of a word with two.  Cues stand before the word (acts, mods) or after it:
//
//     acts   what somebody does to it     小明[吃了一个]苹果      Ben [peeled] the apple
//     mods   what stands before the noun  [熟透了]的苹果          the [ripe] apple
//     after  a clause: * is the word, [..] the cue
//     then   what follows because of the meaning, not of the cue
typedef struct Sense {
    const char *key, *name; // "fruit", "a fruit"
    bool is_abstract;       // talked about, not looked at
    const char *acts[9], *mods[8], *after[6], *then[6];
} Sense;

typedef struct Ambiguous {
    const char *word[2]; // as each sense writes it: "apple", "Apple"
    Sense sense[2];
} Ambiguous;

// The words of a language.
extern const Ambiguous ambiguous_zh[], ambiguous_en[];
extern const int n_ambiguous_zh, n_ambiguous_en;

// ---------------------------------------------------------------- schemas_table.c
// Two actors who share a pronoun, and two reasons, of which each fits one of them.
typedef struct Schema {
    Words statement; // {a}, {b}, and {p} for the pronoun at its end
    Words cue[2];    // what decides for a, for b
    Words then[2];   // what that one then does
} Schema;
extern const Schema schemas[];
extern const int n_schemas;

// ---------------------------------------------------------------- verbs_table.c
// A relation that only the order of the words decides, and what then happens to the doer and to
// the undergoer.  In Chinese: a V middle b tail, b 被 a V tail_passive, a 把 b V tail_ba.
typedef struct Verb {
    const char *zh, *middle, *tail, *tail_passive, *tail_ba; // tail_ba NULL: no 把
    const char *past, *participle;
    Words doer[3], undergoer[3];
} Verb;
extern const Verb verbs[];
extern const int n_verbs;

// What animals do, for agreement: "sings", "sing".
typedef struct Present {
    const char *one, *many;
} Present;
extern const Present presents[];
extern const int n_presents;

// ---------------------------------------------------------------- reviews_table.c
typedef struct Reviewed {
    Words name;
    Words good[7], bad[7];
    int n_good, n_bad;
} Reviewed;
extern const Reviewed reviewed[];
extern const int n_reviewed;
extern const Words praise[], blame[]; // of anything
extern const int n_praise, n_blame;

// ---------------------------------------------------------------- facts_table.c
// A relation between somebody (or a country) {s} and {o}.  The last wording is a question.
enum { WORDINGS_MAX = 8 };
typedef struct Relation {
    const char *name;
    Words wording[WORDINGS_MAX];
    int n;
} Relation;
enum {
    RELATION_TOWN,
    RELATION_JOB,
    RELATION_FIRM,
    RELATION_PET,
    RELATION_INSTRUMENT,
    RELATION_FOOD,
    PERSON_RELATIONS,
    RELATION_CAPITAL = PERSON_RELATIONS,
    RELATION_CONTINENT,
    RELATIONS
};
extern const Relation relations[RELATIONS];

// ---------------------------------------------------------------- plots_table.c
// One step of a story.  `when` is '+' or '-' for one of the two ways the story can go, 0 for both;
// `share` how often it is told, of 100; `effect` what it changes in the world:
//
//     t=a    thing t is with actor a (or in container k, at place p)
//     a-     a is away and sees nothing        a+   a is back, and still thinks what it thought
typedef struct Beat {
    char when;
    int share;
    const char *effect;
    const Words *lines;
    int n;
} Beat;

// A question whose answer the world knows.  `right`: a slot with its form ("b", "t.c"), or a look
// at the world: "@t" where t is, "a@t" where a thinks it is.  `wrong`: slots of the same kind; one
// that is right is passed over.
typedef struct Ask {
    char when;
    Words question;
    const char *right, *wrong;
} Ask;

// `needs`: r b reaches what c cannot; s b can swim and c cannot; l the wind can carry t off; h t
// can be held in a hand; n somebody is new, so it cannot go on from another plot; 3 5 how many act.
typedef struct Plot {
    const char *name, *needs;
    const Beat *beats;
    const Ask *asks;
    int n_beats, n_asks;
} Plot;
extern const Plot plots[];
extern const int n_plots;
// How somebody with a name is introduced; steps that introduce hold {a.K}.
extern const Words intro_named[];
extern const int n_intro_named;

#endif
