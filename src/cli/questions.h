// questions.h - the questions that heed probe and heed heads ask: the world's own, or a file's.
#ifndef HEED_CLI_QUESTIONS_H
#define HEED_CLI_QUESTIONS_H

#include "look/quiz_score.h"

typedef struct Questions {
    QuizItem *item; // (n)
    int64_t n;
} Questions;

// Those that `heed world --probes` writes: `limit` of each phenomenon and grade.  `only` names
// phenomena, with commas between them; NULL: all.  ERROR_USAGE for one that there is not.
MUST_USE bool questions_of_world(Arena *arena, uint64_t seed, int64_t limit, const char *only,
                                 Questions *questions, Error *err);
// Those of a file, or of all .jsonl files of a folder: at most `limit` (0: all) of each group of a
// phenomenon, chosen as above.
MUST_USE bool questions_of_path(Arena *arena, const char *path, int64_t limit, const char *only,
                                Questions *questions, Error *err);

// Asks them all, and counts.  Told after each: how many are done; false cancels.
typedef bool (*QuestionAsked)(void *user, int64_t done, const QuizReport *so_far);
MUST_USE bool questions_ask(const Questions *questions, const Model *model, QuizOptions options,
                            QuestionAsked on_asked, void *user, QuizReport *report, Error *err);

#endif
