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
