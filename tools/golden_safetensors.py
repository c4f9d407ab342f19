#!/usr/bin/env python3
"""Writes tests/fixtures/safetensors/types.safetensors with the `safetensors` package.

    pip install safetensors numpy && python3 tools/golden_safetensors.py

It holds tensors of several types, a scalar and one of size zero; the numbers are repeated in
tests/test_safetensors.c.
"""
import os
import sys

import numpy as np
from safetensors.numpy import save_file

path = os.path.join(
    os.path.dirname(__file__), "..", "tests", "fixtures", "safetensors", "types.safetensors"
)
tensors = {
    "grüße": np.arange(6, dtype=np.float32).reshape(2, 3),
    "f16": np.array([1, 2], dtype=np.float16),
    "i64": np.array([1, 2], dtype=np.int64),
    "bool": np.array([True, False, True]),
    "scalar": np.array(0.5, dtype=np.float64),
    "empty": np.zeros((0, 4), dtype=np.float32),
}
save_file(tensors, path, metadata={"format": "pt"})
print(path, os.path.getsize(path), file=sys.stderr)
