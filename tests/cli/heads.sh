#!/bin/sh
# heads.sh - heed heads: roles for people, programs and as a drawing; a head off; refusals.
. "$(dirname "$0")/model.sh"

works heads m.gguf --texts 5 --svg roles.svg
if ! grep -q '^layer head  role ' out; then fail "no table: $(cat out)"; fi
if ! grep -q 'heads have a role' out; then fail "nothing said: $(cat out)"; fi
if ! grep -q '</svg>' roles.svg; then fail "no drawing"; fi
works heads m.gguf --texts 5 --svg -
if ! cmp -s out roles.svg; then fail "another drawing on standard output"; fi
works heads m.gguf --texts 5 --json
for words in '"texts":5' '"heads":[{"layer":0,"head":0,"role":"' '"previous":{"margin":' '"n":'; do
    if ! grep -q -F -e "$words" out; then fail "no $words in $(head -c 300 out)"; fi
done
if grep -q loss_change out; then fail "heads were switched off without being asked"; fi
works heads m.gguf --texts 2 --off --json
if ! grep -q '"loss_change":' out; then fail "no head was switched off: $(head -c 300 out)"; fi

cp "$root/tests/fixtures/models/mamba/model.gguf.bin" mamba.gguf
refuses 2 'no heads' heads mamba.gguf --texts 2
refuses 2 'give MODEL' heads
refuses 2 'not both' heads m.gguf --json --svg -
refuses 1 'missing.gguf' heads missing.gguf
