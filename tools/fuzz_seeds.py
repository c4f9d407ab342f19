#!/usr/bin/env python3
"""Small valid files from which the fuzzers start: fuzz/corpus/gguf/, fuzz/corpus/safetensors/.

    pip install gguf safetensors numpy
    tools/fuzz_seeds.py
"""
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from safetensors.numpy import save

CORPUS = Path(__file__).resolve().parent.parent / "fuzz" / "corpus"


def close(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def gguf_with_every_type(path):
    writer = gguf.GGUFWriter(path, "llama")
    for kind in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"):
        getattr(writer, f"add_{kind}")(kind, 7)
    writer.add_float32("float32", 0.5)
    writer.add_float64("float64", 0.25)
    writer.add_bool("bool", True)
    writer.add_string("string", "é")
    for values in ([1, 2, 3], [0.5, 1.5], ["a", "bc"], [True, False]):
        writer.add_array(f"array of {type(values[0]).__name__}", values)
    writer.add_block_count(2)
    writer.add_head_count([2, 4])
    rows = np.arange(64, dtype=np.float32).reshape(2, 32) / 64
    for kind in (Type.F32, Type.F16, Type.BF16, Type.Q8_0, Type.Q4_0):
        writer.add_tensor(kind.name.lower(), gguf.quants.quantize(rows, kind), raw_dtype=kind)
    close(writer)


def gguf_without_tensors(path):
    writer = gguf.GGUFWriter(path, "gpt2")
    writer.add_custom_alignment(64)
    close(writer)


def save_safetensors(path, tensors, metadata=None):
    """Without bytes 2 to 7: fuzz_safetensors reads the length of the header in two bytes."""
    file = save(tensors, metadata)
    path.write_bytes(file[:2] + file[8:])


if __name__ == "__main__":
    for folder in ("gguf", "safetensors"):
        (CORPUS / folder).mkdir(parents=True, exist_ok=True)
    gguf_with_every_type(CORPUS / "gguf" / "every_type")
    gguf_without_tensors(CORPUS / "gguf" / "no_tensors")
    save_safetensors(CORPUS / "safetensors" / "four_tensors",
                     {"a": np.arange(6, dtype=np.float32).reshape(2, 3),
                      "b": np.arange(4, dtype=np.float16),
                      "empty": np.zeros((0, 3), np.int32),
                      "scalar": np.array(1, np.int64)}, {"format": "pt"})
    save_safetensors(CORPUS / "safetensors" / "none", {})
