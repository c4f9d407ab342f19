// options.c - the one parser of command lines.
#include "cli/options.h"

#include <math.h>
#include <string.h>

#include "base/term.h"

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

// Edit distance (Levenshtein) of two short names.
static int distance(const char *a, const char *b) {
    int row[64];
    int n = (int)strlen(b);
    if (n >= 63) return n;
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int replace = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            int other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = replace < other ? replace : other;
        }
    }
    return row[n];
}

static bool unknown(const Option *const *tables, const char *word, Error *err) {
    const Option *nearest = NULL;
    int best = 4;
    for (const Option *const *t = tables; *t; t++)
        for (const Option *o = *t; o->name; o++) {
            int d = distance(word, o->name);
            if (d >= best) continue;
            best = d;
            nearest = o;
        }
    if (nearest)
        return error_set(err, ERROR_USAGE, "unknown option %s; did you mean %s?", word,
                         nearest->name);
    return error_set(err, ERROR_USAGE, "unknown option %s", word);
}

// ---------------------------------------------------------------- values
static bool in_range(const Option *o, double value, Error *err) {
    if ((o->least == 0 && o->most == 0) || (value >= o->least && value <= o->most)) return true;
    return error_set(err, ERROR_USAGE, "%s must be from %g to %g", o->name, o->least, o->most);
}

static bool take(const Option *o, const char *text, Error *err) {
    int64_t whole;
    double number;
    TextList *list;
    if (o->given) *o->given = true;
    switch (o->kind) {
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
enum { HELP_INDENT = 26 };

// Words of `text` in lines of at most `columns`, from column `at` on, continued at HELP_INDENT.
static void add_wrapped(StrBuilder *out, const char *text, int at, int columns) {
    if (at > HELP_INDENT - 2) {
        str_add_c(out, "\n");
        at = 0;
    }
    str_add_format(out, "%*s", HELP_INDENT - at, "");
    at = HELP_INDENT;
    for (Str left = str_from(text); left.n;) {
        size_t space = str_find(left, STR(" "), 0);
        Str word = str_slice(left, 0, space);
        int width = term_width(word);
        if (at > HELP_INDENT && at + 1 + width > columns) {
            str_add_format(out, "\n%*s", HELP_INDENT, "");
            at = HELP_INDENT;
        } else if (at > HELP_INDENT) {
            str_add_c(out, " ");
            at++;
        }
        str_add(out, word);
        at += width;
        left = space == SIZE_MAX ? STR("") : str_slice(left, space + 1, left.n);
    }
    str_add_c(out, "\n");
}

void options_help(StrBuilder *out, const Option *const *tables, int columns) {
    for (; *tables; tables++)
        for (const Option *o = *tables; o->name; o++) {
            size_t start = out->n;
            if (o->letter)
                str_add_format(out, "  -%c, %s", o->letter, o->name);
            else
                str_add_format(out, "      %s", o->name);
            if (o->argument) str_add_format(out, " %s", o->argument);
            add_wrapped(out, o->help, (int)(out->n - start), columns > 60 ? columns : 60);
        }
}
