// fuzz_tokenizer.c - any tokenizer.json, and if it is one, any text through it and back.
//
//   tokenizer.json | NUL | the text (without a NUL: a fixed one)
#include <string.h>

#include "base/utf8.h"
#include "text/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tokens(const Tokenizer *t, Str text, const Tokens *tokens) {
    int64_t n_ids = tokenizer_size(t);
    for (int64_t i = 0; i < tokens->n; i++) {
        const Token *token = &tokens->token[i];
        require(token->id >= 0 && token->id < n_ids);
        require(token->start <= token->end && (size_t)token->end <= text.n);
    }
}

static void encode(const Tokenizer *t, Arena *arena, Str text, EncodeOptions options) {
    Tokens tokens;
    Error err = {0};
    if (!tokenizer_encode(t, arena, text, options, &tokens, &err)) {
        require(err.kind != ERROR_NONE && err.text[0]);
        return;
    }
    check_tokens(t, text, &tokens);
    int32_t *ids = arena_push(arena, sizeof *ids * (size_t)(tokens.n + 1));
    for (int64_t i = 0; i < tokens.n; i++) ids[i] = tokens.token[i].id;
    for (int with_special = 0; with_special < 2; with_special++)
        tokenizer_decode(t, arena, ids, tokens.n, with_special);
}

// Everything that may be asked of a token.
static void ask_all(const Tokenizer *t) {
    volatile size_t sum = 0;
    for (int32_t id = 0; id < tokenizer_size(t); id++) {
        Str piece = tokenizer_piece(t, id, true);
        for (size_t i = 0; i < piece.n; i++) sum = sum + (unsigned char)piece.data[i];
        sum = sum + (size_t)tokenizer_kind(t, id) + (size_t)tokenizer_ends(t, id);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena;
    Error err = {0};
    const char *bytes = (const char *)data, *end = memchr(bytes, 0, size);
    Str json = {bytes, end ? (size_t)(end - bytes) : size};
    Str text = end ? (Str){end + 1, size - json.n - 1} : STR("the end\n\xC3\xA9 <|im_end|>\xFF");
    if (!arena_init(&arena, ARENA_DEFAULT, &err)) return 0;
    const Tokenizer *t = tokenizer_from_json(&arena, json, STR(""), &err);
    if (t) {
        ask_all(t);
        encode(t, &arena, text, (EncodeOptions){0});
        encode(t, &arena, text, (EncodeOptions){.add_special = true, .parse_special = true});
    } else {
        require(err.kind != ERROR_NONE && err.text[0]);
    }
    arena_drop(&arena);
    return 0;
}
