// fuzz_stream.c - pieces of any bytes through a stream with stop strings: what is shown is well
// formed at every moment, and is in the end what the whole text would have given.
//
//   number of stops (0-3) | each: length (0-15) and bytes | pieces: length (0-31) and bytes
#include <string.h>

#include "base/utf8.h"
#include "generate/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Str take(Str *rest, unsigned mask) {
    if (rest->n == 0) return STR("");
    size_t n = (unsigned char)rest->data[0] & mask;
    Str taken = str_slice(*rest, 1, 1 + n);
    *rest = str_slice(*rest, 1 + taken.n, rest->n);
    return taken;
}

// Where the text is cut: before the stop that ends first, the longest of these.  Text length: none.
static size_t first_stop(Str text, const Str *stop, int n_stop) {
    for (size_t end = 1; end <= text.n; end++) {
        size_t longest = 0;
        for (int i = 0; i < n_stop; i++)
            if (stop[i].n > longest && str_ends(str_slice(text, 0, end), stop[i]))
                longest = stop[i].n;
        if (longest) return end - longest;
    }
    return text.n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Arena arena;
    Error err = {0};
    Str rest = {(const char *)data, size}, stop[3];
    Stream stream;
    if (size == 0 || (!arena.base && !arena_init(&arena, ARENA_DEFAULT, &err))) return 0;
    ArenaMark mark = arena_mark(&arena);
    int n_stop = data[0] % 4;
    rest = str_slice(rest, 1, rest.n);
    for (int i = 0; i < n_stop; i++) stop[i] = take(&rest, 15);
    if (!stream_init(&stream, stop, n_stop, &err)) return 0; // an empty stop
    char *whole = arena_push(&arena, size), *shown = arena_push(&arena, 4 * size + 16);
    size_t n_whole = 0, n_shown = 0;
    do {
        bool is_last = rest.n == 0;
        StrBuilder out = str_builder(&arena);
        Str piece = take(&rest, 31);
        memcpy(whole + n_whole, piece.data, piece.n);
        n_whole += piece.n;
        stream_add(&stream, piece, &out);
        if (is_last) stream_finish(&stream, &out);
        Str now = str_built(&out);
        require(utf8_valid(now));
        memcpy(shown + n_shown, now.data, now.n);
        n_shown += now.n;
        if (is_last) break;
    } while (true);
    Str text = {whole, n_whole};
    size_t at = first_stop(text, stop, n_stop);
    require(stream.is_stopped == (at < n_whole));
    require(str_equal((Str){shown, n_shown}, utf8_repair(&arena, str_slice(text, 0, at))));
    arena_back(&arena, mark);
    return 0;
}
