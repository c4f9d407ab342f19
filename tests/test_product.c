// test_product.c - weights in panels of floats: packing, products of rows with them in every table,
// and the products of matrices that are made of them (tensor/product.h).  Everything is compared
// with plain loops in double precision, and with itself cut in another way, bit for bit.
#include "tensor/ops.h"
#include "tensor/product.h"
#include "tests/kernel_check.h"

// ---------------------------------------------------------------- float weights in panels

// A weight of a type as rows of f32, and in panels.
typedef struct PanelWeight {
    DType dtype;
    int64_t n, k;
    float *rows;  // (n, k), what the panels hold
    char *panels; // end where their allocation ends
    size_t panel_bytes;
} PanelWeight;

static uint16_t half_of(DType dtype, float f) {
    return dtype == DTYPE_F16 ? f32_to_f16(f) : f32_to_bf16(f);
}
static float half_value(DType dtype, uint16_t h) {
    return dtype == DTYPE_F16 ? f16_to_f32(h) : bf16_to_f32(h);
}

// Random numbers, packed by the table under test from rows with gaps (`layout` 0), from columns (1)
// or from every second item (2).
static PanelWeight panel_weight(const Kernels *k, DType dtype, int64_t n, int64_t n_k, int layout) {
    PanelWeight w = {dtype, n, n_k, input_floats(n * n_k), NULL, panel_bytes(dtype, n_k)};
    int64_t row = layout == 1 ? 1 : n_k * (layout ? 2 : 1) + layout + n_k % 2;
    int64_t column = layout == 1 ? n + 1 : layout ? 2 : 1, size = dtype == DTYPE_F32 ? 4 : 2;
    int64_t items = n && n_k ? (n - 1) * row + (n_k - 1) * column + 1 : 0;
    char *from = input_bytes((size_t)(items * size), (size_t)size);
    for (int64_t at = 0; at < n * n_k; at++) {
        void *item = from + (at / n_k * row + at % n_k * column) * size;
        uint16_t h = half_of(dtype, w.rows[at]);
        if (dtype != DTYPE_F32) w.rows[at] = half_value(dtype, h);
        memcpy(item, dtype == DTYPE_F32 ? (void *)&w.rows[at] : (void *)&h, (size_t)size);
    }
    int64_t panels = (n + PANEL_ROWS - 1) / PANEL_ROWS;
    w.panels = input_bytes(w.panel_bytes * (size_t)panels, 4);
    for (int64_t i = 0; i < panels; i++) {
        int64_t left = n - i * PANEL_ROWS;
        k->pack[dtype](&(PackJob){.from = from + i * PANEL_ROWS * row * size,
                                  .row = row,
                                  .column = column,
                                  .n = left < PANEL_ROWS ? left : PANEL_ROWS,
                                  .k = n_k,
                                  .panel = w.panels + w.panel_bytes * (size_t)i});
    }
    return w;
}

// The panels give the rows back, and are what the scalar table makes of them, zeros included.
static bool packed_right(const Kernels *k, DType dtype, int64_t n, int64_t n_k, int layout) {
    PanelWeight w = panel_weight(k, dtype, n, n_k, layout);
    float *row = output_floats(n_k);
    bool ok = true;
    for (int64_t i = 0; ok && i < (n + PANEL_ROWS - 1) / PANEL_ROWS * PANEL_ROWS; i++) {
        const char *panel = w.panels + w.panel_bytes * (size_t)(i / PANEL_ROWS);
        k->unpack[dtype](panel, i % PANEL_ROWS, row, n_k);
        ok = KERNEL_CHECK(output_intact(row, 1, n_k, n_k + 1), k, "unpack %s k %d: canary",
                          dtype_name(dtype), (int)n_k);
        for (int64_t j = 0; ok && j < n_k; j++) {
            float want = i < n ? w.rows[i * n_k + j] : 0;
            ok =
                KERNEL_CHECK(row[j] == want, k, "pack %s %d x %d layout %d: (%d, %d) is %g, not %g",
                             dtype_name(dtype), (int)n, (int)n_k, layout, (int)i, (int)j,
                             (double)row[j], (double)want);
        }
    }
    for (int64_t i = 0; ok && dtype == DTYPE_BF16 && n_k % 2 && i < 2 * n; i++) {
        const uint16_t *last = (const uint16_t *)(const void *)(w.panels + w.panel_bytes) - 1;
        ok = KERNEL_CHECK(last[-2 * (i % PANEL_ROWS)] == 0, k, "pack bf16 k %d: no zero", (int)n_k);
    }
    buffers_free();
    return ok;
}

