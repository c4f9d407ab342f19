// test_kernels.c - every table's vector functions and rows against plain loops in double precision.
// (Products and attention: test_products.c.)
#include "tests/kernel_check.h"

// Lengths 0 .. 130 cover every tail of every vector width; a few long ones cover unrolled loops.
static const int64_t long_lengths[] = {255, 256, 257, 1000, 1027};
enum { SHORT_LENGTHS = 131, LENGTHS = SHORT_LENGTHS + 5 };

static int64_t length_at(int i) {
    return i < SHORT_LENGTHS ? i : long_lengths[i - SHORT_LENGTHS];
}

TEST(kernels, tables) {
    const Kernels *tables[4];
    int n = kernels_all(tables);
    CHECK(n >= 1 && n <= 4);
    CHECK(strcmp(tables[0]->name, "scalar") == 0);
    CHECK(kernels_best() == tables[n - 1]);
    for (int i = 0; i < n; i++) CHECK(kernels_named(tables[i]->name) == tables[i]);
    CHECK(kernels_named("abacus") == NULL);
    CHECK(kernels_features()[0] != 0);
}

static bool table_complete(const Kernels *k) {
    bool ok = k->transpose && k->pack_to_bf16 && k->encode_f16 && k->encode_bf16 && k->encode_q8 &&
              k->dot && k->axpy && k->scale && k->add && k->multiply && k->maximum && k->exp_sum &&
              k->silu && k->gelu_tanh && k->gelu_erf && k->tanh && k->silu_slope &&
              k->gelu_tanh_slope && k->gelu_erf_slope && k->multiply_add && k->adamw &&
              k->limit_f32 && k->limit_int8 && k->limit_read;
    for (int i = 0; i < DTYPE_LIMIT; i++) {
        bool known = dtype_known(i), quantized = known && dtype_is_quantized((DType)i);
        bool cached = i == DTYPE_F32 || i == DTYPE_F16 || i == DTYPE_Q8_0;
        ok = ok && !k->decode[i] == !known && !k->panel_q8[i] == !quantized &&
             !k->panel_decode[i] == !quantized && !k->panel[i] == !(known && !quantized) &&
             !k->pack[i] == !k->panel[i] && !k->unpack[i] == !k->panel[i] &&
             !k->scores[i] == !cached && !k->values[i] == !cached;
    }
    return KERNEL_CHECK(ok, k, "%s", "an entry is missing, or one too many");
}
TEST(kernels, complete) {
    check_tables(table_complete);
}

// ---------------------------------------------------------------- sums and simple maps

static bool dot_of(const Kernels *k, int64_t n) {
    float *a = input_floats(n), *b = input_floats(n);
    double sum = 0, magnitude = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (double)a[i] * (double)b[i];
        magnitude += fabs((double)a[i] * (double)b[i]);
    }
    float got = k->dot(a, b, n);
    return KERNEL_CHECK(within(got, sum, 1e-6 * magnitude), k, "dot n %d: %g, want %g", (int)n,
                        (double)got, sum);
}

static bool maximum_of(const Kernels *k, int64_t n) {
    if (n == 0) return true;
    float *x = input_floats(n);
    int64_t at = random_below((int)n);
    x[at] = 2;
    if (!KERNEL_CHECK(k->maximum(x, n) == 2, k, "maximum n %d at %d", (int)n, (int)at)) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) x[i] = -INFINITY;
    if (!KERNEL_CHECK(k->maximum(x, n) == -INFINITY, k, "maximum of -inf, n %d", (int)n)) {
        return false;
    }
    x[at] = -3e38f;
    return KERNEL_CHECK(k->maximum(x, n) == -3e38f, k, "maximum of -3e38, n %d", (int)n);
}

typedef enum MapKind { MAP_AXPY, MAP_SCALE, MAP_ADD, MAP_MULTIPLY, MAP_KINDS } MapKind;

static void map_run(const Kernels *k, MapKind kind, float *y, const float *a, const float *b,
                    int64_t n) {
    switch (kind) {
    case MAP_AXPY: k->axpy(y, 0.37f, a, n); break;
    case MAP_SCALE: k->scale(y, a, 0.37f, n); break;
    case MAP_ADD: k->add(y, a, b, n); break;
    default: k->multiply(y, a, b, n); break;
    }
}

