// journal.h - what happened in a training run: train.jsonl, one JSON object a line.
//
// The first line says what is trained on what; each further line is an event.  Lines are appended
// as they happen, so a run that is cut off has all but its last line.  Resuming from a checkpoint
// drops what came after it.  docs/json.md lists the keys.
#ifndef HEED_TRAIN_JOURNAL_H
#define HEED_TRAIN_JOURNAL_H

#include "base/json.h"
#include "train/settings.h"

typedef struct JournalStart {
    Str name, architecture;
    int64_t parameters, vocabulary, context;
    Str data;             // names of the files
    uint64_t fingerprint; // of the data and its split (corpus.h): 0 unknown
    int64_t data_tokens;  // of which it learns
    double expected_loss; // of a model that knows nothing: ln of the vocabulary
} JournalStart;

// Losses are nats a token.  What is not known, or was not finite, is NaN.
typedef struct StepRecord {
    int64_t step, tokens; // tokens: so far
    double seconds;       // so far, over all parts of a resumed run
    double loss;          // of this step's batch
    double rate, grad_norm;
    double tokens_per_second;
    double share_of_peak; // of this machine's arithmetic, 0 .. 1
    bool is_skipped;      // judged a spike: no weight has moved
} StepRecord;

typedef struct ValidationRecord {
    int64_t step, tokens;
    double seconds;
    double loss, bits_per_byte;
} ValidationRecord;

typedef struct TextRecord {
    int64_t step;
    Str text;
} TextRecord;

// What a run's file says, in the order of the steps.
typedef struct History {
    JournalStart start;
    StepRecord *step; // (n_steps)
    int64_t n_steps, steps_capacity;
    ValidationRecord *validation; // (n_validations)
    int64_t n_validations, validations_capacity;
    TextRecord sample; // the last one; step 0: none
    Str verdict;       // at the end, empty while there is none
} History;

typedef struct Journal {
    const char *path;
    Arena *arena; // of the history
    History history;
} Journal;

// Begins a new file in place of any old one.  `settings` may be NULL.  The arena must outlive the
// journal and serves no scope that is rewound meanwhile.
MUST_USE bool journal_begin(Journal *j, Arena *arena, const char *path, const JournalStart *start,
                            const Settings *settings, Error *err);
// Goes on with a file: reads it and drops the lines of later steps, the end and a torn last line.
MUST_USE bool journal_resume(Journal *j, Arena *arena, const char *path, int64_t step, Error *err);

// Each appends a line and adds to the history.
MUST_USE bool journal_step(Journal *j, StepRecord record, Error *err);
MUST_USE bool journal_validation(Journal *j, ValidationRecord record, Error *err);
MUST_USE bool journal_sample(Journal *j, int64_t step, Str text, Error *err);
// Something a person should know: a skipped step and why, a resumed run.
MUST_USE bool journal_note(Journal *j, int64_t step, Str text, Error *err);
MUST_USE bool journal_end(Journal *j, int64_t step, Str verdict, Error *err);

// Reads a file; a torn last line does not count.  ERROR_FORMAT names the line that is wrong.
MUST_USE bool journal_read(History *history, Arena *arena, const char *path, Error *err);

// The validation with the lowest loss; NULL: there is none.
const ValidationRecord *history_best(const History *h);

// For whoever makes a history otherwise.
void history_add_step(History *h, Arena *arena, StepRecord record);
void history_add_validation(History *h, Arena *arena, ValidationRecord record);

#endif