static const DType float_types[] = {DTYPE_F32, DTYPE_F16, DTYPE_BF16};

static bool packs_right(const Kernels *k) {
    for (int t = 0; t < 3; t++) {
        for (int layout = 0; layout < 3; layout++) {
            for (int64_t n = 0; n <= 130; n++) {
                if (!packed_right(k, float_types[t], 1 + n * 7 % 67, n, layout)) return false;
            }
            if (!packed_right(k, float_types[t], 64, 300, layout)) return false;
        }
    }
    return true;
}
TEST(kernels, panels_pack) {
    check_tables(packs_right);
}

// f32 packed as bf16 equals rounding first and packing then; ties, infinities and NaNs too.
static bool pack_to_bf16_of(const Kernels *k, int64_t n, int64_t n_k) {
    float *from = input_floats(n * n_k);
    uint16_t *rounded = input_bytes((size_t)(n * n_k) * 2, 2);
    for (int64_t i = 0; i < n * n_k; i++) {
        uint32_t bits = random_bits() & (i % 3 ? 0xffffffffu : 0xffff8000u); // thirds: many ties
        if (i % 50 == 7) bits |= 0x7f800000u;
        memcpy(&from[i], &bits, 4);
        rounded[i] = f32_to_bf16(from[i]);
    }
    size_t bytes = panel_bytes(DTYPE_BF16, n_k);
    char *got = input_bytes(bytes, 4), *want = input_bytes(bytes, 2);
    PackJob job = {.from = from, .row = n_k, .column = 1, .n = n, .k = n_k, .panel = got};
    k->pack_to_bf16(&job);
    job.from = rounded;
    job.panel = want;
    kernels_named("scalar")->pack[DTYPE_BF16](&job);
    bool ok = KERNEL_CHECK(!memcmp(got, want, bytes), k, "pack to bf16 %d x %d", (int)n, (int)n_k);
    buffers_free();
    return ok;
}

static bool pack_to_bf16_right(const Kernels *k) {
    for (int64_t n = 0; n <= 130; n++) {
        if (!pack_to_bf16_of(k, 1 + n % 32, n)) return false;
    }
    return pack_to_bf16_of(k, 32, 300);
}
TEST(kernels, panels_pack_to_bf16) {
    check_tables(pack_to_bf16_right);
}

static bool transpose_of(const Kernels *k, int64_t rows, int64_t columns) {
    int64_t from_row = columns + 3, to_row = rows + 2;
    float *from = input_floats(rows ? (rows - 1) * from_row + columns : 0);
    float *to = output_floats(columns * to_row);
    k->transpose(from, from_row, to, to_row, rows, columns);
    bool ok = KERNEL_CHECK(output_intact(to, columns, rows, to_row), k, "transpose %d x %d: canary",
                           (int)rows, (int)columns);
    for (int64_t i = 0; ok && i < rows * columns; i++) {
        int64_t r = i / columns, c = i % columns;
        ok = KERNEL_CHECK(to[c * to_row + r] == from[r * from_row + c], k,
                          "transpose %d x %d at (%d, %d)", (int)rows, (int)columns, (int)r, (int)c);
    }
    buffers_free();
    return ok;
}

static bool transpose_right(const Kernels *k) {
    for (int64_t n = 0; n <= 130; n++) {
        if (!transpose_of(k, n, n * 5 % 71) || !transpose_of(k, n * 3 % 37, n)) return false;
    }
    return true;
}
TEST(kernels, transpose) {
    check_tables(transpose_right);
}

// ---------------------------------------------------------------- their products

static PanelJob panel_job(const PanelWeight *w, int64_t n_x) {
    int64_t x_row = w->k + 1; // the last row has no padding behind it
    return (PanelJob){.panel = w->panels,
                      .panel_bytes = w->panel_bytes,
                      .n_out = w->n,
                      .x = input_floats(n_x ? (n_x - 1) * x_row + w->k : 0),
                      .x_row_bytes = (size_t)x_row * 4,
                      .n_x = n_x,
                      .y_stride = w->n + 3,
                      .k = w->k};
}

