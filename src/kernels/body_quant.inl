// body_quant.inl - products of quantised weights with int8 activations.
//
// An output is one chain in f32 over the groups of its row in ascending order,
//
//     y = fma(shift, sum of the activations, y);  y = fma(products, scale * scale of x, y)
//
// where `products` is exact, so that two ways of computing it give the same bits:
//   * few activation rows (decoding a token): four weight rows side by side, straight from the
//     file's layout.  Their sums are gathered into an f4, a lane for each row.
//   * more: WEIGHT_ROWS weight rows are unpacked and transposed, a piece of PANEL_K columns at a
//     time, and meet four activation rows at once; a lane is a weight row, nothing is gathered.
//
// Unsigned times signed bytes is what x86 multiplies.  A byte stays unsigned where the set allows
// (PRODUCT_MAX), and offset * (sum of the activations) is taken off before the sum starts.

// ---------------------------------------------------------------- the bytes in a product

WORD bool product_is_signed(DType t) {
    return PRODUCT_MAX < (type_is_signed(t) ? 255 : 127);
}

// What the bytes of a product are above their values.
WORD int product_offset(DType t) {
    if (product_is_signed(t)) return 0;
    return type_is_signed(t) ? 128 : type_offset(t);
}

WORD v32 product_bytes(DType t, const void *block, int i) {
    v32 v = type_block(t, block, i);
    if (type_is_signed(t)) return product_is_signed(t) ? v : v32_xor(v, v32_set(128));
    if (product_is_signed(t) && type_offset(t)) return v32_sub(v, v32_set((uint8_t)type_offset(t)));
    return v;
}

// The bytes of two groups: of one block (values from 32 i on), or of two blocks.
WORD v64 product_pair(DType t, const void *block, const void *next, int i) {
    v64 v;
    switch (t) {
    case DTYPE_Q4_0: {
        const BlockQ4_0 *a = block, *b = next;
        v = v64_nibbles(a->qs, b->qs);
        break;
    }
    case DTYPE_Q4_1: {
        const BlockQ4_1 *a = block, *b = next;
        v = v64_nibbles(a->qs, b->qs);
        break;
    }
    case DTYPE_Q4_K: v = v64_halves(((const BlockQ4_K *)block)->qs + i / 2 * 32); break;
    default: {
        bool one = type_values(t) > 32;
        v = v64_join(type_block(t, block, i), type_block(t, one ? block : next, one ? i + 1 : 0));
    }
    }
    if (type_is_signed(t)) return product_is_signed(t) ? v : v64_xor(v, v64_set(128));
    if (product_is_signed(t) && type_offset(t)) return v64_sub(v, v64_set((uint8_t)type_offset(t)));
    return v;
}

WORD vd pair_product(DType t, vd start, v64 w, v64 x) {
    return product_is_signed(t) ? vd_dot_signed(start, w, x) : vd_dot(start, w, x);
}

// An int8 row, taken apart.
typedef struct Q8Row {
    const int8_t *q;
    const float *scale, *sum;
} Q8Row;

WORD Q8Row q8_row(const LinearJob *job, int64_t j) {
    const char *row = (const char *)job->x + (size_t)j * job->x_row_bytes;
    const float *scale = (const void *)(row + job->k);
    return (Q8Row){(const int8_t *)row, scale, scale + job->k / 32};
}

// ---------------------------------------------------------------- one activation row

enum { QUANT_PREFETCH = 1024 }; // bytes ahead in each stream

typedef struct FourScales {
    float scale[SUPER_VALUES / 16][4], shift[SUPER_VALUES / 16][4];
} FourScales;

