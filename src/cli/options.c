// options.c - the one parser of command lines.
#include "cli/options.h"

#include <math.h>
#include <string.h>

#include "cli/screen.h"

// ---------------------------------------------------------------- finding
static const Option *find_name(const Option *const *tables, const char *name, size_t n) {
    for (; *tables; tables++)
        for (const Option *o = *tables; o->name; o++)
            if (strlen(o->name) == n && memcmp(o->name, name, n) == 0) return o;
    return NULL;
}

static const Option *find_letter(const Option *const *tables, char letter) {
    for (; *tables; tables++)
        for (const Option *o = *tables; o->name; o++)
            if (o->letter == letter) return o;
    return NULL;
}

// Edit distance (Levenshtein); one that starts as the other does is close, however much follows.
int options_distance(const char *typed, size_t n, const char *name) {
    int row[32];
    size_t length = strlen(name), common = n < length ? n : length;
    if (common > 3 && memcmp(typed, name, common) == 0) return 1;
    if (length >= 32 || n >= 32) return WORD_FAR + 1;
    for (size_t j = 0; j <= length; j++) row[j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= length; j++) {
            int replace = diagonal + (typed[i - 1] != name[j - 1]);
            diagonal = row[j];
            int other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = replace < other ? replace : other;
        }
    }
    // A short word has little left of it after as many changes.
    return row[length] * 2 > (int)n + 1 ? WORD_FAR + 1 : row[length];
}

static bool unknown(const Option *const *tables, const char *word, Error *err) {
    const Option *nearest = NULL;
    size_t n = strcspn(word, "=");
    int best = WORD_FAR + 1;
    for (const Option *const *t = tables; *t; t++)
        for (const Option *o = *t; o->name; o++) {
            int d = o->kind == OPTION_HEADING || n < 4 ? best : options_distance(word, n, o->name);
            if (d >= best) continue;
            best = d;
            nearest = o;
        }
    if (nearest)
        return error_set(err, ERROR_USAGE, "unknown option %.*s; did you mean %s?", (int)n, word,
                         nearest->name);
    return error_set(err, ERROR_USAGE, "unknown option %.*s", (int)n, word);
}

// ---------------------------------------------------------------- values
static bool in_range(const Option *o, double value, Error *err) {
    if ((o->least == 0 && o->most == 0) || (value >= o->least && value <= o->most)) return true;
    return error_set(err, ERROR_USAGE, "%s must be from %.15g to %.15g", o->name, o->least,
                     o->most);
}

static bool take(const Option *o, const char *text, Error *err) {
    int64_t whole;
    double number;
    TextList *list;
    if (o->given) *o->given = true;
    switch (o->kind) {
    case OPTION_HEADING: return true;
    case OPTION_FLAG: *(bool *)o->value = true; return true;
    case OPTION_TEXT: *(const char **)o->value = text; return true;
    case OPTION_INT:
        if (!str_int(str_from(text), &whole))
            return error_set(err, ERROR_USAGE, "%s wants a whole number, not '%s'", o->name, text);
        *(int64_t *)o->value = whole;
        return in_range(o, (double)whole, err);
    case OPTION_NUMBER:
        if (!str_number(str_from(text), &number) || !isfinite(number))
            return error_set(err, ERROR_USAGE, "%s wants a number, not '%s'", o->name, text);
        *(double *)o->value = number;
        return in_range(o, number, err);
    case OPTION_TEXTS:
        list = o->value;
        if (list->n == TEXTS_MAX)
            return error_set(err, ERROR_USAGE, "%s may be given %d times", o->name, TEXTS_MAX);
        list->text[list->n++] = text;
        return true;
    }
    return true;
}

// ---------------------------------------------------------------- parsing
// The word argv[*i] is an option; steps over its value if that is the next word.
static bool parse_option(const Option *const *tables, int argc, char **argv, int *i, Error *err) {
    const char *word = argv[*i], *value = NULL;
    const Option *o;
    if (word[1] == '-') {
        size_t n = strcspn(word, "=");
        o = find_name(tables, word, n);
        if (word[n] == '=') value = word + n + 1;
    } else {
        o = find_letter(tables, word[1]);
        if (word[2]) value = word + 2;
    }
    if (!o) return unknown(tables, word, err);
    if (o->kind == OPTION_FLAG)
        return value ? error_set(err, ERROR_USAGE, "%s takes no value", o->name)
                     : take(o, NULL, err);
    if (!value && *i + 1 == argc)
        return error_set(err, ERROR_USAGE, "%s wants a value: %s", o->name, o->argument);
    return take(o, value ? value : argv[++*i], err);
}

bool options_parse(const Option *const *tables, int argc, char **argv, Positionals *rest,
                   Error *err) {
    bool only_positionals = false;
    rest->n = 0;
    for (int i = 1; i < argc; i++) {
        bool is_option = !only_positionals && argv[i][0] == '-' && argv[i][1];
        if (is_option && strcmp(argv[i], "--") == 0) {
            only_positionals = true;
        } else if (is_option) {
            if (!parse_option(tables, argc, argv, &i, err)) return false;
        } else if (rest->n == POSITIONALS_MAX) {
            return error_set(err, ERROR_USAGE, "more than %d arguments", POSITIONALS_MAX);
        } else {
            rest->text[rest->n++] = argv[i];
        }
    }
    return true;
}

// ---------------------------------------------------------------- help
enum { HELP_COLUMN = 26, HELP_NARROW = 60 };

static void add_option(StrBuilder *out, const Option *o, int columns) {
    size_t start = out->n;
    int column = columns < HELP_NARROW ? 8 : HELP_COLUMN;
    if (o->letter)
        str_add_format(out, "  -%c, %s", o->letter, o->name);
    else
        str_add_format(out, "      %s", o->name);
    if (o->argument) str_add_format(out, " %s", o->argument);
    int at = (int)(out->n - start);
    if (at > column - 2) {
        str_add_byte(out, '\n');
        at = 0;
    }
    str_add_format(out, "%*s", column - at, "");
    screen_wrap(out, str_from(o->help), column, column, columns);
}

void options_help(StrBuilder *out, const Option *const *tables, int columns) {
    for (; *tables; tables++)
        for (const Option *o = *tables; o->name; o++) {
            if (o->kind != OPTION_HEADING) {
                add_option(out, o, columns);
                continue;
            }
            str_add_byte(out, '\n');
            screen_wrap(out, str_from(o->help), 0, 0, columns);
        }
}
