#!/bin/sh
# make.sh NAME TEXTS - trains a built-in model anew:  models/make.sh poems FOLDER
#
# FOLDER holds NAME.txt and NAME.valid.txt; those of world and world-bert are written there.  Takes
# about an hour on one core with AVX-512 and AMX, several without; may be interrupted and called
# again.  The result is models/NAME.gguf.
set -eu
heed=$(cd "$(dirname "$0")/.." && pwd)/build/release/heed
name=${1:?usage: models/make.sh NAME FOLDER} texts=${2:?usage: models/make.sh NAME FOLDER}
cd "$(dirname "$0")"

decoder='--arch llama --layers 4 --width 256 --heads 4 --ffn-width 768 --context 256 --batch 20
    --muon-rate 0.04 --bf16 --validate-every 200 --save-every 400 --validation-tokens 50000'
encoder='--arch bert --layers 4 --width 128 --heads 4 --ffn-width 512 --context 128 --batch 96
    --muon-rate 0.03 --validate-every 250 --save-every 250 --validation-tokens 20000'
type=q6_k cooling=
case $name in
poems) recipe="$decoder --documents paragraphs --steps 1600" begin='《' ;;
tales) recipe="$decoder --steps 1400" begin='Once upon a time' ;;
world)
    recipe="--arch llama --layers 6 --width 128 --heads 4 --ffn-width 384 --context 256 --batch 16
        --muon-rate 0.03 --validate-every 250 --save-every 80 --keep 100 --validation-tokens 40000
        --documents paragraphs --steps 2480 --schedule constant --warmup 160 --seed 7"
    cooling="--context 256 --batch 16 --muon-rate 0.025 --rate 0.003 --validate-every 250
        --save-every 80 --keep 100 --validation-tokens 40000 --documents paragraphs --steps 3500
        --schedule linear --final-rate 0.02 --warmup 40 --seed 8 --optimizer muon"
    begin='The'
    type=q8_0
    if [ ! -e "$texts/$name.txt" ]; then
        kinds=story=9,facts=16,senses=10,coreference=14,gender=4,order=13,agreement=5,induction=10
        kinds=$kinds,recall=9,translation=9,review=5,riddle=2,dialog=3,notice=2
        "$heed" world -o "$texts/$name.valid.txt" --split valid --bytes 600k --genre $kinds
        "$heed" world -o "$texts/$name.txt" --bytes 170M --genre $kinds
    fi
    ;;
world-bert)
    recipe="$encoder --documents paragraphs --steps 5000 --schedule stable --decay-share 0.3 --seed 7"
    begin='Mark walked past the ___ and sat down by the river.'
    type=q8_0
    if [ ! -e "$texts/$name.txt" ]; then
        "$heed" world -o "$texts/$name.valid.txt" --split valid --bytes 1M
        "$heed" world -o "$texts/$name.txt" --bytes 60M
    fi
    ;;
*)
    echo "no recipe for $name" >&2
    exit 2
    ;;
esac

# Trains once: from nothing, or with settings that say from where.
train() { # RESULT SETTINGS
    settings=$2
    if [ -d "$1.train" ]; then settings=--resume; fi
    # shellcheck disable=SC2086  # words
    "$heed" train "$texts/$name.txt" --validation "$texts/$name.valid.txt" -o "$1.f32.gguf" \
        --run "$1.train" $settings --threads 1 -p "$begin"
}
result=$name
if [ ! -e "$name.f32.gguf" ]; then train "$name" "--vocab 4096 $recipe --optimizer muon --rate 0.004"; fi
if [ -n "$cooling" ]; then
    result=$name.cooled
    train "$result" "--from $name.f32.gguf $cooling"
fi
"$heed" quantize "$result.f32.gguf" -o "$name.gguf" --type $type --force
