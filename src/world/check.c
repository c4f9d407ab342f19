// check.c - runs through the corpus once, counting; then through validation text and probes.
#include "world/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "world/tables.h"

// ---------------------------------------------------------------- faults
static void look_for_faults(WorldCheck *c, const Record *r, bool may_be_strange) {
    int64_t count[N_FAULTS] = {0};
    faults_count(r, may_be_strange, count);
    for (int i = 0; i < N_FAULTS; i++) {
        Str text = str_slice(record_text(r), 0, EXAMPLE_MAX - 1);
        text.n = utf8_complete_prefix(text);
        if (count[i] && !c->faults[i]) snprintf(c->example[i], EXAMPLE_MAX, "%.*s", STR_ARG(text));
        c->faults[i] += count[i];
    }
    c->spans += r->n_spans;
}

// ---------------------------------------------------------------- balance
static void weigh(WorldCheck *c, const char *what, const char *first, bool is_first) {
    int i = 0;
    while (i < c->n_balances && strcmp(c->balance[i].what, what) != 0) i++;
    if (i == c->n_balances) {
        require(i < BALANCES_MAX);
        c->balance[c->n_balances++] = (Balance){what, first, 0, 0};
    }
    c->balance[i].n++;
    c->balance[i].n_first += is_first;
}

// Words of senses weigh their two meanings against each other.
static void weigh_record(WorldCheck *c, const Record *r) {
    static const struct {
        const char *genre, *note, *first, *what;
    } weighed[] = {{"coreference", "ant", "first", "coreference: antecedent first"},
                   {"gender", "ant", "first", "gender: antecedent first"},
                   {"order", "ant", "doer", "order: outcome of the doer"},
                   {"review", "label", "positive", "review: positive"},
                   {"senses", "options", "first", "senses: right option first"}};
    for (int i = 0; i < COUNT_OF(weighed); i++) {
        if (strcmp(r->genre, weighed[i].genre) != 0) continue;
        const char *text = record_note_text(r, weighed[i].note);
        if (text[0])
            weigh(c, weighed[i].what, weighed[i].first, strcmp(text, weighed[i].first) == 0);
    }
    if (strcmp(r->genre, "senses") != 0) return;
    const char *word = record_note_text(r, "word"), *sense = record_note_text(r, "sense");
    for (int k = 0; k < LANGUAGES; k++) {
        const Ambiguous *list = k == ZH ? ambiguous_zh : ambiguous_en;
        for (int i = 0; i < (k == ZH ? n_ambiguous_zh : n_ambiguous_en); i++)
            if (strcmp(word, list[i].word[0]) == 0)
                weigh(c, list[i].word[0], list[i].sense[0].key,
                      strcmp(sense, list[i].sense[0].key) == 0);
    }
}

// ---------------------------------------------------------------- variety
static Variety variety_make(Arena *arena) {
    return (Variety){
        .texts = tally_make(arena), .sentences = tally_make(arena), .types = tally_make(arena)};
}

static bool ends_sentence(const char *p) {
    return strchr(".!?\n", *p) != NULL || strncmp(p, "。", 3) == 0 || strncmp(p, "！", 3) == 0 ||
           strncmp(p, "？", 3) == 0;
}

static void count_sentences(Variety *v, const Record *r) {
    int from = 0;
    for (int i = 0; i < r->n; i++) {
        if (!ends_sentence(r->text + i)) continue;
        Str s = str_trim(str_slice(record_text(r), (size_t)from, (size_t)i));
        bool is_line = r->text[i] == '\n'; // of a table; and a few bytes are only a closing mark
        if (s.n > 8 && !is_line) tally_add(&v->sentences, tally_hash(s));
        from = i + 1;
        while (from < r->n && ((unsigned char)r->text[from] & 0xc0) == 0x80) from++;
    }
}

