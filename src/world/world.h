// world.h - the mini-world: a bilingual corpus whose truth is known, written from a seed.
//
// Each document has a random stream of its own, made from seed, split and number: the same numbers
// give the same bytes on every machine, any document can be written without those before it, and a
// corpus of any size takes the memory of one document.
#ifndef HEED_WORLD_WORLD_H
#define HEED_WORLD_WORLD_H

#include "world/genre.h"

typedef enum Split {
    SPLIT_TRAIN, // combinations that are held out never come
    SPLIT_VALID, // the same, other documents
    SPLIT_PROBE  // nothing but what is held out
} Split;

typedef struct WorldSpec {
    uint64_t seed;
    Split split;
    bool language[LANGUAGES];
    int share[GENRES]; // of the documents; relative to their sum
    bool is_honest;    // some questions about strangers, answered: nobody knows
} WorldSpec;

// All genres with their shares, both languages.
WorldSpec world_default(void);
// "story" or "story=3,recall=2": these genres alone, with these shares or their own.
MUST_USE bool world_set_genres(WorldSpec *spec, Str list, Error *err);
// ERROR_USAGE if no text can come of it: no language, translations into one language alone.
MUST_USE bool world_check_spec(const WorldSpec *spec, Error *err);

typedef struct World {
    WorldSpec spec;
    Draft draft;
    Record record, scratch; // the document; wrong answers while they are made
} World;

// In `arena`; it is large.
World *world_make(Arena *arena, WorldSpec spec);
// Document `number` of the stream; lives in the world until the next call.
const Record *world_document(World *world, int64_t number);
// Item `number` of a genre for probing, at a grade (genre.h), in a language, with its answer and
// wrong answers: held out itself, and so is its mirror.
const Record *world_item(World *world, const Genre *genre, Language language, int grade,
                         int64_t number, bool mirror);
// A fact in a chosen wording, its object the answer; NULL if there is no such wording.
const Record *world_fact(World *world, Language language, FactChoice choice);

#endif
