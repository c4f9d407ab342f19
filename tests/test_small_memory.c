// test_small_memory.c - what reads files, texts and templates, with little memory.
//
// Where the address space is small (WebAssembly), an arena is too.  Each reader runs with arenas
// from a few pages to more than it needs, each a little larger than the one before: it works, or
// says in one line that it needs more.  A push past the end would end the process.
#include <string.h>

#include "base/file.h"
#include "chat/chat.h"
#include "model/model.h"
#include "tests/test.h"
#include "text/tokenizer.h"

enum { SMALLEST = 4200, LARGEST = 96 << 20 };

// True if it has worked.  `input` is what the reader reads.
typedef bool Reader(Arena *arena, const void *input, Error *err);

// Grows the arena until the reader works; it has to in the end, if `works`.
static void check_reader(const char *name, Reader *reader, const void *input, bool works) {
    int n_refused = 0;
    bool ok = false;
    for (size_t bytes = SMALLEST; bytes < LARGEST && !ok; bytes += bytes / 9) {
        Arena arena;
        Error err = {0};
        if (!CHECK(arena_init(&arena, bytes, &err))) return;
        ok = reader(&arena, input, &err);
        n_refused += !ok;
        test_check(ok || (err.kind == ERROR_LIMIT && err.text[0]), __FILE__, __LINE__,
                   "%s with %zu bytes: %s", name, bytes, err.text);
        arena_drop(&arena);
    }
    test_check(ok == works && n_refused > 0, __FILE__, __LINE__, "%s: %s after %d refusals", name,
               ok ? "works" : "never works", n_refused);
}

// The text of a fixture, in an arena that holds it for the rest of the test.
static Str text_of(Arena *arena, const char *path) {
    Str text = STR("");
    Error err = {0};
    CHECK(file_read(arena, test_fixture(path), 1 << 24, &text, &err));
    return text;
}

// `text` n times, between `before` and `behind`.
static Str repeated(Arena *arena, const char *before, const char *text, int n, const char *behind) {
    StrBuilder b = str_builder(arena);
    str_add_c(&b, before);
    for (int i = 0; i < n; i++) str_add_c(&b, text);
    str_add_c(&b, behind);
    return str_built(&b);
}

// ---------------------------------------------------------------- readers
static bool read_json(Arena *arena, const void *input, Error *err) {
    const Str *text = input;
    return json_parse(arena, *text, 1 << 24, err) != NULL;
}

static bool read_file(Arena *arena, const void *input, Error *err) {
    Str text;
    return file_read(arena, input, 1 << 24, &text, err);
}

static bool read_tokenizer(Arena *arena, const void *input, Error *err) {
    const Str *text = input;
    Tokens tokens;
    Tokenizer *t = tokenizer_from_json(arena, *text, STR(""), err);
    EncodeOptions options = {true, true};
    return t && tokenizer_encode(t, arena, STR("a word, \xC3\xA9"), options, &tokens, err);
}

static bool read_vocabulary(Arena *arena, const void *input, Error *err) {
    Vocab vocab;
    return vocab_read(arena, input, &vocab, err) && tokenizer_from_vocab(arena, &vocab, err);
}

static bool read_template(Arena *arena, const void *input, Error *err) {
    const Str *source = input;
    Json variables = {.kind = JSON_OBJECT};
    Str text;
    ChatTemplate *t = chat_template(arena, *source, err);
    return t && chat_render(t, arena, &variables, &text, err);
}

// ---------------------------------------------------------------- tests
TEST(small_memory, json_and_files) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    Str texts[] = {text_of(&arena, "fixtures/chat.json"), repeated(&arena, "[0", ",0", 20000, "]"),
                   repeated(&arena, "[\"", "\\u00e9", 20000, "\"]")};
    for (int i = 0; i < 3; i++) check_reader("JSON", read_json, &texts[i], true);
    check_reader("a file", read_file, test_fixture("fixtures/chat.json"), true);
    arena_drop(&arena);
}

TEST(small_memory, tokenizers) {
    static const char *const names[] = {"bytes", "spaces", "words"};
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    for (int i = 0; i < 3; i++) {
        Str path = str_printf(&arena, "fixtures/tokenizer_%s.json", names[i]);
        Str text = text_of(&arena, path.data);
        Error refusal = {0}; // a build without PCRE2 refuses the pattern of one
        bool needs_pcre2 =
            !read_tokenizer(&arena, &text, &refusal) && strstr(refusal.text, "PCRE2");
        if (!needs_pcre2) check_reader(names[i], read_tokenizer, &text, true);
    }
    // Ids that no token has, and added tokens that normal forms make longer (U+FDFA becomes 18).
    Str gaps = STR("{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"\xC3\x83\":100000},"
                   "\"merges\":[]}}");
    check_reader("gaps", read_tokenizer, &gaps, true);
    Str added = repeated(&arena,
                         "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[]},"
                         "\"normalizer\":{\"type\":\"NFKD\"},\"added_tokens\":[{\"id\":1,"
                         "\"normalized\":true,\"content\":\"",
                         "\xEF\xB7\xBA", 3000, "\"}]}");
    check_reader("long added tokens", read_tokenizer, &added, true);
    arena_drop(&arena);
}

TEST(small_memory, vocabularies_of_gguf_files) {
    static const char *const names[] = {"llama", "gpt2", "qwen2", "gemma3"};
    for (int i = 0; i < 4; i++) {
        Error err = {0};
        char path[64];
        snprintf(path, sizeof path, "fixtures/models/%s/model.gguf.bin", names[i]);
        Model *model = model_open(test_fixture(path), (ModelOptions){0}, &err);
        if (!CHECK(model)) continue;
        check_reader(names[i], read_vocabulary, &model->gguf, true);
        model_close(model);
    }
}

TEST(small_memory, templates) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    // A token and a node a byte; many variables; lists, strings and output that grow.
    const struct {
        const char *name;
        Str source;
        bool works;
    } cases[] = {
        {"numbers", repeated(&arena, "{{[", "1,", 20000, "]}}"), true},
        {"tags", repeated(&arena, "", "{%set a=1%}", 5000, ""), true},
        {"brackets", repeated(&arena, "{{[", "[],", 20000, "]}}"), true},
        {"strings", repeated(&arena, "{{'", "\\n", 20000, "'}}"), true},
        {"output", STR("{% for i in range(3000) %}0123456789{% endfor %}"), true},
        {"a list",
         STR("{% set n = namespace(l=[]) %}{% for i in range(300) %}"
             "{% set n.l = n.l + [[i]] %}{% endfor %}{{ n.l }}"),
         true},
        {"joined", STR("{{ range(20000) | join(', ') | upper | replace('1', '12345') }}"), true},
        {"doubled",
         STR("{% set n = namespace(s='0123456789') %}{% for i in range(14) %}"
             "{% set n.s = n.s ~ n.s %}{% endfor %}"),
         true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_reader(cases[i].name, read_template, &cases[i].source, cases[i].works);
    arena_drop(&arena);
}
