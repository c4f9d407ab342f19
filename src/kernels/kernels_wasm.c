// kernels_wasm.c - the table for WebAssembly's 128-bit SIMD, without the relaxed instructions: the
// words of vector.h, then the bodies.
//
// There is no fused multiply-add and no product of bytes: bytes are widened to 16 bits first.  A
// module's stack is small by default, hence the small blocks.
#include <wasm_simd128.h>

#include "kernels/vector.h"

enum {
    VF = 4,                  // floats of a vector
    REGISTERS = 16,          // vector registers
    PRODUCT_MAX = 127,       // the largest byte of the unsigned side of a product: all are signed
    KEYS_OFFSET = 0,         // what vi_dot_keys adds to its signed bytes
    FLOAT_TILE = 1,          // activation rows of a tile of float products
    FLOAT_DEPTH = 128,       // k of an F32 panel that stays in the L1 cache
    PRODUCT_SUM = INT32_MAX, // the largest sum of products that a vp holds
    PANEL_K = 256,           // k of unpacked weights at a time
    PANEL_FROM = 8,          // activation rows for which unpacking a panel pays
    PANEL_TILE = 4,          // activation rows of a tile of unpacked weights
    TILE_STAYS = 4           // pairs of vectors of results that stay in registers
};

// clang-format off
// ---------------------------------------------------------------- floats
typedef v128_t vf;
typedef v128_t vi;

