// words_pairs.inl - the words of vector.h on two groups at once, for sets whose vectors hold one.

typedef struct v64 {
    v32 a, b;
} v64;
typedef struct vd {
    vs a, b;
} vd;

// clang-format off
WORD v64 v64_load(const int8_t *p) { return (v64){v32_load(p), v32_load(p + 32)}; }
WORD v64 v64_join(v32 a, v32 b) { return (v64){a, b}; }
WORD v64 v64_set(uint8_t a) { return (v64){v32_set(a), v32_set(a)}; }
WORD v64 v64_xor(v64 a, v64 b) { return (v64){v32_xor(a.a, b.a), v32_xor(a.b, b.b)}; }
WORD v64 v64_sub(v64 a, v64 b) { return (v64){v32_sub(a.a, b.a), v32_sub(a.b, b.b)}; }
WORD v64 v64_nibbles(const void *p, const void *q) { return (v64){v32_nibbles(p), v32_nibbles(q)}; }
WORD v64 v64_halves(const void *p) {
    v32 v = v32_load(p), low = v32_set(15);
    return (v64){v32_and(v, low), v32_and(v32_shr(v, 4), low)};
}
WORD vd vd_zero(void) { return (vd){vs_zero(), vs_zero()}; }
WORD vd vd_neg(vd v) { return (vd){vs_neg(v.a), vs_neg(v.b)}; }
WORD vd vd_dot(vd s, v64 w, v64 x) { return (vd){vs_dot(s.a, w.a, x.a), vs_dot(s.b, w.b, x.b)}; }
WORD vd vd_dot_signed(vd s, v64 w, v64 x) {
    return (vd){vs_dot_signed(s.a, w.a, x.a), vs_dot_signed(s.b, w.b, x.b)};
}
WORD void vd_rows(vd a, vd b, vd c, vd d, i4 part[4]) {
    part[0] = vs_rows(a.a, b.a, c.a, d.a, &part[1]);
    part[2] = vs_rows(a.b, b.b, c.b, d.b, &part[3]);
}
WORD void vd_rows_whole(vd a, vd b, vd c, vd d, i4 sum[2]) {
    i4 part[4];
    vd_rows(a, b, c, d, part);
    sum[0] = i4_add(part[0], part[1]);
    sum[1] = i4_add(part[2], part[3]);
}
// clang-format on
