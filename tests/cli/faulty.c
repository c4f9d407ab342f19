// faulty.c - a library to load before heed (LD_PRELOAD): lets the N-th change of a file go wrong.
//
//     FAULT=kill:N    the program is killed in the middle of it (SIGKILL)
//     FAULT=stop:N    the program is interrupted behind it (SIGINT)
//     FAULT=error:N   it fails (EIO), once
//     FAULT=full:N    from it on no byte finds room (ENOSPC)
//
// The file that FAULT_HIT names appears when that happens.  Changes are write, fsync and rename;
// what is written to standard output and error does not count.  Not part of the tests' program:
// durable.sh builds it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long n_changes;

// Is the fault of that name due at the change that was just counted?
static int is_due(const char *name) {
    const char *fault = getenv("FAULT");
    size_t n = strlen(name);
    if (!fault || strncmp(fault, name, n) != 0 || fault[n] != ':') return 0;
    long at = strtol(fault + n + 1, NULL, 10);
    if (strcmp(name, "full") == 0 ? n_changes < at : n_changes != at) return 0;
    close(open(getenv("FAULT_HIT"), O_CREAT | O_WRONLY, 0666));
    return 1;
}

static int is_failing(void) {
    if (!is_due("error")) return 0;
    errno = EIO;
    return 1;
}

ssize_t write(int descriptor, const void *data, size_t n) {
    ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (descriptor <= STDERR_FILENO) return real(descriptor, data, n);
    n_changes++;
    if (is_failing()) return -1;
    if (is_due("full")) {
        errno = ENOSPC;
        return n > 1 && n_changes % 2 ? real(descriptor, data, n / 2) : -1; // some still fits
    }
    if (is_due("kill")) {
        if (n > 1) n = (size_t)real(descriptor, data, n / 2);
        raise(SIGKILL);
    }
    ssize_t done = real(descriptor, data, n);
    if (is_due("stop")) raise(SIGINT);
    return done;
}

int fsync(int descriptor) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    n_changes++;
    if (is_failing()) return -1;
    if (is_due("kill")) raise(SIGKILL);
    if (is_due("stop")) raise(SIGINT);
    return real(descriptor);
}

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) =
        (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    n_changes++;
    if (is_failing()) return -1;
    if (is_due("kill")) raise(SIGKILL);
    int result = real(from, to);
    if (is_due("stop")) raise(SIGINT);
    return result;
}
