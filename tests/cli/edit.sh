#!/bin/sh
# edit.sh - heed patch and heed edit: tables, drawing, JSON, an edited file that says so, sets of
# edits; refusals.
. "$(dirname "$0")/model.sh"

# ---- tracing
fact='-p the.cat.is --subject cat'
# shellcheck disable=SC2086  # words
works patch m.gguf $fact --answer x --draws 2 -o patch.svg
for words in 'Residual stream after layer' 'Feed-forward of layer' 'Attention of layer' \
    'The answer has a probability of'; do
    if ! grep -q -e "$words" out; then fail "no '$words' in $(cat out)"; fi
done
if ! grep -q '^\* ' out; then fail "no token of the subject is marked: $(cat out)"; fi
if ! grep -q '</svg>' patch.svg; then fail "no drawing"; fi
# shellcheck disable=SC2086
works patch m.gguf $fact --answer x --draws 2 -o -
if ! cmp -s out patch.svg; then fail "another drawing on standard output"; fi
# shellcheck disable=SC2086
works patch m.gguf $fact --answer x --json --window 2
for words in '"answer":" x"' '"is_subject":true' '"clean":' '"corrupted":' '"layer":' \
    '"effects":{"residual":[[' '"feed_forward":[[' '"attention":[['; do
    if ! grep -q -F -e "$words" out; then fail "no $words in $(head -c 300 out)"; fi
done
cp "$root/tests/fixtures/models/mamba/model.gguf.bin" mamba.gguf
# shellcheck disable=SC2086
works patch mamba.gguf -p a.the.at --subject the --answer x --json
if ! grep -q -F '"feed_forward":null' out; then fail "Mamba has a feed-forward? $(cat out)"; fi

cp -R "$root/tests/fixtures/models/bert" bert
cp -R "$root/tests/fixtures/models/mixtral" mixtral
refuses 2 "does not hold the subject 'dog'" patch m.gguf -p 'the cat is' --subject dog --answer x
refuses 2 'give --prompt, --subject and --answer' patch m.gguf -p 'the cat is' --subject cat
refuses 2 'give one MODEL' patch
refuses 2 'not both' patch m.gguf -p x --subject x --answer x --json -o -
refuses 2 '--noise' patch m.gguf -p x --subject x --answer x --noise -1
refuses 1 'missing.gguf' patch missing.gguf -p x --subject x --answer x
refuses 1 'an encoder' patch bert -p 'the cat is' --subject cat --answer x

# ---- one fact
edit='-p the.cat.is --subject cat --new x --tokens 400 --steps 5'
# shellcheck disable=SC2086
works edit m.gguf $edit --ask 'the dog is' -o new.gguf
if ! grep -q 'by tracing' out; then fail "no layer is named: $(cat out)"; fi
if ! grep -q 'the dog is' out; then fail "nothing said of what was asked: $(cat out)"; fi
if ! grep -q 'ffn_down.weight anew, as F32' out; then fail "no word of the type: $(cat out)"; fi
works info new.gguf
if ! grep -q '^edited .*the.cat.is' out; then fail "info does not tell: $(cat out)"; fi
cksum m.gguf >before
# shellcheck disable=SC2086
works edit new.gguf $edit --layer 0 --type same --json -o newer.gguf
for words in '"layer":0' '"target":"newer.gguf"' '"before":{"answer":' '"after":{"answer":'; do
    if ! grep -q -F -e "$words" out; then fail "no $words in $(head -c 300 out)"; fi
done
works info newer.gguf --json
if [ "$(grep -c '"subject": "cat"' out)" -ne 2 ]; then fail "not two edits: $(cat out)"; fi
works run newer.gguf -p the.cat.is -n 2 --greedy
# The same for any number of threads; another text to measure on is another edit.
# shellcheck disable=SC2086
works edit m.gguf $edit --layer 1 --json -t 1
cp out one
# shellcheck disable=SC2086
works edit m.gguf $edit --layer 1 --json -t 2
cmp -s out one || fail "two threads edit otherwise: $(cat one out)"
# shellcheck disable=SC2086
works edit m.gguf $edit --layer 1 --json --text "$root/tests/fixtures/page.txt"
if cmp -s out one; then fail "--text makes no difference"; fi
cksum m.gguf | cmp -s - before || fail "the model itself has changed"

echo 'the cat' >short.txt
# shellcheck disable=SC2086
{
    refuses 2 "layers 0 to 1" edit m.gguf $edit --layer 9
    refuses 2 'is there already' edit m.gguf $edit -o new.gguf
    refuses 2 'is the model itself' edit m.gguf $edit -o m.gguf --force
    refuses 2 'no such type' edit m.gguf $edit -o x.gguf --type q9
    refuses 1 'missing.gguf' edit missing.gguf $edit
    refuses 1 'missing.txt' edit m.gguf $edit --text missing.txt
    refuses 1 'mixtures of experts' edit mixtral $edit
    refuses 1 'no feed-forward' edit mamba.gguf $edit
    refuses 1 'an encoder' edit bert $edit
    refuses 2 'too few' edit m.gguf $edit --text short.txt
    refuses 2 'make it a part of the model' edit m.gguf $edit --lora m.gguf
}
refuses 2 "does not hold the subject 'dog'" edit m.gguf -p 'the cat is' --subject dog --new x
refuses 2 'give --prompt, --subject and --new' edit m.gguf -p x
if [ -e x.gguf ]; then fail "a refusal has written a file"; fi

# ---- sets of edits
cat >set.jsonl <<'SET'
{"phenomenon":"order","prompt":"no edit"}
{"phenomenon":"edit","lang":"en","subject":"cat","prompt":"the cat is","old":" y","new":" x","paraphrases":[{"prompt":"a cat is","old":" y","new":" x"}],"neighbours":[{"prompt":"the dog is","right":" y"}],"same_subject":[{"prompt":"the cat has","right":" z"}]}
SET
works edit m.gguf --set set.jsonl --tokens 400 --steps 5
if ! grep -q 'Layer . (by tracing): 1 edits' out; then fail "no score: $(cat out)"; fi
works edit m.gguf --set set.jsonl --tokens 400 --steps 5 --every-layer --json
if [ "$(grep -o '"layer":' out | wc -l)" -ne 2 ]; then fail "not two layers: $(cat out)"; fi
works edit m.gguf --set world --limit 1 --layer 0 --tokens 400 --steps 2 --json
if ! grep -q -F '"neighbours":{"n":' out; then fail "no counts: $(cat out)"; fi
echo '{"phenomenon":"edit","prompt":"x"}' >bad.jsonl
refuses 1 'bad.jsonl, line 1' edit m.gguf --set bad.jsonl
echo '{"phenomenon":' >worse.jsonl
refuses 1 'worse.jsonl, line 1' edit m.gguf --set worse.jsonl
head -n 1 set.jsonl >none.jsonl
refuses 2 'has no edits' edit m.gguf --set none.jsonl
refuses 1 'missing.jsonl' edit m.gguf --set missing.jsonl
refuses 2 'in memory alone' edit m.gguf --set set.jsonl -o x.gguf
refuses 2 'not both' edit m.gguf --set set.jsonl --layer 1 --every-layer
refuses 2 'are for --set' edit m.gguf -p x --subject x --new y --every-layer
