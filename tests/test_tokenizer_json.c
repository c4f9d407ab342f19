// test_tokenizer_json.c - tokenizers made from tokenizer.json files.
//
// fixtures/tokenizer_{bytes,spaces,words}.json and the ids in tokenizer_golden.txt were made by
// tools/golden_tokenizer.py with the Hugging Face library; the small files in the code say what is
// refused and how it is said.
#include <stdlib.h>

#include "base/file.h"
#include "tests/test.h"
#include "text/tokenizer.h"

static Str fixture(Arena *arena, const char *name) {
    Error err = {0};
    Str text = STR("");
    bool done = file_read(arena, test_fixture(name), 1 << 20, &text, &err);
    test_check(done, __FILE__, __LINE__, "%s", err.text);
    return text;
}

static Tokenizer *load(Arena *arena, const char *name, Error *err) {
    Str path = str_printf(arena, "fixtures/tokenizer_%s.json", name);
    return tokenizer_from_json(arena, fixture(arena, str_c(arena, path)), STR(""), err);
}

static Str unhex(Arena *arena, Str hex) {
    char *bytes = arena_push(arena, hex.n / 2 + 1);
    for (size_t i = 0; i + 1 < hex.n; i += 2) {
        char digits[3] = {hex.data[i], hex.data[i + 1], 0};
        bytes[i / 2] = (char)(unsigned char)strtoul(digits, NULL, 16);
    }
    return (Str){bytes, hex.n / 2};
}

static Str next_word(Str *line) {
    size_t end = str_find(*line, STR(" "), 0);
    Str word = str_slice(*line, 0, end);
    *line = end == SIZE_MAX ? STR("") : str_slice(*line, end + 1, line->n);
    return word;
}

static Str ids_text(Arena *arena, const Tokens *tokens) {
    StrBuilder b = str_builder(arena);
    for (int64_t i = 0; i < tokens->n; i++)
        str_add_format(&b, "%s%d", i > 0 ? " " : "", (int)tokens->token[i].id);
    return str_built(&b);
}

// Checks the lines of one tokenizer in the golden file; returns how many there are.
static int check_golden(const Tokenizer *t, Arena *arena, const char *name) {
    Str golden = fixture(arena, "fixtures/tokenizer_golden.txt");
    int n = 0;
    for (size_t at = 0, end; at < golden.n; at = end + 1) {
        end = str_find(golden, STR("\n"), at);
        Str line = str_slice(golden, at, end);
        if (!str_equal(next_word(&line), str_from(name))) continue;
        bool has_special = next_word(&line).data[0] == 's';
        Str hex = next_word(&line);
        Str text = str_equal(hex, STR("-")) ? STR("") : unhex(arena, hex);
        EncodeOptions options = {has_special, has_special};
        Tokens tokens;
        Error err = {0};
        CHECK(tokenizer_encode(t, arena, text, options, &tokens, &err));
        Str got = ids_text(arena, &tokens);
        test_check(str_equal(got, line), __FILE__, __LINE__, "%s \"%.*s\": %.*s, want %.*s", name,
                   STR_ARG(text), STR_ARG(got), STR_ARG(line));
        for (int64_t i = 0; i < tokens.n; i++)
            CHECK(0 <= tokens.token[i].start && tokens.token[i].start <= tokens.token[i].end &&
                  tokens.token[i].end <= (int64_t)text.n);
        n++;
    }
    return n;
}

static void check_fixture(const char *name) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    const Tokenizer *t = load(&arena, name, &err);
    if (!t && err.kind == ERROR_UNSUPPORTED && strstr(err.text, "PCRE2"))
        test_skip("no PCRE2");
    else if (test_check(t != NULL, __FILE__, __LINE__, "%s", err.text))
        CHECK_EQUAL(check_golden(t, &arena, name), 66);
    arena_drop(&arena);
}

TEST(tokenizer_json, bytes_golden) {
    check_fixture("bytes");
}
TEST(tokenizer_json, spaces_golden) {
    check_fixture("spaces");
}
TEST(tokenizer_json, words_golden) {
    check_fixture("words");
}

TEST(tokenizer_json, pieces_golden) {
    check_fixture("pieces");
}
TEST(tokenizer_json, cased_pieces_golden) {
    check_fixture("cased");
}

