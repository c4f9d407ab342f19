// test_world.c - the mini-world: what it says is so, what is held out stays out, and whoever looks
// for faults finds them.
#include "base/map.h"
#include "base/utf8.h"
#include "tests/test.h"
#include "world/check.h"
#include "world/edits.h"
#include "world/people.h"
#include "world/tables.h"

// A world in an arena of its own, both dropped by its end.
typedef struct Stage {
    Arena arena;
    World *world;
} Stage;

static Stage stage_begin(void) {
    Stage s = {0};
    Error err = {0};
    require(arena_init(&s.arena, ARENA_DEFAULT / 4, &err));
    s.world = world_make(&s.arena, world_default());
    return s;
}

static void stage_end(Stage *s) {
    arena_drop(&s->arena);
}

static uint64_t digest(World *world, int64_t from, int64_t to) {
    uint64_t all = 0;
    for (int64_t i = from; i < to; i++) {
        const Record *r = world_document(world, i);
        all = all * 31 + hash_bytes(r->text, (size_t)r->n, 1);
    }
    return all;
}

// ---------------------------------------------------------------- the same everywhere
// The digest is of these bytes on any machine; a new line in a table of words changes it.
TEST(world, same_seed_same_bytes) {
    Stage s = stage_begin();
    uint64_t first = digest(s.world, 0, 500);
    CHECK(first == digest(s.world, 0, 500));
    if (first != UINT64_C(0x1f689a46bea8e65a))
        test_check(false, __FILE__, __LINE__, "digest %#llx", (unsigned long long)first);
    s.world->spec.seed = 2;
    CHECK(first != digest(s.world, 0, 500));
    stage_end(&s);
}

TEST(world, documents_need_no_others) {
    Stage s = stage_begin();
    uint64_t late = digest(s.world, 90, 100);
    digest(s.world, 0, 90);
    CHECK(late == digest(s.world, 90, 100));
    s.world->spec.split = SPLIT_VALID;
    CHECK(late != digest(s.world, 90, 100));
    stage_end(&s);
}

// ---------------------------------------------------------------- telling
typedef struct Teller {
    Arena arena;
    Record *record;
    Rng rng;
    Telling tell;
} Teller;

static void teller_begin(Teller *t, Language language) {
    Error err = {0};
    require(arena_init(&t->arena, 1 << 20, &err));
    t->record = arena_new(&t->arena, Record, 1);
    record_clear(t->record);
    t->rng = rng_seed(test_seed());
    t->tell = telling_begin(t->record, &t->rng, language);
    telling_set_actor(&t->tell, 'a', (Actor){0, {"狐狸", "fox"}, 'n', false, &lexicon.animals[3]});
    telling_set_actor(&t->tell, 'b', (Actor){1, {"米娅", "Mia"}, 'f', true, NULL});
    telling_set_words(&t->tell, 'q', (Words){"说：“好！”", "said, “Yes!”"});
    Slot *thing = telling_slot(&t->tell, 't');
    *thing = (Slot){.kind = SLOT_THING};
    thing->thing = &lexicon.things[2]; // an umbrella
    thing->colour = &lexicon.colours[11];
    thing->count = 1;
}

// Tells the line and compares; the record is empty again afterwards.
#define CHECK_TOLD(language, line, want)                                                 \
    do {                                                                                 \
        Teller teller;                                                                   \
        teller_begin(&teller, language);                                                 \
        tell(&teller.tell, (Words){line, line});                                         \
        test_check(strcmp(teller.record->text, want) == 0, __FILE__, __LINE__, "\"%s\"", \
                   teller.record->text);                                                 \
        arena_drop(&teller.arena);                                                       \
    } while (0)

TEST(world, sentences_are_formed) {
    CHECK_TOLD(EN, "{a.n} saw {t.i} and {t}.",
               "The fox saw an orange umbrella and the orange umbrella.");
    CHECK_TOLD(EN, "it was a {t.c} {t.b}, a {t.b}. so {a.n} said.",
               "It was an orange umbrella, an umbrella. So the fox said.");
    CHECK_TOLD(EN, "{b.n} called, “{a.v}!” and “{^t}.” {a.n} ran.",
               "Mia called, “dear fox!” and “The orange umbrella.” The fox ran.");
    CHECK_TOLD(EN, "{b.n} asked, “is it?” {a.n} went on.", "Mia asked, “is it?” the fox went on.");
    CHECK_TOLD(ZH, "{a.n}有{t.i}，{t}是{b.n}的。", "狐狸有一把橙色的雨伞，橙色的雨伞是米娅的。");
    for (int i = 0; i < lexicon.n_colours; i++) {
        char text[32];
        Slot slot = {.kind = SLOT_THING};
        slot.thing = &lexicon.things[0];
        slot.colour = &lexicon.colours[i];
        telling_form(&slot, ZH, 'C', text, sizeof text);
        CHECK(utf8_valid(str_from(text)) && str_ends(str_from(text), STR("色")));
    }
    CHECK_TOLD(ZH, "{t.q}{t.b}，{t.C}。", "一把雨伞，橙色。");
    CHECK_TOLD(EN, "{b.n} {q}.", "Mia said, “Yes!”");
    CHECK_TOLD(ZH, "{b.n}{q}。", "米娅说：“好！”");
}

