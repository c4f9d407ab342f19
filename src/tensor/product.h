// product.h - the product of two matrices of floats that lie in any way: C = A B^T, or C += A B^T.
//
// B is packed into panels once and shared by the threads; rows of A whose numbers do not lie one
// after the other are laid straight block by block.  An output is one chain over k in ascending
// order: it has the same bits for any number of rows, columns and threads.  All gradients of linear
// maps are such products, since both operands may be read across:
//
//     y  = x  W^T      dx += dy W  (B = W^T)      dW += dy^T x  (A = dy^T, B = x^T)
#ifndef HEED_TENSOR_PRODUCT_H
#define HEED_TENSOR_PRODUCT_H

#include "tensor/run.h"

// c[i * c_row + j] (+)= sum over l of a[i, l] b[j, l],  i < m, j < n, l < k
typedef struct Product {
    int64_t m, n, k;
    const float *a;
    int64_t a_row, a_column; // a[i, l] is a[i * a_row + l * a_column]
    const float *b;
    int64_t b_row, b_column; // b[j, l] is b[j * b_row + l * b_column]
    float *c;
    int64_t c_row;
    bool adds; // to what c holds
    bool bf16; // both sides are rounded to bf16, sums stay f32
} Product;

// With memory of the run, which is free again afterwards.  While the run is dry it is only counted.
void product(Run *run, const Product *p);

// The same where there is no run: `memory` has product_bytes.  A NULL pool: the calling thread.
size_t product_bytes(const Product *p, int threads);
void product_compute(const Kernels *kernels, Pool *pool, const Product *p, void *memory);

#endif
