// runner.h - how one test is run: the part of the runner that depends on the system.
#ifndef HEED_TESTS_RUNNER_H
#define HEED_TESTS_RUNNER_H

#include <stddef.h>

#include "tests/test.h"

typedef enum Outcome { OUTCOME_PASSED, OUTCOME_FAILED, OUTCOME_SKIPPED, N_OUTCOMES } Outcome;

// Runs a test in this process and judges it.  `reason` receives why it was skipped.
Outcome test_outcome(const Test *test, char *reason, size_t reason_bytes);

// Runs a test in a child of at most `limit` seconds.  `details` receives what a failed test printed
// and how it ended, or why a test was skipped.  Where there is no fork, the same as runner_call.
Outcome runner_fork(const Test *test, int limit, char *details, size_t details_bytes);
// Runs a test in this process; what it prints appears at once.
Outcome runner_call(const Test *test, char *details, size_t details_bytes);

// The scratch folder of a test, made when first asked for; NULL if there can be none.
const char *runner_scratch(const Test *test);
// Removes the scratch folders of the run.
void runner_clean(void);

#endif
