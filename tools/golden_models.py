#!/usr/bin/env python3
"""Tiny random models and what transformers computes with them: the witness of src/model/.

    pip install torch transformers safetensors tokenizers gguf
    tools/golden_models.py [NAME...]          (all of them if none is named)

Each model goes to tests/fixtures/models/NAME/ three times over:

    config.json, model.safetensors   as transformers saves them, tokenizer.json beside
    config.v4.json                   the same facts in the words of transformers 4 (rope models only)
    model.gguf.bin                   the same weights as GGUF, written with the gguf package and with
                                     the transforms of llama.cpp's converter, spelled out below
    golden.safetensors               what the model computes on 24 fixed token ids, in f32:
        ids (T)  logits (T,V)  loss (1)          mean cross-entropy of the T-1 next tokens
        types (T)  mean (C)  cls (C)             encoders: token types; sentence vectors of length 1
        embed (T,C)  resid.L (T,C)               what enters block 0, what leaves block L
        pattern.L (H,T,T)                        attention after the softmax
        grad.NAME                                d loss / d NAME, by its name in model.safetensors

The weights are random but not small: attention is far from uniform, and norms and biases differ
from 1 and 0, so that a norm left out, a bias dropped or a head swapped moves every number.
"""
import itertools
import json
import math
import re
import sys
from pathlib import Path

import gguf
import tokenizers
import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM

SEED = 20260
TOKENS = 24
FOLDER = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "models"

# ---- the models

ROPE = {"rope_type": "default", "rope_theta": 10000.0}
COMMON = dict(vocab_size=64, bos_token_id=0, eos_token_id=0, pad_token_id=None)
# Sizes shared by all models with a gated feed-forward layer. Rows are multiples of 32, so that
# every matrix may also be quantised in blocks of 32.
GATED = COMMON | dict(hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                      num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=1024)

MODELS = {
    "gpt2": COMMON | dict(
        model_type="gpt2", n_embd=32, n_layer=2, n_head=4, n_positions=64, n_inner=64),
    # Grouped heads, tied, and wavelengths in all three ranges of the llama3 rule (6, 63, 628, 6283
    # against 32 and 128). The only vocabulary that holds every byte: the model for command tests.
    "llama": GATED | dict(
        model_type="llama", vocab_size=288, tie_word_embeddings=True, rms_norm_eps=1e-5,
        rope_parameters=ROPE | dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0,
                                    high_freq_factor=4.0, original_max_position_embeddings=128)),
    "llama-plain": GATED | dict(
        model_type="llama", num_key_value_heads=4, tie_word_embeddings=False, rms_norm_eps=1e-6,
        rope_parameters=ROPE),
    # Heads wider than hidden/heads: q is (64, 32), o is (32, 64).
    "llama-linear": GATED | dict(
        model_type="llama", head_dim=16, tie_word_embeddings=False, rms_norm_eps=1e-5,
        rope_parameters=ROPE | dict(rope_type="linear", factor=4.0)),
    "mistral": GATED | dict(
        model_type="mistral", sliding_window=8, tie_word_embeddings=False, rms_norm_eps=1e-5,
        rope_parameters=ROPE),
    "qwen2": GATED | dict(
        model_type="qwen2", tie_word_embeddings=True, use_sliding_window=False, rms_norm_eps=1e-6,
        rope_parameters=ROPE | dict(rope_theta=1e6)),
    "qwen3": GATED | dict(
        model_type="qwen3", head_dim=16, tie_word_embeddings=False, rms_norm_eps=1e-6,
        rope_parameters=ROPE | dict(rope_theta=1e6, rope_type="yarn", factor=4.0,
                                    original_max_position_embeddings=256)),
    # Blocks 0 and 2 see 6 tokens, block 1 sees all; the two kinds turn with their own base, and the
    # global one is also stretched. 24 is neither the head width nor hidden/heads.
    "gemma3": GATED | dict(
        model_type="gemma3_text", num_hidden_layers=3, head_dim=16, num_key_value_heads=1,
        tie_word_embeddings=True, rms_norm_eps=1e-6, sliding_window=6, query_pre_attn_scalar=16,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"],
        rope_parameters={
            "sliding_attention": ROPE,
            "full_attention": ROPE | dict(rope_theta=1e6, rope_type="linear", factor=8.0)}),
    # A time rank and a number of states that are no multiples of each other, nor of 4.
    "mamba": COMMON | dict(
        model_type="mamba", hidden_size=32, num_hidden_layers=2, state_size=6, conv_kernel=4,
        expand=2, time_step_rank=3, tie_word_embeddings=True, layer_norm_epsilon=1e-5),
    # Experts: weights that sum to 1; probabilities as they are, and one expert for all; heads wider
    # than hidden/heads, three of five.
    "mixtral": GATED | dict(
        model_type="mixtral", num_local_experts=4, num_experts_per_tok=2, intermediate_size=32,
        tie_word_embeddings=False, rms_norm_eps=1e-5, rope_parameters=ROPE),
    "qwen2-moe": GATED | dict(
        model_type="qwen2_moe", num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32,
        shared_expert_intermediate_size=64, norm_topk_prob=False, tie_word_embeddings=False,
        rms_norm_eps=1e-6, rope_parameters=ROPE),
    "qwen3-moe": GATED | dict(
        model_type="qwen3_moe", num_experts=5, num_experts_per_tok=3, moe_intermediate_size=32,
        head_dim=16, norm_topk_prob=True, tie_word_embeddings=True, rms_norm_eps=1e-6,
        rope_parameters=ROPE),
    # An encoder, with the head that names tokens; the second half of the ids is of another type.
    "bert": dict(
        model_type="bert", vocab_size=64, pad_token_id=0, hidden_size=32, intermediate_size=64,
        num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=64, type_vocab_size=2),
}