TEST(world, spans_follow_the_text) {
    Teller t;
    teller_begin(&t, EN);
    tell(&t.tell, (Words){"", "a [{t.c} [{t.b}|inner]|outer] of [a|article] {t.b}."});
    const Record *r = t.record;
    CHECK(str_equal(record_text(r), STR("An orange umbrella of an umbrella.")));
    CHECK(str_equal(record_piece(r, record_find(r, "outer", 0)), STR("orange umbrella")));
    CHECK(str_equal(record_piece(r, record_find(r, "inner", 0)), STR("umbrella")));
    CHECK(str_equal(record_piece(r, record_find(r, "article", 0)), STR("an")));
    CHECK(record_find(r, "out", 0) < 0);
    arena_drop(&t.arena);
}

// "She" only where nobody else could be meant; "it" never beside a thing.
TEST(world, pronouns_need_one_meaning) {
    for (int i = 0; i < 200; i++) {
        Teller t;
        teller_begin(&t, EN);
        t.rng = rng_seed((uint64_t)i);
        telling_set_actor(&t.tell, 'c', (Actor){2, {"莉莉", "Lily"}, 'f', true, NULL});
        tell(&t.tell, (Words){"", "{b.n} met {c.n}."});
        tell(&t.tell, (Words){"", "{b} smiled."});
        CHECK(!strstr(t.record->text, "She"));
        tell(&t.tell, (Words){"", "{a.n} saw {t}."});
        int from = t.record->n;
        tell(&t.tell, (Words){"", "{a} slept."});
        CHECK(!strstr(t.record->text + from, "It"));
        arena_drop(&t.arena);
    }
    int pronouns = 0;
    for (int i = 0; i < 200; i++) {
        Teller t;
        teller_begin(&t, EN);
        t.rng = rng_seed((uint64_t)i);
        tell(&t.tell, (Words){"", "{b.n} met {a.n}."});
        tell(&t.tell, (Words){"", "{b} smiled."});
        pronouns += strstr(t.record->text, "She") != NULL;
        arena_drop(&t.arena);
    }
    CHECK(pronouns > 130 && pronouns < 190); // 80 in 100
}

// ---------------------------------------------------------------- faults are found
static int64_t faults_of(const Record *r, Fault fault) {
    int64_t count[N_FAULTS] = {0};
    faults_count(r, true, count);
    return count[fault];
}

// The first document of a genre and language that has the label.
static Record *find_document(Stage *s, const char *genre, const char *language, const char *label) {
    for (int64_t i = 0; i < 20000; i++) {
        const Record *r = world_document(s->world, i);
        if (strcmp(r->genre, genre) != 0 || strcmp(r->language, language) != 0) continue;
        if (record_find(r, label, 0) >= 0) return &s->world->record;
    }
    require(!"such a document");
    return NULL;
}

// Writes `text` over the bytes of a span; both have one length.
static void overwrite(Record *r, int span, const char *text) {
    require((int)strlen(text) == r->span[span].to - r->span[span].from);
    memcpy(r->text + r->span[span].from, text, strlen(text));
}

TEST(world, faults_in_spans_are_found) {
    Stage s = stage_begin();
    Record *r = find_document(&s, "story", "zh", "ent");
    CHECK_EQUAL(faults_of(r, FAULT_SPAN), 0);
    r->span[0].from++; // inside a character
    CHECK(faults_of(r, FAULT_SPAN) > 0);
    r->span[0].from--;
    r->text[r->n - 1] = 'x'; // half a character before it
    CHECK(faults_of(r, FAULT_SPAN) > 0);
    r->span[0].to = r->n + 1;
    CHECK(faults_of(r, FAULT_SPAN) > 0);
    r = find_document(&s, "story", "en", "ent");
    r->text[0] = (char)(r->text[0] | 32);
    CHECK(faults_of(r, FAULT_CAPITAL) > 0);
    r->text[3] = '{';
    CHECK(faults_of(r, FAULT_MARKUP) > 0);
    stage_end(&s);
}

