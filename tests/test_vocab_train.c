// test_vocab_train.c - vocabularies learnt from texts: against Hugging Face's BpeTrainer (golden
// merges made by tools/golden_bpe_training.py), against a slow trainer, and in use.
#include "text/vocab_train.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "tests/test.h"
#include "text/bpe.h"
#include "text/pretokenize.h"
#include "text/word_counts.h"

static Arena arena_for_test(void) {
    Arena arena;
    Error err = {0};
    if (!arena_init(&arena, ARENA_DEFAULT, &err)) abort();
    return arena;
}

// The vocabulary of one text.
static bool train(Arena *arena, VocabRecipe recipe, Str text, Vocab *vocab, VocabReport *report,
                  Error *err) {
    VocabTrainer *t = vocab_trainer_open(recipe, err);
    bool ok =
        t && vocab_trainer_text(t, text, err) && vocab_trainer_finish(t, arena, vocab, report, err);
    vocab_trainer_close(t);
    return ok;
}

static const char *encoded(Arena *arena, const Vocab *vocab, Str text) {
    Error err = {0};
    Tokens tokens;
    Tokenizer *t = tokenizer_from_vocab(arena, vocab, &err);
    if (!t || !tokenizer_encode(t, arena, text, (EncodeOptions){0}, &tokens, &err))
        return str_c(arena, str_from(err.text));
    StrBuilder b = str_builder(arena);
    for (int64_t i = 0; i < tokens.n; i++)
        str_add_format(&b, "%s%.*s", i ? "|" : "",
                       STR_ARG(tokenizer_piece(t, tokens.token[i].id, false)));
    return str_c(arena, str_built(&b));
}

// ---- golden

static void check_list(const Json *want, const Str *got, int64_t n, Str name) {
    if (!CHECK_EQUAL(want->count, n)) return;
    const Json *item = want->child;
    for (int64_t i = 0; i < n; i++, item = item->next)
        if (!test_check(str_equal(item->string, got[i]), __FILE__, __LINE__,
                        "%.*s, item %lld: %.*s, want %.*s", STR_ARG(name), (long long)i,
                        STR_ARG(got[i]), STR_ARG(item->string)))
            return;
}

static void check_golden(const Json *c) {
    Arena arena = arena_for_test();
    Error err = {0};
    Vocab v;
    Str special[4] = {STR("<|endoftext|>")};
    VocabRecipe recipe = {.special = special, .n_special = 1};
    for (const Json *s = json_get(c, "special")->child; s; s = s->next)
        special[recipe.n_special++] = s->string;
    Str pattern = json_string(json_get(c, "pattern"), STR(""));
    recipe.pre = str_equal(pattern, STR("gpt2")) ? STR("gpt-2") : pattern;
    recipe.n_tokens = json_integer(json_get(c, "vocab"), 0);
    recipe.least = json_integer(json_get(c, "least"), 0);
    recipe.by_line = json_bool(json_get(c, "by_line"), false);
    Str text = json_string(json_get(c, "text"), STR("")),
        name = json_string(json_get(c, "name"), STR(""));
    bool ok = train(&arena, recipe, text, &v, NULL, &err);
    if (test_check(ok, __FILE__, __LINE__, "%s", err.text)) {
        Str *token = arena_new(&arena, Str, v.n_tokens);
        int64_t n = 0;
        for (int64_t i = 0; i < v.n_tokens; i++)
            if (i < recipe.n_special || i >= recipe.n_special + 256) token[n++] = v.token[i];
        check_list(json_get(c, "tokens"), token, n, name);
        check_list(json_get(c, "merges"), v.merge, v.n_merges, name);
    }
    arena_drop(&arena);
}

TEST(vocab_train, equals_bpe_trainer) {
    Arena arena = arena_for_test();
    Error err = {0};
    Str text;
    bool ok = file_read(&arena, test_fixture("fixtures/bpe_training.json"), 1 << 20, &text, &err);
    const Json *cases = ok ? json_parse(&arena, text, 1 << 20, &err) : NULL;
    if (!test_check(cases != NULL, __FILE__, __LINE__, "%s", err.text)) return;
    CHECK(cases->count >= 7);
    for (const Json *c = cases->child; c; c = c->next) check_golden(c);
    arena_drop(&arena);
}

