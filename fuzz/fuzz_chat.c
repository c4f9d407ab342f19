// fuzz_chat.c - any template over a fixed conversation: an error or a bounded text, never a crash.
#include <stdlib.h>

#include "chat/chat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char conversation[] =
    "{\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":\"user\",\"content\":"
    "[{\"type\":\"text\",\"text\":\"Hi \\u00e9\"}]},{\"role\":\"assistant\",\"content\":null,"
    "\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{\"x\":[1,2.5,true]}}}]}],"
    "\"bos_token\":\"<s>\",\"eos_token\":\"</s>\",\"add_generation_prompt\":true,\"now\":0}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena;
    Error err = {0};
    if (!arena_init(&arena, ARENA_DEFAULT, &err)) return 0;
    const Json *variables = json_parse(&arena, str_from(conversation), sizeof conversation, &err);
    ChatTemplate *t = chat_template(&arena, (Str){(const char *)data, size}, &err);
    Str text = STR("");
    require(variables != NULL);
    if (t && !chat_render(t, &arena, variables, &text, &err)) require(err.kind != ERROR_NONE);
    require(text.n <= CHAT_OUTPUT_MAX);
    arena_drop(&arena);
    return 0;
}
