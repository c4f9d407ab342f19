// kernels_neon.c - the table for Armv8.2 with dot products and half-precision conversions: the
// words of vector.h on 128 bits, then the bodies.
//
// sdot multiplies signed by signed bytes, so that every weight enters a product as it is.
#include <arm_neon.h>

#include "kernels/vector.h"

enum {
    VF = 4,                  // floats of a vector
    REGISTERS = 32,          // vector registers
    PRODUCT_MAX = 127,       // the largest byte of the unsigned side of a product
    KEYS_OFFSET = 0,         // what vi_dot_keys adds to its signed bytes
    FLOAT_TILE = 3,          // activation rows of a tile of float products
    FLOAT_DEPTH = 256,       // k of an F32 panel that stays in the L1 cache
    PRODUCT_SUM = INT32_MAX, // the largest sum of products that a vp holds
    PANEL_K = 512,           // k of unpacked weights that stay in the L1 cache
    PANEL_FROM = 8,          // activation rows for which unpacking a panel pays
    PANEL_TILE = 4,          // activation rows of a tile of unpacked weights
    TILE_STAYS = 6           // pairs of vectors of results that stay in registers
};

// clang-format off
// ---------------------------------------------------------------- floats
typedef float32x4_t vf;
typedef int32x4_t vi;

WORD vf vf_zero(void) { return vdupq_n_f32(0); }
WORD vf vf_set(float a) { return vdupq_n_f32(a); }
WORD vf vf_load(const float *p) { return vld1q_f32(p); }
WORD vf vf_load_part(const float *p, int64_t n) {
    float part[4] = {0};
    memcpy(part, p, 4 * (size_t)n);
    return vld1q_f32(part);
}
WORD void vf_store(float *p, vf v) { vst1q_f32(p, v); }
WORD void vf_store_part(float *p, vf v, int64_t n) {
    float part[4];
    vst1q_f32(part, v);
    memcpy(p, part, 4 * (size_t)n);
}
WORD vf vf_add(vf a, vf b) { return vaddq_f32(a, b); }
WORD vf vf_sub(vf a, vf b) { return vsubq_f32(a, b); }
WORD vf vf_mul(vf a, vf b) { return vmulq_f32(a, b); }
WORD vf vf_div(vf a, vf b) { return vdivq_f32(a, b); }
WORD vf vf_max(vf bound, vf x) { return vbslq_f32(vcgtq_f32(bound, x), bound, x); }
WORD vf vf_min(vf bound, vf x) { return vbslq_f32(vcltq_f32(bound, x), bound, x); }
WORD vf vf_fma(vf a, vf b, vf c) { return vfmaq_f32(c, a, b); }
WORD vf vf_sqrt(vf a) { return vsqrtq_f32(a); }
WORD vf vf_abs(vf a) { return vabsq_f32(a); }
WORD vf vf_round(vf a) { return vrndnq_f32(a); }
WORD vf exp2_of(int32x4_t n) {
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(n, vdupq_n_s32(127)), 23));
}
WORD vf vf_scale2(vf a, vf n) { // in two steps, each within the exponent's range
    int32x4_t whole = vcvtq_s32_f32(n), half = vshrq_n_s32(whole, 1);
    return vf_mul(vf_mul(a, exp2_of(half)), exp2_of(vsubq_s32(whole, half)));
}
WORD vf vf_copy_sign(vf a, vf sign) { return vbslq_f32(vdupq_n_u32(0x80000000), sign, a); }
WORD vf vf_where_less(vf a, vf b, vf x, vf y) { return vbslq_f32(vcltq_f32(a, b), x, y); }
WORD float vf_sum(vf v) { return vaddvq_f32(v); }
WORD float vf_highest(vf v) { return vmaxvq_f32(v); }

WORD uint16x4_t load_halves(const uint16_t *p, int64_t n) {
    uint16_t h[4] = {0};
    memcpy(h, p, 2 * (size_t)n);
    return vld1_u16(h);
}
WORD vf f16_to_vf(uint16x4_t v) { return vcvt_f32_f16(vreinterpret_f16_u16(v)); }
WORD vf bf16_to_vf(uint16x4_t v) { return vreinterpretq_f32_u32(vshll_n_u16(v, 16)); }
WORD vf vf_load_f16(const uint16_t *p) { return f16_to_vf(vld1_u16(p)); }
WORD vf vf_load_f16_part(const uint16_t *p, int64_t n) { return f16_to_vf(load_halves(p, n)); }
WORD vf vf_load_bf16(const uint16_t *p) { return bf16_to_vf(vld1_u16(p)); }
WORD vf vf_load_bf16_part(const uint16_t *p, int64_t n) { return bf16_to_vf(load_halves(p, n)); }
WORD void vf_store_f16_part(uint16_t *p, vf v, int64_t n) {
    uint16_t h[4];
    vst1_u16(h, vreinterpret_u16_f16(vcvt_f16_f32(v)));
    memcpy(p, h, 2 * (size_t)n);
}
WORD void vf_store_s8(int8_t *p, vf v) {
    int16x4_t h = vqmovn_s32(vcvtnq_s32_f32(v));
    int8_t b[8];
    vst1_s8(b, vqmovn_s16(vcombine_s16(h, h)));
    memcpy(p, b, 4);
}
WORD vf vf_load_s8(const int8_t *p) {
    int8x8_t b = vreinterpret_s8_u32(vdup_n_u32(load_u32(p)));
    return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(b))));
}