// ---- a slow trainer: counts all pairs again for each merge

enum { SLOW_TOKENS = 300, SLOW_SYMBOLS = 600 };

typedef struct Slow {
    int32_t symbol[SLOW_SYMBOLS]; // -1 between words
    int n;
    int64_t count[SLOW_TOKENS][SLOW_TOKENS];
} Slow;

static bool slow_step(Slow *s, int32_t made, int64_t least, int32_t best[2]) {
    memset(s->count, 0, sizeof s->count);
    for (int i = 0; i + 1 < s->n; i++)
        if (s->symbol[i] >= 0 && s->symbol[i + 1] >= 0) s->count[s->symbol[i]][s->symbol[i + 1]]++;
    int64_t most = 0;
    for (int a = 0; a < made; a++)
        for (int b = 0; b < made; b++)
            if (s->count[a][b] > most) {
                most = s->count[a][b];
                best[0] = a;
                best[1] = b;
            }
    if (most < least || most == 0) return false;
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        bool joins = i + 1 < s->n && s->symbol[i] == best[0] && s->symbol[i + 1] == best[1];
        s->symbol[n++] = joins ? made : s->symbol[i];
        i += joins;
    }
    s->n = n;
    return true;
}

// A text of few letters; each is the token of its byte, id 1 + (letter - '!').
static Str random_letters(Rng *rng, char *text) {
    int letters = 1 + (int)rng_below(rng, 3), n = 1 + (int)rng_below(rng, SLOW_SYMBOLS - 1);
    for (int i = 0; i < n; i++) text[i] = (char)('a' + rng_below(rng, (uint64_t)letters));
    return (Str){text, (size_t)n};
}

TEST(vocab_train, equals_a_slow_trainer) {
    Rng rng = rng_seed(test_seed());
    Slow *slow = malloc(sizeof *slow);
    if (!slow) abort();
    for (int round = 0; round < 64 / test_thinning(); round++) {
        Arena arena = arena_for_test();
        Error err = {0};
        char bytes[SLOW_SYMBOLS];
        Vocab v;
        VocabRecipe recipe = {.n_tokens = SLOW_TOKENS, .least = 1 + (int64_t)rng_below(&rng, 2)};
        Str text = random_letters(&rng, bytes);
        CHECK(train(&arena, recipe, text, &v, NULL, &err));
        slow->n = (int)text.n;
        for (int i = 0; i < slow->n; i++) slow->symbol[i] = 1 + text.data[i] - '!';
        int32_t made = 257, best[2] = {0, 0};
        for (; made < SLOW_TOKENS && slow_step(slow, made, recipe.least, best); made++) {
            Str want = str_printf(&arena, "%.*s %.*s", STR_ARG(v.token[best[0]]),
                                  STR_ARG(v.token[best[1]]));
            if (!CHECK(made - 257 < v.n_merges) || !CHECK(str_equal(v.merge[made - 257], want)))
                break;
        }
        CHECK_EQUAL(v.n_tokens, made);
        arena_drop(&arena);
    }
    free(slow);
}

// ---- counting

// A text that has everything at which patterns cut.
static Str random_text(Rng *rng, Arena *arena, int n) {
    static const char *const parts[] = {"a",    "Bc",       " ",  "  ", "\n", "\r\n", "\n\n",
                                        "1",    "23",       "'s", "'",  "!",  "/",    "-",
                                        "\t",   "中",       "文", "。", "é",  "́",     "\xC2\xA0",
                                        "\xFF", "\xE4\xB8", "ب",  "_x", ". D"};
    StrBuilder b = str_builder(arena);
    for (int i = 0; i < n; i++) str_add_c(&b, parts[rng_below(rng, sizeof parts / sizeof *parts)]);
    return str_built(&b);
}

