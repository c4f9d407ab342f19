#!/bin/sh
# check_headers.sh - every header compiles alone in C; the public ones in C++ too.
#
# A header that leans on what its user included before fails here.  CC and CXX choose compilers.
set -eu
cd "$(dirname "$0")/.."
cc=${CC:-cc}
cxx=${CXX:-c++}
warnings='-Wall -Wextra -Wpedantic -Werror'
failed=0

compiles() { # LANGUAGE STANDARD HEADER COMPILER...
    language=$1 standard=$2 header=$3
    shift 3
    # shellcheck disable=SC2086  # the warnings are several words
    # The declaration is there because ISO C wants at least one in a file.
    printf '#include "%s"\nextern int declared;\n' "$header" |
        "$@" -x "$language" "-std=$standard" $warnings -Isrc -Iinclude -I. \
            -D_POSIX_C_SOURCE=200809L -fsyntax-only - || failed=1
}

for header in src/*/*.h tests/*.h; do
    if [ -e "$header" ]; then compiles c c17 "${header#src/}" "$cc"; fi
done
for header in include/heed/*.h; do
    if [ ! -e "$header" ]; then continue; fi
    compiles c c17 "${header#include/}" "$cc"
    if command -v "$cxx" >/dev/null; then compiles c++ c++11 "${header#include/}" "$cxx"; fi
done
exit $failed
