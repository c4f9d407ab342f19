// main.c - runs the registered tests, group by group, and counts.
//
//   run [--only TEXT] [--seed N] [--jobs N] [--limit SECONDS] [--brief] [--no-fork] [--list]
//
// What runs tests apart from each other is one file per system: runner_posix.c forks, --jobs at a
// time (as many as there are processors, if not said), runner_wasm.c calls.  Failures are shown as
// they come, a group when its last test has ended, skipped tests with their reasons at the end.  A
// run without tests is a failure, so that a misspelt --only cannot pass.
#include <stdarg.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "tests/runner.h"
#include "tests/test.h"

enum { PATH_BYTES = 1024, N_PATHS = 8, REASON_BYTES = 256 };

typedef struct Options {
    const char *only;
    Runner runner;
    bool list;
} Options;

// What is known of the tests of one group; a group is shown when none is left.
typedef struct Group {
    const char *name;
    int left, count[N_OUTCOMES];
    double seconds; // of its tests together, however many ran at a time
} Group;

typedef struct Results {
    Group *group; // in the order of the tests
    size_t n;
    StrBuilder skipped;
} Results;

static Test *first_test;
static uint64_t run_seed = 1;
static bool run_is_brief;
static _Atomic int n_failures; // of the running test; checks may come from several threads
static char skip_reason[REASON_BYTES];
static const Test *running_test;

// Tests are kept by group, in the order of their registration.
void test_register(Test *test) {
    Test **at = &first_test, **after_group = NULL;
    for (; *at; at = &(*at)->next) {
        if (strcmp((*at)->group, test->group) == 0) after_group = &(*at)->next;
    }
    if (!after_group) after_group = at;
    test->next = *after_group;
    *after_group = test;
}

bool test_check(bool ok, const char *file, int line, const char *format, ...) {
    if (ok) return true;
    n_failures++;
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("%s:%d: %s\n", file, line, text);
    return false;
}

void test_skip(const char *reason) {
    snprintf(skip_reason, sizeof skip_reason, "%s", reason);
}

uint64_t test_seed(void) {
    return run_seed;
}

int test_thinning(void) {
    return run_is_brief ? 16 : 1;
}

// One of a few buffers in turn, so that several paths can be used in one call.
static char *next_path(void) {
    static char paths[N_PATHS][PATH_BYTES];
    static int turn;
    turn = (turn + 1) % N_PATHS;
    return paths[turn];
}

const char *test_path(const char *name) {
    char *path = next_path();
    const char *folder = runner_scratch(running_test);
    snprintf(path, PATH_BYTES, "%s/%s", folder ? folder : ".", name);
    return path;
}

const char *test_fixture(const char *name) {
    char *path = next_path();
    snprintf(path, PATH_BYTES, "%.*s%s", (int)(strlen(__FILE__) - strlen("main.c")), __FILE__,
             name);
    return path;
}

void runner_run_here(const Test *test, RunnerDone *done, void *user) {
    char reason[REASON_BYTES] = "";
    double start = clock_seconds();
    Outcome outcome = test_outcome(test, reason, sizeof reason);
    done(user, test, outcome, outcome == OUTCOME_FAILED ? "see above" : reason,
         clock_seconds() - start);
}

Outcome test_outcome(const Test *test, char *reason, size_t reason_bytes) {
    n_failures = 0;
    skip_reason[0] = '\0';
    running_test = test;
    test->run();
    snprintf(reason, reason_bytes, "%s", skip_reason);
    if (n_failures > 0) return OUTCOME_FAILED;
    return skip_reason[0] ? OUTCOME_SKIPPED : OUTCOME_PASSED;
}

static void show_log(void *user, LogLevel level, const char *line) {
    (void)user, (void)level;
    fflush(stdout);
    fprintf(stderr, "%s\n", line);
}

static bool is_selected(const Test *test, const Options *options) {
    char name[256];
    snprintf(name, sizeof name, "%s.%s", test->group, test->name);
    return !options->only || strstr(name, options->only) != NULL;
}

static void show_group(const Group *g) {
    printf("%-16s %4d passed", g->name, g->count[OUTCOME_PASSED]);
    if (g->count[OUTCOME_FAILED] > 0) printf(", %d failed", g->count[OUTCOME_FAILED]);
    if (g->count[OUTCOME_SKIPPED] > 0) printf(", %d skipped", g->count[OUTCOME_SKIPPED]);
    printf("  (%.2f s)\n", g->seconds);
    fflush(stdout);
}

