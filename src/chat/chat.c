// chat.c - chat templates from the outside: parse once, render for each conversation.
#include "chat/chat.h"

#include "chat/run.h"

// What parsing takes of the arena at most for a byte of source, which may be a token and a node of
// its own; and rendering for a step, which pays for CHAT_BYTES_PER_STEP that a growing text may
// hold four times over.
enum { SOURCE_MAX = 1 << 20, MEMORY_PER_BYTE = 640, MEMORY_PER_STEP = 8 * CHAT_BYTES_PER_STEP };

struct ChatTemplate {
    const ChatNode *root;
};

ChatTemplate *chat_template(Arena *arena, Str source, Error *err) {
    ChatParser parser = {.arena = arena, .err = err};
    if (source.n > SOURCE_MAX) {
        error_set(err, ERROR_LIMIT, "chat template: %zu bytes, at most %d are allowed", source.n,
                  (int)SOURCE_MAX);
        return NULL;
    }
    if (!arena_fits(arena, source.n * MEMORY_PER_BYTE)) {
        error_set(err, ERROR_LIMIT, "chat template: %zu bytes are too many for the memory here",
                  source.n);
        return NULL;
    }
    if (!chat_lex(arena, source, &parser.tokens, err)) return NULL;
    ChatTemplate *t = arena_new(arena, ChatTemplate, 1);
    t->root = chat_parse(&parser);
    return t->root ? t : NULL;
}

bool chat_render(const ChatTemplate *t, Arena *arena, const Json *variables, Str *text,
                 Error *err) {
    StrBuilder out = str_builder(arena);
    size_t steps = (arena->reserved - arena->used) / MEMORY_PER_STEP;
    ChatScope global = {.parent = NULL};
    ChatRun run = {.arena = arena,
                   .err = err,
                   .line = 1,
                   .steps = steps < CHAT_STEPS_MAX ? (int64_t)steps : CHAT_STEPS_MAX,
                   .is_short = steps < CHAT_STEPS_MAX,
                   .scope = &global,
                   .out = &out};
    for (const Json *v = variables ? variables->child : NULL; v; v = v->next) {
        chat_scope_set(&run, v->key, value_from_json(&run, v));
    }
    chat_execute(&run, t->root);
    if (run.is_failed) return false;
    *text = str_built(&out);
    return true;
}