static double map_want(MapKind kind, float y, float a, float b) {
    switch (kind) {
    case MAP_AXPY: return (double)y + (double)0.37f * (double)a;
    case MAP_SCALE: return (double)0.37f * (double)a;
    case MAP_ADD: return (double)a + (double)b;
    default: return (double)a * (double)b;
    }
}

// A map, and the same map written over its first argument (for axpy, y is an argument anyway).
static bool map_of(const Kernels *k, MapKind kind, int64_t n) {
    float *a = input_floats(n), *b = input_floats(n), *y = output_floats(n);
    float *before = input_floats(n);
    if (kind == MAP_AXPY) memcpy(y, before, (size_t)n * sizeof *y);
    map_run(k, kind, y, a, b, n);
    if (!KERNEL_CHECK(output_intact(y, 1, n, n + 1), k, "map %d n %d: canary", kind, (int)n)) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        double want = map_want(kind, before[i], a[i], b[i]);
        if (!KERNEL_CHECK(within(y[i], want, 3e-7), k, "map %d n %d i %d", kind, (int)n, (int)i)) {
            return false;
        }
    }
    if (kind == MAP_AXPY) return true;
    map_run(k, kind, a, a, b, n);
    return KERNEL_CHECK(same_bits(a, y, n), k, "map %d n %d: in place", kind, (int)n);
}

static bool vectors_right(const Kernels *k) {
    for (int i = 0; i < LENGTHS; i++) {
        bool ok = dot_of(k, length_at(i)) && maximum_of(k, length_at(i));
        for (int kind = 0; kind < MAP_KINDS; kind++) {
            ok = ok && map_of(k, (MapKind)kind, length_at(i));
        }
        buffers_free();
        if (!ok) return false;
    }
    return true;
}
TEST(kernels, vectors) {
    check_tables(vectors_right);
}

// ---------------------------------------------------------------- training

// Against the definition, and an element alone against itself in its place.
static bool adamw_of(const Kernels *k, int64_t n) {
    float *value = output_floats(n), *m = output_floats(n), *v = output_floats(n);
    float *before[3] = {input_floats(n), input_floats(n), input_floats(n)};
    AdamwJob job = {value, m,     v,    input_floats(n), n,     0.7f, 0.1f,
                    0.95f, 0.05f, 0.4f, 1e-3f,           0.99f, 0.03f};
    for (int64_t i = 0; i < n; i++) before[2][i] *= before[2][i];
    memcpy(value, before[0], (size_t)n * sizeof *value);
    memcpy(m, before[1], (size_t)n * sizeof *m);
    memcpy(v, before[2], (size_t)n * sizeof *v);
    k->adamw(&job);
    bool intact = output_intact(value, 1, n, n + 1) && output_intact(m, 1, n, n + 1) &&
                  output_intact(v, 1, n, n + 1);
    if (!KERNEL_CHECK(intact, k, "adamw n %d: canary", (int)n)) return false;
    for (int64_t i = 0; i < n; i++) {
        double g = (double)0.7f * (double)job.grad[i];
        double want_m = (double)before[1][i] + (double)0.1f * (g - (double)before[1][i]);
        double want_v = (double)0.95f * (double)before[2][i] + (double)0.05f * g * g;
        double width = sqrt(want_v) / (double)0.4f + (double)1e-3f;
        double want = (double)0.99f * (double)before[0][i] - (double)0.03f * want_m / width;
        bool ok = within(m[i], want_m, 3e-7) && within(v[i], want_v, 3e-7) &&
                  within(value[i], want, 1e-6 + 1e-6 * fabs(want));
        if (!KERNEL_CHECK(ok, k, "adamw n %d i %d", (int)n, (int)i)) return false;
    }
    for (int64_t i = 0; i < n; i += 5) {
        float x[3] = {before[0][i], before[1][i], before[2][i]};
        AdamwJob one = job;
        one.value = &x[0], one.m = &x[1], one.v = &x[2], one.grad = job.grad + i, one.n = 1;
        k->adamw(&one);
        bool same = x[0] == value[i] && x[1] == m[i] && x[2] == v[i];
        if (!KERNEL_CHECK(same, k, "adamw n %d: i %d alone differs", (int)n, (int)i)) return false;
    }
    return true;
}

static bool adamw_right(const Kernels *k) {
    for (int i = 0; i < LENGTHS; i++) {
        bool ok = adamw_of(k, length_at(i));
        buffers_free();
        if (!ok) return false;
    }
    return true;
}
TEST(kernels, adamw) {
    check_tables(adamw_right);
}

