// body_vector.inl - functions of vectors of floats, and rows between f32 and the 16-bit types.
//
// What a function does to an element does not depend on its place: the last n % VF elements go
// through the same words.  Sums keep one order for each n.  The polynomials are minimax fits on the
// stated range, made for these files; their relative errors are given before rounding.

// ---------------------------------------------------------------- exp, tanh, the normal tail

// e^x: n = round(x / ln 2) in two parts of ln 2, so that the rest r is exact, then
// e^r = 1 + r + r^2 q(r) on |r| <= ln(2) / 2 to 5e-11.  Underflow is gradual, overflow is infinity.
WORD vf vf_exp(vf x) {
    x = vf_min(vf_set(89), vf_max(vf_set(-104), x));
    vf n = vf_round(vf_mul(x, vf_set(1.44269504f)));
    vf r = vf_fma(n, vf_set(-0.693145752f), x); // ends in zeros: n times it is exact
    r = vf_fma(n, vf_set(-1.42860677e-6f), r);
    vf q = vf_fma(vf_set(1.97903551e-4f), r, vf_set(1.39446513e-3f));
    q = vf_fma(q, r, vf_set(8.33349702e-3f));
    q = vf_fma(q, r, vf_set(4.16662951e-2f));
    q = vf_fma(q, r, vf_set(0.166666659f));
    q = vf_fma(q, r, vf_set(0.5f));
    vf e = vf_add(vf_set(1), vf_fma(vf_mul(r, r), q, r));
    return vf_scale2(e, n);
}

// Small arguments: x + x^3 q(x^2) on |x| < 0.7 to 6e-10; the others by e^2x, which loses no digits
// there.
WORD vf vf_tanh(vf x) {
    vf a = vf_abs(x), z = vf_mul(x, x);
    vf q = vf_fma(vf_set(1.9017994e-3f), z, vf_set(-7.89218295e-3f));
    q = vf_fma(q, z, vf_set(2.15758385e-2f));
    q = vf_fma(q, z, vf_set(-5.39221232e-2f));
    q = vf_fma(q, z, vf_set(0.133329959f));
    q = vf_fma(q, z, vf_set(-0.333333251f));
    vf small = vf_fma(vf_mul(x, z), q, x);
    vf e = vf_exp(vf_add(a, a));
    vf large = vf_sub(vf_set(1), vf_div(vf_set(2), vf_add(e, vf_set(1))));
    return vf_where_less(a, vf_set(0.7f), small, vf_copy_sign(large, x));
}

// erfc(t) / 2 for t = |x| / sqrt 2: u p(u) e^(-t^2) / 2 with u = 1 / (1 + 0.4 t), to 2e-9.
// The rounding error of x^2 would be large beside 1 in the exponent; the rest makes up for it.
WORD vf vf_normal_tail(vf x) {
    vf a = vf_min(vf_set(16), vf_abs(x)), square = vf_mul(a, a);
    vf rest = vf_fma(a, a, vf_sub(vf_zero(), square));
    vf u = vf_div(vf_set(1), vf_fma(a, vf_set(0.282842712f), vf_set(1)));
    vf p = vf_fma(vf_set(-0.0192518308f), u, vf_set(0.0827621452f));
    p = vf_fma(p, u, vf_set(-0.0894833342f));
    p = vf_fma(p, u, vf_set(-0.0748467491f));
    p = vf_fma(p, u, vf_set(0.149143034f));
    p = vf_fma(p, u, vf_set(-0.0357461497f));
    p = vf_fma(p, u, vf_set(0.167812627f));
    p = vf_fma(p, u, vf_set(0.158634613f));
    p = vf_fma(p, u, vf_set(0.20982749f));
    p = vf_fma(p, u, vf_set(0.225463532f));
    p = vf_fma(p, u, vf_set(0.225684621f));
    vf e = vf_exp(vf_mul(vf_set(-0.5f), square));
    e = vf_fma(vf_mul(e, vf_set(-0.5f)), rest, e);
    return vf_mul(vf_mul(vf_mul(u, p), e), vf_set(0.5f));
}

