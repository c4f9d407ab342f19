// op_embed.c - picking rows: of a table of embeddings, or of a result; and rows of sine positions.
#include <math.h>
#include <string.h>

#include "tensor/ops.h"
#include "tensor/weight_rows.h"

typedef struct EmbedNode {
    Node node;
    Tensor *y;
    float *grad; // (V, C) of the table or the input
    const int32_t *row;
} EmbedNode;

static void embed_backward(Run *run, Node *n) {
    EmbedNode *node = (EmbedNode *)n;
    int64_t c = tensor_cols(node->y);
    if (run->dry || !node->grad) return;
    for (int64_t i = 0; i < tensor_rows(node->y); i++)
        run->kernels->axpy(node->grad + node->row[i] * c, 1, node->y->grad + i * c, c);
}

Tensor *op_embed(Run *run, const Tensor *table, const int32_t *ids, int64_t n) {
    require(table->rank == 2 && (!table->grad || table->dtype == DTYPE_F32));
    int64_t c = tensor_cols(table);
    Tensor *y = run_new2(run, n, c);
    for (int64_t i = 0; i < n && !run->dry; i++) {
        require(ids[i] >= 0 && ids[i] < table->dim[0]);
        weight_row(run, table, ids[i], tensor_f32(y) + i * c);
    }
    EmbedNode *node = run_record(run, embed_backward, sizeof *node);
    if (node) {
        node->y = y;
        node->grad = table->grad;
        node->row = ids;
    }
    return y;
}

Tensor *op_rows(Run *run, Tensor *x, const int32_t *rows, int64_t n) {
    int64_t c = tensor_cols(x);
    Tensor *y = run_new2(run, n, c);
    for (int64_t i = 0; i < n && !run->dry; i++) {
        require(rows[i] >= 0 && rows[i] < tensor_rows(x));
        memcpy(tensor_f32(y) + i * c, tensor_f32(x) + rows[i] * c, sizeof(float) * (size_t)c);
    }
    EmbedNode *node = run_record(run, embed_backward, sizeof *node);
    if (node) {
        node->y = y;
        node->grad = x->grad;
        node->row = rows;
    }
    return y;
}

// ---------------------------------------------------------------- sine positions
// In double, for the angles of far positions are large.
Tensor *op_sine_positions(Run *run, const int64_t *positions, int64_t n, int64_t width) {
    Tensor *y = run_new2(run, n, width);
    if (run->dry) return y;
    for (int64_t c = 0; c < width; c += 2) {
        double speed = pow(10000, -(double)c / (double)width);
        for (int64_t row = 0; row < n; row++) {
            float *pair = tensor_f32(y) + row * width + c;
            pair[0] = (float)sin((double)positions[row] * speed);
            if (c + 1 < width) pair[1] = (float)cos((double)positions[row] * speed);
        }
    }
    return y;
}