// ---------------------------------------------------------------- exp

// The distance in units of the last place of `want`; results below the normal range may be 0.
static double ulps(float got, double want) {
    if (fabs(want) < 0x1p-126 && fabs((double)got) <= 0x1p-126) return 0;
    int exponent;
    frexp(want, &exponent);
    return fabs((double)got - want) / ldexp(1, exponent - 24);
}

// 160001 points from -105 to 88, in rows of odd length, with a shift that costs no digits.
static bool exp_accurate(const Kernels *k) {
    enum { ROW = 1003 };
    float x[ROW];
    for (int row = 0; row < 160; row++) {
        for (int i = 0; i < ROW; i++) {
            x[i] = -105 + 193 * (float)(row * ROW + i) / (160 * ROW);
        }
        float in[ROW];
        memcpy(in, x, sizeof in);
        k->exp_sum(x, 0, ROW);
        for (int i = 0; i < ROW; i++) {
            double off = ulps(x[i], exp((double)in[i]));
            if (!KERNEL_CHECK(off <= 2, k, "exp(%.9g) is off by %.2f ulp", (double)in[i], off)) {
                return false;
            }
        }
    }
    return true;
}
TEST(kernels, exp_accuracy) {
    check_tables(exp_accurate);
}

static bool exp_sum_of(const Kernels *k, int64_t n) {
    float *x = input_floats(n), *y = output_floats(n);
    for (int64_t i = 0; i < n; i++) {
        x[i] = i % 7 == 3 ? -INFINITY : i % 11 == 5 ? -1e30f : x[i] * 30 + 50;
    }
    memcpy(y, x, (size_t)n * sizeof *y);
    float sum = k->exp_sum(y, 80, n);
    double want_sum = 0;
    for (int64_t i = 0; i < n; i++) {
        float difference = x[i] - 80;
        double want = exp((double)difference);
        want_sum += (double)y[i];
        bool ok = x[i] < -1e20f ? y[i] == 0 : ulps(y[i], want) <= 2;
        if (!KERNEL_CHECK(ok, k, "exp n %d x %g: %g", (int)n, (double)x[i], (double)y[i])) {
            return false;
        }
    }
    return KERNEL_CHECK(within(sum, want_sum, 1e-6 * want_sum), k, "exp sum n %d: %g, want %g",
                        (int)n, (double)sum, want_sum) &&
           KERNEL_CHECK(output_intact(y, 1, n, n + 1), k, "exp n %d: canary", (int)n);
}

static bool exp_sums_right(const Kernels *k) {
    for (int i = 0; i < LENGTHS; i++) {
        bool ok = exp_sum_of(k, length_at(i));
        buffers_free();
        if (!ok) return false;
    }
    return true;
}
TEST(kernels, exp_sum) {
    check_tables(exp_sums_right);
}

// ---------------------------------------------------------------- activations

typedef struct Activation {
    const char *name;
    void (*const *entry)(float *y, const float *x, int64_t n);
    double (*want)(double x);
    bool is_slope;
} Activation;

static double want_silu(double x) {
    return x < -700 ? 0 : x / (1 + exp(-x));
}
static double want_gelu_tanh(double x) {
    double u = sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x);
    return x / (1 + exp(-2 * u)); // 0.5 (1 + tanh u) = 1 / (1 + exp(-2 u))
}
static double want_gelu_erf(double x) {
    return 0.5 * x * erfc(-x / sqrt(2));
}
static double want_tanh(double x) {
    return tanh(x);
}
static double want_silu_slope(double x) {
    double s = x < -700 ? 0 : 1 / (1 + exp(-x));
    return s == 0 ? 0 : s * (1 + x * (1 - s));
}
static double want_gelu_tanh_slope(double x) {
    double c = sqrt(2 / 3.14159265358979323846), near = fmin(fmax(x, -20), 20);
    double t = tanh(c * (near + 0.044715 * near * near * near));
    return 0.5 * (1 + t) + 0.5 * near * (1 - t * t) * c * (1 + 3 * 0.044715 * near * near);
}
static double want_gelu_erf_slope(double x) {
    double near = fmin(fmax(x, -40), 40);
    return 0.5 * erfc(-near / sqrt(2)) +
           near * exp(-0.5 * near * near) / sqrt(2 * 3.14159265358979323846);
}

