// roles.c - targets out of ids and labels, weights against baselines, and the verdict.
#include "look/roles.h"

#include <math.h>

#include "look/reading.h"

const char *const role_names[ROLES + 1] = {"previous",   "first",  "same",    "induction",
                                           "antecedent", "object", "subject", "unclear"};

// ---------------------------------------------------------------- numbers
double role_margin(const RoleScore *s) {
    return s->n ? (s->weight - s->baseline) / (double)s->n : (double)NAN;
}

double role_error(const RoleScore *s) {
    double mean = role_margin(s), n = (double)s->n;
    return s->n > 1 ? sqrt(fmax(s->squares / n - mean * mean, 0) / (n - 1)) : (double)NAN;
}

Role role_named(const RoleScore *score) {
    Role best = ROLE_UNCLEAR;
    for (int r = 0; r < ROLES; r++) {
        double margin = role_margin(&score[r]);
        if (!(margin >= ROLE_MARGIN) || !(margin >= 2 * role_error(&score[r]))) continue;
        if (best == ROLE_UNCLEAR || margin > role_margin(&score[best])) best = (Role)r;
    }
    return best;
}

// What the rows give at a distance, the first token apart.
typedef struct Distance {
    double weight;
    int64_t n;
} Distance;

// The distance's mean over cells that are no targets of the role; false: there are none.
static bool baseline_at(const Distance *all, const Distance *asked, int64_t distance, double *sum) {
    int64_t n = all[distance].n - asked[distance].n;
    if (n > 0) *sum += (all[distance].weight - asked[distance].weight) / (double)n;
    return n > 0;
}

static void add_look(RoleScore *s, double weight, double baseline) {
    s->n++;
    s->weight += weight;
    s->baseline += baseline;
    s->squares += (weight - baseline) * (weight - baseline);
}

static void measure_role(const float *pattern, int64_t n, const RoleTarget *target,
                         int64_t n_targets, Role role, const Distance *all, Distance *asked,
                         RoleScore *score) {
    for (int64_t d = 0; d < n; d++) asked[d] = (Distance){0};
    for (int64_t k = 0; k < n_targets; k++)
        for (int64_t j = target[k].from; target[k].role == role && j < target[k].to; j++) {
            if (j == 0) continue;
            asked[target[k].row - j].weight += (double)pattern[target[k].row * n + j];
            asked[target[k].row - j].n++;
        }
    for (int64_t k = 0; k < n_targets; k++) {
        const RoleTarget *t = &target[k];
        double weight = 0, baseline = 0;
        bool is_known = true, is_place = role == ROLE_PREVIOUS || role == ROLE_FIRST;
        if (t->role != role) continue;
        for (int64_t j = t->from; j < t->to; j++) {
            weight += (double)pattern[t->row * n + j];
            if (is_place)
                baseline += 1 / (double)(t->row + 1);
            else
                is_known = is_known && baseline_at(all, asked, t->row - j, &baseline);
        }
        if (is_known) add_look(score, weight, baseline);
    }
}

void role_measure(const float *pattern, int64_t n, const RoleTarget *target, int64_t n_targets,
                  Arena *arena, RoleScore *score) {
    ArenaMark mark = arena_mark(arena);
    Distance *all = arena_new(arena, Distance, n), *asked = arena_new(arena, Distance, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 1; j <= i; j++) {
            all[i - j].weight += (double)pattern[i * n + j];
            all[i - j].n++;
        }
    for (int r = 0; r < ROLES; r++)
        measure_role(pattern, n, target, n_targets, (Role)r, all, asked, &score[r]);
    arena_back(arena, mark);
}

// ---------------------------------------------------------------- targets
// A text in tokens, and where they should look.
typedef struct Aims {
    int32_t *ids; // (n)
    Token *token; // (n) the bytes of each
    int64_t n;
    RoleTarget *target;
    int64_t n_targets;
} Aims;

static void add_target(Aims *r, Role role, int64_t row, int64_t from, int64_t to) {
    bool is_seen = from < to && to <= row && (from > 0 || role == ROLE_FIRST);
    if (is_seen) r->target[r->n_targets++] = (RoleTarget){role, row, from, to};
}

// What the ids alone tell.  Of tokens that stood before, those that did so once.
static void add_places(Aims *r) {
    for (int64_t i = 2; i < r->n; i++) {
        int64_t n_before = 0, where = 0;
        for (int64_t j = 0; j < i; j++)
            if (r->ids[j] == r->ids[i]) n_before++, where = j;
        add_target(r, ROLE_PREVIOUS, i, i - 1, i);
        add_target(r, ROLE_FIRST, i, 0, 1);
        if (n_before != 1) continue;
        add_target(r, ROLE_SAME, i, where, where + 1);
        add_target(r, ROLE_INDUCTION, i, where + 1, where + 2);
    }
}

// The tokens that touch the bytes of a label; false: they were cut off.
static bool find_tokens(const Aims *r, const RoleLabel *label, int64_t *from, int64_t *to) {
    *from = *to = 0;
    for (int64_t i = 0; i < r->n; i++) {
        if (r->token[i].start >= label->to || r->token[i].end <= label->from) continue;
        if (*to == 0) *from = i;
        *to = i + 1;
    }
    return *to > 0 && r->token[*to - 1].end >= label->to;
}

