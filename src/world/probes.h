// probes.h - questions with right and wrong answers, one set for each phenomenon.
//
// An item is a prompt and continuations of it, one right; a model is right if the right one is the
// most probable.  Everything asked is held out of training: it measures generalisation.  Where the
// text has a mirror (the other cue, the other order), both are asked and share a pair number, so
// that what wins by frequency alone can be told: it wins one of the two.
#ifndef HEED_WORLD_PROBES_H
#define HEED_WORLD_PROBES_H

#include "world/world.h"

enum { PHENOMENA = 17, GRADES_MAX = 8 };

typedef struct Phenomenon {
    const char *name, *genre;
    bool language[LANGUAGES];
    bool is_mirrored;
    int wrong; // answers beside the right one: chance is 1 / (1 + wrong)
    struct {
        int grade; // genre.h
        const char *group;
    } grades[GRADES_MAX];   // to the first without a group
    const char *group_note; // the record's note that names the group, where grades do not
} Phenomenon;
extern const Phenomenon phenomena[PHENOMENA];

// One item of a phenomenon.
typedef struct ProbeItem {
    const Phenomenon *phenomenon;
    const Record *record; // whose beginning is the prompt
    const char *group;
    int prompt_bytes;
    int64_t pair; // number of the item, the same for its mirror
    Str right, wrong[RECORD_WRONG_MAX];
    int n_wrong;
} ProbeItem;

// Item `number` of the phenomenon at its grade `i_grade`, made in `arena`; the record lives until
// the next.  Even numbers are Chinese and odd ones English where the phenomenon has both.
ProbeItem probe_make(Arena *arena, World *world, const Phenomenon *phenomenon, int i_grade,
                     int64_t number, bool mirror);
// Cuts a record where its answer begins: prompt, right and wrong continuations.  No phenomenon.
ProbeItem probe_cut(Arena *arena, const Record *record);
int phenomenon_grades(const Phenomenon *phenomenon);
// {"phenomenon", "group", "lang", "pair", "prompt", "right", "wrong": [], "spans": []}
void probe_json(const ProbeItem *probe, JsonWriter *w);

#endif