// Values that matter: both sides of 0, the tails, and magnitudes whose cube overflows.
static float activation_input(int i) {
    static const float special[] = {0,   -0.0f, 1e-30f, -1e-30f, 1e-4f, -1e-4f, 20,
                                    -20, 88,    -88,    89,      -89,   104,    -104,
                                    300, -300,  1e10f,  -1e10f,  1e30f, -1e30f};
    enum { SPECIALS = sizeof special / sizeof *special };
    return i % 3 == 0 ? special[i / 3 % SPECIALS] : random_float() * (i % 3 == 1 ? 12 : 2);
}

// Relative to the larger of |x| and the result: 1 + tanh cancels where x is far below 0.  Slopes
// are sums of parts near 1.
static bool activation_of(const Kernels *k, const Activation *act, int64_t n) {
    float *x = input_floats(n), *y = output_floats(n);
    for (int64_t i = 0; i < n; i++) x[i] = activation_input((int)i);
    (*act->entry)(y, x, n);
    for (int64_t i = 0; i < n; i++) {
        double want = act->want((double)x[i]);
        double size = fmin(fabs((double)x[i]), fmax(1, fabs(want)));
        if (act->is_slope) size = 1;
        if (!KERNEL_CHECK(within(y[i], want, 6e-7 * size + 1e-36), k,
                          "%s(%.9g) n %d: %.9g, want %.9g", act->name, (double)x[i], (int)n,
                          (double)y[i], want)) {
            return false;
        }
    }
    // A value's result depends neither on its place nor on how the row was cut.
    for (int64_t i = 0; i < n; i++) {
        float alone;
        (*act->entry)(&alone, x + i, 1);
        if (!KERNEL_CHECK(same_bits(&alone, y + i, 1), k, "%s(%.9g) alone differs from n %d",
                          act->name, (double)x[i], (int)n)) {
            return false;
        }
    }
    (*act->entry)(x, x, n);
    return KERNEL_CHECK(same_bits(x, y, n), k, "%s n %d: in place", act->name, (int)n) &&
           KERNEL_CHECK(output_intact(y, 1, n, n + 1), k, "%s n %d: canary", act->name, (int)n);
}

static bool activations_right(const Kernels *k) {
    const Activation activations[] = {
        {"silu", &k->silu, want_silu},
        {"gelu_tanh", &k->gelu_tanh, want_gelu_tanh},
        {"gelu_erf", &k->gelu_erf, want_gelu_erf},
        {"tanh", &k->tanh, want_tanh},
        {"silu_slope", &k->silu_slope, want_silu_slope, true},
        {"gelu_tanh_slope", &k->gelu_tanh_slope, want_gelu_tanh_slope, true},
        {"gelu_erf_slope", &k->gelu_erf_slope, want_gelu_erf_slope, true}};
    bool all = true;
    for (int a = 0; a < 7; a++) {
        bool ok = true;
        for (int i = 0; ok && i < LENGTHS; i++) {
            ok = activation_of(k, &activations[a], length_at(i));
            buffers_free();
        }
        all = all && ok;
    }
    return all;
}
TEST(kernels, activations) {
    check_tables(activations_right);
}

// ---------------------------------------------------------------- 16-bit floats

// Floats around every border of the half types: ties, overflow, subnormals, NaN.
static float half_input(int i) {
    static const uint32_t special[] = {
        0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff,
        0x477fe000, 0x477fefff, 0x477ff000, 0x477fffff, 0x7f7fffff, 0x7f7f7fff, 0x7f7f8000,
        0x33000000, 0x33000001, 0x32ffffff, 0x33800000, 0x33c00000, 0x387fc000, 0x387fe000,
        0x387fffff, 0x38800000, 0x3f801000, 0x3f803000, 0x3f808000, 0x3f818000, 0x00000001};
    enum { SPECIALS = sizeof special / sizeof *special };
    if (i % 2 == 0) return bits_to_f32(special[i / 2 % SPECIALS]);
    if (i % 4 == 1) return random_float() * 0x1p-12f;
    uint32_t exponent = 90 + random_bits() % 60; // from below the subnormal halves to above 65504
    return bits_to_f32((random_bits() & 0x807fffff) | exponent << 23);
}

static bool is_nan16(uint16_t h, bool bf16) {
    return (h & 0x7fff) > (bf16 ? 0x7f80 : 0x7c00);
}