// The scales of the blocks at `at` in four rows, one a lane, for groups `g` on.
WORD void four_scales(DType t, const uint8_t *const w[4], size_t at, int g, FourScales *to) {
    const uint8_t *a = w[0] + at, *b = w[1] + at, *c = w[2] + at, *d = w[3] + at;
    if (t == DTYPE_MXFP4) {
        for (int r = 0; r < 4; r++) to->scale[g][r] = mxfp4_scale(w[r][at]);
        return;
    }
    f4 scale = f4_of_f16(type_d(t, a), type_d(t, b), type_d(t, c), type_d(t, d)), shift = scale;
    if (type_has_minimum(t))
        shift = f4_of_f16(type_dmin(t, a), type_dmin(t, b), type_dmin(t, c), type_dmin(t, d));
    if (type_values(t) == BLOCK_VALUES) {
        f4_store(to->scale[g], scale);
        if (type_has_minimum(t)) f4_store(to->shift[g], shift);
        return;
    }
    ScaleBytes p = type_scale_bytes(t, a), q = type_scale_bytes(t, b);
    ScaleBytes r = type_scale_bytes(t, c), s = type_scale_bytes(t, d);
    shift = f4_mul(shift, f4_set(-1));
    for (int i = 0; i < SUPER_VALUES / type_group(t) / 8; i++) {
        uint64_t scales[4] = {p.scale[i], q.scale[i], r.scale[i], s.scale[i]};
        uint64_t minimums[4] = {p.minimum[i], q.minimum[i], r.minimum[i], s.minimum[i]};
        f4_scale8(scales, type_scale_offset(t), scale, to->scale + 8 * i);
        if (type_has_minimum(t)) f4_scale8(minimums, 0, shift, to->shift + 8 * i);
    }
}

// The scale of a group of activations and its scaled sum, in all lanes.
typedef struct XGroup {
    f4 scale, sum;
} XGroup;

// acc + what the four products of a group give.
WORD f4 four_add(DType t, f4 acc, i4 products, const FourScales *scales, int group, XGroup x) {
    if (type_has_minimum(t)) acc = f4_fma(f4_load(scales->shift[group]), x.sum, acc);
    f4 scale = f4_mul(f4_load(scales->scale[group]), x.scale);
    return f4_fma(i4_to_f(products), scale, acc);
}

// Two groups in four rows.
typedef struct FourPair {
    const uint8_t *const *w; // their blocks
    size_t next;             // bytes to the next block, which has the second group of a small type
    int i;                   // the first group in the block, and in the scales
    int64_t g;               // .. and in the activation row
    bool both;               // false: only the first group is there
} FourPair;

// acc + what the two groups give.
WORD f4 four_pair(DType t, f4 acc, FourPair at, const Q8Row *x, const FourScales *scales) {
    const uint8_t *const *w = at.w;
    size_t next = at.next;
    int i = at.i;
    const int8_t *x_bytes = x->q + 32 * at.g;
    const float *x_scale = x->scale + at.g, *x_sum = x->sum + at.g;
    v64 q = at.both ? v64_load(x_bytes) : v64_join(v32_load(x_bytes), v32_set(0));
    vd s = vd_zero();
    if (product_offset(t)) s = vd_neg(vd_dot(s, v64_set((uint8_t)product_offset(t)), q));
    vd p0 = pair_product(t, s, product_pair(t, w[0], w[0] + next, i), q);
    vd p1 = pair_product(t, s, product_pair(t, w[1], w[1] + next, i), q);
    vd p2 = pair_product(t, s, product_pair(t, w[2], w[2] + next, i), q);
    vd p3 = pair_product(t, s, product_pair(t, w[3], w[3] + next, i), q);
    int n = at.both ? 2 : 1;
    if (type_group(t) == 32) {
        i4 sum[2];
        vd_rows_whole(p0, p1, p2, p3, sum);
        for (int h = 0; h < n; h++) {
            XGroup group = {f4_set(x_scale[h]), f4_set(x_sum[h])};
            acc = four_add(t, acc, sum[h], scales, i + h, group);
        }
        return acc;
    }
    i4 sum[4], q_sum[4] = {i4_zero(), i4_zero(), i4_zero(), i4_zero()};
    vd_rows(p0, p1, p2, p3, sum);
    if (type_has_minimum(t)) {
        vd ones = vd_dot(vd_zero(), v64_set(1), q);
        vd_rows(ones, ones, ones, ones, q_sum);
    }
    for (int h = 0; h < 2 * n; h++) {
        f4 scale = f4_set(x_scale[h / 2]);
        XGroup group = {scale, f4_mul(i4_to_f(q_sum[h]), scale)};
        acc = four_add(t, acc, sum[h], scales, 2 * i + h, group);
    }
    return acc;
}

