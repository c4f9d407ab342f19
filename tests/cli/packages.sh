#!/bin/sh
# packages.sh - what ./start and ./test would install, with a stand-in for each package manager.
#
# A stand-in writes down how it was called and puts a stand-in compiler where the search finds it.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "packages.sh: $*"
    exit 1
}

# A machine with nothing but what the script itself is made of, and MANAGER; DOES: what it does.
machine() { # MANAGER DOES
    rm -rf "$work/bin"
    mkdir "$work/bin"
    for tool in sh awk tr cat id; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
    printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$work" "$2" >"$work/bin/$1"
    printf '#!/bin/sh\nif [ "$1" = -n ]; then shift; fi\nexec "$@"\n' >"$work/bin/sudo"
    printf '#!/bin/sh\n' >"$work/bin/true"
    chmod +x "$work/bin/"*
    : >"$work/calls"
}
try() { # COMMANDS: as ./start would run them; prints their words
    PATH=$work/bin sh -eu -c ". '$root/tools/packages.sh'; $1" 2>&1 </dev/null
}
gives_cc="printf '#!/bin/sh\n' >'$work/bin/cc'; PATH=/usr/bin:/bin chmod +x '$work/bin/cc'"

check_manager() { # MANAGER THE-CALL-THAT-INSTALLS
    machine "$1" "$gives_cc"
    try 'need cc' >/dev/null || fail "$1: cc is still missing"
    calls=$(cat "$work/calls")
    case $calls in *"$2") ;; *) fail "$1: called '$calls', want '$2'" ;; esac
    : >"$work/calls"
    try 'need cc' >/dev/null
    if [ -s "$work/calls" ]; then fail "$1: installs what is there: $(cat "$work/calls")"; fi
}
check_manager apt-get 'apt-get install -y --no-install-recommends gcc libc6-dev'
check_manager dnf 'dnf install -y gcc'
check_manager pacman 'pacman -S --needed --noconfirm gcc'
check_manager apk 'apk add gcc musl-dev'
check_manager brew 'brew install gcc'

# A manager that fails: need says what to do and fails, want goes on.
machine dnf 'exit 1'
if words=$(try 'need cc'); then fail "goes on without a compiler"; fi
case $words in *'Install by hand, as root: dnf install -y gcc'*) ;; *) fail "unclear: $words" ;; esac
words=$(try 'want cc') || fail "want does not go on"
case $words in *'Going on without: cc'*) ;; *) fail "unclear: $words" ;; esac

# No manager at all.
machine dnf ''
rm "$work/bin/dnf"
if words=$(try 'need cc'); then fail "goes on without a compiler or a manager"; fi
case $words in *'Cannot go on without: cc'*) ;; *) fail "unclear: $words" ;; esac
