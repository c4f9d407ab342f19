// kernels_scalar.c - the scalar table: rows between types, and functions of vectors.  The products
// are in scalar_panel.c and scalar_panel_floats.c, attention in scalar_attend.c; what is said in
// scalar.h holds here too.
#include <math.h>
#include <string.h>

#include "kernels/kept.h"
#include "kernels/kernel_sets.h"
#include "kernels/scalar.h"
#include "quant/half.h"
#include "quant/quant.h"

// ---------------------------------------------------------------- rows

#define X(name, number, values_, bytes)                                    \
    static void decode_##name(const void *row, float *values, int64_t n) { \
        quant_decode(DTYPE_##name, row, values, n);                        \
    }
DTYPES(X)
#undef X

static void encode_f16(const float *values, uint16_t *row, int64_t n) {
    for (int64_t i = 0; i < n; i++) row[i] = f32_to_f16(values[i]);
}

static void encode_bf16(const float *values, uint16_t *row, int64_t n) {
    for (int64_t i = 0; i < n; i++) row[i] = f32_to_bf16(values[i]);
}

// 32 values to int8; returns the scale.  A group whose largest value has no finite reciprocal is
// taken as zero.
static float encode_q8_group(const float *x, int8_t *q) {
    float max = 0;
    for (int i = 0; i < 32; i++) {
        if (fabsf(x[i]) > max) max = fabsf(x[i]);
    }
    float factor = max > 0 ? 127 / max : 0;
    if (!isfinite(factor)) factor = max = 0;
    for (int i = 0; i < 32; i++) {
        float v = rintf(x[i] * factor);
        v = v > -127 ? v : -127; // NaN too: the conversion below is always defined
        q[i] = (int8_t)(v < 127 ? v : 127);
    }
    return max / 127;
}

static float round_q8_group(const float *x, int8_t *q, int16_t sum[2]) {
    float scale = encode_q8_group(x, q);
    sum[0] = sum[1] = 0;
    for (int i = 0; i < 32; i++) sum[i / 16] = (int16_t)(sum[i / 16] + q[i]);
    return scale;
}

void scalar_round_q8(const float *values, void *q8_row, int64_t n) {
    int8_t *q = q8_row;
    float *scale = (void *)(q + n);
    int16_t *sum = (void *)(scale + n / 32);
    for (int64_t g = 0; g < n / 32; g++)
        scale[g] = round_q8_group(values + 32 * g, q + 32 * g, sum + 2 * g);
}

static void encode_q8(const float *values, void *q8_row, int64_t n) {
    scalar_round_q8(values, q8_row, n);
    keep_largest(values, q8_row, n, round_q8_group);
}

// ---------------------------------------------------------------- vectors

float scalar_dot(const float *a, const float *b, int64_t n) {
    float lane[SCALAR_LANES] = {0};
    int64_t i = 0;
    for (; i + SCALAR_LANES <= n; i += SCALAR_LANES) {
        for (int j = 0; j < SCALAR_LANES; j++) lane[j] += a[i + j] * b[i + j];
    }
    for (int j = 0; i < n; i++, j++) lane[j] += a[i] * b[i];
    return scalar_lanes_sum(lane);
}

static void axpy(float *y, float a, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

static void scale(float *y, const float *x, float a, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] = a * x[i];
}

static void add(float *y, const float *a, const float *b, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] = a[i] + b[i];
}

static void multiply(float *y, const float *a, const float *b, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] = a[i] * b[i];
}

static void multiply_add(float *y, const float *a, const float *b, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] += a[i] * b[i];
}

static float maximum(const float *x, int64_t n) {
    float max = x[0];
    for (int64_t i = 1; i < n; i++) max = x[i] > max ? x[i] : max;
    return max;
}

static float exp_sum(float *x, float shift, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        x[i] = expf(x[i] - shift);
        sum += (double)x[i];
    }
    return (float)sum;
}