// y that starts as `before` (NULL: canaries), with canaries between its rows.
static float *panel_y(const PanelJob *job, const float *before) {
    float *y = output_floats(job->n_x * job->y_stride);
    for (int64_t j = 0; before && j < job->n_x; j++)
        memcpy(y + j * job->y_stride, before + j * job->n_out, (size_t)job->n_out * sizeof *y);
    return y;
}

static const float *x_at(const PanelJob *job, int64_t j) {
    return (const void *)((const char *)job->x + (size_t)j * job->x_row_bytes);
}

static bool panel_close(const Kernels *k, const PanelWeight *w, const PanelJob *job,
                        const float *before) {
    for (int64_t at = 0; at < job->n_x * w->n; at++) {
        int64_t j = at / w->n, i = at % w->n;
        double sum = before ? (double)before[at] : 0, magnitude = fabs(sum);
        for (int64_t l = 0; l < w->k; l++) {
            double product = (double)w->rows[i * w->k + l] * (double)x_at(job, j)[l];
            sum += product;
            magnitude += fabs(product);
        }
        float y = job->y[j * job->y_stride + i];
        if (!KERNEL_CHECK(within(y, sum, 1e-6 * magnitude), k,
                          "panel %s k %d: (%d, %d) of %d x %d is %.9g, want %.9g",
                          dtype_name(w->dtype), (int)w->k, (int)j, (int)i, (int)job->n_x, (int)w->n,
                          (double)y, sum)) {
            return false;
        }
    }
    return true;
}

// The same bits from the scalar table; without fused multiply-adds there are none to compare with.
static bool panel_is_scalar(const Kernels *k, const PanelWeight *w, PanelJob job,
                            const float *before) {
    const float *y = job.y;
    if (strcmp(k->name, "wasm") == 0) return true;
    job.y = panel_y(&job, before);
    kernels_named("scalar")->panel[w->dtype](&job);
    return KERNEL_CHECK(same_bits(job.y, y, job.n_x * job.y_stride), k,
                        "panel %s k %d, %d x %d: not the bits of scalar", dtype_name(w->dtype),
                        (int)w->k, (int)job.n_x, (int)w->n);
}

// The same bits however the call is cut: in rows of x, in panels and, going on from y, in k.
static bool panel_cut(const Kernels *k, const PanelWeight *w, PanelJob job, const float *before) {
    const float *y = job.y;
    PanelJob whole = job;
    whole.y = panel_y(&job, before);
    int64_t rows = random_below((int)job.n_x + 1), panels = random_below((int)(w->n / 32) + 1);
    int64_t k_cut = random_below((int)w->k + 1) / 2 * 2;
    for (int part = 0; part < 8; part++) {
        bool lower = part & 1, right = part & 2, later = part & 4;
        job = whole;
        job.n_x = lower ? whole.n_x - rows : rows;
        job.n_out = right ? w->n - panels * PANEL_ROWS : panels * PANEL_ROWS;
        job.k = later ? w->k - k_cut : k_cut;
        job.adds = later || whole.adds;
        job.panel = w->panels + w->panel_bytes * (size_t)(right ? panels : 0) +
                    (later ? panel_bytes(w->dtype, k_cut) : 0);
        job.x = x_at(&whole, lower ? rows : 0) + (later ? k_cut : 0);
        job.y = whole.y + (lower ? rows * whole.y_stride : 0) + (right ? panels * PANEL_ROWS : 0);
        k->panel[w->dtype](&job);
    }
    return KERNEL_CHECK(same_bits(whole.y, y, job.n_x + rows ? whole.n_x * whole.y_stride : 0), k,
                        "panel %s k %d, %d x %d: cut at row %d, panel %d, k %d",
                        dtype_name(w->dtype), (int)w->k, (int)whole.n_x, (int)w->n, (int)rows,
                        (int)panels, (int)k_cut);
}

