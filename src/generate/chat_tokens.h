// chat_tokens.h - from a conversation to the token ids that the model was trained to go on from.
//
// The model's template lays out the messages; its control tokens (<|im_start|> and the like) must
// become ids, but the same characters written by a person must stay text, or anybody could speak in
// another role's name.  A rendered text alone does not tell the two apart.  So the template is
// rendered twice, once with placeholders instead of the contents: their places show which bytes of
// the real rendering are whose.
//
//   - No control token touches a content: the ids are those of the whole text, exactly as the
//     model's own tools give them.
//   - A content has such characters: the text between the template's control tokens is encoded as
//     plain text.
//   - A template alters a content beyond trimming it (some drop old reasoning), so that its place
//     cannot be known: accepted as long as both renderings have the same control tokens in the same
//     order, else refused.
#ifndef HEED_GENERATE_CHAT_TOKENS_H
#define HEED_GENERATE_CHAT_TOKENS_H

#include "chat/chat.h"
#include "text/tokenizer.h"

enum { CHAT_MESSAGES_MAX = 4096 };

typedef struct ChatMessage {
    Str role;    // "system", "user", "assistant"
    Str content; // UTF-8
} ChatMessage;

typedef struct ChatSpec {
    const ChatTemplate *layout;
    const Tokenizer *tokenizer;
    const ChatMessage *message; // (n)
    int64_t n;
    bool is_reply_next; // the template's add_generation_prompt: the assistant speaks next
} ChatSpec;

// The ids, in `arena`.  Whatever the template refuses (two users in a row, a system message) is the
// error; ERROR_FORMAT for contents that are not UTF-8, ERROR_UNSUPPORTED for the refusal above.
MUST_USE bool chat_tokens(Arena *arena, const ChatSpec *spec, const int32_t **ids, int64_t *n,
                          Error *err);

#endif
