// test_quant.c - the block formats against golden bytes (fixtures/quant, made by
// tools/golden_quant.py with the `gguf` package), against a second set of decoders, and the losses
// of the encoders.
#include <stdlib.h>

#include "quant/half.h"
#include "quant/quant.h"
#include "tests/test.h"

static uint64_t random_state = 42;

static uint32_t random_bits(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = random_state ^ random_state >> 29;
    return (uint32_t)(x * 0x9e3779b97f4a7c15u >> 32);
}

static float random_normal(void) { // Irwin-Hall: near enough to a Gaussian for a bound on errors
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += (double)random_bits() * 0x1p-32;
    return (float)sum;
}

static bool equal_values(float a, float b) {
    return isnan(a) ? isnan(b) : f32_to_bits(a) == f32_to_bits(b);
}

// ---------------------------------------------------------------- the table of types

TEST(dtype, names_and_sizes) {
    int known = 0;
    for (int i = -1; i <= DTYPE_LIMIT; i++) {
        if (!dtype_known(i)) continue;
        DType back;
        CHECK(dtype_from_name(dtype_name((DType)i), &back) && (int)back == i);
        CHECK(dtype_is_quantized((DType)i) == (dtype_block_values((DType)i) > 1));
        known++;
    }
    CHECK_EQUAL(known, 16);
    CHECK(!dtype_known(4) && !dtype_known(-1) && !dtype_known(INT64_MAX) && !dtype_known(40));
    DType dtype;
    CHECK(dtype_from_name("q4_k", &dtype) && dtype == DTYPE_Q4_K);
    CHECK(dtype_from_name("bf16", &dtype) && dtype == DTYPE_BF16);
    CHECK(!dtype_from_name("q4", &dtype) && !dtype_from_name("", &dtype));
    CHECK(!dtype_from_name("q4_k_m", &dtype));
    CHECK_EQUAL(dtype_row_bytes(DTYPE_Q6_K, 512), 420);
    CHECK_EQUAL(dtype_row_bytes(DTYPE_F16, 3), 6);
    CHECK_EQUAL(dtype_row_bytes(DTYPE_Q8_0, (int64_t)1 << 30), ((int64_t)1 << 25) * 34);
    CHECK_EQUAL(dtype_row_bytes(DTYPE_Q4_0, 0), 0);
}

// ---------------------------------------------------------------- golden files

typedef struct Golden {
    unsigned char *bytes;
    size_t n, at;
} Golden;

static Golden golden_open(const char *name) {
    Golden g = {0};
    FILE *file = fopen(test_fixture(name), "rb");
    if (!test_check(file, __FILE__, __LINE__, "cannot open %s", name)) return g;
    enum { GOLDEN_MAX = 1 << 20 };
    g.bytes = malloc(GOLDEN_MAX);
    g.n = g.bytes ? fread(g.bytes, 1, GOLDEN_MAX, file) : 0;
    fclose(file);
    return g;
}

// The next `bytes` of the file, copied to where every type is aligned; freed by the caller.
static void *golden_take(Golden *g, size_t bytes) {
    void *p = malloc(bytes + 1);
    require(p && bytes <= g->n - g->at);
    memcpy(p, g->bytes + g->at, bytes);
    g->at += bytes;
    return p;
}

static bool golden_next(Golden *g, DType *dtype, int64_t *n) {
    if (g->at == g->n) return false;
    uint32_t *head = golden_take(g, 8);
    *dtype = (DType)head[0];
    *n = head[1];
    free(head);
    return true;
}

TEST(quant, decode_golden) {
    Golden g = golden_open("fixtures/quant/decode.bin");
    DType dtype;
    int64_t n;
    int types = 0;
    for (; golden_next(&g, &dtype, &n); types++) {
        unsigned char *row = golden_take(&g, dtype_row_bytes(dtype, n));
        float *want = golden_take(&g, (size_t)n * 4), *got = malloc((size_t)n * 4);
        require(got);
        quant_decode(dtype, row, got, n);
        for (int64_t i = 0; i < n; i++) {
            bool ok = got[i] == want[i]; // 0 and -0 are one: formulas differ in the order of signs
            if (!test_check(ok, __FILE__, __LINE__, "%s value %d: %.9g, want %.9g",
                            dtype_name(dtype), (int)i, (double)got[i], (double)want[i])) {
                break;
            }
        }
        free(row);
        free(want);
        free(got);
    }
    CHECK_EQUAL(types, 13);
    free(g.bytes);
}

