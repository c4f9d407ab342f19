// word_counts.c - a hash table of words for each thread, and where texts can be cut.
#include "text/word_counts.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "text/word_hash.h"
#include "unicode/unicode.h"

enum {
    BLOCK_BYTES = 64 << 10, // of text that a thread counts at a time
    BLOCKS_AT_ONCE = 64,    // between two looks at whether to go on
    TEXTS_CHUNK = 64 << 10, // of the words' own bytes
    WORDS_AT_FIRST = 1 << 12
};

typedef struct WordSlot {
    uint32_t hash; // the lower half
    uint32_t word; // its number and one; 0: free
} WordSlot;

// The table of one thread.
typedef struct WordTable {
    uint64_t seed;
    Arena texts;       // the bytes of the words
    char *chunk;       // of which these
    size_t chunk_left; // are free
    CountedWord *word; // (room)
    int64_t n, room;
    WordSlot *slot;  // (2 * room)
    int64_t *ends;   // (n_ends) scratch: where the words of a block end
    int64_t n_ends;  // grows with the largest block
    int64_t n_wrong; // ill-formed parts
    Error err;       // why counting had to stop
} WordTable;

struct WordCounts {
    WordCountsSpec spec;
    int n_tables;
    WordTable *table; // (n_tables), one for each thread of the pool
    int64_t n_bytes;
    Arena arena; // this
};

// ---- a table

static bool set_no_memory(Error *err) {
    return error_set(err, ERROR_MEMORY, "not enough memory for the distinct words of the text");
}

// Twice the room; words keep their numbers.
static bool table_grow(WordTable *t) {
    int64_t room = t->room ? 2 * t->room : WORDS_AT_FIRST;
    if (room > INT32_MAX)
        return error_set(&t->err, ERROR_LIMIT, "the text has over %lld distinct words",
                         (long long)t->n);
    CountedWord *word = memory_reserve(sizeof *word * (size_t)room);
    WordSlot *slot = memory_reserve_zeros(sizeof *slot * 2 * (size_t)room);
    if (!word || !slot) {
        if (word) memory_release(word, sizeof *word * (size_t)room);
        if (slot) memory_release(slot, sizeof *slot * 2 * (size_t)room);
        return set_no_memory(&t->err);
    }
    uint64_t mask = 2 * (uint64_t)room - 1;
    for (int64_t i = 0; i < 2 * t->room; i++) {
        if (!t->slot[i].word) continue;
        uint64_t at = t->slot[i].hash & mask;
        while (slot[at].word) at = (at + 1) & mask;
        slot[at] = t->slot[i];
    }
    if (t->room) {
        memcpy(word, t->word, sizeof *word * (size_t)t->n);
        memory_release(t->word, sizeof *word * (size_t)t->room);
        memory_release(t->slot, sizeof *slot * 2 * (size_t)t->room);
    }
    t->word = word;
    t->slot = slot;
    t->room = room;
    return true;
}

// A copy of the word, packed behind the one before; NULL if there is no room for it.
static const char *table_copy(WordTable *t, Str word) {
    if (word.n > t->chunk_left) {
        size_t bytes = word.n > TEXTS_CHUNK ? word.n : TEXTS_CHUNK;
        if (bytes + 16 > t->texts.reserved - t->texts.used) {
            (void)error_set(&t->err, ERROR_LIMIT,
                            "the distinct words of the text are longer than %zu bytes together",
                            t->texts.used);
            return NULL;
        }
        t->chunk = arena_push(&t->texts, bytes);
        t->chunk_left = bytes;
    }
    char *copy = t->chunk;
    memcpy(copy, word.data, word.n);
    t->chunk += word.n;
    t->chunk_left -= word.n;
    return copy;
}

