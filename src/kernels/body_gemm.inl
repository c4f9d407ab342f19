// body_gemm.inl - c += a b in f32, with any strides.
//
// The usual levels (Goto and van de Geijn 2008): a block of a (GEMM_M x GEMM_K) and a panel of b
// (GEMM_K x 2 vectors) are packed, and a tile of c stays in registers while k runs over both.  An
// output is one chain of multiply-adds over ascending k, carried through c between blocks: neither
// m, n nor the place in a tile changes it.

enum { GEMM_COLUMNS = 2 * VF, GEMM_ROWS = 3 * GEMM_THREES };

// Three rows of a tile.  Registers have names because gcc keeps arrays of vectors on the stack.
typedef struct Three {
    vf a0, a1, b0, b1, c0, c1;
} Three;

WORD Three three_load(const float *c, int64_t stride) {
    return (Three){vf_load(c),
                   vf_load(c + VF),
                   vf_load(c + stride),
                   vf_load(c + stride + VF),
                   vf_load(c + 2 * stride),
                   vf_load(c + 2 * stride + VF)};
}

WORD void three_store(Three t, float *c, int64_t stride) {
    vf_store(c, t.a0), vf_store(c + VF, t.a1);
    vf_store(c + stride, t.b0), vf_store(c + stride + VF, t.b1);
    vf_store(c + 2 * stride, t.c0), vf_store(c + 2 * stride + VF, t.c1);
}

WORD Three three_fma(Three t, const float *a, vf b0, vf b1) {
    vf x = vf_set(a[0]);
    t.a0 = vf_fma(x, b0, t.a0), t.a1 = vf_fma(x, b1, t.a1);
    x = vf_set(a[1]);
    t.b0 = vf_fma(x, b0, t.b0), t.b1 = vf_fma(x, b1, t.b1);
    x = vf_set(a[2]);
    t.c0 = vf_fma(x, b0, t.c0), t.c1 = vf_fma(x, b1, t.c1);
    return t;
}

// c (GEMM_ROWS x GEMM_COLUMNS) += packed a (k x GEMM_ROWS) times packed b (k x GEMM_COLUMNS).
APART void gemm_tile(int64_t k, const float *a, const float *b, float *c, int64_t stride) {
    Three t0 = three_load(c, stride), t1 = three_load(c + 3 * stride, stride), t2 = t0, t3 = t0;
    if (GEMM_THREES > 2) t2 = three_load(c + 6 * stride, stride);
    if (GEMM_THREES > 3) t3 = three_load(c + 9 * stride, stride);
    for (int64_t i = 0; i < k; i++, a += GEMM_ROWS, b += GEMM_COLUMNS) {
        vf b0 = vf_load(b), b1 = vf_load(b + VF);
        t0 = three_fma(t0, a, b0, b1);
        t1 = three_fma(t1, a + 3, b0, b1);
        if (GEMM_THREES > 2) t2 = three_fma(t2, a + 6, b0, b1);
        if (GEMM_THREES > 3) t3 = three_fma(t3, a + 9, b0, b1);
    }
    three_store(t0, c, stride);
    three_store(t1, c + 3 * stride, stride);
    if (GEMM_THREES > 2) three_store(t2, c + 6 * stride, stride);
    if (GEMM_THREES > 3) three_store(t3, c + 9 * stride, stride);
}

WORD void copy_floats(float *to, const float *from, int64_t n) {
    int64_t i = 0;
    for (; i + VF <= n; i += VF) vf_store(to + i, vf_load(from + i));
    if (i < n) vf_store_part(to + i, vf_load_part(from + i, n - i), n - i);
}

// `n` lines (rows of a, columns of b) of `k` items: item j of line i is at i * line + j * step.
typedef struct Lines {
    const float *from;
    int64_t line, step;
    int64_t n, k;
} Lines;

// Packs lines to [k][width], those beyond n as zeros.
static void gemm_pack(Lines lines, int64_t width, float *to) {
    const float *from = lines.from;
    int64_t line = lines.line, step = lines.step, n = lines.n, k = lines.k;
    if (n < width) memset(to, 0, sizeof(float) * (size_t)(k * width));
    if (line == 1) {
        for (int64_t j = 0; j < k; j++) copy_floats(to + j * width, from + j * step, n);
        return;
    }
    int64_t i = 0;
    for (; step == 1 && i + VF <= n; i += VF) {
        int64_t j = 0;
        for (; j + VF <= k; j += VF)
            transpose(from + i * line + j, line, to + j * width + i, width);
        for (; j < k; j++)
            for (int64_t l = i; l < i + VF; l++) to[j * width + l] = from[l * line + j];
    }
    for (; i < n; i++)
        for (int64_t j = 0; j < k; j++) to[j * width + i] = from[i * line + j * step];
}

// rows x columns of c, at most a tile.
typedef struct Corner {
    float *c;
    int64_t stride;
    int64_t rows, columns;
} Corner;

// A tile that sticks out of c goes through a copy.
static void gemm_corner(int64_t k, const float *a, const float *b, Corner to) {
    float copy[GEMM_ROWS * GEMM_COLUMNS] = {0};
    for (int64_t i = 0; i < to.rows; i++)
        copy_floats(copy + i * GEMM_COLUMNS, to.c + i * to.stride, to.columns);
    gemm_tile(k, a, b, copy, GEMM_COLUMNS);
    for (int64_t i = 0; i < to.rows; i++)
        copy_floats(to.c + i * to.stride, copy + i * GEMM_COLUMNS, to.columns);
}

// The packed block of a (m x k from row m0, column k0) with all columns of b.
static void gemm_block(const GemmJob *job, const float *packed_a, int64_t m0, int64_t m, int64_t k0,
                       int64_t k) {
    float packed_b[GEMM_K * GEMM_COLUMNS];
    for (int64_t n0 = 0; n0 < job->n; n0 += GEMM_COLUMNS) {
        int64_t n = min_i64(GEMM_COLUMNS, job->n - n0);
        const float *b = job->b + k0 * job->b_row + n0 * job->b_column;
        gemm_pack((Lines){b, job->b_column, job->b_row, n, k}, GEMM_COLUMNS, packed_b);
        for (int64_t i = 0; i < m; i += GEMM_ROWS) {
            float *c = job->c + (m0 + i) * job->c_row + n0;
            const float *a = packed_a + i * k;
            int64_t rows = min_i64(GEMM_ROWS, m - i);
            if (rows == GEMM_ROWS && n == GEMM_COLUMNS)
                gemm_tile(k, a, packed_b, c, job->c_row);
            else
                gemm_corner(k, a, packed_b, (Corner){c, job->c_row, rows, n});
        }
    }
}

static void gemm(const GemmJob *job) {
    float packed_a[GEMM_M * GEMM_K];
    for (int64_t k0 = 0; k0 < job->k; k0 += GEMM_K) {
        int64_t k = min_i64(GEMM_K, job->k - k0);
        for (int64_t m0 = 0; m0 < job->m; m0 += GEMM_M) {
            int64_t m = min_i64(GEMM_M, job->m - m0);
            for (int64_t i = 0; i < m; i += GEMM_ROWS) {
                const float *a = job->a + (m0 + i) * job->a_row + k0 * job->a_column;
                int64_t rows = min_i64(GEMM_ROWS, m - i);
                gemm_pack((Lines){a, job->a_row, job->a_column, rows, k}, GEMM_ROWS,
                          packed_a + i * k);
            }
            gemm_block(job, packed_a, m0, m, k0, k);
        }
    }
}

static void gemm_entries(Kernels *table) {
    table->gemm = gemm;
}
