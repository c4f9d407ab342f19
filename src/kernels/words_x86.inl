// words_x86.inl - the words of vector.h on 128 and 256 bits, the same for AVX2 and AVX-512.

// clang-format off
// ---------------------------------------------------------------- one number of each of four rows
WORD float half_to_float(uint16_t h) { return _cvtsh_ss(h); }

typedef __m128 f4;

WORD void f4_store(float *p, f4 v) { _mm_storeu_ps(p, v); }

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

WORD void v32_sums(v32 v, int16_t sum[2]) {
    __m256i s = _mm256_maddubs_epi16(v32_set(1), v);
    s = _mm256_madd_epi16(s, _mm256_set1_epi16(1)); // four in each half
    s = _mm256_add_epi32(s, _mm256_shuffle_epi32(s, 0x4e));
    s = _mm256_add_epi32(s, _mm256_shuffle_epi32(s, 0xb1));
    sum[0] = (int16_t)_mm256_cvtsi256_si32(s);
    sum[1] = (int16_t)_mm256_extract_epi32(s, 4);
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
// clang-format on
