#!/usr/bin/env python3
"""Compares heed's tokenizers with the originals on hostile strings.

    check_tokenizers.py DRIVER KIND SOURCE [--n 100000] [--seed 1] [--parse] [--special] [--show 5]

DRIVER is tools/tokenize_lines.c, built.  KIND and SOURCE say what is compared with what:

    json     tokenizer.json           with Hugging Face tokenizers reading the same file
    gguf     MODEL.gguf               with Hugging Face tokenizers built from the same vocabulary
    llamacpp MODEL.gguf               with llama.cpp (python package llama_cpp) reading the same file
    gpt2     folder of encoder.json, vocab.bpe      with Hugging Face tokenizers built from them
    vocab    tokenizer.json of byte-level BPE, as the GGUF vocabulary it would become
    spm      SentencePiece .model     with the sentencepiece package

It prints the number of strings compared and of differences, and the first few of these; the exit
code is 1 if there are any.  --bytes instead checks decode(encode(x)) == x on random bytes, but for
what a vocabulary cannot hold: bytes that it has no token for (SmolLM2 lacks 21) vanish, and
SentencePiece writes U+2581 as a space.
"""
import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

GPT2 = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
NAMED = {
    "gpt-2": GPT2,
    "llama-bpe": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
                 r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "qwen2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
             r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}

# ---- hostile strings

WORDS = """the of and Hello world tokenizer internationalization don't we'll I'm they've it's
 CAN'T YOU'RE s't 'S ''s naïve café Ångström straße Größe ﬁnance ﬃ ﬀ ǅ İstanbul ıI Δοκιμή слово
 привет мир Ёлка שלום עולם مرحبا بالعالم नमस्ते दुनिया สวัสดีชาวโลก ភាសាខ្មែរ မြန်မာ 你好世界 中文 字 日本語 カタカナ ひらがな
 한국어 ㅎㅏㄴ ሰላም გამარჯობა ᠮᠣᠩᠭᠣᠯ 𐍈 𝔘𝔫𝔦 𝟙𝟚 🚀 😶‍🌫️ 👩‍👩‍👧‍👦 👍🏽 🇩🇪🇫🇷 ❤️ ☃ ① Ⅷ ½ ٣٤ ४५ 〇 1 12 123 1234 33333333 3.14 1e-9
 0x1F foo_bar __init__ camelCase HTTPServer <div> </p> {"a":[1,2]} a+=b; //comment #include $100 50% €5 £ ¥ a@b.c
 http://x.y/z?q=1&r=2 C:\\\\dir ... !!! ??? -- — – ‘quoted’ “double” «guillemets» „low“ · • … ‰ ▁ ▁▁ ▁a a▁ Ġ Ċ ÃĤ <0x41> <0x0A>
 <unk> <s> </s> aaaaaaaaaaaaaaaa ======== ________ zzzz""".split()
SPACES = [" ", "  ", "   ", "\n", "\n\n", "\r\n", "\r", "\t", "\t\t", " \n", "\n ", " \n \n", "\u00a0",
          "\u2028", "\u2029", "\u3000", "\u200b", "\u200d", "\ufeff", "\u0085", "\x0b", "\x0c", "\u2003",
          "\u1680", "\u180e", "\u202f", "", "", " ", " ", "\n" * 7, " " * 17, "\t" * 5]
MARKS = ["\u0301", "\u0308", "\u0323", "\u0327", "\u05b0", "\u093c", "\u0e48", "\u20dd", "\ufe0f", "\u3099",
         "\u1161", "\u11a8", "\u0345", "\u034f"]
BLOCKS = [(0x20, 0x7f), (0x20, 0x7f), (0x80, 0x250), (0x300, 0x530), (0x590, 0x700), (0x900, 0xe80),
          (0x1000, 0x1400), (0x1d00, 0x2c00), (0x2e80, 0x3400), (0x3400, 0xa000), (0xa000, 0xd800),
          (0xf900, 0x10000), (0x10000, 0x11000), (0x1d000, 0x1e000), (0x1f000, 0x1fb00),
          (0x20000, 0x20100), (0x1, 0x20), (0xe000, 0xe010), (0x10fff0, 0x110000)]


def random_char(rng):
    low, high = rng.choice(BLOCKS)
    return chr(rng.randrange(low, high))


