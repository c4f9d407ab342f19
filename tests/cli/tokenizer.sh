#!/bin/sh
# tokenizer.sh - heed tokenizer train: what it writes can be used, what it says, what it refuses.
. "$(dirname "$0")/model.sh"

i=0
while [ $i -lt 40 ]; do
    echo "The cat sat on the mat, and the cat's hat lay on the mat."
    echo '月光 月光，月亮。'
    i=$((i + 1))
done >text

# Both forms are the same vocabulary.
works tokenizer train text -o both.json --vocab 300
works tokenizer train text -o both.gguf --vocab 300 --threads 1
works tokenize both.json "the cat's 月光 <|endoftext|>" --special
cp out json.out
works tokenize both.gguf "the cat's 月光 <|endoftext|>" --special
if ! cmp -s out json.out; then fail "a tokenizer.json and a GGUF of one vocabulary differ"; fi
if ! grep -q '| cat|' out; then fail "no token for a word that stands 80 times: $(cat out)"; fi
if ! grep -q '^ *0 .*endoftext' out; then fail "the special token is not id 0: $(cat out)"; fi

works tokenizer train text - -o more.json --vocab 300 --special '<|user|>' --special '<|endoftext|>'
works tokenize more.json '<|user|>' --special
if ! grep -q '^ *1 ' out; then fail "a second special token is not id 1: $(cat out)"; fi

# A built-in model has a tokenizer as well; a file of its name comes first.
works tokenize tales " the"
if ! grep -q '^1 token' out; then fail "a built-in model's tokenizer: $(cat out)"; fi
cp both.gguf tales
works tokenize tales 月光
cp out file.out
works tokenize both.gguf 月光
if ! cmp -s out file.out; then fail "a built-in model came before a file of its name"; fi

works tokenizer train text -o chars.json --kind char
works tokenize chars.json 月
if ! grep -q '^1 token' out; then fail "a character is not one token: $(cat out)"; fi
works tokenizer train -o bytes.json --kind byte
works tokenize bytes.json 月
if ! grep -q '^3 tokens' out; then fail "three bytes are not three tokens: $(cat out)"; fi

# What a person should know is said.
works tokenizer train text -o large.json --vocab 5000
if ! grep -q 'only [0-9]* merges' err; then fail "a vocabulary too large: $(cat err)"; fi
printf 'caf\351 caf\351' >latin
works tokenizer train latin -o latin.json --vocab 260
if ! grep -q '^2 parts of the text are not UTF-8' err; then fail "bytes that are no text: $(cat err)"; fi
works tokenizer train text -o few.json --kind char --vocab 260
if ! grep -q 'characters found no place' err; then fail "characters left out: $(cat err)"; fi

# What cannot be is refused, and leaves nothing behind.
: >nothing
echo kept >kept.json
refuses 1 'none: cannot open' tokenizer train none -o new.json --vocab 300
refuses 2 'no text to learn from' tokenizer train nothing -o new.json --vocab 300
refuses 2 '256 bytes and 1 special token' tokenizer train text -o new.json --vocab 200
refuses 2 '--vocab N' tokenizer train text -o new.json
refuses 2 '-o TARGET' tokenizer train text --vocab 300
refuses 2 'is there already' tokenizer train text -o kept.json --vocab 300
refuses 2 'bpe, char or byte' tokenizer train text -o new.json --vocab 300 --kind words
refuses 1 'unknown pre-tokenizer' tokenizer train text -o new.json --vocab 300 --pattern none
refuses 2 'given twice' tokenizer train text -o new.json --vocab 300 --special '<a>' --special '<a>'
refuses 2 'give the FILEs' tokenizer train -o new.json --vocab 300
refuses 2 'heed tokenizer train FILE' tokenizer text -o new.json --vocab 300
refuses 1 '/no/folder' tokenizer train text -o /no/folder/new.json --vocab 300
if [ -e new.json ]; then fail "a refused training wrote"; fi
if [ "$(cat kept.json)" != kept ]; then fail "a refused training replaced a file"; fi
