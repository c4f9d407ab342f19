// test_journal.c - the record of a training run: its lines, its verdict in words, its drawing, and
// its copy for TensorBoard.
#include "train/journal.h"

#include <stddef.h>

#include "base/file.h"
#include "base/rng.h"
#include "tests/test.h"
#include "train/chart.h"
#include "train/curves.h"
#include "train/tensorboard.h"
#include "train/verdict.h"

static Arena arena_make(void) {
    Arena arena;
    Error err = {0};
    require(arena_init(&arena, ARENA_DEFAULT, &err));
    return arena;
}

static const JournalStart some_start = {.name = {"a \"run\"", 7},
                                        .architecture = {"llama", 5},
                                        .parameters = 1000,
                                        .vocabulary = 512,
                                        .context = 64,
                                        .data = {"b.txt", 5},
                                        .fingerprint = 0xfedcba9876543210,
                                        .data_tokens = 5000,
                                        .expected_loss = 6.25};

static StepRecord step_record(int64_t step, double loss) {
    return (StepRecord){.step = step,
                        .tokens = 64 * step,
                        .seconds = 0.5 * (double)step,
                        .loss = loss,
                        .rate = 0.001,
                        .grad_norm = 1.5,
                        .tokens_per_second = 128,
                        .share_of_peak = 0.25};
}

static bool has(Str text, const char *words) {
    return str_find(text, str_from(words), 0) < text.n;
}

static Str read_all(Arena *arena, const char *path) {
    Str text = {0};
    Error err = {0};
    test_check(file_read(arena, path, 1 << 20, &text, &err), __FILE__, __LINE__, "%s", err.text);
    return text;
}

// ---------------------------------------------------------------- lines
// Ten steps, a validation after every fourth, and the rest.
static void write_run(Arena *arena, const char *path) {
    Journal j;
    Error err = {0};
    Settings settings = settings_default();
    bool ok = journal_begin(&j, arena, path, &some_start, &settings, &err);
    for (int64_t s = 1; s <= 10; s++) {
        StepRecord record = step_record(s, s == 7 ? (double)NAN : 6.0 - 0.1 * (double)s);
        record.is_skipped = s == 7;
        ok = ok && journal_step(&j, record, &err);
        if (s == 7) ok = ok && journal_note(&j, s, STR("skipped"), &err);
        if (s % 4 == 0)
            ok = ok && journal_validation(&j, (ValidationRecord){s, 64 * s, 1, 5.5, 2.25}, &err) &&
                 journal_sample(&j, s, STR("Once\nupon \xff"), &err);
    }
    ok = ok && journal_end(&j, 10, STR("Learning."), &err);
    test_check(ok, __FILE__, __LINE__, "%s", err.text);
    CHECK_EQUAL(j.history.n_steps, 10);
    CHECK_EQUAL(j.history.n_validations, 2);
}

TEST(journal, reads_what_it_wrote) {
    Arena arena = arena_make();
    const char *path = test_path("train.jsonl");
    History h;
    Error err = {0};
    write_run(&arena, path);
    if (!test_check(journal_read(&h, &arena, path, &err), __FILE__, __LINE__, "%s", err.text))
        return;
    CHECK(str_equal(h.start.name, some_start.name) && str_equal(h.start.data, STR("b.txt")));
    CHECK(h.start.fingerprint == some_start.fingerprint && h.start.expected_loss == 6.25);
    CHECK(h.start.parameters == 1000 && h.start.vocabulary == 512 && h.start.data_tokens == 5000);
    CHECK(h.n_steps == 10 && h.n_validations == 2);
    StepRecord want = step_record(3, 6.0 - 0.1 * 3.0);
    CHECK(memcmp(&h.step[2], &want, offsetof(StepRecord, is_skipped)) == 0); // padding may differ
    CHECK(!h.step[2].is_skipped);
    CHECK(h.step[6].is_skipped && isnan(h.step[6].loss));
    CHECK(h.validation[1].step == 8 && h.validation[1].bits_per_byte == 2.25);
    CHECK(h.sample.step == 8 && str_equal(h.sample.text, STR("Once\nupon \xef\xbf\xbd")));
    CHECK(str_equal(h.verdict, STR("Learning.")));
    Str text = read_all(&arena, path);
    CHECK(str_starts(text, STR("{\"event\":\"start\",\"name\":\"a \\\"run\\\"\",")));
    CHECK(has(text, "\"settings\":{\"arch\":") && has(text, "\"weight_decay\":0.1,"));
    CHECK(has(text, "{\"event\":\"step\",\"step\":7,\"tokens\":448,\"seconds\":3.5,\"loss\":null,"
                    "\"lr\":0.001,\"grad_norm\":1.5,\"tokens_per_second\":128,"
                    "\"share_of_peak\":0.25,\"skipped\":true}\n"));
    CHECK(has(text, "{\"event\":\"note\",\"step\":7,\"text\":\"skipped\"}\n"));
    arena_drop(&arena);
}

