// test_train.c - a model that learns: it gets better, and how it gets there is repeatable.
#include <stdlib.h>

#include "base/file.h"
#include "export/export.h"
#include "model/create.h"
#include "model/weights.h"
#include "tests/test.h"
#include "text/vocab_train.h"
#include "train/checkpoint.h"
#include "train/size.h"

// A little model with everything it needs to learn tests/fixtures/page.txt byte by byte.
typedef struct Bench {
    Arena arena;
    Vocab vocab;
    Tokenizer *tokenizer;
    Corpus corpus;
    Settings settings;
    Model *model;
    Pool *pool;
    Trainer trainer;
} Bench;

static bool is_encoder(const Bench *b) {
    return b->settings.arch == ARCH_BERT;
}

static bool make_corpus(Bench *b, const CorpusSpec *like) {
    static const Str around[] = {{"[CLS]", 5}, {"[SEP]", 5}, {"[MASK]", 6}};
    Error err = {0};
    Str text;
    VocabRecipe recipe = {
        .kind = VOCAB_BYTES, .special = around, .n_special = is_encoder(b) ? 3 : 0};
    VocabTrainer *t = vocab_trainer_open(recipe, &err);
    bool ok = t && vocab_trainer_finish(t, &b->arena, &b->vocab, NULL, &err);
    vocab_trainer_close(t);
    if (is_encoder(b)) b->vocab.eos = 1;
    b->tokenizer = ok ? tokenizer_from_vocab(&b->arena, &b->vocab, &err) : NULL;
    ok = b->tokenizer &&
         file_read(&b->arena, test_fixture("fixtures/page.txt"), 1 << 20, &text, &err);
    CorpusSpec spec = *like;
    spec.tokenizer = b->tokenizer;
    spec.for_encoder = is_encoder(b);
    if (!spec.text) {
        spec.text = &text;
        spec.n_texts = 1;
    }
    ok = ok && corpus_make(&b->arena, &spec, &b->corpus, &err);
    return test_check(ok, __FILE__, __LINE__, "%s", err.text);
}

static Model *make_model(Bench *b, const char *arch, Error *err) {
    const ConfigEntry llama[] = {{"context_length", 32},
                                 {"embedding_length", 32},
                                 {"block_count", 2},
                                 {"feed_forward_length", 64},
                                 {"attention.head_count", 2},
                                 {"attention.layer_norm_rms_epsilon", 1e-5},
                                 {"attention.layer_norm_epsilon", 1e-5},
                                 {"attention.sliding_window", arch[0] == 'g' ? 16 : 0}};
    ModelPlan plan = {.arch = arch_named(str_from(arch)),
                      .entry = llama,
                      .n_entries = 8,
                      .vocab = &b->vocab,
                      .is_tied = true,
                      .seed = (uint64_t)b->settings.seed,
                      .name = "made"};
    return model_create(&plan, err);
}

static Settings small_settings(void) {
    Settings s = settings_default();
    s.context = 32;
    s.batch = 4;
    s.steps = 60;
    s.rate = 0.01;
    s.validation_share = 0.1;
    return s;
}

static bool bench_open(Bench *b, Settings settings) {
    Error err = {0};
    *b = (Bench){.settings = settings};
    if (!CHECK(arena_init(&b->arena, ARENA_DEFAULT, &err))) return false;
    if (!make_corpus(b, &(CorpusSpec){.validation_share = 0.1, .context = settings.context}))
        return false;
    b->model = make_model(b, is_encoder(b) ? "bert" : "llama", &err);
    TrainerSpec spec = {b->model, NULL, &b->corpus, &b->settings, b->pool, NULL};
    bool ok = b->model && trainer_open(&b->trainer, &spec, &err);
    return test_check(ok, __FILE__, __LINE__, "%s", err.text);
}

static void bench_close(Bench *b) {
    trainer_close(&b->trainer);
    model_close(b->model);
    arena_drop(&b->arena);
}

