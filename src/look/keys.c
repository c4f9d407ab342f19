// keys.c - sums of outer products, Cholesky, and two triangular systems.
#include "look/keys.h"

#include <math.h>

#include "look/capture.h"
#include "tensor/product.h"

static const double RIDGE = 1e-4;

bool keys_check(const Model *model, int layer, Error *err) {
    const Config *c = &model->config;
    if (c->is_encoder)
        return error_set(err, ERROR_UNSUPPORTED,
                         "an encoder does not go on with a text: it has no answers");
    if (layer < 0 || layer >= c->layers)
        return error_set(err, ERROR_USAGE, "layer %d: this model has the layers 0 to %d", layer,
                         c->layers - 1);
    if (c->experts)
        return error_set(err, ERROR_UNSUPPORTED,
                         "the feed-forward layers of this model are mixtures of experts: no single "
                         "matrix holds a fact");
    const Tensor *down = &model->layer[layer].channel.down;
    if (!down->data)
        return error_set(err, ERROR_UNSUPPORTED, "layer %d of this model has no feed-forward",
                         layer);
    if (down->adapter)
        return error_set(err, ERROR_USAGE,
                         "layer %d has an adapter: make it a part of the model first (heed convert "
                         "--lora)",
                         layer);
    return true;
}

// ---------------------------------------------------------------- sums
static bool wants(void *user, Site site, int layer) {
    const Keys *k = user;
    return site == SITE_MLP_ACT && layer == k->layer;
}

// The products of one text in f32, added up in f64.
static Tensor *add_products(void *user, Run *run, Site site, int layer, Tensor *value) {
    (void)site, (void)layer;
    Keys *k = user;
    int64_t width = k->width, rows = tensor_rows(value) - 1;
    size_t mark = run_mark(run);
    float *sum = run_bytes(run, sizeof(float) * (size_t)(width * width));
    const float *x = run->dry ? NULL : tensor_f32(value) + width;
    product(run, &(Product){.m = width,
                            .n = width,
                            .k = rows,
                            .a = x,
                            .a_row = 1,
                            .a_column = width,
                            .b = x,
                            .b_row = 1,
                            .b_column = width,
                            .c = sum,
                            .c_row = width});
    for (int64_t i = 0; !run->dry && i < width * width; i++) k->covariance[i] += (double)sum[i];
    if (!run->dry) k->n += rows;
    run_back(run, mark);
    return value;
}

bool keys_init(Keys *k, const Model *model, int layer, Arena *arena, Error *err) {
    if (!keys_check(model, layer, err)) return false;
    int64_t width = tensor_cols(&model->layer[layer].channel.down);
    *k = (Keys){.probe = {wants, add_products, k}, .model = model, .layer = layer, .width = width};
    if (width > KEYS_WIDTH_MAX || !arena_fits(arena, sizeof(double) * (size_t)(width * width)))
        return error_set(err, ERROR_LIMIT,
                         "a feed-forward layer %lld wide: its covariance is too large",
                         (long long)width);
    k->covariance = arena_new(arena, double, width *width);
    return true;
}

// A forward as far as the layer, whose probe gets what it wants.
static bool forward(Run *run, const Model *model, int layer, const Probe *probe, const int32_t *ids,
                    int64_t n, Error *err) {
    SingleBatch single;
    Batch *batch = batch_single(&single, ids, n);
    int32_t last = (int32_t)(n - 1);
    batch->logit_row = &last;
    batch->n_logits = 1;
    run->probe = probe;
    run->switches.n_layers = layer + 1;
    run_plan_begin(run);
    model_hidden(run, model, batch);
    bool ok = run_allocate(run, err);
    if (ok) model_hidden(run, model, batch);
    run->probe = NULL;
    run->switches.n_layers = 0;
    return ok && model_intact(model, err);
}