// A run that was cut off in step 10 goes on from a checkpoint at step 5: steps 1-5, 6', 7'.
TEST(journal, resumes) {
    Arena arena = arena_make();
    const char *path = test_path("train.jsonl");
    Journal j;
    History h;
    Error err = {0};
    write_run(&arena, path);
    CHECK(file_append(path, "{\"event\":\"ste", 13, &err));
    CHECK(journal_read(&h, &arena, path, &err) && h.n_steps == 10);
    if (!CHECK(journal_resume(&j, &arena, path, 5, &err))) return;
    CHECK(j.history.n_steps == 5 && j.history.n_validations == 1 && j.history.verdict.n == 0);
    CHECK(journal_step(&j, step_record(6, 1), &err) && journal_step(&j, step_record(7, 2), &err));
    CHECK(journal_read(&h, &arena, path, &err));
    CHECK(h.n_steps == 7 && h.step[4].step == 5 && h.step[5].loss == 1 && h.step[6].loss == 2);
    CHECK(h.n_validations == 1 && h.sample.step == 4 && h.verdict.n == 0);
    CHECK(!has(read_all(&arena, path), "note"));
    arena_drop(&arena);
}

TEST(journal, refuses) {
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "no whole line"},
        {"{\"event\":\"start\"", "no whole line"},
        {"{\"event\":\"step\",\"step\":1}\n", "line 1: the event \"start\""},
        {"{\"event\":\"start\"}\n", "line 1: \"expected_loss\" is missing"},
        {"{\"event\":\"start\",\"expected_loss\":\"x\"}\n",
         "\"expected_loss\" is of the wrong kind"},
        {"{\"event\":\"start\",\"expected_loss\":1,\"data_fingerprint\":\"xyz\"}\n", "hexadecimal"},
        {"{\"event\":\"start\",\"expected_loss\":1}\n{\"event\":\"start\"}\n", "line 2: the event"},
        {"{\"event\":\"start\",\"expected_loss\":1}\n{\"event\":\"step\",\"step\":1.5}\n",
         "line 2: \"step\" is of the wrong kind"},
        {"{\"event\":\"start\",\"expected_loss\":1}\n{\"event\":\"step\",\"step\":-1}\n",
         "wrong kind"},
        {"{\"event\":\"start\",\"expected_loss\":1}\nnonsense\n", "line 2: "},
    };
    Arena arena = arena_make();
    History h;
    Journal j;
    Error err = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = test_path("broken.jsonl");
        FileWriter *writer = file_create(path, &err);
        if (!CHECK(writer)) return;
        file_write(writer, cases[i].text, strlen(cases[i].text));
        CHECK(file_commit(writer, &err));
        CHECK_FAILS(journal_read(&h, &arena, path, &err), err, ERROR_FORMAT, cases[i].words);
        CHECK_FAILS(journal_resume(&j, &arena, path, 1, &err), err, ERROR_FORMAT, cases[i].words);
        CHECK(str_equal(read_all(&arena, path), str_from(cases[i].text))); // left as it was
    }
    CHECK_FAILS(journal_read(&h, &arena, test_path("none"), &err), err, ERROR_IO, "none");
    arena_drop(&arena);
}

// ---------------------------------------------------------------- made histories
enum { STEPS = 400 };

typedef struct Made {
    double start, end;      // losses; the fall slows down
    double rise_from, rise; // as a share of the steps: from there on, so much by the end
    double rate_end;        // as a share of the highest
    double noise;
    int spike_every;
    bool not_finite;                   // at the end
    double v_gap, v_rise_from, v_rise; // validation above training
} Made;

static double ramp(double share, double from, double height) {
    return share > from ? height * (share - from) / (1 - from) : 0;
}

static History make_history(Arena *arena, Made m) {
    History h = {.start = some_start};
    Rng rng = rng_seed(3);
    for (int64_t s = 1; s <= STEPS; s++) {
        double share = (double)s / STEPS;
        double base =
            m.end + (m.start - m.end) * exp(-6 * share) + ramp(share, m.rise_from, m.rise);
        StepRecord record = step_record(s, base + m.noise * rng_normal(&rng));
        if (m.spike_every && s % m.spike_every == 0) record.loss += 3;
        if (m.not_finite && s > STEPS - 5) record.loss = (double)NAN;
        record.rate = 0.01 * (1 - (1 - m.rate_end) * share);
        history_add_step(&h, arena, record);
        if (m.v_gap > 0 && s % 40 == 0)
            history_add_validation(
                &h, arena,
                (ValidationRecord){s, 64 * s, 0.5 * (double)s,
                                   base + m.v_gap + ramp(share, m.v_rise_from, m.v_rise), 1});
    }
    return h;
}

