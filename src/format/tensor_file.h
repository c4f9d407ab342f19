// tensor_file.h - what every container of tensors gives: named, shaped spans of bytes in files.
//
// GGUF and safetensors files are read into the same table, so that the code which binds weights
// knows one thing only.  Every span in the table lies wholly inside its file: this is checked when
// the file is opened, and nothing else has to check it again.
//
// Shapes are row-major, slowest dimension first, the last one contiguous, as in NumPy.  (GGUF
// counts from the fastest; its reader turns the order round, and nobody else does.)
//
// A file may hold types that heed does not compute with (I64, BOOL, F8_E4M3 ...): such tensors are
// listed with the name of their type, and refused only when somebody asks for their DType.
#ifndef HEED_FORMAT_TENSOR_FILE_H
#define HEED_FORMAT_TENSOR_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"
#include "base/map.h"
#include "base/str.h"
#include "quant/dtype.h"

enum {
    TENSOR_ENTRY_RANK_MAX = 8,       // a file may list convolutions of rank 5
    TENSOR_ENTRY_DTYPE_RANK_MAX = 4, // heed computes with at most this rank
    TENSOR_FILE_ENTRIES_MAX = 1 << 20,
    TENSOR_FILE_PARTS_MAX = 1024
};

typedef struct TensorEntry {
    Str name;
    const char *type_name; // as its format writes it: "Q4_K", "BF16", "F8_E4M3"; never NULL
    bool has_dtype;        // heed has this type
    DType dtype;           // defined when has_dtype; read it through tensor_entry_dtype()
    bool in_panels;        // the rows lie in panels (quant/panels.h); rank 2
    int rank;              // 0 (a scalar) .. TENSOR_ENTRY_RANK_MAX
    int64_t dim[TENSOR_ENTRY_RANK_MAX]; // dim[rank-1] is contiguous; the unused ones are 1
    const void *data;    // little-endian; aligned in GGUF, perhaps not in safetensors
    int64_t bytes;       // size of data
    int64_t file_offset; // of data in its file
    int i_file;          // index of its file in TensorFile.part
} TensorEntry;

typedef struct TensorFilePart {
    Str path; // followed by a NUL
    FileView view;
    bool is_borrowed; // the bytes are the caller's: a file in memory
} TensorFilePart;

// A container of one or several files.  It lives in the caller's storage and is not copied: the
// map points at the arena.  Zero-initialised it is empty, and may be closed.
typedef struct TensorFile {
    Arena arena;        // holds all names and tables
    Str path;           // as it was opened, followed by a NUL
    TensorEntry *entry; // (n) in the order of the files, and of the data in each safetensors file
    int64_t n;
    Map by_name;
    TensorFilePart *part; // (n_parts)
    int n_parts;
} TensorFile;

// The tensor of that name, or NULL.
const TensorEntry *tensor_file_find(const TensorFile *file, Str name);

// The type of a tensor that is to be computed with.  ERROR_UNSUPPORTED naming file, tensor and
// type if heed has no such type, or if the rank is beyond TENSOR_ENTRY_DTYPE_RANK_MAX.
MUST_USE bool tensor_file_dtype(const TensorFile *file, const TensorEntry *entry, DType *dtype,
                                Error *err);

// False with an ERROR_IO naming the file if a mapped file has shrunk since it was opened.
MUST_USE bool tensor_file_intact(const TensorFile *file, Error *err);

// These bytes of a tensor are not needed soon: mapped pages are given back to the system.
void tensor_file_forget(const TensorFile *file, const void *bytes, size_t n);

// Bytes of all tensors.
int64_t tensor_file_bytes(const TensorFile *file);

// Releases the files and the memory.  Accepts an empty TensorFile.
void tensor_file_close(TensorFile *file);

// ---------------------------------------------------------------- for the readers of this folder

// Makes the arena; `path` is copied.  On failure the file is closed already.
MUST_USE bool tensor_file_init(TensorFile *file, const char *path, Error *err);

// Makes a table of `n` parts, all empty and borrowed, in place of the one there may be: the caller
// moves over what that one holds.  Then each part is opened, or stands for bytes of the caller.
void tensor_file_make_parts(TensorFile *file, int n);
MUST_USE bool tensor_file_open_part(TensorFile *file, int i, Str path, bool use_map, Error *err);
void tensor_file_borrow_part(TensorFile *file, int i, Str bytes);

// Makes room for exactly `n` entries, n <= TENSOR_FILE_ENTRIES_MAX; tensor_file_add fills it.
// ERROR_LIMIT if memory does not hold as many.
MUST_USE bool tensor_file_reserve(TensorFile *file, int64_t n, Error *err);

// Adds a copy of the entry, whose name lies in the arena.  ERROR_FORMAT if the name is there
// already.
MUST_USE bool tensor_file_add(TensorFile *file, const TensorEntry *entry, Error *err);

// How a type stores its numbers, for the one function that computes a size.
typedef struct TensorLayout {
    int64_t block_values; // numbers in a block; the last dimension is a multiple of it
    int64_t block_bits;   // bits of a block
    bool in_panels;       // a last panel is a whole one
} TensorLayout;

// Sets entry->bytes from its shape.  False, with the reason in words, if the shape cannot be: a
// product past 2^63, a row that is no whole number of blocks, bits that fill no whole bytes.
MUST_USE bool tensor_entry_measure(TensorEntry *entry, TensorLayout layout, const char **reason);

// A name from a file, made fit for one line of an error: control characters and bytes above ASCII
// become '?', and a long name is cut.  Use: tensor_file_quote(name).text.
typedef struct QuotedName {
    char text[100];
} QuotedName;
QuotedName tensor_file_quote(Str name);

#endif
