// test_error.c - errors are one line, wrapped from outside, and cut without overflow.
#include "base/error.h"

#include "base/log.h"
#include "tests/test.h"

TEST(error, set_fills_and_returns_false) {
    Error err = {0};
    CHECK(!error_set(&err, ERROR_FORMAT, "tensor %s: %d bytes", "wq", 12));
    CHECK_EQUAL(err.kind, ERROR_FORMAT);
    CHECK(strcmp(err.text, "tensor wq: 12 bytes") == 0);
}

TEST(error, wrap_puts_context_in_front) {
    Error err = {0};
    error_set(&err, ERROR_IO, "no such file");
    CHECK(!error_wrap(&err, "tensor %d", 3));
    CHECK(!error_wrap(&err, "loading %s", "m.gguf"));
    CHECK_EQUAL(err.kind, ERROR_IO);
    CHECK(strcmp(err.text, "loading m.gguf: tensor 3: no such file") == 0);
}

// Every length of context around the size of the buffer: the text is the start of the whole.
TEST(error, long_texts_are_cut) {
    char context[600], whole[1200];
    for (size_t n = 400; n < sizeof context; n++) {
        memset(context, 'c', n);
        context[n] = '\0';
        Error err = {0};
        error_set(&err, ERROR_LIMIT, "inner text");
        error_wrap(&err, "%s", context);
        snprintf(whole, sizeof whole, "%s: inner text", context);
        whole[sizeof err.text - 1] = '\0';
        if (!CHECK(strcmp(err.text, whole) == 0)) return;
    }
    Error err = {0};
    error_set(&err, ERROR_LIMIT, "%0600d", 1);
    CHECK_EQUAL(strlen(err.text), sizeof err.text - 1);
}

TEST(error, every_kind_has_words) {
#define X(name, text) CHECK(strcmp(error_kind_words(ERROR_##name), (text)) == 0);
    ERROR_KINDS(X)
#undef X
}

static void keep_line(void *user, LogLevel level, const char *line) {
    (void)level;
    snprintf(user, 64, "%s", line);
}

TEST(error, log_reaches_the_sink_from_its_level_on) {
    char line[64] = "";
    log_to(keep_line, line, LOG_WARNING);
    log_write(LOG_INFO, "not shown");
    CHECK(strcmp(line, "") == 0);
    log_write(LOG_WARNING, "%d layers", 7);
    CHECK(strcmp(line, "7 layers") == 0);
    log_to(NULL, NULL, LOG_DEBUG);
    log_write(LOG_WARNING, "silent");
    CHECK(strcmp(line, "7 layers") == 0);
}
