// file_system.h - what of files differs between systems: mapping, links, permissions.
// One file per system: file_posix.c, file_wasm.c.  Only file.c and file_write.c include this.
#ifndef HEED_BASE_FILE_SYSTEM_H
#define HEED_BASE_FILE_SYSTEM_H

#include "base/file.h"

enum { PATH_BYTES = 4096 };

// Maps the first n > 0 bytes under the guard against SIGBUS; the descriptor is the view's from then
// on.  False if there is no mapping here or no place in the table: then the file is to be read.
bool map_guarded(FileView *view, int descriptor, size_t n);
void unmap_guarded(FileView *view);
void map_forget(const FileView *view, size_t from, size_t n);
// False if pages had to be replaced or the file is shorter now.
bool map_is_intact(const FileView *view);

// Where the links of an existing path lead; the path itself if it does not exist.
void file_resolve(const char *path, char real[PATH_BYTES]);
// Gives an open file the permissions `mode`, as far as the system has them.
void file_set_mode(int descriptor, unsigned mode);

#endif
