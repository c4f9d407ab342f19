// journal.c - records as JSON and back: their fields stand in one table for both ways.
#include "train/journal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

static const size_t FILE_LIMIT = (size_t)1 << 30;

// ---------------------------------------------------------------- fields
typedef enum FieldKind { FIELD_INTEGER, FIELD_NUMBER, FIELD_TEXT, FIELD_FLAG } FieldKind;

typedef struct Field {
    const char *key;
    FieldKind kind;
    size_t at;
    bool is_needed; // a line without it is wrong
} Field;

#define FIELD(type, key, kind, member) \
    { key, FIELD_##kind, offsetof(type, member), false }
#define NEEDED(type, key, kind, member) \
    { key, FIELD_##kind, offsetof(type, member), true }

static const Field start_fields[] = {FIELD(JournalStart, "name", TEXT, name),
                                     FIELD(JournalStart, "architecture", TEXT, architecture),
                                     FIELD(JournalStart, "parameters", INTEGER, parameters),
                                     FIELD(JournalStart, "vocabulary", INTEGER, vocabulary),
                                     FIELD(JournalStart, "context", INTEGER, context),
                                     FIELD(JournalStart, "data", TEXT, data),
                                     FIELD(JournalStart, "data_tokens", INTEGER, data_tokens),
                                     NEEDED(JournalStart, "expected_loss", NUMBER, expected_loss),
                                     {0}};
static const Field step_fields[] = {
    NEEDED(StepRecord, "step", INTEGER, step),
    NEEDED(StepRecord, "tokens", INTEGER, tokens),
    NEEDED(StepRecord, "seconds", NUMBER, seconds),
    NEEDED(StepRecord, "loss", NUMBER, loss),
    FIELD(StepRecord, "lr", NUMBER, rate),
    FIELD(StepRecord, "grad_norm", NUMBER, grad_norm),
    FIELD(StepRecord, "tokens_per_second", NUMBER, tokens_per_second),
    FIELD(StepRecord, "share_of_peak", NUMBER, share_of_peak),
    FIELD(StepRecord, "skipped", FLAG, is_skipped),
    {0}};
static const Field validation_fields[] = {
    NEEDED(ValidationRecord, "step", INTEGER, step),
    NEEDED(ValidationRecord, "tokens", INTEGER, tokens),
    NEEDED(ValidationRecord, "seconds", NUMBER, seconds),
    NEEDED(ValidationRecord, "loss", NUMBER, loss),
    FIELD(ValidationRecord, "bits_per_byte", NUMBER, bits_per_byte),
    {0}};
static const Field text_fields[] = {
    NEEDED(TextRecord, "step", INTEGER, step), NEEDED(TextRecord, "text", TEXT, text), {0}};
static const Field end_fields[] = {
    NEEDED(TextRecord, "step", INTEGER, step), NEEDED(TextRecord, "verdict", TEXT, text), {0}};

static void put_fields(JsonWriter *w, const Field *fields, const void *record) {
    for (const Field *f = fields; f->key; f++) {
        const void *p = (const char *)record + f->at;
        if (f->kind == FIELD_FLAG && !*(const bool *)p) continue;
        json_key(w, f->key);
        switch (f->kind) {
        case FIELD_INTEGER: json_put_integer(w, *(const int64_t *)p); break;
        case FIELD_NUMBER: json_put_number(w, *(const double *)p); break;
        case FIELD_TEXT: json_put_string(w, *(const Str *)p); break;
        case FIELD_FLAG: json_put_bool(w, true); break;
        }
    }
}

// A number that was not finite has been written as null.
static bool get_field(const Field *f, const Json *value, void *p, Arena *arena) {
    JsonKind kind = value ? value->kind : JSON_NULL;
    switch (f->kind) {
    case FIELD_INTEGER:
        *(int64_t *)p = json_integer(value, 0);
        return kind == JSON_NUMBER && value->is_integer && value->integer >= 0;
    case FIELD_NUMBER:
        *(double *)p = json_number(value, (double)NAN);
        return value && (kind == JSON_NUMBER || kind == JSON_NULL);
    case FIELD_TEXT: *(Str *)p = str_copy(arena, json_string(value, STR(""))); break;
    case FIELD_FLAG: *(bool *)p = json_bool(value, false); break;
    }
    return f->kind == FIELD_TEXT ? kind == JSON_STRING : kind == JSON_BOOL;
}

static bool get_fields(const Json *line, const Field *fields, void *record, Arena *arena,
                       Error *err) {
    for (const Field *f = fields; f->key; f++) {
        const Json *value = json_get(line, f->key);
        bool ok = get_field(f, value, (char *)record + f->at, arena);
        if (!ok && (value || f->is_needed))
            return error_set(err, ERROR_FORMAT, "\"%s\" is %s", f->key,
                             value ? "of the wrong kind" : "missing");
    }
    return true;
}

// ---------------------------------------------------------------- history
// Room for one more of n items of `bytes`.
static void *grown(Arena *arena, void *items, int64_t n, int64_t *capacity, size_t bytes) {
    if (n < *capacity) return items;
    *capacity = *capacity ? 2 * *capacity : 256;
    void *more = arena_push(arena, bytes * (size_t)*capacity);
    if (n) memcpy(more, items, bytes * (size_t)n);
    return more;
}

void history_add_step(History *h, Arena *arena, StepRecord record) {
    h->step = grown(arena, h->step, h->n_steps, &h->steps_capacity, sizeof record);
    h->step[h->n_steps++] = record;
}

void history_add_validation(History *h, Arena *arena, ValidationRecord record) {
    h->validation =
        grown(arena, h->validation, h->n_validations, &h->validations_capacity, sizeof record);
    h->validation[h->n_validations++] = record;
}

const ValidationRecord *history_best(const History *h) {
    const ValidationRecord *best = NULL;
    for (int64_t i = 0; i < h->n_validations; i++)
        if (isfinite(h->validation[i].loss) && (!best || h->validation[i].loss < best->loss))
            best = &h->validation[i];
    return best;
}

// ---------------------------------------------------------------- events
static void put_settings(JsonWriter *w, const Settings *settings, Arena *arena) {
    int n;
    const Setting *setting = settings_all(&n);
    json_key(w, "settings");
    json_begin_object(w);
    for (int i = 0; i < n; i++) {
        Str value = setting_text(settings, &setting[i], arena);
        double number = 0;
        json_key(w, setting[i].name);
        if (setting[i].kind == SETTING_FLAG)
            json_put_bool(w, str_equal(value, STR("true")));
        else if (setting[i].kind == SETTING_WORD)
            json_put_string(w, value);
        else if (str_number(value, &number))
            json_put_number(w, number);
        else
            json_put_null(w);
    }
    json_end_object(w);
}

// A line: the event's name, its fields, and the settings of a start.
static Str event_line(Arena *arena, const char *event, const Field *fields, const void *record,
                      const Settings *settings) {
    StrBuilder out = str_builder(arena);
    JsonWriter w = json_writer(&out, 0);
    json_begin_object(&w);
    json_key(&w, "event");
    json_put_string(&w, str_from(event));
    put_fields(&w, fields, record);
    if (strcmp(event, "start") == 0) {
        char hex[24];
        uint64_t fingerprint = ((const JournalStart *)record)->fingerprint;
        snprintf(hex, sizeof hex, "%016llx", (unsigned long long)fingerprint);
        json_key(&w, "data_fingerprint");
        json_put_string(&w, str_from(hex));
    }
    if (settings) put_settings(&w, settings, arena);
    json_end_object(&w);
    str_add_byte(&out, '\n');
    return str_built(&out);
}

static bool append(Journal *j, const char *event, const Field *fields, const void *record,
                   Error *err) {
    ArenaMark mark = arena_mark(j->arena);
    Str line = event_line(j->arena, event, fields, record, NULL);
    bool ok = file_append(j->path, line.data, line.n, err);
    arena_back(j->arena, mark);
    return ok;
}

static bool replace(const char *path, Str text, Error *err) {
    FileWriter *writer = file_create(path, err);
    if (!writer) return false;
    file_write(writer, text.data, text.n);
    return file_commit(writer, err);
}

bool journal_begin(Journal *j, Arena *arena, const char *path, const JournalStart *start,
                   const Settings *settings, Error *err) {
    *j = (Journal){.path = str_c(arena, str_from(path)), .arena = arena};
    j->history.start = *start;
    j->history.start.name = str_copy(arena, start->name);
    j->history.start.architecture = str_copy(arena, start->architecture);
    j->history.start.data = str_copy(arena, start->data);
    return replace(path, event_line(arena, "start", start_fields, start, settings), err);
}

bool journal_step(Journal *j, StepRecord record, Error *err) {
    if (!append(j, "step", step_fields, &record, err)) return false;
    history_add_step(&j->history, j->arena, record);
    return true;
}

bool journal_validation(Journal *j, ValidationRecord record, Error *err) {
    if (!append(j, "validation", validation_fields, &record, err)) return false;
    history_add_validation(&j->history, j->arena, record);
    return true;
}

bool journal_sample(Journal *j, int64_t step, Str text, Error *err) {
    TextRecord record = {step, str_copy(j->arena, text)};
    j->history.sample = record;
    return append(j, "sample", text_fields, &record, err);
}

bool journal_note(Journal *j, int64_t step, Str text, Error *err) {
    return append(j, "note", text_fields, &(TextRecord){step, text}, err);
}

bool journal_end(Journal *j, int64_t step, Str verdict, Error *err) {
    j->history.verdict = str_copy(j->arena, verdict);
    return append(j, "end", end_fields, &(TextRecord){step, verdict}, err);
}

// ---------------------------------------------------------------- reading
typedef struct Reader {
    History *history;
    Arena *arena;     // of the history
    Arena scratch;    // of the text, and of a line of it
    int64_t line;     // its number, from 1
    int64_t last;     // the last step whose lines are taken, -1: all
    FileWriter *kept; // gets the lines that are taken; NULL: nobody asks
} Reader;

static bool read_start(Reader *r, const Json *json, Error *err) {
    JournalStart *start = &r->history->start;
    if (!get_fields(json, start_fields, start, r->arena, err)) return false;
    Str hex = json_string(json_get(json, "data_fingerprint"), STR(""));
    for (size_t i = 0; i < hex.n; i++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, hex.data[i]);
        if (!digit || hex.n > 16)
            return error_set(err, ERROR_FORMAT, "\"data_fingerprint\" is no hexadecimal number");
        start->fingerprint = start->fingerprint << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

// Puts an event into the history; those that it does not know are left to others.
static bool take_event(Reader *r, Str event, const Json *json, Error *err) {
    History *h = r->history;
    if (str_equal(event, STR("step"))) {
        StepRecord record = {0};
        if (!get_fields(json, step_fields, &record, r->arena, err)) return false;
        history_add_step(h, r->arena, record);
    } else if (str_equal(event, STR("validation"))) {
        ValidationRecord record = {0};
        if (!get_fields(json, validation_fields, &record, r->arena, err)) return false;
        history_add_validation(h, r->arena, record);
    } else if (str_equal(event, STR("sample"))) {
        return get_fields(json, text_fields, &h->sample, r->arena, err);
    } else if (str_equal(event, STR("end"))) {
        TextRecord record;
        if (!get_fields(json, end_fields, &record, r->arena, err)) return false;
        h->verdict = record.text;
    }
    return true;
}

static bool read_line(Reader *r, Str line, Error *err) {
    const Json *json = json_parse(&r->scratch, line, FILE_LIMIT, err);
    if (!json) return false;
    Str event = json_string(json_get(json, "event"), STR(""));
    bool is_start = str_equal(event, STR("start"));
    if (is_start != (r->line == 1))
        return error_set(err, ERROR_FORMAT, "the event \"start\" must be the first line");
    if (is_start && !read_start(r, json, err)) return false;
    int64_t step = json_integer(json_get(json, "step"), 0);
    if (r->last >= 0 && (step > r->last || str_equal(event, STR("end")))) return true;
    if (!is_start && !take_event(r, event, json, err)) return false;
    if (r->kept) file_write(r->kept, line.data, line.n + 1); // with its newline
    return true;
}

static bool read_lines(Reader *r, Str text, Error *err) {
    *r->history = (History){0};
    for (size_t from = 0; from < text.n;) {
        size_t end = str_find(text, STR("\n"), from);
        if (end >= text.n) break; // torn
        ArenaMark mark = arena_mark(&r->scratch);
        r->line++;
        if (!read_line(r, str_slice(text, from, end), err))
            return error_wrap(err, "line %lld", (long long)r->line);
        arena_back(&r->scratch, mark);
        from = end + 1;
    }
    return r->line > 0 || error_set(err, ERROR_FORMAT, "there is no whole line in it");
}

static bool read_file(Reader *r, const char *path, Error *err) {
    Str text;
    if (!arena_init(&r->scratch, ARENA_DEFAULT, err)) return false;
    bool ok = file_read(&r->scratch, path, FILE_LIMIT, &text, err) &&
              (read_lines(r, text, err) || error_wrap(err, "%.300s", path));
    arena_drop(&r->scratch);
    return ok;
}

bool journal_read(History *history, Arena *arena, const char *path, Error *err) {
    return read_file(&(Reader){.history = history, .arena = arena, .last = -1}, path, err);
}

bool journal_resume(Journal *j, Arena *arena, const char *path, int64_t step, Error *err) {
    *j = (Journal){.path = str_c(arena, str_from(path)), .arena = arena};
    Reader r = {.history = &j->history, .arena = arena, .last = step};
    r.kept = file_create(path, err);
    if (!r.kept) return false;
    if (read_file(&r, path, err)) return file_commit(r.kept, err);
    file_discard(r.kept);
    return false;
}
