// faults.c - each rule of the labels, checked from the text alone.
#include "world/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "world/draw.h"
#include "world/people.h"
#include "world/tables.h"

const char *fault_words(Fault fault) {
    static const char *const words[] = {
#define X(name, text) text,
        FAULTS(X)
#undef X
    };
    return words[fault];
}

static bool is_language(const Record *r, const char *name) {
    return strcmp(r->language, name) == 0;
}

static bool is_genre(const Record *r, const char *name) {
    return strcmp(r->genre, name) == 0;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Equal but for capitals, which depend on the place in a sentence.
static bool same_text(Str a, Str b) {
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; i++)
        if (lower(a.data[i]) != lower(b.data[i])) return false;
    return true;
}

static bool same_word(Str a, const char *b) {
    return same_text(a, str_from(b));
}

// ---------------------------------------------------------------- the text
static bool is_cut(const Record *r, int at) {
    return at < r->n && ((unsigned char)r->text[at] & 0xc0) == 0x80;
}

static void check_spans(const Record *r, int64_t *count) {
    count[FAULT_SPAN] += !utf8_valid(record_text(r));
    for (int i = 0; i < r->n_spans; i++) {
        TextSpan s = r->span[i];
        bool in_order = i == 0 || s.from >= r->span[i - 1].from;
        if (s.from < 0 || s.from >= s.to || s.to > r->n || is_cut(r, s.from) || is_cut(r, s.to) ||
            s.label < 0 || !in_order)
            count[FAULT_SPAN]++;
    }
}

static bool has_any(const Record *r, const char *const *list) {
    for (int i = 0; list[i]; i++)
        if (strstr(r->text, list[i])) return true;
    return false;
}

static void check_marks(const Record *r, int64_t *count) {
    static const char *const markup[] = {"{", "}", "[", "]", "|", "~", "*", "^", NULL};
    static const char *const doubled[] = {
        "  ",   "。。",   "，，", "。，",     "，。",     "、。",  "..",  ",,",  ".,",
        ",.",   " .",     " ,",   "？。",     "！。",     "”。”",  ".”.", "!”.", "?”.",
        "的的", "正在在", "了了", "the the ", "The the ", " a a ", NULL};
    count[FAULT_MARKUP] += has_any(r, markup);
    count[FAULT_SPACING] += has_any(r, doubled);
    bool has_latin = false, has_han = false;
    int latin = 0;
    for (int i = 0; i < r->n;) {
        int length;
        int32_t c = utf8_decode((Str){r->text + i, (size_t)(r->n - i)}, &length);
        bool is_latin = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        latin = is_latin ? latin + 1 : 0;
        has_latin |= latin > 2;
        has_han |= c >= 0x3400 && c <= 0x9fff;
        i += length;
    }
    if ((is_language(r, "en") && has_han) || (is_language(r, "zh") && has_latin))
        count[FAULT_LANGUAGE]++;
    char last = r->n ? r->text[r->n - 1] : 0;
    if (is_genre(r, "story") && !strchr(".!?", last) && (unsigned char)last < 0x80)
        count[FAULT_ENDING]++;
}

static bool is_word_start(const Record *r, int i) {
    return i == 0 || strchr(" \n", r->text[i - 1]) || (unsigned char)r->text[i - 1] >= 0x80;
}

static void check_english(const Record *r, int64_t *count) {
    if (is_language(r, "zh")) return;
    for (int i = 0; i + 3 < r->n; i++) {
        if (lower(r->text[i]) != 'a' || !is_word_start(r, i)) continue;
        char a = r->text[i + 1], b = r->text[i + 2], c = r->text[i + 3];
        bool vowel_after_a = a == ' ' && strchr("aeiouAEIOU", b);
        bool other_after_an = a == 'n' && b == ' ' && !strchr("aeiouAEIOU", c) &&
                              strncmp(r->text + i, "an hour", 7) != 0;
        count[FAULT_ARTICLE] += vowel_after_a || other_after_an;
    }
    for (int i = 2; i < r->n; i++) {
        bool begins = r->text[i - 1] == ' ' && strchr(".!?", r->text[i - 2]);
        bool small = r->text[i] >= 'a' && r->text[i] <= 'z';
        bool is_list =
            r->text[i - 2] == '.' && i > 3 && r->text[i - 3] >= '0' && r->text[i - 3] <= '9';
        count[FAULT_CAPITAL] += begins && small && !is_list;
    }
    if (is_language(r, "en") && r->text[0] >= 'a' && r->text[0] <= 'z') count[FAULT_CAPITAL]++;
}

