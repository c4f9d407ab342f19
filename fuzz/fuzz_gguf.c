// fuzz_gguf.c - libFuzzer target: any bytes as a GGUF file, opened and read to the last value.
//
//   clang -std=c17 -fsanitize=fuzzer,address,undefined -Isrc -D_POSIX_C_SOURCE=200809L
//         fuzz/fuzz_gguf.c src/base/*.c src/quant/dtype.c src/format/*.c   (without *_wasm.c)
#include <stddef.h>
#include <stdint.h>

#include "format/gguf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

// Takes every list by each getter; what they refuse is as good as what they give.
static void read_lists(const GgufFile *file, Arena *arena, const char *key) {
    const Str *strings;
    const float *floats;
    const int32_t *integers;
    int64_t count, layers[4];
    Str bytes;
    Error err = {0};
    bool taken = gguf_get_strings(file, arena, key, &strings, &count, &err);
    taken |= gguf_get_floats(file, arena, key, &floats, &count, &err);
    taken |= gguf_get_int32s(file, arena, key, &integers, &count, &err);
    taken |= gguf_get_bytes(file, key, &bytes, &err);
    taken |= gguf_get_per_layer(file, key, (GgufRange){0, 100}, 4, layers, &err);
    (void)taken;
}

static void read_file(const GgufFile *file, Arena *arena) {
    volatile unsigned sum = 0;
    ArenaMark mark = arena_mark(arena);
    for (int64_t i = 0; i < file->n_entries; i++) {
        gguf_value_text(arena, &file->entry[i].value, 1000);
        read_lists(file, arena, str_c(arena, file->entry[i].key));
        arena_back(arena, mark);
    }
    for (int64_t i = 0; i < file->tensors.n; i++) {
        const TensorEntry *e = &file->tensors.entry[i];
        require(tensor_file_find(&file->tensors, e->name) == e);
        for (int64_t k = 0; k < e->bytes; k++) sum = sum + ((const uint8_t *)e->data)[k];
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static Arena arena;
    GgufFile file;
    Error err = {0};
    if (!arena.base && !arena_init(&arena, (size_t)1 << 30, &err)) return 0;
    if (gguf_open_bytes(&file, (Str){(const char *)data, n}, "fuzz", &err)) {
        read_file(&file, &arena);
        gguf_close(&file);
    } else {
        require(err.kind != ERROR_NONE && err.text[0]);
    }
    return 0;
}