// ---------------------------------------------------------------- integers
WORD vi vi_zero(void) { return vdupq_n_s32(0); }
WORD vi vi_set(int32_t a) { return vdupq_n_s32(a); }
WORD vi vi_load(const void *p) { return vreinterpretq_s32_u8(vld1q_u8(p)); }
WORD void vi_store(void *p, vi v) { vst1q_u8(p, vreinterpretq_u8_s32(v)); }
WORD vi vi_and(vi a, vi b) { return vandq_s32(a, b); }
WORD vi vi_or(vi a, vi b) { return vorrq_s32(a, b); }
WORD vi vi_xor(vi a, vi b) { return veorq_s32(a, b); }
WORD vi vi_shl(vi a, int n) { return vshlq_s32(a, vdupq_n_s32(n)); }
WORD vi vi_shr(vi a, int n) {
    return vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(a), vdupq_n_s32(-n)));
}
WORD vi vi_of_bytes(const uint8_t *p) {
    uint8x8_t b = vreinterpret_u8_u32(vdup_n_u32(load_u32(p)));
    return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(b))));
}
WORD vi vi_table(const int8_t t[16], vi v) {
    return vreinterpretq_s32_s8(vqtbl1q_s8(vld1q_s8(t), vreinterpretq_u8_s32(v)));
}
WORD vf vi_to_f(vi v) { return vcvtq_f32_s32(v); }
WORD vf vf_of_bf16_low(vi pairs) { return vreinterpretq_f32_s32(vshlq_n_s32(pairs, 16)); }
WORD vf vf_of_bf16_high(vi pairs) {
    return vreinterpretq_f32_s32(vandq_s32(pairs, vdupq_n_s32((int)0xffff0000)));
}
WORD uint32x4_t round_bf16(vf v) { // in the upper halves; a NaN stays one
    uint32x4_t b = vreinterpretq_u32_f32(v), odd = vandq_u32(vshrq_n_u32(b, 16), vdupq_n_u32(1));
    uint32x4_t rounded = vaddq_u32(vaddq_u32(b, vdupq_n_u32(0x7fff)), odd);
    return vbslq_u32(vceqq_f32(v, v), rounded, vorrq_u32(b, vdupq_n_u32(0x400000)));
}
WORD vi vi_bf16_pairs(vf low, vf high) {
    return vreinterpretq_s32_u32(vsriq_n_u32(round_bf16(high), round_bf16(low), 16));
}
WORD vi vi_dot_signed(vi a, vi w, vi x) {
    return vdotq_s32(a, vreinterpretq_s8_s32(w), vreinterpretq_s8_s32(x));
}
WORD vi vi_dot(vi a, vi w, vi x) { return vi_dot_signed(a, w, x); }
WORD vi vi_dot_keys(vi a, vi w, vi x) { return vi_dot_signed(a, w, x); }
WORD vi vi_sums(const int16_t p[2], int a, int b) { return vi_set(a * p[0] + b * p[1]); }

typedef vi vp;

WORD vp vp_begin(vi a) { return a; }
WORD vp vp_dot(vp p, vi w, vi x) { return vi_dot_signed(p, w, x); }
WORD vp vp_dot_signed(vp p, vi w, vi x) { return vi_dot_signed(p, w, x); }
WORD vi vp_end(vp p, vi a) { return (void)a, p; }
// clang-format on

WORD void transpose(const void *from, int64_t stride, void *to, int64_t to_stride) {
    const uint8_t *f = from;
    uint8_t *t = to;
    int32x4_t a = vi_load(f), b = vi_load(f + 4 * stride);
    int32x4_t c = vi_load(f + 8 * stride), d = vi_load(f + 12 * stride);
    int64x2_t ab0 = vreinterpretq_s64_s32(vzip1q_s32(a, b));
    int64x2_t ab1 = vreinterpretq_s64_s32(vzip2q_s32(a, b));
    int64x2_t cd0 = vreinterpretq_s64_s32(vzip1q_s32(c, d));
    int64x2_t cd1 = vreinterpretq_s64_s32(vzip2q_s32(c, d));
    vst1q_u8(t, vreinterpretq_u8_s64(vzip1q_s64(ab0, cd0)));
    vst1q_u8(t + 4 * to_stride, vreinterpretq_u8_s64(vzip2q_s64(ab0, cd0)));
    vst1q_u8(t + 8 * to_stride, vreinterpretq_u8_s64(vzip1q_s64(ab1, cd1)));
    vst1q_u8(t + 12 * to_stride, vreinterpretq_u8_s64(vzip2q_s64(ab1, cd1)));
}

