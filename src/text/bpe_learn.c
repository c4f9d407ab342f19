// bpe_learn.c - the learning of bpe_learn.h.
//
// All words lie in one row of places, a place for each byte and one between words.  A token shows
// at the places of its first and its last byte, so its neighbours are found without links; inside
// nothing shows.  Words stand in the order of their counts, so the count of a place is found among
// the few places where counts change.
//
// What a merge changes is one event: pairs that vanish are counted down at once; pairs that appear
// are counted up and noted with their place.  At its end the places noted are gathered by pair,
// and every pair that stands often enough becomes a candidate with its list.  Counts that have
// fallen since are noticed when a candidate comes to the top of the heap.
#include "text/bpe_learn.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/memory.h"
#include "text/pairs.h"

enum { BETWEEN = -1, INSIDE = -2 }; // places where no token shows
enum { MERGES_AT_ONCE = 64 };       // between two looks at whether to go on
enum { PLACES_AHEAD = 12 };         // they lie anywhere: asked for before they are needed
#define NO_LIST UINT32_MAX

typedef struct PairCount {
    int32_t left, right;
    int64_t count;
    uint32_t n_noted; // places where it has appeared
    uint32_t next;    // where in `listed` the next of them goes, or NO_LIST
} PairCount;

typedef struct Noted {
    uint32_t pair; // its index
    uint32_t place;
} Noted;

// A pair that may be merged, as often as it stood when the candidate was last looked at.
typedef struct Candidate {
    int64_t count;
    uint64_t key; // left id, right id: the smaller comes first
    uint32_t pair, first, n;
} Candidate;

typedef struct Learner {
    const BpeLesson *lesson;
    Arena work;        // all that follows but the slots and the tokens
    int32_t *symbol;   // (n_places) the token that shows there
    uint32_t n_places; // the first and the last are BETWEEN
    uint32_t *step;    // (n_steps) places from which on words have another count, ascending
    int64_t *count;    // (n_steps) and that count
    int64_t n_steps;
    PairCount *pair; // (n_pairs)
    uint32_t n_pairs;
    uint32_t *slot; // (mask + 1) hash table: index of a pair and one, 0 if free
    uint64_t mask;
    Pairs hash;           // only its seed is used
    Noted *noted;         // (n_noted) of this event
    uint32_t first_fresh; // pairs from here on have appeared in this event
    int64_t n_noted;
    uint32_t *listed; // (n_listed) the places of all candidates
    int64_t n_listed;
    Candidate *heap; // (n_heap)
    int64_t n_heap;
    Arena *arena;    // of the result
    Str *token;      // (lesson->n_tokens)
    int32_t *length; // (lesson->n_tokens) bytes
    int64_t n_tokens;
    Map given;       // those of the lesson
    BpeMerge *merge; // (lesson->n_tokens): one for each token made, given ones among them
    int64_t n_merges;
} Learner;

// ---- the words in a row

