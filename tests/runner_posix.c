// runner_posix.c - tests in child processes: a crash or a hang is one failure, not the end.
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

#include "base/clock.h"

enum { EXIT_PASSED = 90, EXIT_FAILED = 91, EXIT_SKIPPED = 92, MAX_JOBS = 64 };

// A test that is running.
typedef struct Child {
    const Test *test;
    pid_t process; // -1: it could not be started
    FILE *output;
    double started; // by clock_seconds
} Child;

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

static Child start_child(const Test *test, int limit) {
    Child child = {test, -1, tmpfile(), clock_seconds()};
    if (!child.output) return child;
    fflush(NULL);
    child.process = fork();
    if (child.process == 0) run_child(test, limit, child.output);
    return child;
}

// Judges a child that ended with this status of waitpid, and closes its output.
static Outcome end_child(const Child *child, int status, int limit, char *details,
                         size_t details_bytes) {
    const size_t for_end = 128;
    rewind(child->output);
    details[fread(details, 1, details_bytes - 1 - for_end, child->output)] = '\0';
    fclose(child->output);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_PASSED) return OUTCOME_PASSED;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIPPED) {
        details[strcspn(details, "\n")] = '\0';
        return OUTCOME_SKIPPED;
    }
    explain_end(status, limit, details, details_bytes);
    return OUTCOME_FAILED;
}

static int n_jobs(const Runner *runner) {
    long jobs = runner->jobs > 0 ? runner->jobs : sysconf(_SC_NPROCESSORS_ONLN);
    return jobs < 1 ? 1 : jobs > MAX_JOBS ? MAX_JOBS : (int)jobs;
}

// The running child that ends next; NULL if none can be waited for.
static Child *wait_for_child(Child *running, int n, int *status) {
    pid_t ended;
    while ((ended = waitpid(-1, status, 0)) < 0 && errno == EINTR) continue;
    for (int i = 0; i < n && ended > 0; i++) {
        if (running[i].process == ended) return &running[i];
    }
    return NULL;
}

static void run_children(const Runner *runner, const Test **tests, size_t n, RunnerDone *done,
                         void *user) {
    static char details[16384];
    Child running[MAX_JOBS];
    int jobs = n_jobs(runner), n_running = 0;
    size_t next = 0;
    while (next < n || n_running > 0) {
        if (next < n && n_running < jobs) {
            Child child = start_child(tests[next++], runner->limit);
            if (child.process > 0) {
                running[n_running++] = child;
                continue;
            }
            if (child.output) fclose(child.output);
            done(user, child.test, OUTCOME_FAILED, "cannot start a child process", 0);
            continue;
        }
        int status;
        Child *ended = wait_for_child(running, n_running, &status);
        if (!ended) continue; // a stray child of no test
        Outcome outcome = end_child(ended, status, runner->limit, details, sizeof details);
        done(user, ended->test, outcome, details, clock_seconds() - ended->started);
        *ended = running[--n_running];
    }
}

void runner_run(const Runner *runner, const Test **tests, size_t n, RunnerDone *done, void *user) {
    if (!scratch_root[0]) make_root(); // before the forks: one folder for all children
    if (!runner->in_line) {
        run_children(runner, tests, n, done, user);
        return;
    }
    for (size_t i = 0; i < n; i++) runner_run_here(tests[i], done, user);
}
