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

Outcome runner_fork(const Test *test, int limit, char *details, size_t details_bytes) {
    (void)limit;
    return runner_call(test, details, details_bytes);
}

Outcome runner_call(const Test *test, char *details, size_t details_bytes) {
    Outcome outcome = test_outcome(test, details, details_bytes);
    if (outcome == OUTCOME_FAILED) snprintf(details, details_bytes, "see above");
    return outcome;
}
