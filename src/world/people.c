// people.c - lives, made from a fixed seed of their own.
#include "world/people.h"

#include <stdio.h>

#include "base/rng.h"

enum { PEOPLE_SEED = 20, STRIDE = 181 }; // prime to the number of full names: no name comes twice

int person_weight(int tier) {
    static const int weights[TIERS] = {9, 3, 1};
    return weights[tier];
}

Person person_make(int i) {
    Person p = {.tier = i >= PEOPLE_KNOWN ? -1 : i < 60 ? 0 : i < 180 ? 1 : 2};
    Rng rng = rng_seed((uint64_t)PEOPLE_SEED << 32 | (uint64_t)i);
    int full = i * STRIDE % (lexicon.n_surnames * lexicon.n_given);
    const Words *surname = &lexicon.surnames[full % lexicon.n_surnames];
    const Words *given = &lexicon.given[full / lexicon.n_surnames];
    snprintf(p.zh, sizeof p.zh, "%s%s", surname->zh, given->zh);
    snprintf(p.en, sizeof p.en, "%s %s", surname->en, given->en);
    p.gender = rng_below(&rng, 2) ? 'm' : 'f';
    const struct {
        const Words *list;
        int n;
    } range[] = {[RELATION_TOWN] = {lexicon.towns, lexicon.n_towns},
                 [RELATION_JOB] = {lexicon.jobs, lexicon.n_jobs},
                 [RELATION_FIRM] = {lexicon.firms, lexicon.n_firms},
                 [RELATION_PET] = {lexicon.pets, lexicon.n_pets},
                 [RELATION_INSTRUMENT] = {lexicon.instruments, lexicon.n_instruments}};
    for (int k = 0; k < RELATION_FOOD; k++)
        p.object[k] = &range[k].list[rng_below(&rng, (uint64_t)range[k].n)];
    p.object[RELATION_FOOD] = &lexicon.foods[rng_below(&rng, (uint64_t)lexicon.n_foods)].name;
    return p;
}
