#!/bin/sh
# results.sh - what the commands print, as documented in docs/json.md, and what must not change it.
. "$(dirname "$0")/model.sh"
need_python

text='Hello, wörld 你好 😀!'
cat >check.py <<'PYTHON'
import json, math, sys

what, text, texts = sys.argv[1], sys.argv[2], sys.argv[3:]

def load(name):
    with open(name, encoding="utf-8") as f:  # fails where it is not UTF-8
        return json.load(f)

def want(holds, words):
    if not holds:
        sys.exit(words)

def has(value, keys, name):
    want(isinstance(value, dict) and set(keys.split()) <= set(value), f"{name} lacks one of {keys}")

def is_one(numbers, name):
    want(abs(math.fsum(numbers) - 1) < 1e-5, f"{name}: the sum is {math.fsum(numbers)}")

def piece(token, name):
    has(token, "id text", name)
    want(("bytes" in token) == ("\ufffd" in token["text"]), f"{name}: bytes beside {token['text']!r}")

a = load(texts[0])
if what == "tokenize":
    has(a, "tokens", what)
    at = 0
    for t in a["tokens"]:
        piece(t, what)
        has(t, "start end", what)
        want(t["start"] == at or t["start"] == t["end"], f"a span begins at {t['start']}, not {at}")
        at = max(at, t["end"])
        whole = bytes(t["bytes"]) if "bytes" in t else t["text"].encode()
        if t["end"] > t["start"]:
            want(text.encode()[t["start"]:t["end"]] == whole, f"piece {t} is not its span")
    want(at == len(text.encode()), "the spans do not cover the text")
elif what == "next":
    has(a, "prompt_tokens candidates rest_probability entropy_bits stages", what)
    want(len(a["candidates"]) == 5, "candidates: not --top of them")
    is_one([c["probability"] for c in a["candidates"]] + [a["rest_probability"]], "candidates")
    for c in a["candidates"]:
        piece(c, what)
        has(c, "logit probability", what)
    names = [s["name"] for s in a["stages"]]
    want(names == ["repetition_penalty", "temperature", "top_k", "top_p", "min_p"], f"stages {names}")
    for s in a["stages"]:
        has(s, "name parameter kept candidates rest_probability", "stage")
        is_one([c["probability"] for c in s["candidates"]] + [s["rest_probability"]], s["name"])
    want(a["stages"][2]["kept"] == 40, "top_k kept another number")
elif what == "run":
    has(a, "text tokens finish_reason prompt_tokens timings", what)
    want(a["finish_reason"] in ("stop", "length"), a["finish_reason"])
    want(a["finish_reason"] == "stop" or len(a["tokens"]) == 12, "not as many tokens as asked for")
elif what == "beams":
    has(a, "beams", what)
    want(len(a["beams"]) == 2, "not --n-best of them")
    for b in a["beams"]:
        has(b, "text tokens score log_probability finish_reason", "beam")
    want(a["beams"][0]["score"] >= a["beams"][1]["score"], "beams are not in order")
elif what == "attend":
    has(a, "tokens layer head weights", what)
    want(len(a["weights"]) == len(a["tokens"]), "not a row for each token")
    for t in a["tokens"]:
        piece(t, what)
    for i, row in enumerate(a["weights"]):
        is_one(row, f"row {i}")
        want(not any(row[i + 1:]), f"row {i} looks ahead")
elif what == "info":
    has(a, "architecture parameters layers kv_bytes_per_token carried_bytes context_length", what)
    p = a["parameters"]
    has(p, "total embedding attention recurrent feed_forward norm_position", "parameters")
    want(p["total"] == sum(n for k, n in p.items() if k != "total"), "the parts are not the total")
    want(a["architecture"] == "llama" and a["layers"] == 2 and a["context_length"] == 1024, str(a))
    # key and value of 2 layers, 2 heads of width 8, in f16
    want(a["kv_bytes_per_token"] == 2 * 2 * 2 * 8 * 2, str(a["kv_bytes_per_token"]))