TEST(verdict, of_made_histories) {
    static const struct {
        Made made;
        VerdictKind kind;
        const char *words[3];
    } cases[] = {
        {{6.25, 3.0, .noise = 0.05, .rate_end = 0.1},
         VERDICT_LEARNING,
         {"Learning. The training loss fell from 5.4", "guessing costs 6.250",
          "over the last third"}},
        {{6.25, 3.0, .noise = 0.05, .rate_end = 0.1, .v_gap = 0.2},
         VERDICT_LEARNING,
         {"Validation: 3.2", ""}},
        {{4.0, 4.0, .noise = 0.05, .rate_end = 1}, VERDICT_LEVEL, {"Levelled off.", ""}},
        {{6.25, 6.24, .noise = 0.05, .rate_end = 1},
         VERDICT_FLAT,
         {"Nothing is learned: the loss is 6.2", "0.01 may be too low", ""}},
        {{6.25, 7.5, .noise = 0.3, .rate_end = 1},
         VERDICT_RATE_TOO_HIGH,
         {"worse than guessing (6.250)", "too high: try 0.0033", ""}},
        {{6.25, 4.0, .rise_from = 0.4, .rise = 1.5, .noise = 0.1, .rate_end = 1},
         VERDICT_RATE_TOO_HIGH,
         {"The loss rises: 5.4", "around step 160", "learning rate of 0.01"}},
        {{6.25, 3.0, .rise_from = 0.85, .rise = 2, .noise = 0.1, .rate_end = 0.1},
         VERDICT_DIVERGING,
         {"although the learning rate had come down to 0.0", "after this step", ""}},
        {{6.25, 3.0, .noise = 0.05, .rate_end = 0.1, .not_finite = true},
         VERDICT_NOT_FINITE,
         {"not a number since step 396", "try 0.0", ""}},
        {{6.25, 3.0, .noise = 0.05, .rate_end = 0.1, .spike_every = 37},
         VERDICT_SPIKES,
         {"9 spikes, the highest at step ", "is usual", "calm it"}},
        {{6.25, 2.0, .noise = 0.03, .rate_end = 0.1, .v_gap = 0.2, .v_rise_from = 0.5,
          .v_rise = 0.8},
         VERDICT_OVERFITTING,
         {"Overfitting: the validation loss is 3.0", "at step 200", "training loss fell from 2."}},
    };
    Arena arena = arena_make();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        History h = make_history(&arena, cases[i].made);
        Verdict v = verdict_make(&arena, &h);
        bool ok = v.kind == cases[i].kind;
        for (int k = 0; k < 3 && cases[i].words[k]; k++) ok = ok && has(v.words, cases[i].words[k]);
        test_check(ok, __FILE__, __LINE__, "case %d: %s: %.*s", (int)i, verdict_name(v.kind),
                   STR_ARG(v.words));
    }
    History h = make_history(&arena, cases[0].made);
    h.n_steps = 19;
    CHECK(verdict_make(&arena, &h).kind == VERDICT_TOO_SHORT);
    h.n_steps = STEPS;
    for (int i = 40; i < STEPS; i += 40) h.step[i].is_skipped = true;
    Verdict v = verdict_make(&arena, &h);
    CHECK(v.kind == VERDICT_SPIKES &&
          str_starts(v.words, STR("9 steps were skipped. The training")));
    for (int i = 0; i < STEPS; i++) h.step[i].loss = (double)NAN;
    CHECK(verdict_make(&arena, &h).kind == VERDICT_NOT_FINITE);
    arena_drop(&arena);
}

// ---------------------------------------------------------------- drawing
TEST(curves, smooths) {
    Arena arena = arena_make();
    History h = make_history(&arena, (Made){3, 3, .noise = 0.5});
    h.step[10].is_skipped = true;
    Curves c = curves_make(&arena, &h);
    CHECK(isnan(c.loss[10]) && isnan(c.smooth[10]) && isfinite(c.smooth[11]));
    CHECK(c.smooth[0] == h.step[0].loss);
    double raw = 0, smooth = 0;
    for (int i = 100; i < STEPS; i++) {
        raw += (c.loss[i] - 3) * (c.loss[i] - 3);
        smooth += (c.smooth[i] - 3) * (c.smooth[i] - 3);
    }
    // Exponential weights over a window of 10 leave 1/19 of the variance.
    CHECK(smooth / raw > 0.02 && smooth / raw < 0.1);
    arena_drop(&arena);
}

static int count_of(Str text, const char *words) {
    int n = 0;
    for (size_t at = 0; (at = str_find(text, str_from(words), at)) < text.n; at++) n++;
    return n;
}

