// pretokenize.c - splitters: patterns in sequence, and what becomes of their matches.
//
// A pattern divides a piece into segments, alternately matches and what lies between them; the
// behaviour joins or marks segments.  A named splitter runs several patterns, each on the pieces of
// the one before as if they were texts of their own.
#include "text/pretokenize.h"

#include <string.h>

#include "text/split_pattern.h"

struct Splitter {
    int n_steps;
    SplitProgram *step;    // (n_steps) hand-made, or
    const SplitPcre *pcre; // one expression for PCRE2
    SplitBehaviour behaviour;
    bool is_inverted;
};

Splitter *splitter_named(Arena *arena, Str name, Error *err) {
    Splitter *s = arena_new(arena, Splitter, 1);
    const SplitPattern *step[SPLIT_STEPS_MAX];
    s->n_steps = split_name_patterns(name, step);
    s->step = arena_new(arena, SplitProgram, s->n_steps);
    for (int i = 0; i < s->n_steps; i++) s->step[i] = split_program(step[i]);
    if (s->n_steps) return s;
    error_set(err, ERROR_UNSUPPORTED, "tokenizer.ggml.pre: unknown pre-tokenizer \"%.*s\"",
              name.n < 64 ? (int)name.n : 64, name.data);
    return NULL;
}

Splitter *splitter_pattern(Arena *arena, Str pattern, SplitBehaviour behaviour, bool invert,
                           Error *err) {
    Splitter *s = arena_new(arena, Splitter, 1);
    *s = (Splitter){.behaviour = behaviour, .is_inverted = invert};
    const SplitPattern *known = split_pattern_known(pattern);
    if (known) {
        s->step = arena_new(arena, SplitProgram, 1);
        s->step[0] = split_program(known);
        s->n_steps = 1;
        return s;
    }
    s->pcre = split_pcre(arena, pattern, err);
    return s->pcre ? s : NULL;
}

Str splitter_gguf_name(const Splitter *const *sequence, int n) {
    const SplitPattern *steps[SPLIT_STEPS_MAX];
    int n_steps = 0;
    for (int i = 0; i < n; i++) {
        const Splitter *s = sequence[i];
        if (s->pcre || s->is_inverted || s->behaviour != SPLIT_ISOLATED) return STR("");
        if (n_steps + s->n_steps > SPLIT_STEPS_MAX) return STR("");
        for (int j = 0; j < s->n_steps; j++) steps[n_steps++] = s->step[j].pattern;
    }
    return split_name_find(steps, n_steps);
}

// ---- joining segments

// A piece under construction: it may still grow by the next segment.
typedef struct Cutter {
    const Splitter *splitter;
    int64_t *ends;
    bool *dropped;
    int64_t n;
    int64_t last_end; // of the last piece emitted
    bool has_open;    // a piece up to open_end is not emitted yet
    int64_t open_end;
    bool last_is_match; // of the last segment of this piece of text
} Cutter;

static void cutter_emit(Cutter *c, int64_t end, bool is_dropped) {
    if (end == c->last_end) return;
    c->ends[c->n] = c->last_end = end;
    if (c->dropped) c->dropped[c->n] = is_dropped;
    c->n++;
}

static void cutter_close(Cutter *c) {
    if (c->has_open) cutter_emit(c, c->open_end, false);
    c->has_open = c->last_is_match = false;
}

// Takes the next segment, which ends at `end` and may be empty (an expression can match nothing).
static void cutter_take(Cutter *c, int64_t end, bool is_match) {
    if (c->splitter->is_inverted) is_match = !is_match;
    bool joins = false;
    switch (c->splitter->behaviour) {
    case SPLIT_ISOLATED: cutter_emit(c, end, false); return;
    case SPLIT_REMOVED: cutter_emit(c, end, is_match); return;
    case SPLIT_CONTIGUOUS: joins = is_match == c->last_is_match; break;
    case SPLIT_MERGED_WITH_PREVIOUS: joins = is_match && !c->last_is_match; break;
    case SPLIT_MERGED_WITH_NEXT: joins = !is_match && c->last_is_match; break;
    }
    if (!joins) cutter_close(c);
    c->has_open = true;
    c->open_end = end;
    c->last_is_match = is_match;
}

// ---- cutting

static void cut_span(Cutter *c, const SplitProgram *step, SplitSpan span) {
    int64_t done = span.from, start = span.from, end;
    while (split_pattern_find(step, span, &start, &end)) {
        if (start > done) cutter_take(c, start, false);
        cutter_take(c, end, true);
        done = start = end;
    }
    if (done < span.to) cutter_take(c, span.to, false);
    cutter_close(c);
}

static bool cut_by_pcre(Cutter *c, Str text) {
    SplitPcreRun run;
    if (!split_pcre_begin(&run, c->splitter->pcre, text)) return false;
    int64_t done = 0, start = 0, end;
    while (split_pcre_find(&run, &start, &end)) {
        if (start > done) cutter_take(c, start, false);
        cutter_take(c, end, true);
        done = start = end;
    }
    if (done < (int64_t)text.n) cutter_take(c, (int64_t)text.n, false);
    cutter_close(c);
    return split_pcre_end(&run);
}

// One step of a splitter that keeps matches and what lies between as pieces, the usual case.
static int64_t cut_isolated(const SplitProgram *step, Str text, int64_t *ends, int64_t n) {
    // The pieces so far move to the far end of `ends` and are read from there.  Writing never
    // overtakes reading: after a piece that ends at byte e at most e ends are written, and each of
    // the pieces left has a byte of its own.
    int64_t *piece = ends + ((int64_t)text.n - n), made = 0, from = 0;
    memmove(piece, ends, (size_t)n * sizeof *ends);
    for (int64_t i = 0; i < n; i++) {
        int64_t to = piece[i];
        made += split_pattern_cut(step, (SplitSpan){text, from, to}, ends + made);
        from = to;
    }
    return made;
}

int64_t splitter_cut(const Splitter *s, Str text, int64_t *ends, bool *dropped) {
    int64_t size = (int64_t)text.n, n = 1;
    if (size == 0) return 0;
    Cutter c = {.splitter = s, .ends = ends, .dropped = dropped};
    if (s->pcre) return cut_by_pcre(&c, text) ? c.n : -1;
    if (s->behaviour != SPLIT_ISOLATED) { // such a splitter has one step
        cut_span(&c, s->step, (SplitSpan){text, 0, size});
        return c.n;
    }
    ends[0] = size;
    for (int i = 0; i < s->n_steps; i++) n = cut_isolated(&s->step[i], text, ends, n);
    if (dropped) memset(dropped, 0, (size_t)n * sizeof *dropped);
    return n;
}
