// quiz.c - questions out of a file; tokens of all answers; their probabilities in two forwards (an
// encoder: one).
#include "look/quiz.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "look/reading.h"

enum { LINE_BYTES_MAX = 1 << 20, CHUNK = 512 };

// ---------------------------------------------------------------- a file of questions
static bool fail_member(const char *path, int64_t line, const char *member, Error *err) {
    return error_set(err, ERROR_FORMAT, "%s, line %lld: \"%s\" is missing or of another kind", path,
                     (long long)line, member);
}

// What has to be a string; where it must not be empty, an empty one is missing.
static bool read_string(const Json *line, const char *member, bool may_be_empty, Str *value) {
    const Json *found = json_get(line, member);
    *value = json_string(found, STR(""));
    return (found && found->kind == JSON_STRING) && (value->n > 0 || may_be_empty);
}

static bool read_wrong(const Json *list, QuizItem *item) {
    if (!list || list->kind != JSON_ARRAY || list->count < 1 || list->count >= QUIZ_ANSWERS_MAX)
        return false;
    for (const Json *answer = list->child; answer; answer = answer->next) {
        item->answer[item->n_answers] = json_string(answer, STR(""));
        if (item->answer[item->n_answers++].n == 0) return false;
    }
    return true;
}

static bool read_item(const Json *line, const char *path, int64_t number, QuizItem *item,
                      Error *err) {
    *item = (QuizItem){.pair = json_integer(json_get(line, "pair"), -1),
                       .group = json_string(json_get(line, "group"), STR("all")),
                       .n_answers = 1};
    if (!read_string(line, "phenomenon", false, &item->phenomenon))
        return fail_member(path, number, "phenomenon", err);
    if (str_equal(item->phenomenon, STR("edit"))) return true;
    if (!read_string(line, "lang", false, &item->language))
        return fail_member(path, number, "lang", err);
    if (!read_string(line, "prompt", true, &item->prompt))
        return fail_member(path, number, "prompt", err);
    if (!read_string(line, "right", false, &item->answer[0]))
        return fail_member(path, number, "right", err);
    return read_wrong(json_get(line, "wrong"), item) || fail_member(path, number, "wrong", err);
}

bool quiz_read(Arena *arena, Str text, const char *path, QuizItem **items, int64_t *n, Error *err) {
    int64_t n_lines = 1, number = 0;
    for (size_t i = 0; i < text.n; i++) n_lines += text.data[i] == '\n';
    if (!arena_fits(arena, (size_t)n_lines * sizeof(QuizItem) + 64 * text.n))
        return error_set(err, ERROR_LIMIT, "%s: too many questions for the memory here", path);
    *items = arena_new(arena, QuizItem, n_lines);
    *n = 0;
    while (text.n) {
        size_t end = str_find(text, STR("\n"), 0);
        Str line = str_trim(str_slice(text, 0, end));
        text = str_slice(text, end == SIZE_MAX ? text.n : end + 1, text.n);
        number++;
        if (line.n == 0) continue;
        const Json *json = json_parse(arena, line, LINE_BYTES_MAX, err);
        if (!json) return error_wrap(err, "%s, line %lld", path, (long long)number);
        QuizItem *item = &(*items)[*n];
        if (!read_item(json, path, number, item, err)) return false;
        *n += !str_equal(item->phenomenon, STR("edit"));
    }
    return *n > 0 || error_set(err, ERROR_USAGE, "%s asks nothing", path);
}

// ---------------------------------------------------------------- opening
static bool open_states(Quiz *quiz, Error *err) {
    quiz->shared = state_open(quiz->model, DTYPE_F32, quiz->context, err);
    if (!quiz->shared) return false;
    for (int i = 0; i < QUIZ_ANSWERS_MAX; i++)
        if (!(quiz->branch[i] = state_open(quiz->model, DTYPE_F32, quiz->context, err)))
            return false;
    return true;
}

static bool open_blanks(Quiz *quiz, Error *err) {
    const Tokenizer *t = quiz->model->tokenizer;
    bool fills = quiz->model->token_head.dense.data;
    quiz->mask = tokenizer_mask(t);
    if (fills && quiz->mask >= 0 && tokenizer_vocab(t)->eos >= 0) return true;
    return error_set(err, ERROR_UNSUPPORTED, "an encoder without %s fills no blanks",
                     fills ? "[MASK] and [SEP]" : "a head that names tokens (cls.predictions)");
}