// ---------------------------------------------------------------- actors and pronouns
// 'm', 'f', 'n' by the name; 0 if no lexicon knows it.
static char gender_of_name(Str text) {
    for (int i = 0; i < lexicon.n_names; i++)
        if (same_word(text, lexicon.names[i].name.zh) || same_word(text, lexicon.names[i].name.en))
            return lexicon.names[i].gender;
    if (str_starts(text, STR("the ")) || str_starts(text, STR("The ")))
        text = str_slice(text, 4, text.n);
    if (str_starts(text, STR("dear ")) || str_starts(text, STR("Dear ")))
        text = str_slice(text, 5, text.n);
    for (int i = 0; i < lexicon.n_animals; i++)
        if (same_word(text, lexicon.animals[i].name.zh) ||
            same_word(text, lexicon.animals[i].name.en))
            return 'n';
    return same_word(text, "男孩") || same_word(text, "boy")    ? 'm'
           : same_word(text, "女孩") || same_word(text, "girl") ? 'f'
                                                                : 0;
}

static char gender_of_pronoun(Str text) {
    static const char *const of[3][7] = {{"he", "him", "his", "他", "他的"},
                                         {"she", "her", "她", "她的"},
                                         {"it", "its", "它", "它的"}};
    for (int g = 0; g < 3; g++)
        for (int i = 0; of[g][i]; i++)
            if (same_word(text, of[g][i])) return "mfn"[g];
    return 0;
}

// The actor's gender: a name says it; a kind ("girl", "rabbit") says it only if no name does.
static char gender_of_actor(const Record *r, const char *id) {
    char gender = 0;
    char label[32];
    snprintf(label, sizeof label, "ent/%s", id);
    for (int i = 0; i < r->n_spans; i++) {
        if (strcmp(record_label(r, i), label) != 0) continue;
        char g = gender_of_name(record_piece(r, i));
        if (gender == 0 || g != 'n') gender = g;
    }
    return gender;
}

static bool ends_sentence(const Record *r, int i) {
    static const char *const marks[] = {"。", "！", "？"};
    for (int k = 0; k < 3; k++)
        if (strncmp(r->text + i, marks[k], 3) == 0) return true;
    return strchr(".!?\n", r->text[i]) != NULL;
}

static int sentence_start(const Record *r, int at) {
    int i = at - 1;
    while (i >= 0 && !ends_sentence(r, i)) i--;
    return i + 1;
}

// Is anybody else of that gender named between the last sentence that names somebody and here?
// Where the sentence itself has named the actor, only in it.
static bool has_rival(const Record *r, int pronoun, const char *id, char gender) {
    int end = r->span[pronoun].from, from = sentence_start(r, end);
    int last = -1;
    bool named_here = false;
    for (int i = 0; i < pronoun; i++) {
        const char *label = record_label(r, i);
        if (strncmp(label, "ent/", 4) != 0) continue;
        if (r->span[i].from < from) last = r->span[i].from;
        named_here |= r->span[i].from >= from && strcmp(label + 4, id) == 0;
    }
    if (last >= 0 && !named_here) from = sentence_start(r, last);
    for (int i = 0; i < pronoun; i++) {
        const char *label = record_label(r, i);
        if (r->span[i].from < from || strncmp(label, "ent/", 4) != 0) continue;
        if (strcmp(label + 4, id) != 0 && gender_of_actor(r, label + 4) == gender) return true;
    }
    return false;
}

