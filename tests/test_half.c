// test_half.c - the 16-bit floats against their definition, computed with ldexp in double
// precision.
#include "quant/half.h"
#include "tests/test.h"

// sign * (hidden bit and fraction) * 2^exponent, from the fields of the format.
static double half_value(uint16_t h, int exponent_bits, int fraction_bits) {
    int bias = (1 << (exponent_bits - 1)) - 1, exponent = h >> fraction_bits;
    exponent &= (1 << exponent_bits) - 1;
    double fraction = h & ((1 << fraction_bits) - 1), sign = h & 0x8000 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1)
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

static float decode(uint16_t h, bool bf16) {
    return bf16 ? bf16_to_f32(h) : f16_to_f32(h);
}
static uint16_t encode(float f, bool bf16) {
    return bf16 ? f32_to_bf16(f) : f32_to_f16(f);
}
static bool is_nan16(uint16_t h, bool bf16) {
    return (h & 0x7fff) > (bf16 ? 0x7f80 : 0x7c00);
}

static bool decodes_right(uint16_t h, bool bf16) {
    double want = bf16 ? half_value(h, 8, 7) : half_value(h, 5, 10);
    float got = decode(h, bf16);
    bool ok = isnan(want) ? isnan(got) : (double)got == want && !signbit(got) == !(h & 0x8000);
    return test_check(ok, __FILE__, __LINE__, "%s %04x decodes to %g, want %g",
                      bf16 ? "bf16" : "f16", h, (double)got, want);
}

static bool encodes_back(uint16_t h, bool bf16) {
    uint16_t back = encode(decode(h, bf16), bf16);
    bool ok = is_nan16(h, bf16) ? is_nan16(back, bf16) : back == h;
    return test_check(ok, __FILE__, __LINE__, "%s %04x comes back as %04x", bf16 ? "bf16" : "f16",
                      h, back);
}

TEST(half, all_values) {
    for (int t = 0; t < 2; t++) {
        for (uint32_t h = 0; h < 65536; h++) {
            if (!decodes_right((uint16_t)h, t) || !encodes_back((uint16_t)h, t)) break;
        }
    }
}

// Between each positive half and the next: the tie goes to the even one, what is nearer to one of
// them goes there, with either sign.  The successor of the largest is infinity.
static bool rounds_right(uint16_t h, bool bf16) {
    uint16_t infinite = bf16 ? 0x7f80 : 0x7c00, next = (uint16_t)(h + 1);
    double low = (double)decode(h, bf16), high = (double)decode(next, bf16);
    if (next == infinite) high = ldexp(1, bf16 ? 128 : 16);
    float middle = (float)((low + high) / 2);
    uint16_t even = h & 1 ? next : h;
    bool ok = encode(middle, bf16) == even && encode(-middle, bf16) == (even | 0x8000) &&
              encode(nextafterf(middle, 0), bf16) == h &&
              encode(nextafterf(middle, INFINITY), bf16) == next;
    return test_check(ok, __FILE__, __LINE__, "%s: rounding after %04x", bf16 ? "bf16" : "f16", h);
}

TEST(half, rounding) {
    for (int t = 0; t < 2; t++) {
        for (uint16_t h = 0; h < (t ? 0x7f80 : 0x7c00); h++) {
            if (!rounds_right(h, t)) break;
        }
    }
}

TEST(half, special_values) {
    CHECK_EQUAL(f32_to_f16(65504), 0x7bff);
    CHECK_EQUAL(f32_to_f16(65519.996f), 0x7bff);
    CHECK_EQUAL(f32_to_f16(65520), 0x7c00);
    CHECK_EQUAL(f32_to_f16(3e38f), 0x7c00);
    CHECK_EQUAL(f32_to_f16(-INFINITY), 0xfc00);
    CHECK_EQUAL(f32_to_f16(0x1p-24f), 0x0001);
    CHECK_EQUAL(f32_to_f16(0x1p-25f), 0x0000); // a tie with 0, which is even
    CHECK_EQUAL(f32_to_f16(-0x1p-149f), 0x8000);
    CHECK_EQUAL(f32_to_f16(0.1f), 0x2e66);
    CHECK_EQUAL(f32_to_bf16(3.3961775e38f), 0x7f80); // past the largest by more than half a step
    CHECK_EQUAL(f32_to_bf16(0.1f), 0x3dcd);
    CHECK_EQUAL(f32_to_bf16(-0.0f), 0x8000);
    // A NaN whose payload is only in the bits that are cut off stays a NaN.
    for (uint32_t bits = 0x7f800001; bits; bits = bits << 1 | 0x7f800001) {
        CHECK(is_nan16(f32_to_f16(bits_to_f32(bits)), false));
        CHECK(is_nan16(f32_to_bf16(bits_to_f32(bits)), true));
        if (bits == 0x7fffffff || bits == 0xffffffff) break;
    }
}
