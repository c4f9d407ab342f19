#!/usr/bin/env python3
"""What Hugging Face's logits processors keep: the witness of src/generate/sampler.c.

    pip install torch transformers
    tools/golden_sampler.py            writes tests/fixtures/sampler.json

Each case is a row of logits, options by the names of heed's stages, and what is left after the
processors in transformers' order: ids (ascending) and their probabilities. The processors compute
in float64 here, so that only definitions are compared, not roundings. All logits of a row differ:
Hugging Face keeps all ties of the last candidate of top-k and typical, heed the lowest ids.
"""
import json
import random
from pathlib import Path

import torch
import transformers
from transformers import (
    LogitsProcessorList, MinPLogitsWarper, RepetitionPenaltyLogitsProcessor,
    SequenceBiasLogitsProcessor, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper,
    TypicalLogitsWarper)

FILE = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "sampler.json"
HISTORY = [3, 7, 7, 12, 3, 30, 1]


def make_row(rng, n, spread):
    """Logits with few digits, all different, and exact in float32."""
    units = rng.sample(range(-4096, 4096), n)
    return [round(u * spread / 16) / 16 + i / 1024 for i, u in enumerate(units)]


def processors(options):
    """In the order in which generate() puts them."""
    make = {
        "logit_bias": lambda v: SequenceBiasLogitsProcessor([[[int(i)], float(b)] for i, b in v]),
        "repetition_penalty": RepetitionPenaltyLogitsProcessor,
        "temperature": TemperatureLogitsWarper,
        "top_k": TopKLogitsWarper,
        "top_p": TopPLogitsWarper,
        "min_p": MinPLogitsWarper,
        "typical": TypicalLogitsWarper,
    }
    return LogitsProcessorList([make[name](options[name]) for name in make if name in options])


OPTIONS = [
    {},
    {"temperature": 0.7}, {"temperature": 2.5},
    {"top_k": 1}, {"top_k": 5}, {"top_k": 40}, {"top_k": 1000},
    {"top_p": 0.1}, {"top_p": 0.5}, {"top_p": 0.9}, {"top_p": 0.999},
    {"min_p": 0.02}, {"min_p": 0.3}, {"min_p": 1.0},
    {"typical": 0.2}, {"typical": 0.7}, {"typical": 0.95},
    {"repetition_penalty": 1.3}, {"repetition_penalty": 0.8},
    {"logit_bias": [[2, 3.0], [9, -100.0], [30, 0.5]]},
    {"temperature": 0.7, "top_p": 0.9},
    {"temperature": 1.5, "top_k": 20, "top_p": 0.8},
    {"temperature": 0.8, "top_k": 30, "top_p": 0.95, "min_p": 0.05},
    {"temperature": 1.2, "top_p": 0.9, "min_p": 0.1, "typical": 0.6},
    {"repetition_penalty": 1.2, "temperature": 0.9, "top_k": 10, "typical": 0.8},
    {"logit_bias": [[0, 1.5]], "repetition_penalty": 1.1, "temperature": 1.3, "top_k": 50,
     "top_p": 0.85, "min_p": 0.01, "typical": 0.9},
]


def main():
    rng = random.Random(20260)
    rows = [make_row(rng, 48, spread) for spread in (0.2, 0.5, 1.0)]
    cases = []
    for i_row, row in enumerate(rows):
        for options in OPTIONS:
            scores = torch.tensor([row], dtype=torch.float64)
            scores = processors(options)(torch.tensor([HISTORY]), scores)[0]
            kept = [i for i in range(len(row)) if scores[i] > -torch.inf]
            probability = scores.softmax(-1)
            cases.append({"row": i_row, "options": options, "kept": kept,
                          "probability": [float(f"{probability[i]:.10g}") for i in kept]})
    with open(FILE, "w") as out:
        out.write('{"made_by": "tools/golden_sampler.py, transformers %s",\n "history": %s,\n'
                  % (transformers.__version__, HISTORY))
        out.write(' "rows": [\n  ' + ",\n  ".join(map(json.dumps, rows)) + "],\n")
        out.write(' "cases": [\n  ' + ",\n  ".join(map(json.dumps, cases)) + "]}\n")


if __name__ == "__main__":
    main()