static void check_actors(const Record *r, int64_t *count) {
    bool decides = is_genre(r, "coreference"); // there the reason decides, not the engine
    for (int i = 0; i < r->n_spans; i++) {
        const char *label = record_label(r, i);
        if (strncmp(label, "ent/", 4) == 0)
            count[FAULT_NAME] += !gender_of_name(record_piece(r, i));
        if (strncmp(label, "pron/e", 6) != 0) continue;
        const char *id = label + 5;
        char gender = gender_of_pronoun(record_piece(r, i)), ent[32];
        snprintf(ent, sizeof ent, "ent/%s", id);
        int named = record_find(r, ent, 0);
        count[FAULT_UNKNOWN] += named < 0 || r->span[named].from > r->span[i].from;
        count[FAULT_GENDER] += gender == 0 || gender != gender_of_actor(r, id);
        if (!decides) count[FAULT_RIVAL] += has_rival(r, i, id, gender);
    }
}

// The name right inside the answer is that of the actor the pronoun stands for.
static void check_antecedent(const Record *r, int64_t *count) {
    if (!is_genre(r, "coreference")) return;
    int pronoun = record_find(r, "pron", 0), answer = record_find(r, "ans", 0);
    char ent[32] = "";
    const char *id = pronoun < 0 ? "" : record_label(r, pronoun) + 5;
    snprintf(ent, sizeof ent, "ent/%s", id);
    int named = record_find(r, ent, 0);
    if (pronoun < 0 || answer < 0 || named < 0) {
        count[FAULT_ANTECEDENT]++;
        return;
    }
    Str a = record_piece(r, answer), b = record_piece(r, named);
    bool same = same_text(a, b);
    const Schema *s = &schemas[0];
    for (int i = 0; i < r->n_notes; i++)
        if (strcmp(r->note[i].key, "schema") == 0) s = &schemas[r->note[i].number];
    bool is_second = strcmp(record_note_text(r, "ant"), "second") == 0;
    Str cue = record_piece(r, record_find(r, "cue", 0));
    bool fits = same_word(cue, is_language(r, "zh") ? s->cue[is_second].zh : s->cue[is_second].en);
    int first = record_find(r, "ent", 0);
    bool place = (strcmp(record_label(r, first) + 4, id) != 0) == is_second;
    count[FAULT_ANTECEDENT] += !same || !fits || !place;
}

static void check_order(const Record *r, int64_t *count) {
    if (!is_genre(r, "order")) return;
    int s = record_find(r, "S", 0), o = record_find(r, "O", 0), v = record_find(r, "V", 0);
    if (s < 0 || o < 0 || v < 0) {
        count[FAULT_DOER]++;
        return;
    }
    bool passive = strcmp(record_note_text(r, "voice"), "passive") == 0;
    bool doer_first = r->span[s].from < r->span[o].from;
    count[FAULT_DOER] += str_equal(record_piece(r, s), record_piece(r, o)) || doer_first == passive;
}

// ---------------------------------------------------------------- meanings
static bool in_list(const char *const *list, Str cue) {
    for (int i = 0; list[i]; i++) {
        if (same_word(cue, list[i])) return true;
        const char *open = strchr(list[i], '[');
        if (open && strncmp(open + 1, cue.data, cue.n) == 0 && open[1 + cue.n] == ']') return true;
    }
    return false;
}

static bool has_cue(const Sense *s, Str cue) {
    return in_list(s->acts, cue) || in_list(s->mods, cue) || in_list(s->after, cue);
}

static void check_sense(const Record *r, int64_t *count) {
    int word = record_find(r, "amb", 0), cue = record_find(r, "cue", 0);
    if (!is_genre(r, "senses")) return;
    if (word < 0 || cue < 0) {
        count[FAULT_SENSE]++;
        return;
    }
    bool is_zh = is_language(r, "zh");
    const Ambiguous *list = is_zh ? ambiguous_zh : ambiguous_en, *a = NULL;
    int n = is_zh ? n_ambiguous_zh : n_ambiguous_en, which = 0;
    for (int i = 0; i < n; i++)
        if (strcmp(list[i].word[0], record_note_text(r, "word")) == 0) a = &list[i];
    require(a);
    which = strcmp(a->sense[1].key, record_note_text(r, "sense")) == 0;
    const Sense *right = &a->sense[which], *wrong = &a->sense[!which];
    Str text = record_piece(r, cue);
    bool before = r->span[cue].from < r->span[word].from;
    bool says_before = strcmp(record_note_text(r, "pos"), "before") == 0;
    bool clause = in_list(right->after, text); // whose cue may stand on either side of the word
    count[FAULT_SENSE] += !has_cue(right, text) || has_cue(wrong, text) ||
                          !same_word(record_piece(r, word), a->word[which]) ||
                          (before != says_before && !clause);
    int answer = record_find(r, "ans", 0);
    count[FAULT_NAMED] += answer >= 0 && !same_word(record_piece(r, answer), right->name);
}

