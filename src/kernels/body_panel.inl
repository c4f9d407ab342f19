// body_panel.inl - quantised weights in panels: products with int8 activations, and panels of f32.
//
// An output is one chain in f32 over the groups of its row in ascending order,
//
//     y = fma(shift, sum of the activations, y);  y = fma(products, scale * scale of x, y)
//
// and then over the columns that are kept out of the activation row,  y = fma(x, w, y).
// `products` is exact, so that every way of computing it gives the same bits:
//   * few activation rows (decoding tokens): straight from the panel, whose bytes are taken apart
//     on the way into the product;
//   * more: PANEL_K columns of the panel are taken apart once, and meet the activations
//     PANEL_TILE rows at a time.
// A vector has one number of VF weight rows; four columns of activations are in all its lanes.
//
// Unsigned times signed bytes is what x86 multiplies.  A byte stays unsigned where the set allows
// (PRODUCT_MAX), and offset * (sum of the activations) is taken off where a sum starts.

// ---------------------------------------------------------------- the bytes in a product

WORD bool product_is_signed(DType t) {
    return type_is_signed(t) && PRODUCT_MAX < 255;
}

// What the bytes of a product are above their values.
WORD int product_offset(DType t) {
    if (type_is_signed(t)) return product_is_signed(t) ? 0 : 128;
    return type_offset(t);
}

// Products of a group of a type that may be added up before a vp is full: 1, 2, 4 or 8.
WORD int product_run(DType t) {
    PanelForm form = panel_form(t);
    int most = type_is_signed(t) ? 128 : (1 << (form.value_bits[0] + form.value_bits[1])) - 1;
    int run = type_group(t) / 4;
    while (run > 1 && (int64_t)run * 2 * 127 * most > PRODUCT_SUM) run /= 2;
    return run;
}

WORD vi vi_set_bytes(int byte) {
    return vi_set((int32_t)((uint32_t)byte * 0x01010101u));
}

// The bits of item i (of 8 groups of four columns) in a plane, moved to bit `to` of their bytes.
WORD vi plane_bits(const uint8_t *plane, int bits, int i, int r, int to) {
    vi v = vi_load(plane + ((size_t)(i % bits) * PANEL_ROWS + (size_t)r) * 4);
    int from = i / bits * bits;
    if (bits == 8) return v;
    v = from > to ? vi_shr(v, from - to) : from < to ? vi_shl(v, to - from) : v;
    return vi_and(v, vi_set_bytes(((1 << bits) - 1) << to));
}

// The bytes of columns 4i .. 4i + 3 of a group, in rows r .. r + VF - 1, as they are multiplied.
WORD vi product_bytes(DType t, const uint8_t *group, int i, int r) {
    int low = panel_form(t).value_bits[0], high = panel_form(t).value_bits[1];
    vi v = plane_bits(group, low, i, r, 0);
    if (high) v = vi_or(v, plane_bits(group + (size_t)low * PANEL_ROWS * 4, high, i, r, low));
    if (t == DTYPE_IQ4_NL || t == DTYPE_IQ4_XS) v = vi_table(block_iq4_values, v);
    if (t == DTYPE_MXFP4) v = vi_table(block_mxfp4_values, v);
    return type_is_signed(t) && !product_is_signed(t) ? vi_xor(v, vi_set_bytes(128)) : v;
}

// ---------------------------------------------------------------- scales

// The scales of a step: up to 256 columns.
enum { STEP_GROUPS = 8 }; // of 32 columns
typedef float ScaleRow[PANEL_ROWS];

WORD vf vf_load_bytes(const uint8_t *p, int offset) {
    return vf_sub(vi_to_f(vi_of_bytes(p)), vf_set((float)offset));
}