WORD void four_rows(DType t, const WeightRows *rows, Q8Row x, int64_t k, float *y) {
    FourScales scales;
    const uint8_t *w[4] = {rows->w[0], rows->w[1], rows->w[2], rows->w[3]};
    bool is_super = type_values(t) == SUPER_VALUES;
    size_t bytes = type_bytes(t), step = is_super ? bytes : 2 * bytes; // of a block, or two
    int64_t n = k / 32, groups = is_super ? 8 : 2;
    f4 acc = f4_zero();
    int64_t g = 0;
    for (; g + groups <= n; g += groups) {
        for (size_t ahead = QUANT_PREFETCH; ahead < QUANT_PREFETCH + step; ahead += 64)
            for (int r = 0; r < 4; r++) PREFETCH(w[r] + ahead);
        four_scales(t, w, 0, 0, &scales);
        if (!is_super) four_scales(t, w, bytes, 1, &scales);
        UNROLL_8
        for (int i = 0; i < groups; i += 2)
            acc = four_pair(t, acc, (FourPair){w, bytes, i, g + i, true}, &x, &scales);
        for (int r = 0; r < 4; r++) w[r] += step;
    }
    if (g < n) { // an odd number of blocks of 32
        four_scales(t, w, 0, 0, &scales);
        acc = four_pair(t, acc, (FourPair){w, 0, 0, g, false}, &x, &scales);
    }
    float sum[4];
    f4_store(sum, acc);
    for (int i = 0; i < 4; i++) y[rows->out[i]] = sum[i];
}

// ---------------------------------------------------------------- several activation rows

enum {
    PANEL_FROM = 4, // activation rows for which unpacking a panel pays
    WEIGHT_ROWS = 2 * VF,
    PANEL_GROUPS = PANEL_K / 16,
    TILE_ROWS = 4 // activation rows of a tile
};

// WEIGHT_ROWS rows of at most PANEL_K columns.
typedef struct Panel {
    uint8_t bytes[PANEL_K / 4][WEIGHT_ROWS][4];
    float scale[PANEL_GROUPS][WEIGHT_ROWS], shift[PANEL_GROUPS][WEIGHT_ROWS];
} Panel;

// Four activation rows: the columns of the panel.  What belongs to a group of 16 values lies in the
// array of its half, at the group of 32.
typedef struct PanelX {
    Q8Row row[TILE_ROWS];
    int32_t start[2][TILE_ROWS][PANEL_K / 32]; // -offset * sum of the group
    float sum[2][TILE_ROWS][PANEL_K / 32];     // scaled sums of groups of 16
    float y[TILE_ROWS][WEIGHT_ROWS];            // the results so far
} PanelX;

// Rows i .. i + WEIGHT_ROWS - 1 (beyond the last: the last again), columns k0 .. k0 + k - 1.
WORD void panel_unpack(DType t, const LinearJob *job, int64_t i, int64_t k0, int64_t k,
                       Panel *panel) {
    uint8_t raw[WEIGHT_ROWS][PANEL_K];
    int values = type_values(t), n_scales = values / type_group(t);
    size_t piece = (size_t)(k / values) * type_bytes(t);
    size_t begin = (size_t)(k0 / values) * type_bytes(t);
    // What comes next: the same rows further on, or the next panel.
    size_t ahead = k0 + k < job->k ? piece : WEIGHT_ROWS * job->w_row_bytes - begin;
    for (int r = 0; r < WEIGHT_ROWS; r++) {
        int64_t row = min_i64(i + r, job->n_out - 1);
        const uint8_t *block = (const uint8_t *)job->w + (size_t)row * job->w_row_bytes + begin;
        for (size_t b = 0; b < piece; b += 64) PREFETCH(block + ahead + b);
        for (int64_t b = 0; b < k / values; b++, block += type_bytes(t)) {
            float scale[16], shift[16];
            type_scales(t, block, scale, shift);
            for (int g = 0; g < n_scales; g++) {
                panel->scale[b * n_scales + g][r] = scale[g];
                if (type_has_minimum(t)) panel->shift[b * n_scales + g][r] = shift[g];
            }
            UNROLL_8
            for (int g = 0; g < values / 32; g++)
                v32_store(raw[r] + b * values + 32 * g, product_bytes(t, block, g));
        }
    }
    for (int r = 0; r < WEIGHT_ROWS; r += VF)
        for (int64_t c = 0; c < k; c += 4 * VF)
            transpose(raw[r] + c, PANEL_K / 4, panel->bytes[c / 4][r], WEIGHT_ROWS);
}