static double steps(Bench *b, int n) {
    Error err = {0};
    StepReport r = {0};
    for (int i = 0; i < n; i++)
        test_check(trainer_step(&b->trainer, &r, &err), __FILE__, __LINE__, "%s", err.text);
    return r.loss;
}

static void add_weight(void *user, const Weight *w, int layer) {
    (void)layer;
    uint64_t *sum = user;
    const uint32_t *bits = w->tensor->data;
    for (int64_t i = 0; i < tensor_count(w->tensor); i++) *sum = *sum * 31 + bits[i];
}

static uint64_t weights_hash(Model *m) {
    uint64_t sum = 7;
    weights_each(m, add_weight, &sum);
    return sum;
}

TEST(train, starts_at_the_logarithm_of_the_vocabulary_and_learns) {
    Bench b;
    if (!bench_open(&b, small_settings())) return;
    Validation before, after;
    Error err = {0};
    CHECK(trainer_validate(&b.trainer, &before, &err));
    CHECK_CLOSE(before.nats, log(257), 0.1);
    CHECK_CLOSE(before.bits, before.nats / log(2), 0.02); // a token is a byte, but for the last
    CHECK(steps(&b, 60) < 3.4);
    CHECK(trainer_validate(&b.trainer, &after, &err)); // on Chinese text, which ends the page
    CHECK(after.nats < before.nats - 0.7);
    CHECK_EQUAL(b.trainer.progress.tokens, 60 * 4 * 32);
    bench_close(&b);
}

TEST(train, an_encoder_learns_from_blanks) {
    Settings s = small_settings();
    Bench b;
    Error err = {0};
    Validation before, again;
    s.arch = ARCH_BERT;
    if (!bench_open(&b, s)) return;
    CHECK(trainer_validate(&b.trainer, &before, &err));
    CHECK(trainer_validate(&b.trainer, &again, &err));
    CHECK_CLOSE(before.nats, log(259), 0.1);
    CHECK(before.nats == again.nats && isnan(before.bits)); // the same blanks; no bits a byte
    CHECK(steps(&b, 60) < 4);
    bench_close(&b);
}

TEST(train, seed_decides_everything) {
    Settings s = small_settings();
    uint64_t hash[3];
    s.dropout = 0.1;
    for (int i = 0; i < 3; i++) {
        Bench b;
        s.seed = i == 2 ? 2 : 1;
        if (!bench_open(&b, s)) return;
        steps(&b, 5);
        hash[i] = weights_hash(b.model);
        bench_close(&b);
    }
    CHECK(hash[0] == hash[1]);
    CHECK(hash[0] != hash[2]);
}

// The largest difference of two models' weights.
typedef struct Twins {
    float *values;
    int64_t n, at;
    double difference;
    bool fills;
} Twins;

static void compare_weight(void *user, const Weight *w, int layer) {
    (void)layer;
    Twins *t = user;
    const float *values = tensor_f32(w->tensor);
    for (int64_t i = 0; i < tensor_count(w->tensor); i++, t->at++) {
        if (t->fills)
            t->values[t->at] = values[i];
        else
            t->difference = fmax(t->difference, fabs((double)t->values[t->at] - (double)values[i]));
    }
}

// Trains twice, with other settings, and compares the weights.
static double difference_of(Settings one, Settings two, int n_steps) {
    Twins t = {.values = calloc(1 << 20, sizeof(float))};
    for (int i = 0; i < 2; i++) {
        Bench b;
        if (!bench_open(&b, i ? two : one)) return 1;
        steps(&b, n_steps);
        t.at = 0;
        t.fills = i == 0;
        weights_each(b.model, compare_weight, &t);
        bench_close(&b);
    }
    free(t.values);
    return t.difference;
}

TEST(train, accumulated_batches_equal_the_big_one) {
    Settings one = small_settings(), two = one;
    two.batch = 1;
    two.accumulate = 4;
    one.epsilon = two.epsilon = 1e-4; // a gradient near 0 would turn rounding into a whole step
    CHECK(difference_of(one, two, 3) < 2e-4);
    one.arch = two.arch = ARCH_BERT; // the same tokens are hidden
    CHECK(difference_of(one, two, 3) < 2e-4);
}

