#!/bin/sh
# check_ops.sh - every op has its gradient check, or says why it needs none.
#
# The functions op_... declared in src/tensor/ops.h and the entries OP_CHECKED(op_...) and
# OP_NOT_DIFFERENTIABLE(op_..., "reason") of tests/test_gradients.c must be the same set.
set -eu
cd "$(dirname "$0")/.."

awk '
{ sub(/\/\/.*/, "") }
FILENAME ~ /ops\.h$/ && match($0, /(^|[ *])op_[a-z0-9_]+\(/) {
    name = substr($0, RSTART, RLENGTH)
    gsub(/[ *(]/, "", name)
    declared[name] = 1
    n++
}
FILENAME ~ /\.c$/ {
    while (match($0, /OP_(CHECKED|NOT_DIFFERENTIABLE)\(op_[a-z0-9_]+/)) {
        name = substr($0, RSTART, RLENGTH)
        $0 = substr($0, RSTART + RLENGTH)
        sub(/.*\(/, "", name)
        if (name in listed) wrong("tests/test_gradients.c lists " name " twice")
        listed[name] = 1
    }
}
function wrong(text) {
    print text
    failed = 1
}
END {
    if (n == 0) wrong("src/tensor/ops.h: no op found")
    for (name in declared) if (!(name in listed)) wrong("tests/test_gradients.c lacks " name)
    for (name in listed) if (!(name in declared)) wrong("src/tensor/ops.h lacks " name)
    exit failed
}' src/tensor/ops.h tests/test_gradients.c