// -offset times the sums of the activations of groups of 32.  The row has the sums, scaled: the
// quotient is so near to a whole number of at most 12 bits that rounding gives it back.
WORD void starts_whole(int offset, const Q8Row *row, int64_t n, int32_t *start) {
    vf zero = vf_zero();
    for (int64_t g = 0; g < n; g += VF) {
        int64_t left = min_i64(VF, n - g);
        vf scale = vf_load_part(row->scale + g, left), sum = vf_load_part(row->sum + g, left);
        vf whole = vf_round(vf_where_less(zero, scale, vf_div(sum, scale), zero));
        vi_store(start + g, vi_of_f(vf_mul(whole, vf_set((float)-offset))));
    }
}

// The same for groups of 16, from the bytes; four groups of 32 at a time.
WORD void sums_halves(v32 ones, const Q8Row *row, int64_t g, i4 *low, i4 *high) {
    vs s[4];
    for (int i = 0; i < 4; i++) s[i] = vs_dot(vs_zero(), ones, v32_load(row->q + 32 * (g + i)));
    *low = vs_rows(s[0], s[1], s[2], s[3], high);
}

WORD void panel_sums(DType t, PanelX *x, int64_t k) {
    int offset = product_offset(t);
    for (int j = 0; j < TILE_ROWS; j++) {
        const Q8Row *row = &x->row[j];
        i4 low, high;
        if (offset && type_group(t) == 32) starts_whole(offset, row, k / 32, x->start[0][j]);
        for (int64_t g = 0; offset && type_group(t) == 16 && g < k / 32; g += 4) {
            sums_halves(v32_set((uint8_t)offset), row, g, &low, &high);
            i4_store(x->start[0][j] + g, i4_neg(low));
            i4_store(x->start[1][j] + g, i4_neg(high));
        }
        for (int64_t g = 0; type_has_minimum(t) && type_group(t) == 16 && g < k / 32; g += 4) {
            f4 scale = f4_load(row->scale + g);
            sums_halves(v32_set(1), row, g, &low, &high);
            f4_store(x->sum[0][j] + g, f4_mul(i4_to_f(low), scale));
            f4_store(x->sum[1][j] + g, f4_mul(i4_to_f(high), scale));
        }
    }
}

// One activation row with the panel's rows: products of a group, and results so far.
typedef struct PairI {
    vi lo, hi;
} PairI;
typedef struct PairF {
    vf lo, hi;
} PairF;

WORD PairI pair_dot(bool is_signed, PairI s, vi w0, vi w1, const int8_t *x) {
    vi v = vi_set((int32_t)load_u32(x));
    if (is_signed) return (PairI){vi_dot_signed(s.lo, w0, v), vi_dot_signed(s.hi, w1, v)};
    return (PairI){vi_dot(s.lo, w0, v), vi_dot(s.hi, w1, v)};
}

// What the tile needs to know of a type.
typedef struct TileForm {
    int group;
    bool is_signed, has_start, has_minimum;
} TileForm;

// A group: of the panel, and of the activations, whose groups have 32 values (half 0 or 1 of it).
typedef struct Place {
    const Panel *panel;
    const PanelX *x;
    int64_t group, x_group;
    int half;
} Place;

