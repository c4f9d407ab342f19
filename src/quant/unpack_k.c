// unpack_k.c - the types with two levels of scales in blocks of 256: Q2_K to Q6_K and IQ4_XS.
// Layouts and formulas are in blocks.h.
#include "quant/blocks.h"
#include "quant/half.h"
#include "quant/unpack.h"

void unpack_q2_k(const void *block, Unpacked *u) {
    const BlockQ2_K *b = block;
    float d = f16_to_f32(b->d), dmin = f16_to_f32(b->dmin);
    for (int g = 0; g < 16; g++) {
        u->scale[g] = d * (float)(b->scales[g] & 15);
        u->minimum[g] = dmin * (float)(b->scales[g] >> 4);
    }
    for (int i = 0; i < SUPER_VALUES; i++) {
        int half = i / 128, j = i / 32 % 4, l = i % 32;
        u->q[i] = b->qs[32 * half + l] >> (2 * j) & 3;
    }
}

void unpack_q3_k(const void *block, Unpacked *u) {
    const BlockQ3_K *b = block;
    float d = f16_to_f32(b->d);
    for (int g = 0; g < 16; g++) {
        int low = g < 8 ? b->scales[g] & 15 : b->scales[g - 8] >> 4;
        int high = b->scales[8 + g % 4] >> (2 * (g / 4)) & 3;
        u->scale[g] = d * (float)((low | high << 4) - 32);
        u->minimum[g] = 0;
    }
    for (int i = 0; i < SUPER_VALUES; i++) {
        int half = i / 128, j = i / 32 % 4, l = i % 32;
        int low = b->qs[32 * half + l] >> (2 * j) & 3;
        int high = b->hmask[l] >> (4 * half + j) & 1;
        u->q[i] = (int8_t)((low | high << 2) - 4);
    }
}

static void unpack_scales_k(const uint8_t scales[12], float d, float dmin, Unpacked *u) {
    for (int g = 0; g < 8; g++) {
        int scale, minimum;
        block_scale_min(scales, g, &scale, &minimum);
        u->scale[g] = d * (float)scale;
        u->minimum[g] = dmin * (float)minimum;
    }
}

void unpack_q4_k(const void *block, Unpacked *u) {
    const BlockQ4_K *b = block;
    unpack_scales_k(b->scales, f16_to_f32(b->d), f16_to_f32(b->dmin), u);
    for (int i = 0; i < SUPER_VALUES; i++) {
        int g = i / 32, l = i % 32;
        u->q[i] = b->qs[32 * (g / 2) + l] >> (4 * (g % 2)) & 15;
    }
}

void unpack_q5_k(const void *block, Unpacked *u) {
    const BlockQ5_K *b = block;
    unpack_scales_k(b->scales, f16_to_f32(b->d), f16_to_f32(b->dmin), u);
    for (int i = 0; i < SUPER_VALUES; i++) {
        int g = i / 32, l = i % 32;
        int low = b->qs[32 * (g / 2) + l] >> (4 * (g % 2)) & 15;
        u->q[i] = (int8_t)(low | (b->qh[l] >> g & 1) << 4);
    }
}

void unpack_q6_k(const void *block, Unpacked *u) {
    const BlockQ6_K *b = block;
    float d = f16_to_f32(b->d);
    for (int g = 0; g < 16; g++) {
        u->scale[g] = d * (float)b->scales[g];
        u->minimum[g] = 0;
    }
    for (int i = 0; i < SUPER_VALUES; i++) {
        int half = i / 128, j = i / 32 % 4, l = i % 32;
        int low = b->ql[64 * half + 32 * (j % 2) + l] >> (4 * (j / 2)) & 15;
        int high = b->qh[32 * half + l] >> (2 * j) & 3;
        u->q[i] = (int8_t)((low | high << 4) - 32);
    }
}

void unpack_iq4_xs(const void *block, Unpacked *u) {
    const BlockIQ4_XS *b = block;
    float d = f16_to_f32(b->d);
    for (int g = 0; g < 8; g++) {
        int low = b->scales_l[g / 2] >> (4 * (g % 2)) & 15;
        int high = b->scales_h >> (2 * g) & 3;
        u->scale[g] = d * (float)((low | high << 4) - 32);
        u->minimum[g] = 0;
    }
    for (int i = 0; i < SUPER_VALUES; i++) {
        int g = i / 32, l = i % 32;
        int nibble = b->qs[16 * g + l % 16] >> (4 * (l / 16)) & 15;
        u->q[i] = block_iq4_values[nibble];
    }
}