TEST(vocab_train, cuts_texts_where_no_word_is) {
    static const char *const names[] = {"gpt-2",        "smollm",         "llama-bpe",   "qwen2",
                                        "qwen35",       "seed-coder",     "gpt-4o",      "tekken",
                                        "deepseek-llm", "deepseek-coder", "deepseek-v3", "falcon",
                                        "default",      "bloom",          "viking"};
    enum { N_NAMES = sizeof names / sizeof *names, ENDS = 4096 };
    Rng rng = rng_seed(test_seed());
    Arena arena = arena_for_test();
    Error err = {0};
    int64_t n_cuts = 0, whole[ENDS], left[ENDS], right[ENDS];
    for (int i = 0; i < N_NAMES * 200 / test_thinning(); i++) {
        ArenaMark mark = arena_mark(&arena);
        Splitter *s = splitter_named(&arena, str_from(names[i % N_NAMES]), &err);
        Str text = random_text(&rng, &arena, 60);
        int64_t n = splitter_cut(s, text, whole, NULL);
        for (int64_t at = 1; at < (int64_t)text.n; at++) {
            if (!word_counts_may_cut(text, at)) continue;
            n_cuts++;
            int64_t n_left = splitter_cut(s, str_slice(text, 0, (size_t)at), left, NULL);
            int64_t n_right = splitter_cut(s, str_slice(text, (size_t)at, text.n), right, NULL);
            bool same = n_left + n_right == n;
            for (int64_t j = 0; same && j < n; j++)
                same = whole[j] == (j < n_left ? left[j] : at + right[j - n_left]);
            test_check(same, __FILE__, __LINE__, "%s: \"%.*s\" cut at %lld", names[i % N_NAMES],
                       STR_ARG(text), (long long)at);
        }
        arena_back(&arena, mark);
    }
    CHECK(n_cuts > 100 / test_thinning());
    arena_drop(&arena);
}

static int by_text(const void *a, const void *b) {
    return str_compare(((const CountedWord *)a)->text, ((const CountedWord *)b)->text);
}

// The words of a text, sorted, as "word count" lines.
static Str counted(Arena *arena, Str text, int threads, bool by_line) {
    Error err = {0};
    const CountedWord *word;
    int64_t n;
    Pool *pool = pool_open(threads, &err);
    WordCountsSpec spec = {
        .splitter = splitter_named(arena, STR("gpt-2"), &err), .pool = pool, .by_line = by_line};
    WordCounts *c = word_counts_open(spec, &err);
    if (!CHECK(c && word_counts_add(c, text, &err) && word_counts_all(c, &word, &n, &err))) abort();
    CHECK_EQUAL(word_counts_bytes(c), text.n);
    CountedWord *sorted = arena_push(arena, sizeof *sorted * (size_t)n);
    memcpy(sorted, word, sizeof *sorted * (size_t)n);
    qsort(sorted, (size_t)n, sizeof *sorted, by_text);
    StrBuilder b = str_builder(arena);
    for (int64_t i = 0; i < n; i++)
        str_add_format(&b, "%.*s %lld\n", STR_ARG(sorted[i].text), (long long)sorted[i].count);
    word_counts_close(c);
    pool_close(pool);
    return str_built(&b);
}

TEST(vocab_train, counts_alike_with_threads) {
    Rng rng = rng_seed(test_seed());
    Arena arena = arena_for_test();
    Str text = random_text(&rng, &arena, 200000 / test_thinning()); // several blocks
    Str whole = counted(&arena, text, 1, false);
    CHECK(str_equal(whole, counted(&arena, text, 3, false)));
    CHECK(!str_equal(whole, counted(&arena, text, 1, true)));
    CHECK(str_equal(counted(&arena, text, 1, true), counted(&arena, text, 3, true)));
    arena_drop(&arena);
}

TEST(vocab_train, counts_words_by_hand) {
    Arena arena = arena_for_test();
    Str got = counted(&arena, STR("the cat\n\nthe  cat the"), 1, false);
    CHECK(str_equal(got, STR("\n 2\n  1\n cat 2\n the 1\nthe 2\n")));
    got = counted(&arena, STR("a \nb"), 1, true);
    CHECK(str_equal(got, STR(" \n 1\na 1\nb 1\n")));
    arena_drop(&arena);
}

// ---- vocabularies in use