WORD Place place_at(TileForm form, const Panel *panel, const PanelX *x, int64_t group) {
    if (form.group == 32) return (Place){panel, x, group, group, 0};
    return (Place){panel, x, group, group / 2, (int)(group % 2)};
}

WORD PairI pair_start(TileForm form, Place at, int r) {
    vi v = form.has_start ? vi_set(at.x->start[at.half][r][at.x_group]) : vi_zero();
    return (PairI){v, v};
}

// f + what the products of a group give, in activation row r.
WORD PairF pair_add(TileForm form, PairF f, PairI products, Place at, int r) {
    if (form.has_minimum) {
        const float *shift = at.panel->shift[at.group];
        const float *x_sum = form.group == 32 ? at.x->row[r].sum : at.x->sum[at.half][r];
        vf sum = vf_set(x_sum[at.x_group]);
        f = (PairF){vf_fma(vf_load(shift), sum, f.lo), vf_fma(vf_load(shift + VF), sum, f.hi)};
    }
    const float *scale = at.panel->scale[at.group];
    vf x = vf_set(at.x->row[r].scale[at.x_group]);
    return (PairF){vf_fma(vi_to_f(products.lo), vf_mul(vf_load(scale), x), f.lo),
                   vf_fma(vi_to_f(products.hi), vf_mul(vf_load(scale + VF), x), f.hi)};
}

WORD PairF pair_load(const float *y) {
    return (PairF){vf_load(y), vf_load(y + VF)};
}

WORD void pair_store(PairF f, float *y) {
    vf_store(y, f.lo), vf_store(y + VF, f.hi);
}

// y += panel times four activation rows, over k columns.  Where there are too few registers for the
// products and the results, the results wait in memory (TILE_STAYS); gcc would choose worse.
WORD void panel_tile(TileForm form, const Panel *panel, PanelX *x, int64_t k) {
    const int8_t *x0 = x->row[0].q, *x1 = x->row[1].q, *x2 = x->row[2].q, *x3 = x->row[3].q;
    PairF f0 = pair_load(x->y[0]), f1 = pair_load(x->y[1]);
    PairF f2 = pair_load(x->y[2]), f3 = pair_load(x->y[3]);
    for (int64_t g = 0; g < k / form.group; g++) {
        Place at = place_at(form, panel, x, g);
        PairI s0 = pair_start(form, at, 0), s1 = pair_start(form, at, 1);
        PairI s2 = pair_start(form, at, 2), s3 = pair_start(form, at, 3);
        TILE_UNROLL
        for (int i = 0; i < form.group / 4; i++) {
            int64_t c = g * form.group + 4 * i;
            vi w0 = vi_load(panel->bytes[c / 4][0]), w1 = vi_load(panel->bytes[c / 4][VF]);
            s0 = pair_dot(form.is_signed, s0, w0, w1, x0 + c);
            s1 = pair_dot(form.is_signed, s1, w0, w1, x1 + c);
            s2 = pair_dot(form.is_signed, s2, w0, w1, x2 + c);
            s3 = pair_dot(form.is_signed, s3, w0, w1, x3 + c);
        }
        f0 = pair_add(form, TILE_STAYS ? f0 : pair_load(x->y[0]), s0, at, 0);
        if (!TILE_STAYS) pair_store(f0, x->y[0]);
        f1 = pair_add(form, TILE_STAYS ? f1 : pair_load(x->y[1]), s1, at, 1);
        if (!TILE_STAYS) pair_store(f1, x->y[1]);
        f2 = pair_add(form, TILE_STAYS ? f2 : pair_load(x->y[2]), s2, at, 2);
        if (!TILE_STAYS) pair_store(f2, x->y[2]);
        f3 = pair_add(form, TILE_STAYS ? f3 : pair_load(x->y[3]), s3, at, 3);
        if (!TILE_STAYS) pair_store(f3, x->y[3]);
    }
    if (!TILE_STAYS) return;
    pair_store(f0, x->y[0]), pair_store(f1, x->y[1]);
    pair_store(f2, x->y[2]), pair_store(f3, x->y[3]);
}

