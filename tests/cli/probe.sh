#!/bin/sh
# probe.sh - heed probe: the world's questions and a file's, for people and programs, refusals.
. "$(dirname "$0")/model.sh"

# The world's own questions are those that heed world writes.
works world --probes probes --items 4
works world --probes all.jsonl --items 4
works probe m.gguf --only order,verdict --limit 4 --json
cp out own
works probe m.gguf probes --only order,verdict --json
if ! cmp -s out own; then fail "a folder asks otherwise: $(cat out) $(cat own)"; fi
works probe m.gguf all.jsonl --only order,verdict --json
if ! cmp -s out own; then fail "a file asks otherwise: $(cat out)"; fi
for words in '"name":"order"' '"name":"verdict"' '"accuracy":' '"chance":0.5' '"n":4' '"error":'; do
    if ! grep -q -e "$words" own; then fail "no $words in $(cat own)"; fi
done
works probe m.gguf probes --only order --limit 2 --json
if grep -q '"n":4' out; then fail "--limit 2 asks more: $(cat out)"; fi
works probe m.gguf --limit 2
for name in sense coreference order recall fact verdict translation agreement; do
    if ! grep -q "^$name " out; then fail "no $name in: $(cat out)"; fi
done

# An encoder fills the blanks.
printf '{"phenomenon":"order","lang":"en","prompt":"the cat","right":" sat.","wrong":[" and."]}\n' >blank.jsonl
printf '{"phenomenon":"order","lang":"en","prompt":"the","right":" abcdefghijk","wrong":[" and"]}\n' >>blank.jsonl
works probe "$root/tests/fixtures/models/bert" blank.jsonl
if ! grep -q '^order  *1 ' out; then fail "an encoder was not asked: $(cat out)"; fi
if ! grep -q 'blanks of 8 tokens at most: order 1' out; then fail "no word of a long answer: $(cat out)"; fi

# What cannot be read is said.
cp "$root/tests/fixtures/models/gpt2/model.gguf.bin" g.gguf
works probe g.gguf --only order --limit 2
if ! grep -q 'lacks characters of them: order 2' out; then fail "read: $(cat out)"; fi

refuses 2 'give MODEL' probe
refuses 2 "nothing asks about 'songs'" probe m.gguf --only order,songs
refuses 2 "nothing asks about 'order'" probe m.gguf probes/recall.jsonl --only order
refuses 2 'a file' probe m.gguf all.jsonl --seed 3
refuses 2 'asks nothing' probe m.gguf probes/edit.jsonl
refuses 1 'missing.jsonl' probe m.gguf missing.jsonl
echo '{"phenomenon":"order"}' >bad.jsonl
refuses 1 'bad.jsonl, line 1: "lang"' probe m.gguf bad.jsonl
mkdir empty
refuses 2 'no .jsonl file' probe m.gguf empty
