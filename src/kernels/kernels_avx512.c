// kernels_avx512.c - the table for AVX-512 with VNNI and VBMI: the words of vector.h on 512 bits,
// then the bodies.
//
// vpdpbusd multiplies unsigned by signed bytes.  Weights are the unsigned side; what was added to
// make them so is taken off where a sum starts (body_quant.inl), which costs nothing.
#include <immintrin.h>

#include "kernels/amx.h"
#include "kernels/vector.h"

enum {
    VF = 16,                 // floats of a vector
    REGISTERS = 32,          // vector registers
    PRODUCT_MAX = 255,       // the largest byte of the unsigned side of a product
    KEYS_OFFSET = 128,       // what vi_dot_keys adds to its signed bytes
    FLOAT_TILE = 14,         // activation rows of a tile of float products
    FLOAT_DEPTH = 256,       // k of an F32 panel that stays in the L1 cache
    PRODUCT_SUM = INT32_MAX, // the largest sum of products that a vp holds
    PANEL_K = 512,           // k of unpacked weights that stay in the L1 cache
    PANEL_FROM = 16,         // activation rows for which unpacking a panel pays
    PANEL_TILE = 6,          // activation rows of a tile of unpacked weights
    TILE_STAYS = 6           // pairs of vectors of results that stay in registers
};

// clang-format off
// ---------------------------------------------------------------- floats
typedef __m512 vf;
typedef __m512i vi;

WORD __mmask16 first_lanes(int64_t n) { return (__mmask16)((1u << n) - 1); }

WORD vf vf_zero(void) { return _mm512_setzero_ps(); }
WORD vf vf_set(float a) { return _mm512_set1_ps(a); }
WORD vf vf_load(const float *p) { return _mm512_loadu_ps(p); }
WORD vf vf_load_part(const float *p, int64_t n) { return _mm512_maskz_loadu_ps(first_lanes(n), p); }
WORD void vf_store(float *p, vf v) { _mm512_storeu_ps(p, v); }
WORD void vf_store_part(float *p, vf v, int64_t n) { _mm512_mask_storeu_ps(p, first_lanes(n), v); }
WORD vf vf_add(vf a, vf b) { return _mm512_add_ps(a, b); }
WORD vf vf_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
WORD vf vf_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
WORD vf vf_div(vf a, vf b) { return _mm512_div_ps(a, b); }
WORD vf vf_max(vf bound, vf x) { return _mm512_max_ps(bound, x); }
WORD vf vf_min(vf bound, vf x) { return _mm512_min_ps(bound, x); }
WORD vf vf_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
WORD vf vf_sqrt(vf a) { return _mm512_sqrt_ps(a); }
WORD vf vf_abs(vf a) { return _mm512_abs_ps(a); }
WORD vf vf_round(vf a) {
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
WORD vf vf_scale2(vf a, vf n) { return _mm512_scalef_ps(a, n); }
WORD vf vf_copy_sign(vf a, vf sign) { // 0xca: where the mask has a 1, the bit of a
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_set1_epi32(0x7fffffff),
        _mm512_castps_si512(a), _mm512_castps_si512(sign), 0xca));
}
WORD vf vf_where_less(vf a, vf b, vf x, vf y) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x);
}
WORD float vf_sum(vf v) { return _mm512_reduce_add_ps(v); }
WORD float vf_highest(vf v) { return _mm512_reduce_max_ps(v); }

WORD vf vf_load_f16(const uint16_t *p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256((const void *)p));
}
WORD vf vf_load_f16_part(const uint16_t *p, int64_t n) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first_lanes(n), p));
}
WORD vf bf16_to_vf(__m256i v) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16));
}
WORD vf vf_load_bf16(const uint16_t *p) { return bf16_to_vf(_mm256_loadu_si256((const void *)p)); }
WORD vf vf_load_bf16_part(const uint16_t *p, int64_t n) {
    return bf16_to_vf(_mm256_maskz_loadu_epi16(first_lanes(n), p));
}
WORD void vf_store_f16_part(uint16_t *p, vf v, int64_t n) {
    __m256i h = _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm256_mask_storeu_epi16(p, first_lanes(n), h);
}

