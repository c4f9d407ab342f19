#!/bin/sh
# refusals.sh - wrong inputs: exit 1 when the world is wrong, 2 when the command line is; one clear
# line; nothing written.
. "$(dirname "$0")/model.sh"

mkdir empty
head -c 5000 m.gguf >cut.gguf
head -c 100000 m.gguf >short.gguf
echo 'no model at all' >text.gguf
: >nothing
echo 'some text' >some.txt
sed 's/llama/xlama/g' m.gguf >other.gguf
cp -R folder strange
sed 's/"llama"/"xlama"/' folder/config.json >strange/config.json
cp -R folder broken
head -c 200 folder/config.json >broken/config.json
cp -R folder weightless
rm weightless/model.safetensors

# ---- models
for command in run next; do
    refuses 1 'none.gguf: cannot open' $command none.gguf -p x
    refuses 1 'empty/config.json: no such file' $command empty -p x
    refuses 1 'weightless' $command weightless -p x
    refuses 1 'broken/config.json' $command broken -p x
    refuses 1 'cut.gguf: ' $command cut.gguf -p x
    refuses 1 'short.gguf: ' $command short.gguf -p x
    refuses 1 'text.gguf: ' $command text.gguf -p x
    refuses 1 'nothing: ' $command nothing -p x
    refuses 1 "'xlama' is not supported" $command other.gguf -p x
    refuses 1 "'xlama' is not supported" $command strange -p x
done
for command in info bench chat; do
    refuses 1 'none.gguf: cannot open' $command none.gguf
    refuses 1 'text.gguf: ' $command text.gguf
done
for command in attend tokenize; do refuses 1 'cut.gguf: ' $command cut.gguf abc; done
refuses 1 'cut.gguf: ' eval cut.gguf some.txt

# ---- words of the command line
refuses 2 "no command 'rnu'; did you mean run?" rnu
refuses 2 "no command 'dance'" dance
refuses 2 "no command 'dance'" help dance
refuses 2 'unknown option --gredy; did you mean --greedy?' run --gredy m.gguf -p x
refuses 2 'unknown option --temperature; did you mean --temp?' run m.gguf -p x --temperature=1
refuses 2 'unknown option --zzz' run m.gguf -p x --zzz
refuses 2 'unknown option -q' run m.gguf -p x -q
refuses 2 '--prompt wants a value' run m.gguf -p
refuses 2 '--greedy takes no value' run m.gguf -p x --greedy=1
refuses 2 'give one MODEL' run -p x
refuses 2 'give one MODEL' run m.gguf m.gguf -p x
refuses 2 'give one MODEL' info
refuses 2 'give MODEL and TEXT' attend m.gguf a b
refuses 2 'give MODEL and FILE' eval m.gguf
refuses 2 'not both' run m.gguf -p x -f some.txt
refuses 2 'not both' tokenize m.gguf abc -f some.txt
refuses 2 'not both' attend m.gguf abc --head 1 --mean
for option in '--head 1' '--layer 1' --mean --list --json; do
    # shellcheck disable=SC2086  # a word or two
    refuses 2 'only --svg goes with it' attend m.gguf abc --all $option
done

# ---- numbers
refuses 2 '--tokens must be from 0 to 16777216' run m.gguf -p x -n -1
refuses 2 "--tokens wants a whole number, not '1x'" run m.gguf -p x -n 1x
refuses 2 '--tokens wants a whole number' run m.gguf -p x -n 99999999999999999999
refuses 2 '--temp must be from 0 to 100' run m.gguf -p x --temp 1e9
refuses 2 "--temp wants a number, not 'nan'" run m.gguf -p x --temp nan
refuses 2 '--top-p must be from 0 to 1' run m.gguf -p x --top-p 2
refuses 2 '--top-k must be from 0' run m.gguf -p x --top-k -1
refuses 2 '--threads must be from 1 to 256' run m.gguf -p x -t 0
refuses 2 '--ctx must be from 1' run m.gguf -p x -c 0
refuses 2 '--top must be from 1' next m.gguf -p x --top 0
refuses 2 'wants ID=NUMBER' run m.gguf -p x --logit-bias 5
refuses 2 '--n-best 2 needs as many --beams' run m.gguf -p x --n-best 2
refuses 2 '--early-stopping' run m.gguf -p x --beams 2 --early-stopping maybe
refuses 2 '--sampler-order' run m.gguf -p x --sampler-order up
refuses 2 'layer 99' attend m.gguf abc -l 99
refuses 2 'head 99' attend m.gguf abc -H 99
refuses 2 "--cache is f16, f32 or q8_0, not 'q2_k'" run m.gguf -p x --cache q2_k
refuses 2 "--cache is f16, f32 or q8_0, not 'none'" info m.gguf --cache none
refuses 1 'does not fit heads of width 8' run m.gguf -p x --cache q8_0

