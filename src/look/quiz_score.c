// quiz_score.c - counting, and telling what was counted.
#include "look/quiz_score.h"

#include <math.h>

#include "base/term.h"

// ---------------------------------------------------------------- counting
double quiz_accuracy(QuizCount c) {
    return c.n ? (double)c.right / (double)c.n : (double)NAN;
}

double quiz_error(QuizCount c) {
    double p = quiz_accuracy(c);
    return sqrt(p * (1 - p) / (double)c.n);
}

double quiz_chance(const QuizScore *s) {
    return s->all.n ? s->chance / (double)s->all.n : (double)NAN;
}

static void count(QuizCount *c, bool is_right) {
    c->n++;
    c->right += is_right;
}

static void count_part(QuizPart *part, int *n, Str name, bool is_right) {
    int i = 0;
    while (i < *n && !str_equal(part[i].name, name)) i++;
    if (i == QUIZ_GROUPS_MAX) return;
    if (i == *n) part[(*n)++] = (QuizPart){.name = name};
    count(&part[i].count, is_right);
}

const QuizScore *quiz_score(const QuizReport *report, Str phenomenon) {
    for (int i = 0; i < report->n; i++)
        if (str_equal(report->score[i].phenomenon, phenomenon)) return &report->score[i];
    return NULL;
}

static QuizScore *find_or_add(QuizReport *report, Str phenomenon, Error *err) {
    for (int i = 0; i < report->n; i++)
        if (str_equal(report->score[i].phenomenon, phenomenon)) return &report->score[i];
    if (report->n == QUIZ_PHENOMENA_MAX) {
        error_set(err, ERROR_LIMIT, "more than %d phenomena are asked about", QUIZ_PHENOMENA_MAX);
        return NULL;
    }
    report->score[report->n] = (QuizScore){.phenomenon = phenomenon, .last_pair = -1};
    return &report->score[report->n++];
}

// Item and mirror follow each other, in one language.
static void count_pair(QuizScore *s, const QuizItem *item, bool is_right) {
    bool is_mirror = s->last_pair >= 0 && s->last_pair == item->pair &&
                     str_equal(s->last_language, item->language);
    if (is_mirror) count(&s->pairs, is_right && s->last_right);
    s->last_pair = is_mirror ? -1 : item->pair;
    s->last_language = item->language;
    s->last_right = is_right;
}

bool quiz_count(QuizReport *report, const QuizItem *item, const QuizAnswer *answer, Error *err) {
    QuizScore *s = find_or_add(report, item->phenomenon, err);
    bool is_right = answer->outcome == QUIZ_RIGHT;
    if (!s) return false;
    s->n_unreadable += answer->outcome == QUIZ_UNREADABLE;
    s->n_alike += answer->outcome == QUIZ_ALIKE;
    s->n_too_long += answer->outcome == QUIZ_TOO_LONG;
    s->n_too_open += answer->outcome == QUIZ_TOO_OPEN;
    if (!is_right && answer->outcome != QUIZ_WRONG) {
        s->last_pair = -1;
        return true;
    }
    count(&s->all, is_right);
    count(&s->said, answer->is_said);
    s->chance += 1.0 / item->n_answers;
    s->n_in_bytes += answer->is_in_bytes;
    count_part(s->group, &s->n_groups, item->group, is_right);
    count_part(s->language, &s->n_languages, item->language, is_right);
    count_pair(s, item, is_right);
    return true;
}

// ---------------------------------------------------------------- for people
enum { NAME_COLUMNS = 14, SHARE_COLUMNS = 8 };

static void add_name(StrBuilder *out, const char *indent, Str name) {
    Str cut = term_cut(name, NAME_COLUMNS - (int)str_from(indent).n);
    int width = term_width(cut) + (int)str_from(indent).n;
    str_add_format(out, "%s%.*s%*s", indent, STR_ARG(cut), NAME_COLUMNS - width, "");
}

static void add_share(StrBuilder *out, int columns, QuizCount c) {
    if (c.n)
        str_add_format(out, "%*.1f%%", columns - 1, 100 * quiz_accuracy(c));
    else
        str_add_format(out, "%*s", columns, "-");
}

static void add_accuracy(StrBuilder *out, QuizCount c) {
    str_add_format(out, "%6lld", (long long)c.n);
    add_share(out, SHARE_COLUMNS + 1, c);
    if (c.n)
        str_add_format(out, " \xc2\xb1%5.1f", 100 * quiz_error(c));
    else
        str_add_c(out, "       ");
}

static QuizCount language_count(const QuizScore *s, Str name) {
    for (int i = 0; i < s->n_languages; i++)
        if (str_equal(s->language[i].name, name)) return s->language[i].count;
    return (QuizCount){0};
}

