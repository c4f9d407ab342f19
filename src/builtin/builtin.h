// builtin.h - the models that come with the program: GGUF files in its read-only data.
//
// models/README.md says how each was made.  WebAssembly has none: a page fetches what it shows.
#ifndef HEED_BUILTIN_BUILTIN_H
#define HEED_BUILTIN_BUILTIN_H

#include "base/str.h"

typedef struct BuiltinModel {
    const char *name;        // what a user calls it: "poems"
    const char *begin, *end; // of the GGUF file, aligned to 64
} BuiltinModel;

// Number i, from 0; NULL beyond the last.
const BuiltinModel *builtin_model(int i);
// The model of that name, or NULL.
const BuiltinModel *builtin_named(Str name);
// The same where a user may name a file: a file or folder of that name comes first.
const BuiltinModel *builtin_unless_file(const char *path);
// The GGUF file itself.
Str builtin_file(const BuiltinModel *model);
// All names with commas between them, for messages.
Str builtin_names(Arena *arena);

#endif
