// split_pattern.c - the shapes of which known pre-tokenizer patterns are made.
//
// Each function gives the end of its match at a position, or NO_MATCH, as a backtracking engine
// would find it (greedy, leftmost alternative first), but from one or two scans: the only thing
// that backtracking could take back is remembered on the way.
#include "text/split_pattern.h"

#include "base/utf8.h"

#define NO_MATCH ((int64_t)-1)

static const CharSet upper_or_caseless = {.classes = UNICODE_LU | UNICODE_LT | UNICODE_LM |
                                                     UNICODE_LO | UNICODE_M};
static const CharSet lower_or_caseless = {.classes =
                                              UNICODE_LL | UNICODE_LM | UNICODE_LO | UNICODE_M};
static const CharSet white_space = {.classes = UNICODE_WHITE_SPACE};
static const CharSet newline = {.classes = SPLIT_NEWLINE};

typedef struct Character {
    int32_t code_point; // -1: ill-formed bytes, which are of class Cn
    uint32_t classes;   // 0: there is none, the end of the span
    int64_t end;
} Character;

static Character character_at(SplitSpan span, int64_t at) {
    if (at >= span.to) return (Character){.code_point = -1, .end = at};
    unsigned char byte = (unsigned char)span.text.data[at];
    if (byte < 128) {
        uint32_t classes = unicode_ascii_class[byte];
        if (byte == '\n' || byte == '\r') classes |= SPLIT_NEWLINE;
        return (Character){byte, classes, at + 1};
    }
    int length;
    Str rest = {span.text.data + at, (size_t)(span.to - at)};
    int32_t code_point = utf8_decode(rest, &length);
    return (Character){code_point, unicode_class(code_point), at + length};
}