// Integer scale i of all rows; `offset` is what it is above its value.
WORD int code_bytes(DType t, const uint8_t *codes, int i, uint8_t to[PANEL_ROWS]) {
    PanelForm form = panel_form(t);
    int shift = 0;
    v32 sum = v32_set(t == DTYPE_Q6_K ? 128 : 0);
    for (int part = 0; part < 2; part++) {
        int bits = form.code_bits[part];
        if (!bits) continue;
        int lines = form.codes * bits / 8, from = i / lines * bits;
        v32 v = v32_load(codes + (size_t)(i % lines) * PANEL_ROWS);
        if (bits == 8) {
            sum = v32_xor(sum, v);
        } else {
            v = from > shift ? v32_shr(v, from - shift) : v32_shl(v, shift - from);
            sum = v32_or(sum, v32_and(v, v32_set((uint8_t)(((1 << bits) - 1) << shift))));
        }
        codes += (size_t)lines * PANEL_ROWS;
        shift += bits;
    }
    v32_store(to, sum);
    return t == DTYPE_Q6_K ? 128 : type_scale_offset(t);
}

// Of group i of a block of 256.
WORD void super_scale(DType t, const uint8_t *block, int i, float *scale, float *shift) {
    PanelForm form = panel_form(t);
    const uint16_t *d = (const void *)block;
    const uint8_t *codes = block + panel_codes_at(form);
    uint8_t bytes[PANEL_ROWS];
    int offset = code_bytes(t, codes, i, bytes);
    for (int r = 0; r < PANEL_ROWS; r += VF)
        vf_store(scale + r, vf_mul(vf_load_f16(d + r), vf_load_bytes(bytes + r, offset)));
    if (!type_has_minimum(t)) return;
    code_bytes(t, codes, form.codes / 2 + i, bytes);
    for (int r = 0; r < PANEL_ROWS; r += VF) {
        vf dmin = vf_mul(vf_set(-1), vf_load_f16(d + PANEL_ROWS + r));
        vf_store(shift + r, vf_mul(dmin, vf_load_bytes(bytes + r, 0)));
    }
}

WORD void super_scales(DType t, const uint8_t *block, ScaleRow *scale, ScaleRow *shift) {
    UNROLL_16
    for (int i = 0; i < SUPER_VALUES / type_group(t); i++)
        super_scale(t, block, i, scale[i], shift[i]);
}

#define SUPER_TYPES(X) X(Q2_K) X(Q3_K) X(Q4_K) X(Q5_K) X(Q6_K) X(IQ4_XS)
#define X(name)                                                                        \
    APART void scales_##name(const uint8_t *block, ScaleRow *scale, ScaleRow *shift) { \
        super_scales(DTYPE_##name, block, scale, shift);                               \
    }
SUPER_TYPES(X)
#undef X

