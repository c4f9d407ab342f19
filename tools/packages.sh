# packages.sh - finds what is missing on this machine and installs it; read by ../start and ../test.
#
#   need THING...   returns 1 if one of them cannot be had, after saying exactly what to install
#   want THING...   the same for things one can do without: says so and returns 0
#
# A thing is a line of the table below.  Nothing is installed that is there already, and packages
# come from the system's own package manager only (as root, or through sudo).
# shellcheck shell=sh

# thing       Debian, Ubuntu          Fedora               Arch            Alpine             Homebrew
packages='
cc            gcc:libc6-dev           gcc                  gcc             gcc:musl-dev       gcc
make          make                    make                 make            make               make
pkg-config    pkg-config              pkgconf-pkg-config   pkgconf         pkgconf            pkgconf
pcre2         libpcre2-dev            pcre2-devel          pcre2           pcre2-dev          pcre2
libedit       libedit-dev             libedit-devel        libedit         libedit-dev        libedit
microhttpd    libmicrohttpd-dev       libmicrohttpd-devel  libmicrohttpd   libmicrohttpd-dev  libmicrohttpd
c++           g++                     gcc-c++              gcc             g++                gcc
nm            binutils                binutils             binutils        binutils           binutils
clang         clang                   clang                clang           clang              llvm
fuzzer        clang:libclang-rt-dev   compiler-rt          compiler-rt     compiler-rt        llvm
clang-format  clang-format            clang-tools-extra    clang           clang-extra-tools  clang-format
arm-gcc       gcc-aarch64-linux-gnu:libc6-dev-arm64-cross  - aarch64-linux-gnu-gcc - -
arm-qemu      qemu-user               qemu-user            qemu-user       qemu-aarch64       -
wasi          clang:lld:wasi-libc:libclang-rt-dev-wasm32   wasi-libc-devel:lld wasi-libc:wasi-compiler-rt:lld wasi-sdk:lld -
node          nodejs                  nodejs               nodejs          nodejs             node
'

# How to see that a thing is there: by using it, where a name alone says too little.
have() {
    case $1 in
    pcre2) pkg-config --exists libpcre2-8 2>/dev/null ;;
    libedit) pkg-config --exists libedit 2>/dev/null ;;
    microhttpd) pkg-config --exists libmicrohttpd 2>/dev/null ;;
    cc) links cc -x c ;;
    clang) links clang -x c ;;
    fuzzer) links_fuzzer ;;
    wasi) links clang --target=wasm32-wasi -x c ;;
    arm-gcc) links aarch64-linux-gnu-gcc -x c ;;
    arm-qemu) command -v qemu-aarch64 >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
    esac
}
links() {
    echo 'int main(void) { return 0; }' | "$@" - -o /dev/null 2>/dev/null
}
links_fuzzer() {
    echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return !d && n; }' |
        clang -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null
}

missing() {
    for thing in "$@"; do
        if ! have "$thing"; then echo "$thing"; fi
    done
}

# The manager of this system and its column in the table.
manager=
for entry in apt-get:2 dnf:3 pacman:4 apk:5 brew:6; do
    if [ -z "$manager" ] && command -v "${entry%:*}" >/dev/null; then
        manager=${entry%:*} column=${entry#*:}
    fi
done

packages_of() { # THING...: the names of their packages here, one a line
    for thing in "$@"; do
        echo "$packages" | awk -v thing="$thing" -v column="${column:-0}" '
            $1 == thing && column && $column != "-" { gsub(/:/, "\n", $column); print $column }'
    done
}

install_command() {
    case $manager in
    apt-get) echo "apt-get install -y --no-install-recommends" ;;
    dnf) echo "dnf install -y" ;;
    pacman) echo "pacman -S --needed --noconfirm" ;;
    apk) echo "apk add" ;;
    brew) echo "brew install" ;;
    esac
}

# Prints what goes before a command that needs root; fails where there is no way to become root.
as_root() {
    if [ "$(id -u)" = 0 ] || [ "$manager" = brew ]; then
        echo
    elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        echo sudo
    else
        return 1
    fi
}

install_all() { # PACKAGE...
    # shellcheck disable=SC2046  # both are several words
    set -- $(as_root) $(install_command) "$@"
    echo "+ $*"
    "$@" </dev/null
}

install_things() { # THING...
    names=$(packages_of "$@")
    if [ -z "$names" ] || ! root=$(as_root); then return 1; fi
    if [ "$manager" = apt-get ]; then
        # shellcheck disable=SC2086  # empty, or sudo
        $root apt-get update -q </dev/null || echo "(the list of packages could not be renewed)"
    fi
    # shellcheck disable=SC2086  # one word a package
    if install_all $names; then return 0; fi
    for name in $names; do install_all "$name" || true; done
}

say_how() { # THING...
    # shellcheck disable=SC2046  # one word a package
    set -- $(packages_of "$@")
    if [ -n "$manager" ] && [ $# -gt 0 ]; then echo "Install by hand, as root: $(install_command) $*"; fi
}

install_missing() { # THING...: leaves in $lacking what is still missing afterwards
    lacking=$(missing "$@" | tr '\n' ' ')
    if [ -z "$lacking" ]; then return 0; fi
    echo "Missing here: $lacking"
    # shellcheck disable=SC2086  # one word a thing
    if install_things $lacking; then lacking=$(missing $lacking | tr '\n' ' '); fi
}

need() {
    install_missing "$@"
    if [ -z "$lacking" ]; then return 0; fi
    echo "Cannot go on without: $lacking"
    # shellcheck disable=SC2086
    say_how $lacking
    return 1
}

want() {
    install_missing "$@"
    if [ -z "$lacking" ]; then return 0; fi
    echo "Going on without: $lacking"
    # shellcheck disable=SC2086
    say_how $lacking
}
