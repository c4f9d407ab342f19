#!/bin/sh
# make.sh NAME TEXTS - trains a built-in model anew:  models/make.sh poems FOLDER
#
# FOLDER holds NAME.txt and NAME.valid.txt.  Takes about an hour on one core with AVX-512 and AMX,
# several without; may be interrupted and called again.  The result is models/NAME.gguf.
set -eu
heed=$(cd "$(dirname "$0")/.." && pwd)/build/release/heed
name=${1:?usage: models/make.sh NAME FOLDER} texts=${2:?usage: models/make.sh NAME FOLDER}
cd "$(dirname "$0")"

case $name in
poems) recipe='--documents paragraphs --steps 1600' begin='《' ;;
tales) recipe='--steps 1400' begin='Once upon a time' ;;
*)
    echo "no recipe for $name" >&2
    exit 2
    ;;
esac

resume=
if [ -d "$name.train" ]; then resume=--resume; fi
# shellcheck disable=SC2086  # words
"$heed" train "$texts/$name.txt" --validation "$texts/$name.valid.txt" -o "$name.f32.gguf" \
    --run "$name.train" $resume --arch llama --layers 4 --width 256 --heads 4 --ffn-width 768 \
    --vocab 4096 --context 256 --batch 20 $recipe --optimizer muon --muon-rate 0.04 --rate 0.004 \
    --bf16 --threads 1 --validate-every 200 --save-every 400 --validation-tokens 50000 -p "$begin"
"$heed" quantize "$name.f32.gguf" -o "$name.gguf" --type q6_k --force
