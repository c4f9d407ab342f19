// test.h - the test runner: TEST(file, name) { ... } registers itself, CHECKs report and go on.
//
// Every test runs in a forked child with a time limit, so that a crash is one failure.  Where there
// is no fork (WebAssembly) tests run in line.  The last line is "N passed, N failed, N skipped".
#ifndef HEED_TESTS_TEST_H
#define HEED_TESTS_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

typedef struct Test Test;
struct Test {
    const char *group, *name;
    void (*run)(void);
    Test *next;
};
void test_register(Test *test);

#define TEST(group_, name_)                                                                  \
    static void test_##group_##_##name_(void);                                               \
    static Test entry_##group_##_##name_ = {#group_, #name_, test_##group_##_##name_, NULL}; \
    __attribute__((constructor)) static void register_##group_##_##name_(void) {             \
        test_register(&entry_##group_##_##name_);                                            \
    }                                                                                        \
    static void test_##group_##_##name_(void)

// Reports a failure of the running test; returns `ok`.
bool test_check(bool ok, const char *file, int line, const char *format, ...) PRINTF_LIKE(4, 5);
// Ends the running test as skipped (shown and counted) if nothing failed so far: use with return.
void test_skip(const char *reason);
// The seed of this run (--seed N), for random tests.
uint64_t test_seed(void);
// Long loops do every n-th case: 1, or 16 with --brief (under sanitizers and emulators).
int test_thinning(void);
// A path in this run's scratch folder (removed at the end); the result lives until the next call
// but seven.
const char *test_path(const char *name);
// A path under tests/ of the source tree, e.g. test_fixture("fixtures/llama.json").
const char *test_fixture(const char *name);

#define CHECK(condition)  test_check((condition), __FILE__, __LINE__, "%s", #condition)
#define CHECK_EQUAL(a, b) test_equal((int64_t)(a), (int64_t)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_CLOSE(a, b, tolerance) \
    test_close((double)(a), (double)(b), (double)(tolerance), __FILE__, __LINE__, #a " ~ " #b)
static inline bool test_equal(int64_t a, int64_t b, const char *file, int line, const char *what) {
    return test_check(a == b, file, line, "%s: %lld, %lld", what, (long long)a, (long long)b);
}
static inline bool test_close(double a, double b, double tolerance, const char *file, int line,
                              const char *what) {
    return test_check(fabs(a - b) <= tolerance, file, line, "%s: %.9g, %.9g", what, a, b);
}
// The call returns false/NULL and its Error has the kind, and the text contains the words.
#define CHECK_FAILS(call, err, kind_, words)                                                 \
    do {                                                                                     \
        (err) = (Error){0};                                                                  \
        test_check(!(call), __FILE__, __LINE__, "%s should fail", #call);                    \
        test_check((err).kind == (kind_) && strstr((err).text, (words)), __FILE__, __LINE__, \
                   "%s: kind %d, \"%s\", want kind %d, \"%s\"", #call, (int)(err).kind,      \
                   (err).text, (int)(kind_), (words));                                       \
    } while (0)

#endif
