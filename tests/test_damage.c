// test_damage.c - whatever is wrong with a model's files is one line of an error, never a signal.
//
// The tiny models of tests/fixtures/models are cut short, changed byte by byte, given wrong numbers
// and taken away while they are used.  What opens in spite of that is run: in bounds, as the
// sanitizers tell.  fuzz/fuzz_model.c goes on from here.
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "generate/session.h"
#include "tests/test.h"

static const ModelOptions MAPPED = {0}, READ = {.no_mmap = true};
static const SessionOptions SMALL = {.context = 8, .cache = DTYPE_F16};

// A fixture's file, in memory.
static Str fixture(Arena *arena, const char *model, const char *file) {
    char path[128];
    Str bytes = {0};
    Error err = {0};
    snprintf(path, sizeof path, "fixtures/models/%s/%s", model, file);
    bool ok = file_read(arena, test_fixture(path), 1 << 20, &bytes, &err);
    test_check(ok, __FILE__, __LINE__, "%s", err.text);
    return bytes;
}

static bool put_file(const char *path, Str bytes) {
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(bytes.data, 1, bytes.n, file) == bytes.n;
    if (file) ok &= fclose(file) == 0;
    return test_check(ok, __FILE__, __LINE__, "%s cannot be written", path);
}

// One line for a person.
static bool is_clear(const Error *err) {
    return err->kind != ERROR_NONE && err->text[0] && !strchr(err->text, '\n');
}

// Two tokens through a model, fast and exact.  Any result or error will do.
static void run_two_tokens(const Model *model) {
    for (int exact = 0; exact < 2; exact++) {
        Error err = {0};
        SessionOptions options = SMALL;
        options.exact = exact;
        Session *session = session_open(model, options, &err);
        if (!session || !session_sync(session, (int32_t[]){0, 0}, 2, &err)) CHECK(is_clear(&err));
        session_close(session);
    }
}

// Opens the bytes as a GGUF; what opens is run.  Returns whether it did.
static bool try_bytes(Str bytes) {
    Error err = {0};
    Model *model = model_open_gguf_bytes(bytes, "damaged", &err);
    bool is_open = model != NULL;
    if (is_open)
        run_two_tokens(model);
    else
        CHECK(is_clear(&err));
    model_close(model);
    return is_open;
}

// Where the tensors' bytes begin.
static size_t header_bytes(Str gguf) {
    GgufFile file;
    Error err = {0};
    size_t first = gguf.n;
    if (!CHECK(gguf_open_bytes(&file, gguf, "whole", &err))) return 0;
    for (int64_t i = 0; i < file.tensors.n; i++)
        if ((size_t)file.tensors.entry[i].file_offset < first)
            first = (size_t)file.tensors.entry[i].file_offset;
    gguf_close(&file);
    return first;
}

static bool arena_ready(Arena *arena) {
    Error err = {0};
    return test_check(arena_init(arena, ARENA_DEFAULT, &err), __FILE__, __LINE__, "%s", err.text);
}

// ---------------------------------------------------------------- a GGUF file
TEST(damage, gguf_cut_short_is_an_error) {
    Arena arena;
    Error err = {0};
    if (!arena_ready(&arena)) return;
    Str whole = fixture(&arena, "llama", "model.gguf.bin");
    const char *path = test_path("cut.gguf");
    CHECK(try_bytes(whole));
    size_t header = header_bytes(whole);
    for (size_t n = 0; n < whole.n; n += n < header ? (size_t)test_thinning() : 4096) {
        // From a copy of just this length: reading past it is a report of the sanitizer.
        char *bytes = malloc(n ? n : 1);
        if (!CHECK(bytes)) return;
        memcpy(bytes, whole.data, n);
        CHECK(!try_bytes((Str){bytes, n}));
        free(bytes);
        if (n % 4096 >= (size_t)test_thinning()) continue;
        for (int mapped = 0; mapped < 2; mapped++) {
            if (!put_file(path, (Str){whole.data, n})) return;
            Model *model = model_open(path, mapped ? MAPPED : READ, &err);
            CHECK(!model && is_clear(&err) && strstr(err.text, path));
        }
    }
    CHECK(!try_bytes((Str){whole.data, whole.n - 1}));
    arena_drop(&arena);
}

