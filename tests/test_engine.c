// test_engine.c - the engine of a page: rooms, models that come and go, answers, refusals.
#include "lab/engine.h"

#include <string.h>

#include "base/file.h"
#include "lab/lab.h"
#include "model/weights.h"
#include "tests/test.h"

// A copy of the bytes in a room of the engine.
static char *room_of(Str bytes) {
    char *room = engine_room(bytes.n);
    if (CHECK(room)) memcpy(room, bytes.data, bytes.n);
    return room;
}

static bool ask(const char *request) {
    return engine_answer(room_of(str_from(request)), strlen(request));
}

static bool open_bytes(Str file) {
    return engine_open(room_of(file), file.n, room_of((Str){"small", 6}));
}

static bool said(const char *kind, const char *words) {
    return test_check(strcmp(engine_error_kind(), kind) == 0 && strstr(engine_error(), words),
                      __FILE__, __LINE__, "%s: %s", engine_error_kind(), engine_error());
}

TEST(engine, answers_as_the_lab_does) {
    static const char question[] =
        "{\"text\": \"the cat\", \"logits\": true, \"taps\": [{\"site\": \"pattern\"}]}";
    Error err = {0};
    Arena arena;
    Str file, trace;
    if (!CHECK(arena_init(&arena, 64 << 20, &err)) ||
        !CHECK(file_read(&arena, test_fixture("fixtures/models/llama/model.gguf.bin"), 32 << 20,
                         &file, &err)))
        return;
    CHECK(!ask(question));
    said("wrong usage", "no model is open");
    for (int again = 0; again < 2; again++) {
        if (!CHECK(open_bytes(file)) || !CHECK(ask(question))) return;
        Model *model = model_open_gguf_bytes(file, "small", &err);
        Lab *lab = model && weights_pack(model, NULL, &err) //
                       ? lab_open(model, (LabOptions){0}, &err)
                       : NULL;
        if (!CHECK(lab && lab_answer(lab, str_from(question), &trace, &err))) return;
        CHECK(str_equal(trace, (Str){engine_trace(), engine_trace_bytes()}));
        lab_close(lab);
        model_close(model);
    }
    CHECK(!ask("{\"text\": \"the cat\", \"tops\": []}"));
    said("wrong usage", "tops");
    CHECK(engine_trace_bytes() == 0);
    CHECK(!open_bytes(str_slice(file, 0, file.n / 2)));
    CHECK(strcmp(engine_error_kind(), "no error") != 0);
    CHECK(!ask(question)); // the model before it is gone
    CHECK(!engine_room(SIZE_MAX));
    said("out of memory", "no memory");
    arena_drop(&arena);
}