static void table_add(WordTable *t, Str word, int64_t count) {
    uint32_t hash = (uint32_t)word_hash(word, t->seed);
    uint64_t mask = 2 * (uint64_t)t->room - 1;
    uint64_t at = hash & mask;
    for (; t->slot[at].word; at = (at + 1) & mask) {
        if (t->slot[at].hash != hash) continue;
        CountedWord *known = &t->word[t->slot[at].word - 1];
        if (!str_equal(known->text, word)) continue;
        known->count += count;
        return;
    }
    const char *copy = table_copy(t, word);
    if (!copy) return;
    t->word[t->n++] = (CountedWord){{copy, word.n}, count};
    t->slot[at] = (WordSlot){hash, (uint32_t)t->n};
    if (t->n == t->room) (void)table_grow(t);
}

static void table_drop(WordTable *t) {
    arena_drop(&t->texts);
    if (t->room) {
        memory_release(t->word, sizeof *t->word * (size_t)t->room);
        memory_release(t->slot, sizeof *t->slot * 2 * (size_t)t->room);
    }
    if (t->ends) memory_release(t->ends, sizeof *t->ends * (size_t)t->n_ends);
    *t = (WordTable){0};
}

// ---- where a text can be cut

static bool is_ascii_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static uint32_t class_after(Str text, int64_t at) {
    int length;
    return unicode_class(utf8_decode(str_slice(text, (size_t)at, text.n), &length));
}

// Of the character that ends before `at`; ill-formed bytes are of class Cn.
static uint32_t class_before(Str text, int64_t at) {
    int64_t start = at - 1;
    while (start > 0 && at - start < 4 && ((unsigned char)text.data[start] & 0xC0) == 0x80) start--;
    int length;
    int32_t c = utf8_decode(str_slice(text, (size_t)start, (size_t)at), &length);
    return start + length == at ? unicode_class(c) : UNICODE_CN;
}

// Before a single space between two letters: the space begins a word.  Behind a line end that
// follows no white space, before a letter: no word holds a line end and then a letter.
bool word_counts_may_cut(Str text, int64_t at) {
    const char *p = text.data + at;
    if (*p == ' ')
        return at + 1 < (int64_t)text.n && is_ascii_letter(p[1]) && is_ascii_letter(p[-1]);
    if (p[-1] != '\n' || at < 2) return false;
    return (class_after(text, at) & UNICODE_L) &&
           !(class_before(text, at - 1) & UNICODE_WHITE_SPACE);
}

static bool may_cut(const WordCounts *c, Str text, int64_t at) {
    return c->spec.by_line ? text.data[at - 1] == '\n' : word_counts_may_cut(text, at);
}

// The end of the block that begins at `from`: the last place to cut in BLOCK_BYTES, or the first
// one behind.
static int64_t block_end(const WordCounts *c, Str text, int64_t from) {
    int64_t n = (int64_t)text.n;
    if (n - from <= BLOCK_BYTES) return n;
    for (int64_t at = from + BLOCK_BYTES; at > from; at--)
        if (may_cut(c, text, at)) return at;
    for (int64_t at = from + BLOCK_BYTES + 1; at < n; at++)
        if (may_cut(c, text, at)) return at;
    return n;
}

// ---- counting

typedef struct Counting {
    WordCounts *counts;
    Str block[BLOCKS_AT_ONCE];
} Counting;

static void count_words(WordTable *t, const Splitter *splitter, Str text) {
    int64_t n = splitter_cut(splitter, text, t->ends, NULL);
    int64_t start = 0;
    for (int64_t i = 0; i < n && !t->err.kind; start = t->ends[i++])
        table_add(t, str_slice(text, (size_t)start, (size_t)t->ends[i]), 1);
}

static void count_ill_formed(WordTable *t, Str block) {
    if (utf8_valid(block)) return;
    for (size_t i = 0; i < block.n;) {
        int length;
        if (utf8_decode(str_slice(block, i, block.n), &length) < 0) t->n_wrong++;
        i += (size_t)length;
    }
}

static bool make_ends(WordTable *t, size_t n) {
    if ((size_t)t->n_ends >= n) return true;
    if (t->ends) memory_release(t->ends, sizeof *t->ends * (size_t)t->n_ends);
    t->n_ends = (int64_t)n;
    t->ends = memory_reserve(sizeof *t->ends * n);
    if (!t->ends) t->n_ends = 0;
    return t->ends || set_no_memory(&t->err);
}

