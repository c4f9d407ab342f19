// plan.h - what will be written, weight by weight, and the stream of its bytes.  Private to
// export_*.c.
#ifndef HEED_MODEL_EXPORT_PLAN_H
#define HEED_MODEL_EXPORT_PLAN_H

#include "export/export.h"
#include "model/weights.h"

typedef struct PlannedWeight {
    ExportedWeight as;
    Tensor source;  // as the model has it
    int rank;       // in the new file
    int64_t dim[3]; // in the new file
    Form change;    // what has to be done to the values, FORM_SAME: nothing
} PlannedWeight;

// One export in progress.
typedef struct Export {
    const Model *model;
    ExportOptions options;
    bool is_hf;            // what is written
    Arena arena;           // for this export
    PlannedWeight *weight; // (n)
    int64_t n, total;      // weights, values
    StrBuilder notes;
} Export;

// Lists the weights with their types.  False if a type is asked for that cannot be written; the
// Export may be dropped in any case.
MUST_USE bool export_begin(Export *e, Error *err);
void export_drop(Export *e);
// One more line of the report.
void export_note(Export *e, const char *format, ...) PRINTF_LIKE(2, 3);

// Hands out the bytes of all weights in the order of the list, in pieces of whole rows.
typedef void ExportSink(void *writer, const void *data, size_t n);
MUST_USE bool export_stream(Export *e, ExportSink *sink, void *writer, Error *err);
// Fills the caller's report.
void export_report(const Export *e);

// ---------------------------------------------------------------- tokenizer.c
// A tokenizer.json, or a tokenizer_config.json, that says what this vocabulary says.
MUST_USE bool export_tokenizer_json(Arena *arena, const Vocab *vocab, Str *text, Error *err);
Str export_tokenizer_config(Arena *arena, const Model *model);

#endif
