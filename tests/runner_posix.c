// runner_posix.c - a test in a child process: a crash or a hang is one failure, not the end.
//
// The child writes to an unlinked file instead of a pipe, so the parent has only to wait for it;
// the time limit is the child's own alarm clock, whose signal kills it.  Exit states are unusual
// numbers on purpose: a test that leaves by exit(0) has not passed.
#include "tests/runner.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_PASSED = 90, EXIT_FAILED = 91, EXIT_SKIPPED = 92 };

static char scratch_root[512];

// Makes the run's folder in $TMPDIR.
static void make_root(void) {
    const char *parent = getenv("TMPDIR");
    snprintf(scratch_root, sizeof scratch_root, "%s/heed-test-XXXXXX",
             parent && *parent ? parent : "/tmp");
    if (!mkdtemp(scratch_root)) scratch_root[0] = '\0';
}

const char *runner_scratch(const Test *test) {
    static char folder[1024];
    if (!scratch_root[0]) make_root();
    if (!scratch_root[0]) return NULL;
    snprintf(folder, sizeof folder, "%s/%s.%s", scratch_root, test->group, test->name);
    return mkdir(folder, 0777) == 0 || errno == EEXIST ? folder : NULL;
}

// Removes a folder and what is in it.  Links are removed, not followed.
static void remove_tree(const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) return;
    if (!S_ISDIR(status.st_mode)) {
        unlink(path);
        return;
    }
    chmod(path, 0700); // a test may have taken the right to write away
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char inner[2048];
        int n = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (n > 0 && (size_t)n < sizeof inner) remove_tree(inner);
    }
    if (folder) closedir(folder);
    rmdir(path);
}

void runner_clean(void) {
    if (scratch_root[0]) remove_tree(scratch_root);
    scratch_root[0] = '\0';
}

// The child's part.  exit() and not _exit(): leak checkers and coverage report from there.
NO_RETURN static void run_child(const Test *test, int limit, FILE *output) {
    dup2(fileno(output), STDOUT_FILENO);
    dup2(fileno(output), STDERR_FILENO);
    alarm((unsigned)limit);
    char reason[256];
    Outcome outcome = test_outcome(test, reason, sizeof reason);
    if (outcome == OUTCOME_SKIPPED) {
        fflush(stdout);
        rewind(output);
        fprintf(output, "%s\n", reason);
        fflush(output);
        ftruncate(fileno(output), ftello(output));
    }
    exit(outcome == OUTCOME_PASSED    ? EXIT_PASSED
         : outcome == OUTCOME_SKIPPED ? EXIT_SKIPPED
                                      : EXIT_FAILED);
}

// Appends how the child ended, where that is not told by its own lines.
static void explain_end(int status, int limit, char *details, size_t details_bytes) {
    size_t used = strlen(details);
    if (used > 0 && details[used - 1] != '\n' && used + 1 < details_bytes) {
        details[used++] = '\n';
        details[used] = '\0';
    }
    char *end = details + used;
    size_t room = details_bytes - used;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(end, room, "took longer than %d s\n", limit);
    else if (WIFSIGNALED(status))
        snprintf(end, room, "ended by signal %d (%s)\n", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != EXIT_FAILED)
        snprintf(end, room, "ended with status %d\n", WEXITSTATUS(status));
}

Outcome runner_fork(const Test *test, int limit, char *details, size_t details_bytes) {
    snprintf(details, details_bytes, "cannot start a child process");
    if (!scratch_root[0]) make_root(); // before the fork: one folder for all children
    FILE *output = tmpfile();
    if (!output) return OUTCOME_FAILED;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) run_child(test, limit, output);
    int status = 0;
    pid_t ended = -1;
    while (child > 0 && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
    Outcome outcome = OUTCOME_FAILED;
    if (ended == child && child > 0) {
        const size_t for_end = 128;
        rewind(output);
        details[fread(details, 1, details_bytes - 1 - for_end, output)] = '\0';
        bool is_exit = WIFEXITED(status);
        if (is_exit && WEXITSTATUS(status) == EXIT_PASSED) outcome = OUTCOME_PASSED;
        if (is_exit && WEXITSTATUS(status) == EXIT_SKIPPED) outcome = OUTCOME_SKIPPED;
        if (outcome == OUTCOME_FAILED) explain_end(status, limit, details, details_bytes);
        if (outcome == OUTCOME_SKIPPED) details[strcspn(details, "\n")] = '\0';
    }
    fclose(output);
    return outcome;
}

Outcome runner_call(const Test *test, char *details, size_t details_bytes) {
    Outcome outcome = test_outcome(test, details, details_bytes);
    if (outcome == OUTCOME_FAILED) snprintf(details, details_bytes, "see above");
    return outcome;
}
