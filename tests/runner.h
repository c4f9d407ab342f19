// runner.h - how tests are run: the part of the runner that depends on the system.
#ifndef HEED_TESTS_RUNNER_H
#define HEED_TESTS_RUNNER_H

#include <stddef.h>

#include "tests/test.h"

typedef enum Outcome { OUTCOME_PASSED, OUTCOME_FAILED, OUTCOME_SKIPPED, N_OUTCOMES } Outcome;

// Runs a test in this process and judges it.  `reason` receives why it was skipped.
Outcome test_outcome(const Test *test, char *reason, size_t reason_bytes);

typedef struct Runner {
    bool in_line; // in this process: what tests print appears at once, a crash ends the run
    int jobs;     // tests at a time; 0: as many as there are processors
    int limit;    // seconds that a test may take
} Runner;

// Receives each test that has ended.  `details`: what a failed test printed and how it ended, or
// why a test was skipped; for the call only.
typedef void RunnerDone(void *user, const Test *test, Outcome outcome, const char *details,
                        double seconds);
// Runs a test in this process.
void runner_run_here(const Test *test, RunnerDone *done, void *user);
// Runs the tests, each in a child of its own unless in_line or where there is no fork.
void runner_run(const Runner *runner, const Test **tests, size_t n, RunnerDone *done, void *user);

// The scratch folder of a test, made when first asked for; NULL if there can be none.
const char *runner_scratch(const Test *test);
// Removes the scratch folders of the run.
void runner_clean(void);

#endif
