// kernels_avx2.c - the table for AVX2 with FMA and F16C: the words of vector.h on 256 bits, then
// the bodies.
//
// Bytes are multiplied by vpmaddubsw, unsigned by signed, whose sums of two saturate at 16 bits:
// fine for weights of up to 7 bits.  Signed weights of 8 bits (Q8_0, tables) enter as their
// absolute value, and the activations take over the sign; 128 * 127 * 2 still fits.
#include <immintrin.h>

#include "kernels/vector.h"

enum {
    VF = 8,              // floats of a vector
    REGISTERS = 16,      // vector registers
    PRODUCT_MAX = 127,   // the largest byte of the unsigned side of a product
    KEYS_OFFSET = 0,     // what vi_dot_keys adds to its signed bytes
    FLOAT_TILE = 3,      // activation rows of a tile of float products
    FLOAT_DEPTH = 128,   // k of an F32 panel that stays in the L1 cache
    PRODUCT_SUM = 32767, // the largest sum of products that a vp holds
    PANEL_K = 512,       // k of unpacked weights that stay in the L1 cache
    PANEL_FROM = 8,      // activation rows for which unpacking a panel pays
    PANEL_TILE = 4,      // activation rows of a tile of unpacked weights
    TILE_STAYS = 2       // pairs of vectors of results that stay in registers
};

// clang-format off
// ---------------------------------------------------------------- floats
typedef __m256 vf;
typedef __m256i vi;

WORD __m256i first_lanes(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

WORD vf vf_zero(void) { return _mm256_setzero_ps(); }
WORD vf vf_set(float a) { return _mm256_set1_ps(a); }
WORD vf vf_load(const float *p) { return _mm256_loadu_ps(p); }
WORD vf vf_load_part(const float *p, int64_t n) { return _mm256_maskload_ps(p, first_lanes(n)); }
WORD void vf_store(float *p, vf v) { _mm256_storeu_ps(p, v); }
WORD void vf_store_part(float *p, vf v, int64_t n) { _mm256_maskstore_ps(p, first_lanes(n), v); }
WORD vf vf_add(vf a, vf b) { return _mm256_add_ps(a, b); }
WORD vf vf_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
WORD vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
WORD vf vf_div(vf a, vf b) { return _mm256_div_ps(a, b); }
WORD vf vf_max(vf bound, vf x) { return _mm256_max_ps(bound, x); }
WORD vf vf_min(vf bound, vf x) { return _mm256_min_ps(bound, x); }
WORD vf vf_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
WORD vf vf_sqrt(vf a) { return _mm256_sqrt_ps(a); }
WORD vf vf_abs(vf a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
WORD vf vf_round(vf a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
WORD vf exp2_of(__m256i n) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23));
}
WORD vf vf_scale2(vf a, vf n) { // in two steps, each within the exponent's range
    __m256i whole = _mm256_cvtps_epi32(n), half = _mm256_srai_epi32(whole, 1);
    return vf_mul(vf_mul(a, exp2_of(half)), exp2_of(_mm256_sub_epi32(whole, half)));
}
WORD vf vf_copy_sign(vf a, vf sign) {
    return _mm256_or_ps(vf_abs(a), _mm256_and_ps(_mm256_set1_ps(-0.0f), sign));
}
WORD vf vf_where_less(vf a, vf b, vf x, vf y) {
    return _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
WORD float vf_sum(vf v) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
WORD float vf_highest(vf v) {
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}

WORD __m128i load_halves(const uint16_t *p, int64_t n) {
    uint16_t h[8] = {0};
    memcpy(h, p, 2 * (size_t)n);
    return _mm_loadu_si128((const void *)h);
}
WORD vf bf16_to_vf(__m128i v) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16));
}
WORD vf vf_load_f16(const uint16_t *p) { return _mm256_cvtph_ps(_mm_loadu_si128((const void *)p)); }
WORD vf vf_load_f16_part(const uint16_t *p, int64_t n) {
    return _mm256_cvtph_ps(load_halves(p, n));
}
WORD vf vf_load_bf16(const uint16_t *p) { return bf16_to_vf(_mm_loadu_si128((const void *)p)); }
WORD vf vf_load_bf16_part(const uint16_t *p, int64_t n) { return bf16_to_vf(load_halves(p, n)); }
WORD void vf_store_f16_part(uint16_t *p, vf v, int64_t n) {
    uint16_t h[8];
    _mm_storeu_si128((void *)h, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    memcpy(p, h, 2 * (size_t)n);
}
WORD void vf_store_s8(int8_t *p, vf v) {
    __m256i words = _mm256_cvtps_epi32(v);
    __m128i h = _mm_packs_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storel_epi64((void *)p, _mm_packs_epi16(h, h));
}
WORD vf vf_load_s8(const int8_t *p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)p)));
}

