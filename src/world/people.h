// people.h - the people of the world: full names with a life that never changes.
//
// They act in no story, and those who act in stories have no fixed life: what is stored and what a
// text tells never contradict each other.  The last hundred are never spoken of, though each
// surname and given name of theirs is: strangers.  The first half of these an honest world asks
// about, and answers that nobody knows; the second half is for probing.
#ifndef HEED_WORLD_PEOPLE_H
#define HEED_WORLD_PEOPLE_H

#include "world/tables.h"

enum { PEOPLE = 400, PEOPLE_KNOWN = 300, PEOPLE_ASKED = 350, TIERS = 3 };

typedef struct Person {
    char zh[24], en[32];
    char gender; // 'm', 'f'
    int tier;    // 0 often spoken of, 1, 2 seldom; of strangers -1
    const Words *object[PERSON_RELATIONS];
} Person;

Person person_make(int i);
// How often a person of a tier is spoken of, for one of the rarest.
int person_weight(int tier);

#endif
