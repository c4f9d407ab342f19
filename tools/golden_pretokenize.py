#!/usr/bin/env python3
"""Writes tests/fixtures/pretokenize.txt: how Hugging Face tokenizers cuts hostile texts.

    pip install tokenizers==0.23.3
    python tools/golden_pretokenize.py > tests/fixtures/pretokenize.txt

Lines: "text <hex of UTF-8>", then for each pre-tokenizer "cut <name> <end of each piece in bytes>";
then "split <behaviour> <invert> <hex of pattern> <hex of text> <start and end of each piece>", where
"-" stands for an empty text.
"""
import random

from tokenizers import Regex
from tokenizers.pre_tokenizers import Digits, Punctuation, Sequence, Split

CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
LEAD = r"[^\r\n\p{L}\p{N}]?"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CASED = (r"A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚ"
         "Ḁ-\u1F15\u1F18-\u1F1D\u1F20-\u1F45\u1F48-\u1F4D\u1F50-\u1F57\u1F59\u1F5B\u1F5D"
         "\u1F5F-\u1F7D\u1F80-\u1FB4\u1FB6-\u1FBC\u1FBE\u1FC2-\u1FC4\u1FC6-\u1FCC\u1FD0-\u1FD3"
         "\u1FD6-\u1FDB\u1FE0-\u1FEC\u1FF2-\u1FF4\u1FF6-\u1FFCℂℇℊ-ℓℕℙ-ℝℤ\u2126ℨ\u212A-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎ"
         "ↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿ\uFB00-\uFB06\uFB13-\uFB17Ａ-Ｚａ-ｚ"
         "\U00010400-\U0001044F\U000104B0-\U000104D3\U000104D8-\U000104FB\U00010C80-\U00010CB2"
         "\U00010CC0-\U00010CF2\U000118A0-\U000118DF\U0001E900-\U0001E943")


def split(*patterns):
    return Sequence([Split(Regex(p), "isolated") for p in patterns])


def word(contraction):
    return (f"{LEAD}{UPPER}*{LOWER}+{contraction}|{LEAD}{UPPER}+{LOWER}*{contraction}")


def llama(letters, digits, other, tail):
    return rf"{CONTRACTION}|{LEAD}{letters}+|{digits}| ?{other}+{tail}|{BLANKS}"