def make_model(name):
    """The model with random weights; the seed depends on the name alone, so one can be remade."""
    fields = dict(MODELS[name])
    config = AutoConfig.for_model(fields.pop("model_type"), **fields)
    kind = AutoModelForMaskedLM if config.model_type == "bert" else AutoModelForCausalLM
    model = kind.from_config(config, attn_implementation="eager", dtype=torch.float32).eval()
    generator = torch.Generator().manual_seed(SEED + list(MODELS).index(name))
    for key, weight in model.named_parameters():
        noise = torch.randn(weight.shape, generator=generator)
        if "norm" in key.lower() or ".ln_" in key:
            # Gemma stores the distance from 1.
            centre = 0.0 if name == "gemma3" or key.endswith("bias") else 1.0
            weight.data = centre + 0.25 * noise
        elif key.endswith("bias"):
            weight.data = 0.3 * noise
        elif key.endswith("A_log"):
            weight.data = torch.log(torch.arange(1.0, 1 + weight.shape[1])) + 0.25 * noise
        elif key.endswith("mixer.D"):
            weight.data = 1 + 0.25 * noise
        else:
            weight.data = 0.25 * noise
    return model


# ---- what transformers computes

def blocks_of(model):
    if hasattr(model, "bert"):
        return model.bert.encoder.layer
    inner = next(getattr(model, name) for name in ("transformer", "model", "backbone")
                 if hasattr(model, name))
    return inner.h if hasattr(inner, "h") else inner.layers


def saved_form(kind, key, value):
    """A parameter under the names that it has in model.safetensors: experts are saved one by one."""
    if kind == "mixtral" and key.endswith("mlp.gate.weight"):
        key = key.replace("mlp.gate", "block_sparse_moe.gate")
    if ".mlp.experts." not in key:
        yield key, value
        return
    stem, matrix = key.rsplit(".", 1)
    words = {"gate": "gate_proj", "up": "up_proj", "down": "down_proj"}
    if kind == "mixtral":
        stem, words = stem.replace("mlp", "block_sparse_moe"), {"gate": "w1", "up": "w3", "down": "w2"}
    for i, expert in enumerate(value):
        parts = zip(("gate", "up"), expert.chunk(2)) if matrix == "gate_up_proj" else [("down", expert)]
        for part, rows in parts:
            yield f"{stem}.{i}.{words[part]}.weight", rows


