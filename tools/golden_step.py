#!/usr/bin/env python3
"""What PyTorch makes of a model in two training steps: the witness of src/train/trainer.c as a whole.

    pip install torch transformers safetensors
    tools/golden_step.py          writes tests/fixtures/step.safetensors

The models are those of golden_models.py.  Each step: the mean cross-entropy over SAMPLES windows of a
text, its gradients clipped together with clip_grad_norm_, a step of AdamW (matrices are decayed,
vectors not), or of Muon for the matrices of the layers and AdamW for the rest.  All in float64, so
that definitions are compared and not roundings; for the same reason Muon does not round to bfloat16,
and AdamW's epsilon is large: gradients that are 0 but for rounding (of biases of keys) would else
become whole steps.

BERT learns from blanks: which tokens are hidden, and by what, follows from the seed as in
src/train/masking.c, written here a second time; the loss is the mean over the hidden ones.

    ids (SAMPLES * CONTEXT + 1)         of the models that read on: windows side by side
    documents (sum of LENGTHS)          of bert
    CASE.loss (2)  CASE.norm (2)        before each step; the norm before clipping
    CASE.NAME                           the weight after both steps, by its name in model.safetensors
"""
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

FIXTURES = Path(__file__).resolve().parent.parent / "tests" / "fixtures"
CASES = [("qwen2", "adamw"), ("qwen2", "muon"), ("gpt2", "adamw")]
SAMPLES, CONTEXT, STEPS = 4, 6, 2
CLIP = 1.0
ADAMW = {"lr": 0.002, "betas": (0.9, 0.95), "eps": 1e-4}
MUON = {"lr": 0.03, "momentum": 0.95, "adjust_lr_fn": "original"}
DECAY = 0.1
LENGTHS, SHARE, SEED = [6, 5, 3, 6], 0.4, 1  # of bert's documents; hidden tokens
CLS, SEP, MASK, FIRST, VOCAB = 2, 3, 4, 5, 64
WORD = 2**64 - 1


class Rng:
    """xoshiro256**, seeded by splitmix64: src/base/rng.c."""

    def __init__(self, seed):
        self.s = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & WORD
            z = ((seed ^ seed >> 30) * 0xBF58476D1CE4E5B9) & WORD
            z = ((z ^ z >> 27) * 0x94D049BB133111EB) & WORD
            self.s.append(z ^ z >> 31)

    def next(self):
        def rotate(x, bits):
            return (x << bits | x >> (64 - bits)) & WORD
        s = self.s
        result = rotate(s[1] * 5 & WORD, 7) * 9 & WORD
        t = s[1] << 17 & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)
        return result

    def uniform(self):
        return (self.next() >> 11) / 2**53

    def below(self, n):
        while (x := self.next()) < 2**64 % n:
            pass
        return x % n


def order_of_epoch(epoch):
    rng, order = Rng(SEED ^ (0x9E3779B97F4A7C15 * (epoch + 1) & WORD)), list(range(SAMPLES))
    for i in range(SAMPLES - 1, 0, -1):
        j = rng.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def hide(ids, number):
    """The text with blanks for sample `number` of the run, and where they are."""
    rng, ids = Rng((SEED + (number + 1) * 0xA0761D6478BD642F) & WORD), list(ids)
    wanted, places = max(1, int(SHARE * len(ids) + 0.5)), []
    for i in range(len(ids)):
        if wanted == 0 or rng.below(len(ids) - i) >= wanted:
            continue
        how = rng.uniform()
        if how < 0.8:
            ids[i] = MASK
        elif how < 0.9:
            ids[i] = FIRST + rng.below(VOCAB - FIRST)
        places.append(i)
        wanted -= 1
    return ids, places


def optimizers_for(model, kind):
    named = list(model.named_parameters())
    hidden = [p for n, p in named if kind == "muon" and ".layers." in n and p.dim() == 2]
    matrices = [p for _, p in named if p.dim() == 2 and not any(p is h for h in hidden)]
    vectors = [p for _, p in named if p.dim() == 1]
    made = [torch.optim.AdamW([{"params": matrices, "weight_decay": DECAY},
                               {"params": vectors, "weight_decay": 0.0}], **ADAMW)]
    return made + ([torch.optim.Muon(hidden, weight_decay=DECAY, **MUON)] if hidden else [])


def loss_of_next(model, ids, step):
    windows = torch.stack([ids[i * CONTEXT:(i + 1) * CONTEXT + 1] for i in range(SAMPLES)]).long()
    logits = model(input_ids=windows[:, :-1], use_cache=False).logits
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())


def loss_of_blanks(model, documents, step):
    texts, losses = documents.split(LENGTHS), []
    for i, k in enumerate(order_of_epoch(step)):
        ids, places = hide(texts[k].tolist(), step * SAMPLES + i)
        logits = model(input_ids=torch.tensor([[CLS] + ids + [SEP]])).logits[0, 1:]
        losses.append(torch.nn.functional.cross_entropy(logits[places], texts[k][places].long(), reduction="none"))
    return torch.cat(losses).mean()


def run_case(name, kind, ids):
    is_encoder = name == "bert"
    family = AutoModelForMaskedLM if is_encoder else AutoModelForCausalLM
    loss_of = loss_of_blanks if is_encoder else loss_of_next
    model = family.from_pretrained(FIXTURES / "models" / name, dtype=torch.float64,
                                   attn_implementation="eager").eval()
    optimizers = optimizers_for(model, kind)
    losses, norms = [], []
    for step in range(STEPS):
        loss = loss_of(model, ids, step)
        model.zero_grad()
        loss.backward()
        losses.append(loss.item())
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP).item())
        for optimizer in optimizers:
            optimizer.step()
    print(f"{name} {kind}: losses {losses}, norms {norms}")
    result = {"loss": torch.tensor(losses), "norm": torch.tensor(norms)}
    result |= {key: weight.detach() for key, weight in model.named_parameters()}
    return {f"{name}.{kind}.{key}": value.float().contiguous().clone() for key, value in result.items()}


def main():
    torch.Tensor.bfloat16 = lambda self: self.clone()  # all that Muon's rounding is
    torch.set_num_threads(1)
    ids = torch.randint(0, 64, (SAMPLES * CONTEXT + 1,), generator=torch.Generator().manual_seed(31))
    documents = torch.randint(FIRST, VOCAB, (sum(LENGTHS),), generator=torch.Generator().manual_seed(32))
    golden = {"ids": ids.to(torch.int32), "documents": documents.to(torch.int32)}
    golden |= run_case("bert", "adamw", documents)
    for name, kind in CASES:
        golden |= run_case(name, kind, ids)
    save_file(golden, FIXTURES / "step.safetensors",
              {"made_with": f"torch {torch.__version__}, transformers {transformers.__version__}"})
    (FIXTURES / "step.safetensors").chmod(0o644)


if __name__ == "__main__":
    main()
