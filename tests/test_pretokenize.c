// test_pretokenize.c - the hand-made matchers against Hugging Face tokenizers (golden cuts made by
// tools/golden_pretokenize.py) and against PCRE2 running the published expressions.
#include "text/pretokenize.h"

#include <stdlib.h>

#include "base/rng.h"
#include "tests/test.h"
#include "text/split_pattern.h"

static const char *const names[] = {"gpt-2",        "smollm",         "llama-bpe",   "qwen2",
                                    "qwen35",       "seed-coder",     "gpt-4o",      "tekken",
                                    "deepseek-llm", "deepseek-coder", "deepseek-v3", "falcon",
                                    "default",      "bloom",          "viking"};
enum { N_NAMES = sizeof names / sizeof names[0], TEXT_MAX = 1 << 12 };

static Arena arena_for_test(void) {
    Arena arena;
    Error err = {0};
    CHECK(arena_init(&arena, (size_t)64 << 20, &err));
    return arena;
}

// ---- golden cuts

static int hex_digit(char c) {
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

// The next word of the line, "" at its end.
static Str next_word(Str *line) {
    size_t end = str_find(*line, STR(" "), 0);
    Str word = str_slice(*line, 0, end);
    *line = end == SIZE_MAX ? STR("") : str_slice(*line, end + 1, line->n);
    return word;
}

static Str next_hex(Arena *arena, Str *line) {
    Str word = next_word(line);
    if (str_equal(word, STR("-"))) return STR("");
    char *bytes = arena_push(arena, word.n / 2 + 1);
    for (size_t i = 0; i < word.n / 2; i++) {
        bytes[i] = (char)(hex_digit(word.data[2 * i]) << 4 | hex_digit(word.data[2 * i + 1]));
    }
    return (Str){bytes, word.n / 2};
}

// The numbers that the rest of the line should be; "" if it is those.
static bool is_numbers(Str line, const int64_t *numbers, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        int64_t value;
        if (!str_int(next_word(&line), &value) || value != numbers[i]) return false;
    }
    return line.n == 0;
}

static void check_cut(Arena *arena, Str text, Str line) {
    Error err = {0};
    Str name = next_word(&line);
    Splitter *s = splitter_named(arena, name, &err);
    if (!CHECK(s != NULL)) return;
    int64_t ends[TEXT_MAX];
    int64_t n = splitter_cut(s, text, ends, NULL);
    test_check(is_numbers(line, ends, n), __FILE__, __LINE__, "%.*s cuts \"%.*s\"", STR_ARG(name),
               STR_ARG(text));
}

static void check_split(Arena *arena, Str line) {
    static const char *const behaviours[] = {"isolated", "removed", "merged_with_previous",
                                             "merged_with_next", "contiguous"};
    Error err = {0};
    Str word = next_word(&line);
    int behaviour = 0;
    while (behaviour < 4 && !str_equal(word, str_from(behaviours[behaviour]))) behaviour++;
    bool invert = str_equal(next_word(&line), STR("1"));
    Str pattern = next_hex(arena, &line), text = next_hex(arena, &line);
    Splitter *s = splitter_pattern(arena, pattern, (SplitBehaviour)behaviour, invert, &err);
    if (!s && err.kind == ERROR_UNSUPPORTED) return; // this build has no PCRE2
    if (!CHECK(s != NULL)) return;
    int64_t ends[TEXT_MAX], spans[2 * TEXT_MAX];
    bool dropped[TEXT_MAX];
    int64_t n = splitter_cut(s, text, ends, dropped), n_numbers = 0;
    for (int64_t i = 0; i < n; i++) {
        if (dropped[i]) continue;
        spans[n_numbers++] = i ? ends[i - 1] : 0;
        spans[n_numbers++] = ends[i];
    }
    test_check(is_numbers(line, spans, n_numbers), __FILE__, __LINE__,
               "/%.*s/ %s, invert %d, cuts \"%.*s\" so: %.*s", STR_ARG(pattern),
               behaviours[behaviour], invert, STR_ARG(text), STR_ARG(line));
}

TEST(pretokenize, cuts_as_hugging_face_does) {
    Arena arena = arena_for_test();
    FILE *file = fopen(test_fixture("fixtures/pretokenize.txt"), "rb");
    if (!CHECK(file != NULL)) return;
    static char buffer[1 << 14];
    Str text = STR("");
    int n_cuts = 0, n_splits = 0;
    while (fgets(buffer, sizeof buffer, file)) {
        Str line = str_trim(str_from(buffer));
        Str kind = next_word(&line);
        if (str_equal(kind, STR("text"))) text = next_hex(&arena, &line);
        if (str_equal(kind, STR("cut")) && ++n_cuts) check_cut(&arena, text, line);
        if (str_equal(kind, STR("split")) && ++n_splits) check_split(&arena, line);
    }
    fclose(file);
    CHECK(n_cuts > 3000 && n_splits > 700);
    arena_drop(&arena);
}

