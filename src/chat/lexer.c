// lexer.c - by the rules of Jinja for white space, comments and raw blocks.
//
// A template is data up to the next of "{{", "{%", "{#"; inside a tag, a closing mark counts only
// outside of brackets, so that "{{ {1: {}} }}" ends where one thinks.
#include "chat/lexer.h"

#include <string.h>

#include "base/utf8.h"
#include "chat/text.h"

enum { BRACKETS_MAX = 100 };

typedef struct Lexer {
    Arena *arena;
    Str source;
    size_t at;
    int line;
    bool is_line_start; // the last tag, with the white space it took, ended in a newline
    ChatTokens tokens;
    int64_t capacity;
    Error *err;
} Lexer;

static bool lex_fail(Lexer *lexer, const char *words) {
    return error_set(lexer->err, ERROR_FORMAT, "chat template line %d: %s", lexer->line, words);
}

static ChatToken *token_add(Lexer *lexer, ChatTokenKind kind, Str text) {
    ChatTokens *t = &lexer->tokens;
    if (t->n == lexer->capacity) {
        lexer->capacity = lexer->capacity ? 2 * lexer->capacity : 256;
        ChatToken *grown = arena_new(lexer->arena, ChatToken, lexer->capacity);
        if (t->n) memcpy(grown, t->token, (size_t)t->n * sizeof *grown);
        t->token = grown;
    }
    t->token[t->n] = (ChatToken){.kind = kind, .line = lexer->line, .text = text};
    return &t->token[t->n++];
}

static char peek(const Lexer *lexer, size_t ahead) {
    size_t at = lexer->at + ahead;
    return at < lexer->source.n ? lexer->source.data[at] : '\0';
}

static bool looking_at(const Lexer *lexer, const char *text) {
    Str s = str_from(text);
    return str_equal(str_slice(lexer->source, lexer->at, lexer->at + s.n), s);
}

static void advance(Lexer *lexer, size_t n) {
    for (; n > 0 && lexer->at < lexer->source.n; n--) {
        if (lexer->source.data[lexer->at++] == '\n') lexer->line++;
    }
}

static void skip_space(Lexer *lexer) {
    Str rest = str_slice(lexer->source, lexer->at, lexer->source.n);
    advance(lexer, rest.n - text_strip(rest, STR(""), true, false).n);
}

// After a statement or comment: "-" takes all white space, else one newline goes ("+" keeps it).
static void tag_end(Lexer *lexer, char sign) {
    if (sign == '-')
        skip_space(lexer);
    else if (sign != '+' && peek(lexer, 0) == '\n')
        advance(lexer, 1);
    lexer->is_line_start = lexer->at > 0 && lexer->source.data[lexer->at - 1] == '\n';
}

// ---- text outside of tags

// The data before a tag, without the white space that the tag takes.
static Str data_before_tag(const Lexer *lexer, size_t end, char sign, bool is_output) {
    Str data = str_slice(lexer->source, lexer->at, end);
    if (sign == '-') return text_strip(data, STR(""), false, true);
    if (sign == '+' || is_output) return data;
    size_t line = data.n;
    while (line > 0 && data.data[line - 1] != '\n') line--;
    if (line == 0 && !lexer->is_line_start) return data;
    Str blanks = str_slice(data, line, data.n);
    return text_strip(blanks, STR(""), true, false).n == 0 ? str_slice(data, 0, line) : data;
}

// The position of "{{", "{%" or "{#", or the end.
static size_t find_tag(const Lexer *lexer) {
    for (size_t i = lexer->at; i + 1 < lexer->source.n; i++) {
        char second = lexer->source.data[i + 1];
        if (lexer->source.data[i] == '{' && (second == '{' || second == '%' || second == '#')) {
            return i;
        }
    }
    return lexer->source.n;
}

static bool skip_comment(Lexer *lexer) {
    size_t end = str_find(lexer->source, STR("#}"), lexer->at);
    if (end == SIZE_MAX) return lex_fail(lexer, "a comment is not closed with #}");
    char sign = end > lexer->at ? lexer->source.data[end - 1] : '\0';
    advance(lexer, end + 2 - lexer->at);
    tag_end(lexer, sign);
    return true;
}

// At "{%": if the tag is `raw` or `endraw` as asked, skips up to behind the word and gives its
// sign.
static bool skip_raw_word(Lexer *lexer, const char *word, char *sign) {
    Lexer ahead = *lexer;
    advance(&ahead, 2);
    *sign = peek(&ahead, 0);
    if (*sign == '-' || *sign == '+') advance(&ahead, 1);
    skip_space(&ahead);
    if (!looking_at(&ahead, word)) return false;
    advance(&ahead, strlen(word));
    skip_space(&ahead);
    char end = peek(&ahead, 0);
    if (end == '-' || end == '+') advance(&ahead, 1);
    if (!looking_at(&ahead, "%}")) return false;
    advance(&ahead, 2);
    lexer->at = ahead.at;
    lexer->line = ahead.line;
    // The newline behind {% raw %} stays, that behind {% endraw %} goes.
    if (end == '-' || word[0] == 'e')
        tag_end(lexer, end);
    else
        lexer->is_line_start = false;
    return true;
}