// clang-format off
// ---------------------------------------------------------------- one number of each of four rows
typedef float32x4_t f4;

WORD float half_to_float(uint16_t h) { return vgetq_lane_f32(f16_to_vf(vdup_n_u16(h)), 0); }
WORD void f4_store(float *p, f4 v) { vst1q_f32(p, v); }
WORD f4 f4_of_f16(const void *a, const void *b, const void *c, const void *d) {
    uint16_t h[4];
    memcpy(h, a, 2), memcpy(h + 1, b, 2), memcpy(h + 2, c, 2), memcpy(h + 3, d, 2);
    return f16_to_vf(vld1_u16(h));
}
// ---------------------------------------------------------------- 32 bytes
typedef struct v32 { uint8x16_t lo, hi; } v32;

WORD v32 v32_load(const void *p) {
    return (v32){vld1q_u8(p), vld1q_u8((const uint8_t *)p + 16)};
}
WORD void v32_store(void *p, v32 v) { vst1q_u8(p, v.lo), vst1q_u8((uint8_t *)p + 16, v.hi); }
WORD v32 v32_set(uint8_t a) { return (v32){vdupq_n_u8(a), vdupq_n_u8(a)}; }
WORD v32 v32_and(v32 a, v32 b) { return (v32){vandq_u8(a.lo, b.lo), vandq_u8(a.hi, b.hi)}; }
WORD v32 v32_or(v32 a, v32 b) { return (v32){vorrq_u8(a.lo, b.lo), vorrq_u8(a.hi, b.hi)}; }
WORD v32 v32_xor(v32 a, v32 b) { return (v32){veorq_u8(a.lo, b.lo), veorq_u8(a.hi, b.hi)}; }
WORD v32 v32_sub(v32 a, v32 b) { return (v32){vsubq_u8(a.lo, b.lo), vsubq_u8(a.hi, b.hi)}; }
WORD v32 v32_shl(v32 a, int n) {
    int8x16_t by = vdupq_n_s8((int8_t)n);
    return (v32){vshlq_u8(a.lo, by), vshlq_u8(a.hi, by)};
}
WORD v32 v32_shr(v32 a, int n) { return v32_shl(a, -n); }
WORD v32 v32_nibbles(const void *p) {
    uint8x16_t v = vld1q_u8(p);
    return (v32){vandq_u8(v, vdupq_n_u8(15)), vshrq_n_u8(v, 4)};
}
WORD v32 v32_bits(uint32_t b) {
    uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    uint8x8_t b0 = vdup_n_u8((uint8_t)b), b1 = vdup_n_u8((uint8_t)(b >> 8));
    uint8x8_t b2 = vdup_n_u8((uint8_t)(b >> 16)), b3 = vdup_n_u8((uint8_t)(b >> 24));
    return (v32){vtstq_u8(vcombine_u8(b0, b1), bit), vtstq_u8(vcombine_u8(b2, b3), bit)};
}
WORD v32 v32_table(const int8_t t[16], v32 v) {
    uint8x16_t table = vreinterpretq_u8_s8(vld1q_s8(t));
    return (v32){vqtbl1q_u8(table, v.lo), vqtbl1q_u8(table, v.hi)};
}

WORD void v32_sums(v32 v, int16_t sum[2]) {
    sum[0] = vaddlvq_s8(vreinterpretq_s8_u8(v.lo));
    sum[1] = vaddlvq_s8(vreinterpretq_s8_u8(v.hi));
}

// ---------------------------------------------------------------- integer scales
WORD void bytes_to_floats(int8x8_t b, int offset, float32x4_t *low, float32x4_t *high) {
    int16x8_t v = vsubq_s16(vmovl_s8(b), vdupq_n_s16((int16_t)offset));
    *low = vcvtq_f32_s32(vmovl_s16(vget_low_s16(v)));
    *high = vcvtq_f32_s32(vmovl_s16(vget_high_s16(v)));
}
WORD void scale8(uint64_t bytes, int offset, float f, float *to) {
    float32x4_t low, high;
    bytes_to_floats(vcreate_s8(bytes), offset, &low, &high);
    vst1q_f32(to, vmulq_n_f32(low, f));
    vst1q_f32(to + 4, vmulq_n_f32(high, f));
}

#include "kernels/bodies.inl"
// clang-format on

void kernels_neon(Kernels *table, const CpuFeatures *features) {
    (void)features;
    fill_table(table);
}
