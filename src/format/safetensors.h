// safetensors.h - safetensors files and folders: a JSON header with shapes and spans, then the
// bytes.
//
// The whole of the format's promises is checked when a file is opened: the spans follow one another
// from the first byte to the last without hole or overlap, sizes agree with shapes, no name comes
// twice, the header has at most SAFETENSORS_HEADER_MAX bytes.  So a file cannot hide anything.
// Layout: formats.md 2.3.
#ifndef HEED_FORMAT_SAFETENSORS_H
#define HEED_FORMAT_SAFETENSORS_H

#include "base/json.h"
#include "format/tensor_file.h"

enum {
    SAFETENSORS_HEADER_MAX = 100000000,
    SAFETENSORS_MEMBER_MAX = 1 << 16,   // text of one tensor's entry in the header
    SAFETENSORS_METADATA_MAX = 1 << 24, // text of __metadata__
    SAFETENSORS_INDEX_MAX = 1 << 25     // model.safetensors.index.json
};

typedef struct SafetensorsFile {
    TensorFile tensors;
    const Json *metadata; // __metadata__ of the first file: an object of strings; NULL if absent
} SafetensorsFile;

// Opens a file, or a folder that holds model.safetensors, or model.safetensors.index.json and
// exactly the files it names.  The index and the files must agree on which tensor is where.
// On failure the SafetensorsFile is closed already.
MUST_USE bool safetensors_open(SafetensorsFile *file, const char *path, bool use_map, Error *err);

// The same for a file in memory, which is not copied and outlives the SafetensorsFile.  `name`
// stands for the path in messages.
MUST_USE bool safetensors_open_bytes(SafetensorsFile *file, Str bytes, const char *name,
                                     Error *err);

// Accepts a zero-initialised SafetensorsFile.
void safetensors_close(SafetensorsFile *file);

// ---------------------------------------------------------------- writing
//
// As with GGUF: declare all tensors, begin, stream their bytes in that order, commit.  The bytes of
// each tensor begin at a multiple of its element's size if they come in falling order of it; the
// data of a file begins at a multiple of 64.

typedef struct SafetensorsWriter SafetensorsWriter;

SafetensorsWriter *safetensors_writer(Arena *arena);

// An entry of __metadata__, in every file.  Both are copied; a key is set once.  (transformers
// wants "format" = "pt".)
void safetensors_set_metadata(SafetensorsWriter *w, Str key, Str value);

// Declares the next tensor: F32, F16 or BF16, rank 0 .. 4, every dim >= 0.  ERROR_UNSUPPORTED for
// another type, for a name given twice, or for "__metadata__".
MUST_USE bool safetensors_add(SafetensorsWriter *w, Str name, DType dtype, int rank,
                              const int64_t *dim, Error *err);

// Creates one file.
MUST_USE bool safetensors_begin(SafetensorsWriter *w, const char *path, Error *err);
// Creates model.safetensors in a folder, or, if there are more than `shard_bytes` of data, files
// model-00001-of-0000N.safetensors of at most that size (a larger tensor has a file for itself)
// and the index.  The folder is made if it is not there; ERROR_USAGE if it holds a model that is
// laid out in the other way, for a reader would find two.
MUST_USE bool safetensors_begin_folder(SafetensorsWriter *w, const char *folder,
                                       int64_t shard_bytes, Error *err);
// The next bytes of the tensors in their order; a call does not go past the end of a tensor.
void safetensors_write(SafetensorsWriter *w, const void *data, size_t n);
// All tensors are complete by now.  Every file appears only here, the index last.
MUST_USE bool safetensors_commit(SafetensorsWriter *w, Error *err);
// Leaves no trace.  Accepts a writer that has not begun, or has ended, or NULL.
void safetensors_discard(SafetensorsWriter *w);

#endif
