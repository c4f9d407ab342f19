// test_tokenizer.c - tokenizers made from vocabularies: ids worked out by hand, spans, damage,
// limits.
//
// Two small vocabularies are made in code.  The byte-level one holds the 256 bytes at ids 0..255
// and a few merges behind them; the SentencePiece one holds byte tokens and scored pieces.
#include <stdlib.h>

#include "base/rng.h"
#include "base/utf8.h"
#include "tests/test.h"
#include "text/bpe.h"
#include "text/matcher.h"
#include "text/tokenizer.h"

static Arena arena_for_test(void) {
    Arena arena;
    Error err = {0};
    if (!arena_init(&arena, ARENA_DEFAULT, &err)) abort();
    return arena;
}

enum { HE = 256, LL, HELL, HELLO, SPACE_W, OR, END, TOOL, AA, BC, AB, NEWLINES, N_BYTE_VOCAB };

// The vocabulary in `arena`, to be changed by a test before a tokenizer is made of it.
typedef struct Draft {
    Vocab vocab;
    Str *token;
    int32_t *kind;
    float *score;
    Str *merge;
} Draft;

static Draft byte_draft(Arena *arena) {
    static const char *const behind[] = {"he",      "ll",     "hell", "hello", "\xC4\xA0w", "or",
                                         "<|end|>", "<tool>", "aa",   "bc",    "ab",        "\n\n"};
    static const char *const merges[] = {"h e", "l l", "he ll", "hell o", "\xC4\xA0 w",
                                         "o r", "a a", "b c",   "a b"};
    enum { N_MERGES = sizeof merges / sizeof *merges };
    Draft d = {.token = arena_new(arena, Str, N_BYTE_VOCAB),
               .kind = arena_new(arena, int32_t, N_BYTE_VOCAB),
               .merge = arena_new(arena, Str, N_MERGES)};
    for (int b = 0; b < 256; b++) {
        char *text = arena_push(arena, 4);
        d.token[b] = (Str){text, (size_t)utf8_encode(bpe_byte_character((unsigned char)b), text)};
    }
    for (int i = 256; i < N_BYTE_VOCAB; i++) d.token[i] = str_from(behind[i - 256]);
    for (int i = 0; i < N_BYTE_VOCAB; i++) d.kind[i] = TOKEN_NORMAL;
    d.kind[END] = TOKEN_CONTROL;
    d.kind[TOOL] = d.kind[NEWLINES] = TOKEN_USER_DEFINED;
    for (int i = 0; i < N_MERGES; i++) d.merge[i] = str_from(merges[i]);
    Error err = {0};
    CHECK(vocab_defaults(&d.vocab, STR("gpt2"), STR("gpt-2"), &err));
    d.vocab.bos = d.vocab.eos = END;
    d.vocab.n_tokens = N_BYTE_VOCAB;
    d.vocab.token = d.token;
    d.vocab.kind = d.kind;
    d.vocab.n_merges = N_MERGES;
    d.vocab.merge = d.merge;
    return d;
}

enum {
    BYTES = 3,
    MARK = BYTES + 256,
    A,
    B,
    C,
    MARK_A,
    AB_PIECE,
    MARK_AB,
    BC_PIECE,
    XY,
    TWO_SPACES,
    N_SPACE_VOCAB
};

static Draft space_draft(Arena *arena) {
    static const char *const behind[] = {"\xE2\x96\x81",
                                         "a",
                                         "b",
                                         "c",
                                         "\xE2\x96\x81"
                                         "a",
                                         "ab",
                                         "\xE2\x96\x81"
                                         "ab",
                                         "bc",
                                         "xy",
                                         "  "};
    static const float scores[] = {-9, -9, -9, -9, -1, -2, -3, -1.5f, -4, -1000};
    Draft d = {.token = arena_new(arena, Str, N_SPACE_VOCAB),
               .kind = arena_new(arena, int32_t, N_SPACE_VOCAB),
               .score = arena_new(arena, float, N_SPACE_VOCAB)};
    d.token[0] = STR("<unk>");
    d.token[1] = STR("<s>");
    d.token[2] = STR("</s>");
    d.kind[0] = TOKEN_UNKNOWN;
    d.kind[1] = d.kind[2] = TOKEN_CONTROL;
    for (int b = 0; b < 256; b++) {
        d.token[BYTES + b] = str_printf(arena, "<0x%02X>", (unsigned)b);
        d.kind[BYTES + b] = TOKEN_BYTE;
    }
    for (int i = MARK; i < N_SPACE_VOCAB; i++) {
        d.token[i] = str_from(behind[i - MARK]);
        d.score[i] = scores[i - MARK];
        d.kind[i] = TOKEN_NORMAL;
    }
    d.kind[TWO_SPACES] = TOKEN_USER_DEFINED;
    Error err = {0};
    CHECK(vocab_defaults(&d.vocab, STR("llama"), STR("default"), &err));
    d.vocab.n_tokens = N_SPACE_VOCAB;
    d.vocab.token = d.token;
    d.vocab.kind = d.kind;
    d.vocab.score = d.score;
    return d;
}