// The later of two labels looks at the earlier one, from its last token.
static void add_labels(Aims *r, Role role, const RoleLabel *one, const RoleLabel *other) {
    int64_t from[2], to[2];
    if (!find_tokens(r, one, &from[0], &to[0]) || !find_tokens(r, other, &from[1], &to[1])) return;
    int later = from[1] > from[0];
    add_target(r, role, to[later] - 1, from[!later], to[!later]);
}

static void add_label_targets(Aims *r, const RoleText *text) {
    const RoleLabel *label = text->label, *verb = NULL, *object = NULL, *subject = NULL;
    for (int i = 0; i < text->n_labels; i++) {
        Str name = label[i].label;
        if (!verb && str_equal(name, STR("V"))) verb = &label[i];
        if (!object && str_equal(name, STR("O"))) object = &label[i];
        if (!subject && str_equal(name, STR("S"))) subject = &label[i];
        if (!str_starts(name, STR("pron/"))) continue;
        for (int k = i - 1; k >= 0; k--) { // the last mention by name
            if (!str_starts(label[k].label, STR("ent/"))) continue;
            if (!str_equal(str_slice(label[k].label, 4, SIZE_MAX), str_slice(name, 5, SIZE_MAX)))
                continue;
            add_labels(r, ROLE_ANTECEDENT, &label[k], &label[i]);
            break;
        }
    }
    if (verb && object) add_labels(r, ROLE_OBJECT, verb, object);
    if (verb && subject) add_labels(r, ROLE_SUBJECT, verb, subject);
}

static bool read_text(const Model *model, Arena *arena, const RoleText *text, Aims *r, Error *err) {
    int64_t most =
        model->config.context < ROLE_TOKENS_MAX ? model->config.context : ROLE_TOKENS_MAX;
    Reading reading;
    if (!reading_make(model, arena, text->text, &reading, err)) return false;
    *r = (Aims){
        .ids = reading.ids, .token = reading.token, .n = reading.n < most ? reading.n : most};
    r->target = arena_new(arena, RoleTarget, 4 * r->n + text->n_labels + 2);
    add_places(r);
    add_label_targets(r, text);
    return true;
}

// ---------------------------------------------------------------- a model
static bool check_model(const Model *model, Error *err) {
    for (int l = 0; model->tokenizer && l < model->config.layers; l++)
        if (config_has_attention(&model->config, l)) return true;
    return model->tokenizer
               ? error_set(err, ERROR_USAGE,
                           "no layer of this model has attention: it has no heads")
               : error_set(err, ERROR_UNSUPPORTED, "the model has no tokenizer: it reads no text");
}

static bool measure_text(Run *run, const Model *model, Arena *arena, const RoleText *text,
                         Roles *roles, Error *err) {
    Aims r;
    Capture capture;
    int layers = roles->layers, heads = roles->heads;
    if (!read_text(model, arena, text, &r, err)) return false;
    if (r.n < 3) return true;
    capture_init(&capture, arena, &(CaptureWant){SITE_PATTERN, -1}, 1);
    if (!attention_check_text(model, r.ids, r.n, ROLE_TOKENS_MAX, err) ||
        !attention_capture(run, model, r.ids, r.n, layers, &capture, err))
        return false;
    roles->n_texts++;
    roles->n_tokens += r.n;
    for (int l = 0; l < layers; l++) {
        const Tensor *pattern = capture_find(&capture, SITE_PATTERN, l);
        for (int h = 0; pattern && h < heads; h++)
            role_measure(tensor_f32(pattern) + (int64_t)h * r.n * r.n, r.n, r.target, r.n_targets,
                         arena, roles->score[l * heads + h]);
    }
    return true;
}

bool roles_measure(Run *run, const Model *model, Arena *arena, const RoleText *text,
                   int64_t n_texts, Roles *roles, Error *err) {
    const Config *c = &model->config;
    bool ok = check_model(model, err);
    *roles = (Roles){.model = model->name, .layers = c->layers, .heads = c->heads};
    roles->score = arena_zero(arena, sizeof *roles->score * (size_t)(c->layers * c->heads));
    for (int64_t i = 0; ok && i < n_texts; i++) {
        ArenaMark mark = arena_mark(arena);
        ok = measure_text(run, model, arena, &text[i], roles, err);
        arena_back(arena, mark);
    }
    return ok;
}

static bool add_loss(Run *run, const Model *model, Arena *arena, const RoleText *text, double *nats,
                     int64_t *n, Error *err) {
    Aims r;
    SingleBatch single;
    if (!read_text(model, arena, text, &r, err)) return false;
    if (r.n < 2) return true;
    float *loss = arena_new(arena, float, r.n);
    Batch *batch = batch_single(&single, r.ids, r.n - 1);
    LossSpec spec = {.target = r.ids + 1, .per_row = loss};
    run_plan_begin(run);
    model_loss(run, model, batch, spec);
    if (!run_allocate(run, err)) return false;
    model_loss(run, model, batch, spec);
    for (int64_t i = 0; i + 1 < r.n; i++) *nats += (double)loss[i];
    *n += r.n - 1;
    return model_intact(model, err);
}

bool roles_loss(Run *run, const Model *model, Arena *arena, const RoleText *text, int64_t n_texts,
                double *loss, Error *err) {
    double nats = 0;
    int64_t n = 0;
    bool ok = check_model(model, err);
    for (int64_t i = 0; ok && i < n_texts; i++) {
        ArenaMark mark = arena_mark(arena);
        ok = add_loss(run, model, arena, &text[i], &nats, &n, err);
        arena_back(arena, mark);
    }
    *loss = n ? nats / (double)n : (double)NAN;
    return ok;
}
