// matcher.c - building and running the automaton of matcher.h.
//
// States are the suffixes of the tokens (prefixes of the reversed ones).  A state's fallback is
// found through its parent's, so states are visited by length; a counting sort gives that order.
#include "text/matcher.h"

#include <string.h>

// What is needed of a state only while the automaton is built.
typedef struct Draft {
    int32_t parent;
    int32_t length;
    unsigned char byte; // on the edge from the parent
} Draft;

static int32_t state_after(const Matcher *m, int32_t state, unsigned char byte) {
    for (;;) {
        int32_t next = pairs_get(&m->edge, state, byte);
        if (next >= 0) return next;
        if (state == 0) return 0;
        state = m->fallback[state];
    }
}

static void add_start(Matcher *m, unsigned char byte) {
    m->starts[byte] = true;
    if (m->n_starts < MATCHER_FEW_STARTS) m->start[m->n_starts] = byte;
    m->n_starts++;
}

static int64_t add_entry(Matcher *m, Draft *draft, MatcherEntry entry, int32_t index) {
    int32_t state = 0;
    for (size_t i = entry.text.n; i-- > 0;) {
        unsigned char byte = (unsigned char)entry.text.data[i];
        int32_t next = pairs_get(&m->edge, state, byte);
        if (next < 0) {
            next = (int32_t)m->n_states++;
            draft[next] = (Draft){state, draft[state].length + 1, byte};
            m->best[0][next] = m->best[1][next] = -1;
            (void)pairs_add(&m->edge, state, byte, next);
            if (state == 0) add_start(m, byte);
        }
        state = next;
    }
    require(m->best[1][state] < 0);
    m->best[1][state] = index;
    if (entry.is_always) m->best[0][state] = index;
    return (int64_t)entry.text.n;
}

// The states except the root by ascending length.
static int32_t *order_states(Arena *arena, const Matcher *m, const Draft *draft, int64_t longest) {
    int64_t *place = arena_new(arena, int64_t, longest + 2);
    int32_t *order = arena_new(arena, int32_t, m->n_states);
    for (int64_t s = 1; s < m->n_states; s++) place[draft[s].length + 1]++;
    for (int64_t k = 1; k < longest + 2; k++) place[k] += place[k - 1];
    for (int64_t s = 1; s < m->n_states; s++) order[place[draft[s].length]++] = (int32_t)s;
    return order;
}

size_t matcher_bytes(int64_t total) {
    size_t for_state = 3 * sizeof(int32_t) + sizeof(Draft) + sizeof(int64_t) + sizeof(int32_t);
    return pairs_bytes(total) + for_state * (size_t)(total + 2);
}

Matcher matcher_make(Arena *arena, const MatcherEntry *entry, int64_t n) {
    int64_t total = 0;
    for (int64_t i = 0; i < n; i++) total += (int64_t)entry[i].text.n;
    Matcher m = {.edge = pairs_make(arena, total), .n_states = 1};
    m.fallback = arena_new(arena, int32_t, total + 1);
    for (int c = 0; c < 2; c++) {
        m.best[c] = arena_new(arena, int32_t, total + 1);
        m.best[c][0] = -1;
    }
    ArenaMark mark = arena_mark(arena);
    Draft *draft = arena_new(arena, Draft, total + 1);
    int64_t longest = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t length = add_entry(&m, draft, entry[i], (int32_t)i);
        if (length > longest) longest = length;
    }
    int32_t *order = order_states(arena, &m, draft, longest);
    for (int64_t i = 0; i < m.n_states - 1; i++) {
        int32_t s = order[i];
        int32_t parent = draft[s].parent;
        m.fallback[s] = parent == 0 ? 0 : state_after(&m, m.fallback[parent], draft[s].byte);
        for (int c = 0; c < 2; c++)
            if (m.best[c][s] < 0) m.best[c][s] = m.best[c][m.fallback[s]];
    }
    arena_back(arena, mark);
    return m;
}

// Whether a text has a byte with which an entry ends.  Most texts have none, and the C library sees
// that faster than a loop.
static bool may_hit(const Matcher *m, Str text) {
    if (m->n_starts > MATCHER_FEW_STARTS) return true;
    for (int i = 0; i < m->n_starts; i++)
        if (memchr(text.data, m->start[i], text.n)) return true;
    return false;
}

int64_t matcher_find(const Matcher *m, Str text, bool with_special, MatcherHit *hit) {
    if (!may_hit(m, text)) return (int64_t)text.n;
    const int32_t *best = m->best[with_special];
    const unsigned char *data = (const unsigned char *)text.data;
    int64_t first = (int64_t)text.n;
    int32_t state = 0;
    for (int64_t i = (int64_t)text.n - 1; i >= 0; i--) {
        if (state == 0) // nothing has begun: on to a byte that ends an entry
            while (i >= 0 && !m->starts[data[i]]) i--;
        if (i < 0) break;
        state = state_after(m, state, data[i]);
        if (best[state] >= 0) hit[--first] = (MatcherHit){(int32_t)i, best[state]};
    }
    return first;
}