static void silu(float *y, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] = x[i] / (1 + expf(-x[i]));
}

static void gelu_tanh(float *y, const float *x, int64_t n) {
    const float root = 0.797884561f; // sqrt(2 / pi)
    for (int64_t i = 0; i < n; i++) {
        float v = x[i];
        y[i] = 0.5f * v * (1 + tanhf(root * (v + 0.044715f * v * v * v)));
    }
}

// erfc keeps the digits where 1 + erf would cancel.
static void gelu_erf(float *y, const float *x, int64_t n) {
    const float root = 0.707106781f; // 1 / sqrt 2
    for (int64_t i = 0; i < n; i++) y[i] = 0.5f * x[i] * erfcf(-x[i] * root);
}

static void tanh_each(float *y, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) y[i] = tanhf(x[i]);
}

// e^-x for x from -80, for s = 1 / (1 + e^-x) and 1 - s = s e^-x without cancellation.
static float exp_minus(float x) {
    return expf(-x < 80 ? -x : 80);
}

static void silu_slope(float *y, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        float v = x[i] > -80 ? x[i] : -80, e = exp_minus(v), s = 1 / (1 + e);
        y[i] = s * (1 + v * s * e);
    }
}

// Beyond 16 either side the slopes of GELU are 0 or 1, and nothing may overflow before.
static float near(float x) {
    return x > 16 ? 16 : x < -16 ? -16 : x;
}

static void gelu_tanh_slope(float *y, const float *x, int64_t n) {
    const float root = 0.797884561f; // sqrt(2 / pi)
    for (int64_t i = 0; i < n; i++) {
        float v = near(x[i]), e = exp_minus(2 * root * (v + 0.044715f * v * v * v));
        float s = 1 / (1 + e); // (1 + tanh) / 2
        y[i] = s + 2 * v * s * s * e * root * (1 + 0.134145f * v * v);
    }
}

static void gelu_erf_slope(float *y, const float *x, int64_t n) {
    const float root = 0.707106781f, density = 0.39894228f; // 1 / sqrt 2, 1 / sqrt(2 pi)
    for (int64_t i = 0; i < n; i++) {
        float v = near(x[i]);
        y[i] = 0.5f * erfcf(-v * root) + v * density * expf(-0.5f * v * v);
    }
}

static void adamw(const AdamwJob *j) {
    for (int64_t i = 0; i < j->n; i++) {
        float g = j->scale * j->grad[i];
        j->m[i] += j->mix1 * (g - j->m[i]);
        j->v[i] = j->beta2 * j->v[i] + j->mix2 * g * g;
        float width = sqrtf(j->v[i]) / j->root + j->epsilon;
        j->value[i] = j->keep * j->value[i] - j->rate * j->m[i] / width;
    }
}

// ---------------------------------------------------------------- the table

void kernels_scalar(Kernels *table) {
    *table = (Kernels){
        .name = "scalar",
        .encode_f16 = encode_f16,
        .encode_bf16 = encode_bf16,
        .encode_q8 = encode_q8,
        .dot = scalar_dot,
        .axpy = axpy,
        .scale = scale,
        .add = add,
        .multiply = multiply,
        .multiply_add = multiply_add,
        .maximum = maximum,
        .exp_sum = exp_sum,
        .silu = silu,
        .gelu_tanh = gelu_tanh,
        .gelu_erf = gelu_erf,
        .tanh = tanh_each,
        .silu_slope = silu_slope,
        .gelu_tanh_slope = gelu_tanh_slope,
        .gelu_erf_slope = gelu_erf_slope,
        .adamw = adamw,
    };
#define X(name, number, values_, bytes) table->decode[DTYPE_##name] = decode_##name;
    DTYPES(X)
#undef X
    scalar_panel_float_entries(table);
    scalar_panel_entries(table);
    scalar_attend_entries(table);
    scalar_limit_entries(table);
}
