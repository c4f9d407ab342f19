// lexer.h - a template as tokens: the text between tags, and the words inside them.
#ifndef HEED_CHAT_LEXER_H
#define HEED_CHAT_LEXER_H

#include "base/str.h"

typedef enum ChatTokenKind {
    LEX_DATA,      // text to be written as it is
    LEX_OUTPUT,    // {{
    LEX_OUT,       // }}
    LEX_STATEMENT, // {%
    LEX_STATED,    // %}
    LEX_NAME,
    LEX_STRING, // `text` has its escapes resolved
    LEX_INTEGER,
    LEX_FLOAT,
    LEX_OPERATOR, // one of + - * / // % ** ~ ( ) [ ] { } == != < <= > >= = . : | ,
    LEX_END       // of the template; stands once behind all others
} ChatTokenKind;

typedef struct ChatToken {
    ChatTokenKind kind;
    int line; // from 1
    Str text;
    int64_t integer;
    double number;
} ChatToken;

typedef struct ChatTokens {
    ChatToken *token;
    int64_t n;
} ChatTokens;

// White space is treated as Jinja does with trim_blocks and lstrip_blocks, which Hugging Face sets:
// the newline after a statement or comment and the blanks before one on its line are not text.
// Comments are gone; raw blocks are data.  An error names the line.
MUST_USE bool chat_lex(Arena *arena, Str source, ChatTokens *tokens, Error *err);

#endif
