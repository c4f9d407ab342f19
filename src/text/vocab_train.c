// vocab_train.c - from counted words to a vocabulary, for the three kinds of vocab_train.h.
#include "text/vocab_train.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/utf8.h"
#include "text/bpe.h"
#include "text/bpe_learn.h"
#include "text/word_counts.h"

enum { N_BYTES = 256, STANDARD_INPUT_MAX = 1 << 30 };

static const Str END_OF_TEXT = {"<|endoftext|>", 13};

struct VocabTrainer {
    VocabRecipe recipe;
    WordCounts *counts;
    Str *token; // (n_given) the special tokens, then the bytes
    int64_t n_given;
    int32_t byte_id[N_BYTES]; // byte -> id
    Arena arena;              // this, and what it points at
};

// ---- the recipe

static bool check_special(const VocabRecipe *r, int i, Error *err) {
    Str text = r->special[i];
    if (text.n == 0) return error_set(err, ERROR_USAGE, "special token %d is empty", i);
    if (!utf8_valid(text) || memchr(text.data, 0, text.n))
        return error_set(err, ERROR_USAGE, "special token %d is no text", i);
    int length;
    int32_t c = utf8_decode(text, &length);
    for (int b = 0; b < N_BYTES; b++)
        if ((size_t)length == text.n && bpe_byte_character((unsigned char)b) == c)
            return error_set(err, ERROR_USAGE, "special token \"%.*s\" is the token of a byte",
                             STR_ARG(text));
    for (int j = 0; j < i; j++)
        if (str_equal(text, r->special[j]))
            return error_set(err, ERROR_USAGE, "special token \"%.*s\" is given twice",
                             STR_ARG(str_slice(text, 0, 64)));
    return true;
}

static bool check_recipe(const VocabRecipe *r, Error *err) {
    for (int i = 0; i < r->n_special; i++)
        if (!check_special(r, i, err)) return false;
    int64_t given = N_BYTES + r->n_special;
    bool is_free = r->kind == VOCAB_BYTES || (r->kind == VOCAB_CHARACTERS && r->n_tokens == 0);
    if (!is_free && r->n_tokens < given)
        return error_set(err, ERROR_USAGE,
                         "a vocabulary of %lld tokens: %d bytes and %d special token%s are %lld",
                         (long long)r->n_tokens, N_BYTES, r->n_special,
                         r->n_special == 1 ? "" : "s", (long long)given);
    if (r->n_tokens > VOCAB_TOKENS_MAX || given > VOCAB_TOKENS_MAX)
        return error_set(err, ERROR_USAGE, "a vocabulary of %lld tokens: at most %d",
                         (long long)r->n_tokens, VOCAB_TOKENS_MAX);
    return true;
}

// The bytes get their ids in the order of their characters in the alphabet.
static void give_tokens(VocabTrainer *t) {
    const VocabRecipe *r = &t->recipe;
    t->token = arena_new(&t->arena, Str, r->n_special + N_BYTES);
    for (int i = 0; i < r->n_special; i++) t->token[t->n_given++] = r->special[i];
    int byte_of[2 * N_BYTES]; // character of the alphabet -> byte and one
    memset(byte_of, 0, sizeof byte_of);
    for (int b = 0; b < N_BYTES; b++) byte_of[bpe_byte_character((unsigned char)b)] = b + 1;
    for (int32_t c = 0; c < 2 * N_BYTES; c++) {
        if (!byte_of[c]) continue;
        char *text = arena_push(&t->arena, 4);
        t->byte_id[byte_of[c] - 1] = (int32_t)t->n_given;
        t->token[t->n_given++] = (Str){text, (size_t)utf8_encode(c, text)};
    }
}

static bool go_on_counting(void *user, int64_t bytes) {
    const VocabRecipe *r = &((VocabTrainer *)user)->recipe;
    return !r->go_on || r->go_on(r->user, VOCAB_COUNTING, bytes, 0);
}