static Tokenizer *made(Arena *arena, const Draft *d) {
    Error err = {0};
    Tokenizer *t = tokenizer_from_vocab(arena, &d->vocab, &err);
    if (!test_check(t != NULL, __FILE__, __LINE__, "%s", err.text)) abort();
    return t;
}

// The tokens as "id@start-end ...".
static const char *encoded(const Tokenizer *t, Arena *arena, Str text, EncodeOptions options) {
    Error err = {0};
    Tokens tokens;
    if (!tokenizer_encode(t, arena, text, options, &tokens, &err))
        return str_c(arena, str_from(err.text));
    StrBuilder b = str_builder(arena);
    for (int64_t i = 0; i < tokens.n; i++)
        str_add_format(&b, "%s%d@%d-%d", i > 0 ? " " : "", (int)tokens.token[i].id,
                       (int)tokens.token[i].start, (int)tokens.token[i].end);
    return str_c(arena, str_built(&b));
}

static void check_ids(const Tokenizer *t, Str text, EncodeOptions options, const char *want,
                      int line) {
    Arena arena = arena_for_test();
    const char *got = encoded(t, &arena, text, options);
    test_check(strcmp(got, want) == 0, __FILE__, line, "%.*s: %s, want %s", STR_ARG(text), got,
               want);
    arena_drop(&arena);
}
#define PLAIN                             ((EncodeOptions){0})
#define CHECK_IDS(t, text, options, want) check_ids((t), STR(text), (options), (want), __LINE__)

TEST(tokenizer, merges_bytes_by_rank) {
    Arena arena = arena_for_test();
    Draft d = byte_draft(&arena);
    Tokenizer *t = made(&arena, &d);
    CHECK_IDS(t, "", PLAIN, "");
    CHECK_IDS(t, "hello", PLAIN, "259@0-5");
    CHECK_IDS(t, "hello world", PLAIN, "259@0-5 260@5-7 261@7-9 108@9-10 100@10-11");
    CHECK_IDS(t, "aaaaa", PLAIN, "264@0-2 264@2-4 97@4-5"); // leftmost first
    CHECK_IDS(t, "abc", PLAIN, "97@0-1 265@1-3");           // "b c" comes before "a b"
    CHECK_IDS(t, "\xFF\xC3", PLAIN, "255@0-1 195@1-2");
    CHECK_IDS(t, "\xC3\xA9", PLAIN, "195@0-1 169@1-2");
    arena_drop(&arena);
}

TEST(tokenizer, finds_special_tokens_only_where_allowed) {
    Arena arena = arena_for_test();
    Draft d = byte_draft(&arena);
    Tokenizer *t = made(&arena, &d);
    EncodeOptions parse = {.parse_special = true};
    CHECK_IDS(t, "or<|end|>or", parse, "261@0-2 262@2-9 261@9-11");
    CHECK_IDS(t, "a<tool>a", PLAIN, "97@0-1 263@1-7 97@7-8");
    CHECK_IDS(t, "<tool<tool>", PLAIN, "60@0-1 116@1-2 111@2-3 111@3-4 108@4-5 263@5-11");
    // As text, "<|end|>" is seven bytes, and none of its tokens is the control token.
    CHECK_IDS(t, "<|end|>", PLAIN, "60@0-1 124@1-2 101@2-3 110@3-4 100@4-5 124@5-6 62@6-7");
    CHECK_IDS(t, "\n\n\n", PLAIN, "267@0-2 10@2-3");
    d.vocab.add_bos = d.vocab.add_eos = true;
    t = made(&arena, &d);
    EncodeOptions add = {.add_special = true};
    CHECK_IDS(t, "or", add, "262@0-0 261@0-2 262@2-2");
    CHECK_IDS(t, "", add, "262@0-0 262@0-0");
    arena_drop(&arena);
}

