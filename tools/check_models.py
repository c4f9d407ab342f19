#!/usr/bin/env python3
"""Compares heed with transformers on real models: greedy texts and perplexity.

    tools/check_models.py [--heed build/release/heed] [--tokens 64] [--prompts 10] [--bytes N] MODEL.gguf...

The reference is transformers reading the same GGUF file: it decodes the weights to f32 and computes
in f32.  heed runs twice: --exact, whose texts must be equal, and fast (int8 activations), whose texts
may part where the two best tokens are closer than the rounding: each parting is shown with the gap
between their logits in the reference.  Perplexity must agree within 0.1 % when exact; fast it may be
off by what rounding activations to int8 costs (docs/accuracy.md), which shows the more by chance, the
shorter the text.

Needs: torch, transformers, gguf (Python).  Exit status 1 if something differs unexplained.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TQDM_DISABLE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
import torch
from transformers import AutoModelForCausalLM

PROMPTS = [
    "The capital of France is",
    "Once upon a time there was a little girl who",
    "def fibonacci(n):\n    ",
    "In 1969, the first human being",
    "The three primary colours are red,",
    "Dear Sir or Madam,\n\nI am writing to",
    "2 + 2 = 4, 3 + 3 = 6, 4 + 4 =",
    "北京是中国的",
    "从前有一座山，山里有",
    "今天天气很好，我们一起去",
]
# A gap in logits below this is within the rounding of int8 activations.
FAST_GAP = 0.35
# Relative change of perplexity that int8 activations may cause on the page of test text, and on less
# than a page.
FAST_PERPLEXITY, FAST_PERPLEXITY_SHORT = 3e-3, 1e-2


def heed_json(heed, *args):
    done = subprocess.run([heed, *args], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join([heed, *args])}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def reference_logits(model, ids):
    with torch.no_grad():
        return model(torch.tensor([ids])).logits[0].double()


def compare_text(heed, path, model, prompt, n, exact):
    """Returns None if equal, else (position, gap of the reference's logits)."""
    flags = ["--exact"] if exact else []
    prompt_ids = heed_json(heed, "next", path, "-p", prompt, "--top", "1", "--json")["prompt_tokens"]
    tokens = heed_json(heed, "run", path, "-p", prompt, "-n", str(n), "--greedy", "--ignore-eos", "--json", *flags)["tokens"]
    # One forward over heed's own text says where the reference would have gone another way.
    logits = reference_logits(model, prompt_ids + tokens)
    for i, token in enumerate(tokens):
        row = logits[len(prompt_ids) - 1 + i]
        best = int(row.argmax())
        if best != token:
            return i, float(row[best] - row[token])
    return None


def perplexity_of(model, ids, window):
    nats, count = 0.0, 0
    for start in range(0, len(ids), window):
        part = ids[start:start + window]
        if len(part) < 2:
            break
        rows = torch.log_softmax(reference_logits(model, part), dim=-1)
        nats -= sum(float(rows[i, part[i + 1]]) for i in range(len(part) - 1))
        count += len(part) - 1
    return math.exp(nats / count), count


def check_perplexity(heed, path, model, text_file, fast_tolerance):
    tokens = heed_json(heed, "tokenize", path, "--special", "-f", text_file, "--json")["tokens"]
    window = min(512, heed_json(heed, "info", path, "--json")["context_length"])
    want, count = perplexity_of(model, [t["id"] for t in tokens], window)
    ok = True
    for flags in (["--exact"], []):
        have = heed_json(heed, "eval", path, text_file, "--json", *flags)
        if have["tokens"] != count:
            sys.exit(f"{path}: {have['tokens']} tokens predicted, the reference {count}")
        off = have["perplexity"] / want - 1
        ok &= abs(off) < (1e-3 if flags else fast_tolerance)
        print(f"  perplexity {flags or ['fast']}: {have['perplexity']:.4f}, reference {want:.4f} ({100 * off:+.3f} %)")
    return ok


def shortened(text_file, n_bytes, folder):
    """A file with the start and the end of a text, n_bytes in all."""
    with open(text_file, "rb") as file:
        text = file.read()
    half = n_bytes // 2
    path = os.path.join(folder, "text")
    with open(path, "wb") as file:
        for piece in (text[:half], text[-half:]):
            file.write(piece.decode(errors="ignore").encode())
    return path


def check_model(heed, path, n, prompts, text_file, fast_tolerance):
    print(path)
    model = AutoModelForCausalLM.from_pretrained(
        os.path.dirname(path) or ".", gguf_file=os.path.basename(path), dtype=torch.float32,
        attn_implementation="eager").eval()
    ok = check_perplexity(heed, path, model, text_file, fast_tolerance)
    for exact in (True, False):
        equal = 0
        for prompt in prompts:
            parting = compare_text(heed, path, model, prompt, n, exact)
            if parting is None:
                equal += 1
                continue
            at, gap = parting
            explained = gap < (1e-3 if exact else FAST_GAP)
            ok &= explained
            print(f"  {'exact' if exact else 'fast'}: {prompt!r} parts at token {at}, gap {gap:.5f}{'' if explained else '  NOT EXPLAINED'}")
        print(f"  {'exact' if exact else 'fast'}: {equal} of {len(prompts)} texts of {n} tokens equal")
    return ok


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--text", help="text for the perplexity (default: a page of English and Chinese)")
    parser.add_argument("--bytes", type=int, help="of the text, from its start and from its end (default: all)")
    parser.add_argument("--prompts", type=int, default=len(PROMPTS), help="how many, spread over the list")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    text = args.text or os.path.join(os.path.dirname(__file__), "..", "tests", "fixtures", "page.txt")
    prompts = [PROMPTS[i * len(PROMPTS) // args.prompts] for i in range(args.prompts)]
    with tempfile.TemporaryDirectory() as folder:
        if args.bytes:
            text = shortened(text, args.bytes, folder)
        tolerance = FAST_PERPLEXITY_SHORT if args.bytes else FAST_PERPLEXITY
        results = [check_model(args.heed, os.path.abspath(m), args.tokens, prompts, text, tolerance)
                   for m in args.models]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