TEST(vocab_train, makes_characters_of_their_bytes) {
    Arena arena = arena_for_test();
    Error err = {0};
    Vocab v;
    VocabReport r;
    VocabRecipe recipe = {.kind = VOCAB_CHARACTERS, .least = 2};
    // Often enough: the two of "中国" with their first two bytes in common with nothing, and "é".
    Str text = STR("中国人 中国 éé 😀");
    CHECK(train(&arena, recipe, text, &v, &r, &err));
    CHECK(strcmp(encoded(&arena, &v, STR("a中国é!")), "a|中|国|é|!") == 0);
    // A character without a token: its beginning is that of another one, or bytes.
    CHECK_EQUAL(r.n_learnt, 5); // two of three bytes with their beginnings, one of two bytes
    CHECK(strcmp(encoded(&arena, &v, STR("丮")), "\xE4\xB8|\xAE") == 0);
    CHECK(strcmp(encoded(&arena, &v, STR("人")), "\xE4|\xBA|\xBA") == 0);
    CHECK_EQUAL(r.left_out, 0);
    // With room for one character, the most frequent one stays, then what still fits.
    recipe.n_tokens = 257 + 3;
    CHECK(train(&arena, recipe, text, &v, &r, &err));
    CHECK_EQUAL(v.n_tokens, 260);
    CHECK_EQUAL(r.left_out, 1);
    CHECK(strcmp(encoded(&arena, &v, STR("中国é")), "\xE4\xB8\xAD|\xE5|\x9B|\xBD|é") == 0);
    arena_drop(&arena);
}

TEST(vocab_train, bytes_need_no_text) {
    Arena arena = arena_for_test();
    Error err = {0};
    Vocab v;
    VocabRecipe recipe = {.kind = VOCAB_BYTES};
    CHECK(train(&arena, recipe, STR(""), &v, NULL, &err));
    CHECK_EQUAL(v.n_tokens, 257);
    CHECK_EQUAL(v.n_merges, 0);
    CHECK(v.merge != NULL);
    CHECK(strcmp(encoded(&arena, &v, STR("aé\n")), "a|\xC3|\xA9|\n") == 0);
    Tokenizer *t = tokenizer_from_vocab(&arena, &v, &err);
    CHECK(t && tokenizer_ends(t, 0) && tokenizer_find(t, STR("<|endoftext|>")) == 0);
    arena_drop(&arena);
}

TEST(vocab_train, every_text_survives) {
    Rng rng = rng_seed(test_seed());
    Arena arena = arena_for_test();
    Error err = {0};
    for (int kind = VOCAB_BPE; kind <= VOCAB_BYTES; kind++) {
        Vocab v;
        VocabRecipe recipe = {.kind = (VocabKind)kind, .n_tokens = 400};
        CHECK(train(&arena, recipe, random_text(&rng, &arena, 2000), &v, NULL, &err));
        Tokenizer *t = tokenizer_from_vocab(&arena, &v, &err);
        if (!test_check(t != NULL, __FILE__, __LINE__, "%s", err.text)) continue;
        for (int i = 0; i < 50; i++) {
            Str text = random_text(&rng, &arena, 100);
            Tokens tokens;
            CHECK(tokenizer_encode(t, &arena, text, (EncodeOptions){0}, &tokens, &err));
            int32_t *id = arena_new(&arena, int32_t, tokens.n);
            for (int64_t j = 0; j < tokens.n; j++) id[j] = tokens.token[j].id;
            CHECK(str_equal(tokenizer_decode(t, &arena, id, tokens.n, true), text));
        }
    }
    arena_drop(&arena);
}

// ---- encoding with what was learnt, against merging by the list alone

enum { WORD_CHARACTERS = 40, WORD_BYTES = 6 * WORD_CHARACTERS };

// A word of Chinese characters that share many bytes.  Some are learnt from pairs that always stand
// together, and then merges join a character with a part of the next; to encode, they stand alone.
static Str random_word(Rng *rng, char *bytes, bool in_pairs) {
    static const char *const pairs[] = {"寂寞", "翡翠", "逍遥", "蟋蟀", "鸳鸯",
                                        "踌躇", "丁七", "于二", "aé"};
    static const char *const singles[] = {"寂", "寞", "翡", "翠", "逍", "遥", "蟋", "蟀", "鸳",
                                          "鸯", "踌", "躇", "丁", "于", "七", "a",  "é"};
    size_t n = 0;
    for (uint64_t i = 1 + rng_below(rng, WORD_CHARACTERS); i > 0; i--) {
        const char *c = in_pairs ? pairs[rng_below(rng, sizeof pairs / sizeof *pairs)]
                                 : singles[rng_below(rng, sizeof singles / sizeof *singles)];
        memcpy(bytes + n, c, strlen(c));
        n += strlen(c);
    }
    return (Str){bytes, n};
}

