#!/usr/bin/env python3
"""Compares heed's trained vocabularies with those of Hugging Face tokenizers.

    check_bpe_training.py HEED FILE... [--vocab N,N...] [--pattern NAME,...] [--min-frequency N]
    check_bpe_training.py HEED --fuzz N [--seed 1]

Each file (and each random text) is trained on by `heed tokenizer train` and by BpeTrainer with the
same settings; tokens, ids and merges in order must be equal.  With --by-line the library reads the
file itself, which makes every line a text; else the whole file is one text.  Prints the seconds of
both (--repeat N: the least of N runs each, in turn); the exit code is 1 if anything differs.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

END = "<|endoftext|>"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
          r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
PATTERNS = {"gpt2": None, "llama3": LLAMA3, "qwen2": LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")}


def pre_tokenizer(pattern):
    if PATTERNS[pattern] is None:
        return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PATTERNS[pattern]), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def original(args, path, size, pattern, specials):
    """Vocabulary, merges, and the seconds that training took."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer(pattern)
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=args.min_frequency,
                                  special_tokens=specials, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    begin = time.perf_counter()
    if args.by_line:
        tokenizer.train([path], trainer)
    else:
        with open(path, encoding="utf-8", newline="") as file:
            tokenizer.train_from_iterator([file.read()], trainer)
    seconds = time.perf_counter() - begin
    model = json.loads(tokenizer.to_str())["model"]
    return model["vocab"], [tuple(m) for m in model["merges"]], seconds


def ours(args, path, size, pattern, specials):
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "tokenizer.json")
        command = [args.heed, "tokenizer", "train", path, "-o", target, "--vocab", str(size),
                   "--pattern", pattern, "--min-frequency", str(max(args.min_frequency, 1)),
                   "--threads", os.environ.get("RAYON_NUM_THREADS", "2")]
        command += ["--by-line"] * args.by_line
        for special in specials[1:]:
            command += ["--special", special]
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds = time.perf_counter() - begin
        with open(target, encoding="utf-8") as file:
            model = json.load(file)["model"]
        return model["vocab"], [tuple(m) for m in model["merges"]], seconds


def compare(args, path, size, pattern, specials):
    least = [float("inf"), float("inf")]
    for _ in range(args.repeat):
        a = ours(args, path, size, pattern, specials)
        b = original(args, path, size, pattern, specials)
        least = [min(least[0], a[2]), min(least[1], b[2])]
    same = a[:2] == b[:2]
    if not args.fuzz or not same:
        print(f"{os.path.basename(path)} {pattern} {size}: {len(a[0])} tokens, {len(a[1])} merges, "
              f"{'equal' if same else 'DIFFERENT'}, heed {least[0]:.2f} s, "
              f"tokenizers {least[1]:.2f} s, ratio {least[1] / least[0]:.1f}")
    if not same:
        at = next((i for i, (x, y) in enumerate(zip(a[1], b[1])) if x != y), -1)
        print(f"  merge {at}: heed {a[1][at:at + 3]}, original {b[1][at:at + 3]}, {len(b[1])} merges")
    return same


def random_text(rng):
    letters = rng.choice(("ab", "abc", "abcd", "ab \n", "a", "abc é", "的一是 \n", "aA'sst1 \n"))
    n = rng.choice((1, 10, 100, 1000, 5000))
    text = "".join(rng.choice(letters) for _ in range(n))
    if rng.random() < 0.5:
        words = [text[i:i + rng.randrange(1, 12)] for i in range(0, len(text), 9)]
        text = " ".join(rng.choice(words) for _ in range(n // 4 + 1))
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heed")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--vocab", default="2048")
    parser.add_argument("--pattern", default="gpt2")
    parser.add_argument("--min-frequency", type=int, default=2)
    parser.add_argument("--special", action="append", default=[])
    parser.add_argument("--by-line", action="store_true")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--fuzz", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    n_wrong = 0
    for path in args.files:
        for pattern in args.pattern.split(","):
            for size in args.vocab.split(","):
                n_wrong += not compare(args, path, int(size), pattern, [END] + args.special)
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "text")
        for i in range(args.fuzz):
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(random_text(rng))
            args.min_frequency = rng.choice((1, 1, 2, 2, 3))
            args.by_line = rng.random() < 0.3
            specials = [END] + rng.choice(([], ["ab"], ["<s>", "abc"]))
            n_wrong += not compare(args, path, rng.choice((260, 270, 300, 400, 1000)),
                                   rng.choice(list(PATTERNS)), specials)
    if args.fuzz:
        print(f"{args.fuzz} random texts, {n_wrong} different")
    sys.exit(1 if n_wrong else 0)


if __name__ == "__main__":
    main()