WORD vf vf_zero(void) { return wasm_f32x4_const_splat(0); }
WORD vf vf_set(float a) { return wasm_f32x4_splat(a); }
WORD vf vf_load(const float *p) { return wasm_v128_load(p); }
WORD vf vf_load_part(const float *p, int64_t n) {
    float part[4] = {0};
    memcpy(part, p, 4 * (size_t)n);
    return wasm_v128_load(part);
}
WORD void vf_store(float *p, vf v) { wasm_v128_store(p, v); }
WORD void vf_store_part(float *p, vf v, int64_t n) {
    float part[4];
    wasm_v128_store(part, v);
    memcpy(p, part, 4 * (size_t)n);
}
WORD vf vf_add(vf a, vf b) { return wasm_f32x4_add(a, b); }
WORD vf vf_sub(vf a, vf b) { return wasm_f32x4_sub(a, b); }
WORD vf vf_mul(vf a, vf b) { return wasm_f32x4_mul(a, b); }
WORD vf vf_div(vf a, vf b) { return wasm_f32x4_div(a, b); }
WORD vf vf_max(vf bound, vf x) { return wasm_f32x4_pmax(x, bound); }
WORD vf vf_min(vf bound, vf x) { return wasm_f32x4_pmin(x, bound); }
WORD vf vf_fma(vf a, vf b, vf c) { return wasm_f32x4_add(wasm_f32x4_mul(a, b), c); }
WORD vf vf_sqrt(vf a) { return wasm_f32x4_sqrt(a); }
WORD vf vf_abs(vf a) { return wasm_f32x4_abs(a); }
WORD vf vf_round(vf a) { return wasm_f32x4_nearest(a); }
WORD vf exp2_of(vi n) { return wasm_i32x4_shl(wasm_i32x4_add(n, wasm_i32x4_splat(127)), 23); }
WORD vf vf_scale2(vf a, vf n) { // in two steps, each within the exponent's range
    vi whole = wasm_i32x4_trunc_sat_f32x4(n), half = wasm_i32x4_shr(whole, 1);
    return vf_mul(vf_mul(a, exp2_of(half)), exp2_of(wasm_i32x4_sub(whole, half)));
}
WORD vf vf_copy_sign(vf a, vf sign) {
    return wasm_v128_bitselect(sign, a, wasm_i32x4_splat(INT32_MIN));
}
WORD vf vf_where_less(vf a, vf b, vf x, vf y) {
    return wasm_v128_bitselect(x, y, wasm_f32x4_lt(a, b));
}
WORD float vf_sum(vf v) {
    return (wasm_f32x4_extract_lane(v, 0) + wasm_f32x4_extract_lane(v, 2)) +
           (wasm_f32x4_extract_lane(v, 1) + wasm_f32x4_extract_lane(v, 3));
}
WORD float vf_highest(vf v) {
    v = vf_max(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    return wasm_f32x4_extract_lane(vf_max(v, wasm_i32x4_shuffle(v, v, 1, 0, 3, 2)), 0);
}

// Halves by integers: shifted into place, the exponent is 112 too small, which a product with 2^112
// mends, subnormals included; infinity and NaN get the full exponent.
WORD vf f16_to_vf(vi h) {
    vi magnitude = wasm_i32x4_shl(wasm_v128_and(h, wasm_i32x4_splat(0x7fff)), 13);
    vi sign = wasm_i32x4_shl(wasm_v128_and(h, wasm_i32x4_splat(0x8000)), 16);
    vi special = wasm_i32x4_gt(magnitude, wasm_i32x4_splat(0x0f7fffff));
    vf v = wasm_f32x4_mul(magnitude, wasm_f32x4_splat(0x1p112f));
    v = wasm_v128_or(v, wasm_v128_and(special, wasm_i32x4_splat(0x7f800000)));
    return wasm_v128_or(v, sign);
}
WORD vi load_halves(const uint16_t *p, int64_t n) {
    uint16_t h[4] = {0};
    memcpy(h, p, 2 * (size_t)n);
    return wasm_u32x4_load16x4(h);
}
WORD vf vf_load_f16(const uint16_t *p) { return f16_to_vf(wasm_u32x4_load16x4(p)); }
WORD vf vf_load_f16_part(const uint16_t *p, int64_t n) { return f16_to_vf(load_halves(p, n)); }
WORD vf vf_load_bf16(const uint16_t *p) { return wasm_i32x4_shl(wasm_u32x4_load16x4(p), 16); }
WORD vf vf_load_bf16_part(const uint16_t *p, int64_t n) {
    return wasm_i32x4_shl(load_halves(p, n), 16);
}
WORD void vf_store_f16_part(uint16_t *p, vf v, int64_t n) {
    float f[4];
    wasm_v128_store(f, v);
    for (int64_t i = 0; i < n; i++) p[i] = f32_to_f16(f[i]);
}
WORD void vf_store_s8(int8_t *p, vf v) {
    vi h = wasm_i32x4_trunc_sat_f32x4(v);
    h = wasm_i16x8_narrow_i32x4(h, h);
    wasm_v128_store32_lane(p, wasm_i8x16_narrow_i16x8(h, h), 0);
}
WORD vf vf_load_s8(const int8_t *p) {
    vi h = wasm_i16x8_extend_low_i8x16(wasm_v128_load32_zero(p));
    return wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(h));
}

