// test_state.c - what a sequence's memory is made of, and how far back it can be cut.
#include "generate/session.h"
#include "model/state.h"
#include "tests/test.h"

static Model *open_fixture(const char *name) {
    Error err = {0};
    char path[64];
    snprintf(path, sizeof path, "fixtures/models/%s", name);
    Model *model = model_open(test_fixture(path), (ModelOptions){0}, &err);
    test_check(model != NULL, __FILE__, __LINE__, "%s: %s", name, err.text);
    return model;
}

// Numbers by hand, from the configs in tools/golden_mixers.py and golden_models.py.
TEST(state, bytes_are_those_of_the_layers) {
    static const struct {
        const char *name;
        size_t a_token, carried; // numbers
    } want[] = {
        {"mamba", 0, 2 * 64 * (3 + 6)},   {"heed-rnn", 0, 2 * 32},
        {"heed-lstm", 0, 2 * 2 * 24},     {"heed-alibi", 2 * 2 * 12, 0},
        {"heed-sine", 2 * 2 * 8, 2 * 32}, {"heed-rotary", 2 * 2 * 2 * 8, 64 * (2 + 5) + 32}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        Error err = {0};
        Model *m = open_fixture(want[i].name);
        State *state = m ? state_open(m, DTYPE_F32, 64, &err) : NULL;
        if (!CHECK(state)) return;
        CHECK_EQUAL(state_bytes_per_position(m, DTYPE_F32), 4 * want[i].a_token);
        CHECK_EQUAL(state_bytes_per_position(m, DTYPE_F16), 2 * want[i].a_token);
        CHECK_EQUAL(state_bytes_carried(m), 4 * want[i].carried);
        CHECK_EQUAL(state_bytes(state), 4 * want[i].carried);
        state_reach(state, 20); // two tiles of 16 positions
        CHECK_EQUAL(state_bytes(state), 4 * (want[i].carried + 32 * want[i].a_token));
        state_close(state);
        model_close(m);
    }
}

// A state whose every number carried is `value`.
static void fill(State *state, float value) {
    for (int64_t i = 0; i < state->n_carry; i++) state->carry[i] = value;
}

static void check_carried(const State *state, int64_t n, float value) {
    CHECK_EQUAL(state->n, n);
    for (int64_t i = 0; i < state->n_carry; i++) CHECK(state->carry[i] == value);
}

TEST(state, is_cut_back_to_snapshots_only) {
    Error err = {0};
    Model *m = open_fixture("heed-rnn");
    State *state = m ? state_open(m, DTYPE_F16, 4096, &err) : NULL;
    if (!CHECK(state)) return;
    fill(state, 1);
    state_reach(state, 30); // many at once: a snapshot
    for (int64_t n = 31; n <= 95; n++) {
        fill(state, (float)n);
        state_reach(state, n); // one by one: at 94
    }
    CHECK_EQUAL(state_nearest(state, 95), 95);
    CHECK_EQUAL(state_nearest(state, 94), 94);
    CHECK_EQUAL(state_nearest(state, 93), 30);
    CHECK_EQUAL(state_nearest(state, 29), 0);
    CHECK_FAILS(state_cut(state, 50, &err), err, ERROR_UNSUPPORTED, "the nearest is at 30");
    check_carried(state, 95, 95); // nothing happened
    CHECK_FAILS(state_cut(state, 96, &err), err, ERROR_USAGE, "95 positions at 96");
    CHECK(state_cut(state, 94, &err));
    check_carried(state, 94, 94);
    fill(state, 7);
    CHECK(state_cut(state, 94, &err)); // where it stands: as it is
    check_carried(state, 94, 7);
    CHECK(state_cut(state, 30, &err));
    check_carried(state, 30, 1);
    CHECK_EQUAL(state_nearest(state, 29), 0); // that at 94 is gone too
    CHECK(state_cut(state, 0, &err));
    check_carried(state, 0, 0);
    state_close(state);
    model_close(m);
}

// Where there is no room the snapshots thin out: the first and the last stay within reach.
TEST(state, snapshots_cover_a_long_text) {
    Error err = {0};
    Model *m = open_fixture("mamba");
    State *state = m ? state_open(m, DTYPE_F16, 1 << 16, &err) : NULL;
    if (!CHECK(state)) return;
    int64_t end = 0, widest = 0;
    for (int i = 0; i < 100; i++) state_reach(state, end += 500);
    CHECK_EQUAL(state->n_snapshots, STATE_SNAPSHOTS);
    CHECK_EQUAL(state->snapshot[STATE_SNAPSHOTS - 1].n, end);
    for (int i = 0; i < STATE_SNAPSHOTS; i++) {
        int64_t gap = state->snapshot[i].n - (i ? state->snapshot[i - 1].n : 0);
        widest = gap > widest ? gap : widest;
    }
    CHECK(widest <= end / 2);
    state_close(state);
    model_close(m);
}

TEST(state, of_another_shape_is_not_restored) {
    Error err = {0};
    Arena arena;
    Model *a = open_fixture("heed-rnn"), *b = open_fixture("heed-lstm");
    State *one = a ? state_open(a, DTYPE_F16, 64, &err) : NULL;
    State *two = b ? state_open(b, DTYPE_F16, 64, &err) : NULL;
    if (!CHECK(one && two && arena_init(&arena, ARENA_DEFAULT, &err))) return;
    fill(one, 3);
    state_reach(one, 9);
    Str saved = state_save(one, &arena);
    CHECK_FAILS(state_restore(two, saved, &err), err, ERROR_FORMAT, "another model");
    CHECK(state_cut(one, 0, &err) && state_restore(one, saved, &err));
    check_carried(one, 9, 3);
    ((char *)(uintptr_t)saved.data)[saved.n - 1] ^= 1;
    CHECK_FAILS(state_restore(one, saved, &err), err, ERROR_FORMAT, "checksum");
    state_close(one);
    state_close(two);
    model_close(a);
    model_close(b);
    arena_drop(&arena);
}

// ---------------------------------------------------------------- in a session
// It goes back as far as it must and computes the rest again: the same logits as a fresh one.
TEST(state, session_goes_back_to_a_snapshot) {
    static const char *const names[] = {"mamba", "heed-lstm", "heed-rotary"};
    SessionOptions options = {.context = 64, .cache = DTYPE_F32, .exact = true, .chunk = 8};
    for (int i = 0; i < 3; i++) {
        Error err = {0};
        Model *m = open_fixture(names[i]);
        Session *s = m ? session_open(m, options, &err) : NULL;
        Session *fresh = m ? session_open(m, options, &err) : NULL;
        int32_t ids[40];
        for (int k = 0; k < 40; k++) ids[k] = (k * 7 + 3) % 60;
        if (!CHECK(s && fresh && session_sync(s, ids, 30, &err))) return;
        CHECK_EQUAL(s->n_computed, 30);
        CHECK(session_sync(s, ids, 30, &err)); // the same text: nothing
        CHECK(session_add(s, 5, &err));
        CHECK_EQUAL(s->n_computed, 31);
        CHECK(session_sync(s, ids, 30, &err)); // shorter: its last token again
        CHECK_EQUAL(s->n_computed, 32);
        ids[20] = 1; // another from the 21st on: from the snapshot at 16
        CHECK(session_sync(s, ids, 30, &err) && session_sync(fresh, ids, 30, &err));
        CHECK_EQUAL(s->n_computed, 32 + 30 - 16);
        CHECK(memcmp(s->logits, fresh->logits, 64 * sizeof(float)) == 0);
        session_close(s);
        session_close(fresh);
        model_close(m);
    }
}
