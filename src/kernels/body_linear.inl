// body_linear.inl - weights in F32, F16 and BF16 times f32 rows.
//
// An output is the sum over the lanes of one vector of chains: lane l adds the products of the
// columns l, l + VF, l + 2 VF ..  in this order.  Neighbouring outputs only share loads, so the
// result is the same in every tile.

enum {
    LINEAR_PREFETCH = 1024, // bytes ahead in each stream
    LINEAR_BUFFER_FROM = 32 // activation rows for which F16 and BF16 are converted first
};

WORD vf weights_load(DType type, const uint8_t *w, int64_t i) {
    if (type == DTYPE_F16) return vf_load_f16((const void *)(w + 2 * i));
    if (type == DTYPE_BF16) return vf_load_bf16((const void *)(w + 2 * i));
    return vf_load((const void *)(w + 4 * i));
}

WORD vf weights_load_part(DType type, const uint8_t *w, int64_t i, int64_t n) {
    if (type == DTYPE_F16) return vf_load_f16_part((const void *)(w + 2 * i), n);
    if (type == DTYPE_BF16) return vf_load_bf16_part((const void *)(w + 2 * i), n);
    return vf_load_part((const void *)(w + 4 * i), n);
}

// Four weights, or one activation row with four weight rows.
typedef struct Quad {
    vf a, b, c, d;
} Quad;

WORD Quad quad_fma(Quad s, Quad w, vf x) {
    return (Quad){vf_fma(w.a, x, s.a), vf_fma(w.b, x, s.b), vf_fma(w.c, x, s.c),
                  vf_fma(w.d, x, s.d)};
}

WORD void quad_store(Quad s, const WeightRows *rows, float *y) {
    float sum[4];
    f4_store(sum, vf_sum4(s.a, s.b, s.c, s.d));
    for (int i = 0; i < 4; i++) y[rows->out[i]] = sum[i];
}

// Four weight rows with `n` (1 .. LINEAR_COLUMNS) activation rows.
WORD void linear_tile(DType type, const WeightRows *rows, const LinearJob *job, int64_t j, int n,
                      bool prefetch) {
    const uint8_t *w0 = rows->w[0], *w1 = rows->w[1], *w2 = rows->w[2], *w3 = rows->w[3];
    const char *row = (const char *)job->x + (size_t)j * job->x_row_bytes;
    const float *x0 = (const void *)row;
    const float *x1 = (const void *)(row + (n > 1 ? job->x_row_bytes : 0));
    const float *x2 = (const void *)(row + (n > 2 ? 2 * job->x_row_bytes : 0));
    const float *x3 = (const void *)(row + (n > 3 ? 3 * job->x_row_bytes : 0));
    Quad s0 = {vf_zero(), vf_zero(), vf_zero(), vf_zero()}, s1 = s0, s2 = s0, s3 = s0;
    size_t size = type == DTYPE_F32 ? 4 : 2;
    int64_t i = 0;
    for (; i + VF <= job->k; i += VF) {
        Quad w = {weights_load(type, w0, i), weights_load(type, w1, i), weights_load(type, w2, i),
                  weights_load(type, w3, i)};
        if (prefetch) {
            PREFETCH(w0 + (size_t)i * size + LINEAR_PREFETCH);
            PREFETCH(w1 + (size_t)i * size + LINEAR_PREFETCH);
            PREFETCH(w2 + (size_t)i * size + LINEAR_PREFETCH);
            PREFETCH(w3 + (size_t)i * size + LINEAR_PREFETCH);
        }
        s0 = quad_fma(s0, w, vf_load(x0 + i));
        if (n > 1) s1 = quad_fma(s1, w, vf_load(x1 + i));
        if (n > 2) s2 = quad_fma(s2, w, vf_load(x2 + i));
        if (n > 3) s3 = quad_fma(s3, w, vf_load(x3 + i));
    }
    if (i < job->k) {
        int64_t left = job->k - i;
        Quad w = {weights_load_part(type, w0, i, left), weights_load_part(type, w1, i, left),
                  weights_load_part(type, w2, i, left), weights_load_part(type, w3, i, left)};
        s0 = quad_fma(s0, w, vf_load_part(x0 + i, left));
        if (n > 1) s1 = quad_fma(s1, w, vf_load_part(x1 + i, left));
        if (n > 2) s2 = quad_fma(s2, w, vf_load_part(x2 + i, left));
        if (n > 3) s3 = quad_fma(s3, w, vf_load_part(x3 + i, left));
    }
    float *y = job->y + j * job->y_stride;
    quad_store(s0, rows, y);
    if (n > 1) quad_store(s1, rows, y + job->y_stride);
    if (n > 2) quad_store(s2, rows, y + 2 * job->y_stride);
    if (n > 3) quad_store(s3, rows, y + 3 * job->y_stride);
}

WORD void linear_rows(DType type, const WeightRows *rows, const LinearJob *job) {
    int64_t j = 0;
    for (; j + LINEAR_COLUMNS <= job->n_x; j += LINEAR_COLUMNS)
        linear_tile(type, rows, job, j, LINEAR_COLUMNS, false);
    for (; j < job->n_x; j++) linear_tile(type, rows, job, j, 1, true);
}

APART void linear_rows_f32(const WeightRows *rows, const LinearJob *job) {
    linear_rows(DTYPE_F32, rows, job);
}

WORD void convert_row(DType type, const void *w, float *to, int64_t n) {
    int64_t i = 0;
    for (; i + VF <= n; i += VF) vf_store(to + i, weights_load(type, w, i));
    if (i < n) vf_store_part(to + i, weights_load_part(type, w, i, n - i), n - i);
}

// Many activation rows: the weights are converted first.
WORD void linear_rows_converted(DType type, const WeightRows *rows, const LinearJob *job) {
    float buffer[LINEAR_BUFFER];
    WeightRows converted = *rows;
    for (int i = 0; i < 4; i++) {
        float *row = buffer + i * job->k;
        convert_row(type, rows->w[i], row, job->k);
        converted.w[i] = (const uint8_t *)row;
    }
    linear_rows_f32(&converted, job);
}

WORD void linear(DType type, const LinearJob *job) {
    bool convert =
        type != DTYPE_F32 && job->n_x >= LINEAR_BUFFER_FROM && 4 * job->k <= LINEAR_BUFFER;
    for (int64_t i = 0; i < (job->n_out + 3) / 4; i++) {
        WeightRows rows = weight_rows(job, i);
        if (type == DTYPE_F32)
            linear_rows_f32(&rows, job);
        else if (convert)
            linear_rows_converted(type, &rows, job);
        else
            linear_rows(type, &rows, job);
    }
}

static void linear_f32(const LinearJob *job) {
    linear(DTYPE_F32, job);
}
static void linear_f16(const LinearJob *job) {
    linear(DTYPE_F16, job);
}
static void linear_bf16(const LinearJob *job) {
    linear(DTYPE_BF16, job);
}

static void linear_entries(Kernels *table) {
    table->linear[DTYPE_F32] = linear_f32;
    table->linear[DTYPE_F16] = linear_f16;
    table->linear[DTYPE_BF16] = linear_bf16;
}
