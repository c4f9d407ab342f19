// chat.h - chat templates: from messages to the text that a model was trained to continue.
//
// Templates are Jinja as found in model files, run by a bounded interpreter: no attribute outside a
// fixed list, no import, no file; depth, steps and output are limited, so that no template can
// harm, hang or exhaust the process.  White space, filters and tests are as Hugging Face sets Jinja
// up (trim_blocks, lstrip_blocks, loop controls, tojson without escaping beyond ASCII).
#ifndef HEED_CHAT_CHAT_H
#define HEED_CHAT_CHAT_H

#include "base/json.h"
#include "base/str.h"

// Nested constructs in a template (four times as many while it runs); steps, each of which pays for
// one node or 128 bytes; bytes of the result.
enum { CHAT_DEPTH_MAX = 100, CHAT_STEPS_MAX = 1000000, CHAT_OUTPUT_MAX = 4 << 20 };

typedef struct ChatTemplate ChatTemplate;

// Parses a template of at most 1 MiB; keeps its own copy of the source.  NULL and one line with
// the line number and the construct if it is wrong or not supported.
MUST_USE ChatTemplate *chat_template(Arena *arena, Str source, Error *err);

// Renders it.  `variables` is an object: messages (array of {role, content, ...}), bos_token,
// eos_token, add_generation_prompt, tools, and whatever else the caller wants to pass.  The integer
// `now` (seconds since 1970 as the local clock shows them) is what strftime_now() tells; without
// it, the time of the system in UTC.  Any thread may render the same template.
// raise_exception(text) in the template becomes an ERROR_USAGE with that text; other errors are
// ERROR_FORMAT or ERROR_LIMIT and name the line.  Unknown filters and tests fail when reached.
MUST_USE bool chat_render(const ChatTemplate *t, Arena *arena, const Json *variables, Str *text,
                          Error *err);

#endif