TEST(tokenizer, whole_words_win_for_llama_3) {
    Arena arena = arena_for_test();
    Draft d = byte_draft(&arena);
    // "hello" without its last merge cannot be built, but it is a token.
    d.merge[3] = STR("\xC4\xA0 w");
    d.vocab.n_merges = 4;
    Tokenizer *t = made(&arena, &d);
    CHECK_IDS(t, "hello", PLAIN, "258@0-4 111@4-5");
    d.vocab.pre = STR("llama-bpe");
    t = made(&arena, &d);
    CHECK_IDS(t, "hello", PLAIN, "259@0-5");
    Error err = {0};
    CHECK(vocab_defaults(&d.vocab, STR("gpt2"), STR("llama-bpe"), &err));
    CHECK(d.vocab.add_bos && !d.vocab.add_space_prefix && d.vocab.bos == 11);
    arena_drop(&arena);
}

TEST(tokenizer, merges_characters_by_score) {
    Arena arena = arena_for_test();
    Draft d = space_draft(&arena);
    Tokenizer *t = made(&arena, &d);
    CHECK(d.vocab.add_bos && d.vocab.add_space_prefix && d.vocab.bos == 1 && d.vocab.eos == 2);
    // U+2581 a b c: "U+2581 a" (-1) first, then "bc" (-1.5); the prefix space is no byte of the
    // text.
    CHECK_IDS(t, "abc", PLAIN, "263@0-1 266@1-3");
    CHECK_IDS(t, "abb", PLAIN, "265@0-2 261@2-3");
    CHECK_IDS(t, "b a", PLAIN, "259@0-0 261@0-1 263@1-3");
    CHECK_IDS(t, "xy", PLAIN, "259@0-0 267@0-2"); // though neither x nor y is a token
    CHECK_IDS(t, "x", PLAIN, "259@0-0 123@0-1");
    CHECK_IDS(t, "b x", PLAIN, "259@0-0 261@0-1 259@1-2 123@2-3");
    CHECK_IDS(t, "\xC3\xA9", PLAIN, "259@0-0 198@0-1 172@1-2");
    CHECK_IDS(t, "b\xFF", PLAIN, "259@0-0 261@0-1 258@1-2");
    CHECK_IDS(t, "a  a", PLAIN, "263@0-1 268@1-3 263@3-4");
    CHECK_IDS(t, "a", ((EncodeOptions){true, true}), "1@0-0 263@0-1");
    CHECK_IDS(t, "a</s>a", ((EncodeOptions){false, true}), "263@0-1 2@1-5 263@5-6");
    arena_drop(&arena);
}

// Text is cut before spaces only where no token can span the cut.
TEST(tokenizer, tokens_with_spaces_inside) {
    Arena arena = arena_for_test();
    Draft d = space_draft(&arena);
    d.token[XY] = STR("a\xE2\x96\x81"
                      "a");
    d.score[XY] = -0.5f;
    d.token[TWO_SPACES] = STR("\xE2\x96\x81\xE2\x96\x81");
    d.score[TWO_SPACES] = -0.5f;
    d.kind[TWO_SPACES] = TOKEN_NORMAL;
    Tokenizer *t = made(&arena, &d);
    CHECK_IDS(t, "ba a", PLAIN, "259@0-0 261@0-1 267@1-4");
    CHECK_IDS(t, "b   b", PLAIN, "259@0-0 261@0-1 268@1-3 259@3-4 261@4-5");
    arena_drop(&arena);
}

