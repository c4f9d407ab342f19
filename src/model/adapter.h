// adapter.h - adapter files: low-rank additions to a model's weights (tensor.h), in the form that
// llama.cpp reads.
//
//   general.type = "adapter"   adapter.type = "lora"   general.architecture   adapter.lora.alpha
//   NAME.lora_a (r, I)  NAME.lora_b (O, r)             for each weight NAME (O, I) that has one
//
// What is added is alpha / r times b a.  Rows stand as in a GGUF: where a model out of a folder has
// the pairs of a head as halves, those of b change places on the way.
#ifndef HEED_MODEL_ADAPTER_H
#define HEED_MODEL_ADAPTER_H

#include "model/weights.h"

// Can this weight have one?  Matrices of the layers that are factors of a product of all
// rows can.
bool weight_takes_adapter(const Weight *weight, int layer);

// The name of one of its two tensors: 'a' or 'b'.
Str adapter_part_name(Arena *arena, const Arch *arch, const Weight *weight, int layer, char part);
// The row of the file's b that is row `row` of the model's.
int64_t adapter_file_row(const Model *model, const Weight *weight, int64_t row);

// Reads an adapter file and lays it beside the model's weights, which stay as they are; the values
// are copied into the model's memory.  ERROR_FORMAT or ERROR_UNSUPPORTED names what does not fit.
MUST_USE bool model_adapt(Model *model, const char *path, Error *err);

// The same with a file that is open already.
MUST_USE bool model_adapt_from(Model *model, const GgufFile *file, Error *err);

#endif
