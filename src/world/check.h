// check.h - the world proves itself: labels, leaks, balance, and how varied it is.
#ifndef HEED_WORLD_CHECK_H
#define HEED_WORLD_CHECK_H

#include "world/faults.h"
#include "world/probes.h"
#include "world/tally.h"

enum { BALANCES_MAX = 64, EXAMPLE_MAX = 400 };

// Two classes that should be as frequent: how often the first was seen.
typedef struct Balance {
    const char *what, *first; // "senses bat", "animal"
    int64_t n_first, n;
} Balance;

// Of one phenomenon's probes.
typedef struct Leaks {
    int64_t items, in_key, in_text; // combination, or whole text, that training holds as well
    int64_t unfit;                  // prompts whose right answer is a wrong one too
    double chance;                  // mean over the items
} Leaks;

typedef struct Variety {
    int64_t documents, bytes, units;
    Tally texts, sentences, types; // types: words or Chinese characters
} Variety;

typedef struct WorldCheck {
    int64_t faults[N_FAULTS];
    char example[N_FAULTS][EXAMPLE_MAX]; // the first text with each
    Balance balance[BALANCES_MAX];
    int n_balances;
    Leaks leaks[PHENOMENA];
    Variety language[LANGUAGES], all; // translations count in neither language
    int64_t genre_documents[GENRES], genre_bytes[GENRES];
    int64_t valid_documents, valid_seen; // documents of the validation split; seen in training
    int64_t spans;
    double seconds; // of writing the training text alone
} WorldCheck;

typedef struct WorldCheckSpec {
    int64_t bytes;       // of training text; a tenth as much for validation
    int64_t probe_items; // of each phenomenon and grade
    bool (*go_on)(void *user, int64_t done, int64_t total); // bytes; NULL: never asked
    void *user;
} WorldCheckSpec;

// Writes training text, validation text and probes of the world's seed and looks at them.  Takes
// some 60 bytes of arena for each distinct sentence.  False with ERROR_CANCELLED if told to stop.
MUST_USE bool world_check(Arena *arena, World *world, const WorldCheckSpec *spec, WorldCheck *check,
                          Error *err);
// Is everything as it should be?  No fault, no leak, classes within 45 to 55 % where there are
// enough to say, nine texts in ten distinct, no sentence above half a percent.  Else `why` says
// what is not.
bool world_check_passes(const WorldCheck *check, char why[256]);

#endif
