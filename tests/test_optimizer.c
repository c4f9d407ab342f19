// test_optimizer.c - AdamW, Muon and clipping against torch, schedules by hand, and that neither
// threads nor a checkpoint change a bit.  Golden values: tools/golden_optimizer.py.
#include "train/optimizer.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "model/weights.h"
#include "tests/test.h"
#include "train/clip.h"
#include "train/schedule.h"

static Arena arena_make(void) {
    Arena arena;
    Error err = {0};
    require(arena_init(&arena, ARENA_DEFAULT, &err));
    return arena;
}

static void fill(float *x, int64_t n, Rng *rng) {
    for (int64_t i = 0; i < n; i++) x[i] = (float)rng_normal(rng);
}

// A parameter with random values and gradients.
static Parameter parameter(Arena *arena, const char *name, int64_t rows, int64_t cols, Rule rule,
                           Rng *rng) {
    Parameter p = {.name = name, .rows = rows, .cols = cols, .rule = rule, .is_decayed = rows > 1};
    p.value = arena_new(arena, float, rows *cols);
    p.grad = arena_new(arena, float, rows *cols);
    fill(p.value, rows * cols, rng);
    fill(p.grad, rows * cols, rng);
    return p;
}

// ---------------------------------------------------------------- golden steps
enum { GOLDEN_PARAMETERS = 3 };

static void read_floats(const Json *array, float *out) {
    for (const Json *x = array->child; x; x = x->next) *out++ = (float)x->number;
}

// The largest error, relative to the value or to 0.1 where it is smaller.
static double largest_error(const float *got, const Json *want) {
    double largest = 0;
    for (const Json *x = want->child; x; x = x->next, got++) {
        double error = fabs((double)*got - x->number) / fmax(fabs(x->number), 0.1);
        if (!(error <= largest)) largest = error;
    }
    return largest;
}

static void golden_parameters(Arena *arena, const Json *golden, bool is_muon, Parameter *list) {
    static const char *const names[GOLDEN_PARAMETERS] = {"wide", "tall", "vector"};
    for (int i = 0; i < GOLDEN_PARAMETERS; i++) {
        const Json *shape = json_at(json_get(golden, "shapes"), i);
        bool is_matrix = shape->count == 2;
        Parameter *p = &list[i];
        *p = (Parameter){.name = names[i],
                         .rows = is_matrix ? json_at(shape, 0)->integer : 1,
                         .cols = json_at(shape, is_matrix ? 1 : 0)->integer,
                         .rule = is_matrix && is_muon ? RULE_MUON : RULE_ADAMW,
                         .is_decayed = is_matrix};
        p->value = arena_new(arena, float, parameter_count(p));
        p->grad = arena_new(arena, float, parameter_count(p));
        read_floats(json_at(json_get(golden, "values"), i), p->value);
    }
}

static void golden_case(Arena *arena, const Json *golden, const Json *c) {
    Str kind = json_string(json_get(c, "kind"), STR(""));
    bool is_muon = !str_equal(kind, STR("adamw")), is_bf16 = str_equal(kind, STR("muon_bf16"));
    Parameter list[GOLDEN_PARAMETERS];
    golden_parameters(arena, golden, is_muon, list);
    Parameters parameters = parameters_make(arena, list, GOLDEN_PARAMETERS);
    OptimizerSpec spec = optimizer_default();
    spec.muon_rate = 1;
    if (is_muon && !is_bf16)
        CHECK(muon_scale_from_name(str_slice(kind, 5, kind.n), &spec.muon_scale));
    Optimizer o;
    Error err = {0};
    if (!CHECK(optimizer_init(&o, &parameters, spec, &err))) return;
    double tolerance = is_bf16 ? 1e-2 : 1e-6;
    int64_t n_steps = json_get(c, "steps")->count;
    for (int64_t s = 0; s < n_steps; s++) {
        const Json *step = json_at(json_get(c, "steps"), s);
        for (int i = 0; i < GOLDEN_PARAMETERS; i++)
            read_floats(json_at(json_at(json_get(golden, "gradients"), s), i), list[i].grad);
        GradientNorm norm = gradient_norm(&parameters, NULL);
        CHECK_CLOSE(norm.norm, json_get(step, "norm")->number, 1e-6 * norm.norm);
        optimizer_step(&o, kernels_best(), NULL,
                       (StepSpec){json_at(json_get(golden, "rates"), s)->number,
                                  clip_factor(norm.norm, json_get(golden, "clip")->number)});
        for (int i = 0; i < GOLDEN_PARAMETERS; i++) {
            double error = largest_error(list[i].value, json_at(json_get(step, "values"), i));
            test_check(error <= tolerance, __FILE__, __LINE__, "%.*s step %lld, %s: error %g",
                       STR_ARG(kind), (long long)s + 1, list[i].name, error);
        }
    }
    CHECK_EQUAL(o.step, n_steps);
    optimizer_drop(&o);
}

