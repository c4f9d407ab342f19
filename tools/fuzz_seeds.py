#!/usr/bin/env python3
"""Small valid files from which the fuzzers start: fuzz/corpus/NAME/ for fuzz/fuzz_NAME.c.

    pip install gguf safetensors numpy
    tools/fuzz_seeds.py
"""
import json
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from safetensors.numpy import save

ROOT = Path(__file__).resolve().parent.parent
CORPUS, FIXTURES = ROOT / "fuzz" / "corpus", ROOT / "tests" / "fixtures"


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


# Blocks of 256 values, and the small types that the library does not write itself: bytes 0, 1, 2...
BLOCKS = {Type.Q4_1: 20, Type.Q5_0: 22, Type.Q5_1: 24, Type.IQ4_NL: 18, Type.MXFP4: 17, Type.Q2_K: 84,
          Type.Q3_K: 110, Type.Q4_K: 144, Type.Q5_K: 176, Type.Q6_K: 210, Type.IQ4_XS: 136}


def gguf_with_blocks(path):
    writer = gguf.GGUFWriter(path, "llama")
    for kind, size in BLOCKS.items():
        values = np.arange(2 * size, dtype=np.uint32).astype(np.uint8).reshape(2, size)
        writer.add_tensor(f"blk.0.{kind.name.lower()}.weight", values, raw_dtype=kind)
    close(writer)