// ---------------------------------------------------------------- agreement
static bool agrees_english(Str noun, Str verb) {
    noun = str_slice(noun, 4, noun.n); // without "the "
    for (int i = 0; i < lexicon.n_animals; i++) {
        const Animal *a = &lexicon.animals[i];
        bool one = same_word(noun, a->name.en), many = same_word(noun, a->plural);
        if (!one && !many) continue;
        for (int k = 0; k < n_presents; k++)
            if (same_word(verb, one ? presents[k].one : presents[k].many)) return true;
    }
    return false;
}

static bool measures(Str noun, Str measure) {
    for (int i = 0; i < lexicon.n_things; i++)
        if (same_word(noun, lexicon.things[i].name.zh))
            return same_word(measure, lexicon.things[i].measure);
    for (int i = 0; i < lexicon.n_animals; i++)
        if (same_word(noun, lexicon.animals[i].name.zh))
            return same_word(measure, lexicon.animals[i].measure);
    return false;
}

static void check_agreement(const Record *r, int64_t *count) {
    if (!is_genre(r, "agreement")) return;
    bool is_zh = is_language(r, "zh");
    const char *first = is_zh ? "V" : "S", *second = is_zh ? "S" : "V";
    for (int i = record_find(r, first, 0); i >= 0; i = record_find(r, first, i + 1)) {
        int k = record_find(r, second, i + 1);
        if (k < 0)
            count[FAULT_AGREEMENT]++;
        else if (is_zh)
            count[FAULT_MEASURE] += !measures(record_piece(r, k), record_piece(r, i));
        else
            count[FAULT_AGREEMENT] += !agrees_english(record_piece(r, i), record_piece(r, k));
    }
}

// ---------------------------------------------------------------- facts
static bool is_so(const char *label, Str object) {
    const char *id = label + 4, *slash = strchr(id, '/');
    const char *relation = slash + 1;
    if (id[0] == 'p') {
        Person p = person_make((int)strtol(id + 1, NULL, 10));
        for (int k = 0; k < PERSON_RELATIONS; k++)
            if (strcmp(relation, relations[k].name) == 0)
                return same_word(object, p.object[k]->zh) || same_word(object, p.object[k]->en);
        return false;
    }
    for (int i = 0; i < lexicon.n_countries; i++) {
        const Country *c = &lexicon.countries[i];
        if (strncmp(c->name.en, id + 1, (size_t)(slash - id - 1)) != 0) continue;
        const Words *o =
            strcmp(relation, "capital") == 0 ? &c->capital : lexicon_continent(c->continent);
        return same_word(object, o->zh) || same_word(object, o->en);
    }
    return false;
}

static void check_facts(const Record *r, bool may_be_strange, int64_t *count) {
    for (int i = record_find(r, "obj", 0); i >= 0; i = record_find(r, "obj", i + 1)) {
        const char *label = record_label(r, i);
        count[FAULT_FACT] += !is_so(label, record_piece(r, i));
        bool is_stranger = label[4] == 'p' && strtol(label + 5, NULL, 10) >= PEOPLE_KNOWN;
        count[FAULT_STRANGER] += is_stranger && !may_be_strange;
    }
}

// ---------------------------------------------------------------- recall, verdict, alignment
static void check_recall(const Record *r, int64_t *count) {
    if (!is_genre(r, "recall")) return;
    for (int i = record_find(r, "ans", 0); i >= 0; i = record_find(r, "ans", i + 1)) {
        const char *label = record_label(r, i);
        int said = record_find(r, label[3] ? label + 4 : "key", 0);
        if (said < 0 || r->span[said].from > r->span[i].from) {
            count[FAULT_RECALL]++;
            continue;
        }
        Str a = record_piece(r, said), b = record_piece(r, i);
        bool same = same_text(a, b);
        Str between = str_slice(record_text(r), (size_t)r->span[said].to, (size_t)r->span[i].from);
        count[FAULT_RECALL] += !same || (!label[3] && str_find(between, a, 0) != SIZE_MAX);
    }
}