// ---------------------------------------------------------------- activations
WORD vf vf_silu(vf x) {
    return vf_div(x, vf_add(vf_set(1), vf_exp(vf_sub(vf_zero(), x))));
}

// (1 + tanh u) / 2 = 1 / (1 + e^(-2u)), which keeps the digits of the negative side.
WORD vf vf_gelu_tanh(vf x) {
    vf cubic = vf_fma(vf_mul(vf_set(0.044715f), vf_mul(x, x)), x, x);
    return vf_div(x, vf_add(vf_set(1), vf_exp(vf_mul(vf_set(-1.59576912f), cubic))));
}

WORD vf vf_gelu_erf(vf x) {
    vf tail = vf_normal_tail(x);
    return vf_mul(x, vf_where_less(x, vf_zero(), tail, vf_sub(vf_set(1), tail)));
}

// ---------------------------------------------------------------- their slopes
// Beyond 16 either side the slopes of GELU are 0 or 1, and nothing may overflow before.
WORD vf vf_near(vf x) {
    return vf_min(vf_set(16), vf_max(vf_set(-16), x));
}

// e^-x for x from -80, for s = 1 / (1 + e^-x) and 1 - s = s e^-x without cancellation.
WORD vf vf_exp_minus(vf x) {
    return vf_exp(vf_min(vf_set(80), vf_sub(vf_zero(), x)));
}

// s (1 + x (1 - s)) with the logistic s; below -80 it is 0.
WORD vf vf_silu_slope(vf v) {
    vf x = vf_max(vf_set(-80), v), e = vf_exp_minus(x), s = vf_div(vf_set(1), vf_add(vf_set(1), e));
    return vf_mul(s, vf_fma(x, vf_mul(s, e), vf_set(1)));
}

// s + 2 x s (1 - s) u'(x) with s = (1 + tanh u) / 2
WORD vf vf_gelu_tanh_slope(vf v) {
    vf x = vf_near(v), square = vf_mul(x, x);
    vf cubic = vf_fma(vf_mul(vf_set(0.044715f), square), x, x);
    vf e = vf_exp_minus(vf_mul(vf_set(1.59576912f), cubic));
    vf s = vf_div(vf_set(1), vf_add(vf_set(1), e));
    vf twice_u_slope = vf_fma(vf_set(0.214064f), square, vf_set(1.59576912f));
    return vf_fma(vf_mul(vf_mul(x, s), vf_mul(s, e)), twice_u_slope, s);
}

// The normal distribution up to x, and x times its density.
WORD vf vf_gelu_erf_slope(vf v) {
    vf x = vf_near(v), tail = vf_normal_tail(x);
    vf below = vf_where_less(x, vf_zero(), tail, vf_sub(vf_set(1), tail));
    vf density = vf_exp(vf_mul(vf_set(-0.5f), vf_mul(x, x)));
    return vf_fma(vf_mul(x, vf_set(0.39894228f)), density, below);
}

// X(entry of the table, its word)
#define FUNCTIONS(X)                       \
    X(silu, vf_silu)                       \
    X(gelu_tanh, vf_gelu_tanh)             \
    X(gelu_erf, vf_gelu_erf)               \
    X(tanh, vf_tanh)                       \
    X(silu_slope, vf_silu_slope)           \
    X(gelu_tanh_slope, vf_gelu_tanh_slope) \
    X(gelu_erf_slope, vf_gelu_erf_slope)

#define X(name, word)                                                             \
    static void vector_##name(float *y, const float *x, int64_t n) {              \
        int64_t i = 0;                                                            \
        for (; i + VF <= n; i += VF) vf_store(y + i, word(vf_load(x + i)));       \
        if (i < n) vf_store_part(y + i, word(vf_load_part(x + i, n - i)), n - i); \
    }
FUNCTIONS(X)
#undef X

