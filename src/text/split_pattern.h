// split_pattern.h - one step of a pre-tokenizer: where the next match of a pattern is.
//
// A published regular expression becomes a list of rules, tried in order at each position like the
// alternatives of the expression.  A rule is one of eight shapes that need no backtracking beyond
// one remembered position, so a search over a whole text takes linear time on any text.
// Private to pretokenize.c and its neighbours.
#ifndef HEED_TEXT_SPLIT_PATTERN_H
#define HEED_TEXT_SPLIT_PATTERN_H

#include "base/str.h"
#include "unicode/unicode.h"

// A set of characters: those of some classes and some ranges, or all others.
typedef struct CharSet {
    uint32_t classes; // UnicodeClass bits, and SPLIT_NEWLINE
    bool is_negated;
    const int32_t (*range)[2]; // (n_ranges) first and last, sorted, not overlapping
    int n_ranges;
} CharSet;
#define SPLIT_NEWLINE ((uint32_t)1 << 31) // "\r" and "\n"

typedef enum SplitShape {
    SPLIT_CONTRACTION, // 's|'t|'re|'ve|'m|'ll|'d
    SPLIT_RUN,         // lead? set{min,max} tail*
    SPLIT_LED_RUN,     // lead set{min,max} tail*
    SPLIT_CASED_LOWER, // lead? UPPER* LOWER+ contraction?   the two sets share caseless letters
    SPLIT_CASED_UPPER, // lead? UPPER+ LOWER* contraction?
    SPLIT_LINES,       // \s*[\r\n]+
    SPLIT_BLANKS,      // \s+(?!\S)
    SPLIT_TRAILING     // \s+$
} SplitShape;

typedef struct SplitRule {
    SplitShape shape;
    const CharSet *lead, *set, *tail; // NULL: there is none
    int min, max;                     // of the run; 0: at least 1, no upper bound
    bool ignores_case;                // of the contraction
    bool has_contraction;             // SPLIT_CASED_*
} SplitRule;

enum { SPLIT_RULES_MAX = 8 };
typedef struct SplitPattern {
    const char *regex; // as published in tokenizer.json files
    int n_rules;
    SplitRule rule[SPLIT_RULES_MAX];
} SplitPattern;

// A stretch of text that is matched as if nothing stood before and after it.
typedef struct SplitSpan {
    Str text;
    int64_t from, to;
} SplitSpan;

// A pattern, and what each character is to its rules, looked up beforehand: one set bit for each
// set of the pattern that has the character, and one for each rule that may match where it stands.
// Sets without ranges past ASCII depend on the class alone: then wide characters need no more.
typedef uint64_t SplitBits;
typedef struct SplitProgram {
    const SplitPattern *pattern;
    SplitBits ascii[128];
    SplitBits wide[UNICODE_KINDS]; // by unicode_kind, unless has_ranges
    bool has_ranges;               // past ASCII
} SplitProgram;
SplitProgram split_program(const SplitPattern *pattern);

// The first match that begins in [*start, span.to): sets its start and end.
bool split_pattern_find(const SplitProgram *program, SplitSpan span, int64_t *start, int64_t *end);
// Cuts the span into its matches and what lies between them: writes where they end, ascending, and
// returns how many there are.
int64_t split_pattern_cut(const SplitProgram *program, SplitSpan span, int64_t *ends);

// The hand-made pattern with this text as its regular expression, NULL if there is none.
const SplitPattern *split_pattern_known(Str regex);

// The patterns behind a name of GGUF's tokenizer.ggml.pre; returns their number, 0 if unknown.
enum { SPLIT_STEPS_MAX = 6 };
int split_name_patterns(Str name, const SplitPattern *steps[SPLIT_STEPS_MAX]);
// The first such name for a sequence of patterns, or an empty Str.
Str split_name_find(const SplitPattern *const *steps, int n);

// Patterns that are not known, by PCRE2 (split_pcre.c).  Without PCRE2 in the build, compiling
// refuses.
typedef struct SplitPcre SplitPcre;
MUST_USE SplitPcre *split_pcre(Arena *arena, Str regex, Error *err);

// One pass over a text with such a pattern; lives on the stack of its user.
typedef struct SplitPcreRun {
    const SplitPcre *pattern;
    Str text;
    void *match, *context;        // of PCRE2
    int64_t budget;               // steps left for this text
    int64_t last_position;        // of the match in progress, when it last paid
    int64_t valid_from, valid_to; // the stretch of well-formed text that is searched
    int64_t last_match;           // where the last match ended
    bool is_exhausted;            // the budget was used up: nothing matches any more
} SplitPcreRun;
bool split_pcre_begin(SplitPcreRun *run, const SplitPcre *pattern, Str text); // false: no memory
// The next match that begins at *start or later; may be empty.
bool split_pcre_find(SplitPcreRun *run, int64_t *start, int64_t *end);
bool split_pcre_end(SplitPcreRun *run); // false if the run was exhausted

#endif