static bool lex_raw(Lexer *lexer) {
    for (size_t from = lexer->at;;) {
        size_t end = str_find(lexer->source, STR("{%"), from);
        if (end == SIZE_MAX) return lex_fail(lexer, "a raw block is not closed with endraw");
        Lexer behind = *lexer;
        advance(&behind, end - lexer->at);
        char sign;
        if (skip_raw_word(&behind, "endraw", &sign)) {
            token_add(lexer, LEX_DATA, data_before_tag(lexer, end, sign, false));
            lexer->at = behind.at;
            lexer->line = behind.line;
            lexer->is_line_start = behind.is_line_start;
            return true;
        }
        from = end + 2;
    }
}

// ---- words inside of tags

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (unsigned char)c >= 128 || (c >= '0' && c <= '9');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// The value of `n` hexadecimal digits at `at`, -1 if they are not that.
static int32_t hex_value(Str s, size_t at, size_t n) {
    int32_t value = 0;
    if (at + n > s.n) return -1;
    for (size_t i = at; i < at + n; i++) {
        char c = s.data[i] | 0x20;
        int digit = is_digit(s.data[i]) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0 || value > 0xFFFFFF) return -1;
        value = value * 16 + digit;
    }
    return value;
}

// Resolves the escape after a backslash at s.data[*at]; unknown ones stay as they are, as in
// Python.
static void unescape(StrBuilder *b, Str s, size_t *at) {
    static const char letter[] = "ntr\\'\"abfv", meaning[] = "\n\t\r\\'\"\a\b\f\v";
    char c = s.data[(*at)++], encoded[4];
    const char *known = memchr(letter, c, sizeof letter - 1);
    if (known) {
        str_add_byte(b, meaning[known - letter]);
        return;
    }
    if (c == '\n') return;
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    int32_t code_point = digits ? hex_value(s, *at, digits) : -1;
    if (c >= '0' && c <= '7') {
        code_point = c - '0';
        for (int i = 0; i < 2 && *at < s.n && s.data[*at] >= '0' && s.data[*at] <= '7'; i++) {
            code_point = code_point * 8 + s.data[(*at)++] - '0';
        }
    }
    if (code_point < 0 || code_point > 0x10FFFF) {
        str_add_byte(b, '\\');
        str_add_byte(b, c);
        return;
    }
    *at += digits;
    str_add(b, (Str){encoded, (size_t)utf8_encode(code_point, encoded)});
}

static bool lex_string(Lexer *lexer) {
    char quote = peek(lexer, 0);
    size_t from = lexer->at + 1, end = from;
    bool has_escape = false;
    while (end < lexer->source.n && lexer->source.data[end] != quote) {
        if (lexer->source.data[end] == '\\') {
            has_escape = true;
            end++;
        }
        end++;
    }
    if (end >= lexer->source.n) return lex_fail(lexer, "a string is not closed");
    Str text = str_slice(lexer->source, from, end);
    if (has_escape) {
        StrBuilder b = str_builder(lexer->arena);
        for (size_t i = 0; i < text.n;) {
            char c = text.data[i++];
            if (c == '\\' && i < text.n)
                unescape(&b, text, &i);
            else
                str_add_byte(&b, c);
        }
        text = str_built(&b);
    }
    token_add(lexer, LEX_STRING, text);
    advance(lexer, end + 1 - lexer->at);
    return true;
}

static size_t skip_digits(const Lexer *lexer, size_t ahead) {
    while (is_digit(peek(lexer, ahead)) ||
           (peek(lexer, ahead) == '_' && is_digit(peek(lexer, ahead + 1)))) {
        ahead++;
    }
    return ahead;
}

static bool lex_number(Lexer *lexer) {
    size_t n = skip_digits(lexer, 0);
    bool is_float = false;
    if (peek(lexer, n) == '.' && is_digit(peek(lexer, n + 1))) {
        n = skip_digits(lexer, n + 1);
        is_float = true;
    }
    char e = peek(lexer, n), sign = peek(lexer, n + 1);
    size_t exponent = n + (sign == '+' || sign == '-' ? 2 : 1);
    if ((e == 'e' || e == 'E') && is_digit(peek(lexer, exponent))) {
        n = skip_digits(lexer, exponent);
        is_float = true;
    }
    StrBuilder b = str_builder(lexer->arena);
    for (size_t i = 0; i < n; i++) {
        if (peek(lexer, i) != '_') str_add_byte(&b, peek(lexer, i));
    }
    ChatToken *t = token_add(lexer, is_float ? LEX_FLOAT : LEX_INTEGER, str_built(&b));
    advance(lexer, n);
    bool ok = is_float ? str_number(t->text, &t->number) : str_int(t->text, &t->integer);
    return ok || lex_fail(lexer, "a number is too big");
}