// x = e^(x - shift); the lanes' sums are added at the end.
static float vector_exp_sum(float *x, float shift, int64_t n) {
    vf sum = vf_zero(), s = vf_set(shift);
    int64_t i = 0;
    for (; i + VF <= n; i += VF) {
        vf e = vf_exp(vf_sub(vf_load(x + i), s));
        vf_store(x + i, e);
        sum = vf_add(sum, e);
    }
    if (i < n) {
        vf_store_part(x + i, vf_exp(vf_sub(vf_load_part(x + i, n - i), s)), n - i);
        sum = vf_add(sum, vf_load_part(x + i, n - i));
    }
    return vf_sum(sum);
}

// ---------------------------------------------------------------- sums and element-wise arithmetic

// Four vectors of chains: the latency of a multiply-add is about four.
static float vector_dot(const float *a, const float *b, int64_t n) {
    vf s0 = vf_zero(), s1 = s0, s2 = s0, s3 = s0;
    int64_t i = 0;
    for (; i + 4 * VF <= n; i += 4 * VF) {
        s0 = vf_fma(vf_load(a + i), vf_load(b + i), s0);
        s1 = vf_fma(vf_load(a + i + VF), vf_load(b + i + VF), s1);
        s2 = vf_fma(vf_load(a + i + 2 * VF), vf_load(b + i + 2 * VF), s2);
        s3 = vf_fma(vf_load(a + i + 3 * VF), vf_load(b + i + 3 * VF), s3);
    }
    for (; i + VF <= n; i += VF) s0 = vf_fma(vf_load(a + i), vf_load(b + i), s0);
    if (i < n) s0 = vf_fma(vf_load_part(a + i, n - i), vf_load_part(b + i, n - i), s0);
    return vf_sum(vf_add(vf_add(s0, s1), vf_add(s2, s3)));
}

static void vector_axpy(float *y, float a, const float *x, int64_t n) {
    vf f = vf_set(a);
    int64_t i = 0;
    for (; i + VF <= n; i += VF) vf_store(y + i, vf_fma(f, vf_load(x + i), vf_load(y + i)));
    if (i < n) {
        int64_t left = n - i;
        vf_store_part(y + i, vf_fma(f, vf_load_part(x + i, left), vf_load_part(y + i, left)), left);
    }
}

static void vector_scale(float *y, const float *x, float a, int64_t n) {
    vf f = vf_set(a);
    int64_t i = 0;
    for (; i + VF <= n; i += VF) vf_store(y + i, vf_mul(f, vf_load(x + i)));
    if (i < n) vf_store_part(y + i, vf_mul(f, vf_load_part(x + i, n - i)), n - i);
}

static void vector_add(float *y, const float *a, const float *b, int64_t n) {
    int64_t i = 0;
    for (; i + VF <= n; i += VF) vf_store(y + i, vf_add(vf_load(a + i), vf_load(b + i)));
    if (i < n) {
        int64_t left = n - i;
        vf_store_part(y + i, vf_add(vf_load_part(a + i, left), vf_load_part(b + i, left)), left);
    }
}

static void vector_multiply_add(float *y, const float *a, const float *b, int64_t n) {
    int64_t i = 0;
    for (; i + VF <= n; i += VF)
        vf_store(y + i, vf_fma(vf_load(a + i), vf_load(b + i), vf_load(y + i)));
    if (i < n) {
        int64_t left = n - i;
        vf product =
            vf_fma(vf_load_part(a + i, left), vf_load_part(b + i, left), vf_load_part(y + i, left));
        vf_store_part(y + i, product, left);
    }
}

static void vector_multiply(float *y, const float *a, const float *b, int64_t n) {
    int64_t i = 0;
    for (; i + VF <= n; i += VF) vf_store(y + i, vf_mul(vf_load(a + i), vf_load(b + i)));
    if (i < n) {
        int64_t left = n - i;
        vf_store_part(y + i, vf_mul(vf_load_part(a + i, left), vf_load_part(b + i, left)), left);
    }
}

