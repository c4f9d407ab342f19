// test_file.c - views, mapped files that shrink, and writing that never harms the old file.
#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef __wasm__
#include <signal.h>
#include <sys/resource.h>
#endif

#include "base/rng.h"
#include "tests/test.h"

enum { PAGE = 4096, LONG_BYTES = 300000 };

// Some tests need what WebAssembly has not: mapping, permissions, devices.
#ifdef __wasm__
static const bool is_full_system = false;
#else
static const bool is_full_system = true;
#endif

static char long_bytes[LONG_BYTES];

static void fill_long_bytes(void) {
    Rng rng = rng_seed(7);
    for (int i = 0; i < LONG_BYTES; i++) long_bytes[i] = (char)rng_next(&rng);
}

// Writes a file through a FileWriter in pieces of uneven size; false (and a failure) on error.
static bool write_file(const char *path, const char *data, size_t n) {
    Error err = {0};
    FileWriter *writer = file_create(path, &err);
    if (!writer) return test_check(false, __FILE__, __LINE__, "%s", err.text);
    for (size_t at = 0, piece = 1; at < n; at += piece, piece = piece * 3 + 1) {
        if (piece > n - at) piece = n - at;
        file_write(writer, data + at, piece);
    }
    CHECK_EQUAL(file_position(writer), n);
    return test_check(file_commit(writer, &err), __FILE__, __LINE__, "%s", err.text);
}

// What a file holds, read by the C library alone.
static bool file_holds(const char *path, const char *data, size_t n) {
    static char found[LONG_BYTES + 1];
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t n_found = fread(found, 1, sizeof found, file);
    fclose(file);
    return n_found == n && memcmp(found, data, n) == 0;
}

// How many files a folder holds; 1 says that a writer left nothing beside its target.
static int entries_of(const char *path) {
    DIR *folder = opendir(path);
    int n = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) n += entry->d_name[0] != '.';
    if (folder) closedir(folder);
    return n;
}

TEST(file, written_and_viewed) {
    fill_long_bytes();
    static const size_t sizes[] = {0, 1, PAGE - 1, PAGE, PAGE + 1, 65536, 65537, LONG_BYTES};
    const char *path = test_path("a.bin");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!write_file(path, long_bytes, sizes[i])) return;
        CHECK(file_holds(path, long_bytes, sizes[i]));
        for (int use_map = 0; use_map < 2; use_map++) {
            FileView view;
            Error err = {0};
            if (!CHECK(file_view(&view, path, use_map, &err))) return;
            CHECK(view.n == sizes[i] && (uintptr_t)view.data % 64 == 0);
            CHECK(memcmp(view.data, long_bytes, view.n) == 0);
            CHECK(view.is_mapped == (use_map && view.n > 0 && is_full_system));
            CHECK(file_intact(&view, path, &err));
            file_release(&view);
            CHECK(view.n == 0 && view.data);
            file_release(&view);
        }
    }
}

TEST(file, view_refuses) {
    FileView view;
    Error err;
    CHECK_FAILS(file_view(&view, test_path("none"), true, &err), err, ERROR_IO,
                "none: cannot open");
    CHECK_FAILS(file_view(&view, test_path("."), true, &err), err, ERROR_IO, "is a folder");
    file_release(&view);
    if (is_full_system)
        CHECK_FAILS(file_view(&view, "/dev/zero", false, &err), err, ERROR_IO, "not a plain file");
}

TEST(file, read_is_limited) {
    Arena arena;
    Error err = {0};
    Str text;
    if (!CHECK(arena_init(&arena, 16 << 20, &err))) return;
    fill_long_bytes();
    const char *path = test_path("a.bin");
    if (!write_file(path, long_bytes, LONG_BYTES)) return;
    CHECK(file_read(&arena, path, LONG_BYTES, &text, &err));
    CHECK(text.n == LONG_BYTES && memcmp(text.data, long_bytes, text.n) == 0);
    CHECK(text.data[text.n] == '\0');
    CHECK_FAILS(file_read(&arena, path, LONG_BYTES - 1, &text, &err), err, ERROR_LIMIT,
                "longer than 299999 bytes");
    CHECK_FAILS(file_read(&arena, test_path("none"), 10, &text, &err), err, ERROR_IO, "none");
    CHECK_FAILS(file_read(&arena, test_path("."), 10, &text, &err), err, ERROR_IO, "");
    arena_drop(&arena);
}

