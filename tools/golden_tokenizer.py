#!/usr/bin/env python3
"""Trains five small tokenizers and writes what Hugging Face tokenizers makes of some texts.

    golden_tokenizer.py [tests/fixtures]

Writes tokenizer_bytes.json (byte-level, added tokens of every kind), tokenizer_spaces.json (in the
manner of Llama 2: U+2581, byte fallback, prefix space), tokenizer_words.json (characters, lower
case, words and punctuation, unknown token), tokenizer_pieces.json and tokenizer_cased.json
(WordPiece as BERT has it, without and with capitals) and tokenizer_golden.txt with the ids.  Needs
the package `tokenizers`; made with 0.23.
"""
import json
import os
import sys

import tokenizers
from tokenizers import (AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers,
                        processors, trainers)

CORPUS = """The reader opens the book and reads the first sentence aloud; the others listen.
A sentence is a row of words, and a word is a row of letters. Letters that stand together often
become one piece: "th", "the", "ing", "tion". Numbers such as 7, 42 and 1999 are cut into digits.
Übermut tut selten gut. Der größte Fluß fließt langsam. L'élève préfère la forêt à côté du château.
Вода камень точит. Слово не воробей. 学而时习之，不亦说乎？ 三人行，必有我师焉。
def reader(book):
    for word in book.words:
        print(word, end=" ")
    return len(book.words)
The end of the book is the beginning of the next reading, and the reader reads on.""".split("\n")

TEXTS = ["", " ", "the", " the reader reads", "The  reader\n\n  reads\ton.", "In 1999, 42 books!",
         "L'élève e\u0301le\u0300ve préfère", "Fluß FLUSS Übermut", "学而时习之 三人行", "слово Слово",
         "😀 a👩‍👧b", "x\u00a0y\u2028z", "▁the▁book", "caf\u00e9\u0301", "don't I'll", "\r\n\r\n x",
         "<s>the<|end|>", "a <tool> b<tool>", "concat cat cats cat.", "no  <eat>  food<eat>x",
         "the Éa and E\u0301a here", "ﬁne Ｆｕｌｌ ½", "  strip me  ", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "readerreaderreaderreaderreaderreaderreader", "<0x41><unk></s>", "end<|end|><|start|> mid",
         "THE Élève [MASK] reads.", "a[SEP]b [CLS] İstanbul", "the\x00re\ufffda\x85d\u200ber\ttab",
         "reader学而reader時 𫠠 𫢸", "¿reads? $5+3=8 a_b-c `x` €", "e\u0301le\u0300ve ﬁ ½ ſ ΣΑΣ"]


def train(tokenizer, size, **more):
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, **more)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def make_bytes():
    t = Tokenizer(models.BPE())
    t.normalizer = normalizers.NFC()
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                               pre_tokenizers.ByteLevel(add_prefix_space=False)])
    t.decoder = decoders.ByteLevel()
    train(t, 420, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
          special_tokens=["<|start|>", "<|end|>"])
    t.add_tokens([AddedToken("<tool>", normalized=False), AddedToken("cat", single_word=True),
                  AddedToken("<eat>", lstrip=True, rstrip=True), AddedToken("E\u0301a")])
    t.post_processor = processors.TemplateProcessing(
        single="<|start|> $A <|end|>",
        special_tokens=[(s, t.token_to_id(s)) for s in ("<|start|>", "<|end|>")])
    return t


def make_spaces():
    t = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    special = ["<unk>", "<s>", "</s>"]
    train(t, 440, special_tokens=special + [f"<0x{b:02X}>" for b in range(256)], limit_alphabet=60)
    model = json.loads(t.to_str())
    model["added_tokens"] = [a for a in model["added_tokens"] if a["content"] in special]
    t = Tokenizer.from_str(json.dumps(model))
    t.pre_tokenizer = None
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(),
                                   decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    t.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return t


def make_words():
    t = Tokenizer(models.BPE(unk_token="[UNK]", fuse_unk=True))
    t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Strip(), normalizers.Lowercase()])
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation(),
                                               pre_tokenizers.Digits(individual_digits=False)])
    return train(t, 150, special_tokens=["[UNK]"], limit_alphabet=50)


def make_pieces(lowercase=True):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=30))
    t.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    t.train_from_iterator(CORPUS, trainers.WordPieceTrainer(
        vocab_size=260, show_progress=False, special_tokens=special))
    # The trainer's order depends on a hash: the same pieces, sorted.
    pieces = sorted(set(t.get_vocab()) - set(special))
    t.model = models.WordPiece({p: i for i, p in enumerate(special + pieces)}, unk_token="[UNK]",
                               max_input_chars_per_word=30)
    t.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(s, t.token_to_id(s)) for s in ("[CLS]", "[SEP]")])
    return t


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "tests/fixtures"
    lines = ["# made by tools/golden_tokenizer.py with Hugging Face tokenizers " + tokenizers.__version__,
             "# tokenizer, s: specials added, p: specials parsed, text in hex, ids"]
    for name, tokenizer in (("bytes", make_bytes()), ("spaces", make_spaces()), ("words", make_words()), ("pieces", make_pieces()),
                            ("cased", make_pieces(lowercase=False))):
        with open(os.path.join(folder, f"tokenizer_{name}.json"), "w", encoding="utf-8") as file:
            json.dump(json.loads(tokenizer.to_str()), file, ensure_ascii=False, separators=(",", ":"))
            file.write("\n")
        for flags in ("--", "sp"):
            tokenizer.encode_special_tokens = "p" not in flags
            for text in TEXTS:
                ids = tokenizer.encode(text, add_special_tokens="s" in flags).ids
                lines.append(f"{name} {flags} {text.encode().hex() or '-'} " + " ".join(map(str, ids)))
    with open(os.path.join(folder, "tokenizer_golden.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