// The last vector overlaps the one before: a maximum may see an element twice.
static float vector_maximum(const float *x, int64_t n) {
    if (n < VF) {
        float highest = x[0];
        for (int64_t i = 1; i < n; i++) highest = x[i] > highest ? x[i] : highest;
        return highest;
    }
    vf highest = vf_load(x);
    for (int64_t i = VF; i + VF <= n; i += VF) highest = vf_max(vf_load(x + i), highest);
    return vf_highest(vf_max(vf_load(x + n - VF), highest));
}

// ---------------------------------------------------------------- training
typedef struct AdamwVectors {
    vf grad, m, v, value;
} AdamwVectors;

WORD void vf_adamw(const AdamwJob *j, AdamwVectors *p) {
    vf g = vf_mul(vf_set(j->scale), p->grad);
    p->m = vf_fma(vf_set(j->mix1), vf_sub(g, p->m), p->m);
    p->v = vf_fma(vf_mul(vf_set(j->mix2), g), g, vf_mul(vf_set(j->beta2), p->v));
    vf width = vf_add(vf_div(vf_sqrt(p->v), vf_set(j->root)), vf_set(j->epsilon));
    vf change = vf_div(vf_mul(vf_set(-j->rate), p->m), width);
    p->value = vf_fma(vf_set(j->keep), p->value, change);
}

static void vector_adamw(const AdamwJob *j) {
    int64_t i = 0;
    for (; i + VF <= j->n; i += VF) {
        AdamwVectors p = {vf_load(j->grad + i), vf_load(j->m + i), vf_load(j->v + i),
                          vf_load(j->value + i)};
        vf_adamw(j, &p);
        vf_store(j->m + i, p.m);
        vf_store(j->v + i, p.v);
        vf_store(j->value + i, p.value);
    }
    int64_t left = j->n - i;
    if (left == 0) return;
    AdamwVectors p = {vf_load_part(j->grad + i, left), vf_load_part(j->m + i, left),
                      vf_load_part(j->v + i, left), vf_load_part(j->value + i, left)};
    vf_adamw(j, &p);
    vf_store_part(j->m + i, p.m, left);
    vf_store_part(j->v + i, p.v, left);
    vf_store_part(j->value + i, p.value, left);
}

// ---------------------------------------------------------------- 16-bit rows
static void decode_f16(const void *row, float *values, int64_t n) {
    const uint16_t *h = row;
    int64_t i = 0;
    for (; i + VF <= n; i += VF) vf_store(values + i, vf_load_f16(h + i));
    if (i < n) vf_store_part(values + i, vf_load_f16_part(h + i, n - i), n - i);
}

static void decode_bf16(const void *row, float *values, int64_t n) {
    const uint16_t *h = row;
    int64_t i = 0;
    for (; i + VF <= n; i += VF) vf_store(values + i, vf_load_bf16(h + i));
    if (i < n) vf_store_part(values + i, vf_load_bf16_part(h + i, n - i), n - i);
}

static void encode_f16(const float *values, uint16_t *row, int64_t n) {
    for (int64_t i = 0; i < n; i += VF) {
        int64_t left = min_i64(VF, n - i);
        vf_store_f16_part(row + i, vf_load_part(values + i, left), left);
    }
}

// The compiler makes vectors of this one.
static void encode_bf16(const float *values, uint16_t *row, int64_t n) {
    for (int64_t i = 0; i < n; i++) row[i] = f32_to_bf16(values[i]);
}

static void vector_entries(Kernels *table) {
    table->dot = vector_dot;
    table->axpy = vector_axpy;
    table->scale = vector_scale;
    table->add = vector_add;
    table->multiply = vector_multiply;
    table->multiply_add = vector_multiply_add;
    table->maximum = vector_maximum;
    table->exp_sum = vector_exp_sum;
    table->adamw = vector_adamw;
#define X(name, word) table->name = vector_##name;
    FUNCTIONS(X)
#undef X
    table->decode[DTYPE_F16] = decode_f16;
    table->decode[DTYPE_BF16] = decode_bf16;
    table->encode_f16 = encode_f16;
    table->encode_bf16 = encode_bf16;
}
