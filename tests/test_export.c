// test_export.c - models written by heed, against files that other programs wrote.
//
// The fixtures hold each model twice, as transformers saves it and as a GGUF made with the gguf
// package (tools/golden_models.py): what heed makes of the one must hold the numbers of the other,
// tensor by tensor, and compute what the source computes.
#include <stdlib.h>

#include "base/file.h"
#include "export/plan.h"
#include "model/create.h"
#include "model/weights.h"
#include "quant/quant.h"
#include "tests/test.h"
#include "text/vocab_train.h"

static const char *const names[] = {"gpt2",       "llama",        "llama-plain", "llama-linear",
                                    "mistral",    "qwen2",        "qwen3",       "gemma3",
                                    "mamba",      "heed-rnn",     "heed-lstm",   "heed-mamba",
                                    "heed-alibi", "heed-learned", "heed-sine",   "heed-rotary",
                                    "mixtral",    "qwen2-moe",    "qwen3-moe",   "bert"};
enum { N_NAMES = sizeof names / sizeof *names, N_IDS = 24 };

static Model *open_model(const char *path) {
    Error err = {0};
    Model *model = model_open(path, (ModelOptions){0}, &err);
    test_check(model != NULL, __FILE__, __LINE__, "%s: %s", path, err.text);
    return model;
}

static Model *open_fixture(const char *name, bool is_hf) {
    char path[128];
    snprintf(path, sizeof path, "fixtures/models/%s%s", name, is_hf ? "" : "/model.gguf.bin");
    return open_model(test_fixture(path));
}

// Writes the model in one of both ways under a name of the scratch folder, and opens it again.
static Model *saved(const Model *model, const char *name, bool as_hf, ExportOptions options) {
    Error err = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s", test_path(name));
    bool ok = as_hf ? model_save_hf(model, path, options, &err)
                    : model_save_gguf(model, path, options, &err);
    if (!test_check(ok, __FILE__, __LINE__, "%s: %s", name, err.text)) return NULL;
    return open_model(path);
}

// Logits of some fixed ids, in memory of the run.
static const float *logits_of(Run *run, const Model *model, bool is_exact) {
    static int32_t ids[N_IDS];
    SingleBatch single;
    Error err = {0};
    for (int i = 0; i < N_IDS; i++) ids[i] = (7 * i + 3) % 64;
    if (!CHECK(run_open(run, NULL, &err))) return NULL;
    run->exact = is_exact;
    Batch *batch = batch_single(&single, ids, N_IDS);
    run_plan_begin(run);
    model_forward(run, model, batch);
    if (!CHECK(run_allocate(run, &err))) return NULL;
    return tensor_f32(model_forward(run, model, batch));
}

static double largest_difference(const Model *a, const Model *b) {
    Run run_a, run_b;
    double largest = 0;
    const float *x = logits_of(&run_a, a, true), *y = logits_of(&run_b, b, true);
    for (int64_t i = 0; x && y && i < N_IDS * a->config.vocab; i++)
        largest = fmax(largest, fabs((double)x[i] - (double)y[i]));
    run_close(&run_a);
    run_close(&run_b);
    return largest;
}

// ---------------------------------------------------------------- tensors
// Every tensor of `witness` is in `made`, in the same shape and with the same values.
static void check_tensors(const char *name, const Model *made, const Model *witness,
                          double tolerance) {
    test_check(made->tensors->n == witness->tensors->n, __FILE__, __LINE__,
               "%s: %lld tensors, want %lld", name, (long long)made->tensors->n,
               (long long)witness->tensors->n);
    for (int64_t i = 0; i < witness->tensors->n; i++) {
        const TensorEntry *want = &witness->tensors->entry[i];
        const TensorEntry *have = tensor_file_find(made->tensors, want->name);
        bool is_there = have && have->rank == want->rank && have->bytes == want->bytes;
        for (int d = 0; is_there && d < want->rank; d++) is_there = have->dim[d] == want->dim[d];
        if (!test_check(is_there, __FILE__, __LINE__, "%s: %.*s", name, STR_ARG(want->name)))
            continue;
        const float *x = have->data, *y = want->data;
        double largest = 0;
        for (int64_t k = 0; k < want->bytes / 4; k++)
            largest = fmax(largest, fabs((double)x[k] - (double)y[k]));
        test_check(largest <= tolerance, __FILE__, __LINE__, "%s: %.*s differs by %.2e", name,
                   STR_ARG(want->name), largest);
    }
}