def random_text(rng, specials):
    parts = []
    for _ in range(rng.choice((1, 2, 3, 5, 8, 13, 30))):
        kind = rng.random()
        if kind < 0.45:
            word = rng.choice(WORDS)
            if rng.random() < 0.15:
                word = rng.choice((word.upper(), word.title(), word * 3, word[::-1], word[:-1]))
            parts.append(word)
        elif kind < 0.55:
            parts.append("".join(random_char(rng) for _ in range(rng.randrange(1, 6))))
        elif kind < 0.62:
            low, high = rng.choice(BLOCKS)
            parts.append("".join(chr(rng.randrange(low, high)) for _ in range(rng.randrange(1, 12))))
        elif kind < 0.67:
            parts.append("".join(rng.choice("0123456789") for _ in range(rng.randrange(1, 12))))
        elif kind < 0.72:
            parts.append(random_char(rng) + "".join(rng.choice(MARKS) for _ in range(rng.randrange(1, 4))))
        elif kind < 0.76 and specials:
            special = rng.choice(specials)
            if rng.random() < 0.3:
                special = special[rng.randrange(len(special)):] + special
            parts.append(special)
        elif kind < 0.80:
            parts.append(rng.choice("'’-_.,!?/\\\"()[]{}<>|@#$%^&*+=~`") * rng.randrange(1, 5))
        elif kind < 0.82:
            parts.append(rng.choice(("a", "ab", "=", " ", "\n", "字", "é", "😀")) * rng.randrange(1, 70))
        if rng.random() < 0.75:
            parts.append(rng.choice(SPACES))
    text = "".join(parts).replace("\0", "")
    return "".join(c for c in text if not 0xd800 <= ord(c) < 0xe000)


# ---- vocabularies

def byte_alphabet():
    kept = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    table, n = {}, 0
    for byte in range(256):
        table[byte] = chr(byte) if byte in kept else chr(256 + n)
        n += byte not in kept
    return table


class Vocabulary:
    """What the driver's dump holds."""
    def __init__(self, model, pre, tokens, kinds, scores=None, merges=(), **special):
        self.model, self.pre, self.tokens, self.kinds = model, pre, tokens, kinds
        self.scores = scores or [0.0] * len(tokens)
        self.merges = list(merges)
        self.special = dict(bos=-1, eos=-1, eot=-1, eom=-1, unknown=-1, padding=-1, add_bos=0,
                            add_eos=0, add_space_prefix=0)
        self.special.update(special)
        self._lacking = None

    def lacking_bytes(self):
        """Of a byte-level vocabulary: the bytes that have no token."""
        if self._lacking is None:
            tokens = set(self.tokens)
            self._lacking = bytes(b for b, c in byte_alphabet().items() if c not in tokens)
        return self._lacking

    def write(self, path):
        def text(s):
            data = s if isinstance(s, bytes) else s.encode()
            return struct.pack("<i", len(data)) + data
        out = [b"HVOC", text(self.model), text(self.pre)]
        out.append(struct.pack("<9i", *[int(self.special[k]) for k in (
            "bos", "eos", "eot", "eom", "unknown", "padding", "add_bos", "add_eos", "add_space_prefix")]))
        out.append(struct.pack("<i", len(self.tokens)))
        for token, kind, score in zip(self.tokens, self.kinds, self.scores):
            out.append(text(token) + struct.pack("<if", kind, score))
        out.append(struct.pack("<i", len(self.merges)))
        out += [text(m) for m in self.merges]
        with open(path, "wb") as file:
            file.write(b"".join(out))


def read_gguf(path):
    from gguf import GGUFReader
    fields = GGUFReader(path).fields

    def get(name, otherwise=None):
        field = fields.get("tokenizer.ggml." + name)
        return field.contents() if field else otherwise
    tokens = get("tokens")
    return Vocabulary(get("model"), get("pre", "default"), tokens, get("token_type"), get("scores"),
                      get("merges", []), bos=get("bos_token_id", -1), eos=get("eos_token_id", -1),
                      unknown=get("unknown_token_id", -1), padding=get("padding_token_id", -1),
                      add_bos=get("add_bos_token", get("model") == "llama"),
                      add_eos=get("add_eos_token", False),
                      add_space_prefix=get("add_space_prefix", get("model") == "llama"))


