#!/usr/bin/env python3
"""check_poems.py - do the lines of generated poems have lengths and patterns that poems have?

    tools/check_poems.py MODEL --train poems.txt [--valid poems.valid.txt] [--poems 200]

The pattern of a line is the number of characters between its marks: 5,5 or 7,7 in most Tang verse.
It is legal if at least ten lines of the training text have it and every character of the line is
Chinese or a mark; a line must end with a full stop, question or exclamation mark.  Poems are not
picked: seeds 1, 2, 3 ... from an empty title.  A poem that the limit of tokens cuts loses its last
line.  The same is printed for the held-out poems, and for temperatures 0.1, 0.7 and 1.5.  Standard
library only.
"""
import argparse
import collections
import re
import subprocess

MARKS = "，、；：。！？"
ENDS = "。！？"
LEAST = 10
LIMIT = 300  # tokens


def pattern(line):
    """Characters between the marks, or None for a line that cannot be one of a poem."""
    if not line or line[-1] not in ENDS:
        return None
    parts = re.split(f"[{MARKS}]", line[:-1])
    if not all(re.fullmatch("[㐀-鿿豈-龎\U00020000-\U0003ffff]+", part) for part in parts):
        return None
    return tuple(map(len, parts))


def lines_of(text):
    """Lines of poems without their titles."""
    return [line for line in text.split("\n") if line and not line.startswith("《")]


def generate(heed, model, seed, temperature):
    done = subprocess.run([heed, "run", model, "-p", "《", "-n", str(LIMIT), "--seed", str(seed),
                           "--temp", str(temperature), "--top-p", "1"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    text = "《" + done.stdout.decode("utf-8")  # raises if it is not
    if "cut at the limit" in done.stderr.decode():
        text = text.rsplit("\n", 2)[0]
    return text.strip("\n")


def judge(name, texts, legal):
    lines = [line for text in texts for line in lines_of(text)]
    good = [p for p in map(pattern, lines) if p in legal]
    regular = sum(set(p) in ({5}, {7}) for p in good)
    broken = sum(text.count("\ufffd") for text in texts)
    titled = sum(re.match("《[^《》\n]+》 [^\n]+\n", text + "\n") is not None for text in texts)
    print(f"{name}: {len(texts)} poems, {len(lines)} lines, legal {len(good) / len(lines):.1%}, "
          f"of 5 or 7 characters {regular / len(lines):.1%}, with title and author "
          f"{titled / len(texts):.1%}, broken characters {broken}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--train", required=True)
    parser.add_argument("--valid")
    parser.add_argument("--poems", type=int, default=200)
    parser.add_argument("--show", type=int, default=0, help="print the first so many poems")
    parser.add_argument("--heed", default="build/release/heed")
    options = parser.parse_args()
    with open(options.train, encoding="utf-8") as file:
        counts = collections.Counter(map(pattern, lines_of(file.read())))
    legal = {p for p, n in counts.items() if p and n >= LEAST}
    if options.valid:
        with open(options.valid, encoding="utf-8") as file:
            judge("held-out", file.read().strip().split("\n\n"), legal)
    for temperature in (0.1, 0.7, 1.0, 1.5):
        poems = [generate(options.heed, options.model, seed + 1, temperature)
                 for seed in range(options.poems)]
        judge(f"temperature {temperature}", poems, legal)
        for poem in poems[:options.show]:
            print(poem, end="\n\n")


if __name__ == "__main__":
    main()