// ---------------------------------------------------------------- integers
WORD vi vi_zero(void) { return wasm_i32x4_const_splat(0); }
WORD vi vi_set(int32_t a) { return wasm_i32x4_splat(a); }
WORD vi vi_load(const void *p) { return wasm_v128_load(p); }
WORD void vi_store(void *p, vi v) { wasm_v128_store(p, v); }
WORD vi vi_and(vi a, vi b) { return wasm_v128_and(a, b); }
WORD vi vi_or(vi a, vi b) { return wasm_v128_or(a, b); }
WORD vi vi_xor(vi a, vi b) { return wasm_v128_xor(a, b); }
WORD vi vi_shr(vi a, int n) { return wasm_u32x4_shr(a, (uint32_t)n); }
WORD vi vi_shl(vi a, int n) { return wasm_i32x4_shl(a, (uint32_t)n); }
WORD vi vi_of_bytes(const uint8_t *p) {
    return wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(p)));
}
WORD vi vi_table(const int8_t t[16], vi v) { return wasm_i8x16_swizzle(wasm_v128_load(t), v); }
WORD vf vi_to_f(vi v) { return wasm_f32x4_convert_i32x4(v); }
WORD vf vf_of_bf16_low(vi pairs) { return wasm_i32x4_shl(pairs, 16); }
WORD vf vf_of_bf16_high(vi pairs) {
    return wasm_v128_and(pairs, wasm_i32x4_splat((int32_t)0xffff0000));
}
WORD vi round_bf16(vf v) { // in the upper halves; a NaN stays one
    vi odd = wasm_v128_and(wasm_u32x4_shr(v, 16), wasm_i32x4_splat(1));
    vi rounded = wasm_i32x4_add(wasm_i32x4_add(v, wasm_i32x4_splat(0x7fff)), odd);
    vi quiet = wasm_v128_or(v, wasm_i32x4_splat(0x400000));
    return wasm_v128_bitselect(rounded, quiet, wasm_f32x4_eq(v, v));
}
WORD vi vi_bf16_pairs(vf low, vf high) {
    return wasm_v128_or(wasm_u32x4_shr(round_bf16(low), 16), vf_of_bf16_high(round_bf16(high)));
}
WORD vi dot_low(vi w, vi x) {
    return wasm_i32x4_dot_i16x8(wasm_i16x8_extend_low_i8x16(w), wasm_i16x8_extend_low_i8x16(x));
}
WORD vi dot_high(vi w, vi x) {
    return wasm_i32x4_dot_i16x8(wasm_i16x8_extend_high_i8x16(w), wasm_i16x8_extend_high_i8x16(x));
}
WORD vi evens(vi a, vi b) { return wasm_i32x4_shuffle(a, b, 0, 2, 4, 6); }
WORD vi odds(vi a, vi b) { return wasm_i32x4_shuffle(a, b, 1, 3, 5, 7); }
WORD vi add_pairs(vi a, vi b) { // of a in the first half, of b in the second
    return wasm_i32x4_add(evens(a, b), odds(a, b));
}
WORD vi vi_dot_signed(vi a, vi w, vi x) {
    return wasm_i32x4_add(a, add_pairs(dot_low(w, x), dot_high(w, x)));
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
    vi a = vi_load(f), b = vi_load(f + 4 * stride);
    vi c = vi_load(f + 8 * stride), d = vi_load(f + 12 * stride);
    vi ab0 = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), ab1 = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
    vi cd0 = wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), cd1 = wasm_i32x4_shuffle(c, d, 2, 6, 3, 7);
    wasm_v128_store(t, wasm_i64x2_shuffle(ab0, cd0, 0, 2));
    wasm_v128_store(t + 4 * to_stride, wasm_i64x2_shuffle(ab0, cd0, 1, 3));
    wasm_v128_store(t + 8 * to_stride, wasm_i64x2_shuffle(ab1, cd1, 0, 2));
    wasm_v128_store(t + 12 * to_stride, wasm_i64x2_shuffle(ab1, cd1, 1, 3));
}

// clang-format off
// ---------------------------------------------------------------- one number of each of four rows
typedef v128_t f4;

WORD float half_to_float(uint16_t h) { return f16_to_f32(h); }
WORD void f4_store(float *p, f4 v) { wasm_v128_store(p, v); }
WORD f4 f4_of_f16(const void *a, const void *b, const void *c, const void *d) {
    uint16_t h[4];
    memcpy(h, a, 2), memcpy(h + 1, b, 2), memcpy(h + 2, c, 2), memcpy(h + 3, d, 2);
    return vf_load_f16(h);
}
// ---------------------------------------------------------------- 32 bytes
typedef struct v32 { v128_t lo, hi; } v32;