// ---- random texts against the expression itself

// Characters on which patterns disagree.  None is newer than Unicode 14, which PCRE2 10.42 knows.
static const char *const hostile[] = {
    " ",      " ",      " ",      " ",        "\n",     "\n",         "\r",     "\t",     "'",
    "'",      "s",      "t",      "l",        "L",      "e",          "R",      "v",      "D",
    "m",      "a",      "Z",      "\u00E9",   "\u00C9", "\u0301",     "\u01C5", "\u02B0", "\u4E00",
    "\u306E", "\uD55C", "\u0E01", "1",        "2",      "3",          "\u0663", "\u00BD", "\u2167",
    ".",      "/",      "-",      "$",        "+",      "(",          "_",      "\u00BF", "\u3002",
    "\u3000", "\u00A0", "\u2028", "\xC2\x85", "\u200D", "\U0001F680", "\u017F", "\v",     "\u20AC",
    "|",      "`",      "\u060C", "\uFF01",   "\u2018", "\u0416",     "\u1F7D"};
enum { N_HOSTILE = sizeof hostile / sizeof hostile[0] };

static Str hostile_text(Rng *rng, char *buffer) {
    size_t n = 0;
    for (uint64_t i = rng_below(rng, 40); i > 0; i--) {
        // Half of the texts come from few characters, so that long runs occur.
        const char *c = hostile[rng_below(rng, rng_below(rng, 2) ? N_HOSTILE : 12)];
        memcpy(buffer + n, c, strlen(c));
        n += strlen(c);
    }
    return (Str){buffer, n};
}

static void compare_with_pcre(const SplitPattern *pattern, const SplitPcre *pcre, Str text) {
    SplitPcreRun run;
    if (!CHECK(split_pcre_begin(&run, pcre, text))) return;
    SplitProgram program = split_program(pattern);
    SplitSpan span = {text, 0, (int64_t)text.n};
    int64_t at[2] = {0, 0}, end[2] = {0, 0};
    bool found[2];
    do {
        found[0] = split_pattern_find(&program, span, &at[0], &end[0]);
        found[1] = split_pcre_find(&run, &at[1], &end[1]);
        bool same = found[0] == found[1] && (!found[0] || (at[0] == at[1] && end[0] == end[1]));
        if (!test_check(same, __FILE__, __LINE__, "/%.60s/ on \"%.*s\" at %lld: ends %lld, %lld",
                        pattern->regex, STR_ARG(text), (long long)at[0], (long long)end[0],
                        (long long)end[1])) {
            break;
        }
        at[0] = at[1] = end[0];
    } while (found[0]);
    CHECK(split_pcre_end(&run));
}

TEST(pretokenize, matchers_equal_their_expressions) {
    Arena arena = arena_for_test();
    Rng rng = rng_seed(test_seed());
    char buffer[4 * TEXT_MAX];
    for (int i = 0; i < N_NAMES; i++) {
        const SplitPattern *steps[SPLIT_STEPS_MAX];
        int n = split_name_patterns(str_from(names[i]), steps);
        CHECK(n > 0);
        for (int j = 0; j < n; j++) {
            Error err = {0};
            SplitPcre *pcre = split_pcre(&arena, str_from(steps[j]->regex), &err);
            if (err.kind == ERROR_UNSUPPORTED) {
                test_skip("this build has no PCRE2");
                return;
            }
            if (!test_check(pcre != NULL, __FILE__, __LINE__, "%s", err.text)) continue;
            for (int k = 0; k < 400; k++) {
                compare_with_pcre(steps[j], pcre, hostile_text(&rng, buffer));
            }
        }
    }
    arena_drop(&arena);
}

// ---- recognition

