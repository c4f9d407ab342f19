// lens.c - the logit lens (nostalgebraist 2020): the residual stream before the first layer and
// after each, read as if the model ended there.
//
//     lens_id, lens_probability   (L+1, T, K)  the K likeliest tokens
//     lens_watched                (L+1, T, W)  probability of the tokens that are watched
//     lens_final                  (L+1, T)     of the token that is likeliest in the end
//     lens_entropy                (L+1, T)     bits
//
// Row 0 is the embedding, row l the stream after layer l-1.
#include <math.h>
#include <string.h>

#include "generate/softmax.h"
#include "lab/answer.h"

enum { ROWS_AT_ONCE = 64 };

typedef struct Lens {
    Answer *a;
    int64_t n_vocab, top;
    int n_rows;                   // L+1
    int32_t *id;                  // (L+1, T, K)
    float *probability, *watched; // (L+1, T, K) (L+1, T, W)
    float *final, *entropy;       // (L+1, T)
    int32_t *said;                // (T) likeliest in the end
    double *share;                // (threads, V) scratch
    const float *logits;          // (n, V) of the tokens that are being read, from `from` on
    int row;
    int64_t from;
} Lens;

// The k largest of n shares into id, largest first, of equals the lowest id.
static void largest(const double *share, int64_t n, int64_t k, int32_t *id) {
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        if (found == k && !(share[i] > share[id[k - 1]])) continue;
        int64_t at = found < k ? found++ : k - 1;
        for (; at > 0 && share[i] > share[id[at - 1]]; at--) id[at] = id[at - 1];
        id[at] = (int32_t)i;
    }
}

// log(sum of exp(logit)) is the logit minus the log of the share of any token; so a row needs one
// logarithm, not V.
static float entropy_bits(const double *share, const float *logits, int64_t n, int32_t best) {
    double mean = 0;
    for (int64_t i = 0; i < n; i++)
        if (share[i] > 0) mean += share[i] * (double)logits[i];
    double nats = (double)logits[best] - log(share[best]) - mean;
    return (float)(nats > 0 ? nats / 0.69314718055994531 : 0);
}

// What one row of logits says.  The last layer is read first: it names the token of lens_final.
static void read_token(Lens *lens, int64_t t, double *share) {
    const LensWish *wish = &lens->a->request.lens;
    const float *logits = lens->logits + (t - lens->from) * lens->n_vocab;
    int64_t at = lens->row * lens->a->n + t;
    int32_t *id = lens->id + at * lens->top;
    softmax_f64(logits, lens->n_vocab, share);
    largest(share, lens->n_vocab, lens->top, id);
    if (lens->row == lens->n_rows - 1) lens->said[t] = id[0];
    for (int64_t k = 0; k < lens->top; k++)
        lens->probability[at * lens->top + k] = (float)share[id[k]];
    for (int w = 0; w < wish->n_watched; w++)
        lens->watched[at * wish->n_watched + w] = (float)share[wish->watched[w]];
    lens->final[at] = (float)share[lens->said[t]];
    lens->entropy[at] = entropy_bits(share, logits, lens->n_vocab, id[0]);
}

static void read_tokens(void *arg, int64_t begin, int64_t end, int worker) {
    Lens *lens = arg;
    for (int64_t t = begin; t < end; t++)
        read_token(lens, lens->from + t, lens->share + worker * lens->n_vocab);
}

// Logits of rows from .. from+n-1 of a stream.
static Tensor *read_stream(Lens *lens, const Tensor *stream, int64_t from, int64_t n) {
    Run *run = &lens->a->lab->run;
    run_begin(run);
    Tensor *x = run_new2(run, n, tensor_cols(stream));
    if (!run->dry)
        memcpy(x->data, tensor_row(stream, from),
               sizeof(float) * (size_t)(n * tensor_cols(stream)));
    return model_lens(run, lens->a->lab->model, x);
}

static bool read_layer(Lens *lens, int row, Error *err) {
    Answer *a = lens->a;
    const Tensor *stream = row == 0 ? capture_find(&a->capture, SITE_RESID_PRE, 0)
                                    : capture_find(&a->capture, SITE_RESID_POST, row - 1);
    for (int64_t from = 0; from < a->n; from += ROWS_AT_ONCE) {
        int64_t n = a->n - from < ROWS_AT_ONCE ? a->n - from : ROWS_AT_ONCE;
        if (!answer_goes_on(a, err)) return false;
        lens->logits = tensor_f32(read_stream(lens, stream, from, n));
        lens->from = from;
        lens->row = row;
        for (int64_t t = 0; t < n; t++)
            if (!logits_check(lens->logits + t * lens->n_vocab, lens->n_vocab, err))
                return error_wrap(err, "the lens after %d layers", row);
        pool_run(a->lab->options.pool, read_tokens, lens, n, 1);
    }
    return true;
}

static void put_arrays(Lens *lens) {
    TraceWriter *w = &lens->a->trace;
    int64_t rows = lens->n_rows, n = lens->a->n, watched = lens->a->request.lens.n_watched;
    TraceArray array = {.name = "lens_id",
                        .axes = "(L+1, T, K)",
                        .layer = -1,
                        .type = TRACE_I32,
                        .rank = 3,
                        .dim = {rows, n, lens->top},
                        .data = lens->id};
    trace_add(w, array);
    array.name = "lens_probability", array.type = TRACE_F32, array.data = lens->probability;
    trace_add(w, array);
    array.name = "lens_watched", array.axes = "(L+1, T, W)", array.data = lens->watched;
    array.dim[2] = watched;
    if (watched) trace_add(w, array);
    array.name = "lens_final", array.axes = "(L+1, T)", array.data = lens->final, array.rank = 2;
    trace_add(w, array);
    array.name = "lens_entropy", array.data = lens->entropy;
    trace_add(w, array);
}

bool answer_lens(Answer *a, Error *err) {
    Arena *arena = &a->lab->arena;
    Run *run = &a->lab->run;
    int layers = a->lab->model->config.layers, only = a->request.switches.n_layers;
    Lens lens = {.a = a, .n_vocab = a->lab->model->config.vocab, .top = a->request.lens.top};
    lens.n_rows = (only > 0 && only < layers ? only : layers) + 1;
    int64_t n = lens.n_rows * a->n;
    lens.id = arena_new(arena, int32_t, n * lens.top);
    lens.probability = arena_new(arena, float, n *lens.top);
    lens.watched = arena_new(arena, float, n * a->request.lens.n_watched);
    lens.final = arena_new(arena, float, n);
    lens.entropy = arena_new(arena, float, n);
    lens.said = arena_new(arena, int32_t, a->n);
    lens.share = arena_new(arena, double, pool_threads(a->lab->options.pool) * lens.n_vocab);

    run->probe = NULL;
    run_plan_begin(run);
    const Tensor *stream = capture_find(&a->capture, SITE_RESID_PRE, 0);
    read_stream(&lens, stream, 0, a->n < ROWS_AT_ONCE ? a->n : ROWS_AT_ONCE);
    if (!run_allocate(run, err)) return false;
    for (int row = lens.n_rows - 1; row >= 0; row--)
        if (!read_layer(&lens, row, err)) return false;
    put_arrays(&lens);
    return true;
}
