#!/bin/sh
# check_layers.sh - who may include whom, read from the #include lines.
#
# The table below is the only place that says it; it is meant to be read.  Three rules are checked:
#   1. a folder includes only itself and the folders named on its line;
#   2. no circle of headers, which include guards would hide;
#   3. system headers outside the C library only in the folders named for them.
set -eu
cd "$(dirname "$0")/.."

find src include/heed -name '*.[ch]' -o -name '*.inl' | LC_ALL=C sort | xargs awk '
BEGIN {
    # ---- folder: folders it may include.  "heed" is the public interface, include/heed.
    layer("heed",     "")
    layer("base",     "")
    layer("world",    "base")
    layer("builtin",  "base")
    layer("quant",    "base")
    layer("kernels",  "base quant")
    layer("format",   "base quant")
    layer("unicode",  "base")
    layer("text",     "base unicode")
    layer("chat",     "base unicode")
    layer("tensor",   "base quant kernels")
    layer("model",    "base builtin quant kernels format text chat tensor")
    layer("export",   "base quant kernels format text chat tensor model")
    layer("generate", "base quant kernels format text chat tensor model")
    layer("train",    "base quant kernels format text chat tensor model export")
    layer("look",     "base quant kernels format text chat tensor model")
    layer("api",      "base quant kernels format text chat tensor model export generate train look heed")
    layer("lab",      "base quant kernels format text chat tensor model generate look heed")
    layer("serve",    "base lab heed")
    layer("cli",      "base builtin world quant kernels format text chat tensor model export generate train look lab serve heed")

    # ---- system header: folders that may include it.  The C library is open to all.
    system_header("assert ctype errno float inttypes limits locale math stdalign stdarg stdatomic", "*")
    system_header("stdbool stddef stdint stdio stdlib stdnoreturn string time", "*")
    system_header("signal setjmp", "base cli")
    system_header("dirent fcntl poll pthread sched termios unistd", "base serve cli")
    system_header("sys/ioctl sys/mman sys/resource sys/socket sys/stat sys/time", "base serve cli")
    system_header("sys/types sys/wait netinet/in arpa/inet netdb", "base serve cli")
    system_header("linux/futex sys/syscall sys/sysctl sanitizer/asan_interface", "base")
    system_header("immintrin arm_neon wasm_simd128 cpuid sys/auxv", "kernels")
    system_header("pcre2", "text")
    system_header("editline/readline histedit curl/curl", "cli")
    system_header("microhttpd", "serve")
}
function layer(folder, below,   names, n, i) {
    known[folder] = 1
    allowed[folder, folder] = 1
    n = split(below, names, " ")
    for (i = 1; i <= n; i++) allowed[folder, names[i]] = 1
}
function system_header(list, folders,   header, folder, n, m, i, j) {
    n = split(list, header, " ")
    m = split(folders, folder, " ")
    for (i = 1; i <= n; i++)
        for (j = 1; j <= m; j++) allowed_system[header[i] ".h", folder[j]] = 1
}
function wrong(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    failed = 1
}
FNR == 1 {
    file = FILENAME
    sub(/^(src|include)\//, "", file)
    folder = file
    sub(/\/.*/, "", folder)
    if (!(folder in known)) wrong("folder " folder " is not in the table of tools/check_layers.sh")
}
/^[ \t]*#[ \t]*include[ \t]*</ {
    split($0, part, /[<>]/)
    target = part[2]
    if (!((target, "*") in allowed_system) && !((target, folder) in allowed_system))
        wrong("<" target "> may not be included in " folder)
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, part, "\"")
    target = part[2]
    if (target !~ /\//) {
        wrong("\"" target "\" should be written from src/: \"folder/name.h\"")
        next
    }
    below = target
    sub(/\/.*/, "", below)
    if (!((folder, below) in allowed)) wrong(folder " may not include " target)
    from[++n_edges] = file
    to[n_edges] = target
}
# What is left after files without arrows out, or without arrows in, are taken away again and
# again, is a circle.
END {
    for (i = 1; i <= n_edges; i++) alive[i] = 1
    do {
        split("", has_out)
        split("", has_in)
        for (i = 1; i <= n_edges; i++) if (alive[i]) has_out[from[i]] = has_in[to[i]] = 1
        removed = 0
        for (i = 1; i <= n_edges; i++) {
            if (alive[i] && (!(to[i] in has_out) || !(from[i] in has_in))) {
                alive[i] = 0
                removed++
            }
        }
    } while (removed > 0)
    for (i = 1; i <= n_edges; i++) {
        if (alive[i]) {
            printf "circle: %s includes %s\n", from[i], to[i]
            failed = 1
        }
    }
    exit failed
}'