static int by_count(const void *a, const void *b) {
    const CountedWord *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

// The words with the largest counts first.  Most stand once, and those need no sorting.
static CountedWord *sorted_words(const BpeLesson *lesson, Arena *arena) {
    CountedWord *word = arena_push(arena, sizeof *word * (size_t)(lesson->n_words + 1));
    int64_t n_often = 0, n = lesson->n_words;
    for (int64_t i = 0; i < lesson->n_words; i++) {
        if (lesson->word[i].count > 1)
            word[n_often++] = lesson->word[i];
        else
            word[--n] = lesson->word[i];
    }
    qsort(word, (size_t)n_often, sizeof *word, by_count);
    return word;
}

static void lay_out_words(Learner *l, const CountedWord *word) {
    uint32_t at = 0;
    l->symbol[at++] = BETWEEN;
    for (int64_t i = 0; i < l->lesson->n_words; i++) {
        if (l->n_steps == 0 || l->count[l->n_steps - 1] != word[i].count) {
            l->step[l->n_steps] = at;
            l->count[l->n_steps++] = word[i].count;
        }
        for (size_t j = 0; j < word[i].text.n; j++)
            l->symbol[at++] = l->lesson->byte_id[(unsigned char)word[i].text.data[j]];
        l->symbol[at++] = BETWEEN;
    }
    l->n_places = at;
}

static int64_t count_at(const Learner *l, uint32_t place) {
    int64_t low = 0, high = l->n_steps - 1; // the last step at or before the place
    if (place >= l->step[high]) return l->count[high];
    while (low + 1 < high) {
        int64_t middle = (low + high) / 2;
        if (l->step[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return l->count[low];
}

// ---- pairs

// The slot of a pair, or the free one where it belongs.
static uint32_t *slot_of(const Learner *l, int32_t left, int32_t right) {
    uint64_t i = pairs_hash(&l->hash, left, right) & l->mask;
    for (;; i = (i + 1) & l->mask) {
        uint32_t index = l->slot[i];
        if (!index) return &l->slot[i];
        const PairCount *pair = &l->pair[index - 1];
        if (pair->left == left && pair->right == right) return &l->slot[i];
    }
}

// Room in the hash table for `more` pairs.
static bool make_room(Learner *l, int64_t more, Error *err) {
    uint64_t want = 2 * ((uint64_t)l->n_pairs + (uint64_t)more);
    if (l->slot && want <= l->mask) return true;
    uint64_t old_bytes = l->slot ? (l->mask + 1) * sizeof *l->slot : 0, size = 1 << 12;
    while (size <= want) size *= 2;
    uint32_t *slot = memory_reserve_zeros(size * sizeof *slot);
    if (!slot) return error_set(err, ERROR_MEMORY, "not enough memory for the pairs of tokens");
    if (l->slot) memory_release(l->slot, old_bytes);
    l->slot = slot;
    l->mask = size - 1;
    for (uint32_t i = 0; i < l->n_pairs; i++)
        *slot_of(l, l->pair[i].left, l->pair[i].right) = i + 1;
    return true;
}

static void count_down(Learner *l, int32_t left, int32_t right, int64_t count) {
    uint32_t index = *slot_of(l, left, right);
    require(index > 0);
    l->pair[index - 1].count -= count;
}

// A pair appears at a place.
static void note(Learner *l, int32_t left, int32_t right, uint32_t place, int64_t count) {
    uint32_t *slot = slot_of(l, left, right);
    if (*slot == 0) {
        l->pair[l->n_pairs++] = (PairCount){.left = left, .right = right};
        *slot = l->n_pairs;
    }
    PairCount *pair = &l->pair[*slot - 1];
    pair->n_noted++;
    pair->count += count;
    l->noted[l->n_noted++] = (Noted){*slot - 1, place};
}

// ---- candidates

static bool comes_before(const Candidate *a, const Candidate *b) {
    if (a->count != b->count) return a->count > b->count;
    return a->key < b->key;
}

static void heap_add(Learner *l, Candidate c) {
    Candidate *heap = l->heap;
    int64_t i = l->n_heap++;
    for (; i > 0 && comes_before(&c, &heap[(i - 1) / 4]); i = (i - 1) / 4)
        heap[i] = heap[(i - 1) / 4];
    heap[i] = c;
}

// Puts a candidate at the top and lets it sink.
static void heap_sink(Learner *l, Candidate c) {
    Candidate *heap = l->heap;
    int64_t i = 0;
    for (int64_t first; (first = 4 * i + 1) < l->n_heap;) {
        int64_t end = first + 4 < l->n_heap ? first + 4 : l->n_heap;
        int64_t best = first;
        for (int64_t child = first + 1; child < end; child++)
            if (comes_before(&heap[child], &heap[best])) best = child;
        if (comes_before(&c, &heap[best])) break;
        heap[i] = heap[best];
        i = best;
    }
    heap[i] = c;
}

// Ends an event: the places noted become lists, the pairs candidates.
static void end_event(Learner *l) {
    for (uint32_t i = l->first_fresh; i < l->n_pairs; i++) {
        PairCount *pair = &l->pair[i];
        pair->next = NO_LIST;
        if (pair->count < l->lesson->least) continue;
        uint64_t key = (uint64_t)(uint32_t)pair->left << 32 | (uint32_t)pair->right;
        heap_add(l, (Candidate){pair->count, key, i, (uint32_t)l->n_listed, pair->n_noted});
        pair->next = (uint32_t)l->n_listed;
        l->n_listed += pair->n_noted;
    }
    for (int64_t i = 0; i < l->n_noted; i++) {
        PairCount *pair = &l->pair[l->noted[i].pair];
        if (pair->next != NO_LIST) l->listed[pair->next++] = l->noted[i].place;
    }
    l->n_noted = 0;
    l->first_fresh = l->n_pairs;
}

// ---- merging

// Joins left and right at a place, if they stand there still.
static void merge_at(Learner *l, BpeMerge m, uint32_t place) {
    int32_t *symbol = l->symbol;
    uint32_t n_left = (uint32_t)l->length[m.left], n_right = (uint32_t)l->length[m.right];
    uint32_t second = place + n_left, behind = second + n_right;
    if (symbol[place] != m.left || symbol[second] != m.right) return;
    int32_t before = symbol[place - 1], after = symbol[behind];
    int64_t count = count_at(l, place);
    if (before != BETWEEN) {
        count_down(l, before, m.left, count);
        note(l, before, m.made, place - (uint32_t)l->length[before], count);
    }
    if (after != BETWEEN) {
        count_down(l, m.right, after, count);
        note(l, m.made, after, place, count);
    }
    symbol[second - 1] = symbol[second] = INSIDE;
    symbol[place] = symbol[behind - 1] = m.made;
}

static void merge_everywhere(Learner *l, const Candidate *c, BpeMerge m) {
    const uint32_t *place = l->listed + c->first;
    for (uint32_t i = 0; i < c->n; i++) {
        if (i + PLACES_AHEAD < c->n) WILL_READ(&l->symbol[place[i + PLACES_AHEAD]]);
        merge_at(l, m, place[i]);
    }
    end_event(l);
}

// The token that two others make: a new one, or a special token that is written alike.
static int32_t make_token(Learner *l, int32_t left, int32_t right) {
    Str a = l->token[left], b = l->token[right];
    char *text = arena_push(l->arena, a.n + b.n);
    memcpy(text, a.data, a.n);
    memcpy(text + a.n, b.data, b.n);
    Str token = {text, a.n + b.n};
    int64_t id = map_get(&l->given, token);
    if (id < 0) id = l->n_tokens++;
    l->token[id] = token;
    l->length[id] = l->length[left] + l->length[right];
    return (int32_t)id;
}

// Merges the candidate at the top of the heap, whose count is current.
static bool merge_top(Learner *l, Error *err) {
    Candidate top = l->heap[0], last = l->heap[--l->n_heap];
    if (l->n_heap > 0) heap_sink(l, last);
    // Each place adds two pairs at most, and so does each token.
    int64_t n = top.n < l->n_tokens ? top.n : l->n_tokens + 1;
    if (!make_room(l, 2 * n, err)) return false;
    BpeMerge m = {.left = l->pair[top.pair].left, .right = l->pair[top.pair].right};
    if (!arena_fits(l->arena, l->token[m.left].n + l->token[m.right].n))
        return error_set(err, ERROR_LIMIT, "the vocabulary is too large for the memory here");
    m.made = make_token(l, m.left, m.right);
    l->merge[l->n_merges++] = m;
    merge_everywhere(l, &top, m);
    const BpeLesson *lesson = l->lesson;
    if (!lesson->go_on || l->n_merges % MERGES_AT_ONCE ||
        lesson->go_on(lesson->user, l->n_tokens - lesson->n_given,
                      lesson->n_tokens - lesson->n_given))
        return true;
    return error_set(err, ERROR_CANCELLED, "cancelled");
}

static bool merge_all(Learner *l, Error *err) {
    while (l->n_tokens < l->lesson->n_tokens && l->n_heap > 0) {
        Candidate top = l->heap[0];
        int64_t count = l->pair[top.pair].count;
        if (top.count != count) {
            top.count = count;
            heap_sink(l, top);
        } else {
            if (count < l->lesson->least) break;
            if (!merge_top(l, err)) return false;
        }
    }
    return true;
}

// ---- the lesson

static void begin_tokens(Learner *l) {
    const BpeLesson *lesson = l->lesson;
    size_t n = (size_t)lesson->n_tokens;
    l->token = arena_push(l->arena, sizeof *l->token * n);
    l->length = arena_push(&l->work, sizeof *l->length * n);
    l->given = map_make(&l->work, lesson->n_given);
    l->merge = arena_push(l->arena, sizeof *l->merge * n);
    for (int64_t i = 0; i < lesson->n_given; i++) {
        l->token[i] = lesson->token[i];
        l->length[i] = 1;
        require(map_add(&l->given, l->token[i], i));
    }
    l->n_tokens = lesson->n_given;
}

// Reserves for places: each is noted once at first, and every merge, of which there are fewer than
// places, notes two.  What is not touched costs nothing.
static bool begin(Learner *l, Error *err) {
    const BpeLesson *lesson = l->lesson;
    size_t places = 1, words = (size_t)lesson->n_words + 1;
    for (int64_t i = 0; i < lesson->n_words; i++) places += lesson->word[i].text.n + 1;
    if (places > BPE_LEARN_BYTES_MAX)
        return error_set(err, ERROR_LIMIT,
                         "the distinct words of the text are longer than %d MB together: train on "
                         "a part of it",
                         BPE_LEARN_BYTES_MAX >> 20);
    size_t each = sizeof *l->symbol + sizeof *l->noted +
                  3 * (sizeof *l->listed + sizeof *l->heap + sizeof *l->pair);
    size_t tokens = (size_t)lesson->n_tokens * sizeof *l->length +
                    (size_t)lesson->n_given * 4 * sizeof(MapSlot);
    if (!arena_init(&l->work, places * each + words * (sizeof(CountedWord) + 12) + tokens + 4096,
                    err))
        return false;
    if (!arena_fits(l->arena, (size_t)lesson->n_tokens * (sizeof(Str) + sizeof(BpeMerge)) + 32))
        return error_set(err, ERROR_LIMIT,
                         "a vocabulary of %lld tokens: too large for the memory here",
                         (long long)lesson->n_tokens);
    l->hash = (Pairs){.seed = clock_entropy()};
    begin_tokens(l);
    l->symbol = arena_push(&l->work, sizeof *l->symbol * places);
    l->step = arena_push(&l->work, sizeof *l->step * words);
    l->count = arena_push(&l->work, sizeof *l->count * words);
    l->noted = arena_push(&l->work, sizeof *l->noted * places);
    l->listed = arena_push(&l->work, sizeof *l->listed * 3 * places);
    l->heap = arena_push(&l->work, sizeof *l->heap * 3 * places);
    l->pair = arena_push(&l->work, sizeof *l->pair * 3 * places);
    lay_out_words(l, sorted_words(lesson, &l->work));
    return make_room(l, l->n_places < 1 << 16 ? l->n_places : 1 << 16, err);
}

static void note_words(Learner *l) {
    for (uint32_t i = 0; i + 1 < l->n_places; i++)
        if (l->symbol[i] != BETWEEN && l->symbol[i + 1] != BETWEEN)
            note(l, l->symbol[i], l->symbol[i + 1], i, count_at(l, i));
    end_event(l);
}

bool bpe_learn(const BpeLesson *lesson, Arena *arena, BpeLearnt *learnt, Error *err) {
    Learner l = {.lesson = lesson, .arena = arena};
    require(lesson->least >= 1 && lesson->n_tokens >= lesson->n_given);
    bool ok = begin(&l, err);
    if (ok) {
        note_words(&l);
        ok = merge_all(&l, err);
    }
    if (ok) *learnt = (BpeLearnt){l.token, l.n_tokens, l.merge, l.n_merges};
    if (l.slot) memory_release(l.slot, (l.mask + 1) * sizeof *l.slot);
    arena_drop(&l.work);
    return ok;
}
