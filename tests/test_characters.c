// test_characters.c - texts drawn at random from a byte-level vocabulary stay UTF-8, and nothing
// more than that is forbidden.
#include "generate/characters.h"

#include "base/rng.h"
#include "base/utf8.h"
#include "generate/sampler.h"
#include "generate/stream.h"
#include "tests/test.h"
#include "text/vocab_train.h"

enum { VOCAB = 340, STEPS = 300 };

static Arena arena_for_test(void) {
    Arena arena;
    Error err = {0};
    require(arena_init(&arena, ARENA_DEFAULT, &err));
    return arena;
}

// Characters of one to four bytes, and tokens that are parts of them.
static Tokenizer *some_tokenizer(Arena *arena) {
    Str text = STR(
        "春眠不觉晓 处处闻啼鸟 夜来风雨声 花落知多少 naïve café \xF0\x9F\x8D\x8E\xF0\x9F\x8D\x8F "
        "春风春雨 花落花开 \xF0\x9F\x8D\x8E");
    Error err = {0};
    Vocab vocab;
    VocabRecipe recipe = {.kind = VOCAB_BPE, .n_tokens = VOCAB};
    VocabTrainer *trainer = vocab_trainer_open(recipe, &err);
    require(trainer && vocab_trainer_text(trainer, text, &err));
    require(vocab_trainer_finish(trainer, arena, &vocab, NULL, &err));
    vocab_trainer_close(trainer);
    Vocab *kept = arena_new(arena, Vocab, 1);
    *kept = vocab;
    return tokenizer_from_vocab(arena, kept, &err);
}

// A prefix of UTF-8 text, by the definition: some end of at most three bytes makes it whole.
static bool may_become_text(Arena *arena, Str s) {
    ArenaMark mark = arena_mark(arena);
    char *copy = arena_push(arena, s.n + 3);
    memcpy(copy, s.data, s.n);
    bool may = utf8_valid(s);
    for (int more = 1; !may && more <= 3; more++) {
        for (int byte = 0x80; !may && byte < 0xC0; byte++) {
            copy[s.n] = (char)byte; // the first decides, whatever follows
            copy[s.n + 1] = copy[s.n + 2] = (char)0x80;
            may = utf8_valid((Str){copy, s.n + (size_t)more});
        }
    }
    arena_back(arena, mark);
    return may;
}

static Str with_piece(Arena *arena, Str text, Str piece) {
    StrBuilder b = str_builder(arena);
    str_add(&b, text);
    str_add(&b, piece);
    return str_built(&b);
}

TEST(characters, only_what_breaks_one_is_forbidden) {
    Arena arena = arena_for_test();
    Tokenizer *t = some_tokenizer(&arena);
    int64_t n_vocab = tokenizer_size(t) + 2; // a model may have more rows than tokens
    Characters c;
    characters_init(&c, &arena, t, n_vocab);
    Rng rng = rng_seed(test_seed());
    int32_t history[STEPS];
    double *logit = arena_new(&arena, double, n_vocab);
    Str text = STR(""); // what came after the last whole character
    bool ok = true;
    int64_t steps = STEPS / test_thinning();
    for (int64_t n = 0; ok && n < steps; n++) {
        for (int64_t i = 0; i < n_vocab; i++) logit[i] = (double)rng_uniform(&rng);
        characters_forbid(&c, history, n, logit);
        bool is_open = text.n > 0;
        for (int64_t i = 0; ok && i < tokenizer_size(t); i++) {
            Str piece = tokenizer_piece(t, (int32_t)i, false);
            bool may = may_become_text(&arena, with_piece(&arena, text, piece)) &&
                       (piece.n > 0 || !is_open);
            ok = test_check((logit[i] > -HUGE_VAL) == may, __FILE__, __LINE__,
                            "step %d, token %d: %s be forbidden", (int)n, (int)i,
                            may ? "must not" : "must");
        }
        do {
            history[n] = (int32_t)rng_below(&rng, (uint64_t)tokenizer_size(t));
        } while (logit[history[n]] == -HUGE_VAL);
        text = with_piece(&arena, text, tokenizer_piece(t, history[n], false));
        size_t whole = utf8_complete_prefix(text);
        ok = CHECK(utf8_valid(str_slice(text, 0, whole))) && ok;
        text = str_slice(text, whole, text.n);
    }
    arena_drop(&arena);
}

// A sampler that is told draws no other, the most probable token or not.
TEST(characters, sampler_draws_no_other) {
    Arena arena = arena_for_test();
    Tokenizer *t = some_tokenizer(&arena);
    int64_t n_vocab = tokenizer_size(t);
    Characters c;
    characters_init(&c, &arena, t, n_vocab);
    Rng rng = rng_seed(test_seed());
    for (int temperature = 0; temperature < 2; temperature++) {
        SamplerOptions options = sampler_neutral();
        options.temperature = temperature;
        Sampler *sampler = sampler_make(&arena, &options, n_vocab);
        int32_t history[STEPS];
        float *logits = arena_new(&arena, float, n_vocab);
        for (int64_t n = 0; n < STEPS; n++) {
            for (int64_t i = 0; i < n_vocab; i++) logits[i] = (float)rng_uniform(&rng);
            SamplerInput in = {logits, history, n, 0, &c};
            Choice choice;
            Error err = {0};
            if (!CHECK(sampler_choose(sampler, &in, &choice, &err))) break;
            history[n] = choice.id;
        }
        Str text = tokenizer_decode(t, &arena, history, STEPS, false);
        CHECK(utf8_valid(str_slice(text, 0, utf8_complete_prefix(text))));
    }
    arena_drop(&arena);
}

// Where a vocabulary cannot go on with a character, any token may come.
TEST(characters, nothing_is_forbidden_when_all_would_be) {
    Arena arena = arena_for_test();
    Tokenizer *t = some_tokenizer(&arena);
    int64_t n_vocab = tokenizer_size(t);
    Characters c;
    characters_init(&c, &arena, t, n_vocab);
    double *logit = arena_new(&arena, double, n_vocab);
    int32_t begun = -1;
    for (int32_t i = 0; i < n_vocab; i++) {
        Str piece = tokenizer_piece(t, i, false);
        bool goes_on = piece.n > 0 && ((unsigned char)piece.data[0] & 0xC0) == 0x80;
        logit[i] = goes_on ? -HUGE_VAL : 0;
        if (piece.n == 1 && (unsigned char)piece.data[0] == 0xE6) begun = i;
    }
    CHECK_EQUAL(characters_forbid(&c, &begun, 1, logit), 0);
    CHECK(logit[begun] == 0);
    arena_drop(&arena);
}

TEST(characters, cut_text_leaves_an_open_character_out) {
    Arena arena = arena_for_test();
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        Stream s;
        Error err = {0};
        StrBuilder out = str_builder(&arena);
        CHECK(stream_init(&s, NULL, 0, &err));
        stream_add(&s, STR("\xE6\x98\xA5\xE7\x9C"), &out);
        if (is_cut)
            stream_cut(&s, &out);
        else
            stream_finish(&s, &out);
        Str want = is_cut ? STR("\xE6\x98\xA5") : STR("\xE6\x98\xA5\xEF\xBF\xBD");
        CHECK(str_equal(str_built(&out), want));
    }
    arena_drop(&arena);
}