// Every `step`-th byte of the header becomes three other values.
static void flip_header(const char *name, size_t step) {
    Arena arena;
    if (!arena_ready(&arena)) return;
    step *= (size_t)test_thinning();
    Str whole = fixture(&arena, name, "model.gguf.bin");
    size_t header = header_bytes(whole);
    char *bytes = arena_push_aligned(&arena, whole.n, 64);
    memcpy(bytes, whole.data, whole.n);
    int64_t n_opened = 0, n = 0;
    for (size_t i = (size_t)test_seed() % step; i < header; i += step) {
        const char values[] = {(char)0xff, (char)(bytes[i] ^ 1), (char)(bytes[i] + 0x40)};
        for (int v = 0; v < 3; v++, n++) {
            bytes[i] = values[v];
            n_opened += try_bytes((Str){bytes, whole.n});
            bytes[i] = whole.data[i];
        }
    }
    CHECK(n > 0 && n_opened < n);
    arena_drop(&arena);
}

TEST(damage, gguf_header_flips_llama) {
    flip_header("llama", 5);
}

TEST(damage, gguf_header_flips_gemma3) {
    flip_header("gemma3", 7);
}

TEST(damage, gguf_header_flips_gpt2) {
    flip_header("gpt2", 5);
}

TEST(damage, gguf_header_flips_qwen3) {
    flip_header("qwen3", 7);
}

TEST(damage, gguf_header_flips_mamba) {
    flip_header("mamba", 5);
}

TEST(damage, gguf_header_flips_experts) {
    flip_header("qwen2-moe", 7);
}

TEST(damage, gguf_header_flips_heed) {
    flip_header("heed-rotary", 7);
}

// ---------------------------------------------------------------- a Hugging Face folder
// Copies a fixture's folder to the test's own, with one file changed (or left out: data NULL).
static const char *put_folder(Arena *arena, const char *name, const char *changed, Str text) {
    static const char *const files[] = {"config.json", "model.safetensors", "tokenizer.json",
                                        "tokenizer_config.json"};
    static char folder[1024];
    Error err = {0};
    snprintf(folder, sizeof folder, "%s", test_path(name));
    if (!CHECK(file_make_folder(folder, &err))) return folder;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1100];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        bool is_changed = strcmp(files[i], changed) == 0;
        remove(path);
        if (!is_changed || text.data)
            put_file(path, is_changed ? text : fixture(arena, name, files[i]));
    }
    return folder;
}

// config.json with the value of a key replaced; value NULL leaves the member out.  The key may be
// within an object that is the value of another.
static Str changed_config(Arena *arena, Str config, const char *key, const char *value) {
    StrBuilder out = str_builder(arena);
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    size_t at = str_find(config, str_from(quoted), 0), to = at + strlen(quoted);
    if (!test_check(at < config.n, __FILE__, __LINE__, "config.json has no %s", key)) return config;
    int depth = 0;
    if (config.data[to] == '"') // a text may hold commas
        for (to++; config.data[to] != '"';) to++;
    for (; depth > 0 || (config.data[to] != ',' && config.data[to] != '\n'); to++)
        depth += (config.data[to] == '{' || config.data[to] == '[') -
                 (config.data[to] == '}' || config.data[to] == ']');
    str_add(&out, (Str){config.data, at});
    if (value)
        str_add_format(&out, "\"%s\": %s", key, value);
    else
        str_add_format(&out, "\"was_%s\": null", key); // in its place: the commas stay right
    str_add(&out, (Str){config.data + to, config.n - to});
    return str_built(&out);
}

typedef struct Change {
    const char *model, *key, *value;
    const char *words; // of the error; NULL: any, or a model that runs
} Change;