def read_gpt2(folder):
    with open(os.path.join(folder, "encoder.json"), encoding="utf-8") as file:
        ids = json.load(file)
    with open(os.path.join(folder, "vocab.bpe"), encoding="utf-8") as file:
        merges = [line for line in file.read().split("\n")[1:] if line]
    tokens = [t for t, _ in sorted(ids.items(), key=lambda item: item[1])]
    kinds = [3 if t == "<|endoftext|>" else 1 for t in tokens]
    return Vocabulary("gpt2", "gpt-2", tokens, kinds, None, merges, bos=50256, eos=50256)


def read_json_as_vocab(path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    ids = dict(data["model"]["vocab"])
    kinds = {}
    for added in data["added_tokens"]:
        ids[added["content"]] = added["id"]
        kinds[added["content"]] = 3 if added["special"] else 4
    tokens = [t for t, _ in sorted(ids.items(), key=lambda item: item[1])]
    assert [ids[t] for t in tokens] == list(range(len(tokens)))
    merges = [m if isinstance(m, str) else " ".join(m) for m in data["model"]["merges"]]
    pre = "llama-bpe" if data["model"].get("ignore_merges") else "qwen2"
    return Vocabulary("gpt2", pre, tokens, [kinds.get(t, 1) for t in tokens], None, merges)


def read_spm(path):
    import sentencepiece
    spm = sentencepiece.SentencePieceProcessor(model_file=path)
    n = spm.vocab_size()
    kinds = [2 if spm.is_unknown(i) else 3 if spm.is_control(i) else 6 if spm.is_byte(i)
             else 5 if spm.is_unused(i) else 1 for i in range(n)]
    return spm, Vocabulary("llama", "default", [spm.id_to_piece(i) for i in range(n)], kinds,
                           [spm.get_score(i) for i in range(n)], bos=spm.bos_id(), eos=spm.eos_id(),
                           unknown=spm.unk_id(), add_bos=1, add_space_prefix=1)


# ---- originals: each a function from a list of texts to a list of lists of ids

def hugging_face(vocabulary):
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers
    v = vocabulary
    ids = {t: i for i, t in enumerate(v.tokens)}
    if v.model == "gpt2":
        merges = [tuple([m[:m.index(" ", 1)], m[m.index(" ", 1) + 1:]]) for m in v.merges]
        bpe = models.BPE(ids, merges, ignore_merges=v.pre == "llama-bpe")
        hf = Tokenizer(bpe)
        steps = [pre_tokenizers.Digits(individual_digits=True)] if v.pre == "smollm" else []
        pattern = NAMED["gpt-2" if v.pre == "smollm" else v.pre]
        steps += [pre_tokenizers.Split(Regex(pattern), "isolated"),
                  pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
        hf.pre_tokenizer = pre_tokenizers.Sequence(steps)
    else:
        # GGUF files hold user-defined runs of spaces as they are found in the text.
        scores = {t: score for t, score, k in zip(v.tokens, v.scores, v.kinds) if k in (1, 4, 5)}
        merges = []
        for token, score in scores.items():
            for k in range(1, len(token)):
                if token[:k] in scores and token[k:] in scores:
                    merges.append((-score, token[:k], token[k:]))
        merges.sort(key=lambda m: m[0])
        hf = Tokenizer(models.BPE(ids, [m[1:] for m in merges], byte_fallback=True, fuse_unk=True,
                                  unk_token=v.tokens[v.special["unknown"]]))
        steps = [normalizers.Prepend("▁")] if v.special["add_space_prefix"] else []
        hf.normalizer = normalizers.Sequence(steps + [normalizers.Replace(" ", "▁")])
    hf.add_tokens([AddedToken(v.tokens[i], normalized=False, special=False)
                   for i, k in enumerate(v.kinds) if k == 4])
    hf.add_special_tokens([AddedToken(v.tokens[i], normalized=False, special=True)
                           for i, k in enumerate(v.kinds) if k in (2, 3)])
    return hf


def original(args, vocabulary, spm):
    if args.kind == "llamacpp":
        import llama_cpp
        model = llama_cpp.Llama(args.source, vocab_only=True, verbose=False)
        return lambda texts: [model.tokenize(t.encode(), add_bos=args.special, special=args.parse)
                              for t in texts]
    if args.kind == "spm":
        return lambda texts: [spm.encode(t, add_bos=args.special) for t in texts]
    if args.kind in ("json", "vocab") or args.original:
        from tokenizers import Tokenizer
        hf = Tokenizer.from_file(args.original or args.source)
        if args.kind == "vocab":
            hf.normalizer = None or __import__("tokenizers").normalizers.Sequence([])
    else:
        hf = hugging_face(vocabulary)
    hf.encode_special_tokens = not args.parse
    return lambda texts: [e.ids for e in hf.encode_batch(texts, add_special_tokens=args.special)]


# ---- comparison

def drive(args, path, blob, words=()):
    words = list(words) + ["special"] * args.special + ["parse"] * args.parse
    out = subprocess.run([args.driver, path] + words, input=blob, stdout=subprocess.PIPE, check=True)
    return out.stdout.decode().split("\n")[:-1]


def report(text, ours, theirs):
    at = 0
    while at < min(len(ours), len(theirs)) and ours[at] == theirs[at]:
        at += 1
    at = max(at - 3, 0)
    print("DIFFERENT", ascii(text)[:500])
    print(f"  at id {at}: heed", *ours[at:at + 12], "| original", *theirs[at:at + 12])


def compare(args, path, encode, specials):
    rng = random.Random(args.seed)
    n_different = n_tokens = 0
    for start in range(0, args.n, 10000):
        texts = [random_text(rng, specials) for _ in range(min(10000, args.n - start))]
        lines = drive(args, path, b"".join(t.encode() + b"\0" for t in texts))
        assert len(lines) == len(texts), (len(lines), len(texts))
        for text, line, want in zip(texts, lines, encode(texts)):
            n_tokens += len(want)
            if line == " ".join(map(str, want)):
                continue
            n_different += 1
            if n_different <= args.show:
                report(text, line.split(), [str(i) for i in want])
    print(f"{args.kind} {os.path.basename(args.source)}: {args.n} strings, {n_tokens} tokens, "
          f"{n_different} different")
    return n_different == 0


def holdable(text, vocabulary):
    if vocabulary is None:
        return text
    if vocabulary.model == "llama":
        return text.replace("\u2581".encode(), b" ")
    return text.translate(None, vocabulary.lacking_bytes())


def round_trip(args, path, vocabulary):
    rng = random.Random(args.seed)
    n_different = 0
    for start in range(0, args.n, 10000):
        texts = []
        for _ in range(min(10000, args.n - start)):
            text = random_text(rng, [])[:30].encode() if rng.random() < 0.5 else b""
            text += bytes(rng.randrange(1, 256) for _ in range(rng.randrange(1, 24)))
            texts.append(text)
        lines = drive(args, path, b"".join(t + b"\0" for t in texts), ["decode"])
        for text, line in zip(texts, lines):
            if bytes.fromhex(line) != holdable(text, vocabulary):
                n_different += 1
                if n_different <= args.show:
                    print("DIFFERENT", text, bytes.fromhex(line))
    print(f"{os.path.basename(args.source)}: {args.n} round trips, {n_different} different")
    return n_different == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("kind", choices=("json", "gguf", "llamacpp", "gpt2", "vocab", "spm"))
    parser.add_argument("source")
    parser.add_argument("--n", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("--original", help="a tokenizer.json to compare a GGUF vocabulary with")
    parser.add_argument("--parse", action="store_true")
    parser.add_argument("--special", action="store_true")
    parser.add_argument("--bytes", action="store_true")
    args = parser.parse_args()

    vocabulary = spm = None
    if args.kind in ("gguf", "llamacpp"):
        vocabulary = read_gguf(args.source)
    elif args.kind == "gpt2":
        vocabulary = read_gpt2(args.source)
    elif args.kind == "vocab":
        vocabulary = read_json_as_vocab(args.source)
    elif args.kind == "spm":
        spm, vocabulary = read_spm(args.source)
    with tempfile.TemporaryDirectory() as folder:
        path = args.source
        if vocabulary:
            path = os.path.join(folder, "vocab.dump")
            vocabulary.write(path)
            specials = [t for t, k in zip(vocabulary.tokens, vocabulary.kinds) if k in (3, 4)]
        else:
            with open(path, encoding="utf-8") as file:
                specials = [a["content"] for a in json.load(file)["added_tokens"]]
        if args.bytes:
            done = round_trip(args, path, vocabulary)
        else:
            done = compare(args, path, original(args, vocabulary, spm), specials)
    sys.exit(0 if done else 1)


if __name__ == "__main__":
    main()
