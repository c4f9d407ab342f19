#!/bin/sh
# train.sh - heed train: a model out of a text, stopped and resumed, and what it refuses.
. "$(dirname "$0")/model.sh"

i=0
while [ $i -lt 60 ]; do
    echo "The cat sat on the mat, and line $i of the book told how the cat sat there."
    i=$((i + 1))
done >book.txt
small='--layers 1 --width 32 --heads 2 --context 16 --batch 4 --threads 1'

# A run leaves a model that runs, its curves and its record.
works train book.txt -o book.gguf $small --vocab 300 --steps 12 --validate-every 6 --save-every 6
for file in book.gguf book.train/train.jsonl book.train/train.svg book.train/best.gguf; do
    if [ ! -s $file ]; then fail "heed train left no $file"; fi
done
works run book.gguf -p "The cat" -n 4 --greedy
works eval book.gguf book.txt
works info book.gguf --json

# A checkpoint runs like any model; a run goes on from it as if it had never stopped.
works run book.train/step-00000012.gguf -p "The cat" -n 4 --greedy
works train book.txt -o whole.gguf $small --vocab 300 --steps 10 --validate-every 5
works train book.txt -o parts.gguf $small --vocab 300 --steps 10 --validate-every 5 --save-every 5
rm parts.gguf parts.train/step-00000010.gguf
works train book.txt -o parts.gguf --resume --threads 1
if ! cmp -s whole.train/step-00000010.gguf parts.train/step-00000010.gguf; then
    # only the seconds that it took may differ
    works run whole.train/step-00000010.gguf -p "The" -n 8 --greedy
    cp out whole.out
    works run parts.train/step-00000010.gguf -p "The" -n 8 --greedy
    if ! cmp -s out whole.out; then fail "a resumed run went another way"; fi
fi

# Other mixers, pairs, and going on from a model.
works train book.txt -o lstm.gguf $small --layers 2 --vocab 300 --steps 2 --arch heed --mixers lstm,attention
works run lstm.gguf -p "The" -n 3 --greedy
printf '2 + 2\t4\n3 + 3\t6\n' >pairs.tsv
works train pairs.tsv -o pairs.gguf $small --tokenizer byte --steps 2 --pairs --validation-share 0
works train book.txt -o more.gguf --from book.gguf --context 16 --batch 2 --steps 2 --threads 1

# What cannot be is said before any work starts.
: >empty.txt
head -c 40 book.txt >tiny.txt
printf 'a\tb\n%0200d\t%0300d\n' 1 2 >long.tsv
{ cat book.txt; printf 'ill \377\376 formed\n'; } >ill.txt
refuses 2 'too small' train tiny.txt -o x.gguf
refuses 2 'the context is shorter' train long.tsv -o x.gguf $small --pairs --tokenizer byte
refuses 2 '15 wide each' train book.txt -o x.gguf --width 30 --heads 2
refuses 2 'kv_heads: 3 do not divide' train book.txt -o x.gguf $small --kv-heads 3
refuses 2 'the text has only' train book.txt -o x.gguf --context 1000000
refuses 1 'the machine has' train book.txt -o x.gguf --layers 1 --width 1024 --heads 16 --context 512 --batch 100000
refuses 1 'the machine has' train book.txt -o x.gguf --width 131072 --layers 1000 --heads 1024
refuses 2 'are too many' train book.txt -o x.gguf $small --batch 1000000 --accumulate 1000000
refuses 2 'mixers: must be' train book.txt -o x.gguf --arch heed --mixers lstm,gru
refuses 2 'window: only' train book.txt -o x.gguf --arch llama --window 8
refuses 2 'kept: none of' train book.txt -o x.gguf --arch heed --kept 2
refuses 2 'not muon' train book.txt -o x.gguf --muon-rate 0.1
refuses 2 'its own size' train book.txt -o x.gguf --tokenizer byte --vocab 1000
refuses 2 'layers: a resumed run keeps' train book.txt -o book.gguf --resume --layers 3
works train ill.txt -o ill.gguf $small --vocab 300 --steps 1
if ! grep -q '2 bytes are not UTF-8' out; then fail "no word of ill-formed bytes"; fi
works train book.txt -o few.gguf $small --vocab 90000 --steps 3
if ! grep -q 'not the 90000 asked for' out; then fail "no word of a small vocabulary"; fi
works train long.tsv -o long.gguf --pairs --tokenizer byte --width 32 --heads 2 --steps 1 --validation-share 0.5
# --force begins anew: what an earlier, longer run left is not taken for its own.
works train book.txt -o few.gguf $small --vocab 300 --steps 1 --force
if [ "$(ls few.train/step-*)" != few.train/step-00000001.gguf ]; then fail "--force left: $(ls few.train)"; fi
refuses 2 'empty.txt is empty' train empty.txt -o x.gguf
refuses 2 'there already' train book.txt -o book.gguf
refuses 2 "layers: must be a whole number" train book.txt -o x.gguf --layers many
refuses 2 "no such preset" train book.txt -o x.gguf --preset huge
refuses 2 "say where" train book.txt
printf 'widht = 3\n' >bad.conf
refuses 2 "bad.conf: line 1: no setting is called 'widht'" train book.txt -o x.gguf --config bad.conf
refuses 2 "do not divide" train book.txt -o x.gguf --width 32 --heads 3
refuses 2 "other texts" train pairs.tsv -o parts.gguf --resume