// Prints "FAIL group.name: first line of the details" and the other lines below it.
static void show_failure(const Test *test, const char *details) {
    printf("FAIL %s.%s: ", test->group, test->name);
    for (const char *c = details; *c; c++) {
        putchar(*c);
        if (*c == '\n' && c[1]) fputs("     ", stdout);
    }
    if (!*details || details[strlen(details) - 1] != '\n') putchar('\n');
}

static Group *group_of(Results *r, const Test *test) {
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(r->group[i].name, test->group) == 0) return &r->group[i];
    }
    r->group[r->n] = (Group){.name = test->group};
    return &r->group[r->n++];
}

// The runner's RunnerDone: counts a test that has ended, and shows what is to be shown now.
static void take_result(void *user, const Test *test, Outcome outcome, const char *details,
                        double seconds) {
    Results *r = user;
    Group *g = group_of(r, test);
    g->count[outcome]++;
    g->seconds += seconds;
    if (outcome == OUTCOME_FAILED) show_failure(test, details);
    if (outcome == OUTCOME_SKIPPED)
        str_add_format(&r->skipped, "SKIP %s.%s: %s\n", test->group, test->name, details);
    if (--g->left == 0) show_group(g);
}

// Returns whether there were tests and none failed.
static bool run_all(const Options *options) {
    Error err = {0};
    Arena arena;
    require(arena_init(&arena, 1 << 20, &err));
    size_t n_all = 0, n = 0;
    for (const Test *test = first_test; test; test = test->next) n_all++;
    const Test **tests = arena_new(&arena, const Test *, n_all);
    Results results = {.group = arena_new(&arena, Group, n_all), .skipped = str_builder(&arena)};
    for (const Test *test = first_test; test; test = test->next) {
        if (!is_selected(test, options)) continue;
        tests[n++] = test;
        group_of(&results, test)->left++;
    }
    runner_run(&options->runner, tests, n, take_result, &results);
    int count[N_OUTCOMES] = {0};
    for (size_t i = 0; i < results.n; i++) {
        for (int k = 0; k < N_OUTCOMES; k++) count[k] += results.group[i].count[k];
    }
    fputs(str_built(&results.skipped).data, stdout);
    if (n == 0) puts("no test was selected");
    printf("%d passed, %d failed, %d skipped\n", count[OUTCOME_PASSED], count[OUTCOME_FAILED],
           count[OUTCOME_SKIPPED]);
    arena_drop(&arena);
    return n > 0 && count[OUTCOME_FAILED] == 0;
}

static bool read_options(int n_args, char **args, Options *options) {
    for (int i = 1; i < n_args; i++) {
        const char *value = i + 1 < n_args ? args[i + 1] : NULL;
        if (strcmp(args[i], "--no-fork") == 0) {
            options->runner.in_line = true;
        } else if (strcmp(args[i], "--brief") == 0) {
            run_is_brief = true;
        } else if (strcmp(args[i], "--list") == 0) {
            options->list = true;
        } else if (!value) {
            return false;
        } else {
            if (strcmp(args[i], "--only") == 0)
                options->only = value;
            else if (strcmp(args[i], "--seed") == 0)
                run_seed = strtoull(value, NULL, 0);
            else if (strcmp(args[i], "--jobs") == 0)
                options->runner.jobs = atoi(value);
            else if (strcmp(args[i], "--limit") == 0)
                options->runner.limit = atoi(value);
            else
                return false;
            i++;
        }
    }
    return options->runner.limit > 0 && options->runner.jobs >= 0;
}

int main(int n_args, char **args) {
    Options options = {.runner = {.limit = 60}};
    if (!read_options(n_args, args, &options)) {
        fputs("usage: run [--only TEXT] [--seed N] [--jobs N] [--limit SECONDS] [--brief] "
              "[--no-fork] [--list]\n",
              stderr);
        return 2;
    }
    if (options.list) {
        for (const Test *test = first_test; test; test = test->next) {
            if (is_selected(test, &options)) printf("%s.%s\n", test->group, test->name);
        }
        return 0;
    }
    log_to(show_log, NULL, LOG_FATAL);
    bool ok = run_all(&options);
    runner_clean();
    return !ok;
}