def golden(name, model):
    generator = torch.Generator().manual_seed(SEED - 1)
    ids = torch.randint(0, model.config.vocab_size, (1, TOKENS), generator=generator)
    result = {"ids": ids[0].to(torch.int32)}

    def keep_input(_, args, kwargs):
        result["embed"] = args[0] if args else kwargs["hidden_states"]

    def keep_output(i):
        def keep(_, args, output):
            result[f"resid.{i}"] = output[0] if isinstance(output, tuple) else output
        return keep

    blocks = blocks_of(model)
    hooks = [blocks[0].register_forward_pre_hook(keep_input, with_kwargs=True)]
    hooks += [b.register_forward_hook(keep_output(i)) for i, b in enumerate(blocks)]
    wanted = {} if model.config.model_type == "mamba" else {"output_attentions": True}
    if model.config.model_type == "bert":
        result["types"] = (torch.arange(TOKENS) >= TOKENS // 2).to(torch.int32)
        wanted["token_type_ids"] = result["types"].long()[None]
    else:
        wanted["use_cache"] = False
    out = model(input_ids=ids, **wanted)
    for hook in hooks:
        hook.remove()

    loss = torch.nn.functional.cross_entropy(out.logits[0, :-1], ids[0, 1:])
    model.zero_grad()
    loss.backward()
    for key in ("embed", *(f"resid.{i}" for i in range(len(blocks)))):
        result[key] = result[key].detach().reshape(TOKENS, -1)
    if "types" in result:
        last = result[f"resid.{len(blocks) - 1}"]
        result["mean"] = torch.nn.functional.normalize(last.mean(0), dim=0)
        result["cls"] = torch.nn.functional.normalize(last[0], dim=0)
    for i, pattern in enumerate(out.attentions if "output_attentions" in wanted else ()):
        result[f"pattern.{i}"] = pattern[0].detach()
    result["logits"] = out.logits[0].detach()
    result["loss"] = loss.detach().reshape(1)
    for key, weight in model.named_parameters():
        for saved, grad in saved_form(model.config.model_type, key, weight.grad):
            result[f"grad.{saved}"] = grad
    return {key: value.contiguous().clone() for key, value in result.items()}


# ---- vocabulary: byte-level BPE, small but real

MERGES = [("t", "h"), ("th", "e"), ("Ġ", "the"), ("i", "n"), ("a", "n"), ("an", "d"), ("Ġ", "and"),
          ("e", "r"), ("o", "u"), ("Ġ", "t"), ("Ġt", "o"), ("in", "g"), ("Ġ", "o"), ("Ġo", "f"),
          ("r", "e"), ("Ġ", "a"), ("e", "n"), ("o", "n"), ("Ġ", "in"), ("Ġ", "s"), ("i", "s"),
          ("e", "d"), ("Ġ", "w"), ("Ġ", "is"), ("h", "e"), ("Ġ", "he"), ("a", "t"), ("e", "s"),
          ("l", "l")]
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")


def vocabulary(size):
    """(special tokens, ordinary tokens, merges) that make up exactly `size` ids, in this order."""
    if size >= 288:
        special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
        letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    else:
        special = ["<|endoftext|>"]
        letters = list("ĊĠ.,!?'-:;abcdefghijklmnopqrstuvwxyz")
    merges = MERGES[:size - len(special) - len(letters)]
    tokens = letters + [a + b for a, b in merges]
    assert len(special) + len(tokens) == size == len(set(special + tokens))
    return special, tokens, merges


def pieces(size):
    """WordPiece of exactly `size` tokens: the special ones, letters that begin and continue a word."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = ["the", "and", "##ing", "##ed", ".", ","] + list("abcdefghijklmnopqrstuvwxyz")
    tokens = special + words
    return tokens + [f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz!"][:size - len(tokens)]


def save_pieces(folder, size):
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(
        {piece: i for i, piece in enumerate(pieces(size))}, unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = tokenizers.decoders.WordPiece()
    tokenizer.add_special_tokens(pieces(size)[:5])
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {"tokenizer_class": "BertTokenizer", "mask_token": "[MASK]", "pad_token": "[PAD]",
              "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")


def save_tokenizer(folder, size):
    special, tokens, merges = vocabulary(size)
    ids = {token: i for i, token in enumerate(special + tokens)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(ids, merges))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": special[-1]}
    if len(special) > 1:
        config["chat_template"] = CHAT_TEMPLATE
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")


# ---- GGUF

GGUF_ARCH = {"mistral": "llama", "mixtral": "llama", "gemma3_text": "gemma3", "qwen2_moe": "qwen2moe",
             "qwen3_moe": "qwen3moe"}  # the others keep their name

GPT2_NAMES = {
    "transformer.wte": "token_embd", "transformer.wpe": "position_embd",
    "transformer.ln_f": "output_norm", "ln_1": "attn_norm", "ln_2": "ffn_norm",
    "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output",
    "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
LLAMA_NAMES = {
    "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "mlp.gate": "ffn_gate_inp", "block_sparse_moe.gate": "ffn_gate_inp",
    "mlp.shared_expert_gate": "ffn_gate_inp_shexp", "mlp.shared_expert.gate_proj": "ffn_gate_shexp",
    "mlp.shared_expert.up_proj": "ffn_up_shexp", "mlp.shared_expert.down_proj": "ffn_down_shexp",
    "mlp.experts.gate_proj": "ffn_gate_exps", "mlp.experts.up_proj": "ffn_up_exps",
    "mlp.experts.down_proj": "ffn_down_exps", "block_sparse_moe.experts.w1": "ffn_gate_exps",
    "block_sparse_moe.experts.w3": "ffn_up_exps", "block_sparse_moe.experts.w2": "ffn_down_exps"}
GEMMA3_NAMES = LLAMA_NAMES | {
    "post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm"}
MAMBA_NAMES = {
    "backbone.embeddings": "token_embd", "backbone.norm_f": "output_norm", "norm": "attn_norm",
    "mixer.in_proj": "ssm_in", "mixer.conv1d": "ssm_conv1d", "mixer.x_proj": "ssm_x",
    "mixer.dt_proj": "ssm_dt", "mixer.out_proj": "ssm_out"}
BERT_NAMES = {
    "bert.embeddings.word_embeddings": "token_embd", "bert.embeddings.LayerNorm": "token_embd_norm",
    "bert.embeddings.position_embeddings": "position_embd",
    "bert.embeddings.token_type_embeddings": "token_types",
    "attention.self.query": "attn_q", "attention.self.key": "attn_k",
    "attention.self.value": "attn_v", "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm", "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm",
    # heed's names for the head that names tokens, which llama.cpp leaves out
    "cls.predictions.transform.dense": "cls", "cls.predictions.transform.LayerNorm": "cls.norm",
    "cls.predictions": "output"}
GGUF_NAMES = {"bert": BERT_NAMES, "gpt2": GPT2_NAMES, "gemma3": GEMMA3_NAMES, "mamba": MAMBA_NAMES}  # else LLAMA_NAMES


def gguf_name(arch, key):
    names = GGUF_NAMES.get(arch, LLAMA_NAMES)
    stem, suffix = key.rsplit(".", 1)
    for prefix in ("transformer.h.", "model.layers.", "backbone.layers.", "bert.encoder.layer."):
        if stem.startswith(prefix):
            layer, stem = stem[len(prefix):].split(".", 1)
            if suffix in ("A_log", "D"):
                return f"blk.{layer}." + {"A_log": "ssm_a", "D": "ssm_d"}[suffix]
            return f"blk.{layer}.{names[stem]}.{suffix}"
    return f"{names[stem]}.{suffix}"


def interleave(rows, n_head):
    """Rows of each head from halves (0, D/2, ..) to neighbours: what the llama family stores."""
    half = rows.shape[0] // n_head // 2
    return rows.reshape(n_head, 2, half, -1).transpose(1, 2).reshape(rows.shape)


def gguf_tensor(arch, config, key, value):
    if arch == "gpt2" and value.dim() == 2 and ".h." in key:
        return value.T  # Conv1D keeps (in, out)
    if arch == "gemma3" and "norm" in key:
        return value + 1
    if arch == "llama" and "q_proj" in key:
        return interleave(value, config.num_attention_heads)
    if arch == "llama" and "k_proj" in key:
        return interleave(value, config.num_key_value_heads)
    if key.endswith("A_log"):
        return -torch.exp(value)
    if key.endswith("conv1d.weight"):
        return value.squeeze(1)
    if key.endswith("shared_expert_gate.weight"):
        return value[0]
    return value


def stacked_experts(weights):
    """Experts one above the other, in the place of the first: (E, F, C)."""
    result = {}
    for key, value in weights.items():
        part = re.search(r"experts\.(\d+)\.", key)
        if not part:
            result[key] = value
        elif part[1] == "0":
            others = (key.replace("experts.0.", f"experts.{i}.") for i in itertools.count())
            result[key.replace("experts.0.", "experts.")] = torch.stack(
                [weights[k] for k in itertools.takewhile(weights.__contains__, others)])
    return result


def llama3_divisors(rope, width):
    """What tensor rope_freqs divides each angle by."""
    low = rope["original_max_position_embeddings"] / rope["low_freq_factor"]
    high = rope["original_max_position_embeddings"] / rope["high_freq_factor"]
    for i in range(width // 2):
        wave = 2 * math.pi * rope["rope_theta"] ** (2 * i / width)
        if wave < high:
            yield 1.0
        elif wave > low:
            yield rope["factor"]
        else:
            smooth = (rope["original_max_position_embeddings"] / wave - rope["low_freq_factor"]) / (
                rope["high_freq_factor"] - rope["low_freq_factor"])
            yield 1 / ((1 - smooth) / rope["factor"] + smooth)


def write_rope(writer, rope, width):
    writer.add_rope_freq_base(rope["rope_theta"])
    if rope["rope_type"] == "llama3":
        divisors = torch.tensor(list(llama3_divisors(rope, width)), dtype=torch.float32)
        writer.add_tensor("rope_freqs.weight", divisors.numpy())
    elif rope["rope_type"] == "linear":
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
        writer.add_rope_scaling_factor(rope["factor"])
    elif rope["rope_type"] == "yarn":
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(rope["factor"])
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])


def write_gated_config(writer, config):
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_key_length(width)
    writer.add_value_length(width)
    writer.add_rope_dimension_count(width)
    rope = config.rope_parameters
    write_rope(writer, rope.get("full_attention", rope), width)
    # llama.cpp knows no window in the llama family and no free scale in gemma3; the keys are the
    # ones it uses for other families.
    if config.model_type in ("mistral", "gemma3_text"):
        writer.add_sliding_window(config.sliding_window)
    if config.model_type == "gemma3_text":
        writer.add_sliding_window_pattern(2)
        writer.add_rope_freq_base_swa(rope["sliding_attention"]["rope_theta"])
        writer.add_attention_scale(config.query_pre_attn_scalar ** -0.5)


def write_experts_config(writer, config):
    writer.add_expert_count(config.num_local_experts if config.model_type == "mixtral" else config.num_experts)
    writer.add_expert_used_count(config.num_experts_per_tok)
    if config.model_type != "mixtral":
        writer.add_expert_feed_forward_length(config.moe_intermediate_size)
    if config.model_type == "qwen2_moe":
        writer.add_expert_shared_feed_forward_length(config.shared_expert_intermediate_size)


def write_mamba_config(writer, config):
    writer.add_context_length(1 << 20)  # the converter's word for: any
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    writer.add_ssm_conv_kernel(config.conv_kernel)
    writer.add_ssm_inner_size(config.intermediate_size)
    writer.add_ssm_state_size(config.state_size)
    writer.add_ssm_time_step_rank(config.time_step_rank)
    writer.add_layer_norm_rms_eps(config.layer_norm_epsilon)


def write_bert_config(writer, config):
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_layer_norm_eps(config.layer_norm_eps)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)


def write_gguf_pieces(writer, size):
    """As llama.cpp's converter: "##ing" is "ing", "the" is U+2581 and "the"."""
    def phantom(piece):
        return piece[2:] if piece.startswith("##") else "\u2581" + piece

    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(pieces(size)[:5] + [phantom(p) for p in pieces(size)[5:]])
    writer.add_token_types([gguf.TokenType.CONTROL] * 5 + [gguf.TokenType.NORMAL] * (size - 5))
    writer.add_token_type_count(2)
    for i, add in enumerate((writer.add_pad_token_id, writer.add_unk_token_id,
                             writer.add_bos_token_id, writer.add_sep_token_id,
                             writer.add_mask_token_id)):
        add(i)


def write_gguf_tokenizer(writer, size):
    special, tokens, merges = vocabulary(size)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(special + tokens)
    writer.add_token_types([gguf.TokenType.CONTROL] * len(special) +
                           [gguf.TokenType.NORMAL] * len(tokens))
    writer.add_token_merges([f"{a} {b}" for a, b in merges])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(len(special) - 1)
    writer.add_add_bos_token(False)
    if len(special) > 1:
        writer.add_chat_template(CHAT_TEMPLATE)


def save_gguf(path, name, config, weights):
    arch = GGUF_ARCH.get(config.model_type, config.model_type)
    writer = gguf.GGUFWriter(path, arch)
    writer.add_name(f"golden {name}")
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_vocab_size(config.vocab_size)
    if arch != "mamba":
        writer.add_context_length(config.max_position_embeddings)
        writer.add_head_count(config.num_attention_heads)
    if arch == "mamba":
        write_mamba_config(writer, config)
    elif arch == "bert":
        write_bert_config(writer, config)
    elif arch == "gpt2":
        writer.add_feed_forward_length(config.n_inner)
        writer.add_layer_norm_eps(config.layer_norm_epsilon)
    else:
        write_gated_config(writer, config)
    if getattr(config, "num_experts_per_tok", None):
        write_experts_config(writer, config)
    write_pieces_or_merges = write_gguf_pieces if arch == "bert" else write_gguf_tokenizer
    write_pieces_or_merges(writer, config.vocab_size)
    for key, value in stacked_experts(weights).items():
        value = gguf_tensor(arch, config, key, value)
        writer.add_tensor(gguf_name(arch, key), value.contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


# ---- the older words for the same configuration

def config_v4(saved):
    """config.json as transformers 4 wrote it; most published folders still look like this."""
    old = dict(saved)
    old["torch_dtype"] = old.pop("dtype")
    old["transformers_version"] = "4.46.0"
    rope = old.pop("rope_parameters")
    if "full_attention" in rope:
        old["rope_local_base_freq"] = rope["sliding_attention"]["rope_theta"]
        old["sliding_window_pattern"] = 2
        del old["layer_types"]
        rope = rope["full_attention"]
    rope = dict(rope)
    if old["model_type"] == "qwen3_moe":
        old["num_experts"] = old.pop("num_local_experts")
    old["rope_theta"] = rope.pop("rope_theta")
    old["rope_scaling"] = None if rope["rope_type"] == "default" else rope
    return old


def check_config_v4(folder, model, ids, logits):
    """The old words must mean the same model to transformers itself."""
    fields = json.loads((folder / "config.v4.json").read_text())
    config = AutoConfig.for_model(**fields)
    other = AutoModelForCausalLM.from_config(
        config, attn_implementation="eager", dtype=torch.float32).eval()
    other.load_state_dict(model.state_dict())
    with torch.no_grad():
        assert torch.equal(other(input_ids=ids.long()[None]).logits[0], logits), folder


# ---- putting it together

def write_model(name):
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    model = make_model(name)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)

    result = golden(name, model)
    # One entry only: the order of several is not fixed, and a rerun should give the same bytes.
    save_file(result, folder / "golden.safetensors",
              {"made_with": f"torch {torch.__version__}, transformers {transformers.__version__}, "
                            f"seed {SEED}"})
    saved = json.loads((folder / "config.json").read_text())
    if "rope_parameters" in saved:
        (folder / "config.v4.json").write_text(json.dumps(config_v4(saved), indent=2) + "\n")
        check_config_v4(folder, model, result["ids"], result["logits"])
    save = save_pieces if model.config.model_type == "bert" else save_tokenizer
    save(folder, model.config.vocab_size)
    weights = load_file(folder / "model.safetensors")
    save_gguf(folder / "model.gguf.bin", name, model.config, weights)
    for file in folder.iterdir():
        file.chmod(0o644)

    sharp = max((result[key].amax(-1)[:, 4:].mean().item() for key in result
                 if key.startswith("pattern.")), default=0)
    kib = sum(f.stat().st_size for f in folder.iterdir()) / 1024
    print(f"{name:13} {kib:4.0f} KiB  loss {result['loss'].item():.4f}  "
          f"mean of the largest attention weight {sharp:.2f}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for wanted in sys.argv[1:] or MODELS:
        write_model(wanted)