TEST(curves, drawing) {
    Arena arena = arena_make();
    Made made = {6.25, 3.0, .noise = 0.05, .rate_end = 0.1, .v_gap = 0.2};
    History h = make_history(&arena, made);
    StrBuilder out = str_builder(&arena);
    curves_svg(&out, &h, STR("Loss < 4 & falling."));
    Str svg = str_built(&out);
    CHECK(str_starts(svg, STR("<svg ")) && str_ends(svg, STR("</svg>\n")));
    CHECK(has(svg, "prefers-color-scheme:dark") && has(svg, "Loss &lt; 4 &amp; falling."));
    CHECK(has(svg, ">a \"run\"</text>") && has(svg, ">guessing: ln 512 = 6.25</text>"));
    CHECK(has(svg, ">3.2") && has(svg, ">20 k</text>") && has(svg, ">1 min</text>"));
    CHECK_EQUAL(count_of(svg, "<circle"), 2 * 10 + 1);
    CHECK_EQUAL(count_of(svg, "<path class=\"s0 faint\""), 2);
    CHECK(!has(svg, "nan") && !has(svg, "inf"));
    // Nothing to draw is no reason to draw nonsense.
    h.n_steps = h.n_validations = 0;
    out = str_builder(&arena);
    curves_svg(&out, &h, STR(""));
    CHECK_EQUAL(count_of(str_built(&out), "no values"), 3);
    h = make_history(&arena, (Made){.start = 0, .end = (double)INFINITY});
    out = str_builder(&arena);
    curves_svg(&out, &h, STR(""));
    svg = str_built(&out);
    CHECK(!has(svg, "nan ") && !has(svg, "inf "));
    arena_drop(&arena);
}

TEST(curves, numbers_in_words) {
    Arena arena = arena_make();
    static const struct {
        double n;
        const char *words;
    } counts[] = {{0, "0"},         {17, "17"},         {999, "999"},    {1000, "1 k"},
                  {1234, "1.23 k"}, {999600, "1.00 M"}, {1.5e7, "15 M"}, {1.234e8, "123 M"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        Str got = chart_count(&arena, counts[i].n);
        test_check(str_equal(got, str_from(counts[i].words)), __FILE__, __LINE__, "%g: %.*s",
                   counts[i].n, STR_ARG(got));
    }
    CHECK(str_equal(chart_seconds(&arena, 42), STR("42 s")));
    CHECK(str_equal(chart_seconds(&arena, 754), STR("12.6 min")));
    CHECK(str_equal(chart_seconds(&arena, 12600), STR("3.50 h")));
    arena_drop(&arena);
}

// ---------------------------------------------------------------- TensorBoard
// What TensorBoard 2.21 itself writes for version 2 and step 300 with a = 1.5, loss = 2:
// tools/golden_tensorboard.py.
TEST(tensorboard, known_bytes) {
    static const unsigned char want[] = {
        0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa3, 0x7f, 0x4b, 0x22, 0x09, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x59, 0x40, 0x1a, 0x0d, 0x62, 0x72, 0x61, 0x69, 0x6e,
        0x2e, 0x45, 0x76, 0x65, 0x6e, 0x74, 0x3a, 0x32, 0xb0, 0xa1, 0xd5, 0xe4, 0x25, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xea, 0xbc, 0x36, 0xf3, 0x09, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x20, 0x59, 0x40, 0x10, 0xac, 0x02, 0x2a, 0x17, 0x0a, 0x08, 0x0a, 0x01,
        0x61, 0x15, 0x00, 0x00, 0xc0, 0x3f, 0x0a, 0x0b, 0x0a, 0x04, 0x6c, 0x6f, 0x73, 0x73,
        0x15, 0x00, 0x00, 0x00, 0x40, 0x8f, 0xf3, 0x5c, 0xda};
    Arena arena = arena_make();
    const char *path = test_path("events.out.tfevents.1");
    Error err = {0};
    const Scalar scalars[] = {{"a", 1.5}, {"gone", (double)NAN}, {"loss", 2}};
    CHECK(tensorboard_begin(path, 100, &err));
    CHECK(tensorboard_add(path, 100.5, 300, scalars, 3, &err));
    Str file = read_all(&arena, path);
    CHECK(file.n == sizeof want && memcmp(file.data, want, sizeof want) == 0);
    arena_drop(&arena);
}

// RFC 3720, B.4
TEST(tensorboard, crc32c) {
    char bytes[32] = {0};
    CHECK(crc32c(bytes, 32) == 0x8a9136aau);
    memset(bytes, 0xff, 32);
    CHECK(crc32c(bytes, 32) == 0x62a8ab43u);
    for (int i = 0; i < 32; i++) bytes[i] = (char)i;
    CHECK(crc32c(bytes, 32) == 0x46dd794eu);
}