# Adapters beside a quantised model: learned, resumed, used, and made a part of the model.
works quantize book.gguf -o base.gguf --type q8_0
lora="--from base.gguf --lora 2 --context 16 --batch 2 --threads 1 --validate-every 2"
works train book.txt -o tuned.gguf $lora --steps 4 --save-every 2
if ! grep -q 'tuned.lora.gguf' out; then fail "no word of the adapter file"; fi
works run tuned.gguf -p "The cat" -n 8 --greedy --exact
cp out tuned.out
works convert base.gguf --lora tuned.lora.gguf -o again.gguf
if ! cmp -s again.gguf tuned.gguf; then fail "convert --lora wrote another model than train"; fi
works run base.gguf --lora tuned.lora.gguf -p "The cat" -n 8 --greedy --exact
works eval base.gguf book.txt --lora tuned.lora.gguf
works quantize base.gguf --lora tuned.lora.gguf -o q4.gguf --type q4_0
works convert base.gguf --lora tuned.lora.gguf --to hf -o tuned
works run tuned -p "The cat" -n 8 --greedy
works compare tuned.train
works train book.txt -o twice.gguf $lora --steps 4 --save-every 2
rm twice.gguf twice.train/step-00000004.gguf
works train book.txt -o twice.gguf --resume --threads 1
for file in gguf lora.gguf; do
    if ! cmp -s tuned.$file twice.$file; then fail "resumed adapters went another way: $file"; fi
done
cp base.gguf moved.gguf
rm twice.gguf twice.train/step-00000004.gguf
works train book.txt -o twice.gguf --resume --from moved.gguf --threads 1
refuses 2 'another model' train book.txt -o twice.gguf --resume --from book.gguf --force
refuses 2 'a model itself' train book.txt -o parts.gguf --resume --from book.gguf
refuses 2 'with --from' train book.txt -o x.gguf --lora 2
refuses 2 'narrower than 64' train book.txt -o x.gguf --from base.gguf --lora 64
refuses 2 'learn with adamw' train book.txt -o x.gguf --from base.gguf --lora 2 --optimizer muon
refuses 2 'is an adapter' run tuned.lora.gguf -p x
refuses 1 'is no adapter' run base.gguf --lora base.gguf -p x
refuses 2 'cannot be written' train book.txt -o x.gguf $small --type q2_k

# Mixtures of experts, under the names that other engines know.
for arch in llama qwen2 qwen3; do
    works train book.txt -o $arch.gguf $small --vocab 300 --steps 4 --arch $arch --experts 4 --optimizer muon
    works run $arch.gguf -p "The cat" -n 4 --greedy
    works convert $arch.gguf -o $arch-folder --to hf
    works run $arch-folder -p "The cat" -n 4 --greedy
    works quantize $arch.gguf -o $arch-q8.gguf --type q8_0
    works run $arch-q8.gguf -p "The cat" -n 4 --greedy
    works train book.txt -o $arch-more.gguf --from $arch-q8.gguf --lora 2 --context 16 --batch 2 --steps 2 --threads 1
done
works info qwen2.gguf
if ! grep -q '4 experts 64 wide, of which 2 digest a token' out; then fail "no experts in: $(cat out)"; fi
refuses 2 'only llama' train book.txt -o x.gguf $small --arch gpt2 --experts 4
refuses 2 'experts_used: 5 of 4' train book.txt -o x.gguf $small --experts 4 --experts-used 5
