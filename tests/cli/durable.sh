#!/bin/sh
# durable.sh - training that is cut off: killed, interrupted, out of disk, with errors on the disk.
#
#     HEED_FAULTS=3      let every 3rd change of a file go wrong (default; 1: each of them)
#
# Wherever it happens: the newest checkpoint opens, at most one interval is lost, nothing half written
# stays, and the run that goes on ends with the bits, and the losses, of one that was never cut off.
. "$(dirname "$0")/model.sh"
case $(uname -s) in Linux) ;; *) echo "$script: skipped: no LD_PRELOAD" && exit 0 ;; esac
if ! cc -shared -fPIC -o faulty.so "$root/tests/cli/faulty.c" -ldl 2>cc.err; then
    echo "$script: skipped: $(head -n 1 cc.err)"
    exit 0
fi
faults=${HEED_FAULTS:-3}
interval=2

i=0
while [ $i -lt 12 ]; do
    echo "The cat sat on the mat, and line $i of the book told how the cat sat there."
    i=$((i + 1))
done >book.txt
# Some epochs of the text, and all that a resumed run has to remember.
train="train $work/book.txt -o book.gguf --layers 1 --width 32 --heads 2 --context 16 --batch 4
    --accumulate 2 --dropout 0.1 --vocab 280 --steps 7 --validate-every 2 --sample-every 100
    --save-every $interval --threads 1"

# Step and loss of every step, as the journal has them.
losses() { # FOLDER
    sed -n 's/.*"event":"step","step":\([0-9]*\),.*"loss":\([^,]*\),.*/\1 \2/p' "$1/book.train/train.jsonl"
}
mkdir whole
# shellcheck disable=SC2086  # $train is words
(cd whole && works $train)
losses whole >whole.losses
if [ "$(lines whole.losses)" -ne 7 ]; then fail "the journal has not 7 steps"; fi

# The run in cut/ is taken up where it was left, or begun anew where nothing was kept.
go_on() { # FAULT
    seen=$( (losses cut | tail -n 1 | cut -d ' ' -f 1) 2>/dev/null)
    seen=${seen:-0}
    again=--force
    if ls cut/book.train/step-*.gguf >/dev/null 2>&1; then again=--resume; fi
    if [ $again = --force ] && [ "$seen" -gt $interval ]; then fail "$1: $seen steps and no checkpoint"; fi
    # shellcheck disable=SC2086
    if [ $again = --resume ]; then
        (cd cut && works train "$work/book.txt" -o book.gguf --resume --threads 1 && cp out ../resumed)
        from=$(sed -n 's/^resumed *at step \([0-9]*\).*/\1/p' resumed)
        if [ $((seen - from)) -gt $interval ]; then fail "$1: resumed at $from after step $seen"; fi
    else
        (cd cut && works $train --force)
    fi
    if ! cmp -s whole/book.gguf cut/book.gguf; then fail "$1: another model than that of a whole run"; fi
    losses cut >cut.losses
    if ! cmp -s whole.losses cut.losses; then fail "$1: other losses: $(diff whole.losses cut.losses)"; fi
    left=$(find cut -name '*.tmp')
    if [ -n "$left" ]; then fail "$1: left behind: $left"; fi
}

# Lets the N-th change go wrong, for N = 1, 1 + $faults ... until a run has no more of them.
each_fault() { # KIND EXIT WORDS: how the run must end
    n=1
    while :; do
        rm -rf cut hit
        mkdir cut
        status=0
        # shellcheck disable=SC2086
        { (cd cut && FAULT=$1:$n FAULT_HIT=$work/hit LD_PRELOAD=$work/faulty.so "$HEED" $train >../out 2>../err </dev/null) || status=$?; } 2>killed
        if [ ! -e hit ]; then break; fi
        if [ $status -ne "$2" ]; then fail "$1:$n: exit $status: $(cat err)"; fi
        # Who is interrupted behind the last step has done it all, and says nothing.
        if [ -n "$3" ] && ! grep -q '^written' out && ! grep -q -F -e "$3" err; then fail "$1:$n: no '$3' in: $(cat err)"; fi
        if [ "$1" != kill ] && [ -n "$(find cut -name '*.tmp')" ]; then fail "$1:$n: a half file stays"; fi
        go_on "$1:$n"
        n=$((n + faults))
    done
    if [ $n -lt 20 ]; then fail "$1: only $n changes of files were seen"; fi
    echo "$script: $1: $n changes, every ${faults}. one went wrong"
}
each_fault kill 137 ''
# In the background of a shell SIGINT is ignored, and heed keeps to that.
if [ -z "$(sh -c 'kill -INT $$; echo ignored')" ]; then
    each_fault stop 130 'stopped at step'
else
    echo "$script: skipped stop: SIGINT is ignored here"
fi
each_fault error 1 'Input/output error'
each_fault full 1 'No space left on device'
