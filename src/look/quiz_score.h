// quiz_score.h - how often a model was right, for each phenomenon that it was asked about.
//
// Beside the accuracy stand what guessing gives (chance), the standard error sqrt(p (1 - p) / n),
// the share of pairs (an item and its mirror) of which both are right, and how often greedy
// generation says the right answer word for word.  Questions that could not be asked are counted
// apart, by the reason.
#ifndef HEED_LOOK_QUIZ_SCORE_H
#define HEED_LOOK_QUIZ_SCORE_H

#include "base/json.h"
#include "look/quiz.h"

enum { QUIZ_PHENOMENA_MAX = 64, QUIZ_GROUPS_MAX = 16 };

typedef struct QuizCount {
    int64_t n, right;
} QuizCount;
// NaN where nothing was asked.
double quiz_accuracy(QuizCount count);
double quiz_error(QuizCount count);

// Items of one kind: of a group, or in a language.
typedef struct QuizPart {
    Str name;
    QuizCount count;
} QuizPart;

typedef struct QuizScore {
    Str phenomenon;
    QuizCount all, pairs, said;
    double chance; // sum over the items asked; quiz_chance divides
    QuizPart group[QUIZ_GROUPS_MAX], language[QUIZ_GROUPS_MAX]; // further ones are not told apart
    int n_groups, n_languages;
    int64_t n_unreadable, n_alike, n_too_long, n_too_open, n_in_bytes;
    // the last item, whose mirror may come next
    int64_t last_pair; // -1: none waits
    Str last_language;
    bool last_right;
} QuizScore;
double quiz_chance(const QuizScore *score);

typedef struct QuizReport {
    QuizScore score[QUIZ_PHENOMENA_MAX]; // in the order in which they were first asked
    int n;
} QuizReport;

// NULL if it has not been asked about.
const QuizScore *quiz_score(const QuizReport *report, Str phenomenon);
// ERROR_LIMIT for too many phenomena.  The item's names outlive the report.
MUST_USE bool quiz_count(QuizReport *report, const QuizItem *item, const QuizAnswer *answer,
                         Error *err);

// A table for people, with sentences about what was not asked; and {"phenomena": [...]}.
void quiz_table(StrBuilder *out, const QuizReport *report);
void quiz_json(JsonWriter *w, const QuizReport *report);

#endif
