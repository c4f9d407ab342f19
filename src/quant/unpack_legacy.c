// unpack_legacy.c - the types with one scale for 32 values: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, IQ4_NL
// and MXFP4.  Layouts and formulas are in blocks.h.
#include <string.h>

#include "quant/blocks.h"
#include "quant/half.h"
#include "quant/unpack.h"

const int8_t block_iq4_values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                     1,    13,   25,  38,  53,  69,  89,  113};
const int8_t block_mxfp4_values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

static void put_scale(Unpacked *u, float scale, float minimum) {
    u->scale[0] = scale;
    u->minimum[0] = minimum;
}

static void put_nibbles(int8_t *q, const uint8_t *qs, int offset) {
    for (int i = 0; i < 16; i++) {
        q[i] = (int8_t)((qs[i] & 15) - offset);
        q[i + 16] = (int8_t)((qs[i] >> 4) - offset);
    }
}

static void put_nibbles_and_bits(int8_t *q, const uint8_t *qs, const uint8_t *qh, int offset) {
    for (int i = 0; i < 32; i++) {
        int low = i < 16 ? qs[i] & 15 : qs[i - 16] >> 4;
        int high = qh[i / 8] >> (i % 8) & 1;
        q[i] = (int8_t)((low | high << 4) - offset);
    }
}

static void put_table(int8_t *q, const uint8_t *qs, const int8_t table[16]) {
    for (int i = 0; i < 16; i++) {
        q[i] = table[qs[i] & 15];
        q[i + 16] = table[qs[i] >> 4];
    }
}

void unpack_q4_0(const void *block, Unpacked *u) {
    const BlockQ4_0 *b = block;
    put_scale(u, f16_to_f32(b->d), 0);
    put_nibbles(u->q, b->qs, 8);
}

void unpack_q4_1(const void *block, Unpacked *u) {
    const BlockQ4_1 *b = block;
    put_scale(u, f16_to_f32(b->d), -f16_to_f32(b->m));
    put_nibbles(u->q, b->qs, 0);
}

void unpack_q5_0(const void *block, Unpacked *u) {
    const BlockQ5_0 *b = block;
    put_scale(u, f16_to_f32(b->d), 0);
    put_nibbles_and_bits(u->q, b->qs, b->qh, 16);
}

void unpack_q5_1(const void *block, Unpacked *u) {
    const BlockQ5_1 *b = block;
    put_scale(u, f16_to_f32(b->d), -f16_to_f32(b->m));
    put_nibbles_and_bits(u->q, b->qs, b->qh, 0);
}

void unpack_q8_0(const void *block, Unpacked *u) {
    const BlockQ8_0 *b = block;
    put_scale(u, f16_to_f32(b->d), 0);
    memcpy(u->q, b->qs, sizeof b->qs);
}

void unpack_iq4_nl(const void *block, Unpacked *u) {
    const BlockIQ4_NL *b = block;
    put_scale(u, f16_to_f32(b->d), 0);
    put_table(u->q, b->qs, block_iq4_values);
}

void unpack_mxfp4(const void *block, Unpacked *u) {
    const BlockMXFP4 *b = block;
    put_scale(u, mxfp4_scale(b->e), 0);
    put_table(u->q, b->qs, block_mxfp4_values);
}