static bool go_on_merging(void *user, int64_t done, int64_t total) {
    const VocabRecipe *r = &((VocabTrainer *)user)->recipe;
    return !r->go_on || r->go_on(r->user, VOCAB_MERGING, done, total);
}

VocabTrainer *vocab_trainer_open(VocabRecipe recipe, Error *err) {
    if (recipe.n_special == 0) {
        recipe.special = &END_OF_TEXT;
        recipe.n_special = 1;
    }
    if (recipe.pre.n == 0) recipe.pre = STR("gpt-2");
    if (recipe.least < 1) recipe.least = 1;
    Arena arena;
    if (!check_recipe(&recipe, err) || !arena_init(&arena, (size_t)8 << 20, err)) return NULL;
    VocabTrainer *t = arena_new(&arena, VocabTrainer, 1);
    *t = (VocabTrainer){.recipe = recipe, .arena = arena};
    give_tokens(t);
    const Splitter *splitter = splitter_named(&t->arena, recipe.pre, err);
    if (splitter)
        t->counts = word_counts_open((WordCountsSpec){.splitter = splitter,
                                                      .by_line = recipe.by_line,
                                                      .pool = recipe.pool,
                                                      .go_on = go_on_counting,
                                                      .user = t},
                                     err);
    if (t->counts) return t;
    vocab_trainer_close(t);
    return NULL;
}

void vocab_trainer_close(VocabTrainer *t) {
    if (!t) return;
    word_counts_close(t->counts);
    Arena arena = t->arena; // holds t itself
    arena_drop(&arena);
}

// ---- texts

bool vocab_trainer_text(VocabTrainer *t, Str text, Error *err) {
    return word_counts_add(t->counts, text, err);
}

bool vocab_trainer_file(VocabTrainer *t, const char *path, Error *err) {
    if (strcmp(path, "-") == 0) {
        Arena arena;
        Str text;
        if (!arena_init(&arena, ARENA_DEFAULT, err)) return false;
        bool ok = file_read(&arena, path, STANDARD_INPUT_MAX, &text, err) &&
                  vocab_trainer_text(t, text, err);
        arena_drop(&arena);
        return ok;
    }
    FileView view;
    if (!file_view(&view, path, true, err)) return false;
    bool ok = vocab_trainer_text(t, (Str){view.data, view.n}, err) && file_intact(&view, path, err);
    file_release(&view);
    return ok;
}

// ---- characters

typedef struct Character {
    int32_t code_point;
    int64_t count;
} Character;

static int by_frequency(const void *a, const void *b) {
    const Character *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return (x->code_point > y->code_point) - (x->code_point < y->code_point);
}

enum { CODE_POINTS = 0x110000 };

// The characters of more than one byte that stand often enough, the most frequent first.
static Character *characters_of(const VocabTrainer *t, Arena *arena, const CountedWord *word,
                                int64_t n_words, int64_t *n) {
    int64_t *count = arena_new(arena, int64_t, CODE_POINTS);
    for (int64_t i = 0; i < n_words; i++) {
        Str rest = word[i].text;
        while (rest.n) {
            int length;
            int32_t c = utf8_decode(rest, &length);
            if (c >= 0) count[c] += word[i].count;
            rest = str_slice(rest, (size_t)length, rest.n);
        }
    }
    *n = 0;
    for (int32_t c = 0x80; c < CODE_POINTS; c++) *n += count[c] >= t->recipe.least;
    Character *character = arena_push(arena, sizeof *character * (size_t)(*n + 1));
    *n = 0;
    for (int32_t c = 0x80; c < CODE_POINTS; c++)
        if (count[c] >= t->recipe.least) character[(*n)++] = (Character){c, count[c]};
    qsort(character, (size_t)*n, sizeof *character, by_frequency);
    return character;
}

