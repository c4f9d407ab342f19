// quiz.h - questions with right and wrong answers, put to a model.
//
// A question is a text that breaks off and answers that go on with it, the first one right.  The
// model is right if that one is more probable than every other: compared are the sums of ln p of
// the tokens from the first place on where the tokens of prompt and answer differ, which is the
// same as comparing the probabilities of the whole texts.  What they share goes through the model
// once; the answers go on behind it, all in one batch.
//
// An encoder continues nothing: it fills blanks.  Where the answers differ, their tokens are
// hidden, and what all end with stays in sight.  ln p of an answer is the sum over its hidden
// tokens, from the left, each with those before it in sight and those behind it hidden: a chain, so
// that no part of a word is given away by the rest of it (Kauf and Ivanova 2023, arXiv 2305.10588,
// here over the whole answer).  The number of blanks is that of the answer's tokens.  An answer of
// more than QUIZ_BLANKS_MAX hidden tokens is no blank but a text to be written: it is not asked.
//
// In front of the text stands the vocabulary's beginning-of-text token, if there is one: with it a
// document begins.  All is computed with f32 activations and memory.
#ifndef HEED_LOOK_QUIZ_H
#define HEED_LOOK_QUIZ_H

#include "model/state.h"

enum { QUIZ_ANSWERS_MAX = 8, QUIZ_TOKENS_MAX = 4096, QUIZ_BLANKS_MAX = 8 };

typedef struct QuizItem {
    Str phenomenon, group, language; // what is asked, a part of it, "zh" or "en"
    int64_t pair;                    // number shared with the item's mirror
    Str prompt;
    Str answer[QUIZ_ANSWERS_MAX]; // the first is right
    int n_answers;                // 2 or more
} QuizItem;

// Questions of a file as docs/world.md tells it, one JSON object a line, in `arena`; lines of the
// phenomenon "edit" ask nothing and are left out.  ERROR_FORMAT names line and member, ERROR_USAGE
// if nothing is asked.
MUST_USE bool quiz_read(Arena *arena, Str text, const char *path, QuizItem **items, int64_t *n,
                        Error *err);

typedef enum QuizOutcome {
    QUIZ_RIGHT,
    QUIZ_WRONG,
    // not asked:
    QUIZ_UNREADABLE, // the vocabulary lacks characters of it
    QUIZ_ALIKE,      // no two answers that differ, or none has a token before it to begin from
    QUIZ_TOO_LONG,   // for the model's context, or QUIZ_TOKENS_MAX
    QUIZ_TOO_OPEN    // more than QUIZ_BLANKS_MAX tokens would be hidden from an encoder
} QuizOutcome;

typedef struct QuizAnswer {
    QuizOutcome outcome;
    double log_p[QUIZ_ANSWERS_MAX]; // of each answer, in nats, behind what all share
    bool is_said;                   // greedy generation, or filling from the left, gives the right
                                    // answer, word for word
    bool is_in_bytes;               // most tokens of the answers are no whole characters
} QuizAnswer;

typedef struct QuizOptions {
    Pool *pool;             // NULL: one thread
    const Kernels *kernels; // NULL: the best
    Switches switches;      // a head off, say; what it points to outlives the quiz
} QuizOptions;

typedef struct Quiz {
    const Model *model;
    Run run;
    int64_t context;                 // tokens at most
    int32_t mask;                    // of an encoder, which has no states
    State *shared;                   // what the answers share
    State *branch[QUIZ_ANSWERS_MAX]; // behind it, each answer
    Arena arena;                     // of one question
} Quiz;

// ERROR_UNSUPPORTED for a model without a tokenizer, and for an encoder that fills no blanks.
// Close it in any case.
MUST_USE bool quiz_open(Quiz *quiz, const Model *model, QuizOptions options, Error *err);
void quiz_close(Quiz *quiz);
// ERROR_FORMAT for a model that yields what is not a number.
MUST_USE bool quiz_ask(Quiz *quiz, const QuizItem *item, QuizAnswer *answer, Error *err);

#endif
