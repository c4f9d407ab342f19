// edit_record.c - what a GGUF file says of the edits in its model.
#include "train/edit.h"

static const char LAYER[] = "heed.edit.layer";
static const char *const words[] = {"heed.edit.prompt", "heed.edit.subject", "heed.edit.answer"};

bool edit_records_read(const Model *model, Arena *arena, const EditRecord **record, int64_t *n,
                       Error *err) {
    const GgufFile *file = &model->gguf;
    const int32_t *layer;
    const Str *list[3];
    int64_t count;
    *record = NULL;
    *n = 0;
    if (model->is_hf || !gguf_find(file, LAYER)) return true;
    if (!gguf_get_int32s(file, arena, LAYER, &layer, n, err)) return false;
    for (int i = 0; i < 3; i++) {
        if (!gguf_get_strings(file, arena, words[i], &list[i], &count, err)) return false;
        if (count != *n)
            return error_set(err, ERROR_FORMAT, "%s: %s has %lld entries, %s has %lld",
                             file->tensors.path.data, words[i], (long long)count, LAYER,
                             (long long)*n);
    }
    EditRecord *out = arena_new(arena, EditRecord, *n + 1);
    for (int64_t i = 0; i < *n; i++)
        out[i] = (EditRecord){layer[i], list[0][i], list[1][i], list[2][i]};
    *record = out;
    return true;
}

void edit_records_put(GgufWriter *writer, Arena *arena, const EditRecord *record, int64_t n) {
    int32_t *layer = arena_new(arena, int32_t, n);
    Str *list[3];
    for (int i = 0; i < 3; i++) list[i] = arena_new(arena, Str, n);
    for (int64_t i = 0; i < n; i++) {
        layer[i] = record[i].layer;
        list[0][i] = record[i].prompt;
        list[1][i] = record[i].subject;
        list[2][i] = record[i].answer;
    }
    gguf_set_array(writer, LAYER, GGUF_I32, layer, n);
    for (int i = 0; i < 3; i++) gguf_set_array(writer, words[i], GGUF_STRING, list[i], n);
}