bool quiz_open(Quiz *quiz, const Model *model, QuizOptions options, Error *err) {
    int64_t context = model->config.context;
    *quiz =
        (Quiz){.model = model, .context = context < QUIZ_TOKENS_MAX ? context : QUIZ_TOKENS_MAX};
    if (!model->tokenizer)
        return error_set(err, ERROR_UNSUPPORTED,
                         "the model has no tokenizer: nothing can be asked");
    if (!arena_init(&quiz->arena, ARENA_DEFAULT, err) || !run_open(&quiz->run, options.pool, err))
        return false;
    if (options.kernels) quiz->run.kernels = options.kernels;
    quiz->run.switches = options.switches;
    quiz->run.exact = true;
    return model->config.is_encoder ? open_blanks(quiz, err) : open_states(quiz, err);
}

void quiz_close(Quiz *quiz) {
    state_close(quiz->shared);
    for (int i = 0; i < QUIZ_ANSWERS_MAX; i++) state_close(quiz->branch[i]);
    run_close(&quiz->run);
    arena_drop(&quiz->arena);
}

// ---------------------------------------------------------------- tokens
// One question in tokens.
typedef struct Ask {
    int n; // answers
    int32_t *ids[QUIZ_ANSWERS_MAX];
    int64_t n_ids[QUIZ_ANSWERS_MAX];
    int64_t n_shared; // tokens with which all begin
    int64_t n_tail;   // with which all end, for an encoder
} Ask;

static int64_t count_characters(Str text) {
    int64_t n = 0;
    for (size_t i = 0; i < text.n; i++) n += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return n;
}

// Does the vocabulary keep every character of the text?
static bool is_kept(const Quiz *quiz, Arena *arena, Str text, const int32_t *ids, int64_t n) {
    const Tokenizer *t = quiz->model->tokenizer;
    for (int64_t i = 0; i < n; i++)
        if (tokenizer_kind(t, ids[i]) == TOKEN_UNKNOWN) return false;
    Str decoded = tokenizer_decode(t, arena, ids, n, false);
    return count_characters(decoded) >= count_characters(text);
}

static int64_t shared_length(const Ask *ask) {
    for (int64_t i = 0;; i++)
        for (int k = 0; k < ask->n; k++)
            if (i == ask->n_ids[k] || ask->ids[k][i] != ask->ids[0][i]) return i;
}

// Of every answer one token at least is left between what all begin and what all end with.
static int64_t tail_length(const Ask *ask) {
    for (int64_t i = 0;; i++)
        for (int k = 0; k < ask->n; k++) {
            int64_t last = ask->n_ids[k] - 1 - i;
            if (last <= ask->n_shared || ask->ids[k][last] != ask->ids[0][ask->n_ids[0] - 1 - i])
                return i;
        }
}

static int64_t hidden_tokens(const Ask *ask, int k) {
    return ask->n_ids[k] - ask->n_tail - ask->n_shared;
}

static bool is_in_bytes(const Quiz *quiz, const Ask *ask) {
    int64_t n = 0, n_broken = 0;
    for (int k = 0; k < ask->n; k++)
        for (int64_t i = ask->n_shared; i < ask->n_ids[k]; i++, n++)
            n_broken += !utf8_valid(tokenizer_piece(quiz->model->tokenizer, ask->ids[k][i], true));
    return 2 * n_broken > n;
}