TEST(optimizer, golden) {
    Arena arena = arena_make();
    Str text;
    Error err = {0};
    if (!CHECK(file_read(&arena, test_fixture("fixtures/optimizer.json"), 1 << 20, &text, &err)))
        return;
    const Json *golden = json_parse(&arena, text, SIZE_MAX, &err);
    if (!CHECK(golden)) return;
    CHECK_EQUAL(json_get(golden, "cases")->count, 4);
    for (const Json *c = json_get(golden, "cases")->child; c; c = c->next)
        golden_case(&arena, golden, c);
    arena_drop(&arena);
}

// ---------------------------------------------------------------- Newton-Schulz
// Five rounds in double precision, by their definition; (n, k) with n <= k.
static void rounds_in_double(double *x, int64_t n, int64_t k) {
    double norm = 0;
    double *g = malloc(sizeof(double) * (size_t)(n * n)),
           *u = malloc(sizeof(double) * (size_t)(n * n));
    double *next = malloc(sizeof(double) * (size_t)(n * k));
    require(g && u && next);
    for (int64_t i = 0; i < n * k; i++) norm += x[i] * x[i];
    for (int64_t i = 0; i < n * k; i++) x[i] /= sqrt(norm);
    for (int round = 0; round < 5; round++) {
        for (int64_t i = 0; i < n * n; i++) {
            g[i] = 0;
            for (int64_t j = 0; j < k; j++) g[i] += x[i / n * k + j] * x[i % n * k + j];
        }
        for (int64_t i = 0; i < n * n; i++) {
            double square = 0;
            for (int64_t j = 0; j < n; j++) square += g[i / n * n + j] * g[j * n + i % n];
            u[i] = -4.7750 * g[i] + 2.0315 * square;
        }
        for (int64_t i = 0; i < n * k; i++) {
            next[i] = 3.4445 * x[i];
            for (int64_t j = 0; j < n; j++) next[i] += u[i / k * n + j] * x[j * k + i % k];
        }
        memcpy(x, next, sizeof(double) * (size_t)(n * k));
    }
    free(g), free(u), free(next);
}

static void orthogonalize_shape(Arena *arena, int64_t rows, int64_t cols, bool bf16) {
    OptimizerSpec spec = optimizer_default();
    spec.bf16 = bf16;
    Rng rng = rng_seed((uint64_t)(rows * 1000 + cols));
    bool is_wide = rows <= cols;
    int64_t n = is_wide ? rows : cols, k = is_wide ? cols : rows;
    float *scratch = arena_new(arena, float, muon_scratch(rows, cols, &spec));
    double *want = arena_new(arena, double, rows *cols);
    fill(scratch, rows * cols, &rng);
    for (int64_t i = 0; i < rows * cols; i++)
        want[is_wide ? i : i % cols * rows + i / cols] = (double)scratch[i];
    rounds_in_double(want, n, k);
    const float *got = muon_orthogonalize(scratch, rows, cols, &spec, kernels_best(), NULL);
    double error = 0, sum = 0;
    for (int64_t i = 0; i < rows * cols; i++) {
        double x = (double)got[i];
        error = fmax(error, fabs(x - want[is_wide ? i : i % cols * rows + i / cols]));
        sum += x * x;
    }
    test_check(error < (bf16 ? 0.08 : 2e-5), __FILE__, __LINE__, "%lld x %lld%s: error %g",
               (long long)rows, (long long)cols, bf16 ? " in bf16" : "", error);
    // The squares of the n singular values, each between 0.65 and 1.25.
    CHECK(sum / (double)n > 0.65 * 0.65 && sum / (double)n < 1.25 * 1.25);
}

