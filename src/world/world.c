// world.c - documents from numbers.
#include "world/world.h"

#include <string.h>

WorldSpec world_default(void) {
    WorldSpec spec = {.seed = 1, .language = {true, true}};
    for (int i = 0; i < GENRES; i++) spec.share[i] = genres[i].share;
    return spec;
}

bool world_set_genres(WorldSpec *spec, Str list, Error *err) {
    memset(spec->share, 0, sizeof spec->share);
    for (size_t from = 0; from <= list.n;) {
        size_t end = str_find(list, STR(","), from);
        Str item = str_slice(list, from, end == SIZE_MAX ? list.n : end);
        size_t equals = str_find(item, STR("="), 0);
        const Genre *genre = genre_find(str_slice(item, 0, equals == SIZE_MAX ? item.n : equals));
        if (!genre)
            return error_set(err, ERROR_USAGE, "--genre: no such genre: '%.*s'", STR_ARG(item));
        int64_t share = genre->share;
        if (equals != SIZE_MAX &&
            (!str_int(str_slice(item, equals + 1, item.n), &share) || share < 1 || share > 1000))
            return error_set(err, ERROR_USAGE,
                             "--genre: a share is a number from 1 to 1000: '%.*s'", STR_ARG(item));
        spec->share[genre - genres] = (int)share;
        from = end == SIZE_MAX ? list.n + 1 : end + 1;
    }
    return true;
}

static bool is_translation(int genre) {
    return genres[genre].write == write_translation;
}

// The genre's share, 0 where the languages do not allow it.
static int share_of(const WorldSpec *spec, int genre) {
    bool both = spec->language[ZH] && spec->language[EN];
    return is_translation(genre) && !both ? 0 : spec->share[genre];
}

bool world_check_spec(const WorldSpec *spec, Error *err) {
    int total = 0;
    for (int i = 0; i < GENRES; i++) total += share_of(spec, i);
    if (total > 0 && (spec->language[ZH] || spec->language[EN])) return true;
    return error_set(err, ERROR_USAGE, "translations need both languages");
}

World *world_make(Arena *arena, WorldSpec spec) {
    World *world = arena_push(arena, sizeof *world);
    world->spec = spec;
    return world;
}

// ---------------------------------------------------------------- one document
// A stream of its own for each kind and number: mixed by the generator itself.
static Rng stream(const World *world, int kind, int64_t number) {
    Rng rng = rng_seed(world->spec.seed);
    uint64_t base = rng_next(&rng);
    rng = rng_seed(base ^ (uint64_t)(kind + 1) * 0x9e3779b97f4a7c15u);
    base = rng_next(&rng);
    return rng_seed(base + (uint64_t)number);
}

static void begin(World *world, Rng *rng, const Genre *genre, Language language) {
    Draft *d = &world->draft;
    record_clear(&world->record);
    world->record.genre = genre->name;
    world->record.language = language == ZH ? "zh" : "en";
    if (genre->write == write_translation)
        world->record.language = language == ZH ? "zh-en" : "en-zh";
    *d = (Draft){.record = &world->record,
                 .scratch = &world->scratch,
                 .rng = rng,
                 .language = language,
                 .grade = -1,
                 .all_held = true};
    d->is_honest = world->spec.is_honest;
    d->tell = telling_begin(&world->record, rng, language);
}

static const Genre *draw_genre(const WorldSpec *spec, Rng *rng) {
    int total = 0, i = 0;
    for (int k = 0; k < GENRES; k++) total += share_of(spec, k);
    int x = draw(rng, total);
    while (x >= share_of(spec, i)) x -= share_of(spec, i++);
    return &genres[i];
}

static void write_heading(Draft *d, const Genre *genre) {
    if (!genre->heading.zh || !chance(d->rng, 50)) return;
    telling_set_words(&d->tell, 'h', genre->heading);
    tell(&d->tell, (Words){"{h}：", "{h}:"});
    d->tell.capital = d->language == EN;
}

const Record *world_document(World *world, int64_t number) {
    const WorldSpec *spec = &world->spec;
    Rng rng = stream(world, spec->split, number);
    const Genre *genre = draw_genre(spec, &rng);
    bool english = chance(&rng, 50);
    if (!spec->language[ZH] || !spec->language[EN]) english = spec->language[EN];
    do {
        begin(world, &rng, genre, english ? EN : ZH);
        Draft *d = &world->draft;
        d->probing = spec->split == SPLIT_PROBE && genre->write != write_notice;
        if (d->probing && genre->write == write_facts) d->grade = draw(&rng, 5);
        if (!d->probing) write_heading(d, genre);
        genre->write(d);
    } while (draft_is_held(&world->draft) != world->draft.probing);
    world->record.id = number;
    return &world->record;
}

// ---------------------------------------------------------------- items for probing
// Writes the item from where the stream stands; true if it may be asked.
static bool write_item(World *world, Rng *rng, const Genre *genre, Language language, int grade,
                       bool mirror) {
    begin(world, rng, genre, language);
    Draft *d = &world->draft;
    d->probing = true;
    d->mirror = mirror;
    d->grade = grade;
    genre->write(d);
    return draft_is_held(d) && world->record.answer >= 0 && world->record.n_wrong > 0;
}

const Record *world_item(World *world, const Genre *genre, Language language, int grade,
                         int64_t number, bool mirror) {
    int kind = 16 + (int)(genre - genres) * 4096 + (grade + 1) * 2 + language;
    Rng rng = stream(world, kind, number);
    for (;;) {
        Rng again = rng;
        bool suits = write_item(world, &rng, genre, language, grade, !mirror);
        if (suits && write_item(world, &again, genre, language, grade, mirror)) break;
    }
    world->record.id = number;
    return &world->record;
}

const Record *world_fact(World *world, Language language, FactChoice choice) {
    Rng rng = rng_seed(world->spec.seed);
    begin(world, &rng, genre_find(STR("facts")), language);
    return write_fact(&world->draft, choice) ? &world->record : NULL;
}