TEST(tokenizer, text_cannot_forge_control_tokens) {
    Arena arena = arena_for_test();
    Draft d = space_draft(&arena);
    d.token[A] = STR("<"), d.token[B] = STR("s>");
    d.token[AB_PIECE] = STR("s"), d.token[BC_PIECE] = STR(">");
    Tokenizer *t = made(&arena, &d);
    CHECK_IDS(t, "<s>", PLAIN, "259@0-0 260@0-1 261@1-3"); // "<" + "s>" would be the token 1
    CHECK_IDS(t, "<s>", ((EncodeOptions){.parse_special = true}), "1@0-3");
    d = space_draft(&arena);
    d.token[2] = STR("c"), d.token[C] = STR("d"), d.token[BC_PIECE] = STR("bd");
    t = made(&arena, &d);
    CHECK_IDS(t, "c", PLAIN, "259@0-0 102@0-1"); // "c" is the token 2, so it is a byte here
    d = byte_draft(&arena);
    d.token[END] = STR("he"), d.token[HE] = STR("<|end|>");
    d.token[HELL] = STR("xx"), d.token[HELLO] = STR("yy");
    d.merge[2] = STR("o r"), d.vocab.n_merges = 3;
    t = made(&arena, &d);
    CHECK_IDS(t, "he", PLAIN, "104@0-1 101@1-2");
    arena_drop(&arena);
}

TEST(tokenizer, decodes_what_it_encodes) {
    Arena arena = arena_for_test();
    Draft d = byte_draft(&arena);
    Tokenizer *t = made(&arena, &d);
    Rng rng = rng_seed(test_seed());
    for (int round = 0; round < 3000; round++) {
        ArenaMark mark = arena_mark(&arena);
        size_t n = (size_t)rng_below(&rng, 80);
        char *text = arena_push(&arena, n + 1);
        bool is_wild = rng_below(&rng, 2) == 0;
        for (size_t i = 0; i < n; i++)
            text[i] = is_wild ? (char)(unsigned char)rng_below(&rng, 256)
                              : "hello wor<tool>\n ab"[rng_below(&rng, 18)];
        Tokens tokens;
        Error err = {0};
        CHECK(tokenizer_encode(t, &arena, (Str){text, n}, PLAIN, &tokens, &err));
        int32_t *ids = arena_new(&arena, int32_t, tokens.n);
        int64_t end = 0;
        for (int64_t i = 0; i < tokens.n; i++) {
            Token token = tokens.token[i];
            ids[i] = token.id;
            CHECK_EQUAL(token.start, end);
            end = token.end;
            Str piece = tokenizer_piece(t, token.id, false);
            CHECK(str_equal(piece, str_slice((Str){text, n}, (size_t)token.start, (size_t)end)));
        }
        CHECK(str_equal(tokenizer_decode(t, &arena, ids, tokens.n, false), (Str){text, n}));
        arena_back(&arena, mark);
    }
    arena_drop(&arena);
}

TEST(tokenizer, pieces_and_prefix_space) {
    Arena arena = arena_for_test();
    Draft d = space_draft(&arena);
    Tokenizer *t = made(&arena, &d);
    int32_t ids[] = {1, MARK_A, MARK_AB, BYTES + 0xC3, BYTES + 0xA9, TWO_SPACES, 2};
    CHECK(str_equal(tokenizer_decode(t, &arena, ids, 7, false), STR("a ab\xC3\xA9  ")));
    CHECK(str_equal(tokenizer_decode(t, &arena, ids, 7, true), STR("<s> a ab\xC3\xA9  </s>")));
    CHECK(str_equal(tokenizer_piece(t, MARK_A, false), STR(" a")));
    CHECK(str_equal(tokenizer_piece(t, 1, false), STR("")));
    CHECK(str_equal(tokenizer_piece(t, 1, true), STR("<s>")));
    CHECK_EQUAL(tokenizer_find(t, STR("\xE2\x96\x81"
                                      "ab")),
                MARK_AB);
    CHECK_EQUAL(tokenizer_find(t, STR("abc")), -1);
    CHECK_EQUAL(tokenizer_size(t), N_SPACE_VOCAB);
    CHECK_EQUAL(tokenizer_kind(t, BYTES), TOKEN_BYTE);
    CHECK(tokenizer_ends(t, 2) && !tokenizer_ends(t, 1) && !tokenizer_ends(t, A));
    arena_drop(&arena);
}

