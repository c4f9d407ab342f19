// split_pattern.c - the shapes of which known pre-tokenizer patterns are made.
//
// Each function gives the end of its match at a position, or NO_MATCH, as a backtracking engine
// would find it (greedy, leftmost alternative first), but from one or two scans: the only thing
// that backtracking could take back is remembered on the way.
#include "text/split_pattern.h"

#include "base/utf8.h"

#define NO_MATCH ((int64_t)-1)

// Sets that belong to shapes, not to rules.
static const CharSet upper_or_caseless = {.classes = UNICODE_LU | UNICODE_LT | UNICODE_LM |
                                                     UNICODE_LO | UNICODE_M};
static const CharSet lower_or_caseless = {.classes =
                                              UNICODE_LL | UNICODE_LM | UNICODE_LO | UNICODE_M};
static const CharSet white_space = {.classes = UNICODE_WHITE_SPACE};
static const CharSet newline = {.classes = SPLIT_NEWLINE};

// ---- bits: three sets for each rule, four for the shapes, then the rules that may begin

typedef enum RuleSet { LEAD, RUN, TAIL, RULE_SETS } RuleSet;
enum { SHAPE_SETS = RULE_SETS * SPLIT_RULES_MAX, BEGINS = 32 };
#define UPPER       ((SplitBits)1 << SHAPE_SETS)
#define LOWER       ((SplitBits)2 << SHAPE_SETS)
#define WHITE_SPACE ((SplitBits)4 << SHAPE_SETS)
#define NEWLINE     ((SplitBits)8 << SHAPE_SETS)