TEST(world, faults_in_pronouns_are_found) {
    Stage s = stage_begin();
    Record *r = find_document(&s, "coreference", "zh", "pron");
    CHECK_EQUAL(faults_of(r, FAULT_GENDER) + faults_of(r, FAULT_ANTECEDENT), 0);
    int pronoun = record_find(r, "pron", 0);
    bool is_he = str_equal(record_piece(r, pronoun), STR("他"));
    overwrite(r, pronoun, is_he ? "她" : "他");
    CHECK(faults_of(r, FAULT_GENDER) > 0);
    r = find_document(&s, "coreference", "zh", "pron");
    pronoun = record_find(r, "pron", 0);
    char *label = r->labels + r->span[pronoun].label;
    label[6] = label[6] == '0' ? '1' : '0'; // the other one is meant
    CHECK(faults_of(r, FAULT_ANTECEDENT) > 0);
    label[6] = '7';
    CHECK(faults_of(r, FAULT_UNKNOWN) > 0);
    r = find_document(&s, "gender", "en", "pron");
    CHECK_EQUAL(faults_of(r, FAULT_RIVAL), 0);
    stage_end(&s);
}

TEST(world, faults_in_meanings_are_found) {
    Stage s = stage_begin();
    Record *r = find_document(&s, "senses", "zh", "ans");
    CHECK_EQUAL(faults_of(r, FAULT_SENSE) + faults_of(r, FAULT_NAMED), 0);
    Note *sense = NULL;
    for (int i = 0; i < r->n_notes; i++)
        if (strcmp(r->note[i].key, "sense") == 0) sense = &r->note[i];
    if (!CHECK(sense != NULL)) return;
    for (int i = 0; i < n_ambiguous_zh; i++) {
        const Ambiguous *a = &ambiguous_zh[i];
        if (strcmp(a->word[0], record_note_text(r, "word")) != 0) continue;
        sense->text = a->sense[strcmp(a->sense[0].key, sense->text) == 0].key;
        break;
    }
    CHECK(faults_of(r, FAULT_SENSE) > 0 && faults_of(r, FAULT_NAMED) > 0);
    r = find_document(&s, "facts", "zh", "obj");
    CHECK_EQUAL(faults_of(r, FAULT_FACT), 0);
    int object = record_find(r, "obj", 0);
    memset(r->text + r->span[object].from, 'x',
           (size_t)(r->span[object].to - r->span[object].from));
    CHECK(faults_of(r, FAULT_FACT) > 0);
    stage_end(&s);
}

TEST(world, faults_in_answers_are_found) {
    Stage s = stage_begin();
    Record *r = find_document(&s, "recall", "en", "key");
    CHECK_EQUAL(faults_of(r, FAULT_RECALL), 0);
    r->text[r->span[record_find(r, "ans", 0)].from + 1] = 'x';
    CHECK(faults_of(r, FAULT_RECALL) > 0);
    r = find_document(&s, "review", "en", "lab");
    CHECK_EQUAL(faults_of(r, FAULT_VERDICT), 0);
    int said = record_find(r, "lab", 0);
    overwrite(r, said, str_equal(record_piece(r, said), STR("positive")) ? "negative" : "positive");
    CHECK(faults_of(r, FAULT_VERDICT) > 0);
    r = find_document(&s, "translation", "zh-en", "al");
    CHECK_EQUAL(faults_of(r, FAULT_ALIGNMENT), 0);
    r->labels[r->span[record_find(r, "al/3", 0)].label + 3] = '9';
    CHECK(faults_of(r, FAULT_ALIGNMENT) > 0);
    r = find_document(&s, "agreement", "zh", "V");
    CHECK_EQUAL(faults_of(r, FAULT_MEASURE), 0);
    overwrite(r, record_find(r, "V", 0), "个");
    CHECK(faults_of(r, FAULT_MEASURE) > 0);
    r = find_document(&s, "story", "zh", "ans");
    CHECK_EQUAL(faults_of(r, FAULT_UNTOLD), 0);
    memcpy(r->text + r->span[record_find(r, "ans", 0)].from, "龘", 3);
    CHECK(faults_of(r, FAULT_UNTOLD) > 0);
    r = find_document(&s, "induction", "en", "rep/s");
    CHECK_EQUAL(faults_of(r, FAULT_REPEAT), 0);
    r->text[r->span[record_find(r, "rep/s", 0)].from + 1] = '#';
    CHECK(faults_of(r, FAULT_REPEAT) > 0);
    r = find_document(&s, "order", "en", "V");
    CHECK_EQUAL(faults_of(r, FAULT_DOER), 0);
    r->labels[r->span[record_find(r, "S", 0)].label] = 'Q';
    CHECK(faults_of(r, FAULT_DOER) > 0);
    stage_end(&s);
}

