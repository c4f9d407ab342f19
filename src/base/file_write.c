// file_write.c - writing so that the old file survives every failure.
//
// Bytes go to "<target>.<random>.tmp" in the target's folder; commit makes them durable before the
// new name and the name itself after, so a power cut leaves the old file or the new one, whole.  A
// target that is no plain file (standard output, a device, a pipe) cannot be replaced and is
// written directly.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/file_system.h"
#include "base/memory.h"

enum { BUFFER_BYTES = 1 << 16, SUFFIX_BYTES = 32, NAME_TRIES = 100 };

struct FileWriter {
    int descriptor;
    int failure; // errno of the first failure, 0 if none
    bool is_stdout;
    bool is_replaced; // the bytes go to `temporary` and are renamed
    int64_t position;
    size_t n_buffered;
    char path[PATH_BYTES]; // links resolved; as given for messages when written directly
    char temporary[PATH_BYTES + SUFFIX_BYTES];
    char buffer[BUFFER_BYTES];
};

// Opens a new file beside the target, with the permissions of the file it will replace.
static bool open_temporary(FileWriter *writer, const struct stat *old) {
    for (int i = 0; i < NAME_TRIES; i++) {
        snprintf(writer->temporary, sizeof writer->temporary, "%s.%08" PRIx32 ".tmp", writer->path,
                 (uint32_t)clock_entropy());
        int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
        writer->descriptor = open(writer->temporary, flags, 0666);
        if (writer->descriptor >= 0 || errno != EEXIST) break;
    }
    if (writer->descriptor < 0) return false;
    if (old) file_set_mode(writer->descriptor, old->st_mode & 0777);
    return true;
}

static bool open_target(FileWriter *writer, const char *path) {
    struct stat status;
    if (strcmp(path, "-") == 0) {
        strcpy(writer->path, "standard output");
        writer->descriptor = STDOUT_FILENO;
        writer->is_stdout = true;
        return true;
    }
    if (strlen(path) >= PATH_BYTES) {
        errno = ENAMETOOLONG;
        return false;
    }
    file_resolve(path, writer->path);
    bool exists = stat(writer->path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    writer->is_replaced = !exists || S_ISREG(status.st_mode);
    if (writer->is_replaced) return open_temporary(writer, exists ? &status : NULL);
    writer->descriptor = open(path, O_WRONLY | O_CLOEXEC);
    return writer->descriptor >= 0;
}

FileWriter *file_create(const char *path, Error *err) {
    FileWriter *writer = memory_reserve_zeros(sizeof *writer);
    if (!writer) {
        error_set(err, ERROR_MEMORY, "%.300s: no memory for a buffer", path);
        return NULL;
    }
    if (!open_target(writer, path)) {
        error_set(err, ERROR_IO, "%.300s: cannot create: %s", path, strerror(errno));
        memory_release(writer, sizeof *writer);
        return NULL;
    }
    return writer;
}

// Returns the errno of the failure, 0 for none.
static int write_all(int descriptor, const char *data, size_t n) {
    while (n > 0) {
        const size_t most = (size_t)1 << 30;
        ssize_t done = write(descriptor, data, n < most ? n : most);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : EIO;
        data += done;
        n -= (size_t)done;
    }
    return 0;
}

static void write_through(FileWriter *writer, const char *data, size_t n) {
    if (writer->failure == 0) writer->failure = write_all(writer->descriptor, data, n);
}

static void flush_buffer(FileWriter *writer) {
    write_through(writer, writer->buffer, writer->n_buffered);
    writer->n_buffered = 0;
}

void file_write(FileWriter *writer, const void *data, size_t n) {
    if (n == 0) return;
    writer->position += (int64_t)n;
    if (n > BUFFER_BYTES - writer->n_buffered) flush_buffer(writer);
    if (n >= BUFFER_BYTES) {
        write_through(writer, data, n);
        return;
    }
    memcpy(writer->buffer + writer->n_buffered, data, n);
    writer->n_buffered += n;
}

int64_t file_position(const FileWriter *writer) {
    return writer->position;
}

// Makes a rename durable; returns the errno of the failure, 0 for none.  Systems that cannot do
// that for a folder say so, which is no failure.
static int sync_folder_of(char *path) {
    int failure = 0;
    char *slash = strrchr(path, '/');
    if (slash && slash != path) *slash = '\0';
    int folder = open(!slash ? "." : slash == path ? "/" : path, O_RDONLY | O_CLOEXEC);
    if (folder >= 0) {
        if (fsync(folder) != 0 && (errno == EIO || errno == ENOSPC)) failure = errno;
        close(folder);
    }
    if (slash) *slash = '/';
    return failure;
}

// Closes the descriptor; the first failure is kept.
static void close_target(FileWriter *writer) {
    if (writer->is_stdout) return;
    if (close(writer->descriptor) != 0 && writer->failure == 0) writer->failure = errno;
}

bool file_commit(FileWriter *writer, Error *err) {
    flush_buffer(writer);
    bool must_sync = writer->is_replaced && writer->failure == 0;
    if (must_sync && fsync(writer->descriptor) != 0) writer->failure = errno;
    close_target(writer);
    if (writer->is_replaced) {
        if (writer->failure == 0 && rename(writer->temporary, writer->path) != 0)
            writer->failure = errno;
        if (writer->failure == 0)
            writer->failure = sync_folder_of(writer->path);
        else
            unlink(writer->temporary);
    }
    bool ok = writer->failure == 0;
    if (!ok) {
        error_set(err, ERROR_IO, "%.300s: cannot write: %s", writer->path,
                  strerror(writer->failure));
    }
    memory_release(writer, sizeof *writer);
    return ok;
}

void file_discard(FileWriter *writer) {
    if (!writer) return;
    close_target(writer);
    if (writer->is_replaced) unlink(writer->temporary);
    memory_release(writer, sizeof *writer);
}

// "book.gguf.0a1b2c3d.tmp"
static bool is_temporary(Str name) {
    enum { DIGITS = 8 };
    if (!str_ends(name, STR(".tmp")) || name.n < DIGITS + 6) return false;
    Str digits = str_slice(name, name.n - DIGITS - 4, name.n - 4);
    for (size_t i = 0; i < digits.n; i++)
        if (!strchr("0123456789abcdef", digits.data[i])) return false;
    return name.data[name.n - DIGITS - 5] == '.';
}

bool file_sweep(Arena *arena, const char *folder, Str begin, Error *err) {
    const Str *names;
    int64_t n;
    if (!file_list(arena, folder, &names, &n, err)) return false;
    for (int64_t i = 0; i < n; i++) {
        if (!str_starts(names[i], begin) || !is_temporary(names[i])) continue;
        Str path = str_printf(arena, "%s/%.*s", folder, STR_ARG(names[i]));
        if (!file_remove(path.data, err)) return false;
    }
    return true;
}

bool file_append(const char *path, const void *data, size_t n, Error *err) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return error_set(err, ERROR_IO, "%.300s: cannot open: %s", path, strerror(errno));
    int failure = write_all(descriptor, data, n);
    if (close(descriptor) != 0 && failure == 0) failure = errno;
    if (failure == 0) return true;
    return error_set(err, ERROR_IO, "%.300s: cannot write: %s", path, strerror(failure));
}