TEST(train, recomputing_blocks_changes_no_bit) {
    Settings one = small_settings(), two = one;
    one.dropout = two.dropout = 0.2;
    two.recompute = true;
    CHECK(difference_of(one, two, 3) == 0);
    one.arch = two.arch = ARCH_BERT;
    CHECK(difference_of(one, two, 3) == 0);
}

TEST(train, recomputing_blocks_takes_less_memory) {
    size_t bytes[2];
    for (int i = 0; i < 2; i++) {
        Settings s = small_settings();
        Bench b;
        s.recompute = i;
        s.batch = 16;
        if (!bench_open(&b, s)) return;
        bytes[i] = trainer_bytes(&b.trainer);
        bench_close(&b);
    }
    CHECK(bytes[1] < bytes[0] * 3 / 4);
}

TEST(train, products_in_bf16_learn_as_well) {
    Settings exact = small_settings(), rounded = exact;
    rounded.bf16 = true;
    double difference = difference_of(exact, rounded, 3);
    CHECK(difference > 0 && difference < 0.1); // three steps of 0.01 at most, in opposite ways
    Bench b;
    if (!bench_open(&b, rounded)) return;
    CHECK(steps(&b, 60) < 3.4);
    bench_close(&b);
}

TEST(train, muon_learns) {
    Settings s = small_settings();
    Bench b;
    s.optimizer = OPTIMIZER_MUON;
    if (!bench_open(&b, s)) return;
    CHECK(steps(&b, 40) < 3.2);
    bench_close(&b);
}

// ---------------------------------------------------------------- checkpoints
// A second bench on the newest checkpoint of the folder.
static bool bench_resume(Bench *b, const char *folder) {
    Error err = {0};
    TrainProgress progress;
    *b = (Bench){0};
    if (!CHECK(arena_init(&b->arena, ARENA_DEFAULT, &err))) return false;
    Str path = checkpoint_newest(&b->arena, folder);
    if (!CHECK(path.n > 0)) return false;
    b->model = model_open(path.data, (ModelOptions){0}, &err);
    bool ok = b->model && checkpoint_read(&b->model->gguf, &b->settings, &progress, &err) &&
              model_thaw(b->model, &err);
    ok = ok && make_corpus(b, &(CorpusSpec){.validation_share = 0.1, .context = 32});
    TrainerSpec spec = {b->model, NULL, &b->corpus, &b->settings, b->pool, NULL};
    ok = ok && trainer_open(&b->trainer, &spec, &err) &&
         checkpoint_restore(&b->trainer, &b->model->gguf, &progress, &err);
    return test_check(ok, __FILE__, __LINE__, "%s", err.text);
}

TEST(train, resuming_changes_no_bit) {
    static const char *const folders[] = {"resumed.0", "resumed.1", "resumed.2"};
    Error err = {0};
    for (int i = 0; i < 3; i++) {
        Settings s = small_settings();
        Bench one, two;
        const char *folder = test_path(folders[i]);
        if (i == 2) s.arch = ARCH_BERT;
        s.dropout = 0.1;
        s.accumulate = 2;
        s.optimizer = i == 1 ? OPTIMIZER_MUON : OPTIMIZER_ADAMW;
        s.keep = 2;
        if (!bench_open(&one, s)) return;
        for (int at = 3; at <= 9; at += 3) {
            steps(&one, 3);
            test_check(checkpoint_save(&one.trainer, folder, &err), __FILE__, __LINE__, "%s",
                       err.text);
        }
        if (!bench_resume(&two, folder)) return;
        CHECK_EQUAL(two.trainer.progress.step, 9);
        CHECK(weights_hash(one.model) == weights_hash(two.model));
        double a = steps(&one, 4), b = steps(&two, 4);
        CHECK(a == b);
        CHECK(weights_hash(one.model) == weights_hash(two.model));
        CHECK(!file_exists(checkpoint_path(&one.arena, folder, 3).data));
        CHECK(file_exists(checkpoint_path(&one.arena, folder, 6).data));
        bench_close(&one);
        bench_close(&two);
    }
}

