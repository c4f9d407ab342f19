#!/bin/sh
# model.sh - what the scripts beside it share: a folder of their own, tiny models in it, and words
# for what must hold.  Alone it checks that the models can be opened.
#
#     . "$(dirname "$0")/model.sh"
#
# Needs HEED=path of the program.  Leaves the shell in $work, which goes when the script ends:
#
#     m.gguf     a llama with all bytes in its vocabulary and a chat template, 1024 positions
#     folder     the same as Hugging Face publishes it
# shellcheck disable=SC2034  # some scripts do not look at what they may
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
script=$(basename "$0")
case $HEED in /*) ;; *) HEED=$PWD/$HEED ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$root/tests/fixtures/models/llama/model.gguf.bin" m.gguf
mkdir folder
for file in config.json model.safetensors tokenizer.json tokenizer_config.json; do
    cp "$root/tests/fixtures/models/llama/$file" folder
done
unset HEED_KERNELS

fail() { # WHAT...: says what does not hold, and ends
    echo "$script: $*"
    exit 1
}
# Runs heed with nothing to read; leaves $status, and the files out and err.
heed() {
    status=0
    "$HEED" "$@" >out 2>err </dev/null || status=$?
}
works() { # ARGUMENT...: heed must do it
    heed "$@"
    if [ $status -ne 0 ]; then fail "heed $*: exit $status: $(cat err)"; fi
}
lines() { # FILE
    wc -l <"$1" | tr -d ' '
}
# A refusal prints nothing but one line that holds WORDS; for wrong usage a hint follows.
refuses() { # STATUS WORDS ARGUMENT...
    want=$1 words=$2
    shift 2
    heed "$@"
    if [ $status -ne "$want" ]; then fail "heed $*: exit $status, want $want: $(cat err)"; fi
    if [ -s out ]; then fail "heed $*: a refusal on standard output: $(head -c 200 out)"; fi
    if [ "$(lines err)" -ne "$want" ]; then fail "heed $*: not $want line: $(cat err)"; fi
    if ! head -n 1 err | grep -q -F -e "$words"; then
        fail "heed $*: no '$words' in: $(cat err)"
    fi
    if [ "$want" -eq 2 ] && ! tail -n 1 err | grep -q -e '--help'; then
        fail "heed $*: no hint at --help: $(cat err)"
    fi
}
need_python() {
    if ! command -v python3 >/dev/null; then
        echo "$script: skipped: no python3"
        exit 0
    fi
}

if [ "$script" = model.sh ]; then
    works info m.gguf
    works info folder
fi
