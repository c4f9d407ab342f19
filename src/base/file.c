// file.c - reading files, and folders.  Writing is file_write.c, mapping is file_<system>.c.
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_system.h"
#include "base/memory.h"

// What an empty file is seen as.
static _Alignas(64) const char no_bytes[64];

// A path in a message is cut, so that a long one leaves room for the reason.
static bool refuse(Error *err, const char *path, const char *what) {
    return error_set(err, ERROR_IO, "%.300s: %s: %s", path, what, strerror(errno));
}

// read() that goes on after signals; -1 on failure.
static ssize_t read_some(int descriptor, char *data, size_t n) {
    const size_t most = (size_t)1 << 30; // one call may not take more than 2 GiB
    ssize_t got;
    do got = read(descriptor, data, n < most ? n : most);
    while (got < 0 && errno == EINTR);
    return got;
}

// Reads a file of n > 0 bytes into memory of its own.
static bool view_read(FileView *view, int descriptor, size_t n, const char *path, Error *err) {
    char *data = memory_reserve(n);
    if (!data) return error_set(err, ERROR_MEMORY, "%.300s: no memory for %zu bytes", path, n);
    *view = (FileView){.data = data, .n = n, .guard = -1};
    for (size_t done = 0; done < n;) {
        ssize_t got = read_some(descriptor, data + done, n - done);
        if (got <= 0) {
            if (got < 0)
                refuse(err, path, "cannot read");
            else
                error_set(err, ERROR_IO, "%.300s: became shorter while it was read", path);
            file_release(view);
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

bool file_view(FileView *view, const char *path, bool use_map, Error *err) {
    *view = (FileView){.data = no_bytes, .guard = -1};
    struct stat status;
    if (stat(path, &status) != 0) return refuse(err, path, "cannot open");
    if (S_ISDIR(status.st_mode)) return error_set(err, ERROR_IO, "%.300s: is a folder", path);
    if (!S_ISREG(status.st_mode))
        return error_set(err, ERROR_IO, "%.300s: is not a plain file", path);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return refuse(err, path, "cannot open");
    if (fstat(descriptor, &status) != 0) {
        refuse(err, path, "cannot examine");
        close(descriptor);
        return false;
    }
    bool ok = true;
    if ((uint64_t)status.st_size > SIZE_MAX / 2) {
        ok = error_set(err, ERROR_LIMIT, "%.300s: does not fit the address space", path);
    } else if (status.st_size > 0) {
        size_t n = (size_t)status.st_size;
        if (use_map && map_guarded(view, descriptor, n)) return true;
        ok = view_read(view, descriptor, n, path, err);
    }
    close(descriptor);
    return ok;
}

void file_forget(const FileView *view, size_t from, size_t n) {
    if (view->is_mapped) map_forget(view, from, n);
}

void file_release(FileView *view) {
    if (view->is_mapped) {
        unmap_guarded(view);
    } else if (view->n > 0) {
        // The memory was ours to write before it became a view.
        memory_release((void *)(uintptr_t)view->data, view->n);
    }
    *view = (FileView){.data = no_bytes, .guard = -1};
}

bool file_intact(const FileView *view, const char *path, Error *err) {
    if (!view->is_mapped || map_is_intact(view)) return true;
    return error_set(err, ERROR_IO, "%.300s: became shorter or unreadable while it was open", path);
}

bool file_read(Arena *arena, const char *path, size_t limit, Str *text, Error *err) {
    bool is_stdin = strcmp(path, "-") == 0;
    int descriptor = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return refuse(err, path, "cannot open");
    const char *name = is_stdin ? "standard input" : path;
    StrBuilder b = str_builder(arena);
    char buffer[16384];
    ssize_t got;
    bool ok = true;
    while (ok && (got = read_some(descriptor, buffer, sizeof buffer)) != 0) {
        if (got < 0)
            ok = refuse(err, name, "cannot read");
        else if ((size_t)got > limit - b.n)
            ok = error_set(err, ERROR_LIMIT, "%.300s: longer than %zu bytes", name, limit);
        else if (!arena_fits(arena, 2 * (b.n + sizeof buffer))) // a builder doubles
            ok = error_set(err, ERROR_LIMIT, "%.300s: too long for the memory here", name);
        else
            str_add(&b, (Str){buffer, (size_t)got});
    }
    if (!is_stdin) close(descriptor);
    if (ok) *text = str_built(&b);
    return ok;
}

bool file_exists(const char *path) {
    struct stat status;
    return stat(path, &status) == 0;
}

bool file_is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool file_make_folder(const char *path, Error *err) {
    size_t n = strlen(path);
    char part[PATH_BYTES];
    if (n == 0 || n >= sizeof part) return error_set(err, ERROR_IO, "\"%s\": no such name", path);
    memcpy(part, path, n + 1);
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        part[i] = '\0';
        // What exists may be unwritable for us and still be the way to where we go.
        if (mkdir(part, 0777) != 0 && !file_is_folder(part))
            return refuse(err, part, "cannot make the folder");
        part[i] = path[i];
    }
    return true;
}

// ---------------------------------------------------------------- folders
static int compare_names(const void *a, const void *b) {
    return str_compare(*(const Str *)a, *(const Str *)b);
}

bool file_list(Arena *arena, const char *folder, const Str **names, int64_t *n, Error *err) {
    DIR *stream = opendir(folder);
    *n = 0;
    if (!stream) return refuse(err, folder, "cannot read the folder");
    int64_t room = 0;
    while (readdir(stream)) room++;
    Str *list = arena_new(arena, Str, room);
    rewinddir(stream);
    for (struct dirent *entry; *n < room && (entry = readdir(stream));) {
        Str name = str_from(entry->d_name);
        if (str_equal(name, STR(".")) || str_equal(name, STR(".."))) continue;
        list[(*n)++] = str_copy(arena, name);
    }
    closedir(stream);
    qsort(list, (size_t)*n, sizeof *list, compare_names);
    *names = list;
    return true;
}

bool file_remove(const char *path, Error *err) {
    if (unlink(path) == 0 || errno == ENOENT) return true;
    return refuse(err, path, "cannot remove");
}
