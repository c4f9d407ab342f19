// file_wasm.c - WebAssembly maps nothing, follows links in its host and has no permissions.
#include "base/file_system.h"

#include <string.h>

bool map_guarded(FileView *view, int descriptor, size_t n) {
    (void)view, (void)descriptor, (void)n;
    return false;
}

void unmap_guarded(FileView *view) {
    (void)view;
}

void map_forget(const FileView *view, size_t from, size_t n) {
    (void)view, (void)from, (void)n;
}

bool map_is_intact(const FileView *view) {
    (void)view;
    return true;
}

void file_resolve(const char *path, char real[PATH_BYTES]) {
    strncpy(real, path, PATH_BYTES - 1);
    real[PATH_BYTES - 1] = '\0';
}

void file_set_mode(int descriptor, unsigned mode) {
    (void)descriptor, (void)mode;
}
