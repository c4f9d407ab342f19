// fuzz_utf8.c - any bytes through everything that reads text by characters: decoding, the normal
// forms, and every hand-made splitter.
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/pretokenize.h"
#include "unicode/normalize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_repair(Arena *arena, Str text) {
    Str repaired = utf8_repair(arena, text);
    require(utf8_valid(repaired));
    require(!utf8_valid(text) || str_equal(text, repaired));
    require(utf8_complete_prefix(text) <= text.n);
}

static void check_normal_forms(Arena *arena, Str text) {
    for (int form = NORMAL_NFC; form <= NORMAL_NFKD; form++) {
        Normalized once = normalize(arena, text, (NormalForm)form);
        Normalized twice = normalize(arena, once.text, (NormalForm)form);
        require(once.text.n <= text.n * NORMALIZE_GROWTH_MAX);
        // Ill-formed bytes may come to stand beside each other and form a character.
        require(!utf8_valid(text) || str_equal(once.text, twice.text));
    }
}

static void check_splitters(Arena *arena, Str text) {
    static const char *const names[] = {"gpt-2",  "smollm",         "llama-bpe",   "qwen2",
                                        "qwen35", "gpt-4o",         "tekken",      "deepseek-llm",
                                        "falcon", "deepseek-coder", "deepseek-v3", "default"};
    int64_t *ends = arena_push(arena, (text.n + 1) * sizeof *ends);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        Error err = {0};
        Splitter *s = splitter_named(arena, str_from(names[i]), &err);
        require(s != NULL);
        int64_t n = splitter_cut(s, text, ends, NULL), last = 0;
        for (int64_t j = 0; j < n; last = ends[j++]) require(ends[j] > last);
        require(last == (int64_t)text.n);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena;
    Error err = {0};
    Str text = {(const char *)data, size};
    if (!arena_init(&arena, ARENA_DEFAULT, &err)) return 0;
    check_repair(&arena, text);
    check_normal_forms(&arena, text);
    check_splitters(&arena, text);
    arena_drop(&arena);
    return 0;
}