static bool encode_halves_of(const Kernels *k, bool bf16, int64_t n) {
    float *x = input_floats(n);
    for (int64_t i = 0; i < n; i++) x[i] = half_input((int)i);
    uint16_t *h = input_bytes((size_t)(n + 32) * 2, 2);
    for (int64_t i = 0; i < n + 32; i++) h[i] = 0xa5a5;
    (bf16 ? k->encode_bf16 : k->encode_f16)(x, h + 16, n);
    for (int64_t i = -16; i < n + 16; i++) {
        uint16_t got = h[16 + i], want = 0xa5a5;
        if (i >= 0 && i < n) want = bf16 ? f32_to_bf16(x[i]) : f32_to_f16(x[i]);
        bool ok = got == want || (is_nan16(want, bf16) && is_nan16(got, bf16));
        if (!KERNEL_CHECK(ok, k, "encode %s n %d i %d: %04x, want %04x", bf16 ? "bf16" : "f16",
                          (int)n, (int)i, got, want)) {
            return false;
        }
    }
    return true;
}

static bool encode_halves_right(const Kernels *k) {
    bool f16 = true, bf16 = true;
    for (int i = 0; i < LENGTHS; i++) {
        f16 = f16 && encode_halves_of(k, false, length_at(i));
        bf16 = bf16 && encode_halves_of(k, true, length_at(i));
        buffers_free();
    }
    return f16 && bf16;
}
TEST(kernels, encode_halves) {
    check_tables(encode_halves_right);
}

// All 65536 halves in one row; a NaN need only stay one.
static bool decode_all_halves(const Kernels *k) {
    static uint16_t row[65536];
    static float values[65536];
    bool all = true;
    for (int i = 0; i < 65536; i++) row[i] = (uint16_t)i;
    for (int t = 0; t < 2; t++) {
        DType dtype = t ? DTYPE_BF16 : DTYPE_F16;
        bool ok = true;
        k->decode[dtype](row, values, 65536);
        for (int i = 0; ok && i < 65536; i++) {
            float want = t ? bf16_to_f32(row[i]) : f16_to_f32(row[i]);
            ok = isnan(want) ? isnan(values[i]) : same_bits(&want, &values[i], 1);
            KERNEL_CHECK(ok, k, "decode %s %04x", dtype_name(dtype), i);
        }
        all = all && ok;
    }
    return all;
}
TEST(kernels, decode_halves) {
    check_tables(decode_all_halves);
}

// ---------------------------------------------------------------- quantised rows

static bool decode_of(const Kernels *k, DType dtype, int64_t n) {
    size_t bytes = dtype_row_bytes(dtype, n);
    void *row = input_bytes(bytes, dtype == DTYPE_MXFP4 ? 1 : dtype == DTYPE_F32 ? 4 : 2);
    float *want = input_floats(n), *got = output_floats(n);
    quant_decode(dtype, row, want, n);
    k->decode[dtype](row, got, n);
    for (int64_t i = 0; i < n; i++) {
        // Random bytes are random scales: the tolerance is that of the largest finite neighbour.
        double size = 0;
        for (int64_t j = i / 256 * 256; j < n && j < i / 256 * 256 + 256; j++) {
            if (isfinite(want[j])) size = fmax(size, fabs((double)want[j]));
        }
        bool ok = !isfinite(want[i]) || within(got[i], (double)want[i], 1e-6 * size);
        if (!KERNEL_CHECK(ok, k, "decode %s n %d i %d: %g, want %g", dtype_name(dtype), (int)n,
                          (int)i, (double)got[i], (double)want[i])) {
            return false;
        }
    }
    return KERNEL_CHECK(output_intact(got, 1, n, n + 1), k, "decode %s n %d: canary",
                        dtype_name(dtype), (int)n);
}

static bool decode_right(const Kernels *k) {
    bool all = true;
    for (int d = 0; d < DTYPE_LIMIT; d++) {
        if (!dtype_known(d)) continue;
        bool ok = true;
        int block = dtype_block_values((DType)d), most = block == 1 ? 130 : block == 32 ? 9 : 4;
        for (int blocks = 0; ok && blocks <= most; blocks++) {
            ok = decode_of(k, (DType)d, (int64_t)blocks * block);
            buffers_free();
        }
        all = all && ok;
    }
    return all;
}
TEST(kernels, decode) {
    check_tables(decode_right);
}