bool keys_add(Keys *k, Run *run, const int32_t *ids, int64_t n, Error *err) {
    int64_t context = k->model->config.context;
    if (n > KEYS_TOKENS_MAX) n = KEYS_TOKENS_MAX;
    if (n > context) n = context;
    return n < 2 || forward(run, k->model, k->layer, &k->probe, ids, n, err);
}

// ---------------------------------------------------------------- Cholesky
// Eight sums, so that a compiler may keep them in one register.
static double dot(const double *a, const double *b, int64_t n) {
    double sum[8] = {0}, all = 0;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int j = 0; j < 8; j++) sum[j] += a[i + j] * b[i + j];
    for (; i < n; i++) all += a[i] * b[i];
    for (int j = 0; j < 8; j++) all += sum[j];
    return all;
}

bool keys_factor(Keys *k, Error *err) {
    int64_t width = k->width;
    double *c = k->covariance, squares = 0;
    if (k->n < width)
        return error_set(err, ERROR_USAGE,
                         "%lld tokens of text are too few for a feed-forward layer %lld wide",
                         (long long)k->n, (long long)width);
    for (int64_t i = 0; i < width * width; i++) c[i] /= (double)k->n;
    for (int64_t i = 0; i < width; i++) squares += c[i * width + i];
    for (int64_t i = 0; i < width; i++) c[i * width + i] += RIDGE * squares / (double)width;
    for (int64_t i = 0; i < width; i++)
        for (int64_t j = 0; j <= i; j++) {
            double rest = c[i * width + j] - dot(c + i * width, c + j * width, j);
            if (i == j && !(rest > 0))
                return error_set(err, ERROR_FORMAT,
                                 "layer %d: its feed-forward has values that are no finite numbers "
                                 "or always 0",
                                 k->layer);
            c[i * width + j] = i == j ? sqrt(rest) : rest / c[j * width + j];
        }
    return true;
}

// x = C^-1 x through C = L L^T.
static void solve(const Keys *k, double *x) {
    int64_t width = k->width;
    const double *c = k->covariance;
    for (int64_t i = 0; i < width; i++) x[i] = (x[i] - dot(c + i * width, x, i)) / c[i * width + i];
    for (int64_t i = width - 1; i >= 0; i--) {
        x[i] /= c[i * width + i];
        for (int64_t j = 0; j < i; j++) x[j] -= c[i * width + j] * x[i];
    }
}

void keys_direction(const Keys *k, const float *key, Arena *arena, float *direction) {
    ArenaMark mark = arena_mark(arena);
    double *x = arena_new(arena, double, k->width), size = 0;
    for (int64_t i = 0; i < k->width; i++) x[i] = (double)key[i];
    solve(k, x);
    for (int64_t i = 0; i < k->width; i++) size += x[i] * (double)key[i];
    for (int64_t i = 0; i < k->width; i++) direction[i] = (float)(x[i] / size);
    arena_back(arena, mark);
}

// ---------------------------------------------------------------- of facts
bool keys_of_facts(Run *run, const Model *model, int layer, Arena *arena, const Fact *fact,
                   int64_t n, float *key, Error *err) {
    int64_t width = tensor_cols(&model->layer[layer].channel.down);
    ArenaMark mark = arena_mark(arena);
    double *sum = arena_new(arena, double, width);
    for (int64_t i = 0; i < n; i++) {
        ArenaMark one = arena_mark(arena);
        Capture capture;
        capture_init(&capture, arena, &(CaptureWant){SITE_MLP_ACT, layer}, 1);
        if (!forward(run, model, layer, &capture.probe, fact[i].ids, fact[i].subject + 1, err))
            return false;
        const Tensor *value = capture_find(&capture, SITE_MLP_ACT, layer);
        for (int64_t j = 0; j < width; j++)
            sum[j] += (double)tensor_f32(value)[fact[i].subject * width + j];
        arena_back(arena, one);
    }
    for (int64_t j = 0; j < width; j++) key[j] = (float)(sum[j] / (double)n);
    arena_back(arena, mark);
    return true;
}
