// op_shape.c - the small arithmetic between the big ops: sums, factors, the soft cap, head gates.
#include <math.h>

#include "tensor/ops.h"

typedef struct ShapeNode {
    Node node;
    Tensor *a, *b, *y;
    float factor;      // op_scale, op_softcap
    const float *gate; // op_gate_heads
    int heads;
} ShapeNode;

static ShapeNode *record(Run *run, void (*backward)(Run *, Node *), Tensor *a, Tensor *y) {
    ShapeNode *node = run_record(run, backward, sizeof *node);
    if (node) {
        node->a = a;
        node->y = y;
    }
    return node;
}

// ---------------------------------------------------------------- add
static void add_backward(Run *run, Node *base) {
    ShapeNode *node = (ShapeNode *)base;
    int64_t n = tensor_count(node->y);
    if (run->dry) return;
    if (node->a->grad) run->kernels->axpy(node->a->grad, 1, node->y->grad, n);
    if (node->b->grad) run->kernels->axpy(node->b->grad, 1, node->y->grad, n);
}

Tensor *op_add(Run *run, Tensor *a, Tensor *b) {
    require(tensor_count(a) == tensor_count(b) && tensor_cols(a) == tensor_cols(b));
    Tensor *y = run_new(run, a->rank, a->dim);
    if (!run->dry) run->kernels->add(tensor_f32(y), tensor_f32(a), tensor_f32(b), tensor_count(a));
    ShapeNode *node = record(run, add_backward, a, y);
    if (node) node->b = b;
    return y;
}

// ---------------------------------------------------------------- scale
static void scale_backward(Run *run, Node *base) {
    ShapeNode *node = (ShapeNode *)base;
    if (run->dry || !node->a->grad) return;
    run->kernels->axpy(node->a->grad, node->factor, node->y->grad, tensor_count(node->y));
}

Tensor *op_scale(Run *run, Tensor *x, float factor) {
    Tensor *y = run_new(run, x->rank, x->dim);
    if (!run->dry) run->kernels->scale(tensor_f32(y), tensor_f32(x), factor, tensor_count(x));
    ShapeNode *node = record(run, scale_backward, x, y);
    if (node) node->factor = factor;
    return y;
}

// ---------------------------------------------------------------- softcap
// y = c tanh(x/c), so dy/dx = 1 - (y/c)^2.
static void softcap_backward(Run *run, Node *base) {
    ShapeNode *node = (ShapeNode *)base;
    if (run->dry || !node->a->grad) return;
    const float *y = tensor_f32(node->y);
    for (int64_t i = 0; i < tensor_count(node->y); i++) {
        float t = y[i] / node->factor;
        node->a->grad[i] += node->y->grad[i] * (1 - t * t);
    }
}

Tensor *op_softcap(Run *run, Tensor *x, float cap) {
    require(cap > 0);
    Tensor *y = run_new(run, x->rank, x->dim);
    if (!run->dry) {
        int64_t n = tensor_count(x);
        run->kernels->scale(tensor_f32(y), tensor_f32(x), 1 / cap, n);
        run->kernels->tanh(tensor_f32(y), tensor_f32(y), n);
        run->kernels->scale(tensor_f32(y), tensor_f32(y), cap, n);
    }
    ShapeNode *node = record(run, softcap_backward, x, y);
    if (node) node->factor = cap;
    return y;
}

// ---------------------------------------------------------------- head gates
static void gate_backward(Run *run, Node *base) {
    ShapeNode *node = (ShapeNode *)base;
    if (run->dry || !node->a->grad) return;
    int64_t width = tensor_cols(node->y) / node->heads;
    for (int64_t i = 0; i < tensor_count(node->y) / width; i++)
        run->kernels->axpy(node->a->grad + i * width, node->gate[i % node->heads],
                           node->y->grad + i * width, width);
}

Tensor *op_gate_heads(Run *run, Tensor *z, const float *gate, int heads) {
    require(tensor_cols(z) % heads == 0);
    Tensor *y = run_new(run, z->rank, z->dim);
    int64_t width = tensor_cols(z) / heads;
    for (int64_t i = 0; i < tensor_count(z) / width && !run->dry; i++)
        run->kernels->scale(tensor_f32(y) + i * width, tensor_f32(z) + i * width, gate[i % heads],
                            width);
    ShapeNode *node = record(run, gate_backward, z, y);
    if (node) {
        node->gate = gate;
        node->heads = heads;
    }
    return y;
}