TEST(optimizer, orthogonalize) {
    static const int64_t shapes[][2] = {{2, 1}, {3, 3}, {17, 40}, {40, 17}, {70, 130}, {130, 70}};
    Arena arena = arena_make();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int bf16 = 0; bf16 < 2; bf16++)
            orthogonalize_shape(&arena, shapes[i][0], shapes[i][1], bf16);
    OptimizerSpec spec = optimizer_default();
    float *zeros = arena_new(&arena, float, muon_scratch(4, 6, &spec));
    const float *got = muon_orthogonalize(zeros, 4, 6, &spec, kernels_best(), NULL);
    for (int i = 0; i < 24; i++) CHECK(got[i] == 0);
    arena_drop(&arena);
}

// ---------------------------------------------------------------- threads, checkpoints
enum { MIXED = 4 };

static Parameters mixed_parameters(Arena *arena) {
    Rng rng = rng_seed(5);
    Parameter *list = arena_new(arena, Parameter, MIXED);
    list[0] = parameter(arena, "embedding", 301, 67, RULE_ADAMW, &rng);
    list[1] = parameter(arena, "wide", 96, 200, RULE_MUON, &rng);
    list[2] = parameter(arena, "vector", 1, 200, RULE_ADAMW, &rng);
    list[3] = parameter(arena, "tall", 230, 90, RULE_MUON, &rng);
    return parameters_make(arena, list, MIXED);
}

static const StepSpec some_step = {0.01, 0.5};

static bool same_values(const Parameters *a, const Parameters *b) {
    for (int64_t i = 0; i < a->n; i++) {
        size_t bytes = sizeof(float) * (size_t)parameter_count(&a->list[i]);
        if (memcmp(a->list[i].value, b->list[i].value, bytes) != 0) return false;
    }
    return true;
}

TEST(optimizer, threads) {
    Arena arena = arena_make();
    Parameters one = mixed_parameters(&arena), many = mixed_parameters(&arena);
    Optimizer a, b;
    Error err = {0};
    Pool *pool = pool_open(3, &err);
    CHECK(pool && optimizer_init(&a, &one, optimizer_default(), &err));
    CHECK(optimizer_init(&b, &many, optimizer_default(), &err));
    CHECK(gradient_norm(&one, NULL).norm == gradient_norm(&many, pool).norm);
    for (int i = 0; i < 3; i++) {
        optimizer_step(&a, kernels_best(), NULL, some_step);
        optimizer_step(&b, kernels_best(), pool, some_step);
    }
    CHECK(same_values(&one, &many));
    CHECK(memcmp(a.moments, b.moments, sizeof(float) * (size_t)a.n_moments) == 0);
    optimizer_drop(&a);
    optimizer_drop(&b);
    pool_close(pool);
    arena_drop(&arena);
}

// Values, moments and the number of steps are all there is: put into another optimizer, it goes on.
TEST(optimizer, goes_on) {
    Arena arena = arena_make();
    Parameters whole = mixed_parameters(&arena), resumed = mixed_parameters(&arena);
    Optimizer a, b;
    Error err = {0};
    CHECK(optimizer_init(&a, &whole, optimizer_default(), &err));
    CHECK(optimizer_init(&b, &resumed, optimizer_default(), &err));
    optimizer_step(&a, kernels_best(), NULL, some_step);
    for (int64_t i = 0; i < whole.n; i++)
        memcpy(resumed.list[i].value, whole.list[i].value,
               sizeof(float) * (size_t)parameter_count(&whole.list[i]));
    memcpy(b.moments, a.moments, sizeof(float) * (size_t)a.n_moments);
    b.step = a.step;
    optimizer_step(&a, kernels_best(), NULL, some_step);
    optimizer_step(&b, kernels_best(), NULL, some_step);
    CHECK(same_values(&whole, &resumed));
    CHECK_EQUAL(a.n_moments, 2 * (301 * 67 + 200) + 96 * 200 + 230 * 90);
    optimizer_drop(&a);
    optimizer_drop(&b);
    arena_drop(&arena);
}

