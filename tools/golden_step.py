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

    ids (SAMPLES * CONTEXT + 1)
    CASE.loss (2)  CASE.norm (2)        before each step; the norm before clipping
    CASE.NAME                           the weight after both steps, by its name in model.safetensors
"""
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM

FIXTURES = Path(__file__).resolve().parent.parent / "tests" / "fixtures"
CASES = [("qwen2", "adamw"), ("qwen2", "muon"), ("gpt2", "adamw")]
SAMPLES, CONTEXT, STEPS = 4, 6, 2
CLIP = 1.0
ADAMW = {"lr": 0.002, "betas": (0.9, 0.95), "eps": 1e-4}
MUON = {"lr": 0.03, "momentum": 0.95, "adjust_lr_fn": "original"}
DECAY = 0.1


def optimizers_for(model, kind):
    named = list(model.named_parameters())
    hidden = [p for n, p in named if kind == "muon" and ".layers." in n and p.dim() == 2]
    matrices = [p for _, p in named if p.dim() == 2 and not any(p is h for h in hidden)]
    vectors = [p for _, p in named if p.dim() == 1]
    made = [torch.optim.AdamW([{"params": matrices, "weight_decay": DECAY},
                               {"params": vectors, "weight_decay": 0.0}], **ADAMW)]
    return made + ([torch.optim.Muon(hidden, weight_decay=DECAY, **MUON)] if hidden else [])


def run_case(name, kind, ids):
    model = AutoModelForCausalLM.from_pretrained(FIXTURES / "models" / name, dtype=torch.float64,
                                                 attn_implementation="eager").eval()
    optimizers = optimizers_for(model, kind)
    windows = torch.stack([ids[i * CONTEXT:(i + 1) * CONTEXT + 1] for i in range(SAMPLES)]).long()
    losses, norms = [], []
    for _ in range(STEPS):
        logits = model(input_ids=windows[:, :-1], use_cache=False).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
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
    golden = {"ids": ids.to(torch.int32)}
    for name, kind in CASES:
        golden |= run_case(name, kind, ids)
    save_file(golden, FIXTURES / "step.safetensors",
              {"made_with": f"torch {torch.__version__}, transformers {transformers.__version__}"})
    (FIXTURES / "step.safetensors").chmod(0o644)


if __name__ == "__main__":
    main()