static void add_score(StrBuilder *out, const QuizScore *s) {
    add_name(out, "", s->phenomenon);
    add_accuracy(out, s->all);
    if (s->all.n)
        str_add_format(out, "%*.1f%%", SHARE_COLUMNS - 1, 100 * quiz_chance(s));
    else
        str_add_format(out, "%*s", SHARE_COLUMNS, "-");
    add_share(out, SHARE_COLUMNS, s->pairs);
    add_share(out, SHARE_COLUMNS, s->said);
    add_share(out, SHARE_COLUMNS, language_count(s, STR("zh")));
    add_share(out, SHARE_COLUMNS, language_count(s, STR("en")));
    str_add_byte(out, '\n');
    for (int i = 0; s->n_groups > 1 && i < s->n_groups; i++) {
        add_name(out, "  ", s->group[i].name);
        add_accuracy(out, s->group[i].count);
        str_add_byte(out, '\n');
    }
}

// One sentence for all phenomena with a count: "WORDS: order 12, recall 3."
static void add_remark(StrBuilder *out, const QuizReport *report, const char *words,
                       int64_t (*count_of)(const QuizScore *)) {
    bool is_begun = false;
    for (int i = 0; i < report->n; i++) {
        const QuizScore *s = &report->score[i];
        int64_t n = count_of(s);
        if (n == 0) continue;
        if (is_begun)
            str_add_c(out, ", ");
        else
            str_add_format(out, "\n%s: ", words);
        str_add_format(out, "%.*s %lld", STR_ARG(s->phenomenon), (long long)n);
        is_begun = true;
    }
    if (is_begun) str_add_c(out, ".\n");
}

static int64_t unreadable_of(const QuizScore *s) {
    return s->n_unreadable;
}
static int64_t alike_of(const QuizScore *s) {
    return s->n_alike;
}
static int64_t too_long_of(const QuizScore *s) {
    return s->n_too_long;
}
static int64_t too_open_of(const QuizScore *s) {
    return s->n_too_open;
}
static int64_t in_bytes_of(const QuizScore *s) {
    return s->n_in_bytes;
}

void quiz_table(StrBuilder *out, const QuizReport *report) {
    str_add_format(out, "%-*s%6s%9s       %8s%8s%8s%8s%8s\n", NAME_COLUMNS, "phenomenon", "n",
                   "right", "chance", "pairs", "said", "zh", "en");
    for (int i = 0; i < report->n; i++) add_score(out, &report->score[i]);
    add_remark(out, report, "Not asked, the vocabulary lacks characters of them", unreadable_of);
    add_remark(out, report, "Not asked, their answers are the same tokens", alike_of);
    add_remark(out, report, "Not asked, longer than the context", too_long_of);
    Str too_open = str_printf(out->arena, "Not asked, an encoder fills blanks of %d tokens at most",
                              QUIZ_BLANKS_MAX);
    add_remark(out, report, too_open.data, too_open_of);
    add_remark(out, report, "Asked, but spelled in bytes instead of characters", in_bytes_of);
}

// ---------------------------------------------------------------- for programs
static void put_count(JsonWriter *w, QuizCount c) {
    json_key(w, "accuracy");
    json_put_number(w, quiz_accuracy(c));
    json_key(w, "n");
    json_put_integer(w, c.n);
    json_key(w, "error");
    json_put_number(w, quiz_error(c));
}

static void put_parts(JsonWriter *w, const char *key, const QuizPart *part, int n) {
    json_key(w, key);
    json_begin_array(w);
    for (int i = 0; i < n; i++) {
        json_begin_object(w);
        json_key(w, "name");
        json_put_string(w, part[i].name);
        put_count(w, part[i].count);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_not_asked(JsonWriter *w, const QuizScore *s) {
    json_key(w, "not_asked");
    json_begin_object(w);
    json_key(w, "unreadable");
    json_put_integer(w, s->n_unreadable);
    json_key(w, "alike");
    json_put_integer(w, s->n_alike);
    json_key(w, "too_long");
    json_put_integer(w, s->n_too_long);
    json_key(w, "too_open");
    json_put_integer(w, s->n_too_open);
    json_end_object(w);
}

void quiz_json(JsonWriter *w, const QuizReport *report) {
    json_begin_object(w);
    json_key(w, "phenomena");
    json_begin_array(w);
    for (int i = 0; i < report->n; i++) {
        const QuizScore *s = &report->score[i];
        json_begin_object(w);
        json_key(w, "name");
        json_put_string(w, s->phenomenon);
        put_count(w, s->all);
        json_key(w, "chance");
        json_put_number(w, quiz_chance(s));
        json_key(w, "pairs");
        json_begin_object(w);
        put_count(w, s->pairs);
        json_end_object(w);
        json_key(w, "said");
        json_put_number(w, quiz_accuracy(s->said));
        put_parts(w, "groups", s->group, s->n_groups);
        put_parts(w, "languages", s->language, s->n_languages);
        put_not_asked(w, s);
        json_key(w, "in_bytes");
        json_put_integer(w, s->n_in_bytes);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}