TEST(optimizer, refuses) {
    Arena arena = arena_make();
    Parameters parameters = mixed_parameters(&arena);
    Optimizer o;
    Error err;
    OptimizerSpec spec = optimizer_default();
    spec.beta2 = 1;
    CHECK_FAILS(optimizer_init(&o, &parameters, spec, &err), err, ERROR_USAGE, "beta2 is 1");
    spec = optimizer_default();
    spec.decay = -0.1;
    CHECK_FAILS(optimizer_init(&o, &parameters, spec, &err), err, ERROR_USAGE, "decay");
    spec = optimizer_default();
    spec.epsilon = (double)NAN;
    CHECK_FAILS(optimizer_init(&o, &parameters, spec, &err), err, ERROR_USAGE, "epsilon");
    arena_drop(&arena);
}

// ---------------------------------------------------------------- clipping
TEST(clip, norm) {
    Arena arena = arena_make();
    Parameters p = mixed_parameters(&arena);
    double sum = 0;
    for (int64_t i = 0; i < p.n; i++)
        for (int64_t j = 0; j < parameter_count(&p.list[i]); j++)
            sum += (double)p.list[i].grad[j] * (double)p.list[i].grad[j];
    CHECK_CLOSE(gradient_norm(&p, NULL).norm, sqrt(sum), 1e-12 * sqrt(sum));
    CHECK_EQUAL(gradient_norm(&p, NULL).not_finite, -1);
    p.list[0].grad[5] = 1e38f; // its square is no float
    CHECK_CLOSE(gradient_norm(&p, NULL).norm, (double)1e38f, 1e26);
    CHECK(clip_factor(2, 0) == 1);
    CHECK(clip_factor(2, 3) == 1);
    CHECK_CLOSE(clip_factor(4, 1), 0.25, 1e-6);
    arena_drop(&arena);
}

TEST(clip, not_finite) {
    Arena arena = arena_make();
    Parameters p = mixed_parameters(&arena);
    SpikeGuard guard = {0};
    char words[256];
    p.list[1].grad[3 * 200 + 7] = INFINITY;
    p.list[3].grad[0] = NAN;
    GradientNorm norm = gradient_norm(&p, NULL);
    CHECK_EQUAL(norm.not_finite, 1);
    CHECK(spike_judge(&guard, &p, norm, 0, words) == STEP_NOT_FINITE);
    CHECK(strcmp(words, "the gradient of wide is infinite in row 3, column 7") == 0);
    p.list[1].grad[3 * 200 + 7] = 0;
    CHECK(spike_judge(&guard, &p, gradient_norm(&p, NULL), 0, words) == STEP_NOT_FINITE);
    CHECK(strstr(words, "tall is not a number in row 0, column 0"));
    CHECK_EQUAL(guard.n_seen, 0);
    arena_drop(&arena);
}

static StepJudgement judge(SpikeGuard *guard, double norm, char words[256]) {
    return spike_judge(guard, NULL, (GradientNorm){.norm = norm, .not_finite = -1}, 10, words);
}

TEST(clip, spikes) {
    SpikeGuard guard = {0};
    char words[256];
    CHECK(judge(&guard, 1000, words) == STEP_GOOD); // nothing to compare with
    for (int i = 1; i < GUARD_LEAST; i++) CHECK(judge(&guard, 1 + i % 2, words) == STEP_GOOD);
    CHECK(judge(&guard, 19, words) == STEP_GOOD); // the median is 2
    CHECK(judge(&guard, 21, words) == STEP_SPIKE);
    CHECK(strstr(words, "norm 21 is 10.5 times the median 2 of the last 17 steps"));
    CHECK(judge(&guard, 1, words) == STEP_GOOD && words[0] == 0);
    int n_refused = 0; // a lasting change
    for (int i = 0; i < 3 * GUARD_WINDOW; i++) n_refused += judge(&guard, 500, words) == STEP_SPIKE;
    CHECK(n_refused >= 8 && n_refused <= GUARD_WINDOW / 2);
}