TEST(train, resuming_on_other_texts_is_refused) {
    const char *folder = test_path("other");
    Error err = {0};
    Bench one;
    if (!bench_open(&one, small_settings())) return;
    steps(&one, 1);
    CHECK(checkpoint_save(&one.trainer, folder, &err));
    TrainProgress progress;
    Settings settings = {0};
    Model *m = model_open(checkpoint_newest(&one.arena, folder).data, (ModelOptions){0}, &err);
    CHECK(m && checkpoint_read(&m->gguf, &settings, &progress, &err) && model_thaw(m, &err));
    Bench two = {.settings = settings};
    CHECK(arena_init(&two.arena, ARENA_DEFAULT, &err));
    Str text = STR("Quite another text, long enough to be cut into windows of thirty-two bytes.");
    CHECK(make_corpus(&two, &(CorpusSpec){.text = &text, .n_texts = 1, .context = 32}));
    TrainerSpec spec = {m, NULL, &two.corpus, &two.settings, NULL, NULL};
    CHECK(trainer_open(&two.trainer, &spec, &err));
    CHECK_FAILS(checkpoint_restore(&two.trainer, &m->gguf, &progress, &err), err, ERROR_USAGE,
                "other texts");
    two.model = m;
    bench_close(&two);
    bench_close(&one);
}

// ---------------------------------------------------------------- what goes wrong
TEST(train, says_where_a_number_ended) {
    Error err = {0};
    StepReport r;
    Bench b;
    if (!bench_open(&b, small_settings())) return;
    tensor_f32(&b.model->layer[1].channel.up)[5] = NAN;
    CHECK_FAILS(trainer_step(&b.trainer, &r, &err), err, ERROR_FORMAT, "blk.1.ffn_up.weight");
    tensor_f32(&b.model->layer[1].channel.up)[5] = 0;
    for (int i = 0; i < 32 * 64; i++) tensor_f32(&b.model->layer[0].channel.up)[i] = 1e30f;
    for (int i = 0; i < 32 * 64; i++) tensor_f32(&b.model->layer[0].channel.down)[i] = 1e30f;
    CHECK_FAILS(trainer_step(&b.trainer, &r, &err), err, ERROR_FORMAT, "in layer 0");
    CHECK_EQUAL(b.trainer.progress.step, 0);
    bench_close(&b);
}

// ---------------------------------------------------------------- corpus
TEST(train, every_window_comes_once_an_epoch) {
    Bench b = {.settings = small_settings()};
    Error err = {0};
    CHECK(arena_init(&b.arena, ARENA_DEFAULT, &err));
    if (!make_corpus(&b, &(CorpusSpec){.validation_share = 0.1, .context = 32})) return;
    int64_t n = corpus_samples(&b.corpus, 32);
    char *seen = arena_new(&b.arena, char, b.corpus.n);
    Draw d = draw_make(&b.arena, &b.corpus, 32, 1), late = draw_make(&b.arena, &b.corpus, 32, 1);
    for (int64_t i = 0; i < n; i++) {
        Sample s = draw_next(&d);
        CHECK_EQUAL(s.n, 33);
        CHECK(s.first + s.n <= b.corpus.n_train && !seen[s.first]);
        seen[s.first] = 1;
    }
    late.counter = n + 5; // in the second epoch, without the first
    for (int i = 0; i < 5; i++) draw_next(&d);
    CHECK_EQUAL(draw_next(&late).first, draw_next(&d).first);
    arena_drop(&b.arena);
}

