#!/usr/bin/env python3
"""compare.py - heed and llama.cpp on the same files, in turn, on this machine.

    bench/compare.py --llama-bench PATH MODEL.gguf ...

Runs `heed bench --json` and `llama-bench -o json` one after the other, several rounds, and changes
who goes first from round to round.  Of each run the median counts; of the rounds, again the median.
The ratio is the median of the rounds' ratios, so that load which comes and goes meets both sides
of each.  Limits are the best of all rounds.  Writes NAME.md (a table) and NAME.json (every run);
standard library only.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys

TIME_LIMIT = 3600  # seconds for one run


def run_json(command):
    """The JSON that a command prints; raises ValueError with the last line of what it complains."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
    except (OSError, subprocess.TimeoutExpired) as reason:
        raise ValueError(f"{command[0]}: {reason}") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise ValueError(f"{os.path.basename(command[0])}: {lines[-1]}")
    return json.loads(done.stdout)


def run_heed(options, model, threads, depth):
    return run_json([options.heed, "bench", model, "--json", "--threads", str(threads),
                     "--prefill", str(options.prefill), "--decode", str(options.decode),
                     "--depth", str(depth), "--repeat", str(options.repeat)])


def run_peer(options, model, threads, depth):
    """Tokens a second of a prompt at depth 0, and of decoding at `depth`."""
    base = [options.llama_bench, "-m", model, "-t", str(threads), "-r", str(options.repeat),
            "-o", "json"]
    prefill = run_json(base + ["-p", str(options.prefill), "-n", "0"])[0]
    decode = run_json(base + ["-p", "0", "-n", str(options.decode), "-d", str(depth)])[0]
    return {"prefill": statistics.median(prefill["samples_ts"]),
            "decode": statistics.median(decode["samples_ts"]),
            "build": f"{prefill['build_commit']} (build {prefill['build_number']})"}


def measure(options, model, threads, depth):
    """All rounds of one line of the table."""
    rounds = []
    for i in range(options.rounds):
        note = f"{os.path.basename(model)}, {threads} threads, depth {depth}, round {i + 1}"
        print(note, file=sys.stderr)
        pair = {}
        for who in ("heed", "peer") if i % 2 == 0 else ("peer", "heed"):
            run = run_heed if who == "heed" else run_peer
            pair[who] = run(options, model, threads, depth)
        pair["load"] = os.getloadavg()[0]
        rounds.append(pair)
    return rounds


def best_limits(rounds):
    names = ("read_gb_s", "f32_gflops", "bf16_gflops", "int8_gops")
    return {name: max(r["heed"]["limits"][name] for r in rounds) for name in names}


def peak_name(heed):
    return {"int8": "int8_gops", "bf16": "bf16_gflops", "f32": "f32_gflops"}[
        heed["prefill"]["arithmetic"]]


def summary(rounds, limits):
    """Medians, ratios and shares of the limits; the peer's share is of the same work."""
    heed = rounds[0]["heed"]
    per_token = {"prefill": heed["prefill"]["operations_per_token"] / 1e9 / limits[peak_name(heed)],
                 "decode": heed["decode"]["bytes_per_token"] / 1e9 / limits["read_gb_s"]}
    result = {}
    for what in ("prefill", "decode"):
        ours = [r["heed"][what]["tokens_per_second"] for r in rounds]
        theirs = [r["peer"][what] for r in rounds]
        ratios = [a / b for a, b in zip(ours, theirs)]
        result[what] = {"heed": statistics.median(ours), "peer": statistics.median(theirs),
                        "ratio": statistics.median(ratios),
                        "ratio_least": min(ratios), "ratio_most": max(ratios),
                        "heed_share": statistics.median(ours) * per_token[what],
                        "peer_share": statistics.median(theirs) * per_token[what]}
    return result


def cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def table(report, options):
    machine = report["machine"]
    lines = [f"heed {machine['heed']} ({machine['kernels']}; {machine['features']}) and llama.cpp "
             f"{machine['peer']}, on {machine['cpu']}, {machine['cores']} cores; load average "
             f"{machine['load_least']:.1f} to {machine['load_most']:.1f}. Prompt of "
             f"{options.prefill} tokens, {options.decode} decoded, {options.rounds} rounds of "
             f"{options.repeat} repetitions, cache f16.", "",
             "| threads | read GB/s | f32 GFLOP/s | bf16 GFLOP/s | int8 GOP/s |",
             "|---|---|---|---|---|"]
    for threads, limits in report["limits"].items():
        lines.append(f"| {threads} | {limits['read_gb_s']:.1f} | {limits['f32_gflops']:.0f} | "
                     f"{limits['bf16_gflops']:.0f} | {limits['int8_gops']:.0f} |")
    lines += ["", "| model | threads | | heed tokens/s | of limit | llama.cpp tokens/s | of limit | "
              "ratio (least to most) |", "|---|---|---|---|---|---|---|---|"]
    for line in report["lines"]:
        head = f"| {line['model']} | {line['threads']} |"
        if "failed" in line:
            lines.append(f"{head} failed: {line['failed']} | | | | | |")
            continue
        for what in ("prefill", "decode"):
            s = line[what]
            label = what if what == "prefill" else f"decode at depth {line['depth']}"
            lines.append(f"{head} {label} | {s['heed']:.1f} | {100 * s['heed_share']:.0f} % | "
                         f"{s['peer']:.1f} | {100 * s['peer_share']:.0f} % | {s['ratio']:.2f} "
                         f"({s['ratio_least']:.2f} to {s['ratio_most']:.2f}) |")
    return "\n".join(lines) + "\n"


def make_report(options, measured):
    """`measured`: (model, threads, depth, rounds or the reason why there are none)."""
    done = [m for m in measured if not isinstance(m[3], str)]
    if not done:
        raise SystemExit("compare.py: nothing could be measured: " + measured[0][3])
    # What few threads reach, more of them do too: only load can make it look otherwise.
    limits = {t: best_limits([r for m in done if m[1] <= t for r in m[3]])
              for t in options.threads if any(m[1] == t for m in done)}
    first, loads = done[0][3][0], [r["load"] for m in done for r in m[3]]
    report = {"machine": {"cpu": cpu_model(), "cores": os.cpu_count(),
                          "heed": first["heed"]["version"], "kernels": first["heed"]["kernels"],
                          "features": first["heed"]["features"], "peer": first["peer"]["build"],
                          "load_least": min(loads), "load_most": max(loads)},
              "limits": limits, "lines": []}
    for model, threads, depth, rounds in measured:
        line = {"model": os.path.basename(model), "threads": threads, "depth": depth}
        if isinstance(rounds, str):
            line["failed"] = rounds
        else:
            line.update(summary(rounds, limits[threads]))
            line["rounds"] = rounds
        report["lines"].append(line)
    return report


def numbers(text):
    return [int(part) for part in text.split(",")]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("models", nargs="+", metavar="MODEL", help=".gguf files")
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--llama-bench", required=True, metavar="PATH")
    parser.add_argument("--threads", type=numbers, default=sorted({1, os.cpu_count() or 1}),
                        metavar="N,N", help="default: 1 and all cores")
    parser.add_argument("--depth", type=numbers, default=[0], metavar="N,N")
    parser.add_argument("--prefill", type=int, default=512, metavar="N")
    parser.add_argument("--decode", type=int, default=64, metavar="N")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="of each run")
    parser.add_argument("--out", default="build/compare", metavar="NAME",
                        help="writes NAME.md and NAME.json (default build/compare)")
    return parser.parse_args()


def main():
    options = parse_options()
    measured = []
    for model in options.models:
        for threads in options.threads:
            for depth in options.depth:
                try:
                    result = measure(options, model, threads, depth)
                except ValueError as reason:
                    result = str(reason)
                    print(result, file=sys.stderr)
                measured.append((model, threads, depth, result))
    report = make_report(options, measured)
    text = table(report, options)
    with open(options.out + ".md", "w", encoding="utf-8") as file:
        file.write(text)
    with open(options.out + ".json", "w", encoding="utf-8") as file:
        json.dump(report, file, indent=2)
    print(text, end="")


if __name__ == "__main__":
    main()
