#!/usr/bin/env python3
"""Writes what Hugging Face's BpeTrainer learns from some small texts.

    golden_bpe_training.py [tests/fixtures/bpe_training.json]

Each case has the text, the settings, the tokens in the order of their ids (without the 256 bytes)
and the merges in the order of their ranks.  Needs the package `tokenizers`; made with 0.23.
tools/check_bpe_training.py compares larger texts.
"""
import json
import random
import sys

from check_bpe_training import END, pre_tokenizer
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

TALE = """Once upon a time there was a miller who had three sons, and when he died he left them
nothing but his mill, his donkey and his cat. The eldest took the mill, the second the donkey, and
the youngest had nothing but the cat. "I'll have a coat made of him," said he, "and then I've 100
coats less one!"

  "Don't," said the cat;   "give me a pair of boots, and you'll see that you've not done so badly."

"""
POEM = """床前明月光，疑是地上霜。
举头望明月，低头思故乡。
床前看月光，疑是地上霜。
仰头望山月，低头思故乡。
"""
def few_letters(letters, n):
    """A text in which pairs overlap (aaa) and many stand equally often."""
    rng = random.Random(n)
    return "".join(rng.choice(letters) * rng.randrange(1, 4) for _ in range(n))


def learn(text, size, pattern, least, specials, by_line):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer(pattern)
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=least, show_progress=False,
                                  special_tokens=[END] + specials,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(text.splitlines(keepends=True) if by_line else [text], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    alphabet = set(pre_tokenizers.ByteLevel.alphabet())
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    return [t for t in tokens if t not in alphabet], [" ".join(m) for m in model["merges"]]


# name, text, vocabulary, pattern, least frequency, special tokens, by line
CASES = [
    ("tale", TALE, 400, "gpt2", 2, [], False),
    ("tale_llama3", TALE, 340, "llama3", 2, ["<|im_start|>", "<|im_end|>"], False),
    ("tale_by_line", TALE, 500, "gpt2", 1, [], True),
    ("poem", POEM, 330, "gpt2", 1, [], False),
    ("poem_qwen2", POEM + TALE, 360, "qwen2", 3, ["the"], False),
    ("letters", few_letters("ab", 400), 320, "gpt2", 1, [], False),
    ("letters_and_spaces", few_letters("abc \n", 600), 350, "gpt2", 2, ["ab"], False),
]


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/fixtures/bpe_training.json"
    cases = []
    for name, text, size, pattern, least, specials, by_line in CASES:
        tokens, merges = learn(text, size, pattern, least, specials, by_line)
        cases.append({"name": name, "pattern": pattern, "vocab": size, "least": least,
                      "by_line": by_line, "special": specials, "text": text, "tokens": tokens,
                      "merges": merges})
        print(name, len(tokens), "tokens", len(merges), "merges")
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases) + "\n]\n")


if __name__ == "__main__":
    main()