static void check_tokenizer(const char *name, const Model *a, const Model *b) {
    static const char *const texts[] = {
        "the and other thing", "  two  blanks\n",
        "3.14 it's",           "caf\xC3\xA9 cafe\xCC\x81 \xF0\x9F\x9A\x80",
        "<|im_end|>",          ""};
    Arena arena;
    Error err = {0};
    if (!CHECK(a->tokenizer && b->tokenizer)) return;
    CHECK_EQUAL(tokenizer_size(a->tokenizer), tokenizer_size(b->tokenizer));
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    for (size_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
        Tokens x, y;
        EncodeOptions options = {.add_special = true, .parse_special = i % 2};
        Str text = str_from(texts[i / 2]);
        bool ok = tokenizer_encode(a->tokenizer, &arena, text, options, &x, &err) &&
                  tokenizer_encode(b->tokenizer, &arena, text, options, &y, &err);
        if (!CHECK(ok)) continue;
        bool same = x.n == y.n;
        for (int64_t k = 0; same && k < x.n; k++) same = x.token[k].id == y.token[k].id;
        test_check(same, __FILE__, __LINE__, "%s: \"%s\" has other ids", name, texts[i / 2]);
    }
    for (int32_t id = 0; id < a->config.vocab; id++)
        test_check(model_ends(a, id) == model_ends(b, id), __FILE__, __LINE__,
                   "%s: id %d ends in one only", name, (int)id);
    CHECK(str_equal(a->chat_template, b->chat_template));
    arena_drop(&arena);
}

// Mamba's A is its logarithm in memory: a GGUF, which holds A, gets it back within rounding.
static bool has_logarithms(const Model *model) {
    return config_uses(&model->config, MIXER_MAMBA);
}

// ---------------------------------------------------------------- round trips
TEST(export, folder_becomes_the_gguf_of_another_program) {
    for (int i = 0; i < N_NAMES; i++) {
        Model *source = open_fixture(names[i], true), *witness = open_fixture(names[i], false);
        Model *made = source ? saved(source, "a.gguf", false, (ExportOptions){0}) : NULL;
        if (made && witness) {
            bool is_turned = source->arch == &arch_llama; // q and k are summed in another order
            check_tensors(names[i], made, witness, 1e-6);
            CHECK(largest_difference(made, source) <=
                  (is_turned || has_logarithms(source) ? 1e-5 : 0));
            CHECK(largest_difference(made, witness) <= 1e-5);
            check_tokenizer(names[i], source, made);
        }
        model_close(made);
        model_close(witness);
        model_close(source);
    }
}

TEST(export, gguf_becomes_the_folder_of_transformers) {
    for (int i = 0; i < N_NAMES; i++) {
        Model *source = open_fixture(names[i], false), *witness = open_fixture(names[i], true);
        char folder[32];
        snprintf(folder, sizeof folder, "folder%d", i);
        Model *made = source ? saved(source, folder, true, (ExportOptions){0}) : NULL;
        if (made && witness) {
            check_tensors(names[i], made, witness, 1e-6);
            CHECK(largest_difference(made, source) <= 1e-5);
            check_tokenizer(names[i], source, made);
        }
        model_close(made);
        model_close(witness);
        model_close(source);
    }
}

// A file keeps what it says, and a value that nobody knows.
TEST(export, gguf_keeps_its_metadata) {
    for (int i = 0; i < N_NAMES; i++) {
        Model *source = open_fixture(names[i], false);
        Model *made = source ? saved(source, "b.gguf", false, (ExportOptions){0}) : NULL;
        if (made) {
            CHECK_EQUAL(made->gguf.n_entries, source->gguf.n_entries);
            for (int64_t k = 0; k < source->gguf.n_entries; k++) {
                const GgufEntry *want = &source->gguf.entry[k], *have = &made->gguf.entry[k];
                CHECK(str_equal(have->key, want->key) && have->value.n == want->value.n &&
                      have->value.bytes == want->value.bytes &&
                      memcmp(have->value.data, want->value.data, (size_t)want->value.bytes) == 0);
            }
            double rounding = has_logarithms(source) ? 1e-6 : 0;
            check_tensors(names[i], made, source, rounding);
            CHECK(largest_difference(made, source) <= 10 * rounding);
        }
        model_close(made);
        model_close(source);
    }
}