static SplitBits set_bit(int rule, RuleSet which) {
    return (SplitBits)1 << (RULE_SETS * rule + (int)which);
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

static bool in_set(const CharSet *set, int32_t code_point, uint32_t classes) {
    bool found = (classes & set->classes) || (set->n_ranges && in_ranges(set, code_point));
    return found != set->is_negated;
}

static const CharSet *set_of_rule(const SplitRule *rule, RuleSet which) {
    return which == LEAD ? rule->lead : which == RUN ? rule->set : rule->tail;
}

// Whether a set has ranges past ASCII: then the class of a wide character does not say all.
static bool has_wide_ranges(const CharSet *set) {
    return set && set->n_ranges && set->range[set->n_ranges - 1][1] >= 128;
}

// The bits of a character in the sets of the rules.
static SplitBits rule_bits(const SplitPattern *pattern, int32_t code_point, uint32_t classes) {
    SplitBits bits = 0;
    for (int i = 0; i < pattern->n_rules; i++)
        for (int which = 0; which < RULE_SETS; which++) {
            const CharSet *set = set_of_rule(&pattern->rule[i], (RuleSet)which);
            if (set && in_set(set, code_point, classes)) bits |= set_bit(i, (RuleSet)which);
        }
    return bits;
}

static SplitBits shape_bits(uint32_t classes) {
    SplitBits bits = 0;
    if (in_set(&upper_or_caseless, 0, classes)) bits |= UPPER;
    if (in_set(&lower_or_caseless, 0, classes)) bits |= LOWER;
    if (in_set(&white_space, 0, classes)) bits |= WHITE_SPACE;
    if (in_set(&newline, 0, classes)) bits |= NEWLINE;
    return bits;
}

// The rules that may match where a character with these bits stands.
static SplitBits begin_bits(const SplitPattern *pattern, SplitBits bits, bool is_quote) {
    SplitBits begins = 0;
    for (int i = 0; i < pattern->n_rules; i++) {
        SplitBits sets = 0; // one of these must have the character
        switch (pattern->rule[i].shape) {
        case SPLIT_CONTRACTION: break;
        case SPLIT_RUN: sets = set_bit(i, LEAD) | set_bit(i, RUN); break;
        case SPLIT_LED_RUN: sets = set_bit(i, LEAD); break;
        case SPLIT_CASED_LOWER:
        case SPLIT_CASED_UPPER: sets = set_bit(i, LEAD) | UPPER | LOWER; break;
        case SPLIT_LINES:
        case SPLIT_BLANKS:
        case SPLIT_TRAILING: sets = WHITE_SPACE; break;
        }
        bool may = sets ? (bits & sets) != 0 : is_quote;
        if (may) begins |= (SplitBits)1 << (BEGINS + i);
    }
    return begins;
}

SplitProgram split_program(const SplitPattern *pattern) {
    SplitProgram p = {.pattern = pattern};
    for (int i = 0; i < pattern->n_rules; i++)
        for (int which = 0; which < RULE_SETS; which++) {
            const CharSet *set = set_of_rule(&pattern->rule[i], (RuleSet)which);
            if (has_wide_ranges(set)) p.has_ranges = true;
        }
    for (int c = 0; c < 128; c++) {
        uint32_t classes = unicode_ascii_class[c];
        if (c == '\n' || c == '\r') classes |= SPLIT_NEWLINE;
        SplitBits bits = rule_bits(pattern, c, classes) | shape_bits(classes);
        p.ascii[c] = bits | begin_bits(pattern, bits, c == '\'');
    }
    for (int i = 0; i < UNICODE_KINDS; i++) {
        uint32_t classes = unicode_class_of_kind(i);
        SplitBits bits = rule_bits(pattern, -1, classes) | shape_bits(classes);
        p.wide[i] = bits | begin_bits(pattern, bits, false);
    }
    return p;
}

// ---- characters

// Sixteen bytes, so that it travels in registers.
typedef struct Character {
    SplitBits bits;     // 0: there is none, the end of the span
    int32_t code_point; // -1: ill-formed bytes, which are of class Cn
    int32_t length;     // bytes
} Character;

// Characters of three bytes are nearly all past ASCII, in most scripts.
static int32_t wide_code_point(const SplitSpan *span, int64_t at, int *length) {
    const unsigned char *p = (const unsigned char *)span->text.data + at;
    if (at + 2 < span->to && (p[0] & 0xF0) == 0xE0 && (p[1] & 0xC0) == 0x80 &&
        (p[2] & 0xC0) == 0x80) {
        int32_t c = (p[0] & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F);
        *length = 3;
        if (c >= 0x800 && (c < 0xD800 || c > 0xDFFF)) return c;
    }
    return utf8_decode((Str){span->text.data + at, (size_t)(span->to - at)}, length);
}

static SplitBits wide_bits(const SplitProgram *p, int32_t c) {
    int kind = unicode_kind(c);
    if (!p->has_ranges) return p->wide[kind];
    uint32_t classes = unicode_class_of_kind(kind);
    SplitBits bits = rule_bits(p->pattern, c, classes) | shape_bits(classes);
    return bits | begin_bits(p->pattern, bits, false);
}

static Character wide_character(const SplitProgram *p, const SplitSpan *span, int64_t at) {
    int length;
    int32_t c = wide_code_point(span, at, &length);
    return (Character){wide_bits(p, c), c, length};
}

static inline Character character_at(const SplitProgram *p, const SplitSpan *span, int64_t at) {
    if (at >= span->to) return (Character){.code_point = -1};
    unsigned char byte = (unsigned char)span->text.data[at];
    return byte < 128 ? (Character){p->ascii[byte], byte, 1} : wide_character(p, span, at);
}

// The end of the run of characters that have a bit.
static int64_t wide_run_end(const SplitProgram *p, const SplitSpan *span, int64_t at,
                            SplitBits bit) {
    for (Character c; (c = character_at(p, span, at)).bits & bit;) at += c.length;
    return at;
}

static inline int64_t run_end(const SplitProgram *p, const SplitSpan *span, int64_t at,
                              SplitBits bit) {
    const unsigned char *data = (const unsigned char *)span->text.data;
    while (at < span->to && data[at] < 128) {
        if (!(p->ascii[data[at]] & bit)) return at;
        at++;
    }
    return at < span->to ? wide_run_end(p, span, at, bit) : at;
}

// The same of at most `max` characters.
static int64_t short_run_end(const SplitProgram *p, const SplitSpan *span, int64_t at,
                             SplitBits bit, int max) {
    for (int n = 0; n < max; n++) {
        Character c = character_at(p, span, at);
        if (!(c.bits & bit)) return at;
        at += c.length;
    }
    return at;
}

// ---- shapes: each gives the end of its match at `at`, where the character `first` stands

// 's 't 're 've 'm 'll 'd.  Ignoring case, the long s (U+017F) is an s too: it folds to it.
static int64_t contraction_end(const SplitProgram *p, const SplitSpan *span, int64_t at,
                               bool ignores_case) {
    if (at + 1 >= span->to || span->text.data[at] != '\'') return NO_MATCH;
    int32_t letter[2] = {0, 0};
    int64_t end[2] = {at + 1, at + 1};
    for (int i = 0; i < 2; i++) {
        Character c = character_at(p, span, i ? end[0] : at + 1);
        letter[i] = ignores_case ? unicode_lower(c.code_point) : c.code_point;
        if (ignores_case && c.code_point == 0x17F) letter[i] = 's';
        end[i] = (i ? end[0] : at + 1) + c.length;
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

static int64_t run_match(const SplitProgram *p, int index, const SplitSpan *span, int64_t at,
                         Character first) {
    const SplitRule *rule = &p->pattern->rule[index];
    SplitBits run = set_bit(index, RUN);
    int64_t begin = at, after = at + first.length; // of the run, of its first character
    if (first.bits & set_bit(index, LEAD)) {
        Character second = character_at(p, span, after);
        if (second.bits & run) {
            begin = after;
            after += second.length;
        } else if (rule->shape == SPLIT_LED_RUN) {
            return NO_MATCH;
        }
    } else if (rule->shape == SPLIT_LED_RUN) {
        return NO_MATCH;
    }
    if (begin == at && !(first.bits & run)) return NO_MATCH;
    int64_t end = rule->max ? short_run_end(p, span, after, run, rule->max - 1)
                            : run_end(p, span, after, run);
    // A minimum is given for ASCII sets only, so that bytes are characters.
    if (end - begin < rule->min) return NO_MATCH;
    return rule->tail ? run_end(p, span, end, set_bit(index, TAIL)) : end;
}

// UPPER* LOWER+: the run of UPPER gives back characters until one is in LOWER as well.
static int64_t cased_lower_end(const SplitProgram *p, const SplitSpan *span, int64_t at) {
    int64_t after_shared = NO_MATCH, end = at;
    Character c = character_at(p, span, at);
    while (c.bits & UPPER) {
        end += c.length;
        if (c.bits & LOWER) after_shared = end;
        c = character_at(p, span, end);
    }
    return c.bits & LOWER ? run_end(p, span, end, LOWER) : after_shared;
}

static int64_t cased_upper_end(const SplitProgram *p, const SplitSpan *span, int64_t at) {
    int64_t end = run_end(p, span, at, UPPER);
    return end == at ? NO_MATCH : run_end(p, span, end, LOWER);
}

static int64_t cased_match(const SplitProgram *p, int index, const SplitSpan *span, int64_t at,
                           Character first) {
    const SplitRule *rule = &p->pattern->rule[index];
    int64_t (*word_end)(const SplitProgram *, const SplitSpan *, int64_t) =
        rule->shape == SPLIT_CASED_LOWER ? cased_lower_end : cased_upper_end;
    int64_t end =
        first.bits & set_bit(index, LEAD) ? word_end(p, span, at + first.length) : NO_MATCH;
    if (end == NO_MATCH) end = word_end(p, span, at);
    if (end == NO_MATCH || !rule->has_contraction) return end;
    int64_t contraction = contraction_end(p, span, end, rule->ignores_case);
    return contraction == NO_MATCH ? end : contraction;
}

static int64_t lines_match(const SplitProgram *p, const SplitSpan *span, int64_t at) {
    int64_t after_newline = NO_MATCH;
    for (Character c; (c = character_at(p, span, at)).bits & WHITE_SPACE;) {
        at += c.length;
        if (c.bits & NEWLINE) after_newline = at;
    }
    return after_newline;
}

// A run of white space leaves its last character to the word that follows it.
static int64_t blanks_match(const SplitProgram *p, const SplitSpan *span, int64_t at) {
    int64_t end = at, before_last = NO_MATCH;
    for (Character c; (c = character_at(p, span, end)).bits & WHITE_SPACE;) {
        before_last = end;
        end += c.length;
    }
    if (end == span->to && end > at) return end;
    return before_last > at ? before_last : NO_MATCH;
}

// "$" is the end of a line, as in Oniguruma: before every "\n" and at the end of the span.  After a
// failure nothing in the same run of white space can match either: *next goes behind it.
static int64_t trailing_match(const SplitProgram *p, const SplitSpan *span, int64_t at,
                              int64_t *next) {
    int64_t before_newline = NO_MATCH, end = at;
    for (Character c; (c = character_at(p, span, end)).bits & WHITE_SPACE;) {
        if (c.code_point == '\n' && end > at) before_newline = end;
        end += c.length;
    }
    if (end > at) *next = end;
    return end == span->to && end > at ? end : before_newline;
}

static int64_t rule_match(const SplitProgram *p, int index, const SplitSpan *span, int64_t at,
                          Character first, int64_t *next) {
    const SplitRule *rule = &p->pattern->rule[index];
    switch (rule->shape) {
    case SPLIT_CONTRACTION: return contraction_end(p, span, at, rule->ignores_case);
    case SPLIT_RUN:
    case SPLIT_LED_RUN: return run_match(p, index, span, at, first);
    case SPLIT_CASED_LOWER:
    case SPLIT_CASED_UPPER: return cased_match(p, index, span, at, first);
    case SPLIT_LINES: return lines_match(p, span, at);
    case SPLIT_BLANKS: return blanks_match(p, span, at);
    case SPLIT_TRAILING: return trailing_match(p, span, at, next);
    }
    return NO_MATCH;
}

static inline bool find(const SplitProgram *program, const SplitSpan *span, int64_t *start,
                        int64_t *end) {
    for (int64_t at = *start; at < span->to;) {
        Character first = character_at(program, span, at);
        int64_t next = at + first.length;
        SplitBits rules = first.bits >> BEGINS;
        for (int i = 0; rules; i++, rules >>= 1) {
            if (!(rules & 1)) continue;
            *end = rule_match(program, i, span, at, first, &next);
            if (*end == NO_MATCH) continue;
            *start = at;
            return true;
        }
        at = next;
    }
    return false;
}

bool split_pattern_find(const SplitProgram *program, SplitSpan span, int64_t *start, int64_t *end) {
    return find(program, &span, start, end);
}

int64_t split_pattern_cut(const SplitProgram *program, SplitSpan span, int64_t *ends) {
    int64_t n = 0, done = span.from, start = span.from, end;
    while (find(program, &span, &start, &end)) {
        if (start > done) ends[n++] = start;
        ends[n++] = done = start = end;
    }
    if (done < span.to) ends[n++] = span.to;
    return n;
}
