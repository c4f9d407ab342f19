#!/bin/sh
# check_style.sh - the house rules that a program can check.
#
#   lines     at most 100 columns (but tables between clang-format off and on, and what a test
#             quotes), no tabs, no blanks at the end
#   files     at most 800 lines (generated *_table.c excepted), no name that says nothing
#   functions at most 70 lines, 100 in kernels/
#   words     no notes to self; compiler attributes only where they are given plain names
#
# Functions are found by the layout that .clang-format gives: they begin in the first column and
# end with a brace there.
set -eu
cd "$(dirname "$0")/.."

find src include tests fuzz bench -name '*.[ch]' -o -name '*.inl' | LC_ALL=C sort |
    LC_ALL=C xargs awk '
function wrong(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    failed = 1
}
FNR == 1 {
    is_table = FILENAME ~ /_table\.[ch]$/
    lines_max = FILENAME ~ /^src\/kernels\// ? 100 : 70
    is_test = FILENAME ~ /^tests\//
    function_start = is_fenced = 0
    if (FILENAME ~ /\/(util|utils|misc|common|helper|helpers)[._]/) wrong("a name that says nothing")
}
FNR == 801 && !is_table { wrong("more than 800 lines: cut the file or say why in its header") }
/[ \t]$/ { wrong("blanks at the end of the line") }
/\t/ { wrong("tab") }
/clang-format off/ { is_fenced = 1 }
/clang-format on/ { is_fenced = 0 }
length($0) > 100 && !is_table && !is_fenced && !(is_test && /"/) {
    text = $0
    gsub(/[\200-\277]/, "", text) # bytes after the first of a UTF-8 character take no column
    if (length(text) > 100) wrong("more than 100 columns")
}
/(^|[^A-Za-z_])(TODO|FIXME|XXX|HACK)([^A-Za-z_]|$)/ || /[^a-z]for now([^a-z]|$)/ { wrong("a note to self") }
/__attribute__|__extension__/ && FILENAME !~ /^(src\/base\/attr\.h|src\/kernels\/.*|include\/heed\/.*|tests\/test\.h)$/ {
    wrong("attributes live in base/attr.h and kernels/")
}
/^[A-Za-z_]/ && !/^[A-Za-z_0-9]+:$/ { function_start = FNR }
/^}$/ {
    n = FNR - function_start + 1
    if (function_start && n > lines_max) wrong("function of " n " lines, at most " lines_max)
    function_start = 0
}
END { exit failed }'