// ---------------------------------------------------------------- schedules
TEST(schedule, shapes) {
    Schedule s = {.peak = 0.8, .floor = 0.2, .warmup = 4, .steps = 12, .decay = 4};
    Error err = {0};
    for (int kind = 0; kind < SCHEDULE_COUNT; kind++) {
        s.kind = (ScheduleKind)kind;
        CHECK(schedule_check(&s, &err));
        CHECK_CLOSE(schedule_rate(&s, 1), 0.2, 1e-15);
        CHECK_CLOSE(schedule_rate(&s, 3), 0.6, 1e-15);
        CHECK_CLOSE(schedule_rate(&s, 4), 0.8, 1e-15);
        CHECK_CLOSE(schedule_rate(&s, 12), kind == SCHEDULE_CONSTANT ? 0.8 : 0.2, 1e-15);
        CHECK_CLOSE(schedule_rate(&s, 99), kind == SCHEDULE_CONSTANT ? 0.8 : 0.2, 1e-15);
    }
    s.kind = SCHEDULE_LINEAR;
    CHECK_CLOSE(schedule_rate(&s, 6), 0.65, 1e-15);
    CHECK_CLOSE(schedule_rate(&s, 10), 0.35, 1e-15);
    s.kind = SCHEDULE_COSINE;
    CHECK_CLOSE(schedule_rate(&s, 8), 0.5, 1e-15);
    CHECK_CLOSE(schedule_rate(&s, 6), 0.5 + 0.3 * sqrt(0.5), 1e-15);
    s.kind = SCHEDULE_STABLE;
    CHECK_CLOSE(schedule_rate(&s, 8), 0.8, 1e-15);
    CHECK_CLOSE(schedule_rate(&s, 9), 0.5, 1e-15); // 1 - sqrt(1/4)
    CHECK_CLOSE(schedule_rate(&s, 11), 0.8 - 0.6 * sqrt(0.75), 1e-15);
    s = (Schedule){.kind = SCHEDULE_COSINE, .peak = 1, .steps = 1};
    CHECK(schedule_check(&s, &err) && schedule_rate(&s, 1) == 0);
}

TEST(schedule, refuses) {
    Error err;
    ScheduleKind kind;
    Schedule good = {.kind = SCHEDULE_STABLE, .peak = 1, .warmup = 2, .steps = 10, .decay = 8},
             s = good;
    CHECK(schedule_check(&s, &err));
    s.decay = 9;
    CHECK_FAILS(schedule_check(&s, &err), err, ERROR_USAGE, "9 steps of decay");
    s = good, s.warmup = 11;
    CHECK_FAILS(schedule_check(&s, &err), err, ERROR_USAGE, "warm-up");
    s = good, s.floor = 2;
    CHECK_FAILS(schedule_check(&s, &err), err, ERROR_USAGE, "last learning rate");
    s = good, s.peak = (double)NAN;
    CHECK_FAILS(schedule_check(&s, &err), err, ERROR_USAGE, "learning rate");
    CHECK(schedule_from_name(STR("cosine"), &kind) && kind == SCHEDULE_COSINE);
    CHECK(!schedule_from_name(STR("cosin"), &kind));
    CHECK(strcmp(schedule_name(SCHEDULE_STABLE), "stable") == 0);
}

// ---------------------------------------------------------------- of a model
// Llama's 2 layers of 7 matrices are hidden; embedding and head are matrices too, norms are not.
TEST(optimizer, parameters_of_a_model) {
    Arena arena = arena_make();
    Error err = {0};
    Model *model = model_open(test_fixture("fixtures/models/llama"), (ModelOptions){0}, &err);
    if (!test_check(model != NULL, __FILE__, __LINE__, "%s", err.text)) return;
    int64_t n_values;
    weights_give_gradients(model, &n_values);
    Parameters p = parameters_of_model(&arena, model, RULE_MUON);
    int n_muon = 0, n_decayed = 0;
    int64_t n_pieces = 0;
    for (int64_t i = 0; i < p.n; i++) {
        const Parameter *one = &p.list[i];
        n_muon += one->rule == RULE_MUON;
        n_decayed += one->is_decayed;
        n_pieces += (parameter_count(one) + PIECE_VALUES - 1) / PIECE_VALUES;
        CHECK((one->rule == RULE_MUON) == (strstr(one->name, "blk.") && one->rows > 1));
        CHECK(one->is_decayed == (strstr(one->name, "norm") == NULL));
    }
    CHECK_EQUAL(n_muon, 2 * 7);
    CHECK_EQUAL(n_decayed, 2 * 7 + (model->is_tied ? 1 : 2));
    CHECK_EQUAL(p.n_values, n_values);
    CHECK_EQUAL(p.n_pieces, n_pieces);
    p = parameters_of_model(&arena, model, RULE_ADAMW);
    for (int64_t i = 0; i < p.n; i++) CHECK(p.list[i].rule == RULE_ADAMW);
    model_close(model);
    arena_drop(&arena);
}
