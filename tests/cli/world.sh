#!/bin/sh
# world.sh - heed world: text, labels and probes of the mini-world, its proof, and what it refuses.
. "$(dirname "$0")/model.sh"

# The same seed is the same text; sizes, seeds and splits are kept apart.
works world --bytes 50k -o text
works world --bytes 50k
if ! cmp -s text out; then fail "a file and standard output differ"; fi
if [ "$(wc -c <text)" -lt 50000 ] || [ "$(wc -c <text)" -gt 60000 ]; then fail "not 50 kB"; fi
works world --bytes 50k --seed 2
if cmp -s text out; then fail "two seeds give one text"; fi
works world --bytes 50k --split valid
if cmp -s text out; then fail "validation is training"; fi
works world --bytes 20k
if ! head -c 20000 text | cmp -s - out 2>/dev/null && ! cmp -s -n 20000 text out; then
    fail "a smaller text is not the beginning of a larger one"
fi
works world --tokens 3k --language en
if LC_ALL=C grep -q '[^ -~“”‘’—…]' out && grep -q '的' out; then fail "Chinese in English text"; fi

# An empty line ends a document; labels tell of the same documents.
works world --bytes 50k -o text --labels labels.jsonl
documents=$(grep -c '^$' text)
if [ "$(lines labels.jsonl)" -ne "$documents" ]; then fail "$documents documents, other labels"; fi
works world --bytes 5k --genre riddle,dialog=2 -o - --labels labels.jsonl
if grep -v -q -e '"genre":"riddle"' -e '"genre":"dialog"' labels.jsonl; then fail "other genres"; fi
if command -v python3 >/dev/null; then
    works world --bytes 50k -o text --labels labels.jsonl
    python3 - <<'END' || fail "labels do not fit the text"
import json
texts = open('text', encoding='utf-8').read().split('\n\n')
for text, line in zip(texts, open('labels.jsonl', encoding='utf-8')):
    d = json.loads(line)
    assert d['text'] == text
    for start, end, label in d['spans']:
        assert text.encode()[start:end].decode() and label
END
fi

# Probes: a folder with a file for each phenomenon, or one file.
works world --probes probes --items 4
if [ "$(ls probes | wc -l)" -ne 18 ]; then fail "not 18 sets of probes: $(ls probes)"; fi
for name in sense coreference order recall fact verdict translation agreement; do
    if ! grep -q "\"phenomenon\":\"$name\"" "probes/$name.jsonl"; then fail "no probes of $name"; fi
done
works world --probes all.jsonl --items 4
cat probes/*.jsonl | LC_ALL=C sort >sorted
if ! LC_ALL=C sort all.jsonl | cmp -s - sorted; then fail "one file holds other probes"; fi

# The proof.
works world --check --bytes 500k --items 10
if ! grep -q '^faults of [0-9]* kinds: 0$' out; then fail "the world has faults: $(cat out)"; fi
works world --check --bytes 500k --items 10 --json
if ! grep -q '"passed":true' out; then fail "not passed: $(cat out)"; fi

# It can be learned from directly.
"$HEED" world --bytes 60k | "$HEED" train - -o world.gguf --documents paragraphs --vocab 400 \
    --layers 1 --width 32 --heads 2 --context 32 --batch 4 --steps 3 --threads 1 >out 2>err ||
    fail "heed world | heed train -: $(cat err)"
works run world.gguf -p "Once" -n 3 --greedy

refuses 2 "'0' is no size" world --bytes 0
refuses 2 "'many' is no size" world --tokens many
refuses 2 'not both' world --tokens 5 --bytes 5
refuses 2 "no such genre: 'songs'" world --genre story,songs
refuses 2 'a number from 1 to 1000' world --genre story=x
refuses 2 'zh, en or both' world --language fr
refuses 2 'train, valid or probe' world --split test
refuses 2 'both languages' world --language zh --genre translation
refuses 2 "what is 'text'?" world text
refuses 2 'writes no files' world --check --labels x
refuses 2 'not with --probes' world --probes x --labels y
refuses 2 'take the whole world' world --probes x --language zh
refuses 2 'take the whole world' world --check --genre story
refuses 2 '--json is for --check' world --json
refuses 1 '/no/folder' world --bytes 1k -o /no/folder/text
refuses 1 '/no/folder' world --bytes 1k -o x --labels /no/folder/labels
if [ -e x ]; then fail "a refused run wrote"; fi