elif what == "eval":
    has(a, "tokens nats_per_token perplexity bits_per_byte", what)
    predicted = load(texts[1])["tokens"][1:]
    n_bytes = sum(t["end"] - t["start"] for t in predicted)
    want(a["tokens"] == len(predicted), f"{a['tokens']} tokens, not {len(predicted)}")
    nats = a["nats_per_token"] * a["tokens"]
    want(math.isclose(a["perplexity"], math.exp(a["nats_per_token"]), rel_tol=1e-9), "perplexity")
    want(math.isclose(a["bits_per_byte"], nats / math.log(2) / n_bytes, rel_tol=1e-9), "bits per byte")
elif what == "compare":
    has(a, "same_data words runs", what)
    want(a["same_data"] is None and len(a["runs"]) == 2, str(a))
    run, model = a["runs"]
    want(run["best_validation_loss"] == 5.5 and run["steps"] == 2 and run["name"] == "run", str(run))
    want([n["tokens"] for n in run["lengths"]] == [32, 64, 128], str(run))
    want(model["best_validation_loss"] is None and "verdict" not in model, str(model))
    for r in a["runs"]:
        # key and value of 2 layers, 2 heads of width 8, in f16
        want([n["state_bytes"] for n in r["lengths"]] == [128 * 32, 128 * 64, 128 * 128], str(r["lengths"]))
        want(all(n["tokens_per_second"] > 0 for n in r["lengths"]), str(r["lengths"]))
elif what == "export":
    has(a, "target all types weights tensors", what)
    for g in [a["all"]] + a["types"] + a["weights"]:
        has(g, "name tensors values bytes bits_per_weight mean_relative_error", "group")
    for t in a["tensors"]:
        has(t, "name from wanted type bytes relative_error", "tensor")
    want(len(a["tensors"]) == a["all"]["tensors"], "not all tensors are listed")
elif what == "near":
    b = load(texts[1])
    want([c["id"] for c in a["candidates"]] == [c["id"] for c in b["candidates"]], "other candidates")
    for x, y in zip(a["candidates"], b["candidates"]):
        want(abs(x["logit"] - y["logit"]) < 1e-5, f"logit {x['logit']} and {y['logit']}")
PYTHON
shape() { # WHAT ARGUMENT...: what is printed must be of the documented shape, and nothing else
    what=$1
    shift
    works "$@" --json
    if [ -s err ]; then fail "heed $* --json: says more: $(cat err)"; fi
    wrong=$(python3 check.py "$what" "$text" out more 2>&1) || fail "heed $* --json: $wrong"
}
printf %s "$text" >text

# ---- shapes
shape tokenize tokenize m.gguf "$text"
shape tokenize tokenize m.gguf "$text" --special
shape tokenize tokenize m.gguf -f text
shape next next m.gguf -p "$text" --top 5 --repeat-penalty 1.2 --temp 0.8 --top-k 40 --top-p 0.9 --min-p 0.01
shape run run m.gguf -p "$text" -n 12
shape run run m.gguf -p "$text" -n 12 --temp 3
shape beams run m.gguf -p "$text" -n 6 --beams 3 --n-best 2
shape attend attend m.gguf "$text" -l 1 -H 2
shape attend attend folder "$text" --mean
shape info info m.gguf
shape info info folder
heed tokenize m.gguf -f text --special --json
cp out more
shape eval eval m.gguf text
shape export quantize m.gguf -o small.gguf --type q8_0
shape info info small.gguf

mkdir run
cp m.gguf run/best.gguf
cat >run/train.jsonl <<'JSONL'
{"event":"start","name":"made","vocabulary":288,"expected_loss":5.66}
{"event":"step","step":1,"tokens":64,"seconds":0.5,"loss":5.6}
{"event":"step","step":2,"tokens":128,"seconds":1,"loss":5.4}
{"event":"validation","step":2,"tokens":128,"seconds":1,"loss":5.5,"bits_per_byte":2.1}
JSONL
shape compare compare run/ m.gguf --longest 128 --svg drawing.svg
grep -q '</svg>' drawing.svg || fail 'heed compare --svg: no drawing'
works compare run --no-speed
grep -q 'best validation *5.5000' out || fail "heed compare: $(cat out)"