static const Change changes[] = {
    {"llama", "model_type", NULL, "model_type"},
    {"llama", "model_type", "7", "model_type"},
    {"llama", "model_type", "\"t5\"", "'t5' is not supported"},
    {"llama", "vocab_size", NULL, "vocab_size: is missing"},
    {"llama", "vocab_size", "0", "vocab_size"},
    {"llama", "vocab_size", "289", "shape"},
    {"llama", "vocab_size", "1e300", "vocab_size"},
    {"llama", "hidden_size", NULL, "hidden_size: is missing"},
    {"llama", "hidden_size", "0", "hidden_size"},
    {"llama", "hidden_size", "-32", "hidden_size"},
    {"llama", "hidden_size", "32.5", "hidden_size"},
    {"llama", "hidden_size", "\"32\"", "must be a number"},
    {"llama", "hidden_size", "9223372036854775808", "hidden_size"},
    {"llama", "hidden_size", "36", "shape"},
    {"llama", "num_hidden_layers", "0", "num_hidden_layers"},
    {"llama", "num_hidden_layers", "1", "is not part of"},
    {"llama", "num_hidden_layers", "3", "is missing"},
    {"llama", "num_hidden_layers", "1000000000", "num_hidden_layers"},
    {"llama", "num_attention_heads", "0", "num_attention_heads"},
    {"llama", "num_attention_heads", "-1", "num_attention_heads"},
    {"llama", "num_attention_heads", "3", "must divide"},
    {"llama", "num_key_value_heads", "0", "must divide"},
    {"llama", "num_key_value_heads", "-2", "num_key_value_heads"},
    {"llama", "num_key_value_heads", "4", "shape"},
    {"llama", "num_key_value_heads", "[]", "must be a number"},
    {"llama", "head_dim", "0", "head width"},
    {"llama", "head_dim", "7", "head width"},
    {"llama", "head_dim", "4096", "head width"},
    {"llama", "intermediate_size", NULL, "intermediate_size: is missing"},
    {"llama", "intermediate_size", "0", "intermediate_size"},
    {"llama", "max_position_embeddings", "0", "max_position_embeddings"},
    {"llama", "max_position_embeddings", "1e18", "max_position_embeddings"},
    {"llama", "rms_norm_eps", NULL, "rms_norm_eps: is missing"},
    {"llama", "rms_norm_eps", "-1", "epsilon"},
    {"llama", "rms_norm_eps", "1e300", "rms_norm_eps"},
    {"llama", "hidden_act", "\"relu\"", "hidden_act"},
    {"llama", "factor", "0", "rope scaling factor"},
    {"llama", "factor", "-8", "rope scaling factor"},
    {"llama", "rope_theta", "0", "rope base"},
    {"llama", "rope_theta", "1e300", "rope base"},
    {"llama", "low_freq_factor", "4", "high_freq_factor"},
    {"llama", "low_freq_factor", "0", "high_freq_factor"},
    {"llama", "original_max_position_embeddings", "0", "original context"},
    {"llama", "original_max_position_embeddings", "-5", "original context"},
    {"llama", "rope_type", "\"su\"", "rope_type"},
    {"llama", "factor", "1e-45", "no finite speeds"},
    {"llama", "rope_parameters", "[1, 2]", NULL},
    {"llama", "tie_word_embeddings", "false", "lm_head.weight is missing"},
    {"llama", "eos_token_id", "[9, {}, -1, 1e99]", NULL},
    {"gpt2", "n_head", "0", "n_head"},
    {"gpt2", "n_head", "3", "n_head"},
    {"gpt2", "n_head", "16", "head width"},
    {"gpt2", "n_inner", "0", "n_inner"},
    {"gpt2", "n_inner", "16000000", "n_inner"},
    {"gpt2", "n_positions", "65", "shape"},
    {"gpt2", "layer_norm_epsilon", "-1e-5", "epsilon"},
    {"gpt2", "activation_function", "\"relu\"", "activation_function"},
    {"gemma3", "sliding_window", "0", "sliding_window"},
    {"gemma3", "sliding_window", NULL, "sliding_window: is missing"},
    {"gemma3", "query_pre_attn_scalar", "0", "query_pre_attn_scalar"},
    {"gemma3", "query_pre_attn_scalar", "-4", "query_pre_attn_scalar"},
    {"gemma3", "final_logit_softcapping", "-30", NULL},
    {"gemma3", "final_logit_softcapping", "1e-30", NULL},
    {"gemma3", "layer_types", "[]", "layer_types"},
    {"gemma3", "layer_types", "[1, null, {}]", "layer_types"},
    {"gemma3", "layer_types", "\"full_attention\"", NULL},
    {"mamba", "state_size", "0", "state_size"},
    {"mamba", "state_size", "1e6", "state_size"},
    {"mamba", "conv_kernel", "5",
     "conv1d.weight has shape (64, 1, 4), the config wants (64, 1, 5)"},
    {"mamba", "time_step_rank", "\"auto\"", "must be a number"},
    {"mamba", "intermediate_size", "32", "shape"},
    {"mamba", "use_bias", "true", "use_bias"},
    {"mamba", "layer_norm_epsilon", "-1e-5", "layer_norm_epsilon"},
    {"heed-rotary", "mixers", "\"attention,rwkv\"", "attention, window, rnn, lstm, mamba"},
    {"heed-rotary", "mixers", "\"attention,\"", "attention, window, rnn, lstm, mamba"},
    {"heed-rotary", "mixers", "\"lstm\"", "rotary and alibi need"},
    {"heed-rotary", "mixers", "7", "mixers: is missing"},
    {"heed-rotary", "mixers", "\"attention,mamba,lstm\"", "weight_ih has shape"},
    {"heed-rotary", "positions", "\"relative\"", "relative"},
    {"heed-rotary", "positions", "\"learned\"", "embed_positions.weight is missing"},
    {"heed-learned", "sliding_window", "0", "sliding_window"},
    {"heed-learned", "kept_positions", "-1", "kept_positions"},
    {"heed-lstm", "recurrent_size", "0", "recurrent width"},
    {"heed-lstm", "recurrent_size", "25", "shape"},
    {"heed-lstm", "intermediate_size", "0", "is not part of"},
    {"mixtral", "num_local_experts", "0", "is missing"},
    {"mixtral", "num_local_experts", "-1", "num_local_experts"},
    {"mixtral", "num_local_experts", "3", "shape"},
    {"mixtral", "num_local_experts", "5", "shape"},
    {"mixtral", "num_local_experts", "2000", "experts"},
    {"mixtral", "num_experts_per_tok", "0", "experts"},
    {"mixtral", "num_experts_per_tok", "5", "experts"},
    {"mixtral", "intermediate_size", "64", "shape"},
    {"qwen2-moe", "moe_intermediate_size", "0", "width of the experts"},
    {"qwen2-moe", "moe_intermediate_size", "16", "shape"},
    {"qwen2-moe", "shared_expert_intermediate_size", "0", "shared_expert"},
    {"qwen2-moe", "shared_expert_intermediate_size", "32", "shape"},
    {"qwen2-moe", "norm_topk_prob", "true", "norm_topk_prob"},
    {"qwen2-moe", "decoder_sparse_step", "2", "decoder_sparse_step"},
    {"qwen2-moe", "mlp_only_layers", "[0]", "mlp_only_layers"},
    {"qwen3-moe", "norm_topk_prob", "false", "norm_topk_prob"},
    {"qwen3-moe", "num_local_experts", NULL, "num_experts"},
};

