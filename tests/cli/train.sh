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
