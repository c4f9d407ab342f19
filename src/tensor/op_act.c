// op_act.c - the non-linearities of the feed-forward layer, alone and gated.
//
// The tanh form of GELU is what GPT-2 and Gemma were trained with, the exact form (erf) what BERT
// was; they differ by up to 5e-4 and are two activations, not one.
#include <math.h>

#include "tensor/ops.h"

typedef struct ActNode {
    Node node;
    Tensor *x, *up, *y; // up NULL: not gated
    Activation kind;
} ActNode;

typedef struct ActWork {
    const Kernels *kernels;
    const float *x, *up;
    float *y;
    Activation kind;
} ActWork;

static void apply(const Kernels *kernels, Activation kind, float *y, const float *x, int64_t n) {
    switch (kind) {
    case ACT_GELU: kernels->gelu_erf(y, x, n); break;
    case ACT_GELU_TANH: kernels->gelu_tanh(y, x, n); break;
    case ACT_SILU: kernels->silu(y, x, n); break;
    }
}

// Value and derivative at x, in double.
static void act_slope(Activation kind, double x, double *value, double *slope) {
    if (kind == ACT_SILU) {
        double s = 1 / (1 + exp(-x));
        *value = x * s;
        *slope = s * (1 + x * (1 - s));
    } else if (kind == ACT_GELU) {
        double cdf = 0.5 * erfc(-x * 0.7071067811865476),
               pdf = exp(-0.5 * x * x) * 0.3989422804014327;
        *value = x * cdf;
        *slope = cdf + x * pdf;
    } else {
        double c = 0.7978845608028654, t = tanh(c * (x + 0.044715 * x * x * x)); // c = sqrt(2/pi)
        *value = 0.5 * x * (1 + t);
        *slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x);
    }
}

static void act_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const ActWork *work = arg;
    apply(work->kernels, work->kind, work->y + begin, work->x + begin, end - begin);
    if (work->up)
        work->kernels->multiply(work->y + begin, work->y + begin, work->up + begin, end - begin);
}

static void act_backward_task(void *arg, int64_t begin, int64_t end, int worker) {
    (void)worker;
    const ActNode *node = arg;
    for (int64_t i = begin; i < end; i++) {
        double value, slope, dy = (double)node->y->grad[i];
        act_slope(node->kind, (double)tensor_f32(node->x)[i], &value, &slope);
        if (node->up) {
            if (node->up->grad) node->up->grad[i] += (float)(dy * value);
            slope *= (double)tensor_f32(node->up)[i];
        }
        if (node->x->grad) node->x->grad[i] += (float)(dy * slope);
    }
}

static void act_backward(Run *run, Node *base) {
    ActNode *node = (ActNode *)base;
    if (!run->dry) pool_run(run->pool, act_backward_task, node, tensor_count(node->y), 1024);
}

static Tensor *activate(Run *run, Tensor *x, Tensor *up, Activation kind) {
    require(!up || tensor_count(up) == tensor_count(x));
    Tensor *y = run_new(run, x->rank, x->dim);
    if (!run->dry) {
        ActWork work = {run->kernels, tensor_f32(x), up ? tensor_f32(up) : NULL, tensor_f32(y),
                        kind};
        pool_run(run->pool, act_task, &work, tensor_count(x), 8192);
    }
    ActNode *node = run_record(run, act_backward, sizeof *node);
    if (node) {
        node->x = x;
        node->up = up;
        node->y = y;
        node->kind = kind;
    }
    return y;
}

Tensor *op_activate(Run *run, Tensor *x, Activation kind) {
    return activate(run, x, NULL, kind);
}

Tensor *op_gated(Run *run, Tensor *gate, Tensor *up, Activation kind) {
    return activate(run, gate, up, kind);
}
