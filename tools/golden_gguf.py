#!/usr/bin/env python3
"""Writes tests/fixtures/gguf/types.gguf.bin: a small GGUF file made by the `gguf` package.

    pip install gguf numpy && python3 tools/golden_gguf.py

It holds a value of every type, arrays of several, and tensors of four types; the numbers are
repeated in tests/test_gguf_write.c.  (The suffix keeps it clear of the ignored *.gguf.)
"""
import os
import shutil
import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFValueType, GGUFWriter, quants

folder = os.path.join(os.path.dirname(__file__), "..", "tests", "fixtures", "gguf")


def main() -> None:
    target = os.path.join(folder, "types.gguf.bin")
    w = GGUFWriter(target + ".gguf", "llama")
    T = GGUFValueType
    w.add_key_value("t.u8", 200, T.UINT8)
    w.add_key_value("t.i8", -100, T.INT8)
    w.add_key_value("t.u16", 60000, T.UINT16)
    w.add_key_value("t.i16", -30000, T.INT16)
    w.add_key_value("t.u32", 4000000000, T.UINT32)
    w.add_key_value("t.i32", -2000000000, T.INT32)
    w.add_key_value("t.u64", 18000000000000000000, T.UINT64)
    w.add_key_value("t.i64", -9000000000000000000, T.INT64)
    w.add_key_value("t.f32", 0.1, T.FLOAT32)
    w.add_key_value("t.f64", 0.1, T.FLOAT64)
    w.add_key_value("t.bool", True, T.BOOL)
    w.add_key_value("t.string", "Grüße, 世界", T.STRING)
    w.add_array("t.ints", [1, -2, 3])
    w.add_array("t.floats", [0.5, -1.25])
    w.add_array("t.bools", [True, False])
    w.add_array("t.strings", ["a", "", "ccc"])
    w.add_block_count(2)
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    w.add_tensor("f32", matrix)
    w.add_tensor("f16", matrix.astype(np.float16).reshape(3, 2))
    q8 = quants.quantize(np.arange(128, dtype=np.float32).reshape(2, 64), GGMLQuantizationType.Q8_0)
    w.add_tensor("q8_0", q8, raw_dtype=GGMLQuantizationType.Q8_0)
    w.add_tensor("i32", np.array([7, 8, 9], dtype=np.int32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()
    shutil.move(target + ".gguf", target)
    print(target, os.path.getsize(target), file=sys.stderr)


main()
