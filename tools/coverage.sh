#!/bin/sh
# coverage.sh BUILD - lines of src/ that the tests ran, by folder, from gcov's counts.
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: coverage.sh BUILD}

find "$build/src" -name '*.gcda' | LC_ALL=C sort | xargs "${GCOV:-gcov}" -n 2>/dev/null | awk '
/^File / {
    split($0, part, "\047") # the name stands between apostrophes
    file = part[2]
}
/^Lines executed:/ && file ~ /^src\/.*\.c$/ {
    split($0, part, /[:% ]+/)
    split(file, path, "/")
    lines[path[2]] += part[5]
    covered[path[2]] += part[3] * part[5] / 100
    file = ""
}
END {
    for (folder in lines) {
        printf "%-10s %5.1f %% of %5d lines\n", folder, 100 * covered[folder] / lines[folder], lines[folder] | "sort"
        n += lines[folder]
        c += covered[folder]
    }
    close("sort")
    if (n == 0) exit 1
    printf "%-10s %5.1f %% of %5d lines\n", "all", 100 * c / n, n
}'
