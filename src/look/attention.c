// attention.c - one head's pattern, by a capture, and what can be said about it.
#include "look/attention.h"

#include <string.h>

#include "base/term.h"
#include "base/utf8.h"

// ---------------------------------------------------------------- map
static bool check(const Model *model, AttentionQuery q, Error *err) {
    const Config *c = &model->config;
    if (q.layer < 0 || q.layer >= c->layers)
        return error_set(err, ERROR_USAGE, "layer %d: this model has the layers 0 to %d", q.layer,
                         c->layers - 1);
    if (!config_has_attention(c, q.layer))
        return error_set(err, ERROR_USAGE, "layer %d: its mixer is %s, there is no attention",
                         q.layer, mixer_words[config_mixer(c, q.layer)]);
    if (q.head != ATTENTION_ALL_HEADS && (q.head < 0 || q.head >= c->heads))
        return error_set(err, ERROR_USAGE, "head %d: this model has the heads 0 to %d", q.head,
                         c->heads - 1);
    return true;
}

bool attention_check_text(const Model *model, const int32_t *ids, int64_t n, int n_max,
                          Error *err) {
    const Config *c = &model->config;
    if (n < 1) return error_set(err, ERROR_USAGE, "an empty text has no attention");
    if (n > n_max)
        return error_set(err, ERROR_LIMIT, "the text has %lld tokens: attention is shown for %d",
                         (long long)n, n_max);
    if (n > c->context)
        return error_set(err, ERROR_LIMIT, "the text has %lld tokens: this model reads %lld",
                         (long long)n, (long long)c->context);
    for (int64_t i = 0; i < n; i++)
        if (ids[i] < 0 || ids[i] >= c->vocab)
            return error_set(err, ERROR_FORMAT, "token %d is not in a vocabulary of %lld", ids[i],
                             (long long)c->vocab);
    return true;
}

bool attention_capture(Run *run, const Model *model, const int32_t *ids, int64_t n, int layers,
                       Capture *capture, Error *err) {
    SingleBatch single;
    Batch *batch = batch_single(&single, ids, n);
    int32_t last = (int32_t)(n - 1);
    batch->logit_row = &last;
    batch->n_logits = 1;
    const Probe *probe = run->probe;
    int n_layers = run->switches.n_layers;
    run->probe = &capture->probe;
    run->switches.n_layers = layers;
    run_plan_begin(run);
    model_hidden(run, model, batch);
    bool ok = run_allocate(run, err);
    if (ok) model_hidden(run, model, batch);
    run->probe = probe;
    run->switches.n_layers = n_layers;
    return ok && model_intact(model, err);
}

static const float *mean_of_heads(Arena *arena, const Tensor *pattern) {
    int64_t heads = pattern->dim[0], n = tensor_count(pattern) / heads;
    float *mean = arena_push(arena, sizeof(float) * (size_t)n);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t h = 0; h < heads; h++) sum += (double)tensor_f32(pattern)[h * n + i];
        mean[i] = (float)(sum / (double)heads);
    }
    return mean;
}

bool attention_map(Run *run, const Model *model, Arena *arena, AttentionQuery query,
                   AttentionMap *map, Error *err) {
    int64_t n = query.n;
    Capture capture;
    capture_init(&capture, arena, &(CaptureWant){SITE_PATTERN, query.layer}, 1);
    if (!check(model, query, err) ||
        !attention_check_text(model, query.ids, n, ATTENTION_TOKENS_MAX, err) ||
        !attention_capture(run, model, query.ids, n, query.layer + 1, &capture, err))
        return false;
    const Tensor *pattern = capture_find(&capture, SITE_PATTERN, query.layer);
    *map = (AttentionMap){.model = model->name, .layer = query.layer, .head = query.head, .n = n};
    map->weight = query.head == ATTENTION_ALL_HEADS ? mean_of_heads(arena, pattern)
                                                    : tensor_f32(pattern) + query.head * n * n;
    Str *label = arena_new(arena, Str, n);
    for (int64_t i = 0; i < n; i++)
        label[i] =
            model->tokenizer
                ? attention_label(arena, tokenizer_piece(model->tokenizer, query.ids[i], true))
                : str_printf(arena, "%d", query.ids[i]);
    map->label = label;
    return true;
}

