#!/usr/bin/env python3
"""training.py - heed and PyTorch training the same shapes, in turn, on this machine.

    bench/training.py TEXT... [--shape NAME ...] [--threads 2] [--rounds 3] [--steps 6]
                      [--llmc PATH] [--out training]

Shapes are GPT-2's: learned positions, layer norms, GELU, one matrix for embedding and head; AdamW.
PyTorch runs the model below with its fused optimizer, eager and compiled, in f32 and with autocast
to bf16; heed runs `heed train`, in f32 and with --bf16.  TEXT only feeds heed's tokenizer and must
be large enough for the vocabulary; PyTorch gets random tokens, which cost it the same.  The first
two steps are not counted.  A round measures all of them one after the other; of the steps the
median counts, of the rounds again the median.  Peak memory is that of the process.  Prints a table;
writes OUT.md and OUT.json.  Needs the package torch.
"""
import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time

# layers, width, heads, vocabulary, context, batch
SHAPES = {
    "gpt2-124m 4x256": (12, 768, 12, 50257, 256, 4),
    "gpt2-124m 8x512": (12, 768, 12, 50257, 512, 8),
    "10m 16x256": (6, 384, 6, 512, 256, 16),
    "3m 16x256": (4, 256, 4, 1024, 256, 16),
    "1m 12x64": (4, 128, 4, 512, 64, 12),
}
WARM = 2  # steps that are not counted
WAYS = ("heed f32", "heed bf16", "eager f32", "eager bf16", "compiled f32", "compiled bf16")


def torch_model(shape):
    import torch
    from torch import nn
    from torch.nn import functional

    layers, width, heads, vocab, context, _ = shape

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            n, t, _ = x.shape
            q, k, v = (part.view(n, t, heads, width // heads).transpose(1, 2)
                       for part in self.qkv(self.norm1(x)).split(width, dim=2))
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(n, t, width))
            return x + self.down(functional.gelu(self.up(self.norm2(x)), approximate="tanh"))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.places = nn.Embedding(vocab, width), nn.Embedding(context, width)
            self.blocks = nn.ModuleList(Block() for _ in range(layers))
            self.norm = nn.LayerNorm(width)
            torch.nn.init.normal_(self.tokens.weight, std=0.02)

        def forward(self, ids, targets):
            x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
            for block in self.blocks:
                x = block(x)
            logits = functional.linear(self.norm(x), self.tokens.weight)
            return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())

    return Model()


def torch_steps(shape, way, threads, steps):
    """In a process of its own: prints what a measurement is."""
    import torch
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    vocab, context, batch = shape[3:]
    model = torch_model(shape)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.1, fused=True)
    forward = torch.compile(model) if way.startswith("compiled") else model
    seconds = []
    for _ in range(WARM + steps):
        ids = torch.randint(vocab, (batch, context + 1))
        begin = time.perf_counter()
        with torch.autocast("cpu", torch.bfloat16, enabled=way.endswith("bf16")):
            loss = forward(ids[:, :-1], ids[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        loss.item()
        seconds.append(time.perf_counter() - begin)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": statistics.median(seconds[WARM:]), "peak_mb": peak / 1024}))


def run_torch(options, name, way):
    done = subprocess.run([sys.executable, __file__, "--torch", way, "--shape", name, "--threads",
                           str(options.threads), "--steps", str(options.steps)],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout.decode().splitlines()[-1])


def run_heed(options, name, way):
    layers, width, heads, vocab, context, batch = SHAPES[name]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "m.gguf")
        command = [options.heed, "train", *options.text, "-o", out, "--arch", "gpt2",
                   "--layers", layers, "--width", width, "--heads", heads, "--vocab", vocab,
                   "--context", context, "--batch", batch, "--steps", WARM + options.steps,
                   "--rate", 1e-4, "--threads", options.threads, "--validate-every", 10**6,
                   "--validation-tokens", 2 * context, "--save-every", 10**6,
                   "--sample-every", 10**6]
        if way.endswith("bf16"):
            command.append("--bf16")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        with open(os.path.join(folder, "m.train", "train.jsonl"), encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
    speeds = [e["tokens_per_second"] for e in events if e["event"] == "step"][WARM:]
    # The children's peak only ever rises: a smaller one than before is not known.
    return {"seconds": batch * context / statistics.median(speeds),
            "peak_mb": peak / 1024 if peak > before else None}


def measure(options, name):
    rounds = []
    for i in range(options.rounds):
        print(f"{name}, round {i + 1}", file=sys.stderr)
        order = options.way if i % 2 == 0 else options.way[::-1]
        rounds.append({way: (run_heed if way.startswith("heed") else run_torch)
                       (options, name, way) for way in order})
    batch, context = SHAPES[name][5], SHAPES[name][4]
    result = {"shape": name, "rounds": rounds}
    for way in options.way:
        times = [r[way]["seconds"] for r in rounds]
        peaks = [r[way]["peak_mb"] for r in rounds if r[way]["peak_mb"]]
        result[way] = {"tokens_per_second": batch * context / statistics.median(times),
                       "peak_mb": max(peaks) if peaks else None}
    for kind in ("f32", "bf16"):
        ours = f"heed {kind}"
        peers = [w for w in options.way if w.endswith(kind) and w != ours]
        if ours in options.way and peers:
            result[f"ratio {kind}"] = statistics.median(
                min(r[p]["seconds"] for p in peers) / r[ours]["seconds"] for r in rounds)
    return result


def table(results, options):
    lines = ["| shape | " + " | ".join(options.way) + " | heed / best PyTorch, f32 | bf16 |",
             "|---|" + "---|" * (len(options.way) + 2)]
    for r in results:
        cells = [f"{r[w]['tokens_per_second']:.0f}" + (f" ({r[w]['peak_mb']:.0f} MB)"
                                                       if r[w]["peak_mb"] else "")
                 for w in options.way]
        ratios = [f"{r[k]:.2f}" if k in r else "" for k in ("ratio f32", "ratio bf16")]
        lines.append("| " + " | ".join([r["shape"], *cells, *ratios]) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", nargs="*")
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--shape", action="append", choices=SHAPES)
    parser.add_argument("--way", action="append", choices=WAYS)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--out", default="training")
    parser.add_argument("--torch", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.shape = options.shape or list(SHAPES)
    options.way = options.way or list(WAYS)
    if options.torch:
        torch_steps(SHAPES[options.shape[0]], options.torch, options.threads, options.steps)
        return
    if not options.text:
        parser.error("a TEXT is needed")
    results = [measure(options, name) for name in options.shape]
    head = (f"{platform.processor() or platform.machine()}, {options.threads} threads, tokens a "
            f"second (peak memory); medians of {options.rounds} rounds of {options.steps} steps.")
    report = head + "\n\n" + table(results, options) + "\n"
    print(report)
    with open(options.out + ".md", "w", encoding="utf-8") as file:
        file.write(report)
    with open(options.out + ".json", "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