TEST(quant, encode_golden) {
    Golden g = golden_open("fixtures/quant/encode.bin");
    DType dtype;
    int64_t n;
    int types = 0;
    for (; golden_next(&g, &dtype, &n); types++) {
        size_t bytes = dtype_row_bytes(dtype, n);
        float *values = golden_take(&g, (size_t)n * 4);
        unsigned char *want = golden_take(&g, bytes), *got = malloc(bytes);
        require(got);
        quant_encode(dtype, values, NULL, got, n);
        for (size_t i = 0; i < bytes; i++) {
            if (!test_check(got[i] == want[i], __FILE__, __LINE__, "%s byte %d: %02x, want %02x",
                            dtype_name(dtype), (int)i, got[i], want[i])) {
                break;
            }
        }
        free(values);
        free(want);
        free(got);
    }
    CHECK_EQUAL(types, 4);
    free(g.bytes);
}

// ---------------------------------------------------------------- second decoders
//
// Written from the table of the formats, value by value, on bytes, without the code under test.

static float f16_at(const uint8_t *p) {
    int h = p[0] | p[1] << 8, exponent = h >> 10 & 31, fraction = h & 1023;
    double v = exponent == 31  ? (fraction ? (double)NAN : (double)INFINITY)
               : exponent == 0 ? ldexp(fraction, -24)
                               : ldexp(1024 + fraction, exponent - 25);
    return (float)(h & 0x8000 ? -v : v);
}

static float second_q8_0(const uint8_t *b, int i) {
    return f16_at(b) * (float)(b[2 + i] < 128 ? b[2 + i] : b[2 + i] - 256);
}

static float second_q4_0(const uint8_t *b, int i) {
    int q = i < 16 ? b[2 + i] % 16 : b[2 + i - 16] / 16;
    return f16_at(b) * (float)(q - 8);
}

static float second_q4_k(const uint8_t *b, int i) {
    const uint8_t *s = b + 4;
    int g = i / 32, pair = b[16 + i / 64 * 32 + i % 32], q = g % 2 ? pair / 16 : pair % 16;
    int scale = g < 4 ? s[g] % 64 : s[g + 4] % 16 + s[g - 4] / 64 * 16;
    int minimum = g < 4 ? s[g + 4] % 64 : s[g + 4] / 16 + s[g] / 64 * 16;
    return f16_at(b) * (float)scale * (float)q - f16_at(b + 2) * (float)minimum;
}

static float second_q6_k(const uint8_t *b, int i) {
    int half = i / 128, l = i % 32, quarter = i % 128 / 32;
    int low = b[half * 64 + (quarter & 1) * 32 + l], high = b[128 + half * 32 + l];
    int q = (quarter < 2 ? low % 16 : low / 16) + 16 * (high / (1 << 2 * quarter) % 4);
    int scale = b[192 + half * 8 + l / 16 + 2 * quarter];
    return f16_at(b + 208) * (float)(scale < 128 ? scale : scale - 256) * (float)(q - 32);
}

typedef struct Second {
    DType dtype;
    int scale_at, second_scale_at; // -1: none
    float (*value)(const uint8_t *block, int i);
} Second;

static bool second_agrees(const Second *s, uint8_t *block, uint32_t scale) {
    int bytes = dtype_block_bytes(s->dtype), n = dtype_block_values(s->dtype);
    float values[256];
    for (int i = 0; i < bytes; i++) block[i] = (uint8_t)random_bits();
    block[s->scale_at] = (uint8_t)scale;
    block[s->scale_at + 1] = (uint8_t)(scale >> 8);
    quant_decode(s->dtype, block, values, n);
    for (int i = 0; i < n; i++) {
        float want = s->value(block, i);
        if (!test_check(equal_values(values[i], want), __FILE__, __LINE__,
                        "%s scale %04x value %d: %.9g, want %.9g", dtype_name(s->dtype), scale, i,
                        (double)values[i], (double)want)) {
            return false;
        }
    }
    return true;
}