static bool in_ranges(const CharSet *set, int32_t code_point) {
    int low = 0, high = set->n_ranges;
    while (low < high) {
        int middle = (low + high) / 2;
        if (set->range[middle][1] < code_point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < set->n_ranges && set->range[low][0] <= code_point;
}

static bool in_set(const CharSet *set, Character c) {
    if (!c.classes) return false;
    bool found = (c.classes & set->classes) || (set->n_ranges && in_ranges(set, c.code_point));
    return found != set->is_negated;
}

// The end of the longest run of at most `max` characters of the set (0: no upper bound).
static int64_t run_end(SplitSpan span, int64_t at, const CharSet *set, int max) {
    for (int n = 0; max == 0 || n < max; n++) {
        Character c = character_at(span, at);
        if (!in_set(set, c)) return at;
        at = c.end;
    }
    return at;
}

// 's 't 're 've 'm 'll 'd.  Ignoring case, the long s (U+017F) is an s too: it folds to it.
static int64_t contraction_end(SplitSpan span, int64_t at, bool ignores_case) {
    if (at + 1 >= span.to || span.text.data[at] != '\'') return NO_MATCH;
    int32_t letter[2] = {0, 0};
    int64_t end[2] = {at + 1, at + 1};
    for (int i = 0; i < 2; i++) {
        Character c = character_at(span, i ? end[0] : at + 1);
        letter[i] = ignores_case ? unicode_lower(c.code_point) : c.code_point;
        if (ignores_case && c.code_point == 0x17F) letter[i] = 's';
        end[i] = c.end;
    }
    switch (letter[0]) {
    case 's':
    case 't':
    case 'm':
    case 'd': return end[0];
    case 'r':
    case 'v': return letter[1] == 'e' ? end[1] : NO_MATCH;
    case 'l': return letter[1] == 'l' ? end[1] : NO_MATCH;
    default: return NO_MATCH;
    }
}

static int64_t run_match(const SplitRule *rule, SplitSpan span, int64_t at) {
    Character first = character_at(span, at);
    int64_t begin = at;
    if (rule->lead && in_set(rule->lead, first)) {
        if (in_set(rule->set, character_at(span, first.end)))
            begin = first.end;
        else if (rule->shape == SPLIT_LED_RUN)
            return NO_MATCH;
    } else if (rule->shape == SPLIT_LED_RUN) {
        return NO_MATCH;
    }
    int64_t end = run_end(span, begin, rule->set, rule->max);
    // A minimum is given for ASCII sets only, so that bytes are characters.
    if (end == begin || end - begin < rule->min) return NO_MATCH;
    return rule->tail ? run_end(span, end, rule->tail, 0) : end;
}

// UPPER* LOWER+: the run of UPPER gives back characters until one is in LOWER as well.
static int64_t cased_lower_end(SplitSpan span, int64_t at) {
    int64_t after_shared = NO_MATCH, end = at;
    Character c = character_at(span, at);
    while (in_set(&upper_or_caseless, c)) {
        end = c.end;
        if (in_set(&lower_or_caseless, c)) after_shared = end;
        c = character_at(span, end);
    }
    return in_set(&lower_or_caseless, c) ? run_end(span, end, &lower_or_caseless, 0) : after_shared;
}

static int64_t cased_upper_end(SplitSpan span, int64_t at) {
    int64_t end = run_end(span, at, &upper_or_caseless, 0);
    return end == at ? NO_MATCH : run_end(span, end, &lower_or_caseless, 0);
}

static int64_t cased_match(const SplitRule *rule, SplitSpan span, int64_t at) {
    int64_t (*word_end)(SplitSpan, int64_t) =
        rule->shape == SPLIT_CASED_LOWER ? cased_lower_end : cased_upper_end;
    Character first = character_at(span, at);
    int64_t end = in_set(rule->lead, first) ? word_end(span, first.end) : NO_MATCH;
    if (end == NO_MATCH) end = word_end(span, at);
    if (end == NO_MATCH || !rule->has_contraction) return end;
    int64_t contraction = contraction_end(span, end, rule->ignores_case);
    return contraction == NO_MATCH ? end : contraction;
}

static int64_t lines_match(SplitSpan span, int64_t at) {
    int64_t after_newline = NO_MATCH;
    for (Character c = character_at(span, at); in_set(&white_space, c);
         c = character_at(span, c.end)) {
        if (in_set(&newline, c)) after_newline = c.end;
    }
    return after_newline;
}

// A run of white space leaves its last character to the word that follows it.
static int64_t blanks_match(SplitSpan span, int64_t at) {
    int64_t end = at, before_last = NO_MATCH;
    for (Character c = character_at(span, at); in_set(&white_space, c);
         c = character_at(span, c.end)) {
        before_last = end;
        end = c.end;
    }
    if (end == span.to && end > at) return end;
    return before_last > at ? before_last : NO_MATCH;
}

// "$" is the end of a line, as in Oniguruma: before every "\n" and at the end of the span.  After a
// failure nothing in the same run of white space can match either: *next goes behind it.
static int64_t trailing_match(SplitSpan span, int64_t at, int64_t *next) {
    int64_t before_newline = NO_MATCH, end = at;
    for (Character c = character_at(span, at); in_set(&white_space, c);
         c = character_at(span, end)) {
        if (c.code_point == '\n' && end > at) before_newline = end;
        end = c.end;
    }
    if (end > at) *next = end;
    return end == span.to && end > at ? end : before_newline;
}

static int64_t rule_match(const SplitRule *rule, SplitSpan span, int64_t at, int64_t *next) {
    switch (rule->shape) {
    case SPLIT_CONTRACTION: return contraction_end(span, at, rule->ignores_case);
    case SPLIT_RUN:
    case SPLIT_LED_RUN: return run_match(rule, span, at);
    case SPLIT_CASED_LOWER:
    case SPLIT_CASED_UPPER: return cased_match(rule, span, at);
    case SPLIT_LINES: return lines_match(span, at);
    case SPLIT_BLANKS: return blanks_match(span, at);
    case SPLIT_TRAILING: return trailing_match(span, at, next);
    }
    return NO_MATCH;
}

bool split_pattern_find(const SplitPattern *pattern, SplitSpan span, int64_t *start, int64_t *end) {
    for (int64_t at = *start; at < span.to;) {
        int64_t next = character_at(span, at).end;
        for (int i = 0; i < pattern->n_rules; i++) {
            *end = rule_match(&pattern->rule[i], span, at, &next);
            if (*end == NO_MATCH) continue;
            *start = at;
            return true;
        }
        at = next;
    }
    return false;
}