WORD v32 v32_load(const void *p) {
    return (v32){wasm_v128_load(p), wasm_v128_load((const uint8_t *)p + 16)};
}
WORD void v32_store(void *p, v32 v) {
    wasm_v128_store(p, v.lo), wasm_v128_store((uint8_t *)p + 16, v.hi);
}
WORD v32 v32_set(uint8_t a) {
    return (v32){wasm_i8x16_splat((int8_t)a), wasm_i8x16_splat((int8_t)a)};
}
WORD v32 v32_and(v32 a, v32 b) {
    return (v32){wasm_v128_and(a.lo, b.lo), wasm_v128_and(a.hi, b.hi)};
}
WORD v32 v32_or(v32 a, v32 b) { return (v32){wasm_v128_or(a.lo, b.lo), wasm_v128_or(a.hi, b.hi)}; }
WORD v32 v32_xor(v32 a, v32 b) {
    return (v32){wasm_v128_xor(a.lo, b.lo), wasm_v128_xor(a.hi, b.hi)};
}
WORD v32 v32_sub(v32 a, v32 b) {
    return (v32){wasm_i8x16_sub(a.lo, b.lo), wasm_i8x16_sub(a.hi, b.hi)};
}
WORD v32 v32_shr(v32 a, int n) {
    return (v32){wasm_u8x16_shr(a.lo, (uint32_t)n), wasm_u8x16_shr(a.hi, (uint32_t)n)};
}
WORD v32 v32_shl(v32 a, int n) {
    return (v32){wasm_i8x16_shl(a.lo, (uint32_t)n), wasm_i8x16_shl(a.hi, (uint32_t)n)};
}
WORD v32 v32_nibbles(const void *p) {
    v128_t v = wasm_v128_load(p);
    return (v32){wasm_v128_and(v, wasm_i8x16_splat(15)), wasm_u8x16_shr(v, 4)};
}
WORD v32 v32_bits(uint32_t b) { // each byte gets the byte of b with its bit, then that bit alone
    v128_t v = wasm_i32x4_splat((int32_t)b), bit = wasm_i64x2_splat((int64_t)0x8040201008040201);
    v128_t lo = wasm_i8x16_shuffle(v, v, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    v128_t hi = wasm_i8x16_shuffle(v, v, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    return (v32){wasm_i8x16_eq(wasm_v128_and(lo, bit), bit),
                 wasm_i8x16_eq(wasm_v128_and(hi, bit), bit)};
}
WORD v32 v32_table(const int8_t t[16], v32 v) {
    v128_t table = wasm_v128_load(t);
    return (v32){wasm_i8x16_swizzle(table, v.lo), wasm_i8x16_swizzle(table, v.hi)};
}

WORD int16_t sum_of(v128_t bytes) {
    vi v = wasm_i32x4_extadd_pairwise_i16x8(wasm_i16x8_extadd_pairwise_i8x16(bytes));
    v = wasm_i32x4_add(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
    return (int16_t)(wasm_i32x4_extract_lane(v, 0) + wasm_i32x4_extract_lane(v, 1));
}
WORD void v32_sums(v32 v, int16_t sum[2]) { sum[0] = sum_of(v.lo), sum[1] = sum_of(v.hi); }

// ---------------------------------------------------------------- integer scales
WORD void store_scales(v128_t v, int offset, vf f, float *to) { // of eight signed bytes
    v = wasm_i16x8_sub(wasm_i16x8_extend_low_i8x16(v), wasm_i16x8_splat((int16_t)offset));
    v128_t low = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(v));
    v128_t high = wasm_f32x4_convert_i32x4(wasm_i32x4_extend_high_i16x8(v));
    wasm_v128_store(to, wasm_f32x4_mul(low, f));
    wasm_v128_store(to + 4, wasm_f32x4_mul(high, f));
}
WORD void scale8(uint64_t bytes, int offset, float f, float *to) {
    store_scales(wasm_i64x2_splat((int64_t)bytes), offset, vf_set(f), to);
}

#include "kernels/bodies.inl"
// clang-format on

void kernels_wasm(Kernels *table, const CpuFeatures *features) {
    (void)features;
    fill_table(table);
}