// QUIZ_RIGHT: can be asked.
static bool prepare(Quiz *quiz, const QuizItem *item, Ask *ask, QuizOutcome *outcome, Error *err) {
    bool all_kept = true, fits = true, differ = true;
    require(item->n_answers >= 2 && item->n_answers <= QUIZ_ANSWERS_MAX);
    *ask = (Ask){.n = item->n_answers};
    for (int k = 0; k < ask->n; k++) {
        Reading reading;
        Str text =
            str_printf(&quiz->arena, "%.*s%.*s", STR_ARG(item->prompt), STR_ARG(item->answer[k]));
        if (!reading_make(quiz->model, &quiz->arena, text, &reading, err)) return false;
        ask->ids[k] = reading.ids;
        ask->n_ids[k] = reading.n;
        all_kept = all_kept && is_kept(quiz, &quiz->arena, text, reading.ids, reading.n);
        fits = fits && ask->n_ids[k] <= quiz->context;
    }
    ask->n_shared = shared_length(ask);
    differ = ask->n_shared > 0;
    for (int k = 0; k < ask->n; k++) differ = differ && ask->n_shared < ask->n_ids[k];
    *outcome = !all_kept ? QUIZ_UNREADABLE
               : !differ ? QUIZ_ALIKE
               : !fits   ? QUIZ_TOO_LONG
                         : QUIZ_RIGHT;
    return true;
}

// ---------------------------------------------------------------- forwards
static bool plan_and_run(Quiz *quiz, const Batch *batch, Tensor **logits, Error *err) {
    run_plan_begin(&quiz->run);
    model_forward(&quiz->run, quiz->model, batch);
    if (!run_allocate(&quiz->run, err)) return false;
    *logits = model_forward(&quiz->run, quiz->model, batch);
    return model_intact(quiz->model, err);
}

// All that is shared but its last token, whose logits are asked for in each answer's own span.
static bool read_shared(Quiz *quiz, const Ask *ask, Error *err) {
    Tensor *unused;
    if (!state_cut(quiz->shared, 0, err)) return false;
    for (int64_t from = 0, n; from < ask->n_shared - 1; from += n) {
        n = ask->n_shared - 1 - from < CHUNK ? ask->n_shared - 1 - from : CHUNK;
        int32_t last = (int32_t)(n - 1);
        Span span = {.n = n, .position = from};
        Batch batch = {.ids = ask->ids[0] + from,
                       .n = n,
                       .span = &span,
                       .n_spans = 1,
                       .state = &quiz->shared,
                       .logit_row = &last,
                       .n_logits = 1};
        if (!plan_and_run(quiz, &batch, &unused, err)) return false;
    }
    return true;
}

// ln p of token `id` under a row of logits; is it the likeliest?
static double log_probability(const float *logit, int64_t n, int32_t id, bool *is_first) {
    double largest = -HUGE_VAL, sum = 0;
    *is_first = true;
    for (int64_t i = 0; i < n; i++) {
        if ((double)logit[i] > largest) largest = (double)logit[i];
        if (logit[i] > logit[id] || (logit[i] == logit[id] && i < id)) *is_first = false;
    }
    for (int64_t i = 0; i < n; i++) sum += exp((double)logit[i] - largest);
    return (double)logit[id] - largest - log(sum);
}

static bool read_answers(Quiz *quiz, const Ask *ask, QuizAnswer *answer, Error *err) {
    Span span[QUIZ_ANSWERS_MAX];
    int64_t from = ask->n_shared - 1, n = 0, vocab = quiz->model->config.vocab;
    for (int k = 0; k < ask->n; k++) {
        span[k] = (Span){.first = n, .n = ask->n_ids[k] - 1 - from, .position = from};
        n += span[k].n;
        state_fork(quiz->branch[k], quiz->shared);
    }
    int32_t *ids = arena_new(&quiz->arena, int32_t, n);
    for (int k = 0; k < ask->n; k++)
        memcpy(ids + span[k].first, ask->ids[k] + from, sizeof *ids * (size_t)span[k].n);
    Tensor *logits;
    Batch batch = {.ids = ids, .n = n, .span = span, .n_spans = ask->n, .state = quiz->branch};
    if (!plan_and_run(quiz, &batch, &logits, err)) return false;
    answer->is_said = true;
    for (int k = 0; k < ask->n; k++) {
        for (int64_t i = 0; i < span[k].n; i++) {
            bool is_first;
            const float *row = tensor_f32(logits) + (span[k].first + i) * vocab;
            answer->log_p[k] += log_probability(row, vocab, ask->ids[k][from + 1 + i], &is_first);
            if (k == 0 && !is_first) answer->is_said = false;
        }
    }
    return true;
}

