// tokenize.c - heed tokenize: the pieces of a text, their ids, and where they stand in it.
#include <unistd.h>

#include "base/file.h"
#include "base/term.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/screen.h"

enum { TEXT_BYTES_MAX = 256 << 20 };

// Text of a piece for a program: valid UTF-8, with the bytes beside it where it is not.
void cli_json_piece(JsonWriter *w, Str piece) {
    json_key(w, "text");
    json_put_string(w, piece);
    if (utf8_valid(piece)) return;
    json_key(w, "bytes");
    json_begin_array(w);
    for (size_t i = 0; i < piece.n; i++) json_put_integer(w, (unsigned char)piece.data[i]);
    json_end_array(w);
}

typedef struct Tokenizing {
    Arena arena;
    GgufFile file;
    Tokenizer *tokenizer;
} Tokenizing;

static void print_json(Tokenizing *z, const Tokens *tokens) {
    StrBuilder out = str_builder(&z->arena);
    JsonWriter w = json_writer(&out, 0);
    json_begin_object(&w);
    json_key(&w, "tokens");
    json_begin_array(&w);
    for (int64_t i = 0; i < tokens->n; i++) {
        const Token *t = &tokens->token[i];
        json_begin_object(&w);
        json_key(&w, "id");
        json_put_integer(&w, t->id);
        cli_json_piece(&w, tokenizer_piece(z->tokenizer, t->id, true));
        json_key(&w, "start");
        json_put_integer(&w, t->start);
        json_key(&w, "end");
        json_put_integer(&w, t->end);
        json_end_object(&w);
    }
    json_end_array(&w);
    json_end_object(&w);
    fwrite(out.data, 1, out.n, stdout);
    printf("\n");
}

static void print_person(Tokenizing *z, const Tokens *tokens) {
    printf("%8s  %-13s piece\n", "id", "bytes");
    for (int64_t i = 0; i < tokens->n; i++) {
        const Token *t = &tokens->token[i];
        ArenaMark mark = arena_mark(&z->arena);
        char span[48];
        snprintf(span, sizeof span, "%lld-%lld", (long long)t->start, (long long)t->end);
        Str piece = screen_visible(&z->arena, tokenizer_piece(z->tokenizer, t->id, true));
        printf("%8d  %-13s |%.*s|\n", t->id, span, STR_ARG(piece));
        arena_back(&z->arena, mark);
    }
    printf("%lld token%s\n", (long long)tokens->n, tokens->n == 1 ? "" : "s");
}

// Opens the tokenizer, and takes the text as it is: its bytes are what the spans count.
static bool read_text(Tokenizing *z, const Positionals *rest, const char *file, Str *text,
                      Error *err) {
    if (rest->n < 1 || rest->n > 2) return error_set(err, ERROR_USAGE, "give MODEL and TEXT");
    if (rest->n == 2 && file) return error_set(err, ERROR_USAGE, "give TEXT or --file, not both");
    if (rest->n == 1 && !file && term_is_terminal(STDIN_FILENO))
        return error_set(err, ERROR_USAGE, "give TEXT, --file FILE, or standard input");
    *text = str_from(rest->n == 2 ? rest->text[1] : "");
    if (!arena_init(&z->arena, ARENA_DEFAULT, err)) return false;
    z->tokenizer = tokenizer_open(&z->arena, &z->file, rest->text[0], err);
    return z->tokenizer &&
           (rest->n == 2 || file_read(&z->arena, file ? file : "-", TEXT_BYTES_MAX, text, err));
}

static int run(int argc, char **argv) {
    Tokenizing z = {0};
    Positionals rest;
    Error err = {0};
    int code;
    bool as_json = false, special = false;
    const char *file = NULL;
    const Option own[] = {
        {"--file", 'f', OPTION_TEXT, &file, "FILE",
         "the text from a file; - is standard input (default without TEXT)"},
        {"--special", 0, OPTION_FLAG, &special, NULL,
         "add beginning- and end-of-text, and read control tokens in the text as such"},
        {"--json", 0, OPTION_FLAG, &as_json, NULL, "print JSON (docs/json.md)"},
        {0}};
    if (!cli_parse(&command_tokenize, (const Option *const[]){own, NULL}, argc, argv, &rest, &code))
        return code;
    Tokens tokens;
    Str text;
    bool ok = read_text(&z, &rest, file, &text, &err) &&
              tokenizer_encode(z.tokenizer, &z.arena, text, (EncodeOptions){special, special},
                               &tokens, &err);
    if (ok && as_json)
        print_json(&z, &tokens);
    else if (ok)
        print_person(&z, &tokens);
    gguf_close(&z.file);
    arena_drop(&z.arena);
    return ok ? 0 : cli_fail(&command_tokenize, &err);
}

const Command command_tokenize = {"tokenize", "MODEL TEXT",
                                  "show the tokens of a text: pieces, ids, byte spans", run};