TEST(pretokenize, recognises_published_expressions) {
    Arena arena = arena_for_test();
    Error err = {0};
    Str gpt2 = STR("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|"
                   "\\s+");
    const Splitter *s[2] = {splitter_pattern(&arena, STR("\\p{N}"), SPLIT_ISOLATED, false, &err),
                            splitter_pattern(&arena, gpt2, SPLIT_ISOLATED, false, &err)};
    CHECK(str_equal(splitter_gguf_name(s, 2), STR("smollm")));
    CHECK(str_equal(splitter_gguf_name(s + 1, 1), STR("gpt-2")));
    CHECK(splitter_gguf_name(s, 1).n == 0);
    // Line breaks may stand for themselves.
    CHECK(split_pattern_known(STR("[\r\n]")) == split_pattern_known(STR("[\\r\\n]")));
    CHECK(split_pattern_known(STR("[\r\n]")) != NULL);
    CHECK(split_pattern_known(STR("[\r\n")) == NULL);
    for (int i = 0; i < N_NAMES; i++) {
        const SplitPattern *steps[SPLIT_STEPS_MAX];
        int n = split_name_patterns(str_from(names[i]), steps);
        CHECK(str_equal(split_name_find(steps, n), str_from(names[i])));
    }
    CHECK_FAILS(splitter_named(&arena, STR("gpt-9"), &err), err, ERROR_UNSUPPORTED, "\"gpt-9\"");
    CHECK_FAILS(splitter_named(&arena, STR(""), &err), err, ERROR_UNSUPPORTED,
                "tokenizer.ggml.pre");
    arena_drop(&arena);
}

// ---- hostile input

// Long runs of one character: the classic ways to make a matcher quadratic.
TEST(pretokenize, takes_linear_time) {
    enum { N = 1 << 20 };
    static const char *const unit[] = {" ",      "\n",   "a",        "A",  "1",      "'", "\u0301",
                                       "\u4E00", "\xFF", "A\u0301A", " x", "\u3000", "a'"};
    Arena arena = arena_for_test();
    Error err = {0};
    char *text = arena_push(&arena, N + 8);
    int64_t *ends = arena_push(&arena, (N + 8) * sizeof *ends);
    for (size_t u = 0; u < sizeof unit / sizeof unit[0]; u++) {
        size_t n = strlen(unit[u]), total = N / 8 / n * n;
        for (size_t i = 0; i < total; i += n) memcpy(text + i, unit[u], n);
        text[total] = 'x'; // white space must not be at the end
        for (int i = 0; i < N_NAMES; i++) {
            Splitter *s = splitter_named(&arena, str_from(names[i]), &err);
            int64_t n_pieces = splitter_cut(s, (Str){text, total + 1}, ends, NULL);
            CHECK_EQUAL(ends[n_pieces - 1], total + 1);
        }
    }
    arena_drop(&arena);
}

TEST(pretokenize, cuts_any_bytes) {
    Arena arena = arena_for_test();
    Error err = {0};
    Rng rng = rng_seed(test_seed());
    char bytes[64];
    int64_t ends[sizeof bytes];
    Splitter *splitter[N_NAMES + 1]; // the last one by PCRE2, if that is there
    splitter[N_NAMES] = splitter_pattern(&arena, STR("a+|\\s|."), SPLIT_CONTIGUOUS, false, &err);
    for (int i = 0; i < N_NAMES; i++)
        splitter[i] = splitter_named(&arena, str_from(names[i]), &err);
    for (int k = 0; k < 3000; k++) {
        size_t n = rng_below(&rng, sizeof bytes);
        for (size_t i = 0; i < n; i++) bytes[i] = (char)rng_below(&rng, 256);
        for (int i = 0; i <= N_NAMES; i++) {
            if (!splitter[i]) continue;
            int64_t n_pieces = splitter_cut(splitter[i], (Str){bytes, n}, ends, NULL), last = 0;
            for (int64_t j = 0; j < n_pieces; j++) {
                CHECK(ends[j] > last);
                last = ends[j];
            }
            CHECK_EQUAL(last, n);
        }
    }
    arena_drop(&arena);
}

TEST(pretokenize, refuses_expressions_that_explode) {
    Arena arena = arena_for_test();
    Error err = {0};
    static const char *const bomb[] = {"(a*)*b", "(a|a)*b", "a+$", "(?:a+)+(?!a)b", "(?=a*b)a"};
    enum { N = 40000 };
    char *text = arena_push(&arena, N);
    int64_t *ends = arena_push(&arena, N * sizeof *ends);
    memset(text, 'a', N);
    text[N - 1] = 'c';
    for (size_t i = 0; i < sizeof bomb / sizeof bomb[0]; i++) {
        Splitter *s = splitter_pattern(&arena, str_from(bomb[i]), SPLIT_ISOLATED, false, &err);
        if (!s && err.kind == ERROR_UNSUPPORTED) {
            test_skip("this build has no PCRE2");
            return;
        }
        if (!CHECK(s != NULL)) continue;
        test_check(splitter_cut(s, (Str){text, N}, ends, NULL) == -1, __FILE__, __LINE__,
                   "%s is not stopped", bomb[i]);
    }
    CHECK_FAILS(splitter_pattern(&arena, STR("(a"), SPLIT_ISOLATED, false, &err), err, ERROR_FORMAT,
                "at byte 2");
    arena_drop(&arena);
}