// The int8 row of n values against its definition: scale, nearest integers, sums.  `x` is without
// what is kept.
static bool q8_row_right(const Kernels *k, const float *x, const char *row, int64_t n) {
    for (int64_t g = 0; g < n / 32; g++) {
        float scale, max = 0;
        int q_sum[2] = {0, 0};
        int16_t sum[2];
        memcpy(&scale, row + n + g * 4, 4);
        memcpy(sum, row + n + (n / 32 + g) * 4, 4);
        for (int64_t i = g * 32; i < g * 32 + 32; i++) {
            int q = (signed char)row[i];
            q_sum[i % 32 / 16] += q;
            max = fmaxf(max, fabsf(x[i]));
            double off = fabs((double)scale * q - (double)x[i]);
            if (!KERNEL_CHECK(off <= 0.50002 * (double)scale && q >= -127, k,
                              "q8 value %d of %d: %d * %g for %g", (int)i, (int)n, q, (double)scale,
                              (double)x[i])) {
                return false;
            }
        }
        if (!KERNEL_CHECK(within(scale, (double)max / 127, 2e-7 * (double)max / 127), k,
                          "q8 scale %g of max %g", (double)scale, (double)max) ||
            !KERNEL_CHECK(sum[0] == q_sum[0] && sum[1] == q_sum[1], k, "q8 sums %d %d, want %d %d",
                          sum[0], sum[1], q_sum[0], q_sum[1])) {
            return false;
        }
    }
    return true;
}

// What a row keeps: its values furthest from 0, in the order of the columns.  Takes them out of x.
static bool q8_kept_right(const Kernels *k, float *x, const char *row, int64_t n) {
    Q8Kept kept;
    float least = INFINITY;
    memcpy(&kept, row + n + n / 32 * 8, sizeof kept);
    for (int i = 0; i < Q8_KEPT; i++) {
        int32_t at = kept.column[i], before = i > 0 ? kept.column[i - 1] : 0;
        bool ok = at >= before && at < n && kept.value[i] == x[at];
        if (!KERNEL_CHECK(ok, k, "q8 n %d keeps %g of column %d", (int)n, (double)kept.value[i],
                          at))
            return false;
        x[at] = 0;
        least = fminf(least, fabsf(kept.value[i]));
    }
    for (int64_t i = 0; i < n; i++)
        if (!KERNEL_CHECK(fabsf(x[i]) <= least, k, "q8 n %d: %g is rounded, %g kept", (int)n,
                          (double)x[i], (double)least))
            return false;
    return true;
}

// Groups of every size from 1e-30 to 1e30, groups of zeros, ties between two integers.
static bool encode_q8_of(const Kernels *k, int64_t n) {
    float *x = input_floats(n);
    size_t bytes = q8_row_bytes(n);
    char *row = (char *)output_floats((int64_t)(bytes / 4));
    for (int64_t i = 0; i < n; i++) {
        int64_t g = i / 32;
        x[i] = g % 5 == 4 ? 0 : g % 5 == 3 ? (float)(i % 32 == 0 ? 127 : i % 32 - 15.5) : x[i];
        x[i] *= ldexpf(1, (int)(g * 37 % 200) - 100);
    }
    k->encode_q8(x, row, n);
    int64_t floats = (int64_t)(bytes / 4);
    return KERNEL_CHECK(output_intact((float *)row, 1, floats, floats + 1), k, "q8 n %d: canary",
                        (int)n) &&
           (n == 0 || q8_kept_right(k, x, row, n)) && q8_row_right(k, x, row, n);
}

// 0.5 and 1.5 in units of the scale go to the even integer.
static bool q8_ties_to_even(const Kernels *k) {
    float x[32] = {127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 126.5f, 1e3f, 1e4f, -1e3f, 1e6f};
    const int want[8] = {127, 0, 2, 2, 0, -2, -2, 126};
    float aligned[(40 + sizeof(Q8Kept)) / 4];
    const char *row = (const char *)aligned;
    k->encode_q8(x, aligned, 32);
    for (int i = 0; i < 8; i++) {
        if (!KERNEL_CHECK((signed char)row[i] == want[i], k, "q8 tie %g: %d", (double)x[i],
                          row[i])) {
            return false;
        }
    }
    return true;
}

static bool encode_q8_right(const Kernels *k) {
    bool ok = q8_ties_to_even(k);
    for (int64_t n = 0; ok && n <= 32 * 40; n += n < 320 ? 32 : 160) {
        ok = encode_q8_of(k, n);
        buffers_free();
    }
    return ok;
}
TEST(kernels, encode_q8) {
    check_tables(encode_q8_right);
}