static bool panel_of(const Kernels *k, DType dtype, int64_t n_k, int64_t n_out, int64_t n_x) {
    PanelWeight w = panel_weight(k, dtype, n_out, n_k, 0);
    PanelJob job = panel_job(&w, n_x);
    float *y0 = input_floats(n_x * n_out);
    bool ok = true;
    for (int adds = 0; ok && adds < 2; adds++) {
        const float *before = adds ? y0 : NULL;
        job.adds = adds;
        job.y = panel_y(&job, before);
        k->panel[dtype](&job);
        ok = KERNEL_CHECK(output_intact(job.y, n_x, n_out, job.y_stride), k,
                          "panel %s k %d, %d x %d: canary", dtype_name(dtype), (int)n_k, (int)n_x,
                          (int)n_out) &&
             panel_close(k, &w, &job, before) && panel_is_scalar(k, &w, job, before) &&
             panel_cut(k, &w, job, before);
    }
    buffers_free();
    return ok;
}

static bool panels_right(const Kernels *k) {
    for (int t = 0; t < 3; t++) {
        DType type = float_types[t];
        for (int64_t n = 0; n <= 130; n++) {
            if (!panel_of(k, type, n, 1 + n * 11 % 70, 1 + n * 5 % 7)) return false;
            if (!panel_of(k, type, 1 + n * 3 % 41, n, n % 5)) return false;
            if (!panel_of(k, type, 1 + n * 7 % 23, 33, n)) return false;
        }
        if (!panel_of(k, type, 576, 70, 33) || !panel_of(k, type, 1027, 37, 14)) return false;
    }
    return true;
}
TEST(kernels, panels) {
    check_tables(panels_right);
}

// bf16 rows with BF16 panels: near the exact products of the rounded numbers, and the same bits for
// a row alone and for k in two pieces.
static bool bf16_rows_of(const Kernels *k, int64_t n_k, int64_t n_out, int64_t n_x) {
    PanelWeight w = panel_weight(k, DTYPE_BF16, n_out, n_k, 0);
    PanelJob job = panel_job(&w, n_x), exact = job;
    int64_t width = n_k + n_k % 2, half = n_k / 64 * 32;
    uint16_t *rows = input_bytes((size_t)(n_x * width) * 2, 2);
    float *x = (float *)(uintptr_t)job.x, *alone = input_floats(n_out);
    for (int64_t j = 0; j < n_x; j++) {
        float *row = x + j * (n_k + 1);
        for (int64_t i = 0; i < width; i++) {
            rows[j * width + i] = i < n_k ? f32_to_bf16(row[i]) : 0;
            if (i < n_k) row[i] = bf16_to_f32(rows[j * width + i]);
        }
    }
    job.x = rows;
    job.x_row_bytes = (size_t)width * 2;
    exact.y = job.y = panel_y(&job, NULL);
    k->panel_bf16(&job);
    bool ok = KERNEL_CHECK(output_intact(job.y, n_x, n_out, job.y_stride), k,
                           "panel of bf16, k %d: canary", (int)n_k) &&
              panel_close(k, &w, &exact, NULL);
    for (int64_t j = 0; ok && j < n_x; j++) {
        PanelJob one = job;
        one.n_x = 1;
        one.x = rows + j * width;
        one.y = alone;
        one.k = half;
        k->panel_bf16(&one);
        one.k = n_k - half;
        one.x = rows + j * width + half;
        one.panel = w.panels + panel_bytes(DTYPE_BF16, half);
        one.adds = true;
        k->panel_bf16(&one);
        ok = KERNEL_CHECK(same_bits(alone, job.y + j * job.y_stride, n_out), k,
                          "panel of bf16, k %d: row %d of %d", (int)n_k, (int)j, (int)n_x);
    }
    buffers_free();
    return ok;
}

static bool bf16_rows_right(const Kernels *k) {
    if (!k->panel_bf16) return true;
    for (int64_t n = 0; n <= 130; n++) {
        if (!bf16_rows_of(k, n, 1 + n * 11 % 70, 1 + n * 5 % 33)) return false;
    }
    return bf16_rows_of(k, 1027, 40, 45);
}
TEST(kernels, panels_of_bf16_rows) {
    check_tables(bf16_rows_right);
}

// ---------------------------------------------------------------- products of matrices

// Rounded to bf16 where the product rounds.
static double product_value(const Product *p, const float *at) {
    return (double)(p->bf16 ? bf16_to_f32(f32_to_bf16(*at)) : *at);
}