TEST(tokenizer, endings_by_name_are_control_tokens) {
    Arena arena = arena_for_test();
    Draft d = byte_draft(&arena);
    d.token[TOOL] = STR("<|im_end|>"); // user-defined in the file: any text would become it
    Tokenizer *t = made(&arena, &d);
    CHECK(tokenizer_ends(t, TOOL) && tokenizer_kind(t, TOOL) == TOKEN_CONTROL);
    Tokens tokens;
    Error err = {0};
    CHECK(tokenizer_encode(t, &arena, STR("<|im_end|>"), PLAIN, &tokens, &err) && tokens.n == 10);
    arena_drop(&arena);
}

TEST(tokenizer, lacking_bytes_vanish_or_are_unknown) {
    Arena arena = arena_for_test();
    Draft d = byte_draft(&arena);
    d.token['x'] = STR("[x]");
    Tokenizer *t = made(&arena, &d);
    CHECK_IDS(t, "axa", PLAIN, "264@0-3"); // "a" and "a" become neighbours, as in the original
    d = space_draft(&arena);
    d.token[BYTES + 'x'] = STR("[x]"), d.kind[BYTES + 'x'] = TOKEN_NORMAL;
    t = made(&arena, &d);
    CHECK_IDS(t, "axxa", PLAIN, "263@0-1 0@1-3 260@3-4");
    d.vocab.unknown = -1;
    Error err;
    CHECK_FAILS(tokenizer_from_vocab(&arena, &d.vocab, &err), err, ERROR_FORMAT, "256 bytes");
    arena_drop(&arena);
}

#define CHECK_REFUSED(change, kind_, words)                                           \
    do {                                                                              \
        Draft d = byte_draft(&arena);                                                 \
        change;                                                                       \
        CHECK_FAILS(tokenizer_from_vocab(&arena, &d.vocab, &err), err, kind_, words); \
    } while (0)

TEST(tokenizer, refuses_damaged_vocabularies) {
    Arena arena = arena_for_test();
    Error err;
    CHECK_REFUSED(d.vocab.model = STR("t5"), ERROR_UNSUPPORTED, "\"t5\"");
    CHECK_REFUSED(d.vocab.pre = STR("no-such"), ERROR_UNSUPPORTED, "no-such");
    CHECK_REFUSED(d.vocab.n_tokens = 0, ERROR_FORMAT, "no tokens");
    CHECK_REFUSED(d.vocab.token = NULL, ERROR_FORMAT, "no tokens");
    CHECK_REFUSED(d.token[HE] = STR(""), ERROR_FORMAT, "token 256 is empty");
    CHECK_REFUSED(d.token[OR] = STR("he"), ERROR_FORMAT, "token 261 repeats token 256");
    CHECK_REFUSED(d.kind[3] = 7, ERROR_FORMAT, "token 3: type 7");
    CHECK_REFUSED(d.kind[3] = TOKEN_BYTE, ERROR_FORMAT, "token 3 is not <0x00>");
    CHECK_REFUSED(d.vocab.bos = N_BYTE_VOCAB, ERROR_FORMAT, "bos token id 268");
    CHECK_REFUSED(d.vocab.eot = -2, ERROR_FORMAT, "eot token id -2");
    CHECK_REFUSED((d.vocab.add_eos = true, d.vocab.eos = -1), ERROR_FORMAT, "add_eos_token");
    CHECK_REFUSED(d.merge[2] = STR("he xx"), ERROR_FORMAT, "merge 2 \"he xx\"");
    CHECK_REFUSED(d.merge[2] = STR("hello he"), ERROR_FORMAT, "merge 2");
    CHECK_REFUSED(d.merge[2] = STR("hell"), ERROR_FORMAT, "merge 2");
    CHECK_REFUSED(d.merge[2] = STR(""), ERROR_FORMAT, "merge 2");
    CHECK_REFUSED(d.merge[2] = STR(" "), ERROR_FORMAT, "merge 2");
    CHECK_REFUSED(d.merge[2] = STR("l l"), ERROR_FORMAT, "merge 2 repeats merge 1");
    CHECK_REFUSED(d.vocab.merge = NULL, ERROR_FORMAT, "9 merges");
    CHECK_REFUSED(d.vocab.n_merges = -1, ERROR_FORMAT, "-1 merges");
    Draft d = space_draft(&arena);
    static const char *const bad[] = {"<0x-1>", "<0x 1>", "<0xG0>", "<0x0>", "<0x000>", "<0X00>"};
    for (int i = 0; i < 6; i++) {
        d.token[BYTES] = str_from(bad[i]);
        CHECK_FAILS(tokenizer_from_vocab(&arena, &d.vocab, &err), err, ERROR_FORMAT,
                    "token 3 is not");
    }
    d = space_draft(&arena);
    d.score[A] = NAN;
    CHECK_FAILS(tokenizer_from_vocab(&arena, &d.vocab, &err), err, ERROR_FORMAT,
                "token 260: score");
    d.vocab.score = NULL;
    CHECK_FAILS(tokenizer_from_vocab(&arena, &d.vocab, &err), err, ERROR_FORMAT, "scores");
    Vocab v;
    CHECK_FAILS(vocab_defaults(&v, STR("t5"), STR(""), &err), err, ERROR_UNSUPPORTED, "\"t5\"");
    arena_drop(&arena);
}

