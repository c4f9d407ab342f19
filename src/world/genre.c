// genre.c - the table of genres, and the hold-outs.
#include "world/genre.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"

// Genres are far apart in words and form, so that experts can specialise; half of the documents
// name theirs and half do not, so that a router must read.
const Genre genres[GENRES] = {
    {"story", 23, {"故事", "Story"}, write_story},
    {"facts", 16, {"百科", "Facts"}, write_facts},
    {"senses", 8, {"句子", "Sentence"}, write_senses},
    {"coreference", 8, {"句子", "Sentence"}, write_coreference},
    {"gender", 3, {"句子", "Sentence"}, write_gender},
    {"order", 7, {"句子", "Sentence"}, write_order},
    {"agreement", 4, {"句子", "Sentence"}, write_agreement},
    {"induction", 6, {"童谣", "Rhyme"}, write_induction},
    {"recall", 7, {"记性", "Memory"}, write_recall},
    {"translation", 6, {NULL, NULL}, write_translation},
    {"review", 4, {NULL, NULL}, write_review},
    {"riddle", 2, {NULL, NULL}, write_riddle},
    {"dialog", 3, {"对话", "Talk"}, write_dialog},
    {"notice", 3, {NULL, NULL}, write_notice},
};

const Genre *genre_find(Str name) {
    for (int i = 0; i < GENRES; i++)
        if (str_equal(name, str_from(genres[i].name))) return &genres[i];
    return NULL;
}

// ---------------------------------------------------------------- hold-outs
static uint64_t hash_of(const char *text) {
    return hash_bytes(text, strlen(text), 5);
}

bool is_held(const char *text) {
    return hash_of(text) % 10 == 0;
}

void draft_hold(Draft *d, const char *format, ...) {
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    bool held = is_held(text);
    d->any_held |= held;
    d->all_held = d->all_held && held;
    Record *r = d->record;
    require(r->n_keys < RECORD_KEYS_MAX);
    r->key[r->n_keys++] = hash_of(text);
}

void draft_hold_whole(Draft *d) {
    d->is_whole = true;
}

bool draft_is_held(const Draft *d) {
    if (d->is_whole) return true;
    return d->probing ? d->any_held && d->all_held : d->any_held;
}

// ---------------------------------------------------------------- answers
const char *draft_label(Draft *d, const char *format, ...) {
    require(d->n_labels < LABELS_MADE);
    char *label = d->label[d->n_labels++];
    va_list list;
    va_start(list, format);
    vsnprintf(label, LABEL_MAX, format, list);
    va_end(list);
    return label;
}

void draft_wrong(Draft *d, Words line) {
    Telling other = d->tell;
    record_clear(d->scratch);
    other.record = d->scratch;
    int from = d->record->span[d->record->answer].from;
    Str before = {d->record->text, (size_t)from};
    bool opens = from >= 2 && strchr(".?!:", before.data[from - 2]);
    other.capital = other.language == EN && (opens || str_ends(before, STR("：")));
    other.is_free = true;
    tell(&other, line);
    record_add_wrong(d->record, record_text(d->scratch));
}

void draft_wrong_text(Draft *d, const char *text) {
    record_add_wrong(d->record, str_from(text));
}

void draft_answer(Draft *d, const char *label) {
    int i = d->record->n_spans - 1;
    while (i >= 0 && strcmp(record_label(d->record, i), label) != 0) i--;
    require(i >= 0);
    d->record->answer = i;
}

bool draft_coin(Draft *d) {
    return chance(d->rng, 50) != d->mirror;
}