TEST(export, metadata_is_that_of_another_program) {
    for (int i = 0; i < N_NAMES; i++) {
        Model *source = open_fixture(names[i], true), *witness = open_fixture(names[i], false);
        Model *made = source ? saved(source, "c.gguf", false, (ExportOptions){0}) : NULL;
        for (int64_t k = 0; made && witness && k < made->gguf.n_entries; k++) {
            Str key = made->gguf.entry[k].key;
            const GgufValue *have = &made->gguf.entry[k].value;
            const GgufValue *want = NULL;
            for (int64_t j = 0; j < witness->gguf.n_entries; j++)
                if (str_equal(witness->gguf.entry[j].key, key))
                    want = &witness->gguf.entry[j].value;
            double x, y;
            if (!want || !gguf_value_number(have, 0, &x) || !gguf_value_number(want, 0, &y))
                continue;
            test_check(x == y, __FILE__, __LINE__, "%s: %.*s is %g, want %g", names[i],
                       STR_ARG(key), x, y);
        }
        model_close(made);
        model_close(witness);
        model_close(source);
    }
}

static bool same_ids(Arena *arena, const Tokenizer *t, Str a, Str b) {
    Tokens x, y;
    Error err = {0};
    bool same = CHECK(tokenizer_encode(t, arena, a, (EncodeOptions){0}, &x, &err) &&
                      tokenizer_encode(t, arena, b, (EncodeOptions){0}, &y, &err)) &&
                x.n == y.n;
    for (int64_t i = 0; same && i < x.n; i++) same = x.token[i].id == y.token[i].id;
    return same;
}

// Gives a tokenizer.json another normalizer, whatever it had on the line of that name.
static void rewrite_normalizer(Arena *arena, const char *path, const char *step) {
    Str text;
    Error err = {0};
    if (!CHECK(file_read(arena, path, 1 << 20, &text, &err))) return;
    size_t at = str_find(text, STR("\"normalizer\":"), 0);
    size_t end = at == SIZE_MAX ? SIZE_MAX : str_find(text, STR("\n"), at);
    FileWriter *file = CHECK(end != SIZE_MAX) ? file_create(path, &err) : NULL;
    if (!CHECK(file)) return;
    file_write(file, text.data, at);
    Str line = str_printf(arena, "\"normalizer\": %s,", step);
    file_write(file, line.data, line.n);
    file_write(file, text.data + end, text.n - end);
    CHECK(file_commit(file, &err));
}