static bool is_latin(int32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void count_types(Variety *v, const Record *r) {
    int word = -1;
    for (int i = 0; i < r->n;) {
        int length;
        int32_t c = utf8_decode((Str){r->text + i, (size_t)(r->n - i)}, &length);
        if (is_latin(c) && word < 0) word = i;
        if (!is_latin(c) && word >= 0) {
            tally_add(&v->types, tally_hash((Str){r->text + word, (size_t)(i - word)}));
            word = -1;
        }
        if (c >= 0x3400 && c <= 0x9fff)
            tally_add(&v->types, tally_hash((Str){r->text + i, (size_t)length}));
        i += length;
    }
}

static void count_variety(Variety *v, const Record *r) {
    v->documents++;
    v->bytes += r->n + 2;
    v->units += text_units(r, 0);
    tally_add(&v->texts, tally_hash(record_text(r)));
    count_sentences(v, r);
    count_types(v, r);
}

static void look_at(WorldCheck *c, const Record *r) {
    look_for_faults(c, r, false);
    weigh_record(c, r);
    count_variety(&c->all, r);
    if (strcmp(r->language, "zh") == 0) count_variety(&c->language[ZH], r);
    if (strcmp(r->language, "en") == 0) count_variety(&c->language[EN], r);
    for (int i = 0; i < GENRES; i++) {
        if (strcmp(r->genre, genres[i].name) != 0) continue;
        c->genre_documents[i]++;
        c->genre_bytes[i] += r->n + 2;
    }
}

// ---------------------------------------------------------------- leaks
// What of a training document a probe could be: the text itself, and the text behind its heading.
static void add_text_keys(Tally *texts, const Record *r) {
    tally_add(texts, tally_hash(record_text(r)));
    const char *colon = strstr(r->text, strcmp(r->language, "zh") == 0 ? "：" : ": ");
    if (!colon || colon - r->text > 12) return;
    size_t skip = (size_t)(colon - r->text) + (*colon == ':' ? 2 : 3);
    tally_add(texts, tally_hash(str_slice(record_text(r), skip, (size_t)r->n)));
}

static void count_leaks(Arena *arena, World *world, const Phenomenon *p, const WorldCheckSpec *spec,
                        const Tally *keys, const Tally *texts, WorldCheck *c, Leaks *leaks) {
    for (int grade = 0; grade < phenomenon_grades(p); grade++)
        for (int64_t k = 0; k < spec->probe_items; k++) {
            ArenaMark mark = arena_mark(arena);
            int sides = p->is_mirrored ? 2 : 1;
            ProbeItem item = probe_make(arena, world, p, grade, k / sides, k % sides);
            const Record *r = item.record;
            look_for_faults(c, r, true);
            leaks->items++;
            leaks->chance += 1.0 / (1 + item.n_wrong);
            for (int i = 0; i < r->n_keys; i++)
                leaks->in_key += tally_has(keys, r->key[i]) && !world->draft.is_whole;
            leaks->in_text += tally_has(texts, tally_hash(record_text(r)));
            for (int i = 0; i < item.n_wrong; i++)
                leaks->unfit += str_equal(item.right, item.wrong[i]);
            arena_back(arena, mark);
        }
    leaks->chance /= (double)(leaks->items ? leaks->items : 1);
}

// ---------------------------------------------------------------- the run
static double time_writing(World *world, int64_t bytes) {
    double begun = clock_seconds();
    int64_t n = 0;
    for (int64_t i = 0; n < bytes; i++) n += world_document(world, i)->n + 2;
    return (clock_seconds() - begun) * (double)bytes / (double)n;
}

bool world_check(Arena *arena, World *world, const WorldCheckSpec *spec, WorldCheck *c,
                 Error *err) {
    Tally keys = tally_make(arena), texts = tally_make(arena);
    *c = (WorldCheck){.all = variety_make(arena)};
    for (int i = 0; i < LANGUAGES; i++) c->language[i] = variety_make(arena);
    world->spec.split = SPLIT_TRAIN;
    c->seconds = time_writing(world, spec->bytes);
    for (int64_t i = 0; c->all.bytes < spec->bytes; i++) {
        const Record *r = world_document(world, i);
        look_at(c, r);
        for (int k = 0; k < r->n_keys; k++) tally_add(&keys, r->key[k]);
        add_text_keys(&texts, r);
        if (spec->go_on && !spec->go_on(spec->user, c->all.bytes, spec->bytes))
            return error_set(err, ERROR_CANCELLED, "interrupted");
    }
    world->spec.split = SPLIT_VALID;
    int64_t bytes = 0;
    for (int64_t i = 0; bytes < spec->bytes / 10; i++) {
        const Record *r = world_document(world, i);
        look_for_faults(c, r, false);
        c->valid_documents++;
        c->valid_seen += tally_has(&texts, tally_hash(record_text(r)));
        bytes += r->n + 2;
    }
    for (int i = 0; i < PHENOMENA; i++)
        count_leaks(arena, world, &phenomena[i], spec, &keys, &texts, c, &c->leaks[i]);
    return true;
}

// ---------------------------------------------------------------- the verdict
enum { BALANCE_LEAST = 400 }; // seen fewer times, a share says little

static bool says(char why[256], const char *format, ...) PRINTF_LIKE(2, 3);
static bool says(char why[256], const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(why, 256, format, list);
    va_end(list);
    return false;
}

bool world_check_passes(const WorldCheck *c, char why[256]) {
    for (int i = 0; i < N_FAULTS; i++)
        if (c->faults[i])
            return says(why, "%lld times: %s", (long long)c->faults[i], fault_words((Fault)i));
    for (int i = 0; i < PHENOMENA; i++) {
        const Leaks *l = &c->leaks[i];
        if (l->in_key || l->in_text || l->unfit)
            return says(why, "%s: %lld combinations and %lld texts of probes are in training",
                        phenomena[i].name, (long long)l->in_key, (long long)l->in_text);
    }
    for (int i = 0; i < c->n_balances; i++) {
        const Balance *b = &c->balance[i];
        double share = (double)b->n_first / (double)b->n;
        double spread = 3 * 0.5 / sqrt((double)b->n); // three standard deviations of a fair coin
        if (b->n >= BALANCE_LEAST && fabs(share - 0.5) > 0.05 + spread)
            return says(why, "%s: %.1f %% are %s", b->what, 100 * share, b->first);
    }
    const Variety *all = &c->all;
    if ((double)all->texts.distinct < 0.9 * (double)all->documents)
        return says(why, "only %.1f %% of the texts are distinct",
                    100.0 * (double)all->texts.distinct / (double)all->documents);
    for (int k = 0; k < LANGUAGES; k++) {
        const Tally *s = &c->language[k].sentences;
        if (s->total > 20000 && (double)s->most > 0.005 * (double)s->total)
            return says(why, "one sentence is %.2f %% of all",
                        100.0 * (double)s->most / (double)s->total);
    }
    return true;
}
