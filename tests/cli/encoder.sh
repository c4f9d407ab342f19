#!/bin/sh
# encoder.sh - heed embed and heed fill: what an encoder says of a text, and what it refuses.
. "$(dirname "$0")/model.sh"

bert=$root/tests/fixtures/models/bert
cp -R "$bert" bert
cp "$bert/model.gguf.bin" bert.gguf

# A folder and a GGUF of one model give one vector, of length 1.
works embed bert 'The cat sings, and the dog.' --exact
if [ "$(wc -w <out | tr -d ' ')" -ne 32 ]; then fail "a vector of 32 numbers: $(cat out)"; fi
cp out folder.out
works embed bert.gguf 'THE  CAT sings, and the dog.' --exact
if ! cmp -s out folder.out; then fail "folder and GGUF embed one text in two ways"; fi
length=$(tr ' ' '\n' <out | awk '{ s += $1 * $1 } END { printf "%.4f", s }')
if [ "$length" != 1.0000 ]; then fail "a vector of length $length"; fi
works embed bert 'The cat' --json
for word in '"tokens":6' '"pooling":"mean"' '"normalized":true' '"vector":['; do
    if ! grep -q -F "$word" out; then fail "embed --json: no $word: $(cat out)"; fi
done

# The modules of the folder decide how it is pooled.
mkdir bert/1_Pooling
cat >bert/modules.json <<'END'
[{"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
 {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
END
echo '{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}' >bert/1_Pooling/config.json
works embed bert 'The cat' --json
if ! grep -q '"pooling":"cls","normalized":false' out; then fail "modules.json: $(cat out)"; fi
echo '{"pooling_mode_max_tokens": true}' >bert/1_Pooling/config.json
refuses 1 'bert/1_Pooling/config.json: pooling_mode' embed bert 'The cat'
sed 's/models.Pooling/models.Dense/' bert/modules.json >dense.json
mv dense.json bert/modules.json
refuses 1 "modules.json: type: 'sentence_transformers.models.Dense'" embed bert 'The cat'
rm -r bert/modules.json bert/1_Pooling

# Blanks: written either way, each with its own distribution.
works fill bert 'the ___ sat and [MASK].' --top 3
if [ "$(grep -c '^blank' out)" -ne 2 ]; then fail "two blanks: $(cat out)"; fi
if [ "$(grep -c '%' out)" -ne 6 ]; then fail "three candidates for each: $(cat out)"; fi
if ! grep -q '^blank 1 of 2, token 2 ' out; then fail "the place of a blank: $(cat out)"; fi
works fill bert.gguf 'the ___ sat' --top 64 --json
if ! grep -q -F '"position":2' out; then fail "fill --json: $(cat out)"; fi
sum=$(tr ',' '\n' <out | sed -n 's/.*"probability":\([0-9.e-]*\).*/\1/p' |
    awk '{ s += $1 } END { printf "%.4f", s }')
if [ "$sum" != 1.0000 ]; then fail "probabilities sum to $sum"; fi

# An encoder is looked into as any model is.
works attend bert 'the cat sat' --layer 1 --head 2
works info bert
if ! grep -q 'remembers nothing' out; then fail "info of an encoder: $(cat out)"; fi
works info bert --json
if ! grep -q '"kv_bytes_per_token": 0' out; then fail "info --json of an encoder: $(cat out)"; fi
works tokenize bert 'Cats, and thE'

# What cannot be done is said.
refuses 2 'the text has no blank' fill bert 'the cat'
refuses 2 'give MODEL and TEXT' embed bert
refuses 1 'is no encoder' embed m.gguf 'the cat'
refuses 1 'has no [MASK]' fill m.gguf 'the ___'
refuses 1 'continues no text' run bert -p 'the cat'
refuses 1 'continues no text' next bert -p 'the cat'
refuses 1 'no chat template' chat bert
echo 'the cat sat and the cat' >text
refuses 1 'predicts no next token' eval bert text
long=$(awk 'BEGIN { for (i = 0; i < 70; i++) printf "a " }')
refuses 1 'this model reads 64' embed bert "$long"

# Written as a GGUF, or as a folder of that, it stays the same model with the same tokens.
works convert bert -o again.gguf
works embed again.gguf 'The cat sings, and the dog.' --exact
if ! cmp -s out folder.out; then fail "a converted model embeds otherwise"; fi
works convert bert -o copy --to hf
works embed copy 'The cat sings, and the dog.' --exact
if ! cmp -s out folder.out; then fail "a copied folder embeds otherwise"; fi
works convert bert.gguf -o other --to hf
works embed other 'The cat sings, and the dog.' --exact
if ! cmp -s out folder.out; then fail "a folder of the GGUF embeds otherwise"; fi
if ! grep -q token_type_ids other/tokenizer_config.json; then fail "a folder without token types"; fi
if [ -e other/generation_config.json ]; then fail "an encoder is to generate"; fi
works tokenize bert 'Cats,  and thÉ [MASK] 苹果' --json
cp out folder.ids
works tokenize other 'Cats,  and thÉ [MASK] 苹果' --json
if ! cmp -s out folder.ids; then fail "a folder of the GGUF has other tokens: $(cat out)"; fi
works quantize bert -o small.gguf --type q8_0
works embed small.gguf 'The cat sings, and the dog.'

# An encoder learns from blanks: a text in, a model out that fills them, and it can be stopped.
i=0
while [ $i -lt 60 ]; do
    printf 'The cat number %d sat on the mat.\n\n' $i
    i=$((i + 1))
done >cats.txt
small='--arch bert --layers 1 --width 32 --heads 2 --context 16 --batch 4 --documents paragraphs --threads 1'
works train cats.txt -o made.gguf $small --vocab 300 --steps 10 --validate-every 5 --save-every 5
for words in 'bert: 1 layers' '15 % of the tokens' 'nats a hidden token, the best' '___' 'it was'; do
    if ! grep -q -e "$words" out; then fail "no '$words' in: $(cat out)"; fi
done
if grep -q 'bits a byte' out; then fail "bits a byte of blanks: $(cat out)"; fi
works fill made.gguf 'The cat number 3 ___ on the mat.' --top 3
works embed made.gguf 'The cat sat'
cp made.train/step-00000010.gguf whole.gguf
rm made.gguf made.train/step-00000010.gguf
works train cats.txt -o made.gguf --resume --threads 1
works fill whole.gguf 'The ___ sat' --exact --json
cp out whole.out
works fill made.train/step-00000010.gguf 'The ___ sat' --exact --json
if ! cmp -s out whole.out; then fail "a resumed run went another way"; fi
works convert made.gguf -o made --to hf
works fill made 'The ___ sat' --exact --json
cp out folder.out
works fill made.gguf 'The ___ sat' --exact --json
if ! cmp -s out folder.out; then fail "a folder of what was learned fills blanks otherwise"; fi
works train cats.txt -o tuned.gguf --from bert --steps 2 --batch 2 --threads 1 --prompt 'the ___ sat' --mask-share 0.3
if ! grep -q 'the ___ sat \[' out; then fail "no filled prompt: $(cat out)"; fi
works train cats.txt -o lora.gguf --from bert --lora 2 --steps 2 --batch 2 --threads 1
works train cats.txt -o reads.gguf --layers 1 --width 32 --heads 2 --context 16 --batch 4 --vocab 300 --steps 4 --threads 1
works compare made.train reads.train
if ! grep -q 'losses cannot be' out; then fail "an encoder compared with a decoder: $(cat out)"; fi
refuses 1 'continues no text' run made.gguf -p 'The cat'
refuses 2 'no blank' train cats.txt -o x.gguf $small --vocab 300 --prompt 'The cat'
refuses 2 'continues no text' train cats.txt -o x.gguf $small --pairs
refuses 2 'kv_heads: bert' train cats.txt -o x.gguf $small --kv-heads 1
refuses 2 'mask_share: only an encoder' train cats.txt -o x.gguf --mask-share 0.3