# ---- texts
refuses 2 'empty text' run m.gguf -p ''
refuses 2 'empty text' next m.gguf -f nothing
refuses 2 'empty text' attend m.gguf ''
refuses 1 'do not fit a context of 1024' run m.gguf -p "$(head -c 3000 /dev/zero | tr '\0' a)"
refuses 1 '3 tokens do not fit a context of 2' run m.gguf -p abc -c 2
refuses 1 'missing.txt: cannot open' run m.gguf -f missing.txt
refuses 1 'missing.txt: cannot open' eval m.gguf missing.txt
refuses 1 'empty: ' eval m.gguf empty
refuses 2 'too short' eval m.gguf nothing
works run m.gguf -p "$(printf '\377\376\300')" -n 4
works next m.gguf -p "$(printf 'a\355\240\200')" --json

# ---- targets
refuses 1 'none/x.svg: cannot create' attend m.gguf abc --svg none/x.svg
refuses 1 'empty: ' attend m.gguf abc --svg empty
refuses 2 'is the model itself' quantize m.gguf -o ./m.gguf --type q8_0 --force
refuses 2 'is there already; --force replaces it' quantize m.gguf -o some.txt --type q8_0
refuses 2 "no such type: 'q9'" quantize m.gguf -o new.gguf --type q9
refuses 2 '--type' quantize m.gguf -o new.gguf
refuses 2 '-o' quantize m.gguf --type q8_0
refuses 2 '--force' convert m.gguf -o folder
refuses 2 '--to is gguf or hf' convert m.gguf -o new --to onnx
refuses 1 'none/new.gguf' convert folder -o none/new.gguf
if [ -e new.gguf ] || [ -e none ]; then fail "a refused conversion left something"; fi
if [ "$(cat some.txt)" != 'some text' ]; then fail "a refused conversion wrote"; fi

# ---- the environment
HEED_KERNELS=wrong
export HEED_KERNELS
refuses 2 'HEED_KERNELS=wrong: this processor runs ' run m.gguf -p x
if ! grep -q scalar err; then fail "no scalar kernels offered: $(cat err)"; fi
unset HEED_KERNELS

# ---- an output that cannot be written
if [ -w /dev/full ]; then
    for arguments in '--help' 'run --help' 'info m.gguf' 'run m.gguf -p abc' 'next m.gguf -p abc' \
        'tokenize m.gguf abc' 'attend m.gguf abc --svg -' 'run m.gguf -p abc -n 4 --json'; do
        status=0
        # shellcheck disable=SC2086  # words
        "$HEED" $arguments >/dev/full 2>err </dev/null || status=$?
        if [ $status -ne 1 ]; then fail "heed $arguments >/dev/full: exit $status"; fi
        if ! grep -q -e 'write' err; then fail "heed $arguments >/dev/full: $(cat err)"; fi
    done
fi

# ---- help is no refusal
works --help
works --version
works help
for command in run chat next attend info tokenize tokenizer eval convert quantize bench train compare \
    world probe heads patch edit; do
    works $command --help
    if ! grep -q '^usage: heed ' out; then fail "heed $command --help: no usage"; fi
    if awk 'length > 80 { long = 1 } END { exit !long }' out; then
        fail "heed $command --help: a line of more than 80 columns"
    fi
    cp out before
    works help $command
    cmp -s out before || fail "heed help $command is not heed $command --help"
done