// Every binary16 as the scale of a random block: no difference of a bit.
TEST(quant, all_scales) {
    static const Second second[] = {{DTYPE_Q8_0, 0, -1, second_q8_0},
                                    {DTYPE_Q4_0, 0, -1, second_q4_0},
                                    {DTYPE_Q4_K, 0, 2, second_q4_k},
                                    {DTYPE_Q6_K, 208, -1, second_q6_k}};
    uint16_t block[128]; // aligned to 2, as blocks are
    for (int t = 0; t < 4; t++) {
        bool ok = true;
        for (uint32_t scale = 0; ok && scale < 65536; scale++) {
            Second s = second[t];
            if (s.second_scale_at >= 0 && random_bits() % 2) s.scale_at = s.second_scale_at;
            ok = second_agrees(&s, (uint8_t *)block, scale);
        }
    }
}

// ---------------------------------------------------------------- encoders

enum { ROW = 256 * 24 };
static float row_in[ROW], row_out[ROW];
static uint16_t row_bytes[ROW * 2];

// Root mean square of the error over that of the row.
static double relative_loss(DType dtype, const float *importance) {
    double loss = 0, size = 0;
    quant_encode(dtype, row_in, importance, row_bytes, ROW);
    quant_decode(dtype, row_bytes, row_out, ROW);
    for (int i = 0; i < ROW; i++) {
        double off = (double)row_out[i] - (double)row_in[i];
        double weight = importance ? (double)importance[i] : 1;
        loss += weight * off * off;
        size += weight * (double)row_in[i] * (double)row_in[i];
    }
    return sqrt(loss / size);
}

// What the types lose on Gaussian rows.  The reference encoders, run on such rows, lose 0.0713
// (Q4_K), 0.0361 (Q5_K) and 0.0177 (Q6_K).
TEST(quant, encode_loss) {
    for (int i = 0; i < ROW; i++) row_in[i] = random_normal() * 0.02f;
    CHECK(relative_loss(DTYPE_F16, NULL) < 0.0003);
    CHECK(relative_loss(DTYPE_BF16, NULL) < 0.0025);
    CHECK(relative_loss(DTYPE_Q8_0, NULL) < 0.0060);
    CHECK(relative_loss(DTYPE_Q4_0, NULL) < 0.0950);
    CHECK(relative_loss(DTYPE_Q4_K, NULL) < 0.0715);
    CHECK(relative_loss(DTYPE_Q5_K, NULL) < 0.0355);
    CHECK(relative_loss(DTYPE_Q6_K, NULL) < 0.0177);
    CHECK(relative_loss(DTYPE_Q4_K, NULL) > 0.06); // a bound that nothing could reach is no test
    // Values that are all positive: the minimum, which cannot be negative, is of no use.
    for (int i = 0; i < ROW; i++) row_in[i] = 3 + random_normal() * 0.3f;
    CHECK(relative_loss(DTYPE_Q4_K, NULL) < 0.026);
    CHECK(relative_loss(DTYPE_Q5_K, NULL) < 0.013);
}

// With importance, the weighted error is smaller than without it.
TEST(quant, encode_importance) {
    static const DType types[] = {DTYPE_Q4_K, DTYPE_Q5_K, DTYPE_Q6_K};
    static float importance[ROW], encoded_blind[ROW];
    for (int i = 0; i < ROW; i++) {
        row_in[i] = random_normal();
        importance[i] = i % 8 ? 0.01f : 4;
    }
    for (int t = 0; t < 3; t++) {
        double blind = 0, size = 0, seeing = relative_loss(types[t], importance);
        quant_encode(types[t], row_in, NULL, row_bytes, ROW);
        quant_decode(types[t], row_bytes, encoded_blind, ROW);
        for (int i = 0; i < ROW; i++) {
            double off = (double)encoded_blind[i] - (double)row_in[i];
            blind += (double)importance[i] * off * off;
            size += (double)importance[i] * (double)row_in[i] * (double)row_in[i];
        }
        CHECK(seeing < 0.9 * sqrt(blind / size));
    }
}