OTHER = r"[^\s\p{L}\p{N}]"
SPLITTERS = {
    "gpt-2": split(GPT2),
    "smollm": Sequence([Digits(individual_digits=True), split(GPT2)]),
    "llama-bpe": split(llama(r"\p{L}", r"\p{N}{1,3}", OTHER, r"[\r\n]*")),
    "qwen2": split(llama(r"\p{L}", r"\p{N}", OTHER, r"[\r\n]*")),
    "qwen35": split(llama(r"[\p{L}\p{M}]", r"\p{N}", r"[^\s\p{L}\p{M}\p{N}]", r"[\r\n]*")),
    "seed-coder": split(llama(r"\p{L}", r"\p{N}{1}", r"[^\s\p{L}\p{N}\r\n]", "")),
    "gpt-4o": split(rf"{word(CONTRACTION + '?')}|\p{{N}}{{1,3}}| ?{OTHER}+[\r\n/]*|{BLANKS}"),
    "tekken": split(rf"{word('')}|\p{{N}}| ?{OTHER}+[\r\n/]*|{BLANKS}"),
    "deepseek-llm": split("[\r\n]", rf"\s?[{CASED}]+",
                          "\\s?[!-/:-~！-／：-～‘-‟\u3000-。]+", r"\s+$",
                          "[一-龥ࠀ-一가-\ud7ff]+", r"\p{N}+"),
    "deepseek-coder": split("[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-\ud7ff]+", r"\p{N}"),
    "deepseek-v3": split(r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+",
                         r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
                         r"|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|" + BLANKS),
    "falcon": Sequence([Punctuation("contiguous"), split(GPT2), split("[0-9][0-9][0-9]")]),
    "default": split(r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"),
    "bloom": split(" ?[^(\\s|.,!?…。，、।۔،)]+"),
    "viking": split(" ?[^(\\s|.,!?…。，、।۔،)]+", r"\p{N}"),
}

CURATED = [
    "Hello world", " Hello  world ", "I'm you're we'll they've he'd it's don't", "I'M YOU'RE WE'LL",
    "it'ſ 'ſ 'Ll 'lL 'rE 'vé 'r 'l", "a\u0301b\u0301 \u0301\u0301 A\u0301 \u0301A \u0301A\u0301b",
    "3 33 333 3333 33333 333333 3333333 33333333 3.3 3..3 3...3",
    "\n \n\n \n\n\n \t \t\t \t\n  \n   \n    \n     \nend", "x\r\ny\r\rz\n\r w \r\n", "  \n  x", "\u3000\u00a0x\u2003 y",
    "🚀 (normal) 😶\u200d🌫️ (multiple emojis concatenated) ✅ 🦙🦙", "កាន់តែពិសេសអាច 🚀 ខ្មែរ", "ทดสอบ ไทย",
    "我想在apple工作1314151天～ 日本語テキスト 한국어", "ВЕЛИКИЙ Русский ТеКсТ", "HTTPServer XMLHttp iPhone eBay ǅungla ʰA Aʰ",
    "------======= нещо на Български", "''''''```````\"\"\"\"......!!!!!!??????", "a//b/\n/\nc ///\n", "\u0085x\u2028y\u2029z",
    "$100+200<300>=^|~`", "x_y __init__ _ __", "\tif (x):\n\t\treturn 1\n", "Ⅷ ² ½ ١٢٣ 𝟘𝟙", "\u01c5 \u02b0 \u2126 \u212a",
    "()[]{}<>", "।۔،…。，、|x(y)z", "\u200b\ufeff\u00ad\u2060 x", "\U00010d4a\u1c89\U0002ebf0 \ua7dc", "",
    " ", "\n", "'", "'s", "'S", " 's", "9", " 9", "!", "\u0301", "A", "a", "🚀",
]
ALPHABET = [" "] * 6 + ["\n"] * 3 + ["\r", "\t", "'", "'", "s", "t", "l", "L", "e", "R", "v", "D", "m", "a",
            "Z", "é", "É", "\u0301", "\u0301", "ǅ", "ʰ", "中", "一", "の", "한", "ก", "1", "2", "٣", "½", "Ⅷ", ".", "/", "/",
            "-", "$", "+", "(", "_", "¿", "。", "\u3000", "\u00a0", "\u2028", "\u0085", "\u200d", "🚀", "ſ", "\x00", "€", "\x0b"]


def main():
    rng = random.Random(1)
    texts = CURATED + ["".join(rng.choice(ALPHABET) for _ in range(rng.randint(2, 30)))
                       for _ in range(160)]
    for text in texts:
        print("text", text.encode().hex())
        for name, splitter in SPLITTERS.items():
            ends, end = [], 0
            for _, (a, b) in splitter.pre_tokenize_str(text):
                assert len(text[:a].encode()) == end
                end = len(text[:b].encode())
                ends.append(str(end))
            assert end == len(text.encode())
            print("cut", name, *ends)
    for pattern in (r"\p{N}", r"\p{N}+", r"\s?\p{L}+", "-", "-+", "(?:ab|a)(?=c)|é", "x*", "^|$", r"\d\b"):
        for text in ("a-b--c---", "--12a3 45", "abac é-", "xxaxx", "x", "", "1 23a\n4\n", "é中"):
            for behaviour in ("isolated", "removed", "contiguous", "merged_with_previous",
                              "merged_with_next"):
                for invert in (False, True):
                    splitter = Split(Regex(pattern), behaviour, invert)
                    spans = [len(text[:x].encode()) for _, ab in splitter.pre_tokenize_str(text)
                             for x in ab]
                    print("split", behaviour, int(invert), pattern.encode().hex(),
                          text.encode().hex() or "-", *spans)


main()