def gguf_with_shapes(path):
    """Ranks 1 to 4, a dimension of 1, types that hold no weights, and an alignment of its own."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_custom_alignment(8)
    for shape in ((5,), (1, 3), (2, 1, 3), (2, 2, 1, 2)):
        writer.add_tensor("x".join(map(str, shape)), np.ones(shape, np.float32))
    for kind in (np.int8, np.int16, np.int32, np.int64, np.float64):
        writer.add_tensor(kind.__name__, np.arange(4, dtype=kind))
    close(writer)


def gguf_part_of_two(path):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_uint16("split.no", 0)
    writer.add_uint16("split.count", 2)
    writer.add_int32("split.tensors.count", 3)
    writer.add_tensor("token_embd.weight", np.ones((2, 4), np.float32))
    close(writer)


def gguf_with_vocabulary(path):
    writer = gguf.GGUFWriter(path, "llama")
    vocabulary(writer, True)
    writer.add_chat_template("{% for m in messages %}{{ m.content }}{% endfor %}")
    writer.add_sampling_temp(0.5)
    writer.add_array("numbers", [-1, 7])
    writer.add_array("nested", [[1, 2], [3]])
    close(writer)


def save_safetensors(path, tensors, metadata=None):
    """Without bytes 2 to 7: fuzz_safetensors reads the length of the header in two bytes."""
    file = save(tensors, metadata)
    path.write_bytes(file[:2] + file[8:])


def raw_safetensors(path, header, data):
    """Types that NumPy has not."""
    text = json.dumps(header, separators=(",", ":")).encode()
    path.write_bytes(len(text).to_bytes(2, "little") + text + data)


# ---- whole models of a few kilobytes

WIDTH, HEADS, CONTEXT = 8, 2, 16
TOKENS = ["<unk>", "<s>", "</s>", "\u2581", "a", "b", "\u2581a", "ab"] + [f"<0x{b:02X}>" for b in (10, 195, 169, 255)]
BYTE_TOKENS = ["<s>", "a", "b", "\u0120", "\u0120a", "ab", "\u00c3", "\u00a9", "\u010a", "<|im_end|>"]


def vocabulary(writer, is_spm):
    tokens = TOKENS if is_spm else BYTE_TOKENS
    writer.add_tokenizer_model("llama" if is_spm else "gpt2")
    writer.add_token_list(tokens)
    if is_spm:
        writer.add_token_scores([-float(i) for i in range(len(tokens))])
        writer.add_token_types([2, 3, 3] + [1] * 5 + [6] * 4)
    else:
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_types([3] + [1] * 8 + [3])
        writer.add_token_merges(["\u0120 a", "a b"])
    writer.add_bos_token_id(1 if is_spm else 0)
    writer.add_eos_token_id(2 if is_spm else 9)
    writer.add_add_bos_token(is_spm)
    return len(tokens)


def config(writer, width, is_gpt2):
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(width)
    writer.add_head_count(HEADS)
    if is_gpt2:
        writer.add_layer_norm_eps(1e-5)
        return
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)


def model(path, arch, kind=Type.F32, width=WIDTH, is_spm=False, extra=None):
    writer = gguf.GGUFWriter(path, arch)
    rng = np.random.default_rng(1)
    config(writer, width, arch == "gpt2")
    if extra:
        extra(writer)
    rows = vocabulary(writer, is_spm)
    head = width // HEADS

    def add(name, *shape):
        values = rng.standard_normal(shape).astype(np.float32) / 4
        used = kind if len(shape) == 2 else Type.F32
        writer.add_tensor(name, gguf.quants.quantize(values, used), raw_dtype=used)
    add("token_embd.weight", rows, width)
    add("output_norm.weight", width)
    add("blk.0.attn_norm.weight", width)
    add("blk.0.ffn_norm.weight", width)
    add("blk.0.attn_output.weight", width, width)
    add("blk.0.ffn_up.weight", width, width)
    add("blk.0.ffn_down.weight", width, width)
    if arch == "gpt2":
        add("position_embd.weight", CONTEXT, width)
        add("blk.0.attn_qkv.weight", 3 * width, width)
        add("blk.0.attn_qkv.bias", 3 * width)
        for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm", "blk.0.attn_output",
                     "blk.0.ffn_up", "blk.0.ffn_down"):
            add(name + ".bias", width)
    else:
        add("blk.0.attn_q.weight", width, width)
        add("blk.0.attn_k.weight", head, width)
        add("blk.0.attn_v.weight", head, width)
        add("blk.0.ffn_gate.weight", width, width)
    if arch == "qwen2":
        add("blk.0.attn_q.bias", width)
        add("blk.0.attn_k.bias", head)
        add("blk.0.attn_v.bias", head)
    if arch in ("qwen3", "gemma3"):
        add("blk.0.attn_q_norm.weight", head)
        add("blk.0.attn_k_norm.weight", head)
    if arch == "gemma3":
        add("blk.0.post_attention_norm.weight", width)
        add("blk.0.post_ffw_norm.weight", width)
    close(writer)


def yarn(writer):
    writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
    writer.add_rope_scaling_factor(4.0)
    writer.add_rope_scaling_orig_ctx_len(4)
    writer.add_sliding_window(4)
    writer.add_chat_template("{{ bos_token }}")


def mixed(path):
    """heed's own architecture: a window, an LSTM and Mamba in turn."""
    writer = gguf.GGUFWriter(path, "heed")
    rng = np.random.default_rng(2)
    numbers = {"context_length": CONTEXT, "embedding_length": WIDTH, "block_count": 3,
               "feed_forward_length": WIDTH, "attention.head_count": HEADS,
               "attention.sliding_window": 3, "attention.kept_positions": 1, "ssm.inner_size": WIDTH,
               "ssm.state_size": 2, "ssm.conv_kernel": 3, "ssm.time_step_rank": 1}
    for key, value in numbers.items():
        writer.add_uint32(f"heed.{key}", value)
    writer.add_float32("heed.norm_epsilon", 1e-5)
    for key, value in {"mixers": "window,lstm,mamba", "positions": "alibi"}.items():
        writer.add_string(f"heed.{key}", value)
    w, rows = WIDTH, vocabulary(writer, True)
    layers = [
        {"attn_q.weight": (w, w), "attn_k.weight": (w, w), "attn_v.weight": (w, w),
         "attn_output.weight": (w, w)},
        {"rnn_in.weight": (4 * w, w), "rnn_in.bias": (4 * w,), "rnn_hidden.weight": (4 * w, w),
         "rnn_output.weight": (w, w)},
        {"ssm_in.weight": (2 * w, w), "ssm_conv1d.weight": (w, 3), "ssm_conv1d.bias": (w,),
         "ssm_x.weight": (5, w), "ssm_dt.weight": (w, 1), "ssm_dt.bias": (w,), "ssm_a": (w, 2),
         "ssm_d": (w,), "ssm_out.weight": (w, w)}]
    frame = {"attn_norm.weight": (w,), "ffn_norm.weight": (w,), "ffn_gate.weight": (w, w),
             "ffn_up.weight": (w, w), "ffn_down.weight": (w, w)}
    shapes = {"token_embd.weight": (rows, w), "output_norm.weight": (w,)}
    shapes |= {f"blk.{i}.{name}": shape for i, layer in enumerate(layers)
               for name, shape in (layer | frame).items()}
    for name, shape in shapes.items():
        values = rng.standard_normal(shape).astype(np.float32) / 4
        writer.add_tensor(name, -np.exp(values) if name.endswith("ssm_a") else values)
    close(writer)


