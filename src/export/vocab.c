// vocab.c - a vocabulary alone: as a tokenizer.json, or as a GGUF file without weights.
#include "base/file.h"
#include "export/plan.h"

static bool save_json(Arena *arena, const Vocab *vocab, const char *path, Error *err) {
    Str text;
    if (!export_tokenizer_json(arena, vocab, &text, err)) return error_wrap(err, "%s", path);
    FileWriter *file = file_create(path, err);
    if (!file) return false;
    file_write(file, text.data, text.n);
    return file_commit(file, err);
}

// The architecture is that of the vocabulary's form: engines want one before they read further.
static bool save_gguf(Arena *arena, const Vocab *vocab, const char *path, Error *err) {
    GgufWriter *w = gguf_writer(arena);
    gguf_set_string(w, "general.architecture", vocab->model);
    vocab_write(w, arena, vocab);
    if (gguf_begin(w, path, err)) return gguf_commit(w, err);
    gguf_discard(w);
    return false;
}

bool vocab_save(const Vocab *vocab, const char *path, Error *err) {
    Arena arena;
    if (!arena_init(&arena, ARENA_DEFAULT, err)) return false;
    bool ok = str_ends(str_from(path), STR(".json")) ? save_json(&arena, vocab, path, err)
                                                     : save_gguf(&arena, vocab, path, err);
    arena_drop(&arena);
    return ok;
}
