#!/usr/bin/env python3
"""Models of heed's own architecture, computed with PyTorch: the witness of the mixers.

    pip install torch transformers safetensors tokenizers gguf
    tools/golden_mixers.py [NAME...]          (all of them if none is named)

Each goes to tests/fixtures/models/NAME/ as golden_models.py lays it out: a folder as heed writes
one (docs/formats-heed.md), the same as GGUF, and what PyTorch computes. The reference has nothing
of heed's own in it: torch.nn.RNN and LSTM, transformers' MambaMixer, and attention written out as
one softmax over all pairs.
"""
import json
import math
import sys

import gguf
import torch
import transformers
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F
from transformers.models.mamba.modeling_mamba import MambaMixer

from golden_models import FOLDER, SEED, TOKENS, save_tokenizer, write_gguf_tokenizer

BASE = dict(model_type="heed", vocab_size=64, hidden_size=32, intermediate_size=32,
            num_hidden_layers=2, max_position_embeddings=256, norm_eps=1e-5)
HEADS = dict(num_attention_heads=4, num_key_value_heads=2, head_dim=8)
MAMBA = dict(ssm_inner_size=64, state_size=5, conv_kernel=3, time_step_rank=7)

MODELS = {
    "heed-rnn": BASE | dict(mixers="rnn"),
    # A recurrent width of its own, layer norms, and a channel without a gate.
    "heed-lstm": BASE | dict(mixers="lstm", recurrent_size=24, norm="layer", feed_forward="dense",
                             activation="gelu", tied=True),
    "heed-mamba": BASE | MAMBA | dict(mixers="mamba"),
    # Three heads: no power of two, so one slope is of the other row.
    "heed-alibi": BASE | dict(mixers="attention", positions="alibi", num_attention_heads=3,
                              num_key_value_heads=1, head_dim=12, norm="layer",
                              activation="gelu_pytorch_tanh"),
    "heed-learned": BASE | HEADS | dict(mixers="window", sliding_window=5, kept_positions=2,
                                        positions="learned", feed_forward="dense",
                                        max_position_embeddings=64),
    "heed-sine": BASE | HEADS | dict(mixers="window,lstm", sliding_window=4, positions="sine",
                                     embedding_scale=4.0),
    "heed-rotary": BASE | HEADS | MAMBA | dict(mixers="attention,mamba,rnn", num_hidden_layers=4,
                                               positions="rotary", rope_theta=10000.0),
}


# ---- the reference