TEST(file, shrinking_mapped_file) {
    if (!is_full_system) {
        test_skip("no mapping here");
        return;
    }
    fill_long_bytes();
    const char *path = test_path("shrinks.bin");
    FileView view, other;
    Error err = {0};
    if (!write_file(path, long_bytes, LONG_BYTES)) return;
    if (!CHECK(file_view(&view, path, true, &err) && file_view(&other, path, true, &err))) return;
    if (!CHECK(truncate(path, PAGE) == 0)) return;
    // The first page is there; the others are zeros now, and stay so.
    CHECK(memcmp(view.data, long_bytes, PAGE) == 0);
    int n_bits = 0;
    for (size_t i = 65536; i < view.n; i++) n_bits |= view.data[i];
    CHECK_EQUAL(n_bits, 0);
    CHECK_FAILS(file_intact(&view, path, &err), err, ERROR_IO, "became shorter");
    CHECK_FAILS(file_intact(&other, path, &err), err, ERROR_IO, "became shorter");
    file_release(&view);
    file_release(&other);
}

// Bytes lost inside the last page raise no signal; the size still tells.
TEST(file, shrinking_by_a_byte) {
    if (!is_full_system) {
        test_skip("no mapping here");
        return;
    }
    const char *path = test_path("shrinks.bin");
    FileView view;
    Error err = {0};
    if (!write_file(path, "heed", 4)) return;
    if (!CHECK(file_view(&view, path, true, &err))) return;
    CHECK(file_intact(&view, path, &err));
    if (!CHECK(truncate(path, 3) == 0)) return;
    CHECK_FAILS(file_intact(&view, path, &err), err, ERROR_IO, "became shorter");
    file_release(&view);
}

// A mapped file that is replaced, not shortened, stays what it was.
TEST(file, replacing_a_mapped_file) {
    fill_long_bytes();
    const char *path = test_path("a.bin");
    FileView view;
    Error err = {0};
    if (!write_file(path, long_bytes, LONG_BYTES)) return;
    if (!CHECK(file_view(&view, path, true, &err))) return;
    if (!write_file(path, "new", 3)) return;
    CHECK(memcmp(view.data, long_bytes, LONG_BYTES) == 0);
    CHECK(file_intact(&view, path, &err));
    file_release(&view);
}

TEST(file, more_views_than_guards) {
    enum { N_VIEWS = 80 };
    static FileView views[N_VIEWS];
    const char *path = test_path("a.bin");
    Error err = {0};
    if (!write_file(path, "heed", 4)) return;
    int n_mapped = 0;
    for (int i = 0; i < N_VIEWS; i++) {
        if (!CHECK(file_view(&views[i], path, true, &err))) return;
        n_mapped += views[i].is_mapped;
        CHECK(views[i].n == 4 && memcmp(views[i].data, "heed", 4) == 0);
    }
    CHECK_EQUAL(n_mapped, is_full_system ? 64 : 0);
    for (int i = 0; i < N_VIEWS; i++) file_release(&views[i]);
    if (!CHECK(file_view(&views[0], path, true, &err))) return;
    CHECK(views[0].is_mapped == is_full_system);
    file_release(&views[0]);
}

TEST(file, old_file_lives_until_commit) {
    const char *path = test_path("a.txt");
    Error err = {0};
    if (!write_file(path, "old", 3)) return;
    FileWriter *writer = file_create(path, &err);
    if (!CHECK(writer)) return;
    file_write(writer, "new and longer", 14);
    CHECK(file_holds(path, "old", 3));
    file_discard(writer);
    CHECK(file_holds(path, "old", 3));
    writer = file_create(path, &err);
    if (!CHECK(writer)) return;
    file_write(writer, "new", 3);
    CHECK(file_commit(writer, &err));
    CHECK(file_holds(path, "new", 3));
    file_discard(NULL);
    CHECK_EQUAL(entries_of(test_path(".")), 1);
}

TEST(file, permissions_and_links_are_kept) {
    if (!is_full_system) {
        test_skip("no permissions here");
        return;
    }
#ifndef __wasm__
    const char *path = test_path("a.txt"), *link = test_path("link");
    struct stat status;
    umask(027);
    if (!write_file(path, "one", 3)) return;
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0640);
    CHECK(chmod(path, 0604) == 0 && symlink("a.txt", link) == 0);
    if (!write_file(link, "two", 3)) return;
    CHECK(file_holds(path, "two", 3));
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0604);
    CHECK(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
#endif
}