// A vocabulary of characters in the making.
typedef struct Spelling {
    const VocabTrainer *trainer;
    Arena *arena; // of the result
    Map id_of;    // beginnings of characters, in bytes -> id
    Str *token;
    BpeMerge *merge;
    int64_t n_tokens, n_merges, room;
} Spelling;

// How many tokens a character needs that are not there.
static int64_t missing_tokens(const Spelling *s, Str bytes) {
    int64_t n = 0;
    for (size_t i = 2; i <= bytes.n; i++) n += map_get(&s->id_of, str_slice(bytes, 0, i)) < 0;
    return n;
}

static void spell(Spelling *s, Str bytes) {
    int32_t left = s->trainer->byte_id[(unsigned char)bytes.data[0]];
    for (size_t i = 2; i <= bytes.n; i++) {
        Str beginning = str_slice(bytes, 0, i);
        int32_t right = s->trainer->byte_id[(unsigned char)bytes.data[i - 1]];
        int64_t id = map_get(&s->id_of, beginning);
        if (id < 0) {
            id = s->n_tokens++;
            s->token[id] =
                str_printf(s->arena, "%.*s%.*s", STR_ARG(s->token[left]), STR_ARG(s->token[right]));
            (void)map_add(&s->id_of, beginning, id);
            s->merge[s->n_merges++] = (BpeMerge){left, right, (int32_t)id};
        }
        left = (int32_t)id;
    }
}

// Merges of lead and continuation bytes only, so no two of them can meet in one place: every rank
// gives the same tokens.
static void learn_characters(const VocabTrainer *t, Arena *arena, Arena *scratch,
                             const Character *character, int64_t n, BpeLearnt *learnt,
                             int64_t *left_out) {
    int64_t room = t->n_given + 3 * n;
    if (t->recipe.n_tokens && t->recipe.n_tokens < room) room = t->recipe.n_tokens;
    Spelling s = {.trainer = t, .arena = arena, .n_tokens = t->n_given, .room = room};
    s.id_of = map_make(scratch, room);
    s.token = arena_push(arena, sizeof *s.token * (size_t)room);
    s.merge = arena_push(arena, sizeof *s.merge * (size_t)room);
    memcpy(s.token, t->token, sizeof *s.token * (size_t)t->n_given);
    for (int64_t i = 0; i < n; i++) {
        char *text = arena_push(scratch, 4);
        Str bytes = {text, (size_t)utf8_encode(character[i].code_point, text)};
        if (s.n_tokens + missing_tokens(&s, bytes) <= s.room)
            spell(&s, bytes);
        else
            ++*left_out;
    }
    *learnt = (BpeLearnt){s.token, s.n_tokens, s.merge, s.n_merges};
}

static bool learn_all_characters(const VocabTrainer *t, Arena *arena, const CountedWord *word,
                                 BpeLearnt *learnt, VocabReport *report, Error *err) {
    Arena list, scratch;
    int64_t n;
    if (!arena_init(&list, CODE_POINTS * (sizeof(int64_t) + sizeof(Character)) + 64, err))
        return false;
    const Character *character = characters_of(t, &list, word, report->words, &n);
    int64_t most = t->n_given + 3 * n;
    if (!arena_fits(arena, (sizeof(Str) + sizeof(BpeMerge) + 32) * (size_t)most + 64)) {
        arena_drop(&list);
        return error_set(err, ERROR_LIMIT, "%lld characters are too many for the memory here",
                         (long long)n);
    }
    // For each character its bytes, and up to three beginnings in a map at most a quarter of whose
    // slots may be in use.
    size_t each = 16 + 3 * 4 * sizeof(MapSlot);
    bool ok = arena_init(&scratch, ((size_t)n + N_BYTES + (size_t)t->n_given) * each, err);
    if (ok) learn_characters(t, arena, &scratch, character, n, learnt, &report->left_out);
    arena_drop(&scratch);
    arena_drop(&list);
    return ok;
}