TEST(tokenizer_json, spans_lead_back_through_normalisation) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    Tokenizer *t = load(&arena, "bytes", &err);
    Tokens tokens;
    // "e" and U+0301 compose; both bytes of the result come from all three.
    if (CHECK(t &&
              tokenizer_encode(t, &arena, STR("xe\xCC\x81y"), (EncodeOptions){0}, &tokens, &err))) {
        CHECK_EQUAL(tokens.token[0].end, 1);
        CHECK_EQUAL(tokens.token[1].start, 1);
        CHECK_EQUAL(tokens.token[tokens.n - 2].end, 4);
        CHECK_EQUAL(tokens.token[tokens.n - 1].start, 4);
        CHECK_EQUAL(tokens.token[tokens.n - 1].end, 5);
    }
    // White space that belongs to an added token is part of its span.
    int32_t eat = t ? tokenizer_find(t, STR("<eat>")) : -1;
    if (CHECK(t &&
              tokenizer_encode(t, &arena, STR("x <eat>  y"), (EncodeOptions){0}, &tokens, &err)) &&
        CHECK(tokens.n == 3)) {
        CHECK_EQUAL(tokens.token[1].id, eat);
        CHECK_EQUAL(tokens.token[1].start, 1);
        CHECK_EQUAL(tokens.token[1].end, 9);
    }
    t = load(&arena, "spaces", &err);
    if (CHECK(t &&
              tokenizer_encode(t, &arena, STR("the end"), (EncodeOptions){0}, &tokens, &err))) {
        CHECK_EQUAL(tokens.token[0].start, 0);
        CHECK_EQUAL(tokens.token[tokens.n - 1].end, 7);
    }
    arena_drop(&arena);
}

TEST(tokenizer_json, decodes) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    static const char *const names[] = {"bytes", "spaces"};
    Str text = STR(" The reader\xC3\xA9 <tool> \xF0\x9F\x98\x80\n 7");
    for (int i = 0; i < 2; i++) {
        Tokenizer *t = load(&arena, names[i], &err);
        Tokens tokens;
        if (!CHECK(t &&
                   tokenizer_encode(t, &arena, text, (EncodeOptions){true, false}, &tokens, &err)))
            continue;
        int32_t *ids = arena_new(&arena, int32_t, tokens.n);
        for (int64_t k = 0; k < tokens.n; k++) ids[k] = tokens.token[k].id;
        CHECK(str_equal(tokenizer_decode(t, &arena, ids, tokens.n, false), text));
        CHECK(!str_equal(tokenizer_decode(t, &arena, ids, tokens.n, true), text));
    }
    arena_drop(&arena);
}

// The decoder's Replace applies to added tokens too.
TEST(tokenizer_json, decodes_added_spaces) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    Tokenizer *t = tokenizer_from_json(
        &arena,
        STR("{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"\xE2\x96\x81\":1},\"merges\":[]},"
            "\"added_tokens\":[{\"id\":2,\"content\":\"\xE2\x96\x81\xE2\x96\x81\"}],"
            "\"normalizer\":{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},"
            "\"content\":\"\xE2\x96\x81\"},"
            "\"decoder\":{\"type\":\"Replace\",\"pattern\":{\"String\":\"\xE2\x96\x81\"},"
            "\"content\":\" \"}}"),
        STR(""), &err);
    Tokens tokens;
    int32_t ids[] = {0, 2, 1};
    // The added token is looked for in normalised text, where two spaces are what it says.
    if (test_check(t != NULL, __FILE__, __LINE__, "%s", err.text)) {
        CHECK(tokenizer_encode(t, &arena, STR("a   "), (EncodeOptions){0}, &tokens, &err));
        CHECK(str_equal(ids_text(&arena, &tokens), STR("0 2 1")));
        CHECK(str_equal(tokenizer_decode(t, &arena, ids, 3, false), STR("a   ")));
    }
    arena_drop(&arena);
}