// ---------------------------------------------------------------- integers
WORD vi vi_zero(void) { return _mm256_setzero_si256(); }
WORD vi vi_set(int32_t a) { return _mm256_set1_epi32(a); }
WORD vi vi_load(const void *p) { return _mm256_loadu_si256(p); }
WORD void vi_store(void *p, vi v) { _mm256_storeu_si256(p, v); }
WORD vi vi_and(vi a, vi b) { return _mm256_and_si256(a, b); }
WORD vi vi_or(vi a, vi b) { return _mm256_or_si256(a, b); }
WORD vi vi_xor(vi a, vi b) { return _mm256_xor_si256(a, b); }
WORD vi vi_shr(vi a, int n) { return _mm256_srli_epi32(a, n); }
WORD vi vi_shl(vi a, int n) { return _mm256_slli_epi32(a, n); }
WORD vi vi_of_bytes(const uint8_t *p) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)p));
}
WORD vi vi_table(const int8_t t[16], vi v) {
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)t)), v);
}
WORD vf vi_to_f(vi v) { return _mm256_cvtepi32_ps(v); }
WORD vf vf_of_bf16_low(vi pairs) { return _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16)); }
WORD vf vf_of_bf16_high(vi pairs) {
    return _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32((int)0xffff0000)));
}
WORD vi round_bf16(vf v) { // in the upper halves; a NaN stays one
    vi b = _mm256_castps_si256(v), odd = _mm256_and_si256(_mm256_srli_epi32(b, 16), vi_set(1));
    vi rounded = _mm256_add_epi32(_mm256_add_epi32(b, vi_set(0x7fff)), odd);
    vi quiet = _mm256_or_si256(b, vi_set(0x400000));
    vi is_nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    return _mm256_blendv_epi8(rounded, quiet, is_nan);
}
WORD vi vi_bf16_pairs(vf low, vf high) {
    return _mm256_blend_epi16(_mm256_srli_epi32(round_bf16(low), 16), round_bf16(high), 0xaa);
}
WORD vi vi_dot(vi a, vi w, vi x) {
    return _mm256_add_epi32(a, _mm256_madd_epi16(_mm256_maddubs_epi16(w, x), _mm256_set1_epi16(1)));
}
WORD vi vi_dot_signed(vi a, vi w, vi x) {
    return vi_dot(a, _mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
}
WORD vi vi_dot_keys(vi a, vi w, vi x) { return vi_dot_signed(a, w, x); }
WORD vi vi_sums(const int16_t p[2], int a, int b) {
    vi factors = vi_set((int32_t)((uint32_t)(a & 0xffff) | (uint32_t)b << 16));
    return _mm256_madd_epi16(vi_set((int32_t)load_u32(p)), factors);
}

// Sums of pairs stay 16 bits wide as long as they can.
typedef __m256i vp;

WORD vp vp_begin(vi a) { return (void)a, vi_zero(); }
WORD vp vp_dot(vp p, vi w, vi x) { return _mm256_add_epi16(p, _mm256_maddubs_epi16(w, x)); }
WORD vp vp_dot_signed(vp p, vi w, vi x) {
    return vp_dot(p, _mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
}
WORD vi vp_end(vp p, vi a) {
    return _mm256_add_epi32(a, _mm256_madd_epi16(p, _mm256_set1_epi16(1)));
}
// clang-format on

// 8 x 8: pairs of rows, pairs of pairs, halves.
WORD void transpose(const void *from, int64_t stride, void *to, int64_t to_stride) {
    __m256i r[8], t[8];
    for (int i = 0; i < 8; i++) r[i] = vi_load((const char *)from + 4 * stride * i);
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        t[i] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x20);
        t[i + 4] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x31);
    }
    for (int i = 0; i < 8; i++) _mm256_storeu_si256((void *)((char *)to + 4 * to_stride * i), t[i]);
}

#include "kernels/words_x86.inl"

// clang-format off
WORD v32 v32_bits(uint32_t b) { // each byte gets the byte of b with its bit, then that bit alone
    __m256i from = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202,
                                      0x0303030303030303);
    __m256i bit = _mm256_set1_epi64x((long long)0x8040201008040201);
    __m256i v = _mm256_shuffle_epi8(_mm256_set1_epi32((int)b), from);
    return _mm256_cmpeq_epi8(_mm256_and_si256(v, bit), bit);
}
#include "kernels/bodies.inl"
// clang-format on

void kernels_avx2(Kernels *table, const CpuFeatures *features) {
    (void)features;
    fill_table(table);
}