TEST(damage, config_json) {
    Arena arena;
    if (!arena_ready(&arena)) return;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const Change *c = &changes[i];
        ArenaMark mark = arena_mark(&arena);
        Str config = fixture(&arena, c->model, "config.json");
        config = changed_config(&arena, config, c->key, c->value);
        Error err = {0};
        Model *model =
            model_open(put_folder(&arena, c->model, "config.json", config), MAPPED, &err);
        bool is_as_said = c->words ? !model && strstr(err.text, c->words) : true;
        test_check((model || is_clear(&err)) && is_as_said, __FILE__, __LINE__,
                   "%s: %s = %s: %s, want \"%s\"", c->model, c->key, c->value ? c->value : "absent",
                   model ? "opens" : err.text, c->words ? c->words : "");
        if (model) run_two_tokens(model);
        model_close(model);
        arena_back(&arena, mark);
    }
    arena_drop(&arena);
}

TEST(damage, folder_without_its_files) {
    Arena arena;
    Error err = {0};
    if (!arena_ready(&arena)) return;
    const Str absent = {0};
    CHECK_FAILS(model_open(put_folder(&arena, "llama", "config.json", absent), MAPPED, &err), err,
                ERROR_IO, "config.json: no such file");
    CHECK_FAILS(model_open(put_folder(&arena, "llama", "config.json", STR("[1]")), MAPPED, &err),
                err, ERROR_FORMAT, "must be an object");
    CHECK_FAILS(
        model_open(put_folder(&arena, "llama", "config.json", STR("{\"a\":")), MAPPED, &err), err,
        ERROR_FORMAT, "config.json");
    CHECK_FAILS(model_open(put_folder(&arena, "llama", "model.safetensors", absent), MAPPED, &err),
                err, ERROR_IO, "safetensors");
    CHECK_FAILS(model_open(put_folder(&arena, "llama", "tokenizer.json", STR("{}")), MAPPED, &err),
                err, ERROR_FORMAT, "tokenizer.json");
    // No tokenizer at all is a model for those who bring ids.
    Model *model = model_open(put_folder(&arena, "llama", "tokenizer.json", absent), MAPPED, &err);
    if (CHECK(model && !model->tokenizer)) run_two_tokens(model);
    model_close(model);
    arena_drop(&arena);
}