// Rows that divide by zero, overflow or vanish in a careless encoder.
static float awkward_value(int kind, int i) {
    switch (kind) {
    case 0: return 0;
    case 1: return -0.0f;
    case 2: return 0.7f;
    case 3: return -0.7f;
    case 4: return i == 77 ? 1 : 0;
    case 5: return i == 77 ? -1e-3f : 0;
    case 6: return 3.4e38f;
    case 7: return i % 2 ? 3.4e38f : -3.4e38f;
    case 8: return random_normal() * 1e30f;
    case 9: return random_normal() * 1e-30f;
    case 10: return random_normal() * 1e-44f;
    case 11: return 1e-45f;
    case 12: return i == 0 ? 1e38f : random_normal() * 1e-38f;
    case 13: return -100 + random_normal();
    case 14: return 1e5f * random_normal();
    case 15: return 1e-6f * random_normal();
    default: return i / 32 % 2 ? 0 : random_normal();
    }
}
enum { AWKWARD_KINDS = 17 };

static void encode_awkward(DType dtype, int kind, const float *importance) {
    double largest = 0, off = 0;
    for (int i = 0; i < 512; i++) {
        row_in[i] = awkward_value(kind, i);
        largest = fmax(largest, fabs((double)row_in[i]));
    }
    quant_encode(dtype, row_in, importance, row_bytes, 512);
    quant_decode(dtype, row_bytes, row_out, 512);
    bool finite = true;
    for (int i = 0; i < 512; i++) {
        finite = finite && (isfinite(row_out[i]) || dtype == DTYPE_F16 || dtype == DTYPE_BF16);
        off = fmax(off, fabs((double)row_out[i] - (double)row_in[i]));
    }
    test_check(finite, __FILE__, __LINE__, "%s kind %d is not finite", dtype_name(dtype), kind);
    // Below 1e-6 scales are subnormal halves, above 1e5 some are past the largest.
    bool ordinary = largest == 0 || (largest > 1e-4 && largest < 1e4);
    if (importance || !ordinary) return;
    test_check(off <= 0.15 * largest, __FILE__, __LINE__, "%s kind %d: off by %g of %g",
               dtype_name(dtype), kind, off, largest);
}

TEST(quant, encode_awkward) {
    static float zero[512], huge[512], mixed[512];
    for (int i = 0; i < 512; i++) {
        huge[i] = 3e38f;
        mixed[i] = i % 3 ? 0 : ldexpf(1, i % 200 - 100);
    }
    for (int d = 0; d < DTYPE_LIMIT; d++) {
        if (!dtype_known(d) || !quant_can_encode((DType)d)) continue;
        for (int kind = 0; kind < AWKWARD_KINDS; kind++) {
            encode_awkward((DType)d, kind, NULL);
            encode_awkward((DType)d, kind, zero);
            encode_awkward((DType)d, kind, huge);
            encode_awkward((DType)d, kind, mixed);
        }
    }
}

// What saturates does so at the largest scale, with the right sign.
TEST(quant, encode_saturates) {
    for (int i = 0; i < 256; i++) row_in[i] = i % 2 ? 1e30f : -1e30f;
    static const DType types[] = {DTYPE_Q8_0, DTYPE_Q4_0, DTYPE_Q4_K, DTYPE_Q5_K, DTYPE_Q6_K};
    for (int t = 0; t < 5; t++) {
        quant_encode(types[t], row_in, NULL, row_bytes, 256);
        quant_decode(types[t], row_bytes, row_out, 256);
        for (int i = 0; i < 256; i++) {
            bool ok = i % 2 ? row_out[i] > 4e5f : row_out[i] < -4e5f;
            if (!test_check(ok, __FILE__, __LINE__, "%s value %d: %g", dtype_name(types[t]), i,
                            (double)row_out[i])) {
                break;
            }
        }
    }
}

TEST(quant, can_encode) {
    CHECK(quant_can_encode(DTYPE_F32) && quant_can_encode(DTYPE_Q6_K));
    CHECK(!quant_can_encode(DTYPE_Q2_K) && !quant_can_encode(DTYPE_MXFP4));
    CHECK(!quant_can_encode((DType)4));
}