// ---------------------------------------------------------------- the whole, small
TEST(world, proves_itself) {
    Stage s = stage_begin();
    WorldCheck *check = arena_new(&s.arena, WorldCheck, 1);
    WorldCheckSpec spec = {1000000 / test_thinning(), test_thinning() > 1 ? 10 : 40, NULL, NULL};
    Error err = {0};
    char why[256] = "";
    CHECK(world_check(&s.arena, s.world, &spec, check, &err));
    test_check(world_check_passes(check, why), __FILE__, __LINE__, "%s", why);
    CHECK(check->all.bytes >= spec.bytes);
    CHECK(check->n_balances > (test_thinning() > 1 ? 0 : 20)); // a small world has few of each kind
    for (int i = 0; i < GENRES; i++) CHECK(check->genre_documents[i] > 0);
    // The proof can fail.
    check->leaks[4].in_key = 1;
    CHECK(!world_check_passes(check, why) && strstr(why, "order"));
    check->leaks[4].in_key = 0;
    check->faults[FAULT_RIVAL] = 2;
    CHECK(!world_check_passes(check, why) && strstr(why, "another actor"));
    check->faults[FAULT_RIVAL] = 0;
    check->balance[0] = (Balance){"made up", "first", 600, 1000};
    CHECK(!world_check_passes(check, why) && strstr(why, "made up"));
    stage_end(&s);
}

TEST(world, splits_are_apart) {
    Stage s = stage_begin();
    for (int64_t i = 0; i < 2000; i++) {
        world_document(s.world, i);
        CHECK(!s.world->draft.any_held && !s.world->draft.is_whole);
    }
    s.world->spec.split = SPLIT_PROBE;
    for (int64_t i = 0; i < 200; i++) {
        const Record *r = world_document(s.world, i);
        CHECK(s.world->draft.any_held || s.world->draft.is_whole ||
              strcmp(r->genre, "notice") == 0);
    }
    stage_end(&s);
}

TEST(world, languages_and_genres_are_chosen) {
    Stage s = stage_begin();
    WorldSpec *spec = &s.world->spec;
    Error err = {0};
    spec->language[EN] = false;
    for (int64_t i = 0; i < 500; i++)
        CHECK(strcmp(world_document(s.world, i)->language, "zh") == 0);
    CHECK(world_set_genres(spec, STR("riddle=3,story"), &err) && world_check_spec(spec, &err));
    int riddles = 0;
    for (int64_t i = 0; i < 1000; i++)
        riddles += strcmp(world_document(s.world, i)->genre, "riddle") == 0;
    CHECK_CLOSE(riddles, 1000 * 3 / 26.0, 60); // story keeps its share of 23
    CHECK_FAILS(world_set_genres(spec, STR("story,songs"), &err), err, ERROR_USAGE, "songs");
    CHECK_FAILS(world_set_genres(spec, STR("story=0"), &err), err, ERROR_USAGE, "1 to 1000");
    CHECK(world_set_genres(spec, STR("translation"), &err));
    CHECK_FAILS(world_check_spec(spec, &err), err, ERROR_USAGE, "both languages");
    stage_end(&s);
}

// Of strangers nothing is told but that nobody knows it, and only in an honest world.
TEST(world, honest_worlds_know_their_limits) {
    Stage s = stage_begin();
    Error err = {0};
    CHECK(world_set_genres(&s.world->spec, STR("facts"), &err));
    for (int honest = 0; honest < 2; honest++) {
        int unknown = 0;
        s.world->spec.is_honest = honest;
        for (int64_t i = 0; i < 1000; i++) {
            const Record *r = world_document(s.world, i);
            bool said = record_find(r, "unknown", 0) >= 0;
            unknown += said;
            CHECK(said == (strstr(r->text, "不知道") || strstr(r->text, "Nobody knows")));
            int64_t count[N_FAULTS] = {0};
            faults_count(r, false, count);
            CHECK_EQUAL(count[FAULT_STRANGER], 0);
        }
        CHECK(honest ? unknown > 20 && unknown < 90 : unknown == 0);
    }
    stage_end(&s);
}

