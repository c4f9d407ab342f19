#!/usr/bin/env python3
"""Writes tests/fixtures/quant/{decode,encode}.bin with the `gguf` package: golden_quant.py FOLDER

decode.bin: records of  u32 type | u32 n | the bytes of n values | n x f32, what they decode to.
encode.bin: records of  u32 type | u32 n | n x f32 | the bytes they encode to.
All little-endian; a type is its GGUF number.  The first blocks of each type have edge values in their
scales and integers, the others random bytes; no scale is infinite or NaN.
"""
import struct
import sys
from pathlib import Path

import numpy as np
from gguf import quants
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType as T

# Byte offsets of the binary16 scales in a block.
SCALES = {
    T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0], T.IQ4_NL: [0],
    T.MXFP4: [], T.Q2_K: [80, 82], T.Q3_K: [108], T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q6_K: [208],
    T.IQ4_XS: [0],
}
# Bytes of the integers and binary16 bits of the scales, for the first blocks.
EDGES = [(0x00, 0x3C00), (0xFF, 0x3C00), (0x80, 0xBC00), (0x5A, 0x7BFF), (0x0F, 0x0001),
         (0xF0, 0x83FF), (0x7F, 0x8000)]


def blocks_of(rng, dtype):
    size = GGML_QUANT_SIZES[dtype][1]
    blocks = []
    for fill, scale in EDGES:
        block = np.full(size, fill, np.uint8)
        for at in SCALES[dtype]:
            block[at:at + 2] = np.frombuffer(struct.pack("<H", scale), np.uint8)
        blocks.append(block)
    for _ in range(2):
        block = rng.integers(0, 256, size, np.uint8)
        for at in SCALES[dtype]:
            half = np.float16(rng.normal() * 0.05)
            block[at:at + 2] = np.frombuffer(half.tobytes(), np.uint8)
        blocks.append(block)
    if dtype == T.MXFP4:
        for e in (0, 1, 2, 3, 126, 127, 128, 254, 255):
            block = rng.integers(0, 256, size, np.uint8)
            block[0] = e
            blocks.append(block)
    return np.concatenate(blocks)


def write_decode(path, rng):
    with open(path, "wb") as out:
        for dtype in SCALES:
            row = blocks_of(rng, dtype)
            values = quants.dequantize(row, dtype).astype("<f4").ravel()
            out.write(struct.pack("<II", dtype, values.size) + row.tobytes() + values.tobytes())


def values_to_encode(rng):
    groups = [np.zeros(32), np.full(32, 0.3), np.full(32, -0.3), np.linspace(-1, 1, 32),
              np.where(np.arange(32) % 2, -1.0, 1.0), np.arange(32) / 2 - 8,
              np.arange(-127, 129, 8) / 2, np.eye(1, 32, 5)[0] * -7, np.arange(32) * 1e-4]
    groups += [rng.normal(size=32) * 10.0 ** exponent for exponent in range(-5, 5)]
    groups += [np.append(rng.integers(-253, 254, 31) / 2, 127) for _ in range(5)]
    groups += [np.append(rng.integers(-15, 16, 31) / 2, -8) for _ in range(5)]
    return np.concatenate(groups).astype("<f4")


def write_encode(path, rng):
    values = values_to_encode(rng)
    with open(path, "wb") as out:
        for dtype in (T.F16, T.BF16, T.Q8_0, T.Q4_0):
            row = quants.quantize(values, dtype)
            out.write(struct.pack("<II", dtype, values.size) + values.tobytes() + row.tobytes())


def main():
    folder = Path(sys.argv[1])
    rng = np.random.default_rng(20170612)
    np.seterr(all="ignore")
    write_decode(folder / "decode.bin", rng)
    write_encode(folder / "encode.bin", rng)


if __name__ == "__main__":
    main()
