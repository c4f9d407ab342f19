// op_recompute.c - memory for time: a part of the forward that is computed twice.
//
// On the way there the part runs without a tape, in step memory that is given back at once; only
// its result stays.  On the way back it runs again with a tape of its own, which is walked before
// the outer one goes on.
#include <string.h>

#include "tensor/ops.h"

typedef struct RecomputeNode {
    Node node;
    RecomputedPart *part;
    const void *arg;
    int i;
    Tensor *x, *y;
    int64_t n_dropouts; // before the part: it must leave out the same values again
} RecomputeNode;

static void recompute_backward(Run *run, Node *base) {
    RecomputeNode *node = (RecomputeNode *)base;
    Tape inner = {0}, *outer = run->tape;
    run->tape = &inner;
    run->n_dropouts = node->n_dropouts;
    Tensor *y = node->part(node->arg, node->i, node->x);
    if (!run->dry) memcpy(y->grad, node->y->grad, sizeof(float) * (size_t)tensor_count(y));
    run_walk_back(run);
    run->tape = outer;
}

Tensor *op_recompute(Run *run, RecomputedPart *part, const void *arg, int i, Tensor *x) {
    Tape *tape = run->tape;
    if (!run->recompute || !tape) return part(arg, i, x);
    int64_t n_dropouts = run->n_dropouts;
    Tensor *y = run_new(run, x->rank, x->dim);
    size_t mark = run_mark(run);
    run->tape = NULL;
    run->is_inside = true;
    Tensor *inside = part(arg, i, x);
    require(tensor_count(inside) == tensor_count(y));
    if (!run->dry) memcpy(y->data, inside->data, sizeof(float) * (size_t)tensor_count(y));
    run->tape = tape;
    run->is_inside = false;
    run_back(run, mark);
    RecomputeNode *node = run_record(run, recompute_backward, sizeof *node);
    *node = (RecomputeNode){node->node, part, arg, i, x, y, n_dropouts};
    return y;
}