// ---------------------------------------------------------------- people, probes
TEST(world, people_are_distinct) {
    Stage s = stage_begin();
    Tally names = tally_make(&s.arena);
    int tier[TIERS] = {0};
    for (int i = 0; i < PEOPLE; i++) {
        Person p = person_make(i), again = person_make(i);
        tally_add(&names, tally_hash(str_from(p.en)));
        CHECK(p.object[RELATION_PET] == again.object[RELATION_PET]);
        if (p.tier >= 0) tier[p.tier]++;
    }
    CHECK_EQUAL(names.distinct, PEOPLE);
    CHECK(tier[0] == 60 && tier[1] == 120 && tier[2] == 120);
    stage_end(&s);
}

TEST(world, probes_are_fair) {
    Stage s = stage_begin();
    for (int i = 0; i < PHENOMENA; i++) {
        const Phenomenon *p = &phenomena[i];
        for (int grade = 0; grade < phenomenon_grades(p); grade++)
            for (int64_t k = 0; k < 6; k++) {
                ProbeItem item = probe_make(&s.arena, s.world, p, grade, k, false);
                Str prompt = {item.record->text, (size_t)item.prompt_bytes};
                CHECK(item.n_wrong >= 1 && item.right.n > 0 && prompt.n > 0);
                CHECK(!str_ends(prompt, STR(" ")) && !str_ends(prompt, STR(" a")));
                for (int w = 0; w < item.n_wrong; w++) {
                    CHECK(!str_equal(item.right, item.wrong[w]));
                    CHECK((item.right.data[0] == ' ') == (item.wrong[w].data[0] == ' '));
                }
            }
    }
    stage_end(&s);
}

// What is asked of others and of the same subject is true, and the new object is another one.
TEST(world, edits_are_complete) {
    Stage s = stage_begin();
    for (int i = 0; i < EDITS; i++) {
        Error err = {0};
        Str line = edit_json(&s.arena, s.world, i, i % 3 ? EN : ZH);
        const Json *edit = json_parse(&s.arena, line, line.n, &err);
        if (!CHECK(edit != NULL)) continue;
        Str subject = json_string(json_get(edit, "subject"), STR("")), none = STR("");
        CHECK(!str_equal(json_string(json_get(edit, "old"), none),
                         json_string(json_get(edit, "new"), none)));
        CHECK_EQUAL(json_get(edit, "paraphrases")->count, PARAPHRASES);
        CHECK_EQUAL(json_get(edit, "neighbours")->count, NEIGHBOURS);
        CHECK_EQUAL(json_get(edit, "same_subject")->count, i % 2 ? PERSON_RELATIONS - 1 : 1);
        const Json *p = json_get(edit, "paraphrases")->child;
        for (; p; p = p->next)
            CHECK(str_find(json_string(json_get(p, "prompt"), none), subject, 0) != SIZE_MAX);
        for (p = json_get(edit, "neighbours")->child; p; p = p->next)
            CHECK(str_find(json_string(json_get(p, "prompt"), none), subject, 0) == SIZE_MAX);
    }
    stage_end(&s);
}

// The answer of the one is the wrong answer of the other.
TEST(world, mirrors_turn_the_answer) {
    static const char *const exact[] = {"sense", "coreference", "gender", "verdict"};
    Stage s = stage_begin();
    for (int i = 0; i < PHENOMENA; i++)
        for (int e = 0; e < COUNT_OF(exact); e++) {
            if (strcmp(phenomena[i].name, exact[e]) != 0) continue;
            for (int64_t k = 0; k < 20; k++) {
                ProbeItem item = probe_make(&s.arena, s.world, &phenomena[i], 0, k, false);
                Str right = str_copy(&s.arena, record_piece(item.record, item.record->answer));
                ProbeItem mirror = probe_make(&s.arena, s.world, &phenomena[i], 0, k, true);
                Str wrong = str_from(record_wrong(mirror.record, 0));
                CHECK(right.n == wrong.n &&
                      memcmp(right.data + 1, wrong.data + 1, wrong.n - 1) == 0);
            }
        }
    stage_end(&s);
}

// A password stands as far from its question as the grade says, and a sentence more at most.
TEST(world, distances_are_kept) {
    Stage s = stage_begin();
    const Genre *recall = genre_find(STR("recall"));
    static const int distances[] = {10, 50, 200, 500};
    for (int i = 0; i < COUNT_OF(distances); i++)
        for (int k = 0; k < 10; k++) {
            const Record *r = world_item(s.world, recall, k % 2 ? EN : ZH, distances[i], k, false);
            int key = record_find(r, "key", 0),
                n = text_units(r, r->span[key].to) - text_units(r, r->span[r->answer].from);
            CHECK(n >= distances[i] && n < distances[i] + 60);
        }
    stage_end(&s);
}
