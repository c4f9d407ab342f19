// compare.h - several runs or models side by side: a table, a drawing, JSON.
//
// A run has a history (train.jsonl), a model has parameters, a state and a speed; either may be
// missing.  Losses a token are comparable where the vocabulary is the same; where it is not, bits a
// byte take their place.
#ifndef HEED_TRAIN_COMPARE_H
#define HEED_TRAIN_COMPARE_H

#include "train/journal.h"

enum { COMPARE_RUNS_MAX = 6, COMPARE_LENGTHS_MAX = 16 };

typedef struct CompareRun {
    Str label;
    bool has_history;
    History history;
    Str architecture;   // of the model, else of the history; may be empty
    int64_t parameters; // 0: unknown
    // of the model after some text, by the length of the text
    int64_t n_lengths;
    double length[COMPARE_LENGTHS_MAX]; // tokens, ascending
    double state_bytes[COMPARE_LENGTHS_MAX];
    double decode[COMPARE_LENGTHS_MAX]; // tokens a second; 0: not measured
} CompareRun;

typedef struct Comparison {
    CompareRun run[COMPARE_RUNS_MAX];
    int n;
} Comparison;

typedef enum SameData { SAME_DATA_UNKNOWN, SAME_DATA_NO, SAME_DATA_YES } SameData;
SameData compare_data(const Comparison *c);

// Whether the runs can be compared, and which is ahead, in sentences.
Str compare_words(const Comparison *c, Arena *arena);
// Facts in rows, runs in columns, in lines that end before `columns`.
void compare_table(StrBuilder *out, const Comparison *c, int columns);
// Loss by tokens and by time, state bytes and speed by length: the panels that have values.
void compare_svg(StrBuilder *out, const Comparison *c);
void compare_json(JsonWriter *w, const Comparison *c);

#endif