// What is exported for a GGUF file makes a tokenizer that gives the same ids.
TEST(tokenizer_json, exports_a_vocabulary) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    static const struct {
        const char *name, *model, *pre, *config;
    } cases[] = {{"bytes", "gpt2", "smollm",
                  "{\"bos_token\":\"<|start|>\",\"eos_token\":{\"content\":\"<|end|>\"}}"},
                 {"spaces", "llama", "", "{\"bos_token\":\"<s>\",\"eos_token\":\"</s>\"}"}};
    Str text = STR("The reader reads 42 books; a word  and\n\ta row of letters: e\xCC\x81.");
    for (int i = 0; i < 2; i++) {
        Str path = str_printf(&arena, "fixtures/tokenizer_%s.json", cases[i].name);
        Str file = fixture(&arena, str_c(&arena, path));
        Tokenizer *t = tokenizer_from_json(&arena, file, str_from(cases[i].config), &err);
        if (!test_check(t != NULL, __FILE__, __LINE__, "%s", err.text)) continue;
        const Vocab *v = tokenizer_vocab(t);
        CHECK(str_equal(v->model, str_from(cases[i].model)));
        CHECK(str_equal(v->pre, str_from(cases[i].pre)));
        CHECK_EQUAL(v->bos, i == 0 ? 0 : 1);
        CHECK_EQUAL(v->eos, i == 0 ? 1 : 2);
        CHECK(v->add_bos && v->add_eos == (i == 0) && v->add_space_prefix == (i == 1));
        Tokenizer *again = tokenizer_from_vocab(&arena, v, &err);
        Tokens a, b;
        if (!test_check(again != NULL, __FILE__, __LINE__, "%s", err.text)) continue;
        EncodeOptions all = {true, true};
        CHECK(tokenizer_encode(t, &arena, text, all, &a, &err));
        CHECK(tokenizer_encode(again, &arena, text, all, &b, &err));
        CHECK(str_equal(ids_text(&arena, &a), ids_text(&arena, &b)));
        CHECK(tokenizer_ends(t, v->eos) && !tokenizer_ends(t, v->bos));
    }
    arena_drop(&arena);
}

TEST(tokenizer_json, refuses_by_name) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
#define MODEL "\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2},\"merges\":"
    static const struct {
        const char *file;
        ErrorKind kind;
        const char *words;
    } cases[] = {
        {"", ERROR_FORMAT, "tokenizer.json"},
        {"[]", ERROR_FORMAT, "missing: \"model\""},
        {"{}", ERROR_FORMAT, "missing: \"model\""},
        {"{\"model\":{\"type\":\"WordLevel\"}}", ERROR_UNSUPPORTED, "\"WordLevel\""},
        {"{\"model\":{\"type\":\"WordPiece\"}}", ERROR_FORMAT, "\"unk_token\""},
        {"{\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"?\",\"vocab\":{\"a\":0}}}",
         ERROR_FORMAT, "model.unk_token is not in the vocabulary"},
        {"{\"model\":{\"max_input_chars_per_word\":0,\"unk_token\":\"?\"}}", ERROR_UNSUPPORTED,
         "max_input_chars_per_word"},
        {"{\"model\":{\"type\":\"Unigram\"}}", ERROR_UNSUPPORTED, "\"Unigram\""},
        {"{\"model\":{\"type\":\"BPE\",\"end_of_word_suffix\":\"</w>\"}}", ERROR_UNSUPPORTED,
         "end_of_word_suffix"},
        {"{\"model\":{\"type\":\"BPE\",\"dropout\":0.1}}", ERROR_UNSUPPORTED, "dropout"},
        {"{\"model\":{\"type\":\"BPE\",\"vocab\":{}}}", ERROR_FORMAT, "0 tokens"},
        {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":-1}}}", ERROR_FORMAT, "\"a\""},
        {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":9000000}}}", ERROR_FORMAT, "up to 9000000"},
        {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":0}}}", ERROR_FORMAT, "same id"},
        {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"unk_token\":\"u\"}}", ERROR_FORMAT,
         "unk_token"},
        {"{" MODEL "[\"a c\"]}}", ERROR_FORMAT, "merge 0 \"a c\""},
        {"{" MODEL "[[\"a\"]]}}", ERROR_FORMAT, "merge 0"},
        {"{" MODEL "[7]}}", ERROR_FORMAT, "merge 0"},
        {"{" MODEL "[]},\"normalizer\":{\"type\":\"Nmt\"}}", ERROR_UNSUPPORTED,
         "normalizer \"Nmt\""},
        {"{" MODEL "[]},\"pre_tokenizer\":{\"type\":\"UnicodeScripts\"}}", ERROR_UNSUPPORTED,
         "pre_tokenizer \"UnicodeScripts\""},
        {"{" MODEL "[]},\"decoder\":{\"type\":\"CTC\"}}", ERROR_UNSUPPORTED, "decoder \"CTC\""},
        {"{" MODEL "[]},\"post_processor\":{\"type\":\"X\"}}", ERROR_UNSUPPORTED,
         "post_processor \"X\""},
        {"{" MODEL "[]},\"post_processor\":{\"type\":\"RobertaProcessing\",\"cls\":[\"a\",0],"
         "\"sep\":[\"b\",9]}}",
         ERROR_UNSUPPORTED, "not in the vocabulary"},
        {"{" MODEL "[]},\"added_tokens\":[{\"id\":1,\"content\":\"c\"}]}", ERROR_FORMAT, "\"c\""},
        {"{" MODEL "[]},\"added_tokens\":[{\"content\":\"c\"}]}", ERROR_FORMAT, "out of range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Str file = str_from(cases[i].file);
        CHECK_FAILS(tokenizer_from_json(&arena, file, STR(""), &err), err, cases[i].kind,
                    cases[i].words);
    }
    Str good = STR("{" MODEL "[\"a b\"]}}");
    CHECK_FAILS(tokenizer_from_json(&arena, good, STR("{"), &err), err, ERROR_FORMAT,
                "tokenizer_config.json");
    Tokenizer *t = tokenizer_from_json(&arena, good, STR(""), &err);
    Tokens tokens;
    CHECK(t && tokenizer_encode(t, &arena, STR("aab"), (EncodeOptions){0}, &tokens, &err));
    CHECK(tokens.n == 2 && tokens.token[1].id == 2 && tokens.token[1].start == 1);
    arena_drop(&arena);
}

