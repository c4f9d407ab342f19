// test_loss.c - cross-entropy over a vocabulary of several chunks and rows of several blocks,
// against the plain definition in double.
#include <stdlib.h>

#include "base/rng.h"
#include "quant/quant.h"
#include "tensor/ops.h"
#include "tests/test.h"

enum {
    ROWS = 300,
    WIDTH = 32,
    VOCAB = 2100
}; // op_loss.c works in blocks of 256 and chunks of 1024

typedef struct Loss {
    float x[ROWS * WIDTH], head[VOCAB * WIDTH], dx[ROWS * WIDTH], dhead[VOCAB * WIDTH];
    int32_t target[ROWS];
    float weight[ROWS], per_row[ROWS];
    // the plain definition
    double loss, x_grad[ROWS * WIDTH], head_grad[VOCAB * WIDTH], row_loss[ROWS];
} Loss;

static double logit(const Loss *l, int r, int v, double cap, double *slope) {
    double u = 0;
    for (int i = 0; i < WIDTH; i++)
        u += (double)l->x[r * WIDTH + i] * (double)l->head[v * WIDTH + i];
    double t = cap > 0 ? tanh(u / cap) : 0;
    *slope = 1 - t * t;
    return cap > 0 ? cap * t : u;
}

static void plain(Loss *l, double cap) {
    static double z[VOCAB], slope[VOCAB];
    double weights = 0;
    for (int r = 0; r < ROWS; r++) weights += (double)l->weight[r];
    l->loss = 0;
    memset(l->x_grad, 0, sizeof l->x_grad);
    memset(l->head_grad, 0, sizeof l->head_grad);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0, share = (double)l->weight[r] / weights;
        for (int v = 0; v < VOCAB; v++) sum += exp(z[v] = logit(l, r, v, cap, &slope[v]));
        l->row_loss[r] = log(sum) - z[l->target[r]];
        l->loss += share * l->row_loss[r];
        for (int v = 0; v < VOCAB; v++) {
            double d = share * (exp(z[v]) / sum - (v == l->target[r])) * slope[v];
            for (int i = 0; i < WIDTH; i++) {
                l->x_grad[r * WIDTH + i] += d * (double)l->head[v * WIDTH + i];
                l->head_grad[v * WIDTH + i] += d * (double)l->x[r * WIDTH + i];
            }
        }
    }
}

static double error_of(const float *have, const double *want, int n) {
    double difference = 0, size = 0;
    for (int i = 0; i < n; i++) {
        difference += ((double)have[i] - want[i]) * ((double)have[i] - want[i]);
        size += want[i] * want[i];
    }
    return sqrt(difference / size);
}

static void check(Loss *l, DType head_type, float cap) {
    Error err = {0};
    Run run;
    Tape tape;
    if (!CHECK(run_open(&run, NULL, &err))) return;
    run.tape = &tape;
    run.exact = true;
    Tensor x = {DTYPE_F32, 2, {ROWS, WIDTH}, l->x, l->dx};
    Tensor head = {DTYPE_F32, 2, {VOCAB, WIDTH}, l->head, l->dhead};
    static char stored[VOCAB * WIDTH * sizeof(float)];
    if (head_type != DTYPE_F32) { // a stored head is frozen; the reference sees its decoded values
        quant_encode(head_type, l->head, NULL, stored, VOCAB * WIDTH);
        quant_decode(head_type, stored, l->head, VOCAB * WIDTH);
        head = (Tensor){head_type, 2, {VOCAB, WIDTH}, stored, NULL};
    }
    memset(l->dx, 0, sizeof l->dx);
    memset(l->dhead, 0, sizeof l->dhead);
    plain(l, (double)cap);
    LossSpec spec = {.target = l->target, .weight = l->weight, .cap = cap, .per_row = l->per_row};
    run_plan_begin(&run);
    run_backward(&run, op_cross_entropy(&run, &x, &head, spec));
    CHECK(run_allocate(&run, &err));
    Tensor *y = op_cross_entropy(&run, &x, &head, spec);
    CHECK_CLOSE(tensor_f32(y)[0], l->loss, 1e-5);
    CHECK(error_of(l->per_row, l->row_loss, ROWS) < 1e-5);
    run_backward(&run, y);
    CHECK(error_of(l->dx, l->x_grad, ROWS * WIDTH) < 1e-5);
    if (head.grad) CHECK(error_of(l->dhead, l->head_grad, VOCAB * WIDTH) < 1e-5);
    run_close(&run);
}

TEST(loss, equals_the_plain_definition) {
    Loss *l = calloc(1, sizeof *l);
    Rng rng = rng_seed(test_seed() + 5);
    for (int i = 0; i < ROWS * WIDTH; i++) l->x[i] = (float)rng_normal(&rng);
    for (int i = 0; i < VOCAB * WIDTH; i++) l->head[i] = 0.3f * (float)rng_normal(&rng);
    for (int r = 0; r < ROWS; r++) {
        l->target[r] = (int32_t)rng_below(&rng, VOCAB);
        l->weight[r] = r % 5 == 4 ? 0 : (float)rng_uniform(&rng);
    }
    check(l, DTYPE_F32, 0);
    check(l, DTYPE_F32, 3);
    check(l, DTYPE_BF16, 0);
    check(l, DTYPE_Q8_0, 3);
    free(l);
}