static bool product_close(const Kernels *k, const Product *p, const float *before) {
    for (int64_t at = 0; at < p->m * p->n; at++) {
        int64_t i = at / p->n, j = at % p->n;
        double sum = p->adds ? (double)before[i * p->c_row + j] : 0, magnitude = fabs(sum);
        for (int64_t l = 0; l < p->k; l++) {
            double product = product_value(p, p->a + i * p->a_row + l * p->a_column) *
                             product_value(p, p->b + j * p->b_row + l * p->b_column);
            sum += product;
            magnitude += fabs(product);
        }
        float c = p->c[i * p->c_row + j];
        if (!KERNEL_CHECK(within(c, sum, 2e-6 * magnitude), k,
                          "product %dx%dx%d bf16 %d at (%d, %d): %.9g, want %.9g", (int)p->m,
                          (int)p->n, (int)p->k, p->bf16, (int)i, (int)j, (double)c, sum)) {
            return false;
        }
    }
    return true;
}

static void product_make(const Kernels *k, Pool *pool, const Product *p) {
    void *memory = malloc(product_bytes(p, pool_threads(pool)));
    product_compute(k, pool, p, memory);
    free(memory);
}

// The same product in four calls, cut at a random row and column: the same bits.
static bool product_cut(const Kernels *k, const Product *whole, const float *before,
                        int64_t c_floats) {
    float *c = input_floats(c_floats);
    if (c_floats) memcpy(c, before, (size_t)c_floats * sizeof *c);
    int64_t m_cut = random_below((int)whole->m + 1), n_cut = random_below((int)whole->n + 1);
    for (int quarter = 0; quarter < 4; quarter++) {
        int64_t m = quarter & 1 ? m_cut : 0, n = quarter & 2 ? n_cut : 0;
        Product p = *whole;
        p.m = quarter & 1 ? whole->m - m_cut : m_cut;
        p.n = quarter & 2 ? whole->n - n_cut : n_cut;
        p.a += m * p.a_row;
        p.b += n * p.b_row;
        p.c = c + m * p.c_row + n;
        product_make(k, NULL, &p);
    }
    return KERNEL_CHECK(same_bits(c, whole->c, c_floats), k, "product %dx%dx%d cut at (%d, %d)",
                        (int)whole->m, (int)whole->n, (int)whole->k, (int)m_cut, (int)n_cut);
}

static Pool *product_pool; // NULL: one thread

// `layout`: bit 0 a across, bit 1 b across, bit 2 gaps between the numbers of a row, bit 3 adds,
// bit 4 bf16.
static bool product_of(const Kernels *k, int64_t m, int64_t n, int64_t n_k, int layout) {
    int64_t step = layout & 4 ? 2 : 1;
    Product p = {.m = m, .n = n, .k = n_k, .c_row = n + 2, .adds = layout & 8, .bf16 = layout & 16};
    p.a_row = layout & 1 ? step : n_k * step + 1;
    p.a_column = layout & 1 ? m * step + 1 : step;
    p.b_row = layout & 2 ? step : n_k * step + 1;
    p.b_column = layout & 2 ? n * step + 1 : step;
    int64_t c_floats = m ? (m - 1) * p.c_row + n : 0;
    p.a = input_floats(m && n_k ? (m - 1) * p.a_row + (n_k - 1) * p.a_column + 1 : 0);
    p.b = input_floats(n && n_k ? (n - 1) * p.b_row + (n_k - 1) * p.b_column + 1 : 0);
    float *before = output_floats(c_floats);
    p.c = output_floats(c_floats);
    for (int64_t i = 0; i < m * n; i++) before[i / n * p.c_row + i % n] = random_float();
    if (c_floats) memcpy(p.c, before, (size_t)c_floats * sizeof *before);
    product_make(k, product_pool, &p);
    bool ok = KERNEL_CHECK(output_intact(p.c, m, n, p.c_row), k, "product %dx%dx%d: canary", (int)m,
                           (int)n, (int)n_k) &&
              product_close(k, &p, before) && product_cut(k, &p, before, c_floats);
    buffers_free();
    return ok;
}