// ---------------------------------------------------------------- integers
WORD vi vi_zero(void) { return _mm512_setzero_si512(); }
WORD vi vi_set(int32_t a) { return _mm512_set1_epi32(a); }
WORD vi vi_load(const void *p) { return _mm512_loadu_si512(p); }
WORD void vi_store(void *p, vi v) { _mm512_storeu_si512(p, v); }
WORD vi vi_and(vi a, vi b) { return _mm512_and_si512(a, b); }
WORD vi vi_or(vi a, vi b) { return _mm512_or_si512(a, b); }
WORD vi vi_xor(vi a, vi b) { return _mm512_xor_si512(a, b); }
WORD vi vi_shr(vi a, int n) { return _mm512_srli_epi32(a, (unsigned)n); }
WORD vi vi_shl(vi a, int n) { return _mm512_slli_epi32(a, (unsigned)n); }
WORD vi vi_of_bytes(const uint8_t *p) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)p));
}
WORD vi vi_table(const int8_t t[16], vi v) {
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128((const void *)t)), v);
}
WORD vf vi_to_f(vi v) { return _mm512_cvtepi32_ps(v); }
WORD vf vf_of_bf16_low(vi pairs) { return _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16)); }
WORD vf vf_of_bf16_high(vi pairs) {
    return _mm512_castsi512_ps(_mm512_and_si512(pairs, vi_set((int)0xffff0000)));
}
WORD vi round_bf16(vf v) { // in the upper halves; a NaN stays one
    vi b = _mm512_castps_si512(v), odd = _mm512_and_si512(_mm512_srli_epi32(b, 16), vi_set(1));
    vi rounded = _mm512_add_epi32(_mm512_add_epi32(b, vi_set(0x7fff)), odd);
    vi quiet = _mm512_or_si512(b, vi_set(0x400000));
    return _mm512_mask_mov_epi32(rounded, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), quiet);
}
WORD vi vi_bf16_pairs(vf low, vf high) {
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(round_bf16(low), 16),
                                   round_bf16(high));
}
// An instruction of AVX512_BF16, which this file may not be compiled for as a whole.
WORD vf vf_dot_bf16(vf x, vf w, vf s) {
    __asm__("vdpbf16ps %2, %1, %0" : "+v"(s) : "v"(x), "v"(w));
    return s;
}
#define HAS_DOT_BF16
WORD vi vi_dot(vi a, vi w, vi x) { return _mm512_dpbusd_epi32(a, w, x); }
WORD vi vi_dot_signed(vi a, vi w, vi x) { // |w| . (sign of w) x: for w and x from -127
    __mmask64 negative = _mm512_movepi8_mask(w);
    vi signed_x = _mm512_mask_sub_epi8(x, negative, vi_zero(), x);
    return _mm512_dpbusd_epi32(a, _mm512_abs_epi8(w), signed_x);
}
WORD vi vi_dot_keys(vi a, vi w, vi x) {
    return _mm512_dpbusd_epi32(a, _mm512_xor_si512(w, _mm512_set1_epi8(-128)), x);
}
WORD vi vi_sums(const int16_t p[2], int a, int b) {
    vi factors = vi_set((int32_t)((uint32_t)(a & 0xffff) | (uint32_t)b << 16));
    return _mm512_madd_epi16(vi_set((int32_t)load_u32(p)), factors);
}

typedef vi vp;

WORD vp vp_begin(vi a) { return a; }
WORD vp vp_dot(vp p, vi w, vi x) { return vi_dot(p, w, x); }
WORD vp vp_dot_signed(vp p, vi w, vi x) { return vi_dot_signed(p, w, x); }
WORD vi vp_end(vp p, vi a) { return (void)a, p; }
WORD void vf_store_s8(int8_t *p, vf v) {
    _mm_storeu_si128((void *)p, _mm512_cvtsepi32_epi8(_mm512_cvtps_epi32(v)));
}
WORD vf vf_load_s8(const int8_t *p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)p)));
}
// clang-format on

// 16 x 16: pairs of rows, pairs of pairs, then whole quarters.
WORD void transpose(const void *from, int64_t stride, void *to, int64_t to_stride) {
    __m512i r[16], t[16];
    for (int i = 0; i < 16; i++) r[i] = vi_load((const char *)from + 4 * stride * i);
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
        t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
        t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
    }
    for (int i = 0; i < 4; i++) {
        r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
        r[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
        r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
        r[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
    }
    for (int i = 0; i < 16; i++) _mm512_storeu_si512((char *)to + 4 * to_stride * i, r[i]);
}

#include "kernels/words_x86.inl"

// clang-format off
WORD v32 v32_bits(uint32_t b) { return _mm256_maskz_set1_epi8(b, -1); }
// clang-format on

#include "kernels/bodies.inl"

// clang-format off
// Two products and as many additions a lane.
__attribute__((target("avx512bf16"))) static double limit_bf16(int64_t n, float *sink) {
    __m512bh w = (__m512bh)vi_set(0x3f803f80), x = (__m512bh)vi_set(0x30803080); // 1, 9e-10
    vf sum = vf_zero();
#define START(i, next) vf a##i = vf_set((float)(n % 8 + 1 + (i)));
#define STEP(i, next) a##i = _mm512_dpbf16_ps(a##i, w, x);
#define TAKE(i, next) sum = vf_add(sum, a##i);
    RING(START) SECOND_RING(START)
    for (int64_t round = 0; round < n; round++) { RING(STEP) SECOND_RING(STEP) }
    RING(TAKE) SECOND_RING(TAKE)
#undef START
#undef STEP
#undef TAKE
    *sink = vf_sum(sum);
    return 4.0 * VF * RING_CHAINS * (double)n;
}
// clang-format on

void kernels_avx512(Kernels *table, const CpuFeatures *features) {
    fill_table(table);
    if (features->bf16) {
        table->panel_bf16 = panel_pairs;
        table->limit_bf16 = limit_bf16;
    }
    if (features->amx) {
        table->panel_bf16 = amx_panel_bf16;
        table->limit_bf16 = amx_limit_bf16;
    }
}