def models(folder):
    mixed(folder / "heed")
    model(folder / "gpt2", "gpt2")
    model(folder / "llama_spm", "llama", Type.F16, is_spm=True, extra=yarn)
    model(folder / "llama_q8_0", "llama", Type.Q8_0, 32)
    model(folder / "llama_q4_1", "llama", Type.Q4_1, 32)
    model(folder / "qwen2", "qwen2", Type.BF16)
    model(folder / "qwen3", "qwen3")
    model(folder / "gemma3", "gemma3", extra=lambda w: w.add_sliding_window(4), is_spm=True)


# ---- texts

def tokenizers(folder):
    for name in ("bytes", "spaces", "words"):
        data = json.loads((FIXTURES / f"tokenizer_{name}.json").read_text())
        (folder / name).write_bytes(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
                                    + "\0a bc é\n12 <s>".encode())


def texts(folder, seeds):
    for name, text in seeds.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())


JSONS = {"every_kind": '{"a":[1,-2.5e3,"\\u00e9\\n",true,null],"b":{}}', "numbers": "[0,-0,1e-320,9223372036854775808]"}
STREAMS = {"two_stops": b"\x02\x02ab\x03abc\x04xxab\x02d\xc3\x03\xa9ab", "none": b"\x00\x05\xf0\x9f\x98\x80a"}
UTF8S = {"scripts": "a\u0301 \u1e9b\u0323 \ud55c\uae00 12 don't \n\n\u4f60\u597d \U0001f600", "damaged": b"\xf0\x9f\xed\xa0\x80\xc0\xaf\xff"}


def chats(folder):
    cases = json.loads((FIXTURES / "chat.json").read_text())
    templates = {t for t in all_strings(cases) if "{%" in t and 60 < len(t) < 6000}
    for i, text in enumerate(sorted(templates, key=len)):
        (folder / f"template_{i:02}").write_text(text)


def all_strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from all_strings(item)


if __name__ == "__main__":
    for folder in ("gguf", "safetensors", "model", "tokenizer", "json", "stream", "utf8", "chat"):
        (CORPUS / folder).mkdir(parents=True, exist_ok=True)
    models(CORPUS / "model")
    tokenizers(CORPUS / "tokenizer")
    chats(CORPUS / "chat")
    texts(CORPUS / "json", JSONS)
    texts(CORPUS / "stream", STREAMS)
    texts(CORPUS / "utf8", UTF8S)
    gguf_with_every_type(CORPUS / "gguf" / "every_type")
    gguf_without_tensors(CORPUS / "gguf" / "no_tensors")
    gguf_with_blocks(CORPUS / "gguf" / "blocks")
    gguf_with_shapes(CORPUS / "gguf" / "shapes")
    gguf_part_of_two(CORPUS / "gguf" / "part_of_two")
    gguf_with_vocabulary(CORPUS / "gguf" / "vocabulary")
    save_safetensors(CORPUS / "safetensors" / "four_tensors",
                     {"a": np.arange(6, dtype=np.float32).reshape(2, 3),
                      "b": np.arange(4, dtype=np.float16),
                      "empty": np.zeros((0, 3), np.int32),
                      "scalar": np.array(1, np.int64)}, {"format": "pt"})
    save_safetensors(CORPUS / "safetensors" / "none", {})
    save_safetensors(CORPUS / "safetensors" / "every_type",
                     {kind.__name__: np.ones(2, kind) for kind in
                      (np.bool_, np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32,
                       np.uint64, np.int64, np.float16, np.float32, np.float64)})
    save_safetensors(CORPUS / "safetensors" / "names",
                     {name: np.zeros((1, 1, 2), np.float32) for name in
                      ("model.layers.0.self_attn.q_proj.weight", "é\n\"\\", "x" * 200)},
                     {"é": "\u4f60", "empty": ""})
    raw_safetensors(CORPUS / "safetensors" / "half_types",
                    {"b": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]},
                     "f8": {"dtype": "F8_E4M3", "shape": [2, 2], "data_offsets": [4, 8]}}, b"\0\x3f\x80\x40efgh")