TEST(train, only_answers_of_pairs_count) {
    Bench b = {.settings = small_settings()};
    Error err = {0};
    CHECK(arena_init(&b.arena, ARENA_DEFAULT, &err));
    Str text = STR("ab\tc\tnot read\n\nd\tef\n"), bad = STR("ab\tc\nno answer here\n");
    CorpusSpec spec = {.text = &text, .n_texts = 1, .pairs = true, .context = 32};
    if (!make_corpus(&b, &spec)) return;
    CHECK_EQUAL(b.corpus.n_stretches, 2);
    Sample first = b.corpus.stretch[0], second = b.corpus.stretch[1];
    CHECK_EQUAL(first.given, 3); // a, b, newline
    CHECK_EQUAL(first.n, 5);     // .. c, end of text
    CHECK_EQUAL(second.given, 2);
    CHECK_EQUAL(second.n, 5);
    spec.tokenizer = b.tokenizer;
    spec.text = &bad;
    CHECK_FAILS(corpus_make(&b.arena, &spec, &b.corpus, &err), err, ERROR_USAGE, "line 2");
    spec.text = &text;
    spec.context = 3;
    CHECK_FAILS(corpus_make(&b.arena, &spec, &b.corpus, &err), err, ERROR_USAGE,
                "context is shorter");
    arena_drop(&b.arena);
}

// ---------------------------------------------------------------- models from nothing
TEST(create, a_saved_model_opens_as_the_same) {
    static const char *const archs[] = {"gpt2", "llama", "qwen2", "qwen3", "gemma3", "bert"};
    for (int i = 0; i < 6; i++) {
        Bench b = {.settings = small_settings()};
        if (strcmp(archs[i], "bert") == 0) b.settings.arch = ARCH_BERT;
        Error err = {0};
        CHECK(arena_init(&b.arena, ARENA_DEFAULT, &err));
        if (!make_corpus(&b, &(CorpusSpec){.context = 32})) return;
        Model *made = make_model(&b, archs[i], &err);
        if (!test_check(made != NULL, __FILE__, __LINE__, "%s: %s", archs[i], err.text)) return;
        const char *path = test_path("made.gguf");
        CHECK(model_save_gguf(made, path, (ExportOptions){0}, &err));
        Model *opened = model_open(path, (ModelOptions){0}, &err);
        if (!test_check(opened != NULL, __FILE__, __LINE__, "%s: %s", archs[i], err.text)) return;
        CHECK(weights_hash(made) == weights_hash(opened));
        CHECK(model_thaw(opened, &err));
        CHECK(weights_hash(made) == weights_hash(opened));
        CHECK_EQUAL(weights_count(made).total, weights_count(opened).total);
        model_close(opened);
        model_close(made);
        arena_drop(&b.arena);
    }
}