TEST(tokenizer, unused_tokens_may_be_empty_or_repeat) {
    Arena arena = arena_for_test();
    Draft d = byte_draft(&arena);
    d.token[NEWLINES] = STR(""), d.kind[NEWLINES] = TOKEN_UNUSED;
    d.token[TOOL] = STR("he"), d.kind[TOOL] = TOKEN_UNUSED;
    Tokenizer *t = made(&arena, &d);
    CHECK_IDS(t, "he", PLAIN, "256@0-2");
    arena_drop(&arena);
}

TEST(tokenizer, small_arena_is_a_limit_not_a_crash) {
    Arena arena = arena_for_test();
    Draft d = byte_draft(&arena);
    Tokenizer *t = made(&arena, &d);
    Error err = {0};
    Str text = str_copy(&arena, (Str){arena_zero(&arena, 1 << 16), 1 << 16});
    for (size_t size = 1 << 12; size <= (size_t)1 << 24; size *= 2) {
        Arena small;
        Tokens tokens;
        CHECK(arena_init(&small, size, &err));
        bool done = tokenizer_encode(t, &small, text, PLAIN, &tokens, &err);
        CHECK(done ? tokens.n == 1 << 16 : err.kind == ERROR_LIMIT);
        if (size == (size_t)1 << 24) CHECK(done);
        if (size == 1 << 12) CHECK(!done && small.used == 0);
        arena_drop(&small);
    }
    arena_drop(&arena);
}