class Attention(nn.Module):
    def __init__(self, c, is_window):
        super().__init__()
        self.c, self.is_window = c, is_window
        width, d = c["hidden_size"], c["head_dim"]
        self.q_proj = nn.Linear(width, c["num_attention_heads"] * d, bias=False)
        self.k_proj = nn.Linear(width, c["num_key_value_heads"] * d, bias=False)
        self.v_proj = nn.Linear(width, c["num_key_value_heads"] * d, bias=False)
        self.o_proj = nn.Linear(c["num_attention_heads"] * d, width, bias=False)

    def turned(self, x):
        """Rotary positions; the pairs of a head are its two halves."""
        if self.c.get("positions") != "rotary":
            return x
        d, n = x.shape[-1], x.shape[-2]
        speed = self.c["rope_theta"] ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
        angle = torch.arange(n, dtype=torch.float64)[:, None] * speed
        cos, sin = angle.cos().float(), angle.sin().float()
        a, b = x[..., :d // 2], x[..., d // 2:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    def slopes(self):
        heads = self.c["num_attention_heads"]
        power = 2 ** math.floor(math.log2(heads))
        first = [2 ** (-8 * (h + 1) / power) for h in range(power)]
        more = [2 ** (-4 * (h + 1) / power) for h in range(2 * power)][::2]
        return torch.tensor((first + more)[:heads])

    def forward(self, x):
        n, d = x.shape[0], self.c["head_dim"]
        q, k, v = (p(x).reshape(n, -1, d).transpose(0, 1)
                   for p in (self.q_proj, self.k_proj, self.v_proj))
        group = q.shape[0] // k.shape[0]
        k, v = k.repeat_interleave(group, 0), v.repeat_interleave(group, 0)
        scores = self.turned(q) @ self.turned(k).transpose(1, 2) / math.sqrt(d)
        i, j = torch.arange(n)[:, None], torch.arange(n)[None]
        if self.c.get("positions") == "alibi":
            scores = scores - self.slopes()[:, None, None] * (i - j)
        seen = j <= i
        if self.is_window:
            seen &= (i - j < self.c["sliding_window"]) | (j < self.c.get("kept_positions", 0))
        self.pattern = scores.masked_fill(~seen, -torch.inf).softmax(-1)
        return self.o_proj((self.pattern @ v).transpose(0, 1).reshape(n, -1))


class Recurrent(nn.Module):
    """Of PyTorch's two biases, which are only ever added, the second stays zero and is not saved."""

    def __init__(self, c, kind):
        super().__init__()
        size = c.get("recurrent_size", c["hidden_size"])
        self.cell = {"rnn": nn.RNN, "lstm": nn.LSTM}[kind](c["hidden_size"], size)
        self.out_proj = nn.Linear(size, c["hidden_size"], bias=False)
        self.cell.bias_hh_l0.data.zero_()
        self.cell.bias_hh_l0.requires_grad_(False)

    def forward(self, x):
        return self.out_proj(self.cell(x)[0])


class Mamba(MambaMixer):
    def __init__(self, c, layer):
        super().__init__(transformers.MambaConfig(
            hidden_size=c["hidden_size"], expand=c["ssm_inner_size"] // c["hidden_size"],
            state_size=c["state_size"], conv_kernel=c["conv_kernel"],
            time_step_rank=c["time_step_rank"], num_hidden_layers=c["num_hidden_layers"]), layer)

    def forward(self, x):
        return super().forward(x[None])[0]


class Channel(nn.Module):
    def __init__(self, c):
        super().__init__()
        width, size = c["hidden_size"], c["intermediate_size"]
        self.act = {"silu": F.silu, "gelu": F.gelu,
                    "gelu_pytorch_tanh": lambda x: F.gelu(x, approximate="tanh")}[
                        c.get("activation", "silu")]
        if c.get("feed_forward") != "dense":
            self.gate_proj = nn.Linear(width, size, bias=False)
        self.up_proj = nn.Linear(width, size, bias=False)
        self.down_proj = nn.Linear(size, width, bias=False)

    def forward(self, x):
        if hasattr(self, "gate_proj"):
            return self.down_proj(self.act(self.gate_proj(x)) * self.up_proj(x))
        return self.down_proj(self.act(self.up_proj(x)))


def norm(c):
    kind = nn.LayerNorm if c.get("norm") == "layer" else nn.RMSNorm
    return kind(c["hidden_size"], eps=c["norm_eps"])


class Block(nn.Module):
    def __init__(self, c, layer):
        super().__init__()
        pattern = c["mixers"].split(",")
        kind = pattern[layer % len(pattern)]
        self.mixer_norm, self.mlp_norm, self.mlp = norm(c), norm(c), Channel(c)
        if kind in ("attention", "window"):
            self.self_attn = Attention(c, kind == "window")
        else:
            self.mixer = Mamba(c, layer) if kind == "mamba" else Recurrent(c, kind)

    def forward(self, x):
        mixer = self.self_attn if hasattr(self, "self_attn") else self.mixer
        x = x + mixer(self.mixer_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class Decoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.embed_tokens = nn.Embedding(c["vocab_size"], c["hidden_size"])
        if c.get("positions") == "learned":
            self.embed_positions = nn.Embedding(c["max_position_embeddings"], c["hidden_size"])
        self.layers = nn.ModuleList(Block(c, i) for i in range(c["num_hidden_layers"]))
        self.norm = norm(c)

    def embed(self, ids):
        x = self.embed_tokens(ids) * self.c.get("embedding_scale", 1.0)
        if hasattr(self, "embed_positions"):
            x = x + self.embed_positions(torch.arange(len(ids)))
        if self.c.get("positions") == "sine":
            width = self.c["hidden_size"]
            speed = 10000 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
            angle = torch.arange(len(ids), dtype=torch.float64)[:, None] * speed
            x = x + torch.stack([angle.sin(), angle.cos()], -1).reshape(len(ids), width).float()
        return x


class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.model = Decoder(c)
        if not c.get("tied"):
            self.lm_head = nn.Linear(c["hidden_size"], c["vocab_size"], bias=False)

    def head(self, x):
        return F.linear(x, self.model.embed_tokens.weight) if self.model.c.get("tied") \
            else self.lm_head(x)


def make_model(name):
    model = Model(MODELS[name])
    generator = torch.Generator().manual_seed(SEED + 100 + list(MODELS).index(name))
    for key, weight in model.named_parameters():
        noise = torch.randn(weight.shape, generator=generator)
        if not weight.requires_grad:
            continue
        if "norm" in key and key.endswith("weight"):
            weight.data = 1 + 0.25 * noise
        elif "bias" in key:
            weight.data = 0.3 * noise
        elif key.endswith("A_log"):
            weight.data = torch.log(torch.arange(1.0, 1 + weight.shape[1])) + 0.25 * noise
        elif key.endswith("mixer.D"):
            weight.data = 1 + 0.25 * noise
        else:
            weight.data = 0.25 * noise
    return model


def saved_name(key):
    """torch.nn.RNN's "cell.weight_ih_l0" is "weight_ih" in a file."""
    return key.replace("cell.", "").replace("_l0", "")


# ---- what it computes

def golden(model):
    c = model.model.c
    generator = torch.Generator().manual_seed(SEED - 1)
    ids = torch.randint(0, c["vocab_size"], (TOKENS,), generator=generator)
    x = model.model.embed(ids)
    result = {"ids": ids.to(torch.int32), "embed": x}
    for i, block in enumerate(model.model.layers):
        x = result[f"resid.{i}"] = block(x)
        if hasattr(block, "self_attn"):
            result[f"pattern.{i}"] = block.self_attn.pattern
    result["logits"] = model.head(model.model.norm(x))
    loss = F.cross_entropy(result["logits"][:-1], ids[1:])
    loss.backward()
    result["loss"] = loss.reshape(1)
    for key, weight in model.named_parameters():
        if weight.requires_grad:
            result[f"grad.{saved_name(key)}"] = weight.grad
    return {key: value.detach().contiguous().clone() for key, value in result.items()}


# ---- files

LAYER_NAMES = {
    "mixer_norm": "attn_norm", "mlp_norm": "ffn_norm", "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
    "mixer.in_proj": "ssm_in", "mixer.conv1d": "ssm_conv1d", "mixer.x_proj": "ssm_x",
    "mixer.dt_proj": "ssm_dt"}
WHOLE_NAMES = {
    "mixer.weight_ih": "rnn_in.weight", "mixer.bias_ih": "rnn_in.bias",
    "mixer.weight_hh": "rnn_hidden.weight", "mixer.A_log": "ssm_a", "mixer.D": "ssm_d"}
OUTER_NAMES = {
    "model.embed_tokens.weight": "token_embd.weight", "lm_head.weight": "output.weight",
    "model.embed_positions.weight": "position_embd.weight", "model.norm.weight":
    "output_norm.weight", "model.norm.bias": "output_norm.bias"}


def gguf_name(key, is_mamba):
    if key in OUTER_NAMES:
        return OUTER_NAMES[key]
    layer, rest = key.removeprefix("model.layers.").split(".", 1)
    if rest == "mixer.out_proj.weight":
        return f"blk.{layer}.{'ssm_out' if is_mamba else 'rnn_output'}.weight"
    if rest in WHOLE_NAMES:
        return f"blk.{layer}.{WHOLE_NAMES[rest]}"
    stem, suffix = rest.rsplit(".", 1)
    return f"blk.{layer}.{LAYER_NAMES[stem]}.{suffix}"


GGUF_KEYS = {
    "hidden_size": "embedding_length", "intermediate_size": "feed_forward_length",
    "num_hidden_layers": "block_count", "max_position_embeddings": "context_length",
    "norm_eps": "norm_epsilon", "embedding_scale": "embedding_scale", "mixers": "mixers",
    "positions": "positions", "norm": "norm", "feed_forward": "feed_forward",
    "activation": "activation", "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv", "head_dim": "attention.key_length",
    "sliding_window": "attention.sliding_window", "kept_positions": "attention.kept_positions",
    "recurrent_size": "recurrent_length", "ssm_inner_size": "ssm.inner_size",
    "state_size": "ssm.state_size", "conv_kernel": "ssm.conv_kernel",
    "time_step_rank": "ssm.time_step_rank", "rope_theta": "rope.freq_base"}


def save_gguf(path, name, c, weights):
    writer = gguf.GGUFWriter(path, "heed")
    writer.add_name(f"golden {name}")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    for key, value in c.items():
        if key in GGUF_KEYS:
            add = {int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}
            add[type(value)](f"heed.{GGUF_KEYS[key]}", value)
    write_gguf_tokenizer(writer, c["vocab_size"])
    for key, value in weights.items():
        is_mamba = key.replace("out_proj.weight", "A_log") in weights
        if key.endswith("A_log"):
            value = -torch.exp(value)
        if key.endswith("conv1d.weight"):
            value = value.squeeze(1)
        writer.add_tensor(gguf_name(key, is_mamba), value.contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_model(name):
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    model, c = make_model(name), dict(MODELS[name])
    result = golden(model)
    made_with = {"made_with": f"torch {torch.__version__}, transformers "
                              f"{transformers.__version__}, seed {SEED}"}
    save_file(result, folder / "golden.safetensors", made_with)
    weights = {saved_name(key): value.detach().clone()
               for key, value in model.named_parameters() if value.requires_grad}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    config = {"architectures": ["HeedForCausalLM"]} | c
    config["tie_word_embeddings"] = config.pop("tied", False)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    save_tokenizer(folder, c["vocab_size"])
    save_gguf(folder / "model.gguf.bin", name, c, weights)
    for file in folder.iterdir():
        file.chmod(0o644)
    kib = sum(f.stat().st_size for f in folder.iterdir()) / 1024
    print(f"{name:13} {kib:4.0f} KiB  loss {result['loss'].item():.4f}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for wanted in sys.argv[1:] or MODELS:
        write_model(wanted)