// Steps of the pipeline by hand, on a vocabulary of a few letters.
TEST(tokenizer_json, small_pipelines) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
#define LETTERS                                                                                    \
    "{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"\xC4\xA0\":2,\"[\":3},\"merges\":[" \
    "]},"
    static const struct {
        const char *file, *text, *ids;
        bool has_special;
    } cases[] = {
        // A prefix space, but not before a space.
        {LETTERS "\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true}}", "a",
         "2 0", false},
        {LETTERS "\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true}}", " a",
         "2 0", false},
        // Two added tokens that are one after normalisation: the first wins.
        {LETTERS "\"normalizer\":{\"type\":\"Lowercase\"},\"added_tokens\":["
                 "{\"id\":4,\"content\":\"AB\"},{\"id\":5,\"content\":\"ab\"}]}",
         "bAb", "1 4", false},
        // A control token of one character is no symbol of text.
        {LETTERS "\"added_tokens\":[{\"id\":3,\"content\":\"[\",\"special\":true}]}", "a[b", "0 1",
         false},
        {LETTERS "\"added_tokens\":[{\"id\":3,\"content\":\"[\",\"special\":true}]}", "a[b",
         "0 3 1", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Tokenizer *t = tokenizer_from_json(&arena, str_from(cases[i].file), STR(""), &err);
        Tokens tokens;
        EncodeOptions options = {.parse_special = cases[i].has_special};
        if (!test_check(t != NULL, __FILE__, __LINE__, "case %d: %s", (int)i, err.text)) continue;
        CHECK(tokenizer_encode(t, &arena, str_from(cases[i].text), options, &tokens, &err));
        Str got = ids_text(&arena, &tokens);
        test_check(str_equal(got, str_from(cases[i].ids)), __FILE__, __LINE__, "case %d: %.*s",
                   (int)i, STR_ARG(got));
    }
    StrBuilder b = str_builder(&arena);
    str_add_c(&b, LETTERS "\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[");
    for (int i = 0; i < 9; i++) str_add_c(&b, "{\"SpecialToken\":{\"id\":\"x\"}},");
    str_add_c(&b, "{\"Sequence\":{\"id\":\"A\"}}],\"special_tokens\":{\"x\":{\"ids\":[0]}}}}");
    CHECK_FAILS(tokenizer_from_json(&arena, str_built(&b), STR(""), &err), err, ERROR_UNSUPPORTED,
                "more than 8");
    arena_drop(&arena);
}

// A file cut anywhere is refused, and never crashes.
TEST(tokenizer_json, refuses_every_cut) {
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    Str file = str_trim(fixture(&arena, "fixtures/tokenizer_words.json"));
    int n_taken = 0;
    for (size_t n = 0; n < file.n; n++) {
        ArenaMark mark = arena_mark(&arena);
        n_taken += tokenizer_from_json(&arena, str_slice(file, 0, n), STR(""), &err) != NULL;
        arena_back(&arena, mark);
    }
    CHECK_EQUAL(n_taken, 0);
    arena_drop(&arena);
}
