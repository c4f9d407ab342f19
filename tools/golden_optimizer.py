#!/usr/bin/env python3
"""What torch's optimizers make of weights: the witness of src/train/optimizer.c, muon.c and clip.c.

    pip install torch
    tools/golden_optimizer.py          writes tests/fixtures/optimizer.json

A wide matrix, a tall one and a vector take some steps with given gradients, clipped together.  Each
case has the norm before clipping at each step and all weights after it.  torch.optim.Muon rounds to
bfloat16 before Newton-Schulz; the cases "muon_*" leave that out and compute in float64, so that
definitions are compared and not roundings.  The case "muon_bf16" is torch's as it is.
"""
import json
from pathlib import Path

import torch

FILE = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "optimizer.json"
SHAPES = [(6, 10), (12, 5), (7,)]
RATES = [0.002, 0.01, 0.01, 0.007, 0.003]
CLIP = 4.0
ADAMW = {"betas": (0.9, 0.95), "eps": 1e-8}
DECAY = 0.1
MOMENTUM = 0.95


def exact(x):
    """The shortest decimal that names this float32."""
    return [float(f"{v:.9g}") for v in x.flatten().tolist()]


def gradients(generator):
    """Of different sizes, so that some steps are clipped and others are not."""
    return [[0.6 * (1 + step % 3) * torch.randn(s, generator=generator) / 2 for s in SHAPES]
            for step in range(len(RATES))]


def run_case(kind, values, grads, dtype):
    p = [torch.nn.Parameter(v.to(dtype, copy=True)) for v in values]
    if kind == "adamw":
        optimizers = [torch.optim.AdamW([{"params": p[:2], "weight_decay": DECAY},
                                         {"params": p[2:], "weight_decay": 0.0}], **ADAMW)]
    else:
        scale = "original" if kind == "muon_bf16" else kind.removeprefix("muon_")
        optimizers = [
            torch.optim.Muon(p[:2], weight_decay=DECAY, momentum=MOMENTUM, adjust_lr_fn=scale),
            torch.optim.AdamW(p[2:], weight_decay=0.0, **ADAMW)]
    steps = []
    for rate, grad in zip(RATES, grads):
        for x, g in zip(p, grad):
            x.grad = g.to(dtype, copy=True)
        norm = torch.nn.utils.clip_grad_norm_(p, CLIP)
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
        steps.append({"norm": float(norm), "values": [exact(x.detach()) for x in p]})
    return {"kind": kind, "steps": steps}


def main():
    generator = torch.Generator().manual_seed(20)
    values = [torch.randn(s, generator=generator) / 2 for s in SHAPES]
    grads = gradients(generator)
    cases = [run_case("adamw", values, grads, torch.float32),
             run_case("muon_bf16", values, grads, torch.float32)]
    torch.Tensor.bfloat16 = lambda self: self.clone()  # all that Muon's rounding is
    cases += [run_case(k, values, grads, torch.float64)
              for k in ("muon_original", "muon_match_rms_adamw")]
    golden = {
        "source": f"tools/golden_optimizer.py with torch {torch.__version__}",
        "shapes": [list(s) for s in SHAPES], "rates": RATES, "clip": CLIP,
        "values": [exact(v) for v in values],
        "gradients": [[exact(g) for g in step] for step in grads],
        "cases": cases,
    }
    text = json.dumps(golden, indent=None, separators=(",", ":"))
    FILE.write_text(text.replace('{"norm"', '\n{"norm"').replace('{"kind"', '\n{"kind"') + "\n")


if __name__ == "__main__":
    main()
