// lexicon.h - what the mini-world is made of: words of two languages that mean the same.
//
// Data only, in lexicon_table.c; anybody can add a line.  Everything is static and never changes.
// Moments, places and weather are written as they stand inside a sentence; a capital comes from
// the place where they are said.
#ifndef HEED_WORLD_LEXICON_H
#define HEED_WORLD_LEXICON_H

#include <stdbool.h>

typedef enum Language { ZH, EN, LANGUAGES } Language;

// The same in Chinese and English.  May hold places for slots: see telling.h.
typedef struct Words {
    const char *zh, *en;
} Words;

static inline const char *words_in(const Words *w, Language language) {
    return language == ZH ? w->zh : w->en;
}

typedef struct Name {
    Words name;
    char gender; // 'm', 'f'
} Name;

typedef struct Animal {
    Words name;
    const char *plural, *measure;
    Words trait[3];  // of every one of its kind: answers riddles
    const char *can; // f flies, c climbs, t is tall, s swims, d digs
} Animal;

typedef struct Thing {
    Words name;
    const char *plural, *measure;
    char size; // 'l' the wind can carry it off, 'b' too big for a hand, 0 neither
} Thing;

typedef struct Food {
    Words name, portion; // "noodles", "a bowl of noodles"
    bool is_plural;      // the noodles are
} Food;

typedef struct Place {
    Words at, name; // "by the pond", "the pond"
} Place;

// What somebody does for a while: zh, past, -ing form.
typedef struct Act {
    const char *zh, *past, *ing;
} Act;

typedef struct Country {
    Words name, capital;
    char continent; // e a f s n o
} Country;

typedef struct Lexicon {
    const Name *names;
    const Animal *animals;
    const Thing *things;
    const Words *colours; // Chinese as it stands before a noun: 红, 银色的
    const Food *foods;
    const Place *places;
    const Words *containers, *moments, *weather, *traits, *towns, *firms, *pets, *instruments;
    const Act *acts;
    const Words *jobs, *surnames, *given, *plants;
    const Country *countries; // the best known first
    int n_names, n_animals, n_things, n_colours, n_foods, n_places, n_containers, n_moments;
    int n_weather, n_traits, n_towns, n_firms, n_pets, n_instruments, n_acts, n_jobs, n_surnames;
    int n_given, n_plants, n_countries;
} Lexicon;
extern const Lexicon lexicon;

// The continent of a country.
const Words *lexicon_continent(char letter);
// 0 .. 20: how it counts things (两 / two), and in an order (二 / two).
const Words *lexicon_number(int n);
const char *lexicon_ordinal_zh(int n);
enum { NUMBER_MAX = 20 };

#endif
