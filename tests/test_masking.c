// test_masking.c - what is hidden from an encoder: how much, by what, and that the key decides it.
#include <math.h>

#include "tests/test.h"
#include "text/vocab_train.h"
#include "train/packed.h"

enum { SPECIAL = 3, VOCAB = 256 + SPECIAL, LENGTH = 100, TEXTS = 400 };

typedef struct Bench {
    Arena arena;
    Vocab vocab;
    Tokenizer *tokenizer;
    Masking masking;
} Bench;

static bool bench_open(Bench *b, double share) {
    static const Str special[SPECIAL] = {{"[CLS]", 5}, {"[SEP]", 5}, {"[MASK]", 6}};
    Error err = {0};
    VocabRecipe recipe = {.kind = VOCAB_BYTES, .special = special, .n_special = SPECIAL};
    *b = (Bench){0};
    if (!CHECK(arena_init(&b->arena, ARENA_DEFAULT, &err))) return false;
    VocabTrainer *t = vocab_trainer_open(recipe, &err);
    bool ok = t && vocab_trainer_finish(t, &b->arena, &b->vocab, NULL, &err);
    vocab_trainer_close(t);
    b->vocab.eos = 1;
    b->tokenizer = ok ? tokenizer_from_vocab(&b->arena, &b->vocab, &err) : NULL;
    ok = b->tokenizer && masking_make(&b->masking, &b->arena, b->tokenizer, share, &err);
    return test_check(ok, __FILE__, __LINE__, "%s", err.text);
}

// Token i of text k.
static int32_t token(int k, int64_t i) {
    return SPECIAL + (int32_t)((31 * k + 7 * i) % 256);
}

TEST(masking, hides_a_share_by_the_rule_of_bert) {
    Bench b;
    if (!bench_open(&b, 0.15)) return;
    int64_t count = masking_count(&b.masking, LENGTH), masked = 0, other = 0, kept = 0;
    int64_t at[LENGTH] = {0};
    CHECK_EQUAL(count, 15);
    for (int k = 0; k < TEXTS; k++) {
        int32_t ids[LENGTH], place[LENGTH];
        for (int i = 0; i < LENGTH; i++) ids[i] = token(k, i);
        masking_hide(&b.masking, (uint64_t)k, ids, LENGTH, place);
        int64_t n = 0;
        for (int i = 0; i < LENGTH; i++) {
            bool is_chosen = n < count && place[n] == i;
            if (!is_chosen) CHECK_EQUAL(ids[i], token(k, i));
            if (!is_chosen) continue;
            n++;
            at[i]++;
            masked += ids[i] == b.masking.mask;
            kept += ids[i] == token(k, i);
            other += ids[i] != b.masking.mask && ids[i] != token(k, i);
            CHECK(ids[i] == b.masking.mask || ids[i] >= SPECIAL);
        }
        CHECK_EQUAL(n, count);
    }
    double all = (double)(TEXTS * count); // 6000: a standard error of half a per cent
    CHECK_CLOSE((double)masked / all, 0.8, 0.02);
    CHECK_CLOSE((double)other / all, 0.1, 0.02);
    CHECK_CLOSE((double)kept / all, 0.1, 0.02);
    for (int i = 0; i < LENGTH; i++) CHECK_CLOSE((double)at[i], 60, 40); // every place is as likely
    arena_drop(&b.arena);
}

TEST(masking, hides_one_token_at_least_and_all_at_most) {
    Bench b;
    if (!bench_open(&b, 0.15)) return;
    int32_t one = token(0, 0), place = 9;
    CHECK_EQUAL(masking_count(&b.masking, 0), 0);
    CHECK_EQUAL(masking_count(&b.masking, 1), 1);
    CHECK_EQUAL(masking_count(&b.masking, 3), 1);
    masking_hide(&b.masking, 1, &one, 1, &place);
    CHECK_EQUAL(place, 0);
    arena_drop(&b.arena);
}

TEST(masking, the_key_decides) {
    Bench b;
    if (!bench_open(&b, 0.3)) return;
    int32_t ids[3][LENGTH], place[3][LENGTH] = {{0}};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < LENGTH; i++) ids[k][i] = token(0, i);
        masking_hide(&b.masking, k == 2 ? 8 : 7, ids[k], LENGTH, place[k]);
    }
    CHECK(memcmp(ids[0], ids[1], sizeof ids[0]) == 0);
    CHECK(memcmp(place[0], place[1], sizeof place[0]) == 0);
    CHECK(memcmp(place[0], place[2], sizeof place[0]) != 0);
    arena_drop(&b.arena);
}

TEST(masking, needs_a_mask) {
    Bench b;
    Error err = {0};
    if (!bench_open(&b, 0.15)) return;
    int32_t kind[VOCAB];
    for (int i = 0; i < VOCAB; i++) kind[i] = i == 2 ? TOKEN_NORMAL : b.vocab.kind[i];
    b.vocab.kind = kind;
    Tokenizer *t = tokenizer_from_vocab(&b.arena, &b.vocab, &err);
    CHECK_FAILS(masking_make(&b.masking, &b.arena, t, 0.15, &err), err, ERROR_UNSUPPORTED,
                "no [MASK]");
    arena_drop(&b.arena);
}

// Documents are samples of their own; a long one is cut, and [CLS] and [SEP] stand around each.
TEST(masking, documents_are_the_samples_of_an_encoder) {
    Bench b;
    Error err = {0};
    Corpus c;
    if (!bench_open(&b, 0.15)) return;
    Str text = STR("abcdefgh\n\nij\n\nklmno");
    CorpusSpec spec = {.tokenizer = b.tokenizer,
                       .text = &text,
                       .n_texts = 1,
                       .validation = &text,
                       .n_validation = 1,
                       .documents = DOCUMENTS_PARAGRAPHS,
                       .for_encoder = true,
                       .context = 7};
    static const Sample want[] = {{0, 5, 0}, {5, 3, 0}, {9, 2, 0}, {12, 5, 0}};
    if (!CHECK(corpus_make(&b.arena, &spec, &c, &err))) return;
    CHECK_EQUAL(c.n_train_stretches, 4);
    CHECK_EQUAL(c.n_stretches, 8);
    for (int i = 0; i < 4; i++) CHECK(memcmp(&c.stretch[i], &want[i], sizeof want[i]) == 0);
    Packed *p = packed_make(&b.arena, &b.masking, 2, 7);
    packed_clear(p);
    packed_add(p, &c, c.stretch[2], 1);
    packed_add(p, &c, c.stretch[3], 2);
    CHECK_EQUAL(p->batch.n, 2 + 2 + 5 + 2);
    CHECK_EQUAL(p->n_scored, 2);
    CHECK_EQUAL(batch_rows(&p->batch), 2);
    const int32_t *ids = p->batch.ids;
    CHECK(ids[0] == 0 && ids[3] == 1 && ids[4] == 0 && ids[10] == 1);
    for (int i = 0; i < 2; i++) {
        int64_t row = p->batch.logit_row[i];
        int64_t at = i ? c.stretch[3].first + row - 5 : c.stretch[2].first + row - 1;
        CHECK_EQUAL(p->target[i], c.id[at]);
    }
    spec.context = 2;
    CHECK_FAILS(corpus_make(&b.arena, &spec, &c, &err), err, ERROR_USAGE, "3 tokens at least");
    arena_drop(&b.arena);
}