// ---------------------------------------------------------------- blanks
// QUIZ_RIGHT: can be asked of an encoder.  [SEP] stands behind each text.
static QuizOutcome prepare_blanks(const Quiz *quiz, Ask *ask) {
    ask->n_tail = tail_length(ask);
    for (int k = 0; k < ask->n; k++) {
        if (hidden_tokens(ask, k) > QUIZ_BLANKS_MAX) return QUIZ_TOO_OPEN;
        if (ask->n_ids[k] + 1 > quiz->context) return QUIZ_TOO_LONG;
    }
    return QUIZ_RIGHT;
}

// A text for every hidden token of every answer, side by side.
typedef struct Blanks {
    int32_t *ids, *row; // tokens; the row of each text that is asked for
    Span *span;
    int64_t n, n_texts;
} Blanks;

static void add_text(const Quiz *quiz, const Ask *ask, int k, int64_t seen, Blanks *b) {
    int64_t n = ask->n_ids[k], from = ask->n_shared + seen;
    int32_t *ids = b->ids + b->n;
    memcpy(ids, ask->ids[k], sizeof *ids * (size_t)n);
    for (int64_t i = from; i < n - ask->n_tail; i++) ids[i] = quiz->mask;
    ids[n] = tokenizer_vocab(quiz->model->tokenizer)->eos;
    b->span[b->n_texts] = (Span){.first = b->n, .n = n + 1};
    b->row[b->n_texts++] = (int32_t)(b->n + from);
    b->n += n + 1;
}

static bool fill_answers(Quiz *quiz, const Ask *ask, QuizAnswer *answer, Error *err) {
    int64_t n = 0, n_texts = 0, vocab = quiz->model->config.vocab;
    for (int k = 0; k < ask->n; k++) {
        n += hidden_tokens(ask, k) * (ask->n_ids[k] + 1);
        n_texts += hidden_tokens(ask, k);
    }
    Blanks b = {arena_new(&quiz->arena, int32_t, n), arena_new(&quiz->arena, int32_t, n_texts),
                arena_new(&quiz->arena, Span, n_texts)};
    for (int k = 0; k < ask->n; k++)
        for (int64_t i = 0; i < hidden_tokens(ask, k); i++) add_text(quiz, ask, k, i, &b);
    Tensor *logits;
    Batch batch = {.ids = b.ids,
                   .n = n,
                   .span = b.span,
                   .n_spans = (int)n_texts,
                   .logit_row = b.row,
                   .n_logits = n_texts};
    if (!plan_and_run(quiz, &batch, &logits, err)) return false;
    const float *row = tensor_f32(logits);
    answer->is_said = true;
    for (int k = 0; k < ask->n; k++)
        for (int64_t i = 0; i < hidden_tokens(ask, k); i++, row += vocab) {
            bool is_first;
            int32_t id = ask->ids[k][ask->n_shared + i];
            answer->log_p[k] += log_probability(row, vocab, id, &is_first);
            if (k == 0 && !is_first) answer->is_said = false;
        }
    return true;
}

// ---------------------------------------------------------------- asking
static bool are_numbers(const Ask *ask, const QuizAnswer *answer, Error *err) {
    for (int k = 0; k < ask->n; k++)
        if (!isfinite(answer->log_p[k]))
            return error_set(err, ERROR_FORMAT, "the model's logits are not numbers");
    return true;
}

bool quiz_ask(Quiz *quiz, const QuizItem *item, QuizAnswer *answer, Error *err) {
    bool fills = quiz->model->config.is_encoder;
    Ask ask;
    arena_back(&quiz->arena, (ArenaMark){0});
    *answer = (QuizAnswer){0};
    if (!prepare(quiz, item, &ask, &answer->outcome, err)) return false;
    if (answer->outcome == QUIZ_RIGHT && fills) answer->outcome = prepare_blanks(quiz, &ask);
    if (answer->outcome != QUIZ_RIGHT) return true;
    answer->is_in_bytes = is_in_bytes(quiz, &ask);
    bool ok = fills ? fill_answers(quiz, &ask, answer, err)
                    : read_shared(quiz, &ask, err) && read_answers(quiz, &ask, answer, err);
    if (!ok || !are_numbers(&ask, answer, err)) return false;
    for (int k = 1; k < ask.n; k++)
        if (!(answer->log_p[0] > answer->log_p[k])) answer->outcome = QUIZ_WRONG;
    return true;
}