TEST(damage, shards_missing) {
    const Str index = STR("{\"weight_map\": {\"model.norm.weight\": "
                          "\"model-00002-of-00002.safetensors\"}}");
    Arena arena;
    Error err = {0};
    if (!arena_ready(&arena)) return;
    const char *folder = put_folder(&arena, "llama", "model.safetensors", (Str){0});
    char path[1100];
    snprintf(path, sizeof path, "%s/model.safetensors.index.json", folder);
    if (!put_file(path, index)) return;
    CHECK_FAILS(model_open(folder, MAPPED, &err), err, ERROR_IO,
                "model-00002-of-00002.safetensors");
    arena_drop(&arena);
}

// A tokenizer with more tokens than the embedding has rows would index past its end.
TEST(damage, tokenizer_larger_than_the_vocabulary) {
    Arena arena;
    Error err = {0};
    if (!arena_ready(&arena)) return;
    Str text = fixture(&arena, "llama", "tokenizer.json");
    size_t at = str_find(text, STR("\"id\": 2,"), 0);
    if (!CHECK(at < text.n)) return;
    StrBuilder out = str_builder(&arena);
    str_add(&out, (Str){text.data, at});
    str_add(&out, STR("\"id\": 900,"));
    str_add(&out, (Str){text.data + at + 8, text.n - at - 8});
    Model *model =
        model_open(put_folder(&arena, "llama", "tokenizer.json", str_built(&out)), MAPPED, &err);
    CHECK(!model && is_clear(&err));
    model_close(model);
    arena_drop(&arena);
}

// ---------------------------------------------------------------- a file that changes
// Opens a copy of a model, cuts it short, and goes on with the session.
static bool sync_after_cut(ModelOptions options, Error *err) {
    Arena arena;
    if (!arena_ready(&arena)) return false;
    const char *path = test_path("shrinks.gguf");
    Str whole = fixture(&arena, "llama", "model.gguf.bin");
    const int32_t ids[] = {1, 2, 3};
    bool is_done = false;
    if (put_file(path, whole)) {
        Model *model = model_open(path, options, err);
        Session *session = model ? session_open(model, SMALL, err) : NULL;
        if (CHECK(session) && CHECK(session_sync(session, ids, 2, err)) &&
            CHECK(truncate(path, 8192) == 0))
            is_done = session_sync(session, ids, 3, err);
        session_close(session);
        model_close(model);
    }
    arena_drop(&arena);
    return is_done;
}

TEST(damage, mapped_file_that_shrinks) {
#ifdef __wasm__
    test_skip("no mapping here");
#else
    Error err = {0};
    CHECK(!sync_after_cut(MAPPED, &err));
    CHECK(err.kind == ERROR_IO && is_clear(&err) && strstr(err.text, "shrinks.gguf"));
#endif
}

TEST(damage, file_in_memory_that_shrinks) {
    Error err = {0};
    CHECK(sync_after_cut(READ, &err));
    CHECK(err.kind == ERROR_NONE);
}
