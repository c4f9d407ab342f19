#!/bin/sh
# library.sh - the library as a stranger uses it: installed somewhere, found with pkg-config, from C
# and from C++, linked shared and static.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root/tests/fixtures/models/llama/model.gguf.bin" "$work/tiny.gguf"

make -s -C "$root" install PREFIX="$work/usr" >/dev/null
export PKG_CONFIG_PATH="$work/usr/lib/pkgconfig"

cat >"$work/use.c" <<'END'
#include <heed/heed.h>
#include <stdio.h>

static bool count(void *user, const char *text, size_t bytes) {
    (void)text;
    *(size_t *)user += bytes;
    return true;
}

int main(int argc, char **argv) {
    HeedError error;
    int32_t ids[64];
    if (argc < 2) return 2;
    HeedEngine *engine = heed_engine_open(argv[1], NULL, &error);
    if (!engine) {
        printf("%d %s\n", (int)error.kind, error.text);
        return 1;
    }
    int64_t n = heed_tokenize(engine, "abc", 3, true, false, ids, 64, &error);
    HeedSession *session = heed_session_open(engine, NULL, &error);
    if (n < 1 || !session || !heed_session_sync(session, ids, n, &error)) return 3;
    static HeedGenerate request; /* zeroed */
    size_t streamed = 0, bytes = 0;
    const char *text = NULL;
    HeedFinish finish;
    request.prompt = ids;
    request.n_prompt = n;
    request.tokens_max = 8;
    request.sampling = heed_sampling_defaults(engine);
    request.sampling.seed = 1;
    request.on_text = count;
    request.user = &streamed;
    if (!heed_generate(session, &request, &finish, &text, &bytes, &error)) return 4;
    HeedInfo info = heed_engine_info(engine);
    printf("%s %d layers, %s, %d\n", info.architecture, info.layers, heed_version(), streamed == bytes);
    heed_session_close(session);
    heed_engine_close(engine);
    return 0;
}
END
cp "$work/use.c" "$work/use.cc"

want='llama 2 layers, 0.1.0, 1'
check() { # WHAT COMPILER SOURCE FLAGS...
    what=$1 compiler=$2 source=$3
    shift 3
    # shellcheck disable=SC2046  # pkg-config gives words
    "$compiler" -Wall -Wextra -Werror $(pkg-config --cflags heed) "$work/$source" "$@" -o "$work/use"
    have=$(LD_LIBRARY_PATH="$work/usr/lib" "$work/use" "$work/tiny.gguf")
    if [ "$have" != "$want" ]; then
        echo "library.sh: $what: got '$have', want '$want'"
        exit 1
    fi
}
# shellcheck disable=SC2046
check "shared, C" cc use.c $(pkg-config --libs heed)
# shellcheck disable=SC2046
check "static, C" cc use.c "$work/usr/lib/libheed.a" $(pkg-config --static --libs-only-l heed | sed 's/-lheed//')
if command -v c++ >/dev/null; then
    # shellcheck disable=SC2046
    check "shared, C++" c++ use.cc $(pkg-config --libs heed)
fi
status=0
error=$(LD_LIBRARY_PATH="$work/usr/lib" "$work/use" "$work/none.gguf") || status=$?
if [ $status -ne 1 ]; then echo "library.sh: a missing file gives status $status"; exit 1; fi
case $error in *none.gguf*) ;; *) echo "library.sh: the error does not name the file: $error"; exit 1 ;; esac