# ---- greedy is the same however it is computed
greedy() { "$HEED" run "$@" --greedy -n 40 -p "$text" 2>/dev/null </dev/null; }
same() { # WHAT HAVE WANT
    if [ "$2" != "$3" ]; then fail "$1 gives '$2', not '$3'"; fi
}
first=$(greedy m.gguf)
same 'a second run' "$(greedy m.gguf)" "$first"
same --no-cache "$(greedy m.gguf --no-cache)" "$first"
same --no-mmap "$(greedy m.gguf --no-mmap)" "$first"
same '--threads 3' "$(greedy m.gguf --threads 3)" "$first"
same 'a folder' "$(greedy folder)" "$first"
same --exact "$(greedy m.gguf --exact)" "$first"
HEED_KERNELS=scalar
export HEED_KERNELS
same HEED_KERNELS=scalar "$(greedy m.gguf)" "$first"
unset HEED_KERNELS
same 'a file' "$("$HEED" run m.gguf --greedy -n 40 -f text 2>/dev/null)" "$first"
same 'standard input' "$("$HEED" run m.gguf --greedy -n 40 2>/dev/null <text)" "$first"
same 'a newline at the end' "$( (cat text && echo) | "$HEED" run m.gguf --greedy -n 40 2>/dev/null)" "$first"

# ---- a seed is the same on any number of threads, another is another
drawn() { "$HEED" run m.gguf -n 40 -p "$text" --temp 1 --top-p 1 "$@" 2>/dev/null </dev/null; }
first=$(drawn --seed 7 -t 1)
same '--threads 2' "$(drawn --seed 7 -t 2)" "$first"
if [ "$(drawn --seed 8)" = "$first" ]; then fail "two seeds draw the same"; fi

# ---- stop texts and limits
letter=$(drawn --seed 7 | LC_ALL=C tr -cd '[:lower:]' | cut -c2)
if [ -z "$letter" ]; then fail "no letter in $first"; fi
case $(drawn --seed 7 --stop "$letter") in *"$letter"*) fail "text past --stop $letter" ;; esac
same '-n 0' "$(drawn --seed 7 -n 0)" ''

# ---- results on standard output, notes on standard error
works run m.gguf -p "$text" --greedy -n 4
if ! grep -q 'written' err || grep -q 'written' out; then fail "heed run: its notes are not on standard error"; fi
for arguments in 'info m.gguf' 'next m.gguf -p abc' 'attend m.gguf abc' 'tokenize m.gguf abc' 'eval m.gguf text'; do
    # shellcheck disable=SC2086  # words
    works $arguments
    if [ -s err ] || [ ! -s out ]; then fail "heed $arguments: standard error: $(cat err)"; fi
done
works attend m.gguf abc --all --svg all.svg
grep -q '</svg>' all.svg || fail '--all --svg FILE: no drawing'
works attend m.gguf abc --svg a.svg
if [ -s out ] || ! grep -q '</svg>' a.svg; then fail "--svg FILE draws elsewhere"; fi
works attend m.gguf abc --svg -
cmp -s out a.svg || fail "--svg - draws something else"

# ---- a conversation from a pipe
printf 'one\ntwo\n' | "$HEED" chat m.gguf --greedy -n 8 >out 2>err || fail "heed chat: $(cat err)"
if [ ! -s out ]; then fail "heed chat: no answer"; fi

# ---- folder to GGUF and back is the same model
works convert folder -o there.gguf
works convert there.gguf -o back --to hf
for model in m.gguf folder there.gguf back; do
    works next "$model" -p "$text" --top 10 --json
    cp out "$(basename "$model").json"
done
for model in m.gguf there.gguf; do
    wrong=$(python3 check.py near "$text" folder.json "$model.json" 2>&1) || fail "$model is not folder: $wrong"
done
cmp -s folder.json back.json || fail "the way to GGUF and back changes the model"
