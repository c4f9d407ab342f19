// words_x86.inl - the words of vector.h on 128 and 256 bits, the same for AVX2 and AVX-512.

// clang-format off
// ---------------------------------------------------------------- one number of each of four rows
WORD float half_to_float(uint16_t h) { return _cvtsh_ss(h); }

typedef __m128 f4;
typedef __m128i i4;

WORD f4 f4_zero(void) { return _mm_setzero_ps(); }
WORD f4 f4_set(float a) { return _mm_set1_ps(a); }
WORD f4 f4_load(const float *p) { return _mm_loadu_ps(p); }
WORD void f4_store(float *p, f4 v) { _mm_storeu_ps(p, v); }
WORD f4 f4_mul(f4 a, f4 b) { return _mm_mul_ps(a, b); }
WORD f4 f4_fma(f4 a, f4 b, f4 c) { return _mm_fmadd_ps(a, b, c); }
WORD f4 i4_to_f(i4 v) { return _mm_cvtepi32_ps(v); }
WORD i4 i4_zero(void) { return _mm_setzero_si128(); }
WORD i4 i4_neg(i4 v) { return _mm_sub_epi32(_mm_setzero_si128(), v); }
WORD i4 i4_add(i4 a, i4 b) { return _mm_add_epi32(a, b); }
WORD void i4_store(int32_t *p, i4 v) { _mm_storeu_si128((__m128i *)p, v); }

WORD uint64_t load_u16(const void *p) {
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
WORD f4 f4_of_f16(const void *a, const void *b, const void *c, const void *d) {
    uint64_t v = load_u16(a) | load_u16(b) << 16 | load_u16(c) << 32 | load_u16(d) << 48;
    return _mm_cvtph_ps(_mm_cvtsi64_si128((long long)v)); // inserting would load the shuffle port
}
// ---------------------------------------------------------------- 32 bytes
typedef __m256i v32;

WORD v32 v32_load(const void *p) { return _mm256_loadu_si256(p); }
WORD void v32_store(void *p, v32 v) { _mm256_storeu_si256(p, v); }
WORD v32 v32_set(uint8_t a) { return _mm256_set1_epi8((char)a); }
WORD v32 v32_and(v32 a, v32 b) { return _mm256_and_si256(a, b); }
WORD v32 v32_or(v32 a, v32 b) { return _mm256_or_si256(a, b); }
WORD v32 v32_xor(v32 a, v32 b) { return _mm256_xor_si256(a, b); }
WORD v32 v32_sub(v32 a, v32 b) { return _mm256_sub_epi8(a, b); }
WORD v32 v32_shr(v32 a, int n) { return _mm256_srli_epi16(a, n); }
WORD v32 v32_shl(v32 a, int n) { return _mm256_slli_epi16(a, n); }
WORD v32 v32_nibbles(const void *p) {
    __m256i v = _mm256_broadcastsi128_si256(_mm_loadu_si128(p));
    return v32_and(_mm256_srlv_epi64(v, _mm256_setr_epi64x(0, 0, 4, 4)), v32_set(15));
}
WORD v32 v32_table(const int8_t t[16], v32 v) {
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)t)), v);
}

// ---------------------------------------------------------------- products of 32 bytes
typedef __m256i vs; // lanes 0..3: bytes 0..15; lanes 4..7: bytes 16..31

WORD vs vs_zero(void) { return _mm256_setzero_si256(); }
WORD vs vs_neg(vs v) { return _mm256_sub_epi32(vs_zero(), v); }
WORD i4 vs_rows(vs a, vs b, vs c, vs d, i4 *high) {
    __m256i s = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    *high = _mm256_extracti128_si256(s, 1);
    return _mm256_castsi256_si128(s);
}

// ---------------------------------------------------------------- integer scales
WORD __m256 bytes_to_floats(__m128i v, int offset) {
    __m256i words = _mm256_cvtepi8_epi32(v);
    return _mm256_cvtepi32_ps(_mm256_sub_epi32(words, _mm256_set1_epi32(offset)));
}
WORD void scale8(uint64_t bytes, int offset, float f, float *to) {
    __m128i v = _mm_cvtsi64_si128((long long)bytes);
    _mm256_storeu_ps(to, _mm256_mul_ps(_mm256_set1_ps(f), bytes_to_floats(v, offset)));
}
WORD __m128i two_words(uint64_t a, uint64_t b) {
    return _mm_unpacklo_epi64(_mm_cvtsi64_si128((long long)a), _mm_cvtsi64_si128((long long)b));
}
WORD void f4_scale8(const uint64_t rows[4], int offset, f4 f, float (*to)[4]) {
    __m128i ac = two_words(rows[0], rows[2]), bd = two_words(rows[1], rows[3]);
    __m128i ab = _mm_unpacklo_epi8(ac, bd), cd = _mm_unpackhi_epi8(ac, bd);  // a0 b0 a1 b1 ..
    __m128i v[2] = {_mm_unpacklo_epi16(ab, cd), _mm_unpackhi_epi16(ab, cd)}; // a0 b0 c0 d0 a1 ..
    __m256 factor = _mm256_set_m128(f, f);
    for (int i = 0; i < 4; i++) {
        __m256 s = bytes_to_floats(i % 2 ? _mm_srli_si128(v[i / 2], 8) : v[i / 2], offset);
        _mm256_storeu_ps(to[2 * i], _mm256_mul_ps(s, factor));
    }
}
// clang-format on