// A long text, whose words come from a cache, gives the tokens of its words one by one.
TEST(tokenizer, cached_words_are_the_same_words) {
    Arena arena = arena_for_test();
    Draft d = byte_draft(&arena);
    Tokenizer *t = made(&arena, &d);
    static const char *const words[] = {" hello",
                                        " world",
                                        " hell",
                                        " aaaa",
                                        " abcabc",
                                        " x",
                                        " worldhellohello",
                                        " helloworldaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    StrBuilder b = str_builder(&arena);
    Rng rng = rng_seed(test_seed());
    int32_t want[40000];
    int64_t n_want = 0;
    Tokens tokens;
    Error err = {0};
    while (b.n < 20000) {
        Str word = str_from(words[rng_below(&rng, 8)]);
        str_add(&b, word);
        CHECK(tokenizer_encode(t, &arena, word, PLAIN, &tokens, &err));
        for (int64_t i = 0; i < tokens.n; i++) want[n_want++] = tokens.token[i].id;
    }
    CHECK(tokenizer_encode(t, &arena, str_built(&b), PLAIN, &tokens, &err));
    CHECK_EQUAL(tokens.n, n_want);
    int64_t n_different = 0;
    for (int64_t i = 0; i < tokens.n && i < n_want; i++)
        n_different += tokens.token[i].id != want[i];
    for (int64_t i = 1; i < tokens.n; i++)
        n_different += tokens.token[i].start != tokens.token[i - 1].end;
    CHECK_EQUAL(n_different, 0);
    arena_drop(&arena);
}

// The work for one word without a place to cut is counted, not timed: three looks a byte at most.
TEST(tokenizer, work_is_linear_in_looks) {
    Arena arena = arena_for_test();
    enum { DOUBLINGS = 12 };
    Str token[1 + DOUBLINGS];
    int32_t made_by[DOUBLINGS];
    char *as = arena_push(&arena, (size_t)1 << DOUBLINGS);
    memset(as, 'a', (size_t)1 << DOUBLINGS);
    Map ids = map_make(&arena, 1 + DOUBLINGS);
    Bpe bpe = {.token = token, .id_of = &ids, .is_byte_level = true, .unknown = -1};
    bpe.merges = pairs_make(&arena, DOUBLINGS);
    for (int i = 0; i <= DOUBLINGS; i++) token[i] = (Str){as, (size_t)1 << i};
    for (int i = 0; i < DOUBLINGS; i++) {
        made_by[i] = i + 1;
        CHECK(pairs_add(&bpe.merges, i, i, i));
    }
    bpe.made = made_by;
    bpe.longest = (size_t)1 << DOUBLINGS;
    for (int64_t n = 1; n <= 1 << 18; n *= 8) {
        char *word = arena_push(&arena, (size_t)n);
        memset(word, 'a', (size_t)n);
        BpePiece *piece = arena_push(&arena, sizeof *piece * (size_t)n);
        int64_t looks = 0;
        int64_t n_pieces = bpe_encode(&bpe, &arena, (Str){word, (size_t)n}, piece, &looks);
        CHECK(looks < 3 * n);
        CHECK_EQUAL(n_pieces, n <= 1 << DOUBLINGS ? 1 : n >> DOUBLINGS);
        CHECK_EQUAL(piece[n_pieces - 1].end, n);
    }
    arena_drop(&arena);
}

// Both ways of merging agree on words around the length where one takes over from the other.
TEST(tokenizer, short_and_long_words_merge_alike) {
    Arena arena = arena_for_test();
    Draft d = byte_draft(&arena);
    Tokenizer *t = made(&arena, &d);
    Rng rng = rng_seed(test_seed());
    for (int round = 0; round < 300; round++) {
        // Merges never cross "z", so a long word is its halves; "z" is no part of any merge.
        char word[60];
        int n = 4 + (int)rng_below(&rng, 20);
        for (int i = 0; i < n; i++) word[i] = "helloaabbccor"[rng_below(&rng, 13)];
        word[n] = 'z';
        memcpy(word + n + 1, word, (size_t)n);
        Tokens half, whole;
        Error err = {0};
        CHECK(tokenizer_encode(t, &arena, (Str){word, (size_t)n}, PLAIN, &half, &err));
        CHECK(tokenizer_encode(t, &arena, (Str){word, (size_t)(2 * n + 1)}, PLAIN, &whole, &err));
        CHECK_EQUAL(whole.n, 2 * half.n + 1);
        for (int64_t i = 0; i < half.n && whole.n == 2 * half.n + 1; i++) {
            CHECK_EQUAL(whole.token[i].id, half.token[i].id);
            CHECK_EQUAL(whole.token[half.n + 1 + i].id, half.token[i].id);
        }
    }
    arena_drop(&arena);
}

// The witness looks at every position for every entry.
TEST(matcher, finds_the_longest_at_every_place) {
    Arena arena = arena_for_test();
    Rng rng = rng_seed(test_seed());
    for (int round = 0; round < 200; round++) {
        MatcherEntry entry[12];
        Map seen = map_make(&arena, 12);
        int64_t n = 0;
        for (int i = 0; i < 12; i++) {
            size_t length = 1 + (size_t)rng_below(&rng, 6);
            char *text = arena_push(&arena, length);
            for (size_t k = 0; k < length; k++) text[k] = "ab"[rng_below(&rng, 2)];
            if (!map_add(&seen, (Str){text, length}, i)) continue;
            entry[n++] = (MatcherEntry){{text, length}, rng_below(&rng, 2) == 0};
        }
        Matcher m = matcher_make(&arena, entry, n);
        char text[40];
        for (int i = 0; i < 40; i++) text[i] = "aabbc"[rng_below(&rng, 5)];
        MatcherHit hit[40];
        for (int with_special = 0; with_special < 2; with_special++) {
            int64_t next = matcher_find(&m, (Str){text, 40}, with_special != 0, hit);
            for (int at = 0; at < 40; at++) {
                int best = -1;
                for (int i = 0; i < n; i++)
                    if ((with_special || entry[i].is_always) &&
                        str_starts((Str){text + at, (size_t)(40 - at)}, entry[i].text) &&
                        (best < 0 || entry[i].text.n > entry[best].text.n))
                        best = i;
                bool is_hit = next < 40 && hit[next].at == at;
                CHECK_EQUAL(is_hit ? hit[next].entry : -1, best);
                next += is_hit;
            }
        }
    }
    arena_drop(&arena);
}

TEST(bpe, alphabet_is_a_bijection) {
    Arena arena = arena_for_test();
    for (int b = 0; b < 256; b++) {
        char text[4];
        int n = utf8_encode(bpe_byte_character((unsigned char)b), text);
        Str bytes = bpe_alphabet_bytes(&arena, (Str){text, (size_t)n});
        CHECK(bytes.n == 1 && (unsigned char)bytes.data[0] == b);
    }
    CHECK_EQUAL(bpe_byte_character(' '), 0x120);
    CHECK_EQUAL(bpe_byte_character('\n'), 0x10A);
    CHECK_EQUAL(bpe_byte_character(0xAD), 0x143);
    CHECK(str_equal(bpe_alphabet_bytes(&arena, STR("a b")), STR("a b")));
    arena_drop(&arena);
}

// ---- WordPiece
TEST(tokenizer, cuts_words_into_pieces) {
    Arena arena = arena_for_test();
    static const char *const tokens[] = {"[PAD]",        "[UNK]", "[CLS]",  "[SEP]", "[MASK]",
                                         "un",           "##aff", "##able", "the",   "!",
                                         "\xE5\xAD\xA6", "u",     "##u"};
    enum { N_PIECES = sizeof tokens / sizeof *tokens };
    Str token[N_PIECES];
    int32_t kind[N_PIECES];
    for (int i = 0; i < N_PIECES; i++) {
        token[i] = str_from(tokens[i]);
        kind[i] = i < 5 ? TOKEN_CONTROL : TOKEN_NORMAL;
    }
    Error err = {0};
    Draft d = {0};
    CHECK(vocab_defaults(&d.vocab, STR("bert"), STR(""), &err));
    d.vocab.n_tokens = N_PIECES;
    d.vocab.token = token;
    d.vocab.kind = kind;
    d.vocab.bos = 2;
    d.vocab.eos = 3;
    d.vocab.unknown = 1;
    Tokenizer *t = made(&arena, &d);
    // Lower case, accents gone, the longest piece first; spans are bytes of what was given.
    CHECK_IDS(t, "\xC3\x9Cnaffable", PLAIN, "5@0-3 6@3-6 7@6-10");
    CHECK_IDS(t, "the!THE", PLAIN, "8@0-3 9@3-4 8@4-7");
    CHECK_IDS(t, "the\xE5\xAD\xA6the", PLAIN, "8@0-3 10@3-6 8@6-9");
    // A word of which a part is no piece is unknown as a whole; text forges no control token.
    CHECK_IDS(t, "unaffabl the", PLAIN, "1@0-8 8@9-12");
    CHECK_IDS(t, "[mask]", PLAIN, "1@0-1 1@1-5 1@5-6");
    CHECK_IDS(t, "[MASK] the", ((EncodeOptions){true, true}), "2@0-0 4@0-6 8@7-10 3@10-10");
    CHECK_EQUAL(tokenizer_mask(t), 4);
    Str text = tokenizer_decode(t, &arena, (int32_t[]){8, 5, 6, 7, 9}, 5, true);
    test_check(str_equal(text, STR("the unaffable !")), __FILE__, __LINE__, "%.*s", STR_ARG(text));
    // 100 characters are a word, 101 are not.
    for (int n = 100; n <= 101; n++) {
        char word[101];
        memset(word, 'u', sizeof word);
        Tokens out;
        CHECK(tokenizer_encode(t, &arena, (Str){word, (size_t)n}, PLAIN, &out, &err));
        CHECK_EQUAL(out.n, n <= 100 ? n : 1);
        CHECK_EQUAL(out.token[0].id, n <= 100 ? 11 : 1);
    }
    d.vocab.unknown = -1;
    CHECK_FAILS(tokenizer_from_vocab(&arena, &d.vocab, &err), err, ERROR_FORMAT,
                "without an unknown token");
    arena_drop(&arena);
}
