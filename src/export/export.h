// export.h - writing a model: as a GGUF file, or as a Hugging Face folder.
//
// Names and shapes come from the architecture's weight list, the numbers of the configuration from
// its config list; forms that differ between the two worlds (Form in weights.h) are turned on the
// way.  Rows are converted in chunks over the pool: besides the model, memory holds one chunk, and
// one matrix where it has to be transposed.  Nothing appears under the target's name before all of
// it is written.
//
// What a weight is written as.  Without a type each keeps its own; a GGUF holds vectors as F32. For
// a type T:
//
//   matrices of attention and feed-forward   T
//   embedding, head                          T, but Q6_K at least
//   position table                           F16 if T is F16, else F32 (F16 stays F16)
//   vectors                                  F32
//
// Adapters that lie beside a weight (tensor.h) become a part of it; such weights may be given a
// type of their own (adapted_type).
//
// Rows that are no whole number of K blocks (256) become Q8_0, those that are not even a multiple
// of 32 F16: `wanted` and `to` of ExportedWeight tell where.  A folder holds all weights in one
// type, as transformers does: F32, F16 or BF16.
#ifndef HEED_MODEL_EXPORT_H
#define HEED_MODEL_EXPORT_H

#include "base/pool.h"
#include "model/model.h"

typedef struct ExportedWeight {
    Str name;               // in the new file
    const char *role;       // its GGUF name without the layer: "attn_q.weight"
    DType from, wanted, to; // in the model; by the rules above; as the row's length allows
    bool in_panels;         // in the new file
    int64_t count;          // values
    int64_t bytes;          // in the new file
    double error;           // root mean square of the change, relative to that of the values
} ExportedWeight;

// What was written, and what a person should know about it.
typedef struct ExportReport {
    Arena *arena; // of the caller, for what follows
    const ExportedWeight *weight;
    int64_t n;
    StrBuilder notes; // lines
} ExportReport;

// What a GGUF file may hold besides a model: values that are no weights, and keys of its own.
typedef struct ExportTensor {
    const char *name;
    const float *values;
    int64_t n;
} ExportTensor;

typedef struct ExportExtra {
    const ExportTensor *tensor;
    int n;
    void (*put_keys)(const void *user, GgufWriter *writer);
    const void *user;
} ExportExtra;

enum { EXPORT_SHARD_BYTES = 2000000000 };

typedef struct ExportOptions {
    bool has_type;
    DType type;
    bool has_adapted_type; // GGUF: of matrices with an adapter, whatever `type` is
    DType adapted_type;
    Pool *pool;             // NULL: the caller's thread alone
    int64_t shard_bytes;    // folder: of one file; 0: EXPORT_SHARD_BYTES
    bool in_panels;         // GGUF: quantised matrices in panels, which need no preparation to run
    bool without_tokenizer; // leave it out; else a tokenizer that cannot be written is an error
    // Called with values done and values in all; false ends it with ERROR_CANCELLED.  May be NULL.
    bool (*go_on)(void *user, int64_t done, int64_t total);
    void *user;
    ExportReport *report;     // NULL: not wanted
    const ExportExtra *extra; // NULL: nothing
} ExportOptions;

// From a GGUF model everything its file says is kept, but the types; from any other model the
// metadata is made.
MUST_USE bool model_save_gguf(const Model *model, const char *path, ExportOptions options,
                              Error *err);

// Would the model be written so?  Says what forbids it, before any work is done for it.
MUST_USE bool model_check_gguf(const Model *model, ExportOptions options, Error *err);

// The adapters of a model alone, with what `extra` adds (NULL: nothing): a file for model_adapt
// and for llama.cpp.
MUST_USE bool model_save_adapter(const Model *model, const char *path, const ExportExtra *extra,
                                 Error *err);

// config.json, the weights, generation_config.json, tokenizer.json and tokenizer_config.json.  The
// folder is made if it is not there.  From a folder the small files are copied, config.json
// excepted; from a GGUF a tokenizer.json is made that gives the same ids.
MUST_USE bool model_save_hf(const Model *model, const char *folder, ExportOptions options,
                            Error *err);

// A vocabulary without a model: as a tokenizer.json if the path ends in .json, else as a GGUF file
// without weights.
MUST_USE bool vocab_save(const Vocab *vocab, const char *path, Error *err);

#endif