// Not as root: a writer with a fault could then replace the device of the whole machine.
TEST(file, full_disk_is_told_at_commit) {
#ifdef __wasm__
    test_skip("no devices here");
#else
    if (!file_exists("/dev/full") || geteuid() == 0) {
        test_skip("needs /dev/full and a user who cannot replace it");
        return;
    }
    fill_long_bytes();
    Error err = {0};
    for (size_t n = 1; n <= LONG_BYTES; n += LONG_BYTES - 1) {
        FileWriter *writer = file_create("/dev/full", &err);
        if (!CHECK(writer)) return;
        file_write(writer, long_bytes, n);
        file_write(writer, long_bytes, n);
        CHECK_EQUAL(file_position(writer), 2 * n);
        CHECK_FAILS(file_commit(writer, &err), err, ERROR_IO,
                    "/dev/full: cannot write: No space left");
    }
#endif
}

// A file that may not grow stands for a full disk: the old one stays, and nothing beside it.
TEST(file, failed_write_leaves_the_old_file) {
#ifdef __wasm__
    test_skip("no limits of size here");
#else
    const char *path = test_path("a.bin");
    Error err = {0};
    fill_long_bytes();
    if (!write_file(path, "old", 3)) return;
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, limit;
    if (!CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0)) return;
    limit = before;
    limit.rlim_cur = LONG_BYTES / 2;
    if (!CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0)) return;
    FileWriter *writer = file_create(path, &err);
    if (CHECK(writer)) {
        for (int i = 0; i < 3; i++) file_write(writer, long_bytes, LONG_BYTES / 3);
        CHECK_FAILS(file_commit(writer, &err), err, ERROR_IO, "a.bin: cannot write: ");
    }
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(file_holds(path, "old", 3));
    CHECK_EQUAL(entries_of(test_path(".")), 1);
#endif
}

TEST(file, pipe_is_written_not_replaced) {
#ifdef __wasm__
    test_skip("no pipes here");
#else
    const char *path = test_path("pipe");
    if (!CHECK(mkfifo(path, 0600) == 0)) return;
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    if (!CHECK(reader >= 0)) return;
    struct stat status;
    char found[8] = "";
    if (!write_file(path, "heed", 4)) return;
    CHECK(read(reader, found, sizeof found) == 4 && memcmp(found, "heed", 4) == 0);
    CHECK(stat(path, &status) == 0 && S_ISFIFO(status.st_mode));
    close(reader);
#endif
}

// The folder of the target goes while it is being written: commit fails, nothing else does.
TEST(file, commit_into_a_lost_folder) {
    const char *folder = test_path("folder"), *moved = test_path("moved");
    Error err = {0};
    if (!CHECK(file_make_folder(folder, &err))) return;
    FileWriter *writer = file_create(test_path("folder/a.txt"), &err);
    if (!CHECK(writer)) return;
    file_write(writer, "x", 1);
    if (!CHECK(rename(folder, moved) == 0)) return;
    CHECK_FAILS(file_commit(writer, &err), err, ERROR_IO, "folder/a.txt: cannot write");
}

TEST(file, create_refuses) {
    Error err;
    CHECK_FAILS(file_create(test_path("none/a.txt"), &err), err, ERROR_IO,
                "none/a.txt: cannot create");
    CHECK_FAILS(file_create(test_path("."), &err), err, ERROR_IO, "cannot create");
    static char long_name[5000];
    memset(long_name, 'a', sizeof long_name - 1);
    CHECK_FAILS(file_create(long_name, &err), err, ERROR_IO, "cannot create");
}

TEST(file, folders) {
    Error err = {0};
    char deep[1024];
    snprintf(deep, sizeof deep, "%s", test_path("a/b//c/"));
    CHECK(!file_exists(deep));
    CHECK(file_make_folder(deep, &err) && file_is_folder(deep));
    CHECK(file_make_folder(deep, &err));
    CHECK(file_is_folder(test_path("a/b")));
    if (!write_file(test_path("a/file"), "x", 1)) return;
    CHECK(file_exists(test_path("a/file")) && !file_is_folder(test_path("a/file")));
    CHECK_FAILS(file_make_folder(test_path("a/file"), &err), err, ERROR_IO, "cannot make");
    CHECK_FAILS(file_make_folder(test_path("a/file/b"), &err), err, ERROR_IO, "cannot make");
    CHECK_FAILS(file_make_folder("", &err), err, ERROR_IO, "no such name");
}

TEST(file, append) {
    Arena arena;
    Str text;
    Error err = {0};
    require(arena_init(&arena, 1 << 20, &err));
    const char *path = test_path("appended.txt");
    CHECK(file_append(path, "one\n", 4, &err));
    CHECK(file_append(path, "", 0, &err) && file_append(path, "two", 3, &err));
    CHECK(file_read(&arena, path, 100, &text, &err) && str_equal(text, STR("one\ntwo")));
    CHECK_FAILS(file_append(test_path("no/such/folder"), "x", 1, &err), err, ERROR_IO,
                "cannot open");
    arena_drop(&arena);
}