// The ids of a word: of all neighbours the pair of the lowest rank is joined, again and again.
static int64_t merge_slowly(const Vocab *v, const Map *rank, Arena *arena, Str word, Str *token) {
    int64_t n = (int64_t)word.n;
    for (int64_t i = 0; i < n; i++) {
        char *text = arena_push(arena, 4);
        int length = utf8_encode(bpe_byte_character((unsigned char)word.data[i]), text);
        token[i] = (Str){text, (size_t)length};
    }
    for (;;) {
        int64_t best = v->n_merges, at = 0;
        for (int64_t i = 0; i + 1 < n; i++) {
            Str pair = str_printf(arena, "%.*s %.*s", STR_ARG(token[i]), STR_ARG(token[i + 1]));
            int64_t r = map_get(rank, pair);
            if (r >= 0 && r < best) {
                best = r;
                at = i;
            }
        }
        if (best == v->n_merges) return n;
        token[at] = str_printf(arena, "%.*s%.*s", STR_ARG(token[at]), STR_ARG(token[at + 1]));
        n--;
        for (int64_t i = at + 1; i < n; i++) token[i] = token[i + 1];
    }
}

static void check_words(Rng *rng, Arena *arena, const Vocab *v, int n_words) {
    Error err = {0};
    Tokenizer *t = tokenizer_from_vocab(arena, v, &err);
    if (!test_check(t != NULL, __FILE__, __LINE__, "%s", err.text)) return;
    Map rank = map_make(arena, v->n_merges);
    for (int64_t i = 0; i < v->n_merges; i++) (void)map_add(&rank, v->merge[i], i);
    for (int i = 0; i < n_words; i++) {
        ArenaMark mark = arena_mark(arena);
        char bytes[WORD_BYTES];
        Str token[WORD_BYTES], word = random_word(rng, bytes, rng_below(rng, 2));
        Tokens got;
        int64_t n = merge_slowly(v, &rank, arena, word, token);
        CHECK(tokenizer_encode(t, arena, word, (EncodeOptions){0}, &got, &err));
        bool same = got.n == n;
        for (int64_t j = 0; same && j < n; j++)
            same = got.token[j].id == tokenizer_find(t, token[j]);
        test_check(same, __FILE__, __LINE__, "%.*s: %lld tokens, want %lld", STR_ARG(word),
                   (long long)got.n, (long long)n);
        arena_back(arena, mark);
    }
}

TEST(vocab_train, encodes_as_a_slow_merger) {
    Rng rng = rng_seed(test_seed());
    for (int round = 0; round < 1 + 7 / test_thinning(); round++) {
        Arena arena = arena_for_test();
        Error err = {0};
        Vocab v;
        StrBuilder text = str_builder(&arena);
        for (int i = 0; i < 60; i++) {
            char bytes[WORD_BYTES];
            str_add(&text, random_word(&rng, bytes, i % 8 > 0));
            str_add_byte(&text, '\n');
        }
        VocabRecipe recipe = {.n_tokens = 270 + (int64_t)rng_below(&rng, 400)};
        CHECK(train(&arena, recipe, str_built(&text), &v, NULL, &err));
        check_words(&rng, &arena, &v, 20);
        // A list in another order is one too, though none that could be learnt.
        Str *merge = arena_push(&arena, sizeof *merge * (size_t)v.n_merges);
        memcpy(merge, v.merge, sizeof *merge * (size_t)v.n_merges);
        for (int64_t i = v.n_merges; i > 1; i--) {
            int64_t j = (int64_t)rng_below(&rng, (uint64_t)i);
            Str swapped = merge[i - 1];
            merge[i - 1] = merge[j];
            merge[j] = swapped;
        }
        v.merge = merge;
        check_words(&rng, &arena, &v, 20);
        arena_drop(&arena);
    }
}