// What heed's own architecture can say of a standard one is made as that.
TEST(create, a_standard_model_bears_its_own_name) {
    static const struct {
        const char *mixers, *positions, *norm;
        int ffn;
        const char *name;
    } want[] = {{"attention", "rotary", "rms", 64, "llama"},
                {"attention", "alibi", "rms", 64, "heed"},
                {"attention", "rotary", "layer", 64, "heed"},
                {"attention,mamba", "rotary", "rms", 64, "heed"},
                {"lstm", "none", "rms", 64, "heed"},
                {"mamba", "none", "rms", 64, "heed"},
                {"mamba", "none", "rms", 0, "mamba"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        Bench b = {.settings = small_settings()};
        Error err = {0};
        CHECK(arena_init(&b.arena, ARENA_DEFAULT, &err));
        if (!make_corpus(&b, &(CorpusSpec){.context = 32})) return;
        const ConfigEntry entries[] = {{"context_length", 32},
                                       {"embedding_length", 32},
                                       {"block_count", 2},
                                       {"feed_forward_length", want[i].ffn},
                                       {"norm_epsilon", 1e-5},
                                       {"mixers", 0, want[i].mixers},
                                       {"positions", 0, want[i].positions},
                                       {"norm", 0, want[i].norm},
                                       {"attention.head_count", 2},
                                       {"ssm.inner_size", 64},
                                       {"ssm.state_size", 4},
                                       {"ssm.conv_kernel", 4},
                                       {"ssm.time_step_rank", 2}};
        ModelPlan plan = {.arch = &arch_heed,
                          .entry = entries,
                          .n_entries = sizeof entries / sizeof *entries,
                          .vocab = &b.vocab,
                          .name = "made"};
        Model *made = model_create(&plan, &err);
        const char *path = test_path("made.gguf");
        if (!test_check(made && model_save_gguf(made, path, (ExportOptions){0}, &err), __FILE__,
                        __LINE__, "%s: %s", want[i].mixers, err.text))
            return;
        Model *opened = model_open(path, (ModelOptions){0}, &err);
        if (!test_check(opened != NULL, __FILE__, __LINE__, "%s", err.text)) return;
        CHECK(strcmp(opened->arch->name, want[i].name) == 0);
        bool is_exact = !config_uses(&made->config, MIXER_MAMBA); // the logarithm of A is rounded
        CHECK(!is_exact || weights_hash(made) == weights_hash(opened));
        CHECK_EQUAL(weights_count(made).total, weights_count(opened).total);
        model_close(opened);
        model_close(made);
        arena_drop(&b.arena);
    }
}

TEST(create, impossible_numbers_are_refused) {
    Bench b = {.settings = small_settings()};
    Error err = {0};
    CHECK(arena_init(&b.arena, ARENA_DEFAULT, &err));
    if (!make_corpus(&b, &(CorpusSpec){.context = 32})) return;
    const ConfigEntry entries[] = {{"context_length", 32}, {"embedding_length", 30.5}};
    ModelPlan plan = {
        .arch = &arch_llama, .entry = entries, .n_entries = 2, .vocab = &b.vocab, .name = "new"};
    CHECK_FAILS(model_create(&plan, &err), err, ERROR_FORMAT, "new: llama.embedding_length");
    arena_drop(&b.arena);
}

// ---------------------------------------------------------------- settings
TEST(settings, are_what_was_written) {
    Error err = {0};
    Arena arena;
    CHECK(arena_init(&arena, 1 << 20, &err));
    Settings s = settings_default(), t = settings_default();
    CHECK(settings_read(&s,
                        STR("# a run\nwidth = 96\nschedule = stable # then down\n\nuntied = true\n"
                            "rate=0.00123456789012345\n"),
                        "file", &err));
    StrBuilder out = str_builder(&arena);
    settings_write(&s, &out, true);
    CHECK(settings_read(&t, str_built(&out), "again", &err));
    CHECK_EQUAL(t.width, 96);
    CHECK(t.untied && t.rate == s.rate && t.schedule == SCHEDULE_STABLE);
    CHECK_FAILS(settings_read(&s, STR("width = 96\nwidht = 3"), "file", &err), err, ERROR_USAGE,
                "file: line 2: no setting is called 'widht'");
    CHECK_FAILS(settings_read(&s, STR("width = wide"), "file", &err), err, ERROR_USAGE,
                "width: must be a whole number");
    CHECK_FAILS(settings_read(&s, STR("optimizer = sgd"), "file", &err), err, ERROR_USAGE,
                "adamw|muon");
    CHECK_FAILS(settings_read(&s, STR("width"), "file", &err), err, ERROR_USAGE, "key = value");
    for (int i = 0; settings_preset_name(i); i++)
        CHECK(
            settings_read(&s, settings_preset(str_from(settings_preset_name(i))), "preset", &err));
    arena_drop(&arena);
}

TEST(settings, are_fitted_to_text_and_time) {
    Error err = {0};
    SizeHints hints = {.text_bytes = 12000000, .flops = 1e11};
    Settings s = settings_default();
    s.vocab = size_vocab(hints.text_bytes);
    s.minutes = 10;
    CHECK_EQUAL(s.vocab, 4096);
    CHECK(size_fit(&s, &hints, 3000000, &err));
    CHECK(s.width >= 64 && s.layers >= 2 && s.width % s.heads == 0 && s.steps > 100 &&
          s.rate > 1e-4);
    Settings longer = settings_default();
    longer.vocab = s.vocab;
    longer.minutes = 1000;
    CHECK(size_fit(&longer, &hints, 3000000, &err));
    CHECK(longer.width > s.width);
    Settings odd = s;
    odd.heads = 7;
    CHECK_FAILS(size_fit(&odd, &hints, 3000000, &err), err, ERROR_USAGE, "do not divide");
}
