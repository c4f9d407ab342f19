// runner_wasm.c - no processes here: tests run in line, and a crash ends the run.
#include "tests/runner.h"

#include <sys/stat.h>

static char scratch_root[] = "heed-test-scratch";

const char *runner_scratch(const Test *test) {
    static char folder[512];
    mkdir(scratch_root, 0777);
    snprintf(folder, sizeof folder, "%s/%s.%s", scratch_root, test->group, test->name);
    mkdir(folder, 0777);
    struct stat status;
    return stat(folder, &status) == 0 ? folder : NULL;
}

// The folder belongs to the host that lent it; it is overwritten by the next run.
void runner_clean(void) {}

void runner_run(const Runner *runner, const Test **tests, size_t n, RunnerDone *done, void *user) {
    (void)runner;
    for (size_t i = 0; i < n; i++) runner_run_here(tests[i], done, user);
}