// Every word (Chinese: character) of a story's answer stands in the story, but for those that only
// make it an answer.
static bool is_told(Str story, Str answer, bool is_zh) {
    static const char *const frame[] = {
        "里",  "上", "下", "边", "旁", "色", "第", "天",   "一",    "A",     "An",     "The",
        "the", "a",  "an", "In", "On", "At", "By", "Near", "Under", "Below", "Beside", "Day"};
    for (size_t i = 0; i < answer.n;) {
        size_t n = is_zh ? 3 : 0;
        while (!is_zh && i + n < answer.n && answer.data[i + n] != ' ') n++;
        Str word = str_slice(answer, i, i + n);
        bool is_frame = n == 0 || (i == 0 && str_find(story, str_slice(word, 1, n), 0) != SIZE_MAX);
        for (int k = 0; k < COUNT_OF(frame); k++) is_frame |= str_equal(word, str_from(frame[k]));
        if (!is_frame && str_find(story, word, 0) == SIZE_MAX) return false;
        i += n + !is_zh;
    }
    return true;
}

static void check_story(const Record *r, int64_t *count) {
    if (!is_genre(r, "story")) return;
    size_t end = str_find(record_text(r), is_language(r, "zh") ? STR("\n问：") : STR("\nQ: "), 0);
    Str story = str_slice(record_text(r), 0, end);
    for (int i = record_find(r, "ans", 0); i >= 0; i = record_find(r, "ans", i + 1))
        count[FAULT_UNTOLD] += !is_told(story, record_piece(r, i), is_language(r, "zh"));
}

static void check_repeats(const Record *r, int64_t *count) {
    for (int i = record_find(r, "rep", 0); i >= 0; i = record_find(r, "rep", i + 1)) {
        int again = record_find(r, record_label(r, i), i + 1);
        count[FAULT_REPEAT] += again >= 0 && !same_text(record_piece(r, i), record_piece(r, again));
    }
}

static void check_verdict(const Record *r, int64_t *count) {
    if (!is_genre(r, "review")) return;
    int lab = record_find(r, "lab", 0), last = -1;
    for (int i = 0; i < r->n_spans; i++)
        if (strncmp(record_label(r, i), "pol", 3) == 0) last = i;
    if (lab < 0 || last < 0) {
        count[FAULT_VERDICT]++;
        return;
    }
    Str said = record_piece(r, lab);
    bool is_good = same_word(said, "正面") || same_word(said, "positive");
    count[FAULT_VERDICT] += is_good != (record_label(r, last)[3] == '+');
}

static void check_alignment(const Record *r, int64_t *count) {
    int n[10] = {0};
    for (int i = 0; i < r->n_spans; i++) {
        const char *label = record_label(r, i);
        if (strncmp(label, "al/", 3) == 0) n[label[3] - '0']++;
    }
    for (int i = 0; i < 10; i++) count[FAULT_ALIGNMENT] += n[i] != 0 && n[i] != 2;
    count[FAULT_ALIGNMENT] += is_genre(r, "translation") && (n[2] != 2 || n[3] != 2);
}

static void check_wrong(const Record *r, int64_t *count) {
    if (r->answer < 0) return;
    Str right = record_piece(r, r->answer);
    for (int i = 0; i < r->n_wrong; i++) count[FAULT_WRONG] += same_word(right, record_wrong(r, i));
}

void faults_count(const Record *r, bool may_be_strange, int64_t count[N_FAULTS]) {
    check_spans(r, count);
    check_marks(r, count);
    check_english(r, count);
    check_actors(r, count);
    check_antecedent(r, count);
    check_order(r, count);
    check_sense(r, count);
    check_agreement(r, count);
    check_facts(r, may_be_strange, count);
    check_recall(r, count);
    check_story(r, count);
    check_repeats(r, count);
    check_verdict(r, count);
    check_alignment(r, count);
    check_wrong(r, count);
}