// ---- the vocabulary

static bool learn(VocabTrainer *t, Arena *arena, BpeLearnt *learnt, VocabReport *report,
                  Error *err) {
    const CountedWord *word;
    if (!word_counts_all(t->counts, &word, &report->words, err)) return false;
    *learnt = (BpeLearnt){.token = t->token, .n_tokens = t->n_given};
    if (t->recipe.kind == VOCAB_BYTES) return true;
    if (report->words == 0) return error_set(err, ERROR_USAGE, "there is no text to learn from");
    if (t->recipe.kind == VOCAB_BPE) {
        BpeLesson lesson = {.word = word,
                            .n_words = report->words,
                            .token = t->token,
                            .n_given = t->n_given,
                            .byte_id = t->byte_id,
                            .n_tokens = t->recipe.n_tokens,
                            .least = t->recipe.least,
                            .go_on = go_on_merging,
                            .user = t};
        return bpe_learn(&lesson, arena, learnt, err);
    }
    return learn_all_characters(t, arena, word, learnt, report, err);
}

static bool vocab_fits(const Arena *arena, const BpeLearnt *learnt, Error *err) {
    const size_t for_token = sizeof(Str) + sizeof(int32_t) + 16, for_merge = sizeof(Str) + 24;
    size_t bytes = for_token * (size_t)learnt->n_tokens + for_merge * (size_t)learnt->n_merges + 64;
    for (int64_t i = 0; i < learnt->n_tokens; i++) bytes += learnt->token[i].n;
    for (int64_t i = 0; i < learnt->n_merges; i++) bytes += learnt->token[learnt->merge[i].made].n;
    return arena_fits(arena, bytes) ||
           error_set(err, ERROR_LIMIT, "a vocabulary of %lld tokens: too large for the memory here",
                     (long long)learnt->n_tokens);
}

// Everything that the trainer owns is copied, for the vocabulary outlives it.
static void fill_vocab(const VocabTrainer *t, Arena *arena, const BpeLearnt *learnt, Vocab *v) {
    Str *token = arena_push(arena, sizeof *token * (size_t)learnt->n_tokens);
    int32_t *kind = arena_push(arena, sizeof *kind * (size_t)learnt->n_tokens);
    for (int64_t i = 0; i < learnt->n_tokens; i++) {
        token[i] = i < t->n_given ? str_copy(arena, learnt->token[i]) : learnt->token[i];
        kind[i] = i < t->recipe.n_special ? TOKEN_CONTROL : TOKEN_NORMAL;
    }
    Str *merge = arena_push(arena, sizeof *merge * (size_t)(learnt->n_merges + 1));
    for (int64_t i = 0; i < learnt->n_merges; i++)
        merge[i] = str_printf(arena, "%.*s %.*s", STR_ARG(token[learnt->merge[i].left]),
                              STR_ARG(token[learnt->merge[i].right]));
    v->n_tokens = learnt->n_tokens;
    v->token = token;
    v->kind = kind;
    v->n_merges = learnt->n_merges;
    v->merge = merge; // not NULL even if there is none: engines want the list
    v->bos = v->eos = 0;
    v->add_bos = false;
}

bool vocab_trainer_finish(VocabTrainer *t, Arena *arena, Vocab *vocab, VocabReport *report,
                          Error *err) {
    VocabReport unread, *r = report ? report : &unread;
    *r = (VocabReport){.bytes = word_counts_bytes(t->counts),
                       .ill_formed = word_counts_ill_formed(t->counts)};
    BpeLearnt learnt;
    if (!vocab_defaults(vocab, STR("gpt2"), str_copy(arena, t->recipe.pre), err) ||
        !learn(t, arena, &learnt, r, err) || !vocab_fits(arena, &learnt, err))
        return false;
    r->n_learnt = learnt.n_tokens - t->n_given;
    fill_vocab(t, arena, &learnt, vocab);
    return true;
}
