// split_pcre.c - patterns that are not known, matched by PCRE2.
//
// A pattern comes from a file, so it may be one that backtracks without end.  Every item of the
// expression is compiled with a callout, and each callout pays for the distance the match has moved
// since the last one: the whole text has a budget of steps proportional to its length.  PCRE2 wants
// well-formed UTF-8: ill-formed bytes end the text before them and are part of no match.
//
// Differences from Oniguruma, for which tokenizer.json patterns are written: \s also takes U+180E
// and \p knows the Unicode version of the PCRE2 library.  "$" and "^" mean lines in both.
#include "text/split_pattern.h"

#ifdef HEED_PCRE2

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/utf8.h"

enum { PATTERN_BYTES_MAX = 1 << 14, STEPS_PER_BYTE = 200, STEPS_MIN = 100000 };
enum { HEAP_KIB_MAX = 64 << 10 };

struct SplitPcre {
    pcre2_code *code;
};

// PCRE2 takes the memory of a compiled pattern from the splitter's arena and never frees it singly.
static void *allocate(size_t bytes, void *arena) {
    return arena_push(arena, bytes);
}
static void release(void *pointer, void *arena) {
    (void)pointer;
    (void)arena;
}

SplitPcre *split_pcre(Arena *arena, Str regex, Error *err) {
    if (regex.n > PATTERN_BYTES_MAX) {
        error_set(err, ERROR_LIMIT, "split pattern: %zu bytes, at most %d are allowed", regex.n,
                  (int)PATTERN_BYTES_MAX);
        return NULL;
    }
    SplitPcre *p = arena_new(arena, SplitPcre, 1);
    pcre2_general_context *general = pcre2_general_context_create(allocate, release, arena);
    pcre2_compile_context *context = pcre2_compile_context_create(general);
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    // Every repeat has to come back to a callout: no optimisation may hide its steps.
    uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_AUTO_CALLOUT |
                       PCRE2_NO_AUTO_POSSESS | PCRE2_NO_START_OPTIMIZE | PCRE2_NO_DOTSTAR_ANCHOR |
                       PCRE2_NEVER_BACKSLASH_C;
    int code;
    PCRE2_SIZE offset;
    p->code = pcre2_compile((PCRE2_SPTR)regex.data, regex.n, options, &code, &offset, context);
    if (p->code) return p;
    PCRE2_UCHAR words[128] = "";
    pcre2_get_error_message(code, words, sizeof words);
    error_set(err, ERROR_FORMAT, "split pattern: %s at byte %zu of \"%.*s\"", (const char *)words,
              (size_t)offset, regex.n < 200 ? (int)regex.n : 200, regex.data);
    return NULL;
}

static int pay(pcre2_callout_block *block, void *data) {
    SplitPcreRun *run = data;
    int64_t at = (int64_t)block->current_position, moved = at - run->last_position;
    run->budget -= 1 + (moved < 0 ? -moved : moved);
    run->last_position = at;
    return run->budget < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

bool split_pcre_begin(SplitPcreRun *run, const SplitPcre *pattern, Str text) {
    *run = (SplitPcreRun){.pattern = pattern, .text = text, .last_match = -1};
    run->budget = (int64_t)text.n * STEPS_PER_BYTE + STEPS_MIN;
    run->match = pcre2_match_data_create(1, NULL);
    run->context = pcre2_match_context_create(NULL);
    if (!run->match || !run->context) {
        split_pcre_end(run);
        return false;
    }
    pcre2_set_callout(run->context, pay, run);
    pcre2_set_heap_limit(run->context, HEAP_KIB_MAX);
    return true;
}

static int character_bytes(Str text, int64_t at) {
    int length;
    utf8_decode(str_slice(text, (size_t)at, text.n), &length);
    return length;
}

// Makes valid_from .. valid_to the first well-formed stretch that ends after `at`.
static void find_valid(SplitPcreRun *run, int64_t at) {
    int64_t size = (int64_t)run->text.n;
    bool is_open = false;
    run->valid_from = at;
    for (run->valid_to = at; run->valid_to < size;) {
        int length;
        bool is_valid =
            utf8_decode(str_slice(run->text, (size_t)run->valid_to, run->text.n), &length) >= 0;
        if (is_open && !is_valid) return;
        if (!is_open && is_valid) run->valid_from = run->valid_to;
        is_open = is_valid;
        run->valid_to += length;
    }
    if (!is_open) run->valid_from = size;
}

// Searches from `at` in the well-formed stretch; false without a match or without budget.
static bool match_from(SplitPcreRun *run, int64_t at, int64_t *start, int64_t *end) {
    int64_t base = run->valid_from;
    run->last_position = at - base;
    int n = pcre2_match(run->pattern->code, (PCRE2_SPTR)run->text.data + base,
                        (PCRE2_SIZE)(run->valid_to - base), (PCRE2_SIZE)(at - base),
                        PCRE2_NO_UTF_CHECK, run->match, run->context);
    if (n < 0 && n != PCRE2_ERROR_NOMATCH) run->is_exhausted = true;
    if (n < 0) return false;
    PCRE2_SIZE *span = pcre2_get_ovector_pointer(run->match);
    // Inside a lookbehind, \K may set a start behind the end or before the search began.
    *start = base + (int64_t)span[0];
    *end = base + (int64_t)span[1];
    return *start >= at && *end >= *start;
}

bool split_pcre_find(SplitPcreRun *run, int64_t *start, int64_t *end) {
    int64_t at = *start, size = (int64_t)run->text.n;
    while (at < size && !run->is_exhausted) {
        if (at >= run->valid_to) find_valid(run, at);
        if (at < run->valid_from) at = run->valid_from;
        if (at == size) return false;
        if (!match_from(run, at, start, end)) {
            at = run->valid_to;
            continue;
        }
        // An empty match right after another one is none: go on one character further.
        bool is_new = *end > *start || *end != run->last_match;
        at = *start;
        run->last_match = *end;
        if (is_new) return true;
        if (at < size) at += character_bytes(run->text, at);
    }
    return false;
}

bool split_pcre_end(SplitPcreRun *run) {
    pcre2_match_data_free(run->match);
    pcre2_match_context_free(run->context);
    return !run->is_exhausted;
}

#else

SplitPcre *split_pcre(Arena *arena, Str regex, Error *err) {
    (void)arena;
    error_set(err, ERROR_UNSUPPORTED,
              "split pattern \"%.*s\": not one that heed knows, and this build has no PCRE2",
              regex.n < 200 ? (int)regex.n : 200, regex.data);
    return NULL;
}

// No splitter holds an unknown pattern, so nothing below is ever reached.
bool split_pcre_begin(SplitPcreRun *run, const SplitPcre *pattern, Str text) {
    *run = (SplitPcreRun){.pattern = pattern, .text = text};
    return false;
}
bool split_pcre_find(SplitPcreRun *run, int64_t *start, int64_t *end) {
    *end = *start;
    return !run->text.n;
}
bool split_pcre_end(SplitPcreRun *run) {
    return !run->is_exhausted;
}

#endif