static bool lex_operator(Lexer *lexer, char *bracket, int *n_brackets) {
    static const char pairs[] = "//**==!=<=>=", singles[] = "+-*/%~()[]{}<>=.:|,";
    char c = peek(lexer, 0);
    size_t n = 0;
    for (size_t i = 0; i + 1 < sizeof pairs; i += 2) {
        if (c == pairs[i] && peek(lexer, 1) == pairs[i + 1]) n = 2;
    }
    if (!n && c && memchr(singles, c, sizeof singles - 1)) n = 1;
    if (!n) return lex_fail(lexer, "a character that no expression has");
    if (c == '(' || c == '[' || c == '{') {
        if (*n_brackets == BRACKETS_MAX) return lex_fail(lexer, "brackets are nested too deeply");
        bracket[(*n_brackets)++] = c == '(' ? ')' : c == '[' ? ']' : '}';
    }
    if (c == ')' || c == ']' || c == '}') {
        if (*n_brackets == 0 || bracket[--*n_brackets] != c) {
            return lex_fail(lexer, "a bracket is closed that is not open");
        }
    }
    token_add(lexer, LEX_OPERATOR, str_slice(lexer->source, lexer->at, lexer->at + n));
    advance(lexer, n);
    return true;
}

static bool lex_word(Lexer *lexer, char *bracket, int *n_brackets) {
    char c = peek(lexer, 0);
    if (c == '\'' || c == '"') return lex_string(lexer);
    if (is_digit(c)) return lex_number(lexer);
    if (!is_name_byte(c)) return lex_operator(lexer, bracket, n_brackets);
    size_t n = 1;
    while (is_name_byte(peek(lexer, n))) n++;
    token_add(lexer, LEX_NAME, str_slice(lexer->source, lexer->at, lexer->at + n));
    advance(lexer, n);
    return true;
}

// Behind "{{" or "{%" and its sign.
static bool lex_tag(Lexer *lexer, bool is_output) {
    char bracket[BRACKETS_MAX];
    int n_brackets = 0;
    const char *close = is_output ? "}}" : "%}";
    for (;;) {
        skip_space(lexer);
        if (lexer->at == lexer->source.n) return lex_fail(lexer, "the template ends inside a tag");
        char sign = peek(lexer, 0);
        bool is_signed = (sign == '-' || (sign == '+' && !is_output)) &&
                         peek(lexer, 1) == close[0] && peek(lexer, 2) == close[1];
        if (n_brackets == 0 && (is_signed || looking_at(lexer, close))) {
            token_add(lexer, is_output ? LEX_OUT : LEX_STATED, STR(""));
            advance(lexer, is_signed ? 3 : 2);
            if (!is_output || sign == '-')
                tag_end(lexer, is_signed ? sign : '\0');
            else
                lexer->is_line_start = false;
            return true;
        }
        if (!lex_word(lexer, bracket, &n_brackets)) return false;
    }
}

// Newlines become "\n", and one at the very end is no part of the template.
static Str normal_newlines(Arena *arena, Str source) {
    StrBuilder b = str_builder(arena);
    for (size_t i = 0; i < source.n; i++) {
        if (source.data[i] != '\r')
            str_add_byte(&b, source.data[i]);
        else if (i + 1 == source.n || source.data[i + 1] != '\n')
            str_add_byte(&b, '\n');
    }
    Str text = str_built(&b);
    return str_ends(text, STR("\n")) ? str_slice(text, 0, text.n - 1) : text;
}

static bool lex_next(Lexer *lexer) {
    size_t tag = find_tag(lexer);
    char kind = tag < lexer->source.n ? lexer->source.data[tag + 1] : '\0';
    char sign = tag + 2 < lexer->source.n ? lexer->source.data[tag + 2] : '\0';
    Str data = str_slice(lexer->source, lexer->at, tag);
    if (kind) data = data_before_tag(lexer, tag, sign, kind == '{');
    if (data.n) token_add(lexer, LEX_DATA, data);
    advance(lexer, tag - lexer->at);
    if (!kind) return true;
    if (kind == '%' && skip_raw_word(lexer, "raw", &sign)) return lex_raw(lexer);
    advance(lexer, 2);
    if (kind == '#') return skip_comment(lexer);
    token_add(lexer, kind == '{' ? LEX_OUTPUT : LEX_STATEMENT, STR(""));
    if (sign == '-' || sign == '+') advance(lexer, 1);
    return lex_tag(lexer, kind == '{');
}

bool chat_lex(Arena *arena, Str source, ChatTokens *tokens, Error *err) {
    Lexer lexer = {.arena = arena, .line = 1, .is_line_start = true, .err = err};
    lexer.source = normal_newlines(arena, source);
    while (lexer.at < lexer.source.n) {
        if (!lex_next(&lexer)) return false;
    }
    token_add(&lexer, LEX_END, STR("the end"));
    *tokens = lexer.tokens;
    return true;
}
