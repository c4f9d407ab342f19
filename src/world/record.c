// record.c - text and spans in fixed room; labels are kept in one buffer, one after another.
#include "world/record.h"

#include <string.h>

void record_clear(Record *r) {
    r->n = r->n_spans = r->n_labels = r->n_open = r->n_notes = r->n_wrong = r->n_keys = 0;
    r->answer = -1;
    r->text[0] = 0;
}

void record_add(Record *r, const char *bytes, size_t n) {
    require((size_t)r->n + n < RECORD_TEXT_MAX);
    memcpy(r->text + r->n, bytes, n);
    r->n += (int)n;
    r->text[r->n] = 0;
}

void record_insert(Record *r, int at, char byte) {
    require(at >= 0 && at <= r->n && r->n + 1 < RECORD_TEXT_MAX);
    memmove(r->text + at + 1, r->text + at, (size_t)(r->n - at) + 1);
    r->text[at] = byte;
    r->n++;
    for (int i = 0; i < r->n_spans; i++) {
        if (r->span[i].from > at) r->span[i].from++;
        if (r->span[i].to >= at) r->span[i].to++;
    }
}

// Returns where the copy begins.
static int keep(Record *r, const char *bytes, size_t n) {
    require((size_t)r->n_labels + n < RECORD_LABELS_MAX);
    int at = r->n_labels;
    memcpy(r->labels + at, bytes, n);
    r->labels[at + (int)n] = 0;
    r->n_labels += (int)n + 1;
    return at;
}

void record_open(Record *r, const char *label) {
    require(r->n_spans < RECORD_SPANS_MAX && r->n_open < RECORD_DEPTH_MAX);
    r->open[r->n_open++] = r->n_spans;
    r->span[r->n_spans++] = (TextSpan){r->n, -1, label ? keep(r, label, strlen(label)) : -1};
}

int record_close(Record *r, const char *label, size_t n) {
    require(r->n_open > 0);
    int i = r->open[--r->n_open];
    r->span[i].to = r->n;
    if (r->span[i].label < 0) r->span[i].label = keep(r, label, n);
    return i;
}

void record_note(Record *r, const char *key, const char *text) {
    require(r->n_notes < RECORD_NOTES_MAX);
    r->note[r->n_notes++] = (Note){key, text, 0};
}

void record_note_number(Record *r, const char *key, int64_t number) {
    require(r->n_notes < RECORD_NOTES_MAX);
    r->note[r->n_notes++] = (Note){key, NULL, number};
}

void record_add_wrong(Record *r, Str answer) {
    require(r->n_wrong < RECORD_WRONG_MAX);
    r->wrong[r->n_wrong++] = keep(r, answer.data, answer.n);
}

// ---------------------------------------------------------------- looks
const char *record_label(const Record *r, int span) {
    require(span >= 0 && span < r->n_spans);
    return r->labels + r->span[span].label;
}

const char *record_wrong(const Record *r, int i) {
    require(i >= 0 && i < r->n_wrong);
    return r->labels + r->wrong[i];
}

Str record_piece(const Record *r, int span) {
    require(span >= 0 && span < r->n_spans);
    TextSpan s = r->span[span];
    return (Str){r->text + s.from, (size_t)(s.to - s.from)};
}

Str record_text(const Record *r) {
    return (Str){r->text, (size_t)r->n};
}

int record_find(const Record *r, const char *head, int from) {
    size_t n = strlen(head);
    for (int i = from; i < r->n_spans; i++) {
        const char *label = record_label(r, i);
        if (strncmp(label, head, n) == 0 && (label[n] == 0 || label[n] == '/')) return i;
    }
    return -1;
}

const char *record_note_text(const Record *r, const char *key) {
    for (int i = 0; i < r->n_notes; i++)
        if (strcmp(r->note[i].key, key) == 0 && r->note[i].text) return r->note[i].text;
    return "";
}

// ---------------------------------------------------------------- JSON
void record_spans_json(const Record *r, int end, JsonWriter *w) {
    json_begin_array(w);
    for (int i = 0; i < r->n_spans; i++) {
        if (r->span[i].to > end) continue;
        json_begin_array(w);
        json_put_integer(w, r->span[i].from);
        json_put_integer(w, r->span[i].to);
        json_put_string(w, str_from(record_label(r, i)));
        json_end_array(w);
    }
    json_end_array(w);
}

void record_json(const Record *r, JsonWriter *w) {
    json_begin_object(w);
    json_key(w, "id");
    json_put_integer(w, r->id);
    json_key(w, "genre");
    json_put_string(w, str_from(r->genre));
    json_key(w, "lang");
    json_put_string(w, str_from(r->language));
    json_key(w, "text");
    json_put_string(w, record_text(r));
    json_key(w, "spans");
    record_spans_json(r, r->n, w);
    for (int i = 0; i < r->n_notes; i++) {
        json_key(w, r->note[i].key);
        if (r->note[i].text)
            json_put_string(w, str_from(r->note[i].text));
        else
            json_put_integer(w, r->note[i].number);
    }
    json_end_object(w);
}