TEST(vocab_train, tells_what_it_met) {
    Arena arena = arena_for_test();
    Error err = {0};
    Vocab v;
    VocabReport r;
    VocabRecipe recipe = {.n_tokens = 1000};
    CHECK(train(&arena, recipe, STR("abab ab\xFF\xE4\xB8"), &v, &r, &err));
    CHECK_EQUAL(r.ill_formed, 2);
    CHECK_EQUAL(r.bytes, 10);
    CHECK_EQUAL(r.words, 3); // "abab", " ab", and what is no text
    CHECK_EQUAL(r.n_learnt, v.n_tokens - 257);
    CHECK_EQUAL(r.n_learnt, 5); // ab, abab, " ab", and the three bytes
    arena_drop(&arena);
}

static bool never(void *user, VocabPhase phase, int64_t done, int64_t total) {
    (void)phase, (void)done, (void)total;
    ++*(int *)user;
    return false;
}

TEST(vocab_train, refuses_what_cannot_be) {
    Arena arena = arena_for_test();
    Error err;
    Vocab v;
    int n_calls = 0;
    Str twice[] = {STR("<s>"), STR("<s>")}, byte[] = {STR("a")}, empty[] = {STR("")},
        bad[] = {STR("\xFF")};
    Str text = STR("some text");
    VocabRecipe few = {.n_tokens = 256}, many = {.n_tokens = VOCAB_TOKENS_MAX + 1},
                unknown = {.n_tokens = 300, .pre = STR("none such")},
                repeated = {.n_tokens = 300, .special = twice, .n_special = 2},
                of_byte = {.n_tokens = 300, .special = byte, .n_special = 1},
                of_nothing = {.n_tokens = 300, .special = empty, .n_special = 1},
                no_text = {.n_tokens = 300, .special = bad, .n_special = 1},
                ends = {.n_tokens = 300, .go_on = never, .user = &n_calls},
                fine = {.n_tokens = 300};
    CHECK_FAILS(train(&arena, few, text, &v, NULL, &err), err, ERROR_USAGE,
                "256 bytes and 1 special");
    CHECK_FAILS(train(&arena, many, text, &v, NULL, &err), err, ERROR_USAGE, "at most");
    CHECK_FAILS(train(&arena, unknown, text, &v, NULL, &err), err, ERROR_UNSUPPORTED, "none such");
    CHECK_FAILS(train(&arena, repeated, text, &v, NULL, &err), err, ERROR_USAGE, "given twice");
    CHECK_FAILS(train(&arena, of_byte, text, &v, NULL, &err), err, ERROR_USAGE, "token of a byte");
    CHECK_FAILS(train(&arena, of_nothing, text, &v, NULL, &err), err, ERROR_USAGE, "is empty");
    CHECK_FAILS(train(&arena, no_text, text, &v, NULL, &err), err, ERROR_USAGE, "is no text");
    CHECK_FAILS(train(&arena, ends, text, &v, NULL, &err), err, ERROR_CANCELLED, "cancelled");
    CHECK_EQUAL(n_calls, 1);
    CHECK_FAILS(train(&arena, fine, STR(""), &v, NULL, &err), err, ERROR_USAGE, "no text to learn");
    arena_drop(&arena);
}

// With arenas from a few pages to more than it needs: it works, or says that it needs more.
TEST(vocab_train, says_when_memory_is_small) {
    Arena arena = arena_for_test();
    Rng rng = rng_seed(test_seed());
    Str text = random_text(&rng, &arena, 3000);
    for (int kind = VOCAB_BPE; kind <= VOCAB_CHARACTERS; kind++) {
        int n_refused = 0;
        bool ok = false;
        for (size_t bytes = 4200; bytes < (size_t)4 << 20 && !ok; bytes += bytes / 9) {
            Arena small;
            Error err = {0};
            Vocab v;
            VocabRecipe recipe = {.kind = (VocabKind)kind, .n_tokens = 500};
            if (!CHECK(arena_init(&small, bytes, &err))) return;
            ok = train(&small, recipe, text, &v, NULL, &err);
            n_refused += !ok;
            test_check(ok || err.kind == ERROR_LIMIT, __FILE__, __LINE__, "%s", err.text);
            arena_drop(&small);
        }
        CHECK(ok && n_refused > 0);
    }
    arena_drop(&arena);
}
