// record.h - one text of the world with what is known about it: labels on stretches of its bytes,
// the answer a reader should have found, and answers that would be wrong.
//
// Spans are half-open byte ranges of the UTF-8 text; they may nest, and stand in the order of their
// beginnings, an outer one before an inner one.  docs/world.md lists the labels.
//
// A record has fixed room: the longest text of the world is a third of it, and running over is our
// bug (require).  It is large: keep it in an arena.
#ifndef HEED_WORLD_RECORD_H
#define HEED_WORLD_RECORD_H

#include "base/json.h"
#include "base/str.h"

enum {
    RECORD_TEXT_MAX = 1 << 14,   // bytes
    RECORD_LABELS_MAX = 1 << 15, // bytes of all labels
    RECORD_SPANS_MAX = 1 << 10,
    RECORD_DEPTH_MAX = 8, // spans open at a time
    RECORD_NOTES_MAX = 8,
    RECORD_WRONG_MAX = 4,
    RECORD_KEYS_MAX = 24
};

typedef struct TextSpan {
    int from, to; // bytes of the text; `to` is -1 while it is open
    int label;    // where it begins in Record.labels, NUL at its end
} TextSpan;

// Something else to know about a record: a word or a number under a name.
typedef struct Note {
    const char *key;
    const char *text; // NULL: the number counts
    int64_t number;
} Note;

typedef struct Record {
    int64_t id; // number of the document in its stream
    const char *genre;
    const char *language; // "zh", "en", "zh-en", "en-zh"
    char text[RECORD_TEXT_MAX];
    int n;
    TextSpan span[RECORD_SPANS_MAX];
    int n_spans;
    char labels[RECORD_LABELS_MAX];
    int n_labels;
    int open[RECORD_DEPTH_MAX], n_open; // indices of spans that have no end yet
    Note note[RECORD_NOTES_MAX];
    int n_notes;
    int answer;                  // index of the span a probe asks for, -1: none
    int wrong[RECORD_WRONG_MAX]; // other answers, where they begin in `labels`
    int n_wrong;
    uint64_t key[RECORD_KEYS_MAX]; // of the combinations in it that a split may hold out
    int n_keys;
} Record;

void record_clear(Record *r);
void record_add(Record *r, const char *bytes, size_t n);
// Puts one byte before byte `at` of the text; spans that reach past `at - 1` move or grow.
void record_insert(Record *r, int at, char byte);
// Opens a span at the end of the text; the label may be given on closing instead (NULL here).
void record_open(Record *r, const char *label);
// Closes the innermost span, which gets `label` if it has none yet.  Returns its index.
int record_close(Record *r, const char *label, size_t n);
void record_note(Record *r, const char *key, const char *text);
void record_note_number(Record *r, const char *key, int64_t number);
void record_add_wrong(Record *r, Str answer);

// Looks.  Label and wrong answers live as long as the record is not cleared.
const char *record_label(const Record *r, int span);
const char *record_wrong(const Record *r, int i);
Str record_piece(const Record *r, int span); // the bytes it covers
Str record_text(const Record *r);
// The first span from `from` on whose label is `head`, or begins with it and a '/'; -1: none.
int record_find(const Record *r, const char *head, int from);
// The note's word, "" if there is none.
const char *record_note_text(const Record *r, const char *key);

// {"id", "genre", "lang", "text", "spans": [[from, to, label]], notes}
void record_json(const Record *r, JsonWriter *w);
// The spans that end at or before byte `end`, as an array.
void record_spans_json(const Record *r, int end, JsonWriter *w);

#endif
