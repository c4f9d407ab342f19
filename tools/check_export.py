#!/usr/bin/env python3
"""Models that heed trained, opened by other programs: equal logits, equal token ids, equal texts.

    tools/check_export.py [--heed build/release/heed] [--llama FOLDER] [--steps 60] [ARCH...]

For each architecture that has a standard name (gpt2, llama, qwen2, qwen3, gemma3, mamba; with a + for
experts: llama+, which is Mixtral, qwen2+, qwen3+):

    heed train page.txt -o ARCH.gguf       a tiny model, a few steps, so that its numbers are its own
    heed convert ARCH.gguf -o ARCH/        as a Hugging Face folder

transformers opens the folder (AutoModelForCausalLM, AutoTokenizer).  Its logits behind beginnings of
a text must be heed's within 1e-4, and its tokenizer must give heed's ids for the page and for hostile
strings.  With --llama, the folder of llama.cpp's programs, `llama-completion` (or llama-cli) goes on
greedily from the GGUF of each architecture, and must write heed's text; and again with an adapter
(`heed train --from ARCH.gguf --lora 4`) beside it.

Needs torch, transformers and tokenizers (Python).  Exit status 1 if anything differs.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from check_tokenizers import random_text

ARCHS = ["gpt2", "llama", "qwen2", "qwen3", "gemma3", "mamba", "llama+", "qwen2+", "qwen3+"]
PAGE = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "page.txt"
PROMPTS = ["Long", "Long, long ago there stood in the midst", "The girl went to the forest and",
           "  two blanks\n\nand a line", "her mother said: \"Where are you?\"", "从前有一座山", "1234 5.6",
           "e\u0301 caf\u00e9 \U0001f600"]
TOLERANCE = 1e-4
HOSTILE = 3000


def run(*args):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, args))}: {done.stderr.strip()[-400:]}")
    return done.stdout


def train(heed, arch, folder, steps):
    model = folder / f"{arch}.gguf"
    experts = ["--experts", 4] if arch.endswith("+") else []
    run(heed, "train", PAGE, "-o", model, "--arch", arch.rstrip("+"), *experts, "--layers", 2, "--width", 64, "--heads", 2,
        "--context", 64, "--batch", 8, "--steps", steps, "--vocab", 400, "--threads", 1)
    run(heed, "convert", model, "-o", folder / arch, "--to", "hf")
    return model, folder / arch


def compare_logits(heed, gguf, model, tokenizer):
    worst = 0.0
    for prompt in PROMPTS:
        out = json.loads(run(heed, "next", gguf, "-p", prompt, "--exact", "--json", "--temp", 1, "--top",
                             model.config.vocab_size))
        with torch.no_grad():
            want = model(torch.tensor([out["prompt_tokens"]])).logits[0, -1]
        have = torch.zeros_like(want)
        for candidate in out["candidates"]:
            have[candidate["id"]] = candidate["logit"]
        assert len(out["candidates"]) == len(want)
        worst = max(worst, float((have - want).abs().max()))
    return worst


def compare_ids(heed, gguf, tokenizer, folder):
    rng = random.Random(7)
    # heed takes one newline at the end of a file for the editor's.
    texts = [PAGE.read_text().rstrip() + ".", "\n".join(random_text(rng, []) for _ in range(HOSTILE)) + "."]
    n = 0
    for text in texts:
        path = folder / "text"
        path.write_bytes(text.encode())
        out = json.loads(run(heed, "tokenize", gguf, "-f", path, "--json"))
        have = [token["id"] for token in out["tokens"]]
        want = tokenizer(text, add_special_tokens=False).input_ids
        if have != want:
            parts = (i for i, (a, b) in enumerate(zip(have, want)) if a != b)
            at = next(parts, min(len(have), len(want)))
            print(f"  ids part at {at}: {have[at:at + 5]} for {want[at:at + 5]}")
            return None
        n += len(want)
    return n


def adapter_of(heed, gguf, folder):
    run(heed, "train", PAGE, "-o", folder / "tuned.gguf", "--from", gguf, "--lora", 4, "--rate", 0.02, "--context",
        64, "--batch", 4, "--steps", 20, "--threads", 1, "--force")
    return ["--lora", folder / "tuned.lora.gguf"]


def compare_text(heed, program, gguf, adapter):
    """Greedy texts of llama.cpp and of heed, both computing with the file's f32."""
    prompt = "Long, long ago there stood in the"
    mine = run(heed, "run", gguf, "-p", prompt, "-n", 24, "--greedy", "--exact", "--threads", 1, *adapter)
    theirs = run(program, "-m", gguf, "-p", prompt, "-n", 24, "--temp", 0, "-no-cnv", "-t", 1, "--no-warmup",
                 "--no-display-prompt", "--simple-io", "-ctk", "f32", "-ctv", "f32", *adapter)
    mine, theirs = mine.removeprefix(prompt).strip(), theirs.removesuffix("[end of text]").strip()
    theirs = theirs.replace("[end of text]", "").strip()
    if mine != theirs:
        print(f"  heed      {mine!r}\n  llama.cpp {theirs!r}")
    return mine == theirs


def check(heed, arch, program, steps, folder):
    gguf, hf = train(heed, arch, folder, steps)
    model = AutoModelForCausalLM.from_pretrained(hf, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(hf)
    worst = compare_logits(heed, gguf, model, tokenizer)
    n = compare_ids(heed, gguf, tokenizer, folder)
    ok = worst <= TOLERANCE and n is not None
    words = f"{arch:7} {type(model).__name__:20} logits within {worst:.1e}, {n} ids equal"
    if program:
        for what, adapter in (("", []), (" with an adapter", adapter_of(heed, gguf, folder))):
            same = compare_text(heed, program, gguf, adapter)
            words += f", llama.cpp's text{what} " + ("equal" if same else "DIFFERS")
            ok &= same
    print(words + ("" if ok else "  FAILED"), flush=True)
    return ok


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--llama", help="folder of llama.cpp's programs")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("archs", nargs="*", default=ARCHS)
    args = parser.parse_args()
    program = None
    if args.llama:
        names = ("llama-completion", "llama-cli")
        program = next((p for p in (Path(args.llama) / n for n in names) if p.exists()), None)
        if not program:
            sys.exit(f"{args.llama}: neither of {names}")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        results = [check(args.heed, arch, program, args.steps, Path(folder)) for arch in args.archs]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
