// page.c - finding a file of the page.
#include "serve/page.h"

#include <string.h>

#include "base/file.h"

enum { PAGE_PATH_MAX = 128, PAGE_BYTES_MAX = 16 << 20 };

static bool is_path(const char *path) {
    size_t n = strlen(path);
    if (n == 0 || n > PAGE_PATH_MAX) return false;
    for (size_t i = 0; i < n; i++) {
        char c = path[i], before = i ? path[i - 1] : '/';
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '/';
        if (!is_plain || (before == '/' && (c == '.' || c == '/'))) return false;
    }
    return path[n - 1] != '/';
}

static bool read_from(const char *folder, const char *path, Arena *arena, Str *bytes) {
    Error err = {0};
    const char *full = str_c(arena, str_printf(arena, "%s/%s", folder, path));
    return file_exists(full) && !file_is_folder(full) &&
           file_read(arena, full, PAGE_BYTES_MAX, bytes, &err);
}

bool page_find(const char *folder, const char *path, Arena *arena, Str *bytes) {
    if (*path == '/') path++;
    if (!*path) path = "index.html";
    if (!is_path(path)) return false;
    if (folder) return read_from(folder, path, arena, bytes);
    for (size_t i = 0; i < n_page_files; i++) {
        if (strcmp(page_files[i].path, path) != 0) continue;
        *bytes = (Str){(const char *)page_files[i].data, page_files[i].n};
        return true;
    }
    return false;
}

const char *page_type(const char *path) {
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".json", "application/json"},
                                           {".svg", "image/svg+xml"},
                                           {".wasm", "application/wasm"}};
    if (strcmp(path, "/") == 0) return types[0][1];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_ends(str_from(path), str_from(types[i][0]))) return types[i][1];
    return "application/octet-stream";
}