static bool products_right(const Kernels *k) {
    for (int layout = 0; layout < 32; layout++) {
        for (int i = 0; i < 130; i += 1 + layout % 4) {
            if (!product_of(k, i % 9, i * 7 % 37, i, layout)) return false;
        }
        if (!product_of(k, 33, 70, 65, layout) || !product_of(k, 70, 33, 9, layout) ||
            !product_of(k, 17, 100, 300, layout) || !product_of(k, 0, 5, 5, layout) ||
            !product_of(k, 5, 0, 5, layout) || !product_of(k, 5, 5, 0, layout) ||
            !product_of(k, 130, 40, 515, layout)) {
            return false;
        }
    }
    return true;
}
TEST(product, one_thread) {
    product_pool = NULL;
    check_tables(products_right);
}
TEST(product, threads) {
    Error err;
    product_pool = pool_open(3, &err);
    check_tables(products_right);
    pool_close(product_pool);
}

// ---------------------------------------------------------------- a run that rounds to bf16

enum { BF16_ROWS = 9, BF16_IN = 37, BF16_OUT = 45 };

typedef struct Bf16Linear {
    Run run;
    Tape tape;
    Tensor x, w;
    Tensor *y;
} Bf16Linear;

// op_linear forward and, from a random gradient of y, backward.
static bool bf16_linear_run(Bf16Linear *l, const Kernels *k, Pool *pool, const float *dy) {
    Error err;
    if (!CHECK(run_open(&l->run, pool, &err))) return false;
    l->run.kernels = k;
    l->run.tape = &l->tape;
    l->run.bf16 = true;
    run_plan_begin(&l->run);
    for (int round = 0; round < 2; round++) {
        l->y = op_linear(&l->run, &l->x, &l->w, NULL);
        if (!l->run.dry) memcpy(l->y->grad, dy, sizeof *dy * BF16_ROWS * BF16_OUT);
        l->tape.last->backward(&l->run, l->tape.last);
        if (round == 0 && !CHECK(run_allocate(&l->run, &err))) return false;
    }
    return true;
}

static bool bf16_sums_right(const Kernels *k, const char *name, Product p) {
    p.bf16 = true;
    return KERNEL_CHECK(product_close(k, &p, NULL), k, "%s of a bf16 run", name);
}

static bool bf16_run_right(const Kernels *k) {
    Error err;
    Pool *pool = pool_open(2, &err);
    float *x = input_floats(BF16_ROWS * BF16_IN), *w = input_floats(BF16_OUT * BF16_IN);
    float *dy = input_floats(BF16_ROWS * BF16_OUT);
    float dx[BF16_ROWS * BF16_IN] = {0}, dw[BF16_OUT * BF16_IN] = {0};
    Bf16Linear l = {.x = {DTYPE_F32, 2, {BF16_ROWS, BF16_IN}, x, dx},
                    .w = {DTYPE_F32, 2, {BF16_OUT, BF16_IN}, w, dw}};
    bool ok = bf16_linear_run(&l, k, pool, dy);
    Product y = {.m = BF16_ROWS, .n = BF16_OUT, .k = BF16_IN, .a = x, .b = w};
    y.a_row = y.b_row = BF16_IN, y.a_column = y.b_column = 1;
    y.c = l.y->data, y.c_row = BF16_OUT;
    Product to_x = {.m = BF16_ROWS, .n = BF16_IN, .k = BF16_OUT, .a = dy, .b = w, .c = dx};
    to_x.a_row = BF16_OUT, to_x.a_column = 1, to_x.b_row = 1, to_x.b_column = BF16_IN;
    to_x.c_row = BF16_IN;
    Product to_w = {.m = BF16_OUT, .n = BF16_IN, .k = BF16_ROWS, .a = dy, .b = x, .c = dw};
    to_w.a_row = 1, to_w.a_column = BF16_OUT, to_w.b_row = 1, to_w.b_column = BF16_IN;
    to_w.c_row = BF16_IN;
    ok = ok && bf16_sums_right(k, "y", y) && bf16_sums_right(k, "dx", to_x) &&
         bf16_sums_right(k, "dw", to_w);
    run_close(&l.run);
    pool_close(pool);
    return ok;
}
TEST(product, of_a_run_in_bf16) {
    check_tables(bf16_run_right);
}
