// options.h - what a command can be told, as a table: parsing, checking and --help come from it.
#ifndef HEED_CLI_OPTIONS_H
#define HEED_CLI_OPTIONS_H

#include "base/error.h"
#include "base/str.h"

typedef enum OptionKind {
    OPTION_HEADING, // no option: a line of --help above the ones that follow
    OPTION_FLAG,    // bool *: set by its presence
    OPTION_INT,     // int64_t *: a whole number in [least, most]
    OPTION_NUMBER,  // double *: a finite number in [least, most]
    OPTION_TEXT,    // const char **
    OPTION_TEXTS    // TextList *: may be given several times
} OptionKind;

enum { TEXTS_MAX = 64, POSITIONALS_MAX = 4096 };

typedef struct TextList {
    const char *text[TEXTS_MAX];
    int n;
} TextList;

typedef struct Option {
    const char *name; // "--temp"; NULL ends a table
    char letter;      // 't' for -t, or 0
    OptionKind kind;
    void *value;
    const char *argument; // "N" in --help, NULL for a flag
    const char *help;
    double least, most; // numbers; both 0: any
    bool *given;        // set when the option is there; may be NULL
} Option;

// What is not an option, in order.
typedef struct Positionals {
    const char *text[POSITIONALS_MAX];
    int n;
} Positionals;

// Parses argv[1..] against several tables (NULL-terminated list).  "--" ends the options; a value
// may stand as --name VALUE, --name=VALUE, -nVALUE.  ERROR_USAGE names the option, and what was
// perhaps meant.
MUST_USE bool options_parse(const Option *const *tables, int argc, char **argv, Positionals *rest,
                            Error *err);
// What was perhaps meant: is `name` close to the n bytes that were `typed`, and how far from them?
// A distance past WORD_FAR means no.
enum { WORD_FAR = 3 };
int options_distance(const char *typed, size_t n, const char *name);
// The options of the tables, laid out for `columns`.
void options_help(StrBuilder *out, const Option *const *tables, int columns);

#endif
