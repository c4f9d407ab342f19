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

// A character past ASCII.  Three bytes are nearly all of them in most scripts.
static Character wide_character(SplitSpan span, int64_t at) {
    const unsigned char *p = (const unsigned char *)span.text.data + at;
    if (at + 2 < span.to && (p[0] & 0xF0) == 0xE0 && (p[1] & 0xC0) == 0x80 &&
        (p[2] & 0xC0) == 0x80) {
        int32_t c = (p[0] & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F);
        if (c >= 0x800 && (c < 0xD800 || c > 0xDFFF))
            return (Character){c, unicode_class(c), at + 3};
    }
    int length;
    Str rest = {span.text.data + at, (size_t)(span.to - at)};
    int32_t code_point = utf8_decode(rest, &length);
    return (Character){code_point, unicode_class(code_point), at + length};
}

static uint32_t ascii_classes(unsigned char byte) {
    uint32_t classes = unicode_ascii_class[byte];
    return byte == '\n' || byte == '\r' ? classes | SPLIT_NEWLINE : classes;
}

static Character character_at(SplitSpan span, int64_t at) {
    if (at >= span.to) return (Character){.code_point = -1, .end = at};
    unsigned char byte = (unsigned char)span.text.data[at];
    if (byte < 128) return (Character){byte, ascii_classes(byte), at + 1};
    return wide_character(span, at);
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

// A set of one of the rules of a program.
typedef struct RuleSet {
    const SplitProgram *program;
    const CharSet *set; // NULL: the rule has none
    uint32_t bit;       // in program->in_set
} RuleSet;

static RuleSet rule_set(const SplitProgram *program, int rule, SplitSet which) {
    const SplitRule *r = &program->pattern->rule[rule];
    const CharSet *set = which == SPLIT_SET_LEAD  ? r->lead
                         : which == SPLIT_SET_RUN ? r->set
                                                  : r->tail;
    return (RuleSet){program, set, (uint32_t)1 << (SPLIT_SETS * rule + (int)which)};
}

// Whether the character at `at` is in the set; then *end is behind it.
static bool set_has(RuleSet s, SplitSpan span, int64_t at, int64_t *end) {
    if (at >= span.to) return false;
    unsigned char byte = (unsigned char)span.text.data[at];
    if (byte < 128) {
        *end = at + 1;
        return s.program->in_set[byte] & s.bit;
    }
    Character c = wide_character(span, at);
    *end = c.end;
    return in_set(s.set, c);
}

// The end of the longest run of at most `max` characters of the set (0: no upper bound).
static int64_t run_end(RuleSet s, SplitSpan span, int64_t at, int max) {
    int64_t end;
    for (int n = 0; (max == 0 || n < max) && set_has(s, span, at, &end); n++) at = end;
    return at;
}

// The same for sets that are no rule's own.
static int64_t class_run_end(SplitSpan span, int64_t at, const CharSet *set) {
    for (Character c = character_at(span, at); in_set(set, c); c = character_at(span, at))
        at = c.end;
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

static int64_t run_match(const SplitProgram *program, int index, SplitSpan span, int64_t at) {
    const SplitRule *rule = &program->pattern->rule[index];
    RuleSet run = rule_set(program, index, SPLIT_SET_RUN);
    int64_t begin = at, after, ignored;
    if (rule->lead && set_has(rule_set(program, index, SPLIT_SET_LEAD), span, at, &after)) {
        if (set_has(run, span, after, &ignored))
            begin = after;
        else if (rule->shape == SPLIT_LED_RUN)
            return NO_MATCH;
    } else if (rule->shape == SPLIT_LED_RUN) {
        return NO_MATCH;
    }
    int64_t end = run_end(run, span, begin, rule->max);
    // A minimum is given for ASCII sets only, so that bytes are characters.
    if (end == begin || end - begin < rule->min) return NO_MATCH;
    return rule->tail ? run_end(rule_set(program, index, SPLIT_SET_TAIL), span, end, 0) : end;
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
    return in_set(&lower_or_caseless, c) ? class_run_end(span, end, &lower_or_caseless)
                                         : after_shared;
}

static int64_t cased_upper_end(SplitSpan span, int64_t at) {
    int64_t end = class_run_end(span, at, &upper_or_caseless);
    return end == at ? NO_MATCH : class_run_end(span, end, &lower_or_caseless);
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

static int64_t rule_match(const SplitProgram *program, int index, SplitSpan span, int64_t at,
                          int64_t *next) {
    const SplitRule *rule = &program->pattern->rule[index];
    switch (rule->shape) {
    case SPLIT_CONTRACTION: return contraction_end(span, at, rule->ignores_case);
    case SPLIT_RUN:
    case SPLIT_LED_RUN: return run_match(program, index, span, at);
    case SPLIT_CASED_LOWER:
    case SPLIT_CASED_UPPER: return cased_match(rule, span, at);
    case SPLIT_LINES: return lines_match(span, at);
    case SPLIT_BLANKS: return blanks_match(span, at);
    case SPLIT_TRAILING: return trailing_match(span, at, next);
    }
    return NO_MATCH;
}

// Whether a rule may match where this ASCII character stands.
static bool rule_may_begin(const SplitProgram *program, int index, unsigned char byte) {
    const SplitRule *rule = &program->pattern->rule[index];
    Character c = {byte, ascii_classes(byte), 0};
    bool is_lead = rule->lead && in_set(rule->lead, c);
    switch (rule->shape) {
    case SPLIT_CONTRACTION: return byte == '\'';
    case SPLIT_RUN: return is_lead || in_set(rule->set, c);
    case SPLIT_LED_RUN: return is_lead;
    case SPLIT_CASED_LOWER:
    case SPLIT_CASED_UPPER:
        return is_lead || in_set(&upper_or_caseless, c) || in_set(&lower_or_caseless, c);
    case SPLIT_LINES:
    case SPLIT_BLANKS:
    case SPLIT_TRAILING: return in_set(&white_space, c);
    }
    return true;
}

SplitProgram split_program(const SplitPattern *pattern) {
    SplitProgram p = {.pattern = pattern};
    for (int i = 0; i < pattern->n_rules; i++) {
        if (pattern->rule[i].shape != SPLIT_CONTRACTION) p.begins_wide |= (uint8_t)(1 << i);
        for (int byte = 0; byte < 128; byte++) {
            Character c = {byte, ascii_classes((unsigned char)byte), 0};
            for (int which = 0; which < SPLIT_SETS; which++) {
                RuleSet s = rule_set(&p, i, (SplitSet)which);
                if (s.set && in_set(s.set, c)) p.in_set[byte] |= s.bit;
            }
            if (rule_may_begin(&p, i, (unsigned char)byte)) p.begins[byte] |= (uint8_t)(1 << i);
        }
    }
    return p;
}

bool split_pattern_find(const SplitProgram *program, SplitSpan span, int64_t *start, int64_t *end) {
    for (int64_t at = *start; at < span.to;) {
        unsigned char byte = (unsigned char)span.text.data[at];
        unsigned rules = byte < 128 ? program->begins[byte] : program->begins_wide;
        int64_t next = byte < 128 ? at + 1 : 0; // 0: not known yet
        for (int i = 0; rules; i++, rules >>= 1) {
            if (!(rules & 1)) continue;
            *end = rule_match(program, i, span, at, &next);
            if (*end == NO_MATCH) continue;
            *start = at;
            return true;
        }
        at = next ? next : character_at(span, at).end;
    }
    return false;
}
