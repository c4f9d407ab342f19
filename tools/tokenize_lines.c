// tokenize_lines.c - encodes NUL-terminated texts from standard input, one line of ids for each.
//
//   tokenize_lines VOCAB [special] [parse] [spans] [decode] < texts
//
// VOCAB is a tokenizer.json (a tokenizer_config.json beside it is read too) or a dump of a
// vocabulary as tools/check_tokenizers.py writes it.  "special" adds beginning- and end-of-text,
// "parse" lets the text contain control tokens, "spans" prints id:start:end, "decode" prints in hex
// what the ids decode to, "time" prints processor seconds for each text.  check_tokenizers.py runs
// it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "text/tokenizer.h"

static Str read_all(Arena *arena, FILE *file) {
    StrBuilder b = str_builder(arena);
    char block[1 << 16];
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) str_add(&b, (Str){block, n});
    return str_built(&b);
}

static Str read_file(Arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return STR("");
    Str text = read_all(arena, file);
    fclose(file);
    return text;
}

static int32_t take_int(Str *s) {
    int32_t value = 0;
    if (s->n < sizeof value) exit(2);
    memcpy(&value, s->data, sizeof value);
    *s = str_slice(*s, sizeof value, s->n);
    return value;
}

static Str take_str(Str *s) {
    size_t n = (size_t)take_int(s);
    Str text = str_slice(*s, 0, n);
    *s = str_slice(*s, n, s->n);
    return text;
}

// "HVOC", model, pre, 6 special ids, 3 flags, n, n x {text, kind, score bits}, n_merges, merges.
static Tokenizer *load_dump(Arena *arena, Str s, Error *err) {
    Vocab v = {0};
    s = str_slice(s, 4, s.n);
    v.model = take_str(&s);
    v.pre = take_str(&s);
    int32_t *id[] = {&v.bos, &v.eos, &v.eot, &v.eom, &v.unknown, &v.padding};
    for (int i = 0; i < 6; i++) *id[i] = take_int(&s);
    v.add_bos = take_int(&s) != 0;
    v.add_eos = take_int(&s) != 0;
    v.add_space_prefix = take_int(&s) != 0;
    v.n_tokens = take_int(&s);
    Str *token = arena_new(arena, Str, v.n_tokens);
    int32_t *kind = arena_new(arena, int32_t, v.n_tokens);
    float *score = arena_new(arena, float, v.n_tokens);
    for (int64_t i = 0; i < v.n_tokens; i++) {
        token[i] = take_str(&s);
        kind[i] = take_int(&s);
        int32_t bits = take_int(&s);
        memcpy(&score[i], &bits, sizeof bits);
    }
    v.n_merges = take_int(&s);
    Str *merge = arena_new(arena, Str, v.n_merges);
    for (int64_t i = 0; i < v.n_merges; i++) merge[i] = take_str(&s);
    v.token = token;
    v.kind = kind;
    v.score = score;
    v.merge = merge;
    return tokenizer_from_vocab(arena, &v, err);
}

static Tokenizer *load(Arena *arena, const char *path, Error *err) {
    Str file = read_file(arena, path);
    if (str_starts(file, STR("HVOC"))) return load_dump(arena, file, err);
    Str config = STR("");
    const char *slash = strrchr(path, '/');
    if (slash) {
        Str name = str_printf(arena, "%.*s/tokenizer_config.json", (int)(slash - path), path);
        config = read_file(arena, str_c(arena, name));
    }
    return tokenizer_from_json(arena, file, config, err);
}

static bool has(char **words, int n, const char *word) {
    for (int i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0) return true;
    return false;
}

static void print_tokens(const Tokens *tokens, bool with_spans) {
    for (int64_t i = 0; i < tokens->n; i++) {
        const Token *t = &tokens->token[i];
        printf("%s%d", i > 0 ? " " : "", (int)t->id);
        if (with_spans) printf(":%lld:%lld", (long long)t->start, (long long)t->end);
    }
    printf("\n");
}

static void print_decoded(const Tokenizer *t, Arena *arena, const Tokens *tokens) {
    int32_t *ids = arena_new(arena, int32_t, tokens->n);
    for (int64_t i = 0; i < tokens->n; i++) ids[i] = tokens->token[i].id;
    Str text = tokenizer_decode(t, arena, ids, tokens->n, true);
    for (size_t i = 0; i < text.n; i++) printf("%02x", (unsigned)(unsigned char)text.data[i]);
    printf("\n");
}

int main(int argc, char **argv) {
    Error err = {0};
    Arena arena, work;
    if (argc < 2 || !arena_init(&arena, ARENA_DEFAULT, &err) ||
        !arena_init(&work, ARENA_DEFAULT, &err)) {
        fprintf(stderr, "usage: tokenize_lines VOCAB [special] [parse] [spans] [decode] [time]\n");
        return 2;
    }
    double start = clock_thread_cpu_seconds();
    Tokenizer *t = load(&arena, argv[1], &err);
    if (!t) {
        fprintf(stderr, "%s: %s\n", argv[1], err.text);
        return 1;
    }
    if (has(argv, argc, "time")) printf("load %.3f\n", clock_thread_cpu_seconds() - start);
    EncodeOptions options = {has(argv, argc, "special"), has(argv, argc, "parse")};
    bool is_timed = has(argv, argc, "time");
    Str texts = read_all(&arena, stdin);
    for (size_t at = 0, end; at < texts.n; at = end + 1) {
        end = str_find(texts, (Str){"\0", 1}, at);
        if (end == SIZE_MAX) end = texts.n;
        ArenaMark mark = arena_mark(&work);
        Tokens tokens;
        if (is_timed) { // the memory is touched, as in a program that encodes many texts
            (void)!tokenizer_encode(t, &work, str_slice(texts, at, end), options, &tokens, &err);
            arena_back(&work, mark);
        }
        start = clock_thread_cpu_seconds();
        if (!tokenizer_encode(t, &work, str_slice(texts, at, end), options, &tokens, &err)) {
            printf("error: %s\n", err.text);
        } else if (is_timed) {
            printf("%zu bytes, %lld tokens, %.4f s\n", end - at, (long long)tokens.n,
                   clock_thread_cpu_seconds() - start);
        } else if (has(argv, argc, "decode")) {
            print_decoded(t, &work, &tokens);
        } else {
            print_tokens(&tokens, has(argv, argc, "spans"));
        }
        arena_back(&work, mark);
    }
    return 0;
}