WORD void block_scales_super(DType t, const uint8_t *block, ScaleRow *scale, ScaleRow *shift) {
#define X(name) \
    if (t == DTYPE_##name) scales_##name(block, scale, shift);
    SUPER_TYPES(X)
#undef X
}

WORD void small_scale(DType t, const uint8_t *block, float *scale, float *shift) {
    const uint16_t *d = (const void *)block;
    for (int r = 0; t == DTYPE_MXFP4 && r < PANEL_ROWS; r++) scale[r] = mxfp4_scale(block[r]);
    for (int r = 0; t != DTYPE_MXFP4 && r < PANEL_ROWS; r += VF)
        vf_store(scale + r, vf_load_f16(d + r));
    for (int r = 0; type_has_minimum(t) && r < PANEL_ROWS; r += VF)
        vf_store(shift + r, vf_load_f16(d + PANEL_ROWS + r));
}

// The scales of a block, and what is added to its values in a type with minimums.
WORD void block_scales(DType t, const uint8_t *block, ScaleRow *scale, ScaleRow *shift) {
    if (type_values(t) == SUPER_VALUES)
        block_scales_super(t, block, scale, shift);
    else
        small_scale(t, block, scale[0], shift[0]);
}

// ---------------------------------------------------------------- a tile

// An int8 row, taken apart.
typedef struct Q8Row {
    const int8_t *q;
    const float *scale;
    const int16_t *sum;
} Q8Row;

WORD Q8Row q8_row(const PanelJob *job, int64_t j) {
    const char *row = (const char *)job->x + (size_t)j * job->x_row_bytes;
    const float *scale = (const void *)(row + job->k);
    return (Q8Row){(const int8_t *)row, scale, (const void *)(scale + job->k / 32)};
}

WORD const Q8Kept *q8_kept(const PanelJob *job, int64_t j) {
    const char *row = (const char *)job->x + (size_t)j * job->x_row_bytes;
    return (const void *)(row + job->k + job->k / 32 * 8);
}

WORD Q8Row q8_row_from(Q8Row row, int64_t k0) {
    return (Q8Row){row.q + k0, row.scale + k0 / 32, row.sum + k0 / 16};
}

// One activation row with 2 VF weight rows.
typedef struct PairI {
    vi lo, hi;
} PairI;
typedef struct PairP {
    vp lo, hi;
} PairP;
typedef struct PairF {
    vf lo, hi;
} PairF;

enum {
    TILE_PAIRS = 6,                       // at most
    PANEL_STRIPS = PANEL_ROWS / (2 * VF), // pairs of vectors across a panel
    PANEL_AHEAD = 8192                    // bytes from a product to its prefetch
};

// A piece of a panel, ready to be multiplied.
typedef struct Piece {
    const uint8_t *group;    // planes, or bytes [8][PANEL_ROWS][4] if it is taken apart
    size_t stride;           // to the next group
    ScaleRow *scale, *shift; // of its first group
    int64_t groups;          // of 32 columns
} Piece;

WORD PairF pair_load(const float *y) {
    return (PairF){vf_load(y), vf_load(y + VF)};
}

WORD void pair_store(PairF f, float *y) {
    vf_store(y, f.lo), vf_store(y + VF, f.hi);
}

WORD PairI pair_start(DType t, const int16_t *sum, int half) {
    int offset = -product_offset(t);
    vi v = vi_zero();
    if (offset && type_group(t) == 32) v = vi_sums(sum, offset, offset);
    if (offset && type_group(t) == 16) v = vi_sums(sum, half ? 0 : offset, half ? offset : 0);
    return (PairI){v, v};
}

WORD PairP pair_dot(DType t, PairP p, PairI w, const int8_t *x) {
    vi v = vi_set((int32_t)load_u32(x));
    if (product_is_signed(t))
        return (PairP){vp_dot_signed(p.lo, w.lo, v), vp_dot_signed(p.hi, w.hi, v)};
    return (PairP){vp_dot(p.lo, w.lo, v), vp_dot(p.hi, w.hi, v)};
}

// f + what the products of a group give.
WORD PairF pair_add(DType t, PairF f, PairI s, const float *scale, const float *shift,
                    const float *x_scale, const int16_t *sum, int half) {
    vf x = vf_set(*x_scale);
    if (type_has_minimum(t)) {
        vi whole = type_group(t) == 32 ? vi_sums(sum, 1, 1) : vi_sums(sum, !half, half);
        vf x_sum = vf_mul(vi_to_f(whole), x);
        f = (PairF){vf_fma(vf_load(shift), x_sum, f.lo), vf_fma(vf_load(shift + VF), x_sum, f.hi)};
    }
    return (PairF){vf_fma(vi_to_f(s.lo), vf_mul(vf_load(scale), x), f.lo),
                   vf_fma(vi_to_f(s.hi), vf_mul(vf_load(scale + VF), x), f.hi)};
}

// Rows that are all worked on at once are pairs 0 .. n_rows - 1; where these are few, so are the
// same rows with the next strips of the panel.
WORD int tile_strips(int n_rows) {
    int strips = n_rows == 1 ? 4 : n_rows == 2 ? 2 : 1;
    return strips < (int)PANEL_STRIPS ? strips : (int)PANEL_STRIPS;
}

// The group of four columns that is multiplied as the n-th: those that lie in the same bytes of the
// low plane follow one another, so that these are loaded once and soon done with.
WORD int column_order(DType t, int n) {
    int bits = panel_form(t).value_bits[0], together = 8 / bits;
    return type_group(t) == 32 ? n % together * bits + n / together : n;
}

WORD PairI tile_bytes(DType t, bool is_apart, const uint8_t *group, int i, int r) {
    if (!is_apart)
        return (PairI){product_bytes(t, group, i, r), product_bytes(t, group, i, r + VF)};
    group += ((size_t)i * PANEL_ROWS + (size_t)r) * 4;
    return (PairI){vi_load(group), vi_load(group + 4 * VF)};
}

// y += n_rows activation rows times the strips from `strip` of a piece.  The registers have names,
// since compilers leave arrays of them in memory.  `t` is the type, or (is_apart) one of those that
// look the same when they are taken apart.
WORD void tile(DType t, bool is_apart, int n_rows, int strip, const Piece *piece, const Q8Row *row,
               float *const *y) {
#define PAIRS(X) X(0) X(1) X(2) X(3) X(4) X(5)
#define ROW(i)   ((i) % n_rows)
#define AT(i)    (2 * VF * ((i) / n_rows))
    int n = n_rows * tile_strips(n_rows), run = product_run(t), halves = 32 / type_group(t);
    bool stays = n <= TILE_STAYS;
    int at = 2 * VF * strip; // the first of the weight rows
    const uint8_t *group = piece->group + 4 * at;
#define START(i) \
    PairF y##i;  \
    if (i < n && stays) y##i = pair_load(y[ROW(i)] + at + AT(i));
    PAIRS(START)
    for (int64_t g = 0; g < piece->groups; g++, group += piece->stride) {
        for (size_t line = 0; !is_apart && line < piece->stride; line += READ_LINE)
            PREFETCH(group + PANEL_AHEAD + line);
        UNROLL_2
        for (int half = 0; half < halves; half++) {
            const float *scale = piece->scale[g * halves + half] + at;
            const float *shift = piece->shift[g * halves + half] + at;
#define BEGIN(i) \
    PairI s##i;  \
    if (i < n) s##i = pair_start(t, row[ROW(i)].sum + 2 * g, half);
            PAIRS(BEGIN)
            UNROLL_8
            for (int c0 = half * (8 / halves); c0 < (half + 1) * (8 / halves); c0 += run) {
#define BEGIN_RUN(i) \
    PairP p##i;      \
    if (i < n) p##i = (PairP){vp_begin(s##i.lo), vp_begin(s##i.hi)};
                PAIRS(BEGIN_RUN)
                UNROLL_8
                for (int l = c0; l < c0 + run; l++) {
                    int c = is_apart ? l : column_order(t, l);
#define DOT(i)                                                             \
    if (i < n)                                                             \
        p##i = pair_dot(t, p##i, tile_bytes(t, is_apart, group, c, AT(i)), \
                        row[ROW(i)].q + 32 * g + 4 * c);
                    PAIRS(DOT)
                }
#define END_RUN(i) \
    if (i < n) s##i = (PairI){vp_end(p##i.lo, s##i.lo), vp_end(p##i.hi, s##i.hi)};
                PAIRS(END_RUN)
            }
#define ADD(i)                                                                        \
    if (i < n) {                                                                      \
        PairF f = stays ? y##i : pair_load(y[ROW(i)] + at + AT(i));                   \
        f = pair_add(t, f, s##i, scale + AT(i), shift + AT(i), row[ROW(i)].scale + g, \
                     row[ROW(i)].sum + 2 * g, half);                                  \
        y##i = f;                                                                     \
        if (!stays) pair_store(f, y[ROW(i)] + at + AT(i));                            \
    }
            PAIRS(ADD)
        }
    }
#define STORE(i) \
    if (i < n && stays) pair_store(y##i, y[ROW(i)] + at + AT(i));
    PAIRS(STORE)
#undef START
#undef BEGIN
#undef BEGIN_RUN
#undef DOT
#undef END_RUN
#undef ADD
#undef STORE
#undef PAIRS
#undef ROW
#undef AT
}

// ---------------------------------------------------------------- every tile

// Activation rows at once, straight from the panel: 1, 2 or 4 (of three, the last is repeated).
enum { DIRECT_ROWS = 4, DIRECT_TILES = 3 };

// Strip `strip` of a piece with some activation rows.
typedef void Tile(int strip, const Piece *piece, const Q8Row *row, float *const *y);

// The types whose values look the same in a panel.
WORD DType direct_type(DType t) {
    switch (t) {
    case DTYPE_Q4_K: return DTYPE_Q4_1;
    case DTYPE_Q5_K: return DTYPE_Q5_1;
    case DTYPE_IQ4_XS: return DTYPE_IQ4_NL;
    default: return t;
    }
}
#define DIRECT_TYPES(X) \
    X(Q4_0) X(Q4_1) X(Q5_0) X(Q5_1) X(Q8_0) X(Q2_K) X(Q3_K) X(Q6_K) X(IQ4_NL) X(MXFP4)

// .. and when they are taken apart.
WORD DType apart_type(DType t) {
    return type_is_signed(t) ? DTYPE_Q8_0 : direct_type(t);
}
#define APART_TYPES(X) X(Q4_0) X(Q4_1) X(Q5_0) X(Q5_1) X(Q8_0) X(Q2_K) X(Q3_K) X(Q6_K)

#define TILE(name, form, is_apart, n_rows)                                           \
    APART void tile_##name##_##form(int strip, const Piece *piece, const Q8Row *row, \
                                    float *const *y) {                               \
        tile(DTYPE_##name, is_apart, n_rows, strip, piece, row, y);                  \
    }
#define X(name) TILE(name, 1, false, 1) TILE(name, 2, false, 2) TILE(name, 4, false, 4)
DIRECT_TYPES(X)
#undef X
#define X(name) TILE(name, apart, true, PANEL_TILE)
APART_TYPES(X)
#undef X
#undef TILE

static Tile *const direct_tiles[DTYPE_LIMIT][DIRECT_TILES] = {
#define X(name) [DTYPE_##name] = {tile_##name##_1, tile_##name##_2, tile_##name##_4},
    DIRECT_TYPES(X)
#undef X
};
static Tile *const apart_tiles[DTYPE_LIMIT] = {
#define X(name) [DTYPE_##name] = tile_##name##_apart,
    APART_TYPES(X)
#undef X
};

// ---------------------------------------------------------------- a panel

// Some activation rows, and where their results with a panel are: in their place, or gathered
// here, where the last panel is narrower or a row is there a second time to fill the tile.
typedef struct TileRows {
    Q8Row row[TILE_PAIRS];
    float *y[TILE_PAIRS];
    float gathered[TILE_PAIRS][PANEL_ROWS];
} TileRows;

// n_rows rows from row j on, with the panel of weight rows from row i on; columns before k0 are
// done.
WORD void rows_take(const PanelJob *job, int64_t j, int64_t i, int64_t k0, int n_rows,
                    TileRows *to) {
    int64_t width = min_i64(PANEL_ROWS, job->n_out - i);
    for (int r = 0; r < n_rows; r++) {
        int64_t at = min_i64(j + r, job->n_x - 1);
        float *y = job->y + at * job->y_stride + i;
        to->row[r] = q8_row_from(q8_row(job, at), k0);
        bool in_place = width == PANEL_ROWS && j + r < job->n_x;
        to->y[r] = in_place ? y : to->gathered[r];
        if (!job->adds && k0 == 0)
            memset(to->y[r], 0, sizeof to->gathered[r]);
        else if (!in_place)
            memcpy(to->y[r], y, (size_t)width * sizeof(float));
    }
}

WORD void rows_give(const PanelJob *job, int64_t j, int64_t i, int n_rows, const TileRows *from) {
    int64_t width = min_i64(PANEL_ROWS, job->n_out - i);
    for (int r = 0; width < PANEL_ROWS && r < n_rows && j + r < job->n_x; r++)
        memcpy(job->y + (j + r) * job->y_stride + i, from->gathered[r],
               (size_t)width * sizeof(float));
}

// n_rows activation rows straight from a panel, in steps of one block of 256 columns, or
// of two of 32: more scales would be asked for before their prefetch has brought them.
WORD void direct_rows(DType t, const uint8_t *block, int64_t k, int n_rows, TileRows *rows) {
    PanelForm form = panel_form(t);
    size_t bytes = PANEL_ROWS * type_bytes(t);
    bool is_super = type_values(t) == SUPER_VALUES;
    int64_t step = is_super ? STEP_GROUPS : 2;
    ScaleRow scale[2 * STEP_GROUPS], shift[2 * STEP_GROUPS];
    Tile *tile_rows = direct_tiles[direct_type(t)][n_rows / 2];
    for (int64_t k0 = 0; k0 < k; k0 += 32 * step) {
        int64_t groups = min_i64(step, (k - k0) / 32), blocks = is_super ? 1 : groups;
        for (int64_t b = 0; b < blocks; b++)
            block_scales(t, block + bytes * (size_t)b, scale + b, shift + b);
        Piece piece = {.group = block + panel_values_at(form),
                       .stride = is_super ? (size_t)panel_group_bytes(form) : bytes,
                       .scale = scale,
                       .shift = shift,
                       .groups = groups};
        for (int strip = 0; strip < (int)PANEL_STRIPS; strip += tile_strips(n_rows))
            tile_rows(strip, &piece, rows->row, rows->y);
        for (int r = 0; r < n_rows; r++) rows->row[r] = q8_row_from(rows->row[r], 32 * step);
        block += bytes * (size_t)blocks;
    }
}

WORD void panel_direct(DType t, const PanelJob *job, const uint8_t *panel, int64_t i) {
    TileRows rows;
    for (int64_t j = 0; j < job->n_x; j += DIRECT_ROWS) {
        int n = job->n_x - j < 3 ? (int)(job->n_x - j) : DIRECT_ROWS;
        rows_take(job, j, i, 0, n, &rows);
        direct_rows(t, panel, job->k, n, &rows);
        rows_give(job, j, i, n, &rows);
    }
}

// PANEL_K columns of a panel at most, taken apart.
typedef struct Apart {
    uint8_t bytes[PANEL_K / 4][PANEL_ROWS][4];
    ScaleRow scale[PANEL_K / 16], shift[PANEL_K / 16];
} Apart;

WORD void take_apart(DType t, const uint8_t *block, int64_t k, Apart *to) {
    PanelForm form = panel_form(t);
    int groups = type_values(t) / 32, n_scales = type_values(t) / type_group(t);
    for (int64_t b = 0; b < k / type_values(t); b++, block += PANEL_ROWS * type_bytes(t)) {
        block_scales(t, block, to->scale + b * n_scales, to->shift + b * n_scales);
        const uint8_t *group = block + panel_values_at(form);
        UNROLL_NOT
        for (int g = 0; g < groups; g++, group += panel_group_bytes(form)) {
            UNROLL_8
            for (int i = 0; i < 8; i++) {
                UNROLL_NOT
                for (int r = 0; r < PANEL_ROWS; r += VF)
                    vi_store(to->bytes[8 * (b * groups + g) + i][r], product_bytes(t, group, i, r));
            }
        }
    }
}

WORD void panel_apart(DType t, const PanelJob *job, const uint8_t *panel, int64_t i) {
    Apart apart;
    TileRows rows;
    Tile *tile_rows = apart_tiles[apart_type(t)];
    for (int64_t k0 = 0; k0 < job->k; k0 += PANEL_K) {
        int64_t k = min_i64(PANEL_K, job->k - k0), block = k0 / type_values(t);
        take_apart(t, panel + (size_t)block * PANEL_ROWS * type_bytes(t), k, &apart);
        Piece piece = {apart.bytes[0][0], 32 * PANEL_ROWS, apart.scale, apart.shift, k / 32};
        for (int64_t j = 0; j < job->n_x; j += PANEL_TILE) {
            rows_take(job, j, i, k0, PANEL_TILE, &rows);
            for (int strip = 0; strip < (int)PANEL_STRIPS; strip += tile_strips(PANEL_TILE))
                tile_rows(strip, &piece, rows.row, rows.y);
            rows_give(job, j, i, PANEL_TILE, &rows);
        }
    }
}

// ---------------------------------------------------------------- columns of kept activations

// The bytes of columns 4i .. 4i + 3 of a group as they are when no sign is used: see value_of.
WORD vi value_bytes(DType t, const uint8_t *group, int i, int r) {
    vi bytes = product_bytes(t, group, i, r);
    return product_is_signed(t) ? vi_xor(bytes, vi_set_bytes(128)) : bytes;
}

// Column c of these four.
WORD vf value_of(DType t, vi bytes, int c, vf scale, vf shift) {
    int offset = product_is_signed(t) ? 128 : product_offset(t);
    vi byte = vi_and(vi_shr(bytes, 8 * c), vi_set(255));
    vf value = vf_mul(vf_sub(vi_to_f(byte), vf_set((float)offset)), scale);
    return type_has_minimum(t) ? vf_add(value, shift) : value;
}

// One column of a panel in all rows.
WORD void column(DType t, const uint8_t *panel, int64_t i, float *values) {
    PanelForm form = panel_form(t);
    int in_block = (int)((uint64_t)i % (unsigned)type_values(t));
    size_t before = (size_t)((uint64_t)i / (unsigned)type_values(t));
    const uint8_t *block = panel + before * PANEL_ROWS * type_bytes(t);
    const uint8_t *group = block + panel_values_at(form) + in_block / 32 * panel_group_bytes(form);
    float scale[PANEL_ROWS], shift[PANEL_ROWS];
    if (type_values(t) == SUPER_VALUES)
        super_scale(t, block, in_block / type_group(t), scale, shift);
    else
        small_scale(t, block, scale, shift);
    UNROLL_8
    for (int r = 0; r < PANEL_ROWS; r += VF) {
        vf least = type_has_minimum(t) ? vf_load(shift + r) : vf_zero();
        vi bytes = value_bytes(t, group, in_block % 32 / 4, r);
        vf_store(values + r, value_of(t, bytes, in_block % 4, vf_load(scale + r), least));
    }
}

#define X(name)                                                                \
    APART void column_##name(const uint8_t *panel, int64_t i, float *values) { \
        column(DTYPE_##name, panel, i, values);                                \
    }
QUANTIZED(X)
#undef X

WORD void column_of_type(DType t, const uint8_t *panel, int64_t i, float *values) {
#define X(name) \
    if (t == DTYPE_##name) column_##name(panel, i, values);
    QUANTIZED(X)
#undef X
}

// Columns taken out of a panel, with a part for each of a row's: column i is at i % COLUMNS, if it
// is there.
enum { COLUMNS = 64 };
typedef struct Columns {
    int32_t number[Q8_KEPT][COLUMNS];
    float values[Q8_KEPT][COLUMNS][PANEL_ROWS];
} Columns;

// y += what was kept of an activation row, in ascending order of the columns w.
WORD void add_kept(const Q8Kept *kept, const float *const *w, float *y) {
    UNROLL_8
    for (int r = 0; r < PANEL_ROWS; r += VF) {
        vf sum = vf_load(y + r);
        UNROLL_8
        for (int c = 0; c < Q8_KEPT; c++)
            sum = vf_fma(vf_set(kept->value[c]), vf_load(w[c] + r), sum);
        vf_store(y + r, sum);
    }
}

// The same for all rows.  Many of them keep the same columns.
WORD void panel_kept(DType t, const PanelJob *job, const uint8_t *panel, int64_t i) {
    Columns columns;
    size_t bytes = sizeof(float) * (size_t)min_i64(PANEL_ROWS, job->n_out - i);
    memset(columns.number, -1, sizeof columns.number);
    for (int64_t j = 0; j < job->n_x; j++) {
        const Q8Kept *kept = q8_kept(job, j);
        float *y = job->y + j * job->y_stride + i;
        const float *w[Q8_KEPT];
        UNROLL_8
        for (int c = 0; c < Q8_KEPT; c++) {
            int32_t number = kept->column[c];
            unsigned at = (unsigned)number % COLUMNS;
            w[c] = columns.values[c][at];
            if (columns.number[c][at] == number) continue;
            columns.number[c][at] = number;
            column_of_type(t, panel, number, columns.values[c][at]);
        }
        if (bytes == sizeof(float) * PANEL_ROWS) {
            add_kept(kept, w, y);
        } else {
            float narrow[PANEL_ROWS];
            memcpy(narrow, y, bytes);
            add_kept(kept, w, narrow);
            memcpy(y, narrow, bytes);
        }
    }
}

WORD void panel_q8(DType t, const PanelJob *job) {
    const uint8_t *panel = job->panel;
    for (int64_t i = 0; i < job->n_out; i += PANEL_ROWS, panel += job->panel_bytes) {
        if (job->n_x < PANEL_FROM)
            panel_direct(t, job, panel, i);
        else
            panel_apart(t, job, panel, i);
        panel_kept(t, job, panel, i);
    }
}

// ---------------------------------------------------------------- as f32

// Columns 4i .. 4i + 3 of a group in all rows.
WORD void decode_columns(DType t, const uint8_t *group, int i, const float *scale,
                         const float *shift, float *to) {
    UNROLL_NOT
    for (int r = 0; r < PANEL_ROWS; r += VF) {
        vf least = type_has_minimum(t) ? vf_load(shift + r) : vf_zero();
        vi bytes = value_bytes(t, group, i, r);
        for (int c = 0; c < 4; c++)
            vf_store(to + c * PANEL_ROWS + r, value_of(t, bytes, c, vf_load(scale + r), least));
    }
}

WORD void panel_decode(DType t, const uint8_t *block, float *values, int64_t k) {
    PanelForm form = panel_form(t);
    ScaleRow scale[2 * STEP_GROUPS], shift[2 * STEP_GROUPS];
    int halves = 32 / type_group(t);
    for (int64_t b = 0; b < k / type_values(t); b++, block += PANEL_ROWS * type_bytes(t)) {
        block_scales(t, block, scale, shift);
        const uint8_t *group = block + panel_values_at(form);
        UNROLL_NOT
        for (int g = 0; g < type_values(t) / 32; g++, group += panel_group_bytes(form)) {
            UNROLL_8
            for (int i = 0; i < 8; i++, values += 4 * PANEL_ROWS) {
                int s = g * halves + i * halves / 8;
                decode_columns(t, group, i, scale[s], shift[s], values);
            }
        }
    }
}

// ---------------------------------------------------------------- the table
#define X(name)                                                                    \
    static void panel_q8_##name(const PanelJob *job) {                             \
        panel_q8(DTYPE_##name, job);                                               \
    }                                                                              \
    static void panel_decode_##name(const void *panel, float *values, int64_t k) { \
        panel_decode(DTYPE_##name, panel, values, k);                              \
    }
QUANTIZED(X)
#undef X

static void panel_entries(Kernels *table) {
#define X(name)                                      \
    table->panel_q8[DTYPE_##name] = panel_q8_##name; \
    table->panel_decode[DTYPE_##name] = panel_decode_##name;
    QUANTIZED(X)
#undef X
}