// X(name, group, is_signed, has_start, has_minimum): every form that a type can have in some set.
#define TILE_FORMS(X)                           \
    X(signed, 32, true, false, false)           \
    X(signed_16, 16, true, false, false)        \
    X(signed_minimum, 32, true, false, true)    \
    X(signed_minimum_16, 16, true, false, true) \
    X(start, 32, false, true, false)            \
    X(start_16, 16, false, true, false)         \
    X(minimum, 32, false, false, true)          \
    X(minimum_16, 16, false, false, true)

#define X(name, group_, is_signed_, has_start_, has_minimum_)                              \
    APART void panel_tile_##name(const Panel *panel, PanelX *x, int64_t k) {               \
        panel_tile((TileForm){group_, is_signed_, has_start_, has_minimum_}, panel, x, k); \
    }
TILE_FORMS(X)
#undef X

WORD void panel_tile_of(DType t, const Panel *panel, PanelX *x, int64_t k) {
    int group = type_group(t);
    bool is_signed = product_is_signed(t), has_start = product_offset(t) != 0;
    bool has_minimum = type_has_minimum(t);
#define X(name, group_, is_signed_, has_start_, has_minimum_)                    \
    if (group == group_ && is_signed == is_signed_ && has_start == has_start_ && \
        has_minimum == has_minimum_)                                             \
        panel_tile_##name(panel, x, k);
    TILE_FORMS(X)
#undef X
}

// All activation rows with the panel of rows i .. and columns k0 .. k0 + k - 1.
WORD void panel_times_x(DType t, const LinearJob *job, int64_t i, int64_t k0, int64_t k,
                        const Panel *panel) {
    size_t n = (size_t)min_i64(WEIGHT_ROWS, job->n_out - i) * sizeof(float);
    PanelX x = {.row = {{0}}};
    for (int64_t j = 0; j < job->n_x; j += TILE_ROWS) {
        float *y[TILE_ROWS];
        for (int r = 0; r < TILE_ROWS; r++) { // of fewer, the last is repeated
            int64_t row = min_i64(j + r, job->n_x - 1);
            Q8Row whole = q8_row(job, row);
            x.row[r] = (Q8Row){whole.q + k0, whole.scale + k0 / 32, whole.sum + k0 / 32};
            y[r] = job->y + row * job->y_stride + i;
            if (k0 > 0)
                memcpy(x.y[r], y[r], n);
            else
                memset(x.y[r], 0, n);
        }
        panel_sums(t, &x, k);
        panel_tile_of(t, panel, &x, k);
        for (int r = 0; r < TILE_ROWS; r++) memcpy(y[r], x.y[r], n);
    }
}

// ---------------------------------------------------------------- the table
WORD void linear_q8(DType t, const LinearJob *job) {
    if (job->n_x < PANEL_FROM) {
        for (int64_t i = 0; i < (job->n_out + 3) / 4; i++) {
            WeightRows rows = weight_rows(job, i);
            for (int64_t j = 0; j < job->n_x; j++)
                four_rows(t, &rows, q8_row(job, j), job->k, job->y + j * job->y_stride);
        }
        return;
    }
    Panel panel;
    for (int64_t i = 0; i < job->n_out; i += WEIGHT_ROWS) {
        for (int64_t k0 = 0; k0 < job->k; k0 += PANEL_K) {
            int64_t k = min_i64(PANEL_K, job->k - k0);
            panel_unpack(t, job, i, k0, k, &panel);
            panel_times_x(t, job, i, k0, k, &panel);
        }
    }
}

#define X(name)                                          \
    static void linear_q8_##name(const LinearJob *job) { \
        linear_q8(DTYPE_##name, job);                    \
    }
QUANTIZED(X)
#undef X

static void quant_entries(Kernels *table) {
#define X(name) table->linear_q8[DTYPE_##name] = linear_q8_##name;
    QUANTIZED(X)
#undef X
}
