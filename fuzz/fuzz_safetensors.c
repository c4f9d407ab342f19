// fuzz_safetensors.c - libFuzzer target: any bytes as a safetensors file, opened and read to the
// end.
//
//   clang -std=c17 -fsanitize=fuzzer,address,undefined -Isrc -D_POSIX_C_SOURCE=200809L
//         fuzz/fuzz_safetensors.c src/base/*.c src/quant/dtype.c src/format/*.c   (without
//         *_wasm.c)
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

// The first two bytes stand for the length of the header: mutation alone would seldom keep the
// eight bytes in the file small.
static size_t with_length(const uint8_t *data, size_t n, char *file, size_t room) {
    if (n < 2 || n > room - 6) return 0;
    memset(file, 0, 8);
    memcpy(file, data, 2);
    memcpy(file + 8, data + 2, n - 2);
    return n + 6;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static char block[1 << 16];
    volatile unsigned sum = 0;
    SafetensorsFile file;
    Error err = {0};
    size_t size = with_length(data, n, block, sizeof block);
    // The end of the file is the end of the block, where AddressSanitizer stands guard.
    char *end = block + sizeof block - size;
    memmove(end, block, size);
    if (safetensors_open_bytes(&file, (Str){end, size}, "fuzz", &err)) {
        int64_t bytes = 0;
        for (int64_t i = 0; i < file.tensors.n; i++) {
            const TensorEntry *e = &file.tensors.entry[i];
            require(tensor_file_find(&file.tensors, e->name) == e);
            for (int64_t k = 0; k < e->bytes; k++) sum = sum + ((const uint8_t *)e->data)[k];
            bytes += e->bytes;
        }
        require(bytes == tensor_file_bytes(&file.tensors) && bytes <= (int64_t)size);
        safetensors_close(&file);
    } else {
        require(err.kind != ERROR_NONE && err.text[0]);
    }
    return 0;
}
