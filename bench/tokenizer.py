#!/usr/bin/env python3
"""tokenizer.py - heed, tiktoken and Hugging Face tokenizers with one vocabulary, in turn.

    make build/release/tokenize_lines
    bench/tokenizer.py TOKENIZER.json TEXT... [--rounds 5] [--megabytes 4] [--out tokenizer]

TOKENIZER.json is byte-level BPE with one split pattern, such as `heed tokenizer train` writes.  Each
text is encoded in pieces of a megabyte, by one thread, and each gives the ids, which must be equal.
A round measures all three one after the other, in seconds of their thread; of the rounds the median
counts, and of the ratios of each round the median too, so that load which comes and goes meets both
sides.  Loading is not counted.  Prints a table; writes OUT.md and OUT.json.  Needs the packages
tiktoken and tokenizers.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

PIECE = 1000000  # characters
NAMES = ("heed", "tiktoken", "tokenizers")


def alphabet():
    """Character of the byte-level alphabet -> byte."""
    kept = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    others = [b for b in range(256) if b not in kept]
    return {chr(b): b for b in kept} | {chr(256 + i): b for i, b in enumerate(others)}


def split_pattern(file):
    """The pattern as tiktoken takes it; its own form of GPT-2's, which is faster there."""
    step = file["pre_tokenizer"]
    steps = step["pretokenizers"] if step["type"] == "Sequence" else [step]
    patterns = [s["pattern"]["Regex"] for s in steps if s["type"] == "Split"]
    if len(patterns) > 1:
        sys.exit("tiktoken takes one split pattern")
    gpt2 = not patterns or patterns[0].startswith("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+")
    if not gpt2:
        return patterns[0]
    import tiktoken_ext.openai_public
    return tiktoken_ext.openai_public.r50k_pat_str


def make_tiktoken(file):
    import tiktoken
    byte_of = alphabet()
    special = {a["content"]: a["id"] for a in file["added_tokens"]}
    ranks = {bytes(byte_of[c] for c in token): i for token, i in file["model"]["vocab"].items()
             if token not in special}
    return tiktoken.Encoding("bench", pat_str=split_pattern(file), mergeable_ranks=ranks,
                             special_tokens=special)


def timed(encode, texts):
    begin = time.thread_time()
    ids = [encode(text) for text in texts]
    return time.thread_time() - begin, ids


def run_heed(options, blob, *words):
    return subprocess.run([options.driver, options.tokenizer, *words], input=blob,
                          stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()


def heed_seconds(options, blob):
    lines = [line.split() for line in run_heed(options, blob, "time")]
    return sum(float(words[4]) for words in lines if "tokens," in words)


def pieces(path, limit):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read(limit)
    texts = []
    while text:
        end = text.find("\n", PIECE) + 1 or len(text)
        texts.append(text[:end].replace("\0", ""))
        text = text[end:]
    return texts


def measure(options, path, tiktoken, tokenizers):
    texts = pieces(path, int(options.megabytes * 1e6))
    blob = b"".join(text.encode() + b"\0" for text in texts)
    ids = [[int(i) for i in line.split()] for line in run_heed(options, blob)]
    rounds = []
    for i in range(options.rounds):
        print(f"{os.path.basename(path)}, round {i + 1}", file=sys.stderr)
        heed = heed_seconds(options, blob)
        a, by_tiktoken = timed(tiktoken.encode_ordinary, texts)
        b, by_tokenizers = timed(lambda t: tokenizers.encode(t, add_special_tokens=False).ids, texts)
        rounds.append({"heed": heed, "tiktoken": a, "tokenizers": b})
    megabytes = (len(blob) - len(texts)) / 1e6
    middle = lambda values: statistics.median(list(values))
    return {"text": os.path.basename(path), "megabytes": megabytes,
            "tokens": sum(map(len, ids)), "rounds": rounds,
            "mb_per_second": {n: megabytes / middle(r[n] for r in rounds) for n in NAMES},
            "ratio": {n: middle(r[n] / r["heed"] for r in rounds) for n in NAMES[1:]},
            "equal": {"tiktoken": by_tiktoken == ids, "tokenizers": by_tokenizers == ids}}


def table(results):
    lines = ["| text | MB | heed MB/s | tiktoken MB/s | tokenizers MB/s | heed / tiktoken | "
             "heed / tokenizers | same ids |", "|---|---|---|---|---|---|---|---|"]
    for r in results:
        speed, ratio = r["mb_per_second"], r["ratio"]
        lines.append(f"| {r['text']} | {r['megabytes']:.1f} | {speed['heed']:.1f} "
                     f"| {speed['tiktoken']:.1f} | {speed['tokenizers']:.2f} "
                     f"| {ratio['tiktoken']:.1f} | {ratio['tokenizers']:.1f} "
                     f"| {'yes' if all(r['equal'].values()) else 'NO'} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tokenizer")
    parser.add_argument("texts", nargs="+")
    parser.add_argument("--driver", default="build/release/tokenize_lines")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--megabytes", type=float, default=4)
    parser.add_argument("--out", default="tokenizer")
    options = parser.parse_args()
    import tiktoken
    import tokenizers
    with open(options.tokenizer, encoding="utf-8") as file:
        encoding = make_tiktoken(json.load(file))
    original = tokenizers.Tokenizer.from_file(options.tokenizer)
    results = [measure(options, path, encoding, original) for path in options.texts]
    text = table(results)
    print(text, end="")
    with open(options.out + ".md", "w", encoding="utf-8") as file:
        file.write(text)
    with open(options.out + ".json", "w", encoding="utf-8") as file:
        json.dump({"machine": platform.processor() or platform.machine(),
                   "tiktoken": tiktoken.__version__, "tokenizers": tokenizers.__version__,
                   "tokenizer": options.tokenizer, "results": results}, file, indent=1)
    sys.exit(0 if all(all(r["equal"].values()) for r in results) else 1)


if __name__ == "__main__":
    main()
