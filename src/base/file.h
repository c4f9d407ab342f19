// file.h - files: read whole, mapped, written so that the old one survives every failure.
#ifndef HEED_BASE_FILE_H
#define HEED_BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

// A whole file as bytes that are not modified.
typedef struct FileView {
    const char *data; // 64-byte aligned
    size_t n;
    bool is_mapped;
    int guard; // index of its entry in the table of guarded mappings, -1 if none
} FileView;

// Maps the file, or reads it when `use_map` is false (or where there is no mmap).  A mapped file
// that shrinks while open would raise SIGBUS: the first mapping installs a handler that replaces
// the missing pages by zeros and remembers the loss for file_intact().
MUST_USE bool file_view(FileView *view, const char *path, bool use_map, Error *err);
void file_release(FileView *view);
// Bytes from .. from+n-1 of the view are not needed soon: whole mapped pages are given back to the
// system, and come from the file again when they are touched.
void file_forget(const FileView *view, size_t from, size_t n);
// False with an ERROR_IO if pages of a mapped file have vanished since it was opened.
MUST_USE bool file_intact(const FileView *view, const char *path, Error *err);

// The whole of a file of at most `limit` bytes; "-" reads standard input.
MUST_USE bool file_read(Arena *arena, const char *path, size_t limit, Str *text, Error *err);

// Writing: to a temporary file beside the target, then fsync, rename, fsync of the directory.
// Until commit the old file is untouched; discard removes the temporary.  A new file has the
// permissions of the one it replaces, a target behind a link is replaced and not the link.  What is
// no plain file ("-" is standard output; devices, pipes) is written directly.
typedef struct FileWriter FileWriter;
MUST_USE FileWriter *file_create(const char *path, Error *err);
void file_write(FileWriter *writer, const void *data, size_t n); // errors are kept for commit
int64_t file_position(const FileWriter *writer);
MUST_USE bool file_commit(FileWriter *writer, Error *err); // closes the writer in any case
void file_discard(FileWriter *writer);                     // accepts NULL

// Takes away the temporaries that killed writers left in a folder, of targets whose names begin so.
// None of them may be at work.
MUST_USE bool file_sweep(Arena *arena, const char *folder, Str begin, Error *err);

// The names in a folder, sorted by their bytes; "." and ".." are left out.
MUST_USE bool file_list(Arena *arena, const char *folder, const Str **names, int64_t *n,
                        Error *err);
MUST_USE bool file_remove(const char *path, Error *err); // a file; one that is not there is fine

// Adds to the end of a file, which is made if there is none.  A crash may leave a part of the
// bytes: for records whose reader can tell.
MUST_USE bool file_append(const char *path, const void *data, size_t n, Error *err);

bool file_exists(const char *path);
bool file_is_folder(const char *path);
MUST_USE bool file_make_folder(const char *path, Error *err); // and its parents; existing is fine

#endif