static void count_block(WordTable *t, const WordCountsSpec *spec, Str block) {
    if (t->err.kind || !make_ends(t, block.n)) return;
    count_ill_formed(t, block);
    if (!spec->by_line) {
        count_words(t, spec->splitter, block);
        return;
    }
    while (block.n) {
        size_t end = str_find(block, STR("\n"), 0);
        if (end == SIZE_MAX) end = block.n - 1;
        count_words(t, spec->splitter, str_slice(block, 0, end + 1));
        block = str_slice(block, end + 1, block.n);
    }
}

static void count_blocks(void *arg, int64_t begin, int64_t end, int worker) {
    Counting *c = arg;
    for (int64_t i = begin; i < end; i++)
        count_block(&c->counts->table[worker], &c->counts->spec, c->block[i]);
}

bool word_counts_add(WordCounts *c, Str text, Error *err) {
    Counting counting = {.counts = c};
    for (int64_t at = 0; at < (int64_t)text.n;) {
        int64_t n = 0;
        for (; n < BLOCKS_AT_ONCE && at < (int64_t)text.n; n++) {
            int64_t end = block_end(c, text, at);
            counting.block[n] = str_slice(text, (size_t)at, (size_t)end);
            c->n_bytes += end - at;
            at = end;
        }
        pool_run(c->spec.pool, count_blocks, &counting, n, 1);
        for (int i = 0; i < c->n_tables; i++)
            if (c->table[i].err.kind) {
                *err = c->table[i].err;
                return false;
            }
        if (c->spec.go_on && !c->spec.go_on(c->spec.user, c->n_bytes))
            return error_set(err, ERROR_CANCELLED, "cancelled");
    }
    return true;
}

// ---- opening and closing

WordCounts *word_counts_open(WordCountsSpec spec, Error *err) {
    Arena arena;
    int n = pool_threads(spec.pool);
    size_t bytes = sizeof(WordCounts) + sizeof(WordTable) * (size_t)n + 64;
    if (!arena_init(&arena, bytes, err)) return NULL;
    WordCounts *c = arena_new(&arena, WordCounts, 1);
    *c = (WordCounts){.spec = spec, .n_tables = n, .table = arena_new(&arena, WordTable, n)};
    c->arena = arena;
    uint64_t seed = clock_entropy();
    for (int i = 0; i < n; i++) {
        WordTable *t = &c->table[i];
        t->seed = seed;
        bool ok = arena_init(&t->texts, ARENA_DEFAULT, err);
        if (ok && !table_grow(t)) {
            *err = t->err;
            ok = false;
        }
        if (ok) continue;
        word_counts_close(c);
        return NULL;
    }
    return c;
}

void word_counts_close(WordCounts *c) {
    if (!c) return;
    for (int i = 0; i < c->n_tables; i++) table_drop(&c->table[i]);
    Arena arena = c->arena; // holds c itself
    arena_drop(&arena);
}

bool word_counts_all(WordCounts *c, const CountedWord **word, int64_t *n, Error *err) {
    WordTable *all = &c->table[0];
    for (int i = 1; i < c->n_tables; i++) {
        WordTable *t = &c->table[i];
        for (int64_t j = 0; j < t->n && !all->err.kind; j++)
            table_add(all, t->word[j].text, t->word[j].count);
        for (int64_t j = 0; j < t->n; j++) t->word[j].count = 0; // counted in the first table
    }
    *word = all->word;
    *n = all->n;
    if (!all->err.kind) return true;
    *err = all->err;
    return false;
}

int64_t word_counts_bytes(const WordCounts *c) {
    return c->n_bytes;
}

int64_t word_counts_ill_formed(const WordCounts *c) {
    int64_t n = 0;
    for (int i = 0; i < c->n_tables; i++) n += c->table[i].n_wrong;
    return n;
}
