#!/bin/sh
# signals.sh - what happens around a running heed: Ctrl-C, a reader that goes, a model that shrinks.
. "$(dirname "$0")/model.sh"
need_python

# Some seconds of work: without a cache each token computes the whole text again.
long='--ignore-eos --no-cache --exact --greedy -t 1'
cp m.gguf mapped.gguf
cp m.gguf read.gguf
cat >watch.py <<'PYTHON'
import os, signal, subprocess, sys, time

heed, what, *arguments = sys.argv[1:]
# A shell lets what it puts into the background ignore SIGINT; heed keeps to that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
p = subprocess.Popen([heed] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
out = os.read(p.stdout.fileno(), 1)  # it is writing
began = time.monotonic()
if what == "interrupt":
    p.send_signal(signal.SIGINT)
elif what == "leave":
    p.stdout.close()
elif what == "shrink":
    os.truncate(arguments[1], 0)
rest, errors = p.communicate() if what != "leave" else (b"", p.stderr.read())
status, seconds = p.wait(), time.monotonic() - began
out += rest
sys.stdout.write(f"{status} {len(out)} {seconds < 3} {errors.decode()}")
PYTHON
watch() { # WHAT ARGUMENT...: leaves the words "status bytes soon errors" in $seen
    seen=$(python3 watch.py "$HEED" "$@")
}

# shellcheck disable=SC2086  # $long is words
watch interrupt run m.gguf -p x $long
case $seen in "-2 "*" True "*stopped*) ;; *) fail "Ctrl-C: $seen" ;; esac
case $seen in "-2 0 "*) fail "Ctrl-C: no text: $seen" ;; esac

# shellcheck disable=SC2086
watch leave run m.gguf -p x $long
if [ "$seen" != "-13 1 True " ]; then fail "a reader that goes: $seen"; fi
seen=$( { "$HEED" --help | head -n 1; } 2>&1) || fail "heed --help | head: $seen"
case $seen in heed*) ;; *) fail "heed --help | head: $seen" ;; esac

# shellcheck disable=SC2086
watch shrink run mapped.gguf -p x $long
case $seen in
1\ *"heed run: mapped.gguf: became shorter"*) ;;
*) fail "a mapped model that shrinks: $seen" ;;
esac
if [ "$(printf '%s\n' "$seen" | wc -l | tr -d ' ')" -ne 1 ]; then fail "a model that shrinks: more than a line: $seen"; fi
# shellcheck disable=SC2086
watch shrink run read.gguf -p x $long -n 200 --no-mmap
case $seen in 0\ *) ;; *) fail "a model that was read, and shrinks: $seen" ;; esac

# ---- waiting for standard input
status=0
python3 - "$HEED" <<'PYTHON' || status=$?
import signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
p = subprocess.Popen([sys.argv[1], "run", "m.gguf"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
time.sleep(0.3)
p.send_signal(signal.SIGINT)
try:
    sys.exit(p.wait(3) != -signal.SIGINT)
except subprocess.TimeoutExpired:
    p.kill()
    sys.exit(1)
PYTHON
if [ $status -ne 0 ]; then fail "Ctrl-C does not end what waits for a text"; fi