// ---------------------------------------------------------------- labels
// The sign of a character that cannot be seen; NULL: it can.
static const char *sign_of(int32_t c) {
    switch (c) {
    case ' ':
    case 0xA0:
    case 0x3000: return "\xe2\x90\xa3"; // open box
    case '\n': return "\xe2\x86\xb5";   // arrow down and left
    case '\r': return "\xe2\x86\x90";   // arrow left
    case '\t': return "\xe2\x87\xa5";   // arrow to a bar
    default: return NULL;
    }
}

static bool is_invisible(int32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           (c & 0xfffe) == 0xfffe;
}

Str attention_label(Arena *arena, Str piece) {
    StrBuilder out = str_builder(arena);
    bool has_space = piece.n > 1 && piece.data[0] == ' ';
    if (has_space && piece.data[1] != ' ') piece = str_slice(piece, 1, piece.n);
    while (piece.n) {
        int length;
        int32_t c = utf8_decode(piece, &length);
        if (c < 0)
            for (int i = 0; i < length; i++)
                str_add_format(&out, "\\x%02X", (unsigned char)piece.data[i]);
        else if (sign_of(c))
            str_add_c(&out, sign_of(c));
        else if (is_invisible(c))
            str_add_format(&out, "\\u%04X", (unsigned)c);
        else
            str_add(&out, str_slice(piece, 0, (size_t)length));
        piece = str_slice(piece, (size_t)length, piece.n);
    }
    if (out.n == 0) str_add_c(&out, "\xe2\x88\x85"); // the empty set
    return str_built(&out);
}

// ---------------------------------------------------------------- numbers and words
int attention_strongest(const AttentionMap *map, int64_t i, int k, int64_t *column) {
    const float *row = map->weight + i * map->n;
    int found = 0;
    for (int64_t j = 0; j < map->n; j++) {
        if (!(row[j] > 0)) continue;
        int at = found < k ? found++ : k;
        for (; at > 0 && row[j] > row[column[at - 1]]; at--)
            if (at < k) column[at] = column[at - 1];
        if (at < k) column[at] = j;
    }
    return found;
}

double attention_on_first(const AttentionMap *map) {
    double sum = 0;
    for (int64_t i = 1; i < map->n; i++) sum += (double)map->weight[i * map->n];
    return map->n > 1 ? sum / (double)(map->n - 1) : 0;
}

Str attention_title(const AttentionMap *map, Arena *arena) {
    return map->head == ATTENTION_ALL_HEADS
               ? str_printf(arena, "Layer %d, mean of all heads", map->layer)
               : str_printf(arena, "Layer %d, head %d", map->layer, map->head);
}

enum { LOOKS_TOLD = 4 };

// One token's look at another.
typedef struct Look {
    int64_t i, j;
    float weight;
} Look;

static int strongest_looks(const AttentionMap *map, Look *look) {
    int found = 0;
    for (int64_t i = 1; i < map->n; i++)
        for (int64_t j = 1; j < map->n; j++) {
            float weight = map->weight[i * map->n + j];
            if (weight < 0.005f) continue;
            int at = found < LOOKS_TOLD ? found++ : LOOKS_TOLD;
            for (; at > 0 && weight > look[at - 1].weight; at--)
                if (at < LOOKS_TOLD) look[at] = look[at - 1];
            if (at < LOOKS_TOLD) look[at] = (Look){i, j, weight};
        }
    return found;
}

Str attention_words(const AttentionMap *map, Arena *arena) {
    StrBuilder b = str_builder(arena);
    Look look[LOOKS_TOLD];
    if (map->n < 2) return STR("The only token looks at itself.");
    int n = strongest_looks(map, look);
    for (int k = 0; k < n; k++) {
        Str from = map->label[look[k].i], to = map->label[look[k].j];
        str_add_format(&b, k == 0 ? "Strongest: \"%.*s\" looks at " : ", \"%.*s\" at ",
                       STR_ARG(from));
        if (look[k].i == look[k].j)
            str_add_c(&b, "itself");
        else
            str_add_format(&b, "\"%.*s\"", STR_ARG(to));
        str_add_format(&b, " (%.0f%%)", 100 * (double)look[k].weight);
    }
    if (n > 0) str_add_c(&b, ". ");
    str_add_format(&b, "The first token gets %.0f%% of what the later ones give.",
                   100 * attention_on_first(map));
    return str_built(&b);
}