// The normal form of a tokenizer.json goes to a GGUF file, under a key of heed's own, and back.
// What no key can say is refused.
TEST(export, normal_form_survives) {
    Arena arena;
    Error err = {0};
    ExportReport report = {.arena = &arena};
    Model *plain = open_fixture("qwen2", true);
    if (!plain || !CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    model_close(saved(plain, "nfc", true, (ExportOptions){0}));
    rewrite_normalizer(&arena, test_path("nfc/tokenizer.json"), "{\"type\": \"NFC\"}");
    Model *source = open_model(test_path("nfc"));
    Model *file =
        source ? saved(source, "nfc.gguf", false, (ExportOptions){.report = &report}) : NULL;
    Model *folder = file ? saved(file, "nfc2", true, (ExportOptions){0}) : NULL;
    if (folder) {
        Str form, composed = STR("caf\xC3\xA9"), apart = STR("cafe\xCC\x81");
        CHECK(gguf_get_string(&file->gguf, "tokenizer.heed.normal_form", &form, &err) &&
              str_equal(form, STR("NFC")));
        CHECK(str_find(str_built(&report.notes), STR("NFC"), 0) != SIZE_MAX);
        check_tokenizer("nfc", source, file);
        check_tokenizer("nfc", source, folder);
        CHECK(!same_ids(&arena, plain->tokenizer, composed, apart));
        CHECK(same_ids(&arena, file->tokenizer, composed, apart));
    }
    model_close(folder);
    model_close(file);
    model_close(source);
    rewrite_normalizer(&arena, test_path("nfc/tokenizer.json"), "{\"type\": \"Lowercase\"}");
    source = open_model(test_path("nfc"));
    if (source)
        CHECK_FAILS(model_save_gguf(source, test_path("x.gguf"), (ExportOptions){0}, &err), err,
                    ERROR_UNSUPPORTED, "rewrites texts in a way");
    model_close(source);
    model_close(plain);
    arena_drop(&arena);
}

// Where a file is silent, other readers take width / heads for keys and for values.  (Nobody else
// reads heed's own architecture.)
TEST(export, head_widths_are_written_for_keys_and_values) {
    for (int i = 0; i < N_NAMES; i++) {
        Model *source = open_fixture(names[i], true);
        Model *made = source ? saved(source, "w.gguf", false, (ExportOptions){0}) : NULL;
        const Config *c = made ? &made->config : NULL;
        for (int side = 0; made && c->heads && made->arch != &arch_heed && side < 2; side++) {
            const char *key = str_printf(&made->arena, "%s.attention.%s_length", made->arch->name,
                                         side ? "value" : "key")
                                  .data;
            int64_t width = c->width / c->heads;
            Error err = {0};
            CHECK(gguf_try_integer(&made->gguf, key, (GgufRange){1, 512}, &width, &err));
            test_check(width == c->head_width, __FILE__, __LINE__, "%s: %s is read as %lld",
                       names[i], key, (long long)width);
        }
        model_close(made);
        model_close(source);
    }
}

TEST(export, shards_are_one_model) {
    Model *source = open_fixture("qwen3", false);
    Model *made =
        source ? saved(source, "shards", true, (ExportOptions){.shard_bytes = 30000}) : NULL;
    if (made) {
        CHECK(made->tensors->n_parts > 1);
        CHECK(largest_difference(made, source) == 0);
    }
    model_close(made);
    model_close(source);
}

// ---------------------------------------------------------------- types
static DType type_of(const Model *model, const char *name) {
    const TensorEntry *entry = tensor_file_find(model->tensors, str_from(name));
    DType dtype = DTYPE_MXFP4;
    Error err = {0};
    CHECK(entry && tensor_file_dtype(model->tensors, entry, &dtype, &err));
    return dtype;
}

static const ExportedWeight *row_of(const ExportReport *report, const char *name) {
    for (int64_t i = 0; i < report->n; i++)
        if (str_equal(report->weight[i].name, str_from(name))) return &report->weight[i];
    test_check(false, __FILE__, __LINE__, "%s is not in the report", name);
    return &report->weight[0];
}

// Rows of 32 and 64 hold no K blocks: what is written instead is in the report.
TEST(export, types_follow_the_rules) {
    static const struct {
        DType type, matrix, wanted_embed, embed;
        double error; // of matrices, at most
    } rule[] = {{DTYPE_F32, DTYPE_F32, DTYPE_F32, DTYPE_F32, 0},
                {DTYPE_F16, DTYPE_F16, DTYPE_F16, DTYPE_F16, 3e-4},
                {DTYPE_BF16, DTYPE_BF16, DTYPE_BF16, DTYPE_BF16, 3e-3},
                {DTYPE_Q8_0, DTYPE_Q8_0, DTYPE_Q8_0, DTYPE_Q8_0, 1e-2},
                {DTYPE_Q4_0, DTYPE_Q4_0, DTYPE_Q6_K, DTYPE_Q8_0, 1.2e-1},
                {DTYPE_Q4_K, DTYPE_Q8_0, DTYPE_Q6_K, DTYPE_Q8_0, 1e-2}};
    Model *source = open_fixture("llama", true);
    Arena arena;
    Error err = {0};
    if (!source || !CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        ExportReport report = {.arena = &arena};
        ExportOptions options = {.has_type = true, .type = rule[i].type, .report = &report};
        Model *made = saved(source, "d.gguf", false, options);
        if (!made) continue;
        const ExportedWeight *q = row_of(&report, "blk.0.attn_q.weight");
        const ExportedWeight *embed = row_of(&report, "token_embd.weight");
        CHECK_EQUAL(type_of(made, "blk.0.attn_q.weight"), rule[i].matrix);
        CHECK_EQUAL(type_of(made, "token_embd.weight"), rule[i].embed);
        CHECK_EQUAL(type_of(made, "blk.1.attn_norm.weight"), DTYPE_F32);
        CHECK_EQUAL(type_of(made, "rope_freqs.weight"), DTYPE_F32);
        CHECK_EQUAL(q->from, DTYPE_F32);
        CHECK_EQUAL(q->wanted, rule[i].type);
        CHECK_EQUAL(q->to, rule[i].matrix);
        CHECK_EQUAL(embed->wanted, rule[i].wanted_embed);
        CHECK(q->error <= rule[i].error && (q->error > 0) == (rule[i].error > 0));
        CHECK_EQUAL(q->bytes, (int64_t)dtype_row_bytes(rule[i].matrix, 32) * 32);
        model_close(made);
    }
    arena_drop(&arena);
    model_close(source);
}

// A quantised weight that keeps its type keeps its bytes, though the rows of its heads change
// places on the way to another file and back.
TEST(export, rows_of_blocks_are_moved_as_they_are) {
    Model *source = open_fixture("llama-plain", true);
    ExportOptions q8 = {.has_type = true, .type = DTYPE_Q8_0};
    Model *first = source ? saved(source, "e.gguf", false, q8) : NULL;
    Model *second = first ? saved(first, "f.gguf", false, (ExportOptions){0}) : NULL;
    for (int64_t i = 0; second && i < first->tensors->n; i++) {
        const TensorEntry *want = &first->tensors->entry[i];
        const TensorEntry *have = tensor_file_find(second->tensors, want->name);
        CHECK(have && have->bytes == want->bytes &&
              memcmp(have->data, want->data, (size_t)want->bytes) == 0);
    }
    // Decoded into a folder it computes the same.
    ExportOptions f32 = {.has_type = true, .type = DTYPE_F32};
    Model *folder = second ? saved(second, "decoded", true, f32) : NULL;
    if (folder) CHECK(largest_difference(folder, second) <= 1e-5);
    model_close(folder);
    model_close(second);
    model_close(first);
    model_close(source);
}

// Threads share the rows and change nothing.
TEST(export, threads_change_nothing) {
    Error err = {0};
    Pool *pool = pool_open(3, &err);
    Model *source = open_fixture("gpt2", false);
    ExportOptions one = {.has_type = true, .type = DTYPE_F16}, more = one;
    more.pool = pool;
    Model *a = source ? saved(source, "one", true, one) : NULL;
    Model *b = source ? saved(source, "more", true, more) : NULL;
    if (a && b) {
        const FileView *x = &a->tensors->part[0].view, *y = &b->tensors->part[0].view;
        CHECK(x->n == y->n && memcmp(x->data, y->data, x->n) == 0);
    }
    model_close(a);
    model_close(b);
    model_close(source);
    pool_close(pool);
}

// ---------------------------------------------------------------- what the author said
// ---------------------------------------------------------------- the native layout
static Str file_bytes(Arena *arena, const char *name) {
    Error err = {0};
    Str text = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s", test_path(name));
    test_check(file_read(arena, path, 1 << 26, &text, &err), __FILE__, __LINE__, "%s", err.text);
    return text;
}

static bool same_logits_of(const Model *a, const Model *b, bool is_exact) {
    Run run_a, run_b;
    const float *x = logits_of(&run_a, a, is_exact), *y = logits_of(&run_b, b, is_exact);
    bool ok = x && y && memcmp(x, y, sizeof *x * (size_t)(N_IDS * a->config.vocab)) == 0;
    run_close(&run_a);
    run_close(&run_b);
    return ok;
}

static bool same_logits(const Model *a, const Model *b) {
    return same_logits_of(a, b, true) && same_logits_of(a, b, false);
}

// A native file computes the same bits, and becomes the usual file again, byte for byte.
TEST(export, native_layout_loses_nothing) {
    static const DType types[] = {DTYPE_Q8_0, DTYPE_Q4_0};
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    for (int i = 0; i < N_NAMES * 2; i++) {
        const char *name = names[i / 2];
        Model *source = open_fixture(name, false);
        ExportOptions options = {.has_type = true, .type = types[i % 2]}, as_they_are = {0};
        ExportOptions native = {.in_panels = true};
        Model *usual = saved(source, "usual.gguf", false, options);
        Model *panels = usual ? saved(usual, "native.gguf", false, native) : NULL;
        Model *back = panels ? saved(panels, "back.gguf", false, as_they_are) : NULL;
        if (back) {
            Str want = file_bytes(&arena, "usual.gguf"), have = file_bytes(&arena, "back.gguf");
            test_check(str_equal(want, have), __FILE__, __LINE__, "%s: not the same file", name);
            CHECK(weights_count(usual).in_panels == 0);
            CHECK(weights_count(panels).in_panels > 0);
            test_check(same_logits(usual, panels), __FILE__, __LINE__, "%s: other logits", name);
            CHECK(weights_pack(usual, NULL, &err));
            CHECK(weights_count(usual).in_panels >= weights_count(panels).in_panels);
            test_check(same_logits(usual, panels), __FILE__, __LINE__, "%s: other when packed",
                       name);
        }
        model_close(back), model_close(panels), model_close(usual), model_close(source);
    }
    arena_drop(&arena);
}

TEST(export, advice_and_ends_survive) {
    Model *source = open_fixture("llama", true);
    static const int32_t ends[] = {2, 5};
    if (!source) return;
    source->advice = (SamplingAdvice){0.6f, 0.95f, 0.05f, 1.1f, 40};
    source->end_id = ends;
    source->n_end_ids = 2;
    Model *file = saved(source, "g.gguf", false, (ExportOptions){0});
    Model *folder = file ? saved(file, "advice", true, (ExportOptions){0}) : NULL;
    const Model *both[] = {file, folder};
    for (int i = 0; folder && i < 2; i++) {
        CHECK_CLOSE(both[i]->advice.temperature, 0.6, 1e-6);
        CHECK_CLOSE(both[i]->advice.top_p, 0.95, 1e-6);
        CHECK_CLOSE(both[i]->advice.min_p, 0.05, 1e-6);
        CHECK_CLOSE(both[i]->advice.repetition, 1.1, 1e-6);
        CHECK_EQUAL(both[i]->advice.top_k, 40);
        CHECK(model_ends(both[i], 2) && model_ends(both[i], 5) && !model_ends(both[i], 6));
    }
    if (file) CHECK(str_equal(file->name, STR("llama")));
    model_close(folder);
    model_close(file);
    model_close(source);
}

// ---------------------------------------------------------------- refusals
static bool stop_at_half(void *user, int64_t done, int64_t total) {
    (void)user;
    return 2 * done < total;
}

TEST(export, refuses_what_it_cannot_write) {
    Model *folder = open_fixture("llama", true), *file = open_fixture("llama", false);
    Error err;
    if (!folder || !file) return;
    ExportOptions q5 = {.has_type = true, .type = DTYPE_Q5_0};
    ExportOptions q4 = {.has_type = true, .type = DTYPE_Q4_K};
    ExportOptions half = {.has_type = true, .type = DTYPE_F16};
    ExportOptions cancel = {.go_on = stop_at_half};
    CHECK_FAILS(model_save_gguf(folder, test_path("x.gguf"), q5, &err), err, ERROR_USAGE,
                "Q5_0 cannot be written");
    CHECK_FAILS(model_save_hf(file, test_path("x"), q4, &err), err, ERROR_USAGE, "not Q4_K");
    CHECK_FAILS(model_save_gguf(folder, test_path("x.gguf"), cancel, &err), err, ERROR_CANCELLED,
                "cancelled");
    CHECK(!file_exists(test_path("x.gguf")));
    CHECK_FAILS(model_save_hf(file, test_path("y"), cancel, &err), err, ERROR_CANCELLED,
                "cancelled");
    CHECK(!file_exists(test_path("y/config.json")) &&
          !file_exists(test_path("y/model.safetensors")));
    CHECK_FAILS(model_save_gguf(folder, test_path("no/such/folder"), half, &err), err, ERROR_IO,
                "cannot create");

    float *values = tensor_f32(&folder->embed), *own = calloc((size_t)folder->config.vocab * 32, 4);
    if (!CHECK(own)) return;
    memcpy(own, values, tensor_bytes(&folder->embed));
    folder->embed.data = own;
    own[40] = 1e6f;
    CHECK_FAILS(model_save_gguf(folder, test_path("x.gguf"), half, &err), err, ERROR_UNSUPPORTED,
                "too large for F16");
    own[40] = NAN;
    CHECK_FAILS(model_save_gguf(folder, test_path("x.gguf"), half, &err), err, ERROR_FORMAT,
                "token_embd.weight holds values that are no finite numbers");
    CHECK(!file_exists(test_path("x.gguf")));
    free(own);

    float divisors[] = {1, 3, 2, 9};
    file->rotary_divisors.data = divisors;
    CHECK_FAILS(model_save_hf(file, test_path("z"), half, &err), err, ERROR_UNSUPPORTED,
                "no llama3 scaling");
    CHECK(!file_exists(test_path("z")));
    model_close(folder);
    model_close(file);
}

// A folder of another model is not mixed with this one.
TEST(export, refuses_a_folder_with_files_of_another_model) {
    Model *file = open_fixture("llama", false);
    Error err = {0};
    if (!file || !CHECK(file_make_folder(test_path("mixed"), &err))) return;
    FileWriter *out = file_create(test_path("mixed/chat_template.jinja"), &err);
    if (!CHECK(out)) return;
    file_write(out, "x", 1);
    CHECK(file_commit(out, &err));
    CHECK_FAILS(model_save_hf(file, test_path("mixed"), (ExportOptions){0}, &err), err, ERROR_USAGE,
                "no part of the new model");
    model_close(file);
}

// Any factor and any original context is found in the divisors; plain ones are no scaling.
TEST(export, llama3_scaling_is_found_in_its_divisors) {
    static const struct {
        float factor;
        int64_t original;
    } known[] = {{8, 128}, {32, 128}, {3.5f, 100}, {1, 0}};
    Model *file = open_fixture("llama", false);
    Arena arena;
    Error err = {0};
    if (!file || !CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    for (int i = 0; i < 4; i++) {
        RotarySpec spec = file->config.rotary;
        spec.scaling = SCALING_LLAMA3;
        spec.factor = known[i].factor;
        spec.low = 1;
        spec.high = 4;
        spec.original_context = known[i].original;
        file->rotary_divisors.data = rotary_llama3_divisors(&arena, &spec);
        char name[32];
        snprintf(name, sizeof name, "scaled%d", i);
        Model *made = saved(file, name, true, (ExportOptions){0});
        if (!made) continue;
        CHECK_EQUAL(made->config.rotary.scaling, i == 3 ? SCALING_NONE : SCALING_LLAMA3);
        CHECK(i == 3 || made->config.rotary.original_context == known[i].original);
        CHECK(i == 3 || made->config.rotary.factor == known[i].factor);
        model_close(made);
    }
    arena_drop(&arena);
    model_close(file);
}

// ---------------------------------------------------------------- tokenizer.json
enum { N_WORDS = 17 };

static void check_same_ids(const Tokenizer *a, const Tokenizer *b, Arena *arena) {
    static const char *const texts[] = {"the then", "  hen  the", "t\xC3\xA9z", "<s>the</s>",
                                        "",         "aaaa hehe",  "ttttthe",    "   "};
    Error err = {0};
    for (size_t i = 0; i < 2 * sizeof texts / sizeof *texts; i++) {
        Tokens x, y;
        EncodeOptions options = {.add_special = true, .parse_special = i % 2};
        Str text = str_from(texts[i / 2]);
        if (!CHECK(tokenizer_encode(a, arena, text, options, &x, &err)) ||
            !CHECK(tokenizer_encode(b, arena, text, options, &y, &err)))
            continue;
        bool same = x.n == y.n;
        for (int64_t k = 0; same && k < x.n; k++) same = x.token[k].id == y.token[k].id;
        test_check(same, __FILE__, __LINE__, "\"%s\" has other ids", texts[i / 2]);
        int32_t ids[64];
        for (int64_t k = 0; k < x.n && k < 64; k++) ids[k] = x.token[k].id;
        CHECK(str_equal(tokenizer_decode(a, arena, ids, x.n, false),
                        tokenizer_decode(b, arena, ids, x.n, false)));
    }
}

// Scores become merges: the ids stay, with and without the space in front, bytes for what no token
// has, and tokens with spaces that no merge may reach.
TEST(export, scores_become_merges) {
    static const char *const words[N_WORDS] = {
        "<unk>", "<s>", "</s>",          "\xE2\x96\x81", "t",   "h",  "e",  "n", "a",
        "th",    "he",  "\xE2\x96\x81t", "the",          "hen", "en", "aa", "  "};
    static const float score[N_WORDS] = {0,  0,  0,  -20, -21, -22, -23, -24, -25,
                                         -1, -2, -3, -4,  -5,  -6,  -7,  0};
    Arena arena;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    Vocab vocab;
    if (!CHECK(vocab_defaults(&vocab, STR("llama"), STR(""), &err))) return;
    int64_t n = N_WORDS + 256;
    Str *token = arena_new(&arena, Str, n);
    float *scores = arena_new(&arena, float, n);
    int32_t *kind = arena_new(&arena, int32_t, n);
    for (int i = 0; i < n; i++) {
        bool is_byte = i >= N_WORDS;
        token[i] = is_byte ? str_printf(&arena, "<0x%02X>", i - N_WORDS) : str_from(words[i]);
        scores[i] = is_byte ? 0 : score[i];
        kind[i] = is_byte  ? TOKEN_BYTE
                  : i == 0 ? TOKEN_UNKNOWN
                  : i < 3  ? TOKEN_CONTROL
                           : TOKEN_NORMAL;
    }
    kind[N_WORDS - 1] = TOKEN_USER_DEFINED;
    vocab.n_tokens = n;
    vocab.token = token;
    vocab.score = scores;
    vocab.kind = kind;
    for (int prefix = 0; prefix < 2; prefix++) {
        vocab.add_space_prefix = prefix;
        vocab.add_eos = !prefix;
        Str json;
        Tokenizer *from = tokenizer_from_vocab(&arena, &vocab, &err), *made = NULL;
        if (CHECK(export_tokenizer_json(&arena, &vocab, &json, &err)))
            made = tokenizer_from_json(&arena, json, STR(""), &err);
        if (test_check(from && made, __FILE__, __LINE__, "%s", err.text))
            check_same_ids(from, made, &arena);
    }
    arena_drop(&arena);
}

// Two bytes that no text holds would become another token in JSON.
TEST(export, refuses_tokens_that_are_no_text) {
    static const char *const words[] = {"<unk>", "<s>", "</s>", "\xFF\xFE"};
    static const float score[4] = {0};
    Str token[4], json;
    Arena arena;
    Vocab vocab;
    Error err = {0};
    if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
    if (!CHECK(vocab_defaults(&vocab, STR("llama"), STR(""), &err))) return;
    for (int i = 0; i < 4; i++) token[i] = str_from(words[i]);
    vocab.token = token;
    vocab.score = score;
    vocab.n_tokens = 4;
    CHECK_FAILS(export_tokenizer_json(&arena, &vocab, &json, &err), err, ERROR_UNSUPPORTED,
                "token 3 is no text");
    arena_drop(&arena);
}

// ---------------------------------------------------------------- models from nothing
// A model that no file lies behind, with a vocabulary of bytes.
static Model *made(Arena *arena, const char *arch, Vocab *vocab) {
    Error err = {0};
    const ConfigEntry entries[] = {{"context_length", 32},
                                   {"embedding_length", 32},
                                   {"block_count", 2},
                                   {"feed_forward_length", strcmp(arch, "mamba") ? 64 : 0},
                                   {"attention.head_count", strcmp(arch, "mamba") ? 2 : 0},
                                   {"attention.layer_norm_rms_epsilon", 1e-5},
                                   {"attention.layer_norm_epsilon", 1e-5},
                                   {"attention.sliding_window", arch[0] == 'g' ? 16 : 0},
                                   {"ssm.inner_size", 64},
                                   {"ssm.state_size", 4},
                                   {"ssm.conv_kernel", 4},
                                   {"ssm.time_step_rank", 2}};
    VocabTrainer *t = vocab_trainer_open((VocabRecipe){.kind = VOCAB_BYTES}, &err);
    bool ok = t && vocab_trainer_finish(t, arena, vocab, NULL, &err);
    vocab_trainer_close(t);
    ModelPlan plan = {.arch = arch_named(str_from(arch)),
                      .entry = entries,
                      .n_entries = sizeof entries / sizeof *entries,
                      .vocab = vocab,
                      .is_tied = true,
                      .name = arch};
    Model *m = ok ? model_create(&plan, &err) : NULL;
    test_check(m != NULL, __FILE__, __LINE__, "%s: %s", arch, err.text);
    return m;
}

TEST(export, of_a_made_model_opens_as_the_same) {
    static const char *const archs[] = {"gpt2", "llama", "qwen2", "qwen3", "gemma3", "mamba"};
    for (int i = 0; i < 12; i++) {
        const char *arch = archs[i / 2];
        Arena arena;
        Error err = {0};
        Vocab vocab;
        if (!CHECK(arena_init(&arena, ARENA_DEFAULT, &err))) return;
        Model *m = made(&arena, arch, &vocab);
        Model *opened =
            m ? saved(m, i % 2 ? "made_folder" : "made.gguf", i % 2, (ExportOptions){0}) : NULL;
        if (opened) {
            double d = largest_difference(m, opened);
            test_check(d < 1e-5, __FILE__, __LINE__, "%s: logits differ by %.2e", arch, d);
            check_tokenizer(arch, m, opened);
            // llama.cpp has no default for it, in any architecture.
            const char *key = str_printf(&arena, "%s.feed_forward_length", arch).data;
            CHECK(i % 2 || gguf_find(&opened->gguf, key));
        }
        model_close(opened);
        model_close(m);
        arena_drop(&arena);
    }
}
